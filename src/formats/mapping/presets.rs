//! The maps that papaver brings, each a text of the language of maps.

use std::sync::LazyLock;

use super::{JsonMap, read_maps};

/// A map that papaver brings.
#[derive(Debug)]
pub(crate) struct Preset {
    pub(crate) name: &'static str,
    /// Its clauses, with a comment before them.
    pub(crate) text: &'static str,
}

macro_rules! presets {
    ($($name:ident)*) => {
        /// All of them; of those that fit a file equally well, the first counts.
        pub(crate) const PRESETS: &[Preset] = &[$(Preset {
            name: stringify!($name),
            text: include_str!(concat!("presets/", stringify!($name), ".pl")),
        },)*];
    };
}

presets! { tracing go_test python_json structlog pino journald k8s_audit agent_messages agent_calls }

impl Preset {
    /// One line that says whose lines it is for: its first comment.
    pub(crate) fn summary(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("% ")
    }

    /// The preset with a name.
    pub(crate) fn named(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name)
    }
}

/// The compiled presets.
pub(crate) fn preset_maps() -> &'static [JsonMap] {
    static MAPS: LazyLock<Vec<JsonMap>> = LazyLock::new(|| PRESETS.iter().flat_map(compiled).collect());
    &MAPS
}

fn compiled(preset: &Preset) -> Vec<JsonMap> {
    read_maps(preset.name, preset.text).unwrap_or_else(|error| unreachable!("a preset is right: {error}"))
}
