% Counting, adding up, and comparing the answers of a goal.

%! aggregate_all(+What, :Goal, -Result) is semidet.
%@ total.
%
%  Result sums up all the answers of Goal, in one pass.
%
%  What is one of `count`, `sum(Expression)`, `min(Expression)`, `max(Expression)`,
%  `min(Expression, Witness)`, `max(Expression, Witness)` (the result has the same form; of equals the
%  first one), `bag(Template)`, `set(Template)`, or any compound term of them. Only bags and sets keep
%  the answers. Without an answer min and max fail.
%
%  ?- aggregate_all(count, member(_, [a, b]), N).
%  N = 2.
%  ?- aggregate_all(sum(X), member(X, [1, 2, 3]), S).
%  S = 6.
%  ?- aggregate_all(max(X, Y), member(X-Y, [1-a, 3-b, 3-c]), M).
%  M = max(3, b).
%  ?- aggregate_all(min(X), fail, M).
%  false.
%  ?- aggregate_all(set(X), member(X, [c, a, c]), S).
%  S = [a, c].
%  ?- aggregate_all(r(count, sum(X), max(X), bag(X)), member(X, [1, 5, 3]), R).
%  R = r(3, 9, 5, [1, 5, 3]).
%  ?- aggregate_all(average(X), member(X, [1]), R).
%  error: domain_error(aggregate, average(X)).
%  ?- aggregate_all(X, true, R).
%  error: instantiation_error.
aggregate_all(What, Goal, Result) :-
    '$batch_total'(What, Goal, Outcome),
    !,
    Outcome = value(Result).
aggregate_all(What, Goal, Result) :-
    nonvar(What),
    aggregate_one_(What, Goal, Outcome),
    !,
    Outcome = value(Result).
aggregate_all(What, Goal, Result) :-
    aggregate_parts_(What, Specs, Results, Result),
    aggregate_open_(Specs, Parts, Kept),
    catch(aggregate_pass_(Kept, Parts, Goal, Rows), Ball, aggregate_abandon_(Parts, Ball)),
    aggregate_values_(Parts, Values),
    aggregate_results_(Specs, Values, Rows, Results).

% aggregate_one_(+What, :Goal, -Outcome): Outcome is value(Result), or none if Goal has no answer to compare.
% What is no combination.
aggregate_one_(count, Goal, value(Count)) :-
    '$collect_open'(Number),
    aggregate_sum_(Goal, Number, 1),
    '$collect_total'(Number, Count).
aggregate_one_(sum(X), Goal, value(Sum)) :-
    '$collect_open'(Number),
    aggregate_sum_(Goal, Number, X),
    '$collect_total'(Number, Sum).
aggregate_one_(min(X), Goal, Outcome) :-
    '$collect_open'(Number),
    aggregate_least_(Goal, Number, X, []),
    aggregate_best_(Number, Least, _, Least, Outcome).
aggregate_one_(max(X), Goal, Outcome) :-
    '$collect_open'(Number),
    aggregate_most_(Goal, Number, X, []),
    aggregate_best_(Number, Greatest, _, Greatest, Outcome).
aggregate_one_(min(X, Witness), Goal, Outcome) :-
    '$collect_open'(Number),
    aggregate_least_(Goal, Number, X, Witness),
    aggregate_best_(Number, Least, Best, min(Least, Best), Outcome).
aggregate_one_(max(X, Witness), Goal, Outcome) :-
    '$collect_open'(Number),
    aggregate_most_(Goal, Number, X, Witness),
    aggregate_best_(Number, Greatest, Best, max(Greatest, Best), Outcome).
aggregate_one_(bag(X), Goal, value(Bag)) :-
    findall(X, Goal, Bag).
aggregate_one_(set(X), Goal, value(Set)) :-
    findall(X, Goal, Bag),
    sort(Bag, Set).

aggregate_sum_(Goal, Number, X) :-
    call(Goal),
    '$collect_sum'(Number, X),
    fail.
aggregate_sum_(_, _, _).

aggregate_least_(Goal, Number, X, Witness) :-
    call(Goal),
    '$collect_least'(Number, X, Witness),
    fail.
aggregate_least_(_, _, _, _).

aggregate_most_(Goal, Number, X, Witness) :-
    call(Goal),
    '$collect_most'(Number, X, Witness),
    fail.
aggregate_most_(_, _, _, _).

aggregate_best_(Number, Value, Witness, Result, Outcome) :-
    (   '$collect_best'(Number, Value, Witness)
    ->  Outcome = value(Result)
    ;   Outcome = none
    ).

