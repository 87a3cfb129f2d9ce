% Event lines that are written by procedures which a script may define in its own way.

%! use_hooks is det.
%
%  As a directive or goal: from here on print_event and all moves write event lines with these procedures, each of which
%  a script may redefine: `write_attribute/2`, `write_indent/4`, `write_arg_attribute/4`, `write_nth_arg/3`,
%  `write_arg/1`, `write_list/1`, `write_term/1`, `write_ersatz/0`, `write_comma/0`, `write_trace/1`, and for the stack
%  `display_stack/1`. Those that a script does not define write what event lines normally have, but more slowly.
%
%  ?- use_hooks, with_output_to(string(S), (goto_np(14), print_event)).
%  S = " 14:     7 [5] exit qdelete(2, [2, 3, 4, 5], [3, 4, 5]) []  48 \n".
use_hooks :-
    forall('$printing_move'(Name, Arity), '$hook_move'(Name, Arity)),
    '$replace_clause'((print_event :- current([chrono=_]), '$write_event')),
    '$replace_clause'((stack :- stack(Stack), call(display_stack, Stack))),
    '$replace_clause'(('$show_event' :- '$write_moved')).

'$printing_move'(Name, 1) :- member(Name, [fget, bget, det_fget, det_bget, goto]).
'$printing_move'(Name, 0) :-
    member(Name, [next, step, prev, bstep, det_next, det_step, det_prev, det_bstep, finish, skip, bfinish, bskip, retry,
                  rerun, first, last]).
'$printing_move'(Name, many) :- member(Name, [next, step, prev, bstep]).

'$hook_move'(Name, many) :-
    !,
    Head =.. [Name, N],
    atomic_list_concat([det_, Name, '_np'], Move),
    '$replace_clause'((Head :- '$hooked_moves'(N, Move))).
'$hook_move'(Name, Arity) :-
    functor(Head, Name, Arity),
    Head =.. [_|Arguments],
    atom_concat(Name, '_np', Silent),
    Goal =.. [Silent|Arguments],
    '$replace_clause'((Head :- Goal, '$write_moved')).

'$hooked_moves'(N, Move) :-
    must_be(integer, N),
    '$hooked_moves_'(N, Move).

'$hooked_moves_'(N, _) :- N =< 0, !.
'$hooked_moves_'(N, Move) :-
    call(Move),
    '$write_moved',
    N1 is N - 1,
    '$hooked_moves_'(N1, Move).

'$write_moved' :- \+ '$moves_print', !.
'$write_moved' :- '$write_event'.

'$write_event' :-
    attribute_display(Chrono, Call, Port, Depth, Det, Type, Decl, Def, Name, Arity, Mode, Args, Locals, Types, Path, Line),
    current_attributes(C, K, D, P, T, DeclModule, DefModule, N, A, M, Dt, G, L),
    '$write_part'(Chrono, chrono, C),
    indent_display(OnOff, Text, Start),
    call(write_indent, OnOff, Text, Start, D),
    '$write_parts'([Call-call-K, Depth-depth-D, Port-port-P, Det-deter-Dt, Type-proc_type-T, Def-def_module-DefModule,
                    Decl-decl_module-DeclModule, Name-name-N]),
    '$write_arguments'(Args, Types, Locals, DeclModule:N/A-M, A),
    '$write_parts'([Arity-arity-A, Mode-mode_number-M, Path-goal_path-G, Line-line_number-L]),
    '$write_locals'(Locals),
    call(write_trace, '\n').

'$write_parts'([]).
'$write_parts'([OnOff-Attribute-Value|Parts]) :-
    '$write_part'(OnOff, Attribute, Value),
    '$write_parts'(Parts).

'$write_part'(on, Attribute, Value) :- Value \== (-), !, call(write_attribute, Attribute, Value).
'$write_part'(_, _, _).

'$write_arguments'(off, off, off, _, _) :- !, call(write_trace, '()').
'$write_arguments'(_, _, _, _, 0) :- !.
'$write_arguments'(Args, Types, _, Proc, _) :-
    '$current_arguments'(List),
    call(write_arg_attribute, Proc, List, Args, Types).

% The arguments of the current event with their types: `Value:Type`, `-` for one that is not live.
'$current_arguments'(List) :-
    catch(current_arg(Arguments), error(existence_error(attribute, _), _), Arguments = []),
    catch(current_arg_types(Types), error(existence_error(attribute, _), _), Types = []),
    '$with_types'(Arguments, Types, List).

'$with_types'([], _, []).
'$with_types'([Argument|Arguments], Types0, [Typed|List]) :-
    (   Types0 = [Type|Types]
    ->  true
    ;   Type = (-), Types = []
    ),
    (   Argument == (-)
    ->  Typed = (-)
    ;   Typed = Argument:Type
    ),
    '$with_types'(Arguments, Types, List).

