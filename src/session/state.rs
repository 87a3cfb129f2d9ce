//! A session: a machine with its rules, and the trace that goals query.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use super::goals::Goals;
use super::query::GoalAnswers;
use crate::builtins;
use crate::builtins::abbreviations::{ABBREVIATIONS, Abbreviation};
use crate::builtins::doc::docs;
use crate::builtins::messages::{Complaint, describe};
use crate::engine::{
    AnswerLayout, Ask, LoadReport, Loader, Machine, NamedFiles, Namespace, Output, Prompts, ScriptEvent, Solver,
    Stopped, Traces, UserCommand,
};
use crate::output::ToggleError;
use crate::syntax::diagnostic::Source;
use crate::syntax::{ReadTerm, read_goal};
use crate::term::Atom;
use crate::term::hash::{HashMap, HashSet};
use crate::term::letters::atom_text;
use crate::term::ops::OpTable;
use crate::trace::{GroupCosts, Trace};

/// Whether moves show the event that they reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moves {
    /// They print its line.
    #[default]
    Shown,
    /// They print nothing, since standard output is for data.
    Silent,
}

/// The resource limits of goals; `None` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// For one goal.
    pub time: Option<Duration>,
    /// In bytes, for the whole session without the trace.
    pub memory: Option<u64>,
}

/// The settings of a session.
pub struct Options {
    /// Where goals write.
    pub output: Box<dyn Write>,
    /// Whether moves print.
    pub moves: Moves,
    /// The result of `argv/1`.
    pub argv: Vec<String>,
    /// The resource limits of goals.
    pub limits: Limits,
}

impl Default for Options {
    /// What goals write is dropped, and nothing limits them.
    fn default() -> Options {
        let (output, limits) = (Box::new(std::io::sink()), Limits::default());
        Options { output, moves: Moves::Silent, argv: Vec::new(), limits }
    }
}

/// A predicate as help and completion show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PredicateDoc {
    /// Its name.
    pub(crate) name: String,
    /// The arity.
    pub(crate) arity: usize,
    /// A line of documentation; empty for a predicate of a script.
    pub(crate) doc: String,
}

/// A machine with rules and at most one trace.
pub struct Session {
    pub(super) machine: Machine,
    time_limit: Option<Duration>,
    /// The scripts that were consulted.
    pub(super) scripts: Vec<Arc<Source>>,
}

