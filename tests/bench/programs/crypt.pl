% SEND + MORE = MONEY by choosing digits column by column, N times.
% small 1: 10652
% middle 10: 10652
% large 300: 10652
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    (   repeat(N), puzzle(_), fail ; true ),
    puzzle(A).

puzzle(Money) :-
    Digits0 = [0,1,2,3,4,5,6,7,8,9],
    column(0, _D, E, Y, C1, Digits0, Digits1),
    column(C1, N, _R, E, C2, Digits1, Digits2),
    column(C2, E, O, N, C3, Digits2, Digits3),
    column(C3, S, M, O, M, Digits3, _),
    S > 0,
    M > 0,
    Money is (((M * 10 + O) * 10 + N) * 10 + E) * 10 + Y.

column(Carry, A, B, Sum, Carry1, Digits0, Digits) :-
    digit(A, Digits0, Digits1),
    digit(B, Digits1, Digits2),
    T is A + B + Carry,
    S is T mod 10,
    Carry1 is T // 10,
    Sum = S,
    taken(Sum, Digits0, Digits2, Digits).

% A letter that has its digit keeps it; the others take one that is left.
digit(D, Digits, Digits) :- integer(D).
digit(D, Digits0, Digits) :- var(D), pick(D, Digits0, Digits).

taken(D, Before, Left, Digits) :- among(D, Left), !, among(D, Before), pick(D, Left, Digits).
taken(D, Before, Left, Left) :- \+ among(D, Before).

among(X, [X|_]) :- !.
among(X, [_|Xs]) :- among(X, Xs).

pick(X, [X|Xs], Xs).
pick(X, [Y|Ys], [Y|Zs]) :- pick(X, Ys, Zs).

repeat(_).
repeat(N) :- N > 1, N1 is N - 1, repeat(N1).
