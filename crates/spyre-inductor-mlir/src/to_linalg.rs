//! `--convert-inductor-to-linalg`: makes functions of structured operations of graphs.
//!
//! * `read` returns the tensor and the elements that a load reads. Loops are cut into digits by `spyre_construct::loops`,
//!   so that index expressions are linear.
//! * `nest` builds a structured operation of a loop nest, `body` its body, with the operations of `emit`; `search` finds positions, and
//!   `part` writes a part of a buffer.
//! * `elements` builds loops for nests that run element by element.
//! * `tiles` has the hints of the program, and `release` is the PyTorch release with the numerics to match.
//! * `sizes` has the sizes of symbols; `shapes` builds tensors with open ones as extents, `computed` moves computations with them out of
//!   bodies, and `open` declares them and gives loops along them tiles.
//! * `kernel` converts external kernels.

mod body;
mod computed;
mod elements;
mod emit;
mod kernel;
mod nest;
mod open;
mod part;
mod read;
mod release;
mod search;
mod shapes;
pub(super) mod sizes;
mod tiles;

use std::cell::RefCell;
use std::rc::Rc;

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::attribute::{IntegerAttribute, TypeAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, IntegerType, RankedTensorType};
use melior::ir::{AffineMap, Attribute, Block, Region, RegionLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::dynamic::SymbolId;
use spyre_analysis::dynamic::extents::Extents;
use spyre_analysis::dynamic::slices::DYNAMIC;
use spyre_construct::affine;
use spyre_construct::build::{Build, element_type};
use spyre_dialects::attr;
use spyre_dialects::inductor_attr::{self, Layout};
use spyre_index_expr::access::Memory;
use spyre_index_expr::sizes::Sizes;
use spyre_index_expr::{Expr, Overflow, Var};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::Remarks;
use spyre_ods::{OpBuilder, OpParts, arith, builtin, func, inductor, tensor};

use self::release::Release;
use self::sizes::Symbol;
use super::import::own_layout;
use super::{graph, types};

const NAME: &str = "convert-inductor-to-linalg";

const SIZES: &str = "sizes";

const TORCH: &str = "torch";

/// `--convert-inductor-to-linalg`
pub static CONVERT_INDUCTOR_TO_LINALG: RustPass = RustPass {
    argument: NAME,
    summary: "Convert graphs of PyTorch Inductor to functions of linalg on tensors",
    description: include_str!("to_linalg.md"),
    anchor: builtin::MODULE,
    options: &[
        PassOption {
            name: SIZES,
            description: "the sizes of symbols, as s77=12; s77=64:512 for a dynamic size; hint for the sizes \
                          that the graph was traced with",
            kind: OptionKind::List,
        },
        PassOption {
            name: TORCH,
            description: "the release of PyTorch with the numerics to match, as 2.12; without it, the release of the graph",
            kind: OptionKind::Str(""),
        },
    ],
    statistics: &[PassStatistic {
        name: "graphs",
        description: "Graphs that were converted",
    }],
    dialects: || {
        vec![
            DialectHandle::func(),
            DialectHandle::arith(),
            DialectHandle::linalg(),
            DialectHandle::scf(),
            spyre_dialects::spyre_dialect(),
            DialectHandle::tensor(),
        ]
    },
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let sizes = run.list(SIZES);
    let graphs: Vec<Op<'p>> = ir::blocks(run.operation())
        .flat_map(ir::operations)
        .filter(|op| ir::name(*op) == inductor::GRAPH)
        .collect();
    if graphs.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    sizes::check(&sizes).map_err(|err| error(graphs[0], err))?;
    let torch = run.text(TORCH);
    let torch = match Release::read(&torch) {
        None if !torch.is_empty() => {
            let message = format!("torch={torch} is no release of PyTorch, such as 2.15");
            return Err(error(graphs[0], message).into());
        }
        torch => torch,
    };
    let mut names = Vec::new();
    for op in graphs {
        names.extend(sizes::names(op));
        let torch = torch.or_else(|| {
            let text = ir::attribute(op, graph::TORCH).and_then(attr::string);
            Release::read(&text?)
        });
        convert(run.context(), op, (&sizes, torch))?;
        ir::erase(op);
        run.count("graphs", 1);
    }
    names.sort_unstable();
    names.dedup();
    for message in sizes::unknown(&sizes, &names) {
        Diagnostic::warning(run.operation().location(), format!("{NAME}: {message}")).emit();
    }
    Ok(())
}

/// Returns an error at an operation.
fn error<'p>(op: Op<'p>, reason: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("{NAME}: {reason}"))
}

