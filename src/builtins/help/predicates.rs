//! `help`, `man` and `apropos`: texts from the records, the comments of the library, and the attributes.

use crate::builtins::arguments::text;
use crate::builtins::catalogue::abbreviations::abbreviation;
use crate::builtins::catalogue::doc::{Example, docs};
use crate::builtins::record::det;
use crate::engine::{Builtin, Cell, CommandKind, Stop, Term, UserCommand, World, error};
use crate::formats::FORMATS;
use crate::formats::mapping::{PRESETS, Preset};
use crate::manual::{self, Page};
use crate::term::Atom;
use crate::trace::{Attribute, BASE, PortRecord, known_attribute, nearest, only_computed};

use super::chapters;
use super::wrap::wrapped;

/// The predicates of this family.
pub(crate) const TABLE: &[Builtin] = &[
    det("help is det", "Says how to ask questions, and where to find out more.", "help", "true", help),
    det(
        "help(+Name) is semidet",
        "Explains a predicate (Name or Name/Arity), an attribute, a port, opens a chapter such as constraints, or prints a map such as go_test.",
        "help(atom_length)",
        "true",
        help_about,
    ),
    det(
        "man(+Name) is semidet",
        "Morphine's name for help/1, except that it shows the whole of a chapter; man(predicates) lists every predicate.",
        "man(atom_length/2)",
        "true",
        man,
    ),
    det(
        "apropos(+Text) is semidet",
        "Lists everything with Text in its name, then everything with Text in its explanation; what belongs to other formats comes last.",
        "apropos(atom_len)",
        "true",
        apropos,
    ),
];

const OVERVIEW: &str = "\
A goal ends with a dot: `fget([port=exit, proc=queen/2]).`
  fget(Constraints)      moves to the next event that satisfies them; bget goes backwards
  event(Constraints)     finds events of the whole trace, without moving
  current(Constraints)   says what the current event is: `current(chrono=C)`
  next prev step finish bfinish retry rerun goto(Chrono)
  stack print_event toggle(Attribute) list_display(How, N) current_live_var(Id, Value, Type)
  browse(What) listing_current_procedure command(Head, Options)
  never exists always precedes responds      assertions, on stretches of the trace: `help(responds).`
  collect(File, Result) proof_tree(Call, Tree) debug_wrong_answer(Call) first_difference(T1, T2, Where)
  findall forall aggregate_all tally ...     all of Prolog
`help(Name).` explains a predicate, an attribute or a port; `apropos(Text).` finds those that mention a text.
";

const INDENT: &str = "    ";

/// What is known about a predicate or an attribute.
struct Topic {
    name: String,
    arity: Option<usize>,
    /// Its abbreviation at the prompt.
    short: String,
    /// The line after the name in a list.
    line: String,
    /// The full text.
    page: String,
    /// The formats that have it; empty if it is for every trace.
    formats: Vec<&'static str>,
}

fn topics(commands: &[UserCommand]) -> impl Iterator<Item = Topic> + use<'_> {
    let in_rust = crate::builtins::tables().map(|record| Topic {
        name: record.name.to_owned(),
        arity: Some(record.arity),
        line: record.doc.to_owned(),
        short: short(record.name, record.arity),
        page: format!(
            "{}{}\n{}    ?- {}.\n    {}.\n",
            record.modes,
            braced(&short(record.name, record.arity)),
            wrapped(record.doc, INDENT),
            record.example,
            record.answer
        ),
        formats: Vec::new(),
    });
    let in_library = docs().map(|doc| {
        let text: String = doc.text.lines().map(|line| format!("    {line}\n")).collect();
        let mut trace = None;
        let examples: String = doc.examples.iter().map(|example| shown(example, &mut trace)).collect();
        Topic {
            name: doc.name().to_owned(),
            arity: Some(doc.arity()),
            short: short(doc.name(), doc.arity()),
            line: doc.summary().replace('\n', " "),
            page: format!("{}{}\n{text}{examples}", doc.modes, braced(&short(doc.name(), doc.arity()))),
            formats: formats_of_file(doc.file),
        }
    });
    let attributes = BASE.iter().map(|row| {
        let aliases = if row.aliases.is_empty() { String::new() } else { format!(" ({})", row.aliases.join(", ")) };
        Topic {
            name: row.name.to_owned(),
            arity: None,
            short: String::new(),
            line: format!("attribute: {}", row.doc),
            page: format!("{}{aliases}\n    attribute: {}\n", row.name, row.doc),
            formats: Vec::new(),
        }
    });
    let computed = only_computed().map(|attribute| {
        let Attribute { name, doc, .. } = attribute;
        let of_calls =
            "Every trace with calls has it, computed when it is first asked for, unless the trace states it.";
        let page = format!("{name}\n    attribute: {doc}\n{}", wrapped(&format!("{of_calls} {UNITS}"), INDENT));
        let line = format!("attribute: {doc}");
        Topic { name: name.to_string(), arity: None, short: String::new(), line, page, formats: Vec::new() }
    });
    in_rust
        .chain(in_library)
        .chain(attributes)
        .chain(computed)
        .chain(topics_of_formats())
        .chain(commands.iter().map(topic_of_command))
        .filter(|topic| !topic.name.starts_with('$') && !topic.name.ends_with('_'))
}

