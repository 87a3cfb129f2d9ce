% Lambda expressions: goals without a name, for maplist/3, foldl/4 and the like.

%! >>(+Parameters, :Body) is nondet.
%@ calls :.
%
%  Calls a lambda expression `Parameters>>Body`, here without arguments.
%
%  Parameters is a list of terms that are unified with the arguments; more arguments than
%  parameters are added to Body. Each call works on a fresh copy of the expression, so that
%  what one call binds is not seen by the next one, nor outside. `Free/Parameters>>Body` shares the
%  variables of the term Free with the context instead of copying them. A variable that has a value
%  when the expression is called is that value, shared or not.
%
%  ?- call([]>>true).
%  true.
%  ?- maplist([X, Y]>>(Y is X * 2), [1, 2], L).
%  L = [2, 4].
%  ?- maplist([X]>>(Y = X), [1, 2]).
%  true.
%  ?- maplist(Y/[X]>>(Y = X), [1, 1]).
%  Y = 1.
%  ?- N = 10, maplist([X]>>plus(X, N), [1, 2], L).
%  N = 10, L = [11, 12].
'>>'(Parameters, Body) :-
    lambda_(Parameters, Body, []).

%! >>(+Parameters, :Body, ?A1) is nondet.
%@ calls :.
%
%  Calls the lambda expression with 1 argument.
%
%  ?- call([X]>>(R = f(X)), 1).
%  true.
'>>'(Parameters, Body, A1) :-
    lambda_(Parameters, Body, [A1]).

%! >>(+Parameters, :Body, ?A1, ?A2) is nondet.
%@ calls :.
%
%  Calls the lambda expression with 2 arguments.
%
%  ?- call([X, Y]>>(R = f(X, Y)), 1, 2).
%  true.
'>>'(Parameters, Body, A1, A2) :-
    lambda_(Parameters, Body, [A1, A2]).

%! >>(+Parameters, :Body, ?A1, ?A2, ?A3) is nondet.
%@ calls :.
%
%  Calls the lambda expression with 3 arguments.
%
%  ?- call([X, Y, Z]>>(R = f(X, Y, Z)), 1, 2, 3).
%  true.
'>>'(Parameters, Body, A1, A2, A3) :-
    lambda_(Parameters, Body, [A1, A2, A3]).

%! >>(+Parameters, :Body, ?A1, ?A2, ?A3, ?A4) is nondet.
%@ calls :.
%
%  Calls the lambda expression with 4 arguments.
%
%  ?- call([X, Y, Z, U]>>(R = f(X, Y, Z, U)), 1, 2, 3, 4).
%  true.
'>>'(Parameters, Body, A1, A2, A3, A4) :-
    lambda_(Parameters, Body, [A1, A2, A3, A4]).

%! >>(+Parameters, :Body, ?A1, ?A2, ?A3, ?A4, ?A5) is nondet.
%@ calls :.
%
%  Calls the lambda expression with 5 arguments.
%
%  ?- call([X, Y, Z, U, V]>>(R = f(X, Y, Z, U, V)), 1, 2, 3, 4, 5).
%  true.
'>>'(Parameters, Body, A1, A2, A3, A4, A5) :-
    lambda_(Parameters, Body, [A1, A2, A3, A4, A5]).

%! >>(+Parameters, :Body, ?A1, ?A2, ?A3, ?A4, ?A5, ?A6) is nondet.
%@ calls :.
%
%  Calls the lambda expression with 6 arguments.
%
%  ?- call([X, Y, Z, U, V, W]>>(R = f(X, Y, Z, U, V, W)), 1, 2, 3, 4, 5, 6).
%  true.
'>>'(Parameters, Body, A1, A2, A3, A4, A5, A6) :-
    lambda_(Parameters, Body, [A1, A2, A3, A4, A5, A6]).

%! >>(+Parameters, :Body, ?A1, ?A2, ?A3, ?A4, ?A5, ?A6, ?A7) is nondet.
%@ calls :.
%
%  Calls the lambda expression with 7 arguments.
%
%  ?- call([X, Y, Z, U, V, W, T]>>(R = f(X, Y, Z, U, V, W, T)), 1, 2, 3, 4, 5, 6, 7).
%  true.
'>>'(Parameters, Body, A1, A2, A3, A4, A5, A6, A7) :-
    lambda_(Parameters, Body, [A1, A2, A3, A4, A5, A6, A7]).

lambda_(Parameters, Body, Args) :-
    lambda_copy_(Parameters, Body, Parameters1, Body1),
    lambda_bind_(Parameters1, Args, More),
    lambda_call_(More, Body1).

lambda_copy_(Parameters, Body, Parameters1, Body1) :-
    (   nonvar(Parameters),
        Parameters = Free/_
    ->  copy_term(Parameters-Body, (Free/Parameters1)-Body1)
    ;   copy_term(Parameters-Body, Parameters1-Body1)
    ).

% lambda_bind_(?Parameters, ?Args, -More): More are the arguments for which there is no parameter.
lambda_bind_([], Args, Args).
lambda_bind_([Parameter|Parameters], Args, More) :-
    (   Args = [Arg|Args1]
    ->  Parameter = Arg,
        lambda_bind_(Parameters, Args1, More)
    ;   More = []
    ).

lambda_call_([], Body) :-
    call(Body).
lambda_call_([Arg|Args], Body) :-
    lambda_call_(Args, Body, Arg).

lambda_call_([], Body, A) :-
    call(Body, A).
lambda_call_([B|Args], Body, A) :-
    lambda_call_(Args, Body, A, B).

lambda_call_([], Body, A, B) :-
    call(Body, A, B).
lambda_call_([C|Args], Body, A, B) :-
    Body =.. Parts,
    append(Parts, [A, B, C|Args], AllParts),
    Goal =.. AllParts,
    call(Goal).
