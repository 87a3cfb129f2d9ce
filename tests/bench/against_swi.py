#!/usr/bin/env python3
"""Random programs and goals, put to papaver and to SWI-Prolog: where the two differ, and why.

  against_swi.py [--cases N] [--seed S] [--batch N] [--only KIND[,KIND]] [--papaver PATH] [--swipl PATH] [--show N]
                 [--explained TEXT]

Makes N cases (10000 unless told otherwise) from the seed: of each kind (see KINDS) as many. A case is a goal, for some
kinds with clauses of its own. Both engines run the same file of many cases (`--batch`), which collects the first six
answers of each, what it writes, and its error; an inference limit ends what runs for ever. Where the outcomes differ, the
first row of REASONS that fits says why that is right; what no row explains is
printed, the shortest of each group of `--show` that look alike, and makes the exit status 1. `--explained TEXT` prints, in the
same way, what the rows explain whose reason has TEXT: so one sees what a row hides. The same seed makes the same cases: `--only arithmetic --seed 7 --cases 1000` is a run to repeat.
"""
import argparse, os, random, re, shutil, signal, subprocess, sys, tempfile
from collections import Counter, defaultdict

LIMIT = 60

HARNESS = r"""
:- initialization(main).
:- dynamic(d/1).
:- dynamic(d/2).

main :- from(From), forall(( k(N), N >= From ), run(N)), halt.

run(N) :-
    retractall(d(_)), retractall(d(_, _)),
    with_output_to(string(Text), outcome(N, Outcome)),
    told(N, Outcome, Text).

outcome(N, Outcome) :-
    catch(( call_with_inference_limit(findall(V, limit(6, t(N, V)), L), 100000, R),
            ( R == inference_limit_exceeded -> Outcome = limit ; Outcome = answers(L) ) ), E, true),
    ( nonvar(Outcome) -> true ; E = error(F, _) -> Outcome = error(F) ; Outcome = ball(E) ).

told(N, Outcome, Text) :-
    write(N), put_char('\t'),
    ( acyclic_term(Outcome) -> term_variables(Outcome, Vs), names(Vs, 0), w(Outcome) ; write(cyclic) ),
    put_char('\t'), writeq(Text), nl.

names([], _).
names(['$name'(N)|Vs], N) :- M is N + 1, names(Vs, M).

w(T) :- atomic(T), !, writeq(T).
w('$name'(N)) :- !, write('_'), write(N).
w(error(F, _)) :- !, write('error('), w(F), write(')').
w([X|Xs]) :- !, write('['), w(X), ws(Xs), write(']').
w(T) :- T =.. [F|As], writeq(F), write('('), wa(As), write(')').

ws([]) :- !.
ws([X|Xs]) :- !, write(','), w(X), ws(Xs).
ws(T) :- write('|'), w(T).

wa([X]) :- !, w(X).
wa([X|Xs]) :- w(X), write(','), wa(Xs).
"""


# Generators: each takes a Random and gives (clauses, goal, variables).

def pick(r, *choices):
    return r.choice(choices)


ATOMS = ["a", "b", "abc", "[]", "'B c'", "'\\n'", "{}", "+", "'hello world'", "é", "';'", "foo"]
SMALL = ["0", "1", "2", "3", "-1", "7", "10"]
NUMBERS = SMALL + ["5", "-3", "100", "255", "1.0", "2.5", "-0.5", "0.0", "1.0e10", "3.7", "-2.5", "12345678901234567890",
                   "9223372036854775807", "-9223372036854775808", "1.0e100", "1.5e300"]
STRINGS = ['""', '"a"', '"abc"', '"hello world"', '" x y "', '"12"', '"1.5"', '"a,b,,c"', '"é€"']


def term(r, depth=2, variables=("X", "Y", "Z")):
    kind = r.random()
    if depth == 0 or kind < 0.45:
        return pick(r, r.choice(ATOMS), r.choice(SMALL), r.choice(NUMBERS), r.choice(STRINGS), r.choice(variables), r.choice(ATOMS))
    if kind < 0.6:
        return "[" + ", ".join(term(r, depth - 1, variables) for _ in range(r.randint(0, 3))) + "]"
    if kind < 0.66:
        return "[%s|%s]" % (term(r, depth - 1, variables), term(r, depth - 1, variables))
    if kind < 0.8:
        return "(%s%s%s)" % (bracket(term(r, depth - 1, variables)), pick(r, "-", "+", "*", "=", ":-", ",", "/"),
                           bracket(term(r, depth - 1, variables)))
    if kind < 0.84:
        return "-(%s)" % term(r, depth - 1, variables)
    return "%s(%s)" % (pick(r, "f", "g", "p", "'A b'", "point"),
                       ", ".join(term(r, depth - 1, variables) for _ in range(r.randint(1, 3))))


def bracket(text):
    return "(" + text + ")"


def ground(r, depth=2):
    return term(r, depth, ("a",))


def expression(r, depth=3):
    if depth == 0 or r.random() < 0.25:
        return pick(r, r.choice(SMALL), r.choice(NUMBERS), r.choice(SMALL), "pi", "e") if r.random() < 0.98 else "foo"
    if r.random() < 0.35:
        name = pick(r, "-", "abs", "sign", "min1", "truncate", "integer", "float", "round", "ceiling", "floor", "sqrt",
                    "sin", "cos", "atan", "exp", "log", "msb", "\\", "float_integer_part", "float_fractional_part", "+",
                    "succ", "asin", "acos", "tan", "sinh", "cosh", "tanh", "log2")
        return "%s(%s)" % (name if name != "min1" else "abs", expression(r, depth - 1))
    name = pick(r, "+", "-", "*", "/", "//", "mod", "rem", "min", "max", "**", "^", ">>", "<<", "/\\", "\\/", "xor", "div",
                "gcd", "atan2", "copysign", "truncate2", "divmod")
    a, b = expression(r, depth - 1), expression(r, depth - 1)
    if name in ("**", "^", "<<"):
        b = pick(r, "0", "1", "2", "3", "-1", "0.5", "10")
    if name in ("min", "max", "gcd", "atan2", "copysign"):
        return "%s(%s, %s)" % (name, a, b)
    if name in ("truncate2", "divmod"):
        name = "+"
    return "(%s) %s (%s)" % (a, name, b)


