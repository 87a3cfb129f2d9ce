//! Messages for uncaught exceptions, and the predicates with which the library prints them.

use crate::builtins::arguments::text;
use crate::builtins::record::det;
use crate::engine::{Builtin, Cell, GoalTrace, QueryProgress, Stop, Stopped, World};
use crate::syntax::diagnostic::{Diagnostic, Source};
use crate::term::ops::OpTable;
use crate::term::print::{self, Spacing, Style};
use crate::term::{Atom, NodeId, Shape, Span, Tree, View, atoms};
use crate::trace::{TimeUnit, nearest};

/// The predicates of this family.
pub(crate) const TABLE: &[Builtin] = &[
    det(
        "$ball_message(+Ball, -Message) is det",
        "Gives what a person reads about an uncaught exception.",
        "'$ball_message'(error(type_error(integer, a), _), M)",
        "M = \"expected an integer, found `a`\"",
        ball_message,
    ),
    det("$session_warning(+Message) is det", "Warns of something that has no place in a script.", "true", "true", warn),
];

fn ball_message(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let ball = world.store.save(args[0]);
    let complaint = ball_in_words(&ball, world);
    let message = world.store.string(&complaint.message);
    Ok(world.store.unify(args[1], message))
}

fn warn(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let message = text(&world.store, args[0], "text")?.into_owned();
    world.scripts.report(Diagnostic::warning(&Source::new("papaver", ""), Span::default(), message));
    Ok(true)
}

/// The message about a goal that ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// The place of the error, as `file:line:col`, if it is known.
    pub(crate) place: Option<String>,
    /// What happened.
    pub(crate) message: String,
    /// The goals that led there.
    pub(crate) goals: GoalTrace,
}

impl Complaint {
    fn new(message: String) -> Complaint {
        Complaint { place: None, message, goals: GoalTrace::default() }
    }
}

/// Why a goal stopped, in words; none for `halt` and for a closed output, which are not errors.
pub(crate) fn describe(stopped: &Stopped, world: &World) -> Option<Complaint> {
    let Stopped { stop, goals, progress } = stopped;
    let complaint = match stop {
        Stop::Throw(ball) => ball_in_words(ball, world),
        Stop::Interrupt => Complaint::new(format!("interrupted{}", progress_in_words(*progress))),
        Stop::Limit(limit) => Complaint::new(format!("{limit}{}", progress_in_words(*progress))),
        Stop::Halt(_) | Stop::OutputClosed => return None,
    };
    let place = complaint.place.or_else(|| goals.place.clone().filter(|_| *stop != Stop::Interrupt));
    Some(Complaint { place, goals: goals.clone(), ..complaint })
}

/// `, stopped at chrono 345, 2048 steps`
fn progress_in_words(QueryProgress { chrono, steps }: QueryProgress) -> String {
    match chrono {
        Some(chrono) => format!(", stopped at chrono {chrono}, {steps} steps"),
        None => format!(", stopped after {steps} steps"),
    }
}

fn ball_in_words(ball: &Tree, world: &World) -> Complaint {
    let words = BallText { tree: ball, ops: &world.operators };
    let root = ball.root();
    let Some(&[formal, context]) = words.args_of(root, "error") else {
        return Complaint::new(format!("uncaught exception `{}`", words.text(root)));
    };
    let context = words.context(context);
    let mut message = context.message.unwrap_or_else(|| words.formal(formal));
    message.push_str(&near(&words, formal, world));
    if let Some(indicator) = context.indicator.filter(|indicator| !message.contains(&format!("`{indicator}`"))) {
        message.push_str(&format!(" (in `{indicator}`)"));
    }
    Complaint { place: context.place, ..Complaint::new(message) }
}

/// `(did you mean `fget/1`?)`, for an unknown predicate.
fn near(words: &BallText<'_>, formal: NodeId, world: &World) -> String {
    let tree = words.tree;
    let unknown = words.args_of(formal, "existence_error").filter(|args| args.len() == 2);
    let Some(&[kind, culprit]) = unknown else { return String::new() };
    let is_procedure = tree.functor(kind) == Some((Atom::new("procedure"), 0));
    let Some(&[name, arity]) = words.args_of(culprit, "/").filter(|_| is_procedure) else { return String::new() };
    let (Shape::Atom(name), Shape::Int(arity)) = (tree.shape(name), tree.shape(arity)) else { return String::new() };
    if let Some((.., hint)) = HINTS.iter().find(|(known, n, _)| name == Atom::new(known) && *n == arity) {
        return format!(" ({hint})");
    }
    let visible = || world.database.callable().filter(|(name, _)| !name.as_str().starts_with('$'));
    let near = match visible().any(|(known, _)| known == name) {
        true => Some(name.as_str()),
        false => nearest(name.as_str(), visible().map(|(name, _)| name.as_str())),
    };
    let Some(near) = near else { return String::new() };
    let arities = visible().filter(|(known, _)| known.as_str() == near).map(|(_, arity)| arity);
    match arities.min_by_key(|known| (i64::try_from(*known).unwrap_or(i64::MAX) - arity).abs()) {
        Some(arity) => format!(" (did you mean `{near}/{arity}`?)"),
        None => String::new(),
    }
}

/// Predicates of Morphine that a stored trace does not need, with advice on what to do instead.
const HINTS: &[(&str, i64, &str)] = &[
    ("run", 1, "a trace is named on the command line: `papaver FILE`; `rerun` goes back to its first event"),
    ("checklist", 2, "`maplist/2` calls a predicate with each element of a list"),
    ("read_input", 1, "`read/1` reads a term that is typed, and scripts may define `read_input/1`"),
];

/// A ball, with everything needed to write its parts.
struct BallText<'a> {
    tree: &'a Tree,
    ops: &'a OpTable,
}

