% Where the time of a run went, for every trace whose events have times: how long calls took, what they waited for, and
% what the length of the whole depended on.
%
% A call starts at its first event and ends at the event that closes it. Calls that run side by side and children that
% outlive their parent are counted as they are.

% '$start'(?Call, ?Time): Call began at Time.
'$start'(Call, Time) :-
    call_start(Call, Chrono),
    event([chrono=Chrono, time=Time]).

% '$end'(?Call, ?Time): Call was closed at Time.
'$end'(Call, Time) :-
    '$ask_duration'(Call),
    \+ open_call(Call),
    call_end(Call, Chrono),
    event([chrono=Chrono, time=Time]),
    \+ '$unmeasured'(Chrono).

% The call that ends at Chrono took a time that the trace does not tell: the time of its end is that of its start.
'$unmeasured'(Chrono) :-
    '$has_attribute'(duration_known),
    attribute(Chrono, duration_known, false).

%! duration(?Call, ?Ns) is nondet.
%
%  Call took Ns: what its first event says in the attribute `duration`, else the time from its start to its end; of a
%  message the time from its send to its receive, as latency/2. Nanoseconds, unless the trace counts in another unit; in a
%  trace without times, the attribute `duration`, which counts events. That attribute leaves out the time between an exit
%  and a redo. It fails for a call whose end has no time of its own, as on a line of strace without -T.
%
%  On otlp/shop_small.jsonl:
%  ?- duration(1, Ns).
%  Ns = 19582512.
%  ?- duration(Call, Ns), Ns > 25_000_000.
%  Call = 15, Ns = 27814120
%  ; Call = 29, Ns = 26968711.
%  On visandor/ciao_fib_2agents.ev:
%  ?- duration(4, Time).
%  Time = 37449.
duration(Call, Ns) :-
    '$ask_duration'(Call),
    (   '$states_durations'
    ->  event([port=call, call=Call, duration=Ns])
    ;   '$has_attribute'(match)
    ->  latency(Call, Ns)
    ;   '$has_attribute'(time)
    ->  '$start'(Call, Start),
        '$end'(Call, End),
        Ns is End - Start
    ;   call_start(Call, Chrono),
        event([chrono=Chrono, duration=Ns])
    ).

'$states_durations' :-
    '$has_attribute'(duration),
    '$has_port'(call),
    event([port=call, duration=_]),
    !.

%! slowest(+K, -L) is det.
%
%  L are the K calls that took longest, as Ns-Call, the slowest first; in logs of seq_trace the messages. In a trace without
%  times they are those with most events.
%
%  ?- slowest(2, L).
%  L = [697-1, 669-3].
%  On otlp/shop_small.jsonl:
%  ?- slowest(2, L).
%  L = [27814120-15, 26968711-29].
%  On seq_trace/relay.raw:
%  ?- slowest(2, L).
%  L = [34861-2, 21082-3].
slowest(K, L) :-
    must_be(nonneg, K),
    findall(Ns-Call, duration(Call, Ns), Pairs),
    sort(1, @>=, Pairs, Sorted),
    length(Sorted, N),
    Length is min(K, N),
    length(L, Length),
    append(L, _, Sorted),
    !.

%! self_time(?Call, ?Ns) is nondet.
%
%  Ns is the time of Call, in nanoseconds, in which none of its children ran. Children that ran side by side count
%  once, each only as far as it lies inside Call; a child without an end lasts to the end of Call.
%
%  On otlp/shop_small.jsonl:
%  ?- self_time(1, Ns).
%  Ns = 3477199.
%  ?- aggregate_all(max(Ns, Call), self_time(Call, Ns), Max).
%  Max = max(26968711, 29).
self_time(Call, Ns) :-
    '$lifetime'(Call, Start, End),
    '$uncovered'(Call, Start, End, Gaps),
    '$total'(Gaps, 0, Ns).

