//! Sorting that can be stopped: runs are sorted one by one and merged, with a look at interrupts and limits in between.

use std::cmp::Ordering;

use crate::engine::{Stop, World};

/// Elements that are sorted or merged between two looks.
const RUN: usize = 1 << 14;

/// Sorts by `order`; equal elements keep their order.
pub fn sort_by<T: Copy>(
    world: &World,
    mut items: Vec<T>,
    order: impl Fn(&World, &T, &T) -> Ordering,
) -> Result<Vec<T>, Stop> {
    for run in items.chunks_mut(RUN) {
        run.sort_by(|a, b| order(world, a, b));
        world.watch.check()?;
    }
    let mut width = RUN;
    while width < items.len() {
        let mut merged = Vec::with_capacity(items.len());
        for pair in items.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            merge(world, left, right, &mut merged, &order)?;
        }
        items = merged;
        width *= 2;
    }
    Ok(items)
}

/// Appends two sorted runs to `merged` as one.
fn merge<T: Copy>(
    world: &World,
    mut left: &[T],
    mut right: &[T],
    merged: &mut Vec<T>,
    order: &impl Fn(&World, &T, &T) -> Ordering,
) -> Result<(), Stop> {
    if let (Some(l), Some(r)) = (left.last(), right.first())
        && order(world, l, r).is_le()
    {
        merged.extend_from_slice(left);
        left = &[];
    }
    while let (Some(l), Some(r)) = (left.first(), right.first()) {
        if merged.len().is_multiple_of(RUN) {
            world.watch.check()?;
        }
        if order(world, l, r).is_gt() {
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
        world.watch.interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(sort_by(&world, items, |_, a, b| a.0.cmp(&b.0)), Err(Stop::Interrupt));
    }
}
