//! Structured operations over views.
//!
//! Loops with quotients and remainders as coordinates are cut into their digits, so that maps are linear wherever they
//! can be; see `spyre_construct::loops`. A tensor with digits as coordinates is reshaped for it, and one that is
//! read outside of its elements is padded with zeros. Where padding cannot represent a view, its elements are read one
//! by one, where its bounds hold.

use std::collections::BTreeSet;
use std::rc::Rc;

use melior::ir::{AffineExpr, AffineMap, Type};
use spyre_construct::affine;
use spyre_construct::build::{element_of, shape_of};
use spyre_construct::loops::{Digit, Linear, Loops};
use spyre_construct::structured::{self, Mapped, map, map_of};
use spyre_index_expr::ranges;
use spyre_index_expr::{Expr, Var};
use spyre_mlir_rt::ir::{self, At, Blk, Val};
use spyre_ods::{arith, tensor};
use spyre_uop::dtype::DType;
use spyre_uop::element as bits;
use spyre_uop::op::Combine;

use super::element::{self, Emit};
use super::view::{self, View};
use super::windows::{self, Axis};
use super::{Lowering, Outcome, Root, Value};
use crate::apply_opts::OPTS;

/// An element of a value that a body reads, at the loops.
pub(super) struct Input<'p> {
    pub(super) value: Value<'p>,
}

impl<'p> From<Value<'p>> for Input<'p> {
    fn from(value: Value<'p>) -> Self {
        Self { value }
    }
}

/// A function that builds a body of the elements that it reads.
pub(super) type Body<'b, 'p> = &'b dyn Fn(&Emit<'p>, &[Val<'p>]) -> Val<'p>;

/// How a body gets an element.
enum Source<'p> {
    /// The value is an argument.
    Argument(usize),
    /// The value is computed from loop indices, or read at them.
    Computed(Value<'p>),
}

/// A structured operation that is being built.
struct Nest<'p> {
    loops: Loops,
    ins: Vec<Mapped<'p>>,
    sources: Vec<Source<'p>>,
    /// The digits that are a dimension of a tensor that is read.
    has: BTreeSet<usize>,
}

