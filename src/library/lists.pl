% Predicates on lists. Sorting, sums and length are builtins; sets and pairs have their own files.

%! append(?Front, ?Back, ?List) is nondet.
%@ pure.
%
%  List is Front followed by Back.
%
%  ?- append([a, b], [c], L).
%  L = [a, b, c].
%  ?- append(X, [c], [a, b, c]).
%  X = [a, b].
%  ?- append(X, Y, [a]).
%  X = [], Y = [a]
%  ; X = [a], Y = [].
append([], Back, Back).
append([X|Front], Back, [X|List]) :-
    append(Front, Back, List).

%! append(+Lists, ?List) is nondet.
%@ pure.
%
%  List is all the lists of Lists, one after the other.
%
%  ?- append([[a], [], [b, c]], L).
%  L = [a, b, c].
%  ?- append([X, [c]], [b, c]).
%  X = [b].
%  ?- append(a, L).
%  error: type_error(list, a).
append(Lists, List) :-
    must_be(list, Lists),
    append_each_(Lists, List).

append_each_([], []).
append_each_([Front|Lists], List) :-
    append_each_(Lists, Front, List).

append_each_([], Last, List) :-
    is_list_or_partial_(Last),
    List = Last.
append_each_([Next|Lists], Front, List) :-
    append(Front, Back, List),
    append_each_(Lists, Next, Back).

%! member(?X, ?List) is nondet.
%@ pure.
%
%  X is an element of List; the last element leaves no choice.
%
%  ?- member(X, [a, b]).
%  X = a
%  ; X = b.
%  ?- member(c, [a, b]).
%  false.
member(X, [First|Rest]) :-
    member_(Rest, First, X).

member_(_, X, X).
member_([Next|Rest], _, X) :-
    member_(Rest, Next, X).

%! nth0(?Index, ?List, ?Element) is nondet.
%@ pure.
%
%  Element is the element of List at Index, counted from 0.
%
%  ?- nth0(1, [a, b, c], X).
%  X = b.
%  ?- nth0(I, [a, b], b).
%  I = 1.
%  ?- nth0(3, [a, b, c], X).
%  false.
%  ?- nth0(one, [a], X).
%  error: type_error(integer, one).
nth0(Index, List, Element) :-
    nth_from_(Index, 0, List, Element).

%! nth1(?Index, ?List, ?Element) is nondet.
%@ pure.
%
%  Element is the element of List at Index, counted from 1.
%
%  ?- nth1(1, [a, b, c], X).
%  X = a.
%  ?- nth1(I, [a, b], X).
%  I = 1, X = a
%  ; I = 2, X = b.
nth1(Index, List, Element) :-
    nth_from_(Index, 1, List, Element).

nth_from_(Index, Base, List, Element) :-
    (   integer(Index)
    ->  Skip is Index - Base,
        Skip >= 0,
        nth_after_(Skip, List, Element)
    ;   var(Index)
    ->  List = [First|Rest],
        nth_counted_(Rest, First, Element, Base, Index)
    ;   type_error(integer, Index)
    ).

nth_after_(Skip, [First|Rest], Element) :-
    (   Skip =:= 0
    ->  Element = First
    ;   Left is Skip - 1,
        nth_after_(Left, Rest, Element)
    ).

nth_counted_(_, Element, Element, Index, Index).
nth_counted_([Next|Rest], _, Element, Count, Index) :-
    Count1 is Count + 1,
    nth_counted_(Rest, Next, Element, Count1, Index).

%! nth0(?Index, ?List, ?Element, ?Rest) is nondet.
%
%  Element is at Index (from 0) in List, and Rest is List without it.
%
%  ?- nth0(1, [a, b, c], X, Rest).
%  X = b, Rest = [a, c].
%  ?- nth0(1, L, x, [a, b]).
%  L = [a, x, b].
nth0(Index, List, Element, Rest) :-
    nth_taken_from_(Index, 0, List, Element, Rest).

%! nth1(?Index, ?List, ?Element, ?Rest) is nondet.
%
%  Element is at Index (from 1) in List, and Rest is List without it.
%
%  ?- nth1(I, [a, b], X, Rest).
%  I = 1, X = a, Rest = [b]
%  ; I = 2, X = b, Rest = [a].
nth1(Index, List, Element, Rest) :-
    nth_taken_from_(Index, 1, List, Element, Rest).

