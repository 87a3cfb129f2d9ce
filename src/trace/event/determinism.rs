//! Determinisms and their other spellings (Morphine's marks, Mercury's own names).

/// Every determinism, as Morphine names it, with its other spellings.
pub(crate) const DETERMINISMS: &[(&str, &[&str])] = &[
    ("det", &["DET"]),
    ("semidet", &["SEMI"]),
    ("nondet", &["NON"]),
    ("multidet", &["MUL", "multi"]),
    ("cc_nondet", &["CCNON"]),
    ("cc_multidet", &["CCMUL", "cc_multi"]),
    ("failure", &["FAIL"]),
    ("erroneous", &["ERR"]),
];

/// All spellings of the determinism that has this spelling; an unknown spelling is its own.
pub(crate) fn spellings(name: &str) -> impl Iterator<Item = &str> + Clone {
    let known = DETERMINISMS.iter().find(|(canonical, others)| *canonical == name || others.contains(&name));
    let (first, others) = known.map_or((name, &[][..]), |(canonical, others)| (*canonical, *others));
    std::iter::once(first).chain(others.iter().copied())
}
