% Naive reverse of a list of 30 elements, N times: 496 inferences each.
% small 5: 2510
% middle 2000: 992030
% large 100000: 49600030
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    numbers(1, 30, L),
    (   repeat(N), nrev(L, _), fail ; true ),
    nrev(L, [First|_]),
    A is N * 496 + First.

nrev([], []).
nrev([X|Xs], R) :- nrev(Xs, R0), app(R0, [X], R).

app([], L, L).
app([X|Xs], Ys, [X|Zs]) :- app(Xs, Ys, Zs).

numbers(N, N, [N]) :- !.
numbers(I, N, [I|L]) :- I1 is I + 1, numbers(I1, N, L).

repeat(_).
repeat(N) :- N > 1, N1 is N - 1, repeat(N1).
