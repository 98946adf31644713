//! `--spyre-narrow-floats`: lowers computations in `f32` to 16 bits.

use half::{bf16, f16};
use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::attribute::{DenseElementsAttribute, FloatAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Location, Type, TypeLike, ValueLike};
use rustc_hash::FxHashSet;
use spyre_construct::build::{element_of, element_type, result_types, with_element};
use spyre_dialects::attr;
use spyre_layout::Dl16;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpBuilder, OpParts, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_ods::{arith, func, linalg, spyre};

const NAME: &str = "spyre-narrow-floats";

/// `--spyre-narrow-floats`
pub static NARROW_FLOATS: RustPass = RustPass {
    argument: NAME,
    summary: "Lower linalg computations in f32 to 16 bits, and in f64 to f32",
    description: r#"
The card's format for floats has 16 bits (DL16). Recordings show few operations on
`f32`, and such a tensor has twice the size. This pass gives every `f32` inside of a
function the type `f16`, and every `f64`, of which the card has none, the type `f32`. Its
arguments and results stay as they are: casts follow arguments and precede results.

```mlir
// before
func.func @f(%x: tensor<96x512xf32>) -> tensor<96x512xf32> {
  %0 = tensor.empty() : tensor<96x512xf32>
  %1 = linalg.exp ins(%x : tensor<96x512xf32>) outs(%0 : tensor<96x512xf32>) -> tensor<96x512xf32>
  return %1 : tensor<96x512xf32>
}
// after
func.func @f(%x: tensor<96x512xf32>) -> tensor<96x512xf32> {
  %n = arith.truncf %x : tensor<96x512xf32> to tensor<96x512xf16>
  %0 = tensor.empty() : tensor<96x512xf16>
  %1 = linalg.exp ins(%n : tensor<96x512xf16>) outs(%0 : tensor<96x512xf16>) -> tensor<96x512xf16>
  %2 = arith.extf %1 : tensor<96x512xf16> to tensor<96x512xf32>
  return %2 : tensor<96x512xf32>
}
```

The casts are operations on whole tensors; `--convert-elementwise-to-linalg` makes them
structured. Device operations are narrowed as structured ones are. Constants are rounded.
A finite one stays finite: numbers beyond the largest `f16`, 65504, become 65504. A nonzero
one stays nonzero: numbers below the smallest `f16`, 2^-24, become 2^-24. A warning lists
numbers that do not fit, except from 1e37 on, which are taken for infinity, and small ones
among others. Computations on constants are to be evaluated first, in their type
(`--spyre-evaluate-constants`; `--spyre-import-linalg` does so). Casts between `f32` and
`f16` are removed, and casts from `f32` to `f64`, as before a variance, widen to `f32`. Reductions
and matrix products of the card add up in `f32` in any case.

Elements of an argument that a structured operation only converts to integers stay as they
are: they are indices mostly, and the host converts them.

Refused: `bf16` together with `f32`, the bits of an `f32` (`arith.bitcast`, `spyre.bitcast`),
`spyre.sitofp` and `spyre.fptosi`, buffers, and constants with elements that are not in
the module.
"#,
    anchor: func::FUNC,
    options: &[PassOption {
        name: "to",
        description: "the format for f32: dl16, 16 bits",
        kind: OptionKind::Str("dl16"),
    }],
    statistics: &[PassStatistic {
        name: "narrowed",
        description: "Values that have half of their bits now",
    }],
    dialects: || vec![DialectHandle::arith(), DialectHandle::linalg()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    if run.text("to") != "dl16" {
        let message = format!(
            "no format is called '{}'; the only format is dl16",
            run.text("to")
        );
        return Err(Diagnostic::error(function.location(), format!("{NAME}: {message}")).into());
    }
    let mut narrow = Narrow {
        context: run.context(),
        narrowed: 0,
        of_arguments: FxHashSet::default(),
        wide: FxHashSet::default(),
    };
    for block in ir::blocks(function) {
        check(block)?;
    }
    if let Some(entry) = ir::blocks(function).next() {
        narrow.arguments(entry);
    }
    for block in ir::blocks(function) {
        narrow.block(block)?;
    }
    if narrow.narrowed == 0 {
        run.preserve_analyses();
    }
    run.count("narrowed", narrow.narrowed);
    Ok(())
}

/// Refuses operations that have no form in 16 bits, before anything changes.
fn check(block: Blk<'_>) -> Result<(), Diagnostic<'_>> {
    for op in ir::operations(block) {
        let name = ir::name(op);
        let reason = match name {
            func::CALL if has_wide(op) => "a call with f32; run --inline first",
            arith::BITCAST | spyre::BITCAST if has_wide(op) => {
                "the bits of an f32 are read or made"
            }
            // Structured operations have forms of any width.
            spyre::SITOFP | spyre::FPTOSI => {
                "a conversion of the dialect between integers and floats is one of f32; write arith.sitofp or arith.fptosi in a \
                 structured operation instead"
            }
            _ if name.starts_with("memref.") || name.starts_with("bufferization.") => {
                "buffers; run it before bufferization"
            }
            _ => {
                for inner in ir::blocks(op) {
                    check(inner)?;
                }
                continue;
            }
        };
        return Err(Diagnostic::error(
            op.location(),
            format!("{NAME}: {reason}"),
        ));
    }
    Ok(())
}

/// Narrows the values of a function.
struct Narrow<'p> {
    context: &'p Context,
    narrowed: usize,
    /// The casts of arguments, which have narrow types already.
    of_arguments: FxHashSet<ir::OpKey>,
    /// Elements of arguments that become integers, which keep their types.
    wide: FxHashSet<ir::ValueKey>,
}

/// Returns the element of an argument in the body of a structured operation that converts it to an integer, and does nothing
/// else with it. Such numbers are mostly indices: in 16 bits they would choose other rows from 2048 on, and nothing on the card
/// reads them, as it has no such conversion.
fn element_as_integer(user: ir::Use<'_>) -> Option<Val<'_>> {
    if ir::name(user.owner) != linalg::GENERIC {
        return None;
    }
    let body = ir::body(user.owner)?;
    let element: Val<'_> = body.argument(user.operand).ok()?.into();
    let uses = ir::uses(element);
    let is_converted = |user: &ir::Use<'_>| {
        let name = ir::name(user.owner);
        name == arith::FPTOSI || name == arith::FPTOUI
    };
    (!uses.is_empty() && uses.iter().all(is_converted)).then_some(element)
}

impl<'p> Narrow<'p> {
    /// Casts the arguments of a function, which keep their types.
    fn arguments(&mut self, entry: Blk<'p>) {
        let Some(first) = entry.first_operation() else {
            return;
        };
        for number in 0..entry.argument_count() {
            let argument = entry
                .argument(number)
                .expect("the number is below the count");
            let argument: Val<'p> = argument.into();
            let Some(ty) = self.narrow(argument.r#type()) else {
                continue;
            };
            let (wide, narrow): (Vec<_>, Vec<_>) = ir::uses(argument)
                .into_iter()
                .partition(|user| element_as_integer(*user).is_some());
            let elements = wide.into_iter().filter_map(element_as_integer);
            self.wide.extend(elements.map(ir::value_key));
            if !narrow.is_empty() {
                let cast = self.cast(first, arith::truncf(argument), ty, argument.location());
                let defining = ir::defining_op(cast).expect("a cast is an operation");
                self.of_arguments.insert(ir::op_key(defining));
                for user in narrow {
                    ir::set_operand(user.owner, user.operand, cast);
                }
            }
        }
    }

    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        for op in ir::operations(block) {
            if !self.of_arguments.contains(&ir::op_key(op)) {
                self.operation(op)?;
            }
        }
        Ok(())
    }

    fn operation(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let error = |reason: String| Diagnostic::error(op.location(), format!("{NAME}: {reason}"));
        match ir::name(op) {
            func::RETURN => self.returned(op),
            arith::CONSTANT | spyre::FILL => self.constant(op).map_err(error)?,
            arith::EXTF | arith::TRUNCF | spyre::DL16TOFP32 | spyre::FP32TODL16 => {
                self.float_cast(op).map_err(error)?;
            }
            _ => {
                for result in ir::results(op) {
                    self.set(result);
                }
                for inner in ir::blocks(op) {
                    for number in 0..inner.argument_count() {
                        let argument = inner
                            .argument(number)
                            .expect("the number is below the count");
                        if !self.wide.contains(&ir::value_key(argument.into())) {
                            self.set(argument.into());
                        }
                    }
                    self.block(inner)?;
                }
            }
        }
        Ok(())
    }

    /// Casts the returned values to the function's result types.
    fn returned(&self, op: Op<'p>) {
        let function = op.parent_operation().expect("a return is in a function");
        let types = result_types(function);
        let operands: Vec<Val<'p>> = op.operands().collect();
        for (number, (operand, ty)) in operands.into_iter().zip(types).enumerate() {
            if operand.r#type() != ty {
                let cast = self.cast(op, arith::extf(operand), ty, op.location());
                ir::set_operand(op, number, cast);
            }
        }
    }

    /// Rounds a constant.
    fn constant(&mut self, op: Op<'p>) -> Result<(), String> {
        let Some(result) = ir::result(op, 0) else {
            return Ok(());
        };
        let Some(ty) = self.narrow(result.r#type()) else {
            return Ok(());
        };
        let value = op.attribute("value").map_err(|err| err.to_string())?;
        // Constants from which others have been evaluated are read no more.
        if element_type(ty).is_f16() && is_read(result) {
            Unfit::of(value, Format::Half).report(op);
        }
        let rounded = narrowed(self.context, value, ty)?;
        ir::set_attribute(op, "value", rounded);
        self.set(result);
        Ok(())
    }

    /// Removes a cast between `f32` and `f16`, which are the same now.
    fn float_cast(&mut self, op: Op<'p>) -> Result<(), String> {
        let (Some(operand), Some(result)) = (ir::operand(op, 0), ir::result(op, 0)) else {
            return Ok(());
        };
        let narrowed = self.narrow(result.r#type());
        let to = narrowed.unwrap_or_else(|| result.r#type());
        if operand.r#type() == to {
            ir::replace_all_uses(result, operand);
            ir::erase(op);
            self.narrowed += usize::from(narrowed.is_some());
            return Ok(());
        }
        let elements = [operand.r#type(), to].map(element_type);
        if elements.iter().any(|ty| ty.is_bf16()) && elements.iter().any(|ty| ty.is_f16()) {
            return Err(
                "a cast between bf16 and f32 cannot be narrowed, since f32 would have 16 bits"
                    .into(),
            );
        }
        self.set(result);
        Ok(())
    }

    /// Narrows the type of a value.
    fn set(&mut self, value: Val<'p>) {
        if let Some(ty) = self.narrow(value.r#type()) {
            value.set_type(ty);
            self.narrowed += 1;
        }
    }

    /// Returns the type of half the width for `f32` and `f64`, and for tensors of them.
    fn narrow(&self, ty: Type<'p>) -> Option<Type<'p>> {
        let half = |ty: Type<'p>| match (ty.is_f32(), ty.is_f64()) {
            (true, _) => Some(Type::float16(self.context)),
            (_, true) => Some(Type::float32(self.context)),
            _ => None,
        };
        half(element_type(ty)).map(|half| with_element(ty, half))
    }

    fn cast(
        &self,
        before: Op<'p>,
        cast: OpParts<'p>,
        ty: Type<'p>,
        location: Location<'p>,
    ) -> Val<'p> {
        let build = OpBuilder {
            location,
            ..OpBuilder::before(self.context, before)
        };
        build.op(cast, ty)
    }
}

