% A signal that comes in a deep recursion: how many inferences that takes.
go :- thread_self(Thread), forall(member(Depth, [100, 4000]), deep(Depth, Thread)).
deep(0, Thread) :- !, statistics(inferences, I0), thread_signal(Thread, true), here, statistics(inferences, I1), I is I1-I0, writeln(I).
deep(N, Thread) :- M is N-1, deep(M, Thread), here.
here.
