//! The format's own columns: the attributes that it adds, and what lines print besides port, level and goal.

use super::chunk::PrintedExtra;
use crate::trace::{AttributeId, Field, TraceBuilder};

attributes! {
    attribute:
    level "level" "level or depth of the event, as printed";
    inv "inv" "number of the invocation, as printed; numbers come again";
    spied "spied" "true if the event is at a spy point";
    flags "flags" "other signs before the event: `^` transparent procedure, `?` more solutions; or `limit`: depth limit exceeded";
    context "context" "module from which the goal is called";
    ms "ms" in Milliseconds "milliseconds since the call";
    thread "thread" "thread of the event";
}

/// The other signs of an event line.
fn flags(extra: &PrintedExtra) -> String {
    extra.signs.chars().filter(|sign| !is_spy_sign(*sign)).collect()
}

fn is_spy_sign(sign: char) -> bool {
    matches!(sign, '*' | '+')
}

/// A number with a point as it is.
fn milliseconds(text: &str) -> Field<'_> {
    text.parse().map_or(Field::Atom(text), Field::Float)
}

impl AttributeIds {
    /// Gives the last event the values that few events have.
    pub(super) fn add_extra(self, extra: &PrintedExtra, builder: &mut TraceBuilder) {
        if extra.signs.contains(is_spy_sign) {
            builder.extend_last(self.spied, Field::Bool(true));
        }
        let flags = flags(extra);
        let texts: [(AttributeId, Option<&str>); 3] = [
            (self.flags, Some(&*flags)),
            (self.context, extra.context.as_deref()),
            (self.thread, extra.thread.as_deref()),
        ];
        for (id, text) in texts {
            text.filter(|text| !text.is_empty())
                .into_iter()
                .for_each(|text| builder.extend_last(id, Field::Atom(text)));
        }
        if let Some(ms) = &extra.ms {
            builder.extend_last(self.ms, milliseconds(ms));
        }
    }
}
