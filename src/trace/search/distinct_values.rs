//! The distinct values of the columns of a trace, so that each value is tested once.

use crate::term::Atom;

use crate::trace::column::code_column::{CodeColumn, Ints};
use crate::trace::column::extra_column::ExtraColumn;
use crate::trace::column::list_column::ListColumn;
use crate::trace::column::scale::Scale;
use crate::trace::column::text_column::TextColumn;
use crate::trace::event::args::ArgTexts;
use crate::trace::event::key::Key;
use crate::trace::event::proc::Proc;
use crate::trace::event::schema::AttributeId;
use crate::trace::relation::store::Trace;

/// A column of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraceColumn {
    Key,
    Call,
    Depth,
    Line,
    Path,
    Args,
    /// The column of arguments, when it only matters which events have any.
    HasArgs,
    ArgTypes,
    ArgNames,
    /// The column of the attribute with this index.
    Extra(usize),
}

/// How the values of a column are stored.
#[derive(Clone, Copy)]
pub(crate) enum Stored<'a> {
    /// Codes of a dictionary.
    Codes(&'a CodeColumn),
    /// Codes of a scale.
    Ints(&'a CodeColumn, Scale),
    /// The values themselves.
    Wide(&'a [i64]),
}

/// A distinct value of a dictionary column, or a part of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DistinctValue<'a> {
    /// No value.
    Absent,
    /// An integer.
    Int(i64),
    /// A name.
    Atom(Atom),
    /// A path.
    Path(&'a [Atom]),
    /// A list of texts.
    List(ArgTexts<'a>),
    /// A mixed value in stored form: a letter for the type, then its text.
    Mixed(&'a str),
}

impl DistinctValue<'_> {
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, DistinctValue::Absent)
    }

    /// The characters of a mixed value that is a name or a text.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            DistinctValue::Mixed(stored) => stored.strip_prefix(['a', 's']),
            _ => None,
        }
    }
}

impl Trace {
    /// The column that holds an attribute; procedure, port and determinism share one.
    pub(crate) fn column_of(&self, attribute: AttributeId) -> TraceColumn {
        match attribute {
            AttributeId::CALL => TraceColumn::Call,
            AttributeId::DEPTH => TraceColumn::Depth,
            AttributeId::LINE_NUMBER => TraceColumn::Line,
            AttributeId::GOAL_PATH => TraceColumn::Path,
            AttributeId::ARGS => TraceColumn::Args,
            AttributeId::ARG_TYPES => TraceColumn::ArgTypes,
            AttributeId::ARG_NAMES => TraceColumn::ArgNames,
            AttributeId::PORT | AttributeId::DET | AttributeId::PROC | AttributeId::PROC_TYPE => TraceColumn::Key,
            AttributeId::DECL_MODULE | AttributeId::DEF_MODULE | AttributeId::NAME => TraceColumn::Key,
            AttributeId::ARITY | AttributeId::MODE_NUMBER => TraceColumn::Key,
            other => TraceColumn::Extra(other.index()),
        }
    }

    pub(crate) fn stored(&self, column: TraceColumn) -> Option<Stored<'_>> {
        Some(match column {
            TraceColumn::Key => Stored::Codes(&self.key_codes),
            TraceColumn::Call => Stored::Codes(&self.calls.codes),
            TraceColumn::Path => Stored::Codes(&self.path_codes),
            TraceColumn::Args => Stored::Codes(&self.coded_args().codes),
            TraceColumn::ArgTypes => Stored::Codes(&self.arg_types.codes),
            TraceColumn::ArgNames => Stored::Codes(&self.arg_names.codes),
            TraceColumn::HasArgs => Stored::Ints(self.args.presence(), Scale::NATURAL),
            TraceColumn::Depth => ints(&self.depths),
            TraceColumn::Line => ints(&self.line_numbers),
            TraceColumn::Extra(index) => extra(self.extra(index)?),
        })
    }

    /// The values of the codes of a dictionary column, from code 0, which means no value. Not for keys and calls.
    pub(crate) fn entries(&self, column: TraceColumn) -> Vec<DistinctValue<'_>> {
        let absent = std::iter::once(DistinctValue::Absent);
        match column {
            TraceColumn::Path => absent.chain(self.paths.iter().map(|path| DistinctValue::Path(path))).collect(),
            TraceColumn::Args => lists(self.coded_args()),
            TraceColumn::ArgTypes => lists(&self.arg_types),
            TraceColumn::ArgNames => lists(&self.arg_names),
            TraceColumn::Extra(index) => match self.extra(index).and_then(texts) {
                Some(texts) => absent.chain(texts.iter().map(DistinctValue::Mixed)).collect(),
                None => Vec::new(),
            },
            TraceColumn::Key | TraceColumn::Call | TraceColumn::HasArgs | TraceColumn::Depth | TraceColumn::Line => {
                Vec::new()
            }
        }
    }

    /// The value of an attribute in each key.
    pub(crate) fn key_entries(&self, attribute: AttributeId) -> Vec<DistinctValue<'_>> {
        self.keys.keys.iter().map(|key| self.key_entry(key, attribute)).collect()
    }

    fn key_entry(&self, key: &Key, attribute: AttributeId) -> DistinctValue<'_> {
        let proc = key.proc.map(|id| self.proc(id));
        let name =
            |part: fn(&Proc) -> Option<Atom>| proc.and_then(part).map_or(DistinctValue::Absent, DistinctValue::Atom);
        let number =
            |part: fn(&Proc) -> Option<i64>| proc.and_then(part).map_or(DistinctValue::Absent, DistinctValue::Int);
        match attribute {
            AttributeId::PORT => {
                key.port.map_or(DistinctValue::Absent, |id| DistinctValue::Atom(self.keys.ports[id.0 as usize].name))
            }
            AttributeId::DET => key.det.map_or(DistinctValue::Absent, DistinctValue::Atom),
            AttributeId::PROC => key.proc.map_or(DistinctValue::Absent, |id| DistinctValue::Int(i64::from(id.0))),
            AttributeId::PROC_TYPE => name(|proc| proc.proc_type),
            AttributeId::DECL_MODULE => name(|proc| proc.decl_module),
            AttributeId::DEF_MODULE => name(|proc| proc.def_module),
            AttributeId::NAME => name(|proc| proc.name),
            AttributeId::ARITY => number(|proc| proc.arity),
            AttributeId::MODE_NUMBER => number(|proc| proc.mode_number),
            _ => DistinctValue::Absent,
        }
    }
}

fn lists(column: &ListColumn) -> Vec<DistinctValue<'_>> {
    std::iter::once(DistinctValue::Absent)
        .chain(column.texts.iter().map(|text| DistinctValue::List(ArgTexts::new(text))))
        .collect()
}

fn ints(column: &Ints) -> Stored<'_> {
    match column {
        Ints::Coded(codes, scale) => Stored::Ints(codes, *scale),
        Ints::Wide(values) => Stored::Wide(values),
        Ints::Lazy(_, column) => ints(column),
    }
}

fn extra(column: &ExtraColumn) -> Stored<'_> {
    match column {
        ExtraColumn::Ints(values) => ints(values),
        ExtraColumn::Mixed(codes, _) => Stored::Codes(codes),
        ExtraColumn::Lazy(_, column) => extra(column),
    }
}

/// The dictionary of a column, if it has one.
fn texts(column: &ExtraColumn) -> Option<&TextColumn> {
    match column {
        ExtraColumn::Ints(_) => None,
        ExtraColumn::Mixed(_, texts) => Some(texts),
        ExtraColumn::Lazy(_, column) => texts(column),
    }
}
