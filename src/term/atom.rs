//! Symbols: each distinct name is stored once and compared by its number.

use crate::term::hash::RandomState;
use std::cell::Cell;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{LazyLock, OnceLock, RwLock};

use super::atoms;

/// A name of the language: an atom, a functor's name, an attribute or a port.
///
/// Two atoms are equal if and only if their names are; the order of their numbers has no meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Atom(u32);

impl Atom {
    /// The atom called `name`.
    pub(crate) fn new(name: &str) -> Atom {
        match *name.as_bytes() {
            [byte] => ASCII[usize::from(byte)],
            _ => recent(name, hash(name)),
        }
    }

    /// The atom called `name`, if one was ever made.
    pub(crate) fn find(name: &str) -> Option<Atom> {
        TABLE.read().expect("no holder of this lock panics").ids.find(name, hash(name)).ok().map(Atom)
    }

    /// The atom of a name that lasts as long as the program, and needs no copy.
    pub(crate) fn of_program(name: &'static str) -> Atom {
        let hash = hash(name);
        TABLE.write().expect("no holder of this lock panics").intern_static(name, hash)
    }

    /// The atom of one character.
    pub(crate) fn from_char(character: char) -> Atom {
        match ASCII.get(character as usize) {
            Some(&atom) => atom,
            None => Atom::new(character.encode_utf8(&mut [0; 4])),
        }
    }

    /// The name, without quotes.
    #[inline]
    pub(crate) fn as_str(self) -> &'static str {
        name_of(self.0)
    }

    /// The number of this atom, for a machine word.
    pub(crate) const fn id(self) -> u32 {
        self.0
    }

    /// The atom with the number `id`, which must come from [`Atom::id`].
    pub(crate) const fn from_id(id: u32) -> Atom {
        Atom(id)
    }

    /// Bytes of all names, for the memory limit: names are never freed.
    pub(crate) fn bytes_interned() -> usize {
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

/// From names to numbers.
struct AtomTable {
    ids: NameIds,
    /// The unused rest of the piece of memory for new names.
    room: &'static mut [u8],
    bytes: usize,
}

/// A hash table with linear probing, from names to numbers. The probe that finds a name to be new ends at the place for
/// it, so an insertion costs one cache miss.
struct NameIds {
    /// A hash and the number + 1 in each place; their count is a power of two, and at most three quarters are taken.
    places: Vec<(u32, u32)>,
    n_taken: usize,
}

impl NameIds {
    fn new() -> NameIds {
        NameIds { places: vec![(0, 0); 1 << 12], n_taken: 0 }
    }

    /// The number of a name, or the place for it.
    fn find(&self, name: &str, hash: u32) -> Result<u32, usize> {
        let mask = self.places.len() - 1;
        let mut place = first_place(hash, mask);
        loop {
            match self.places[place] {
                (_, 0) => return Err(place),
                (known, id) if known == hash && name_of(id - 1) == name => return Ok(id - 1),
                _ => place = (place + 1) & mask,
            }
        }
    }

    /// Puts the next number at the place that [`NameIds::find`] returned.
    fn add(&mut self, place: usize, hash: u32) {
        self.n_taken += 1;
        self.places[place] = (hash, self.n_taken as u32);
        if self.n_taken * 4 > self.places.len() * 3 {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let mask = self.places.len() * 2 - 1;
        let mut places = vec![(0, 0); mask + 1];
        for &(hash, id) in self.places.iter().filter(|(_, id)| *id != 0) {
            let mut place = first_place(hash, mask);
            while places[place].1 != 0 {
                place = (place + 1) & mask;
            }
            places[place] = (hash, id);
        }
        self.places = places;
    }
}

/// The first place to probe for a hash. Multiplying spreads hashes that lie close together.
fn first_place(hash: u32, mask: usize) -> usize {
    (u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask
}

/// Size in bytes of a piece of memory for names.
const PIECE: usize = 1 << 14;

/// The atoms of ASCII characters, which need no look at the table.
static ASCII: LazyLock<[Atom; 128]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let name = char::from(code as u8).to_string();
        shared(&name, hash(&name))
    })
});

/// Size of a thread's cache of recent names, which are found without a look at the table.
const N_RECENT: usize = 256;

thread_local! {
    /// Hashes of names, and their atoms.
    static RECENT: [Cell<Option<(u32, Atom)>>; N_RECENT] = const { [const { Cell::new(None) }; N_RECENT] };
}

/// Each process has its own hash key, because names come from hostile traces.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::default);

static TABLE: LazyLock<RwLock<AtomTable>> = LazyLock::new(|| {
    let mut table = AtomTable { ids: NameIds::new(), room: &mut [], bytes: 0 };
    for (id, name) in atoms::NAMES.iter().enumerate() {
        let atom = table.intern_static(name, hash(name));
        debug_assert_eq!(atom.0 as usize, id, "`{name}` is predefined twice");
    }
    RwLock::new(table)
});

