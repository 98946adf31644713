//! Builds the `inductor.graph` of a graph that PyTorch has exported.
//!
//! A name of the file denotes a value from its definition on. After a write in place, it denotes the new value.

mod body;
mod kernel;
mod path;

use std::collections::BTreeMap;
use std::rc::Rc;

use melior::Context;
use melior::ir::attribute::{IntegerAttribute, StringAttribute, TypeAttribute};
use melior::ir::r#type::{DimSize, IntegerType, RankedTensorType};
use melior::ir::{
    AffineMap, Attribute, Block, Identifier, Location, Region, RegionLike, ShapedTypeLike, Type,
};
use path::Path;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spyre_construct::affine;
use spyre_dialects::attr;
use spyre_dialects::inductor_attr::{self, Layout, LayoutKind, Sym};
use spyre_inductor::expr::{Expr, Var};
use spyre_inductor::names;
use spyre_inductor::schema::{self, Part, StreamError, Tail, Text};
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use thiserror::Error;

use super::memo::Memo;
use super::{graph, op, types};

pub(super) use body::class;

/// The reason why a graph is not imported.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("at {path}: {reason}")]
pub struct ImportError {
    /// Its place, from the root of the JSON.
    pub path: String,
    /// The reason.
    pub reason: String,
}

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

fn symbols<'p>(
    context: &'p Context,
    symbols: &[schema::Symbol],
) -> Result<Attribute<'p>, ImportError> {
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
    /// Its block.
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
    memos: Known<'p>,
}

/// The parts that have been built, by their source in the file.
#[derive(Default)]
struct Known<'p> {
    /// The types of layouts.
    types: Memo<schema::Layout, Type<'p>>,
    /// The maps of expressions of symbols.
    sizes: Memo<Vec<schema::Expr>, AffineMap<'p>>,
    /// The maps of expressions of loops and symbols, by the names of the loops.
    places: Memo<Vec<Text>, Places<'p>>,
    /// The numbers of values and of indices of stores.
    segments: Memo<[usize; 2], Attribute<'p>>,
    /// The names of attributes.
    names: Memo<&'static str, Identifier<'p>>,
}

/// The maps of expressions of the same loops.
type Places<'p> = Rc<Memo<Vec<schema::Expr>, Attribute<'p>>>;

/// The parts of an operation.
struct Parts<'a, 'p> {
    name: &'a str,
    operands: &'a [Val<'p>],
    results: &'a [Type<'p>],
    attributes: Vec<(&'static str, Attribute<'p>)>,
    regions: Vec<Region<'p>>,
}

