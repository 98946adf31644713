//! Exports an `inductor.graph` as a graph in PyTorch's format.
//!
//! Names of buffers and operations are attributes. Names of values, blocks and indices are assigned again, in the order
//! in which PyTorch assigns them.

mod body;
mod fields;
mod index;
mod kernel;
mod slots;

use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{AffineMap, Attribute, ShapedTypeLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use smol_str::format_smolstr;
use spyre_construct::affine;
use spyre_dialects::attr;
use spyre_dialects::inductor_attr::{Layout, LayoutKind, Sym};
use spyre_index_expr::{Expr, Var};
use spyre_inductor::names;
use spyre_inductor::schema::{self, Table, Text};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::inductor;

use super::program::{result, string, text};
use super::table::{self, LAYOUTS};
use super::{graph, types};

type Result<'p, T, E = Diagnostic<'p>> = std::result::Result<T, E>;

/// Exports an `inductor.graph`.
///
/// # Errors
/// An operation that PyTorch does not export, at its location.
pub fn export<'p>(op: Op<'p>) -> Result<'p, schema::Graph, Diagnostic<'p>> {
    let symbols = ir::attribute(op, graph::SYMBOLS).map(attr::elements);
    let symbols = symbols.unwrap_or_default().into_iter();
    let symbols = symbols.filter_map(Sym::read).map(|symbol| schema::Symbol {
        name: symbol.name.into(),
        hint: symbol.hint,
        min: symbol.min,
        max: symbol.max,
    });
    let backend = ir::attribute(op, graph::BACKEND);
    let backend = backend.map(attr::entries).unwrap_or_default();
    let backend: Table<Text> = backend
        .into_iter()
        .filter_map(|(device, scheduler)| Some((device, Text::from(attr::string(scheduler)?))))
        .collect();
    let number = ir::attribute(op, graph::NUMBER).and_then(attr::integer);
    let mut export = Export {
        device: string(op, graph::DEVICE),
        names: FxHashMap::default(),
        graph: schema::Graph {
            format: schema::FORMAT.into(),
            version: schema::VERSION,
            torch: string(op, graph::TORCH).unwrap_or_default(),
            graph: number
                .and_then(|number| u64::try_from(number).ok())
                .unwrap_or(0),
            backend,
            symbols: symbols.collect(),
            phase: string(op, graph::PHASE),
            ..schema::Graph::default()
        },
    };
    let body = ir::body(op).expect("a graph has a block");
    for op in ir::operations(body) {
        export.op(op)?;
    }
    Ok(export.graph)
}

/// A graph that is being exported.
struct Export {
    device: Option<Text>,
    /// The names of the buffers, by their values.
    names: FxHashMap<ir::ValueKey, Text>,
    graph: schema::Graph,
}

fn refuse<'p>(op: Op<'p>, reason: impl ToString) -> Diagnostic<'p> {
    Diagnostic::error(
        op.location(),
        format!("export-inductor: {}", reason.to_string()),
    )
}

