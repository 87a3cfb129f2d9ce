% Questions to the traces of model checkers: what changed, when, and what a loop repeats.

%! change(?Var, ?Chrono) is nondet.
%
%  The step to the state Chrono changes the variable Var.
%
%  On itf/lasso.json:
%  ?- change(phase, Chrono).
%  Chrono = 2
%  ; Chrono = 3
%  ; Chrono = 4.
change(Var, Chrono) :-
    event([chrono=Chrono, changed=Vars]),
    member(Var, Vars).

% '$value_in_state'(?Var, ?Chrono, ?V): the variable Var is V in the state Chrono.
'$value_in_state'(Var, Chrono, V) :-
    event([chrono=Chrono, vars=Pairs]),
    member(Var-V, Pairs).

%! first_state(:Goal, ?Chrono) is semidet.
%
%  Chrono is the first state for which Goal holds: a list of constraints, or a goal that is called with the number of the
%  state.
%
%  On itf/lasso.json:
%  ?- first_state([phase="wait"], Chrono).
%  Chrono = 3.
%  ?- first_state([C]>>(value(queue, C, [_, _|_])), Chrono).
%  Chrono = 3.
%@ calls 1.
first_state(Goal, Chrono) :-
    event([chrono=C]),
    (   is_list(Goal) -> event([chrono=C|Goal]) ; call(Goal, C) ),
    !,
    Chrono = C.

%! last_change(?Var, ?Chrono) is nondet.
%
%  The step to the state Chrono is the last one that changes the variable Var.
%
%  On itf/lasso.json:
%  ?- last_change(seen, Chrono).
%  Chrono = 4.
last_change(Var, Chrono) :-
    findall(V-C, change(V, C), Changes),
    keysort(Changes, Sorted),
    group_pairs_by_key(Sorted, Groups),
    member(Var-Chronos, Groups),
    last(Chronos, Chrono).

%! stutter(?Chrono) is nondet.
%
%  The step to the state Chrono changes no variable.
%
%  On itf/lasso.json:
%  ?- stutter(Chrono).
%  false.
%  On itf/stutter.json:
%  ?- stutter(Chrono).
%  Chrono = 2
%  ; Chrono = 4.
stutter(Chrono) :-
    event([chrono=Chrono, changed=Changed, index=I]),
    Changed == [],
    I > 0.

%! in_loop(?Chrono) is nondet.
%
%  A lasso repeats the state Chrono for ever.
%
%  On itf/lasso.json:
%  ?- in_loop(Chrono).
%  Chrono = 2
%  ; Chrono = 3
%  ; Chrono = 4.
in_loop(Chrono) :-
    event([chrono=Chrono, loop=true]).

%! next_state(?Chrono, ?Next) is nondet.
%
%  The state Next follows Chrono. The last state of a lasso is followed by the one with which the loop goes on: the first
%  state of the loop, or the one after it if the last state is the same as the first.
%
%  On itf/lasso.json:
%  ?- next_state(4, Next).
%  Next = 3.
next_state(Chrono, Next) :-
    event([chrono=Chrono, next=Next]).

%! later_state(+Chrono, ?Later) is nondet.
%
%  Later is Chrono or comes after it, on the infinite way of a lasso, or up to the last state of a trace without a loop. So
%  `\+ (later_state(C, L), \+ Goal)` means that Goal always holds from C on, and `later_state(C, L), Goal` that it holds
%  eventually.
%
%  On itf/lasso.json:
%  ?- findall(L, later_state(4, L), All).
%  All = [4, 3].
later_state(Chrono, Later) :-
    must_be(integer, Chrono),
    '$later_state'(Chrono, [], Later).

'$later_state'(Chrono, Seen, Later) :-
    \+ memberchk(Chrono, Seen),
    (   Later = Chrono
    ;   next_state(Chrono, Next),
        '$later_state'(Next, [Chrono|Seen], Later)
    ).

%! never_changes(?Var) is nondet.
%
%  No step changes the variable Var.
%
%  On itf/lasso.json:
%  ?- never_changes(Var).
%  false.
never_changes(Var) :-
    setof(V, C^X^value(V, C, X), Vars),
    member(Var, Vars),
    \+ change(Var, _).

%! delta(?Chrono, -Changes) is nondet.
%
%  Changes are those of the step to the state Chrono, as Var-(Old->New).
%
%  On itf/lasso.json:
%  ?- delta(4, Changes).
%  Changes = [phase-("wait"->"busy"), queue-([tuple([1, "a"]), tuple([-123456789012345678901234567890, "b"])]->[tuple([1, "a"])]), seen-(set(["a", "b"])->set(["a"]))].
delta(Chrono, Changes) :-
    event([chrono=Chrono, changed=Vars]),
    '$state_before'(Chrono, Before),
    findall(Var-(Old->New), (member(Var, Vars), value(Var, Before, Old), value(Var, Chrono, New)), Changes).

% '$state_before'(+Chrono, -Before): the state before Chrono; the numbers of states that cannot be read are left out.
'$state_before'(Chrono, Before) :-
    Last is Chrono - 1,
    Last > 0,
    (   event([chrono=Last])
    ->  Before = Last
    ;   '$state_before'(Last, Before)
    ).

%! path(?Var, -Values) is nondet.
%
%  Values are those that the variable Var has in turn, one for each change.
%
%  On itf/lasso.json:
%  ?- path(phase, Values).
%  Values = ["idle", "busy", "wait", "busy"].
path(Var, Values) :-
    setof(V, C^X^value(V, C, X), Vars),
    member(Var, Vars),
    trace_info(first_chrono, First),
    findall(V, (value(Var, C, V), (C =:= First -> true ; change(Var, C))), Values).

'$open_lasso'(Chrono) :-
    aggregate_all(min(C), in_loop(C), First),
    aggregate_all(max(C), in_loop(C), Chrono),
    next_state(Chrono, First),
    First =\= Chrono.
