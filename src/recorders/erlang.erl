%% Records the calls, messages and processes of an Erlang or Elixir program as a trace for papaver.
%%
%% `papaver record -- erl ...` starts it. By hand: save this file as papaver_recorder.erl, compile it, and
%%
%%     PAPAVER_OUT=trace.jsonl erl -pa . -run papaver_recorder -s my_program
%%
%% One process, the recorder, gets the messages of erlang:trace/3 and writes one line for each. It keeps what it knows in
%% its process dictionary: of a process a #process{} by its pid, the JSON text of a procedure by its module, name and
%% arity, and that of an atom by the atom. Keys of other things are pairs.
-module(papaver_recorder).
-export([start/0, start/1, stop/0, gate/3]).

%% What does not change while it records.
-record(options, {out = "trace.jsonl", only = [], skip = [], max_events = infinity, depth = infinity, text = 400,
                  no_args = false, sample = 1}).

%% What does: the open file and what is not yet in it, the numbers of events and calls, and the end of recording.
-record(recorder, {options, file, buffer = <<>>, events = 0, calls = 0, start, is_on = true, is_crowded = false,
                   until_look = 0, has_failed = false}).

%% A traced process. Of its calls, `user` says that it has run code of the user.
-record(process, {name, user = false, stack = [], size = 0, children = 0}).

%% An open call; `call`, a text, and `depth` are those of the nearest recorded box if this one is left out.
-record(frame, {procedure, call, depth, text, args, is_recorded = true, caller}).

%% Trace messages that may wait before the processes that send them are suspended, and when they go on.
-define(CROWDED, 20000).
-define(QUIET, 2000).
%% Handled messages between two looks at the queue.
-define(LOOK, 500).
%% Bytes that are collected before they are written. After each, a thread of the VM looks for more to write for a while.
-define(BLOCK, 250000).
%% A process with a multiple of so many open calls is asked whether its calls are tail calls.
-define(DEEP, 100).
%% Bytes of a value that may be a large one, and the words that may be copied of those of one procedure.
-define(LONG, 300).
-define(HEAVY, 20000000).
%% Elements of a value that an event may have, the arguments up to which they are counted, and the words that a call counts as
%% that has more.
-define(LONGEST, 1000).
-define(GUARDED, 8).
-define(MORE, 10000).
-define(TRACED, [{'_', [], [{exception_trace}]}]).
-define(WITH_CALLER, [{'_', [], [{exception_trace}, {message, {caller}}]}]).
-define(WITHOUT_RETURN, [{'_', [], [{message, {caller}}]}]).
-define(SELF, {?MODULE, recorder}).
%% An argument that has no value.
-define(NOBODY, '$papaver_nobody').

%%% Start and end

%% Starts as the environment says: PAPAVER_OUT is the file and PAPAVER_OPTIONS has lines such as `text=100`. Neither is
%% passed on to the children of the program.
start() ->
    Lines = string:lexemes(os:getenv("PAPAVER_OPTIONS", ""), "\n"),
    Options = #options{out = os:getenv("PAPAVER_OUT", "trace.jsonl")},
    restore_environment(),
    try start(lists:foldl(fun option/2, Options, Lines))
    catch throw:Why -> refuse(Why)
    end.

%% The flags that `papaver record` put in front are taken away again.
restore_environment() ->
    [os:unsetenv(Name) || Name <- ["PAPAVER_OUT", "PAPAVER_OPTIONS"]],
    case string:split(os:getenv("ERL_AFLAGS", ""), " -papaver end") of
        [_, ""] -> os:unsetenv("ERL_AFLAGS");
        [_, " " ++ Others] -> os:putenv("ERL_AFLAGS", Others);
        [_] -> ok
    end.

refuse(Why) ->
    io:format(standard_error, "papaver record: ~ts~n", [Why]),
    erlang:halt(125).

option(Line, Options) ->
    case string:split(Line, "=") of
        ["only", Pattern] -> Options#options{only = [pattern(Pattern) | Options#options.only]};
        ["skip", Pattern] -> Options#options{skip = [pattern(Pattern) | Options#options.skip]};
        ["max_events", N] -> Options#options{max_events = number(Line, N)};
        ["depth", N] -> Options#options{depth = number(Line, N)};
        ["text", N] -> Options#options{text = number(Line, N)};
        ["sample", N] -> Options#options{sample = max(1, number(Line, N))};
        ["no_args", "1"] -> Options#options{no_args = true};
        _ -> throw(["the option `", Line, "` is not known"])
    end.

number(Line, Text) ->
    case string:to_integer(Text) of
        {N, ""} when is_integer(N), N >= 0 -> N;
        _ -> throw(["expected a number in the option `", Line, "`"])
    end.

%% `m`, `f`, `f/2`, `m:f`, `m:f/2`, and as in Elixir `M.N`, `M.f/2`, as {Text, Module, Name, Arity}.
pattern(Text) ->
    {Before, Arity} = case string:split(Text, "/", trailing) of
        [Some, Digits] -> {Some, number(Text, Digits)};
        [All] -> {All, '_'}
    end,
    case re:run(Before, "^(.+):(.+)$|^([A-Z].*)[.]([^A-Z.]+)$", [{capture, all_but_first, list}, unicode]) of
        {match, [M, F]} -> {Text, M, F, Arity};
        {match, [_, _, M, F]} -> {Text, M, F, Arity};
        nomatch when Arity =:= '_' -> {Text, any, Before, Arity};
        nomatch -> {Text, '_', Before, Arity}
    end.

