//! The manual in help: the opening of a page or the whole page, with facts from the tables and from the current trace.

use crate::engine::World;
use crate::formats::mapping::PRESETS;
use crate::formats::{FORMATS, Format};
use crate::manual::Page;
use crate::trace::{BASE, Trace, only_computed};

use super::predicate_list;

/// The opening of a page, and how to show the rest.
pub(crate) fn opening(page: &Page, world: &World) -> String {
    let (name, sections) = (page.name, page.sections());
    let rest = match (sections.is_empty(), name) {
        (_, "predicates") => "Every predicate".to_owned(),
        (true, _) => String::new(),
        (false, _) => sections.join("; "),
    };
    let more = match rest.is_empty() {
        true => rest,
        false => {
            format!("\nMore in this chapter: {rest}.\n`man({name}).` shows it, or `papaver man {name}` in the shell.\n")
        }
    };
    format!("{}{}{more}", page.opening(), list(page, world))
}

/// The whole text of a page.
pub(crate) fn whole(page: &Page, world: &World) -> String {
    let own = match format_of(page) {
        Some(format) => format!("{}{}", list(page, world), format_tables(format)),
        None if page.name == "predicates" => predicate_list::by_topic(),
        None => list(page, world),
    };
    format!("{}{own}", page.whole())
}

/// The format that a page describes.
pub(crate) fn format_of(page: &Page) -> Option<&'static Format> {
    Format::named(page.name).or_else(|| page.aliases.iter().find_map(|alias| Format::named(alias)))
}

/// The list after the opening of a page.
fn list(page: &Page, world: &World) -> String {
    let trace = world.desk.trace().map(|trace| trace.as_ref());
    match page.name {
        "attributes" => format!("\n{}", attributes(trace)),
        "ports" => format!("\n{}", ports(trace)),
        "formats" => format!("\n{}", formats()),
        "maps" => format!("\nPresets, which `papaver help NAME` prints:\n{}", presets()),
        _ => String::new(),
    }
}

/// The ports of a format, and the attributes that it adds.
fn format_tables(format: &Format) -> String {
    let ports: String = format.ports.records().iter().map(|port| line(port.name, port.doc)).collect();
    let attributes: String = format.attributes.iter().map(|own| line(own.name, own.doc)).collect();
    let titled = |title: &str, lines: String| match lines.is_empty() {
        true => lines,
        false => format!("\n{title}\n\n{lines}"),
    };
    titled("PORTS", ports) + &titled("ATTRIBUTES OF THIS FORMAT", attributes)
}

fn line(name: &str, doc: &str) -> String {
    format!("    {name:<28} {doc}\n")
}

/// The attributes of the trace; without a trace, the predefined ones.
fn attributes(trace: Option<&Trace>) -> String {
    let named = |name: &str, aliases: &[&str], doc: &str| match aliases {
        [] => line(name, doc),
        aliases => line(&format!("{name} ({})", aliases.join(", ")), doc),
    };
    match trace.filter(|trace| trace.n_events() > 0) {
        Some(trace) => {
            let own = trace
                .schema()
                .iter()
                .chain(trace.schema().computed_of_calls())
                .map(|(_, row)| named(&row.name, row.aliases, row.doc));
            format!("This trace has:\n{}", own.collect::<String>())
        }
        None => {
            let computed = only_computed().map(|row| named(&row.name, row.aliases, row.doc));
            BASE.iter().map(|row| named(row.name, row.aliases, row.doc)).chain(computed).collect()
        }
    }
}

/// The ports of the trace's format; without a trace, those of all formats.
fn ports(trace: Option<&Trace>) -> String {
    let is_asked = |name: &str| trace.is_none_or(|trace| trace.origin().format == name);
    let of = |format: &Format| {
        let ports: String = format.ports.records().iter().map(|port| line(port.name, port.doc)).collect();
        format!("{}: {}\n{ports}", format.name, format.doc)
    };
    FORMATS.iter().filter(|format| is_asked(format.name)).map(of).collect()
}

/// The maps that papaver brings.
fn presets() -> String {
    PRESETS.iter().map(|preset| line(preset.name, preset.summary())).collect()
}

fn formats() -> String {
    FORMATS.iter().map(|format| format!("{}        {}\n", line(format.name, format.doc), format.sample)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manual;

    #[test]
    fn the_table_of_attributes_has_every_one_with_its_other_names() {
        let chapter = manual::page("attributes").map(Page::whole).unwrap_or_default();
        let line_of = |name: &str| chapter.lines().find(|line| line.starts_with(&format!("    `{name}` ")));
        for row in BASE {
            let line = line_of(row.name).unwrap_or_default();
            assert!(!line.is_empty(), "{}", row.name);
            assert!(row.aliases.iter().all(|alias| chapter.contains(&format!("`{alias}`"))), "{line}");
        }
    }
}
