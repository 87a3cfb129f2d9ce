% Questions about traces of Erlang's seq_trace: what a message caused, how long it took, what was lost.
%
% Events are known by their numbers, transfers (a send and its receive) by the number of their call.

%! causes(?E1, ?E2) is nondet.
%
%  Event E1 is the direct cause of E2: the send of a receive, or the receive from which the serial of a send or print
%  follows. Where the send of a receive is not in the trace, E1 is the receive from which the serial of that send follows.
%
%  On seq_trace/two_nodes_plain_b.raw:
%  ?- causes(6, E).
%  E = 7.
%  ?- causes(E, 6).
%  E = 5.
%  On seq_trace/family.raw:
%  ?- causes(14, E).
%  E = 15
%  ; E = 17.
%  On seq_trace/seqex_manual.raw:
%  ?- cause_chain(4, L).
%  L = [2, 4].
causes(E1, E2) :-
    (   nonvar(E2)
    ->  event([chrono=E2, port=Port]),
        '$seq_cause'(Port, E2, E1)
    ;   nonvar(E1)
    ->  event([chrono=E1, port=Port]),
        '$seq_effect'(Port, E1, E2)
    ;   event([chrono=E2, port=Port]),
        '$seq_cause'(Port, E2, E1)
    ).

'$seq_cause'(receive, E2, E1) :-
    (   event([chrono=E2, match=Send])
    ->  E1 = Send
    ;   event([chrono=E2, prev=Prev, from=From, label=Label]),
        aggregate_all(max(E), event([port=receive, to=From, cur=Prev, label=Label, chrono=E, chrono<E2]), E1)
    ).
'$seq_cause'(send, E2, E1) :-
    event([chrono=E2, parent=Call]),
    event([call=Call, port=receive, chrono=E1]).
'$seq_cause'(print, E2, E1) :-
    event([chrono=E2, call=Call]),
    event([call=Call, port=receive, chrono=E1]).

'$seq_effect'(send, E1, E2) :-
    event([chrono=E1, match=E2]).
'$seq_effect'(receive, E1, E2) :-
    event([chrono=E1, call=Call, to=P, cur=Cur, label=Label]),
    findall(E, ( '$seq_follows'(Call, E) ; '$seq_follows_unseen'(E1, P, Cur, Label, E) ), Es),
    msort(Es, Sorted),
    member(E2, Sorted).

% E is the receive of a message that is not in the trace as sent, and that P sent after its receive E1.
'$seq_follows_unseen'(E1, P, Cur, Label, E) :-
    event([port=receive, from=P, prev=Cur, label=Label, chrono=E]),
    \+ event([chrono=E, match=_]),
    '$seq_cause'(receive, E, E1).

'$seq_follows'(Call, E) :-
    event([call=Call, port=print, chrono=E]).
'$seq_follows'(Call, E) :-
    child(Call, Next),
    event([call=Next, port=send, chrono=E]).

%! cause_chain(+E, -L) is semidet.
%
%  L are the events from the start of the sequence to E, each the direct cause of the next.
%
%  On seq_trace/family.raw:
%  ?- cause_chain(16, L).
%  L = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16].
cause_chain(E, L) :-
    must_be(integer, E),
    once(event([chrono=E])),
    '$seq_chain'(E, [E], L).

'$seq_chain'(E, L0, L) :-
    (   causes(Cause, E)
    ->  '$seq_chain'(Cause, [Cause|L0], L)
    ;   L = L0
    ).

%! before(?E1, ?E2) is nondet.
%
%  Event E1 happened before E2: it is earlier in the same process, or messages lead from it to E2. Later events of the file need not be later.
%
%  On seq_trace/relay.raw:
%  ?- before(1, 36).
%  true.
%  ?- before(36, 1).
%  false.
%  ?- aggregate_all(count, before(_, 36), N).
%  N = 35.
before(E1, E2) :-
    '$before'(E1, E2).

%! concurrent(?E1, ?E2) is nondet.
%
%  Neither of two events happened before the other. In a Chrome trace, E1 and E2 are calls of asynchronous operations: each
%  began before the other ended, and neither is in the other.
%
%  On seq_trace/lossy.raw:
%  ?- concurrent(1, E).
%  false.
%  On seq_trace/family.raw:
%  ?- concurrent(12, E).
%  E = 13.
%  On chrome/phases.json:
%  ?- concurrent(7, Call).
%  Call = 5
%  ; Call = 6.
concurrent(E1, E2) :-
    (   '$has_attribute'(flow_from)
    ->  '$overlapping'(E1, E2)
    ;   '$concurrent'(E1, E2)
    ).

