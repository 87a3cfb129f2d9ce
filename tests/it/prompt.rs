//! The prompt: with goals piped in, and on a terminal.

use crate::support::{data, file, papaver, program, stderr, stdout};

fn piped(goals: &str) -> assert_cmd::Command {
    let mut command = papaver();
    command.arg(data("queens.trace")).write_stdin(goals.to_string());
    command
}

#[test]
fn piped_goals_give_all_their_answers() {
    let text = stdout(&mut piped("member(X, [1, 2]).\nX = a, Y = 'B'.\ntrue."), 0);
    assert_eq!(text, "X = 1 ;\nX = 2.\nX = a,\nY = 'B'.\ntrue.\n");
}

#[test]
fn a_goal_may_take_several_lines_and_a_line_several_goals() {
    let text = stdout(&mut piped("member(X,\n  [1]). % one\nY = 2. Z\n= 3"), 0);
    assert_eq!(text, "X = 1.\nY = 2.\nZ = 3.\n");
}

#[test]
fn a_goal_without_an_answer_is_status_1() {
    assert_eq!(stdout(&mut piped("fail. true."), 1), "false.\ntrue.\n");
}

#[test]
fn an_error_is_status_2_and_the_next_goal_is_put() {
    let mut command = piped("foo(.\nX = 1.\n");
    assert_eq!(stdout(&mut command, 2), "X = 1.\n");
    assert!(stderr(&mut command, 2).contains("error:"));
}

#[test]
fn the_cursor_stays_at_the_last_answer() {
    let text =
        stdout(&mut piped("det_fget_np([port=exit, name=queen]). current(chrono=C). retry_np, current(chrono=D)."), 0);
    assert_eq!(text, "true.\nC = 673.\nD = 4.\n");
}

#[test]
fn abbreviations_exist_at_the_prompt() {
    let text = stdout(&mut piped("det_fget([chrono=2]). p."), 0);
    assert_eq!(text, "  2:  2 [2] call data(-) []  16 \ntrue.\n  2:  2 [2] call data(-) []  16 \ntrue.\n");
}

#[test]
fn help_explains_what_there_is() {
    let text = stdout(&mut piped("help. help(atom_length). help(member/2). apropos(line_numb)."), 0);
    for expected in ["fget(Constraints)", "atom_length(", "X = a\n", "line_number "] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let text = stdout(&mut piped("help(atom_lenght)."), 1);
    assert!(text.contains("did you mean `atom_length`?"), "{text}");
}

#[test]
fn halt_ends_at_once() {
    let text = stdout(&mut piped("X = 1. halt(4). X = 2."), 4);
    assert_eq!(text, "X = 1.\n");
}

#[cfg(unix)]
mod on_a_terminal {

    use rexpect::session::{PtySession, spawn_command};

    use super::*;

    struct Person {
        pty: PtySession,
        home: tempfile::TempDir,
    }

    fn sit_down() -> Person {
        sit_down_with("--color=never")
    }

    fn sit_down_with(color: &str) -> Person {
        sit_down_at(&[data("queens.trace")], color)
    }

    fn sit_down_at(traces: &[impl AsRef<std::ffi::OsStr>], color: &str) -> Person {
        let home = tempfile::tempdir().unwrap();
        let mut command = program();
        command.args(traces).arg(color).env("TERM", "xterm").env("HOME", home.path());
        command.env("XDG_STATE_HOME", home.path()).env("XDG_CONFIG_HOME", home.path());
        let mut pty = spawn_command(command, Some(30_000)).unwrap();
        pty.exp_string("?- ").unwrap();
        Person { pty, home }
    }

    impl Person {
        fn types(&mut self, text: &str) {
            self.pty.send(text).unwrap();
            self.pty.flush().unwrap();
        }

        fn sees(&mut self, text: &str) {
            self.pty.exp_string(text).unwrap_or_else(|error| panic!("expected {text:?}: {error}"));
        }
    }

