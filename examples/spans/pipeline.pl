% What must hold of the traces of every change, checked where its tests run.
%
% $ papaver check examples/spans/pipeline.pl examples/spans/depot.jsonl
%   status 1
%
% The N+1 query is seen before it is released. The error of the shelf that could not be read is swallowed on purpose.

check('no span is without its parent') :-
    no_orphans.
check('no span asks more than five times for the same') :-
    no_n_plus_one(5).
check('a request is answered within 100 ms') :-
    within_budget([depth=1], 100_000_000).
check('a database query takes at most 20 ms') :-
    within_budget([kind=client, 'db.system.name'=matches(".")], 20_000_000).
check('only shelves may fail alone') :-
    \+ (swallowed(Call), parent(Call, Parent), event([port=call, call=Parent, name=not(matches("^shelf"))])).
