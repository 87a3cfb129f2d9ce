%% A client on one node, a server on another, which asks a helper process before it answers.
-module(erlang_relay).
-export([server/0, client/2, ask/2]).

server() ->
    register(relay, self()),
    Helper = spawn(fun helper/0),
    serve(Helper).

serve(Helper) ->
    receive
        {ask, From, X} ->
            Helper ! {double, self(), X},
            receive {doubled, Y} -> From ! {answer, Y} end,
            serve(Helper);
        stop -> ok
    end.

helper() -> receive {double, From, X} -> From ! {doubled, 2 * X}, helper() end.

%% The sum of the answers to N questions.
client(Node, N) ->
    pong = wait(Node, 100),
    Sum = lists:sum([ask(Node, X) || X <- lists:seq(1, N)]),
    seq_trace:set_token([]),
    {relay, Node} ! stop,
    Sum.

ask(Node, X) ->
    {relay, Node} ! {ask, self(), X},
    receive {answer, Y} -> Y end.

%% Until the server is there.
wait(_, 0) -> pang;
wait(Node, N) ->
    case net_adm:ping(Node) =:= pong andalso rpc:call(Node, erlang, whereis, [relay]) of
        Pid when is_pid(Pid) -> pong;
        _ -> timer:sleep(50), wait(Node, N - 1)
    end.