/// Units in constraints.
const UNITS: &str = "In constraints a time may have a unit: `duration > ms(20)`, with `ns`, `us`, `ms`, `s` or `m`.";

/// The ports and attributes of all formats; what several formats have in common is one topic.
fn topics_of_formats() -> impl Iterator<Item = Topic> {
    let mut topics: Vec<Topic> = Vec::new();
    for format in FORMATS {
        let ports = format.ports.records().iter().map(topic_of_port);
        let own = format.attributes.iter().filter(|own| known_attribute(own.name).is_none());
        let attributes = own.map(|own| own_topic("attribute", own.name, own.doc, own.other_spellings()));
        for topic in ports.chain(attributes) {
            match topics.iter_mut().find(|known| known.name == topic.name && known.page == topic.page) {
                Some(known) => known.formats.push(format.name),
                None => topics.push(Topic { formats: vec![format.name], ..topic }),
            }
        }
    }
    topics.into_iter().map(|topic| Topic {
        line: format!("{} ({})", topic.line, topic.formats.join(", ")),
        page: format!("{}    format: {}\n", topic.page, topic.formats.join(", ")),
        ..topic
    })
}

/// The format of a library file: the one with its name. The files named after Morphine are for all formats.
fn formats_of_file(file: &str) -> Vec<&'static str> {
    let stem = file.strip_suffix(".pl").unwrap_or(file);
    FORMATS.iter().map(|format| format.name).filter(|name| *name == stem && *name != "morphine").collect()
}

fn topic_of_port(port: &PortRecord) -> Topic {
    own_topic("port", port.name, port.doc, port.spellings.iter().copied())
}

fn own_topic(kind: &str, name: &str, doc: &str, spellings: impl Iterator<Item = &'static str>) -> Topic {
    let spellings: Vec<&str> = spellings.collect();
    let spelt =
        if spellings.is_empty() { String::new() } else { format!("    accepted as well: {}\n", spellings.join(", ")) };
    Topic {
        name: name.to_owned(),
        arity: None,
        short: String::new(),
        line: format!("{kind}: {doc}"),
        page: format!("{name}\n{}{spelt}", wrapped(&format!("{kind}: {doc}"), INDENT)),
        formats: Vec::new(),
    }
}

fn topic_of_preset(preset: &Preset) -> Topic {
    own_topic("map", preset.name, preset.summary(), std::iter::empty())
}

fn short(name: &str, arity: usize) -> String {
    abbreviation(name, arity).unwrap_or_default().to_owned()
}

/// `    {fg}`
fn braced(short: &str) -> String {
    if short.is_empty() { String::new() } else { format!("    {{{short}}}") }
}

/// What is known about a command that a script declares.
fn topic_of_command(command: &UserCommand) -> Topic {
    let names: Vec<&str> = command.arguments.iter().map(|(name, _)| name.as_str()).collect();
    let arguments = if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) };
    let types: String = command.arguments.iter().map(|(name, kind)| format!("    {name}: {kind}\n")).collect();
    let arity = names.len();
    let kind = match command.kind {
        CommandKind::Plain => "plain".to_owned(),
        CommandKind::Trace => format!("trace (`{}_np/{arity}` does not print)", command.name),
    };
    let script = command.script.as_ref().map_or(String::new(), |script| format!("    declared in {script}\n"));
    Topic {
        name: command.name.clone(),
        arity: Some(arity),
        short: command.abbreviation.clone(),
        line: command.message.clone(),
        page: format!(
            "{}{arguments}{}\n{}{types}    type of command: {kind}\n{script}",
            command.name,
            braced(&command.abbreviation),
            wrapped(&command.message, INDENT)
        ),
        formats: Vec::new(),
    }
}

/// An example, after the name of its trace if that differs from `trace`.
fn shown(example: &Example, trace: &mut Option<&'static str>) -> String {
    let on =
        example.trace.filter(|_| *trace != example.trace).map_or(String::new(), |name| format!("    On {name}:\n"));
    *trace = example.trace;
    format!("{on}    ?- {}.\n    {}.\n", example.goal, example.answers.join("\n    ; "))
}

fn help(world: &mut World, _: &[Cell]) -> Result<bool, Stop> {
    let pages = manual::pages().map(|page| format!("  help({:<15}{}\n", format!("{}).", page.name), page.summary()));
    let pages: String = pages.collect();
    world.output.write_str(&format!("{OVERVIEW}{pages}"))?;
    Ok(true)
}

fn help_about(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    explain(world, args, chapters::opening)
}

fn man(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    explain(world, args, chapters::whole)
}

