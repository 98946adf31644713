//! Graphs of functions, for the rules and the derived properties of `spyre-uop`.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{Attribute, Location, ShapedTypeLike, Type, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_dialects::attr;
use spyre_dialects::uop_attr::{self, Keyword};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_uop::dtype::DType;
use spyre_uop::element;
use spyre_uop::graph::Graph;
use spyre_uop::ids::{Id, NodeId};
use spyre_uop::op::{
    self, AddressSpace, AxisType, CallKind, Collect, Combine, Elementwise, Marker, TensorType,
};
use spyre_uop::schema::{Device, Slot};

use super::{function, types};

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
    let functions = functions.filter(|op| ir::name(*op) == "func.func");
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
            if name == "func.call" {
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
                "func.return" => {
                    for value in op.operands() {
                        results.push(self.value(op, value)?);
                    }
                }
                "func.call" => self.call(op)?,
                // Upstream's passes build them for arguments that are one number in all calls.
                "arith.constant" => self.op(op, "const")?,
                name => {
                    let Some(mnemonic) = name.strip_prefix("uop.") else {
                        let message = format!("'{name}' is no operation of a tensor program");
                        return Err(Diagnostic::error(op.location(), message));
                    };
                    self.op(op, mnemonic)?;
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

    fn op(&mut self, of: Op<'p>, mnemonic: &str) -> Read<'p, ()> {
        let mut sources = Vec::new();
        for operand in of.operands() {
            sources.push(self.value(of, operand)?);
        }
        let result = ir::result(of, 0).expect("operations of the dialect have one result");
        let node = match mnemonic {
            "const" => self.constant(of, result)?,
            _ => {
                match (mnemonic, sources.as_mut_slice()) {
                    ("load", [_, gate, alternative]) => std::mem::swap(gate, alternative),
                    ("store", [value, buffer, ..]) => std::mem::swap(value, buffer),
                    _ => {}
                }
                let op = operation(of, mnemonic, result)?;
                self.add(of, op, sources)?
            }
        };
        self.program.nodes.insert(ir::value_key(result), node);
        Ok(())
    }

    /// Adds a constant of any shape.
    fn constant(&mut self, of: Op<'p>, result: Val<'p>) -> Read<'p, NodeId> {
        let ty = tensor(of, result.r#type())?;
        let value = of.attribute("value").expect("a constant has a value");
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

/// Returns the bits of an element.
pub(super) fn bits(dtype: DType, value: Attribute<'_>) -> u64 {
    if dtype.is_float() {
        let value = attr::number(value).expect("an element of a float type is a float");
        return element::rounded(dtype, value);
    }
    let value = attr::integer(value).expect("an element of an integer type is an integer");
    element::wrapped(dtype, value.into())
}

/// Returns the type of a tensor.
fn tensor<'p>(of: Op<'p>, ty: Type<'p>) -> Read<'p, TensorType> {
    let wrong = || {
        let message = format!("{ty} is no tensor of known extents of a tensor program");
        Diagnostic::error(of.location(), message)
    };
    if !ir::is_ranked_tensor(ty) {
        return Err(wrong());
    }
    let tensor = RankedTensorType::try_from(ty).expect("it is a ranked tensor");
    let dims = 0..tensor.rank();
    let shape: Option<Vec<u64>> = dims
        .map(|dim| match tensor.dim_size(dim) {
            Ok(DimSize::Static(extent)) => Some(extent),
            _ => None,
        })
        .collect();
    let (Some(shape), Some(dtype)) = (shape, types::dtype(tensor.element())) else {
        return Err(wrong());
    };
    Ok(TensorType {
        dtype,
        shape: shape.as_slice().into(),
    })
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
        device: named(function::DEVICE).map(device),
        space: AddressSpace::Global,
    })
}

/// Reads a device, which the verifier has seen.
fn device(attribute: Attribute<'_>) -> Device {
    let text = |attribute| attr::string(attribute).unwrap_or_default().into();
    if let Some(name) = attr::string(attribute) {
        return Device::One(name.into());
    }
    Device::Many(attr::elements(attribute).into_iter().map(text).collect())
}

/// Returns the operation of one of the dialect that is no constant.
fn operation<'p>(of: Op<'p>, mnemonic: &str, result: Val<'p>) -> Read<'p, op::Op> {
    let named = |name: &str| ir::attribute(of, name);
    let integer = |name: &str| named(name).and_then(attr::integer);
    let natural = |name: &str| {
        let value = integer(name).expect("the verifier has seen the number");
        u64::try_from(value).expect("the verifier has seen its sign")
    };
    let slot = |name: &str| {
        u32::try_from(natural(name)).map_err(|_| {
            let message = format!("{} is too large for the number of a buffer", natural(name));
            Diagnostic::error(of.location(), message)
        })
    };
    let numbers = |name: &str| -> Vec<u64> {
        attr::dense_integers(named(name)).expect("the verifier has seen the numbers")
    };
    let shape = |name: &str| numbers(name).as_slice().into();
    let axes = |name: &str| {
        let axes = numbers(name).into_iter();
        axes.map(|axis| usize::try_from(axis).expect("the verifier has seen the axis"))
    };
    let keyword = |name: &str, keyword: Keyword| {
        named(name).map(|value| keyword.number(value).expect("a keyword of its kind"))
    };
    let space =
        |name: &str| keyword(name, Keyword::AddressSpace).map(|number| AddressSpace::ALL[number]);
    let ty = || tensor(of, result.r#type());
    Ok(match mnemonic {
        "buffer" => op::Op::Buffer {
            slot: slot("slot")?,
            ty: ty()?,
            device: named("device").map(device),
            space: space("space").expect("a buffer is in a memory"),
        },
        "variable" => op::Op::Param {
            slot: match named("slot").and_then(attr::string) {
                Some(name) => Slot::Name(name.into()),
                None => Slot::Number(slot("slot")?),
            },
            ty: ty()?,
            bounds: integer("min")
                .zip(integer("max"))
                .map(|(min, max)| [min, max]),
        },
        "permute" => op::Op::Permute(axes("perm").collect()),
        "flip" => {
            let flags = of.attribute("flags").expect("a flip has flags");
            op::Op::Flip(uop_attr::flags(flags).into_iter().collect())
        }
        "reshape" => op::Op::Reshape(shape("shape")),
        "expand" => op::Op::Expand(shape("shape")),
        "pad" => op::Op::Pad {
            offset: shape("offset"),
            shape: shape("shape"),
        },
        "shrink" => op::Op::Shrink {
            offset: shape("offset"),
            shape: shape("shape"),
        },
        "index" => op::Op::Index,
        "stack" => op::Op::Stack,
        "bitcast" => op::Op::Bitcast(ty()?.dtype),
        "cast" => op::Op::Cast(ty()?.dtype),
        "reduce" => {
            let kind = keyword("kind", Keyword::ReduceKind).expect("a reduction has a kind");
            op::Op::Reduce {
                combine: Combine::ALL[kind],
                axes: axes("axes").collect(),
            }
        }
        "contiguous" => op::Op::Marker(Marker::Contiguous),
        "contiguous_backward" => op::Op::Marker(Marker::ContiguousBackward),
        "detach" => op::Op::Marker(Marker::Detach),
        "copy" => op::Op::Copy(device(named("device").expect("a copy has a device"))),
        "replicated" => {
            let axis = usize::try_from(natural("axis"));
            op::Op::Replicated(axis.expect("the verifier has seen the axis"))
        }
        "load" => op::Op::Load {
            device: named("device").map(device),
            space: space("space"),
        },
        "store" => op::Op::Store,
        "after" => op::Op::After,
        "range" => {
            let kind = keyword("axis_type", Keyword::AxisType).expect("a range has a kind");
            op::Op::Range {
                bound: natural("bound"),
                axis_id: natural("axis"),
                axis_type: AxisType::ALL[kind].0,
            }
        }
        "end" => op::Op::End,
        "group" => op::Op::Collect(Collect::Group),
        "sink" => op::Op::Collect(Collect::Sink),
        "linear" => op::Op::Collect(Collect::Linear),
        _ => {
            let mut all = Elementwise::all();
            let elementwise =
                all.find(|elementwise| elementwise.name().eq_ignore_ascii_case(mnemonic));
            op::Op::Elementwise(elementwise.expect("the dialect has no other operations"))
        }
    })
}

impl<'p> Program<'p> {
    /// Returns the place of a node.
    pub(super) fn location(&self, node: NodeId) -> Location<'p> {
        self.locations[node.position()]
    }
}
