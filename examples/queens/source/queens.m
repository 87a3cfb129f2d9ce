% The program of the sample trace: five queens on a board, none of which may take another.
% Its lines are those that the line numbers of the trace speak of.

:- module queens.
:- interface.
:- import_module io.

:- pred main(io::di, io::uo) is cc_multi.

:- implementation.
:- import_module int, list.

% A board is found, or there is none.

main(!IO) :-
    ( data(Columns), queen(Columns, Board) ->
        print_list(Board, !IO)
    ;
        io.write_string("No solution\n", !IO)
    ).


% The columns in which a queen may stand.

:- pred data(list(int)::out) is det.

data([1, 2, 3, 4, 5]).

% queen(Columns, Board): Board has a queen in each row, in the columns that it lists.

:- pred queen(list(int)::in, list(int)::out) is nondet.
:- pred qperm(list(int)::in, list(int)::out) is nondet.
:- pred qdelete(int::out, list(int)::in, list(int)::out) is nondet.
:- pred safe(list(int)::in) is semidet.
:- pred nodiag(int::in, int::in, list(int)::in) is semidet.

% qperm takes the columns in some order; of a board that is not safe it takes
% back as few as it can.



queen(Columns, Board) :-
    qperm(Columns, Board),
    safe(Board).

qperm([], []).
qperm([First | Rest], [Column | Columns]) :-
    qdelete(Column, [First | Rest],
        Left),
    qperm(Left, Columns).

qdelete(Column, [Column | Left], Left).
qdelete(Column, [First | Rest], [First | Left]) :-
    qdelete(Column, Rest, Left).

safe([]).
safe([Queen | Queens]) :-
    nodiag(Queen, 1, Queens),
    safe(Queens).

nodiag(_, _, []).
nodiag(Queen, Distance, [Other | Queens]) :-
    Up = Other - Queen,
    Down = Queen - Other,
    ( Distance = Up ->
        fail
    ;
        ( Distance = Down -> fail
        ; true
        )
    ),
    Further = Distance + 1,
    nodiag(Queen, Further, Queens).

% How a board is printed: its columns in brackets,
% separated by commas.

:- pred print_list(list(int)::in, io::di, io::uo) is det.

print_list(List, !IO) :-
    ( List = [] ->
        io.write_string("[]\n", !IO)
    ;
        io.write_string("[", !IO),
        print_list_2(List, !IO),
        io.write_string("]\n", !IO)
    ).

:- pred print_list_2(list(int)::in, io::di, io::uo) is det.

print_list_2([],
    !IO).
print_list_2([First | Rest], !IO) :-
    io.write_int(First, !IO),
    (
        Rest = []
    ->
        true
    ;
        io.write_string(", ", !IO),
        print_list_2(Rest, !IO)
    ).
