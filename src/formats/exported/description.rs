//! What an exported folder holds, as its `papaver.json` says.

use std::path::Path;

use serde::Deserialize;

use crate::formats::{FORMATS, Format};
use crate::term::Atom;
use crate::trace::{BASE, Finding, FindingSeverity, Findings, Gap, RecordedAt, Recording, TimeUnit, known_attribute};

/// The file that describes a folder.
pub(crate) const FOLDER_FILE: &str = "papaver.json";

/// An exported folder.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Folder {
    /// The version of the schema.
    papaver_export: u32,
    /// The traces in it.
    pub(crate) traces: Vec<FolderTrace>,
}

/// A trace in an exported folder.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FolderTrace {
    /// Its name, as in the column `trace`.
    pub(crate) trace: String,
    /// The name of its format.
    pub(crate) format: String,
    /// The files of its events, from the folder; the description in a file does not have them.
    #[serde(default)]
    pub(crate) event_files: Vec<String>,
    /// The files of its calls, from the folder.
    #[serde(default)]
    pub(crate) call_files: Vec<String>,
    /// How many events it has.
    #[serde(default)]
    pub(crate) events: u64,
    /// The numbers of the first and of the last one.
    pub(crate) first_chrono: Option<i64>,
    pub(crate) last_chrono: Option<i64>,
    pub(crate) attributes: Vec<FolderAttribute>,
    #[serde(default)]
    recording: FolderRecording,
    #[serde(default)]
    findings: FolderFindings,
}

/// An attribute of the events of a trace.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FolderAttribute {
    /// Its name in papaver.
    pub(crate) name: String,
    /// What its values are, such as `integer`.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// What its integers count, if they are times.
    unit: Option<String>,
    /// Its columns; at most one of them has a value in a row.
    pub(crate) columns: Vec<FolderColumn>,
}

/// A column of the events.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FolderColumn {
    /// Its name in the files.
    pub(crate) name: String,
    /// What its values are, such as `text`.
    pub(crate) kind: String,
    /// Of an argument, its place among the arguments, from 1.
    pub(crate) index: Option<usize>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct FolderRecording {
    unfinished: bool,
    least_depth: Option<i64>,
    facts: Vec<FolderFact>,
    gaps: Vec<FolderGap>,
}

#[derive(Clone, Debug, Deserialize)]
struct FolderFact {
    at: String,
    key: String,
    value: String,
}

#[derive(Clone, Debug, Deserialize)]
struct FolderGap {
    first: u32,
    before: u32,
    lost: Option<u64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct FolderFindings {
    totals: FindingTotals,
    kept: Vec<FolderFinding>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct FindingTotals {
    fault: u64,
    warning: u64,
    note: u64,
}

#[derive(Clone, Debug, Deserialize)]
struct FolderFinding {
    rule: String,
    severity: String,
    chrono: Option<i64>,
    line: Option<u64>,
    message: String,
}

impl Folder {
    /// Reads what a folder says of itself.
    pub(crate) fn read(folder: &Path) -> Result<Folder, String> {
        let file = folder.join(FOLDER_FILE);
        let message = |reason: String| format!("cannot read `{}`: {reason}", file.display());
        let text = std::fs::read_to_string(&file).map_err(|error| message(error.to_string()))?;
        let folder: Folder = serde_json::from_str(&text).map_err(|error| message(error.to_string()))?;
        match folder.papaver_export {
            1 => Ok(folder),
            other => Err(message(format!("expected version 1 of the folder's schema, found {other}"))),
        }
    }
}

impl FolderTrace {
    /// A trace of which only the names of its columns are known.
    pub(crate) fn of_attributes(attributes: Vec<FolderAttribute>) -> FolderTrace {
        FolderTrace {
            trace: String::new(),
            format: "jsonl".to_string(),
            event_files: Vec::new(),
            call_files: Vec::new(),
            events: 0,
            first_chrono: None,
            last_chrono: None,
            attributes,
            recording: FolderRecording::default(),
            findings: FolderFindings::default(),
        }
    }

    /// The attribute with a name or alias; an attribute that the trace declares comes before known ones.
    pub(crate) fn attribute(&self, name: &str) -> Option<&FolderAttribute> {
        let named = |name: &str| self.attributes.iter().find(|attribute| attribute.name == name);
        named(name).or_else(|| named(BASE[known_attribute(name)?.index()].name))
    }

    /// The names of all attributes.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.attributes.iter().map(|attribute| attribute.name.as_str()).collect()
    }

    /// The format of the trace, if it is known here.
    pub(crate) fn format(&self) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == self.format)
    }

    /// What the recorder reported.
    pub(crate) fn recording(&self) -> Recording {
        let mut recording = Recording::default();
        recording.is_unfinished = self.recording.unfinished;
        recording.least_depth = self.recording.least_depth;
        for FolderFact { at, key, value } in &self.recording.facts {
            recording.keep(if at == "end" { RecordedAt::End } else { RecordedAt::Start }, key, value);
        }
        for gap in &self.recording.gaps {
            recording.gap(Gap { first: gap.first.min(gap.before), before: gap.before, lost: gap.lost });
        }
        recording
    }

    /// What is wrong with the trace; none if the description contradicts itself.
    pub(super) fn findings(&self) -> Option<Findings> {
        let FindingTotals { fault, warning, note } = self.findings.totals;
        let kept = self.findings.kept.iter().map(|finding| {
            let severity = FindingSeverity::ALL.into_iter().find(|severity| severity.word() == finding.severity)?;
            let rule = Atom::new(&finding.rule).as_str();
            Some(Finding {
                rule,
                severity,
                chrono: finding.chrono,
                line: finding.line,
                message: finding.message.clone(),
            })
        });
        Findings::from_parts(kept.collect::<Option<_>>()?, [fault, warning, note])
    }
}

impl FolderAttribute {
    /// An attribute of which only its columns and what its values are is known.
    pub(crate) fn new(name: &str, kind: &str, columns: Vec<FolderColumn>) -> FolderAttribute {
        FolderAttribute { name: name.to_string(), kind: kind.to_string(), unit: None, columns }
    }

    /// What its integers count.
    pub(super) fn unit(&self) -> Option<TimeUnit> {
        TimeUnit::named(self.unit.as_deref()?)
    }
}
