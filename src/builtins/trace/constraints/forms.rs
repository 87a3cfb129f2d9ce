//! Forms of constraints: from terms to the flat code that the trace understands.

use regex::Regex;

use crate::builtins::arguments::{atomic_text, check_elements};
use crate::builtins::trace::errors::kind_name;
use crate::engine::arith::{Number, evaluate_unwatched};
use crate::engine::error::{domain_error, instantiation_error, type_error, with_message};
use crate::engine::{Cell, ListEnd, Stop, Store, Term};
use crate::term::{Atom, atoms};
use crate::trace::{AttributeId, AttributeType, Bound, FormOp, ProcPattern, Schema};

/// How a constraint compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `\=`
    Differs,
    /// `<`
    Less,
    /// `=<`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// The comparison that an operator stands for.
    pub fn of(name: Atom) -> Option<Comparison> {
        Some(match name {
            atoms::EQUALS => Comparison::Equal,
            atoms::NOT_EQUALS => Comparison::Differs,
            atoms::LESS => Comparison::Less,
            atoms::LESS_EQUAL => Comparison::AtMost,
            atoms::GREATER => Comparison::Greater,
            atoms::GREATER_EQUAL => Comparison::AtLeast,
            _ => return None,
        })
    }
}

/// Whether a term is `not(_)` or `\+ _`; then its argument.
pub fn negated(store: &Store, form: Cell) -> Option<Cell> {
    match store.look(form) {
        Term::Compound(compound)
            if compound.arity == 1 && matches!(compound.name, atoms::NOT | atoms::NOT_PROVABLE) =>
        {
            Some(store.arg(compound, 0))
        }
        _ => None,
    }
}

/// The arguments of `name/2`.
pub fn pair(store: &Store, cell: Cell, name: Atom) -> Option<(Cell, Cell)> {
    match store.look(cell) {
        Term::Compound(compound) if compound.arity == 2 && compound.name == name => {
            Some((store.arg(compound, 0), store.arg(compound, 1)))
        }
        _ => None,
    }
}

/// The code of `attribute <comparison> form`.
pub fn compile(
    store: &Store,
    schema: &Schema,
    attribute: AttributeId,
    comparison: Comparison,
    form: Cell,
) -> Result<Vec<FormOp>, Stop> {
    let mut code = match comparison {
        Comparison::Equal | Comparison::Differs => equality(store, schema, attribute, form)?,
        _ => inequality(number(store, form)?, comparison),
    };
    if comparison == Comparison::Differs {
        code.push(FormOp::Not);
    }
    Ok(code)
}

/// What a number must be to be less, greater, ... than `bound`.
fn inequality(bound: Number, comparison: Comparison) -> Vec<FormOp> {
    let is_included = matches!(comparison, Comparison::AtMost | Comparison::AtLeast);
    let end = Some(Bound { number: bound, is_included });
    vec![match comparison {
        Comparison::Less | Comparison::AtMost => FormOp::Range(None, end),
        _ => FormOp::Range(end, None),
    }]
}

/// A number that may be written as an expression.
pub fn number(store: &Store, form: Cell) -> Result<Number, Stop> {
    match store.look(form) {
        Term::Var(_) => Err(instantiation_error()),
        _ => evaluate_unwatched(store, form),
    }
}

/// What is still to be done for a form.
enum Step {
    Form(Cell),
    Do(FormOp),
}

/// The code of a form.
fn equality(store: &Store, schema: &Schema, attribute: AttributeId, form: Cell) -> Result<Vec<FormOp>, Stop> {
    let mut code = Vec::new();
    let mut steps = vec![Step::Form(form)];
    while let Some(step) = steps.pop() {
        let form = match step {
            Step::Do(op) => {
                code.push(op);
                continue;
            }
            Step::Form(form) => form,
        };
        if let Some(inner) = negated(store, form) {
            steps.extend([Step::Do(FormOp::Not), Step::Form(inner)]);
            continue;
        }
        match alternatives(store, attribute, form)? {
            Some(forms) => {
                check_elements(code.len() + steps.len() + forms.len())?;
                steps.push(Step::Do(FormOp::AnyOf(forms.len())));
                steps.extend(forms.into_iter().rev().map(Step::Form));
            }
            None => code.push(simple(store, schema, attribute, form)?),
        }
    }
    Ok(code)
}

