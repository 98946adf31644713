//! The attributes of the `spyre` dialect as Rust values.

use std::borrow::Cow;
use std::ffi::c_void;

use melior::ir::{AffineExpr, AffineMap, Attribute, AttributeLike, Identifier, Type, TypeLike};
use melior::{Context, StringRef};
use mlir_sys::{MlirAttribute, MlirNamedAttribute, MlirStringRef};
use spyre_layout::{Arrangement, Bytes, Coord, DeviceFormat, Layout};
use spyre_ops::contract::{Contract, Exception};
use spyre_plan::{Picoseconds, Rates, Target};

use crate::ffi;

/// Wraps an attribute that may be null.
///
/// # Safety
/// `raw` is null or lives for `'c`.
pub(crate) unsafe fn optional<'c>(raw: MlirAttribute) -> Option<Attribute<'c>> {
    // SAFETY: as the caller promises.
    (!raw.ptr.is_null()).then(|| unsafe { Attribute::from_raw(raw) })
}

pub(crate) fn text(raw: MlirStringRef) -> String {
    // An empty text may have no address.
    if raw.length == 0 {
        return String::new();
    }
    // SAFETY: texts of attributes live as long as their context.
    let bytes = unsafe { std::slice::from_raw_parts(raw.data.cast::<u8>(), raw.length) };
    // Names are UTF-8 (SD12). Other attributes may have any bytes, which show in messages.
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the entries of an array attribute; empty for any other attribute.
#[must_use]
pub fn elements<'c>(attribute: Attribute<'c>) -> Vec<Attribute<'c>> {
    let raw = attribute.to_raw();
    // SAFETY: the accessors are called on an array, with indices below its size.
    unsafe {
        if !mlir_sys::mlirAttributeIsAArray(raw) {
            return Vec::new();
        }
        (0..mlir_sys::mlirArrayAttrGetNumElements(raw))
            .map(|index| Attribute::from_raw(mlir_sys::mlirArrayAttrGetElement(raw, index)))
            .collect()
    }
}

