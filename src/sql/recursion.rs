//! Rules that call themselves: from their clauses to the answers of a goal that calls one.
//!
//! Such a goal is joined with a table of the answers to its calls. The clauses of the rule are followed goal by goal until
//! they end, or until they call the rule again in the same way; `recursive_tables` makes tables of these ends.

use super::alternatives::{Alternative, Key, Value, ValueKind};
use super::compile::{Compiler, MOST_ALTERNATIVES, Refusal};
use super::recursive_tables::{column, stored};
use super::rules::Functor;
use crate::term::{Node, NodeId};

/// How a rule is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallPattern {
    pub(super) functor: Functor,
    /// The kinds of the arguments that have values.
    pub(super) kinds: Vec<Option<ValueKind>>,
    /// Whether there is a current event, if the rule needs it.
    pub(super) has_cursor: bool,
}

/// A rule whose clauses are compiled for the calls in a table.
pub(super) struct CalledRule {
    pub(super) pattern: CallPattern,
    /// The name of the table of calls.
    pub(super) calls: String,
    /// That table in a query.
    pub(super) call: String,
    /// The variables that stand for the arguments.
    pub(super) arguments: Vec<u32>,
    /// Whether it may move to other events.
    pub(super) moves: bool,
}

/// Where a clause calls its rule again.
pub(super) struct Recursion {
    /// What comes before the call.
    pub(super) rows: Alternative,
    pub(super) goal: NodeId,
    /// The goals after it, the next one last.
    pub(super) rest: Vec<NodeId>,
    /// The values that these goals need.
    pub(super) kept: Vec<(u32, Value)>,
}

/// The ends of the clauses of a rule.
#[derive(Default)]
pub(super) struct ClauseEnds {
    pub(super) answers: Vec<Alternative>,
    pub(super) recursions: Vec<Recursion>,
}

/// What an answer consists of.
pub(super) struct AnswerShape {
    /// The kinds of the arguments that had no values.
    pub(super) kinds: Vec<ValueKind>,
    pub(super) has_cursor: bool,
    /// Whether answers are taken from one call to the one that made it; otherwise every clause ends with its call.
    pub(super) goes_back: bool,
}

/// A rule with what its clauses come to.
pub(super) struct CompiledRule {
    pub(super) rule: CalledRule,
    pub(super) ends: ClauseEnds,
    pub(super) shape: AnswerShape,
}

/// A branch of a clause.
#[derive(Clone)]
struct Branch {
    rows: Alternative,
    /// The goals to follow, the next one last.
    goals: Vec<NodeId>,
    /// Other rules whose clauses it is in.
    entered: Vec<Functor>,
}

impl CallPattern {
    /// The arguments that have values: their places and kinds.
    pub(super) fn given(&self) -> Vec<(usize, ValueKind)> {
        self.kinds.iter().enumerate().filter_map(|(number, kind)| Some((number, (*kind)?))).collect()
    }
}

impl CalledRule {
    /// The variables for the arguments that have no values.
    pub(super) fn free_arguments(&self) -> impl Iterator<Item = u32> {
        self.arguments.iter().zip(&self.pattern.kinds).filter(|(_, kind)| kind.is_none()).map(|(variable, _)| *variable)
    }

    /// `above/2`
    pub(super) fn indicator(&self) -> String {
        let (name, arity) = self.pattern.functor;
        format!("{name}/{arity}")
    }
}

