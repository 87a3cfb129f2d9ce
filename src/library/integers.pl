% Integers: division with its rest, and roots.

%! divmod(+Dividend, +Divisor, -Quotient, -Remainder) is det.
%
%  Quotient is `Dividend div Divisor`, and Remainder is `Dividend mod Divisor`.
%
%  ?- divmod(-7, 2, Q, R).
%  Q = -4, R = 1.
%  ?- divmod(1, 0, _, _).
%  error: evaluation_error(zero_divisor).
divmod(Dividend, Divisor, Quotient, Remainder) :-
    Quotient is Dividend div Divisor,
    Remainder is Dividend mod Divisor.

%! nth_integer_root_and_remainder(+N, +Integer, -Root, -Remainder) is det.
%
%  `Root ^ N + Remainder` is Integer, and Root is the integer nearest to the root of it, rounded towards zero.
%
%  ?- nth_integer_root_and_remainder(2, 10, Root, Rest).
%  Root = 3, Rest = 1.
%  ?- nth_integer_root_and_remainder(3, -30, Root, Rest).
%  Root = -3, Rest = -3.
nth_integer_root_and_remainder(N, Integer, Root, Remainder) :-
    must_be(positive_integer, N),
    must_be(integer, Integer),
    (   Integer < 0, N mod 2 =:= 0
    ->  throw(error(evaluation_error(undefined), _))
    ;   true
    ),
    Magnitude is abs(Integer),
    High is 1 << (msb(Magnitude + 1) // N + 1),
    root_between_(0, High, N, Magnitude, Root0),
    Root is sign(Integer) * Root0,
    Remainder is Integer - Root ^ N.

% The root is at least Low and less than High.
root_between_(Low, High, N, Magnitude, Root) :-
    (   High =:= Low + 1
    ->  Root = Low
    ;   Middle is (Low + High) // 2,
        (   Middle ^ N =< Magnitude
        ->  root_between_(Middle, High, N, Magnitude, Root)
        ;   root_between_(Low, Middle, N, Magnitude, Root)
        )
    ).
