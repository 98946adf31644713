//! Builds the `inductor.graph` of a graph that PyTorch has exported.
//!
//! A name of the file denotes a value from its definition on. After a write in place, it denotes the new value.

mod body;
mod build;
mod fields;
mod kernel;
mod layout;
mod path;

use std::collections::BTreeMap;
use std::rc::Rc;

use build::{region, result};
use fields::Tensors;
use melior::Context;
use melior::ir::attribute::{DenseElementsAttribute, IntegerAttribute, StringAttribute};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{AffineMap, Attribute, Location, ShapedTypeLike, Type};
use path::Path;
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::inductor_attr::Sym;
use spyre_inductor::schema::{self, Part, StreamError, Tail, Text};
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpParts, Val};
use spyre_ods::inductor;
use thiserror::Error;

use super::memo::Memo;
use super::table::Kind;
use super::{graph, table};

pub(super) use layout::{extents, own_layout};

/// The reason why a graph is not imported.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("at {path}: {reason}")]
pub struct ImportError {
    /// The place, from the root of the JSON.
    pub path: String,
    /// The reason.
    pub reason: String,
}

type Result<T, E = ImportError> = std::result::Result<T, E>;

/// Builds the `inductor.graph` of a graph under a name. Its operations are at the location, with their names.
///
/// # Errors
/// The first part that violates the format, or that the dialect cannot represent. The operations built until then stay.
pub fn import<'p>(
    context: &'p Context,
    at: At<'p>,
    location: Location<'p>,
    mut from: schema::Graph,
    name: &str,
) -> Result<(), ImportError> {
    let ops = std::mem::take(&mut from.ops);
    let tail = Tail {
        outputs: std::mem::take(&mut from.outputs),
        phase: from.phase.take(),
    };
    let mut import = Import::begin(context, at, location, from, name)?;
    // Each is dropped after it is built: together they are most of the memory of a graph.
    for op in ops {
        import.op(&op)?;
    }
    import.end(&tail)
}

/// Builds the `inductor.graph` of a file while it is read, as [`import`] does, under the name `graph` with its number.
///
/// # Errors
/// The first part that violates the format, or that the dialect cannot represent. The operations built until then stay.
pub fn read<'p>(
    context: &'p Context,
    at: At<'p>,
    location: Location<'p>,
    file: &[u8],
) -> Result<(), StreamError<ImportError>> {
    let mut import: Option<Import<'p>> = None;
    schema::stream(file, |part| {
        match (part, &mut import) {
            (Part::Head(head), none) => {
                let name = format!("graph{}", head.graph);
                *none = Some(Import::begin(context, at, location, *head, &name)?);
            }
            (Part::Op(op), Some(import)) => import.op(&op)?,
            (Part::Tail(tail), Some(import)) => import.end(&tail)?,
            (Part::Op(_) | Part::Tail(_), None) => unreachable!("a head is first"),
        }
        Ok(())
    })
}

fn symbols<'p>(context: &'p Context, symbols: &[schema::Symbol]) -> Result<Attribute<'p>> {
    let symbols = symbols.iter().enumerate().map(|(number, symbol)| {
        let sym = Sym {
            name: symbol.name.to_string(),
            hint: symbol.hint,
            min: symbol.min,
            max: symbol.max,
        };
        sym.attribute(context).ok_or_else(|| ImportError {
            path: Path::Root.field("symbols").item(number).to_string(),
            reason: format!(
                "the hint {:?} of '{}' is not from {:?} to {:?}",
                symbol.hint, symbol.name, symbol.min, symbol.max
            ),
        })
    });
    Ok(attr::array(
        context,
        &symbols.collect::<Result<Vec<_>, _>>()?,
    ))
}

/// A graph that is being imported.
struct Import<'p> {
    context: &'p Context,
    /// The graph, without its operations and the entries after them.
    head: Rc<schema::Graph>,
    file: Location<'p>,
    /// The operation that is being imported.
    here: Location<'p>,
    /// The `inductor.graph`.
    graph: Op<'p>,
    /// The block.
    block: Blk<'p>,
    /// The number of the next operation.
    next: usize,
    /// The current values of names.
    values: FxHashMap<Text, Val<'p>>,
    /// The buffers that were written in place of another one, by the buffer that has the memory: both names denote its
    /// value.
    memory: FxHashMap<Text, Text>,
    /// The buffers, by their numbers.
    buffers: FxHashMap<Text, usize>,
    /// The inputs that are tensors, by their numbers.
    inputs: FxHashMap<Text, usize>,
    /// The inputs that have been written, in the order of the first time.
    mutated: Vec<Text>,
    /// The device of all buffers.
    device: Option<Text>,
    memos: Memos<'p>,
    /// The tensors of the kernel that is being imported.
    tensors: Tensors<'p>,
}

