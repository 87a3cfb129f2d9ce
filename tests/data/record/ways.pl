% Ways in which a program runs and ends.
:- use_module(library(unix)).

p(1).
p(2).

go :- p(X), writeln(X), X > 1, !, current_prolog_flag(argv, Arguments), print(Arguments), nl.

stops :- p(X), X > 1, halt(3).

fails :- p(X), X > 5.

raises :- p(X), X > 1, catch(atom_length(_, _), error(Error, _), throw(Error)).

throws :- p(X), throw(oops(X)).

reads :- read(Term), print(got(Term)), nl, ( Term == end_of_file -> true ; reads ).

both :- p(X), format(user_error, "error ~w~n", [X]), write(X), print_message(warning, format("warning ~w", [X])), X > 1.

command :- current_prolog_flag(os_argv, All), print(All), nl, current_prolog_flag(argv, Own), print(Own), nl, p(1).

% What a program could notice of a recorder.
state :-
    nb_setval(key, f(1)), p(_), nb_getval(key, Value), print(Value), nl,
    set_random(seed(42)), random_between(1, 1000, N), print(N), nl,
    findall(X-Y, ( p(X), p(Y) ), Pairs), print(Pairs), nl,
    stream_property(S, alias(user_output)), line_position(S, Column), print(Column), nl,
    ( getenv('PAPAVER_OUT', Out) -> print(Out), nl ; true ),
    findall(T, thread_property(T, alias(_)), Threads), length(Threads, Aliases), ( Aliases >= 1 -> writeln(threads) ; true ),
    freeze(V, p(V)), V = 2, copy_term(V, W), print(W), nl,
    catch(call_with_depth_limit(p(_), 10, _), _, true), b_setval(v, 1), b_getval(v, B), print(B), nl.

forks :- p(1), fork(Pid), ( Pid == child -> p(2), writeln(child), halt(4) ; wait(Pid, Status), writeln(Status) ), p(2).

forever :- get_time(T), repeat, p(1), get_time(Now), Now > T + 60.