    #[test]
    fn answers_come_one_by_one() {
        let mut person = sit_down();
        person.types("member(X, [1, 2, 3])\r");
        person.sees("X = 1 ");
        person.types(";");
        person.sees("X = 2 ");
        person.types(" ");
        person.sees("X = 3.");
        person.sees("?- ");
        person.types("member(X, [a, b])\r");
        person.sees("X = a ");
        person.types("\r");
        person.sees("?- ");
        person.types("\u{4}");
        person.pty.exp_eof().unwrap();
    }

    #[test]
    fn what_is_no_key_begins_the_next_goal() {
        let mut person = sit_down();
        let goals = [
            ("next.\r", "  1: 1 [1] call main"),
            ("next.\r", "  2:  2 [2] call data"),
            ("member(N, [1, 2]).\r", "N = 1 "),
            ("aggregate_all(count, event([port=exit]), N).\r", "N = 149."),
            ("member(H, [1, 2]).\r", "H = 1 "),
            ("?- current(chrono=C).\r", "C = 2."),
            ("member(A, [1, 2]).\r", "A = 1 "),
            ("help(true).\r", "true"),
        ];
        for (goal, answer) in goals {
            person.types(goal);
            person.sees(answer);
        }
    }

    #[test]
    fn a_goal_begun_after_the_answer_of_one_trace_is_not_cut_by_those_of_others() {
        let mut person = sit_down_at(&[data("queens.trace"), data("qsort.trace")], "--color=never");
        person.types("member(X, [1, 2]).\r");
        person.sees("X = 1 ");
        person.types("Y = 'a;b'.\r");
        person.sees("X = 1 .");
        person.sees("?- ");
        person.sees("Y = 'a;b'.");
    }

    #[test]
    fn the_browser_asks_for_commands() {
        let mut person = sit_down();
        person.types("goto_np(673), browse(2).\r");
        person.sees("browser> ");
        person.types("p\r");
        person.sees("[1, 3, 5, 2, 4]");
        person.sees("browser> ");
        person.types("quit\r");
        person.sees("true.");
        person.sees("?- ");
        person.types("X = 5.\r");
        person.sees("X = 5.");
    }

    #[test]
    fn enter_goes_on_until_the_end_dot() {
        let mut person = sit_down();
        person.types("member(X,\r");
        person.types("[7]).\r");
        person.sees("X = 7.");
    }

    #[test]
    fn an_interrupt_stops_the_goal_and_keeps_the_session() {
        let mut person = sit_down();
        for _ in 0..3 {
            person.types("repeat, fail.\r");
            std::thread::sleep(std::time::Duration::from_millis(300));
            person.types("\u{3}");
            person.sees("interrupted");
            person.sees("?- ");
        }
        person.types("X = 5.\r");
        person.sees("X = 5.");
    }

    #[test]
    fn situation_28_ten_interrupts_in_a_row_do_no_harm() {
        let mut person = sit_down();
        person.types("det_fget([chrono=3]), repeat, fail.\r");
        std::thread::sleep(std::time::Duration::from_millis(500));
        for _ in 0..10 {
            person.types("\u{3}");
        }
        person.sees("interrupted, stopped at chrono 3, ");
        person.sees(" steps");
        person.sees("?- ");
        std::thread::sleep(std::time::Duration::from_millis(300));
        person.types("X = 5.\r");
        person.sees("X = 5.");
        person.types("\u{4}");
        person.pty.exp_eof().unwrap();
    }

    #[test]
    fn an_interrupt_stops_a_long_sort_midway() {
        let mut person = sit_down();
        person.types("numlist(1, 2000000, L), repeat, sort(0, @>=, L, _), fail.\r");
        std::thread::sleep(std::time::Duration::from_millis(1500));
        person.types("\u{3}");
        person.sees("interrupted");
        person.sees("?- ");
    }

