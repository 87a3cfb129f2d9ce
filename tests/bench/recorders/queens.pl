% All ways to place 8 queens, by selection and tests of attacks: calls that fail, and boxes that are entered again.
go :- findall(Qs, queens(8, Qs), Boards), length(Boards, N), write(N), nl.

queens(N, Qs) :- numbers(1, N, Us), place(Us, [], Qs).

place([], Qs, Qs).
place([U|Us], Safe, Qs) :- pick(Q, [U|Us], Rest), \+ attack(Q, 1, Safe), place(Rest, [Q|Safe], Qs).

attack(X, D, [Y|_]) :- X =:= Y+D.
attack(X, D, [Y|_]) :- X =:= Y-D.
attack(X, D, [_|Ys]) :- D1 is D+1, attack(X, D1, Ys).

pick(X, [X|Xs], Xs).
pick(X, [Y|Ys], [Y|Zs]) :- pick(X, Ys, Zs).

numbers(N, N, [N]) :- !.
numbers(I, N, [I|L]) :- I1 is I+1, numbers(I1, N, L).
