//! Named matrices in a file, in the format `safetensors`: the length of a header as eight bytes, the
//! header as JSON with type, sizes and place of each matrix, then all numbers, little-endian.
//!
//! Nothing is believed: the header must fit in the file, places must lie within the numbers, be of the
//! size that type and sizes say, and not overlap. Numbers are converted when they are asked for, so a
//! large table of embeddings stays in the mapped file.
use std::collections::BTreeMap;
use std::ops::Range;

use crossarc_model::storage::Bytes;
use half::{bf16, f16};
use serde::Deserialize;

use crate::error::EncoderError;

/// The longest header.
const MOST_HEADER: u64 = 64 << 20;
/// The most matrices.
const MOST_TENSORS: usize = 1 << 16;

/// How a number is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Type {
    F32,
    F16,
    Bf16,
}

impl Type {
    fn bytes(self) -> usize {
        if self == Type::F32 { 4 } else { 2 }
    }
}

/// An entry of the header as it is written.
#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

#[derive(Clone, Debug)]
struct Place {
    dtype: String,
    shape: Vec<usize>,
    range: Range<usize>,
}

/// The matrices of a file.
#[derive(Clone, Debug)]
pub struct Tensors {
    places: BTreeMap<String, Place>,
    numbers: Bytes,
}

/// One matrix, whose rows are converted when they are asked for.
#[derive(Clone, Debug)]
pub struct Tensor {
    kind: Type,
    columns: usize,
    numbers: Bytes,
}

impl Tensor {
    /// Writes a row.
    pub fn row(&self, row: usize, out: &mut [f32]) {
        let size = self.columns * self.kind.bytes();
        convert(self.kind, &self.numbers[row * size..][..size], out);
    }

    /// All numbers.
    pub fn to_vec(&self) -> Vec<f32> {
        let mut out = vec![0.0; self.numbers.len() / self.kind.bytes()];
        convert(self.kind, &self.numbers, &mut out);
        out
    }
}

fn convert(kind: Type, bytes: &[u8], out: &mut [f32]) {
    if kind == Type::F32 {
        let (fours, _) = bytes.as_chunks::<4>();
        out.iter_mut().zip(fours).for_each(|(out, &four)| *out = f32::from_le_bytes(four));
        return;
    }
    let (twos, _) = bytes.as_chunks::<2>();
    for (out, &two) in out.iter_mut().zip(twos) {
        let bits = u16::from_le_bytes(two);
        *out = if kind == Type::F16 {
            f16::from_bits(bits).to_f32()
        } else {
            bf16::from_bits(bits).to_f32()
        };
    }
}

impl Tensors {
    /// The matrices in the bytes of a file.
    pub fn read(bytes: &Bytes) -> Result<Tensors, EncoderError> {
        let wrong = |what: &str| EncoderError::weights(what);
        let length = bytes.get(..8).and_then(|eight| eight.try_into().ok()).map(u64::from_le_bytes);
        let length = length.ok_or_else(|| wrong("it ends within the length of its header"))?;
        if length > MOST_HEADER {
            return Err(wrong(&format!(
                "its header would have {length} bytes, at most {MOST_HEADER} are read: is it a safetensors file?"
            )));
        }
        let start = 8 + length as usize;
        let header = bytes.get(8..start).ok_or_else(|| wrong("it ends within its header"))?;
        let mut entries: BTreeMap<String, serde_json::Value> = serde_json::from_slice(header)
            .map_err(|error| wrong(&format!("its header is no JSON of matrices: {error}")))?;
        entries.remove("__metadata__");
        if entries.len() > MOST_TENSORS {
            return Err(wrong(&format!("more than {MOST_TENSORS} matrices")));
        }
        let numbers =
            bytes.part(start..bytes.len()).ok_or_else(|| wrong("it ends within its header"))?;
        let mut places = BTreeMap::new();
        for (name, entry) in entries {
            let told = |what: &str| wrong(&format!("`{}`: {what}", shown(&name)));
            let entry: Entry = serde_json::from_value(entry)
                .map_err(|error| told(&format!("no type, sizes and place: {error}")))?;
            let [from, to] = entry.data_offsets;
            let place = usize::try_from(from).ok().zip(usize::try_from(to).ok());
            let range = place.filter(|&(from, to)| from <= to && to <= numbers.len());
            let (from, to) = range.ok_or_else(|| {
                told(&format!("it should stand at {from}..{to}, but the file has {} bytes of numbers: it was cut off", numbers.len()))
            })?;
            let shape: Option<Vec<usize>> =
                entry.shape.iter().map(|&size| usize::try_from(size).ok()).collect();
            let shape = shape.ok_or_else(|| told("its sizes are beyond all limits"))?;
            places.insert(name, Place { dtype: entry.dtype, shape, range: from..to });
        }
        let mut ranges: Vec<(&Range<usize>, &String)> =
            places.iter().map(|(name, place)| (&place.range, name)).collect();
        ranges.sort_by_key(|(range, _)| (range.start, range.end));
        for pair in ranges.windows(2) {
            if pair[1].0.start < pair[0].0.end {
                return Err(wrong(&format!(
                    "`{}` and `{}` overlap",
                    shown(pair[0].1),
                    shown(pair[1].1)
                )));
            }
        }
        Ok(Tensors { places, numbers })
    }

