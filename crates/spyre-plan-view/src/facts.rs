//! The facts of planned functions.

use serde::{Serialize, Serializer};
use spyre_layout::Bytes;

/// The name of the format, and its version.
const FORMAT: &str = "spyre-plan-1";

/// The planned functions of a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    format: &'static str,
    /// The functions, in the order of the module.
    pub functions: Vec<Function>,
    /// The program at the levels that it went through, the first one first.
    pub levels: Vec<Level>,
    /// The layouts of tensors of operations, each once.
    pub layouts: Vec<TensorLayout>,
}

/// A program at a level, such as linalg.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Level {
    /// The name of the level.
    pub name: String,
    /// Its functions, in the order of the module.
    pub graphs: Vec<Graph>,
}

/// The operations of a function as a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Graph {
    /// The name of the function.
    pub function: String,
    /// Its arguments, then its operations in the order of the text, without constants and what computes indices.
    pub nodes: Vec<Node>,
}

/// An argument of a function, or an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    /// The name of the operation, or `argument N`.
    pub name: String,
    /// The type of its first result, or of the argument; empty for an operation without results.
    #[serde(rename = "type")]
    pub ty: String,
    /// Where it is in the source: `file:line:column`. Empty for an argument.
    pub location: String,
    /// The loops around it.
    pub depth: usize,
    /// The numbers of the nodes whose results it reads, each once, ascending.
    pub inputs: Vec<usize>,
    /// The step of a planned operation ([`Function::operations`]).
    pub step: Option<usize>,
}

/// The layout of a tensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TensorLayout {
    /// The type of the tensor.
    #[serde(rename = "type")]
    pub ty: String,
    /// The layout in words and numbers.
    pub words: String,
    /// A drawing, in SVG; `None` for a tensor that is too large to draw.
    #[serde(skip)]
    pub picture: Option<String>,
}

impl Plan {
    /// Returns the plan of some functions.
    #[must_use]
    pub fn new(functions: Vec<Function>) -> Self {
        Self {
            format: FORMAT,
            functions,
            levels: Vec::new(),
            layouts: Vec::new(),
        }
    }

    /// Returns the plan as JSON (`spyre-plan-1`).
    #[must_use]
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.expect("numbers, strings and lists of them are JSON") + "\n"
    }
}

/// A planned function. Steps count its device operations in the order of its text, from 0; a loop's operations count once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Function {
    /// The name.
    pub name: String,
    /// The target that it is planned for.
    pub target: Target,
    /// The bytes that it moves, and its cost.
    pub totals: Totals,
    /// The loops; an outer loop comes before the loops in it.
    pub loops: Vec<Loop>,
    /// The operations, by their steps.
    pub operations: Vec<Operation>,
    /// The buffers of the results of its operations, in the order of the text. Arguments and results of the function
    /// are none.
    pub values: Vec<Value>,
}

/// The machine of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Target {
    /// The cores.
    pub cores: u32,
    /// The bytes of each core's scratchpad (LX) that programs have.
    #[serde(serialize_with = "number")]
    pub lx_bytes: Bytes,
}

/// The bytes that a function moves, and its cost, loops multiplied out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Bytes from and to device memory; bytes that several cores read in the same execution count once.
    pub distinct_bytes: u128,
    /// The same, where every core's read counts.
    pub all_bytes: u128,
    /// Bytes that no plan avoids: every argument that is used read once, every result written once.
    pub compulsory_bytes: u128,
    /// A lower bound on the bytes of plans with these layouts: the compulsory ones, and the bytes of values that go
    /// through device memory because their layout changes.
    pub unavoidable_bytes: u128,
    /// The most bytes of a core's scratchpad that values take at once.
    #[serde(serialize_with = "number")]
    pub lx_bytes_taken: Bytes,
    /// How many values between operations are in device memory.
    pub values_in_memory: usize,
    /// The modelled time.
    pub picoseconds: u64,
    /// The time in which all cores compute as much, if the work is shared equally.
    pub compute_picoseconds: u64,
    /// The time in which device memory moves the compulsory bytes.
    pub memory_picoseconds: u64,
    /// Executed operations.
    pub executions: u64,
}

/// A counted loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loop {
    /// The step of its first operation.
    pub from: usize,
    /// The step after its last operation.
    pub to: usize,
    /// The loops around it.
    pub depth: usize,
    /// The trip count, in one execution of the loop around it.
    pub iterations: u64,
    /// The place in the source: `file:line:column`.
    pub location: String,
}

/// A device operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Operation {
    /// The name.
    pub name: String,
    /// The place in the source: `file:line:column`.
    pub location: String,
    /// How often it is executed, loops multiplied out.
    pub executions: u64,
    /// The extents of its iteration space in one execution, in elements: a tile in a loop.
    pub iteration_space: Vec<i64>,
    /// Cores per dimension of its iteration space.
    pub split: Vec<u32>,
    /// The tensors: operands, then the result.
    pub tensors: Vec<TensorTraffic>,
    /// The modelled time, all executions together.
    pub picoseconds: u64,
    /// The bytes that it moves from and to device memory in all executions; a broadcast counts once.
    pub distinct_bytes: u128,
    /// The same, where every core's read counts.
    pub all_bytes: u128,
}

/// A tensor of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TensorTraffic {
    /// Its type, with the layout.
    #[serde(rename = "type")]
    pub ty: String,
    /// Whether it is read or written.
    pub role: Role,
    /// The memory that it is in.
    pub space: Space,
    /// The buffer that it is in; `None` for an argument or a result of the function.
    pub value: Option<ValueId>,
    /// The bytes in one execution, on all cores together, each counted once.
    #[serde(serialize_with = "number")]
    pub bytes: Bytes,
    /// The number of cores that read each byte.
    pub fan_out: u32,
}

/// The use of a tensor by an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It reads it.
    Read,
    /// It writes it.
    Write,
}

/// A memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// The scratchpads of the cores.
    Lx,
    /// The kernel's pool in device memory.
    Pool,
    /// An argument or a result of the function, in device memory.
    Argument,
}

/// The number of a buffer among [`Function::values`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ValueId(pub usize);

/// The buffer of a value that an operation makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Value {
    /// The operation that makes it.
    pub made_by: String,
    /// The place in the source: `file:line:column`.
    pub location: String,
    /// The memory that it is in.
    pub space: Space,
    /// The first byte there.
    #[serde(serialize_with = "number")]
    pub address: Bytes,
    /// The bytes that it needs there; in LX, the bytes on each core.
    #[serde(serialize_with = "number")]
    pub bytes: Bytes,
    /// The cores that have a part of it: a prefix of the cores. 0 in device memory.
    pub cores: u32,
    /// The step that makes it.
    pub from: usize,
    /// The step after its last use, uses in later iterations included.
    pub to: usize,
    /// The buffer that it is written over while the operation still reads that.
    pub in_place_of: Option<ValueId>,
    /// The reason why it is not in LX; `None` for a value that is there.
    pub reason: Option<String>,
    /// The bytes that it moves from and to device memory in all executions; a broadcast counts once.
    pub distinct_bytes: u128,
}

/// Writes bytes as a number.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn number<S: Serializer>(bytes: &Bytes, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(bytes.get())
}
