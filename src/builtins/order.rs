//! Sorting that can be stopped: it looks at interrupts and limits every few comparisons, as terms may be large.
//!
//! A comparison that ends early has no result, so that the sorting of the standard library, which may panic where an
//! order is none, cannot be used.

use std::cmp::Ordering;
use std::marker::PhantomData;

use crate::engine::{Stop, World};

/// Elements that are sorted by insertion.
const RUN: usize = 12;

/// Sorts by `order`; equal elements keep their order.
pub fn sort_by<T: Copy>(
    world: &World,
    mut items: Vec<T>,
    order: impl Fn(&World, &T, &T) -> Ordering,
) -> Result<Vec<T>, Stop> {
    let mut sorting = Sorting::new(world, order);
    for run in items.chunks_mut(RUN) {
        sorting.insert(run)?;
    }
    let mut merged = Vec::with_capacity(items.len());
    let mut width = RUN;
    while width < items.len() {
        for pair in items.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            sorting.merge(left, right, &mut merged)?;
        }
        std::mem::swap(&mut items, &mut merged);
        merged.clear();
        width *= 2;
    }
    Ok(items)
}

/// Drops all elements but the first of those in a row that are equal by `order`.
pub fn dedup_by<T: Copy>(
    world: &World,
    mut items: Vec<T>,
    order: impl Fn(&World, &T, &T) -> Ordering,
) -> Result<Vec<T>, Stop> {
    let mut sorting = Sorting::new(world, order);
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

/// A sorting under way.
struct Sorting<'w, T, F: Fn(&World, &T, &T) -> Ordering> {
    world: &'w World,
    order: F,
    n_compared: usize,
    items: PhantomData<T>,
}

impl<'w, T: Copy, F: Fn(&World, &T, &T) -> Ordering> Sorting<'w, T, F> {
    fn new(world: &'w World, order: F) -> Sorting<'w, T, F> {
        Sorting { world, order, n_compared: 0, items: PhantomData }
    }

    #[inline]
    fn compare(&mut self, a: &T, b: &T) -> Result<Ordering, Stop> {
        self.n_compared += 1;
        self.world.store.watch.check_at(self.n_compared)?;
        let order = (self.order)(self.world, a, b);
        self.world.store.check_walks().map(|()| order)
    }

    /// Sorts a few elements where they stand.
    fn insert(&mut self, run: &mut [T]) -> Result<(), Stop> {
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
    fn merge(&mut self, mut left: &[T], mut right: &[T], merged: &mut Vec<T>) -> Result<(), Stop> {
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
    fn long_sorting_is_stable_and_can_be_stopped() {
        let world = World::new(Output::new(Box::new(std::io::sink())));
        let items: Vec<(u64, u64)> = (0..100_000).map(|n| (n * 7919 % 1000, n)).collect();
        let mut expected = items.clone();
        expected.sort_by_key(|item| item.0);
        assert_eq!(sort_by(&world, items.clone(), |_, a, b| a.0.cmp(&b.0)).unwrap(), expected);
        let deduped = dedup_by(&world, expected.clone(), |_, a, b| a.0.cmp(&b.0)).unwrap();
        assert_eq!(deduped, (0..1000).map(|n| expected[n * 100]).collect::<Vec<_>>());
        world.store.watch.interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(sort_by(&world, items, |_, a, b| a.0.cmp(&b.0)), Err(Stop::Interrupt));
    }
}
