//! Opening a saved trace: this reads the metadata, but no column.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::meta::{read_findings, read_keys, read_recording, read_schema};
use crate::term::Atom;
use crate::trace::column::code_column::{CodeColumn, Ints};
use crate::trace::column::codes::Runs;
use crate::trace::column::extra_column::ExtraColumn;
use crate::trace::column::key_order::KeyOrder;
use crate::trace::column::lazy::Lazy;
use crate::trace::column::list_column::ListColumn;
use crate::trace::column::packed::{Packed, StoredOrder, Width};
use crate::trace::column::places::PlaceTable;
use crate::trace::column::postings::Postings;
use crate::trace::column::scale::Scale;
use crate::trace::column::text_blocks::TextBlocks;
use crate::trace::column::text_column::TextColumn;
use crate::trace::event::EventId;
use crate::trace::event::schema::AttributeId;
use crate::trace::file::bytes::Decoder;
use crate::trace::file::memory::MemorySource;
use crate::trace::file::packing::Coding;
use crate::trace::file::saved_file::{SavedError, SavedFile, SavedSource, Section, damage};
use crate::trace::relation::args_column::ArgsColumn;
use crate::trace::relation::chrono::Chronos;
use crate::trace::relation::derived::{self, CallColumns};
use crate::trace::relation::source_places::{RecordNumbers, SourcePlaces, StoredPlaces};
use crate::trace::relation::store::{Trace, TraceOrigin};

impl Trace {
    /// Opens a saved trace with lazy columns; `format` returns the origin of the trace, given the name of its format.
    ///
    /// A part that needs more than the free `memory` is not read, which is a [fault](Trace::fault).
    pub(crate) fn open_saved(
        source: SavedSource,
        path: &Path,
        memory: Option<MemorySource>,
        format: impl Fn(&str) -> Option<TraceOrigin>,
    ) -> Result<Trace, SavedError> {
        let (file, meta) = SavedFile::open(source, path.to_owned(), memory)?;
        let mut opening = Opening { file: Arc::new(file), meta: Decoder::new(&meta), order: None };
        let damaged = SavedError::Damaged("its description");
        let Some(name) = opening.meta.text() else { return Err(damaged) };
        let origin = format(name).ok_or_else(|| SavedError::Format(name.to_owned()))?;
        opening.trace(origin).filter(|_| opening.meta.is_at_end()).ok_or(damaged)
    }
}

/// The steps of each path.
type PathSteps = Vec<Box<[Atom]>>;

/// A saved trace whose metadata is being read.
struct Opening<'a> {
    file: Arc<SavedFile>,
    meta: Decoder<'a>,
    /// The order of the columns that are stored key by key, once it is known.
    order: Option<Arc<KeyOrder>>,
}

