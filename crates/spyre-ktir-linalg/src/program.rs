//! The kernels of a program, which are launched one after the other on the same arguments, and what the arguments are.
//!
//! A kernel is a function that accesses memory by operations of `ktdp`. Kernels `f_0`, `f_1`, ... are the launches of
//! `f`. An argument that views begin at is an address, and becomes a buffer; its size is `ktdp.bytes` of the argument or
//! `pool_bytes` of the function, and otherwise what its views reach.

use melior::ir::block::BlockLike as _;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, TypeLike as _, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKey, Source, Val};
use spyre_ods::{arith, func, ktdp};

use crate::range::Ranges;
use crate::views::{element, reach};
use crate::{BaseUnit, error};

/// The attribute of an argument with the bytes that it is the address of.
pub const ARGUMENT_BYTES: &str = "ktdp.bytes";
/// The attribute of an argument of a converted function with the number of the argument of the kernel.
pub const ARGUMENT: &str = "ktdp.argument";
/// The attribute of an argument of a converted function with the extents of its first view.
pub const VIEW: &str = "ktdp.view";
/// The attribute of an argument of a converted function that the kernel stores: the results, in order.
pub const STORED: &str = "ktdp.stored";
/// The attribute of an argument of a converted function that is a pool.
pub const POOL: &str = "ktdp.pool";

/// The attribute of a kernel with the bytes of each pool, and that with the types of the pools.
const POOL_BYTES: &str = "pool_bytes";
const POOL_TYPES: &str = "pool_types";

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
    /// The name: that of the kernel, or that of its launches without their numbers.
    pub name: String,
    /// The launches.
    pub kernels: Vec<Kernel<'p>>,
    /// The arguments that are addresses, in order.
    pub buffers: Vec<Buffer<'p>>,
    /// The argument that each view begins at, by the operation that constructs the view.
    pub bases: FxHashMap<OpKey, usize>,
}

/// Returns the name of the program of the kernels of a module; `None` if it has none, or several.
#[must_use]
pub fn kernel_name(module: Op<'_>) -> Option<String> {
    let mut programs = groups(module);
    let first = programs.pop();
    first.filter(|_| programs.is_empty()).map(|(name, _)| name)
}

/// Returns the names of the programs of the kernels of a module.
#[must_use]
pub fn program_kernels(module: Op<'_>) -> Vec<String> {
    let programs = groups(module).into_iter();
    programs.map(|(name, _)| name).collect()
}

/// Returns the kernels of a module in programs, each with its name.
pub(crate) fn groups(module: Op<'_>) -> Vec<(String, Vec<Op<'_>>)> {
    let functions = ir::body(module).into_iter().flat_map(ir::operations);
    let kernels = functions.filter(|op| {
        ir::name(*op) == func::FUNC && ir::function_body(*op).is_some_and(has_accesses)
    });
    let mut programs: Vec<(String, Vec<Op<'_>>)> = Vec::new();
    for op in kernels {
        let name = ir::attribute(op, "sym_name").and_then(attr::string);
        let name = name.expect("a function has a name");
        // The launches of a program are numbered from 0, in order.
        let launch = name.rsplit_once('_');
        let launch = launch.and_then(|(stem, number)| Some((stem, number.parse::<usize>().ok()?)));
        if let Some((stem, number)) = launch {
            let before = programs.last_mut().filter(|(other, ops)| {
                (other == stem && ops.len() == number)
                    || (number == 1 && ops.len() == 1 && *other == format!("{stem}_0"))
            });
            if let Some((program, ops)) = before {
                stem.clone_into(program);
                ops.push(op);
                continue;
            }
        }
        programs.push((name, vec![op]));
    }
    programs
}

/// Returns whether operations of `ktdp` are inside of a block.
pub(crate) fn has_accesses(block: Blk<'_>) -> bool {
    ir::operations(block).any(|op| {
        let is_access = ktdp::OPERATIONS.iter().any(|it| it.name == ir::name(op));
        is_access || ir::blocks(op).any(has_accesses)
    })
}

impl<'p> Program<'p> {
    /// Reads the kernels of a program. `extents` are the values of arguments that are no addresses, by number.
    ///
    /// # Errors
    /// An argument without a size or a value.
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
            let value = |number| match is_base(number) {
                true => Some(0),
                false => extents.iter().find(|(at, _)| *at == number).map(|it| it.1),
            };
            let ranges = Ranges {
                grid: grid(op)?,
                arguments: (0..arguments).map(value).collect(),
            };
            let body = ir::function_body(op).expect("a kernel has a body");
            let numbers = ir::arguments(body).enumerate();
            let open = numbers.filter(|(number, _)| value(*number).is_none());
            let mut used = open.filter(|(_, argument)| !ir::uses(*argument).is_empty());
            if let Some((number, _)) = used.next() {
                return Err(error(
                    op,
                    format!("argument {number} is no address, and has no value"),
                )
                .note(
                    op.location(),
                    format!("the option extents={number}=N gives it one, in elements"),
                ));
            }
            program.kernels.push(Kernel {
                op,
                ranges,
                stored: Vec::new(),
            });
        }
        for number in (0..arguments).filter(|number| is_base(*number)) {
            let buffer = program.buffer(number, arguments, &views, unit)?;
            program.buffers.push(buffer);
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

    fn buffer(
        &self,
        number: usize,
        arguments: usize,
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
        let pools =
            ir::attribute(kernel, POOL_TYPES).map_or(0, |types| attr::elements(types).len());
        let is_pool = number + pools >= arguments;
        let stated = match ir::argument_attribute(kernel, number, ARGUMENT_BYTES) {
            Some(bytes) => attr::integer(bytes),
            None if is_pool => ir::attribute(kernel, POOL_BYTES).and_then(attr::integer),
            None => None,
        };
        if let Some(stated) = stated.filter(|stated| *stated < 0) {
            let message = format!(
                "argument {number} states {stated} bytes; {ARGUMENT_BYTES} or {POOL_BYTES} is a size"
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
                    let note =
                        format!("the attribute {ARGUMENT_BYTES} of the argument states its bytes");
                    return Err(error(view.op(), message).note(kernel.location(), note));
                };
                elements = elements.max(reach_of_view.end);
            }
        }
        let elements = u64::try_from(elements).expect("ends of views are not negative");
        if shape.iter().product::<u64>() != elements || shape.is_empty() {
            shape = vec![elements];
        }
        Ok(Buffer {
            number,
            element: of_first,
            elements,
            shape,
            is_stored: false,
            is_pool,
        })
    }
}

/// Returns the number of cores along each dimension; one core without a grid.
fn grid(op: Op<'_>) -> Result<Vec<i64>, Diagnostic<'_>> {
    let Some(attribute) = ir::attribute(op, "grid") else {
        return Ok(vec![1]);
    };
    let elements = attr::elements(attribute);
    let numbers = match elements.is_empty() {
        true => attr::dense_signed_integers(Some(attribute)),
        false => elements.into_iter().map(attr::integer).collect(),
    };
    let numbers = numbers.filter(|numbers| {
        let product = numbers
            .iter()
            .try_fold(1_i64, |product, it| product.checked_mul(*it));
        !numbers.is_empty()
            && numbers.iter().all(|it| *it > 0)
            && product.is_some_and(|cores| cores <= i64::from(u32::MAX))
    });
    numbers.ok_or_else(|| {
        error(
            op,
            format!("the grid {attribute} is no number of cores; `grid = [n]` is one"),
        )
    })
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
