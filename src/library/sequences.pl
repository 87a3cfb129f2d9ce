% Taking some of the answers of a goal, without repetitions or in another order.

%! limit(+N, :Goal) is nondet.
%@ limits.
%
%  The first N answers of Goal; all of them if N is `inf`. Of order_by/2, only about as many answers are kept as are wanted.
%
%  ?- limit(2, order_by([desc(X)], member(X, [b, c, a]))).
%  X = c
%  ; X = b.
%  ?- limit(2, member(X, [a, b, c])).
%  X = a
%  ; X = b.
%  ?- limit(0, true).
%  false.
%  ?- limit(-1, true).
%  error: domain_error(not_less_than_zero, -1).
limit(N, Goal) :-
    (   N == inf
    ->  call(Goal)
    ;   must_be_count_(N),
        N > 0,
        (   nonvar(Goal),
            Goal = order_by(Orders, Inner)
        ->  order_first_(N, Orders, Inner)
        ;   '$state_new'(State, 0),
            limit_(Goal, N, State)
        )
    ).

limit_(Goal, N, State) :-
    sequence_call_(Goal, Last),
    sequence_count_(State, Count),
    (   Count < N,
        Last == no
    ->  true
    ;   !,
        '$state_free'(State)
    ).
limit_(_, _, State) :-
    '$state_free'(State),
    fail.

% sequence_call_(:Goal, -Last): Last is `yes` if Goal has left no choice, `no` if it may have more answers.
sequence_call_(Goal, Last) :-
    '$choices'(Before),
    call(Goal),
    '$choices'(After),
    (   After =:= Before
    ->  Last = yes
    ;   Last = no
    ).

% sequence_count_(+State, -Count): one more answer.
sequence_count_(State, Count) :-
    '$state_get'(State, Count0),
    Count is Count0 + 1,
    '$state_set'(State, Count).

must_be_count_(N) :-
    must_be(integer, N),
    (   N < 0
    ->  domain_error(not_less_than_zero, N)
    ;   true
    ).

%! offset(+N, :Goal) is nondet.
%
%  All answers of Goal but the first N.
%
%  ?- offset(1, member(X, [a, b, c])).
%  X = b
%  ; X = c.
offset(N, Goal) :-
    must_be_count_(N),
    (   N =:= 0
    ->  call(Goal)
    ;   '$state_new'(State, 0),
        offset_(Goal, N, State)
    ).

offset_(Goal, N, State) :-
    sequence_call_(Goal, Last),
    sequence_count_(State, Count),
    (   Last == yes
    ->  !,
        '$state_free'(State)
    ;   true
    ),
    Count > N.
offset_(_, _, State) :-
    '$state_free'(State),
    fail.

%! call_nth(:Goal, ?N) is nondet.
%
%  The Nth answer of Goal; if N is free, every answer with its number.
%
%  ?- call_nth(member(X, [a, b, c]), 2).
%  X = b.
%  ?- call_nth(member(X, [a, b]), N).
%  X = a, N = 1
%  ; X = b, N = 2.
%  ?- call_nth(true, 0).
%  error: domain_error(not_less_than_one, 0).
call_nth(Goal, N) :-
    (   var(N)
    ->  '$state_new'(State, 0),
        call_counted_(Goal, N, State)
    ;   must_be(integer, N),
        must_be_from_one_(N),
        '$state_new'(State, 0),
        call_until_(Goal, N, State)
    ).

must_be_from_one_(N) :-
    (   N < 1
    ->  domain_error(not_less_than_one, N)
    ;   true
    ).

call_counted_(Goal, N, State) :-
    sequence_call_(Goal, Last),
    sequence_count_(State, N),
    (   Last == yes
    ->  !,
        '$state_free'(State)
    ;   true
    ).
call_counted_(_, _, State) :-
    '$state_free'(State),
    fail.

call_until_(Goal, N, State) :-
    call(Goal),
    sequence_count_(State, Count),
    Count =:= N,
    !,
    '$state_free'(State).
call_until_(_, _, State) :-
    '$state_free'(State),
    fail.

