//! The grammar of one line: six numbers, with the blanks and comments that writers put around them.

use super::ports::{EventKind, Parallelism};
use crate::formats::lines::hex::Hex;
use crate::formats::lines::text;
use crate::term::letters::excerpt;

/// The six numbers of an event; identities keep their spelling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SixNumbers<'l> {
    pub(super) time: i64,
    pub(super) kind: EventKind,
    pub(super) node: Hex<'l>,
    pub(super) k: i64,
    pub(super) wam: Hex<'l>,
    pub(super) agent: i64,
}

/// What a line holds that is no event.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NoEvent {
    /// Blanks or a comment.
    Nothing,
    /// An ellipsis, as in the manual's examples: lines are omitted here.
    LeftOut,
    /// Six numbers with an unknown code.
    Unknown(i64),
    /// What is wrong with it, and the kind of parallelism that it states if it is the first line.
    Wrong(String, Option<Parallelism>),
}

/// `    7827 2 6FFDEBE1 1 6F7C23E8 1 `
pub(super) fn event(whole: &[u8]) -> Result<SixNumbers<'_>, NoEvent> {
    let line = &whole[..memchr::memchr(b'>', whole).unwrap_or(whole.len())];
    let no_event = |message| match line.trim_ascii() {
        b"" => NoEvent::Nothing,
        b"0" => NoEvent::Wrong(message, Some(Parallelism::And)),
        b"1" => NoEvent::Wrong(message, Some(Parallelism::Or)),
        [b'.', b'.', b'.', ..] => NoEvent::LeftOut,
        _ => NoEvent::Wrong(message, None),
    };
    let expected = |what: &str, found: &[u8]| {
        let shown = excerpt(&text::visible(found));
        no_event(format!("column {}: expected {what}, found {shown}", text::column(whole, found)))
    };
    let number = |what, field: &[u8]| decimal(field).ok_or_else(|| expected(what, field));
    let [time, code, node, k, wam, agent] = fields(whole, line).map_err(no_event)?;
    let time = decimal(time).filter(|time| *time >= 0).ok_or_else(|| expected("a time", time))?;
    let code = number("an event code", code)?;
    let node = Hex::of(node).ok_or_else(|| expected("the hexadecimal number of a node", node))?;
    let k = number("a number of tasks or of a task", k)?;
    let wam = Hex::of(wam).ok_or_else(|| expected("the hexadecimal number of a WAM", wam))?;
    let agent = number("the number of an agent", agent)?;
    let kind = EventKind::of(code).ok_or(NoEvent::Unknown(code))?;
    Ok(SixNumbers { time, kind, node, k, wam, agent })
}

/// The fields of a line without its comment, if they are six.
fn fields<'l>(whole: &[u8], line: &'l [u8]) -> Result<[&'l [u8]; 6], String> {
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let (mut six, mut n_fields) = ([&b""[..]; 6], 0);
    for (place, field) in six.iter_mut().zip(&mut fields) {
        *place = field;
        n_fields += 1;
    }
    match fields.next() {
        Some(more) => Err(format!("column {}: expected six numbers, found more", text::column(whole, more))),
        None if n_fields < 6 => {
            Err(format!("column {}: expected six numbers, found {n_fields}", text::column(whole, b"")))
        }
        None => Ok(six),
    }
}

fn decimal(field: &[u8]) -> Option<i64> {
    let digits = field.strip_prefix(b"-").unwrap_or(field);
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| i64::from(byte - b'0'));
    let value = digits.iter().try_fold(0_i64, |value, byte| value.checked_mul(10)?.checked_add(digit(byte)?))?;
    (!digits.is_empty()).then_some(if digits.len() < field.len() { -value } else { value })
}
