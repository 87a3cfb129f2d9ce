% Reverses a list of 30 elements 200 times: 99,201 calls without a choice point.
go :- numbers(30, L), run(200, L).

run(0, _) :- !.
run(N, L) :- nrev(L, _), N1 is N-1, run(N1, L).

numbers(0, []) :- !.
numbers(N, [N|L]) :- N1 is N-1, numbers(N1, L).

nrev([], []).
nrev([X|Xs], Ys) :- nrev(Xs, Zs), app(Zs, [X], Ys).

app([], Ys, Ys).
app([X|Xs], Ys, [X|Zs]) :- app(Xs, Ys, Zs).
