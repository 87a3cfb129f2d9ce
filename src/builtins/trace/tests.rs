//! Goals about the sample traces with the answers that they must give.

use std::path::Path;
use std::sync::Arc;

use crate::builtins::tests::{check_on, queens};
use crate::formats::{LoadOptions, load};
use crate::trace::Trace;

fn sample(name: &str) -> Arc<Trace> {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    Arc::new(load(Path::new(&path), &LoadOptions::default()).expect("a sample trace can be read"))
}

fn check(cases: &[(&str, &str)]) {
    check_on(&queens(), cases);
}

#[test]
fn every_form_of_a_constraint_finds_its_events() {
    check(&[
        ("goto_np(690), event([port=exit, chrono=C, depth=1])", "C = 698"),
        ("event(name = queen and port = exit and chrono = C)", "C = 673"),
        ("event([chrono=C, c=3..4])", "C = 3 ; C = 4"),
        ("event([chrono=C, chrono < 3])", "C = 1 ; C = 2"),
        ("event([chrono=C, chrono >= 697])", "C = 697 ; C = 698"),
        ("event([chrono=C, chrono > 696.5, chrono =< 697])", "C = 697"),
        ("event([chrono=C, depth=D, chrono=[5, 1]])", "C = 1, D = 1 ; C = 5, D = 3"),
        ("event([chrono=C, chrono=not(2..698)])", "C = 1"),
        ("event([chrono=C, chrono=not(not(2))])", "C = 2"),
        ("event([chrono=C, chrono=[1..2, not(1..697)]])", "C = 1 ; C = 2 ; C = 698"),
        ("event([port=not([call, exit, fail, redo, switch, disj, then, else]), chrono=C])", "false"),
        ("event([port='EXIT', depth=1, chrono=C])", "C = 698"),
        ("event([port \\= call, chrono=C, chrono < 5])", "C = 3"),
        ("event([\\+ port = call, chrono=C, chrono < 5])", "C = 3"),
        ("event([name=matches(\"^qu.*n$\"), port=exit, chrono=C])", "C = 673"),
        ("event([goal_path=[], chrono=C, chrono < 3])", "C = 1 ; C = 2"),
        ("event([chrono=X, call=X, depth=X])", "X = 1 ; X = 2"),
        ("X = 673, event([chrono=X, depth=D])", "X = 673, D = 2"),
        ("P = exit, event([port=P, proc=queen/2, chrono=C])", "P = exit, C = 673"),
        ("event(-), fail", "false"),
        ("event([call=3, chrono=C])", "C = 4 ; C = 673"),
        ("event([call=99999])", "false"),
        ("event([chrono=673, call=2])", "false"),
        ("event([chrono=99999999999999999999])", "false"),
    ]);
}

#[test]
fn arguments_are_unified() {
    check(&[
        ("event([proc=queen/2, args=[L, -], chrono=C])", "L = [1, 2, 3, 4, 5], C = 4"),
        ("event([proc=queen/2, args=[_, [A|_]], chrono=C])", "A = 1, C = 673"),
        ("event([name=queen, arg(2)=Q, port=exit])", "Q = [1, 3, 5, 2, 4]"),
        ("event([name=queen, arg(1)=[1, B|_], port=exit])", "B = 2"),
        ("event([name=queen, arg(2) \\= -, chrono=C])", "C = 673"),
        ("event([name=queen, args=not([_, -]), chrono=C])", "C = 673"),
        ("event([name=queen, arg(2)=matches(\"^.1, 3\"), chrono=C])", "C = 673"),
        ("event([name=qdelete, port=exit, arg(1)=2, arg(1) > 1, arg(1) = 1..2, chrono=C, chrono < 20])", "C = 14"),
        ("event([name=queen, args=[_]])", "false"),
        ("event([chrono=1, args=[X, Y]])", "X = state('<<c_pointer>>'), Y = -"),
    ]);
}

#[test]
fn what_cannot_be_asked_is_an_error() {
    check(&[
        ("event([prot=exit])", "error: existence_error(attribute, prot)"),
        ("event([decl_module=queens])", "error: existence_error(attribute, decl_module)"),
        ("event([proc=queens:queen/2])", "error: existence_error(attribute, decl_module)"),
        ("event([port=exti])", "error: domain_error(port, exti)"),
        ("event([port=3])", "error: type_error(port, 3)"),
        ("event([depth=foo])", "error: type_error(integer, foo)"),
        ("event([depth=a])", "error: type_error(integer, a)"),
        ("event([depth < foo])", "error: type_error(evaluable, foo/0)"),
        ("event([name=3])", "error: type_error(atom, 3)"),
        ("event(X)", "error: instantiation_error"),
        ("event([X])", "error: instantiation_error"),
        ("event([port|X])", "error: type_error(constraint, port)"),
        ("event([port=exit|X])", "error: instantiation_error"),
        ("event([port=not(X)])", "error: instantiation_error"),
        ("event([port=[exit, X]])", "error: instantiation_error"),
        ("event(foo)", "error: type_error(constraint, foo)"),
        ("event([name=matches(\"(\")])", "error: domain_error(regular_expression, \"(\")"),
        ("goto_np(X)", "error: instantiation_error"),
        ("goto_np(a)", "error: type_error(integer, a)"),
        ("goto_np(0)", "false"),
        ("goto_np(699)", "false"),
        ("current(port=P)", "false"),
    ]);
}

