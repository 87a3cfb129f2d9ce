% Coverage: which ways to end of procedures and call sites a run has not shown.

%! pred_cov(?Procs, -Uncovered) is det.
%
%  Uncovered are the procedures of Procs that the trace does not show to end in all ways that their determinism asks for,
%  each with the ports that are missing; both are written as numbers too. Procs is a list of `pc(Module, Name, Det)`: Name
%  may be `Name/Arity`, Module `-` for any, and Det is a determinism or a list of ports. If it is a variable, it becomes the
%  procedures of the trace.
%
%  ?- pred_cov([pc(-, queen, nondet), pc(-, safe, semidet)], U).
%  U = [pc(-, queen, [exit, fail])].
%  ?- pred_cov([pc(-, data/1, det)], U).
%  U = [].
pred_cov(Procs, Uncovered) :-
    (   var(Procs)
    ->  '$traced_procs'(Procs)
    ;   true
    ),
    '$coverage'(Procs, Uncovered).

%! call_site_cov(?Sites, -Uncovered) is det.
%
%  As pred_cov/2 for call sites: Sites is a list of `csc(Module, Name, Line, Det)`, the procedure that is called and the
%  line of the call. If it is a variable, it becomes the call sites of the trace, which are those that were reached.
%
%  ?- call_site_cov([csc(-, safe, 44, semidet), csc(-, qdelete, 48, nondet), csc(-, print_list, 17, det)], U).
%  U = [csc(-, qdelete, 48, [fail])].
call_site_cov(Sites, Uncovered) :-
    (   var(Sites)
    ->  '$traced_sites'(Sites)
    ;   true
    ),
    '$coverage'(Sites, Uncovered).

'$coverage'(Items, Uncovered) :-
    must_be(list, Items),
    maplist('$coverage_item', Items, Asked),
    '$uncovered'(Asked, Left),
    '$count_ports'(Asked, Left, ToCover, Missing),
    '$still_uncovered'(Items, Left, Uncovered),
    '$write_coverage'(Missing, ToCover).

'$count_ports'(Asked, Left, ToCover, Missing) :-
    findall(N, ( member(item(_, _, _, _, Ports), Asked), length(Ports, N) ), All),
    sum_list(All, ToCover),
    findall(N, ( member(Ports, Left), length(Ports, N) ), Open),
    sum_list(Open, Missing).

'$write_coverage'(_, 0) :- !, write('Nothing to cover\n').
'$write_coverage'(Missing, ToCover) :-
    Rate is 100.0 * (ToCover - Missing) / ToCover,
    '$six_digits'(Rate, Text),
    format("Uncovered: ~d~nTo cover: ~d~nThe coverage rate is ~w %~n", [Missing, ToCover, Text]).

% Six significant digits, without zeros at the end.
'$six_digits'(Rate, Text) :-
    (   Rate >= 99.99995
    ->  Digits = 3
    ;   Rate >= 9.999995
    ->  Digits = 4
    ;   Digits = 5
    ),
    format(string(Padded), "~*f", [Digits, Rate]),
    split_string(Padded, "", "0", [Stripped]),
    (   sub_string(Stripped, _, 1, 0, ".")
    ->  split_string(Padded, ".", "", [Text|_])
    ;   sub_string(Stripped, 0, 1, _, ".")
    ->  string_concat("0", Stripped, Text)
    ;   Text = Stripped
    ).

'$coverage_item'(Item, item(Module, Name, Arity, Line, Ports)) :-
    '$coverage_parts'(Item, Module, Proc, Line, Det),
    !,
    '$name_and_arity'(Proc, Name, Arity),
    '$required_ports'(Det, Ports).
'$coverage_item'(Item, _) :- throw(error(type_error(coverage_item, Item), _)).

'$coverage_parts'(Item, _, _, _, _) :- var(Item), !, throw(error(instantiation_error, _)).
'$coverage_parts'(pc(Module, Proc, Det), Module, Proc, -, Det).
'$coverage_parts'(csc(Module, Proc, Line, Det), Module, Proc, Line, Det).

'$name_and_arity'(Name/Arity, Name, Arity) :- !.
'$name_and_arity'(Name, Name, -).

'$required_ports'(Ports, Ports) :- is_list(Ports), !.
'$required_ports'(Det, Ports) :- '$ports_of_det'(Det, Required), !, Ports = Required.
'$required_ports'(_, [exception]).

'$ports_of_det'(det, [exit]).
'$ports_of_det'(cc_multidet, [exit]).
'$ports_of_det'(cc_multi, [exit]).
'$ports_of_det'(semidet, [exit, fail]).
'$ports_of_det'(cc_nondet, [exit, fail]).
'$ports_of_det'(nondet, [exit, exit, fail]).
'$ports_of_det'(multidet, [exit, exit]).
'$ports_of_det'(multi, [exit, exit]).
'$ports_of_det'(failure, [fail]).

'$still_uncovered'([], [], []).
'$still_uncovered'([_|Items], [[]|Left], Uncovered) :- !, '$still_uncovered'(Items, Left, Uncovered).
'$still_uncovered'([Item|Items], [Ports|Left], [Missing|Uncovered]) :-
    '$with_ports'(Item, Ports, Missing),
    '$still_uncovered'(Items, Left, Uncovered).

% The item with the ports that are missing in place of all.
'$with_ports'(pc(Module, Name, _), Ports, pc(Module, Name, Ports)).
'$with_ports'(csc(Module, Name, Line, _), Ports, csc(Module, Name, Line, Ports)).

% The procedures of the trace with their determinism, in the order of their names.
'$traced_procs'(Procs) :-
    tally(proc(Module, Name, Arity, Det), event([port=call, decl_module=Module, name=Name, arity=Arity, det=Det]), Pairs),
    pairs_keys(Pairs, Keys),
    findall(Name, member(proc(_, Name, _, _), Keys), Names),
    findall(pc(Module, Shown, Det),
            ( member(proc(Module, Name, Arity, Det), Keys), '$shown_name'(Name, Arity, Name, Names, Shown) ),
            Procs).

'$traced_sites'(Sites) :-
    tally(site(Line, Module, Name, Arity, Det),
          event([port=call, line_number=Line, decl_module=Module, name=Name, arity=Arity, det=Det]), Pairs),
    findall(Site, ( member(Site-_, Pairs), arg(1, Site, Line), Line > 0 ), Keys),
    findall(Name-Line, member(site(Line, _, Name, _, _), Keys), Names),
    findall(csc(Module, Shown, Line, Det),
            ( member(site(Line, Module, Name, Arity, Det), Keys), '$shown_name'(Name, Arity, Name-Line, Names, Shown) ),
            Sites).

% A name that several procedures have is shown with the arity.
'$shown_name'(Name, Arity, Key, Keys, Shown) :-
    (   select(Key, Keys, Others),
        memberchk(Key, Others)
    ->  Shown = Name/Arity
    ;   Shown = Name
    ).
