//! New numbers for the texts of a dictionary: those that first occur with the same key stand side by side, as they are asked for together.

use crate::trace::column::Codes;

/// The order of the texts of a dictionary in a saved trace.
pub(super) struct Numbering {
    /// Their codes.
    pub(super) order: Vec<u32>,
    /// The place of each code.
    places: Vec<u32>,
}

impl Numbering {
    /// The order of texts whose codes + 1 stand in a column beside the keys.
    pub(super) fn new(column: &Codes, n_texts: usize, keys: &Codes) -> Numbering {
        let mut first_keys = vec![u32::MAX; n_texts];
        for (code, key) in column.iter().zip(keys.iter()) {
            if let Some(first) = (code as usize).checked_sub(1).and_then(|code| first_keys.get_mut(code))
                && *first == u32::MAX
            {
                *first = key;
            }
        }
        let mut order: Vec<u32> = (0..n_texts as u32).collect();
        order.sort_by_key(|code| first_keys[*code as usize]);
        let mut places = vec![0; n_texts];
        (0..).zip(&order).for_each(|(place, code)| places[*code as usize] = place);
        Numbering { order, places }
    }

    /// The new number + 1 for a code + 1, and 0 for none.
    pub(super) fn number(&self, code: u32) -> u32 {
        code.checked_sub(1).map_or(0, |code| self.places[code as usize] + 1)
    }
}
