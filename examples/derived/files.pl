% System calls as what a program does with files: a box from the opening of a file to its closing, with what was read.
% $ papaver run --on files examples/derived/files.pl examples/strace/restart.strace
%
% strace has printed the paths of descriptors (-y), so that each call names its file; the box of a file is that of the
% call that has opened it.

:- derived_trace(files, [port=call, call=Call, name=Path, pid=Pid, time=T, origin=O],
                 event([port=exit, name=openat, call=Call, ret_path=Path, pid=Pid, time=T, chrono=O])).
:- derived_trace(files, [port=read, call=Call, name=Path, pid=Pid, time=T, bytes=N, origin=O],
                 ( event([port=exit, name=[read, pread64], args=[fd(Fd, Path)|_], pid=Pid, time=T, ret=N, chrono=O]),
                   opened(Fd, Path, Pid, O, Call) )).
:- derived_trace(files, [port=exit, call=Call, name=Path, pid=Pid, time=T, origin=O],
                 ( event([port=exit, name=close, args=[fd(Fd, Path)], pid=Pid, time=T, chrono=O]),
                   opened(Fd, Path, Pid, O, Call) )).

% opened(+Fd, +Path, +Pid, +Chrono, -Call): Call is the last one before Chrono that has opened the file as Fd.
opened(Fd, Path, Pid, Chrono, Call) :-
    goto_np(Chrono),
    det_bget_np([port=exit, name=openat, pid=Pid, ret=Fd, ret_path=Path, call=Call]).

main :-
    in_trace(source, aggregate_all(count, event([]), All)),
    aggregate_all(count, event([]), N),
    format("~d events of files, of ~d of system calls:~n", [N, All]),
    forall(fget([chrono=1..7]), true),
    aggregate_all(count, ( event([port=call, call=C]), \+ event([port=read, call=C]) ), Unread),
    format("...~n~d files were opened and not read~n", [Unread]),
    sum_by(Path, Bytes, event([port=read, name=Path, bytes=Bytes]), Sums),
    forall(member(Path-Sum, Sums), format("~d bytes were read of ~w~n", [Sum, Path])).