/// Returns the value of a constant of `f32` as one of type `ty`, of 16 bits; `None` if a finite number is beyond
/// the range of the type, and `Some(None)` if the operation has no value, such as a `tensor.empty`.
pub(super) fn narrowed_constant<'p>(
    context: &'p Context,
    op: Op<'p>,
    ty: Type<'p>,
) -> Option<Option<Attribute<'p>>> {
    let Some(value) = ir::attribute(op, "value") else {
        return Some(None);
    };
    let format = Format::of(element_type(ty));
    if format.is_some_and(|format| Unfit::of(value, format).is_large) {
        return None;
    }
    narrowed(context, value, ty).ok().map(Some)
}

/// Returns whether a constant is one number, not zero, that would be zero in a type of 16 bits. It is rounded away from zero there,
/// which serves a sum and a comparison, and changes the order of magnitude of a product.
pub(super) fn is_tiny(op: Op<'_>, element: Type<'_>) -> bool {
    let (Some(value), Some(format)) = (ir::attribute(op, "value"), Format::of(element)) else {
        return false;
    };
    let unfit = Unfit::of(value, format);
    unfit.count > 0 && !unfit.is_large
}

/// Returns the value of a constant with numbers of half the width, or why it has none.
fn narrowed<'p>(
    context: &'p Context,
    value: Attribute<'p>,
    ty: Type<'p>,
) -> Result<Attribute<'p>, String> {
    if !ir::is_ranked_tensor(ty) {
        let rounded = number(context, value, ty);
        return rounded.ok_or_else(|| "a constant that is no number".into());
    }
    let element = element_type(ty);
    if let Some(one) = attr::splat(value) {
        let one = number(context, one, element).ok_or("a constant that is no number")?;
        let dense = DenseElementsAttribute::new(ty, &[one]);
        return Ok(dense.map_err(|err| err.to_string())?.into());
    }
    let bytes =
        attr::dense_bytes(value).ok_or("a constant whose elements the module does not hold")?;
    let fill = |narrow: &mut [u8]| {
        if element.is_f16() {
            halves(&bytes, narrow);
        } else if ir::is_bf16(element) {
            brain_halves(&bytes, narrow);
        } else {
            singles(&bytes, narrow);
        }
    };
    if attr::is_resource(value) {
        return Ok(attr::resource(ty, "narrow", bytes.len() / 2, fill));
    }
    let mut narrow = vec![0; bytes.len() / 2];
    fill(&mut narrow);
    Ok(DenseElementsAttribute::raw_buffer(ty, &narrow).into())
}

