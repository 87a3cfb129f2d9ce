//! Limits of distances between events: `within(Attribute, Max)` and `within(Attribute, Min..Max)`.

use super::goal::shown;
use crate::builtins::arguments::pair;
use crate::builtins::trace::constraints::forms::{has_unit, quantity, quantity_of_any};
use crate::builtins::trace::constraints::list::attribute;
use crate::engine::arith::Number;
use crate::engine::error::{domain_error, instantiation_error, with_message};
use crate::engine::{Cell, Stop, Store, Term, World};
use crate::term::atoms;
use crate::trace::{AttributeId, AttributeType, DistanceRange, Growth, Measure, TimeUnit, Trace};

/// A limit of distances: an attribute with the allowed differences of its values.
pub(super) struct DistanceLimit {
    pub(super) attribute: AttributeId,
    pub(super) range: DistanceRange,
    pub(super) growth: Growth,
    /// `within(chrono, 100)`
    pub(super) text: String,
}

impl DistanceLimit {
    /// Reads a term `within(Attribute, Max)` or `within(Attribute, Min..Max)`, for a trace.
    pub(super) fn read(world: &mut World, trace: &Trace, term: Cell) -> Result<DistanceLimit, Stop> {
        let (name, bounds) = parts_of_limit(&world.store, term)?;
        let attribute = attribute(world, trace, name)?;
        let store = &world.store;
        let row = trace.schema().get(attribute);
        if !matches!(row.kind, AttributeType::Integer | AttributeType::Any) {
            let message = format!("expected an attribute whose values are numbers, found `{}`", row.name);
            return Err(with_message(domain_error(store, "numeric_attribute", name), &message));
        }
        let range = range(store, bounds, |bound| quantity(store, trace.schema(), attribute, bound))?;
        let growth = if attribute == AttributeId::CHRONO { Growth::Rising } else { Growth::Any };
        let text = shown(store, term);
        let most = pair(store, bounds, atoms::RANGE).map_or(bounds, |(_, most)| most);
        let unit = row.unit.filter(|_| !has_unit(store, most));
        let limit = DistanceLimit { attribute, range, growth, text };
        if let Some(doubt) = unit.and_then(|unit| limit.is_too_near(trace, unit)) {
            world.remarks.note_vacuous(doubt);
        }
        Ok(limit)
    }

    /// That its greatest distance, written without a unit, is less than those between any times of the trace, which never fall.
    fn is_too_near(&self, trace: &Trace, unit: TimeUnit) -> Option<String> {
        let values = (0..trace.n_events()).filter_map(|event| Measure::of_value(trace.value(event, self.attribute)));
        let mut later = values.clone().skip(1).zip(values).map(|(later, one)| later - one).peekable();
        later.peek()?;
        let is_farther = later.all(|distance| distance == 0 || distance > self.range.most);
        let number = i64::try_from(self.range.most / Measure::of_integer(1)).ok().filter(|number| *number > 0);
        let (text, number) = (&self.text, number.filter(|_| is_farther)?);
        let meant = unit.text(number);
        Some(format!("`{text}` means {meant}, and no times of the trace are so near: `s({number})` is in seconds"))
    }
}

/// The attribute and the bounds of `within(Attribute, Bounds)`.
fn parts_of_limit(store: &Store, term: Cell) -> Result<(Cell, Cell), Stop> {
    match store.look(term) {
        Term::Var(_) => Err(instantiation_error()),
        Term::Compound(compound) if (compound.name.as_str(), compound.arity) == ("within", 2) => {
            Ok((store.arg(compound, 0), store.arg(compound, 1)))
        }
        _ => {
            let message = format!("expected a distance such as `within(chrono, 100)`, found `{}`", shown(store, term));
            Err(with_message(domain_error(store, "distance", term), &message))
        }
    }
}

/// The distances between bounds, `Max` or `Min..Max`, whose numbers `quantity` gives.
fn range(store: &Store, bounds: Cell, quantity: impl Fn(Cell) -> Result<Number, Stop>) -> Result<DistanceRange, Stop> {
    let distance = |bound| distance(store, bound, quantity(bound)?);
    let range = match pair(store, bounds, atoms::RANGE) {
        Some((least, most)) => DistanceRange { least: distance(least)?, most: distance(most)? },
        None => DistanceRange { least: 0, most: distance(bounds)? },
    };
    if range.least > range.most {
        let message = format!("expected the least distance before the greatest one, found `{}`", shown(store, bounds));
        return Err(with_message(domain_error(store, "distance", bounds), &message));
    }
    Ok(range)
}

/// An error if a limit is wrong whatever the trace is.
pub(super) fn check_limit(store: &Store, term: Cell) -> Result<(), Stop> {
    let (_, bounds) = parts_of_limit(store, term)?;
    let of_any = |bound| quantity_of_any(store, bound);
    match pair(store, bounds, atoms::RANGE) {
        // which of the two is less depends on the unit of the attribute
        Some((least, most)) if has_unit(store, least) != has_unit(store, most) => {
            of_any(least).and_then(|_| of_any(most)).map(drop)
        }
        _ => range(store, bounds, of_any).map(drop),
    }
}

/// A distance in units of a measure, given the bound as it is written.
fn distance(store: &Store, bound: Cell, number: Number) -> Result<i128, Stop> {
    let distance = match number {
        Number::Int(number) => Some(Measure::of_integer(number)),
        Number::Float(number) => Measure::of_float(number),
        Number::Big(number) if number.sign() == num_bigint::Sign::Minus => None,
        Number::Big(_) => Some(i128::MAX),
    };
    distance.filter(|distance| *distance >= 0).ok_or_else(|| domain_error(store, "not_less_than_zero", bound))
}
