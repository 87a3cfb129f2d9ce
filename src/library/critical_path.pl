% The critical path: the calls on which the length of a run depended. A run whose tasks are forked and joined has its own
% (visandor.pl).

%! critical_path(?Root, -Sections, -Ns) is nondet.
%
%  Root is a call without a parent. Sections are the parts of its critical path in the order of time, each
%  `section(Call, From, To)`: while Call was what the end of Root waited for. Ns is the length of the path in
%  nanoseconds, the duration of Root.
%
%  From its end backwards, the path of a call is that of its child that ended last, and before that child's start of the
%  one that had ended last by then; where no child is left, it is the call's own. A consumer is not on the path of its
%  producer, which does not wait for it.
%
%  On otlp/shop_small.jsonl:
%  ?- critical_path(1, Sections, Ns), findall(Call, member(section(Call, _, _), Sections), Calls), Sections = [First|_].
%  Sections = [section(1, 1795363384362784570, 1795363384364428899), section(3, 1795363384364428899, 1795363384368382346), section(7, 1795363384368382346, 1795363384379983683), section(3, 1795363384379983683, 1795363384380119254), section(1, 1795363384380119254, 1795363384382367082)], Ns = 19582512, Calls = [1, 3, 7, 3, 1], First = section(1, 1795363384362784570, 1795363384364428899).
critical_path(Root, Sections, Ns) :-
    call_start(Root, _),
    \+ parent(Root, _),
    '$lifetime'(Root, Start, End),
    Start < End,
    '$sections'(Root, Start, End, Sections, []),
    Ns is End - Start.

% '$sections'(+Call, +From, +To, -Sections, ?Rest): the path of Call between From and To, before Rest.
'$sections'(Call, From, To, Sections, Rest) :-
    ( '$is_of_kind'(Call, producer) -> Besides = consumer ; Besides = (-) ),
    findall(key(End, MinusStart, MinusChild), '$awaited'(Call, Besides, From, To, End, MinusStart, MinusChild), Keys),
    sort(0, @>=, Keys, Children),
    '$walk_back'(Children, Call, From, To, Sections, Rest).

% '$awaited'(+Call, +Besides, +From, +To, -End, -MinusStart, -MinusChild): a child with its times between From and To.
'$awaited'(Call, Besides, From, To, End, MinusStart, MinusChild) :-
    child(Call, Child),
    '$start'(Child, ChildStart),
    '$end'(Child, ChildEnd),
    End is min(ChildEnd, To),
    Start is max(ChildStart, From),
    Start < End,
    \+ '$is_of_kind'(Child, Besides),
    MinusStart is -Start,
    MinusChild is -Child.

'$is_of_kind'(Call, Kind) :-
    Kind \== (-),
    '$has_attribute'(kind),
    call_start(Call, Chrono),
    event([chrono=Chrono, kind=Kind]).

% '$walk_back'(+Children, +Call, +From, +To, -Sections, ?Rest): Children are sorted by their ends, the last one first.
'$walk_back'([], Call, From, To, Sections, Rest) :-
    ( From < To -> Sections = [section(Call, From, To)|Rest] ; Sections = Rest ).
'$walk_back'([key(End, MinusStart, MinusChild)|Children], Call, From, To, Sections, Rest) :-
    (   End > To
    ->  '$walk_back'(Children, Call, From, To, Sections, Rest)
    ;   Start is -MinusStart,
        Child is -MinusChild,
        ( End < To -> After = [section(Call, End, To)|Rest] ; After = Rest ),
        '$walk_back'(Children, Call, From, Start, Sections, Middle),
        '$sections'(Child, Start, End, Middle, After)
    ).

%! critical_path(-Calls, -Ns) is nondet.
%
%  Calls are those on the critical path of a call without a parent, in the order of time, each once, and Ns is its
%  length in nanoseconds. In a trace of and-parallel or or-parallel Prolog, Calls are the longest task of each fork,
%  and Ns is how long the run would take with an unlimited number of agents; work/1 divided by it is the greatest
%  speed-up.
%
%  On otlp/shop_small.jsonl:
%  ?- critical_path([1|Calls], Ns).
%  Calls = [3, 7], Ns = 19582512.
%  On visandor/ciao_fib_2agents.ev:
%  ?- critical_path(Tasks, Length).
%  Tasks = [4, 6, 8, 14], Length = 13939.
critical_path(Calls, Ns) :-
    must_be(list_or_partial_list, Calls),
    (   '$has_tasks'
    ->  '$task_path'(Calls, Ns)
    ;   critical_path(_, Sections, Ns),
        findall(Call, member(section(Call, _, _), Sections), All),
        list_to_set(All, Calls)
    ).

% Agents run tasks instead of calls.
'$has_tasks' :-
    '$has_attribute'(agent),
    \+ '$has_port'(call).

%! on_critical_path(?Call, ?Ns) is nondet.
%
%  Call is on the critical path of the call without a parent above it, for Ns nanoseconds of its length.
%
%  On otlp/shop_small.jsonl:
%  ?- on_critical_path(3, Ns).
%  Ns = 4089018.
%  ?- on_critical_path(2, _).
%  false.
on_critical_path(Call, Ns) :-
    ( nonvar(Call) -> '$top'(Call, Root) ; true ),
    critical_path(Root, Sections, _),
    findall(C-Time, ( member(section(C, From, To), Sections), Time is To - From ), Times),
    sum_by(C, Time, member(C-Time, Times), Sums),
    member(Call-Ns, Sums).

% '$top'(+Call, -Root): Root is the outermost call around Call, or Call itself.
'$top'(Call, Root) :-
    (   parent(Call, Parent)
    ->  '$top'(Parent, Root)
    ;   Root = Call
    ).
