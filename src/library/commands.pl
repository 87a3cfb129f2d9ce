% Commands that scripts declare, with types that are checked, variants that do not print, abbreviations and help.

%! command(+Head, +Options) is det.
%
%  As a directive: declares a command. Head is its name with its arguments, each `Name:Type`; types are those of
%  must_be/2, or predicates that are called with a further argument, such as `is_member([on, off])`.
%  The work is done by the predicate `Name_Op` with as many arguments, or the one of option `implementation(Predicate)`.
%  Other options: `message(Text)` for help, man and apropos, `abbrev(Short)` for a name that exists at the prompt only,
%  and `type(trace)` for a command that moves: it prints the event that it has come to, and `Name_np` does not.
%
%  ?- command(deeper(depth:integer), [type(trace)]), assertz((deeper_Op(D) :- fget_np(depth > D))).
%  true.
%  ?- deeper_np(7), current(chrono=C), !.
%  C = 27.
%  ?- deeper(a).
%  error: type_error(integer, a).
%  ?- abolish(deeper_Op/1).
%  true.
command(Head, Options) :-
    must_be(callable, Head),
    must_be(list, Options),
    Head =.. [Name|Arguments],
    '$named_types'(Arguments, Names, Types),
    '$command_option'(type(Kind), Options, plain),
    must_be(oneof([plain, trace]), Kind),
    atom_concat(Name, '_Op', Usual),
    '$command_option'(implementation(Work), Options, Usual),
    '$command_option'(message(Message), Options, ""),
    '$command_option'(abbrev(Short), Options, ''),
    '$define_command'(Kind, Name, Work, Types),
    '$define_abbreviation'(Short, Name, Types),
    '$declare_command'(Name, Names, Types, Kind, Short, Message).

%! opium_command(+Name, +Arguments, +Types, +Abbreviation, +Interface, +Kind, +Implementation, +Parameters, +Message) is det.
%@ declares.
%
%  As a directive: declares a command as the scripts of Morphine and Opium do, by `name : N`, `arg_list : Arguments`,
%  `arg_type_list : Types`, `abbrev : A`, `interface : _`, `command_type : trace` (or another one), `implementation : P`,
%  `parameters : _` and `message : M`. The arguments have no names then, as they are variables.
%
%  ?- opium_command(name : up, arg_list : [_], arg_type_list : [integer], abbrev : _, interface : hidden, command_type : opium, implementation : succ_or_zero, parameters : [], message : "").
%  true.
%  ?- up(x).
%  error: type_error(integer, x).
opium_command(name:Name, arg_list:Arguments, arg_type_list:Types, abbrev:Abbreviation, interface:_, command_type:Type,
              implementation:Work, parameters:_, message:Message) :-
    must_be(atom, Name),
    must_be(list, Arguments),
    must_be(list, Types),
    findall(Argument:Kind, ( nth1(N, Types, Kind), atom_concat(argument, N, Argument) ), Typed),
    Head =.. [Name|Typed],
    (   atom(Abbreviation)
    ->  Short = Abbreviation
    ;   Short = ''
    ),
    (   Type == trace
    ->  Kind0 = trace
    ;   Kind0 = plain
    ),
    command(Head, [type(Kind0), implementation(Work), abbrev(Short), message(Message)]).

%! opium_primitive(+Name, +Arguments, +Types, +Abbreviation, +Implementation, +Message) is det.
%@ declares.
%
%  Declares a predicate whose arguments have types as opium_command/9 does, by `name : N`, `arg_list : Arguments`,
%  `arg_type_list : Types`, `abbrev : A`, `implementation : P` and `message : M`. In a script it may stand as a fact or as a
%  directive, as may all declarations of Morphine.
%
%  ?- opium_primitive(name : next_to, arg_list : [_, _], arg_type_list : [integer, var], abbrev : _, implementation : succ, message : "").
%  true.
%  ?- next_to(2, X).
%  X = 3.
opium_primitive(name:Name, arg_list:Arguments, arg_type_list:Types, abbrev:Abbreviation, implementation:Work,
                message:Message) :-
    opium_command(name:Name, arg_list:Arguments, arg_type_list:Types, abbrev:Abbreviation, interface:hidden,
                  command_type:opium, implementation:Work, parameters:[], message:Message).