def arithmetic(r):
    if r.random() < 0.8:
        return "", "X is " + expression(r), "X"
    return "", "(%s) %s (%s)" % (expression(r, 2), pick(r, "<", ">", "=<", ">=", "=:=", "=\\="), expression(r, 2)), ""


def body(r, n, depth=2):
    """A body over the predicates of case n; it writes where it has been."""
    kind = r.random()
    if depth == 0 or kind < 0.4:
        return pick(r, "true", "fail", "!", "!", "fail", "q%d(X)" % n, "r%d(X, Y)" % n, "write(a)", "write(X)", "X = 1", "Y = 2", "X = Y",
                    "X == 1", "member(X, [1, 2, 3])", "q%d(Y)" % n, "throw(b)", "nonvar(X)", "X \\= 2", "call(!)", "Y is 1 + 1")
    if kind < 0.7:
        return "(%s, %s)" % (body(r, n, depth - 1), body(r, n, depth - 1))
    if kind < 0.76:
        return "(%s ; %s)" % (body(r, n, depth - 1), body(r, n, depth - 1))
    if kind < 0.86:
        return "(%s %s %s ; %s)" % (body(r, n, depth - 1), pick(r, "->", "->", "*->"), body(r, n, depth - 1), body(r, n, depth - 1))
    if kind < 0.9:
        return "\\+ " + bracket(body(r, n, depth - 1))
    if kind < 0.95:
        return "catch(%s, %s, %s)" % (body(r, n, depth - 1), pick(r, "_", "b", "E", "c"), body(r, n, depth - 1))
    return pick(r, "call((%s))", "once((%s))", "ignore((%s))", "forall(%s, true)", "findall(X, (%s), Y)", "(%s -> true)") % body(r, n, depth - 1)


def control(r, n):
    clauses = ["p%d(X, Y) :- %s." % (n, body(r, n, pick(r, 3, 4))) for _ in range(r.randint(1, 3))]
    clauses += ["q%d(%s) :- %s." % (n, pick(r, "1", "2", "X"), body(r, 0, 1).replace("q0(X)", "true").replace("r0(X, Y)", "true")
                                    .replace("q0(Y)", "fail")) for _ in range(r.randint(1, 3))]
    clauses += ["r%d(%s, %s)." % (n, pick(r, "1", "2", "_"), pick(r, "1", "2", "3")) for _ in range(2)]
    return "\n".join(clauses), "p%d(X, Y)" % n, "X, Y"


def exceptions(r, n):
    def thrown(depth):
        kind = r.random()
        if depth == 0 or kind < 0.4:
            return pick(r, "throw(%s)" % term(r, 1), "atom_length(%s, L)" % term(r, 1), "X is %s" % term(r, 1), "true", "fail",
                        "arg(%s, %s, A)" % (term(r, 0), term(r, 1)), "functor(%s, %s, %s)" % (term(r, 1), term(r, 0), term(r, 0)),
                        "call(%s)" % pick(r, "1", "X", "(fail, 1)", "(write(x), 1)", "foo:bar", "undefined_%d" % n, "(a, X)"),
                        "atom_codes(%s, %s)" % (term(r, 0), term(r, 1)), "number_codes(X, \"%s\")" % pick(r, "3", "x", " 3", "3 "),
                        "write(w)", "X = %s" % term(r, 1))
        if kind < 0.75:
            return "catch(%s, %s, %s)" % (thrown(depth - 1), term(r, 1, ("E", "X")), thrown(depth - 1))
        if kind < 0.85:
            return "setup_call_cleanup(true, %s, write(c))" % thrown(depth - 1)
        return "(%s, %s)" % (thrown(depth - 1), thrown(depth - 1))
    return "", thrown(3), "X, E"


def solutions(r, n):
    facts = "\n".join("s%d(%s, %s)." % (n, pick(r, "1", "2", "a", "b", "_"), pick(r, "1", "2", "f(1)", "f(Z)", "c"))
                      for _ in range(r.randint(1, 5)))
    goal = pick(r, "s%d(X, Y)" % n, "s%d(Y, X)" % n, "Z^s%d(X, Z)" % n, "Y^s%d(X, Y)" % n, "(s%d(X, Y), s%d(Y, Z))" % (n, n),
                "member(X, [c, a, b, a])", "X^Y^s%d(X, Y)" % n, "(member(X, [1, 2]), s%d(Y, X))" % n, "(s%d(X, Z), \\+ X = 1)" % n)
    template = pick(r, "X", "X-Y", "f(X, Z)", "Y", "x", "[X|Y]")
    name = pick(r, "bagof", "setof", "findall", "bagof", "setof")
    call = pick(r, "%s(%s, %s, L)" % (name, template, goal), "forall(%s, %s)" % (goal.replace("^", ",") if "^" not in goal else "s%d(X, Y)" % n, "nonvar(X)"),
                "aggregate_all(%s, %s, L)" % (pick(r, "count", "bag(X)", "set(X)", "max(X)", "min(X)", "sum(X)", "max(X, Y)"), goal.split("^")[-1]),
                "%s(%s, %s, L)" % (name, template, goal), "findall(%s, %s, L, T)" % (template, goal.split("^")[-1]))
    return facts, call, "L, X, Y, Z"


