% What is asked of traces of strace: processes and what they executed, files, errors, signals, and where the time went.
% From and To are the numbers of events; To is `inf` where the trace has none.

%! has_flag(+Flags, ?Flag) is nondet.
%@ pure.
%
%  Flag is one of Flags, an argument such as `['O_RDWR', 'O_CLOEXEC']`, or a single flag.
%
%  On strace/filtered.txt:
%  ?- limit(1, ( event([name=clone, args=Args]), member(flags=Flags, Args), has_flag(Flags, 'SIGCHLD') )).
%  Args = ['child_stack'='NULL', flags=['CLONE_CHILD_CLEARTID', 'CLONE_CHILD_SETTID', 'SIGCHLD'], child_tidptr=140633677175312], Flags = ['CLONE_CHILD_CLEARTID', 'CLONE_CHILD_SETTID', 'SIGCHLD'].
has_flag(Flags, Flag) :-
    (   is_list(Flags)
    ->  member(Flag, Flags)
    ;   Flag = Flags
    ).

%! process(?Pid, ?Parent, ?From, ?To, ?How) is nondet.
%
%  The process or thread Pid was made by Parent, `-` if the trace does not show that. Its first event is From, and it
%  ended at the event To: How is `exited(Status)`, `killed(Signal)` or `superseded`, or `-` if it did not end, and To is `inf`.
%  A number that is used again stands for several processes.
%
%  On strace/filtered.txt:
%  ?- process(Pid, 28991, From, To, How).
%  Pid = 28992, From = 34, To = 37, How = exited(0)
%  ; Pid = 28993, From = 25, To = 60, How = exited(0)
%  ; Pid = 28994, From = 27, To = 69, How = exited(0).
process(Pid, Parent, From, To, How) :-
    '$pid'(Pid),
    '$lives'(Pid, Lives),
    member(life(_, Parent, From, To, How), Lives).

'$pid'(Pid) :-
    tally(P, event([pid=P]), Pairs),
    msort(Pairs, Sorted),
    member(Pid-_, Sorted).

% '$lives'(+Pid, -Lives): the processes with a number, in their order, each as life(Birth, Parent, From, To, How): Birth
% is the event at which the call that made it returned, `-` if there is none.
'$lives'(Pid, Lives) :-
    findall(birth(S, C, P), ( event([child=Pid, pid=P, call=K, chrono=C]), call_start(K, S) ), Births),
    findall(end(C, Port, Args), event([port=[exited, killed, superseded], pid=Pid, chrono=C, port=Port, args=Args]), Ends),
    (   event([pid=Pid, chrono=From])
    ->  '$life'(Ends, Pid, From, Births, Lives)
    ;   Lives = []
    ).

'$life'([end(To, Port, Args)|Ends], Pid, From, Births, [life(Birth, Parent, From, To, How)|Lives]) :-
    '$how_ended'(Port, Args, How),
    '$birth'(Births, From, To, Birth, Parent, Others),
    % a number is used again if a call that returned it began before the next event
    (   Others = [birth(S, _, _)|_],
        once(event([pid=Pid, chrono > To, chrono=Next])),
        S < Next
    ->  '$ends_after'(Ends, Next, Later),
        '$life'(Later, Pid, Next, Others, Lives)
    ;   Lives = []
    ).
'$life'([], _, From, Births, [life(Birth, Parent, From, inf, -)]) :-
    '$birth'(Births, From, inf, Birth, Parent, _).

% A process may end before the call that made it returns. The first one with a number may have been there before the
% trace.
'$birth'([birth(S, C, P)|Others], From, To, C, P, Others) :-
    ( S < From ; C =< To ),
    !.
'$birth'(Births, _, _, -, -, Births).

'$ends_after'([end(C, _, _)|Ends], From, Later) :-
    C < From,
    !,
    '$ends_after'(Ends, From, Later).
'$ends_after'(Ends, _, Ends).

'$how_ended'(exited, [Status], exited(Status)).
'$how_ended'(killed, [Signal], killed(Signal)).
'$how_ended'(superseded, _, superseded).

%! process_tree(?Tree) is nondet.
%
%  Tree is `tree(Pid, How, Trees)`: a process that no other one of the trace made, how it ended as in process/5, and the
%  trees of those that it made.
%
%  On strace/filtered.txt:
%  ?- process_tree(tree(Pid, How, [First|_])).
%  Pid = 28991, How = killed('SIGKILL'), First = tree(28992, exited(0), []).
process_tree(Tree) :-
    '$pid'(Pid),
    '$lives'(Pid, Lives),
    member(life(-, _, From, To, How), Lives),
    '$process_tree'(Pid, From, To, How, Tree).