nth_taken_from_(Index, Base, List, Element, Rest) :-
    (   integer(Index)
    ->  Skip is Index - Base,
        Skip >= 0,
        nth_taken_after_(Skip, List, Element, Rest)
    ;   var(Index)
    ->  List = [First|Others],
        nth_taken_counted_(Others, First, Element, Rest, Base, Index)
    ;   type_error(integer, Index)
    ).

nth_taken_after_(Skip, [First|Others], Element, Rest) :-
    (   Skip =:= 0
    ->  Element = First,
        Rest = Others
    ;   Rest = [First|Rest1],
        Left is Skip - 1,
        nth_taken_after_(Left, Others, Element, Rest1)
    ).

nth_taken_counted_(Rest, Element, Element, Rest, Index, Index).
nth_taken_counted_([Next|Others], First, Element, [First|Rest], Count, Index) :-
    Count1 is Count + 1,
    nth_taken_counted_(Others, Next, Element, Rest, Count1, Index).

%! last(?List, ?Last) is nondet.
%@ pure.
%
%  Last is the last element of List.
%
%  ?- last([a, b, c], X).
%  X = c.
%  ?- last([], X).
%  false.
last([First|Rest], Last) :-
    last_(Rest, First, Last).

last_([], Last, Last).
last_([Next|Rest], _, Last) :-
    last_(Rest, Next, Last).

%! nextto(?X, ?Y, ?List) is nondet.
%
%  Y comes directly after X in List.
%
%  ?- nextto(X, c, [a, b, c]).
%  X = b.
nextto(X, Y, [First, Second|Rest]) :-
    nextto_(Rest, First, Second, X, Y).

nextto_(_, X, Y, X, Y).
nextto_([Third|Rest], _, Second, X, Y) :-
    nextto_(Rest, Second, Third, X, Y).

%! reverse(?List, ?Reversed) is det.
%@ pure.
%
%  Reversed has the elements of List in the opposite order.
%
%  ?- reverse([a, b, c], L).
%  L = [c, b, a].
%  ?- reverse(L, [b, a]).
%  L = [a, b].
reverse(List, Reversed) :-
    (   is_list(List)
    ->  reverse_onto_(List, [], Reversed)
    ;   is_list(Reversed)
    ->  reverse_onto_(Reversed, [], List)
    ;   same_length(List, Reversed),
        reverse_onto_(List, [], Reversed)
    ).

reverse_onto_([], Reversed, Reversed).
reverse_onto_([X|Xs], Done, Reversed) :-
    reverse_onto_(Xs, [X|Done], Reversed).

%! same_length(?List1, ?List2) is nondet.
%
%  Both lists have the same number of elements; a list that is not complete is made so.
%
%  ?- same_length([a, b], L).
%  L = [_, _].
%  ?- same_length([a], [b, c]).
%  false.
same_length(List1, List2) :-
    (   is_list(List1)
    ->  same_length_(List1, List2)
    ;   is_list(List2)
    ->  same_length_(List2, List1)
    ;   same_length_(List1, List2)
    ).

same_length_([], []).
same_length_([_|List1], [_|List2]) :-
    same_length_(List1, List2).

% complete_(?List, +Others): List gets the length of the first complete list of Others, unless it
% is complete itself. So a walk along List is deterministic whichever list the caller gave.
complete_(List, Others) :-
    (   is_list(List)
    ->  true
    ;   complete_list_(Others, Complete)
    ->  same_length_(Complete, List)
    ;   true
    ).

complete_list_([List|Lists], Complete) :-
    (   is_list(List)
    ->  Complete = List
    ;   complete_list_(Lists, Complete)
    ).

%! select(?X, ?List, ?Rest) is nondet.
%@ pure.
%
%  Rest is List without one element X; also puts X into Rest at every place.
%
%  ?- select(X, [a, b], Rest).
%  X = a, Rest = [b]
%  ; X = b, Rest = [a].
%  ?- select(x, L, [a]).
%  L = [x, a]
%  ; L = [a, x].
select(X, [First|Others], Rest) :-
    select_(Others, First, X, Rest).

select_(Rest, X, X, Rest).
select_([Next|Others], First, X, [First|Rest]) :-
    select_(Others, Next, X, Rest).

%! select(?X, ?List1, ?Y, ?List2) is nondet.
%
%  List2 is List1 with one element X replaced by Y.
%
%  ?- select(b, [a, b, c], x, L).
%  L = [a, x, c].
select(X, List1, Y, List2) :-
    complete_(List1, [List2]),
    List1 = [First|Rest],
    select_replace_(Rest, First, X, Y, List2).

