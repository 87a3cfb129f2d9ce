% Lists as sets: without repetitions, and compared with others.

%! subtract(+List, +Remove, -Rest) is det.
%
%  Rest has the elements of List that are not in Remove.
%
%  ?- subtract([a, b, c], [b, x], L).
%  L = [a, c].
subtract([], _, []).
subtract([X|Xs], Remove, Rest) :-
    (   memberchk(X, Remove)
    ->  subtract(Xs, Remove, Rest)
    ;   Rest = [X|Rest1],
        subtract(Xs, Remove, Rest1)
    ).

%! intersection(+List1, +List2, -Both) is det.
%
%  Both has the elements of List1 that are in List2 too, in the order of List1.
%
%  ?- intersection([a, b, c], [c, a], L).
%  L = [a, c].
intersection([], _, []).
intersection([X|Xs], List2, Both) :-
    (   memberchk(X, List2)
    ->  Both = [X|Both1],
        intersection(Xs, List2, Both1)
    ;   intersection(Xs, List2, Both)
    ).

%! union(+List1, +List2, -Union) is det.
%
%  Union has the elements of List1 that are not in List2, followed by List2.
%
%  ?- union([a, b], [b, c], L).
%  L = [a, b, c].
union([], List2, List2).
union([X|Xs], List2, Union) :-
    (   memberchk(X, List2)
    ->  union(Xs, List2, Union)
    ;   Union = [X|Union1],
        union(Xs, List2, Union1)
    ).

%! subset(+Subset, +List) is semidet.
%
%  Every element of Subset is in List.
%
%  ?- subset([c, a], [a, b, c]).
%  true.
%  ?- subset([d], [a, b, c]).
%  false.
subset([], _).
subset([X|Xs], List) :-
    memberchk(X, List),
    subset(Xs, List).

%! is_set(+List) is semidet.
%
%  List is a list in which no element occurs twice.
%
%  ?- is_set([a, b]).
%  true.
%  ?- is_set([a, b, a]).
%  false.
is_set(List) :-
    is_list(List),
    length(List, Length),
    sort(List, Sorted),
    length(Sorted, Length).
