//! Completion: the candidates for the word before the cursor, depending on the text before it.

use std::sync::LazyLock;

use regex::Regex;

use super::words::PromptWords;
use crate::builtins::effects::takes_attributes;

/// The kind of word being typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypedWord<'a> {
    /// A predicate (or an attribute alone, where constraints are).
    Goal(&'a str),
    /// An attribute of a constraint.
    Attribute(&'a str),
    /// A value of this attribute.
    Value(&'a str, &'a str),
    /// A file name inside quotes.
    File(&'a str),
}

/// A candidate: the listed and the inserted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompletionCandidate {
    /// The listed text, with counts and meanings.
    pub(crate) display: String,
    /// The text that replaces the word.
    pub(crate) text: String,
}

/// The most candidates that are listed.
const MOST: usize = 2000;

static FILE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:\bconsult\(\s*|\binclude\(\s*|^\s*\[\s*)'([^']*)$").expect("a constant"));

/// `port = not([exit, fa`, `'http.status' = 5`: the attribute before what is typed, through negations and lists of
/// alternatives.
static VALUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:\b([a-z][a-zA-Z0-9_]*)|'([^']+)')\s*(?:\\=|=)\s*(?:(?:not\b|\\\+)\s*\(?\s*)*(?:\[\s*(?:[^\[\]()]*,\s*)?)?$")
        .expect("a constant")
});

/// `goal_path = [s2, c`: a path is completed as a whole.
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(goal_path|gp)\s*(?:\\=|=)\s*(?:(?:not\b|\\\+)\s*\(?\s*)*(\[[^\[\]]*)$").expect("a constant")
});

/// The kind of word at the end of `before`, and the offset where it begins.
pub(crate) fn place<'a>(before: &'a str, words: &PromptWords) -> (usize, TypedWord<'a>) {
    if let Some(found) = FILE.captures(before).and_then(|captures| captures.get(1)) {
        return (found.start(), TypedWord::File(found.as_str()));
    }
    if let Some(captures) = PATH.captures(before)
        && let (Some(attribute), Some(path)) = (captures.get(1), captures.get(2))
    {
        return (path.start(), TypedWord::Value(attribute.as_str(), path.as_str()));
    }
    let start = word_start(before);
    let (rest, word) = before.split_at(start);
    let attribute = VALUE.captures(rest).and_then(|captures| captures.get(1).or(captures.get(2)));
    if let Some(attribute) = attribute.filter(|attribute| words.has_values(attribute.as_str())) {
        (start, TypedWord::Value(attribute.as_str(), word))
    } else if is_in_constraints(rest) {
        (start, TypedWord::Attribute(word))
    } else {
        // the dot before a goal ends another one
        let start = start + word.rfind('.').map_or(0, |dot| dot + 1);
        (start, TypedWord::Goal(&before[start..]))
    }
}

/// Where the word at the end begins: an open quote, or letters, digits, `_`, for procedures `/` and for keys dots.
fn word_start(text: &str) -> usize {
    let unquoted = text.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '.'));
    open_quote(text).unwrap_or(unquoted.len())
}

/// Where the quoted text begins that is open at the end of `text`.
fn open_quote(text: &str) -> Option<usize> {
    let mut open = None;
    for (index, c) in text.char_indices().filter(|(_, c)| matches!(c, '\'' | '"' | '`')) {
        open = match open {
            None => Some((index, c)),
            Some((_, end)) if end == c => None,
            inside => inside,
        };
    }
    open.map(|(index, _)| index)
}

/// Whether the innermost call of a search that is still open reaches to the end of `text`, after `[`, `,`, `(` or
/// `and`.
fn is_in_constraints(text: &str) -> bool {
    let tail = text.trim_end();
    if !(tail.ends_with(['[', ',', '(']) || tail.ends_with(" and")) {
        return false;
    }
    innermost_call(text).is_some_and(|(name, index)| takes_attributes(name, index))
}