/// The forms of which one must hold, if a form is a list of such.
fn alternatives(store: &Store, attribute: AttributeId, form: Cell) -> Result<Option<Vec<Cell>>, Stop> {
    let is_list = matches!(store.look(form), Term::Atom(atoms::NIL)) || pair(store, form, atoms::DOT).is_some();
    if !is_list {
        return Ok(None);
    }
    let walk = store.walk_list(form);
    match walk.end {
        ListEnd::Nil if attribute == AttributeId::GOAL_PATH => {
            let is_path = |&item: &Cell| {
                matches!(store.look(item), Term::Atom(atoms::NIL)) || pair(store, item, atoms::DOT).is_some()
            };
            Ok(walk.items.first().is_some_and(is_path).then_some(walk.items))
        }
        ListEnd::Nil => Ok(Some(walk.items)),
        ListEnd::Partial(_) => Err(instantiation_error()),
        ListEnd::Improper(_) | ListEnd::Cyclic => Err(type_error(store, "list", form)),
    }
}

/// The code of a form that has no others in it.
fn simple(store: &Store, schema: &Schema, attribute: AttributeId, form: Cell) -> Result<FormOp, Stop> {
    if let Some((low, high)) = pair(store, form, atoms::RANGE) {
        return range(store, low, high);
    }
    if attribute == AttributeId::GOAL_PATH {
        return path(store, form);
    }
    Ok(match store.look(form) {
        Term::Var(_) => return Err(instantiation_error()),
        Term::Atom(atoms::MINUS) => FormOp::Any,
        Term::Atom(name) => FormOp::Atom(name),
        Term::Int(value) => FormOp::int(value),
        Term::BigInt(value) => FormOp::Number(Number::Big(value.clone())),
        Term::Float(value) => FormOp::Number(Number::Float(value)),
        Term::Str(text) => FormOp::Str(text.to_owned()),
        Term::Compound(compound) if compound.name == atoms::MATCHES && compound.arity == 1 => {
            FormOp::Regex(regex(store, store.arg(compound, 0))?)
        }
        Term::Compound(_) if attribute == AttributeId::PROC => match ProcParts::of(store, form) {
            Some(parts) => FormOp::Proc(parts.compile(store, schema)?),
            None => return Err(wrong_type(store, schema, attribute, form)),
        },
        Term::Compound(_) => return Err(wrong_type(store, schema, attribute, form)),
    })
}

fn wrong_type(store: &Store, schema: &Schema, attribute: AttributeId, form: Cell) -> Stop {
    let attribute = schema.get(attribute);
    let error = type_error(store, kind_name(attribute.kind), form);
    with_message(
        error,
        &format!("expected {} for `{}`, found a term of another form", attribute.kind.describe(), attribute.name),
    )
}

/// `Low..High`, both included.
fn range(store: &Store, low: Cell, high: Cell) -> Result<FormOp, Stop> {
    let end = |number| Some(Bound { number, is_included: true });
    Ok(FormOp::Range(end(number(store, low)?), end(number(store, high)?)))
}

/// A regular expression given as an atom or a string.
pub fn regex(store: &Store, cell: Cell) -> Result<Regex, Stop> {
    let text = match store.look(cell) {
        Term::Var(_) => return Err(instantiation_error()),
        Term::Atom(name) => name.as_str(),
        Term::Str(text) => text,
        _ => return Err(type_error(store, "text", cell)),
    };
    Regex::new(text).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        with_message(
            domain_error(store, "regular_expression", cell),
            &format!("`{text}` is no regular expression: {reason}"),
        )
    })
}

/// A path: a list of steps, or Mercury's `s1;c2;t;`.
fn path(store: &Store, form: Cell) -> Result<FormOp, Stop> {
    match store.look(form) {
        Term::Var(_) => return Err(instantiation_error()),
        Term::Atom(atoms::MINUS) => return Ok(FormOp::Any),
        Term::Atom(atoms::NIL) => return Ok(FormOp::Path(Vec::new())),
        Term::Atom(name) => return Ok(FormOp::Path(steps(name.as_str()))),
        Term::Str(text) => return Ok(FormOp::Path(steps(text))),
        _ => {}
    }
    let walk = store.walk_list(form);
    let wrong = || type_error(store, "goal_path", form);
    if walk.end != ListEnd::Nil {
        return Err(wrong());
    }
    let steps: Option<Vec<Atom>> = walk.items.iter().map(|&step| path_step(store, step)).collect();
    steps.map(FormOp::Path).ok_or_else(wrong)
}

