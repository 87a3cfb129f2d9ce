% A tail recursion of a million steps, which a debugger keeps on the stack.
go :- loop(1000000), write(done), nl.
loop(0) :- !.
loop(N) :- N1 is N-1, loop(N1).
longer :- loop(3000000), write(done), nl.
