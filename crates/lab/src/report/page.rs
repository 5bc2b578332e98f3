//! One self-contained HTML file: style and script inside, nothing fetched, light and dark.
use std::fmt::Write;

use super::plot::{escape, svg};
use super::{Panel, Value};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A page of panels.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Stands above everything.
    pub title: String,
    /// Paragraphs below the title.
    pub about: Vec<String>,
    /// What is shown.
    pub panels: Vec<Panel>,
    /// A part that is not made of panels.
    pub extra: Option<Extra>,
}

/// A section with its own markup, data and script.
#[derive(Clone, Debug)]
pub struct Extra {
    /// For links.
    pub name: String,
    /// Stands above it.
    pub title: String,
    /// Its markup.
    pub html: String,
    /// What the script works on: JSON.
    pub data: String,
    /// JavaScript.
    pub script: &'static str,
    /// Further rules of style.
    pub style: &'static str,
}

impl Page {
    /// The file.
    pub fn to_html(&self) -> String {
        let title = escape(&self.title);
        let more_style = self.extra.as_ref().map_or("", |extra| extra.style);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{STYLE}{more_style}</style>\n</head>\n<body>\n<nav><ol>\n"
        );
        let links = self.panels.iter().map(|panel| (&panel.name, &panel.title));
        for (name, title) in links.chain(self.extra.iter().map(|extra| (&extra.name, &extra.title)))
        {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "<li><a href=\"#{}\">{}</a></li>", escape(name), escape(title));
        }
        let _ = write!(out, "</ol></nav>\n<main>\n<header><h1>{title}</h1>\n");
        for paragraph in &self.about {
            let _ = writeln!(out, "<p>{}</p>", escape(paragraph));
        }
        out += "</header>\n";
        for panel in &self.panels {
            section(&mut out, panel);
        }
        if let Some(extra) = &self.extra {
            let _ = write!(
                out,
                "<section id=\"{}\"><h2>{}</h2>\n{}\n</section>\n\
                 <script type=\"application/json\" id=\"data\">{}</script>\n",
                escape(&extra.name),
                escape(&extra.title),
                extra.html,
                // A `<` inside JSON is inside a string, where it can be written in this way, too.
                extra.data.replace('<', "\\u003c"),
            );
        }
        let script = self.extra.as_ref().map_or("", |extra| extra.script);
        let _ = write!(out, "</main>\n<script>\n{SCRIPT}{script}</script>\n</body>\n</html>\n");
        out
    }
}

fn section(out: &mut String, panel: &Panel) {
    let _ =
        writeln!(out, "<section id=\"{}\"><h2>{}</h2>", escape(&panel.name), escape(&panel.title));
    for paragraph in panel.about.split('\n').filter(|paragraph| !paragraph.is_empty()) {
        let _ = writeln!(out, "<p class=\"about\">{}</p>", escape(paragraph));
    }
    if !panel.charts.is_empty() {
        out.push_str("<div class=\"charts\">\n");
        for chart in &panel.charts {
            let _ = write!(
                out,
                "<figure><figcaption>{}</figcaption>\n{}</figure>\n",
                escape(&chart.title),
                svg(chart)
            );
        }
        out.push_str("</div>\n");
    }
    table(out, panel);
    out.push_str("</section>\n");
}

fn table(out: &mut String, panel: &Panel) {
    if panel.rows.is_empty() {
        return;
    }
    let is_name =
        |column: usize| panel.rows.iter().all(|row| row.get(column).is_none_or(Value::is_text));
    out.push_str("<div class=\"numbers\"><table>\n<thead><tr>");
    for (column, head) in panel.columns.iter().enumerate() {
        let class = if is_name(column) { "n" } else { "f" };
        let _ = write!(out, "<th class=\"{class}\">{}</th>", escape(head));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &panel.rows {
        out.push_str("<tr>");
        for (column, value) in row.iter().enumerate() {
            let class = if is_name(column) { "n" } else { "f" };
            let _ = write!(out, "<td class=\"{class}\">{}</td>", escape(&value.to_string()));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_data_cannot_break_out() {
        let panel = Panel {
            rows: vec![vec![Value::text("<script>alert(1)</script>")]],
            ..Panel::new("p\"", "<b>", "a & b", ["</table>"])
        };
        let extra = Extra {
            name: "e".into(),
            title: "E".into(),
            html: "<p>x</p>".into(),
            data: "[\"</script><script>alert(2)</script>\"]".into(),
            script: "",
            style: "",
        };
        let page = Page {
            title: "T & <T>".into(),
            panels: vec![panel],
            extra: Some(extra),
            ..Page::default()
        };
        let html = page.to_html();
        assert!(!html.contains("alert(1)</script>") && !html.contains("alert(2)</script>"));
        assert_eq!(html.matches("</script>").count(), 2, "the data and the script");
        assert!(html.contains("<title>T &amp; &lt;T&gt;</title>"));
        assert!(!html.contains("http://") && !html.contains("https://"), "nothing is fetched");
    }
}
