//! `--convert-uop-to-linalg`: converts tensor programs to structured operations.
//!
//! * `view` composes movements to index expressions with bounds.
//! * `nest` builds a structured operation over views, `element` its body.
//! * `fold` finds sums that are numbers or positions, such as an `arange`, and `gather` sums that pick one element.
//! * `rules` has the rules of tinygrad that values depend on.
//! * `order` schedules the nodes, `memory` tracks the contents of buffers, and `loops` builds loops.
//!
//! The body of a call is converted in place of the call, so that its movements compose with the movements around it.

mod element;
mod fold;
mod gather;
mod loops;
mod memory;
mod nest;
mod order;
mod recompute;
mod rules;
mod sharding;
pub(super) mod view;
mod windows;

use std::cell::Cell;
use std::rc::Rc;

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::attribute::{DenseElementsAttribute, TypeAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, RankedTensorType};
use melior::ir::{Attribute, Block, Location, Region, RegionLike, Type};
use rustc_hash::FxHashMap;
use spyre_construct::build::Build;
use spyre_dialects::attr;
use spyre_index_expr::{Expr, Overflow};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_ods::{OpBuilder, arith, builtin, func, tensor};
use spyre_uop::dtype::DType;
use spyre_uop::element as bits;
use spyre_uop::graph::{Node, Type as NodeType};
use spyre_uop::ids::{Id, NodeId};
use spyre_uop::op::{self, Axes, Combine, Elementwise};

use self::memory::{Key, Memory, Place};
use self::nest::Input;
use self::order::Order;
use self::rules::Term;
use self::sharding::{Grid, Sharding};
use self::view::View;
use super::apply_opts::OPTS;
use super::decompose::DECOMPOSED;
use super::program::{self, Functions, Program};

const NAME: &str = "convert-uop-to-linalg";

/// `--convert-uop-to-linalg`
pub static CONVERT_UOP_TO_LINALG: RustPass = RustPass {
    argument: NAME,
    summary: "Convert tensor programs of tinyspec to functions of linalg on tensors",
    description: include_str!("to_linalg.md"),
    anchor: builtin::MODULE,
    options: &[
        PassOption {
            name: SHARD,
            description: "annotate with 'shard' the parts of a tensor that the devices of a tuple have",
            kind: OptionKind::Bool(false),
        },
        PassOption {
            name: RECOMPUTE,
            description: "give each user a separate copy of an elementwise operation, for fusion",
            kind: OptionKind::Bool(false),
        },
        PassOption {
            name: LITERAL,
            description: "compute expressions as written, without the rules of tinygrad that values depend on",
            kind: OptionKind::Bool(false),
        },
    ],
    statistics: &[PassStatistic {
        name: "programs",
        description: "Programs that were converted",
    }],
    dialects: || {
        vec![
            DialectHandle::affine(),
            DialectHandle::arith(),
            DialectHandle::linalg(),
            DialectHandle::tensor(),
            spyre_dialects::shard_dialect(),
        ]
    },
    run,
};

const SHARD: &str = "shard";
const RECOMPUTE: &str = "recompute";
const LITERAL: &str = "literal";

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let module = run.operation();
    let functions = program::functions(module);
    let mut grid = run.flag(SHARD).then(Grid::default);
    let block = ir::body(module).expect("a module has a block");
    let (mut programs, mut bodies) = (Vec::new(), Vec::new());
    for op in ir::operations(block).filter(|op| program::is_program(*op, &functions)) {
        let visibility = ir::attribute(op, "sym_visibility").and_then(attr::string);
        match visibility.as_deref() {
            Some("private") => bodies.push(op),
            _ => programs.push(op),
        }
    }
    if programs.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    for function in &programs {
        // The rules apply to the input program: in a decomposed function they would undo the chosen order of sums.
        let mut parts = bodies.iter().chain([function]);
        let is_decomposed = parts.any(|part| part.attribute(DECOMPOSED).is_ok());
        let has_rules = !run.flag(LITERAL) && !is_decomposed;
        let of = (&functions, bodies.as_slice());
        let block = convert(run.context(), *function, of, (&mut grid, has_rules))?;
        if run.flag(RECOMPUTE) {
            recompute::recompute(block);
        }
        run.count("programs", 1);
    }
    // A program may call another one; calls have been converted in place.
    for old in programs.into_iter().chain(bodies) {
        ir::erase(old);
    }
    Ok(())
}

