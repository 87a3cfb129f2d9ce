//! Morphine's regression program: answers that its transcript and the trace itself give.

use regex::Regex;

use super::super::search::find::next_match;
use super::super::{
    AttributeId, Constraint, ConstraintError, FormOp, ProcPattern, SchemaError, Trace, Value, box_findings, count,
    group, reasons,
};
use super::{atom, between, constraint, path, pattern, prev_match, queens};
use crate::term::Atom;

const EXIT_OF_QUEEN: u32 = 672;

fn n_matches(trace: &Trace, attribute: AttributeId, form: &[FormOp]) -> u64 {
    count(trace, &pattern(trace, &[(attribute, form)]))
}

#[test]
fn the_exit_of_queen_is_event_673_in_both_directions() {
    let trace = queens();
    let wanted = pattern(&trace, &[(AttributeId::NAME, &[atom("queen")]), (AttributeId::PORT, &[atom("exit")])]);
    assert_eq!(next_match(&trace, 0, &wanted), Some(EXIT_OF_QUEEN));
    assert_eq!(next_match(&trace, EXIT_OF_QUEEN + 1, &wanted), None);
    assert_eq!(prev_match(&trace, trace.n_events(), &wanted), Some(EXIT_OF_QUEEN));
    assert_eq!(prev_match(&trace, EXIT_OF_QUEEN, &wanted), None);
    let call = trace.call(EXIT_OF_QUEEN).expect("every event has a call");
    assert_eq!(trace.chrono(trace.call_first(call)), 4);
}

#[test]
fn there_are_149_exits_and_the_lines_add_up_to_38511() {
    let trace = queens();
    assert_eq!(trace.n_events(), 698);
    assert_eq!(n_matches(&trace, AttributeId::PORT, &[atom("exit")]), 149);
    let everything = pattern(&trace, &[]);
    let lines = group(&trace, &everything, &[AttributeId::LINE_NUMBER]);
    let sum: i64 = lines
        .iter()
        .map(|(values, count)| match values[0] {
            Value::Int(line) => line * *count as i64,
            _ => 0,
        })
        .sum();
    assert_eq!(sum, 38511);
    assert_eq!(lines.iter().map(|(_, count)| count).sum::<u64>(), 698);
}

#[test]
fn groups_of_port_and_name_come_in_order_of_appearance() {
    let trace = queens();
    let groups = group(&trace, &pattern(&trace, &[]), &[AttributeId::PORT, AttributeId::NAME]);
    let name = |name: &str| Value::Atom(Atom::new(name));
    assert_eq!(groups[0], (vec![name("call"), name("main")], 1));
    assert_eq!(groups[1].0, [name("call"), name("data")]);
    assert_eq!(groups[2].0, [name("exit"), name("data")]);
    assert_eq!(groups.iter().map(|(_, count)| count).sum::<u64>(), 698);
}

#[test]
fn all_sixteen_proc_patterns_hold_of_the_exit_of_queen() {
    let trace = queens();
    for parts in 0..16 {
        let part = |bit: u32, op: FormOp| (parts & bit != 0).then(|| vec![op]);
        let form = FormOp::Proc(ProcPattern {
            proc_type: part(1, atom("predicate")),
            module: part(2, atom("queens")),
            name: Some(vec![atom("queen")]),
            arity: part(4, FormOp::int(2)),
            mode: part(8, FormOp::int(0)),
        });
        let wanted = pattern(&trace, &[(AttributeId::PROC, &[form]), (AttributeId::PORT, &[atom("exit")])]);
        assert_eq!(next_match(&trace, 0, &wanted), Some(EXIT_OF_QUEEN), "{parts:b}");
    }
}

#[test]
fn parts_of_proc_take_every_form() {
    let trace = queens();
    let not_queen = ProcPattern { name: Some(vec![atom("queen"), FormOp::Not]), ..ProcPattern::default() };
    let queen = n_matches(&trace, AttributeId::NAME, &[atom("queen")]);
    assert_eq!(n_matches(&trace, AttributeId::PROC, &[FormOp::Proc(not_queen)]), 698 - queen);
    assert_eq!(n_matches(&trace, AttributeId::PROC, &[atom("queen"), FormOp::Not]), 698 - queen);
}

#[test]
fn ports_and_determinisms_have_other_spellings() {
    let trace = queens();
    assert_eq!(n_matches(&trace, AttributeId::PORT, &[atom("EXIT")]), 149);
    let multi = n_matches(&trace, AttributeId::DET, &[atom("cc_multidet")]);
    assert_eq!(n_matches(&trace, AttributeId::DET, &[atom("CCMUL")]), multi);
    assert_eq!(n_matches(&trace, AttributeId::DET, &[atom("cc_multi")]), multi);
    assert!(multi > 0);
}

