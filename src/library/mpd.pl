% What is asked of traces of MPD and SR programs: processes, semaphores, invocations, deadlocks.
%
% A process is `p(Pid, Inc)`, a semaphore is `s(Id, Inc)`: ids are used again, and Inc numbers their incarnations.
% Invocations go by their numbers (attribute `inv`), services and co statements by the numbers of their calls.

%! invoked_by(?Svc, ?Inv) is nondet.
%
%  Svc is the call of a service (a proc, or an input statement that chose an arm) of the invocation Inv.
%  An invocation that was forwarded has several.
%
%  On mpd/buffer.trc:
%  ?- invoked_by(70, Inv).
%  Inv = 25.
%  ?- invoked_by(Svc, 25).
%  Svc = 69
%  ; Svc = 70.
invoked_by(Svc, Inv) :-
    event([port=[proc, arm], call=Svc, serves=Inv]).

%! call_chain(+P, -List) is semidet.
%
%  List has the process P, the process that invoked it, and so on up to one that nobody invoked.
%
%  On mpd/CS_3_4.trc:
%  ?- call_chain(p('9DBB478', 1), L).
%  L = [p('9DBB478', 1), p('9DBB318', 1)].
call_chain(p(Pid, Inc), [p(Pid, Inc)|List]) :-
    once(event([pid=Pid, inc=Inc, last_in_process=_, chrono=C])),
    (   event([chrono=C, invoker=P])
    ->  call_chain(P, List)
    ;   List = []
    ).

%! sem_kind(?S, ?Kind) is nondet.
%
%  Kind is `mutex` for a semaphore that each process passes first and then lets pass, in turn, and `signal` for
%  one that a process waits for and another one lets pass.
%
%  On mpd/dvm.trc:
%  ?- sem_kind(S, K).
%  S = s('82E48C0', 1), K = mutex
%  ; S = s('90698C0', 1), K = mutex.
%  On mpd/buffer.trc:
%  ?- sem_kind(S, K).
%  S = s('8EF78A4', 1), K = signal.
sem_kind(S, Kind) :-
    '$semaphore'(S, Initial, Uses),
    '$sem_kind'(Initial, Uses, Kind).

'$sem_kind'(Initial, Uses, Kind) :-
    (   Initial == 0
    ->  Kind = signal
    ;   '$by_process'(Uses, Processes),
        forall(member(_-Ports, Processes), '$in_turn'(Ports))
    ->  Kind = mutex
    ;   Kind = signal
    ).

% A semaphore with its initial value, `-` if it is not known, and its events, as use(Chrono, Port, P) in order.
'$semaphore'(s(Id, Inc), Initial, Uses) :-
    findall(s(Id, Inc)-Initial0, '$initial'(Id, Inc, Initial0), Initials),
    findall(s(Id, Inc)-use(C, Port, p(Pid, PInc)),
            event([port=[creates, contp, v], port=Port, sem=Id, sem_inc=Inc, chrono=C, pid=Pid, inc=PInc]), Pairs),
    list_to_assoc(Initials, Known),
    '$grouped'(Pairs, Groups),
    member(s(Id, Inc)-Found, Groups),
    (   get_assoc(s(Id, Inc), Known, Initial0)
    ->  Initial = Initial0
    ;   Initial = (-)
    ),
    exclude('$is_creation', Found, Uses).

'$is_creation'(use(_, creates, _)).

'$initial'(Id, Inc, Initial) :-
    event([port=creates, sem=Id, sem_inc=Inc, initial=Initial]).

% Pairs put together by their keys, in standard order of these.
'$grouped'(Pairs, Groups) :-
    keysort(Pairs, Sorted),
    group_pairs_by_key(Sorted, Groups).

'$by_process'(Uses, Groups) :-
    findall(P-(C-Port), member(use(C, Port, P), Uses), Pairs),
    '$grouped'(Pairs, Groups).

'$in_turn'([]).
'$in_turn'([_-contp|Uses]) :-
    (   Uses = []
    ->  true
    ;   Uses = [_-v|Rest],
        '$in_turn'(Rest)
    ).

