//! The kernel arguments of a bundle, as its operations use them: which are read and written, and how far.
//!
//! The files of a bundle have no sizes of arguments. But every address is a base plus a linear form of loop indices,
//! and a tensor has a span from its start. So the last byte that operations reach follows from the ranges of the
//! indices, without a run. The size is at least the one of the allocation up to that byte: padding that no operation
//! reaches is not in it.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use spyre_bundle_files::{
    Arithmetic, Field, Linear, Place, Role, Statement, StatementKind, ValueId,
};
use spyre_layout::{Bytes, DeviceFormat, STICK_BYTES};

use crate::memory::RegionId;
use crate::read::{Bundle, MemoryKind, Operation, Start, Tensor};

use super::view::View;

/// A kernel argument, as the operations of a bundle use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentUse {
    /// Whether an operation reads it.
    pub is_read: bool,
    /// Whether an operation writes it.
    pub is_written: bool,
    /// Whether its elements are coordinates in another tensor.
    pub is_indices: bool,
    /// The size up to the last stick that operations reach; `None` for a table of a gather, of which a file has neither
    /// the extent nor the size.
    pub bytes: Option<Bytes>,
    /// The format of its elements, as the first operation sees them.
    pub format: DeviceFormat,
}

/// The reason why the use of arguments is not determined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UseError {
    /// An address that is no kernel argument plus a number.
    #[error("bundle.mlir:{0}: an address must be a kernel argument plus a number")]
    Address(Place),
    /// A number does not fit 64 bits.
    #[error("bundle.mlir:{0}: a value does not fit 64 bits")]
    Overflow(Place),
    /// A tensor that starts before its argument.
    #[error("bundle.mlir:{0}: a tensor starts before its argument")]
    Before(Place),
    /// A runtime size without a value.
    #[error("parameter {param} (%{name}) is a runtime size without a value")]
    Size {
        /// The position of the parameter.
        param: usize,
        /// The name.
        name: String,
    },
}

/// The base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// None: the value is a number.
    Number,
    /// A parameter.
    Param(usize),
    /// The pool that the function allocates.
    Pool,
}

/// The values of a name in all iterations: a base, the least and the largest number that is added, and a stride.
#[derive(Clone, Copy, Debug)]
struct Span {
    base: Base,
    low: i64,
    high: i64,
    /// A divisor of the distances of all values from `low`; 0 if there is one value. It is at most `high - low`.
    stride: u64,
}

impl Span {
    const fn number(value: i64) -> Self {
        Self {
            base: Base::Number,
            low: value,
            high: value,
            stride: 0,
        }
    }

    const fn at(base: Base) -> Self {
        Self {
            base,
            low: 0,
            high: 0,
            stride: 0,
        }
    }

    fn plus(self, other: Self) -> Result<Self, Wrong> {
        let base = match (self.base, other.base) {
            (base, Base::Number) | (Base::Number, base) => base,
            _ => return Err(Wrong::Address),
        };
        Ok(Self {
            base,
            low: self.low.checked_add(other.low).ok_or(Wrong::Overflow)?,
            high: self.high.checked_add(other.high).ok_or(Wrong::Overflow)?,
            stride: common_divisor(self.stride, other.stride),
        })
    }

    fn times(self, factor: i64) -> Result<Self, Wrong> {
        if factor == 1 {
            return Ok(self);
        }
        if self.base != Base::Number && factor != 0 {
            return Err(Wrong::Address);
        }
        let ends = [self.low, self.high].map(|end| end.checked_mul(factor));
        let [Some(one), Some(other)] = ends else {
            return Err(Wrong::Overflow);
        };
        Ok(Self {
            base: Base::Number,
            low: one.min(other),
            high: one.max(other),
            // The stride is at most the distance of the ends, which has just been multiplied by the same factor.
            stride: self.stride * factor.unsigned_abs(),
        })
    }
}

/// An error without its place.
enum Wrong {
    Address,
    Overflow,
    Before,
}

