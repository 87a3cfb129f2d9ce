//! Reads lists of constraints, either in the store of a running goal or in the text of a goal that has not run yet. The
//! former are compiled to patterns; from the latter a session infers which lines of a file it needs.

use smallvec::SmallVec;

use crate::engine::Comparison;
use crate::term::{Atom, Shape, View, atoms};
use crate::trace::AttributeId;

/// A constraint as written: `port = exit`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenConstraint<H> {
    /// The term that names an attribute or an argument.
    pub(crate) name: H,
    /// Equal for `=`, NotEqual for `\=`.
    pub(crate) comparison: Comparison,
    /// The term that describes the allowed values.
    pub(crate) form: H,
    /// Whether it is inside `not` or `\+`.
    pub(crate) is_negated: bool,
    /// Whether the form is the value of a variable of the goal.
    pub(crate) is_value: bool,
}

/// Terms still to be read, the next one last, and whether they are negated.
pub(crate) type UnreadForms<H> = SmallVec<[(H, bool); 8]>;

/// Why a term is not a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoConstraint {
    /// It is an unbound variable.
    Variable,
    /// It has another form.
    Other,
}

/// Reads one term: adds the parts of a list, of a conjunction with `and` or of a negation to the unread terms, or
/// returns a constraint. `-` constrains nothing.
pub(crate) fn read<V: View>(
    terms: &V,
    term: V::Handle,
    is_negated: bool,
    unread: &mut UnreadForms<V::Handle>,
) -> Result<Option<WrittenConstraint<V::Handle>>, NoConstraint> {
    let arg = |index| terms.arg(term, index);
    match terms.shape(term) {
        Shape::Var(_) => return Err(NoConstraint::Variable),
        Shape::Atom(atoms::NIL | atoms::MINUS) if !is_negated => {}
        Shape::Compound(atoms::DOT | atoms::AND, 2) if !is_negated => unread.extend([(arg(1), false), (arg(0), false)]),
        Shape::Compound(atoms::NOT | atoms::NOT_PROVABLE, 1) => unread.push((arg(0), !is_negated)),
        Shape::Compound(name, 2) => {
            let comparison = comparison(name).ok_or(NoConstraint::Other)?;
            let value = bound_value(terms, arg(1));
            let (form, is_value) = (value.unwrap_or(arg(1)), value.is_some());
            return Ok(Some(WrittenConstraint { name: arg(0), comparison, form, is_negated, is_value }));
        }
        _ => return Err(NoConstraint::Other),
    }
    Ok(None)
}

/// The comparison of an operator in constraints.
fn comparison(name: Atom) -> Option<Comparison> {
    match name {
        atoms::EQUALS => Some(Comparison::Equal),
        atoms::NOT_EQUALS => Some(Comparison::NotEqual),
        atoms::LESS | atoms::LESS_EQUAL | atoms::GREATER | atoms::GREATER_EQUAL => Comparison::of_numbers(name),
        _ => None,
    }
}

/// The value of a variable that was written in the goal itself: `V` of `'$value'(V)`.
fn bound_value<V: View>(terms: &V, form: V::Handle) -> Option<V::Handle> {
    matches!(terms.shape(form), Shape::Compound(atoms::VALUE, 1)).then(|| terms.arg(form, 0))
}

/// N of `arg(N)`; none if the term names an attribute.
pub(crate) fn argument<V: View>(terms: &V, name: V::Handle) -> Option<V::Handle> {
    matches!(terms.shape(name), Shape::Compound(atoms::ARG, 1)).then(|| terms.arg(name, 0))
}

/// The outermost level of a form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OuterForm<H> {
    /// A variable, which gets the value; the number identifies it.
    Variable(u64),
    /// `-`: any value.
    Any,
    /// The values that another form excludes.
    Not(H),
    /// A list: one of its forms must hold; for a goal path, the list may be the value itself.
    List,
    /// `Low..High`, both included.
    Range(H, H),
    /// `matches(Text)`
    Matches(H),
    /// A procedure pattern with more than a name.
    Proc(ProcParts<H>),
    /// The value itself.
    Value,
}

impl<H: Copy> OuterForm<H> {
    /// The outermost level of a form for an attribute.
    pub(crate) fn of<V: View<Handle = H>>(terms: &V, attribute: AttributeId, form: H) -> OuterForm<H> {
        let arg = |index| terms.arg(form, index);
        match terms.shape(form) {
            Shape::Var(number) => OuterForm::Variable(number),
            Shape::Atom(atoms::MINUS) => OuterForm::Any,
            Shape::Atom(atoms::NIL) | Shape::Compound(atoms::DOT, 2) => OuterForm::List,
            Shape::Compound(atoms::NOT | atoms::NOT_PROVABLE, 1) => OuterForm::Not(arg(0)),
            Shape::Compound(atoms::RANGE, 2) => OuterForm::Range(arg(0), arg(1)),
            Shape::Compound(atoms::MATCHES, 1) => OuterForm::Matches(arg(0)),
            Shape::Compound(..) if attribute == AttributeId::PROC => {
                ProcParts::of(terms, form).map_or(OuterForm::Value, OuterForm::Proc)
            }
            _ => OuterForm::Value,
        }
    }