/// Returns a number as one of a narrower type.
fn number<'p>(context: &'p Context, value: Attribute<'p>, ty: Type<'p>) -> Option<Attribute<'p>> {
    let number = attr::number(value)?;
    let number = if ty.is_f16() {
        f64::from(rounded(number))
    } else if ir::is_bf16(ty) {
        f64::from(brain(number))
    } else {
        f64::from(single(number))
    };
    Some(FloatAttribute::new(context, ty, number).into())
}

/// Returns the nearest `f16`, except that a finite number becomes no infinity, and a number that is not zero becomes no
/// zero: an epsilon that is added to a divisor has to stay positive.
fn rounded(number: f64) -> f16 {
    let half = f16::from_f64(number);
    if half.is_infinite() && number.is_finite() {
        return f16::MAX.copysign(half);
    }
    if number != 0.0 && half == f16::ZERO {
        return SMALLEST.copysign(half);
    }
    half
}

/// The smallest positive `f16`, 2^-24.
const SMALLEST: f16 = f16::from_bits(1);

/// The smallest positive `bf16` that the card's format has, 2^-31 + 2^-38: 2^-31 itself is zero there.
const SMALLEST_BRAIN: bf16 = bf16::from_bits((127 - 31) << 7 | 1);

/// A type of 16 bits, with the range that its numbers have on the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// `f16`, all of whose numbers the card's format has.
    Half,
    /// `bf16`, whose exponents the card's format lacks below -31 and above 32.
    Brain,
}

