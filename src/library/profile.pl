% Numbers that are asked first: where the time went, how long most calls took, what values are like.

%! profile(-Rows) is det.
%
%  Rows has a list of Key=Value for each procedure, as profile/3 describes it, for all calls.
%
%  ?- profile([Row|_]).
%  Row = [name=qperm/2, calls=32, errors=0, depth=3, total=426, self=252, p50=16, p95=400, p99=426, max=426].
profile(Rows) :-
    profile(proc, [], Rows).

%! percentile(+Percent, ?Number, :Goal, -Value) is semidet.
%
%  Of all answers of Goal, Percent per cent have a Number of at most Value, which is one of these numbers (the nearest
%  rank). Without an answer it fails.
%
%  ?- percentile(50, D, event([port=call, depth=D]), Median).
%  Median = 7.
%  ?- percentile(95, N, member(N, [3, 1, 2]), Value).
%  Value = 3.
%  ?- percentile(101, N, member(N, [1]), Value).
%  error: domain_error(percentage, 101).
%  ?- percentile(50, N, member(N, [1, a]), Value).
%  error: type_error(number, a).
percentile(Percent, Number, Goal, Value) :-
    must_be(number, Percent),
    (   Percent >= 0,
        Percent =< 100
    ->  true
    ;   throw(error(domain_error(percentage, Percent), percentile/4))
    ),
    tally(Number, Goal, Pairs),
    '$claims_about'('number whose percentile is asked', Pairs),
    '$percentile'(Percent, Pairs, Value).

%! histogram(?Term, :Goal) is det.
%@ writes.
%
%  Prints how often each value of Term occurs in the answers of Goal: a line with the value, its count and a bar. More
%  than 20 different numbers are counted in ranges; these grow if the greatest number is at least a hundred times the
%  least: 1, 2, 5, 10, 20, ... Of more than 20 other values, the most frequent ones are printed.
%
%  ?- with_output_to(string(_Text), histogram(P, event([port=P]))), split_string(_Text, "\n", "", [Line|_]).
%  Line = "exit                         149 ███████████████████████████████████████████████".
histogram(Term, Goal) :-
    tally(Term, Goal, Pairs),
    length(Pairs, N),
    (   forall(member(Value-_, Pairs), number(Value))
    ->  ( N =< 20 -> Rows = Pairs ; '$in_ranges'(Pairs, Rows) )
    ;   '$most_frequent'(Pairs, N, Rows)
    ),
    '$bars'(Rows).

% '$in_ranges'(+Pairs, -Rows): numbers in ascending order with their counts, counted in ranges From..To, To excluded.
'$in_ranges'([Least-N|Pairs], Rows) :-
    last([Least-N|Pairs], Greatest-_),
    (   Least >= 0,
        Greatest >= 100 * max(1, Least)
    ->  Step = growing
    ;   Width is (Greatest - Least) / 10,
        '$round_number'(Width, 1, Step)
    ),
    '$count_ranges'([Least-N|Pairs], Step, Rows).

'$count_ranges'([], _, []).
'$count_ranges'([Number-N|Pairs], Step, [(From..To)-Count|Rows]) :-
    '$range'(Step, Number, From, To),
    '$count_below'(Pairs, To, N, Count, Rest),
    '$count_ranges'(Rest, Step, Rows).

'$count_below'([Number-N|Pairs], To, Count0, Count, Rest) :-
    Number < To,
    !,
    Count1 is Count0 + N,
    '$count_below'(Pairs, To, Count1, Count, Rest).
'$count_below'(Rest, _, Count, Count, Rest).

'$range'(growing, Number, From, To) :-
    !,
    (   Number < 1
    ->  From = 0, To = 1
    ;   '$power_of_ten'(1, Number, Power),
        (   Number < 2 * Power
        ->  From = Power, To is 2 * Power
        ;   Number < 5 * Power
        ->  From is 2 * Power, To is 5 * Power
        ;   From is 5 * Power, To is 10 * Power
        )
    ).
'$range'(Step, Number, From, To) :-
    From is floor(Number / Step) * Step,
    To is From + Step.

% '$power_of_ten'(+Power0, +Number, -Power): the greatest power of ten that is at most Number.
'$power_of_ten'(Power0, Number, Power) :-
    Next is Power0 * 10,
    ( Next =< Number -> '$power_of_ten'(Next, Number, Power) ; Power = Power0 ).

% '$round_number'(+Least, +Power, -Step): Step is 1, 2 or 5 times a power of ten, at least Least.
'$round_number'(Least, Power, Step) :-
    (   member(Digit, [1, 2, 5]),
        Digit * Power >= Least
    ->  Step is Digit * Power
    ;   Next is Power * 10,
        '$round_number'(Least, Next, Step)
    ).

'$most_frequent'(Pairs, N, Rows) :-
    sort(2, @>=, Pairs, Sorted),
    (   N =< 20
    ->  Rows = Sorted
    ;   length(Shown, 20),
        append(Shown, Left, Sorted),
        pairs_values(Left, Counts),
        sum_list(Counts, Sum),
        length(Left, More),
        format(string(Label), "~D other values", [More]),
        append(Shown, [Label-Sum], Rows)
    ).

'$bars'(Rows) :-
    pairs_values(Rows, Counts),
    aggregate_all(max(Count), member(Count, Counts), Greatest),
    !,
    forall(member(Value-Count, Rows), '$bar_line'(Value, Count, Greatest)).
'$bars'([]).

'$bar_line'(Value, Count, Greatest) :-
    (   string(Value)
    ->  Text = Value
    ;   format(string(Text), "~q", [Value])
    ),
    Length is max(1, Count * 47 // Greatest),
    '$shortened'(Text, 20, Label),
    format("~w~t~21|~t~D~32| ~*c~n", [Label, Count, Length, 0'█]).

% '$shortened'(+Text, +N, -Short): Text in at most N characters, without control characters.
'$shortened'(Text, N, Short) :-
    string_codes(Text, Codes),
    maplist('$printable', Codes, Printable),
    length(Printable, Length),
    (   Length =< N
    ->  Cut = Printable
    ;   Kept is N - 1,
        length(Shown, Kept),
        append(Shown, _, Printable),
        append(Shown, [0'…], Cut)
    ),
    string_codes(Short, Cut).
