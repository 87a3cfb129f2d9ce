:- module shop.
:- interface.
:- import_module io.
:- pred main(io::di, io::uo) is det.
:- implementation.
:- import_module int, list, till.

main(!IO) :-
    Goods = [good("tea", 4), good("jam", 0)],
    list.foldl(sell, Goods, !IO),
    ( if some [G] (member(G, Goods), is_free(G)) then
        till.thank(1, !IO)
    else
        till.thank(
            2, !IO),
        close(!IO)
    ).

:- pred sell(good::in, io::di, io::uo) is det.
sell(good(Name, Price), !IO) :-
    Sum = taxed(Price)
        + taxed(0),
    (
        Price = 0,
        give(Name, !IO)
    ;
        Price = 4,
        ring(Sum, !IO)
    ;
        Price = 9,
        P = (pred(N::in, !.T::di, !:T::uo) is det :- ring(N, !T)),
        P(Sum, !IO)
    ).

:- func taxed(int) = int.
taxed(Price) = Price + Price `mod` 10.

:- pred give(string::in, io::di, io::uo) is det.
give(_, !IO).

:- pred ring(int::in, io::di, io::uo) is det.
ring(Sum, !IO) :- till.entry(Sum, 0 - Sum, _), not is_free(good("", Sum)).

:- pred is_free(good::in) is semidet.
is_free(good(_, 0)).

:- pred close(io::di, io::uo) is det.
close(!IO) :- give("keys", !IO), till.lock(!IO).
broken(X) :- X X.
