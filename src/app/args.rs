//! The command line: what may be written, and the help that explains it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::formats::SpanRule;
use crate::output::convert::TARGETS;
use crate::trace::nearest;

/// Ask questions, in Prolog, to the trace of an execution.
#[derive(Debug, Parser)]
#[command(name = "papaver", version, about, max_term_width = 100, args_conflicts_with_subcommands = true)]
#[command(disable_help_subcommand = true)]
#[command(subcommand_negates_reqs = true, after_help = examples::PROMPT)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub prompt: PromptArgs,
}

/// Without a command: the prompt, or goals from standard input if that is no terminal.
#[derive(Args, Debug)]
pub struct PromptArgs {
    /// The trace to ask; `-` is standard input. With several, each goal is put to each in turn
    #[arg(value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    #[command(flatten)]
    pub lines: Lines,
    #[command(flatten)]
    pub common: Common,
}

/// What papaver can do beside the prompt.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print every answer of a goal
    Query(QueryArgs),
    /// Consult a script and run its main/0
    Run(RunArgs),
    /// Check the assertions of scripts against traces
    Check(CheckArgs),
    /// Tell what a trace holds, and what is wrong with it
    Info(InfoArgs),
    /// Write a trace in another format
    Convert(ConvertArgs),
    /// Print the completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page of the command line, or a chapter of the manual
    Man(ManArgs),
    /// Explain a command, a predicate, an attribute, a port, or open a chapter such as `constraints`
    Help(HelpArgs),
}

/// `papaver query`
#[derive(Args, Debug)]
#[command(after_help = examples::QUERY)]
pub struct QueryArgs {
    /// The goal, in Prolog; its end dot may be missing
    pub goal: String,
    /// The trace to ask; `-` is standard input. With several, the goal is put to each in turn
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<PathBuf>,
    /// Stop after the first answer
    #[arg(long, conflicts_with_all = ["max", "count"])]
    pub first: bool,
    /// Stop after N answers
    #[arg(short = 'n', value_name = "N", id = "max")]
    pub max: Option<usize>,
    /// Print the number of answers only
    #[arg(long)]
    pub count: bool,
    /// Print N events before and after the event of each answer
    #[arg(short = 'C', value_name = "N", id = "around", conflicts_with = "count")]
    pub around: Option<u32>,
    /// How to write the answers; `none` writes only what the goal prints
    #[arg(long, value_enum, default_value_t = AnswerForm::Text)]
    pub to: AnswerForm,
    #[command(flatten)]
    pub lines: Lines,
    #[command(flatten)]
    pub common: Common,
}

/// `papaver run`
#[derive(Args, Debug)]
#[command(after_help = examples::RUN)]
pub struct RunArgs {
    /// The script, in Prolog; it should define main/0
    pub script: PathBuf,
    /// The trace that the script asks; with several, the script runs on each in turn
    #[arg(value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// What the script finds with argv/1
    #[arg(last = true, value_name = "ARG")]
    pub args: Vec<OsString>,
    #[command(flatten)]
    pub lines: Lines,
    #[command(flatten)]
    pub common: Common,
}

/// `papaver check`
#[derive(Args, Debug)]
#[command(after_help = examples::CHECK)]
pub struct CheckArgs {
    /// Scripts (by their ending `.pl`) with clauses `check(Name) :- Goal.`, and the traces to check
    #[arg(required = true, num_args = 1.., value_name = "SCRIPT|TRACE")]
    pub files: Vec<PathBuf>,
    /// How to write the outcome
    #[arg(long, value_enum, default_value_t = CheckForm::Text)]
    pub to: CheckForm,
    /// Put the library's own checks for the format to each trace, before those of the scripts
    #[arg(long)]
    pub builtin: bool,
    /// Count a check that holds only because there was nothing to check as violated
    #[arg(long)]
    pub no_vacuous: bool,
    /// Let checks hold on a trace without events, which is an error otherwise
    #[arg(long)]
    pub allow_empty: bool,
    /// Read a trace that is still written, from a file or a pipe (`-`), and report a violation as soon as nothing that
    /// follows can undo it. This is so for checks made of never, exists, always, precedes and responds on event lines
    /// and JSON lines; other checks and formats wait for the end, and of a pipe all is kept for them
    #[arg(long)]
    pub follow: bool,
    /// With --follow, take the trace for complete when nothing has come for so long (5s, 500ms); without it a file is
    /// complete at the first Ctrl-C
    #[arg(long, value_name = "TIME", requires = "follow", value_parser = units::time)]
    pub until_idle: Option<Duration>,
    #[command(flatten)]
    pub lines: Lines,
    #[command(flatten)]
    pub common: Common,
}

