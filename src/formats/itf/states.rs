//! All states of a file: a column of each variable, in which equal values are stored once.

use super::line::BrokenRule;
use super::part::{PartState, PartStates, PartValue, WrittenIndex};
use crate::formats::json::document::DocumentPart;
use crate::term::hash::HashMap;
use crate::trace::{EventId, Field, ListField, PlaceTable, TraceBuilder, ValueColumn, ValueColumnBuilder, ValueId};

/// The states that were read; those that are objects are events.
#[derive(Default)]
pub(super) struct StateTable {
    pub(super) places: PlaceTable,
    /// The number of states.
    pub(super) n_states: usize,
    /// The number of events.
    pub(super) n_events: EventId,
    /// The positions of states that are no objects.
    pub(super) no_objects: Vec<usize>,
    pub(super) variables: Vec<StateVariable>,
    variable_ids: HashMap<String, usize>,
    /// The variables of a state, in order.
    pub(super) shapes: Vec<Box<[usize]>>,
    shape_ids: HashMap<Box<[usize]>, usize>,
    /// By event, the number of its shape.
    shape: ValueColumnBuilder,
    action: ValueColumnBuilder,
    arity: ValueColumnBuilder,
    args: ValueColumnBuilder,
    arg_names: ValueColumnBuilder,
    /// By position, indexes that are others.
    pub(super) indexes: Vec<(usize, String)>,
    /// By position, rules that values break.
    pub(super) broken: Vec<(usize, BrokenRule)>,
}

/// A variable, or another key of states.
pub(super) struct StateVariable {
    pub(super) name: String,
    values: ValueColumnBuilder,
    /// The texts of values that are the same for equal ones, where they differ.
    sorted: HashMap<ValueId, Box<str>>,
}

/// The finished column of a variable.
pub(super) struct VariableColumn {
    pub(super) name: String,
    pub(super) values: ValueColumn,
    pub(super) sorted: HashMap<ValueId, Box<str>>,
}

/// The finished columns.
pub(super) struct StateColumns {
    pub(super) variables: Vec<VariableColumn>,
    pub(super) shape: ValueColumn,
    pub(super) action: ValueColumn,
    pub(super) arity: ValueColumn,
    pub(super) args: ValueColumn,
    pub(super) arg_names: ValueColumn,
}

/// What the table knows of the numbers in a part.
#[derive(Default)]
pub(super) struct PartNumbers {
    shapes: Vec<Option<usize>>,
    values: Vec<Vec<Option<ValueId>>>,
    picks: Vec<Option<KnownPicks>>,
    n_values: usize,
    n_broken: usize,
}

/// The choices of an action in the trace: how many, and the numbers of their values and names.
#[derive(Clone, Copy)]
struct KnownPicks {
    arity: i64,
    args: i64,
    names: Option<i64>,
}

impl PartNumbers {
    /// Forgets what the table knew, because another table begins.
    pub(super) fn forget(&mut self) {
        let PartNumbers { n_values, n_broken, .. } = *self;
        *self = PartNumbers { n_values, n_broken, ..PartNumbers::default() };
    }
}

impl StateTable {
    /// Adds a state of a part.
    pub(super) fn add(
        &mut self,
        (part, index): (&PartStates, usize),
        place: DocumentPart,
        numbers: &mut PartNumbers,
        builder: &mut TraceBuilder,
    ) {
        let state = &part.states[index];
        self.places.push(place.place(state.place));
        let position = self.n_states;
        self.n_states += 1;
        let Some(shape) = state.shape else { return self.no_objects.push(position) };
        while let Some((_, rule)) = part.broken.get(numbers.n_broken).filter(|(of, _)| *of == index) {
            self.broken.push((position, *rule));
            numbers.n_broken += 1;
        }
        match &state.index {
            WrittenIndex::Number(number) if *number != position => self.indexes.push((position, number.to_string())),
            WrittenIndex::Other(text) => self.indexes.push((position, text.to_string())),
            _ => {}
        }
        self.add_values(part, shape as usize, numbers);
        self.add_head(part, state, numbers, builder);
        self.n_events += 1;
    }

