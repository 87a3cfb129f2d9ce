//! The requests of a page: who may ask, what is asked, and the answers, all in JSON but the page itself.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, RwLock};

use serde::Deserialize;
use serde_json::json;
use tiny_http::{Header, Method, Request, Response};

use super::server::Message;
use super::tiles::{KeptTiles, TileKey};
use crate::app::prompt::complete::{candidates, place};
use crate::app::prompt::words::PromptWords;
use crate::builtins::trace::source_excerpt;
use crate::trace::threads::lock;
use crate::trace::{AttributeId, EventId, Trace, Value};
use crate::view::{
    ArrowFacts, Axis, AxisRange, PICTURES, PageContents, PageTrace, PictureRequest, PictureScope, Place, SERVED,
    SourceExcerpt, TilePart, event_facts, line,
};

/// What answers the requests.
pub(super) struct Answerer {
    pub(super) page: String,
    /// The beginning of all addresses: `/SECRET/`.
    pub(super) base: String,
    /// What the page may call this server.
    pub(super) hosts: [String; 2],
    pub(super) contents: Arc<PageContents>,
    pub(super) tiles: KeptTiles,
    pub(super) words: RwLock<PromptWords>,
    pub(super) goals: Mutex<Sender<Message>>,
    /// Whether a goal is being answered.
    pub(super) is_busy: AtomicBool,
    /// Interrupts the goal.
    pub(super) stop: Arc<AtomicBool>,
}

/// An answer in JSON, or a status with what is wrong.
type Reply = Result<String, (u16, String)>;

/// The most bytes of a request, and the most columns of a tile.
const MOST_BODY: u64 = 1 << 20;
const MOST_COLUMNS: u32 = 1 << 16;
/// The lines of source around that of an event.
const AROUND: usize = 8;

/// A goal to answer.
#[derive(Deserialize)]
struct AskedGoal {
    goal: String,
    trace: Option<usize>,
    #[serde(default)]
    id: usize,
}

impl Answerer {
    /// Answers a request.
    pub(super) fn answer(&self, mut request: Request) {
        let reply = self.reply(&mut request);
        let (status, kind, text) = match reply {
            Ok(text) if text.starts_with('<') => (200, "text/html; charset=utf-8", text),
            Ok(text) => (200, "application/json", text),
            Err((status, error)) => (status, "application/json", json!({ "error": error }).to_string()),
        };
        let headers = [
            ("Content-Type", kind),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
        ];
        let header = |(name, value): (&str, &str)| Header::from_bytes(name, value).ok();
        let response = headers
            .into_iter()
            .filter_map(header)
            .fold(Response::from_string(text).with_status_code(status), Response::with_header);
        // whoever asked may have gone
        let _ = request.respond(response);
    }

    fn reply(&self, request: &mut Request) -> Reply {
        let host = request.headers().iter().find(|header| header.field.equiv("Host"));
        if !host.is_some_and(|host| self.hosts.iter().any(|known| known == host.value.as_str())) {
            return Err((403, "this server is not known by that name".to_string()));
        }
        let Some(rest) = request.url().strip_prefix(&self.base).map(str::to_string) else {
            return Err((403, "the address lacks the secret that papaver printed".to_string()));
        };
        let (path, query) = rest.split_once('?').unwrap_or((&rest, ""));
        let query = Query::of(query);
        match (request.method(), path) {
            (Method::Get, "") => Ok(self.page.clone()),
            (Method::Get, "tile") => self.tile(&query),
            (Method::Get, "event") => self.event(&query),
            (Method::Get, "search") => self.search(&query),
            (Method::Get, "arrows") => self.arrows(&query),
            (Method::Get, "picture") => self.picture(&query),
            (Method::Get, "complete") => Ok(self.complete(&query)),
            (Method::Post, "goal") => {
                let mut body = String::new();
                let read = request.as_reader().take(MOST_BODY).read_to_string(&mut body);
                read.map_err(|error| (400, format!("cannot read the goal: {error}")))?;
                self.goal(&body)
            }
            (Method::Post, "stop") => {
                self.stop.store(true, Ordering::Relaxed);
                Ok("{}".to_string())
            }
            (_, "" | "tile" | "event" | "search" | "arrows" | "picture" | "complete" | "goal" | "stop") => {
                Err((405, "expected GET, or POST for `goal` and `stop`".to_string()))
            }
            _ => Err((404, "there is nothing at this address".to_string())),
        }
    }

    fn trace(&self, query: &Query) -> Result<&PageTrace, (u16, String)> {
        let number = query.number::<usize>("trace")?.unwrap_or(0);
        self.contents.traces.get(number).ok_or_else(|| (404, format!("there is no trace {number}")))
    }

    fn axis(of: &PageTrace, query: &Query) -> Result<Axis, (u16, String)> {
        let name = query.text("axis").unwrap_or("number");
        let axis = Axis::named(name).filter(|axis| of.timeline.axes().any(|known| known == *axis));
        axis.ok_or_else(|| (400, format!("the trace has no axis `{name}`")))
    }

