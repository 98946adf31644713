//! Prefix products, maxima, minima and logarithms of sums, and positions in a sorted sequence.
//!
//! Each element of the result is a reduction over the whole dimension that uses only the elements up to its position.
//! This takes as many steps as there are pairs of positions, but no element depends on the previous one.

use melior::ir::Type;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use spyre_construct::build::element_of;
use spyre_construct::structured::{self, map};
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{Op, Val};
use spyre_ods::{arith, math};

use super::super::super::functions::Class;
use super::super::super::functions::class;
use super::super::super::types::width;
use super::super::emit::{Binary, Emit, Is, number};
use super::super::{Graph, error, result};

/// The one of two elements that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extreme {
    /// The larger one.
    Largest,
    /// The smaller one.
    Smallest,
}

impl<'p> Graph<'p> {
    /// Builds the prefix combinations along a dimension, with the initial value `first`. `combine` is given the
    /// accumulator and the next element.
    fn so_far(
        &self,
        op: Op<'p>,
        (tensor, dim): (Val<'p>, usize),
        first: f64,
        combine: &dyn Fn(Emit<'p>, Val<'p>, Val<'p>) -> Val<'p>,
    ) -> Val<'p> {
        let count = &self.extents(tensor)[dim];
        let results = (element_of(tensor), first);
        self.pairs(
            op,
            (&[(tensor, true)], dim, count),
            results,
            &|emit, values| {
                let [element, so_far, place, index] = values else {
                    unreachable!("one tensor is read")
                };
                let is_before = emit.is(Is::GreaterEqual, *place, *index);
                emit.select(is_before, combine(emit, *so_far, *element), *so_far)
            },
        )
    }

    /// Converts prefix products.
    pub(super) fn cumprod(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let tensor = self.terms(op)?;
        let dim = self.dim(op, 1, self.extents(tensor).len())?;
        let ty = self.computed(element_of(tensor));
        let tensor = self.cast(op, tensor, ty);
        let multiply: Binary = match class(ty) {
            Class::Float => arith::mulf,
            _ => arith::muli,
        };
        let products = self.so_far(op, (tensor, dim), 1.0, &|emit, so_far, element| {
            emit.same(multiply(so_far, element))
        });
        self.finish_each(op, vec![products])
    }

    /// Converts prefix logarithms of sums of exponentials: the largest element so far is subtracted first, and
    /// added at the end. An infinite one is not subtracted, to avoid differences of infinities.
    pub(super) fn logcumsumexp(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let tensor = self.whole(op, 0)?;
        let shape = self.extents(tensor);
        let dim = self.dim(op, 1, shape.len())?;
        let ty = self.computed(element_of(tensor));
        if class(ty) != Class::Float {
            return Err(error(
                op,
                format!("logarithms of sums of exponentials need floats, got {ty}"),
            ));
        }
        let tensor = self.cast(op, tensor, ty);
        let least = f64::NEG_INFINITY;
        let largest = self.so_far(op, (tensor, dim), least, &|emit, so_far, element| {
            emit.same(arith::maximumf(so_far, element))
        });
        let base = self.each(op, &[largest], ty, &|emit, values| {
            let size = emit.same(math::absf(values[0]));
            let infinite = emit.number(f64::INFINITY, ty);
            let is_infinite = emit.is(Is::Equal, size, infinite);
            emit.select(is_infinite, emit.number(0.0, ty), values[0])
        });
        let both = [(base, false), (tensor, true)];
        let sums = self.pairs(op, (&both, dim, &shape[dim]), (ty, 0.0), &|emit, values| {
            let [base, element, so_far, place, index] = values else {
                unreachable!("two tensors are read")
            };
            let is_before = emit.is(Is::GreaterEqual, *place, *index);
            let rest = emit.same(arith::subf(*element, *base));
            let sum = emit.same(arith::addf(*so_far, emit.same(math::exp(rest))));
            emit.select(is_before, sum, *so_far)
        });
        let logarithms = self.each(op, &[sums, base], ty, &|emit, values| {
            let logarithm = emit.same(math::log(values[0]));
            emit.same(arith::addf(logarithm, values[1]))
        });
        self.finish_each(op, vec![logarithms])
    }

    /// Converts prefix maxima or minima and their positions: the last of equal ones. NaN is both.
    pub(super) fn extremes(&mut self, op: Op<'p>, extreme: Extreme) -> Result<(), Diagnostic<'p>> {
        let tensor = self.whole(op, 0)?;
        let shape = self.extents(tensor);
        let dim = self.dim(op, 1, shape.len())?;
        let ty = element_of(tensor);
        let is_largest = extreme == Extreme::Largest;
        let (combine, first): (Binary, f64) = match (class(ty), is_largest) {
            (Class::Float, true) => (arith::maximumf, f64::NEG_INFINITY),
            (Class::Float, false) => (arith::minimumf, f64::INFINITY),
            (Class::Integer | Class::Unsigned, _) => {
                let bits = i32::try_from(width(ty)).expect("bits are few");
                let least = -(2.0_f64.powi(bits - 1));
                match is_largest {
                    true => (arith::maxsi, least),
                    false => (arith::minsi, -(least + 1.0)),
                }
            }
            (Class::Truth, true) => (arith::ori, 0.0),
            (Class::Truth, false) => (arith::andi, 1.0),
        };
        let elements = self.so_far(op, (tensor, dim), first, &|emit, so_far, element| {
            emit.same(combine(so_far, element))
        });
        let i64: Type<'p> = IntegerType::new(self.context, 64).into();
        let both = [(elements, false), (tensor, true)];
        let from = self.pairs(
            op,
            (&both, dim, &shape[dim]),
            (i64, 0.0),
            &|emit, values| {
                let [extreme, element, so_far, place, index] = values else {
                    unreachable!("two tensors are read")
                };
                let is_before = emit.is(Is::GreaterEqual, *place, *index);
                let mut is_one = emit.is(Is::Equal, *extreme, *element);
                if class(ty) == Class::Float {
                    is_one = emit.same(arith::ori(is_one, emit.is_nan(*element)));
                }
                let is_here = emit.same(arith::andi(is_before, is_one));
                let index = emit.op(arith::index_cast(*index), i64);
                emit.select(is_here, index, *so_far)
            },
        );
        self.finish_all(op, vec![elements, from]);
        Ok(())
    }

    /// Converts positions in sorted sequences: the number of elements that are smaller than a value, or not larger.
    /// `values` and `sequences` are the numbers of operands. There is one sequence, or one for each row of
    /// values. A NaN is after all elements.
    pub(super) fn places_in(
        &mut self,
        op: Op<'p>,
        [values, sequences]: [usize; 2],
    ) -> Result<(), Diagnostic<'p>> {
        if op.operand_count() != 2 {
            let message = "it has a value that is no tensor, or an order of its sequence, which is not converted";
            return Err(error(op, message));
        }
        let context = self.context;
        let (values, sequences) = (self.whole(op, values)?, self.whole(op, sequences)?);
        let (shape, lengths) = (self.extents(values), self.extents(sequences));
        let rank = shape.len();
        let is_one = lengths.len() == 1;
        let rows = rank.saturating_sub(1);
        if !is_one && (lengths.len() != rank || lengths[..rows] != shape[..rows]) {
            let message = format!(
                "values of extents {shape:?} cannot be searched in sequences of {lengths:?}"
            );
            return Err(error(op, message));
        }
        let side = self.argument(op, "side", usize::MAX).and_then(attr::string);
        let is_right = side.map_or_else(
            || self.flag(op, "right", usize::MAX).unwrap_or(false),
            |side| side == "right",
        );
        let i64: Type<'p> = IntegerType::new(context, 64).into();
        let all: Vec<usize> = (0..rank).collect();
        let mut along: Vec<usize> = (0..if is_one { 0 } else { rows }).collect();
        along.push(rank);
        let ins = [
            (values, map(context, rank + 1, &all)),
            (sequences, map(context, rank + 1, &along)),
        ];
        let first = self.filled(op, number(context, 0.0, i64), i64, &shape);
        let out = (first, map(context, rank + 1, &all));
        let (built, block) = self.generic(op, (&ins, &[out]), (rank, 1));
        let emit = Emit {
            context,
            block,
            location: op.location(),
        };
        let [value, element, so_far] = [0, 1, 2].map(|number| structured::argument(block, number));
        let value = emit.converted(value, element_of(sequences), false);
        // An element that is not after the value is before it: no element is after a NaN.
        let is = if is_right {
            Is::Greater
        } else {
            Is::GreaterEqual
        };
        let is_before = emit.not(emit.is(is, element, value));
        let one = emit.converted(is_before, i64, false);
        let sum = emit.same(arith::addi(so_far, one));
        structured::end(block, op.location(), &[sum]);
        self.finish_each(op, vec![result(built)])
    }
}
