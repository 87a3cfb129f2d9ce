% Which calls that may have several answers were left before their last one?
%
% $ papaver run examples/queens/choices.pl examples/queens/queens.jsonl
%
% The event lines do not tell the determinism, but the JSON Lines of the same run do. A nondet call ends with a fail,
% unless its caller needed one answer only: then its last event is an exit. Those are the choices of the solution.

main :-
    aggregate_all(count, event([port=call, det=nondet]), All),
    aggregate_all(count, left(_), Left),
    format("~d of ~d nondet calls were left at an answer~n", [Left, All]),
    tally(Proc, left(Proc), Pairs),
    forall(member(Proc-N, Pairs), format("~t~d~5|  ~w~n", [N, Proc])).

left(Name/Arity) :-
    event([port=call, det=nondet, call=Call]),
    call_end(Call, End),
    event([chrono=End, port=exit, name=Name, arity=Arity]).
