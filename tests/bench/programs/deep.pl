% Lists of N elements: append, length, reverse, a recursion that is no last call, and the same again.
% small 100: 15453
% middle 10000: 150045003
% large 500000: 375002250003
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    round(N, A0), round(N, A1), round(N, A2),
    A is A0 + A1 + A2.

round(N, A) :-
    numbers(1, N, L),
    append(L, [0], L1),
    reverse(L1, [_|L2]),
    sum(L2, S),
    length(L1, Length),
    length(Fresh, N),
    append(Fresh, _, L1),
    A is S + Length.

sum([], 0).
sum([X|Xs], S) :- sum(Xs, S0), S is S0 + X.

numbers(N, N, [N]) :- !.
numbers(I, N, [I|L]) :- I1 is I + 1, numbers(I1, N, L).
