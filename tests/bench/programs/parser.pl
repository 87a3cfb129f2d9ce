% A grammar (DCG) reads an arithmetic expression of N terms from codes, and the tree is evaluated.
% small 3: -65
% middle 2000: -47993
% large 100000: -2399993
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    input(N, [], Codes),
    expression(Tree, Codes, []),
    value(Tree, A).

% input(+N, +After, -Codes): N times `+12*(3-x1)` in front of After, and a first number.
input(0, Codes, [0'7|Codes]) :- !.
input(N, After, Codes) :-
    N1 is N - 1,
    input(N1, [0'+, 0'1, 0'2, 0'*, 0'(, 0'3, 0' , 0'-, 0' , 0'x, 0'1, 0')|After], Codes).

expression(E) --> term(T), sums(T, E).

sums(E0, E) --> "+", !, blanks, term(T), sums(E0 + T, E).
sums(E0, E) --> "-", !, blanks, term(T), sums(E0 - T, E).
sums(E, E) --> [].

term(T) --> factor(F), products(F, T).

products(T0, T) --> "*", !, blanks, factor(F), products(T0 * F, T).
products(T, T) --> [].

factor(E) --> "(", !, blanks, expression(E), ")", blanks.
factor(N) --> digit(D), !, digits(D, N), blanks.
factor(var(Name)) --> letter(L), rest(Ls), blanks, { atom_codes(Name, [L|Ls]) }.

digits(N0, N) --> digit(D), !, { N1 is N0 * 10 + D }, digits(N1, N).
digits(N, N) --> [].

digit(D) --> [C], { C >= 0'0, C =< 0'9, D is C - 0'0 }.

letter(C) --> [C], { C >= 0'a, C =< 0'z }.

rest([C|Cs]) --> letter(C), !, rest(Cs).
rest([C|Cs]) --> [C], { C >= 0'0, C =< 0'9 }, !, rest(Cs).
rest([]) --> [].

blanks --> " ", !, blanks.
blanks --> [].

value(A + B, V) :- !, value(A, X), value(B, Y), V is X + Y.
value(A - B, V) :- !, value(A, X), value(B, Y), V is X - Y.
value(A * B, V) :- !, value(A, X), value(B, Y), V is X * Y.
value(var(x1), 5) :- !.
value(N, N).
