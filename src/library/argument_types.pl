% The types of arguments that the scripts of Morphine name in their declarations, each a predicate of one argument.

%! is_integer_or_var(?Term) is semidet.
%
%  Type of arguments: an integer, or a variable.
%
%  ?- is_integer_or_var(_), is_integer_or_var(3).
%  true.
%  ?- is_integer_or_var(a).
%  false.
is_integer_or_var(Term) :- var(Term), !.
is_integer_or_var(Term) :- integer(Term).

%! is_atom_or_var(?Term) is semidet.
%
%  Type of arguments: an atom, or a variable.
%
%  ?- is_atom_or_var(_), is_atom_or_var(a).
%  true.
%  ?- is_atom_or_var(3).
%  false.
is_atom_or_var(Term) :- var(Term), !.
is_atom_or_var(Term) :- atom(Term).

%! is_string_or_var(?Term) is semidet.
%
%  Type of arguments: a string, or a variable.
%
%  ?- is_string_or_var(_), is_string_or_var("a").
%  true.
%  ?- is_string_or_var(a).
%  false.
is_string_or_var(Term) :- var(Term), !.
is_string_or_var(Term) :- string(Term).

%! is_string_or_integer_or_var(?Term) is semidet.
%
%  Type of arguments: a string, an integer, or a variable.
%
%  ?- is_string_or_integer_or_var("X"), is_string_or_integer_or_var(3).
%  true.
is_string_or_integer_or_var(Term) :- integer(Term), !.
is_string_or_integer_or_var(Term) :- is_string_or_var(Term).

%! is_port_or_var(?Term) is semidet.
%
%  Type of arguments: a port, as for is_port/1, or a variable.
%
%  ?- is_port_or_var(_), is_port_or_var(exit).
%  true.
%  ?- is_port_or_var(exti).
%  false.
is_port_or_var(Term) :- var(Term), !.
is_port_or_var(Term) :- is_port(Term).

%! is_det_marker_or_var(?Term) is semidet.
%
%  Type of arguments: a determinism, as for is_det_marker/1, or a variable.
%
%  ?- is_det_marker_or_var(_), is_det_marker_or_var(det).
%  true.
%  ?- is_det_marker_or_var(dett).
%  false.
is_det_marker_or_var(Term) :- var(Term), !.
is_det_marker_or_var(Term) :- is_det_marker(Term).

%! is_goal_path_or_var(?Term) is semidet.
%
%  Type of arguments: a goal path, as for is_goal_path/1, or a variable.
%
%  ?- is_goal_path_or_var(_), is_goal_path_or_var([c2, e]).
%  true.
%  ?- is_goal_path_or_var([x]).
%  false.
is_goal_path_or_var(Term) :- var(Term), !.
is_goal_path_or_var(Term) :- is_goal_path(Term).

%! is_proc_or_var(?Term) is semidet.
%
%  Type of arguments: a procedure, as for is_proc/1, or a variable.
%
%  ?- is_proc_or_var(_), is_proc_or_var(queen/2).
%  true.
%  ?- is_proc_or_var(queen/a).
%  false.
is_proc_or_var(Term) :- var(Term), !.
is_proc_or_var(Term) :- is_proc(Term).

%! is_string(?Term) is semidet.
%
%  Type of arguments: a string.
%
%  ?- is_string("a").
%  true.
%  ?- is_string(a).
%  false.
is_string(Term) :- string(Term).

%! is_term(?Term) is det.
%
%  Type of arguments: any term.
%
%  ?- is_term(f(_)).
%  true.
is_term(_).

%! is_list_of_atoms(?List) is semidet.
%
%  Type of arguments: a list of atoms.
%
%  ?- is_list_of_atoms([]), is_list_of_atoms([a]).
%  true.
%  ?- is_list_of_atoms([1]).
%  false.
is_list_of_atoms(List) :- is_list(List), '$each_is'(List, atom).

