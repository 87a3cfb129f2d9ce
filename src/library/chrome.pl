% Questions to Chrome traces: times by name, asynchronous operations, arrows, counters, objects, threads.

%! total(?Name, ?N, ?Ns) is nondet.
%
%  N calls of Name have ended, and took Ns nanoseconds together; a call inside of a call of the same name counts twice.
%
%  On chrome/phases.json:
%  ?- total(request, N, Ns).
%  N = 2, Ns = 10000.
total(Name, N, Ns) :-
    findall(Of-D, event([port=call, name=Of, duration=D]), Pairs),
    keysort(Pairs, Sorted),
    group_pairs_by_key(Sorted, Groups),
    member(Name-Ds, Groups),
    length(Ds, N),
    sum_list(Ds, Ns).

%! self(?Name, ?Ns) is nondet.
%
%  The calls of Name took Ns nanoseconds without the calls in them.
%
%  On chrome/phases.json:
%  ?- self(outer, Ns).
%  Ns = 5250.
self(Name, Ns) :-
    findall(Of-D, (event([port=call, call=Call, name=Of, duration=_]), self_time(Call, D)), Pairs),
    keysort(Pairs, Sorted),
    group_pairs_by_key(Sorted, Groups),
    member(Name-Ds, Groups),
    sum_list(Ds, Ns).

%! async(?Id, ?Call) is nondet.
%
%  Call belongs to the asynchronous operation Id.
%
%  On chrome/phases.json:
%  ?- async('0x2', Call).
%  Call = 7.
async(Id, Call) :-
    event([port=call, call=Call, id=Id]).

% '$overlapping'(?Call1, ?Call2): two calls of asynchronous operations, at the same time.
'$overlapping'(Call1, Call2) :-
    '$operation'(Call1, From1, To1),
    '$operation'(Call2, From2, To2),
    Call1 =\= Call2,
    From1 < To2,
    From2 < To1,
    \+ ancestor(Call1, Call2),
    \+ ancestor(Call2, Call1).

% '$operation'(?Call, -From, -To): what did not end goes on to the last event.
'$operation'(Call, From, To) :-
    event([port=call, call=Call, id=_, time=From]),
    (   event([port=[exit, exception], call=Call, time=End])
    ->  To = End
    ;   aggregate_all(max(Time), event([time=Time]), To)
    ).

%! in_flight(?Time, ?N) is nondet.
%
%  From Time on (in nanoseconds), until the next answer, N asynchronous operations were open: as many as have an open call.
%
%  On chrome/phases.json:
%  ?- aggregate_all(max(N, Time), in_flight(Time, N), Max).
%  Max = max(2, 33000).
in_flight(Time, N) :-
    findall(T-Step, '$operation_step'(T, Step), Steps),
    '$running_sums'(Steps, Sums),
    member(Time-N, Sums).

% '$operation_step'(-Time, -Step): an operation begins (1) or ends (-1).
'$operation_step'(Time, Step) :-
    event([port=call, call=Call, depth=1, id=_, time=Start]),
    (   Time = Start, Step = 1
    ;   event([port=[exit, exception], call=Call, time=Time]), Step = -1
    ).

% '$running_sums'(+Steps, -Sums): the sums of Time-Step up to each time, as Time-Sum.
'$running_sums'(Steps, Sums) :-
    keysort(Steps, Sorted),
    group_pairs_by_key(Sorted, Groups),
    '$running_sums'(Groups, 0, Sums).

'$running_sums'([], _, []).
'$running_sums'([Time-Steps|Groups], Sum0, [Time-Sum|Sums]) :-
    sum_list(Steps, Step),
    Sum is Sum0 + Step,
    '$running_sums'(Groups, Sum, Sums).

%! flow(?Id, ?From, ?To) is nondet.
%
%  An arrow leads from the call From to the call To. Id is what the records of the arrow have in common.
%
%  On chrome/phases.json:
%  ?- flow('0xff', From, To).
%  From = 12, To = 13
%  ; From = 13, To = 14.
%  ?- flow('3', From, To).
%  From = 15, To = 16.
flow(Id, From, To) :-
    '$arrow'(Id, Start, End),
    '$end_of_arrow'(Start, From),
    '$end_of_arrow'(End, To).

% '$arrow'(?Id, -Start, -End): an arrow leads from the event Start to the event End.
'$arrow'(Id, Start, End) :-
    event([chrono=End, flow_from=Start]),
    (   event([chrono=End, port=call]) -> event([chrono=End, bind_id=Id])
    ;   event([chrono=End, id=Id])
    ).

