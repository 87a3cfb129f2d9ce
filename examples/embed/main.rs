//! A program that embeds papaver: which calls of a trace took how many events, and whether its rules hold.
//!
//! $ cargo run --example embed

use papaver::{AskError, Session, Verdict};

fn main() -> Result<(), AskError> {
    let mut session = Session::of_trace("examples/queens/queens.trace")?;
    for answer in session.ask("event([port=exit, proc=queen, call=C, chrono=To]), call_start(C, From)")? {
        let answer = answer?;
        let [from, to] = ["From", "To"].map(|variable| answer.text(variable).unwrap_or_default());
        println!("queen: from event {from} to event {to}");
    }
    for (check, outcome) in session.check_script("examples/queens/rules.pl")? {
        println!("{}: {}", check.name, if outcome.verdict == Verdict::Holds { "holds" } else { "does not hold" });
    }
    Ok(())
}

#[test]
fn it_runs() {
    main().expect("the example and its files are there");
}
