//! New numbers for the texts of a dictionary: texts that first occur with the same key become neighbours, because they
//! are read together.

use crate::trace::column::codes::Codes;

/// The order of the texts of a dictionary in a saved trace.
pub(super) struct TextNumbering {
    /// The codes of the texts, in the new order.
    pub(super) order: Vec<u32>,
    /// The new number of each code.
    places: Vec<u32>,
}

impl TextNumbering {
    /// The order of texts, given a column of their codes + 1 and the column of keys.
    pub(super) fn new(column: &Codes, n_texts: usize, keys: &Codes) -> TextNumbering {
        let mut first_keys = vec![u32::MAX; n_texts];
        for (code, key) in column.iter().zip(keys.iter()) {
            if let Some(first) = (code as usize).checked_sub(1).and_then(|code| first_keys.get_mut(code))
                && *first == u32::MAX
            {
                *first = key;
            }
        }
        let n_keys = first_keys.iter().copied().filter(|key| *key < u32::MAX).max().map_or(0, |key| key as usize + 1);
        let mut next = vec![0; n_keys + 1];
        let group = |key: u32| (key as usize).min(n_keys);
        first_keys.iter().for_each(|key| next[group(*key)] += 1);
        let mut n_before = 0;
        next.iter_mut().for_each(|count| n_before += std::mem::replace(count, n_before));
        let (mut order, mut places) = (vec![0; n_texts], vec![0; n_texts]);
        for (code, key) in (0..).zip(&first_keys) {
            let place = &mut next[group(*key)];
            order[*place as usize] = code;
            places[code as usize] = *place;
            *place += 1;
        }
        TextNumbering { order, places }
    }

    /// The new number + 1 for a code + 1, and 0 for none.
    pub(super) fn number(&self, code: u32) -> u32 {
        code.checked_sub(1).map_or(0, |code| self.places[code as usize] + 1)
    }
}
