//! Compares clause lists with a plain vector: after any additions, erasures and sweeps, iterations give the same
//! clauses.

use proptest::prelude::*;

use super::*;
use crate::engine::code::Pc;
use crate::engine::code::index::ArgumentSet;
use crate::engine::heap::{ANY_KEY, Cell, Store};

/// An operation on a list. Arguments are small integers, 0 is a variable.
#[derive(Clone, Debug)]
enum ListOperation {
    Add(ClauseEnd, [u8; 3]),
    /// Erases one of the living clauses: this number modulo their count.
    Erase(usize),
    Begin([u8; 3]),
    /// Takes a clause from one of the iterations.
    Advance(usize),
    Sweep,
}

/// A clause in the plain vector.
#[derive(Debug)]
struct Plain {
    code: Pc,
    args: [u8; 3],
    born: u64,
    died: u64,
}

struct Iteration {
    args: [u8; 3],
    remaining: Remaining,
    /// The clauses it should still give.
    expected: VecDeque<Pc>,
}

#[derive(Default)]
struct ComparedLists {
    list: ClauseList,
    plain: Vec<Plain>,
    iterations: Vec<Iteration>,
    change: u64,
    codes: Pc,
}

fn key(arg: u8) -> u64 {
    if arg == 0 { ANY_KEY } else { Cell::small_int(arg.into()).0 }
}

fn cells(store: &mut Store, args: [u8; 3]) -> [Cell; 3] {
    args.map(|arg| if arg == 0 { store.new_var() } else { Cell::small_int(arg.into()) })
}

fn agree(one: [u8; 3], other: [u8; 3]) -> bool {
    one.iter().zip(other).all(|(&one, other)| one == 0 || other == 0 || one == other)
}

impl ComparedLists {
    fn add(&mut self, end: ClauseEnd, args: [u8; 3]) {
        self.change += 1;
        self.codes += 1;
        let clause = Clause::new(self.codes, NeckStyle::Preserving, args.map(key).into(), None, self.change);
        self.list.add(end, clause);
        let plain = Plain { code: self.codes, args, born: self.change, died: ALIVE };
        match end {
            ClauseEnd::Back => self.plain.push(plain),
            ClauseEnd::Front => self.plain.insert(0, plain),
        }
    }

    fn erase(&mut self, number: usize) {
        let alive: Vec<(ClauseId, Pc)> = self.list.alive().map(|(id, clause)| (id, clause.code)).collect();
        if alive.is_empty() {
            return;
        }
        let (id, code) = alive[number % alive.len()];
        self.change += 1;
        assert!(self.list.erase(id, self.change));
        assert!(!self.list.erase(id, self.change), "it is erased once");
        let plain = self.plain.iter_mut().find(|plain| plain.code == code).expect("both have the same clauses");
        plain.died = self.change;
    }

    fn begin(&mut self, args: [u8; 3]) {
        let mut store = Store::new();
        let cells = cells(&mut store, args);
        let remaining = self.list.start(&CallArguments { store: &store, args: &cells }, self.change);
        let seen = self.plain.iter().filter(|plain| plain.born <= self.change && self.change < plain.died);
        let expected = seen.filter(|plain| agree(plain.args, args)).map(|plain| plain.code).collect();
        self.iterations.push(Iteration { args, remaining, expected });
    }

    fn advance(&mut self, number: usize) {
        if self.iterations.is_empty() {
            return;
        }
        let number = number % self.iterations.len();
        let mut store = Store::new();
        let Iteration { args, remaining, expected } = &mut self.iterations[number];
        let cells = cells(&mut store, *args);
        let selected = self.list.selected(*remaining, &CallArguments { store: &store, args: &cells });
        assert_eq!(selected.map(|selected| selected.code), expected.pop_front());
        match selected {
            Some(Selected { rest, .. }) => {
                assert_eq!(rest.is_none(), expected.is_empty(), "the last clause is known to be the last");
                *remaining = rest.unwrap_or_default();
            }
            None => {
                self.iterations.remove(number);
            }
        }
    }

    fn sweep(&mut self) {
        let open = self.iterations.iter().filter(|iteration| !iteration.remaining.is_at_end());
        let oldest = open.map(|iteration| iteration.remaining.generation()).min().unwrap_or(u64::MAX);
        self.list.sweep(oldest);
    }

