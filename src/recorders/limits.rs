//! What a recording leaves out.

/// A limit that a recorder may keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// `--only PATTERN`
    Only,
    /// `--skip PATTERN`
    Skip,
    /// `--max-events N`
    MaxEvents,
    /// `--depth N`
    Depth,
    /// `--text N`
    Text,
    /// `--levels N`, which adds
    Levels,
    /// `--no-args`
    NoArgs,
    /// `--sample N`
    Sample,
    /// `--lines`, which adds
    Lines,
}

impl Limit {
    /// The option of the command line.
    pub(crate) fn option(self) -> &'static str {
        match self {
            Limit::Only => "--only",
            Limit::Skip => "--skip",
            Limit::MaxEvents => "--max-events",
            Limit::Depth => "--depth",
            Limit::Text => "--text",
            Limit::Levels => "--levels",
            Limit::NoArgs => "--no-args",
            Limit::Sample => "--sample",
            Limit::Lines => "--lines",
        }
    }
}

/// The limits of a recording.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    /// Record only procedures that match one of these.
    pub(crate) only: Vec<String>,
    /// Leave out procedures that match one of these.
    pub(crate) skip: Vec<String>,
    /// Stop recording after so many events.
    pub(crate) max_events: Option<u64>,
    /// Leave out boxes below this depth.
    pub(crate) depth: Option<u64>,
    /// The length of a value, in characters.
    pub(crate) text: Option<u64>,
    /// How many levels of objects show their attributes.
    pub(crate) levels: Option<u64>,
    /// Leave out arguments and results.
    pub(crate) no_args: bool,
    /// Record one of so many calls of each procedure.
    pub(crate) sample: Option<u64>,
    /// Record the lines that run, too.
    pub(crate) lines: bool,
}

impl Limits {
    /// The limits in force.
    pub(crate) fn given(&self) -> Vec<Limit> {
        let all = [
            (Limit::Only, !self.only.is_empty()),
            (Limit::Skip, !self.skip.is_empty()),
            (Limit::MaxEvents, self.max_events.is_some()),
            (Limit::Depth, self.depth.is_some()),
            (Limit::Text, self.text.is_some()),
            (Limit::Levels, self.levels.is_some()),
            (Limit::NoArgs, self.no_args),
            (Limit::Sample, self.sample.is_some()),
            (Limit::Lines, self.lines),
        ];
        all.into_iter().filter(|(_, is_given)| *is_given).map(|(limit, _)| limit).collect()
    }

    /// One line `key=value` for each limit, as recorders read them.
    pub(crate) fn options(&self) -> String {
        let patterns = |key: &'static str, patterns: &[String]| -> Vec<String> {
            patterns.iter().map(|pattern| format!("{key}={pattern}\n")).collect()
        };
        let numbers = [
            ("max_events", self.max_events),
            ("depth", self.depth),
            ("text", self.text),
            ("levels", self.levels),
            ("no_args", self.no_args.then_some(1)),
            ("sample", self.sample),
            ("lines", self.lines.then_some(1)),
        ];
        let numbers = numbers.into_iter().filter_map(|(key, number)| Some(format!("{key}={}\n", number?)));
        patterns("only", &self.only).into_iter().chain(patterns("skip", &self.skip)).chain(numbers).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_lines() {
        let limits = Limits {
            only: vec!["lists".into(), "queen/2".into()],
            max_events: Some(10),
            no_args: true,
            ..Limits::default()
        };
        assert_eq!(limits.options(), "only=lists\nonly=queen/2\nmax_events=10\nno_args=1\n");
        assert_eq!(limits.given(), [Limit::Only, Limit::MaxEvents, Limit::NoArgs]);
        assert_eq!(Limits::default().options(), "");
    }
}
