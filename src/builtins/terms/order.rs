//! Sorting by a key that is a term; it polls interrupts and limits, so that it can be stopped.
//!
//! A comparison that is stopped has no result, and the standard library's sort may panic if the comparisons are not a
//! total order. Therefore it sorts only elements with brief keys, whose comparisons always finish.

use std::cmp::Ordering;

use crate::engine::arith::{Number, compare};
use crate::engine::{Cell, Stop, Store, World};

/// The elements of a block, which is sorted while it is in the cache of a core.
const BLOCK: usize = 1 << 14;
/// The most elements that are sorted by insertion.
const RUN: usize = 12;
/// The most parts of a brief key.
const BRIEF: usize = 64;

/// Maps the order of two keys to their order in the sorted list.
pub(crate) type SortDirection = fn(Ordering) -> Ordering;

/// Ascending order.
pub(crate) fn ascending(order: Ordering) -> Ordering {
    order
}

/// Sorts by key in the standard order; elements with equal keys keep their order.
pub(crate) fn sort_by_key<T: Copy>(
    world: &World,
    items: Vec<T>,
    direction: SortDirection,
    key: impl Fn(&T) -> Cell,
) -> Result<Vec<T>, Stop> {
    sort_by(world, items, key, |a, b| direction(world.store.compare(a, b)))
}

/// As [`sort_by_key`], but numbers are in the order of their values whatever their kinds.
pub(crate) fn sort_by_value<T: Copy>(
    world: &World,
    items: Vec<T>,
    direction: SortDirection,
    key: impl Fn(&T) -> Cell,
) -> Result<Vec<T>, Stop> {
    sort_by(world, items, key, |a, b| direction(compare_values(&world.store, a, b)))
}

/// The order of two terms: of numbers that of their values, of others, and of equal numbers, the standard order.
pub(crate) fn compare_values(store: &Store, a: Cell, b: Cell) -> Ordering {
    let is_nan = |number: &Number| matches!(number, Number::Float(value) if value.is_nan());
    let number = |cell| Number::of(store, cell).filter(|number| !is_nan(number));
    let are_small = store.deref(a).is_int() && store.deref(b).is_int();
    let order = match (number(a), number(b)) {
        (Some(a), Some(b)) if !are_small => compare(&a, &b),
        _ => Ordering::Equal,
    };
    order.then_with(|| store.compare(a, b))
}

fn sort_by<T: Copy>(
    world: &World,
    mut items: Vec<T>,
    key: impl Fn(&T) -> Cell,
    compare: impl Fn(Cell, Cell) -> Ordering,
) -> Result<Vec<T>, Stop> {
    let order = |a: &T, b: &T| compare(key(a), key(b));
    let mut sorting = Sorting { world, order, n_compared: 0 };
    for block in items.chunks_mut(BLOCK) {
        if block.iter().all(|item| world.store.has_at_most(BRIEF, key(item))) {
            // a reference to the comparison would not be inlined in every build
            block.sort_by(|a, b| (sorting.order)(a, b));
            world.store.watch.check()?;
        } else {
            sorting.sort(block)?;
        }
    }
    sorting.merge_runs(&mut items, BLOCK)?;
    Ok(items)
}

/// Drops all elements but the first of those in a row that have equal keys.
pub(crate) fn dedup_by_key<T: Copy>(
    world: &World,
    mut items: Vec<T>,
    key: impl Fn(&T) -> Cell,
) -> Result<Vec<T>, Stop> {
    let order = |a: &T, b: &T| world.store.compare(key(a), key(b));
    let mut sorting = Sorting { world, order, n_compared: 0 };
    let mut kept = 0;
    for at in 0..items.len() {
        if at == 0 || sorting.compare(&items[kept - 1], &items[at])?.is_ne() {
            items[kept] = items[at];
            kept += 1;
        }
    }
    items.truncate(kept);
    Ok(items)
}

/// A running sort.
struct Sorting<'w, F> {
    world: &'w World,
    order: F,
    n_compared: usize,
}

