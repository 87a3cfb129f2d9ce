% Declarative debugging: which call has made a wrong answer of right ones.

%! debug_wrong_answer(+Call) is semidet.
%
%  Looks for the bug that made the answer of a call wrong: the one that it gives at the current event, if that is an
%  exit of it, else the last one. Asks whether calls, with the arguments of their exits, are right, each time about a
%  call that halves the suspects, until a call is left whose answer is wrong although all the calls that it made gave
%  right answers; moves to its exit and prints it. An answer is a line: `yes`, `no`, `inadmissible` (it should not have
%  been called with these arguments), `skip`, `back` (to the question before), `help` or `quit`, or the first letter of
%  one. A question that has been answered is not asked again; with the option `--answers FILE` that holds for later
%  sessions too. Calls of negations and of conditions that failed are not suspects.
%
%  ?- catch(debug_wrong_answer(no_call), error(E, _), true).
%  E = type_error(integer, no_call).
debug_wrong_answer(Call) :- debug_wrong_answer(Call, _).

%! debug_wrong_answer(+Call, -Buggy) is semidet.
%
%  As debug_wrong_answer/1; Buggy is the number of the call with the bug. Fails if the questions do not lead to one.
%
%  ?- debug_wrong_answer(2, Buggy).
%  Buggy = 2.
debug_wrong_answer(Call, Buggy) :-
    '$debug_exit'(Call, Exit),
    '$proof'(Call, Exit, Tree),
    '$debug_has_values'(Exit),
    '$debug_recall',
    '$debug_session'('$debug_search'(Tree, Outcome)),
    '$debug_outcome'(Outcome, Buggy).

% The exit of the call that is the current event, if it is one; else it stays free, which means the last one.
'$debug_exit'(Call, Exit) :-
    (   catch(current([chrono=Chrono, call=Call, port=exit]), error(_, _), fail)
    ->  Exit = Chrono
    ;   true
    ).

% An error if the trace has no arguments, a message if this exit has none.
'$debug_has_values'(Exit) :-
    (   attribute(Exit, args, _)
    ->  true
    ;   throw(error(existence_error(attribute, args),
                    context(debug_wrong_answer/1, "the exit of the call has no argument values to ask about")))
    ).

% The suspects are the calls of the tree below its root, whose answer is known to be wrong; the size of a node is the
% number of suspects in it. One that was skipped is no suspect.
'$debug_search'(Tree, Outcome) :-
    (   '$debug_candidate'(Tree, Path, Node)
    ->  '$debug_ask'(Node, Answer),
        '$debug_answered'(Answer, Tree, Path, Node, Outcome)
    ;   Outcome = found(Tree)
    ).

'$debug_answered'(no, _, _, Node, Outcome) :- '$debug_search'(Node, Outcome).
'$debug_answered'(yes, Tree, Path, _, Outcome) :- '$debug_without'(Tree, Path, Tree1), '$debug_search'(Tree1, Outcome).
'$debug_answered'(inadmissible, Tree, Path, _, Outcome) :-
    '$debug_without'(Tree, Path, Tree1),
    '$debug_search'(Tree1, Outcome).
'$debug_answered'(skip, Tree, Path, _, Outcome) :- '$debug_skipped'(Tree, Path, Tree1), '$debug_search'(Tree1, Outcome).
'$debug_answered'(quit, _, _, _, quit).
'$debug_answered'(end, _, _, _, end).

% The node to ask about, with the places of the children that lead to it: on the way to the heaviest children the one
% whose size is nearest to half of all.
'$debug_candidate'(Tree, Path, Node) :-
    '$debug_suspects'(Tree, Suspects),
    Suspects > 0,
    '$debug_heavy_way'(Tree, Suspects, [], Ways),
    (   '$debug_nearest'(Ways, Suspects, Way)
    ->  Way = way(Back, Node)
    ;   '$debug_any'(Tree, [], way(Back, Node))
    ),
    reverse(Back, Path),
    !.

'$debug_suspects'(node(_, _, Size, _), Suspects) :- Suspects is Size - 1.
'$debug_suspects'(skipped(_, _, Size, _), Size).

'$debug_size'(node(_, _, Size, _), Size).
'$debug_size'(skipped(_, _, Size, _), Size).

