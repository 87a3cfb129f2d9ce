//! A backtrace in readable form: the goals of an error, elided in the middle.

use std::fmt;

use crate::engine::heap::Stop;

/// The backtrace of a stop, innermost first, in lines without a final line break.
///
/// Empty if it only says that the query was running.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GoalTrace {
    /// The lines, with some elided in the middle.
    pub(crate) lines: Vec<GoalLine>,
    /// `file:line:col` of the innermost goal of a script or query.
    pub(crate) place: Option<String>,
}

/// Why and where a query was stopped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stopped {
    /// What stopped it.
    pub(crate) stop: Stop,
    /// The goals that led there.
    pub(crate) goals: GoalTrace,
    /// How far it had come.
    pub(crate) progress: QueryProgress,
}

impl From<Stop> for Stopped {
    /// A stop outside the goals of the query.
    fn from(stop: Stop) -> Stopped {
        Stopped { stop, goals: GoalTrace::default(), progress: QueryProgress::default() }
    }
}

/// How far a query had come when it was stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueryProgress {
    /// The number of the event at the cursor, or of the one that the outermost search had reached.
    pub(crate) chrono: Option<i64>,
    /// Calls made, plus events examined one by one.
    pub(crate) steps: u64,
}

/// A line of a backtrace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GoalLine {
    /// A goal that was running.
    In {
        /// `Name/Arity`; `None` for the query itself.
        indicator: Option<String>,
        /// `file:line:col` of the goal in its clause that it waits for; `None` for a library predicate.
        place: Option<String>,
        /// How many nested calls of it wait there.
        times: usize,
    },
    /// This many goals are elided.
    More(usize),
}

/// Lines kept at the inner and the outer end.
const INNER_LINES: usize = 10;
const OUTER_LINES: usize = 4;

impl GoalTrace {
    /// A backtrace from whose middle `omitted` lines have already been elided.
    pub(crate) fn new(mut inner: Vec<GoalLine>, omitted: usize, mut outer: Vec<GoalLine>) -> GoalTrace {
        if omitted == 0 {
            inner.append(&mut outer);
        }
        let place = inner.iter().chain(&outer).find_map(|line| line.place()).map(str::to_string);
        let says_something = |line: &GoalLine| matches!(line, GoalLine::In { indicator: Some(_), place: Some(_), .. });
        if !inner.iter().chain(&outer).any(says_something) {
            return GoalTrace { lines: Vec::new(), place };
        }
        if omitted == 0 && inner.len() <= INNER_LINES + OUTER_LINES {
            return GoalTrace { lines: inner, place };
        }
        if omitted == 0 {
            outer = inner.split_off(inner.len() - OUTER_LINES);
        }
        let cut_inside = inner.split_off(INNER_LINES.min(inner.len()));
        let cut_outside = outer.drain(..outer.len().saturating_sub(OUTER_LINES));
        let cut: usize = cut_inside.iter().map(GoalLine::times).sum();
        inner.push(GoalLine::More(omitted + cut + cut_outside.map(|line| line.times()).sum::<usize>()));
        inner.extend(outer);
        GoalTrace { lines: inner, place }
    }
}

impl GoalLine {
    /// A library predicate.
    pub(crate) fn library(indicator: String) -> GoalLine {
        GoalLine::In { indicator: Some(indicator), place: None, times: 1 }
    }

    /// Whether this is a library predicate.
    pub(crate) fn is_library(&self) -> bool {
        matches!(self, GoalLine::In { indicator: Some(_), place: None, .. })
    }

    fn place(&self) -> Option<&str> {
        match self {
            GoalLine::In { place, .. } => place.as_deref(),
            GoalLine::More(_) => None,
        }
    }

    fn times(&self) -> usize {
        match self {
            GoalLine::In { times, .. } => *times,
            GoalLine::More(n) => *n,
        }
    }
}

/// ```text
///   in `cost/2` at bill.pl:9:14
///   in `foldl/4`
///   in `total/2` at bill.pl:5:5
///   in the goal at query:1:1
/// ```
impl fmt::Display for GoalLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GoalLine::In { indicator, place, times } = self else { return write!(f, "  ... {} more", self.times()) };
        match indicator {
            Some(indicator) => write!(f, "  in `{indicator}`")?,
            None => f.write_str("  in the goal")?,
        }
        if let Some(place) = place {
            write!(f, " at {place}")?;
        }
        if *times > 1 {
            write!(f, ", {times} times")?;
        }
        Ok(())
    }
}

impl fmt::Display for GoalTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, line) in self.lines.iter().enumerate() {
            let end = if index == 0 { "" } else { "\n" };
            write!(f, "{end}{line}")?;
        }
        Ok(())
    }
}
