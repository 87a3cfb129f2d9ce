% What is asked of POSIX traces: windows, filters, what was lost, spans between user events, and which answers can be trusted.
% Times are nanoseconds. `-` stands for a time that the trace does not tell, `inf` for an end that it does not reach.

%! window(?Kind, ?From, ?To) is nondet.
%@ recording.
%
%  A window of Kind `run`, `overflow` or `flush` lasted from From to To. In a trace of LTTng, an overflow is a time in
%  which the tracer lost events, but not all.
%
%  On posix/loop.jsonl:
%  ?- window(Kind, From, To).
%  Kind = run, From = (-), To = 3176141607550
%  ; Kind = overflow, From = 3176140719794, To = 3176141179806.
%  On posix/untilfull.jsonl:
%  ?- window(run, From, To), D is To - From.
%  From = 3176146137501, To = 3176146327362, D = 189861
%  ; From = 3176148199867, To = 3176148302258, D = 102391.
window(Kind, From, To) :-
    '$window'(_, Kind, From, To).
window(overflow, From, To) :-
    lost(_, _, From, To).

'$window'(Call, Kind, From, To) :-
    '$has_attribute'(window),
    tally(Call, event([call=Call]), Pairs),
    msort(Pairs, Sorted),
    member(Call-_, Sorted),
    call_start(Call, First),
    \+ attribute(First, port, call),
    attribute(First, window, Name),
    '$window_kind'(Kind, Opens, Closes),
    sub_atom(Name, 0, _, _, Kind),
    call_end(Call, Last),
    '$time_at'(First, Opens, -, From),
    '$time_at'(Last, Closes, inf, To).

'$window_kind'(run, start, stop).
'$window_kind'(overflow, overflow, resume).
'$window_kind'(flush, flush_start, flush_stop).

'$time_at'(Chrono, Port, None, Time) :-
    (   attribute(Chrono, port, Port) -> '$time_of'(Chrono, Time) ; Time = None ).

%! blind(?From, ?To) is nondet.
%@ recording.
%
%  Nothing is known of what happened between From and To: the events of an overflow were lost, or the trace was stopped
%  and started again later. To is `inf` for an automatic stop that no start follows, and for an overflow at the end.
%  In a trace of LTTng it is what babeltrace2 reported as lost; there may be other events of that time.
%  In a trace of JSON Lines it is what the recorder says that it left out, and all after a trace that breaks off, until
%  `inf`; what has no time is `-`.
%
%  On posix/loop.jsonl:
%  ?- blind(From, To).
%  From = 3176140719794, To = 3176141179806.
%  On posix/untilfull.jsonl:
%  ?- blind(From, To).
%  From = 3176146327362, To = 3176148199867.
%  On posix/filter.jsonl:
%  ?- blind(From, To).
%  false.
blind(From, To) :-
    '$losses'(_),
    !,
    lost(_, _, From, To).
blind(From, To) :-
    '$gaps'(Gaps),
    member(gap(_, _, From, To), Gaps).

% gap(First, Next, From, To): the last event before the window and the first one after it, and the times.
'$gap'(gap(First, Next, From, To)) :-
    event([port=overflow, chrono=First, call=Call, time=From]),
    '$gap_end'(Call, First, Next, To).
'$gap'(gap(First, Next, From, To)) :-
    event([port=stop, chrono=First, time=From]),
    '$stop_end'(First, Next, To).

'$gap_end'(Call, _, Next, To) :-
    event([port=resume, call=Call, chrono=Chrono, time=Time]),
    !,
    Next = Chrono,
    To = Time.
'$gap_end'(_, First, Next, To) :-
    Chrono is First + 1,
    attribute(Chrono, time, Time),
    !,
    Next = Chrono,
    To = Time.
'$gap_end'(_, _, inf, inf).

'$stop_end'(First, Next, To) :-
    event([port=start, chrono > First, chrono=Chrono, time=Time]),
    !,
    Next = Chrono,
    To = Time.
'$stop_end'(First, inf, inf) :-
    stopped(First, automatic).

% The windows of which nothing is known; none in a trace that has no such windows.
'$gaps'(Gaps) :-
    '$has_attribute'(running),
    '$has_attribute'(class),
    !,
    findall(Gap, ( '$gap'(Gap) ; '$left_out'(Gap) ), Found),
    msort(Found, Gaps).
'$gaps'(Gaps) :-
    findall(Gap, '$left_out'(Gap), Gaps).

% Nothing is known of some events after an event.
'$blind_after'(Chrono) :-
    '$gaps'(Gaps),
    member(gap(First, _, _, _), Gaps),
    First > Chrono,
    !.

% What the recorder left out.
'$left_out'(gap(First, Next, From, To)) :-
    '$recording_gap'(First, Next),
    '$time_of'(First, From),
    ( trace_info(last_chrono, Last), Next > Last -> To = inf ; '$time_of'(Next, To) ).

'$time_of'(Chrono, Time) :-
    '$has_attribute'(time),
    attribute(Chrono, time, Found),
    !,
    Time = Found.
