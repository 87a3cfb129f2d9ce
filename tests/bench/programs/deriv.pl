% Symbolic derivatives of four expressions, N times: choosing a clause by a functor, building terms.
% small 3: 15
% middle 3000: 15
% large 150000: 15
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    (   repeat(N), expression(E), d(E, x, _), fail ; true ),
    d(x * x * x, x, D),
    size(D, A).

expression((x + 1) * (x ^ 2 + 2) * (x ^ 3 + 3)).
expression(x / x / x / x / x / x / x / x / x / x).
expression(log(log(log(log(log(log(log(log(log(x)))))))))).
expression(x * x * x * x * x * x * x * x * x * x).

d(U + V, X, DU + DV) :- !, d(U, X, DU), d(V, X, DV).
d(U - V, X, DU - DV) :- !, d(U, X, DU), d(V, X, DV).
d(U * V, X, DU * V + U * DV) :- !, d(U, X, DU), d(V, X, DV).
d(U / V, X, (DU * V - U * DV) / V ^ 2) :- !, d(U, X, DU), d(V, X, DV).
d(U ^ N, X, DU * N * U ^ N1) :- !, integer(N), N1 is N - 1, d(U, X, DU).
d(- U, X, - DU) :- !, d(U, X, DU).
d(exp(U), X, exp(U) * DU) :- !, d(U, X, DU).
d(log(U), X, DU / U) :- !, d(U, X, DU).
d(X, X, 1) :- !.
d(_, _, 0).

size(T, 1) :- atomic(T), !.
size(T, N) :- T =.. [_|Args], sizes(Args, 1, N).

sizes([], N, N).
sizes([T|Ts], N0, N) :- size(T, M), N1 is N0 + M, sizes(Ts, N1, N).

repeat(_).
repeat(N) :- N > 1, N1 is N - 1, repeat(N1).