%! opium_procedure(+Name, +Arguments, +Implementation, +Parameters, +Message) is det.
%@ declares.
%
%  As a declaration of a script: its predicate `name : N` is what `implementation : P` does, and scripts may define it
%  anew, by `arg_list : Arguments`, `parameters : _` and `message : _`.
%
%  ?- catch(opium_procedure(name : _, arg_list : [], implementation : p, parameters : [], message : ""), error(E, _), true).
%  E = instantiation_error.
opium_procedure(name:Name, arg_list:Arguments, implementation:Work, parameters:_, message:_) :-
    '$opium_clause'(Name, Arguments, Work, Clause),
    (   Name == Work
    ->  true
    ;   '$script_add'(Clause)
    ).

%! opium_type(+Name, +Implementation, +Message) is det.
%@ declares.
%
%  Declares a type of arguments by `name : N`, `implementation : P`, a predicate that is called with the argument, and
%  `message : _`. A type that papaver has stays as it is.
%
%  ?- opium_type(name : is_even_number, implementation : is_assoc, message : "").
%  true.
opium_type(name:Name, implementation:Work, message:_) :-
    '$opium_clause'(Name, [_], Work, Clause),
    (   Name == Work
    ->  true
    ;   catch('$library_clause'(Clause), error(permission_error(_, _, _), _), true)
    ).

'$opium_clause'(Name, Arguments, Work, (Head :- Goal)) :-
    must_be(atom, Name),
    must_be(atom, Work),
    '$same_length'(Arguments, Values),
    Head =.. [Name|Values],
    Goal =.. [call, Work|Values].

%! opium_parameter(+Name, +Arguments, +Types, +Kind, +Default, +Commands, +Message) is det.
%@ declares.
%
%  Declares a parameter by `name : N`, `arg_list : Arguments`, `arg_type_list : Types`, `parameter_type : Kind`,
%  `default : Values`, `commands : _` and `message : _`: a predicate that gives its values, and takes others if all of its
%  arguments are given; set_parameter/2 and its relatives know it. Kind is `single`, or `multiple` for a parameter that keeps all
%  values that it was given. A parameter that papaver has stays as it is.
%
%  ?- opium_parameter(name : step_width, arg_list : [_], arg_type_list : [integer], parameter_type : single, default : [1], commands : [], message : "").
%  true.
%  ?- step_width(X), step_width(5), step_width(Y).
%  X = 1, Y = 5.
%  ?- set_parameter(step_width, [7]), get_parameter(step_width, L), set_default(step_width), step_width(X).
%  L = [7], X = 1.
opium_parameter(name:Name, arg_list:Arguments, arg_type_list:Types, parameter_type:Kind, default:Default, commands:_,
                message:_) :-
    must_be(atom, Name),
    '$same_length'(Arguments, Values),
    '$same_length'(Types, Values),
    Head =.. [Name|Values],
    catch(( '$library_clause'((Head :- '$user_parameter'(Name, Values))),
            '$keep_parameter'(parameter(Name, Types, Kind, Default)) ),
          error(permission_error(_, _, _), _), true).

'$keep_parameter'(Parameter) :-
    Parameter = parameter(Name, _, _, _),
    '$user_parameters'(Known0),
    exclude([parameter(Other, _, _, _)]>>(Other == Name), Known0, Known),
    nb_setval('$opium_parameters', [Parameter|Known]),
    '$reset_parameter'(Parameter).

'$user_parameters'(Known) :-
    catch(nb_getval('$opium_parameters', Known), error(existence_error(_, _), _), Known = []).

'$parameter_rows'(Name, Rows) :-
    atom_concat('$parameter_', Name, Key),
    nb_getval(Key, Rows).

'$keep_rows'(Name, Rows) :-
    atom_concat('$parameter_', Name, Key),
    nb_setval(Key, Rows).

% A multiple parameter need not have a value.
'$reset_parameter'(parameter(Name, _, _, Default)) :-
    (   is_list(Default)
    ->  '$keep_rows'(Name, [Default])
    ;   '$keep_rows'(Name, [])
    ).

'$user_parameter'(Name, Values) :-
    (   ground(Values)
    ->  '$user_parameters'(Known),
        memberchk(parameter(Name, Types, Kind, _), Known),
        '$set_user_parameter'(Kind, Name, Types, Values)
    ;   '$parameter_rows'(Name, Rows),
        member(Values, Rows)
    ).

