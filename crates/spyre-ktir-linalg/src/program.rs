//! The kernels of a program, which are launched one after the other on the same arguments, and what the arguments are.
//!
//! An argument that views begin at is an address, and becomes a buffer; its size is `ktdp.bytes` of the argument or
//! `pool_bytes` of the function, and otherwise what its views reach. Any other argument that is used has a value, which
//! its bounds admit.

use melior::ir::block::BlockLike as _;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, TypeLike as _, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_ktir_kernel::{BYTES, POOL_BYTES, grid, pools};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKey, Source, Val};
use spyre_ods::{arith, ktdp};

use crate::range::Ranges;
use crate::views::{coordinates, element, reach};
use crate::{BaseUnit, arguments, error};

/// The attribute of an argument of a converted function with the number of the argument of the kernel.
pub const ARGUMENT: &str = "ktdp.argument";
/// The attribute of an argument of a converted function with the extents of its first view.
pub const VIEW: &str = "ktdp.view";
/// The attribute of an argument of a converted function that the kernel stores: the results, in order.
pub const STORED: &str = "ktdp.stored";
/// The attribute of an argument of a converted function that is a pool.
pub const POOL: &str = "ktdp.pool";

/// The attribute of an argument of a converted function with elements that are indices of views: the smallest extent
/// that they index.
pub const INDICES: &str = "ktdp.indices";

/// An argument that is an address.
#[derive(Debug, Clone)]
pub(crate) struct Buffer<'p> {
    /// The number of the argument of the kernels.
    pub number: usize,
    /// The type of its elements.
    pub element: Type<'p>,
    /// The number of its elements.
    pub elements: u64,
    /// The extents of the first view that begins at it.
    pub shape: Vec<u64>,
    /// Whether a kernel stores to it.
    pub is_stored: bool,
    /// Whether it is a pool of intermediate values.
    pub is_pool: bool,
    /// The smallest extent that its elements index, if they are indices of views.
    pub indices: Option<u64>,
}

/// A kernel with the values of its arguments and its cores.
#[derive(Debug, Clone)]
pub(crate) struct Kernel<'p> {
    /// The function.
    pub op: Op<'p>,
    /// The values of arguments, and the cores.
    pub ranges: Ranges,
    /// The buffers that it stores to.
    pub stored: Vec<usize>,
}

/// The kernels of a program.
#[derive(Debug, Clone)]
pub(crate) struct Program<'p> {
    /// The name.
    pub name: String,
    /// The launches.
    pub kernels: Vec<Kernel<'p>>,
    /// The arguments that are addresses, in order.
    pub buffers: Vec<Buffer<'p>>,
    /// The argument that each view begins at, by the operation that constructs the view.
    pub bases: FxHashMap<OpKey, usize>,
}

impl<'p> Program<'p> {
    /// Reads the kernels of a program. `extents` are the values of arguments that are no addresses, by number.
    ///
    /// # Errors
    /// An argument without a size or a value, and a value that a kernel does not admit.
    pub(crate) fn read(
        name: String,
        ops: &[Op<'p>],
        unit: BaseUnit,
        extents: &[(usize, i64)],
    ) -> Result<Self, Diagnostic<'p>> {
        let mut program = Self {
            name,
            kernels: Vec::new(),
            buffers: Vec::new(),
            bases: FxHashMap::default(),
        };
        let count = |op: &Op<'p>| ir::function_body(*op).map_or(0, |body| body.argument_count());
        let arguments = count(&ops[0]);
        if let Some(other) = ops.iter().find(|op| count(op) != arguments) {
            return Err(error(
                *other,
                format!(
                    "launches have the same arguments: {arguments}, got {}",
                    count(other)
                ),
            ));
        }
        let mut views = Vec::new();
        for &op in ops {
            let body = ir::function_body(op).expect("a kernel has a body");
            collect(op, body, body, &mut views)?;
        }
        let bases = views
            .iter()
            .map(|(_, view, base)| (ir::op_key(view.op()), *base));
        program.bases = bases.collect();
        let is_base = |number: usize| views.iter().any(|(_, _, base)| *base == number);
        for &op in ops {
            let grid = grid(op).map_err(|err| error(op, err))?;
            let ranges = Ranges {
                // One core runs a kernel without a grid.
                grid: grid.map_or_else(|| vec![1], |grid| grid.dims),
                arguments: arguments::values(op, is_base, extents)?,
            };
            program.kernels.push(Kernel {
                op,
                ranges,
                stored: Vec::new(),
            });
        }
        for number in (0..arguments).filter(|number| is_base(*number)) {
            let buffer = program.buffer(number, &views, unit)?;
            program.buffers.push(buffer);
        }
        for at in 0..program.kernels.len() {
            let (op, ranges) = (program.kernels[at].op, program.kernels[at].ranges.clone());
            let body = ir::function_body(op).expect("a kernel has a body");
            program.bound_indices(body, &ranges);
        }
        for (at, op) in ops.iter().enumerate() {
            let body = ir::function_body(*op).expect("a kernel has a body");
            let stored = program.stored(body);
            for buffer in &stored {
                program.buffers[*buffer].is_stored = true;
            }
            program.kernels[at].stored = stored;
        }
        Ok(program)
    }

