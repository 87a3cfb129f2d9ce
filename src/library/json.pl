% Values inside of objects of JSON, and questions to the logs of other programs that are read through maps: values of a
% column, tests of Go, tools of agents.

%! value(+Object, ?Path, ?Value) is nondet.
%
%  Value is in Object at Path: a list of keys and of positions in lists, which count from 0, or one of these alone. Object is
%  a term json([Key=Value, ...]) or another with such a list, as structures of strace and objects of Python are, a map of
%  Erlang, map([Key-Value, ...]), or a list. Without a path, all values are found, each with its path. In the trace of a model
%  checker, Object may also be the name of a variable, and Path the number of a state: Value is that of the variable.
%
%  On json/agent_messages.jsonl:
%  ?- tool(refund, Input, "done"), value(Input, amount, Amount).
%  Input = json([order=12, amount=10]), Amount = 10.
%  On json/agent_messages.jsonl:
%  ?- tool(find_order, _, Result), value(Result, [0, Key], "text").
%  Result = [json([type="text", text="order 12, 14 EUR"])], Key = type.
%  On itf/lasso.json:
%  ?- value(phase, 3, V).
%  V = "wait".
%  On itf/lasso.json:
%  ?- value(queue, Chrono, []).
%  Chrono = 1.
value(Object, Path, Value) :-
    (   ( var(Object) ; atom(Object) ),
        trace_info(format, itf)
    ->  '$value_in_state'(Object, Path, Value)
    ;   var(Path)
    ->  Path = [_|_],
        '$value_at'(Path, Object, Value)
    ;   '$value_path'(Path)
    ->  '$value_at'(Path, Object, Value)
    ;   '$member'(Object, Path, Value)
    ).

'$value_path'([]).
'$value_path'([_|_]).

'$value_at'([], Value, Value).
'$value_at'([Key|Path], Object, Value) :-
    '$member'(Object, Key, Found),
    '$value_at'(Path, Found, Value).

'$member'(Object, Key, Value) :-
    nonvar(Object),
    (   '$pairs_of_object'(Object, Pair, Known, Value, Pairs)
    ->  member(Pair, Pairs),
        ( var(Key) -> Key = Known ; '$same_text'(Key, Known) )
    ;   is_list(Object),
        nth0(Key, Object, Value)
    ).

'$pairs_of_object'(map(Pairs), Key-Value, Key, Value, Pairs) :- !.
'$pairs_of_object'(Object, Key=Value, Key, Value, [Pair|Pairs]) :-
    compound(Object),
    compound_name_arguments(Object, _, [[Pair|Pairs]]).

'$same_text'(Key, Known) :-
    ( Key == Known -> true ; string(Key), atom_string(Known, Key) ).

%! by_column(+Column, ?Value, ?N) is nondet.
%
%  N events have Value in the attribute Column, which a clause `column` of the map names.
%
%  On json/go_shop.jsonl:
%  ?- by_column('Action', "fail", N).
%  N = 5.
%  On json/tracing_orders.jsonl:
%  ?- by_column(level, Level, N).
%  Level = "ERROR", N = 2
%  ; Level = "INFO", N = 70
%  ; Level = "WARN", N = 1.
by_column(Column, Value, N) :-
    must_be(atom, Column),
    tally(Found, event([Column=Found]), Pairs),
    member(Value-N, Pairs).

%! failed_test(?Test, ?Output) is nondet.
%
%  Test failed, in a log of `go test -json`, and wrote Output.
%
%  On json/go_shop.jsonl:
%  ?- failed_test('TestTable', Output).
%  Output = "=== RUN   TestTable\n--- FAIL: TestTable (0.00s)\n".
failed_test(Test, Output) :-
    event([port=fail, call=Call, name=Test, decl_module=Package]),
    Test \== Package,
    findall(Text, event([port=event, call=Call, args=[Text|_]]), Texts),
    atomic_list_concat(Texts, Joined),
    atom_string(Joined, Output).

%! slow_test(+K, -L) is det.
%
%  L are the K tests that took longest, as Ns-Test, the slowest first, in a log of `go test -json`. A test that waits for
%  other tests to pause counts that time too.
%
%  On json/go_shop.jsonl:
%  ?- slow_test(2, L).
%  L = [21093312-'TestTable', 21079281-'TestTable/item=pear'].
slow_test(K, L) :-
    must_be(nonneg, K),
    findall(Ns-Test, '$test_time'(Test, Ns), Pairs),
    sort(1, @>=, Pairs, Sorted),
    length(Sorted, N),
    Length is min(K, N),
    length(L, Length),
    append(L, _, Sorted),
    !.

'$test_time'(Test, Ns) :-
    event([port=call, call=Call, name=Test, decl_module=Package, time=Start]),
    Test \== Package,
    event([port=[exit, fail], call=Call, time=End]),
    Ns is End - Start.

%! never_ended(?Test) is nondet.
%
%  Test, or another box, began and has no end: `go test` loses the end of a test whose last line has no line break.
%
%  On json/go_shop.jsonl:
%  ?- never_ended(Test).
%  Test = 'TestLogs'.
never_ended(Test) :-
    open_call(Call),
    call_start(Call, Chrono),
    event([chrono=Chrono, name=Test]).

%! tool(?Name, ?Input, ?Result) is nondet.
%
%  An agent called the tool Name with Input and got Result, which is `-` if none came back. What a tool that failed
%  answered is its Result too: the port of that event is exception.
%
%  On json/agent_messages.jsonl:
%  ?- tool(refund, Input, Result).
%  Input = json([order=12, amount=14.0]), Result = "not allowed"
%  ; Input = json([order=12, amount=10]), Result = "done".
tool(Name, Input, Result) :-
    event([port=call, chrono=Chrono, call=Call, name=Name]),
    ( attribute(Chrono, args, [Found|_]) -> Input = Found ; Input = (-) ),
    ( event([port=[exit, exception], call=Call, args=[_, Answer|_]]) -> Result = Answer ; Result = (-) ).

%! retried(?Name) is nondet.
%
%  A call of Name ended with an exception, and Name was called again later.
%
%  On json/agent_messages.jsonl:
%  ?- retried(Name).
%  Name = refund.
retried(Name) :-
    findall(Tool, '$retry'(Tool), Tools),
    sort(Tools, Names),
    member(Name, Names).

'$retry'(Name) :-
    event([port=exception, call=Call, chrono=Failed]),
    event([port=call, call=Call, name=Name]),
    once((event([port=call, name=Name, chrono=Again]), Again > Failed)).
