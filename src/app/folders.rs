//! Where the prompt keeps its history and finds its start-up file (XDG base directories).

use std::ffi::OsString;
use std::path::PathBuf;

/// `$XDG_STATE_HOME/papaver/history`, if there is a home at all.
pub fn history_file() -> Option<PathBuf> {
    Some(base("XDG_STATE_HOME", ".local/state", variable)?.join("papaver").join("history"))
}

/// `$XDG_CONFIG_HOME/papaver/init.pl`, if it exists.
pub fn start_up_file() -> Option<PathBuf> {
    let path = base("XDG_CONFIG_HOME", ".config", variable)?.join("papaver").join("init.pl");
    path.is_file().then_some(path)
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The folder that `name` says if it is absolute (relative ones are invalid by the standard), else `fallback` in the home.
fn base(name: &str, fallback: &str, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    match variable(name).map(PathBuf::from).filter(|path| path.is_absolute()) {
        Some(path) => Some(path),
        None => Some(PathBuf::from(variable("HOME")?).join(fallback)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_folder_is_ignored() {
        let environment = |name: &str| match name {
            "XDG_STATE_HOME" => Some("here".into()),
            "HOME" => Some("/home/ada".into()),
            _ => None,
        };
        assert_eq!(base("XDG_STATE_HOME", ".local/state", environment), Some("/home/ada/.local/state".into()));
        assert_eq!(base("XDG_STATE_HOME", ".local/state", |_| None), None);
    }
}
