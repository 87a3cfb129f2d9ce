% The puzzle of the five houses, N times: unification of structures and backtracking.
% small 1: japanese
% middle 4: japanese
% large 200: japanese
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    (   repeat(N), houses(_), fail ; true ),
    houses(Houses),
    on(house(_, A, zebra, _, _), Houses).

houses(Hs) :-
    Hs = [house(_, norwegian, _, _, _), _, house(_, _, _, milk, _), _, _],
    on(house(red, english, _, _, _), Hs),
    on(house(green, _, _, coffee, _), Hs),
    on(house(_, spanish, dog, _, _), Hs),
    on(house(_, ukrainian, _, tea, _), Hs),
    right_of(house(green, _, _, _, _), house(ivory, _, _, _, _), Hs),
    on(house(_, _, snails, _, winston), Hs),
    on(house(yellow, _, _, _, kools), Hs),
    beside(house(_, _, _, _, chesterfield), house(_, _, fox, _, _), Hs),
    beside(house(_, _, _, _, kools), house(_, _, horse, _, _), Hs),
    on(house(_, _, _, juice, luckies), Hs),
    on(house(_, japanese, _, _, parliaments), Hs),
    beside(house(_, norwegian, _, _, _), house(blue, _, _, _, _), Hs),
    on(house(_, _, zebra, _, _), Hs),
    on(house(_, _, _, water, _), Hs).

on(X, [X|_]).
on(X, [_|Xs]) :- on(X, Xs).

right_of(A, B, [B, A|_]).
right_of(A, B, [_|Xs]) :- right_of(A, B, Xs).

beside(A, B, Xs) :- right_of(A, B, Xs).
beside(A, B, Xs) :- right_of(B, A, Xs).

repeat(_).
repeat(N) :- N > 1, N1 is N - 1, repeat(N1).
