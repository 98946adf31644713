//! Checks that no operation works on more elements of a dimension than its dynamic extent.
//!
//! Tensors are allocated for the largest extent of a dynamic dimension, and have elements up to the dynamic extent.
//! So an operation on the whole allocation reads uninitialized elements. Operations of the program work on tiles by
//! then (`--spyre-bound-dynamic-dims`), but later passes may have inserted copies of whole tensors.

use melior::ir::operation::OperationLike;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op};

use super::{DynamicDims, SymbolId};
use crate::indexing::Indexing;
use crate::names::{DimNames, Followed, Follower, Visit};

/// Checks that each operation with a dynamic dimension is in a loop over tiles of that dimension. Messages begin with
/// `pass`, the name of the pass.
///
/// # Errors
/// An operation outside of such a loop works on the whole allocation of the dimension.
pub fn check_tiled<'p>(
    function: Op<'p>,
    body: Blk<'p>,
    dims: &DynamicDims,
    pass: &str,
) -> Result<(), Diagnostic<'p>> {
    if dims.symbols().is_empty() {
        return Ok(());
    }
    let mut walk = Walk {
        dims,
        pass,
        followed: Followed::of_function(function),
        open: Vec::new(),
    };
    walk.follow(body)
}

struct Walk<'d, 'p> {
    dims: &'d DynamicDims,
    pass: &'d str,
    followed: Followed<'p>,
    /// For each enclosing loop, the dynamic dimension with the tiles that it iterates over; `None` for another loop.
    open: Vec<Option<SymbolId>>,
}

impl<'p> Follower<'p> for Walk<'_, 'p> {
    type Error = Diagnostic<'p>;

    fn followed(&mut self) -> &mut Followed<'p> {
        &mut self.followed
    }

    fn visit(&mut self, visit: Visit<'p>) -> Result<(), Diagnostic<'p>> {
        match visit {
            Visit::Device(op, indexing, names) => return self.check(op, &indexing, &names),
            Visit::Into(op) => {
                let bound = ir::operand(op, 1);
                self.open
                    .push(bound.and_then(|bound| self.dims.of_index(bound)));
            }
            Visit::OutOf(_) => {
                self.open.pop();
            }
            Visit::Other(_) => {}
        }
        Ok(())
    }
}

impl<'p> Walk<'_, 'p> {
    /// Checks that no operation works on the largest extent of a dimension without a loop over its tiles.
    fn check(
        &self,
        op: DeviceOp<'p>,
        indexing: &Indexing<'p>,
        names: &DimNames,
    ) -> Result<(), Diagnostic<'p>> {
        for (dim, names) in names.iter().enumerate() {
            let extent = indexing.static_extent(dim);
            let factors = names.iter().flatten();
            let symbols = factors.filter_map(|factor| {
                let symbol = self.dims.named(self.followed.names.text(factor.name?))?;
                Some((symbol, self.dims.symbol(symbol)))
            });
            let whole = symbols
                .filter(|(_, symbol)| Some(symbol.extent.max()) == extent)
                .filter(|(_, symbol)| !symbol.extent.is_single())
                .find(|(id, _)| !self.open.contains(&Some(*id)));
            let Some((_, symbol)) = whole else { continue };
            let message = format!(
                "works on all {} elements of \"{}\" that there may be, but the extent of a run may be \
                 smaller; where a pass has put this copy in, it takes results that are computed in tiles and returned once, \
                 loops that start from a spyre.empty, and layouts that agree",
                symbol.extent.max(),
                symbol.name
            );
            return Err(Diagnostic::error(
                op.op().location(),
                format!("{}: {message}", self.pass),
            ));
        }
        Ok(())
    }
}
