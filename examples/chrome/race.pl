% A race between two threads of a Python program: the account holds 150, and should hold 162. Which deposits were lost?
%
% bank.py was recorded with `viztracer --log_func_args --log_func_retval bank.py`. A deposit is lost if another thread
% reads the account before it is written, and writes it after.
%
% $ papaver run examples/chrome/race.pl examples/chrome/race.json

main :-
    forall(lost(Call, Other), tell(Call, Other)).

% lost(?Call, ?Other): what the deposit Call wrote was overwritten by the deposit Other, which had read the account before.
lost(Call, Other) :-
    access(Call, Account, ReadAt, _, WroteAt, _, Thread),
    access(Other, Account, OtherReadAt, _, OtherWroteAt, _, OtherThread),
    OtherThread \== Thread,
    OtherReadAt < WroteAt,
    ReadAt < OtherWroteAt,
    WroteAt < OtherWroteAt.

% access(?Call, ?Account, -ReadAt, -Read, -WroteAt, -Written, -Thread): the deposit Call reads and then writes an account.
access(Call, Account, ReadAt, Read, WroteAt, Written, Thread) :-
    event([port=call, call=Call, name=deposit, args=[Account, _], thread=Thread]),
    child(Call, Reading),
    event([port=exit, call=Reading, name=read, args=[Account, Read], chrono=ReadAt]),
    child(Call, Writing),
    event([port=call, call=Writing, name=write, args=[Account, Written], chrono=WroteAt]).

tell(Call, Other) :-
    access(Call, Account, _, Read, WroteAt, Written, Thread),
    access(Other, Account, OtherReadAt, OtherRead, OtherWroteAt, OtherWritten, OtherThread),
    format("~w read ~w and wrote ~w at event ~w,~n", [Thread, Read, Written, WroteAt]),
    format("  but ~w had read ~w at event ~w, and wrote ~w at event ~w.~n",
           [OtherThread, OtherRead, OtherReadAt, OtherWritten, OtherWroteAt]).