%! is_list_of_ports(?List) is semidet.
%
%  Type of arguments: a list of ports.
%
%  ?- is_list_of_ports([]), is_list_of_ports([call, 'EXIT']).
%  true.
%  ?- is_list_of_ports([exti]).
%  false.
is_list_of_ports(List) :- is_list(List), '$each_is'(List, is_port).

%! is_list_of_dets(?List) is semidet.
%
%  Type of arguments: a list of determinisms.
%
%  ?- is_list_of_dets([]), is_list_of_dets([det, 'SEMI']).
%  true.
%  ?- is_list_of_dets([dett]).
%  false.
is_list_of_dets(List) :- is_list(List), '$each_is'(List, is_det_marker).

%! is_proc_type(?Type) is semidet.
%
%  Type of arguments: `predicate` or `function`.
%
%  ?- is_proc_type(function).
%  true.
%  ?- is_proc_type(relation).
%  false.
is_proc_type(Type) :- is_member([predicate, function], Type).

%! is_det_marker(?Det) is semidet.
%
%  Type of arguments: Det is a determinism of Mercury, as it is declared or in the capitals of its debugger.
%
%  ?- is_det_marker(semidet), is_det_marker('SEMI').
%  true.
%  ?- is_det_marker(semi).
%  false.
is_det_marker(Det) :-
    is_member([det, semidet, nondet, multi, multidet, cc_nondet, cc_multi, cc_multidet, failure, erroneous,
               'DET', 'SEMI', 'NON', 'MUL', 'CCNON', 'CCMUL', 'FAIL', 'ERR'], Det).

%! is_goal_path(?Path) is semidet.
%
%  Type of arguments: Path is a list of steps such as `c2`, `d1`, `s3`, `?`, `t`, `e`, `q` and `~`.
%
%  ?- is_goal_path([s2, c4, ?, e]), is_goal_path(['s1-3', 's2-na']).
%  true.
%  ?- is_goal_path([c]).
%  false.
is_goal_path(Path) :- is_list(Path), '$each_is'(Path, '$is_step').

'$is_step'(Step) :-
    atom(Step),
    (   memberchk(Step, [?, t, e, q, ~])
    ->  true
    ;   sub_atom(Step, 0, 1, _, Kind),
        memberchk(Kind, [c, d, s]),
        sub_atom(Step, 1, _, 0, Numbers),
        split_string(Numbers, "-", "", [Number|Arms]),
        '$is_number'(Number),
        '$are_arms'(Kind, Arms)
    ).

'$are_arms'(_, []) :- !.
'$are_arms'(s, ["na"]) :- !.
'$are_arms'(s, [Arms]) :- '$is_number'(Arms).

'$is_number'(Text) :- Text \== "", string_chars(Text, Chars), '$each_is'(Chars, '$is_digit').

'$is_digit'(Char) :- Char @>= '0', Char @=< '9'.

'$each_is'([], _).
'$each_is'([Item|Items], Type) :-
    call(Type, Item),
    !,
    '$each_is'(Items, Type).

%! is_atom_attribute(?Value) is semidet.
%
%  Type of arguments: an atom, as a constraint has it: one, one that is negated, a list, `-` or a variable.
%
%  ?- is_atom_attribute(_), is_atom_attribute(a), is_atom_attribute(not(a)), is_atom_attribute([a]).
%  true.
%  ?- is_atom_attribute(not(1)).
%  false.
is_atom_attribute(Value) :- '$is_constraint'(atom, Value).

%! is_string_attribute(?Value) is semidet.
%
%  Type of arguments: a string, as a constraint has it: one, one that is negated, a list, `-` or a variable.
%
%  ?- is_string_attribute(_), is_string_attribute("a"), is_string_attribute(not("a")), is_string_attribute(["a"]).
%  true.
%  ?- is_string_attribute(not(a)).
%  false.
is_string_attribute(Value) :- '$is_constraint'(string, Value).