fn steps(text: &str) -> Vec<Atom> {
    text.split(';').map(str::trim).filter(|step| !step.is_empty()).map(Atom::new).collect()
}

/// A step: an atom, or `s2-2` written as a term.
fn path_step(store: &Store, step: Cell) -> Option<Atom> {
    if let Some((arm, of)) = pair(store, step, atoms::MINUS) {
        return Some(Atom::new(&format!("{}-{}", atomic_text(store, arm)?, atomic_text(store, of)?)));
    }
    match store.look(step) {
        Term::Atom(name) => Some(name),
        Term::Str(text) => Some(Atom::new(text)),
        _ => None,
    }
}

/// The parts of a procedure pattern `[ProcType->][Module:]Name[/Arity][-Mode]` as terms, in either reading of `:`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcParts {
    /// Type, module, name, arity and mode.
    pub parts: [Option<Cell>; 5],
}

/// The attributes of the parts.
pub const PROC_PARTS: [AttributeId; 5] =
    [AttributeId::PROC_TYPE, AttributeId::DECL_MODULE, AttributeId::NAME, AttributeId::ARITY, AttributeId::MODE_NUMBER];

impl ProcParts {
    /// The parts of a pattern that has more than a name; none if it has not.
    pub fn of(store: &Store, pattern: Cell) -> Option<ProcParts> {
        let mut parts: [Option<Cell>; 5] = [None; 5];
        let mut rest = pattern;
        while let Term::Compound(compound) = store.look(rest)
            && compound.arity == 2
        {
            let (left, right) = (store.arg(compound, 0), store.arg(compound, 1));
            let (place, part, inner) = match compound.name {
                atoms::ARROW => (0, left, right),
                atoms::COLON => (1, left, right),
                atoms::DIVIDE => (3, right, left),
                atoms::MINUS => (4, right, left),
                _ => break,
            };
            if parts[place].replace(part).is_some() {
                return None;
            }
            rest = inner;
        }
        parts[2] = Some(rest);
        let has_more = [0, 1, 3, 4].into_iter().any(|place| parts[place].is_some());
        has_more.then_some(ProcParts { parts })
    }

    /// What stands before the colon.
    pub fn module(&self) -> Option<Cell> {
        self.parts[1]
    }

    /// The pattern; a part that is an unbound variable is an error.
    fn compile(&self, store: &Store, schema: &Schema) -> Result<ProcPattern, Stop> {
        let mut forms = [const { None }; 5];
        for ((form, part), attribute) in forms.iter_mut().zip(self.parts).zip(PROC_PARTS) {
            if let Some(part) = part {
                *form = Some(equality(store, schema, attribute, part)?);
            }
        }
        Ok(pattern(forms))
    }

    /// The pattern in which a part that is an unbound variable may be anything.
    pub fn compile_open(&self, store: &Store, schema: &Schema) -> Result<ProcPattern, Stop> {
        let mut forms = [const { None }; 5];
        for ((form, part), attribute) in forms.iter_mut().zip(self.parts).zip(PROC_PARTS) {
            let Some(part) = part else { continue };
            *form = Some(match store.look(part) {
                Term::Var(_) => vec![FormOp::Any],
                _ => equality(store, schema, attribute, part)?,
            });
        }
        Ok(pattern(forms))
    }
}

fn pattern([proc_type, module, name, arity, mode]: [Option<Vec<FormOp>>; 5]) -> ProcPattern {
    ProcPattern { proc_type, module, name, arity, mode }
}

/// Whether a form may stand for many values of an attribute whose values are terms.
pub fn is_form(store: &Store, kind: AttributeType, form: Cell) -> bool {
    let is_atomic = !matches!(store.look(form), Term::Var(_) | Term::Compound(_));
    let is_dash = matches!(store.look(form), Term::Atom(atoms::MINUS));
    let is_matches = store.functor(form) == Some((atoms::MATCHES, 1));
    match kind {
        AttributeType::Args | AttributeType::Texts | AttributeType::Computed => is_dash || is_matches,
        _ => is_atomic || is_matches || pair(store, form, atoms::RANGE).is_some(),
    }
}
