% Assertions that hold of most good traces: `papaver check --builtin` puts those of its format to a trace.
%
% Each is a predicate of one clause, so that a script can say `check(ends) :- every_call_ends.` and a counterexample can
% show its variables; `--builtin` takes those without arguments.

%! well_formed is semidet.
%
%  The trace has no faults: it keeps the integrity rules of its format, and each of its lines could be read. Warnings and
%  notes (finding/4) do not count.
%
%  ?- well_formed.
%  true.
%  On visandor/bad/and_earlyjoin.ev:
%  ?- well_formed.
%  false.
well_formed :-
    \+ finding(fault, Rule, Chrono, What).

%! every_call_ends is semidet.
%
%  Every call has an event that closes it: in Mercury exit, fail or exception. A nondet call ends at its exit even if it
%  could be entered again; a call that was open when the program was stopped counts as ended if the trace says so, and so
%  does one whose end may be among the events that the recorder lost. In traces of Prolog systems, cuts and exceptions may
%  end the calls inside a call that has ended.
%
%  ?- every_call_ends.
%  true.
%  On mpd/philos_deadlock.trc:
%  ?- every_call_ends.
%  false.
every_call_ends :-
    \+ (open_call(Call), \+ '$was_stopped', call_start(Call, Chrono), \+ '$end_may_be_lost'(Call), event([chrono=Chrono])).

% The recorder may have lost events after the last one of a call.
'$end_may_be_lost'(Call) :-
    '$events_lost'(_, Next),
    call_end(Call, Last),
    Next > Last,
    !.

%! no_exception is semidet.
%
%  No call ended with an exception.
%
%  ?- no_exception.
%  true.
%  On json/structlog.jsonl:
%  ?- no_exception.
%  false.
no_exception :-
    \+ event([port=exception]).

%! every_span_ends is semidet.
%
%  Every box of a POSIX trace that an event of `--span` opens is closed. One that is open where the trace becomes blind
%  (blind/2) may have ended there.
%
%  On posix/untilfull.jsonl:
%  ?- every_span_ends.
%  true.
every_span_ends :-
    \+ (open_call(Call), call_start(Call, Chrono), \+ '$blind_after'(Chrono), event([chrono=Chrono, port=call])).

%! boxes_alternate is semidet.
%
%  Every call is first opened, and then closed and entered again in turn, as the box model has it.
%
%  ?- boxes_alternate.
%  true.
boxes_alternate :-
    \+ (integrity(Rule, Chrono, What), memberchk(Rule, ['B1', 'B2']), event([chrono=Chrono])).

%! boxes_nest is semidet.
%
%  No call has an event after the last one of the call that made it. A generator or a coroutine may, which its last event
%  until then had left by `yield` or `await` (attribute `why`): whoever has it enters it again. So may a call
%  of one that was perhaps entered again while the recorder lost events.
%
%  ?- boxes_nest.
%  true.
boxes_nest :-
    \+ (call_end(Call, Chrono), parent(Call, Parent), call_end(Parent, End), Chrono > End,
        \+ '$left_open'(Parent), \+ '$is_suspended'(Call, End), \+ '$may_be_lost'(End, Chrono),
        event([chrono=End]), event([chrono=Chrono])).

% The last event of a call before End left it for a while.
'$is_suspended'(Call, End) :-
    catch(( aggregate_all(max(C), event([call=Call, chrono=C, chrono < End]), Last),
            event([chrono=Last, why=[yield, await]]) ), error(_, _), fail),
    !.

% The recorder may have lost events between two others.
'$may_be_lost'(From, To) :-
    '$events_lost'(First, Next),
    First < To,
    Next > From,
    !.

% A call that had no time to end, as the program was stopped.
'$left_open'(Call) :-
    '$was_stopped',
    open_call(Call).

%! determinism_is_kept is semidet.
%
%  No call ends in a way that its determinism excludes: a call that cannot fail does not fail, one that has at most one
%  answer is not entered again, and one that has at least one answer does not fail before it. Needs the attribute `det`.
%
%  On queens.jsonl:
%  ?- determinism_is_kept.
%  true.
determinism_is_kept :-
    \+ (determinism_fault(Chrono, Call, Det, Port), event([chrono=Chrono])).

