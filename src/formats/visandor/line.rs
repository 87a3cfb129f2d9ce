//! The grammar of one line: six numbers, with the blanks and comments that writers put around them.

use crate::formats::lines::hex::Hex;
use crate::formats::lines::text;
use crate::term::letters::excerpt;

/// What a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineContent<'l> {
    /// Blanks.
    Nothing,
    /// An ellipsis, as in the manual's examples: lines are omitted here.
    LeftOut,
    /// An event.
    Event(SixNumbers<'l>),
}

/// The six numbers of an event; identities keep their spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SixNumbers<'l> {
    pub(crate) time: i64,
    pub(crate) code: i64,
    pub(crate) node: Hex<'l>,
    pub(crate) k: i64,
    pub(crate) wam: Hex<'l>,
    pub(crate) agent: i64,
}

/// `line` up to a `>`, without blanks around it.
pub(crate) fn without_comment(line: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'>', line).unwrap_or(line.len());
    line[..end].trim_ascii()
}

/// `    7827 2 6FFDEBE1 1 6F7C23E8 1 `
pub(crate) fn content(whole: &[u8]) -> Result<LineContent<'_>, String> {
    let line = without_comment(whole);
    if line.is_empty() {
        return Ok(LineContent::Nothing);
    }
    if line.starts_with(b"...") {
        return Ok(LineContent::LeftOut);
    }
    let mut fields = [&b""[..]; 6];
    let mut n_fields = 0;
    for field in line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()) {
        match fields.get_mut(n_fields) {
            Some(place) => *place = field,
            None => return Err(format!("column {}: expected six numbers, found more", text::column(whole, field))),
        }
        n_fields += 1;
    }
    if n_fields != 6 {
        return Err(format!("column {}: expected six numbers, found {n_fields}", text::column(whole, b"")));
    }
    let expected = |what, field| expected(whole, what, field);
    let [time, code, node, k, wam, agent] = fields;
    let time = decimal(time).filter(|time| *time >= 0).ok_or_else(|| expected("a time", time))?;
    let code = decimal(code).ok_or_else(|| expected("an event code", code))?;
    let node = Hex::of(node).ok_or_else(|| expected("the hexadecimal number of a node", node))?;
    let k = decimal(k).ok_or_else(|| expected("a number of tasks or of a task", k))?;
    let wam = Hex::of(wam).ok_or_else(|| expected("the hexadecimal number of a WAM", wam))?;
    let agent = decimal(agent).ok_or_else(|| expected("the number of an agent", agent))?;
    Ok(LineContent::Event(SixNumbers { time, code, node, k, wam, agent }))
}

#[cold]
fn expected(line: &[u8], what: &str, found: &[u8]) -> String {
    format!("column {}: expected {what}, found {}", text::column(line, found), excerpt(&text::visible(found)))
}

fn decimal(field: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match field.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, field),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0_i64;
    for digit in digits {
        let digit = digit.is_ascii_digit().then(|| i64::from(digit - b'0'))?;
        value = value.checked_mul(10)?.checked_add(digit)?;
    }
    Some(if is_negative { -value } else { value })
}
