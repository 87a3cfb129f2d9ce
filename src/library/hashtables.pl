% Tables that change in place; changes are undone on backtracking.

%! ht_new(-Table) is det.
%
%  A table without keys.
%
%  ?- ht_new(_T), ht_put(_T, a, 1), ht_put(_T, a, 2), ht_pairs(_T, L).
%  L = [a-2].
ht_new('$ht'(t)).

%! ht_is_hashtable(@Term) is semidet.
%
%  Term is such a table.
%
%  ?- ht_is_hashtable([]).
%  false.
ht_is_hashtable(Term) :-
    subsumes_term('$ht'(_), Term).

%! ht_put(!Table, +Key, +Value) is det.
%
%  Gives Key a Value, in place of any other.
%
%  ?- ht_new(_T), ht_put(_T, k, v), ht_get(_T, k, V).
%  V = v.
ht_put(Table, Key, Value) :-
    arg(1, Table, Assoc),
    put_assoc(Key, Assoc, Value, Assoc1),
    setarg(1, Table, Assoc1).

%! ht_put_new(!Table, +Key, +Value) is semidet.
%
%  Gives Key a Value if it has none.
%
%  ?- ht_new(_T), ht_put_new(_T, k, 1), ht_put_new(_T, k, 2).
%  false.
ht_put_new(Table, Key, Value) :-
    \+ ht_get(Table, Key, _),
    ht_put(Table, Key, Value).

%! ht_put(!Table, +Key, +Value, +IfNew, -Old) is det.
%
%  As ht_put/3; Old is the value before, or IfNew.
%
%  ?- ht_new(_T), ht_put(_T, k, 1, 0, Old).
%  Old = 0.
ht_put(Table, Key, Value, IfNew, Old) :-
    (   ht_get(Table, Key, Old0)
    ->  Old = Old0
    ;   Old = IfNew
    ),
    ht_put(Table, Key, Value).

%! ht_update(!Table, +Key, -Old, +New) is semidet.
%
%  Replaces the value Old of Key by New.
%
%  ?- ht_new(_T), ht_put(_T, k, 1), ht_update(_T, k, Old, 2), ht_get(_T, k, V).
%  Old = 1, V = 2.
ht_update(Table, Key, Old, New) :-
    ht_get(Table, Key, Old),
    ht_put(Table, Key, New).

%! ht_get(+Table, +Key, -Value) is semidet.
%
%  Value is that of Key.
%
%  ?- ht_new(_T), ht_get(_T, k, _).
%  false.
ht_get(Table, Key, Value) :-
    arg(1, Table, Assoc),
    get_assoc(Key, Assoc, Value).

%! ht_gen(+Table, ?Key, ?Value) is nondet.
%
%  Enumerates the keys with their values.
%
%  ?- ht_new(_T), ht_put(_T, k, 1), ht_gen(_T, K, V).
%  K = k, V = 1.
ht_gen(Table, Key, Value) :-
    arg(1, Table, Assoc),
    gen_assoc(Key, Assoc, Value).

%! ht_del(!Table, +Key, -Value) is semidet.
%
%  Takes Key away, whose value was Value.
%
%  ?- ht_new(_T), ht_put(_T, k, 1), ht_del(_T, k, V), ht_size(_T, N).
%  V = 1, N = 0.
ht_del(Table, Key, Value) :-
    arg(1, Table, Assoc),
    del_assoc(Key, Assoc, Value, Assoc1),
    setarg(1, Table, Assoc1).

%! ht_size(+Table, -Size) is det.
%
%  The number of keys.
%
%  ?- ht_new(_T), ht_size(_T, N).
%  N = 0.
ht_size(Table, Size) :-
    ht_keys(Table, Keys),
    length(Keys, Size).

%! ht_pairs(?Table, ?Pairs) is det.
%
%  The list of `Key-Value` in standard order of the keys, or a table made from such a list.
%
%  ?- ht_pairs(_T, [b-2, a-1]), ht_keys(_T, K).
%  K = [a, b].
ht_pairs(Table, Pairs) :-
    (   var(Table)
    ->  ht_new(Table),
        ht_put_pairs_(Pairs, Table)
    ;   arg(1, Table, Assoc),
        assoc_to_list(Assoc, Pairs)
    ).

ht_put_pairs_([], _).
ht_put_pairs_([Key-Value|Pairs], Table) :-
    ht_put(Table, Key, Value),
    ht_put_pairs_(Pairs, Table).

%! ht_keys(+Table, -Keys) is det.
%
%  The keys in standard order.
%
%  ?- ht_new(_T), ht_put(_T, k, 1), ht_keys(_T, K).
%  K = [k].
ht_keys(Table, Keys) :-
    arg(1, Table, Assoc),
    assoc_to_keys(Assoc, Keys).

%! ht_values(+Table, -Values) is det.
%
%  The values in standard order of their keys.
%
%  ?- ht_new(_T), ht_put(_T, k, 1), ht_values(_T, V).
%  V = [1].
ht_values(Table, Values) :-
    arg(1, Table, Assoc),
    assoc_to_values(Assoc, Values).
