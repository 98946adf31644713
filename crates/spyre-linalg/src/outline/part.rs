//! Builds the function for a turn of the device, the operations that the device runs between two turns of the host.

use melior::Context;
use melior::ir::attribute::{FlatSymbolRefAttribute, StringAttribute, TypeAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Block, BlockLike, Location, Region, RegionLike, Type, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::dynamic::extents::{Extents, tensor_dim};
use spyre_analysis::dynamic::{SymbolId, calls};
use spyre_analysis::walk;
use spyre_construct::build::{Build, element_of, is_truth};
use spyre_dialects::names::{DEVICE, DIM_SIZES, DIMS, NARROWED, SCOPES};
use spyre_dialects::{attr, hint};
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpBuilder, Source, Val};
use spyre_ods::func;

use super::phases::is_copied;
use super::side::is_extent;
use crate::from_linalg::truth;

/// The truth values among the results of calls that are stored as 32 bits in the functions that make them.
pub(super) type WideTruths = FxHashSet<ir::ValueKey>;

/// Moves operations of a block into a new function, and calls it at the end of the block.
///
/// A truth value that becomes an argument is stored as 16 bits. Users that read it as 32 bits, such as a
/// `select` of `f32`, get it converted.
pub(super) fn outline<'p>(
    (context, extents): (&'p Context, &'p Extents),
    module: Blk<'p>,
    function: Op<'p>,
    block: Blk<'p>,
    name: &str,
    ops: &[Op<'p>],
    wide: &mut WideTruths,
) -> Op<'p> {
    let location = ops[0].location();
    let region = Region::new();
    region.append_block(Block::new(&[]));
    let empty = FunctionType::new(context, &[], &[]);
    let symbol = StringAttribute::new(context, name).into();
    let private = StringAttribute::new(context, "private");
    let mut parts = func::func(symbol, TypeAttribute::new(empty.into()).into())
        .with("sym_visibility", private)
        .with(DEVICE, Attribute::unit(context))
        .with_optional(SCOPES, scopes(context, function))
        .region(region);
    for name in [DIM_SIZES, NARROWED] {
        parts = parts.with_optional(name, ir::attribute(function, name));
    }
    let device_function = OpBuilder::at_end(context, module, location).insert(parts, &[]);
    let body = ir::function_body(device_function).expect("it was made with a body");

    let mut part = Part {
        extents,
        members: ops.iter().copied().map(ir::op_key).collect(),
        body,
        replacements: FxHashMap::default(),
        inputs: Vec::new(),
        location,
    };
    for op in ops {
        part.take(*op);
    }
    part.read_extents(context, function);
    let inputs = part.inputs;
    for (number, input) in inputs.iter().enumerate() {
        let is_wide = wide.contains(&ir::value_key(*input)) || truth::of(*input) == Some(32);
        if is_truth(element_of(*input)) && is_wide {
            let argument = body.argument(number).expect("an argument for each input");
            widen((context, extents), body, argument.into());
        }
    }
    let outputs = outputs(ops, body);
    let types: Vec<Type<'p>> = outputs.iter().map(|output| output.r#type()).collect();
    let callee = FlatSymbolRefAttribute::new(context, name);
    let call = func::call(&inputs, callee.into());
    let call = OpBuilder::at_end(context, block, location).insert(call, &types);
    for (number, output) in outputs.iter().enumerate() {
        let result = ir::result(call, number).expect("a result for each output");
        extents.enter_as(result, *output);
        if is_truth(element_of(*output)) && truth::of(*output) == Some(32) {
            wide.insert(ir::value_key(result));
        }
        for usage in ir::uses(*output) {
            if walk::ancestor_in(usage.owner, body).is_none() {
                ir::set_operand(usage.owner, usage.operand, result);
            }
        }
    }
    OpBuilder::at_end(context, body, location).insert(func::return_(&outputs), &[]);
    ir::update_function_type(device_function);
    for (number, input) in inputs.iter().enumerate() {
        let Source::Argument(owner, argument) = ir::source(*input) else {
            continue;
        };
        if Some(owner) == ir::function_body(function)
            && let Some(dims) = ir::argument_attribute(function, argument, DIMS)
        {
            ir::set_argument_attribute(device_function, number, DIMS, dims);
        }
    }
    calls::name(context, function, device_function, call, extents);
    device_function
}

/// Widens a truth value of 16 bits to 32 for its users.
fn widen<'p>((context, extents): (&'p Context, &'p Extents), body: Blk<'p>, truth: Val<'p>) {
    let users = ir::uses(truth);
    let first = ir::operations(body).next();
    let build = Build {
        extents: Some(extents),
        ..Build::new(context, first.expect("a part has operations"))
    };
    let wide = truth::convert(&build, truth, 32);
    for user in users {
        ir::set_operand(user.owner, user.operand, wide);
    }
}

/// Returns the hint scopes around all operations of a function. A scope around some of the operations counts
/// operations, and the counts differ in the parts, so it is not copied. An empty list disables scopes, and is copied.
fn scopes<'p>(context: &'p Context, function: Op<'p>) -> Option<Attribute<'p>> {
    let scopes = attr::elements(ir::attribute(function, SCOPES)?);
    let says_none = scopes.is_empty();
    let whole: Vec<_> = scopes
        .into_iter()
        .filter(|scope| hint::tile_scope(*scope).is_some_and(|scope| scope.ops.is_none()))
        .collect();
    (says_none || !whole.is_empty()).then(|| attr::array(context, &whole))
}

