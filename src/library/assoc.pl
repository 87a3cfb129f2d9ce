% Association lists: balanced trees of keys and values, in the standard order of the keys.

%! empty_assoc(?Assoc) is semidet.
%
%  Assoc has no keys.
%
%  ?- empty_assoc(_A), assoc_to_list(_A, L).
%  L = [].
empty_assoc(t).

%! put_assoc(+Key, +Assoc, +Value, -Assoc1) is det.
%
%  Assoc1 is Assoc with Value for Key.
%
%  ?- empty_assoc(_A), put_assoc(k, _A, 1, _B), get_assoc(k, _B, V).
%  V = 1.
put_assoc(Key, Assoc, Value, Assoc1) :-
    assoc_put_(Assoc, Key, Value, Assoc1).

assoc_put_(t, Key, Value, t(Key, Value, 1, t, t)).
assoc_put_(t(Key0, Value0, Height, Left, Right), Key, Value, Assoc) :-
    compare(Order, Key, Key0),
    assoc_put_(Order, Key, Value, t(Key0, Value0, Height, Left, Right), Assoc).

assoc_put_(=, Key, Value, t(_, _, Height, Left, Right), t(Key, Value, Height, Left, Right)).
assoc_put_(<, Key, Value, t(Key0, Value0, _, Left, Right), Assoc) :-
    assoc_put_(Left, Key, Value, Left1),
    assoc_balanced_(Key0, Value0, Left1, Right, Assoc).
assoc_put_(>, Key, Value, t(Key0, Value0, _, Left, Right), Assoc) :-
    assoc_put_(Right, Key, Value, Right1),
    assoc_balanced_(Key0, Value0, Left, Right1, Assoc).

% The heights of the two trees differ by 2 at most.
assoc_balanced_(Key, Value, Left, Right, Assoc) :-
    assoc_height_(Left, HeightL),
    assoc_height_(Right, HeightR),
    Difference is HeightL - HeightR,
    (   Difference > 1
    ->  assoc_rotated_right_(Key, Value, Left, Right, Assoc)
    ;   Difference < -1
    ->  assoc_rotated_left_(Key, Value, Left, Right, Assoc)
    ;   assoc_node_(Key, Value, Left, Right, Assoc)
    ).

assoc_rotated_right_(Key, Value, t(KeyL, ValueL, _, LeftL, RightL), Right, Assoc) :-
    assoc_height_(LeftL, HeightLL),
    assoc_height_(RightL, HeightLR),
    (   HeightLL >= HeightLR
    ->  assoc_node_(Key, Value, RightL, Right, Lower),
        assoc_node_(KeyL, ValueL, LeftL, Lower, Assoc)
    ;   RightL = t(KeyM, ValueM, _, LeftM, RightM),
        assoc_node_(KeyL, ValueL, LeftL, LeftM, Lower1),
        assoc_node_(Key, Value, RightM, Right, Lower2),
        assoc_node_(KeyM, ValueM, Lower1, Lower2, Assoc)
    ).

assoc_rotated_left_(Key, Value, Left, t(KeyR, ValueR, _, LeftR, RightR), Assoc) :-
    assoc_height_(LeftR, HeightRL),
    assoc_height_(RightR, HeightRR),
    (   HeightRR >= HeightRL
    ->  assoc_node_(Key, Value, Left, LeftR, Lower),
        assoc_node_(KeyR, ValueR, Lower, RightR, Assoc)
    ;   LeftR = t(KeyM, ValueM, _, LeftM, RightM),
        assoc_node_(Key, Value, Left, LeftM, Lower1),
        assoc_node_(KeyR, ValueR, RightM, RightR, Lower2),
        assoc_node_(KeyM, ValueM, Lower1, Lower2, Assoc)
    ).

assoc_node_(Key, Value, Left, Right, t(Key, Value, Height, Left, Right)) :-
    assoc_height_(Left, HeightL),
    assoc_height_(Right, HeightR),
    Height is max(HeightL, HeightR) + 1.

assoc_height_(t, 0).
assoc_height_(t(_, _, Height, _, _), Height).

