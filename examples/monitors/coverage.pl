% What has this run not shown? Every call in the source, with its line and determinism, and every procedure of the trace.
%
% $ papaver run examples/monitors/coverage.pl examples/queens/queens.jsonl
%
% Calls of the library and of `fail` leave no events, so that they stay uncovered.

main :-
    pred_cov(_, Procs),
    print_all(Procs),
    findall(csc(Module, Name, Line, Det), site(Module, Name, Line, Det), Sites),
    call_site_cov(Sites, Uncovered),
    print_all(Uncovered).

print_all(Items) :- forall(member(Item, Items), ( print(Item), nl )).

site(queens, data, 16, det).
site(queens, queen, 16, nondet).
site(queens, print_list, 17, det).
site(io, write_string, 19, det).
site(queens, qperm, 43, nondet).
site(queens, safe, 44, semidet).
site(queens, qdelete, 48, nondet).
site(queens, qperm, 50, nondet).
site(queens, qdelete, 54, nondet).
site(queens, nodiag, 58, semidet).
site(queens, safe, 59, semidet).
site(queens, fail, 66, failure).
site(queens, fail, 68, failure).
site(queens, nodiag, 73, semidet).
site(io, write_string, 82, det).
site(io, write_string, 84, det).
site(queens, print_list_2, 85, det).
site(io, write_string, 86, det).
site(io, write_int, 94, det).
site(io, write_string, 100, det).
site(queens, print_list_2, 101, det).
