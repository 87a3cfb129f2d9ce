//! The grammar of an event line after its port: user event, procedure, goal path and contexts, in any order.

use crate::trace::DETERMINISMS;

/// A place in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PrintedPlace<'l> {
    /// `queens.m:24`
    pub(crate) text: &'l str,
    /// The line, if it is printed.
    pub(crate) line: Option<i64>,
}

/// A procedure as it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PrintedProcedure<'l> {
    /// `predicate` or `function`; none in transcripts of 1998.
    pub(crate) kind: Option<&'static str>,
    pub(crate) module: Option<&'l str>,
    pub(crate) name: &'l str,
    pub(crate) arity: i64,
    pub(crate) mode: i64,
    pub(crate) defined_in: Option<&'l str>,
    pub(crate) det: Option<&'static str>,
    /// The type of a unification or comparison.
    pub(crate) of_type: Option<&'l str>,
}

/// The parts after a port; any may be missing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LineDetails<'l> {
    pub(crate) user_event: Option<&'l str>,
    pub(crate) procedure: Option<PrintedProcedure<'l>>,
    pub(crate) path: Option<&'l str>,
    /// The place of the procedure or the goal.
    pub(crate) context: Option<PrintedPlace<'l>>,
    /// The place of the call.
    pub(crate) parent: Option<PrintedPlace<'l>>,
}

/// Procedures that the compiler generates for a type, and their arities.
const FOR_TYPES: &[(&str, i64)] = &[("__Unify__", 2), ("__Compare__", 3), ("__Index__", 2), ("__Initialise__", 1)];

/// Whether this can be an event: with a procedure, a user event, or a context whose procedure is on the next line.
pub(crate) fn is_likely(port: &str, rest: &str) -> bool {
    let parts = parse(rest);
    parts.procedure.is_some() || parts.context.is_some() || (port == "USER" && parts.user_event.is_some())
}

/// Parses the text up to a part that is not understood.
pub(crate) fn parse(text: &str) -> LineDetails<'_> {
    let mut rest = LineDetails::default();
    let mut left = text.trim_start();
    if let Some((name, after)) = left.strip_prefix('<').and_then(|inner| inner.split_once('>')) {
        rest.user_event = Some(name);
        left = after.trim_start();
    }
    loop {
        let after = part(&mut rest, left);
        match after {
            Some(after) if !after.is_empty() => left = after,
            _ => return rest,
        }
    }
}

/// Reads one part; returns the text after it.
fn part<'l>(rest: &mut LineDetails<'l>, left: &'l str) -> Option<&'l str> {
    if rest.procedure.is_none()
        && let Some((procedure, after)) = procedure(left)
    {
        rest.procedure = Some(procedure);
        return Some(after.trim_start());
    }
    let (word, after) = left.split_once(' ').unwrap_or((left, ""));
    if let Some(inside) = left.strip_prefix('(') {
        let (inner, after) = inside.split_once(')')?;
        rest.parent = Some(place(inner.strip_prefix("from ").unwrap_or(inner))?);
        return Some(after.trim_start());
    }
    if let Some(place) = place(word) {
        rest.context = Some(place);
    } else if rest.path.is_none() && is_path(word) {
        rest.path = Some(word);
    } else {
        return None;
    }
    Some(after.trim_start())
}

fn place(text: &str) -> Option<PrintedPlace<'_>> {
    let (file, line) = text.rsplit_once(':')?;
    let number = line.parse().ok().filter(|number| *number > 0);
    (!file.is_empty() && (number.is_some() || line == "NNNN")).then_some(PrintedPlace { text, line: number })
}

/// `s2-2;c3;t;`, of the steps of Mercury.
fn is_path(word: &str) -> bool {
    let is_step = |step: &str| {
        let (kind, number) = step.split_at_checked(1).unwrap_or(("", ""));
        match kind {
            "s" => number.strip_suffix("-na").unwrap_or(number).split('-').all(is_number),
            "c" | "d" | "o" => is_number(number),
            "?" | "t" | "e" | "~" | "r" | "=" | "a" => number.is_empty(),
            "q" => number.is_empty() || number == "!",
            _ => false,
        }
    };
    word.strip_suffix(';').is_some_and(|steps| steps.split(';').all(|step| is_step(step) || is_old_step(step)))
}

fn is_old_step(step: &str) -> bool {
    step == "first" || step == "later"
}

fn is_number(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A procedure at the start of a text, and the text after it.
fn procedure(text: &str) -> Option<(PrintedProcedure<'_>, &str)> {
    if let Some(found) = text.strip_prefix("pred ").and_then(|rest| named(rest, Some("predicate"))) {
        return Some(found);
    }
    if let Some(found) = text.strip_prefix("func ").and_then(|rest| named(rest, Some("function"))) {
        return Some(found);
    }
    for (name, arity) in FOR_TYPES {
        if let Some(rest) = text.strip_prefix(name).and_then(|rest| rest.strip_prefix(" for ")) {
            let (of_type, after) = named(rest, Some("predicate"))?;
            let (written, _) = rest.split_once(' ').unwrap_or((rest, ""));
            let (written, _) = written.rsplit_once('-')?;
            return Some((PrintedProcedure { name, arity: *arity, of_type: Some(written), ..of_type }, after));
        }
    }
    old(text)
}

/// `NON   queens:qdelete/3-0`, as in 1998.
fn old(text: &str) -> Option<(PrintedProcedure<'_>, &str)> {
    let (word, rest) = text.split_once(' ')?;
    let (det, _) = DETERMINISMS.iter().find(|(_, others)| others.first() == Some(&word))?;
    let rest = rest.trim_start();
    let (written, after) = rest.split_once(' ').unwrap_or((rest, ""));
    Some((PrintedProcedure { det: Some(det), ..signature(written, None)? }, after))
}

/// `queens.data/1-0 {queens} (det)`
fn named<'l>(text: &'l str, kind: Option<&'static str>) -> Option<(PrintedProcedure<'l>, &'l str)> {
    let (at, det, after) = determinism(text)?;
    let written = &text[..at];
    let braced = written.trim_end().strip_suffix('}').and_then(|inner| inner.rsplit_once(" {"));
    let (written, defined_in) = braced.map_or((written, None), |(before, module)| (before, Some(module)));
    Some((PrintedProcedure { defined_in, det: Some(det), ..signature(written.trim_end(), kind)? }, after))
}