def database(r, n):
    steps = []
    for _ in range(r.randint(2, 5)):
        a, b = pick(r, "1", "2", "3", "X", "f(X)"), pick(r, "1", "2", "Y")
        steps.append(pick(r, "assertz(d(%s))" % a, "asserta(d(%s))" % a, "(d(X), assertz(d(%s)), fail ; true)" % pick(r, "4", "f(X)", "5"),
                          "(retract(d(%s)), write(%s), fail ; true)" % (a, a), "retract(d(%s))" % a, "retractall(d(%s))" % a,
                          "assertz((d(%s, %s) :- %s))" % (a, b, pick(r, "true", "!", "X = 1, Y = 2", "d(Y)", "write(x), !")),
                          "(d(A), write(A), retract(d(A)), fail ; true)", "forall(d(A), write(A))", "(clause(d(P, Q), B), write(B), fail ; true)",
                          "assertz((d(%s, %s) :- %s))" % (a, b, pick(r, "1", "foo:-bar", "(a, 1)", "\\+ d(3)")), "abolish(foo/a)",
                          "assertz(%s)" % pick(r, "(foo :- 1)", "(atom(_) :- true)", "3", "(X :- true)")))
    return "", "(" + ", ".join(steps) + ", " + pick(r, "d(X)", "d(X, Y)", "findall(W, d(W), X)", "clause(d(X, Y), Z)") + ")", "X, Y, Z"


def text_value(r):
    return pick(r, r.choice(ATOMS), r.choice(STRINGS), r.choice(NUMBERS), "X", "[a, b]", "\"0'a\"", "f(x)", "[0'a, 0'b]", "[]", r.choice(ATOMS), r.choice(STRINGS))


def text(r):
    v = lambda: text_value(r)
    atom, string, small = (lambda: r.choice(ATOMS + ["abcde", "hello"])), (lambda: r.choice(STRINGS)), (lambda: pick(r, "0", "1", "2", "B", "L", "-1"))
    goal = pick(r,
        "atom_length(%s, X)" % v(), "atom_concat(%s, %s, X)" % (v(), v()), "atom_concat(X, Y, %s)" % atom(),
        "sub_atom(%s, B, %s, A, X)" % (atom(), small()), "sub_atom(%s, %s, %s, A, %s)" % (atom(), small(), small(), pick(r, "X", "b", "a")),
        "atom_codes(%s, X)" % v(), "atom_chars(%s, X)" % v(), "atom_codes(X, %s)" % v(), "atom_chars(X, %s)" % v(),
        "char_code(%s, X)" % pick(r, "a", "X", "ab", "é"), "number_codes(X, %s)" % v(), "atom_number(%s, X)" % pick(r, v(), "'0x1A'", "'12abc'", "' 12'", "'1e5'", "'0''a'", "'1.0e3'", "'+3'", "'-3'", "'- 3'"),
        "upcase_atom(%s, X)" % v(), "downcase_atom(%s, X)" % v(), "string_upper(%s, X)" % v(), "string_lower(%s, X)" % v(),
        "split_string(%s, %s, %s, X)" % (string(), pick(r, '","', '" "', '""'), pick(r, '""', '" "', '"a"')),
        "atomic_list_concat(%s, X)" % pick(r, "[a, B]", "[a, 1, \"x\"]", "[%s, %s]" % (v(), v()), "[]", "[f(x)]"),
        "atomic_list_concat(%s, %s, X)" % (pick(r, "[a, 1, \"x\"]", "[%s, %s, %s]" % (v(), v(), v()), "[]"), pick(r, "','", "''", "-", "\", \"", "X")),
        "atomic_list_concat(X, %s, %s)" % (pick(r, "','", "''", "-", "\", \""), pick(r, "'a,b,c'", "abc", "\"a-b\"", "''", v())),
        "string_concat(%s, %s, X)" % (v(), v()), "string_concat(X, Y, %s)" % string(), "string_length(%s, X)" % v(),
        "sub_string(%s, %s, %s, A, X)" % (string(), small(), small()), "string_codes(%s, X)" % v(), "string_chars(%s, X)" % v(),
        "string_to_atom(%s, X)" % v(), "number_string(X, %s)" % v(), "atom_string(%s, X)" % v(), "string_code(%s, %s, X)" % (pick(r, "0", "1", "2", "9", "-1"), string()),
        "term_to_atom(%s, X)" % term(r), "term_to_atom(X, %s)" % pick(r, "'f(A, B, A)'", "'a+b'", "'foo('", "\"x\"", "'1.0'"), "term_string(X, %s)" % pick(r, "\"f(x)\"", "\"a b\"", "'[1,2|T]'"),
        "char_type(%s, %s)" % (pick(r, "a", "'A'", "'1'", "' '"), pick(r, "alpha", "digit(X)", "upper", "space", "lower", "alnum")),
        "text_concat(%s, %s, X)" % (v(), v()), "text_to_string(%s, X)" % v(), "normalize_space(atom(X), %s)" % string(), "sformat_is_gone",
        "read_term_from_atom(%s, X, [])" % pick(r, "'foo(X)'", "'a+b*c'", "'[a|b]'"), "nb_setval(k, %s), nb_getval(k, X)" % v(), "number_vars_is_gone",
        "string_code(1, %s, X)" % v(), "char_code(X, %s)" % pick(r, "97", "0", "-1", "233", "a", "1114112"), "number_codes(%s, X)" % v(), "atom_to_term(%s, X, Y)" % pick(r, "'foo(X, Y, X)'", "'a'", "'_'"))
    goal = goal.replace("sformat_is_gone", "true").replace("number_vars_is_gone", "true")
    return "", goal, "X, Y, A, B, L"


