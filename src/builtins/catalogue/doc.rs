//! Reads the comments above the library's predicates, for help, apropos and the test that runs every example.

use super::library::FILES;
use super::modes::name_and_arity;

/// The comment above a predicate that is written in the language itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doc {
    /// The library file.
    pub(crate) file: &'static str,
    /// The head with modes and determinism: `member(?X, ?List) is nondet`.
    pub(crate) modes: &'static str,
    /// The description, in one or more paragraphs; the first sentence is a summary.
    pub(crate) text: String,
    /// Goals with their answers.
    pub(crate) examples: Vec<Example>,
}

/// A goal and its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Example {
    /// The trace on which it runs: a file of `tests/data`; none for the sample trace of Mercury.
    pub(crate) trace: Option<&'static str>,
    /// The goal, without an end dot.
    pub(crate) goal: &'static str,
    /// The answers in order (`X = 1`, `true`), or one of `false` and `error: Formal`.
    pub(crate) answers: Vec<&'static str>,
}

impl Doc {
    /// The name of the predicate.
    pub(crate) fn name(&self) -> &'static str {
        name_and_arity(self.modes).0
    }

    /// The number of its arguments.
    pub(crate) fn arity(&self) -> usize {
        name_and_arity(self.modes).1
    }

    /// The first sentence.
    pub(crate) fn summary(&self) -> &str {
        self.text.split_once(".\n").map_or(self.text.as_str(), |(first, _)| first).trim_end_matches('.')
    }
}

/// The comments of all library files, in the order of the files.
pub(crate) fn docs() -> impl Iterator<Item = Doc> {
    FILES.iter().flat_map(|file| docs_of(file.name, file.text))
}

/// Comments look like this:
///
/// ```text
/// %! last(?List, ?Last) is nondet.
/// %@ pure.
/// %
/// %  Last is the last element of List.
/// %
/// %  ?- last([a, b], X).
/// %  X = b.
/// ```
///
/// The line `%@` names the effect of the predicate, see [`super::library::Tags`]. A line `On mpd/philos_deadlock.trc:`
/// among the examples names the trace on which the examples below it run.
fn docs_of(file: &'static str, text: &'static str) -> Vec<Doc> {
    let mut docs = Vec::new();
    let mut is_inside = false;
    let mut trace = None;
    for line in text.lines() {
        if let Some(modes) = line.strip_prefix("%! ") {
            trace = None;
            docs.push(Doc { file, modes: modes.trim_end_matches('.'), text: String::new(), examples: Vec::new() });
            is_inside = true;
        } else if let (true, Some(line), Some(doc)) = (is_inside, line.strip_prefix('%'), docs.last_mut()) {
            add_line(doc, line.trim(), &mut trace);
        } else {
            is_inside = false;
        }
    }
    for doc in &mut docs {
        doc.text.truncate(doc.text.trim_end().len());
    }
    docs
}

