% systemd: journalctl -o json
map(journald, needs,    ['__REALTIME_TIMESTAMP', 'MESSAGE']).
map(journald, time,     '__REALTIME_TIMESTAMP':us).
map(journald, name,     ['_SYSTEMD_UNIT', 'SYSLOG_IDENTIFIER', '_COMM']).
map(journald, pid,      '_PID':int).
map(journald, args,     ['MESSAGE':bytes]).
map(journald, column,   'PRIORITY':int).
