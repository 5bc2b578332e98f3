//! What an encoder says about the words of a sentence: for each of some layers the mean of the pieces of
//! a word. Kept in half precision, for those of a whole treebank are held while a net is trained.
use half::f16;
use half::slice::HalfFloatSliceExt;

/// Numbers that are converted together.
const BLOCK: usize = 128;

/// What the layers of an encoder say about each word of a sentence, and about the whole of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Outputs {
    layers: usize,
    width: usize,
    numbers: Vec<f16>,
}

impl Outputs {
    /// From the numbers of all tokens: those of all layers of the first one, then those of the second.
    pub fn new(layers: usize, width: usize, numbers: &[f32]) -> Outputs {
        let mut halves = vec![f16::ZERO; numbers.len()];
        // What is beyond half precision is cut to the largest number, what is no number is zero.
        let most = f16::MAX.to_f32();
        let cut = |&x: &f32| if x.is_finite() { x.clamp(-most, most) } else { 0.0 };
        let cut: Vec<f32> = numbers.iter().map(cut).collect();
        halves.convert_from_f32_slice(&cut);
        Outputs { layers, width, numbers: halves }
    }

    /// Layers.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// Numbers of a word in a layer.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Tokens: the sentence as a whole, then its words.
    pub fn tokens(&self) -> usize {
        self.numbers.len() / (self.layers * self.width).max(1)
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        2 * self.numbers.len()
    }

    /// What all layers say about a token, one layer after the other. Token 0 is the sentence as a whole,
    /// words count from 1.
    pub fn of(&self, token: usize) -> Vec<f32> {
        let mut out = vec![0.0; self.layers * self.width];
        self.layers_of(token).flatten().zip(&mut out).for_each(|(&x, out)| *out = x.to_f32());
        out
    }

    fn layers_of(&self, token: usize) -> impl Iterator<Item = &[f16]> {
        let size = self.layers * self.width;
        self.numbers[token * size..][..size].chunks(self.width)
    }

    /// Adds the layers of a token, each with its weight.
    pub fn mix(&self, token: usize, weights: impl Iterator<Item = f32>, out: &mut [f32]) {
        let mut block = [0.0; BLOCK];
        for (layer, weight) in self.layers_of(token).zip(weights) {
            for (halves, out) in layer.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
                let numbers = &mut block[..halves.len()];
                halves.convert_to_f32_slice(numbers);
                out.iter_mut().zip(numbers).for_each(|(sum, x)| *sum += weight * *x);
            }
        }
    }

    /// Adds to the gradients of the weights of a mixture what comes from the gradient of the mixture,
    /// scaled.
    pub fn mix_backward(&self, token: usize, slope: &[f32], scale: f32, weights: &mut [f32]) {
        let mut block = [0.0; BLOCK];
        for (layer, sum) in self.layers_of(token).zip(weights) {
            for (halves, slope) in layer.chunks(BLOCK).zip(slope.chunks(BLOCK)) {
                let numbers = &mut block[..halves.len()];
                halves.convert_to_f32_slice(numbers);
                *sum += scale * slope.iter().zip(numbers).map(|(a, b)| a * *b).sum::<f32>();
            }
        }
    }
}
