% What philosophers should do with their forks, and what these did.
%
% $ papaver check examples/philosophers/forks.pl examples/philosophers/philos_ok.trc examples/philosophers/philos_deadlock.trc
%   status 1
%
% In the second run all took their first fork before anybody took a second one.

check('no fork is in two hands') :-
    \+ overlap(_, _, _).

check('who took a fork puts it down again') :-
    \+ unreleased(_, _).

check('nobody waits in a circle') :-
    \+ cycle(_).

check('whoever reaches for a fork gets it') :-
    forall(event([port=p, call=K]), event([port=contp, call=K])).
