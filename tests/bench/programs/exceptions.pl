% N balls thrown two calls deep and caught, N goals that are caught around and do not throw.
% small 100: 793
% middle 10000: 79994
% large 500000: 999980
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :- loop(N, 0, A).

loop(0, A, A) :- !.
loop(N, A0, A) :-
    catch(thrower(N), ball(X), true),
    catch(quiet(N, Y), _, true),
    A1 is (A0 + X + Y) mod 1000003,
    N1 is N - 1,
    loop(N1, A1, A).

thrower(N) :- inner(N), true.

inner(N) :- X is N mod 7, throw(ball(X)).

quiet(N, Y) :- Y is N mod 11.
