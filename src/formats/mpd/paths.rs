//! Goal paths: the open boxes of a process from the outermost, each with the line that opened it.

use crate::term::hash::HashMap;
use crate::trace::{PathId, TraceBuilder};

/// A path by its number here.
pub(crate) type PathNode = u32;

/// The path of no open box.
pub(crate) const ROOT: PathNode = 0;

/// Steps of a path at most, as calls of a procedure by itself may be nested as deep as the trace is long.
const MOST_STEPS: usize = 64;

/// All paths that occurred.
pub(crate) struct BoxPaths {
    longer: HashMap<(PathNode, &'static str, Option<i64>), PathNode>,
    /// Their numbers in the trace, and how many steps they have.
    nodes: Vec<(PathId, usize)>,
}

impl BoxPaths {
    /// The path without steps.
    pub(crate) fn new(builder: &mut TraceBuilder) -> BoxPaths {
        BoxPaths { longer: HashMap::default(), nodes: vec![(builder.path(&[]), 0)] }
    }

    /// The path with a step more, such as `in@7`; the same path if it is as long as one may be.
    pub(crate) fn extend(
        &mut self,
        node: PathNode,
        step: &'static str,
        line: Option<i64>,
        builder: &mut TraceBuilder,
    ) -> PathNode {
        let (id, n_steps) = self.nodes[node as usize];
        if n_steps == MOST_STEPS {
            return node;
        }
        *self.longer.entry((node, step, line)).or_insert_with(|| {
            let step = line.map_or(step.into(), |line| format!("{step}@{line}"));
            self.nodes.push((builder.extend_path(Some(id), &step, MOST_STEPS), n_steps + 1));
            self.nodes.len() as PathNode - 1
        })
    }

    /// The number of a path in the trace.
    pub(crate) fn id(&self, node: PathNode) -> PathId {
        self.nodes[node as usize].0
    }
}
