//! The JSON form `inductor-loop-ir`, version 1, as it is in a file.
//!
//! A field has the contents of the file: names are texts and are not resolved. `pre`, `post` and the other decisions of
//! a scheduler are not read: they are results of passes.

use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};
use std::fmt;

mod read;

pub use crate::table::Table;
pub use crate::value::Value;
pub use read::{Part, ReadError, StreamError, Tail, read, stream};

/// The value of `format`.
pub const FORMAT: &str = "inductor-loop-ir";

/// The newest version that is read, and the one that is written.
pub const VERSION: u64 = 1;

/// One compiled graph.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Graph {
    /// [`FORMAT`].
    pub format: Text,
    /// [`VERSION`].
    pub version: u64,
    /// The version of PyTorch that wrote the file.
    pub torch: Text,
    /// The number of the graph in its program.
    #[serde(default)]
    pub graph: u64,
    /// The scheduler of each kind of device.
    #[serde(default)]
    pub backend: Table<Text>,
    /// The symbolic sizes.
    #[serde(default)]
    pub symbols: Vec<Symbol>,
    /// The inputs, in the order of the call.
    pub inputs: Vec<Input>,
    /// The tensors that the graph holds.
    #[serde(default)]
    pub constants: Vec<Constant>,
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// The operations, in program order.
    pub ops: Vec<Op>,
    /// The outputs.
    pub outputs: Vec<Ref>,
    /// `"forward"` or `"backward"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Text>,
}

/// A symbolic size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Symbol {
    /// The name, such as `s77`.
    pub name: Text,
    /// The size that the graph was traced with.
    #[serde(default)]
    pub hint: Option<i64>,
    /// The smallest size.
    #[serde(default)]
    pub min: Option<i64>,
    /// The largest size.
    #[serde(default)]
    pub max: Option<i64>,
}

/// An input of the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The name.
    pub name: Text,
    /// `tensor` or `scalar`.
    pub kind: InputKind,
    /// The layout of a tensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// The value of a scalar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expr: Option<Expr>,
    /// The name in the program, of a parameter, a buffer or an argument: `layers.0.weight`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Text>,
}

/// The kind of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    /// A tensor.
    Tensor,
    /// A size.
    Scalar,
}

/// A tensor that the graph holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Constant {
    /// The name.
    pub name: Text,
    /// The element type.
    pub dtype: Text,
    /// The extents.
    pub size: Vec<i64>,
    /// The strides, in elements.
    pub stride: Vec<i64>,
    /// The elements, the last dimension the fastest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// A buffer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Buffer {
    /// The name.
    pub name: Text,
    /// The layout before layouts are decided.
    pub lowered: Layout,
    /// The layout afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<Layout>,
}

/// Where the elements of a buffer are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Layout {
    /// The kind of layout.
    pub kind: LayoutKind,
    /// The element type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtype: Option<Text>,
    /// The device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<Text>,
    /// The extents, in elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Vec<Expr>>,
    /// The strides, in elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stride: Option<Vec<Expr>>,
    /// The place of the first element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Expr>,
    /// The buffer that it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Text>,
    /// Where it begins there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_offset: Option<Expr>,
    /// The buffer that it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Text>,
}

/// The kind of a layout.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayoutKind {
    /// Decided.
    Fixed,
    /// A guess.
    Flexible,
    /// Inside of another buffer.
    NonOwning,
    /// In place of another buffer.
    Mutation,
    /// Several tensors.
    MultiOutput,
    /// No tensor.
    #[default]
    None,
}

/// An expression: a number, a name, or a function of others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A number.
    Number(i64),
    /// A loop, an indirect index, or a symbol.
    Name(Text),
    /// A function by its name.
    Apply(Text, Vec<Expr>),
}

/// A reference to a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Ref {
    /// None.
    Null,
    /// A buffer, or a view of its memory.
    Buffer(Text, Option<Box<Layout>>),
    /// A size.
    Expr(Expr),
    /// Several.
    List(Vec<Ref>),
}

