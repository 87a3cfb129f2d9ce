%% Nothing but calls with small arguments: 3,328,160 events for go(), so that the start of the recorder counts little.
-module(fib_long).
-export([go/0]).

go() -> fib(29).

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