    /// Returns the buffers that a kernel stores to: the results.
    pub(crate) fn results(&self) -> Vec<usize> {
        let buffers = 0..self.buffers.len();
        buffers
            .filter(|buffer| self.buffers[*buffer].is_stored)
            .collect()
    }

    /// Returns the buffers that stores in a block write to.
    pub(crate) fn stored(&self, block: Blk<'p>) -> Vec<usize> {
        let mut arguments = Vec::new();
        self.collect_stores(block, &mut arguments);
        let buffers = 0..self.buffers.len();
        let stored = buffers.filter(|buffer| arguments.contains(&self.buffers[*buffer].number));
        stored.collect()
    }

    fn collect_stores(&self, block: Blk<'p>, arguments: &mut Vec<usize>) {
        for op in ir::operations(block) {
            if let Some(store) = ktdp::Store::cast(op) {
                let tile = ir::defining_op(store.access_tile());
                let view = tile.and_then(|tile| ir::defining_op(ir::operand(tile, 0)?));
                arguments.extend(view.and_then(|view| self.bases.get(&ir::op_key(view))));
            }
            for block in ir::blocks(op) {
                self.collect_stores(block, arguments);
            }
        }
    }

    /// Bounds the elements of buffers that are indices of views, by the extents that they index.
    fn bound_indices(&mut self, block: Blk<'p>, ranges: &Ranges) {
        for op in ir::operations(block) {
            if let Some(tile) = ktdp::ConstructIndirectAccessTile::cast(op) {
                for (indices, extent) in indexed(tile, ranges) {
                    let argument = self.bases.get(&ir::op_key(indices)).copied();
                    let mut buffers = self.buffers.iter_mut();
                    if let Some(buffer) = buffers.find(|it| Some(it.number) == argument) {
                        let least = buffer.indices.map_or(extent, |least| least.min(extent));
                        buffer.indices = Some(least);
                    }
                }
            }
            for block in ir::blocks(op) {
                self.bound_indices(block, ranges);
            }
        }
    }

    fn buffer(
        &self,
        number: usize,
        views: &[(Op<'p>, ktdp::ConstructMemoryView<'p>, usize)],
        unit: BaseUnit,
    ) -> Result<Buffer<'p>, Diagnostic<'p>> {
        let mut views = views
            .iter()
            .filter(|(_, _, base)| *base == number)
            .peekable();
        let &(kernel, first, _) = *views.peek().expect("views begin at the argument");
        let of_first = element(first);
        let bytes = i64::from(ir::bits(of_first).unwrap_or(0) / 8);
        if bytes == 0 {
            let message = format!("elements of {of_first} have no address in bytes");
            return Err(error(first.op(), message));
        }
        let pools = pools(kernel).map_err(|err| error(kernel, err))?;
        let is_pool = pools.contains(&number);
        let stated = match ir::argument_attribute(kernel, number, BYTES) {
            Some(bytes) => attr::integer(bytes),
            None if is_pool => ir::attribute(kernel, POOL_BYTES).and_then(attr::integer),
            None => None,
        };
        if let Some(stated) = stated.filter(|stated| *stated < 0) {
            let message = format!(
                "argument {number} states {stated} bytes; {BYTES} or {POOL_BYTES} is a size"
            );
            return Err(error(first.op(), message));
        }
        let mut elements = stated.map_or(0, |stated| stated / bytes);
        let mut shape = Vec::new();
        for (kernel, view, _) in views {
            let of_view = element(*view);
            if of_view != of_first {
                let message = format!("argument {number} has views of {of_first} and of {of_view}");
                return Err(error(view.op(), message).note(first.op().location(), "another view"));
            }
            let ranges = self.kernels.iter().find(|it| it.op == *kernel);
            let ranges = &ranges.expect("the kernel of a view is read before").ranges;
            let reach_of_view = reach(*view, ranges, unit);
            if let Some(reach_of_view) = &reach_of_view
                && reach_of_view.begins_at_base
                && shape.is_empty()
            {
                shape.clone_from(&reach_of_view.shape);
            }
            if stated.is_none() {
                let Some(reach_of_view) = reach_of_view else {
                    let message =
                        format!("argument {number} is of unknown size: its views have no bounds");
                    let note = format!("the attribute {BYTES} of the argument states its bytes");
                    return Err(error(view.op(), message).note(kernel.location(), note));
                };
                elements = elements.max(reach_of_view.end);
            }
        }
        let elements = u64::try_from(elements).expect("ends of views are not negative");
        let mut extents = shape.iter();
        let product = extents.try_fold(1_u64, |product, extent| product.checked_mul(*extent));
        if product != Some(elements) || shape.is_empty() {
            shape = vec![elements];
        }
        Ok(Buffer {
            number,
            element: of_first,
            elements,
            shape,
            is_stored: false,
            is_pool,
            indices: None,
        })
    }
}

