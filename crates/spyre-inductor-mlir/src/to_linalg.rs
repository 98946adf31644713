//! `--convert-inductor-to-linalg`: makes functions of structured operations of graphs.
//!
//! * `read` returns the tensor and the elements that a load reads. Loops are cut into digits by `spyre_construct::loops`,
//!   so that index expressions are linear.
//! * `nest` builds a structured operation of a loop nest, `body` its body, with the operations of `emit`; `search` finds positions, and
//!   `part` writes a part of a buffer.
//! * `elements` builds loops for nests that run element by element.
//! * `tiles` has the hints of the program, and `release` is the PyTorch release with the numerics to match.
//! * `sizes` has the sizes of symbols, and `open` makes the open ones dynamic extents.
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
pub(super) mod sizes;
mod tiles;

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::attribute::{IntegerAttribute, TypeAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::{FunctionType, IntegerType, RankedTensorType};
use melior::ir::{AffineMap, Attribute, Block, Identifier, Region, RegionLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::insert::insert;
use spyre_construct::build::{Build, element_of, element_type};
use spyre_construct::{affine, structured};
use spyre_dialects::attr;
use spyre_dialects::inductor_attr::{self, Layout};
use spyre_inductor::access::Memory;
use spyre_inductor::expr::{Expr, Var};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::Remarks;

use self::release::Release;
use self::sizes::{Size, Symbol};
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
    anchor: "builtin.module",
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
        .filter(|op| ir::name(*op) == "inductor.graph")
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

/// Converts a graph to a function before it, with the sizes that are given, and the numbers of a release of PyTorch: of the newest
/// if there is none.
fn convert<'p>(
    context: &'p Context,
    op: Op<'p>,
    (choices, torch): (&[String], Option<Release>),
) -> Result<(), Diagnostic<'p>> {
    let saturates = torch.is_none_or(Release::saturates);
    let symbols = sizes::read(op, choices)?;
    let stand_ins = sizes::stand_ins(&symbols);
    let [low, high] = &stand_ins;
    let function = build(context, op, (low.clone(), saturates), &symbols)?;
    if opened(&symbols) > 0 {
        let other = build(context, op, (high.clone(), saturates), &symbols)?;
        unmerge(function, &symbols, low)?;
        unmerge(other, &symbols, high)?;
        open::open(context, [function, other], &symbols, &stand_ins)?;
        ir::erase(other);
    }
    ir::update_function_type(function);
    Ok(())
}

/// Moves reshapes through structured operations, so that these loop over each open size that the graph
/// merges.
fn unmerge<'p>(
    function: Op<'p>,
    symbols: &[Symbol],
    numbers: &[i64],
) -> Result<(), Diagnostic<'p>> {
    let open = symbols.iter().zip(numbers);
    let open = open.filter(|(symbol, _)| matches!(symbol.size, Size::Open(_)));
    let open: Vec<i64> = open.map(|(_, number)| *number).collect();
    match ir::unmerge_extents(function, &open) {
        true => Ok(()),
        false => Err(error(
            function,
            "reshapes of open sizes do not come to rest",
        )),
    }
}

/// Returns the number of sizes that are left open.
fn opened(symbols: &[Symbol]) -> usize {
    let opened = symbols.iter();
    opened.filter(|it| matches!(it.size, Size::Open(_))).count()
}

/// Builds the function of a graph before it, with numbers for its symbols. The first loops are along open
/// sizes.
fn build<'p>(
    context: &'p Context,
    op: Op<'p>,
    (numbers, saturates): (Vec<i64>, bool),
    symbols: &[Symbol],
) -> Result<Op<'p>, Diagnostic<'p>> {
    let body = ir::body(op).expect("a graph has a block");
    let region = Region::new();
    region.append_block(Block::new(&[]));
    let name = op.attribute("sym_name").expect("a graph has a name");
    let function = OperationBuilder::new("func.func", op.location())
        .add_attributes(&[
            (Identifier::new(context, "sym_name"), name),
            (
                Identifier::new(context, "function_type"),
                TypeAttribute::new(FunctionType::new(context, &[], &[]).into()).into(),
            ),
        ])
        .add_regions([region])
        .build()
        .expect("every part of the operation is given");
    let function = ir::insert(At::Before(op), function).expect("the graph is in a module");
    let block = ir::body(function).expect("the function has a block");
    let parts = ("func.return", &[][..], &[][..], &[][..]);
    let end = insert(At::End(block), op.location(), parts, context);
    let mut graph = Graph {
        context,
        tiles: tiles::all(op, opened(symbols)),
        remarks: Remarks::about(context, op, NAME),
        symbols: numbers,
        declared: symbols.to_vec(),
        saturates,
        block,
        end,
        values: FxHashMap::default(),
        tuples: FxHashMap::default(),
    };
    for op in ir::operations(body) {
        graph.op(op)?;
    }
    ir::erase(end);
    ir::update_function_type(function);
    Ok(function)
}

