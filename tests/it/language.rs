//! The language by example: the goals of `tests/language`, run at the prompt, with the answers that they must have.

use std::path::Path;

use crate::golden::{self, Golden};
use crate::support::papaver;

#[test]
fn every_goals_file_has_the_answers_beside_it() {
    let goals = golden::files("tests/language", "goals");
    assert!(!goals.is_empty(), "no goals were found");
    golden::assert_all(goals.iter().map(|path| Golden { path: path.with_extension("out"), text: answers_of(path) }));
}

fn answers_of(goals: &Path) -> String {
    let output = papaver().pipe_stdin(goals).expect("the goals can be read").output().expect("papaver runs");
    String::from_utf8(output.stdout).expect("answers are UTF-8")
}
