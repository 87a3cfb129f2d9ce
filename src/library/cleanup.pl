% Cleaning up after a goal. What notices that the goal is left belongs to the machine.

%! setup_call_cleanup(:Setup, :Goal, :Cleanup) is nondet.
%
%  Calls Setup once, then Goal, and Cleanup exactly once when Goal is left: after its last answer, when it fails,
%  when it throws, when its remaining answers are cut away, and when the query ends.
%
%  Whether Cleanup succeeds does not matter. What it throws flies on, unless Goal itself has thrown. Of several
%  cleanups that a cut calls, the innermost is the first.
%
%  ?- setup_call_cleanup(X = 1, Y = 2, Z = 3).
%  X = 1, Y = 2, Z = 3.
%  ?- setup_call_cleanup(true, member(X, [a, b]), Z = done).
%  X = a
%  ; X = b, Z = done.
%  ?- setup_call_cleanup(true, member(X, [a, b]), Z = done), !.
%  X = a, Z = done.
%  ?- setup_call_cleanup(true, fail, true).
%  false.
%  ?- setup_call_cleanup(true, throw(a), throw(b)).
%  error: a.
setup_call_cleanup(Setup, Goal, Cleanup) :-
    setup_call_catcher_cleanup(Setup, Goal, _, Cleanup).

%! setup_call_catcher_cleanup(:Setup, :Goal, ?Catcher, :Cleanup) is nondet.
%
%  As setup_call_cleanup/3, but Cleanup is called only if Catcher unifies with why Goal was left: `exit`, `fail`,
%  `!` if it was cut or the query ended, `exception(Ball)`.
%
%  ?- setup_call_catcher_cleanup(true, member(X, [a]), Why, true).
%  X = a, Why = exit.
%  ?- setup_call_catcher_cleanup(true, member(X, [a, b]), Why, true), !.
%  X = a, Why = (!).
%  ?- setup_call_catcher_cleanup(true, true, fail, throw(never)).
%  true.
setup_call_catcher_cleanup(Setup, Goal, Catcher, Cleanup) :-
    once(Setup),
    must_be_cleanup_(Cleanup),
    '$cleanup_mark'(Catcher, Cleanup, Serial),
    call(Goal),
    '$cleanup_exit'(Serial).

%! call_cleanup(:Goal, :Cleanup) is nondet.
%
%  Calls Goal, and Cleanup when it is left: setup_call_cleanup/3 without a setup.
%
%  ?- call_cleanup(X = 1, true).
%  X = 1.
call_cleanup(Goal, Cleanup) :-
    setup_call_catcher_cleanup(true, Goal, _, Cleanup).

%! call_cleanup(:Goal, ?Catcher, :Cleanup) is nondet.
%
%  Calls Goal, and Cleanup when it is left for a reason that unifies with Catcher: setup_call_catcher_cleanup/4 without
%  a setup.
%
%  ?- call_cleanup(fail, Why, (Why == fail -> throw(failed) ; true)).
%  error: failed.
call_cleanup(Goal, Catcher, Cleanup) :-
    setup_call_catcher_cleanup(true, Goal, Catcher, Cleanup).

must_be_cleanup_(Cleanup) :-
    (   var(Cleanup)
    ->  throw(error(instantiation_error, _))
    ;   must_be(callable, Cleanup)
    ).

% The machine calls these when a goal with a cleanup is left.
cleanup_run_(Reason, Catcher, Cleanup) :-
    (   Catcher = Reason
    ->  ignore(Cleanup)
    ;   true
    ).

cleanup_fail_(Catcher, Cleanup) :-
    cleanup_run_(fail, Catcher, Cleanup),
    fail.

% The ball flies on; handlers of goals that have ended do not count.
cleanup_throw_(Catcher, Cleanup, Ball, Frame) :-
    catch(cleanup_run_(exception(Ball), Catcher, Cleanup), _, true),
    '$cleanup_rethrow'(Ball, Frame).

% The first that throws decides; the others are called all the same.
cleanup_cut_([]).
cleanup_cut_([Catcher-Cleanup|Others]) :-
    catch(cleanup_run_(!, Catcher, Cleanup), Ball, ( cleanup_others_(Others), throw(Ball) )),
    cleanup_cut_(Others).

cleanup_others_([]).
cleanup_others_([Catcher-Cleanup|Others]) :-
    cleanup_end_(Catcher, Cleanup),
    cleanup_others_(Others).

cleanup_end_(Catcher, Cleanup) :-
    catch(cleanup_run_(!, Catcher, Cleanup), _, true).
