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

/// Longer names are compared by their first characters.
const MAX_LENGTH: usize = 64;

fn beginning(name: &str) -> &str {
    name.char_indices().nth(MAX_LENGTH).map_or(name, |(end, _)| &name[..end])
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_swap_is_one_edit() {
        assert_eq!(nearest("prot", ["proc_type", "port", "depth"].into_iter()), Some("port"));
    }

    #[test]
    fn nothing_is_near_a_strange_name() {
        assert_eq!(nearest("elephant", ["port", "depth"].into_iter()), None);
    }
}
