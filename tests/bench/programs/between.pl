% A loop of N rounds by between/3 and failure; the divisors found are counted.
% small 100: 9
% middle 200000: 42
% large 10000000: 64
:- initialization(main).
:- dynamic(found/1).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    retractall(found(_)),
    (   between(1, N, I), 0 =:= N mod I, assertz(found(I)), fail ; true ),
    findall(I, found(I), L),
    length(L, A).
