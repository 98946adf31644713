//! Truth values, which the device stores in the format of the compared operands.
//!
//! One that comes from a comparison of `f32` has 32 bits, and selects between numbers of 32 bits only.

use melior::ir::attribute::DenseElementsAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike, ValueLike};
use spyre_analysis::target::target_of;
use spyre_construct::build::{Build, element_of};
use spyre_dialects::attr;
use spyre_layout::DeviceFormat;
use spyre_mlir_rt::ir::{self, At, Op, Val};
use spyre_ods::{arith, spyre, tensor};

/// Returns the width of a float type that the device has, in bits.
pub(crate) fn width(ty: Type<'_>) -> Option<u32> {
    if ty.is_f16() || ty.is_bf16() {
        Some(16)
    } else {
        ty.is_f32().then_some(32)
    }
}

/// Returns the width of the format that truth values are stored in, in bits; `None` where any will do, as for a constant.
pub(crate) fn of(truth: Val<'_>) -> Option<u32> {
    let Some(op) = ir::defining_op(truth) else {
        // An argument is stored as 16 bits.
        return Some(16);
    };
    let operands = || (0..op.operand_count()).filter_map(|at| ir::operand(op, at));
    match ir::name(op) {
        spyre::FILL | spyre::EMPTY => None,
        spyre::PERMUTE | tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE | tensor::EXTRACT_SLICE => {
            operands().find_map(of)
        }
        // The value becomes an argument, like a value that the host computes.
        name if !name.starts_with("spyre.") => Some(16),
        // A `where3` has the format of its condition, unless its operands are constants.
        _ => operands().find_map(|operand| {
            let element = element_of(operand);
            let is_truth = IntegerType::try_from(element).is_ok_and(|ty| ty.width() == 1);
            width(element).or_else(|| {
                if is_truth {
                    of(operand)
                } else {
                    // The host computes it where the contract has no comparison of integers, and hands it over in 16 bits.
                    Some(if integers_are_admitted(op) { 32 } else { 16 })
                }
            })
        }),
    }
}

/// Returns whether the contract of the target of an operation has comparisons of integers, and choices between them.
fn integers_are_admitted(op: Op<'_>) -> bool {
    target_of(op).is_ok_and(|target| {
        let formats = [DeviceFormat::IeeeInt32; 3];
        let admitted = target.contract.admit("where3", &formats);
        admitted.is_ok()
    })
}

/// Returns a truth value in the format of a condition for elements of a type. For integers that the contract does
/// not have, the host selects with any format.
pub(crate) fn convert_to_choose<'p>(
    build: &Build<'p>,
    truth: Val<'p>,
    element: Type<'p>,
) -> Val<'p> {
    match width(element) {
        Some(width) => convert(build, truth, width),
        None if integers_are_admitted(build.before) => convert(build, truth, 32),
        None => truth,
    }
}

/// Returns the same truth values in a format of `width` bits.
pub(crate) fn convert<'p>(build: &Build<'p>, truth: Val<'p>, width: u32) -> Val<'p> {
    if of(truth).is_none_or(|actual| actual == width) {
        return truth;
    }
    of_numbers(build, numbers(build, truth, width))
}

/// Returns whether both are true.
pub(crate) fn both<'p>(build: &Build<'p>, a: Val<'p>, b: Val<'p>) -> Val<'p> {
    let width = of(a).or(of(b)).unwrap_or(16);
    let operands = [numbers(build, a, width), numbers(build, b, width)];
    let product = build.pointwise(spyre::MUL, &operands, element_of(operands[0]));
    of_numbers(build, product)
}

/// Returns whether one of the two is true.
pub(crate) fn either<'p>(build: &Build<'p>, a: Val<'p>, b: Val<'p>) -> Val<'p> {
    let width = of(a).or(of(b)).unwrap_or(16);
    let operands = [numbers(build, a, width), numbers(build, b, width)];
    let larger = build.pointwise(spyre::MAXIMUM, &operands, element_of(operands[0]));
    of_numbers(build, larger)
}

/// Returns whether one of the two is true, and the other is not.
pub(crate) fn differ<'p>(build: &Build<'p>, a: Val<'p>, b: Val<'p>) -> Val<'p> {
    // A constant has no format.
    for (constant, other) in [(constant(a), b), (constant(b), a)] {
        match constant {
            Some(1.0) => return not(build, other),
            Some(_) => return other,
            None => {}
        }
    }
    let width = of(a).or(of(b)).unwrap_or(16);
    let sides = [a, b].map(|side| convert(build, side, width));
    let truth = IntegerType::new(build.context, 1).into();
    build.pointwise(spyre::NOTEQUAL, &sides, truth)
}

