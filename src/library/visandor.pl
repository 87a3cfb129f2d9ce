% Questions to traces of and-parallel and or-parallel Prolog (VisAndOr): who ran what and when, and where the time went.
% A task is a goal of an and-fork or a branch of an or-fork. What had not ended when the trace ended counts up to there.

%! task(?Fork, ?K, ?Agent, ?From, ?To) is nondet.
%
%  Agent ran task K of the fork with call number Fork from time From to time To.
%  A branch that was suspended has an answer for each time that it ran; one that published its choices ran up to there.
%
%  On visandor/ciao_fib_2agents.ev:
%  ?- task(3, K, Agent, From, To).
%  K = 0, Agent = 0, From = 29, To = 37478
%  ; K = 1, Agent = 1, From = 7827, To = 27534.
task(Fork, K, Agent, From, To) :-
    (   var(Fork)
    ->  true
    ;   child(Fork, Call)
    ),
    event([port=[start_goal, start_branch, resume_branch], call=Call, father=Fork,
           branch=K, agent=Agent, time=From, chrono=Start]),
    '$task_end'(Call, Start, To).

% '$task_end'(+Call, +Start, -To): the task that runs since event Start does so up to time To.
'$task_end'(Call, Start, To) :-
    (   event([call=Call, chrono>Start, port=[finish_goal, succ_branch, fail_branch, suspend_branch], time=Time])
    ->  To = Time
    ;   child(Call, Fork),
        call_start(Fork, Chrono),
        event([chrono=Chrono, port=make_public, time=Time])
    ->  To = Time
    ;   '$trace_time'(_, To)
    ).

% '$trace_time'(-First, -Last): the times of the first and the last event.
'$trace_time'(First, Last) :-
    trace_info(first_chrono, Start),
    trace_info(last_chrono, End),
    attribute(Start, time, First),
    attribute(End, time, Last).

%! busy(?Agent, ?From, ?To) is nondet.
%
%  Agent worked from time From to time To without a gap. If the trace has events AGENT_BUSY and AGENT_IDLE of Agent, they
%  say so. Else an agent works while the innermost of its open boxes is a task or the team of a branch: one that has
%  forked works in the tasks that it runs, and waits for the others at the join.
%
%  On visandor/ciao_fib_2agents.ev:
%  ?- busy(Agent, From, To).
%  Agent = 0, From = 0, To = 36822
%  ; Agent = 0, From = 37473, To = 37481
%  ; Agent = 1, From = 7816, To = 37447.
busy(Agent, From, To) :-
    '$work'(team, Agent, Spans),
    member(From-To, Spans).

% '$work'(+Of, ?Agent, -Spans): Agent worked, with Of = team in teams of branches too, in these spans.
'$work'(Of, Agent, Spans) :-
    findall(A-(Time-Port), '$agent_event'(Of, A, Time, Port), Events),
    keysort(Events, Sorted),
    group_pairs_by_key(Sorted, Groups),
    '$trace_time'(First, Last),
    member(Agent-Own, Groups),
    (   member(_-Told, Own),
        memberchk(Told, [agent_busy, agent_idle])
    ->  '$told_steps'(Own, idle(First), Steps)
    ;   '$box_steps'(Own, [], Steps)
    ),
    '$steps_spans'(Steps, Last, Spans).

% '$agent_event'(+Of, -Agent, -Time, -Port): the events that say whether Agent works, in their order.
'$agent_event'(Of, Agent, Time, Port) :-
    findall(P, ( '$step'(Of, P, _) ; member(P, [fork, join, agent_busy, agent_idle]) ), Ports),
    event([port=Ports, port=Port, agent=Agent, time=Time, chrono=Chrono]),
    ( Port \== make_public -> true ; event([chrono=Chrono, father=_]) -> true ).

% '$told_steps'(+Events, +State, -Steps): what AGENT_BUSY and AGENT_IDLE say; an agent that is first told to be idle was busy before.
'$told_steps'([], _, []).
'$told_steps'([Time-Port|Events], State, Steps) :-
    (   Port == agent_busy,
        State = idle(_)
    ->  Steps = [Time-1|More],
        Next = busy
    ;   Port == agent_idle,
        State == busy
    ->  Steps = [Time-(-1)|More],
        Next = idle(-)
    ;   Port == agent_idle,
        State = idle(First),
        integer(First)
    ->  Steps = [First-1, Time-(-1)|More],
        Next = idle(-)
    ;   Steps = More,
        Next = State
    ),
    '$told_steps'(Events, Next, More).

