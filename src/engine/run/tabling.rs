//! Tabled calls (SLG): evaluation of a variant, suspension of its consumers, completion of mutually dependent tables.
//! The tables themselves are in `table`.
//!
//! A call of a variant without a table runs the clauses; every answer is added to the table, and then the clauses fail.
//! A nested call of a variant that is still incomplete does not run clauses again: its continuation (the environments
//! up to the clause of the evaluation) is copied off the stacks, and the call fails. When the clauses have no more
//! answers, each such suspension is resumed with every answer that it has not seen, until a fixpoint. Then all mutually
//! dependent tables are complete, and the leader returns its answers.

use std::rc::Rc;

use super::calls::Entered;
use super::choices::Alternative;
use super::machine::{HEADER, Machine};
use crate::engine::code::{Live, Pc, PredId};
use crate::engine::heap::{Cell, Stop, Term, VariableNumbering, error, variant};
use crate::engine::state::{
    CATCH_CODE, Definition, Failing, LEVEL_CODE, SuspendedFrame, Suspension, TABLE_CODE, TableId, TableMode, TableStep,
    Tabled, World,
};
use crate::term::{Atom, atoms};

/// What happens at the choice points of tabling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableChoice {
    /// Return the next answer of a complete table.
    Answers { table: TableId, next: u32 },
    /// The clauses of a table have no more answers.
    Evaluate { table: TableId },
    /// Resume a suspension with its next answer.
    Resume { table: TableId, suspension: u32 },
}

/// The most slots and answers of a suspension.
const MAX_TERMS: usize = (1 << 28) - 2;

impl World {
    /// Makes a predicate tabled: its calls go to tables, which its clauses fill.
    pub(crate) fn declare_tabled(&mut self, pred: PredId, modes: Vec<TableMode>) {
        self.make_way(pred);
        let owner = self.scripts.owner();
        let known = self.database.pred(pred);
        if owner.is_some() && known.script.is_some() && known.script != owner && !known.is_multifile {
            self.database.pred_mut(pred).definition = Definition::Undefined;
        }
        if owner.is_some() {
            self.database.pred_mut(pred).script = owner;
        }
        let tabled = Rc::new(Tabled { pred, modes: modes.into() });
        let number = self.tables.declare(tabled);
        self.database.clauses_mut(pred).become_tabled(number);
        self.tables.outdate();
    }
}

/// A call of a tabled predicate.
struct TabledCall {
    key: Vec<u64>,
    /// A compound of what makes up an answer: the variables of the call, then its moded arguments.
    template: Cell,
    variables: Vec<Cell>,
}

impl Machine {
    /// Runs a step whose arguments are in the registers.
    pub(super) fn table_step(&mut self, step: TableStep) -> Entered {
        match self.do_table_step(step) {
            Ok(true) => Entered::Code(self.pc),
            Ok(false) => Entered::Failure,
            Err(stop) => self.stopped(stop),
        }
    }

    /// Runs a step; returns whether execution continues at `pc`.
    fn do_table_step(&mut self, step: TableStep) -> Result<bool, Stop> {
        match step {
            TableStep::Call(number) => self.call_tabled(number as usize),
            TableStep::Clauses => self.run_table_clauses(),
            TableStep::Answer => self.add_table_answer(),
            TableStep::Replace => self.replace_table_answer(),
            TableStep::Abolish => {
                let used = |choice: &super::choices::Choice| match choice.alternative {
                    Alternative::Table(TableChoice::Answers { table, .. }) => Some(table),
                    _ => None,
                };
                let used: Vec<TableId> = self.choices.iter().filter_map(used).collect();
                self.world.tables.abolish(&used);
                self.pc = self.continuation;
                Ok(true)
            }
        }
    }

    fn call_tabled(&mut self, number: usize) -> Result<bool, Stop> {
        let declared = Rc::clone(&self.world.tables.declared[number]);
        let call = self.tabled_call(number, &declared)?;
        match self.world.tables.find(&call.key) {
            None => self.evaluate(declared, call),
            Some(id) if self.world.tables.table(id).is_some_and(|table| table.is_complete) => {
                self.first_table_answer(id, call.template)
            }
            Some(id) => self.suspend(id, call.template),
        }
    }