%! get_assoc(+Key, +Assoc, -Value) is semidet.
%
%  Value is that of Key.
%
%  ?- list_to_assoc([a-1, b-2], _A), get_assoc(b, _A, V).
%  V = 2.
get_assoc(Key, t(Key0, Value0, _, Left, Right), Value) :-
    compare(Order, Key, Key0),
    (   Order = (=)
    ->  Value = Value0
    ;   Order = (<)
    ->  get_assoc(Key, Left, Value)
    ;   get_assoc(Key, Right, Value)
    ).

%! del_assoc(+Key, +Assoc, -Value, -Assoc1) is semidet.
%
%  Assoc1 is Assoc without Key, whose value was Value.
%
%  ?- list_to_assoc([a-1, b-2], _A), del_assoc(a, _A, V, _B), assoc_to_list(_B, L).
%  V = 1, L = [b-2].
del_assoc(Key, t(Key0, Value0, _, Left, Right), Value, Assoc) :-
    compare(Order, Key, Key0),
    (   Order = (=)
    ->  Value = Value0,
        assoc_joined_(Left, Right, Assoc)
    ;   Order = (<)
    ->  del_assoc(Key, Left, Value, Left1),
        assoc_balanced_(Key0, Value0, Left1, Right, Assoc)
    ;   del_assoc(Key, Right, Value, Right1),
        assoc_balanced_(Key0, Value0, Left, Right1, Assoc)
    ).

assoc_joined_(Left, Right, Assoc) :-
    (   Right == t
    ->  Assoc = Left
    ;   min_assoc(Right, Key, Value),
        del_assoc(Key, Right, _, Right1),
        assoc_balanced_(Key, Value, Left, Right1, Assoc)
    ).

%! min_assoc(+Assoc, -Key, -Value) is semidet.
%
%  The first key in standard order, with its value.
%
%  ?- list_to_assoc([b-2, a-1], _A), min_assoc(_A, K, V).
%  K = a, V = 1.
min_assoc(t(Key0, Value0, _, Left, _), Key, Value) :-
    (   Left == t
    ->  Key = Key0,
        Value = Value0
    ;   min_assoc(Left, Key, Value)
    ).

%! max_assoc(+Assoc, -Key, -Value) is semidet.
%
%  The last key in standard order, with its value.
%
%  ?- list_to_assoc([b-2, a-1], _A), max_assoc(_A, K, V).
%  K = b, V = 2.
max_assoc(t(Key0, Value0, _, _, Right), Key, Value) :-
    (   Right == t
    ->  Key = Key0,
        Value = Value0
    ;   max_assoc(Right, Key, Value)
    ).

%! list_to_assoc(+Pairs, -Assoc) is det.
%
%  Assoc has the keys and values of a list of `Key-Value`; a key that occurs twice is an error.
%
%  ?- list_to_assoc([a-1, a-2], _).
%  error: domain_error(unique_key_pairs, [a-1, a-2]).
list_to_assoc(Pairs, Assoc) :-
    must_be(list, Pairs),
    pairs_keys(Pairs, Keys),
    length(Keys, N),
    sort(Keys, Distinct),
    (   length(Distinct, N)
    ->  foldl(assoc_put_pair_, Pairs, t, Assoc)
    ;   domain_error(unique_key_pairs, Pairs)
    ).

assoc_put_pair_(Key-Value, Assoc0, Assoc) :-
    assoc_put_(Assoc0, Key, Value, Assoc).

%! ord_list_to_assoc(+Pairs, -Assoc) is det.
%
%  The same as list_to_assoc/2, which takes pairs in any order.
%
%  ?- ord_list_to_assoc([a-1], _A), assoc_to_keys(_A, K).
%  K = [a].
ord_list_to_assoc(Pairs, Assoc) :-
    list_to_assoc(Pairs, Assoc).

%! assoc_to_list(+Assoc, -Pairs) is det.
%
%  The list of `Key-Value` in standard order of the keys.
%
%  ?- list_to_assoc([b-2, a-1], _A), assoc_to_list(_A, L).
%  L = [a-1, b-2].
assoc_to_list(Assoc, Pairs) :-
    assoc_pairs_(Assoc, Pairs, []).

assoc_pairs_(t, Pairs, Pairs).
assoc_pairs_(t(Key, Value, _, Left, Right), Pairs, Tail) :-
    assoc_pairs_(Left, Pairs, [Key-Value|Pairs1]),
    assoc_pairs_(Right, Pairs1, Tail).