/// Converts a graph to a function before it, with the given sizes. The numerics are those of a release of PyTorch,
/// by default the newest.
fn convert<'p>(
    context: &'p Context,
    op: Op<'p>,
    (choices, torch): (&[String], Option<Release>),
) -> Result<(), Failed> {
    let symbols = sizes::read(op, choices)?;
    let body = ir::body(op).expect("a graph has a block");
    let function = function(context, op);
    let block = ir::body(function).expect("the function has a block");
    let end = OpBuilder::at_end(context, block, op.location());
    let end = end.insert(func::return_(&[]), &[]);
    let arguments = arguments(context, body, (function, block), &symbols)?;
    let extents = Extents::of_function(function, block)?;
    let ids = symbols.iter().map(|symbol| {
        symbol.open()?;
        extents.named(&symbol.name)
    });
    let ids: Vec<Option<SymbolId>> = ids.collect();
    let has_open = ids.iter().any(Option::is_some);
    let sizes = ids
        .iter()
        .map(|id| id.map(|id| extents.build(context, end, id)));
    let mut graph = Graph {
        context,
        tiles: tiles::all(op, ids.iter().flatten().count()),
        remarks: Remarks::about(context, op, NAME),
        sizes: sizes.collect(),
        ids,
        bounds: Rc::new(sizes::ranges(&symbols)),
        declared: symbols.clone(),
        extents: &extents,
        merged: RefCell::default(),
        saturates: torch.is_none_or(Release::saturates),
        block,
        end,
        values: arguments,
        tuples: FxHashMap::default(),
    };
    for op in ir::operations(body) {
        graph.op(op)?;
    }
    ir::erase(end);
    if has_open {
        open::finish(context, (function, block), &symbols, &extents);
    }
    ir::update_function_type(function);
    Ok(())
}

/// Builds the function of a graph before it, without arguments and operations.
fn function<'p>(context: &'p Context, op: Op<'p>) -> Op<'p> {
    let region = Region::new();
    region.append_block(Block::new(&[]));
    let name = op.attribute("sym_name").expect("a graph has a name");
    let ty = TypeAttribute::new(FunctionType::new(context, &[], &[]).into());
    let function = func::func(name, ty.into()).region(region);
    OpBuilder::before(context, op).insert(function, &[])
}

/// Makes the inputs of a graph that are tensors the arguments of its function, with names for open sizes. A size that is an input is no
/// argument. Returns the arguments by the keys of the inputs.
fn arguments<'p>(
    context: &'p Context,
    body: Blk<'p>,
    (function, block): (Op<'p>, Blk<'p>),
    symbols: &[Symbol],
) -> Result<FxHashMap<ir::ValueKey, Val<'p>>, Diagnostic<'p>> {
    let (mut values, mut shapes) = (FxHashMap::default(), Vec::new());
    for op in ir::operations(body) {
        if ir::name(op) != inductor::INPUT || !ir::is_ranked_tensor(result(op).r#type()) {
            continue;
        }
        let ty = result(op).r#type();
        let shape = buffer_memory(op, ty, symbols)?.size;
        let open = |extent: &Expr| extent.as_constant().is_some() || extent.as_var().is_some();
        if let Some(dim) = shape.iter().position(|extent| !open(extent)) {
            let what = format!("the extent of dimension {dim}");
            return Err(error(op, sizes::computed(&what, &shape[dim], symbols)));
        }
        let encoded = shape
            .iter()
            .map(|extent| extent.as_constant().unwrap_or(DYNAMIC));
        let encoded: Vec<u64> = encoded.map(i64::cast_unsigned).collect();
        let ty = RankedTensorType::new(&encoded, signless(context, element_type(ty)), None);
        let argument = block.add_argument(ty.into(), op.location());
        values.insert(ir::value_key(result(op)), argument);
        shapes.push(shape);
    }
    let has = |number: usize| {
        let mut extents = shapes.iter().flatten();
        extents
            .any(|extent| matches!(extent.as_var(), Some(Var::Symbol(at)) if at as usize == number))
    };
    let mut open = symbols
        .iter()
        .enumerate()
        .filter(|(_, it)| it.open().is_some());
    if let Some((_, symbol)) = open.find(|(number, _)| !has(*number)) {
        let name = &symbol.name;
        let message = format!(
            "no tensor that the graph is given has '{name}' for an extent, so it cannot be dynamic; \
             {SIZES}={name}=N chooses it now"
        );
        return Err(error(function, message));
    }
    if symbols.iter().any(|symbol| symbol.open().is_some()) {
        ir::update_function_type(function);
        open::declare(context, function, symbols, &shapes);
    }
    Ok(values)
}