fn explain(world: &mut World, args: &[Cell], chapter: fn(&Page, &World) -> String) -> Result<bool, Stop> {
    let (name, arity) = name_and_arity(world, args[0])?;
    let has_arity = |topic: &Topic| arity.is_none() || topic.arity == arity;
    let pages_of = |is_meant: &dyn Fn(&Topic) -> bool| -> Vec<String> {
        topics(world.scripts.commands())
            .filter(|topic| has_arity(topic) && is_meant(topic))
            .map(|topic| topic.page)
            .collect()
    };
    let mut pages = pages_of(&|topic| topic.name == name);
    if let Some(page) = manual::page(&name).filter(|_| arity.is_none()) {
        pages.insert(0, chapter(page, world));
    }
    if let Some(preset) = Preset::named(&name).filter(|_| arity.is_none()) {
        pages.push(preset.text.to_owned());
    }
    if pages.is_empty() {
        pages = pages_of(&|topic| topic.short == name);
    }
    if !pages.is_empty() {
        world.output.write_str(&pages.join("\n"))?;
        return Ok(true);
    }
    let names: Vec<String> = topics(world.scripts.commands()).map(|topic| topic.name).collect();
    let texts = manual::pages().map(|page| page.name).chain(PRESETS.iter().map(|preset| preset.name));
    let near = nearest(&name, names.iter().map(String::as_str).chain(texts));
    let near = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
    world.output.write_str(&format!("nothing is known about `{name}`{near}\n"))?;
    Ok(false)
}

fn name_and_arity(world: &World, topic: Cell) -> Result<(String, Option<usize>), Stop> {
    let store = &world.store;
    if let Term::Compound(compound) = store.look(topic)
        && compound.name == Atom::new("/")
        && compound.arity == 2
    {
        let name = text(store, store.arg(compound, 0), "atom")?.into_owned();
        return match store.look(store.arg(compound, 1)) {
            Term::Int(arity) => Ok((name, usize::try_from(arity).ok())),
            Term::Var(_) => Ok((name, None)),
            _ => Err(error::type_error(store, "integer", store.arg(compound, 1))),
        };
    }
    Ok((text(store, topic, "atom")?.into_owned(), None))
}

fn apropos(world: &mut World, args: &[Cell]) -> Result<bool, Stop> {
    let part = text(&world.store, args[0], "atom")?.into_owned();
    let format = world.desk.trace().map(|trace| trace.origin().format);
    let chapters = manual::pages().map(|page| Topic {
        name: page.name.to_owned(),
        arity: None,
        short: String::new(),
        line: format!("chapter: {}", page.summary()),
        page: chapters::opening(page, world),
        formats: chapters::format_of(page).map(|format| format.name).into_iter().collect(),
    });
    let topics = topics(world.scripts.commands()).chain(chapters).chain(PRESETS.iter().map(topic_of_preset));
    let mut lines: Vec<(Rank, String)> =
        topics.filter_map(|topic| Some((rank(&topic, &part, format)?, listed(&topic)))).collect();
    lines.sort();
    let text: String = lines.iter().map(|(_, line)| line.as_str()).collect();
    world.output.write_str(&text)?;
    Ok(!lines.is_empty())
}

/// The rank of a topic among those that contain a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Name,
    Text,
    /// The topic belongs to a format other than that of the trace.
    OtherFormat,
}

/// The rank of a topic; none if it does not contain the text.
fn rank(topic: &Topic, part: &str, format: Option<&str>) -> Option<Rank> {
    let is_named = topic.name.contains(part);
    if !is_named && !topic.page.to_lowercase().contains(&part.to_lowercase()) {
        return None;
    }
    let is_other = !topic.formats.is_empty() && format.is_some_and(|format| !topic.formats.contains(&format));
    Some(match (is_other, is_named) {
        (true, _) => Rank::OtherFormat,
        (false, true) => Rank::Name,
        (false, false) => Rank::Text,
    })
}

/// `    next/0 [n]               Moves to the next traced port`
fn listed(topic: &Topic) -> String {
    let mut indicator = topic.arity.map_or(topic.name.clone(), |arity| format!("{}/{arity}", topic.name));
    if !topic.short.is_empty() {
        indicator.push_str(&format!(" [{}]", topic.short));
    }
    format!("    {indicator:<24} {}\n", topic.line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtins::tests::sample;

    #[test]
    fn every_port_and_attribute_of_a_format_has_its_line() {
        for format in FORMATS {
            let documented = format.ports.records().iter().map(|port| (port.name, port.doc));
            for (name, doc) in documented.chain(format.attributes.iter().map(|own| (own.name, own.doc))) {
                assert!(doc.len() > 10, "{}: {name}", format.name);
                assert!(
                    topics(&[]).any(|topic| topic.name == name && topic.page.contains(format.name)
                        || known_attribute(name).is_some()),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn readers_bring_no_attributes_that_their_formats_do_not_document() {
        for name in [
            "posix/filter.jsonl",
            "posix/trunc.jsonl",
            "posix/loop.jsonl",
            "mpd/philos_deadlock.trc",
            "visandor/ciao_qsort_3agents.ev",
            "seq_trace/family.raw",
        ] {
            let trace = sample(name);
            let bare = trace.schema().iter().filter(|(_, one)| one.doc.contains("this trace brought"));
            assert_eq!(bare.map(|(_, one)| one.name.to_string()).collect::<Vec<_>>(), Vec::<String>::new(), "{name}");
        }
    }
}
