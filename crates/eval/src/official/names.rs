//! Texts of columns as small numbers, shared by the files that are compared.
use std::collections::HashMap;

/// Numbers for column values: equal numbers are equal texts.
#[derive(Default)]
pub struct Names {
    by_text: HashMap<Box<str>, u32>,
}

impl Names {
    /// The number of a text.
    pub fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.by_text.get(text) {
            return number;
        }
        let number = self.by_text.len() as u32;
        self.by_text.insert(text.into(), number);
        number
    }
}
