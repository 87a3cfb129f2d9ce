% Terms copied, measured and compared, N times: copy_term, functor, arg, =.., ==, term_variables.
% small 100: 900
% middle 20000: 180000
% large 700000: 299982
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    T = f(X, Y, g(X, h(Y, [1, 2, 3, Z]), "text"), p, a + b * c - Z),
    loop(N, T, 0, A).

loop(0, _, A, A) :- !.
loop(N, T, A0, A) :-
    copy_term(T, C),
    C = f(1, 2, G, _, _),
    functor(C, _, Arity),
    arg(3, C, G1),
    G1 == G,
    G =.. [_|Args],
    length(Args, Length),
    term_variables(C, Vars),
    length(Vars, NVars),
    functor(Fresh, f, 5),
    Fresh = C,
    A1 is (A0 + Arity + Length + NVars) mod 1000003,
    N1 is N - 1,
    loop(N1, T, A1, A).
