//! Bindings: the values of the shared variables for which a property is decided, and the rows that agree with each.
//!
//! An event that matches a list gives values to the shared variables of that list. Values from different events are
//! combined unless they differ in a variable, and the property is decided for the maximal combinations: `C = 1, D = 2`
//! if an event gives both, or one gives `C` and another `D`; `C = 1` alone if no event that agrees gives a value to
//! `D`.

use smallvec::SmallVec;

use crate::term::hash::{HashMap, HashSet};
use crate::trace::event::EventId;

/// The events that match a list, in order, with the values of its shared variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// The shared variables of the list, by number, in order.
    pub(crate) variables: Vec<usize>,
    /// The rows.
    pub(crate) rows: Vec<EventId>,
    /// For each row a code of the value of each variable; equal values have equal codes.
    pub(crate) codes: Vec<i64>,
}

/// Codes of the values of some variables.
type BindingKey = SmallVec<[i64; 2]>;

/// The distinct combinations of values in all lists that have the same variables.
#[derive(Default)]
struct CombinationTable {
    variables: Vec<usize>,
    ids: HashMap<BindingKey, u32>,
    keys: Vec<BindingKey>,
}

/// The rows of a list, sorted by the key of a table.
struct SortedRows {
    table: Option<usize>,
    /// For each key of the table the index of its first row, and the number of rows at the end.
    starts: Vec<u32>,
    rows: Vec<EventId>,
}

/// A binding: for each table its key, if the binding has values for all of its variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PropertyBinding {
    keys: SmallVec<[Option<u32>; 2]>,
    /// The bound variables, each with the code of its value.
    pub(crate) values: SmallVec<[(usize, i64); 2]>,
}

/// All bindings for which a property is decided, and all rows by binding.
pub(crate) struct Bindings {
    tables: Vec<CombinationTable>,
    logs: Vec<SortedRows>,
    /// None if the bindings are the keys of the only table.
    joined: Option<Vec<PropertyBinding>>,
}

impl Bindings {
    /// The bindings of the events of lists. `check` is called now and then and says whether this many more bytes may be
    /// allocated.
    pub(crate) fn new<E>(lists: Vec<Marks>, mut check: impl FnMut(usize) -> Result<(), E>) -> Result<Bindings, E> {
        let mut tables: Vec<CombinationTable> = Vec::new();
        let mut logs = Vec::with_capacity(lists.len());
        for marks in lists {
            check(marks.rows.len().saturating_mul(size_of::<BindingKey>() + 12))?;
            logs.push(numbered(&mut tables, marks));
        }
        let logs = logs.into_iter().map(|(table, ids, rows)| SortedRows::new(&tables, table, &ids, rows)).collect();
        let joined = match tables.as_slice() {
            [table] if !table.keys.is_empty() => None,
            _ => Some(joined(&tables, &mut check)?),
        };
        Ok(Bindings { tables, logs, joined })
    }

    /// The number of bindings; at least one, which may bind no variable.
    pub(crate) fn len(&self) -> usize {
        self.joined.as_ref().map_or_else(|| self.tables[0].keys.len(), Vec::len)
    }

    /// Whether all lists have the same variables, so that each event belongs to one binding.
    pub(crate) fn is_uniform(&self) -> bool {
        self.tables.len() <= 1 && self.logs.iter().all(|log| log.table.is_some() == (self.tables.len() == 1))
    }

    /// For each event of a list the number of its binding, if all lists have the same variables.
    pub(crate) fn numbers_of(&self, marks: &Marks) -> Vec<usize> {
        let Some(table) = self.tables.first() else { return vec![0; marks.rows.len()] };
        let keys = marks.codes.chunks_exact(marks.variables.len().max(1));
        keys.map(|codes| table.ids.get(codes).map_or(0, |id| *id as usize)).collect()
    }

    /// The binding with a number.
    pub(crate) fn binding(&self, number: usize) -> PropertyBinding {
        match &self.joined {
            Some(joined) => joined[number].clone(),
            None => {
                let table = &self.tables[0];
                let values = table.variables.iter().copied().zip(table.keys[number].iter().copied()).collect();
                PropertyBinding { keys: SmallVec::from_slice(&[Some(number as u32)]), values }
            }
        }
    }

    /// For each list the rows that agree with a binding.
    pub(crate) fn rows<'b>(&'b self, number: usize, into: &mut SmallVec<[&'b [EventId]; 6]>) {
        into.clear();
        let joined = self.joined.as_ref().map(|joined| joined[number].keys.as_slice());
        into.extend(self.logs.iter().map(|log| match (log.table, joined) {
            (None, _) => log.rows.as_slice(),
            (Some(_), None) => log.rows_of(number),
            (Some(table), Some(keys)) => keys[table].map_or(&[][..], |key| log.rows_of(key as usize)),
        }));
    }
}

impl SortedRows {
    /// Sorts rows by the numbers of their keys.
    fn new(tables: &[CombinationTable], table: Option<usize>, ids: &[u32], rows: Vec<EventId>) -> SortedRows {
        let Some(index) = table else { return SortedRows { table, starts: Vec::new(), rows } };
        let mut starts = vec![0; tables[index].keys.len() + 1];
        ids.iter().for_each(|id| starts[*id as usize + 1] += 1);
        (1..starts.len()).for_each(|place| starts[place] += starts[place - 1]);
        let mut next = starts.clone();
        let mut sorted = vec![0; rows.len()];
        for (id, row) in ids.iter().zip(rows) {
            let place = &mut next[*id as usize];
            sorted[*place as usize] = row;
            *place += 1;
        }
        SortedRows { table, starts, rows: sorted }
    }

