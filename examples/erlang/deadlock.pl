% Two accounts move money to each other at the same time, and neither answers: which message do they wait for?
% `papaver record -o bank.jsonl -- erl -noshell -s bank main` recorded the program bank.erl.
%
% $ papaver run examples/erlang/deadlock.pl examples/erlang/bank.jsonl
%
% A process waits in a call that is still open when the program is halted. Here such a call has the other process as its
% first argument. How the same call ended when all went well shows the message that it waits for.

main :-
    forall(waits(P, Q, Call), report(P, Q, Call)),
    forall(never_sent(P, Q, Message), format("~w has sent no ~w to ~w since then~n", [Q, Message, P])),
    forall(circle(P, Q), format("~w and ~w wait for each other~n", [P, Q])).

waits(P, Q, Call) :-
    open_call(Call),
    event([call=Call, port=call, name=deposit, pid=P, args=[Q|_]]).

report(P, Q, Call) :-
    event([call=Call, port=call, chrono=Start, args=Args]),
    format("~w waits for ~w in deposit~w since event ~d~n", [P, Q, Args, Start]),
    forall(event([port=receive, pid=P, chrono=C, chrono>Start, args=[_, Message]]),
           format("  event ~d: ~w came instead~n", [C, Message])).

% The message that ended such a call before.
never_sent(P, Q, {ok, Q}) :-
    waits(P, Q, Call),
    call_start(Call, Start),
    once(event([port=exit, name=deposit, result={ok, _}])),
    \+ event([port=send, pid=Q, chrono>Start, args=[P, {ok, Q}]]).

circle(P, Q) :-
    waits(P, Q, One),
    waits(Q, P, Other),
    One < Other.