    fn tabled_call(&mut self, number: usize, declared: &Tabled) -> Result<TabledCall, Stop> {
        let mut key = vec![number as u64];
        let mut numbering = VariableNumbering::default();
        let mut moded = Vec::new();
        for (x, mode) in declared.modes.iter().enumerate() {
            let argument = self.x[x];
            if !matches!(mode, TableMode::Index) {
                moded.push(argument);
            } else {
                variant::encode(&self.world.store, argument, &mut key, &mut numbering)?;
            }
        }
        let variables = numbering.variables;
        let template = self.template(&variables, &moded);
        Ok(TabledCall { key, template, variables })
    }

    fn template(&mut self, variables: &[Cell], moded: &[Cell]) -> Cell {
        self.world.store.compound(atoms::NIL, &[variables, moded].concat())
    }

    /// Creates a table and runs the clauses.
    fn evaluate(&mut self, declared: Rc<Tabled>, call: TabledCall) -> Result<bool, Stop> {
        let pred = self.world.database.pred(declared.pred);
        let (name, arity) = (pred.name, pred.arity);
        let mut args = self.x[..arity].to_vec();
        let is_plain = declared.is_plain();
        let modes = Rc::clone(&declared);
        let table = self.world.tables.open(declared, call.key.into());
        self.x[0] = call.template;
        self.push_choice(Alternative::Table(TableChoice::Evaluate { table }), 1);
        self.world.desk.cursor = 0;
        let mut template = call.template;
        if !is_plain {
            let mut fresh = Vec::new();
            for (arg, mode) in args.iter_mut().zip(&modes.modes) {
                if !matches!(mode, TableMode::Index) {
                    *arg = self.world.store.new_var();
                    fresh.push(*arg);
                }
            }
            template = self.template(&call.variables, &fresh);
        }
        let goal = self.world.store.compound(name, &args);
        self.x[..3].copy_from_slice(&[Cell::small_int(table.into()), template, goal]);
        self.continuation = TABLE_CODE;
        self.pc = self.call_library("table_run_", 3);
        Ok(true)
    }

    /// Runs the clauses of a table's predicate, bypassing its tables.
    fn run_table_clauses(&mut self) -> Result<bool, Stop> {
        let table = self.integer_in(0) as TableId;
        let goal = self.world.store.deref(self.x[1]);
        let Some(pred) = self.world.tables.table(table).map(|table| table.declared.pred) else {
            return Ok(false);
        };
        if let Term::Compound(compound) = self.world.store.look(goal) {
            self.x[..compound.arity].copy_from_slice(self.world.store.args(compound));
        }
        if self.world.database.clauses(pred).is_some_and(|list| list.is_empty() && !list.dynamic) {
            return Err(self.unknown_predicate(pred));
        }
        match self.enter_clauses(pred) {
            None => Ok(false),
            Some(pc) => {
                self.pc = pc;
                Ok(true)
            }
        }
    }

    /// Adds an answer to a table and fails.
    fn add_table_answer(&mut self) -> Result<bool, Stop> {
        let table = self.integer_in(0) as TableId;
        let template = self.x[1];
        match self.world.tables.add(&self.world.store, table, template)? {
            None => Ok(false),
            Some(known) => self.join_answers(table, template, known),
        }
    }

    /// Calls the library to combine two answers by the modes of a table.
    fn join_answers(&mut self, table: TableId, template: Cell, known: usize) -> Result<bool, Stop> {
        let Some(declared) = self.world.tables.table(table).map(|table| Rc::clone(&table.declared)) else {
            return Ok(false);
        };
        let old = self.world.tables.moded_values(&mut self.world.store, table, known);
        let new = match self.world.store.look(template) {
            Term::Compound(compound) => self.world.store.args(compound)[compound.arity - declared.n_moded()..].to_vec(),
            _ => Vec::new(),
        };
        let modes: Vec<Cell> = declared.moded().map(|mode| self.mode_term(mode)).collect();
        let [modes, old, new] = [modes, old, new].map(|items| self.world.store.list(&items));
        let known = self.world.store.int(known as i64);
        self.x[2..6].copy_from_slice(&[known, modes, old, new]);
        self.pc = self.call_library("table_join_", 6);
        Ok(true)
    }

    fn mode_term(&mut self, mode: &TableMode) -> Cell {
        let name = match mode {
            TableMode::Index => "index",
            TableMode::Min => "min",
            TableMode::Max => "max",
            TableMode::First => "first",
            TableMode::Last => "last",
            TableMode::Sum => "sum",
            TableMode::Goal(goal) => return self.world.store.thaw(goal),
        };
        Cell::atom(Atom::new(name))
    }

