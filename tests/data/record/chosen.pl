% Procedures that are defined in all ways. Each counts its calls; go/0 prints what was counted, in the order of the names.
:- module(main, [go/0]).
:- use_module(library(lists)).

:- multifile user:added/1.
:- dynamic user:added/1, main:asserted/1.

counts(Name) :- flag(Name, N, N+1).

user:added(X) :- main:counts('added/1'), X > 1.
user:added(X) :- X < 0.

tail(0) :- !, counts('tail/1').
tail(N) :- counts('tail/1'), M is N-1, tail(M).

:- counts('none/0'), tail(2).

parts(X) :- counts('parts/1'), member(X, [1, 2, 3]).

go :-
    assertz((user:asserted(X) :- main:counts('asserted/1'), X = 1)),
    assertz((user:asserted(Y) :- Y = 2)),
    forall(user:asserted(_), true),
    \+ user:added(0), user:added(2), user:added(-1),
    ( parts(P), P > 1 -> write(P), nl ; true ),
    catch(( parts(Q), Q > 1, throw(found(Q)) ), E, ( print_message(silent, E), write(E), nl )),
    findall(R, parts(R), Rs), write(Rs), nl,
    tail(3),
    load(one, "later(X) :- main:counts('later/1'), X = 1. reloaded :- main:counts('reloaded/0')."),
    user:later(_), user:reloaded,
    load(one, "later(X) :- main:counts('later/1'), X = 2. reloaded :- main:counts('reloaded/0')."),
    user:later(L), write(L), nl, user:reloaded, user:reloaded,
    load(two, ":- module(wanted, []). :- meta_predicate meta(0). meta(G) :- main:counts('meta/1'), call(G), !.
               inside(X) :- main:counts('inside/1'), X > 0. unwanted :- inside(1). run :- unwanted, \\+ inside(0), wanted:meta(unwanted)."),
    wanted:run, wanted:meta(main:parts(_)), main:meta_here,
    Names = ['added/1', 'asserted/1', 'inside/1', 'later/1', 'meta/1', 'parts/1', 'reloaded/0', 'tail/1'],
    forall(member(Name, Names), ( flag(Name, N, N), write(Name), write(' call '), write(N), nl )).

meta_here :- @(wanted:meta(here), main).
here :- write(here), nl.

load(Name, Text) :-
    setup_call_cleanup(open_string(Text, In), user:load_files(user:Name, [stream(In)]), close(In)).

% The steps of what is not chosen are those of a run without recorder.
user:costs :-
    main:rare(1),
    statistics(inferences, I0), main:often(100000, L0), statistics(inferences, I1), main:rare(2), main:rare(L0),
    I is I1-I0, write(I), nl.
rare(_).
often(0, 0) :- !.
often(N, L) :- M is N-1, often(M, L).