/// A graph that is being converted.
struct Graph<'p> {
    context: &'p Context,
    /// The tiles that the program asks for, by the keys of operations.
    tiles: FxHashMap<ir::OpKey, Vec<tiles::Tile>>,
    /// The remarks about hints.
    remarks: Remarks,
    /// The symbols and their sizes.
    declared: Vec<Symbol>,
    /// The dynamic dimensions of the function that the symbols are; `None` for numbers.
    ids: Vec<Option<SymbolId>>,
    /// The values of the sizes, of type `index`.
    sizes: Vec<Option<Val<'p>>>,
    /// The ranges of the symbolic sizes.
    bounds: Rc<Sizes>,
    /// The extents of tensors.
    extents: &'p Extents,
    /// The tensors of buffers with merged dimensions: how many dimensions they have for each one.
    merged: RefCell<FxHashMap<ir::ValueKey, Vec<usize>>>,
    /// Whether numbers that a float of 8 bits without infinities does not have are its largest one, not NaN.
    saturates: bool,
    /// The block of the function.
    block: Blk<'p>,
    /// The tensors of the buffers, by their values.
    values: FxHashMap<ir::ValueKey, Val<'p>>,
    /// The tensors of kernels with several results; `None` for results that the graph does not ask for.
    tuples: FxHashMap<ir::ValueKey, Vec<Option<Val<'p>>>>,
    /// The end of the function, before which operations are built.
    end: Op<'p>,
}

impl<'p> Graph<'p> {
    fn op(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        match ir::name(op) {
            // Inputs are arguments already.
            inductor::INPUT => Ok(()),
            inductor::CONSTANT => self.constant(op),
            inductor::POINTWISE | inductor::REDUCTION => self.nest(op),
            inductor::SCATTER => self.scatter(op),
            inductor::SCAN => self.scan(op),
            inductor::SORT => self.sort_nest(op),
            inductor::EXTERN => self.kernel(op),
            inductor::CONCAT => self.concat(op),
            inductor::KERNEL => self.together(op),
            inductor::MULTI_OUTPUT => self.multi_output(op),
            // An operation that reads a view reads its source.
            inductor::VIEW => Ok(()),
            inductor::RETURN => self.outputs(op),
            name => Err(error(op, format!("'{name}' is not converted"))),
        }
    }

    /// Converts the operations of a fused kernel, one after the other.
    fn together(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let block = ir::body(op).expect("a kernel has a block");
        for inner in ir::operations(block) {
            if ir::name(inner) != inductor::YIELD {
                self.op(inner)?;
                continue;
            }
            for (value, output) in inner.operands().zip(ir::results(op)) {
                let tensor = self.tensor(inner, value)?;
                self.values.insert(ir::value_key(output), tensor);
            }
        }
        Ok(())
    }

