% Goals that wait for variables: dif/2, freeze/2, when/2, and the attributes of variables that they are made of.
%
% The machine calls '$wake'/1 with what was bound. An attributed variable carries att(Name, Value, Others) or [].

%! dif(@X, @Y) is semidet.
%
%  X and Y are different, and stay so: fails if they are identical, and later as soon as a binding makes them so.
%
%  ?- dif(X, a), member(X, [a, b]).
%  X = b.
%  ?- dif(f(X, Y), f(1, 2)), X = 1, Y = 2.
%  false.
%  ?- dif(a, a).
%  false.
dif(X, Y) :-
    X \== Y,
    dif_check_('$dif'(X, Y, [])).

% dif_check_(+Dif): Dif is '$dif'(X, Y, Watched). It waits for the first of the variables that X and Y still
% differ in: as long as that one is free, no binding can make them identical.
dif_check_(Dif) :-
    Dif = '$dif'(X, Y, Watched),
    (   Watched == done
    ->  true
    ;   unifiable(X, Y, Unifier)
    ->  Unifier = [Variable=Value|_],
        wait_for_(Variable, dif, Dif),
        (   var(Value)
        ->  wait_for_(Value, dif, Dif)
        ;   true
        )
    ;   setarg(3, Dif, done)
    ).

% wait_for_(+Variable, +Name, +Waiting): puts Waiting into the list that Variable carries under Name, unless it is
% there already, as the last argument of Waiting says.
wait_for_(Variable, Name, Waiting) :-
    functor(Waiting, _, Last),
    arg(Last, Waiting, Watched),
    (   identical_member_(Variable, Watched)
    ->  true
    ;   setarg(Last, Waiting, [Variable|Watched]),
        (   get_attr(Variable, Name, Others)
        ->  put_attr(Variable, Name, [Waiting|Others])
        ;   put_attr(Variable, Name, [Waiting])
        )
    ).

identical_member_(X, [Y|Ys]) :- ( X == Y -> true ; identical_member_(X, Ys) ).

%! freeze(?Variable, :Goal) is nondet.
%
%  Calls Goal as soon as Variable is bound; at once if it is.
%
%  ?- freeze(X, Y = seen(X)), X = 1.
%  X = 1, Y = seen(1).
%  ?- freeze(X, X > 2), member(X, [1, 2, 3]).
%  X = 3.
freeze(Variable, Goal) :-
    (   nonvar(Variable)
    ->  call(Goal)
    ;   get_attr(Variable, freeze, Before)
    ->  put_attr(Variable, freeze, '$and'(Before, Goal))
    ;   put_attr(Variable, freeze, Goal)
    ).

%! frozen(@Term, -Goal) is det.
%
%  Goal is the conjunction of the goals that are suspended on variables of Term, `true` if there are none.
%
%  ?- freeze(X, true), dif(X, a), frozen(X, (G, H)), X = b.
%  X = b, G = freeze(b, true), H = dif(b, a).
%  ?- frozen(f(_), G).
%  G = true.
frozen(Term, Goal) :-
    term_attvars(Term, Variables),
    waiting_goals_(Variables, Goals),
    conjunction_(Goals, Goal).

conjunction_([], true).
conjunction_([Goal|Goals], Conjunction) :- conjunction_(Goals, Goal, Conjunction).

conjunction_([], Goal, Goal).
conjunction_([Next|Goals], Goal, (Goal, Rest)) :- conjunction_(Goals, Next, Rest).

%! when(+Condition, :Goal) is nondet.
%
%  Calls Goal as soon as Condition holds: `nonvar(X)`, `ground(T)`, `?=(X, Y)` (they are identical or can never
%  become so), or some of these joined by `,` and `;`.
%
%  ?- when(ground(X+Y), Z is X + Y), X = 1, Y = 2.
%  X = 1, Y = 2, Z = 3.
%  ?- when((nonvar(X) ; nonvar(Y)), Z = now), Y = 1.
%  Y = 1, Z = now.
%  ?- when(true, true).
%  error: domain_error(when_condition, true).
%  ?- when(_, true).
%  error: instantiation_error.
when(Condition, Goal) :-
    check_condition_(Condition),
    when_check_('$when'(Condition, Goal, [])).

