//! Text in lines of a terminal's width.

/// Lines of at most 80 columns, each moved in.
pub fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && indent.len() + line.chars().count() + word.chars().count() > 79 {
            lines.push_str(&format!("{indent}{line}\n"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push_str(&format!("{indent}{line}\n"));
    }
    lines
}