    fn constant(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let value = result(op);
        let ty = self.plain(op, value.r#type())?;
        let Ok(elements) = op.attribute("value") else {
            return Err(error(
                op,
                "the file does not have the elements of this constant: without freezing (torch._inductor.config.freezing) parameters \
                 are inputs",
            ));
        };
        // Constants of `arith` have no sign.
        let element = element_type(value.r#type());
        let elements = match ir::is_unsigned(element) || types::float8(element).is_some() {
            true => {
                let bits = attr::bitcast(elements, self.signless(element));
                bits.expect("the dialect checks that the elements are dense and of this type")
            }
            false => elements,
        };
        let constant = self.emit(op, arith::constant(elements), ty);
        self.values.insert(ir::value_key(value), constant);
        Ok(())
    }

    fn concat(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let shape = self.memory(op, result(op).r#type())?.size;
        self.plain(op, result(op).r#type())?;
        let element = self.signless(element_type(result(op).r#type()));
        let mut tensor = self.empty(op, &shape, element);
        let mut offsets = vec![0; shape.len()];
        for number in 0..op.operand_count() {
            let part = self.whole(op, number)?;
            let size = self.extents(part);
            let inserted = self.build(op).insert(part, tensor, &offsets);
            tensor = inserted.map_err(|err| error(op, err))?;
            if let Some(dim) = (0..shape.len()).find(|dim| size[*dim] != shape[*dim]) {
                offsets[dim] += self.fixed(op, &size[dim])?;
            }
        }
        self.values.insert(ir::value_key(result(op)), tensor);
        Ok(())
    }

    /// Converts the end: outputs that are `None` are no results, and sizes are integers.
    fn outputs(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let mutated = op.attribute("mutated").map(attr::elements);
        let mutated = mutated.unwrap_or_default().len();
        let count = op.operand_count() - mutated;
        let mut operands = Vec::new();
        match op.attribute("outputs") {
            Ok(outputs) => {
                for output in attr::elements(outputs) {
                    operands.extend(self.output(op, output)?);
                }
            }
            Err(_) => {
                for number in 0..count {
                    operands.push(self.whole(op, number)?);
                }
            }
        }
        for number in count..op.operand_count() {
            operands.push(self.whole(op, number)?);
        }
        self.insert(op, func::return_(&operands), &[]);
        Ok(())
    }

    /// Returns the tensor of an output: that of a buffer, or of an integer for a size; `None` for no value.
    fn output(&self, op: Op<'p>, output: Attribute<'p>) -> Result<Option<Val<'p>>, Diagnostic<'p>> {
        if let Some(number) = inductor_attr::operand(output) {
            return Ok(Some(self.whole(op, number)?));
        }
        let Some(size) = ir::affine_map_value(output) else {
            return Ok(None);
        };
        let i64: Type<'p> = IntegerType::new(self.context, 64).into();
        let size = self.numbers(op, size)?.swap_remove(0);
        let number = match size.as_constant() {
            Some(number) => {
                let value = IntegerAttribute::new(i64, number).into();
                self.emit(op, arith::constant(value), i64)
            }
            None => self.emit(op, arith::index_cast(self.index(op, &size)), i64),
        };
        let ty = self.shaped(&[], i64);
        let tensor = self.emit(op, tensor::from_elements(&[number]), ty);
        Ok(Some(tensor))
    }

    /// Returns the tensor of a buffer, or a tensor itself.
    fn tensor(&self, op: Op<'p>, value: Val<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        if ir::is_ranked_tensor(value.r#type()) && own_layout(value.r#type()).is_none() {
            return Ok(value);
        }
        let tensor = self.values.get(&ir::value_key(value)).copied();
        tensor.ok_or_else(|| error(op, "an operand has no tensor"))
    }

    /// Returns the results of a map of symbols: numbers, or expressions of open sizes.
    fn numbers(&self, op: Op<'p>, map: AffineMap<'p>) -> Result<Vec<Expr>, Diagnostic<'p>> {
        specialized(op, map, &self.declared)
    }

    /// Returns an expression with the sizes of the symbols that have numbers.
    fn specialize(&self, op: Op<'p>, expr: &Expr) -> Result<Expr, Diagnostic<'p>> {
        sizes::specialize(expr, &self.declared).map_err(|err| error(op, err))
    }

    /// Returns where the elements of a buffer are. A complex number is its two parts, along a last dimension
    /// of extent 2, as in `torch.view_as_real`.
    fn memory(&self, op: Op<'p>, ty: Type<'p>) -> Result<Memory, Diagnostic<'p>> {
        buffer_memory(op, ty, &self.declared)
    }

    /// Returns the type of the tensor of a buffer.
    fn plain(&self, op: Op<'p>, ty: Type<'p>) -> Result<Type<'p>, Diagnostic<'p>> {
        let shape = self.memory(op, ty)?.size;
        let computed = shape
            .iter()
            .position(|extent| self.extent(extent).is_none());
        match computed {
            Some(dim) => {
                let what = format!("the extent of dimension {dim}");
                Err(self.computed_extent(op, &what, &shape[dim]))
            }
            None => Ok(self.shaped(&shape, self.signless(element_type(ty)))),
        }
    }

    fn signless(&self, ty: Type<'p>) -> Type<'p> {
        signless(self.context, ty)
    }

    /// Builds an operation with one result at the end of the function, with the location of the operation that it
    /// replaces.
    fn emit(&self, of: Op<'p>, parts: OpParts<'p>, ty: Type<'p>) -> Val<'p> {
        result(self.insert(of, parts, &[ty]))
    }

    /// Builds an operation at the end of the function.
    fn insert(&self, of: Op<'p>, parts: OpParts<'p>, results: &[Type<'p>]) -> Op<'p> {
        let built = parts.insert(At::Before(self.end), results, of.location(), self.context);
        self.extents.enter(built);
        built
    }

    /// Returns a builder of reshapes and slices at the end of the function.
    fn build(&self, _: Op<'p>) -> Build<'p> {
        Build {
            extents: Some(self.extents),
            ..Build::new(self.context, self.end)
        }
    }
}

/// Returns the results of a map of symbols, with numbers for the symbols that have them.
fn specialized<'p>(
    op: Op<'p>,
    map: AffineMap<'p>,
    symbols: &[Symbol],
) -> Result<Vec<Expr>, Diagnostic<'p>> {
    let exprs = affine::size_exprs(map).and_then(|exprs| {
        let exprs = exprs.iter();
        exprs.map(|expr| sizes::specialize(expr, symbols)).collect()
    });
    exprs.map_err(|err| error(op, err))
}

/// Returns where the elements of a buffer are, as [`Graph::memory`] does.
fn buffer_memory<'p>(
    op: Op<'p>,
    ty: Type<'p>,
    symbols: &[Symbol],
) -> Result<Memory, Diagnostic<'p>> {
    let Some(layout) = own_layout(ty) else {
        return Err(error(op, "an operand is no buffer"));
    };
    let tensor = RankedTensorType::try_from(ty).expect("a buffer is a tensor");
    let size = super::import::extents(tensor).into_iter();
    let size: Vec<Expr> = size.map(|extent| extent.cast_signed().into()).collect();
    let memory = memory_of(op, &layout, &size, symbols)?;
    match ir::complex_part(element_type(ty)) {
        Some(_) => of_parts(memory).map_err(|err| error(op, err)),
        None => Ok(memory),
    }
}

/// Returns where elements are, by a layout. `size` are the extents if it has none.
fn memory_of<'p>(
    op: Op<'p>,
    layout: &Layout<'p>,
    size: &[Expr],
    symbols: &[Symbol],
) -> Result<Memory, Diagnostic<'p>> {
    let size = match layout.size {
        Some(size) => specialized(op, size, symbols)?,
        None => size.to_vec(),
    };
    Ok(Memory {
        size,
        stride: specialized(op, layout.stride, symbols)?,
        offset: specialized(op, layout.offset, symbols)?.swap_remove(0),
    })
}

/// Returns an element type as tensors have it: signless integers, bytes for floats of 8 bits, and the
/// type of the parts for complex numbers.
fn signless<'p>(context: &'p Context, ty: Type<'p>) -> Type<'p> {
    if let Some(part) = ir::complex_part(ty) {
        return part;
    }
    match IntegerType::try_from(ty) {
        Ok(integer) => IntegerType::new(context, integer.width()).into(),
        Err(_) if types::float8(ty).is_some() => IntegerType::new(context, 8).into(),
        Err(_) => ty,
    }
}

/// Returns where the parts of complex numbers are: in the order real, imaginary, next to each other.
fn of_parts(numbers: Memory) -> Result<Memory, Overflow> {
    let Memory {
        mut size,
        stride,
        offset,
    } = numbers;
    size.push(2.into());
    let mut stride = stride
        .iter()
        .map(|step| step.scale(2))
        .collect::<Result<Vec<Expr>, Overflow>>()?;
    stride.push(1.into());
    Ok(Memory {
        size,
        stride,
        offset: offset.scale(2)?,
    })
}

fn result<'p>(op: Op<'p>) -> Val<'p> {
    ir::result(op, 0).expect("the operation has a result")
}