'$time_of'(_, -).

%! coverage(-Percent) is det.
%
%  How much of the time between the first and the last event the trace covers, that is, how much lies in no blind
%  window.
%
%  On posix/filter.jsonl:
%  ?- coverage(P).
%  P = 100.0.
%  On posix/loop.jsonl:
%  ?- coverage(P), Rounded is round(P).
%  P = 48.18260873483254, Rounded = 48.
coverage(Percent) :-
    '$times'(Whole, Known),
    (   Whole =:= 0
    ->  Percent = 100.0
    ;   Percent is 100.0 * Known / Whole
    ).

% Nanoseconds between the first and the last event, and those of them that are covered.
'$times'(Whole, Known) :-
    aggregate_all(min(T), event([time=T]), First),
    aggregate_all(max(T), event([time=T]), Last),
    findall(From-To, '$blind_until'(Last, From, To), Blind),
    msort(Blind, Sorted),
    '$total'(Sorted, First, 0, Lost),
    Whole is Last - First,
    Known is Whole - Lost.

'$blind_until'(Last, From, To) :-
    blind(From, End),
    ( End == (-) -> To = Last ; To is min(End, Last) ).

% The length of all stretches together, as far as they lie after Covered.
'$total'([], _, Total, Total).
'$total'([From-To|Stretches], Covered, Total0, Total) :-
    Start is max(From, Covered),
    Total1 is Total0 + max(0, To - Start),
    Behind is max(Covered, To),
    '$total'(Stretches, Behind, Total1, Total).

%! filter_at(?Chrono, ?Set) is nondet.
%
%  Set has the ids of the types that were filtered out from the event Chrono on.
%
%  On posix/filter.jsonl:
%  ?- filter_at(1, Set).
%  Set = [36].
filter_at(Chrono, Set) :-
    attribute(Chrono, filter, Set).

%! filter_change(?Chrono, -Added, -Removed) is nondet.
%
%  From the event Chrono on, the types Added were filtered out as well, and the types Removed no longer.
%
%  On posix/filter.jsonl:
%  ?- filter_change(C, Added, Removed).
%  C = 1, Added = [36], Removed = []
%  ; C = 16, Added = [33], Removed = []
%  ; C = 25, Added = [], Removed = [33, 36].
filter_change(Chrono, Added, Removed) :-
    event([port=[start, filter], chrono=Chrono, filter=New]),
    Before is Chrono - 1,
    ( attribute(Before, filter, Old) -> true ; Old = [] ),
    subtract(New, Old, Added),
    subtract(Old, New, Removed),
    Added-Removed \== []-[].

%! stopped(?Chrono, ?Why) is nondet.
%@ recording.
%
%  The trace was stopped at the event Chrono: by the `user`, or `automatic` as it was full.
%
%  On posix/untilfull.jsonl:
%  ?- stopped(C, Why).
%  C = 56, Why = automatic
%  ; C = 80, Why = user.
stopped(Chrono, Why) :-
    event([port=stop, chrono=Chrono]),
    (   '$has_attribute'(data),
        attribute(Chrono, data, Data),
        Data \== 0
    ->  Why = automatic
    ;   Why = user
    ).

%! truncated(?Chrono, ?When) is nondet.
%@ recording.
%
%  The data of the event Chrono were truncated: when the `record` was made, or when it was `read`.
%
%  On posix/trunc.jsonl:
%  ?- aggregate_all(count, truncated(_, record), N).
%  N = 5.
truncated(Chrono, When) :-
    event([trunc=[record, read], trunc=When, chrono=Chrono]).

%! needs(?Attribute, -Value) is det.
%
%  The least max_data_size with which no data would have been truncated, as far as the trace shows.
%
%  On posix/trunc.jsonl:
%  ?- needs(max_data_size, N).
%  N = 37.
needs(max_data_size, Size) :-
    findall(Length, '$data_size'(Length), Lengths),
    findall(Wanted, '$wanted'(Wanted), All, Lengths),
    max_list([0|All], Size).

'$wanted'(Wanted) :-
    '$has_attribute'(wanted),
    event([wanted=Wanted]).

'$data_size'(Size) :-
    tally(Data, event([class=user, data=Data]), Pairs),
    member(Data-_, Pairs),
    atom(Data),
    atom_length(Data, Length),
    Size is Length // 2.

%! flush(?From, ?To, -Lost) is nondet.
%
%  The stream was flushed from From to To; Lost has the stretches `From-To` whose events were lost by that. The trace
%  does not say how many events these were.
%
%  On posix/bad/P4_no_resume.jsonl:
%  ?- limit(1, flush(From, To, Lost)).
%  From = 3176155123625, To = 3176155477249, Lost = [3176155151156-3176155478100].
flush(From, To, Lost) :-
    window(flush, From, To),
    findall(Start-End, ( window(overflow, Start, _), '$within'(Start, From, To), blind(Start, End) ), Lost).

'$within'(Time, From, To) :-
    integer(From),
    Time >= From,
    ( integer(To) -> Time =< To ; true ).

