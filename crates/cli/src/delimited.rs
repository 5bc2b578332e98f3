//! Rows of CSV and TSV that other programs read as they were meant.
//!
//! CSV is quoted as RFC 4180 says. It is what spreadsheets open, and they run a cell that begins like a
//! formula: such a cell gets a `'` in front. TSV is for programs: nothing is added, and tabs and line
//! ends within a cell become blanks.

/// The kinds of table.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Delimited {
    /// Commas and quotes.
    Csv,
    /// Tabs.
    Tsv,
}

impl Delimited {
    /// Adds a row.
    pub fn row<'c>(self, cells: impl IntoIterator<Item = &'c str>, out: &mut Vec<u8>) {
        for (at, cell) in cells.into_iter().enumerate() {
            match self {
                Delimited::Csv => {
                    if at > 0 {
                        out.push(b',');
                    }
                    csv_cell(cell, out);
                }
                Delimited::Tsv => {
                    if at > 0 {
                        out.push(b'\t');
                    }
                    let blank =
                        |byte| if matches!(byte, b'\t' | b'\n' | b'\r') { b' ' } else { byte };
                    out.extend(cell.bytes().map(blank));
                }
            }
        }
        out.push(b'\n');
    }
}

fn csv_cell(cell: &str, out: &mut Vec<u8>) {
    let guard = begins_formula(cell);
    let quoted =
        cell.contains([',', '"', '\n', '\r']) || cell.starts_with(' ') || cell.ends_with(' ');
    if quoted {
        out.push(b'"');
    }
    if guard {
        out.push(b'\'');
    }
    if quoted {
        out.extend(cell.replace('"', "\"\"").bytes());
        out.push(b'"');
    } else {
        out.extend(cell.bytes());
    }
}

/// Whether a spreadsheet would calculate the cell: not a lone sign, and not a number.
fn begins_formula(cell: &str) -> bool {
    let mut characters = cell.chars();
    let sign =
        characters.next().is_some_and(|first| matches!(first, '=' | '+' | '-' | '@' | '\t' | '\r'));
    let rest = characters.as_str();
    sign && !rest.is_empty() && !rest.chars().all(|c| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: Delimited, cells: &[&str]) -> String {
        let mut out = Vec::new();
        kind.row(cells.iter().copied(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn cells_are_quoted_and_no_formulas() {
        let cells = [
            "a",
            "b,c",
            "say \"hi\"",
            "two\nlines",
            "=HYPERLINK(\"x\")",
            "-",
            "-12.5",
            "@me",
            " x",
        ];
        assert_eq!(
            row(Delimited::Csv, &cells),
            "a,\"b,c\",\"say \"\"hi\"\"\",\"two\nlines\",\"'=HYPERLINK(\"\"x\"\")\",-,-12.5,'@me,\" x\"\n"
        );
        assert_eq!(row(Delimited::Tsv, &["a\tb", "=1+1", "two\nlines"]), "a b\t=1+1\ttwo lines\n");
    }
}