impl<'p> Lowering<'_, 'p> {
    /// Builds a tensor, element by element.
    pub(super) fn pointwise(
        &mut self,
        inputs: Vec<Input<'p>>,
        dtype: DType,
        shape: &[i64],
        body: Body<'_, 'p>,
    ) -> Outcome<'p, Value<'p>> {
        let nest = self.nest(inputs, shape, shape.len())?;
        let extents: Vec<i64> = nest
            .loops
            .digits()
            .iter()
            .map(|digit| fixed(&digit.extent))
            .collect();
        let out = self.empty(&extents, dtype);
        let places: Vec<usize> = (0..extents.len()).collect();
        let out = (out, map(self.context, extents.len(), &places));
        let tensor = self.structured(&nest, out, 0, &|emit, x, _| body(emit, x))?;
        let tensor = self.reshape(tensor, shape);
        Ok(Value {
            root: Root::Tensor(tensor),
            dtype,
            view: View::whole(shape),
        })
    }

    /// Combines elements along axes. The elements of `factors` are multiplied first, and converted to the type of `value`.
    pub(super) fn reduction(
        &mut self,
        value: &Value<'p>,
        factors: Option<[Value<'p>; 2]>,
        combine: Combine,
        axes: &[usize],
    ) -> Outcome<'p, Value<'p>> {
        let dtype = value.dtype;
        let rank = value.view.shape.len();
        let (kept, reduced): (Vec<usize>, Vec<usize>) =
            (0..rank).partition(|axis| !axes.contains(axis));
        let order: Vec<usize> = kept.iter().chain(&reduced).copied().collect();
        let shape: Vec<i64> = order.iter().map(|axis| value.view.shape[*axis]).collect();
        let mut coordinates = vec![Expr::constant(0); rank];
        for (place, axis) in order.iter().enumerate() {
            coordinates[*axis] = view::coordinate(place);
        }
        let values = factors.map_or_else(|| vec![value.clone()], Vec::from);
        let from = values[0].dtype;
        // A rule: the tensor cores of tinygrad take a rounded product for an exact one.
        let is_exact =
            self.has_rules && matches!(from, DType::F16 | DType::Bf16) && dtype == DType::F32;
        let mut inputs = Vec::new();
        for value in values {
            let view = self.fits(value.view.read(&shape, &coordinates))?;
            inputs.push(Input::from(Value { view, ..value }));
        }
        let mut nest = self.nest(inputs, &shape, kept.len())?;
        let digits = nest.loops.digits();
        let parallel = nest.loops.parallel();
        let extents: Vec<i64> = digits[..parallel]
            .iter()
            .map(|digit| fixed(&digit.extent))
            .collect();
        let identity = bits::identity(combine, dtype);
        let identity = self.build_constant(dtype, identity);
        let empty = self.empty(&extents, dtype);
        let filled = structured::fill(self.context, (self.end, self.here), identity, empty);
        if !(parallel..digits.len()).all(|digit| nest.has.contains(&digit)) {
            // If no operand has the extents of the reduced loops, a tensor with these extents is added as an operand;
            // its elements are not read.
            let extents: Vec<i64> = digits.iter().map(|digit| fixed(&digit.extent)).collect();
            let places: Vec<usize> = (0..extents.len()).collect();
            let extents = self.empty(&extents, dtype);
            nest.ins
                .push((extents, map(self.context, digits.len(), &places)));
        }
        let places: Vec<usize> = (0..parallel).collect();
        let out = (filled, map(self.context, digits.len(), &places));
        let tensor = self.structured(
            &nest,
            out,
            digits.len() - parallel,
            &|emit, x, accumulator| {
                let value = match x {
                    [a, b] if from == dtype => emit.mul(dtype, *a, *b),
                    [a, b] if is_exact => {
                        let [a, b] = [*a, *b].map(|factor| emit.cast(from, dtype, factor));
                        emit.mul(dtype, a, b)
                    }
                    [a, b] => emit.cast(from, dtype, emit.mul(from, *a, *b)),
                    _ => x[0],
                };
                match combine {
                    Combine::Add => emit.add(dtype, accumulator, value),
                    Combine::Mul => emit.mul(dtype, accumulator, value),
                    Combine::Max => emit.larger(dtype, accumulator, value),
                }
            },
        )?;
        let whole: Vec<i64> = kept.iter().map(|axis| value.view.shape[*axis]).collect();
        let tensor = self.reshape(tensor, &whole);
        let mut result = value.view.shape.clone();
        for axis in axes {
            result[*axis] = 1;
        }
        let at = kept.iter().map(|axis| view::coordinate(*axis)).collect();
        // Axes of one element are at 0.
        let view = View::of(&result, at);
        let coordinates: Vec<Expr> = (0..rank).map(view::coordinate).collect();
        Ok(Value {
            root: Root::Tensor(tensor),
            dtype,
            view: self.fits(view.read(&result, &coordinates))?,
        })
    }

    /// Returns a value as a tensor of its shape.
    pub(super) fn realized(&mut self, value: &Value<'p>) -> Outcome<'p, Val<'p>> {
        let shape = value.view.shape.clone();
        if shape.contains(&0) {
            return Ok(self.empty(&shape, value.dtype));
        }
        if let Root::Tensor(tensor) = value.root {
            let extents = shape_of(tensor).expect("tensors have known extents here");
            if self.fits(value.view.is_reshape(&extents))? {
                return Ok(self.reshape(tensor, &shape));
            }
        }
        let inputs = vec![Input::from(value.clone())];
        // These loops only move elements; optimisations apply to loops that compute.
        let opts = self.opts.take();
        let copy = self.pointwise(inputs, value.dtype, &shape, &|_, x| x[0])?;
        self.opts.set(opts);
        match copy.root {
            Root::Tensor(tensor) => Ok(tensor),
            Root::Number(_) | Root::Position => unreachable!("a pointwise operation is a tensor"),
        }
    }

    /// Returns the elements of a tensor at positions, which are values over the extents `shape`. With `below`, an axis
    /// and an extent, they are 0 where the position along the axis is outside of the extent.
    pub(super) fn picked(
        &mut self,
        source: &Value<'p>,
        at: &[Value<'p>],
        shape: &[i64],
        below: Option<(usize, i64)>,
    ) -> Outcome<'p, Value<'p>> {
        let dtype = source.dtype;
        let source = self.realized(source)?;
        let context = self.context;
        let dtypes: Vec<DType> = at.iter().map(|value| value.dtype).collect();
        let inputs = at.iter().cloned().map(Input::from).collect();
        self.pointwise(inputs, dtype, shape, &|emit, x| {
            let index = Type::index(context);
            let mut at: Vec<Val<'p>> = x
                .iter()
                .zip(&dtypes)
                .map(|(value, dtype)| {
                    let parts = match dtype.is_signed() {
                        true => arith::index_cast(*value),
                        false => arith::index_castui(*value),
                    };
                    emit.op(parts, index)
                })
                .collect();
            let element = element::plain(context, dtype);
            let Some((axis, extent)) = below else {
                return emit.op(tensor::extract(source, &at), element);
            };
            let zero = emit.index(0);
            let inside = emit.and(
                emit.greater_equal(at[axis], zero),
                emit.below(at[axis], emit.index(extent)),
            );
            at[axis] = emit.select(inside, at[axis], zero);
            let read = emit.op(tensor::extract(source, &at), element);
            emit.select(inside, read, emit.constant(dtype, 0))
        })
    }

    fn empty(&self, shape: &[i64], dtype: DType) -> Val<'p> {
        let build = self.builder();
        let ty = build.tensor(shape, element::plain(self.context, dtype));
        build.emit(tensor::empty(&[]), ty)
    }

    /// Plans the loops over some inputs. The first `parallel` ones are not reduced.
    fn nest(
        &mut self,
        inputs: Vec<Input<'p>>,
        shape: &[i64],
        parallel: usize,
    ) -> Outcome<'p, Nest<'p>> {
        let mut nest = Nest {
            loops: Loops::new(
                shape.iter().copied().map(Expr::from).collect(),
                parallel,
                &Rc::default(),
            ),
            ins: Vec::new(),
            sources: Vec::new(),
            has: BTreeSet::new(),
        };
        let mut values = Vec::new();
        for input in inputs {
            let value = self.windowed(input.value);
            let value = self.padded(value)?;
            if matches!(value.root, Root::Tensor(_)) {
                // A view that does not become linear has quotients in its map.
                let _ = nest.loops.admit(&value.view.at);
            }
            values.push(value);
        }
        for value in values {
            let source = match value.root {
                Root::Tensor(tensor) if value.view.valid.is_empty() => {
                    let mapped = self.mapped(&nest.loops, tensor, &value.view, &mut nest.has)?;
                    nest.ins.push(mapped);
                    Source::Argument(nest.ins.len() - 1)
                }
                _ => Source::Computed(value),
            };
            nest.sources.push(source);
        }
        Ok(nest)
    }

    /// Returns a value with its tensor reshaped so that each axis has a coordinate of the windows that the value reads.
    fn windowed(&self, value: Value<'p>) -> Value<'p> {
        let Root::Tensor(tensor) = value.root else {
            return value;
        };
        let extents = shape_of(tensor).expect("tensors have known extents here");
        let (mut shape, mut at) = (Vec::new(), Vec::new());
        for (extent, expr) in extents.iter().zip(&value.view.at) {
            let axes = windows::axes(&value.view, expr, *extent);
            for axis in axes.unwrap_or_else(|| {
                vec![Axis {
                    extent: *extent,
                    at: expr.clone(),
                }]
            }) {
                shape.push(axis.extent);
                at.push(axis.at);
            }
        }
        if shape == extents {
            return value;
        }
        Value {
            root: Root::Tensor(self.reshape(tensor, &shape)),
            view: View { at, ..value.view },
            dtype: value.dtype,
        }
    }

    /// Returns a value with its tensor padded by the zeros that it reads, if all bounds are bounds of coordinates.
    fn padded(&mut self, value: Value<'p>) -> Outcome<'p, Value<'p>> {
        let Root::Tensor(tensor) = value.root else {
            return Ok(value);
        };
        if value.view.valid.is_empty() {
            return Ok(value);
        }
        let extents = shape_of(tensor).expect("tensors have known extents here");
        let rank = extents.len();
        // The part of the tensor that is read.
        let (mut from, mut to) = (vec![0; rank], extents.clone());
        for bound in &value.view.valid {
            // A coordinate may have an offset: the bound is then of the coordinate.
            let place = (0..rank).find_map(|axis| {
                let difference = value.view.at[axis].add(&bound.expr.scale(-1).ok()?).ok()?;
                Some((axis, difference.as_constant()?))
            });
            let Some((axis, offset)) = place else {
                return Ok(value);
            };
            if let Some(low) = bound.low {
                from[axis] = from[axis].max(low.saturating_add(offset));
            }
            if let Some(high) = bound.high {
                to[axis] = to[axis].min(high.saturating_add(offset));
            }
        }
        let (mut low, mut shape, mut at) = (Vec::new(), Vec::new(), Vec::new());
        for axis in 0..rank {
            let expr = &value.view.at[axis];
            let range = ranges::range(expr, &view::ranges(&value.view.shape));
            let (Some((least, most)), true) = (range, from[axis] < to[axis]) else {
                return Ok(value);
            };
            let before = (from[axis] - least).max(0);
            let behind = (most + 1 - to[axis]).max(0);
            low.push(before);
            shape.push(before + to[axis] - from[axis] + behind);
            at.push(self.fits(expr.add(&Expr::constant(before - from[axis])))?);
        }
        if shape.iter().product::<i64>() > most_padded(&extents, &value.view.shape) {
            return Ok(value);
        }
        let sizes: Vec<i64> = (0..rank).map(|axis| to[axis] - from[axis]).collect();
        let part = self.builder().slice_fixed(tensor, &from, &sizes);
        let padded = self.pad(part, value.dtype, &low, &shape);
        Ok(Value {
            root: Root::Tensor(padded),
            view: View {
                at,
                valid: Vec::new(),
                shape: value.view.shape,
            },
            dtype: value.dtype,
        })
    }

    /// Returns a tensor inside of zeros.
    fn pad(&self, tensor: Val<'p>, dtype: DType, low: &[i64], shape: &[i64]) -> Val<'p> {
        let extents = shape_of(tensor).expect("tensors have known extents here");
        if extents == shape {
            return tensor;
        }
        let zero = self.build_constant(dtype, 0);
        let at = (self.end, self.here);
        let ends = low.iter().zip(&extents).map(|(low, extent)| low + extent);
        let high: Vec<i64> = shape
            .iter()
            .zip(ends)
            .map(|(size, end)| size - end)
            .collect();
        structured::pad(self.context, at, tensor, (low, &high), zero)
    }

    /// Builds an element at the end of the function.
    fn build_constant(&self, dtype: DType, bits: u64) -> Val<'p> {
        let ty = element::plain(self.context, dtype);
        let value = element::attribute(self.context, dtype, bits);
        self.builder().emit(arith::constant(value), ty)
    }

    /// Returns a slice of `tensor`, reshaped for structured access, and the map from loop digits to its coordinates. A
    /// coordinate that is a mixed radix number of digits becomes one dimension for each digit; the digits are added to
    /// `has`. Any other coordinate stays an expression of the digits.
    fn mapped(
        &self,
        loops: &Loops,
        tensor: Val<'p>,
        view: &View,
        has: &mut BTreeSet<usize>,
    ) -> Outcome<'p, Mapped<'p>> {
        let digits = loops.digits();
        let extents = shape_of(tensor).expect("tensors have known extents here");
        let (mut offsets, mut sizes) = (vec![0; extents.len()], extents.clone());
        let (mut shape, mut exprs) = (Vec::new(), Vec::new());
        for (axis, (extent, expr)) in extents.iter().zip(&view.at).enumerate() {
            let linear = loops.linear(expr);
            let digits_of = linear.as_ref().and_then(|it| part(it, &digits));
            if let Some((order, offset, size)) = digits_of
                && offset >= 0
                && offset + size <= *extent
            {
                (offsets[axis], sizes[axis]) = (offset, size);
                shape.extend(order.iter().map(|digit| fixed(&digits[*digit].extent)));
                exprs.extend(
                    order
                        .iter()
                        .map(|digit| AffineExpr::dim(self.context, *digit)),
                );
                has.extend(order);
                continue;
            }
            shape.push(*extent);
            exprs.push(
                match linear.and_then(|linear| linear.affine(self.context)) {
                    Some(linear) => linear,
                    None => self.expr(loops, expr)?,
                },
            );
        }
        let tensor = self.builder().slice_fixed(tensor, &offsets, &sizes);
        let tensor = self.reshape(tensor, &shape);
        Ok((tensor, map_of(self.context, digits.len(), &exprs)))
    }

    /// Returns the elements of a tensor, row by row, in another shape.
    pub(super) fn reshape(&self, tensor: Val<'p>, shape: &[i64]) -> Val<'p> {
        let extents = shape_of(tensor).expect("tensors have known extents here");
        let build = self.builder();
        if extents != shape && extents.contains(&0) {
            let ty = build.tensor(shape, element_of(tensor));
            return build.emit(tensor::empty(&[]), ty);
        }
        build.reshape_fixed(tensor, shape)
    }

    /// Returns an index expression of the loops as one of their digits.
    fn expr(&self, loops: &Loops, expr: &Expr) -> Outcome<'p, AffineExpr<'p>> {
        let digits = loops.digits();
        let mut wholes = Vec::new();
        for number in 0..loops.count() {
            let mut whole = Expr::constant(0);
            for digit in loops.digits_of(number) {
                let term = view::coordinate(digit).mul(&digits[digit].weight);
                whole = self.fits(term.and_then(|term| whole.add(&term)))?;
            }
            wholes.push(whole);
        }
        let with = |var| match var {
            Var::Loop(number) => wholes.get(number as usize).cloned(),
            Var::Indirect(_) | Var::Symbol(_) => None,
        };
        let expr = self.fits(expr.substitute(&with))?;
        let dim = |var| match var {
            Var::Loop(number) => Some(number as usize),
            Var::Indirect(_) | Var::Symbol(_) => None,
        };
        affine::affine(self.context, &expr, &dim).map_err(|err| self.error(err))
    }

    /// Builds a structured operation. Its body gets the elements of the operands, and the accumulated element of the
    /// result.
    fn structured(
        &self,
        nest: &Nest<'p>,
        out: Mapped<'p>,
        reduced: usize,
        body: &dyn Fn(&Emit<'p>, &[Val<'p>], Val<'p>) -> Val<'p>,
    ) -> Outcome<'p, Val<'p>> {
        let digits = nest.loops.digits().len();
        let kinds = structured::loops(self.context, digits - reduced, reduced);
        let (op, block) = structured::generic(
            self.context,
            (self.end, self.here),
            (&nest.ins, &[out]),
            &kinds,
        );
        if let Some(opts) = self.opts.take() {
            ir::set_discardable_attribute(op, OPTS, opts);
        }
        let emit = Emit {
            context: self.context,
            block,
            location: self.here,
        };
        let mut elements = Vec::new();
        for source in &nest.sources {
            elements.push(match source {
                Source::Argument(number) => structured::argument(block, *number),
                Source::Computed(value) => self.computed(&nest.loops, &emit, value)?,
            });
        }
        let accumulator = structured::argument(block, nest.ins.len());
        let value = body(&emit, &elements, accumulator);
        structured::end(block, self.here, &[value]);
        Ok(ir::result(op, 0).expect("the operation has a result"))
    }

    /// Builds an element that is computed of the loops, or read at them where its bounds hold.
    fn computed(&self, loops: &Loops, emit: &Emit<'p>, value: &Value<'p>) -> Outcome<'p, Val<'p>> {
        let mut inside: Option<Val<'p>> = None;
        let mut holds = |condition| {
            inside = Some(inside.map_or(condition, |inside| emit.and(inside, condition)));
        };
        for bound in &value.view.valid {
            let bound = self.fits(bound.of_terms())?;
            let at = self.position(loops, emit, &bound.expr)?;
            if let Some(low) = bound.low {
                holds(emit.greater_equal(at, emit.index(low)));
            }
            if let Some(high) = bound.high {
                holds(emit.below(at, emit.index(high)));
            }
        }
        let ty = element::plain(self.context, value.dtype);
        let element = match value.root {
            Root::Number(bits) => emit.constant(value.dtype, bits),
            Root::Position => {
                let position = self.position(loops, emit, &value.view.at[0])?;
                emit.op(arith::index_cast(position), ty)
            }
            Root::Tensor(source) => {
                let mut indices = Vec::new();
                for expr in &value.view.at {
                    let at = self.position(loops, emit, expr)?;
                    indices.push(match inside {
                        Some(inside) => emit.select(inside, at, emit.index(0)),
                        None => at,
                    });
                }
                emit.op(tensor::extract(source, &indices), ty)
            }
        };
        Ok(match inside {
            Some(inside) => emit.select(inside, element, emit.constant(value.dtype, 0)),
            None => element,
        })
    }

    /// Builds an index expression in a body.
    fn position(&self, loops: &Loops, emit: &Emit<'p>, expr: &Expr) -> Outcome<'p, Val<'p>> {
        if let Some(number) = expr.as_constant() {
            return Ok(emit.index(number));
        }
        let count = loops.digits().len();
        let map = AffineMap::new(self.context, count, 0, &[self.expr(loops, expr)?]);
        let digits: Vec<Val<'p>> = (0..count).map(|digit| emit.loop_index(digit)).collect();
        let block: Blk<'p> = emit.block;
        Ok(ir::build_affine_apply(
            At::End(block),
            self.here,
            map,
            &digits,
        ))
    }
}

/// Returns the digits of a coordinate that is their mixed number from its offset on, the offset, and how many it is.
fn part(linear: &Linear, digits: &[Digit]) -> Option<(Vec<usize>, i64, i64)> {
    let from_zero = Linear {
        terms: linear.terms.clone(),
        offset: 0.into(),
    };
    let extents = from_zero.terms.keys().map(|digit| &digits[*digit].extent);
    let size = Expr::product(extents).ok()?;
    let order = from_zero.mixed(digits, &size)?;
    Some((order, linear.offset.as_constant()?, size.as_constant()?))
}

/// Returns the number that an extent is: here, all are numbers.
fn fixed(extent: &Expr) -> i64 {
    extent.as_constant().expect("extents are numbers here")
}

/// Returns the most elements that a tensor may have after padding: the number of elements read, or a few times its
/// elements.
fn most_padded(extents: &[i64], read: &[i64]) -> i64 {
    let count = |shape: &[i64]| shape.iter().product::<i64>();
    count(extents).max(count(read)).saturating_mul(4)
}
