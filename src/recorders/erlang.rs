//! The recorders of Erlang and Elixir: calls and messages by `erlang:trace/3`, and the logs of `seq_trace`.

use std::ffi::OsString;
use std::path::Path;

use super::{Limit, Recorder, RecorderFile, Request, Start};

/// The row of the recorder of calls and messages.
pub(super) const RECORDER: Recorder = Recorder {
    kind: "erlang",
    doc: "calls, messages and processes of Erlang and Elixir",
    page: "erlang",
    files: &[RecorderFile { name: "papaver_recorder.erl", text: include_str!("erlang.erl") }],
    programs: &["erl", "escript", "elixir", "iex", "mix", "rebar3"],
    endings: &["exs", "ex", "escript"],
    format: "jsonl",
    question: "event([port=exception, proc=Proc, exception=Why])",
    overview: None,
    needs: "an Erlang node that reads ERL_AFLAGS, and calls of functions of the program's own modules",
    limits: &[Limit::Only, Limit::Skip, Limit::MaxEvents, Limit::Depth, Limit::Text, Limit::NoArgs, Limit::Sample],
    kept_outside: None,
    start: |request| start(request, RECORDER.files[0].name),
};

/// The row of the collector of `seq_trace` tokens.
pub(super) const SEQTRACE: Recorder = Recorder {
    kind: "seqtrace",
    doc: "messages that belong together, over several Erlang nodes",
    page: "erlang",
    files: &[RecorderFile { name: "papaver_seqtrace.erl", text: include_str!("erlang_seqtrace.erl") }],
    programs: &[],
    endings: &["exs", "ex", "escript"],
    format: "seqtrace",
    question: "traffic(From, To, N)",
    overview: Some("traffic(From, To, N)"),
    needs: "an Erlang node that reads ERL_AFLAGS, and a token: seq_trace:set_token/2 in the program, or `--only m:f/2`",
    limits: &[Limit::Only],
    kept_outside: None,
    start: |request| start(request, SEQTRACE.files[0].name),
};

/// The flags of `erl` that compile and start a module before anything else; the module takes them away, up to this
/// mark.
const MARK: &str = "-papaver end";

/// The command stays as it is, as every way to start Erlang takes flags from the environment; a script is compiled, as
/// interpreted functions cannot be traced.
fn start(request: &Request<'_>, file: &str) -> Result<Start, String> {
    let mut command = request.command.to_vec();
    if Path::new(&command[0]).file_stem().is_some_and(|name| name == "escript") {
        command.insert(1, "-c".into());
    }
    let mut flags = OsString::from(format!("-eval {} {MARK}", expression(&request.folder.join(file))));
    if let Some(others) = request.wrapper.variable("ERL_AFLAGS") {
        flags.push(" ");
        flags.push(others);
    }
    request.start(command, vec![("ERL_AFLAGS", flags)])
}

/// The Erlang expression that compiles and starts a module, without blanks and quotes, which flags cannot have.
fn expression(file: &Path) -> String {
    let module = file.with_extension("").to_string_lossy().into_owned();
    let (module, refusal) = (codes(&module), codes("papaver record: the recorder cannot be compiled: ~0tp~n"));
    format!(
        "case(catch(begin{{ok,M,B}}=compile:file({module},[binary]),{{module,M}}=code:load_binary(M,{module},B),M:start()end))\
         of(ok)->ok;(E)->io:format(standard_error,{refusal},[E]),halt(125)end."
    )
}

/// A string of Erlang as the list of its codes.
fn codes(text: &str) -> String {
    let codes: Vec<String> = text.chars().map(|letter| u32::from(letter).to_string()).collect();
    format!("[{}]", codes.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorders::Limits;

    fn started(command: &[&str]) -> Start {
        let command: Vec<OsString> = command.iter().map(OsString::from).collect();
        let limits = Limits::default();
        let request = Request::plain(&command, "/r s", &limits);
        start(&request, "m.erl").unwrap()
    }

    #[test]
    fn the_command_stays_as_it_is() {
        assert_eq!(started(&["erl", "-noshell", "-s", "a"]).command, ["erl", "-noshell", "-s", "a"]);
        assert_eq!(started(&["/bin/escript", "a", "b"]).command, ["/bin/escript", "-c", "a", "b"]);
    }

    #[test]
    fn flags_have_neither_blanks_nor_quotes_in_the_expression() {
        let start = started(&["erl"]);
        let flags = start.environment[0].1.to_str().unwrap();
        let expression = flags.strip_prefix("-eval ").unwrap().split(MARK).next().unwrap().trim_end();
        assert!(!expression.contains([' ', '"', '\'', '\\']), "{expression}");
        assert!(expression.contains("compile:file([47,114,32,115,47,109],"), "{expression}");
    }
}
