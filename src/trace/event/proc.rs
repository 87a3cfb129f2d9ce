//! Procedures: what was called.

use std::fmt;

use crate::term::Atom;

/// Number of a procedure within a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ProcId(pub(crate) u32);

impl ProcId {
    /// Index of the procedure among those of the trace, from 0.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A procedure; a part that the trace does not give is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Proc {
    /// `predicate` or `function`.
    pub(crate) proc_type: Option<Atom>,
    /// Module that declares it.
    pub(crate) decl_module: Option<Atom>,
    /// Module that defines it.
    pub(crate) def_module: Option<Atom>,
    /// Its name.
    pub(crate) name: Option<Atom>,
    /// Number of arguments.
    pub(crate) arity: Option<i64>,
    /// Number of the mode.
    pub(crate) mode_number: Option<i64>,
}

/// The parts of a procedure as a reader found them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProcRow<'a> {
    /// `predicate` or `function`.
    pub(crate) proc_type: Option<&'a str>,
    /// Module that declares it.
    pub(crate) decl_module: Option<&'a str>,
    /// Module that defines it.
    pub(crate) def_module: Option<&'a str>,
    /// Its name.
    pub(crate) name: Option<&'a str>,
    /// Number of arguments.
    pub(crate) arity: Option<i64>,
    /// Number of the mode.
    pub(crate) mode_number: Option<i64>,
}

impl ProcRow<'_> {
    pub(crate) fn proc(&self) -> Proc {
        let atom = |name: Option<&str>| name.map(Atom::new);
        Proc {
            proc_type: atom(self.proc_type),
            decl_module: atom(self.decl_module),
            def_module: atom(self.def_module),
            name: atom(self.name),
            arity: self.arity,
            mode_number: self.mode_number,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == ProcRow::default()
    }

    /// Writes the parts so that different procedures have different bytes.
    pub(crate) fn write_key(&self, key: &mut Vec<u8>) {
        key.clear();
        for part in [self.proc_type, self.decl_module, self.def_module, self.name] {
            let length = part.map_or(0, |text| text.len() as u64 + 1);
            key.extend_from_slice(&length.to_le_bytes());
            key.extend_from_slice(part.unwrap_or("").as_bytes());
        }
        for number in [self.arity, self.mode_number] {
            key.push(u8::from(number.is_some()));
            key.extend_from_slice(&number.unwrap_or(0).to_le_bytes());
        }
    }
}

/// The fullest form: `predicate->queens:queen/2-0`, names unquoted.
impl fmt::Display for Proc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(proc_type) = self.proc_type {
            write!(f, "{proc_type}->")?;
        }
        if let Some(module) = self.decl_module {
            write!(f, "{module}:")?;
        }
        f.write_str(self.name.map_or("-", Atom::as_str))?;
        if let Some(arity) = self.arity {
            write!(f, "/{arity}")?;
        }
        if let Some(mode) = self.mode_number {
            write!(f, "-{mode}")?;
        }
        Ok(())
    }
}