    fn finish(&mut self) {
        while !self.iterations.is_empty() {
            self.advance(0);
        }
        self.sweep();
        let alive: Vec<Pc> = self.list.alive().map(|(_, clause)| clause.code).collect();
        let expected: Vec<Pc> = self.plain.iter().filter(|plain| plain.died == ALIVE).map(|plain| plain.code).collect();
        assert_eq!(alive, expected);
        assert_eq!(self.list.len(), expected.len());
        assert_eq!(self.list.linked(), expected.len(), "nothing erased is left");
    }
}

fn args() -> impl Strategy<Value = [u8; 3]> {
    [0..4u8, 0..6u8, 0..3u8]
}

fn steps() -> impl Strategy<Value = Vec<ListOperation>> {
    let end = prop_oneof![3 => Just(ClauseEnd::Back), 1 => Just(ClauseEnd::Front)];
    let step = prop_oneof![
        6 => (end, args()).prop_map(|(end, args)| ListOperation::Add(end, args)),
        3 => any::<usize>().prop_map(ListOperation::Erase),
        4 => args().prop_map(ListOperation::Begin),
        6 => any::<usize>().prop_map(ListOperation::Advance),
        1 => Just(ListOperation::Sweep),
    ];
    prop::collection::vec(step, 1..200)
}

proptest! {
    #[test]
    fn an_iteration_gives_what_a_plain_list_has(steps in steps()) {
        let mut pair = ComparedLists::default();
        for step in steps {
            match step {
                ListOperation::Add(end, args) => pair.add(end, args),
                ListOperation::Erase(number) => pair.erase(number),
                ListOperation::Begin(args) => pair.begin(args),
                ListOperation::Advance(number) => pair.advance(number),
                ListOperation::Sweep => pair.sweep(),
            }
        }
        pair.finish();
    }
}

/// A list of `n` clauses with the arguments that `args` gives for each.
fn filled(n: u64, args: impl Fn(u64) -> [u64; 3]) -> ClauseList {
    let mut list = ClauseList::default();
    for number in 0..n {
        let keys = args(number).map(|arg| Cell::small_int(arg as i64).0);
        list.add(ClauseEnd::Back, Clause::new(0, NeckStyle::Preserving, keys.into(), None, number));
    }
    list
}

/// The arguments of the index that a call with these arguments builds, as a bit set.
fn index_for(list: &mut ClauseList, args: [Option<u64>; 3]) -> ArgumentSet {
    let mut store = Store::new();
    let cells = args.map(|arg| arg.map_or_else(|| store.new_var(), |arg| Cell::small_int(arg as i64)));
    let remaining = list.start(&CallArguments { store: &store, args: &cells }, u64::MAX - 1);
    match remaining.via {
        Via::Order => 0,
        Via::Index(number) => list.indexes[number as usize].arguments,
    }
}

#[test]
fn the_index_is_over_the_arguments_that_tell_most() {
    let mut list = filled(5000, |n| [n % 70, n % 71, n]);
    assert_eq!(index_for(&mut list, [Some(1), None, None]), 0b001);
    assert_eq!(index_for(&mut list, [None, Some(1), None]), 0b010);
    assert_eq!(index_for(&mut list, [None, None, Some(1)]), 0b100);
    assert_eq!(index_for(&mut list, [Some(1), Some(1), None]), 0b011);
    assert_eq!(index_for(&mut list, [Some(1), Some(1), Some(1)]), 0b100);
    assert_eq!(list.indexes.len(), 4);
}

#[test]
fn an_argument_without_selectivity_is_not_indexed() {
    let mut list = filled(5000, |n| [7, n % 2, n]);
    assert_eq!(index_for(&mut list, [Some(7), None, None]), 0);
    assert_eq!(index_for(&mut list, [Some(7), None, Some(3)]), 0b100);
}

#[test]
fn the_first_of_two_equally_good_arguments_is_taken() {
    let mut list = filled(600, |n| [n, n, n]);
    assert_eq!(index_for(&mut list, [Some(7), Some(7), Some(7)]), 0b001);
}

#[test]
fn numbers_are_given_again_when_nobody_sees_the_erased() {
    let mut list = ClauseList::default();
    for change in 1..100_000u64 {
        let id = list.alive().next().map(|(id, _)| id);
        if let Some(id) = id {
            list.erase(id, 2 * change);
        }
        list.add(ClauseEnd::Back, Clause::new(0, NeckStyle::Preserving, Box::new([1]), None, 2 * change + 1));
        if list.is_crowded() {
            list.sweep(u64::MAX);
        }
    }
    assert!(list.clauses.len() <= 2 * ERASED_FROM, "{}", list.clauses.len());
}
