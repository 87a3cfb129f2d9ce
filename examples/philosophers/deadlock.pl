% Five philosophers have one fork each and wait for another: who waits for whom, and where?
%
% $ papaver run examples/philosophers/deadlock.pl examples/philosophers/philos_deadlock.trc
%
% Every process that stands at a P operation when the trace ends is blocked. The forks are semaphores that whoever
% passes them lets pass again, so that each has a holder; the one that the sixth process waits for has none.

main :-
    forall(blocked(P, on(S)), waiting(P, S)),
    forall(cycle(L), circle(L)).

waiting(P, S) :-
    last_event(P, C),
    place(C, Place),
    format("~w waits for ~w at ~w (event ~d), ", [P, S, Place, C]),
    (   holds(Q, S, From, inf)
    ->  place(From, Since),
        format("which ~w took at ~w (event ~d)~n", [Q, Since, From])
    ;   format("which nobody holds~n")
    ).

circle(L) :-
    length(L, N),
    format("~na circle of ~d:~n", [N]),
    forall(member(P, L), ( waits_for(P, Q), format("  ~w waits for ~w~n", [P, Q]) )).

last_event(P, C) :-
    incarnation(P, _, C, open).

place(C, File:Line) :-
    event([chrono=C, file=File, line=Line]).
