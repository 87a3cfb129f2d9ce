:- pred isort(list(int), list(int)).
:- mode isort(in, out) is det.

isort([], []).
isort([X | Xs], Sorted) :-
    isort(Xs, Sorted0),
    insert(X, Sorted0, Sorted).

:- pred insert(int, list(int), list(int)).
:- mode insert(in, in, out) is det.
insert(X, [], [X]).
insert(X, [Y | Ys], Zs) :-
    ( X > Y ->
        insert(X, Ys, Zs0),
        Zs = [Y | Zs0]
    ;
        Zs = [X | Ys]
    ).