fn add_line(doc: &mut Doc, line: &'static str, trace: &mut Option<&'static str>) {
    if line.starts_with('@') {
        // an effect, which is in the index
    } else if let Some(goal) = line.strip_prefix("?- ") {
        doc.examples.push(Example { trace: *trace, goal: goal.trim_end_matches('.'), answers: Vec::new() });
    } else if let Some(name) = line.strip_prefix("On ").and_then(|rest| rest.strip_suffix(':')) {
        *trace = Some(name);
    } else if let (Some(example), false) = (doc.examples.last_mut(), line.is_empty()) {
        example.answers.push(line.trim_start_matches("; ").trim_end_matches('.'));
    } else if !(doc.text.is_empty() && line.is_empty()) {
        doc.text.push_str(line);
        doc.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use super::*;
    use crate::builtins::catalogue::library;
    use crate::builtins::tests::sample;
    use crate::engine::{Machine, Output, Stop, Stopped, Store};
    use crate::syntax::diagnostic::Source;
    use crate::syntax::{ReadFlags, ReadTerm, read_goal};
    use crate::term::ops::OpTable;
    use crate::term::print::{self, Style};
    use crate::term::{Tree, atoms};

    #[test]
    fn every_example_of_the_library_answers_as_its_comment_says() {
        // a machine for each trace, so that examples that compare traces see no other one
        let mut machines = HashMap::new();
        let mut wrong = Vec::new();
        for doc in docs() {
            for example in &doc.examples {
                let name = example.trace.unwrap_or("queens.trace");
                let silent = || library::machine(Output::new(Box::new(std::io::sink())));
                let (machine, trace) = machines.entry(name).or_insert_with(|| (silent(), sample(name)));
                machine.world.open_trace(Arc::clone(trace));
                let (found, expected) = (found(machine, example), expected(machine, example));
                if found != expected {
                    wrong.push(format!("{}: {}\n  {found:?}, not {expected:?}", doc.file, example.goal));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_comment_has_a_summary() {
        for doc in docs() {
            assert!(!doc.summary().is_empty(), "{} has no summary", doc.modes);
            assert!(doc.modes.contains(" is "), "{} has no determinism", doc.modes);
            assert!(doc.examples.iter().all(|example| !example.answers.is_empty()), "{} has no answer", doc.modes);
        }
    }

    #[test]
    fn a_comment_is_taken_apart() {
        let text = "%! f(+X, ?Y) is det.\n%\n%  Says it.\n%  More.\n%\n%  ?- f(1, Y).\n%  Y = 1\n%  ; Y = 2.\nf(X, X).\n% no\n";
        let docs = docs_of("f.pl", text);
        let doc = &docs[0];
        assert_eq!((doc.name(), doc.arity(), doc.summary(), docs.len()), ("f", 2, "Says it", 1));
        assert_eq!(doc.examples, [Example { trace: None, goal: "f(1, Y)", answers: vec!["Y = 1", "Y = 2"] }]);
    }

    #[test]
    fn a_line_among_the_examples_names_the_trace_of_those_below_it() {
        let text = "%! f is det.\n%\n%  Says it.\n%\n%  ?- f.\n%  true.\n%  On a/b.trc:\n%  ?- g.\n%  true.\n%  ?- h.\n%  true.\nf.\n%! g is det.\n%  ?- g.\n";
        let traces: Vec<_> = docs_of("f.pl", text)
            .into_iter()
            .flat_map(|doc| doc.examples)
            .map(|example| (example.goal, example.trace))
            .collect();
        assert_eq!(traces, [("f", None), ("g", Some("a/b.trc")), ("h", Some("a/b.trc")), ("g", None)]);
    }

    /// The values of the named variables for each answer, as text, or the ball.
    type ExampleAnswers = Result<Vec<String>, String>;

    fn found(machine: &mut Machine, example: &Example) -> ExampleAnswers {
        solve(machine, example.goal, example.goal)
    }

    fn expected(machine: &mut Machine, example: &Example) -> ExampleAnswers {
        let mut all = Vec::new();
        for answer in example.answers.iter().filter(|&&answer| answer != "false") {
            match answer.strip_prefix("error: ") {
                Some(ball) => return solve(machine, &format!("throw({ball})"), ball),
                None => all.extend(solve(machine, answer, example.goal)?),
            }
        }
        Ok(all)
    }

    /// The answers of `goal`: the values of those variables that `names` has.
    fn solve(machine: &mut Machine, goal: &str, names: &str) -> ExampleAnswers {
        let variables = read(names).variables.into_iter().map(|variable| variable.0);
        let values = variables.filter(|name| !name.starts_with('_')).collect::<Vec<_>>().join(", ");
        let text = format!("Values__ = [{values}], ({goal})");
        let query = read(&text);
        let values = query.variables[0].1;
        machine.query(&query, &Source::new("example", text)).map_err(ball)?;
        let mut answers = Vec::new();
        while machine.next_answer().map_err(ball)?.is_some() {
            answers.push(written(&machine.world.store.save(machine.binding(values))));
        }
        Ok(answers)
    }

    fn read(goal: &str) -> ReadTerm {
        read_goal(goal, &OpTable::standard(), &ReadFlags::default()).expect("examples can be read")
    }

    /// The ball, of an ISO error the first argument.
    fn ball(stopped: Stopped) -> String {
        let stop = stopped.stop;
        let Stop::Throw(mut ball) = stop else { return format!("{stop:?}") };
        if let (Some((atoms::ERROR, 2)), &[formal, _]) = (ball.functor(ball.root()), ball.args(ball.root())) {
            ball.set_root(formal);
        }
        let mut store = Store::new();
        let (term, _) = store.load(&ball);
        written(&store.save(term))
    }

    /// A saved term has its variables numbered, so that variants are written alike.
    fn written(tree: &Tree) -> String {
        print::to_string(tree, tree.root(), &OpTable::standard(), &Style { quoted: true, ..Style::default() })
    }
}