    /// True if there is a matrix of this name.
    pub fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// The sizes of a matrix.
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.places.get(name).map(|place| &place.shape[..])
    }

    /// A matrix of these sizes, whose numbers are all finite.
    pub fn get(&self, name: &str, shape: &[usize]) -> Result<Tensor, EncoderError> {
        let told = |what: String| EncoderError::weights(format!("`{}`: {what}", shown(name)));
        let place = self.places.get(name).ok_or_else(|| told("it is missing".to_owned()))?;
        if place.shape != shape {
            return Err(told(format!(
                "its sizes are {}, by config.json they should be {}",
                sizes(&place.shape),
                sizes(shape)
            )));
        }
        let kind = match place.dtype.as_str() {
            "F32" => Type::F32,
            "F16" => Type::F16,
            "BF16" => Type::Bf16,
            other => {
                return Err(told(format!(
                    "its numbers are `{}`, but only F32, F16 and BF16 are read",
                    shown(other)
                )));
            }
        };
        let bytes = shape.iter().try_fold(kind.bytes(), |all, &size| all.checked_mul(size));
        if bytes != Some(place.range.len()) {
            return Err(told(format!(
                "{} bytes are too many or too few for its sizes {}",
                place.range.len(),
                sizes(shape)
            )));
        }
        let numbers = self.numbers.part(place.range.clone());
        let numbers = numbers.ok_or_else(|| told("it lies outside of the file".to_owned()))?;
        let tensor = Tensor { kind, columns: shape.last().copied().unwrap_or(1), numbers };
        if !tensor.is_finite() {
            return Err(told("it holds something that is not a number".to_owned()));
        }
        Ok(tensor)
    }
}

impl Tensor {
    /// True if each number is one: the bits of the exponent are not all set.
    fn is_finite(&self) -> bool {
        let mask = match self.kind {
            Type::F32 => {
                let (fours, _) = self.numbers.as_chunks::<4>();
                let odd = |bits: u32| u8::from(bits & 0x7F80_0000 == 0x7F80_0000);
                return fours.iter().fold(0, |any, &four| any | odd(u32::from_le_bytes(four))) == 0;
            }
            Type::F16 => 0x7C00_u16,
            Type::Bf16 => 0x7F80,
        };
        let (twos, _) = self.numbers.as_chunks::<2>();
        let odd = |bits: u16| u8::from(bits & mask == mask);
        twos.iter().fold(0, |any, &two| any | odd(u16::from_le_bytes(two))) == 0
    }
}

fn sizes(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    if sizes.is_empty() { "those of a single number".to_owned() } else { sizes.join(" x ") }
}