/// Returns the opposite.
pub(crate) fn not<'p>(build: &Build<'p>, truth: Val<'p>) -> Val<'p> {
    let width = of(truth).unwrap_or(16);
    compare(build, spyre::EQUAL, numbers(build, truth, width))
}

/// Returns the truth value of which one is the opposite, as [`not`] builds it.
pub(crate) fn negated(truth: Val<'_>) -> Option<Val<'_>> {
    let compared = ir::defining_op(truth).filter(|op| ir::name(*op) == spyre::EQUAL)?;
    let numbers = ir::defining_op(ir::operand(compared, 0)?)?;
    if ir::name(numbers) != spyre::WHERE3 {
        return None;
    }
    let is_splat = |op: Op<'_>, operand: usize, number: f64| {
        let value = ir::operand(op, operand).and_then(ir::defining_op);
        let value = value.and_then(|op| ir::attribute(op, "value"));
        value.and_then(attr::splat).and_then(attr::number) == Some(number)
    };
    let is_opposite =
        is_splat(compared, 1, 0.0) && is_splat(numbers, 1, 1.0) && is_splat(numbers, 2, 0.0);
    is_opposite.then(|| ir::operand(numbers, 0)).flatten()
}

/// Returns 1 for true and 0 for false, as floats of `width` bits. A constant of one value becomes one element, which is broadcast.
pub(crate) fn numbers<'p>(build: &Build<'p>, truth: Val<'p>, width: u32) -> Val<'p> {
    let float = |width: u32| match width {
        32 => Type::float32(build.context),
        _ => Type::float16(build.context),
    };
    let source_width = of(truth).unwrap_or(width);
    let rank = build.shape(truth).len();
    let number = |value| build.scalar(value, rank, float(source_width));
    if let Some(value) = constant(truth) {
        return build.scalar(value, rank, float(width));
    }
    if let Some(numbers) = of_constants(build, truth, float(width)) {
        return numbers;
    }
    let operands = [truth, number(1.0), number(0.0)];
    let numbers = build.pointwise(spyre::WHERE3, &operands, float(source_width));
    match (source_width, width) {
        (32, 16) => build.pointwise(spyre::FP32TODL16, &[numbers], float(16)),
        (16, 32) => build.pointwise(spyre::DL16TOFP32, &[numbers], float(32)),
        _ => numbers,
    }
}

/// Returns 1 for true and 0 for false of a constant with several values, or of a view of one: a constant again, without a cast.
fn of_constants<'p>(build: &Build<'p>, truth: Val<'p>, float: Type<'p>) -> Option<Val<'p>> {
    let op = ir::defining_op(truth)?;
    let ty = build.tensor(&build.shape(truth), float);
    match ir::name(op) {
        arith::CONSTANT => {
            let values = attr::dense_bytes(ir::attribute(op, "value")?)?;
            let values = values.iter().map(|value| f64::from(*value));
            let values: Vec<_> = values.map(|value| build.number(value, float)).collect();
            let value = DenseElementsAttribute::new(ty, &values).ok()?;
            Some(build.emit(arith::constant(value.into()), ty))
        }
        spyre::PERMUTE | tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE | tensor::EXTRACT_SLICE => {
            let source = of_constants(build, ir::operand(op, 0)?, float)?;
            let view = ir::build_clone(At::Before(build.before), op);
            ir::set_operand(view, 0, source);
            let result: Val<'p> = ir::result(view, 0)?;
            result.set_type(ty);
            build.enter(view);
            Some(result)
        }
        _ => None,
    }
}

/// Returns whether numbers differ from 0.
pub(crate) fn of_numbers<'p>(build: &Build<'p>, numbers: Val<'p>) -> Val<'p> {
    compare(build, spyre::NOTEQUAL, numbers)
}

/// Returns the value that a constant has everywhere.
pub(crate) fn constant(truth: Val<'_>) -> Option<f64> {
    let op = ir::defining_op(truth)?;
    match ir::name(op) {
        spyre::FILL | arith::CONSTANT => {}
        spyre::PERMUTE | tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE | tensor::EXTRACT_SLICE => {
            return constant(ir::operand(op, 0)?);
        }
        _ => return None,
    }
    let value = attr::number(attr::splat(ir::attribute(op, "value")?)?)?;
    Some(if value == 0.0 { 0.0 } else { 1.0 })
}

fn compare<'p>(build: &Build<'p>, name: &str, numbers: Val<'p>) -> Val<'p> {
    let rank = build.shape(numbers).len();
    let zero = build.scalar(0.0, rank, element_of(numbers));
    let truth = IntegerType::new(build.context, 1).into();
    build.pointwise(name, &[numbers, zero], truth)
}