impl Wrong {
    fn at(self, place: Place) -> UseError {
        match self {
            Self::Address => UseError::Address(place),
            Self::Overflow => UseError::Overflow(place),
            Self::Before => UseError::Before(place),
        }
    }
}

impl Bundle {
    /// Returns the use of each kernel argument by its number. `sizes` has the value of each parameter that is a runtime
    /// size, by position.
    ///
    /// # Errors
    /// [`UseError`].
    pub fn argument_uses(
        &self,
        sizes: &FxHashMap<usize, i64>,
    ) -> Result<BTreeMap<u32, ArgumentUse>, UseError> {
        let function = self.function();
        let mut walk = Walk {
            bundle: self,
            sizes,
            values: vec![Span::number(0); function.values.len()],
            uses: BTreeMap::new(),
        };
        for (position, param) in function.params.iter().enumerate() {
            let span = match param.bounds.is_size() {
                true => Span::number(walk.size(position)?),
                false => Span::at(Base::Param(position)),
            };
            walk.set(param.value, span);
        }
        walk.statements(&function.body)?;
        let mut uses = BTreeMap::new();
        for (position, used) in walk.uses {
            if let Some(Role::Argument(number)) = function.role(&function.params[position]) {
                uses.insert(number, used);
            }
        }
        Ok(uses)
    }
}

struct Walk<'b> {
    bundle: &'b Bundle,
    sizes: &'b FxHashMap<usize, i64>,
    /// The values of each name.
    values: Vec<Span>,
    /// The uses of the parameters, by position.
    uses: BTreeMap<usize, ArgumentUse>,
}

impl<'b> Walk<'b> {
    fn size(&self, param: usize) -> Result<i64, UseError> {
        let function = self.bundle.function();
        let name = || function.name(function.params[param].value).to_owned();
        let size = self.sizes.get(&param).copied();
        size.ok_or_else(|| UseError::Size {
            param,
            name: name(),
        })
    }

    fn get(&self, value: ValueId) -> Span {
        self.values[value.index()]
    }

    fn set(&mut self, value: ValueId, span: Span) {
        self.values[value.index()] = span;
    }

    fn statements(&mut self, statements: &'b [Statement]) -> Result<(), UseError> {
        statements
            .iter()
            .try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'b Statement) -> Result<(), UseError> {
        let at = |wrong: Wrong| wrong.at(statement.place);
        match &statement.kind {
            StatementKind::For {
                iv,
                lower,
                upper,
                step,
                body,
            } => {
                let [lower, upper, step] = [*lower, *upper, *step].map(|value| self.get(value));
                let Some(span) = indices(lower, upper, step) else {
                    return Ok(()); // a loop without iterations
                };
                self.set(*iv, span);
                self.statements(body)
            }
            StatementKind::Execute { file, symbols } => {
                let op = self.bundle.operation(file);
                let op = op.expect("a bundle has every file that it executes");
                let symbols = symbols
                    .iter()
                    .map(|(symbol, value)| (*symbol, self.get(*value)));
                let symbols: FxHashMap<i64, Span> = symbols.collect();
                self.execute(op, &symbols).map_err(at)
            }
            kind => {
                let (result, span) = self.value(kind).map_err(at)?;
                self.set(result, span);
                Ok(())
            }
        }
    }

