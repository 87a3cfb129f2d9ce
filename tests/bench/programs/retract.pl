% A counter kept in a fact, and a queue of facts: N times retract/1 and assertz/1 of each.
% small 100: 201
% middle 10000: 20001
% large 500000: 1000001
:- initialization(main).
:- dynamic(count/1).
:- dynamic(queue/2).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    retractall(count(_)),
    retractall(queue(_, _)),
    assertz(count(0)),
    (   between(1, 1000, I), assertz(queue(I, first)), fail ; true ),
    loop(N),
    count(A0),
    queue(A1, _),
    !,
    A is A0 + A1.

loop(0) :- !.
loop(N) :-
    retract(count(C)),
    C1 is C + 1,
    assertz(count(C1)),
    turn,
    N1 is N - 1,
    loop(N1).

turn :-
    retract(queue(I, _)),
    !,
    J is I + 1000,
    assertz(queue(J, again)).
