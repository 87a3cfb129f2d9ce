% Answers collected by findall/3: N lists of 10, and one of 10 N structures.
% small 50: 1000
% middle 5000: 100000
% large 150000: 3000000
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    small(N, 0, A0),
    M is N * 10,
    findall(pair(X, Y, [X, Y]), (between(1, M, X), Y is X mod 10), L),
    length(L, A1),
    A is A0 + A1.

small(0, S, S) :- !.
small(N, S0, S) :-
    findall(X, item(X), L),
    length(L, Length),
    S1 is S0 + Length,
    N1 is N - 1,
    small(N1, S1, S).

item(1). item(b). item("c"). item(f(d)). item([e]). item(6). item(g). item(8.0). item(i(_, _)). item(10).