    /// Returns the values that a statement defines.
    fn value(&self, kind: &StatementKind) -> Result<(ValueId, Span), Wrong> {
        Ok(match kind {
            StatementKind::Constant { result, value } => (*result, Span::number(*value)),
            StatementKind::Arithmetic {
                result,
                kind,
                lhs,
                rhs,
            } => {
                let (lhs, rhs) = (self.get(*lhs), self.get(*rhs));
                (*result, arithmetic(*kind, lhs, rhs)?)
            }
            StatementKind::Apply {
                result,
                map,
                operands,
            } => {
                let form = map.form.as_ref();
                let form = form.expect("a bundle is read with linear maps");
                let operands = operands.iter().map(|operand| self.get(*operand));
                (*result, linear(form, operands)?)
            }
            StatementKind::Extract {
                result,
                param,
                field,
            } => {
                let param = &self.bundle.function().params[*param];
                let span = match field {
                    Field::Value => self.get(param.value),
                    Field::Granularity | Field::MaxValue => {
                        let value = param.bounds.get(*field);
                        Span::number(value.expect("a field that is read is in the type"))
                    }
                };
                (*result, span)
            }
            StatementKind::Allocate { result, .. } => (*result, Span::at(Base::Pool)),
            StatementKind::For { .. } | StatementKind::Execute { .. } => {
                unreachable!("loops and executions define no value")
            }
        })
    }

