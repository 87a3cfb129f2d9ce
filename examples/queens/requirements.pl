% What is required of a run of queens, in words and as checks.
%
% $ papaver check examples/queens/requirements.pl examples/queens/queens.trace
%   status 1
%
% Five boards are tested for longer than the requirement allows, the first of them in call 78. The last check has nothing
% to check, as nobody asks for help in this run: that is no violation, unless `--no-vacuous` makes it one.

check('every call comes to an end') :-
    responds([port=[exit, fail, exception], call=C], [port=call, call=C]).

check('a board is printed only after it has passed the test') :-
    precedes([port=exit, name=safe, args=[Board]], [port=call, name=print_list, args=[Board, _, _]]).

check('the answer is found once, and printed after it is found') :-
    exists([port=exit, proc=queen/2], exactly(1)),
    exists([[port=exit, proc=queen/2], [port=call, proc=print_list/3]]).

check('no board is tested twice') :-
    exists([port=call, name=safe, args=[Board]], at_most(1), after([port=call, name=safe, args=[Board]])).

check('while the board is printed nothing is searched') :-
    never([name=[qperm, qdelete, safe, nodiag]], between([port=call, name=print_list, call=C], [port=exit, call=C])).

check('a test is done after at most 25 events') :-
    responds([port=[exit, fail], call=C], [port=call, proc=safe/1, call=C], globally, within(chrono, 25)).

check('who asks for help is answered') :-
    responds([port=exit, name=help, call=C], [port=call, name=help, call=C]).
