% What a sort should do, and one thing that this one does not.
%
% $ papaver check examples/qsort/rules.pl examples/qsort/qsort.trace
%   status 1
%
% The last rule is a good guess that is wrong: the third argument of qsort/3 is what comes after the sorted elements, so
% an answer has these elements too. The counterexample is the first call where that can be seen.

check('every answer of qsort is sorted') :-
    forall(event([port=exit, name=qsort, args=[_, Sorted, _]]), msort(Sorted, Sorted)).

check('a partition loses nothing and keeps to its pivot') :-
    forall(event([port=exit, name=partition, args=[List, Pivot, Smaller, Larger]]),
           ( append(Smaller, Larger, Both), msort(Both, All), msort(List, All),
             forall(member(X, Smaller), X < Pivot),
             forall(member(X, Larger), X >= Pivot) )).

check('an answer has as many elements as the list to sort') :-
    forall(event([port=exit, name=qsort, args=[List, Sorted, _]]),
           ( length(List, N), length(Sorted, N) )).
