% Ordered sets: lists in standard order without repetitions, as sort/2 makes them.

%! is_ordset(@Term) is semidet.
%
%  Term is a list in standard order in which nothing occurs twice.
%
%  ?- is_ordset([a, b]).
%  true.
%  ?- is_ordset([b, a]).
%  false.
is_ordset(Term) :-
    is_list(Term),
    is_ordered_(Term).

is_ordered_([]).
is_ordered_([X|Xs]) :-
    is_ordered_(Xs, X).

is_ordered_([], _).
is_ordered_([Y|Ys], X) :-
    X @< Y,
    is_ordered_(Ys, Y).

%! list_to_ord_set(+List, -Set) is det.
%
%  The same as sort/2.
%
%  ?- list_to_ord_set([b, a, b], S).
%  S = [a, b].
list_to_ord_set(List, Set) :-
    sort(List, Set).

%! ord_empty(?Set) is semidet.
%
%  Set is the empty set.
%
%  ?- ord_empty(S).
%  S = [].
ord_empty([]).

%! ord_memberchk(+X, +Set) is semidet.
%
%  X is identical to an element of Set.
%
%  ?- ord_memberchk(b, [a, b]).
%  true.
ord_memberchk(X, [First|Rest]) :-
    compare(Order, X, First),
    ord_memberchk_(Order, X, Rest).

ord_memberchk_(=, _, _).
ord_memberchk_(>, X, Rest) :-
    ord_memberchk(X, Rest).

%! ord_add_element(+Set, +X, -Set1) is det.
%
%  Set1 is Set with X.
%
%  ?- ord_add_element([a, c], b, S).
%  S = [a, b, c].
ord_add_element(Set, X, Set1) :-
    ord_union(Set, [X], Set1).

%! ord_insert(+Set, +X, -Set1) is det.
%
%  The same as ord_add_element/3.
%
%  ?- ord_insert([a], b, S).
%  S = [a, b].
ord_insert(Set, X, Set1) :-
    ord_union(Set, [X], Set1).

%! ord_del_element(+Set, +X, -Set1) is det.
%
%  Set1 is Set without X.
%
%  ?- ord_del_element([a, b], b, S).
%  S = [a].
ord_del_element(Set, X, Set1) :-
    ord_subtract(Set, [X], Set1).

%! ord_selectchk(+X, +Set, -Rest) is semidet.
%
%  X is an element of Set, and Rest are the others.
%
%  ?- ord_selectchk(a, [a, b], R).
%  R = [b].
ord_selectchk(X, Set, Rest) :-
    ord_memberchk(X, Set),
    ord_subtract(Set, [X], Rest).

%! ord_union(+Set1, +Set2, -Union) is det.
%
%  The elements of either set.
%
%  ?- ord_union([a, c], [b, c], S).
%  S = [a, b, c].
ord_union([], Set2, Set2).
ord_union([X|Xs], Set2, Union) :-
    ord_union_(Set2, X, Xs, Union).

ord_union_([], X, Xs, [X|Xs]).
ord_union_([Y|Ys], X, Xs, Union) :-
    compare(Order, X, Y),
    ord_union_(Order, X, Xs, Y, Ys, Union).

ord_union_(<, X, Xs, Y, Ys, [X|Union]) :- ord_union_(Xs, Y, Ys, Union).
ord_union_(=, X, Xs, _, Ys, [X|Union]) :- ord_union(Xs, Ys, Union).
ord_union_(>, X, Xs, Y, Ys, [Y|Union]) :- ord_union_(Ys, X, Xs, Union).

%! ord_union(+Sets, -Union) is det.
%
%  The elements of all the sets of a list.
%
%  ?- ord_union([[b], [a], [b, c]], S).
%  S = [a, b, c].
ord_union(Sets, Union) :-
    append(Sets, Elements),
    sort(Elements, Union).

%! ord_union(+Set1, +Set2, -Union, -New) is det.
%
%  As ord_union/3; New are the elements of Set2 that are not in Set1.
%
%  ?- ord_union([a], [a, b], S, N).
%  S = [a, b], N = [b].
ord_union(Set1, Set2, Union, New) :-
    ord_union(Set1, Set2, Union),
    ord_subtract(Set2, Set1, New).

%! ord_subtract(+Set1, +Set2, -Rest) is det.
%
%  The elements of Set1 that are not in Set2.
%
%  ?- ord_subtract([a, b, c], [b], S).
%  S = [a, c].
ord_subtract([], _, []).
ord_subtract([X|Xs], Set2, Rest) :-
    ord_subtract_(Set2, X, Xs, Rest).

ord_subtract_([], X, Xs, [X|Xs]).
ord_subtract_([Y|Ys], X, Xs, Rest) :-
    compare(Order, X, Y),
    ord_subtract_(Order, X, Xs, Y, Ys, Rest).

ord_subtract_(<, X, Xs, Y, Ys, [X|Rest]) :- ord_subtract(Xs, [Y|Ys], Rest).
ord_subtract_(=, _, Xs, _, Ys, Rest) :- ord_subtract(Xs, Ys, Rest).
ord_subtract_(>, X, Xs, _, Ys, Rest) :- ord_subtract_(Ys, X, Xs, Rest).

%! ord_intersection(+Set1, +Set2, -Both) is det.
%
%  The elements of both sets.
%
%  ?- ord_intersection([a, b], [b, c], S).
%  S = [b].
ord_intersection(Set1, Set2, Both) :-
    ord_subtract(Set1, Set2, Only),
    ord_subtract(Set1, Only, Both).

%! ord_intersection(+Sets, -Common) is det.
%
%  The elements that all the sets of a list have.
%
%  ?- ord_intersection([[a, b], [b, c]], S).
%  S = [b].
ord_intersection([], []).
ord_intersection([Set|Sets], Common) :-
    foldl(ord_intersection, Sets, Set, Common).

%! ord_symdiff(+Set1, +Set2, -Difference) is det.
%
%  The elements of one set only.
%
%  ?- ord_symdiff([a, b], [b, c], S).
%  S = [a, c].
ord_symdiff(Set1, Set2, Difference) :-
    ord_subtract(Set1, Set2, Only1),
    ord_subtract(Set2, Set1, Only2),
    ord_union(Only1, Only2, Difference).

%! ord_subset(+Set1, +Set2) is semidet.
%
%  All elements of Set1 are in Set2.
%
%  ?- ord_subset([a], [a, b]).
%  true.
ord_subset(Set1, Set2) :-
    ord_subtract(Set1, Set2, []).

%! ord_disjoint(+Set1, +Set2) is semidet.
%
%  No element is in both sets.
%
%  ?- ord_disjoint([a], [b]).
%  true.
ord_disjoint(Set1, Set2) :-
    ord_intersection(Set1, Set2, []).

%! ord_intersect(+Set1, +Set2) is semidet.
%
%  Some element is in both sets.
%
%  ?- ord_intersect([a], [b]).
%  false.
ord_intersect(Set1, Set2) :-
    \+ ord_disjoint(Set1, Set2).

%! ord_seteq(+Set1, +Set2) is semidet.
%
%  Both sets have the same elements.
%
%  ?- ord_seteq([a], [a]).
%  true.
ord_seteq(Set1, Set2) :-
    Set1 == Set2.