%! holds(?P, ?S, ?From, ?To) is nondet.
%
%  The process P holds the mutex semaphore S from the event From, which passes it, to the event To, which lets it
%  pass again; To is `inf` if the trace ends before.
%
%  On mpd/dvm.trc:
%  ?- once(holds(P, S, From, To)).
%  P = p('82E32C0', 2), S = s('82E48C0', 1), From = 39, To = 40.
%  On mpd/philos_deadlock.trc:
%  ?- holds(p('94623C8', 1), S, From, To).
%  S = s('9463888', 1), From = 19, To = inf.
%  ?- aggregate_all(count, ( holds(_, _, From, To), From =< 30, 30 < To ), Held).
%  Held = 4.
holds(P, S, From, To) :-
    '$semaphore'(S, Initial, Uses),
    '$sem_kind'(Initial, Uses, mutex),
    '$by_process'(Uses, Processes),
    member(P-Ports, Processes),
    '$held'(Ports, From, To).

'$held'([From0-contp|Rest], From, To) :-
    (   Rest = [To0-v|More]
    ->  (   From = From0, To = To0
        ;   '$held'(More, From, To)
        )
    ;   From = From0, To = inf
    ).

%! overlap(?S, ?P1, ?P2) is nondet.
%
%  The processes P1 and P2 hold the mutex semaphore S at the same time: mutual exclusion was not kept, or S may be
%  passed more than once. P1 had it first.
%
%  On mpd/dvm.trc:
%  ?- overlap(S, P1, P2).
%  false.
overlap(S, P1, P2) :-
    '$semaphore'(S, Initial, Uses),
    '$sem_kind'(Initial, Uses, mutex),
    '$by_process'(Uses, Processes),
    findall(From-held(To, P), (member(P-Ports, Processes), '$held'(Ports, From, To)), Held0),
    keysort(Held0, Held),
    '$overlapping'(Held, P1, P2).

'$overlapping'([_-held(To, P)|Held], P1, P2) :-
    (   P1 = P,
        '$starts_before'(Held, To, P2)
    ;   '$overlapping'(Held, P1, P2)
    ).

'$starts_before'([From-held(_, P)|Held], To, Q) :-
    From < To,
    (   Q = P
    ;   '$starts_before'(Held, To, Q)
    ).

%! p_wait(?P, ?S, ?Len) is nondet.
%
%  The process P passed the semaphore S after a P operation that took Len events of the trace.
%
%  On mpd/buffer.trc:
%  ?- p_wait(P, S, Len), Len > 1.
%  P = p('8EF6318', 1), S = s('8EF78A4', 1), Len = 126.
p_wait(p(Pid, Inc), s(Id, SInc), Len) :-
    event([port=contp, sem=Id, sem_inc=SInc, pid=Pid, inc=Inc, call=K, chrono=To]),
    call_start(K, From),
    Len is To - From.

%! woken_by(?ContP, ?V) is nondet.
%
%  The event ContP ends a P operation that had to wait, and the event V let it go on: semaphores are passed in the
%  order in which they are let be.
%
%  On mpd/buffer.trc:
%  ?- woken_by(ContP, V).
%  ContP = 138, V = 130.
woken_by(ContP, V) :-
    '$semaphore'(_, Initial, Uses),
    findall(C, member(use(C, v, _), Uses), Vs),
    findall(C, member(use(C, contp, _), Uses), ContPs),
    (   integer(Initial)
    ->  N = Initial
    ;   '$least_initial'(Uses, N)
    ),
    '$without_first'(N, ContPs, Later),
    '$paired'(Later, Vs, ContP, V),
    event([chrono=ContP, call=K]),
    call_start(K, P),
    P < V.

% The least initial value with which a semaphore could be passed as it was.
'$least_initial'(Uses, N) :-
    foldl('$use', Uses, 0-0, _-N).

'$use'(use(_, Port, _), Left0-N0, Left-N) :-
    (   Port == v
    ->  Left is Left0 + 1, N = N0
    ;   Left0 =:= 0
    ->  Left = 0, N is N0 + 1
    ;   Left is Left0 - 1, N = N0
    ).

'$without_first'(N, List, Rest) :-
    (   N > 0, List = [_|Tail]
    ->  M is N - 1,
        '$without_first'(M, Tail, Rest)
    ;   Rest = List
    ).

'$paired'([X|Xs], [Y|Ys], A, B) :-
    (   A = X, B = Y
    ;   '$paired'(Xs, Ys, A, B)
    ).

%! balance(?S, ?N) is nondet.
%
%  N is the number of V operations on the semaphore S, less the number of completed P operations.
%
%  On mpd/buffer.trc:
%  ?- balance(S, N).
%  S = s('8EF78A4', 1), N = 0.
%  On mpd/philos_deadlock.trc:
%  ?- balance(s('9463888', 1), N).
%  N = -1.
balance(S, N) :-
    '$semaphore'(S, _, Uses),
    aggregate_all(count, member(use(_, v, _), Uses), Vs),
    aggregate_all(count, member(use(_, contp, _), Uses), ContPs),
    N is Vs - ContPs.

