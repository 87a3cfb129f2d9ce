% aggregate_all/3 of count, sum, max, bag and set, and forall/2, over N answers each.
% small 1000: 504600
% middle 20000: 51516
% large 500000: 877116
:- initialization(main).

main :- read(N), run(N, A), write(A), nl, halt.

run(N, A) :-
    aggregate_all(count, between(1, N, _), Count),
    aggregate_all(sum(X), between(1, N, X), Sum),
    aggregate_all(max(Y, X), (between(1, N, X), Y is X mod 1009), max(Max, Where)),
    aggregate_all(bag(X), between(1, N, X), Bag),
    aggregate_all(set(Y), (between(1, N, X), Y is X mod 100), Set),
    length(Bag, Bags),
    length(Set, Sets),
    forall(between(1, N, X), X > 0),
    small(N),
    A is (Count + Sum + Max + Where + Bags + Sets) mod 1000003.

% Many aggregates of few answers.
small(0) :- !.
small(N) :-
    aggregate_all(count, item(_), 3),
    aggregate_all(max(X), item(X), 3),
    forall(item(X), X < 4),
    N1 is N - 3,
    ( N1 > 0 -> small(N1) ; true ).

item(1). item(2). item(3).
