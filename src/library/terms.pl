% Looking into terms, and changing them as wholes.

%! subsumes(?General, +Specific) is semidet.
%
%  Makes General equal to Specific by binding variables of General only.
%
%  ?- subsumes(f(X), f(a)).
%  X = a.
%  ?- subsumes(f(a), f(_)).
%  false.
subsumes(General, Specific) :-
    subsumes_term(General, Specific),
    General = Specific.

%! subsumes_chk(@General, @Specific) is semidet.
%
%  The same as subsumes_term/2.
%
%  ?- subsumes_chk(f(_), f(a)).
%  true.
subsumes_chk(General, Specific) :-
    subsumes_term(General, Specific).

%! copy_term(+Variables, +Term, -Variables1, -Copy) is det.
%
%  Copies both terms; of the variables of Term, only those in Variables get fresh ones.
%
%  ?- copy_term([X], f(X, Y), [A], C).
%  C = f(A, Y).
copy_term(Variables, Term, Variables1, Copy) :-
    term_variables(Variables, Renamed),
    copy_term(Renamed, Fresh),
    sort(Renamed, RenamedSet),
    pairs_keys_values(Pairs, Renamed, Fresh),
    keysort(Pairs, Names),
    renamed_(Variables, RenamedSet, Names, Variables2),
    renamed_(Term, RenamedSet, Names, Copy2),
    Variables1 = Variables2,
    Copy = Copy2.

% What holds no variable of the set is shared. A cyclic term is copied as a whole.
renamed_(Term, Set, Names, Copy) :-
    term_variables(Term, Variables),
    sort(Variables, All),
    (   ord_disjoint(All, Set)
    ->  Copy = Term
    ;   var(Term)
    ->  renamed_variable_(Names, Term, Copy)
    ;   acyclic_term(Term)
    ->  compound_name_arguments(Term, Name, Arguments),
        renamed_each_(Arguments, Set, Names, Copies),
        compound_name_arguments(Copy, Name, Copies)
    ;   ord_subtract(All, Set, Kept),
        pairs_keys_values(Names, Keys, Fresh),
        copy_term(t(Keys, Kept, Term), t(Fresh, Kept, Copy))
    ).

renamed_each_([], _, _, []).
renamed_each_([Term|Terms], Set, Names, [Copy|Copies]) :-
    renamed_(Term, Set, Names, Copy),
    renamed_each_(Terms, Set, Names, Copies).

renamed_variable_([Name-Fresh|Names], Variable, Copy) :-
    (   Name == Variable
    ->  Copy = Fresh
    ;   renamed_variable_(Names, Variable, Copy)
    ).

%! duplicate_term(+Term, -Copy) is det.
%
%  The same as copy_term/2: Copy shares nothing with Term.
%
%  ?- duplicate_term(f(a), C).
%  C = f(a).
duplicate_term(Term, Copy) :-
    copy_term(Term, Copy).

%! term_variables(+Term, -Variables, ?Tail) is det.
%
%  As term_variables/2, for a list that goes on with Tail.
%
%  ?- term_variables(f(X, Y), L, []).
%  L = [X, Y].
term_variables(Term, Variables, Tail) :-
    term_variables(Term, All),
    append(All, Tail, Variables).

%! nonground(+Term, -Variable) is semidet.
%
%  Variable is the first variable of Term.
%
%  ?- nonground(f(a, X), V).
%  V = X.
%  ?- nonground(f(a), _).
%  false.
nonground(Term, Variable) :-
    term_variables(Term, [First|_]),
    Variable = First.

%! same_term(@X, @Y) is semidet.
%
%  Both are the same variable, or identical terms.
%
%  ?- same_term(f(a), f(a)).
%  true.
same_term(X, Y) :- X == Y.

%! sub_term(?Sub, +Term) is nondet.
%
%  Sub is Term or a part of it.
%
%  ?- sub_term(X, f(a)).
%  X = f(a)
%  ; X = a.
sub_term(Term, Term).
sub_term(Sub, Term) :-
    compound(Term),
    arg(_, Term, Argument),
    sub_term(Sub, Argument).

