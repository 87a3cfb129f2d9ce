% Morphine's abbreviations. They exist at the prompt only; a script may define these names as it likes.

n :- next.
n(N) :- next(N).
f :- finish.
sk :- skip.
r :- first.
o :- last.
fg(Constraints) :- fget(Constraints).
bg(Constraints) :- bget(Constraints).
curr(Constraints) :- current(Constraints).
p :- print_event.
pf :- print_full_event.
a(Text) :- apropos(Text).
h :- help.
cfg :- control_flow_graph.
dcg :- dynamic_call_graph.
pt :- proof_tree.
pc(Procs, Uncovered) :- pred_cov(Procs, Uncovered).
csc(Sites, Uncovered) :- call_site_cov(Sites, Uncovered).