%! unreleased(?P, ?S) is nondet.
%
%  The process P holds the mutex semaphore S when the trace ends.
%
%  On mpd/philos_deadlock.trc:
%  ?- unreleased(P, s('94638A4', 1)).
%  P = p('9462420', 1).
unreleased(P, S) :-
    holds(P, S, _, inf).

%! arm_count(?File, ?Line, ?N) is nondet.
%
%  The arm of an input statement at Line of File was chosen N times.
%
%  On mpd/CS_3_4.trc:
%  ?- arm_count(F, L, N).
%  F = 'CS.mpd', L = 8, N = 12
%  ; F = 'CS.mpd', L = 10, N = 12.
arm_count(File, Line, N) :-
    tally(F-L, event([port=arm, file=F, line=L]), Pairs),
    member((File-Line)-N, Pairs).

%! served(?Client, ?N) is nondet.
%
%  N invocations of the process Client were served.
%
%  On mpd/CS_3_4.trc:
%  ?- served(Client, N).
%  Client = p('9DBB318', 1), N = 3
%  ; Client = p('9DBB3C8', 1), N = 1
%  ; Client = p('9DBB3C8', 2), N = 8
%  ; Client = p('9DBB478', 1), N = 8
%  ; Client = p('9DBB4D0', 1), N = 8.
served(Client, N) :-
    tally(p(Pid, Inc), event([port=[call, send], served_at=_, pid=Pid, inc=Inc]), Pairs),
    member(Client-N, Pairs).

%! overtaken(?Inv1, ?Inv2) is nondet.
%
%  The invocation Inv1 was made before Inv2, and the same proc or arm served Inv2 first.
%
%  On mpd/cosum.trc:
%  ?- overtaken(Inv1, Inv2).
%  false.
overtaken(Inv1, Inv2) :-
    findall(f(V, F, L, Name)-Inv,
            event([port=[proc, arm], serves=Inv, vm=V, file=F, line=L, name=Name]), Pairs),
    '$grouped'(Pairs, Groups),
    member(_-Served, Groups),
    sort(Served, Waiting),
    '$overtaken'(Served, Waiting, Inv1, Inv2).

'$overtaken'([Inv|Served], Waiting, Inv1, Inv2) :-
    '$passed'(Waiting, Inv, Passed, Left),
    (   Inv2 = Inv,
        member(Inv1, Passed)
    ;   append(Passed, Left, Rest),
        '$overtaken'(Served, Rest, Inv1, Inv2)
    ).

% The invocations that waited longer than Inv, and those after it.
'$passed'([], _, [], []).
'$passed'([W|Ws], Inv, Passed, Left) :-
    (   W >= Inv
    ->  Passed = [],
        (   W =:= Inv
        ->  Left = Ws
        ;   Left = [W|Ws]
        )
    ;   Passed = [W|More],
        '$passed'(Ws, Inv, More, Left)
    ).

%! polls(?In, ?N) is nondet.
%
%  The input statement with the call number In looked N times in vain: for another invocation when it refused one, or
%  once for none, before it chose its else arm.
%
%  On mpd/rwbig_small.trc:
%  ?- aggregate_all(max(N), polls(_, N), Max).
%  Max = 4.
%  On mpd/trc_vsuite.trc:
%  ?- polls(In, N).
%  In = 7, N = 1.
polls(In, N) :-
    tally(K, event([port=in, call=K]), Ins),
    tally(K, event([port=arm, matched=else, call=K]), Elses),
    list_to_assoc(Elses, Else),
    member(In-N0, Ins),
    (   get_assoc(In, Else, More)
    ->  N is N0 - 1 + More
    ;   N is N0 - 1
    ),
    N > 0.

%! unserved(?Inv) is nondet.
%
%  Inv is an invocation for which the trace shows no service.
%
%  On mpd/CS_3_4.trc:
%  ?- unserved(Inv).
%  false.
unserved(Inv) :-
    event([port=[call, send], inv=Inv, chrono=C]),
    \+ event([chrono=C, served_at=_]).

