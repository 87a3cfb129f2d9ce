% Lists of pairs `Key-Value`, as keysort/2 takes them.

%! pairs_keys_values(?Pairs, ?Keys, ?Values) is det.
%@ pure.
%
%  Pairs is a list of `Key-Value` with the Keys and the Values.
%
%  ?- pairs_keys_values(P, [a, b], [1, 2]).
%  P = [a-1, b-2].
%  ?- pairs_keys_values([a-1, b-2], K, V).
%  K = [a, b], V = [1, 2].
pairs_keys_values(Pairs, Keys, Values) :-
    complete_(Pairs, [Keys, Values]),
    pairs_keys_values_(Pairs, Keys, Values).

pairs_keys_values_([], [], []).
pairs_keys_values_([Key-Value|Pairs], [Key|Keys], [Value|Values]) :-
    pairs_keys_values_(Pairs, Keys, Values).

%! pairs_keys(?Pairs, ?Keys) is det.
%@ pure.
%
%  Keys are the keys of Pairs.
%
%  ?- pairs_keys([a-1, b-2], K).
%  K = [a, b].
pairs_keys(Pairs, Keys) :-
    complete_(Pairs, [Keys]),
    pairs_keys_(Pairs, Keys).

pairs_keys_([], []).
pairs_keys_([Key-_|Pairs], [Key|Keys]) :-
    pairs_keys_(Pairs, Keys).

%! pairs_values(?Pairs, ?Values) is det.
%@ pure.
%
%  Values are the values of Pairs.
%
%  ?- pairs_values([a-1, b-2], V).
%  V = [1, 2].
pairs_values(Pairs, Values) :-
    complete_(Pairs, [Values]),
    pairs_values_(Pairs, Values).

pairs_values_([], []).
pairs_values_([_-Value|Pairs], [Value|Values]) :-
    pairs_values_(Pairs, Values).

%! map_list_to_pairs(:Goal, +List, -Pairs) is det.
%@ calls 2.
%
%  Pairs has `Key-Element` for each element of List, where `call(Goal, Element, Key)` gives the key.
%
%  ?- map_list_to_pairs(atom_length, [abc, d], P).
%  P = [3-abc, 1-d].
map_list_to_pairs(Goal, List, Pairs) :-
    keyed_(List, Goal, Pairs).

keyed_([], _, []).
keyed_([X|Xs], Goal, [Key-X|Pairs]) :-
    call(Goal, X, Key),
    keyed_(Xs, Goal, Pairs).

%! transpose_pairs(+Pairs, -Transposed) is det.
%
%  Transposed has `Value-Key` for every `Key-Value`, in standard order of the values.
%
%  ?- transpose_pairs([a-2, b-1], P).
%  P = [1-b, 2-a].
transpose_pairs(Pairs, Transposed) :-
    pairs_keys_values(Pairs, Keys, Values),
    pairs_keys_values(Exchanged, Values, Keys),
    keysort(Exchanged, Transposed).

%! group_pairs_by_key(+Pairs, -Groups) is det.
%
%  Groups has a pair `Key-Values` for each run of neighbouring pairs with identical keys.
%
%  ?- group_pairs_by_key([a-1, a-2, b-3, a-4], Groups).
%  Groups = [a-[1, 2], b-[3], a-[4]].
group_pairs_by_key([], []).
group_pairs_by_key([Key-Value|Pairs], [Key-[Value|Values]|Groups]) :-
    '$same_key'(Pairs, Key, Values, Rest),
    group_pairs_by_key(Rest, Groups).

'$same_key'([Other-Value|Pairs], Key, Values, Rest) :-
    Other == Key,
    !,
    Values = [Value|More],
    '$same_key'(Pairs, Key, More, Rest).
'$same_key'(Rest, _, [], Rest).
