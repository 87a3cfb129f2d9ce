//! Papaver answers Prolog queries about the trace of a program's execution.
//!
//! # Overview
//!
//! Papaver reads a trace file once, into one immutable relation of events (`trace`): one column per attribute, with
//! repeated values stored as codes, and an index from each call to its events. Readers parse chunks of lines on all
//! cores. Indexes and derived columns are lazy: the first use computes them.
//!
//! A goal is parsed (`syntax`), compiled to instructions of an abstract machine, and run with backtracking (`engine`).
//! The predicates that search the trace (`builtins`) compile a list of constraints into one pattern. The trace then
//! scans its columns for matching events, forwards or backwards, and the predicates build terms for those events only.
//! The machine also keeps a cursor, the current event of a goal; backtracking undoes moves of the cursor just as it
//! undoes bindings. A `session` connects a machine to a trace, and `app` is the command line around it.
//!
//! ```text
//! file --formats--> Trace --patterns--> events --builtins--> answers --output--> text, JSON, CSV
//! text --syntax---> Tree  --engine----> instructions --------^
//! ```
//!
//! # Embedding
//!
//! Other programs use papaver through [`Session`]: they open a trace, run goals and check the assertions of a
//! script. [`Session::of_trace`] shows how to run a goal; `examples/embed/main.rs` does all three in ten
//! lines.
//!
//! # Floors
//!
//! The source is divided into floors, numbered from the bottom up. A file imports from its own floor and from lower
//! ones, never from a higher one. A large floor is divided into rooms: the folders or files that its `mod.rs` lists. A
//! room imports only from the rooms above it in that list. `tests/it/tidy.rs` checks both rules.
//!
//! | floor | folder | contents |
//! |---|---|---|
//! | 6 | `app` | arguments, commands, the prompt, exit statuses: everything that uses the terminal |
//! | 6 | `fuzz` | what the fuzz targets do with an input; only in builds for tests and fuzzing |
//! | 5 | `session` | the interface of the library: open a trace, consult rules, run goals, check assertions |
//! | 5 | `sql` | goals as SQL, for engines that query an exported folder |
//! | 5 | `view` | the timeline of a trace at any scale, its events and pictures, and the page that shows them |
//! | 4 | `builtins` | predicates: in Rust, with one file of records per family, and in Prolog, in `library/*.pl` |
//! | 3 | `engine` | clauses, the compiler, the machine and its store, control, arithmetic, ISO errors |
//! | 2 | `formats`, `output`, `recorders` | readers of trace files; writers of events, terms and traces; files that record programs |
//! | 1 | `trace`, `syntax` | the relation, patterns and search; the parser and its diagnostics |
//! | 0 | `term`, [`manual`] | atoms, terms outside the machine, operators, printing; the pages of the manual |
//! | 0 | `spill` | memory beyond what is free, in temporary files |
//!
//! The trace holds no terms: it keeps arguments as text, and parses an argument only when a constraint compares it. The
//! engine knows no predicate by name. A session never prints.
//!
//! # Glossary
//!
//! * **event**: one tuple of a trace. **chrono**: its number. **row**: its position in the relation, counted from 0.
//! * **call**: the number of an invocation, shared by all its events. **box**: all events of one invocation.
//! * **port**: the kind of event (`call`, `exit`, ...). **proc**: the procedure,
//!   `[ProcType->][Module:]Name[/Arity][-Mode]`.
//! * **attribute**: a column of the relation, declared by a row of `trace::BASE` or by the trace.
//! * **trace**: all events, read-only. **cursor**: the current event of a goal; initially it is before the first event.
//! * **constraint**: a condition on one attribute. **pattern**: a conjunction of constraints, compiled for one trace.
//! * **goal**: a query. **clause**: a fact or a rule. **answer**: one solution. **choice point**: where backtracking
//!   resumes.
//! * **check**: an assertion, written as a clause `check(Name) :- Goal`. **witness**: an event that shows a violation.
//! * **property**: the condition that an assertion such as `responds/2` states. **subject**: an event to which it
//!   applies. **stretch**: the part of the trace in which it must hold. **binding**: values for the variables that
//!   several lists of constraints share.
//! * **monitor**: a file that defines a fold over events, for `collect/2`. **guest**: a script whose definitions last
//!   for one goal only.
//! * **live variable**: a variable that has a value at an event. **parameter**: a setting for event lines or moves.
//!   **hook**: a procedure that a script may define to write part of an event line.
//! * **derived trace**: a trace whose events are made of the solutions of a goal on another trace, its **source**.
//!   **origin**: the event of the source of which an event is made.
//! * **partner**: the corresponding call in another trace, or the other event of a transfer. **transfer**: a send and
//!   its receive. **log**: one of several files written by one run.
//! * **format**: a file format of traces. **output**: a form in which answers are written. **record**: a row of a
//!   constant table; it defines a format, an output, a recorder, an attribute or a predicate. **recorder**: what writes a
//!   trace of a program while it runs.
//! * **finding**: a defect of a trace, reported with the rule it breaks and its line; it does not stop reading.
//!   **severity**: whether findings of a rule are faults, warnings or notes.
//! * **timeline**: the picture of a trace over the numbers or the times of its events. Its **rows** are processes, threads,
//!   nodes, agents or services; a row has **lanes**. **slice**: a stretch of events in which a box is active, on a lane.
//!   **tile**: a part of the timeline at one scale. **layer**: the answers of a goal on the page.
//! * **move**: a predicate that changes the cursor. **reason**: the explanation of an empty answer.
//!
//! # Where to add what
//!
//! | new thing | file | table line |
//! |---|---|---|
//! | trace format | `formats/NAME.rs` with a `formats::Format`, its page `NAME.md` beside it, and its target in `tests/fuzz` | `formats::FORMATS` |
//! | recorder | `recorders/NAME.rs` with a `recorders::Recorder`, its file and its page `NAME.md` beside it | `recorders::RECORDERS` |
//! | chapter of the manual | `manual/NAME.md` | `manual::CHAPTERS` |
//! | attribute that formats share | none | the table in `trace/event/schema.rs` |
//! | predicate in Rust | the file of its family in `builtins/` | `TABLE` of that file |
//! | family of predicates | `builtins/ROOM/NAME.rs` with a `TABLE` | `FAMILIES` in `builtins/mod.rs` |
//! | predicate in Prolog | its file in `library/`, with a `%!` comment and an example | none |
//! | library file | `library/NAME.pl` | none: `build.rs` lists the folder |
//! | abbreviation | none | `ABBREVIATIONS` in `builtins/catalogue/abbreviations.rs` |
//! | parameter | `builtins/trace/commands/parameters.rs` | `TABLE` and `PARAMETERS` there |
//! | picture on the page of `view` | `view/NAME.rs` with a `PictureKind`, drawn by `view/page/pictures/NAME.js` | `view::picture::PICTURES` |
//! | format that `convert` writes | `output/NAME.rs` | `output::convert::TARGETS` |
//! | command | `app/NAME.rs` | `Command` in `app/args.rs`, and its arm in `app/mod.rs` |
//! | example | `examples/FOLDER/NAME.pl` and `NAME.out` | none: the script's first comment holds the command |
//!
//! A record carries its documentation and an example; help, completion, the manual and the tests read both. The record
//! of a predicate also states its `engine::Effect`; a predicate written in Prolog states it in a `%@` line of its `%!`
//! comment.

#![warn(unreachable_pub)]

mod app;
mod builtins;
mod engine;
mod formats;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod manual;
mod output;
#[cfg(unix)]
mod recorders;
mod session;
mod spill;
mod sql;
mod syntax;
mod term;
mod trace;
mod view;

pub use app::run;
pub use session::{Answer, Answers, AskError, Check, Limits, Moves, Options, Outcome, Session, Verdict};
pub use spill::SpillAllocator;
