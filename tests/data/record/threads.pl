% Two threads that work beside the main one, and one that outlives it.
go :- thread_create(work(3), A), thread_create(work(4), B, [alias(second)]), thread_create(outlive(0), _, [detached(true)]),
    thread_join(A), thread_join(B), work(2).
work(0) :- !.
work(N) :- N1 is N-1, work(N1).
outlive(N) :- N1 is N+1, outlive(N1).
