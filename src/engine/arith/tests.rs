//! Each function at its edges.

use num_bigint::BigInt;
use std::cmp::Ordering;

use super::{Function, Number, compare, evaluate_unwatched, order};
use crate::engine::heap::{Cell, Stop, Store};
use crate::term::{Atom, Node, Tree};

/// The outcome as text: a number, or the name and first argument of the error.
fn outcome(result: Result<Number, Stop>) -> String {
    match result {
        Ok(Number::Int(value)) => value.to_string(),
        Ok(Number::Big(value)) => value.to_string(),
        Ok(Number::Float(value)) => format!("{value:?}"),
        Err(Stop::Throw(ball)) => formal(&ball),
        Err(stop) => format!("{stop:?}"),
    }
}

fn formal(ball: &Tree) -> String {
    let formal = ball.args(ball.root())[0];
    let name = |id| match ball.node(id) {
        Node::Atom(name) => name.to_string(),
        _ => String::from("?"),
    };
    match ball.args(formal) {
        [] => name(formal),
        args => format!("{}({})", ball.functor(formal).unwrap().0, name(args[0])),
    }
}

fn apply(name: &str, args: &[Number]) -> String {
    let function = Function::find(Atom::new(name), args.len()).expect(name);
    outcome(function.apply(args))
}

fn of_ints(name: &str, args: &[i64]) -> String {
    apply(name, &args.iter().map(|&arg| Number::Int(arg)).collect::<Vec<_>>())
}

fn of_floats(name: &str, args: &[f64]) -> String {
    apply(name, &args.iter().map(|&arg| Number::Float(arg)).collect::<Vec<_>>())
}

fn power_of_two(exponent: u32) -> Number {
    Number::from(BigInt::from(1) << exponent)
}

#[test]
fn integers_grow_instead_of_overflowing() {
    assert_eq!(of_ints("+", &[i64::MAX, 1]), "9223372036854775808");
    assert_eq!(of_ints("-", &[i64::MIN, 1]), "-9223372036854775809");
    assert_eq!(of_ints("*", &[i64::MAX, 2]), "18446744073709551614");
    assert_eq!(of_ints("//", &[i64::MIN, -1]), "9223372036854775808");
    assert_eq!(of_ints("div", &[i64::MIN, -1]), "9223372036854775808");
    assert_eq!(of_ints("-", &[i64::MIN]), "9223372036854775808");
    assert_eq!(of_ints("abs", &[i64::MIN]), "9223372036854775808");
    assert_eq!(of_ints("<<", &[-1, 64]), "-18446744073709551616");
    assert_eq!(of_ints("gcd", &[i64::MIN, i64::MIN]), "9223372036854775808");
    assert_eq!(apply("-", &[power_of_two(64), power_of_two(64)]), "0");
}

#[test]
fn division_rounds_as_its_name_says() {
    assert_eq!(of_ints("//", &[-7, 2]), "-3");
    assert_eq!(of_ints("div", &[-7, 2]), "-4");
    assert_eq!(of_ints("mod", &[7, -2]), "-1");
    assert_eq!(of_ints("mod", &[i64::MIN, -1]), "0");
    assert_eq!(of_ints("rem", &[-7, 2]), "-1");
    assert_eq!(of_ints("/", &[4, 2]), "2");
    assert_eq!(of_ints("/", &[7, 2]), "3.5");
    assert_eq!(of_floats("/", &[5.0, 2.0]), "2.5");
}

#[test]
fn a_quotient_of_large_integers_is_the_nearest_float() {
    let third = apply("/", &[power_of_two(2000), Number::from(BigInt::from(3) << 2000)]);
    assert_eq!(third, format!("{:?}", 1.0 / 3.0));
    assert_eq!(apply("/", &[power_of_two(2000), Number::Int(3)]), "evaluation_error(float_overflow)");
}

#[test]
fn zero_divides_nothing() {
    for name in ["//", "div", "mod", "rem", "/"] {
        assert_eq!(of_ints(name, &[5, 0]), "evaluation_error(zero_divisor)", "{name}");
    }
    assert_eq!(of_floats("/", &[1.0, 0.0]), "evaluation_error(zero_divisor)");
    assert_eq!(of_floats("/", &[0.0, 0.0]), "evaluation_error(undefined)");
}