'$process_tree'(Pid, From, To, How, tree(Pid, How, Trees)) :-
    findall(Child-C, ( event([pid=Pid, child=Child, chrono >= From, chrono=C]), C =< To ), Births),
    findall(Tree, ( member(Child-C, Births), Child =\= Pid, '$child_tree'(Child, C, Tree) ), Trees).

'$child_tree'(Child, Birth, Tree) :-
    '$lives'(Child, Lives),
    (   memberchk(life(Birth, _, From, To, How), Lives)
    ->  '$process_tree'(Child, From, To, How, Tree)
    ;   Tree = tree(Child, -, [])
    ).

%! executed(?Pid, ?Path, ?Argv) is nondet.
%@ values.
%
%  The process Pid executed the program in the file Path with the arguments Argv.
%
%  On strace/filtered.txt:
%  ?- executed(Pid, "/usr/bin/od", Argv).
%  Pid = 28993, Argv = ["od", "-c"].
executed(Pid, Path, Argv) :-
    event([port=exit, name=[execve, execveat], pid=Pid, args=Args]),
    once(( append(_, [First, Argv|_], Args), is_list(Argv) )),
    '$text'(First, Path).

% A string, whether or not it was cut.
'$text'(Text, Text) :- string(Text).
'$text'(cut(Text), Text).

%! file(?Pid, ?Fd, ?Path, ?From, ?To) is nondet.
%@ values.
%
%  The process Pid had the file descriptor Fd from the event From to the event To, `inf` if it did not close it. Path is the
%  text with which it was opened, or the name of the call that made it, such as `socket` or `pipe2`. A new process gets
%  the descriptors of its parent, or shares them with CLONE_FILES; execve closes those with CLOEXEC.
%
%  On strace/split_ff.28963:
%  ?- file(Pid, 4, Path, From, To).
%  Pid = 0, Path = pipe2, From = 96, To = 100
%  ; Pid = 28966, Path = pipe2, From = 97, To = inf.
file(Pid, Fd, Path, From, To) :-
    '$files'(Files),
    member(file(From, Pid, Fd, Path, To, _, _, _), Files).

%! left_open(?Pid, ?Fd, ?Path) is nondet.
%@ values.
%
%  The process Pid opened Path as Fd and did not close it.
%
%  On strace/split_ff.28966:
%  ?- left_open(Pid, Fd, Path).
%  Pid = 0, Fd = 1, Path = dup2.
left_open(Pid, Fd, Path) :-
    '$files'(Files),
    member(file(_, Pid, Fd, Path, inf, opened, _, _), Files).

%! idle_file(?Path) is nondet.
%@ values.
%
%  The file Path was opened, and neither read nor written through the descriptor that this gave. What is mapped into
%  memory counts as not read.
%
%  On strace/split_ff.28963:
%  ?- idle_file(Path).
%  Path = "/etc/ld.so.cache".
idle_file(Path) :-
    '$files'(Files),
    findall(P, ( member(file(_, _, _, P, _, opened, 0, 0), Files), '$is_path'(P) ), Paths0),
    sort(Paths0, Paths),
    member(Path, Paths).

'$is_path'(Path) :-
    string(Path),
    once(sub_string(Path, _, _, _, "/")).

%! bytes(?Path, -Read, -Written) is nondet.
%@ values.
%
%  Read bytes were read from Path, and Written bytes were written to it, through all descriptors.
%
%  On strace/split_ff.28963:
%  ?- bytes(Path, Read, Written), Read > 0.
%  Path = "/lib/x86_64-linux-gnu/libc.so.6", Read = 2400, Written = 0.
bytes(Path, Read, Written) :-
    '$files'(Files),
    findall(P-n(R, W), member(file(_, _, _, P, _, _, R, W), Files), Pairs),
    keysort(Pairs, Sorted),
    group_pairs_by_key(Sorted, Groups),
    member(Path-Sizes, Groups),
    findall(R, member(n(R, _), Sizes), Reads),
    findall(W, member(n(_, W), Sizes), Writes),
    sum_list(Reads, Read),
    sum_list(Writes, Written).