%! determinism_fault(?Chrono, ?Call, ?Det, ?Port) is nondet.
%
%  What determinism_is_kept/0 excludes, the earliest first: at event Chrono, Call has an event of Port, although its
%  determinism is Det.
%
%  On queens.jsonl:
%  ?- determinism_fault(Chrono, Call, Det, Port).
%  false.
determinism_fault(Chrono, Call, Det, Port) :-
    order_by([asc(Chrono)], '$determinism_fault'(Chrono, Call, Det, Port)).

'$determinism_fault'(Chrono, Call, Det, fail) :-
    event([chrono=Chrono, call=Call, det=[det, cc_multidet, erroneous], det=Det, port=fail]).
'$determinism_fault'(Chrono, Call, Det, exit) :-
    event([chrono=Chrono, call=Call, det=[failure, erroneous], det=Det, port=exit]).
'$determinism_fault'(Chrono, Call, Det, redo) :-
    event([chrono=Chrono, call=Call, det=[det, semidet, cc_nondet, cc_multidet, failure, erroneous], det=Det, port=redo]).
'$determinism_fault'(Chrono, Call, multidet, fail) :-
    event([chrono=Chrono, call=Call, det=multidet, port=fail]),
    \+ event([port=exit, call=Call, chrono<Chrono]).

%! every_process_ends is semidet.
%
%  Every process ends, or waits at an input statement when the trace ends, as servers do; a process whose id was used
%  again before it ended has been killed. For traces of MPD and SR.
%
%  On mpd/CS_3_4.trc:
%  ?- every_process_ends.
%  true.
%  On mpd/philos_deadlock.trc:
%  ?- every_process_ends.
%  false.
every_process_ends :-
    \+ (incarnation(Process, Chrono, End, open), \+ blocked(Process, input(Line)), event([chrono=Chrono])).

%! no_deadlock is semidet.
%
%  No processes wait for each other in a circle. For traces of MPD and SR.
%
%  On mpd/philos_ok.trc:
%  ?- no_deadlock.
%  true.
%  On mpd/philos_deadlock.trc:
%  ?- no_deadlock.
%  false.
no_deadlock :-
    \+ cycle(Processes).

%! every_semaphore_released is semidet.
%
%  No process ends without having let the others pass a semaphore that it passed. For traces of MPD and SR.
%
%  On mpd/philos_ok.trc:
%  ?- every_semaphore_released.
%  true.
%  On mpd/philos_deadlock.trc:
%  ?- every_semaphore_released.
%  false.
every_semaphore_released :-
    \+ unreleased(Process, Semaphore).

%! every_invocation_served is semidet.
%
%  Every invocation was taken by a proc or an input statement. For traces of MPD and SR.
%
%  On mpd/philos_ok.trc:
%  ?- every_invocation_served.
%  true.
every_invocation_served :-
    \+ unserved(Invocation).

%! every_invocation_answered is semidet.
%
%  Every call of an operation was answered, and its caller came back. For traces of MPD and SR.
%
%  On mpd/philos_ok.trc:
%  ?- every_invocation_answered.
%  true.
every_invocation_answered :-
    \+ unanswered(Call).

%! every_message_received is semidet.
%
%  Every message that was sent was received. For logs of seq_trace.
%
%  On seq_trace/relay.raw:
%  ?- every_message_received.
%  true.
%  On seq_trace/lossy.raw:
%  ?- every_message_received.
%  false.
every_message_received :-
    \+ (unreceived(Call), event([call=Call])).

%! every_receive_sent is semidet.
%
%  Every message that was received was seen to be sent: the logs of all nodes are there. For logs of seq_trace.
%
%  On seq_trace/relay.raw:
%  ?- every_receive_sent.
%  true.
every_receive_sent :-
    \+ (orphan_receive(Chrono), event([chrono=Chrono])).

%! every_fork_joins is semidet.
%
%  Every fork is joined, if the trace has its end: a STOP_TIME. For VisAndOr's and-parallel traces.
%
%  On visandor/synth_and.ev:
%  ?- every_fork_joins.
%  true.
every_fork_joins :-
    \+ (event([port=fork, call=Call]), \+ event([port=join, call=Call]), event([port=stop_time])).