/// Builds an array attribute.
#[must_use]
pub fn array<'c>(context: &'c Context, entries: &[Attribute<'c>]) -> Attribute<'c> {
    let raw: Vec<MlirAttribute> = entries.iter().map(AttributeLike::to_raw).collect();
    // SAFETY: `raw` has the length given.
    unsafe {
        Attribute::from_raw(mlir_sys::mlirArrayAttrGet(
            context.to_raw(),
            raw.len().cast_signed(),
            raw.as_ptr(),
        ))
    }
}

/// Builds a dictionary attribute.
#[must_use]
pub fn dictionary<'c>(context: &'c Context, entries: &[(&str, Attribute<'c>)]) -> Attribute<'c> {
    let entries: Vec<MlirNamedAttribute> = entries
        .iter()
        .map(|(name, value)| MlirNamedAttribute {
            name: Identifier::new(context, name).to_raw(),
            attribute: value.to_raw(),
        })
        .collect();
    // SAFETY: `entries` has the length given.
    unsafe {
        Attribute::from_raw(mlir_sys::mlirDictionaryAttrGet(
            context.to_raw(),
            entries.len().cast_signed(),
            entries.as_ptr(),
        ))
    }
}

/// Returns the text of a string attribute; `None` for any other attribute.
#[must_use]
pub fn string(attribute: Attribute<'_>) -> Option<String> {
    // SAFETY: the accessor is called on a string.
    unsafe {
        mlir_sys::mlirAttributeIsAString(attribute.to_raw())
            .then(|| text(mlir_sys::mlirStringAttrGetValue(attribute.to_raw())))
    }
}

/// Returns the name in a reference to a symbol of the same module; `None` for any other attribute.
#[must_use]
pub fn flat_symbol(attribute: Attribute<'_>) -> Option<String> {
    // SAFETY: the accessor is called on a flat reference.
    unsafe {
        mlir_sys::mlirAttributeIsAFlatSymbolRef(attribute.to_raw())
            .then(|| text(mlir_sys::mlirFlatSymbolRefAttrGetValue(attribute.to_raw())))
    }
}

/// Returns the value of an integer attribute; `None` for any other attribute.
#[must_use]
pub fn integer(attribute: Attribute<'_>) -> Option<i64> {
    let raw = attribute.to_raw();
    // SAFETY: the accessor is called on an integer.
    unsafe {
        mlir_sys::mlirAttributeIsAInteger(raw).then(|| mlir_sys::mlirIntegerAttrGetValueInt(raw))
    }
}

/// Returns the entries of a dense array of integers, none negative; empty for an empty array, `None` for any other
/// attribute.
#[must_use]
pub fn dense_integers(attribute: Option<Attribute<'_>>) -> Option<Vec<u64>> {
    dense_signed_integers(attribute)?
        .into_iter()
        .map(|value| u64::try_from(value).ok())
        .collect()
}

/// Returns the entries of a dense array of integers; empty for an empty array, `None` for any other attribute.
#[must_use]
pub fn dense_signed_integers(attribute: Option<Attribute<'_>>) -> Option<Vec<i64>> {
    let Some(attribute) = attribute else {
        return Some(Vec::new());
    };
    let raw = attribute.to_raw();
    // SAFETY: the accessors are called on a dense array, with indices below its size.
    unsafe {
        mlir_sys::mlirAttributeIsADenseI64Array(raw).then(|| {
            (0..mlir_sys::mlirDenseArrayGetNumElements(raw))
                .map(|index| mlir_sys::mlirDenseI64ArrayGetElement(raw, index))
                .collect()
        })
    }
}

/// Returns the value of a float or integer attribute; `None` for any other attribute.
#[must_use]
pub fn number(attribute: Attribute<'_>) -> Option<f64> {
    let raw = attribute.to_raw();
    // SAFETY: each accessor matches the kind of the attribute.
    unsafe {
        if mlir_sys::mlirAttributeIsAFloat(raw) {
            Some(mlir_sys::mlirFloatAttrGetValueDouble(raw))
        } else if mlir_sys::mlirAttributeIsAInteger(raw) {
            #[expect(clippy::cast_precision_loss, reason = "constants of OpFuncs are small")]
            Some(mlir_sys::mlirIntegerAttrGetValueInt(raw) as f64)
        } else {
            None
        }
    }
}

/// Returns the elements of a dense attribute with several values, or of a resource: their bytes in native order, one byte for a
/// truth value. Returns `None` for an attribute with one value everywhere, for a resource that the module lacks, and for any other
/// attribute. The bytes are borrowed from the context, except those of truth values, which are copied.
#[must_use]
pub fn dense_bytes<'c>(attribute: Attribute<'c>) -> Option<Cow<'c, [u8]>> {
    let raw = attribute.to_raw();
    // SAFETY: each accessor matches the kind of the attribute. The elements of an attribute that is no splat are
    // contiguous, as many as its type has; the same holds for a resource, with the size that it returns. The context
    // keeps both, and no code here changes a resource.
    unsafe {
        let mut data = std::ptr::null();
        let size = ffi::spyreDenseResourceGetData(raw, &raw mut data);
        if size == 0 {
            return Some(Cow::Borrowed(&[]));
        }
        if let Ok(size) = usize::try_from(size) {
            return Some(Cow::Borrowed(std::slice::from_raw_parts(data, size)));
        }
        if !mlir_sys::mlirAttributeIsADenseElements(raw)
            || mlir_sys::mlirDenseElementsAttrIsSplat(raw)
        {
            return None;
        }
        let count = mlir_sys::mlirElementsAttrGetNumElements(raw);
        let element = mlir_sys::mlirShapedTypeGetElementType(mlir_sys::mlirAttributeGetType(raw));
        let bits = if mlir_sys::mlirTypeIsAInteger(element) {
            mlir_sys::mlirIntegerTypeGetWidth(element)
        } else if mlir_sys::mlirTypeIsAFloat(element) {
            mlir_sys::mlirFloatTypeGetWidth(element)
        } else {
            return None;
        };
        if bits == 1 {
            let value = |at| mlir_sys::mlirDenseElementsAttrGetBoolValue(raw, at);
            let count = isize::try_from(count).ok()?;
            return Some((0..count).map(|at| u8::from(value(at))).collect());
        }
        let bytes = usize::try_from(count)
            .ok()?
            .checked_mul(usize::try_from(bits / 8).ok()?)?;
        if bytes == 0 {
            return Some(Cow::Borrowed(&[])); // The pointer of an empty resource may be null.
        }
        let data = mlir_sys::mlirDenseElementsAttrGetRawData(raw).cast::<u8>();
        Some(Cow::Borrowed(std::slice::from_raw_parts(data, bytes)))
    }
}

/// Returns dense elements as elements of another type of as many bits; `None` for another attribute, or another number of bits.
#[must_use]
pub fn bitcast<'c>(elements: Attribute<'c>, element: Type<'c>) -> Option<Attribute<'c>> {
    // SAFETY: a live attribute and a live type; the result is null or an attribute of their context.
    unsafe {
        let attribute = ffi::spyreDenseElementsBitcast(elements.to_raw(), element.to_raw());
        Attribute::from_option_raw(attribute)
    }
}

/// Returns whether an attribute is a `dense_resource`.
#[must_use]
pub fn is_resource(attribute: Attribute<'_>) -> bool {
    let mut data = std::ptr::null();
    // SAFETY: any attribute is accepted.
    unsafe { ffi::spyreDenseResourceGetData(attribute.to_raw(), &raw mut data) >= 0 }
}

/// Builds a `dense_resource` of `bytes` bytes, which `fill` writes, in native order. The resource is named `name`, with
/// a number appended if the name is taken.
///
/// # Panics
/// If `ty` is no tensor type of elements that a resource can have, or has another number of bytes.
pub fn resource<'c>(
    ty: Type<'c>,
    name: &str,
    bytes: usize,
    fill: impl FnOnce(&mut [u8]),
) -> Attribute<'c> {
    /// Aligns elements of every type.
    type Word = u64;
    unsafe extern "C" fn free(words: *mut c_void, _: *const c_void, _: usize, _: usize) {
        // SAFETY: the vector that was leaked below, once.
        drop(unsafe { Box::from_raw(words.cast::<Vec<Word>>()) });
    }
    let mut words: Box<Vec<Word>> = Box::new(vec![0; bytes.div_ceil(size_of::<Word>())]);
    let data = words.as_mut_ptr().cast::<u8>();
    // SAFETY: at least as many bytes are allocated, and no other code reads or writes them meanwhile.
    fill(unsafe { std::slice::from_raw_parts_mut(data, bytes) });
    // SAFETY: the data are aligned and live until the context frees them by `free`.
    let raw = unsafe {
        mlir_sys::mlirUnmanagedDenseResourceElementsAttrGet(
            ty.to_raw(),
            StringRef::new(name).to_raw(),
            data.cast(),
            bytes,
            align_of::<Word>(),
            false,
            Some(free),
            Box::into_raw(words).cast(),
        )
    };
    assert!(!raw.ptr.is_null(), "a resource of elements of another type");
    // SAFETY: an attribute of the context of the type.
    unsafe { Attribute::from_raw(raw) }
}

