% The primes below N by a sieve on lists, then by trial division; counted.
% small 200: 92
% middle 2000: 606
% large 20000: 4524
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    numbers(2, N, L),
    sieve(L, Ps),
    length(Ps, A0),
    trial(N, 0, A1),
    A is A0 + A1.

sieve([], []).
sieve([P|Xs], [P|Ps]) :- remove(Xs, P, Ys), sieve(Ys, Ps).

remove([], _, []).
remove([X|Xs], P, Ys) :- 0 =:= X mod P, !, remove(Xs, P, Ys).
remove([X|Xs], P, [X|Ys]) :- remove(Xs, P, Ys).

trial(1, A, A) :- !.
trial(N, A0, A) :-
    ( prime(N, 2) -> A1 is A0 + 1 ; A1 = A0 ),
    N1 is N - 1,
    trial(N1, A1, A).

prime(N, D) :- D * D > N, !.
prime(N, D) :- N mod D =\= 0, D1 is D + 1, prime(N, D1).

numbers(N, N, [N]) :- !.
numbers(I, N, [I|L]) :- I1 is I + 1, numbers(I1, N, L).