%! assoc_to_keys(+Assoc, -Keys) is det.
%
%  The keys in standard order.
%
%  ?- list_to_assoc([b-2, a-1], _A), assoc_to_keys(_A, L).
%  L = [a, b].
assoc_to_keys(Assoc, Keys) :-
    assoc_to_list(Assoc, Pairs),
    pairs_keys(Pairs, Keys).

%! assoc_to_values(+Assoc, -Values) is det.
%
%  The values in standard order of their keys.
%
%  ?- list_to_assoc([b-2, a-1], _A), assoc_to_values(_A, L).
%  L = [1, 2].
assoc_to_values(Assoc, Values) :-
    assoc_to_list(Assoc, Pairs),
    pairs_values(Pairs, Values).

%! gen_assoc(?Key, +Assoc, ?Value) is nondet.
%
%  Enumerates the keys with their values, in standard order of the keys.
%
%  ?- list_to_assoc([b-2, a-1], _A), gen_assoc(K, _A, V).
%  K = a, V = 1
%  ; K = b, V = 2.
gen_assoc(Key, Assoc, Value) :-
    (   ground(Key)
    ->  get_assoc(Key, Assoc, Value)
    ;   assoc_to_list(Assoc, Pairs),
        member(Key-Value, Pairs)
    ).

%! is_assoc(@Term) is semidet.
%
%  Term is a table whose keys are in order.
%
%  ?- list_to_assoc([a-1, b-2], _T), is_assoc(_T).
%  true.
%  ?- is_assoc(t(1)).
%  false.
is_assoc(Term) :-
    nonvar(Term),
    is_assoc_(Term, [], Keys),
    sort(Keys, Sorted),
    Keys == Sorted.

is_assoc_(Tree, _, _) :- var(Tree), !, fail.
is_assoc_(t, Keys, Keys).
is_assoc_(t(Key, _, _, Left, Right), Keys0, Keys) :-
    is_assoc_(Right, Keys0, Keys1),
    is_assoc_(Left, [Key|Keys1], Keys).

%! map_assoc(:Goal, +Assoc) is semidet.
%@ calls 1.
%
%  Goal holds of every value.
%
%  ?- list_to_assoc([a-1, b-2], _T), map_assoc(integer, _T).
%  true.
map_assoc(Goal, Assoc) :-
    assoc_to_values(Assoc, Values),
    maplist(Goal, Values).

%! map_assoc(:Goal, +Assoc, ?Assoc1) is semidet.
%@ calls 2.
%
%  Assoc1 has the same keys; Goal holds of each two values.
%
%  ?- list_to_assoc([a-1, b-2], _T), map_assoc(succ, _T, _T1), assoc_to_list(_T1, L).
%  L = [a-2, b-3].
map_assoc(Goal, Assoc, Assoc1) :- map_assoc_(Assoc, Goal, Assoc1).

map_assoc_(t, _, t).
map_assoc_(t(Key, Value, Height, Left, Right), Goal, t(Key, Value1, Height, Left1, Right1)) :-
    map_assoc_(Left, Goal, Left1),
    call(Goal, Value, Value1),
    map_assoc_(Right, Goal, Right1).

%! del_min_assoc(+Assoc, -Key, -Value, -Assoc1) is semidet.
%
%  Assoc1 is Assoc without its least Key.
%
%  ?- list_to_assoc([a-1, b-2], _T), del_min_assoc(_T, K, V, _T1), assoc_to_list(_T1, L).
%  K = a, V = 1, L = [b-2].
del_min_assoc(Assoc, Key, Value, Assoc1) :-
    min_assoc(Assoc, Key, _),
    del_assoc(Key, Assoc, Value, Assoc1).

%! del_max_assoc(+Assoc, -Key, -Value, -Assoc1) is semidet.
%
%  Assoc1 is Assoc without its greatest Key.
%
%  ?- list_to_assoc([a-1, b-2], _T), del_max_assoc(_T, K, V, _T1), assoc_to_list(_T1, L).
%  K = b, V = 2, L = [a-1].
del_max_assoc(Assoc, Key, Value, Assoc1) :-
    max_assoc(Assoc, Key, _),
    del_assoc(Key, Assoc, Value, Assoc1).