/// The name before the innermost `(` that is open at the end of `text`, and the number of commas directly inside it.
pub(crate) fn innermost_call(text: &str) -> Option<(&str, usize)> {
    let mut open: Vec<(usize, char, usize)> = Vec::new();
    let mut quote = None;
    for (index, c) in text.char_indices() {
        match (quote, c) {
            (Some(end), _) if c == end => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '(' | '[' | '{') => open.push((index, c, 0)),
            (None, ')' | ']' | '}') => drop(open.pop()),
            (None, ',') => open.last_mut().into_iter().for_each(|call| call.2 += 1),
            _ => {}
        }
    }
    let (index, commas) = open.iter().rev().find(|call| call.1 == '(').map(|call| (call.0, call.2))?;
    let name_start = text[..index].trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
    (name_start < index).then(|| (&text[name_start..index], commas))
}

/// The candidates for a word, except file names.
pub(crate) fn candidates(place: TypedWord<'_>, words: &PromptWords) -> Vec<CompletionCandidate> {
    match place {
        TypedWord::Goal(prefix) => predicate_candidates(prefix, words),
        TypedWord::Attribute(prefix) => noted(words.attributes(prefix), "  "),
        TypedWord::Value(attribute, prefix) => noted(words.values(attribute, prefix), "  "),
        TypedWord::File(_) => Vec::new(),
    }
}

fn predicate_candidates(prefix: &str, words: &PromptWords) -> Vec<CompletionCandidate> {
    if prefix.is_empty() {
        return Vec::new();
    }
    let mut candidates: Vec<CompletionCandidate> = Vec::new();
    for predicate in words.predicates(prefix).iter().take(MOST) {
        let bracket = if predicate.arity > 0 { "(" } else { "" };
        let text = format!("{}{bracket}", predicate.name);
        candidates.push(CompletionCandidate { display: format!("{}/{}", predicate.name, predicate.arity), text });
    }
    candidates
}

fn noted(words: &[super::words::NotedWord], gap: &str) -> Vec<CompletionCandidate> {
    let candidate = |word: &super::words::NotedWord| CompletionCandidate {
        display: format!("{}{gap}{}", word.text, word.note),
        text: word.text.clone(),
    };
    words.iter().take(MOST).map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place_of(text: &str) -> TypedWord<'_> {
        place(text, &PromptWords::default()).1
    }

    #[test]
    fn constraints_are_completed_with_attributes() {
        assert_eq!(place_of("fget([po"), TypedWord::Attribute("po"));
        assert_eq!(place_of("det_bget_np([port=exit, de"), TypedWord::Attribute("de"));
        assert_eq!(place_of("fget(name = queen and po"), TypedWord::Attribute("po"));
        assert_eq!(place_of("member(X, [po"), TypedWord::Goal("po"));
        assert_eq!(place_of("event([http.st"), TypedWord::Attribute("http.st"));
        assert_eq!(place_of("event(['http.status-c"), TypedWord::Attribute("'http.status-c"));
        assert_eq!(place_of("fge"), TypedWord::Goal("fge"));
        assert_eq!(place_of("X = 1.fge"), TypedWord::Goal("fge"));
    }

    #[test]
    fn files_are_completed_inside_quotes() {
        assert_eq!(place_of("consult('src/ma"), TypedWord::File("src/ma"));
    }

    #[test]
    fn a_path_is_completed_as_a_whole() {
        assert_eq!(place("event([gp=[s2, c", &PromptWords::default()), (10, TypedWord::Value("gp", "[s2, c")));
    }

    #[test]
    fn negations_and_alternatives_still_belong_to_their_attribute() {
        for text in ["port=", "port = not(", "port = \\+ ", "p=[exit, ", "p = not([exit, "] {
            let attribute = VALUE.captures(text).map(|captures| captures[1].to_string());
            assert!(matches!(attribute.as_deref(), Some("port" | "p")), "{text}");
        }
    }

    #[test]
    fn innermost_call_counts_its_own_commas() {
        assert_eq!(innermost_call("findall(X, member(X, [1, 2]), "), Some(("findall", 2)));
        assert_eq!(innermost_call("foo(')', "), Some(("foo", 1)));
        assert_eq!(innermost_call("a, b"), None);
    }
}
