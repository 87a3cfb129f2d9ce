//! What predicates written in Rust answer: tables of goals and their answers.

use super::*;

#[test]
fn comparison() {
    check(&[
        ("f(X, Y) = f(Y, a)", "X = a, Y = a"),
        ("f(X, b) \\= f(a, X)", "true"),
        ("X \\= a", "false"),
        ("X \\= a, X = b", "false"),
        ("compare(O, 1.0, 1)", "O = (<)"),
        ("compare(x, 1, 1)", "error: domain_error(order, x)"),
        ("compare(1, 1, 1)", "error: type_error(atom, 1)"),
        ("subsumes_term(f(X, X), f(a, b))", "false"),
        ("subsumes_term(g(X), g(f(X)))", "false"),
        ("subsumes_term(f(X), f(a)), X = b", "X = b"),
        ("subsumes_term(f(A, A), f(X, Y))", "false"),
        ("f(X, Y) =@= f(Y, X)", "true"),
        ("f(X, Y) =@= f(X, X)", "false"),
        ("?=(X, a)", "false"),
    ]);
}

#[test]
fn types() {
    check(&[
        ("atom(\"a\")", "false"),
        ("integer(100000000000000000000)", "true"),
        ("callable(f(x))", "true"),
        ("is_list([a, b])", "true"),
        ("X = f(X), acyclic_term(X)", "false"),
        ("X = [a|X], is_list(X)", "false"),
        ("ground(f(a, [b|_]))", "false"),
    ]);
}

#[test]
fn construction() {
    check(&[
        ("functor([a], N, A)", "N = '.', A = 2"),
        ("functor(1.5, N, A)", "N = 1.5, A = 0"),
        ("functor(T, f, -1)", "error: domain_error(not_less_than_zero, -1)"),
        ("functor(T, f(a), 1)", "error: type_error(atomic, f(a))"),
        ("functor(T, 1.5, 1)", "error: type_error(callable, 1.5)"),
        ("functor(T, f, a)", "error: type_error(integer, a)"),
        ("functor(T, N, 3)", "error: instantiation_error"),
        ("functor(T, f, 100000000000)", "error: resource_error(memory)"),
        ("arg(N, f(a, b), X)", "N = 1, X = a ; N = 2, X = b"),
        ("arg(N, f(a, b, a), a)", "N = 1 ; N = 3"),
        ("arg(0, f(a), X)", "false"),
        ("arg(1000000000000000000000, f(a), X)", "false"),
        ("arg(a, f(a), X)", "error: type_error(integer, a)"),
        ("arg(1, a, X)", "error: type_error(compound, a)"),
        ("arg(-1, f(a), X)", "error: domain_error(not_less_than_zero, -1)"),
        ("T =.. [f|_]", "error: instantiation_error"),
        ("T =.. []", "error: domain_error(non_empty_list, [])"),
        ("T =.. [f(a)]", "error: type_error(atomic, f(a))"),
        ("T =.. [f(a), b]", "error: type_error(atom, f(a))"),
        ("T =.. 4", "error: type_error(list, 4)"),
        ("f(a) =.. [g|X]", "false"),
        ("copy_term(X-Y-X, C)", "C = A-B-A"),
        ("term_variables(f(X), [a|b])", "error: type_error(list, [a|b])"),
        ("numbervars(f(X, Y, X), 5, E)", "X = '$VAR'(5), Y = '$VAR'(6), E = 7"),
        ("is_most_general_term([_|_])", "false"),
    ]);
}

