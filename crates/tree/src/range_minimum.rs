//! Where the smallest value of each of many ranges of an array is, all ranges known beforehand.
//!
//! The array is scanned once; a stack keeps the places that are smaller than everything after
//! them, and a range that ends here finds its minimum by binary search: O(n + q log n).

/// For each range `(first, end)`, end not included, the place of its smallest value, the leftmost
/// one among equals; nothing for empty ranges.
pub(super) fn range_minima(values: &[u32], ranges: &[(usize, usize)]) -> Vec<Option<usize>> {
    let mut first_of_end = vec![0usize; values.len() + 2];
    for &(_, end) in ranges {
        first_of_end[end + 1] += 1;
    }
    for end in 1..first_of_end.len() {
        first_of_end[end] += first_of_end[end - 1];
    }
    let mut by_end = vec![0usize; ranges.len()];
    let mut next_place = first_of_end.clone();
    for (query, &(_, end)) in ranges.iter().enumerate() {
        by_end[next_place[end]] = query;
        next_place[end] += 1;
    }

    let mut minima = vec![None; ranges.len()];
    let mut smaller_than_all_after: Vec<usize> = Vec::new();
    for end in 0..=values.len() {
        if end > 0 {
            let added = end - 1;
            while smaller_than_all_after.last().is_some_and(|&top| values[top] > values[added]) {
                smaller_than_all_after.pop();
            }
            smaller_than_all_after.push(added);
        }
        for &query in &by_end[first_of_end[end]..first_of_end[end + 1]] {
            let first = ranges[query].0;
            if first < end {
                let at = smaller_than_all_after.partition_point(|&place| place < first);
                minima[query] = smaller_than_all_after.get(at).copied();
            }
        }
    }
    minima
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    #[test]
    fn equals_a_scan_of_each_range() {
        let mut rng = Seed(13).rng();
        for length in 0..20usize {
            let values: Vec<u32> = (0..length).map(|_| rng.below(8) as u32).collect();
            let ranges: Vec<(usize, usize)> =
                (0..=length).flat_map(|first| (0..=length).map(move |end| (first, end))).collect();
            let expected: Vec<Option<usize>> = ranges
                .iter()
                .map(|&(first, end)| (first..end).min_by_key(|&at| values[at]))
                .collect();
            assert_eq!(range_minima(&values, &ranges), expected, "{values:?}");
        }
    }
}
