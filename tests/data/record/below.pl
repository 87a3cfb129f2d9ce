% A deep recursion of which the inferences are printed, those of a recorder included.
go :- steps(1000), steps(4000).

steps(N) :- statistics(inferences, Before), deep(N), statistics(inferences, After), Steps is After-Before, writeln(Steps).

deep(0) :- !.
deep(N) :- leaf(N), N1 is N-1, deep(N1), leaf(N).

leaf(_).
