//! Tests that lines printed under any set of display flags are read back.

use std::path::Path;

use super::line::{self, EventFields};
use crate::formats::mercury::types;
use crate::formats::{LoadOptions, load, text};
use crate::output::{Display, DisplayPart, event_line};
use crate::trace::{AttributeId, EventId, Trace, Value};

const QUEENS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/queens.jsonl");

/// The display that shows the parts whose bits are set.
fn display(bits: u32) -> Display {
    let mut display = Display::default();
    display.set_shown(std::array::from_fn(|index| bits & (1 << index) != 0));
    display
}

/// Whether the parts tell each other apart: numbers by what stands between them, a procedure by its name or arguments.
fn can_be_read(display: &Display) -> bool {
    let shows = |part| display.shows(part);
    (shows(DisplayPart::Port) || (shows(DisplayPart::Chrono) && shows(DisplayPart::Call)))
        && (shows(DisplayPart::Name) || shows(DisplayPart::Args))
}

/// What must be read of an event that is shown with `display`, given all that there is.
fn expected<'a>(full: EventFields<'a>, display: &Display) -> EventFields<'a> {
    let shows = |part| display.shows(part);
    EventFields {
        chrono: full.chrono.filter(|_| shows(DisplayPart::Chrono)),
        call: full.call.filter(|_| shows(DisplayPart::Call)),
        depth: full.depth.filter(|_| shows(DisplayPart::Depth)),
        port: full.port.filter(|_| shows(DisplayPart::Port)),
        det: full.det.filter(|_| shows(DisplayPart::Det)),
        proc_type: full.proc_type.filter(|_| shows(DisplayPart::ProcType)),
        def_module: full.def_module.filter(|_| shows(DisplayPart::DefModule)),
        decl_module: full.decl_module.filter(|_| shows(DisplayPart::DeclModule)),
        name: full.name.filter(|_| shows(DisplayPart::Name)),
        args: None,
        arity: full.arity.filter(|_| shows(DisplayPart::Arity)),
        mode_number: full.mode_number.filter(|_| shows(DisplayPart::ModeNumber)),
        result: None,
        goal_path: full.goal_path.filter(|_| shows(DisplayPart::GoalPath)),
        line_number: full.line_number.filter(|_| shows(DisplayPart::LineNumber)),
    }
}

#[test]
fn every_set_of_flags_that_tells_the_parts_apart_is_read() {
    let trace = load(Path::new(QUEENS), &LoadOptions::default()).expect("the sample loads");
    for chrono in [1, 8, 14, 673] {
        let event = trace.find_chrono(chrono).expect("queens has this event");
        let whole = event_line(&trace, event, &Display::default().with_all());
        let full = line::parse(whole.as_bytes()).expect("the whole line is an event");
        for display in (0..1 << 16).map(display).filter(can_be_read) {
            let shown = event_line(&trace, event, &display);
            let read = line::parse(shown.as_bytes()).unwrap_or_else(|fault| panic!("{shown}: {fault:?}"));
            assert_eq!(EventFields { args: None, ..read }, expected(full, &display), "{shown}");
            check_args(&trace, event, &display, read);
        }
    }
}

fn check_args(trace: &Trace, event: EventId, display: &Display, read: EventFields<'_>) {
    let printed = read.args.map_or("".into(), |args| text::visible(args.text));
    let part = |id| match trace.value(event, id) {
        Value::Args(list) | Value::Texts(list) => list.whole().into_owned(),
        _ => String::new(),
    };
    let join = |parts: Vec<Option<&str>>| parts.iter().map(|part| part.unwrap_or("-")).collect::<Vec<_>>().join(", ");
    match (display.shows(DisplayPart::Args), display.shows(DisplayPart::Types)) {
        (true, false) => assert_eq!(printed, part(AttributeId::ARGS)),
        (false, false) => assert_eq!(printed, ""),
        (shows_args, true) => {
            let typed = types::split(&printed).expect("types follow the arguments");
            assert_eq!(join(typed.types.iter().map(Option::as_deref).collect()), part(AttributeId::ARG_TYPES));
            let values = if shows_args { part(AttributeId::ARGS) } else { join(vec![None; typed.values.len()]) };
            assert_eq!(join(typed.values), values);
        }
    }
}
