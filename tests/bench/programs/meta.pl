% Goals called: maplist, foldl by hand, call/N, \+ and if-then-else over a list of 100, N times.
% small 5: 2550
% middle 300: 181787
% large 10000: 40054
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    numbers(1, 100, L),
    loop(N, L, 0, A).

loop(0, _, A, A) :- !.
loop(N, L, A0, A) :-
    maplist(twice, L, L2),
    maplist(small, L2),
    fold(plus3(N), L2, 0, S),
    kept(L2, odd, Odd),
    length(Odd, Length),
    Goal = (X = N, \+ X = 0, ( X > 0 -> true ; fail )),
    call(Goal),
    A1 is (A0 + S + Length) mod 1000003,
    N1 is N - 1,
    loop(N1, L, A1, A).

twice(X, Y) :- Y is X * 2 + 1.

small(X) :- X < 1000.

odd(X) :- 1 =:= X mod 2.

plus3(N, X, S0, S) :- S is (S0 + X + N) mod 1009.

fold(_, [], S, S).
fold(G, [X|Xs], S0, S) :- call(G, X, S0, S1), fold(G, Xs, S1, S).

kept([], _, []).
kept([X|Xs], G, L) :- ( call(G, X) -> L = [X|L1] ; L = L1 ), kept(Xs, G, L1).

numbers(N, N, [N]) :- !.
numbers(I, N, [I|L]) :- I1 is I + 1, numbers(I1, N, L).
