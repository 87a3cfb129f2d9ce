%% Messages between two processes, and a loop that never returns: 400,011 events for go().
-module(ping).
-export([go/0, server/1]).

go() ->
    Server = spawn(?MODULE, server, [0]),
    Me = self(),
    lists:foreach(fun(X) -> Server ! {add, Me, X}, receive {sum, _} -> ok end end, lists:seq(1, 50000)),
    Server ! {stop, Me},
    receive {stopped, Sum} -> Sum end.

server(Sum) ->
    receive
        {add, From, X} -> From ! {sum, Sum + X}, server(Sum + X);
        {stop, From} -> From ! {stopped, Sum}
    end.
