% N facts asserted, looked up by failure, and retracted one by one.
% small 100: 100
% middle 10000: 10000
% large 500000: 500000
:- initialization(main).
:- dynamic(fact/3).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    fill(N),
    findall(X, fact(_, X, _), L),
    length(L, A0),
    (   retract(fact(_, _, _)), fail ; true ),
    findall(X, fact(_, X, _), Rest),
    length(Rest, A1),
    A is A0 - A1.

fill(0) :- !.
fill(N) :-
    M is N mod 100,
    assertz(fact(N, M, value(N, [a, b]))),
    N1 is N - 1,
    fill(N1).
