//! `--spyre-hoist-positions`: hoists computations on positions and constants alone out of the bodies of structured
//! operations, as tensors.
//!
//! Front ends fuse the mask into the `select`, the weights of a window's border into the mean, and indices into the
//! operation that reads at them; and `1 / sqrt(variance + epsilon)`, which is constant in a trained model, into the
//! operation that it scales. Hoisted, each of these is a constant, or a small tensor that the host computes. A constant
//! is computed in the type of the program, before it is rounded to 16 bits.

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Type, TypeLike, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::walk;
use spyre_construct::access::{self, LoopId};
use spyre_construct::build::{element_of, shape_of};
use spyre_construct::structured::{self, Mapped};
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpBuilder, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{arith, func, linalg, tensor};

use super::extents::known_extents;
use super::{index, quasi};

/// `--spyre-hoist-positions`
pub static HOIST_POSITIONS: RustPass = RustPass {
    argument: "spyre-hoist-positions",
    summary: "Hoist computations on positions out of structured operations, as tensors",
    description: include_str!("hoist.md"),
    anchor: func::FUNC,
    options: &[],
    statistics: &[
        PassStatistic {
            name: "hoisted",
            description: "Tensors of values that depend on positions",
        },
        PassStatistic {
            name: "read-at-positions",
            description: "Operations with operands that were read by quotients or remainders of loops",
        },
    ],
    dialects: || {
        vec![
            DialectHandle::affine(),
            DialectHandle::arith(),
            DialectHandle::linalg(),
            DialectHandle::tensor(),
        ]
    },
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let Some(body) = ir::function_body(run.operation()) else {
        return Ok(());
    };
    let generics = walk::find(body, |op| (ir::name(op) == linalg::GENERIC).then_some(op));
    let mut hoisted = 0;
    let mut read = 0;
    for op in generics {
        let at_positions = quasi::read_at_positions(run.context(), op);
        read += usize::from(at_positions.is_some());
        let op = at_positions.unwrap_or(op);
        hoisted += Positions::of(run.context(), op).map_or(0, |positions| positions.hoist());
    }
    if hoisted + read == 0 {
        run.preserve_analyses();
    }
    run.count("hoisted", hoisted);
    run.count("read-at-positions", read);
    Ok(())
}

/// The values that a structured operation computes from positions.
struct Positions<'p> {
    context: &'p Context,
    op: Op<'p>,
    body: Blk<'p>,
    /// The number of iterations of each loop; `None` where it is dynamic. Positions along such a loop are no constant.
    extents: Vec<Option<i64>>,
    /// For each input that is a constant tensor of floats, the loops along its dimensions. Empty where the operation
    /// reduces: the lowering of matrix products recognizes its operands as they are.
    constants: FxHashMap<usize, Vec<LoopId>>,
    /// The operations that depend on positions alone, in order, with the loops that they depend on.
    loops_of: FxHashMap<ir::OpKey, Vec<LoopId>>,
    /// The hoisted values with other users.
    read: Vec<Val<'p>>,
}

impl<'p> Positions<'p> {
    /// Returns the values that a structured operation computes from positions; `None` if there are none.
    fn of(context: &'p Context, op: Op<'p>) -> Option<Self> {
        if op.result_count() == 0 {
            return None;
        }
        let body = ir::body(op)?;
        let mut positions = Self {
            context,
            op,
            body,
            extents: extents(op)?,
            constants: constants(op),
            loops_of: FxHashMap::default(),
            read: Vec::new(),
        };
        for inner in ir::operations(body) {
            if let Some(loops) = positions.loops(inner) {
                positions.loops_of.insert(ir::op_key(inner), loops);
            }
        }
        for inner in ir::operations(body) {
            if positions.loops_of.contains_key(&ir::op_key(inner)) && !positions.is_plain(inner) {
                let result = ir::result(inner, 0).expect("arithmetic has a result");
                // The host computes integers of 64 bits, and their users.
                if IntegerType::try_from(result.r#type()).is_ok_and(|ty| ty.width() == 64) {
                    continue;
                }
                let mut uses = ir::uses(result).into_iter();
                if uses.any(|user| !positions.loops_of.contains_key(&ir::op_key(user.owner))) {
                    positions.read.push(result);
                }
            }
        }
        if positions.read.is_empty() {
            return None;
        }
        Some(positions)
    }