#[test]
fn texts() {
    check(&[
        ("atom_chars(X, ['1', a])", "X = '1a'"),
        ("atom_chars([], L)", "L = ['[', ']']"),
        ("atom_chars(X, [a|_])", "error: instantiation_error"),
        ("atom_chars(X, [a, _])", "error: instantiation_error"),
        ("atom_chars(X, [a, f(b)])", "error: type_error(character, f(b))"),
        ("atom_chars(abc, [1, 2, 3])", "error: type_error(character, 1)"),
        ("atom_chars('North', ['N'|X])", "X = [o, r, t, h]"),
        ("atom_chars(X, iso)", "error: type_error(list, iso)"),
        ("atom_codes(X, [-1])", "error: representation_error(character_code)"),
        ("atom_codes(f(a), L)", "error: type_error(atom, f(a))"),
        ("atom_codes(X, \"ab\")", "X = ab"),
        ("char_code(X, 0'é)", "X = é"),
        ("char_code(X, Y)", "error: instantiation_error"),
        ("char_code(ab, Y)", "error: type_error(character, ab)"),
        ("char_code(a, x)", "error: type_error(integer, x)"),
        ("char_code(X, -1)", "error: representation_error(character_code)"),
        ("atom_length('pâté', N)", "N = 4"),
        ("atom_length(1.23, 4)", "error: type_error(atom, 1.23)"),
        ("atom_length(X, 4)", "error: instantiation_error"),
        ("atom_length(a, -4)", "error: domain_error(not_less_than_zero, -4)"),
        ("atom_length(a, b)", "error: type_error(integer, b)"),
        ("string_code(0, \"abc\", C)", "false"),
        ("string_code(4, \"abc\", C)", "false"),
        ("atom_string(A, \"x\")", "A = x"),
        ("atom_string(42, S)", "S = \"42\""),
        ("string_upper(\"straße\", S)", "S = \"STRASSE\""),
        ("string_to_atom(S, abc)", "S = \"abc\""),
    ]);
}

#[test]
fn numbers_as_text() {
    check(&[
        ("number_codes(X, \" 42\")", "X = 42"),
        ("number_chars(X, ['4', '.', '2'])", "X = 4.2"),
        ("number_chars(X, [' ', '0', o, '1', '1'])", "X = 9"),
        ("number_chars(X, ['3', ' '])", "error: syntax_error(illegal_number)"),
        ("number_chars(X, [a|_])", "error: instantiation_error"),
        ("number_chars(X, [a|a])", "error: type_error(list, [a|a])"),
        ("number_chars(1, [a])", "error: syntax_error(illegal_number)"),
        ("number_chars(1, [_, _])", "false"),
        ("number_codes(a, L)", "error: type_error(number, a)"),
        ("number_codes(X, [0'4, -1])", "error: representation_error(character_code)"),
        ("number_codes(33.0, L), number_codes(X, L)", "L = [51, 51, 46, 48], X = 33.0"),
        ("atom_number(foo, N)", "false"),
        ("atom_number(A, 12)", "A = '12'"),
        ("atom_number(A, N)", "error: instantiation_error"),
        ("number_string(N, \"123aap\")", "false"),
        ("name(X, [0'a, 0'1])", "X = a1"),
        ("term_to_atom(T, 'foo(X, bar, Y, X)')", "T = foo(A, bar, B, A)"),
        ("term_to_atom(1+'A b', A)", "A = '1+\\'A b\\''"),
        ("term_to_atom(T, A)", "error: instantiation_error"),
        ("term_string(T, \"g(1)\")", "T = g(1)"),
        ("term_string(\"g(1)\", T)", "T = g(1)"),
        ("term_string(f(x), S)", "S = \"f(x)\""),
    ]);
}