% '$box_steps'(+Events, +Open, -Steps): the agent works while the innermost of its boxes Open is work, and no fork.
'$box_steps'([], _, []).
'$box_steps'([Time-Port|Events], Open0, Steps) :-
    '$box_step'(Port, Open0, Open),
    '$works'(Open0, Before),
    '$works'(Open, After),
    Step is After - Before,
    ( Step =:= 0 -> Steps = More ; Steps = [Time-Step|More] ),
    '$box_steps'(Events, Open, More).

'$works'(Open, Works) :-
    ( Open = [work|_] -> Works = 1 ; Works = 0 ).

'$box_step'(fork, Open, [fork|Open]) :-
    !.
'$box_step'(join, Open0, Open) :-
    !,
    '$without'(Open0, fork, Open).
'$box_step'(Port, Open0, Open) :-
    (   '$step'(team, Port, 1)
    ->  Open = [work|Open0]
    ;   '$without'(Open0, work, Open)
    ).

% '$without'(+Open, +Box, -Rest): the boxes without the innermost one of a kind, if there is one.
'$without'(Open, Box, Rest) :-
    ( selectchk(Box, Open, Rest0) -> Rest = Rest0 ; Rest = Open ).

% '$spans'(+Of, ?Agent, -Spans): Agent was inside of tasks, and with Of = team in teams too, in these spans.
'$spans'(Of, Agent, Spans) :-
    findall(Agent-(Time-Step), '$enters'(Of, Agent, Time, Step), Steps),
    keysort(Steps, Sorted),
    group_pairs_by_key(Sorted, Groups),
    '$trace_time'(_, End),
    member(Agent-Changes, Groups),
    '$steps_spans'(Changes, End, Spans).

% '$enters'(+Of, ?Agent, -Time, -Step): Agent enters (Step = 1) or leaves (Step = -1) a task or team, in the order of events.
'$enters'(Of, Agent, Time, Step) :-
    findall(Port, '$step'(Of, Port, _), Ports),
    event([port=Ports, port=Port, agent=Agent, time=Time, chrono=Chrono]),
    '$step'(Of, Port, Step),
    ( Port \== make_public -> true ; event([chrono=Chrono, father=_]) -> true ).

'$step'(_, start_goal, 1).
'$step'(_, start_branch, 1).
'$step'(_, resume_branch, 1).
'$step'(_, finish_goal, -1).
'$step'(_, succ_branch, -1).
'$step'(_, fail_branch, -1).
'$step'(_, suspend_branch, -1).
'$step'(_, make_public, -1).
'$step'(team, start_busy, 1).
'$step'(team, stop_busy, -1).

% '$steps_spans'(+Steps, +End, -Spans): the spans From-To in which the sum of the steps Time-Step is above 0.
'$steps_spans'([], _, []).
'$steps_spans'([Time-Step|Steps], End, Spans) :-
    (   Step > 0
    ->  Spans = [Time-To|More],
        '$span_end'(Steps, Step, End, To, Rest),
        '$steps_spans'(Rest, End, More)
    ;   '$steps_spans'(Steps, End, Spans)
    ).

% '$span_end'(+Steps, +Sum, +End, -To, -Rest): a span that has this sum ends at To; one that begins there again is the same.
'$span_end'([], _, End, End, []).
'$span_end'([Time-Step|Steps], Sum0, End, To, Rest) :-
    Sum is Sum0 + Step,
    (   Sum > 0
    ->  '$span_end'(Steps, Sum, End, To, Rest)
    ;   Steps = [Time-Next|More],
        Next > 0
    ->  '$span_end'(More, Next, End, To, Rest)
    ;   To = Time,
        Rest = Steps
    ).

%! utilisation(?Agent, -Percent) is nondet.
%
%  Agent worked for Percent of the time of the trace, as busy/3 says.
%
%  On visandor/ciao_fib_2agents.ev:
%  ?- utilisation(1, P), X is round(P).
%  P = 79.05605506790107, X = 79.
utilisation(Agent, Percent) :-
    '$trace_time'(First, Last),
    Last > First,
    sum_by(A, Time, (busy(A, From, To), Time is To - From), Sums),
    tally(A, event([agent=A]), Agents),
    member(Agent-_, Agents),
    ( memberchk(Agent-Busy, Sums) -> true ; Busy = 0 ),
    Percent is 100.0 * Busy / (Last - First).