/// Returns the one value that all elements of a dense attribute have; `None` where they differ, and for any other attribute.
#[must_use]
pub fn splat<'c>(attribute: Attribute<'c>) -> Option<Attribute<'c>> {
    let raw = attribute.to_raw();
    // SAFETY: the accessors are called on dense elements, and the value accessor only on splats.
    unsafe {
        (mlir_sys::mlirAttributeIsADenseElements(raw)
            && mlir_sys::mlirDenseElementsAttrIsSplat(raw))
        .then(|| Attribute::from_raw(mlir_sys::mlirDenseElementsAttrGetSplatValue(raw)))
    }
}

/// Returns the entries of a dictionary attribute; empty for any other attribute.
#[must_use]
pub fn entries<'c>(attribute: Attribute<'c>) -> Vec<(String, Attribute<'c>)> {
    let raw = attribute.to_raw();
    // SAFETY: the accessors are called on a dictionary, with indices below its size.
    unsafe {
        if !mlir_sys::mlirAttributeIsADictionary(raw) {
            return Vec::new();
        }
        (0..mlir_sys::mlirDictionaryAttrGetNumElements(raw))
            .map(|index| {
                let entry = mlir_sys::mlirDictionaryAttrGetElement(raw, index);
                (
                    text(mlir_sys::mlirIdentifierStr(entry.name)),
                    Attribute::from_raw(entry.attribute),
                )
            })
            .collect()
    }
}

//===--- #spyre.layout ----------------------------------------------------===//

/// Enumerators of `DeviceFormat` in the ODS, by value.
const FORMATS: &[(i32, DeviceFormat)] = &[
    (0, DeviceFormat::Sen169Fp16),
    (1, DeviceFormat::IeeeFp32),
    (3, DeviceFormat::Sen143Fp8),
    (4, DeviceFormat::Sen152Fp8),
    (8, DeviceFormat::SenInt8),
    (9, DeviceFormat::SenInt16),
    (12, DeviceFormat::IeeeInt32),
    (13, DeviceFormat::SenUint32),
    (15, DeviceFormat::IeeeFp16),
    (17, DeviceFormat::Bfloat16),
];

