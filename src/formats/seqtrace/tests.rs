//! Tests of the reader: what logs hold, what is wrong with them, and that no bytes break it.

use std::io::Cursor;
use std::path::Path;

use super::*;
use crate::formats::testing::{self, in_chunks};
use crate::trace::{Trace, Value};

fn builder() -> TraceBuilder {
    TraceBuilder::new(FORMAT.origin(Path::new("a.raw")))
}

fn read_bytes(text: &[u8]) -> Trace {
    let mut builder = builder();
    read(&mut Lines::new(Box::new(Cursor::new(text.to_vec()))), &mut builder);
    builder.finish()
}

fn read_logs(logs: &[(&str, &str)]) -> Trace {
    let mut lines: Vec<Lines> =
        logs.iter().map(|(_, text)| Lines::new(Box::new(Cursor::new(text.as_bytes().to_vec())))).collect();
    let mut builder = builder();
    merge(logs.iter().map(|(name, _)| (*name).to_owned()).zip(&mut lines).collect(), &mut builder);
    builder.finish()
}

/// The rules of the findings with the lines.
fn rules(trace: &Trace) -> Vec<(&'static str, Option<u64>)> {
    trace.findings().kept().iter().map(|finding| (finding.rule, finding.line)).collect()
}

fn shown(trace: &Trace, event: u32, name: &str) -> String {
    let id = trace.schema().resolve(name).expect("the trace has it");
    match trace.value(event, id) {
        Value::Absent => "-".to_owned(),
        Value::Int(value) => value.to_string(),
        Value::Atom(name) => name.to_string(),
        Value::Term(text) => text.to_owned(),
        Value::Path(steps) => steps.iter().map(|step| step.as_str()).collect::<Vec<_>>().join(" "),
        other => format!("{other:?}"),
    }
}

fn column(trace: &Trace, name: &str) -> Vec<String> {
    (0..trace.n_events()).map(|event| shown(trace, event, name)).collect()
}

fn sample(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/seq_trace/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).expect("the sample is there")
}

/// An event between processes of one node, by their numbers.
fn line(port: &str, serial: (u32, u32), from: u32, to: u32) -> String {
    format!("{{seq_trace,1,{{{port},{{{},{}}},<0.{from}.0>,<0.{to}.0>,m}}}}.\n", serial.0, serial.1)
}

