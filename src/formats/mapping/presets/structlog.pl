% Python: the JSONRenderer of structlog, with requests as boxes
map(structlog, needs,   [event, level, timestamp]).
map(structlog, time,    timestamp:rfc3339).
map(structlog, port,    event, [request_started-call, request_finished-exit]).
map(structlog, exception_if, status >= 500).
map(structlog, name,    [path, event]).
map(structlog, key,     request_id).
map(structlog, args,    rest).
map(structlog, column,  level).