    fn event_of(of: &PageTrace, query: &Query, key: &str) -> Result<EventId, (u16, String)> {
        let number = query.number::<i64>(key)?.ok_or_else(|| (400, format!("expected `{key}`")))?;
        let found = of.timeline.trace.find_chrono(number);
        found.ok_or_else(|| (404, format!("there is no event {number}")))
    }

    fn tile(&self, query: &Query) -> Reply {
        let of = self.trace(query)?;
        let axis = Answerer::axis(of, query)?;
        let length = of.timeline.length(axis);
        let from = query.position("from")?.unwrap_or(0.0).floor() as u64;
        let to = query.position("to")?.map_or(length, |to| to.ceil() as u64).min(length);
        let n_columns = query.number::<u32>("columns")?.unwrap_or(1024).min(MOST_COLUMNS);
        let n_rows = of.timeline.rows.len() as u32;
        let rows = match query.text("rows").map(|rows| rows.split_once('-').unwrap_or((rows, rows))) {
            None => 0..n_rows,
            Some((first, last)) => match (first.parse::<u32>(), last.parse::<u32>()) {
                (Ok(first), Ok(last)) => first.min(n_rows)..last.saturating_add(1).min(n_rows),
                _ => return Err((400, "expected `rows=A-B`".to_string())),
            },
        };
        let part = TilePart { axis, from: from.min(to), to, n_columns };
        let tile = self.tiles.tile(of, TileKey { trace: of.index, part, rows });
        tile.ok_or_else(|| (413, "the tile is too large: ask for fewer columns".to_string()))
    }

    fn event(&self, query: &Query) -> Reply {
        let of = self.trace(query)?;
        let event = Answerer::event_of(of, query, "number")?;
        let mut facts = event_facts(of, event, SERVED);
        facts.source = source_excerpt(&self.contents.sources, &of.timeline.trace, event)
            .map(|(file, line, text)| excerpt(file, line, &text));
        written(&facts)
    }

    fn search(&self, query: &Query) -> Reply {
        let of = self.trace(query)?;
        let trace = &*of.timeline.trace;
        let text = query.text("q").unwrap_or_default();
        let is_forward = query.number::<i64>("direction")?.unwrap_or(1) >= 0;
        let found = match text.parse::<i64>() {
            Ok(number) => trace.find_chrono(number),
            Err(_) if text.is_empty() => None,
            Err(_) => {
                let after = query.number::<i64>("after")?;
                let start = after.and_then(|number| trace.find_chrono(number));
                search(of, text, start, is_forward)
            }
        };
        Ok(match found {
            None => json!({ "none": true }),
            Some(event) => json!({ "number": trace.chrono(event), "place": Place::of(&of.timeline, event) }),
        }
        .to_string())
    }

    fn arrows(&self, query: &Query) -> Reply {
        let of = self.trace(query)?;
        let (found, more) = match query.text("of") {
            Some(_) => (of.arrows().of(Answerer::event_of(of, query, "of")?).collect(), 0),
            None => {
                let axis = Answerer::axis(of, query)?;
                let from = query.position("from")?.unwrap_or(0.0) as u64;
                let to = query.position("to")?.map_or(u64::MAX, |to| to.ceil() as u64);
                of.arrows_within(axis, from, to)
            }
        };
        let arrows: Vec<ArrowFacts> = found.into_iter().map(|arrow| ArrowFacts::of(of, arrow)).collect();
        written(&json!({ "arrows": serde_json::to_value(arrows).unwrap_or_default(), "more": more }))
    }

    fn picture(&self, query: &Query) -> Reply {
        let of = self.trace(query)?;
        let name = query.text("kind").unwrap_or_default();
        let kind = PICTURES.iter().find(|kind| kind.name == name);
        let kind = kind.ok_or_else(|| (404, format!("there is no picture `{name}`")))?;
        let event = query.text("event").map(|_| Answerer::event_of(of, query, "event")).transpose()?;
        let range = match (query.position("from")?, query.position("to")?) {
            (Some(from), Some(to)) => {
                let axis = Answerer::axis(of, query)?;
                Some(AxisRange { axis, from: from.floor() as u64, to: to.ceil() as u64 })
            }
            _ => None,
        };
        let made = (kind.make)(&PictureRequest {
            traces: &self.contents.traces,
            trace: of.index,
            event,
            range,
            scope: PictureScope::Asked,
            sources: &self.contents.sources,
        });
        written(&made.ok_or_else(|| (404, "there is nothing to show".to_string()))?)
    }

    fn complete(&self, query: &Query) -> String {
        let text = query.text("text").unwrap_or_default();
        let words = self.words.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (start, typed) = place(text, &words);
        let found = candidates(typed, &words).into_iter().take(100);
        let found: Vec<_> = found.map(|one| json!({ "text": one.text, "display": one.display })).collect();
        // the page counts as JavaScript does
        let start = text[..start].encode_utf16().count();
        json!({ "start": start, "candidates": found }).to_string()
    }

