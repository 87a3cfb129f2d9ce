//! Properties of a trace that goes on with one of its events after the last one, for ever: they are decided on so many
//! rounds of the loop that what has not come by then never comes.

use super::{Claim, Decision, DistanceRange, Growth, Measure, Property, Slice, Violation, ViolationKind};
use crate::trace::event::EventId;

/// The rows of an infinite trace: the first ones are those of the events, then the loop comes again and again.
#[derive(Clone, Copy)]
struct LassoRows {
    n_events: EventId,
    /// The event with which the trace goes on.
    again: EventId,
}

impl Property {
    /// As [`decide`](Property::decide), for a trace that goes on with the event `again`.
    pub(super) fn decide_lasso(&self, slice: &Slice<'_>, again: EventId) -> Decision {
        let rows = LassoRows { n_events: slice.n_events, again };
        let n_late = self.n_late();
        let Rounds { n_rounds, claim, range } = self.rounds(rows, slice.measure);
        let property = Property { claim, ..self.clone() };
        let lists: Vec<Vec<EventId>> = slice.lists.iter().map(|list| rows.unrolled(list, n_rounds)).collect();
        let lists: Vec<&[EventId]> = lists.iter().map(Vec::as_slice).collect();
        let value = |row: EventId| slice.measure.and_then(|measure| rows.value(row, measure));
        let measure = slice.measure.map(|measure| Measure { value: &value, range, ..*measure });
        let n_events = rows.below(n_rounds);
        let unrolled = Slice { lists: &lists, n_events, again: None, measure: measure.as_ref(), ..*slice };
        match property.decide(&unrolled) {
            Decision::Violated(violation) if rows.is_cut_off(&violation, n_late) => Decision::Holds,
            Decision::Violated(violation) => Decision::Violated(rows.in_trace(violation)),
            other => other,
        }
    }

    /// The bytes that deciding the property on a slice takes for a trace that goes on for ever.
    pub(crate) fn lasso_bytes(&self, slice: &Slice<'_>) -> usize {
        let Some(again) = slice.again else { return 0 };
        let Rounds { n_rounds, .. } = self.rounds(LassoRows { n_events: slice.n_events, again }, slice.measure);
        let n_rows: usize = slice.lists.iter().map(|list| list.len()).sum();
        n_rows.saturating_mul(usize::try_from(n_rounds).unwrap_or(usize::MAX)).saturating_mul(size_of::<EventId>())
    }

    /// The rounds by which an event that opens or closes a stretch may come later.
    fn n_late(&self) -> u64 {
        self.opens.iter().chain(&self.closes).count() as u64
    }

    /// How many rounds are needed, and what is claimed of them. Each event of a chain may come a round later too.
    fn rounds(&self, rows: LassoRows, measure: Option<&Measure<'_>>) -> Rounds {
        let n_rounds = self.n_late() + (self.needed.len() + self.subject.len()) as u64 + 1;
        let range = measure.map(|measure| measure.range).unwrap_or_default();
        let rising = measure.filter(|measure| measure.growth == Growth::Rising);
        let rounds = match rising {
            Some(_) => rows.apart(self.claim, range, n_rounds),
            None => Rounds { n_rounds, claim: self.claim, range },
        };
        match self.claim {
            Claim::Count { least, most } => rows.counted(least, most, rounds, rising.map_or(0, |_| range.n_integers())),
            _ => rounds,
        }
    }
}

/// On how many rounds a property is decided, with which claim and which distances.
struct Rounds {
    n_rounds: u64,
    claim: Claim,
    range: DistanceRange,
}

impl LassoRows {
    fn length(self) -> EventId {
        self.n_events - self.again
    }

    /// The row after the last one of so many rounds after the events.
    fn below(self, n_rounds: u64) -> EventId {
        let below = u64::from(self.length()).saturating_mul(n_rounds).saturating_add(u64::from(self.n_events));
        EventId::try_from(below).unwrap_or(EventId::MAX)
    }

    /// A claim about numbers, and the rounds in which they are reached. A stretch that ends has fewer subjects than the
    /// rounds that the claim needs have rows, and distances with an end allow at most `n_allowed` subjects, so that greater
    /// numbers are only reached in a stretch and at distances that do not end.
    fn counted(self, least: u64, most: Option<u64>, rounds: Rounds, n_allowed: u64) -> Rounds {
        let greatest = u64::from(self.below(rounds.n_rounds)).max(n_allowed);
        let (least, most) = (least.min(greatest + 1), most.map(|most| most.min(greatest)));
        let n_rounds = rounds.n_rounds + least.max(most.map_or(0, |most| most + 1));
        Rounds { n_rounds, claim: Claim::Count { least, most }, ..rounds }
    }