'$debug_children'(node(_, _, _, Children), Children).
'$debug_children'(skipped(_, _, _, Children), Children).

'$debug_heavy_way'(Tree, All, Back, Ways) :-
    '$debug_children'(Tree, Children),
    (   '$debug_heaviest'(Children, 1, 0, none, Place-Child)
    ->  Back1 = [Place|Back],
        Ways = [way(Back1, Child)|Ways1],
        '$debug_size'(Child, Size),
        (   2 * Size =< All
        ->  Ways1 = []
        ;   '$debug_heavy_way'(Child, All, Back1, Ways1)
        )
    ;   Ways = []
    ).

'$debug_heaviest'([], _, Best, Found, Found) :- Best > 0.
'$debug_heaviest'([Child|Children], Place, Best0, Found0, Found) :-
    '$debug_size'(Child, Size),
    Next is Place + 1,
    (   Size > Best0
    ->  '$debug_heaviest'(Children, Next, Size, Place-Child, Found)
    ;   '$debug_heaviest'(Children, Next, Best0, Found0, Found)
    ).

'$debug_nearest'(Ways, All, Way) :-
    findall(Off-Back, ( member(way(Back, node(_, _, Size, _)), Ways), Off is abs(2 * Size - All) ), Offs),
    keysort(Offs, [_-Nearest|_]),
    member(Way, Ways),
    Way = way(Nearest, _),
    !.

% Where the heavy way has skipped calls only: any other suspect.
'$debug_any'(Tree, Back, Way) :-
    '$debug_children'(Tree, Children),
    nth1(Place, Children, Child),
    '$debug_size'(Child, Size),
    Size > 0,
    (   Child = node(_, _, _, _),
        Way = way([Place|Back], Child)
    ;   '$debug_any'(Child, [Place|Back], Way)
    ).

% The tree without a node.
'$debug_without'(Tree, [Place], Tree1) :-
    !,
    '$debug_children'(Tree, Children),
    nth1(Place, Children, Child, Others),
    '$debug_size'(Child, Size),
    '$debug_changed'(Tree, Size, Others, Tree1).
'$debug_without'(Tree, [Place|Path], Tree1) :-
    '$debug_below'(Tree, Place, Child, Child1, Children1),
    '$debug_without'(Child, Path, Child1),
    '$debug_lighter'(Tree, Child, Child1, Children1, Tree1).

% The tree with a node that is no suspect any more, while those below it are.
'$debug_skipped'(node(Call, Exit, Size, Children), [], skipped(Call, Exit, Size1, Children)) :- Size1 is Size - 1.
'$debug_skipped'(Tree, [Place|Path], Tree1) :-
    '$debug_below'(Tree, Place, Child, Child1, Children1),
    '$debug_skipped'(Child, Path, Child1),
    '$debug_lighter'(Tree, Child, Child1, Children1, Tree1).

'$debug_below'(Tree, Place, Child, Child1, Children1) :-
    '$debug_children'(Tree, Children),
    nth1(Place, Children, Child, Others),
    nth1(Place, Children1, Child1, Others),
    !.

'$debug_lighter'(Tree, Child, Child1, Children1, Tree1) :-
    '$debug_size'(Child, Size),
    '$debug_size'(Child1, Size1),
    Lost is Size - Size1,
    '$debug_changed'(Tree, Lost, Children1, Tree1).

'$debug_changed'(node(Call, Exit, Size, _), Lost, Children, node(Call, Exit, Size1, Children)) :- Size1 is Size - Lost.
'$debug_changed'(skipped(Call, Exit, Size, _), Lost, Children, skipped(Call, Exit, Size1, Children)) :-
    Size1 is Size - Lost.

% Asks whether the answer of a node is right.
'$debug_ask'(node(_, Exit, _, _), Answer) :-
    '$goal'(Exit, Goal),
    '$debug_question'(Goal, 'Right? ', [Goal], Answer).

% Asks, unless it is known what was answered about Key.
'$debug_question'(_, _, _, Answer) :-
    nb_getval('$debug_replay', [Step|Steps]),
    !,
    nb_setval('$debug_replay', Steps),
    '$debug_note'(Step),
    Step = answer(_, _, Answer).
