% Texts of several lines.

%! indent_lines(+Prefix, +Text, -Indented) is det.
%
%  Puts Prefix before every line of Text that has more than blanks.
%
%  ?- indent_lines("> ", "a\n\nb\n", S).
%  S = "> a\n\n> b\n".
indent_lines(Prefix, Text, Indented) :-
    indent_lines(has_more_than_blanks_, Prefix, Text, Indented).

%! indent_lines(:Filter, +Prefix, +Text, -Indented) is det.
%
%  Puts Prefix before every line for which `call(Filter, Line)` holds.
%
%  ?- indent_lines([_]>>true, "> ", "a\n\nb\n", S).
%  S = "> a\n> \n> b\n".
indent_lines(Filter, Prefix, Text, Indented) :-
    split_string(Text, "\n", "", Lines0),
    append(Lines, [Last], Lines0),
    maplist(indented_line_(Filter, Prefix), Lines, Lines1),
    (   Last == ""
    ->  Last1 = Last
    ;   indented_line_(Filter, Prefix, Last, Last1)
    ),
    append(Lines1, [Last1], Lines2),
    join_string(Lines2, "\n", Indented).

indented_line_(Filter, Prefix, Line, Indented) :-
    (   call(Filter, Line)
    ->  string_concat(Prefix, Line, Indented)
    ;   Indented = Line
    ).

has_more_than_blanks_(Line) :-
    split_string(Line, "", " \t\r", [Rest]),
    Rest \== "".
