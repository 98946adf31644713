//! Copies of a function on which tiles are tried.

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use spyre_analysis::target::stated_target;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::names::TARGET;
use spyre_mlir_rt::diagnostic::line_and_column;
use spyre_mlir_rt::ir::{self, At, Blk, Op};
use spyre_mlir_rt::pass::RustPass;
use spyre_mlir_rt::remark::Remarks;

use super::candidates::Tiles;
use super::dims::ArgumentDims;
use super::op_tiles::OpTiles;
use crate::coarse_tile::COARSE_TILE;
use crate::constants::CONSTANTS_TO_ARGUMENTS;
use crate::scratchpad::INSERT_TENSOR_COPIES;

/// The passes that turn tiles into loops, and the passes that loops need.
pub(super) static TILE: [&RustPass; 3] =
    [&COARSE_TILE, &CONSTANTS_TO_ARGUMENTS, &INSERT_TENSOR_COPIES];

/// A copy of a function with loops in place of its tiles.
pub(super) struct Tiled<'p> {
    /// The tiles of its operations.
    pub(super) of_ops: Vec<OpTiles>,
    module: Module<'p>,
}

impl<'p> Tiled<'p> {
    /// Builds a copy of a function with tiles. `None` for impossible tiles, or for no tiles.
    fn new(
        context: &'p Context,
        function: Op<'p>,
        tiles: &Tiles,
        dims: &ArgumentDims<'p>,
    ) -> Option<Self> {
        let module = copied(function);
        let copy = only(&module);
        let body = ir::function_body(copy).expect("the function has a body");
        number_all(context, body);
        // A function that cannot be tiled so has no such plan.
        let written = tiles.write(context, copy, body, dims, &Remarks::none());
        if !written.ok()? {
            return None;
        }
        let of_ops = OpTiles::of_function(body);
        carry_out(copy, &TILE)?;
        Some(Self { of_ops, module })
    }

    /// Returns the copy.
    pub(super) fn function(&self) -> Op<'_> {
        only(&self.module)
    }
}

/// Runs passes on the copy of a function. Returns `None` if they refuse it.
///
/// # Panics
/// One of them panics. Another plan would only hide the bug.
pub(super) fn carry_out(copy: Op<'_>, passes: &[&'static RustPass]) -> Option<()> {
    passes.iter().try_for_each(|pass| pass.try_on(copy).ok())
}

/// Sets the location of each device operation to its number in the function; operations that are built from it keep the
/// location. Other operations get the number of the next device operation, or of the last one.
fn number_all<'p>(context: &'p Context, body: Blk<'p>) {
    let is_device = |op: &Op<'p>| DeviceOp::cast(*op).is_some();
    let last = ir::operations(body).filter(is_device).count();
    let mut number = 1;
    for op in ir::operations(body) {
        ir::set_location(op, numbered(context, number.min(last)));
        number += usize::from(is_device(&op));
    }
}

/// Returns the number, from zero, of the operation that an operation of a copy was built from; `None` if there is none.
pub(super) fn number_of<'p>(context: &'p Context, op: Op<'p>) -> Option<usize> {
    let (number, _) = line_and_column(op.location())?;
    (op.location() == numbered(context, number)).then(|| number - 1)
}

/// Returns the location for a number, from one.
fn numbered(context: &Context, number: usize) -> Location<'_> {
    Location::new(context, "operation", number, 1)
}

/// Copies of a function with tiles, each built once.
#[derive(Default)]
pub(super) struct AllTiled<'p> {
    entries: Vec<(Tiles, Option<Tiled<'p>>)>,
}

impl<'p> AllTiled<'p> {
    /// Returns a copy of a function with tiles; `None` for impossible tiles, or for no tiles.
    pub(super) fn with(
        &mut self,
        context: &'p Context,
        function: Op<'p>,
        tiles: &Tiles,
        dims: &ArgumentDims<'p>,
    ) -> Option<&Tiled<'p>> {
        let position = self
            .entries
            .iter()
            .position(|(candidate, _)| candidate == tiles);
        let number = position.unwrap_or_else(|| {
            let tiled = Tiled::new(context, function, tiles, dims);
            self.entries.push((tiles.clone(), tiled));
            self.entries.len() - 1
        });
        self.entries[number].1.as_ref()
    }

    /// Returns all copies, in the order in which they were built.
    pub(super) fn all(&self) -> impl Iterator<Item = &Tiled<'p>> {
        self.entries.iter().filter_map(|(_, tiled)| tiled.as_ref())
    }
}

/// Returns a copy of a function in a separate module, for the same target.
pub(super) fn copied<'p>(function: Op<'p>) -> Module<'p> {
    let module = module_like_that_of(function);
    ir::build_clone(At::End(module.body()), function);
    module
}

/// Returns an empty module for the target of a function.
pub(super) fn module_like_that_of<'p>(function: Op<'p>) -> Module<'p> {
    let module = Module::new(function.location());
    if let Some(target) = stated_target(function) {
        ir::set_discardable_attribute(module.as_operation(), TARGET, target);
    }
    module
}

/// Returns the only function of a module.
pub(super) fn only<'a>(module: &'a Module<'_>) -> Op<'a> {
    let body = ir::body(module.as_operation()).expect("a module has a block");
    ir::operations(body).next().expect("the copy is in it")
}
