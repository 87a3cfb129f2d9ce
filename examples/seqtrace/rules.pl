% What should be true of every relay: each ball comes back, round after round, and no hop takes long.
%
% $ papaver check examples/seqtrace/rules.pl examples/seqtrace/relay.raw
%   status 1

check('every message is received') :-
    \+ unreceived(_),
    \+ orphan_receive(_).
check('the ball is in one place at a time') :-
    \+ concurrent(_, _).
check('three rounds are played') :-
    findall(N, event([port=receive, msg={ball, N}]), Ns),
    sort(Ns, [1, 2, 3]).
check('no hop takes more than 30 microseconds') :-
    forall(latency(_, Ns), Ns =< 30000).