impl Compiler<'_> {
    /// The alternatives of a goal that calls a rule which may call itself.
    pub(super) fn call_recursive(
        &mut self,
        goal: NodeId,
        functor: Functor,
        rows: &Alternative,
        depth: usize,
    ) -> Result<Vec<Alternative>, Refusal> {
        let pattern = self.call_pattern(goal, functor, rows)?;
        if self.open_calls.contains(&pattern) {
            let why = format!(
                "`{}/{}` calls itself here beside another such call or within another goal: only linear recursion is \
                 compiled to SQL",
                functor.0, functor.1
            );
            return Err(self.refuse(goal, &why));
        }
        self.open_calls.push(pattern.clone());
        let found = self.called(goal, pattern, rows, depth);
        self.open_calls.pop();
        found
    }

    fn called(
        &mut self,
        goal: NodeId,
        pattern: CallPattern,
        rows: &Alternative,
        depth: usize,
    ) -> Result<Vec<Alternative>, Refusal> {
        let (first, rules, functor) = (self.recursive.len(), self.rules, pattern.functor);
        let clauses = rules.get(functor).unwrap_or_default();
        let (rule, made, start) = self.called_rule(goal, pattern);
        let mut ends = ClauseEnds::default();
        for (number, clause) in clauses.iter().enumerate() {
            let mut rows = start.clone();
            rows.order.push(Key::Number(number.to_string()));
            if let Some(body) = self.enter(made, clause, &mut rows)? {
                let branch = Branch { rows, goals: body.into_iter().collect(), entered: Vec::new() };
                self.follow(&rule, branch, &mut ends, depth)?;
            }
        }
        if ends.recursions.is_empty() {
            self.recursive.truncate(first);
            return self.clauses(goal, clauses, rows, depth);
        }
        let shape = self.answer_shape(goal, &rule, &mut ends)?;
        let compiled = CompiledRule { rule, ends, shape };
        self.add_tables(goal, &compiled, first, rows, depth)?;
        self.join_answers(goal, &compiled, rows.clone()).map(|rows| vec![rows])
    }

    /// How a goal calls a rule.
    fn call_pattern(&self, goal: NodeId, functor: Functor, rows: &Alternative) -> Result<CallPattern, Refusal> {
        let kind = |term: &NodeId| match (self.tree.node(*term), self.value_of_term(*term, rows)) {
            (_, Some(Value { kind: ValueKind::Float | ValueKind::List(_), .. })) => {
                Err(self.refuse(*term, "floats and lists as arguments of a recursive rule are not compiled to SQL"))
            }
            (_, Some(value)) => Ok(Some(value.kind)),
            (Node::Var(_), None) => Ok(None),
            _ => Err(self.refuse(*term, "expected an integer, an atom, a string or a variable for a recursive rule")),
        };
        let kinds = self.tree.args(goal).iter().map(kind).collect::<Result<_, _>>()?;
        let has_cursor = rows.cursor.is_some() && self.rules.needs_cursor(functor);
        Ok(CallPattern { functor, kinds, has_cursor })
    }

    /// The rule with a table of calls, a goal that calls it with variables, and a row of the table.
    fn called_rule(&mut self, goal: NodeId, pattern: CallPattern) -> (CalledRule, NodeId, Alternative) {
        self.n_recursive += 1;
        let (calls, call) = (format!("loop{}", self.n_recursive), self.table('d'));
        let (span, source) = (self.tree.span(goal), self.source(goal).clone());
        self.places.push((self.tree.len() as NodeId, source));
        let mut start = Alternative { order: vec![Key::Path(format!("{call}.path"))], ..Alternative::default() };
        start.tables.push(format!("{calls} AS {call}"));
        start.cursor = pattern.has_cursor.then(|| format!("{call}.cursor"));
        let (mut arguments, mut nodes) = (Vec::new(), Vec::new());
        for (number, kind) in pattern.kinds.iter().enumerate() {
            let variable = self.n_variables;
            self.n_variables += 1;
            nodes.push(self.tree.push(Node::Var(variable), span));
            arguments.push(variable);
            start.values.extend(kind.map(|kind| (variable, stored(&call, "a", number, kind))));
        }
        let made = match nodes.is_empty() {
            true => self.tree.push(Node::Atom(pattern.functor.0), span),
            false => self.tree.push_compound(pattern.functor.0, &nodes, span),
        };
        let moves = self.rules.needs_cursor(pattern.functor);
        (CalledRule { pattern, calls, call, arguments, moves }, made, start)
    }

    /// Follows a branch to its ends.
    fn follow(
        &mut self,
        rule: &CalledRule,
        branch: Branch,
        ends: &mut ClauseEnds,
        depth: usize,
    ) -> Result<(), Refusal> {
        let mut waiting = vec![branch];
        while let Some(mut branch) = waiting.pop() {
            let n_branches = waiting.len() + ends.answers.len() + ends.recursions.len();
            if let (true, Some(goal)) = (n_branches > MOST_ALTERNATIVES, branch.goals.last()) {
                return Err(self.refuse(*goal, "the rule has too many alternatives for SQL"));
            }
            let Some(goal) = branch.goals.pop() else {
                ends.answers.push(branch.rows);
                continue;
            };
            let functor = self.rule_functor(goal);
            let is_same = match functor {
                Some(functor) if functor == rule.pattern.functor => {
                    self.call_pattern(goal, functor, &branch.rows)? == rule.pattern
                }
                _ => false,
            };
            let calls_back =
                |functor| functor != rule.pattern.functor && self.rules.reaches(functor, rule.pattern.functor);
            match functor {
                _ if is_same => {
                    let Branch { rows, goals, .. } = branch;
                    ends.recursions.push(Recursion { rows, goal, rest: goals, kept: Vec::new() });
                }
                Some(functor) if calls_back(functor) => waiting.extend(self.within(goal, functor, branch)?),
                _ => waiting.extend(self.after(goal, branch, depth)?),
            }
        }
        Ok(())
    }

    /// The branches of the clauses of a rule that leads back to the one that is compiled.
    fn within(&mut self, goal: NodeId, functor: Functor, mut branch: Branch) -> Result<Vec<Branch>, Refusal> {
        if branch.entered.contains(&functor) {
            let why = "rules that call each other are compiled to SQL only if each is called once in a clause";
            return Err(self.refuse(goal, why));
        }
        branch.entered.push(functor);
        let (rules, mut found) = (self.rules, Vec::new());
        for (number, clause) in rules.get(functor).unwrap_or_default().iter().enumerate() {
            let mut branch = branch.clone();
            branch.rows.order.push(Key::Number(number.to_string()));
            if let Some(body) = self.enter(goal, clause, &mut branch.rows)? {
                branch.goals.extend(body);
                found.push(branch);
            }
        }
        Ok(found)
    }

    /// The branches after a goal of a clause.
    fn after(&mut self, goal: NodeId, branch: Branch, depth: usize) -> Result<Vec<Branch>, Refusal> {
        let args = self.tree.args(goal).to_vec();
        let is_condition = |left| matches!(self.functor(left), Some(("->" | "*->", 2)));
        let with = |more: &[NodeId]| {
            let mut branch = branch.clone();
            branch.goals.extend(more);
            branch
        };
        match (self.functor(goal), args.as_slice()) {
            (Some((",", 2)), &[first, rest]) => Ok(vec![with(&[rest, first])]),
            (Some((";", 2)), &[left, right]) if !is_condition(left) => {
                let mut found = vec![with(&[left]), with(&[right])];
                for (number, branch) in found.iter_mut().enumerate() {
                    branch.rows.order.push(Key::Number(number.to_string()));
                }
                Ok(found)
            }
            _ => {
                let Branch { rows, goals, entered } = branch;
                let found = self.goal(goal, vec![rows], depth + 1)?;
                let after = |rows| Branch { rows, goals: goals.clone(), entered: entered.clone() };
                Ok(found.into_iter().map(after).collect())
            }
        }
    }

    /// What answers consist of, on which all clauses must agree; each recursion keeps what it needs for them.
    fn answer_shape(&self, goal: NodeId, rule: &CalledRule, ends: &mut ClauseEnds) -> Result<AnswerShape, Refusal> {
        let refuse =
            |why: &str| self.refuse(goal, &format!("{why} of `{}`, which is not compiled to SQL", rule.indicator()));
        let Some(first) = ends.answers.first() else {
            return Err(refuse("no clause ends the recursion"));
        };
        let mut kinds = Vec::new();
        for variable in rule.free_arguments() {
            let mut of_clauses = ends.answers.iter().map(|rows| rows.value(variable).map(|value| value.kind));
            match first.value(variable).map(|value| value.kind) {
                Some(ValueKind::List(_)) | None => {
                    return Err(refuse("no value, or a list, is an argument in an answer"));
                }
                Some(kind) if of_clauses.all(|other| other == Some(kind)) => kinds.push(kind),
                Some(_) => return Err(refuse("values of different kinds are arguments in the clauses")),
            }
        }
        let has_cursor = rule.moves && first.cursor.is_some();
        if rule.moves && ends.answers.iter().any(|rows| rows.cursor.is_some() != has_cursor) {
            return Err(refuse("only some clauses move to an event in the recursion"));
        }
        let goes_back = !ends.recursions.iter().all(|recursion| self.is_last(rule, recursion));
        if goes_back {
            ends.recursions.iter_mut().try_for_each(|recursion| self.keep_values(rule, recursion))?;
        }
        Ok(AnswerShape { kinds, has_cursor, goes_back })
    }

    /// Whether a clause ends with the call, so that the answers to that are its own.
    fn is_last(&self, rule: &CalledRule, recursion: &Recursion) -> bool {
        let given = self.tree.args(recursion.goal);
        let mut arguments = given.iter().zip(&rule.arguments).zip(&rule.pattern.kinds);
        recursion.rest.is_empty()
            && arguments.all(|((term, argument), kind)| {
                let is_same = *self.tree.node(*term) == Node::Var(*argument);
                kind.is_some() || is_same && recursion.rows.value(*argument).is_none()
            })
    }

    /// Finds the values that are needed after the call.
    fn keep_values(&self, rule: &CalledRule, recursion: &mut Recursion) -> Result<(), Refusal> {
        let free = self.tree.args(recursion.goal).iter().zip(&rule.pattern.kinds).filter(|(_, kind)| kind.is_none());
        let terms = recursion.rest.iter().copied().chain(free.map(|(term, _)| *term));
        let mut variables: Vec<u32> = terms.flat_map(|term| self.variables_of(term)).collect();
        variables.extend(rule.free_arguments());
        variables.sort_unstable();
        variables.dedup();
        let value = |variable| Some((variable, recursion.rows.value(variable)?.clone()));
        recursion.kept = variables.into_iter().filter_map(value).collect();
        match recursion.kept.iter().any(|(_, value)| matches!(value.kind, ValueKind::List(_))) {
            true => Err(self.refuse(recursion.goal, "a list that is needed after this call is not compiled to SQL")),
            false => Ok(()),
        }
    }

    /// Joins a goal with the answers to the calls that it makes.
    fn join_answers(
        &mut self,
        goal: NodeId,
        CompiledRule { rule, shape, .. }: &CompiledRule,
        mut rows: Alternative,
    ) -> Result<Alternative, Refusal> {
        let answer = self.table('r');
        rows.tables.push(format!("{}_answers AS {answer}", rule.calls));
        rows.conditions.extend(shape.goes_back.then(|| format!("{answer}.at = {}", self.dialect.path(&[]))));
        for (number, value) in self.given_values(goal, rule, &rows) {
            rows.conditions.push(format!("{answer}.{} = {}", column("s", number, 0), value.sql));
        }
        if let (Some(cursor), true) = (&rows.cursor, rule.pattern.has_cursor) {
            rows.conditions.push(format!("{answer}.start_cursor = {cursor}"));
        }
        self.take_answer(goal, rule, shape, &answer, &mut rows)?;
        rows.order.push(Key::Path(format!("{answer}.path")));
        if rule.moves {
            rows.cursor = shape.has_cursor.then(|| format!("{answer}.cursor"));
        }
        Ok(rows)
    }

    /// Gives the arguments of a goal that had no values those of an answer.
    pub(super) fn take_answer(
        &self,
        goal: NodeId,
        rule: &CalledRule,
        shape: &AnswerShape,
        answer: &str,
        rows: &mut Alternative,
    ) -> Result<(), Refusal> {
        let free = self.tree.args(goal).iter().zip(&rule.pattern.kinds).filter(|(_, kind)| kind.is_none());
        for (number, ((term, _), kind)) in free.zip(&shape.kinds).enumerate() {
            self.equate(*term, stored(answer, "o", number, *kind), rows)?;
        }
        Ok(())
    }

    /// The values of the arguments that have some, by their places.
    pub(super) fn given_values(&self, goal: NodeId, rule: &CalledRule, rows: &Alternative) -> Vec<(usize, Value)> {
        let args = self.tree.args(goal);
        let given = rule.pattern.given().into_iter();
        given.filter_map(|(number, _)| Some((number, self.value_of_term(args[number], rows)?))).collect()
    }
}
