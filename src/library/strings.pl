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
%@ calls 1.
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
%  Default where Values has no Name; Name reads as a variable. With option goals(true), `{@Goal}` is replaced by what Goal
%  writes. Other text in braces stays.
%
%  ?- interpolate_string("{A} is {B,1}; {c}", S, ['A'=x], []).
%  S = "x is 1; {c}".
%  ?- interpolate_string("{@write(a)}", S, [], [goals(true)]).
%  S = "a".
%  ?- interpolate_string("{A}", S, [], []).
%  error: existence_error(template_var, 'A').
interpolate_string(Text, Filled, Values, Options) :-
    option(goals(Goals), Options, false),
    split_string(Text, "{", "", [First|Parts0]),
    maplist(interpolated_(Values, Goals), Parts0, Parts),
    join_string([First|Parts], "", Filled).

% interpolated_(+Values, +Goals, +Part, -Filled): Part is what follows an open brace.
interpolated_(Values, Goals, Part, Filled) :-
    (   sub_string(Part, Before, 1, After, "}"),
        sub_string(Part, 0, Before, _, Inside),
        pattern_text_(Goals, Inside, Values, Value)
    ->  sub_string(Part, _, After, 0, Rest),
        string_concat(Value, Rest, Filled)
    ;   string_concat("{", Part, Filled)
    ).

pattern_text_(true, Pattern, _, Text) :-
    string_concat("@", GoalText, Pattern),
    !,
    term_string(Goal, GoalText),
    with_output_to(string(Text), once(Goal)).
pattern_text_(_, Pattern, Values, Text) :-
    (   sub_string(Pattern, Before, 1, After, ",")
    ->  sub_string(Pattern, 0, Before, _, NameText),
        sub_string(Pattern, _, After, 0, Default),
        Defaults = [Default]
    ;   NameText = Pattern,
        Defaults = []
    ),
    atom_string(Name, NameText),
    atom_chars(Name, [First|Chars]),
    char_type(First, prolog_var_start),
    forall(member(Char, Chars), char_type(Char, prolog_identifier_continue)),
    template_value_(Name, Values, Defaults, Value),
    format(string(Text), "~w", [Value]).

template_value_(Name, Values, Defaults, Value) :-
    (   memberchk(Name=Value0, Values)
    ->  Value = Value0
    ;   Defaults = [Value]
    ->  true
    ;   throw(error(existence_error(template_var, Name), _))
    ).

%! sub_atom_icasechk(+Text, ?Start, +Part) is semidet.
%
%  Part stands in Text at Start, the first place if Start is free; capitals and small letters are the same.
%
%  ?- sub_atom_icasechk('Hello World', S, world).
%  S = 6.
sub_atom_icasechk(Text, Start, Part) :-
    downcase_atom(Text, Text1),
    downcase_atom(Part, Part1),
    once(sub_atom(Text1, Start, _, _, Part1)).
