//! Questions about types.

use melior::ir::{Type, TypeLike};

/// Returns whether a type is a buffer.
#[must_use]
pub fn is_buffer(ty: Type<'_>) -> bool {
    // SAFETY: a live type.
    unsafe { mlir_sys::mlirTypeIsAMemRef(ty.to_raw()) }
}

/// Returns the number of bits of an integer or a float; `None` for any other type. It does not
/// print the type.
#[must_use]
pub fn bits(ty: Type<'_>) -> Option<u32> {
    let raw = ty.to_raw();
    // SAFETY: a live type; each accessor matches its kind.
    unsafe {
        if mlir_sys::mlirTypeIsAInteger(raw) {
            return Some(mlir_sys::mlirIntegerTypeGetWidth(raw));
        }
        mlir_sys::mlirTypeIsAFloat(raw).then(|| mlir_sys::mlirFloatTypeGetWidth(raw))
    }
}

/// Returns the type of the parts of complex numbers; `None` for any other type.
#[must_use]
pub fn complex_part(ty: Type<'_>) -> Option<Type<'_>> {
    let raw = ty.to_raw();
    // SAFETY: a live type; the accessor is called on its own kind, and the part lives as long as the context.
    unsafe {
        mlir_sys::mlirTypeIsAComplex(raw)
            .then(|| Type::from_raw(mlir_sys::mlirComplexTypeGetElementType(raw)))
    }
}

/// Returns the type of complex numbers whose parts have a type, which is a float or an integer.
#[must_use]
pub fn complex(part: Type<'_>) -> Type<'_> {
    // SAFETY: a live type; the complex type lives as long as the context.
    unsafe { Type::from_raw(mlir_sys::mlirComplexTypeGet(part.to_raw())) }
}

/// Returns whether a type is `bf16`.
#[must_use]
pub fn is_bf16(ty: Type<'_>) -> bool {
    // SAFETY: a live type.
    unsafe { mlir_sys::mlirTypeIsABF16(ty.to_raw()) }
}

/// Returns whether a type is an unsigned integer.
#[must_use]
pub fn is_unsigned(ty: Type<'_>) -> bool {
    let raw = ty.to_raw();
    // SAFETY: a live type; the accessor is called on an integer.
    unsafe { mlir_sys::mlirTypeIsAInteger(raw) && mlir_sys::mlirIntegerTypeIsUnsigned(raw) }
}

/// Returns whether a type is a ranked tensor.
#[must_use]
pub fn is_ranked_tensor(ty: Type<'_>) -> bool {
    // SAFETY: a live type.
    unsafe { mlir_sys::mlirTypeIsARankedTensor(ty.to_raw()) }
}