impl Session {
    /// A session with the library and no trace.
    pub fn new(options: Options) -> Session {
        let mut machine = builtins::library::machine(Output::new(options.output));
        machine.world.settings.argv = options.argv;
        machine.world.settings.prints_moves = options.moves == Moves::Shown;
        if let Some(bytes) = options.limits.memory {
            machine.world.store.watch.memory = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
        let mut session = Session { machine, time_limit: options.limits.time, scripts: Vec::new() };
        session.let_checks_stand_apart();
        session
    }

    /// Makes `trace` the current trace, with the cursor before its first event.
    pub(crate) fn open(&mut self, trace: Arc<Trace>) {
        self.machine.world.open_trace(trace);
    }

    /// Makes a trace the current one that was made elsewhere: the derived trace of a name, from that in a file. Scripts have
    /// declared the name.
    pub(crate) fn open_derived(&mut self, name: Atom, file: &Path, trace: Trace) {
        self.machine.world.open_derived(name, file, trace);
    }

    /// Makes the derived trace that was named the current one, of the events of a file that matter to it. Goals on the trace
    /// of the file read the whole file.
    pub(crate) fn derive_of_chosen(&mut self, file: &Path, chosen: Trace) -> Result<(), Stopped> {
        self.open(Arc::new(chosen));
        let made = self.go_to_derived();
        self.machine.world.desk.traces.forget_file(file);
        made
    }

    /// Lets goals query other traces: those in these files, which `loader` reads on demand.
    pub(crate) fn name_traces(&mut self, files: Arc<NamedFiles>, loader: Loader) {
        self.machine.world.desk.traces = Traces::new(files, loader);
    }

    /// Whether goals have asked which traces there are, or queried all of them.
    pub(crate) fn has_asked_all_traces(&self) -> bool {
        self.machine.world.desk.traces.are_all_asked()
    }

    /// Names the derived trace to which goals are put, once a script has declared it.
    pub(crate) fn name_derived(&mut self, name: &str) {
        self.machine.world.settings.on = Some(Atom::new(name));
    }

    /// Makes the derived trace that was named the current one.
    pub(crate) fn go_to_derived(&mut self) -> Result<(), Stopped> {
        self.solve_once("'$reach_on'").map(drop)
    }

    /// Keeps the answers to questions of `debug_wrong_answer/1` in a file, and replays those it contains.
    pub(crate) fn keep_answers(&mut self, file: Option<PathBuf>) {
        self.machine.world.settings.answers_file = file;
    }

    /// The current trace.
    pub(crate) fn trace(&self) -> Option<&Arc<Trace>> {
        self.machine.world.desk.trace()
    }

    /// What the calls of a profile cost that a goal has left, group by group.
    pub(crate) fn take_profile(&mut self) -> Vec<GroupCosts> {
        std::mem::take(&mut self.machine.world.desk.profile)
    }

    /// Shows attributes of the open trace in event lines, including those that are not shown by default.
    pub(crate) fn show_attributes(&mut self, names: &[String]) -> Result<(), ToggleError> {
        names.iter().try_for_each(|name| self.machine.world.desk.show_attribute(name))
    }

    /// Truncates event lines to `room` characters, and makes pictures as wide as `columns`.
    pub(crate) fn fit_terminal(&mut self, columns: usize, room: usize) {
        self.machine.world.desk.display.room = Some(room);
        self.machine.world.settings.columns = columns;
    }

    /// How the prompt shows several answers.
    pub(crate) fn answer_layout(&self) -> AnswerLayout {
        self.machine.world.desk.answer_layout
    }

    /// The number of the event at the cursor.
    pub(crate) fn current_number(&self) -> Option<i64> {
        let desk = &self.machine.world.desk;
        desk.current_event().zip(desk.trace()).map(|(event, trace)| trace.chrono(event))
    }

    /// Moves the cursor to the event with a number, if the current trace has one.
    pub(crate) fn go_to_number(&mut self, number: i64) {
        let desk = &mut self.machine.world.desk;
        if let Some(event) = desk.trace().and_then(|trace| trace.find_chrono(number)) {
            desk.move_to(event);
        }
    }

    /// Moves the cursor before the first event.
    pub(crate) fn rewind(&mut self) {
        self.machine.world.desk.rewind();
    }

    /// A flag that, once set, ends the running goal with [`crate::engine::Stop::Interrupt`].
    pub(crate) fn interrupt_handle(&self) -> Arc<AtomicBool> {
        self.machine.interrupt_handle()
    }

    /// Makes a flag of another session that of this one too.
    pub(crate) fn share_interrupt(&mut self, flag: Arc<AtomicBool>) {
        self.machine.world.store.watch.interrupt = flag;
    }

    /// How goals are read, according to the current operators and flags.
    pub(crate) fn goals(&self) -> Goals {
        Goals { operators: self.operators().clone(), flags: self.machine.world.read_flags() }
    }

    /// The current operators.
    pub(crate) fn operators(&self) -> &OpTable {
        &self.machine.world.operators
    }

    /// What the scripts that goals have consulted since the last call have shown.
    pub(crate) fn take_load_report(&mut self) -> LoadReport {
        self.machine.world.scripts.take_report()
    }

    /// Makes this the session of a prompt: adds Morphine's abbreviations (`n`, `fg(..)`), and lets `consult` read any
    /// file.
    pub(crate) fn become_prompt(&mut self) {
        let world = &mut self.machine.world;
        let clauses: String = ABBREVIATIONS.iter().map(Abbreviation::clause).collect();
        world.open_script(Source::new("abbreviations", clauses), Namespace::Library, None);
        while world.next_script_event() != ScriptEvent::End {}
        world.close_script();
        let clauses: String = world.scripts.commands().iter().filter_map(short_clause).collect();
        world.open_script(Source::new("abbreviations", clauses), Namespace::User, None);
        while world.next_script_event() != ScriptEvent::End {}
        world.close_script();
        world.scripts.allow_all();
    }

    /// Number of lines of standard input that goals have read.
    pub(crate) fn lines_taken(&self) -> usize {
        self.machine.world.input.n_lines
    }

    /// Lets goals show the sources in these folders.
    pub(crate) fn show_sources(&mut self, folders: &[PathBuf]) {
        self.machine.world.settings.source_folders = folders.to_vec();
    }

    /// Shows a prompt for goals that read lines interactively.
    pub(crate) fn show_prompts(&mut self) {
        self.machine.world.input.prompts = Prompts::Shown;
    }

    /// Lets goals read lines interactively through `ask`.
    pub(crate) fn ask_lines(&mut self, ask: Ask) {
        self.machine.world.input.ask(ask);
    }

    /// Interrupts goals that write to standard error, as they run before their turn.
    pub(crate) fn run_ahead(&mut self) {
        self.machine.world.settings.is_ahead = true;
    }

    /// Lets only the machine answer goals over events, which is slower but gives the same answers.
    pub(crate) fn solve_by_machine(&mut self) {
        self.machine.world.settings.solver = Solver::Machine;
    }

    /// Solves a goal of papaver's own and returns whether it succeeds. No message refers to a place in it.
    pub(crate) fn solve_once(&mut self, text: &str) -> Result<bool, Stopped> {
        let goals = self.goals();
        let goal = read_goal(text, &goals.operators, &goals.flags).expect("papaver's own goals are well-formed");
        let answer = self.query(&goal, &Source::new("", text))?.next().transpose()?;
        Ok(answer.is_some())
    }

    /// Starts a goal that was read from `source`; the query returns its answers one at a time.
    pub(crate) fn query(&mut self, goal: &ReadTerm, source: &Arc<Source>) -> Result<GoalAnswers<'_>, Stopped> {
        self.machine.world.store.watch.deadline = self.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        GoalAnswers::start(&mut self.machine, goal, source)
    }

