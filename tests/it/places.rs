//! An error names the place of the goal that raised it, also through predicates of the library.

use crate::support::{data, file, papaver, stderr};

#[test]
fn an_error_inside_a_library_predicate_names_the_goal_of_the_query() {
    let goal = "true, findall(X, (member(X, [a]), _ is X + 1), _)";
    let told = stderr(papaver().args(["query", goal, &data("qsort.trace")]), 2);
    assert_eq!(told, "query:1:7: error: expected an evaluable, found `a/0` (in `is/2`)\n");
}

#[test]
fn an_error_in_the_last_goal_of_a_clause_names_the_line_of_the_script() {
    let script = "main :-\n    member(X, [a]),\n    forall(true, atom_length(X, no_number)).\n";
    let (_folder, path) = file("script.pl", script);
    let told = stderr(papaver().arg("run").arg(&path).arg(data("qsort.trace")), 2);
    let place = format!("{}:3:5: error: ", path.display());
    assert!(told.starts_with(&place), "{told}");
}