check_condition_(Condition) :- var(Condition), !, throw(error(instantiation_error, _)).
check_condition_(nonvar(_)) :- !.
check_condition_(ground(_)) :- !.
check_condition_(?=(_, _)) :- !.
check_condition_((A, B)) :- !, check_condition_(A), check_condition_(B).
check_condition_((A ; B)) :- !, check_condition_(A), check_condition_(B).
check_condition_(Condition) :- throw(error(domain_error(when_condition, Condition), _)).

when_check_(When) :-
    When = '$when'(Condition, Goal, Watched),
    (   Watched == done
    ->  true
    ;   triggers_(Condition, Triggers)
    ->  wait_for_all_(Triggers, When)
    ;   setarg(3, When, done),
        call(Goal)
    ).

wait_for_all_([], _).
wait_for_all_([Variable|Variables], When) :-
    wait_for_(Variable, when, When),
    wait_for_all_(Variables, When).

% triggers_(+Condition, -Variables): Condition does not hold yet, and cannot before one of Variables is bound.
triggers_(nonvar(X), [X]) :- var(X).
triggers_(ground(Term), [Variable]) :- term_variables(Term, [Variable|_]).
triggers_(?=(X, Y), Variables) :-
    \+ ?=(X, Y),
    unifiable(X, Y, Unifier),
    term_variables_of_unifier_(Unifier, Variables).
triggers_((A, B), Variables) :- ( triggers_(A, Variables) -> true ; triggers_(B, Variables) ).
triggers_((A ; B), Variables) :-
    triggers_(A, Variables1),
    triggers_(B, Variables2),
    append(Variables1, Variables2, Variables).

term_variables_of_unifier_([], []).
term_variables_of_unifier_([Variable=Value|Unifier], [Variable|Variables]) :-
    (   var(Value)
    ->  Variables = [Value|Variables1]
    ;   Variables = Variables1
    ),
    term_variables_of_unifier_(Unifier, Variables1).

%! put_attr(?Variable, +Name, +Value) is det.
%
%  Variable carries Value under Name from now on; backtracking undoes it. When Variable is bound,
%  `attr_unify_hook(Name, Value, Other)` of the script is called with what it was bound to, or
%  `attr_unify_hook(Value, Other)` if it has only that.
%
%  ?- put_attr(X, colour, red), get_attr(X, colour, C).
%  C = red.
%  ?- put_attr(a, colour, red).
%  error: uninstantiation_error(a).
%  ?- put_attr(_, 1, red).
%  error: type_error(atom, 1).
put_attr(Variable, Name, Value) :-
    '$with_attribute'(Variable, Name, Value, Attributes),
    '$put_attributes'(Variable, Attributes).

get_attrs_(Variable, Attributes) :- ( get_attrs(Variable, Attributes) -> true ; Attributes = [] ).

%! del_attr(@Variable, +Name) is det.
%
%  Variable carries nothing under Name any more.
%
%  ?- put_attr(X, colour, red), del_attr(X, colour), \+ attvar(X).
%  true.
del_attr(Variable, Name) :-
    must_be(atom, Name),
    (   get_attrs(Variable, Attributes),
        without_attribute_(Attributes, Name, Attributes1)
    ->  '$put_attributes'(Variable, Attributes1)
    ;   true
    ).

without_attribute_(att(Name1, Value1, Others), Name, Attributes) :-
    (   Name1 == Name
    ->  Attributes = Others
    ;   Attributes = att(Name1, Value1, Others1),
        without_attribute_(Others, Name, Others1)
    ).

%! put_attrs(?Variable, +Attributes) is det.
%
%  Variable carries Attributes instead of all others: `att(Name, Value, Others)` or `[]`.
%
%  ?- put_attrs(X, att(a, 1, att(b, 2, []))), get_attr(X, b, V).
%  V = 2.
put_attrs(Variable, Attributes) :-
    must_be(var, Variable),
    check_attributes_(Attributes),
    '$put_attributes'(Variable, Attributes).

