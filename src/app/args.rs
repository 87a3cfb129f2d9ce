//! The command line: its commands and options, and the help that explains them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use super::diff::DiffArgs;
#[cfg(unix)]
use super::record::{RecordArgs, RecorderArgs};
use super::sql::{SqlArgs, SqlDialect};
use super::units;
use crate::formats::{Format, SpanRule};
use crate::output::convert::TARGETS;
use crate::trace::nearest;
use crate::trace::threads::on_stack_of;

/// Search the trace of a program's execution with Prolog queries.
#[derive(Debug, Parser)]
#[command(name = "papaver", version, about, max_term_width = 100, args_conflicts_with_subcommands = true)]
#[command(disable_help_subcommand = true)]
#[command(subcommand_negates_reqs = true, after_help = examples::PROMPT)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) prompt: PromptArgs,
}

/// Without a command: the prompt, or goals from standard input if that is not a terminal.
#[derive(Args, Debug)]
pub(crate) struct PromptArgs {
    /// The trace to query; `-` is standard input. With several traces, each goal runs on each in turn
    #[arg(value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) lines: LineOptions,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What papaver can do besides opening the prompt.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print every answer of a goal
    Query(QueryArgs),
    /// Consult a script and run its main/0
    Run(RunArgs),
    /// Check the assertions of scripts against traces
    Check(CheckArgs),
    /// Show what a trace holds, and what is wrong with it
    Info(InfoArgs),
    /// Show where the time of a trace went: calls, durations and errors by procedure
    Stats(StatsArgs),
    /// Show where two traces differ
    Diff(DiffArgs),
    /// Show a trace in the browser, or write it as a page or a picture
    View(ViewArgs),
    /// Write a trace in another format
    Convert(ConvertArgs),
    /// Write traces to a folder of Parquet files, for DuckDB, Spark and other engines
    Export(ExportArgs),
    /// Print a goal as SQL, for an engine that queries an exported folder
    Sql(SqlArgs),
    /// Run a program and record what it does
    #[cfg(unix)]
    Record(RecordArgs),
    /// Print a recorder, for use by hand
    #[cfg(unix)]
    Recorder(RecorderArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page of the command line, or a chapter of the manual
    Man(ManArgs),
    /// Explain a command, a predicate, an attribute or a port, or open a chapter such as `constraints`
    Help(HelpArgs),
}

/// `papaver query`
#[derive(Args, Debug)]
#[command(after_help = examples::QUERY)]
pub(crate) struct QueryArgs {
    /// The goal, in Prolog; the dot at its end may be omitted
    pub(crate) goal: String,
    /// The trace to query; `-` is standard input. With several traces, the goal runs on each in turn
    #[arg(value_name = "TRACE", required = true)]
    pub(crate) traces: Vec<PathBuf>,
    /// Stop after the first answer
    #[arg(long, conflicts_with_all = ["max", "count"])]
    pub(crate) first: bool,
    /// Stop after N answers
    #[arg(short = 'n', value_name = "N", id = "max")]
    pub(crate) max: Option<usize>,
    /// Print only the number of answers
    #[arg(long)]
    pub(crate) count: bool,
    /// Print one answer about all traces, added up from those about each. The goal must begin with aggregate_all/3,
    /// tally/3, sum_by/4 or findall/3, or be counted
    #[arg(long, conflicts_with_all = ["follow", "around", "max", "first"])]
    pub(crate) total: bool,
    /// Print N events before and after the event of each answer
    #[arg(short = 'C', value_name = "N", id = "around", conflicts_with = "count")]
    pub(crate) around: Option<u32>,
    /// How to write the answers; `none` writes only what the goal prints
    #[arg(long, value_enum, default_value_t = AnswerForm::Text)]
    pub(crate) to: AnswerForm,
    /// Answer about each event as soon as it has been written, from a file or a pipe (`-`), until Ctrl-C. The goal must
    /// begin with event/1 or fget/1
    #[arg(long, conflicts_with = "count")]
    pub(crate) follow: bool,
    /// With --follow, take the trace as complete once nothing has been written to it for this long (5s, 500ms)
    #[arg(long, value_name = "TIME", requires = "follow", value_parser = units::time)]
    pub(crate) until_idle: Option<Duration>,
    /// Let an SQL engine answer, about folders that `papaver export` has written (`papaver help sql`)
    #[arg(long, value_enum, conflicts_with_all = ["follow", "around"])]
    pub(crate) engine: Option<SqlDialect>,
    /// With --engine, run COMMAND, which reads SQL and writes each row as a line of JSON, instead of Python
    #[arg(long, value_name = "COMMAND", requires = "engine")]
    pub(crate) engine_command: Option<String>,
    #[command(flatten)]
    pub(crate) lines: LineOptions,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `papaver run`
#[derive(Args, Debug)]
#[command(after_help = examples::RUN)]
pub(crate) struct RunArgs {
    /// The script, in Prolog; it should define main/0
    pub(crate) script: PathBuf,
    /// The trace that the script queries; with several traces, the script runs on each in turn, until it has itself asked
    /// about all of them
    #[arg(value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// The arguments that argv/1 returns to the script
    #[arg(last = true, value_name = "ARG")]
    pub(crate) args: Vec<OsString>,
    #[command(flatten)]
    pub(crate) lines: LineOptions,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `papaver check`
#[derive(Args, Debug)]
#[command(after_help = examples::CHECK)]
pub(crate) struct CheckArgs {
    /// Scripts (recognised by the extension `.pl`) with clauses `check(Name) :- Goal.`, and the traces to check; without a
    /// trace, what is wrong with the scripts is told: status 2 for errors, 1 for what is probably a mistake
    #[arg(required = true, num_args = 1.., value_name = "SCRIPT|TRACE")]
    pub(crate) files: Vec<PathBuf>,
    /// How to write the outcomes
    #[arg(long, value_enum, default_value_t = CheckForm::Text)]
    pub(crate) to: CheckForm,
    /// Write one outcome of each check about all traces together: on how many it holds, and where it is first violated
    #[arg(long, conflicts_with = "follow")]
    pub(crate) total: bool,
    /// End with status 1 at the first check that is violated
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Run the library's own checks for the format on each trace, before those of the scripts
    #[arg(long)]
    pub(crate) builtin: bool,
    /// Treat a check as violated if there was nothing to check, or if a word of it is probably misspelt
    #[arg(long)]
    pub(crate) no_vacuous: bool,
    /// Accept a trace without events, which is otherwise an error
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// Also write a page of the verdicts with their witnesses on the timeline, to be opened in a browser
    #[arg(long, value_name = "FILE", conflicts_with = "follow")]
    pub(crate) report: Option<PathBuf>,
    /// Read a trace that is still being written, from a file or a pipe (`-`), and report a violation as soon as nothing
    /// that follows can undo it. Event lines and JSON Lines are read once, for checks made of never, exists, always,
    /// precedes and responds; other formats are read again while they grow, for never, always, precedes, at_most, and
    /// `\+` or forall about events. Other checks are decided at the end; for these, papaver keeps everything that comes
    /// through a pipe
    #[arg(long)]
    pub(crate) follow: bool,
    /// With --follow, take the trace as complete once nothing has been written to it for this long (5s, 500ms); without
    /// this option, a file is complete at the first Ctrl-C
    #[arg(long, value_name = "TIME", requires = "follow", value_parser = units::time)]
    pub(crate) until_idle: Option<Duration>,
    /// Let an SQL engine find the events that decide, in a folder that `papaver export` has written (`papaver help sql`)
    #[arg(long, value_enum, conflicts_with_all = ["follow", "report", "builtin"])]
    pub(crate) engine: Option<SqlDialect>,
    /// With --engine, run COMMAND, which reads SQL and writes each row as a line of JSON, instead of Python
    #[arg(long, value_name = "COMMAND", requires = "engine")]
    pub(crate) engine_command: Option<String>,
    #[command(flatten)]
    pub(crate) lines: LineOptions,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `papaver info`
#[derive(Args, Debug)]
#[command(after_help = examples::INFO)]
pub(crate) struct InfoArgs {
    /// The trace to describe; `-` is standard input
    #[arg(value_name = "TRACE", required = true)]
    pub(crate) traces: Vec<PathBuf>,
    /// How to write the description
    #[arg(long, value_enum, default_value_t = InfoForm::Text)]
    pub(crate) to: InfoForm,
    /// Show how each key was read, what is missing and what looks wrong, for the author of a recorder
    #[arg(long, conflicts_with = "to")]
    pub(crate) lint: bool,
    /// List all values of ports and procedures and all findings, instead of the first 20 of each; of each severity 10,000
    /// findings are kept
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `papaver stats`
#[derive(Args, Debug)]
#[command(after_help = examples::STATS)]
pub(crate) struct StatsArgs {
    /// The trace to describe; `-` is standard input
    #[arg(value_name = "TRACE", required = true)]
    pub(crate) traces: Vec<PathBuf>,
    /// Group calls by the values of these attributes instead of by procedure: `service,name`. A trace without calls has
    /// its events counted
    #[arg(long, value_name = "ATTRIBUTES", value_delimiter = ',', default_value = "proc")]
    pub(crate) by: Vec<String>,
    /// Count only calls whose first event satisfies these constraints: `depth > 2 and name = order`
    #[arg(long = "where", value_name = "CONSTRAINTS")]
    pub(crate) constraints: Option<String>,
    /// Show one table about all traces together, as if they were put side by side
    #[arg(long)]
    pub(crate) total: bool,
    /// Show only the first N rows
    #[arg(short = 'n', value_name = "N")]
    pub(crate) most: Option<usize>,
    /// How to write the rows
    #[arg(long, value_enum, default_value_t = StatsForm::Table)]
    pub(crate) to: StatsForm,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `papaver view`
#[derive(Args, Debug)]
#[command(after_help = examples::VIEW)]
pub(crate) struct ViewArgs {
    /// The trace to show; `-` is standard input
    #[arg(value_name = "TRACE", required = true)]
    pub(crate) traces: Vec<PathBuf>,
    /// Show the answers of a goal as a layer and as a table; may be repeated
    #[arg(short, long, value_name = "GOAL")]
    pub(crate) goal: Vec<String>,
    /// Check the assertions of a script, and show the verdicts with their witnesses; may be repeated
    #[arg(long, value_name = "SCRIPT")]
    pub(crate) check: Vec<PathBuf>,
    /// Write a file instead of opening the browser: `.html` is a page that needs no server, `.svg` a picture
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Compare two traces: the page opens at their first difference, with both side by side
    #[arg(long)]
    pub(crate) compare: bool,
    /// Print the address of the page, but do not open the browser
    #[arg(long, conflicts_with = "output")]
    pub(crate) no_open: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `papaver convert`
#[derive(Args, Debug)]
#[command(after_help = examples::CONVERT)]
pub(crate) struct ConvertArgs {
    /// The trace to read; `-` is standard input. Several traces need `--merge`
    #[arg(value_name = "TRACE", required = true)]
    pub(crate) traces: Vec<PathBuf>,
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    /// The format to write; by default, the extension of FILE decides, and standard output gets jsonl
    #[arg(long, value_name = "FORMAT", value_parser = target_names())]
    pub(crate) to: Option<String>,
    /// Write only the events for which GOAL holds, and those that open and close their calls: constraints such as
    /// `port = exit and depth > 2`, or a goal about the current event
    #[arg(long = "where", value_name = "GOAL")]
    pub(crate) wanted: Option<String>,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `papaver export`
#[derive(Args, Debug)]
#[command(after_help = examples::EXPORT)]
pub(crate) struct ExportArgs {
    /// The traces to read; `-` is standard input
    #[arg(value_name = "TRACE", required = true)]
    pub(crate) traces: Vec<PathBuf>,
    /// The folder to write; it must not exist, or be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Replace a folder that was exported before
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `papaver completions`
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell to complete for
    pub(crate) shell: clap_complete::Shell,
}

/// `papaver man`
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The chapter, such as `tour`; `predicates` lists every predicate. Without a chapter, print the manual page of the
    /// command line, in roff
    pub(crate) topic: Option<String>,
}

/// `papaver help`
#[derive(Args, Debug)]
pub(crate) struct HelpArgs {
    /// What to explain; without a topic, list all topics
    pub(crate) topic: Option<String>,
}

/// Options of every command that reads a trace.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Common {
    /// Consult rules from FILE first; may be repeated
    #[arg(short = 'l', long = "load", value_name = "FILE")]
    pub(crate) load: Vec<PathBuf>,
    /// Take the derived trace NAME, which a script declares (`papaver help derived`), in place of that of the file
    #[arg(long, value_name = "NAME")]
    pub(crate) on: Option<String>,
    /// Let goals read the sources of the traced program in DIR (listing/2, call_site_cov/2); may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) source_dir: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingOptions,
    #[command(flatten)]
    pub(crate) goals: GoalOptions,
    /// Whether to colour output to a terminal
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto)]
    pub(crate) color: When,
    /// Print no notes and no warnings
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// How traces are read.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ReadingOptions {
    /// The format of the trace; without this option, it is detected
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// Read lines of JSON as the maps in FILE say (`papaver help maps`); a map is a few clauses in Prolog
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    pub(crate) map: Option<PathBuf>,
    /// Merge the traces into one, as logs of one run: in causal order for seqtrace, by the attribute `time` for other
    /// formats
    #[arg(long)]
    pub(crate) merge: bool,
    /// In a POSIX trace, make a box of each event named OPEN and the event named CLOSE that follows it with the same value
    /// of the attribute KEY, or of several: `job_get,job_done,pid+tid`; may be repeated
    #[arg(long, value_name = "OPEN,CLOSE,KEY", value_parser = SpanRule::parse)]
    pub(crate) span: Vec<SpanRule>,
    /// Read from FILE which events the tracer of an LTTng trace lost: what babeltrace2 wrote to standard error; without this
    /// option, from `X.stderr.txt` beside `X.txt`
    #[arg(long, value_name = "FILE")]
    pub(crate) losses: Option<PathBuf>,
    /// Refuse a trace with lines that are not events, or with other faults or warnings found while loading
    #[arg(long)]
    pub(crate) strict: bool,
    /// Let `query` search a file of event lines as grep does, without checking the lines that it does not need: faster, but
    /// answers may be wrong if those lines are irregular
    #[arg(long, conflicts_with = "strict")]
    pub(crate) trust: bool,
}

impl ReadingOptions {
    /// The name of the format that the options request.
    pub(crate) fn format(&self) -> Option<&str> {
        let of_map = self.map.as_ref().and_then(|_| Format::of_maps());
        of_map.map(|format| format.name).or(self.from.as_deref())
    }
}

/// How goals are answered, and what they may take.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct GoalOptions {
    /// Let goals be answered in one way only, for tests that compare them
    #[arg(long, value_enum, value_name = "EXECUTOR", hide = true)]
    pub(crate) executor: Option<Executor>,
    /// Read answers to the questions of debug_wrong_answer/1 from FILE, and add new answers to it
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
    /// The longest time that one goal may take: `10`, `500ms`, `2m`
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub(crate) time_limit: Option<Duration>,
    /// The most memory that goals may take: `512M`, `2G`, `none`; by default, half of the free memory. As much of the trace
    /// stays in memory, and the rest goes to a temporary file
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    pub(crate) memory_limit: Option<units::MemoryLimit>,
}

/// Options of every command that prints event lines.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LineOptions {
    /// Show these attributes at the end of event lines: `dur,result`
    #[arg(long, value_name = "ATTRIBUTES", value_delimiter = ',')]
    pub(crate) show: Vec<String>,
}

/// What answers a goal; all of them give the same answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Executor {
    /// An excerpt of the file, for `query`; it is an error if the goal or the file allows none
    Excerpt,
    /// The whole file, by columns where possible
    Whole,
    /// The whole file, and the machine alone
    Machine,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How `query` writes answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerForm {
    /// One answer per line, as at the prompt
    Text,
    /// One object per line
    Json,
    /// One row per answer, one column per variable. Without variables, the only column is `chrono`, the number of the
    /// event that the goal moved to; if it has not moved, the only column is `answer`, always `true`
    Csv,
    /// A table: one row per answer, one column per variable, as CSV
    Table,
    /// Nothing but what the goal itself prints
    None,
}

/// How `check` writes outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckForm {
    /// One line per check, with the witnesses of violations
    Text,
    /// One object per line
    Json,
    /// Test Anything Protocol, version 14
    Tap,
    /// JUnit XML
    Junit,
    /// Annotations for GitHub Actions
    Github,
}

/// How `info` writes a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InfoForm {
    /// For people
    Text,
    /// One object per trace
    Json,
}

