% Collecting the answers of a goal in lists: bagof/3, setof/3 and others. findall/3 is a builtin.

%! findall(?Template, :Goal, -List, ?Tail) is det.
%@ pure.
%
%  List is the Template of every answer of Goal, followed by Tail.
%
%  ?- findall(X, member(X, [a, b]), L, [end]).
%  L = [a, b, end].
%  ?- findall(X, fail, L, T).
%  L = T.
%  ?- findall(X, true, a, T).
%  error: type_error(list, a).
findall(Template, Goal, List, Tail) :-
    partial_list_(List),
    '$collect_open'(Number),
    collect_(Number, Template, Goal),
    '$collect_close'(Number, Answers, Tail),
    List = Answers.

%! findnsols(+N, ?Template, :Goal, -List) is nondet.
%
%  List is the Template of the next N answers of Goal; on backtracking, of the N after them.
%  The last List may be shorter; it is empty only if there is no answer at all.
%
%  ?- findnsols(2, X, member(X, [a, b, c]), L).
%  L = [a, b]
%  ; L = [c].
%  ?- findnsols(2, X, fail, L).
%  L = [].
findnsols(N, Template, Goal, List) :-
    must_be(nonneg, N),
    partial_list_(List),
    (   N =:= 0
    ->  List = []
    ;   '$state_new'(Chunk, chunk(0, none)),
        '$state_new'(Any, no),
        copy_term(Template-Goal, Template1-Goal1),
        findnsols_(N, Template1, Goal1, Chunk, Any, Reversed),
        reverse(Reversed, List)
    ).

% The chunk is chunk(Count, Last): each answer has a state of its own, linked to the one before, so
% that no answer is copied twice.
findnsols_(N, Template, Goal, Chunk, Any, Reversed) :-
    call(Goal),
    '$state_get'(Chunk, chunk(Count, Last)),
    '$state_new'(Answer, answer(Template, Last)),
    Count1 is Count + 1,
    (   Count1 < N
    ->  '$state_set'(Chunk, chunk(Count1, Answer)),
        fail
    ;   '$state_set'(Chunk, chunk(0, none)),
        '$state_set'(Any, yes),
        take_answers_(Answer, Reversed)
    ).
findnsols_(_, _, _, Chunk, Any, Reversed) :-
    '$state_get'(Chunk, chunk(_, Last)),
    '$state_get'(Any, Before),
    '$state_free'(Chunk),
    '$state_free'(Any),
    (   Last == none
    ->  Before == no,
        Reversed = []
    ;   take_answers_(Last, Reversed)
    ).

take_answers_(Id, Reversed) :-
    (   Id == none
    ->  Reversed = []
    ;   '$state_get'(Id, answer(Answer, Previous)),
        '$state_free'(Id),
        Reversed = [Answer|Reversed1],
        take_answers_(Previous, Reversed1)
    ).

%! ^(?Variables, :Goal) is nondet.
%@ pure.
%
%  Calls Goal; in bagof/3, setof/3 and aggregate/3 the Variables are those that may differ between
%  the answers of one list.
%
%  ?- X^member(X, [a]).
%  X = a.
'^'(_, Goal) :-
    call(Goal).

%! bagof(?Template, :Goal, -List) is nondet.
%@ pure, calls ^.
%
%  List is the Template of every answer of Goal, and not empty.
%
%  Variables of Goal that are not in Template get values: there is one List for each combination of
%  them, in standard order. `X^Goal` excepts the variable X from that.
%
%  ?- bagof(X, member(X, [c, a, b, a]), L).
%  L = [c, a, b, a].
%  ?- bagof(X, member(X-Y, [1-b, 2-a, 3-b]), L).
%  Y = a, L = [2]
%  ; Y = b, L = [1, 3].
%  ?- bagof(X, Y^member(X-Y, [1-b, 2-a, 3-b]), L).
%  L = [1, 2, 3].
%  ?- bagof(X, fail, L).
%  false.
%  ?- bagof(X, G, L).
%  error: instantiation_error.
%  ?- bagof(X, 1, L).
%  error: type_error(callable, 1).
bagof(Template, Goal, List) :-
    partial_list_(List),
    plain_goal_(Goal, Template, Bound, Plain),
    free_variables_(Plain, Bound, Free),
    (   Free == []
    ->  findall(Template, Plain, Answers),
        Answers = [_|_],
        List = Answers
    ;   Witness =.. [v|Free],
        findall(Witness-Template, Plain, Pairs),
        keysort(Pairs, Sorted),
        witness_group_(Sorted, Witness, List)
    ).

%! setof(?Template, :Goal, -Set) is nondet.
%@ pure, calls ^.
%
%  Set is the Template of every answer of Goal, in standard order, none twice, and not empty.
%  Other variables of Goal are treated as by bagof/3.
%
%  ?- setof(X, member(X, [c, a, b, a]), L).
%  L = [a, b, c].
%  ?- setof(X-Y, member(X-Y, [2-a, 1-b]), L).
%  L = [1-b, 2-a].
%  ?- setof(X, member(X-Y, [2-a, 1-b, 1-a]), L).
%  Y = a, L = [1, 2]
%  ; Y = b, L = [1].
%  ?- setof(X, member(X, [a]), 12).
%  error: type_error(list, 12).
setof(Template, Goal, Set) :-
    partial_list_(Set),
    bagof(Template, Goal, List),
    sort(List, Set).

% plain_goal_(+Goal, +Bound0, -Bound, -Plain): Plain is Goal without its `Variables^`, which go to Bound.
plain_goal_(Goal, Bound0, Bound, Plain) :-
    (   var(Goal)
    ->  throw(error(instantiation_error, _))
    ;   Goal = Variables^Inner
    ->  plain_goal_(Inner, Variables+Bound0, Bound, Plain)
    ;   must_be(callable, Goal),
        Bound = Bound0,
        Plain = Goal
    ).

% free_variables_(+Goal, +Bound, -Free): the variables of Goal that are not in Bound. Those of Bound
% come first among the variables of both, so that what follows them is the answer.
free_variables_(Goal, Bound, Free) :-
    term_variables(Bound, Known),
    term_variables(Known+Goal, All),
    append(Known, Free, All).

% witness_group_(+Pairs, ?Witness, -List): the answers of one witness after the other.
witness_group_([First-Answer|Pairs], Witness, List) :-
    (   ground(First)
    ->  ground_group_(Pairs, First, Answers, Others)
    ;   variant_group_(Pairs, First, Answers, Others)
    ),
    witness_group_(Others, First-[Answer|Answers], Witness, List).

witness_group_([], Witness-List, Witness, List).
witness_group_([_|_], Witness-List, Witness, List).
witness_group_([Pair|Pairs], _, Witness, List) :-
    witness_group_([Pair|Pairs], Witness, List).

% Equal ground witnesses are neighbours.
ground_group_([], _, [], []).
ground_group_([Witness-Answer|Pairs], First, Answers, Others) :-
    (   Witness == First
    ->  Answers = [Answer|Answers1],
        ground_group_(Pairs, First, Answers1, Others)
    ;   Answers = [],
        Others = [Witness-Answer|Pairs]
    ).

variant_group_([], _, [], []).
variant_group_([Witness-Answer|Pairs], First, Answers, Others) :-
    (   Witness =@= First
    ->  Witness = First,
        Answers = [Answer|Answers1],
        variant_group_(Pairs, First, Answers1, Others)
    ;   Others = [Witness-Answer|Others1],
        variant_group_(Pairs, First, Answers, Others1)
    ).