/// Length of `cc_multidet`.
const LONGEST_DET: usize = 11;

/// The offset of the determinism in parentheses, its name, and the text after it.
fn determinism(text: &str) -> Option<(usize, &'static str, &str)> {
    text.match_indices(" (").find_map(|(at, _)| {
        let inside = &text[at + 2..];
        let end = inside.bytes().take(LONGEST_DET + 1).position(|byte| byte == b')')?;
        let (word, after) = (&inside[..end], &inside[end + 1..]);
        let is_meant = |(name, others): &&(&str, &[&str])| *name == word || others.contains(&word);
        DETERMINISMS.iter().find(is_meant).map(|(name, _)| (at, *name, after))
    })
}

/// `points.inner.-/2-0`: mode and arity follow the last marks, and the name the last dot before these.
fn signature<'l>(written: &'l str, kind: Option<&'static str>) -> Option<PrintedProcedure<'l>> {
    let (rest, mode) = written.rsplit_once('-')?;
    let (qualified, arity) = rest.rsplit_once('/')?;
    let (module, name) = match split(qualified, '.').or_else(|| split(qualified, ':')) {
        Some((module, name)) => (Some(module), name),
        None => (None, qualified),
    };
    let (arity, mode) = (arity.parse().ok()?, mode.parse().ok()?);
    (!name.is_empty()).then_some(PrintedProcedure {
        kind,
        module,
        name,
        arity,
        mode,
        defined_in: None,
        det: None,
        of_type: None,
    })
}

/// Module and name: the last mark that leaves both.
fn split(qualified: &str, mark: char) -> Option<(&str, &str)> {
    let mut marks = qualified.rmatch_indices(mark).map(|(at, _)| at);
    let at = marks.find(|at| at + 1 < qualified.len() && *at > 0)?;
    Some((&qualified[..at], &qualified[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let rest = parse(text);
        let procedure = rest.procedure.map(|one| {
            format!(
                "{:?} {:?} {} {} {} {:?}",
                one.kind.unwrap_or("-"),
                one.module.unwrap_or("-"),
                one.name,
                one.arity,
                one.mode,
                one.det
            )
        });
        let places = [rest.context, rest.parent].map(|place| place.map_or("-", |place| place.text));
        format!("{} {:?} {places:?}", procedure.unwrap_or_default(), rest.path.unwrap_or("-"))
    }

    #[test]
    fn every_setting_of_the_context_is_read() {
        let expected = "\"predicate\" \"queens\" data 1 0 Some(\"det\") \"-\" [\"queens.m:32\", \"queens.m:24\"]";
        for text in [
            " pred queens.data/1-0 (det) queens.m:32 (queens.m:24)",
            " queens.m:32 (queens.m:24) pred queens.data/1-0 (det)",
            " pred queens.data/1-0 (det) queens.m:32 (from queens.m:24)",
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
        assert_eq!(shown(" queens.m:32 (from queens.m:24)"), " \"-\" [\"queens.m:32\", \"queens.m:24\"]");
        let inside = "\"predicate\" \"a.b\" p 2 1 Some(\"cc_multidet\") \"s2-na;c4;~;\" [\"-\", \"-\"]";
        assert_eq!(shown(" pred a.b.p/2-1 (cc_multi) s2-na;c4;~;"), inside);
    }

    #[test]
    fn names_are_what_follows_the_last_mark() {
        for (written, module, name, arity) in [
            ("int.+/2-0", "int", "+", 2),
            ("points.inner.//2-0", "points.inner", "/", 2),
            ("points.inner.-/2-0", "points.inner", "-", 2),
            ("a.../2-0", "a.", ".", 2),
            ("queens:main/2-0", "queens", "main", 2),
            ("a:b:c/0-0", "a:b", "c", 0),
        ] {
            let found = signature(written, None).unwrap();
            assert_eq!((found.module, found.name, found.arity), (Some(module), name, arity), "{written}");
        }
        assert_eq!(signature("io__write/3-0", None).map(|found| found.name), Some("io__write"));
    }

    #[test]
    fn procedures_of_types_and_old_ones_are_read() {
        let found = procedure("__Unify__ for types.tree/1-0 (semidet)").unwrap().0;
        assert_eq!(
            (found.name, found.arity, found.of_type, found.det),
            ("__Unify__", 2, Some("types.tree/1"), Some("semidet"))
        );
        let found = procedure("NON   queens:qdelete/3-0 ").unwrap().0;
        assert_eq!((found.name, found.arity, found.det), ("qdelete", 3, Some("nondet")));
        assert_eq!(procedure("pred int.p/1-0 {defs} (det)").unwrap().0.defined_in, Some("defs"));
    }
}
