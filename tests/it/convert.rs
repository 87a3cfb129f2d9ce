//! `papaver convert`.

use crate::support::{data, papaver, stderr, stdout};

#[test]
fn morphine_gives_back_the_file_to_the_byte() {
    let text = stdout(papaver().args(["convert", &data("queens.trace"), "-o", "-", "--to=morphine"]), 0);
    assert_eq!(text, std::fs::read_to_string(data("queens.trace")).unwrap());
}

#[test]
fn the_ending_tells_the_format_and_the_way_back_gives_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (jsonl, back) = (folder.path().join("q.jsonl"), folder.path().join("back.trace"));
    stdout(papaver().args(["convert", &data("queens.trace"), "-o"]).arg(&jsonl), 0);
    stdout(papaver().arg("convert").arg(&jsonl).arg("-o").arg(&back), 0);
    assert_eq!(std::fs::read(back).unwrap(), std::fs::read(data("queens.trace")).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn an_unknown_ending_is_an_error_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.xyz");
    assert!(stderr(papaver().args(["convert", &data("queens.trace"), "-o"]).arg(&path), 2).contains("`--to`"));
    assert!(!path.exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let mut command = papaver();
    command.args(["convert", &data("queens.trace"), "-o", "/dev/full", "--to=csv"]);
    assert!(stderr(&mut command, 2).contains("/dev/full"));
}
