% Cleaning up after a goal. All other control belongs to the machine.

%! setup_call_cleanup(:Setup, :Goal, :Cleanup) is nondet.
%
%  Calls Setup once, then Goal, and Cleanup when Goal has no more answers, failed or threw.
%
%  If something else cuts the remaining answers of Goal away, Cleanup is not called.
%  Errors of Cleanup do not matter if Goal has thrown.
%
%  ?- setup_call_cleanup(X = 1, Y = 2, Z = 3).
%  X = 1, Y = 2, Z = 3.
%  ?- setup_call_cleanup(true, member(X, [a, b]), Z = done).
%  X = a
%  ; X = b, Z = done.
%  ?- setup_call_cleanup(true, fail, true).
%  false.
%  ?- setup_call_cleanup(true, throw(a), true).
%  error: a.
setup_call_cleanup(Setup, Goal, Cleanup) :-
    once(Setup),
    must_be_cleanup_(Cleanup),
    catch(cleanup_outcome_(Goal, Outcome), Ball, Outcome = thrown(Ball)),
    cleanup_run_(Outcome, Cleanup).

%! call_cleanup(:Goal, :Cleanup) is nondet.
%
%  Calls Goal, and Cleanup when it has no more answers, failed or threw: setup_call_cleanup/3 without a setup.
%
%  ?- call_cleanup(X = 1, true).
%  X = 1.
call_cleanup(Goal, Cleanup) :-
    setup_call_cleanup(true, Goal, Cleanup).

must_be_cleanup_(Cleanup) :-
    (   var(Cleanup)
    ->  throw(error(instantiation_error, _))
    ;   must_be(callable, Cleanup)
    ).

% cleanup_outcome_(:Goal, -Outcome): `last` and `more` are answers.
cleanup_outcome_(Goal, Outcome) :-
    '$choices'(Before),
    call(Goal),
    '$choices'(After),
    (   After =:= Before
    ->  !,
        Outcome = last
    ;   Outcome = more
    ).
cleanup_outcome_(_, fail).

cleanup_run_(last, Cleanup) :-
    ignore(Cleanup).
cleanup_run_(more, _).
cleanup_run_(fail, Cleanup) :-
    ignore(Cleanup),
    fail.
cleanup_run_(thrown(Ball), Cleanup) :-
    catch(ignore(Cleanup), _, true),
    throw(Ball).
