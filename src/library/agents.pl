% Questions to the traces of agents, which call models and tools: spans with the attributes of OpenTelemetry for generative
% AI. The operation says what a span is, never its name.

%! agent_call(?Call, ?Agent) is nondet.
%
%  The span Call is a run of the agent with the name Agent.
%
%  On otlp/agent_books.jsonl:
%  ?- agent_call(Call, bookshop).
%  Call = 1.
agent_call(Call, Agent) :-
    event([port=call, call=Call, 'gen_ai.operation.name'=invoke_agent, 'gen_ai.agent.name'=Agent]).

%! tool_call(?Call, ?Name, ?Args, ?Result) is nondet.
%
%  The span Call ran the tool Name with Args and got Result; these two are `-` if they were not recorded, as Result is
%  after an error.
%
%  On otlp/agent_books.jsonl:
%  ?- tool_call(Call, reserve, Args, Result).
%  Call = 7, Args = '{"title":"dune","copies":2}', Result = '{"title":"dune","left":1,"shelf":["A",4]}'.
tool_call(Call, Name, Args, Result) :-
    event([port=call, chrono=Chrono, call=Call, 'gen_ai.operation.name'=execute_tool, 'gen_ai.tool.name'=Name]),
    '$value_or_dash'(Chrono, ['gen_ai.tool.call.arguments', tool_arguments], Args),
    '$value_or_dash'(Chrono, ['gen_ai.tool.call.result', tool_response], Result).

'$value_or_dash'(Chrono, Attributes, Value) :-
    ( '$first_value'(Chrono, Attributes, Found) -> Value = Found ; Value = (-) ).

% '$first_value'(+Chrono, +Attributes, -Value): the value of the first of Attributes that the event Chrono has.
'$first_value'(Chrono, Attributes, Value) :-
    member(Attribute, Attributes),
    '$has_attribute'(Attribute),
    attribute(Chrono, Attribute, Value),
    !.

%! model_call(?Call, ?Model, ?Input, ?Output) is nondet.
%
%  The span Call asked Model: Input tokens went in, Output tokens came out. A call whose tokens were not recorded, as that
%  of one that failed, is no answer.
%
%  On otlp/agent_books.jsonl:
%  ?- model_call(Call, 'medium-7', 230, Output).
%  Call = 6, Output = 18.
%  ?- aggregate_all(sum(Input), model_call(_, _, Input, _), Sum).
%  Sum = 680.
model_call(Call, Model, Input, Output) :-
    event([port=call, chrono=Chrono, call=Call, 'gen_ai.operation.name'=[chat, text_completion, generate_content],
           'gen_ai.request.model'=Model]),
    '$first_value'(Chrono, ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'], InputTokens),
    '$first_value'(Chrono, ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'], OutputTokens),
    Input = InputTokens,
    Output = OutputTokens.
