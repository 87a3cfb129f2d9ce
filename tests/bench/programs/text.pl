% Atoms taken apart and put together, N times: atom_codes, atom_length, sub_atom, atom_concat, number_codes.
% small 100: 7880
% middle 10000: 827784
% large 300000: 177713
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :- loop(N, 0, A).

loop(0, A, A) :- !.
loop(N, A0, A) :-
    number_codes(N, Codes),
    atom_codes(Digits, Codes),
    atom_concat(item_, Digits, Name),
    atom_concat(Name, '_of_the_list', Long),
    atom_length(Long, Length),
    sub_atom(Long, 5, 1, _, First),
    sub_atom(Long, _, 4, 0, End),
    atom_chars(End, Chars),
    same(Chars, [l, i, s, t]),
    sub_atom(Long, Before, _, _, '_of'),
    !,
    atom_codes(First, [Code]),
    A1 is (A0 + Length + Code + Before) mod 1000003,
    N1 is N - 1,
    loop(N1, A1, A).

same(X, X).
