% All ways to place N queens with the taken diagonals kept in lists, collected by findall/3.
% small 5: 10
% middle 7: 40
% large 11: 2680
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    numbers(1, N, L),
    findall(Qs, queens(L, 1, [], [], Qs), All),
    len(All, 0, A).

queens([], _, _, _, []).
queens([C|Cs], Row, Ups, Downs, [Q|Qs]) :-
    pick(Q, [C|Cs], Rest),
    Up is Q + Row,
    \+ has(Ups, Up),
    Down is Q - Row,
    \+ has(Downs, Down),
    Row1 is Row + 1,
    queens(Rest, Row1, [Up|Ups], [Down|Downs], Qs).

has([X|_], X).
has([_|Xs], X) :- has(Xs, X).

pick(X, [X|Xs], Xs).
pick(X, [Y|Ys], [Y|Zs]) :- pick(X, Ys, Zs).

len([], N, N).
len([_|Xs], N0, N) :- N1 is N0 + 1, len(Xs, N1, N).

numbers(N, N, [N]) :- !.
numbers(I, N, [I|L]) :- I1 is I + 1, numbers(I1, N, L).
