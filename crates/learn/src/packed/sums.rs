//! Bytes that stand for weights, added to sums side by side.
use super::{MOST_DENSE, expand};

/// Sums that are added to side by side.
pub(super) const LANES: usize = 8;

/// What each byte stands for.
pub(super) static EXPANDED: [i32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = expand(byte as u8);
        byte += 1;
    }
    table
};

/// Makes a function of another one that is compiled twice: also for wide registers, which are taken where
/// the processor has them. Sums are whole numbers, so both give the same.
macro_rules! for_wide_registers {
    ($(#[$about:meta])* $name:ident is $plain:ident($($argument:ident: $kind:ty),*)) => {
        $(#[$about])*
        #[inline]
        #[cfg_attr(
            target_arch = "x86_64",
            allow(unsafe_code, reason = "instructions that not every processor has")
        )]
        pub(super) fn $name($($argument: $kind),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn wide($($argument: $kind),*) {
                    $plain($($argument),*);
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has these instructions.
                    return unsafe { wide($($argument),*) };
                }
            }
            $plain($($argument),*);
        }
    };
}

for_wide_registers!(
    /// Adds rows of bytes to sums.
    add_rows is add_pairs(rows: &[&[u8]], sums: &mut [i32])
);

/// Adds a byte for each move to the sums of all moves; a payload has its first byte lowest.
#[cfg(target_arch = "x86_64")]
#[inline]
#[allow(unsafe_code, reason = "instructions of the processor")]
pub(super) fn add_moves(payloads: &[u64], sums: &mut [i32; MOST_DENSE]) {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi32, _mm_cvtsi64_si128, _mm_madd_epi16, _mm_max_epi16,
        _mm_setzero_si128, _mm_srai_epi16, _mm_sub_epi16, _mm_unpackhi_epi8, _mm_unpacklo_epi8,
    };
    // SAFETY: these instructions work on registers and belong to every x86_64 processor.
    let halves: [__m128i; 2] = unsafe {
        let zero = _mm_setzero_si128();
        let squares = |bytes| {
            let q = _mm_srai_epi16::<8>(bytes);
            _mm_madd_epi16(q, _mm_max_epi16(q, _mm_sub_epi16(zero, q)))
        };
        let (mut low, mut high) = (zero, zero);
        for pair in payloads.chunks(2) {
            let other = pair.get(1).map_or(0, |other| other.cast_signed());
            let one = _mm_cvtsi64_si128(pair[0].cast_signed());
            let both = _mm_unpacklo_epi8(one, _mm_cvtsi64_si128(other));
            low = _mm_add_epi32(low, squares(_mm_unpacklo_epi8(zero, both)));
            high = _mm_add_epi32(high, squares(_mm_unpackhi_epi8(zero, both)));
        }
        [low, high]
    };
    let added: [i32; MOST_DENSE] = bytemuck::cast(halves);
    sums.iter_mut().zip(added).for_each(|(sum, added)| *sum += added);
}

/// Adds a byte for each move to the sums of all moves; a payload has its first byte lowest.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(super) fn add_moves(payloads: &[u64], sums: &mut [i32; MOST_DENSE]) {
    for payload in payloads {
        for (sum, byte) in sums.iter_mut().zip(payload.to_le_bytes()) {
            *sum += expand(byte);
        }
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "compiled for the registers of its caller")]
fn add_pairs(rows: &[&[u8]], sums: &mut [i32]) {
    for pair in rows.chunks(2) {
        match *pair {
            [one, other] => {
                for ((sum, &one), &other) in sums.iter_mut().zip(one).zip(other) {
                    *sum += expand(one) + expand(other);
                }
            }
            _ => sums.iter_mut().zip(pair[0]).for_each(|(sum, &byte)| *sum += expand(byte)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

    /// Rows of all lengths and numbers, the widest registers or none: the same sums.
    #[test]
    fn rows_are_added_byte_by_byte() {
        let mut rng = Seed(41).rng();
        for round in 0..300 {
            let length = rng.below(70);
            let rows: Vec<Vec<u8>> = (0..rng.below(7))
                .map(|_| (0..length).map(|_| rng.below(256) as u8).collect())
                .collect();
            let start: Vec<i32> = (0..length).map(|_| rng.below(1000) as i32 - 500).collect();
            let sum = |at: usize| start[at] + rows.iter().map(|row| expand(row[at])).sum::<i32>();
            let expected: Vec<i32> = (0..length).map(sum).collect();
            let rows: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
            for add in [add_rows, add_pairs] {
                let mut sums = start.clone();
                add(&rows, &mut sums);
                assert_eq!(sums, expected, "seed 41, round {round}");
            }
        }
    }

    #[test]
    fn moves_are_added_byte_by_byte() {
        let mut rng = Seed(43).rng();
        for round in 0..100 {
            let payloads: Vec<u64> = (0..rng.below(9)).map(|_| rng.next_u64()).collect();
            let byte = |payload: &u64, at: usize| expand(payload.to_le_bytes()[at]);
            let sum = |at| 5 + payloads.iter().map(|payload| byte(payload, at)).sum::<i32>();
            let mut sums = [5; MOST_DENSE];
            add_moves(&payloads, &mut sums);
            assert_eq!(sums, std::array::from_fn(sum), "seed 43, round {round}");
        }
    }
}
