% Records the calls of a program in SWI-Prolog 9.0 and later as a trace for papaver.
%
% By hand: PAPAVER_OUT=trace.jsonl swipl -s swi.pl program.pl
% The page swi.md, beside this file, says what is recorded, what it costs, and what it distorts.
%
% The debugger calls prolog_trace_interception/4 at each port. A box is known by its frame, which is its place on the local
% stack: while a frame is alive, no other has this place. So the state of a thread is one term of integers that is changed
% in place: nothing grows with the number of events, and nothing of it is undone by backtracking.
%
% The option `only` needs no debugger: each chosen procedure has a wrapper, and the others run as always.

:- module('$papaver', []).
:- set_module(class(system)).
:- set_prolog_flag(generate_debug_info, false).
:- set_prolog_flag(optimise, true).
:- set_prolog_flag(double_quotes, string).
:- set_prolog_flag(rational_syntax, natural).
:- use_module(library(prolog_wrap), [wrap_predicate/4, unwrap_predicate/2]).
:- use_module(library(prolog_clause), [clause_info/5]).
:- if(exists_source(library(unix))).
:- use_module(library(unix), []).
:- endif.

:- multifile user:prolog_trace_interception/4.
:- dynamic user:prolog_trace_interception/4.
:- dynamic
    option/2,           % option(Key, Value): what PAPAVER_OPTIONS says
    only/3, skip/3,     % only(Module, Name, Arity): a pattern; what it leaves open is unbound
    out/1,              % the stream
    start/1,            % the time from which events are counted, in seconds
    done/1,             % done(Why): nothing is recorded any more
    text_limit/1,       % length of the longest value
    procedure/4,        % procedure(Goal, Module, Id, Text): a recorded procedure
    indicator/3,        % indicator(Id, Indicator, Text): as prolog_frame_attribute/3 gives it
    wrapper/2,          % wrapper(Id, Indicator): the same of its wrapper
    seen_at_start/2,    % seen_at_start(Module, Goal): it is not the program's, unless a file of the program adds to it
    site/3,             % site(PC, Clause, Text): the line of a call
    site_of_call/3,     % site_of_call(PC, Clause, Text): the same of a call without debugger
    way/1,              % way(wrappers) or way(debugger)
    line_of_clause/2,   % line_of_clause(Clause, Text)
    format_of/3,        % format_of(Kinds, Format, Parts): how arguments of these kinds are written
    deadly/2,           % deadly(Signal, Handler): what the program does at a signal
    handler/2,          % handler(Signal, Handler): what on_signal/3 of the program says
    last_root/1,        % how the last box without a parent ended
    flusher/2.          % the thread that flushes, and its queue

                /*******************************
                *            PORTS             *
                *******************************/

%   The hook binds nothing, and neither fails nor raises an exception. Signals wait until it has ended. Its frame
%   stays until then, so that is_in_hook/2 finds it.

user:prolog_trace_interception(Port, Frame, Choice, Action) :-
    sig_atomic('$papaver':intercept(Port, Frame, Choice, Next)),
    Action = Next.

intercept(Port, Frame, Choice, Action) :-
    catch(intercepted(Port, Frame, Choice, Action), Exception, true),
    (   var(Exception)
    ->  true
    ;   Action = continue,
        hook_error(Exception)
    ),
    (   nb_current('$papaver_postponed', [Goal|Goals])
    ->  signal_again([Goal|Goals])
    ;   true
    ).

intercepted(_, _, _, nodebug) :-
    done(_),
    !.
intercepted(Port, Frame, Choice, continue) :-
    \+ port(Port, Frame, Choice).

hook_error(error(io_error(_, _), _)) :-
    !,
    stop(output).
hook_error(_) :-
    flag('$papaver_errors', N, N+1).

%   port(+Port, +Frame, +Choice) fails in any case, so that all it used is given back.

port(call, Frame, _) :-
    goal(Frame, Module, Goal),
    (   procedure(Goal, Module, Id, Text)
    ->  true
    ;   new_procedure(Goal, Module, Frame, Id, Text)
    ),
    Id >= 0,
    state(State),
    caller(Frame, State, Parent, Line),
    abandoned(Parent, State),
    (   Parent =:= 0
    ->  ParentCall = 0,
        Depth = 1
    ;   slot(Parent, State, Slots, Slot),
        arg(Slot, Slots, ParentCall),
        DepthSlot is Slot+3,
        arg(DepthSlot, Slots, DepthState),
        Depth is (DepthState >> 1)+1
    ),
    (   admitted(Depth, Id)
    ->  true
    ;   forget(Frame, State),
        fail
    ),
    next_call(State, Call),
    arguments(Goal, Arguments),
    line(State, ['{"call":', Call, ',"port":"call"', Text, Depth, ',"parent":', ParentCall, Line, Arguments|Time], Time, Event),
    write_call(Event, State, Frame, Call, Id, Parent, Depth),
    fail.
port(exit, Frame, Choice) :-
    box(Frame, Goal, Text, State, Slots, Slot),
    entered(Frame, State, Slots, Slot, Call, Depth),
    abandoned(Frame, State),
    clause_line(Frame, Line),
    determinism(Choice, Det),
    arguments(Goal, Arguments),
    line(State, ['{"call":', Call, ',"port":"exit"', Text, Depth, Line, Det, Arguments|Time], Time, Event),
    write_exit(Event, State, Slots, Slot, Depth),
    may_be_entered_again(Det, Frame, State),
    fail.
port(fail, Frame, _) :-
    box(Frame, Goal, Text, State, Slots, Slot),
    entered(Frame, State, Slots, Slot, Call, Depth),
    abandoned(Frame, State),
    arguments(Goal, Arguments),
    line(State, ['{"call":', Call, ',"port":"fail"', Text, Depth, Arguments|Time], Time, Event),
    write_end(Event, State, Slots, Slot, false),
    fail.
port(redo(_), Frame, _) :-
    box(Frame, _, _, State, Slots, Slot),
    entered(Frame, State, Slots, Slot, _, _),
    fail.
port(exception(Error), Frame, _) :-
    box(Frame, Goal, Text, State, Slots, Slot),
    entered(Frame, State, Slots, Slot, Call, Depth),
    abandoned(Frame, State),
    arguments(Goal, Arguments),
    value_text(Error, Thrown),
    json_string(Thrown, Json),
    line(State, ['{"call":', Call, ',"port":"exception"', Text, Depth, ',"exception":{"term":', Json, '}', Arguments|Time], Time, Event),
    write_end(Event, State, Slots, Slot, Thrown),
    fail.

%   What is written and noted down of an event.

write_call(Event, State, Frame, Call, Id, Parent, Depth) :-
    write_event(State, Event),
    set_box(Frame, State, Call, Id, Parent, Depth),
    nb_setarg(3, State, Frame).

write_exit(Event, State, Slots, Slot, Depth) :-
    write_event(State, Event),
    StateSlot is Slot+3,
    Exited is Depth << 1,
    nb_setarg(StateSlot, Slots, Exited),
    left(State, Slots, Slot, true).

write_end(Event, State, Slots, Slot, How) :-
    write_event(State, Event),
    nb_setarg(Slot, Slots, 0),
    left(State, Slots, Slot, How).

write_redo(Event, State, Frame, Slots, StateSlot, DepthState) :-
    write_event(State, Event),
    Open is DepthState \/ 1,
    nb_setarg(StateSlot, Slots, Open),
    nb_setarg(3, State, Frame).

goal(Frame, Module, Goal) :-
    prolog_frame_attribute(Frame, goal, Qualified),
    (   Qualified = Module0:Goal0
    ->  Module = Module0,
        Goal = Goal0
    ;   Module = user,
        Goal = Qualified
    ).

%   The box of a frame. It fails if the frame has none.

box(Frame, Goal, Text, State, Slots, Slot) :-
    goal(Frame, Module, Goal),
    procedure(Goal, Module, Id, Text),
    state(State),
    slot(Frame, State, Slots, Slot),
    arg(Slot, Slots, Call),
    integer(Call),
    Call > 0,
    IdSlot is Slot+1,
    arg(IdSlot, Slots, Id).

%   A box that has an event is open. SWI-Prolog shows redo only in the frame that holds the choice point, and not at all
%   if that frame is hidden: then the boxes around it are entered again as well, the outermost first.

entered(Frame, State, Slots, Slot, Call, Depth) :-
    arg(Slot, Slots, Call),
    StateSlot is Slot+3,
    arg(StateSlot, Slots, DepthState),
    Depth is DepthState >> 1,
    (   DepthState /\ 1 =:= 1
    ->  true
    ;   ParentSlot is Slot+2,
        arg(ParentSlot, Slots, Parent),
        (   Parent =:= 0
        ->  true
        ;   slot(Parent, State, ParentSlots, ParentIn),
            entered(Parent, State, ParentSlots, ParentIn, _, _)
        ),
        goal(Frame, Module, Goal),
        procedure(Goal, Module, _, Text),
        arguments(Goal, Arguments),
        line(State, ['{"call":', Call, ',"port":"redo"', Text, Depth, Arguments|Time], Time, Event),
        write_redo(Event, State, Frame, Slots, StateSlot, DepthState)
    ).

%   abandoned(+Frame, +State): something happens in the box of this frame. Boxes inside of it that are still open lost their
%   frames without an event: a tabled goal was suspended. They end as if they had failed.

abandoned(Frame, State) :-
    arg(3, State, Open),
    (   Open =:= Frame
    ->  true
    ;   is_inside(Open, Frame, State)
    ->  abandoned(Open, Frame, State)
    ;   true
    ).