% All files in the order of opening: file(From, Pid, Fd, Path, To, How, Read, Written), How `opened` or `inherited`.
'$files'(Files) :-
    findall(Chrono-Change, '$file_change'(Chrono, Change), Changes),
    keysort(Changes, Sorted),
    empty_assoc(None),
    foldl('$change', Sorted, files(None, None, 0, []), files(_, Tables, _, Closed)),
    assoc_to_values(Tables, Left),
    foldl('$leave_table', Left, Closed, All),
    msort(All, Files).

% What an event does to the descriptors of its process.
'$file_change'(Chrono, fork(Pid, Child, Shared)) :-
    event([port=exit, child=Child, call=Call, pid=Pid, args=Args]),
    call_start(Call, Chrono),
    ( '$mentions'(Args, 'CLONE_FILES') -> Shared = yes ; Shared = no ).
'$file_change'(Chrono, end(Pid)) :-
    event([port=[exited, killed], chrono=Chrono, pid=Pid]).
'$file_change'(Chrono, Change) :-
    '$file_calls'(Kind, Names),
    event([port=exit, name=Names, name=Name, chrono=Chrono, pid=Pid, ret=Ret, args=Args]),
    '$file_call'(Kind, Name, Ret, Args, Pid, Change).

'$file_calls'(path, [open, openat, openat2, creat]).
'$file_calls'(fd, [socket, accept, accept4, epoll_create, epoll_create1, eventfd, eventfd2, memfd_create, timerfd_create,
                   signalfd, signalfd4, inotify_init, inotify_init1, pidfd_open, userfaultfd, perf_event_open]).
'$file_calls'(dup, [dup, dup2, dup3]).
'$file_calls'(fcntl, [fcntl, fcntl64]).
'$file_calls'(pair, [pipe, pipe2, socketpair]).
'$file_calls'(close, [close]).
'$file_calls'(close_range, [close_range]).
'$file_calls'(execve, [execve, execveat]).
'$file_calls'(read, [read, pread64, readv, preadv, preadv2, recvfrom, recvmsg, getdents64]).
'$file_calls'(write, [write, pwrite64, writev, pwritev, pwritev2, sendto, sendmsg]).

'$file_call'(path, Name, Fd, Args, Pid, open(Pid, Fd, Path, Exec)) :-
    ( member(Arg, Args), '$text'(Arg, Text) -> Path = Text ; Path = Name ),
    '$closes_at_exec'(Args, Exec).
'$file_call'(fd, Name, Fd, Args, Pid, open(Pid, Fd, Name, Exec)) :-
    '$closes_at_exec'(Args, Exec).
'$file_call'(dup, Name, Fd, [Old|Args], Pid, dup(Pid, From, Fd, Name, Exec)) :-
    '$fd'(Old, From),
    ( From =\= Fd -> true ; Name == dup ),
    '$closes_at_exec'(Args, Exec).
'$file_call'(fcntl, _, Fd, [Old, Command|_], Pid, dup(Pid, From, Fd, dup, Exec)) :-
    atom(Command),
    sub_atom(Command, 0, _, _, 'F_DUPFD'),
    '$fd'(Old, From),
    '$closes_at_exec'([Command], Exec).
'$file_call'(fcntl, _, _, [Fd, 'F_SETFD', Flags|_], Pid, exec(Pid, Number, Exec)) :-
    '$fd'(Fd, Number),
    '$closes_at_exec'([Flags], Exec).
'$file_call'(pair, Name, _, Args, Pid, open(Pid, Fd, Name, Exec)) :-
    once(( member([A, B], Args), '$fd'(A, First), '$fd'(B, Second) )),
    '$closes_at_exec'(Args, Exec),
    member(Fd, [First, Second]).
'$file_call'(close, _, _, [Fd|_], Pid, close(Pid, Number, Number)) :-
    '$fd'(Fd, Number).
'$file_call'(close_range, _, _, [First, Last|_], Pid, close(Pid, First, To)) :-
    integer(First),
    ( integer(Last) -> To = Last ; To = 2147483648 ).
'$file_call'(execve, _, _, _, Pid, execve(Pid)).
'$file_call'(read, _, Size, [Fd|_], Pid, bytes(Pid, Number, Size, 0)) :-
    '$fd'(Fd, Number).
'$file_call'(write, _, Size, [Fd|_], Pid, bytes(Pid, Number, 0, Size)) :-
    '$fd'(Fd, Number).