%! aggregate_all(+What, ?Discriminator, :Goal, -Result) is semidet.
%@ pure.
%
%  As aggregate_all/3, but over the distinct answers: those with the same Discriminator and What count once.
%
%  ?- aggregate_all(count, X, member(X, [a, b, a]), N).
%  N = 2.
%  ?- aggregate_all(sum(Y), X, member(X-Y, [a-1, b-1, a-1]), S).
%  S = 2.
aggregate_all(What, Discriminator, Goal, Result) :-
    findall(Discriminator-What, Goal, Answers),
    sort(Answers, Distinct),
    aggregate_all(What, member(Discriminator-What, Distinct), Result).

%! aggregate(+What, :Goal, -Result) is nondet.
%@ calls ^.
%
%  As aggregate_all/3, but one Result for each combination of the other variables of Goal, as bagof/3
%  does it; fails if Goal has no answer.
%
%  ?- aggregate(count, X^member(X-K, [1-b, 2-a, 3-b]), N).
%  K = a, N = 1
%  ; K = b, N = 2.
aggregate(What, Goal, Result) :-
    aggregate_parts_(What, _, _, _),
    bagof(What, Goal, Answers),
    aggregate_pattern_(What, Pattern),
    aggregate_all(Pattern, member(Pattern, Answers), Result).

%! aggregate(+What, +Discriminator, :Goal, -Result) is nondet.
%@ calls ^.
%
%  As aggregate/3, of the answers whose Discriminator differs.
%
%  ?- aggregate(count, X, member(X, [a, b, a]), N).
%  N = 2.
%  ?- aggregate(sum(X), X-Y, member(X-Y, [1-a, 1-b, 1-a]), S).
%  S = 2.
%  ?- aggregate(count, X, member(X-K, [1-b, 2-a, 1-b]), N).
%  K = a, N = 1
%  ; K = b, N = 1.
aggregate(What, Discriminator, Goal, Result) :-
    aggregate_parts_(What, _, _, _),
    setof(Discriminator-What, Goal, Pairs),
    pairs_values(Pairs, Answers),
    aggregate_pattern_(What, Pattern),
    aggregate_all(Pattern, member(Pattern, Answers), Result).

% aggregate_pattern_(+What, -Pattern): What with fresh variables for its expressions.
aggregate_pattern_(What, Pattern) :-
    (   aggregate_spec_(What)
    ->  functor(What, Name, Arity),
        functor(Pattern, Name, Arity)
    ;   What =.. [Name|Specs],
        maplist(aggregate_pattern_, Specs, Patterns),
        Pattern =.. [Name|Patterns]
    ).

% aggregate_parts_(+What, -Specs, -Results, -Result): Result is made of the Results of the Specs.
aggregate_parts_(What, Specs, Results, Result) :-
    (   var(What)
    ->  throw(error(instantiation_error, _))
    ;   aggregate_spec_(What)
    ->  Specs = [What],
        Results = [Result]
    ;   compound(What),
        What =.. [Name|Specs],
        maplist(is_aggregate_, Specs)
    ->  same_length(Specs, Results),
        Result =.. [Name|Results]
    ;   domain_error(aggregate, What)
    ).

is_aggregate_(Spec) :-
    nonvar(Spec),
    aggregate_spec_(Spec).

aggregate_spec_(count).
aggregate_spec_(sum(_)).
aggregate_spec_(min(_)).
aggregate_spec_(max(_)).
aggregate_spec_(min(_, _)).
aggregate_spec_(max(_, _)).
aggregate_spec_(bag(_)).
aggregate_spec_(set(_)).

% aggregate_open_(+Specs, -Parts, -Kept): a Part is a spec with its state; what bags and sets collect
% is Kept instead.
aggregate_open_([], [], []).
aggregate_open_([Spec|Specs], Parts, Kept) :-
    (   aggregate_kept_(Spec, Template)
    ->  Kept = [Template|Kept1],
        aggregate_open_(Specs, Parts, Kept1)
    ;   Parts = [Part|Parts1],
        aggregate_part_(Spec, Part),
        aggregate_open_(Specs, Parts1, Kept)
    ).

aggregate_kept_(bag(Template), Template).
aggregate_kept_(set(Template), Template).

aggregate_part_(count, count(State)) :-
    '$state_new'(State, 0).
aggregate_part_(sum(X), sum(State, X)) :-
    '$state_new'(State, 0).
aggregate_part_(min(X), min(State, X)) :-
    '$state_new'(State, none).
aggregate_part_(max(X), max(State, X)) :-
    '$state_new'(State, none).
aggregate_part_(min(X, Witness), min(State, X, Best, Witness)) :-
    '$state_new'(State, none),
    '$state_new'(Best, none).
aggregate_part_(max(X, Witness), max(State, X, Best, Witness)) :-
    '$state_new'(State, none),
    '$state_new'(Best, none).

