% Which solutions were found: every procedure with the arguments of its exits, each once, the newest first.
%
% $ echo "collect('examples/monitors/solutions', [Last|Others]), length(Others, N), last(Others, First), Others = [_|_]." | papaver examples/queens/queens.trace | grep -v Others

initialize([]).

filter(Event, Solutions0, Solutions) :-
    port(Event, Port),
    (   Port == exit
    ->  proc(Event, Proc),
        arguments(Event, Arguments),
        add(sol(Proc, Arguments), Solutions0, Solutions)
    ;   Solutions = Solutions0
    ).

add(Solution, Solutions, Solutions) :- memberchk(Solution, Solutions), !.
add(Solution, Solutions, [Solution|Solutions]).
