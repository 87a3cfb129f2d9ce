:- module till.
:- interface.
:- import_module io.
:- type good ---> good(string, int).
:- pred thank(int::in, io::di, io::uo) is det.
:- pred entry(int, int, int).
:- mode entry(in, in, out) is det.
:- mode entry(out, out, in) is multi.
:- pred unused(io::di, io::uo) is det.
:- implementation.
:- pragma foreign_proc("C", entry(A::in, B::in, C::out), [will_not_call_mercury], "
    C = A + B; /* p(1) */
").

thank(_) --> greet, { true }, ( { fail } -> [] ; greet ).

:- pred greet(io::di, io::uo) is det.
greet --> [].
unused(!IO) :- thank(0, !IO).
