//! Graphs of functions, for the rules and the derived properties of `spyre-uop`.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Location, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{arith, func};
use spyre_uop::dtype::DType;
use spyre_uop::element;
use spyre_uop::graph::Graph;
use spyre_uop::ids::{Id, NodeId};
use spyre_uop::op::{self, AddressSpace, CallKind, TensorType};
use spyre_uop::schema::Slot;
use spyre_uop::table::{Class, Row};

use super::attributes::{self, VALUE, tensor};
use super::function;

/// The graph of a function, with the functions that it calls.
pub(super) struct Program<'p> {
    /// The graph. The nodes of the arguments come first.
    pub(super) graph: Graph,
    /// The places of the nodes, in their order.
    pub(super) locations: Vec<Location<'p>>,
    /// The nodes that the function returns.
    pub(super) results: Vec<NodeId>,
    /// The nodes of the operations, by the keys of their values.
    pub(super) nodes: FxHashMap<ir::ValueKey, NodeId>,
}

/// The functions of a module, by their names.
pub(super) type Functions<'p> = FxHashMap<String, Op<'p>>;

/// Returns the functions of a module.
pub(super) fn functions(module: Op<'_>) -> Functions<'_> {
    let functions = ir::blocks(module).flat_map(ir::operations);
    let functions = functions.filter(|op| ir::name(*op) == func::FUNC);
    functions
        .filter_map(|op| Some((attr::string(ir::attribute(op, "sym_name")?)?, op)))
        .collect()
}

/// Returns whether a function has operations of the dialect, or calls one that has. An imported function is a program,
/// too, if it only returns its arguments.
pub(super) fn is_program<'p>(function: Op<'p>, functions: &Functions<'p>) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![function];
    if function.attribute(super::function::NAME).is_ok() && ir::function_body(function).is_some() {
        return true;
    }
    while let Some(function) = stack.pop() {
        let Some(body) = ir::function_body(function) else {
            continue; // It is declared elsewhere.
        };
        if !seen.insert(ir::op_key(function)) {
            continue; // Another call has been followed.
        }
        for op in ir::operations(body) {
            let name = ir::name(op);
            if name.starts_with("uop.") {
                return true;
            }
            if name == func::CALL {
                let callee = ir::attribute(op, "callee").and_then(attr::flat_symbol);
                stack.extend(callee.and_then(|callee| functions.get(&callee).copied()));
            }
        }
    }
    false
}

/// Builds the graph of a function.
///
/// # Errors
/// An operation is not of the dialect, or breaks a rule of graphs; at the operation.
pub(super) fn read<'p>(
    function: Op<'p>,
    functions: &Functions<'p>,
) -> Result<Program<'p>, Diagnostic<'p>> {
    let mut reader = Reader {
        program: Program {
            graph: Graph::new(),
            locations: Vec::new(),
            results: Vec::new(),
            nodes: FxHashMap::default(),
        },
        functions,
        calls: FxHashMap::default(),
        bodies: FxHashMap::default(),
        open: FxHashSet::default(),
    };
    reader.program.results = reader.function(function, false)?;
    Ok(reader.program)
}

struct Reader<'a, 'p> {
    program: Program<'p>,
    functions: &'a Functions<'p>,
    /// The call of a result, and its number there.
    calls: FxHashMap<ir::ValueKey, (NodeId, usize)>,
    /// The nodes of bodies, by the keys of their functions.
    bodies: FxHashMap<ir::OpKey, NodeId>,
    /// The functions that are being read.
    open: FxHashSet<ir::OpKey>,
}

type Read<'p, T> = Result<T, Diagnostic<'p>>;

