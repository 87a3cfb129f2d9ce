% When processes of MPD and SR programs are blocked, and who could let them go on.

%! blocked(?P, ?On) is nondet.
%
%  The process P cannot go on by itself when the trace ends: On is `on(S)` in a P operation, `input(Line)` at an input
%  statement, and `call(Inv)` for each call that it waits for, even if the service has ended and P has not come back.
%
%  On mpd/philos_deadlock.trc:
%  ?- blocked(p('9462580', 1), On).
%  On = on(s('9463914', 1)).
%  On mpd/CS_3_4.trc:
%  ?- blocked(P, On).
%  P = p('9DBB420', 1), On = input(7).
blocked(p(Pid, Inc), On) :-
    event([blocked=true, pid=Pid, inc=Inc, port=Port, chrono=C, call=K]),
    '$blocked'(Port, C, K, On).

'$blocked'(p, C, _, on(s(Id, Inc))) :-
    !,
    event([chrono=C, sem=Id, sem_inc=Inc]).
'$blocked'(in, C, _, input(Line)) :-
    !,
    event([chrono=C, line=Line]).
'$blocked'(_, C, K, call(Inv)) :-
    (   event([chrono=C, port=call, inv=Inv0]),
        \+ '$in_co'(C)
    ->  Inv = Inv0
    ;   '$around'(K, Co),
        event([call=Co, port=co])
    ->  child(Co, Branch),
        call_start(Branch, Start),
        event([chrono=Start, port=call, inv=Inv]),
        \+ event([chrono=Start, answered_at=_])
    ).

'$in_co'(C) :-
    event([chrono=C, parent=K]),
    event([call=K, port=co]),
    !.

'$around'(K, K).
'$around'(K, A) :-
    ancestor(K, A).

%! blocked(?P, ?On, ?From, ?To) is nondet.
%
%  The process P cannot go on by itself after its event From, until the event To: On is as in blocked/2, and To is `inf` if
%  P is blocked when the trace ends. A process that goes on with the next event of the trace was not blocked.
%
%  On mpd/buffer.trc:
%  ?- blocked(P, on(S), From, To).
%  P = p('8EF6318', 1), S = s('8EF78A4', 1), From = 12, To = 138.
%  ?- blocked(p('8EF63C8', 2), On, From, To).
%  On = call(6), From = 15, To = 46
%  ; On = call(10), From = 46, To = 74
%  ; On = call(14), From = 74, To = 102
%  ; On = call(18), From = 102, To = 130.
blocked(p(Pid, Inc), On, From, To) :-
    event([port=[p, in, call], pid=Pid, inc=Inc, next_in_process=Next, port=Port, chrono=From, call=K]),
    Next > From + 1,
    '$blocked_until'(Port, From, K, Next, On, To).
blocked(p(Pid, Inc), On, From, inf) :-
    event([blocked=true, pid=Pid, inc=Inc, port=Port, chrono=From, call=K]),
    '$blocked'(Port, From, K, On).

'$blocked_until'(p, C, _, To, on(s(Id, Inc)), To) :-
    event([chrono=C, sem=Id, sem_inc=Inc]).
'$blocked_until'(in, C, _, To, input(Line), To) :-
    event([chrono=C, line=Line]).
'$blocked_until'(call, C, K, Next, call(Inv), To) :-
    (   '$in_co'(C)
    ->  once(( '$around'(K, Co), event([call=Co, port=co]) )),
        child(Co, Branch),
        call_start(Branch, Start),
        Start =< C,
        event([chrono=Start, port=call, inv=Inv]),
        (   event([chrono=Start, answered_at=Answer])
        ->  Answer > C, To is min(Answer, Next)
        ;   To = Next
        )
    ;   event([chrono=C, inv=Inv]),
        To = Next
    ).

%! waits_for(?P, ?Q) is nondet.
%
%  The process P is blocked when the trace ends, and the process Q could let it go on: Q holds the semaphore that P
%  waits for, or serves its call.
%
%  On mpd/philos_deadlock.trc:
%  ?- waits_for(p('9462528', 1), Q).
%  Q = p('94623C8', 1).
%  ?- waits_for(p('9462580', 1), Q).
%  false.
waits_for(P, Q) :-
    blocked(P, On),
    '$waits_for'(On, Q).

