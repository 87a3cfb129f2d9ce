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