'$write_locals'(off) :- !.
'$write_locals'(on) :-
    current_vars(-, Others),
    (   Others == []
    ->  true
    ;   call(write_attribute, listvar, Others)
    ).

%! write_attribute(+Name, +Value) is det.
%
%  Writes a part of the event line for use_hooks/0; a script may redefine it. Name is chrono, call, depth, port, deter,
%  proc_type, def_module, decl_module, name, arity, mode_number, goal_path, line_number, type_arg or listvar.
%
%  ?- with_output_to(string(S), (write_attribute(chrono, 7), write_attribute(depth, 2), write_attribute(name, p))).
%  S = "  7: [2] p".
write_attribute(chrono, V) :- !, format(string(S), "~t~d~3|: ", [V]), call(write_trace, S).
write_attribute(depth, V) :- !, '$write_all'(['[', V, '] ']).
write_attribute(proc_type, V) :- !, '$write_quoted'('(', V, ') ').
write_attribute(def_module, V) :- !, '$write_quoted'('{', V, '} ').
write_attribute(decl_module, V) :- !, '$write_quoted'('', V, ': ').
write_attribute(name, V) :- !, '$write_quoted'('', V, '').
write_attribute(arity, V) :- !, '$write_all'(['/', V]).
write_attribute(mode_number, V) :- !, '$write_all'(['-', V]).
write_attribute(goal_path, V) :- !, '$write_quoted'(' ', V, ' ').
write_attribute(line_number, V) :- !, '$write_all'([' ', V, ' ']).
write_attribute(type_arg, Type) :-
    !,
    with_output_to(string(Text0), write_term(Type, [spacing(next_argument)])),
    '$replaced'(Text0, ':', '__', Text1),
    '$replaced'(Text1, ', ', ' ,', Text),
    '$write_all'([' {', Text, '}']).
write_attribute(listvar, Vars) :-
    !,
    call(write_trace, '\nNon-argument live variables:'),
    forall(member(live_var(Name, Value, Type), Vars),
           ( '$write_all'(['\n\t', Name, ' = ', Value]),
             ( Type == (-) -> true ; call(write_attribute, type_arg, Type) ) )).
write_attribute(_, V) :- '$write_quoted'('', V, ' ').

'$write_quoted'(Before, Value, Behind) :-
    with_output_to(string(Text), write_term(Value, [quoted(true), spacing(next_argument)])),
    '$write_all'([Before, Text, Behind]).

'$replaced'(Text, Old, New, Replaced) :-
    atomic_list_concat(Parts, Old, Text),
    atomic_list_concat(Parts, New, Replaced).

%! write_indent(+OnOff, +Text, +Start, +Depth) is det.
%
%  Writes the indentation of an event line for use_hooks/0; a script may redefine it.
%
%  ?- with_output_to(string(S), write_indent(on, '| ', 1, 3)).
%  S = "| | ".
write_indent(on, Text, Start, Depth) :-
    integer(Depth),
    !,
    indent_display_limit(Limit),
    N is min(Limit, Depth - Start),
    forall(between(1, N, _), call(write_trace, Text)).
write_indent(_, _, _, _).

%! write_arg_attribute(+Proc, +Arguments, +ArgFlag, +TypeFlag) is det.
%
%  Writes the arguments of an event line for use_hooks/0; a script may redefine it. Arguments is a list of `Value:Type`,
%  or `-` for one that is not live; the flags are on or off.
%
%  ?- with_output_to(string(S), write_arg_attribute(m:p/2-0, [1:"int", -], on, on)).
%  S = "(1 {int}, -)".
write_arg_attribute(Proc, Arguments, ArgFlag, TypeFlag) :-
    call(write_trace, '('),
    (   ArgFlag == off, TypeFlag == off
    ->  true
    ;   '$write_each_argument'(Arguments, 1, Proc, ArgFlag, TypeFlag)
    ),
    call(write_trace, ')').

'$write_each_argument'([], _, _, _, _).
'$write_each_argument'([Argument|Arguments], N, Proc, ArgFlag, TypeFlag) :-
    '$write_one_argument'(Argument, N, Proc, ArgFlag, TypeFlag),
    (   Arguments == []
    ->  true
    ;   call(write_comma)
    ),
    N1 is N + 1,
    '$write_each_argument'(Arguments, N1, Proc, ArgFlag, TypeFlag).

'$write_one_argument'(-, _, _, _, _) :- !, call(write_trace, '-').
'$write_one_argument'(Value:Type, N, Proc, ArgFlag, TypeFlag) :-
    (   ArgFlag == on
    ->  call(write_nth_arg, Value, N, Proc)
    ;   true
    ),
    (   TypeFlag == on,
        Type \== (-)
    ->  call(write_attribute, type_arg, Type)
    ;   true
    ).

