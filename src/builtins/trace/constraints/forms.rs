//! Compiles forms of constraints from terms to the flat code that the trace evaluates.

use num_traits::Zero;
use regex::Regex;

use crate::builtins::arguments::{atomic_text, check_elements, pair};
use crate::builtins::trace::errors::kind_name;
use crate::engine::arith::{Number, evaluate_unwatched};
use crate::engine::error::{domain_error, instantiation_error, type_error, with_message};
use crate::engine::{Cell, Comparison, ListEnd, Stop, Store, Term};
use crate::term::{Atom, Shape, View, atoms};
use crate::trace::{AttributeId, AttributeType, Bound, FormOp, ProcPattern, Schema, TimeUnit};

use super::reader::{OuterForm, PROC_PARTS, ProcParts};

/// The code of `attribute <comparison> form`.
pub(crate) fn compile(
    store: &Store,
    schema: &Schema,
    attribute: AttributeId,
    comparison: Comparison,
    form: Cell,
) -> Result<Vec<FormOp>, Stop> {
    let mut code = match comparison {
        Comparison::Equal | Comparison::NotEqual => equality(store, schema, attribute, form)?,
        _ => inequality(quantity(store, schema, attribute, form)?, comparison),
    };
    if comparison == Comparison::NotEqual {
        code.push(FormOp::Not);
    }
    Ok(code)
}

/// The form for numbers that are less than `bound`, greater, and so on.
pub(crate) fn inequality(bound: Number, comparison: Comparison) -> Vec<FormOp> {
    let is_included = matches!(comparison, Comparison::LessEqual | Comparison::GreaterEqual);
    let end = Some(Bound { number: bound, is_included });
    vec![match comparison {
        Comparison::Less | Comparison::LessEqual => FormOp::Range(None, end),
        _ => FormOp::Range(end, None),
    }]
}

/// The number of a term, which may be an expression.
pub(crate) fn number(store: &Store, form: Cell) -> Result<Number, Stop> {
    match store.look(form) {
        Term::Var(_) => Err(instantiation_error()),
        // not the code of a text of one letter
        Term::Str(_) => Err(type_error(store, "number", form)),
        _ => evaluate_unwatched(store, form),
    }
}

/// The number of a term for an attribute: an expression, or a time with a unit such as `ms(20)`, in the unit of the
/// attribute.
pub(crate) fn quantity(store: &Store, schema: &Schema, attribute: AttributeId, form: Cell) -> Result<Number, Stop> {
    match (time(store, form), schema.unit(attribute)) {
        (None, _) => number(store, form),
        (Some(time), Some(own)) => in_unit(store, time, own),
        (Some(_), None) => Err(no_unit(store, schema, attribute, form)),
    }
}

/// The same for an attribute that is not known: a time is in nanoseconds.
pub(crate) fn quantity_of_any(store: &Store, form: Cell) -> Result<Number, Stop> {
    time(store, form).map_or_else(|| number(store, form), |time| in_unit(store, time, TimeUnit::Nanoseconds))
}

/// Whether a term is a time with a unit.
pub(crate) fn has_unit(store: &Store, form: Cell) -> bool {
    time(store, form).is_some()
}

fn in_unit(store: &Store, (unit, amount): (TimeUnit, Cell), own: TimeUnit) -> Result<Number, Stop> {
    let factor = evaluate_unwatched(store, amount)?;
    let (times, by) = (unit.nanoseconds(), own.nanoseconds());
    Ok(match factor {
        Number::Float(amount) => Number::Float(amount * times as f64 / by as f64),
        whole => {
            let product = whole.to_integer()?.into_owned() * times;
            match (&product % by).is_zero() {
                true => (product / by).into(),
                false => Number::Float(Number::from(product).to_float()? / by as f64),
            }
        }
    })
}

/// The unit and the amount of a time with a unit.
fn time(store: &Store, form: Cell) -> Option<(TimeUnit, Cell)> {
    match store.look(form) {
        Term::Compound(compound) if compound.arity == 1 => {
            Some((TimeUnit::named(compound.name.as_str())?, store.arg(compound, 0)))
        }
        _ => None,
    }
}

/// Whether a term is a time with a unit, and the attribute one of times.
pub(crate) fn is_time(store: &Store, schema: &Schema, attribute: AttributeId, form: Cell) -> bool {
    (attribute.is_call_time() || schema.unit(attribute).is_some()) && time(store, form).is_some()
}

fn no_unit(store: &Store, schema: &Schema, attribute: AttributeId, form: Cell) -> Stop {
    let name = &schema.get(attribute).name;
    let has_times = schema.find("time").is_some_and(|time| schema.has(time));
    let why = match attribute.is_call_time() {
        true if has_times => format!("the trace does not say in which unit its times are, and `{name}` is in the same"),
        true => format!("the trace has no times, so that `{name}` counts events"),
        false => format!("`{name}` has no unit of time that is known"),
    };
    with_message(domain_error(store, "number", form), &format!("expected a number without a unit: {why}"))
}

