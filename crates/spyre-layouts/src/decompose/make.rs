//! Builds elementwise device operations before an operation.
//!
//! New tensors have no layout: `--spyre-propagate-layouts` chooses one. Constants have one element, which is broadcast.

use melior::Context;
use melior::ir::attribute::{DenseElementsAttribute, FloatAttribute, IntegerAttribute};
use melior::ir::r#type::{DimSize, IntegerType, RankedTensorType};
use melior::ir::{Attribute, ShapedTypeLike, Type, ValueLike};
use spyre_mlir_rt::ir::{Op, Val};
use spyre_ods::{OpBuilder, OpParts, spyre};

/// A builder before an operation.
pub(super) struct Make<'p> {
    context: &'p Context,
    /// The operation that is decomposed.
    pub op: Op<'p>,
    hints: Option<Attribute<'p>>,
}

impl<'p> Make<'p> {
    /// Returns a builder before `op`. New operations have these tiling hints.
    pub(super) fn new(context: &'p Context, op: Op<'p>, hints: Option<Attribute<'p>>) -> Self {
        Self { context, op, hints }
    }

    /// Returns `f32`.
    pub(super) fn f32(&self) -> Type<'p> {
        Type::float32(self.context)
    }

    fn build(&self, parts: OpParts<'p>, ty: Type<'p>) -> Val<'p> {
        OpBuilder::before(self.context, self.op).op(parts, ty)
    }

    /// Builds a device operation on operands that broadcast, with elements of type `element`.
    fn device(&self, name: &'static str, operands: &[Val<'p>], element: Type<'p>) -> Val<'p> {
        let shapes = operands.iter().map(|operand| shape_of(*operand));
        let shape = broadcast(&shapes.collect::<Vec<_>>());
        let ty = RankedTensorType::new(&shape, element, None);
        self.device_of(name, operands, ty.into())
    }

    fn device_of(&self, name: &'static str, operands: &[Val<'p>], ty: Type<'p>) -> Val<'p> {
        let parts = OpParts::named(name, operands).with_optional("tile", self.hints);
        self.build(parts, ty)
    }

    /// Builds a function of one tensor.
    pub(super) fn unary(&self, name: &'static str, x: Val<'p>) -> Val<'p> {
        self.device(name, &[x], element_of(x))
    }

    /// Builds a function of two tensors.
    pub(super) fn binary(&self, name: &'static str, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.device(name, &[a, b], element_of(a))
    }

    /// Builds a function of a tensor and a number.
    pub(super) fn with(&self, name: &'static str, a: Val<'p>, b: f64) -> Val<'p> {
        self.binary(name, a, self.number(b, a))
    }

    /// Builds a comparison of two tensors.
    pub(super) fn compare(&self, name: &'static str, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.device(name, &[a, b], IntegerType::new(self.context, 1).into())
    }

    /// Builds a comparison of a tensor with a number.
    pub(super) fn compare_with(&self, name: &'static str, a: Val<'p>, b: f64) -> Val<'p> {
        self.compare(name, a, self.number(b, a))
    }

    /// Builds the choice of one of two tensors.
    pub(super) fn choose(
        &self,
        condition: Val<'p>,
        on_true: Val<'p>,
        on_false: Val<'p>,
    ) -> Val<'p> {
        let element = element_of(on_true);
        self.device(spyre::WHERE3, &[condition, on_true, on_false], element)
    }

    /// Builds a function of a tensor of integers and a number.
    pub(super) fn with_integer(&self, name: &'static str, a: Val<'p>, b: i32) -> Val<'p> {
        let element = element_of(a);
        let shape = vec![1; shape_of(a).len()];
        let ty: Type<'p> = RankedTensorType::new(&shape, element, None).into();
        let value = IntegerAttribute::new(element, b.into()).into();
        let value = DenseElementsAttribute::new(ty, &[value]).expect("a value of the element type");
        let number = self.build(spyre::fill(value.into()), ty);
        self.binary(name, a, number)
    }

    /// Builds the tensor of the same bits in another type.
    pub(super) fn bitcast(&self, x: Val<'p>, element: Type<'p>) -> Val<'p> {
        self.device(spyre::BITCAST, &[x], element)
    }

    /// Returns the type of integers.
    pub(super) fn i32(&self) -> Type<'p> {
        IntegerType::new(self.context, 32).into()
    }

    /// Builds a constant with one element, of the type and the rank of another tensor.
    pub(super) fn number(&self, value: f64, like: Val<'p>) -> Val<'p> {
        self.number_of(value, like, element_of(like))
    }

    /// Builds a constant with one element of type `element`, and the rank of another tensor.
    pub(super) fn number_of(&self, value: f64, like: Val<'p>, element: Type<'p>) -> Val<'p> {
        let shape = vec![1; shape_of(like).len()];
        let ty = RankedTensorType::new(&shape, element, None);
        self.fill(value, ty.into(), element)
    }

    /// Builds a constant of a type.
    pub(super) fn fill(&self, value: f64, ty: Type<'p>, element: Type<'p>) -> Val<'p> {
        let value = FloatAttribute::new(self.context, element, value).into();
        let value = DenseElementsAttribute::new(ty, &[value]).expect("a value of the element type");
        self.build(spyre::fill(value.into()), ty)
    }

    /// Builds the tensor in `f32`.
    pub(super) fn widened(&self, x: Val<'p>) -> Val<'p> {
        if element_of(x) == self.f32() {
            x
        } else {
            self.device(spyre::DL16TOFP32, &[x], self.f32())
        }
    }

    /// Builds the tensor with elements of type `element`, rounded where that is narrower.
    pub(super) fn narrowed(&self, x: Val<'p>, element: Type<'p>) -> Val<'p> {
        if element_of(x) == element {
            x
        } else {
            self.device(spyre::FP32TODL16, &[x], element)
        }
    }

    /// Builds the broadcast of a tensor along the further dimensions of a type.
    pub(super) fn repeated(&self, x: Val<'p>, ty: Type<'p>) -> Val<'p> {
        self.device_of(spyre::COPY, &[x], ty)
    }

    /// Builds `c0 + x * (c1 + x * (c2 + ...))`.
    pub(super) fn polynomial(&self, x: Val<'p>, coefficients: &[f64]) -> Val<'p> {
        let (last, others) = coefficients.split_last().expect("there is a coefficient");
        let (next, others) = others.split_last().expect("it is no constant");
        let mut sum = self.with(spyre::ADD, self.with(spyre::MUL, x, *last), *next);
        for coefficient in others.iter().rev() {
            sum = self.with(spyre::ADD, self.binary(spyre::MUL, sum, x), *coefficient);
        }
        sum
    }
}

