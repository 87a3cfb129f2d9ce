//! Names of processes, references and ports: the number of a node in them is private to the log, and is replaced by the
//! node's name where that is known.

use super::quoted;
use crate::term::hash::HashMap;

/// Marks the start of a name with the number of a node in a translated text, which has no other control characters.
pub(crate) const BEGIN: char = '\u{1}';
/// What follows it.
pub(crate) const END: char = '\u{2}';

/// The names of the nodes that the numbers of one log mean.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeNames {
    names: HashMap<u32, NodeName>,
}

/// A node.
#[derive(Clone, Debug)]
struct NodeName {
    name: String,
    /// The name as the language reads it.
    written: String,
}

/// `<0.93.0>`: the number of its node, and the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pid {
    /// The number of the node.
    pub(crate) node: u32,
    /// What distinguishes it from the others of its node.
    pub(crate) own: (u32, u32),
}

impl Pid {
    /// The pid that a translated text is, if it is one.
    pub(crate) fn of(text: &str) -> Option<Pid> {
        let inner = text.strip_prefix(BEGIN)?.strip_suffix(END)?.strip_prefix('<')?.strip_suffix('>')?;
        let mut numbers = inner.split('.').map(|number| number.parse().ok());
        let mut next = || numbers.next().flatten();
        Some(Pid { node: next()?, own: (next()?, next()?) })
    }
}

impl NodeNames {
    /// Sets the node that a number means, unless it is known.
    pub(crate) fn name(&mut self, number: u32, name: &str) {
        self.names.entry(number).or_insert_with(|| {
            let mut written = String::new();
            quoted::write_name(name, &mut written);
            NodeName { name: name.to_owned(), written }
        });
    }

    /// The node that a number means, if that is known.
    pub(crate) fn of(&self, number: u32) -> Option<&str> {
        self.names.get(&number).map(|node| node.name.as_str())
    }

    /// The text with the names of the nodes that are known: `a:'<93.0>'`, else `'<0.93.0>'`.
    pub(crate) fn resolved(&self, text: &str) -> String {
        let mut resolved = String::with_capacity(text.len());
        self.resolve(text, &mut resolved);
        resolved
    }

    /// Appends that text.
    pub(crate) fn resolve(&self, text: &str, resolved: &mut String) {
        let mut rest = text;
        while let Some(begin) = memchr::memchr(BEGIN as u8, rest.as_bytes()) {
            resolved.push_str(&rest[..begin]);
            let name = &rest[begin + 1..];
            let end = memchr::memchr(END as u8, name.as_bytes()).unwrap_or(name.len());
            self.write(&name[..end], resolved);
            rest = name.get(end + 1..).unwrap_or("");
        }
        resolved.push_str(rest);
    }

    /// `<0.93.0>`, `#Ref<0.1.2.3>`; the second is unique in itself, and written as its own node writes it.
    fn write(&self, name: &str, out: &mut String) {
        let (head, rest) = name.split_once('<').unwrap_or(("", name));
        let (number, own) = rest.split_once('.').unwrap_or((rest, ""));
        match number.parse().ok().and_then(|number: u32| self.names.get(&number)) {
            Some(node) if head.is_empty() => {
                out.push_str(&node.written);
                out.push_str(":'<");
                out.push_str(own);
            }
            Some(_) => {
                out.push('\'');
                out.push_str(head);
                out.push_str("<0.");
                out.push_str(own);
            }
            None => {
                out.push('\'');
                out.push_str(name);
            }
        }
        out.push('\'');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_their_nodes_where_these_are_known() {
        let mut nodes = NodeNames::default();
        nodes.name(0, "a@h");
        nodes.name(8605, "b");
        nodes.name(8605, "other");
        let text = "{\u{1}<0.93.0>\u{2},[\u{1}<8605.85.0>\u{2}|\u{1}#Ref<8605.1.2.3>\u{2}],\u{1}<7.1.2>\u{2}}";
        assert_eq!(nodes.resolved(text), "{'a@h':'<93.0>',[b:'<85.0>'|'#Ref<0.1.2.3>'],'<7.1.2>'}");
        assert_eq!(nodes.resolved("{a,b}"), "{a,b}");
    }

    #[test]
    fn a_pid_is_distinguished_from_other_texts() {
        assert_eq!(Pid::of("\u{1}<8605.85.0>\u{2}"), Some(Pid { node: 8605, own: (85, 0) }));
        assert_eq!(Pid::of("\u{1}#Ref<0.1.2.3>\u{2}"), None);
        assert_eq!(Pid::of("{seqserver,b}"), None);
    }
}