#[test]
fn parts_of_texts() {
    check(&[
        ("atom_concat(A, B, C)", "error: instantiation_error"),
        ("atom_concat(f(a), b, C)", "error: type_error(atom, f(a))"),
        ("atom_concat(A, world, 'hello world')", "A = 'hello '"),
        ("atom_concat(X, X, abab)", "X = ab"),
        ("atom_concat(a, 1, X)", "X = a1"),
        ("string_concat(A, B, \"é\")", "A = \"\", B = \"é\" ; A = \"é\", B = \"\""),
        ("sub_atom(abracadabra, B, 2, A, ab)", "B = 0, A = 9 ; B = 7, A = 2"),
        ("sub_atom(abracadabra, 3, L, 3, S)", "L = 5, S = acada"),
        ("sub_atom(ab, B, L, 0, S)", "B = 0, L = 2, S = ab ; B = 1, L = 1, S = b ; B = 2, L = 0, S = ''"),
        ("sub_atom(X, 1, 2, _, S)", "error: instantiation_error"),
        ("sub_atom(abc, B, L, A, 1+2)", "error: type_error(atom, 1+2)"),
        ("sub_atom(abc, a, L, A, S)", "error: type_error(integer, a)"),
        ("sub_atom(abc, 1, -3, A, S)", "error: domain_error(not_less_than_zero, -3)"),
        ("sub_atom('Banana', 2, 3, 2, S)", "false"),
        ("sub_atom(aXbX, B, 1, A, 'X')", "B = 1, A = 2 ; B = 3, A = 0"),
        ("sub_string(\"héllo\", 1, 3, A, S)", "A = 1, S = \"éll\""),
        ("atomic_list_concat([a, X], A)", "error: instantiation_error"),
        ("atomic_list_concat([a, f(b)], A)", "error: type_error(atomic, f(b))"),
        ("atomic_list_concat([a, B], '-', 'a-b')", "B = b"),
        ("atomic_list_concat(L, '', abc)", "error: domain_error(non_empty_atom, '')"),
        ("atomic_list_concat([a, 2, \"c\"], ', ', A)", "A = 'a, 2, c'"),
        ("split_string(\"/home//jan///\", \"/\", \"\", L)", "L = [\"\", \"home\", \"\", \"jan\", \"\", \"\", \"\"]"),
        ("split_string(\"  a  \", \"\", \" \", L)", "L = [\"a\"]"),
        ("split_string(\"SWI-Prolog, 7.0\", \",\", \" \", L)", "L = [\"SWI-Prolog\", \"7.0\"]"),
    ]);
}

#[test]
fn arithmetic_goals() {
    check(&[
        ("X is foo + 1", "error: type_error(evaluable, foo/0)"),
        ("X is foo(a) + 1", "error: type_error(evaluable, foo/1)"),
        ("3 is 1 + 2.0", "false"),
        ("1 =:= 1.0", "true"),
        ("X < 1", "error: instantiation_error"),
        ("0'a =:= \"a\"", "true"),
        ("between(3, 1, X)", "false"),
        ("between(1, inf, 5)", "true"),
        ("between(1, 3, 4)", "false"),
        ("between(1, 3, a)", "error: type_error(integer, a)"),
        ("between(a, 3, X)", "error: type_error(integer, a)"),
        ("between(X, 3, 1)", "error: instantiation_error"),
        ("succ(X, 0)", "false"),
        ("succ(3, X)", "X = 4"),
        ("succ(X, Y)", "error: instantiation_error"),
        ("succ(X, -1)", "error: domain_error(not_less_than_zero, -1)"),
        ("plus(X, 2, 5)", "X = 3"),
        ("plus(1, 2, X)", "X = 3"),
    ]);
}