    /// Returns the loops that an operation of the body depends on; `None` if it depends on other values than positions and
    /// constants, or has side effects.
    fn loops(&self, inner: Op<'p>) -> Option<Vec<LoopId>> {
        let name = ir::name(inner);
        if name == linalg::INDEX {
            let dim = attr::integer(ir::attribute(inner, "dim")?)?;
            let id = LoopId(usize::try_from(dim).ok()?);
            return self.extents[id.0].map(|_| vec![id]);
        }
        let is_arithmetic = ["arith.", "math.", "affine."]
            .iter()
            .any(|dialect| name.starts_with(dialect));
        if !is_arithmetic || inner.result_count() != 1 {
            return None;
        }
        let mut loops = Vec::new();
        for operand in inner.operands() {
            match ir::source(operand) {
                ir::Source::Argument(block, number) if block == self.body => {
                    loops.extend(self.constants.get(&number)?);
                }
                ir::Source::Result(defining, _) if defining.block() == Some(self.body) => {
                    loops.extend(self.loops_of.get(&ir::op_key(defining))?);
                }
                // A value from outside of the body is the same number at every iteration.
                _ => {}
            }
        }
        loops.sort_unstable();
        loops.dedup();
        Some(loops)
    }

    /// Returns whether an operation is a position, in some type, a number, or a constant's element in another format:
    /// bodies may contain these.
    fn is_plain(&self, op: Op<'p>) -> bool {
        match ir::name(op) {
            linalg::INDEX | arith::CONSTANT => true,
            arith::INDEX_CAST | arith::INDEX_CASTUI => {
                let from = ir::operand(op, 0).and_then(ir::defining_op);
                from.is_none_or(|from| ir::name(from) == linalg::INDEX)
            }
            arith::EXTF | arith::TRUNCF => {
                let operand = ir::operand(op, 0).expect("a cast has an operand");
                ir::defining_op(operand).is_none()
            }
            _ => false,
        }
    }

