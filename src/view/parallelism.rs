//! The picture of parallelism: how many agents run tasks and work at each time, and for which share of it each works.

use std::collections::BTreeMap;

use serde_json::json;

use super::picture::{Picture, PictureCell, PictureKind, PictureRequest, PictureTable};
use super::questions::TraceQuestions;
use super::timeline::{Axis, Times};

/// The record of the picture.
pub(super) const KIND: PictureKind = PictureKind { name: "parallelism", is_of_event: false, make };

/// The most steps of a curve; of more the highest in each part are drawn.
const MOST_STEPS: usize = 2000;
/// The most agents.
const MOST_AGENTS: usize = 500;

/// A time from the first on, and how many agents run or work from there on.
type Step = (u64, i64);

fn make(request: &PictureRequest<'_>) -> Option<Picture> {
    let timeline = &request.of().timeline;
    let trace = &timeline.trace;
    let times = timeline.times()?;
    if ["agent", "father", "branch", "tasks"].iter().any(|name| trace.schema().find(name).is_none()) {
        return None;
    }
    let mut questions = TraceQuestions::new(trace);
    let running = questions.ask("running(Time, N)", ["Time", "N"])?;
    let running = running.iter().filter_map(|[time, n]| Some((position(times, time)?, n.parse().ok()?)));
    let running: Vec<Step> = running.collect();
    let busy = questions.ask("busy(Agent, From, To)", ["From", "To"])?;
    let busy = busy.iter().filter_map(|[from, to]| Some((position(times, from)?, position(times, to)?)));
    let working = working(busy);
    let agents = questions.ask("utilisation(Agent, Percent)", ["Agent", "Percent"])?;
    let agents: Vec<(String, f64)> =
        agents.into_iter().filter_map(|[agent, percent]| Some((agent, percent.parse().ok()?))).collect();
    let length = timeline.length(Axis::Time);
    let n_steps = running.len() + working.len();
    let curves = [("in tasks", coarse(running, length)), ("at work", coarse(working, length))];
    let more = n_steps - curves.iter().map(|(_, steps)| steps.len()).sum::<usize>();
    let more_agents = agents.len().saturating_sub(MOST_AGENTS);
    let title = match (more, more_agents) {
        (0, 0) => "parallelism".to_string(),
        (_, 0) => format!("parallelism, the highest of each {MOST_STEPS}th of the time"),
        _ => format!("parallelism, utilisation without {more_agents} agents"),
    };
    let shown = || agents.iter().take(MOST_AGENTS);
    let row =
        |(agent, percent): &(String, f64)| vec![PictureCell::text(agent), PictureCell::text(format!("{percent:.1} %"))];
    let table = PictureTable::new(&["agent", "utilisation"], shown().map(row).collect());
    let curve = |(name, points): &(&str, Vec<Step>)| json!({ "name": name, "points": points });
    let agent = |(agent, percent): &(String, f64)| json!({ "name": format!("agent {agent}"), "busy": percent / 100.0 });
    let data = json!({
        "axis": Axis::Time.name(),
        "length": length,
        "series": curves.iter().map(curve).collect::<Vec<_>>(),
        "actors": shown().map(agent).collect::<Vec<_>>(),
        "more": more,
    });
    Some(Picture { kind: KIND.name, title, trace: request.trace, table, data })
}

/// A time of the trace, from the first on.
fn position(times: &Times, time: &str) -> Option<u64> {
    Some(time.parse::<i64>().ok()?.wrapping_sub(times.first) as u64)
}

/// How many spans of work there are at each time at which that changes.
fn working(spans: impl Iterator<Item = (u64, u64)>) -> Vec<Step> {
    let mut changes: BTreeMap<u64, i64> = BTreeMap::from([(0, 0)]);
    for (from, to) in spans {
        *changes.entry(from).or_default() += 1;
        *changes.entry(to).or_default() -= 1;
    }
    let mut n = 0;
    let mut steps: Vec<Step> = changes
        .into_iter()
        .map(|(time, change)| {
            (time, {
                n += change;
                n
            })
        })
        .collect();
    steps.dedup_by_key(|(_, n)| *n);
    steps
}

/// The highest step in each part of the time, if there are too many.
fn coarse(steps: Vec<Step>, length: u64) -> Vec<Step> {
    if steps.len() <= MOST_STEPS {
        return steps;
    }
    let part = |(time, _): &Step| u128::from(*time) * MOST_STEPS as u128 / u128::from(length + 1);
    let parts = steps.chunk_by(|one, other| part(one) == part(other));
    parts.filter_map(|steps| Some((steps.first()?.0, steps.iter().map(|(_, n)| *n).max()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted_where_spans_overlap() {
        let steps = working([(2, 9), (4, 6), (9, 12)].into_iter());
        assert_eq!(steps, [(0, 0), (2, 1), (4, 2), (6, 1), (12, 0)]);
    }

    #[test]
    fn of_too_many_steps_the_highest_are_kept() {
        let steps: Vec<Step> = (0..100_000).map(|time| (time, (time % 100 == 7) as i64)).collect();
        let kept = coarse(steps, 99_999);
        assert_eq!(kept.len(), MOST_STEPS);
        assert_eq!(kept.iter().filter(|(_, n)| *n == 1).count(), 1000);
        assert_eq!(kept[0], (0, 1));
    }
}
