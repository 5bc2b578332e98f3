//! What was said about sentences, up to a limit: when it is full, the older half is forgotten.
use std::collections::HashMap;
use std::sync::Arc;

use crate::outputs::Outputs;

/// Two halves: the newer one is filled, the older one forgotten when it is full.
#[derive(Debug)]
pub struct Memory {
    limit: usize,
    halves: [HashMap<Box<str>, Arc<Outputs>>; 2],
    bytes: usize,
}

impl Memory {
    /// Empty, for so many bytes.
    pub fn new(limit: usize) -> Memory {
        Memory { limit, halves: Default::default(), bytes: 0 }
    }

    /// For so many bytes from now on.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// What was said about a sentence.
    pub fn get(&self, sentence: &str) -> Option<Arc<Outputs>> {
        self.halves.iter().find_map(|half| half.get(sentence)).cloned()
    }

    /// Remembers what was said.
    pub fn put(&mut self, sentence: &str, outputs: &Arc<Outputs>) {
        self.bytes += outputs.bytes() + sentence.len();
        if self.bytes > self.limit / 2 {
            let [newer, older] = &mut self.halves;
            *older = std::mem::take(newer);
            self.bytes = outputs.bytes() + sentence.len();
        }
        self.halves[0].insert(sentence.into(), Arc::clone(outputs));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_stays_within_its_limit() {
        let mut memory = Memory::new(4000);
        let outputs = |x| Arc::new(Outputs::new(1, 50, &[x; 50]));
        for at in 0..1000_u16 {
            let name = format!("{at}");
            memory.put(&name, &outputs(f32::from(at)));
            assert_eq!(memory.get(&name), Some(outputs(f32::from(at))));
            assert!(memory.halves.iter().map(HashMap::len).sum::<usize>() <= 40);
        }
        assert!(memory.get("990").is_some() && memory.get("1").is_none());
    }
}