#[test]
fn lists() {
    check(&[
        ("length([a, b|T], 3)", "T = [_]"),
        ("length([a, b], N)", "N = 2"),
        ("length(L, -1)", "error: domain_error(not_less_than_zero, -1)"),
        ("length(L, a)", "error: type_error(integer, a)"),
        ("length([a|b], N)", "error: type_error(list, [a|b])"),
        ("length([a, b|T], 1)", "false"),
        ("length(L, 10000000000)", "error: resource_error(memory)"),
        ("numlist(1, 1000000000, L)", "error: resource_error(memory)"),
        ("numlist(3, 1, L)", "false"),
        ("sum_list([1, 2.5], S)", "S = 3.5"),
        ("max_list([], M)", "false"),
        ("sum_list([a], M)", "error: type_error(evaluable, a/0)"),
        ("sort([c, 1, b, 1.0, f(x), \"s\", _], [X|T])", "T = [1.0, 1, \"s\", b, c, f(x)]"),
        ("msort([b, a, b, 1], L)", "L = [1, a, b, b]"),
        ("sort(_, L)", "error: instantiation_error"),
        ("sort([a|b], L)", "error: type_error(list, [a|b])"),
        ("sort(0, @>=, [1, 2, 1], L)", "L = [2, 1, 1]"),
        ("sort(1, @<, [c(1), a(2), a(2), b(2)], L)", "L = [c(1), a(2)]"),
        ("sort([1, 1], @=<, [c(t(2)), a(t(1))], L)", "L = [a(t(1)), c(t(2))]"),
        ("sort(0, X, [1], L)", "error: instantiation_error"),
        ("sort(0, foo, [1], L)", "error: domain_error(order, foo)"),
        ("keysort([b-1, a-2, b-0], L)", "L = [a-2, b-1, b-0]"),
        ("keysort([a], L)", "error: type_error(pair, a)"),
        ("keysort([_], L)", "error: instantiation_error"),
        ("keysort([], 3)", "error: type_error(list, 3)"),
    ]);
}

#[test]
fn an_open_list_grows() {
    let mut world = world(&queens());
    let goal = load(&mut world, "length(L, N), between(0, 2, N)");
    let mut lengths = Vec::new();
    let PredicateFunction::Nondet(run) = tables().find(|record| record.name == "length").expect("is there").run else {
        panic!("length has many answers")
    };
    let mut answers = run(&mut world, &goal.variables).unwrap().expect("has answers");
    for _ in 0..3 {
        let mark = world.store.choose();
        assert_eq!(answers.next(&mut world).unwrap(), NextSolution::More);
        lengths.push(world.store.walk_list(goal.variables[0]).items.len());
        world.store.back_to(mark);
    }
    assert_eq!(lengths, [0, 1, 2]);
}

#[test]
fn operators() {
    check(&[
        ("op(700, xfx, ==>), current_op(P, T, ==>)", "P = 700, T = xfx"),
        ("op(0, xfx, is), current_op(P, T, is)", "false"),
        ("op(1201, xfx, a)", "error: domain_error(operator_priority, 1201)"),
        ("op(700, xyz, a)", "error: domain_error(operator_specifier, xyz)"),
        ("op(700, xfx, ',')", "error: permission_error(modify, operator, ',')"),
        ("op(700, xfx, [])", "error: permission_error(create, operator, [])"),
        ("op(700, xfx, {})", "error: permission_error(create, operator, {})"),
        ("op(1000, xfy, '|')", "error: permission_error(create, operator, '|')"),
        ("op(P, xfx, a)", "error: instantiation_error"),
        ("op(700, xfx, f(a))", "error: type_error(list, f(a))"),
        ("op(700, xfx, 1)", "error: type_error(list, 1)"),
        ("op(700, xfx, [a, 1])", "error: type_error(atom, 1)"),
        ("current_op(1201, T, N)", "error: domain_error(operator_priority, 1201)"),
        ("current_op(P, a, N)", "error: domain_error(operator_specifier, a)"),
        ("current_op(P, T, 1)", "error: type_error(atom, 1)"),
        ("current_op(P, xfy, ',')", "P = 1000"),
    ]);
}

