//! Takes lists of constraints apart and compiles them.

use smallvec::{SmallVec, smallvec};

use crate::builtins::trace::errors::{no_attribute, wrong_constraint};
use crate::engine::error::{instantiation_error, type_error, with_message};
use crate::engine::{Cell, Comparison, EventPart, ListEnd, Plan, Stop, Store, Term, TermUse, World};
use crate::term::atoms;
use crate::trace::{
    AttributeId, AttributeType, Constraint, ConstraintError, FormOp, Pattern, Schema, Trace, UnknownWord, WordPlace,
    contradictions,
};

use super::argument_test::argument_test;
use super::arguments::{MANY_ITEMS, argument_part, forms_taken_out, no_form_in_object};
use super::forms::{compile, is_form, is_time};
use super::identities::attribute_of_terms;
use super::reader::{NoConstraint, OuterForm, PROC_PARTS, ProcParts, UnreadForms, WrittenConstraint, negated, read};
use super::shape;

/// How a constraint is tested.
enum ConstraintTest {
    /// By using a term as it is.
    Use(TermUse),
    /// By a form that describes the allowed values.
    Form { attribute: AttributeId, comparison: Comparison, form: Cell, is_negated: bool },
    /// By a procedure pattern, whose parts may be variables.
    Proc(Cell, ProcParts<Cell>),
    /// By a form for the text of an argument, or of a value inside one.
    Argument { part: EventPart, comparison: Comparison, form: Cell, is_negated: bool },
}

type CellConstraint = WrittenConstraint<Cell>;

/// Whether the form is a list as the value of a variable: one value, not several alternatives.
fn is_a_list(store: &Store, item: &CellConstraint) -> bool {
    item.is_value && matches!(store.functor(item.form), Some((atoms::NIL, 0) | (atoms::DOT, 2)))
}

/// Rewrites `= not(Form)` as `\= Form`.
fn open_negations(store: &Store, item: &mut CellConstraint) {
    while let Some(inner) = negated(store, item.form) {
        item.form = inner;
        item.is_negated = !item.is_negated;
    }
}

/// The parts of a list of constraints.
#[derive(Default)]
pub(crate) struct Draft {
    /// Kept only if a plan is to be made.
    ways: Option<Vec<ConstraintTest>>,
    uses: SmallVec<[TermUse; 4]>,
    /// The terms that the plan uses.
    pub(crate) terms: Vec<Cell>,
}

impl Draft {
    /// A draft from which a plan can be made.
    pub(crate) fn for_plan() -> Draft {
        Draft { ways: Some(Vec::new()), ..Draft::default() }
    }

