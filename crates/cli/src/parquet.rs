//! Tables in Apache Parquet, which data frames of R, Python and Spark read.
//!
//! What there is of the format is what a table of words needs: columns of text and of numbers, with gaps; values
//! as they are, packed with Zstandard; a page for each column of a group of rows. Only one group is in memory.
//!
//! ```text
//! PAR1 (column of the first group: page header, page) ... footer, its length, PAR1
//! page    levels: whether each value is there, in runs; then the values that are
//! footer  the columns, and where those of each group are
//! ```
//!
//! Headers and footer are structures of Thrift in its compact protocol.
use std::io;

/// Bytes that a group may have before it is packed.
const GROUP_BYTES: usize = 32 << 20;
/// Rows of a group.
const GROUP_ROWS: usize = 1 << 17;
/// How hard Zstandard tries.
const LEVEL: i32 = 3;

const MAGIC: &[u8] = b"PAR1";

/// What a column holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Text,
    Number,
}

/// A value of a row.
#[derive(Copy, Clone, Debug)]
pub enum Cell<'c> {
    Text(&'c str),
    Number(i32),
    Missing,
}

/// Types of fields in the compact protocol of Thrift.
mod thrift {
    pub const I32: u8 = 5;
    pub const I64: u8 = 6;
    pub const BINARY: u8 = 8;
    pub const LIST: u8 = 9;
    pub const STRUCT: u8 = 12;
}

/// A structure of Thrift that is being written.
#[derive(Default)]
struct Structure {
    bytes: Vec<u8>,
    last: u8,
}

impl Structure {
    fn field(&mut self, number: u8, kind: u8) -> &mut Vec<u8> {
        self.bytes.push(((number - self.last) << 4) | kind);
        self.last = number;
        &mut self.bytes
    }

    fn i32(mut self, number: u8, value: i32) -> Structure {
        zigzag(i64::from(value), self.field(number, thrift::I32));
        self
    }

    fn i64(mut self, number: u8, value: u64) -> Structure {
        zigzag(value as i64, self.field(number, thrift::I64));
        self
    }

    fn text(mut self, number: u8, value: &str) -> Structure {
        text(value, self.field(number, thrift::BINARY));
        self
    }

    fn list(mut self, number: u8, kind: u8, items: &[Vec<u8>]) -> Structure {
        let bytes = self.field(number, thrift::LIST);
        if items.len() < 15 {
            bytes.push(((items.len() as u8) << 4) | kind);
        } else {
            bytes.push(0xf0 | kind);
            varint(items.len() as u64, bytes);
        }
        for item in items {
            bytes.extend(item);
        }
        self
    }