/// The parts that have been built, by their source in the file.
#[derive(Default)]
struct Memos<'p> {
    /// The types of layouts.
    types: Memo<schema::Layout, Type<'p>>,
    /// The maps of expressions of symbols.
    sizes: Memo<Vec<schema::Expr>, AffineMap<'p>>,
    /// The maps of expressions of loops and symbols, by the names of the loops.
    places: Memo<Vec<Text>, Places<'p>>,
    /// The numbers of values and of indices of stores.
    segments: Memo<[usize; 2], Attribute<'p>>,
}

/// The maps of expressions of the same loops.
type Places<'p> = Rc<Memo<Vec<schema::Expr>, Attribute<'p>>>;

fn error<T>(path: impl ToString, reason: impl ToString) -> Result<T> {
    Err(ImportError {
        path: path.to_string(),
        reason: reason.to_string(),
    })
}

impl<'p> Import<'p> {
    /// Builds the graph, its inputs and its constants.
    fn begin(
        context: &'p Context,
        at: At<'p>,
        location: Location<'p>,
        head: schema::Graph,
        name: &str,
    ) -> Result<Self> {
        let number = i64::try_from(head.graph).unwrap_or(i64::MAX);
        let number = IntegerAttribute::new(IntegerType::new(context, 64).into(), number);
        let text = |text: &str| Attribute::from(StringAttribute::new(context, text));
        let mut parts = OpParts::named(inductor::GRAPH, &[])
            .with("sym_name", text(name))
            .with(graph::TORCH, text(&head.torch))
            .with(graph::NUMBER, number)
            .region(region(&[]));
        if !head.backend.is_empty() {
            let backend = head.backend.iter();
            let backend: Vec<_> = backend
                .map(|(device, scheduler)| (device, text(scheduler)))
                .collect();
            parts = parts.with(graph::BACKEND, attr::dictionary(context, &backend));
        }
        if !head.symbols.is_empty() {
            parts = parts.with(graph::SYMBOLS, symbols(context, &head.symbols)?);
        }
        let graph = parts.insert(at, &[], location, context);
        let mut import = Self {
            context,
            head: Rc::new(head),
            file: location,
            here: location,
            graph,
            block: ir::body(graph).expect("the graph has a block"),
            next: 0,
            values: FxHashMap::default(),
            memory: FxHashMap::default(),
            buffers: FxHashMap::default(),
            inputs: FxHashMap::default(),
            mutated: Vec::new(),
            device: None,
            memos: Memos::default(),
            tensors: Tensors::default(),
        };
        import.head()?;
        Ok(import)
    }

    fn head(&mut self) -> Result<()> {
        let head = Rc::clone(&self.head);
        for (number, input) in head.inputs.iter().enumerate() {
            self.input(number, input)?;
        }
        for (number, constant) in head.constants.iter().enumerate() {
            self.constant(&Path::Root.field("constants").item(number), constant)?;
        }
        for (number, buffer) in head.buffers.iter().enumerate() {
            let is_second = self.buffers.insert(buffer.name.clone(), number).is_some();
            if is_second || self.values.contains_key(&buffer.name) {
                let message = format!("a second buffer is called '{}'", buffer.name);
                return error(
                    Path::Root.field("buffers").item(number).field("name"),
                    message,
                );
            }
        }
        Ok(())
    }

    /// Builds the parts after the operations.
    fn end(&mut self, tail: &Tail) -> Result<()> {
        self.outputs(&tail.outputs)?;
        if let Some(phase) = &tail.phase {
            ir::set_attribute(self.graph, graph::PHASE, self.string(phase));
        }
        if let Some(device) = &self.device {
            ir::set_discardable_attribute(self.graph, graph::DEVICE, self.string(device));
        }
        Ok(())
    }

    fn input(&mut self, number: usize, input: &schema::Input) -> Result<()> {
        let inputs = Path::Root.field("inputs");
        let path = &inputs.item(number);
        let ty = match (&input.kind, &input.layout, &input.expr) {
            (schema::InputKind::Tensor, Some(layout), None) => {
                self.inputs.insert(input.name.clone(), number);
                self.buffer_type(&path.field("layout"), layout)?
            }
            (schema::InputKind::Scalar, None, Some(_)) => Type::index(self.context),
            _ => return error(path, "a tensor has a layout, and a scalar an expr"),
        };
        let parts = OpParts::named(inductor::INPUT, &[]);
        let parts = self.fields(parts, path, ("an input", input, table::INPUT))?;
        let value = self.insert(&input.name, parts, &[ty]);
        self.define(&path.field("name"), &input.name, result(value, 0))
    }