/// `papaver info`
#[derive(Args, Debug)]
#[command(after_help = examples::INFO)]
pub struct InfoArgs {
    /// The trace to describe; `-` is standard input
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<PathBuf>,
    /// How to write the description
    #[arg(long, value_enum, default_value_t = InfoForm::Text)]
    pub to: InfoForm,
    /// Tell what each key was taken for, what is missing and what looks wrong, for the writer of a recorder
    #[arg(long, conflicts_with = "to")]
    pub lint: bool,
    #[command(flatten)]
    pub common: Common,
}

/// `papaver convert`
#[derive(Args, Debug)]
#[command(after_help = examples::CONVERT)]
pub struct ConvertArgs {
    /// The trace to read; `-` is standard input. Several only with `--merge`
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<PathBuf>,
    /// The file to write; without it, or for `-`, standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// The format to write, if the ending of FILE does not tell; to standard output jsonl
    #[arg(long, value_name = "FORMAT", value_parser = target_names())]
    pub to: Option<String>,
    #[command(flatten)]
    pub common: Common,
}

/// `papaver completions`
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell to complete for
    pub shell: clap_complete::Shell,
}

/// `papaver man`
#[derive(Args, Debug)]
pub struct ManArgs {
    /// The chapter, such as `tour`; `predicates` lists every predicate. Without it, the command line as a roff page
    pub topic: Option<String>,
}

/// `papaver help`
#[derive(Args, Debug)]
pub struct HelpArgs {
    /// What to explain; without it, what there is
    pub topic: Option<String>,
}

/// Options of every command that reads a trace.
#[derive(Args, Clone, Debug, Default)]
pub struct Common {
    /// Consult rules from FILE first; may be repeated
    #[arg(short = 'l', long = "load", value_name = "FILE")]
    pub load: Vec<PathBuf>,
    /// Let goals read the sources of the traced program in DIR (listing/2, call_site_cov/2); may be repeated
    #[arg(long, value_name = "DIR")]
    pub source_dir: Vec<PathBuf>,
    /// The format of the trace, instead of detecting it
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<String>,
    /// Read the traces as the logs of one run: by causes for seqtrace, by the attribute `time` for the others
    #[arg(long)]
    pub merge: bool,
    /// Of a POSIX trace, make a box of each event named OPEN and the event named CLOSE that follows it with the same value
    /// of the attribute KEY: `job_get,job_done,tid`; may be repeated
    #[arg(long, value_name = "OPEN,CLOSE,KEY", value_parser = SpanRule::parse)]
    pub span: Vec<SpanRule>,
    /// Make lines that are no events, and other faults and warnings met while loading, an error
    #[arg(long)]
    pub strict: bool,
    /// Let `query` search a file of event lines as grep does, believing that lines it does not need are as they should be:
    /// faster, and wrong where they are not
    #[arg(long, conflicts_with = "strict")]
    pub trust: bool,
    /// Let goals be answered in one way only, for tests that compare them
    #[arg(long, value_enum, value_name = "EXECUTOR", hide = true)]
    pub executor: Option<Executor>,
    /// Where answers to the questions of debug_wrong_answer/1 are read from, and added to
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// The longest time that one goal may take: `10`, `500ms`, `2m`
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub time_limit: Option<Duration>,
    /// The most memory that goals may take: `512M`, `2G`, `none`; half of what is free if not given
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    pub memory_limit: Option<units::Memory>,
    /// Whether to colour what is written to a terminal
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto)]
    pub color: When,
    /// Print no notes and no warnings
    #[arg(short, long)]
    pub quiet: bool,
}