% The time from E1 to E2 by a clock that both have: that of one log, or the time of day.
'$seq_time'(E1, E2, Ns) :-
    event([chrono=E1, time=T1, log=Log1]),
    event([chrono=E2, time=T2, log=Log2]),
    '$seq_comparable'(Log1, T1, Log2, T2),
    Ns is T2 - T1.

% Clocks that count from 1970 are those of wall time; monotonic ones have an own origin on each node.
'$seq_comparable'(Log, _, Log, _) :-
    !.
'$seq_comparable'(_, T1, _, T2) :-
    T1 > 1000000000000000000,
    T2 > 1000000000000000000.

%! latency(?Call, ?Ns) is nondet.
%
%  The message of transfer Call was received Ns nanoseconds after it was sent, time in the mailbox included.
%  Times of different nodes are compared only if they are times of day. In a trace without messages, Call took Ns
%  (duration/2).
%
%  On seq_trace/relay.raw:
%  ?- aggregate_all(max(Ns), latency(_, Ns), Max).
%  Max = 34861.
%  ?- aggregate_all(sum(Ns), latency(_, Ns), Sum).
%  Sum = 241060.
latency(Call, Ns) :-
    (   '$has_attribute'(match)
    ->  '$transfer_time'(Call, Ns)
    ;   duration(Call, Ns)
    ).

'$transfer_time'(Call, Ns) :-
    event([port=receive, call=Call, time=T2, log=Log2, match=Send]),
    event([chrono=Send, time=T1, log=Log1]),
    '$seq_comparable'(Log1, T1, Log2, T2),
    Ns is T2 - T1.

%! critical(?Label, -L, -Ns) is nondet.
%
%  L is the chain of causes that ends with the last event of the sequence, and Ns the time that it took.
%  The last event is that of the latest time. Steps between nodes whose clocks cannot be compared count nothing.
%
%  On seq_trace/seqex_timestamp.raw:
%  ?- critical(17, L, Ns).
%  L = [2, 3, 5, 6], Ns = 64000.
critical(Label, L, Ns) :-
    tally(Known, event([label=Known]), Labels),
    member(Label-_, Labels),
    '$seq_last'(Label, Last),
    cause_chain(Last, L),
    '$seq_duration'(L, 0, Ns).

% The event with the latest time, else the last one.
'$seq_last'(Label, Last) :-
    (   aggregate_all(max(T, E), event([label=Label, time=T, chrono=E]), max(_, Last0))
    ->  Last = Last0
    ;   aggregate_all(max(E), event([label=Label, chrono=E]), Last)
    ).

'$seq_duration'([E1, E2|Es], Ns0, Ns) :-
    !,
    (   '$seq_time'(E1, E2, Step)
    ->  Ns1 is Ns0 + Step
    ;   Ns1 = Ns0
    ),
    '$seq_duration'([E2|Es], Ns1, Ns).
'$seq_duration'(_, Ns, Ns).

%! unreceived(?Call) is nondet.
%
%  The message of transfer Call was sent, and no receive of it is in the trace: it was lost or not read, or the flag 'receive' was off.
%
%  On seq_trace/lossy.raw:
%  ?- unreceived(Call).
%  Call = 1
%  ; Call = 2.
unreceived(Call) :-
    event([port=send, call=Call, chrono=E]),
    \+ event([chrono=E, match=_]).

%! orphan_receive(?E) is nondet.
%
%  Event E is the receive of a message whose send is not in the trace.
%
%  On seq_trace/two_nodes_plain_b.raw:
%  ?- aggregate_all(count, orphan_receive(_), N).
%  N = 7.
orphan_receive(E) :-
    event([port=receive, chrono=E]),
    \+ event([chrono=E, match=_]).