    /// Makes a tensor of each value that is read, and returns how many there are.
    fn hoist(self) -> usize {
        let tensors: Vec<(Val<'p>, Vec<LoopId>)> =
            self.read.iter().map(|value| self.tensor(*value)).collect();
        self.rebuild(&tensors);
        tensors.len()
    }

    /// Builds the tensor of a value of the body before the operation, with a dimension for each loop that it depends
    /// on.
    fn tensor(&self, value: Val<'p>) -> (Val<'p>, Vec<LoopId>) {
        let defining = ir::defining_op(value).expect("the value is a result");
        let loops = self.loops_of[&ir::op_key(defining)].clone();
        let location = defining.location();
        let element = index::stored(self.context, value);
        let extents: Vec<u64> = loops
            .iter()
            .map(|id| self.extents[id.0].expect("the position is along a loop of a known extent"))
            .map(i64::cast_unsigned)
            .collect();
        let ty: Type<'p> = RankedTensorType::new(&extents, element, None).into();
        let build = OpBuilder {
            location,
            ..OpBuilder::before(self.context, self.op)
        };
        let empty = build.op(tensor::empty(&[]), ty);
        let count = loops.len();
        let id = structured::map(self.context, count, &(0..count).collect::<Vec<_>>());
        let inputs = self.constants_read(value);
        let ins: Vec<Mapped<'p>> = inputs
            .iter()
            .map(|number| {
                let tensor = ir::operand(self.op, *number).expect("the input is an operand");
                let places: Vec<usize> = self.constants[number]
                    .iter()
                    .map(|id| place(&loops, *id))
                    .collect();
                (tensor, structured::map(self.context, count, &places))
            })
            .collect();
        let (generic, body) = structured::generic(
            self.context,
            (self.op, location),
            (&ins, &[(empty, id)]),
            &structured::loops(self.context, count, 0),
        );
        let mut copies = FxHashMap::default();
        for (at, number) in inputs.iter().enumerate() {
            let argument = structured::argument(self.body, *number);
            copies.insert(ir::value_key(argument), structured::argument(body, at));
        }
        let copied = self.copy(value, &loops, body, &mut copies);
        let copied = ir::build_index_cast(At::End(body), location, copied, element);
        structured::end(body, location, &[copied]);
        (ir::results(generic).next().expect("it has a result"), loops)
    }

    /// Returns the constant inputs from which a value is computed, in order.
    fn constants_read(&self, value: Val<'p>) -> Vec<usize> {
        let mut inputs = Vec::new();
        for op in self.sources(value).values() {
            for operand in op.operands() {
                if let ir::Source::Argument(block, number) = ir::source(operand)
                    && block == self.body
                {
                    inputs.push(number);
                }
            }
        }
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// Returns the operations of the body that compute a value.
    fn sources(&self, value: Val<'p>) -> FxHashMap<ir::OpKey, Op<'p>> {
        // With a worklist: the depth of recursion would be the length of the program.
        let mut needed = vec![value];
        let mut ops: FxHashMap<ir::OpKey, Op<'p>> = FxHashMap::default();
        while let Some(value) = needed.pop() {
            let Some(op) = ir::defining_op(value) else {
                continue;
            };
            let key = ir::op_key(op);
            if self.loops_of.contains_key(&key) && ops.insert(key, op).is_none() {
                needed.extend(op.operands());
            }
        }
        ops
    }

    /// Copies the operations that compute a value to the end of a body, in which `loops` are the only loops.
    fn copy(
        &self,
        value: Val<'p>,
        loops: &[LoopId],
        body: Blk<'p>,
        copies: &mut FxHashMap<ir::ValueKey, Val<'p>>,
    ) -> Val<'p> {
        let ops = self.sources(value);
        for op in ir::operations(self.body) {
            if !ops.contains_key(&ir::op_key(op)) {
                continue;
            }
            let copy = ir::build_clone(At::End(body), op);
            let operands: Vec<Val<'p>> = op.operands().collect();
            for (number, operand) in operands.into_iter().enumerate() {
                if let Some(copied) = copies.get(&ir::value_key(operand)) {
                    ir::set_operand(copy, number, *copied);
                }
            }
            if ir::name(op) == linalg::INDEX {
                let id = self.loops_of[&ir::op_key(op)][0];
                let place = place(loops, id) as i64;
                let i64 = IntegerType::new(self.context, 64).into();
                let place = melior::ir::attribute::IntegerAttribute::new(i64, place);
                ir::set_attribute(copy, "dim", place.into());
            }
            for (from, to) in ir::results(op).zip(ir::results(copy)) {
                copies.insert(ir::value_key(from), to);
            }
        }
        copies[&ir::value_key(value)]
    }

    /// Replaces the operation by one that reads the tensors as well.
    fn rebuild(&self, tensors: &[(Val<'p>, Vec<LoopId>)]) {
        let read = self.read.iter().zip(tensors);
        let read: Vec<_> = read
            .map(|(value, (tensor, loops))| (*value, *tensor, loops.as_slice()))
            .collect();
        structured::read_tensors(self.context, self.op, &read);
    }
}

/// Returns the position of a loop among the loops that a value depends on.
fn place(loops: &[LoopId], id: LoopId) -> usize {
    let place = loops.iter().position(|other| *other == id);
    place.expect("a value depends on the loops of what it is computed from")
}

/// Returns the loops along the dimensions of each input that is a constant tensor of floats, if all loops are parallel.
fn constants(op: Op<'_>) -> FxHashMap<usize, Vec<LoopId>> {
    let mut constants = FxHashMap::default();
    let maps = ir::attribute(op, "indexing_maps").filter(|_| structured::is_elementwise(op));
    let Some(maps) = maps else {
        return constants;
    };
    let inputs = op.operand_count() - op.result_count();
    let operands = op.operands().zip(attr::elements(maps)).take(inputs);
    for (number, (value, map)) in operands.enumerate() {
        if !is_constant_of_floats(value) {
            continue;
        }
        let loops = access::read(map).map(|at| at.iter().map(|at| at.as_index()).collect());
        if let Some(Some(loops)) = loops {
            constants.insert(number, loops);
        }
    }
    constants
}

/// Returns whether a value is a constant tensor of floats, or a view of one. Constants of integers are not hoisted: weights of
/// 8 bits would become larger floats.
fn is_constant_of_floats(value: Val<'_>) -> bool {
    if !ir::is_ranked_tensor(value.r#type()) || element_of(value).is_integer() {
        return false;
    }
    let mut value = value;
    while let Some(op) = ir::defining_op(value) {
        match ir::name(op) {
            arith::CONSTANT => return true,
            tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE if shape_of(value).is_ok() => {
                value = ir::operand(op, 0).expect("a view has a source");
            }
            _ => return false,
        }
    }
    false
}

/// Returns the number of iterations of each loop, `None` for one that is dynamic; `None` if a map is not linear.
fn extents(op: Op<'_>) -> Option<Vec<Option<i64>>> {
    let maps = attr::elements(ir::attribute(op, "indexing_maps")?);
    let iterators = attr::elements(ir::attribute(op, "iterator_types")?);
    let mut extents = vec![None; iterators.len()];
    for (value, map) in op.operands().zip(maps) {
        if !ir::is_ranked_tensor(value.r#type()) {
            continue;
        }
        let coordinates = access::read(map)?;
        for (at, extent) in coordinates.iter().zip(known_extents(value.r#type())?) {
            if let Some(id) = at.as_index() {
                extents[id.0] = extents[id.0].or(extent);
            }
        }
    }
    Some(extents)
}
