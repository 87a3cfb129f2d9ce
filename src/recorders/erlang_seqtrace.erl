%% Writes the log of an Erlang node's sequential tracing, which papaver reads, alone or with `--merge` and those of the other
%% nodes.
%%
%% `papaver record --with seqtrace -- erl ...` starts it. By hand: save this file as papaver_seqtrace.erl, compile it, and
%%
%%     PAPAVER_OUT=a.raw erl -sname a -pa . -run papaver_seqtrace -s my_program
%%
%% Sequences begin where the program calls seq_trace:set_token/2, or, with lines `only=m:f/2` in PAPAVER_OPTIONS, at each
%% call of such a function.
-module(papaver_seqtrace).
-export([start/0, stop/0, gate/3]).

-define(SELF, {?MODULE, collector}).
-define(BLOCK, 60000).
-define(FLAGS, [send, 'receive', print, timestamp]).

%% The open file, what is not yet in it, and the nodes whose numbers are written.
-record(log, {file, buffer = [], size = 0, nodes = #{}}).

%% Starts as the environment says, which is not passed on to the children of the program.
start() ->
    Out = os:getenv("PAPAVER_OUT", "trace.raw"),
    Lines = string:lexemes(os:getenv("PAPAVER_OPTIONS", ""), "\n"),
    restore_environment(),
    try
        Functions = [function(Line) || Line <- Lines],
        start(Out, Functions)
    catch throw:Why ->
        io:format(standard_error, "papaver record: ~ts~n", [Why]),
        erlang:halt(125)
    end.

restore_environment() ->
    [os:unsetenv(Name) || Name <- ["PAPAVER_OUT", "PAPAVER_OPTIONS"]],
    case string:split(os:getenv("ERL_AFLAGS", ""), " -papaver end") of
        [_, ""] -> os:unsetenv("ERL_AFLAGS");
        [_, " " ++ Others] -> os:putenv("ERL_AFLAGS", Others);
        [_] -> ok
    end.

function("only=" ++ Pattern) ->
    case re:run(Pattern, "^(.+):(.+?)(?:/([0-9]+))?$", [{capture, all_but_first, list}, unicode]) of
        {match, [M, F]} -> {list_to_atom(M), list_to_atom(F), '_'};
        {match, [M, F, A]} -> {list_to_atom(M), list_to_atom(F), list_to_integer(A)};
        nomatch -> throw(["expected a function such as `m:f/2`, found `", Pattern, "`"])
    end;
function(Line) -> throw(["the option `", Line, "` is not known"]).

start(Out, Functions) ->
    Me = self(),
    {Collector, Monitor} = spawn_opt(fun() -> collect(Me, Out) end, [monitor, {priority, high}]),
    receive
        {Collector, started} -> erlang:demonitor(Monitor, [flush]);
        {'DOWN', Monitor, process, Collector, Why} -> throw([Out, ": ", file:format_error(Why)])
    end,
    set_gates(),
    lists:foreach(fun begin_at/1, Functions),
    Functions =:= [] orelse erlang:trace(all, true, [call, {tracer, Collector}]),
    ok.

%% A call of the function puts a token into its process, unless there is one.
begin_at({Module, Name, _} = Function) ->
    %% with a token, the code server would answer with the whole code of the module
    code:ensure_loaded(Module),
    Label = list_to_atom(lists:concat([Module, ":", Name])),
    Tokens = [{set_seq_token, label, Label} | [{set_seq_token, Flag, true} || Flag <- ?FLAGS]],
    Match = [{'_', [{'not', {is_seq_trace}}], [{message, false} | Tokens]}, {'_', [], [{message, false}]}],
    erlang:trace_pattern(Function, Match, [local]) > 0
        orelse throw(["there is no function ", io_lib:format("~p:~p/~p", tuple_to_list(Function))]).

collect(Starter, Out) ->
    case file:open(Out, [write, raw, binary]) of
        {ok, File} ->
            persistent_term:put(?SELF, self()),
            process_flag(message_queue_data, off_heap),
            seq_trace:set_system_tracer(self()),
            Log = add(header(#{}), #log{file = File}),
            Starter ! {self(), started},
            self() ! flush,
            loop(Log);
        {error, Why} ->
            exit(Why)
    end.

loop(Log) ->
    receive
        {seq_trace, _, _} = Event -> loop(event(Event, Log));
        {seq_trace, _, _, _} = Event -> loop(event(Event, Log));
        flush -> erlang:send_after(1000, self(), flush), loop(flush(Log));
        {finish, From, Monitor} -> complete(From, Monitor, Log);
        _ -> loop(Log)
    end.

event(Event, Log = #log{nodes = Nodes}) ->
    Seen = numbers(Event, Nodes),
    Named = case Seen of Nodes -> Log; _ -> add(header(Seen), Log) end,
    add(io_lib:format("~0tp.~n", [Event]), Named#log{nodes = Seen}).

%% The numbers that stand for other nodes in pids, as far as they are known.
numbers(Event, Nodes) ->
    Ends = case element(3, Event) of
        {_, _, From, To, _} -> [From, To | nodes()];
        _ -> nodes()
    end,
    lists:foldl(fun number/2, Nodes, Ends).

number(Pid, Nodes) when is_pid(Pid), node(Pid) =/= node(), not is_map_key(node(Pid), Nodes) ->
    [Number | _] = string:lexemes(tl(pid_to_list(Pid)), "."),
    Nodes#{node(Pid) => Number};
number(_, Nodes) -> Nodes.

header(Nodes) ->
    Others = lists:join(",", [io_lib:format("{~tw,~s}", [Node, Number]) || {Node, Number} <- maps:to_list(Nodes)]),
    io_lib:format("{seqtap_node,~tw,0,[~ts]}.~n", [node(), Others]).

add(Text, Log = #log{buffer = Buffer, size = Size}) ->
    Bytes = unicode:characters_to_binary(Text),
    case Size + byte_size(Bytes) of
        New when New > ?BLOCK -> flush(Log#log{buffer = [Buffer, Bytes]});
        New -> Log#log{buffer = [Buffer, Bytes], size = New}
    end.

%% A write that fails ends the log, never the program.
flush(Log = #log{file = File, buffer = Buffer}) ->
    case Buffer =/= [] andalso file:write(File, Buffer) of
        {error, _} -> seq_trace:set_system_tracer(false);
        _ -> ok
    end,
    Log#log{buffer = [], size = 0}.

%% Takes what has come and writes it; seq_trace has no message for "all delivered".
complete(From, Monitor, Log) ->
    receive
        {seq_trace, _, _} = Event -> complete(From, Monitor, event(Event, Log));
        {seq_trace, _, _, _} = Event -> complete(From, Monitor, event(Event, Log))
    after 10 ->
        seq_trace:set_system_tracer(false),
        flush(add("{\"papaver\":1,\"port\":\"trailer\",\"lost\":0,\"end\":\"ok\"}\n", Log)),
        file:close(Log#log.file),
        persistent_term:erase(?SELF),
        From ! {Monitor, finished}
    end.

%% Ends the log; returns when all is written.
stop() ->
    seq_trace:set_token([]),
    case persistent_term:get(?SELF, none) of
        none -> ok;
        Collector ->
            Monitor = erlang:monitor(process, Collector),
            Collector ! {finish, self(), Monitor},
            receive
                {Monitor, finished} -> erlang:demonitor(Monitor, [flush]), ok;
                {'DOWN', Monitor, process, Collector, _} -> ok
            end
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

gate(Module, Function, Args) ->
    stop(),
    [break(Ending, false) || Ending <- endings()],
    apply(Module, Function, Args).

%% Calls of functions in C pass breakpoints by, unless they are traced too.
break(Function, IsOn) ->
    erlang:trace_pattern(Function, IsOn, [local]),
    erts_debug:breakpoint(Function, IsOn).
