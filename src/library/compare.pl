% More than one trace: goals put to another one, and where two runs part.

%! in_trace(+Trace, :Goal) is nondet.
%
%  Runs Goal on another of the traces named on the command line, given by its number, counted from 1, or by the name of
%  its file; or on a trace that derived_trace/3 declares. On a derived trace, `source` is the trace from which it is
%  derived. Its bindings and answers are those of Goal. Each trace has a cursor of its own, which stays where Goal leaves
%  it.
%
%  ?- in_trace(1, event([name=queen, port=exit, chrono=C])).
%  C = 673.
in_trace(Trace, Goal) :-
    '$trace_number'(Trace, N),
    '$make_trace'(N),
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

%! first_difference(+Trace1, +Trace2, -Difference) is semidet.
%@ whole trace.
%
%  Difference is difference(Chrono1, Chrono2, Values): the first events of two traces that differ in port, procedure,
%  depth, arguments, result or goal path, and a list of Attribute = Value1 - Value2; a trace that has ended there has
%  `end` for its event.
%
%  ?- first_difference(1, 1, D).
%  false.
first_difference(Trace1, Trace2, Difference) :-
    '$made_number'(Trace1, N1),
    '$made_number'(Trace2, N2),
    '$first_difference'(N1, N2, Difference).

%! partner(+Trace1, ?Call1, +Trace2, ?Call2) is nondet.
%@ whole trace.
%
%  Call1 of one trace and Call2 of another correspond: they have the same procedure and arguments, and so have the calls
%  that enclose them, in order.
%
%  ?- partner(1, 3, 1, C).
%  C = 3.
partner(Trace1, Call1, Trace2, Call2) :-
    '$made_number'(Trace1, N1),
    '$made_number'(Trace2, N2),
    '$partner'(N1, Call1, N2, Call2).

% The number of a trace, which is made if it is derived.
'$made_number'(Trace, N) :- '$trace_number'(Trace, N), '$make_trace'(N).

%! only_in(+Trace, ?Call) is nondet.
%@ whole trace.
%
%  Call is a call of Trace that has no partner in the trace that goals run on or, if that is Trace itself, in the first
%  other trace. Partners have the same procedure and the same arguments at their calls, and the calls that made them are
%  partners too; of the calls that two partners made, as many as possible are paired, in their order.
%
%  ?- catch(only_in(1, _), error(E, _), true).
%  E = existence_error(trace, 2).
only_in(Trace, Call) :-
    '$made_number'(Trace, N),
    '$trace_now'(Here, _),
    '$other_trace'(N, Here, Other),
    '$unpartnered'(N, Call, Other).

'$other_trace'(1, 1, Other) :- !, Other = 2.
'$other_trace'(N, N, Other) :- !, Other = 1.
'$other_trace'(_, Here, Here).
