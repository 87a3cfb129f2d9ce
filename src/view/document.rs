//! The page as one document: its parts in `page`, the data between them, and a policy that forbids everything but what
//! stands in it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::payload::{PageContents, PageSource};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");

/// The scripts, the one that starts the page last.
const SCRIPTS: &[&str] = include!(concat!(env!("OUT_DIR"), "/view_scripts.rs"));

/// The bytes of a file with few events, and with very many.
const LEAST: usize = 195_000;
const MOST: usize = 8_000_000;
/// The events of which there are few, and what each further one adds.
const FEW: usize = 1000;
const MORE: usize = 130;

/// The page as a file that needs nothing else; the same contents give the same bytes.
pub(crate) fn file(contents: &PageContents) -> String {
    let n_events: usize = contents.traces.iter().map(|trace| trace.timeline.trace.n_events() as usize).sum();
    let most = LEAST.saturating_add(n_events.saturating_sub(FEW).saturating_mul(MORE)).min(MOST);
    let around = document(&contents.title, "", "");
    let data = contents.json(&PageSource::File(most.saturating_sub(around.len())));
    document(&contents.title, &data, "")
}

/// The page as the server gives it below a path.
pub(crate) fn served(contents: &PageContents, base: &str) -> String {
    document(&contents.title, &contents.json(&PageSource::Server(base.to_string())), " connect-src 'self';")
}

fn document(title: &str, data: &str, allowed: &str) -> String {
    let style = without_comments(STYLE);
    let script = SCRIPTS.iter().map(|script| without_comments(script)).collect::<String>();
    let page = PAGE.replacen("{{style}}", &style, 1).replacen("{{script}}", &script, 1);
    let hash = |element: &str| {
        let inside =
            page.rsplit_once(&format!("<{element}>")).and_then(|(_, rest)| rest.split_once(&format!("</{element}>")));
        STANDARD.encode(Sha256::digest(inside.map_or("", |(inside, _)| inside)))
    };
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}';{allowed} base-uri 'none'; form-action 'none'",
        hash("script"),
        hash("style")
    );
    let page = page.replacen("{{csp}}", &policy, 1).replacen("{{title}}", &markup(title), 1);
    let (before, after) = page.split_once("{{data}}").unwrap_or((&page, ""));
    format!("{before}{data}{after}")
}

/// A source without indentation and without comments that fill their lines.
fn without_comments(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut is_comment = false;
    for line in source.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let begins_comment = line.starts_with("/*") && line.find("*/").is_none_or(|end| end + 2 == line.len());
        if is_comment || begins_comment {
            is_comment = !line.ends_with("*/");
        } else if !line.starts_with("//") {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// A text with the characters of markup and of the places in the page escaped.
fn markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('{', "&#123;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_comments_are_left_out_and_strings_with_slashes_are_not() {
        let source = "// what\n/** Says\n * more. */\nconst a = 1; // here\n  const b = \"// no\";\n/* one */\nc();\n/* d */ e {}\n";
        let expected = "const a = 1; // here\nconst b = \"// no\";\nc();\n/* d */ e {}\n";
        assert_eq!(without_comments(source), expected);
    }

    #[test]
    fn no_source_of_the_page_ends_its_element() {
        assert!(SCRIPTS.iter().all(|script| !script.to_lowercase().contains("</script")));
        assert!(!STYLE.to_lowercase().contains("</style"));
        for place in ["{{csp}}", "{{title}}", "{{style}}", "{{data}}", "{{script}}"] {
            assert_eq!(PAGE.matches(place).count(), 1, "{place}");
        }
    }
}