abandoned(Open, Frame, State) :-
    (   Open =:= Frame
    ->  nb_setarg(3, State, Frame)
    ;   end_box(Open, State, ',"port":"fail"', ',"suspended":true', Parent),
        abandoned(Parent, Frame, State)
    ).

%   end_box(+Frame, +State, +Port, +Keys, -Parent): an event for an open box whose frame is gone.

end_box(Frame, State, Port, Keys, Parent) :-
    open_box(Frame, State, Slots, Slot, Parent),
    arg(Slot, Slots, Call),
    nb_setarg(Slot, Slots, 0),
    IdSlot is Slot+1,
    arg(IdSlot, Slots, Id),
    StateSlot is Slot+3,
    arg(StateSlot, Slots, DepthState),
    Depth is DepthState >> 1,
    indicator(Id, _, Text),
    line(State, ['{"call":', Call, Port, Text, Depth, Keys|Time], Time, Event),
    write_event(State, Event).

is_inside(Open, Frame, State) :-
    (   Open =:= Frame
    ->  true
    ;   open_box(Open, State, _, _, Parent),
        is_inside(Parent, Frame, State)
    ).

open_box(Frame, State, Slots, Slot, Parent) :-
    Frame > 0,
    slot(Frame, State, Slots, Slot),
    arg(Slot, Slots, Call),
    integer(Call),
    Call > 0,
    StateSlot is Slot+3,
    arg(StateSlot, Slots, DepthState),
    DepthState /\ 1 =:= 1,
    ParentSlot is Slot+2,
    arg(ParentSlot, Slots, Parent).

%   The box is left: the innermost open box is the one around it.

left(State, Slots, Slot, How) :-
    ParentSlot is Slot+2,
    arg(ParentSlot, Slots, Parent),
    nb_setarg(3, State, Parent),
    (   Parent =:= 0
    ->  retractall(last_root(_)),
        assertz(last_root(How))
    ;   true
    ).

                /*******************************
                *           WRAPPERS           *
                *******************************/

%   A chosen procedure is wrapped in '$papaver_box'/3. The box of a call is a term box(Call, Depth, State, Parent, Id) with the box
%   around it; State is 0 before the first event, 1 in the box, 2 after an exit. The innermost box is in a variable that backtracking
%   restores, as it drops the choice point of a box that can be entered again.
%
%   These run in the module that called the procedure, so that what it is to call is found there.

:- module_transparent
    system:'$papaver_box'/3,
    system:'$papaver_enter'/5,
    system:'$papaver_call'/1,
    system:'$papaver_defines'/1,
    system:'$papaver_asserts'/2.

system:'$papaver_box'(Id, Goal, Wrapped) :-
    '$papaver':is_admitted(Id, Box),
    !,
    prolog_current_frame(Frame),
    setup_call_catcher_cleanup(
        true,
        '$papaver_enter'(Id, Goal, Box, Frame, Wrapped),
        Catcher,
        '$papaver':ended(Catcher, Id, Goal, Box)),
    (   nonvar(Catcher)
    ->  '$papaver':leave(Box)
    ;   '$papaver':is_innermost(Box)
    ->  (   '$papaver':event(exited(Id, Goal, Box, ',"det":"nondet"')),
            '$papaver':leave(Box)
        ;   '$papaver':event(entered_again(Id, Goal, Box)),
            fail
        )
    ;   true
    ).
system:'$papaver_box'(_, _, Wrapped) :-
    '$papaver_call'(Wrapped).

system:'$papaver_enter'(Id, Goal, Box, Frame, Wrapped) :-
    '$papaver':event(called(Id, Goal, Box, Frame)),
    b_setval('$papaver_box', Box),
    '$papaver_call'(Wrapped).

system:'$papaver_call'(call(Closure)) :-
    context_module(Module),
    call(Module:Closure).

is_admitted(Id, box(0, Depth, 0, Parent, Id)) :-
    \+ done(_),
    state(State),
    arg(10, State, 0),
    (   nb_current('$papaver_box', Innermost)
    ->  open_box(Innermost, Parent, Outer)
    ;   Parent = none,
        Outer = 0
    ),
    Depth is Outer+1,
    admitted(Depth, Id).

%   A signal can come when the last event of a box has been written.

open_box(none, none, 0).
open_box(Box, Open, Depth) :-
    Box = box(_, BoxDepth, State, Parent, _),
    (   State =:= 1
    ->  Open = Box,
        Depth = BoxDepth
    ;   open_box(Parent, Open, Depth)
    ).

leave(box(_, _, _, Parent, _)) :-
    b_setval('$papaver_box', Parent).

%   When a tabled goal that was suspended goes on, it is a copy whose box has ended.

is_innermost(Box) :-
    nb_current('$papaver_box', Innermost),
    same_term(Innermost, Box).

%   An exit without choice point, a failure and an exception end a box at once, whatever signals come.

ended(exit, Id, Goal, Box) :-
    event(exited(Id, Goal, Box, ',"det":"det"')).
ended(fail, Id, Goal, Box) :-
    event(failed(Id, Goal, Box)).
ended(!, Id, Goal, Box) :-
    (   arg(3, Box, 1)
    ->  event(raised(engine_destroyed, Id, Goal, Box))
    ;   true
    ).
ended(exception(Error), Id, Goal, Box) :-
    event(raised(Error, Id, Goal, Box)).
ended(external_exception(Error), Id, Goal, Box) :-
    event(raised(Error, Id, Goal, Box)).

%   event(:Goal) writes an event. It binds nothing, and neither fails nor raises an exception but that of a signal.

event(Goal) :-
    sig_atomic('$papaver':written(Goal)).

written(Goal) :-
    (   done(_)
    ->  true
    ;   catch(\+ Goal, Exception, hook_error(Exception))
    ->  true
    ;   true
    ).

called(Id, Goal, Box, Frame) :-
    Box = box(_, Depth, _, Parent, _),
    state(State),
    next_call(State, Call),
    nb_setarg(1, Box, Call),
    (   Parent = box(ParentCall, _, _, _, _)
    ->  true
    ;   ParentCall = 0
    ),
    indicator(Id, Indicator, Text),
    line_of_call(Frame, Indicator, State, Line),
    arguments(Goal, Arguments),
    line(State, ['{"call":', Call, ',"port":"call"', Text, Depth, ',"parent":', ParentCall, Line, Arguments|Time], Time, Event),
    write_in_box(State, Event, Box, 1).

exited(Id, Goal, Box, Det) :-
    write_of_box(1, Id, Goal, Box, '"exit"', Det, 2).

entered_again(Id, Goal, Box) :-
    write_of_box(2, Id, Goal, Box, '"redo"', '', 1).

failed(Id, Goal, Box) :-
    write_of_box(1, Id, Goal, Box, '"fail"', '', 0).

raised(Error, Id, Goal, Box) :-
    exception_key(Error, Exception),
    write_of_box(1, Id, Goal, Box, '"exception"', Exception, 0).

exception_key(Error, Key) :-
    value_text(Error, Thrown),
    json_string(Thrown, Json),
    atomics_to_string([',"exception":{"term":', Json, '}'], Key).

write_of_box(Before, Id, Goal, Box, Port, More, After) :-
    Box = box(Call, Depth, Before, _, _),
    state(State),
    indicator(Id, _, Text),
    arguments(Goal, Arguments),
    line(State, ['{"call":', Call, ',"port":', Port, Text, Depth, More, Arguments|Time], Time, Event),
    write_in_box(State, Event, Box, After).

write_in_box(State, Event, Box, After) :-
    write_event(State, Event),
    nb_setarg(3, Box, After).

%   The line of the call, if it has not been the last one of its clause: then its frame is gone, and that of another clause is
%   found, in which another procedure is called.

line_of_call(Frame, Indicator, State, Line) :-
    prolog_frame_attribute(Frame, pc, PC),
    prolog_frame_attribute(Frame, parent, Caller),
    prolog_frame_attribute(Caller, clause, Clause),
    !,
    (   site_of_call(PC, Clause, Known)
    ->  Line = Known
    ;   (   calls_at(Clause, 0, PC, Indicator)
        ->  nb_setarg(10, State, 1),
            call_line(Caller, Frame, Line),
            nb_setarg(10, State, 0)
        ;   Line = ''
        ),
        assertz(site_of_call(PC, Clause, Line))
    ).
line_of_call(_, _, _, '').

%   calls_at(+Clause, +From, +PC, +Indicator): the instruction before PC calls this procedure.

calls_at(Clause, From, PC, _:Name/Arity) :-
    '$fetch_vm'(Clause, From, Next, Instruction),
    (   Next < PC
    ->  calls_at(Clause, Next, PC, _:Name/Arity)
    ;   Next =:= PC,
        compound(Instruction),
        functor(Instruction, Code, N),
        arg(N, Instruction, _:Name/Arity),
        sub_atom(Code, 0, _, _, i_)
    ).

                /*******************************
                *       ENDS OF THREADS        *
                *******************************/

%   A thread that is aborted, or ends by thread_exit/1, and an engine that is destroyed leave their boxes without an event. What
%   ended them is the exception of these boxes.

thread_ended(Thread) :-
    event(boxes_ended(Thread)).

boxes_ended(Thread) :-
    nb_current('$papaver', State),
    how_thread_ended(Thread, How),
    exception_key(How, Exception),
    (   way(wrappers)
    ->  nb_current('$papaver_box', Innermost),
        end_wrapped(Innermost, State, Exception)
    ;   arg(3, State, Frame),
        end_boxes(Frame, State, Exception)
    ).

