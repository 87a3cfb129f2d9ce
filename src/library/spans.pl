% Questions to the traces of services: which span belongs where, where an error came from, who asks whom how often.
%
% A span is a call. Its first event has what the span says of itself.

%! service(?Call, ?Service) is nondet.
%
%  Service made the span Call.
%
%  On otlp/shop_small.jsonl:
%  ?- findall(Call, service(Call, payment), Calls).
%  Calls = [25].
service(Call, Service) :-
    event([port=call, call=Call, service=Service]).

%! trace(?Trace, ?Call) is nondet.
%
%  The span Call belongs to the trace with the id Trace.
%
%  On otlp/shop_small.jsonl:
%  ?- aggregate_all(count, (trace(Trace, 1), trace(Trace, Call)), N).
%  N = 14.
trace(Trace, Call) :-
    event([port=call, call=Call, trace=Trace]).

%! root(?Call) is nondet.
%
%  Call has no parent, and names none.
%
%  On otlp/shop_small.jsonl:
%  ?- findall(Call, root(Call), Roots).
%  Roots = [1, 15, 30].
root(Call) :-
    call_start(Call, Chrono),
    \+ parent(Call, _),
    \+ '$names_parent'(Chrono).

%! orphan(?Call) is nondet.
%
%  Call names a parent that is not in the trace.
%
%  On otlp/shop_small.jsonl:
%  ?- orphan(Call).
%  false.
orphan(Call) :-
    call_start(Call, Chrono),
    \+ parent(Call, _),
    '$names_parent'(Chrono).

% '$names_parent'(+Chrono): the call that begins at event Chrono names its parent, which need not be in the trace.
'$names_parent'(Chrono) :-
    member(Attribute, [parent_span, parent]),
    '$has_attribute'(Attribute),
    event([chrono=Chrono, Attribute=_]),
    !.

%! error(?Call) is nondet.
%
%  Call failed: its status is `error`; in a trace without statuses it ended by an exception, or is a branch of VisAndOr
%  that failed.
%
%  On otlp/shop_limits.jsonl:
%  ?- findall(Call, error(Call), Calls).
%  Calls = [10, 11, 12, 13, 21].
error(Call) :-
    (   '$has_attribute'(status)
    ->  event([port=call, call=Call, status=error])
    ;   '$failing_port'(Port),
        event([port=Port, call=Call])
    ).

%! error_root(?Call) is nondet.
%
%  Call failed, and none of its children did: the errors above it came from here.
%
%  On otlp/shop_limits.jsonl:
%  ?- findall(Call, error_root(Call), Calls).
%  Calls = [11, 13, 21].
error_root(Call) :-
    error(Call),
    \+ ( child(Call, Child), error(Child) ).

%! error_chain(+Call, -Calls) is semidet.
%
%  Calls are Call, which failed, and the calls around it as far as they failed too, the innermost first.
%
%  On otlp/shop_limits.jsonl:
%  ?- error_chain(11, Calls).
%  Calls = [11, 10].
error_chain(Call, [Call|Calls]) :-
    must_be(integer, Call),
    once(error(Call)),
    '$errors_above'(Call, Calls).

'$errors_above'(Call, Calls) :-
    (   parent(Call, Parent),
        once(error(Parent))
    ->  Calls = [Parent|More],
        '$errors_above'(Parent, More)
    ;   Calls = []
    ).

%! swallowed(?Call) is nondet.
%
%  Call failed, and its parent did not: the error was handled there, or lost.
%
%  On otlp/shop_limits.jsonl:
%  ?- findall(Call, swallowed(Call), Calls).
%  Calls = [10, 12, 21].
swallowed(Call) :-
    error(Call),
    parent(Call, Parent),
    \+ error(Parent).

%! n_plus_one(?Parent, ?Name, ?N) is nondet.
%
%  The span Parent asks one service N times, N > 1, for what has the name Name: as many children of kind `client`, such
%  as a query for each row of a table.
%
%  On otlp/shop_small.jsonl:
%  ?- n_plus_one(12, Name, N), Name == 'SELECT'.
%  Name = 'SELECT', N = 2.
n_plus_one(Parent, Name, N) :-
    event([port=call, call=Parent]),
    once(child(Parent, _)),
    tally(Service-Known, '$client'(Parent, Service, Known), Pairs),
    member((_-Name)-N, Pairs),
    N > 1.

'$client'(Parent, Service, Name) :-
    child(Parent, Child),
    event([port=call, call=Child, kind=client, name=Name]),
    '$service_of'(Child, Service).

% '$service_of'(+Call, -Service): the service of a span, `-` if it is unknown.
'$service_of'(Call, Service) :-
    ( service(Call, Known) -> Service = Known ; Service = (-) ).

%! calls_between_services(?From, ?To, ?N) is nondet.
%
%  N spans of the service To have a parent in another service From; `-` is a service that the trace does not tell.
%
%  On otlp/shop_small.jsonl:
%  ?- aggregate_all(sum(N), calls_between_services(_, _, N), Sum).
%  Sum = 6.
calls_between_services(From, To, N) :-
    tally(A-B, '$crosses'(A, B), Pairs),
    member((From-To)-N, Pairs).

'$crosses'(From, To) :-
    parent(Call, Parent),
    '$service_of'(Call, To),
    '$service_of'(Parent, From),
    From \== To.

%! linked(?Call, ?Other) is nondet.
%
%  The span Call has a link to the span Other, which is in the trace.
%
%  On otlp/shop_small.jsonl:
%  ?- linked(Call, Other).
%  Call = 31, Other = 26
%  ; Call = 31, Other = 27
%  ; Call = 31, Other = 28.
linked(Call, Other) :-
    event([port=link, call=Call, to=Other]).
