% Which span asks the database for each row again, and what does that cost?
%
% $ papaver run examples/spans/queries.pl examples/spans/depot.jsonl
%
% One query for all parcels would save six of the seven round trips. `pipeline.pl` keeps such spans out.

main :-
    forall(( n_plus_one(Parent, Name, N), N >= 5 ), report(Parent, Name, N)).

report(Parent, Name, N) :-
    event([port=call, call=Parent, name=Span, service=Service, duration=Whole]),
    aggregate_all(sum(Ns), ( child(Parent, Child), event([port=call, call=Child, name=Name, duration=Ns]) ), Sum),
    Percent is round(100 * Sum / Whole),
    format("~w: ~w asks ~d times for ~w, ~d % of its time~n~n", [Service, Span, N, Name, Percent]),
    waterfall(Parent).
