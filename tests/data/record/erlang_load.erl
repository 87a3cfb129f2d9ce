%% Programs that are hard to record: many processes, endless loops, deep recursion, every way to end.
-module(erlang_load).
-export([many/1, echo/2, serve/1, server/1, deep/1, sum/2, count/2, even/1, odd/1, fail/1, killed/1, wait/0]).

%% So many processes at once, each of which answers once.
many(N) ->
    Pids = [spawn(?MODULE, echo, [self(), I]) || I <- lists:seq(1, N)],
    [Pid ! go || Pid <- Pids],
    lists:sum([receive {Pid, I} -> I end || Pid <- Pids]).

echo(To, I) -> receive go -> To ! {self(), I} end.

%% A server that handles N messages in one loop.
serve(N) ->
    Server = spawn(?MODULE, server, [0]),
    [begin Server ! {add, self(), 1}, receive {sum, _} -> ok end end || _ <- lists:seq(1, N)],
    Server ! {stop, self()},
    receive {stopped, Sum} -> Sum end.

server(Sum) ->
    receive
        {add, From, X} -> From ! {sum, Sum + X}, server(Sum + X);
        {stop, From} -> From ! {stopped, Sum}
    end.

%% A recursion that needs its frames, and one that does not.
deep(0) -> 0;
deep(N) -> 1 + deep(N - 1).

sum(0, Sum) -> Sum;
sum(N, Sum) -> sum(N - 1, Sum + N).

count(N, M) -> [sum(N, 0) || _ <- lists:seq(1, M)].

even(0) -> true;
even(N) -> odd(N - 1).

odd(0) -> false;
odd(N) -> even(N - 1).

fail(N) -> catch throw_at(N), try throw_at(N) catch throw:X -> X end.

throw_at(0) -> throw(bottom);
throw_at(N) -> 1 + throw_at(N - 1).

%% A process that is killed in the middle of a call, and its reason.
killed(Reason) ->
    {Pid, Monitor} = spawn_monitor(?MODULE, wait, []),
    timer:sleep(20),
    exit(Pid, Reason),
    receive {'DOWN', Monitor, process, Pid, Why} -> Why end.

wait() -> receive never -> ok end.
