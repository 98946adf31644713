//! The loops of a computation: which operation of `linalg` states it, and the maps of its tensors.
//!
//! The tensors of an element-by-element operation have the device dimensions of the result, or one position where they
//! are broadcast: a map has the constant 0 there. A reduction of whole device dimensions drops them. Along a stick the
//! element that is read and the element that is written are different loops, since a stick is stored as a whole.

use super::axes::{Axis, Key, Reason};
use super::limits::Label;

/// The kind of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoopKind {
    Parallel,
    Reduction,
}

/// The maps of a `linalg.generic`, operands first, then the result: the loop along each dimension, `None` for the
/// constant 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Nest {
    pub iterators: Vec<LoopKind>,
    pub maps: Vec<Vec<Option<usize>>>,
}

/// The operation of `linalg` that states a computation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Surface {
    /// All tensors have the same dimensions.
    Aligned(usize),
    /// `linalg.reduce` along these dimensions.
    Reduce(Vec<usize>),
    /// `linalg.generic`.
    Generic(Nest),
}

/// Narrows an operand that is a statistic to the element at the head of its stick.
pub(crate) fn read_head(axes: &mut [Axis]) {
    if let Some(lane) = axes.last_mut().filter(|axis| axis.key == Key::Head) {
        lane.count = 1;
    }
}

/// Returns the loops of an element-by-element operation.
///
/// # Errors
/// An operand has the dimensions of the result in another order, or other ones.
pub(crate) fn pointwise(operands: &[Vec<Axis>], result: &[Axis]) -> Result<Surface, Reason> {
    let rank = result.len();
    let mut maps = Vec::with_capacity(operands.len() + 1);
    for (number, operand) in operands.iter().enumerate() {
        let row = row(operand, result).ok_or_else(|| {
            let message = format!(
                "operand #{number} has other device dimensions than the result, or another order"
            );
            (Label::Layout, message)
        })?;
        maps.push(row);
    }
    let identity: Vec<Option<usize>> = (0..rank).map(Some).collect();
    if maps.iter().all(|row| *row == identity) {
        return Ok(Surface::Aligned(rank));
    }
    maps.push(identity);
    Ok(Surface::Generic(Nest {
        iterators: vec![LoopKind::Parallel; rank],
        maps,
    }))
}

/// Returns the loop along each dimension of an operand; `None` if there are no such loops.
fn row(operand: &[Axis], result: &[Axis]) -> Option<Vec<Option<usize>>> {
    let is_same_rank = operand.len() == result.len();
    let mut next = 0;
    let mut row = Vec::with_capacity(operand.len());
    for (place, axis) in operand.iter().enumerate() {
        if let Key::Digit { .. } = axis.key {
            let mut rest = (next..result.len()).filter(|at| result[*at].key == axis.key);
            let same = rest.find(|at| result[*at].count == axis.count);
            if let Some(at) = same {
                row.push(Some(at));
                next = at + 1;
                continue;
            }
        }
        let is_one = is_same_rank && axis.size == 1 && result[place].size == 1;
        match axis.count {
            1 if is_one => row.push(Some(place)),
            1 => row.push(None),
            _ => return None,
        }
    }
    Some(row)
}

/// Returns the loops of a reduction over the iteration dimensions from `parallel` on.
///
/// # Errors
/// The result has other dimensions than those that are kept, or another order.
pub(crate) fn reduction(
    operand: &[Axis],
    result: &[Axis],
    parallel: usize,
) -> Result<Surface, Reason> {
    let is_reduced = |axis: &Axis| matches!(axis.key, Key::Digit { dim, .. } if dim >= parallel);
    let reduced: Vec<usize> = (0..operand.len())
        .filter(|at| is_reduced(&operand[*at]))
        .collect();
    let kept: Vec<usize> = (0..operand.len())
        .filter(|at| !is_reduced(&operand[*at]))
        .collect();
    let along_stick = operand.last().is_some_and(is_reduced);
    let of_result = match along_stick {
        true => match result.split_last() {
            Some((lane, rest)) if lane.key == Key::Head => rest,
            _ => {
                let message = "a reduction along sticks has a stick for each result";
                return Err((Label::Layout, message.to_owned()));
            }
        },
        false => result,
    };
    let agrees =
        |at: &usize, axis: &Axis| operand[*at].key == axis.key && operand[*at].count == axis.count;
    let is_same = kept.len() == of_result.len()
        && kept
            .iter()
            .zip(of_result)
            .all(|(at, axis)| agrees(at, axis));
    if !is_same || reduced.is_empty() {
        let message = "the result has other device dimensions than those that the reduction keeps, or another order";
        return Err((Label::Layout, message.to_owned()));
    }
    if !along_stick {
        return Ok(Surface::Reduce(reduced));
    }
    let rank = operand.len();
    let mut iterators: Vec<LoopKind> = (0..rank)
        .map(|at| match reduced.contains(&at) {
            true => LoopKind::Reduction,
            false => LoopKind::Parallel,
        })
        .collect();
    iterators.push(LoopKind::Parallel);
    let of_operand = (0..rank).map(Some).collect();
    let of_result = kept.into_iter().chain([rank]).map(Some).collect();
    Ok(Surface::Generic(Nest {
        iterators,
        maps: vec![of_operand, of_result],
    }))
}