'$debug_question'(Key, Question, Goals, Answer) :-
    '$debug_known'(Key, Answer),
    !,
    write(Question),
    '$debug_write_all'(Goals),
    format("  (~w, as was answered before)~n", [Answer]),
    '$debug_note'(answer(known, Key, Answer)).
'$debug_question'(Key, Question, Goals, Answer) :-
    '$prepare_answers',
    write(Question),
    '$debug_write_all'(Goals),
    nl,
    '$ask_line'('yes, no, inadmissible, skip, back, quit, help? ', Line),
    (   '$debug_reply'(Line, Reply)
    ->  true
    ;   Reply = help
    ),
    '$debug_replied'(Reply, Key, Question, Goals, Answer).

'$debug_replied'(help, Key, Question, Goals, Answer) :-
    !,
    write('yes: it is as it should be    no: it is wrong    inadmissible: it should not have been called so\n'),
    write('skip: I do not know    back: to the question before    quit: no more questions\n'),
    '$debug_question'(Key, Question, Goals, Answer).
'$debug_replied'(back, Key, Question, Goals, Answer) :-
    !,
    '$debug_back',
    write('there is no question before this one\n'),
    '$debug_question'(Key, Question, Goals, Answer).
'$debug_replied'(Answer, Key, _, _, Answer) :-
    '$debug_keep'(Key, Answer),
    '$debug_note'(answer(asked, Key, Answer)).

% Asks questions. To go back to one, what was answered before it is answered again, in silence.
'$debug_session'(Search) :-
    nb_setval('$debug_replay', []),
    '$debug_from_start'(Search).

'$debug_from_start'(Search) :-
    nb_setval('$debug_given', []),
    catch(Search, '$debug_back', '$debug_from_start'(Search)).

% Notes an answer of this session, the newest first.
'$debug_note'(Step) :-
    nb_getval('$debug_given', Given),
    nb_setval('$debug_given', [Step|Given]).

% Goes back to the last question that was asked, if there is one.
'$debug_back' :-
    nb_getval('$debug_given', Given),
    append(_, [answer(asked, Key, Answer)|Before], Given),
    !,
    '$debug_forget'(Key, Answer),
    reverse(Before, Steps),
    nb_setval('$debug_replay', Steps),
    throw('$debug_back').
'$debug_back'.

'$debug_write_all'([]).
'$debug_write_all'([Goal]) :- !, '$debug_write'(Goal).
'$debug_write_all'([Goal|Goals]) :- '$debug_write'(Goal), write(', '), '$debug_write_all'(Goals).

'$debug_write'(Goal) :-
    nonvar(Goal),
    Goal = (Called = Result),
    !,
    '$debug_write_term'(Called),
    write(' = '),
    '$debug_write_term'(Result).
'$debug_write'(Goal) :- '$debug_write_term'(Goal).

'$debug_write_term'(Goal) :- write_term(Goal, [quoted(true), numbervars(true), spacing(next_argument)]).

'$debug_reply'(end_of_file, end) :- !.
'$debug_reply'(Line, Reply) :-
    split_string(Line, "", " \t.", [Stripped]),
    string_length(Stripped, Length),
    Length > 0,
    member(Reply, [yes, no, inadmissible, skip, back, help, quit]),
    sub_atom(Reply, 0, Length, _, Start),
    atom_string(Start, Stripped),
    !.

'$debug_outcome'(quit, _) :- '$reason'("not all questions were answered"), fail.
'$debug_outcome'(end, _) :- '$reason'("the input ended before all questions were answered"), fail.
'$debug_outcome'(missing(Call, Open), Buggy) :- '$debug_missed'(Call, Buggy, Open).
'$debug_outcome'(found(Tree), Buggy) :-
    (   '$debug_children'(Tree, Children),
        member(Child, Children)
    ->  '$debug_undecided'(Tree, Child)
    ;   '$debug_found'(Tree, Buggy)
    ).

'$debug_undecided'(Tree, _) :-
    write('The bug is in one of these, as some were skipped:\n'),
    forall('$debug_open'(Tree, Exit), ( '$goal'(Exit, Goal), '$debug_line'(Goal) )),
    '$reason'("some questions were skipped"),
    fail.