/// A name. Short names, as most are, need no allocation.
pub type Text = smol_str::SmolStr;

/// The fields of an object with names that the form does not fix.
pub type Fields = Table<Value>;

/// An operation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Op {
    /// The name.
    pub name: Text,
    /// The kind.
    pub kind: OpKind,
    /// The buffers that it makes.
    pub buffers: Vec<Text>,
    /// The node of the graph that it originates from.
    #[serde(default)]
    pub origin: Option<Text>,
    /// All nodes of the graph that it originates from.
    #[serde(default)]
    pub origins: Vec<Text>,
    /// The type that it computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtype: Option<Text>,
    /// The extents of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranges: Option<Vec<Expr>>,
    /// The extents that it reduces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction_ranges: Option<Vec<Expr>>,
    /// The kind of the reduction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction_type: Option<Text>,
    /// The type that it reduces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub src_dtype: Option<Text>,
    /// The hint of Inductor about a reduction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction_hint: Option<Text>,
    /// Which of its results the buffer is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_index: Option<i64>,
    /// The extents of a scan, or of a sort.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan_ranges: Option<Vec<Expr>>,
    /// The buffers that it writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutates: Option<Vec<Text>>,
    /// The buffers that it shares memory with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aliases: Option<Vec<Text>>,
    /// The tiling hints of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<Value>,
    /// The body of a loop nest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
    /// The kernel from outside.
    #[serde(default, rename = "extern", skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Extern>,
}

/// The kind of an operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpKind {
    /// A loop nest that computes elements independently.
    Pointwise,
    /// A loop nest that combines elements.
    Reduction,
    /// A loop nest that stores the prefix combinations of a reduction.
    Scan,
    /// A loop nest that orders elements.
    Sort,
    /// A loop nest that stores at computed places.
    Scatter,
    /// A kernel from outside.
    Extern,
    /// One result of such a kernel.
    MultiOutput,
    /// A concatenation.
    Concat,
    /// No work.
    #[default]
    Nop,
}

/// The body of a loop nest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// The loops, with their extents.
    pub vars: Vec<(Text, Expr)>,
    /// The reduced loops, with their extents.
    pub rvars: Vec<(Text, Expr)>,
    /// The indirect indices, with the extents that they are below.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub indirect: Table<Expr>,
    /// The index expressions.
    pub index: Table<Index>,
    /// The blocks: `body`, and the blocks that its instructions name.
    pub blocks: Table<Vec<Inst>>,
}

/// An index expression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Index {
    /// The place in the memory of a buffer, in elements.
    pub e: Expr,
    /// The simplicity, which follows from `e` and is written but not read.
    #[serde(skip_deserializing)]
    pub class: &'static str,
    /// The expression as PyTorch prints it. It is written alone.
    #[serde(skip_deserializing)]
    pub text: String,
    /// The access to each buffer that it is for.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub at: Table<Access>,
}

/// The coordinates of an access, in a view of the memory of a buffer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// The extents of the view.
    pub size: Vec<Expr>,
    /// The strides, in elements.
    pub stride: Vec<Expr>,
    /// The place of its first element.
    pub offset: Expr,
    /// The coordinates.
    pub subscript: Vec<Expr>,
}

/// An instruction of a block. Which fields it has depends on `op`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Inst {
    /// The name of its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Text>,
    /// The name of its operation.
    pub op: Text,
    /// All other fields.
    #[serde(flatten)]
    pub fields: Fields,
}

