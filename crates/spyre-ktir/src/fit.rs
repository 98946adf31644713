//! The choice of pieces for an operation that takes more of a scratchpad than there is.
//!
//! The tensors of an operation are estimated from the sizes of its pieces, and the estimate is scaled to the bytes that
//! were measured on what was built before. Among the pieces, the cheapest ones are looked for: cutting a dimension of the
//! result loads operands that do not have the dimension again, and cutting a reduced one does not. Pieces become smaller
//! along the dimension that costs least for each byte, until they fit, and then larger where there is room left.

use spyre_dialects::attr::Place;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir;
use spyre_ops::Meaning;

use crate::area;
use crate::pieces::{Cut, Demand};
use crate::step::Step;
use crate::sums;

/// The bytes that an iteration costs, apart from those that it loads.
const ITERATION: u64 = 4096;

/// The bytes of a piece below which smaller ones bring nothing: a scratchpad that values fill has no room for any.
const SMALLEST: u64 = 16 << 10;

/// A tensor of an operation.
struct Sized {
    /// The iteration dimensions that it has.
    dims: Vec<usize>,
    /// The bytes of a scratchpad for each element.
    held: u64,
    /// The bytes that are loaded for each element.
    loaded: u64,
}

/// What the pieces of an operation depend on.
struct Space {
    /// The elements of the part of a core along each iteration dimension.
    whole: Vec<u64>,
    /// The sizes of pieces along each of them, the largest first.
    sizes: Vec<Vec<u64>>,
    tensors: Vec<Sized>,
}

/// Returns smaller pieces for an operation than `before`, so that it fits; `None` if there are none.
pub(crate) fn pieces(
    device: DeviceOp<'_>,
    step: &Step<'_>,
    before: Option<&Cut>,
    demand: Demand,
    limit: u64,
) -> Option<Cut> {
    let space = Space::of(device, step);
    let before = before.map_or_else(|| space.whole.clone(), |cut| cut.0.clone());
    let estimate = space.held(&before);
    // The whole result of a value in scratchpads is there in each iteration.
    let result = match step.replaced(device) {
        Some(_) => 0,
        None => kept(step),
    };
    let kept = demand.before + result;
    let room = limit.saturating_sub(kept);
    let taken = demand.most.saturating_sub(kept).max(1);
    let target = u128::from(estimate) * u128::from(room) / u128::from(taken);
    // An estimate is no measure: what is too large has to become smaller.
    let target = u64::try_from(target).unwrap_or(u64::MAX);
    let target = target.min(estimate.saturating_sub(1)).max(SMALLEST);
    space.smaller(before, target).map(Cut)
}

/// Returns the bytes of a result in scratchpads.
fn kept(step: &Step<'_>) -> u64 {
    let result = step.tensors.last().expect("an operation has a result");
    if !matches!(result.operand.place, Place::Lx(_)) {
        return 0;
    }
    let elements: u64 = result.parts.iter().map(|part| part.size).product();
    elements * bytes_of(step, step.tensors.len() - 1)
}

/// Returns the bytes of an element of a tensor of an operation.
fn bytes_of(step: &Step<'_>, tensor: usize) -> u64 {
    let bits = ir::bits(step.tensors[tensor].operand.buffer.element);
    u64::from(bits.unwrap_or(64)).div_ceil(8)
}

