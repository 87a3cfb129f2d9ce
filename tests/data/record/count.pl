% Counts what happens to the boxes of a program, by wrappers of its procedures and without the debugger:
% swipl -g "counted(go)" -t halt count.pl PROGRAM. An exit without a choice point ends a box.

:- dynamic count/2.

counted(Goal) :-
    forall(own(Head), count_calls(Head)),
    ignore(catch(Goal, _, true)),
    forall(count(Name/Arity-Port, N), format(user_error, "~w/~w ~w ~w~n", [Name, Arity, Port, N])).

own(Head) :-
    source_file(Head, File),
    \+ sub_atom(File, _, _, 0, '/count.pl'),
    \+ predicate_property(Head, imported_from(_)),
    \+ predicate_property(Head, (dynamic)),
    predicate_property(Head, file(File)),
    current_prolog_flag(home, Home),
    \+ sub_atom(File, 0, _, _, Home).

count_calls(Head) :-
    functor(Head, Name, Arity),
    Box = Name/Arity,
    wrap_predicate(user:Head, count, Wrapped, user:run(Wrapped, Box)).

run(Goal, Box) :-
    add(Box-call),
    setup_call_catcher_cleanup(true, Goal, How, ended(How, Box)),
    (   nonvar(How)
    ->  true
    ;   add(Box-exit),
        (   true
        ;   add(Box-redo),
            fail
        )
    ).

ended(exit, Box) :- add(Box-exit).
ended(fail, Box) :- add(Box-fail).
ended(exception(_), Box) :- add(Box-exception).
ended(!, _).

add(Key) :-
    (   retract(count(Key, N))
    ->  true
    ;   N = 0
    ),
    N1 is N+1,
    assertz(count(Key, N1)).