/// A pending step of compiling a form.
enum FormStep {
    Form(Cell),
    Do(FormOp),
}

/// The code of a form.
fn equality(store: &Store, schema: &Schema, attribute: AttributeId, form: Cell) -> Result<Vec<FormOp>, Stop> {
    let mut code = Vec::new();
    let mut steps = vec![FormStep::Form(form)];
    while let Some(step) = steps.pop() {
        let form = match step {
            FormStep::Do(op) => {
                code.push(op);
                continue;
            }
            FormStep::Form(form) => form,
        };
        match OuterForm::of(store, attribute, form) {
            OuterForm::Not(inner) => steps.extend([FormStep::Do(FormOp::Not), FormStep::Form(inner)]),
            OuterForm::List => match alternatives(store, attribute, form)? {
                Some(forms) => {
                    check_elements(code.len() + steps.len() + forms.len())?;
                    steps.push(FormStep::Do(FormOp::AnyOf(forms.len())));
                    steps.extend(forms.into_iter().rev().map(FormStep::Form));
                }
                None => code.push(path(store, form)?),
            },
            form_of => code.push(simple(store, schema, attribute, form, form_of)?),
        }
    }
    Ok(code)
}

/// The forms in a list, one of which must hold; none if the list is a goal path.
fn alternatives(store: &Store, attribute: AttributeId, form: Cell) -> Result<Option<Vec<Cell>>, Stop> {
    let walk = store.walk_list(form);
    match walk.end {
        ListEnd::Nil if attribute == AttributeId::GOAL_PATH => {
            let is_path = |item: &Cell| matches!(OuterForm::of(store, attribute, *item), OuterForm::List);
            Ok(walk.items.first().is_some_and(is_path).then_some(walk.items))
        }
        ListEnd::Nil => Ok(Some(walk.items)),
        ListEnd::Partial(_) => Err(instantiation_error()),
        ListEnd::Improper(_) | ListEnd::Cyclic => Err(type_error(store, "list", form)),
    }
}

/// The code of a form that contains no other forms.
fn simple(
    store: &Store,
    schema: &Schema,
    attribute: AttributeId,
    form: Cell,
    form_of: OuterForm<Cell>,
) -> Result<FormOp, Stop> {
    match form_of {
        OuterForm::Variable(_) => Err(instantiation_error()),
        OuterForm::Any => Ok(FormOp::Any),
        OuterForm::Range(low, high) => {
            let end = |form| quantity(store, schema, attribute, form);
            Ok(range(end(low)?, end(high)?))
        }
        _ if attribute == AttributeId::GOAL_PATH => path(store, form),
        OuterForm::Matches(text) => regex(store, text).map(FormOp::Regex),
        OuterForm::Proc(parts) => parts.compile(store, schema).map(FormOp::Proc),
        OuterForm::Value if is_time(store, schema, attribute, form) => {
            quantity(store, schema, attribute, form).map(FormOp::Number)
        }
        OuterForm::Value | OuterForm::Not(_) | OuterForm::List => {
            constant(store, form).ok_or_else(|| wrong_type(store, schema, attribute, form))
        }
    }
}

/// The code of a constant.
pub(crate) fn constant<V: View>(terms: &V, form: V::Handle) -> Option<FormOp> {
    Some(match terms.shape(form) {
        Shape::Atom(name) => FormOp::Atom(name),
        Shape::Int(value) => FormOp::int(value),
        Shape::BigInt(value) => FormOp::Number(Number::Big(value.clone())),
        Shape::Float(value) => FormOp::Number(Number::Float(value)),
        Shape::Str(text) => FormOp::Str(text.to_owned()),
        Shape::Var(_) | Shape::Compound(..) => return None,
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
pub(crate) fn range(low: Number, high: Number) -> FormOp {
    let end = |number| Some(Bound { number, is_included: true });
    FormOp::Range(end(low), end(high))
}

/// A regular expression given as an atom or a string.
pub(crate) fn regex(store: &Store, cell: Cell) -> Result<Regex, Stop> {
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

impl ProcParts<Cell> {
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

    /// The pattern; a part that is an unbound variable matches anything.
    pub(crate) fn compile_open(&self, store: &Store, schema: &Schema) -> Result<ProcPattern, Stop> {
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

/// Whether a form can match several values of an attribute whose values are terms.
pub(crate) fn is_form(store: &Store, kind: AttributeType, attribute: AttributeId, form: Cell) -> bool {
    let is_atomic = !matches!(store.look(form), Term::Var(_) | Term::Compound(_));
    match (kind, OuterForm::of(store, attribute, form)) {
        (AttributeType::Args | AttributeType::Texts | AttributeType::Computed, form) => {
            matches!(form, OuterForm::Any | OuterForm::Matches(_))
        }
        (_, form) => is_atomic || form.is_choice(),
    }
}
