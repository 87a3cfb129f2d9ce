//! The parts of a goal: its module, name and arguments, in the form of a call or with operators.

use std::ops::Range;

use super::tokens::{GoalToken, GoalTokens};
use crate::formats::lines::brackets;

/// The parts of a goal, as ranges of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GoalParts {
    pub(crate) module: Option<Range<usize>>,
    pub(crate) name: GoalName,
    pub(crate) args: GoalArgs,
}

/// The name of the procedure that is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GoalName {
    /// As it is printed, perhaps in quotes.
    Printed(Range<usize>),
    /// That of a term with a notation of its own.
    Fixed(&'static str),
}

impl Default for GoalName {
    fn default() -> GoalName {
        GoalName::Printed(0..0)
    }
}

/// The arguments of a goal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum GoalArgs {
    #[default]
    None,
    /// The text between the brackets, and the number of arguments in it.
    Between(Range<usize>, u32),
    /// That of a prefix operator.
    One(Range<usize>),
    /// Those of an infix operator.
    Two(Range<usize>, Range<usize>),
}

impl GoalArgs {
    /// The number of arguments.
    pub(crate) fn count(&self) -> u32 {
        match self {
            GoalArgs::None => 0,
            GoalArgs::Between(_, count) => *count,
            GoalArgs::One(_) => 1,
            GoalArgs::Two(..) => 2,
        }
    }
}

impl GoalParts {
    /// The parts of a goal; those of a text that is no term are what they seem to be.
    pub(crate) fn of(goal: &str) -> GoalParts {
        usual(goal).unwrap_or_else(|| GoalReader::of(goal).parts())
    }

    /// The parts of a text whose brackets and quotes are surely closed, and which surely is the goal alone; none if that
    /// takes a closer look.
    #[inline]
    pub(crate) fn of_whole(goal: &str) -> Option<GoalParts> {
        let bytes = goal.as_bytes();
        let is_plain = memchr::memchr3(b'\'', b'"', b'`', bytes).is_none() && memchr::memchr(b'?', bytes).is_none();
        if is_plain { usual(goal) } else { None }
    }
}

/// `lists:member(_12, [a, b])` and `halt`, as most goals are.
fn usual(goal: &str) -> Option<GoalParts> {
    let bytes = goal.as_bytes();
    let (mut start, mut end) = (0, name_end(bytes, 0)?);
    let mut module = None;
    if bytes.get(end) == Some(&b':') {
        (module, start) = (Some(0..end), end + 1);
        end = name_end(bytes, start)?;
    }
    let name = GoalName::Printed(start..end);
    if end == bytes.len() {
        return Some(GoalParts { module, name, args: GoalArgs::None });
    }
    let closed = bytes.get(end).filter(|byte| **byte == b'(').and_then(|_| brackets::matching(bytes, end))?;
    let inside = end + 1..closed.close;
    let is_whole = closed.close + 1 == bytes.len() && !goal[inside.clone()].trim().is_empty();
    is_whole.then_some(GoalParts { module, name, args: GoalArgs::Between(inside, closed.commas + 1) })
}

/// The end of a name of small letters that begins at `start`.
fn name_end(bytes: &[u8], start: usize) -> Option<usize> {
    bytes.get(start).filter(|first| first.is_ascii_lowercase())?;
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    Some(start + bytes[start..].iter().take_while(is_word).count())
}

/// A token of a goal; blanks are left out.
#[derive(Clone, Copy, Debug)]
struct GoalPart<'g> {
    kind: GoalToken,
    start: usize,
    text: &'g str,
}

impl GoalPart<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    fn is_name(&self) -> bool {
        matches!(self.kind, GoalToken::Name | GoalToken::Quoted | GoalToken::Symbols)
    }

    /// Whether a term may end with it.
    fn ends_term(&self) -> bool {
        !matches!(self.kind, GoalToken::Open | GoalToken::Separator | GoalToken::Symbols) || self.text == "!"
    }
}

/// Reads goals of any form.
struct GoalReader<'g> {
    parts: Vec<GoalPart<'g>>,
}