%! is_port_attribute(?Value) is semidet.
%
%  Type of arguments: a port, as a constraint has it: one, one that is negated, a list, `-` or a variable.
%
%  ?- is_port_attribute(_), is_port_attribute(exit), is_port_attribute(not(exit)), is_port_attribute([exit]).
%  true.
%  ?- is_port_attribute(not(exti)).
%  false.
is_port_attribute(Value) :- '$is_constraint'(is_port, Value).

%! is_proc_type_attribute(?Value) is semidet.
%
%  Type of arguments: `predicate` or `function` as a constraint has it: one, one that is negated, a list, `-` or a variable.
%
%  ?- is_proc_type_attribute(_), is_proc_type_attribute(predicate), is_proc_type_attribute(not(predicate)).
%  true.
%  ?- is_proc_type_attribute(not(relation)).
%  false.
is_proc_type_attribute(Value) :- '$is_constraint'(is_proc_type, Value).

%! is_det_marker_attribute(?Value) is semidet.
%
%  Type of arguments: a determinism, as a constraint has it: one, one that is negated, a list, `-` or a variable.
%
%  ?- is_det_marker_attribute(_), is_det_marker_attribute(det), is_det_marker_attribute(not(det)).
%  true.
%  ?- is_det_marker_attribute(not(dett)).
%  false.
is_det_marker_attribute(Value) :- '$is_constraint'(is_det_marker, Value).

%! is_goal_path_attribute(?Value) is semidet.
%
%  Type of arguments: a goal path, as a constraint has it: one, one that is negated, a list, `-` or a variable.
%
%  ?- is_goal_path_attribute(_), is_goal_path_attribute([c2]), is_goal_path_attribute([[c2]]).
%  true.
%  ?- is_goal_path_attribute(not([x])).
%  false.
is_goal_path_attribute(Value) :- is_goal_path(Value), !.
is_goal_path_attribute(Value) :- '$is_constraint'(is_goal_path, Value).

%! is_integer_attribute(?Value) is semidet.
%
%  Type of arguments: an integer, as a constraint has it: as for is_atom_attribute/1, or an interval.
%
%  ?- is_integer_attribute(_), is_integer_attribute(3), is_integer_attribute(\+ 3), is_integer_attribute([3, 5]).
%  true.
%  ?- is_integer_attribute(3..5).
%  true.
%  ?- is_integer_attribute(5..3).
%  false.
is_integer_attribute(Value) :- '$is_constraint'(integer, Value), !.
is_integer_attribute(From..To) :- integer(From), integer(To), From =< To.

'$is_constraint'(Type, Value) :-
    (   ( var(Value) ; Value == (-) )
    ->  true
    ;   ( Value = not(Other) ; Value = (\+ Other) )
    ->  call(Type, Other)
    ;   is_list(Value)
    ->  '$each_is'(Value, Type)
    ;   call(Type, Value)
    ),
    !.

%! is_arg_attribute(?Value) is semidet.
%
%  Type of arguments: `-` or a variable.
%
%  ?- is_arg_attribute(-).
%  true.
%  ?- is_arg_attribute(1).
%  false.
is_arg_attribute(Value) :- var(Value), !.
is_arg_attribute(-).

%! is_proc(?Proc) is semidet.
%
%  Type of arguments: Proc is Type->Module:Name/Arity-Mode, of which all but Name may be missing; each part is as a
%  constraint has it.
%
%  ?- is_proc(queen), is_proc(queens:queen/2-0), is_proc((predicate->queens:(queen/2))), is_proc(queen-[0, 1]).
%  true.
%  ?- is_proc(queen/2/3).
%  false.
%  ?- is_proc((relation->queen)).
%  false.
is_proc(Proc) :- is_atom_attribute(Proc), !.
is_proc((Type->Proc)) :- !, is_proc_type_attribute(Type), '$is_proc'(Proc).
is_proc(Proc) :- '$is_proc'(Proc).

'$is_proc'(Proc) :- is_atom_attribute(Proc), !.
'$is_proc'(Module:Proc) :- !, is_atom_attribute(Module), '$without_mode'(Proc, Name), is_atom_attribute(Name).
'$is_proc'(Proc) :- '$without_mode'(Proc, Name), '$is_name'(Name).