    /// Distances between numbers of events, and the rounds in which events that far apart come. The loop repeats itself, so
    /// that a least distance beyond the rounds that the claim needs may be shorter by whole rounds. What comes before a
    /// subject and again in the loop is never farther away than these rounds and the least distance, so that greater
    /// distances are only reached if it does not come again.
    fn apart(self, claim: Claim, range: DistanceRange, n_rounds: u64) -> Rounds {
        let of_round = Measure::of_integer(i64::from(self.length())).max(1);
        let reach = Measure::of_integer(i64::from(self.below(n_rounds)));
        let shorter = (range.least - reach).max(0) / of_round * of_round;
        let least = range.least - shorter;
        let (most, farthest) = match claim {
            _ if range.most == i128::MAX => (i128::MAX, least + of_round - 1),
            Claim::Precedes => {
                let most = (range.most - shorter).min(least + reach);
                (most, most + of_round)
            }
            _ => (range.most - shorter, least + of_round - 1),
        };
        let n_more = u64::try_from(farthest / of_round).unwrap_or(u64::MAX);
        Rounds { n_rounds: n_rounds + n_more, claim, range: DistanceRange { least, most } }
    }

    /// The rows of a list, round by round.
    fn unrolled(self, list: &[EventId], n_rounds: u64) -> Vec<EventId> {
        let below = self.below(n_rounds);
        let in_loop = &list[list.partition_point(|row| *row < self.again)..];
        let rounds = (0..n_rounds).map_while(|round| self.below(round).checked_sub(self.again));
        let later = rounds.flat_map(|start| in_loop.iter().map(move |row| row.saturating_add(start)));
        list.iter().copied().chain(later.take_while(|row| *row < below)).collect()
    }

    /// The row of the event that stands at a row.
    fn event(self, row: EventId) -> EventId {
        match row.checked_sub(self.n_events) {
            Some(after) => self.again + after % self.length(),
            None => row,
        }
    }

    /// The value by which distances are measured: numbers of events rise for ever, all others come again.
    fn value(self, row: EventId, measure: &Measure<'_>) -> Option<i128> {
        let event = self.event(row);
        let value = (measure.value)(event)?;
        match measure.growth {
            Growth::Rising => Some(value + Measure::of_integer(i64::from(row - event))),
            Growth::Any => Some(value),
        }
    }

    /// Whether something is missed only because the rounds end: its like in an earlier round does not miss it.
    fn is_cut_off(self, violation: &Violation, n_late: u64) -> bool {
        let waits = matches!(
            violation.fault,
            ViolationKind::TooFew(_) | ViolationKind::Unanswered | ViolationKind::AnsweredOutside
        );
        let start = violation.events.first().or(violation.opening.as_ref()).copied().unwrap_or(0);
        waits && violation.closing.is_none() && start >= self.below(n_late)
    }

