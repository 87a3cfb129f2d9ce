% Coverage: which ways to end of procedures and call sites a run has not shown.

%! pred_cov(?Procs, -Uncovered) is det.
%
%  Uncovered lists the procedures of Procs that did not end in all the ways that their determinism requires, each with
%  the ports that are missing; how many ports there are to cover, and how many are missing, is also printed. Procs is a
%  list of `pc(Module, Name, Det)`: Name may be `Name/Arity`, Module `-` for any, and Det is a determinism or a list of
%  ports. If it is a variable, it becomes the procedures of the trace; where `--source-dir` has the sources of its
%  modules, also those that these declare and that were never called. In its place there may be the name of the program,
%  as in Morphine.
%
%  ?- pred_cov([pc(-, queen, nondet), pc(-, safe, semidet)], U).
%  U = [pc(-, queen, [exit, fail])].
%  ?- pred_cov([pc(-, data/1, det)], U).
%  U = [].
pred_cov(Program, Uncovered) :- '$is_program'(Program), !, pred_cov(_, Uncovered).
pred_cov(Procs, Uncovered) :-
    (   var(Procs)
    ->  '$all_procs'(Procs)
    ;   true
    ),
    '$coverage'(Procs, Uncovered).

%! call_site_cov(?Sites, -Uncovered) is det.
%
%  As pred_cov/2 for call sites: Sites is a list of `csc(Module, Name, Line, Det)`, the procedure that is called and the
%  line of the call. If it is a variable, it becomes the call sites of the trace, which are those that were reached; where
%  `--source-dir` has the sources of its modules in Mercury, all calls in their clauses and in those of the modules that they
%  import, reached or not, but not what the compiler does without a call: `true`, `is`, unifications, comparisons, closures.
%  A site is known by its line and the name of what is called there: two calls of one procedure on one line are one site. Its
%  determinism is that of the trace if it was reached, else the one that is declared; of several modes it is what they all
%  ask for, and what no source declares must exit.
%
%  ?- call_site_cov([csc(-, safe, 44, semidet), csc(-, qdelete, 48, nondet), csc(-, print_list, 17, det)], U).
%  U = [csc(-, qdelete, 48, [fail])].
call_site_cov(Program, Uncovered) :- '$is_program'(Program), !, call_site_cov(_, Uncovered).
call_site_cov(Sites, Uncovered) :-
    (   var(Sites)
    ->  '$all_sites'(Sites)
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

% The procedures of the trace with their determinism, in the order of their names; then those that only the sources have.
'$all_procs'(Procs) :-
    (   '$source_program'(Declared, _)
    ->  '$known_in_trace'('$traced_procs', Traced),
        '$unless_traced'(Declared, Traced, Others),
        append(Traced, Others, All)
    ;   '$traced_procs'(All)
    ),
    findall(Name, member(proc(_, Name, _, _), All), Names),
    findall(pc(Module, Shown, Det),
            ( member(proc(Module, Name, Arity, Det), All), '$shown_name'(Name, Arity, Name, Names, Shown) ),
            Procs).

% What the trace tells with modules and determinisms, if it has these.
'$known_in_trace'(Goal, Known) :-
    (   '$has_attribute'(decl_module),
        '$has_attribute'(det)
    ->  call(Goal, Known)
    ;   Known = []
    ).

'$traced_procs'(Procs) :-
    tally(proc(Module, Name, Arity, Det), event([port=call, decl_module=Module, name=Name, arity=Arity, det=Det]), Pairs),
    pairs_keys(Pairs, Procs).

% Those of the declared procedures that are not among the traced.
'$unless_traced'(Declared, Traced, Others) :-
    findall(Module:Name-traced, member(proc(Module, Name, _, _), Traced), Pairs),
    foldl('$put_pair', Pairs, t, Known),
    findall(proc(Module, Name, Arity, Det),
            ( member(proc(Module, Name, Arity, Dets), Declared),
              \+ get_assoc(Module:Name, Known, _),
              '$declared_det'(Dets, Det) ),
            Others).

'$put_pair'(Key-Value, Known, More) :- put_assoc(Key, Known, Value, More).

% The determinism of all modes, or the ports that they all ask for.
'$declared_det'([Det], Det) :- !.
'$declared_det'(Dets, Ports) :-
    maplist('$required_ports', Dets, Lists),
    '$common_ports'(Lists, Ports).

'$common_ports'([], [exit]).
'$common_ports'([Ports|Lists], Common) :- foldl('$common_with', Lists, Ports, Common).

'$common_with'([], _, []).
'$common_with'([Port|Ports], Others, Common) :-
    (   select(Port, Others, Rest)
    ->  Common = [Port|More],
        '$common_with'(Ports, Rest, More)
    ;   '$common_with'(Ports, Others, Common)
    ).

% The call sites of the sources, and those of the trace that have no source; or those of the trace.
'$all_sites'(Sites) :-
    (   '$source_program'(_, Written)
    ->  '$known_in_trace'('$traced_sites', Traced),
        '$merged_sites'(Written, Traced, All)
    ;   '$traced_sites'(All)
    ),
    findall(Name-Line, member(site(Line, _, Name, _, _), All), Names),
    findall(csc(Module, Shown, Line, Det),
            ( member(site(Line, Module, Name, Arity, Det), All), '$shown_name'(Name, Arity, Name-Line, Names, Shown) ),
            Sites).

% Sites of the sources as the trace tells them, if they were reached.
'$merged_sites'(Written, Traced, All) :-
    '$sites_by_place'(Traced, Reached),
    findall(Site, ( member(Call, Written), '$written_site'(Call, Reached, Site) ), Sites0),
    list_to_set(Sites0, Sites),
    '$sites_by_place'(Sites, Known),
    findall(Site,
            ( member(Site, Traced), Site = site(Line, _, Name, _, _), \+ get_assoc(Name-Line, Known, _) ),
            Others),
    append(Sites, Others, All).

'$sites_by_place'(Sites, Places) :-
    findall((Name-Line)-Site, ( member(Site, Sites), Site = site(Line, _, Name, _, _) ), Pairs),
    foldl('$put_pair', Pairs, t, Places).

% A call of a function in a term that goes over lines may be reported with the line on which its goal begins.
'$written_site'(site(Module, Name, Arity, Line, GoalLine, Dets), Reached, Site) :-
    (   member(At, [Line, GoalLine]),
        get_assoc(Name-At, Reached, Site),
        arg(2, Site, Told),
        memberchk(Module, [Told, -])
    ->  true
    ;   '$declared_det'(Dets, Det),
        Site = site(Line, Module, Name, Arity, Det)
    ).

'$traced_sites'(Sites) :-
    tally(site(Line, Module, Name, Arity, Det),
          event([port=call, line_number=Line, decl_module=Module, name=Name, arity=Arity, det=Det]), Pairs),
    findall(Site, ( member(Site-_, Pairs), arg(1, Site, Line), Line > 0 ), Sites).

% A name that several procedures have is shown with the arity.
'$shown_name'(Name, Arity, Key, Keys, Shown) :-
    (   select(Key, Keys, Others),
        memberchk(Key, Others)
    ->  Shown = Name/Arity
    ;   Shown = Name
    ).
