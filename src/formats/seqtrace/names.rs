//! Names of processes, references and ports: the number of a node in them is private to the log, and is replaced by the
//! node's name where that is known.

use std::borrow::Cow;
use std::collections::HashMap;

use super::quoted;

/// What stands before a name with the number of a node in a translated text; such texts have no control characters else.
pub const BEGIN: char = '\u{1}';
/// What stands behind it.
pub const END: char = '\u{2}';

/// The names of the nodes that the numbers of one log mean.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    names: HashMap<u32, String>,
}

/// `<0.93.0>`: the number of its node, and the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pid {
    /// The number of the node.
    pub node: u32,
    /// What tells it from the others of its node.
    pub own: (u32, u32),
}

impl Pid {
    /// The pid that a translated text is, if it is one.
    pub fn of(text: &str) -> Option<Pid> {
        let inner = text.strip_prefix(BEGIN)?.strip_suffix(END)?.strip_prefix('<')?.strip_suffix('>')?;
        let mut numbers = inner.split('.').map(|number| number.parse().ok());
        let mut next = || numbers.next().flatten();
        Some(Pid { node: next()?, own: (next()?, next()?) })
    }
}

impl Nodes {
    /// Says which node a number means; the first to say it counts.
    pub fn name(&mut self, number: u32, name: &str) {
        self.names.entry(number).or_insert_with(|| name.to_owned());
    }

    /// The node that a number means, if that is known.
    pub fn of(&self, number: u32) -> Option<&str> {
        self.names.get(&number).map(String::as_str)
    }

    /// The text with the names of the nodes that are known: `a:'<93.0>'`, else `'<0.93.0>'`.
    pub fn resolved<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(mut next) = memchr::memchr(BEGIN as u8, text.as_bytes()) else { return Cow::Borrowed(text) };
        let mut resolved = String::with_capacity(text.len() + 32);
        let mut rest = text;
        loop {
            resolved.push_str(&rest[..next]);
            let name = &rest[next + 1..];
            let end = name.find(END).unwrap_or(name.len());
            self.write(&name[..end], &mut resolved);
            rest = name.get(end + 1..).unwrap_or("");
            match memchr::memchr(BEGIN as u8, rest.as_bytes()) {
                Some(found) => next = found,
                None => break,
            }
        }
        resolved.push_str(rest);
        Cow::Owned(resolved)
    }

    /// `<0.93.0>`, `#Ref<0.1.2.3>`; the second is unique in itself, and written as its own node writes it.
    fn write(&self, name: &str, out: &mut String) {
        let (head, rest) = name.split_once('<').unwrap_or(("", name));
        let (number, own) = rest.split_once('.').unwrap_or((rest, ""));
        match number.parse().ok().and_then(|number| self.of(number)) {
            Some(node) if head.is_empty() => {
                quoted::write_name(node, out);
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
        let mut nodes = Nodes::default();
        nodes.name(0, "a@h");
        nodes.name(8605, "b");
        nodes.name(8605, "other");
        let text = "{\u{1}<0.93.0>\u{2},[\u{1}<8605.85.0>\u{2}|\u{1}#Ref<8605.1.2.3>\u{2}],\u{1}<7.1.2>\u{2}}";
        assert_eq!(nodes.resolved(text), "{'a@h':'<93.0>',[b:'<85.0>'|'#Ref<0.1.2.3>'],'<7.1.2>'}");
        assert_eq!(nodes.resolved("{a,b}"), "{a,b}");
    }

    #[test]
    fn a_pid_is_told_from_other_texts() {
        assert_eq!(Pid::of("\u{1}<8605.85.0>\u{2}"), Some(Pid { node: 8605, own: (85, 0) }));
        assert_eq!(Pid::of("\u{1}#Ref<0.1.2.3>\u{2}"), None);
        assert_eq!(Pid::of("{seqserver,b}"), None);
    }
}