impl Space {
    fn of(device: DeviceOp<'_>, step: &Step<'_>) -> Self {
        let parts = &step.division.parts;
        let last = step.tensors.len() - 1;
        let meaning = device.facts().meaning;
        let is_sum = sums::combines(meaning);
        let mut tensors = Vec::new();
        for (number, tensor) in step.tensors.iter().enumerate() {
            let bytes = bytes_of(step, number);
            let is_loaded = !matches!(tensor.operand.place, Place::Lx(_));
            let dims: Vec<usize> = device.tensor_dims(number).into_iter().flatten().collect();
            // A gather loads the rows of its result.
            let is_chosen = meaning == Some(Meaning::Gather) && number < last;
            let wide = if is_sum { 4 } else { 0 };
            tensors.push(Sized {
                dims,
                held: match is_chosen {
                    true => 0,
                    false => bytes * (1 + u64::from(is_loaded)) + wide,
                },
                loaded: match number < last && is_loaded {
                    true => bytes,
                    false => 0,
                },
            });
        }
        let parallel = parts.len() - device.reduction_dims();
        let sizes = (0..parts.len()).map(|dim| match dim < parallel || is_sum {
            true => sizes(device, step, dim, if dim < parallel { 1 } else { 2 }),
            false => Vec::new(),
        });
        Self {
            whole: parts.iter().map(|part| part.size).collect(),
            sizes: sizes.collect(),
            tensors,
        }
    }

    /// Returns the estimated bytes of a scratchpad for pieces.
    fn held(&self, pieces: &[u64]) -> u64 {
        let tensors = self.tensors.iter();
        let bytes = tensors.map(|tensor| {
            let elements = tensor.dims.iter().map(|dim| pieces[*dim]);
            tensor
                .held
                .saturating_mul(elements.fold(1, u64::saturating_mul))
        });
        bytes.fold(0, u64::saturating_add)
    }

    /// Returns the cost of pieces: the bytes that all iterations load, and some for each iteration.
    fn cost(&self, pieces: &[u64]) -> u64 {
        let count = |dim: usize| self.whole[dim] / pieces[dim];
        let all = (0..pieces.len()).map(count);
        let mut cost = all.fold(ITERATION, u64::saturating_mul);
        for tensor in &self.tensors {
            let bytes = (0..pieces.len()).map(|dim| match tensor.dims.contains(&dim) {
                true => self.whole[dim],
                false => count(dim),
            });
            cost = cost.saturating_add(bytes.fold(tensor.loaded, u64::saturating_mul));
        }
        cost
    }

    /// Returns the next smaller pieces than `pieces` along a dimension, or the next larger ones up to the whole part.
    fn neighbour(&self, pieces: &[u64], dim: usize, is_smaller: bool) -> Option<Vec<u64>> {
        let sizes = &self.sizes[dim];
        let at = sizes.iter().position(|size| *size == pieces[dim]);
        let at = match (is_smaller, at) {
            (true, None) => 0,
            (true, Some(at)) => at + 1,
            (false, at) => at?.wrapping_sub(1),
        };
        let size = match at {
            usize::MAX => self.whole[dim],
            at => *sizes.get(at)?,
        };
        let mut other = pieces.to_vec();
        other[dim] = size;
        Some(other)
    }

    /// Returns pieces of at most `target` estimated bytes; the smallest ones where none are small enough, and `None` where
    /// they are those of `before`.
    fn smaller(&self, before: Vec<u64>, target: u64) -> Option<Vec<u64>> {
        let mut pieces = before.clone();
        while self.held(&pieces) > target {
            let (held, cost) = (self.held(&pieces), self.cost(&pieces));
            let others = (0..pieces.len()).filter_map(|dim| self.neighbour(&pieces, dim, true));
            let gains = others.filter_map(|other| {
                let gain = held
                    .checked_sub(self.held(&other))
                    .filter(|gain| *gain > 0)?;
                let price = self.cost(&other).saturating_sub(cost);
                Some((price as f64 / gain as f64, other))
            });
            let best = gains.min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((_, other)) = best else {
                break; // what is left is in no dimension that can be cut
            };
            pieces = other;
        }
        self.grow(&mut pieces, target);
        (self.held(&pieces) < self.held(&before)).then_some(pieces)
    }

    /// Enlarges pieces where that costs less and there is room.
    fn grow(&self, pieces: &mut Vec<u64>, target: u64) {
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for dim in 0..pieces.len() {
                while let Some(other) = self.neighbour(pieces, dim, false)
                    && self.held(&other) <= target
                    && self.cost(&other) < self.cost(pieces)
                {
                    *pieces = other;
                    is_changed = true;
                }
            }
        }
    }
}