impl<'p> Reader<'_, 'p> {
    /// Adds a node.
    fn add(
        &mut self,
        of: Op<'p>,
        op: op::Op,
        sources: impl IntoIterator<Item = NodeId>,
    ) -> Read<'p, NodeId> {
        let added = self.program.graph.add(op, sources);
        self.program.locations.push(of.location());
        added.map_err(|broken| Diagnostic::error(of.location(), broken.to_string()))
    }

    /// Reads a function. Returns the nodes of its results.
    fn function(&mut self, function: Op<'p>, is_body: bool) -> Read<'p, Vec<NodeId>> {
        let Some(block) = ir::function_body(function) else {
            let message = "a function without a body is no program";
            return Err(Diagnostic::error(function.location(), message));
        };
        if !self.open.insert(ir::op_key(function)) {
            let message = "a function that calls itself is no program";
            return Err(Diagnostic::error(function.location(), message));
        }
        for number in 0..block.argument_count() {
            let argument: Val<'p> = block.argument(number).expect("it has so many").into();
            let ty = tensor(function, argument.r#type())?;
            let op = argument_op(function, number, ty, is_body)?;
            let node = self.add(function, op, [])?;
            self.program.nodes.insert(ir::value_key(argument), node);
        }
        let mut results = Vec::new();
        for op in ir::operations(block) {
            match ir::name(op) {
                func::RETURN => {
                    for value in op.operands() {
                        results.push(self.value(op, value)?);
                    }
                }
                func::CALL => self.call(op)?,
                // Upstream's passes replace an argument that is the same number in all calls by a constant.
                arith::CONSTANT => self.constant(op)?,
                name => {
                    let row = Row::of_operation(name).ok_or_else(|| {
                        let message = format!("'{name}' is no operation of a tensor program");
                        Diagnostic::error(op.location(), message)
                    })?;
                    self.op(op, row)?;
                }
            }
        }
        self.open.remove(&ir::op_key(function));
        Ok(results)
    }

    /// Returns the node of a value.
    fn value(&mut self, of: Op<'p>, value: Val<'p>) -> Read<'p, NodeId> {
        let key = ir::value_key(value);
        if let Some(node) = self.program.nodes.get(&key) {
            return Ok(*node);
        }
        // A call has a node for each result that is used.
        let (call, number) = self.calls[&key];
        let node = self.add(of, op::Op::GetTuple(number), [call])?;
        self.program.nodes.insert(key, node);
        Ok(node)
    }

    fn call(&mut self, call: Op<'p>) -> Read<'p, ()> {
        let callee = ir::attribute(call, "callee").and_then(attr::flat_symbol);
        let callee = callee.expect("a call has the name of a function");
        let function = self.functions[&callee];
        let key = ir::op_key(function);
        let body = match self.bodies.get(&key) {
            Some(body) => *body,
            None => {
                let results = self.function(function, true)?;
                let is_effect =
                    |id: &NodeId| self.program.graph.node(*id).ty == spyre_uop::graph::Type::Void;
                let body = match results.as_slice() {
                    [effect] if is_effect(effect) => *effect,
                    _ => self.add(call, op::Op::Tuple, results)?,
                };
                self.bodies.insert(key, body);
                body
            }
        };
        let mut sources = vec![body];
        for operand in call.operands() {
            sources.push(self.value(call, operand)?);
        }
        let is_opaque = call.attribute(function::OPAQUE).is_ok();
        let kind = if is_opaque {
            CallKind::Call
        } else {
            CallKind::Function
        };
        let node = self.add(call, op::Op::Call(kind), sources)?;
        for (number, result) in ir::results(call).enumerate() {
            let key = ir::value_key(result);
            if !ir::is_ranked_tensor(result.r#type()) {
                // The call is an effect itself.
                self.program.nodes.insert(key, node);
            } else {
                self.calls.insert(key, (node, number));
            }
        }
        Ok(())
    }

    fn op(&mut self, of: Op<'p>, row: &Row) -> Read<'p, ()> {
        if row.class == Class::Constant {
            return self.constant(of);
        }
        let mut sources = Vec::new();
        for operand in of.operands() {
            sources.push(self.value(of, operand)?);
        }
        let result = result(of);
        let op = attributes::read(of, row, result)?;
        attributes::swap(&op, &mut sources);
        let node = self.add(of, op, sources)?;
        self.program.nodes.insert(ir::value_key(result), node);
        Ok(())
    }

    /// Reads a constant of any shape.
    fn constant(&mut self, of: Op<'p>) -> Read<'p, ()> {
        let result = result(of);
        let node = self.elements(of, result)?;
        self.program.nodes.insert(ir::value_key(result), node);
        Ok(())
    }

    /// Adds the nodes of a constant of any shape.
    fn elements(&mut self, of: Op<'p>, result: Val<'p>) -> Read<'p, NodeId> {
        let ty = tensor(of, result.r#type())?;
        let value = of.attribute(VALUE).expect("a constant has a value");
        let dtype = ty.dtype;
        if let Some(splat) = attr::splat(value) {
            let bits = bits(dtype, splat);
            if ty.dtype != DType::U8 || ty.shape.len() != 1 {
                let scalar = self.scalar(of, dtype, bits)?;
                let ones: Vec<u64> = vec![1; ty.shape.len()];
                if ones.is_empty() {
                    return Ok(scalar);
                }
                let reshape = op::Op::Reshape(ones.as_slice().into());
                let wide = self.add(of, reshape, [scalar])?;
                return self.add(of, op::Op::Expand(ty.shape), [wide]);
            }
            let byte = u8::try_from(bits).expect("the type has 8 bits");
            let count = usize::try_from(ty.shape[0]).expect("it is in memory");
            return self.add(of, op::Op::Binary(vec![byte; count].into()), []);
        }
        let Some(bytes) = attr::dense_bytes(value) else {
            let message = "has values that are not in the module";
            return Err(Diagnostic::error(of.location(), message));
        };
        if ty.dtype == DType::U8 && ty.shape.len() == 1 {
            return self.add(of, op::Op::Binary(bytes.to_vec().into()), []);
        }
        let width = usize::try_from(dtype.bits().div_ceil(8)).expect("a few bytes");
        let mut scalars = Vec::new();
        for bytes in bytes.chunks(width) {
            let mut wide = [0; 8];
            wide[..bytes.len()].copy_from_slice(bytes);
            let mut bits = u64::from_le_bytes(wide);
            if !dtype.is_float() {
                bits = element::wrapped(dtype, bits.into());
            }
            scalars.push(self.scalar(of, dtype, bits)?);
        }
        if scalars.is_empty() {
            let zero = self.scalar(of, dtype, 0)?;
            let wide = self.add(of, op::Op::Reshape([1].as_slice().into()), [zero])?;
            let none = op::Op::Shrink {
                offset: [0].as_slice().into(),
                shape: [0].as_slice().into(),
            };
            let none = self.add(of, none, [wide])?;
            return self.add(of, op::Op::Reshape(ty.shape), [none]);
        }
        let flat = self.add(of, op::Op::Stack, scalars)?;
        if ty.shape.len() == 1 {
            return Ok(flat);
        }
        self.add(of, op::Op::Reshape(ty.shape), [flat])
    }

    fn scalar(&mut self, of: Op<'p>, dtype: DType, bits: u64) -> Read<'p, NodeId> {
        let value = element::datum(dtype, bits);
        self.add(of, op::Op::Const { value, dtype }, [])
    }
}

/// Returns the result of an operation of the dialect, or of a constant.
fn result(of: Op<'_>) -> Val<'_> {
    ir::result(of, 0).expect("operations of the dialect have one result")
}

/// Returns the bits of an element.
pub(super) fn bits(dtype: DType, value: Attribute<'_>) -> u64 {
    if dtype.is_float() {
        let value = attr::number(value).expect("an element of a float type is a float");
        return element::rounded(dtype, value);
    }
    let value = attr::integer(value).expect("an element of an integer type is an integer");
    element::wrapped(dtype, value.into())
}

/// Returns the operation of an argument of a function: a parameter of a body, else a buffer, with the number of the
/// argument if it has none.
fn argument_op<'p>(
    function: Op<'p>,
    number: usize,
    ty: TensorType,
    is_body: bool,
) -> Read<'p, op::Op> {
    let default_slot = u32::try_from(number).expect("functions have few arguments");
    let named = |name| ir::argument_attribute(function, number, name);
    let slot = |name| match named(name) {
        None => Ok(None),
        Some(value) => {
            let slot = attr::integer(value).and_then(|slot| u32::try_from(slot).ok());
            slot.map(Some).ok_or_else(|| {
                let message =
                    format!("'{name}' of argument {number} is no number of a buffer or parameter");
                Diagnostic::error(function.location(), message)
            })
        }
    };
    if is_body {
        return Ok(op::Op::Param {
            slot: Slot::Number(default_slot),
            ty,
            bounds: None,
        });
    }
    if let Some(slot) = slot(function::PARAM)? {
        return Ok(op::Op::Param {
            slot: Slot::Number(slot),
            ty,
            bounds: None,
        });
    }
    Ok(op::Op::Buffer {
        slot: slot(function::SLOT)?.unwrap_or(default_slot),
        ty,
        device: named(function::DEVICE).map(attributes::device_of),
        space: AddressSpace::Global,
    })
}

impl<'p> Program<'p> {
    /// Returns the place of a node.
    pub(super) fn location(&self, node: NodeId) -> Location<'p> {
        self.locations[node.position()]
    }
}
