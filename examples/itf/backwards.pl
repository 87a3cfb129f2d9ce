% A counterexample of a model checker walked backwards: Quint found a way to a negative balance (tokens.qnt, invariant
% `inv`). Which step led to it, and which steps before that touched the same account?
%
% $ papaver run examples/itf/backwards.pl examples/itf/tokens_mbt.itf.json

main :-
    first_state(negative(Account), Chrono),
    format("~w is below zero in state ~w~n", [Account, Chrono]),
    walk(Chrono, Account).

% negative(?Account, +Chrono): Account has less than nothing in a state.
negative(Account, Chrono) :-
    balance(Account, Chrono, Amount),
    Amount < 0.

balance(Account, Chrono, Amount) :-
    value(balance, Chrono, map(Pairs)),
    member(Account-Amount, Pairs).

% walk(+Chrono, +Account): tells from Chrono back to the first state each step that changed Account.
walk(1, _) :-
    !.
walk(Chrono, Account) :-
    Before is Chrono - 1,
    balance(Account, Before, Old),
    balance(Account, Chrono, New),
    (   Old =\= New
    ->  event([chrono=Chrono, name=Action, args=Picks]),
        format("~w: ~w ~w, from ~w to ~w~n", [Chrono, Action, Picks, Old, New])
    ;   true
    ),
    walk(Before, Account).
