//! The layout rules for the C++ verifier, which `dialects/spyre/LayoutRules.h` declares.

use std::ffi::{c_char, c_void};

use spyre_layout::{Coord, Layout, STICK_BYTES};
use spyre_ops::contract::{Exception, Version};
use spyre_ops::sticks::{Access, disagreement};

use crate::attr::{arrangement_from_value, format_from_value};

#[repr(C)]
struct SpyreDigit {
    dim: i64,
    divisor: i64,
    modulus: i64,
}

/// A layout as plain numbers.
#[repr(C)]
pub(crate) struct SpyreLayoutRef {
    rank: i64,
    coords: *const SpyreDigit,
    num_coords: usize,
    size: *const i64,
    num_size: usize,
    expanded: *const i64,
    num_expanded: usize,
    arrangement: i32,
}

/// Returns a name of C++.
///
/// # Safety
/// `data` has `length` bytes.
unsafe fn name<'a>(data: *const c_char, length: usize) -> Option<&'a str> {
    // SAFETY: as the caller promises.
    std::str::from_utf8(unsafe { slice(data.cast(), length) }).ok()
}

/// # Safety
/// `data` has `length` bytes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn spyreIsContract(data: *const c_char, length: usize) -> bool {
    // SAFETY: as the caller promises.
    let name = unsafe { name(data, length) };
    name.is_some_and(|name| name.parse::<Version>().is_ok())
}

/// # Safety
/// `data` has `length` bytes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn spyreIsException(data: *const c_char, length: usize) -> bool {
    // SAFETY: as the caller promises.
    let name = unsafe { name(data, length) };
    name.is_some_and(|name| Exception::by_name(name).is_some())
}

type Report = unsafe extern "C" fn(*mut c_void, *const c_char, usize);

/// Returns a C++ array as a slice. The pointer of an empty array may be null.
///
/// # Safety
/// `data` has `length` entries that live for `'a`.
unsafe fn slice<'a, T>(data: *const T, length: usize) -> &'a [T] {
    if length == 0 {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(data, length) }
}

/// Builds the layout that plain numbers describe.
///
/// # Safety
/// The arrays of `layout` have the lengths it states.
unsafe fn build(layout: &SpyreLayoutRef) -> Result<Layout, String> {
    // SAFETY: as the caller promises.
    let (coords, size, expanded) = unsafe {
        (
            slice(layout.coords, layout.num_coords),
            slice(layout.size, layout.num_size),
            slice(layout.expanded, layout.num_expanded),
        )
    };
    let rank = usize::try_from(layout.rank).map_err(|error| error.to_string())?;
    let coords = coords.iter().map(coord).collect::<Result<_, _>>()?;
    let mut built = Layout::new(rank, coords).map_err(|error| error.to_string())?;
    if !size.is_empty() {
        let size = numbers(size, "layout size")?;
        built = built
            .with_device_size(size)
            .map_err(|error| error.to_string())?;
    }
    let arrangement = arrangement_from_value(layout.arrangement)
        .ok_or_else(|| format!("there is no arrangement {}", layout.arrangement))?;
    built = built
        .with_arrangement(arrangement)
        .map_err(|error| error.to_string())?;
    if !expanded.is_empty() {
        let dims = numbers(expanded, "expanded dimension")?;
        let dims = dims
            .into_iter()
            .map(|dim| usize::try_from(dim).map_err(|error| error.to_string()));
        built = built
            .with_expanded(dims.collect::<Result<_, _>>()?)
            .map_err(|error| error.to_string())?;
    }
    Ok(built)
}

fn coord(digit: &SpyreDigit) -> Result<Coord, String> {
    if digit.dim < 0 {
        return Ok(Coord::Zero);
    }
    let number = |value: i64| u64::try_from(value).map_err(|error| error.to_string());
    Ok(Coord::Digit {
        dim: usize::try_from(digit.dim).map_err(|error| error.to_string())?,
        divisor: number(digit.divisor)?,
        modulus: if digit.modulus == 0 {
            None
        } else {
            Some(number(digit.modulus)?)
        },
    })
}

fn numbers(values: &[i64], what: &str) -> Result<Vec<u64>, String> {
    values
        .iter()
        .map(|value| {
            u64::try_from(*value).map_err(|_| format!("{what} must not be negative, got {value}"))
        })
        .collect()
}

