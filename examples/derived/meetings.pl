% The rendezvous of an MPD program: a box from the call of a client to the answer, in which the server accepts it.
% $ papaver run --on meetings examples/derived/meetings.pl examples/derived/critical.trc
%
% Three users enter a critical section, and an arbitrator lets them in, one after the other. The trace has the operations
% of each process; several of them make a rendezvous, which is known by the number of its invocation.

:- derived_trace(meetings, [port=call, call=Inv, name=Client, pid=Pid, origin=O],
                 event([port=call, inv=Inv, name=Client, pid=Pid, chrono=O])).
:- derived_trace(meetings, [port=accept, call=Inv, name=Client, pid=Pid, server=Server, origin=O],
                 ( event([port=call, inv=Inv, name=Client, pid=Pid, served_at=O]), event([chrono=O, name=Server]) )).
:- derived_trace(meetings, [port=exit, call=Inv, name=Client, pid=Pid, origin=O],
                 event([port=call, inv=Inv, name=Client, pid=Pid, answered_at=O])).

main :-
    in_trace(source, aggregate_all(count, event([]), All)),
    aggregate_all(count, event([]), N),
    format("~d events of meetings, of ~d of the processes:~n", [N, All]),
    forall(fget([chrono=1..9]), true),
    write('...\n'),
    tally(Pid, event([port=call, pid=Pid]), Pairs),
    forall(member(Pid-Meetings, Pairs), format("~w meets the arbitrator ~d times~n", [Pid, Meetings])),
    findall(Waited-Call, ( event([port=call, call=Call, origin=A]), event([port=accept, call=Call, origin=B]), Waited is B - A ), Waits),
    max_member(Longest-Last, Waits),
    format("meeting ~d waits longest, while the others do ~d things~n", [Last, Longest]).
