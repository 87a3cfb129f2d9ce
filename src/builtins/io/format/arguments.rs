//! The arguments of a format, which its directives take in order.

use crate::builtins::arguments::list;
use crate::engine::error::{format_error, instantiation_error};
use crate::engine::{Cell, ListEnd, Stop, World};

/// The arguments that directives have not yet taken.
pub(super) struct DirectiveArguments {
    pub(super) items: std::vec::IntoIter<Cell>,
}

impl DirectiveArguments {
    /// The elements of a list; anything else is the only argument.
    pub(super) fn new(world: &World, arguments: Cell) -> Result<DirectiveArguments, Stop> {
        let items = match world.store.walk_list(arguments).end {
            ListEnd::Nil => list(&world.store, arguments)?,
            ListEnd::Partial(tail) if tail != world.store.deref(arguments) => return Err(instantiation_error()),
            _ => vec![arguments],
        };
        Ok(DirectiveArguments { items: items.into_iter() })
    }

    pub(super) fn next(&mut self) -> Result<Cell, Stop> {
        self.items.next().ok_or_else(|| format_error("not enough arguments"))
    }

    /// An error if some argument has not been taken.
    pub(super) fn finish(&self) -> Result<(), Stop> {
        if self.items.len() > 0 { Err(format_error("too many arguments")) } else { Ok(()) }
    }
}
