% Engines and threads that work, and some that are ended from outside. Each procedure counts its own calls, answers, and how
% often it is entered again; go/0 prints what was counted.
c(Key) :- flag(Key, N, N+1).

nat(N) :- c('nat/1 call'), between(1, 5, N), ( c('nat/1 exit') ; c('nat/1 redo'), fail ).
twice(N) :- c('twice/1 call'), nat(M), N is 2*M, ( c('twice/1 exit') ; c('twice/1 redo'), fail ).
square(X, Y) :- c('square/2 call'), Y is X*X, c('square/2 exit').
quick(X) :- c('quick/1 call'), X = quick, c('quick/1 exit').

% Adds what is posted to its engine, and never ends by itself.
sum(S0) :- c('sum/1 call'), engine_fetch(N), S is S0+N, engine_yield(S), sum(S).

% The last message is 0.
send(0, Queue) :- !, c('send/2 call'), thread_send_message(Queue, 0), c('send/2 exit').
send(N, Queue) :- c('send/2 call'), thread_send_message(Queue, N), M is N-1, send(M, Queue), c('send/2 exit').
receive(Queue, Sum) :- c('receive/2 call'), thread_get_message(Queue, N),
    ( N =:= 0 -> Sum = 0 ; receive(Queue, Sum0), Sum is Sum0+N ), c('receive/2 exit').

waits(Queue) :- c('waits/1 call'), thread_send_message(Queue, here), sleep(60), c('waits/1 exit').
leaves :- c('leaves/0 call'), thread_exit(early), c('leaves/0 exit').

engines :- engine_create(N, twice(N), E), engine_next(E, A), engine_next(E, B), writeln(A-B), engine_destroy(E),
    engine_create(N, nat(N), All), all(All), engine_create(_, sum(0), Sum),
    forall(member(X, [1, 2, 3]), ( engine_post(Sum, X, Y), writeln(Y) )), engine_destroy(Sum).
all(E) :- c('all/1 call'), ( engine_next(E, X) -> writeln(X), all(E) ; true ), c('all/1 exit').

threads :- message_queue_create(Queue), thread_create(send(20, Queue), Sender), receive(Queue, Sum), thread_join(Sender), writeln(Sum),
    first_solution(X, [quick(X)], []), writeln(X), concurrent_maplist(square, [1, 2, 3, 4, 5, 6], Squares), writeln(Squares),
    thread_create(waits(Queue), Waiting), thread_get_message(Queue, here), thread_signal(Waiting, abort), thread_join(Waiting, Aborted),
    thread_create(leaves, Leaving), thread_join(Leaving, Left), writeln([Aborted, Left]).

go :- engines, threads,
    findall(Key, ( current_flag(Key), atom(Key), sub_atom(Key, _, 1, _, /) ), Keys), sort(Keys, Sorted),
    forall(member(Key, Sorted), ( flag(Key, N, N), writeln(Key=N) )).