/// Returns the views of indices of a tile, by the operations that construct them, each with the extent that the indices
/// are for. Extents that are not known are left out.
fn indexed<'p>(tile: ktdp::ConstructIndirectAccessTile<'p>, ranges: &Ranges) -> Vec<(Op<'p>, u64)> {
    let table = ir::defining_op(tile.base()).and_then(ktdp::ConstructMemoryView::cast);
    let Some(table) = table else {
        return Vec::new(); // an argument, which is refused where the tile is read
    };
    let kinds = attr::elements(tile.per_dim_subscript_kinds()).into_iter();
    let extents = kinds.zip(coordinates(table, ranges));
    let read = extents.filter(|(kind, _)| kind.to_string() == "true");
    let pairs = tile.indirect_memrefs().zip(read);
    let pairs = pairs.filter_map(|(view, (_, extent))| Some((ir::defining_op(view)?, extent?)));
    pairs.collect()
}

/// Collects the views in a block, each with its kernel and the argument that it begins at.
fn collect<'p>(
    kernel: Op<'p>,
    function: Blk<'p>,
    block: Blk<'p>,
    views: &mut Vec<(Op<'p>, ktdp::ConstructMemoryView<'p>, usize)>,
) -> Result<(), Diagnostic<'p>> {
    for op in ir::operations(block) {
        if let Some(view) = ktdp::ConstructMemoryView::cast(op) {
            views.push((kernel, view, base(function, view)?));
        }
        for block in ir::blocks(op) {
            collect(kernel, function, block, views)?;
        }
    }
    Ok(())
}

/// Returns the argument that a view begins at.
fn base<'p>(
    function: Blk<'p>,
    view: ktdp::ConstructMemoryView<'p>,
) -> Result<usize, Diagnostic<'p>> {
    let mut bases = Vec::new();
    collect_arguments(function, view.base(), &mut bases);
    bases.sort_unstable();
    bases.dedup();
    match bases[..] {
        [number] => Ok(number),
        [] => Err(error(
            view.op(),
            "a view of a scratchpad, or at an address that is no argument, does not run on the CPU",
        )),
        _ => Err(error(
            view.op(),
            "a view at an address of several arguments does not run on the CPU",
        )),
    }
}

/// Collects the arguments that a base address is a sum of. An operand of a product is an index and no address.
fn collect_arguments<'p>(function: Blk<'p>, value: Val<'p>, bases: &mut Vec<usize>) {
    match ir::source(value) {
        Source::Argument(block, number) => {
            let is_index = value.r#type().is_index();
            if is_index && ir::block_key(block) == ir::block_key(function) {
                bases.push(number);
            }
        }
        Source::Result(op, _) if [arith::ADDI, arith::SELECT].contains(&ir::name(op)) => {
            for operand in op.operands() {
                collect_arguments(function, operand, bases);
            }
        }
        Source::Result(op, _) if ir::name(op) == arith::SUBI => {
            let first = ir::operand(op, 0).expect("a difference has operands");
            collect_arguments(function, first, bases);
        }
        Source::Result(..) => {}
    }
}