%! rate(?Type, -PerSecond) is nondet.
%
%  How many events of Type there were in a second of the time that the trace covers.
%
%  On posix/loop.jsonl:
%  ?- rate(note, N), PerMillisecond is round(N / 1000).
%  N = 42081.24485673674, PerMillisecond = 42.
rate(Type, PerSecond) :-
    '$times'(_, Known),
    Known > 0,
    tally(Name, event([name=Name]), Pairs),
    member(Type-Count, Pairs),
    PerSecond is Count * 1.0e9 / Known.

%! interval(?Type, -Nanoseconds) is nondet.
%
%  The time from an event of Type to the next one. Two events with a blind window between them are not the next ones.
%
%  On posix/filter.jsonl:
%  ?- findall(Ns, interval(note, Ns), L).
%  L = [11066, 4306].
interval(Type, Nanoseconds) :-
    tally(Name, event([name=Name]), Pairs),
    member(Type-_, Pairs),
    findall(Chrono-Time, event([name=Type, chrono=Chrono, time=Time]), Events),
    '$gaps'(Gaps),
    '$intervals'(Events, Gaps, Intervals),
    member(Nanoseconds, Intervals).

'$intervals'([], _, []).
'$intervals'([Chrono-Time|Events], Gaps, Intervals) :-
    '$intervals'(Events, Chrono, Time, Gaps, Intervals).

'$intervals'([], _, _, _, []).
'$intervals'([Chrono-Time|Events], Last, LastTime, Gaps0, Intervals) :-
    '$gaps_before'(Gaps0, Chrono, Gaps, Last, Crossed),
    (   Crossed == no
    ->  Interval is Time - LastTime,
        Intervals = [Interval|Rest]
    ;   Intervals = Rest
    ),
    '$intervals'(Events, Chrono, Time, Gaps, Rest).

% Leaves the gaps before Chrono; Crossed is whether one of them begins at Last or after it.
'$gaps_before'([gap(First, _, _, _)|Gaps0], Chrono, Gaps, Last, Crossed) :-
    First < Chrono,
    !,
    (   First >= Last
    ->  Crossed = yes,
        '$gaps_before'(Gaps0, Chrono, Gaps, Last, _)
    ;   '$gaps_before'(Gaps0, Chrono, Gaps, Last, Crossed)
    ).
'$gaps_before'(Gaps, _, Gaps, _, no).

%! span(?Type, ?Key, ?From, ?To) is nondet.
%
%  A span that an event of Type opened lasted from From to To, of those that a script declares with clauses such as
%  `span(job_get, job_done, key(tid))`: job_done closes the last open job_get with the same tid, which is Key. Across a
%  blind window nothing is paired.
%
%  On posix/loop.jsonl:
%  ?- assertz(span(job_get, job_done, key(tid))), aggregate_all(count, span(job_get, 4, _, _), N), abolish(span/3).
%  N = 6.
span(Type, Key, From, To) :-
    '$span'(Type, _, span(Key, _, From, _, To)).

'$span'(Type, Attribute, Span) :-
    call(span(Type, Close, key(Attribute))),
    findall(mark(Name, Key, Chrono, Time),
            event([name=[Type, Close], name=Name, Attribute=Key, chrono=Chrono, time=Time]),
            Marks),
    '$gaps'(Gaps),
    empty_assoc(None),
    '$spans'(Marks, Type, Gaps, 0, None, Spans),
    member(Span, Spans).

'$spans'([], _, _, _, _, []).
'$spans'([mark(Name, Key, Chrono, Time)|Marks], Type, Gaps0, Last, Open0, Spans) :-
    '$gaps_before'(Gaps0, Chrono, Gaps, Last, Crossed),
    ( Crossed == no -> Open1 = Open0 ; empty_assoc(Open1) ),
    ( get_assoc(Key, Open1, Stack) -> true ; Stack = [] ),
    '$mark'(Name, Type, Key, Chrono-Time, Stack, NewStack, Spans, Rest),
    put_assoc(Key, Open1, NewStack, Open),
    '$spans'(Marks, Type, Gaps, Chrono, Open, Rest).

'$mark'(Type, Type, _, At, Stack, [At|Stack], Spans, Spans) :- !.
'$mark'(_, _, Key, End-To, [Start-From|Stack], Stack, [span(Key, Start, From, End, To)|Spans], Spans) :- !.
'$mark'(_, _, _, _, [], [], Spans, Spans).

%! span_path(+Chrono, -Path) is det.
%
%  Path has the declared spans in which the event Chrono lies, with the same key as it, the outermost first, as `Type-From`.
%
%  On posix/loop.jsonl:
%  ?- assertz(span(job_get, job_done, key(tid))), span_path(5, Path), abolish(span/3).
%  Path = [job_get-3176141180327].
span_path(Chrono, Path) :-
    findall(From-Type, '$span_around'(Chrono, Type, From), Found),
    msort(Found, Sorted),
    findall(Type-From, member(From-Type, Sorted), Path).