check_attributes_(Attributes) :- var(Attributes), !, throw(error(instantiation_error, _)).
check_attributes_([]) :- !.
check_attributes_(att(Name, _, Others)) :- !, must_be(atom, Name), check_attributes_(Others).
check_attributes_(Attributes) :- throw(error(type_error(attributes, Attributes), _)).

%! copy_term(@Term, -Copy, -Goals) is det.
%
%  Copy is a copy of Term whose variables carry nothing, and Goals the list of goals that would give them what those
%  of Term carry.
%
%  ?- dif(X, a), copy_term(f(X), f(Y), [dif(Z, V)]), Y == Z, X = b.
%  X = b, Y = Z, V = a.
%  ?- copy_term(f(_), C, G).
%  C = f(A), G = [].
copy_term(Term, Copy, Goals) :-
    term_attvars(Term, Variables),
    waiting_goals_(Variables, Goals0),
    copy_term_nat(Term-Goals0, Copy-Goals).

% Takes the place of copy_term/2 for terms with attributed variables.
'$copy_attributed'(Term, Copy) :-
    term_attvars(Term, Variables),
    all_attributes_(Variables, Attributes),
    copy_term_nat(copy(Term, Variables, Attributes), copy(Copy1, Variables1, Attributes1)),
    put_all_attributes_(Variables1, Attributes1),
    Copy = Copy1.

all_attributes_([], []).
all_attributes_([Variable|Variables], [Attributes|Rest]) :-
    get_attrs(Variable, Attributes),
    all_attributes_(Variables, Rest).

put_all_attributes_([], []).
put_all_attributes_([Variable|Variables], [Attributes|Rest]) :-
    '$put_attributes'(Variable, Attributes),
    put_all_attributes_(Variables, Rest).

% Take the places of \=/2 and memberchk/2 while there are attributed variables.
'$cannot_equal'(X, Y) :- \+ X = Y.

'$first_member'(X, List) :- member(X, List), !.

% waiting_goals_(+Variables, -Goals): what the variables carry, as goals.
waiting_goals_(Variables, Goals) :-
    waiting_goals_(Variables, [], Goals).

waiting_goals_([], _, []).
waiting_goals_([Variable|Variables], Known, Goals) :-
    get_attrs_(Variable, Attributes),
    (   own_attributes_(Attributes),
        attribute_goals_(Variable, Goals, Goals1)
    ->  Known1 = Known
    ;   goals_of_attributes_(Attributes, Variable, Known, Known1, Goals, Goals1)
    ),
    waiting_goals_(Variables, Known1, Goals1).

% own_attributes_(+Attributes): there is one that a script has put.
own_attributes_(att(Name, _, Others)) :-
    (   \+ built_in_attribute_(Name)
    ->  true
    ;   own_attributes_(Others)
    ).

built_in_attribute_(freeze).
built_in_attribute_(dif).
built_in_attribute_(when).

attribute_goals_(Variable, Goals, Rest) :-
    current_predicate(attribute_goals/3),
    call(attribute_goals(Variable, Goals, Rest)),
    !.

goals_of_attributes_([], _, Known, Known, Goals, Goals).
goals_of_attributes_(att(Name, Value, Others), Variable, Known, Known2, Goals, Rest) :-
    goals_of_attribute_(Name, Value, Variable, Known, Known1, Goals, Goals1),
    goals_of_attributes_(Others, Variable, Known1, Known2, Goals1, Rest).

goals_of_attribute_(freeze, Goal, Variable, Known, Known, Goals, Rest) :- !, frozen_goals_(Goal, Variable, Goals, Rest).
goals_of_attribute_(Name, Waiting, _, Known, Known1, Goals, Rest) :-
    built_in_attribute_(Name),
    !,
    reverse(Waiting, Oldest),
    goals_of_waiting_(Oldest, Known, Known1, Goals, Rest).
goals_of_attribute_(Name, Value, Variable, Known, Known, [put_attr(Variable, Name, Value)|Rest], Rest).

