//! The hasher of all maps and sets: foldhash.
//!
//! Whoever writes a trace or a script chooses its names, numbers and texts. [`HashMap`] and [`HashSet`] hash them with
//! random numbers that each process draws anew, so that nobody can prepare keys that collide.

pub(crate) use foldhash::fast::{FixedState, RandomState};

/// A map whose keys input may choose.
pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;

/// A set of what input may choose.
pub(crate) type HashSet<T> = std::collections::HashSet<T, RandomState>;

/// A map by numbers that the program gives out itself, such as atoms, codes and cells of the heap: an empty one costs
/// nothing, and all runs go through it in the same order.
pub(crate) type NumberMap<K, V> = std::collections::HashMap<K, V, FixedState>;

/// A set of such numbers.
pub(crate) type NumberSet<T> = std::collections::HashSet<T, FixedState>;