'$set_user_parameter'(Kind, Name, Types, Values) :-
    length(Types, Arity),
    '$check_arguments'(Name/Arity, Types, Values),
    (   Kind == multiple
    ->  '$parameter_rows'(Name, Rows0),
        union(Rows0, [Values], Rows)
    ;   Rows = [Values]
    ),
    '$keep_rows'(Name, Rows).

%! set_parameter(+Name, +Values) is det.
%
%  Sets a parameter, which may be one that a script has declared; Values is the list of its arguments.
%
%  ?- set_parameter(indent_display_limit, [3]), indent_display_limit(N), set_default(indent_display_limit).
%  N = 3.
%  ?- set_parameter(list_display, [nest]).
%  error: domain_error(parameter_values, [nest]).
set_parameter(Name, Values) :-
    '$user_parameters'(Known),
    (   atom(Name),
        memberchk(parameter(Name, Types, Kind, _), Known)
    ->  must_be(list, Values),
        must_be(ground, Values),
        (   '$same_length'(Types, Values)
        ->  '$set_user_parameter'(Kind, Name, Types, Values)
        ;   throw(error(domain_error(parameter_values, Values), _))
        )
    ;   '$for'(set_parameter/2, '$set_parameter'(Name, Values))
    ).

%! get_parameter(?Name, ?Values) is nondet.
%
%  Values is the list of the arguments of a parameter, which may be one that a script has declared.
%
%  ?- get_parameter(indent_display_limit, L).
%  L = [30].
get_parameter(Name, Values) :-
    '$user_parameters'(Known),
    (   atom(Name),
        memberchk(parameter(Name, _, _, _), Known)
    ->  '$parameter_rows'(Name, Rows),
        member(Values, Rows)
    ;   var(Name)
    ->  findall(N-Vs, '$get_parameter'(N, Vs), Own),
        findall(N-Vs, ( member(parameter(N, _, _, _), Known), '$parameter_rows'(N, Rows), member(Vs, Rows) ), Others),
        append(Own, Others, All),
        member(Name-Values, All)
    ;   findall(Values, '$for'(get_parameter/2, '$get_parameter'(Name, Values)), Rows),
        member(Values, Rows)
    ).

%! set_default(+Name) is det.
%
%  Gives a parameter the value that it had at first.
%
%  ?- indent_display_limit(3), set_default(indent_display_limit), indent_display_limit(N).
%  N = 30.
set_default(Name) :-
    '$user_parameters'(Known),
    (   atom(Name),
        Parameter = parameter(Name, _, _, _),
        memberchk(Parameter, Known)
    ->  '$reset_parameter'(Parameter)
    ;   '$for'(set_default/1, '$set_default'(Name))
    ).

% '$for'(+Predicate, :Goal): the errors of Goal are those of Predicate.
'$for'(Predicate, Goal) :-
    catch(Goal, error(Formal, Context0), true),
    (   var(Formal)
    ->  true
    ;   Context0 =.. [Name, _|Rest],
        Context =.. [Name, Predicate|Rest],
        throw(error(Formal, Context))
    ).

%! opium_scenario(+Name, +Files, +Scenarios, +Message) is det.
%@ declares.
%
%  Declares a scenario, which make/1 loads, by `name : N`, `files : Files`, `scenarios : _` and `message : _`.
%
%  ?- opium_scenario(name : tour, files : [], scenarios : [], message : "").
%  true.
opium_scenario(name:Name, files:Files, scenarios:_, message:_) :-
    must_be(atom, Name),
    must_be(list, Files),
    '$opium_scenarios'(Known),
    nb_setval('$opium_scenarios', [scenario(Name, Files)|Known]).

'$opium_scenarios'(Known) :-
    catch(nb_getval('$opium_scenarios', Known), error(existence_error(_, _), _), Known = []).

%! make(+Scenario) is det.
%
%  Reads the files of a scenario that a script has declared, each by its name or with the ending `.op` of Morphine.
%
%  ?- catch(make(no_scenario), error(E, _), true).
%  E = existence_error(scenario, no_scenario).
make(Scenario) :-
    must_be(atom, Scenario),
    '$opium_scenarios'(Known),
    (   memberchk(scenario(Scenario, Files), Known)
    ->  forall(member(File, Files), '$consult_scenario'(File))
    ;   throw(error(existence_error(scenario, Scenario), _))
    ).

'$consult_scenario'(File) :-
    catch(consult(File), error(Formal, Context), '$consult_ending'(File, Formal, Context)).