% The number of a file descriptor.
'$fd'(Fd, Fd) :- integer(Fd).
'$fd'(fd(Fd, _), Fd) :- integer(Fd).

'$closes_at_exec'(Args, Exec) :-
    ( '$mentions'(Args, 'CLOEXEC') -> Exec = yes ; Exec = no ).

% A flag in Args has Word in its name.
'$mentions'(Args, Word) :-
    member(Arg, Args),
    '$flags'(Arg, Flags),
    has_flag(Flags, Flag),
    atom(Flag),
    sub_atom(Flag, _, _, _, Word),
    !.

% The flags in an argument, which may be those before the call and after it.
'$flags'(Flags, Flags).
'$flags'(_ = Flags, Flags).
'$flags'(struct(Parts), Flags) :- member(_ = Flags, Parts).
'$flags'(=>(Arg, _), Flags) :- '$flags'(Arg, Flags).

% files(Owners, Tables, Next, Closed): the number of the table of each process, and for each number table(Users, Fds) with
% the files by descriptor.
'$change'(Chrono-Change, State0, State) :-
    ( '$changed'(Change, Chrono, State0, State) -> true ; State = State0 ).

'$changed'(open(Pid, Fd, Path, Exec), Chrono, State0, State) :-
    '$table'(Pid, State0, Number, table(Users, Fds0), files(Owners, Tables0, Next, Closed0)),
    '$close'(Fd, Chrono, Fds0, Fds1, Closed0, Closed),
    put_assoc(Fd, Fds1, open(Chrono, Pid, Path, opened, Exec, 0, 0), Fds),
    put_assoc(Number, Tables0, table(Users, Fds), Tables),
    State = files(Owners, Tables, Next, Closed).
'$changed'(dup(Pid, From, Fd, Name, Exec), Chrono, State0, State) :-
    '$table'(Pid, State0, _, table(_, Fds), State1),
    ( get_assoc(From, Fds, open(_, _, Found, _, _, _, _)) -> Path = Found ; Path = Name ),
    '$changed'(open(Pid, Fd, Path, Exec), Chrono, State1, State).
'$changed'(exec(Pid, Fd, Exec), _, State0, State) :-
    '$update'(Pid, Fd, '$set_exec'(Exec), State0, State).
'$changed'(bytes(Pid, Fd, Read, Written), _, State0, State) :-
    '$update'(Pid, Fd, '$add_bytes'(Read, Written), State0, State).
'$changed'(close(Pid, First, Last), Chrono, State0, State) :-
    '$table'(Pid, State0, Number, table(Users, Fds0), files(Owners, Tables0, Next, Closed0)),
    (   First =:= Last
    ->  '$close'(First, Chrono, Fds0, Fds, Closed0, Closed)
    ;   assoc_to_keys(Fds0, All),
        include('$is_between'(First, Last), All, Within),
        '$close_all'(Within, Chrono, Fds0, Fds, Closed0, Closed)
    ),
    put_assoc(Number, Tables0, table(Users, Fds), Tables),
    State = files(Owners, Tables, Next, Closed).
'$changed'(fork(Pid, Child, Shared), Chrono, State0, State) :-
    '$table'(Pid, State0, Number, table(Users, Fds), files(Owners0, Tables0, Next, Closed)),
    (   Shared == yes
    ->  More is Users + 1,
        put_assoc(Child, Owners0, Number, Owners),
        put_assoc(Number, Tables0, table(More, Fds), Tables),
        State = files(Owners, Tables, Next, Closed)
    ;   map_assoc('$inherit'(Child, Chrono), Fds, Copy),
        put_assoc(Child, Owners0, Next, Owners),
        put_assoc(Next, Tables0, table(1, Copy), Tables),
        After is Next + 1,
        State = files(Owners, Tables, After, Closed)
    ).
'$changed'(execve(Pid), Chrono, State0, State) :-
    '$table'(Pid, State0, _, table(_, Fds0), State1),
    '$unshare'(Pid, State1, files(Owners0, Tables0, Next, Closed0)),
    assoc_to_list(Fds0, Pairs),
    findall(Fd, member(Fd-open(_, _, _, _, yes, _, _), Pairs), Marked),
    '$close_all'(Marked, Chrono, Fds0, Fds, Closed0, Closed),
    put_assoc(Pid, Owners0, Next, Owners),
    put_assoc(Next, Tables0, table(1, Fds), Tables),
    After is Next + 1,
    State = files(Owners, Tables, After, Closed).