def format_goal(r):
    directives, arguments = [], []
    for _ in range(r.randint(1, 4)):
        d = pick(r, "~w", "~q", "~a", "~d", "~D", "~s", "~e", "~f", "~g", "~n", "~c", "~r", "~R", "~8|", "~t", "~10+", "~i", "~p", "~~", "~*c", "~2d", "~3f", "~0f", "~2e",
                 "~8r", "~16R", "~`-t~20|", "~t~w~10|", "~w~t~10+", "~3d", "~0e", "~1g", "~20f", "~ic", "~4|", "~+", "~2n", "~a~t~a~15|")
        directives.append(d + pick(r, "", " ", "x", "|"))
        for letter in re.findall(r"~[0-9*`\-]*([a-zA-Z|+~])", d):
            if "*" in d and letter == "c":
                arguments.append(pick(r, "3", "0"))
            if letter in "wqpi":
                arguments.append(term(r, 1))
            elif letter == "a":
                arguments.append(pick(r, r.choice(ATOMS), r.choice(STRINGS), "1"))
            elif letter in "dDrR":
                arguments.append(pick(r, "0", "5", "-5", "1234567", "12345678901234567890", "-12", "1.5", "a", "1 + 2") if r.random() < 0.3 else pick(r, "0", "5", "-5", "1234567", "-123456"))
            elif letter in "efg":
                arguments.append(pick(r, "1.5", "0.0", "3", "-2.25", "1.0e10", "123.456", "1.0e100", "0.1", "2 ** 3", "a", "12345678901234567890"))
            elif letter == "c":
                arguments.append(pick(r, "97", "65", "233", "10"))
            elif letter == "s":
                arguments.append(pick(r, '"abc"', "[0'a, 0'b]", "abc", "[a, b]"))
    if r.random() < 0.08:
        arguments = arguments[:-1] if r.random() < 0.5 else arguments + ["z"]
    return "", "format(\"%s\", [%s])" % ("".join(directives), ", ".join(arguments)), "X"


def order(r):
    t = lambda: term(r, pick(r, 0, 1, 2), ("X", "a", "1"))
    items = "[%s]" % ", ".join(t() for _ in range(r.randint(0, 6)))
    pairs = "[%s]" % ", ".join("%s-%s" % (bracket(term(r, 0, ("1",))), term(r, 0, ("1",))) for _ in range(r.randint(0, 6)))
    return "", pick(r, "compare(O, %s, %s)" % (t(), t()), "msort(%s, O)" % items, "sort(%s, O)" % items, "sort(0, %s, %s, O)" % (pick(r, "@<", "@>", "@=<", "@>="), items),
                    "sort(1, %s, [f(2, a), f(1, b), f(1, c), %s], O)" % (pick(r, "@<", "@>", "@=<", "@>="), pick(r, "f(1, b)", "g(0)", "a")), "keysort(%s, O)" % pairs,
                    "predsort([C, A, B]>>compare(C, A, B), %s, O)" % items, "%s %s %s" % (bracket(t()), pick(r, "@<", "@>", "@=<", "@>=", "==", "\\=="), bracket(t())),
                    "list_to_set(%s, O)" % items, "sort(%s, O)" % items, "list_to_ord_set(%s, O)" % items, "max_member(O, %s)" % items, "min_member(O, %s)" % items,
                    "pairs_keys_values(O, %s, [1, 2])" % items, "%s =@= %s" % (bracket(t()), bracket(t())), "%s = %s" % (bracket(t()), bracket(t())), "unify_with_occurs_check(%s, %s)" % (t(), t()), "subsumes_term(%s, %s)" % (t(), t()), "?=(%s, %s)" % (t(), t())), "O, X"


def lists(r):
    items = lambda: pick(r, "[%s]" % ", ".join(pick(r, "a", "b", "c", "1", "2", "X", "f(Y)") for _ in range(r.randint(0, 4))), "[%s|T]" % pick(r, "a", "1", "X"), "T", "foo", "[a|b]") if r.random() < 0.4 else "[%s]" % ", ".join(pick(r, "a", "b", "c", "1", "2", "X") for _ in range(r.randint(0, 4)))
    numbers = lambda: "[%s]" % ", ".join(r.choice(NUMBERS[:14]) for _ in range(r.randint(0, 4)))
    e, k = (lambda: pick(r, "a", "b", "1", "X", "E")), (lambda: pick(r, "0", "1", "2", "N", "-1", "a"))
    return "", pick(r, "append(%s, %s, R)" % (items(), items()), "append(A, B, %s)" % items(), "append([%s, %s], R)" % (items(), items()), "member(%s, %s)" % (e(), items()), "memberchk(%s, %s)" % (e(), items()),
                    "length(%s, N)" % items(), "length(R, %s)" % k(), "nth0(%s, %s, E)" % (k(), items()), "nth1(%s, %s, E)" % (k(), items()), "nth0(%s, %s, E, R)" % (k(), items()), "nth1(%s, %s, E, R)" % (k(), items()),
                    "last(%s, E)" % items(), "reverse(%s, R)" % items(), "select(%s, %s, R)" % (e(), items()), "selectchk(%s, %s, R)" % (e(), items()), "select(%s, %s, z, R)" % (e(), items()), "subtract(%s, %s, R)" % (items(), items()),
                    "intersection(%s, %s, R)" % (items(), items()), "union(%s, %s, R)" % (items(), items()), "sum_list(%s, R)" % numbers(), "max_list(%s, R)" % numbers(), "min_list(%s, R)" % numbers(), "numlist(%s, %s, R)" % (k(), pick(r, "3", "1", "N")),
                    "exclude([X]>>(X == a), %s, R)" % items(), "include([X]>>(X == a), %s, R)" % items(), "partition([X]>>(X == a), %s, R, S)" % items(), "maplist([X, f(X)]>>true, %s, R)" % items(), "foldl([X, A0, [X|A0]]>>true, %s, [], R)" % items(),
                    "delete(%s, %s, R)" % (items(), e()), "permutation(%s, R)" % items(), "flatten([%s, [%s]], R)" % (items(), items()), "sumlist(%s, R)" % numbers(), "exclude([X]>>fail, %s, R)" % items(), "list_to_set(%s, R)" % items(), "sort(0, @>=, %s, R)" % items(),
                    "pairs_keys_values(R, %s, %s)" % (items(), items()), "pairs_keys([a-1, b-2], %s)" % items(), "transpose_is_gone", "sumlist(%s, R)" % items(), "aggregate_all(count, member(_, %s), R)" % items(), "msort(%s, R)" % items(), "prefix_is_gone",
                    "subset(%s, %s)" % (items(), items()), "exclude([X]>>memberchk(X, [a]), %s, R)" % items(), "nextto(A, B, %s)" % items(), "sumlist([1|T], R)", "last([1|T], R)", "is_list(%s)" % items(), "is_set(%s)" % items(), "max_member(R, %s)" % items()).replace("transpose_is_gone", "true").replace("prefix_is_gone", "true"), "R, E, N, A, B, X, T, S"


