% Tabled predicates: their answers are kept, so that each goal is solved once and left recursion ends.

%! table(+Specifications) is det.
%
%  Declares tabled predicates: Name/Arity, several of them joined by commas, or a list.
%
%  A call of a tabled predicate has each answer once, and all of them are found before the first is given; calls that
%  differ in the names of variables only share them. So rules may be left recursive:
%
%      :- table path/2.
%      path(X, Y) :- edge(X, Y).
%      path(X, Y) :- path(X, Z), edge(Z, Y).
%
%  Instead of Name/Arity, a head tells what is kept of several answers that differ only in some arguments: in
%  `path(_, _, min)` the least third argument for each pair. `max`, `first` (or `-`), `last` and `sum` do what they say;
%  `lattice(Name/3)` calls Name(Old, New, Kept), and `po(Name/2)` keeps New if Name(Old, New) holds.
%
%  A tabled goal is solved as from before the first event, and does not move the cursor. Its answers are forgotten when a
%  script is read or another trace is opened, not when clauses of dynamic predicates change: see abolish_all_tables/0.
%
%  What is thrown while goals that wait for each other are solved can be caught outside of them only, and their answers
%  so far are forgotten.
%
%  ?- table(seen/1), assertz((seen(X) :- seen(Y), Y < 3, X is Y + 1)), assertz(seen(1)), findall(X, seen(X), L).
%  L = [1, 2, 3].
%  ?- table(best(_, max)), assertz(best(a, 1)), assertz(best(a, 3)), assertz(best(a, 2)), best(a, X).
%  X = 3.
table(Specifications) :- var(Specifications), !, throw(error(instantiation_error, _)).
table([]) :- !.
table([Specification|Specifications]) :- !, table(Specification), table(Specifications).
table((A, B)) :- !, table(A), table(B).
table(Specification as _) :- !, table(Specification).
table(Name/Arity) :- !, '$table_declare'(Name/Arity, []).
table(Name//Arity) :-
    !,
    must_be(nonneg, Arity),
    Arity1 is Arity + 2,
    '$table_declare'(Name/Arity1, []).
table(Head) :-
    must_be(callable, Head),
    Head =.. [Name|Arguments],
    length(Arguments, Arity),
    table_modes_(Arguments, Modes),
    '$table_declare'(Name/Arity, Modes).

table_modes_([], []).
table_modes_([Argument|Arguments], [Mode|Modes]) :-
    (   table_mode_(Argument, Mode)
    ->  true
    ;   throw(error(domain_error(tabled_mode, Argument), _))
    ),
    table_modes_(Arguments, Modes).

table_mode_(Mode, index) :- var(Mode), !.
table_mode_(index, index).
table_mode_(-, first).
table_mode_(first, first).
table_mode_(last, last).
table_mode_(min, min).
table_mode_(max, max).
table_mode_(sum, sum).
table_mode_(po(Goal), po(Name)) :- table_goal_(Goal, 2, Name).
table_mode_(lattice(Goal), lattice(Name)) :- table_goal_(Goal, 3, Name).

table_goal_(Goal, _, _) :- var(Goal), !, throw(error(instantiation_error, _)).
table_goal_(Name/Arity, Arity, Name) :- !, atom(Name).
table_goal_(Head, Arity, Name) :- functor(Head, Name, N), ( N =:= Arity -> true ; N =:= 0 ).

%! abolish_all_tables is det.
%
%  Forgets the answers of all tabled predicates, so that they are found anew.
%
%  ?- abolish_all_tables.
%  true.
abolish_all_tables :- '$abolish_all_tables'.

% The machine calls this for a call that has no table. It fails at its end.
table_run_(Table, Template, Goal) :-
    '$table_clauses'(Table, Goal),
    '$table_answer'(Table, Template).

% The machine calls this for an answer whose arguments without modes are those of the answer Number.
table_join_(Table, Template, Number, Modes, Old, New) :-
    table_join_all_(Modes, Old, New, Kept),
    Kept \=@= Old,
    '$table_replace'(Table, Template, Number, Kept).

table_join_all_([], [], [], []).
table_join_all_([Mode|Modes], [Old|Olds], [New|News], [Kept|Kepts]) :-
    table_join_one_(Mode, Old, New, Kept),
    table_join_all_(Modes, Olds, News, Kepts).

table_join_one_(min, Old, New, Kept) :- ( New @< Old -> Kept = New ; Kept = Old ).
table_join_one_(max, Old, New, Kept) :- ( New @> Old -> Kept = New ; Kept = Old ).
table_join_one_(first, Old, _, Old).
table_join_one_(last, _, New, New).
table_join_one_(sum, Old, New, Kept) :- Kept is Old + New.
table_join_one_(po(Name), Old, New, Kept) :- ( call(Name, Old, New) -> Kept = New ; Kept = Old ).
table_join_one_(lattice(Name), Old, New, Kept) :- ( call(Name, Old, New, Kept0) -> Kept = Kept0 ; Kept = Old ).