/// A kernel from outside.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Extern {
    /// Inductor's class of it.
    pub class: Text,
    /// The kernel that is called.
    #[serde(default)]
    pub kernel: Option<Text>,
    /// The operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op_overload: Option<Text>,
    /// The tensors that it reads.
    #[serde(default)]
    pub inputs: Vec<Ref>,
    /// Arguments that are no tensors.
    #[serde(default)]
    pub constant_args: Vec<Value>,
    /// Arguments by name.
    #[serde(default)]
    pub kwargs: Fields,
    /// The arguments in their order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Value>,
    /// The path to a result in the return value of the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indices: Option<Value>,
    /// Further fields.
    #[serde(flatten)]
    pub other: Fields,
}

/// The fields of an instruction, without the copy that serde makes of flattened fields.
struct InstVisitor;

impl<'de> Visitor<'de> for InstVisitor {
    type Value = Inst;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an instruction")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Inst, A::Error> {
        let (mut id, mut op) = (None, None);
        let mut fields = Vec::new();
        while let Some(key) = map.next_key()? {
            match key {
                InstKey::Id => id = map.next_value()?,
                InstKey::Op => op = Some(map.next_value()?),
                InstKey::Field(name) => fields.push((name, map.next_value()?)),
            }
        }
        let op = op.ok_or_else(|| de::Error::missing_field("op"))?;
        let fields = fields.into();
        Ok(Inst { id, op, fields })
    }
}

/// The name of a field of an instruction.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum InstKey {
    Id,
    Op,
    Field(Text),
}

impl<'de> Deserialize<'de> for Inst {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InstVisitor)
    }
}

impl Serialize for Expr {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(value) => serializer.serialize_i64(*value),
            Self::Name(name) => serializer.serialize_str(name),
            Self::Apply(function, operands) => {
                let mut list = serializer.serialize_seq(Some(operands.len() + 1))?;
                list.serialize_element(function)?;
                for operand in operands {
                    list.serialize_element(operand)?;
                }
                list.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Expr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExprVisitor)
    }
}

struct ExprVisitor;

impl<'de> Visitor<'de> for ExprVisitor {
    type Value = Expr;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer, a name, or a list of a function and its operands")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Expr, E> {
        Ok(Expr::Number(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Expr, E> {
        let value = i64::try_from(value).map_err(|_| E::custom("a number above 63 bits"))?;
        Ok(Expr::Number(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Expr, E> {
        Ok(Expr::Name(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Expr, A::Error> {
        let function: Text = list
            .next_element()?
            .ok_or_else(|| de::Error::custom("an expression without a function"))?;
        let mut operands = Vec::new();
        while let Some(operand) = list.next_element()? {
            operands.push(operand);
        }
        Ok(Expr::Apply(function, operands))
    }
}

/// A reference to a buffer, or a size, in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RefFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    buffer: Option<Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    view: Option<Box<Layout>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expr: Option<Expr>,
}

impl Serialize for Ref {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = match self {
            Self::Null => return serializer.serialize_none(),
            Self::List(list) => return list.serialize(serializer),
            Self::Buffer(buffer, view) => RefFields {
                buffer: Some(buffer.clone()),
                view: view.clone(),
                expr: None,
            },
            Self::Expr(expr) => RefFields {
                buffer: None,
                view: None,
                expr: Some(expr.clone()),
            },
        };
        fields.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Ref {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RefVisitor)
    }
}

struct RefVisitor;

impl<'de> Visitor<'de> for RefVisitor {
    type Value = Ref;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null, {\"buffer\": ..}, {\"expr\": ..}, or a list of these")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Ref, E> {
        Ok(Ref::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Ref, A::Error> {
        let mut refs = Vec::new();
        while let Some(element) = list.next_element()? {
            refs.push(element);
        }
        Ok(Ref::List(refs))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Ref, A::Error> {
        let fields = RefFields::deserialize(de::value::MapAccessDeserializer::new(map))?;
        match (fields.buffer, fields.view, fields.expr) {
            (Some(buffer), view, None) => Ok(Ref::Buffer(buffer, view)),
            (None, None, Some(expr)) => Ok(Ref::Expr(expr)),
            _ => Err(de::Error::custom("a reference has a buffer or an expr")),
        }
    }
}