    fn add_values(&mut self, part: &PartStates, shape: usize, numbers: &mut PartNumbers) {
        let keys = &part.shapes[shape];
        let known = *slot(&mut numbers.shapes, shape).get_or_insert_with(|| self.shape(part, shape));
        let event = self.n_events;
        self.shape.set(event, Field::Int(known as i64));
        for (at, key) in keys.iter().enumerate() {
            let variable = &mut self.variables[self.shapes[known][at]];
            let value = part.values[numbers.n_values + at];
            let PartValue::Known(number) = value else {
                if let PartValue::Int(value) = value {
                    variable.values.set(event, Field::Int(value));
                }
                continue;
            };
            let ids = slot(&mut numbers.values, *key as usize);
            let id = slot(ids, number as usize).get_or_insert_with(|| {
                let (expression, _) = &part.keys[*key as usize].values[number as usize];
                let id = variable.values.value(expression.field());
                if let Some(sorted) = &expression.sorted {
                    variable.sorted.entry(id).or_insert_with(|| sorted.as_str().into());
                }
                id
            });
            variable.values.set(event, Field::Known(*id));
        }
        numbers.n_values += keys.len();
    }

    /// The number of a shape of a part.
    fn shape(&mut self, part: &PartStates, shape: usize) -> usize {
        let mut variables = Vec::new();
        for key in &part.shapes[shape] {
            let name = &part.keys[*key as usize].name;
            let known = self.variable_ids.get(name).copied();
            variables.push(known.unwrap_or_else(|| {
                let values = ValueColumnBuilder::default();
                self.variables.push(StateVariable { name: name.clone(), values, sorted: HashMap::default() });
                self.variable_ids.insert(name.clone(), self.variables.len() - 1);
                self.variables.len() - 1
            }));
        }
        let variables = variables.into_boxed_slice();
        if let Some(number) = self.shape_ids.get(&variables) {
            return *number;
        }
        let number = self.shapes.len();
        self.shapes.push(variables.clone());
        self.shape_ids.insert(variables, number);
        number
    }

    fn add_head(
        &mut self,
        part: &PartStates,
        state: &PartState,
        numbers: &mut PartNumbers,
        builder: &mut TraceBuilder,
    ) {
        let event = self.n_events;
        if let Some(action) = state.action {
            self.action.set(event, Field::Text(part.actions.at(action)));
        }
        let Some(number) = state.picks.map(|number| number as usize) else { return };
        let Some(picks) = &part.picks[number].0 else { return };
        let known = *slot(&mut numbers.picks, number).get_or_insert_with(|| {
            let args: Vec<Option<&str>> = picks.iter().map(|(_, value)| Some(value.text.as_str())).collect();
            let names: Vec<Option<&str>> = picks.iter().map(|(name, _)| Some(name.as_str())).collect();
            let named = (!names.is_empty()).then(|| i64::from(builder.names(ListField::Parts(&names)).0));
            let args = i64::from(builder.list(ListField::Parts(&args)).0);
            KnownPicks { arity: picks.len() as i64, args, names: named }
        });
        self.arity.set(event, Field::Int(known.arity));
        self.args.set(event, Field::Int(known.args));
        if let Some(names) = known.names {
            self.arg_names.set(event, Field::Int(names));
        }
    }

    /// The finished columns of all events.
    pub(super) fn finish(&mut self) -> StateColumns {
        let n_events = self.n_events;
        let finish = |column: &mut ValueColumnBuilder| std::mem::take(column).finish(n_events);
        let variables = std::mem::take(&mut self.variables).into_iter();
        StateColumns {
            variables: variables
                .map(|variable| VariableColumn {
                    name: variable.name,
                    values: variable.values.finish(n_events),
                    sorted: variable.sorted,
                })
                .collect(),
            shape: finish(&mut self.shape),
            action: finish(&mut self.action),
            arity: finish(&mut self.arity),
            args: finish(&mut self.args),
            arg_names: finish(&mut self.arg_names),
        }
    }

    /// The positions of the events, in order.
    pub(super) fn positions(&self) -> impl Iterator<Item = usize> {
        let mut left_out = self.no_objects.iter().peekable();
        (0..self.n_states).filter(move |position| left_out.next_if(|other| *other == position).is_none())
    }

    /// The event of a state.
    pub(super) fn event_at(&self, position: usize) -> Option<EventId> {
        match self.no_objects.binary_search(&position) {
            Err(before) if position < self.n_states => EventId::try_from(position - before).ok(),
            _ => None,
        }
    }

    /// The line of a state.
    pub(super) fn line(&self, position: usize) -> u64 {
        self.places.at(position).map_or(0, |place| place.line)
    }
}

fn slot<T: Default>(slots: &mut Vec<T>, index: usize) -> &mut T {
    if slots.len() <= index {
        slots.resize_with(index + 1, T::default);
    }
    &mut slots[index]
}
