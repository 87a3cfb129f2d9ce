% How many boards were tried before the first that is safe? The fold ends there, as filter/3 fails.
%
% $ papaver run examples/monitors/boards.pl examples/queens/queens.trace
%
% Run as a script it collects itself: a monitor is any file that defines initialize/1 and filter/3.

main :-
    collect(boards, Tried),
    current([chrono=Chrono, args=[Board]]),
    format("~w is safe at ~w, after ~w others~n", [Board, Chrono, Tried]).

initialize(0).

filter(Event, N0, N) :-
    (   proc_name(Event, safe),
        depth(Event, 3)
    ->  port(Event, Port),
        verdict(Port, N0, N)
    ;   N = N0
    ).

verdict(fail, N0, N) :- !, N is N0 + 1.
verdict(exit, _, _) :- !, fail.
verdict(_, N, N).