how_thread_ended(Thread, How) :-
    thread_property(Thread, status(Status)),
    (   Status = exception(How)
    ->  true
    ;   Status = exited(Term),
        nonvar(Term)
    ->  How = thread_exit(Term)
    ;   How = engine_destroyed
    ).

end_boxes(0, _, _) :-
    !.
end_boxes(Frame, State, Exception) :-
    end_box(Frame, State, ',"port":"exception"', Exception, Parent),
    end_boxes(Parent, State, Exception).

end_wrapped(Innermost, State, Exception) :-
    open_box(Innermost, Box, Depth),
    (   Box = box(Call, _, _, Parent, Id)
    ->  indicator(Id, _, Text),
        line(State, ['{"call":', Call, ',"port":"exception"', Text, Depth, Exception|Time], Time, Event),
        write_in_box(State, Event, Box, 0),
        end_wrapped(Parent, State, Exception)
    ;   true
    ).

                /*******************************
                *      CHOSEN PROCEDURES       *
                *******************************/

%   Procedures that are defined later get their wrappers before a directive runs, when a file has been loaded, and when a clause
%   is asserted. Loading a file again takes them away.

wrap_what_defines :-
    system_mode(true),
    forall(defines(Head, Wrapped, Body), wrap_predicate(Head, '$papaver', Wrapped, Body)),
    system_mode(false).

%   defines(-Head, -Wrapped, -Body): a predicate that defines procedures, and the body of its wrapper.

defines(system:'$execute_directive_3'(_), Wrapped, '$papaver':after_wrapping(Wrapped)).
defines(system:'$run_initialization'(_, _, _), Wrapped, '$papaver':after_wrapping(Wrapped)).
defines(system:dynamic(_), Wrapped, '$papaver_defines'(Wrapped)).
defines('$syspreds':dynamic(_, _), Wrapped, '$papaver_defines'(Wrapped)).
defines(system:thread_local(_), Wrapped, '$papaver_defines'(Wrapped)).
defines(system:assert(Clause), Wrapped, '$papaver_asserts'(Wrapped, Clause)).
defines(system:asserta(Clause), Wrapped, '$papaver_asserts'(Wrapped, Clause)).
defines(system:assertz(Clause), Wrapped, '$papaver_asserts'(Wrapped, Clause)).
defines(system:assert(Clause, _), Wrapped, '$papaver_asserts'(Wrapped, Clause)).
defines(system:asserta(Clause, _), Wrapped, '$papaver_asserts'(Wrapped, Clause)).
defines(system:assertz(Clause, _), Wrapped, '$papaver_asserts'(Wrapped, Clause)).

after_wrapping(Wrapped) :-
    wrap_chosen,
    call(Wrapped).

system:'$papaver_defines'(Wrapped) :-
    '$papaver_call'(Wrapped),
    '$papaver':wrap_chosen.

system:'$papaver_asserts'(Wrapped, Clause) :-
    '$papaver_call'(Wrapped),
    context_module(Module),
    '$papaver':wrap_asserted(Module:Clause).

wrap_asserted(Qualified) :-
    strip_module(Qualified, Module0, Clause),
    (   Clause = (Head0 :- _)
    ->  true
    ;   Head0 = Clause
    ),
    strip_module(Module0:Head0, Module, Head),
    functor(Head, Name, Arity),
    (   only(Module, Name, Arity)
    ->  is_wanted(Head, Module, Name, Arity),
        own_procedure(Module, Head),
        \+ is_hook(Module, Head),
        wrap(Module, Head)
    ;   true
    ),
    !.
wrap_asserted(_).

wrap_chosen :-
    (   done(_)
    ->  true
    ;   forall(chosen(Module, Head), wrap(Module, Head))
    ).

%   chosen(-Module, -Head): a procedure that is there and that patterns choose.

chosen(Module, Head) :-
    only(Module, Name, Arity),
    current_module(Module),
    (   integer(Arity)
    ->  functor(Head, Name, Arity)
    ;   true
    ),
    '$c_current_predicate'(Name, Module:Head),
    '$get_predicate_attribute'(Module:Head, defined, 1),
    \+ '$get_predicate_attribute'(Module:Head, imported, _),
    functor(Head, Name, Arity1),
    is_wanted(Head, Module, Name, Arity1),
    \+ is_hook(Module, Head).

%   A hook that the program does not define. The system calls user:exception/3 for a variable that is not there, also here.

is_hook(user, exception(_, _, _)) :-
    !.
is_hook(Module, Head) :-
    seen_at_start(Module, Head),
    is_library(Head, Module).

wrap(Module, Head) :-
    '$wrapped_predicate'(Module:Head, Wrappers),
    has_own(Wrappers),
    !.
wrap(Module, Head0) :-
    functor(Head0, Name, Arity),
    functor(Head, Name, Arity),
    with_mutex('$papaver', wrap(Module, Head, Name, Arity)).

%   A thread that ends gives back the wrapper of a thread-local procedure, as if it were its own: after that the system crashes.

wrap(_, _, _, _) :-
    done(_),
    !.
wrap(Module, Head, _, _) :-
    '$get_predicate_attribute'(Module:Head, (thread_local), 1),
    !,
    (   procedure(Head, Module, _, _)
    ->  true
    ;   assertz(procedure(Head, Module, -1, '')),
        flag('$papaver_thread_local', N, N+1)
    ).
wrap(Module, Head, Name, Arity) :-
    number_of(Head, Module, Name, Arity, Id),
    wrap_predicate(Module:Head, '$papaver', Wrapped, '$papaver_box'(Id, Head, Wrapped)).

has_own([Name-_|Wrappers]) :-
    (   Name == '$papaver'
    ->  true
    ;   has_own(Wrappers)
    ).

%   When recording has ended, the program runs as without it: a loop of last calls needs no space any more.

unwrap_all :-
    forall(( procedure(Head, Module, _, _)
           ; defines(Module:Head, _, _)
           ),
           unwrap(Module, Head)).

unwrap(Module, Head) :-
    functor(Head, Name, Arity),
    catch(ignore(unwrap_predicate(Module:Name/Arity, '$papaver')), _, true).

number_of(Head, Module, _, _, Id) :-
    procedure(Head, Module, Id, _),
    !.
number_of(Head, Module, Name, Arity, Id) :-
    new_number(Head, Module, Module, Name, Arity, Module:Name/Arity, Id).

                /*******************************
                *           SIGNALS            *
                *******************************/

%   A signal that comes while the program calls the hook is handled in the hook, before that can make it wait, and the debugger
%   drops an exception that leaves the hook. So what thread_signal/2 and alarms are to call is put off until the program
%   goes on: when the hook ends, the thread gets the signal again.

postpone_signals :-
    wrap_signal(system:thread_signal(_, Goal), 2, Goal),
    postpone_alarms.

%   Two alarms that ring while an event is written are one signal, and an exception of the first would drop the second: so each
%   becomes a signal of its own.

postpone_alarms :-
    (   exists_source(library(time))
    ->  use_module(library(time), []),
        wrap_signal(time:alarm(_, Goal3, _), 2, Goal3),
        wrap_signal(time:alarm(_, Goal4, _, _), 2, Goal4),
        wrap_signal(time:alarm_at(_, Goal5, _, _), 2, Goal5)
    ;   true
    ).

wrap_signal(Head, N, Goal) :-
    wrap_predicate(Head, '$papaver', Call, ('$papaver':with_signal(Call, N, Goal), true)).

with_signal(Call, N, Goal0) :-
    qualified(Goal0, Goal),
    (   Goal = _:Plain,
        callable(Plain)
    ->  with_goal(Call, N, '$papaver':signalled(Goal))
    ;   call(Call)
    ).

%   qualified(+Goal, -Qualified): the caller of this has been called by the wrapper of a predicate, whose context is the module
%   that called it.

qualified(Goal, Module:Plain) :-
    prolog_current_frame(Frame),
    prolog_frame_attribute(Frame, parent, Caller),
    prolog_frame_attribute(Caller, parent, Wrapper),
    prolog_frame_attribute(Wrapper, context_module, Context),
    strip_module(Context:Goal, Module, Plain).

%   with_goal(+Call, +N, +Goal): calls a wrapped predicate with another argument N.

with_goal(call(Closure0), N, Goal) :-
    compound_name_arguments(Closure0, Closure, Arguments0),
    replaced(N, Arguments0, Goal, Arguments),
    compound_name_arguments(Closure1, Closure, Arguments),
    call(Closure1).

replaced(1, [_|Rest], New, [New|Rest]) :-
    !.
replaced(N, [First|Rest0], New, [First|Rest]) :-
    N1 is N-1,
    replaced(N1, Rest0, New, Rest).

:- public signalled/1.

signalled(Goal) :-
    way(wrappers),
    !,
    postpone(Goal),
    thread_self(Thread),
    thread_signal(Thread, '$papaver':next_signal).
signalled(Goal) :-
    prolog_current_frame(Frame),
    (   is_in_hook(Frame, 50)
    ->  postpone(Goal)
    ;   call(Goal)
    ).

postpone(Goal) :-
    (   nb_current('$papaver_postponed', Goals0)
    ->  true
    ;   Goals0 = []
    ),
    append_goal(Goals0, Goal, Goals),
    nb_setval('$papaver_postponed', Goals).

%   One signal at a time, so that the exception of one does not hide that of another.