% aggregate_pass_(+Kept, +Parts, :Goal, -Rows): the states see every answer; Rows are what was Kept.
aggregate_pass_([], Parts, Goal, []) :-
    aggregate_each_(Parts, Goal).
aggregate_pass_([Template|Kept], Parts, Goal, Rows) :-
    findall([Template|Kept], aggregate_row_(Goal, Parts), Rows).

aggregate_row_(Goal, Parts) :-
    call(Goal),
    aggregate_steps_(Parts).

aggregate_each_(Parts, Goal) :-
    call(Goal),
    aggregate_steps_(Parts),
    fail.
aggregate_each_(_, _).

aggregate_steps_([]).
aggregate_steps_([Part|Parts]) :-
    aggregate_step_(Part),
    aggregate_steps_(Parts).

aggregate_step_(count(State)) :-
    '$state_add'(State, 1).
aggregate_step_(sum(State, X)) :-
    '$state_add'(State, X).
aggregate_step_(min(State, X)) :-
    Value is X,
    '$state_get'(State, Least),
    (   aggregate_less_(Value, Least)
    ->  '$state_set'(State, Value)
    ;   true
    ).
aggregate_step_(max(State, X)) :-
    Value is X,
    '$state_get'(State, Greatest),
    (   aggregate_more_(Value, Greatest)
    ->  '$state_set'(State, Value)
    ;   true
    ).
aggregate_step_(min(State, X, Best, Witness)) :-
    Value is X,
    '$state_get'(State, Least),
    (   aggregate_less_(Value, Least)
    ->  '$state_set'(State, Value),
        '$state_set'(Best, Witness)
    ;   true
    ).
aggregate_step_(max(State, X, Best, Witness)) :-
    Value is X,
    '$state_get'(State, Greatest),
    (   aggregate_more_(Value, Greatest)
    ->  '$state_set'(State, Value),
        '$state_set'(Best, Witness)
    ;   true
    ).

aggregate_less_(Value, Least) :-
    (   Least == none
    ->  true
    ;   Value < Least
    ).

aggregate_more_(Value, Greatest) :-
    (   Greatest == none
    ->  true
    ;   Value > Greatest
    ).

aggregate_abandon_(Parts, Ball) :-
    aggregate_values_(Parts, _),
    throw(Ball).

% aggregate_values_(+Parts, -Values): what the states hold; they are given back.
aggregate_values_([], []).
aggregate_values_([Part|Parts], [Value|Values]) :-
    aggregate_value_(Part, Value),
    aggregate_values_(Parts, Values).

aggregate_value_(count(State), N) :-
    aggregate_take_(State, N).
aggregate_value_(sum(State, _), Sum) :-
    aggregate_take_(State, Sum).
aggregate_value_(min(State, _), Least) :-
    aggregate_take_(State, Least).
aggregate_value_(max(State, _), Greatest) :-
    aggregate_take_(State, Greatest).
aggregate_value_(min(State, _, Best, _), Result) :-
    aggregate_take_(State, Least),
    aggregate_take_(Best, Witness),
    (   Least == none
    ->  Result = none
    ;   Result = min(Least, Witness)
    ).
aggregate_value_(max(State, _, Best, _), Result) :-
    aggregate_take_(State, Greatest),
    aggregate_take_(Best, Witness),
    (   Greatest == none
    ->  Result = none
    ;   Result = max(Greatest, Witness)
    ).

aggregate_take_(State, Value) :-
    '$state_get'(State, Value),
    '$state_free'(State).

% aggregate_results_(+Specs, +Values, +Rows, ?Results): bags and sets take the first column of Rows,
% the others the next of the Values, which must not be `none`.
aggregate_results_([], _, _, []).
aggregate_results_([Spec|Specs], Values, Rows, [Result|Results]) :-
    (   aggregate_kept_(Spec, _)
    ->  aggregate_column_(Rows, Column, Rows1),
        aggregate_collected_(Spec, Column, Result),
        aggregate_results_(Specs, Values, Rows1, Results)
    ;   Values = [Value|Values1],
        Value \== none,
        Result = Value,
        aggregate_results_(Specs, Values1, Rows, Results)
    ).

aggregate_column_([], [], []).
aggregate_column_([[X|Row]|Rows], [X|Column], [Row|Rows1]) :-
    aggregate_column_(Rows, Column, Rows1).

aggregate_collected_(bag(_), Bag, Bag).
aggregate_collected_(set(_), Bag, Set) :-
    sort(Bag, Set).