fn error<T>(path: impl ToString, reason: impl ToString) -> Result<T, ImportError> {
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
    ) -> Result<Self, ImportError> {
        let region = Region::new();
        region.append_block(Block::new(&[]));
        let number = i64::try_from(head.graph).unwrap_or(i64::MAX);
        let number = IntegerAttribute::new(IntegerType::new(context, 64).into(), number);
        let mut attributes = vec![
            (
                "sym_name",
                Attribute::from(StringAttribute::new(context, name)),
            ),
            (
                graph::TORCH,
                StringAttribute::new(context, &head.torch).into(),
            ),
            (graph::NUMBER, number.into()),
        ];
        let backend: Vec<(&str, Attribute<'p>)> = head
            .backend
            .iter()
            .map(|(device, scheduler)| (device, StringAttribute::new(context, scheduler).into()))
            .collect();
        if !backend.is_empty() {
            attributes.push((graph::BACKEND, attr::dictionary(context, &backend)));
        }
        if !head.symbols.is_empty() {
            attributes.push(("symbols", symbols(context, &head.symbols)?));
        }
        let named: Vec<_> = attributes
            .into_iter()
            .map(|(name, value)| (Identifier::new(context, name), value))
            .collect();
        let parts = ir::Parts {
            name: "inductor.graph",
            operands: &[],
            results: &[],
            attributes: &named,
            regions: vec![region],
        };
        let graph = ir::build(at, location, parts);
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
            memos: Known::default(),
        };
        import.head()?;
        Ok(import)
    }

    fn head(&mut self) -> Result<(), ImportError> {
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
    fn end(&mut self, tail: &Tail) -> Result<(), ImportError> {
        self.outputs(&tail.outputs)?;
        if let Some(phase) = &tail.phase {
            ir::set_attribute(self.graph, "phase", self.string(phase));
        }
        if let Some(device) = &self.device {
            ir::set_discardable_attribute(self.graph, graph::DEVICE, self.string(device));
        }
        Ok(())
    }

    fn input(&mut self, number: usize, input: &schema::Input) -> Result<(), ImportError> {
        let inputs = Path::Root.field("inputs");
        let path = &inputs.item(number);
        let name = ("name", self.string(&input.name));
        let (ty, attributes) = match (&input.kind, &input.layout, &input.expr) {
            (schema::InputKind::Tensor, Some(layout), None) => {
                let ty = self.buffer_type(&path.field("layout"), layout)?;
                self.inputs.insert(input.name.clone(), number);
                (ty, vec![name])
            }
            (schema::InputKind::Scalar, None, Some(expr)) => {
                let size = self.sizes(&path.field("expr"), std::slice::from_ref(expr))?;
                let size = ir::affine_map_attribute(size);
                (Type::index(self.context), vec![name, ("size", size)])
            }
            _ => return error(path, "a tensor has a layout, and a scalar an expr"),
        };
        let value = self.insert(
            &input.name,
            Parts {
                name: "inductor.input",
                operands: &[],
                results: &[ty],
                attributes,
                regions: Vec::new(),
            },
        );
        self.define(&path.field("name"), &input.name, result(value, 0))
    }

    fn constant(
        &mut self,
        path: &Path<'_>,
        constant: &schema::Constant,
    ) -> Result<(), ImportError> {
        if constant.size.len() != constant.stride.len() {
            return error(
                path.field("stride"),
                format!(
                    "{} strides of {} dimensions",
                    constant.stride.len(),
                    constant.size.len()
                ),
            );
        }
        let numbers = |numbers: &[i64]| {
            Some(
                numbers
                    .iter()
                    .map(|number| schema::Expr::Number(*number))
                    .collect(),
            )
        };
        let layout = schema::Layout {
            kind: schema::LayoutKind::Fixed,
            dtype: Some(constant.dtype.clone()),
            device: None,
            size: numbers(&constant.size),
            stride: numbers(&constant.stride),
            offset: Some(schema::Expr::Number(0)),
            base: None,
            base_offset: None,
            target: None,
        };
        let ty = self.buffer_type(path, &layout)?;
        let mut attributes = vec![("name", self.string(&constant.name))];
        if let Some(data) = &constant.data {
            let value = self.elements(&path.field("data"), data, ty)?;
            attributes.push(("value", value));
        }
        let value = self.insert(
            &constant.name,
            Parts {
                name: "inductor.constant",
                operands: &[],
                results: &[ty],
                attributes,
                regions: Vec::new(),
            },
        );
        self.define(&path.field("name"), &constant.name, result(value, 0))
    }

    /// Returns the elements of a constant.
    fn elements(
        &self,
        path: &Path<'_>,
        data: &schema::Value,
        ty: Type<'p>,
    ) -> Result<Attribute<'p>, ImportError> {
        let tensor = RankedTensorType::try_from(ty).expect("a buffer is a tensor");
        let mut flat = Vec::new();
        flatten(data, &mut flat);
        let plain = RankedTensorType::new(&extents(tensor), tensor.element(), None);
        let count: u64 = extents(tensor).iter().product();
        if u64::try_from(flat.len()) != Ok(count) {
            return error(path, format!("{} elements of {count}", flat.len()));
        }
        let values: Vec<Attribute<'p>> = flat
            .into_iter()
            .map(|value| self.number(path, value, tensor.element()))
            .collect::<Result<_, _>>()?;
        melior::ir::attribute::DenseElementsAttribute::new(plain.into(), &values)
            .map(Into::into)
            .or_else(|err| error(path, err))
    }

    /// Defines a name.
    fn define(&mut self, path: &Path<'_>, name: &str, value: Val<'p>) -> Result<(), ImportError> {
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

    fn value(&self, path: &Path<'_>, name: &str) -> Result<Val<'p>, ImportError> {
        match self.values.get(self.owner(name)) {
            Some(value) => Ok(*value),
            None => error(
                path,
                format!("'{name}' is no input, constant or earlier buffer"),
            ),
        }
    }

    /// Builds the next operation.
    fn op(&mut self, op: &schema::Op) -> Result<(), ImportError> {
        let ops = Path::Root.field("ops");
        let path = &ops.item(self.next);
        self.next += 1;
        let [buffer] = op.buffers.as_slice() else {
            let message = format!("an operation makes one buffer, got {}", op.buffers.len());
            return error(path.field("buffers"), message);
        };
        match op.kind {
            schema::OpKind::Pointwise
            | schema::OpKind::Reduction
            | schema::OpKind::Scan
            | schema::OpKind::Sort
            | schema::OpKind::Scatter => self.nest(path, op, buffer),
            schema::OpKind::Nop if op.kernel.is_none() => self.uninitialized(path, op, buffer),
            schema::OpKind::Extern | schema::OpKind::Nop => self.kernel(path, op, buffer),
            schema::OpKind::MultiOutput => self.multi_output(path, op, buffer),
            schema::OpKind::Concat => self.concat(path, op, buffer),
        }
    }

    /// Returns the attributes that all operations have.
    ///
    /// # Errors
    /// The hints are none.
    fn common(
        &self,
        path: &Path<'_>,
        op: &schema::Op,
        buffer: &str,
    ) -> Result<Vec<(&'static str, Attribute<'p>)>, ImportError> {
        let mut attributes = vec![
            ("op", self.string(&op.name)),
            ("buffer", self.string(buffer)),
        ];
        if let Some(origin) = &op.origin {
            attributes.push((op::ORIGIN, self.string(origin)));
        }
        if !op.origins.is_empty() {
            attributes.push((op::ORIGINS, self.strings(&op.origins)));
        }
        if let Some(hints) = &op.hints {
            let hints = self.plain(&path.field("hints"), hints)?;
            attributes.push((op::HINTS, hints));
        }
        Ok(attributes)
    }

    fn outputs(&mut self, from: &[schema::Ref]) -> Result<(), ImportError> {
        let mut operands = Vec::new();
        let mut outputs = Vec::new();
        let mut is_plain = true;
        for (number, output) in from.iter().enumerate() {
            let outputs_path = Path::Root.field("outputs");
            let path = &outputs_path.item(number);
            outputs.push(match output {
                schema::Ref::Buffer(name, view) => {
                    let value = self.view(path, name, view.as_deref())?;
                    operands.push(value);
                    inductor_attr::operand_attribute(self.context, operands.len() - 1)
                }
                schema::Ref::Expr(expr) => {
                    is_plain = false;
                    let size = self.sizes(&path.field("expr"), std::slice::from_ref(expr))?;
                    ir::affine_map_attribute(size)
                }
                schema::Ref::Null => {
                    is_plain = false;
                    Attribute::unit(self.context)
                }
                schema::Ref::List(_) => return error(path, "a list is no output"),
            });
        }
        let mut attributes = Vec::new();
        if !is_plain {
            attributes.push(("outputs", attr::array(self.context, &outputs)));
        }
        if !self.mutated.is_empty() {
            attributes.push(("mutated", self.strings(&self.mutated)));
            operands.extend(self.mutated.iter().map(|name| self.values[name]));
        }
        self.insert(
            "outputs",
            Parts {
                name: "inductor.return",
                operands: &operands,
                results: &[],
                attributes,
                regions: Vec::new(),
            },
        );
        Ok(())
    }

    /// Returns the value of a buffer, or of a view of its memory.
    fn view(
        &mut self,
        path: &Path<'_>,
        name: &str,
        view: Option<&schema::Layout>,
    ) -> Result<Val<'p>, ImportError> {
        let value = self.value(path, name)?;
        let Some(view) = view else {
            return Ok(value);
        };
        let ty = self.buffer_type(&path.field("view"), view)?;
        let op = self.insert(
            name,
            Parts {
                name: "inductor.view",
                operands: &[value],
                results: &[ty],
                attributes: Vec::new(),
                regions: Vec::new(),
            },
        );
        Ok(result(op, 0))
    }

    /// Returns the type of a buffer.
    fn buffer_type(
        &mut self,
        path: &Path<'_>,
        layout: &schema::Layout,
    ) -> Result<Type<'p>, ImportError> {
        if let Some(ty) = self.memos.types.get(layout) {
            return Ok(ty);
        }
        let kind = match layout.kind {
            schema::LayoutKind::Fixed => LayoutKind::Fixed,
            schema::LayoutKind::Flexible => LayoutKind::Flexible,
            schema::LayoutKind::NonOwning => LayoutKind::NonOwning,
            other => return error(path.field("kind"), format!("{other:?} is no tensor")),
        };
        let (Some(dtype), Some(size), Some(stride)) = (&layout.dtype, &layout.size, &layout.stride)
        else {
            return error(path, "the layout of a tensor has dtype, size and stride");
        };
        let Some(element) = types::element(self.context, dtype) else {
            return error(path.field("dtype"), types::unknown(dtype));
        };
        if size.len() != stride.len() {
            let message = format!("{} strides of {} dimensions", stride.len(), size.len());
            return error(path.field("stride"), message);
        }
        if let Some(device) = &layout.device {
            match &self.device {
                Some(other) if other != device => {
                    let message = format!("'{device}', and other buffers are on '{other}'");
                    return error(path.field("device"), message);
                }
                _ => self.device = Some(device.clone()),
            }
        }
        let attribute = self.layout(path, kind, layout)?;
        let dims = self.exprs(&path.field("size"), size)?;
        let shape: Vec<u64> = dims
            .iter()
            .map(|extent| match extent.as_constant() {
                Some(extent) => u64::try_from(extent)
                    .or_else(|_| error(path.field("size"), "an extent is negative")),
                None => Ok(RankedTensorType::dynamic_stride_or_offset().cast_unsigned()),
            })
            .collect::<Result<_, _>>()?;
        let ty = RankedTensorType::new(&shape, element, Some(attribute)).into();
        self.memos.types.insert(layout.clone(), ty);
        Ok(ty)
    }

    fn layout(
        &self,
        path: &Path<'_>,
        kind: LayoutKind,
        layout: &schema::Layout,
    ) -> Result<Attribute<'p>, ImportError> {
        let zero = [schema::Expr::Number(0)];
        let one = |expr: &Option<schema::Expr>, field: &str| {
            let expr = expr.as_ref().map_or(&zero[..], std::slice::from_ref);
            self.sizes(&path.field(field), expr)
        };
        let list = |exprs: &Option<Vec<schema::Expr>>, field: &str| {
            let exprs = exprs.as_deref().unwrap_or_default();
            self.sizes(&path.field(field), exprs)
        };
        let size = list(&layout.size, "size")?;
        let attribute = inductor_attr::Layout {
            kind,
            stride: list(&layout.stride, "stride")?,
            size: (size.symbol_count() > 0).then_some(size),
            offset: one(&layout.offset, "offset")?,
            base_offset: one(&layout.base_offset, "base_offset")?,
        };
        match attribute.attribute(self.context) {
            Some(attribute) => Ok(attribute),
            None => error(path, "this is no layout"),
        }
    }

    /// Returns the map of some expressions of symbols.
    fn sizes(&self, path: &Path<'_>, exprs: &[schema::Expr]) -> Result<AffineMap<'p>, ImportError> {
        self.memos.sizes.try_of(exprs, || {
            let exprs = self.exprs(path, exprs)?;
            affine::sizes(self.context, &exprs).or_else(|err| error(path, err))
        })
    }

    fn exprs(&self, path: &Path<'_>, exprs: &[schema::Expr]) -> Result<Vec<Expr>, ImportError> {
        exprs
            .iter()
            .map(|expr| {
                names::read(expr, &|name| self.symbol(name)).or_else(|err| error(path, err))
            })
            .collect()
    }

    /// Returns the symbol of a name.
    fn symbol(&self, name: &str) -> Option<Var> {
        let mut symbols = self.head.symbols.iter();
        let number = symbols.position(|symbol| symbol.name == name)?;
        Some(Var::Symbol(u32::try_from(number).ok()?))
    }

    /// Returns a number of a type.
    fn number(
        &self,
        path: &Path<'_>,
        value: &schema::Value,
        ty: Type<'p>,
    ) -> Result<Attribute<'p>, ImportError> {
        kernel::number(self.context, value, ty)
            .ok_or_else(|| format!("{value} is no {ty}"))
            .or_else(|err| error(path, err))
    }

    fn string(&self, text: &str) -> Attribute<'p> {
        StringAttribute::new(self.context, text).into()
    }

    fn strings(&self, texts: &[Text]) -> Attribute<'p> {
        let texts: Vec<Attribute<'p>> = texts.iter().map(|text| self.string(text)).collect();
        attr::array(self.context, &texts)
    }

    fn integer(&self, value: i64) -> Attribute<'p> {
        IntegerAttribute::new(IntegerType::new(self.context, 64).into(), value).into()
    }

    fn type_attribute(&self, ty: Type<'p>) -> Attribute<'p> {
        TypeAttribute::new(ty).into()
    }

    /// Builds an operation at the end of the graph. Operations built in its body get the location of that name as well.
    fn insert(&mut self, name: &str, parts: Parts<'_, 'p>) -> Op<'p> {
        self.here = Location::name(self.context, name, self.file);
        self.insert_at(At::End(self.block), parts)
    }

    /// Returns the name of an attribute.
    fn name(&self, name: &'static str) -> Identifier<'p> {
        let names = &self.memos.names;
        names.of(&name, || Identifier::new(self.context, name))
    }

    fn insert_at(&self, at: At<'p>, parts: Parts<'_, 'p>) -> Op<'p> {
        let attributes = parts.attributes.into_iter();
        let attributes: SmallVec<[_; 8]> = attributes
            .map(|(name, value)| (self.name(name), value))
            .collect();
        let parts = ir::Parts {
            name: parts.name,
            operands: parts.operands,
            results: parts.results,
            attributes: &attributes,
            regions: parts.regions,
        };
        ir::build(at, self.here, parts)
    }
}

/// Returns a result of an operation that has it.
fn result<'p>(op: Op<'p>, number: usize) -> Val<'p> {
    ir::result(op, number).expect("the operation was built with it")
}

