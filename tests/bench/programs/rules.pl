% N rules asserted, each called once, and retracted by head.
% small 50: 275
% middle 2000: 11000
% large 100000: 550000
:- initialization(main).
:- dynamic(rule/2).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    fill(N),
    sum(N, 0, A),
    clear(N).

fill(0) :- !.
fill(N) :-
    assertz((rule(N, X) :- Y is N mod 10, (Y > 4 -> X = Y ; X is Y * 2))),
    N1 is N - 1,
    fill(N1).

sum(0, S, S) :- !.
sum(N, S0, S) :-
    rule(N, X),
    S1 is S0 + X,
    N1 is N - 1,
    sum(N1, S1, S).

clear(0) :- !.
clear(N) :-
    retract((rule(N, _) :- _)),
    N1 is N - 1,
    clear(N1).
