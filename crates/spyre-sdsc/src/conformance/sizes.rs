//! A function as the recorded generator writes it where cores divide a runtime size.

use crate::Bytes;
use crate::bundle::{Bundle, BundleOptions, Function, SymbolKind, relink};
use crate::codegen::SizeStep;
use crate::model::{DimBounds, Node};

/// The function with every start that depends on a runtime size replaced by the number that the recorded generator
/// writes: the index of the kernel argument, plus the start at the largest size (SDSC bundle specification, section
/// 2.4). `None` if there are no such starts.
///
/// If the result is the recorded text, then nothing else differs, and our start is theirs at the largest size.
pub(super) fn with_largest_sizes(
    nodes: &[Node],
    options: &BundleOptions,
    bundle: &Bundle,
) -> Option<Function> {
    let is_sized = |kind: &SymbolKind| matches!(kind, SymbolKind::Sized { .. });
    let mut files = bundle.sdsc_files().iter().filter_map(|file| file.symbols());
    if !files.any(|symbols| symbols.kinds().iter().any(is_sized)) {
        return None;
    }
    let replace = |kind: &SymbolKind| match kind {
        SymbolKind::Sized { start, per_size } => {
            number(bundle.function(), start, per_size).map(SymbolKind::Literal)
        }
        _ => None,
    };
    relink(nodes, options, replace).ok()
}

fn number(function: &Function, start: &SymbolKind, per_size: &[SizeStep]) -> Option<Bytes> {
    let sum = |parts: &[u64]| {
        parts
            .iter()
            .try_fold(0_u64, |sum, part| sum.checked_add(*part))
    };
    let fixed = match start {
        SymbolKind::Kernel(arg) => u64::from(arg.get()),
        SymbolKind::KernelSlice { arg, offset } => sum(&[arg.get().into(), offset.get()])?,
        SymbolKind::Core { arg, slice, offset } => {
            let slice = slice.map_or(0, Bytes::get);
            sum(&[arg.get().into(), slice, offset.get()])?
        }
        SymbolKind::Pool { offset } => offset.get(),
        SymbolKind::Dimension(_) | SymbolKind::Sized { .. } | SymbolKind::Literal(_) => {
            return None;
        }
    };
    let at_largest = per_size.iter().try_fold(fixed, |total, step| {
        let DimBounds { max, .. } = function.bounds_of(&step.size)?;
        total.checked_add(max.checked_mul(step.bytes.get())?)
    });
    at_largest.map(Bytes)
}
