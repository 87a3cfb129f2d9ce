% N facts asserted, each looked up right after it was added: an index that grows with its clauses.
% small 1000: 0
% middle 20000: 386
% large 1000000: 567864
:- initialization(main).
:- dynamic(seen/2).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    retractall(seen(_, _)),
    loop(N, 12345, 0, A).

loop(0, _, A, A) :- !.
loop(N, X, A0, A) :-
    X1 is X * 48271 mod 2147483647,
    K is X1 mod 500009,
    (   seen(K, _)
    ->  A1 is A0 + 1
    ;   assertz(seen(K, N)),
        A1 = A0
    ),
    N1 is N - 1,
    loop(N1, X1, A1, A).