'$span_around'(Chrono, Type, From) :-
    '$span'(Type, Attribute, span(Key, Start, From, End, _)),
    Chrono >= Start,
    Chrono =< End,
    attribute(Chrono, Attribute, Key).

%! data_words(?Chrono, +Size, -Words) is nondet.
%
%  Words has the unsigned numbers of Size bytes each, low byte first, that the data of the event Chrono are.
%
%  On posix/loop.jsonl:
%  ?- data_words(4, 4, Words).
%  Words = [3, 43].
data_words(Chrono, Size, Words) :-
    event([class=user, chrono=Chrono, data=Data]),
    atom_codes(Data, Codes),
    '$bytes'(Codes, Bytes),
    '$words'(Bytes, Size, Words).

'$bytes'([], []).
'$bytes'([High, Low|Codes], [Byte|Bytes]) :-
    '$digit'(High, H),
    '$digit'(Low, L),
    Byte is H * 16 + L,
    '$bytes'(Codes, Bytes).

'$digit'(Code, Digit) :- Code >= 0'0, Code =< 0'9, !, Digit is Code - 0'0.
'$digit'(Code, Digit) :- Code >= 0'a, Code =< 0'f, Digit is Code - 0'a + 10.

'$words'([], _, []) :- !.
'$words'(Bytes, Size, [Word|Words]) :-
    length(Front, Size),
    append(Front, Rest, Bytes),
    !,
    foldl('$add_byte', Front, 0-1, Word-_),
    '$words'(Rest, Size, Words).

'$add_byte'(Byte, Word0-Scale0, Word-Scale) :-
    Word is Word0 + Byte * Scale0,
    Scale is Scale0 * 256.

%! unnamed(-N) is det.
%
%  N events came under no name of their own, as too many names were in use.
%
%  On posix/unnamed.jsonl:
%  ?- unnamed(N).
%  N = 10.
unnamed(N) :-
    aggregate_all(count, event([name=posix_trace_unnamed_userevent]), N).

%! declared_unused(?Type) is nondet.
%
%  Type is declared, but no event has it.
%
%  On posix/unnamed.jsonl:
%  ?- declared_unused(note).
%  true.
declared_unused(Type) :-
    event_type(_, Type, _),
    \+ event([name=Type]).

%! event_type(?Id, ?Name, ?Class) is nondet.
%@ recording.
%
%  The trace declares the event type Name with the number Id; Class is `user` or `system`. Types without events are there, too.
%
%  On posix/filter.jsonl:
%  ?- event_type(36, Name, Class).
%  Name = note, Class = user.
%  ?- aggregate_all(count, event_type(_, _, system), N).
%  N = 8.
event_type(Id, Name, Class) :-
    trace_info(last_chrono, Last),
    attribute(Last, event_types, Types),
    member(type(Id, Name, Class), Types).

%! sound(:Goal) is semidet.
%@ recording.
%
%  The answer of Goal can be trusted: it would be the same if the trace recorded what happened in its blind windows.
%  What counts is the first answer, or that there is none. No blind window may lie
%
%  * between the first and the last event that the searches `event(...)` of the answer found,
%  * between the event where a move (`fget`, `next`, ...) began and the one where it ended, as it went to the next one,
%  * for what is said of all events (`\+`, `forall`, `findall`, `aggregate_all`, `tally`, `never`, `responds`, ..., and a
%    goal without answer): in the range that the constraints of its searches leave, by `chrono` and `time`; this is the
%    whole trace without them, and for predicates of the library that search the trace on their own.
%
%  Only searches whose constraints would admit them depend on events that the filter of a POSIX trace left out, and on
%  events, links and attributes that spans dropped. Lines that could not be read are gaps, and a file that was cut is
%  unknown from there on. If a recorder left the library of the language out, Goal must name no
%  procedure or module that no event has: it may be one of the library.
%
%  Goals of a script are looked into, unless there is a cut in their clauses: then all that they may search counts.
%  Goal leaves no bindings. A trace that has no windows is sound. What the limits of a recording leave out (`left_out` in
%  trace_info/2) counts too: events of which nobody knows where they were, what came after the last one, and values, if
%  Goal asks for `args`, `arg(N)`, `'arg.KEY'`, `result` or `text`, or is a question such as file/5 and the recording has no arguments at all.
%
%  On posix/loop.jsonl:
%  ?- sound(event([name=note])), \+ sound(\+ event([name=alarm])).
%  true.
%  ?- sound(\+ event([name=alarm, chrono=3..78])).
%  true.
%  ?- sound(fget_np([name=note])).
%  false.
%  ?- sound(exists([name=note])), \+ sound(never([name=alarm])), sound(never([name=alarm, chrono=3..78])).
%  true.
sound(Goal) :-
    '$unknowns'(Unknowns),
    \+ '$unsound'(Unknowns, Goal, _),
    \+ '$depends_on_cut_values'(Goal),
    \+ '$perhaps_of_library'(Goal, _).

% The windows of which nothing is known, those around what could not be read, and those in which events of some kind are
% unknown, as lack(Kind, Gap).
'$unknowns'(Unknowns) :-
    '$gaps'(Gaps),
    findall(Other, ( '$unread_part'(Other) ; '$lack'(Other) ), Others),
    append(Gaps, Others, Unknowns).

