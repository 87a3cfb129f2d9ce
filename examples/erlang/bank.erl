%% Accounts are processes that move money between them: erl -noshell -s bank main
-module(bank).
-export([main/0, account/1]).

main() ->
    A = spawn(?MODULE, account, [100]),
    B = spawn(?MODULE, account, [100]),
    A ! {move, 30, B, self()},
    report("one after the other", wait([A])),
    A ! {move, 10, B, self()},
    B ! {move, 20, A, self()},
    report("at the same time", wait([A, B])),
    halt(1).

account(Balance) ->
    receive
        {move, Sum, To, From} ->
            {ok, _} = deposit(To, Sum),
            From ! {moved, self()},
            account(Balance - Sum);
        {deposit, Sum, From} ->
            From ! {ok, self()},
            account(Balance + Sum)
    end.

%% Returns when the other account has taken the money.
deposit(To, Sum) ->
    timer:sleep(50),
    To ! {deposit, Sum, self()},
    receive {ok, To} = Taken -> Taken end.

wait(Accounts) ->
    [receive {moved, Account} -> done after 500 -> no_answer end || Account <- Accounts].

report(When, Answers) -> io:format("~s: ~p~n", [When, Answers]).
