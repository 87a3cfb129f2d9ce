//! How much of an argument is shown: all of its lists, terms and texts, those down to a depth, or their first elements
//! or characters only.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::syntax::{ReadFlags, read_goal};
use crate::term::hash::HashMap;
use crate::term::ops::OpTable;
use crate::term::print::{self, Spacing, Style};
use crate::term::{Atom, Node, NodeId, Span, Tree, atoms};

/// Texts of a trace are read with the standard operators, whatever a script declares.
static OPERATORS: LazyLock<OpTable> = LazyLock::new(OpTable::standard);

/// What is left out of lists or of terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TermExtent {
    /// Nothing.
    #[default]
    Whole,
    /// What is nested deeper than [`ExtentLimit::number`].
    Nested,
    /// What follows the first [`ExtentLimit::number`] elements or arguments.
    First,
}

impl TermExtent {
    /// Its name in `list_display` and `term_display`.
    pub(crate) const NAMES: [(TermExtent, &'static str); 3] =
        [(TermExtent::Whole, "normal"), (TermExtent::Nested, "nest"), (TermExtent::First, "truncate")];
}

/// An extent with its number, which is kept even if the extent does not use it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExtentLimit {
    /// What is left out.
    pub(crate) extent: TermExtent,
    /// The number of levels or elements.
    pub(crate) number: usize,
}

impl ExtentLimit {
    /// Everything up to the first `number`.
    pub(crate) const fn first(number: usize) -> ExtentLimit {
        ExtentLimit { extent: TermExtent::First, number }
    }

    /// How many are shown at most, if the rest is left out.
    pub(crate) fn most(self) -> Option<usize> {
        (self.extent == TermExtent::First).then_some(self.number)
    }

    fn is_whole(self) -> bool {
        self.extent == TermExtent::Whole
    }
}

/// What is left out of an argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ArgumentLimits {
    /// Of lists.
    pub(crate) lists: ExtentLimit,
    /// Of terms.
    pub(crate) terms: ExtentLimit,
    /// Of texts: characters after the first ones.
    pub(crate) texts: ExtentLimit,
}

impl ArgumentLimits {
    /// Whether nothing is left out.
    pub(crate) fn are_none(self) -> bool {
        self.lists.is_whole() && self.terms.is_whole() && self.texts.is_whole()
    }

    /// Whether nothing is left out of a text of this length.
    fn keep(self, text: &str) -> bool {
        let is_short = self.texts.most().is_none_or(|most| text.len() <= most);
        self.lists.is_whole() && self.terms.is_whole() && is_short
    }
}

/// What a report leaves out of long terms and event lines.
pub(crate) const BRIEF: ArgumentLimits =
    ArgumentLimits { lists: ExtentLimit::first(8), terms: WHOLE, texts: ExtentLimit::first(40) };

const WHOLE: ExtentLimit = ExtentLimit { extent: TermExtent::Whole, number: 0 };

/// Whether a text is so long that a report leaves out parts of it.
pub(crate) fn is_long(text: &str) -> bool {
    text.len() > 200
}

/// Written in place of what is left out.
pub(crate) const ERSATZ: &str = "...";

/// The text of an argument with its lists, terms and texts cut; of a text that is not a term only its length is.
///
/// The levels of nested lists and of nested terms are counted separately, as in Morphine: a list in a term begins at
/// the first level, and so does a term in a list.
pub(crate) fn cut(text: &str, limits: ArgumentLimits) -> Cow<'_, str> {
    if limits.keep(text) {
        return Cow::Borrowed(text);
    }
    let Ok(read) = read_goal(text, &OPERATORS, &ReadFlags::default()) else { return cut_text(text, limits.texts) };
    let mut cutter = Cutter { tree: &read.tree, limits, done: Tree::new(), ready: Vec::new() };
    let root = cutter.cut();
    let mut names: HashMap<u64, String> = (0..u64::from(read.n_variables)).map(|number| (number, "_".into())).collect();
    names.extend(read.variables.into_iter().map(|(name, number, ..)| (u64::from(number), name)));
    let spacing = Spacing::Wide;
    let style = Style { quoted: true, spacing, priority: Some(999), names: Some(&names), ..Style::default() };
    Cow::Owned(print::to_string(&cutter.done, root, &OPERATORS, &style))
}

