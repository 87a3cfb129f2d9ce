//! Checks that are decided ahead, by the threads that read the next traces.

use std::sync::{Arc, OnceLock};

use super::work_ahead::{FoundAhead, ThreadSession, ThreadWork, WorkAhead};
use crate::engine::ScriptFile;
use crate::session::{Check, Outcome, Session};
use crate::trace::Trace;

/// The checks of scripts, and of the library.
pub(super) struct ChecksAhead {
    pub(super) scripts: Vec<ScriptFile>,
    pub(super) has_library: bool,
    /// The attributes that event lines show.
    pub(super) shown: Vec<String>,
    /// Whether the scripts only ask the trace, once that is known.
    pub(super) only_asks: OnceLock<bool>,
    pub(super) work: ThreadWork,
}

impl WorkAhead for ChecksAhead {
    fn solve(&self, trace: &Arc<Trace>) -> Option<FoundAhead> {
        self.work.on(trace, |own| {
            own.session.show_attributes(&self.shown).ok()?;
            let mut decided = Vec::new();
            if self.has_library {
                let checks = own.session.library_checks();
                decide(&mut own.session, checks, &mut decided)?;
            }
            match own.checks.is_empty() {
                true => self.decide_consulted(own, &mut decided)?,
                false => decide(&mut own.session, own.checks.clone(), &mut decided)?,
            }
            let says_nothing = own.written.borrow().is_empty() && own.session.take_load_report().diagnostics.is_empty();
            (says_nothing && !decided.is_empty()).then_some(FoundAhead::Checks(decided))
        })
    }

    fn stop(&self) {
        self.work.stop();
    }
}

impl ChecksAhead {
    /// Consults each script, and decides its checks before the next one.
    fn decide_consulted(&self, own: &mut ThreadSession, decided: &mut Vec<(Check, Outcome)>) -> Option<()> {
        for script in &self.scripts {
            let consulted = own.consult(script)?;
            let checks = own.session.checks(&consulted);
            let is_alone = self.scripts.len() == 1 && !self.has_library;
            own.is_unchanged = is_alone && *self.only_asks.get_or_init(|| own.only_asks(None));
            if own.is_unchanged {
                own.checks = checks.clone();
            }
            decide(&mut own.session, checks, decided)?;
        }
        Some(())
    }
}

/// Adds the outcomes of checks; none if one is stopped.
fn decide(session: &mut Session, checks: Vec<Check>, decided: &mut Vec<(Check, Outcome)>) -> Option<()> {
    for check in checks {
        let outcome = session.check(&check);
        if outcome.stop.is_some() {
            return None;
        }
        decided.push((check, outcome));
    }
    Some(())
}