/// Returns the sizes of pieces of at least `least` elements along an iteration dimension, the largest first: equal pieces,
/// which are areas of each tensor in device memory.
fn sizes(device: DeviceOp<'_>, step: &Step<'_>, dim: usize, least: u64) -> Vec<u64> {
    let whole = step.division.parts[dim].size;
    let mut along = Vec::new();
    for (number, tensor) in step.tensors.iter().enumerate() {
        let dims = device.tensor_dims(number);
        let mut places = (0..dims.len()).filter(|place| dims[*place] == Some(dim));
        let Some(place) = places.next() else {
            continue;
        };
        // A diagonal, and rows of zeros that an operand does not have, are in no pieces.
        if places.next().is_some() || tensor.parts[place].size != whole {
            return Vec::new();
        }
        along.push((tensor, place));
    }
    let is_area = |size: u64| {
        along.iter().all(|(tensor, place)| {
            let operand = &tensor.operand;
            matches!(operand.place, Place::Lx(_)) || area::divides(&operand.view, *place, size)
        })
    };
    let sizes = proper_divisors(whole).into_iter();
    sizes
        .filter(|size| *size >= least && is_area(*size))
        .collect()
}

/// Returns the divisors of a number that are smaller than the number, the largest first.
fn proper_divisors(number: u64) -> Vec<u64> {
    let small = (1..=number.isqrt()).filter(|divisor| number.is_multiple_of(*divisor));
    let small: Vec<u64> = small.collect();
    let large = small.iter().map(|divisor| number / divisor);
    let mut all: Vec<u64> = large.chain(small.iter().rev().copied()).collect();
    all.dedup(); // the root of a square
    all.retain(|divisor| *divisor < number);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A product of 16 bits of parts of `[m, k]` and `[k, n]`.
    fn product(m: u64, n: u64, k: u64) -> Space {
        let sizes = |whole: u64, least: u64| {
            let mut sizes = proper_divisors(whole);
            sizes.retain(|size| size.is_multiple_of(least));
            sizes
        };
        let tensor = |dims: [usize; 2], loaded| Sized {
            dims: dims.to_vec(),
            held: 8,
            loaded,
        };
        Space {
            whole: vec![m, n, k],
            sizes: vec![sizes(m, 1), sizes(n, 64), sizes(k, 64)],
            tensors: vec![tensor([0, 2], 2), tensor([2, 1], 2), tensor([0, 1], 0)],
        }
    }

    #[test]
    fn products_are_cut_along_k_first() {
        let space = product(64, 1024, 4096);
        let pieces = space
            .smaller(vec![64, 1024, 4096], 2 << 20)
            .expect("it fits");
        assert_eq!(pieces, [64, 1024, 128]);
    }

    #[test]
    fn a_result_that_is_too_large_is_cut_and_k_grows_again() {
        let space = product(1024, 1024, 4096);
        let pieces = space
            .smaller(vec![1024, 1024, 4096], 2 << 20)
            .expect("it fits");
        assert!(space.held(&pieces) <= 2 << 20, "{pieces:?}");
        assert!(pieces[0] * pieces[1] >= 1 << 16, "{pieces:?}");
        let larger = (0..3).filter_map(|dim| space.neighbour(&pieces, dim, false));
        let fits =
            |it: &Vec<u64>| space.held(it) <= 2 << 20 && space.cost(it) < space.cost(&pieces);
        assert_eq!(larger.filter(fits).count(), 0, "{pieces:?}");
    }

    #[test]
    fn divisors_fall() {
        assert_eq!(proper_divisors(36), [18, 12, 9, 6, 4, 3, 2, 1]);
        assert_eq!(proper_divisors(7), [1]);
        assert_eq!(proper_divisors(1), [0_u64; 0]);
    }

    #[test]
    fn pieces_that_cannot_be_smaller_are_none() {
        let space = product(1, 64, 64);
        assert_eq!(space.smaller(vec![1, 64, 64], 100), None);
    }
}
