% What is better said in the language about the trace: folds over its events.

%! foldt(+Constraints, :Step, +Acc0, -Acc) is det.
%@ calls 2.
%
%  Acc is what `Step(A0, A)` makes of Acc0, called for every event of the trace that satisfies Constraints.
%  The variables of Constraints are bound for that event only. When Step fails, the fold ends with what it
%  had. Memory does not grow with the trace.
%
%  ?- foldt([line_number=L], [A0, A]>>(A is A0 + L), 0, Sum).
%  Sum = 38511.
%  ?- foldt([port=exit, chrono=C], [A0, A]>>(A0 < 3, A is A0 + 1), 0, N).
%  N = 3.
foldt(Constraints, Step, Acc0, Acc) :-
    (   '$fold'(Constraints, Acc0, Now),
        once(call(Step, Now, Next)),
        '$fold_keep'(Next)
    ;   '$folded'(Acc)
    ).
