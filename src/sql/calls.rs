//! Goals about calls, as joins with the table of calls.

use super::alternatives::{Alternative, Value, ValueKind};
use super::compile::{Compiler, Refusal};
use super::dialect::Dialect;
use crate::term::{Node, NodeId};

/// Calls as a table with a row for each bucket that holds the tree number of a call inside them.
struct OuterCalls {
    name: &'static str,
    /// The first such number.
    first: &'static str,
    /// Which calls have any.
    condition: &'static str,
}

const ANCESTORS: OuterCalls =
    OuterCalls { name: "calls_around", first: "(tree_first + 1)", condition: " WHERE tree_first < tree_last" };
const STACK: OuterCalls = OuterCalls { name: "calls_on_stack", first: "tree_first", condition: "" };
/// The table of calls with a row for each level of buckets.
const WITHIN: &str = "calls_within";
/// Buckets of level `n` are `2^n` tree numbers wide; tree numbers have 32 bits.
const LEVELS: [u32; 8] = [4, 8, 12, 16, 20, 24, 28, 32];

impl Compiler<'_> {
    /// Adds the rows of calls for a goal, with terms for some columns.
    pub(super) fn calls(
        &mut self,
        goal: NodeId,
        columns: &[(NodeId, &str)],
        rows: &mut Alternative,
    ) -> Result<String, Refusal> {
        if !self.has_calls {
            let why = "the calls of a derived trace have no SQL unless each event is given the number of its call";
            return Err(self.refuse(goal, why));
        }
        self.calls_of("calls", columns, rows)
    }

    /// An error for a goal about calls around others, if those are not known.
    pub(super) fn check_tree(&self, goal: NodeId) -> Result<(), Refusal> {
        match self.has_tree {
            true => Ok(()),
            false => Err(self.refuse(goal, "which calls are around others in a derived trace has no SQL")),
        }
    }

    /// `parent(Call, Parent)`
    pub(super) fn parents(
        &mut self,
        goal: NodeId,
        call: NodeId,
        parent: NodeId,
        rows: &mut Alternative,
    ) -> Result<(), Refusal> {
        self.check_tree(goal)?;
        let table = self.calls_of("calls", &[(call, "call"), (parent, "parent")], rows)?;
        rows.conditions.push(format!("{table}.parent IS NOT NULL"));
        Ok(())
    }

    fn calls_of(
        &mut self,
        source: &str,
        columns: &[(NodeId, &str)],
        rows: &mut Alternative,
    ) -> Result<String, Refusal> {
        self.uses_calls = true;
        let table = self.table('c');
        rows.tables.push(format!("{source} AS {table}"));
        for (term, column) in columns {
            self.equate(*term, Value::new(format!("{table}.{column}"), ValueKind::Integer), rows)?;
        }
        rows.sort_by(format!("{table}.enter"));
        Ok(table)
    }

    /// `ancestor(Call, Ancestor)`: the tree numbers of an ancestor contain that of the call.
    pub(super) fn ancestors(
        &mut self,
        goal: NodeId,
        call: NodeId,
        ancestor: NodeId,
        rows: &mut Alternative,
    ) -> Result<(), Refusal> {
        self.check_tree(goal)?;
        let has_value = match self.tree.node(call) {
            Node::Var(variable) => rows.value(*variable).is_some(),
            _ => true,
        };
        let (inner, outer) = match (self.dialect, has_value) {
            (Dialect::Spark, false) => {
                self.with(WITHIN, || format!("SELECT *, explode({}) AS level FROM calls", levels()));
                let inner = self.calls_of(WITHIN, &[(call, "call")], rows)?;
                let outer = self.calls_in_buckets(&inner, &format!("{inner}.level"), &ANCESTORS, rows);
                (inner, outer)
            }
            _ => {
                let inner = self.calls_of("calls", &[(call, "call")], rows)?;
                let outer = self.calls_around(&inner, &ANCESTORS, rows);
                (inner, outer)
            }
        };
        rows.conditions
            .push(format!("{outer}.tree_first < {inner}.tree_first AND {inner}.tree_first <= {outer}.tree_last"));
        rows.sort_by(format!("-{outer}.tree_first"));
        self.equate(ancestor, Value::new(format!("{outer}.call"), ValueKind::Integer), rows)
    }

    /// Adds the call with a number and the calls around it; gives the table of them all.
    pub(super) fn calls_on_stack(&mut self, number: &str, rows: &mut Alternative) -> String {
        self.uses_calls = true;
        let inner = self.table('c');
        rows.tables.push(format!("calls AS {inner}"));
        rows.conditions.push(format!("{inner}.call = {number}"));
        let outer = self.calls_around(&inner, &STACK, rows);
        rows.conditions
            .push(format!("{outer}.tree_first <= {inner}.tree_first AND {inner}.tree_first <= {outer}.tree_last"));
        outer
    }

    /// Adds the calls that may be around those of a table; gives their table.
    ///
    /// DuckDB joins fast by a condition on tree numbers. Spark does so only by equal values: each outer call is in the one
    /// or two buckets that hold the numbers of all calls inside it, of the least width for which two do, and each inner
    /// call in the bucket of its number on each level. So every pair meets once; an inner call has eight rows, an outer two.
    fn calls_around(&mut self, inner: &str, outer: &OuterCalls, rows: &mut Alternative) -> String {
        match self.dialect {
            Dialect::DuckDb => {
                let table = self.table('c');
                rows.tables.push(format!("calls AS {table}"));
                table
            }
            Dialect::Spark => {
                let of_levels = self.table('l');
                rows.tables.push(format!("LATERAL explode({}) AS {of_levels}(level)", levels()));
                self.calls_in_buckets(inner, &format!("{of_levels}.level"), outer, rows)
            }
        }
    }

    fn calls_in_buckets(&mut self, inner: &str, level: &str, outer: &OuterCalls, rows: &mut Alternative) -> String {
        let OuterCalls { name, first, condition } = outer;
        self.with(name, || {
            let (last, narrower) = (LEVELS[LEVELS.len() - 1], &LEVELS[..LEVELS.len() - 1]);
            let case = |level: &u32| format!("WHEN tree_last - {first} < {} THEN {level}", 1_u64 << level);
            let level = format!("CASE {} ELSE {last} END", narrower.iter().map(case).collect::<Vec<_>>().join(" "));
            let buckets = format!("sequence(shiftright({first}, level), shiftright(tree_last, level))");
            format!("SELECT *, explode({buckets}) AS bucket FROM (SELECT *, {level} AS level FROM calls{condition})")
        });
        let table = self.table('c');
        rows.tables.push(format!("{name} AS {table}"));
        rows.conditions.push(format!("{table}.level = {level}"));
        rows.conditions.push(format!("{table}.bucket = shiftright({inner}.tree_first, {level})"));
        table
    }
}

fn levels() -> String {
    format!("array({})", LEVELS.map(|level| level.to_string()).join(", "))
}
