% Takeuchi's function of 24, 16 and 8, N times: calls and integer arithmetic.
% small 1: 7
% middle 1: 7
% large 10: 7
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    (   repeat(N), tak(24, 16, 8, _), fail ; true ),
    tak(18, 12, 6, A).

tak(X, Y, Z, A) :- X =< Y, !, A = Z.
tak(X, Y, Z, A) :-
    X1 is X - 1, Y1 is Y - 1, Z1 is Z - 1,
    tak(X1, Y, Z, A1), tak(Y1, Z, X, A2), tak(Z1, X, Y, A3),
    tak(A1, A2, A3, A).

repeat(_).
repeat(N) :- N > 1, N1 is N - 1, repeat(N1).
