//! Hands the events of a run to the builder, in their order.

use super::chains::{Chains, Place};
use super::run::{Row, RowId, Run};
use crate::trace::{AttributeId, EventRow, Field, ListField, PathId, ProcRow, TraceBuilder};

/// The attributes beside those that all traces have.
const NAMES: [&str; 12] =
    ["label", "prev", "cur", "from", "to", "node", "pid", "msg", "time", "unique", "match", "log"];

/// Hands over the events in the order of `rows`.
pub fn emit(run: &Run, rows: &[RowId], places: &[Place], chronos: &[i64], builder: &mut TraceBuilder) {
    let ids: Option<Vec<AttributeId>> = NAMES.iter().map(|name| builder.standing_attribute(name)).collect();
    let Some(ids) = ids else { return };
    let chains = Chains::new(run, places);
    // a send and its receive have the same one
    let mut paths: Vec<Option<PathId>> = vec![None; run.rows.len()];
    for id in rows {
        let (row, place) = (&run.rows[*id as usize], &places[*id as usize]);
        let path = place
            .cause
            .filter(|cause| run.rows[*cause as usize].partner == Some(*id))
            .and_then(|send| paths[send as usize]);
        let path = path.unwrap_or_else(|| {
            let steps = chains.steps(*id);
            builder.path(&steps.iter().map(String::as_str).collect::<Vec<_>>())
        });
        paths[*id as usize] = Some(path);
        let partner = row.partner.map(|partner| chronos[partner as usize]);
        push(run, row, place, path, partner, &ids, builder);
    }
}

fn push(
    run: &Run,
    row: &Row,
    place: &Place,
    path: PathId,
    partner: Option<i64>,
    ids: &[AttributeId],
    builder: &mut TraceBuilder,
) {
    let message = run.message(row);
    let name = |id: u32| Some(run.names[id as usize].field());
    let actor = run.actor(row);
    let integer = |value: u64| i64::try_from(value).ok().map(Field::Int);
    let strict = row.time.and_then(|time| time.unique());
    let is_logged = !row.is_made_up;
    let values = [
        name(row.label),
        integer(row.prev),
        integer(row.cur),
        name(row.from),
        row.to.and_then(name),
        actor.node.as_deref().map(Field::Atom),
        Some(Field::Atom(&actor.own)),
        Some(Field::Term(&message)),
        row.time.map(|time| Field::Int(time.nanoseconds())),
        strict.map(Field::Int),
        partner.map(Field::Int),
        Some(Field::Atom(&run.logs[row.log as usize].name)).filter(|_| is_logged),
    ];
    let mut extra: Vec<(AttributeId, Field<'_>)> =
        ids.iter().zip(values).filter_map(|(id, value)| Some((*id, value?))).collect();
    extra.extend(place.parent.map(|parent| (AttributeId::PARENT, Field::Int(parent))));
    builder.push(&EventRow {
        call: place.call,
        depth: Some(place.depth),
        port: Some(row.port.name()),
        proc: ProcRow { decl_module: actor.node.as_deref(), name: Some(&actor.own), ..ProcRow::default() },
        goal_path: Some(path),
        line_number: i64::try_from(row.line).ok().filter(|_| is_logged),
        args: ListField::Parts(&[Some(&message)]),
        extra: &extra,
        source_line: if is_logged { row.line } else { 0 },
        ..EventRow::default()
    });
}
