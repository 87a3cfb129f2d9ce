//! Numbers the variables of one clause.

use crate::term::Span;
use crate::term::hash::HashMap;

/// Up to this many names, a linear search finds a name.
const FEW: usize = 16;

/// The variables read so far.
pub(super) struct VariableNames<'a> {
    named: Vec<NamedVariable<'a>>,
    /// Indexes into `named`; used for more than [`FEW`] names.
    by_name: HashMap<&'a str, usize>,
    count: u32,
}

struct NamedVariable<'a> {
    name: &'a str,
    number: u32,
    first: Span,
    occurrences: u32,
}

impl<'a> VariableNames<'a> {
    pub(super) fn new() -> VariableNames<'a> {
        VariableNames { named: Vec::new(), by_name: HashMap::default(), count: 0 }
    }

    /// The number of the variable called `name` at `span`; each `_` gets a new one.
    pub(super) fn number(&mut self, name: &'a str, span: Span) -> u32 {
        if name == "_" {
            return self.fresh();
        }
        if let Some(index) = self.find(name) {
            self.named[index].occurrences += 1;
            return self.named[index].number;
        }
        let number = self.fresh();
        self.named.push(NamedVariable { name, number, first: span, occurrences: 1 });
        if self.named.len() > FEW {
            let known = self.by_name.len();
            self.by_name.extend(self.named.iter().enumerate().skip(known).map(|(index, named)| (named.name, index)));
        }
        number
    }

    /// Name, number, first span and number of occurrences of each named variable; and the number of all variables.
    pub(super) fn finish(self) -> (Vec<(String, u32, Span, u32)>, u32) {
        let list = |v: NamedVariable| (v.name.to_string(), v.number, v.first, v.occurrences);
        (self.named.into_iter().map(list).collect(), self.count)
    }

    fn fresh(&mut self) -> u32 {
        self.count += 1;
        self.count - 1
    }

    fn find(&self, name: &str) -> Option<usize> {
        match self.named.len() > FEW {
            true => self.by_name.get(name).copied(),
            false => self.named.iter().position(|named| named.name == name),
        }
    }
}