frozen_goals_(Goal, Variable, Goals, Rest) :-
    (   nonvar(Goal),
        Goal = '$and'(A, B)
    ->  frozen_goals_(A, Variable, Goals, Goals1),
        frozen_goals_(B, Variable, Goals1, Rest)
    ;   Goals = [freeze(Variable, Goal)|Rest]
    ).

goals_of_waiting_([], Known, Known, Goals, Goals).
goals_of_waiting_([Waiting|More], Known, Known1, Goals, Rest) :-
    (   \+ identical_member_(Waiting, Known),
        goal_of_waiting_(Waiting, Goal)
    ->  Goals = [Goal|Goals1],
        goals_of_waiting_(More, [Waiting|Known], Known1, Goals1, Rest)
    ;   goals_of_waiting_(More, Known, Known1, Goals, Rest)
    ).

goal_of_waiting_('$when'(Condition, Goal, Watched), when(Condition, Goal)) :- Watched \== done.
goal_of_waiting_('$dif'(X, Y, Watched), Goal) :-
    Watched \== done,
    unifiable(X, Y, Unifier),
    (   Unifier = [Variable=Value]
    ->  Goal = dif(Variable, Value)
    ;   reverse(Unifier, InOrder),
        sides_(InOrder, Lefts, Rights),
        Left =.. [f|Lefts],
        Right =.. [f|Rights],
        Goal = dif(Left, Right)
    ),
    !.

sides_([], [], []).
sides_([X=Y|Unifier], [X|Xs], [Y|Ys]) :- sides_(Unifier, Xs, Ys).

% '$wake'(+Items): '$bound'(Attributes, Value) for each attributed variable that was bound, and '$call'(Goal).
'$wake'([]).
'$wake'([Item|Items]) :-
    wake_(Item),
    '$wake'(Items).

wake_('$bound'(Attributes, Value)) :- unify_attributes_(Attributes, Value).
wake_('$call'(Goal)) :- call(Goal).
wake_('$residual'(Variables, Goals)) :-
    term_attvars(Variables, Attributed),
    waiting_goals_(Attributed, Goals).

unify_attributes_([], _).
unify_attributes_(att(Name, Value, Others), Other) :-
    unify_attribute_(Name, Value, Other),
    unify_attributes_(Others, Other).

unify_attribute_(freeze, Goal, Other) :-
    !,
    (   nonvar(Other)
    ->  call_frozen_(Goal)
    ;   get_attr(Other, freeze, Others)
    ->  put_attr(Other, freeze, '$and'(Others, Goal))
    ;   put_attr(Other, freeze, Goal)
    ).
unify_attribute_(dif, Difs, Other) :-
    !,
    pass_on_(Other, dif, Difs),
    dif_check_all_(Difs).
unify_attribute_(when, Whens, Other) :-
    !,
    pass_on_(Other, when, Whens),
    when_check_all_(Whens).
unify_attribute_(Name, Value, Other) :-
    (   current_predicate(attr_unify_hook/3)
    ->  call(attr_unify_hook(Name, Value, Other))
    ;   current_predicate(attr_unify_hook/2)
    ->  call(attr_unify_hook(Value, Other))
    ;   throw(error(existence_error(procedure, attr_unify_hook/3), _))
    ).

call_frozen_(Goal) :-
    (   nonvar(Goal),
        Goal = '$and'(A, B)
    ->  call_frozen_(A),
        call_frozen_(B)
    ;   call(Goal)
    ).

% pass_on_(?Other, +Name, +Waiting): Other, which takes the place of a variable that carried the list Waiting, carries it
% too if it is a variable.
pass_on_(Other, Name, Waiting) :-
    (   nonvar(Other)
    ->  true
    ;   get_attr(Other, Name, Others)
    ->  append(Waiting, Others, All),
        put_attr(Other, Name, All)
    ;   put_attr(Other, Name, Waiting)
    ).

dif_check_all_([]).
dif_check_all_([Dif|Difs]) :-
    Dif = '$dif'(X, Y, _),
    X \== Y,
    dif_check_(Dif),
    dif_check_all_(Difs).

when_check_all_([]).
when_check_all_([When|Whens]) :-
    when_check_all_(Whens),
    when_check_(When).
