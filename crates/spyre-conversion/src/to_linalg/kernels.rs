//! `--spyre-outline-kernels`: puts every structured operation on buffers into a function, and equal ones into the same.
//!
//! LLVM's analyses of loops take time in the square of a function's loops and more: a transformer of 15 layers in one function
//! took 20 s in the simplification of induction variables alone. The layers of a network are the same operations with other
//! weights, so there are far fewer functions than operations.
//!
//! In one function LLVM sees that each buffer comes from a separate allocation. A call hides that. So the outliner
//! finds the arguments that no other argument overlaps, and `--spyre-mark-kernels` marks them when functions are LLVM
//! functions.

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::attribute::{
    DenseI32ArrayAttribute, FlatSymbolRefAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use melior::ir::r#type::{FunctionType, MemRefType};
use melior::ir::{Attribute, Block, Location, Region, RegionLike, ShapedTypeLike, Type, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::walk;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Source, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{OpBuilder, arith, builtin, func, memref};

/// The arguments of a kernel that no other one overlaps: their numbers among the arguments of the function of LLVM. It has no
/// dialect's prefix, as the conversion to LLVM keeps such attributes.
const DISTINCT: &str = "distinct_arguments";

/// The fewest structured operations of a module that get functions. LLVM may see through the loops of one.
const FEWEST: usize = 2;

/// `--spyre-outline-kernels`
pub static OUTLINE_KERNELS: RustPass = RustPass {
    argument: "spyre-outline-kernels",
    summary: "Put structured operations on buffers into functions, equal ones into the same",
    description: r#"
The time that LLVM takes for a function grows faster than its loops, and the layers of a
network are equal operations on other buffers. So every structured operation on buffers
becomes a call of a private function, and operations that differ in their operands only
call the same one. A constant number that an operation reads is copied into the function.
A module of one structured operation stays as it is.

```mlir
// before
linalg.generic ... ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) { ... }
linalg.generic ... ins(%b : memref<4xf32>) outs(%c : memref<4xf32>) { ... }
// after
call @kernel_0(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
call @kernel_0(%b, %c) : (memref<4xf32>, memref<4xf32>) -> ()
```

`distinct_arguments` lists the arguments that are written, with a buffer that is an
allocation without views among the other operands, as numbers of the arguments of the
function in LLVM. Operations that may abort, such as an integer division, get separate
functions, so that an error has the right location.
"#,
    anchor: builtin::MODULE,
    options: &[],
    statistics: &[
        PassStatistic {
            name: "calls",
            description: "Structured operations that became calls",
        },
        PassStatistic {
            name: "kernels",
            description: "Functions that they call",
        },
    ],
    dialects: || {
        vec![
            DialectHandle::arith(),
            DialectHandle::func(),
            DialectHandle::llvm(),
        ]
    },
    run: outline,
};

/// `--spyre-mark-kernels`
pub static MARK_KERNELS: RustPass = RustPass {
    argument: "spyre-mark-kernels",
    summary: "Lower the attributes of --spyre-outline-kernels to attributes of LLVM",
    description: r#"
A function of the llvm dialect with `distinct_arguments` is not inlined, and these
arguments become `llvm.noalias`. The conversion from functions on memrefs keeps neither.

```mlir
// before
llvm.func internal @kernel_0(%a: !llvm.ptr, %b: !llvm.ptr) attributes {distinct_arguments = array<i32: 1>} { ... }
// after
llvm.func internal @kernel_0(%a: !llvm.ptr, %b: !llvm.ptr {llvm.noalias}) attributes {no_inline} { ... }
```
"#,
    anchor: builtin::MODULE,
    options: &[],
    statistics: &[],
    dialects: || vec![DialectHandle::llvm()],
    run: mark,
};

fn outline<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let module = ir::body(run.operation()).expect("a module has a body");
    let functions: Vec<Op<'p>> = ir::operations(module).collect();
    let bodies = functions.iter().copied().filter_map(ir::function_body);
    let ops: Vec<Op<'p>> = bodies
        .flat_map(|body| walk::find(body, |op| is_kernel(op).then_some(op)))
        .collect();
    if ops.len() < FEWEST {
        run.preserve_analyses();
        return Ok(());
    }
    let mut kernels = Kernels {
        context: run.context(),
        module,
        taken: functions.iter().copied().filter_map(walk::symbol).collect(),
        names: FxHashMap::default(),
        next: 0,
    };
    for op in ops {
        kernels.outline(op);
        run.count("calls", 1);
    }
    run.count("kernels", kernels.names.len());
    Ok(())
}

/// Returns whether an operation is a structured one on buffers alone.
fn is_kernel(op: Op<'_>) -> bool {
    let has_tensor = || {
        op.operands()
            .any(|value| ir::is_ranked_tensor(value.r#type()))
    };
    ir::name(op).starts_with("linalg.")
        && op.result_count() == 0
        && ir::body(op).is_some()
        && !has_tensor()
}

/// The functions of a module.
struct Kernels<'p> {
    context: &'p Context,
    module: Blk<'p>,
    /// Names of other functions.
    taken: FxHashSet<String>,
    /// The name of each function, by its text without a name.
    names: FxHashMap<String, String>,
    next: usize,
}

/// The temporary name of a function that may equal an earlier one.
const UNNAMED: &str = "kernel";

impl<'p> Kernels<'p> {
    /// Replaces an operation by a call.
    fn outline(&mut self, op: Op<'p>) {
        let (constants, arguments) = operands(op);
        let types: Vec<Type<'p>> = arguments.iter().map(|value| value.r#type()).collect();
        let function = self.function(op, &constants, &arguments, &types);
        // Without local scope, the printer numbers all values of the module first.
        let flags = OperationPrintingFlags::new().use_local_scope();
        let text = function.to_string_with_flags(flags);
        let mut text = text.expect("text is UTF-8");
        if may_end(op) {
            text.push_str(&op.location().to_string());
        }
        let name = match self.names.get(&text) {
            Some(name) => {
                let name = name.clone();
                ir::erase(function);
                name
            }
            None => {
                let name = self.name();
                let value = StringAttribute::new(self.context, &name).into();
                ir::set_attribute(function, "sym_name", value);
                self.names.insert(text, name.clone());
                name
            }
        };
        let called = FlatSymbolRefAttribute::new(self.context, &name);
        let call = func::call(&arguments, called.into());
        OpBuilder::before(self.context, op).insert(call, &[]);
        ir::erase(op);
    }

    /// Returns a name that no symbol has.
    fn name(&mut self) -> String {
        loop {
            let name = format!("{UNNAMED}_{}", self.next);
            self.next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// Builds a function with a copy of an operation, at the end of the module.
    fn function(
        &self,
        op: Op<'p>,
        constants: &[Op<'p>],
        arguments: &[Val<'p>],
        types: &[Type<'p>],
    ) -> Op<'p> {
        let context = self.context;
        let location = op.location();
        let places: Vec<(Type<'p>, Location<'p>)> =
            types.iter().map(|ty| (*ty, location)).collect();
        let region = Region::new();
        region.append_block(Block::new(&places));
        let linkage = Attribute::parse(context, "#llvm.linkage<internal>");
        let distinct = DenseI32ArrayAttribute::new(context, &distinct(op, arguments));
        let name = StringAttribute::new(context, UNNAMED);
        let ty = TypeAttribute::new(FunctionType::new(context, types, &[]).into());
        let function = func::func(name.into(), ty.into())
            .with("sym_visibility", StringAttribute::new(context, "private"))
            .with("llvm.linkage", linkage.expect("the dialect is loaded"))
            .region(region);
        let function = OpBuilder::at_end(context, self.module, location).insert(function, &[]);
        ir::set_discardable_attribute(function, DISTINCT, distinct.into());
        let body = ir::function_body(function).expect("the function has a body");
        let mut copies = FxHashMap::default();
        for constant in constants {
            let copy = ir::build_clone(At::End(body), *constant);
            let results = ir::results(*constant).zip(ir::results(copy));
            copies.extend(results.map(|(from, to)| (ir::value_key(from), to)));
        }
        for (value, argument) in arguments.iter().zip(ir::arguments(body)) {
            copies.insert(ir::value_key(*value), argument);
        }
        let copy = ir::build_clone(At::End(body), op);
        remap(copy, &copies);
        OpBuilder::at_end(context, body, location).insert(func::return_(&[]), &[]);
        function
    }
}

/// Replaces the operands of an operation, and in its regions, by copies.
fn remap<'p>(op: Op<'p>, copies: &FxHashMap<ir::ValueKey, Val<'p>>) {
    let operands: Vec<Val<'p>> = op.operands().collect();
    for (number, value) in operands.into_iter().enumerate() {
        if let Some(copy) = copies.get(&ir::value_key(value)) {
            ir::set_operand(op, number, *copy);
        }
    }
    for nested in ir::blocks(op).flat_map(ir::operations) {
        remap(nested, copies);
    }
}

/// Returns the values from outside that an operation and its regions read: constant numbers, and other values, each
/// once.
fn operands<'p>(op: Op<'p>) -> (Vec<Op<'p>>, Vec<Val<'p>>) {
    let mut inside = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut constants = Vec::new();
    let mut arguments = Vec::new();
    let mut read = |value: Val<'p>| {
        if !seen.insert(ir::value_key(value)) {
            return;
        }
        match ir::defining_op(value).filter(|maker| ir::name(*maker) == arith::CONSTANT) {
            Some(constant) => constants.push(constant),
            None => arguments.push(value),
        }
    };
    op.operands().for_each(&mut read);
    for block in ir::blocks(op) {
        inside.extend(ir::arguments(block).map(ir::value_key));
        visit(block, &mut inside, &mut read);
    }
    (constants, arguments)
}

/// Calls `read` with the operands in a block that are not made inside.
fn visit<'p>(block: Blk<'p>, inside: &mut FxHashSet<ir::ValueKey>, read: &mut impl FnMut(Val<'p>)) {
    for op in ir::operations(block) {
        for value in op.operands() {
            if !inside.contains(&ir::value_key(value)) {
                read(value);
            }
        }
        inside.extend(ir::results(op).map(ir::value_key));
        for nested in ir::blocks(op) {
            inside.extend(ir::arguments(nested).map(ir::value_key));
            visit(nested, inside, read);
        }
    }
}

/// Returns whether an operation contains one that may end a run at its place.
fn may_end(op: Op<'_>) -> bool {
    let ends = |inner: Op<'_>| {
        let name = ir::name(inner);
        let divides = name.starts_with("arith.")
            && (name.contains("div") || name.contains("rem"))
            && !name.ends_with('f');
        (divides || name.starts_with("cf.") || name.ends_with(".call")).then_some(())
    };
    ir::blocks(op).any(|block| !walk::find(block, ends).is_empty())
}

/// The memory that a buffer is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// An allocation, by its result. No other allocation, and no earlier memory, overlaps it.
    Allocation(ir::ValueKey),
    /// Memory from before the call of the function, such as its arguments and constants.
    Earlier,
    /// Any memory.
    Unknown,
}

/// Returns the memory that a buffer is in, through all views.
fn memory(mut value: Val<'_>) -> Memory {
    loop {
        let maker = match ir::source(value) {
            Source::Argument(block, _) => {
                let is_function = block
                    .parent_operation()
                    .is_some_and(|parent| ir::name(parent) == func::FUNC);
                return if is_function {
                    Memory::Earlier
                } else {
                    Memory::Unknown
                };
            }
            Source::Result(maker, _) => maker,
        };
        match ir::name(maker) {
            memref::ALLOC | memref::ALLOCA => return Memory::Allocation(ir::value_key(value)),
            memref::GET_GLOBAL => return Memory::Earlier,
            memref::CAST
            | memref::COLLAPSE_SHAPE
            | memref::EXPAND_SHAPE
            | memref::SUBVIEW
            | memref::REINTERPRET_CAST => {
                value = ir::operand(maker, 0).expect("a view has a source");
            }
            _ => return Memory::Unknown,
        }
    }
}

/// Returns the arguments that an operation writes and that no other argument overlaps, as numbers of the arguments that they become:
/// a buffer becomes its two pointers, of which the second one is used, an offset, and a size and a stride for each dimension.
///
/// Disjointness of two buffers that are only read is of no use to LLVM, and would make functions differ.
fn distinct(op: Op<'_>, arguments: &[Val<'_>]) -> Vec<i32> {
    let written = written(op);
    let memories: Vec<Option<Memory>> = arguments
        .iter()
        .map(|value| ir::is_buffer(value.r#type()).then(|| memory(*value)))
        .collect();
    let mut position = 0;
    let mut positions = Vec::new();
    for (number, value) in arguments.iter().enumerate() {
        let others = memories
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != number);
        let mut others = others.filter_map(|(_, memory)| *memory);
        if written.contains(&ir::value_key(*value))
            && let Some(allocation @ Memory::Allocation(_)) = memories[number]
            && others.all(|other| other != allocation && other != Memory::Unknown)
        {
            positions.push(position + 1);
        }
        position += match MemRefType::try_from(value.r#type()) {
            Ok(ty) => 3 + 2 * i32::try_from(ty.rank()).expect("ranks are small"),
            Err(_) => 1,
        };
    }
    positions
}

/// Returns the operands that a structured operation writes: the last of its groups.
fn written(op: Op<'_>) -> FxHashSet<ir::ValueKey> {
    let segments = ir::attribute(op, "operandSegmentSizes");
    let segments = segments.and_then(|sizes| DenseI32ArrayAttribute::try_from(sizes).ok());
    let count = segments.and_then(|sizes| sizes.element(sizes.len().checked_sub(1)?).ok());
    let count = count.and_then(|count| usize::try_from(count).ok());
    let first = op.operand_count() - count.unwrap_or(0);
    op.operands().skip(first).map(ir::value_key).collect()
}

fn mark<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let context = run.context();
    let module = ir::body(run.operation()).expect("a module has a body");
    for function in ir::operations(module) {
        let Some(distinct) = ir::attribute(function, DISTINCT) else {
            continue;
        };
        let numbers = DenseI32ArrayAttribute::try_from(distinct);
        let numbers = numbers.expect("the pass that outlines kernels has written it");
        let distinct: Vec<i32> = (0..numbers.len())
            .map(|at| numbers.element(at).expect("the number is below the count"))
            .collect();
        ir::remove_attribute(function, DISTINCT);
        let body = ir::blocks(function).next().expect("a kernel has a body");
        let arguments = 0..i32::try_from(body.argument_count()).expect("arguments are few");
        let attributes: Vec<&str> = arguments
            .map(|number| {
                if distinct.contains(&number) {
                    "{llvm.noalias}"
                } else {
                    "{}"
                }
            })
            .collect();
        let attributes = Attribute::parse(context, &format!("[{}]", attributes.join(", ")));
        let attributes = attributes.expect("a list of dictionaries");
        ir::set_attribute(function, "arg_attrs", attributes);
        ir::set_attribute(function, "no_inline", Attribute::unit(context));
    }
    Ok(())
}
