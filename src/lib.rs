//! Papaver answers questions about an execution trace, in Prolog.
//!
//! # Bird's view
//!
//! A trace file is read once into one immutable relation of events ([`trace`]): a column for each attribute, a code for
//! whatever repeats, an index from calls to their events. Readers parse chunks of lines on every core; indexes, and columns
//! that follow from what a reader keeps, are made when they are first asked for. A goal is read from text ([`syntax`]), its
//! clauses are compiled to instructions, and a backtracking machine runs them ([`engine`]). The predicates that ask the
//! trace ([`builtins`]) compile a list of constraints into one pattern and let the trace search its columns, forwards or
//! backwards; a term is built only for what was found. The machine keeps a cursor, the event that a goal stands on, and
//! undoes its moves on backtracking as it undoes bindings. A [`session`] ties a machine to a trace; [`app`] is the command
//! around it.
//!
//! ```text
//! file --formats--> Trace --patterns--> events --builtins--> answers --output--> text, JSON, CSV
//! text --syntax---> Tree  --engine----> instructions --------^
//! ```
//!
//! # Embedding
//!
//! [`session::Session`] is the door for programs: open a trace, ask goals, check the assertions of a script. The example
//! `examples/embed/main.rs` does so in ten lines; [`session::Session::of_trace`] shows the first of them.
//!
//! # Floors
//!
//! A file imports from its own floor and from those below, never from above; `tests/it/tidy.rs` checks it.
//!
//! | floor | folder | what lives there |
//! |---|---|---|
//! | 6 | [`app`] | arguments, the commands, the prompt, exit statuses: all that touches the terminal |
//! | 5 | [`session`] | the one door of the library: open a trace, consult rules, put goals, check assertions |
//! | 4 | [`builtins`] | the predicates written in Rust, a file of records for each family; `library/*.pl` has those written in the language |
//! | 3 | [`engine`] | clauses, instructions, the machine and its store, control, arithmetic, ISO errors |
//! | 2 | [`formats`], [`output`] | how traces are written in files; how events, terms and traces are written |
//! | 1 | [`trace`], [`syntax`] | the relation, its patterns and its search; from text to terms, and messages about texts |
//! | 0 | [`term`], [`manual`] | symbols, terms outside the machine, operators, printing; the pages of the manual |
//!
//! The trace holds no terms (arguments are texts to it, read only where a constraint compares one), the engine knows no
//! predicate by name, a session never prints.
//!
//! # Glossary
//!
//! * **event**: one tuple of a trace. **chrono**: its number. **row**: its place in the relation, from 0.
//! * **call**: the number of the box that an event belongs to; all events of one invocation share it.
//! * **proc**: what was called, `[ProcType->][Module:]Name[/Arity][-Mode]`. **port**: kind of event.
//! * **attribute**: a column of the relation, declared once, by a row of [`trace::BASE`] or by the trace itself.
//! * **trace**: all events, read-only. **cursor**: the event that a goal stands on; at first before all of them.
//! * **constraint**: what one attribute must be. **pattern**: constraints that must all hold, compiled for one trace.
//! * **goal**: something to solve. **clause**: a fact or a rule. **answer**: one solution. **choice**: a place to come
//!   back to.
//! * **check**: an assertion, a clause `check(Name) :- Goal`. **witness**: an event that shows why it is violated.
//! * **property**: what an assertion of the vocabulary says. **subject**: an event that it is about. **stretch**: a part
//!   of the trace on which it must hold. **binding**: values that the variables of several lists of constraints take.
//! * **monitor**: a file that `collect/2` folds events with. **guest**: a script whose definitions count for one goal only.
//! * **live variable**: one that has a value at an event. **parameter**: a setting of event lines and moves. **hook**: a
//!   procedure that writes a part of an event line, and that scripts may define.
//! * **partner**: the call of another trace that is the same, and called in the same place.
//! * **log**: one file of a run that several processes or nodes have written. **transfer**: a send and its receive.
//! * **format**: how a trace is written in a file. **output**: how answers are written.
//! * **record**: the row of a constant table that defines a format, an output, an attribute or a predicate.
//! * **finding**: something wrong with a trace, with its rule and its line; reading goes on. **severity** of a rule: whether
//!   its findings are faults, warnings or notes.
//! * **move**: a predicate that puts the cursor on another event. **reason**: why a search found nothing, in words.
//!
//! # Where to add what
//!
//! | new thing | file | table line |
//! |---|---|---|
//! | trace format | `formats/NAME.rs` with a [`formats::Format`], and its page `NAME.md` beside it | [`formats::FORMATS`] |
//! | chapter of the manual | `manual/NAME.md` | [`manual::CHAPTERS`] |
//! | attribute that formats share | none | the table in `trace/schema.rs` |
//! | predicate in Rust | the file of its family in `builtins/` | `TABLE` of that file |
//! | family of predicates | `builtins/NAME.rs` with a `TABLE` | `FAMILIES` in `builtins/mod.rs` |
//! | predicate in the language | its file in `library/`, with a `%!` comment and an example | none |
//! | library file | `library/NAME.pl` | [`builtins::library::FILES`] |
//! | abbreviation | none | `ABBREVIATIONS` in `builtins/abbreviations.rs` |
//! | parameter | `builtins/trace/parameters.rs` | `TABLE` and `PARAMETERS` there |
//! | format that traces are converted to | `output/NAME.rs` | [`output::convert::TARGETS`] |
//! | command | `app/NAME.rs` | `Command` in `app/args.rs`, and its arm in `app/mod.rs` |
//! | example | `examples/FOLDER/NAME.pl` and `NAME.out` | none: the command stands in the script's first comment |
//!
//! A record carries its documentation and an example; help, completion, the manual and the tests read them from there. A
//! predicate's record also has its [`engine::Effect`], which the line `%@` of a `%!` comment names; nothing else lists
//! predicates by what they do.

pub mod app;
pub mod builtins;
pub mod engine;
pub mod formats;
pub mod manual;
pub mod output;
pub mod session;
pub mod syntax;
pub mod term;
pub mod trace;
