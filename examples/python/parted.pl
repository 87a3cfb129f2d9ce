% A program has an option that should only make it faster, and its bills are wrong. Where does a wrong run part from a
% right one, and what did it not do?
%
% $ papaver run examples/python/parted.pl examples/python/right.jsonl examples/python/wrong.jsonl
%
% The script asks about both traces, so it runs once. The traces were recorded by
% `papaver record -o right.jsonl -- python3 bill.py` and `papaver record -o wrong.jsonl -- python3 bill.py --fast`.

main :-
    first_difference(right, wrong, difference(Right, Wrong, _)),
    format("the runs part here:~n"),
    print_event_of(right, Right),
    print_event_of(wrong, Wrong),
    format("calls that only the right one makes:~n"),
    forall(only_in(right, Call), in_trace(right, ( call_start(Call, Start), goto(Start) ))),
    format("where the value came from:~n"),
    in_trace(wrong, ( event([chrono=Wrong, result=Value, args=[Item | _]]),
                      event([port=exit, name=computed, args=[Item, For], result=Value]) )),
    format("computed(~q, ~q) = ~w~n", [Item, For, Value]).

print_event_of(Trace, Chrono) :- in_trace(Trace, goto(Chrono)).