/// Converts a program to a function before it, and returns the block of the function.
fn convert<'p>(
    context: &'p Context,
    function: Op<'p>,
    (functions, bodies): (&Functions<'p>, &[Op<'p>]),
    (grid, has_rules): (&mut Option<Grid>, bool),
) -> Result<Blk<'p>, Diagnostic<'p>> {
    let program = program::read(function, functions)?;
    let sharding = match grid {
        None => None,
        Some(grid) => Some(Sharding::of(&program, grid).map_err(|misplaced| {
            let location = program.location(misplaced.node);
            Diagnostic::error(location, misplaced.broken.to_string())
        })?),
    };
    let region = Region::new();
    region.append_block(Block::new(&[]));
    let name = function.attribute("sym_name");
    let name = name.expect("a function has a name");
    let ty = FunctionType::new(context, &[], &[]).into();
    let parts = func::func(name, TypeAttribute::new(ty).into()).region(region);
    let new_function = OpBuilder::before(context, function).insert(parts, &[]);
    let block = ir::body(new_function).expect("the function has a block");
    let build = OpBuilder::at_end(context, block, function.location());
    let end = build.insert(func::return_(&[]), &[]);
    let mut lowering = Lowering {
        context,
        program: &program,
        users: users(&program),
        order: Order::of(&program.graph),
        memory: Memory::default(),
        written: Vec::new(),
        sharding,
        function: new_function,
        block,
        end,
        here: function.location(),
        all_opts: all_opts(&program, [function].iter().chain(bodies)),
        opts: Cell::new(None),
        terms: FxHashMap::default(),
        has_rules,
        rules: 0,
    };
    if let Err(error) = lowering.body(function) {
        ir::erase(new_function);
        return Err(error);
    }
    ir::erase(end);
    ir::update_function_type(new_function);
    remove_unused(block);
    Ok(block)
}

/// Returns the optimisations of the nodes of a program, which are in some functions.
fn all_opts<'a, 'p: 'a>(
    program: &Program<'p>,
    functions: impl Iterator<Item = &'a Op<'p>>,
) -> FxHashMap<NodeId, Attribute<'p>> {
    let bodies = functions.filter_map(|function| ir::function_body(*function));
    let of = |op: Op<'p>| {
        let opts = ir::attribute(op, OPTS)?;
        let node = program.nodes.get(&ir::value_key(ir::result(op, 0)?))?;
        Some((*node, opts))
    };
    bodies.flat_map(ir::operations).filter_map(of).collect()
}

/// Removes operations without uses, such as products that a sum has computed itself.
fn remove_unused(block: Blk<'_>) {
    let mut operations: Vec<Op<'_>> = ir::operations(block).collect();
    operations.pop(); // The end of the function.
    for op in operations.into_iter().rev() {
        if ir::results(op).all(|result| ir::uses(result).is_empty()) {
            ir::erase(op);
        }
    }
}

/// Returns how often each node is read.
fn users(program: &Program<'_>) -> Vec<u32> {
    let mut users = vec![0; program.graph.nodes().len()];
    for (_, node) in program.graph.nodes().iter() {
        for source in &node.sources {
            users[source.position()] += 1;
        }
    }
    for result in &program.results {
        users[result.position()] += 1;
    }
    users
}

/// A tensor of the function, a number, or positions; seen through movements.
#[derive(Clone)]
struct Value<'p> {
    root: Root<'p>,
    dtype: DType,
    view: View,
}

/// The source of a view.
#[derive(Clone)]
enum Root<'p> {
    /// A tensor. `at` of the view has its coordinates.
    Tensor(Val<'p>),
    /// One element, the same in all iterations. `at` of the view is empty.
    Number(u64),
    /// The integer that is the only expression in `at` of the view.
    Position,
}

/// The values of nodes in a program, or in one call of a body.
#[derive(Default)]
struct Frame<'p> {
    values: FxHashMap<NodeId, Rc<Vec<Value<'p>>>>,
    /// The arguments of the call, by their numbers.
    arguments: Option<Vec<Argument<'p>>>,
}

