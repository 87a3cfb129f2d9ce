% Agents: sessions with blocks tool_use and tool_result in message/content
map(agent_messages, needs,  [message/content, type]).
map(agent_messages, each,   message/content).
map(agent_messages, time,   outer/timestamp:rfc3339).
map(agent_messages, port,   type, [tool_use-call, tool_result-exit]).
map(agent_messages, exception_if, is_error = true).
map(agent_messages, name,   [name, outer/type]).
map(agent_messages, key,    [id, tool_use_id]).
map(agent_messages, thread, outer/sessionId).
map(agent_messages, args,   [input, content, text, item]).