%! every_goal_finishes is semidet.
%
%  Every goal of a fork that an agent began came to its end, if the trace has its own. For VisAndOr's and-parallel traces.
%
%  On visandor/synth_and.ev:
%  ?- every_goal_finishes.
%  true.
every_goal_finishes :-
    \+ (event([port=start_goal, call=Call]), \+ event([port=finish_goal, call=Call]), event([port=stop_time])).

%! every_branch_ends is semidet.
%
%  Every branch that an agent began succeeded, failed, or published its choices and went on as their branches, if the
%  trace has its end. For VisAndOr's or-parallel traces.
%
%  On visandor/synth_or.ev:
%  ?- every_branch_ends.
%  true.
every_branch_ends :-
    \+ (unfinished_branch(Call), call_start(Call, Chrono), event([chrono=Chrono])).

%! nothing_lost is semidet.
%
%  There is no stretch of time about which the trace knows nothing. For traces of POSIX.
%
%  On posix/trunc.jsonl:
%  ?- nothing_lost.
%  true.
%  On posix/loop.jsonl:
%  ?- nothing_lost.
%  false.
nothing_lost :-
    \+ blind(From, To).

%! nothing_truncated is semidet.
%@ recording.
%
%  The data of every event are whole. For traces of POSIX.
%
%  On posix/loop.jsonl:
%  ?- nothing_truncated.
%  true.
%  On posix/trunc.jsonl:
%  ?- nothing_truncated.
%  false.
nothing_truncated :-
    \+ (truncated(Chrono, When), event([chrono=Chrono])).

%! no_orphans is semidet.
%
%  Every span whose parent has a name has it in the trace (orphan/1). For traces of spans.
%
%  On otlp/shop_small.jsonl:
%  ?- no_orphans.
%  true.
no_orphans :-
    \+ (orphan(Call), event([port=call, call=Call])).

%! time_is_kept is semidet.
%
%  No call starts before the one that made it: the clocks of all hosts agree (skew/2). For traces with times.
%
%  On otlp/agent_books.jsonl:
%  ?- time_is_kept.
%  true.
%  On otlp/shop_small.jsonl:
%  ?- time_is_kept.
%  false.
time_is_kept :-
    \+ (skew(Call, Ns), event([port=call, call=Call])).

%! no_error_swallowed is semidet.
%
%  No call failed without its parent failing too (swallowed/1). A service that tries again swallows errors on purpose.
%
%  On otlp/shop_small.jsonl:
%  ?- no_error_swallowed.
%  true.
%  On otlp/shop_limits.jsonl:
%  ?- no_error_swallowed.
%  false.
no_error_swallowed :-
    \+ (swallowed(Call), call_end(Call, End), event([chrono=End])).

%! no_n_plus_one(+Limit) is semidet.
%
%  No span asks a service more than Limit times for the same (n_plus_one/3). For traces of spans.
%
%  On otlp/shop_small.jsonl:
%  ?- no_n_plus_one(2).
%  true.
%  ?- no_n_plus_one(1).
%  false.
no_n_plus_one(Limit) :-
    \+ (n_plus_one(Parent, Name, N), N > Limit, event([port=call, call=Parent])).

%! within_budget(+Constraints, +Ns) is semidet.
%
%  No call whose first event matches Constraints took more than Ns nanoseconds (duration/2). For traces with times.
%
%  On otlp/shop_small.jsonl:
%  ?- within_budget([name='GET /checkout'], 30_000_000).
%  true.
%  ?- within_budget([kind=client], 1_000_000).
%  false.
within_budget(Constraints, Ns) :-
    % the search stands in this goal, not in '$begins'/2, so that a violation shows the event
    '$budgets'(Constraints),
    \+ (event([chrono=_Start, call=Call|Constraints]), call_start(Call, _Start), duration(Call, Duration), Duration > Ns).

'$begins'(Call, Constraints) :-
    event([chrono=Chrono, call=Call|Constraints]),
    call_start(Call, Chrono).

'$budgets'(Constraints) :-
    ( '$begins'(_, Constraints) -> Some = [call] ; Some = [] ),
    '$claims_about'('call that the budget is for', Some).

%! files_closed is semidet.
%@ values.
%
%  Every process closes the files that it opens (left_open/3). For traces of strace.
%
%  On strace/split_ff.28963:
%  ?- files_closed.
%  true.
%  On strace/split_ff.28966:
%  ?- files_closed.
%  false.
files_closed :-
    \+ left_open(Pid, Fd, Path).