/// An argument of a call.
struct Argument<'p> {
    /// The value when the call is executed.
    value: Value<'p>,
    /// The place of the value; `None` if it is in no buffer.
    place: Option<Place<'p>>,
}

/// A program that is being converted.
struct Lowering<'a, 'p> {
    context: &'p Context,
    program: &'a Program<'p>,
    users: Vec<u32>,
    order: Order,
    memory: Memory<'p>,
    /// The buffers that are written, in order.
    written: Vec<Key>,
    /// The sharding of values, if the result declares it.
    sharding: Option<Sharding<'a>>,
    /// The new function.
    function: Op<'p>,
    block: Blk<'p>,
    /// The end of the function, before which operations are built.
    end: Op<'p>,
    /// The location of the node that is being converted.
    here: Location<'p>,
    /// The optimisations of nodes.
    all_opts: FxHashMap<NodeId, Attribute<'p>>,
    /// The optimisations of the node that is being converted, until an operation has them.
    opts: Cell<Option<Attribute<'p>>>,
    /// The operations on floats that tensors are the results of.
    terms: FxHashMap<ir::ValueKey, Rc<Term<'p>>>,
    /// Whether the rules of tinygrad apply.
    has_rules: bool,
    /// The number of rules that are being applied, one to the result of another.
    rules: u32,
}

type Outcome<'p, T> = Result<T, Diagnostic<'p>>;

