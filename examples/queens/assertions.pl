% Properties of the run in the vocabulary of assertions.
%
% $ papaver check examples/queens/assertions.pl examples/queens/queens.trace
%   status 1
%
% Two of them are violated: a box of qperm/2 that has left by `exit` is entered again, to find another permutation;
% the boxes of main/2 and queen/2 take longer than 600 events.

check('every call is answered') :-
    responds([port=[exit, fail], call=C], [port=call, call=C]).

check('nothing ends that has not begun') :-
    precedes([port=call, call=C], [port=[exit, fail], call=C]).

check('a board is tested before it is printed') :-
    precedes([port=exit, name=safe, args=[Board]], [port=call, name=print_list, args=[Board, _, _]]).

check('nothing is printed while queens are placed') :-
    never([name=print_list], between([port=call, name=queen, call=C], [port=exit, name=queen, call=C])).

check('what has left is not entered again') :-
    never([[port=exit, call=C], [port=redo, call=C]]).

check('calls are short') :-
    responds([port=[exit, fail], call=C], [port=call, call=C], globally, within(chrono, 600)).

check('no exception is forgotten') :-
    responds([port=[exit, fail], depth=1], [port=exception]).
