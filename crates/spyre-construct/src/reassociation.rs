//! The dimensions that a reshape merges and splits.

use spyre_analysis::dynamic::extents::Extent;

/// Returns the longest shape to which both shapes can be collapsed. The shapes have equally many elements. Dimensions
/// that neither shape has to merge stay separate.
///
/// # Errors
/// A dynamic extent would be merged with others, and the product of extents of which one is dynamic cannot be stated as
/// an extent.
pub fn common(from: &[Extent], to: &[Extent]) -> Result<Vec<Extent>, Extent> {
    if from.contains(&Extent::Static(0)) {
        return Ok(vec![Extent::Static(0)]);
    }
    let mut shape = Vec::new();
    let (mut from, mut to) = (from.iter(), to.iter());
    while let (Some(first), Some(second)) = (from.next(), to.next()) {
        let (mut a, mut b) = (*first, *second);
        while a != b {
            let is_shorter = match (a, b) {
                (Extent::Static(a), Extent::Static(b)) => a < b,
                (Extent::Static(a), Extent::Dynamic(_)) => a == 1,
                (Extent::Dynamic(_), _) => false,
            };
            let (shorter, longer, rest) = match is_shorter {
                true => (&mut a, b, &mut from),
                false => (&mut b, a, &mut to),
            };
            let dynamic = if longer.number().is_none() {
                longer
            } else {
                *shorter
            };
            let further = rest.next().ok_or(dynamic)?;
            *shorter = shorter.times(*further).ok_or(match further {
                Extent::Dynamic(_) => *further,
                Extent::Static(_) => dynamic,
            })?;
        }
        shape.push(a);
    }
    Ok(shape)
}

/// Returns the dimensions of `fine` that each dimension of `coarse` merges; `None` if `coarse` is not `fine` merged.
pub fn groups(fine: &[Extent], coarse: &[Extent]) -> Option<Vec<Vec<usize>>> {
    if coarse.is_empty() {
        return fine.iter().all(|extent| extent.is_one()).then(Vec::new);
    }
    let mut groups = Vec::new();
    let mut next = 0;
    for (at, extent) in coarse.iter().enumerate() {
        let mut group = vec![next];
        let mut product = *fine.get(next)?;
        next += 1;
        while is_part(product, *extent) {
            product = product.times(*fine.get(next)?)?;
            group.push(next);
            next += 1;
        }
        if product != *extent {
            return None;
        }
        // Dimensions of extent 1 are grouped with the preceding dimension, unless the next dimension has extent 1 too.
        let left = coarse.len() - at - 1;
        while next < fine.len() && fine[next].is_one() && fine.len() - next > left {
            let is_next = coarse.get(at + 1) == Some(&Extent::ONE);
            if is_next && remaining_match(&fine[next..], &coarse[at + 1..]) {
                break;
            }
            group.push(next);
            next += 1;
        }
        groups.push(group);
    }
    (next == fine.len()).then_some(groups)
}

/// Returns whether `whole` may be a product of `product` and further extents.
fn is_part(product: Extent, whole: Extent) -> bool {
    match (product, whole) {
        (Extent::Static(product), Extent::Static(whole)) => product < whole,
        (Extent::Static(product), Extent::Dynamic(_)) => product == 1,
        (Extent::Dynamic(_), _) => false,
    }
}

fn remaining_match(fine: &[Extent], coarse: &[Extent]) -> bool {
    groups(fine, coarse).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::build::{FIXED, fixed};
    use super::Extent;
    use spyre_analysis::dynamic::SymbolId;

    fn common(from: &[i64], to: &[i64]) -> Vec<i64> {
        let common = super::common(&fixed(from), &fixed(to)).expect(FIXED);
        Extent::numbers(&common).expect(FIXED)
    }

    fn groups(fine: &[i64], coarse: &[i64]) -> Option<Vec<Vec<usize>>> {
        super::groups(&fixed(fine), &fixed(coarse))
    }

    #[test]
    fn what_neither_shape_merges_stays_apart() {
        assert_eq!(common(&[5, 7, 4, 8], &[5, 7, 1, 32]), [5, 7, 32]);
        assert_eq!(common(&[4, 6, 5], &[6, 4, 5]), [24, 5]);
        assert_eq!(common(&[32, 1], &[1, 4, 8]), [32]);
        assert_eq!(common(&[0, 3], &[3, 0]), [0]);
        // Two shapes can be collapsed to their common shape, wherever they have extents of 1.
        let shapes: [&[i64]; 7] = [
            &[1, 6, 4],
            &[6, 1, 4, 1],
            &[1, 1, 24],
            &[24, 1],
            &[2, 3, 1, 4],
            &[4, 1, 6],
            &[12, 2, 1],
        ];
        for from in shapes {
            for to in shapes {
                let common = common(from, to);
                assert!(groups(from, &common).is_some(), "{from:?} to {common:?}");
                assert!(groups(to, &common).is_some(), "{to:?} to {common:?}");
            }
        }
    }

    #[test]
    fn dimensions_are_merged_in_order() {
        assert_eq!(
            groups(&[4, 8, 3], &[32, 3]),
            Some(vec![vec![0, 1], vec![2]])
        );
        assert_eq!(
            groups(&[4, 8, 3], &[4, 24]),
            Some(vec![vec![0], vec![1, 2]])
        );
        assert_eq!(groups(&[4, 8], &[8, 4]), None);
    }

    #[test]
    fn dimensions_of_extent_one_go_with_a_neighbour() {
        assert_eq!(groups(&[4, 1], &[4]), Some(vec![vec![0, 1]]));
        assert_eq!(groups(&[1, 4], &[4]), Some(vec![vec![0, 1]]));
        assert_eq!(
            groups(&[4, 1, 1, 5], &[4, 1, 5]),
            Some(vec![vec![0], vec![1, 2], vec![3]])
        );
        assert_eq!(groups(&[1, 1], &[1]), Some(vec![vec![0, 1]]));
        assert_eq!(groups(&[1], &[]), Some(vec![]));
        assert_eq!(
            groups(&[1, 4, 1], &[1, 4, 1]),
            Some(vec![vec![0], vec![1], vec![2]])
        );
    }

    #[test]
    fn a_dynamic_extent_is_merged_with_ones_alone() {
        let (s, t) = (
            Extent::Dynamic(SymbolId::new(0)),
            Extent::Dynamic(SymbolId::new(1)),
        );
        let n = Extent::Static;
        assert_eq!(
            super::groups(&[n(1), s, n(1), n(64)], &[s, n(64)]),
            Some(vec![vec![0, 1, 2], vec![3]])
        );
        assert_eq!(super::groups(&[s, n(64)], &[s]), None);
        assert_eq!(super::groups(&[n(2), s], &[s]), None);
        // Another order of dimensions of 1, and a split next to it.
        assert_eq!(
            super::common(&[n(1), s, n(4), n(6)], &[s, n(1), n(6), n(4)]),
            Ok(vec![s, n(24)])
        );
        // Shapes with no proven common shape.
        assert_eq!(super::common(&[s, t], &[t, s]), Err(s));
        assert_eq!(super::common(&[n(64), s], &[s, n(64)]), Err(s));
    }
}
