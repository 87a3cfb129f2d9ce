%% Programs that are hard to record: many processes, endless loops, deep recursion, every way to end.
-module(erlang_load).
-export([many/1, echo/2, serve/1, server/1, deep/1, sum/2, count/2, even/1, odd/1, fail/1, killed/1, wait/0, without_recorder/0,
         long/1, reversed/1, told/1]).

%% So many processes at once, each of which answers once.
many(N) ->
    Me = self(),
    Pids = lists:map(fun(I) -> spawn(?MODULE, echo, [Me, I]) end, lists:seq(1, N)),
    lists:foreach(fun(Pid) -> Pid ! go end, Pids),
    lists:foldl(fun(Pid, Sum) -> receive {Pid, I} -> Sum + I end end, 0, Pids).

echo(To, I) -> receive go -> To ! {self(), I} end.

%% A server that handles N messages in one loop.
serve(N) ->
    Server = spawn(?MODULE, server, [0]),
    Me = self(),
    lists:foreach(fun(X) -> Server ! {add, Me, X}, receive {sum, _} -> ok end end, lists:seq(1, N)),
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

count(_, 0) -> ok;
count(N, M) -> sum(N, 0), count(N, M - 1).

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

%% The recorder is killed, and the program goes on.
without_recorder() ->
    exit(persistent_term:get({papaver_recorder, recorder}), kill),
    timer:sleep(50),
    sum(10, 0).

%% Each call has the rest of the list as its argument.
long(N) -> length(doubled(lists:seq(1, N))).

doubled([X | Xs]) -> [2 * X | doubled(Xs)];
doubled([]) -> [].

%% A loop, and a list comprehension that sends messages, over a list of N elements: each of their calls has what is left of it.
reversed(N) -> hd(reversed(lists:seq(1, N), [])).

reversed([], Reversed) -> Reversed;
reversed([First | Rest], Reversed) -> reversed(Rest, [First | Reversed]).

told(N) ->
    {Pid, Monitor} = spawn_monitor(fun hears/0),
    [Pid ! {number, I} || I <- lists:seq(1, N)],
    Pid ! stop,
    receive {'DOWN', Monitor, process, Pid, Why} -> Why end.

hears() -> receive stop -> ok; _ -> hears() end.
