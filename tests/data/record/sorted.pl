% Sorts a list by insertion; with the comparison turned round, it sorts it wrongly.
go :- isort([3,1,2], L), writeln(L).
isort([], []).
isort([X|Xs], S) :- isort(Xs, T), insert(X, T, S).
insert(X, [], [X]).
insert(X, [Y|Ys], [X,Y|Ys]) :- X < Y, !.
insert(X, [Y|Ys], [Y|Zs]) :- insert(X, Ys, Zs).
