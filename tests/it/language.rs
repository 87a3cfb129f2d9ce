//! The language by example: goals for the prompt beside the answers that they must have, in `tests/language`.

use std::fs;
use std::path::Path;

use crate::support::papaver;

#[test]
fn every_goals_file_has_the_answers_beside_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    let mut n_files = 0;
    for entry in fs::read_dir(folder).expect("the folder is part of the project") {
        let goals = entry.expect("the folder can be read").path();
        if goals.extension().is_some_and(|ending| ending == "goals") {
            assert_answers(&goals);
            n_files += 1;
        }
    }
    assert!(n_files > 0, "no goals were found");
}

fn assert_answers(goals: &Path) {
    let expected = fs::read_to_string(goals.with_extension("out")).expect("the answers stand beside the goals");
    let output = papaver().pipe_stdin(goals).expect("the goals can be read").output().expect("papaver runs");
    let answers = String::from_utf8(output.stdout).expect("answers are UTF-8");
    assert_eq!(answers, expected, "{}", goals.display());
}
