% Control that is said in the language: catching, collecting, forall/2 and other goals about goals.

%! catch(:Goal, ?Catcher, :Recovery) is nondet.
%@ pure.
%
%  Calls Goal; a ball thrown in it that unifies with Catcher is caught, and Recovery is called.
%  Bindings and cursor are then as before the call.
%
%  ?- catch(throw(oops), E, true).
%  E = oops.
%  ?- catch(member(X, [1, 2]), _, true).
%  X = 1
%  ; X = 2.
catch(Goal, Catcher, Recovery) :- '$catch'(Goal, Catcher, Recovery).

%! catch_with_backtrace(:Goal, ?Catcher, :Recovery) is nondet.
%
%  The same as catch/3: the places that errors came from are known anyway.
%
%  ?- catch_with_backtrace(throw(oops), E, true).
%  E = oops.
catch_with_backtrace(Goal, Catcher, Recovery) :- catch(Goal, Catcher, Recovery).

%! findall(?Template, :Goal, -List) is det.
%@ list.
%
%  List holds a copy of Template for every answer of Goal, in order.
%
%  ?- findall(X-Y, (member(X, [1, 2]), Y is X * X), L).
%  L = [1-1, 2-4].
%  ?- findall(X, fail, L).
%  L = [].
findall(Template, Goal, List) :-
    partial_list_(List),
    (   '$batch_answers'(Template, Goal, Answers)
    ->  true
    ;   '$collect_open'(Number),
        collect_(Number, Template, Goal),
        '$collect_close'(Number, Answers, [])
    ),
    List = Answers.

collect_(Number, Template, Goal) :-
    call(Goal),
    '$collect_add'(Number, Template),
    fail.
collect_(_, _, _).

partial_list_(List) :- '$is_partial_list'(List), !.
partial_list_(List) :- throw(error(type_error(list, List), _)).

%! forall(:Condition, :Action) is semidet.
%@ for all.
%
%  Action holds for every answer of Condition. Nothing stays bound, and the cursor does not move.
%
%  ?- forall(member(X, [1, 2]), X > 0).
%  true.
%  ?- forall(member(X, [1, 2]), X > 1).
%  false.
forall(Condition, Action) :-
    '$batch_holds'(Condition, Action, Truth),
    !,
    Truth == true.
forall(Condition, Action) :- \+ ( call(Condition), \+ call(Action) ).

%! not(:Goal) is semidet.
%@ negates.
%
%  Goal has no answer: the same as \+ Goal.
%
%  ?- not(fail).
%  true.
not(Goal) :- \+ call(Goal).

%! repeat is multi.
%
%  Succeeds, and again whenever it is backtracked into.
%
%  ?- repeat, !.
%  true.
repeat.
repeat :- repeat.

%! apply(:Goal, +Arguments) is nondet.
%@ calls :.
%
%  Calls Goal with further Arguments.
%
%  ?- apply(succ, [1, X]).
%  X = 2.
%  ?- apply(succ, [1|a]).
%  error: type_error(list, [1|a]).
%  ?- apply(1, [a]).
%  error: type_error(callable, 1).
apply(Goal, Arguments) :-
    must_be(list, Arguments),
    must_be(callable, Goal),
    Goal =.. Parts,
    append(Parts, Arguments, Parts1),
    Goal1 =.. Parts1,
    call(Goal1).

%! with_output_to(+Sink, :Goal) is semidet.
%
%  Calls Goal once; what it writes becomes a text: Sink is atom(A), string(S), codes(L), chars(L),
%  codes(L, Tail) or chars(L, Tail).
%
%  ?- with_output_to(atom(A), (write(a), write(1))).
%  A = a1.
%  ?- with_output_to(string(S), print([x])), string_length(S, N).
%  S = "[x]", N = 3.
%  ?- with_output_to(atom(A), fail).
%  false.
with_output_to(Sink, Goal) :-
    '$capture_begin'(Depth),
    (   catch(Goal, Ball, ( '$capture_end'(Depth, _), throw(Ball) ))
    ->  '$capture_end'(Depth, Text),
        captured_(Sink, Text)
    ;   '$capture_end'(Depth, _),
        fail
    ).

captured_(Sink, _) :- var(Sink), !, throw(error(instantiation_error, _)).
captured_(atom(Atom), Text) :- !, atom_string(Atom, Text).
captured_(string(String), Text) :- !, String = Text.
captured_(codes(Codes), Text) :- !, string_codes(Text, Codes).
captured_(codes(Codes, Tail), Text) :- !, string_codes(Text, Whole), append(Whole, Tail, Codes).
captured_(chars(Chars), Text) :- !, string_chars(Text, Chars).
captured_(chars(Chars, Tail), Text) :- !, string_chars(Text, Whole), append(Whole, Tail, Chars).
captured_(Sink, _) :- throw(error(domain_error(output_sink, Sink), _)).

%! assertion(:Goal) is det.
%
%  Calls Goal once; that it has no answer is an error.
%
%  ?- assertion(1 < 2).
%  true.
%  ?- assertion(2 < 1).
%  error: assertion_failed(2 < 1).
assertion(Goal) :- call(Goal), !.
assertion(Goal) :- throw(error(assertion_failed(Goal), _)).

%! format(+Format) is det.
%@ writes.
%
%  Writes a text with directives that need no arguments.
%
%  ?- format(atom(A), "~`-t~5|", []).
%  A = '-----'.
format(Format) :- format(Format, []).

%! format(+Format, +Arguments) is semidet.
%@ writes.
%
%  Writes a text: ~w ~q ~p ~a ~d ~D ~e ~f ~g ~s ~c ~r ~i take arguments, ~n ~~ ~t ~| ~+ do not. ~@ calls an
%  argument as a goal, once, and writes what it writes; if the goal fails, so does format/2.
%
%  ?- with_output_to(string(S), format("~w has ~d", [queen, 3])).
%  S = "queen has 3".
%  ?- with_output_to(string(S), format("~w ~@", [x, print('Y')])).
%  S = "x 'Y'".
%  ?- format("~@", [fail]).
%  false.
format(Format, Arguments) :-
    (   '$format_goals'(Format, Arguments, Arguments1, Goals)
    ->  format_texts_(Goals),
        '$format'(Format, Arguments1)
    ;   '$format'(Format, Arguments)
    ).

%! format(+Sink, +Format, +Arguments) is semidet.
%
%  As format/2, to user_output, user_error, or into atom(A), string(S), codes(L), chars(L), codes(L, Tail) or
%  chars(L, Tail).
%
%  ?- format(atom(A), "~w-~a", [1, b]).
%  A = '1-b'.
%  ?- format(codes(L, T), "ab", []).
%  L = [97, 98|T].
format(Sink, Format, Arguments) :-
    (   '$format_goals'(Format, Arguments, Arguments1, Goals)
    ->  format_texts_(Goals),
        '$format'(Sink, Format, Arguments1)
    ;   '$format'(Sink, Format, Arguments)
    ).

format_texts_([]).
format_texts_([Goal-Text|Goals]) :-
    with_output_to(string(Text), Goal),
    format_texts_(Goals).