%! no_bad_close is semidet.
%
%  No process closes a file descriptor that is not open (EBADF). For traces of strace.
%
%  On strace/split_ff.28966:
%  ?- no_bad_close.
%  true.
%  On strace/split_ff.28963:
%  ?- no_bad_close.
%  false.
no_bad_close :-
    \+ event([port=exception, name=close, errno='EBADF']).

%! children_waited is semidet.
%@ values.
%
%  Every process that another one made and that ended was waited for: wait4, waitpid or waitid returned its number, as often
%  as processes with that number ended. Threads are not waited for. For traces of strace.
%
%  On strace/filtered.txt:
%  ?- children_waited.
%  true.
children_waited :-
    tally(Pid, event([port=[exited, killed], pid=Pid]), Ends),
    '$counts'(Ends, Ended),
    tally(Pid, '$waited_for'(Pid), Waits),
    '$counts'(Waits, Waited),
    tally(Child, '$child_made'(Child), Made),
    \+ ( member(Child-Births, Made),
         get_assoc(Child, Ended, N),
         \+ ( get_assoc(Child, Waited, W), W >= min(Births, N) ) ).

'$child_made'(Child) :-
    event([port=exit, child=Child, args=Args]),
    \+ '$mentions'(Args, 'CLONE_THREAD').

'$waited_for'(Child) :-
    event([port=exit, name=[wait4, waitpid], ret=Child]).
'$waited_for'(Child) :-
    event([port=exit, name=waitid, args=Args]),
    member(struct(Parts), Args),
    memberchk(si_pid=Child, Parts).

'$counts'(Pairs, Assoc) :-
    msort(Pairs, Sorted),
    ord_list_to_assoc(Sorted, Assoc).

%! no_kill is semidet.
%
%  No process sends a signal with kill, tkill or tgkill, and none is killed by one. For traces of strace.
%
%  On strace/split_ff.28963:
%  ?- no_kill.
%  true.
%  On strace/filtered.txt:
%  ?- no_kill.
%  false.
no_kill :-
    \+ event([port=call, name=[kill, tkill, tgkill]]),
    \+ event([port=killed]).

%! reads_what_it_opens is semidet.
%@ values.
%
%  Every file that is opened is read or written (idle_file/1). For traces of strace.
%
%  On strace/split_ff.28966:
%  ?- reads_what_it_opens.
%  true.
%  On strace/split_ff.28963:
%  ?- reads_what_it_opens.
%  false.
reads_what_it_opens :-
    \+ idle_file(Path).

%! no_overlap is semidet.
%
%  Of two slices of a thread, one is in the other, or they do not overlap. For Chrome traces.
%
%  On chrome/phases.json:
%  ?- no_overlap.
%  false.
no_overlap :-
    \+ finding(_, 'C3', Chrono, What).

%! no_lost_events is semidet.
%
%  The recorder lost no events: its buffer was never full. For Chrome traces.
%
%  On chrome/phases.json:
%  ?- no_lost_events.
%  true.
no_lost_events :-
    \+ finding(_, overflow, Chrono, What).

%! arrows_arrive is semidet.
%
%  Every arrow that begins ends. For Chrome traces.
%
%  On chrome/phases.json:
%  ?- arrows_arrive.
%  true.
arrows_arrive :-
    \+ '$lost_arrow'(Chrono).

%! every_box_ends is semidet.
%
%  Every slice and every asynchronous operation ends. For Chrome traces.
%
%  On chrome/phases.json:
%  ?- every_box_ends.
%  false.
every_box_ends :-
    \+ open_call(Call).

%! no_stutter is semidet.
%
%  Every step changes a variable. For traces of model checkers.
%
%  On itf/lasso.json:
%  ?- no_stutter.
%  true.
%  On itf/stutter.json:
%  ?- no_stutter.
%  false.
no_stutter :-
    \+ stutter(Chrono).

%! lasso_closes is semidet.
%
%  A lasso ends in the state with which its loop begins, so that the step back is one that the trace shows. For traces of
%  model checkers.
%
%  On itf/lasso.json:
%  ?- lasso_closes.
%  true.
lasso_closes :-
    \+ '$open_lasso'(Chrono).
