% Values and goals that are hard on a recorder: each value/1 call has one.
:- use_module(library(clpfd)).
:- use_module(library(assoc)).
:- op(700, xfx, ===>).

go :- values, constraints, coroutines, tables, grammar, exceptions, cleanup.

values :-
    cyclic(C), value(C),
    freeze(F, true), value(g(F, F, _)),
    value("text"), value('An atom'), value(it), value('it''s'), value([]), value('[]'), value({}), value({x, y}),
    value("quote \" and \\"), value('new\nline'), value('日本'), value(a ===> b), value(1+2*3), value(-(1)), value(- 1),
    value(1-(-1)), value((a :- b, c ; d -> e)), value([a|_]), value([(a, b)]), value(f(:-)), value('$VAR'(3)),
    value(_{a: 1, b: "x"}), current_output(S), value(S), value(f(S)),
    numlist(1, 100000, L), value(L), T =.. [f|L], value(T), deep(5000, D), value(D), dag(60, G), value(G),
    length(As, 1000), maplist(=(a), As), atomic_list_concat(As, A), value(A), atom_string(A, Str), value(g(A, Str)),
    X is 2**200, value(X), value(1.0e10), R is 1r3, value(R), Inf is inf, value(Inf), list_to_assoc([a-1], Assoc), value(Assoc),
    Q is 2r3, value([Q, 2/3, f(Q)]), value('2/3'-(a/b)).

value(_).

cyclic(C) :- C = f(C, V, V).

deep(0, x) :- !.
deep(N, s(T)) :- N1 is N-1, deep(N1, T).

dag(0, x) :- !.
dag(N, f(T, T)) :- N1 is N-1, dag(N1, T).

constraints :- X in 1..5, X #> 3, value(X), value(p(X, X)), findall(X, label([X]), L), value(L).

coroutines :- freeze(X, value(X)), when(ground(f(X, Y)), value(both)), dif(X, 3), X = 1, Y = 2.

:- table path/2.
path(X, Y) :- edge(X, Y).
path(X, Y) :- path(X, Z), edge(Z, Y).
edge(1, 2).
edge(2, 3).
edge(3, 1).
tables :- findall(X-Y, path(X, Y), L), length(L, N), value(N).

grammar :- phrase(word(W), `abc`), value(W).
word([C|Cs]) --> [C], word(Cs).
word([]) --> [].

exceptions :-
    catch(throws(5), E, value(E)), catch(far(_), _, true),
    catch(atom_length(_, _), error(Formal, _), value(Formal)),
    catch(number_codes(_, "3x"), error(Syntax, _), value(Syntax)),
    call_with_depth_limit(fine, 100, Depth), value(Depth).
far(X) :- R is 1r3, throw(far(X, f(_, X), R)).
throws(0) :- throw(my(error)).
throws(N) :- N1 is N-1, throws(N1), fine.
fine.

cleanup :-
    call_cleanup(fine, value(cleanup)), setup_call_cleanup(fine, two(_), value(setup)), once(two(_)), ignore(two(x)),
    forall(two(Z), value(Z)), \+ two(3), findnsols(1, V, two(V), Vs), value(Vs), !.
two(1).
two(2).