/// Enumerators of `Arrangement` in the ODS, by value.
const ARRANGEMENTS: &[(i32, Arrangement)] = &[
    (0, Arrangement::Standard),
    (1, Arrangement::Dl16ToFp32),
    (2, Arrangement::Fp32ToDl16),
    (3, Arrangement::Qfp8Ch),
    (4, Arrangement::Qfp8Wt),
    (5, Arrangement::Exx2),
];

pub(crate) fn format_from_value(value: i32) -> Option<DeviceFormat> {
    FORMATS
        .iter()
        .find(|(code, _)| *code == value)
        .map(|(_, format)| *format)
}

pub(crate) fn arrangement_from_value(value: i32) -> Option<Arrangement> {
    ARRANGEMENTS
        .iter()
        .find(|(code, _)| *code == value)
        .map(|(_, arrangement)| *arrangement)
}

pub(crate) fn format_value(format: DeviceFormat) -> i32 {
    FORMATS
        .iter()
        .find(|(_, candidate)| *candidate == format)
        .map_or(-1, |(code, _)| *code)
}

pub(crate) fn arrangement_value(arrangement: Arrangement) -> i32 {
    ARRANGEMENTS
        .iter()
        .find(|(_, candidate)| *candidate == arrangement)
        .map_or(0, |(code, _)| *code)
}

/// Returns the device format that follows from an element type; `None` when it has none.
#[must_use]
pub fn device_format(element: Type<'_>) -> Option<DeviceFormat> {
    // SAFETY: a live type.
    format_from_value(unsafe { ffi::spyreDeviceFormatOfType(element.to_raw()) })
}

/// Returns whether an attribute is a `#spyre.layout`.
#[must_use]
pub fn is_layout(attribute: Attribute<'_>) -> bool {
    // SAFETY: a live attribute.
    unsafe { ffi::spyreAttributeIsALayout(attribute.to_raw()) }
}

/// Reads a `#spyre.layout`; `None` for any other attribute.
#[must_use]
pub fn layout(attribute: Attribute<'_>) -> Option<Layout> {
    if !is_layout(attribute) {
        return None;
    }
    let raw = attribute.to_raw();
    // SAFETY: the kind was checked; the arrays belong to the attribute.
    let (map, size, expanded, format, arrangement) = unsafe {
        (
            AffineMap::from_raw(ffi::spyreLayoutGetMap(raw)),
            borrowed(|out| ffi::spyreLayoutGetSize(raw, out)),
            borrowed(|out| ffi::spyreLayoutGetExpanded(raw, out)),
            ffi::spyreLayoutGetFormat(raw),
            ffi::spyreLayoutGetArrangement(raw),
        )
    };
    let coords = (0..map.result_count())
        .map(|index| coord(map.result(index).ok()?))
        .collect::<Option<Vec<_>>>()?;
    let mut layout = Layout::new(map.dim_count(), coords).ok()?;
    if !size.is_empty() {
        layout = layout.with_device_size(unsigned(&size)?).ok()?;
    }
    if let Some(format) = format_from_value(format) {
        layout = layout.with_format(format);
    }
    layout = layout
        .with_arrangement(arrangement_from_value(arrangement)?)
        .ok()?;
    if !expanded.is_empty() {
        let dims = expanded
            .iter()
            .map(|dim| usize::try_from(*dim).ok())
            .collect::<Option<_>>()?;
        layout = layout.with_expanded(dims).ok()?;
    }
    Some(layout)
}

/// Builds a `#spyre.layout`.
#[must_use]
pub fn layout_attribute<'c>(context: &'c Context, layout: &Layout) -> Attribute<'c> {
    let exprs: Vec<AffineExpr> = layout
        .coords()
        .iter()
        .map(|coord| coord_expr(context, *coord))
        .collect();
    let map = AffineMap::new(context, layout.rank(), 0, &exprs);
    let size: Vec<i64> = layout
        .explicit_device_size()
        .unwrap_or_default()
        .iter()
        .map(|extent| extent.cast_signed())
        .collect();
    let expanded: Vec<i64> = layout
        .expanded()
        .iter()
        .map(|dim| dim.cast_signed() as i64)
        .collect();
    let arrangement = arrangement_value(layout.arrangement());
    // SAFETY: the arrays have the lengths given.
    unsafe {
        Attribute::from_raw(ffi::spyreLayoutGet(
            context.to_raw(),
            map.to_raw(),
            size.as_ptr(),
            size.len().cast_signed(),
            expanded.as_ptr(),
            expanded.len().cast_signed(),
            layout.format_override().map_or(-1, format_value),
            arrangement,
        ))
    }
}

