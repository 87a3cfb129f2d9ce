% Why the board that was printed has passed the test: its proof, as a picture.
%
% $ papaver run examples/queens/proof.pl examples/queens/queens.trace

main :-
    event([port=exit, name=safe, args=[[1, 3, 5, 2, 4]], call=Call]),
    proof_tree(Call, Tree),
    print_svg(Tree).
