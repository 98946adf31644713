//! Builds pairs of moments: the mean of a row and the mean of its squares, side by side in one stick (contract, K30).
//!
//! A pair is the last dimension of its tensor, of two elements, and no operation runs along it.

use melior::ir::Type;
use spyre_mlir_rt::ir::{Offset, Val};
use spyre_ods::arith;
use spyre_ops::Combiner;

use crate::computation::Computation;
use crate::emit::Emitter;
use crate::reduce::{self, Axes};

/// The pairs of rows: sums in 32 bits, divided by the number of elements and rounded once.
pub(crate) struct Moments(Axes);

impl Moments {
    /// Returns the pairs of an operation.
    ///
    /// # Errors
    /// The rows are in another order in the result.
    pub(crate) fn of(computation: &Computation<'_, '_>) -> Result<Self, String> {
        Axes::of(computation).map(Self)
    }

    /// Builds zeros for the sums of rows and for those of their squares.
    pub(crate) fn init<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
    ) -> Vec<Val<'p>> {
        (0..2).map(|_| self.zeros(emit, computation)).collect()
    }

    fn zeros<'p>(&self, emit: &Emitter<'p>, computation: &Computation<'_, 'p>) -> Val<'p> {
        let mut rows = computation.result_shape();
        rows.pop();
        if rows.is_empty() {
            rows.push(1);
        }
        let float = Type::float32(emit.context);
        emit.splat(Combiner::Add.identity(), &rows, float)
    }

    /// Builds the sums of rows and those of their squares, from the sums before on.
    pub(crate) fn add<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
        before: &[Val<'p>],
    ) -> Vec<Val<'p>> {
        let terms = terms(emit, computation).into_iter().zip(before);
        let sums = terms.map(|(terms, before)| self.sum(emit, computation, terms, Some(*before)));
        sums.collect()
    }

    fn sum<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
        terms: Val<'p>,
        before: Option<Val<'p>>,
    ) -> Val<'p> {
        let init = || before.unwrap_or_else(|| self.zeros(emit, computation));
        self.0.reduce(emit, terms, init, Combiner::Add)
    }

    /// Builds the pairs of whole rows.
    pub(crate) fn whole<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
    ) -> Val<'p> {
        let terms = terms(emit, computation);
        let mut result = emit.empty(&computation.result_shape(), computation.element());
        for (number, terms) in terms.into_iter().enumerate() {
            let sum = match self.0.is_empty() {
                true => terms, // rows of one element
                false => self.sum(emit, computation, terms, None),
            };
            result = insert_mean(emit, computation, (number, sum), result);
        }
        result
    }

    /// Builds the pairs from both sums.
    pub(crate) fn finish<'p>(
        &self,
        emit: &Emitter<'p>,
        computation: &Computation<'_, 'p>,
        sums: &[Val<'p>],
    ) -> Val<'p> {
        let mut result = emit.empty(&computation.result_shape(), computation.element());
        for (number, sum) in sums.iter().enumerate() {
            result = insert_mean(emit, computation, (number, *sum), result);
        }
        result
    }
}

/// Builds the elements of rows and their squares, in 32 bits.
fn terms<'p>(emit: &Emitter<'p>, computation: &Computation<'_, 'p>) -> [Val<'p>; 2] {
    let value = emit.convert(computation.inputs[0].value, Type::float32(emit.context));
    [value, emit.build().same(arith::mulf(value, value))]
}

/// Builds pairs with the means of sums as their first or second elements.
fn insert_mean<'p>(
    emit: &Emitter<'p>,
    computation: &Computation<'_, 'p>,
    (number, sum): (usize, Val<'p>),
    into: Val<'p>,
) -> Val<'p> {
    let mut sizes = computation.result_shape();
    let last = sizes.len() - 1;
    sizes[last] = 1;
    let mean = reduce::mean(emit, computation, sum);
    let mean = emit.convert(mean, computation.element());
    let mean = emit.reshape(mean, &sizes);
    let mut offsets = vec![Offset::Static(0); sizes.len()];
    offsets[last] = Offset::Static(i64::from(number == 1));
    emit.insert(mean, into, offsets, &sizes)
}
