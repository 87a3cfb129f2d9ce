//! Answers as text that can be pasted back as a goal.

use crate::session::{Answer, AnswerBinding};
use crate::term::hash::HashMap;
use crate::term::ops::OpTable;
use crate::term::print::{self, Spacing, Style};
use crate::term::{Atom, NodeId, Shape, Tree, View};

/// How much of a long term is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerExtent {
    /// All of it.
    Whole,
    /// Enough for a person, with a note on how to see the rest.
    Cut,
}

/// The most subterms of a value that a terminal shows.
const MOST_TERMS: usize = 400;
/// The deepest nesting that a terminal shows; also the most elements of a list.
const MOST_DEPTH: usize = 60;

/// An answer as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnswerText {
    /// `X = 1` for each variable, then the residual goals; empty if the answer is just `true`.
    pub(crate) bindings: Vec<String>,
    /// A note on what was cut.
    pub(crate) cut: Option<String>,
}

/// Writes an answer; one that is too long to be written in full is cut.
pub(crate) fn answer_text(answer: &Answer, ops: &OpTable, extent: AnswerExtent) -> AnswerText {
    let extent = if answer.is_too_long() { AnswerExtent::Cut } else { extent };
    let names = variable_names(answer);
    let mut text = AnswerText { bindings: Vec::new(), cut: None };
    for binding in answer.bindings() {
        match binding {
            AnswerBinding::Alias(name, other) => text.bindings.push(format!("{name} = {other}")),
            AnswerBinding::Value(name, value) => {
                let shown = equation(answer, name, value, &names, ops, extent);
                if extent == AnswerExtent::Cut && shown.contains("...") && is_long(&answer.tree, value) {
                    text.cut = Some(how_to_see_all(&answer.tree, name, value));
                }
                text.bindings.push(shown);
            }
        }
    }
    let style = Style { spacing: Spacing::NextArgument, names: Some(&names), ..limits(extent) };
    text.bindings.extend(answer.goals.iter().map(|&goal| print::to_string(&answer.tree, goal, ops, &style)));
    text
}

/// How much of a term is written.
fn limits(extent: AnswerExtent) -> Style<'static> {
    let (max_terms, max_depth) = match extent {
        AnswerExtent::Whole => (None, None),
        AnswerExtent::Cut => (Some(MOST_TERMS), Some(MOST_DEPTH)),
    };
    Style { max_terms, max_depth, ..Style::writeq() }
}

/// `Name = Value`, written as a term, so that it has brackets where reading needs them.
fn equation(
    answer: &Answer,
    name: &str,
    value: NodeId,
    names: &HashMap<u64, String>,
    ops: &OpTable,
    extent: AnswerExtent,
) -> String {
    let style = Style { spacing: Spacing::NextArgument, names: Some(names), ..limits(extent) };
    let pair = UnnamedEquation { tree: &answer.tree, value };
    let written = print::to_string(&pair, None, ops, &style);
    format!("{name} = {}", written.strip_prefix("''=").unwrap_or(&written).trim_start())
}

/// `'' = Value` as a term, without copying the value.
struct UnnamedEquation<'a> {
    tree: &'a Tree,
    value: NodeId,
}

/// `None` is the pair, `Some(None)` its left side.
type EquationPlace = Option<Option<NodeId>>;

impl View for UnnamedEquation<'_> {
    type Handle = EquationPlace;

    fn shape(&self, place: EquationPlace) -> Shape<'_> {
        match place {
            None => Shape::Compound(Atom::new("="), 2),
            Some(None) => Shape::Atom(Atom::new("")),
            Some(Some(node)) => self.tree.shape(node),
        }
    }

    fn arg(&self, place: EquationPlace, index: usize) -> EquationPlace {
        match (place, index) {
            (None, 0) => Some(None),
            (None, _) => Some(Some(self.value)),
            (Some(node), _) => Some(node.map(|node| self.tree.arg(node, index))),
        }
    }
}

/// The goal's own variables keep their names; others are `_1`, `_2`, ... in the order of the answer.
fn variable_names(answer: &Answer) -> HashMap<u64, String> {
    let mut names = HashMap::default();
    let mut fresh = 0;
    for id in 0..answer.tree.len() {
        if let Shape::Var(number) = answer.tree.shape(id as NodeId) {
            names.entry(number).or_insert_with(|| match answer.variable_name(number) {
                Some(name) => name.to_string(),
                None => {
                    fresh += 1;
                    format!("_{fresh}")
                }
            });
        }
    }
    names
}

fn is_long(tree: &Tree, value: NodeId) -> bool {
    let mut count = 0;
    let mut waiting = vec![value];
    while let Some(term) = waiting.pop() {
        count += 1;
        if count > MOST_DEPTH {
            return true;
        }
        waiting.extend_from_slice(tree.args(term));
    }
    false
}

fn how_to_see_all(tree: &Tree, name: &str, value: NodeId) -> String {
    let length = list_length(tree, value).map_or(String::new(), |length| format!("a list of {length} elements; "));
    format!("{name} is cut: {length}add `print({name})` to the goal to see all of it")
}

fn list_length(tree: &Tree, list: NodeId) -> Option<usize> {
    let (mut length, mut rest) = (0, list);
    while let Some((functor, 2)) = tree.functor(rest) {
        if functor.as_str() != "." {
            return None;
        }
        length += 1;
        rest = *tree.args(rest).get(1)?;
    }
    (length > 0).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{ReadFlags, read_goal};
    use crate::term::{Node, Span};

    fn answer(values: &[(&str, &str)]) -> AnswerText {
        let ops = OpTable::standard();
        let text = format!("a({})", values.iter().map(|(_, value)| *value).collect::<Vec<_>>().join(", "));
        let tree = read_goal(&text, &ops, &ReadFlags::default()).unwrap().tree;
        let places = tree.args(tree.root()).to_vec();
        let values = values.iter().map(|(name, _)| name.to_string()).zip(places).collect();
        answer_text(&Answer { tree, values, goals: Vec::new(), event: None, more: false }, &ops, AnswerExtent::Cut)
    }

    #[test]
    fn values_are_written_as_they_are_read() {
        let text = answer(&[("X", "'A b'"), ("Y", "(a :- b)"), ("Z", "[1, f(x, \"s\")]"), ("W", "- 1"), ("V", "-(1)")]);
        assert_eq!(text.bindings[..3], ["X = 'A b'", "Y = (a:-b)", "Z = [1, f(x, \"s\")]"]);
    }

    #[test]
    fn variables_inside_values_have_short_names() {
        assert_eq!(answer(&[("X", "f(A, B, A)"), ("Y", "B")]).bindings, ["X = f(_1, Y, _1)"]);
    }

    #[test]
    fn a_long_list_is_cut_with_its_length() {
        let list = format!("[{}]", vec!["7"; 1000].join(","));
        let text = answer(&[("L", &list)]);
        assert!(text.bindings[0].len() < 400, "{}", text.bindings[0]);
        assert!(text.cut.unwrap().contains("a list of 1000 elements"));
    }

    #[test]
    fn dots_of_a_short_value_are_not_a_cut() {
        assert_eq!(answer(&[("X", "'...'")]).cut, None);
    }

    #[test]
    fn a_tree_without_values_says_nothing() {
        let mut tree = Tree::new();
        tree.push(Node::Atom(Atom::new("a")), Span::default());
        let answer = Answer { tree, values: Vec::new(), goals: Vec::new(), event: None, more: false };
        assert_eq!(answer_text(&answer, &OpTable::standard(), AnswerExtent::Whole).bindings, Vec::<String>::new());
    }
}
