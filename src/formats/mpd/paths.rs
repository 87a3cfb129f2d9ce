//! Goal paths: the open boxes of a process from the outermost, each with the line that opened it.

use super::process::BoxKind;
use crate::term::hash::HashMap;
use crate::trace::{PathId, TraceBuilder};

/// A path by its number here.
pub(crate) type PathNode = u32;

/// The path of no open box.
pub(crate) const ROOT: PathNode = 0;

/// Steps of a path at most, as calls of a procedure by itself may be nested as deep as the trace is long.
const MOST_STEPS: usize = 64;

/// What the last step of a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PathStep {
    /// A box.
    Box(BoxKind),
    /// The arm of an input statement.
    Arm,
}

impl PathStep {
    const fn name(self) -> &'static str {
        match self {
            PathStep::Box(kind) => kind.step(),
            PathStep::Arm => "arm",
        }
    }
}

/// All paths that occurred.
pub(crate) struct BoxPaths {
    longer: HashMap<(PathNode, PathStep, Option<i64>), PathNode>,
    nodes: Vec<BoxPath>,
}

/// A path as a whole.
struct BoxPath {
    id: PathId,
    n_steps: usize,
    /// The path with a step more that was asked for last.
    recent: Option<(PathStep, Option<i64>, PathNode)>,
}

impl BoxPaths {
    /// The path without steps.
    pub(crate) fn new(builder: &mut TraceBuilder) -> BoxPaths {
        let root = BoxPath { id: builder.path(&[]), n_steps: 0, recent: None };
        BoxPaths { longer: HashMap::default(), nodes: vec![root] }
    }

    /// The path with a step more, such as `in@7`; the same path if it is as long as one may be.
    #[inline]
    pub(crate) fn extend(
        &mut self,
        node: PathNode,
        last: PathStep,
        line: Option<i64>,
        builder: &mut TraceBuilder,
    ) -> PathNode {
        match self.nodes[node as usize].recent {
            Some((step, at, longer)) if (step, at) == (last, line) => longer,
            _ => {
                let longer = self.look_up(node, last, line, builder);
                self.nodes[node as usize].recent = Some((last, line, longer));
                longer
            }
        }
    }

    fn look_up(&mut self, node: PathNode, last: PathStep, line: Option<i64>, builder: &mut TraceBuilder) -> PathNode {
        if let Some(longer) = self.longer.get(&(node, last, line)) {
            return *longer;
        }
        let BoxPath { id, n_steps, .. } = self.nodes[node as usize];
        if n_steps == MOST_STEPS {
            return node;
        }
        let name = last.name();
        let step = line.map_or(name.into(), |line| format!("{name}@{line}"));
        let id = builder.extend_path(Some(id), &step, MOST_STEPS);
        let longer = self.nodes.len() as PathNode;
        self.nodes.push(BoxPath { id, n_steps: n_steps + 1, recent: None });
        self.longer.insert((node, last, line), longer);
        longer
    }

    /// The number of a path in the trace.
    pub(crate) fn id(&self, node: PathNode) -> PathId {
        self.nodes[node as usize].id
    }
}
