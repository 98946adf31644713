//! Builds the `inductor.graph` of a graph that PyTorch has exported.
//!
//! A name of the file stands for a value from its definition on. One that is written in place stands for the new value afterwards.

mod body;
mod kernel;
mod path;

pub(super) use body::class;

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::attribute::{IntegerAttribute, StringAttribute, TypeAttribute};
use melior::ir::operation::OperationBuilder;
use melior::ir::r#type::{DimSize, IntegerType, RankedTensorType};
use melior::ir::{
    AffineMap, Attribute, Block, Identifier, Location, Region, RegionLike, ShapedTypeLike, Type,
};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::inductor_attr::{self, Layout, LayoutKind, Sym};
use spyre_inductor::expr::{Expr, Var};
use spyre_inductor::names;
use spyre_inductor::schema::{self, Text};
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use thiserror::Error;

use super::{affine, graph, op, types};
use path::Path;

/// The reason why a graph is not imported.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("at {path}: {why}")]
pub struct ImportError {
    /// Where it is, from the root of the JSON.
    pub path: String,
    /// The reason.
    pub why: String,
}

/// Builds the `inductor.graph` of a graph under a name. Its operations are at the location, with their own names.
///
/// # Errors
/// The first thing that is not as the format says, or that the dialect cannot say.
pub fn import<'p>(
    context: &'p Context,
    at: At<'p>,
    location: Location<'p>,
    mut from: schema::Graph,
    name: &str,
) -> Result<(), ImportError> {
    let region = Region::new();
    region.append_block(Block::new(&[]));
    let mut attributes = vec![
        (
            "sym_name",
            Attribute::from(StringAttribute::new(context, name)),
        ),
        (
            graph::TORCH,
            StringAttribute::new(context, &from.torch).into(),
        ),
        (
            graph::NUMBER,
            IntegerAttribute::new(
                IntegerType::new(context, 64).into(),
                i64::try_from(from.graph).unwrap_or(i64::MAX),
            )
            .into(),
        ),
    ];
    if let Some(phase) = &from.phase {
        attributes.push(("phase", StringAttribute::new(context, phase).into()));
    }
    let backend: Vec<(&str, Attribute<'p>)> = from
        .backend
        .iter()
        .map(|(device, scheduler)| (device, StringAttribute::new(context, scheduler).into()))
        .collect();
    if !backend.is_empty() {
        attributes.push((graph::BACKEND, attr::dictionary(context, &backend)));
    }
    if !from.symbols.is_empty() {
        attributes.push(("symbols", symbols(context, &from.symbols)?));
    }
    let named: Vec<_> = attributes
        .into_iter()
        .map(|(name, value)| (Identifier::new(context, name), value))
        .collect();
    let built = OperationBuilder::new("inductor.graph", location)
        .add_attributes(&named)
        .add_regions([region])
        .build()
        .expect("every part of the operation is given");
    let op = ir::insert(at, built).expect("the block is in a module");
    let block = ir::body(op).expect("the graph has a block");
    let ops = std::mem::take(&mut from.ops);
    let mut import = Import {
        context,
        from: &from,
        file: location,
        here: location,
        block,
        values: FxHashMap::default(),
        layouts: FxHashMap::default(),
        inputs: FxHashMap::default(),
        mutated: Vec::new(),
        device: None,
    };
    import.graph(ops)?;
    if let Some(device) = import.device {
        let device = StringAttribute::new(context, &device);
        ir::set_discardable_attribute(op, graph::DEVICE, device.into());
    }
    Ok(())
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
            why: format!(
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
struct Import<'a, 'p> {
    context: &'p Context,
    from: &'a schema::Graph,
    file: Location<'p>,
    /// The operation that is being imported.
    here: Location<'p>,
    /// The block of the graph.
    block: Blk<'p>,
    /// The values that names stand for now.
    values: FxHashMap<Text, Val<'p>>,
    /// The layouts of the buffers.
    layouts: FxHashMap<&'a str, (usize, &'a schema::Layout)>,
    /// The layouts of the inputs.
    inputs: FxHashMap<&'a str, &'a schema::Layout>,
    /// The inputs that have been written, in the order of the first time.
    mutated: Vec<Text>,
    /// The device of all buffers.
    device: Option<Text>,
}

/// The parts of an operation.
struct Parts<'a, 'p> {
    name: &'a str,
    operands: &'a [Val<'p>],
    results: &'a [Type<'p>],
    attributes: Vec<(&'static str, Attribute<'p>)>,
    regions: Vec<Region<'p>>,
}

fn error<T>(path: impl ToString, why: impl ToString) -> Result<T, ImportError> {
    Err(ImportError {
        path: path.to_string(),
        why: why.to_string(),
    })
}

