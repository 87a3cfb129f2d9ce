//! An answer: the values of a goal's variables, and the event at the cursor.

use crate::term::{Node, NodeId, Tree};
use crate::trace::EventId;

/// One solution of a goal, independent of the machine that found it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Holds all values, so that variables are shared between them.
    pub(crate) tree: Tree,
    /// The goal's named variables and the nodes of their values in the tree, in order of appearance.
    pub(crate) values: Vec<(String, NodeId)>,
    /// The residual goals, on which the answer is conditional.
    pub(crate) goals: Vec<NodeId>,
    /// The current event, if the goal moved the cursor.
    pub(crate) event: Option<EventId>,
    /// Whether another answer may follow.
    pub(crate) more: bool,
}

/// The most nodes that are written; a node with several parents counts once for each.
const MOST_NODES: usize = 1 << 26;

impl Answer {
    /// Whether its text would be too long only because its values share parts, which are written once for each use.
    pub(crate) fn is_too_long(&self) -> bool {
        self.tree.len() < MOST_NODES && self.tree.unfolded_len() > MOST_NODES
    }

    /// The informative values: those of variables that are bound, or equal to another variable.
    ///
    /// Variables whose names begin with `_` are omitted, as the author of the goal requests by the name.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = AnswerBinding<'_>> {
        let shown = |(_, (name, _)): &(usize, &(String, NodeId))| !name.starts_with('_');
        self.values.iter().enumerate().filter(shown).filter_map(|(index, (name, value))| {
            match *self.tree.node(*value) {
                Node::Var(number) => self.earlier_alias(index, number).map(|other| AnswerBinding::Alias(name, other)),
                _ => Some(AnswerBinding::Value(name, *value)),
            }
        })
    }

    /// Whether it contains more than the fact that the goal succeeded.
    pub(crate) fn says_something(&self) -> bool {
        !self.goals.is_empty() || self.bindings().next().is_some()
    }

    /// The name of a variable within the values: that of the goal's variable that is bound to it, if there is one.
    pub(crate) fn variable_name(&self, number: u64) -> Option<&str> {
        self.values.iter().find_map(|(name, value)| match *self.tree.node(*value) {
            Node::Var(own) if u64::from(own) == number && !name.starts_with('_') => Some(name.as_str()),
            _ => None,
        })
    }

    fn earlier_alias(&self, index: usize, number: u32) -> Option<&str> {
        self.values[..index].iter().find_map(|(name, value)| {
            (!name.starts_with('_') && *self.tree.node(*value) == Node::Var(number)).then_some(name.as_str())
        })
    }
}

/// What an answer says about one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerBinding<'a> {
    /// Its value.
    Value(&'a str, NodeId),
    /// It equals an earlier variable; both are unbound.
    Alias(&'a str, &'a str),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Span;

    #[test]
    fn shared_parts_count_for_each_place() {
        let mut tree = Tree::new();
        let one = tree.push(Node::Int(1), Span::default());
        (0..60).fold(one, |part, _| tree.push_compound(crate::term::Atom::new("f"), &[part, part], Span::default()));
        let answer = |tree: &Tree| Answer {
            tree: tree.clone(),
            values: Vec::new(),
            goals: Vec::new(),
            event: None,
            more: false,
        };
        assert!(answer(&tree).is_too_long());
        tree.set_root(one);
        assert!(!answer(&tree).is_too_long());
    }

    #[test]
    fn unbound_variables_are_shown_only_if_two_are_the_same() {
        let mut tree = Tree::new();
        let one = tree.push(Node::Var(7), Span::default());
        let two = tree.push(Node::Var(8), Span::default());
        let same = tree.push(Node::Var(7), Span::default());
        let five = tree.push(Node::Int(5), Span::default());
        let value = |name: &str, id| (name.to_string(), id);
        let values = vec![value("X", one), value("Y", two), value("Z", same), value("_N", five)];
        let answer = Answer { tree, values, goals: Vec::new(), event: None, more: false };
        assert_eq!(answer.bindings().collect::<Vec<_>>(), [AnswerBinding::Alias("Z", "X")]);
        assert_eq!(answer.variable_name(8), Some("Y"));
    }
}