% '$end_of_arrow'(+Chrono, -Call): the end of an arrow at an event belongs to Call.
'$end_of_arrow'(Chrono, Call) :-
    (   event([chrono=Chrono, port=call]) -> event([chrono=Chrono, call=Call])
    ;   event([chrono=Chrono, flow_call=Call])
    ).

%! flow_delay(?Id, ?Ns) is nondet.
%
%  An arrow Id takes Ns nanoseconds from the record at which it begins to the one at which it ends.
%
%  On chrome/phases.json:
%  ?- findall(Ns, flow_delay('3', Ns), L).
%  L = [4000, 1000].
flow_delay(Id, Ns) :-
    '$arrow'(Id, Start, End),
    event([chrono=Start, time=From]),
    event([chrono=End, time=To]),
    Ns is To - From.

%! caused(+Call, -L) is det.
%
%  L are the calls to which arrows lead from Call, or from a call to which they lead, in the order in which they began.
%
%  On chrome/phases.json:
%  ?- caused(12, L).
%  L = [13, 14].
caused(Call, L) :-
    must_be(integer, Call),
    findall(From-To, flow(_, From, To), Arrows),
    '$caused'([Call], Arrows, [], All),
    sort(All, L).

'$caused'([], _, All, All).
'$caused'([Call|Calls], Arrows, All0, All) :-
    findall(To, (member(Call-To, Arrows), \+ memberchk(To, All0)), New0),
    sort(New0, New),
    append(New, All0, All1),
    append(Calls, New, Rest),
    '$caused'(Rest, Arrows, All1, All).

%! counter(?Series, ?Time, ?Value) is nondet.
%
%  A counter has Value at Time, in nanoseconds. Series is its name, with its id if it has one, and with the name of
%  the value if it has several: `Series-Key`.
%
%  On chrome/phases.json:
%  ?- counter(S, T, V).
%  S = memory-used, T = 90000, V = 10
%  ; S = memory-free, T = 90000, V = 5.5
%  ; S = 'memory 0x2', T = 91000, V = 12.
counter(Series, Time, Value) :-
    event([chrono=Chrono, port=counter, series=Name, time=Time]),
    event([chrono=Chrono, args=Values, arg_names=Keys]),
    (   Values = [Value]
    ->  Series = Name
    ;   nth0(I, Keys, Text),
        nth0(I, Values, Value),
        atom_string(Key, Text),
        Series = Name-Key
    ).

%! peak(?Series, ?Time, ?Value) is nondet.
%
%  Value is the greatest one of a counter, which it had first at Time, in nanoseconds.
%
%  On chrome/pool.json.gz:
%  ?- peak('queue length', Time, Value).
%  Time = 6001808509122, Value = 3.
peak(Series, Time, Value) :-
    findall(S-(V-T), counter(S, T, V), Pairs),
    keysort(Pairs, Sorted),
    group_pairs_by_key(Sorted, Groups),
    member(Series-All, Groups),
    findall(V, member(V-_, All), Values),
    max_list(Values, Value),
    once((member(V-Time, All), V =:= Value)).

%! object(?Id, ?Name, ?From, ?To) is nondet.
%
%  The object Id of the type Name was created at From and deleted at To, the times of these records; From is `-`
%  and To is `inf` if there is none.
%
%  On chrome/phases.json:
%  ?- object(Id, Name, From, To).
%  Id = '0x1000', Name = 'Tree', From = 93000, To = 95000.
object(Id, Name, From, To) :-
    setof(I-N, C^P^(event([chrono=C, port=P, id=I, name=N]), memberchk(P, [new, snapshot, delete])), Objects),
    member(Id-Name, Objects),
    '$time_or_none'(new, Id, Name, -, From),
    '$time_or_none'(delete, Id, Name, inf, To).

'$time_or_none'(Port, Id, Name, None, Time) :-
    (   event([port=Port, id=Id, name=Name, time=Found]) -> Time = Found ; Time = None ).

%! track(?Pid, ?Tid, ?Process, ?Thread) is nondet.
%
%  A thread has events. Process and Thread are the names of the process and of the thread, `-` if they have none.
%
%  On chrome/phases.json:
%  ?- track(server, Tid, Process, Thread).
%  Tid = 'io-1', Process = 'the server', Thread = reader.
track(Pid, Tid, Process, Thread) :-
    tally(P-T, event([pid=P, tid=T]), Pairs),
    member(Pid-Tid-_, Pairs),
    (   event([pid=Pid, tid=Tid, process=Name]) -> Process = Name ; Process = (-) ),
    (   event([pid=Pid, tid=Tid, thread=Other]) -> Thread = Other ; Thread = (-) ).

