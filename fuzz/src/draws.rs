//! Bytes as a source of choices; zeros when they are used up.

/// Choices made by bytes.
pub struct Draws<'b>(&'b [u8]);

impl<'b> Draws<'b> {
    /// Choices made by these bytes.
    pub fn new(bytes: &'b [u8]) -> Draws<'b> {
        Draws(bytes)
    }

    /// True if nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// The next four bytes.
    pub fn word(&mut self) -> u32 {
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }

    /// A number below a bound; zero if the bound is.
    pub fn below(&mut self, bound: usize) -> usize {
        let drawn = if bound <= 256 { u32::from(self.byte()) } else { self.word() };
        drawn as usize % bound.max(1)
    }

    /// Any number at all, also one that is none.
    pub fn number(&mut self) -> f32 {
        match self.byte() {
            0 => f32::from_bits(self.word()),
            1 => f32::INFINITY,
            2 => f32::NAN,
            // Small ones, with many ties.
            other => f32::from(other % 16) - 8.0,
        }
    }

    /// A few bytes as text.
    pub fn text(&mut self) -> String {
        let length = self.below(12).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    /// All that is left.
    pub fn rest(self) -> &'b [u8] {
        self.0
    }
}
