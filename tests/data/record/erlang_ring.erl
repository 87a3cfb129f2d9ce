%% A ring of three processes passes a token; one call fails and is caught; one process dies; a server answers.
-module(erlang_ring).
-export([go/0, node_loop/2, fib/1]).

go() ->
    Me = self(),
    A = spawn(?MODULE, node_loop, [a, Me]),
    B = spawn(?MODULE, node_loop, [b, A]),
    C = spawn(?MODULE, node_loop, [c, B]),
    C ! {token, 2},
    receive {token, N} -> N end,
    R = (catch risky(0)),
    ok = check(R),
    8 = fib(6),
    {_, Ref} = spawn_monitor(fun() -> dies(#{k => [1, 2.5, <<"bin">>]}) end),
    receive {'DOWN', Ref, process, _, _} -> done end.

node_loop(_, Next) -> receive {token, N} -> Next ! {token, step(N)} end.

step(N) -> N * 2.

risky(0) -> erlang:error(zero);
risky(N) -> N.

check({'EXIT', {zero, _}}) -> ok.

dies(M) -> exit({dead, M}).

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