%! idle(?Track, ?From, ?To) is nondet.
%
%  From From to To, a stretch as long as possible between two of its calls, the thread Track = Pid-Tid was in none.
%
%  On chrome/phases.json:
%  ?- idle(server-'io-1', From, To).
%  false.
%  ?- idle(8-1, From, To).
%  From = 66000, To = 81000.
idle(Pid-Tid, From, To) :-
    track(Pid, Tid, _, _),
    findall(Start-End, '$outermost'(Pid, Tid, Start, End), Parts),
    keysort(Parts, [_-First|Others]),
    '$between_calls'(Others, First, Gaps),
    member(From-To, Gaps).

% '$outermost'(?Pid, ?Tid, -Start, -End): a call of a thread that is in no other one.
'$outermost'(Pid, Tid, Start, End) :-
    event([chrono=Chrono, port=call, depth=1, pid=Pid, tid=Tid, time=Start, duration=Ns]),
    \+ event([chrono=Chrono, id=_]),
    End is Start + Ns.

'$between_calls'([], _, []).
'$between_calls'([Start-End|Parts], Last, Gaps) :-
    ( Start > Last -> Gaps = [Last-Start|More] ; Gaps = More ),
    Next is max(Last, End),
    '$between_calls'(Parts, Next, More).

%! parallel(?Time, ?N) is nondet.
%
%  From Time on (in nanoseconds), until the next answer, N threads were in a call.
%
%  On chrome/phases.json:
%  ?- aggregate_all(max(N, Time), parallel(Time, N), Max).
%  Max = max(2, 75000).
parallel(Time, N) :-
    findall(T-Step, ('$outermost'(_, _, Start, End), member(T-Step, [Start-1, End-(-1)])), Steps),
    '$running_sums'(Steps, Sums),
    member(Time-N, Sums).

%! gc(?From, ?To) is nondet.
%
%  Memory was collected from From to To: by Python's collector (`viztracer --log_gc`) or by V8. The steps of a collection,
%  which V8 records inside of it, are no answers.
%
%  On chrome/phases.json:
%  ?- gc(From, To).
%  false.
%  On chrome/collections.json:
%  ?- gc(From, To).
%  From = 1000, To = 5000
%  ; From = 4000, To = 6000
%  ; From = 8000, To = 9000.
gc(From, To) :-
    event([port=call, call=Call, name=Name, time=From, duration=Ns]),
    '$collects'(Name),
    \+ '$in_collection'(Call),
    To is From + Ns.

'$collects'(Name) :-
    atom(Name),
    (   memberchk(Name, ['Garbage Collection', 'MajorGC', 'MinorGC']) -> true
    ;   sub_atom(Name, 0, _, _, 'V8.GC')
    ).

% '$in_collection'(+Call): a call around Call collects memory.
'$in_collection'(Call) :-
    parent(Call, Parent),
    event([port=call, call=Parent, name=Name]),
    (   '$collects'(Name) -> true ; '$in_collection'(Parent) ).

%! gc_share(-Percent) is det.
%
%  Collecting memory took Percent of the time from the first event to the last one; what several threads collect at the
%  same time counts once.
%
%  On chrome/phases.json:
%  ?- gc_share(Percent).
%  Percent = 0.
%  On chrome/collections.json:
%  ?- gc_share(Percent).
%  Percent = 60.
gc_share(Percent) :-
    findall(From-To, gc(From, To), Parts),
    keysort(Parts, Sorted),
    aggregate_all(min(Time), event([time=Time]), First),
    aggregate_all(max(Time), event([time=Time]), Last),
    '$covered'(Sorted, First, 0, Sum),
    ( Last > First -> Percent is 100 * Sum / (Last - First) ; Percent = 0 ).

% '$covered'(+Parts, +End, +Sum0, -Sum): the sorted Parts cover Sum - Sum0 after End.
'$covered'([], _, Sum, Sum).
'$covered'([From-To|Parts], End0, Sum0, Sum) :-
    Sum1 is Sum0 + max(0, To - max(End0, From)),
    End is max(End0, To),
    '$covered'(Parts, End, Sum1, Sum).

% '$lost_arrow'(-Chrono): an arrow begins at the event Chrono, and none arrives from there.
'$lost_arrow'(Chrono) :-
    (   event([chrono=Chrono, port=flow_start])
    ;   event([chrono=Chrono, port=call, flow_out=true])
    ),
    \+ event([flow_from=Chrono]).