:- public next_signal/0.

next_signal :-
    nb_current('$papaver_postponed', [Goal|Goals]),
    !,
    nb_setval('$papaver_postponed', Goals),
    (   Goals == []
    ->  true
    ;   thread_self(Thread),
        thread_signal(Thread, '$papaver':next_signal)
    ),
    call(Goal).
next_signal.

%   The handlers of on_signal/3 are put off, too: the system gets one of the recorder's own, which calls that of the program.
%   The program sees its own only.

on_signal(Number, Name, Old, New0, Set) :-
    handler_of(Number, Name, Set, Handler),
    strip_module(Old, _, Handler),
    strip_module(New0, Module, New),
    (   New == Handler
    ->  true
    ;   is_postponed(New)
    ->  set_handler(Set, Number, Name, user:_, '$papaver':handle),
        retractall(handler(Name, _)),
        assertz(handler(Name, Module:New))
    ;   set_handler(Set, Number, Name, user:_, New0),
        retractall(handler(Name, _))
    ).

is_postponed(New) :-
    atom(New),
    \+ is_system_handler(New).

is_system_handler(default).
is_system_handler(ignore).
is_system_handler(debug).

%   The handler as the program knows it: the module `user` is not named.

handler_of(Number, Name, Set, Handler) :-
    set_handler(Set, Number, Name, user:Handler0, user:Handler0),
    (   Handler0 = '$papaver':handle,
        handler(Name, Module:Handler1)
    ->  (   Module == user
        ->  Handler = Handler1
        ;   Handler1 == throw
        ->  Handler = throw
        ;   Handler = Module:Handler1
        )
    ;   Handler0 = '$papaver':ended_by
    ->  deadly(Name, Handler)
    ;   Handler = Handler0
    ).

set_handler(call(Closure0), Number, Name, Old, New) :-
    compound_name_arity(Closure0, Closure, 4),
    compound_name_arguments(Set, Closure, [Number, Name, Old, New]),
    call(Set).

:- public handle/1, throw_signal/1.

handle(Signal) :-
    handler(Signal, Module:Handler),
    (   Handler == throw
    ->  signalled('$papaver':throw_signal(Signal))
    ;   Goal =.. [Handler, Signal],
        signalled(Module:Goal)
    ).

throw_signal(Signal) :-
    current_signal(Signal, Number, _),
    !,
    throw(error(signal(Signal, Number), _)).

append_goal([], Goal, [Goal]).
append_goal([First|Rest0], Goal, [First|Rest]) :-
    append_goal(Rest0, Goal, Rest).

%   is_in_hook(+Frame, +Most): the frame of the hook is among the next frames. A signal is handled right in it, before or after all
%   that it calls; a frame costs the more to ask for, the farther it is.

is_in_hook(Frame, Most) :-
    Most > 0,
    (   prolog_frame_attribute(Frame, predicate_indicator, user:prolog_trace_interception/4)
    ->  true
    ;   prolog_frame_attribute(Frame, parent, Above),
        Left is Most-1,
        is_in_hook(Above, Left)
    ).

signal_again(Goals) :-
    nb_setval('$papaver_postponed', []),
    thread_self(Thread),
    signal_again(Goals, Thread).

signal_again([], _).
signal_again([Goal|Goals], Thread) :-
    thread_signal(Thread, Goal),
    signal_again(Goals, Thread).

                /*******************************
                *            STATE             *
                *******************************/

%   The state of a thread:
%     1 next number of a call   2 last number of its block   3 frame of the innermost open box, or 0
%     4 events                  5 events at the next look at the memory
%     6 chunks of slots         7 what ends a line
%     8 number of the marks of frames in no box                 9 the highest frame that has one
%    10 0, or 1 while wrappers record nothing
%
%   The slot of a frame has four integers: number of the call or 0, number of the procedure, frame of the parent or 0,
%   and twice the depth, plus 1 if the box is open.

state(State) :-
    (   nb_current('$papaver', State0)
    ->  State = State0
    ;   new_state,
        nb_getval('$papaver', State)
    ).

new_state :-
    current_prolog_flag(stack_limit, Bytes),
    Chunks is Bytes // 8 // 32768 + 2,
    functor(Directory, chunks, Chunks),
    thread_self(Thread),
    (   Thread == main
    ->  End = '}\n'
    ;   thread_name(Thread, Name),
        json_string(Name, Json),
        atomic_list_concat([',"thread":', Json, '}\n'], End)
    ),
    nb_setval('$papaver', state(1, 0, 0, 0, 256, Directory, End, 0, 0, 0)).

thread_name(Thread, Name) :-
    atom(Thread),
    !,
    Name = Thread.
thread_name(Thread, Name) :-
    thread_property(Thread, id(Id)),
    atom_concat(thread_, Id, Name).

%   Frames are at least seven words apart.

