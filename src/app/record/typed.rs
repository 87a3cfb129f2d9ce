//! The command line as it was typed, for hints that say what to type instead.

use std::borrow::Cow;
use std::ffi::OsString;

/// The words of papaver and its options, and those of the program.
pub(super) struct Typed {
    papaver: Vec<String>,
    program: Vec<String>,
}

impl Typed {
    /// The command line of this process, which ends with the command to record.
    pub(super) fn new(command: &[OsString]) -> Typed {
        let texts = |words: &[OsString]| words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let words: Vec<OsString> = std::env::args_os().collect();
        let papaver = words.strip_suffix(command).map_or_else(|| vec!["papaver".into(), "record".into()], texts);
        Typed { papaver, program: texts(command) }
    }

    /// The same with papaver behind the first words of the program: `sudo papaver record python3 app.py`.
    pub(super) fn behind(&self, n_words: usize) -> String {
        let (before, rest) = self.program.split_at(n_words);
        line(before.iter().chain(&self.papaver).chain(rest))
    }

    /// The same with one more option.
    pub(super) fn with(&self, option: &str, value: &str) -> String {
        let mut words = [&self.papaver[..], &self.program].concat();
        let place = words.iter().position(|word| word == "record").map_or(0, |at| at + 1);
        words.splice(place..place, [option.to_string(), value.to_string()]);
        line(words.iter())
    }

    /// The module that the program is started with: `app` in `python3 -m app`.
    pub(super) fn module(&self) -> Option<&str> {
        self.program.iter().skip_while(|word| *word != "-m").nth(1).map(String::as_str)
    }
}

fn line<'w>(words: impl Iterator<Item = &'w String>) -> String {
    words.map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

/// A word as it is typed in a shell.
pub(super) fn shell_word(word: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "%+,-./:=@_".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_type_is_the_same_command_line_but_for_one_thing() {
        let words = |line: &str| line.split(' ').map(str::to_string).collect();
        let typed = Typed { papaver: words("papaver record -o t --"), program: words("sudo python3 -m app a*b it's") };
        assert_eq!(typed.behind(1), r"sudo papaver record -o t -- python3 -m app 'a*b' 'it'\''s'");
        assert_eq!(
            typed.with("--only", "app"),
            r"papaver record --only app -o t -- sudo python3 -m app 'a*b' 'it'\''s'"
        );
        assert_eq!(typed.module(), Some("app"));
        assert_eq!(shell_word(""), "''");
    }
}
