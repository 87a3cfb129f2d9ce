% All ways to place N queens, found by selecting and checking attacks, counted by failure.
% small 5: 10
% middle 7: 40
% large 11: 2680
:- initialization(main).
:- dynamic(count/1).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    numbers(1, N, L),
    retractall(count(_)),
    assertz(count(0)),
    (   place(L, [], _), retract(count(C)), C1 is C + 1, assertz(count(C1)), fail ; true ),
    count(A).

place([], Qs, Qs).
place([U|Us], Safe, Qs) :-
    pick(Q, [U|Us], Rest),
    \+ attack(Q, 1, Safe),
    place(Rest, [Q|Safe], Qs).

attack(X, D, [Y|_]) :- X =:= Y + D.
attack(X, D, [Y|_]) :- X =:= Y - D.
attack(X, D, [_|Ys]) :- D1 is D + 1, attack(X, D1, Ys).

pick(X, [X|Xs], Xs).
pick(X, [Y|Ys], [Y|Zs]) :- pick(X, Ys, Zs).

numbers(N, N, [N]) :- !.
numbers(I, N, [I|L]) :- I1 is I + 1, numbers(I1, N, L).
