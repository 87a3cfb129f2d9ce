% Spans as the requests that services send to each other: only the boxes in which a service answers are left.
% $ papaver run --on requests examples/derived/requests.pl examples/spans/depot.jsonl
%
% The request around a request is the innermost one among its ancestors, whatever spans lie between them; requests that
% overlap do not nest, and `parent` says so.

:- derived_trace(requests, [port=Port, call=Call, parent=Around, name=Name, service=Service, time=T, origin=O],
                 ( event([kind=server, port=Port, call=Call, service=Service, time=T, chrono=O]),
                   Port \== event,
                   event([kind=server, port=call, call=Call, 'url.path'=Path]),
                   atom_string(Name, Path),
                   ( around(Call, Around) -> true ; true ) )).

% around(+Call, -Around): the nearest ancestor that answers a request.
around(Call, Around) :-
    ancestor(Call, Around),
    event([call=Around, port=call, kind=server]).

main :-
    in_trace(source, aggregate_all(count, event([]), All)),
    aggregate_all(count, event([]), N),
    format("~d events of requests, of ~d of spans:~n", [N, All]),
    forall(fget([]), true),
    forall(( event([port=exception, name=Name, call=C, origin=O]), parent(C, P), once(event([call=P, name=Outer])) ),
           format("~w, which ~w has asked for, fails; in the spans this is event ~d~n", [Name, Outer, O])).
