% Event lines of one's own: boards are drawn, numbers are spelt, and a star stands for what is hidden.

:- use_hooks.

write_list([Q|Qs]) :- maplist(integer, [Q|Qs]), !, write_trace('<'), forall(member(X, [Q|Qs]), write_trace(X)), write_trace('>').
write_list(List) :- write_trace(List).

write_ersatz :- write_trace(*).

write_indent(_, _, _, Depth) :- write_trace(Depth), write_trace(' ').