%! running(?Time, ?N) is nondet.
%
%  N agents are inside tasks from Time on (in the units of the file), for each time at which N changes; for a given
%  Time at that time.
%
%  On visandor/ciao_fib_2agents.ev:
%  ?- running(7827, N).
%  N = 2.
%  ?- running(Time, 1).
%  Time = 29
%  ; Time = 27534
%  ; Time = 37418.
running(Time, N) :-
    '$profile'(Profile),
    (   var(Time)
    ->  member(Time-N, Profile)
    ;   '$trace_time'(First, Last),
        Time >= First,
        Time =< Last,
        '$value_at'(Profile, Time, 0, N)
    ).

% '$profile'(-Profile): pairs Time-N, N agents are inside of tasks from Time on.
'$profile'([First-N|Profile]) :-
    '$trace_time'(First, _),
    findall(Change, ( '$spans'(task, _, Spans), member(Span, Spans), '$edge'(Span, Change) ), Changes),
    keysort(Changes, Sorted),
    '$sum_up'(Sorted, 0, All),
    ( All = [First-N|Profile] -> true ; N = 0, Profile = All ).

'$edge'(From-_, From-1).
'$edge'(_-To, To-(-1)).

% '$sum_up'(+Steps, +Sum, -Profile): the sum after the last step of each time, where it is another than before.
'$sum_up'(Steps, Sum, Profile) :-
    '$sum_up'(Steps, Sum, Sum, Profile).

'$sum_up'([], _, _, []).
'$sum_up'([Time-Step|Steps], Before, Sum0, Profile) :-
    Sum is Sum0 + Step,
    (   Steps = [Time-_|_]
    ->  '$sum_up'(Steps, Before, Sum, Profile)
    ;   Sum =:= Before
    ->  '$sum_up'(Steps, Before, Sum, Profile)
    ;   Profile = [Time-Sum|More],
        '$sum_up'(Steps, Sum, Sum, More)
    ).

% '$value_at'(+Profile, +Time, +Before, -Value): the last value up to Time.
'$value_at'([Start-N|Profile], Time, _, Value) :-
    Start =< Time,
    !,
    '$value_at'(Profile, Time, N, Value).
'$value_at'(_, _, Value, Value).

%! running_time(?N, ?Time) is nondet.
%
%  Exactly N agents were inside tasks for Time in all, in the units of the file.
%
%  On visandor/ciao_fib_2agents.ev:
%  ?- running_time(N, Time).
%  N = 0, Time = 32
%  ; N = 1, Time = 7863
%  ; N = 2, Time = 29586.
running_time(N, Time) :-
    '$profile'(Profile),
    '$trace_time'(_, Last),
    sum_by(M, Length, '$stretch'(Profile, Last, M, Length), Sums),
    member(N-Time, Sums).

'$stretch'(Profile, Last, N, Length) :-
    append(_, [From-N|Rest], Profile),
    ( Rest = [To-_|_] -> true ; To = Last ),
    Length is To - From,
    Length > 0.

%! mean_parallelism(-Mean) is semidet.
%
%  Mean is how many agents worked at the same time, on the average over the time of the trace. As in busy/3, one that
%  waits at a join does not work; running/2 and running_time/2 count it, as it is inside a task. Slaves of a team are
%  not counted.
%
%  On visandor/synth_and.ev:
%  ?- mean_parallelism(M).
%  M = 3.5604851579955312.
mean_parallelism(Mean) :-
    '$trace_time'(First, Last),
    Last > First,
    findall(Time, ( '$work'(task, _, Spans), member(From-To, Spans), Time is To - From ), Times),
    sum_list(Times, Sum),
    Mean is 1.0 * Sum / (Last - First).

%! work(-Work) is semidet.
%
%  Work is the time that all tasks took, without the forks in them, plus the time before, between and after the
%  outermost forks.
%
%  On visandor/ciao_fib_1agent.ev:
%  ?- work(W).
%  W = 86.
work(Work) :-
    findall(Time, '$own_time'(Time), Times),
    sum_list(Times, Work).

% '$own_time'(-Time): what the program outside of all tasks took, and each task.
'$own_time'(Time) :-
    '$root_time'(Time).
'$own_time'(Time) :-
    event([port=[start_goal, start_branch], call=Call]),
    '$task_time'(Call, Time).

% '$root_time'(-Time): time outside of the outermost forks.
'$root_time'(Time) :-
    '$trace_time'(First, Last),
    findall(Inside, ( '$root_fork'(Fork), '$fork_time'(Fork, Last, Inside) ), Times),
    sum_list(Times, Sum),
    Time is Last - First - Sum.

