%% Nothing but calls with small arguments: 785,672 events for go().
-module(fib).
-export([go/0]).

go() -> fib(26).

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
