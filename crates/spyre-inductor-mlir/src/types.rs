//! Element types by their names in PyTorch's export.

use melior::Context;
use melior::ir::attribute::TypeAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike};
use smol_str::format_smolstr;
use spyre_inductor::schema::Text;
use spyre_mlir_rt::ir::{self, Op};

/// Returns the type that an attribute of an operation holds.
pub(super) fn attribute_type<'p>(op: Op<'p>, name: &str) -> Option<Type<'p>> {
    let attribute = TypeAttribute::try_from(ir::attribute(op, name)?).ok()?;
    Some(attribute.value())
}

/// A format of floats of 8 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Float8 {
    /// 4 bits of exponent and 3 of fraction. It has no infinities, and one NaN of each sign.
    E4M3Fn,
    /// 5 bits of exponent and 2 of fraction, as IEEE 754 would have them.
    E5M2,
}

/// Returns the format of a float of 8 bits; `None` for any other type, and for formats that PyTorch does not have.
pub(super) fn float8(ty: Type<'_>) -> Option<Float8> {
    // The width is checked before the type is printed, because printing is slow.
    if ty.is_integer() || ir::bits(ty) != Some(8) {
        return None;
    }
    match ty.to_string().as_str() {
        "f8E4M3FN" => Some(Float8::E4M3Fn),
        "f8E5M2" => Some(Float8::E5M2),
        _ => None,
    }
}

/// The message about complex numbers in a loop nest: PyTorch makes kernels of the operations that compute with them.
pub(super) const COMPLEX_IN_A_BODY: &str = "a loop nest does not compute with complex numbers; torch.view_as_real gives their parts as a dimension of real numbers";

/// Returns the message about a name that is no element type.
pub(super) fn unknown(name: &str) -> String {
    format!(
        "'{name}' is no element type; there are f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i64, i32, i16, i8, u8, bool, complex<f64> and \
         complex<f32>"
    )
}

/// Returns an element type.
pub(super) fn element<'c>(context: &'c Context, name: &str) -> Option<Type<'c>> {
    Some(match name {
        "f64" => Type::float64(context),
        "f32" => Type::float32(context),
        "f16" => Type::float16(context),
        "bf16" => Type::bfloat16(context),
        "f8E4M3FN" => Type::float8_e4m3fn(context),
        "f8E5M2" => Type::float8_e5m2(context),
        "i64" => IntegerType::new(context, 64).into(),
        "i32" => IntegerType::new(context, 32).into(),
        "i16" => IntegerType::new(context, 16).into(),
        "i8" => IntegerType::new(context, 8).into(),
        "u8" => IntegerType::unsigned(context, 8).into(),
        "i1" | "bool" => IntegerType::new(context, 1).into(),
        "complex<f64>" => ir::complex(Type::float64(context)),
        "complex<f32>" => ir::complex(Type::float32(context)),
        _ => return None,
    })
}

/// Returns the type in which bodies compute with an element type: floats of 16 bits and of 8 are `f32`.
pub(super) fn register<'c>(context: &'c Context, name: &str) -> Option<Type<'c>> {
    match name {
        "f16" | "bf16" | "f8E4M3FN" | "f8E5M2" => Some(Type::float32(context)),
        "u8" => Some(IntegerType::new(context, 8).into()),
        name => element(context, name),
    }
}

/// Returns the name of an element type.
pub(super) fn name(ty: Type<'_>) -> Text {
    // To print a type, MLIR queries every dialect for its aliases.
    match ir::bits(ty) {
        Some(8) if ty.is_integer() && ir::is_unsigned(ty) => Text::new_static("u8"),
        Some(bits) if ty.is_integer() => format_smolstr!("i{bits}"),
        Some(32) => Text::new_static("f32"),
        Some(_) if ir::is_bf16(ty) => Text::new_static("bf16"),
        Some(bits @ (16 | 64)) => format_smolstr!("f{bits}"),
        _ => ty.to_string().into(),
    }
}

/// Returns the number of bits of an element type.
pub(super) fn width(ty: Type<'_>) -> u32 {
    let bits = match ir::complex_part(ty) {
        Some(part) => ir::bits(part).map(|bits| 2 * bits),
        None => ir::bits(ty),
    };
    bits.expect("elements are integers, floats and complex numbers")
}

/// Returns whether an element type is a float of 16 bits, which bodies compute as `f32`.
pub(super) fn is_half(ty: Type<'_>) -> bool {
    !ty.is_integer() && width(ty) == 16
}

/// Returns whether bodies compute with an element type as `f32`, and round where they store.
pub(super) fn is_narrow(ty: Type<'_>) -> bool {
    is_half(ty) || float8(ty).is_some()
}
