% Definite clause grammars: rules with `-->` become clauses with two more arguments, lists.

%! phrase(:Body, ?List) is nondet.
%@ calls 2.
%
%  The grammar body Body describes all of List.
%
%  ?- phrase(([a], [X]), [a, b]).
%  X = b.
%  ?- phrase([a], [a, b]).
%  false.
phrase(Body, List) :-
    phrase(Body, List, []).

%! phrase(:Body, ?List, ?Rest) is nondet.
%@ calls 2.
%
%  The grammar body Body describes the front of List, up to Rest.
%
%  ?- phrase([a], [a, b], Rest).
%  Rest = [b].
%  ?- phrase("ab", L, []).
%  L = [97, 98].
%  ?- phrase(Body, [a], Rest).
%  error: instantiation_error.
%  ?- phrase(1, [a], Rest).
%  error: type_error(callable, 1).
%  ?- phrase([a], a, Rest).
%  error: type_error(list, a).
phrase(Body, List, Rest) :-
    must_be_phrase_list_(List),
    must_be_phrase_list_(Rest),
    (   dcg_is_control_(Body)
    ->  dcg_body_(Body, List0, Rest0, Goal),
        List0 = List,
        Rest0 = Rest,
        call(Goal)
    ;   must_be(callable, Body),
        call(Body, List, Rest)
    ).

% Only the first cell is looked at: phrase/3 may be called for every rest of a long list.
must_be_phrase_list_(List) :-
    (   var(List)
    ->  true
    ;   List = [_|_]
    ->  true
    ;   List == []
    ->  true
    ;   type_error(list, List)
    ).

%! dcg_translate_rule(+Rule, -Clause) is det.
%
%  Clause is the grammar rule `Head --> Body` as an ordinary clause.
%
%  ?- dcg_translate_rule((a --> [x], b), C).
%  C = (a([x|S1], S) :- b(S1, S)).
%  ?- dcg_translate_rule((a --> b, {c}, !, d), C).
%  C = (a(S0, S) :- b(S0, S1), c, !, d(S1, S)).
%  ?- dcg_translate_rule((a, [p] --> b), C).
%  C = (a(S0, S) :- b(S0, S1), S = [p|S1]).
%  ?- dcg_translate_rule((a --> "xy"), C).
%  C = a([120, 121|S], S).
%  ?- dcg_translate_rule((1 --> b), C).
%  error: type_error(callable, 1).
%  ?- dcg_translate_rule((a --> b, 1), C).
%  error: type_error(callable, 1).
dcg_translate_rule((Head --> Body), Clause) :-
    dcg_head_(Head, List, Rest, End, Pushback, ClauseHead),
    dcg_clause_body_(Body, List, End, Goal0),
    dcg_pushed_(Pushback, Rest, End, Goal0, Goal),
    (   Goal == true
    ->  Clause = ClauseHead
    ;   Clause = (ClauseHead :- Goal)
    ).

% dcg_head_(+Head, ?List, ?Rest, ?End, -Pushback, -ClauseHead): the body ends at End; that is Rest, or
% Rest is what the pushback puts before it.
dcg_head_(Head, List, Rest, End, Pushback, ClauseHead) :-
    (   nonvar(Head),
        Head = (Plain, Pushed)
    ->  dcg_pushback_(Pushed, Pushback)
    ;   Plain = Head,
        Pushback = [],
        End = Rest
    ),
    dcg_extended_(Plain, List, Rest, ClauseHead).

dcg_pushback_(Pushed, Pushback) :-
    (   dcg_is_terminals_(Pushed, Pushback)
    ->  true
    ;   must_be(list, Pushed)
    ).

dcg_pushed_([], _, _, Goal, Goal).
dcg_pushed_([Item|Items], Rest, End, Goal0, Goal) :-
    dcg_terminals_([Item|Items], End, Pushed),
    dcg_and_(Goal0, Rest = Pushed, Goal).

% dcg_clause_body_(+Body, ?List, ?Rest, -Goal): as dcg_body_/4, but terminals at the start of Body go
% into the clause's head, where they take part in choosing the clause.
dcg_clause_body_(Body, List, Rest, Goal) :-
    (   dcg_is_terminals_(Body, Items)
    ->  dcg_terminals_(Items, Rest, List),
        Goal = true
    ;   nonvar(Body),
        Body = (First, Second),
        dcg_is_terminals_(First, Items)
    ->  dcg_terminals_(Items, List1, List),
        dcg_body_(Second, List1, Rest, Goal)
    ;   dcg_body_(Body, List, Rest, Goal)
    ).

% dcg_is_terminals_(+Body, -Items): Body stands for the elements Items.
dcg_is_terminals_(Body, Items) :-
    (   string(Body)
    ->  string_codes(Body, Items)
    ;   is_list(Body)
    ->  Items = Body
    ).

