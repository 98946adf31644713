//! Exports an `inductor.graph` as a graph in PyTorch's format.
//!
//! Names of buffers and operations are attributes. Names of values, blocks and indices are assigned again, in the order
//! in which PyTorch assigns them.

mod body;
mod kernel;

use melior::ir::attribute::{DictionaryAttribute, TypeAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{AffineMap, Attribute, ShapedTypeLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use smol_str::format_smolstr;
use spyre_construct::affine;
use spyre_dialects::attr;
use spyre_dialects::inductor_attr::{self, Layout, LayoutKind, Sym};
use spyre_inductor::expr::{Expr, Var};
use spyre_inductor::names;
use spyre_inductor::schema::{self, Table, Text};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};

use super::program::{result, string, text};
use super::{graph, op, types};

/// Exports an `inductor.graph`.
///
/// # Errors
/// An operation that PyTorch does not export, at its location.
pub fn export<'p>(op: Op<'p>) -> Result<schema::Graph, Diagnostic<'p>> {
    let text = |name: &str| string(op, name);
    let symbols = op.attribute("symbols").map(attr::elements);
    let symbols: Vec<Sym> = symbols
        .unwrap_or_default()
        .into_iter()
        .filter_map(Sym::read)
        .collect();
    let backend = ir::attribute(op, graph::BACKEND);
    let backend = backend.map(attr::entries).unwrap_or_default();
    let backend: Table<Text> = backend
        .into_iter()
        .filter_map(|(device, scheduler)| Some((device, Text::from(attr::string(scheduler)?))))
        .collect();
    let number = ir::attribute(op, graph::NUMBER).and_then(attr::integer);
    let mut export = Export {
        symbols: symbols
            .iter()
            .map(|symbol| Text::new(&symbol.name))
            .collect(),
        device: text(graph::DEVICE),
        names: FxHashMap::default(),
        graph: schema::Graph {
            format: schema::FORMAT.into(),
            version: schema::VERSION,
            torch: text(graph::TORCH).unwrap_or_default(),
            graph: number
                .and_then(|number| u64::try_from(number).ok())
                .unwrap_or(0),
            backend,
            symbols: symbols
                .into_iter()
                .map(|symbol| schema::Symbol {
                    name: symbol.name.into(),
                    hint: symbol.hint,
                    min: symbol.min,
                    max: symbol.max,
                })
                .collect(),
            inputs: Vec::new(),
            constants: Vec::new(),
            buffers: Vec::new(),
            ops: Vec::new(),
            outputs: Vec::new(),
            phase: text("phase"),
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
    /// The names of the symbols.
    symbols: Vec<Text>,
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
    fn op<'p>(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        match ir::name(op) {
            "inductor.input" => self.input(op),
            "inductor.constant" => self.constant(op),
            "inductor.return" => self.outputs(op),
            // It is where it is used.
            "inductor.view" => Ok(()),
            "inductor.pointwise" | "inductor.reduction" | "inductor.scan" | "inductor.sort"
            | "inductor.scatter" => self.nest(op),
            "inductor.extern" => self.kernel(op),
            "inductor.multi_output" => self.multi_output(op),
            "inductor.concat" => self.concat(op),
            name => Err(refuse(op, format!("'{name}' has no form in the file"))),
        }
    }

    fn input<'p>(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let name = text(op, "name");
        let value = result(op, 0);
        let (kind, layout, expr) = match ir::attribute(op, "size") {
            Some(size) => {
                let expr = self.size(op, size)?;
                (schema::InputKind::Scalar, None, Some(expr))
            }
            None => {
                let layout = self.layout(op, value.r#type())?;
                (schema::InputKind::Tensor, Some(layout), None)
            }
        };
        self.names.insert(ir::value_key(value), name.clone());
        self.graph.inputs.push(schema::Input {
            name,
            kind,
            layout,
            expr,
        });
        Ok(())
    }

    fn constant<'p>(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let name = text(op, "name");
        let value = result(op, 0);
        let layout = self.layout(op, value.r#type())?;
        let numbers = |exprs: Option<Vec<schema::Expr>>| -> Option<Vec<i64>> {
            exprs?
                .into_iter()
                .map(|expr| match expr {
                    schema::Expr::Number(number) => Some(number),
                    _ => None,
                })
                .collect()
        };
        let (Some(size), Some(stride)) = (numbers(layout.size), numbers(layout.stride)) else {
            return Err(refuse(op, "a constant has known extents and strides"));
        };
        let data = match ir::attribute(op, "value") {
            Some(value) => Some(kernel::elements(value, &size).ok_or_else(|| {
                refuse(op, "the elements of this constant are not written to JSON")
            })?),
            None => None,
        };
        self.names.insert(ir::value_key(value), name.clone());
        self.graph.constants.push(schema::Constant {
            name,
            dtype: layout.dtype.unwrap_or_default(),
            size,
            stride,
            data,
        });
        Ok(())
    }

    fn outputs<'p>(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let mutated = op.attribute("mutated").map(attr::elements);
        let count = op.operand_count() - mutated.unwrap_or_default().len();
        let Ok(outputs) = op.attribute("outputs") else {
            for number in 0..count {
                let output = self.reference(op, number)?;
                self.graph.outputs.push(output);
            }
            return Ok(());
        };
        for output in attr::elements(outputs) {
            let output = match inductor_attr::operand(output) {
                Some(number) => self.reference(op, number)?,
                None if ir::affine_map_value(output).is_some() => {
                    schema::Ref::Expr(self.size(op, output)?)
                }
                None => schema::Ref::Null,
            };
            self.graph.outputs.push(output);
        }
        Ok(())
    }

    /// Returns the reference to an operand: a buffer, or a view of its memory.
    fn reference<'p>(&self, op: Op<'p>, number: usize) -> Result<schema::Ref, Diagnostic<'p>> {
        let value = ir::operand(op, number).expect("the operand is there");
        let view = ir::defining_op(value).filter(|view| ir::name(*view) == "inductor.view");
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
    fn buffer<'p>(&self, op: Op<'p>, value: Val<'p>) -> Result<Text, Diagnostic<'p>> {
        let name = self.names.get(&ir::value_key(value));
        name.cloned()
            .ok_or_else(|| refuse(op, "an operand has no name in the file"))
    }

    /// Adds the buffer that an operation defines.
    fn define<'p>(
        &mut self,
        op: Op<'p>,
        value: Val<'p>,
        lowered: schema::Layout,
    ) -> Result<Text, Diagnostic<'p>> {
        let name = text(op, "buffer");
        self.names.insert(ir::value_key(value), name.clone());
        self.graph.buffers.push(schema::Buffer {
            name: name.clone(),
            lowered,
            fixed: None,
        });
        Ok(name)
    }

    /// Returns the fields that all operations have.
    fn common<'p>(&self, op: Op<'p>, kind: schema::OpKind) -> Result<schema::Op, Diagnostic<'p>> {
        let hints = ir::attribute(op, op::HINTS);
        let hints = hints.map(|hints| self.argument(op, hints)).transpose()?;
        Ok(schema::Op {
            name: text(op, "op"),
            kind,
            buffers: vec![text(op, "buffer")],
            origin: string(op, op::ORIGIN),
            origins: op
                .attribute(op::ORIGINS)
                .map(attr::elements)
                .unwrap_or_default()
                .into_iter()
                .filter_map(|it| attr::string(it).map(Text::from))
                .collect(),
            dtype: None,
            ranges: None,
            reduction_ranges: None,
            reduction_type: None,
            src_dtype: None,
            reduction_hint: None,
            output_index: None,
            scan_ranges: None,
            mutates: None,
            aliases: None,
            hints,
            body: None,
            kernel: None,
        })
    }

    /// Returns the layout of a buffer as the file has it.
    fn layout<'p>(&self, op: Op<'p>, ty: Type<'p>) -> Result<schema::Layout, Diagnostic<'p>> {
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
        let is_part = layout.kind == LayoutKind::NonOwning;
        Ok(schema::Layout {
            kind: match layout.kind {
                LayoutKind::Fixed => schema::LayoutKind::Fixed,
                LayoutKind::Flexible => schema::LayoutKind::Flexible,
                LayoutKind::NonOwning => schema::LayoutKind::NonOwning,
            },
            dtype: Some(types::name(tensor.element())),
            device: self.device.clone(),
            size: Some(size),
            stride: Some(self.exprs(op, layout.stride)?),
            offset: Some(one(layout.offset)?),
            base: None,
            base_offset: match is_part {
                true => Some(one(layout.base_offset)?),
                false => None,
            },
            target: None,
        })
    }

    /// Returns a layout without a tensor.
    fn no_tensor(kind: schema::LayoutKind) -> schema::Layout {
        schema::Layout {
            kind,
            dtype: None,
            device: None,
            size: None,
            stride: None,
            offset: None,
            base: None,
            base_offset: None,
            target: None,
        }
    }

    /// Returns the expression of a map with one result.
    fn size<'p>(&self, op: Op<'p>, map: Attribute<'p>) -> Result<schema::Expr, Diagnostic<'p>> {
        let map = ir::affine_map_value(map).expect("it is a map");
        Ok(self.exprs(op, map)?.swap_remove(0))
    }

    /// Returns the expressions of an attribute that is a map.
    fn extents<'p>(
        &self,
        op: Op<'p>,
        name: &str,
    ) -> Result<Option<Vec<schema::Expr>>, Diagnostic<'p>> {
        let map = ir::attribute(op, name).and_then(ir::affine_map_value);
        map.map(|map| self.exprs(op, map)).transpose()
    }

    /// Returns the results of a map of symbols.
    fn exprs<'p>(
        &self,
        op: Op<'p>,
        map: AffineMap<'p>,
    ) -> Result<Vec<schema::Expr>, Diagnostic<'p>> {
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
            Var::Symbol(number) => self.symbols[number as usize].clone(),
        }
    }
}

/// Returns a text that an operation has.
/// Returns the type that an attribute holds.
fn type_of(attribute: Attribute<'_>) -> Option<Type<'_>> {
    Some(TypeAttribute::try_from(attribute).ok()?.value())
}

/// Returns whether an attribute is a dictionary.
fn is_dictionary(attribute: Attribute<'_>) -> bool {
    DictionaryAttribute::try_from(attribute).is_ok()
}
