//! A script being loaded.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::database::Namespace;
use crate::engine::code::PredId;
use crate::syntax::diagnostic::Source;
use crate::term::{Span, Tree};

/// A script being loaded.
#[derive(Debug)]
pub(crate) struct Loading {
    /// Its text.
    pub(crate) source: Arc<Source>,
    /// The number of the text.
    pub(crate) id: u32,
    /// The number of the script that this one is part of: its own unless it is included.
    pub(crate) owner: u32,
    /// The folder that must contain the scripts it includes; a text without a file includes none.
    pub(crate) folder: Option<PathBuf>,
    /// The folder to which `include` is relative.
    pub(crate) base: Option<PathBuf>,
    /// The namespace that it sees.
    pub(crate) namespace: Namespace,
    /// Whether the session reads it, and not a goal.
    pub(crate) is_granted: bool,
    /// How far it has been read, in bytes.
    pub(crate) position: usize,
    /// The predicate of the clause added last.
    pub(crate) latest: Option<PredId>,
    /// The span of the term read last.
    pub(crate) span: Span,
    /// The grammar rule or directive read last, until a clause was made of it.
    pub(crate) untranslated: Option<Tree>,
}

impl Loading {
    /// A script from whose text nothing has been read yet.
    pub(crate) fn new(source: Arc<Source>, id: u32, namespace: Namespace, folder: Option<PathBuf>) -> Loading {
        let (base, span) = (folder.clone(), Span::default());
        let (is_granted, position) = (false, 0);
        Loading {
            source,
            id,
            owner: id,
            folder,
            base,
            namespace,
            is_granted,
            position,
            latest: None,
            span,
            untranslated: None,
        }
    }

    /// The folder that must contain the scripts it includes, and the one to which their names are relative.
    pub(super) fn folders(&self) -> Option<(&Path, &Path)> {
        self.folder.as_deref().zip(self.base.as_deref())
    }
}
