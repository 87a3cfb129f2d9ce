//! Forms of constraints: what a value must be, in postfix order so that nesting of any depth needs no recursion.

use std::borrow::Cow;
use std::fmt::Write;

use regex::Regex;

use crate::term::Atom;
use crate::term::letters::atom_text;
use crate::term::number::Number;
use crate::trace::column::intervals::Bound;

use crate::trace::event::schema::AttributeId;

/// A step of a form in postfix order; the form is complete if the steps leave one result.
#[derive(Clone, Debug)]
pub(crate) enum FormOp {
    /// This number.
    Number(Number),
    /// Numbers between two bounds; without a bound, all on that side. Only numbers are in it.
    Range(Option<Bound>, Option<Bound>),
    /// This name, or the text with the same characters.
    Atom(Atom),
    /// This text, or the name with the same characters.
    Str(String),
    /// This path; its step `s2` also matches `s2-3`.
    Path(Vec<Atom>),
    /// Names, texts and texts of terms that the expression matches somewhere.
    Regex(Regex),
    /// Procedures, part by part.
    Proc(ProcPattern),
    /// Any value, but not an absent one.
    Any,
    /// One of the last `n` forms; replaces them.
    AnyOf(usize),
    /// Every value that the last form excludes; replaces it.
    Not,
}

impl FormOp {
    /// This integer.
    pub(crate) fn int(value: i64) -> FormOp {
        FormOp::Number(Number::Int(value))
    }
}

/// A form for each part of a procedure, none where any value matches.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcPattern {
    /// `predicate` or `function`.
    pub(crate) proc_type: Option<Vec<FormOp>>,
    /// The declaring module.
    pub(crate) module: Option<Vec<FormOp>>,
    /// The name.
    pub(crate) name: Option<Vec<FormOp>>,
    /// The arity.
    pub(crate) arity: Option<Vec<FormOp>>,
    /// The number of the mode.
    pub(crate) mode: Option<Vec<FormOp>>,
}

impl ProcPattern {
    /// The constrained parts, as attributes with their forms.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (AttributeId, &[FormOp])> {
        let parts = [
            (AttributeId::PROC_TYPE, &self.proc_type),
            (AttributeId::DECL_MODULE, &self.module),
            (AttributeId::NAME, &self.name),
            (AttributeId::ARITY, &self.arity),
            (AttributeId::MODE_NUMBER, &self.mode),
        ];
        parts.into_iter().filter_map(|(attribute, form)| form.as_deref().map(|form| (attribute, form)))
    }
}

/// Computes a form bottom up: `leaf` for a simple form, `any_of` and `not` for the others; none if the form is
/// incomplete.
pub(crate) fn evaluate<S, E>(
    form: &[FormOp],
    mut leaf: impl FnMut(&FormOp) -> Result<S, E>,
    any_of: impl Fn(Vec<S>) -> S,
    not: impl Fn(S) -> S,
) -> Result<Option<S>, E> {
    let mut stack = Vec::new();
    for op in form {
        let set = match op {
            FormOp::AnyOf(n) => match stack.len().checked_sub(*n) {
                Some(rest) => any_of(stack.split_off(rest)),
                None => return Ok(None),
            },
            FormOp::Not => match stack.pop() {
                Some(set) => not(set),
                None => return Ok(None),
            },
            simple => leaf(simple)?,
        };
        stack.push(set);
    }
    Ok(stack.pop().filter(|_| stack.is_empty()))
}

/// A form, as written in a query.
pub(crate) fn form_text(form: &[FormOp]) -> String {
    let leaf = |op: &FormOp| Ok::<String, std::convert::Infallible>(leaf_text(op));
    let Ok(text) = evaluate(form, leaf, |texts| format!("[{}]", texts.join(", ")), |text| format!("not({text})"));
    text.unwrap_or_default()
}

/// A simple form, as written in a query.
pub(crate) fn leaf_text(op: &FormOp) -> String {
    match op {
        FormOp::Number(number) => number.to_string(),
        FormOp::Range(low, high) => range_text(low.as_ref(), high.as_ref()),
        FormOp::Atom(atom) => atom_text(atom.as_str()).into_owned(),
        FormOp::Str(text) => format!("{text:?}"),
        FormOp::Path(steps) => path_text(steps),
        FormOp::Regex(regex) => format!("matches({:?})", regex.as_str()),
        FormOp::Proc(pattern) => proc_text(pattern),
        FormOp::Any => "-".into(),
        FormOp::AnyOf(_) | FormOp::Not => String::new(),
    }
}

/// The characters of a simple form: those of a name or text without quotes.
pub(crate) fn characters(op: &FormOp) -> Cow<'_, str> {
    match op {
        FormOp::Atom(atom) => Cow::Borrowed(atom.as_str()),
        FormOp::Str(text) => Cow::Borrowed(text),
        op => Cow::Owned(leaf_text(op)),
    }
}

/// `3..6`, or `0.5<..` where a bound is excluded.
fn range_text(low: Option<&Bound>, high: Option<&Bound>) -> String {
    let text = |end: Option<&Bound>| end.map_or(String::new(), |end| end.number.to_string());
    let sign = |end: Option<&Bound>| if end.is_none_or(|end| end.is_included) { "" } else { "<" };
    format!("{}{}..{}{}", text(low), sign(low), sign(high), text(high))
}

/// A path as a list.
pub(crate) fn path_text(steps: &[Atom]) -> String {
    let steps: Vec<&str> = steps.iter().map(|step| step.as_str()).collect();
    format!("[{}]", steps.join(", "))
}

fn proc_text(pattern: &ProcPattern) -> String {
    let mut text = String::new();
    let mut part = |before: &str, form: &Option<Vec<FormOp>>, after: &str| {
        let form = form.as_ref().map(|form| form_text(form))?;
        write!(text, "{before}{form}{after}").ok()
    };
    part("", &pattern.proc_type, "->");
    part("", &pattern.module, ":");
    if part("", &pattern.name, "").is_none() {
        part("", &Some(vec![FormOp::Any]), "");
    }
    part("/", &pattern.arity, "");
    part("-", &pattern.mode, "");
    text
}