impl Format {
    /// Returns the format of a type of 16 bits.
    fn of(element: Type<'_>) -> Option<Self> {
        match (element.is_f16(), ir::is_bf16(element)) {
            (true, _) => Some(Self::Half),
            (_, true) => Some(Self::Brain),
            _ => None,
        }
    }

    /// Returns whether a finite number is beyond the largest one.
    fn is_large(self, number: f64) -> bool {
        match self {
            Self::Half => f16::from_f64(number).is_infinite(),
            Self::Brain => bf16::from_f64(number).to_f64().abs() > Dl16::MAX.to_f64(),
        }
    }

    /// Returns whether a number that is not zero would be zero.
    fn is_small(self, number: f64) -> bool {
        let rounded = match self {
            Self::Half => f16::from_f64(number).to_f64(),
            Self::Brain => Dl16::from_f32(bf16::from_f64(number).to_f32()).to_f64(),
        };
        number != 0.0 && rounded == 0.0
    }
}

/// The magnitude from which a finite number is taken for infinity, such as the lowest `f32` in masks.
const STANDS_FOR_INFINITY: f64 = 1e37;

/// The numbers that a format lacks: finite ones beyond its largest, 65504 in `f16`, and others than zero that would be zero, below
/// 2^-25 in `f16`, half of its smallest. In a tensor of several numbers, too small ones do not count: next to the others, they are as
/// good as zero.
#[derive(Default)]
struct Unfit {
    count: usize,
    /// The first one.
    first: Option<f64>,
    /// Whether one is beyond the largest.
    is_large: bool,
}

impl Unfit {
    /// Returns the unfit numbers of a constant.
    fn of(value: Attribute<'_>, format: Format) -> Self {
        if let Some(one) = attr::splat(value).or(Some(value)).and_then(attr::number) {
            return Self::among(std::iter::once(one), format, true);
        }
        let Some(bytes) = attr::dense_bytes(value) else {
            // The module does not hold them, so that the constant is refused.
            return Self::default();
        };
        let (numbers, _) = bytes.as_chunks();
        let numbers = numbers
            .iter()
            .map(|number| f32::from_ne_bytes(*number).into());
        Self::among(numbers, format, false)
    }