/// How `stats` writes its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatsForm {
    /// For people, with times in ns, µs, ms and s
    Table,
    /// With a heading, times in the unit of the trace
    Csv,
    /// One object per row, times in the unit of the trace
    Json,
}

fn target_names() -> PossibleValuesParser {
    PossibleValuesParser::new(TARGETS.iter().map(|target| target.name))
}

/// Reads the command line; wrong usage, `--help` and `--version` give an error that can print itself.
pub(crate) fn parse(arguments: &[OsString]) -> Result<CommandLine, clap::Error> {
    on_stack_of(STACK, || {
        let matches = CommandLine::command().try_get_matches_from(arguments)?;
        CommandLine::from_arg_matches(&matches)
    })
}

/// Bytes of stack for the derived code: in a debug build, it takes kilobytes for each option.
const STACK: usize = 4 << 20;

/// The command that the user probably meant, if the first argument is a word that is neither a command nor a file.
pub(crate) fn misspelt_command(arguments: &[OsString]) -> Option<String> {
    let word = arguments.get(1)?.to_str().filter(|word| word.chars().all(char::is_alphanumeric))?;
    let definition = definition();
    let mut names = definition.get_subcommands().map(clap::Command::get_name);
    if names.any(|name| name == word) || std::path::Path::new(word).exists() {
        return None;
    }
    nearest(word, definition.get_subcommands().map(clap::Command::get_name)).map(str::to_string)
}