'$unread_part'(gap(First, Next, From, To)) :-
    '$unread'(First, Next),
    '$time_of'(First, From),
    '$time_of'(Next, To).

'$lack'(lack(types(Types), gap(First, Next, From, To))) :-
    '$has_attribute'(filter),
    '$has_attribute'(event_types),
    ( trace_info(first_chrono, First) ; event([port=[start, filter], chrono=First]) ),
    attribute(First, filter, Ids),
    findall(type(Name, Class), ( member(Id, Ids), event_type(Id, Name, Class) ), Types),
    Types \== [],
    ( once(event([port=[start, filter], chrono > First, chrono=Next])) -> '$time_of'(Next, To) ; Next = inf, To = inf ),
    '$time_of'(First, From).
'$lack'(lack(parts, gap(First, Next, From, To))) :-
    '$has_attribute'(parent_span),
    '$has_attribute'(lost),
    event([port=call, lost > 0, call=Call, chrono=First]),
    call_end(Call, Next),
    '$time_of'(First, From),
    '$time_of'(Next, To).

% A goal with What, list(Constraints) or goal(Goal), may be about events that are missing.
'$may_be_about'(types(Types), list(List)) :-
    member(type(Name, Class), Types),
    ( Class == user -> Ports = [event, call, exit] ; atom_concat(posix_trace_, Port, Name), Ports = [Port] ),
    '$admits'(List, name, [Name]),
    '$admits'(List, class, [Class]),
    '$admits'(List, port, Ports).
'$may_be_about'(types(Types), goal(Goal)) :-
    member(type(Name, _), Types),
    sub_term(Part, Goal),
    Part == Name.
'$may_be_about'(parts, list(List)) :-
    '$admits'(List, port, [event, link]).
'$may_be_about'(parts, list(List)) :-
    member(C, List),
    compound(C),
    arg(1, C, Name),
    atom(Name),
    '$is_key'(Name).

% The constraints of a list on an attribute admit one of some values, as far as it is easy to see.
'$admits'(List, Attribute, Values) :-
    \+ ( member(C, List), nonvar(C), C = (Attribute = Form), '$excludes'(Form, Values) ).

'$excludes'(Form, Values) :- atom(Form), \+ memberchk(Form, Values).
'$excludes'(Forms, Values) :- is_list(Forms), ground(Forms), \+ ( member(Form, Forms), \+ '$excludes'(Form, Values) ).

% Goal asks for a procedure or module that no event has, and the recorder left out those of the library.
'$perhaps_of_library'(Goal, Constraint) :-
    '$limited_by'(library),
    '$asked'(Goal, [], Reach),
    member(of(list(List), _), Reach),
    member(Constraint, List),
    ground(Constraint),
    Constraint = (Attribute = Form),
    memberchk(Attribute, [name, n, proc, procedure, decl_module]),
    ( atom(Form) ; compound(Form), functor(Form, Name, 2), memberchk(Name, [:, /]) ),
    \+ catch(event([Constraint]), _, true),
    !.

% The recorder cut values that a goal may ask for.
'$depends_on_cut_values'(Goal) :-
    '$values_cut',
    '$asks_values'(Goal, []),
    !.

'$asks_values'(Goal, _) :-
    compound(Goal),
    compound_name_arguments(Goal, _, [Name, _]),
    '$is_of_values'(Name).
'$asks_values'(Goal, _) :-
    '$limited_by'(no_args),
    callable(Goal),
    functor(Goal, Name, Arity),
    '$looks_at'(Name, Arity, values).
'$asks_values'(Goal, Seen) :-
    compound(Goal),
    arg(_, Goal, Part),
    '$asks_values'(Part, Seen).
'$asks_values'(Goal, Seen) :-
    callable(Goal),
    functor(Goal, Name, Arity),
    \+ memberchk(Name/Arity, Seen),
    '$open_clauses'(Goal),
    clause(Goal, Body),
    '$asks_values'(Body, [Name/Arity|Seen]).

'$is_of_values'(Name) :- atom(Name), ( memberchk(Name, [args, result, text]) -> true ; atom_concat('arg.', _, Name) ).
'$is_of_values'(Name) :- compound(Name), functor(Name, arg, 1).

% Unknown is a window that the answer of a goal depends on.
'$unsound'(Unknowns, Goal, Unknown) :-
    Unknowns = [_|_],
    '$answer'(Goal, Reach),
    !,
    '$hull'(Reach, Ranges),
    member(Unknown, Unknowns),
    member(Range, Ranges),
    '$meets'(Range, Unknown),
    !.

% Why a check should not be trusted; '$blind'/2 says it of a trace of which only some events are at hand.
'$doubt'(Goal, Text) :-
    '$blind'(Goal, Text),
    !.
'$doubt'(Goal, Text) :-
    '$perhaps_of_library'(Goal, Attribute = Form),
    format(string(Text), "no event has `~q = ~q`, but the recorder left the library out", [Attribute, Form]).

