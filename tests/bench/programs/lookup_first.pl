% N facts asserted, then looked up by the first argument, each five times.
% small 100: 4000
% middle 10000: 399890
% large 1000000: 39999865
:- initialization(main).
:- dynamic(fact/4).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    retractall(fact(_, _, _, _)),
    fill(N),
    rounds(5, N, 0, A).

fill(0) :- !.
fill(N) :-
    B is N * 3,
    C is -N,
    V is N mod 17,
    assertz(fact(N, B, C, V)),
    N1 is N - 1,
    fill(N1).

rounds(0, _, S, S) :- !.
rounds(R, N, S0, S) :-
    look(N, S0, S1),
    R1 is R - 1,
    rounds(R1, N, S1, S).

look(0, S, S) :- !.
look(N, S0, S) :-
    key(N, K),
    fact(K, _, _, V),
    S1 is S0 + V,
    N1 is N - 1,
    look(N1, S1, S).

key(N, N).
