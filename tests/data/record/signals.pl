% Signals that interrupt goals, by exceptions and without, and limits of time and of inferences.
:- use_module(library(time)).

forever :- repeat, q(2), fail.
q(_).
p(0) :- !.
p(N) :- q(N), N1 is N-1, p(N1).

limits :- forall(between(1, 10, I), ( catch(call_with_time_limit(0.03, forever), E, true), print(I-E), nl )), p(3).

many :- forall(between(1, 100, N), ( T is (N mod 9+1)/1000, catch(call_with_time_limit(T, forever), time_limit_exceeded, true) )),
    writeln(done).

inner :- catch(call_with_time_limit(1, ( catch(call_with_time_limit(0.1, forever), time_limit_exceeded, writeln(inner)), forever )),
               Error, ( print(outer(Error)), nl )).

enough :- call_with_time_limit(60, p(100)), writeln(done).

waits :- catch(call_with_time_limit(0.1, sleep(60)), Error, ( print(Error), nl )), q(1).

rings :- alarm(0.1, flag(rang, _, 1), Id, []), repeat, q(1), flag(rang, 1, 1), !, remove_alarm(Id), writeln(rang).

threads :- thread_create(catch(forever, Error, ( print(Error), nl )), Thread), sleep(0.2), thread_signal(Thread, throw(stop)),
    thread_join(Thread, Status), print(Status), nl.

inferences :- call_with_inference_limit(p(5), 1000, Result), print(Result), nl,
    ( call_with_inference_limit(forever, 1000, Exceeded), print(Exceeded), nl ),
    forall(call_with_inference_limit(member(X, [a, b]), 100000, More), ( q(X), print(X-More), nl )),
    ( call_with_inference_limit(fail, 100, _) -> true ; writeln(no) ).

handlers :- on_signal(usr1, Old, raise), print(Old), nl, on_signal(usr1, Mine, Mine), print(Mine), nl,
    forall(between(1, 5, I), ( kill, catch(forever, Error, true), print(I-Error), nl )),
    on_signal(usr1, _, counted), kill, repeat, q(1), flag(counted, 1, 1), !,
    on_signal(usr1, Last, default), print(Last), nl, on_signal(int, Int, Int), print(Int), nl, p(3).
raise(Signal) :- throw(raised(Signal)).
counted(_) :- flag(counted, _, 1).
kill :- current_prolog_flag(pid, Pid), format(string(Command), "(sleep 0.1; kill -USR1 ~d) &", [Pid]), shell(Command).

% Kills itself below so many calls.
killed :- deep(30000).
deep(0) :- !, current_prolog_flag(pid, Pid), format(string(Command), "kill -KILL ~d", [Pid]), shell(Command), sleep(10).
deep(N) :- M is N-1, deep(M), q(N).