%! occurrences_of_term(@Sub, +Term, -Count) is det.
%
%  Count is the number of parts of Term that Sub subsumes.
%
%  ?- occurrences_of_term(a, f(a, g(a)), N).
%  N = 2.
occurrences_of_term(Sub, Term, Count) :-
    aggregate_all(count, ( sub_term(Part, Term), subsumes_term(Sub, Part) ), Count).

%! occurrences_of_var(@Variable, +Term, -Count) is det.
%
%  Count is how often Variable occurs in Term.
%
%  ?- occurrences_of_var(X, f(X, Y, X), N).
%  N = 2.
occurrences_of_var(Variable, Term, Count) :-
    aggregate_all(count, ( sub_term(Part, Term), Part == Variable ), Count).

%! mapargs(:Goal, ?Term1, ?Term2) is nondet.
%@ calls 2.
%
%  Goal holds for the arguments of two terms with the same functor, taken together.
%
%  ?- mapargs(succ, f(1, 2), T).
%  T = f(2, 3).
mapargs(Goal, Term1, Term2) :-
    same_functor_(Term1, Term2),
    Term1 =.. [_|Arguments1],
    Term2 =.. [_|Arguments2],
    maplist(Goal, Arguments1, Arguments2).

same_functor_(Term1, Term2) :-
    (   nonvar(Term1)
    ->  functor(Term1, Name, Arity),
        functor(Term2, Name, Arity)
    ;   functor(Term2, Name, Arity),
        functor(Term1, Name, Arity)
    ).

%! varnumbers(+Term, -Copy) is det.
%
%  The same as varnumbers(Term, 0, Copy).
%
%  ?- varnumbers(f('$VAR'(0), '$VAR'(0)), C).
%  C = f(X, X).
varnumbers(Term, Copy) :-
    varnumbers(Term, 0, Copy).

%! varnumbers(+Term, +Start, -Copy) is det.
%
%  Undoes numbervars/3: in Copy, every `'$VAR'(N)` from Start on is a variable, the same for the same N.
%
%  ?- varnumbers(f('$VAR'(0), '$VAR'(1)), 1, C).
%  C = f('$VAR'(0), _).
varnumbers(Term, Start, Copy) :-
    must_be(integer, Start),
    varnumbers_(Term, Start, [], _, Copy).

varnumbers_(Term, _, Known, Known, Term) :- \+ compound(Term), !.
varnumbers_('$VAR'(Number), Start, Known0, Known, Copy) :-
    integer(Number),
    Number >= Start,
    !,
    (   memberchk(Number-Copy, Known0)
    ->  Known = Known0
    ;   Known = [Number-Copy|Known0]
    ).
varnumbers_(Term, Start, Known0, Known, Copy) :-
    compound_name_arguments(Term, Name, Arguments),
    varnumbers_each_(Arguments, Start, Known0, Known, Copies),
    compound_name_arguments(Copy, Name, Copies).

varnumbers_each_([], _, Known, Known, []).
varnumbers_each_([Term|Terms], Start, Known0, Known, [Copy|Copies]) :-
    varnumbers_(Term, Start, Known0, Known1, Copy),
    varnumbers_each_(Terms, Start, Known1, Known, Copies).

%! max_var_number(+Term, +Start, -Max) is det.
%
%  Max is the greatest N of a `'$VAR'(N)` in Term, or Start if that is greater.
%
%  ?- max_var_number(f('$VAR'(3)), 0, M).
%  M = 3.
max_var_number(Term, Start, Max) :-
    aggregate_all(max(N), ( N = Start ; sub_term('$VAR'(N), Term), integer(N) ), Max).

%! same_functor(?Term1, ?Term2) is semidet.
%
%  Both have the same name and number of arguments; of an unknown one the most general term is made.
%
%  ?- same_functor(f(1, 2), T).
%  T = f(A, B).
same_functor(Term1, Term2) :- same_functor(Term1, Term2, _, _).

%! same_functor(?Term1, ?Term2, ?Name, ?Arity) is semidet.
%
%  As same_functor/2, with the name and the number of arguments.
%
%  ?- same_functor(T, f(_), N, A).
%  T = f(B), N = f, A = 1.
same_functor(Term1, Term2, Name, Arity) :-
    (   nonvar(Term1)
    ->  functor(Term1, Name, Arity),
        functor(Term2, Name, Arity)
    ;   functor(Term2, Name, Arity),
        functor(Term1, Name, Arity)
    ).

