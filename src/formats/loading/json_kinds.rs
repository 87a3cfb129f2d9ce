//! Kinds of JSON documents that are not traces in one of the formats, known by their keys.

/// The name of a kind, and the keys that a document of the kind has.
const KINDS: &[(&str, &[&str])] = &[
    ("an OpenTelemetry export", &["resourceLogs"]),
    ("an OpenTelemetry export", &["resourceMetrics"]),
    ("an HTTP archive", &["log", "entries", "creator"]),
    ("a SARIF report", &["runs", "tool"]),
    ("a CPU profile", &["nodes", "startTime", "endTime"]),
    ("a speedscope profile", &["shared", "frames", "profiles"]),
];

/// The kind of JSON document with which a file begins, if it is known.
pub(crate) fn kind(head: &[u8]) -> Option<&'static str> {
    let is_json = matches!(head.trim_ascii_start().first(), Some(b'{' | b'['));
    let has_key = |key: &&str| memchr::memmem::find(head, format!("\"{key}\"").as_bytes()).is_some();
    let known = KINDS.iter().find(|(_, keys)| is_json && keys.iter().all(has_key));
    known.map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_known_by_their_keys() {
        for (text, expected) in [
            (r#"{"resourceLogs": [{"scopeLogs": []}]}"#, Some("an OpenTelemetry export")),
            (r#"{"runs": [{"tool": {}}]}"#, Some("a SARIF report")),
            (r#"{"level": "info"}"#, None),
            ("resourceLogs", None),
        ] {
            assert_eq!(kind(text.as_bytes()), expected);
        }
    }
}
