//! Shapes and names of results.

use spyre_ops::{Decomposed, Meaning, OpFunc};

use crate::tensor::{ELEMENTS, Element, TensorType};

/// Elements of operations without an OpFunc, of moments and of tables.
const MATH: [Element; 3] = [Element::F16, Element::Bf16, Element::F32];
/// Elements of operations on floats.
const FLOATS: [Element; 5] = [
    Element::F16,
    Element::Bf16,
    Element::F32,
    Element::F8E4M3,
    Element::F8E5M2,
];
/// Elements of operations on floats and integers.
const NUMBERS: [Element; 8] = [
    Element::F16,
    Element::Bf16,
    Element::F32,
    Element::F8E4M3,
    Element::F8E5M2,
    Element::I8,
    Element::I32,
    Element::I64,
];
/// Elements of 32 bits in device memory.
const WORDS: [Element; 3] = [Element::F32, Element::I32, Element::I64];

/// Returns the row of an operation with an OpFunc; `None` for another one.
pub(crate) fn row(operation: &str) -> Option<&'static OpFunc> {
    OpFunc::of_mnemonic(mnemonic(operation))
}

/// Returns whether no OpFunc computes an operation, and `--spyre-decompose` writes it with others.
pub(crate) fn is_decomposed(operation: &str) -> bool {
    Decomposed::of_mnemonic(mnemonic(operation)).is_some()
}

/// Returns the name of an operation of the dialect without the dialect.
fn mnemonic(operation: &str) -> &str {
    operation
        .split_once('.')
        .map_or(operation, |(_, mnemonic)| mnemonic)
}

/// Returns the elements that an operation of the dialect takes. They follow from its meaning in the table of
/// operations.
///
/// # Panics
/// For an operation without a row, or without a meaning.
pub(crate) fn elements(operation: &str) -> &'static [Element] {
    if is_decomposed(operation) {
        return &MATH;
    }
    let meaning = row(operation).and_then(|row| row.meaning);
    match meaning.expect("operations of graphs have a meaning") {
        Meaning::Number(..) => &NUMBERS,
        Meaning::Float(_) | Meaning::Reduce | Meaning::OfMagnitude(_) | Meaning::Contract => {
            &FLOATS
        }
        Meaning::Moments | Meaning::Gather => &MATH,
        Meaning::Bits => &WORDS,
        Meaning::Identity | Meaning::Compare(_) | Meaning::Select => &ELEMENTS,
        Meaning::TopK(_) => &FLOATS,
    }
}

/// Two extents that do not broadcast, and the dimension of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mismatch {
    pub(crate) dim: usize,
    pub(crate) extents: [u64; 2],
}

/// Returns the extent along a dimension of a result of `rank` dimensions; 1 along one that the shape lacks.
fn extent(shape: &[u64], rank: usize, dim: usize) -> u64 {
    let lead = rank - shape.len();
    dim.checked_sub(lead).map_or(1, |dim| shape[dim])
}

/// Returns the shape to which two shapes broadcast: they are aligned at their last dimension, and one repeats along a
/// dimension that it lacks, or where its extent is 1.
pub(crate) fn broadcast(lhs: &[u64], rhs: &[u64]) -> Result<Vec<u64>, Mismatch> {
    let rank = lhs.len().max(rhs.len());
    let dims = 0..rank;
    dims.map(
        |dim| match [extent(lhs, rank, dim), extent(rhs, rank, dim)] {
            [1, extent] | [extent, 1] => Ok(extent),
            [left, right] if left == right => Ok(left),
            extents => Err(Mismatch { dim, extents }),
        },
    )
    .collect()
}

/// Returns where a shape would repeat to be that of a result with another operand; `None` if it has the shape of the
/// result.
pub(crate) fn first_repeat(shape: &[u64], result: &[u64], other: &[u64]) -> Option<Mismatch> {
    let rank = result.len();
    let is_repeated = |dim: &usize| {
        let lead = rank - shape.len();
        *dim < lead || shape[*dim - lead] != result[*dim]
    };
    let dim = (0..rank).find(is_repeated)?;
    let extents = [extent(shape, rank, dim), extent(other, rank, dim)];
    Some(Mismatch { dim, extents })
}

/// Returns the names of a result of `shape`: of each dimension, the name in the first operand that has all of it.
pub(crate) fn names(shape: &[u64], operands: &[&TensorType]) -> Vec<Option<String>> {
    let rank = shape.len();
    let name = |dim: usize| {
        operands.iter().find_map(|operand| {
            let here = dim.checked_sub(rank - operand.shape.len())?;
            let has_all = operand.shape[here] == shape[dim];
            operand.names[here].clone().filter(|_| has_all)
        })
    };
    (0..rank).map(name).collect()
}

/// Returns the type without `dims`, or with the extent 1 there. A dimension of extent 1 has no name.
pub(crate) fn reduction_type(input: &TensorType, dims: &[usize], is_kept: bool) -> TensorType {
    let mut result = TensorType::new(Vec::new(), input.element);
    for (dim, extent) in input.shape.iter().enumerate() {
        let is_reduced = dims.contains(&dim);
        if !is_reduced {
            result.shape.push(*extent);
            result.names.push(input.names[dim].clone());
        } else if is_kept {
            result.shape.push(1);
            result.names.push(None);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(dims: &[(&str, u64)]) -> TensorType {
        let shape = dims.iter().map(|(_, extent)| *extent);
        let names = dims.iter();
        let names = names.map(|(name, _)| (!name.is_empty()).then(|| (*name).to_owned()));
        TensorType {
            names: names.collect(),
            ..TensorType::new(shape.collect(), Element::F16)
        }
    }

    #[test]
    fn shapes_broadcast_from_their_last_dimension() {
        assert_eq!(broadcast(&[4, 64], &[4, 64]), Ok(vec![4, 64]));
        assert_eq!(broadcast(&[4, 1], &[64]), Ok(vec![4, 64]));
        assert_eq!(broadcast(&[], &[3]), Ok(vec![3]));
        let mismatch = Mismatch {
            dim: 2,
            extents: [64, 32],
        };
        assert_eq!(broadcast(&[2, 4, 64], &[4, 32]), Err(mismatch));
    }

    #[test]
    fn a_smaller_shape_would_repeat() {
        assert_eq!(first_repeat(&[4, 64], &[4, 64], &[64]), None);
        let mismatch = |dim, extents| Some(Mismatch { dim, extents });
        assert_eq!(
            first_repeat(&[1, 64], &[4, 64], &[4, 1]),
            mismatch(0, [1, 4])
        );
        assert_eq!(first_repeat(&[64], &[1, 64], &[1, 64]), mismatch(0, [1, 1]));
    }

    #[test]
    fn names_come_from_the_operand_with_the_whole_dimension() {
        let lhs = named(&[("A", 4), ("one", 1)]);
        let rhs = named(&[("B", 64)]);
        let names = names(&[4, 64], &[&lhs, &rhs]);
        assert_eq!(names, [Some("A".to_owned()), Some("B".to_owned())]);
    }

    #[test]
    fn reduced_dimensions_go_or_have_one_element() {
        let input = named(&[("A", 2), ("B", 3), ("C", 4)]);
        assert_eq!(
            reduction_type(&input, &[1], false),
            named(&[("A", 2), ("C", 4)])
        );
        assert_eq!(
            reduction_type(&input, &[0, 2], true),
            named(&[("", 1), ("B", 3), ("", 1)])
        );
    }
}