/// The definition, for completions and the manual page.
pub(crate) fn definition() -> clap::Command {
    on_stack_of(STACK, CommandLine::command)
}

/// What each help text shows below the options.
mod examples {
    pub(crate) const PROMPT: &str = "\
Examples:
  papaver queens.trace                                      the prompt
  papaver query 'fget([port=exit, proc=queen/2])' queens.trace
  papaver run report.pl queens.trace
  papaver check rules.pl queens.trace
  echo 'event([port=fail, depth=D]), D > 9.' | papaver queens.trace

At the prompt `help.` lists the topics and `help(fget).` explains a predicate.
Exit status: 0 with an answer, 1 with none, 2 for an error, 130 if interrupted.";

    pub(crate) const QUERY: &str = "\
Examples:
  papaver query 'fget([port=exit, proc=queen/2])' queens.trace      the events that match
  papaver query 'event([port=exit])' queens.trace --count           how many
  papaver query 'event([depth=D]), D > 9' queens.trace --first --to json
  papaver query 'fget([port=exception])' run.jsonl.gz -C 3          with three events around each
  papaver query -l rules.pl 'slow(Call, N)' queens.trace --to csv
  papaver query --follow 'fget([port=exception])' run.jsonl         as they are written
  papaver query --merge 'latency(Call, Ns)' a.raw b.raw             the logs of one run as one trace

Exit status: 0 with an answer, 1 with none, 2 for an error, 130 if interrupted.";