'$total'([], Ns, Ns).
'$total'([From-To|Gaps], Ns0, Ns) :-
    Ns1 is Ns0 + To - From,
    '$total'(Gaps, Ns1, Ns).

%! gap(?Call, ?From, ?To) is nondet.
%
%  From From to To, a stretch as long as possible, no child of Call ran, though it has some. The lengths of all gaps of a
%  call sum up to its self_time/2.
%
%  On otlp/shop_small.jsonl:
%  ?- findall(Ns, (gap(1, From, To), Ns is To - From), L).
%  L = [1229371, 2247828].
gap(Call, From, To) :-
    '$lifetime'(Call, Start, End),
    once(child(Call, _)),
    '$uncovered'(Call, Start, End, Gaps),
    member(From-To, Gaps).

% '$lifetime'(?Call, -Start, -End): Call ran from Start to End.
'$lifetime'(Call, Start, End) :-
    '$start'(Call, Start),
    '$end'(Call, End),
    Start =< End.

% '$uncovered'(+Call, +Start, +End, -Gaps): the stretches of Call in which no child ran.
'$uncovered'(Call, Start, End, Gaps) :-
    findall(Part, '$part'(Call, Start, End, Part), Parts),
    keysort(Parts, Sorted),
    '$between_parts'(Sorted, Start, End, Gaps).

% '$part'(+Call, +Start, +End, -Part): a child runs in Part of Call, as From-To.
'$part'(Call, Start, End, From-To) :-
    child(Call, Child),
    '$start'(Child, ChildStart),
    From is max(Start, ChildStart),
    (   '$end'(Child, ChildEnd)
    ->  To is min(End, ChildEnd)
    ;   To = End
    ),
    From < To.

'$between_parts'([], From, To, Gaps) :-
    ( From < To -> Gaps = [From-To] ; Gaps = [] ).
'$between_parts'([Start-End|Parts], From, To, Gaps) :-
    ( Start > From -> Gaps = [From-Start|More] ; Gaps = More ),
    Next is max(From, End),
    '$between_parts'(Parts, Next, To, More).

%! concurrency(?Call, ?N) is nondet.
%
%  At most N children of Call ran at the same time. A child that starts when another one ends does not run with it.
%
%  On otlp/shop_small.jsonl:
%  ?- concurrency(1, N).
%  N = 3.
concurrency(Call, N) :-
    call_start(Call, _),
    findall(Time-Step, '$child_step'(Call, Time, Step), Steps),
    Steps \== [],
    msort(Steps, Sorted),
    '$most_at_once'(Sorted, 0, 0, N).

'$child_step'(Call, Time, Step) :-
    child(Call, Child),
    '$start'(Child, Start),
    '$end'(Child, End),
    Start < End,
    member(Time-Step, [Start-1, End-(-1)]).

'$most_at_once'([], _, N, N).
'$most_at_once'([_-Step|Steps], Now0, Most0, N) :-
    Now is Now0 + Step,
    Most is max(Most0, Now),
    '$most_at_once'(Steps, Now, Most, N).

%! outlives(?Call, ?Ns) is nondet.
%
%  Call ended Ns nanoseconds after its parent, Ns > 0: nobody waited for it.
%
%  On otlp/shop_small.jsonl:
%  ?- outlives(Call, Ns).
%  Call = 29, Ns = 24648105.
outlives(Call, Ns) :-
    parent(Call, Parent),
    '$end'(Call, End),
    '$end'(Parent, ParentEnd),
    End > ParentEnd,
    Ns is End - ParentEnd.

%! skew(?Call, ?Ns) is nondet.
%
%  Call started Ns before its parent, Ns > 0: their clocks differ.
%
%  On otlp/shop_small.jsonl:
%  ?- skew(Call, Ns).
%  Call = 8, Ns = 27566406
%  ; Call = 17, Ns = 29323823.
skew(Call, Ns) :-
    parent(Call, Parent),
    '$start'(Call, Start),
    '$start'(Parent, ParentStart),
    Start < ParentStart,
    Ns is ParentStart - Start.
