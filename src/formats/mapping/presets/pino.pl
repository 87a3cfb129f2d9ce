% Node: pino, with the requests of pino-http as boxes
map(pino, needs,        [level, time, pid, msg]).
map(pino, time,         time:ms).
map(pino, port,         msg, ['incoming request'-call, 'request completed'-exit, 'request failed'-exit]).
map(pino, exception_if, level >= 50).
map(pino, name,         [req/url, msg]).
map(pino, key,          reqId).
map(pino, pid,          pid).
map(pino, args,         rest).
map(pino, column,       level).
