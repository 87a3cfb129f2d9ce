//! Lanes for slices that may overlap: each slice gets the first lane below that of its parent that is free.

use super::rows::RowId;
use super::slices::{NONE, Slices};

/// Gives every slice a lane on its row, given the positions where slices begin and end.
pub(super) fn assign(slices: &mut Slices, n_rows: usize, span: impl Fn(&Slices, usize) -> (u64, u64)) {
    let order = in_order(slices, &span);
    let mut rows: Vec<RowLanes> = (0..n_rows).map(|_| RowLanes::default()).collect();
    let mut lanes: Vec<(RowId, u32)> = Vec::new();
    // the number of the lane in its row, for the children that follow
    let mut lane_of = vec![0_u32; slices.first.len()];
    let mut place = vec![NONE; slices.first.len()];
    let at = |index: usize| order.as_ref().map_or(index, |order| order[index] as usize);
    for slice in (0..slices.first.len()).map(at) {
        let row = slices.row[slice];
        let parent = slices.place[slice];
        let is_below = parent != NONE && slices.row[parent as usize] == row;
        let least = if is_below { lane_of[parent as usize] + 1 } else { 0 };
        let (start, end) = span(slices, slice);
        let own = &mut rows[row as usize];
        let lane = own.free.first_at_most(least as usize, start);
        own.free.set(lane, end);
        while own.places.len() <= lane {
            own.places.push(lanes.len() as u32);
            lanes.push((row, own.places.len() as u32 - 1));
        }
        lane_of[slice] = lane as u32;
        place[slice] = own.places[lane];
    }
    slices.place = place;
    slices.lanes = lanes;
    slices.row = Vec::new();
    slices.are_free = false;
    if let Some(order) = order {
        slices.reorder(&order);
    }
}

/// The slices by where they begin, the longer ones first, if that is not their order.
fn in_order(slices: &Slices, span: impl Fn(&Slices, usize) -> (u64, u64)) -> Option<Vec<u32>> {
    let key = |slice: usize| {
        let (start, end) = span(slices, slice);
        (start, u64::MAX - end)
    };
    if (0..slices.first.len()).is_sorted_by_key(|slice| key(slice).0) {
        return None;
    }
    let mut order: Vec<u32> = (0..slices.first.len() as u32).collect();
    order.sort_by_key(|slice| key(*slice as usize));
    Some(order)
}

impl Slices {
    /// Puts the slices into another order.
    fn reorder(&mut self, order: &[u32]) {
        fn by<T: Copy>(column: &[T], order: &[u32]) -> Vec<T> {
            order.iter().map(|slice| column[*slice as usize]).collect()
        }
        self.first = by(&self.first, order);
        self.last = by(&self.last, order);
        self.place = by(&self.place, order);
        self.flags = by(&self.flags, order);
    }
}

/// The lanes of one row.
#[derive(Default)]
struct RowLanes {
    /// The number of each among all lanes.
    places: Vec<u32>,
    /// Where each is free.
    free: LeastTree,
}

/// Numbers, 0 at first, in a tree of minima: finds the first one from a place on that is small enough.
#[derive(Default)]
struct LeastTree {
    /// The root is at 1, the children of `node` at `2 * node` and after it; the leaves are the second half.
    nodes: Vec<u64>,
}

impl LeastTree {
    fn n_leaves(&self) -> usize {
        self.nodes.len() / 2
    }

    /// The first place from `from` on whose number is at most `most`.
    fn first_at_most(&self, from: usize, most: u64) -> usize {
        if from >= self.n_leaves() {
            return from;
        }
        let mut node = self.n_leaves() + from;
        while self.nodes[node] > most {
            // up while on the right, then to the right
            while node % 2 == 1 {
                node /= 2;
            }
            if node == 0 {
                return self.n_leaves();
            }
            node += 1;
        }
        while node < self.n_leaves() {
            node = if self.nodes[2 * node] <= most { 2 * node } else { 2 * node + 1 };
        }
        node - self.n_leaves()
    }

    fn set(&mut self, place: usize, number: u64) {
        if place >= self.n_leaves() {
            self.grow(place + 1);
        }
        let mut node = self.n_leaves() + place;
        self.nodes[node] = number;
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node].min(self.nodes[2 * node + 1]);
        }
    }

    fn grow(&mut self, least: usize) {
        let leaves: Vec<u64> = self.nodes[self.n_leaves()..].to_vec();
        let n_leaves = least.next_power_of_two();
        self.nodes = vec![0; 2 * n_leaves];
        self.nodes[n_leaves..n_leaves + leaves.len()].copy_from_slice(&leaves);
        for node in (1..n_leaves).rev() {
            self.nodes[node] = self.nodes[2 * node].min(self.nodes[2 * node + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_small_number_is_found(
            sets in proptest::collection::vec((0_usize..40, 1_u64..50), 1..60),
            from in 0_usize..50,
            most in 0_u64..50,
        ) {
            let (mut tree, mut list) = (LeastTree::default(), vec![0_u64; 200]);
            for (place, number) in sets {
                tree.set(place, number);
                list[place] = number;
            }
            let expected = (from..).find(|place| list[*place] <= most).unwrap();
            prop_assert_eq!(tree.first_at_most(from, most), expected);
        }
    }

    #[test]
    fn slices_that_overlap_get_lanes_of_their_own_and_children_lie_below() {
        // two tasks side by side, a child of each, and a task after them
        let spans = [(0, 10), (2, 12), (3, 5), (4, 6), (13, 14)];
        let mut slices = Slices {
            first: vec![0, 1, 2, 3, 4],
            last: vec![0, 1, 2, 3, 4],
            place: vec![NONE, NONE, 0, 1, NONE],
            row: vec![0; 5],
            flags: vec![0; 5],
            lanes: Vec::new(),
            are_free: true,
        };
        assign(&mut slices, 1, |_, slice| spans[slice]);
        let lanes: Vec<u32> = slices.place.iter().map(|place| slices.lanes[*place as usize].1).collect();
        assert_eq!(lanes, [0, 1, 2, 3, 0]);
    }
}
