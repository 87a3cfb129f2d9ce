% bagof/3 and setof/3 with free variables and with ^, over 100 facts, N times; and over 10 N answers.
% small 5: 105
% middle 200: 3420
% large 10000: 170020
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    fill,
    small(N, 0, A0),
    M is N * 10,
    findall(K, bagof(X, value(M, X, K), _), Ks),
    length(Ks, A1),
    setof(K, X^value(M, X, K), Set),
    length(Set, A2),
    A is A0 + A1 + A2.

:- dynamic(edge/2).

fill :-
    retractall(edge(_, _)),
    (   between(1, 10, X), between(1, 10, Y), Z is X * Y mod 7, assertz(edge(X, Z)), fail ; true ).

value(M, X, K) :- between(1, M, X), K is X mod 10.

small(0, S, S) :- !.
small(N, S0, S) :-
    setof(Y, X^edge(X, Y), Ys),
    length(Ys, L1),
    findall(Length, (bagof(Y, edge(_, Y), L), length(L, Length)), Lengths),
    length(Lengths, L2),
    S1 is S0 + L1 + L2,
    N1 is N - 1,
    small(N1, S1, S).