'$changed'(end(Pid), _, State0, State) :-
    State0 = files(Owners, Tables, _, _),
    get_assoc(Pid, Owners, Number),
    get_assoc(Number, Tables, table(Users, Fds)),
    '$unshare'(Pid, State0, State1),
    (   Users =:= 1
    ->  State1 = files(Owners1, Tables1, Next, Closed0),
        '$leave_table'(table(1, Fds), Closed0, Closed),
        State = files(Owners1, Tables1, Next, Closed)
    ;   State = State1
    ).

% The table of a process, which is made now if there is none.
'$table'(Pid, State, Number, Table, State) :-
    State = files(Owners, Tables, _, _),
    get_assoc(Pid, Owners, Number),
    !,
    get_assoc(Number, Tables, Table).
'$table'(Pid, files(Owners0, Tables0, Next, Closed), Next, table(1, None), files(Owners, Tables, After, Closed)) :-
    empty_assoc(None),
    put_assoc(Pid, Owners0, Next, Owners),
    put_assoc(Next, Tables0, table(1, None), Tables),
    After is Next + 1.

% Pid no longer uses its table, which is dropped if no other process uses it.
'$unshare'(Pid, files(Owners0, Tables0, Next, Closed), files(Owners, Tables, Next, Closed)) :-
    del_assoc(Pid, Owners0, Number, Owners),
    get_assoc(Number, Tables0, table(Users, Fds)),
    (   Users > 1
    ->  Fewer is Users - 1,
        put_assoc(Number, Tables0, table(Fewer, Fds), Tables)
    ;   del_assoc(Number, Tables0, _, Tables)
    ).

'$update'(Pid, Fd, Goal, State0, files(Owners, Tables, Next, Closed)) :-
    '$table'(Pid, State0, Number, table(Users, Fds0), files(Owners, Tables0, Next, Closed)),
    get_assoc(Fd, Fds0, Open0),
    call(Goal, Open0, Open),
    put_assoc(Fd, Fds0, Open, Fds),
    put_assoc(Number, Tables0, table(Users, Fds), Tables).

'$set_exec'(Exec, open(From, Pid, Path, How, _, Read, Written), open(From, Pid, Path, How, Exec, Read, Written)).

'$add_bytes'(R, W, open(From, Pid, Path, How, Exec, R0, W0), open(From, Pid, Path, How, Exec, Read, Written)) :-
    Read is R0 + R,
    Written is W0 + W.

'$inherit'(Child, Chrono, open(_, _, Path, _, Exec, _, _), open(Chrono, Child, Path, inherited, Exec, 0, 0)).

'$is_between'(First, Last, Fd) :- Fd >= First, Fd =< Last.

'$close_all'([], _, Fds, Fds, Closed, Closed).
'$close_all'([Fd|Rest], Chrono, Fds0, Fds, Closed0, Closed) :-
    '$close'(Fd, Chrono, Fds0, Fds1, Closed0, Closed1),
    '$close_all'(Rest, Chrono, Fds1, Fds, Closed1, Closed).

% Closes a descriptor, if it is open.
'$close'(Fd, Chrono, Fds0, Fds, Closed0, Closed) :-
    (   del_assoc(Fd, Fds0, open(From, Pid, Path, How, _, Read, Written), Fds1)
    ->  Fds = Fds1,
        Closed = [file(From, Pid, Fd, Path, Chrono, How, Read, Written)|Closed0]
    ;   Fds = Fds0,
        Closed = Closed0
    ).

'$leave_table'(table(_, Fds), Closed0, Closed) :-
    assoc_to_list(Fds, Pairs),
    findall(file(From, Pid, Fd, Path, inf, How, Read, Written),
            member(Fd-open(From, Pid, Path, How, _, Read, Written), Pairs),
            Left),
    append(Left, Closed0, Closed).

%! slow(+K, -Calls) is det.
%
%  Calls has the K calls that took longest, as far as the trace tells (strace -T), the longest first: `call(Call, Name, Ns)`.
%
%  On queens.jsonl:
%  ?- slow(1, Calls).
%  Calls = [call(1, main, 697)].
%  On strace/split_ff.28963:
%  ?- slow(2, Calls).
%  Calls = [call(58, wait4, 3909000), call(15, mmap, 2884000)].
slow(K, Calls) :-
    findall(Ns-call(Call, Name, Ns), '$took'(Call, Name, Ns), Pairs),
    sort(1, @>=, Pairs, Sorted),
    findall(Found, limit(K, member(_-Found, Sorted)), Calls).

