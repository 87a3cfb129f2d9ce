% A script with a main goal and arguments.
:- initialization(main, main).

main :- current_prolog_flag(argv, Arguments), print(Arguments), nl, p(X), X > 1, writeln(X).

p(1).
p(2).