'$waits_for'(on(S), Q) :-
    unreleased(Q, S).
'$waits_for'(call(Inv), p(Pid, Inc)) :-
    event([port=[call, send], inv=Inv, served_at=C, chrono=Made]),
    \+ event([chrono=Made, answered_at=_]),
    event([chrono=C, pid=Pid, inc=Inc]).

%! waits_for(?P, ?Q, ?From, ?To) is nondet.
%
%  After the event From, until the event To, P is blocked and Q could let it go on, as in waits_for/2; To is `inf` if that is so
%  when the trace ends.
%
%  On mpd/buffer.trc:
%  ?- once(waits_for(p('8EF63C8', 2), Q, From, To)).
%  Q = p('8EF6420', 1), From = 22, To = 23.
%  On mpd/philos_deadlock.trc:
%  ?- waits_for(p('9462528', 1), Q, From, To).
%  Q = p('94623C8', 1), From = 34, To = inf.
waits_for(P, Q, From, To) :-
    '$waits_for'(P, _, Q, From, To).

'$waits_for'(P, on(S), Q, From, To) :-
    findall(S-blocked(Since, Until, P), blocked(P, on(S), Since, Until), Blocked),
    findall(S-held(Since, Until, Q), holds(Q, S, Since, Until), Held0),
    '$grouped'(Held0, Held1),
    list_to_assoc(Held1, Held),
    '$grouped'(Blocked, Groups),
    member(S-Waits0, Groups),
    get_assoc(S, Held, Holds0),
    msort(Waits0, Waits),
    msort(Holds0, Holds),
    '$meeting'(Waits, Holds, P, Q, From, To).
'$waits_for'(P, call(Inv), p(Pid, Inc), From, To) :-
    blocked(P, call(Inv), Since, Until0),
    event([port=[call, send], inv=Inv, served_at=Served, chrono=Made]),
    (   event([chrono=Made, answered_at=Answer])
    ->  '$earlier'(Until0, Answer, To)
    ;   To = Until0
    ),
    From is max(Since, Served),
    From < To,
    event([chrono=Served, pid=Pid, inc=Inc]).

% Two lists of stretches, each in order of their beginnings: those of both that meet, and where they do.
'$meeting'([blocked(Since, Until, P0)|Waits], Holds0, P, Q, From, To) :-
    '$drop_ended'(Holds0, Since, Holds),
    (   P = P0,
        '$met'(Holds, Since, Until, Q, From, To)
    ;   '$meeting'(Waits, Holds, P, Q, From, To)
    ).

'$drop_ended'([held(_, To, _)|Holds0], Since, Holds) :-
    Since >= To,
    !,
    '$drop_ended'(Holds0, Since, Holds).
'$drop_ended'(Holds, _, Holds).

'$met'([held(From0, To0, Q0)|Holds], Since, Until, Q, From, To) :-
    From0 < Until,
    (   Since < To0,
        Q = Q0,
        From is max(From0, Since),
        '$earlier'(Until, To0, To)
    ;   '$met'(Holds, Since, Until, Q, From, To)
    ).

% The earlier end of two stretches; `min` would make a float of two that are `inf`.
'$earlier'(A, B, End) :-
    ( A =< B -> End = A ; End = B ).

%! cycle(-L) is nondet.
%
%  L is a list of processes, each waiting for the next, and the last for the first: a deadlock. Each cycle is given
%  once, from its process that is first in standard order.
%
%  On mpd/philos_deadlock.trc:
%  ?- cycle(L).
%  L = [p('94623C8', 1), p('9462420', 1), p('9462478', 1), p('94624D0', 1), p('9462528', 1)].
%  On mpd/CS_3_4.trc:
%  ?- cycle(L).
%  false.
cycle([P|L]) :-
    findall(A-B, waits_for(A, B), Edges0),
    sort(Edges0, Edges),
    group_pairs_by_key(Edges, Groups),
    list_to_assoc(Groups, Next),
    member(P-_, Groups),
    '$way'(P, P, [P], Next, L).

'$way'(At, P, Seen, Next, L) :-
    get_assoc(At, Next, Successors),
    member(Q, Successors),
    (   Q == P
    ->  L = []
    ;   Q @> P,
        \+ memberchk(Q, Seen),
        L = [Q|Rest],
        '$way'(Q, P, [Q|Seen], Next, Rest)
    ).
