//! Tables in Markdown.
use std::fmt::Write as _;

/// Text whose marks mean nothing.
pub fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('*', "\\*")
}

/// A table. Heads come with whether their column holds names, which stand at the left; cells are written as
/// they are.
pub fn table<'a>(
    heads: impl IntoIterator<Item = (&'a str, bool)>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let (heads, are_names): (Vec<&str>, Vec<bool>) = heads.into_iter().unzip();
    let heads: Vec<String> = heads.into_iter().map(escape).collect();
    let mut text = format!("| {} |\n|", heads.join(" | "));
    for is_name in are_names {
        text += if is_name { "---|" } else { "---:|" };
    }
    text.push('\n');
    for row in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}
