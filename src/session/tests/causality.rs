//! The causal order of random logs of seq_trace, with and without sends.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::formats::{LoadOptions, load};
use crate::session::{Options, Session};

/// The counters of a process, and the messages that wait for it: their serials and senders.
#[derive(Clone, Default)]
struct Process {
    prev: u64,
    cur: u64,
    is_traced: bool,
    mailbox: VecDeque<(u64, u64, usize)>,
}

const N_PROCESSES: usize = 4;

/// The lines of a log, each with whether it is of a send: steps of processes, as seq_trace counts serials.
fn log(steps: &[(usize, usize, u8)]) -> Vec<(String, bool)> {
    let mut processes: [Process; N_PROCESSES] = std::array::from_fn(|_| Process::default());
    processes[0].is_traced = true;
    let mut lines = Vec::new();
    for &(actor, other, what) in steps {
        let process = &mut processes[actor];
        let mut line = |port: &str, (prev, cur), from, to: String| {
            let line = format!("{{seq_trace,1,{{{port},{{{prev},{cur}}},<0.{}.0>,{to},m}}}}.\n", from + 80);
            lines.push((line, port == "send"));
        };
        let pid = |number: usize| format!("<0.{}.0>", number + 80);
        match process.mailbox.pop_front().filter(|_| what == 0) {
            Some((prev, cur, from)) => {
                (process.cur, process.prev, process.is_traced) = (process.cur.max(cur), cur, true);
                line("'receive'", (prev, cur), from, pid(actor));
            }
            None if !process.is_traced => {}
            None => {
                process.cur += 1;
                let serial = (process.prev, process.cur);
                match what {
                    1 => line("print", serial, actor, "[]".to_string()),
                    _ => {
                        line("send", serial, actor, pid(other));
                        processes[other].mailbox.push_back((serial.0, serial.1, actor));
                    }
                }
            }
        }
    }
    lines
}

/// The answer to a question about a log.
fn answer(session: &mut Session, path: &Path, lines: &str, goal: &str) -> String {
    std::fs::write(path, lines).expect("a temporary folder can be written to");
    session.open(Arc::new(load(path, &LoadOptions::default()).expect("it can be read")));
    let mut answers = session.ask(goal).expect("the goal is well-formed");
    let answer = answers.next().expect("the goal has an answer").expect("nothing stops it");
    answer.text("L").expect("it has the list")
}

#[test]
fn what_a_message_causes_comes_after_it_whether_or_not_its_send_is_in_the_log() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("t.raw");
    let mut session = Session::new(Options::default());
    let mut runner = TestRunner::deterministic();
    let steps = prop::collection::vec((0..N_PROCESSES, 0..N_PROCESSES, 0..4_u8), 5..40);
    let pairs = "findall(k(P, A, B, C)-k(Q, X, Y, Z), ( before(E, F), event([chrono=E, port=P, prev=A, cur=B, from=C]), \
                 P \\= send, event([chrono=F, port=Q, prev=X, cur=Y, from=Z]), Q \\= send ), M), sort(M, L)";
    let broken = "findall(E-F, ( causes(E, F), ( \\+ before(E, F) ; concurrent(E, F) ) ), L)";
    let mut n_longest = 0;
    for _ in 0..60 {
        let steps = steps.new_tree(&mut runner).expect("a strategy without filters").current();
        let lines = log(&steps);
        let whole: String = lines.iter().map(|(line, _)| line.as_str()).collect();
        let without_sends: String =
            lines.iter().filter(|(_, is_send)| !is_send).map(|(line, _)| line.as_str()).collect();
        if !without_sends.contains("receive") {
            continue;
        }
        for text in [&whole, &without_sends] {
            assert_eq!(answer(&mut session, &path, text, broken), "[]", "{text}");
        }
        let [known, inferred] = [&whole, &without_sends].map(|text| answer(&mut session, &path, text, pairs));
        assert_eq!(inferred, known, "{whole}");
        n_longest = n_longest.max(known.len());
    }
    assert!(n_longest > 500, "some log has causes");
}