%% Starts to record the node, and the process that calls it as one of the user.
start(Options = #options{}) ->
    Me = self(),
    {Recorder, Monitor} = spawn_opt(fun() -> record(Me, Options) end, [monitor, {priority, high}, {min_heap_size, 1000000}]),
    receive
        {Recorder, started} -> erlang:demonitor(Monitor, [flush]), ok;
        {'DOWN', Monitor, process, Recorder, Why} -> throw(reason(Why))
    end.

reason({refused, Why}) -> Why;
reason(Why) -> io_lib:format("the recorder ended: ~0tp", [Why]).

record(Starter, Options = #options{out = Out}) ->
    process_flag(trap_exit, true),
    process_flag(message_queue_data, off_heap),
    persistent_term:put(?SELF, self()),
    case file:open(Out, [write, raw, binary]) of
        {ok, File} ->
            R = #recorder{options = Options, file = File, start = erlang:monotonic_time(), buffer = header(Options)},
            put(Starter, #process{name = root_name(), user = Options#options.only =:= []}),
            trace_all(R),
            Starter ! {self(), started},
            self() ! flush,
            loop(R);
        {error, Why} ->
            exit({refused, [Out, ": ", file:format_error(Why)]})
    end.

%% Ends the recording; returns when all is written.
stop() ->
    finish("ok", 0),
    open_gates(),
    ok.

finish(End, Status) ->
    Recorder = persistent_term:get(?SELF, none),
    case is_pid(Recorder) of
        true ->
            Monitor = erlang:monitor(process, Recorder),
            Recorder ! {finish, self(), Monitor, End, Status},
            receive
                {Monitor, finished} -> erlang:demonitor(Monitor, [flush]), ok;
                {'DOWN', Monitor, process, Recorder, _} -> ok
            end;
        false -> ok
    end.

%% Functions that end the node wait until all is written: a debugger's breakpoint calls int:eval/3 in their place.
set_gates() ->
    Forms = [{attribute, 1, module, int}, {attribute, 1, export, [{eval, 3}]},
             {function, 1, eval, 3, [{clause, 1, [{var, 1, V} || V <- ['M', 'F', 'A']], [],
                 [{call, 1, {remote, 1, {atom, 1, ?MODULE}, {atom, 1, gate}}, [{var, 1, V} || V <- ['M', 'F', 'A']]}]}]}],
    {ok, int, Code} = compile:forms(Forms),
    {module, int} = code:load_binary(int, "papaver", Code),
    [break(Ending, true) || Ending <- endings()].

endings() -> [{erlang, halt, '_'}, {init, stop, '_'}, {init, restart, '_'}, {init, reboot, '_'}].

%% Called in place of a function that ends the node.
gate(erlang, halt, Args) ->
    {End, Status} = case Args of
        [Slogan | _] when is_list(Slogan) -> {Slogan, 1};
        [Number | _] when is_integer(Number) -> {"halted", Number};
        _ -> {"halted", 0}
    end,
    finish(End, Status),
    open_gates(),
    apply(erlang, halt, Args);
gate(erts_internal, is_system_process, [Pid]) ->
    %% `init` asks that of all processes when the applications have ended, before it kills them, the recorder too
    finish("halted", persistent_term:get({?MODULE, status}, 0)),
    break({erts_internal, is_system_process, 1}, false),
    erts_internal:is_system_process(Pid);
gate(init, Name, Args) ->
    persistent_term:put({?MODULE, status}, case Args of [N] when is_integer(N) -> N; _ -> 0 end),
    open_gates(),
    break({erts_internal, is_system_process, 1}, true),
    apply(init, Name, Args).

%% Calls of functions in C pass breakpoints by, unless they are traced too.
break(Function, IsOn) ->
    erlang:trace_pattern(Function, IsOn, [local]),
    erts_debug:breakpoint(Function, IsOn).

open_gates() -> [break(Ending, false) || Ending <- endings()].

%%% What is traced

trace_all(R) ->
    put({options, all}, R#recorder.options),
    put({library, all}, library()),
    [put({module, Module}, hidden) || Module <- [?MODULE, int]],
    [put({name, whereis(Name)}, Name) || Name <- registered(), is_pid(whereis(Name))],
    [put(Pid, #process{}) || Pid <- processes(), get(Pid) =:= undefined],
    [set_module(Module, off) || {Module, _} <- code:all_loaded(), get({module, Module}) =:= undefined],
    put({setter, all}, spawn_link(fun set_patterns/0)),
    trace_function(on_load, ?TRACED),
    %% the sender is appended to the message
    erlang:trace_pattern('receive', [{['_', '$1', '_'], [], [{message, '$1'}]}], []),
    set_gates(),
    Arity = [arity || (R#recorder.options)#options.no_args],
    erlang:trace(all, true, [call, procs, send, 'receive', monotonic_timestamp, {tracer, self()} | Arity]).

%% Traces those functions of a module that are to be recorded; all or none are traced now.
set_module(Module, Now) ->
    Options = get({options, all}),
    Functions = try erlang:get_module_info(Module, functions) catch error:badarg -> [] end,
    Wanted = case Options#options.only =:= [] andalso is_library(Module) of
        true -> [];
        false -> [Function || Function <- Functions, is_wanted(Module, Function, Options)]
    end,
    put({module, Module}, case Wanted of [] -> {hidden, erlang:monotonic_time()}; _ -> shown end),
    case Now of
        on when Wanted =:= [] -> set_later({Module, '_', '_'}, false);
        on -> [set_later({Module, F, A}, false) || {F, A} <- Functions -- Wanted, F =/= module_info];
        off -> [trace_function({Module, F, A}, ?TRACED) || {F, A} <- Wanted]
    end.

trace_function(Function, Pattern) -> erlang:trace_pattern(Function, without_long(Pattern), [local]).

%% The values of an event are copied when it happens, and a process makes thousands of events before it can be suspended. So
%% a call with a long list, map or tuple comes without its arguments, and without its result, which may be as long.
without_long([{'_', [], Actions}]) ->
    %% the last clause is for lists without a length, too: a guard that asks for it fails
    WithArgs = [{disable_trace, arity} | Actions],
    lists:append([without_long(Arity, WithArgs) || Arity <- lists:seq(1, ?GUARDED)]) ++ [{'_', [], WithArgs}];
without_long(Pattern) -> Pattern.

without_long(Arity, Actions) ->
    Args = [list_to_atom([$$ | integer_to_list(N)]) || N <- lists:seq(1, Arity)],
    Sizes = [{is_list, length}, {is_map, map_size}, {is_tuple, size}],
    IsLong = fun(Arg) ->
        list_to_tuple(['orelse' | [{'andalso', {Is, Arg}, {'>', {Size, Arg}, ?LONGEST}} || {Is, Size} <- Sizes]])
    end,
    IsShort = [{'not', IsLong(Arg)} || Arg <- Args],
    [{Args, IsShort, Actions} | [{Args, [IsLong(Arg)], [{enable_trace, arity}]} || Arg <- Args]].

%% A pattern is set when all schedulers have come to a halt, for which the recorder has no time while events come.
set_later(Function, Pattern) -> get({setter, all}) ! {Function, Pattern}.

set_patterns() ->
    receive {Function, Pattern} -> trace_function(Function, Pattern), set_patterns() end.

is_wanted(_, {module_info, _}, _) -> false;
is_wanted(_, {'__info__', 1}, _) -> false;
is_wanted(Module, {Name, Arity}, #options{only = Only, skip = Skip}) ->
    Matches = fun(Pattern) -> matches(Pattern, module_text(Module), atom_to_list(Name), Arity) end,
    (Only =:= [] orelse lists:any(Matches, Only)) andalso not lists:any(Matches, Skip).

matches({_, any, Text, _}, Module, Name, _) -> Text =:= Module orelse Text =:= Name;
matches({_, M, F, A}, Module, Name, Arity) ->
    (M =:= '_' orelse M =:= Module) andalso F =:= Name andalso (A =:= '_' orelse A =:= Arity).

%% As Elixir writes it; the module of a script without the numbers of its run.
module_text(Module) ->
    case atom_to_list(Module) of
        "Elixir." ++ [First | _] = Text when First >= $A, First =< $Z -> lists:nthtail(7, Text);
        Text -> hd(string:split(Text, "__escript__"))
    end.

%% The modules of Erlang/OTP, of Elixir and of the archives of mix, by their files. By name, so that a protocol of Elixir
%% that mix has compiled again is one of them.
library() ->
    Elixir = [filename:dirname(Folder) || Folder <- [code:lib_dir(elixir)], is_list(Folder)],
    Mix = filename:join(os:getenv("MIX_HOME", filename:join(os:getenv("HOME", "/"), ".mix")), "archives"),
    Archives = [filename:join(Mix, Name) || Name <- names(Mix)],
    Folders = [filename:join([Root, Name, "ebin"]) || Root <- [code:lib_dir() | Elixir ++ Archives], Name <- names(Root)],
    Files = [filename:rootname(File) || Folder <- Folders, File <- names(Folder), filename:extension(File) =:= ".beam"],
    maps:from_list([{Module, true} || Module <- Files ++ [atom_to_list(Module) || Module <- erlang:pre_loaded()]]).

names(Folder) ->
    case file:list_dir(Folder) of {ok, Names} -> Names; {error, _} -> [] end.

is_library(Module) -> is_map_key(atom_to_list(Module), get({library, all})).

%% The JSON text of a procedure, or `hidden`.
procedure(Procedure = {Module, Name, Arity}, Time) ->
    case get(Procedure) of
        undefined ->
            Known = is_shown(Module) andalso is_wanted(Module, {Name, Arity}, get({options, all})),
            put(Procedure, case Known of true -> procedure_text(Procedure); false -> hidden end),
            get(Procedure);
        large -> large;
        hidden ->
            %% new code of a module is traced when it is loaded
            case get({module, Module}) of
                {hidden, Since} when Time > Since -> set_module(Module, on);
                _ -> ok
            end,
            hidden;
        Text ->
            Text
    end.

is_shown(Module) ->
    case get({module, Module}) of
        undefined -> set_module(Module, on), is_shown(Module);
        Shown -> Shown =:= shown
    end.

procedure_text({Module, Name, Arity}) ->
    Text = unicode:characters_to_binary(module_text(Module)),
    <<",\"decl_module\":\"", (json(Text))/binary, "\",\"name\":\"", (json(atom_to_binary(Name)))/binary, "\",\"arity\":",
      (integer_to_binary(Arity))/binary>>.

%%% The loop

loop(R) ->
    receive
        {trace_ts, Pid, Kind, What, Time} -> loop(next(event(Kind, Pid, What, Time, R), Pid));
        {trace_ts, Pid, Kind, What, More, Time} -> loop(next(event(Kind, Pid, What, More, Time, R), Pid));
        {finish, From, Monitor, End, Status} -> complete(From, Monitor, End, Status, R);
        flush -> erlang:send_after(1000, self(), flush), loop(flush(R));
        _ -> loop(R)
    end.

next(R = #recorder{buffer = Buffer}, Pid) when byte_size(Buffer) > ?BLOCK -> next(flush(R), Pid);
next(R = #recorder{until_look = 0}, Pid) -> look(R, Pid);
next(R = #recorder{until_look = N, is_crowded = false}, _) -> R#recorder{until_look = N - 1};
next(R = #recorder{until_look = N}, Pid) -> suspend(Pid), R#recorder{until_look = N - 1}.

%% While too many messages wait, each process that sent one of them is suspended.
look(R = #recorder{is_crowded = IsCrowded}, Pid) ->
    case process_info(self(), message_queue_len) of
        {_, N} when N > ?CROWDED, not IsCrowded -> suspend(Pid), R#recorder{is_crowded = true, until_look = ?LOOK};
        {_, N} when N < ?QUIET, IsCrowded -> resume_all(), R#recorder{is_crowded = false, until_look = ?LOOK};
        _ -> R#recorder{until_look = ?LOOK}
    end.

suspend(Pid) ->
    Suspended = known({suspended, all}, #{}),
    case get(Pid) of
        #process{user = true} when not is_map_key(Pid, Suspended) ->
            catch erlang:suspend_process(Pid, [asynchronous]),
            put({suspended, all}, Suspended#{Pid => true});
        _ -> ok
    end.

resume_all() ->
    [catch erlang:resume_process(Pid) || Pid <- maps:keys(known({suspended, all}, #{}))],
    put({suspended, all}, #{}).

known(Key, Default) ->
    case get(Key) of undefined -> Default; Value -> Value end.

count(What) ->
    put({left_out, What}, known({left_out, What}, 0) + 1),
    true.

flush(R = #recorder{buffer = <<>>}) -> R;
flush(R = #recorder{has_failed = true}) -> R#recorder{buffer = <<>>};
flush(R = #recorder{buffer = Buffer}) ->
    case file:write(R#recorder.file, Buffer) of
        ok -> R#recorder{buffer = <<>>};
        {error, _} -> stop_tracing(R#recorder{buffer = <<>>, has_failed = true})
    end.

%% The program goes on untraced; only the functions that end the node stay what they are.
stop_tracing(R) ->
    erlang:trace(all, false, [all]),
    set_later({'_', '_', '_'}, false),
    set_later(on_load, false),
    [set_later(Ending, true) || Ending <- endings()],
    resume_all(),
    R#recorder{is_on = false, is_crowded = false}.

%% Handles what was traced before the end, and writes the trailer.
complete(From, Monitor, End, Status, R = #recorder{is_on = IsOn, options = Options}) ->
    erlang:trace(all, false, [all]),
    resume_all(),
    Delivered = erlang:trace_delivered(all),
    Last = flush(drain(Delivered, R)),
    HasAll = IsOn andalso Last#recorder.is_on,
    Text = case HasAll of true -> End; false -> "limit" end,
    flush(Last#recorder{buffer = trailer(Text, Status, Last#recorder.events, left_out(Options, not HasAll))}),
    file:close(R#recorder.file),
    persistent_term:erase(?SELF),
    From ! {Monitor, finished}.

drain(Delivered, R) ->
    receive
        {trace_delivered, all, Delivered} -> R;
        {trace_ts, Pid, Kind, What, Time} -> drain(Delivered, room(event(Kind, Pid, What, Time, R)));
        {trace_ts, Pid, Kind, What, More, Time} -> drain(Delivered, room(event(Kind, Pid, What, More, Time, R)))
    end.

room(R = #recorder{buffer = Buffer}) when byte_size(Buffer) > ?BLOCK -> flush(R);
room(R) -> R.

%%% Events

event(_, _, _, _, R = #recorder{is_on = false}) -> R;
event(call, Pid, What, Time, R) -> call(Pid, What, none, Time, R);
event('receive', Pid, Message, Time, R) -> received(Pid, Message, undefined, Time, R);
event(exit, Pid, Reason, Time, R) -> ended(Pid, Reason, Time, R);
event(Kind, Pid, Other, Time, R) when Kind =:= register; Kind =:= unregister ->
    put({registered, Other}, Pid),
    put({name, Pid}, Other),
    case get(Pid) of
        #process{user = true} -> point(Kind, Pid, [Other], <<>>, Time, R);
        _ -> R
    end;
event(Kind, Pid, Other, Time, R) when Kind =:= link; Kind =:= unlink ->
    case is_user(Pid) andalso is_user(Other) of
        true -> point(Kind, Pid, [Other], <<>>, Time, R);
        false -> R
    end;
event(_, _, _, _, R) -> R.

event(_, _, _, _, _, R = #recorder{is_on = false}) -> R;
event(return_from, Pid, Procedure, Value, Time, R) -> returned(Pid, Procedure, {value, Value}, Time, R);
event(exception_from, Pid, Procedure, Value, Time, R) -> returned(Pid, Procedure, {exception, Value}, Time, R);
event(call, Pid, What, Caller, Time, R) -> call(Pid, What, {caller, Caller}, Time, R);
event(send, Pid, Message, To, Time, R) -> sent(Pid, Message, To, true, Time, R);
event(send_to_non_existing_process, Pid, Message, To, Time, R) -> sent(Pid, Message, To, false, Time, R);
event('receive', Pid, Message, From, Time, R) -> received(Pid, Message, From, Time, R);
event(spawn, Pid, Child, Function, Time, R) ->
    New = born(Child, Pid, Function),
    case New#process.user orelse is_user(Pid) of
        true -> point(spawn, Pid, [Child, Function], other(to, Child), Time, R);
        false -> R
    end;
event(spawned, Pid, Parent, Function, Time, R) ->
    case born(Pid, Parent, Function) of
        #process{user = true} -> point(spawned, Pid, [Parent, Function], other(from, Parent), Time, R);
        _ -> R
    end;
event(_, _, _, _, _, R) -> R.

%% An event that is no part of a box.
point(Port, Pid, Args, More, Time, R = #recorder{buffer = Buffer, start = Start}) ->
    added(R, <<Buffer/binary, "{\"port\":\"", (atom_to_binary(Port))/binary, "\",\"arity\":",
               (integer_to_binary(length(Args)))/binary, (args(Args, R#recorder.options))/binary, More/binary,
               ",\"pid\":\"", (name(Pid))/binary, "\",\"time\":", (integer_to_binary(Time - Start))/binary, "}\n">>).

%% One event more is in the buffer.
added(R = #recorder{events = N, options = #options{max_events = Max}}, Buffer) when N + 1 =:= Max ->
    stop_tracing(R#recorder{buffer = Buffer, events = N + 1});
added(R = #recorder{events = N}, Buffer) ->
    R#recorder{buffer = Buffer, events = N + 1}.

%%% Calls

call(Pid, {Module, Name, Args}, Caller, Time, R) ->
    Arity = if is_list(Args) -> length(Args); true -> Args end,
    Procedure = {Module, Name, Arity},
    case procedure(Procedure, Time) of
        hidden -> R;
        large -> leave_out(Pid, process(Pid), #frame{procedure = Procedure, caller = Caller}), R;
        Text -> push(Pid, process(Pid), Procedure, Text, Args, Caller, Time, R)
    end.

%% Opens a call that is not recorded.
leave_out(Pid, P = #process{stack = Stack, size = Size}, Frame) ->
    {Parent, Above} = above(Stack),
    Left = Frame#frame{call = Parent, depth = Above, is_recorded = false},
    put(Pid, P#process{user = true, stack = [Left | Stack], size = Size + 1}).

%% The nearest recorded box and its depth.
above([#frame{call = Call, depth = Depth} | _]) -> {Call, Depth};
above([]) -> {<<"0">>, 0}.

push(Pid, P0, Procedure, Text, Args, Caller, Time, R0) ->
    {P, R} = tail_calls(Pid, P0, Procedure, Caller, Time, R0),
    #process{stack = Stack, size = Size} = P,
    {Parent, Above} = above(Stack),
    case is_left_out(Procedure, Above, R#recorder.options) of
        true ->
            leave_out(Pid, P, #frame{procedure = Procedure, caller = Caller}),
            R;
        false ->
            Number = R#recorder.calls + 1,
            Call = integer_to_binary(Number),
            Shown = args(Args, R#recorder.options),
            weigh_args(Procedure, Args, Shown, R#recorder.options),
            Frame = #frame{procedure = Procedure, call = Call, depth = Above + 1, text = Text, args = Shown, caller = Caller},
            put(Pid, P#process{user = true, size = Size + 1, stack = [Frame | Stack]}),
            #recorder{buffer = Buffer, start = Start} = R,
            added(R#recorder{calls = Number},
                  <<Buffer/binary, "{\"port\":\"call\",\"call\":", Call/binary, ",\"parent\":", Parent/binary,
                    ",\"depth\":", (integer_to_binary(Above + 1))/binary, Text/binary, Shown/binary, ",\"pid\":\"",
                    (name(Pid, P))/binary, "\",\"time\":", (integer_to_binary(Time - Start))/binary, "}\n">>)
    end.

%% Each event copies its values, so that a recursion over a long list would copy the square of its length. When a
%% procedure has had so much copied, its later calls are left out.
weigh_args(Procedure, Arity, _, #options{no_args = false}) when is_integer(Arity) -> count(long), add_weight(Procedure, ?MORE);
weigh_args(Procedure, Args, Shown, _) when byte_size(Shown) >= ?LONG -> weigh(Procedure, Args);
weigh_args(_, _, _, _) -> ok.

weigh(Procedure, Value) -> add_weight(Procedure, erts_debug:flat_size(Value)).

add_weight(Procedure, Words) ->
    Weight = known({weight, Procedure}, 0) + Words,
    put({weight, Procedure}, Weight),
    case Weight > ?HEAVY andalso get(Procedure) =/= large of
        true ->
            put(Procedure, large),
            put({large, all}, [Procedure | known({large, all}, [])]),
            set_later(Procedure, false);
        false -> ok
    end.

%% The limits `depth` and `sample` leave out whole boxes.
is_left_out(_, Above, #options{depth = Depth}) when Above >= Depth -> count(depth);
is_left_out(_, _, #options{sample = 1}) -> false;
is_left_out(Procedure, _, #options{sample = N}) ->
    Seen = known({sample, Procedure}, 0),
    put({sample, Procedure}, (Seen + 1) rem N),
    Seen > 0 andalso count(sample).

%% A return or an exception, also of the calls above, which were tail calls.
returned(Pid, Procedure, How, Time, R) ->
    case get(Pid) of
        P = #process{stack = [#frame{procedure = Procedure} = Frame | Rest], size = Size} ->
            put(Pid, P#process{stack = Rest, size = Size - 1}),
            close(Frame, How, <<>>, name(Pid, P), Time, R);
        P = #process{stack = Stack} ->
            case lists:splitwith(fun(Frame) -> Frame#frame.procedure =/= Procedure end, Stack) of
                {_, []} -> R;
                {Above, [Frame | Rest]} ->
                    put(Pid, P#process{stack = Rest, size = length(Rest)}),
                    close(Frame, How, <<>>, name(Pid, P), Time, close_all(Above, How, name(Pid, P), Time, R))
            end;
        undefined -> R
    end.

close_all(Frames, How, Name, Time, R) ->
    lists:foldl(fun(Frame, Acc) -> close(Frame, How, <<",\"tail\":true">>, Name, Time, Acc) end, R, Frames).

close(#frame{is_recorded = false}, _, _, _, _, R) -> R;
close(_, _, _, _, _, R = #recorder{is_on = false}) -> R;
close(#frame{procedure = Procedure, call = Call, text = Text, args = Args}, How, Mark, Name, Time, R) ->
    #recorder{buffer = Buffer, start = Start, options = Options} = R,
    {Port, Value} = outcome(How, Options),
    byte_size(Value) >= ?LONG andalso weigh(Procedure, How),
    added(R, <<Buffer/binary, Port/binary, Call/binary, Text/binary, Args/binary, Value/binary, Mark/binary,
               ",\"pid\":\"", Name/binary, "\",\"time\":", (integer_to_binary(Time - Start))/binary, "}\n">>).

outcome({value, _}, #options{no_args = true}) -> {exit_port(), <<>>};
outcome({value, Value}, #options{text = Limit}) -> {exit_port(), <<",\"result\":", (value(Value, Limit))/binary>>};
outcome(tail, _) -> {exit_port(), <<>>};
outcome({exception, {Class, _}}, #options{no_args = true}) ->
    {exception_port(), <<",\"exception\":\"", (atom_to_binary(Class))/binary, "\"">>};
outcome({exception, {Class, Value}}, #options{text = Limit}) ->
    Term = text(Value, <<(atom_to_binary(Class))/binary, "(">>, Limit),
    {exception_port(), <<",\"exception\":{\"term\":\"", Term/binary, ")\"}">>}.

exit_port() -> <<"{\"port\":\"exit\",\"call\":">>.

exception_port() -> <<"{\"port\":\"exception\",\"call\":">>.

%% exception_trace keeps the frame of a call whose last action is another call, so that a server's loop would grow for
%% ever. A procedure that is deep in a process is asked for its callers: if it calls itself last, only its calls are
%% traced from then on, and each ends the box of the one before.
tail_calls(_, P = #process{size = Size}, Procedure, none, _, R) when Size > 0, Size rem ?DEEP =:= 0 ->
    case get({mode, Procedure}) of
        undefined -> put({mode, Procedure}, asked), set_later(Procedure, ?WITH_CALLER);
        _ -> ok
    end,
    {P, R};
tail_calls(_, P, _, none, _, R) -> {P, R};
tail_calls(Pid, P = #process{stack = Stack}, Procedure, {caller, By} = Caller, Time, R) ->
    case get({mode, Procedure}) of
        asked ->
            IsNested = lists:any(fun(Frame) -> Frame#frame.procedure =:= By end, lists:sublist(Stack, ?DEEP div 2)),
            put({mode, Procedure}, case IsNested of true -> nested; false -> tail end),
            set_later(Procedure, case IsNested of true -> ?TRACED; false -> ?WITHOUT_RETURN end),
            {P, R};
        nested -> {P, R};
        tail -> leave_tail(Pid, P, Procedure, Caller, Time, R)
    end.

leave_tail(Pid, P = #process{stack = Stack}, Procedure, Caller, Time, R) ->
    IsOther = fun(#frame{procedure = Other, caller = By}) -> Other =/= Procedure orelse By =/= Caller end,
    case lists:splitwith(IsOther, lists:sublist(Stack, ?DEEP)) of
        {_, []} -> {P, R};
        {Above, [_ | _]} ->
            {Left, Rest} = lists:split(length(Above) + 1, Stack),
            {P#process{stack = Rest, size = P#process.size - length(Left)}, close_all(Left, tail, name(Pid, P), Time, R)}
    end.

%%% Messages

sent(Pid, Message, To, IsThere, Time, R) ->
    Receiver = receiver(To),
    case is_user(Pid) andalso is_shown_partner(Receiver) of
        true when IsThere ->
            Transfer = known({transfer, all}, 0) + 1,
            put({transfer, all}, Transfer),
            expect(Receiver, {Pid, erlang:phash2(Message)}, Transfer),
            More = <<(other(to, Receiver))/binary, ",\"transfer\":", (integer_to_binary(Transfer))/binary>>,
            point(send, Pid, [To, Message], More, Time, R);
        true -> point(send, Pid, [To, Message], <<(other(to, Receiver))/binary, ",\"lost\":true">>, Time, R);
        false -> R
    end.

%% Where the sender is not known, it was a timer or a port; a `receive` whose time is over gets the message `timeout`.
received(Pid, timeout, undefined, Time, R) ->
    case is_user(Pid) of
        true -> point(timeout, Pid, [], <<>>, Time, R);
        false -> R
    end;
received(Pid, Message, From, Time, R) ->
    case is_user(Pid) andalso is_shown_partner(From) of
        true ->
            More = case take(Pid, {From, erlang:phash2(Message)}) of
                none -> <<>>;
                Transfer -> <<",\"transfer\":", (integer_to_binary(Transfer))/binary>>
            end,
            point('receive', Pid, [sender(From), Message], <<(other(from, From))/binary, More/binary>>, Time, R);
        false -> R
    end.

sender(undefined) -> ?NOBODY;
sender(From) -> From.

%% A process if it is known.
receiver(Name) when is_atom(Name) ->
    case get({registered, Name}) of
        undefined -> case whereis(Name) of undefined -> Name; Pid -> put({registered, Name}, Pid) , Pid end;
        Pid -> Pid
    end;
receiver({Name, Node}) when Node =:= node() -> receiver(Name);
receiver(To) -> To.

%% Messages to and from processes of libraries, such as those of input and output, are left out; timers are shown.
is_shown_partner(Pid) when is_pid(Pid), node(Pid) =:= node() ->
    case get(Pid) of
        #process{user = true} -> true;
        undefined -> recall(ended, {library, Pid}) =:= none;
        _ -> get({registered, timer_server}) =:= Pid
    end;
is_shown_partner(_) -> true.

%% Sends that wait for their receives are kept with the process; those to an alias, whose process is not known, in a
%% cache that forgets the oldest.
expect(Pid, Key, Transfer) when is_pid(Pid) ->
    Waiting = known({waiting, Pid}, #{}),
    put({waiting, Pid}, Waiting#{Key => maps:get(Key, Waiting, []) ++ [Transfer]});
expect(Reference, Key, Transfer) when is_reference(Reference) -> remember(others, {alias, Key}, Transfer);
expect(_, _, _) -> ok.

take(Pid, Key) ->
    case known({waiting, Pid}, #{}) of
        #{Key := [Transfer]} = Waiting -> put({waiting, Pid}, maps:remove(Key, Waiting)), Transfer;
        #{Key := [Transfer | Others]} = Waiting -> put({waiting, Pid}, Waiting#{Key => Others}), Transfer;
        _ -> recall(others, {alias, Key})
    end.

other(Role, Pid) when is_pid(Pid) -> <<",\"", (atom_to_binary(Role))/binary, "\":\"", (name(Pid))/binary, "\"">>;
other(Role, Name) when is_atom(Name), Name =/= undefined ->
    <<",\"", (atom_to_binary(Role))/binary, "\":\"", (json(atom_to_binary(Name)))/binary, "\"">>;
other(_, _) -> <<>>.

%%% Processes

process(Pid) ->
    case get(Pid) of undefined -> #process{}; P -> P end.

is_user(Pid) ->
    case get(Pid) of #process{user = IsUser} -> IsUser; _ -> false end.

%% A new process; the parent's event or its own comes first. It is of the user if it begins in code of the user.
born(Pid, Parent, Function) ->
    case get(Pid) of
        undefined ->
            P = process(Parent),
            Child = P#process.children + 1,
            Name = case P#process.user of true -> child_name(name(Parent), Child); false -> undefined end,
            put(Parent, (process(Parent))#process{children = Child}),
            New = #process{name = Name, user = mentions_user(Function, 6)},
            put(Pid, New),
            New;
        P -> P
    end.

%% Whether a function of the user, or a module that is known to be, is in the term.
mentions_user(_, 0) -> false;
mentions_user({Module, Name, Args}, Left) when is_atom(Module), is_atom(Name), is_list(Args) ->
    mentions_user(Module, Left) orelse mentions_user(Args, Left - 1);
mentions_user(Fun, _) when is_function(Fun) -> mentions_user(element(2, erlang:fun_info(Fun, module)), 1);
mentions_user(Module, _) when is_atom(Module) ->
    case get({module, Module}) of
        undefined -> erlang:module_loaded(Module) andalso is_shown(Module);
        Shown -> Shown =:= shown
    end;
mentions_user([First | Rest], Left) -> mentions_user(First, Left - 1) orelse mentions_user(Rest, Left - 1);
mentions_user(Tuple, Left) when is_tuple(Tuple), tuple_size(Tuple) > 0, tuple_size(Tuple) < 10 ->
    mentions_user(tuple_to_list(Tuple), Left);
mentions_user(_, _) -> false.

ended(Pid, Reason, Time, R0) ->
    R = case get(Pid) of
        #process{user = true, stack = Stack} ->
            How = case Reason of normal -> tail; _ -> {exception, {exit, Reason}} end,
            point(process_exit, Pid, [Reason], <<>>, Time, close_all(Stack, How, name(Pid), Time, R0));
        _ -> R0
    end,
    case erase(Pid) of
        #process{name = Name, user = IsUser} ->
            Name =/= undefined andalso remember(ended, Pid, Name),
            IsUser orelse remember(ended, {library, Pid}, true);
        undefined -> ok
    end,
    erase({waiting, Pid}),
    erase({name, Pid}),
    R.

%%% Names that two runs share

name(_, #process{name = Name}) when Name =/= undefined -> Name;
name(Pid, _) -> name(Pid).

%% Processes are named by who spawned them: `<1.2>` is the second child of `<1>`. Those that were there before have the
%% names under which they are registered.
name(Pid) ->
    case get(Pid) of
        #process{name = Name} when Name =/= undefined -> Name;
        P ->
            case recall(ended, Pid) of
                none -> new_name(Pid, P);
                Name -> Name
            end
    end.

new_name(Pid, P) ->
    Name = case get({name, Pid}) of
        undefined when node(Pid) =/= node() -> <<(json(atom_to_binary(node(Pid))))/binary, ":", (root_name())/binary>>;
        undefined -> root_name();
        Registered -> json(atom_to_binary(Registered))
    end,
    case P of
        #process{} -> put(Pid, P#process{name = Name});
        undefined -> remember(ended, Pid, Name)
    end,
    Name.

root_name() -> <<"<", (integer_to_binary(number(root)))/binary, ">">>.

child_name(Parent, Child) when byte_size(Parent) < 40 ->
    case binary:last(Parent) of
        $> -> <<(binary:part(Parent, 0, byte_size(Parent) - 1))/binary, ".", (integer_to_binary(Child))/binary, ">">>;
        _ -> root_name()
    end;
child_name(_, _) -> root_name().

number(Of) ->
    N = known({number, Of}, 0) + 1,
    put({number, Of}, N),
    N.

%% A cache of two generations, of processes that have ended and of other things: what has not been asked for while the
%% younger one was filled is forgotten.
remember(Cache, Key, Value) ->
    Young = known({Cache, young}, #{}),
    case map_size(Young) < most(Cache) of
        true -> put({Cache, young}, Young#{Key => Value});
        false -> put({Cache, old}, Young), put({Cache, young}, #{Key => Value})
    end.

most(ended) -> 500000;
most(others) -> 50000.

recall(Cache, Key) ->
    case known({Cache, young}, #{}) of
        #{Key := Value} -> Value;
        _ -> maps:get(Key, known({Cache, old}, #{}), none)
    end.

%% References and ports are numbered in the order in which they appear.
numbered(Kind, Key) ->
    N = case recall(others, Key) of none -> number(Kind); Known -> Known end,
    remember(others, Key, N),
    <<"'", Kind/binary, "<", (integer_to_binary(N))/binary, ">'">>.

%%% What is written

header(#options{text = Text} = Options) ->
    Facts = [{"source", ["erlang/otp ", erlang:system_info(otp_release)]}, {"recorder", "papaver erlang"},
             {"start", calendar:system_time_to_rfc3339(os:system_time(millisecond), [{unit, millisecond}, {offset, "Z"}])},
             {"time", "ns"}, {"args", "terms"}],
    Numbers = [{"max_events", Options#options.max_events}, {"depth", Options#options.depth}, {"sample", Options#options.sample}],
    Lists = [{"only", Options#options.only}, {"skip", Options#options.skip}],
    Limits = [["\"text\":", integer_to_list(Text)]] ++ [",\"library\":\"hidden\"" || Options#options.only =:= []]
        ++ [[",\"", Key, "\":", integer_to_list(N)] || {Key, N} <- Numbers, N =/= infinity, {Key, N} =/= {"sample", 1}]
        ++ [[",\"", Key, "\":[", lists:join(",", [quoted(element(1, Pattern)) || Pattern <- lists:reverse(Patterns)]), "]"]
            || {Key, Patterns} <- Lists, Patterns =/= []]
        ++ [",\"no_args\":true" || Options#options.no_args],
    Distorts = ["tail calls keep their frames up to depth 100", "processes are suspended while the recorder is behind"],
    iolist_to_binary(["{\"papaver\":1,\"port\":\"header\"", [[",\"", Key, "\":", quoted(Fact)] || {Key, Fact} <- Facts],
                      ",\"distorts\":[", lists:join(",", [quoted(Text1) || Text1 <- Distorts]), "],\"limits\":{", Limits, "}}\n"]).

trailer(End, Status, Events, LeftOut) ->
    Left = lists:join(",", [["\"", Key, "\":", Value] || {Key, Value} <- LeftOut]),
    iolist_to_binary(["{\"papaver\":1,\"port\":\"trailer\",\"events\":", integer_to_list(Events), ",\"lost\":0,\"end\":", quoted(End),
                      ",\"status\":", integer_to_list(Status), ",\"hook_errors\":0,\"left_out\":{", Left, "}}\n"]).

%% Counts of what the limits left out; `true` for what was never traced.
left_out(#options{only = Only, skip = Skip, no_args = NoArgs, max_events = Max}, IsOver) ->
    Counted = [{atom_to_list(What), integer_to_list(known({left_out, What}, 0))} || What <- [depth, sample, text, long]],
    Large = [quoted(io_lib:format("~ts:~ts/~b", [module_text(M), F, A])) || {M, F, A} <- known({large, all}, [])],
    [{Key, Count} || {Key, Count} <- Counted, Count =/= "0"]
        ++ [{"large", ["[", lists:join(",", Large), "]"]} || Large =/= []]
        ++ [{Key, "true"} || {Key, true} <- [{"library", Only =:= []}, {"only", Only =/= []}, {"skip", Skip =/= []},
                                              {"no_args", NoArgs}, {"max_events", IsOver andalso is_integer(Max)}]].

quoted(Text) -> [$", json(unicode:characters_to_binary(Text)), $"].

%% A text as it is written between the quotes of JSON.
json(Text) ->
    case is_plain(Text) of
        true -> Text;
        false -> << <<(json_letter(Letter))/binary>> || <<Letter/utf8>> <= Text >>
    end.

json_letter($") -> <<"\\\"">>;
json_letter($\\) -> <<"\\\\">>;
json_letter(Letter) when Letter < 32 -> iolist_to_binary(io_lib:format("\\u~4.16.0b", [Letter]));
json_letter(Letter) -> <<Letter/utf8>>.

is_plain(<<Letter, Rest/binary>>) when Letter >= 32, Letter < 127, Letter =/= $", Letter =/= $\\, Letter =/= $', Letter =/= $` ->
    is_plain(Rest);
is_plain(Rest) -> Rest =:= <<>>.

%%% Terms, as texts that papaver reads, within the quotes of JSON

args(_, #options{no_args = true}) -> <<>>;
args(Arity, _) when is_integer(Arity) -> <<>>;
args([], _) -> <<",\"args\":[]">>;
args([One], #options{text = Limit}) -> <<",\"args\":[", (value(One, Limit))/binary, "]">>;
args([One, Two], #options{text = Limit}) ->
    <<",\"args\":[", (value(One, Limit))/binary, ",", (value(Two, Limit))/binary, "]">>;
args([First | Rest], #options{text = Limit}) ->
    Add = fun(Arg, Acc) -> <<Acc/binary, ",", (value(Arg, Limit))/binary>> end,
    <<(lists:foldl(Add, <<",\"args\":[", (value(First, Limit))/binary>>, Rest))/binary, "]">>.

value(Value, _) when is_integer(Value), Value < 1 bsl 59, Value > -(1 bsl 59) -> integer_to_binary(Value);
value(?NOBODY, _) -> <<"null">>;
value(Value, _) when is_atom(Value) -> <<"\"", (atom_text(Value))/binary, "\"">>;
value(Value, Limit) -> <<(text(Value, <<"\"">>, Limit))/binary, "\"">>.

text(Value, Acc, Limit) ->
    End = byte_size(Acc) + Limit,
    Text = term(Value, Acc, End),
    byte_size(Text) >= End andalso erase({cut, now}) =:= true andalso count(text),
    Text.

%% The term is cut near the byte `End` of the text.
term(_, Acc, End) when byte_size(Acc) >= End -> cut(Acc);
term(Value, Acc, _) when is_atom(Value) -> <<Acc/binary, (atom_text(Value))/binary>>;
term(Value, Acc, End) when is_integer(Value) -> integer(Value, Acc, End);
term([], Acc, _) -> <<Acc/binary, "[]">>;
term(Value, Acc, End) when is_list(Value) ->
    case is_text(Value, End - byte_size(Acc), 0) of
        true -> characters(Value, <<Acc/binary, $`>>, $`, End);
        false -> list(Value, <<Acc/binary, "[">>, End)
    end;
term(Value, Acc, End) when is_tuple(Value) -> tuple(Value, 1, <<Acc/binary, "{">>, End);
term(Value, Acc, End) when is_binary(Value) -> binary_term(Value, Acc, End);
term(Value, Acc, End) when is_pid(Value) -> named(name(Value), Acc, End);
term(Value, Acc, _) when is_float(Value) -> <<Acc/binary, (float_to_binary(Value, [short]))/binary>>;
term(#{'__struct__' := Name} = Value, Acc, End) when is_atom(Name) ->
    Struct = <<"%", (unicode:characters_to_binary(module_text(Name)))/binary>>,
    pairs(maps:remove('__struct__', Value), <<(quoted_atom(Struct, Acc))/binary, "([">>, End);
term(Value, Acc, End) when is_map(Value) -> pairs(Value, <<Acc/binary, "map([">>, End);
term(Value, Acc, _) when is_reference(Value) -> <<Acc/binary, (numbered(<<"#Ref">>, Value))/binary>>;
term(Value, Acc, _) when is_port(Value) -> <<Acc/binary, (numbered(<<"#Port">>, Value))/binary>>;
term(Value, Acc, _) when is_function(Value) -> quoted_atom(list_to_binary(erlang:fun_to_list(Value)), Acc);
term(Value, Acc, End) when is_bitstring(Value) -> bytes(Value, Acc, End).

named(Name, Acc, _) -> <<Acc/binary, $', Name/binary, $'>>.

integer(Value, Acc, End) ->
    case abs(Value) bsr (4 * max(20, End - byte_size(Acc))) of
        0 -> <<Acc/binary, (integer_to_binary(Value))/binary>>;
        _ -> cut(Acc)
    end.

cut(Acc) -> put({cut, now}, true), <<Acc/binary, "'…'"/utf8>>.

%% A mark in place of the elements that are left out, after the separator; none if the last element has one.
rest_cut(Acc, Separator) ->
    case get({cut, now}) of
        true -> Acc;
        _ -> cut(<<Acc/binary, Separator>>)
    end.

list([Last], Acc, End) -> <<(term(Last, Acc, End))/binary, "]">>;
list([First | Rest], Acc, End) ->
    More = term(First, Acc, End),
    if
        byte_size(More) >= End -> <<(rest_cut(More, $|))/binary, "]">>;
        is_list(Rest) -> list(Rest, <<More/binary, ",">>, End);
        true -> <<(term(Rest, <<More/binary, "|">>, End))/binary, "]">>
    end.

tuple({}, _, Acc, _) -> <<Acc/binary, "}">>;
tuple(Tuple, N, Acc, End) ->
    More = term(element(N, Tuple), Acc, End),
    if
        N =:= tuple_size(Tuple) -> <<More/binary, "}">>;
        byte_size(More) >= End -> <<(rest_cut(More, $,))/binary, "}">>;
        true -> tuple(Tuple, N + 1, <<More/binary, ",">>, End)
    end.

%% Small maps are sorted, so that two runs agree.
pairs(Map, Acc, _) when map_size(Map) =:= 0 -> <<Acc/binary, "])">>;
pairs(Map, Acc, End) when map_size(Map) =< 100 ->
    Next = fun([{Key, Value} | Rest]) -> {Key, Value, Rest}; ([]) -> none end,
    pairs(Next(lists:sort(maps:to_list(Map))), Next, Acc, End);
pairs(Map, Acc, End) -> pairs(maps:next(maps:iterator(Map)), fun maps:next/1, Acc, End).

pairs({Key, Value, Rest}, Next, Acc, End) ->
    More = operand(Value, <<(operand(Key, Acc, End))/binary, "-">>, End),
    case Next(Rest) of
        none -> <<More/binary, "])">>;
        _ when byte_size(More) >= End -> <<(rest_cut(More, $,))/binary, "])">>;
        Pair -> pairs(Pair, Next, <<More/binary, ",">>, End)
    end.

%% Negative numbers and operators stand in parentheses beside the `-` of a pair.
operand(Value, Acc, End) when is_number(Value), Value < 0; is_atom(Value) ->
    case is_atom(Value) andalso not is_operator(atom_text(Value)) of
        true -> <<Acc/binary, (atom_text(Value))/binary>>;
        false -> <<(term(Value, <<Acc/binary, "(">>, End))/binary, ")">>
    end;
operand(Value, Acc, End) -> term(Value, Acc, End).

is_operator(Text) ->
    binary:match(Text, [<<Symbol>> || Symbol <- "+-*/\\^<>=~:.?@#&|,;"]) =/= nomatch orelse lists:member(Text, [<<"is">>, <<"mod">>, <<"rem">>, <<"div">>, <<"xor">>, <<"dynamic">>, <<"table">>, <<"discontiguous">>,
                        <<"initialization">>, <<"multifile">>, <<"public">>]).

binary_term(Value, Acc, End) ->
    Head = binary:part(Value, 0, min(byte_size(Value), max(0, End - byte_size(Acc)) + 4)),
    case is_plain(Head) of
        true when byte_size(Head) =:= byte_size(Value) -> <<Acc/binary, "\\\"", Value/binary, "\\\"">>;
        _ -> unplain_binary(Value, Head, Acc, End)
    end.

unplain_binary(Value, Head, Acc, End) ->
    case unicode:characters_to_list(Head) of
        Letters when is_list(Letters), Head =:= Value -> text_or_bytes(Letters, Value, Acc, End);
        {incomplete, [_ | _] = Letters, _} when Head =/= Value -> text_or_bytes(Letters, Value, Acc, End);
        Letters when is_list(Letters) -> text_or_bytes(Letters, Value, Acc, End);
        _ -> bytes(Value, Acc, End)
    end.

text_or_bytes(Letters, Value, Acc, End) ->
    case lists:all(fun is_printable/1, Letters) of
        true -> characters(Letters, <<Acc/binary, "\\\"">>, $", End);
        false -> bytes(Value, Acc, End)
    end.

bytes(Value, Acc, End) ->
    Most = max(4, (End - byte_size(Acc)) div 4),
    case bit_size(Value) =< 8 * Most of
        true -> quoted_atom(iolist_to_binary(io_lib:format("~w", [Value])), Acc);
        false ->
            <<Head:Most/binary, _/bitstring>> = Value,
            put({cut, now}, true),
            Text = iolist_to_binary(io_lib:format("~w", [Head])),
            quoted_atom(<<(binary:part(Text, 0, byte_size(Text) - 2))/binary, "…>>"/utf8>>, Acc)
    end.

is_text([Code | Rest], Left, N) when Left > 0 -> is_printable(Code) andalso is_text(Rest, Left - 1, N + 1);
is_text(Rest, _, N) -> N >= 2 andalso is_list(Rest).

is_printable(Code) when is_integer(Code), Code >= 32, Code < 127 -> true;
is_printable(Code) when Code =:= $\n; Code =:= $\t; Code =:= $\r -> true;
is_printable(Code) when is_integer(Code) -> Code >= 160 andalso Code < 16#D800 orelse Code >= 16#E000 andalso Code < 16#110000;
is_printable(_) -> false.

characters([], Acc, Quote, _) -> quote(Acc, Quote);
characters(_, Acc, Quote, End) when byte_size(Acc) >= End -> put({cut, now}, true), quote(<<Acc/binary, "…"/utf8>>, Quote);
characters([Letter | Rest], Acc, Quote, End) -> characters(Rest, letter(Letter, Acc, Quote), Quote, End).

quote(Acc, $") -> <<Acc/binary, "\\\"">>;
quote(Acc, Quote) -> <<Acc/binary, Quote>>.

letter($", Acc, $") -> <<Acc/binary, "\\\\\\\"">>;
letter($", Acc, _) -> <<Acc/binary, "\\\"">>;
letter($\\, Acc, _) -> <<Acc/binary, "\\\\\\\\">>;
letter($\n, Acc, _) -> <<Acc/binary, "\\\\n">>;
letter($\t, Acc, _) -> <<Acc/binary, "\\\\t">>;
letter($\r, Acc, _) -> <<Acc/binary, "\\\\r">>;
letter(Letter, Acc, _) when Letter < 32; Letter >= 127, Letter < 160 ->
    <<Acc/binary, "\\\\x", (integer_to_binary(Letter, 16))/binary, "\\\\">>;
letter(Quote, Acc, Quote) -> <<Acc/binary, "\\\\", Quote>>;
letter(Letter, Acc, _) -> <<Acc/binary, Letter/utf8>>.

atom_text(Atom) ->
    case get(Atom) of
        undefined ->
            Text = new_atom_text(unicode:characters_to_binary(module_text(Atom))),
            put(Atom, Text),
            Text;
        Text -> Text
    end.

new_atom_text(<<First, _/binary>> = Name) when First >= $a, First =< $z ->
    IsWord = lists:all(fun(C) -> C >= $a andalso C =< $z orelse C >= $A andalso C =< $Z orelse C >= $0 andalso C =< $9
                                     orelse C =:= $_ end, binary_to_list(Name)),
    case IsWord of true -> Name; false -> quoted_atom(Name, <<>>) end;
new_atom_text(Name) -> quoted_atom(Name, <<>>).

quoted_atom(Name, Acc) ->
    <<(lists:foldl(fun(Letter, Text) -> letter(Letter, Text, $') end, <<Acc/binary, $'>>, unicode:characters_to_list(Name)))/binary, $'>>.
