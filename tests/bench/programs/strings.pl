% Strings, splitting, joining and formatting, N times.
% small 50: 2514
% middle 5000: 290572
% large 150000: 705549
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :- loop(N, 0, A).

loop(0, A, A) :- !.
loop(N, A0, A) :-
    format(atom(Line), "~w,~a,~q,~d", [N, abc, 'd e', N]),
    atomic_list_concat(Parts, ',', Line),
    length(Parts, NParts),
    atomic_list_concat(Parts, '; ', Joined),
    atom_string(Joined, String),
    string_concat(String, " end", Whole),
    string_length(Whole, Length),
    split_string(Whole, ";", " ", Fields),
    length(Fields, NFields),
    sub_string(Whole, 0, 1, _, Head),
    string_codes(Head, [Code]),
    upcase_atom(Joined, Upper),
    atom_length(Upper, UpperLength),
    number_codes(Number, [Code]),
    A1 is (A0 + NParts + Length + NFields + UpperLength + Number) mod 1000003,
    N1 is N - 1,
    loop(N1, A1, A).