impl<'a, 'p> Import<'a, 'p> {
    fn graph(&mut self, ops: Vec<schema::Op>) -> Result<(), ImportError> {
        for (number, input) in self.from.inputs.iter().enumerate() {
            self.input(&Path::Root.field("inputs").item(number), input)?;
        }
        for (number, constant) in self.from.constants.iter().enumerate() {
            self.constant(&Path::Root.field("constants").item(number), constant)?;
        }
        for (number, buffer) in self.from.buffers.iter().enumerate() {
            let known = self
                .layouts
                .insert(&buffer.name, (number, &buffer.lowered))
                .is_some();
            if known || self.values.contains_key(buffer.name.as_str()) {
                let why = format!("a second buffer is called '{}'", buffer.name);
                return error(Path::Root.field("buffers").item(number).field("name"), why);
            }
        }
        // Each is gone when it is built: together they are most of the memory of a graph.
        for (number, op) in ops.into_iter().enumerate() {
            self.op(&Path::Root.field("ops").item(number), &op)?;
        }
        self.outputs()
    }

    fn input(&mut self, path: &Path<'_>, input: &'a schema::Input) -> Result<(), ImportError> {
        let name = ("name", self.string(&input.name));
        let (ty, attributes) = match (&input.kind, &input.layout, &input.expr) {
            (schema::InputKind::Tensor, Some(layout), None) => {
                let ty = self.buffer_type(&path.field("layout"), layout)?;
                self.inputs.insert(&input.name, layout);
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
        constant: &'a schema::Constant,
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
            .or_else(|why| error(path, why))
    }

    /// Defines a name.
    fn define(&mut self, path: &Path<'_>, name: &str, value: Val<'p>) -> Result<(), ImportError> {
        if self.values.insert(name.into(), value).is_some() {
            return error(path, format!("'{name}' is defined twice"));
        }
        Ok(())
    }

    /// Makes a name stand for the new value of what it stands for.
    fn replace(&mut self, name: &str, value: Val<'p>) {
        self.values.insert(name.into(), value);
        let is_known = self.mutated.iter().any(|known| known == name);
        if self.inputs.contains_key(name) && !is_known {
            self.mutated.push(name.into());
        }
    }

    fn value(&self, path: &Path<'_>, name: &str) -> Result<Val<'p>, ImportError> {
        match self.values.get(name) {
            Some(value) => Ok(*value),
            None => error(
                path,
                format!("'{name}' is no input, constant or earlier buffer"),
            ),
        }
    }

    fn op(&mut self, path: &Path<'_>, op: &schema::Op) -> Result<(), ImportError> {
        let [buffer] = op.buffers.as_slice() else {
            let why = format!("an operation makes one buffer, got {}", op.buffers.len());
            return error(path.field("buffers"), why);
        };
        match op.kind {
            schema::OpKind::Pointwise
            | schema::OpKind::Reduction
            | schema::OpKind::Scan
            | schema::OpKind::Sort
            | schema::OpKind::Scatter => self.nest(path, op, buffer),
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

    fn outputs(&mut self) -> Result<(), ImportError> {
        let mut operands = Vec::new();
        let mut outputs = Vec::new();
        let mut is_plain = true;
        let from = self.from;
        for (number, output) in from.outputs.iter().enumerate() {
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
            let why = format!("'{dtype}' is no element type");
            return error(path.field("dtype"), why);
        };
        if size.len() != stride.len() {
            let why = format!("{} strides of {} dimensions", stride.len(), size.len());
            return error(path.field("stride"), why);
        }
        if let Some(device) = &layout.device {
            match &self.device {
                Some(known) if known != device => {
                    let why = format!("'{device}', and other buffers are on '{known}'");
                    return error(path.field("device"), why);
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
        Ok(RankedTensorType::new(&shape, element, Some(attribute)).into())
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
        let exprs = self.exprs(path, exprs)?;
        affine::sizes(self.context, &exprs).or_else(|why| error(path, why))
    }

    fn exprs(&self, path: &Path<'_>, exprs: &[schema::Expr]) -> Result<Vec<Expr>, ImportError> {
        exprs
            .iter()
            .map(|expr| {
                names::read(expr, &|name| self.symbol(name)).or_else(|why| error(path, why))
            })
            .collect()
    }

    /// Returns the symbol of a name.
    fn symbol(&self, name: &str) -> Option<Var> {
        let mut symbols = self.from.symbols.iter();
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
            .or_else(|why| error(path, why))
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

    /// Builds an operation at the end of the graph. What follows in its body is at the location of that name as well.
    fn insert(&mut self, name: &str, parts: Parts<'_, 'p>) -> Op<'p> {
        self.here = Location::name(self.context, name, self.file);
        self.insert_at(At::End(self.block), parts)
    }

    fn insert_at(&self, at: At<'p>, parts: Parts<'_, 'p>) -> Op<'p> {
        let attributes: Vec<_> = parts
            .attributes
            .into_iter()
            .map(|(name, value)| (Identifier::new(self.context, name), value))
            .collect();
        let built = OperationBuilder::new(parts.name, self.here)
            .add_operands(parts.operands)
            .add_results(parts.results)
            .add_attributes(&attributes)
            .add_regions_vec(parts.regions)
            .build()
            .expect("every part of the operation is given");
        ir::insert(at, built).expect("the block is in the module")
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
    let own = extents(tensor);
    own.len() == size.result_count()
        && own.iter().enumerate().all(|(dim, extent)| {
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
