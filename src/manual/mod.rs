//! Floor 0: the manual, one page of Markdown for each subject.
//!
//! These modules hold nothing but text. rustdoc shows them as a book; `papaver help NAME` shows the opening of a page and
//! `papaver man NAME` all of it, as do `help(NAME)` and `man(NAME)` at the prompt. The tests run every block of every page.

mod plain;

/// A page of the manual.
pub(crate) struct Page {
    /// The name that `help/1` takes.
    pub(crate) name: &'static str,
    /// Other names that it takes.
    pub(crate) aliases: &'static [&'static str],
    /// One line for the list of pages; empty if the title says it.
    doc: &'static str,
    /// The page in Markdown.
    text: &'static str,
}

macro_rules! chapters {
    ($($name:ident $([$($alias:literal)*])? $doc:literal;)*) => {
        $(
            #[doc = include_str!(concat!(stringify!($name), ".md"))]
            pub mod $name {}
        )*

        /// The chapters, in reading order.
        pub(crate) const CHAPTERS: &[Page] = &[$(Page {
            name: stringify!($name),
            aliases: &[$($($alias),*)?],
            doc: $doc,
            text: include_str!(concat!(stringify!($name), ".md")),
        },)*];
    };
}

chapters! {
    tour "a first session: queries, scripts, checks, conversion";
    prompt "keys, clauses and settings at the prompt";
    commands "the command line, exit statuses, what is wrong with a trace";
    constraints "what fget, event and current take";
    attributes "what is known about an event";
    ports "the kinds of event";
    cursor "moving in the trace";
    lines "how events are printed";
    predicates "predicates by topic";
    scripts "commands, hooks and settings of scripts";
    assertions ["checks"] "assertions, and `papaver check`";
    spans ["agents"] "traces of services and agents: time, errors, tools";
    monitors "folds over events, proof trees, graphs, coverage";
    comparing "two runs side by side";
    derived "traces that rules make of others";
    viewing "a trace in the browser, as a page or as a picture";
    debugging "which call made an answer wrong";
    formats "which traces are read and written";
    maps ["json"] "how to read the JSON logs of other programs";
    engines ["parquet"] "Parquet files, for DuckDB, Spark and other engines";
    sql "goals as SQL for engines that query exported folders";
    recording ["record"] "`papaver record`: from a running program to a trace";
    performance "what a query costs, with measurements";
    safety ["limits"] "time, memory, and what no script can do";
    differences "differences from Morphine and from standard Prolog";
    contributing "building, testing, adding predicates, formats and commands";
}

include!(concat!(env!("OUT_DIR"), "/formats_pages.rs"));
include!(concat!(env!("OUT_DIR"), "/recorders_pages.rs"));

/// All pages: the chapters, then the formats and the recorders.
pub(crate) fn pages() -> impl Iterator<Item = &'static Page> {
    CHAPTERS.iter().chain(FORMATS).chain(RECORDERS)
}

/// The page that has this name or alias.
pub(crate) fn page(name: &str) -> Option<&'static Page> {
    pages().find(|page| page.name == name || page.aliases.contains(&name))
}

impl Page {
    /// One line that says what the page is about.
    pub(crate) fn summary(&self) -> &'static str {
        if self.doc.is_empty() { self.title() } else { self.doc }
    }

    fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }

    /// The part above the first section, as plain text.
    pub(crate) fn opening(&self) -> String {
        plain::text(self.text.split("\n## ").next().unwrap_or_default())
    }

    /// The page as plain text.
    pub(crate) fn whole(&self) -> String {
        plain::text(self.text)
    }

    /// The titles of the sections below the opening.
    pub(crate) fn sections(&self) -> Vec<&'static str> {
        self.text.split("\n## ").skip(1).filter_map(|section| section.lines().next()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_begins_with_its_title_and_names_are_unique() {
        let mut names: Vec<&str> = pages().flat_map(|page| page.aliases.iter().copied().chain([page.name])).collect();
        assert!(pages().all(|page| page.text.starts_with("# ") && page.summary().len() < 90));
        names.sort_unstable();
        let n_names = names.len();
        names.dedup();
        assert_eq!(names.len(), n_names);
    }

    #[test]
    fn what_the_opening_leaves_out_are_the_sections() {
        let page =
            Page { name: "p", aliases: &[], doc: "", text: "# P\n\nOne.\n\n## Two\n\nThree.\n\n## Four\n\nFive.\n" };
        assert_eq!((page.opening().as_str(), page.sections()), ("P\n\nOne.\n", vec!["Two", "Four"]));
        assert_eq!(page.whole(), "P\n\nOne.\n\nTWO\n\nThree.\n\nFOUR\n\nFive.\n");
    }
}