'$blind'(Goal, Text) :-
    '$unknowns'(Unknowns),
    catch('$unsound'(Unknowns, Goal, Unknown), error(_, _), '$unsound'(Unknowns, '$whatever'(Goal), Unknown)),
    '$unknown_text'(Unknown, Text),
    !.
'$blind'(Goal, "the answer depends on values, and the recorder cut some") :-
    '$depends_on_cut_values'(Goal).

'$unknown_text'(lack(parts, _), "the answer depends on events, links or attributes of spans, and some were dropped").
'$unknown_text'(lack(types(Types), gap(First, _, _, _)), Text) :-
    findall(Name, member(type(Name, _), Types), Names),
    atomic_list_concat(Names, ', ', All),
    format(string(Text), "the answer depends on events that were filtered out from event ~d on: ~w", [First, All]).
'$unknown_text'(gap(First, Next, From, To), Text) :-
    (   '$recording_gap'(First, Next)
    ->  format(string(Text), "the answer depends on what the recorder left out between the events ~d and ~d", [First, Next])
    ;   '$unread'(First, Next)
    ->  format(string(Text), "the answer depends on what could not be read between the events ~d and ~d", [First, Next])
    ;   To == inf
    ->  format(string(Text), "the answer depends on what happened from ~d ns on, of which the trace knows nothing", [From])
    ;   format(string(Text), "the answer depends on what happened from ~d to ~d ns, of which the trace knows nothing", [From, To])
    ).

% A goal of the vocabulary of assertions, with the lists of constraints in it.
'$claim'(Goal, Lists) :-
    compound(Goal),
    Goal =.. [Word|Args],
    memberchk(Word, [never, exists, precedes, responds]),
    findall(List, ( member(Arg, Args), '$list_in'(Arg, List) ), Lists).

% A list of constraints in a chain of lists or in a scope, or one by itself.
'$list_in'(Arg, _) :- var(Arg), !, fail.
'$list_in'([First|Rest], List) :- nonvar(First), ( First = [] ; First = [_|_] ), !, member(List, [First|Rest]).
'$list_in'([], []) :- !.
'$list_in'([C|Cs], [C|Cs]) :- !.
'$list_in'(A and B, A and B) :- !.
'$list_in'(Scope, List) :-
    compound(Scope),
    functor(Scope, Name, _),
    memberchk(Name, [before, after, between, after_until]),
    arg(_, Scope, Arg),
    '$list_in'(Arg, List).

% What an answer depends on: at(Chrono), and ranges of events or times.
'$answer'(Goal, _) :- var(Goal), !, throw(error(instantiation_error, _)).
% an event that has the attributes in question may not be at hand
'$answer'('$whatever'(Goal), Reach) :- !, '$asked'(Goal, [], Reach).
'$answer'(\+ Goal, Reach) :- !, '$answer'(Goal, Reach).
'$answer'(not(Goal), Reach) :- !, '$answer'(Goal, Reach).
'$answer'(forall(Condition, Action), Reach) :- !, '$answer'(( Condition, \+ Action ), Reach).
'$answer'(always(Constraints), []) :- \+ always(Constraints), !.
'$answer'(never(Constraints), Reach) :- '$list_in'(Constraints, List), List == Constraints, !, '$answer'(event(List), Reach).
'$answer'(Goal, Reach) :- '$solve'(Goal, [], Reach), !.
'$answer'(Goal, Reach) :- '$asked'(Goal, [], Reach).

'$solve'(Goal, _, _) :- var(Goal), !, throw(error(instantiation_error, _)).
'$solve'(( A, B ), R0, R) :- !, '$solve'(A, R0, R1), '$solve'(B, R1, R).
'$solve'(( If -> Then ; Else ), R0, R) :-
    !,
    (   '$solve'(If, R0, R1)
    ->  '$solve'(Then, R1, R)
    ;   '$asked'(If, R0, R1),
        '$solve'(Else, R1, R)
    ).
'$solve'(( If *-> Then ; Else ), R0, R) :-
    !,
    (   '$solve'(If, R0, R1)
    *-> '$solve'(Then, R1, R)
    ;   '$asked'(If, R0, R1),
        '$solve'(Else, R1, R)
    ).
'$solve'(( If -> Then ), R0, R) :- !, ( '$solve'(If, R0, R1) -> '$solve'(Then, R1, R) ).
'$solve'(( A ; B ), R0, R) :-
    !,
    (   '$solve'(A, R0, R)
    ;   ( '$ends_in_fail'(A) -> '$asked'(A, R0, R1) ; R1 = R0 ),
        '$solve'(B, R1, R)
    ).
'$solve'(once(Goal), R0, R) :- !, '$solve'(Goal, R0, R), !.
'$solve'(event(Constraints), R0, [at(Chrono)|R0]) :-
    !,
    '$with_chrono'(Constraints, Chrono, All),
    event(All).
