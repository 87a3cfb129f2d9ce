% N keys put into a balanced tree (AVL) and looked up: structures of five arguments, comparison in standard order.
% small 500: 125250
% middle 5000: 502464
% large 100000: 35000
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    fill(N, 12345, t, T),
    look(N, 12345, T, 0, A).

fill(0, _, T, T) :- !.
fill(N, X, T0, T) :-
    next(X, X1),
    put(T0, X1, N, T1, _),
    N1 is N - 1,
    fill(N1, X1, T1, T).

look(0, _, _, A, A) :- !.
look(N, X, T, A0, A) :-
    next(X, X1),
    value(X1, T, V),
    A1 is (A0 + V) mod 1000003,
    N1 is N - 1,
    look(N1, X1, T, A1, A).

next(X, X1) :- X1 is X * 48271 mod 2147483647.

value(K, t(K1, V1, _, L, R), V) :-
    compare(O, K, K1),
    value(O, K, V1, L, R, V).

value(=, _, V, _, _, V).
value(<, K, _, L, _, V) :- value(K, L, V).
value(>, K, _, _, R, V) :- value(K, R, V).

% put(+Tree, +Key, +Value, -NewTree, -Grown)
put(t, K, V, t(K, V, <, t, t), yes).
put(t(K1, V1, B, L, R), K, V, T, Grown) :-
    compare(O, K, K1),
    put(O, K, V, K1, V1, B, L, R, T, Grown).

put(=, K, V, _, _, B, L, R, t(K, V, B, L, R), no).
put(<, K, V, K1, V1, B, L, R, T, Grown) :-
    put(L, K, V, L1, LGrown),
    balance(LGrown, left, B, K1, V1, L1, R, T, Grown).
put(>, K, V, K1, V1, B, L, R, T, Grown) :-
    put(R, K, V, R1, RGrown),
    balance(RGrown, right, B, K1, V1, L, R1, T, Grown).

% The balance is < for even, l and r for a deeper side.
balance(no, _, B, K, V, L, R, t(K, V, B, L, R), no).
balance(yes, Side, B, K, V, L, R, T, Grown) :- grown(Side, B, K, V, L, R, T, Grown).

grown(left, B, K, V, L, R, T, Grown) :- grown_left(B, K, V, L, R, T, Grown).
grown(right, B, K, V, L, R, T, Grown) :- grown_right(B, K, V, L, R, T, Grown).

grown_left(<, K, V, L, R, t(K, V, l, L, R), yes).
grown_left(r, K, V, L, R, t(K, V, <, L, R), no).
grown_left(l, K, V, t(K1, V1, B, A, C), R, T, no) :- turn_right(B, A, C, K1, V1, K, V, R, T).

grown_right(<, K, V, L, R, t(K, V, r, L, R), yes).
grown_right(l, K, V, L, R, t(K, V, <, L, R), no).
grown_right(r, K, V, L, t(K1, V1, B, A, C), T, no) :- turn_left(B, A, C, K1, V1, K, V, L, T).

turn_right(l, A, B, K1, V1, K, V, C, t(K1, V1, <, A, t(K, V, <, B, C))).
turn_right(r, A, t(K2, V2, B2, B, C), K1, V1, K, V, D, t(K2, V2, <, t(K1, V1, B1, A, B), t(K, V, B3, C, D))) :-
    balances(B2, B1, B3).

turn_left(r, B, C, K1, V1, K, V, A, t(K1, V1, <, t(K, V, <, A, B), C)).
turn_left(l, t(K2, V2, B2, B, C), D, K1, V1, K, V, A, t(K2, V2, <, t(K, V, B1, A, B), t(K1, V1, B3, C, D))) :-
    balances(B2, B1, B3).

balances(l, <, r).
balances(r, l, <).
balances(<, <, <).
