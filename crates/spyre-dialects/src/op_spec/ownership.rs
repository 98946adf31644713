//! `#sdscbundle.ownership`: the parts of a tensor that each core owns. An attribute has them by the positions of dimensions, and the
//! model by their symbols.

use melior::Context;
use melior::ir::{AffineMap, Attribute, AttributeLike};
use spyre_sdsc::expr::ExprKind;
use spyre_sdsc::model::{CORE_ID, IterationDim, Ownership};
use spyre_sdsc::{Expr, Symbol};

use super::affine::{Names, from_affine};
use super::attr::{AttributeError, affine_all, all_signed};
use crate::attr::{borrowed, unsigned};
use crate::ffi;

/// Returns the names for the map of an ownership. The core is its only dimension.
fn core_names(dims: &[Symbol]) -> Names<'_> {
    Names {
        dims,
        what: "the core",
        indirect: Vec::new(),
    }
}

/// Reads the parts of a tensor that each core owns, along dimensions of these symbols.
pub(super) fn ownership(attribute: Attribute<'_>, symbols: &[Symbol]) -> Option<Ownership> {
    let raw = attribute.to_raw();
    // SAFETY: the parameter of `#sdscbundle.tensor_arg` has this kind.
    let (slices, map) = unsafe {
        (
            borrowed(|out| ffi::spyreSdscBundleOwnershipGetSlices(raw, out)),
            AffineMap::from_raw(ffi::spyreSdscBundleOwnershipGetCores(raw)),
        )
    };
    let dims = [Symbol::from(CORE_ID)];
    let names = core_names(&dims);
    let slice_of_core = (0..map.result_count())
        .map(|index| from_affine(map.result(index).ok()?, &names))
        .collect::<Option<Vec<_>>>()?;
    Some(Ownership {
        work_slices: symbols.iter().cloned().zip(unsigned(&slices)?).collect(),
        core_id_to_work_slice: symbols.iter().cloned().zip(slice_of_core).collect(),
        num_cores: None,
    })
}

pub(super) fn ownership_attribute<'c>(
    context: &'c Context,
    ownership: &Ownership,
    space: &[IterationDim],
) -> Result<Attribute<'c>, AttributeError> {
    let known = |symbol: &Symbol| space.iter().any(|dim| dim.symbol == *symbol);
    let slices = ownership.work_slices.keys();
    let mut named = slices.chain(ownership.core_id_to_work_slice.keys());
    if let Some(symbol) = named.find(|symbol| !known(symbol)) {
        return Err(AttributeError::OwnedDim {
            symbol: symbol.clone(),
        });
    }
    // A dimension that is not named is whole.
    let slices = space.iter().map(|dim| {
        let slices = ownership.work_slices.get(dim.symbol.as_str());
        slices.copied().unwrap_or(1)
    });
    let slices = all_signed(&slices.collect::<Vec<_>>(), "number of slices")?;
    let slice_of_core = space.iter().map(|dim| {
        let slice = ownership.core_id_to_work_slice.get(dim.symbol.as_str());
        let slice = slice.cloned().unwrap_or(Expr::int(0));
        match slice.symbols().as_slice() {
            [] => Ok(slice),
            [core] => Ok(renamed(&slice, core)),
            _ => Err(AttributeError::OwnedSlice {
                slice: slice.to_string(),
            }),
        }
    });
    let slice_of_core = slice_of_core.collect::<Result<Vec<_>, _>>()?;
    let dims = [Symbol::from(CORE_ID)];
    let mut names = core_names(&dims);
    let exprs = affine_all(context, &slice_of_core, &mut names, "slice of a core")?;
    let map = AffineMap::new(context, 1, 0, &exprs);
    // SAFETY: the array has the length given.
    Ok(unsafe {
        Attribute::from_raw(ffi::spyreSdscBundleOwnershipGet(
            context.to_raw(),
            slices.as_ptr(),
            slices.len().cast_signed(),
            map.to_raw(),
        ))
    })
}

/// Returns the expression with its one symbol renamed to [`CORE_ID`].
fn renamed(expr: &Expr, from: &Symbol) -> Expr {
    let renamed = |expr: &Expr| renamed(expr, from);
    match expr.kind() {
        ExprKind::Symbol(symbol) if symbol == from => Expr::symbol(CORE_ID),
        ExprKind::Int(_) | ExprKind::Symbol(_) | ExprKind::IndirectAccess(_) => expr.clone(),
        ExprKind::Sum(terms) => {
            let sum = terms.iter().map(renamed).reduce(|sum, term| sum + term);
            sum.expect("a sum has terms")
        }
        ExprKind::Product(factors) => {
            let product = factors.iter().map(renamed);
            let product = product.reduce(|product, factor| product * factor);
            product.expect("a product has factors")
        }
        ExprKind::Quotient(numerator, divisor) => renamed(numerator).divided_by(renamed(divisor)),
        ExprKind::Floor(operand) => renamed(operand).floor(),
        ExprKind::Mod(operand, modulus) => renamed(operand).modulo(renamed(modulus)),
    }
}
