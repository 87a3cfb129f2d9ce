% Calling a goal for every element of lists: mapping, folding and filtering.

%! maplist(:Goal, ?As) is nondet.
%@ pure, calls 1.
%
%  Goal holds for every element of the list As.
%
%  ?- maplist(atom, [a, b]).
%  true.
%  ?- maplist([X]>>(X > 1), [1, 2]).
%  false.
maplist(Goal, As) :-
    maplist_(As, Goal).

maplist_([], _).
maplist_([A|As], Goal) :-
    call(Goal, A),
    maplist_(As, Goal).

%! maplist(:Goal, ?As, ?Bs) is nondet.
%@ pure, calls 2.
%
%  Goal holds for the 2 lists' elements taken together: the first ones, the second ones, and so on.
%
%  ?- maplist(succ, [1, 2], L).
%  L = [2, 3].
%  ?- maplist(succ, L, [1, 2]).
%  L = [0, 1].
%  ?- maplist(=, [a], [a, c]).
%  false.
maplist(Goal, As, Bs) :-
    complete_(As, [Bs]),
    maplist_(As, Bs, Goal).

maplist_([], [], _).
maplist_([A|As], [B|Bs], Goal) :-
    call(Goal, A, B),
    maplist_(As, Bs, Goal).

%! maplist(:Goal, ?As, ?Bs, ?Cs) is nondet.
%@ pure, calls 3.
%
%  Goal holds for the 3 lists' elements taken together: the first ones, the second ones, and so on.
%
%  ?- maplist(plus, [1, 2], [10, 20], L).
%  L = [11, 22].
maplist(Goal, As, Bs, Cs) :-
    complete_(As, [Bs, Cs]),
    maplist_(As, Bs, Cs, Goal).

maplist_([], [], [], _).
maplist_([A|As], [B|Bs], [C|Cs], Goal) :-
    call(Goal, A, B, C),
    maplist_(As, Bs, Cs, Goal).

%! maplist(:Goal, ?As, ?Bs, ?Cs, ?Ds) is nondet.
%@ pure, calls 4.
%
%  Goal holds for the 4 lists' elements taken together: the first ones, the second ones, and so on.
%
%  ?- maplist([A, B, C, D]>>(D = f(A, B, C)), [1, 2], [a, b], [x, y], L).
%  L = [f(1, a, x), f(2, b, y)].
maplist(Goal, As, Bs, Cs, Ds) :-
    complete_(As, [Bs, Cs, Ds]),
    maplist_(As, Bs, Cs, Ds, Goal).

maplist_([], [], [], [], _).
maplist_([A|As], [B|Bs], [C|Cs], [D|Ds], Goal) :-
    call(Goal, A, B, C, D),
    maplist_(As, Bs, Cs, Ds, Goal).

%! maplist(:Goal, ?As, ?Bs, ?Cs, ?Ds, ?Es) is nondet.
%@ pure, calls 5.
%
%  Goal holds for the 5 lists' elements taken together: the first ones, the second ones, and so on.
%
%  ?- maplist([A, B, C, D, E]>>(E = f(A, B, C, D)), [1], [2], [3], [4], L).
%  L = [f(1, 2, 3, 4)].
maplist(Goal, As, Bs, Cs, Ds, Es) :-
    complete_(As, [Bs, Cs, Ds, Es]),
    maplist_(As, Bs, Cs, Ds, Es, Goal).

maplist_([], [], [], [], [], _).
maplist_([A|As], [B|Bs], [C|Cs], [D|Ds], [E|Es], Goal) :-
    call(Goal, A, B, C, D, E),
    maplist_(As, Bs, Cs, Ds, Es, Goal).

%! maplist(:Goal, ?As, ?Bs, ?Cs, ?Ds, ?Es, ?Fs) is nondet.
%@ pure, calls 6.
%
%  Goal holds for the 6 lists' elements taken together: the first ones, the second ones, and so on.
%
%  ?- maplist([A, B, C, D, E, F]>>(F = f(A, B, C, D, E)), [1], [2], [3], [4], [5], L).
%  L = [f(1, 2, 3, 4, 5)].
maplist(Goal, As, Bs, Cs, Ds, Es, Fs) :-
    complete_(As, [Bs, Cs, Ds, Es, Fs]),
    maplist_(As, Bs, Cs, Ds, Es, Fs, Goal).

