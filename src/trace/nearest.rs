//! The spelling nearest to a mistaken one, for messages.

/// The candidate that takes the fewest edits to become `name`, if that is at most a third of its length (and at least one).
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().take(MAX_LENGTH).collect();
    let limit = (name.len() / 3).max(1);
    let scored = candidates.map(|candidate| (distance(&name, candidate), candidate));
    scored.filter(|(edits, _)| *edits <= limit).min_by_key(|(edits, _)| *edits).map(|(_, candidate)| candidate)
}

/// Longer names are compared by their beginning.
const MAX_LENGTH: usize = 64;

/// Insertions, deletions, replacements and swaps of neighbours between two names.
fn distance(from: &[char], to: &str) -> usize {
    let to: Vec<char> = to.chars().take(MAX_LENGTH).collect();
    let mut rows = vec![vec![0; to.len() + 1]; from.len() + 1];
    rows[0] = (0..=to.len()).collect();
    for i in 1..=from.len() {
        rows[i][0] = i;
        for j in 1..=to.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut edits = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                edits = edits.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = edits;
        }
    }
    rows[from.len()][to.len()]
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
