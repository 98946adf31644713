//! Conversion of elements, and their equality.

use rustc_hash::FxHashSet;
use spyre_exec::{Array, DType as Passed};
use spyre_uop::dtype::DType;
use spyre_uop::element;
use spyre_uop::graph::{Graph, Type};
use spyre_uop::ids::NodeId;
use spyre_uop::interpret::{self, Inputs, Limits, RunError};
use spyre_uop::op::{Combine, Op};
use spyre_uop::tensor::Tensor;

/// The allowed difference of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Allowed {
    /// In no bit.
    Nothing,
    /// Equal except for the bits of NaN.
    Nans,
    /// Equal within [`tolerance`], and except for the bits of NaN.
    Near,
    /// It is not compared.
    Anything,
}

/// Returns the relative error that an approximated function may have, relative to 1/1000 for smaller values: a sine
/// near a multiple of pi has few significant digits. Roots that are decomposed into `Exp2` and `Log2` are off by 87
/// units of the last place.
#[must_use]
pub fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e-11,
        DType::F32 => 4e-5,
        // One unit in the last place: a result near the middle of two floats may be rounded either way.
        DType::F16 => 1.0 / 1024.0,
        _ => 1.0 / 128.0,
    }
}

fn is_same(dtype: DType, allowed: Allowed, a: u64, b: u64) -> bool {
    if a == b || allowed == Allowed::Anything {
        return true;
    }
    if !dtype.is_float() || allowed == Allowed::Nothing {
        return false;
    }
    let (a, b) = (element::float(dtype, a), element::float(dtype, b));
    let is_near = (a - b).abs() <= tolerance(dtype) * a.abs().max(1e-3);
    (a.is_nan() && b.is_nan()) || (allowed == Allowed::Near && (a == b || is_near))
}

/// Returns the first difference between results; `None` if there is none.
pub(super) fn different(
    expected: &[Tensor],
    actual: &[&[u64]],
    allowed: &[Allowed],
) -> Option<String> {
    if expected.len() != actual.len() {
        return Some(format!("{} results for {}", actual.len(), expected.len()));
    }
    let results = expected.iter().zip(actual).zip(allowed).enumerate();
    for (result, ((expected, actual), allowed)) in results {
        let expected_elements = expected.elements();
        if expected_elements.len() != actual.len() {
            let (count, expected_count) = (actual.len(), expected_elements.len());
            return Some(format!(
                "result {result} has {count} elements, and not {expected_count}"
            ));
        }
        let mut pairs = expected_elements.iter().zip(*actual).enumerate();
        let pair = pairs.find(|(_, (a, b))| !is_same(expected.ty().dtype, *allowed, **a, **b));
        if let Some((at, (a, b))) = pair {
            let ty = expected.ty();
            return Some(format!(
                "result {result}, {ty}, element {at}: {a} is expected, and {b} found"
            ));
        }
    }
    None
}

/// Returns the nodes that depend on the bits of a NaN, or on the sign of a maximum of zeros of both signs.
pub(super) fn unknown(graph: &Graph, inputs: &Inputs) -> Result<FxHashSet<NodeId>, RunError> {
    let mut casts = Vec::new();
    for (id, node) in graph.nodes().iter() {
        let is_maximum = matches!(
            node.op,
            Op::Reduce {
                combine: Combine::Max,
                ..
            }
        );
        if is_maximum || matches!(node.op, Op::Bitcast(_)) {
            let source = node.sources[0];
            let is_float =
                matches!(&graph.node(source).ty, Type::Tensor(ty) if ty.dtype.is_float());
            // A reduction over ranges is inside their loops, and has a twin outside.
            if is_float && node.sources.len() == 1 {
                casts.push((id, source, is_maximum));
            }
        }
    }
    let sources: Vec<NodeId> = casts.iter().map(|(_, source, _)| *source).collect();
    let values = interpret::run(graph, inputs, &sources, Limits::default())?;
    let mut unknown = FxHashSet::default();
    for ((id, _, is_maximum), value) in casts.into_iter().zip(values) {
        let dtype = value.ty().dtype;
        let floats = value.elements().iter();
        let mut floats = floats.map(|bits| element::float(dtype, *bits));
        let has_zero = |is_negative: bool| {
            let mut floats = value.elements().iter();
            floats.any(|bits| {
                let value = element::float(dtype, *bits);
                value == 0.0 && value.is_sign_negative() == is_negative
            })
        };
        let is_unknown = match is_maximum {
            true => has_zero(true) && has_zero(false),
            false => floats.any(f64::is_nan),
        };
        if is_unknown {
            unknown.insert(id);
        }
    }
    for (id, node) in graph.nodes().iter() {
        if node.sources.iter().any(|source| unknown.contains(source)) {
            unknown.insert(id);
        }
    }
    Ok(unknown)
}

/// Returns a tensor as an argument. Integers have no sign there, and an `index` has 64 bits.
pub(super) fn array(tensor: &Tensor) -> Array {
    let dtype = match tensor.ty().dtype {
        DType::Bool => Passed::Bool,
        DType::I8 | DType::U8 => Passed::I8,
        DType::I16 | DType::U16 => Passed::I16,
        DType::I32 | DType::U32 => Passed::I32,
        DType::I64 | DType::U64 | DType::Index => Passed::I64,
        DType::F16 => Passed::F16,
        DType::Bf16 => Passed::Bf16,
        DType::F32 => Passed::F32,
        DType::F64 => Passed::F64,
    };
    let width = dtype.bytes();
    let bytes = tensor
        .elements()
        .iter()
        .flat_map(|bits| bits.to_ne_bytes().into_iter().take(width));
    let shape: Vec<usize> = tensor
        .ty()
        .shape
        .iter()
        .map(|extent| *extent as usize)
        .collect();
    Array::new(dtype, &shape, bytes.collect()).expect("as many elements as the shape has")
}

/// Returns the elements of a result that is an array of an element type.
pub(super) fn elements(array: &Array, dtype: DType) -> Vec<u64> {
    let chunks = array.bytes().chunks_exact(array.dtype().bytes());
    let bits = |bytes: &[u8]| {
        let mut bits = [0; 8];
        bits[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_ne_bytes(bits);
        match dtype.is_float() {
            true => bits,
            false => element::wrapped(dtype, bits.into()),
        }
    };
    chunks.map(bits).collect()
}
