% Monitors: folds over the events that files define, and proof trees.

%! collect(+File, -Result) is det.
%@ whole trace.
%
%  Result is what the monitor in File makes of the events from the current one on, starting with the current event
%  itself. File defines `initialize(Acc)`, `filter(Event, Acc0, Acc)`, which is called for each event and ends the fold
%  when it fails, and perhaps `post_process(Acc, Result)`. Event is read by `chrono(Event, C)`, `call/2`, `depth/2`,
%  `port/2`, `proc/2`, `proc_name/2`, `proc_arity/2`, `arguments/2`, `goal_path/2`, `line_number/2` and others, and is
%  the current event while its filter runs. Afterwards the current event is the last one that filter saw, and what File
%  defines is forgotten; its goals of initialization/1 are not called, so that a script can collect itself. A File with
%  errors is no monitor: without its wrong clauses it would give another result.
%
%  ?- catch(collect('no such file', _), error(E, _), true).
%  E = permission_error(open, source_sink, 'no such file').
collect(File, Result) :-
    '$guests'(N),
    setup_call_cleanup(true, '$collect_file'(File, Result), '$dismiss_guests'(N)).

'$collect_file'(File, Result) :-
    '$script_open'(File),
    '$receive_guest'([initialize/1, filter/3, post_process/2]),
    '$script_errors'(Before),
    '$consult_guest',
    (   '$script_errors'(Before)
    ->  true
    ;   format(string(Message), "the monitor `~w` has errors, so nothing was collected", [File]),
        throw(error(permission_error(collect, monitor, File), context(collect/2, Message)))
    ),
    '$monitor_defines'(File, initialize/1),
    '$monitor_defines'(File, filter/3),
    once(call(initialize, Acc0)),
    '$collect_events'(Acc0, Acc),
    '$monitor_result'(Acc, Result).

'$monitor_defines'(File, Name/Arity) :-
    (   functor(Head, Name, Arity),
        predicate_property(Head, number_of_clauses(N)),
        N > 0
    ->  true
    ;   throw(error(existence_error(procedure, Name/Arity), context(collect/2, File)))
    ).

'$collect_events'(Acc0, Acc) :-
    (   '$collect'(Acc0, Event, Now),
        once(call(filter, Event, Now, Next)),
        '$fold_keep'(Next)
    ;   '$folded'(Acc)
    ).

'$monitor_result'(Acc, Result) :-
    (   predicate_property(post_process(_, _), number_of_clauses(N)),
        N > 0
    ->  once(call(post_process, Acc, Result))
    ;   Result = Acc
    ).

%! control_flow_graph(?Arcs) is det.
%
%  Arcs are `arc(From, To)` for the procedures of interface events that follow one another, in the order in which they
%  first do; the first comes from user/0. In place of Arcs there may be the name of the program, as in Morphine: then the
%  graph is written as by control_flow_graph/0.
%
%  ?- control_flow_graph([A, B, C|_]).
%  A = arc(user/0, main/2), B = arc(main/2, data/1), C = arc(data/1, data/1).
control_flow_graph(Arcs) :-
    (   '$is_program'(Arcs)
    ->  control_flow_graph
    ;   '$control_flow_graph'(Arcs)
    ).

% Morphine's commands take the name of a program, which they run; here the trace is that of a program which ran.
'$is_program'(Name) :- ( string(Name) ; atom(Name), Name \== [] ), !.

%! control_flow_graph is det.
%
%  Writes control_flow_graph/1 in the language of Graphviz.
%
%  ?- control_flow_graph.
%  true.
control_flow_graph :- control_flow_graph(Arcs), print_dot(Arcs).

%! dynamic_call_graph(?Arcs) is det.
%
%  Arcs are `arc(Caller, Callee, Calls)` for the procedures that have called one another, in the order of the first calls;
%  a procedure that no other called has the caller user/0. In place of Arcs there may be the name of the program, as in
%  Morphine: then the graph is written as by dynamic_call_graph/0.
%
%  ?- dynamic_call_graph([A, B|_]).
%  A = arc(user/0, main/2, 1), B = arc(main/2, data/1, 1).
dynamic_call_graph(Arcs) :-
    (   '$is_program'(Arcs)
    ->  dynamic_call_graph
    ;   '$dynamic_call_graph'(Arcs)
    ).

%! dynamic_call_graph is det.
%
%  Writes dynamic_call_graph/1 in the language of Graphviz.
%
%  ?- dynamic_call_graph.
%  true.
dynamic_call_graph :- dynamic_call_graph(Arcs), print_dot(Arcs).

%! proof_tree(+Call, -Tree) is semidet.
%
%  Tree is the proof tree of a call, as of its last exit: `proof(Call, Goal, Children)`, with the arguments that Goal
%  had at its exit. Calls in failed branches and in negations are left out. Fails for a call that has no exit.
%
%  ?- proof_tree(117, Tree).
%  Tree = proof(117, qperm([4], [4]), [proof(118, qdelete(4, [4], []), []), proof(119, qperm([], []), [])]).
proof_tree(Call, Tree) :-
    '$proof'(Call, _, Node),
    '$proof_goals'([Node], [Tree]).

'$proof_goals'([], []).
'$proof_goals'([node(Call, Exit, _, Below)|Nodes], [proof(Call, Goal, Children)|Trees]) :-
    '$goal'(Exit, Goal),
    '$proof_goals'(Below, Children),
    '$proof_goals'(Nodes, Trees).

%! proof_tree(?Tree) is nondet.
%
%  Tree is the proof tree of a call that no other call made. In place of Tree there may be the name of the program, as in
%  Morphine: then the trees are written as by proof_tree/0.
%
%  ?- proof_tree(proof(Call, main(_, _), [_|_])).
%  Call = 1.
proof_tree(Program) :-
    '$is_program'(Program),
    !,
    proof_tree.
proof_tree(Tree) :-
    call_start(Call, _),
    \+ parent(Call, _),
    proof_tree(Call, Tree).

%! proof_tree is det.
%
%  Writes the proof trees of the calls that no other call made.
%
%  ?- proof_tree.
%  true.
proof_tree :- forall(proof_tree(Tree), print_tree(Tree)).