    pub(crate) const RUN: &str = "\
Examples:
  papaver run report.pl queens.trace
  papaver run compare.pl old.trace new.trace -- 10       argv(['10'])

Exit status: 0 if main/0 succeeds, 1 if it fails, N after halt(N), 2 for an error, 130 if interrupted.";

    pub(crate) const CHECK: &str = "\
A script:
  check('every queen/2 exits') :-
      forall(event([port=call, proc=queen/2, call=C]), event([port=exit, call=C])).

Examples:
  papaver check rules.pl queens.trace
  papaver check rules.pl more.pl *.trace --to junit > report.xml
  papaver check --total rules.pl runs                   all traces of a folder together
  papaver check --builtin run.trace                     what should hold of most traces
  program | papaver check --follow rules.pl -           while it runs
  papaver check --follow --until-idle 10s rules.pl run.jsonl
  papaver check --engine duckdb rules.pl queens.parquet     about an exported folder of any size

Exit status: 0 if all hold, 1 if one is violated, 2 if one could not be decided, 130 if interrupted.";

    pub(crate) const INFO: &str = "\
Examples:
  papaver info queens.trace
  papaver info *.jsonl.zst --to json

A finding is a fault (the trace breaks a rule of its format), a warning (it may be sound, but says
less than it could) or a note (it is sound). --strict refuses traces with faults or warnings;
`check --builtin` fails only on faults. The heading `structure` lists events that do not fit the
boxes of their calls; an excerpt of a good trace may have such events, so --strict accepts them.";

