% Checks on a trace with a gap: what was found is certain, what was not found may have been lost.
% $ papaver check examples/overflow/rules.pl examples/overflow/loop.jsonl
%   status 1

check('no job is taken twice') :-
    forall(event([name=job_get, data=Data, chrono=C]),
           \+ event([name=job_get, data=Data, chrono > C])).

check('no worker fails') :-
    \+ event([name=job_failed]).

check('no worker fails once the trace goes on') :-
    \+ event([name=job_failed, chrono=3..78]).

check('workers leave no notes') :-
    \+ event([name=note]).
