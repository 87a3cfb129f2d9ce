% What is asked of traces of LTTng besides what posix.pl answers: what the tracer lost, and where calls ran.

%! lost(?N, ?What, ?From, ?To) is nondet.
%@ recording.
%
%  The tracer discarded N `events` or `packets` between the times From and To, as babeltrace2 reported. N is `-` if it is
%  not known. The window is not empty: the trace may have other events of that time.
%
%  On lttng/lossy/shop_flood.txt.gz:
%  ?- lost(N, What, From, To), aggregate_all(count, event([time=From..To]), There).
%  N = 2235, What = events, From = 58142683135421, To = 58142887791218, There = 402.
lost(N, What, From, To) :-
    '$losses'(Losses),
    member(lost(N, What, From, To), Losses).

% What a recorder lost in windows of time, if it reports them.
'$losses'(Losses) :-
    trace_info(losses, Losses),
    is_list(Losses).

%! cpu_of(?Call, ?Cpu) is nondet.
%
%  An event of Call happened on the processor Cpu.
%
%  On lttng/shop.txt:
%  ?- cpu_of(1, Cpu).
%  Cpu = 1.
cpu_of(Call, Cpu) :-
    distinct(Call-Cpu, event([call=Call, cpu=Cpu])).

%! migrated(?Thread) is nondet.
%
%  Thread, the number of a thread, had events on more than one processor.
%
%  On lttng/shop.txt:
%  ?- migrated(Thread).
%  false.
migrated(Thread) :-
    findall(Tid-Cpu, distinct(Tid-Cpu, event([tid=Tid, cpu=Cpu])), Pairs),
    msort(Pairs, Sorted),
    group_pairs_by_key(Sorted, Groups),
    member(Thread-[_, _|_], Groups).
