//! The spelling nearest to a misspelt one, for messages.

use strsim::{generic_damerau_levenshtein, osa_distance};

/// The candidate with the fewest edits from `name`, if they are at most a third of its length, or one. An edit inserts,
/// deletes or replaces a letter, or swaps neighbours.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = beginning(name);
    let limit = (name.chars().count() / 3).max(1);
    let scored = candidates.map(|candidate| (osa_distance(name, beginning(candidate)), candidate));
    scored.filter(|(edits, _)| *edits <= limit).min_by_key(|(edits, _)| *edits).map(|(_, candidate)| candidate)
}

/// The candidate of which `name` is probably a misspelling: the same letters but for capitals and separators, or the same
/// first letter and digits, and a slip after it.
pub(crate) fn misspelt<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |text: &str| -> Vec<char> {
        beginning(text).chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let asked = letters(name);
    let n_edits = |candidate: &str| slip(&asked, &letters(candidate));
    let near = candidates.filter(|candidate| !asked.is_empty() && *candidate != name);
    near.filter_map(|candidate| Some((n_edits(candidate)?, candidate))).min_by_key(|(n, _)| *n).map(|(_, near)| near)
}

/// The key in the same object that probably means what `name` does: one that has more words or fewer before the same last ones,
/// as `file_path` and `path`, or an abbreviation at its end.
pub(crate) fn akin<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (outer, own) = around(name);
    let asked = words(own);
    let known = candidates.filter(|candidate| around(candidate).0 == outer);
    fewest_words_apart(known, |candidate| {
        let known = words(around(candidate).1);
        match (asked.as_slice(), known.as_slice()) {
            ([before @ .., short], [others @ .., long]) if before == others => is_abbreviation(short, long),
            (asked, known) => asked.len() != known.len() && (asked.ends_with(known) || known.ends_with(asked)),
        }
    })
}

/// The attribute that probably means what `name` does, as `http.request.method` and `http.method`, or
/// `resource.k8s.pod.name` and `k8s.pod.name`: one word in common says nothing.
pub(crate) fn akin_attribute<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let asked = words(name);
    fewest_words_apart(candidates, |candidate| {
        let known = words(candidate);
        let (short, long) = if asked.len() < known.len() { (&asked, &known) } else { (&known, &asked) };
        let mut rest = long.iter();
        let is_inside = short.iter().all(|word| rest.by_ref().any(|other| other == word));
        let has_ends = short.first() == long.first() && short.last() == long.last();
        short.len() > 1 && short.len() < long.len() && is_inside && (has_ends || long.ends_with(short))
    })
}

fn fewest_words_apart<'a>(
    candidates: impl Iterator<Item = &'a str>,
    is_akin: impl Fn(&str) -> bool,
) -> Option<&'a str> {
    candidates.filter(|candidate| is_akin(candidate)).min_by_key(|candidate| (words(candidate).len(), *candidate))
}

/// The path to the object that has a key, and the key.
fn around(path: &str) -> (&str, &str) {
    path.rsplit_once('.').unwrap_or(("", path))
}