    #[test]
    fn lines_that_are_pasted_or_typed_ahead_are_all_run() {
        let mut person = sit_down();
        person.types("X = 1.\nY = 2.\rmember(Z, [3, 4]).\rV = 5.\nW = 6.\n");
        for answer in ["X = 1.", "Y = 2.", "Z = 3 .", "V = 5.", "W = 6."] {
            person.sees(answer);
        }
        person.types("findall(X, between(1, 300000, X), L), length(L, N), L = [].\r");
        person.sees("\n");
        person.types("V = 7.\rV = 8.\r");
        for answer in ["false.", "V = 7.", "V = 8."] {
            person.sees(answer);
        }
        person.types("between(1, inf, N), N > 20000, W = 9.\r");
        person.sees("\n");
        person.types("\u{4}");
        person.sees("W = 9 .");
        person.types("\u{4}");
        person.pty.exp_eof().unwrap();
    }

    #[test]
    fn goals_that_ask_take_lines_that_were_typed_ahead() {
        let mut person = sit_down();
        person.types("goto_np(673), browse(2).\rp\rquit\rX = 5.\r");
        person.sees("[1, 3, 5, 2, 4]");
        person.sees("X = 5.");
        person.types("write('name? '), read(N).\r");
        person.sees("name? ");
        person.types("berta.\r");
        person.sees("N = berta.");
    }

    #[test]
    fn an_interrupt_ends_questions() {
        let mut person = sit_down();
        person.types("goto_np(37), debug_wrong_answer(4).\r");
        person.sees("yes, no, inadmissible, skip, back, quit, help? ");
        person.types("q\r");
        person.sees("?- ");
        for goal in ["goto_np(37), debug_wrong_answer(4).\r", "goto_np(673), browse(2).\r", "read(X).\r"] {
            person.types(goal);
            person.sees(if goal.starts_with("read") {
                "|: "
            } else if goal.contains("browse") {
                "browser> "
            } else {
                "Right? "
            });
            person.types("\u{3}");
            person.sees("interrupted");
            person.sees("?- ");
        }
        person.types("X = 5.\r");
        person.sees("X = 5.");
    }

    #[test]
    fn hints_are_grey_or_not_there_and_never_stand_above_candidates() {
        let mut person = sit_down_with("--color=always");
        person.types("fget");
        person.sees("\u{1b}[2m    % fget: Moves to the next");
        person.types("\t");
        person.sees("\u{1b}[J\r\nfget/1     fget_np/1\r\n");
        person.types("\u{3}");
        let before = person.pty.exp_string("?- ").unwrap();
        assert!(!before.contains("Moves"), "{before:?}");
        let mut person = sit_down();
        person.types("fget\r");
        let before = person.pty.exp_string("fget/1").unwrap();
        assert!(!before.contains("Moves"), "{before:?}");
    }

    #[test]
    fn a_very_long_event_line_is_cut_and_its_rest_comes_on_request() {
        let (_folder, trace) =
            file("a.jsonl", &format!("{{\"port\":\"call\",\"name\":\"f\",\"args\":[\"{}z\"]}}\n", "x".repeat(9000)));
        let mut command = program();
        command.arg(trace).arg("--color=never").env("TERM", "xterm").env("HOME", "/nonexistent");
        let mut pty = spawn_command(command, Some(30_000)).unwrap();
        pty.exp_string("?- ").unwrap();
        pty.send("next.\r").unwrap();
        pty.flush().unwrap();
        let before = pty.exp_string("% the line is cut: `print_rest.` writes the ").unwrap();
        assert!((1000..4000).contains(&before.len()), "{}", before.len());
        pty.exp_string("?- ").unwrap();
        pty.send("print_rest.\r").unwrap();
        pty.flush().unwrap();
        pty.exp_string("xz").unwrap();
        pty.exp_string("true.").unwrap();
    }

    #[test]
    fn completion_knows_the_trace() {
        let mut person = sit_down();
        person.types("fget([port=ex\t");
        person.types(", name=quee\t]), current(chrono=C).\r");
        person.sees("C = 673");
    }