    fn constant(&mut self, path: &Path<'_>, constant: &schema::Constant) -> Result<()> {
        let numbers = |numbers: &[i64]| {
            let numbers = numbers.iter().copied();
            Some(numbers.map(schema::Expr::Number).collect())
        };
        let layout = schema::Layout {
            kind: schema::LayoutKind::Fixed,
            dtype: Some(constant.dtype.clone()),
            size: numbers(&constant.size),
            stride: numbers(&constant.stride),
            offset: Some(schema::Expr::Number(0)),
            ..schema::Layout::default()
        };
        let ty = self.buffer_type(path, &layout)?;
        let parts = OpParts::named(inductor::CONSTANT, &[]);
        let fields = ("a constant", constant, table::CONSTANT);
        let mut parts = self.fields(parts, path, fields)?;
        if let Some(data) = &constant.data {
            let value = self.elements(&path.field("data"), data, ty)?;
            parts = parts.with(table::ELEMENTS, value);
        }
        let value = self.insert(&constant.name, parts, &[ty]);
        self.define(&path.field("name"), &constant.name, result(value, 0))
    }

    /// Returns the elements of a constant.
    fn elements(
        &self,
        path: &Path<'_>,
        data: &schema::Value,
        ty: Type<'p>,
    ) -> Result<Attribute<'p>> {
        let tensor = RankedTensorType::try_from(ty).expect("a buffer is a tensor");
        let mut flat = Vec::new();
        flatten(data, &mut flat);
        let plain = RankedTensorType::new(&extents(tensor), tensor.element(), None);
        let count: u64 = extents(tensor).iter().product();
        if u64::try_from(flat.len()) != Ok(count) {
            return error(
                path,
                format!(
                    "the constant has {} elements, but its type has {count}",
                    flat.len()
                ),
            );
        }
        let values: Vec<Attribute<'p>> = flat
            .into_iter()
            .map(|value| self.number(path, value, tensor.element()))
            .collect::<Result<_, _>>()?;
        DenseElementsAttribute::new(plain.into(), &values)
            .map(Into::into)
            .or_else(|err| error(path, err))
    }

    /// Defines a name.
    fn define(&mut self, path: &Path<'_>, name: &str, value: Val<'p>) -> Result<()> {
        if self.values.insert(name.into(), value).is_some() {
            return error(path, format!("'{name}' is defined twice"));
        }
        Ok(())
    }

    /// Returns the name of the buffer that has the memory of a buffer.
    fn owner<'n>(&'n self, name: &'n str) -> &'n str {
        self.memory.get(name).map_or(name, Text::as_str)
    }

    /// Replaces the value of a name, and of all other names of its memory, with a new one.
    fn replace(&mut self, name: &str, value: Val<'p>) {
        let name = Text::from(self.owner(name));
        self.values.insert(name.clone(), value);
        let is_known = self.mutated.contains(&name);
        if self.inputs.contains_key(&name) && !is_known {
            self.mutated.push(name);
        }
    }

    fn value(&self, path: &Path<'_>, name: &str) -> Result<Val<'p>> {
        match self.values.get(self.owner(name)) {
            Some(value) => Ok(*value),
            None => error(
                path,
                format!("'{name}' is no input, constant or earlier buffer"),
            ),
        }
    }

    /// Builds the next operation.
    fn op(&mut self, op: &schema::Op) -> Result<()> {
        let ops = Path::Root.field("ops");
        let path = &ops.item(self.next);
        self.next += 1;
        let [buffer] = op.buffers.as_slice() else {
            let message = format!("an operation writes one buffer, got {}", op.buffers.len());
            return error(path.field("buffers"), message);
        };
        let row = table::of_kind(op.kind);
        self.tensors = Tensors::default();
        match row.fields.is_empty() {
            true => self.kernel(path, (row, op), buffer),
            false => self.nest(path, (row, op), buffer),
        }
    }

    /// Returns an operation with the attributes that all operations have.
    ///
    /// # Errors
    /// The hints are none.
    fn common(&self, row: &Kind, path: &Path<'_>, op: &schema::Op) -> Result<OpParts<'p>> {
        let fields = (row.noun, op, table::COMMON);
        self.fields(OpParts::named(row.op, &[]), path, fields)
    }

    /// Returns the value of a buffer, or of a view of its memory.
    fn view(
        &mut self,
        path: &Path<'_>,
        name: &str,
        view: Option<&schema::Layout>,
    ) -> Result<Val<'p>> {
        let value = self.value(path, name)?;
        let Some(view) = view else {
            return Ok(value);
        };
        let ty = self.buffer_type(&path.field("view"), view)?;
        let parts = OpParts::named(inductor::VIEW, &[value]);
        let op = self.insert(name, parts, &[ty]);
        Ok(result(op, 0))
    }
}

/// Collects the elements of nested lists.
fn flatten<'v>(value: &'v schema::Value, flat: &mut Vec<&'v schema::Value>) {
    match value {
        schema::Value::Array(values) => values.iter().for_each(|value| flatten(value, flat)),
        value => flat.push(value),
    }
}

/// The names of the values of a body.
type Scope<'a, 'p> = BTreeMap<&'a str, Val<'p>>;
