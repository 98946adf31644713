//! A function as the recorded generator writes it where cores divide a runtime size.

use rustc_hash::FxHashSet;

use crate::Bytes;
use crate::bundle::{Bundle, BundleOptions, Function, SdscFile, SymbolKind, relink};
use crate::model::{DimBounds, Node};

/// Returns the function with the start addresses of a tensor that is divided along a runtime size written as the
/// reference generator writes them: for every core except the first, the index of the kernel argument plus the start
/// at the largest size (SDSC bundle specification, section 2.4). `None` if there is no such tensor.
///
/// If the result equals the recorded text, the starts are the same at the largest size, and the functions differ in
/// nothing else.
pub(super) fn with_largest_sizes(
    nodes: &[Node],
    options: &BundleOptions,
    bundle: &Bundle,
) -> Option<Function> {
    let divided: Vec<FxHashSet<usize>> = bundle.sdsc_files().iter().map(divided).collect();
    if divided.iter().all(FxHashSet::is_empty) {
        return None;
    }
    let replace = |file: usize, position: usize, kind: &SymbolKind| {
        if !divided[file].contains(&position) {
            return None;
        }
        let start = number(bundle.function(), kind)?;
        Some(if kind.is_in_pool() {
            SymbolKind::Pool { offset: start }
        } else {
            SymbolKind::Literal(start)
        })
    };
    relink(nodes, options, replace).ok()
}

/// The positions of the symbols of all cores that do not start where the first does, in tensors divided along a
/// runtime size.
fn divided(file: &SdscFile) -> FxHashSet<usize> {
    let descriptor = file.descriptor();
    let tensors = descriptor.tensors.iter().enumerate();
    let divided = tensors.filter(|(_, tensor)| descriptor.is_split_at_run_time(tensor));
    let starts = divided.filter_map(|(index, _)| Some(file.symbols()?.addresses(index)));
    starts
        .flat_map(|starts| {
            let first = starts.first();
            starts.iter().filter(move |start| Some(*start) != first)
        })
        .copied()
        .collect()
}

/// The start at the largest sizes.
fn number(function: &Function, kind: &SymbolKind) -> Option<Bytes> {
    let sum = |parts: &[u64]| {
        parts
            .iter()
            .try_fold(0_u64, |sum, part| sum.checked_add(*part))
    };
    let start = match kind {
        SymbolKind::Kernel(arg) => u64::from(arg.get()),
        SymbolKind::KernelSlice { arg, offset } => sum(&[arg.get().into(), offset.get()])?,
        SymbolKind::Core { arg, slice, offset } => {
            let slice = slice.map_or(0, Bytes::get);
            sum(&[arg.get().into(), slice, offset.get()])?
        }
        SymbolKind::Pool { offset } => offset.get(),
        SymbolKind::Sized { start, per_size } => {
            let fixed = number(function, start)?.get();
            per_size.iter().try_fold(fixed, |total, step| {
                let DimBounds { max, .. } = function.bounds_of(&step.size)?;
                total.checked_add(max.checked_mul(step.bytes.get())?)
            })?
        }
        SymbolKind::Dimension(_) | SymbolKind::Literal(_) => return None,
    };
    Some(Bytes(start))
}
