//! Everything that a native predicate may see and change.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::assertions::Assertions;
use super::collectors::Collectors;
use super::counters::Counters;
use super::database::Database;
use super::flags::Flags;
use super::globals::Globals;
use super::goal_trace::{GoalTrace, Progress};
use super::guest::Guest;
use super::input::Input;
use super::output::Output;
use super::plan::{Failure, Plans};
use super::table::Tables;
use super::traces::Traces;
use super::user_command::UserCommand;
use crate::engine::heap::{Cell, Stop, Store, error};
use crate::engine::program::{Loading, ScriptAccess};
use crate::output::{Display, TermView};
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::term::ops::OpTable;
use crate::term::{Atom, Span, atoms};
use crate::trace::Trace;

/// What may answer goals over events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Columns where possible, otherwise the machine.
    #[default]
    Any,
    /// Only the machine, which solves each goal as written.
    Machine,
}

/// The state of a session except for goals and choice points; a predicate gets this and its arguments.
#[derive(Debug)]
pub struct World {
    /// The heap.
    pub store: Store,
    /// Where the goal's own output goes.
    pub output: Output,
    /// The trace that goals query.
    pub trace: Option<Arc<Trace>>,
    /// All named traces, including that one.
    pub traces: Traces,
    /// The cursor: 0 before the first event, otherwise the row of the current event plus 1.
    pub cursor: u32,
    /// What the event lines of moves show.
    pub display: Display,
    /// The part omitted from the event line printed last.
    pub line_rest: String,
    /// Commands declared by scripts.
    pub commands: Vec<UserCommand>,
    /// The folders from which sources of the traced program may be read.
    pub source_folders: Vec<PathBuf>,
    /// How `browse/1` shows terms.
    pub term_view: TermView,
    /// The ports at which `next` and similar moves stop; `None` for those of the format.
    pub traced_ports: Option<Vec<Atom>>,
    /// Whether moves print the event line that they reach.
    pub prints_moves: bool,
    /// What may answer goals over events.
    pub solver: Solver,
    /// The compiled searches of the trace.
    pub plans: Plans,
    /// Why the last unsuccessful search found nothing.
    pub failure: Option<Failure>,
    /// Where the current goal compared texts with numbers, in words.
    pub doubts: Vec<String>,
    /// The results of the assertions that were called.
    pub assertions: Assertions,
    /// The goals that led to an uncaught stop.
    pub goal_trace: GoalTrace,
    /// How far the query had come by then.
    pub progress: Progress,
    /// Standard input.
    pub input: Input,
    /// The operators.
    pub operators: OpTable,
    /// The changeable flags.
    pub flags: Flags,
    /// The global variables.
    pub globals: Globals,
    /// The counters of monitors.
    pub counters: Counters,
    /// Calls made so far.
    pub inferences: u64,
    /// When the session began.
    pub started: Instant,
    /// The arguments after `--` on the command line.
    pub argv: Vec<String>,
    /// Predicates and clauses.
    pub database: Database,
    /// The source texts of goals, by number: scripts and queries.
    pub sources: Vec<Arc<Source>>,
    /// The text of the current query.
    pub query_source: Option<u32>,
    /// Diagnostics of the scripts read so far, for the session to show.
    pub diagnostics: Vec<Diagnostic>,
    /// Answers being collected by `findall/3` and similar predicates.
    pub collectors: Collectors,
    /// The answers of tabled predicates.
    pub tables: Tables,
    /// Which files `consult` may read when no script is being loaded.
    pub script_access: ScriptAccess,
    /// A script named on the command line, which may be read once wherever it is.
    pub granted: Option<PathBuf>,
    /// The file that keeps the answers to questions of declarative debugging across sessions.
    pub answers_file: Option<PathBuf>,
    /// Scripts being loaded, innermost last.
    pub loading: Vec<Loading>,
    /// Scripts that are unloaded when the goals that need them have ended, latest last.
    pub guests: Vec<Guest>,
    /// Goals of `initialization/1` that run at the end of their script.
    pub initialization: Vec<crate::engine::heap::Frozen>,
    /// Whether one of them has failed in the script consulted last.
    pub initialization_failed: bool,
}

impl World {
    /// Whether only the machine may answer a goal: it is so configured, or variables of the goal have attributes.
    pub fn is_for_machine_alone(&self, goal: Cell) -> bool {
        self.solver == Solver::Machine || !self.store.attributed_in(goal).is_empty()
    }

    /// A world without a trace that writes to `output` and reads standard input.
    pub fn new(output: Output) -> World {
        World {
            store: Store::new(),
            output,
            trace: None,
            traces: Traces::default(),
            cursor: 0,
            display: Display::default(),
            line_rest: String::new(),
            commands: Vec::new(),
            source_folders: Vec::new(),
            term_view: TermView::default(),
            traced_ports: None,
            prints_moves: true,
            solver: Solver::default(),
            plans: Plans::default(),
            failure: None,
            doubts: Vec::new(),
            assertions: Assertions::default(),
            goal_trace: GoalTrace::default(),
            progress: Progress::default(),
            input: Input::standard(),
            operators: OpTable::standard(),
            flags: Flags::default(),
            globals: Globals::default(),
            counters: Counters::default(),
            inferences: 0,
            started: Instant::now(),
            argv: Vec::new(),
            database: Database::default(),
            sources: Vec::new(),
            query_source: None,
            diagnostics: Vec::new(),
            collectors: Collectors::default(),
            tables: Tables::default(),
            script_access: ScriptAccess::default(),
            granted: None,
            answers_file: None,
            loading: Vec::new(),
            guests: Vec::new(),
            initialization: Vec::new(),
            initialization_failed: false,
        }
    }

    /// Adds a text and returns its number.
    pub fn add_source(&mut self, source: Arc<Source>) -> u32 {
        self.sources.push(source);
        self.sources.len() as u32 - 1
    }

    /// `file:line:column` of a span in a text; `None` in a text without a name, which papaver has generated.
    pub fn place(&self, source: u32, span: Span) -> Option<String> {
        let source = self.sources.get(source as usize).filter(|source| !source.name.is_empty())?;
        Some(source.place(span.start))
    }

    /// An error if the memory limit does not leave room for this many bytes.
    pub fn check_room(&self, bytes: usize) -> Result<(), Stop> {
        let needed = self.store.bytes().saturating_add(self.bytes_kept()).saturating_add(bytes);
        if needed > self.store.watch.memory { Err(error::resource_error("memory")) } else { Ok(()) }
    }

    /// Bytes kept outside the heap of the running query, for the memory limit.
    pub fn bytes_kept(&self) -> usize {
        self.collectors.bytes()
            + self.tables.bytes()
            + self.counters.bytes()
            + self.globals.bytes()
            + self.database.bytes()
            + Atom::bytes_interned()
    }

    /// Whether a call of an unknown predicate fails (flag `unknown`) instead of raising an error.
    pub fn unknown_fails(&self) -> bool {
        self.flags.value(Atom::new("unknown")) == Some(atoms::FAIL)
    }
}
