//! The vectors of words outside training, where those of the letters of a form can be remembered.
use std::collections::HashMap;

use crate::context::{Context, ContextMemory};
use crate::inputs::{CHARACTERS, Columns, Encoded, Encoder, scale};

/// Forms whose letters are remembered.
const MOST_FORMS: usize = 50_000;

/// What one thread remembers of the forms it has met.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    places: HashMap<Box<str>, usize>,
    letters: Vec<f32>,
}

impl Forms {
    /// Writes the vectors of the tokens of packed sentences, the root's before those of words.
    pub fn embed<'a, W: Iterator<Item = Columns<'a>> + Clone>(
        &mut self,
        (context, values): (&Context, &[f32]),
        encoder: &Encoder,
        sentences: impl Iterator<Item = W>,
        memory: &mut ContextMemory,
    ) {
        let (width, stride) = (context.shape.embedding, context.shape.read_width(0));
        if self.places.len() > MOST_FORMS {
            self.places.clear();
            self.letters.clear();
        }
        memory.read.resize(context.shape.layers + 1, Vec::new());
        let ContextMemory { packing, read, .. } = memory;
        let x = &mut read[0];
        x.clear();
        x.resize(packing.rows() * stride, 0.0);
        let sentences: Vec<W> = sentences.collect();
        let forms = |words: &W| words.clone().map(|word| word.form).collect();
        let outputs = encoder.outside().outputs(&sentences.iter().map(forms).collect::<Vec<_>>());
        for (at, (words, outputs)) in sentences.into_iter().zip(outputs).enumerate() {
            let encoded = Encoded { outputs, ..encoder.encode(words.clone(), false) };
            for token in 0..packing.lengths()[at] {
                let row = packing.row(at, token) * stride;
                for (table, vectors) in context.tables.iter().enumerate() {
                    if table != CHARACTERS || token == 0 {
                        let out = &mut x[row + table * width..][..width];
                        vectors.sum(encoded.bags[table].get(token), out);
                    }
                }
                context.copy_given(values, &encoded, token, &[1.0], &mut x[row..row + stride]);
            }
            for (token, word) in words.enumerate() {
                let row = packing.row(at, token + 1) * stride;
                let place = if let Some(&place) = self.places.get(word.form) {
                    place
                } else {
                    let place = self.letters.len();
                    let mut rows = Vec::new();
                    encoder.characters(word.form, &mut rows);
                    self.letters.resize(place + width, 0.0);
                    let vectors = &context.tables[CHARACTERS];
                    vectors.sum((&rows, scale(rows.len())), &mut self.letters[place..]);
                    self.places.insert(word.form.into(), place);
                    place
                };
                let out = &mut x[row + CHARACTERS * width..][..width];
                out.copy_from_slice(&self.letters[place..][..width]);
            }
        }
    }
}
