//! The spelling nearest to a misspelt one, for messages.

use strsim::osa_distance;

/// The candidate with the fewest edits from `name`, if they are at most a third of its length, or one. An edit inserts,
/// deletes or replaces a letter, or swaps neighbours.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = beginning(name);
    let limit = (name.chars().count() / 3).max(1);
    let scored = candidates.map(|candidate| (osa_distance(name, beginning(candidate)), candidate));
    scored.filter(|(edits, _)| *edits <= limit).min_by_key(|(edits, _)| *edits).map(|(_, candidate)| candidate)
}

/// The candidate of which `name` is probably a misspelling: the same letters but for capitals and separators, or the same
/// first letter and digits and one edit, from nine letters on two. Of three letters, each word is one of its own.
pub(crate) fn misspelt<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let asked = beginning(name);
    let letters = |text: &str| -> String {
        text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let digits = |text: &str| -> String { text.chars().filter(|letter| letter.is_numeric()).collect() };
    let (plain, n_letters) = (letters(asked), asked.chars().count());
    let limit = usize::from(n_letters > 3) + usize::from(n_letters > 8);
    let edits = |candidate: &str| {
        let other = letters(beginning(candidate));
        let is_like = other.chars().next() == plain.chars().next()
            && other.len().abs_diff(plain.len()) <= limit
            && digits(&other) == digits(&plain);
        Some(osa_distance(&plain, &other)).filter(|edits| is_like && *edits <= limit)
    };
    let near = candidates.filter(|_| !plain.is_empty()).filter_map(|candidate| Some((edits(candidate)?, candidate)));
    near.filter(|(_, candidate)| *candidate != name).min_by_key(|(edits, _)| *edits).map(|(_, candidate)| candidate)
}

/// Longer names are compared by their first characters.
const MAX_LENGTH: usize = 64;

fn beginning(name: &str) -> &str {
    name.char_indices().nth(MAX_LENGTH).map_or(name, |(end, _)| &name[..end])
}

#[cfg(test)]
mod tests {
    use super::{misspelt, nearest};

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
            ("pread", "read", false),
            ("get", "put", false),
            ("send", "sent", true),
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
    fn nothing_is_near_a_strange_name() {
        assert_eq!(nearest("elephant", ["port", "depth"].into_iter()), None);
    }
}
