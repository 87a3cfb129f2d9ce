//! Where the engines differ.

use crate::formats::FolderTrace;

/// An engine's SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// DuckDB's.
    DuckDb,
    /// Spark's.
    Spark,
}

impl Dialect {
    /// A text as a literal.
    pub(super) fn text(self, text: &str) -> String {
        match self {
            Dialect::DuckDb => format!("'{}'", text.replace('\'', "''")),
            Dialect::Spark => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        }
    }

    /// The type of texts.
    pub(super) fn text_type(self) -> &'static str {
        match self {
            Dialect::DuckDb => "VARCHAR",
            Dialect::Spark => "STRING",
        }
    }

    /// A name of a column.
    pub(crate) fn name(self, name: &str) -> String {
        match self {
            Dialect::DuckDb => format!("\"{}\"", name.replace('"', "\"\"")),
            Dialect::Spark => format!("`{}`", name.replace('`', "``")),
        }
    }

    /// The condition that a regular expression matches somewhere in a text.
    pub(super) fn matches(self, value: &str, pattern: &str) -> String {
        match self {
            Dialect::DuckDb => format!("regexp_matches({value}, {})", self.text(pattern)),
            Dialect::Spark => format!("{value} RLIKE {}", self.text(pattern)),
        }
    }

    /// The rows of a table of a trace, whose files lie in a folder.
    pub(super) fn rows(self, folder: &str, files: &[String], trace: &FolderTrace) -> String {
        let own = format!("WHERE trace = {}", self.text(&trace.trace));
        let path = |file: &String| format!("{folder}/{file}");
        match self {
            Dialect::DuckDb => {
                let paths: Vec<String> = files.iter().map(|file| self.text(&path(file))).collect();
                let options = "hive_partitioning = false, union_by_name = true";
                format!("SELECT * FROM read_parquet([{}], {options}) {own}", paths.join(", "))
            }
            Dialect::Spark => {
                let part = |file| format!("SELECT * FROM parquet.{} {own}", self.name(&path(file)));
                files.iter().map(part).collect::<Vec<_>>().join(" UNION ALL ")
            }
        }
    }
}