    #[test]
    fn completion_knows_the_attributes_that_the_trace_declares() {
        let lines = r#"{"port":"event","name":"get","level":"info","http.status":200,"pid":71,"message":"all is well"}
{"port":"event","name":"get","level":"error","http.status":503,"pid":82,"message":"disk full"}
"#;
        let (_folder, trace) = file("web.jsonl", lines);
        let constraints =
            ["level=e\t", "http.st\t=5\t", "'http.s\t\\=20\t", "pid=[71, 8\t]", "message='di\t", "message=\"di\t"];
        for constraint in constraints {
            let mut person = sit_down_at(&[&trace], "--color=never");
            person.types(&format!("event([{constraint}, chrono=C]).\r"));
            person.sees("C = ");
            person.sees(if constraint.starts_with("pid") { "1 " } else { "2." });
        }
    }

    #[test]
    fn goals_are_remembered_for_the_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let mut person = sit_down();
        person.types("X = remembered.\r");
        person.sees("X = remembered.");
        person.types("\u{4}");
        person.pty.exp_eof().unwrap();
        let history = person.home.path().join("papaver/history");
        assert!(std::fs::read_to_string(&history).unwrap().contains("X = remembered."));
        assert_eq!(history.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn the_start_up_file_of_the_working_folder_comes_before_that_of_the_home() {
        let (home, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let answer = |with_own: bool| {
            let mut command = program();
            command.arg(data("queens.trace")).env("TERM", "xterm").env("HOME", home.path());
            command.env("XDG_STATE_HOME", home.path()).env("XDG_CONFIG_HOME", home.path());
            command.current_dir(if with_own { work.path() } else { home.path() });
            let mut pty = spawn_command(command, Some(30_000)).unwrap();
            pty.exp_string("?- ").unwrap();
            pty.send("mine(X).\r").unwrap();
            pty.flush().unwrap();
            pty.exp_string(if with_own { "X = work" } else { "X = home" }).unwrap();
        };
        std::fs::write(home.path().join(".papaver-rc"), "mine(home).\n").unwrap();
        std::fs::write(work.path().join(".papaver-rc"), "mine(work).\n").unwrap();
        answer(true);
        answer(false);
    }

    #[test]
    fn the_start_up_file_is_consulted() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("papaver")).unwrap();
        std::fs::write(home.path().join("papaver/init.pl"), "mine(42).\n").unwrap();
        let mut command = program();
        command.arg(data("queens.trace")).env("TERM", "xterm").env("HOME", home.path());
        command.env("XDG_STATE_HOME", home.path()).env("XDG_CONFIG_HOME", home.path());
        let mut pty = spawn_command(command, Some(30_000)).unwrap();
        pty.exp_string("?- ").unwrap();
        pty.send("mine(X).\r").unwrap();
        pty.flush().unwrap();
        pty.exp_string("X = 42").unwrap();
    }
}

#[test]
fn rules_of_the_command_line_are_known() {
    let (_folder, rules) = file("rules.pl", "answer(42).\n");
    let mut command = piped("answer(X).");
    command.arg("-l").arg(&rules);
    assert_eq!(stdout(&mut command, 0), "X = 42.\n");
}

#[test]
fn what_a_script_would_say_can_be_typed() {
    let text = stdout(&mut piped("?- X = 1.\n:- Y = 2.\n?- Z = 3"), 0);
    assert_eq!(text, "X = 1.\nY = 2.\nZ = 3.\n");
    let text = stdout(&mut piped("p(X) :- X = 1.\np(X) :- X = 2.\np(X).\n"), 0);
    let expected = "% added a clause of p/1, which has 1 now\ntrue.\n% added a clause of p/1, which has 2 now\ntrue.\n\
                    X = 1 ;\nX = 2.\n";
    assert_eq!(text, expected);
    assert!(stdout(&mut piped("[user]."), 0).contains("% the prompt takes clauses as they are"));
    let (_folder, rules) = file("rules.pl", "answer(42).\n");
    assert_eq!(stdout(&mut piped(&format!("['{}']. answer(X).", rules.display())), 0), "true.\nX = 42.\n");
}

