//! Views of a term for a browser: on one line, on lines of a given width, or as a tree.

use std::fmt::{self, Write};
use std::sync::LazyLock;

use super::extent::ERSATZ;
use crate::term::hash::HashMap;
use crate::term::letters::atom_text;
use crate::term::ops::OpTable;
use crate::term::print::{self, Spacing, Style};
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

static OPERATORS: LazyLock<OpTable> = LazyLock::new(OpTable::standard);

/// How a term is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TermLayout {
    /// On one line.
    #[default]
    Flat,
    /// On as many lines as the width requires.
    Pretty,
    /// A line for each part, with its number.
    Verbose,
}

impl TermLayout {
    /// The names of the layouts.
    pub(crate) const NAMES: [(TermLayout, &'static str); 3] =
        [(TermLayout::Flat, "flat"), (TermLayout::Pretty, "pretty"), (TermLayout::Verbose, "verbose")];

    /// The name of this one.
    pub(crate) fn name(self) -> &'static str {
        TermLayout::NAMES[self as usize].1
    }
}

/// How much of a term is shown, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TermView {
    /// Compounds at this level are shown as `Name/Arity`.
    pub(crate) depth: usize,
    /// The most names, numbers and lists that are shown.
    pub(crate) size: usize,
    /// The width of a line, for the layout [`TermLayout::Pretty`].
    pub(crate) width: usize,
    /// The most lines that are shown.
    pub(crate) lines: usize,
    /// The layout.
    pub(crate) layout: TermLayout,
}

impl Default for TermView {
    /// As in Mercury's browser.
    fn default() -> TermView {
        TermView { depth: 3, size: 10, width: 80, lines: 25, layout: TermLayout::Flat }
    }
}

impl TermView {
    /// The term at `id` in a tree, as lines with line ends.
    pub(crate) fn show(&self, tree: &Tree, id: NodeId) -> String {
        let text = match self.layout {
            TermLayout::Flat => Cut::of(tree, id, self).text(),
            TermLayout::Pretty => pretty(&Cut::of(tree, id, self), self),
            TermLayout::Verbose => verbose(tree, id, self),
        };
        let n_lines = text.lines().count();
        let mut shown: String = text.lines().take(self.lines).map(|line| format!("{line}\n")).collect();
        if n_lines > self.lines {
            shown.push_str("...\n");
        }
        shown
    }
}

/// A term in which some parts are replaced by their names.
struct Cut {
    tree: Tree,
    root: NodeId,
    /// The text of each variable; a part that is left out is a variable here, too.
    names: HashMap<u64, String>,
}

/// Name and number of arguments of a part that has any.
fn compound(tree: &Tree, id: NodeId) -> Option<(Atom, usize)> {
    match tree.node(id) {
        Node::Compound { functor, arity, .. } => Some((*functor, *arity as usize)),
        _ => None,
    }
}

/// The name that replaces a part: `Name/Arity` for a compound.
fn stub(tree: &Tree, id: NodeId) -> String {
    match compound(tree, id) {
        Some((atoms::DOT, 2)) => format!("[{ERSATZ}]"),
        Some((name, arity)) => format!("{}/{arity}", atom_text(name.as_str())),
        None => ERSATZ.to_owned(),
    }
}

enum TermViewTask {
    Term(NodeId, usize),
    Compound(Atom, usize),
    List(usize),
    Nil,
    Ersatz,
}

impl Cut {
    fn of(tree: &Tree, id: NodeId, view: &TermView) -> Cut {
        let mut cut = Cut { tree: Tree::new(), root: 0, names: HashMap::default() };
        let (mut left, mut ready) = (view.size, Vec::new());
        let mut work = vec![TermViewTask::Term(id, 1)];
        while let Some(next) = work.pop() {
            let node = match next {
                TermViewTask::Nil => cut.tree.push(Node::Atom(atoms::NIL), Span::default()),
                TermViewTask::Ersatz => cut.named(ERSATZ.to_owned()),
                TermViewTask::Compound(name, arity) => {
                    let args = ready.split_off(ready.len() - arity);
                    cut.tree.push_compound(name, &args, Span::default())
                }
                TermViewTask::List(length) => {
                    let mut items: Vec<NodeId> = ready.split_off(ready.len() - length - 1);
                    let tail = items.pop().expect("a list has a tail");
                    let cons = |tail, item| cut.tree.push_compound(atoms::DOT, &[item, tail], Span::default());
                    items.into_iter().rev().fold(tail, cons)
                }
                TermViewTask::Term(id, level) => {
                    let is_open = compound(tree, id).is_some() && left > 0 && level < view.depth;
                    if is_open {
                        left -= 1;
                        open(tree, id, level, left, &mut work);
                        continue;
                    }
                    let is_shown = compound(tree, id).is_none() && left > 0;
                    left = left.saturating_sub(1);
                    if is_shown { cut.leaf(tree, id) } else { cut.named(stub(tree, id)) }
                }
            };
            ready.push(node);
        }
        cut.root = ready.pop().expect("what was begun is done");
        cut
    }

