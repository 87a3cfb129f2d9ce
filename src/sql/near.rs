//! Conditions that all events satisfy which satisfy a constraint on arguments, and few others: the start of an argument's
//! text shows the start of a term.

use super::compile::Compiler;
use super::constraints::any;
use crate::builtins::constraints::{WrittenConstraint, argument};
use crate::engine::Comparison;
use crate::term::{Node, NodeId};

/// A text of which the start of the term can be seen: digits, lower-case letters, lists.
const PLAIN: &str = r"^[a-z0-9 ,\[\]-]*$";
/// What may be written otherwise in such a text: `- 1`, `0x1`.
const OTHERWISE: &str = "- |[0-9][a-z]";

impl Compiler<'_> {
    /// Such conditions for a constraint, on the events of a table; none if it is on something else.
    pub(super) fn near_conditions(&self, item: &WrittenConstraint<NodeId>, table: &str) -> Option<Vec<String>> {
        let number = argument(&self.tree, item.name);
        let is_args = self.functor(item.name) == Some(("args", 0));
        if number.is_none() && !is_args {
            return None;
        }
        if item.comparison != Comparison::Equal || item.is_negated {
            return Some(Vec::new());
        }
        let (mut patterns, mut rest) = (Vec::new(), item.form);
        match number.map(|number| self.tree.node(number)) {
            Some(Node::Int(number)) => patterns.push((*number, item.form)),
            Some(_) => {}
            None => {
                while let (Some((".", 2)), &[first, more]) = (self.functor(rest), self.tree.args(rest)) {
                    patterns.push((patterns.len() as i64 + 1, first));
                    rest = more;
                }
            }
        }
        Some(patterns.into_iter().filter_map(|(number, term)| self.near_condition(number, term, table)).collect())
    }

    /// The condition that the text of an argument may begin as a term does.
    fn near_condition(&self, number: i64, term: NodeId, table: &str) -> Option<String> {
        let columns = &self.trace.attribute("args")?.columns;
        let of_number = |index: Option<usize>| index.and_then(|index| i64::try_from(index).ok()) == Some(number);
        let column = columns.iter().find(|column| column.kind == "argument" && of_number(column.index))?;
        let mut start = String::from("^ *");
        let is_whole = self.start_of(term, &mut start);
        if start.len() == "^ *".len() {
            return None;
        }
        if is_whole {
            start.push_str(" *$");
        }
        let text = self.column(column, table);
        let matches = |pattern: &str| self.dialect.matches(&text, pattern);
        Some(any(vec![format!("NOT {}", matches(PLAIN)), matches(OTHERWISE), matches(&start)]))
    }

    /// Adds what the text of a term begins with to a regular expression; whether that is the whole text.
    fn start_of(&self, term: NodeId, start: &mut String) -> bool {
        match (self.tree.node(term), self.functor(term)) {
            (Node::Int(value), _) => {
                start.push_str(if *value < 0 { "-0*" } else { "0*" });
                start.push_str(&value.unsigned_abs().to_string());
                true
            }
            (_, Some(("[]", 0))) => {
                start.push_str(r"\[ *\]");
                true
            }
            (_, Some((name, 0))) if is_word(name) => {
                start.push_str(name);
                true
            }
            (_, Some((".", 2))) => self.start_of_list(term, start),
            _ => false,
        }
    }

    fn start_of_list(&self, list: NodeId, start: &mut String) -> bool {
        start.push_str(r"\[ *");
        let mut rest = list;
        while let &[first, more] = self.tree.args(rest) {
            if !self.start_of(first, start) {
                return false;
            }
            match self.functor(more) {
                Some((".", 2)) => start.push_str(" *, *"),
                Some(("[]", 0)) => {
                    start.push_str(r" *\]");
                    return true;
                }
                _ => {
                    start.push_str(r" *(,|\])");
                    return false;
                }
            }
            rest = more;
        }
        false
    }
}

/// Whether an atom is written without quotes, in letters that have one spelling.
fn is_word(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}
