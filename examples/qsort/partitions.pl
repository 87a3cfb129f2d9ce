% How was the list split? Every call of partition/4 that the sort itself made, with what came out of it.
%
% $ papaver run examples/qsort/partitions.pl examples/qsort/qsort.trace
%
% partition(List, Pivot, Smaller, Larger) calls itself; those made by the sort are those whose parent is a qsort/3.

main :-
    forall(split(List, Pivot, Smaller, Larger),
           format("~w around ~w gives ~w and ~w~n", [List, Pivot, Smaller, Larger])),
    aggregate_all(count, event([port=call, name=partition]), Calls),
    aggregate_all(count, event([port=then, name=partition]), Below),
    aggregate_all(count, event([port=else, name=partition]), Above),
    format("~d calls: ~d elements went below their pivot, ~d above~n", [Calls, Below, Above]).

split(List, Pivot, Smaller, Larger) :-
    event([port=call, name=partition, call=Call]),
    parent(Call, Parent),
    call_start(Parent, Start),
    event([chrono=Start, name=qsort]),
    call_end(Call, End),
    event([chrono=End, args=[List, Pivot, Smaller, Larger]]).