#[test]
fn every_example_of_these_families_gives_its_answer() {
    let families = [
        super::queries::search::TABLE,
        super::commands::moves::TABLE,
        super::commands::moves::STEPS,
        super::relations::calls::TABLE,
    ];
    let families = families.into_iter().chain([
        super::commands::show::TABLE,
        super::relations::info::TABLE,
        super::commands::parameters::TABLE,
        super::values::live_variables::TABLE,
        super::commands::source::TABLE,
    ]);
    check(&families.flatten().map(|record| (record.example, record.answer)).collect::<Vec<_>>());
}

#[test]
fn moves_go_as_morphine_says() {
    check(&[
        ("fget_np(name = queen and port = exit), retry_np, current(chrono=C)", "C = 4"),
        ("goto_np(9), next_np(2), current(chrono=C)", "C = 11"),
        ("last_np, det_next_np", "false"),
        ("first_np, det_prev_np", "false"),
        ("det_prev_np", "false"),
        ("next_np(0)", "true"),
        ("next_np(-1)", "true"),
        ("last_np, prev_np(697), current(chrono=C)", "C = 1"),
        ("last_np, prev_np(698)", "false"),
        ("goto_np(3), finish_np, current(chrono=C)", "C = 4"),
        ("finish_np", "false"),
        ("goto_np(5), bget_np([port=exit, chrono=C])", "C = 3"),
        ("goto_np(1), bget_np(-)", "false"),
        ("goto_np(9), bstep_np(9)", "false"),
        ("goto_np(9), bfinish_np, bfinish_np, current(chrono=C)", "C = 6"),
        ("goto_np(673), finish_np, current(chrono=C)", "C = 674"),
        ("goto_np(43), bfinish_np, current([chrono=C, call=16, port=call])", "C = 40"),
        ("bfinish_np", "false"),
        ("goto_np(9), no_trace, next_np", "false"),
        ("goto_np(9), abort_trace, next_np, current(chrono=C), C = 1", "C = 1"),
    ]);
}

#[test]
fn parameters_are_set_by_their_predicates_and_by_name() {
    let ports = "P = [call, exit, redo, fail, exception, then, else, disj, switch, first, later]";
    check(&[
        ("traced_ports(P)", ports),
        ("traced_ports(['EXIT', fail]), traced_ports(P)", "P = [exit, fail]"),
        ("traced_ports([exit]), goto_np(9), det_prev_np, current(chrono=C)", "C = 3"),
        ("traced_ports([exit]), '$set_default'(traced_ports), det_next_np, current(chrono=C)", "C = 1"),
        ("traced_ports([exti])", "error: domain_error(port, exti)"),
        ("traced_ports([X])", "error: instantiation_error"),
        ("list_display(nest, -1)", "error: domain_error(not_less_than_zero, -1)"),
        ("list_display(long, 1)", "error: domain_error(parameter_value, long)"),
        ("indent(maybe)", "error: domain_error(parameter_value, maybe)"),
        ("'$set_parameter'(list_display, [nest])", "error: domain_error(parameter_values, [nest])"),
        ("'$set_parameter'(lists, [nest])", "error: existence_error(parameter, lists)"),
        ("arg_undisplay(queen, 0)", "error: domain_error(argument_number, 0)"),
        ("arg_undisplay((predicate->m:p/1-0), 2), arg_undisplay(P, N)", "P = (predicate->m:p/1-0), N = 2"),
        (
            "arg_undisplay(p, 1), arg_undisplay(q, 2), arg_undisplay(p, 1), arg_undisplay(P, N)",
            "P = p, N = 1 ; P = q, N = 2",
        ),
        ("arg_undisplay(p, 1), '$set_default'(arg_undisplay), arg_undisplay(P, N)", "false"),
        ("'$get_parameter'(P, [30])", "P = indent_display_limit"),
        ("indent_display(off, '| ', 2), '$get_parameter'(indent_display, L)", "L = [off, '| ', 2]"),
        ("toggle(chrono), attribute_display(C, _, _, _, _, _, _, _, _, _, _, _, _, _, _, L)", "C = off, L = on"),
    ]);
}

#[test]
fn every_proc_pattern_of_morphine_matches_at_673() {
    let trace = sample("queens.jsonl");
    let patterns = [
        "queen",
        "queen/2",
        "queen-0",
        "queen/2-0",
        "queens:queen",
        "queens:queen/2",
        "queens:queen-0",
        "queens:queen/2-0",
        "queens:(queen/2)",
        "queens:(queen-0)",
        "queens:(queen/2-0)",
    ];
    for pattern in patterns {
        for pattern in [pattern.to_owned(), format!("(predicate->{pattern})")] {
            let goal = format!("fget_np([proc={pattern}, port=exit]), current(chrono=C), current(proc={pattern})");
            check_on(&trace, &[(goal.as_str(), "C = 673")]);
        }
    }
    check_on(
        &trace,
        &[
            ("goto_np(673), current(proc=X)", "X = (predicate->queens:queen/2-0)"),
            ("goto_np(673), current(proc=(T->M:N/A-MN))", "T = predicate, M = queens, N = queen, A = 2, MN = 0"),
            ("goto_np(673), current(proc=N/A)", "N = queen, A = 2"),
            ("goto_np(673), current(proc=(function->queen))", "false"),
            ("goto_np(673), current(proc=queen/3)", "false"),
            ("goto_np(673), current(proc=not(queen/3))", "true"),
            ("goto_np(673), current(proc=[qdelete/3, queen/not(3)])", "true"),
            ("goto_np(673), current(proc=[qdelete, queen]/1..2)", "true"),
            ("goto_np(2), current([arg_types=T, args=A, det=D])", "T = [-], A = [-], D = det"),
        ],
    );
}
