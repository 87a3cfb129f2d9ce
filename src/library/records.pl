% Terms that are kept under keys, and numbers under names; backtracking changes neither.

%! recorda(+Key, +Term) is det.
%
%  Keeps a copy of Term under Key, before those that are there. Of a compound key its name and number of
%  arguments count.
%
%  ?- recorda(ka, 1), recorda(ka, 2), findall(X, recorded(ka, X), L).
%  L = [2, 1].
recorda(Key, Term) :- recorda(Key, Term, _).

%! recorda(+Key, +Term, -Reference) is det.
%
%  As recorda/2; Reference stands for what was kept.
%
%  ?- recorda(kb, f(_), _R), instance(_R, T), erase(_R).
%  T = f(A).
recorda(Key, Term, Reference) :-
    record_(Key, Reference, Functor, Number),
    asserta('$record'(Functor, Number, Term)).

%! recordz(+Key, +Term) is det.
%
%  Keeps a copy of Term under Key, after those that are there.
%
%  ?- recordz(kc, 1), recordz(kc, 2), findall(X, recorded(kc, X), L).
%  L = [1, 2].
%  ?- recordz(_, 1).
%  error: instantiation_error.
recordz(Key, Term) :- recordz(Key, Term, _).

%! recordz(+Key, +Term, -Reference) is det.
%
%  As recordz/2; Reference stands for what was kept.
%
%  ?- recordz(kd, a, _R), erase(_R), recorded(kd, X).
%  false.
%  ?- recordz(kd, a, r).
%  error: uninstantiation_error(r).
recordz(Key, Term, Reference) :-
    record_(Key, Reference, Functor, Number),
    assertz('$record'(Functor, Number, Term)).

record_(Key, Reference, Functor, Number) :-
    record_key_(Key, Functor),
    (   var(Reference)
    ->  true
    ;   throw(error(uninstantiation_error(Reference), _))
    ),
    records_are_there_,
    flag('$records', Number, Number + 1),
    Reference = '<record>'(Number).

records_are_there_ :- '$declare'(dynamic, '$record'/3).

% record_key_(+Key, -Functor): what counts of a key.
record_key_(Key, _) :- var(Key), !, throw(error(instantiation_error, _)).
record_key_(Key, Key) :- ( atom(Key) ; integer(Key) ; string(Key) ), !.
record_key_(Key, Name/Arity) :- compound(Key), !, functor(Key, Name, Arity).
record_key_(Key, _) :- throw(error(type_error(key, Key), _)).

%! recorded(?Key, ?Term) is nondet.
%
%  Term unifies with a copy of what is kept under Key.
%
%  ?- recordz(ke(1), x), recorded(ke(2), X).
%  X = x.
recorded(Key, Term) :- recorded(Key, Term, _).

%! recorded(?Key, ?Term, ?Reference) is nondet.
%
%  As recorded/2, with what stands for it.
%
%  ?- recordz(kf(1), x, _R), recorded(K, X, _R).
%  K = kf(A), X = x.
recorded(Key, Term, Reference) :-
    records_are_there_,
    (   var(Key)
    ->  call('$record'(Functor, Number, Kept)),
        key_of_record_(Functor, Key)
    ;   record_key_(Key, Functor),
        call('$record'(Functor, Number, Kept))
    ),
    Reference = '<record>'(Number),
    Term = Kept.

key_of_record_(Functor, Key) :-
    (   Functor = Name/Arity
    ->  functor(Key, Name, Arity)
    ;   Key = Functor
    ).

%! current_key(?Key) is nondet.
%
%  Key has terms kept under it.
%
%  ?- recordz(kg, a), recordz(kg, b), current_key(kg).
%  true.
current_key(Key) :-
    records_are_there_,
    findall(Functor, call('$record'(Functor, _, _)), Functors0),
    sort(Functors0, Functors),
    member(Functor, Functors),
    key_of_record_(Functor, Key).

%! instance(+Reference, -Term) is semidet.
%
%  Term is a copy of what Reference stands for: a record, or a clause `Head :- Body`.
%
%  ?- instance('<record>'(-1), T).
%  false.
%  ?- assertz(ke(1), _R), instance(_R, T), erase(_R).
%  T = (ke(1) :- true).
instance(Reference, Term) :-
    is_clause_reference_(Reference),
    !,
    clause(Head, Body, Reference),
    Term = (Head :- Body).
instance(Reference, Term) :-
    record_number_(Reference, Number),
    call('$record'(_, Number, Kept)),
    !,
    Term = Kept.

%! erase(+Reference) is det.
%
%  Removes what Reference stands for: a record or a clause.
%
%  ?- erase(foo).
%  error: type_error(db_reference, foo).
%  ?- erase('<record>'(-1)).
%  error: existence_error(db_reference, '<record>'(-1)).
%  ?- assertz(kh(1), _R), erase(_R), \+ kh(_).
%  true.
erase(Reference) :-
    is_clause_reference_(Reference),
    !,
    '$erase_clause'(Reference).
erase(Reference) :-
    record_number_(Reference, Number),
    (   retract('$record'(_, Number, _))
    ->  true
    ;   throw(error(existence_error(db_reference, Reference), _))
    ).

is_clause_reference_(Reference) :- nonvar(Reference), Reference = '<clause>'(_, _, _).

record_number_(Reference, _) :- var(Reference), !, throw(error(instantiation_error, _)).
record_number_('<record>'(Number), Number) :- integer(Number), !, records_are_there_.
record_number_(Reference, _) :- throw(error(type_error(db_reference, Reference), _)).

%! flag(+Key, -Old, +New) is det.
%
%  Old is the number under Key, at first 0; then it becomes the value of the expression New.
%
%  ?- flag(n, Old, Old + 1), flag(n, New, New).
%  Old = 0, New = 1.
%  ?- flag(n, _, a).
%  error: type_error(evaluable, a/0).
flag(Key, Old, New) :-
    record_key_(Key, Functor),
    '$declare'(dynamic, '$flag'/2),
    (   call('$flag'(Functor, Value))
    ->  Old = Value
    ;   Old = 0
    ),
    Next is New,
    retractall('$flag'(Functor, _)),
    assertz('$flag'(Functor, Next)).
