% Which boards were tried, and which two queens refused them?
%
% $ papaver run examples/queens/boards.pl examples/queens/queens.trace
%
% A board is a list: the row of the queen in each column. queen/2 puts every permutation to safe/1, at depth 3; within
% that call nodiag(Queen, Distance, [Other|_]) compares a queen with one that stands Distance columns further. Its
% `then` events are the places where two queens meet on a diagonal.

main :-
    forall(board(Call, Board), report(Call, Board)),
    aggregate_all(count, board(_, _), Tried),
    format("~d boards tried~n", [Tried]).

board(Call, Board) :-
    event([port=call, name=safe, depth=3, call=Call, args=[Board]]).

report(Call, Board) :-
    call_start(Call, Start),
    call_end(Call, End),
    verdict(Start, End, Verdict),
    format("~t~d~3| to ~t~d~10|  ~w ~w~n", [Start, End, Board, Verdict]).

verdict(_, End, accepted) :-
    event([chrono=End, port=exit]).
verdict(Start, End, refused(Queen-Other, distance(Distance))) :-
    event([chrono=End, port=fail]),
    event([chrono=Start..End, name=nodiag, port=then, args=[Queen, Distance, [Other|_]]]).
