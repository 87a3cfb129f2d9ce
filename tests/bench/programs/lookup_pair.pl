% N facts asserted, then looked up by two arguments of which each alone leaves a thousandth of them.
% small 2000: 994
% middle 10000: 4850
% large 1000000: 3
:- initialization(main).
:- dynamic(fact/3).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    retractall(fact(_, _, _)),
    fill(N),
    look(N, 0, A).

fill(0) :- !.
fill(N) :-
    A is N mod 1000,
    B is N mod 1009,
    assertz(fact(A, B, N)),
    N1 is N - 1,
    fill(N1).

look(0, S, S) :- !.
look(N, S0, S) :-
    A is N mod 1000,
    B is N mod 1009,
    fact(A, B, V),
    S1 is (S0 + V) mod 1000003,
    N1 is N - 1,
    look(N1, S1, S).
