//! Morphine's abbreviations. They exist only at the prompt; a script may define predicates with these names.

/// A short name of a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Abbreviation {
    /// The short name.
    pub(crate) short: &'static str,
    /// The predicate.
    pub(crate) name: &'static str,
    /// The number of its arguments.
    pub(crate) arity: usize,
}

const fn row(short: &'static str, name: &'static str, arity: usize) -> Abbreviation {
    Abbreviation { short, name, arity }
}

/// All abbreviations: Morphine's, those of the backward moves, and other words for `halt`.
pub(crate) const ABBREVIATIONS: &[Abbreviation] = &[
    row("fg", "fget", 1),
    row("bg", "bget", 1),
    row("n", "next", 0),
    row("n", "next", 1),
    row("f", "finish", 0),
    row("bf", "bfinish", 0),
    row("sk", "skip", 0),
    row("bsk", "bskip", 0),
    row("r", "rerun", 0),
    row("o", "no_trace", 0),
    row("a", "abort_trace", 0),
    row("curr", "current", 1),
    row("p", "print_event", 0),
    row("pf", "print_full_event", 0),
    row("clv", "current_live_var", 3),
    row("ls", "listing", 2),
    row("ls", "listing", 3),
    row("lcp", "listing_current_procedure", 0),
    row("lcp", "listing_current_procedure", 1),
    row("laa", "list_attribute_aliases", 0),
    row("a", "apropos", 1),
    row("h", "help", 0),
    row("cfg", "control_flow_graph", 0),
    row("cfg", "control_flow_graph", 1),
    row("dcg", "dynamic_call_graph", 0),
    row("dcg", "dynamic_call_graph", 1),
    row("pt", "proof_tree", 0),
    row("pt", "proof_tree", 1),
    row("pt", "proof_tree", 2),
    row("pc", "pred_cov", 2),
    row("csc", "call_site_cov", 2),
    row("quit", "halt", 0),
    row("exit", "halt", 0),
];

impl Abbreviation {
    /// The clause that defines it: `n(A1) :- next(A1).`
    pub(crate) fn clause(&self) -> String {
        let arguments: Vec<String> = (1..=self.arity).map(|number| format!("A{number}")).collect();
        let arguments = if self.arity == 0 { String::new() } else { format!("({})", arguments.join(", ")) };
        format!("{}{arguments} :- {}{arguments}.\n", self.short, self.name)
    }
}

/// The short name of a predicate.
pub(crate) fn abbreviation(name: &str, arity: usize) -> Option<&'static str> {
    ABBREVIATIONS.iter().find(|row| row.name == name && row.arity == arity).map(|row| row.short)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtins::catalogue::doc::docs;
    use crate::builtins::tables;

    #[test]
    fn every_abbreviation_is_one_of_something_and_of_one_thing() {
        let mut seen = std::collections::HashSet::new();
        for row in ABBREVIATIONS {
            let is_known = tables().any(|record| (record.name, record.arity) == (row.name, row.arity))
                || docs().any(|doc| (doc.name(), doc.arity()) == (row.name, row.arity));
            assert!(is_known, "{}/{}", row.name, row.arity);
            assert!(seen.insert((row.short, row.arity)), "{}/{} is there twice", row.short, row.arity);
        }
    }

    #[test]
    fn a_clause_hands_its_arguments_on() {
        assert_eq!(row("n", "next", 1).clause(), "n(A1) :- next(A1).\n");
        assert_eq!(row("p", "print_event", 0).clause(), "p :- print_event.\n");
    }
}
