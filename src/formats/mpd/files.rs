//! Names of source files, separated from output of the program that may be glued to the front of a line.

use indexmap::IndexSet;

use crate::term::hash::{HashMap, RandomState};

/// The file names of a trace by the numbers under which its events have them.
#[derive(Default)]
pub(crate) struct SourceFiles {
    names: IndexSet<Box<[u8]>, RandomState>,
    /// For each name the one that it ends with and stands for, else itself.
    meant: Vec<u32>,
    /// The file of each procedure.
    of_proc: HashMap<u32, u32>,
}

impl SourceFiles {
    /// The number of the file that `name`, found in a line of a procedure, stands for.
    ///
    /// A procedure lies in one file: if one of two names ends with the other, the longer one has output in front.
    pub(crate) fn code(&mut self, name: &[u8], proc: u32) -> u32 {
        let known = self.of_proc.get(&proc).copied();
        let known_name = known.map(|known| &*self.names[known as usize]);
        if let Some(known) = known.filter(|_| known_name.is_some_and(|known| known == name || is_glued(name, known))) {
            return known;
        }
        let longer = known.filter(|_| known_name.is_some_and(|known| is_glued(known, name)));
        let code = match longer {
            Some(_) => self.intern(name),
            None => self.known_end(name).unwrap_or_else(|| self.intern(name)),
        };
        longer.into_iter().for_each(|longer| self.meant[longer as usize] = code);
        self.of_proc.insert(proc, code);
        code
    }

    /// The file whose name ends `name`, after output that no file name has.
    fn known_end(&self, name: &[u8]) -> Option<u32> {
        let has_output =
            |known: &[u8]| name[..name.len() - known.len()].iter().any(|byte| b" \t:;!?=\"'".contains(byte));
        let known = self.names.iter().take(MOST_LOOKED_AT).position(|known| is_glued(name, known) && has_output(known));
        known.map(|code| code as u32)
    }

    fn intern(&mut self, name: &[u8]) -> u32 {
        let code = self.names.insert_full(name.into()).0;
        self.meant.extend(self.meant.len() as u32..self.names.len() as u32);
        code as u32
    }

    /// The name of each number.
    pub(crate) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.meant.iter().map(|code| &*self.names[*code as usize])
    }

    /// Whether a line begins with a known file and a line number in it.
    pub(crate) fn begins(&self, line: &[u8]) -> bool {
        let Some(comma) = memchr::memmem::find(line, b", ") else { return false };
        let is_number = line.get(comma + 2).is_some_and(u8::is_ascii_digit);
        is_number && self.names.iter().take(MOST_LOOKED_AT).any(|name| line[..comma].ends_with(name))
    }
}

/// Files that are searched for each line. Programs have fewer; a hostile trace must not take quadratic time.
const MOST_LOOKED_AT: usize = 100;

/// Whether `long` is `name` with output of the program in front: not the same file in another folder.
fn is_glued(long: &[u8], name: &[u8]) -> bool {
    long.strip_suffix(name).and_then(<[u8]>::last).is_some_and(|last| *last != b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(lines: &[(&str, u32)]) -> Vec<String> {
        let mut files = SourceFiles::default();
        let codes: Vec<u32> = lines.iter().map(|(name, proc)| files.code(name.as_bytes(), *proc)).collect();
        let names: Vec<&[u8]> = files.names().collect();
        codes.iter().map(|code| String::from_utf8_lossy(names[*code as usize]).into_owned()).collect()
    }

    #[test]
    fn output_in_front_of_a_file_is_cut_off_once_the_file_is_known() {
        assert_eq!(meant(&[("a.mpd", 0), ("againa.mpd", 0), ("said: a.mpd", 1)]), ["a.mpd", "a.mpd", "a.mpd"]);
        assert_eq!(meant(&[("hello a.mpd", 0), ("a.mpd", 0)]), ["a.mpd", "a.mpd"]);
    }

    #[test]
    fn files_with_like_names_are_different() {
        assert_eq!(meant(&[("a.mpd", 0), ("ba.mpd", 1), ("x/a.mpd", 0)]), ["a.mpd", "ba.mpd", "x/a.mpd"]);
    }
}
