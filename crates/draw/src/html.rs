//! Many sentences on one self-contained page that needs no network and follows the reader's light
//! or dark setting.
//!
//! A page is written piece by piece, so its sentences need not be in memory together.
//!
//! ```
//! use crossarc_draw::{Drawing, Highlight, Options, Word, html};
//! let words = vec![Word::new("Stop", "VERB")];
//! let drawing = Drawing::new("1", words, &[(Some(0), "root")], Highlight::Crossing);
//! let page = html::opening("Examples", false)
//!     + &html::section(&drawing, 1, &Options::picture())
//!     + html::CLOSING;
//! assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
//! ```
use std::fmt::Write as _;

use super::svg::{STYLE, opening as open_picture, picture, sentence, xml};
use super::{Drawing, Options};

const PAGE_STYLE: &str = "\
:root{color-scheme:light dark}
body{margin:2rem auto;padding:0 1rem;max-width:1700px;background:#fff;color:#1f2328;\
font-family:system-ui,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif}
h1{font-size:1.3rem}
h2{font-size:.9rem;margin:0}
h2 a{color:#656d76;text-decoration:none}
section{margin:1.5rem 0;border-top:1px solid #d0d7de;padding-top:.8rem}
.text{margin:.4rem 0;line-height:1.5}
.picture{overflow-x:auto}
.legend span{margin-right:1.5rem;white-space:nowrap}
.legend svg{vertical-align:middle;margin-right:.4rem}
.arc:hover .line{stroke-width:3.5}
.arc:hover .label{font-weight:bold}
@media (prefers-color-scheme:dark){
body{background:#0d1117;color:#e6edf3}
h2 a{color:#8d96a0}
section{border-color:#30363d}
}
";

/// The head of the page, up to the first sentence.
pub fn opening(title: &str, comparison: bool) -> String {
    let title = xml(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{PAGE_STYLE}{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n{}",
        legend(comparison)
    )
}

fn legend(comparison: bool) -> String {
    let mut entries = vec![("crossing", "crossing arc")];
    if comparison {
        entries.extend([("gold", "only in gold"), ("system", "only in system")]);
    }
    let mut out = String::from("<p class=\"legend\">");
    for (class, meaning) in entries {
        let _ = write!(
            out,
            "<span><svg class=\"crossarc\" width=\"36\" height=\"10\"><g class=\"{class}\">\
             <path class=\"line\" d=\"M0 5H36\"/></g></svg>{meaning}</span>"
        );
    }
    if comparison {
        out.push_str("<span><b>gold/system</b> labels differ</span>");
    }
    out.push_str("</p>\n");
    out
}

/// One sentence; `number` makes its anchor (`#s1`).
pub fn section(drawing: &Drawing, number: usize, options: &Options) -> String {
    let picture = picture(drawing, options);
    let text = sentence(drawing);
    let direction = if drawing.is_right_to_left() { "rtl" } else { "ltr" };
    format!(
        "<section id=\"s{number}\">\n<h2><a href=\"#s{number}\">{title}</a></h2>\n\
         <p class=\"text\" dir=\"{direction}\">{words}</p>\n<div class=\"picture\">\n\
         {open}{body}</svg>\n</div>\n</section>\n",
        title = xml(&drawing.title),
        words = xml(&text),
        open = open_picture(picture.width, picture.height, &text),
        body = picture.body,
    )
}

/// The end of the page.
pub const CLOSING: &str = "</body>\n</html>\n";