'$debug_open'(node(_, Exit, _, _), Exit).
'$debug_open'(skipped(_, Exit, _, _), Exit).
'$debug_open'(Tree, Exit) :- '$debug_children'(Tree, Children), member(Child, Children), '$debug_open'(Child, Exit).

'$debug_found'(node(Buggy, Exit, _, _), Buggy) :-
    '$proof'(Buggy, Exit, node(_, _, _, Children)),
    write('The bug is in this call:\n'),
    goto(Exit),
    (   Children == []
    ->  write('It has called nothing that could be wrong.\n')
    ;   write('What it has called is right:\n'),
        forall(member(node(_, At, _, _), Children), ( '$goal'(At, Goal), '$debug_line'(Goal) ))
    ).

'$debug_line'(Goal) :- write('    '), '$debug_write'(Goal), nl.

%! debug_missing_answer(+Call) is semidet.
%
%  Looks for the bug that made a call fail, or leave out an answer. Asks about each call that it made whether it found
%  all its answers, if it was asked for all, and whether they are right; where the reply is no, the search goes on
%  there, until a call is left whose own calls are as they should be; moves to its beginning and prints it. Replies are
%  those of debug_wrong_answer/1.
%
%  ?- catch(debug_missing_answer(no_call), error(E, _), true).
%  E = type_error(integer, no_call).
debug_missing_answer(Call) :- debug_missing_answer(Call, _).

%! debug_missing_answer(+Call, -Buggy) is semidet.
%
%  As debug_missing_answer/1; Buggy is the number of the call with the bug. Fails if the questions do not lead to one.
%
%  ?- debug_missing_answer(2, Buggy).
%  Buggy = 2.
debug_missing_answer(Call, Buggy) :-
    call_start(Call, Start),
    '$debug_has_values'(Start),
    '$debug_recall',
    '$debug_session'('$debug_missing'(Call, Outcome)),
    '$debug_outcome'(Outcome, Buggy).

'$debug_missing'(Call, Outcome) :-
    findall(Child, child(Call, Child), Children),
    '$debug_missing_from'(Children, Call, [], Outcome).

% Open are the goals that were skipped.
'$debug_missing_from'([], Call, Open, missing(Call, Open)).
'$debug_missing_from'([Child|Children], Call, Open, Outcome) :-
    '$debug_child'(Child, Verdict),
    '$debug_missing_after'(Verdict, Children, Call, Open, Outcome).

'$debug_missing_after'(right, Children, Call, Open, Outcome) :- '$debug_missing_from'(Children, Call, Open, Outcome).
'$debug_missing_after'(open(Goal), Children, Call, Open, Outcome) :-
    '$debug_missing_from'(Children, Call, [Goal|Open], Outcome).
'$debug_missing_after'(ended(Outcome), _, _, _, Outcome).

'$debug_child'(Child, Verdict) :-
    findall(Exit, event([call=Child, port=exit, chrono=Exit]), Exits),
    (   '$debug_tried_all'(Child)
    ->  '$debug_ask_all'(Child, Exits, Answer)
    ;   Answer = yes
    ),
    '$debug_child_by'(Answer, Child, Exits, Verdict).

'$debug_tried_all'(Call) :- call_end(Call, End), attribute(End, port, fail).

'$debug_ask_all'(Call, Exits, Answer) :-
    call_start(Call, Start),
    '$goal'(Start, Goal),
    findall(Found, ( member(Exit, Exits), '$goal'(Exit, Found) ), Founds),
    (   Founds == []
    ->  '$debug_question'(answers(Goal, []), 'Rightly no answer? ', [Goal], Answer)
    ;   '$debug_question'(answers(Goal, Founds), 'All answers? ', Founds, Answer)
    ).

'$debug_child_by'(no, Child, _, ended(Outcome)) :- '$debug_missing'(Child, Outcome).
'$debug_child_by'(inadmissible, _, _, right).
'$debug_child_by'(quit, _, _, ended(quit)).
'$debug_child_by'(end, _, _, ended(end)).
'$debug_child_by'(skip, Child, _, open(Goal)) :- call_start(Child, Start), '$goal'(Start, Goal).
'$debug_child_by'(yes, Child, Exits, Verdict) :- '$debug_exits'(Exits, Child, Verdict).

