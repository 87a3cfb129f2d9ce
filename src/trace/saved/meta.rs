//! The metadata of a saved trace, read when it is opened: its attributes, procedures, ports, keys and findings.

use crate::term::Atom;
use crate::trace::event::finding::{Finding, FindingSeverity, Findings};
use crate::trace::event::key::{Key, Keys, Port, PortId};
use crate::trace::event::port::{PortRole, Traced};
use crate::trace::event::proc::{Proc, ProcId};
use crate::trace::event::recording::{Gap, RecordedAt, Recording};
use crate::trace::event::schema::{AttributeType, BASE, OwnAttribute, Schema};
use crate::trace::file::bytes::{Decoder, Encoder};

pub(super) fn write_schema(out: &mut Encoder, schema: &Schema) {
    let all: Vec<_> = schema.all().collect();
    out.number(all.len() as u64);
    for (attribute, is_present) in all {
        out.text(&attribute.name);
        out.number(kind_number(attribute.kind));
        out.number(u64::from(is_present) | u64::from(schema.lacks_unit(attribute)) << 1);
    }
}

/// The attributes; those that papaver knows must be the same as in this version.
pub(super) fn read_schema(reader: &mut Decoder<'_>, own: &'static [OwnAttribute]) -> Option<Schema> {
    let mut schema = Schema::new(own);
    let n_attributes = reader.count()?;
    for index in 0..n_attributes {
        let name = reader.text()?;
        let (kind, facts) = (kind_of(reader.number()?), reader.number()?);
        let declare = if index < BASE.len() { Schema::declare } else { Schema::declare_own };
        let id = declare(&mut schema, name).filter(|id| id.index() == index)?;
        if facts & 2 != 0 {
            schema.forget_unit(id);
        }
        if facts & 1 != 0 {
            schema.mark_present(id, kind.filter(|_| schema.get(id).kind == AttributeType::Any));
        }
    }
    (n_attributes >= BASE.len()).then_some(schema)
}

/// The number under which the type of an attribute is stored; 0 means any values.
fn kind_number(kind: AttributeType) -> u64 {
    match kind {
        AttributeType::Integer => 1,
        AttributeType::Computed => 2,
        _ => 0,
    }
}

fn kind_of(number: u64) -> Option<AttributeType> {
    match number {
        1 => Some(AttributeType::Integer),
        2 => Some(AttributeType::Computed),
        _ => None,
    }
}

pub(super) fn write_findings(out: &mut Encoder, findings: &Findings) {
    FindingSeverity::ALL.into_iter().for_each(|severity| out.number(findings.count(severity)));
    out.number(findings.kept().len() as u64);
    for finding in findings.kept() {
        out.text(finding.rule);
        out.number(finding.severity as u64);
        out.option(finding.chrono, Encoder::signed);
        out.option(finding.line, Encoder::number);
        out.text(&finding.message);
    }
}

pub(super) fn read_findings(reader: &mut Decoder<'_>) -> Option<Findings> {
    let totals = [reader.number()?, reader.number()?, reader.number()?];
    let kept = reader.list(|reader| {
        let rule = Atom::new(reader.text()?).as_str();
        let severity = *FindingSeverity::ALL.get(usize::try_from(reader.number()?).ok()?)?;
        let chrono = reader.option(Decoder::signed)?;
        let line = reader.option(Decoder::number)?;
        Some(Finding { rule, severity, chrono, line, message: reader.text()?.to_owned() })
    })?;
    Findings::from_parts(kept, totals)
}