impl<'g> GoalReader<'g> {
    fn of(goal: &'g str) -> GoalReader<'g> {
        let parts = GoalTokens::of(goal).filter(|(kind, ..)| *kind != GoalToken::Blank);
        GoalReader { parts: parts.map(|(kind, start, text)| GoalPart { kind, start, text }).collect() }
    }

    fn parts(&self) -> GoalParts {
        let (mut module, mut from, mut to) = (None, 0, self.parts.len());
        loop {
            if let Some(qualifier) = self.qualifier(from, to) {
                (module, from) = (Some(qualifier), from + 2);
            } else if self.encloses(from, to, "(") {
                (from, to) = (from + 1, to - 1);
            } else {
                let (name, args) = self.call(from, to);
                return GoalParts { module, name, args };
            }
        }
    }

    /// The module of `module:goal`.
    fn qualifier(&self, from: usize, to: usize) -> Option<Range<usize>> {
        let [module, colon, goal] = self.parts.get(from..to)?.first_chunk::<3>()?;
        let is_qualified = matches!(module.kind, GoalToken::Name | GoalToken::Quoted)
            && colon.text == ":"
            && !matches!(goal.kind, GoalToken::Text | GoalToken::Other | GoalToken::Unclosed);
        is_qualified.then(|| module.start..module.end())
    }

    /// Whether the first token is this bracket and the last one closes it.
    fn encloses(&self, from: usize, to: usize, open: &str) -> bool {
        self.parts.get(from).is_some_and(|first| first.text == open)
            && to - from > 2
            && self.closing(from, to) == Some(to - 1)
    }

    /// The token that closes the bracket at `open`.
    fn closing(&self, open: usize, to: usize) -> Option<usize> {
        let mut depth = 0;
        self.parts[open..to]
            .iter()
            .position(|part| {
                depth += i64::from(part.kind == GoalToken::Open) - i64::from(part.kind == GoalToken::Close);
                depth <= 0
            })
            .map(|length| open + length)
    }

    fn call(&self, from: usize, to: usize) -> (GoalName, GoalArgs) {
        let parts = &self.parts[from..to];
        let Some(first) = parts.first() else { return (GoalName::default(), GoalArgs::None) };
        let name = GoalName::Printed(first.start..first.end());
        if parts.len() == 1 {
            return (name, GoalArgs::None);
        }
        if self.is_application(from) && self.closing(from + 1, to) == Some(to - 1) {
            return (name, self.between(from + 1, to - 1));
        }
        if let Some(bracketed) = self.bracketed(from, to) {
            return bracketed;
        }
        self.operator(from, to).unwrap_or((name, GoalArgs::One(self.range(from + 1, to))))
    }

    /// Whether a name at a token has its arguments in brackets.
    fn is_application(&self, at: usize) -> bool {
        match self.parts.get(at..at + 2) {
            Some([name, open]) => name.is_name() && open.text == "(" && open.start == name.end(),
            _ => false,
        }
    }

    /// The arguments between two brackets.
    fn between(&self, open: usize, close: usize) -> GoalArgs {
        if close == open + 1 {
            return GoalArgs::None;
        }
        let mut depth = 0;
        let commas = self.parts[open + 1..close].iter().filter(|part| {
            depth += i64::from(part.kind == GoalToken::Open) - i64::from(part.kind == GoalToken::Close);
            depth == 0 && part.text == ","
        });
        let count = u32::try_from(commas.count()).unwrap_or(u32::MAX).saturating_add(1);
        GoalArgs::Between(self.parts[open].end()..self.parts[close].start, count)
    }

    /// `[a, b|T]`, `[]`, `{a}`, `{}`
    fn bracketed(&self, from: usize, to: usize) -> Option<(GoalName, GoalArgs)> {
        let open = self.parts[from].text;
        if !matches!(open, "[" | "{") || self.closing(from, to) != Some(to - 1) {
            return None;
        }
        let inside = self.range(from + 1, to - 1);
        Some(match (open, to - from) {
            ("[", 2) => (GoalName::Fixed("[]"), GoalArgs::None),
            (_, 2) => (GoalName::Fixed("{}"), GoalArgs::None),
            ("{", _) => (GoalName::Fixed("{}"), GoalArgs::One(inside)),
            _ => (GoalName::Fixed("[|]"), GoalArgs::One(self.parts[from].start..self.parts[to - 1].end())),
        })
    }

    /// The text from a token up to another.
    fn range(&self, from: usize, to: usize) -> Range<usize> {
        match (self.parts.get(from), self.parts.get(to.wrapping_sub(1))) {
            (Some(first), Some(last)) if from < to => first.start..last.end(),
            _ => 0..0,
        }
    }

    /// The operator that binds least, and its arguments.
    fn operator(&self, from: usize, to: usize) -> Option<(GoalName, GoalArgs)> {
        let first = self.parts[from];
        let own = if self.is_prefix(from, to) { OWN_PRIORITY } else { 0 };
        let prefix = PREFIX.iter().find(|(name, _)| *name == first.text).map_or(own, |(_, priority)| *priority);
        let infix = self.loosest(from, to);
        let name = |part: &GoalPart<'_>| GoalName::Printed(part.start..part.end());
        match infix {
            Some((at, priority)) if priority > prefix => {
                Some((name(&self.parts[at]), GoalArgs::Two(self.range(from, at), self.range(at + 1, to))))
            }
            _ if prefix > 0 => Some((name(&first), GoalArgs::One(self.range(from + 1, to)))),
            _ => None,
        }
    }

    /// Whether a name is followed by a term, as a prefix operator of the program is.
    fn is_prefix(&self, at: usize, to: usize) -> bool {
        if to < at + 3 || self.parts[at].kind != GoalToken::Name || self.is_application(at) {
            return false;
        }
        let begins_term =
            !matches!(self.parts[at + 1].kind, GoalToken::Symbols | GoalToken::Close | GoalToken::Separator);
        begins_term && self.infix(at + 1).is_none()
    }

    /// The infix operator that binds least, outside brackets, and its priority.
    fn loosest(&self, from: usize, to: usize) -> Option<(usize, u32)> {
        let (mut depth, mut best) = (0, None);
        for at in from..to {
            let part = &self.parts[at];
            depth += i64::from(part.kind == GoalToken::Open) - i64::from(part.kind == GoalToken::Close);
            if depth != 0 || at == from || at + 1 == to || !self.parts[at - 1].ends_term() {
                continue;
            }
            let Some(operator) = self.infix(at) else { continue };
            let is_looser = |(_, priority): (usize, u32)| match operator.takes_itself_right {
                true => operator.priority > priority,
                false => operator.priority >= priority,
            };
            if best.is_none_or(is_looser) {
                best = Some((at, operator.priority));
            }
        }
        best
    }

    /// The infix operator at a token that follows a term. Names that are no standard operators count as the program's own.
    fn infix(&self, at: usize) -> Option<InfixOperator> {
        let part = &self.parts[at];
        if let Some(known) = INFIX.iter().find(|(names, ..)| names.contains(&part.text)) {
            return Some(InfixOperator { priority: known.1, takes_itself_right: known.2 });
        }
        let next = &self.parts[at + 1];
        let goes_on = next.kind != GoalToken::Close && !INFIX.iter().any(|(names, ..)| names.contains(&next.text));
        let may_be_own = match part.kind {
            GoalToken::Symbols => true,
            // not the argument of a prefix operator
            GoalToken::Name => goes_on && !self.is_application(at),
            _ => false,
        };
        may_be_own.then_some(InfixOperator { priority: OWN_PRIORITY, takes_itself_right: false })
    }
}

/// How an infix operator binds.
#[derive(Clone, Copy)]
struct InfixOperator {
    priority: u32,
    /// Whether its right argument may have the same priority.
    takes_itself_right: bool,
}

/// The priority that operators of the program are assumed to have.
const OWN_PRIORITY: u32 = 699;

/// Infix operators of the systems: names, priority, and whether the right argument may have that priority too.
const INFIX: &[(&[&str], u32, bool)] = &[
    (&[":-", "-->", "=>"], 1200, false),
    (&[";", "|"], 1100, true),
    (&["->", "*->"], 1050, true),
    (&[","], 1000, true),
    (&[":="], 990, false),
    (
        &[
            "=", "\\=", "==", "\\==", "@<", "@>", "@=<", "@>=", "is", "=:=", "=\\=", "<", ">", "=<", ">=", "=..",
            "=@=", "\\=@=", "as", "in", "ins", "#=", "#\\=", "#<", "#>", "#=<", "#>=", ">:<", ":<",
        ],
        700,
        false,
    ),
    (&[":"], 600, true),
    (&["+", "-", "/\\", "\\/", "xor"], 500, false),
    (&["*", "/", "//", "rem", "mod", "div", "rdiv", "divmod", "<<", ">>"], 400, false),
    (&["**"], 200, false),
    (&["^"], 200, true),
];

/// Prefix operators of the systems, and their priorities.
const PREFIX: &[(&str, u32)] = &[
    ("?-", 1200),
    (":-", 1200),
    ("dynamic", 1150),
    ("discontiguous", 1150),
    ("initialization", 1150),
    ("multifile", 1150),
    ("table", 1150),
    ("\\+", 900),
    ("+", 200),
    ("-", 200),
    ("\\", 200),
    ("?", 500),
    ("$", 1),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// `module:name(arg; arg)`, with `/n` where the arguments are one text.
    fn shown(goal: &str) -> String {
        let parts = GoalParts::of(goal);
        let text = |range: &Range<usize>| goal[range.clone()].to_owned();
        let module = parts.module.as_ref().map_or(String::new(), |module| text(module) + ":");
        let name = match &parts.name {
            GoalName::Printed(range) => text(range),
            GoalName::Fixed(name) => (*name).to_owned(),
        };
        let args = match &parts.args {
            GoalArgs::None => String::new(),
            GoalArgs::Between(range, count) => format!("({})/{count}", text(range)),
            GoalArgs::One(range) => format!("({})", text(range)),
            GoalArgs::Two(left, right) => format!("({}; {})", text(left), text(right)),
        };
        module + &name + &args
    }

    #[test]
    fn goals_in_the_form_of_a_call() {
        for (goal, expected) in [
            ("halt", "halt"),
            ("errors:main", "errors:main"),
            ("p(a, [b, c], 'x)')", "p(a, [b, c], 'x)')/3"),
            ("lists:member(_1, [a])", "lists:member(_1, [a])/2"),
            ("'my mod':'a b'(1)", "'my mod':'a b'(1)/1"),
            ("a:b:c(1)", "b:c(1)/1"),
            ("'it\\'s'", "'it\\'s'"),
            ("=(a, b)", "=(a, b)/2"),
            ("été(1)", "été(1)/1"),
            ("p()", "p"),
            ("_12", "_12"),
            ("", ""),
        ] {
            assert_eq!(shown(goal), expected);
        }
    }

    #[test]
    fn goals_with_operators() {
        for (goal, expected) in [
            ("_8992 is 6/3", "is(_8992; 6/3)"),
            ("1+2=:=5", "=:=(1+2; 5)"),
            ("a= \\+b", "=(a; \\+b)"),
            ("\\+1=1", "\\+(1=1)"),
            ("\\+ \\+p(2)", "\\+(\\+p(2))"),
            ("\\+ (a, b)", "\\+((a, b))"),
            ("\\+a, b", ",(\\+a; b)"),
            ("a, b, c", ",(a; b, c)"),
            ("(a->b;c)", ";(a->b; c)"),
            ("errors:(2=none(_1))", "errors:=(2; none(_1))"),
            ("1-2-3", "-(1-2; 3)"),
            ("- 1 =:= X", "=:=(- 1; X)"),
            ("X = - 1", "=(X; - 1)"),
            ("mary likes wine", "likes(mary; wine)"),
            ("f(X) ==> a+b", "==>(f(X); a+b)"),
            ("a ~> b+c", "~>(a; b+c)"),
            ("dynamic p/1", "dynamic(p/1)"),
            ("spy p", "spy(p)"),
            ("spy p/1", "spy(p/1)"),
            ("!, a", ",(!; a)"),
            ("_1:foo", ":(_1; foo)"),
        ] {
            assert_eq!(shown(goal), expected);
        }
    }

    #[test]
    fn goals_in_brackets() {
        for (goal, expected) in [
            ("[user]", "[|]([user])"),
            ("[]", "[]"),
            ("{a, b}", "{}(a, b)"),
            ("{}", "{}"),
            ("[a]=[_|_]", "=([a]; [_|_])"),
        ] {
            assert_eq!(shown(goal), expected);
        }
    }

    #[test]
    fn texts_that_are_no_terms_have_some_name() {
        for (goal, expected) in [
            ("p([1, 2", "p(([1, 2)"),
            ("p)", "p())"),
            ("'p(1)", "'p(1)"),
            (")", ")"),
            ("((", "((()"),
            ("=", "="),
            ("a =", "a(=)"),
        ] {
            assert_eq!(shown(goal), expected);
        }
    }
}