def terms(r):
    t = lambda: term(r, 2)
    return "", pick(r, "functor(%s, N, A)" % t(), "functor(T, %s, %s)" % (pick(r, "foo", "1", "X", "f(a)", "[]"), pick(r, "0", "1", "3", "-1", "a", "X")), "arg(%s, %s, A)" % (pick(r, "1", "2", "0", "N", "-1", "a"), t()), "%s =.. L" % bracket(t()), "T =.. %s" % pick(r, "[foo, a, b]", "[1]", "[1, 2]", "[X, a]", "X", "[f(a), b]", "[]", "[a|X]"),
                    "copy_term(%s, T)" % t(), "term_variables(%s, L)" % t(), "T = %s, ground(T)" % t(), "print_message_lines_is_gone", "writeq(%s)" % t(), "print(%s)" % t(), "write_canonical(%s)" % ground(r), "write(%s)" % t(), "writeq(%s)" % pick(r, "- 1", "-(1)", "1 - -1", "a= \\+b", "-(-(1))", "- a", "\\+a", "[a|b]", "{a, b}", "'$VAR'(1)", "f(:-)", "(:- a)", "[(a, b)]", "f((a :- b))", "-(2)^2", "1 - (2 - 3)", "(a :- b, c)", "f(',')", "'\\\\'", "[]", "'[]'", "{}", "'{}'(x)", "a:b:c", "(a -> b ; c)", "f(;)", "- - a", "\\ (-1)", "1.0e10", "\"a\\nb\"", "'a\\nb'", "f(a, -)", "(dynamic a)", "[-]", "-(a)", "- (1.5)", "2 ** -1", "@(a)", "?(a)"),
                    "T = %s, T = %s" % (t(), t()), "setof(K-V, member(K-V, [b-1, a-2, a-1]), L)", "tab(%s), write(x)" % expression(r, 1), "nb_setval(v, %s), nb_getval(v, T)" % t(), "succ(%s, %s)" % (pick(r, "X", "3", "0", "a", "-1"), pick(r, "Y", "4", "0", "1.0")), "plus(%s, 2, %s)" % (pick(r, "X", "1", "a"), pick(r, "Y", "3")), "between(%s, %s, X)" % (pick(r, "1", "3", "a", "Y"), pick(r, "3", "inf", "0", "b")),
                    "number_vars_is_gone", "numbervars(%s, 0, E), print(E)" % t(), "T = %s, %s(T)" % (t(), pick(r, "atom", "atomic", "compound", "var", "integer", "float", "number", "callable", "is_list", "string", "ground", "acyclic_term")), "tab(2)", "op(%s, %s, %s)" % (pick(r, "700", "1201", "-1", "a", "0"), pick(r, "xfx", "yfy", "fy", "X"), pick(r, "foo", "','", "[]", "'|'", "1")), "current_op(P, xfx, %s)" % pick(r, "is", "=", "foo", "1")).replace("print_message_lines_is_gone", "true").replace("number_vars_is_gone", "true"), "T, L, X, Y, N, A, P"


def waiting(r, n):
    """Goals that wait for variables, in the middle of heads, cuts and conditions that bind them."""
    variable = lambda: pick(r, "X", "Y", "Z")
    value = lambda: pick(r, "1", "2", "a", "b", variable(), variable(), "f(%s)" % variable(), "f(1)", "g(%s, %s)" % (variable(), pick(r, "1", variable())))

    def small():
        return pick(r, "true", "fail", "write(w)", "write(v), %s = %s" % (variable(), value()), "%s = %s" % (variable(), value()),
                    "member(%s, [1, 2])" % variable(), "dif(%s, %s)" % (variable(), value()), "nonvar(%s)" % variable(), "%s == 1" % variable(),
                    "freeze(%s, write(z))" % variable(), "(%s = 1 ; %s = 2)" % (variable(), variable()))

    def condition(depth=1):
        if depth and r.random() < 0.3:
            return "(%s %s %s)" % (condition(0), pick(r, ",", ";"), condition(0))
        return pick(r, "nonvar(%s)" % variable(), "ground(%s)" % value(), "?=(%s, %s)" % (variable(), value()))

    def goal(depth):
        kind = r.random()
        if depth == 0 or kind < 0.75:
            return pick(r, "dif(%s, %s)" % (value(), value()), "dif(%s, %s)" % (variable(), value()), "freeze(%s, (%s))" % (variable(), small()),
                        "freeze(%s, (%s))" % (variable(), small()), "when(%s, (%s))" % (condition(), small()), "%s = %s" % (variable(), value()),
                        "%s = %s" % (variable(), value()), "f(%s, %s) = f(%s, %s)" % (variable(), variable(), value(), value()), "member(%s, [1, 2, a])" % variable(),
                        "q%d(%s, %s)" % (n, variable(), variable()), "q%d(%s, %s)" % (n, variable(), value()), "\\+ %s = %s" % (variable(), value()),
                        "%s \\= %s" % (variable(), value()), "memberchk(%s, [1, a, 2])" % variable(), "write(-)", "var(%s)" % variable(), "!",
                        "copy_term(%s, %s)" % (variable(), variable()), "%s == %s" % (variable(), value()), "length(%s, 2)" % variable(),
                        "between(1, 3, %s)" % variable(), "%s =.. [f, 1]" % variable(), "arg(1, f(a, 1), %s)" % variable(), "functor(%s, f, 1)" % variable(),
                        "append(%s, [_], [1, 2])" % variable(), "atom_length(abc, %s)" % variable(), "%s is 1 + 1" % variable())
        if kind < 0.85:
            return "(%s %s %s ; %s)" % (goal(depth - 1), pick(r, "->", "->", "*->"), goal(depth - 1), goal(depth - 1))
        if kind < 0.9:
            return "(%s ; %s)" % (goal(depth - 1), goal(depth - 1))
        return pick(r, "\\+ (%s)", "once((%s))", "forall((%s), true)", "call((%s))", "catch((%s), _, true)", "findall(x, (%s), _)") % goal(depth - 1)

    clauses = ["q%d(%s, %s) :- %s." % (n, pick(r, "1", "2", "a", "X", "f(X)", "f(1)"), pick(r, "Y", "X", "1", "b", "f(Y)"),
                                      pick(r, "true", "!", "!", "nonvar(X), !", "X = 1, !", "write(q)", "dif(X, Y), X = 1", "Y = 2 -> true", "member(X, [1, 2]), !", "X == 1"))
               for _ in range(r.randint(1, 4))]
    goals = ", ".join(goal(2) for _ in range(r.randint(3, 7)))
    return "\n".join(clauses), "%s, copy_term(v(X, Y, Z), W, _)" % goals, "W"