/// The beginning of a name, for messages.
pub fn shown(name: &str) -> String {
    const MOST: usize = 60;
    let mut text: String = name.chars().take(MOST).flat_map(char::escape_debug).collect();
    if name.chars().nth(MOST).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, numbers: &[u8]) -> Vec<u8> {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.bytes());
        bytes.extend(numbers);
        bytes
    }

    #[test]
    fn numbers_of_all_types_are_read() {
        let header = r#"{"__metadata__":{"format":"pt"},
            "a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},
            "b":{"dtype":"F16","shape":[2],"data_offsets":[8,12]},
            "c":{"dtype":"BF16","shape":[2],"data_offsets":[12,16]},
            "d":{"dtype":"I64","shape":[1],"data_offsets":[16,24]}}"#;
        let mut numbers: Vec<u8> = [1.5_f32, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        numbers.extend([0x00, 0x3C, 0x00, 0xC2]); // 1, -3
        numbers.extend([0x80, 0x3F, 0x40, 0xC0]); // 1, -3
        numbers.extend([0; 8]);
        let tensors = Tensors::read(&Bytes::copy(&file(header, &numbers))).unwrap();
        assert_eq!(tensors.get("a", &[2, 1]).unwrap().to_vec(), [1.5, -2.0]);
        assert_eq!(tensors.get("b", &[2]).unwrap().to_vec(), [1.0, -3.0]);
        assert_eq!(tensors.get("c", &[2]).unwrap().to_vec(), [1.0, -3.0]);
        let mut row = [0.0];
        tensors.get("a", &[2, 1]).unwrap().row(1, &mut row);
        assert_eq!(row, [-2.0]);
        for (name, shape, told) in [
            ("a", &[1, 2][..], "`a`: its sizes are 2 x 1, by config.json they should be 1 x 2"),
            ("d", &[1], "its numbers are `I64`"),
            ("e", &[1], "`e`: it is missing"),
        ] {
            let error = tensors.get(name, shape).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn files_that_are_none_are_refused() {
        let one =
            |entry: &str| file(&format!("{{\"a\":{entry}}}"), &[0, 0, 0xC0, 0x7F, 0, 0, 0, 0]);
        let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for (bytes, told) in [
            (vec![1, 2], "it ends within the length of its header"),
            (vec![0xFF; 9], "is it a safetensors file?"),
            (vec![9, 0, 0, 0, 0, 0, 0, 0, b'{'], "it ends within its header"),
            (file("{", &[]), "no JSON of matrices"),
            (file("[]", &[]), "no JSON of matrices"),
            (file(&nested, &[]), "no JSON of matrices"),
            (one("3"), "`a`: no type, sizes and place"),
            (one(r#"{"dtype":"F32","shape":[1],"data_offsets":[-1,3]}"#), "no type, sizes"),
            (one(r#"{"dtype":"F32","shape":[1],"data_offsets":[4,12]}"#), "it was cut off"),
            (one(r#"{"dtype":"F32","shape":[1],"data_offsets":[4,0]}"#), "it was cut off"),
            (one(r#"{"dtype":"F32","shape":[1],"data_offsets":[0,8]}"#), "too many or too few"),
            (one(r#"{"dtype":"F32","shape":[1],"data_offsets":[0,4]}"#), "is not a number"),
            (
                file(
                    r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}"#,
                    &[0; 8],
                ),
                "`a` and `b` overlap",
            ),
        ] {
            let tensors = Tensors::read(&Bytes::copy(&bytes));
            let error = tensors.and_then(|tensors| tensors.get("a", &[1])).unwrap_err().to_string();
            assert!(error.starts_with("model.safetensors: ") && error.contains(told), "{error}");
        }
        let huge =
            one(&format!(r#"{{"dtype":"F32","shape":[{0},{0}],"data_offsets":[0,4]}}"#, u64::MAX));
        let tensors = Tensors::read(&Bytes::copy(&huge)).unwrap();
        let most = usize::MAX;
        assert!(tensors.get("a", &[most, most]).unwrap_err().to_string().contains("too few"));
    }
}
