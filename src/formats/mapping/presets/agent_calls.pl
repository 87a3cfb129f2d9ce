% Agents: messages with tool_calls and tool_call_id
map(agent_calls, needs,     [role]).
map(agent_calls, each,      tool_calls).
map(agent_calls, port,      outer/role, [assistant-call, tool-exit, user-event, system-event]).
map(agent_calls, port_if,   id, tool_call_id).
map(agent_calls, name,      [function/name, outer/role]).
map(agent_calls, key,       [id, tool_call_id]).
map(agent_calls, args,      [function/arguments:json, content]).