    /// A violation by events of the trace.
    fn in_trace(self, violation: Violation) -> Violation {
        let Violation { fault, opening, closing, events, outside } = violation;
        let event = |row: EventId| self.event(row);
        let outside = outside.filter(|outside| events.iter().chain([outside]).all(|row| *row < self.n_events));
        let mut in_trace: Vec<EventId> = events.into_iter().map(event).collect();
        in_trace.dedup();
        Violation { fault, opening: opening.map(event), closing: closing.map(event), events: in_trace, outside }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::property::{Scope, TraceEnd};

    /// Whether a property holds on a trace of letters that goes on with the letter after `|`; a list is a set of letters.
    fn holds(letters: &str, claim: Claim, [needed, subject]: [&[&str]; 2], scope: (Scope, &str, &str)) -> bool {
        holds_within(letters, claim, [needed, subject], scope, None)
    }

    fn holds_within(
        letters: &str,
        claim: Claim,
        [needed, subject]: [&[&str]; 2],
        (scope, opens, closes): (Scope, &str, &str),
        range: Option<(i64, i64)>,
    ) -> bool {
        let again = letters.find('|').map(|at| at as EventId);
        let letters = letters.replace('|', "");
        let rows = |set: &&str| -> Vec<EventId> {
            (0..).zip(letters.chars()).filter(|(_, letter)| set.contains(*letter)).map(|(row, _)| row).collect()
        };
        let sets = needed.iter().chain(subject).chain(Some(&opens)).chain(Some(&closes));
        let lists: Vec<Vec<EventId>> = sets.map(rows).collect();
        let lists: Vec<&[EventId]> = lists.iter().map(Vec::as_slice).collect();
        let (n_needed, n_lists) = (needed.len(), needed.len() + subject.len());
        let property = Property {
            claim,
            scope,
            needed: 0..n_needed,
            subject: n_needed..n_lists,
            opens: (!opens.is_empty()).then_some(n_lists),
            closes: (!closes.is_empty()).then_some(n_lists + 1),
        };
        let value = |row: EventId| Some(Measure::of_integer(i64::from(row)));
        let measure = range.map(|(least, most)| {
            let range = DistanceRange { least: Measure::of_integer(least), most: Measure::of_integer(most) };
            Measure { value: &value, range, growth: Growth::Rising }
        });
        let n_events = letters.len() as EventId;
        let end = TraceEnd::Complete;
        let slice = Slice { lists: &lists, n_events, again, end, from: 0, measure: measure.as_ref() };
        !matches!(property.decide(&slice), Decision::Violated(_))
    }

    const GLOBALLY: (Scope, &str, &str) = (Scope::Globally, "", "");

    const AT_LEAST_ONE: Claim = Claim::Count { least: 1, most: None };

    fn exactly(n: u64) -> Claim {
        Claim::Count { least: n, most: Some(n) }
    }

    #[test]
    fn what_comes_in_the_loop_comes_again_after_the_last_event() {
        let responds = |letters| holds(letters, Claim::Responds, [&["s"], &["p"]], GLOBALLY);
        assert!(!responds("asbp"));
        assert!(responds("a|sbp"));
        assert!(responds("|sp"));
        assert!(!responds("asb|p"));
        assert!(!responds("sp|b"));
        let chain = |letters| holds(letters, Claim::Responds, [&["s", "t"], &["p", "q"]], GLOBALLY);
        assert!(chain("|tsqp"));
        assert!(!chain("s|tqp"));
    }

    #[test]
    fn what_the_loop_has_is_there_more_often_than_any_number() {
        let counted = |letters, least, most| holds(letters, Claim::Count { least, most }, [&[], &["p"]], GLOBALLY);
        assert!(counted("p|a", 1, Some(1)));
        assert!(!counted("a|p", 0, Some(1)));
        assert!(!counted("a|p", 0, Some(1 << 40)));
        assert!(counted("a|p", 1 << 40, None));
        assert!(!counted("ppp|a", 4, None));
        assert!(!counted("a|b", 1, None));
    }

    #[test]
    fn stretches_go_on_in_the_next_round() {
        // from q to r there is a p, but in the second round only
        let between = (Scope::Between, "q", "r");
        assert!(!holds("|rpq", exactly(1), [&[], &["p"]], between));
        assert!(holds("|prq", exactly(1), [&[], &["p"]], between));
        assert!(holds("|arq", exactly(0), [&[], &["p"]], between));
        assert!(!holds("|arpq", Claim::Always, [&[], &["aqr"]], (Scope::After, "q", "")));
        assert!(holds("p|aq", Claim::Always, [&[], &["aq"]], (Scope::After, "q", "")));
        assert!(!holds("|paq", Claim::Responds, [&["s"], &["p"]], (Scope::After, "q", "")));
        assert!(holds("paq|a", Claim::Responds, [&["s"], &["p"]], (Scope::After, "q", "")));
        assert!(holds("|psq", AT_LEAST_ONE, [&[], &["p"]], (Scope::AfterUntil, "q", "r")));
        assert!(!holds("p|sq", AT_LEAST_ONE, [&[], &["p"]], (Scope::AfterUntil, "q", "r")));
        // s is preceded by p in each stretch but the one that goes around
        assert!(holds("|pq", Claim::Precedes, [&["p"], &["q"]], GLOBALLY));
        assert!(!holds("a|qp", Claim::Precedes, [&["p"], &["q"]], GLOBALLY));
    }

    #[test]
    fn distances_are_counted_around_the_loop() {
        let within =
            |letters, most| holds_within(letters, Claim::Responds, [&["s"], &["p"]], GLOBALLY, Some((0, most)));
        assert!(within("aaa|saap", 1));
        assert!(!within("aaa|asap", 1));
        assert!(within("aaa|asap", 2));
        let preceded =
            |letters, most| holds_within(letters, Claim::Precedes, [&["d"], &["b"]], GLOBALLY, Some((0, most)));
        assert!(!preceded("d|b", 4) && !preceded("d|b", 1000));
        assert!(!preceded("d|ab", 4) && preceded("d|abd", 4) && preceded("d|abd", 1000));
        assert!(!preceded("dabb|a", 2) && preceded("dabb|a", 3));
    }

    #[test]
    fn events_that_must_lie_apart_are_found_rounds_later() {
        let claims = [Claim::Responds, Claim::Precedes];
        let [responds, precedes] = claims
            .map(|claim| move |letters, range| holds_within(letters, claim, [&["s"], &["p"]], GLOBALLY, Some(range)));
        // s comes 2, 5, 8, ... events after p
        for (least, is_there) in [(2, true), (3, false), (5, true), (6, false), (3_000_002, true), (3_000_003, false)] {
            assert_eq!(responds("aaa|pas", (least, least)), is_there, "{least}");
            assert!(responds("aaa|pas", (least, least + 2)), "{least}");
        }
        assert!(!responds("s|p", (1, 1_000_000)) && !responds("ps|a", (2, 1_000_000)));
        // the last two s before a p are 1 and 4 events away from the first p, and 1 and 5 from all others
        assert!(precedes("s|aasp", (4, 5)) && !precedes("s|aasp", (5, 5)) && !precedes("s|aasp", (4, 4)));
        assert!(!precedes("a|pas", (1, 4)) && !precedes("|sap", (3, 1_000_000)));
        assert!(precedes("saap|a", (3, 3)) && !precedes("saap|a", (4, 1_000_000)));
        let never = |letters, range| holds_within(letters, exactly(0), [&[], &["p"]], GLOBALLY, Some(range));
        assert!(!never("a|pa", (1001, 1001)) && never("a|pa", (1002, 1002)) && !never("a|pa", (1002, 1003)));
        assert!(never("ap|a", (2, 1_000_000)) && !never("ap|a", (1, 1_000_000)));
    }

    #[test]
    fn a_distance_limits_how_often_the_loop_counts() {
        let counted = |n, most| holds_within("|pa", exactly(n), [&[], &["p"]], GLOBALLY, Some((0, most)));
        assert!(counted(500, 999) && !counted(501, 999) && !counted(499, 999));
        let apart = |n, range| holds_within("|pa", exactly(n), [&[], &["p"]], GLOBALLY, Some(range));
        assert!(apart(500, (1000, 1999)) && !apart(499, (1000, 1999)) && !apart(501, (1000, 1999)));
    }

    fn any_claim() -> impl Strategy<Value = Claim> {
        let count = (0..3_u64, proptest::option::of(0..3_u64)).prop_map(|(least, most)| Claim::Count { least, most });
        prop_oneof![count, Just(Claim::Always), Just(Claim::Precedes), Just(Claim::Responds)]
    }

    fn any_scope() -> impl Strategy<Value = Scope> {
        use Scope::{After, AfterUntil, Before, Between, Globally};
        prop_oneof![Just(Globally), Just(Before), Just(After), Just(Between), Just(AfterUntil)]
    }

    proptest! {
        #![proptest_config(crate::term::cases::cases(1000))]

        /// A round that is written out, or a loop that is written twice, makes the same infinite trace.
        #[test]
        fn what_holds_does_not_depend_on_how_the_loop_is_written(
            before in "[a-d]{0,4}",
            again in "[a-d]{1,4}",
            claim in any_claim(),
            scope in any_scope(),
            needed in proptest::collection::vec("[a-d]{1,2}", 1..3),
            subject in proptest::collection::vec("[a-d]{1,2}", 1..3),
            opens in "[a-d]",
            closes in "[a-d]",
            range in proptest::option::of((0..12_i64, 0..5_i64)),
        ) {
            let subject = if claim == Claim::Always { &subject[..1] } else { &subject };
            let needed = if matches!(claim, Claim::Precedes | Claim::Responds) { needed.as_slice() } else { &[] };
            let [needed, subject] = [needed, subject].map(|list| list.iter().map(String::as_str).collect::<Vec<_>>());
            let opens = if matches!(scope, Scope::Globally | Scope::Before) { "" } else { &opens };
            let closes = if matches!(scope, Scope::Globally | Scope::After) { "" } else { &closes };
            let range = range.map(|(least, width)| (least, least + width));
            let holds = |letters: &str| holds_within(letters, claim, [&needed, &subject], (scope, opens, closes), range);
            let whole = holds(&format!("{before}|{again}"));
            for other in [format!("{before}{again}|{again}"), format!("{before}|{again}{again}")] {
                prop_assert_eq!(whole, holds(&other), "{} {:?} {:?} {:?}", other, claim, scope, range);
            }
        }
    }
}