%! tally(?Key, :Goal, -Pairs) is det.
%@ counts.
%
%  Pairs has a `Key-Count` for every value that Key takes in the answers of Goal, in standard order.
%  Only the values are kept, not the answers.
%
%  ?- tally(X, member(X, [b, a, b]), Pairs).
%  Pairs = [a-1, b-2].
%  ?- tally(X, fail, Pairs).
%  Pairs = [].
tally(Key, Goal, Pairs) :-
    '$batch_counts'(Key, Goal, Pairs1),
    !,
    Pairs = Pairs1.
tally(Key, Goal, Pairs) :-
    '$state_new'(Tally, []),
    catch(tally_each_(Key, Goal, Tally), Ball, tally_abandon_(Tally, Ball)),
    '$tally_pairs'(Tally, Pairs1),
    tally_free_(Tally),
    Pairs = Pairs1.

tally_each_(Key, Goal, Tally) :-
    call(Goal),
    '$tally_add'(Tally, Key, _),
    fail.
tally_each_(_, _, _).

tally_abandon_(Tally, Ball) :-
    tally_free_(Tally),
    throw(Ball).

tally_free_(Tally) :-
    '$tally_free'(Tally),
    '$state_free'(Tally).

%! sum_by(?Key, ?Value, :Goal, -Pairs) is det.
%@ sums.
%
%  Pairs has a `Key-Sum` for every value that Key takes in the answers of Goal, in standard order.
%  Sum adds up the Value of those answers.
%
%  ?- sum_by(K, V, member(K-V, [b-1, a-2, b-10]), Pairs).
%  Pairs = [a-2, b-11].
sum_by(Key, Value, Goal, Pairs) :-
    '$batch_sums'(Key, Value, Goal, Pairs1),
    !,
    Pairs = Pairs1.
sum_by(Key, Value, Goal, Pairs) :-
    findall(Key-Value, Goal, Answers),
    keysort(Answers, Sorted),
    sum_by_runs_(Sorted, Pairs).

sum_by_runs_([], []).
sum_by_runs_([Key-Value|Rest], Pairs) :-
    Sum is Value,
    sum_by_runs_(Rest, Key, Sum, Pairs).

sum_by_runs_([], Key, Sum, [Key-Sum]).
sum_by_runs_([Next-Value|Rest], Key, Sum, Pairs) :-
    (   Next == Key
    ->  Sum1 is Sum + Value,
        sum_by_runs_(Rest, Key, Sum1, Pairs)
    ;   Pairs = [Key-Sum|Pairs1],
        Sum1 is Value,
        sum_by_runs_(Rest, Next, Sum1, Pairs1)
    ).

% '$total'(+Aggregate, +Results): the result of Aggregate for all traces, of which Results has that of each.
'$total'(aggregate_all(What, _, Result), Results) :- total_(What, Results, Result).
'$total'(tally(_, _, Result), Results) :- total_pairs_(Results, Result).
'$total'(sum_by(_, _, _, Result), Results) :- total_pairs_(Results, Result).
'$total'(findall(_, _, Result), Results) :- append(Results, Result).

total_pairs_(Results, Pairs) :-
    append(Results, All),
    keysort(All, Sorted),
    sum_by_runs_(Sorted, Pairs).

total_(What, Results, Total) :-
    (   var(What)
    ->  throw(error(instantiation_error, _))
    ;   total_of_(What, Results, Total0)
    ->  Total = Total0
    ;   What =.. [Name|Parts],
        total_parts_(Parts, 1, Results, Totals),
        Total =.. [Name|Totals]
    ).

total_of_(count, Results, Total) :- sum_list(Results, Total).
total_of_(sum(_), Results, Total) :- sum_list(Results, Total).
total_of_(max(_), Results, Total) :- total_best_(Results, >, Total).
total_of_(min(_), Results, Total) :- total_best_(Results, <, Total).
total_of_(max(_, _), Results, Total) :- total_best_(Results, >, Total).
total_of_(min(_, _), Results, Total) :- total_best_(Results, <, Total).
total_of_(bag(_), Results, Total) :- append(Results, Total).
total_of_(set(_), Results, Total) :- append(Results, All), sort(All, Total).

total_best_([First|Results], Order, Best) :- foldl(total_better_(Order), Results, First, Best).

total_better_(Order, One, Best0, Best) :-
    total_number_(One, N),
    total_number_(Best0, N0),
    Comparison =.. [Order, N, N0],
    ( Comparison -> Best = One ; Best = Best0 ).

total_number_(max(N, _), N) :- !.
total_number_(min(N, _), N) :- !.
total_number_(N, N).

total_parts_([], _, _, []).
total_parts_([Part|Parts], N, Results, [Total|Totals]) :-
    maplist(arg(N), Results, Values),
    total_(Part, Values, Total),
    N1 is N + 1,
    total_parts_(Parts, N1, Results, Totals).