'$consult_ending'(File, Formal, Context) :-
    (   memberchk(Formal, [existence_error(source_sink, _), permission_error(open, source_sink, _)]),
        \+ atom_concat(_, '.op', File),
        atom_concat(File, '.op', Named)
    ->  consult(Named)
    ;   throw(error(Formal, Context))
    ).

'$named_types'([], [], []).
'$named_types'([Argument|Arguments], [Name|Names], [Type|Types]) :-
    (   nonvar(Argument),
        Argument = Name:Type
    ->  must_be(atom, Name),
        must_be(callable, Type)
    ;   throw(error(type_error(typed_argument, Argument), _))
    ),
    '$named_types'(Arguments, Names, Types).

'$command_option'(Option, Options, Default) :-
    (   memberchk(Option, Options)
    ->  true
    ;   arg(1, Option, Default)
    ).

'$define_command'(plain, Name, Work, Types) :- '$define_checked'(Name, Work, Types, true).
'$define_command'(trace, Name, Work, Types) :-
    '$define_checked'(Name, Work, Types, '$show_event'),
    atom_concat(Name, '_np', Silent),
    '$define_checked'(Silent, Work, Types, true).

% The clause of a command: what is checked, the work, and what is done then.
'$define_checked'(Name, Work, Types, Then) :-
    '$same_length'(Types, Values),
    Head =.. [Name|Values],
    Goal =.. [call, Work|Values],
    length(Types, Arity),
    '$library_clause'((Head :- '$check_arguments'(Name/Arity, Types, Values), Goal, Then)).

'$define_abbreviation'(Short, Name, Types) :-
    (   '$has_abbreviations',
        Short \== ''
    ->  '$same_length'(Types, Values),
        Head =.. [Short|Values],
        Goal =.. [Name|Values],
        '$library_clause'((Head :- Goal))
    ;   true
    ).

'$same_length'(As, Bs) :- length(As, N), length(Bs, N).

'$check_arguments'(Command, Types, Values) :-
    catch('$check_each'(Types, Values), error(Formal, _), throw(error(Formal, context(Command, _)))).

'$check_each'([], []).
'$check_each'([Type|Types], [Value|Values]) :-
    '$check_argument'(Type, Value),
    '$check_each'(Types, Values).

'$check_argument'(is_member(Values), Value) :- !, must_be(oneof(Values), Value).
'$check_argument'(member(Values), Value) :- !, must_be(oneof(Values), Value).
'$check_argument'(Type, Value) :- type_test_(Type, Value, _), !, must_be(Type, Value).
'$check_argument'(Type, Value) :- call(Type, Value), !.
'$check_argument'(_, Value) :- var(Value), !, throw(error(instantiation_error, _)).
'$check_argument'(Type, Value) :- throw(error(type_error(Type, Value), _)).

%! is_member(+Values, ?Value) is semidet.
%
%  Type of arguments: Value is one of Values.
%
%  ?- is_member([on, off], on).
%  true.
is_member(Values, Value) :- nonvar(Value), memberchk(Value, Values).

%! is_port(?Port) is semidet.
%
%  Type of arguments: Port is a port that the trace may have, in any of its spellings.
%
%  ?- is_port('EXIT').
%  true.
%  ?- is_port(exti).
%  false.
is_port(Port) :-
    atom(Port),
    catch(( event([port=Port]) -> true ; true ), error(_, _), fail).

%! is_attribute(?Name) is semidet.
%
%  Type of arguments: Name is the name or an alias of an attribute of the trace.
%
%  ?- is_attribute(gp).
%  true.
%  ?- is_attribute(colour).
%  false.
is_attribute(Name) :-
    atom(Name),
    catch(( event([Name = (-)]) -> true ; true ), error(_, _), fail).

%! is_list_or_var(?Term) is semidet.
%
%  Type of arguments: a list, or a variable.
%
%  ?- is_list_or_var([a]), is_list_or_var(_).
%  true.
is_list_or_var(Term) :- var(Term), !.
is_list_or_var(Term) :- is_list(Term).

%! is_atom_or_string(?Term) is semidet.
%
%  Type of arguments: an atom or a string.
%
%  ?- is_atom_or_string("a"), is_atom_or_string(a).
%  true.
is_atom_or_string(Term) :- atom(Term), !.
is_atom_or_string(Term) :- string(Term).