select_replace_(Rest, X, X, Y, [Y|Rest]).
select_replace_([Next|Rest], First, X, Y, [First|List2]) :-
    select_replace_(Rest, Next, X, Y, List2).

%! selectchk(?X, +List, ?Rest) is semidet.
%
%  Rest is List without the first element that unifies with X.
%
%  ?- selectchk(a, [a, b, a], Rest).
%  Rest = [b, a].
selectchk(X, List, Rest) :-
    select(X, List, Rest1),
    !,
    Rest = Rest1.

%! selectchk(?X, ?List1, ?Y, ?List2) is semidet.
%
%  The first answer of select/4.
%
%  ?- selectchk(b, [a, b, b], x, L).
%  L = [a, x, b].
selectchk(X, List1, Y, List2) :- select(X, List1, Y, List2), !.

%! delete(+List, ?X, -Rest) is det.
%
%  Rest is List without all the elements that could unify with X.
%
%  ?- delete([a, b, a, c], a, L).
%  L = [b, c].
delete([], _, []).
delete([First|Others], X, Rest) :-
    (   First \= X
    ->  Rest = [First|Rest1],
        delete(Others, X, Rest1)
    ;   delete(Others, X, Rest)
    ).

%! permutation(?List, ?Permutation) is nondet.
%
%  Permutation has the elements of List in some order.
%
%  ?- permutation([a, b, c], L).
%  L = [a, b, c]
%  ; L = [a, c, b]
%  ; L = [b, a, c]
%  ; L = [b, c, a]
%  ; L = [c, a, b]
%  ; L = [c, b, a].
permutation(List, Permutation) :-
    same_length(List, Permutation),
    permutation_(List, Permutation).

permutation_([], []).
permutation_([First|Others], [X|Permutation]) :-
    select_(Others, First, X, Rest),
    permutation_(Rest, Permutation).

%! flatten(+Nested, -List) is det.
%
%  List has the elements of the list Nested and of all the lists in it; anything else gives a list of one.
%
%  ?- flatten([a, [b, [], [c]], d], L).
%  L = [a, b, c, d].
%  ?- flatten(a, L).
%  L = [a].
flatten(Nested, List) :-
    flatten_(Nested, [], List1),
    List = List1.

flatten_(Nested, Tail, List) :-
    (   var(Nested)
    ->  List = [Nested|Tail]
    ;   Nested = [First|Rest]
    ->  flatten_(First, List1, List),
        flatten_(Rest, Tail, List1)
    ;   Nested == []
    ->  List = Tail
    ;   List = [Nested|Tail]
    ).

%! max_member(-Max, +List) is semidet.
%@ pure.
%
%  Max is the greatest element of List in the standard order of terms, but numbers are compared by value.
%
%  ?- max_member(M, [1, 2.5]).
%  M = 2.5.
%  ?- max_member(M, [b, f(a), 3]).
%  M = f(a).
max_member(Max, [First|Rest]) :-
    max_member_from_(Rest, First, Max).

max_member_from_([], Max, Max).
max_member_from_([X|Xs], Max0, Max) :-
    (   '$less_in_value'(Max0, X)
    ->  max_member_from_(Xs, X, Max)
    ;   max_member_from_(Xs, Max0, Max)
    ).

%! min_member(-Min, +List) is semidet.
%@ pure.
%
%  Min is the least element of List in the standard order of terms, but numbers are compared by value.
%
%  ?- min_member(M, [1, 2.5]).
%  M = 1.
%  ?- min_member(M, [b, f(a), 3]).
%  M = 3.
min_member(Min, [First|Rest]) :-
    min_member_from_(Rest, First, Min).

min_member_from_([], Min, Min).
min_member_from_([X|Xs], Min0, Min) :-
    (   '$less_in_value'(X, Min0)
    ->  min_member_from_(Xs, X, Min)
    ;   min_member_from_(Xs, Min0, Min)
    ).