    /// Whether it describes several values, instead of being a value itself.
    pub(crate) fn is_choice(self) -> bool {
        matches!(self, OuterForm::Any | OuterForm::Range(..) | OuterForm::Matches(_))
    }
}

/// The argument of `not(_)` or `\+ _`.
pub(crate) fn negated<V: View>(terms: &V, form: V::Handle) -> Option<V::Handle> {
    matches!(terms.shape(form), Shape::Compound(atoms::NOT | atoms::NOT_PROVABLE, 1)).then(|| terms.arg(form, 0))
}

/// The parts of a procedure pattern `[ProcType->][Module:]Name[/Arity][-Mode]` as terms, in either reading of `:`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcParts<H> {
    /// Type, module, name, arity and mode.
    pub(crate) parts: [Option<H>; 5],
}

/// The attributes of the parts.
pub(crate) const PROC_PARTS: [AttributeId; 5] =
    [AttributeId::PROC_TYPE, AttributeId::DECL_MODULE, AttributeId::NAME, AttributeId::ARITY, AttributeId::MODE_NUMBER];

impl<H: Copy> ProcParts<H> {
    /// The parts of a pattern with more than a name; none for a name alone.
    pub(crate) fn of<V: View<Handle = H>>(terms: &V, pattern: H) -> Option<ProcParts<H>> {
        let mut parts: [Option<H>; 5] = [None; 5];
        let mut rest = pattern;
        while let Shape::Compound(name, 2) = terms.shape(rest) {
            let (left, right) = (terms.arg(rest, 0), terms.arg(rest, 1));
            let (index, part, inner) = match name {
                atoms::ARROW => (0, left, right),
                atoms::COLON => (1, left, right),
                atoms::DIVIDE => (3, right, left),
                atoms::MINUS => (4, right, left),
                _ => break,
            };
            if parts[index].replace(part).is_some() {
                return None;
            }
            rest = inner;
        }
        parts[2] = Some(rest);
        let has_more = [0, 1, 3, 4].into_iter().any(|index| parts[index].is_some());
        has_more.then_some(ProcParts { parts })
    }

    /// The part before the colon.
    pub(crate) fn module(&self) -> Option<H> {
        self.parts[1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Store;
    use crate::syntax::{ReadFlags, read_goal};
    use crate::term::ops::OpTable;

    /// Each constraint with its comparison, whether it is negated, and the outermost level of its form.
    fn read_all<V: View>(terms: &V, constraints: V::Handle) -> Result<Vec<(Comparison, bool, String)>, NoConstraint> {
        let mut found = Vec::new();
        let mut unread = UnreadForms::from_iter([(constraints, false)]);
        while let Some((term, is_negated)) = unread.pop() {
            if let Some(written) = read(terms, term, is_negated, &mut unread)? {
                let form = OuterForm::of(terms, AttributeId::PROC, written.form);
                let kind = match form {
                    OuterForm::Variable(_) => "variable",
                    OuterForm::Any => "any",
                    OuterForm::Not(_) => "not",
                    OuterForm::List => "list",
                    OuterForm::Range(..) => "range",
                    OuterForm::Matches(_) => "matches",
                    OuterForm::Proc(_) => "proc",
                    OuterForm::Value => "value",
                };
                found.push((written.comparison, written.is_negated, kind.to_owned()));
            }
        }
        Ok(found)
    }

    fn of_tree_and_store(text: &str) -> Result<Vec<(Comparison, bool, String)>, NoConstraint> {
        let tree = read_goal(text, &OpTable::standard(), &ReadFlags::default()).expect("it can be read").tree;
        let mut store = Store::new();
        let (cell, _) = store.load(&tree);
        let (of_tree, of_store) = (read_all(&tree, tree.root()), read_all(&store, cell));
        assert_eq!(of_tree, of_store, "{text}");
        of_tree
    }

    #[test]
    fn a_goal_that_has_not_run_says_what_the_running_one_says() {
        let found = of_tree_and_store(
            "[a = x, b = X, not(c < 3), \\+ d \\= [y], -, [e = 1..2 and f = not(z)], g = -, h = m:n/2, i = matches(\"r\")]",
        );
        let row = |comparison, is_negated, kind: &str| (comparison, is_negated, kind.to_owned());
        use Comparison::{Equal, Less, NotEqual};
        let forms = ["range", "not", "any", "proc", "matches"].map(|kind| row(Equal, false, kind));
        let first = [row(Equal, false, "value"), row(Equal, false, "variable"), row(Less, true, "value")];
        let expected = first.into_iter().chain([row(NotEqual, true, "list")]).chain(forms);
        assert_eq!(found, Ok(expected.collect()));
    }

    #[test]
    fn other_terms_are_no_constraints() {
        assert_eq!(of_tree_and_store("[a = 1 | T]"), Err(NoConstraint::Variable));
        for text in ["foo", "not([a = 1])", "a is 1", "[a = 1, 3]"] {
            assert_eq!(of_tree_and_store(text), Err(NoConstraint::Other), "{text}");
        }
    }
}
