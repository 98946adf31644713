//! Constant tensors of few numbers as regions: boxes, or the elements below a diagonal.
//!
//! A mask is true up to an end, or below a diagonal, so it is a few conditions on the coordinates. With them a window of
//! a mask is numbers as well, and a selection by it is a move.

use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::Region;
use spyre_proof::sets::Constraint;

/// The most boxes of one tensor: more are a table, and each is a case for the solver.
const MOST: usize = 16;

/// Elements of a box that are one number: the first and the number of positions along each dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run<'b> {
    sides: Vec<(usize, usize)>,
    element: &'b [u8],
}

/// Returns the regions of a tensor of these extents, whose elements are in `bytes`, the last dimension fastest. `number`
/// returns the bits of an element. `None` where they are too many, or have no number.
pub(crate) fn of(
    bytes: &[u8],
    extents: &[i64],
    number: impl Fn(&[u8]) -> Option<String>,
) -> Option<Vec<Region>> {
    let extents = extents.iter().map(|extent| usize::try_from(*extent).ok());
    let extents: Vec<usize> = extents.collect::<Option<_>>()?;
    let count: usize = extents.iter().product();
    if count == 0 || !bytes.len().is_multiple_of(count) {
        return None;
    }
    let width = bytes.len() / count;
    if let Some(runs) = runs(bytes, &extents, width) {
        let region = |run: &Run<'_>| {
            let sides = run.sides.iter().enumerate();
            let sides = sides
                .zip(&extents)
                .filter(|((_, (_, length)), extent)| length < extent);
            let conditions = sides.flat_map(|((dim, (first, length)), _)| {
                let position = element(dim).plus(&(-signed(*first)).into());
                Constraint::inside(&position, &signed(*length).into())
            });
            Some(Region {
                number: number(run.element)?,
                conditions: conditions.collect(),
            })
        };
        return runs.iter().map(region).collect();
    }
    diagonal(bytes, &extents, width, number)
}

/// Returns the boxes of a tensor; `None` for too many. Neighbours along the first dimension with equal elements are one.
fn runs<'b>(bytes: &'b [u8], extents: &[usize], width: usize) -> Option<Vec<Run<'b>>> {
    let Some((extent, inner)) = extents.split_first() else {
        return Some(vec![Run {
            sides: Vec::new(),
            element: bytes,
        }]);
    };
    let size = inner.iter().product::<usize>() * width;
    let slice = |at: usize| &bytes[at * size..(at + 1) * size];
    let (mut all, mut first) = (Vec::new(), 0);
    for at in 1..=*extent {
        if at < *extent && slice(at) == slice(first) {
            continue;
        }
        for mut run in runs(slice(first), inner, width)? {
            run.sides.insert(0, (first, at - first));
            all.push(run);
        }
        if all.len() > MOST {
            return None;
        }
        first = at;
    }
    Some(all)
}

/// Returns the two regions of a tensor whose rows begin with one number up to a diagonal of the last two dimensions, and
/// have another one from there on.
fn diagonal(
    bytes: &[u8],
    extents: &[usize],
    width: usize,
    number: impl Fn(&[u8]) -> Option<String>,
) -> Option<Vec<Region>> {
    let [outer @ .., rows, columns] = extents else {
        return None;
    };
    let size = rows * columns * width;
    let (plane, rest) = bytes.split_at_checked(size)?;
    if !rest.chunks(size).all(|other| other == plane) {
        return None;
    }
    let row = |at: usize| plane[at * columns * width..].chunks(width).take(*columns);
    let below = &plane[(rows - 1) * columns * width..][..width];
    let lengths = (0..*rows).map(|at| row(at).take_while(|element| *element == below).count());
    let lengths: Vec<usize> = lengths.collect();
    let above = (0..*rows).find_map(|at| row(at).nth(lengths[at]))?;
    // The first element above the diagonal in row 0: that of any row that has both numbers, less the row.
    let at = lengths
        .iter()
        .position(|length| (1..*columns).contains(length))?;
    let first = signed(lengths[at]) - signed(at);
    for (at, length) in lengths.iter().enumerate() {
        let expected = (signed(at) + first).clamp(0, signed(*columns));
        let is_other = row(at).skip(*length).all(|element| element == above);
        if signed(*length) != expected || !is_other {
            return None;
        }
    }
    let (row, column) = (element(outer.len()), element(outer.len() + 1));
    let end = row.plus(&first.into());
    let region = |element: &[u8], condition: Expr| {
        Some(Region {
            number: number(element)?,
            conditions: vec![Constraint::NonNegative(condition)],
        })
    };
    Some(vec![
        region(below, end.minus(&column).plus(&(-1).into()))?,
        region(above, column.minus(&end))?,
    ])
}

fn element(dim: usize) -> Expr {
    Var::Element(u32::try_from(dim).expect("fewer than 2^32 dimensions")).into()
}

fn signed(number: usize) -> i64 {
    i64::try_from(number).expect("an extent is below 2^63")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that each element is in the region of its number, and in no other.
    fn check(extents: &[i64], element: impl Fn(&[i64]) -> u8) -> usize {
        let count = extents.iter().product::<i64>();
        let point = |at: i64| {
            let mut rest = at;
            let mut point: Vec<i64> = extents.to_vec();
            for (position, extent) in point.iter_mut().zip(extents).rev() {
                *position = rest % extent;
                rest /= extent;
            }
            point
        };
        let bytes: Vec<u8> = (0..count).map(|at| element(&point(at))).collect();
        let regions = of(&bytes, extents, |byte| Some(byte[0].to_string()));
        let regions = regions.expect("the tensor has regions");
        for at in 0..count {
            let point = point(at);
            let value = |var: Var| match var {
                Var::Element(dim) => Some(point[dim as usize]),
                _ => None,
            };
            let holds = regions.iter().filter(|region| {
                let mut conditions = region.conditions.iter();
                conditions.all(|condition| condition.holds(&value) == Some(true))
            });
            let numbers: Vec<_> = holds.map(|region| region.number.clone()).collect();
            assert_eq!(numbers, [element(&point).to_string()], "{point:?}");
        }
        regions.len()
    }

    #[test]
    fn masks_are_boxes_or_below_a_diagonal() {
        assert_eq!(check(&[1, 320], |at| u8::from(at[1] < 300)), 2);
        assert_eq!(check(&[4, 6], |at| u8::from(at[0] > 1)), 2);
        assert_eq!(check(&[3, 4, 5], |at| u8::from(at[1] > 1 && at[2] < 3)), 3);
        for first in [-3, 0, 1, 4] {
            check(&[2, 20, 24], |at| u8::from(at[2] < at[1] + first));
            check(&[20, 24], |at| u8::from(at[1] > at[0] + first));
        }
    }

    #[test]
    fn tables_have_no_regions() {
        let bytes: Vec<u8> = (0..64).collect();
        assert_eq!(of(&bytes, &[8, 8], |_| Some(String::new())), None);
        // One element beyond the diagonal.
        let mut mask: Vec<u8> = (0..400).map(|at| u8::from(at % 20 <= at / 20)).collect();
        assert!(of(&mask, &[20, 20], |_| Some(String::new())).is_some());
        mask[399 - 20] = 1;
        mask[17] = 1;
        assert_eq!(of(&mask, &[20, 20], |_| Some(String::new())), None);
    }
}
