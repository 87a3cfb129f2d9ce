//! Variables whose lists give them values that are written alike and never equal: the id of a process and the term for it, a
//! number and a text with its digits, `Ann` and `ann`.

use crate::builtins::trace::constraints::identities::terms_of_ids;
use crate::term::hash::HashSet;
use crate::trace::{Marks, leaves};

use super::codes::TermCodes;

/// The first values that each list gives to each variable.
#[derive(Default)]
pub(super) struct FirstValues {
    lists: Vec<ListValues>,
}

/// The first values that one list gives to one variable.
struct ListValues {
    list: usize,
    variable: usize,
    /// The attribute or argument that gives them.
    name: String,
    values: HashSet<i64>,
    n_rows: usize,
}

/// So many rows of each list are looked at.
const MOST_ROWS: usize = 10_000;
/// So many values of each list are shown to be alike or not.
const MOST_TEXTS: usize = 1000;

impl FirstValues {
    /// Adds the values in events that match a list; `names` are those of what gives its variables their values.
    pub(super) fn add(&mut self, list: usize, marks: &Marks, names: Vec<String>) {
        for ((place, variable), name) in marks.variables.iter().enumerate().zip(names) {
            let known = self.lists.iter().position(|known| (known.list, known.variable) == (list, *variable));
            let known = known.unwrap_or_else(|| {
                let (values, n_rows) = (HashSet::default(), 0);
                self.lists.push(ListValues { list, variable: *variable, name, values, n_rows });
                self.lists.len() - 1
            });
            let known = &mut self.lists[known];
            let codes = marks.codes.iter().skip(place).step_by(marks.variables.len());
            known.values.extend(codes.take(MOST_ROWS - known.n_rows));
            known.n_rows = MOST_ROWS.min(known.n_rows + marks.rows.len());
        }
    }

    /// For each variable of which two lists have no value in common, two of its values that are written alike.
    pub(super) fn strangers(&self, codes: &TermCodes) -> Vec<String> {
        let mut found = Vec::new();
        for (index, one) in self.lists.iter().enumerate() {
            for other in self.lists[index + 1..].iter().filter(|other| other.variable == one.variable) {
                if one.values.is_disjoint(&other.values) {
                    found.extend(one.alike(other, codes));
                }
            }
        }
        found
    }
}

impl ListValues {
    fn alike(&self, other: &ListValues, codes: &TermCodes) -> Option<String> {
        let texts = |list: &ListValues| -> Vec<(String, Vec<String>)> {
            let mut values: Vec<i64> = list.values.iter().copied().collect();
            values.sort_unstable();
            values.truncate(MOST_TEXTS);
            let text = |code| {
                let text = codes.text(code);
                let leaves = leaves(&text).iter().map(|leaf| leaf.to_lowercase()).collect();
                (text, leaves)
            };
            values.into_iter().map(text).collect()
        };
        let others = texts(other);
        let by_leaf = |leaf: &str, is_simple: bool| {
            others
                .iter()
                .find(|(_, leaves)| (is_simple || leaves.len() == 1) && leaves.iter().any(|other| other == leaf))
        };
        let (own, foreign) = texts(self).into_iter().find_map(|(text, leaves)| {
            let foreign = leaves.iter().find_map(|leaf| by_leaf(leaf, leaves.len() == 1))?;
            Some((text, foreign.0.clone()))
        })?;
        let of_ids = [self, other].into_iter().find_map(|list| Some((&list.name, terms_of_ids(&list.name)?)));
        let hint = of_ids.map_or(String::new(), |(ids, terms)| format!(" (`{terms}` is the term for `{ids}`)"));
        Some(format!("`{} = {own}` and `{} = {foreign}` are never equal{hint}", self.name, other.name))
    }
}
