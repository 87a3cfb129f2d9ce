//! `papaver sql`: a goal as SQL for an engine that queries an exported folder.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::engine_folder::{AnsweredBy, AskedFolder, ExplainedGoal, in_one_line};
use super::engine_process::Engine;
use super::status::Status;
use crate::engine::ScriptFile;
use crate::formats::{FolderTrace, traces_at, traces_of};
use crate::session::declared_operators;
use crate::sql::{AskedTrace, CompiledGoal, Dialect, Rules, Selected, compile, united};
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::syntax::{ReadFlags, ReadTerm, read_goal};
use crate::term::Atom;
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
    /// Say which parts of the goal the engine answers with `papaver query --engine`, and which papaver, instead of printing SQL
    #[arg(long)]
    pub(crate) explain: bool,
    /// Put the goal to the derived trace NAME, which a script declares (`papaver help derived`)
    #[arg(long, value_name = "NAME")]
    pub(crate) on: Option<String>,
    /// The engine for which to write SQL
    #[arg(long, value_enum, default_value_t = SqlDialect::Duckdb)]
    pub(crate) dialect: SqlDialect,
    /// Put the rules of FILE in place of the goals that call them; may be repeated
    #[arg(short = 'l', long = "load", value_name = "FILE")]
    pub(crate) load: Vec<PathBuf>,
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
  papaver sql -l rules.pl 'slow_call(C, Name)' queens.parquet
  papaver sql --dialect spark 'aggregate_all(count, event([port=fail]), N)' queens.parquet
  papaver sql --explain 'event([port=exit, args=[1|_]])' queens.parquet
  papaver sql -l requests.pl --on requests 'tally(N, event([port=call, name=N]), Ns)' depot.parquet

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
    let scripts = args.load.iter().map(|file| {
        let unreadable = |reason| format!("papaver: error: cannot read `{}`: {reason}", file.display());
        ScriptFile::read(file).map_err(unreadable)
    });
    let scripts: Vec<ScriptFile> = scripts.collect::<Result<_, _>>()?;
    let ops = declared_operators(&scripts).unwrap_or_else(OpTable::standard);
    let rules = rules(&scripts, &ops).map_err(|error| error.to_string())?;
    let source = Source::new("sql", args.goal.as_str());
    let goal = read_goal(&args.goal, &ops, &ReadFlags::default())
        .map_err(|error| Diagnostic::syntax(&source, error).to_string())?;
    if args.explain {
        return explanation(args, rules, &goal, &source);
    }
    let (top, traces) = traces_at(&args.folder).map_err(|message| format!("papaver: error: {message}"))?;
    let top = top.display().to_string();
    let on = args.on.as_deref().map(Atom::new);
    let compiled = |trace: &FolderTrace| {
        let (path, dialect) = (top.trim_end_matches('/'), args.dialect.dialect());
        let about = AskedTrace { trace, path, on, rules: &rules, dialect };
        compile(&CompiledGoal { goal: &goal, source: &source, about, is_near: false }, Selected::Text, None)
    };
    if let [trace] = traces.as_slice() {
        return compiled(trace).map(|query| query.text).map_err(|error| error.to_string());
    }
    let mut queries = Vec::new();
    for trace in &traces {
        let in_trace = |error: Box<Diagnostic>| format!("{error}papaver: error: the trace is `{}`\n", trace.trace);
        queries.push((trace.trace.as_str(), compiled(trace).map_err(in_trace)?));
    }
    united(&queries, args.dialect.dialect()).map_err(|message| format!("papaver: error: {message}"))
}

/// What answers the parts of the goal, a line for each; for each trace.
fn explanation(args: &SqlArgs, rules: Rules, goal: &ReadTerm, source: &Arc<Source>) -> Result<String, String> {
    let engine = Engine::new(args.dialect, None);
    let paths = traces_of(&args.folder).unwrap_or_else(|| vec![args.folder.clone()]);
    let (mut text, mut rules) = (String::new(), rules);
    for path in &paths {
        let asked = AskedFolder::new(path, &engine, rules, args.on.as_deref())
            .map_err(|message| format!("papaver: error: {message}"))?;
        let ExplainedGoal { refusal, parts } = asked.explained(goal, source).map_err(|error| error.to_string())?;
        if paths.len() > 1 {
            text += &format!("% {}\n", path.display());
        }
        text += &match refusal {
            None => "the engine answers the goal\n".to_string(),
            Some(why) if args.on.is_some() => {
                format!(
                    "papaver answers the goal on the events of the derived trace that the engine finds ({})\n",
                    in_one_line(&why)
                )
            }
            Some(why) => {
                format!("papaver answers the goal on the events that the engine finds ({})\n", in_one_line(&why))
            }
        };
        for (span, by) in parts {
            let by = match by {
                AnsweredBy::Engine => "engine",
                AnsweredBy::Both => "engine, papaver",
                AnsweredBy::Papaver => "papaver",
            };
            let (line, column) = source.line_column(span.start);
            let part = &source.text[span.start as usize..span.end as usize];
            text += &format!("  {by:<17}{line}:{column:<5}{part}\n");
        }
        rules = asked.rules;
    }
    Ok(text)
}

/// The rules of scripts.
pub(super) fn rules(scripts: &[ScriptFile], ops: &OpTable) -> Result<Rules, Box<Diagnostic>> {
    let mut rules = Rules::default();
    scripts.iter().try_for_each(|script| rules.add(&script.source, ops))?;
    Ok(rules)
}

impl SqlDialect {
    pub(super) fn dialect(self) -> Dialect {
        match self {
            SqlDialect::Duckdb => Dialect::DuckDb,
            SqlDialect::Spark => Dialect::Spark,
        }
    }

    /// The name of the engine, as `--engine` takes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            SqlDialect::Duckdb => "duckdb",
            SqlDialect::Spark => "spark",
        }
    }
}
