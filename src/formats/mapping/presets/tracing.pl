% Rust: the JSON of tracing-subscriber, with and without FmtSpan, also flattened
map(tracing, needs,     [timestamp, level, target]).
map(tracing, time,      timestamp:rfc3339).
map(tracing, port,      [fields/message, message], [new-call, enter-resume, exit-suspend, close-exit]).
map(tracing, name,      [span/name, last(spans)/name, target]).
map(tracing, module,    target).
% fields recorded later change a span, its name and thread do not
map(tracing, key,       key([threadId, span/name])).
map(tracing, nest,      spans/name).
map(tracing, thread,    [threadId, const(main)]).
map(tracing, args,      [span, fields, message]).
map(tracing, column,    level).
