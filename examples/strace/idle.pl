% Files that a program opened and never read: what it costs to open them, and how a check keeps others out.
% $ papaver run examples/strace/idle.pl examples/strace/restart.strace
%
% A small program starts a few processes and threads. It maps its libraries into memory, and opens many files of locales
% that it does not read either.

main :-
    findall(Path, idle_file(Path), Paths),
    length(Paths, N),
    format("~d files were opened, but neither read nor written:~n", [N]),
    forall(( member(Path, Paths), \+ is_locale(Path) ), format("  ~w~n", [Path])),
    include(is_locale, Paths, Locales),
    length(Locales, L),
    format("  and ~d of locales~n~n", [L]),
    findall(Ns, ( event([port=exit, name=openat, args=[_, Path|_], dur=Ns]), memberchk(Path, Paths) ), All),
    sum_list(All, Sum),
    Us is Sum // 1000,
    format("opening them took ~d us~n", [Us]),
    forall(left_open(Pid, Fd, What), format("process ~d left ~w open as ~d~n", [Pid, What, Fd])),
    forall(( bytes(Path, _, Written), Written > 0, string(Path) ), format("~d bytes were written to ~w~n", [Written, Path])).

is_locale(Path) :-
    sub_string(Path, 0, _, _, "/usr/lib/locale/").