    fn named(&mut self, name: String) -> NodeId {
        let number = self.names.len() as u32;
        self.names.insert(u64::from(number), name);
        self.tree.push(Node::Var(number), Span::default())
    }

    fn leaf(&mut self, tree: &Tree, id: NodeId) -> NodeId {
        match tree.node(id) {
            Node::Var(number) => self.named(format!("_{number}")),
            node => self.tree.push(node.clone(), Span::default()),
        }
    }

    fn style(&self) -> Style<'_> {
        Style { quoted: true, spacing: Spacing::Wide, names: Some(&self.names), ..Style::default() }
    }

    fn text(&self) -> String {
        print::to_string(&self.tree, self.root, &OPERATORS, &self.style())
    }

    /// The text of a part if it takes at most `most` characters.
    fn short_text(&self, id: NodeId, most: usize) -> Option<String> {
        let mut text = Bounded { text: String::new(), left: most };
        let style = Style { priority: Some(999), ..self.style() };
        print::write(&mut text, &self.tree, id, &OPERATORS, &style).is_ok().then_some(text.text)
    }
}

/// Adds the parts of a compound to the work; of a list, no more elements than may still be shown.
fn open(tree: &Tree, id: NodeId, level: usize, left: usize, work: &mut Vec<TermViewTask>) {
    let Some((name, arity)) = compound(tree, id) else { return };
    if (name, arity) != (atoms::DOT, 2) {
        work.push(TermViewTask::Compound(name, arity));
        return work.extend(tree.args(id).iter().rev().map(|arg| TermViewTask::Term(*arg, level + 1)));
    }
    let (mut items, mut tail) = (Vec::new(), id);
    while items.len() < left && compound(tree, tail) == Some((atoms::DOT, 2)) {
        items.push(tree.args(tail)[0]);
        tail = tree.args(tail)[1];
    }
    if compound(tree, tail) == Some((atoms::DOT, 2)) {
        work.push(TermViewTask::List(items.len() + 1));
        work.extend([TermViewTask::Nil, TermViewTask::Ersatz]);
    } else {
        work.push(TermViewTask::List(items.len()));
        let is_end = *tree.node(tail) == Node::Atom(atoms::NIL);
        work.push(if is_end { TermViewTask::Nil } else { TermViewTask::Term(tail, level + 1) });
    }
    work.extend(items.into_iter().rev().map(|item| TermViewTask::Term(item, level + 1)));
}

/// A text of limited length: writing more is an error.
struct Bounded {
    text: String,
    left: usize,
}

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.left = self.left.checked_sub(text.chars().count()).ok_or(fmt::Error)?;
        self.text.push_str(text);
        Ok(())
    }
}

/// A pending piece of output: a fixed text, the start of a line with its indentation, or a part with its indentation.
enum Piece {
    Text(&'static str),
    Line(usize),
    Part(NodeId, usize),
}

/// The layout on several lines: if a part does not fit on its line, each of its own parts gets a line.
fn pretty(cut: &Cut, view: &TermView) -> String {
    let mut text = String::new();
    let mut n_lines = 0;
    let mut work = vec![Piece::Part(cut.root, 0)];
    while let Some(piece) = work.pop() {
        match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Line(_) if n_lines > view.lines => break,
            Piece::Line(indent) => {
                n_lines += 1;
                text.push_str(&format!("\n{}", " ".repeat(indent)));
            }
            Piece::Part(id, indent) => {
                // A comma or bracket may follow.
                if let Some(short) = cut.short_text(id, view.width.saturating_sub(indent + 1)) {
                    text.push_str(&short);
                    continue;
                }
                let (name, args, close) = match compound(&cut.tree, id) {
                    None => {
                        text.push_str(&cut.short_text(id, usize::MAX).unwrap_or_default());
                        continue;
                    }
                    Some((atoms::DOT, 2)) => (String::new(), list_parts(&cut.tree, id), "]"),
                    Some((name, _)) => {
                        let args = cut.tree.args(id).iter().map(|arg| (", ", *arg)).collect();
                        (atom_text(name.as_str()).into_owned(), args, ")")
                    }
                };
                text.push_str(&name);
                text.push_str(if close == "]" { "[" } else { "(" });
                work.extend([Piece::Text(close), Piece::Line(indent)]);
                for (index, (mark, arg)) in args.into_iter().enumerate().rev() {
                    work.extend([Piece::Part(arg, indent + 2), Piece::Line(indent + 2)]);
                    if index > 0 {
                        work.push(Piece::Text(mark.trim_end()));
                    }
                }
            }
        }
    }
    text
}

/// The elements of a list and its tail, unless that is `[]`, each with the separator before it.
fn list_parts(tree: &Tree, id: NodeId) -> Vec<(&'static str, NodeId)> {
    let (mut parts, mut tail) = (Vec::new(), id);
    while compound(tree, tail) == Some((atoms::DOT, 2)) {
        parts.push((", ", tree.args(tail)[0]));
        tail = tree.args(tail)[1];
    }
    if *tree.node(tail) != Node::Atom(atoms::NIL) {
        parts.push(("|", tail));
    }
    parts
}

