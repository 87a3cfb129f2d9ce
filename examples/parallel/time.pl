% Where did the parallel time go? Three agents sorted a list by and-parallel quicksort: how much faster could it have been?
%
% $ papaver run -q examples/parallel/time.pl examples/parallel/ciao_qsort_3agents.ev
%
% Every fork has two tasks; the agent that forks runs the first one, and the second one too unless another agent has
% stolen it by then. Agents that find nothing to steal are idle, and an agent waits at a join for what others stole.

main :-
    speed,
    agents,
    profile,
    steals,
    forks,
    grains.

speed :-
    event([port=start_time, time=Start]),
    event([port=stop_time, time=Stop]),
    Time is Stop - Start,
    work(Work),
    critical_path(Tasks, Path),
    length(Tasks, N),
    Now is Work / Time,
    Most is Work / Path,
    format("~d us of work in ~d us: ~2f times as fast as one agent~n", [Work, Time, Now]),
    format("critical path: ~d us through ~d tasks, so at most ~2f times~n", [Path, N, Most]).

agents :-
    forall(utilisation(Agent, Percent), format("agent ~d was busy ~1f % of the time~n", [Agent, Percent])).

profile :-
    forall(running_time(N, Time), format("time with ~d agents in tasks:~t~d~34| us~n", [N, Time])).

steals :-
    aggregate_all(count, stolen(_, _, _, _), N),
    aggregate_all(max(Delay, Task), stolen(Task, _, _, Delay), max(Longest, Late)),
    aggregate_all(sum(To - From), idle_while_work(_, From, To), Idle),
    format("~d tasks were stolen; task ~d was, ~d us after its fork~n", [N, Late, Longest]),
    format("agents were idle for ~d us while tasks waited~n", [Idle]).

forks :-
    aggregate_all(max(Wait, Fork), ( join_wait(Fork, Wait), \+ run_locally(Fork) ), max(Longest, Worst)),
    forall(task(Worst, K, Agent, From, To),
           format("fork ~d: task ~d ran on agent ~d from ~d to ~d us~n", [Worst, K, Agent, From, To])),
    format("that join waited ~d us for the later of the two~n", [Longest]).

grains :-
    aggregate_all(count, grain(_, _), All),
    aggregate_all(count, ( grain(_, Time), Time < 100 ), Small),
    format("~d of ~d tasks took less than 100 us~n", [Small, All]).
