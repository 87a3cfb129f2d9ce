% Goals under limits of their own. What counts belongs to the machine.
%
% A limit that is exceeded throws. A goal that catches that may go on for a moment; then its handlers no longer count.
% The limits of the session (`--time-limit`) end the whole query all the same.

%! time(:Goal) is nondet.
%
%  Calls Goal, and says for each of its answers, its failure or its error how long it took so far, and how many calls.
%
%  ?- time(member(X, [a])).
%  X = a.
%  ?- time(fail).
%  false.
time(Goal) :-
    statistics(walltime_ns, Start),
    statistics(inferences, Calls),
    (   catch(Goal, Ball, ( tell_time_(Start, Calls), throw(Ball) ))
    *-> tell_time_(Start, Calls)
    ;   tell_time_(Start, Calls),
        fail
    ).

tell_time_(Start, Calls) :-
    statistics(walltime_ns, End),
    statistics(inferences, CallsAtEnd),
    Seconds is (End - Start) / 1.0e9,
    More is CallsAtEnd - Calls,
    format("% ~3f seconds, ~D calls~n", [Seconds, More]).

%! call_with_inference_limit(:Goal, +Limit, -Result) is nondet.
%
%  Calls Goal with at most Limit calls for each of its answers. Result is `!` for its last answer, `true` if it may have
%  more, `inference_limit_exceeded` if it was given up.
%
%  ?- call_with_inference_limit(X = 1, 1000, R).
%  X = 1, R = ! .
%  ?- call_with_inference_limit((repeat, fail), 1000, R).
%  R = inference_limit_exceeded.
%  ?- call_with_inference_limit(true, a, R).
%  error: type_error(integer, a).
call_with_inference_limit(Goal, Limit, Result) :-
    must_be_count_(Limit),
    catch(inference_limited_(Goal, Limit, Result0), inference_limit_exceeded, inference_limit_caught_(Result0)),
    Result = Result0.

inference_limited_(Goal, Limit, Last) :-
    '$limit_begin'(inferences, Limit, Serial),
    call(Goal),
    '$limit_end'(Serial, Last, _).

% The ball of a goal around this one flies on.
inference_limit_caught_(Result) :-
    (   '$limit_was_exceeded'
    ->  Result = inference_limit_exceeded
    ;   throw(inference_limit_exceeded)
    ).

%! call_with_time_limit(+Seconds, :Goal) is semidet.
%
%  Calls Goal once; throws `time_limit_exceeded` if that takes longer than Seconds.
%
%  ?- call_with_time_limit(10, member(X, [a, b])).
%  X = a.
%  ?- catch(call_with_time_limit(0.01, (repeat, fail)), Ball, true).
%  Ball = time_limit_exceeded.
call_with_time_limit(Seconds, Goal) :-
    (   Seconds > 0
    ->  true
    ;   throw(time_limit_exceeded)
    ),
    Nanoseconds is truncate(min(Seconds, 1000000000) * 1000000000.0),
    '$limit_begin'(time, Nanoseconds, Serial),
    once(Goal),
    '$limit_end'(Serial, _, _).

%! call_with_depth_limit(:Goal, +Limit, -Result) is nondet.
%
%  Calls Goal, where calls that are more than Limit levels deep fail. Result is the deepest level that was reached for
%  an answer, where Goal itself is at level 1; if Goal fails and had calls that were too deep, Result is
%  `depth_limit_exceeded`.
%
%  ?- call_with_depth_limit(true, 5, R).
%  R = 1.
%  ?- call_with_depth_limit(call(call(true)), 2, R).
%  R = depth_limit_exceeded.
call_with_depth_limit(Goal, Limit, Result) :-
    must_be_count_(Limit),
    depth_limited_(Goal, Limit, Result).

depth_limited_(Goal, Limit, Result) :-
    '$limit_begin'(depth, Limit, Serial),
    call(Goal),
    '$limit_end'(Serial, Last, Deepest),
    (   Last == (!)
    ->  !
    ;   true
    ),
    Result = Deepest.
depth_limited_(_, _, depth_limit_exceeded) :-
    '$limit_was_exceeded'.