    /// Returns the unfit ones among numbers.
    fn among(numbers: impl Iterator<Item = f64>, format: Format, counts_small: bool) -> Self {
        let mut unfit = Self::default();
        for number in numbers {
            let is_large = format.is_large(number) && number.abs() < STANDS_FOR_INFINITY;
            let is_small = counts_small && format.is_small(number);
            if is_large || is_small {
                unfit.count += 1;
                unfit.is_large |= is_large;
                unfit.first.get_or_insert(number);
            }
        }
        unfit
    }

    /// Warns at a constant if it has such numbers.
    fn report(&self, op: Op<'_>) {
        let Some(first) = self.first else {
            return;
        };
        let count = self.count;
        // The comparison is computed in f32, as in the program.
        let (becomes, first) = (rounded(first), single(first));
        let message = format!(
            "{NAME}: f16 has magnitudes from 2^-24 to 65504, which {count} of the constant's numbers are not in; {first:e} becomes \
             {becomes:e}; float=exact leaves it as it is"
        );
        Diagnostic::warning(op.location(), message).emit();
    }
}

/// Returns the nearest finite `bf16` of a finite number; one of a number that is not zero is not zero on the card.
fn brain(number: f64) -> bf16 {
    let brain = bf16::from_f64(number);
    if brain.is_infinite() && number.is_finite() {
        return bf16::MAX.copysign(brain);
    }
    if Format::Brain.is_small(number) {
        return SMALLEST_BRAIN.copysign(brain);
    }
    brain
}

/// Returns the nearest `f32`. One of a finite number is finite.
fn single(number: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "the pass rounds")]
    let single = number as f32;
    if single.is_infinite() && number.is_finite() {
        return f32::MAX.copysign(single);
    }
    single
}

/// Returns whether an operation reads the elements of a value. An operand of a structured operation may be one that its body
/// ignores.
fn is_read(value: Val<'_>) -> bool {
    ir::uses(value).into_iter().any(|user| {
        if ir::name(user.owner) != linalg::GENERIC {
            return true;
        }
        let argument = ir::body(user.owner).and_then(|body| body.argument(user.operand).ok());
        argument.is_none_or(|argument| !ir::uses(argument.into()).is_empty())
    })
}

/// Writes the `f16` of `f32`, all as bytes.
fn halves(bytes: &[u8], narrow: &mut [u8]) {
    let (numbers, _) = bytes.as_chunks();
    for (number, half) in numbers.iter().zip(narrow.as_chunks_mut().0) {
        *half = rounded(f32::from_ne_bytes(*number).into()).to_ne_bytes();
    }
}

/// Writes the `bf16` of `f32`, all as bytes.
fn brain_halves(bytes: &[u8], narrow: &mut [u8]) {
    let (numbers, _) = bytes.as_chunks();
    for (number, half) in numbers.iter().zip(narrow.as_chunks_mut().0) {
        *half = brain(f32::from_ne_bytes(*number).into()).to_ne_bytes();
    }
}

/// Writes the `f32` of `f64`, all as bytes.
fn singles(bytes: &[u8], narrow: &mut [u8]) {
    let (numbers, _) = bytes.as_chunks();
    for (number, half) in numbers.iter().zip(narrow.as_chunks_mut().0) {
        *half = single(f64::from_ne_bytes(*number)).to_ne_bytes();
    }
}

fn has_wide(op: Op<'_>) -> bool {
    let mut values = op.operands().chain(ir::results(op));
    values.any(|value| element_of(value).is_f32() || element_of(value).is_f64())
}

#[cfg(test)]
mod tests {
    use half::f16;

    use super::rounded;

    #[test]
    fn finite_numbers_stay_finite() {
        assert_eq!(f64::from(rounded(-3.4e38)), -65504.0);
        assert_eq!(f64::from(rounded(1e9)), 65504.0);
        assert_eq!(f64::from(rounded(-1e-8)), -5.960_464_477_539_063e-8);
        assert!(rounded(-0.0).is_sign_negative() && rounded(-0.0) == f16::ZERO);
        assert!(rounded(f64::NEG_INFINITY).is_infinite());
        assert_eq!(f64::from(rounded(0.1)), 0.099_975_585_937_5);
    }
}