/// Options of every command that prints event lines.
#[derive(Args, Clone, Debug, Default)]
pub struct Lines {
    /// Show these attributes at the end of event lines: `dur,result`
    #[arg(long, value_name = "ATTRIBUTES", value_delimiter = ',')]
    pub show: Vec<String>,
}

/// Who answers a goal; all give the same answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Executor {
    /// An excerpt of the file, for `query`; a goal or a file for which there is none is an error
    Excerpt,
    /// The whole file, by columns where they can
    Whole,
    /// The whole file, and the machine alone
    Machine,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum When {
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
pub enum AnswerForm {
    /// An answer a line, as at the prompt
    Text,
    /// An object a line
    Json,
    /// A row an answer, a column a variable; without variables `chrono` of the event moved to, else `answer`, `true`
    Csv,
    /// Nothing but what the goal itself prints
    None,
}

/// How `check` writes outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckForm {
    /// A line a check, with the witnesses of those violated
    Text,
    /// An object a line
    Json,
    /// Test Anything Protocol, version 14
    Tap,
    /// JUnit XML
    Junit,
    /// Annotations of GitHub Actions
    Github,
}

/// How `info` writes a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InfoForm {
    /// For people
    Text,
    /// An object a trace
    Json,
}

fn target_names() -> PossibleValuesParser {
    PossibleValuesParser::new(TARGETS.iter().map(|target| target.name))
}

/// Reads the command line; wrong usage, `--help` and `--version` come back as an error that can print itself.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<CommandLine, clap::Error> {
    let matches = CommandLine::command().try_get_matches_from(arguments)?;
    CommandLine::from_arg_matches(&matches)
}

/// The command that was meant, if the first argument is a word that is neither a command nor a file.
pub fn misspelt_command(arguments: &[OsString]) -> Option<String> {
    let word = arguments.get(1)?.to_str().filter(|word| word.chars().all(char::is_alphanumeric))?;
    let definition = definition();
    let mut names = definition.get_subcommands().map(clap::Command::get_name);
    if names.any(|name| name == word) || std::path::Path::new(word).exists() {
        return None;
    }
    nearest(word, definition.get_subcommands().map(clap::Command::get_name)).map(str::to_string)
}

/// The definition, for completions and the manual page.
pub fn definition() -> clap::Command {
    CommandLine::command()
}

/// Amounts with units.
pub mod units {
    use std::time::Duration;

    /// What `--memory-limit` says.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Memory {
        /// At most this many bytes.
        Bytes(u64),
        /// No limit.
        Unlimited,
    }

    /// A time: seconds, or a number with `ms`, `s`, `m` or `h`.
    pub fn time(text: &str) -> Result<Duration, String> {
        let (number, unit) = split(text);
        let seconds = match unit {
            "" | "s" => 1.0,
            "ms" => 0.001,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return Err(format!("expected a time like `10`, `500ms` or `2m`, found `{text}`")),
        };
        let number: f64 =
            number.parse().map_err(|_| format!("expected a time like `10` or `500ms`, found `{text}`"))?;
        Duration::try_from_secs_f64(number * seconds).map_err(|_| format!("`{text}` is too long a time"))
    }

    /// A size: bytes, or a number with `K`, `M`, `G` or `T` (powers of 1024), or `none`.
    pub fn memory(text: &str) -> Result<Memory, String> {
        if text == "none" {
            return Ok(Memory::Unlimited);
        }
        let wrong = || format!("expected a size like `512M`, `2G` or `none`, found `{text}`");
        let (number, unit) = split(text);
        let shift = match unit.trim_end_matches(['B', 'b']).trim_end_matches('i') {
            "" => 0,
            "K" | "k" => 10,
            "M" | "m" => 20,
            "G" | "g" => 30,
            "T" | "t" => 40,
            _ => return Err(wrong()),
        };
        let number: u64 = number.parse().map_err(|_| wrong())?;
        number.checked_mul(1 << shift).map(Memory::Bytes).ok_or_else(wrong)
    }

    fn split(text: &str) -> (&str, &str) {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        (&text[..end], text[end..].trim())
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn times_have_units() {
            assert_eq!(time("10"), Ok(Duration::from_secs(10)));
            assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
            assert_eq!(time("1.5m"), Ok(Duration::from_secs(90)));
            assert!(time("soon").is_err());
            assert!(time("5 days").is_err());
        }

        #[test]
        fn sizes_have_units() {
            assert_eq!(memory("512M"), Ok(Memory::Bytes(512 << 20)));
            assert_eq!(memory("2GiB"), Ok(Memory::Bytes(2 << 30)));
            assert_eq!(memory("none"), Ok(Memory::Unlimited));
            assert!(memory("99999999T").is_err());
            assert!(memory("much").is_err());
        }
    }
}