'$took'(Call, Name, Ns) :-
    (   '$has_attribute'(dur)
    ->  event([dur=Ns, call=Call, name=Name])
    ;   duration(Call, Ns),
        call_start(Call, Chrono),
        event([chrono=Chrono, name=Name])
    ).

%! time_in(?Name, -N, -Ns) is nondet.
%
%  N calls of Name took Ns nanoseconds together, as far as the trace tells (`-T`).
%
%  On strace/split_ff.28963:
%  ?- time_in(wait4, N, Ns).
%  N = 3, Ns = 4081000.
time_in(Name, N, Ns) :-
    findall(Found-Dur, event([name=Found, dur=Dur]), Pairs),
    keysort(Pairs, Sorted),
    group_pairs_by_key(Sorted, Groups),
    member(Name-Durs, Groups),
    length(Durs, N),
    sum_list(Durs, Ns).

%! failed(?Name, ?Errno, -N) is nondet.
%
%  N calls of Name failed with the error Errno.
%
%  On strace/split_ff.28963:
%  ?- failed(close, Errno, N).
%  Errno = 'EBADF', N = 1.
failed(Name, Errno, N) :-
    tally(Found-Error, event([port=exception, name=Found, errno=Error]), Pairs),
    msort(Pairs, Sorted),
    member((Name-Errno)-N, Sorted).

%! signalled(?From, ?To, ?Signal) is nondet.
%@ values.
%
%  The process To received Signal, which the process From sent, `-` if the trace does not show that; or From sent it with
%  kill, tkill or tgkill, and the trace does not show whether To received it.
%
%  On strace/filtered.txt:
%  ?- signalled(From, 28991, 'SIGKILL').
%  From = 28991.
signalled(From, To, Signal) :-
    findall(s(F, T, S), '$received'(F, T, S), Received),
    findall(s(F, T, S), ( '$sent'(F, T, S), \+ memberchk(s(F, T, S), Received) ), Sent),
    append(Received, Sent, All),
    sort(All, Sorted),
    member(s(From, To, Signal), Sorted).

'$received'(From, To, Signal) :-
    event([port=signal, pid=To, name=Signal, args=[struct(Parts)]]),
    ( member(si_pid=Pid, Parts) -> From = Pid ; From = (-) ).

'$sent'(From, To, Signal) :-
    event([port=call, name=[kill, tkill, tgkill], name=Name, pid=From, args=Args]),
    '$target'(Name, Args, Target, Signal),
    ( Target = fd(To, _) -> true ; To = Target ).

'$target'(kill, [To, Signal|_], To, Signal).
'$target'(tkill, [To, Signal|_], To, Signal).
'$target'(tgkill, [_, To, Signal|_], To, Signal).

%! waiting(?Pid, ?Call) is nondet.
%
%  The process Pid was in the call with the number Call when the trace ended.
%
%  On strace/bad/S4_two_calls_at_once.txt:
%  ?- waiting(Pid, Call).
%  Pid = 100, Call = 1.
waiting(Pid, Call) :-
    event([port=call, call=Call, pid=Pid]),
    \+ event([call=Call, port=[exit, exception, interrupted, exited, killed, superseded]]).

%! connected(?Pid, ?Address) is nondet.
%@ values.
%
%  The process Pid connected a socket to Address: `inet(Host, Port)`, `unix(Path)`, or the structure that strace printed.
%
%  On strace/client.txt:
%  ?- connected(Pid, Address).
%  Pid = 7, Address = inet("1.2.3.4", 80).
connected(Pid, Address) :-
    event([port=[exit, exception], name=connect, pid=Pid, ret=Ret, args=[_, struct(Parts)|_], chrono=Chrono]),
    ( Ret =:= 0 -> true ; attribute(Chrono, errno, 'EINPROGRESS') ),
    '$address'(Parts, Address).

'$address'(Parts, inet(Host, Port)) :-
    member(Key=htons(Port), Parts),
    memberchk(Key, [sin_port, sin6_port]),
    ( member(_=inet_addr(Host), Parts) -> true ; member(inet_pton(_, Host, _), Parts) ),
    !.
'$address'(Parts, unix(Path)) :-
    member(sun_path=Path, Parts),
    !.
'$address'(Parts, struct(Parts)).