    /// Waits for the answers of a goal, but only for one at a time, so that others can still ask for tiles.
    fn goal(&self, body: &str) -> Reply {
        let asked: AskedGoal =
            serde_json::from_str(body).map_err(|error| (400, format!("expected a goal in JSON: {error}")))?;
        if asked.trace.is_some_and(|trace| trace >= self.contents.traces.len()) {
            return Err((404, "there is no such trace".to_string()));
        }
        if self.is_busy.swap(true, Ordering::Acquire) {
            return Err((409, "another goal is still running: stop it first".to_string()));
        }
        let (reply, answer) = channel();
        let AskedGoal { goal, trace, id } = asked;
        let sent = lock(&self.goals).send(Message::Goal { goal, trace, id, reply });
        let ended = |_| (503, "papaver is ending".to_string());
        sent.map_err(|_| ()).map_err(ended)?;
        answer.recv().map_err(|_| ()).map_err(ended)
    }
}

fn written(value: &impl serde::Serialize) -> Reply {
    serde_json::to_string(value).map_err(|error| (500, error.to_string()))
}

/// The lines around one of a source.
fn excerpt(file: String, line: usize, text: &str) -> SourceExcerpt {
    let first = line.saturating_sub(AROUND).max(1);
    let lines = (1..).zip(text.lines()).skip(first - 1).take(2 * AROUND + 1);
    SourceExcerpt { file, line, text: lines.map(|(number, line)| (number, line.to_string())).collect() }
}

/// The next event after another, or the one before it, whose line has a text; of an event without such a name, only
/// the arguments are looked at.
fn search(of: &PageTrace, text: &str, start: Option<EventId>, is_forward: bool) -> Option<EventId> {
    let trace = &*of.timeline.trace;
    let wanted = text.to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&wanted);
    let names = trace.events_of_keys().map(|event| {
        event.is_some_and(|event| {
            trace.port(event).is_some_and(|port| has(port.as_str()))
                || trace.proc_of(event).is_some_and(|id| has(&trace.proc(id).to_string()))
        })
    });
    let names: Vec<bool> = names.collect();
    let others = texts_of(trace);
    let is_found = |event: &EventId| {
        names[trace.key_of(*event)]
            || others.iter().any(|id| match trace.value(*event, *id) {
                Value::Args(list) => has(&list.whole()),
                Value::Term(text) | Value::Json(text) => has(text),
                value => value.characters().is_some_and(has),
            })
            || !others.contains(&AttributeId::ARGS) && has(&line(of, *event, 1000))
    };
    match is_forward {
        true => (start.map_or(0, |start| start + 1)..trace.n_events()).find(is_found),
        false => (0..start.unwrap_or(trace.n_events())).rev().find(is_found),
    }
}

/// The attributes in which a search looks besides names and ports.
fn texts_of(trace: &Trace) -> Vec<AttributeId> {
    let is_text = |id: &AttributeId| *id == AttributeId::ARGS || id.index() >= AttributeId::ATTRIBUTES.index();
    let all = trace.schema().iter().map(|(id, _)| id);
    all.filter(|id| is_text(id) && !trace.is_computed(*id) && trace.integers(*id).is_none()).collect()
}

/// The part of an address after `?`.
struct Query(Vec<(String, String)>);

impl Query {
    fn of(text: &str) -> Query {
        let pairs =
            text.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        Query(pairs.map(|(key, value)| (decoded(key), decoded(value))).collect())
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    fn number<N: std::str::FromStr>(&self, key: &str) -> Result<Option<N>, (u16, String)> {
        let Some(text) = self.text(key).filter(|text| !text.is_empty()) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| (400, format!("expected a number for `{key}`")))
    }

    fn position(&self, key: &str) -> Result<Option<f64>, (u16, String)> {
        let number = self.number::<f64>(key)?;
        match number.is_some_and(|number| !number.is_finite()) {
            true => Err((400, format!("expected a number for `{key}`"))),
            false => Ok(number),
        }
    }
}

/// A text of an address: `+` is a blank, `%41` a byte.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = after.get(..2).filter(|_| *first == b'%');
        let escaped = escaped.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        (rest, _) = match escaped {
            Some(byte) => (&after[2..], bytes.push(byte)),
            None => (after, bytes.push(if *first == b'+' { b' ' } else { *first })),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_decoded() {
        let query = Query::of("q=a%20b+c%3C&after=7&bad=%zz%4&x");
        assert_eq!(query.text("q"), Some("a b c<"));
        assert_eq!(query.number::<i64>("after"), Ok(Some(7)));
        assert_eq!(query.text("bad"), Some("%zz%4"));
        assert_eq!(query.text("x"), Some(""));
        assert!(query.number::<i64>("q").is_err());
        assert!(Query::of("from=NaN").position("from").is_err());
    }
}