KINDS = {"control": control, "exceptions": exceptions, "solutions": solutions, "database": database,
         "arithmetic": lambda r, n: arithmetic(r), "text": lambda r, n: text(r), "format": lambda r, n: format_goal(r),
         "order": lambda r, n: order(r), "lists": lambda r, n: lists(r), "terms": lambda r, n: terms(r), "waiting": waiting}


class Case:
    def __init__(self, number, kind, clauses, goal, variables):
        self.number, self.kind, self.clauses, self.goal, self.variables = number, kind, clauses, goal, variables


# Why a difference is right: kinds (or None), what the goal, papaver's outcome and SWI-Prolog's must match, and the reason.
# Instead of the last pattern None says that the one before is matched against both outcomes, papaver's line first.
REASONS = [
    (None, r"", r"^(answers|error|ball)", r"^died", "SWI-Prolog 9.0.4 crashes, or runs for more than a minute"),
    # What is not the same in both at all.
    (None, r"text_concat|succ\(|log2", "", r"(existence_error\(procedure|type_error\(evaluable),?.*(text_concat,3|succ,1|log2,1)", "SWI-Prolog 9.0.4 lacks text_concat/3, succ/1 or log2/1"),
    ("solutions", r"\^", r"^answers", r"existence_error\(procedure,/\(\^,2", "findall/3 and its kin call Var^Goal as Goal in papaver"),
    (None, r":", "", r"existence_error\([a-z_]+,:\(", "SWI-Prolog has modules, papaver has none"),
    # The list as a term, and [] as an atom.
    (None, r"", r"'\.'", "", "lists are made of '.'/2 in papaver, as ISO says, and of '[|]'/2 in SWI-Prolog"),
    (None, r"\[\]", "", r"(type_error\([a-z_]+,\[\]|format_argument_type\(a,\[\])", "[] is an atom in papaver, as ISO says, and none in SWI-Prolog 7 and later"),
    ("text", r"\[\]", r"", r"", "[] is an atom in papaver, as ISO says, and none in SWI-Prolog 7 and later"),
    ("order terms lists solutions", r"\[\]", r"\[\]", r"\[\]", "[] is an atom in papaver, as ISO says, and none in SWI-Prolog 7 and later"),
    # Arithmetic.
    ("arithmetic exceptions terms order", r"\^|\*\*", r"type_error\(float,", "", "2 ^ -1 is a type error, as ISO says"),
    ("arithmetic exceptions terms", r"\^|\*\*", r"\d\.\d|^error\((type|evaluation)_error|^answers\(\[\]", "", "a power with a float is a float, as ISO says; SWI-Prolog 9.0.4 keeps 1 ** 0.5 and 2.0 ^ 0 integers"),
    ("arithmetic", r"\(.*\(", r"^error\((type_error|evaluation_error|resource_error)", r"^error\((type_error|evaluation_error)", "of two faults in an expression, papaver reports the first, SWI-Prolog another"),
    ("arithmetic", r"copysign|round|integer|truncate|float", r"^answers", r"^answers", "SWI-Prolog rounds large integers and floats in another way"),
    ("arithmetic", r"log\(", r"evaluation_error\(undefined", r"evaluation_error", "log(0) is undefined, as ISO says"),
    ("arithmetic", r">>", r"^answers", r"evaluation_error", "SWI-Prolog 9.0.4 shifts a negative number right to 0"),
    ("exceptions", r"catch", r"^answers", r"^error|^ball", "a catcher is unified as it was before its goal began, as ISO says"),
    ("arithmetic", r"copysign", "", "", "copysign/2 of integers is an integer in SWI-Prolog 9.0.4"),
    ("arithmetic terms", r"float_(integer|fractional)_part", r"\d\.0|^answers|^error\(evaluation_error|type_error\(integer,\d", "", "float_integer_part/1 of an integer is an integer in SWI-Prolog 9.0.4"),
    ("arithmetic", r"msb|atan2", r"^error", "", "msb/1 of what is not positive, and atan2(0, 0), are undefined"),
    ("arithmetic exceptions terms", r"<<|>>|\*\*|\^", r"resource_error", "", "a giant integer is refused"),
    ("exceptions", r" is \(*\[", "", "", "[X] is the value of X in papaver, and the code of a character in SWI-Prolog"),
    # The standard order.
    ("order lists solutions", r"", r"\d\.\d", r"\d\.\d", "floats come before integers in the standard order, as ISO says; SWI-Prolog compares them by value"),
    ("order", r"\d\.\d", r"", r"", "floats come before integers in the standard order, as ISO says; SWI-Prolog compares them by value"),
    ("order", r"\[", r"", r"", "compounds come by arity, then name: '.' stands elsewhere than '[|]'"),
    ("solutions order", r"(bagof|setof|sort|list_to)", r"_", r"_", "the order of two variables is that of their age, which differs"),
    # Lists.
    ("lists", r"", "", r"existence_error\(matching_rule", "SWI-Prolog defines some list predicates by rules that do not match open lists"),
    ("lists", r"\|T|\bT\b|foo|\|b\]", r"^answers", r"", "what a list predicate does with an open list or with what is no list"),
    ("lists", r"nth[01]", r"", r"type_error\((nonneg|positive_integer|integer)", "an index out of range fails in papaver"),
    ("lists order", r"max_member|min_member", r"", r"", "floats come before integers in the standard order, as ISO says; SWI-Prolog compares them by value"),
    # Text.
    ("text exceptions terms", r"", r"type_error\([a-z_]+,(.+?)\)\).*\n.*type_error\([a-z_]+,\1\)\)", None, "of the same culprit another type is expected"),
    ("text exceptions", r"", r"representation_error\(character_code\).*\n.*type_error\(character_code,", None, "a number that is no code is a representation error, as ISO says"),
    ("exceptions arithmetic", r"", r"type_error\(evaluable,/\(.+,[1-9]\)\).*\n.*(instantiation_error|type_error\()", None, "an unknown function is reported before its arguments are looked at"),
    ("exceptions text", r"\[", r"type_error\(atom,(\[.*|'\.'.*)\n.*(instantiation_error|type_error\(character)", None, "a list that is no text is named whole"),
    ("exceptions text", r"_codes|_chars", r"type_error\(list,\[.*\|.*\n.*(instantiation_error|type_error\(character)", None, "a list that does not end is named before its elements are looked at"),
    ("terms", r"tab\(", r"^error\(type_error\(integer,.*\n.*^error\(type_error\(integer_expression", None, "tab/1 names the value that is no integer"),
    ("terms", r"tab\(\d+\)", r"resource_error", r"int_overflow", "as many blanks as no memory holds"),
    ("exceptions", r" is \(*\"", r"type_error\(evaluable,\".*\n.*type_error\(\[\],\"", None, "a string of some length is not evaluable"),
    ("exceptions", r" is .*\"", r"(instantiation_error|type_error\(evaluable,).*\n.*type_error\(\[\],\"", None, "of two faults in an expression, papaver reports the first, SWI-Prolog another"),
    ("exceptions", r"atom_length\(\[", r"^answers.*\n.*type_error\(character", None, "a list of codes and characters is a text"),
    ("exceptions", r"", r"\.\.\.\).*\n^cyclic", None, "a cyclic term in an error is cut"),
    ("exceptions", r"catch\(catch", r"^error.*\n^ball", None, "a catcher is unified as it was before its goal began, as ISO says"),
    ("arithmetic", r"/", "", r"signal\(fpe", "SWI-Prolog 9.0.4 ends in a signal of the processor"),
    ("exceptions", r" is ", r"(instantiation_error|type_error\(evaluable,).*\n.*type_error\(evaluable,/\(", None, "of two faults in an expression, papaver reports the first, SWI-Prolog another"),
    ("control", r"catch\(findall\(X, \([^()]*\), Y\), (_|E)", "", "", "the result of findall/3 must be a list or a variable, as ISO says"),
    ("exceptions text", r"", r"syntax_error\(.*\n.*syntax_error\(", None, "syntax errors have other names"),
    ("text", r"(upcase|downcase|upper|lower|text_to_string|string_code|atom_to_term|term_to_atom|string_concat|atom_concat|atom_codes|atom_chars|atomic_list_concat)", r"^answers", r"type_error", "text may be a number or a list in papaver"),
    ("exceptions", r"atom_length", r"type_error\(atom,", r"^answers", "atom_length/2 takes atoms and strings only"),
    ("text exceptions", r"(atom_length)\(-?\d", r"", r"", "atom_length/2 takes atoms and strings only"),
    ("text", r"atom_number|number_codes|number_string", r"", r"", "1e5 and '12 ' are no numbers in ISO; SWI-Prolog reads more"),
    ("text", r"term_to_atom\(X, X\)|term_to_atom\(_", r"instantiation_error", r"", "term_to_atom/2 of two variables"),
    ("text", r"(atom|string)_chars\(X, \[0'", r"type_error", r"^answers", "atom_chars/2 takes no codes"),
    ("text", r"1\.[05]e", r"", r"", "1.5e300 is 1.5e+300 in SWI-Prolog"),
    ("text", r"term_to_atom\(", r"\\n", r"", "a line break in a quoted atom is written as `\n` by writeq/1"),
    ("text", r"term_to_atom\([A-Z], X\)", r"instantiation_error", r"", "term_to_atom/2 of two variables"),
    ("exceptions text", r"atom_codes|atom_chars", "", r"", "what stands in the place of a list of codes is looked at in another order"),
    ("exceptions terms", r"functor\(", r"error", r"error|died", "errors of functor/3 are those of ISO"),
    ("lists", r"sumlist|sum_list|max_list|min_list", r"error", r"error", "of two faults in a list, another one is reported first"),
    ("lists", r"(min|max)_list", "", "", "of two numbers that are equal, papaver takes the first"),
    ("text", r"sub_atom\(\w+, B, B,", r"^answers", "", "SWI-Prolog 9.0.4 binds a variable that is given twice to sub_atom/5 once"),
    ("text", r"atomic_list_concat\(.*, '', ", r"instantiation_error", r"domain_error", "atomic_list_concat/3 that can neither join nor split"),
    # Writing and format.
    (None, r"", r"- \(\d", r"- ?\d", "-(1) is written `- (1)`, so that it can be read back"),
    (None, r"", r"-\{|\\+\{", r"- \{|\+ \{", "SWI-Prolog writes a blank before a brace"),
    ("terms format", r"€", r"€ ", r"€", "SWI-Prolog takes € for a letter where it writes"),
    ("terms", r"- 1", r"-1", r"- 1", "`- 1` is the number -1 in papaver"),
    ("format", r"", r"_", r"_", "names of variables have other lengths"),
    ("format", r"~[0-9]*[rR]", r"radix", r"", "~r needs a radix in papaver"),
    ("format", r"", r"error\(.*\t\"", r"error\(", "SWI-Prolog writes what stands before the directive with the error"),
    ("format", r"~[0-9]*[dDrR]", r"error", r"error", "errors of ~d name another type"),
    ("database", r"clause", r"=\(|_=", r"true", "SWI-Prolog 9.0.4 shows a unification of a variable that occurs once as `true`"),
    ("control solutions database exceptions", r"findall", r"type_error\(list,", r"", "the result of findall/3 must be a list or a variable, as ISO says"),
    ("terms", r"op\(", r"", r"", "op/3 looks at its arguments in another order"),
    ("waiting", r"", r"^error", r"cyclic", "a cyclic culprit is cut in an error of papaver"),
    ("waiting", r"", r"^(error|ball)", r"z.*(error|ball)", "an error carries no attributes in papaver"),
    ("solutions", r"aggregate_all", r"error", r"", "aggregate_all/3 with max and min evaluates its values"),
]


