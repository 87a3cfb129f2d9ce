//! Goal paths: the open boxes of a process from the outermost, each with the line that opened it.

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;

use crate::trace::{PathId, TraceBuilder};

/// A path by its number here.
pub type Node = u32;

/// The path of no open box.
pub const ROOT: Node = 0;

/// Steps of a path at most, as calls of a procedure by itself may be nested as deep as the trace is long.
const MOST_STEPS: usize = 64;

/// All paths that occurred.
pub struct Paths {
    longer: HashMap<(Node, &'static str, Option<i64>), Node, RandomState>,
    nodes: Vec<(PathId, Vec<Rc<str>>)>,
}

impl Paths {
    /// The path without steps.
    pub fn new(builder: &mut TraceBuilder) -> Paths {
        Paths { longer: HashMap::default(), nodes: vec![(builder.path(&[]), Vec::new())] }
    }

    /// The path with a step more, such as `in@7`; the same path if it is as long as one may be.
    pub fn extend(&mut self, node: Node, kind: &'static str, line: Option<i64>, builder: &mut TraceBuilder) -> Node {
        if let Some(longer) = self.longer.get(&(node, kind, line)) {
            return *longer;
        }
        let mut steps = self.nodes[node as usize].1.clone();
        if steps.len() == MOST_STEPS {
            return node;
        }
        steps.push(line.map_or(kind.into(), |line| format!("{kind}@{line}").into()));
        let texts: Vec<&str> = steps.iter().map(|step| &**step).collect();
        let longer = self.nodes.len() as Node;
        self.nodes.push((builder.path(&texts), steps));
        self.longer.insert((node, kind, line), longer);
        longer
    }

    /// The number of a path in the trace.
    pub fn id(&self, node: Node) -> PathId {
        self.nodes[node as usize].0
    }
}
