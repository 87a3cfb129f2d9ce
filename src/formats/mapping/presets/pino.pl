% Node: pino, with the requests of pino-http and Fastify as boxes
map(pino, needs,        [level, time, pid, hostname]).
map(pino, time,         time:ms).
map(pino, port,         msg, ['incoming request'-call, 'request completed'-exit, 'request failed'-exit, 'request errored'-exception]).
map(pino, exception_if, level >= 50).
map(pino, name,         [req/url, msg, err/message]).
map(pino, key,          [reqId, req/id]).
% pino-http says nothing when a request comes in
map(pino, opens,        first).
map(pino, pid,          pid).
map(pino, args,         rest).
map(pino, column,       level).
