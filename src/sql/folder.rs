//! What an exported folder holds, as its `papaver.json` says.

use serde::Deserialize;

use crate::formats::{FORMATS, Format};
use crate::trace::{BASE, known_attribute};

/// The file that describes a folder.
pub(crate) const FOLDER_FILE: &str = "papaver.json";

/// An exported folder.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Folder {
    /// The version of the schema.
    pub(crate) papaver_export: u32,
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
    /// The files of its events, from the folder.
    pub(crate) event_files: Vec<String>,
    /// The files of its calls, from the folder.
    pub(crate) call_files: Vec<String>,
    attributes: Vec<FolderAttribute>,
}

/// An attribute of the events of a trace.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FolderAttribute {
    /// Its name in papaver.
    pub(crate) name: String,
    /// What its values are, such as `integer`.
    #[serde(rename = "type")]
    pub(crate) kind: String,
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
}

impl FolderTrace {
    /// The attribute with a name or alias; an attribute that the trace declares comes before known ones.
    pub(super) fn attribute(&self, name: &str) -> Option<&FolderAttribute> {
        let named = |name: &str| self.attributes.iter().find(|attribute| attribute.name == name);
        named(name).or_else(|| named(BASE[known_attribute(name)?.index()].name))
    }

    /// The names of all attributes.
    pub(super) fn names(&self) -> Vec<&str> {
        self.attributes.iter().map(|attribute| attribute.name.as_str()).collect()
    }

    /// The format of the trace, if it is known here.
    pub(super) fn format(&self) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == self.format)
    }
}
