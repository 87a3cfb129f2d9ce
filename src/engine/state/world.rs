//! Everything that a native predicate may see and change.

use std::time::Instant;

use super::collectors::Collectors;
use super::counters::Counters;
use super::database::Database;
use super::desk::Desk;
use super::flags::Flags;
use super::globals::Globals;
use super::input::StandardInput;
use super::output::Output;
use super::remarks::Remarks;
use super::scripts::Scripts;
use super::settings::{Settings, Solver};
use super::sources::Sources;
use super::table::Tables;
use crate::engine::heap::{Cell, Stop, Store, error};
use crate::term::ops::OpTable;
use crate::term::{Atom, atoms};

/// The state of a session except for goals and choice points; a predicate gets this and its arguments.
#[derive(Debug)]
pub(crate) struct World {
    /// The heap.
    pub(crate) store: Store,
    /// Where the goal's own output goes.
    pub(crate) output: Output,
    /// The trace that goals query.
    pub(crate) desk: Desk,
    /// What the options of the session say.
    pub(crate) settings: Settings,
    /// The source texts of goals.
    pub(crate) sources: Sources,
    /// What predicates remark on the running query.
    pub(crate) remarks: Remarks,
    /// Standard input.
    pub(crate) input: StandardInput,
    /// The operators.
    pub(crate) operators: OpTable,
    /// The changeable flags.
    pub(crate) flags: Flags,
    /// The global variables.
    pub(crate) globals: Globals,
    /// The counters of monitors.
    pub(crate) counters: Counters,
    /// Calls made so far.
    pub(crate) inferences: u64,
    /// When the session began.
    pub(crate) started: Instant,
    /// Predicates and clauses.
    pub(crate) database: Database,
    /// Answers being collected by `findall/3` and similar predicates.
    pub(crate) collectors: Collectors,
    /// The answers of tabled predicates.
    pub(crate) tables: Tables,
    /// The scripts loaded and being loaded.
    pub(crate) scripts: Scripts,
}

impl World {
    /// Whether only the machine may answer a goal: it is so configured, or variables of the goal have attributes.
    pub(crate) fn is_for_machine_alone(&self, goal: Cell) -> bool {
        self.settings.solver == Solver::Machine || !self.store.attributed_in(goal).is_empty()
    }

    /// A world without a trace that writes to `output` and reads standard input.
    pub(crate) fn new(output: Output) -> World {
        World {
            store: Store::new(),
            output,
            desk: Desk::default(),
            settings: Settings::default(),
            sources: Sources::default(),
            remarks: Remarks::default(),
            input: StandardInput::standard(),
            operators: OpTable::standard(),
            flags: Flags::default(),
            globals: Globals::default(),
            counters: Counters::default(),
            inferences: 0,
            started: Instant::now(),
            database: Database::default(),
            collectors: Collectors::default(),
            tables: Tables::default(),
            scripts: Scripts::default(),
        }
    }

    /// Forgets what was remarked on goals.
    pub(crate) fn forget_remarks(&mut self) {
        self.remarks = Remarks::default();
        self.store.take_near_misses();
    }

    /// Adds to the remarks what goals compared with a term of another type that is written alike.
    pub(crate) fn remark_near_misses(&mut self) {
        self.remarks.note_near_misses(self.store.take_near_misses());
    }

    /// An error if the memory limit does not leave room for this many bytes.
    pub(crate) fn check_room(&self, bytes: usize) -> Result<(), Stop> {
        let needed = self.store.bytes().saturating_add(self.bytes_kept()).saturating_add(bytes);
        if needed > self.store.watch.memory { Err(error::resource_error("memory")) } else { Ok(()) }
    }

    /// Bytes kept outside the heap of the running query, for the memory limit.
    pub(crate) fn bytes_kept(&self) -> usize {
        self.collectors.bytes()
            + self.tables.bytes()
            + self.counters.bytes()
            + self.globals.bytes()
            + self.database.bytes()
            + self.desk.traces.derived_bytes()
            + Atom::bytes_interned()
    }

    /// Whether moves print the events at which they arrive: as the session says, but not those of the goal that makes a
    /// derived trace.
    pub(crate) fn prints_moves(&self) -> bool {
        self.settings.prints_moves && !self.desk.traces.is_deriving()
    }

    /// Whether a call of an unknown predicate fails (flag `unknown`) instead of raising an error.
    pub(crate) fn unknown_fails(&self) -> bool {
        self.flags.value(Atom::new("unknown")) == Some(atoms::FAIL)
    }
}
