% Checking arguments and throwing the standard errors from rules.

%! must_be(+Type, ?Value) is det.
%
%  True if Value is of Type, else throws the error that the standard gives for it.
%  Types: `acyclic`, `any`, `atom`, `atomic`, `boolean`, `callable`, `char`, `chars`, `code`, `codes`, `compound`,
%  `cyclic`, `float`, `ground`, `integer`, `order`, `pair`, `symbol`,
%  `list`, `list(Type)`, `list_or_partial_list`, `nonneg`, `nonvar`, `number`, `positive_integer`,
%  `string`, `text`, `var`, `between(Low, High)` and `oneof(List)`.
%
%  ?- must_be(integer, 3).
%  true.
%  ?- must_be(integer, _).
%  error: instantiation_error.
%  ?- must_be(integer, a).
%  error: type_error(integer, a).
%  ?- must_be(nonneg, -1).
%  error: type_error(not_less_than_zero, -1).
%  ?- must_be(oneof([on, off]), up).
%  error: domain_error(oneof([on, off]), up).
must_be(Type, Value) :-
    (   is_of_type(Type, Value)
    ->  true
    ;   refuse_value_(Type, Value)
    ).

%! is_of_type(+Type, ?Value) is semidet.
%
%  True if Value is of Type, one of the types of must_be/2.
%
%  ?- is_of_type(nonneg, 0).
%  true.
%  ?- is_of_type(list(atom), [a, 1]).
%  false.
%  ?- is_of_type(fruit, apple).
%  error: existence_error(type, fruit).
is_of_type(Type, Value) :-
    (   nonvar(Type)
    ->  true
    ;   throw(error(instantiation_error, _))
    ),
    (   type_test_(Type, Value, Test)
    ->  call(Test)
    ;   existence_error(type, Type)
    ).

% type_test_(+Type, +Value, -Test): Test is the goal that holds if Value is of Type.
type_test_(any, _, true).
type_test_(atom, X, atom(X)).
type_test_(atomic, X, atomic(X)).
type_test_(bool, X, is_boolean_(X)).
type_test_(boolean, X, is_boolean_(X)).
type_test_(callable, X, callable(X)).
type_test_(compound, X, compound(X)).
type_test_(float, X, float(X)).
type_test_(ground, X, ground(X)).
type_test_(integer, X, integer(X)).
type_test_(list, X, is_list(X)).
type_test_(proper_list, X, is_list(X)).
type_test_(list(Type), X, is_list_of_(X, Type)).
type_test_(list_or_partial_list, X, is_list_or_partial_(X)).
type_test_(nonneg, X, (integer(X), X >= 0)).
type_test_(nonvar, X, nonvar(X)).
type_test_(number, X, number(X)).
type_test_(positive_integer, X, (integer(X), X >= 1)).
type_test_(string, X, string(X)).
type_test_(text, X, is_text_(X)).
type_test_(var, X, var(X)).
type_test_(between(Low, High), X, is_between_(X, Low, High)).
type_test_(acyclic, X, acyclic_term(X)).
type_test_(cyclic, X, cyclic_term(X)).
type_test_(symbol, X, atom(X)).
type_test_(pair, X, subsumes_term(_-_, X)).
type_test_(order, X, (atom(X), memberchk(X, [<, =, >]))).
type_test_(char, X, (atom(X), atom_length(X, 1))).
type_test_(chars, X, is_list_of_(X, char)).
type_test_(code, X, (integer(X), X >= 0, X =< 0x10ffff)).
type_test_(codes, X, is_list_of_(X, code)).
type_test_(oneof(Values), X, (ground(X), memberchk(X, Values))).

is_boolean_(X) :-
    (   X == true
    ->  true
    ;   X == false
    ).

is_text_(X) :-
    (   string(X)
    ->  true
    ;   atom(X)
    ).

is_between_(X, Low, High) :-
    (   integer(Low), integer(High)
    ->  integer(X)
    ;   number(X)
    ),
    X >= Low,
    X =< High.

is_list_of_(List, Type) :-
    is_list(List),
    all_of_type_(List, Type).

all_of_type_([], _).
all_of_type_([X|Xs], Type) :-
    is_of_type(Type, X),
    all_of_type_(Xs, Type).

is_list_or_partial_(List) :-
    (   var(List)
    ->  true
    ;   List = [_|Rest]
    ->  is_list_or_partial_(Rest)
    ;   List == []
    ).