%! inferred_send(?E, ?Send) is nondet.
%
%  Event E is the receive of a message whose send is not in the trace, as the flag send was off, or the log of the other
%  node is missing: Send is what it must have been, `send({Prev, Cur}, From, To, Message)`.
%
%  On seq_trace/seqex_manual.raw:
%  ?- inferred_send(E, send(Serial, From, To, _)).
%  E = 2, Serial = {0, 2}, From = 'nonode@nohost':'<85.0>', To = 'nonode@nohost':'<86.0>'
%  ; E = 4, Serial = {2, 4}, From = 'nonode@nohost':'<86.0>', To = 'nonode@nohost':'<85.0>'.
inferred_send(E, send({Prev, Cur}, From, To, Message)) :-
    orphan_receive(E),
    event([chrono=E, prev=Prev, cur=Cur, from=From, to=To, msg=Message]).

%! branch(?E, -L) is nondet.
%
%  The sequence forks at receive E: L are the sends and prints, two or more, that follow directly from it; where a send is
%  not in the trace, its receive.
%
%  On seq_trace/two_nodes_plain_b.raw:
%  ?- branch(E, L).
%  E = 7, L = [8, 9]
%  ; E = 14, L = [15, 16]
%  ; E = 21, L = [22, 23].
branch(E, L) :-
    event([port=receive, chrono=E]),
    findall(Next, causes(E, Next), Unsorted),
    Unsorted = [_, _|_],
    msort(Unsorted, L).

%! gen_call(?From, ?Server, ?Req, ?Reply, ?Ns) is nondet.
%
%  Process From called Server, a gen_server or similar process, with Req, and received Reply Ns nanoseconds later; Ns is
%  `-` without times.
%
%  On seq_trace/gen.raw:
%  ?- gen_call(_, _, Req, Reply, Ns).
%  Req = incr, Reply = 11, Ns = 55000
%  ; Req = get, Reply = 16, Ns = 52000.
gen_call(From, Server, Req, Reply, Ns) :-
    findall(Tag-call(E, From, Req), event([port=send, msg={'$gen_call', {_, Tag}, Req}, from=From, chrono=E]), Calls),
    Calls = [_|_],
    findall(Tag-reply(E, To, Reply), event([port=receive, msg={Tag, Reply}, to=To, chrono=E]), Replies),
    append(Calls, Replies, All),
    keysort(All, Sorted),
    findall(call(E1, E2, From, Req, Reply), '$seq_answered'(Sorted, E1, E2, From, Req, Reply), Unordered),
    sort(1, @=<, Unordered, Answered),
    member(call(E1, E2, From, Req, Reply), Answered),
    '$seq_receiver'(E1, Server),
    (   '$seq_time'(E1, E2, Time)
    ->  Ns = Time
    ;   Ns = (-)
    ).

% A call and the first reply with its tag stand side by side when they are sorted by it.
'$seq_answered'([Tag-call(E1, From, Req), Tag-reply(E2, From, Reply)|_], E1, E2, From, Req, Reply).
'$seq_answered'([_|Rest], E1, E2, From, Req, Reply) :-
    Rest = [_|_],
    '$seq_answered'(Rest, E1, E2, From, Req, Reply).

% The process that has received what was sent; if that is not known, whom it was sent to.
'$seq_receiver'(E, To) :-
    event([chrono=E, match=Receive]),
    !,
    event([chrono=Receive, to=To]).
'$seq_receiver'(E, To) :-
    event([chrono=E, to=To]).

%! spawned(?Parent, ?Child, ?MFA) is nondet.
%
%  Process Parent spawned Child, which began with MFA, as in `erlang:apply/2`.
%
%  On seq_trace/gen.raw:
%  ?- spawned(Parent, Child, MFA).
%  Parent = 'nonode@nohost':'<133.0>', Child = 'nonode@nohost':'<134.0>', MFA = proc_lib:init_p/5.
spawned(Parent, Child, M:F/A) :-
    '$seq_spawn'(M, F, A, Request),
    event([port=send, msg=Request, from=Parent, chrono=E]),
    '$seq_receiver'(E, Child).
spawned(Parent, Child, M:F/A) :-
    '$seq_spawn'(M, F, A, Request),
    event([port=receive, msg=Request, from=Parent, to=Child, chrono=E]),
    \+ event([chrono=E, match=_]).

% A local spawn, and one on another node.
'$seq_spawn'(M, F, A, {spawn_request, _, _, _, {M, F, A}, _, _, _}).
'$seq_spawn'(M, F, A, {spawn_request, _, _, _, {M, F, A}, _}).

% A message went from P to Q.
'$seq_transfer'(P, Q) :-
    event([port=receive, from=P, to=Q]).
