% Derived traces: traces whose events are made of the solutions of a goal on another trace.

%! derived_trace(+Name, +Attributes, :Goal) is det.
%@ declares.
%
%  As a directive: declares the trace Name, which has an event for each solution of Goal on the trace that is open.
%  Attributes is the list of `Attribute = Value` of the event; `origin` is the number of the event it was made of, and
%  the events are in the order of their origins. Events with the same `call` are of one box; a `depth` that is not given
%  follows from the nesting of boxes. What has no value in a solution is missing in its event. Several declarations of a
%  script for one Name add up. The trace is made when it is first needed: by in_trace/2, or by the option `--on Name`.
%  Moves of Goal print no events.
%
%  ?- derived_trace(e, [name=N, origin=O], event([port=exit, name=N, chrono=O])), in_trace(e, event([chrono=2, origin=X])).
%  X = 9.
%  ?- derived_trace(exits, [port=exit], true).
%  error: existence_error(attribute, origin).
derived_trace(Name, Attributes, Goal) :- derive_from_([], Name, Attributes, Goal).

%! derived_trace(+Name, +Source, +Attributes, :Goal) is det.
%@ declares.
%
%  As derived_trace/3, from the events of another derived trace, Source: Goal runs on it, and `origin` is a number of an
%  event of it.
%
%  ?- derived_trace(e, [name=N, origin=O], event([port=exit, name=N, chrono=O])), derived_trace(q, e, [origin=O], event([name=queen, chrono=O])), in_trace(q, event([origin=X])).
%  X = 142.
derived_trace(Name, Source, Attributes, Goal) :-
    must_be(atom, Source),
    derive_from_(Source, Name, Attributes, Goal).

derive_from_(Source, Name, Attributes, Goal) :-
    must_be(atom, Name),
    must_be(callable, Goal),
    '$declare_derived'(Name, Source, Attributes, Predicate),
    '$derived_clause'((Predicate :- Goal, '$derived_event'(Attributes))).

%! explain(:Goal) is det.
%
%  Prints how each search in a goal would run, without calling the goal: what is walked or scanned, what is tested there,
%  whether the answers are found over columns, and which events `papaver query` reads of a file of this format. Of
%  `in_trace(Trace, Goal)`, it prints this for Goal on Trace, which is made if it is derived.
%
%  ?- explain(aggregate_all(count, event([port=exit]), _)).
%  true.
explain(Goal) :-
    nonvar(Goal),
    Goal = in_trace(Trace, Inner),
    !,
    in_trace(Trace, explain(Inner)).
explain(Goal) :- '$explain'(Goal).

% Makes a trace if it is derived and has not been made.
'$make_trace'(N) :-
    '$derivation'(N, Source, Goal),
    !,
    catch(
        in_trace(Source, make_derived_(N, Goal)),
        Ball,
        ( '$derivation_abandon'(N), throw(Ball) )
    ).
'$make_trace'(_).

% Goal adds an event for each of its solutions, and fails.
make_derived_(_, Goal) :- '$rewind', call(Goal).
make_derived_(N, _) :- '$derivation_end'(N).

% What the option `--on` does.
'$on_trace'(Name) :-
    '$derived_number'(Name, N),
    '$make_trace'(N),
    '$trace_go'(N, 0).

% Before goals of initialization/1 are called: they are put to the trace of that option, too.
'$reach_on' :-
    (   '$on_unreached'(Name)
    ->  '$on_trace'(Name)
    ;   true
    ).