    /// Replaces an answer and fails.
    fn replace_table_answer(&mut self) -> Result<bool, Stop> {
        let table = self.integer_in(0) as TableId;
        let known = self.integer_in(2) as usize;
        let values = self.world.store.walk_list(self.x[3]).items;
        let index = match self.world.store.look(self.x[1]) {
            Term::Compound(compound) => {
                let args = self.world.store.args(compound);
                args[..args.len().saturating_sub(values.len())].to_vec()
            }
            _ => Vec::new(),
        };
        let template = self.template(&index, &values);
        self.world.tables.supersede(&self.world.store, table, template, known).map(|()| false)
    }

    /// Returns the first answer of a complete table.
    fn first_table_answer(&mut self, table: TableId, template: Cell) -> Result<bool, Stop> {
        self.x[0] = template;
        self.push_choice(Alternative::Table(TableChoice::Answers { table, next: 0 }), 1);
        self.next_table_answer(table, 0)
    }

    /// Backtracks to a choice point of tabling, which is on top and whose state is restored.
    pub(super) fn backtrack_to_table(&mut self, choice: TableChoice) -> Result<bool, Stop> {
        match choice {
            TableChoice::Answers { table, next } => self.next_table_answer(table, next as usize),
            TableChoice::Resume { table, suspension } => self.next_resumption(table, suspension as usize),
            TableChoice::Evaluate { table } => self.end_of_clauses(table),
        }
    }

    fn next_table_answer(&mut self, id: TableId, mut next: usize) -> Result<bool, Stop> {
        let height = self.choices.len() - 1;
        let template = self.saved[self.choices[height].saved];
        let mark = self.choices[height].mark;
        loop {
            let World { tables, store, .. } = &mut self.world;
            let table = tables.table(id).filter(|table| next < table.answers.len());
            let Some(table) = table else {
                self.cut_to(height);
                return Ok(false);
            };
            let is_last = next + 1 == table.answers.len();
            if table.answers.unify(store, next, template) {
                match is_last {
                    true => self.cut_to(height),
                    false => {
                        let next = next as u32 + 1;
                        self.choices[height].alternative = Alternative::Table(TableChoice::Answers { table: id, next });
                    }
                }
                self.pc = self.continuation;
                return Ok(true);
            }
            store.check_walks()?;
            store.undo_to(mark);
            next += 1;
        }
    }

    /// Continues when the clauses of a table, or a resumed suspension, have no more answers.
    fn end_of_clauses(&mut self, id: TableId) -> Result<bool, Stop> {
        self.use_fuel()?;
        let height = self.choices.len() - 1;
        let is_leader = self.world.tables.components.last().is_some_and(|component| component.leader == id);
        if is_leader && let Some((table, suspension)) = self.world.tables.next_suspension() {
            return self.resume(table, suspension);
        }
        let template = self.saved[self.choices[height].saved];
        self.cut_to(height);
        if !is_leader {
            return self.suspend(id, template);
        }
        self.world.tables.complete();
        if self.world.tables.components.is_empty() {
            self.world.database.release_temporary_code();
        }
        self.first_table_answer(id, template)
    }

    /// Suspends a consumer of a table: copies its continuation, and fails.
    fn suspend(&mut self, id: TableId, template: Cell) -> Result<bool, Stop> {
        self.world.tables.merge_down_to(id);
        let Some(frames) = self.suspended_frames() else { return Err(self.incomplete(id)) };
        let mut terms = vec![template];
        let mut frame = self.environment;
        for suspended in &frames {
            let slots = suspended.live.terms.iter();
            terms.extend(slots.map(|&y| self.environments[frame + HEADER + y as usize]));
            frame = self.environments[frame].0 as usize;
        }
        if terms.len() > MAX_TERMS {
            return Err(error::resource_error("memory"));
        }
        let terms = self.world.store.compound(atoms::NIL, &terms);
        let terms = self.world.store.freeze(terms);
        self.world.store.check_walks()?;
        let cursor = self.world.desk.cursor;
        self.world.tables.suspend(id, Suspension { frames: frames.into(), terms, cursor });
        Ok(false)
    }

