//! Element types.

use melior::Context;
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Type, TypeLike};
use spyre_mlir_rt::ir;
use spyre_uop::dtype::DType;
use spyre_uop::op::TensorType;

/// Returns an element type of the dialect.
pub(super) fn element(context: &Context, dtype: DType) -> Type<'_> {
    match dtype {
        DType::F64 => Type::float64(context),
        DType::F32 => Type::float32(context),
        DType::F16 => Type::float16(context),
        DType::Bf16 => Type::bfloat16(context),
        DType::Index => Type::index(context),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
            IntegerType::unsigned(context, dtype.bits()).into()
        }
        DType::Bool | DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
            IntegerType::new(context, dtype.bits()).into()
        }
    }
}

/// Reads an element type of the dialect; `None` for any other type.
pub(super) fn dtype(ty: Type<'_>) -> Option<DType> {
    if ty.is_index() {
        return Some(DType::Index);
    }
    let bits = ir::bits(ty)?;
    let name = match (ty.is_integer(), bits) {
        (true, 1) => return Some(DType::Bool),
        (true, _) if ir::is_unsigned(ty) => format!("u{bits}"),
        (true, _) => format!("i{bits}"),
        (false, 16) if ir::is_bf16(ty) => return Some(DType::Bf16),
        (false, _) => format!("f{bits}"),
    };
    DType::of_name(&name)
}

/// Returns the type of a tensor.
pub(super) fn tensor<'c>(context: &'c Context, ty: &TensorType) -> Type<'c> {
    RankedTensorType::new(&ty.shape, element(context, ty.dtype), None).into()
}
