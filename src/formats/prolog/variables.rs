//! Comparing goals whose variables may have other names or values: variants and instances.

use super::tokens::{GoalToken, GoalTokens, is_word};

/// The text with each variable replaced by its number of first appearance: equal for variants, and only for them.
pub(crate) fn canonical(goal: &str) -> String {
    let (mut text, mut names) = (String::with_capacity(goal.len()), VariableNames::default());
    for (kind, _, token) in GoalTokens::of(goal) {
        match kind {
            GoalToken::Variable => {
                text.push(MARK);
                text.push_str(&names.number(token).to_string());
            }
            _ => text.push_str(token),
        }
    }
    text
}

/// Begins a numbered variable in a canonical text.
const MARK: char = '\u{1}';

#[derive(Default)]
struct VariableNames<'g>(crate::term::hash::HashMap<&'g str, usize>);

impl<'g> VariableNames<'g> {
    fn number(&mut self, name: &'g str) -> usize {
        let next = self.0.len();
        *self.0.entry(name).or_insert(next)
    }
}

/// The goals of calls, prepared for the question whether other goals are their instances.
#[derive(Default)]
pub(crate) struct InstanceTest {
    call: String,
    goal: String,
}

/// Stands for a variable in the prepared text of a call.
const ANY: char = '\u{0}';

impl InstanceTest {
    /// Whether `goal` is an instance of `call`: each variable of the call stands for any text, and what follows the bar of
    /// an open list for any elements.
    pub(crate) fn is_instance(&mut self, goal: &str, call: &str) -> bool {
        if goal == call || differs_in_variable(goal, call) {
            return true;
        }
        general(call, &mut self.call);
        self.goal.clear();
        packed(goal, &mut self.goal);
        is_match(&self.call, &self.goal)
    }
}

/// Whether the texts are the same but for one variable of the call, as those of most exits are.
fn differs_in_variable(goal: &str, call: &str) -> bool {
    let (goal, call) = (goal.as_bytes(), call.as_bytes());
    let same = goal.iter().zip(call).take_while(|(goal, call)| goal == call).count();
    let start = same - call[..same].iter().rev().take_while(|byte| is_word(**byte)).count();
    let has_quotes = memchr::memchr3(b'\'', b'"', b'`', &call[..start]).is_some();
    if has_quotes || !call.get(start).is_some_and(|first| first.is_ascii_uppercase() || *first == b'_') {
        return false;
    }
    let length = call[start..].iter().take_while(|byte| is_word(**byte)).count();
    goal[start..].ends_with(&call[start + length..])
}

/// The text of a call without blanks, with [`ANY`] for its variables.
fn general(call: &str, text: &mut String) {
    text.clear();
    let mut bar = false;
    for (kind, _, token) in GoalTokens::of(call).filter(|(kind, ..)| *kind != GoalToken::Blank) {
        if bar && kind != GoalToken::Variable {
            text.push('|');
        }
        bar = token == "|";
        match kind {
            GoalToken::Variable => text.push(ANY),
            _ if bar => {}
            _ => text.push_str(token),
        }
    }
    text.extend(bar.then_some('|'));
}

/// Appends a text without the blanks outside its quotes.
pub(crate) fn packed(goal: &str, text: &mut String) {
    let tokens = GoalTokens::of(goal).filter(|(kind, ..)| *kind != GoalToken::Blank);
    tokens.for_each(|(_, _, token)| text.push_str(token));
}

/// Whether a text is the pattern with some text for each [`ANY`].
fn is_match(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split(ANY);
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = memchr::memmem::find(rest.as_bytes(), part.as_bytes()) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_differ_in_the_names_of_variables_only() {
        for (one, other, expected) in [
            ("p(_1, _2, _1)", "p(_7, _8, _7)", true),
            ("p(_1, _2)", "p(_7, _7)", false),
            ("p(_1, _1)", "p(_7, _8)", false),
            ("p(_1, 'A')", "p(_2, 'B')", false),
            ("p(\"_1\")", "p(\"_2\")", false),
        ] {
            assert_eq!(canonical(one) == canonical(other), expected, "{one} and {other}");
        }
    }

    #[test]
    fn an_instance_has_values_for_variables() {
        let mut test = InstanceTest::default();
        for (call, goal, expected) in [
            ("p(a, _1)", "p(a, f(x))", true),
            ("p(a, _1)", "p(b, 1)", false),
            ("p(_1)", "q(1)", false),
            ("_1 is 6/3", "2 is 6/3", true),
            ("_1=_2", "a= \\+b", true),
            ("sum([1|_1], _2)", "sum([1], 1)", true),
            ("sum([1|_1], _2)", "sum([1, 2|_5], _6)", true),
            ("p([a|b])", "p([a|b])", true),
            ("p([a|b])", "p([ab])", false),
            ("p('_1')", "p(2)", false),
            ("p(_1, 'a b')", "p(1, 'ab')", false),
            ("p(_1,'a b')", "p(1, 'a b')", true),
            ("p(_1)", "p", false),
            ("halt", "halt", true),
            ("p(_10, _11)", "p(_15, _11)", true),
            ("p(1, _101)", "p(1, 1)", true),
            ("p('_10')", "p('_11')", false),
            ("p(_10, a)", "p(1, b)", false),
            ("p(a_1)", "p(a_2)", false),
            ("f(_1)", "f)", false),
        ] {
            assert_eq!(test.is_instance(goal, call), expected, "{goal} of {call}");
        }
    }
}