/// Reads a device coordinate.
fn coord(expr: AffineExpr<'_>) -> Option<Coord> {
    if expr.is_constant() {
        return (expr.constant_value() == 0).then_some(Coord::Zero);
    }
    let constant = |expr: AffineExpr<'_>| {
        u64::try_from(expr.is_constant().then(|| expr.constant_value())?).ok()
    };
    let (expr, modulus) = if expr.is_mod() {
        (expr.lhs(), Some(constant(expr.rhs())?))
    } else {
        (expr, None)
    };
    let (expr, divisor) = if expr.is_floor_div() {
        (expr.lhs(), constant(expr.rhs())?)
    } else {
        (expr, 1)
    };
    expr.is_dim().then(|| Coord::Digit {
        dim: expr.dim_position(),
        divisor,
        modulus,
    })
}

fn coord_expr(context: &Context, coord: Coord) -> AffineExpr<'_> {
    let constant = |value: u64| AffineExpr::constant(context, value.cast_signed());
    match coord {
        Coord::Zero => AffineExpr::constant(context, 0),
        Coord::Digit {
            dim,
            divisor,
            modulus,
        } => {
            let mut expr = AffineExpr::dim(context, dim);
            if divisor != 1 {
                expr = AffineExpr::floor_div(expr, constant(divisor));
            }
            match modulus {
                Some(modulus) => AffineExpr::modulo(expr, constant(modulus)),
                None => expr,
            }
        }
    }
}

/// Converts a count of C++.
pub(crate) fn count(number: isize) -> usize {
    usize::try_from(number).expect("a count is not negative")
}

/// Returns a copy of an array that an attribute owns.
pub(crate) unsafe fn borrowed(get: impl FnOnce(*mut *const i64) -> isize) -> Vec<i64> {
    let mut data = std::ptr::null();
    let length = count(get(&raw mut data));
    if length == 0 {
        return Vec::new();
    }
    // SAFETY: the accessor returns `length` entries that the attribute owns.
    unsafe { std::slice::from_raw_parts(data, length) }.to_vec()
}

pub(crate) fn unsigned(values: &[i64]) -> Option<Vec<u64>> {
    values
        .iter()
        .map(|value| u64::try_from(*value).ok())
        .collect()
}

//===--- #spyre.target ----------------------------------------------------===//

/// A target with the element types that it supports, if it restricts them.
#[derive(Debug, Clone)]
pub struct TargetDescription<'c> {
    /// The machine.
    pub target: Target,
    /// Supported element types; `None` for all that have a device format.
    pub element_types: Option<Vec<Type<'c>>>,
    /// The rules that bundles follow.
    pub contract: Contract,
}

/// Reads a `#spyre.target`; `None` for any other attribute.
#[must_use]
pub fn target<'c>(attribute: Attribute<'c>) -> Option<TargetDescription<'c>> {
    // SAFETY: a live attribute; the accessor matches its kind.
    let fields = unsafe {
        if !ffi::spyreAttributeIsATarget(attribute.to_raw()) {
            return None;
        }
        ffi::spyreTargetGetFields(attribute.to_raw())
    };
    let bytes = |value: i64| Some(Bytes(u64::try_from(value).ok()?));
    let target = Target {
        cores: u32::try_from(fields.cores).ok()?,
        lx_bytes: bytes(fields.lx_bytes)?,
        lx_reserved_bytes: bytes(fields.lx_reserved_bytes)?,
        lx_backend_percent: u32::try_from(fields.lx_backend_percent).ok()?,
        stick_bytes: bytes(fields.stick_bytes)?,
        span_limit_bytes: bytes(fields.span_limit_bytes)?,
        segment_bytes: bytes(fields.segment_bytes)?,
        segment_reserved_bytes: bytes(fields.segment_reserved_bytes)?,
        segments: u32::try_from(fields.segments).ok()?,
        rates: rates(&fields)?,
    };
    // SAFETY: null or live.
    let formats = unsafe { optional(fields.formats) };
    let element_types = formats.map(|formats| {
        // SAFETY: the verifier of the attribute allows only types.
        elements(formats)
            .into_iter()
            .map(|entry| unsafe { Type::from_raw(mlir_sys::mlirTypeAttrGetValue(entry.to_raw())) })
            .collect()
    });
    Some(TargetDescription {
        target,
        element_types,
        contract: contract(&fields),
    })
}

