% Morphine's commands that are said in the language: what there is at the current event.

%! current_attributes(?Chrono, ?Call, ?Depth, ?Port, ?ProcType, ?DeclModule, ?DefModule, ?Name, ?Arity, ?Mode, ?Det, ?GoalPath, ?Line) is semidet.
%
%  The attributes of the current event, all at once.
%  `-` says that one is not wanted; `-` is also the value of one that the event or the trace does not have.
%
%  ?- goto_np(673), current_attributes(-, Call, -, Port, T, -, -, Name, -, -, -, Path, Line).
%  Call = 3, Port = exit, T = (-), Name = queen, Path = [], Line = 16.
%  ?- goto_np(673), current_attributes(_, 4, _, _, _, _, _, _, _, _, _, _, _).
%  false.
current_attributes(Chrono, Call, Depth, Port, ProcType, DeclModule, DefModule, Name, Arity, Mode, Det, GoalPath, Line) :-
    '$current_values'([chrono-Chrono, call-Call, depth-Depth, port-Port, proc_type-ProcType, decl_module-DeclModule,
                       def_module-DefModule, name-Name, arity-Arity, mode_number-Mode, det-Det, goal_path-GoalPath,
                       line_number-Line]).

'$current_values'([]).
'$current_values'([Attribute-Value|Pairs]) :-
    '$current_value'(Attribute, Value),
    '$current_values'(Pairs).

'$current_value'(_, Value) :- Value == (-), !.
'$current_value'(Attribute, Value) :-
    catch(current([Attribute=Found]), error(existence_error(attribute, Attribute), _), Found = (-)),
    Value = Found.

%! current_arg(?Arguments) is semidet.
%
%  The list of the arguments of the current event, `-` for one that is not live.
%
%  ?- goto_np(14), current_arg([X|_]).
%  X = 2.
current_arg(Arguments) :- current([args=Arguments]).

%! current_arg_names(?Names) is semidet.
%
%  The names of the arguments of the current event, `-` for one that is not live.
%
%  ?- goto_np(3), catch(current_arg_names(_), error(E, _), true).
%  E = existence_error(attribute, arg_names).
current_arg_names(Names) :- current([arg_names=Names]).

%! current_arg_types(?Types) is semidet.
%
%  The types of the arguments of the current event, `-` for one that is not live.
%
%  ?- goto_np(3), catch(current_arg_types(_), error(E, _), true).
%  E = existence_error(attribute, arg_types).
current_arg_types(Types) :- current([arg_types=Types]).

%! current_vars(?Arguments, ?Others) is semidet.
%
%  The live variables of the current event, those that are arguments and the others: lists of
%  `live_var(Name, Value, Type)`. `-` says that a list is not wanted. Where the trace has no names of arguments they are
%  `"HeadVar__1"` and so on; a type that the trace does not record is `-`.
%
%  ?- goto_np(14), current_vars([live_var(Name, Value, Type)|_], Others).
%  Name = "HeadVar__1", Value = 2, Type = (-), Others = [].
current_vars(Arguments, Others) :-
    '$live_vars'(Arguments0, Others0),
    '$unless_unwanted'(Arguments, Arguments0),
    '$unless_unwanted'(Others, Others0).

'$unless_unwanted'(Wanted, _) :- Wanted == (-), !.
'$unless_unwanted'(Value, Value).

%! current_live_var(?Id, ?Value, ?Type) is nondet.
%
%  A live variable of the current event: Id is its name, a string, or, for an argument, may be its number. Type is a
%  term, `-` where the trace does not record it; one that is given may also be its text, a string.
%
%  ?- goto_np(14), current_live_var(Id, Value, _).
%  Id = "HeadVar__1", Value = 2
%  ; Id = "HeadVar__2", Value = [2, 3, 4, 5]
%  ; Id = "HeadVar__3", Value = [3, 4, 5].
%  ?- goto_np(14), current_live_var(3, Value, _).
%  Value = [3, 4, 5].
%  ?- goto_np(12), current_live_var(3, _, _).
%  false.
current_live_var(Number, Value, Type) :-
    integer(Number),
    !,
    current_arg(Arguments),
    (   nth1(Number, Arguments, Argument),
        Argument \== (-)
    ->  true
    ;   '$no_live_var'(Number)
    ),
    length(UpToIt, Number),
    append(UpToIt, _, Arguments),
    '$count_live'(UpToIt, 0, Place),
    '$live_vars'(Live, _),
    nth1(Place, Live, live_var(_, Value, Told)),
    '$is_type'(Type, Told).
current_live_var(Id, Value, Type) :-
    '$live_vars'(Arguments, Others),
    append(Arguments, Others, Live),
    '$variable_name'(Id, Name),
    (   \+ \+ memberchk(live_var(Name, _, _), Live)
    ->  true
    ;   '$no_live_var'(Id)
    ),
    member(live_var(Name, Value, Told), Live),
    '$is_type'(Type, Told).

% Why there is none, and failure.
'$no_live_var'(Id) :-
    (   var(Id)
    ->  Reason = "the current event has no live variables"
    ;   integer(Id)
    ->  format(string(Reason), "the current event has no live variable as argument ~d", [Id])
    ;   format(string(Reason), "the current event has no live variable `~w`", [Id])
    ),
    '$reason'(Reason),
    fail.

'$variable_name'(Id, Name) :- atom(Id), !, atom_string(Id, Name).
'$variable_name'(Name, Name).

'$count_live'([], N, N).
'$count_live'([Argument|Arguments], N0, N) :-
    (   Argument == (-)
    ->  N1 = N0
    ;   N1 is N0 + 1
    ),
    '$count_live'(Arguments, N1, N).

'$is_type'(Type, Type) :- !.
'$is_type'(Text, Told) :- string(Text), catch(term_string(Told, Text), error(syntax_error(_), _), fail).

%! current_live_var_names_and_types(?List) is semidet.
%
%  The names and types of the live variables of the current event: a list of `live_var_names_and_types(Name, Type)`.
%
%  ?- goto_np(3), current_live_var_names_and_types(List).
%  List = [live_var_names_and_types("HeadVar__1", -)].
current_live_var_names_and_types(List) :-
    '$live_vars'(Arguments, Others),
    append(Arguments, Others, Live),
    findall(live_var_names_and_types(Name, Type), member(live_var(Name, _, Type), Live), List).

%! current_live_var_names_and_types is semidet.
%
%  Prints the names and types of the live variables of the current event.
%
%  ?- goto_np(3), with_output_to(string(S), current_live_var_names_and_types).
%  S = "Current live variable names are: \n       HeadVar__1 {-}\n".
current_live_var_names_and_types :-
    current_live_var_names_and_types(List),
    write('Current live variable names are: \n'),
    display_list_var_names(List).

%! display_list_var_names(+List) is det.
%
%  Prints a list of `live_var_names_and_types(Name, Type)`, one a line.
%
%  ?- with_output_to(string(S), display_list_var_names([live_var_names_and_types("X", int)])).
%  S = "       X {int}\n".
display_list_var_names(List) :-
    forall(member(live_var_names_and_types(Name, Type), List), format("       ~w {~w}~n", [Name, Type])).
