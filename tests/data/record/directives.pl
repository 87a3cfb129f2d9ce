% Directives that succeed, fail, and print, and a goal after loading.
:- initialization(go).
:- p(1) -> true ; writeln(unknown).
p(1).
p(2).
:- p(2), writeln(directive).
go :- p(X), X > 1, writeln(X).
:- writeln(fails), fail.