/// Checks the layout for a shape, in which a negative extent is dynamic.
fn check_tensor(layout: &Layout, shape: &[i64], format: i32) -> Result<(), String> {
    let format =
        format_from_value(format).ok_or_else(|| format!("there is no device format {format}"))?;
    for (dim, extent) in shape.iter().enumerate() {
        if *extent < 0 && dim < layout.rank() && layout.device_dims_of(dim).next().is_none() {
            return Err(format!(
                "d{dim} has a dynamic extent but no device coordinate depends on it: its elements would share one address"
            ));
        }
    }
    // The other rules bound an extent from above only, so 1 satisfies them if any extent does.
    let shape: Vec<u64> = shape
        .iter()
        .map(|extent| u64::try_from(*extent).unwrap_or(1))
        .collect();
    let tensor = layout
        .place(&shape, format)
        .map_err(|error| error.to_string())?;
    match i64::try_from(tensor.bytes().get()) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!(
            "device size {:?} is more than 2^63 - 1 bytes",
            tensor.device_size()
        )),
    }
}

fn answer(outcome: Result<(), String>, report: Report, context: *mut c_void) -> bool {
    match outcome {
        Ok(()) => true,
        Err(message) => {
            // SAFETY: the text lives during the call.
            unsafe { report(context, message.as_ptr().cast(), message.len()) };
            false
        }
    }
}

/// Returns the bytes of a stick; see `LayoutRules.h`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn spyreStickBytes() -> i64 {
    STICK_BYTES.get().cast_signed()
}

/// A tensor of an operation.
#[repr(C)]
pub(crate) struct SpyreAccess {
    dims: *const i64,
    num_dims: usize,
    stick: i64,
}

/// Finds two tensors with incompatible sticks; see `LayoutRules.h`.
///
/// # Safety
/// `tensors` has `count` entries with arrays of the lengths they state; `owner` and `other` are
/// writable.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn spyreSticksDisagree(
    tensors: *const SpyreAccess,
    count: usize,
    owner: *mut usize,
    other: *mut usize,
) -> bool {
    let dim = |dim: &i64| usize::try_from(*dim).ok();
    // SAFETY: as the caller promises.
    let tensors = unsafe { slice(tensors, count) }.iter().map(|tensor| {
        // SAFETY: as the caller promises.
        let vars = unsafe { slice(tensor.dims, tensor.num_dims) };
        let vars = vars.iter().map(dim).collect();
        (Access { vars }, dim(&tensor.stick))
    });
    let tensors: Vec<_> = tensors.collect();
    let Some(conflict) = disagreement(&tensors) else {
        return false;
    };
    // SAFETY: as the caller promises.
    unsafe {
        *owner = conflict.owner;
        *other = conflict.other;
    }
    true
}

/// Returns the elements of a format in one stick; see `LayoutRules.h`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn spyreElementsPerStick(format: i32) -> i64 {
    format_from_value(format)
        .expect("the enumerators of `DeviceFormat` are those of the table of formats")
        .elements_per_stick()
        .get()
        .cast_signed()
}

/// Checks a layout by itself; see `LayoutRules.h`.
///
/// # Safety
/// `layout` points to a layout with arrays of the lengths it states.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn spyreLayoutCheck(
    layout: *const SpyreLayoutRef,
    report: Report,
    context: *mut c_void,
) -> bool {
    // SAFETY: as the caller promises.
    let outcome = unsafe { build(&*layout) }.map(drop);
    answer(outcome, report, context)
}

/// Checks a layout for a tensor; see `LayoutRules.h`.
///
/// # Safety
/// The conditions of [`spyreLayoutCheck`], and `shape` has `rank` entries.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn spyreLayoutCheckTensor(
    layout: *const SpyreLayoutRef,
    shape: *const i64,
    rank: usize,
    format: i32,
    report: Report,
    context: *mut c_void,
) -> bool {
    // SAFETY: as the caller promises.
    let (built, shape) = unsafe { (build(&*layout), slice(shape, rank)) };
    let outcome = built.and_then(|layout| check_tensor(&layout, shape, format));
    answer(outcome, report, context)
}
