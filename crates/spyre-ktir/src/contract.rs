//! Builds products of matrices on the parts of a core.
//!
//! The dimensions of a product are batches, rows `M`, columns `N` and the summed `K`. They become one dimension of each
//! kind, for `linalg.matmul` or `linalg.batch_matmul`. Operands of 16 bits are widened before, since an accumulator of
//! 32 bits alone leaves each product rounded to 16.

use melior::ir::Type;
use spyre_mlir_rt::ir::Val;

use crate::computation::Computation;
use crate::emit::{Emitter, shape};
use crate::structured;

/// The iteration dimensions of a product of more than one element, by their kind.
struct Kinds {
    batches: Vec<usize>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    summed: Vec<usize>,
}

/// A product on the parts of a core, or on pieces of them.
pub(crate) struct Product {
    kinds: Kinds,
    /// The iteration dimension along each dimension of the tensors.
    left: Vec<usize>,
    right: Vec<usize>,
    result: Vec<usize>,
}

impl Product {
    /// Returns the product of an operation.
    ///
    /// # Errors
    /// An operand has some of the batches, or a dimension that no product has.
    pub(crate) fn of(computation: &Computation<'_, '_>) -> Result<Self, String> {
        let (left, right) = (computation.dims(0)?, computation.dims(1)?);
        let result = computation.dims(2)?;
        Ok(Self {
            kinds: Kinds::of(computation, &left, &right, &result)?,
            left,
            right,
            result,
        })
    }

    /// Builds the sums that the product begins with: zeros.
    pub(crate) fn init<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
    ) -> Val<'p> {
        let Kinds {
            batches,
            rows,
            columns,
            ..
        } = &self.kinds;
        let [batches, rows, columns] = [batches, rows, columns].map(|dims| size(computation, dims));
        let extents = match batches {
            1 => vec![rows, columns],
            _ => vec![batches, rows, columns],
        };
        emit.splat(0.0, &extents, Type::float32(emit.context))
    }

    /// Builds the sums with the products of the operands, from `sums` on, or from 0 on.
    pub(crate) fn add<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
        sums: Option<Val<'p>>,
    ) -> Val<'p> {
        let kinds = &self.kinds;
        let a = [&kinds.batches[..], &kinds.rows, &kinds.summed];
        let a = self.matrix(emit, computation, (0, &self.left), a);
        let b = [&kinds.batches[..], &kinds.summed, &kinds.columns];
        let b = self.matrix(emit, computation, (1, &self.right), b);
        let sums = sums.unwrap_or_else(|| self.init(emit, computation));
        structured::matmul(emit, a, b, sums)
    }

    /// Builds an operand as a matrix, or as a matrix for each batch, in 32 bits.
    fn matrix<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
        (number, from): (usize, &[usize]),
        to: [&[usize]; 3],
    ) -> Val<'p> {
        let extents = to.map(|dims| size(computation, dims));
        let to = to.concat();
        let moved = to
            .iter()
            .map(|dim| from.iter().position(|other| other == dim));
        let moved = moved.collect::<Option<Vec<_>>>();
        let moved = moved.expect("each dimension of an operand has a kind");
        let value = emit.transpose(computation.inputs[number].value, &moved);
        let value = match extents[0] {
            1 => flat(emit, value, &extents[1..]),
            _ => flat(emit, value, &extents),
        };
        emit.convert(value, Type::float32(emit.context))
    }

    /// Builds the result from the sums.
    ///
    /// # Errors
    /// The result has a dimension of neither operand.
    pub(crate) fn finish<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
        sums: Val<'p>,
    ) -> Result<Val<'p>, String> {
        let kinds = &self.kinds;
        let product = emit.convert(sums, computation.element());
        // The dimensions of the product, apart and in the order of the result.
        let built = [&kinds.batches[..], &kinds.rows, &kinds.columns].concat();
        let apart: Vec<u64> = built.iter().map(|dim| size(computation, &[*dim])).collect();
        if apart.is_empty() {
            return Ok(flat(emit, product, &[1]));
        }
        let product = flat(emit, product, &apart);
        let order = self
            .result
            .iter()
            .map(|dim| built.iter().position(|other| other == dim));
        let order = order.collect::<Option<Vec<_>>>();
        let order = order.ok_or("its result has a dimension of neither operand")?;
        Ok(emit.transpose(product, &order))
    }
}

/// Returns the number of elements of dimensions taken as one.
fn size(computation: &Computation<'_, '_>, dims: &[usize]) -> u64 {
    let parts = &computation.step.division.parts;
    dims.iter().map(|dim| parts[*dim].size).product()
}

impl Kinds {
    fn of(
        computation: &Computation<'_, '_>,
        left: &[usize],
        right: &[usize],
        result: &[usize],
    ) -> Result<Self, String> {
        let parts = &computation.step.division.parts;
        let parallel = parts.len() - computation.device.reduction_dims();
        let long = (0..parts.len()).filter(|dim| parts[*dim].size > 1);
        let mut kinds = Self {
            batches: Vec::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            summed: Vec::new(),
        };
        for dim in long {
            let (in_left, in_right) = (left.contains(&dim), right.contains(&dim));
            let in_result = result.contains(&dim);
            match (in_left, in_right, in_result) {
                (true, true, true) => kinds.batches.push(dim),
                (true, true, false) if dim >= parallel => kinds.summed.push(dim),
                (true, false, true) => kinds.rows.push(dim),
                (false, true, true) => kinds.columns.push(dim),
                _ => {
                    return Err(format!(
                        "dimension {dim} of the product is in no pair of its tensors"
                    ));
                }
            }
        }
        Ok(kinds)
    }
}

/// Builds the same elements, in the same order, in other dimensions.
fn flat<'p>(emit: &Emitter<'p>, value: Val<'p>, to: &[u64]) -> Val<'p> {
    let from = shape(value);
    let refines = |many: &[u64], few: &[u64]| many.len() > few.len() && splits(many, few);
    if from == to || refines(&from, to) || refines(to, &from) {
        return emit.reshape(value, to);
    }
    let all: u64 = from.iter().product();
    let one = emit.reshape(value, &[all]);
    emit.reshape(one, to)
}

/// Returns whether groups of neighbours in `many` multiply to the extents of `few`.
fn splits(many: &[u64], few: &[u64]) -> bool {
    let mut rest = many.iter().peekable();
    for extent in few {
        let mut product = 1;
        let mut is_first = true;
        while product < *extent || is_first {
            let Some(next) = rest.next() else {
                return false;
            };
            product *= next;
            is_first = false;
        }
        if product != *extent {
            return false;
        }
        // A dimension of one element belongs to the group before it, unless the next group is one element too.
        while rest.peek() == Some(&&1) && few.last() != Some(&1) {
            rest.next();
        }
    }
    rest.all(|extent| *extent == 1)
}
