//! Export of traces to a folder of Parquet files; the chapter `engines` of the manual says what the folder holds.

mod calls;
mod description;
mod events;
mod names;
mod table;

use std::io;
use std::path::Path;

use serde_json::{Value as Json, json};

use self::events::EventColumns;
use self::names::{ColumnNames, TraceNames, folder_name};
use crate::trace::Trace;

/// The name of the file in an exported folder that says what it holds.
pub(crate) const MANIFEST: &str = "papaver.json";

/// A folder to which traces are exported, one after the other.
#[derive(Default)]
pub(crate) struct Export {
    names: TraceNames,
    columns: ColumnNames,
    traces: Vec<Json>,
}

impl Export {
    /// Writes the files of a trace below `folder`.
    pub(crate) fn add(&mut self, trace: &Trace, folder: &Path) -> io::Result<()> {
        let name = self.names.name(&trace.origin().path);
        let columns = EventColumns::of(trace, &mut self.columns);
        let mut about = description::describe(trace, &name, &columns);
        let metadata = about.to_string();
        let within = |table: &str| format!("{table}/trace={}", folder_name(&name));
        let event_files = columns.write(trace, &name, folder, within("events"), &metadata)?;
        let call_files = calls::write(trace, &name, folder, within("calls"), &metadata)?;
        if let Some(fault) = trace.fault() {
            return Err(io::Error::other(fault));
        }
        about["event_files"] = json!(event_files);
        about["call_files"] = json!(call_files);
        self.traces.push(about);
        Ok(())
    }

    /// Writes what the folder holds.
    pub(crate) fn finish(self, folder: &Path) -> io::Result<()> {
        let manifest = json!({ "papaver_export": 1, "traces": self.traces });
        std::fs::write(folder.join(MANIFEST), format!("{manifest:#}\n"))
    }
}