%! unanswered(?Call) is nondet.
%
%  Call is the number of a call for which the trace shows neither a reply nor the end of its service, or whose caller
%  has not come back from it when the trace ends.
%
%  On mpd/dvm.trc:
%  ?- unanswered(Call).
%  false.
unanswered(Call) :-
    event([port=call, call=Call, chrono=C]),
    (   event([chrono=C, answered_at=_])
    ->  event([chrono=C, blocked=true]),
        \+ '$in_co'(C)
    ;   true
    ).

%! co_branch(?Co, ?Svc) is nondet.
%
%  The co statement with the call number Co started the service with the call number Svc.
%
%  On mpd/cosum.trc:
%  ?- co_branch(4, Svc).
%  Svc = 7
%  ; Svc = 11.
co_branch(Co, Svc) :-
    '$co_branch'(Co, Svc, _).

'$co_branch'(Co, Svc, Start) :-
    event([port=co, call=Co]),
    child(Co, Branch),
    call_start(Branch, Start),
    event([chrono=Start, port=call, served_at=C]),
    event([chrono=C, call=Svc]).

%! co_last(?Co, ?Svc) is nondet.
%
%  Of the services that the co statement Co started, Svc was the last to be answered: the critical branch.
%
%  On mpd/cosum.trc:
%  ?- co_last(4, Svc).
%  Svc = 11.
co_last(Co, Svc) :-
    event([port=co, call=Co]),
    aggregate_all(max(C, S), ('$co_branch'(Co, S, Start), event([chrono=Start, answered_at=C])), max(_, Svc)).

%! incarnation(?P, ?From, ?To, ?How) is nondet.
%
%  The process P lives from the event From to the event To: How is `ended`, `killed` if its id was used again before, or `open`
%  if the trace ends first.
%
%  On mpd/CS_3_4.trc:
%  ?- incarnation(p('9DBB3C8', N), From, To, How).
%  N = 1, From = 3, To = 5, How = ended
%  ; N = 2, From = 12, To = 104, How = ended.
incarnation(p(Pid, Inc), From, To, How) :-
    event([last_in_process=To, fate=How, pid=Pid, inc=Inc, chrono=From]).

%! live(?Chrono, ?N) is nondet.
%
%  N processes are alive at the event Chrono; if Chrono is unbound, at every event after which their number changes.
%
%  On mpd/CS_3_4.trc:
%  ?- live(20, N).
%  N = 4.
%  ?- aggregate_all(max(N), live(_, N), Peak).
%  Peak = 4.
live(Chrono, N) :-
    (   integer(Chrono)
    ->  aggregate_all(count, event([chrono=<Chrono, last_in_process>=Chrono]), N)
    ;   findall(C-D, '$change'(C, D), Changes),
        sum_by(C, D, member(C-D, Changes), Sums),
        '$running'(Sums, 0, Chrono, N)
    ).

'$change'(From, 1) :-
    event([last_in_process=_, chrono=From]).
'$change'(Behind, -1) :-
    trace_info(last_chrono, Last),
    event([last_in_process=To]),
    To < Last,
    Behind is To + 1.

'$running'([C-D|Sums], N0, Chrono, N) :-
    N1 is N0 + D,
    (   D =\= 0,
        Chrono = C,
        N = N1
    ;   '$running'(Sums, N1, Chrono, N)
    ).

%! count(?File, ?Line, ?Event, ?N) is nondet.
%
%  N events of the port Event come from Line of File: a profile of the program. File is `-` in a trace that names no files.
%
%  On queens.jsonl:
%  ?- count(File, 48, call, N).
%  File = (-), N = 21.
%  On mpd/CS_3_4.trc:
%  ?- count('CS.mpd', 21, Event, N).
%  Event = call, N = 12.
count(File, Line, Event, N) :-
    (   '$has_attribute'(file)
    ->  tally(f(F, L, P), event([file=F, line=L, port=P]), Pairs)
    ;   tally(f(-, L, P), event([line=L, port=P]), Pairs)
    ),
    member(f(File, Line, Event)-N, Pairs).

%! vm_edge(?V1, ?V2, ?N) is nondet.
%
%  N invocations of the virtual machine V1 were served on another one, V2.
%
%  On mpd/dvm.trc:
%  ?- vm_edge(2, V2, N).
%  V2 = 1, N = 3.
vm_edge(V1, V2, N) :-
    tally(A-B, '$message'(A, B), Pairs),
    member((V1-V2)-N, Pairs).

'$message'(A, B) :-
    event([port=[call, send], vm=A, served_at=C]),
    event([chrono=C, vm=B]),
    A =\= B.
