% How often did each procedure run, and how did its calls end?
%
% $ papaver run examples/queens/procs.pl examples/queens/queens.trace
%
% A call whose last event is an exit may have had other answers that nobody asked for: those of qperm/2 and qdelete/3
% are the choices that made the board that was accepted.

main :-
    tally(Name/Arity, event([port=call, name=Name, arity=Arity]), Calls),
    order(Calls, Sorted),
    format("~w~t~16|~t~w~6+~t~w~7+~t~w~7+~n", [procedure, calls, exited, failed]),
    forall(member(Proc-N, Sorted), row(Proc, N)).

row(Proc, N) :-
    n_ended(Proc, exit, Exited),
    n_ended(Proc, fail, Failed),
    format("~w~t~16|~t~d~6+~t~d~7+~t~d~7+~n", [Proc, N, Exited, Failed]).

% The number of calls of a procedure whose last event has that port.
n_ended(Proc, Port, N) :-
    aggregate_all(count, (event([port=call, proc=Proc, call=Call]), ended(Call, Port)), N).

ended(Call, Port) :-
    call_end(Call, End),
    event([chrono=End, port=Port]).

% The most frequent first.
order(Pairs, Sorted) :-
    sort(2, @>=, Pairs, Sorted).
