//! `papaver sql`: a goal as SQL for an engine that queries an exported folder.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::status::Status;
use crate::sql::{Dialect, FOLDER_FILE, Folder, compile};
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::syntax::{ReadFlags, read_goal};
use crate::term::ops::OpTable;

/// `papaver sql`
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SqlArgs {
    /// The goal, in Prolog; the dot at its end may be omitted
    pub(crate) goal: String,
    /// The exported folder, with `papaver.json` and Parquet files
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The engine for which to write SQL
    #[arg(long, value_enum, default_value_t = SqlDialect::Duckdb)]
    pub(crate) dialect: SqlDialect,
}

/// The engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SqlDialect {
    /// DuckDB
    Duckdb,
    /// Spark SQL
    Spark,
}

const EXAMPLES: &str = "\
Examples:
  papaver sql 'event([port=exit, depth=D]), D > 9' queens.parquet
  papaver sql --dialect spark 'aggregate_all(count, event([port=fail]), N)' queens.parquet

A part of the goal that cannot be said in SQL with the same answers is an error with its place.
`papaver help sql` says what can.";

/// Runs the command.
pub(crate) fn sql(args: &SqlArgs) -> Status {
    match text(args) {
        Ok(text) => super::printed(std::io::Write::write_all(&mut std::io::stdout().lock(), text.as_bytes())),
        Err(message) => {
            eprintln!("{message}");
            Status::Error
        }
    }
}

fn text(args: &SqlArgs) -> Result<String, String> {
    let folder = folder(&args.folder)?;
    let source = Source::new("sql", args.goal.as_str());
    let goal = read_goal(&args.goal, &OpTable::standard(), &ReadFlags::default())
        .map_err(|error| Diagnostic::syntax(&source, error).to_string())?;
    let dialect = match args.dialect {
        SqlDialect::Duckdb => Dialect::DuckDb,
        SqlDialect::Spark => Dialect::Spark,
    };
    let path = args.folder.display().to_string();
    compile(&goal, &source, &folder, path.trim_end_matches('/'), dialect).map_err(|error| error.to_string())
}

/// What an exported folder says of itself.
fn folder(path: &Path) -> Result<Folder, String> {
    let file = path.join(FOLDER_FILE);
    let message = |reason: String| format!("papaver: error: cannot read `{}`: {reason}", file.display());
    let text = fs::read_to_string(&file).map_err(|error| message(error.to_string()))?;
    let folder: Folder = serde_json::from_str(&text).map_err(|error| message(error.to_string()))?;
    match folder.papaver_export {
        1 => Ok(folder),
        other => Err(message(format!("expected version 1 of the folder's schema, found {other}"))),
    }
}