%! predsort(:Compare, +List, -Sorted) is semidet.
%@ calls 3.
%
%  Sorted is List ordered by `call(Compare, Order, X, Y)`, where Order is `<`, `>` or `=`.
%  Of elements that compare as `=` only the first is kept.
%
%  ?- predsort(compare, [c, a, b, a], L).
%  L = [a, b, c].
%  ?- predsort([O, X-_, Y-_]>>compare(O, X, Y), [2-b, 1-c, 2-a], L).
%  L = [1-c, 2-b].
%  ?- predsort(compare, a, L).
%  error: type_error(list, a).
predsort(Compare, List, Sorted) :-
    must_be(list, List),
    length(List, Length),
    (   Length =:= 0
    ->  Sorted = []
    ;   predsort_(Length, Compare, List, _, Sorted1),
        Sorted = Sorted1
    ).

% predsort_(+N, :Compare, +List, -Rest, -Sorted): sorts the first N elements, Rest follows them.
predsort_(N, Compare, List, Rest, Sorted) :-
    (   N =:= 1
    ->  List = [X|Rest],
        Sorted = [X]
    ;   Half is N // 2,
        Other is N - Half,
        predsort_(Half, Compare, List, List1, Sorted1),
        predsort_(Other, Compare, List1, Rest, Sorted2),
        predsort_merge_(Sorted1, Sorted2, Compare, Sorted)
    ).

predsort_merge_([], Ys, _, Ys).
predsort_merge_([X|Xs], Ys, Compare, Merged) :-
    predsort_insert_(Ys, X, Xs, Compare, Merged).

predsort_insert_([], X, Xs, _, [X|Xs]).
predsort_insert_([Y|Ys], X, Xs, Compare, Merged) :-
    call(Compare, Order, X, Y),
    (   Order == (<)
    ->  Merged = [X|Merged1],
        predsort_merge_(Xs, [Y|Ys], Compare, Merged1)
    ;   Order == (>)
    ->  Merged = [Y|Merged1],
        predsort_insert_(Ys, X, Xs, Compare, Merged1)
    ;   Order == (=)
    ->  predsort_insert_(Ys, X, Xs, Compare, Merged)
    ;   must_be(oneof([<, =, >]), Order)
    ).

%! proper_length(@List, -Length) is semidet.
%
%  List is a complete list of Length elements.
%
%  ?- proper_length([a, b], N).
%  N = 2.
%  ?- proper_length([a|_], _).
%  false.
proper_length(List, Length) :-
    is_list(List),
    length(List, Length).

%! clumped(+Pairs, -Clumps) is det.
%
%  Clumps are the runs of equal elements of Pairs: `Element-Count` each.
%
%  ?- clumped([a, a, b, a], L).
%  L = [a-2, b-1, a-1].
clumped([], []).
clumped([X|Xs], [X-Count|Clumps]) :-
    clump_(Xs, X, 1, Count, Rest),
    clumped(Rest, Clumps).

clump_([Y|Ys], X, Count0, Count, Rest) :-
    Y == X,
    !,
    Count1 is Count0 + 1,
    clump_(Ys, X, Count1, Count, Rest).
clump_(Rest, _, Count, Count, Rest).

%! subseq(+List, -Part, -Others) is nondet.
%
%  Part has some elements of List in their order, Others the other ones.
%
%  ?- subseq([a, b], P, O).
%  P = [], O = [a, b]
%  ; P = [b], O = [a]
%  ; P = [a], O = [b]
%  ; P = [a, b], O = [].
subseq([], [], []).
subseq([X|Xs], Part, [X|Others]) :- subseq(Xs, Part, Others).
subseq([X|Xs], [X|Part], Others) :- subseq(Xs, Part, Others).

%! max_member(:Before, -Max, +List) is semidet.
%@ calls 2.
%
%  Max is the first element of List that comes before no other, by `call(Before, X, Y)`.
%
%  ?- max_member(@=<, M, [1, 3, 2]).
%  M = 3.
max_member(Before, Max, [First|Rest]) :-
    foldl(later_(Before), Rest, First, Found),
    Max = Found.

later_(Before, X, Max0, Max) :-
    (   call(Before, X, Max0)
    ->  Max = Max0
    ;   Max = X
    ).

%! min_member(:Before, -Min, +List) is semidet.
%@ calls 2.
%
%  Min is the first element of List that no other comes before, by `call(Before, X, Y)`.
%
%  ?- min_member(@=<, M, [3, 1, 2]).
%  M = 1.
min_member(Before, Min, [First|Rest]) :-
    foldl(earlier_(Before), Rest, First, Found),
    Min = Found.

earlier_(Before, X, Min0, Min) :-
    (   call(Before, Min0, X)
    ->  Min = Min0
    ;   Min = X
    ).