/// A graph that is being converted.
struct Graph<'p> {
    context: &'p Context,
    /// The tiles that the program asks for, by the keys of operations.
    tiles: FxHashMap<ir::OpKey, Vec<tiles::Tile>>,
    /// The remarks about hints.
    remarks: Remarks,
    /// The sizes of the symbols, with substitute numbers for open ones.
    symbols: Vec<i64>,
    /// The symbols and their sizes.
    declared: Vec<Symbol>,
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
            "inductor.input" => self.input(op),
            "inductor.constant" => self.constant(op),
            "inductor.pointwise" | "inductor.reduction" => self.nest(op),
            "inductor.scatter" => self.scatter(op),
            "inductor.scan" => self.scan(op),
            "inductor.sort" => self.sort_nest(op),
            "inductor.extern" => self.kernel(op),
            "inductor.concat" => self.concat(op),
            "inductor.kernel" => self.together(op),
            "inductor.multi_output" => self.multi_output(op),
            // An operation that reads a view reads its source.
            "inductor.view" => Ok(()),
            "inductor.return" => self.outputs(op),
            name => Err(error(op, format!("'{name}' is not converted"))),
        }
    }

    /// Converts the operations of a fused kernel, one after the other.
    fn together(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let block = ir::body(op).expect("a kernel has a block");
        for inner in ir::operations(block) {
            if ir::name(inner) != "inductor.yield" {
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

    fn input(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let value = result(op);
        // A size is static.
        if ir::is_ranked_tensor(value.r#type()) {
            let ty = self.plain(op, value.r#type())?;
            let argument = self.block.add_argument(ty, op.location());
            self.values.insert(ir::value_key(value), argument);
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
        let constant = self.insert(op, "arith.constant", &[], &[ty], &[("value", elements)]);
        self.values.insert(ir::value_key(value), result(constant));
        Ok(())
    }

    fn concat(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let shape = self.memory(op, result(op).r#type())?.size;
        let ty = self.plain(op, result(op).r#type())?;
        let mut tensor = result(self.insert(op, "tensor.empty", &[], &[ty], &[]));
        let mut offsets = vec![0; shape.len()];
        for number in 0..op.operand_count() {
            let part = self.whole(op, number)?;
            let size = extents(part);
            tensor = self.build(op).insert_fixed(part, tensor, &offsets);
            if let Some(dim) = (0..shape.len()).find(|dim| size[*dim] != shape[*dim]) {
                offsets[dim] += size[dim];
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
        self.insert(op, "func.return", &operands, &[], &[]);
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
        let number = IntegerAttribute::new(i64, self.numbers(op, size)?[0]);
        let value = ("value", number.into());
        let number = result(self.insert(op, "arith.constant", &[], &[i64], &[value]));
        let ty = self.shaped(&[], i64);
        let tensor = self.insert(op, "tensor.from_elements", &[number], &[ty], &[]);
        Ok(Some(result(tensor)))
    }

    /// Returns the tensor of a buffer, or a tensor itself.
    fn tensor(&self, op: Op<'p>, value: Val<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        if ir::is_ranked_tensor(value.r#type()) && own_layout(value.r#type()).is_none() {
            return Ok(value);
        }
        let tensor = self.values.get(&ir::value_key(value)).copied();
        tensor.ok_or_else(|| error(op, "an operand has no tensor"))
    }

    /// Returns the numbers of a map of symbols.
    fn numbers(&self, op: Op<'p>, map: AffineMap<'p>) -> Result<Vec<i64>, Diagnostic<'p>> {
        let exprs = affine::size_exprs(map).map_err(|err| error(op, err))?;
        exprs
            .iter()
            .map(|expr| {
                let size = self.specialize(op, expr)?;
                size.as_constant()
                    .ok_or_else(|| error(op, "a size is no number"))
            })
            .collect()
    }

    /// Returns an expression with the sizes of the symbols.
    fn specialize(&self, op: Op<'p>, expr: &Expr) -> Result<Expr, Diagnostic<'p>> {
        let size = |var| match var {
            Var::Symbol(number) => Some(Expr::constant(*self.symbols.get(number as usize)?)),
            _ => None,
        };
        expr.substitute(&size).map_err(|err| error(op, err))
    }

    /// Returns where the elements of a buffer are. A complex number is its two parts, along a last dimension
    /// of extent 2, as in `torch.view_as_real`.
    fn memory(&self, op: Op<'p>, ty: Type<'p>) -> Result<Memory, Diagnostic<'p>> {
        let Some(layout) = own_layout(ty) else {
            return Err(error(op, "an operand is no buffer"));
        };
        let tensor = RankedTensorType::try_from(ty).expect("a buffer is a tensor");
        let size = super::import::extents(tensor).into_iter();
        let size: Vec<i64> = size.map(u64::cast_signed).collect();
        let memory = self.memory_of(op, &layout, &size)?;
        Ok(match ir::complex_part(element_type(ty)) {
            Some(_) => of_parts(memory),
            None => memory,
        })
    }

    /// Returns where elements are, by a layout. `size` are the extents if it has none.
    fn memory_of(
        &self,
        op: Op<'p>,
        layout: &Layout<'p>,
        size: &[i64],
    ) -> Result<Memory, Diagnostic<'p>> {
        let size = match layout.size {
            Some(size) => self.numbers(op, size)?,
            None => size.to_vec(),
        };
        Ok(Memory {
            size,
            stride: self.numbers(op, layout.stride)?,
            offset: self.numbers(op, layout.offset)?[0],
        })
    }

    /// Returns the type of the tensor of a buffer.
    fn plain(&self, op: Op<'p>, ty: Type<'p>) -> Result<Type<'p>, Diagnostic<'p>> {
        let memory = self.memory(op, ty)?;
        Ok(self.shaped(&memory.size, self.signless(element_type(ty))))
    }

    /// Returns an element type as tensors have it: signless integers, bytes for floats of 8 bits, and the
    /// type of the parts for complex numbers.
    fn signless(&self, ty: Type<'p>) -> Type<'p> {
        if let Some(part) = ir::complex_part(ty) {
            return part;
        }
        match IntegerType::try_from(ty) {
            Ok(integer) => IntegerType::new(self.context, integer.width()).into(),
            Err(_) if types::float8(ty).is_some() => IntegerType::new(self.context, 8).into(),
            Err(_) => ty,
        }
    }

    fn shaped(&self, size: &[i64], element: Type<'p>) -> Type<'p> {
        let size: Vec<u64> = size.iter().map(|extent| extent.cast_unsigned()).collect();
        RankedTensorType::new(&size, element, None).into()
    }

    /// Returns a tensor with zeros around it: `low` before it along each dimension.
    fn padded(&self, op: Op<'p>, tensor: Val<'p>, low: &[i64], shape: &[i64]) -> Val<'p> {
        let element = element_of(tensor);
        let zero = emit::number(self.context, 0.0, element);
        let zero = result(self.insert(op, "arith.constant", &[], &[element], &[("value", zero)]));
        let at = (self.end, op.location());
        structured::pad(self.context, at, tensor, (low, shape), zero)
    }

    /// Builds an operation at the end of the function, with the location of the operation that it replaces.
    fn insert(
        &self,
        of: Op<'p>,
        name: &str,
        operands: &[Val<'p>],
        results: &[Type<'p>],
        attributes: &[(&str, Attribute<'p>)],
    ) -> Op<'p> {
        insert(
            At::Before(self.end),
            of.location(),
            (name, operands, results, attributes),
            self.context,
        )
    }

    /// Returns a builder of reshapes and slices at the end of the function.
    fn build(&self, _: Op<'p>) -> Build<'p> {
        Build::new(self.context, self.end)
    }
}

/// Returns where the parts of complex numbers are: in the order real, imaginary, next to each other.
fn of_parts(numbers: Memory) -> Memory {
    let Memory {
        mut size,
        mut stride,
        offset,
    } = numbers;
    size.push(2);
    for step in &mut stride {
        *step *= 2;
    }
    stride.push(1);
    Memory {
        size,
        stride,
        offset: 2 * offset,
    }
}

fn result<'p>(op: Op<'p>) -> Val<'p> {
    ir::result(op, 0).expect("the operation has a result")
}

/// Returns the extents of a tensor.
fn extents<'p>(value: Val<'p>) -> Vec<i64> {
    spyre_construct::build::shape_of(value).expect("tensors have known extents here")
}