'$debug_exits'([], _, right).
'$debug_exits'([Exit|Exits], Child, Verdict) :-
    '$debug_ask'(node(Child, Exit, _, _), Answer),
    '$debug_exit_by'(Answer, Exit, Exits, Child, Verdict).

'$debug_exit_by'(yes, _, Exits, Child, Verdict) :- '$debug_exits'(Exits, Child, Verdict).
'$debug_exit_by'(inadmissible, _, Exits, Child, Verdict) :- '$debug_exits'(Exits, Child, Verdict).
'$debug_exit_by'(skip, Exit, _, _, open(Goal)) :- '$goal'(Exit, Goal).
'$debug_exit_by'(quit, _, _, _, ended(quit)).
'$debug_exit_by'(end, _, _, _, ended(end)).
'$debug_exit_by'(no, Exit, _, Child, ended(Outcome)) :-
    '$proof'(Child, Exit, Tree),
    '$debug_search'(Tree, Outcome).

'$debug_missed'(Call, Call, []) :-
    !,
    call_start(Call, Start),
    write('The bug is in this call:\n'),
    goto(Start),
    write('What it has called is right, and all that there is.\n').
'$debug_missed'(Call, _, Open) :-
    call_start(Call, Start),
    '$goal'(Start, Goal),
    write('The bug is in one of these, as some were skipped:\n'),
    forall(member(Suspect, [Goal|Open]), '$debug_line'(Suspect)),
    '$reason'("some questions were skipped"),
    fail.

% The answers are a list under a name, the newest first.
'$debug_answers'(Answers) :- catch(nb_getval('$debug_answers', Answers), error(existence_error(_, _), _), fail), !.
'$debug_answers'([]).

'$debug_known'(Goal, Answer) :-
    '$debug_answers'(Answers),
    member(Known-Answer, Answers),
    Known =@= Goal,
    !.

'$debug_keep'(Goal, Answer) :-
    (   memberchk(Answer, [yes, no, inadmissible])
    ->  '$debug_answers'(Answers),
        nb_setval('$debug_answers', [Goal-Answer|Answers]),
        '$debug_fact'(Goal, Answer, Line),
        '$append_answer'(Line)
    ;   true
    ).

% The opposite of '$debug_keep', for the answer that was kept last.
'$debug_forget'(Goal, Answer) :-
    (   memberchk(Answer, [yes, no, inadmissible])
    ->  '$debug_answers'([_|Answers]),
        nb_setval('$debug_answers', Answers),
        '$debug_fact'(Goal, Answer, Line),
        '$drop_answer'(Line)
    ;   true
    ).

'$debug_fact'(Goal, Answer, Line) :- format(string(Line), "~q.~n", [debug_answer(Goal, Answer)]).

% What the file of `--answers` holds, once in a session.
'$debug_recall' :- catch(nb_getval('$debug_recalled', true), error(existence_error(_, _), _), fail), !.
'$debug_recall' :-
    (   '$open_answers'
    ->  '$debug_load'
    ;   true
    ),
    nb_setval('$debug_recalled', true).

'$debug_load' :-
    '$read_answers'(New),
    '$debug_answers'(Old),
    append(New, Old, Answers),
    nb_setval('$debug_answers', Answers).

%! load_answers(+File) is det.
%
%  Reads answers of debug_wrong_answer/1 from a file, as `print_answers` writes them: they will not be asked for again.
%  The file is not a script: anything but facts `debug_answer(Goal, Answer)` is an error, and so are two answers about
%  the same goal.
%
%  ?- catch(load_answers('no such file'), error(E, _), true).
%  E = permission_error(open, source_sink, 'no such file').
load_answers(File) :-
    '$script_open'(File),
    '$debug_load'.

%! print_answers is det.
%
%  Writes what was answered to debug_wrong_answer/1, as facts `debug_answer(Goal, Answer)` in the order of the questions.
%
%  ?- print_answers.
%  true.
print_answers :-
    '$debug_answers'(Answers),
    reverse(Answers, Questions),
    forall(member(Goal-Answer, Questions), format("~q.~n", [debug_answer(Goal, Answer)])).
