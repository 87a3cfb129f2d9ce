% Pictures of calls over time, in lines of 80 columns.

%! waterfall is semidet.
%@ writes.
%
%  Prints the calls around the current event as waterfall/1 does: the tree of its outermost call. Before the first event,
%  that is the first call of the trace.
%
%  On otlp/shop_small.jsonl:
%  ?- with_output_to(string(_Text), waterfall), split_string(_Text, "\n", "", _Lines), length(_Lines, N).
%  N = 16.
waterfall :-
    '$current_or_first'(Call),
    '$top'(Call, Top),
    waterfall(Top).

'$current_or_first'(Call) :-
    event([call=Call]),
    !.

%! waterfall(+Which) is semidet.
%@ writes.
%
%  Prints the calls of the tree below the call Which, or of the trace with the id Which: a line for each call with its
%  number, its service where that is another than its parent's, its name, its duration, and a bar from its start to its
%  end. Bars are full where the call is on the critical path (critical_path/3), and grey elsewhere; `!` marks errors. A
%  call without an end is `open`.
%
%  On otlp/shop_small.jsonl:
%  ?- with_output_to(string(_Text), waterfall(30)), split_string(_Text, "\n", "", [_, _, Line|_]).
%  Line = "   31   receipts process                      4.33 ms    █░░░░░░░░░░░░░░░░░░░░█".
waterfall(Which) :-
    '$waterfall_tops'(Which, Tops),
    Tops = [_|_],
    findall(Top-0, member(Top, Tops), Stack),
    '$waterfall_rows'(Stack, Rows),
    '$waterfall_scale'(Rows, Scale),
    findall(Call-(From-To), '$waterfall_section'(Tops, Call, From, To), Sections),
    '$waterfall_lookup'(Sections, Lookup),
    '$waterfall_head'(Rows, Scale),
    forall(member(Row, Rows), '$waterfall_line'(Row, Scale, Lookup)).

% '$waterfall_tops'(+Which, -Calls): the outermost calls to print.
'$waterfall_tops'(Which, Calls) :-
    (   integer(Which)
    ->  once(call_start(Which, _)),
        Calls = [Which]
    ;   must_be(atomic, Which),
        findall(Call, ( trace(Which, Call), \+ parent(Call, _) ), Calls)
    ).

% '$waterfall_rows'(+Stack, -Rows): calls with the numbers of their ancestors, parents before children.
'$waterfall_rows'([], []).
'$waterfall_rows'([Call-Level|Stack], [Call-Level|Rows]) :-
    Inner is Level + 1,
    findall(Child-Inner, child(Call, Child), Children),
    append(Children, Stack, Next),
    '$waterfall_rows'(Next, Rows).

% '$waterfall_scale'(+Rows, -Scale): scale(From, To, Step): the bars go from From to To, a character stands for Step.
'$waterfall_scale'(Rows, scale(From, To, Step)) :-
    findall(Time, ( member(Call-_, Rows), ( '$start'(Call, Time) ; '$end'(Call, Time) ) ), Times),
    min_list(Times, From),
    max_list(Times, To),
    ( To > From -> Step is (To - From) / 26.0 ; Step = 1.0 ).

'$waterfall_section'(Tops, Call, From, To) :-
    member(Top, Tops),
    '$lifetime'(Top, Start, End),
    '$sections'(Top, Start, End, Sections, []),
    member(section(Call, From, To), Sections).

'$waterfall_lookup'(Sections, Lookup) :-
    keysort(Sections, Sorted),
    group_pairs_by_key(Sorted, Groups),
    list_to_assoc(Groups, Lookup).

'$waterfall_head'(Rows, scale(From, To, _)) :-
    length(Rows, N),
    aggregate_all(count, ( member(Call-_, Rows), '$failed'(Call) ), Errors),
    '$counted'(N, call, Calls),
    '$counted'(Errors, error, Failed),
    format(string(Counts), "~w, ~w", [Calls, Failed]),
    Whole is To - From,
    '$duration_text'(Whole, Length),
    format("~t~w~5| ~w~t~w~53| 0~t~w~80|~n", [call, Counts, duration, Length]).