% '$root_fork'(-Fork): a fork that was made in no task.
'$root_fork'(Fork) :-
    event([port=[fork, make_public], call=Fork]),
    \+ parent(Fork, _).

% '$fork_time'(+Fork, +Last, -Time): from the fork to the join, which never comes for branches.
'$fork_time'(Fork, Last, Time) :-
    call_start(Fork, Start),
    attribute(Start, time, From),
    ( event([call=Fork, port=join, time=To]) -> true ; To = Last ),
    Time is To - From.

% '$task_time'(+Call, -Time): the time of a task without the forks in it; a branch ends where it publishes.
'$task_time'(Call, Time) :-
    '$run_time'(Call, Run),
    '$trace_time'(_, Last),
    findall(Inside, ( child(Call, Fork), call_start(Fork, Start), event([chrono=Start, port=fork]),
                      '$fork_time'(Fork, Last, Inside) ), Times),
    sum_list(Times, Sum),
    Time is Run - Sum.

% '$run_time'(+Call, -Time): the time in which a task ran.
'$run_time'(Call, Time) :-
    findall(Run, ( event([call=Call, port=[start_goal, start_branch, resume_branch], time=From, chrono=Start]),
                   '$task_end'(Call, Start, To), Run is To - From ), Runs),
    sum_list(Runs, Time).

% '$task_path'(-Tasks, -Length): the longest task of each fork in the order of their starts, and how long they take.
'$task_path'(Tasks, Length) :-
    '$root_time'(Own),
    findall(Fork, '$root_fork'(Fork), Forks),
    '$longest_tasks'(Forks, Own, Length, Tasks, []).

% '$longest_tasks'(+Forks, +Length0, -Length, -Tasks, ?Rest): adds the longest task of each fork, and what is the longest in it.
'$longest_tasks'([], Length, Length, Tasks, Tasks).
'$longest_tasks'([Fork|Forks], Length0, Length, Tasks, Rest) :-
    findall(Task, child(Fork, Task), Candidates),
    '$longest_task'(Candidates, 0, [], Longest, Path),
    Length1 is Length0 + Longest,
    append(Path, More, Tasks),
    '$longest_tasks'(Forks, Length1, Length, More, Rest).

'$longest_task'([], Longest, Path, Longest, Path).
'$longest_task'([Task|Candidates], Longest0, Path0, Longest, Path) :-
    '$task_time'(Task, Own),
    findall(Fork, ( child(Task, Fork), call_start(Fork, Start), event([chrono=Start, port=[fork, make_public]]) ), Forks),
    '$longest_tasks'(Forks, Own, Length, Inner, []),
    (   Length > Longest0
    ->  '$longest_task'(Candidates, Length, [Task|Inner], Longest, Path)
    ;   '$longest_task'(Candidates, Longest0, Path0, Longest, Path)
    ).

%! grain(?Task, ?Time) is nondet.
%
%  Time is how long the task with call number Task ran, in the units of the file, with the forks in it; a task that
%  is shorter than what a fork costs does not pay.
%
%  On visandor/ciao_fib_1agent.ev:
%  ?- aggregate_all(count, (grain(_, T), T < 5), Small), aggregate_all(max(T), grain(_, T), Longest).
%  Small = 48, Longest = 67.
grain(Task, Time) :-
    event([call=Task, port=[start_goal, start_branch]]),
    '$run_time'(Task, Time).

%! run_locally(?Fork) is nondet.
%
%  All tasks of the and-fork with call number Fork were run by the agent that made it.
%
%  On visandor/ciao_fib_2agents.ev:
%  ?- aggregate_all(count, run_locally(_), Local), aggregate_all(count, event([port=fork]), All).
%  Local = 10, All = 12.
run_locally(Fork) :-
    event([port=fork, call=Fork]),
    \+ ( child(Fork, Task), event([call=Task, thief=true]) ).

%! stolen(?Task, ?From, ?To, ?Delay) is nondet.
%
%  The goal with call number Task was forked by agent From, and run by agent To after Delay, in the units
%  of the file.
%
%  On visandor/ciao_fib_2agents.ev:
%  ?- stolen(Task, From, To, Delay).
%  Task = 16, From = 0, To = 1, Delay = 7812
%  ; Task = 38, From = 0, To = 1, Delay = 7850.
stolen(Task, From, To, Delay) :-
    event([call=Task, port=start_goal, thief=true, agent=To, wait=Delay, father=Fork]),
    call_start(Fork, Start),
    attribute(Start, agent, From).