/// Returns the extents of a tensor as types are built with them: one that is symbolic is MLIR's mark of a dynamic extent.
pub(super) fn extents(tensor: RankedTensorType<'_>) -> Vec<u64> {
    let dynamic = RankedTensorType::dynamic_stride_or_offset().cast_unsigned();
    (0..tensor.rank())
        .map(|dim| match tensor.dim_size(dim) {
            Ok(DimSize::Static(extent)) => extent,
            _ => dynamic,
        })
        .collect()
}

/// Returns the layout of a buffer.
pub(super) fn own_layout<'p>(ty: Type<'p>) -> Option<Layout<'p>> {
    let tensor = RankedTensorType::try_from(ty).ok()?;
    Layout::read(tensor.encoding()?)
}

/// Returns whether a buffer has some extents.
fn has_extents<'p>(ty: Type<'p>, layout: Layout<'p>, size: AffineMap<'p>) -> bool {
    if layout.size.is_some() {
        return layout.size == Some(size);
    }
    let Ok(tensor) = RankedTensorType::try_from(ty) else {
        return false;
    };
    let extents = extents(tensor);
    extents.len() == size.result_count()
        && extents.iter().enumerate().all(|(dim, extent)| {
            let other = size.result(dim).expect("the number is below the count");
            other.is_constant() && u64::try_from(other.constant_value()) == Ok(*extent)
        })
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