def explained(case, ours, theirs):
    for kinds, goal, our, their, reason in REASONS:
        if kinds is not None and case.kind not in kinds.split() or not re.search(goal, case.goal + " " + case.clauses, re.S):
            continue
        if their is None and re.search(our, ours + "\n" + theirs, re.M) \
                or their is not None and re.search(our, ours, re.S) and re.search(their, theirs, re.S):
            return reason
    return None


def signature(case, ours, theirs):
    """What differences have in common that have the same cause, most likely."""
    shape = lambda outcome: re.match(r"[a-z]*(\([a-z_]*(\([a-z_]*)?)?", outcome).group()
    goal = re.match(r"\W*\w*", case.goal).group() if case.kind not in ("control", "exceptions", "database", "arithmetic") else ""
    return case.kind, re.sub(r"\d+", "", goal), shape(ours), shape(theirs)


def batch_text(cases):
    """The cases, clauses of one predicate together."""
    t = "".join("t(%d, [%s]) :- %s .\n" % (c.number, c.variables, c.goal) for c in cases)
    k = "".join("k(%d).\n" % c.number for c in cases)
    return "".join(c.clauses + "\n" for c in cases if c.clauses) + t + k


def outcomes(command, folder, cases):
    """What each case comes to; a case at which the engine dies is `died`, and the next ones are run again."""
    found, start = {}, cases[0].number
    while start is not None:
        path = os.path.join(folder, "batch.pl")
        with open(path, "w") as file:
            file.write(HARNESS + "from(%d).\n" % start + batch_text(cases))
        process = subprocess.Popen(command(path), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            output, errors = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
        for line in output.decode(errors="replace").split("\n"):
            number, tab, outcome = line.partition("\t")
            if tab and number.isdigit():
                found[int(number)] = re.sub(r"(\d)e\+(\d)", r"\1e\2", re.sub(r"_G?\d+", "_", outcome))
        left = [case.number for case in cases if case.number not in found]
        start = None
        if left:
            found[left[0]] = "died " + errors.decode(errors="replace").strip()[-300:]
            start = left[1] if len(left) > 1 else None
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--only", default=",".join(KINDS))
    parser.add_argument("--papaver", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../target/release/papaver"))
    parser.add_argument("--swipl", default=shutil.which("swipl"))
    parser.add_argument("--show", type=int, default=40)
    parser.add_argument("--explained")
    options = parser.parse_args()
    if not options.swipl:
        sys.exit("against_swi.py: SWI-Prolog is not installed")
    kinds = options.only.split(",")
    ours = lambda path: [options.papaver, "run", path]
    theirs = lambda path: [options.swipl, "-q", path]
    count, differ, reasons = Counter(), Counter(), Counter()
    unexplained, shown = defaultdict(list), defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, options.cases, options.batch):
            cases = []
            for number in range(first, min(first + options.batch, options.cases)):
                kind = kinds[number % len(kinds)]
                r = random.Random("%d %s %d" % (options.seed, kind, number))
                cases.append(Case(number, kind, *KINDS[kind](r, number)))
            a, b = outcomes(ours, folder, cases), outcomes(theirs, folder, cases)
            for case in cases:
                our, their = a[case.number], b[case.number]
                count[case.kind] += 1
                if our != their:
                    differ[case.kind] += 1
                    reason = explained(case, our, their)
                    if reason:
                        reasons[reason] += 1
                        if options.explained is not None and options.explained in reason:
                            shown[case.kind].append((case, our, their))
                    else:
                        unexplained[case.kind].append((case, our, their))
    for kind in kinds:
        print("%-12s %6d cases, %5d differ, %4d without a reason" % (kind, count[kind], differ[kind], len(unexplained[kind])))
    print()
    for reason, n in reasons.most_common():
        print("%6d  %s" % (n, reason))
    groups = defaultdict(list)
    for kind in kinds:
        for case, our, their in unexplained[kind] + shown[kind]:
            groups[signature(case, our, their)].append((case, our, their))
    for group in sorted(groups.values(), key=len, reverse=True)[:options.show]:
        case, our, their = min(group, key=lambda found: len(found[0].goal + found[0].clauses))
        clauses = "".join("    %s\n" % line for line in case.clauses.split("\n") if line)
        print("\n%d like %s %d: %s\n%s  papaver %s\n  swipl   %s" % (len(group), case.kind, case.number, case.goal, clauses, our[:300], their[:300]))
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
