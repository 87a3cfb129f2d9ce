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

%! interpolate_string(+Text, -Filled, +Values, +Options) is det.
%
%  Filled is Text with every `{Name}` replaced by its value in the list Values of `Name=Value`, and `{Name,Default}` by
%  Default where Values has no Name. No option is known.
%
%  ?- interpolate_string("{a} is {b,1}; {c d}", S, [a=x], []).
%  S = "x is 1; {c d}".
%  ?- interpolate_string("{a}", S, [], []).
%  error: existence_error(template_var, a).
interpolate_string(Text, Filled, Values, Options) :-
    must_be(list, Options),
    split_string(Text, "{", "", [First|Parts0]),
    maplist(interpolated_(Values), Parts0, Parts),
    atomic_list_concat([First|Parts], Filled0),
    atom_string(Filled0, Filled).

% interpolated_(+Values, +Part, -Filled): Part is what follows a `{`.
interpolated_(Values, Part, Filled) :-
    sub_string(Part, Before, _, After, "}"),
    !,
    sub_string(Part, 0, Before, _, Inside),
    sub_string(Part, _, After, 0, Rest),
    (   template_variable_(Inside, Name, Default)
    ->  template_value_(Name, Default, Values, Value),
        format(string(Filled), "~w~w", [Value, Rest])
    ;   string_concat("{", Part, Filled)
    ).
interpolated_(_, Part, Filled) :- string_concat("{", Part, Filled).

% template_variable_(+Inside, -Name, -Default): Default is none, or default(Text).
template_variable_(Inside, Name, Default) :-
    (   sub_string(Inside, Before, _, After, ",")
    ->  sub_string(Inside, 0, Before, _, String),
        sub_string(Inside, _, After, 0, Text),
        Default = default(Text)
    ;   String = Inside,
        Default = none
    ),
    atom_string(Name, String),
    is_template_name_(Name).

is_template_name_(Name) :-
    atom_codes(Name, [First|Codes]),
    maplist(is_name_code_, [First|Codes]),
    \+ between(0'0, 0'9, First).

is_name_code_(0'_) :- !.
is_name_code_(Code) :-
    (   between(0'a, 0'z, Code)
    ;   between(0'A, 0'Z, Code)
    ;   between(0'0, 0'9, Code)
    ),
    !.

template_value_(Name, Default, Values, Value) :-
    (   memberchk(Name=Value0, Values)
    ->  Value = Value0
    ;   Default = default(Text)
    ->  Value = Text
    ;   throw(error(existence_error(template_var, Name), _))
    ).
