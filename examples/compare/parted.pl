% A bug was repaired: where do the runs before and after part, and which calls has only one of them?
%
% $ papaver run examples/compare/parted.pl examples/compare/before.trace examples/compare/after.trace
%
% The script asks about both traces, so it runs once. The program is ../debug/isort.m.

main :-
    first_difference(before, after, difference(Before, After, Values)),
    print_event_of(before, Before),
    print_event_of(after, After),
    forall(member(Attribute = Old - New, Values), format("~w was ~w, is ~w~n", [Attribute, Old, New])),
    forall(member(Trace, [before, after]), forall(only_in(Trace, Call), print_call(Trace, Call))).

print_event_of(Trace, Chrono) :- in_trace(Trace, goto(Chrono)).

print_call(Trace, Call) :-
    in_trace(Trace, ( call_start(Call, Start), event([chrono=Start, name=Name, args=Args]) )),
    format("only ~w: ~w ~w~n", [Trace, Name, Args]).
