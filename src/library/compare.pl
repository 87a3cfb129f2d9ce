% More than one trace: goals put to another one, and where two runs part.

%! in_trace(+Trace, :Goal) is nondet.
%
%  Runs Goal on another of the traces named on the command line, given by its number, counted from 1, or by the name of
%  its file. Its bindings and answers are those of Goal. Each trace has a cursor of its own, which stays where Goal
%  leaves it.
%
%  ?- in_trace(1, event([name=queen, port=exit, chrono=C])).
%  C = 673.
in_trace(Trace, Goal) :-
    '$trace_number'(Trace, N),
    '$trace_now'(Here, Cursor),
    (   N =:= Here
    ->  call(Goal)
    ;   '$trace_kept'(N, Cursor0),
        '$in_trace'(N, Cursor0, Here, Cursor, Goal)
    ).

% The cursors are undone by themselves, the trace is not: a choice point before and one after Goal see to it, unless Goal
% leaves none.
'$in_trace'(N, Cursor0, Here, Cursor, Goal) :-
    '$trace_keep'(Here, Cursor),
    (   '$trace_go'(N, Cursor0)
    ;   '$trace_go'(Here, Cursor),
        fail
    ),
    setup_call_cleanup(true, catch(Goal, Ball, ( '$trace_go'(Here, Cursor), throw(Ball) )), Det = true),
    '$trace_now'(_, Cursor1),
    '$trace_keep'(N, Cursor1),
    '$trace_kept'(Here, Back),
    (   Det == true
    ->  !,
        '$trace_go'(Here, Back)
    ;   '$in_trace_again'(N, Cursor1, Here, Back)
    ).

'$in_trace_again'(_, _, Here, Back) :- '$trace_go'(Here, Back).
'$in_trace_again'(N, Cursor, _, _) :- '$trace_go'(N, Cursor), fail.

%! only_in(+Trace, ?Call) is nondet.
%
%  Call is a call of Trace that has no partner in the trace that goals run on or, if that is Trace itself, in the first
%  other trace. Partners have the same procedure and the same arguments at their calls, and the calls that made them are
%  partners too; of the calls that two partners made, as many as possible are paired, in their order.
%
%  ?- catch(only_in(1, _), error(E, _), true).
%  E = existence_error(trace, 2).
only_in(Trace, Call) :-
    '$trace_number'(Trace, N),
    '$trace_now'(Here, _),
    '$other_trace'(N, Here, Other),
    '$unpartnered'(N, Call, Other).

'$other_trace'(1, 1, Other) :- !, Other = 2.
'$other_trace'(N, N, Other) :- !, Other = 1.
'$other_trace'(_, Here, Here).
