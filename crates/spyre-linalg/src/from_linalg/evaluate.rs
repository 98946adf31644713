//! `--spyre-evaluate-constants`: evaluates operations that depend on no input at compile time.

use std::borrow::Cow;

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::attribute::{DenseElementsAttribute, StringAttribute, TypeAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Block, BlockRef, Module, Region, RegionLike, Type, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::walk;
use spyre_construct::build::shape_of;
use spyre_dialects::attr;
use spyre_dialects::names::{DIMS, DIVIDE, TILE};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::execution::{Element, Function, Optimization, TensorType};
use spyre_mlir_rt::ir::{self, At, Op, OpBuilder, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{Arithmetic, arith, builtin, func, linalg, tensor};

const NAME: &str = "spyre-evaluate-constants";

/// The name of the function that computes the constants.
const FUNCTION: &str = "constants";

/// The most elements of a constant that is computed.
const MOST_ELEMENTS: usize = 1 << 26;

/// `--spyre-evaluate-constants`
pub static EVALUATE_CONSTANTS: RustPass = RustPass {
    argument: NAME,
    summary: "Compute tensors that depend on no input while the program is compiled",
    description: r#"
Masks, positions and tables of rotations depend on no input of a program. What
computes them is compiled for this machine, run once, and replaced by an
`arith.constant` that holds the result.

```mlir
// before
%0 = tensor.empty() : tensor<4xi32>
%i = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    outs(%0 : tensor<4xi32>) {
^bb0(%out: i32):
  %1 = linalg.index 0 : index
  %2 = arith.index_cast %1 : index to i32
  linalg.yield %2 : i32
} -> tensor<4xi32>
// after
%i = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
```

Only operations of `linalg`, `tensor`, `arith` and `math` with constant operands are
evaluated, and only results that another operation reads. A tensor that is filled
with one number stays as it is, and so does one of more than 67,108,864 elements.
"#,
    anchor: builtin::MODULE,
    options: &[],
    statistics: &[PassStatistic {
        name: "evaluated",
        description: "Tensors that were computed",
    }],
    dialects: || {
        vec![
            DialectHandle::affine(),
            DialectHandle::arith(),
            DialectHandle::cf(),
            DialectHandle::func(),
            DialectHandle::linalg(),
            DialectHandle::llvm(),
            DialectHandle::memref(),
            DialectHandle::scf(),
            DialectHandle::tensor(),
        ]
    },
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let module = ir::body(run.operation());
    let mut changed = false;
    for function in module.into_iter().flat_map(ir::operations) {
        if let Some(body) = ir::function_body(function) {
            let constants = Constants::of(body);
            changed |= !constants.roots.is_empty();
            constants.evaluate(run)?;
        }
    }
    if !changed {
        run.preserve_analyses();
    }
    Ok(())
}

/// The operations of a function that depend on no input.
struct Constants<'p> {
    /// All constants, in order.
    ops: Vec<Op<'p>>,
    /// The operations with results that another operation reads.
    roots: Vec<Op<'p>>,
}

impl<'p> Constants<'p> {
    fn of(body: BlockRef<'p, 'p>) -> Self {
        let mut constants = FxHashSet::default();
        let mut ops = Vec::new();
        for op in ir::operations(body) {
            if is_constant(op, &constants) {
                constants.insert(ir::op_key(op));
                ops.push(op);
            }
        }
        // An operation that only moves elements is a view for the conversion; the elements that it moves are computed.
        let mut read = FxHashSet::default();
        let mut roots = Vec::new();
        for op in ops.iter().rev() {
            let mut uses = ir::results(*op).flat_map(ir::uses);
            let is_read = uses.any(|user| {
                let owner = walk::ancestor_in(user.owner, body).map(ir::op_key);
                owner.is_none_or(|owner| !constants.contains(&owner) || read.contains(&owner))
            });
            let moves = moves(*op);
            if is_read && moves {
                read.insert(ir::op_key(*op));
            } else if is_read && !is_plain(*op) && types(*op).is_some() {
                roots.push(*op);
            }
        }
        roots.reverse();
        Self { ops, roots }
    }

    /// Computes the roots and replaces them.
    fn evaluate(self, run: &'p PassRun<'p>) -> Result<(), Failed> {
        let Some(first) = self.roots.first() else {
            return Ok(());
        };
        let context = run.context();
        let failed =
            |reason: String| Diagnostic::error(first.location(), format!("{NAME}: {reason}"));
        let (module, inputs) = self.module(context);
        let function = Function::compile(
            context,
            module,
            FUNCTION,
            "builtin.module(spyre-lower-to-llvm)",
            Optimization::None,
        )
        .map_err(|err| failed(err.to_string()))?;
        let inputs: Vec<&[u8]> = inputs.iter().map(AsRef::as_ref).collect();
        let values = function.call(&inputs);
        let values = values.map_err(|err| failed(err.to_string()))?;
        let mut computed = values.into_iter();
        for root in self.roots {
            for number in 0..root.result_count() {
                let bytes = computed.next().expect("the function returns every root");
                let result: Val<'p> = root.result(number).expect("the number is in range").into();
                let value = dense(result.r#type(), &bytes);
                let build = OpBuilder::before(context, root);
                let constant = build.constant(value, result.r#type());
                ir::replace_all_uses(result, constant);
                run.count("evaluated", 1);
            }
        }
        for op in self.ops.into_iter().rev() {
            if ir::results(op).all(|result| ir::uses(result).is_empty()) {
                ir::erase(op);
            }
        }
        Ok(())
    }

    /// Builds a module with a function that returns the roots, and the bytes of its arguments.
    ///
    /// Constants with several elements are arguments. As globals of the module they would pass through LLVM and its
    /// object file, which takes far longer than the computation itself.
    fn module<'c>(&self, context: &'c Context) -> (Module<'c>, Vec<Cow<'p, [u8]>>)
    where
        'p: 'c,
    {
        let location = self.roots[0].location();
        let needed = self.needed();
        let mut inputs = Vec::new();
        let mut arguments: Vec<Val<'p>> = Vec::new();
        let mut computed = Vec::new();
        for op in needed {
            match (elements(op), ir::result(op, 0)) {
                (Some(bytes), Some(result)) => {
                    inputs.push(bytes);
                    arguments.push(result);
                }
                _ => computed.push(op),
            }
        }
        let values: Vec<Val<'p>> = self
            .roots
            .iter()
            .flat_map(|root| ir::results(*root))
            .collect();
        let types: Vec<Type<'c>> = values.iter().map(|value| value.r#type()).collect();
        let takes: Vec<Type<'c>> = arguments.iter().map(|value| value.r#type()).collect();
        let places: Vec<_> = takes.iter().map(|ty| (*ty, location)).collect();
        let region = Region::new();
        region.append_block(Block::new(&places));
        let module = Module::new(location);
        let ty = FunctionType::new(context, &takes, &types).into();
        let name = StringAttribute::new(context, FUNCTION).into();
        let function = func::func(name, TypeAttribute::new(ty).into()).region(region);
        let function = function.build(&[], location, context);
        let function = module.body().append_operation(function);
        let block = ir::function_body(function).expect("the function has a body");
        let mut copies = FxHashMap::default();
        for (number, value) in arguments.iter().enumerate() {
            let argument = block.argument(number);
            let argument = argument.expect("the block has an argument for each constant");
            copies.insert(ir::value_key(*value), argument.into());
        }
        for op in computed {
            let copy = ir::build_clone(At::End(block), op);
            // Hints and names are about tensors, and the copy is lowered to buffers.
            let nested = ir::blocks(copy).flat_map(|block| walk::find(block, Some));
            for op in std::iter::once(copy).chain(nested) {
                for name in [DIMS, TILE, DIVIDE] {
                    ir::remove_discardable_attribute(op, name);
                }
            }
            remap(copy, &copies);
            for (from, to) in ir::results(op).zip(ir::results(copy)) {
                copies.insert(ir::value_key(from), to);
            }
        }
        let returned = values.iter().map(|value| copies[&ir::value_key(*value)]);
        let returned: Vec<_> = returned.collect();
        block.append_operation(func::return_(&returned).build(&[], location, context));
        (module, inputs)
    }

    /// Returns the operations from which the roots are computed, in order, the roots with them. Most constants of a
    /// model are weights, with no operation to evaluate.
    fn needed(&self) -> Vec<Op<'p>> {
        let mut needed: FxHashSet<_> = self.roots.iter().map(|root| ir::op_key(*root)).collect();
        let mut ops = Vec::new();
        for op in self.ops.iter().rev() {
            if needed.contains(&ir::op_key(*op)) {
                mark_sources(*op, &mut needed);
                ops.push(*op);
            }
        }
        ops.reverse();
        ops
    }
}

/// Adds the operations that define the values that an operation and its regions read.
fn mark_sources(op: Op<'_>, needed: &mut FxHashSet<ir::OpKey>) {
    needed.extend(op.operands().filter_map(ir::defining_op).map(ir::op_key));
    for nested in ir::body(op).into_iter().flat_map(ir::operations) {
        mark_sources(nested, needed);
    }
}

/// Returns the bytes of a constant with several elements, as a call takes them; `None` for any other operation.
fn elements(op: Op<'_>) -> Option<Cow<'_, [u8]>> {
    if ir::name(op) != arith::CONSTANT {
        return None;
    }
    TensorType::of(ir::result(op, 0)?.r#type()).ok()?;
    attr::dense_bytes(op.attribute("value").ok()?)
}

/// Returns the types of an operation's results as tensors that a call can return; `None` if one is no such tensor.
fn types(op: Op<'_>) -> Option<Vec<TensorType>> {
    let types = ir::results(op).map(|result| {
        let ty = TensorType::of(result.r#type()).ok()?;
        (ty.element_count()? <= MOST_ELEMENTS).then_some(ty)
    });
    types.collect()
}

/// Returns whether an operation moves elements and computes none. Integers of 64 bits are no views for the conversion: they are
/// extents and positions, which are computed.
fn moves(op: Op<'_>) -> bool {
    let is_wide =
        |value: Val<'_>| TensorType::of(value.r#type()).is_ok_and(|ty| ty.element == Element::I64);
    if ir::results(op).any(is_wide) {
        return false;
    }
    match ir::name(op) {
        tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE | tensor::EXTRACT_SLICE => true,
        linalg::GENERIC => {
            let body = ir::body(op);
            let end = body.and_then(|body| body.terminator());
            let yielded = end.and_then(|end| ir::operand(end, 0));
            let first = body.and_then(|body| body.argument(0).ok());
            let source = ir::operand(op, 0);
            yielded == first.map(Val::from)
                && source.is_some_and(|source| ir::is_ranked_tensor(source.r#type()))
                && op.operand_count() == 2
        }
        _ => false,
    }
}

/// Returns whether all elements of the result are the same number, or undefined.
fn is_plain(op: Op<'_>) -> bool {
    match ir::name(op) {
        arith::CONSTANT | tensor::EMPTY => true,
        linalg::FILL => true,
        linalg::GENERIC => {
            let body = ir::body(op);
            let end = body.and_then(|body| body.terminator());
            let yielded = end.and_then(|end| ir::operand(end, 0));
            let first = body.and_then(|body| body.argument(0).ok());
            let scalar = op
                .operand(0)
                .ok()
                .filter(|value| !ir::is_ranked_tensor(value.r#type()));
            let is_number = |value: Val<'_>| {
                ir::defining_op(value).is_some_and(|op| ir::name(op) == arith::CONSTANT)
            };
            match (yielded, first) {
                (Some(yielded), _) if is_number(yielded) => true,
                (Some(yielded), Some(first)) => {
                    yielded == Val::from(first) && scalar.is_some_and(is_number)
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// Returns whether an operation depends on no input, if the operations in `constants` do not.
fn is_constant(op: Op<'_>, constants: &FxHashSet<ir::OpKey>) -> bool {
    let name = ir::name(op);
    let dialect = name.split_once('.').map_or("", |(dialect, _)| dialect);
    if !matches!(dialect, "linalg" | "tensor" | "arith" | "math") || op.result_count() == 0 {
        return false;
    }
    // A number that is extracted from a constant tensor is folded, and so are extents that depend on it.
    let is_known =
        name == arith::CONSTANT || ir::results(op).all(|result| shape_of(result).is_ok());
    if !is_known {
        return false;
    }
    let mut inside = FxHashSet::default();
    reads_constants(op, constants, &mut inside)
}

/// Returns whether an operation and its regions read only constants and values that they define.
fn reads_constants(
    op: Op<'_>,
    constants: &FxHashSet<ir::OpKey>,
    inside: &mut FxHashSet<ir::ValueKey>,
) -> bool {
    let is_read = |value: Val<'_>, inside: &FxHashSet<ir::ValueKey>| {
        inside.contains(&ir::value_key(value))
            || ir::defining_op(value).is_some_and(|op| constants.contains(&ir::op_key(op)))
    };
    if !op.operands().all(|value| is_read(value, inside)) {
        return false;
    }
    if let Some(body) = ir::body(op) {
        for number in 0..body.argument_count() {
            let argument = body.argument(number).expect("the number is in range");
            inside.insert(ir::value_key(argument.into()));
        }
        for nested in ir::operations(body) {
            if !reads_constants(nested, constants, inside) {
                return false;
            }
            inside.extend(ir::results(nested).map(ir::value_key));
        }
    }
    true
}

/// Replaces the operands of a copy, and in its regions, by copies.
fn remap<'p>(op: Op<'p>, copies: &FxHashMap<ir::ValueKey, Val<'p>>) {
    let operands: Vec<Val<'p>> = op.operands().collect();
    for (number, value) in operands.into_iter().enumerate() {
        if let Some(copy) = copies.get(&ir::value_key(value)) {
            ir::set_operand(op, number, *copy);
        }
    }
    for nested in ir::body(op).into_iter().flat_map(ir::operations) {
        remap(nested, copies);
    }
}

/// Returns the constant of a tensor's bytes.
fn dense<'p>(ty: Type<'p>, bytes: &[u8]) -> Attribute<'p> {
    let is_truth = TensorType::of(ty).is_ok_and(|ty| ty.element == Element::Bool);
    if is_truth {
        let values: Vec<i32> = bytes.iter().map(|byte| i32::from(*byte)).collect();
        DenseElementsAttribute::bool_values(ty, &values).into()
    } else {
        DenseElementsAttribute::raw_buffer(ty, bytes).into()
    }
}