'$counted'(N, Noun, Text) :-
    (   N =:= 0
    ->  format(string(Text), "no ~w", [Noun])
    ;   N =:= 1
    ->  format(string(Text), "1 ~w", [Noun])
    ;   format(string(Text), "~D ~ws", [N, Noun])
    ).

'$failed'(Call) :-
    catch(error(Call), error(_, _), fail),
    !.

'$waterfall_line'(Call-Level, Scale, Lookup) :-
    '$waterfall_label'(Call, Level, Label),
    ( '$failed'(Call) -> Mark = '!' ; Mark = ' ' ),
    ( '$start'(Call, Start) -> true ; Start = (-) ),
    ( '$end'(Call, End) -> true ; End = (-) ),
    '$waterfall_length'(Start, End, Length),
    ( get_assoc(Call, Lookup, Parts) -> true ; Parts = [] ),
    '$waterfall_bar'(Start, End, Scale, Parts, Bar),
    format("~t~w~5|~w~w~t~w~53| ~w~n", [Call, Mark, Label, Length, Bar]).

% '$waterfall_label'(+Call, +Level, -Label): the name with its service, indented, in 38 characters.
'$waterfall_label'(Call, Level, Label) :-
    Indent is min(2 * Level, 20),
    call_start(Call, Chrono),
    ( attribute(Chrono, name, Name) -> true ; Name = (-) ),
    (   '$own_service'(Call, Service)
    ->  format(string(Text), "~*c~w: ~w", [Indent, 0' , Service, Name])
    ;   format(string(Text), "~*c~w", [Indent, 0' , Name])
    ),
    '$shortened'(Text, 38, Label).

'$printable'(Code, Printable) :-
    ( Code < 32 -> Printable = 0'  ; Code =:= 127 -> Printable = 0'  ; Printable = Code ).

% '$own_service'(+Call, -Service): the service of a call, if its parent has another one.
'$own_service'(Call, Service) :-
    '$has_attribute'(service),
    service(Call, Service),
    \+ ( parent(Call, Parent), service(Parent, Service) ).

'$waterfall_length'(Start, End, Length) :-
    (   End == (-)
    ->  Length = open
    ;   Start == (-)
    ->  Length = (-)
    ;   Ns is End - Start,
        '$duration_text'(Ns, Length)
    ).

% '$duration_text'(+Ns, -Text): 19582512 is 19.58 ms; other numbers than whole ones are seconds.
'$duration_text'(Ns, Text) :-
    (   '$has_tasks'
    ->  format(string(Text), "~w", [Ns])
    ;   float(Ns)
    ->  format(string(Text), "~3f s", [Ns])
    ;   '$time_unit'(Unit, Size),
        abs(Ns) >= Size
    ->  Amount is Ns / float(Size),
        format(string(Text), "~2f ~w", [Amount, Unit])
    ;   format(string(Text), "~d ns", [Ns])
    ).

'$time_unit'(s, 1000000000).
'$time_unit'(ms, 1000000).
'$time_unit'('µs', 1000).

% '$waterfall_bar'(+Start, +End, +Scale, +Parts, -Bar): Parts are the stretches on the critical path.
'$waterfall_bar'(Start, End, Scale, Parts, Bar) :-
    Scale = scale(From, To, _),
    ( Start == (-) -> Begin = From ; Begin = Start ),
    ( End == (-) -> Stop = To ; Stop = End ),
    '$waterfall_cells'(Scale, Begin-Stop, First-Last),
    maplist('$waterfall_cells'(Scale), Parts, Full),
    findall(Char, ( between(0, Last, Cell), '$waterfall_char'(Cell, First, Full, Char) ), Chars),
    atomic_list_concat(Chars, Bar).

% '$waterfall_cells'(+Scale, +Stretch, -Cells): the characters of a stretch, at least one.
'$waterfall_cells'(scale(From, _, Step), Start-End, First-Last) :-
    First is max(0, min(25, floor((Start - From) / Step))),
    Last is max(First, min(25, ceiling((End - From) / Step) - 1)).

'$waterfall_char'(Cell, First, Full, Char) :-
    (   Cell < First
    ->  Char = ' '
    ;   member(Start-End, Full),
        Cell >= Start,
        Cell =< End
    ->  Char = '█'
    ;   Char = '░'
    ).