impl Opening<'_> {
    fn trace(&mut self, origin: TraceOrigin) -> Option<Trace> {
        let path = PathBuf::from(self.meta.text()?);
        let n_events: EventId = self.meta.word()?;
        let rows = n_events as usize;
        let n_calls = usize::try_from(self.meta.number()?).ok().filter(|n_calls| *n_calls <= rows)?;
        let schema = read_schema(&mut self.meta, origin.attributes)?;
        let findings = read_findings(&mut self.meta)?;
        let keys = read_keys(&mut self.meta)?;
        let chronos = self.chronos(rows)?;
        let key_codes = self.codes(rows, (keys.keys.len() as u32).saturating_sub(1))?;
        if rows > 0 && keys.keys.is_empty() {
            return None;
        }
        let order = Arc::new(self.order(keys.keys.len(), n_events, &key_codes)?);
        self.order = Some(Arc::clone(&order));
        let call_codes = self.codes(rows, n_calls as u32)?;
        let numbers = self.ints(n_calls)?;
        let depths = self.ints(rows)?;
        let columns = CallColumns {
            file: Some(Arc::clone(&self.file)),
            n_calls,
            codes: call_codes,
            numbers,
            depths: depths.clone(),
            key_codes: key_codes.clone(),
        };
        let line_numbers = self.ints(rows)?;
        let source_lines = self.runs()?;
        let source_places = self.places(rows)?;
        let (n_paths, paths) = self.paths()?;
        let mut trace = Trace {
            origin: TraceOrigin { path, ..origin },
            schema,
            findings,
            n_events,
            chronos,
            calls: derived::calls(columns, &keys),
            depths,
            line_numbers,
            source_lines,
            source_places,
            keys,
            key_codes,
            postings: Postings::Saved(order),
            paths,
            path_codes: self.codes(rows, n_paths)?,
            args: ArgsColumn::Coded(self.list(rows)?),
            arg_types: self.list(rows)?,
            arg_names: self.list(rows)?,
            extras: self.extras(rows)?,
            saved: Some(Arc::clone(&self.file)),
            whole: None,
            n_table_bytes: 0,
            recording: read_recording(&mut self.meta)?,
            causality: OnceLock::new(),
            call_times: Arc::default(),
            value_indexes: Arc::default(),
            argument_values: Arc::default(),
            rising_columns: Arc::default(),
        };
        trace.take_reported_parents();
        trace.explain_missing_args();
        Some(trace)
    }

    fn section(&mut self) -> Option<Section> {
        Section::read(&mut self.meta, self.file.length)
    }

    /// A column with one number for each of `rows` rows, or with no numbers at all; no number is greater than
    /// `greatest`.
    fn packed(&mut self, rows: usize, greatest: u32) -> Option<(Packed, Option<Arc<KeyOrder>>)> {
        let width = Width::numbered(self.meta.number()?)?;
        let coding = Coding::numbered(self.meta.number()?)?;
        let order = match self.meta.number()? {
            number if number == StoredOrder::Rows as u64 => None,
            number if number == StoredOrder::Keys as u64 => Some(Arc::clone(self.order.as_ref()?)),
            _ => return None,
        };
        let section = self.section()?;
        let section = section.with(0).or_else(|| section.with(rows))?;
        let is_full = self.meta.number()? == 1;
        Some((Packed { section, width, coding, greatest, is_full }, order))
    }

    fn codes(&mut self, rows: usize, greatest: u32) -> Option<CodeColumn> {
        let (packed, order) = self.packed(rows, greatest).filter(|(packed, _)| packed.width != Width::Wide)?;
        Some(CodeColumn::saved(&self.file, packed, order))
    }

    fn ints(&mut self, rows: usize) -> Option<Ints> {
        let (packed, order) = self.packed(rows, u32::MAX)?;
        if packed.width == Width::Wide {
            return Some(Ints::wide(&self.file, packed));
        }
        let scale = Scale::new(self.meta.signed()?, self.meta.number()?)?;
        Some(Ints::Coded(CodeColumn::saved(&self.file, packed, order), scale))
    }

    fn chronos(&mut self, rows: usize) -> Option<Chronos> {
        let is_right = |first: &i64| *first > i64::MIN && *first < i64::MAX - i64::from(EventId::MAX);
        match self.meta.option(Decoder::signed)? {
            Some(first) => Some(first).filter(is_right).map(Chronos::Dense),
            None => self.ints(rows).map(Chronos::Sparse),
        }
    }

    fn order(&mut self, n_keys: usize, n_events: EventId, keys: &CodeColumn) -> Option<KeyOrder> {
        let heads: Vec<(u32, u32)> =
            (0..n_keys).map(|_| self.meta.word().zip(self.meta.word())).collect::<Option<_>>()?;
        let section = self.section()?.with(n_events as usize)?;
        let is_right = |(length, first): &(u32, u32)| *length == 0 || *first < n_events;
        let n_rows: u64 = heads.iter().map(|(length, _)| u64::from(*length)).sum();
        let is_possible = n_rows == u64::from(n_events) && heads.iter().all(is_right);
        is_possible.then(|| KeyOrder::new(&self.file, section, heads, keys.clone(), n_events))
    }

    fn runs(&mut self) -> Option<Lazy<Runs>> {
        let (file, section) = (Arc::clone(&self.file), self.section()?);
        Some(Lazy::new(move || {
            let read = file.section(section);
            let runs = read.and_then(|bytes| runs(&bytes).ok_or_else(|| damage(section.directory)));
            file.or_fault(runs, Runs::default)
        }))
    }

    fn places(&mut self, rows: usize) -> Option<Option<SourcePlaces>> {
        let kind = self.meta.number()?;
        let records = match kind {
            number if number == StoredPlaces::None as u64 => return Some(None),
            number if number == StoredPlaces::ByAttribute as u64 => {
                RecordNumbers::Attribute(AttributeId(self.meta.word()?.try_into().ok()?), self.meta.signed()?)
            }
            number if number == StoredPlaces::ByEvent as u64 => {
                let numbers = self.ints(rows)?;
                RecordNumbers::Function(Arc::new(move |event| numbers.at(event as usize)?.try_into().ok()))
            }
            _ => return None,
        };
        let (file, section) = (Arc::clone(&self.file), self.section()?);
        let table = Lazy::new(move || {
            let steps = file.or_fault(file.section(section), Vec::new);
            Arc::new(PlaceTable::of_steps(&steps))
        });
        Some(Some(SourcePlaces { table, records }))
    }

    /// The number of paths, and the paths.
    fn paths(&mut self) -> Option<(u32, Lazy<PathSteps>)> {
        let n_paths = self.meta.word()?;
        let (file, section) = (Arc::clone(&self.file), self.section()?);
        if u64::from(n_paths) > section.n_values {
            return None;
        }
        let paths = Lazy::new(move || {
            let read = file.section(section);
            let paths = read.and_then(|bytes| paths(&bytes, n_paths).ok_or_else(|| damage(section.directory)));
            file.or_fault(paths, || vec![Box::default(); n_paths as usize])
        });
        Some((n_paths, paths))
    }

    /// The number of texts, and the texts.
    fn texts(&mut self) -> Option<(u32, TextColumn)> {
        let section = self.section()?;
        let n_texts = u32::try_from(section.n_values).ok()?;
        let section = section.with(n_texts as usize)?;
        Some((n_texts, TextColumn::Saved(Arc::new(TextBlocks::new(&self.file, section)))))
    }

    fn list(&mut self, rows: usize) -> Option<ListColumn> {
        let (mut packed, order) = self.packed(rows, 0)?;
        let (n_texts, texts) = self.texts()?;
        packed.greatest = n_texts;
        Some(ListColumn { codes: CodeColumn::saved(&self.file, packed, order), texts })
    }

    fn extras(&mut self, rows: usize) -> Option<Vec<ExtraColumn>> {
        let n_extras = self.meta.count()?;
        let extra = |_| match self.meta.number()? {
            0 => self.ints(rows).map(ExtraColumn::Ints),
            1 => self.list(rows).map(|list| ExtraColumn::Mixed(list.codes, list.texts)),
            _ => None,
        };
        (0..n_extras).map(extra).collect()
    }
}

fn runs(bytes: &[u8]) -> Option<Runs> {
    let mut reader = Decoder::new(bytes);
    let mut starts = Vec::new();
    let (mut row, mut line) = (0_u32, 0_u64);
    while !reader.is_at_end() {
        row = row.checked_add(reader.word()?)?;
        line = line.wrapping_add(reader.signed()? as u64);
        starts.push((row, line));
    }
    Some(Runs::from_starts(starts))
}

fn paths(bytes: &[u8], n_paths: u32) -> Option<PathSteps> {
    let mut reader = Decoder::new(bytes);
    let path = |_| {
        let n_steps = reader.count()?;
        (0..n_steps).map(|_| reader.text().map(Atom::new)).collect()
    };
    (0..n_paths).map(path).collect::<Option<_>>().filter(|_| reader.is_at_end())
}