'$seq_transfer'(P, Q) :-
    unreceived(Call),
    event([call=Call, port=send, from=P, to=Q]).

%! traffic(?P, ?Q, ?N) is nondet.
%
%  N messages went from process P to Q.
%
%  On seq_trace/two_nodes_plain_b.raw:
%  ?- traffic(P, b:Q, N).
%  false.
%  ?- traffic('b@127.0.0.1':'<86.0>', _, N).
%  N = 3.
traffic(P, Q, N) :-
    tally(P-Q, '$seq_transfer'(P, Q), Pairs),
    member((P-Q)-N, Pairs).

%! crossing(?N1, ?N2, ?N) is nondet.
%
%  N messages went from node N1 to another node N2.
%
%  On seq_trace/two_nodes_plain_b.raw:
%  ?- crossing(N1, N2, N).
%  N1 = 'a@127.0.0.1', N2 = 'b@127.0.0.1', N = 7
%  ; N1 = 'b@127.0.0.1', N2 = 'a@127.0.0.1', N = 6.
crossing(N1, N2, N) :-
    tally(N1-N2, '$seq_crossing'(N1, N2), Pairs),
    member((N1-N2)-N, Pairs).

'$seq_crossing'(N1, N2) :-
    '$seq_transfer'(N1:_, To),
    '$seq_node'(To, N2),
    N1 \== N2.

% The node of a process, of a name registered on it, or the node itself.
'$seq_node'(To, Node) :-
    (   To = Node0:_
    ->  Node = Node0
    ;   To = {_, Node0}
    ->  Node = Node0
    ;   atom(To),
        \+ sub_atom(To, 0, _, _, #),
        Node = To
    ).

%! touched(?Label, ?P) is nondet.
%
%  Process P took part in the sequence of Label: it sent, received or printed.
%
%  On seq_trace/relay.raw:
%  ?- aggregate_all(count, touched(relay, _), N).
%  N = 6.
touched(Label, P) :-
    tally(Label-P, '$seq_actor'(Label, P, _), Pairs),
    member((Label-P)-_, Pairs).

'$seq_actor'(Label, P, E) :-
    event([port=receive, label=Label, to=P, chrono=E]).
'$seq_actor'(Label, P, E) :-
    event([port=[send, print], label=Label, from=P, chrono=E]).

%! outside(?Label, +Set, ?E) is nondet.
%
%  Event E of the sequence of Label happened in a process that is not in the list Set: a system process to which the token leaked.
%
%  On seq_trace/lossy.raw:
%  ?- outside(9, [], E).
%  E = 1
%  ; E = 2
%  ; E = 3.
outside(Label, Set, E) :-
    must_be(list, Set),
    findall(E0-Label, ('$seq_actor'(Label, P, E0), \+ memberchk(P, Set)), Unsorted),
    msort(Unsorted, Events),
    member(E-Label, Events).

%! tuple(?Tuple, ?Elements) is semidet.
%@ pure.
%
%  Elements is the list of the elements of Tuple. Where terms are unified outside of constraints, `{a, X}` is also the
%  start of longer tuples, as Prolog's syntax has it; this tells them apart.
%
%  ?- tuple({a, b, c}, L).
%  L = [a, b, c].
%  ?- tuple({a, b, c}, [_, _]).
%  false.
%  ?- tuple(T, [ack, 1]).
%  T = {ack, 1}.
tuple(Tuple, Elements) :-
    (   nonvar(Tuple)
    ->  '$tuple_elements'(Tuple, Elements)
    ;   must_be(list, Elements),
        '$elements_tuple'(Elements, Tuple)
    ).

'$tuple_elements'({}, Elements) :-
    !,
    Elements = [].
'$tuple_elements'({Inner}, Elements) :-
    '$inner_elements'(Inner, Elements).

'$inner_elements'(Inner, Elements) :-
    (   nonvar(Inner),
        Inner = (First, Rest)
    ->  Elements = [First|Others],
        '$inner_elements'(Rest, Others)
    ;   Elements = [Inner]
    ).

'$elements_tuple'([], {}) :-
    !.
'$elements_tuple'(Elements, {Inner}) :-
    '$elements_inner'(Elements, Inner).

'$elements_inner'([Last], Last) :-
    !.
'$elements_inner'([First|Rest], (First, Inner)) :-
    '$elements_inner'(Rest, Inner).
