% Lists of options, each `Name(Value)` or `Name = Value`.

%! option(?Option, +Options) is semidet.
%
%  Option is `Name(Value)`: Value is that of the first option with this name.
%
%  ?- option(depth(D), [width(3), depth = 4]).
%  D = 4.
%  ?- option(depth(_), [width(3)]).
%  false.
option(Option, Options) :-
    single_option_(Option, Name, Value),
    named_option_(Options, Name, Found),
    !,
    Value = Found.

%! option(?Option, +Options, +Default) is semidet.
%
%  As option/2; without an option of the name, the value is Default.
%
%  ?- option(depth(D), [], 7).
%  D = 7.
option(Option, Options, Default) :-
    single_option_(Option, Name, Value),
    (   named_option_(Options, Name, Found)
    ->  Value = Found
    ;   Value = Default
    ).

single_option_(Option, Name, Value) :-
    must_be(nonvar, Option),
    (   Option =.. [Name, Value]
    ->  true
    ;   type_error(option, Option)
    ).

named_option_([Option|Options], Name, Value) :-
    (   nonvar(Option),
        ( Option =.. [Name, Value0] ; Option = (Name0 = Value0), Name0 == Name )
    ->  Value = Value0
    ;   named_option_(Options, Name, Value)
    ).

%! select_option(?Option, +Options, -Others) is semidet.
%
%  As option/2; Others are the options but the one found.
%
%  ?- select_option(depth(D), [width(3), depth(4)], O).
%  D = 4, O = [width(3)].
select_option(Option, Options, Others) :-
    single_option_(Option, Name, Value),
    selected_option_(Options, Name, Value, Others),
    !.

%! select_option(?Option, +Options, -Others, +Default) is semidet.
%
%  As select_option/3; without an option of the name, the value is Default.
%
%  ?- select_option(depth(D), [width(3)], O, 7).
%  D = 7, O = [width(3)].
select_option(Option, Options, Others, Default) :-
    (   select_option(Option, Options, Others0)
    ->  Others = Others0
    ;   Option =.. [_, Default],
        Others = Options
    ).

selected_option_([Option|Options], Name, Value, Others) :-
    (   named_option_([Option], Name, Found)
    ->  Value = Found,
        Others = Options
    ;   Others = [Option|Others1],
        selected_option_(Options, Name, Value, Others1)
    ).

%! merge_options(+New, +Old, -Merged) is det.
%
%  Merged has the options of both lists in standard order, as `Name(Value)`; those of New replace those of Old.
%
%  ?- merge_options([b(1)], [a = 2, b(3)], M).
%  M = [a(2), b(1)].
merge_options(New, Old, Merged) :-
    maplist(canonical_option_, New, New1),
    maplist(canonical_option_, Old, Old1),
    exclude(is_replaced_(New1), Old1, Kept),
    append(New1, Kept, All),
    sort(All, Merged).

canonical_option_(Option, Canonical) :-
    (   Option = (Name = Value)
    ->  Canonical =.. [Name, Value]
    ;   Canonical = Option
    ).

is_replaced_(New, Option) :-
    functor(Option, Name, Arity),
    functor(Pattern, Name, Arity),
    \+ \+ memberchk(Pattern, New).