/// Returns the loops of an element-by-element operation of which all tensors have the same dimensions.
pub(crate) fn identity(rank: usize, operands: usize) -> Nest {
    let map: Vec<_> = (0..rank).map(Some).collect();
    Nest {
        iterators: vec![LoopKind::Parallel; rank],
        maps: vec![map; operands + 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::axes::Index;

    fn axis(key: Key, size: u64, count: u64) -> Axis {
        Axis {
            key,
            size,
            stride: 1,
            count,
            index: Index::default(),
        }
    }

    fn digit(dim: usize, divisor: u64, modulus: Option<u64>) -> Key {
        Key::Digit {
            dim,
            divisor,
            modulus,
        }
    }

    /// `[R, C]` on sticks, 16 rows of it.
    fn rows() -> Vec<Axis> {
        vec![
            axis(digit(1, 64, None), 4, 4),
            axis(digit(0, 1, None), 64, 16),
            axis(digit(1, 1, Some(64)), 64, 64),
        ]
    }

    /// A number for each row.
    fn column() -> Vec<Axis> {
        vec![axis(digit(0, 1, None), 64, 16), axis(Key::Head, 64, 64)]
    }

    fn maps(surface: Result<Surface, Reason>) -> Vec<Vec<Option<usize>>> {
        match surface {
            Ok(Surface::Generic(nest)) => nest.maps,
            other => panic!("{other:?} has no maps"),
        }
    }

    #[test]
    fn tensors_of_one_shape_are_aligned() {
        let surface = pointwise(&[rows(), rows()], &rows());
        assert_eq!(surface, Ok(Surface::Aligned(3)));
    }

    #[test]
    fn what_is_broadcast_is_at_0() {
        let mut row = rows();
        row[1] = axis(Key::One, 1, 1);
        let mut head = column();
        read_head(&mut head);
        let maps = maps(pointwise(&[row, head], &rows()));
        assert_eq!(maps[0], [Some(0), None, Some(2)]);
        assert_eq!(maps[1], [Some(1), None]);
        assert_eq!(maps[2], [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn a_head_is_repeated_along_its_stick() {
        let mut head = column();
        read_head(&mut head);
        let maps = maps(pointwise(&[head], &column()));
        assert_eq!(maps, [vec![Some(0), None], vec![Some(0), Some(1)]]);
    }

    #[test]
    fn another_order_is_refused() {
        let mut other = rows();
        other.swap(0, 1);
        let refusal = pointwise(&[other], &rows()).expect_err("sticks come first");
        assert_eq!(refusal.0, Label::Layout);
    }

    #[test]
    fn reductions_drop_dimensions_or_write_sticks() {
        let mut operand = rows();
        operand[1].key = digit(2, 1, None);
        let kept = [operand[0].clone(), operand[2].clone()];
        let surface = reduction(&operand, &kept, 2);
        assert_eq!(surface, Ok(Surface::Reduce(vec![1])));
        let mut operand = rows();
        for place in [0, 2] {
            let Key::Digit { dim, .. } = &mut operand[place].key else {
                unreachable!("digits");
            };
            *dim = 2;
        }
        let surface = reduction(&operand, &column(), 2);
        let Ok(Surface::Generic(nest)) = surface else {
            panic!("{surface:?}");
        };
        let [reduced, kept] = [LoopKind::Reduction, LoopKind::Parallel];
        assert_eq!(nest.iterators, [reduced, kept, reduced, kept]);
        let of_operand = vec![Some(0), Some(1), Some(2)];
        assert_eq!(nest.maps, [of_operand, vec![Some(1), Some(3)]]);
        assert!(reduction(&operand, &rows(), 2).is_err());
    }
}
