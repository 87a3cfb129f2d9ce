//! Files as their producers write them, each in a variant of its format: what a goal finds in it, as computed from the file by
//! hand, and whether something is to be said of it.

use crate::support::papaver;

/// A file, a goal, its answers, and a part of the message, if there is one.
const VARIANTS: &[(&str, &str, &str, &str)] = &[
    // buffers for each process: host, program and process stand before the name
    ("lttng_per_process.txt", "event([port=exit, host=box1, pid=3208, duration=D])", "D = 141481\n", ""),
    ("lttng_per_process.txt", "event([name='beat:work_entry', procname=beat, tid=T])", "T = 3214\nT = 3215\n", ""),
    (
        "lttng_no_clock.txt",
        "event([name=ev, args=[S]]), \\+ event([time=_])",
        "S = \"hello\"\nS = \"how are you?\"\n",
        "",
    ),
    ("lttng_blank_in_name.txt", "event([name='sequence event', host=host, args=A])", "A = [[-1, -2]]\nA = [[7]]\n", ""),
    (
        "lttng_syscalls.txt",
        "event([port=exit, name=N, tid=T, duration=D])",
        "N = openat, T = 100, D = 2000\nN = read, T = 100, D = 5000\nN = read, T = 200, D = 50000\n",
        "",
    ),
    ("prolog_swi_indent_lost.txt", "aggregate_all(count, event([port=[call, exit]]), N)", "N = 10\n", ""),
    ("prolog_swi_only_ports.txt", "event([port=exit, args=[_, _, L]])", "L = [b, c]\nL = [a, b, c]\n", ""),
    ("chrome_lines.jsonl", "event([port=call, name=N, depth=D])", "N = a, D = 1\nN = b, D = 2\n", ""),
    ("chrome_nested.json", "event([port=call, name=N, depth=D])", "N = a, D = 1\nN = b, D = 2\n", ""),
    ("chrome_bad_record_indented.json", "aggregate_all(count, event([port=call]), N)", "N = 10\n", ""),
    ("zipkin_one.json", "event([port=call, name=N, service=S])", "N = op1, S = s1\n", ""),
    ("zipkin_mixed_ids.json", "event([port=call, name=child, depth=D, parent=P])", "D = 2, P = 1\n", ""),
    ("jaeger_empty.json", "trace_info(format, F), trace_info(events, N)", "F = jaeger, N = 0\n", "no events"),
    ("pino_iso.jsonl", "event([time=T])", "T = 1704067200000000000\nT = 1704067201500000000\n", ""),
    ("time_mixed.jsonl", "event([time=T])", "T = 1500000000\nT = 2000000000\nT = 2500000000\n", ""),
    ("nan.jsonl", "event([v=V])", "V = 1.5NaN\nV = 1.0Inf\nV = -1.0Inf\nV = 1\n", ""),
    ("surrogate.jsonl", "event([v=V])", "V = \"x\\ny\u{fffd}\"\nV = \"x\\ny\"\n", "half of a character"),
    ("surrogate_chrome.json", "event([port=call, args=[V]])", "V = \"x\\ty\u{fffd}\"\n", ""),
    ("strace_unavailable.txt", "event([port=call, name=futex, pid=P])", "P = 100\n", ""),
    ("cut_string_no_term.strace", "event([port=call, args=[A, B, C]])", "A = 1, B = \"\\x98\\\\\"),\", C = 4\n", ""),
];

#[test]
fn every_variant_is_read_as_its_producer_means_it() {
    for (name, goal, answers, said) in VARIANTS {
        let output = papaver().args(["query", goal]).arg(format!("tests/data/variants/{name}")).output();
        let output = output.expect("the program can be run");
        let [found, messages] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
        assert_eq!(found, *answers, "{name}: {goal}: {messages}");
        assert!(if said.is_empty() { messages.is_empty() } else { messages.contains(said) }, "{name}: {messages}");
    }
}