% that something happened, once or some times, needs no other events
'$solve'(exists(Constraints), R, R) :- !, exists(Constraints).
'$solve'(exists(Constraints, at_least(N)), R, R) :- !, exists(Constraints, at_least(N)).
'$solve'(Goal, R0, [Range|R0]) :-
    '$move'(Goal),
    !,
    '$here'(From),
    call(Goal),
    '$here'(To),
    Start is min(From, To),
    End is max(From, To),
    Range = chronos(Start, End).
'$solve'(Goal, R0, R) :-
    '$open_clauses'(Goal),
    !,
    clause(Goal, Body),
    '$solve'(Body, R0, R).
'$solve'(Goal, R0, R) :-
    call(Goal),
    '$asked'(Goal, R0, R).

% A loop over all answers of goals, for what it does with each.
'$ends_in_fail'(Goal) :- var(Goal), !, fail.
'$ends_in_fail'(fail).
'$ends_in_fail'(false).
'$ends_in_fail'(( _, Goal )) :- '$ends_in_fail'(Goal).

'$with_chrono'(Constraints, Chrono, All) :-
    (   is_list(Constraints)
    ->  All = [chrono=Chrono|Constraints]
    ;   All = (chrono=Chrono and Constraints)
    ).

'$here'(Chrono) :-
    (   catch(current([chrono=Found]), _, fail)
    ->  Chrono = Found
    ;   Chrono = 0
    ).

'$move'(Goal) :-
    functor(Goal, Name, Arity),
    Arity =< 1,
    '$move_name'(Kind),
    member(End, ['', '_np']),
    member(Start, ['', det_]),
    atomic_list_concat([Start, Kind, End], Name),
    !.

'$move_name'(fget).
'$move_name'(bget).
'$move_name'(next).
'$move_name'(prev).
'$move_name'(step).
'$move_name'(finish).
'$move_name'(skip).
'$move_name'(retry).

% Goal is of a script, and none of its clauses has a cut.
'$open_clauses'(Goal) :-
    callable(Goal),
    functor(Goal, Name, Arity),
    functor(Head, Name, Arity),
    catch(\+ \+ clause(Head, _), error(_, _), fail),
    \+ ( clause(Head, Body), '$has_cut'(Body) ).

'$has_cut'(Body) :- var(Body), !, fail.
'$has_cut'(!).
'$has_cut'(( A, B )) :- ( '$has_cut'(A) ; '$has_cut'(B) ), !.
'$has_cut'(( A ; B )) :- ( '$has_cut'(A) ; '$has_cut'(B) ), !.
'$has_cut'(( _ -> B )) :- '$has_cut'(B).
'$has_cut'(( _ *-> B )) :- '$has_cut'(B).

% What a goal may look at, whatever it answers.
'$asked'(Goal, R0, R) :- '$asked'(Goal, [], _, R0, R).

% '$asked'(+Goal, +Seen0, -Seen, +R0, -R): Seen are the predicates of scripts that were looked into.
'$asked'(Goal, Seen, Seen, R, R) :- \+ callable(Goal), !.
'$asked'(Goal, Seen, Seen, R, R) :-
    functor(Goal, Name, Arity),
    '$looks_at'(Name, Arity, recording),
    !.
'$asked'(Goal, Seen, Seen, R, [of(goal(Goal), chronos(0, inf))|R]) :-
    '$looks_at_all'(Goal),
    !.
'$asked'(Goal, Seen0, Seen, R0, R) :-
    ( '$claim'(Goal, Lists) ; '$constrained'(Goal, Lists) ),
    !,
    findall(Range, ( member(Constraints, Lists), '$range'(Constraints, Range) ), Ranges),
    append(Ranges, R0, R1),
    ( '$parts'(Goal, Parts) -> '$asked_each'(Parts, Seen0, Seen, R1, R) ; Seen = Seen0, R = R1 ).
'$asked'(Goal, Seen0, Seen, R0, R) :-
    '$parts'(Goal, Parts),
    !,
    '$asked_each'(Parts, Seen0, Seen, R0, R).
'$asked'(Goal, Seen0, Seen, R0, R) :-
    functor(Goal, Name, Arity),
    functor(Head, Name, Arity),
    \+ memberchk(Name/Arity, Seen0),
    catch(findall(Head-Body, clause(Head, Body), Clauses), error(_, _), fail),
    Clauses = [_|_],
    !,
    findall(Body, ( member(Head-Body, Clauses), ( Head = Goal -> true ; fail ) ), Bodies),
    '$asked_each'(Bodies, [Name/Arity|Seen0], Seen, R0, R).
'$asked'(Goal, Seen, Seen, R, [of(goal(Goal), chronos(0, inf))|R]) :-
    functor(Goal, Name, Arity),
    '$looks_at'(Name, Arity, 'whole trace'),
    !.
'$asked'(_, Seen, Seen, R, R).

'$asked_each'([], Seen, Seen, R, R).
'$asked_each'([Goal|Goals], Seen0, Seen, R0, R) :-
    '$asked'(Goal, Seen0, Seen1, R0, R1),
    '$asked_each'(Goals, Seen1, Seen, R1, R).

