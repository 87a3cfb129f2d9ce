//! A term outside the machine: the parser builds it, clauses are compiled from it, answers keep it.

use num_bigint::BigInt;

use super::{Atom, Shape, View, atoms};

/// A range of bytes in a source text, end excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    /// Offset of the first byte.
    pub(crate) start: u32,
    /// Offset after the last byte.
    pub(crate) end: u32,
}

/// The index of a node in its tree.
pub(crate) type NodeId = u32;

/// A node of a [`Tree`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// A variable; equal numbers are the same variable.
    Var(u32),
    /// An atom.
    Atom(Atom),
    /// An integer that fits in 64 bits.
    Int(i64),
    /// An integer that does not.
    BigInt(BigInt),
    /// A float.
    Float(f64),
    /// A string object.
    Str(Box<str>),
    /// `functor(args...)`: the arguments are `arity` entries of the tree's argument table, from `first`.
    Compound {
        /// Name of the functor.
        functor: Atom,
        /// Index of the first argument in the argument table.
        first: u32,
        /// Number of arguments.
        arity: u32,
    },
}

/// A term as nodes in one vector, so that building and dropping it never recurse.
///
/// Several parents may share a node; there are no cycles. The root is the last node pushed, unless [`Tree::set_root`]
/// changes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    args: Vec<NodeId>,
    spans: Vec<Span>,
    root: NodeId,
}

impl Tree {
    /// A tree without nodes, and without a root until a node is pushed.
    pub(crate) fn new() -> Tree {
        Tree::default()
    }

    /// Adds a node that is not a compound and makes it the root.
    pub(crate) fn push(&mut self, node: Node, span: Span) -> NodeId {
        debug_assert!(!matches!(node, Node::Compound { .. }), "a compound needs its arguments: push_compound");
        self.push_node(node, span)
    }

    /// Adds `functor(args...)` and makes it the root; without arguments it is `functor()`, which is not the atom.
    pub(crate) fn push_compound(&mut self, functor: Atom, args: &[NodeId], span: Span) -> NodeId {
        let first = self.args.len() as u32;
        self.args.extend_from_slice(args);
        self.push_node(Node::Compound { functor, first, arity: args.len() as u32 }, span)
    }

    /// Adds `functor(...)` and makes it the root; [`Tree::replace_arg`] must set each argument.
    pub(crate) fn push_open(&mut self, functor: Atom, arity: usize, span: Span) -> NodeId {
        let first = self.args.len() as u32;
        self.args.resize(self.args.len() + arity, 0);
        self.push_node(Node::Compound { functor, first, arity: arity as u32 }, span)
    }

    /// Adds the nodes of another tree and renumbers its variables from `first_variable`. The root of that tree becomes
    /// the root, and is returned.
    pub(crate) fn graft(&mut self, other: &Tree, first_variable: u32) -> NodeId {
        let (first_node, first_arg) = (self.nodes.len() as NodeId, self.args.len() as u32);
        self.args.extend(other.args.iter().map(|arg| arg + first_node));
        self.nodes.extend(other.nodes.iter().map(|node| match node {
            Node::Var(number) => Node::Var(number + first_variable),
            Node::Compound { functor, first, arity } => {
                Node::Compound { functor: *functor, first: first + first_arg, arity: *arity }
            }
            leaf => leaf.clone(),
        }));
        self.spans.extend_from_slice(&other.spans);
        self.root = other.root + first_node;
        self.root
    }

    /// Removes all nodes, but keeps the memory for them.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.args.clear();
        self.spans.clear();
    }

    fn push_node(&mut self, node: Node, span: Span) -> NodeId {
        self.root = self.nodes.len() as NodeId;
        self.nodes.push(node);
        self.spans.push(span);
        self.root
    }

    /// Replaces argument `index` (from 0) of a compound.
    pub(crate) fn replace_arg(&mut self, id: NodeId, index: usize, arg: NodeId) {
        if let Node::Compound { first, .. } = *self.node(id) {
            self.args[first as usize + index] = arg;
        }
    }

    /// Replaces a node by one that is not a compound.
    pub(crate) fn replace(&mut self, id: NodeId, leaf: Node) {
        self.nodes[id as usize] = leaf;
    }

    /// Makes `id` the root.
    pub(crate) fn set_root(&mut self, id: NodeId) {
        self.root = id;
    }

    /// The root of the tree.
    pub(crate) fn root(&self) -> NodeId {
        self.root
    }

    /// The node at `id`.
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// The span of `id` in the source; empty if it has no source.
    pub(crate) fn span(&self, id: NodeId) -> Span {
        self.spans[id as usize]
    }

    /// Sets the span of `id` in the source.
    pub(crate) fn set_span(&mut self, id: NodeId, span: Span) {
        self.spans[id as usize] = span;
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Number of nodes, with a shared one counted once for each parent; arguments must precede their parents.
    pub(crate) fn unfolded_len(&self) -> usize {
        let mut lengths: Vec<usize> = Vec::with_capacity(self.nodes.len());
        for id in 0..self.nodes.len() {
            let length_of = |arg: &NodeId| lengths.get(*arg as usize).copied().unwrap_or(1);
            let length = self.args(id as NodeId).iter().map(length_of).fold(1, usize::saturating_add);
            lengths.push(length);
        }
        lengths.get(self.root as usize).copied().unwrap_or(0)
    }

    /// The arguments of `id`; empty if it is not a compound.
    pub(crate) fn args(&self, id: NodeId) -> &[NodeId] {
        match *self.node(id) {
            Node::Compound { first, arity, .. } => &self.args[first as usize..(first + arity) as usize],
            _ => &[],
        }
    }

    /// The goals of a conjunction from left to right; of another goal, itself.
    pub(crate) fn conjuncts(&self, goal: NodeId) -> Vec<NodeId> {
        let (mut goals, mut waiting) = (Vec::new(), vec![goal]);
        while let Some(goal) = waiting.pop() {
            match (self.functor(goal), self.args(goal)) {
                (Some((atoms::COMMA, 2)), &[first, rest]) => waiting.extend([rest, first]),
                _ => goals.push(goal),
            }
        }
        goals
    }

    /// Name and arity of a compound, or the name of an atom and 0; `name()` has 0, too. Other terms have no functor.
    pub(crate) fn functor(&self, id: NodeId) -> Option<(Atom, usize)> {
        match *self.node(id) {
            Node::Compound { functor, arity, .. } => Some((functor, arity as usize)),
            Node::Atom(name) => Some((name, 0)),
            _ => None,
        }
    }
}

impl View for Tree {
    type Handle = NodeId;

    fn shape(&self, id: NodeId) -> Shape<'_> {
        match self.node(id) {
            Node::Var(number) => Shape::Var(u64::from(*number)),
            Node::Atom(name) => Shape::Atom(*name),
            Node::Int(value) => Shape::Int(*value),
            Node::BigInt(value) => Shape::BigInt(value),
            Node::Float(value) => Shape::Float(*value),
            Node::Str(text) => Shape::Str(text),
            Node::Compound { functor, arity, .. } => Shape::Compound(*functor, *arity as usize),
        }
    }

    fn arg(&self, id: NodeId, index: usize) -> NodeId {
        self.args(id)[index]
    }
}
