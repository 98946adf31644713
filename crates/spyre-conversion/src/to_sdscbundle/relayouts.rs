//! The owners of the tensors of a relayout (contract, K66, K69 and K71; SDSC bundle specification, section 4.9).

use spyre_analysis::relayout::Relayout;
use spyre_plan::relayout::Owners;
use spyre_sdsc::model::{CORE_ID, Ownership};
use spyre_sdsc::{Expr, IterationDim, Object, Symbol, TensorArg};

use super::coordinates::symbol;

/// The extra of an OpSpec that marks a copy as a relayout proved by planning (contract, K74).
pub(super) const CERTIFIED: &str = "lx_relayout_certified";

/// Gives the source and the destination of a relayout their owners. Returns the slice of each dimension that a core
/// works on: the slice of the destination.
///
/// # Errors
/// A copy between tensors that the format has no pair of.
pub(super) fn set_owners(
    relayout: &Relayout,
    space: &[IterationDim],
    args: &mut [TensorArg],
) -> Result<Object<Expr, Symbol>, String> {
    let [source, destination] = args else {
        return Err(format!(
            "a relayout has a source and a destination, not {} tensors",
            args.len()
        ));
    };
    for (tensor, owners) in [(source, &relayout.from), (destination, &relayout.to)] {
        tensor.ownership = Some(Ownership {
            work_slices: counts(owners),
            core_id_to_work_slice: slices(owners),
            num_cores: Some(owners.cores()),
        });
    }
    let divided = slices(&relayout.to);
    let of_core = |dim: &IterationDim| {
        let slice = divided.get(dim.symbol.as_str()).cloned();
        (dim.symbol.clone(), slice.unwrap_or_else(|| Expr::int(0)))
    };
    Ok(space.iter().map(of_core).collect())
}

/// Returns the number of slices along each dimension that is divided.
fn counts(owners: &Owners) -> Object<u64, Symbol> {
    let digits = owners.digits().iter().filter(|digit| digit.slices > 1);
    let counts = digits.filter_map(|digit| Some((symbol(digit.dim?).into(), digit.slices.into())));
    counts.collect()
}

/// Returns the slice of a core along each dimension that is divided.
fn slices(owners: &Owners) -> Object<Expr, Symbol> {
    let mut slices = Object::new();
    let mut stride = 1_i64;
    for digit in owners.digits() {
        let count = i64::from(digit.slices);
        if let Some(dim) = digit.dim.filter(|_| count > 1) {
            let mut slice = Expr::symbol(CORE_ID);
            if stride > 1 {
                slice = slice.floor_div(Expr::int(stride));
            }
            // The slowest digit has no other after it.
            if stride * count != i64::from(owners.cores()) {
                slice = slice.modulo(Expr::int(count));
            }
            slices.insert(symbol(dim).into(), slice);
        }
        stride *= count;
    }
    slices
}
