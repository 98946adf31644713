//! The operations of the flavour: what each device operation becomes, by its name.

use melior::Context;
use melior::ir::{Type, TypeLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_ods::{arith, linalg, spyre, spyreop};
use spyre_ops::{Combiner, Meaning, OpClass};

use super::limits::Label;
use super::refuse;

/// An operation of `linalg` and the scalar operation for operands of several shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arithmetic {
    /// The operation on tensors of one shape.
    pub named: &'static str,
    /// The operation on two floats.
    pub of_floats: &'static str,
    /// The operation on two integers in the body of the named operation.
    pub of_integers: &'static str,
    /// The operation of the scheduler on two integers; `None` if there is none.
    pub intrinsic: Option<&'static str>,
}

/// What an operation becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recipe {
    /// A sum, a difference or a product of elements.
    Arithmetic(Arithmetic),
    /// An operation of `spyreop` on elements.
    Intrinsic(&'static str),
    /// `spyreop.softplus`, with its numbers.
    Softplus,
    /// `spyreop.layernormscale_fused` of a pair, with its `eps`.
    Scale,
    /// A reduction.
    Reduction(Combiner),
    /// `spyreop.exx2_fused`, a reduction to a pair.
    Moments,
}

impl Recipe {
    /// Returns whether the operation reduces.
    pub(crate) fn reduces(self) -> bool {
        matches!(self, Self::Reduction(_) | Self::Moments)
    }
}

const ADD: Arithmetic = Arithmetic {
    named: linalg::ADD,
    of_floats: arith::ADDF,
    of_integers: arith::ADDI,
    intrinsic: Some(spyreop::ADDI32TOI32),
};

const SUB: Arithmetic = Arithmetic {
    named: linalg::SUB,
    of_floats: arith::SUBF,
    of_integers: arith::SUBI,
    intrinsic: None,
};

const MUL: Arithmetic = Arithmetic {
    named: linalg::MUL,
    of_floats: arith::MULF,
    of_integers: arith::MULI,
    intrinsic: Some(spyreop::MULI32TOI32),
};

/// Returns the recipe of an operation.
///
/// # Errors
/// The operation has none.
pub(crate) fn recipe<'p>(device: DeviceOp<'p>) -> Result<Recipe, Diagnostic<'p>> {
    let op = device.op();
    let facts = device.facts();
    match (facts.class, facts.meaning) {
        (OpClass::Matmul | OpClass::Conv, _) | (_, Some(Meaning::Contract)) => {
            let message = format!("'{}' is a product", ir::name(op));
            return Err(refuse(op, Label::Matmul, message));
        }
        (_, Some(Meaning::Gather)) => {
            let message = "an indirect access tile is not scheduled";
            return Err(refuse(op, Label::Gather, message));
        }
        _ => {}
    }
    if facts.class == OpClass::Reduction && !facts.is_average && !facts.is_whole {
        match (facts.meaning, facts.combiner) {
            (Some(Meaning::Reduce), Some(combiner)) => return Ok(Recipe::Reduction(combiner)),
            (Some(Meaning::Moments), _) => return Ok(Recipe::Moments),
            _ => {}
        }
    }
    Ok(match ir::name(op) {
        spyre::ADD => Recipe::Arithmetic(ADD),
        spyre::SUB => Recipe::Arithmetic(SUB),
        spyre::MUL => Recipe::Arithmetic(MUL),
        spyre::EXP => Recipe::Intrinsic(spyreop::EXP),
        spyre::GELUFWD => Recipe::Intrinsic(spyreop::GELU),
        spyre::LAYERNORMNORM => Recipe::Intrinsic(spyreop::LAYERNORMNORM),
        spyre::REALDIV => Recipe::Intrinsic(spyreop::REALDIV),
        spyre::RECIPROCAL => Recipe::Intrinsic(spyreop::RECIPROCAL),
        spyre::RSQRT => Recipe::Intrinsic(spyreop::RSQRT),
        spyre::SIGMOID => Recipe::Intrinsic(spyreop::SIGMOID),
        spyre::SILU => Recipe::Intrinsic(spyreop::SILU),
        spyre::SQRT => Recipe::Intrinsic(spyreop::SQRT),
        spyre::SOFTPLUS => Recipe::Softplus,
        spyre::LAYERNORMSCALE => Recipe::Scale,
        _ => {
            let message = format!("'{}' has no recipe", ir::name(op));
            return Err(refuse(op, Label::Operation, message));
        }
    })
}

/// Checks that an operation has a form for tensors of an element type.
///
/// # Errors
/// It has none.
pub(crate) fn check_element<'p>(
    context: &'p Context,
    op: Op<'p>,
    recipe: Recipe,
    element: Type<'p>,
) -> Result<(), Diagnostic<'p>> {
    let is_f16 = element == Type::float16(context);
    let (is_f32, is_bf16) = (element.is_f32(), ir::is_bf16(element));
    let is_i32 = element.is_integer() && ir::bits(element) == Some(32);
    let (holds, types) = match recipe {
        Recipe::Arithmetic(_) => (
            is_f16 || is_f32 || is_bf16 || is_i32,
            "f16, bf16, f32 and i32",
        ),
        Recipe::Reduction(_) => (is_f16 || is_f32 || is_bf16, "f16, bf16 and f32"),
        Recipe::Intrinsic(spyreop::GELU) | Recipe::Softplus => (is_f16, "f16"),
        Recipe::Intrinsic(_) | Recipe::Scale | Recipe::Moments => (is_f16 || is_f32, "f16 and f32"),
    };
    if holds {
        return Ok(());
    }
    let message = format!(
        "'{}' is of {types}, and the tensors are of {element}",
        ir::name(op)
    );
    Err(refuse(op, Label::ElementType, message))
}