/// What stands under the options in each help text.
mod examples {
    pub const PROMPT: &str = "\
Examples:
  papaver queens.trace                                      the prompt
  papaver query 'fget([port=exit, proc=queen/2])' queens.trace
  papaver run report.pl queens.trace
  papaver check rules.pl queens.trace
  echo 'event([port=fail, depth=D]), D > 9.' | papaver queens.trace

At the prompt `help.` tells what can be asked and `help(fget).` explains a predicate.
Exit status: 0 answered, 1 not, 2 error, 130 interrupted.";

    pub const QUERY: &str = "\
Examples:
  papaver query 'fget([port=exit, proc=queen/2])' queens.trace      the events that match
  papaver query 'event([port=exit])' queens.trace --count           how many
  papaver query 'event([depth=D]), D > 9' queens.trace --first --to json
  papaver query 'fget([port=exception])' run.jsonl.gz -C 3          with three events around each
  papaver query -l rules.pl 'slow(Call, N)' queens.trace --to csv
  papaver query --merge 'latency(Call, Ns)' a.raw b.raw             the logs of one run as one trace

Exit status: 0 with an answer, 1 with none, 2 for an error, 130 if interrupted.";

    pub const RUN: &str = "\
Examples:
  papaver run report.pl queens.trace
  papaver run compare.pl old.trace new.trace -- 10       argv(['10'])

Exit status: 0 if main/0 succeeds, 1 if it fails, N after halt(N), 2 for an error, 130 if interrupted.";

    pub const CHECK: &str = "\
A script:
  check('every queen/2 exits') :-
      forall(event([port=call, proc=queen/2, call=C]), event([port=exit, call=C])).

Examples:
  papaver check rules.pl queens.trace
  papaver check rules.pl more.pl *.trace --to junit > report.xml
  papaver check --builtin run.trace                     every call ends, ...: what holds of most good traces
  program | papaver check --follow rules.pl -           while it runs
  papaver check --follow --until-idle 10s rules.pl run.jsonl

Exit status: 0 if all hold, 1 if one is violated, 2 if one could not be decided, 130 if interrupted.";

    pub const INFO: &str = "\
Examples:
  papaver info queens.trace
  papaver info *.jsonl.zst --to json

A finding is a fault (the trace breaks a rule of its format), a warning (it may be sound, and says less than it could) or
a note (it is sound). --strict refuses traces with faults or warnings; `check --builtin` is red for faults alone. Under
structure stand events that do not fit the boxes of their calls, which a part of a trace may have and be a good trace:
--strict passes them.";

    pub const CONVERT: &str = "\
Examples:
  papaver convert queens.trace -o queens.jsonl
  papaver convert queens.trace -o queens.papaver
  papaver convert big.jsonl.gz --to csv | head

A .papaver file is the saved trace: every command opens it at once, and needs no text.";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command_line(words: &[&str]) -> Result<CommandLine, clap::Error> {
        parse(words.iter().map(OsString::from))
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
