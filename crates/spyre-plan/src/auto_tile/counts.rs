//! Numbers of tiles, and combinations of them.

/// Returns the divisors of `units` from 2 to `limit`, ascending.
pub(crate) fn divisors(units: u64, limit: u64) -> Vec<u64> {
    (2..=limit.min(units))
        .filter(|count| units.is_multiple_of(*count))
        .collect()
}

/// Returns for every power of two the first of ascending `counts` that is no less: all orders of magnitude, few
/// numbers. No count is above the most tiles that a dimension may have.
pub(crate) fn spread(counts: &[u64]) -> Vec<u64> {
    let mut kept: Vec<u64> = Vec::new();
    let mut power = 2_u64;
    while let Some(count) = counts.iter().find(|count| **count >= power) {
        if kept.last() != Some(count) {
            kept.push(*count);
        }
        power *= 2;
    }
    kept
}

/// Numbers of tiles: `(dimension, count)`, in the order of the dimensions, all of at least 2 tiles.
pub(crate) type Combination = Vec<(usize, u64)>;

/// Returns every combination of at most `dims` dimensions and `product` tiles in all. `options` has the counts of each
/// dimension. By the number of tiles, then of dimensions, then in the order of the dimensions; the first `limit`.
pub(crate) fn combinations(
    options: &[Vec<u64>],
    dims: usize,
    product: u64,
    limit: usize,
) -> Vec<Combination> {
    let mut combinations: Vec<(u64, Combination)> = Vec::new();
    let mut open: Vec<(u64, Combination)> = vec![(1, Vec::new())];
    for (dim, counts) in options.iter().enumerate() {
        for at in 0..open.len() {
            let (tiles, combination) = open[at].clone();
            if combination.len() >= dims {
                continue;
            }
            for count in counts {
                let Some(tiles) = tiles.checked_mul(*count).filter(|tiles| *tiles <= product)
                else {
                    break;
                };
                let mut longer = combination.clone();
                longer.push((dim, *count));
                combinations.push((tiles, longer.clone()));
                open.push((tiles, longer));
            }
        }
    }
    combinations.sort_by(|(a, first), (b, second)| {
        let dims =
            |combination: &Combination| combination.iter().map(|(dim, _)| *dim).collect::<Vec<_>>();
        (a, first.len(), dims(first)).cmp(&(b, second.len(), dims(second)))
    });
    combinations.truncate(limit);
    combinations
        .into_iter()
        .map(|(_, combination)| combination)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_ascend_from_two() {
        assert_eq!(divisors(12, 64), [2, 3, 4, 6, 12]);
        assert_eq!(divisors(12, 4), [2, 3, 4]);
        assert_eq!(divisors(8195, 16), [5, 11]);
        assert!(divisors(1, 64).is_empty());
        assert!(divisors(13, 12).is_empty());
    }

    #[test]
    fn a_spread_has_every_order_of_magnitude() {
        assert_eq!(
            spread(&[2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60]),
            [2, 4, 10, 20, 60]
        );
        assert_eq!(spread(&[149, 1639]), [149, 1639]);
        assert!(spread(&[]).is_empty());
    }

    #[test]
    fn combinations_have_few_tiles_first() {
        let all = combinations(&[vec![2, 3], vec![2, 4]], 2, 8, 100);
        let expected: Vec<Combination> = vec![
            vec![(0, 2)],
            vec![(1, 2)],
            vec![(0, 3)],
            vec![(1, 4)],
            vec![(0, 2), (1, 2)],
            vec![(0, 3), (1, 2)],
            vec![(0, 2), (1, 4)],
        ];
        assert_eq!(all, expected);
        assert_eq!(
            combinations(&[vec![2, 3], vec![2, 4]], 1, 8, 3),
            expected[..3]
        );
    }
}
