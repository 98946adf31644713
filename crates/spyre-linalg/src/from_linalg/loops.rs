//! A structured operation as device operations.
//!
//! A result without reduced loops is its body, element by element. One with them combines the terms of the body
//! over all iterations: products of two operands that share reduced loops are a matrix product, other terms are
//! built and reduced. Loops that index a dimension together with another one, such as window loops, are
//! unrolled.

use melior::ir::Type;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use spyre_analysis::dynamic::extents::Extent;
use spyre_construct::access::LoopId;
use spyre_construct::build::{Build, is_truth, splat};
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_mlir_rt::rules::Refusal;
use spyre_ods::spyre;

use super::nest::{Access, Nest};
use super::scalars::Elements;
use super::search::Search;
use super::term::{Combiner, Term, is_word};
use super::{contract, convolve, truth};

/// The form that a sum of products of windows gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Convolutions {
    /// A matrix product for each position of the window.
    Windows,
    /// One operation where the device has it.
    Direct,
}

/// The most positions of a window that are unrolled, each to separate operations.
const MOST_POSITIONS: i64 = 256;

/// Builds the results of a structured operation that have uses; `None` for results without uses.
///
/// # Errors
/// The reason why the device has no operations for it.
pub(super) fn convert<'p>(
    build: Build<'p>,
    op: Op<'p>,
    convolutions: Convolutions,
) -> Result<Vec<Option<Val<'p>>>, Refusal<'p>> {
    let nest = Nest::read(&build, op)?;
    let end = nest.body.terminator().ok_or("the body has no end")?;
    let is_read = |number: usize| {
        let result = op.result(number).expect("an output is a result");
        !ir::uses(result.into()).is_empty()
    };
    let search = Search::of(&nest, end);
    let mut results = Vec::new();
    for (number, output) in nest.outputs.iter().enumerate() {
        if !is_read(number) {
            results.push(None);
            continue;
        }
        let yielded = end.operand(number).map_err(|err| err.to_string())?;
        let tensor = if nest.reduced().next().is_none() {
            let mut elements = Elements::new(build, &nest);
            elements.tensor(yielded)?
        } else if let Some(search) = &search {
            search.result(build, &nest, number)?
        } else {
            let term = Term::of(&nest, number, yielded)?;
            let sum = term.combine(build, &nest, convolutions)?;
            term.begin(build, &nest, output, sum)?
        };
        results.push(Some(place(build, &nest, number, tensor)?));
    }
    Ok(results)
}

/// Converts a tensor with a dimension for each parallel loop, in order, to the shape of result `number`, which may have the
/// loops in another order.
fn place<'p>(
    build: Build<'p>,
    nest: &Nest<'p>,
    number: usize,
    tensor: Val<'p>,
) -> Result<Val<'p>, String> {
    let output = &nest.outputs[number];
    let tensor = build.widen(tensor, &nest.extents[..nest.parallel]);
    let loops: Vec<LoopId> = output
        .coordinates
        .iter()
        .filter_map(|at| at.as_index())
        .collect();
    if loops.len() != nest.parallel {
        return Err(format!(
            "result #{number} does not depend on a loop that another result depends on"
        ));
    }
    let order: Vec<usize> = loops.iter().map(|id| id.0).collect();
    let shape = build.shape_of(output.value)?;
    Ok(build.reshape(build.permute(tensor, &order), &shape)?)
}