impl<F> Sorting<'_, F> {
    #[inline]
    fn compare<T>(&mut self, a: &T, b: &T) -> Result<Ordering, Stop>
    where
        F: Fn(&T, &T) -> Ordering,
    {
        self.n_compared += 1;
        self.world.store.watch.check_at(self.n_compared)?;
        let order = (self.order)(a, b);
        self.world.store.check_walks().map(|()| order)
    }

    /// Sorts a block.
    fn sort<T: Copy>(&mut self, block: &mut [T]) -> Result<(), Stop>
    where
        F: Fn(&T, &T) -> Ordering,
    {
        for run in block.chunks_mut(RUN) {
            self.insert(run)?;
        }
        let mut items = block.to_vec();
        self.merge_runs(&mut items, RUN)?;
        block.copy_from_slice(&items);
        Ok(())
    }

    /// Merges sorted runs of `width` elements.
    fn merge_runs<T: Copy>(&mut self, items: &mut Vec<T>, mut width: usize) -> Result<(), Stop>
    where
        F: Fn(&T, &T) -> Ordering,
    {
        let mut merged = Vec::new();
        while width < items.len() {
            merged.reserve(items.len());
            for pair in items.chunks(2 * width) {
                let (left, right) = pair.split_at(width.min(pair.len()));
                self.merge(left, right, &mut merged)?;
            }
            std::mem::swap(items, &mut merged);
            merged.clear();
            width *= 2;
        }
        Ok(())
    }

    /// Sorts a few elements in place, by insertion.
    fn insert<T: Copy>(&mut self, run: &mut [T]) -> Result<(), Stop>
    where
        F: Fn(&T, &T) -> Ordering,
    {
        for end in 1..run.len() {
            let item = run[end];
            let mut place = end;
            while place > 0 && self.compare(&run[place - 1], &item)?.is_gt() {
                run[place] = run[place - 1];
                place -= 1;
            }
            run[place] = item;
        }
        Ok(())
    }

    /// Appends two sorted runs to `merged` as one.
    fn merge<T: Copy>(&mut self, mut left: &[T], mut right: &[T], merged: &mut Vec<T>) -> Result<(), Stop>
    where
        F: Fn(&T, &T) -> Ordering,
    {
        if let (Some(l), Some(r)) = (left.last(), right.first())
            && self.compare(l, r)?.is_le()
        {
            merged.extend_from_slice(left);
            left = &[];
        }
        while let (Some(l), Some(r)) = (left.first(), right.first()) {
            if self.compare(l, r)?.is_gt() {
                merged.push(*r);
                right = &right[1..];
            } else {
                merged.push(*l);
                left = &left[1..];
            }
        }
        merged.extend_from_slice(left);
        merged.extend_from_slice(right);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Output;

    #[test]
    fn numbers_of_both_kinds_are_in_one_order() {
        let mut world = World::new(Output::new(Box::new(std::io::sink())));
        let floats = [f64::NAN, -0.0, 0.0, 2.5, 1e300, f64::INFINITY].map(|value| world.store.float(value));
        let [zero, three] = [0, 3].map(|value| world.store.int(value));
        let [nan, minus_zero, plus_zero, middle, large, infinite] = floats;
        let expected = [nan, minus_zero, plus_zero, zero, middle, three, large, infinite, Cell::NIL];
        let mut items = expected.to_vec();
        for _ in 0..items.len() {
            items.rotate_left(2);
            items.swap(0, 4);
            assert_eq!(sort_by_value(&world, items.clone(), ascending, |item| *item).unwrap(), expected);
        }
    }

    #[test]
    fn long_sorting_is_stable_and_can_be_stopped() {
        let mut world = World::new(Output::new(Box::new(std::io::sink())));
        let long = (0..100).fold(Cell::NIL, |tail, _| world.store.cons(Cell::NIL, tail));
        // The keys are brief but for one in a hundred.
        let mut key = |n: i64| {
            let number = world.store.int(n % 1000);
            if n % 100 == 7 { world.store.cons(number, long) } else { number }
        };
        let items: Vec<(Cell, i64)> = (0..100_000).map(|n| (key(n * 7919 % 100_000), n)).collect();
        let mut expected = items.clone();
        expected.sort_by(|a, b| world.store.compare(a.0, b.0));
        assert_eq!(sort_by_key(&world, items.clone(), ascending, |item| item.0).unwrap(), expected);
        let deduped = dedup_by_key(&world, expected.clone(), |item| item.0).unwrap();
        assert_eq!(deduped, (0..1000).map(|n| expected[n * 100]).collect::<Vec<_>>());
        world.store.watch.interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(sort_by_key(&world, items, ascending, |item| item.0), Err(Stop::Interrupt));
    }
}
