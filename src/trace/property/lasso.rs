//! Properties of a trace that goes on with one of its events after the last one, for ever: they are decided on so many
//! rounds of the loop that what has not come by then never comes.

use super::{Claim, Decision, Growth, Measure, Property, Slice, Violation, ViolationKind};
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
        let Rounds { n_rounds, claim, most } = self.rounds(rows, slice.measure);
        let property = Property { claim, ..self.clone() };
        let lists: Vec<Vec<EventId>> = slice.lists.iter().map(|list| rows.unrolled(list, n_rounds)).collect();
        let lists: Vec<&[EventId]> = lists.iter().map(Vec::as_slice).collect();
        let value = |row: EventId| slice.measure.and_then(|measure| rows.value(row, measure));
        let measure = slice.measure.map(|measure| Measure { value: &value, most, ..*measure });
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
        let most = measure.map_or(0, |measure| measure.most);
        match (self.claim, measure) {
            (Claim::Count { least, most: greatest }, _) => Rounds { most, ..rows.counted(least, greatest, n_rounds) },
            (Claim::Precedes, Some(measure)) if measure.growth == Growth::Rising => rows.preceded(measure, n_rounds),
            (claim, _) => Rounds { n_rounds, claim, most },
        }
    }
}

/// On how many rounds a property is decided, with which claim and which greatest distance.
struct Rounds {
    n_rounds: u64,
    claim: Claim,
    most: i128,
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
    /// rounds that the claim needs have rows, so that greater numbers are only reached in one that does not end.
    fn counted(self, least: u64, most: Option<u64>, n_rounds: u64) -> Rounds {
        let greatest = u64::from(self.below(n_rounds));
        let (least, most) = (least.min(greatest + 1), most.map(|most| most.min(greatest)));
        let n_rounds = n_rounds + least.max(most.map_or(0, |most| most + 1));
        Rounds { n_rounds, claim: Claim::Count { least, most }, most: 0 }
    }

    /// A claim that something comes shortly before, and the rounds after which it lies too far back, unless it comes again
    /// in the loop. If that does, it is never as far away as the first and the last row of the rounds that the claim needs,
    /// so that greater distances are only reached if it does not.
    fn preceded(self, measure: &Measure<'_>, n_rounds: u64) -> Rounds {
        let value = |row: EventId| self.value(row, measure).unwrap_or_default();
        let most = measure.most.min(value(self.below(n_rounds).saturating_sub(1)).saturating_sub(value(0)));
        let of_round = Measure::of_integer(i64::from(self.length())).max(1);
        let n_rounds = n_rounds + u64::try_from(most / of_round).map_or(0, |n_more| n_more + 1);
        Rounds { n_rounds, claim: Claim::Precedes, most }
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
        let waits = matches!(violation.fault, ViolationKind::TooFew(_) | ViolationKind::Unanswered);
        let start = violation.events.first().or(violation.opening.as_ref()).copied().unwrap_or(0);
        waits && violation.closing.is_none() && start >= self.below(n_late)
    }

    /// A violation by events of the trace.
    fn in_trace(self, violation: Violation) -> Violation {
        let Violation { fault, opening, closing, events, far } = violation;
        let event = |row: EventId| self.event(row);
        let far = far.filter(|far| events.iter().chain([far]).all(|row| *row < self.n_events));
        let mut in_trace: Vec<EventId> = events.into_iter().map(event).collect();
        in_trace.dedup();
        Violation { fault, opening: opening.map(event), closing: closing.map(event), events: in_trace, far }
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
        most: Option<i64>,
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
        let measure =
            most.map(|most| Measure { value: &value, most: Measure::of_integer(most), growth: Growth::Rising });
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
        let within = |letters, most| holds_within(letters, Claim::Responds, [&["s"], &["p"]], GLOBALLY, Some(most));
        assert!(within("aaa|saap", 1));
        assert!(!within("aaa|asap", 1));
        assert!(within("aaa|asap", 2));
        let preceded = |letters, most| holds_within(letters, Claim::Precedes, [&["d"], &["b"]], GLOBALLY, Some(most));
        assert!(!preceded("d|b", 4) && !preceded("d|b", 1000));
        assert!(!preceded("d|ab", 4) && preceded("d|abd", 4) && preceded("d|abd", 1000));
        assert!(!preceded("dabb|a", 2) && preceded("dabb|a", 3));
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
            most in proptest::option::of(0..5_i64),
        ) {
            let subject = if claim == Claim::Always { &subject[..1] } else { &subject };
            let needed = if matches!(claim, Claim::Precedes | Claim::Responds) { needed.as_slice() } else { &[] };
            let [needed, subject] = [needed, subject].map(|list| list.iter().map(String::as_str).collect::<Vec<_>>());
            let opens = if matches!(scope, Scope::Globally | Scope::Before) { "" } else { &opens };
            let closes = if matches!(scope, Scope::Globally | Scope::After) { "" } else { &closes };
            let holds = |letters: &str| holds_within(letters, claim, [&needed, &subject], (scope, opens, closes), most);
            let whole = holds(&format!("{before}|{again}"));
            for other in [format!("{before}{again}|{again}"), format!("{before}|{again}{again}")] {
                prop_assert_eq!(whole, holds(&other), "{} {:?} {:?}", other, claim, scope);
            }
        }
    }
}
