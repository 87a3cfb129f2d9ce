% The sum of all line numbers, in two steps: the lines are collected, then added up.
%
% $ echo "collect('examples/monitors/lines', Sum)." | papaver examples/queens/queens.trace

initialize([]).

filter(Event, Lines, [Line|Lines]) :- line_number(Event, Line).

post_process(Lines, Sum) :- sum_list(Lines, Sum).
