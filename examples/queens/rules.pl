% What should be true of every run of this program.
%
% $ papaver check examples/queens/rules.pl examples/queens/queens.trace
%   status 1
%
% The last rule is violated: qdelete/3 is called with an empty list, from which nothing can be taken. The call at event
% 54 is the first of them, and its `fail` follows at once: the program could save these calls.

check('every call ends with an exit or a fail') :-
    forall(event([port=call, call=Call]),
           ( call_end(Call, End), event([chrono=End, port=[exit, fail]]) )).

check('a board that is printed has passed the test') :-
    forall(event([port=call, name=print_list, args=[Board, _, _], chrono=Printed]),
           ( event([port=exit, name=safe, args=[Board], chrono=Passed]), Passed < Printed )).

check('qdelete never looks into an empty list') :-
    forall(event([port=call, name=qdelete, args=[_, List, _]]), List \== []).
