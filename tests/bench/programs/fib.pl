% The N-th Fibonacci number by the definition: first arguments that are integers, two calls, no last call.
% small 10: 55
% middle 18: 2584
% large 28: 317811
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :- fib(N, A).

fib(0, 0).
fib(1, 1).
fib(N, F) :-
    N > 1,
    N1 is N - 1,
    N2 is N - 2,
    fib(N1, F1),
    fib(N2, F2),
    F is F1 + F2.