/// The words of a key, `request.fileName` as `request`, `file` and `name`.
fn words(key: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut last = ' ';
    for letter in beginning(key).chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && last.is_lowercase() {
            words.push(String::new());
        }
        let word = words.last_mut().expect("there is a word");
        word.extend(letter.to_lowercase().filter(|letter| letter.is_alphanumeric()));
        last = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a word has the first letter of another one, and otherwise only letters that follow each other in it, without
/// vowels as in `cmd`, or from its beginning as in `dir`.
fn is_abbreviation(short: &str, long: &str) -> bool {
    let mut rest = long.chars();
    let is_inside = short.chars().all(|letter| rest.by_ref().any(|other| other == letter));
    let has_first = short.chars().next() == long.chars().next();
    let is_short = short.len() >= 3 && short.len() < long.len();
    is_short && has_first && is_inside && (long.starts_with(short) || !short.contains(['a', 'e', 'i', 'o', 'u']))
}

/// The number of edits that make `known` of `asked`, if they are a slip of the keys, and not what makes another word: a
/// suffix, a number, a consonant for another one. A slip swaps neighbours, forgets or adds a letter, or takes one vowel or
/// key for the next one; a long word may have two, and one letter too many or too few at its end.
fn slip(asked: &[char], known: &[char]) -> Option<usize> {
    let digits = |text: &[char]| -> Vec<char> { text.iter().copied().filter(|letter| letter.is_numeric()).collect() };
    if asked.first() != known.first() || digits(asked) != digits(known) {
        return None;
    }
    let n_same = asked.iter().zip(known).take_while(|(one, other)| one == other).count();
    let (asked_rest, known_rest) = (&asked[n_same..], &known[n_same..]);
    let n_end = asked_rest.iter().rev().zip(known_rest.iter().rev()).take_while(|(one, other)| one == other).count();
    let (is_short, is_long, is_inside) = (asked.len() < 4, asked.len() > 8, n_end > 0);
    match (&asked_rest[..asked_rest.len() - n_end], &known_rest[..known_rest.len() - n_end]) {
        ([], []) => Some(0),
        ([one, two], [other, next]) if (one, two) == (next, other) => Some(1),
        ([], [_]) => (is_inside && !is_short || asked.len() >= LONG_STEM).then_some(1),
        ([_], []) => (is_inside && !is_short || known.len() >= LONG_STEM).then_some(1),
        ([one], [other]) => (is_inside && !is_short && is_taken_for(*one, *other)).then_some(1),
        ([_, ..], [_, ..]) if is_inside && is_long => {
            Some(generic_damerau_levenshtein(asked_rest, known_rest)).filter(|edits| *edits < 3)
        }
        _ => None,
    }
}

/// A word of at least so many letters is probably meant by one that has one more at its end, or lacks its last.
const LONG_STEM: usize = 6;

/// Whether both letters are vowels, or neighbours on the keyboard.
fn is_taken_for(one: char, other: char) -> bool {
    let is_vowel = |letter| "aeiou".contains(letter);
    let stand_together = |pair: &[u8]| pair.contains(&(one as u8)) && pair.contains(&(other as u8));
    let rows: [&[u8]; 3] = [b"qwertyuiop", b"asdfghjkl", b"zxcvbnm"];
    is_vowel(one) && is_vowel(other) || rows.iter().any(|row| row.windows(2).any(stand_together))
}

/// Longer names are compared by their first characters.
const MAX_LENGTH: usize = 64;

fn beginning(name: &str) -> &str {
    name.char_indices().nth(MAX_LENGTH).map_or(name, |(end, _)| &name[..end])
}

#[cfg(test)]
mod tests {
    use super::{akin, akin_attribute, misspelt, nearest};

    #[test]
    fn a_swap_is_one_edit() {
        assert_eq!(nearest("prot", ["proc_type", "port", "depth"].into_iter()), Some("port"));
    }

    #[test]
    fn a_slip_of_the_keys_is_told_from_another_word() {
        let cases = [
            ("partiton", "partition", true),
            ("qsrot", "qsort", true),
            ("notfiy", "notify", true),
            ("b", "B", true),
            ("gen_ai.tool.nam", "gen_ai.tool.name", true),
            ("toolName", "tool_name", true),
            ("pya", "pay", true),
            ("exeption", "exception", true),
            ("fial", "fail", true),
            ("paynent", "payment", true),
            ("seperate", "separate", true),
            ("exeuctoin", "execution", true),
            ("payments", "payment", true),
            ("qdelet", "qdelete", true),
            ("pread", "read", false),
            ("get", "put", false),
            ("send", "sent", false),
            ("exit", "edit", false),
            ("writev", "write", false),
            ("write", "writev", false),
            ("clone", "close", false),
            ("setgid", "setuid", false),
            ("sched_setattr", "sched_getattr", false),
            ("timerfd_create", "timer_create", false),
            ("TestC", "TestA", false),
            ("web-a", "web-c", false),
            ("step12", "step13", false),
            ("DELETE /basket/{id}", "GET /basket/{id}", false),
            ("WebSearch", "WebFetch", false),
            ("lock", "unlock", false),
            ("503", "502", false),
            ("+", "-", false),
        ];
        for (name, known, is_slip) in cases {
            assert_eq!(misspelt(name, [known].into_iter()), is_slip.then_some(known), "{name}, {known}");
        }
    }

    #[test]
    fn a_key_is_akin_to_one_with_more_words_and_to_its_abbreviation() {
        let cases = [
            ("path", "file_path", true),
            ("fileName", "name", true),
            ("cmd", "command", true),
            ("msg", "message", true),
            ("dir", "directory", true),
            ("opts.cmd", "opts.command", true),
            ("deep.id", "deep.user_id", true),
            ("file", "file_path", false),
            ("timeout", "command", false),
            ("amount", "payment.amount", false),
            ("user.id", "order.id", false),
            ("limit", "offset", false),
            ("id", "identity", false),
            ("port", "report", false),
            ("path", "path", false),
        ];
        for (name, known, is_akin) in cases {
            assert_eq!(akin(name, [known].into_iter()), is_akin.then_some(known), "{name}, {known}");
        }
        let attributes = [
            ("http.method", "http.request.method", true),
            ("http.response.status_code", "http.status_code", true),
            ("k8s.pod.name", "resource.k8s.pod.name", true),
            ("gen_ai.tool.name", "name", false),
            ("gen_ai.tool.name", "gen_ai.agent.name", false),
            ("user.id", "order.id", false),
        ];
        for (name, known, is_akin) in attributes {
            assert_eq!(akin_attribute(name, [known].into_iter()), is_akin.then_some(known), "{name}, {known}");
        }
    }

    #[test]
    fn nothing_is_near_a_strange_name() {
        assert_eq!(nearest("elephant", ["port", "depth"].into_iter()), None);
    }
}