%! stolen_branch(?Branch, ?From, ?To, ?Delay) is nondet.
%
%  The branch with call number Branch was published by agent From, and begun by agent To, another one, after Delay, in
%  the units of the file.
%
%  On visandor/synth_or.ev:
%  ?- stolen_branch(Branch, From, To, Delay), Delay > 200.
%  Branch = 35, From = 3, To = 4, Delay = 216.
%  ?- aggregate_all(count, stolen_branch(_, _, _, _), N).
%  N = 12.
stolen_branch(Branch, From, To, Delay) :-
    event([call=Branch, port=start_branch, agent=To, wait=Delay, father=Fork]),
    call_start(Fork, Start),
    attribute(Start, agent, From),
    From \== To.

%! unfinished_branch(?Branch) is nondet.
%
%  The branch with call number Branch was begun, and had neither succeeded, failed nor published its choices at the end of
%  a trace that has its STOP_TIME: it ran on, or was suspended and never resumed.
%
%  On visandor/synth_or.ev:
%  ?- unfinished_branch(Branch).
%  false.
unfinished_branch(Branch) :-
    event([call=Branch, port=start_branch]),
    \+ event([call=Branch, port=[succ_branch, fail_branch]]),
    \+ ( child(Branch, Fork), event([call=Fork, port=make_public]) ),
    once(event([port=stop_time])).

%! idle_while_work(?Agent, ?From, ?To) is nondet.
%
%  From time From to time To there were tasks that nobody had started yet, and Agent was in no task or team, or
%  looked for work.
%
%  On visandor/ciao_fib_2agents.ev:
%  ?- idle_while_work(1, From, To).
%  From = 15, To = 7827
%  ; From = 27534, To = 27539.
idle_while_work(Agent, From, To) :-
    findall(Step, '$waiting_step'(Step), Waiting),
    keysort(Waiting, Sorted),
    '$trace_time'(First, Last),
    '$steps_spans'(Sorted, Last, Work),
    tally(A, event([agent=A]), Agents),
    member(Agent-_, Agents),
    '$idle_spans'(Agent, First, Last, Idle),
    '$common'(Work, Idle, Spans),
    member(From-To, Spans).

% '$waiting_step'(-Step): tasks wait from their fork on (Time-1) until they are started (Time-(-1)).
'$waiting_step'(Step) :-
    event([port=[start_goal, start_branch], time=To, wait=Wait]),
    Wait > 0,
    From is To - Wait,
    '$edge'(From-To, Step).
'$waiting_step'(Step) :-
    event([port=[fork, make_public], call=Fork, tasks=N, time=From]),
    aggregate_all(count, child(Fork, _), Started),
    Started < N,
    '$trace_time'(_, Last),
    '$fork_time'(Fork, Last, Time),
    To is From + Time,
    '$edge'(From-To, Step).

% '$idle_spans'(+Agent, +First, +Last, -Spans): the gaps between the spans of busy/3, and those between AGENT_IDLE and AGENT_BUSY.
'$idle_spans'(Agent, First, Last, Spans) :-
    ( '$spans'(team, Agent, Busy) -> true ; Busy = [] ),
    '$gaps'(Busy, First, Last, Gaps),
    findall(Time-Step, '$looks_for_work'(Agent, Time, Step), Steps),
    '$steps_spans'(Steps, Last, Looking),
    append(Gaps, Looking, All),
    findall(Step, ( member(Span, All), '$edge'(Span, Step) ), Changes),
    keysort(Changes, Sorted),
    '$steps_spans'(Sorted, Last, Spans).

'$looks_for_work'(Agent, Time, Step) :-
    event([port=[agent_idle, agent_busy], port=Port, agent=Agent, time=Time]),
    ( Port == agent_idle -> Step = 1 ; Step = -1 ).

% '$gaps'(+Spans, +First, +Last, -Gaps): what lies between the spans, the first time and the last.
'$gaps'([], First, Last, [First-Last]).
'$gaps'([From-To|Spans], First, Last, [First-From|Gaps]) :-
    '$gaps'(Spans, To, Last, Gaps).

% '$common'(+As, +Bs, -Spans): where spans of both lists are, each of them in order.
'$common'([], _, []) :-
    !.
'$common'(_, [], []) :-
    !.
'$common'([A1-A2|As], [B1-B2|Bs], Spans) :-
    From is max(A1, B1),
    To is min(A2, B2),
    ( From < To -> Spans = [From-To|More] ; Spans = More ),
    (   A2 < B2
    ->  '$common'(As, [B1-B2|Bs], More)
    ;   '$common'([A1-A2|As], Bs, More)
    ).

