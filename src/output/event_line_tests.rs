//! Tests of the event line, the display flags and the stack.

use super::*;
use crate::formats::{LoadOptions, load};
use crate::output::{Indent, write_stack};
use std::path::Path;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

fn data(name: &str) -> Trace {
    load(&Path::new(DATA).join(name), &LoadOptions::default()).expect("the sample traces load")
}

fn from_text(text: &str) -> Trace {
    let mut file = tempfile::NamedTempFile::new().expect("temporary files can be made");
    std::io::Write::write_all(&mut file, text.as_bytes()).expect("temporary files can be written");
    load(file.path(), &LoadOptions::default()).expect("the text is a trace")
}

fn lines(trace: &Trace, display: &Display) -> String {
    (0..trace.n_events()).map(|event| event_line(trace, event, display) + "\n").collect()
}

fn at(trace: &Trace, chrono: i64) -> EventId {
    trace.find_chrono(chrono).expect("the trace has this event")
}

#[test]
fn default_lines_of_queens_are_those_of_its_trace_from_either_format() {
    let expected = std::fs::read_to_string(Path::new(DATA).join("queens.trace")).expect("the sample is there");
    assert_eq!(lines(&data("queens.trace"), &Display::default()), expected);
    assert_eq!(lines(&data("queens.jsonl"), &Display::default()), expected);
}

#[test]
fn a_full_line_shows_all_parts() {
    let trace = data("queens.jsonl");
    assert_eq!(
        event_line(&trace, at(&trace, 14), &Display::default().with_all()),
        " 14:     7 [5] exit nondet (predicate) {queens} queens: qdelete(2 {int}, [2, 3, 4, 5] {list__list(int)}, \
         [3, 4, 5] {list__list(int)})/3-0 []  48 "
    );
    assert_eq!(
        event_line(&trace, at(&trace, 1), &Display::default().with_all()),
        "  1: 1 [1] call cc_multidet (predicate) {queens} queens: main(state('<<c_pointer>>') {io__state}, -)/2-0 []  0 "
    );
}

#[test]
fn each_flag_hides_its_part() {
    let trace = data("queens.jsonl");
    let event = at(&trace, 14);
    let line = |mut display: Display, hidden: &[&str]| {
        hidden.iter().for_each(|name| display.toggle(name, None).expect("it is a part of the line"));
        event_line(&trace, event, &display)
    };
    assert_eq!(line(Display::default(), &["args"]), " 14:     7 [5] exit qdelete() []  48 ");
    assert_eq!(
        line(Display::default(), &["chrono", "call"]),
        "    [5] exit qdelete(2, [2, 3, 4, 5], [3, 4, 5]) []  48 "
    );
    assert_eq!(line(Display::default(), &["goal_path"]), " 14:     7 [5] exit qdelete(2, [2, 3, 4, 5], [3, 4, 5]) 48 ");
    assert_eq!(
        line(Display::default().with_all(), &["args", "name"]),
        " 14:     7 [5] exit nondet (predicate) {queens} queens: ({int}, {list__list(int)}, {list__list(int)})/3-0 []  48 "
    );
}

#[test]
fn indentation_has_a_string_a_start_and_a_limit() {
    let trace = from_text("1: 1 [40] call p(a) []\n2: 1 [40] exit p(b) []\n");
    let line = |indent: Indent| {
        let mut display = Display::default();
        display.indent = indent;
        event_line(&trace, 0, &display)
    };
    assert_eq!(line(Indent::default()), format!("  1: {}1 [40] call p(a) [] ", " ".repeat(30)));
    let indent = Indent { string: "| ".to_owned(), start: 38, ..Indent::default() };
    assert_eq!(line(indent), "  1: | | 1 [40] call p(a) [] ");
    assert_eq!(line(Indent { start: 50, ..Indent::default() }), "  1: 1 [40] call p(a) [] ");
}

#[test]
fn local_variables_follow_on_their_own_lines() {
    let text = "  1: 1 [1] call p(a {int}) []  3 \nNon-argument live variables:\n\tX = [1, 2] {list__list(int)}\n\tY_2 = f(x) {t}\n";
    let trace = from_text(text);
    assert_eq!(event_line(&trace, 0, &Display::of(&trace)) + "\n", text);
    assert_eq!(event_line(&trace, 0, &Display::default()), "  1: 1 [1] call p(a) []  3 ");
}

#[test]
fn names_are_quoted_where_needed_and_read_back() {
    let text =
        "  1: 1 [1] call 'My mod': 'it\\'s'(a, 'B') [s1, 'q!', 's2-2', ?, ~] \n  2: 1 [1] exit 'My mod': + [] \n";
    let trace = from_text(text);
    assert_eq!(lines(&trace, &Display::of(&trace)), text);
}

#[test]
fn an_argument_text_stays_one_argument_on_one_line() {
    let header = "{\"papaver\": 1, \"args\": \"terms\", \"boxes\": \"told\"}\n";
    let event = "{\"port\": \"call\", \"name\": \"p\", \"args\": [\"a, b\", \"it's\", \"'x\\\\ny'\", null, \"\"]}\n";
    let trace = from_text(&format!("{header}{event}"));
    assert_eq!(event_line(&trace, 0, &Display::default()), "  1: call p((a, b), \"it's\", 'x\\ny', -, \"\")");
}

