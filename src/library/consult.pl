% Reading scripts: consult/1, declarations and what directives do.

%! consult(+Files) is det.
%
%  Reads a script, or each of a list of scripts. Their clauses replace those of earlier scripts for the same predicates.
%
%  ?- catch(consult('no such file'), error(E, _), true).
%  E = permission_error(open, source_sink, 'no such file').
consult(Files) :- var(Files), !, throw(error(instantiation_error, _)).
consult([]) :- !.
consult([File|Files]) :- !, consult(File), consult(Files).
consult(File) :-
    '$script_open'(File),
    '$consult_script'.

'$consult_script' :-
    repeat,
    '$script_next'(Event),
    consult_event_(Event),
    !,
    '$script_close',
    '$initializations'(Goals),
    on_trace_first_(Goals, All),
    run_initializations_(All).

on_trace_first_([], []).
on_trace_first_([Goal|Goals], ['$reach_on', Goal|Goals]).

% Reads a script that stays for one goal: what it wants to be called at its end is not.
'$consult_guest' :-
    '$initializations'(Before),
    repeat,
    '$script_next'(Event),
    consult_event_(Event),
    !,
    '$script_close',
    '$initializations'(_),
    forall(member(Goal, Before), '$initialization'(Goal)).

% Succeeds at the end of the script only.
consult_event_(end).
consult_event_(directive(Goal)) :- run_directive_(Goal), fail.
consult_event_(grammar(Rule)) :- add_grammar_rule_(Rule), fail.

% The catcher '$uncaught'(Ball, Goals) is Ball; Goals is the backtrace, as a string.
run_directive_(Goal) :-
    catch(call_directive_(Goal), '$uncaught'(Ball, Goals), note_directive_ball_(Goal, Ball, Goals)),
    !.
run_directive_(Goal) :-
    format(string(Message), "the directive `~q` failed", [Goal]),
    '$script_warning'(Message).

call_directive_(Goal) :- call(Goal), !.

% What a library rule throws is reported of the directive, not of the goal that reads the script.
note_directive_ball_(Goal, error(Formal, Context), Goals) :-
    compound(Context),
    Context =.. [context, Reader|Known],
    memberchk(Reader, [consult/1, ensure_loaded/1, collect/2]),
    callable(Goal),
    !,
    functor(Goal, Name, Arity),
    Context1 =.. [context, Name/Arity|Known],
    note_ball_(error(Formal, Context1), Goals).
note_directive_ball_(_, Ball, Goals) :- note_ball_(Ball, Goals).

note_ball_(Ball, Goals) :-
    '$ball_message'(Ball, Message),
    '$script_error'(Message, Goals).

add_grammar_rule_(Rule) :-
    catch(
        ( dcg_translate_rule(Rule, Clause), '$script_add'(Clause) ),
        '$uncaught'(Ball, Goals),
        note_ball_(Ball, Goals)
    ).

run_initializations_([]).
run_initializations_([Goal|Goals]) :-
    run_initialization_(Goal),
    run_initializations_(Goals).

run_initialization_(Goal) :- call(Goal), !.
run_initialization_(Goal) :-
    format(string(Message), "the goal `~q` of initialization/1 failed", [Goal]),
    '$initialization_failed',
    '$session_warning'(Message).

% A clause that was typed at the prompt.
'$typed_clause'((Head --> Body)) :-
    !,
    dcg_translate_rule((Head --> Body), Clause),
    '$typed_clause'(Clause).
'$typed_clause'((Head :- Body)) :-
    assertz((Head :- Body)),
    functor(Head, Name, Arity),
    functor(General, Name, Arity),
    aggregate_all(count, clause(General, _), Clauses),
    format("% added a clause of ~q, which has ~D now~n", [Name/Arity, Clauses]).

% A list that was typed at the prompt.
'$typed_files'(Files) :-
    nonvar(Files),
    Files = [User],
    User == user,
    !,
    write('% the prompt takes clauses as they are: type `p(X) :- q(X).`, for a fact `assertz(p(a)).`\n'),
    write('% rules of a file: `consult(\'rules.pl\').`, or the option `-l rules.pl`\n').
'$typed_files'(Files) :- consult(Files).

%! include(+File) is det.
%
%  As a directive: reads the clauses of File, which lies in the script's folder or below it, as part of the script.
%
%  ?- catch(include('no such file'), error(E, _), true).
%  E = permission_error(include, source_sink, 'no such file').
include(File) :-
    '$script_include'(File),
    repeat,
    '$script_next'(Event),
    consult_event_(Event),
    !,
    '$script_close'.

%! initialization(:Goal) is det.
%
%  As a directive: Goal is called when the script has been read.
initialization(Goal) :- '$initialization'(Goal).

%! initialization(:Goal, +When) is det.
%
%  The same as initialization/1; When may be `main`.
initialization(Goal, _) :- '$initialization'(Goal).

%! ensure_loaded(+File) is det.
%
%  Reads a script: the same as consult/1.
ensure_loaded(File) :- consult(File).

%! dynamic(+Indicators) is det.
%
%  Declares predicates whose clauses may change: Name/Arity, several of them joined by commas, or a list.
%
%  ?- dynamic(seen/1), \+ seen(_).
%  true.
dynamic(Indicators) :- declare_(Indicators, dynamic).