impl<'p> Lowering<'_, 'p> {
    fn error(&self, message: impl std::fmt::Display) -> Diagnostic<'p> {
        Diagnostic::error(self.here, format!("{NAME}: {message}"))
    }

    /// Reports that a number is too large.
    fn fits<T>(&self, result: Result<T, Overflow>) -> Outcome<'p, T> {
        result.map_err(|err| self.error(err))
    }

    fn body(&mut self, function: Op<'p>) -> Outcome<'p, ()> {
        let mut frame = Frame::default();
        let old = ir::function_body(function).expect("a program has a body");
        for number in 0..old.argument_count() {
            let argument: Val<'p> = old.argument(number).expect("it has so many").into();
            let id = self.program.nodes[&ir::value_key(argument)];
            let ty = self.program.graph.tensor(id);
            let shape = extents(&ty.shape);
            let element = element::plain(self.context, ty.dtype);
            let new = self
                .block
                .add_argument(tensor(&ty.shape, element), function.location());
            let value = Value {
                root: Root::Tensor(new),
                dtype: ty.dtype,
                view: View::whole(&shape),
            };
            let value = self.shard_argument(id, value)?;
            if let Some(key) = memory::key(self.program.graph.node(id)) {
                self.memory.begin(key, value.clone());
            }
            frame.values.insert(id, Rc::new(vec![value]));
        }
        self.begin();
        let mut results = Vec::new();
        self.roots(&mut frame, &self.program.results)?;
        for id in &self.program.results {
            let values = Rc::clone(&frame.values[id]);
            let [value] = values.as_slice() else {
                self.here = self.program.location(*id);
                return Err(
                    self.error("an effect is no result; 'uop.after' is how a buffer is after it")
                );
            };
            let value = self.shard_result(*id, value.clone())?;
            results.push(self.realized(&value)?);
        }
        let build = OpBuilder {
            context: self.context,
            at: At::Before(self.end),
            location: function.location(),
        };
        build.insert(func::return_(&results), &[]);
        Ok(())
    }

    /// Converts the nodes of a plan, which are executed in this order.
    fn execute(&mut self, frame: &mut Frame<'p>, plan: &[NodeId]) -> Outcome<'p, ()> {
        for id in plan {
            if frame.values.contains_key(id) {
                continue; // It is an argument of the function, or the number of an iteration.
            }
            let outer = std::mem::replace(&mut self.here, self.program.location(*id));
            self.opts.set(self.all_opts.get(id).copied());
            let values = self.convert_node(frame, *id, self.program.graph.node(*id))?;
            if self.opts.take().is_some() {
                return Err(self.error(format!(
                    "'{OPTS}' applies to loops, but this operation gets no separate loops"
                )));
            }
            self.here = outer;
            frame.values.insert(*id, Rc::new(values));
        }
        Ok(())
    }

    /// Converts some nodes outside of loops and the nodes that they depend on.
    fn roots(&mut self, frame: &mut Frame<'p>, roots: &[NodeId]) -> Outcome<'p, ()> {
        let plan = self.order.of_roots(&self.program.graph, roots);
        let plan = plan.map_err(|open| {
            self.here = self.program.location(open);
            self.error("is in a loop that no End closes")
        })?;
        self.execute(frame, &plan)
    }

    /// Converts a node after its sources.
    fn convert_node(
        &mut self,
        frame: &mut Frame<'p>,
        id: NodeId,
        node: &Node,
    ) -> Outcome<'p, Vec<Value<'p>>> {
        use op::Op as O;
        let source = |number: usize| frame.values[&node.sources[number]][0].clone();
        let one = |value| Ok(vec![value]);
        if let NodeType::Tensor(ty) = &node.ty
            && ty.shape.contains(&0)
        {
            // There is no element to compute or to move.
            return one(number(ty.dtype, 0, &extents(&ty.shape)));
        }
        match &node.op {
            O::Buffer { .. } => one(self.before(node)?),
            O::Param { slot, .. } => {
                let arguments = frame.arguments.as_ref();
                let number = match slot {
                    spyre_uop::schema::Slot::Number(number) => *number as usize,
                    spyre_uop::schema::Slot::Name(_) => usize::MAX,
                };
                let argument = arguments.and_then(|all| all.get(number));
                let message = "a symbolic integer has no value";
                let argument = argument.map(|argument| argument.value.clone());
                one(argument.ok_or_else(|| self.error(message))?)
            }
            O::Const { value, dtype } => one(number(*dtype, bits::constant(*dtype, *value), &[])),
            O::Binary(bytes) => {
                let bytes: Vec<u64> = bytes.iter().map(|byte| (*byte).into()).collect();
                one(self.elements(DType::U8, &bytes))
            }
            O::Pad { shape, .. } if source(0).view.shape.contains(&0) => {
                // There is no element to read where the padding ends.
                one(number(source(0).dtype, 0, &extents(shape)))
            }
            O::Permute(_)
            | O::Flip(_)
            | O::Reshape(_)
            | O::Expand(_)
            | O::Pad { .. }
            | O::Shrink { .. } => self.moved(source(0), |view| view.moved(&node.op)),
            O::Replicated(axis) => {
                let view = self.fits(source(0).view.first(*axis))?;
                one(self.shard_moved(id, Value { view, ..source(0) })?)
            }
            O::Marker(_) => one(source(0)),
            O::Copy(_) => one(self.shard_moved(id, source(0))?),
            O::Stack => {
                let all: Vec<Value<'p>> = (0..node.sources.len()).map(source).collect();
                one(self.stack(&all)?)
            }
            O::Bitcast(to) => one(self.bitcast(&source(0), *to)?),
            O::Index => {
                let all: Vec<Value<'p>> = (0..node.sources.len()).map(source).collect();
                one(self.index(&all, None)?)
            }
            O::Elementwise(op) => {
                let all: Vec<Value<'p>> = (0..node.sources.len()).map(source).collect();
                one(self.elementwise(*op, &all)?)
            }
            O::Cast(to) => one(self.cast(&source(0), *to)?),
            O::Reduce { combine, axes } => {
                if node.sources.len() > 1 {
                    return one(self.reduce_over(frame, id, node, (*combine, axes))?);
                }
                one(self.reduce(frame, node.sources[0], *combine, axes)?)
            }
            O::Tuple => Ok((0..node.sources.len()).map(source).collect()),
            O::GetTuple(index) => one(frame.values[&node.sources[0]][*index].clone()),
            O::Call(_) => self.call(frame, node),
            O::Load { .. } => match node.sources.len() {
                1 => one(self.shard_moved(id, source(0))?),
                _ => {
                    let from = self.program.graph.node(node.sources[0]);
                    let gate = source(2);
                    let read = if from.op == O::Index {
                        // Positions where the gate is false may be outside of the tensor.
                        let all = from.sources.iter();
                        let all: Vec<Value<'p>> =
                            all.map(|id| frame.values[id][0].clone()).collect();
                        self.index(&all, Some(&gate))?
                    } else {
                        source(0)
                    };
                    one(self.elementwise(Elementwise::Where, &[gate, read, source(1)])?)
                }
            },
            O::Store => {
                self.store(frame, node)?;
                Ok(Vec::new())
            }
            O::End => {
                self.end(frame, id, node)?;
                Ok(Vec::new())
            }
            O::Collect(_) => Ok(Vec::new()),
            O::After => one(self.read_now(frame, id)?),
            O::Range { .. } => unreachable!("a loop has its number"),
        }
    }

    /// Converts the body of a call in place of the call.
    fn call(&mut self, frame: &Frame<'p>, node: &Node) -> Outcome<'p, Vec<Value<'p>>> {
        let mut arguments = Vec::new();
        for id in &node.sources[1..] {
            let place = match self.program.graph.node(*id).storage {
                Some(_) => self.place(frame, *id)?,
                None => None,
            };
            let value = frame.values[id][0].clone();
            arguments.push(Argument { value, place });
        }
        let mut inner = Frame {
            values: FxHashMap::default(),
            arguments: Some(arguments),
        };
        let body = node.sources[0];
        self.roots(&mut inner, &[body])?;
        Ok(inner.values[&body].to_vec())
    }

    /// Returns a value with another view.
    fn moved(
        &self,
        value: Value<'p>,
        view: impl FnOnce(&View) -> Result<View, Overflow>,
    ) -> Outcome<'p, Vec<Value<'p>>> {
        let view = self.fits(view(&value.view))?;
        Ok(vec![Value { view, ..value }])
    }

    fn elementwise(&mut self, op: Elementwise, operands: &[Value<'p>]) -> Outcome<'p, Value<'p>> {
        let last = operands.last().expect("every operation has operands");
        let (dtype, shape) = (last.dtype, last.view.shape.clone());
        let result = if op.is_comparison() {
            DType::Bool
        } else {
            dtype
        };
        // A result that is too large for an index expression is computed, and wraps.
        if let Ok(Some(value)) = fold::elementwise(op, dtype, operands) {
            return Ok(value);
        }
        if dtype.is_float()
            && let Some(value) = self.by_rule(op, operands)?
        {
            return Ok(value);
        }
        let inputs = operands.iter().cloned().map(Input::from).collect();
        let value = self.pointwise(inputs, result, &shape, &|emit, x| {
            emit.elementwise(op, dtype, x)
        })?;
        self.note(&value, op, operands);
        Ok(value)
    }

    fn cast(&mut self, operand: &Value<'p>, to: DType) -> Outcome<'p, Value<'p>> {
        let from = operand.dtype;
        if let Some(value) = fold::cast(operand, to) {
            return Ok(value);
        }
        let shape = operand.view.shape.clone();
        let inputs = vec![Input::from(operand.clone())];
        self.pointwise(inputs, to, &shape, &|emit, x| emit.cast(from, to, x[0]))
    }

    /// Combines elements along axes, which have extent 1 in the result.
    fn reduce(
        &mut self,
        frame: &Frame<'p>,
        source: NodeId,
        combine: Combine,
        axes: &[usize],
    ) -> Outcome<'p, Value<'p>> {
        if let Some((source, perm, axes)) = self.before_permute(source, axes) {
            let value = self.reduce(frame, source, combine, &axes)?;
            let view = self.fits(value.view.moved(&op::Op::Permute(perm)))?;
            return Ok(Value { view, ..value });
        }
        let value = frame.values[&source][0].clone();
        if value.view.shape.contains(&0) {
            let mut shape = value.view.shape.clone();
            for axis in axes {
                shape[*axis] = 1;
            }
            let identity = bits::identity(combine, value.dtype);
            return Ok(number(value.dtype, identity, &shape));
        }
        // A result that is too large for an index expression is computed, and wraps.
        if let Ok(Some(result)) = fold::reduce(&value, combine, axes) {
            return Ok(result);
        }
        if combine == Combine::Add
            && let [axis] = axes
            && let Some(gathered) = self.gather(frame, source, *axis)?
        {
            return Ok(gathered);
        }
        let factors = self.factors(frame, source, combine);
        self.reduction(&value, factors, combine, axes)
    }

    /// Returns the operand of a permutation that only this reduction reads, the permutation, and the reduced axes of the
    /// operand. tinygrad permutes the reduced axes to the front, and the sum of a product or of picked elements is
    /// recognised without it. `None` where the axes of the operand are in another order, which is that of the terms, and for
    /// an operation with optimisations, which name its loops in their order.
    fn before_permute(&self, source: NodeId, axes: &[usize]) -> Option<(NodeId, Axes, Axes)> {
        let node = self.program.graph.node(source);
        let op::Op::Permute(perm) = &node.op else {
            return None;
        };
        if self.users[source.position()] > 1 || self.opts.get().is_some() {
            return None;
        }
        let reduced: Axes = axes.iter().map(|axis| perm[*axis]).collect();
        let is_in_order = reduced.is_sorted();
        is_in_order.then(|| (node.sources[0], perm.clone(), reduced))
    }

    /// Returns the operands of a product that only this sum reads, directly or through a conversion; product, conversion
    /// and sum then become one operation.
    fn factors(
        &self,
        frame: &Frame<'p>,
        source: NodeId,
        combine: Combine,
    ) -> Option<[Value<'p>; 2]> {
        let is_inner = |id: NodeId| self.users[id.position()] <= 1;
        if combine != Combine::Add || !is_inner(source) {
            return None;
        }
        let graph = &self.program.graph;
        let source = match graph.node(source) {
            node if matches!(node.op, op::Op::Cast(_)) => node.sources[0],
            _ => source,
        };
        let node = graph.node(source);
        if node.op != op::Op::Elementwise(Elementwise::Mul) || !is_inner(source) {
            return None;
        }
        if let Some(factors) = self.factors_by_rule(&frame.values[&source][0]) {
            return factors;
        }
        let factor = |number: usize| frame.values[&node.sources[number]][0].clone();
        Some([factor(0), factor(1)])
    }

    /// Joins tensors along a new first axis.
    fn stack(&mut self, all: &[Value<'p>]) -> Outcome<'p, Value<'p>> {
        let (dtype, tile_shape) = (all[0].dtype, all[0].view.shape.clone());
        let scalars: Option<Vec<u64>> = all.iter().map(scalar).collect();
        if let Some(elements) = scalars {
            return Ok(self.elements(dtype, &elements));
        }
        let mut shape = vec![i64::try_from(all.len()).expect("sources are counted")];
        shape.extend(&tile_shape);
        let mut one = vec![1];
        one.extend(&tile_shape);
        let element = element::plain(self.context, dtype);
        let build = self.builder();
        let mut result = build.emit(tensor::empty(&[]), build.tensor(&shape, element));
        for (number, value) in (0..).zip(all) {
            let tensor = self.realized(value)?;
            let tile = self.reshape(tensor, &one);
            let mut offsets = vec![0; shape.len()];
            offsets[0] = number;
            result = build.insert_fixed(tile, result, &offsets);
        }
        Ok(Value {
            root: Root::Tensor(result),
            dtype,
            view: View::whole(&shape),
        })
    }

    /// Reads bytes as another element type. The first of several is the low part of a wider one.
    fn bitcast(&mut self, value: &Value<'p>, to: DType) -> Outcome<'p, Value<'p>> {
        let from = value.dtype;
        let (narrow, wide) = (from.bits().min(to.bits()), from.bits().max(to.bits()));
        let parts = i64::from(wide / narrow);
        let shape = &value.view.shape;
        if parts == 1 {
            let inputs = vec![Input::from(value.clone())];
            return self.pointwise(inputs, to, shape, &|emit, x| emit.bits(from, to, x[0]));
        }
        let last = shape.len() - 1;
        let mut result = shape.clone();
        let mut coordinates: Vec<Expr> = (0..shape.len()).map(view::coordinate).collect();
        let inputs = if from.bits() < to.bits() {
            result[last] /= parts;
            let first = self.fits(coordinates[last].scale(parts))?;
            let mut inputs = Vec::new();
            for part in 0..parts {
                coordinates[last] = self.fits(first.add(&Expr::constant(part)))?;
                let view = self.fits(value.view.read(&result, &coordinates))?;
                inputs.push(Input::from(Value {
                    view,
                    ..value.clone()
                }));
            }
            inputs
        } else {
            result[last] *= parts;
            let number = coordinates[last].clone();
            coordinates[last] = number.clone().quotient(Expr::constant(parts));
            let view = self.fits(value.view.read(&result, &coordinates))?;
            let part = number.digit(Expr::constant(1), Expr::constant(parts));
            let part = Value {
                root: Root::Position,
                dtype: DType::Index,
                view: View::of(&result, vec![part]),
            };
            let value = Value {
                view,
                ..value.clone()
            };
            vec![Input::from(value), Input::from(part)]
        };
        self.pointwise(inputs, to, &result, &|emit, x| {
            if from.bits() < to.bits() {
                emit.joined(from, to, x)
            } else {
                emit.part(from, to, x[0], x[1])
            }
        })
    }

    /// Returns the elements at positions. Where a gate is false, the position is 0.
    fn index(&mut self, all: &[Value<'p>], gate: Option<&Value<'p>>) -> Outcome<'p, Value<'p>> {
        let (source, positions) = (&all[0], &all[1..]);
        let is_empty = source.view.shape.contains(&0);
        let ranks = positions.iter().map(|value| value.view.shape.len());
        let indexed: usize = ranks.sum();
        let behind = &source.view.shape[positions.len()..];
        let mut shape: Vec<i64> = positions
            .iter()
            .flat_map(|value| value.view.shape.iter().copied())
            .collect();
        shape.extend(behind);
        if is_empty {
            // Whatever the positions are, there is no element: a gate is false.
            return Ok(number(source.dtype, 0, &shape));
        }
        let mut at = Vec::new();
        let mut next = 0;
        for position in positions {
            let coordinates: Vec<Expr> = position
                .view
                .shape
                .iter()
                .map(|_| view::coordinate(next))
                .collect();
            next += coordinates.len();
            let view = self.fits(position.view.read(&shape, &coordinates))?;
            let mut position = Value {
                view,
                ..position.clone()
            };
            if let Some(gate) = gate {
                let first = number(position.dtype, 0, &shape);
                let inside = [gate.clone(), position, first];
                position = self.elementwise(Elementwise::Where, &inside)?;
            }
            at.push(position);
        }
        let rest = (indexed..shape.len()).map(|axis| Value {
            root: Root::Position,
            dtype: DType::Index,
            view: View::of(&shape, vec![view::coordinate(axis)]),
        });
        at.extend(rest);
        self.picked(source, &at, &shape, None)
    }

    /// Returns a tensor of one axis that holds some elements.
    fn elements(&self, dtype: DType, elements: &[u64]) -> Value<'p> {
        let count = elements.len() as u64;
        let ty = tensor(&[count], element::plain(self.context, dtype));
        let elements = elements.iter();
        let elements: Vec<_> = elements
            .map(|bits| element::attribute(self.context, dtype, *bits))
            .collect();
        let value = DenseElementsAttribute::new(ty, &elements).expect("elements of the type");
        let constant = self.builder().emit(arith::constant(value.into()), ty);
        Value {
            root: Root::Tensor(constant),
            dtype,
            view: View::whole(&[count.cast_signed()]),
        }
    }

    /// Returns a builder of reshapes and slices at the end of the function.
    fn builder(&self) -> Build<'p> {
        Build::new(self.context, self.end)
    }
}

/// Returns one element everywhere.
fn number<'p>(dtype: DType, bits: u64, shape: &[i64]) -> Value<'p> {
    Value {
        root: Root::Number(bits),
        dtype,
        view: View::of(shape, Vec::new()),
    }
}

/// Returns the bits of a scalar that is a number.
fn scalar(value: &Value<'_>) -> Option<u64> {
    match value.root {
        Root::Number(bits) if value.view.shape.is_empty() => Some(bits),
        _ => None,
    }
}

fn extents(shape: &[u64]) -> Vec<i64> {
    shape.iter().map(|extent| extent.cast_signed()).collect()
}

fn tensor<'p>(shape: &[u64], element: Type<'p>) -> Type<'p> {
    RankedTensorType::new(shape, element, None).into()
}
