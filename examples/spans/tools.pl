% What an agent may do with its tools, and what it said when it did something else.
%
% $ papaver check examples/spans/tools.pl examples/spans/books.jsonl
%   status 1
%
% Nobody may reserve more than one copy of a book, but the agent did so for a customer who asked for two.

check('a customer gets one copy') :-
    never([port=call, 'gen_ai.tool.name'=reserve, 'arg.copies' > 1]).
check('a book is reserved only after a look at the stock') :-
    precedes([port=exit, 'gen_ai.tool.name'=stock, 'arg.title'=Title, trace=Trace],
             [port=call, 'gen_ai.tool.name'=reserve, 'arg.title'=Title, trace=Trace]).
check('nothing is deleted') :-
    never([port=call, 'gen_ai.tool.name'=matches("^(delete|drop)")]).
check('every tool ends well') :-
    never([port=exception, 'gen_ai.operation.name'=execute_tool]).
check('the model is asked at most five times in a run') :-
    exists([port=call, 'gen_ai.operation.name'=chat, trace=Trace], at_most(5),
           between([port=call, depth=1, trace=Trace], [port=[exit, exception], depth=1, trace=Trace])).
check('a run costs at most 1,000 tokens') :-
    aggregate_all(sum(Input + Output), model_call(_, _, Input, Output), Sum),
    Sum =< 1000.