% A predicate of papaver with arguments that are constraints, or with the number of an event.
'$constrained'(attribute(Chrono, _, _), [[chrono=Chrono]]) :- !.
'$constrained'(Goal, Lists) :-
    functor(Goal, Name, Arity),
    '$takes_constraints'(Name, Arity, Indexes),
    Indexes = [_|_],
    \+ '$open_clauses'(Goal),
    findall(List, ( member(Index, Indexes), arg(Index, Goal, List) ), Lists).

'$looks_at_all'(Goal) :- '$move'(Goal), !.
'$looks_at_all'(trace_info(Key, _)) :-
    ( var(Key) ; memberchk(Key, [events, calls, procs, ports, first_chrono, last_chrono]) ),
    !.
'$looks_at_all'(Goal) :-
    functor(Goal, always, _).

% The goals in a goal of papaver that does not search the trace by itself.
'$parts'(Goal, Parts) :-
    predicate_property(Goal, built_in),
    predicate_property(Goal, meta_predicate(Modes)),
    functor(Goal, Name, Arity),
    ( '$takes_constraints'(Name, Arity, [_|_]) -> true ; \+ '$looks_at'(Name, Arity, 'whole trace') ),
    findall(Part, ( arg(N, Modes, Mode), arg(N, Goal, Arg), '$called'(Mode, Arg, Part) ), Parts),
    Parts = [_|_].

% '$called'(+Mode, +Arg, -Part): an argument of this mode is called as the goal Part.
'$called'(^, Arg, Arg).
'$called'(N, Arg, Part) :-
    integer(N),
    (   N > 0,
        callable(Arg)
    ->  Arg =.. Own,
        length(More, N),
        append(Own, More, All),
        Part =.. All
    ;   Part = Arg
    ).

% The range that constraints leave: both ends of chronos, and of times if there are any.
'$range'(Constraints, of(list(List), Range)) :-
    '$constraints'(Constraints, List),
    '$bounds'(List, chrono, 0, From, inf, To),
    '$bounds'(List, time, 0, Start, inf, End),
    (   Start-End == 0-inf
    ->  Range = chronos(From, To)
    ;   From-To == 0-inf
    ->  Range = times(Start, End)
    ;   Range = both(From, To, Start, End)
    ).

'$constraints'(List, []) :- var(List), !.
'$constraints'([], []) :- !.
'$constraints'([C|Cs], [C|List]) :- !, '$constraints'(Cs, List).
'$constraints'(( A and B ), List) :-
    !,
    '$constraints'(A, Front),
    '$constraints'(B, Back),
    append(Front, Back, List).
'$constraints'(C, [C]).

'$bounds'([], _, From, From, To, To).
'$bounds'([C|Cs], Attribute, From0, From, To0, To) :-
    (   '$bound'(C, Attribute, Low, High)
    ->  '$greater'(From0, Low, From1),
        '$smaller'(To0, High, To1)
    ;   From1 = From0,
        To1 = To0
    ),
    '$bounds'(Cs, Attribute, From1, From, To1, To).

'$bound'(C, _, _, _) :- var(C), !, fail.
'$bound'(A = N, A, N, N) :- integer(N).
'$bound'(A = L..H, A, L, H) :- integer(L), integer(H).
'$bound'(A > N, A, Low, inf) :- integer(N), Low is N + 1.
'$bound'(A >= N, A, N, inf) :- integer(N).
'$bound'(A < N, A, 0, High) :- integer(N), High is N - 1.
'$bound'(A =< N, A, 0, N) :- integer(N).

'$greater'(A, B, C) :- ( A >= B -> C = A ; C = B ).

'$smaller'(inf, B, B) :- !.
'$smaller'(A, inf, A) :- !.
'$smaller'(A, B, C) :- ( A =< B -> C = A ; C = B ).

% The events that were found become one range.
'$hull'(Reach, Ranges) :-
    findall(Chrono, member(at(Chrono), Reach), Chronos),
    findall(Range, ( member(Range, Reach), Range \= at(_) ), Others),
    (   Chronos == []
    ->  Ranges = Others
    ;   min_list(Chronos, First),
        max_list(Chronos, Last),
        Ranges = [chronos(First, Last)|Others]
    ).

% A range of events meets a window if something may be missing between two of its events; one of times if they have an
% instant in common.
'$meets'(of(What, Range), lack(Kind, Gap)) :-
    !,
    '$may_be_about'(Kind, What),
    '$meets'(Range, Gap).
'$meets'(of(_, Range), Gap) :-
    !,
    '$meets'(Range, Gap).
'$meets'(chronos(From, To), gap(First, Next, _, _)) :-
    Next > From,
    To > First,
    To > From.
'$meets'(times(From, To), gap(_, _, Start, End)) :-
    '$at_most'(Start, To),
    ( End == (-) -> true ; From =< End ).
'$meets'(both(From, To, Start, End), Gap) :-
    '$meets'(chronos(From, To), Gap),
    '$meets'(times(Start, End), Gap).

'$at_most'(_, inf) :- !.
'$at_most'(-, _) :- !.
'$at_most'(A, B) :- A =< B.