/// Returns the element type of a tensor.
pub(super) fn element_of<'p>(value: Val<'p>) -> Type<'p> {
    tensor(value).element()
}

/// Returns whether all extents of a tensor are known.
pub(super) fn is_static(value: Val<'_>) -> bool {
    !shape_of(value).contains(&dynamic())
}

fn tensor<'p>(value: Val<'p>) -> RankedTensorType<'p> {
    RankedTensorType::try_from(value.r#type()).expect("operands and results are ranked tensors")
}

fn dynamic() -> u64 {
    RankedTensorType::dynamic_stride_or_offset().cast_unsigned()
}

/// Returns the extents of a tensor.
pub(super) fn shape_of(value: Val<'_>) -> Vec<u64> {
    let tensor = tensor(value);
    let dims = 0..tensor.rank();
    dims.map(|dim| match tensor.dim_size(dim) {
        Ok(DimSize::Static(extent)) => extent,
        _ => dynamic(),
    })
    .collect()
}

/// Returns the shape that tensors broadcast to: aligned at the last dimension, where an extent of 1 repeats.
fn broadcast(shapes: &[Vec<u64>]) -> Vec<u64> {
    let rank = shapes.iter().map(Vec::len).max().unwrap_or(0);
    let mut shape = vec![1; rank];
    for operand_shape in shapes {
        let lead = rank - operand_shape.len();
        for (extent, size) in shape[lead..].iter_mut().zip(operand_shape) {
            let is_open = *extent == 1 || *extent == dynamic();
            if is_open && *size != 1 {
                *extent = *size;
            }
        }
    }
    shape
}