fn hash(name: &str) -> u32 {
    HASHER.hash_one(name) as u32
}

/// The atom of a name, from this thread's cache if it is there.
fn recent(name: &str, hash: u32) -> Atom {
    RECENT.with(|recent| {
        let entry = &recent[hash as usize % N_RECENT];
        if let Some((known, atom)) = entry.get()
            && known == hash
            && atom.as_str() == name
        {
            return atom;
        }
        let atom = shared(name, hash);
        entry.set(Some((hash, atom)));
        atom
    })
}

/// The atom of a name, from the table that all threads share. If another thread holds it, a lookup is tried before
/// waiting to write.
fn shared(name: &str, hash: u32) -> Atom {
    if let Ok(mut table) = TABLE.try_write() {
        return table.intern(name, hash);
    }
    if let Ok(id) = TABLE.read().expect("no holder of this lock panics").ids.find(name, hash) {
        return Atom(id);
    }
    TABLE.write().expect("no holder of this lock panics").intern(name, hash)
}

impl AtomTable {
    fn intern(&mut self, name: &str, hash: u32) -> Atom {
        match self.ids.find(name, hash) {
            Ok(id) => Atom(id),
            Err(place) => {
                let name = kept(&mut self.room, name);
                self.add(place, name, hash)
            }
        }
    }

    fn intern_static(&mut self, name: &'static str, hash: u32) -> Atom {
        match self.ids.find(name, hash) {
            Ok(id) => Atom(id),
            Err(place) => self.add(place, name, hash),
        }
    }

    /// Gives the next number to a permanent name, at the place that [`NameIds::find`] returned.
    fn add(&mut self, place: usize, name: &'static str, hash: u32) -> Atom {
        let id = u32::try_from(self.ids.n_taken).expect("memory ends before 2^32 names");
        self.bytes += name.len() + 48;
        set_name(id, name);
        self.ids.add(place, hash);
        Atom(id)
    }
}

/// A copy of the name that lasts as long as the process, in `room`, which is replaced when it is full.
fn kept(room: &mut &'static mut [u8], name: &str) -> &'static str {
    if name.len() > PIECE / 16 {
        return Box::leak(name.into());
    }
    if name.len() > room.len() {
        *room = Vec::leak(vec![0; PIECE]);
    }
    let (kept, rest) = std::mem::take(room).split_at_mut(name.len());
    *room = rest;
    kept.copy_from_slice(name.as_bytes());
    std::str::from_utf8(kept).expect("it is a copy of a text")
}

/// The names by number, in blocks whose lengths double; reading them needs no lock.
static BLOCKS: [OnceLock<NameBlock>; 33 - FIRST_BITS as usize] = [const { OnceLock::new() }; 33 - FIRST_BITS as usize];

type NameBlock = Box<[OnceLock<&'static str>]>;

/// Binary logarithm of the length of the first block, which has room for the names of papaver itself and more.
const FIRST_BITS: u32 = 11;

/// The block that holds a number, and the index in it.
fn block_of(id: u32) -> (usize, usize) {
    let shifted = u64::from(id) + (1 << FIRST_BITS);
    let bits = shifted.ilog2();
    ((bits - FIRST_BITS) as usize, (shifted - (1 << bits)) as usize)
}

#[inline]
fn name_of(id: u32) -> &'static str {
    let (block, index) = block_of(id);
    BLOCKS[block].get().and_then(|names| names[index].get()).expect("every number was given to a name")
}

fn set_name(id: u32, name: &'static str) {
    let (block, index) = block_of(id);
    let length = 1usize << (block as u32 + FIRST_BITS);
    let names = BLOCKS[block].get_or_init(|| (0..length).map(|_| OnceLock::new()).collect());
    names[index].set(name).expect("a number is given once");
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
    fn names_keep_their_numbers_when_there_are_many() {
        let long = "x".repeat(PIECE);
        let names: Vec<String> = (0..10_000).map(|n| format!("name {n}")).chain([String::new(), long]).collect();
        let atoms: Vec<Atom> = names.iter().map(|name| Atom::new(name)).collect();
        for (name, atom) in names.iter().zip(&atoms) {
            assert_eq!(atom.as_str(), name);
            assert_eq!(Atom::new(name), *atom);
        }
    }

    #[test]
    fn blocks_follow_one_another() {
        let first = 1 << FIRST_BITS;
        assert_eq!(block_of(0), (0, 0));
        assert_eq!(block_of(first - 1), (0, first as usize - 1));
        assert_eq!(block_of(first), (1, 0));
        assert_eq!(block_of(u32::MAX).0, BLOCKS.len() - 1);
    }

    #[test]
    fn predefined_atoms_have_their_names() {
        for (id, name) in atoms::NAMES.iter().enumerate() {
            assert_eq!(Atom::from_id(id as u32).as_str(), *name);
            assert_eq!(Atom::new(name).id() as usize, id);
        }
    }
}