    /// Takes a list of constraints apart; its shape is appended to `key`.
    pub(crate) fn read(
        &mut self,
        world: &mut World,
        trace: &Trace,
        constraints: Cell,
        key: &mut Vec<u64>,
    ) -> Result<(), Stop> {
        let mut unread: UnreadForms<Cell> = smallvec![(constraints, false)];
        let mut n_items = 0;
        while let Some((term, is_negated)) = unread.pop() {
            n_items += 1;
            if n_items == MANY_ITEMS && !world.store.is_acyclic(constraints) {
                return Err(type_error(&world.store, "acyclic_term", constraints));
            }
            if n_items.is_multiple_of(MANY_ITEMS) {
                world.store.watch.check()?;
            }
            let item = read(&world.store, term, is_negated, &mut unread);
            if let Some(item) = item.map_err(|reason| no_constraint(&world.store, term, reason))? {
                self.add(world, trace, item, key)?;
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        world: &mut World,
        trace: &Trace,
        mut item: CellConstraint,
        key: &mut Vec<u64>,
    ) -> Result<(), Stop> {
        if !item.is_value {
            no_form_in_object(&world.store, item.form)?;
        }
        let way = match argument_part(&world.store, trace, item.name)? {
            Some(part) => {
                key.extend(match part {
                    EventPart::Key(path) => [9, u64::from(path.id())],
                    EventPart::Argument(number) => [1, number as u64],
                    _ => [1, 0],
                });
                open_negations(&world.store, &mut item);
                argument_way(&world.store, part, &item)
            }
            None => {
                let attribute = match attribute_of_terms(&world.store, trace.schema(), item.name, item.form) {
                    Some(attribute) => attribute,
                    None => attribute(world, trace, item.name)?,
                };
                key.extend([2, attribute.index() as u64]);
                let kind = trace.schema().asked_type(attribute);
                if attribute == AttributeId::ARGS
                    && !item.is_value
                    && let Some((rest, forms)) = forms_taken_out(&mut world.store, &item)?
                {
                    item.form = rest;
                    for (number, form) in forms {
                        key.extend([1, number as u64]);
                        let part = EventPart::Argument(number);
                        let way =
                            ConstraintTest::Argument { part, comparison: Comparison::Equal, form, is_negated: false };
                        self.note(&world.store, trace, way, form, key)?;
                    }
                }
                if matches!(kind, AttributeType::Args | AttributeType::Texts | AttributeType::Computed) {
                    open_negations(&world.store, &mut item);
                }
                attribute_way(&world.store, trace.schema(), attribute, &item)
            }
        };
        self.note(&world.store, trace, way, item.form, key)
    }

    /// Keeps a way with the terms that it uses.
    fn note(
        &mut self,
        store: &Store,
        trace: &Trace,
        way: ConstraintTest,
        form: Cell,
        key: &mut Vec<u64>,
    ) -> Result<(), Stop> {
        match &way {
            ConstraintTest::Use(usage) => {
                key.push(match usage {
                    TermUse::Chrono | TermUse::Call => 3,
                    TermUse::Unify(_) => 4,
                    TermUse::Differ(_) => 5,
                });
                self.uses.push(*usage);
                self.terms.push(form);
            }
            ConstraintTest::Form { comparison, is_negated, .. }
            | ConstraintTest::Argument { comparison, is_negated, .. } => {
                key.extend([6, *comparison as u64, u64::from(*is_negated)]);
                shape::write(store, form, key)?;
            }
            ConstraintTest::Proc(_, pattern) => {
                let halves = pattern.module().is_some() && trace.has_modules_in_names();
                for ((part, attribute), number) in pattern.parts.into_iter().zip(PROC_PARTS).zip(7..) {
                    let Some(part) = part else { continue };
                    key.push(number);
                    shape::write(store, part, key)?;
                    if let Term::Var(_) = store.look(part) {
                        self.uses.push(TermUse::Unify(match attribute {
                            AttributeId::DECL_MODULE | AttributeId::NAME if halves => EventPart::Half(attribute),
                            _ => EventPart::Attribute(attribute),
                        }));
                        self.terms.push(part);
                    }
                }
            }
        }
        if let Some(ways) = &mut self.ways {
            ways.push(way);
        }
        Ok(())
    }

    /// Makes the plan.
    pub(crate) fn compile(&self, world: &mut World, trace: &Trace, purpose: Purpose) -> Result<Plan, Stop> {
        let (mut constraints, mut tests, mut doubts) = (Vec::new(), Vec::new(), Vec::new());
        for way in self.ways.iter().flatten() {
            constraints.extend(constraint(world, trace, way, purpose)?);
            if let ConstraintTest::Argument { part, comparison, form, is_negated } = *way {
                tests.push(argument_test(&world.store, trace.schema(), part, comparison, form, is_negated)?);
                if let EventPart::Argument(number) = part
                    && is_about_numbers(&world.store, comparison, form)
                {
                    doubts.extend(world.desk.plans.compared_arguments(trace, number));
                }
            }
        }
        let mut uses: Vec<(usize, TermUse)> = self.uses.iter().copied().enumerate().collect();
        uses.sort_by_key(|(_, usage)| is_costly(trace, *usage));
        doubts.extend(constraints.iter().filter_map(|constraint| constraint.compared_texts(trace)));
        let named =
            constraints.iter().map(Constraint::attribute).chain(uses.iter().filter_map(|(_, usage)| usage.attribute()));
        let values = constraints.iter().flat_map(|of| UnknownWord::values(trace, of));
        let vacuous = contradictions(trace, &constraints);
        let used = uses.iter().filter_map(|(_, usage)| match usage {
            TermUse::Unify(part) | TermUse::Differ(part) => Some(*part),
            TermUse::Chrono | TermUse::Call => None,
        });
        let paths = used.chain(tests.iter().map(|test| test.part)).filter_map(|part| match part {
            EventPart::Key(path) => Some(path),
            _ => None,
        });
        let named = named.filter_map(|attribute| UnknownWord::key(trace, attribute));
        let unknown =
            named.chain(values).chain(paths.map(|path| UnknownWord::path(trace, WordPlace::Path(path)))).collect();
        Ok(Plan {
            pattern: Pattern::new(trace, constraints.clone()),
            constraints,
            uses,
            tests,
            doubts,
            vacuous,
            unknown,
        })
    }
}

/// Whether a form requires an argument to be less or greater than a number.
fn is_about_numbers(store: &Store, comparison: Comparison, form: Cell) -> bool {
    !matches!(comparison, Comparison::Equal | Comparison::NotEqual)
        || matches!(OuterForm::of(store, AttributeId::ARGS, form), OuterForm::Range(..))
}

/// Whether a use builds a term from a text, which is better done last.
fn is_costly(trace: &Trace, usage: TermUse) -> bool {
    match usage {
        TermUse::Chrono | TermUse::Call => false,
        TermUse::Unify(EventPart::Attribute(attribute)) | TermUse::Differ(EventPart::Attribute(attribute)) => {
            use AttributeType::{Any, Args, Computed, Texts};
            matches!(trace.schema().get(attribute).kind, Args | Texts | Any | Computed)
        }
        TermUse::Unify(EventPart::Argument(_) | EventPart::Key(_))
        | TermUse::Differ(EventPart::Argument(_) | EventPart::Key(_)) => true,
        TermUse::Unify(EventPart::Half(_)) | TermUse::Differ(EventPart::Half(_)) => false,
    }
}

/// The signs of goals for which constraints have another one.
const OTHER_SIGNS: [(&str, &str); 6] =
    [("==", "="), ("=:=", "="), ("is", "="), (":", "="), ("\\==", "\\="), ("=\\=", "\\=")];

/// The error for a term that is no constraint.
pub(crate) fn no_constraint(store: &Store, term: Cell, reason: NoConstraint) -> Stop {
    if reason == NoConstraint::Variable {
        return instantiation_error();
    }
    let sign = store.functor(term).filter(|(_, arity)| *arity == 2).map(|(name, _)| name.as_str());
    let meant = OTHER_SIGNS.iter().find(|(other, _)| Some(*other) == sign);
    let found =
        meant.map_or("a term of another form".to_string(), |(other, sign)| format!("`{other}` (write `{sign}`)"));
    let message = format!("expected constraints such as `[port=exit, proc=queen/2]`, found {found}");
    with_message(type_error(store, "constraint", term), &message)
}

/// The attribute that a term names, by name or alias.
pub(crate) fn attribute(world: &mut World, trace: &Trace, name: Cell) -> Result<AttributeId, Stop> {
    let atom = match world.store.look(name) {
        Term::Atom(atom) => atom,
        Term::Var(_) => return Err(instantiation_error()),
        _ => return Err(type_error(&world.store, "attribute", name)),
    };
    if let Some(id) = world.desk.plans.attribute(atom) {
        return Ok(id);
    }
    let id = trace.schema().resolve(atom.as_str()).map_err(|error| no_attribute(&world.store, name, &error))?;
    world.desk.plans.keep_attribute(atom, id);
    Ok(id)
}

fn argument_way(store: &Store, part: EventPart, item: &CellConstraint) -> ConstraintTest {
    let is_form = match (part, OuterForm::of(store, AttributeId::ARGS, item.form)) {
        (_, OuterForm::Matches(_) | OuterForm::Range(..)) => true,
        (EventPart::Key(_), OuterForm::List) => !item.is_value && is_whole_list(store, item.form),
        (EventPart::Key(_), OuterForm::Any) => true,
        _ => false,
    };
    match item.comparison {
        Comparison::Equal | Comparison::NotEqual if !is_form => ConstraintTest::Use(equal_or_differ(part, item)),
        _ => {
            ConstraintTest::Argument { part, comparison: item.comparison, form: item.form, is_negated: item.is_negated }
        }
    }
}

fn equal_or_differ(part: EventPart, item: &CellConstraint) -> TermUse {
    match (item.comparison == Comparison::Equal) != item.is_negated {
        true => TermUse::Unify(part),
        false => TermUse::Differ(part),
    }
}

fn attribute_way(store: &Store, schema: &Schema, attribute: AttributeId, item: &CellConstraint) -> ConstraintTest {
    let kind = schema.asked_type(attribute);
    let form =
        ConstraintTest::Form { attribute, comparison: item.comparison, form: item.form, is_negated: item.is_negated };
    let is_equality = matches!(item.comparison, Comparison::Equal | Comparison::NotEqual);
    let is_plain = item.comparison == Comparison::Equal && !item.is_negated;
    let usage = ConstraintTest::Use(equal_or_differ(EventPart::Attribute(attribute), item));
    match (kind, store.look(item.form)) {
        (_, Term::Var(_)) if is_plain => usage,
        (_, Term::Int(_)) if is_plain && attribute == AttributeId::CHRONO => ConstraintTest::Use(TermUse::Chrono),
        (_, Term::Int(_)) if is_plain && attribute == AttributeId::CALL => ConstraintTest::Use(TermUse::Call),
        (AttributeType::Proc, Term::Compound(_)) if is_plain => match ProcParts::of(store, item.form) {
            Some(parts) => ConstraintTest::Proc(item.form, parts),
            None => form,
        },
        (AttributeType::Args | AttributeType::Texts | AttributeType::Computed, _) if is_equality => {
            if is_form(store, kind, attribute, item.form) { form } else { usage }
        }
        (AttributeType::Any, Term::Compound(_) | Term::Atom(atoms::NIL)) if is_equality && is_a_list(store, item) => {
            usage
        }
        (AttributeType::Any, Term::Compound(_))
            if is_equality
                && !is_choice(store, attribute, item.form)
                && !is_time(store, schema, attribute, item.form) =>
        {
            usage
        }
        (AttributeType::GoalPath, Term::Compound(_)) if is_equality && !store.is_ground(item.form) => usage,
        _ => form,
    }
}

/// Whether a form for an attribute whose values are terms describes several values, instead of being a value itself.
fn is_choice(store: &Store, attribute: AttributeId, form: Cell) -> bool {
    is_form(store, AttributeType::Any, attribute, form) || negated(store, form).is_some() || is_whole_list(store, form)
}

/// Whether a list has no variables, so that its elements may be alternatives.
fn is_whole_list(store: &Store, form: Cell) -> bool {
    store.is_ground(form) && store.walk_list(form).end == ListEnd::Nil
}

/// The constraint of a way, if it has one.
fn constraint(
    world: &mut World,
    trace: &Trace,
    way: &ConstraintTest,
    purpose: Purpose,
) -> Result<Option<Constraint>, Stop> {
    match *way {
        ConstraintTest::Use(usage) => presence(world, trace, usage, purpose),
        ConstraintTest::Form { attribute, comparison, form, is_negated } => {
            let mut code = compile(&world.store, trace.schema(), attribute, comparison, form)?;
            if is_negated {
                code.push(FormOp::Not);
            }
            constraint_of(&world.store, trace, attribute, form, &code).map(Some)
        }
        ConstraintTest::Proc(form, parts) => {
            let pattern = parts.compile_open(&world.store, trace.schema())?;
            constraint_of(&world.store, trace, AttributeId::PROC, form, &[FormOp::Proc(pattern)]).map(Some)
        }
        ConstraintTest::Argument { .. } => {
            constraint_of(&world.store, trace, AttributeId::ARGS, Cell::NIL, &[FormOp::Any]).map(Some)
        }
    }
}

fn constraint_of(
    store: &Store,
    trace: &Trace,
    attribute: AttributeId,
    form: Cell,
    code: &[FormOp],
) -> Result<Constraint, Stop> {
    let wrong = |error: ConstraintError| wrong_constraint(store, trace.schema().get(attribute).kind, form, &error);
    Constraint::new(trace, attribute, code).map_err(wrong)
}

/// The constraint that an event has a value for the part that is unified.
fn presence(world: &mut World, trace: &Trace, usage: TermUse, purpose: Purpose) -> Result<Option<Constraint>, Stop> {
    let attribute = match usage {
        TermUse::Unify(_) if purpose == Purpose::Current => return Ok(None),
        TermUse::Unify(EventPart::Attribute(attribute)) | TermUse::Differ(EventPart::Attribute(attribute)) => attribute,
        TermUse::Unify(EventPart::Argument(_) | EventPart::Key(_))
        | TermUse::Differ(EventPart::Argument(_) | EventPart::Key(_)) => AttributeId::ARGS,
        TermUse::Unify(EventPart::Half(_)) | TermUse::Differ(EventPart::Half(_)) => AttributeId::NAME,
        TermUse::Chrono | TermUse::Call => return Ok(None),
    };
    if trace.is_computed(attribute) || world.desk.plans.is_everywhere(trace, attribute) {
        return Ok(None);
    }
    constraint_of(&world.store, trace, attribute, Cell::NIL, &[FormOp::Any]).map(Some)
}

/// What a list of constraints is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Finding events: an event without a value for a variable does not match.
    Search,
    /// Asking for the values of one event: a variable gets `-` for a missing value.
    Current,
}

/// Whether a term is compared with arguments.
pub(crate) fn is_of_arguments(usage: TermUse) -> bool {
    match usage {
        TermUse::Unify(part) | TermUse::Differ(part) => {
            matches!(part, EventPart::Attribute(AttributeId::ARGS) | EventPart::Argument(_) | EventPart::Key(_))
        }
        TermUse::Chrono | TermUse::Call => false,
    }
}