    fn rows_of(&self, key: usize) -> &[EventId] {
        &self.rows[self.starts[key] as usize..self.starts[key + 1] as usize]
    }
}

/// Finds the table of a list and the number of the key of each row.
fn numbered(tables: &mut Vec<CombinationTable>, marks: Marks) -> (Option<usize>, Vec<u32>, Vec<EventId>) {
    let Marks { variables, rows, codes } = marks;
    if variables.is_empty() {
        return (None, Vec::new(), rows);
    }
    let index = tables.iter().position(|table| table.variables == variables).unwrap_or_else(|| {
        tables.push(CombinationTable { variables: variables.clone(), ..CombinationTable::default() });
        tables.len() - 1
    });
    let table = &mut tables[index];
    let ids = codes.chunks_exact(variables.len()).map(|codes| table.id(codes)).collect();
    (Some(index), ids, rows)
}

impl CombinationTable {
    fn id(&mut self, codes: &[i64]) -> u32 {
        let key = BindingKey::from_slice(codes);
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let id = self.keys.len() as u32;
        self.keys.push(key.clone());
        self.ids.insert(key, id);
        id
    }
}

/// Values of the same variables.
#[derive(Default)]
struct ValueFamily {
    variables: Vec<usize>,
    keys: Vec<BindingKey>,
    known: HashSet<BindingKey>,
}

impl ValueFamily {
    fn add(&mut self, key: BindingKey) {
        if self.known.insert(key.clone()) {
            self.keys.push(key);
        }
    }
}

/// How many bindings are computed between two checks of memory.
const AT_ONCE: usize = 4096;

/// All maximal combinations of keys from several tables.
fn joined<E>(
    tables: &[CombinationTable],
    check: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<Vec<PropertyBinding>, E> {
    let mut families = vec![ValueFamily::default()];
    families[0].add(BindingKey::new());
    let mut n_bindings = 0;
    for table in tables {
        let mut found: Vec<(Vec<usize>, Vec<BindingKey>)> = Vec::new();
        for family in &families {
            let common: Vec<usize> =
                family.variables.iter().copied().filter(|variable| table.variables.contains(variable)).collect();
            let mut index: HashMap<BindingKey, Vec<&BindingKey>> = HashMap::default();
            for key in &table.keys {
                index.entry(projected(&table.variables, key, &common)).or_default().push(key);
            }
            let mut variables: Vec<usize> = family.variables.iter().chain(&table.variables).copied().collect();
            variables.sort_unstable();
            variables.dedup();
            let mut keys = Vec::new();
            for key in &family.keys {
                for other in index.get(&projected(&family.variables, key, &common)).into_iter().flatten() {
                    keys.push(merged(&variables, (&family.variables, key), (&table.variables, other)));
                    n_bindings += 1;
                    if n_bindings % AT_ONCE == 0 {
                        check(n_bindings.saturating_mul(2 * size_of::<BindingKey>() + size_of::<PropertyBinding>()))?;
                    }
                }
            }
            found.push((variables, keys));
        }
        for (variables, keys) in found {
            let place = families.iter().position(|family| family.variables == variables).unwrap_or_else(|| {
                families.push(ValueFamily { variables, ..ValueFamily::default() });
                families.len() - 1
            });
            keys.into_iter().for_each(|key| families[place].add(key));
        }
    }
    remove_parts(&mut families);
    let binding = |family: &ValueFamily, key: &BindingKey| {
        let values = family.variables.iter().copied().zip(key.iter().copied()).collect();
        let id = |table: &CombinationTable| {
            let has_all = table.variables.iter().all(|variable| family.variables.contains(variable));
            has_all
                .then(|| projected(&family.variables, key, &table.variables))
                .and_then(|key| table.ids.get(&key).copied())
        };
        PropertyBinding { keys: tables.iter().map(id).collect(), values }
    };
    Ok(families.iter().flat_map(|family| family.keys.iter().map(|key| binding(family, key))).collect())
}

/// Removes the bindings that another binding extends.
fn remove_parts(families: &mut [ValueFamily]) {
    for place in 0..families.len() {
        let mut parts: HashSet<BindingKey> = HashSet::default();
        let variables = &families[place].variables;
        let is_larger = |family: &&ValueFamily| {
            family.variables.len() > variables.len() && variables.iter().all(|one| family.variables.contains(one))
        };
        for family in families.iter().filter(is_larger) {
            parts.extend(family.keys.iter().map(|key| projected(&family.variables, key, variables)));
        }
        families[place].keys.retain(|key| !parts.contains(key));
    }
}

/// The values of those variables that a key binds.
fn projected(variables: &[usize], key: &[i64], wanted: &[usize]) -> BindingKey {
    let value = |one: &usize| variables.iter().position(|other| other == one).map(|place| key[place]);
    wanted.iter().filter_map(value).collect()
}

/// The values of the variables of two keys.
fn merged(variables: &[usize], one: (&[usize], &BindingKey), other: (&[usize], &BindingKey)) -> BindingKey {
    let find = |(variables, key): (&[usize], &BindingKey), wanted: usize| {
        variables.iter().position(|variable| *variable == wanted).map(|place| key[place])
    };
    variables.iter().filter_map(|variable| find(one, *variable).or_else(|| find(other, *variable))).collect()
}
