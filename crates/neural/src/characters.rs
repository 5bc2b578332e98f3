//! The letters of a form as rows of a table: hashed n-grams of up to five letters between marks of
//! beginning and end, in lower case, and its shape.

/// Letters of a form that are looked at.
const MOST_LETTERS: usize = 48;
const MOST_GRAM: usize = 5;

/// The hash of letters (FNV-1a, finished by a multiplication).
pub fn hash(letters: impl IntoIterator<Item = char>) -> u64 {
    let step = |hash: u64, letter: char| {
        (hash ^ u64::from(u32::from(letter))).wrapping_mul(0x0000_0100_0000_01B3)
    };
    let hash = letters.into_iter().fold(0xCBF2_9CE4_8422_2325, step);
    (hash ^ (hash >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20
}

/// Rows of a form among so many, the first of which is kept free.
pub fn rows(form: &str, buckets: usize, rows: &mut Vec<u32>) {
    rows.clear();
    let row = |hash: u64| 1 + (hash % buckets.max(1) as u64) as u32;
    let mut letters = vec!['\u{2}'];
    letters.extend(form.chars().flat_map(char::to_lowercase).take(MOST_LETTERS));
    letters.push('\u{3}');
    for start in 0..letters.len() {
        let most = MOST_GRAM.min(letters.len() - start);
        rows.extend((1..=most).map(|len| row(hash(letters[start..start + len].iter().copied()))));
    }
    let mut shape = vec!['\u{4}'];
    for letter in form.chars().take(MOST_LETTERS) {
        let kind = match letter {
            _ if letter.is_uppercase() => 'X',
            _ if letter.is_alphabetic() => 'x',
            _ if letter.is_numeric() => '0',
            other => other,
        };
        if shape.last() != Some(&kind) {
            shape.push(kind);
        }
    }
    rows.push(row(hash(shape)));
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn grams_overlap_where_forms_do() {
        let (mut one, mut other) = (Vec::new(), Vec::new());
        rows("walked", 100_000, &mut one);
        rows("talked", 100_000, &mut other);
        assert_eq!(one.len(), 8 * 5 - 10 + 1);
        let shared = one.iter().filter(|row| other.contains(row)).count();
        assert!(shared > one.len() / 2 && shared < one.len());
        assert!(one.iter().all(|&row| (1..=100_000).contains(&row)));
        rows(&"x".repeat(100_000), 10, &mut one);
        assert!(one.len() < 300);
    }
}
