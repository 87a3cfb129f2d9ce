% The steps of an interpreter as those of the program that it interprets: a box for each goal of that program.
% $ papaver run --on goals examples/derived/goals.pl examples/derived/interpreter.jsonl
%
% interpreter.pro interprets a few clauses about ways on a map; interpreter.jsonl is its trace, which
% `papaver record -o interpreter.jsonl -- swipl -g main -t halt interpreter.pro` has written. Conjunctions and `true` are
% the interpreter's own steps; the box of a goal is the one of solve/1 for it.

:- derived_trace(goals, [port=Port, call=Call, name=Name, args=Args, origin=O],
                 ( event([name=solve, port=Port, call=Call, args=[Goal], chrono=O]),
                   is_goal(Goal),
                   Goal =.. [Name|Args] )).

is_goal(Goal) :-
    callable(Goal),
    Goal \= (_, _),
    Goal \== true.

main :-
    in_trace(source, aggregate_all(count, event([]), All)),
    aggregate_all(count, event([]), N),
    format("~d events of goals, of ~d of the interpreter:~n", [N, All]),
    forall(fget([]), true),
    event([port=exit, name=road, args=[market|_], call=Call, origin=O]),
    findall(Goal, ( ancestor(Call, A), once(event([call=A, name=Name, args=[From|_]])), Goal = Name-From ), Stack),
    format("~w is open around the last road; in the interpreter this is event ~d~n", [Stack, O]).
