% What did the job that node a sent to node b cause, and where did its time go?
%
% $ papaver run --merge examples/seqtrace/caused.pl examples/seqtrace/a.raw examples/seqtrace/b.raw
%
% Each node wrote a log of its own, and knows the processes of the other by a number of its own. Merged, the logs are one
% relation in causal order: the request leaves a, is worked on by two processes of b, and the answer comes back.

main :-
    event([port=send, msg={_, {job, 1}}, chrono=Sent, call=Call]),
    format("The job is sent in event ~w, as message ~w. What follows from it:~n", [Sent, Call]),
    event([port=receive, msg={_, {answer, _}}, chrono=Answered]),
    before(Sent, Answered),
    cause_chain(Answered, Chain),
    append(_, [Sent|Caused], Chain),
    forall(member(E, Caused), tell(Sent, E)),
    aggregate_all(count, before(Sent, _), N),
    format("~n~w events happened after it, as far as messages tell.~n", [N]),
    forall(crossing(From, To, Messages), format("~w messages went from ~w to ~w.~n", [Messages, From, To])),
    slowest(2, Slowest),
    forall(member(Ns-Slow, Slowest), tell_slow(Ns, Slow)).

% tell(+Start, +E): the line of an event, with the time since the start.
tell(Start, E) :-
    event([chrono=Start, time=T0]),
    event([chrono=E, time=T, port=Port, node=Node, pid=Pid, msg=Message]),
    Us is (T - T0) // 1000,
    format("~t~w~4| us  ~w~t~18|~w ~w  ~q~n", [Us, Port, Node, Pid, Message]).

tell_slow(Ns, Call) :-
    Us is Ns // 1000,
    event([call=Call, port=send, msg=Message, log=Log, line=Line]),
    format("Message ~w took ~w us: ~q (~w, line ~w)~n", [Call, Us, Message, Log, Line]).