/// The layout with a line for each part; lists are shown as pairs, since the browser's paths number the parts of pairs.
fn verbose(tree: &Tree, id: NodeId, view: &TermView) -> String {
    let mut text = String::new();
    let mut left = view.size;
    let mut n_lines = 0;
    let mut work = vec![(id, 1, 0)];
    while let Some((id, level, number)) = work.pop() {
        n_lines += 1;
        if n_lines > view.lines.saturating_add(1) {
            break;
        }
        if level > 1 {
            text.push_str(&"| ".repeat(level - 2));
            text.push_str(&format!("{number}-"));
        }
        let is_open = left > 0 && level < view.depth;
        left = left.saturating_sub(1);
        match compound(tree, id) {
            Some((name, _)) if is_open => {
                let name = if name == atoms::DOT { "[|]".into() } else { atom_text(name.as_str()) };
                text.push_str(&name);
                let args = tree.args(id).iter().enumerate().rev();
                work.extend(args.map(|(index, arg)| (*arg, level + 1, index + 1)));
            }
            Some(_) => text.push_str(&stub(tree, id)),
            None => {
                let style = Style { quoted: true, ..Style::default() };
                text.push_str(&print::to_string(tree, id, &OPERATORS, &style));
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{ReadFlags, read_goal};

    fn shown(text: &str, view: TermView) -> String {
        let read = read_goal(text, &OPERATORS, &ReadFlags::default()).expect("a term");
        view.show(&read.tree, read.tree.root())
    }

    fn flat(text: &str, depth: usize, size: usize) -> String {
        shown(text, TermView { depth, size, ..TermView::default() })
    }

    #[test]
    fn deep_parts_are_named_and_many_left_out() {
        assert_eq!(flat("f(g(h(x)), 'B', [1])", 9, 99), "f(g(h(x)), 'B', [1])\n");
        assert_eq!(flat("f(g(h(x)), 'B', [1])", 2, 99), "f(g/1, 'B', [...])\n");
        assert_eq!(flat("f(g(h(x)), 'B', [1])", 3, 99), "f(g(h/1), 'B', [1])\n");
        assert_eq!(flat("f(x)", 1, 99), "f/1\n");
        assert_eq!(flat("[1, 2, 3, 4, 5]", 3, 3), "[1, 2, ...]\n");
        assert_eq!(flat("f(a, g(b), c)", 9, 3), "f(a, g(...), ...)\n");
        assert_eq!(flat("\"q oops\" - [1, 2, 3]", 9, 99), "\"q oops\" - [1, 2, 3]\n");
        assert_eq!(flat("[a|T]", 9, 99), "[a|_0]\n");
    }

    #[test]
    fn long_terms_are_laid_out_in_lines() {
        let view = TermView { depth: 9, size: 99, width: 20, lines: 25, layout: TermLayout::Pretty };
        let text = "f(aaaaaaaaaa, [bbbbbbbb, cccccccc, d], e)";
        let expected = "f(\n  aaaaaaaaaa,\n  [\n    bbbbbbbb,\n    cccccccc,\n    d\n  ],\n  e\n)\n";
        assert_eq!(shown(text, view), expected);
        assert_eq!(shown("f(a, b)", view), "f(a, b)\n");
        assert_eq!(shown(text, TermView { lines: 2, ..view }), "f(\n  aaaaaaaaaa,\n...\n");
    }

    #[test]
    fn a_tree_has_the_numbers_that_lead_to_its_parts() {
        let view = TermView { depth: 4, size: 99, layout: TermLayout::Verbose, ..TermView::default() };
        let expected = "f\n1-g\n| 1-x\n2-[|]\n| 1-1\n| 2-[|]\n| | 1-2\n| | 2-[]\n";
        assert_eq!(shown("f(g(x), [1, 2])", view), expected);
        assert_eq!(shown("f(g(x), [1, 2])", TermView { depth: 2, ..view }), "f\n1-g/1\n2-[...]\n");
        assert_eq!(shown("f(g(x), [1, 2])", TermView { lines: 3, ..view }), "f\n1-g\n| 1-x\n...\n");
    }

    #[test]
    fn of_a_very_deep_term_only_the_lines_that_are_shown_are_made() {
        let mut tree = Tree::new();
        let leaf = tree.push(Node::Int(1), Span::default());
        let name = Atom::new("f");
        let root = (0..200_000).fold(leaf, |inner, _| tree.push_compound(name, &[inner], Span::default()));
        let all = usize::MAX;
        for layout in [TermLayout::Pretty, TermLayout::Verbose] {
            let view = TermView { depth: all, size: all, width: 80, lines: 3, layout };
            assert_eq!(view.show(&tree, root).lines().count(), 4, "{layout:?}");
        }
    }
}