slot(Frame, State, Slots, Slot) :-
    Chunk is (Frame >> 15)+1,
    arg(6, State, Directory),
    arg(Chunk, Directory, Slots),
    compound(Slots),
    Slot is ((Frame /\ 32767) // 7 << 2)+1.

set_box(Frame, State, Call, Id, Parent, Depth) :-
    (   slot(Frame, State, Slots, Slot)
    ->  true
    ;   Chunk is (Frame >> 15)+1,
        arg(6, State, Directory),
        functor(New, slots, 18728),
        nb_setarg(Chunk, Directory, New),
        slot(Frame, State, Slots, Slot)
    ),
    nb_setarg(Slot, Slots, Call),
    IdSlot is Slot+1,
    nb_setarg(IdSlot, Slots, Id),
    ParentSlot is Slot+2,
    nb_setarg(ParentSlot, Slots, Parent),
    StateSlot is Slot+3,
    Open is Depth << 1 \/ 1,
    nb_setarg(StateSlot, Slots, Open).

forget(Frame, State) :-
    (   slot(Frame, State, Slots, Slot)
    ->  nb_setarg(Slot, Slots, 0)
    ;   true
    ).

%   Numbers of calls are unique: each thread takes blocks of them.

next_call(State, Call) :-
    arg(1, State, Call0),
    arg(2, State, Last),
    (   Call0 =< Last
    ->  Call = Call0
    ;   flag('$papaver_blocks', Block, Block+1),
        Call is Block*1024+1,
        End is Call+1023,
        nb_setarg(2, State, End)
    ),
    Next is Call+1,
    nb_setarg(1, State, Next).

                /*******************************
                *           PARENTS            *
                *******************************/

%   caller(+Frame, +State, -Parent, -Line): the frame of the innermost box around a frame, or 0, and the line of the call
%   in the clause of that box. Between both there may be hidden frames.

caller(Frame, State, Parent, Line) :-
    prolog_frame_attribute(Frame, parent, Above),
    !,
    caller(Above, Frame, State, 0, Parent, Line).
caller(_, _, 0, '').

caller(Frame, Below, State, N, Parent, Line) :-
    (   is_box(Frame, State, Slots, Slot)
    ->  Parent = Frame,
        entered(Frame, State, Slots, Slot, _, _),
        call_line(Frame, Below, Line)
    ;   is_below(Frame, State, Open)
    ->  Parent = Open,
        Line = ''
    ;   prolog_frame_attribute(Frame, parent, Above)
    ->  N1 is N+1,
        caller(Above, Frame, State, N1, Parent, Line),
        (   N =:= 0
        ->  mark_below(Frame, State, Parent)
        ;   true
        )
    ;   Parent = 0,
        Line = ''
    ).

is_box(Frame, State, Slots, Slot) :-
    slot(Frame, State, Slots, Slot),
    arg(Slot, Slots, Call),
    integer(Call),
    Call > 0,
    IdSlot is Slot+1,
    arg(IdSlot, Slots, Id),
    prolog_frame_attribute(Frame, predicate_indicator, Found),
    (   indicator(Id, Found, _)
    ->  true
    ;   wrapper(Id, Found)
    ->  true
    ).

%   A hidden frame is marked with the number of the box in which it was found, so that a deep recursion of hidden frames,
%   such as that of maplist/2, is climbed once. The mark holds while this box is the innermost open one.

is_below(Frame, State, Open) :-
    slot(Frame, State, Slots, Slot),
    arg(Slot, Slots, Zero),
    Zero == 0,
    ParentSlot is Slot+2,
    arg(ParentSlot, Slots, Mark),
    integer(Mark),
    arg(3, State, Open),
    mark(Open, State, Mark).

mark_below(Frame, State, Parent) :-
    arg(3, State, Parent),
    slot(Frame, State, Slots, Slot),
    mark(Parent, State, Mark),
    !,
    nb_setarg(Slot, Slots, 0),
    MarkSlot is Slot+2,
    nb_setarg(MarkSlot, Slots, Mark),
    (   Parent =:= 0,
        arg(9, State, Highest),
        Frame > Highest
    ->  nb_setarg(9, State, Frame)
    ;   true
    ).
mark_below(_, _, _).

%   The mark of frames in a box, or in none. A frame that is in no box never gets into one, but another frame can come to its
%   place: in a box that lies below on the stack and is entered again. So marks of no box get another number when such a
%   box has exited.

mark(0, State, Mark) :-
    !,
    arg(8, State, Number),
    Mark is -(1 << 50)-Number.
mark(Open, State, Mark) :-
    slot(Open, State, Slots, Slot),
    arg(Slot, Slots, Call),
    Mark is -Call.

may_be_entered_again(',"det":"nondet"', Frame, State) :-
    arg(3, State, 0),
    arg(9, State, Highest),
    Frame < Highest,
    !,
    arg(8, State, Number0),
    Number is Number0+1,
    nb_setarg(8, State, Number),
    nb_setarg(9, State, 0).
may_be_entered_again(_, _, _).

                /*******************************
                *            LINES             *
                *******************************/

call_line(Frame, Below, Line) :-
    prolog_frame_attribute(Below, pc, PC),
    prolog_frame_attribute(Frame, clause, Clause),
    !,
    (   site(PC, Clause, Known)
    ->  Line = Known
    ;   (   catch(subgoal_line(Clause, PC, Number), _, fail)
        ->  true
        ;   clause_property(Clause, line_count(Number))
        ->  true
        ;   Number = 0
        ),
        line_text(Number, Line),
        assertz(site(PC, Clause, Line))
    ).
call_line(_, _, '').

clause_line(Frame, Line) :-
    prolog_frame_attribute(Frame, clause, Clause),
    !,
    (   line_of_clause(Clause, Known)
    ->  Line = Known
    ;   (   clause_property(Clause, line_count(Number))
        ->  true
        ;   Number = 0
        ),
        line_text(Number, Line),
        assertz(line_of_clause(Clause, Line))
    ).
clause_line(_, '').

line_text(0, '') :-
    !.
line_text(Number, Line) :-
    atom_concat(',"line_number":', Number, Line).

%   The line of the goal of a clause that is called at PC.

subgoal_line(Clause, PC, Line) :-
    clause_property(Clause, line_count(First)),
    clause_info(Clause, File, Positions, _, []),
    '$clause_term_position'(Clause, PC, Path),
    subgoal_position(Path, Positions, Position),
    arg(1, Position, Start),
    integer(Start),
    setup_call_cleanup(
        open(File, read, In, [newline(detect)]),
        line_of(In, Start, First, Line),
        close(In)).

subgoal_position(_, Position, Position) :-
    var(Position),
    !,
    fail.
subgoal_position([N|Path], term_position(_, _, _, _, Positions), Position) :-
    nth_position(N, Positions, Inner),
    !,
    subgoal_position(Path, Inner, Position).
subgoal_position([1|Path], brace_term_position(_, _, Inner), Position) :-
    !,
    subgoal_position(Path, Inner, Position).
subgoal_position(Path, parentheses_term_position(_, _, Inner), Position) :-
    !,
    subgoal_position(Path, Inner, Position).
subgoal_position(_, Position, Position).

nth_position(1, [Position|_], Position) :-
    !.
nth_position(N, [_|Positions], Position) :-
    N1 is N-1,
    nth_position(N1, Positions, Position).

%   The line of the character at Start, which is not before the line First.

line_of(In, Start, First, Line) :-
    repeat,
    skip(In, 0'\n),
    stream_property(In, position(Position)),
    stream_position_data(char_count, Position, Count),
    (   Count > Start
    ;   at_end_of_stream(In)
    ),
    !,
    stream_position_data(line_count, Position, After),
    Line is max(First, After-1).

                /*******************************
                *          PROCEDURES          *
                *******************************/

%   new_procedure(+Goal, +Module, +Frame, -Id, -Text): the procedure is called for the first time. One that is not
%   recorded is hidden from the debugger, and has no events any more; Id is -1 if that cannot be.
%
%   Goals of the module `user` and of system modules come without a module. All that system modules have is hidden from
%   the start.

new_procedure(Goal, Module, Frame, Id, Text) :-
    functor(Goal, Name, Arity),
    functor(Head, Name, Arity),
    with_mutex('$papaver', learn(Head, Module, Name, Arity, Frame)),
    procedure(Head, Module, Id, Text),
    !.

learn(Head, Module, _, _, _) :-
    procedure(Head, Module, _, _),
    !.
learn(Head, Module, Name, Arity, Frame) :-
    prolog_frame_attribute(Frame, predicate_indicator, Indicator),
    (   Indicator = Owner:_
    ->  true
    ;   Owner = Module
    ),
    (   is_wanted(Head, Owner, Name, Arity)
    ->  new_number(Head, Module, Owner, Name, Arity, Indicator, Id),
        show_wrapper(Owner, Name, Arity, Id)
    ;   hide(Owner, Name, Arity)
    ->  true
    ;   assertz(procedure(Head, Module, -1, ''))
    ).

%   A tabled procedure has a wrapper that is hidden from the debugger and goes on in the frame of the call: its exits are those of
%   the procedure.

show_wrapper(Owner, Name, Arity, Id) :-
    indicator(Id, Indicator, Text),
    atom_concat('$wrap$', Name, Wrapper),
    functor(Head, Wrapper, Arity),
    '$get_predicate_attribute'(Owner:Head, defined, 1),
    \+ '$get_predicate_attribute'(Owner:Head, imported, _),
    !,
    set_trace(Owner:Wrapper/Arity, true),
    assertz(procedure(Head, Owner, Id, Text)),
    (   Indicator = _:_
    ->  assertz(wrapper(Id, Owner:Wrapper/Arity))
    ;   assertz(wrapper(Id, Wrapper/Arity))
    ).
show_wrapper(_, _, _, _).

new_number(Head, Module, Owner, Name, Arity, Indicator, Id) :-
    flag('$papaver_procedures', Id, Id+1),
    json_string(Name, JsonName),
    json_string(Owner, JsonModule),
    atomic_list_concat([',"name":', JsonName, ',"arity":', Arity, ',"decl_module":', JsonModule, ',"depth":'], Text),
    assertz(indicator(Id, Indicator, Text)),
    assertz(procedure(Head, Module, Id, Text)).

hide(Module, Name, Arity) :-
    catch(set_trace(Module:Name/Arity, false), _, fail).

set_trace(Indicator, Value) :-
    setup_call_cleanup(system_mode(true),
                       '$set_predicate_attribute'(Indicator, trace, Value),
                       system_mode(false)).

hide_system :-
    system_mode(true),
    forall(( current_module(Module),
             module_property(Module, class(system)),
             own_procedure(Module, Head),
             functor(Head, Name, Arity),
             \+ is_wanted(Head, Module, Name, Arity) ),
           catch('$set_predicate_attribute'(Module:Name/Arity, trace, false), _, true)),
    system_mode(false).

is_wanted(_, '$papaver', _, _) :-
    !,
    fail.
is_wanted(_, _, Name, _) :-
    sub_atom(Name, 0, _, _, '$wrap$'),
    !,
    fail.
is_wanted(_, Module, Name, Arity) :-
    only(_, _, _),
    !,
    only(Module, Name, Arity),
    \+ skip(Module, Name, Arity),
    !.
is_wanted(Head, Module, Name, Arity) :-
    \+ is_library(Head, Module),
    \+ skip(Module, Name, Arity).

is_library(_, Module) :-
    module_property(Module, class(Class)),
    Class \== user,
    Class \== temporary,
    Class \== test,
    !.
is_library(Head, Module) :-
    predicate_property(Module:Head, file(File)),
    !,
    is_library_file(File).
is_library(Head, Module) :-
    seen_at_start(Module, Head).

is_library_file(File) :-
    current_prolog_flag(home, Home),
    sub_atom(File, 0, _, _, Home).

%   Whether a call is recorded, for the limits `depth` and `sample`.

admitted(Depth, _) :-
    option(depth, Limit),
    Depth > Limit,
    !,
    flag('$papaver_depth', N, N+1),
    fail.
admitted(_, Id) :-
    option(sample, Each),
    !,
    atom_concat('$papaver_sample_', Id, Key),
    flag(Key, N, N+1),
    (   N mod Each =:= 0
    ->  true
    ;   flag('$papaver_sample', Left, Left+1),
        fail
    ).
admitted(_, _).

%   An exit is determinate if the youngest choice point is the debugger's own, that of the frame.

determinism(Choice, Det) :-
    (   prolog_choice_attribute(Choice, type, debug)
    ->  Det = ',"det":"det"'
    ;   Det = ',"det":"nondet"'
    ).

                /*******************************
                *          ARGUMENTS           *
                *******************************/

%   arguments(+Goal, -Text): the key `args`. Most goals are small trees without variables in their arguments: these are
%   written at once. An argument that is a variable is `null`, unless this variable is in other arguments as well.

arguments(_, '') :-
    option(no_args, _),
    !.
arguments(Goal, ',"args":[]') :-
    atom(Goal),
    !.
arguments(Goal, Text) :-
    quick_arguments(Goal, Text0),
    !,
    Text = Text0.
arguments(Goal, Text) :-
    slow_arguments(Goal, Text).

quick_arguments(Goal, Text) :-
    is_small_tree(Goal),
    functor(Goal, _, Arity),
    Arity =< 24,
    kinds(Arity, Goal, 1, Kinds, [], Written, [], Unbound),
    ground(Written),
    is_set_of_variables(Unbound),
    format_of(Kinds, Arity, Format, Parts),
    format(string(Text), Format, Written),
    (   Parts =:= 3
    ->  true
    ;   is_plain(Text, Parts)
    ),
    text_limit(Limit),
    string_length(Text, Length),
    Length =< Limit.

%   Whether a text is JSON of so many parts, without blobs, dicts and rationals. A rational is 1/3 in the module of the recorder,
%   and a term with this name is /(a,b).

is_plain(Text, Parts) :-
    split_string(Text, "\"\\<{/", "", Split),
    length(Split, N),
    (   N =:= Parts
    ->  true
    ;   N > Parts,
        has_no_rational(Text),
        split_string(Text, "\"\\<{", "", Others),
        length(Others, Parts)
    ).

has_no_rational(Text) :-
    split_string(Text, "/", "", [_|Denominators]),
    no_numbers(Denominators).

no_numbers([]).
no_numbers([Text|Texts]) :-
    (   string_code(1, Text, Code)
    ->  \+ code_type(Code, digit)
    ;   true
    ),
    no_numbers(Texts).

is_small_tree(Goal) :-
    '$term_size'(Goal, 600, Size),
    (   Size =< 24
    ->  acyclic_term(Goal)
    ;   '$factorize_term'(Goal, _, [])
    ->  true
    ;   fits(Goal, 2000)
    ).

fits(Term, Limit) :-
    write_length(Term, _, [max_length(Limit), max_depth(Limit), quoted(true), ignore_ops(true)]).

is_set_of_variables([]) :-
    !.
is_set_of_variables([_]) :-
    !.
is_set_of_variables(Variables) :-
    term_variables(Variables, Set),
    length(Variables, Length),
    length(Set, Length).

%   Kinds has two bits for each argument, 0 for a variable, 1 for an integer, 2 for any other value, below a 1. Written
%   is what format/3 takes.

kinds(0, _, Kinds, Kinds, Written, Written, Unbound, Unbound) :-
    !.
kinds(N, Goal, Kinds0, Kinds, Written0, Written, Unbound0, Unbound) :-
    arg(N, Goal, Value),
    N1 is N-1,
    (   var(Value)
    ->  Kinds1 is Kinds0 << 2,
        kinds(N1, Goal, Kinds1, Kinds, Written0, Written, [Value|Unbound0], Unbound)
    ;   integer(Value)
    ->  Kinds1 is Kinds0 << 2 \/ 1,
        kinds(N1, Goal, Kinds1, Kinds, [Value|Written0], Written, Unbound0, Unbound)
    ;   \+ rational(Value),
        Kinds1 is Kinds0 << 2 \/ 2,
        kinds(N1, Goal, Kinds1, Kinds, [Value, [quoted(true), ignore_ops(true), module('$papaver')]|Written0], Written, Unbound0, Unbound)
    ).

format_of(Kinds, _, Format, Parts) :-
    format_of(Kinds, Format0, Parts0),
    !,
    Format = Format0,
    Parts = Parts0.
format_of(Kinds, Arity, Format, Parts) :-
    kind_formats(Arity, Kinds, Formats, 0, Values),
    atomic_list_concat(Formats, ',', Joined),
    atomic_list_concat([',"args":[', Joined, ']'], Format),
    Parts is 2*Values+3,
    assertz(format_of(Kinds, Format, Parts)).

kind_formats(0, _, [], Values, Values) :-
    !.
kind_formats(N, Kinds, [Format|Formats], Values0, Values) :-
    Kind is Kinds /\ 3,
    (   Kind =:= 0
    ->  Format = null,
        Values1 = Values0
    ;   Kind =:= 1
    ->  Format = '~d',
        Values1 = Values0
    ;   Format = '"~W"',
        Values1 is Values0+1
    ),
    N1 is N-1,
    Rest is Kinds >> 2,
    kind_formats(N1, Rest, Formats, Values1, Values).

%   The same for all goals: values are cut to the limit, variables in several places are called _1, _2, ..., and the text
%   of each argument is escaped.

slow_arguments(Goal, Text) :-
    Goal =.. [_|Values],
    cut_values(Values, Cut),
    copy_term_nat(Cut, Plain),
    names(Plain, Names),
    arguments_json(Plain, Names, Jsons),
    atomic_list_concat(Jsons, ',', Joined),
    atomics_to_string([',"args":[', Joined, ']'], Text).

cut_values([], []).
cut_values([Value|Values], [Cut|Cuts]) :-
    text_limit(Limit),
    (   long_list(Value, Limit, Text)
    ->  Cut = '$papaver'(Text)
    ;   Budget is max(1, Limit // 5),
        cut_value(Value, Budget, Limit, Cut)
    ),
    cut_values(Values, Cuts).

%   The text of a long list of simple elements, cut: the system writes it faster than plain_value/4 would. Its own mark is
%   `...`, which is to be the only one.

long_list(List, Limit, Text) :-
    nonvar(List),
    List = [_|_],
    \+ '$term_size'(List, Limit, _),
    (   Elements is Limit // 6
    ;   Elements is Limit // 20
    ),
    Elements > 2,
    Options = [max_depth(Elements), quoted(true), ignore_ops(true), module('$papaver')],
    Room is Limit-20,
    write_length(List, _, [max_length(Room)|Options]),
    !,
    format(string(Written), '~W', [List, Options]),
    string_concat(Start, "|...]", Written),
    split_string(Start, "._{<", "", [_]),
    has_no_rational(Start),
    string_concat(Start, "|'$cut'('[|]'/2,1000)]", Text),
    flag('$papaver_text', N, N+1).

%   Halves the number of nodes until the text is short enough.

cut_value(Value, Budget, Limit, Cut) :-
    (   '$term_size'(Value, Limit, _),
        fits(Value, Limit)
    ->  plain_value(Value, 1000000, _, Cut)
    ;   plain_value(Value, Budget, _, Cut0),
        fits(Cut0, Limit)
    ->  Cut = Cut0,
        flag('$papaver_text', N, N+1)
    ;   Budget > 1
    ->  Half is Budget // 2,
        cut_value(Value, Half, Limit, Cut)
    ;   cut_mark(Value, Cut),
        flag('$papaver_text', N, N+1)
    ).

cut_mark(Value, '$cut'(Name/Arity, Size)) :-
    compound(Value),
    !,
    functor(Value, Name0, Arity),
    short_text(Name0, 40, Name),
    (   '$term_size'(Value, 1000, Size)
    ->  true
    ;   Size = 1000
    ).
cut_mark(Value, Cut) :-
    text_limit(Limit),
    Length is max(0, Limit-8),
    short_text(Value, Length, Cut).

%   plain_value(+Value, +Budget, -Left, -Plain): a value of which Budget nodes are kept, without dicts and blobs.

plain_value(Value, Budget, Left, Plain) :-
    var(Value),
    !,
    Left is Budget-1,
    Plain = Value.
plain_value(Value, Budget, Left, Plain) :-
    is_dict(Value),
    !,
    dict_pairs(Value, Tag, Pairs),
    plain_value(dict(Tag, Pairs), Budget, Left, Plain).
plain_value(Value, Budget, Left, Plain) :-
    compound(Value),
    !,
    (   Budget =< 0
    ->  Left = Budget,
        cut_mark(Value, Plain)
    ;   Value = [_|_]
    ->  plain_list(Value, Budget, Left, Plain)
    ;   compound_name_arity(Value, Name, Arity),
        Budget1 is Budget-1,
        (   Arity > Budget1, Budget < 1000000
        ->  Left = Budget1,
            cut_mark(Value, Plain)
        ;   compound_name_arguments(Value, Name, Values),
            plain_values(Values, Budget1, Left, Plains),
            compound_name_arguments(Plain, Name, Plains)
        )
    ).
plain_value(Value, Budget, Left, Plain) :-
    Left is Budget-1,
    plain_atomic(Value, Plain).

plain_values([], Left, Left, []).
plain_values([Value|Values], Budget, Left, [Plain|Plains]) :-
    plain_value(Value, Budget, Budget1, Plain),
    plain_values(Values, Budget1, Left, Plains).

plain_list(List, Budget, Left, Plain) :-
    (   nonvar(List),
        List = [Value|Values]
    ->  (   Budget =< 0
        ->  Left = Budget,
            cut_mark(List, Plain)
        ;   integer(Value)
        ->  Plain = [Value|Plains],
            Budget1 is Budget-1,
            plain_list(Values, Budget1, Left, Plains)
        ;   Plain = [PlainValue|Plains],
            plain_value(Value, Budget, Budget1, PlainValue),
            Budget2 is Budget1-1,
            plain_list(Values, Budget2, Left, Plains)
        )
    ;   plain_value(List, Budget, Left, Plain)
    ).

plain_atomic(Value, Plain) :-
    blob(Value, Type),
    Type \== text,
    Type \== reserved_symbol,
    !,
    format(atom(Plain), '~w', [Value]).
plain_atomic(Value, Plain) :-
    rational(Value),
    \+ integer(Value),
    !,
    rational(Value, Numerator, Denominator),
    Plain = rdiv(Numerator, Denominator).
plain_atomic(Value, Plain) :-
    ( atom(Value) ; string(Value) ),
    !,
    text_limit(Limit),
    Length is max(0, Limit-8),
    short_text(Value, Length, Plain).
plain_atomic(Value, Value).

short_text(Text, Limit, Short) :-
    (   atom(Text)
    ;   string(Text)
    ),
    atom_length(Text, Length),
    Length > Limit,
    !,
    (   atom(Text)
    ->  sub_atom(Text, 0, Limit, _, Start),
        atom_concat(Start, '…', Short)
    ;   sub_string(Text, 0, Limit, _, Start),
        string_concat(Start, "…", Short)
    ).
short_text(Text, _, Text).

%   names(+Term, -Names): variables that occur more than once are called _1, _2, ..., all others _.

names(Term, Names) :-
    term_variables(Term, Variables),
    term_singletons(Term, Singletons),
    variable_names(Variables, Singletons, 1, Names).

variable_names([], _, _, []).
variable_names([Variable|Variables], Singletons, N, [Name=Variable|Names]) :-
    (   Singletons = [Singleton|Rest],
        Singleton == Variable
    ->  Name = '_',
        variable_names(Variables, Rest, N, Names)
    ;   atom_concat('_', N, Name),
        N1 is N+1,
        variable_names(Variables, Singletons, N1, Names)
    ).

arguments_json([], _, []).
arguments_json([Value|Values], Names, [Json|Jsons]) :-
    (   var(Value),
        member_name(Names, Value, '_')
    ->  Json = null
    ;   nonvar(Value),
        Value = '$papaver'(Text)
    ->  json_string(Text, Json)
    ;   format(string(Text), '~W', [Value, [variable_names(Names), quoted(true), ignore_ops(true)]]),
        json_string(Text, Json)
    ),
    arguments_json(Values, Names, Jsons).

member_name([Name0=Variable|Names], Value, Name) :-
    (   Variable == Value
    ->  Name = Name0
    ;   member_name(Names, Value, Name)
    ).

%   The text of one value, within the limit.

value_text(Value, Text) :-
    cut_values([Value], Cut),
    copy_term_nat(Cut, [Plain]),
    (   nonvar(Plain),
        Plain = '$papaver'(Text0)
    ->  Text = Text0
    ;   names(Plain, Names),
        format(string(Text), '~W', [Plain, [variable_names(Names), quoted(true), ignore_ops(true)]])
    ).

%   json_string(+Text, -Json): the text between quotes.

json_string(Text, Json) :-
    atom_string(Text, String),
    (   split_string(String, "\"\\\n\t\r\b\f\u0000\u0001\u001B\u007F", "", [_])
    ->  atomics_to_string(['"', String, '"'], Json)
    ;   string_codes(String, Codes),
        json_codes(Codes, Escaped),
        string_codes(Inner, Escaped),
        atomics_to_string(['"', Inner, '"'], Json)
    ).

json_codes([], []).
json_codes([Code|Codes], Escaped) :-
    (   ( Code =:= 0'" ; Code =:= 0'\\ )
    ->  Escaped = [0'\\, Code|Rest]
    ;   Code < 32
    ->  format(codes(Escaped, Rest), '\\u~|~`0t~16r~4+', [Code])
    ;   Escaped = [Code|Rest]
    ),
    json_codes(Codes, Rest).

                /*******************************
                *            OUTPUT            *
                *******************************/

%   line(+State, +Parts, -Time, -Line): the line of an event; Time are the last parts.

line(State, Parts, [',"time":', Time, End], Line) :-
    arg(7, State, End),
    start(Start),
    get_time(Now),
    Time is truncate((Now-Start)*1.0e9),
    atomics_to_string(Parts, Line).

write_event(State, Line) :-
    (   admitted_event
    ->  out(Out),
        write(Out, Line),
        arg(4, State, Events0),
        Events is Events0+1,
        nb_setarg(4, State, Events),
        arg(5, State, Next),
        (   Events >= Next
        ->  look_at_memory(State, Events)
        ;   true
        )
    ;   true
    ).

admitted_event :-
    option(max_events, Limit),
    !,
    flag('$papaver_events', N, N+1),
    (   N < Limit
    ->  true
    ;   stop(max_events),
        fail
    ).
admitted_event.

%   While a program is debugged, its last calls keep their frames: a loop that ran in no space fills the stacks. The
%   recording ends at a quarter of their limit.

look_at_memory(State, Events) :-
    Next is Events+256,
    nb_setarg(5, State, Next),
    statistics(stack, Used),
    current_prolog_flag(stack_limit, Limit),
    (   Used > Limit // 4
    ->  stop(memory)
    ;   true
    ).

stop(_) :-
    done(_),
    !.
stop(Why) :-
    assertz(done(Why)),
    (   way(wrappers)
    ->  with_mutex('$papaver', unwrap_all)
    ;   true
    ).

%   Each second, what was written reaches the reader, also while the program waits or is in a hidden procedure.

flush_each_second(Queue) :-
    (   thread_get_message(Queue, end, [timeout(1)])
    ->  true
    ;   flush,
        flush_each_second(Queue)
    ).

start_flusher :-
    message_queue_create(Queue),
    thread_create(flush_each_second(Queue), Thread, [debug(false)]),
    assertz(flusher(Thread, Queue)).

stop_flusher :-
    retract(flusher(Thread, Queue)),
    !,
    thread_send_message(Queue, end),
    thread_join(Thread, _),
    message_queue_destroy(Queue).
stop_flusher.

%   A process that forks may have one thread only. The trace goes on in the parent; the child is not recorded.

forked(Goal, Pid) :-
    setup_call_cleanup(( stop_flusher, flush ), Goal, after_fork(Pid)).

after_fork(Pid) :-
    (   Pid == child
    ->  stop(fork),
        retract(out(Out)),
        close(Out, [force(true)])
    ;   out(_)
    ->  start_flusher
    ;   true
    ).

flush :-
    (   out(Out)
    ->  catch(flush_output(Out), _, stop(output))
    ;   true
    ).

                /*******************************
                *      BEGINNING AND END       *
                *******************************/

:- initialization(begin).

begin :-
    catch(begin_, Error, refuse(Error)).

begin_ :-
    variable('PAPAVER_OPTIONS', '', Options),
    variable('PAPAVER_OUT', 'trace.jsonl', Path),
    read_options(Options),
    (   option(text, Limit)
    ->  true
    ;   Limit = 400
    ),
    assertz(text_limit(Limit)),
    note_procedures,
    choose_way,
    disown_command_line,
    open(Path, write, Out, [encoding(utf8), close_on_abort(false), newline(posix)]),
    set_stream(Out, buffer_size(32768)),
    get_time(Now),
    assertz(start(Now)),
    assertz(out(Out)),
    write_header(Out, Now),
    flush_output(Out),
    start_flusher,
    wrap_predicate(system:'$run_at_halt', '$papaver', Halting, '$papaver':halting(Halting)),
    wrap_predicate(system:halt(_), '$papaver', Halt, '$papaver':halt_or_stay(Halt)),
    end_at_signal(int),
    end_at_signal(term),
    wrap_predicate(system:'$on_signal'(Number, Name, Old, New), '$papaver', Set, '$papaver':on_signal(Number, Name, Old, New, Set)),
    (   current_module(unix)
    ->  wrap_predicate(unix:fork(Pid), '$papaver', Fork, '$papaver':forked(Fork, Pid))
    ;   true
    ),
    wrap_predicate('$syspreds':call_with_inference_limit(Limited, _, _), '$papaver', Call,
                   ('$papaver':without_recording(Call, Limited), true)),
    wrap_predicate('$toplevel':toplevel_call(_), '$papaver', Wrapped, '$papaver':recorded(Wrapped)),
    prolog_listen(thread_exit, '$papaver':thread_ended),
    start_recording.

%   Wrappers cannot be put around procedures that the recorder calls itself.

choose_way :-
    only(_, _, _),
    \+ is_system_chosen,
    !,
    assertz(way(wrappers)).
choose_way :-
    assertz(way(debugger)),
    hide_system.

is_system_chosen :-
    chosen(Module, _),
    module_property(Module, class(system)),
    !.

%   What finds the line of a call is loaded now, since signals wait while an event is written.

load_libraries :-
    clause(load_libraries, _, Clause),
    !,
    catch(ignore(clause_info(Clause, _, _, _, [])), _, true).

start_recording :-
    way(wrappers),
    !,
    postpone_alarms,
    load_libraries,
    wrap_chosen,
    wrap_what_defines.
start_recording :-
    postpone_signals,
    '$visible'(_, 0),
    visible(+call), visible(+exit), visible(+fail), visible(+redo), visible(+exception),
    leash(-all),
    trace.

refuse(Error) :-
    (   Error = papaver(Text)
    ->  true
    ;   Error = error(Formal, _)
    ->  format(string(Text), '~w', [Formal])
    ;   format(string(Text), '~w', [Error])
    ),
    format(user_error, 'papaver record: ~w~n', [Text]),
    halt(125).

variable(Name, Default, Value) :-
    (   getenv(Name, Value0)
    ->  unsetenv(Name),
        Value = Value0
    ;   Value = Default
    ).

%   Goals of the toplevel are recorded, but not what the toplevel itself does between them.

recorded(Goal) :-
    way(wrappers),
    !,
    call(Goal).
recorded(Goal) :-
    trace_on,
    setup_call_catcher_cleanup(true, Goal, How, trace_off),
    (   nonvar(How)
    ->  true
    ;   trace_off
    ;   trace_on,
        fail
    ).

%   The hook makes inferences too, so what runs under a limit of them is not recorded.

without_recording(Call, Goal0) :-
    qualified(Goal0, Goal),
    (   is_recording
    ->  flag('$papaver_inferences', N, N+1),
        trace_off,
        setup_call_catcher_cleanup(true, with_goal(Call, 1, Goal), How, trace_on),
        (   nonvar(How)
        ->  true
        ;   trace_on
        ;   trace_off,
            fail
        )
    ;   with_goal(Call, 1, Goal)
    ).

trace_on :-
    (   done(_)
    ->  true
    ;   way(wrappers)
    ->  state(State),
        nb_setarg(10, State, 0)
    ;   trace
    ).

trace_off :-
    (   way(wrappers)
    ->  state(State),
        nb_setarg(10, State, 1)
    ;   notrace,
        nodebug
    ).

is_recording :-
    (   way(wrappers)
    ->  \+ done(_),
        state(State),
        arg(10, State, 0)
    ;   tracing
    ).

%   A signal that would end the program at once ends the trace first.

end_at_signal(Signal) :-
    on_signal(Signal, Old, Old),
    (   is_deadly(Old)
    ->  assertz(deadly(Signal, Old)),
        on_signal(Signal, _, '$papaver':ended_by)
    ;   true
    ).

is_deadly(default).
is_deadly('$foreign_function'(_)).

ended_by(Signal) :-
    signal_number(Signal, Number),
    Status is 128+Number,
    end(interrupted, Status),
    deadly(Signal, Old),
    % the wrapper takes the recorder's handler for the one that the program knows, and would leave it
    unwrap_predicate(system:'$on_signal'/4, '$papaver'),
    on_signal(Signal, _, Old),
    current_prolog_flag(pid, Pid),
    format(string(Command), "(sleep 0.05; kill -~d ~d) &", [Number, Pid]),
    shell(Command),
    sleep(10).

signal_number(int, 2).
signal_number(term, 15).

%   The recorder is the first of the scripts on the command line (-s, -l). It takes itself away: the system loads the first script
%   into `user`, and the others into its own module.

disown_command_line :-
    current_prolog_flag(os_argv, Arguments0),
    module_property('$papaver', file(File)),
    (   without_script(Arguments0, File, Arguments)
    ->  set_prolog_flag(os_argv, Arguments)
    ;   true
    ),
    (   '$cmd_option_val'(script_file, [_,_|_])
    ->  wrap_predicate(system:load_files(Files), '$papaver', Call, '$papaver':load_scripts(Files, Call))
    ;   true
    ).

without_script(['-s', Script|Arguments], File, Arguments) :-
    atom(Script),
    same_file(Script, File),
    !.
without_script([Argument|Arguments0], File, [Argument|Arguments]) :-
    without_script(Arguments0, File, Arguments).

load_scripts(Files, Call) :-
    unwrap_predicate(system:load_files/1, '$papaver'),
    (   is_list(Files)
    ->  '$toplevel':load_script_files(Files)
    ;   call(Call)
    ).

                /*******************************
                *           OPTIONS            *
                *******************************/

read_options(Text) :-
    split_string(Text, "\n", " \t\r", Lines),
    read_option_lines(Lines).

read_option_lines([]).
read_option_lines([Line|Lines]) :-
    (   Line == ""
    ->  true
    ;   sub_string(Line, Before, _, After, "=")
    ->  sub_atom(Line, 0, Before, _, Key),
        sub_atom(Line, _, After, 0, Value),
        read_option(Key, Value)
    ;   complain(['`', Line, '` is not KEY=VALUE'])
    ),
    read_option_lines(Lines).

read_option(only, Value) :-
    !,
    pattern(Value, only).
read_option(skip, Value) :-
    !,
    pattern(Value, skip).
read_option(no_args, Value) :-
    !,
    (   Value == '1'
    ->  assertz(option(no_args, true))
    ;   true
    ).
read_option(Key, Value) :-
    is_number_option(Key),
    !,
    (   atom_number(Value, Number),
        integer(Number),
        Number > 0
    ->  assertz(option(Key, Number))
    ;   complain(['`', Key, '` is to be a positive integer, not `', Value, '`'])
    ).
read_option(Key, _) :-
    complain(['there is no option `', Key, '`']).

is_number_option(max_events).
is_number_option(depth).
is_number_option(text).
is_number_option(sample).

complain(Parts) :-
    atomic_list_concat(Parts, Text),
    throw(papaver(Text)).

%   A pattern is a module, a procedure, or both: `lists`, `queen`, `queen/2`, `m:queen/2`.

pattern(Text, Kind) :-
    assertz(option(Kind, Text)),
    (   sub_atom(Text, Before, _, After, ':'),
        Before > 0,
        After > 0
    ->  sub_atom(Text, 0, Before, _, Module),
        sub_atom(Text, _, After, 0, Rest),
        name_and_arity(Rest, Name, Arity),
        add_pattern(Kind, Module, Name, Arity)
    ;   name_and_arity(Text, Name, Arity),
        add_pattern(Kind, _, Name, Arity),
        (   var(Arity)
        ->  add_pattern(Kind, Text, _, _)
        ;   true
        )
    ).

name_and_arity(Text, Name, Arity) :-
    sub_atom(Text, Before, _, After, '/'),
    Before > 0,
    sub_atom(Text, _, After, 0, Number),
    atom_number(Number, Arity),
    integer(Arity),
    !,
    sub_atom(Text, 0, Before, _, Name).
name_and_arity(Name, Name, _).

add_pattern(only, Module, Name, Arity) :-
    assertz(only(Module, Name, Arity)).
add_pattern(skip, Module, Name, Arity) :-
    assertz(skip(Module, Name, Arity)).

%   A procedure of a module. predicate_property/2 would load libraries.

own_procedure(Module, Head) :-
    '$c_current_predicate'(_, Module:Head),
    \+ '$get_predicate_attribute'(Module:Head, imported, _).

%   What is there before the program is loaded.

note_procedures :-
    forall(( current_module(Module),
             module_property(Module, class(user)),
             own_procedure(Module, Head) ),
           assertz(seen_at_start(Module, Head))).

                /*******************************
                *      HEADER AND TRAILER      *
                *******************************/

write_header(Out, Now) :-
    current_prolog_flag(version, Number),
    Major is Number // 10000,
    Minor is Number // 100 mod 100,
    Patch is Number mod 100,
    format_time(string(Start), '%FT%T.%6fZ', Now, posix),
    limits(Limits),
    way(Way),
    distorts(Way, Distorts),
    format(Out, '{"papaver":1,"port":"header","source":"swi-prolog ~d.~d.~d","recorder":"papaver swi","start":"~w",\c
"time":"ns","args":"terms","way":"~w","distorts":[~w],"limits":{~w}}~n',
           [Major, Minor, Patch, Start, Way, Distorts, Limits]).

distorts(debugger, '"last calls keep their frames","the flag debug is true"').
distorts(wrappers, '"last calls of recorded procedures keep their frames"').

limits(Text) :-
    findall(Limit, limit(Limit), Limits),
    atomic_list_concat(Limits, ',', Text).

limit(Text) :-
    member_of(Kind, [only, skip]),
    findall(Json, ( option(Kind, Pattern), json_string(Pattern, Json) ), Jsons),
    Jsons \== [],
    atomic_list_concat(Jsons, ',', List),
    atomic_list_concat(['"', Kind, '":[', List, ']'], Text).
limit(Text) :-
    is_number_option(Key),
    Key \== text,
    option(Key, Number),
    atomic_list_concat(['"', Key, '":', Number], Text).
limit('"no_args":true') :-
    option(no_args, _).
limit(Text) :-
    text_limit(Limit),
    atom_concat('"text":', Limit, Text).
limit('"library":"hidden"') :-
    \+ only(_, _, _).

member_of(X, [X|_]).
member_of(X, [_|Xs]) :-
    member_of(X, Xs).

%   The last thing that the program does: goals of at_halt/1 are recorded too, and may cancel it.

halting(Goal) :-
    (   current_prolog_flag(exit_status, Status)
    ->  how_it_ended(Status, How)
    ;   Status = 0,
        How = halted
    ),
    (   is_recording
    ->  call(Goal)
    ;   recorded(Goal)
    ),
    end(How, Status).

%   The system ends debugging when it halts. A halt that is cancelled fails, and the program goes on.

halt_or_stay(Goal) :-
    (   is_recording
    ->  (   call(Goal)
        ;   trace_on,
            fail
        )
    ;   call(Goal)
    ).

how_it_ended(_, halted) :-
    nb_current('$papaver_box', box(_, _, _, _, _)),
    !.
how_it_ended(_, halted) :-
    nb_current('$papaver', State),
    arg(3, State, Open),
    Open > 0,
    !.
how_it_ended(Status, How) :-
    last_root(How),
    (   How == true
    ->  Status =:= 0
    ;   Status =\= 0
    ),
    !.
how_it_ended(_, ok).

end(How0, Status) :-
    trace_off,
    retract(out(Out)),
    !,
    (   done(Why)
    ->  true
    ;   Why = none,
        assertz(done(end))
    ),
    stop_flusher,
    (   memberchk(Why, [max_events, memory])
    ->  How = limit
    ;   How = How0
    ),
    json_string(How, End),
    line_count(Out, Lines),
    Events is Lines-2,
    flag('$papaver_errors', Errors, Errors),
    findall(Text, left_out(Why, Text), Texts),
    atomic_list_concat(Texts, ',', LeftOut),
    catch(( format(Out, '{"papaver":1,"port":"trailer","events":~d,"lost":~d,"end":~w,"status":~d,"hook_errors":~d,\c
"left_out":{~w}}~n', [Events, Errors, End, Status, Errors, LeftOut]),
            flush_output(Out) ), _, true),
    catch(close(Out, [force(true)]), _, true).
end(_, _).

left_out(_, '"only":true') :-
    \+ \+ only(_, _, _).
left_out(_, '"skip":true') :-
    \+ \+ skip(_, _, _).
left_out(_, '"library":true') :-
    \+ only(_, _, _).
left_out(_, Text) :-
    member_of(Key, [depth, sample, text, inferences, thread_local]),
    atom_concat('$papaver_', Key, Flag),
    flag(Flag, N, N),
    N > 0,
    atomic_list_concat(['"', Key, '":', N], Text).
left_out(max_events, '"max_events":true').
left_out(memory, '"memory":true').
left_out(_, '"no_args":true') :-
    option(no_args, _).