/// Reads the rules that bundles follow. The verifier of the attribute has checked their names.
fn contract(fields: &ffi::SpyreTarget) -> Contract {
    let version = text(fields.contract);
    // SAFETY: null or live.
    let names = unsafe { optional(fields.exceptions) };
    let names = names.into_iter().flat_map(elements);
    let exception = |name: Attribute<'_>| {
        let name = string(name).expect("exceptions are names");
        Exception::by_name(&name).expect("the verifier allows only known exceptions")
    };
    Contract {
        version: version
            .parse()
            .expect("the verifier allows only known versions"),
        exceptions: names.map(exception).collect(),
    }
}

/// Reads the fields of a `#spyre.rates`; `None` for a negative one, which the verifier of the attribute refuses.
fn rates(fields: &ffi::SpyreTarget) -> Option<Rates> {
    let count = |value: i64| u64::try_from(value).ok();
    let time = |value: i64| Some(Picoseconds(count(value)?));
    Some(Rates {
        products_per_us: count(fields.products_per_us)?,
        elements_per_us: count(fields.elements_per_us)?,
        bytes_per_us: count(fields.bytes_per_us)?,
        broadcast_cores: u32::try_from(fields.broadcast_cores).ok()?,
        rows_per_pass: count(fields.rows_per_pass)?,
        full_passes: count(fields.full_passes)?,
        per_partial: time(fields.partial_ps)?,
        per_shared_partial: time(fields.shared_partial_ps)?,
        per_execution: time(fields.execution_ps)?,
        per_iteration: time(fields.iteration_ps)?,
        per_relayed_stick: time(fields.relayout_ps)?,
    })
}

//===--- #spyre.place -----------------------------------------------------===//

/// The place of a tensor in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// A kernel argument, in device memory; inputs first, then results.
    Arg(u32),
    /// An offset in the kernel's pool in device memory.
    Pool(Bytes),
    /// An address in every core's scratchpad.
    Lx(Bytes),
    /// In place, in the window of the tensor that the value is inserted into.
    Window,
}

impl Place {
    /// Returns the enumerator of `Space` in the ODS, and the address.
    pub(crate) fn to_space(self) -> (i32, i64) {
        match self {
            Self::Arg(index) => (0, i64::from(index)),
            Self::Pool(offset) => (1, offset.get().cast_signed()),
            Self::Lx(address) => (2, address.get().cast_signed()),
            Self::Window => (3, 0),
        }
    }

    pub(crate) fn from_space(space: i32, address: i64) -> Option<Self> {
        let bytes = || Some(Bytes(u64::try_from(address).ok()?));
        match space {
            0 => Some(Self::Arg(u32::try_from(address).ok()?)),
            1 => Some(Self::Pool(bytes()?)),
            2 => Some(Self::Lx(bytes()?)),
            3 => Some(Self::Window),
            _ => None,
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Arg(index) => write!(formatter, "arg {index}"),
            Self::Pool(offset) => write!(formatter, "pool {}", offset.get()),
            Self::Lx(address) => write!(formatter, "lx {}", address.get()),
            Self::Window => formatter.write_str("window"),
        }
    }
}

/// Reads a `#spyre.place`; `None` for any other attribute.
#[must_use]
pub fn place(attribute: Attribute<'_>) -> Option<Place> {
    let raw = attribute.to_raw();
    // SAFETY: a live attribute; the accessors match its kind.
    unsafe {
        if !ffi::spyreAttributeIsAPlace(raw) {
            return None;
        }
        Place::from_space(ffi::spyrePlaceGetSpace(raw), ffi::spyrePlaceGetAddress(raw))
    }
}

/// Builds a `#spyre.place`.
#[must_use]
pub fn place_attribute(context: &Context, place: Place) -> Attribute<'_> {
    let (space, address) = place.to_space();
    // SAFETY: a live context.
    unsafe { Attribute::from_raw(ffi::spyrePlaceGet(context.to_raw(), space, address)) }
}
