//! Symbols: every distinct name is stored once and compared by number.

use std::collections::HashMap;
use std::fmt;
use std::sync::{LazyLock, RwLock};

use super::atoms;

/// A name of the language: an atom, a functor's name, an attribute or a port.
///
/// Two atoms are equal exactly if their names are; the order of the numbers means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Atom(u32);

impl Atom {
    /// The atom called `name`; the same name always gives the same atom.
    pub fn new(name: &str) -> Atom {
        if let Some(&id) = TABLE.read().expect("no holder of this lock panics").ids.get(name) {
            return Atom(id);
        }
        TABLE.write().expect("no holder of this lock panics").intern(name)
    }

    /// The atom of one character.
    pub fn from_char(character: char) -> Atom {
        Atom::new(character.encode_utf8(&mut [0; 4]))
    }

    /// The name, without quotes.
    pub fn as_str(self) -> &'static str {
        TABLE.read().expect("no holder of this lock panics").names[self.0 as usize]
    }

    /// The number that stands for this atom in a machine word.
    pub const fn id(self) -> u32 {
        self.0
    }

    /// The atom whose number is `id`, which must come from [`Atom::id`].
    pub const fn from_id(id: u32) -> Atom {
        Atom(id)
    }

    /// Bytes that all names ever made take, for the memory limit: names are never given back.
    pub fn bytes_interned() -> usize {
        TABLE.read().expect("no holder of this lock panics").bytes
    }
}

impl fmt::Debug for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The hash is keyed (the standard library's default), as names come from hostile traces.
struct Table {
    ids: HashMap<&'static str, u32>,
    names: Vec<&'static str>,
    bytes: usize,
}

static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(|| {
    let mut table = Table { ids: HashMap::new(), names: Vec::new(), bytes: 0 };
    for (id, name) in atoms::NAMES.iter().enumerate() {
        let atom = table.intern(name);
        debug_assert_eq!(atom.0 as usize, id, "`{name}` is predefined twice");
    }
    RwLock::new(table)
});

impl Table {
    fn intern(&mut self, name: &str) -> Atom {
        if let Some(&id) = self.ids.get(name) {
            return Atom(id);
        }
        let id = u32::try_from(self.names.len()).expect("memory ends before 2^32 names");
        let name: &'static str = Box::leak(name.into());
        self.bytes += name.len() + 64;
        self.names.push(name);
        self.ids.insert(name, id);
        Atom(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_is_the_same_atom() {
        assert_eq!(Atom::new("queen"), Atom::new("queen"));
        assert_ne!(Atom::new("queen"), Atom::new("queens"));
        assert_eq!(Atom::new("queen").as_str(), "queen");
    }

    #[test]
    fn predefined_atoms_have_their_names() {
        for (id, name) in atoms::NAMES.iter().enumerate() {
            assert_eq!(Atom::from_id(id as u32).as_str(), *name);
            assert_eq!(Atom::new(name).id() as usize, id);
        }
    }
}