maplist_([], [], [], [], [], [], _).
maplist_([A|As], [B|Bs], [C|Cs], [D|Ds], [E|Es], [F|Fs], Goal) :-
    call(Goal, A, B, C, D, E, F),
    maplist_(As, Bs, Cs, Ds, Es, Fs, Goal).

%! foldl(:Goal, ?As, +State0, -State) is nondet.
%@ pure, calls 3.
%
%  Goes along a list: `call(Goal, Element, State0, State1)` makes each state from the one before.
%
%  ?- foldl([X, S0, S]>>(S is S0 + X), [1, 2, 3], 0, S).
%  S = 6.
%  ?- foldl([X, L0, L]>>(L = [X|L0]), [a, b], [], L).
%  L = [b, a].
foldl(Goal, As, State0, State) :-
    foldl_(As, Goal, State0, State).

foldl_([], _, State, State).
foldl_([A|As], Goal, State0, State) :-
    call(Goal, A, State0, State1),
    foldl_(As, Goal, State1, State).

%! foldl(:Goal, ?As, ?Bs, +State0, -State) is nondet.
%@ pure, calls 4.
%
%  The same along 2 lists: `call(Goal, A, B, State0, State1)`.
%
%  ?- foldl([X, Y, S0, S]>>(S is S0 + X * Y), [1, 2], [10, 20], 0, S).
%  S = 50.
foldl(Goal, As, Bs, State0, State) :-
    complete_(As, [Bs]),
    foldl_(As, Bs, Goal, State0, State).

foldl_([], [], _, State, State).
foldl_([A|As], [B|Bs], Goal, State0, State) :-
    call(Goal, A, B, State0, State1),
    foldl_(As, Bs, Goal, State1, State).

%! foldl(:Goal, ?As, ?Bs, ?Cs, +State0, -State) is nondet.
%@ pure, calls 5.
%
%  The same along 3 lists: `call(Goal, A, B, C, State0, State1)`.
%
%  ?- foldl([X, Y, Z, S0, S]>>(S is S0 + X * Y * Z), [1, 2], [3, 4], [5, 6], 0, S).
%  S = 63.
foldl(Goal, As, Bs, Cs, State0, State) :-
    complete_(As, [Bs, Cs]),
    foldl_(As, Bs, Cs, Goal, State0, State).

foldl_([], [], [], _, State, State).
foldl_([A|As], [B|Bs], [C|Cs], Goal, State0, State) :-
    call(Goal, A, B, C, State0, State1),
    foldl_(As, Bs, Cs, Goal, State1, State).

%! include(:Goal, +List, -Kept) is det.
%@ pure, calls 1.
%
%  Kept has the elements of List for which Goal holds.
%
%  ?- include([X]>>(X > 1), [1, 3, 0, 2], L).
%  L = [3, 2].
include(Goal, List, Kept) :-
    include_(List, Goal, Kept).

include_([], _, []).
include_([X|Xs], Goal, Kept) :-
    (   call(Goal, X)
    ->  Kept = [X|Kept1],
        include_(Xs, Goal, Kept1)
    ;   include_(Xs, Goal, Kept)
    ).

%! exclude(:Goal, +List, -Kept) is det.
%@ pure, calls 1.
%
%  Kept has the elements of List for which Goal does not hold.
%
%  ?- exclude([X]>>(X > 1), [1, 3, 0, 2], L).
%  L = [1, 0].
exclude(Goal, List, Kept) :-
    exclude_(List, Goal, Kept).

exclude_([], _, []).
exclude_([X|Xs], Goal, Kept) :-
    (   call(Goal, X)
    ->  exclude_(Xs, Goal, Kept)
    ;   Kept = [X|Kept1],
        exclude_(Xs, Goal, Kept1)
    ).

