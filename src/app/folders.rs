//! Where the prompt keeps its history and finds its start-up file (XDG base directories).

use std::ffi::OsString;
use std::path::PathBuf;

/// `$XDG_STATE_HOME/papaver/history`, if there is a home at all.
pub(crate) fn history_file() -> Option<PathBuf> {
    Some(base("XDG_STATE_HOME", ".local/state", variable)?.join("papaver").join("history"))
}

/// The start-up scripts of the prompt that exist: `$XDG_CONFIG_HOME/papaver/init.pl`, then `.papaver-rc` of the working
/// folder, or of the home folder if the working folder has none.
pub(crate) fn start_up_files() -> Vec<PathBuf> {
    let settings = base("XDG_CONFIG_HOME", ".config", variable).map(|base| base.join("papaver").join("init.pl"));
    let home = variable("HOME").map(|home| PathBuf::from(home).join(START_UP));
    let nearest = [Some(PathBuf::from(START_UP)), home].into_iter().flatten().find(|path| path.is_file());
    settings.into_iter().filter(|path| path.is_file()).chain(nearest).collect()
}

/// The start-up script in a folder, similar to Morphine's.
const START_UP: &str = ".papaver-rc";

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The folder in the variable `name` if it is absolute (relative ones are invalid by the standard), otherwise
/// `fallback` in the home folder.
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
