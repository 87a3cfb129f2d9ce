% Tabled procedures: recursion on the left, of two procedures, the best answer, exceptions, and tables that are complete already.
:- table connected/2, even/1, odd/1, distance(_, _, min), raises/1.

edge(X, Y) :- between(1, 8, X), member(Step, [1, 3]), Y is (X+Step) mod 8.
connected(X, Y) :- connected(X, Z), connected(Z, Y).
connected(X, Y) :- edge(X, Y).
even(0).
even(X) :- odd(Y), Y < 5, X is Y+1.
odd(X) :- even(Y), Y < 5, X is Y+1.
distance(X, X, 0).
distance(X, Y, N) :- distance(X, Z, M), M < 5, edge(Z, Y), N is M+1.
raises(X) :- X > 3, throw(big(X)).
raises(X) :- Y is X+1, raises(Y).

asks(Goal) :- findall(Goal, Goal, Answers), length(Answers, N), functor(Goal, Name, Arity), writeln(Name/Arity-N).

go :- asks(connected(1, _)), asks(connected(1, _)), asks(connected(_, _)), asks(even(_)), asks(odd(_)), asks(distance(1, _, _)),
    catch(raises(1), Error, ( print(Error), nl )), abolish_all_tables, once(connected(3, _)), asks(connected(3, _)).