#[test]
fn flags_and_variables() {
    check(&[
        ("set_prolog_flag(double_quotes, chars), current_prolog_flag(double_quotes, V)", "V = chars"),
        ("set_prolog_flag(bounded, true)", "error: permission_error(modify, flag, bounded)"),
        ("set_prolog_flag(nonsense, on)", "error: domain_error(prolog_flag, nonsense)"),
        ("set_prolog_flag(debug, maybe)", "error: domain_error(flag_value, debug+maybe)"),
        ("set_prolog_flag(X, on)", "error: instantiation_error"),
        ("set_prolog_flag(occurs_check, true), X = f(X)", "false"),
        ("current_prolog_flag(1, V)", "error: type_error(atom, 1)"),
        ("current_prolog_flag(nonsense, V)", "false"),
        ("nb_setval(a, f(X)), nb_getval(a, V)", "V = f(_)"),
        ("b_setval(a, f(X)), b_setval(a, g(X)), b_getval(a, V)", "V = g(X)"),
        ("nb_setval(1, a)", "error: type_error(atom, 1)"),
        ("tick(c, f(K)), ticks(c, P)", "P = [f(_)-1]"),
        ("tick(c, f(a), 2), tick(c, b), tick(c, f(a)), ticks(c, P)", "P = [b-1, f(a)-3]"),
        ("tick(c, a, b)", "error: type_error(integer, b)"),
        ("statistics(nonsense, V)", "error: domain_error(statistics_key, nonsense)"),
    ]);
}

#[test]
fn formats() {
    check(&[
        ("'$format'(atom(A), '~a~t~10|~w~t~5+~q', [ab, 12, 'C'])", "A = 'ab        12   \\'C\\''"),
        ("'$format'(atom(A), '~t~w~10|', [right])", "A = '     right'"),
        ("'$format'(atom(A), '~`-t~30|', [])", "A = '------------------------------'"),
        ("'$format'(atom(A), '~t~d~6|~t~d~12|', [1, 22])", "A = '     1    22'"),
        ("'$format'(atom(A), '~2d ~D', [314, 1234567])", "A = '3.14 1,234,567'"),
        ("'$format'(atom(A), '~4f ~2e ~g', [2, 0.5, 0.1])", "A = '2.0000 5.00e-01 0.1'"),
        ("'$format'(atom(A), '~8r ~16R ~16r', [64, 255, 255])", "A = '100 FF ff'"),
        ("'$format'(atom(A), '~s~c~3c', [\"ab\", 0'x, 0'y])", "A = abxyyy"),
        ("'$format'(atom(A), '~i~w~*c', [skipped, b, 2, 0'.])", "A = 'b..'"),
        ("'$format'(atom(A), '~~ ~p', 'X')", "A = '~ \\'X\\''"),
        ("'$format'(atom(A), '~a', [])", "error: format('not enough arguments')"),
        ("'$format'(atom(A), 'x', [a])", "error: format('too many arguments')"),
        ("'$format'(atom(A), '~d', [a])", "error: type_error(integer, a)"),
        ("'$format'(atom(A), '~1r', [5])", "error: domain_error(radix, 1)"),
        ("'$format'(atom(A), '~99999999999c', [0'a])", "error: resource_error(memory)"),
        ("'$format'(string(S), '~w', [a-1])", "S = \"a-1\""),
        ("'$format'(codes(L), 'ab', [])", "L = [97, 98]"),
        ("'$format'(codes(L, T), 'ab', [])", "L = [97, 98|T]"),
        ("'$format'(chars(L, [c]), 'ab', [])", "L = [a, b, c]"),
        ("'$format'(foo(L), 'ab', [])", "error: domain_error(output_sink, foo(L))"),
        ("X is nan, '$format'(atom(A), '~2f ~0e', [X, inf])", "X = 1.5NaN, A = 'nan inf'"),
        (
            "'$format_goals'('~~~a~*c~`~t~2d~@~w~@', [1, 2, 3, 4, g, 6, h], A, G)",
            "A = [1, 2, 3, 4, T, 6, U], G = [g-T, h-U]",
        ),
        ("'$format_goals'('~a', [1], A, G)", "false"),
        ("sprintf(S, \"%5d|%-5s|%05.1f|%x|%%\", [42, ab, 2.25, 255])", "S = \"   42|ab   |002.2|ff|%\""),
        ("sprintf(S, \"%w %q\", ['A b', 'A b'])", "S = \"A b 'A b'\""),
    ]);
}
