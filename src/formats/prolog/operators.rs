//! Operators in arguments that are not standard: the texts of a trace are read with the standard ones only, so that
//! `_1#=2` becomes `#=(_1,2)`.

use std::ops::Range;

use memchr::memmem::Finder;

use super::goal::GoalArgs;
use crate::syntax::{ReadFlags, ReadTerm, read_goal};
use crate::term::Atom;
use crate::term::hash::HashMap;
use crate::term::ops::{OpKind, OpTable};
use crate::term::print::{self, Style};

/// The operators with which a tracer may have printed goals.
pub(crate) struct GoalOperators {
    table: OpTable,
    standard: OpTable,
    /// The names of those that are not standard.
    names: Vec<Finder<'static>>,
}

/// The operators that the libraries of the systems for constraints declare; where these differ, those of SWI-Prolog.
const OF_LIBRARIES: &[(u16, OpKind, &str)] = &[
    (760, OpKind::Yfx, "#<==> #<=>"),
    (750, OpKind::Xfy, "#==> #=>"),
    (750, OpKind::Yfx, "#<== #<="),
    (740, OpKind::Yfx, "#\\/"),
    (730, OpKind::Yfx, "#\\"),
    (720, OpKind::Yfx, "#/\\"),
    (710, OpKind::Fy, "#\\"),
    (700, OpKind::Xfx, "#= #\\= #< #> #=< #>= in ins in_set"),
    (700, OpKind::Xfx, "#=# #\\=# #<# #># #=<# #>=#"),
    (150, OpKind::Fx, "#"),
];

impl GoalOperators {
    /// Those that scripts declare, if any, and those of libraries that they do not declare otherwise.
    pub(crate) fn new(declared: Option<&OpTable>) -> GoalOperators {
        let standard = OpTable::standard();
        let mut table = declared.unwrap_or(&standard).clone();
        for (priority, kind, names) in OF_LIBRARIES {
            for name in names.split(' ').map(Atom::new) {
                if declared.is_none_or(|declared| !declared.is_op(name)) {
                    table.add(*priority, *kind, name);
                }
            }
        }
        let known: Vec<_> = standard.iter().collect();
        let names: Vec<_> = table.iter().filter(|op| !known.contains(op)).map(|(name, _)| name.as_str()).collect();
        // where a name of symbols stands in another, looking for it finds both
        let is_found_by = |name: &str, other: &&str| {
            name != *other && name.contains(other) && !other.bytes().any(|byte| is_word(Some(&byte)))
        };
        let names = names.iter().filter(|name| !names.iter().any(|other| is_found_by(name, other)));
        let names = names.map(|name| Finder::new(name).into_owned()).collect();
        GoalOperators { table, standard, names }
    }

    /// The arguments of a goal as texts with standard operators only: one text for those between brackets, else one for
    /// each; none if the goal reads the same with these alone, or is no term.
    pub(crate) fn standard_args(&self, goal: &str, args: &GoalArgs) -> Option<Vec<String>> {
        if !self.names.iter().any(|name| has_name(goal.as_bytes(), name)) {
            return None;
        }
        let part = |range: &Range<usize>| goal.get(range.clone()).unwrap_or_default();
        let term = match args {
            GoalArgs::None => return None,
            GoalArgs::Between(inside, _) => format!("args({})", part(inside)),
            GoalArgs::One(arg) => format!("args(({}))", part(arg)),
            GoalArgs::Two(left, right) => format!("args(({}),({}))", part(left), part(right)),
        };
        let written = self.written(&term, &self.table).filter(|written| written.len() == args.count() as usize)?;
        if self.written(&term, &self.standard).as_ref() == Some(&written) {
            return None;
        }
        Some(if matches!(args, GoalArgs::Between(..)) { vec![written.join(", ")] } else { written })
    }

    /// The arguments of a term that is read with some operators, with standard ones only.
    fn written(&self, term: &str, ops: &OpTable) -> Option<Vec<String>> {
        let read = read_goal(term, ops, &ReadFlags::default()).ok()?;
        let names = variable_names(&read);
        let style = Style { names: Some(&names), priority: Some(999), ..Style::writeq() };
        let args = read.tree.args(read.tree.root()).iter();
        Some(args.map(|arg| print::to_string(&read.tree, *arg, &self.standard, &style)).collect())
    }
}

/// The variables of a term as they are printed; each `_` is another one.
fn variable_names(read: &ReadTerm) -> HashMap<u64, String> {
    let mut names: HashMap<u64, String> =
        (0..read.n_variables).map(|number| (u64::from(number), "_".to_owned())).collect();
    names.extend(read.variables.iter().map(|(name, number, ..)| (u64::from(*number), name.clone())));
    names
}

/// Whether a name stands in a text and is not a part of a word.
fn has_name(text: &[u8], name: &Finder<'_>) -> bool {
    let needle = name.needle();
    let joins = |inside: Option<&u8>, outside: Option<&u8>| is_word(inside) && is_word(outside);
    name.find_iter(text).any(|at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        !joins(needle.first(), before) && !joins(needle.last(), text.get(at + needle.len()))
    })
}

fn is_word(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::super::goal::GoalParts;
    use super::*;

    fn args(operators: &GoalOperators, goal: &str) -> Vec<String> {
        operators.standard_args(goal, &GoalParts::of(goal).args).unwrap_or_default()
    }

    #[test]
    fn operators_of_libraries_are_written_as_calls() {
        let operators = GoalOperators::new(None);
        for (goal, expected) in [
            ("p(_1#=2, [a, _1])", &["#=(_1,2), [a,_1]"] as &[&str]),
            ("call(_12+1#>=_3#<==> #\\_4)", &["#<==>(#>=(_12+1,_3),#\\(_4))"]),
            ("p(-, [_1,_2]ins 0..3, _)", &["-, ins([_1,_2],0..3), _"]),
            ("_1=(_2 in 0..3)", &["_1", "in(_2,0..3)"]),
            ("\\+ (_1#<2, b)", &["(#<(_1,2),b)"]),
            ("p('a#b', \"#\")", &[]),
            ("p(_1#=, 2)", &[]),
            ("insert(in_1, inside, [within, '_in'])", &[]),
            ("X is 1+2", &[]),
            ("a#b", &[]),
            ("p([in, out])", &[]),
        ] {
            assert_eq!(args(&operators, goal), expected, "{goal}");
        }
    }

    #[test]
    fn operators_of_scripts_come_first() {
        let mut declared = OpTable::standard();
        declared.add(650, OpKind::Xfx, Atom::new("likes"));
        declared.add(200, OpKind::Xfx, Atom::new("#="));
        declared.add(300, OpKind::Yfx, Atom::new("+"));
        let operators = GoalOperators::new(Some(&declared));
        assert_eq!(args(&operators, "p(mary likes wine)"), ["likes(mary,wine)"]);
        assert_eq!(args(&operators, "p(1+2#=3)"), ["1+ #=(2,3)"]);
        assert_eq!(args(&operators, "p(1+2*3)"), ["(1+2)*3"]);
        assert!(args(&operators, "p(mary_likes, wine)").is_empty());
    }
}
