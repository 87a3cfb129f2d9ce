//! Places in the program as lines begin with them: each is taken apart once.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::line::{self, EventLine, Fault, Head};

/// What lines begin with, taken apart, and the numbers of the procedures.
#[derive(Default)]
pub struct Sites(HashMap<Box<[u8]>, (Head, u32), RandomState>);

/// Programs trace at fewer places; of one that has more, or of output glued to lines, the others are taken apart each time.
const MOST: usize = 1 << 14;

impl Sites {
    /// Takes a line apart; `proc` gives the number of a procedure.
    pub fn parse<'l>(
        &mut self,
        line: &'l [u8],
        proc: impl FnOnce(&[u8]) -> u32,
    ) -> Result<(EventLine<'l>, u32), Fault<'l>> {
        let tail = line::tail(line)?;
        if let Some((head, proc)) = self.0.get(tail.head) {
            return Ok((tail.with(head), *proc));
        }
        let head = line::head(tail.head)?;
        let line = tail.with(&head);
        let proc = proc(line.proc);
        if self.0.len() < MOST {
            self.0.insert(tail.head.into(), (head, proc));
        }
        Ok((line, proc))
    }
}