    /// Why a goal stopped, in words; `None` if that is not an error.
    pub(crate) fn describe(&self, stop: &Stopped) -> Option<Complaint> {
        describe(stop, &self.machine.world)
    }

    /// All predicates that a goal can call, for completion and suggestions.
    pub(crate) fn predicates(&self) -> Vec<PredicateDoc> {
        let known: HashSet<(Atom, usize)> = self.machine.world.database.callable().collect();
        let doc = |(name, arity): (Atom, usize)| {
            let declared = self.machine.world.scripts.commands().iter();
            let mut declared =
                declared.filter(|command| name.as_str() == command.name && arity == command.arguments.len());
            let message = declared.next().map(|command| command.message.clone());
            let doc = message.or_else(|| DOCS.get(&(name, arity)).cloned()).unwrap_or_default();
            PredicateDoc { name: name.to_string(), arity, doc }
        };
        known.into_iter().map(doc).collect()
    }
}

/// The clause that defines the abbreviation of a script's command.
fn short_clause(command: &UserCommand) -> Option<String> {
    let variables: Vec<String> = (1..=command.arguments.len()).map(|number| format!("A{number}")).collect();
    let arguments = if variables.is_empty() { String::new() } else { format!("({})", variables.join(", ")) };
    let [short, name] = [&command.abbreviation, &command.name].map(|name| atom_text(name));
    (!command.abbreviation.is_empty()).then(|| format!("{short}{arguments} :- {name}{arguments}.\n"))
}

/// The first sentence of the documentation of each predicate that comes with papaver.
static DOCS: LazyLock<HashMap<(Atom, usize), String>> = LazyLock::new(|| {
    let in_rust = builtins::tables().map(|record| ((Atom::new(record.name), record.arity), record.doc.to_string()));
    let in_library = docs().map(|doc| ((Atom::new(doc.name()), doc.arity()), doc.summary().replace('\n', " ")));
    in_rust.chain(in_library).collect()
});