    /// The environments up to the clause of the evaluation; `None` if one between does not allow a suspension.
    fn suspended_frames(&mut self) -> Option<Vec<SuspendedFrame>> {
        let (mut pc, mut frame) = (self.continuation, self.environment);
        let mut frames = Vec::new();
        while pc != TABLE_CODE {
            let live = match pc {
                CATCH_CODE => Rc::new(Live::default()),
                LEVEL_CODE => Rc::new(Live { terms: Box::new([0]), ..Live::default() }),
                _ => self.world.database.hold_place(pc).filter(|live| !live.is_enclosed)?,
            };
            let size = self.environments[frame + 2].0 as u32;
            frames.push(SuspendedFrame { pc, size, live });
            pc = self.environments[frame + 1].0 as Pc;
            frame = self.environments[frame].0 as usize;
        }
        Some(frames)
    }

    /// `permission_error(complete, table, Name/Arity)`.
    fn incomplete(&mut self, id: TableId) -> Stop {
        let pred = self.world.tables.table(id).map_or(0, |table| table.declared.pred);
        let stop = self.world.may_not("complete", "table", pred);
        let pred = self.world.database.pred(pred);
        let message = format!(
            "the answers of tabled `{}/{}` are needed to compute themselves within \\+, a condition or a collection",
            pred.name, pred.arity
        );
        error::with_message(stop, &message)
    }

    /// Resumes a suspension with the answers that it has not seen.
    fn resume(&mut self, id: TableId, number: usize) -> Result<bool, Stop> {
        let Some(suspension) = self.world.tables.table(id).map(|table| Rc::clone(&table.suspensions[number])) else {
            return Ok(false);
        };
        let terms = self.world.store.thaw(&suspension.terms);
        let Term::Compound(compound) = self.world.store.look(terms) else { return Ok(false) };
        self.x[0] = self.world.store.arg(compound, 0);
        self.open_frames(&suspension, compound);
        self.world.desk.cursor = suspension.cursor;
        let choice = TableChoice::Resume { table: id, suspension: number as u32 };
        self.push_choice(Alternative::Table(choice), 1);
        self.next_resumption(id, number)
    }

    /// Restores the environments of a suspension; cuts in them drop only choice points of what follows the call.
    fn open_frames(&mut self, suspension: &Suspension, terms: crate::engine::heap::Compound) {
        let barrier = Cell::small_int(self.choices.len() as i64 + 1);
        let mut end = terms.arity;
        self.continuation = TABLE_CODE;
        for suspended in suspension.frames.iter().rev() {
            self.allocate(suspended.size as usize);
            let slots = self.environment + HEADER;
            self.environments[slots..slots + suspended.size as usize].fill(Cell::NIL);
            let start = end - suspended.live.terms.len();
            for (i, &y) in suspended.live.terms.iter().enumerate() {
                self.environments[slots + y as usize] = self.world.store.arg(terms, start + i);
            }
            for &y in &suspended.live.barriers {
                self.environments[slots + y as usize] = barrier;
            }
            end = start;
            self.continuation = suspended.pc;
        }
    }

    fn next_resumption(&mut self, id: TableId, number: usize) -> Result<bool, Stop> {
        let height = self.choices.len() - 1;
        let template = self.saved[self.choices[height].saved];
        let mark = self.choices[height].mark;
        loop {
            let World { tables, store, .. } = &mut self.world;
            let table = tables.table_mut(id).filter(|table| (table.taken[number] as usize) < table.answers.len());
            let Some(table) = table else {
                self.cut_to(height);
                return Ok(false);
            };
            let next = table.taken[number] as usize;
            table.taken[number] += 1;
            if table.answers.counts(next) && table.answers.unify(store, next, template) {
                self.pc = self.continuation;
                return Ok(true);
            }
            store.check_walks()?;
            store.undo_to(mark);
        }
    }

    /// Ends the evaluation of a table that an exception leaves: its whole component is abandoned, and no handler within
    /// the component catches the exception.
    pub(super) fn leave_evaluation(&mut self, id: TableId) {
        let tables = &mut self.world.tables;
        if tables.table(id).is_none_or(|table| table.is_complete) {
            return;
        }
        let leader = tables.components.iter().rev().map(|component| component.leader).find(|&leader| leader <= id);
        if leader == Some(id) {
            tables.abandon_from(id);
            tables.failing = tables.failing.filter(|failing| failing.leader != id);
        } else {
            tables.failing = leader.map(|leader| Failing { leader, height: self.choices.len() - 1 });
        }
    }
}