% refuse_value_(+Type, +Value): throws the error for a Value that is not of Type.
refuse_value_(Type, Value) :-
    (   Type == var
    ->  throw(error(uninstantiation_error(Value), _))
    ;   lacks_value_(Type, Value)
    ->  throw(error(instantiation_error, _))
    ;   range_error_(Type, Value, Error)
    ->  throw(error(Error, _))
    ;   Type = list(Of), is_list(Value)
    ->  must_be_each_(Value, Of)
    ;   type_error_name_(Type, Name)
    ->  type_error(Name, Value)
    ).

must_be_each_([], _).
must_be_each_([X|Xs], Type) :-
    must_be(Type, X),
    must_be_each_(Xs, Type).

lacks_value_(Type, Value) :-
    (   var(Value)
    ->  true
    ;   Type == ground
    ->  true
    ;   ( Type == list ; Type = list(_) ; Type == proper_list )
    ->  is_list_or_partial_(Value),
        \+ is_list(Value)
    ).

range_error_(nonneg, X, type_error(not_less_than_zero, X)) :-
    integer(X).
range_error_(positive_integer, X, type_error(not_less_than_one, X)) :-
    integer(X).
range_error_(between(Low, High), X, domain_error(between(Low, High), X)) :-
    (   integer(Low), integer(High)
    ->  integer(X)
    ;   number(X)
    ).
range_error_(order, X, domain_error(order, X)) :-
    atom(X).
range_error_(oneof(Values), X, domain_error(oneof(Values), X)).

% type_error_name_(+Type, -Name): the name under which the standard knows Type.
type_error_name_(Type, Name) :-
    (   Type = between(Low, High)
    ->  (   integer(Low), integer(High)
        ->  Name = integer
        ;   Name = number
        )
    ;   ( Type == nonneg ; Type == positive_integer )
    ->  Name = integer
    ;   Type == boolean
    ->  Name = bool
    ;   ( Type == list_or_partial_list ; Type == proper_list )
    ->  Name = list
    ;   Type = list(_)
    ->  Name = list
    ;   Name = Type
    ).

%! type_error(+Type, +Culprit) is failure.
%
%  Throws the standard error for a value of the wrong type.
%
%  ?- type_error(list, a).
%  error: type_error(list, a).
type_error(Type, Culprit) :-
    throw(error(type_error(Type, Culprit), _)).

%! domain_error(+Domain, +Culprit) is failure.
%
%  Throws the standard error for a value of the right type that is not one of those meant.
%
%  ?- domain_error(order, '?').
%  error: domain_error(order, ?).
domain_error(Domain, Culprit) :-
    throw(error(domain_error(Domain, Culprit), _)).

%! existence_error(+Kind, +Culprit) is failure.
%
%  Throws the standard error for something that does not exist.
%
%  ?- existence_error(counter, c1).
%  error: existence_error(counter, c1).
existence_error(Kind, Culprit) :-
    throw(error(existence_error(Kind, Culprit), _)).

%! permission_error(+Action, +Kind, +Culprit) is failure.
%
%  Throws the standard error for something that is not allowed.
%
%  ?- permission_error(modify, static_procedure, foo/1).
%  error: permission_error(modify, static_procedure, foo/1).
permission_error(Action, Kind, Culprit) :-
    throw(error(permission_error(Action, Kind, Culprit), _)).

%! existence_error(+Kind, +Culprit, +In) is failure.
%
%  As existence_error/2, for something that does not exist in a term.
%
%  ?- existence_error(key, k, []).
%  error: existence_error(key, k, []).
existence_error(Kind, Culprit, In) :-
    throw(error(existence_error(Kind, Culprit, In), _)).

%! instantiation_error(+Term) is failure.
%
%  Throws the standard error for a variable where a value is needed.
%
%  ?- instantiation_error(_).
%  error: instantiation_error.
instantiation_error(_) :-
    throw(error(instantiation_error, _)).

%! uninstantiation_error(+Culprit) is failure.
%
%  Throws the standard error for a value where a variable is needed.
%
%  ?- uninstantiation_error(a).
%  error: uninstantiation_error(a).
uninstantiation_error(Culprit) :-
    throw(error(uninstantiation_error(Culprit), _)).

%! representation_error(+What) is failure.
%
%  Throws the standard error for a value beyond what can be represented.
%
%  ?- representation_error(max_arity).
%  error: representation_error(max_arity).
representation_error(What) :-
    throw(error(representation_error(What), _)).

%! resource_error(+What) is failure.
%
%  Throws the standard error for something that has run out.
%
%  ?- resource_error(memory).
%  error: resource_error(memory).
resource_error(What) :-
    throw(error(resource_error(What), _)).

%! syntax_error(+What) is failure.
%
%  Throws the standard error for a text that cannot be read.
%
%  ?- syntax_error(bad_number).
%  error: syntax_error(bad_number).
syntax_error(What) :-
    throw(error(syntax_error(What), _)).
