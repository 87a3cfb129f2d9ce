% A picture of when calls ran, as wide as the terminal.

%! timeline is det.
%@ writes.
%
%  Draws the calls of the trace that took longest, as timeline/2 does.
%
%  ?- with_output_to(string(_Text), timeline), split_string(_Text, "\n", "", _Lines), length(_Lines, N).
%  N = 22.
timeline :-
    timeline(Call, event([call=Call, duration=_])).

%! timeline(?Call, :Goal) is det.
%@ writes.
%
%  Draws a line for each Call of the answers of Goal, in the order in which they began: its number, its name, its
%  duration, and a bar from its start to its end. Of more than 20 calls, those that took longest are drawn. A bar stands
%  for the whole time from the first event of a call to its last one, in a trace without times in numbers of events.
%
%  ?- with_output_to(string(_Text), timeline(C, event([name=safe, port=call, call=C]))), split_string(_Text, "\n", "", [_, Line|_]).
%  Line = "     15 safe/1                            6 █".
timeline(Call, Goal) :-
    findall(Call, Goal, Found),
    sort(Found, Calls),
    findall(Length-line(From, To, One),
            ( member(One, Calls), '$timeline_part'(One, From, To), Length is To - From ),
            Lines),
    '$timeline_longest'(Lines, Longest),
    length(Lines, N),
    length(Longest, Shown),
    (   Longest == []
    ->  format("no calls~n")
    ;   pairs_values(Longest, Parts),
        msort(Parts, Sorted),
        '$timeline_scale'(Sorted, Scale),
        '$timeline_head'(Shown, N, Scale),
        forall(member(Part, Sorted), '$timeline_line'(Part, Scale))
    ).

% '$timeline_part'(+Call, -From, -To): the moments of its first and last event.
'$timeline_part'(Call, From, To) :-
    call_start(Call, Start),
    call_end(Call, End),
    (   '$has_attribute'(time)
    ->  event([chrono=Start, time=From]),
        event([chrono=End, time=To])
    ;   From = Start,
        To = End
    ).

'$timeline_longest'(Lines, Longest) :-
    sort(1, @>=, Lines, Sorted),
    (   length(First, 20),
        append(First, _, Sorted)
    ->  Longest = First
    ;   Longest = Sorted
    ).

% '$timeline_scale'(+Parts, -Scale): scale(From, Length, Room): Room characters stand for the Length from From on.
'$timeline_scale'(Parts, scale(From, Length, Room)) :-
    aggregate_all(min(Start), member(line(Start, _, _), Parts), From),
    aggregate_all(max(End), member(line(_, End, _), Parts), To),
    Length is max(1, To - From),
    '$columns'(Columns),
    Room is max(10, Columns - 44).

'$timeline_head'(Shown, N, scale(_, Length, Room)) :-
    (   Shown =:= N
    ->  format(string(Text), "~D calls", [N])
    ;   format(string(Text), "~d of ~D calls", [Shown, N])
    ),
    '$timeline_length'(Length, Whole),
    Column is 44 + Room,
    format("~t~w~7| ~w~t~w~43| 0~t~w~*|~n", [call, Text, duration, Whole, Column]).

'$timeline_line'(line(From, To, Call), scale(Start, Length, Room)) :-
    Own is To - From,
    '$timeline_length'(Own, Text),
    '$timeline_name'(Call, Name),
    Before is min(Room - 1, (From - Start) * Room // Length),
    Bar is max(1, min(Room - Before, (To - Start) * Room // Length - Before)),
    format("~t~d~7| ~w~t~w~43| ~*c~*c~n", [Call, Name, Text, Before, 32, Bar, 0'█]).

'$timeline_length'(Length, Text) :-
    (   '$counts_nanoseconds'(time)
    ->  '$duration_text'(Length, Text)
    ;   format(string(Text), "~w", [Length])
    ).

% '$timeline_name'(+Call, -Name): its procedure in 24 characters.
'$timeline_name'(Call, Name) :-
    (   call_start(Call, Chrono),
        event([chrono=Chrono, proc=Proc])
    ->  format(string(Text), "~q", [Proc])
    ;   Text = "-"
    ),
    '$shortened'(Text, 24, Name).