#[test]
fn forms_nest() {
    let trace = queens();
    let neither = [atom("exit"), atom("fail"), FormOp::AnyOf(2), FormOp::Not];
    let fails = n_matches(&trace, AttributeId::PORT, &[atom("fail")]);
    assert_eq!(n_matches(&trace, AttributeId::PORT, &neither), 698 - 149 - fails);
    let outside = [between(Some(3), Some(6)), FormOp::Not];
    let inside = n_matches(&trace, AttributeId::DEPTH, &[between(Some(3), Some(6))]);
    assert_eq!(n_matches(&trace, AttributeId::DEPTH, &outside), 698 - inside);
}

#[test]
fn names_and_arguments_match_an_expression() {
    let trace = queens();
    let regex = |text: &str| [FormOp::Regex(Regex::new(text).expect("the expression is one"))];
    let both = n_matches(&trace, AttributeId::NAME, &[atom("queen"), atom("qperm"), atom("qdelete"), FormOp::AnyOf(3)]);
    assert_eq!(n_matches(&trace, AttributeId::NAME, &regex("^q")), both);
    let wanted = pattern(
        &trace,
        &[
            (AttributeId::ARGS, &regex(r"\[1, 3, 5, 2, 4\]$")),
            (AttributeId::NAME, &[atom("queen")]),
            (AttributeId::PORT, &[atom("exit")]),
        ],
    );
    assert_eq!(next_match(&trace, 0, &wanted), Some(EXIT_OF_QUEEN));
}

#[test]
fn the_empty_path_is_that_of_interface_events() {
    let trace = queens();
    let interface = ["call", "exit", "redo", "fail", "exception"].map(atom);
    let interface: Vec<FormOp> = interface.into_iter().chain([FormOp::AnyOf(5)]).collect();
    assert_eq!(
        n_matches(&trace, AttributeId::GOAL_PATH, &[path(&[])]),
        n_matches(&trace, AttributeId::PORT, &interface)
    );
}

#[test]
fn parents_are_the_latest_events_one_level_up() {
    let trace = queens();
    for call in trace.calls() {
        let first = trace.call_first(call);
        let depth = trace.depth(first).expect("every event has a depth");
        let above = (0..first).rev().find(|event| trace.depth(*event) == Some(depth - 1));
        assert_eq!(trace.parent(call), above.and_then(|event| trace.call(event)), "{}", trace.call_number(call));
        assert!(trace.ancestors(call).count() as i64 == depth - 1);
        let mut siblings = trace.parent(call).into_iter().flat_map(|parent| trace.children(parent));
        assert!(depth == 1 || siblings.any(|child| child == call));
    }
}

#[test]
fn fifteen_calls_were_left_by_their_callers_and_none_is_open() {
    let trace = queens();
    let nondet = [(AttributeId::DET, &[atom("nondet")][..]), (AttributeId::PORT, &[atom("call")][..])];
    assert_eq!(count(&trace, &pattern(&trace, &nondet)), 80);
    let left = trace.calls().filter(|call| {
        let last = trace.call_last(*call);
        trace.value(last, AttributeId::DET) == Value::Atom(Atom::new("nondet"))
            && trace.port(last) != Some(Atom::new("fail"))
    });
    assert_eq!(left.count(), 15);
    assert_eq!(trace.open_calls().count(), 0);
    assert_eq!(trace.findings().total() + box_findings(&trace).total(), 0);
}

#[test]
fn calls_are_found_by_number() {
    let trace = queens();
    for call in trace.calls() {
        assert_eq!(trace.find_call(trace.call_number(call)), Some(call));
        assert!(trace.call_events(call).iter().all(|event| trace.call(*event) == Some(call)));
    }
    assert_eq!(trace.find_call(0), None);
    assert_eq!(trace.call_events(trace.find_call(3).expect("queen is call 3")), [3, 672]);
}

#[test]
fn values_are_those_of_the_file() {
    let trace = queens();
    let name = |name: &str| Value::Atom(Atom::new(name));
    assert_eq!(trace.value(EXIT_OF_QUEEN, AttributeId::CHRONO), Value::Int(673));
    assert_eq!(trace.value(EXIT_OF_QUEEN, AttributeId::CALL), Value::Int(3));
    assert_eq!(trace.value(EXIT_OF_QUEEN, AttributeId::DECL_MODULE), name("queens"));
    let Value::Proc(proc) = trace.value(EXIT_OF_QUEEN, AttributeId::PROC) else { panic!("it has a procedure") };
    assert_eq!(trace.proc(proc).to_string(), "predicate->queens:queen/2-0");
    let Value::Args(args) = trace.value(0, AttributeId::ARGS) else { panic!("it has arguments") };
    assert_eq!(args.iter().collect::<Vec<_>>(), ["state('<<c_pointer>>')", "-"]);
    let Value::Texts(types) = trace.value(2, AttributeId::ARG_TYPES) else { panic!("it has types") };
    assert_eq!(types.iter().collect::<Vec<_>>(), ["list:list(int)"]);
    assert_eq!(trace.source_line(EXIT_OF_QUEEN), Some(673));
    assert!(trace.bytes() < 698 * 120, "{}", trace.bytes());
}