    pub(crate) const STATS: &str = "\
Examples:
  papaver stats shop.jsonl                              by procedure, the greatest self time first
  papaver stats shop.jsonl --by service,name -n 10
  papaver stats queens.trace --where 'depth > 3' --to csv
  papaver stats --total runs                            all traces of a folder together

`total` is the time in which calls of a row ran, without what runs inside another call of the row;
`self` the time in which none of their children ran; p50, p95, p99 and max are durations of one
call. Times are in the unit of the trace, or in events if it has no times.";

    pub(crate) const VIEW: &str = "\
Examples:
  papaver view queens.trace                             opens the browser
  papaver view queens.trace -g 'event([port=exit, proc=queen/2])' --check rules.pl
  papaver view big.jsonl -o big.html                    one file, to attach to a report
  papaver view queens.trace -o queens.svg               the timeline as a picture

The page comes from this process, at an address of this machine that only you know; Ctrl-C ends it.
A file needs neither papaver nor the network, and the same input gives the same bytes. Of a large
trace it holds what fits in 8 MB: every box at a coarse scale, and the events that matter most.";

    pub(crate) const EXPORT: &str = "\
Examples:
  papaver export queens.trace -o lake
  papaver export monday/*.jsonl -o lake --force

`papaver man engines` says what the folder holds. A trace that cannot be read is an error, and the others are exported.";

    pub(crate) const CONVERT: &str = "\
Examples:
  papaver convert queens.trace -o queens.jsonl
  papaver convert queens.trace -o queens.papaver
  papaver convert big.jsonl.gz --to csv | head
  papaver convert queens.trace --where 'name = qdelete' -o qdelete.trace
  papaver convert -l rules.pl --on requests shop.jsonl -o requests.jsonl

With --where, events and calls keep their numbers, and depths count the calls that are left.
A .papaver file is a saved trace: every command opens it instantly, and does not need the original text.";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command_line(words: &[&str]) -> Result<CommandLine, clap::Error> {
        parse(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn definition_is_consistent() {
        definition().debug_assert();
    }

    #[test]
    fn traces_without_a_command_are_for_the_prompt() {
        let line = command_line(&["papaver", "a.trace", "b.trace", "-q"]).unwrap();
        assert!(line.command.is_none());
        assert_eq!(line.prompt.traces.len(), 2);
        assert!(line.prompt.common.quiet);
    }

    #[test]
    fn arguments_of_a_script_stand_after_two_dashes() {
        let line = command_line(&["papaver", "run", "s.pl", "a.trace", "--", "-x", "1"]).unwrap();
        let Some(Command::Run(run)) = line.command else { panic!("not `run`") };
        assert_eq!(run.traces.len(), 1);
        assert_eq!(run.args, ["-x", "1"]);
    }

    #[test]
    fn a_query_needs_a_trace() {
        assert_eq!(command_line(&["papaver", "query", "true"]).unwrap_err().exit_code(), 2);
    }
}
