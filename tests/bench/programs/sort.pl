% Lists of N elements sorted by sort/2, msort/2 and keysort/2: integers, atoms, structures.
% small 1000: 2223
% middle 20000: 33702
% large 500000: 527463
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    randoms(N, 12345, L),
    sort(L, Set),
    length(Set, A1),
    msort(L, Sorted),
    first(Sorted, A2),
    pairs(L, Pairs),
    keysort(Pairs, ByKey),
    first(ByKey, A3-_),
    msort(Pairs, All),
    first(All, A4-_),
    terms(L, Terms),
    sort(Terms, TermSet),
    length(TermSet, A5),
    A is A1 + A2 + A3 + A4 + A5.

first([X|_], X).

randoms(0, _, []) :- !.
randoms(N, X, [K|L]) :-
    X1 is X * 48271 mod 2147483647,
    K is X1 mod 500009,
    N1 is N - 1,
    randoms(N1, X1, L).

pairs([], []).
pairs([X|Xs], [K-X|Ps]) :- K is X mod 1000, pairs(Xs, Ps).

terms([], []).
terms([X|Xs], [T|Ts]) :- K is X mod 3, term(K, X, T), terms(Xs, Ts).

term(0, X, f(X)).
term(1, X, g(Y, X, [a])) :- Y is X mod 10.
term(2, X, A) :- Y is X mod 1000, number_codes(Y, Codes), atom_codes(A, [0'a|Codes]).