impl<'p> Term<'p> {
    /// Builds the combination of the terms of all iterations: a tensor with a dimension for each parallel loop.
    fn combine(
        &self,
        build: Build<'p>,
        nest: &Nest<'p>,
        convolutions: Convolutions,
    ) -> Result<Val<'p>, String> {
        let Some(window) = windows(nest) else {
            return self.reduce(build, nest);
        };
        if convolutions == Convolutions::Direct
            && self.combiner == Combiner::Sum
            && !is_word(self.element)
            && let Some(sum) = convolve::direct(build, nest, self)
        {
            return Ok(sum);
        }
        let extents = window.iter().map(|id| nest.extent(*id));
        if let Some(dynamic) = extents.clone().find(|extent| extent.number().is_none()) {
            return Err(build.because(dynamic, "a window is along {}"));
        }
        let positions = Extent::product(extents).and_then(Extent::number);
        let positions = positions.unwrap_or(i64::MAX);
        if positions > MOST_POSITIONS {
            return Err(format!(
                "a window has {positions} positions; at most {MOST_POSITIONS} become operations of their own"
            ));
        }
        let mut sum = None;
        self.unroll(build, nest, &window, &mut sum)?;
        sum.ok_or_else(|| "a window has no position".into())
    }

    /// Adds the terms of a nest to `sum`, one for each position of the window.
    fn unroll(
        &self,
        build: Build<'p>,
        nest: &Nest<'p>,
        window: &[LoopId],
        sum: &mut Option<Val<'p>>,
    ) -> Result<(), String> {
        let Some((last, others)) = window.split_last() else {
            let term = self.reduce(build, nest)?;
            *sum = Some(match *sum {
                Some(sum) => self.join(build, sum, term),
                None => term,
            });
            return Ok(());
        };
        let extent = nest.extent(*last).number();
        for index in 0..extent.expect("positions of a window are counted") {
            self.unroll(build, &nest.fixed(*last, index), others, sum)?;
        }
        Ok(())
    }

    /// Builds the combination without windows.
    fn reduce(&self, build: Build<'p>, nest: &Nest<'p>) -> Result<Val<'p>, String> {
        if self.combiner == Combiner::Sum
            && !is_word(self.element)
            && let Some(product) = contract::product(build, nest, self)?
        {
            return Ok(product);
        }
        let mut elements = Elements::new(build, nest);
        let mut term = elements.tensor(self.value)?;
        if let Some(instead) = self.combiner.instead_of_nan() {
            term = numbers(build, term, instead);
        }
        let reduced: Vec<usize> = nest.reduced().map(|id| id.0).collect();
        if reduced.is_empty() {
            return Ok(term);
        }
        let mut shape = build.shape(term);
        for id in &reduced {
            shape[*id] = nest.extents[*id];
        }
        let term = build.widen(term, &shape);
        if is_word(self.element) {
            return self.halved(build, term, &reduced);
        }
        if !is_truth(self.element) {
            return Ok(build.reduce(self.combiner.reduction(), term, &reduced));
        }
        // Reductions are of floats.
        let numbers = truth::numbers(&build, term, truth::of(term).unwrap_or(16));
        let reduced = build.reduce(self.combiner.reduction(), numbers, &reduced);
        Ok(truth::of_numbers(&build, reduced))
    }

    /// Combines integers along dimensions, which are gone from the result: one half of them with the other, until one is left.
    /// Reductions of the device are of floats, which would round. Sums and products of 32 bits wrap, so that any order is exact.
    ///
    /// # Errors
    /// A dimension is dynamic: halves of it are no extents.
    fn halved(&self, build: Build<'p>, term: Val<'p>, dims: &[usize]) -> Result<Val<'p>, String> {
        let mut whole = term;
        for dim in dims {
            let mut left = None;
            loop {
                let shape = build.shape(whole);
                let Extent::Static(extent) = shape[*dim] else {
                    let message = "integers are added up or compared in halves, which cuts {}";
                    return Err(build.because(shape[*dim], message));
                };
                let half = extent / 2;
                let part = |offset, size| {
                    let (mut offsets, mut sizes) = (vec![0; shape.len()], shape.clone());
                    (offsets[*dim], sizes[*dim]) = (offset, Extent::Static(size));
                    build.slice(whole, &offsets, &sizes)
                };
                if half == 0 {
                    break;
                }
                if extent % 2 == 1 {
                    let odd = part(2 * half, 1)?;
                    left = Some(left.map_or(odd, |left| self.join(build, left, odd)));
                }
                whole = self.join(build, part(0, half)?, part(half, half)?);
            }
            whole = left.map_or(whole, |left| self.join(build, whole, left));
        }
        let shape = build.shape(whole).into_iter().enumerate();
        let kept = shape.filter(|(dim, _)| !dims.contains(dim));
        let shape: Vec<Extent> = kept.map(|(_, extent)| extent).collect();
        Ok(build.reshape(whole, &shape)?)
    }

    /// Builds the combination of two tensors.
    fn join(&self, build: Build<'p>, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        if !is_truth(self.element) {
            return build.pointwise(self.combiner.pointwise(), &[a, b], self.element);
        }
        match self.combiner {
            Combiner::All => truth::both(&build, a, b),
            _ => truth::either(&build, a, b),
        }
    }

    /// Combines a result with its initial value, unless that is the identity.
    fn begin(
        &self,
        build: Build<'p>,
        nest: &Nest<'p>,
        output: &Access<'p>,
        sum: Val<'p>,
    ) -> Result<Val<'p>, String> {
        let init = ir::defining_op(output.value).and_then(splat);
        let number = init.and_then(spyre_dialects::attr::number);
        if number.is_some_and(|value| self.combiner.is_identity(value, self.element)) {
            return Ok(sum);
        }
        if self.combiner.instead_of_nan().is_some() && number.is_none_or(f64::is_nan) {
            return Err(
                "the largest or smallest number is searched from something else than a number"
                    .into(),
            );
        }
        let parallel = Nest {
            extents: nest.extents[..nest.parallel].to_vec(),
            ..nest.clone()
        };
        let start = match super::view::read(&build, &parallel, output)? {
            super::scalars::Element::Tensor(start) => start,
            _ => return Err("the initial value of a result is no tensor".into()),
        };
        Ok(self.join(build, sum, start))
    }
}

/// Returns a tensor with `instead` where an element is no number.
fn numbers<'p>(build: Build<'p>, value: Val<'p>, instead: f64) -> Val<'p> {
    let element = spyre_construct::build::element_of(value);
    let truth: Type<'p> = IntegerType::new(build.context, 1).into();
    let is_nan = build.pointwise(spyre::NOTEQUAL, &[value, value], truth);
    let instead = build.scalar(instead, build.shape(value).len(), element);
    build.pointwise(spyre::WHERE3, &[is_nan, instead, value], element)
}

/// Returns the reduced loops that move a dimension together with another loop; `None` if there are none.
fn windows(nest: &Nest<'_>) -> Option<Vec<LoopId>> {
    let together = |id: LoopId| {
        let coordinates = nest.inputs.iter().flat_map(|input| &input.coordinates);
        coordinates
            .filter(|at| at.terms.len() > 1)
            .any(|at| at.terms.iter().any(|(term, _)| *term == id))
    };
    let window: Vec<LoopId> = nest.reduced().filter(|id| together(*id)).collect();
    (!window.is_empty()).then_some(window)
}