%! write_nth_arg(+Value, +N, +Proc) is det.
%
%  Writes the Nth argument of a procedure for use_hooks/0; a script may redefine it.
%
%  ?- with_output_to(string(S), write_nth_arg([1, 2], 1, m:p/1-0)).
%  S = "[1, 2]".
write_nth_arg(_, N, _:Name/Arity-_) :-
    arg_undisplay(Hidden, N),
    '$is_hidden'(Hidden, Name, Arity),
    !,
    call(write_ersatz).
write_nth_arg(Value, _, _) :- call(write_arg, Value).

'$is_hidden'(Hidden, Name, _) :- Hidden == Name, !.
'$is_hidden'(Hidden/N, Name, Arity) :- integer(N), !, N == Arity, '$is_hidden'(Hidden, Name, Arity).
'$is_hidden'(_:Hidden, Name, Arity) :- !, '$is_hidden'(Hidden, Name, Arity).
'$is_hidden'(Hidden-_, Name, Arity) :- !, '$is_hidden'(Hidden, Name, Arity).
'$is_hidden'((_ -> Hidden), Name, Arity) :- '$is_hidden'(Hidden, Name, Arity).

%! write_arg(+Value) is det.
%
%  Writes an argument for use_hooks/0: lists by write_list/1, other terms by write_term/1. A script may redefine it.
%
%  ?- with_output_to(string(S), write_arg(f("a b", 'A'))).
%  S = "f(\"a b\", 'A')".
write_arg(Value) :- nonvar(Value), Value = [_|_], !, call(write_list, Value).
write_arg(Value) :- compound(Value), !, call(write_term, Value).
write_arg(Value) :- '$write_cut'(Value).

%! write_list(+List) is det.
%
%  Writes a list that is an argument, as far as list_display/2 shows it; a script may redefine it.
%
%  ?- with_output_to(string(S), write_list([1, [2]])).
%  S = "[1, [2]]".
write_list(List) :- '$write_cut'(List).

%! write_term(+Term) is det.
%
%  Writes a term that is an argument, as far as term_display/2 shows it; a script may redefine it.
%
%  ?- with_output_to(string(S), write_term(f(3 - 8))).
%  S = "f(3 - 8)".
write_term(Term) :- '$write_cut'(Term).

%! write_ersatz is det.
%
%  Writes what stands for an argument that is not shown; a script may redefine it.
%
%  ?- with_output_to(string(S), write_ersatz).
%  S = "...".
write_ersatz :- call(write_trace, '...').

%! write_comma is det.
%
%  Writes what stands between arguments; a script may redefine it.
%
%  ?- with_output_to(string(S), write_comma).
%  S = ", ".
write_comma :- call(write_trace, ', ').

%! display_stack(+Stack) is det.
%
%  Writes a stack as stack/1 gives it; with use_hooks/0, a script may redefine it for stack/0.
%
%  ?- with_output_to(string(S), display_stack([[level(0), detail(2, 2, 2), pred, proc("m", "p", 1, 0), det("det")]])).
%  S = "\nLevel 0: (chrono=2, call=2, depth=2) pred m:p/1-0 (det) \n".
display_stack(Stack) :-
    call(write_trace, '\n'),
    forall(member(Level, Stack), ( forall(member(Part, Level), '$display_stack_part'(Part)), call(write_trace, '\n') )).

'$display_stack_part'(level(Level)) :- !, '$write_all'(['Level ', Level, ': ']).
'$display_stack_part'(detail(Chrono, Call, Depth)) :-
    !,
    '$write_all'(['(chrono=', Chrono, ', call=', Call]),
    (   Depth == (-)
    ->  true
    ;   '$write_all'([', depth=', Depth])
    ),
    call(write_trace, ') ').
'$display_stack_part'(proc(Module, Name, Arity, Mode)) :-
    !,
    (   Module == (-)
    ->  true
    ;   '$write_all'([Module, ':'])
    ),
    call(write_trace, Name),
    (   Arity == (-)
    ->  true
    ;   '$write_all'(['/', Arity])
    ),
    (   Mode == (-)
    ->  true
    ;   '$write_all'(['-', Mode])
    ),
    call(write_trace, ' ').
'$display_stack_part'(det(-)) :- !.
'$display_stack_part'(det(Det)) :- !, '$write_all'(['(', Det, ') ']).
'$display_stack_part'(def_module(_)) :- !.
'$display_stack_part'(-) :- !.
'$display_stack_part'(Kind) :- '$write_all'([Kind, ' ']).

'$write_all'(Parts) :- forall(member(Part, Parts), call(write_trace, Part)).