#[test]
fn quit_and_exit_leave() {
    for word in ["quit", "exit"] {
        assert_eq!(stdout(&mut piped(&format!("X = 1. {word}. X = 2.")), 0), "X = 1.\n");
    }
}

#[test]
fn time_says_how_long_each_answer_took() {
    let text = stdout(&mut piped("time(member(X, [a, b])). time(fail)."), 1);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 7, "{text}");
    assert!(lines[0].starts_with("% 0.0") && lines[0].ends_with(" calls"), "{text}");
    assert_eq!((lines[1], lines[6]), ("X = a ;", "false."));
}

#[test]
fn help_explains_subjects_from_the_command_line_too() {
    let text = stdout(&mut piped("help(constraints). help(attributes). help(ports). help(jsonl)."), 0);
    for expected in ["depth = 3..6", "This trace has:\n", "    goal_path (gp) ", "morphine: ", "one object per line"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    for (topic, expected) in [
        ("attributes", "\n    goal_path (gp) "),
        ("fget", "fget(+Constraints)"),
        ("check", "--builtin"),
        ("member/2", "member(?"),
        ("jsonl", "\"args\": \"terms\""),
        ("jsonl", "without a trailer is unfinished"),
        ("jsonl", "innermost open box of the same thread"),
        ("jsonl", "papaver info --lint FILE"),
    ] {
        let text = stdout(papaver().args(["help", topic]), 0);
        assert!(text.contains(expected), "{expected} in {text}");
    }
    assert!(stdout(papaver().arg("help"), 0).contains("help(constraints)."));
    assert!(stdout(papaver().args(["help", "constrants"]), 1).contains("did you mean `constraints`?"));
}

#[test]
fn man_prints_the_command_line_whole_chapters_and_every_predicate() {
    let man = |topics: &[&str], status| stdout(papaver().arg("man").args(topics), status);
    let command_line = man(&[], 0);
    assert!(command_line.contains("papaver\\-query") && command_line.contains("\\-\\-no\\-vacuous"), "{command_line}");
    let (opening, whole) = (stdout(papaver().args(["help", "jsonl"]), 0), man(&["jsonl"], 0));
    assert!(opening.contains("More in this chapter: ") && !opening.contains("import json"), "{opening}");
    assert!(whole.starts_with(opening.split("\nMore in").next().unwrap_or_default()) && whole.contains("import json"));
    assert!(man(&["mpd"], 0).contains("\n    idepth "));
    for predicate in ["fget(+Constraints) is nondet", "member(?X, ?List) is nondet", "cycle(-L) is nondet"] {
        assert!(man(&["predicates"], 0).contains(&format!("\n    {predicate}\n")), "{predicate}");
    }
    assert!(man(&["atom_length/2"], 0).starts_with("atom_length("));
    assert!(man(&["constrants"], 1).contains("did you mean `constraints`?"));
    assert_eq!(stdout(&mut piped("man(jsonl)."), 0), format!("{whole}true.\n"));
}

#[test]
fn apropos_looks_into_the_texts_and_lists_other_formats_last() {
    let text = stdout(&mut piped("apropos(deadlock)."), 0);
    let format_of = |line: &str| line.contains("mpd");
    assert!(text.lines().count() > 1, "{text}");
    let text_of = stdout(&mut piped("apropos(nearest)."), 0);
    assert!(text_of.contains("ancestor/2"), "{text_of}");
    let text = stdout(&mut piped("apropos(blocked)."), 0);
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("    ")).collect();
    let first_other = lines.iter().position(|line| format_of(line));
    assert!(first_other.is_none_or(|at| lines[at..].iter().all(|line| !line.contains("subject:"))), "{text}");
}

#[test]
fn a_misspelt_command_is_named() {
    let mut command = papaver();
    command.args(["qurey", "true", "--count"]).arg(data("queens.trace"));
    let message = stderr(&mut command, 2);
    assert_eq!(message, "papaver: error: expected a command or a trace, found `qurey` (did you mean `query`?)\n");
}