/// The contents of the second argument of `error/2`.
#[derive(Default)]
struct ErrorContext {
    place: Option<String>,
    indicator: Option<String>,
    message: Option<String>,
}

/// The most subterms in a message, so that it fits on a screen.
const MOST_TERMS: usize = 60;

impl<'a> BallText<'a> {
    fn text(&self, term: NodeId) -> String {
        let style = Style { spacing: Spacing::NextArgument, max_terms: Some(MOST_TERMS), ..Style::writeq() };
        print::to_string(self.tree, term, self.ops, &style)
    }

    fn args_of(&self, term: NodeId, name: &str) -> Option<&'a [NodeId]> {
        let (functor, _) = self.tree.functor(term)?;
        (functor == Atom::new(name)).then(|| self.tree.args(term))
    }

    fn is_variable(&self, term: NodeId) -> bool {
        matches!(self.tree.shape(term), Shape::Var(_))
    }

    /// The error in words: `expected an integer, found `a``.
    fn formal(&self, formal: NodeId) -> String {
        let Some((name, _)) = self.tree.functor(formal) else { return format!("error `{}`", self.text(formal)) };
        let args = self.tree.args(formal);
        let text = |index: usize| args.get(index).map_or(String::new(), |arg| self.text(*arg));
        match (name.as_str(), args.len()) {
            ("instantiation_error", 0) => "expected a value, found an unbound variable".to_string(),
            ("uninstantiation_error", 1) => format!("expected an unbound variable, found `{}`", text(0)),
            ("type_error", 2) if text(0) == "evaluable" => self.not_evaluable(args[1]),
            ("type_error", 2) => format!("expected {}, found `{}`", self.kind(args[0]), text(1)),
            ("domain_error", 2) if text(0) == "not_less_than_zero" => {
                format!("expected a number that is not less than zero, found `{}`", text(1))
            }
            ("domain_error", 2) => format!("`{}` is outside of {}", text(1), text(0).replace('_', " ")),
            ("existence_error", 2) if text(0) == "source_sink" => format!("cannot read the script `{}`", text(1)),
            ("existence_error", 2) if text(0) == "procedure" => {
                format!("unknown predicate `{}`", self.indicator(args[1]))
            }
            ("existence_error", 2) => format!("unknown {} `{}`", text(0), text(1)),
            ("permission_error", 3) => {
                format!("no permission to {} {} `{}`", text(0), text(1).replace('_', " "), text(2))
            }
            ("representation_error", 1) => format!("`{}` cannot be represented", text(0)),
            ("evaluation_error", 1) => format!("arithmetic: {}", text(0).replace('_', " ")),
            ("resource_error", 1) => format!("not enough {}", text(0).replace('_', " ")),
            ("syntax_error", 1) => format!("syntax error: {}", self.plain(args[0])),
            _ => format!("error `{}`", self.text(formal)),
        }
    }

    /// `expected an evaluable, found `hours/1``, with what to write for a time; a text is no expression at all.
    fn not_evaluable(&self, culprit: NodeId) -> String {
        let expected = if matches!(self.tree.shape(culprit), Shape::Str(_)) { "a number" } else { "an evaluable" };
        let found = format!("expected {expected}, found `{}`", self.text(culprit));
        match self.args_of(culprit, "/") {
            Some(&[name, _]) if TimeUnit::is_meant_by(&self.plain(name)) => {
                format!("{found} (a time is `m(90)`, `s(5)`, `ms(20)`, `us(20)` or `ns(20)`)")
            }
            _ => found,
        }
    }

    /// `is/2`: the name of an operator, without the brackets that it would have as an operand.
    fn indicator(&self, indicator: NodeId) -> String {
        match self.args_of(indicator, "/") {
            Some(&[name, arity]) => format!("{}/{}", self.text(name), self.text(arity)),
            _ => self.text(indicator),
        }
    }

    /// `an integer`, `a list`, and for a type that is a predicate, ``a value of type `is_port` ``.
    fn kind(&self, kind: NodeId) -> String {
        let text = self.plain(kind);
        if text.starts_with("is_") {
            return format!("a value of type `{text}`");
        }
        let text = text.replace('_', " ");
        let article = if text.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        format!("{article} {text}")
    }

    /// The text of an atom or string without quotes.
    fn plain(&self, term: NodeId) -> String {
        match self.tree.shape(term) {
            Shape::Atom(name) => name.as_str().to_string(),
            Shape::Str(text) => text.to_string(),
            _ => self.text(term),
        }
    }

    /// `context(Indicator, Place)`, perhaps with a message as third argument, or a text that adds to the formal part.
    fn context(&self, context: NodeId) -> ErrorContext {
        if let Shape::Str(text) = self.tree.shape(context) {
            return ErrorContext { message: Some(text.to_string()), ..ErrorContext::default() };
        }
        // the machine did not throw it
        if let Some(&[message]) = self.args_of(context, atoms::MESSAGE.as_str()) {
            return ErrorContext { message: Some(self.plain(message)), ..ErrorContext::default() };
        }
        let (indicator, place, message) = match self.args_of(context, "context") {
            Some(&[indicator, place]) => (indicator, place, None),
            Some(&[indicator, place, message]) => (indicator, place, Some(self.plain(message))),
            _ => return ErrorContext::default(),
        };
        let indicator = (!self.is_variable(indicator)).then(|| self.indicator(indicator));
        let indicator = indicator.filter(|name| !name.starts_with("'$"));
        match self.tree.shape(place) {
            Shape::Var(_) => ErrorContext { indicator, message, place: None },
            Shape::Str(text) => ErrorContext { indicator, message: Some(text.to_string()), place: None },
            _ => ErrorContext { indicator, place: Some(self.plain(place)), message },
        }
    }
}
