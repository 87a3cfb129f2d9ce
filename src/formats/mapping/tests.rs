//! Presets that compile, and errors of maps with their places.

use super::{PRESETS, preset_maps, read_maps};

fn error(text: &str) -> String {
    read_maps("own.pl", text).expect_err("the map is wrong").to_string()
}

#[test]
fn every_preset_is_a_map_of_its_name_and_says_whose_lines_it_reads() {
    let names: Vec<&str> = preset_maps().iter().map(|map| &*map.name).collect();
    assert_eq!(names, PRESETS.iter().map(|preset| preset.name).collect::<Vec<_>>());
    for preset in PRESETS {
        assert!(preset.text.starts_with("% ") && preset.summary().len() > 10, "{}", preset.name);
    }
}

#[test]
fn errors_have_a_place_and_the_nearest_right_word() {
    for (text, expected) in [
        ("map(m, tiem, t:s).", "own.pl:1:8: error: unknown word `tiem` (did you mean `time`?)"),
        (
            "% m\nmap(m, needs, [t]).\nmap(m, time, t:rfc339).",
            "own.pl:3:16: error: unknown type `rfc339` (did you mean `rfc3339`?)",
        ),
        ("map(m, time, t).", "own.pl:1:14: error: expected `Source:Type` with one of the types"),
        ("map(m, needs, t).", "own.pl:1:15: error: expected a list of sources"),
        ("map(m, needs, [f(x)]).", "own.pl:1:16: error: expected a source, found `f(x)`"),
        ("map(m, needs, [X]).", "own.pl:1:16: error: expected a source, found `X`"),
        ("map(m, needs, [t/X]).", "own.pl:1:18: error: expected a key or a number, found `X`"),
        ("map(m, needs, [t/(-1)]).", "own.pl:1:19: error: expected a number from 0"),
        ("map(m, port, p, [a-call, b]).", "own.pl:1:26: error: expected `Text-Port`, found `b`"),
        ("map(m, port, p, [a-call], close).", "own.pl:1:27: error: expected `closed`, found `close`"),
        ("map(m, exception_if, a).", "own.pl:1:22: error: expected a comparison by one of = \\= < =< > >="),
        ("map(m, opens, last).", "own.pl:1:15: error: expected `first`, found `last`"),
        ("map(m, name, a, b).", "own.pl:1:1: error: expected `map(Name, name, Source)`"),
        ("map(m, name, a).\nmap(m, name, b).", "own.pl:2:8: error: the map says `name` twice"),
        ("map(m, name, a).", "own.pl:1:1: error: the map `m` has no clause `map(Name, needs, [Source, ...])`"),
        ("map(m, needs, [a]). map(m, opens, first).", "own.pl:1:1: error: the map `m` has boxes and no clause `key`"),
        (
            "map(m, key, key([a, b])). map(m, parent, [a]).",
            "own.pl:1:42: error: expected 2 sources, as many as the key has, found 1",
        ),
        (":- dynamic(x/1).", "own.pl:1:1: error: expected a clause `map(Name, What, Source)`, found `:- dynamic(x/1)`"),
        ("map(m, needs, [a).", "own.pl:1:17: error: expected `]`, found `)`"),
        ("% nothing\n", "own.pl:1:1: error: expected clauses `map(Name, What, Source)`, found none"),
    ] {
        let message = error(text);
        assert!(message.starts_with(expected), "{text}\n{message}");
    }
}

#[test]
fn a_map_may_be_as_deep_as_its_text_is_long() {
    let path = "x/".repeat(50_000);
    let maps = read_maps("own.pl", &format!("map(m, needs, [{path}y]).")).expect("a path may be long");
    assert_eq!(maps[0].needs[0].paths[0].steps.len(), 50_000);
}