impl Export {
    fn op<'p>(&mut self, op: Op<'p>) -> Result<'p, ()> {
        let name = ir::name(op);
        match table::of_op(name) {
            Some(row) if row.fields.is_empty() => return self.kernel(row, op),
            Some(row) => return self.nest(row, op),
            None => {}
        }
        match name {
            inductor::INPUT => self.input(op),
            inductor::CONSTANT => self.constant(op),
            inductor::RETURN => self.outputs(op),
            // A view is written at its uses.
            inductor::VIEW => Ok(()),
            _ => Err(refuse(
                op,
                format!("the JSON of Inductor cannot represent '{name}'"),
            )),
        }
    }

    fn input<'p>(&mut self, op: Op<'p>) -> Result<'p, ()> {
        let value = result(op, 0);
        let mut input = schema::Input {
            name: Text::default(),
            kind: schema::InputKind::Scalar,
            layout: None,
            expr: None,
            source: None,
        };
        self.fields(op, table::INPUT, &mut input)?;
        if input.expr.is_none() {
            input.kind = schema::InputKind::Tensor;
            input.layout = Some(self.layout(op, value.r#type())?);
        }
        self.names.insert(ir::value_key(value), input.name.clone());
        self.graph.inputs.push(input);
        Ok(())
    }

    fn constant<'p>(&mut self, op: Op<'p>) -> Result<'p, ()> {
        let value = result(op, 0);
        let layout = self.layout(op, value.r#type())?;
        let numbers = |exprs: Option<Vec<schema::Expr>>| -> Option<Vec<i64>> {
            let exprs = exprs?.into_iter();
            let numbers = exprs.map(|expr| match expr {
                schema::Expr::Number(number) => Some(number),
                _ => None,
            });
            numbers.collect()
        };
        let (Some(size), Some(stride)) = (numbers(layout.size), numbers(layout.stride)) else {
            return Err(refuse(op, "a constant has known extents and strides"));
        };
        let data = ir::attribute(op, table::ELEMENTS).map(|value| {
            let message = "the elements of this constant are not written to JSON";
            fields::elements(value, &size).ok_or_else(|| refuse(op, message))
        });
        let mut constant = schema::Constant {
            name: Text::default(),
            dtype: layout.dtype.unwrap_or_default(),
            data: data.transpose()?,
            size,
            stride,
        };
        self.fields(op, table::CONSTANT, &mut constant)?;
        let name = constant.name.clone();
        self.names.insert(ir::value_key(value), name);
        self.graph.constants.push(constant);
        Ok(())
    }

    fn outputs<'p>(&mut self, op: Op<'p>) -> Result<'p, ()> {
        let mutated = ir::attribute(op, table::MUTATED).map(attr::elements);
        let count = op.operand_count() - mutated.unwrap_or_default().len();
        self.graph.outputs = self.inputs(op, table::OUTPUTS, count)?;
        Ok(())
    }

    /// Returns the reference to an operand: a buffer, or a view of its memory.
    fn reference<'p>(&self, op: Op<'p>, number: usize) -> Result<'p, schema::Ref> {
        let value = ir::operand(op, number).expect("the operand is there");
        let view = ir::defining_op(value).filter(|view| ir::name(*view) == inductor::VIEW);
        let Some(view) = view else {
            return Ok(schema::Ref::Buffer(self.buffer(op, value)?, None));
        };
        let source = ir::operand(view, 0).expect("a view has a source");
        let layout = self.layout(op, value.r#type())?;
        Ok(schema::Ref::Buffer(
            self.buffer(op, source)?,
            Some(Box::new(layout)),
        ))
    }

    /// Returns the name of a value.
    fn buffer<'p>(&self, op: Op<'p>, value: Val<'p>) -> Result<'p, Text> {
        let name = self.names.get(&ir::value_key(value));
        name.cloned()
            .ok_or_else(|| refuse(op, "an operand has no name in the file"))
    }

    /// Adds the buffer that an operation defines, which is a value if it has a tensor.
    fn define<'p>(&mut self, op: Op<'p>, value: Option<Val<'p>>, lowered: schema::Layout) {
        let name = text(op, table::BUFFER);
        if let Some(value) = value {
            self.names.insert(ir::value_key(value), name.clone());
        }
        self.graph.buffers.push(schema::Buffer {
            name,
            lowered,
            fixed: None,
        });
    }

    /// Returns an operation with the fields that all operations have.
    fn common<'p>(&self, op: Op<'p>, kind: schema::OpKind) -> Result<'p, schema::Op> {
        let mut exported = schema::Op {
            kind,
            ..schema::Op::default()
        };
        self.fields(op, table::COMMON, &mut exported)?;
        Ok(exported)
    }

    /// Returns the layout of a buffer as the file has it.
    fn layout<'p>(&self, op: Op<'p>, ty: Type<'p>) -> Result<'p, schema::Layout> {
        let tensor = RankedTensorType::try_from(ty).ok();
        let layout = tensor.and_then(|tensor| Layout::read(tensor.encoding()?));
        let (Some(tensor), Some(layout)) = (tensor, layout) else {
            return Err(refuse(op, format!("{ty} is no buffer")));
        };
        let size = match layout.size {
            Some(size) => self.exprs(op, size)?,
            None => (0..tensor.rank())
                .map(|dim| match tensor.dim_size(dim) {
                    Ok(DimSize::Static(extent)) => {
                        schema::Expr::Number(i64::try_from(extent).unwrap_or(i64::MAX))
                    }
                    _ => unreachable!("IN1: a dynamic extent has a size"),
                })
                .collect(),
        };
        let one = |map| -> Result<schema::Expr, Diagnostic<'p>> {
            Ok(self.exprs(op, map)?.swap_remove(0))
        };
        let kinds = LAYOUTS.iter().find(|(_, kind)| *kind == layout.kind);
        let is_part = layout.kind == LayoutKind::NonOwning;
        Ok(schema::Layout {
            dtype: Some(types::name(tensor.element())),
            device: self.device.clone(),
            size: Some(size),
            stride: Some(self.exprs(op, layout.stride)?),
            offset: Some(one(layout.offset)?),
            base_offset: is_part.then(|| one(layout.base_offset)).transpose()?,
            ..Self::no_tensor(kinds.expect("each kind has a row").0)
        })
    }

    /// Returns a layout without a tensor.
    fn no_tensor(kind: schema::LayoutKind) -> schema::Layout {
        schema::Layout {
            kind,
            ..schema::Layout::default()
        }
    }

    /// Returns the expression of a map with one result.
    fn size<'p>(&self, op: Op<'p>, map: Attribute<'p>) -> Result<'p, schema::Expr> {
        let map = ir::affine_map_value(map).expect("it is a map");
        Ok(self.exprs(op, map)?.swap_remove(0))
    }

    /// Returns the results of a map of symbols.
    fn exprs<'p>(&self, op: Op<'p>, map: AffineMap<'p>) -> Result<'p, Vec<schema::Expr>> {
        let exprs = affine::size_exprs(map).map_err(|err| refuse(op, err))?;
        Ok(exprs.iter().map(|expr| self.write(expr)).collect())
    }

    fn write(&self, expr: &Expr) -> schema::Expr {
        names::write(expr, &|var| self.var(var))
    }

    /// Returns the name of a variable.
    fn var(&self, var: Var) -> Text {
        match var {
            Var::Loop(number) => format_smolstr!("i{number}"),
            Var::Indirect(number) => format_smolstr!("indirect{number}"),
            Var::Symbol(number) => self.graph.symbols[number as usize].name.clone(),
        }
    }
}