#[test]
fn a_message_may_stand_on_several_lines_and_look_like_heads() {
    let text = "17:<0.1.0> Info {0,1} WITH\n{note,\n \"in a string \\\"\n17:<0.9.0> Info {7,8} WITH\",\n 17}\n\
                {l,1} 5:<0.1.0> Sent {0,2} TO <0.2.0> WITH\n\"two \"\n \"pieces\"\n";
    let trace = read_bytes(text.as_bytes());
    assert_eq!(rules(&trace), []);
    assert_eq!(trace.n_events(), 2);
    assert_eq!(column(&trace, "label"), ["17", "{l,1}"]);
    assert_eq!(column(&trace, "time"), ["-", "5"]);
    assert_eq!(column(&trace, "line"), ["1", "6"]);
    assert_eq!(shown(&trace, 1, "msg"), "\"two pieces\"");
    assert_eq!(shown(&trace, 0, "msg"), r#"{note,"in a string \"\n17:<0.9.0> Info {7,8} WITH",17}"#);
}

#[test]
fn a_truncated_message_does_not_take_the_events_after_it() {
    let mut text = String::from("1:<0.1.0> Info {0,1} WITH\n{never, [closed\n");
    for cur in 2..100 {
        text.push_str(&format!("1:<0.1.0> Info {{0,{cur}}} WITH\nm\n"));
    }
    let trace = read_bytes(text.as_bytes());
    assert_eq!((trace.n_events(), rules(&trace)), (98, vec![("E1", Some(1))]));
    let text = "1:<0.1.0> Info {0,1} WITH\n1:<0.1.0> Info {0,2} WITH\nm\n1:<0.1.0> Info {0,3} WITH\n";
    let trace = read_bytes(text.as_bytes());
    assert_eq!((column(&trace, "cur"), rules(&trace)), (vec!["2".to_owned()], vec![("E1", Some(1)), ("E1", Some(4))]));
}

#[test]
fn a_term_may_stand_on_several_lines() {
    let text = "{seq_trace,1,\n {print,{0,1},<0.1.0>,[],\n  [a,\n   b]}}.\n{seq_trace,1,{print,{0,2},<0.1.0>,[],c}}.\n";
    let trace = read_bytes(text.as_bytes());
    assert_eq!(
        (column(&trace, "msg"), column(&trace, "line")),
        (vec!["[a,b]".to_owned(), "c".into()], vec!["1".to_owned(), "5".into()])
    );
    assert_eq!(rules(&trace), []);
}

#[test]
fn what_is_no_event_is_found_with_its_place() {
    let text = "{seq_trace,1,{print,{0,1},<0.1.0>,[],a}}\n{seq_trace,1,{jump,{0,1},<0.1.0>,[],a}}.\n\
                {seq_trace,1,{print,{0,x},<0.1.0>,[],a}}.\nhello\n\n% comment\n{seq_trace,1,{print,{0,9},<0.1.0>,[],a}}. b\n\
                {seq_trace,1,{print,{0,1},<0.1.0>,[],a}}.";
    let trace = read_bytes(text.as_bytes());
    assert_eq!(trace.n_events(), 1);
    assert_eq!(rules(&trace), [1, 2, 3, 4, 7].map(|line| ("E1", Some(line))));
    let messages: Vec<&str> = trace.findings().kept().iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(messages[1], "column 15: expected `send`, `'receive'` or `print`, found `jump,{0,1},<0.1.0>,[],a}}.`");
    assert_eq!(messages[3], "column 1: expected an event, found `hello`");
}

#[test]
fn a_receive_follows_its_send_wherever_the_log_has_it() {
    let text = line("'receive'", (0, 1), 1, 2) + &line("send", (1, 2), 2, 1) + &line("send", (0, 1), 1, 2);
    let trace = read_bytes(text.as_bytes());
    assert_eq!(column(&trace, "line"), ["3", "1", "2"]);
    assert_eq!(column(&trace, "match"), ["2", "1", "-"]);
    assert_eq!(column(&trace, "call"), ["1", "1", "2"]);
    assert_eq!(column(&trace, "parent"), ["-", "-", "1"]);
    assert_eq!(column(&trace, "goal_path"), ["0,1", "0,1", "0,1 1,2"]);
}

#[test]
fn counters_that_jump_after_a_local_spawn_are_followed() {
    let text = "{seq_trace,1,{send,{1,2},<0.2.0>,<0.1.0>,{spawn_reply,r,ok,<0.2.0>}}}.\n\
                {seq_trace,1,{'receive',{1,2},<0.2.0>,<0.1.0>,{spawn_reply,r,ok,<0.2.0>}}}.\n\
                {seq_trace,1,{send,{47,48},<0.1.0>,<0.2.0>,go}}.\n";
    let trace = read_bytes(text.as_bytes());
    assert_eq!((shown(&trace, 2, "depth"), rules(&trace)), ("2".to_owned(), vec![]));
    let trace = read_bytes(text.replace("spawn_reply", "other_reply").as_bytes());
    assert_eq!((shown(&trace, 2, "depth"), rules(&trace)), ("1".to_owned(), vec![("E3", Some(3))]));
}

#[test]
fn each_rule_of_serials_and_messages_is_found() {
    let falls = line("send", (0, 5), 1, 2) + &line("send", (0, 4), 1, 2);
    assert_eq!(rules(&read_bytes(falls.as_bytes())), [("E2", Some(2))]);
    let twice = line("'receive'", (0, 5), 1, 2) + &line("send", (0, 5), 1, 2) + &line("'receive'", (0, 5), 1, 3);
    assert_eq!(rules(&read_bytes(twice.as_bytes()))[0], ("E2", Some(3)));
    let other = line("send", (0, 1), 1, 2) + &line("'receive'", (0, 1), 1, 2).replace(",m}", ",n}");
    assert_eq!(rules(&read_bytes(other.as_bytes())), [("E4", Some(2))]);
    let exit = other.replace(",m}", ",{'EXIT',<0.1.0>,a}}");
    assert_eq!(rules(&read_bytes(exit.as_bytes())), []);
    let large = line("send", (0, 1 << 27), 1, 2);
    assert_eq!(rules(&read_bytes(large.as_bytes())), [("E7", Some(1))]);
}

#[test]
fn clocks_are_of_one_kind_and_messages_are_not_received_before_they_are_sent() {
    let timed = |line: String, time: &str| line.replace("}}.", &format!("}},{time}}}."));
    let early = timed(line("send", (0, 1), 1, 2), "9") + &timed(line("'receive'", (0, 1), 1, 2), "8");
    assert_eq!(rules(&read_bytes(early.as_bytes())), [("E6", Some(2))]);
    let mixed = timed(line("send", (0, 1), 1, 2), "9") + &timed(line("'receive'", (0, 1), 1, 2), "{1,2,3}");
    assert_eq!(rules(&read_bytes(mixed.as_bytes())), [("E6", Some(2))]);
}

#[test]
fn logs_of_one_node_each_are_put_together_and_name_their_files() {
    let a = "{seqtap_node,'a@h',0,[{'b@h',7}]}.\n{seq_trace,1,{send,{0,1},<0.1.0>,<7.2.0>,{<0.1.0>,#Ref<0.3.4.5>}}}.\n";
    let b = "{seqtap_node,'b@h',0,[{'a@h',9}]}.\n{seq_trace,1,{'receive',{0,1},<9.1.0>,<0.2.0>,{<9.1.0>,#Ref<9.3.4.5>}}}.\n";
    for logs in [[("a.raw", a), ("b.raw", b)], [("b.raw", b), ("a.raw", a)]] {
        let trace = read_logs(&logs);
        assert_eq!(rules(&trace), [], "the messages are equal once their nodes are named");
        assert_eq!(column(&trace, "log"), ["a.raw", "b.raw"]);
        assert_eq!(column(&trace, "match"), ["2", "1"]);
        assert_eq!(column(&trace, "msg"), ["{'a@h':'<1.0>','#Ref<0.3.4.5>'}"; 2]);
    }
}

#[test]
fn a_message_is_the_only_argument_whatever_stands_in_it() {
    let messages = [
        "a",
        "{a,b}",
        "[a,\"b, ]\"|c]",
        "'it\\'s, ,'",
        "#{a=>{1,2},b=>'-'}",
        "<<\"a,b\">>",
        "[$',$,,0]",
        "<0.9.0>",
        "\"\"",
        "''",
    ];
    let lines = |(message, cur): (&&str, u32)| {
        line("send", (0, cur), 1, 2).replace(",m}", &format!(",{message}}}"))
            + &line("'receive'", (0, cur), 1, 2).replace(",m}", &format!(",{message}}}"))
    };
    let trace = read_bytes(messages.iter().zip(1..).map(lines).collect::<String>().as_bytes());
    assert_eq!((trace.n_events() as usize, rules(&trace)), (2 * messages.len(), vec![]));
    for event in 0..trace.n_events() {
        let id = trace.schema().resolve("args").expect("all traces have it");
        let Value::Args(args) = trace.value(event, id) else { panic!("event {event} has no arguments") };
        assert_eq!(args.iter().collect::<Vec<_>>(), [shown(&trace, event, "msg")]);
    }
}

#[test]
fn a_send_is_found_whatever_the_order_of_the_serials_in_the_log() {
    let serials = [(4, 9), (0, 1), (2, 3), (2, 9), (0, 1), (1, 3)];
    let sends: String = serials.iter().map(|serial| line("send", *serial, 1, 2)).collect();
    let receives: String = serials[..4].iter().rev().map(|serial| line("'receive'", *serial, 1, 2)).collect();
    let trace = read_bytes((sends + &receives).as_bytes());
    let mut pairs: Vec<(String, String)> = column(&trace, "line").into_iter().zip(column(&trace, "match")).collect();
    let lines = column(&trace, "line");
    pairs.iter_mut().for_each(|(_, partner)| {
        if let Ok(chrono) = partner.parse::<usize>() {
            partner.clone_from(&lines[chrono - 1]);
        }
    });
    pairs.sort_by_key(|(line, _)| line.parse::<u32>().ok());
    let partners: Vec<&str> = pairs.iter().map(|(_, partner)| partner.as_str()).collect();
    // the serial 0,1 was sent twice, and received after the second time
    assert_eq!(partners, ["10", "-", "8", "7", "9", "-", "4", "3", "5", "1"]);
}

#[test]
fn many_cycles_end() {
    let mut text = String::new();
    for pair in 0..300 {
        let (one, other) = (2 * pair, 2 * pair + 1);
        text += &(line("'receive'", (2, 3), one, other) + &line("send", (0, 1), other, one));
        text += &(line("'receive'", (0, 1), other, one) + &line("send", (2, 3), one, other));
    }
    let trace = read_bytes(text.as_bytes());
    assert_eq!(trace.n_events(), 1200);
    assert_eq!(rules(&trace).iter().filter(|(rule, _)| *rule == "E5").count(), 100);
}

#[test]
fn long_chains_take_no_more_than_their_share() {
    let mut text = String::new();
    for hop in 0..4000 {
        text += &(line("send", (hop, hop + 1), hop, hop + 1) + &line("'receive'", (hop, hop + 1), hop, hop + 1));
    }
    let trace = read_bytes(text.as_bytes());
    assert_eq!((shown(&trace, 7999, "depth"), rules(&trace)), ("4000".to_owned(), vec![]));
    let path = shown(&trace, 7999, "goal_path");
    assert!(path.starts_with("... 3984,3985 ") && path.ends_with(" 3999,4000"), "{path}");
}

#[test]
fn line_ends_and_marks_of_other_systems_make_no_difference() {
    let text = String::from_utf8(sample("family.txt")).expect("the sample is text");
    let messages = column(&read_bytes(text.as_bytes()), "msg");
    for changed in
        [text.replace('\n', "\r\n"), text.replace('\n', "\r"), format!("\u{FEFF}{text}"), text.trim_end().to_owned()]
    {
        let trace = read_bytes(changed.as_bytes());
        assert_eq!((column(&trace, "msg"), rules(&trace)), (messages.clone(), vec![]));
    }
}

#[test]
fn a_log_that_is_cut_anywhere_keeps_what_stands_before() {
    for name in ["gen.raw", "family.txt"] {
        let text = sample(name);
        let mut most = 0;
        for length in 0..=text.len() {
            let trace = read_bytes(&text[..length]);
            assert!(trace.n_events() + 2 >= most, "{name} cut at {length}");
            most = most.max(trace.n_events());
        }
        assert_eq!(most, read_bytes(&text).n_events());
    }
}

#[test]
fn a_line_that_is_changed_leaves_the_others() {
    for name in ["gen.raw", "two_nodes_plain_b.raw", "seqex_timestamp.txt"] {
        let text = sample(name);
        let n_events = read_bytes(&text).n_events();
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        for at in 0..lines.len() {
            let flip = |line: &[u8]| line.iter().map(|byte| if *byte == b'\n' { b'\n' } else { byte ^ 0x55 }).collect();
            let changed: Vec<Vec<u8>> = lines
                .iter()
                .enumerate()
                .map(|(index, line)| if index == at { flip(line) } else { line.to_vec() })
                .collect();
            let trace = read_bytes(&changed.concat());
            assert!(trace.n_events() + 2 >= n_events, "{name}, line {}", at + 1);
        }
    }
}

#[test]
fn wherever_a_log_is_cut_into_chunks_its_trace_is_the_same() {
    let printed = "17:<0.1.0> Info {0,1} WITH\n\"one\"\n  \"piece\"\n5 7:<0.1.0> Sent {0,2} TO <0.2.0> WITH\n\"all\"\n\
                   5 8:<0.2.0> Received {0,2} FROM <0.1.0> WITH\n\"all\"\n\n% note\n1:<0.2.0> Info {2,3} WITH\n[a,\n b,\n\
                   1:<0.2.0> Info {2,4} WITH\nm\n1:<0.2.0> Info {2,5} WITH\n\"17:<0.9.0> Info {7,8} WITH\n c\"\nrest\n";
    let raw = "{seqtap_node,a@b,0,[]}.\r\n{seq_trace,1,{send,{0,1},<0.1.0>,\r\n  <0.2.0>,\r\n  {a, % note\r\n b}},\r\n {1,2}}.\r\n\
               {seq_trace,1,{'receive',{0,1},<0.1.0>,<0.2.0>,{a,b}},{1,3}}.\r\n{seq_trace,1,{print,{1,2},<0.2.0>,[],\r\n[x}}.\r\n\
               {seq_trace,1,{print,{1,2},<0.2.0>,[],{a,b\r\n{seq_trace,1,{print,{1,3},<0.2.0>,[],\"m\"}}.\r\n\r\nlast";
    let samples = ["family.txt", "relay.raw", "seqex_monotonic.txt"].map(sample);
    for text in [printed.as_bytes(), raw.as_bytes()].into_iter().chain(samples.iter().map(Vec::as_slice)) {
        let whole = testing::shown(&in_chunks(&FORMAT, text, 1 << 19));
        for chunk_bytes in [1, 13, 40, 100, 333, 1000] {
            assert_eq!(
                testing::shown(&in_chunks(&FORMAT, text, chunk_bytes)),
                whole,
                "in chunks of {chunk_bytes} bytes"
            );
        }
    }
}

#[test]
fn a_piece_without_an_end_is_not_read_again_for_each_chunk() {
    let text = "{seq_trace,1,{print,{1,2},<0.2.0>,[],[\n".to_owned() + &"no event\n".repeat(200_000);
    assert_eq!(rules(&in_chunks(&FORMAT, text.as_bytes(), 100)), [("E1", Some(1)), ("end", Some(200_001))]);
}

#[test]
fn of_two_receives_of_a_message_the_first_one_counts_whatever_its_message_is() {
    let receive = |message: &str| format!("{{seq_trace,1,{{'receive',{{0,1}},<0.1.0>,<0.2.0>,{message}}}}}.\n");
    let send = line("send", (0, 1), 1, 2);
    for (first, second, first_rules) in
        [("m", "m", vec![("E2", Some(3))]), ("other", "m", vec![("E2", Some(3)), ("E4", Some(2))])]
    {
        let trace = read_bytes(format!("{send}{}{}", receive(first), receive(second)).as_bytes());
        assert_eq!(column(&trace, "match"), ["2", "1", "-"]);
        assert_eq!(column(&trace, "msg"), ["m", first, second]);
        let found = rules(&trace);
        assert_eq!(found[..first_rules.len()], first_rules, "{first} {second}");
    }
}

#[test]
fn a_message_on_two_lines_has_no_receive_and_one_sent_again_begins_a_stretch() {
    let (send, receive) = (line("send", (0, 1), 1, 2), line("'receive'", (0, 1), 1, 2));
    let trace = read_bytes(format!("{send}{send}{receive}").as_bytes());
    assert_eq!(column(&trace, "port"), ["send", "send", "receive"]);
    assert!(trace.schema().find("match").is_none_or(|id| (0..3).all(|event| trace.value(event, id) == Value::Absent)));
    assert_eq!(rules(&trace)[0], ("E2", Some(2)));
    let trace = read_bytes(format!("{send}{receive}{send}").as_bytes());
    assert_eq!(
        (column(&trace, "match"), rules(&trace)),
        (vec!["2".into(), "1".into(), "-".into()], vec![("reset", Some(3))])
    );
}

/// Of the sends of two stretches one is lost: the receives find the send of their own stretch, or none.
#[test]
fn a_lost_message_costs_no_other_stretch_its_pair() {
    let run = |has_receive: bool| {
        let receive = line("'receive'", (0, 1), 1, 2);
        line("send", (0, 1), 1, 2) + if has_receive { &receive } else { "" } + &line("send", (0, 2), 1, 3)
    };
    let matches = |has: [bool; 3]| {
        let trace = read_bytes(has.map(run).concat().as_bytes());
        let (lines, matches) = (column(&trace, "line"), column(&trace, "match"));
        let port = column(&trace, "port");
        let received = (0..lines.len()).filter(|event| port[*event] == "receive");
        received
            .map(|event| matches[event].parse::<usize>().map(|send| lines[send - 1].clone()).ok())
            .collect::<Vec<_>>()
    };
    let line = |number: &str| Some(number.to_owned());
    assert_eq!(matches([true, true, true]), [line("1"), line("4"), line("7")]);
    assert_eq!(matches([false, true, true]), [line("3"), line("6")]);
    assert_eq!(matches([true, false, true]), [line("1"), line("6")]);
    assert_eq!(matches([true, false, false]), [line("1")]);
}