%! mapsubterms(:Goal, +Term, -Term1) is det.
%@ calls 2.
%
%  Term1 is Term with every part X, from the outside, replaced by Y if `call(Goal, X, Y)` holds; parts of an Y are
%  left alone.
%
%  ?- mapsubterms([X, Y]>>(integer(X), Y is X * 2), f(1, [2, a]), T).
%  T = f(2, [4, a]).
mapsubterms(Goal, Term, Term1) :-
    (   nonvar(Term),
        call(Goal, Term, Term1)
    ->  true
    ;   compound(Term)
    ->  compound_name_arguments(Term, Name, Arguments),
        maplist(mapsubterms(Goal), Arguments, Arguments1),
        compound_name_arguments(Term1, Name, Arguments1)
    ;   Term1 = Term
    ).

%! foldsubterms(:Goal, +Term, +State0, -State) is det.
%@ calls 3.
%
%  Calls `call(Goal, X, S0, S)` on the parts of Term from the outside; parts of those for which it holds are left alone.
%
%  ?- foldsubterms([X, S0, S]>>(integer(X), S is S0 + X), f(1, [2, a]), 0, Sum).
%  Sum = 3.
foldsubterms(Goal, Term, State0, State) :-
    (   call(Goal, Term, State0, State1)
    ->  State = State1
    ;   compound(Term)
    ->  compound_name_arguments(Term, _, Arguments),
        foldl(foldsubterms(Goal), Arguments, State0, State)
    ;   State = State0
    ).

%! contains_term(?Sub, +Term) is semidet.
%
%  A part of Term unifies with Sub, and does.
%
%  ?- contains_term(g(X), f(a, g(b))).
%  X = b.
contains_term(Sub, Term) :- sub_term(Sub, Term), !.

%! contains_var(@Sub, +Term) is semidet.
%
%  Sub itself is a part of Term.
%
%  ?- contains_var(_, f(_)).
%  false.
contains_var(Sub, Term) :- \+ free_of_var(Sub, Term).

%! free_of_term(@Sub, +Term) is semidet.
%
%  No part of Term unifies with Sub.
%
%  ?- free_of_term(g(_), f(a, h(b))).
%  true.
free_of_term(Sub, Term) :- \+ sub_term(Sub, Term).

%! free_of_var(@Sub, +Term) is semidet.
%
%  No part of Term is Sub itself.
%
%  ?- free_of_var(X, f(X)).
%  false.
free_of_var(Sub, Term) :- \+ ( sub_term(Part, Term), Part == Sub ).

%! char_conversion(+Char, +To) is det.
%
%  Notes that Char stands for To, for current_char_conversion/2. Text is read as it stands, whatever the flag
%  char_conversion says.
%
%  ?- char_conversion(x, _).
%  error: instantiation_error.
char_conversion(Char, To) :-
    must_be_character_(Char),
    must_be_character_(To),
    '$declare'(dynamic, '$char_conversion'/2),
    retractall('$char_conversion'(Char, _)),
    (   Char == To
    ->  true
    ;   assertz('$char_conversion'(Char, To))
    ).

%! current_char_conversion(?Char, ?To) is nondet.
%
%  Char stands for To as char_conversion/2 has it, and for itself otherwise; a free Char takes the converted ones only.
%
%  ?- char_conversion(x, y), current_char_conversion(x, C), char_conversion(x, x), current_char_conversion(x, D).
%  C = y, D = x.
current_char_conversion(Char, To) :-
    character_or_var_(Char),
    character_or_var_(To),
    '$declare'(dynamic, '$char_conversion'/2),
    (   var(Char)
    ->  call('$char_conversion'(Char, To))
    ;   call('$char_conversion'(Char, Found))
    ->  To = Found
    ;   To = Char
    ).

character_or_var_(Char) :- ( var(Char) -> true ; must_be_character_(Char) ).

must_be_character_(Char) :- var(Char), !, throw(error(instantiation_error, _)).
must_be_character_(Char) :- atom(Char), atom_length(Char, 1), !.
must_be_character_(_) :- throw(error(representation_error(character), _)).