%! join_wait(?Fork, ?Time) is nondet.
%
%  Time lies between the first and the last end of the tasks of the and-fork with call number Fork: what the first one had
%  to wait at the join, in the units of the file.
%
%  On visandor/ciao_fib_2agents.ev:
%  ?- join_wait(3, Time).
%  Time = 9944.
join_wait(Fork, Time) :-
    event([port=fork, call=Fork]),
    findall(End, ( child(Fork, Task), event([call=Task, port=finish_goal, time=End]) ), [End|Ends]),
    max_list([End|Ends], Last),
    min_list([End|Ends], First),
    Time is Last - First.

%! wasted(-Time) is det.
%
%  Time is how long branches ran that failed or were cut in the end, in the units of the file.
%
%  On visandor/synth_or.ev:
%  ?- wasted(Time).
%  Time = 4686.
wasted(Time) :-
    findall(Run, ( '$is_wasted'(Call), '$run_time'(Call, Run) ), Runs),
    sum_list(Runs, Time).

'$is_wasted'(Call) :-
    event([port=start_branch, call=Call]),
    \+ event([call=Call, port=succ_branch]),
    (   event([call=Call, port=[fail_branch, cutting_branch]])
    ->  true
    ;   event([port=stop_time]),
        \+ child(Call, _)
    ).

%! suspended(?Branch, ?Time) is nondet.
%
%  The branch with call number Branch was suspended, for Time in all, in the units of the file.
%
%  On visandor/synth_andorra.ev:
%  ?- aggregate_all(count, suspended(_, _), N), aggregate_all(sum(T), suspended(_, T), Sum).
%  N = 8, Sum = 6201.
suspended(Branch, Time) :-
    event([port=start_branch, call=Branch]),
    findall(Length, ( '$suspension'(Branch, From, To, _, _), Length is To - From ), [Length|Lengths]),
    sum_list([Length|Lengths], Time).

% '$suspension'(+Branch, -From, -To, -Agent, -Next): a branch that ran on Agent was suspended up to time To, and went on at Next.
'$suspension'(Branch, From, To, Agent, Next) :-
    event([call=Branch, port=suspend_branch, time=From, agent=Agent, chrono=Chrono]),
    (   event([call=Branch, port=resume_branch, time=Time, agent=Other, chrono>Chrono])
    ->  To = Time,
        Next = agent(Other)
    ;   '$trace_time'(_, To),
        Next = none
    ).

%! migrated(?Branch, ?From, ?To) is nondet.
%
%  The branch with call number Branch was suspended on agent From and resumed on agent To, another one.
%
%  On visandor/synth_andorra.ev:
%  ?- aggregate_all(count, migrated(_, _, _), N).
%  N = 15.
migrated(Branch, From, To) :-
    event([port=start_branch, call=Branch]),
    '$suspension'(Branch, _, _, From, agent(To)),
    From \== To.

%! team(?Branch, ?Time, ?N) is nondet.
%
%  From Time on (in the units of the file) N agents work on the branch with call number Branch, its master and its
%  slaves, for each time at which N changes; for a given Time at that time.
%
%  On visandor/synth_andorra.ev:
%  ?- event([chrono=5, call=Branch]), findall(T-N, team(Branch, T, N), Team).
%  Branch = 5, Team = [1236420384-1, 1236420387-2, 1236420391-3, 1236420583-2, 1236420584-1, 1236420593-0].
team(Branch, Time, N) :-
    event([port=start_branch, call=Branch, time=First]),
    findall(Step, '$team_step'(Branch, Step), Steps),
    keysort(Steps, Sorted),
    '$sum_up'(Sorted, 0, Team),
    (   var(Time)
    ->  member(Time-N, Team)
    ;   Time >= First,
        '$trace_time'(_, Last),
        Time =< Last,
        '$value_at'(Team, Time, 0, N)
    ).

'$team_step'(Branch, Step) :-
    event([call=Branch, port=[start_branch, resume_branch], time=From, chrono=Start]),
    '$task_end'(Branch, Start, To),
    '$edge'(From-To, Step).
'$team_step'(Branch, Step) :-
    child(Branch, Slave),
    event([call=Slave, port=start_busy, time=From]),
    ( event([call=Slave, port=stop_busy, time=Stop]) -> To = Stop ; '$trace_time'(_, To) ),
    '$edge'(From-To, Step).