pub(super) fn write_keys(out: &mut Encoder, keys: &Keys) {
    let atom = |out: &mut Encoder, name: Option<Atom>| out.option(name, |out, name| out.text(name.as_str()));
    out.number(keys.procs.len() as u64);
    for proc in &keys.procs {
        [proc.proc_type, proc.decl_module, proc.def_module, proc.name].into_iter().for_each(|name| atom(out, name));
        [proc.arity, proc.mode_number].into_iter().for_each(|number| out.option(number, Encoder::signed));
    }
    out.number(keys.ports.len() as u64);
    for port in &keys.ports {
        out.text(port.name.as_str());
        out.number(role_number(port.role));
        out.number(u64::from(port.traced == Traced::Yes));
    }
    out.number(keys.keys.len() as u64);
    for key in &keys.keys {
        out.option(key.proc, |out, proc| out.number(proc.0.into()));
        out.option(key.port, |out, port| out.number(u64::from(port.0)));
        atom(out, key.det);
    }
}

pub(super) fn read_keys(reader: &mut Decoder<'_>) -> Option<Keys> {
    let procs = reader.list(read_proc)?;
    let ports = reader.list(|reader| {
        let name = Atom::new(reader.text()?);
        let role = ROLES.get(usize::try_from(reader.number()?).ok()?).copied()?;
        Some(Port { name, role, traced: if reader.number()? == 1 { Traced::Yes } else { Traced::No } })
    })?;
    let keys = reader.list(|reader| {
        let proc = reader.option(Decoder::word)?.map(ProcId);
        let port = reader.option(Decoder::word)?.map(PortId);
        Some(Key { proc, port, det: read_atom(reader)? })
    })?;
    let is_right = |key: &Key| {
        key.proc.is_none_or(|proc| (proc.0 as usize) < procs.len())
            && key.port.is_none_or(|port| (port.0 as usize) < ports.len())
    };
    keys.iter().all(is_right).then_some(Keys { keys, procs, ports })
}

fn read_proc(reader: &mut Decoder<'_>) -> Option<Proc> {
    Some(Proc {
        proc_type: read_atom(reader)?,
        decl_module: read_atom(reader)?,
        def_module: read_atom(reader)?,
        name: read_atom(reader)?,
        arity: reader.option(Decoder::signed)?,
        mode_number: reader.option(Decoder::signed)?,
    })
}

fn read_atom(reader: &mut Decoder<'_>) -> Option<Option<Atom>> {
    reader.option(|reader| reader.text().map(Atom::new))
}

/// The facts of the recorder, and the gaps.
pub(super) fn write_recording(out: &mut Encoder, recording: &Recording) {
    out.number(u64::from(recording.is_unfinished));
    out.number(recording.stored().count() as u64);
    for (at, key, stored) in recording.stored() {
        out.number(u64::from(at == RecordedAt::End));
        out.text(key);
        out.text(stored);
    }
    out.number(recording.gaps().len() as u64);
    for gap in recording.gaps() {
        out.number(u64::from(gap.first));
        out.number(u64::from(gap.before));
        out.option(gap.lost, Encoder::number);
    }
    out.option(recording.least_depth, Encoder::signed);
}

pub(super) fn read_recording(reader: &mut Decoder<'_>) -> Option<Recording> {
    let mut recording = Recording::default();
    recording.is_unfinished = reader.number()? == 1;
    for (at, key, stored) in reader.list(|reader| Some((reader.number()?, reader.text()?, reader.text()?)))? {
        recording.keep(if at == 1 { RecordedAt::End } else { RecordedAt::Start }, key, stored);
    }
    let gaps = reader.list(|reader| {
        let (first, before) = (reader.word()?, reader.word()?);
        Some(Gap { first: first.min(before), before, lost: reader.option(Decoder::number)? })
    })?;
    recording.least_depth = reader.option(Decoder::signed)?;
    gaps.into_iter().for_each(|gap| recording.gap(gap));
    Some(recording)
}

const ROLES: [PortRole; 5] = [PortRole::Opens, PortRole::Reopens, PortRole::Closes, PortRole::Inside, PortRole::Alone];

fn role_number(role: PortRole) -> u64 {
    ROLES.iter().position(|other| *other == role).unwrap_or(ROLES.len()) as u64
}
