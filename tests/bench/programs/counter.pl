% A loop of N rounds that calls itself last, with integer arithmetic.
% small 100: 616561
% middle 200000: 255539
% large 10000000: 223460
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :- loop(N, 0, 1, A).

loop(0, _, A, A) :- !.
loop(N, B, C, A) :-
    D is (B + C * 3) mod 1000003,
    N1 is N - 1,
    loop(N1, C, D, A).