/// The first characters of a text, and that there are more.
pub(crate) fn cut_text(text: &str, limit: ExtentLimit) -> Cow<'_, str> {
    match limit.most().and_then(|most| text.char_indices().nth(most)) {
        Some((end, _)) => Cow::Owned(format!("{}{ERSATZ}", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The depth of a term, in lists and in terms.
#[derive(Clone, Copy)]
struct Level {
    list: usize,
    term: usize,
}

const OUTSIDE: Level = Level { list: 0, term: 0 };

enum CutTask {
    Term(NodeId, Level),
    Atom(Atom),
    /// A compound of this many terms, already made.
    Compound(Atom, usize),
    /// A list of this many elements and a tail, already made.
    List(usize),
}

struct Cutter<'t> {
    tree: &'t Tree,
    limits: ArgumentLimits,
    done: Tree,
    ready: Vec<NodeId>,
}

impl Cutter<'_> {
    fn cut(&mut self) -> NodeId {
        let mut work = vec![CutTask::Term(self.tree.root(), OUTSIDE)];
        while let Some(next) = work.pop() {
            let done = match next {
                CutTask::Term(id, level) => match self.open(id, level, &mut work) {
                    Some(node) => self.done.push(node, Span::default()),
                    None => continue,
                },
                CutTask::Atom(name) => self.done.push(Node::Atom(name), Span::default()),
                CutTask::Compound(name, arity) => {
                    let args = self.ready.split_off(self.ready.len() - arity);
                    self.done.push_compound(name, &args, Span::default())
                }
                CutTask::List(length) => {
                    let mut items = self.ready.split_off(self.ready.len() - length - 1);
                    let tail = items.pop().expect("a list has a tail");
                    let cons = |tail, item| self.done.push_compound(atoms::DOT, &[item, tail], Span::default());
                    items.into_iter().rev().fold(tail, cons)
                }
            };
            self.ready.push(done);
        }
        self.ready.pop().expect("what was begun is done")
    }

    /// The node of a term without parts; for any other term, adds its parts to the work.
    fn open(&self, id: NodeId, level: Level, work: &mut Vec<CutTask>) -> Option<Node> {
        let node = self.tree.node(id);
        let &Node::Compound { functor, arity, .. } = node else {
            return Some(match node {
                Node::Str(text) => Node::Str(cut_text(text, self.limits.texts).into()),
                other => other.clone(),
            });
        };
        match (functor, arity) {
            (atoms::DOT, 2) => self.open_list(id, level, work),
            (atoms::CURLY, 1) => {
                work.push(CutTask::Compound(atoms::CURLY, 1));
                work.push(CutTask::Term(self.tree.args(id)[0], OUTSIDE));
            }
            (name, _) => self.open_term(id, name, level, work),
        }
        None
    }

    fn open_list(&self, id: NodeId, level: Level, work: &mut Vec<CutTask>) {
        let (mut items, mut tail) = (Vec::new(), id);
        while self.tree.functor(tail) == Some((atoms::DOT, 2)) {
            items.push(self.tree.args(tail)[0]);
            tail = self.tree.args(tail)[1];
        }
        let inner = Level { list: level.list + 1, term: 0 };
        let shown = match self.limits.lists.extent {
            TermExtent::Whole => items.len(),
            TermExtent::Nested if inner.list > self.limits.lists.number => 0,
            TermExtent::Nested => items.len(),
            TermExtent::First => items.len().min(self.limits.lists.number),
        };
        if shown < items.len() {
            work.push(CutTask::List(shown + 1));
            work.extend([CutTask::Atom(atoms::NIL), CutTask::Atom(Atom::new(ERSATZ))]);
        } else {
            work.push(CutTask::List(shown));
            work.push(CutTask::Term(tail, OUTSIDE));
        }
        work.extend(items[..shown].iter().rev().map(|item| CutTask::Term(*item, inner)));
    }

    fn open_term(&self, id: NodeId, name: Atom, level: Level, work: &mut Vec<CutTask>) {
        let args = self.tree.args(id);
        let inner = Level { list: 0, term: level.term + 1 };
        let shown = match self.limits.terms.extent {
            TermExtent::Whole => args.len(),
            TermExtent::Nested if inner.term > self.limits.terms.number => 0,
            TermExtent::First if self.limits.terms.number == 0 => 0,
            TermExtent::Nested => args.len(),
            TermExtent::First => args.len().min(self.limits.terms.number),
        };
        if shown == 0 && !args.is_empty() {
            return work.push(CutTask::Atom(Atom::new(ERSATZ)));
        }
        let hides_some = shown < args.len();
        work.push(CutTask::Compound(name, shown + usize::from(hides_some)));
        if hides_some {
            work.push(CutTask::Atom(Atom::new(ERSATZ)));
        }
        work.extend(args[..shown].iter().rev().map(|arg| CutTask::Term(*arg, inner)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: ExtentLimit = ExtentLimit { extent: TermExtent::Whole, number: 0 };

    fn nested(number: usize) -> ExtentLimit {
        ExtentLimit { extent: TermExtent::Nested, number }
    }

    fn first(number: usize) -> ExtentLimit {
        ExtentLimit { extent: TermExtent::First, number }
    }

    fn cut_terms(text: &str, lists: ExtentLimit, terms: ExtentLimit) -> Cow<'_, str> {
        cut(text, ArgumentLimits { lists, terms, ..ArgumentLimits::default() })
    }

    #[test]
    fn texts_are_cut_by_length_wherever_they_are() {
        let cut_texts =
            |text, number| cut(text, ArgumentLimits { texts: first(number), ..ArgumentLimits::default() }).into_owned();
        assert_eq!(cut_texts("\"abcdef\"", 3), "\"abc...\"");
        assert_eq!(cut_texts("\"abcdef\"", 6), "\"abcdef\"");
        assert_eq!(cut_texts("map([k-\"äöüß\", 12345])", 2), "map([k - \"äö...\", 12345])");
        assert_eq!(cut_texts("no term at all", 2), "no...");
        assert_eq!(cut_texts("abcdef", 2), "abcdef");
    }

    #[test]
    fn lists_are_cut_by_level_or_by_length() {
        let list = "[[1, [2]], 3, f([4, 5])]";
        assert_eq!(cut_terms(list, WHOLE, WHOLE), list);
        assert_eq!(cut_terms(list, nested(1), WHOLE), "[[...], 3, f([4, 5])]");
        assert_eq!(cut_terms(list, nested(2), WHOLE), "[[1, [...]], 3, f([4, 5])]");
        assert_eq!(cut_terms(list, nested(0), WHOLE), "[...]");
        assert_eq!(cut_terms(list, first(2), WHOLE), "[[1, [2]], 3, ...]");
        assert_eq!(cut_terms(list, first(1), WHOLE), "[[1, ...], ...]");
        assert_eq!(cut_terms("[1, 2, 3]", first(3), WHOLE), "[1, 2, 3]");
        assert_eq!(cut_terms("[1, 2|T]", first(2), WHOLE), "[1, 2|T]");
        assert_eq!(cut_terms("[]", nested(0), WHOLE), "[]");
    }

    #[test]
    fn terms_are_cut_by_level_or_by_length() {
        assert_eq!(cut_terms("f(g(h(x)), a)", WHOLE, nested(1)), "f(..., a)");
        assert_eq!(cut_terms("f(g(h(x)), a)", WHOLE, nested(2)), "f(g(...), a)");
        assert_eq!(cut_terms("f(a)", WHOLE, nested(0)), "...");
        assert_eq!(cut_terms("f(a, b, c)", WHOLE, first(2)), "f(a, b, ...)");
        assert_eq!(cut_terms("[f(g(a)), b]", WHOLE, nested(1)), "[f(...), b]");
        assert_eq!(cut_terms("f([g(a)])", WHOLE, nested(1)), "f([g(a)])");
        assert_eq!(cut_terms("3 - 8", WHOLE, nested(1)), "3 - 8");
        assert_eq!(cut_terms("3 - (4 - 5)", WHOLE, nested(1)), "3 - ...");
        assert_eq!(cut_terms("-7", WHOLE, nested(0)), "-7");
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_the_cutting(text in "([a-cX_0-9'\"(){},|. -]|\\[|\\]|é){0,30}", number in 0..4_usize) {
            for (lists, terms) in [(first(number), nested(number)), (nested(number), first(number))] {
                let once = cut_terms(&text, lists, terms).into_owned();
                proptest::prop_assert!(!once.is_empty() || text.is_empty());
            }
        }
    }

    #[test]
    fn what_is_written_is_the_same_term() {
        let same = "f('A b', \"s\", X, _, {a, 'B'}, -1, [x|X])";
        assert_eq!(cut_terms(same, first(9), WHOLE), same);
        assert_eq!(cut_terms("no term(", first(1), WHOLE), "no term(");
    }
}