#[test]
fn the_stack_goes_from_the_call_of_the_event_outwards() {
    let trace = data("queens.jsonl");
    let mut text = String::new();
    write_stack(&mut text, &trace, at(&trace, 3)).expect("writing to a string cannot fail");
    assert_eq!(
        text,
        "\nLevel 0: (chrono=2, call=2, depth=2) pred queens:data/1-0 (det) \n\
         Level 1: (chrono=1, call=1, depth=1) pred queens:main/2-0 (cc_multi) \n"
    );
    let trace = data("queens.trace");
    let mut text = String::new();
    write_stack(&mut text, &trace, at(&trace, 9)).expect("writing to a string cannot fail");
    assert_eq!(
        text,
        "\nLevel 0: (chrono=7, call=5, depth=4) qdelete/3 \nLevel 1: (chrono=5, call=4, depth=3) qperm/2 \n\
         Level 2: (chrono=4, call=3, depth=2) queen/2 \nLevel 3: (chrono=1, call=1, depth=1) main/2 \n"
    );
}

#[test]
fn the_result_of_a_function_stands_behind_its_arguments_and_is_read_back() {
    let text = "  1: 1 [1] call fib(3) []  7 \n  2: 1 [1] exit fib(3) = 2 []  7 \n  3: 2 [1] call now []  8 \n  4: 2 [1] exit now = [a - 'B', \"s\"] []  8 \n";
    let trace = from_text(text);
    assert_eq!(lines(&trace, &Display::default()), text);
    let mut without_arguments = Display::default();
    without_arguments.toggle("args", None).expect("it is a part of the line");
    assert_eq!(event_line(&trace, 1, &without_arguments), "  2: 1 [1] exit fib() []  7 ");
    let trace = from_text(
        "{\"call\": 1, \"port\": \"call\", \"name\": \"f\", \"args\": [1]}\n{\"call\": 1, \"port\": \"exit\", \"name\": \"f\", \"args\": [1], \"result\": 2.5}\n",
    );
    assert_eq!(event_line(&trace, 1, &Display::default()), "  2: 1 [1] exit f(1) = 2.5");
    assert_eq!(event_line(&trace, 0, &Display::default()), "  1: 1 [1] call f(1)");
}

/// The agents, processes, threads and times are those of the lines of the files; the times of `client.txt` are differences.
#[test]
fn lines_show_who_did_what_and_when_in_worlds_with_several_agents() {
    for (name, chrono, line) in [
        ("visandor/ciao_fib_2agents.ev", 20, " 20:  16 [2] start_goal goal(n1, 1) ['n1.1']  agent=1  time=7827 "),
        ("mpd/CS_3_4.trc", 12, " 12: 5 [1] proc 'main.user' ['proc@19']  19  process=p('9DBB3C8', 2) "),
        ("posix/loop.jsonl", 3, "  3: 1 [1] event job_wait('03000000') [run1]  time=s(3176.141179806)  tid=4 "),
        ("strace/client.txt", 6, "  6: 3 [1] exit close(3) = 0 time=s(3.000006)  pid=7 "),
        (
            "lttng/shop.txt",
            1,
            "  1: 1 [1] call 'shop:order_entry'(1, \"ann \\\"the\\\" first\") time=s(58142.133714288)  tid=3659 ",
        ),
    ] {
        let trace = data(name);
        let event = at(&trace, chrono);
        assert_eq!(event_line(&trace, event, &Display::default()), line, "{name}");
        let mut display = Display::default();
        let shown = trace.origin().shown[0];
        display.show(shown, &trace).expect("it is an attribute of the trace");
        assert_eq!(event_line(&trace, event, &display), line, "{name}: it is shown once");
        display.toggle(shown, Some(trace.schema())).expect("it is an attribute of the trace");
        assert!(!event_line(&trace, event, &display).contains(&format!(" {shown}=")), "{name}: it is hidden");
        display.show(shown, &trace).expect("it is an attribute of the trace");
        assert_eq!(event_line(&trace, event, &display), line, "{name}: it is shown again");
    }
}

#[test]
fn a_full_line_has_every_attribute_of_its_event_in_every_format() {
    // what the parts show, and a stack
    const NOT_NAMED: &str = "chrono call depth port proc_type decl_module def_module name arity mode_number proc det goal_path \
                             line_number args arg_types vars var_names_and_types local_vars stack result attributes";
    for name in [
        "chrome/phases.json",
        "itf/lasso.json",
        "jaeger/one_trace.json",
        "lttng/shop.txt",
        "mpd/CS_3_4.trc",
        "otlp/shop_small.jsonl",
        "posix/loop.jsonl",
        "qsort.jsonl",
        "queens.jsonl",
        "seq_trace/relay.raw",
        "strace/client.txt",
        "visandor/synth_or.ev",
    ] {
        let trace = data(name);
        let schema = trace.schema();
        let named = schema.iter().chain(schema.computed_of_calls());
        let named: Vec<_> = named.filter(|(_, one)| !NOT_NAMED.split(' ').any(|part| *part == *one.name)).collect();
        let mut seen = 0;
        for event in 0..trace.n_events().min(300) {
            let line = event_line(&trace, event, &Display::default().full());
            for (id, attribute) in &named {
                let is_there = line.contains(&format!(" {}=", attribute.name));
                assert!(is_there || trace.value(event, *id) == Value::Absent, "{name}: {} in {line}", attribute.name);
                seen += usize::from(is_there);
            }
        }
        assert!(seen > 0, "{name}");
    }
}