    fn structure(mut self, number: u8, inner: Structure) -> Structure {
        self.field(number, thrift::STRUCT).extend(inner.end());
        self
    }

    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

fn varint(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn zigzag(value: i64, bytes: &mut Vec<u8>) {
    varint(((value << 1) ^ (value >> 63)) as u64, bytes);
}

fn text(value: &str, bytes: &mut Vec<u8>) {
    varint(value.len() as u64, bytes);
    bytes.extend(value.bytes());
}

/// A column of the group that is being filled.
struct Column {
    name: &'static str,
    kind: Type,
    /// Runs of values that are there or not.
    levels: Vec<u8>,
    is_there: bool,
    run: u64,
    values: Vec<u8>,
}

impl Column {
    fn add(&mut self, cell: Cell<'_>) {
        let is_there = match (cell, self.kind) {
            (Cell::Text(text), Type::Text) => {
                self.values.extend((text.len() as u32).to_le_bytes());
                self.values.extend(text.bytes());
                true
            }
            (Cell::Number(number), Type::Number) => {
                self.values.extend(number.to_le_bytes());
                true
            }
            _ => false,
        };
        if is_there != self.is_there {
            self.end_run();
            self.is_there = is_there;
        }
        self.run += 1;
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        if run > 0 {
            varint(run << 1, &mut self.levels);
            self.levels.push(u8::from(self.is_there));
        }
    }

    fn physical(&self) -> i32 {
        match self.kind {
            Type::Text => 6,
            Type::Number => 1,
        }
    }

    /// Its element of the schema: every value may be missing.
    fn schema(&self) -> Vec<u8> {
        let element = Structure::default().i32(1, self.physical()).i32(3, 1).text(4, self.name);
        // UTF-8.
        if self.kind == Type::Text { element.i32(6, 0).end() } else { element.end() }
    }

    /// Writes its page, which `start` bytes stand before; what the footer says of it, and its size unpacked.
    fn end_page(
        &mut self,
        rows: usize,
        start: u64,
        out: &mut Vec<u8>,
    ) -> io::Result<(Structure, u64)> {
        self.end_run();
        let mut page = (self.levels.len() as u32).to_le_bytes().to_vec();
        page.append(&mut self.levels);
        page.append(&mut self.values);
        let packed = zstd::bulk::compress(&page, LEVEL)?;
        // Values as they are (0); levels in runs (3).
        let content = Structure::default().i32(1, rows as i32).i32(2, 0).i32(3, 3).i32(4, 3);
        let header = Structure::default()
            .i32(1, 0)
            .i32(2, page.len() as i32)
            .i32(3, packed.len() as i32)
            .structure(5, content)
            .end();
        out.extend(&header);
        out.extend(&packed);
        let encodings: Vec<Vec<u8>> = [0, 3]
            .map(|way| {
                let mut bytes = Vec::new();
                zigzag(way, &mut bytes);
                bytes
            })
            .into();
        let mut name = Vec::new();
        text(self.name, &mut name);
        let size = (header.len() + page.len()) as u64;
        // Zstandard is 6.
        let content = Structure::default()
            .i32(1, self.physical())
            .list(2, thrift::I32, &encodings)
            .list(3, thrift::BINARY, &[name])
            .i32(4, 6)
            .i64(5, rows as u64)
            .i64(6, size)
            .i64(7, (header.len() + packed.len()) as u64)
            .i64(9, start);
        Ok((content, size))
    }
}

/// A table that is being written.
pub struct Parquet {
    columns: Vec<Column>,
    rows: usize,
    bytes: usize,
    all_rows: u64,
    written: u64,
    groups: Vec<Vec<u8>>,
}

impl Parquet {
    /// An empty table; its first bytes go to `out`.
    pub fn new(
        columns: impl IntoIterator<Item = (&'static str, Type)>,
        out: &mut Vec<u8>,
    ) -> Parquet {
        out.extend(MAGIC);
        let column = |(name, kind)| Column {
            name,
            kind,
            levels: Vec::new(),
            is_there: true,
            run: 0,
            values: Vec::new(),
        };
        Parquet {
            columns: columns.into_iter().map(column).collect(),
            rows: 0,
            bytes: 0,
            all_rows: 0,
            written: MAGIC.len() as u64,
            groups: Vec::new(),
        }
    }

    /// Adds a row; a value of another type than its column is missing.
    pub fn row<'c>(
        &mut self,
        cells: impl IntoIterator<Item = Cell<'c>>,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.add(cell);
            self.bytes += if let Cell::Text(text) = cell { 4 + text.len() } else { 4 };
        }
        self.rows += 1;
        if self.rows == GROUP_ROWS || self.bytes >= GROUP_BYTES {
            self.end_group(out)
        } else {
            Ok(())
        }
    }

    fn end_group(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        if rows == 0 {
            return Ok(());
        }
        let mut size = 0;
        let mut chunks = Vec::with_capacity(self.columns.len());
        for column in &mut self.columns {
            let (start, before) = (self.written, out.len());
            let (content, unpacked) = column.end_page(rows, start, out)?;
            size += unpacked;
            self.written += (out.len() - before) as u64;
            chunks.push(Structure::default().i64(2, start).structure(3, content).end());
        }
        let group =
            Structure::default().list(1, thrift::STRUCT, &chunks).i64(2, size).i64(3, rows as u64);
        self.groups.push(group.end());
        self.all_rows += rows as u64;
        Ok(())
    }

    /// Ends the table.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        self.end_group(out)?;
        let root = Structure::default().text(4, "schema").i32(5, self.columns.len() as i32).end();
        let schema: Vec<Vec<u8>> =
            std::iter::once(root).chain(self.columns.iter().map(Column::schema)).collect();
        let footer = Structure::default()
            .i32(1, 1)
            .list(2, thrift::STRUCT, &schema)
            .i64(3, self.all_rows)
            .list(4, thrift::STRUCT, &self.groups)
            .text(6, concat!("crossarc ", env!("CARGO_PKG_VERSION")))
            .end();
        out.extend(&footer);
        out.extend((footer.len() as u32).to_le_bytes());
        out.extend(MAGIC);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_thrift_has_them() {
        for (value, bytes) in
            [(0, &[0][..]), (-1, &[1]), (1, &[2]), (-64, &[127]), (300, &[0xd8, 4])]
        {
            let mut out = Vec::new();
            zigzag(value, &mut out);
            assert_eq!(out, bytes, "{value}");
        }
        let inner = Structure::default().i32(2, 5);
        assert_eq!(
            Structure::default().i32(1, 1).structure(5, inner).end(),
            [0x15, 2, 0x4c, 0x25, 10, 0, 0]
        );
    }

    /// Text that an independent reader (pyarrow) reads as well: `scripts/check_injection.py`.
    #[test]
    fn pages_hold_what_is_there() {
        let mut out = Vec::new();
        let mut table = Parquet::new([("a", Type::Text), ("b", Type::Number)], &mut out);
        table.row([Cell::Text("x"), Cell::Number(7)], &mut out).unwrap();
        table.row([Cell::Missing, Cell::Number(-1)], &mut out).unwrap();
        let column = &mut table.columns[0];
        column.end_run();
        assert_eq!(
            (&column.levels[..], &column.values[..]),
            (&[2, 1, 2, 0][..], &[1, 0, 0, 0, b'x'][..])
        );
        table.finish(&mut out).unwrap();
        assert!(out.starts_with(MAGIC) && out.ends_with(MAGIC));
        let length = out[out.len() - 8..out.len() - 4].try_into().map(u32::from_le_bytes).unwrap();
        let footer = &out[out.len() - 8 - length as usize..out.len() - 8];
        // Version 1, then a list of three structures: the first is called schema and has two children.
        assert!(footer.starts_with(b"\x15\x02\x19\x3c\x48\x06schema\x15\x04\x00"), "{footer:?}");
        assert_eq!(footer.last(), Some(&0));
    }

    #[test]
    fn memory_holds_one_group() {
        let mut out = Vec::new();
        let mut table = Parquet::new([("a", Type::Text)], &mut out);
        let long = "x".repeat(GROUP_BYTES / 4);
        for _ in 0..9 {
            table.row([Cell::Text(&long)], &mut out).unwrap();
        }
        assert_eq!((table.groups.len(), table.rows), (2, 1));
        assert!(table.columns[0].values.len() < GROUP_BYTES);
        table.finish(&mut out).unwrap();
        assert_eq!((table.groups.len(), table.all_rows), (3, 9));
    }
}