    /// Adds the use of the arguments that an execution reads and writes. A symbol without a value is a fault of the
    /// run.
    fn execute(&mut self, op: &Operation, symbols: &FxHashMap<i64, Span>) -> Result<(), Wrong> {
        let extents: Vec<u64> = op
            .dims
            .iter()
            .map(|dim| {
                let size = dim.symbol.and_then(|symbol| symbols.get(&symbol));
                let size = size.and_then(|size| u64::try_from(size.high).ok());
                size.map_or(dim.extent, |size| size.min(dim.extent))
            })
            .collect();
        let parts = op.dims.iter().zip(&extents);
        let parts: Vec<u64> = parts.map(|(dim, extent)| extent / dim.slices).collect();
        let tensors = op.inputs.iter().enumerate();
        let tensors = tensors.map(|(position, tensor)| (Some(position), tensor));
        for (input, tensor) in tensors.chain([(None, &op.output)]) {
            if tensor.memory != MemoryKind::Hbm {
                continue;
            }
            let is_indices = input.is_some() && op.gather.map(|it| it.indices) == input;
            for (core, start) in tensor.starts.iter().enumerate() {
                let Start::Symbol(symbol) = start else {
                    continue; // an address of a segment, which is no argument
                };
                let Some(span) = symbols.get(symbol) else {
                    continue;
                };
                let Base::Param(param) = span.base else {
                    continue; // the pool, which the function allocates
                };
                if span.low < 0 {
                    return Err(Wrong::Before);
                }
                let start = span.high.unsigned_abs();
                let bytes = match end(tensor, core, &extents, &parts) {
                    End::Open => None,
                    End::Known(bytes) => Some(start.checked_add(bytes).ok_or(Wrong::Overflow)?),
                    End::TooFar => return Err(Wrong::Overflow),
                };
                let bytes = bytes.map(|bytes| bytes.next_multiple_of(STICK_BYTES.get()));
                self.add(param, tensor, input.is_some(), is_indices, bytes.map(Bytes));
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        param: usize,
        tensor: &Tensor,
        is_read: bool,
        is_indices: bool,
        bytes: Option<Bytes>,
    ) {
        let used = self.uses.entry(param).or_insert_with(|| ArgumentUse {
            is_read: false,
            is_written: false,
            is_indices: false,
            bytes: Some(Bytes(0)),
            format: tensor.format,
        });
        used.is_read |= is_read;
        used.is_written |= !is_read;
        used.is_indices |= is_indices;
        used.bytes = used.bytes.zip(bytes).map(|(one, other)| one.max(other));
    }
}

/// Returns the indices of a loop; `None` if it has no iteration.
fn indices(lower: Span, upper: Span, step: Span) -> Option<Span> {
    let bound = upper.high.checked_sub(1)?;
    if bound < lower.low {
        return None;
    }
    // A loop that does not advance is an error of the run.
    let advance = common_divisor(step.low.max(1).unsigned_abs(), step.stride);
    // The first index may depend on an outer loop. Then the last index of the loop with the least first one is not the
    // largest of all: in steps of 4 below 10, 0 reaches 8, and 1 reaches 9. All indices are multiples of the common
    // divisor away from the least.
    let stride = common_divisor(advance, lower.stride);
    let reach = bound.abs_diff(lower.low) / stride * stride;
    let high = lower.low.checked_add_unsigned(reach);
    Some(Span {
        base: Base::Number,
        low: lower.low,
        high: high.expect("an index is below the end of its loop"),
        stride: if reach == 0 { 0 } else { stride },
    })
}

/// Returns the greatest common divisor; that of 0 and a number is the number.
fn common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

fn arithmetic(kind: Arithmetic, lhs: Span, rhs: Span) -> Result<Span, Wrong> {
    match kind {
        Arithmetic::Add => lhs.plus(rhs),
        Arithmetic::Subtract => lhs.plus(rhs.times(-1)?),
        // Of two ranges, the product is not needed: a factor is a constant or a runtime size.
        Arithmetic::Multiply => match (lhs.low == lhs.high, rhs.low == rhs.high) {
            (_, true) if rhs.base == Base::Number => lhs.times(rhs.low),
            (true, _) if lhs.base == Base::Number => rhs.times(lhs.low),
            _ => Err(Wrong::Address),
        },
    }
}

fn linear(form: &Linear, operands: impl Iterator<Item = Span>) -> Result<Span, Wrong> {
    let mut sum = Span::number(form.constant);
    for (operand, factor) in operands.zip(&form.factors) {
        sum = sum.plus(operand.times(*factor)?)?;
    }
    Ok(sum)
}

/// The end of a tensor, in bytes from its start.
enum End {
    Known(u64),
    /// The extent of a gathered dimension is not known.
    Open,
    /// It does not fit 64 bits.
    TooFar,
}

fn end(tensor: &Tensor, core: usize, extents: &[u64], parts: &[u64]) -> End {
    if tensor.order.iter().any(|dim| dim.gathered) {
        return End::Open;
    }
    let view = View::axes(tensor, core, extents, parts, 1).map(|axes| View {
        region: RegionId::Hbm(0),
        start: 0,
        element: tensor.element_bytes() as usize,
        per_stick: tensor.per_stick,
        axes,
    });
    view.and_then(|view| view.span())
        .map_or(End::TooFar, End::Known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loop_indices(lower: Span, upper: i64, step: i64) -> Option<(i64, i64, u64)> {
        let span = indices(lower, Span::number(upper), Span::number(step))?;
        Some((span.low, span.high, span.stride))
    }

    #[test]
    fn the_largest_index_is_that_of_any_first_one() {
        let zero = Span::number(0);
        assert_eq!(loop_indices(zero, 10, 4), Some((0, 8, 4)));
        assert_eq!(loop_indices(zero, 1, 4), Some((0, 0, 0)));
        assert_eq!(loop_indices(zero, 0, 4), None);
        // From 0, 1 or 2: 9 = 1 + 2 * 4 is an index.
        let outer = indices(zero, Span::number(3), Span::number(1)).expect("iterations");
        assert_eq!(loop_indices(outer, 10, 4), Some((0, 9, 1)));
        // From 0, 6 or 12 in steps of 4: all are even.
        let outer = indices(zero, Span::number(13), Span::number(6)).expect("iterations");
        assert_eq!(loop_indices(outer, 16, 4), Some((0, 14, 2)));
        let ends = indices(zero, Span::number(i64::MAX), Span::number(1)).expect("iterations");
        assert_eq!(ends.high, i64::MAX - 1);
    }

    #[test]
    fn strides_follow_sums_and_products() {
        let rows = indices(Span::number(0), Span::number(128), Span::number(64));
        let rows = rows.expect("iterations");
        let Ok(bytes) = rows.times(-128) else {
            panic!("a product of numbers")
        };
        assert_eq!((bytes.low, bytes.high, bytes.stride), (-8192, 0, 8192));
        let Ok(sum) = bytes.plus(rows) else {
            panic!("a sum of numbers")
        };
        assert_eq!((sum.low, sum.high, sum.stride), (-8192, 64, 64));
    }
}
