//! Tables in plain text: names to the left, figures aligned to the right.
use std::io::{self, Write};

use conll::printable;

/// Rows of cells under a header. Cells may come from data: nothing in them steers a terminal.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column names.
    pub fn new<'a>(header: impl IntoIterator<Item = &'a str>) -> Table {
        Table { rows: vec![header.into_iter().map(|name| printable(name).into_owned()).collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| printable(&cell).into_owned()).collect());
    }

    /// Writes the table, columns two blanks apart.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths = vec![0; columns];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for row in &self.rows {
            let mut line = String::new();
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let padding = " ".repeat(width - cell.chars().count());
                if at == 0 {
                    line.push_str(cell);
                    line.push_str(&padding);
                } else {
                    line.push_str("  ");
                    line.push_str(&padding);
                    line.push_str(cell);
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A number with commas: 12,345.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_do_not_steer_a_terminal() {
        let mut table = Table::new(["a\u{202e}"]);
        table.row(["\u{1b}[31m".into()]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a\\u{202e}\n\\u{1b}[31m\n");
    }

    #[test]
    fn figures_are_aligned() {
        let mut table = Table::new(["name", "n"]);
        table.row(["é".into(), thousands(1_234_567)]);
        table.row(["abcdef".into(), thousands(999)]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        let expected = "name            n\né       1,234,567\nabcdef        999\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