%! discontiguous(+Indicators) is det.
%
%  Declares predicates whose clauses need not stand together.
discontiguous(Indicators) :- declare_(Indicators, discontiguous).

%! multifile(+Indicators) is det.
%
%  Declares predicates that several scripts may define together.
multifile(Indicators) :- declare_(Indicators, multifile).

declare_(Indicators, _) :- var(Indicators), !, throw(error(instantiation_error, _)).
declare_([], _) :- !.
declare_([Indicator|Indicators], What) :- !, declare_(Indicator, What), declare_(Indicators, What).
declare_((A, B), What) :- !, declare_(A, What), declare_(B, What).
declare_(Indicator, What) :- '$declare'(What, Indicator).

%! listing(+Indicator) is det.
%
%  Writes the clauses of a predicate of a script: Name/Arity, or all arities of Name.
%
%  ?- assertz(colour(red)), listing(colour/1), abolish(colour/1).
%  true.
listing(Name/Arity) :-
    !,
    forall(( current_predicate(Name/Arity), functor(Head, Name, Arity), clause(Head, Body) ),
           portray_clause_(Head, Body)).
listing(Name) :- forall(current_predicate(Name/Arity), listing(Name/Arity)).

portray_clause_(Head, true) :- !, portray_clause(Head).
portray_clause_(Head, Body) :- portray_clause((Head :- Body)).

%! portray_clause(+Clause) is det.
%
%  Writes a clause as it would stand in a script, with letters for variables and `_` for those that occur once.
%
%  ?- portray_clause((p(X, Y) :- q(X), r(Y))).
%  true.
portray_clause(Clause) :-
    \+ \+ ( numbervars(Clause, 0, _, [singletons(true)]), write_clause_(Clause) ).

write_clause_((Head :- Body)) :-
    !,
    (   Body == true
    ->  write_part_(Head, 1199)
    ;   write_part_(Head, 1199),
        write(' :-\n    '),
        write_goals_(Body, 1, 1199)
    ),
    write('.\n').
write_clause_((:- Goals)) :- !, write(':- '), write_goals_(Goals, 1, 1199), write('.\n').
write_clause_(Head) :- write_part_(Head, 1199), write('.\n').

% write_goals_(+Goals, +Depth, +Priority): the first goal stands where the line is, further ones at Depth times four blanks.
write_goals_((A, B), Depth, Priority) :-
    Priority >= 1000,
    !,
    write_goals_(A, Depth, 999),
    write(','),
    new_line_(Depth),
    write_goals_(B, Depth, 1000).
write_goals_(Goals, Depth, _) :-
    is_alternative_(Goals),
    !,
    Inner is Depth + 1,
    write('(   '),
    write_alternatives_(Goals, Depth, Inner),
    new_line_(Depth),
    write(')').
write_goals_((A, B), Depth, _) :-
    !,
    Inner is Depth + 1,
    write('(   '),
    write_goals_((A, B), Inner, 1000),
    new_line_(Depth),
    write(')').
write_goals_(\+ Goal, Depth, _) :-
    !,
    write('\\+ '),
    write_goals_(Goal, Depth, 900).
write_goals_(Goal, _, Priority) :- write_part_(Goal, Priority).

is_alternative_((_ ; _)).
is_alternative_((_ -> _)).
is_alternative_((_ *-> _)).

write_alternatives_((A ; B), Depth, Inner) :-
    !,
    write_alternatives_(A, Depth, Inner),
    new_line_(Depth),
    write(';   '),
    write_alternatives_(B, Depth, Inner).
write_alternatives_((A -> B), Depth, Inner) :-
    !,
    write_goals_(A, Inner, 1000),
    new_line_(Depth),
    write('->  '),
    write_goals_(B, Inner, 1000).
write_alternatives_((A *-> B), Depth, Inner) :-
    !,
    write_goals_(A, Inner, 1000),
    new_line_(Depth),
    write('*-> '),
    write_goals_(B, Inner, 1000).
write_alternatives_(Goals, _, Inner) :- write_goals_(Goals, Inner, 1000).

new_line_(Depth) :-
    Blanks is 4 * Depth,
    nl,
    tab(Blanks).

write_part_(Term, Priority) :-
    write_term(Term, [quoted(true), numbervars(true), spacing(next_argument), priority(Priority)]).

%! abolish(+Name, +Arity) is det.
%
%  As abolish/1.
%
%  ?- assertz(ab(1)), abolish(ab, 1), current_predicate(ab/1).
%  false.
abolish(Name, Arity) :- abolish(Name/Arity).

%! current_predicate(?Name, ?Head) is nondet.
%
%  Head is the most general head of a predicate called Name that clauses of scripts define; of a given Head only its
%  name and number of arguments count.
%
%  ?- assertz(cp(1)), current_predicate(N, cp(_)), abolish(cp, 1).
%  N = cp.
current_predicate(Name, Head) :-
    (   nonvar(Head)
    ->  must_be(callable, Head),
        functor(Head, Name, Arity),
        current_predicate(Name/Arity)
    ;   current_predicate(Name/Arity),
        functor(Head, Name, Arity)
    ).
