:- initialization(main).
idle.
catching(0) :- !.
catching(N) :-
    M is N - 1,
    catch(f(A, B, C, D, E, F) = f(M, M, M, M, M, M), _, true),
    catch(throw(b(A, B, C, D, E, F)), b(_, _, _, _, _, X), true),
    catching(X).
main :- idle, idle, idle, idle, idle, idle, idle,  catching(150000), write(done), halt.
