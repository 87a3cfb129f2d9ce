//! What a record has of its own, as bytes: its ids, the values of other keys, its result and its arguments.

/// The texts of a record, as they are written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BodyTexts<'t> {
    pub(super) id: Option<&'t str>,
    /// `bind_id`.
    pub(super) bind: Option<&'t str>,
    /// The result as a term, and as it is written.
    pub(super) result: Option<(&'t str, &'t str)>,
    /// The arguments, as a stored list.
    pub(super) args: &'t str,
}

/// Writes the texts of a record, with the values of its other keys; which of them there are is not written.
pub(super) fn write_body<'o>(texts: &BodyTexts<'_>, others: impl Iterator<Item = &'o str>, body: &mut Vec<u8>) {
    let mut part = |text: &str| {
        write_length(text.len(), body);
        body.extend_from_slice(text.as_bytes());
    };
    texts.id.into_iter().for_each(&mut part);
    texts.bind.into_iter().for_each(&mut part);
    others.for_each(&mut part);
    if let Some((term, written)) = texts.result {
        part(term);
        part(written);
    }
    body.extend_from_slice(texts.args.as_bytes());
}

/// Writes seven bits of a number in each byte, of which the last one has no highest bit.
fn write_length(mut length: usize, body: &mut Vec<u8>) {
    while length > 0x7F {
        body.push(length as u8 | 0x80);
        length >>= 7;
    }
    body.push(length as u8);
}

/// Takes the texts out of a body, in the order in which they were written.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyReader<'b> {
    rest: &'b [u8],
}

impl<'b> BodyReader<'b> {
    pub(super) fn new(body: &'b [u8]) -> BodyReader<'b> {
        BodyReader { rest: body }
    }

    /// The next text.
    pub(super) fn part(&mut self) -> &'b str {
        let (mut length, mut shift) = (0, 0);
        while let Some((byte, rest)) = self.rest.split_first() {
            self.rest = rest;
            length |= usize::from(byte & 0x7F) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let (part, rest) = self.rest.split_at_checked(length).unwrap_or_default();
        self.rest = rest;
        text(part)
    }

    /// The next texts, of which the first `n_others` are the values of other keys.
    pub(super) fn texts(mut self, has: BodyParts) -> (BodyTexts<'b>, BodyReader<'b>) {
        let id = has.id.then(|| self.part());
        let bind = has.bind.then(|| self.part());
        let others = self;
        (0..has.n_others).for_each(|_| {
            self.part();
        });
        let result = has.result.then(|| (self.part(), self.part()));
        (BodyTexts { id, bind, result, args: text(self.rest) }, others)
    }
}

/// Which texts there are in a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyParts {
    pub(super) id: bool,
    pub(super) bind: bool,
    pub(super) n_others: u32,
    pub(super) result: bool,
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_texts_come_back() {
        let long = "x".repeat(20_000);
        for (id, bind, others, result) in [
            (None, None, vec![], None),
            (Some("0x1"), None, vec!["1", ""], None),
            (None, Some(""), vec![long.as_str()], Some(("'a'", long.as_str()))),
        ] {
            for args in ["", "1, \"a\"", &long] {
                let texts = BodyTexts { id, bind, result, args };
                let mut body = Vec::new();
                write_body(&texts, others.iter().copied(), &mut body);
                let has = BodyParts {
                    id: id.is_some(),
                    bind: bind.is_some(),
                    n_others: others.len() as u32,
                    result: result.is_some(),
                };
                let (read, mut values) = BodyReader::new(&body).texts(has);
                assert_eq!((read.id, read.bind, read.result, read.args), (id, bind, result, args));
                assert!(others.iter().all(|other| values.part() == *other));
            }
        }
    }
}