#[test]
fn an_integer_function_of_a_float_is_a_type_error() {
    for name in ["//", "mod", "/\\", "<<", "gcd", "xor"] {
        assert_eq!(of_floats(name, &[1.0, 2.0]), "type_error(integer)", "{name}");
    }
    assert_eq!(of_floats("\\", &[2.5]), "type_error(integer)");
}

#[test]
fn powers_follow_the_second_corrigendum() {
    assert_eq!(of_ints("**", &[2, 3]), "8");
    assert_eq!(of_ints("**", &[2, -1]), "0.5");
    assert_eq!(of_ints("^", &[2, -1]), "type_error(float)");
    assert_eq!(of_ints("^", &[-1, -3]), "-1");
    assert_eq!(of_ints("^", &[0, 0]), "1");
    assert_eq!(of_ints("^", &[7, 30]), "22539340290692258087863249");
    assert_eq!(of_floats("**", &[-8.0, 0.5]), "evaluation_error(undefined)");
    assert_eq!(of_floats("^", &[0.0, -1.0]), "evaluation_error(zero_divisor)");
}

#[test]
fn a_result_too_large_for_memory_is_an_error() {
    assert_eq!(of_ints("**", &[7, i64::MAX]), "resource_error(memory)");
    assert_eq!(of_ints("<<", &[1, i64::MAX]), "resource_error(memory)");
    assert_eq!(apply("^", &[Number::Int(2), power_of_two(70)]), "resource_error(memory)");
    assert_eq!(apply("^", &[Number::Int(1), power_of_two(70)]), "1");
    assert_eq!(apply(">>", &[Number::Int(-5), power_of_two(70)]), "-1");
}

#[test]
fn floats_are_checked() {
    assert_eq!(of_floats("exp", &[1000.0]), "evaluation_error(float_overflow)");
    assert_eq!(of_floats("*", &[1e308, 10.0]), "evaluation_error(float_overflow)");
    assert_eq!(of_floats("sqrt", &[-1.0]), "evaluation_error(undefined)");
    assert_eq!(of_floats("asin", &[2.0]), "evaluation_error(undefined)");
    assert_eq!(of_ints("log", &[0]), "evaluation_error(undefined)");
    assert_eq!(of_ints("atan2", &[0, 0]), "evaluation_error(undefined)");
    assert_eq!(of_floats("+", &[f64::INFINITY, 1.0]), "inf");
}

#[test]
fn floats_are_taken_apart_and_followed_as_c_does() {
    assert_eq!(of_ints("copysign", &[2, -1]), "-2");
    assert_eq!(apply("copysign", &[Number::Int(2), Number::Float(-0.0)]), "-2");
    assert_eq!(of_floats("copysign", &[2.5, -0.0]), "-2.5");
    assert_eq!(of_ints("nexttoward", &[1, 2]), "1.0000000000000002");
    assert_eq!(of_ints("nexttoward", &[1, 1]), "1.0");
    assert_eq!(of_floats("nexttoward", &[0.0, -1.0]), "-5e-324");
    assert_eq!(of_floats("nexttoward", &[f64::MAX, f64::INFINITY]), "evaluation_error(float_overflow)");
    assert_eq!(of_floats("float_fractional_part", &[f64::NEG_INFINITY]), "-0.0");
    assert_eq!(of_floats("erf", &[0.5]), "0.5204998778130465");
    assert_eq!(of_floats("erfc", &[0.5]), "0.4795001221869535");
    assert_eq!(of_ints("lgamma", &[3]), "0.6931471805599453");
    assert_eq!(of_ints("lgamma", &[0]), "evaluation_error(float_overflow)");
    assert_eq!(of_ints("eval", &[3]), "3");
}

#[test]
fn not_a_number_has_no_order() {
    assert_eq!(order(&Number::Int(1), &Number::Float(f64::NAN)), None);
    assert_eq!(order(&Number::Float(f64::NAN), &Number::Float(f64::NAN)), None);
    assert_eq!(order(&Number::Int(1), &Number::Float(f64::INFINITY)), Some(Ordering::Less));
}

