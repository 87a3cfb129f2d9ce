//! Lazy values: parts of a trace that are computed at first use, read from a saved trace or derived from other parts.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A value, or the function that computes it. Clones share it.
pub(crate) struct Lazy<T>(Arc<Inner<T>>);

struct Inner<T> {
    value: OnceLock<T>,
    make: Option<Box<dyn Fn() -> T + Send + Sync>>,
}

impl<T> Lazy<T> {
    /// The value that `make` computes at first use.
    pub(crate) fn new(make: impl Fn() -> T + Send + Sync + 'static) -> Lazy<T> {
        Lazy(Arc::new(Inner { value: OnceLock::new(), make: Some(Box::new(make)) }))
    }

    /// Computes the value now if it was not computed yet.
    pub(crate) fn ready(&self) {
        if self.made().is_none() {
            self.make();
        }
    }

    /// The value, if it was computed already.
    #[inline]
    pub(crate) fn made(&self) -> Option<&T> {
        self.0.value.get()
    }
}

impl<T> From<T> for Lazy<T> {
    fn from(value: T) -> Lazy<T> {
        Lazy(Arc::new(Inner { value: OnceLock::from(value), make: None }))
    }
}

impl<T: Default> Default for Lazy<T> {
    fn default() -> Lazy<T> {
        Lazy::from(T::default())
    }
}

impl<T> Clone for Lazy<T> {
    fn clone(&self) -> Lazy<T> {
        Lazy(Arc::clone(&self.0))
    }
}

impl<T> Deref for Lazy<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self.0.value.get() {
            Some(value) => value,
            None => self.make(),
        }
    }
}

impl<T> Lazy<T> {
    #[cold]
    fn make(&self) -> &T {
        self.0
            .value
            .get_or_init(|| self.0.make.as_ref().map(|make| make()).expect("a value that is not there can be made"))
    }
}

impl<T: fmt::Debug> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.made() {
            Some(value) => value.fmt(f),
            None => f.write_str("_"),
        }
    }
}
