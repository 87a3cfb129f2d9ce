% An interpreter in three clauses runs naive reverse of 30 elements by clause/2, N times.
% small 2: 30
% middle 100: 30
% large 5000: 30
:- initialization(main).
:- dynamic(nrev/2).
:- dynamic(app/3).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    numbers(1, 30, L),
    (   repeat(N), solve(nrev(L, _)), fail ; true ),
    solve(nrev(L, [A|_])).

solve(true) :- !.
solve((A, B)) :- !, solve(A), solve(B).
solve(H) :- clause(H, B), solve(B).

nrev([], []).
nrev([X|Xs], R) :- nrev(Xs, R0), app(R0, [X], R).

app([], L, L).
app([X|Xs], Ys, [X|Zs]) :- app(Xs, Ys, Zs).

numbers(N, N, [N]) :- !.
numbers(I, N, [I|L]) :- I1 is I + 1, numbers(I1, N, L).

repeat(_).
repeat(N) :- N > 1, N1 is N - 1, repeat(N1).
