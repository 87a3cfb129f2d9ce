//! The picture of durations: how long the calls of each procedure took, as a logarithmic histogram with percentiles.

use serde::Serialize;

use super::picture::{Picture, PictureCell, PictureKind, PictureRequest, PictureTable};
use crate::output::counts_nanoseconds;
use crate::trace::{AttributeId, CallId, Combinations, Trace};

/// The record of the picture.
pub(super) const KIND: PictureKind = PictureKind { name: "durations", is_of_event: false, make };

/// The most procedures that are shown, those that took longest together.
const MOST: usize = 200;

/// The calls of a procedure.
struct ProcedureCalls {
    first: CallId,
    durations: Vec<i64>,
    longest: (i64, CallId),
}

/// What the page draws of a procedure. Times are in the unit of the trace, or in events.
#[derive(Serialize)]
struct ProcedureDurations {
    name: String,
    n: usize,
    min: i64,
    p50: i64,
    p90: i64,
    p99: i64,
    max: i64,
    total: i64,
    /// The number of durations from a limit to below the next.
    buckets: Vec<(i64, i64, usize)>,
    longest: i64,
}

fn make(request: &PictureRequest<'_>) -> Option<Picture> {
    let trace = &*request.of().timeline.trace;
    let mut procedures = procedures(trace);
    if procedures.is_empty() {
        return None;
    }
    let total = |one: &ProcedureCalls| one.durations.iter().fold(0_i64, |sum, one| sum.saturating_add(*one));
    procedures.sort_by_key(|one| (std::cmp::Reverse(total(one)), one.first));
    let n_procedures = procedures.len();
    procedures.truncate(MOST);
    let procs: Vec<ProcedureDurations> = procedures.into_iter().map(|one| one.summary(trace)).collect();
    let unit = match (counts_nanoseconds(trace), request.of().timeline.times()) {
        (true, _) => "ns",
        (false, Some(times)) => times.unit,
        (false, None) => "events",
    };
    let title = match n_procedures.saturating_sub(MOST) {
        0 => "durations by procedure".to_string(),
        more => format!("durations by procedure, without {more} that took least"),
    };
    let table = table(&procs);
    let data = serde_json::json!({ "unit": unit, "procs": serde_json::to_value(procs).ok()? });
    Some(Picture { kind: KIND.name, title, trace: request.trace, table, data })
}

fn procedures(trace: &Trace) -> Vec<ProcedureCalls> {
    let costs = trace.call_costs();
    let mut combinations = Combinations::new(trace, &[AttributeId::PROC]);
    let mut number_of: Vec<Option<usize>> = Vec::new();
    let mut procedures: Vec<ProcedureCalls> = Vec::new();
    for call in trace.calls() {
        let Some(duration) = costs.duration(trace, call).filter(|duration| *duration >= 0) else { continue };
        let id = combinations.id(trace.call_first(call)) as usize;
        if id >= number_of.len() {
            number_of.resize((id + 1).next_power_of_two(), None);
        }
        let number = *number_of[id].get_or_insert_with(|| {
            procedures.push(ProcedureCalls { first: call, durations: Vec::new(), longest: (duration, call) });
            procedures.len() - 1
        });
        let procedure = &mut procedures[number];
        procedure.durations.push(duration);
        if duration > procedure.longest.0 {
            procedure.longest = (duration, call);
        }
    }
    procedures
}

impl ProcedureCalls {
    fn summary(mut self, trace: &Trace) -> ProcedureDurations {
        let durations = &mut self.durations;
        durations.sort_unstable();
        // the nearest rank: so many percent of the calls took at most that long
        let rank = |percent: usize| durations[(durations.len() * percent).div_ceil(100).saturating_sub(1)];
        let name = trace.proc_of(trace.call_first(self.first)).map_or("-".into(), |id| trace.proc(id).to_string());
        ProcedureDurations {
            name,
            n: durations.len(),
            min: rank(0),
            p50: rank(50),
            p90: rank(90),
            p99: rank(99),
            max: rank(100),
            total: durations.iter().fold(0_i64, |sum, one| sum.saturating_add(*one)),
            buckets: buckets(durations),
            longest: trace.chrono(trace.call_first(self.longest.1)),
        }
    }
}

/// The numbers of durations, which are sorted, between powers of two.
fn buckets(durations: &[i64]) -> Vec<(i64, i64, usize)> {
    let mut buckets: Vec<(i64, i64, usize)> = Vec::new();
    for duration in durations {
        match buckets.last_mut() {
            Some((_, high, count)) if *duration < *high => *count += 1,
            _ => {
                let low = if *duration == 0 { 0 } else { 1_i64 << duration.ilog2() };
                buckets.push((low, low.saturating_mul(2).max(1), 1));
            }
        }
    }
    buckets
}

fn table(procs: &[ProcedureDurations]) -> PictureTable {
    let columns = ["procedure", "calls", "min", "p50", "p90", "p99", "max", "total"].map(str::to_string).to_vec();
    let row = |one: &ProcedureDurations| {
        let number = |number: i64| PictureCell::Text(number.to_string());
        vec![
            PictureCell::Text(one.name.clone()),
            PictureCell::Text(one.n.to_string()),
            number(one.min),
            number(one.p50),
            number(one.p90),
            number(one.p99),
            PictureCell::Event { text: one.max.to_string(), event: one.longest },
            number(one.total),
        ]
    };
    PictureTable { columns, rows: procs.iter().map(row).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_powers_of_two_and_count_everything() {
        let buckets = buckets(&[0, 0, 1, 2, 3, 4, 7, 8, 1 << 40]);
        assert_eq!(buckets, [(0, 1, 2), (1, 2, 1), (2, 4, 2), (4, 8, 2), (8, 16, 1), (1 << 40, 1 << 41, 1)]);
    }
}
