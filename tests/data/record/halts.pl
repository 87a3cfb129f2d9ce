% Goals that are called when the program halts.
:- at_halt(last(1)).

go :- at_halt(first(1)), p(1).
stops :- p(2), at_halt(first(2)), halt(3).
fails :- at_halt(first(3)), p(1), \+ p(2).
stays :- at_halt(( \+ left, assertz(left), cancel_halt(stay) )), ( halt(4) -> true ; writeln(stayed) ), p(3).

:- dynamic left/0.
p(_).
first(N) :- inner(N), writeln(first(N)).
inner(_).
last(_) :- writeln(last).
