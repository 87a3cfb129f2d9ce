//! Goal paths: the open boxes of a process from the outermost, each with the line that opened it.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::process::Kind;
use crate::trace::{PathId, TraceBuilder};

/// A path by its number here.
pub type Node = u32;

/// The path of no open box.
pub const ROOT: Node = 0;

/// Steps of a path at most, as calls of a procedure by itself may be nested as deep as the trace is long.
const MOST_STEPS: usize = 64;

/// What the last step of a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// A box.
    Box(Kind),
    /// The arm of an input statement.
    Arm,
}

impl StepKind {
    const fn name(self) -> &'static str {
        match self {
            StepKind::Box(kind) => kind.step(),
            StepKind::Arm => "arm",
        }
    }
}

/// All paths that occurred.
pub struct Paths {
    longer: HashMap<(Node, StepKind, Option<i64>), Node, RandomState>,
    nodes: Vec<Whole>,
}

/// A path as a whole.
struct Whole {
    id: PathId,
    steps: Vec<Arc<str>>,
    /// The path with a step more that was asked for last.
    recent: Option<(StepKind, Option<i64>, Node)>,
}

impl Paths {
    /// The path without steps.
    pub fn new(builder: &mut TraceBuilder) -> Paths {
        let root = Whole { id: builder.path(&[]), steps: Vec::new(), recent: None };
        Paths { longer: HashMap::default(), nodes: vec![root] }
    }

    /// The path with a step more, such as `in@7`; the same path if it is as long as one may be.
    #[inline]
    pub fn extend(&mut self, node: Node, last: StepKind, line: Option<i64>, builder: &mut TraceBuilder) -> Node {
        match self.nodes[node as usize].recent {
            Some((step, at, longer)) if (step, at) == (last, line) => longer,
            _ => {
                let longer = self.look_up(node, last, line, builder);
                self.nodes[node as usize].recent = Some((last, line, longer));
                longer
            }
        }
    }

    fn look_up(&mut self, node: Node, last: StepKind, line: Option<i64>, builder: &mut TraceBuilder) -> Node {
        if let Some(longer) = self.longer.get(&(node, last, line)) {
            return *longer;
        }
        let mut steps = self.nodes[node as usize].steps.clone();
        if steps.len() == MOST_STEPS {
            return node;
        }
        let name = last.name();
        steps.push(line.map_or(name.into(), |line| format!("{name}@{line}").into()));
        let texts: Vec<&str> = steps.iter().map(|step| &**step).collect();
        let longer = self.nodes.len() as Node;
        self.nodes.push(Whole { id: builder.path(&texts), steps, recent: None });
        self.longer.insert((node, last, line), longer);
        longer
    }

    /// The number of a path in the trace.
    pub fn id(&self, node: Node) -> PathId {
        self.nodes[node as usize].id
    }
}
