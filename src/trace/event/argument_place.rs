//! Places in arguments: an argument, a part of one, such as the first argument of a compound, a part of that, and so on.

use super::args::{ArgTexts, after_key, top_level};
use super::simple_term::simple_term;

/// A place in the arguments of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ArgumentPlace {
    /// The number of an argument from 1, then that of a part of it, and so on; 0 after the last.
    numbers: [u8; DEEPEST],
}

/// Parts are looked at through this many brackets, less one.
const DEEPEST: usize = 4;
/// Arguments and parts with greater numbers have no place.
const MOST: usize = 64;

/// What the arguments of an event have at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlacedText<'t> {
    /// The text of a term.
    Text(&'t str),
    /// No argument, or a term without parts around it.
    Nothing,
    /// Perhaps any term: there are operators around it, or a variable.
    Unclear,
}

impl ArgumentPlace {
    /// The place of the argument with a number from 1.
    pub(crate) fn of_argument(number: usize) -> Option<ArgumentPlace> {
        ArgumentPlace { numbers: [0; DEEPEST] }.with(number)
    }

    /// The place of an argument of the compound here, or of an element of the list.
    pub(crate) fn with(mut self, number: usize) -> Option<ArgumentPlace> {
        *self.numbers.iter_mut().find(|number| **number == 0)? = number.try_into().ok().filter(|_| number <= MOST)?;
        Some(self)
    }

    /// The number of the argument.
    pub(crate) fn argument(self) -> usize {
        self.numbers[0].into()
    }

    /// Whether the place is that of an argument.
    pub(crate) fn is_argument(self) -> bool {
        self.numbers[1] == 0
    }

    /// What arguments have here.
    pub(crate) fn text(self, args: ArgTexts<'_>) -> PlacedText<'_> {
        let whole = args.part(self.argument() - 1).map_or(PlacedText::Nothing, PlacedText::Text);
        self.numbers[1..].iter().take_while(|number| **number > 0).fold(whole, |outer, number| match outer {
            PlacedText::Text(text) => part_of(text, *number),
            nothing => nothing,
        })
    }
}

/// The argument of a compound, or the element of a list, with a number.
fn part_of(text: &str, number: u8) -> PlacedText<'_> {
    let Some(mut rest) = parts(text) else {
        return if simple_term(text).is_some() { PlacedText::Nothing } else { PlacedText::Unclear };
    };
    let end = |text: &str| top_level(text, |byte| matches!(byte, b',' | b'|'));
    for _ in 1..number {
        match end(rest) {
            Some(comma) if rest.as_bytes()[comma] == b',' => rest = &rest[comma + 1..],
            // the rest of a list may go on
            Some(_) => return PlacedText::Unclear,
            None => return PlacedText::Nothing,
        }
    }
    PlacedText::Text(rest[..end(rest).unwrap_or(rest.len())].trim())
}

/// What is in the brackets of a list or compound; none for another term, and where comments may hide brackets.
fn parts(text: &str) -> Option<&str> {
    let name = match text.as_bytes().first()? {
        b'[' => "",
        b'a'..=b'z' | b'\'' => text.get(..after_key(text)?).filter(|name| *name != "'.'")?,
        _ => return None,
    };
    let is_opening = if name.is_empty() { '[' } else { '(' };
    let inner = text[name.len()..].strip_prefix(is_opening)?;
    let end = top_level(inner, |byte| matches!(byte, b')' | b']' | b'}'))?;
    let is_clear = end + 1 == inner.len() && !text.contains('%') && !text.contains("/*");
    is_clear.then(|| &inner[..end])
}

#[cfg(test)]
mod tests {
    use super::PlacedText::{Nothing, Text, Unclear};
    use super::*;

    #[test]
    fn parts_are_found_in_the_brackets_around_them() {
        for (text, path, expected) in [
            ("job(5)", &[1][..], Text("job(5)")),
            ("job(5)", &[2], Nothing),
            ("job(5)", &[1, 1], Text("5")),
            ("job(5)", &[1, 2], Nothing),
            ("job( f(a, 'b)') , \"),\", 0'), z )", &[1, 1], Text("f(a, 'b)')")),
            ("job( f(a, 'b)') , \"),\", 0'), z )", &[1, 4], Text("z")),
            ("x, 'a b'([1, [2, 3]])", &[2, 1, 2], Text("[2, 3]")),
            ("x, 'a b'([1, [2, 3]])", &[2, 1, 2, 2], Text("3")),
            ("[1, 2|T]", &[1, 2], Text("2")),
            ("[1, 2|T]", &[1, 3], Unclear),
            ("[1, 2]", &[1, 3], Nothing),
            ("f(a) + g(b)", &[1, 1], Unclear),
            ("[a] - [b]", &[1, 1], Unclear),
            ("a + b", &[1, 1], Unclear),
            ("'.'(a, b)", &[1, 1], Unclear),
            ("X", &[1, 1], Unclear),
            ("{a}", &[1, 1], Unclear),
            ("f(a /* ) */)", &[1, 1], Unclear),
            ("5", &[1, 1], Nothing),
            ("job", &[1, 1], Nothing),
            ("\"f(a)\"", &[1, 1], Nothing),
        ] {
            let (argument, inner) = path.split_first().expect("a path has a number");
            let place = ArgumentPlace::of_argument(*argument).expect("small numbers have places");
            let place = inner.iter().try_fold(place, |place, number| place.with(*number));
            assert_eq!(place.expect("the path is short").text(ArgTexts::new(text)), expected, "{text} {path:?}");
        }
    }

    #[test]
    fn far_and_deep_parts_have_no_place() {
        let place = ArgumentPlace::of_argument(MOST).expect("the last that has one");
        assert_eq!(ArgumentPlace::of_argument(MOST + 1), None);
        assert_eq!((0..DEEPEST).try_fold(place, |place, _| place.with(1)), None);
    }
}