%! partition(:Goal, +List, -Kept, -Others) is det.
%@ pure, calls 1.
%
%  Kept has the elements of List for which Goal holds, Others has the others.
%
%  ?- partition([X]>>(X > 1), [1, 3, 0, 2], Kept, Others).
%  Kept = [3, 2], Others = [1, 0].
partition(Goal, List, Kept, Others) :-
    partition_(List, Goal, Kept, Others).

partition_([], _, [], []).
partition_([X|Xs], Goal, Kept, Others) :-
    (   call(Goal, X)
    ->  Kept = [X|Kept1],
        partition_(Xs, Goal, Kept1, Others)
    ;   Others = [X|Others1],
        partition_(Xs, Goal, Kept, Others1)
    ).

%! partition(:Goal, +List, -Less, -Equal, -Greater) is semidet.
%@ pure, calls 2.
%
%  Sorts the elements into three lists by the Order that `call(Goal, Element, Order)` gives.
%  Order is `<`, `=` or `>`.
%
%  ?- partition([X, O]>>compare(O, X, 2), [1, 2, 3, 0], Less, Equal, Greater).
%  Less = [1, 0], Equal = [2], Greater = [3].
partition(Goal, List, Less, Equal, Greater) :-
    partition_(List, Goal, Less, Equal, Greater).

partition_([], _, [], [], []).
partition_([X|Xs], Goal, Less, Equal, Greater) :-
    call(Goal, X, Order),
    (   Order == (<)
    ->  Less = [X|Less1],
        partition_(Xs, Goal, Less1, Equal, Greater)
    ;   Order == (=)
    ->  Equal = [X|Equal1],
        partition_(Xs, Goal, Less, Equal1, Greater)
    ;   Order == (>)
    ->  Greater = [X|Greater1],
        partition_(Xs, Goal, Less, Equal, Greater1)
    ;   must_be(oneof([<, =, >]), Order)
    ).


%! convlist(:Goal, +List, -Results) is det.
%@ pure, calls 2.
%
%  Results has the Y of `call(Goal, X, Y)` for those elements X of List for which it holds.
%
%  ?- convlist([X, Y]>>(X > 1, Y is X * 10), [1, 2, 3], L).
%  L = [20, 30].
convlist(Goal, List, Results) :-
    convlist_(List, Goal, Results).

convlist_([], _, []).
convlist_([X|Xs], Goal, Results) :-
    (   call(Goal, X, Y)
    ->  Results = [Y|Results1],
        convlist_(Xs, Goal, Results1)
    ;   convlist_(Xs, Goal, Results)
    ).

%! foldl(:Goal, ?As, ?Bs, ?Cs, ?Ds, +State0, -State) is nondet.
%@ pure, calls 6.
%
%  The same along 4 lists: `call(Goal, A, B, C, D, State0, State1)`.
%
%  ?- foldl([A, B, C, D, S0, S]>>(S is S0 + A * B * C * D), [1], [2], [3], [4], 0, S).
%  S = 24.
foldl(Goal, As, Bs, Cs, Ds, State0, State) :-
    complete_(As, [Bs, Cs, Ds]),
    foldl_(As, Bs, Cs, Ds, Goal, State0, State).

foldl_([], [], [], [], _, State, State).
foldl_([A|As], [B|Bs], [C|Cs], [D|Ds], Goal, State0, State) :-
    call(Goal, A, B, C, D, State0, State1),
    foldl_(As, Bs, Cs, Ds, Goal, State1, State).

%! foreach(:Generator, :Goal) is semidet.
%
%  Goal holds for all answers of Generator together: what it binds in other variables stays bound.
%
%  ?- foreach(member(X, [1, 2]), member(X-Y, [1-a, 2-a, 2-b])).
%  Y = a.
foreach(Generator, Goal) :-
    term_variables(Generator, Variables0),
    term_variables(Goal, Variables1),
    sort(Variables0, Set0),
    sort(Variables1, Set1),
    ord_intersection(Set0, Set1, Shared),
    Template =.. [v|Shared],
    findall(Template, Generator, Instances),
    foreach_(Instances, Template, Goal).

foreach_([], _, _).
foreach_([Instance|Instances], Template, Goal) :-
    copy_term(Template, Goal, Instance, Goal1),
    call(Goal1),
    foreach_(Instances, Template, Goal).
