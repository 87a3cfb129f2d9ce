//! Parts of the index of calls that are derived from columns at first use: first and last events, events, parents and
//! children of calls.

use std::sync::Arc;

use super::calls::{Calls, NO_PARENT, permutation};
use crate::trace::column::code_column::{CodeColumn, Ints};
use crate::trace::column::codes::Codes;
use crate::trace::column::lazy::Lazy;
use crate::trace::column::postings::PostingsLists;
use crate::trace::event::EventId;
use crate::trace::event::key::Keys;
use crate::trace::event::port::PortRole;
use crate::trace::file::saved_file::SavedFile;

/// The columns from which boxes are derived.
pub(crate) struct CallColumns {
    /// The saved file of the columns, if there is one; it knows how much memory is free.
    pub(crate) file: Option<Arc<SavedFile>>,
    pub(crate) n_calls: usize,
    /// Call id + 1 of each event, 0 for none.
    pub(crate) codes: CodeColumn,
    pub(crate) numbers: Ints,
    pub(crate) depths: Ints,
    pub(crate) key_codes: CodeColumn,
}

/// The index of calls; its parts are lazy.
pub(crate) fn calls(columns: CallColumns, keys: &Keys) -> Calls {
    let CallColumns { file, n_calls, codes, numbers, depths, key_codes } = columns;
    let roles = keys.roles();
    let parents = {
        let keys = key_codes;
        of_codes(&file, &codes, n_calls * 4, move |codes| parents(n_calls, codes, &depths, &keys, &roles))
    };
    Calls {
        n_calls,
        by_number: {
            let numbers = numbers.clone();
            Lazy::new(move || permutation(&numbers))
        },
        edges: of_codes(&file, &codes, n_calls * 8, move |codes| edges(n_calls, codes)),
        events: of_codes(&file, &codes, (n_calls + codes.len()) * 4, move |codes| events(n_calls, codes)),
        children: {
            let parents = parents.clone();
            Lazy::new(move || PostingsLists::new(n_calls, parents.iter().copied()))
        },
        codes,
        numbers,
        parents,
    }
}

/// The value that `make` derives from a column. If `n_bytes` of memory are not free, that is a fault and the column
/// counts as empty.
fn of_codes<T>(
    file: &Option<Arc<SavedFile>>,
    codes: &CodeColumn,
    n_bytes: usize,
    make: impl Fn(&Codes) -> T + Send + Sync + 'static,
) -> Lazy<T> {
    let (file, codes) = (file.clone(), codes.clone());
    Lazy::new(move || match file.as_ref().is_none_or(|file| file.has_room(n_bytes)) {
        true => make(&codes),
        false => make(&Codes::default()),
    })
}

/// First and last event of each call; 0 for a call without events, which only a damaged file has.
fn edges(n_calls: usize, codes: &Codes) -> Vec<(EventId, EventId)> {
    let mut edges = vec![(EventId::MAX, 0); n_calls];
    for (event, code) in (0..).zip(codes.iter()) {
        if let Some(edge) = (code as usize).checked_sub(1).and_then(|call| edges.get_mut(call)) {
            *edge = (edge.0.min(event), event);
        }
    }
    edges.iter_mut().filter(|edge| edge.0 == EventId::MAX).for_each(|edge| edge.0 = 0);
    edges
}

/// Events of each call; at least one.
fn events(n_calls: usize, codes: &Codes) -> PostingsLists {
    let lists = PostingsLists::new(n_calls, codes.iter().map(|code| code.wrapping_sub(1)));
    match (0..n_calls).all(|call| !lists.of(call).is_empty()) {
        true => lists,
        false => PostingsLists::of_first_row(n_calls),
    }
}

/// The parent of each call, found as when the trace was read.
fn parents(n_calls: usize, codes: &Codes, depths: &Ints, keys: &Codes, roles: &[PortRole]) -> Vec<u32> {
    depths.make();
    let mut boxes = OpenBoxes::default();
    let mut parents = Vec::with_capacity(n_calls);
    for row in 0..depths.len().max(codes.len()) {
        let depth = depths.at(row);
        let enclosing = depth.and_then(|depth| boxes.enclosing(depth));
        let Some(call) = codes.at(row).checked_sub(1) else { continue };
        if call as usize == parents.len() {
            parents.push(enclosing.unwrap_or(NO_PARENT));
        }
        let is_closing = roles.get(keys.at(row) as usize) == Some(&PortRole::Closes);
        if let Some(depth) = depth.filter(|_| !is_closing && (call as usize) < parents.len()) {
            boxes.enter(depth, call);
        }
    }
    parents.resize(n_calls, NO_PARENT);
    parents
}

/// The boxes that are open at the current event, innermost last: depth and call.
#[derive(Default)]
struct OpenBoxes {
    stack: Vec<(i64, u32)>,
}

impl OpenBoxes {
    /// Leaves the boxes at `depth` and below; gives the enclosing box, at `depth` - 1.
    fn enclosing(&mut self, depth: i64) -> Option<u32> {
        while self.stack.last().is_some_and(|(open, _)| *open >= depth) {
            self.stack.pop();
        }
        self.stack.last().filter(|(open, _)| open.checked_add(1) == Some(depth)).map(|(_, call)| *call)
    }

    /// Enters a box; to be called after [`enclosing`](OpenBoxes::enclosing).
    fn enter(&mut self, depth: i64, call: u32) {
        self.stack.push((depth, call));
    }
}