%! order_by(+Orders, :Goal) is nondet.
%
%  The answers of Goal, sorted; Orders is a list of `asc(Term)` and `desc(Term)`, the first counts most.
%  All answers are found before the first one is given; those that are equal keep their order. Numbers are in the order of
%  their values, also integers among floats, and other terms in the standard order.
%
%  ?- order_by([desc(X)], member(X, [b, c, a])).
%  X = c
%  ; X = b
%  ; X = a.
%  ?- order_by([asc(X), desc(Y)], member(X-Y, [2-a, 1-a, 1-b])).
%  X = 1, Y = b
%  ; X = 1, Y = a
%  ; X = 2, Y = a.
%  ?- order_by([asc(X)], member(X, [3, 2.5])).
%  X = 2.5
%  ; X = 3.
%  ?- order_by([up(X)], member(X, [a])).
%  error: domain_error(order_specifier, up(X)).
order_by(Orders, Goal) :-
    order_row_(Orders, Goal, Row),
    findall(Row, Goal, Rows),
    order_rows_(Orders, 2, Rows, Sorted),
    member(Row, Sorted).

% order_row_(+Orders, +Goal, -Row): what is kept of an answer.
order_row_(Orders, Goal, Row) :-
    must_be(list, Orders),
    order_keys_(Orders, Keys),
    term_variables(Goal, Variables),
    Row =.. [row, Variables|Keys].

% The first N answers: after each batch of answers, only the best so far are kept.
order_first_(N, Orders, Goal) :-
    order_row_(Orders, Goal, Row),
    Batch is max(N, 1000),
    '$state_new'(State, []),
    catch(order_batches_(N, Batch, Orders, Row, Goal, State), Ball, ( '$state_free'(State), throw(Ball) )),
    '$state_get'(State, Best),
    '$state_free'(State),
    member(Row, Best).

order_batches_(N, Batch, Orders, Row, Goal, State) :-
    findnsols(Batch, Row, Goal, Rows),
    '$state_get'(State, Best0),
    append(Best0, Rows, All),
    order_rows_(Orders, 2, All, Sorted),
    order_prefix_(Sorted, N, Best),
    '$state_set'(State, Best),
    fail.
order_batches_(_, _, _, _, _, _).

order_prefix_([Row|Rows], N, [Row|Best]) :-
    N > 0,
    !,
    N1 is N - 1,
    order_prefix_(Rows, N1, Best).
order_prefix_(_, _, []).

order_keys_([], []).
order_keys_([Order|Orders], [Key|Keys]) :-
    (   var(Order)
    ->  throw(error(instantiation_error, _))
    ;   order_key_(Order, Key)
    ->  order_keys_(Orders, Keys)
    ;   domain_error(order_specifier, Order)
    ).

order_key_(asc(Key), Key).
order_key_(desc(Key), Key).

% order_rows_(+Orders, +Column, +Rows, -Sorted): sorts by the last order first, the sort being stable.
order_rows_([], _, Rows, Rows).
order_rows_([Order|Orders], Column, Rows, Sorted) :-
    Next is Column + 1,
    order_rows_(Orders, Next, Rows, Rows1),
    order_direction_(Order, Direction),
    '$sort_values'(Column, Direction, Rows1, Sorted).

order_direction_(asc(_), @=<).
order_direction_(desc(_), @>=).

%! distinct(:Goal) is nondet.
%
%  The answers of Goal without repetitions.
%
%  ?- distinct(member(X, [a, b, a])).
%  X = a
%  ; X = b.
distinct(Goal) :-
    distinct(Goal, Goal).

%! distinct(?Witness, :Goal) is nondet.
%
%  The answers of Goal with a Witness that no earlier answer had, variables apart.
%
%  ?- distinct(X, member(X-Y, [a-1, b-2, a-3])).
%  X = a, Y = 1
%  ; X = b, Y = 2.
distinct(Witness, Goal) :-
    '$state_new'(Seen, []),
    distinct_(Witness, Goal, Seen).

distinct_(Witness, Goal, Seen) :-
    sequence_call_(Goal, Last),
    '$tally_add'(Seen, Witness, Count),
    (   Last == yes
    ->  !,
        tally_free_(Seen)
    ;   true
    ),
    Count =:= 1.
distinct_(_, _, Seen) :-
    tally_free_(Seen),
    fail.

%! group_by(?Key, ?Template, :Goal, -List) is nondet.
%
%  For each value that Key takes in the answers of Goal, in standard order, the List of their Templates.
%
%  ?- group_by(K, X, member(K-X-_, [b-1-u, a-2-v, b-3-w]), L).
%  K = a, L = [2]
%  ; K = b, L = [1, 3].
group_by(Key, Template, Goal, List) :-
    findall(Key-Template, Goal, Pairs),
    keysort(Pairs, Sorted),
    witness_group_(Sorted, Key, List).