#[test]
fn an_attribute_that_is_not_there_is_an_error_with_the_nearest() {
    let trace = queens();
    let error = trace.schema().resolve("prot").expect_err("there is no such attribute");
    assert!(
        error
            .to_string()
            .starts_with("expected an attribute, found `prot` (did you mean `port`?); this trace has chrono, call,")
    );
    assert!(matches!(trace.schema().resolve("result"), Err(SchemaError::Absent { .. })));
    assert_eq!(trace.schema().find("gp"), Some(AttributeId::GOAL_PATH));
    assert_eq!(trace.schema().find("father"), Some(AttributeId::CALL_PARENT));
    let error = Constraint::new(&trace, AttributeId::RESULT, &[FormOp::Any]).expect_err("it tells no results");
    assert!(matches!(error, ConstraintError::Attribute(SchemaError::Absent { .. })));
}

#[test]
fn a_value_of_the_wrong_type_is_an_error() {
    let trace = queens();
    let error =
        |attribute, form: &[FormOp]| Constraint::new(&trace, attribute, form).expect_err("it is wrong").to_string();
    assert_eq!(error(AttributeId::DEPTH, &[atom("foo")]), "expected an integer for `depth`, found `foo`");
    assert_eq!(error(AttributeId::PORT, &[FormOp::int(3), FormOp::Not]), "expected a port for `port`, found `3`");
    assert_eq!(error(AttributeId::NAME, &[between(Some(1), Some(2))]), "expected an atom for `name`, found `1..2`");
    let port = error(AttributeId::PORT, &[atom("exti")]);
    assert!(
        port.starts_with(
            "expected a port, found `exti` (did you mean `exit`?); the ports of this format are call, exit,"
        )
    );
    let arity = ProcPattern { arity: Some(vec![atom("two")]), ..ProcPattern::default() };
    assert_eq!(error(AttributeId::PROC, &[FormOp::Proc(arity)]), "expected an integer for `arity`, found `two`");
    assert_eq!(
        error(AttributeId::STACK, &[FormOp::Any]),
        "`stack` is computed from other attributes, and can only be unified"
    );
    assert_eq!(error(AttributeId::DEPTH, &[FormOp::Not]), "the form of `depth` is not complete");
}

#[test]
fn reasons_say_what_there_is_instead() {
    let trace = queens();
    let reason = |constraints: &[(AttributeId, &[FormOp])]| {
        let constraints: Vec<Constraint> = constraints.iter().map(|(id, form)| constraint(&trace, *id, form)).collect();
        reasons(&trace, &constraints)
    };
    let deep: &[FormOp] = &[between(Some(10), None)];
    assert_eq!(reason(&[(AttributeId::DEPTH, deep)]), ["no event has `depth >= 10`; depth goes from 1 to 9"]);
    let name = &reason(&[(AttributeId::NAME, &[atom("quen")])])[0];
    assert!(name.starts_with("no event has `name = quen` (did you mean `queen`?); names here: "), "{name}");
    let never = reason(&[(AttributeId::NAME, &[atom("main")]), (AttributeId::PORT, &[atom("redo")])]);
    assert_eq!(never, ["no event has both `name = main` and `port = redo`"]);
    assert_eq!(reason(&[(AttributeId::CHRONO, &[between(Some(9), Some(3))])]), ["no number satisfies `chrono = 9..3`"]);
    assert_eq!(reason(&[(AttributeId::PORT, &[atom("exit")])]), [""; 0]);
}

#[test]
fn explain_distinguishes_walks_from_scans() {
    let trace = queens();
    let explain = |constraints: &[(AttributeId, &[FormOp])]| pattern(&trace, constraints).explain(&trace);
    assert_eq!(explain(&[(AttributeId::DEPTH, &[FormOp::int(3)])]), "scans 698 of 698 events, tests depth");
    assert_eq!(explain(&[(AttributeId::CALL, &[FormOp::int(3)])]), "walks 2 events of 1 call, tests call");
    let short: &[FormOp] = &[between(Some(10), Some(20))];
    assert_eq!(explain(&[(AttributeId::CHRONO, short)]), "scans 11 of 698 events, tests chrono");
}
