% Threads that end have facts of their own.
:- thread_local seen/1.
work(0) :- !.
work(N) :- assertz(seen(N)), retract(seen(N)), M is N-1, work(M).
threads :- findall(Thread, ( between(1, 4, _), thread_create(work(500), Thread) ), Threads),
    forall(member(Thread, Threads), thread_join(Thread, true)).
go :- threads, garbage_collect_atoms, garbage_collect_clauses, threads, work(2), writeln(done).
