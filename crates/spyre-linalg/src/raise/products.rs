//! Products of 16-bit floats that a front end adds up in `f32`, between two casts. The card has products of 16 bits only, which
//! add up in `f32` anyway, and round once (contract, K4, K22).

use melior::ir::{Type, ValueLike};
use spyre_construct::build::{Build, element_of, with_element};
use spyre_mlir_rt::ir::{self, At, Op, Val};
use spyre_ods::spyre;

use super::pattern::{argument, defined};
use super::reductions::source_of_view;

/// Builds the product in the format of its operands, for the cast of one in `f32`; `None` for another cast.
pub(super) fn product<'p>(build: &Build<'p>, op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    let narrow = element_of(result);
    let mut value = ir::operand(op, 0)?;
    let mut views = Vec::new();
    while let Some(source) = source_of_view(value) {
        views.push(ir::defining_op(value)?);
        value = source;
    }
    let product = defined(value, spyre::BATCHMATMUL)?;
    let narrow_operand = |number| narrowed(build, ir::operand(product, number)?, narrow);
    let (lhs, rhs) = (narrow_operand(0)?, narrow_operand(1)?);
    let ty = build.tensor(&build.shape_of(value).ok()?, narrow);
    let output = build.emit(spyre::batchmatmul(lhs, rhs), ty);
    let output = viewed(build, views, output, narrow)?;
    (output.r#type() == result.r#type()).then_some(output)
}

/// Returns a value of elements of type `narrow`, or the operand of a widening cast, through views, which are rebuilt on
/// it; `None` if there is no cast of elements of type `narrow`.
fn narrowed<'p>(build: &Build<'p>, value: Val<'p>, narrow: Type<'p>) -> Option<Val<'p>> {
    if element_of(value) == narrow {
        return Some(value);
    }
    let (mut source, mut views) = (value, Vec::new());
    while let Some(inner) = source_of_view(source) {
        views.push(ir::defining_op(source)?);
        source = inner;
    }
    let source = argument(source, spyre::DL16TOFP32)?;
    if element_of(source) != narrow {
        return None;
    }
    viewed(build, views, source, narrow)
}

/// Returns views of a value, the last one of `views` first, with elements of type `element`.
pub(super) fn viewed<'p>(
    build: &Build<'p>,
    views: Vec<Op<'p>>,
    value: Val<'p>,
    element: Type<'p>,
) -> Option<Val<'p>> {
    views.into_iter().rev().try_fold(value, |source, view| {
        let copy = ir::build_clone(At::Before(build.before), view);
        ir::set_operand(copy, 0, source);
        let result: Val<'p> = ir::result(copy, 0)?;
        let ty = with_element(result.r#type(), element);
        result.set_type(ty);
        build.enter(copy);
        Some(result)
    })
}