/// A function that is being made.
struct Part<'p> {
    /// The extents of the function that it is a part of.
    extents: &'p Extents,
    members: FxHashSet<ir::OpKey>,
    body: Blk<'p>,
    /// The values that replace values from outside.
    replacements: FxHashMap<ir::ValueKey, Val<'p>>,
    /// The operands of the call.
    inputs: Vec<Val<'p>>,
    location: Location<'p>,
}

impl<'p> Part<'p> {
    /// Moves an operation to the end of the function.
    fn take(&mut self, op: Op<'p>) {
        self.bring(op, op);
        ir::move_to_end(op, self.body);
    }

    /// Replaces operands of `op`, and of the operations in its regions, that are defined outside of the function by
    /// their counterparts in it.
    fn bring(&mut self, op: Op<'p>, part: Op<'p>) {
        let operands: Vec<Val<'p>> = part.operands().collect();
        for (number, operand) in operands.into_iter().enumerate() {
            // Extents are replaced when all arguments have been added.
            if !is_made_in(operand, op) && !is_extent(operand) {
                let inside = self.inside(operand);
                ir::set_operand(part, number, inside);
            }
        }
        for inner in ir::blocks(part).flat_map(ir::operations) {
            self.bring(op, inner);
        }
    }

    /// Returns the counterpart of a value in the function.
    fn inside(&mut self, value: Val<'p>) -> Val<'p> {
        let maker = ir::defining_op(value);
        if maker.is_some_and(|maker| self.members.contains(&ir::op_key(maker))) {
            return value;
        }
        if let Some(replacement) = self.replacements.get(&ir::value_key(value)) {
            return *replacement;
        }
        let inside = match maker.filter(|maker| is_copied(*maker)) {
            Some(maker) => self.copied(maker),
            None => self.input(value),
        };
        self.replacements.insert(ir::value_key(value), inside);
        inside
    }

    /// Returns a new argument of the function, which is called with a value.
    fn input(&mut self, value: Val<'p>) -> Val<'p> {
        self.inputs.push(value);
        let location = ir::defining_op(value).map_or(self.location, |maker| maker.location());
        let argument = self.body.add_argument(value.r#type(), location);
        self.extents.enter_as(argument, value);
        argument
    }

    /// Replaces each dynamic extent that the part reads by a `tensor.dim` of one of its arguments. If no argument of
    /// the part has the dimension, the argument of the original function with that dimension is added to the part.
    fn read_extents(&mut self, context: &'p Context, function: Op<'p>) {
        let reads = walk::find(self.body, |op| {
            let operands = op.operands().enumerate();
            let reads: Vec<_> = operands
                .filter(|(_, operand)| is_extent(*operand))
                .collect();
            (!reads.is_empty()).then_some((op, reads))
        });
        let mut sizes: FxHashMap<SymbolId, Val<'p>> = FxHashMap::default();
        let first = ir::operations(self.body).next();
        for (op, reads) in reads {
            for (number, operand) in reads {
                let symbol = self.extents.of_index(operand);
                let symbol = symbol.expect("an extent is one of the function's dynamic dimensions");
                let size = match sizes.get(&symbol) {
                    Some(size) => *size,
                    None => {
                        let (input, dim) = self.place_of(function, symbol);
                        let argument = self.body.argument(input);
                        let argument = argument.expect("there is an argument for each input");
                        let at = At::Before(first.expect("a part has operations"));
                        let size = tensor_dim(context, at, argument.into(), dim);
                        sizes.insert(symbol, size);
                        size
                    }
                };
                ir::set_operand(op, number, size);
            }
        }
    }

    /// Returns the number of an argument that has a dynamic dimension, and where.
    fn place_of(&mut self, function: Op<'p>, symbol: SymbolId) -> (usize, usize) {
        if let Some(place) = self.extents.place_in(&self.inputs, symbol) {
            return place;
        }
        let body = ir::function_body(function).expect("the function has operations");
        let (argument, dim) = self.extents.source(body, symbol);
        self.input(argument);
        (self.inputs.len() - 1, dim)
    }

    /// Returns the result of a copy of an operation.
    fn copied(&mut self, op: Op<'p>) -> Val<'p> {
        let operands: Vec<Val<'p>> = op.operands().collect();
        let inside: Vec<Val<'p>> = operands
            .into_iter()
            .map(|operand| match is_extent(operand) {
                true => operand,
                false => self.inside(operand),
            })
            .collect();
        let copy = ir::build_clone(At::End(self.body), op);
        for (number, operand) in inside.into_iter().enumerate() {
            ir::set_operand(copy, number, operand);
        }
        let result = ir::result(copy, 0).expect("a view and a constant have a result");
        let original = ir::result(op, 0).expect("a view and a constant have a result");
        self.extents.enter_as(result, original);
        result
    }
}

/// Returns whether a value is defined in a region of an operation.
fn is_made_in(value: Val<'_>, op: Op<'_>) -> bool {
    let mut block = match ir::source(value) {
        Source::Argument(block, _) => Some(block),
        Source::Result(maker, _) => maker.block(),
    };
    while let Some(current) = block {
        let parent = current.parent_operation();
        if parent == Some(op) {
            return true;
        }
        block = parent.and_then(|parent| parent.block());
    }
    false
}

/// Returns the results that operations outside of the function read, in order.
fn outputs<'p>(ops: &[Op<'p>], body: Blk<'p>) -> Vec<Val<'p>> {
    let results = ops.iter().flat_map(|op| ir::results(*op));
    results
        .filter(|result| {
            let uses = ir::uses(*result);
            uses.iter()
                .any(|usage| walk::ancestor_in(usage.owner, body).is_none())
        })
        .collect()
}