#[test]
fn roundings_give_integers() {
    assert_eq!(of_floats("round", &[-2.5]), "-3");
    assert_eq!(of_floats("truncate", &[-2.5]), "-2");
    assert_eq!(of_floats("floor", &[-2.5]), "-3");
    assert_eq!(of_floats("ceiling", &[2.1]), "3");
    assert_eq!(of_floats("integer", &[1e20]), "100000000000000000000");
    assert_eq!(of_floats("integer", &[f64::INFINITY]), "evaluation_error(undefined)");
    assert_eq!(of_ints("truncate", &[3]), "3");
}

#[test]
fn bits_count_from_zero() {
    assert_eq!(of_ints("msb", &[1000]), "9");
    assert_eq!(of_ints("msb", &[0]), "domain_error(not_less_than_one)");
    assert_eq!(of_ints("popcount", &[5]), "2");
    assert_eq!(of_ints("\\", &[10]), "-11");
    assert_eq!(of_ints("xor", &[10, 12]), "6");
}

#[test]
fn integers_and_floats_compare_exactly() {
    let order = |a: i64, b: f64| compare(&Number::Int(a), &Number::Float(b));
    assert_eq!(order(1, 1.0), Ordering::Equal);
    assert_eq!(order((1 << 53) + 1, (1i64 << 53) as f64), Ordering::Greater);
    assert_eq!(order(i64::MAX, i64::MAX as f64), Ordering::Less);
    assert_eq!(order(5, f64::INFINITY), Ordering::Less);
    assert_eq!(compare(&power_of_two(100), &Number::Float(2f64.powi(100))), Ordering::Equal);
    assert_eq!(compare(&Number::Float(-0.5), &Number::Int(-1)), Ordering::Greater);
    assert_ne!(compare(&Number::Float(f64::NAN), &Number::Float(f64::NAN)), Ordering::Equal);
}

#[test]
fn a_deep_expression_needs_no_native_stack() {
    let mut store = Store::new();
    let one = store.int(1);
    let sum = (0..1_000_000).fold(one, |sum, _| store.compound(Atom::new("+"), &[one, sum]));
    assert_eq!(outcome(evaluate_unwatched(&store, sum)), "1000001");
}

#[test]
fn what_is_no_expression_is_an_error() {
    let mut store = Store::new();
    let variable = store.new_var();
    assert_eq!(outcome(evaluate_unwatched(&store, variable)), "instantiation_error");
    let unknown = store.compound(Atom::new("foo"), &[variable]);
    assert_eq!(outcome(evaluate_unwatched(&store, unknown)), "type_error(evaluable)");
    assert_eq!(outcome(evaluate_unwatched(&store, Cell::atom(Atom::new("foo")))), "type_error(evaluable)");
    let one = store.int(1);
    let sum = store.compound(Atom::new("+"), &[one, variable]);
    assert!(store.unify(variable, sum));
    assert_eq!(outcome(evaluate_unwatched(&store, sum)), "type_error(expression)");
}

#[test]
fn a_part_that_occurs_often_is_evaluated_once() {
    let mut store = Store::new();
    let one = store.int(1);
    let doubled = (0..60).fold(one, |sum, _| store.compound(Atom::new("+"), &[sum, sum]));
    assert_eq!(outcome(evaluate_unwatched(&store, doubled)), (1i64 << 60).to_string());
}

#[test]
fn a_list_of_itself_is_no_expression() {
    let mut store = Store::new();
    let variable = store.new_var();
    let list = store.list(&[variable]);
    assert!(store.unify(variable, list));
    assert_eq!(outcome(evaluate_unwatched(&store, list)), "type_error(expression)");
}

#[test]
fn a_list_of_one_and_a_string_of_one_are_their_element() {
    let mut store = Store::new();
    let letter = store.string("a");
    let list = store.list(&[letter]);
    assert_eq!(outcome(evaluate_unwatched(&store, list)), "97");
}
