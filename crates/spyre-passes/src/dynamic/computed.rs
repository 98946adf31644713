//! Extents that a program computes with, such as that of a mean.
//!
//! While extents have stand-ins, such an extent is an argument of the function, as [positions](super::positions) are: nothing is computed
//! from a stand-in. Behind the conversion it is read from a tensor again. Only the host computes with it.

use melior::Context;
use melior::ir::Type;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Use, Val};

use super::{DynamicDims, SymbolId, error};

/// The attribute of an argument that stands for the extent of a dimension.
const EXTENT: &str = "spyre.extent";

/// A use of an extent that is none of a shape.
pub(super) struct Computed<'p> {
    pub(super) found: Use<'p>,
    /// The dimension.
    pub(super) symbol: SymbolId,
}

/// Gives a function an argument for each extent that it computes with.
pub(super) fn to_arguments<'p>(
    context: &'p Context,
    function: Op<'p>,
    dims: &DynamicDims,
    computed: &[Computed<'p>],
) -> Result<(), Diagnostic<'p>> {
    let mut arguments: FxHashMap<SymbolId, Val<'p>> = FxHashMap::default();
    for Computed { found, symbol } in computed {
        let argument = match arguments.get(symbol) {
            Some(argument) => *argument,
            None => {
                let (op, name) = (found.owner, &dims.symbol(*symbol).name);
                let name = StringAttribute::new(context, name).into();
                let index = Type::index(context);
                let added = ir::add_argument(function, index, EXTENT, name, function.location());
                let added = added
                    .ok_or_else(|| error(op, "the function takes no argument for this extent"))?;
                arguments.insert(*symbol, added);
                added
            }
        };
        ir::set_operand(found.owner, found.operand, argument);
    }
    Ok(())
}

/// Returns the dimension whose extent an argument is; `None` for other arguments.
pub(super) fn of_argument(function: Op<'_>, number: usize) -> Option<String> {
    attr::string(ir::argument_attribute(function, number, EXTENT)?)
}
