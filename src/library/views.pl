% Abstract views of a run, as Opium had them: why calls failed, which calls call themselves, how arguments are
% instantiated.

%! why_failed(+Call) is semidet.
%@ writes.
%
%  Prints the failure of Call and, below it, those that led to it: of the calls that it made, those that failed, and so
%  on down to the calls in which no other failed (why_failed/2). The cursor stays where it is. Fails if Call has not
%  failed.
%
%  ?- with_output_to(string(_Text), why_failed(15)), split_string(_Text, "\n", "", [_, Why|_]).
%  Why = " 43:    16 [4] fail nodiag(1, 1, [2, 3, 4, 5]) []  58 ".
%  ?- why_failed(3).
%  false.
why_failed(Call) :-
    must_be(integer, Call),
    once(call_start(Call, _)),
    '$has_failed'(Call),
    '$failures_below'([Call], Calls),
    forall(member(Failed, Calls), ( call_end(Failed, Chrono), goto_np(Chrono), print_event )).

%! why_failed(?Call, ?Leaf) is nondet.
%
%  Leaf is a call whose failure made Call fail: Call itself if no call that it made failed; otherwise what made one of
%  these fail. A call that failed after it had given answers only ran out of them: it counts only where no other failed.
%
%  ?- why_failed(15, Leaf).
%  Leaf = 16.
%  ?- findall(Leaf, why_failed(27, Leaf), Leaves).
%  Leaves = [42, 34, 31, 41, 38].
why_failed(Call, Leaf) :-
    call_start(Call, _),
    '$has_failed'(Call),
    '$leaf_failure'([Call], Leaf).

'$leaf_failure'([Call|Calls], Leaf) :-
    '$failed_children'(Call, Children),
    (   Children == [],
        Calls == []
    ->  Leaf = Call
    ;   Children == []
    ->  (   Leaf = Call
        ;   '$leaf_failure'(Calls, Leaf)
        )
    ;   append(Children, Calls, Next),
        '$leaf_failure'(Next, Leaf)
    ).

% '$failures_below'(+Calls, -Failed): the calls, each with the failures that led to its own below it.
'$failures_below'([], []).
'$failures_below'([Call|Calls], [Call|Failed]) :-
    '$failed_children'(Call, Children),
    append(Children, Calls, Next),
    '$failures_below'(Next, Failed).

'$has_failed'(Call) :-
    call_end(Call, Chrono),
    event([chrono=Chrono, port=fail]).

'$failed_children'(Call, Children) :-
    findall(Child, ( child(Call, Child), '$has_failed'(Child) ), Failed),
    exclude('$has_answered', Failed, AtOnce),
    ( AtOnce == [] -> Children = Failed ; Children = AtOnce ).

'$has_answered'(Call) :-
    event([call=Call, port=exit]),
    !.

%! loops(?Loop) is nondet.
%
%  Loop is Outer-Inner: the call Inner, which Outer made directly or through others, has the same procedure and the same
%  arguments as Outer had, up to the names of variables; Outer is the nearest such call.
%
%  On prolog/swi_sets.txt:
%  ?- loops(Outer-Inner), event([call=Outer, port=call, proc=P, args=A]).
%  Outer = 289, Inner = 291, P = nat/1, A = [_]
%  ; Outer = 291, Inner = 294, P = nat/1, A = [_].
loops(Loop) :-
    '$loop'(Outer, Inner),
    Loop = Outer-Inner.

%! instantiation(?Call, ?Arguments) is nondet.
%
%  Arguments has In-Out for each argument of Call: what it was at the call and at the last exit, `free`, `partial` (with
%  variables in it) or `ground`; `none` if there was no exit. So the ways in which a procedure is used are counted:
%
%  ?- instantiation(3, Arguments).
%  Arguments = [ground-ground, free-ground].
%  ?- tally(M, (event([port=call, name=qdelete, call=C]), instantiation(C, M)), Pairs).
%  Pairs = [[free-ground, ground-ground, free-ground]-31, [free-none, ground-none, free-none]-16].
instantiation(Call, Arguments) :-
    call_start(Call, Chrono),
    event([chrono=Chrono, args=In]),
    findall(Args, event([call=Call, port=exit, args=Args]), Exits),
    (   last(Exits, Out)
    ->  maplist('$instantiated', In, Out, Arguments)
    ;   maplist('$instantiated', In, Arguments)
    ).

'$instantiated'(In, State-none) :-
    '$instance'(In, State).

'$instantiated'(In, Out, State-Later) :-
    '$instance'(In, State),
    '$instance'(Out, Later).

'$instance'(Argument, State) :-
    (   ( var(Argument) ; Argument == (-) )
    ->  State = free
    ;   ground(Argument)
    ->  State = ground
    ;   State = partial
    ).