dcg_terminals_([], List, List).
dcg_terminals_([Item|Items], Rest, [Item|List]) :-
    dcg_terminals_(Items, Rest, List).

% dcg_extended_(+Term, ?List, ?Rest, -Goal): Term with two more arguments.
dcg_extended_(Term, List, Rest, Goal) :-
    must_be(callable, Term),
    Term =.. Parts,
    append(Parts, [List, Rest], GoalParts),
    Goal =.. GoalParts.

dcg_and_(First, Second, Goal) :-
    (   First == true
    ->  Goal = Second
    ;   Second == true
    ->  Goal = First
    ;   Goal = (First, Second)
    ).

% dcg_body_(+Body, ?List, ?Rest, -Goal)
dcg_body_(Body, List, Rest, Goal) :-
    (   var(Body)
    ->  Goal = phrase(Body, List, Rest)
    ;   dcg_is_terminals_(Body, Items)
    ->  dcg_terminals_(Items, Rest, Front),
        Goal = (List = Front)
    ;   dcg_control_(Body, List, Rest, Goal)
    ->  true
    ;   Body = [_|_]
    ->  type_error(list, Body)
    ;   dcg_extended_(Body, List, Rest, Goal)
    ).

% dcg_is_control_(+Body): Body is not just a nonterminal.
dcg_is_control_(Body) :-
    nonvar(Body),
    (   string(Body)
    ->  true
    ;   dcg_control_form_(Body)
    ->  true
    ).

dcg_control_form_([]).
dcg_control_form_([_|_]).
dcg_control_form_((_, _)).
dcg_control_form_((_ ; _)).
dcg_control_form_((_ -> _)).
dcg_control_form_((_ *-> _)).
dcg_control_form_('|'(_, _)).
dcg_control_form_(\+ _).
dcg_control_form_(!).
dcg_control_form_({}).
dcg_control_form_({_}).
dcg_control_form_(Call) :-
    functor(Call, call, Arity),
    Arity >= 1.

dcg_control_((First, Second), List, Rest, Goal) :-
    dcg_sequence_(First, Second, List, Rest, Goal).
dcg_control_((First ; Second), List, Rest, (Goal1 ; Goal2)) :-
    dcg_body_(First, List, Rest, Goal1),
    dcg_body_(Second, List, Rest, Goal2).
dcg_control_('|'(First, Second), List, Rest, (Goal1 ; Goal2)) :-
    dcg_body_(First, List, Rest, Goal1),
    dcg_body_(Second, List, Rest, Goal2).
dcg_control_((If -> Then), List, Rest, (Goal1 -> Goal2)) :-
    dcg_body_(If, List, List1, Goal1),
    dcg_body_(Then, List1, Rest, Goal2).
dcg_control_((If *-> Then), List, Rest, (Goal1 *-> Goal2)) :-
    dcg_body_(If, List, List1, Goal1),
    dcg_body_(Then, List1, Rest, Goal2).
dcg_control_(\+ Body, List, Rest, (\+ Goal, List = Rest)) :-
    dcg_body_(Body, List, _, Goal).
dcg_control_(!, List, Rest, (!, List = Rest)).
dcg_control_({}, List, Rest, List = Rest).
dcg_control_({Goal}, List, Rest, Goal1) :-
    dcg_and_(Goal, List = Rest, Goal1).
dcg_control_(Call, List, Rest, Goal) :-
    functor(Call, call, Arity),
    Arity >= 1,
    dcg_extended_(Call, List, Rest, Goal).

% dcg_sequence_(+First, +Second, ?List, ?Rest, -Goal): a cut or `{Goal}` before something else leaves
% the list alone, so that no unification is needed.
dcg_sequence_(First, Second, List, Rest, Goal) :-
    (   dcg_keeps_list_(First, Goal1)
    ->  dcg_body_(Second, List, Rest, Goal2),
        dcg_and_(Goal1, Goal2, Goal)
    ;   dcg_body_(First, List, List1, Goal1),
        dcg_body_(Second, List1, Rest, Goal2),
        dcg_and_(Goal1, Goal2, Goal)
    ).

dcg_keeps_list_(Body, Goal) :-
    nonvar(Body),
    (   Body == (!)
    ->  Goal = !
    ;   Body = {Goal}
    ).

%! expand_term(+Clause, -Clause1) is det.
%
%  Clause1 is a grammar rule as a clause, and everything else as it is.
%
%  ?- expand_term((a --> [b]), C), expand_term(p(x), D).
%  C = a([b|A], A), D = p(x).
expand_term(Clause, Clause1) :-
    (   nonvar(Clause),
        Clause = (_ --> _)
    ->  dcg_translate_rule(Clause, Clause1)
    ;   Clause1 = Clause
    ).