% As operators bind, Module:Name/Arity may also be (Module:Name)/Arity.
'$is_name'(Name) :- is_atom_attribute(Name), !.
'$is_name'(Module:Name) :- is_atom_attribute(Module), is_atom_attribute(Name).

'$without_mode'(Proc, Name) :-
    nonvar(Proc),
    Proc = Rest-Mode,
    !,
    is_integer_attribute(Mode),
    '$without_arity'(Rest, Name).
'$without_mode'(Proc, Name) :- '$without_arity'(Proc, Name).

'$without_arity'(Proc, Name) :- nonvar(Proc), Proc = Name/Arity, !, is_integer_attribute(Arity).
'$without_arity'(Name, Name).

%! is_mercury_proc_or_type(?Name) is semidet.
%
%  Type of arguments: an atom, or an atom and a number of arguments, as listing/2 takes them.
%
%  ?- is_mercury_proc_or_type(safe), is_mercury_proc_or_type(safe/1).
%  true.
%  ?- is_mercury_proc_or_type(safe/a).
%  false.
is_mercury_proc_or_type(Name) :- atom(Name), !.
is_mercury_proc_or_type(Name/Arity) :- atom(Name), integer(Arity).

%! is_mercury_program_call(?Call) is semidet.
%
%  Type of arguments: a program with its arguments, as a string or term: "path/program argument ...", or
%  "path/program(argument, ...)".
%
%  ?- is_mercury_program_call(hello), is_mercury_program_call("./cat file"), is_mercury_program_call(cat(file)).
%  true.
%  ?- is_mercury_program_call("./").
%  false.
%  ?- is_mercury_program_call(_).
%  false.
is_mercury_program_call(Call) :-
    nonvar(Call),
    (   string(Call)
    ->  Text = Call
    ;   format(string(Text), "~w", [Call])
    ),
    split_string(Text, "(", "", [Path|Arguments]),
    split_string(Path, "/", "", Parts),
    last(Parts, Program),
    split_string(Program, " ", " ", [Name|_]),
    Name \== "",
    (   Arguments == []
    ->  true
    ;   sub_string(Text, _, 1, 0, ")")
    ).

%! is_list_or_conj_of_attribute_constraints_fget(?Constraints) is semidet.
%
%  Type of arguments: constraints as fget/1 takes them, a list or joined by `and`.
%
%  ?- is_list_or_conj_of_attribute_constraints_fget(chrono=[20, 789] and depth=3..6 and name=queen).
%  true.
%  ?- is_list_or_conj_of_attribute_constraints_fget([port=exti]).
%  false.
is_list_or_conj_of_attribute_constraints_fget(Constraints) :-
    '$conjuncts'(Constraints, List),
    catch(\+ \+ ( event(List) -> true ; true ), error(_, _), fail).

'$conjuncts'(Constraints, _) :- var(Constraints), !, fail.
'$conjuncts'(-, []) :- !.
'$conjuncts'(First and Others, [First|List]) :- !, '$conjuncts'(Others, List).
'$conjuncts'(List, List) :- is_list(List), !.
'$conjuncts'(Constraint, [Constraint]).

%! is_list_or_conj_of_attributes_current(?Attributes) is semidet.
%
%  Type of arguments: attributes and their values as current/1 takes them, a list or joined by `and`.
%
%  ?- is_list_or_conj_of_attributes_current(name=_ and port=exit), is_list_or_conj_of_attributes_current([chrono=_]).
%  true.
%  ?- is_list_or_conj_of_attributes_current([colour=_]).
%  false.
is_list_or_conj_of_attributes_current(Attributes) :-
    '$conjuncts'(Attributes, List),
    '$each_is'(List, '$names_attribute').

'$names_attribute'(Conjunct) :- nonvar(Conjunct), Conjunct = (Name = _), is_attribute(Name).
