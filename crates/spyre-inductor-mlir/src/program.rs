//! Graphs as programs for a scheduler: loop nests with accesses to places in memory.

use std::rc::Rc;

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{AffineMap, Attribute, Type, TypeLike, ValueLike};
use rustc_hash::FxHashMap;
use smol_str::format_smolstr;
use spyre_construct::affine;
use spyre_construct::build::element_type;
use spyre_dialects::attr;
use spyre_dialects::inductor_attr::{Layout, LayoutKind, Sym};
use spyre_index_expr::{Expr, Overflow, Var};
use spyre_inductor::schedule::nest::{Access, Nest};
use spyre_inductor::schedule::program::{
    Buffer, BufferId, Loops, LoopsId, Node, NodeId, NodeKind, Program, Symbol,
};
use spyre_inductor::schema::Text;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, Val};
use spyre_ods::inductor;

use super::alike::{self, Alike, Sources};
use super::errors::error;
use super::import::{extents, own_layout};
use super::memo::Memo;
use super::{index, op as attribute, types};

/// A graph as a program, with the operations of its nodes.
pub struct GraphProgram<'p> {
    /// The program. Layouts are as they are in the graph.
    pub program: Program,
    /// The operation of each node.
    pub ops: Vec<Op<'p>>,
}

/// Reads a graph.
///
/// # Errors
/// An index that is too large, at its operation.
pub fn read<'p>(graph: Op<'p>) -> Result<GraphProgram<'p>, Diagnostic<'p>> {
    let mut reader = Reader {
        program: Program {
            symbols: symbols(graph),
            ..Program::default()
        },
        ops: Vec::new(),
        buffers: FxHashMap::default(),
        loops: FxHashMap::default(),
        types: Memo::default(),
        scopes: Vec::new(),
    };
    check_unfused(graph)?;
    let body = ir::body(graph).expect("a graph has a block");
    for op in ir::operations(body) {
        reader.op(op)?;
    }
    Ok(GraphProgram {
        program: reader.program,
        ops: reader.ops,
    })
}

/// Checks that no operations of a graph are in a kernel, since the caller does not visit kernels.
///
/// # Errors
/// Some are, at the kernel.
pub(super) fn check_unfused<'p>(graph: Op<'p>) -> Result<(), Diagnostic<'p>> {
    let body = ir::body(graph).expect("a graph has a block");
    let mut ops = ir::operations(body);
    match ops.find(|op| ir::name(*op) == inductor::KERNEL) {
        Some(kernel) => Err(error(
            kernel,
            "this operation is a kernel already; the pass takes graphs before scheduling",
        )),
        None => Ok(()),
    }
}

/// Returns the symbolic sizes of a graph.
pub(super) fn symbols(graph: Op<'_>) -> Vec<Symbol> {
    let symbols = graph.attribute("symbols").map(attr::elements);
    let symbols = symbols.unwrap_or_default().into_iter();
    let symbols = symbols.filter_map(Sym::read).map(|symbol| Symbol {
        hint: symbol.hint,
        min: symbol.min.unwrap_or(0),
    });
    symbols.collect()
}

/// Returns whether an operation is a loop nest.
pub(super) fn is_nest(op: Op<'_>) -> bool {
    matches!(
        ir::name(op),
        inductor::POINTWISE
            | inductor::REDUCTION
            | inductor::SCAN
            | inductor::SORT
            | inductor::SCATTER
    )
}

/// Returns the value that a result of an operation overwrites in memory; `None` if it has separate memory.
pub(super) fn overwritten<'p>(op: Op<'p>, result: Val<'p>) -> Option<Val<'p>> {
    if is_nest(op) {
        return ir::operand(op, 0);
    }
    let mutated = ir::attribute(op, "mutates");
    let mutated = attr::dense_signed_integers(mutated)?;
    let number = ir::results(op).position(|other| other == result)?;
    let count = op.result_count() - mutated.len();
    let operand = *mutated.get(number.checked_sub(count)?)?;
    ir::operand(op, usize::try_from(operand).expect("IN23: an operand"))
}

struct Reader<'p> {
    program: Program,
    ops: Vec<Op<'p>>,
    /// The buffers of values.
    buffers: FxHashMap<ir::ValueKey, BufferId>,
    /// The work of nests that are alike; `None` if they have no iterations.
    loops: FxHashMap<Alike<'p>, Option<LoopsId>>,
    /// For each type of buffers, the extents and the bytes of an element.
    types: Memo<Type<'p>, (Rc<[Expr]>, i64)>,
    /// The hints of each scope.
    scopes: Vec<String>,
}

impl<'p> Reader<'p> {
    fn op(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        match ir::name(op) {
            inductor::INPUT | inductor::CONSTANT => {
                let value = result(op, 0);
                if ir::is_ranked_tensor(value.r#type()) {
                    let name = text(op, "name");
                    self.define(op, value, name)?;
                }
                Ok(())
            }
            // A view has the memory of its source.
            inductor::VIEW => {
                let source = self.buffer(ir::operand(op, 0).expect("a view has a source"));
                self.buffers.insert(ir::value_key(result(op, 0)), source);
                Ok(())
            }
            inductor::RETURN => {
                let mutated = op.attribute("mutated").map(attr::elements);
                let count = op.operand_count() - mutated.unwrap_or_default().len();
                let mut operands: Vec<BufferId> =
                    op.operands().map(|value| self.buffer(value)).collect();
                self.program.written = operands.split_off(count);
                self.program.outputs = operands;
                Ok(())
            }
            inductor::EXTERN | inductor::MULTI_OUTPUT => self.kernel(op),
            inductor::CONCAT => self.concat(op),
            _ => self.nest(op),
        }
    }

    fn define(
        &mut self,
        op: Op<'p>,
        value: Val<'p>,
        name: Text,
    ) -> Result<BufferId, Diagnostic<'p>> {
        let ty = value.r#type();
        let (size, bytes) = self.types.try_of(&ty, || match own_layout(ty) {
            Some(layout) => Ok((
                size_of(op, ty, &layout)?.into(),
                i64::from(types::width(element_type(ty)).div_ceil(8)),
            )),
            // Several tensors.
            None => Ok((Rc::default(), 0)),
        })?;
        let id = BufferId(u32::try_from(self.program.buffers.len()).expect("buffers are counted"));
        let is_made = !matches!(ir::name(op), inductor::INPUT | inductor::CONSTANT);
        let maker = NodeId(u32::try_from(self.ops.len()).expect("nodes are counted"));
        self.program.buffers.push(Buffer {
            name,
            bytes,
            size,
            maker: is_made.then_some(maker),
            aliases: Vec::new(),
            overwrites: overwritten(op, value).map(|of| self.buffer(of)),
        });
        self.buffers.insert(ir::value_key(value), id);
        Ok(id)
    }

    fn buffer(&self, value: Val<'p>) -> BufferId {
        let id = self.buffers.get(&ir::value_key(value));
        *id.expect("values are defined before they are used")
    }

    fn add(&mut self, op: Op<'p>, kind: NodeKind, makes: Vec<BufferId>) {
        let scope = ir::attribute(op, attribute::HINTS);
        let scope = scope.and_then(|hints| self.scope(hints));
        self.program.nodes.push(Node {
            name: text(op, "op"),
            kind,
            makes,
            scope,
        });
        self.ops.push(op);
    }

    /// Returns the number of the scope of hints. Hints with the same dimensions share a scope.
    fn scope(&mut self, hints: Attribute<'p>) -> Option<u32> {
        let hint = attr::elements(hints).into_iter().next()?;
        let entries = attr::entries(hint).into_iter();
        let entries = entries.filter(|(name, _)| name != "nodes");
        let key: Vec<String> = entries
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let key = key.join(", ");
        let position = self.scopes.iter().position(|other| *other == key);
        let number = position.unwrap_or_else(|| {
            self.scopes.push(key);
            self.scopes.len() - 1
        });
        u32::try_from(number).ok()
    }

    fn kernel(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let reads: Vec<BufferId> = op
            .operands()
            .filter(|value| !value.r#type().is_index())
            .map(|value| self.buffer(value))
            .collect();
        let name = text(op, "buffer");
        let mut makes = Vec::new();
        for (number, value) in ir::results(op).enumerate() {
            let name = match number {
                0 => name.clone(),
                number => format_smolstr!("{name}_{number}"),
            };
            makes.push(self.define(op, value, name)?);
        }
        let writes = match ir::name(op) {
            inductor::MULTI_OUTPUT => Some(self.dense(op)?),
            _ => None,
        };
        let kind = NodeKind::Extern {
            reads,
            has_effects: has_effects(op),
            writes,
        };
        self.add(op, kind, makes);
        Ok(())
    }

    /// Returns the extents of the loops over the result of an operation, and the place in memory of the element of an
    /// iteration.
    fn dense(&self, op: Op<'p>) -> Result<(Vec<Expr>, Expr), Diagnostic<'p>> {
        let ty = result(op, 0).r#type();
        let layout = own_layout(ty).expect("it is a buffer");
        let size = size_of(op, ty, &layout)?;
        let one = Expr::constant(1);
        let mut loops = Vec::new();
        let mut at = Vec::new();
        for extent in size {
            if extent == one {
                at.push(Expr::constant(0));
                continue;
            }
            let number = u32::try_from(loops.len()).expect("dimensions are few");
            at.push(Expr::var(Var::Loop(number)));
            loops.push(extent);
        }
        Ok((loops, place(op, &at, &layout)?))
    }

    fn concat(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let reads: Vec<BufferId> = op.operands().map(|value| self.buffer(value)).collect();
        let buffer = self.define(op, result(op, 0), text(op, "buffer"))?;
        for (value, part) in op.operands().zip(&reads) {
            let layout = own_layout(value.r#type());
            if layout.is_some_and(|layout| layout.kind == LayoutKind::NonOwning) {
                self.program.buffers[part.0 as usize].aliases.push(buffer);
            }
        }
        self.add(op, NodeKind::Nothing { reads }, vec![buffer]);
        Ok(())
    }

    fn nest(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let buffer = self.define(op, result(op, 0), text(op, "buffer"))?;
        let (loops, sources) = match Alike::of(op) {
            Some((alike, sources)) => {
                let loops = match self.loops.get(&alike) {
                    Some(loops) => *loops,
                    None => {
                        let loops = self.new_loops(op, nest(op)?.0)?;
                        self.loops.insert(alike, loops);
                        loops
                    }
                };
                (loops, sources)
            }
            None => {
                let (nest, sources) = nest(op)?;
                (self.new_loops(op, nest)?, sources)
            }
        };
        let reads = sources.iter().map(|source| self.buffer(*source)).collect();
        let kind = match loops {
            Some(loops) => NodeKind::Loops { loops, reads },
            None => NodeKind::Nothing { reads },
        };
        self.add(op, kind, vec![buffer]);
        Ok(())
    }

    /// Adds the work of a nest that is like no earlier one. `None` if it has no iterations.
    fn new_loops(&mut self, op: Op<'p>, nest: Nest) -> Result<Option<LoopsId>, Diagnostic<'p>> {
        let ranges = sizes(op, "ranges")?;
        if ranges.contains(&Expr::constant(0)) {
            return Ok(None);
        }
        let id = u32::try_from(self.program.loops.len()).expect("nests are counted");
        // A scan and a sort run along their last loops as a reduction does.
        let name = ir::name(op);
        let is_scan = matches!(name, inductor::SCAN | inductor::SORT);
        let loops = Loops {
            nest: nest.simple(&self.program).map_err(|err| error(op, err))?,
            ranges,
            is_reduction: is_scan || name == inductor::REDUCTION,
        };
        self.program.loops.push(loops);
        Ok(Some(LoopsId(id)))
    }
}

/// Returns the name of the attribute with the extents that a nest runs along.
pub(super) fn reduced_ranges(op: Op<'_>) -> Option<&'static str> {
    match ir::name(op) {
        inductor::REDUCTION => Some("reduction_ranges"),
        inductor::SCAN => Some("scan_ranges"),
        inductor::SORT => Some("sort_ranges"),
        _ => None,
    }
}

/// Returns the extents of the loops that a reduction, a scan or a sort runs along, without loops of one iteration.
fn reduced<'p>(op: Op<'p>) -> Result<Vec<Expr>, Diagnostic<'p>> {
    let Some(name) = reduced_ranges(op) else {
        return Ok(Vec::new());
    };
    let mut reduced = sizes(op, name)?;
    reduced.retain(|extent| extent.as_constant() != Some(1));
    Ok(reduced)
}

/// Returns the extents of the loops of a nest.
pub(super) fn loops<'p>(op: Op<'p>) -> Result<Vec<Expr>, Diagnostic<'p>> {
    if op.attribute("loops").is_ok() {
        return sizes(op, "loops");
    }
    let mut loops = sizes(op, "ranges")?;
    loops.retain(|extent| extent.as_constant() != Some(1));
    if ir::name(op) == inductor::REDUCTION {
        loops.extend(reduced(op)?);
    }
    Ok(loops)
}

/// Reads a loop nest, and the sources of its loads.
pub(super) fn nest<'p>(op: Op<'p>) -> Result<(Nest, Sources<'p>), Diagnostic<'p>> {
    let reduced = reduced(op)?;
    let mut reading = Reading {
        of: op,
        nest: Nest {
            parallel: 0,
            loops: loops(op)?,
            loads: Vec::new(),
            stores: Vec::new(),
            numbers: Vec::new(),
        },
        sources: Sources::new(),
        indirect: FxHashMap::default(),
    };
    reading.block(ir::body(op).expect("a nest has a block"))?;
    let mut nest = reading.nest;
    nest.parallel = match op.attribute("loops") {
        // Merged loops do not record which of them are reduced. These are the loops without stores.
        Ok(_) if ir::name(op) == inductor::REDUCTION && !reduced.is_empty() => {
            let stored = |number: &usize| {
                nest.stores
                    .iter()
                    .any(|store| store.index.has_loop(*number))
            };
            (0..nest.loops.len())
                .rev()
                .find(stored)
                .map_or(0, |last| last + 1)
        }
        // A scan and a sort store at all of their loops, and run along the last ones.
        Ok(_) => nest.loops.len() - merged_count(op, &nest.loops, &reduced)?,
        Err(_) => nest.loops.len() - reduced.len(),
    };
    Ok((nest, reading.sources))
}

/// Returns how many of the last loops have as many iterations as loops of some extents, from which they were merged.
fn merged_count<'p>(op: Op<'p>, loops: &[Expr], extents: &[Expr]) -> Result<usize, Diagnostic<'p>> {
    let product = |extents: &[Expr]| {
        let mut extents = extents.iter();
        let all = extents.try_fold(Expr::constant(1), |all, extent| all.mul(extent));
        all.map_err(|err| error(op, err))
    };
    let all = product(extents)?;
    for count in 0..=loops.len() {
        if product(&loops[loops.len() - count..])? == all {
            return Ok(count);
        }
    }
    Err(error(
        op,
        "its last loops are not the loops of the scan or sort",
    ))
}

/// Returns the coordinates at which a nest stores.
pub(super) fn stored_at<'p>(op: Op<'p>) -> Result<Vec<Expr>, Diagnostic<'p>> {
    let block = ir::body(op).expect("a nest has a block");
    let store = block.terminator().expect("a nest ends with a store");
    let mut indirect = FxHashMap::default();
    for op in ir::operations(block).filter(|op| ir::name(*op) == inductor::INDIRECT) {
        let number = u32::try_from(indirect.len()).expect("indices are few");
        indirect.insert(ir::value_key(result(op, 0)), number);
    }
    subscript(store, accessed_from(store), &indirect)
}

/// Returns the number of the first operand of a store that is an index.
pub(super) fn accessed_from(store: Op<'_>) -> usize {
    store.operand_count() - map(store).dim_count()
}

/// A nest that is being read.
struct Reading<'p> {
    of: Op<'p>,
    nest: Nest,
    sources: Sources<'p>,
    /// The indices that were read, by their values.
    indirect: FxHashMap<ir::ValueKey, u32>,
}

impl<'p> Reading<'p> {
    /// Reads the accesses of a block.
    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        for op in ir::operations(block) {
            match ir::name(op) {
                inductor::LOAD => {
                    let source = ir::operand(op, 0).expect("a load has a source");
                    let index = self.place(op, 1, source.r#type())?;
                    self.nest.loads.push(Access { index, mode: None });
                    self.sources.push(source);
                }
                inductor::STORE => {
                    let ty = result(self.of, 0).r#type();
                    let index = self.place(op, accessed_from(op), ty)?;
                    let is_scatter = ir::name(self.of) == inductor::SCATTER;
                    let mode = is_scatter.then(|| ir::attribute(self.of, "mode"));
                    let mode = mode.flatten().and_then(attr::string);
                    self.nest.stores.push(Access { index, mode });
                }
                inductor::INDEX_EXPR => {
                    let exprs = subscript(op, 0, &self.indirect)?;
                    self.nest.numbers.extend(exprs);
                }
                inductor::INDIRECT => {
                    let number = u32::try_from(self.indirect.len()).expect("indices are few");
                    self.indirect.insert(ir::value_key(result(op, 0)), number);
                }
                inductor::MASKED => self.block(ir::body(op).expect("it has a block"))?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the place in memory, in elements, of an access to a buffer of a type, with the operands from `first` on
    /// as indices.
    fn place(&self, op: Op<'p>, first: usize, ty: Type<'p>) -> Result<Expr, Diagnostic<'p>> {
        let at = subscript(op, first, &self.indirect)?;
        let layout = Layout::read(alike::layout(op, ty));
        place(op, &at, &layout.expect("a buffer has a layout"))
    }
}

/// Returns the map of an access, an index expression or a store.
pub(super) fn map(op: Op<'_>) -> AffineMap<'_> {
    let map = ir::attribute(op, "map").and_then(ir::affine_map_value);
    map.expect("checked by the dialect")
}

/// Returns the coordinates of an access in a body, from the operand `first` on.
pub(super) fn subscript<'p>(
    op: Op<'p>,
    first: usize,
    indirect: &FxHashMap<ir::ValueKey, u32>,
) -> Result<Vec<Expr>, Diagnostic<'p>> {
    index::exprs(op, first, &mut |value| match ir::source(value) {
        ir::Source::Argument(_, number) => {
            Ok(Var::Loop(u32::try_from(number).expect("loops are few")))
        }
        ir::Source::Result(..) => {
            let number = indirect.get(&ir::value_key(value));
            let number =
                number.ok_or_else(|| error(op, "an index is neither a loop nor an indirect index"));
            Ok(Var::Indirect(*number?))
        }
    })
}

/// Returns the place in memory of an element, in elements.
pub(super) fn place<'p>(
    op: Op<'p>,
    at: &[Expr],
    layout: &Layout<'p>,
) -> Result<Expr, Diagnostic<'p>> {
    let sum = || -> Result<Expr, Overflow> {
        let strides = affine::size_exprs(layout.stride)?;
        let mut place = affine::size_exprs(layout.offset)?.swap_remove(0);
        for (at, stride) in at.iter().zip(&strides) {
            place = place.add(&at.mul(stride)?)?;
        }
        Ok(place)
    };
    sum().map_err(|err| error(op, err))
}

/// Returns the extents that an attribute has.
pub(super) fn sizes<'p>(op: Op<'p>, name: &str) -> Result<Vec<Expr>, Diagnostic<'p>> {
    let map = ir::attribute(op, name).and_then(ir::affine_map_value);
    let map = map.expect("checked by the dialect");
    affine::size_exprs(map).map_err(|err| error(op, err))
}

/// Returns the extents of a buffer.
pub(super) fn size_of<'p>(
    op: Op<'p>,
    ty: Type<'p>,
    layout: &Layout<'p>,
) -> Result<Vec<Expr>, Diagnostic<'p>> {
    if let Some(size) = layout.size {
        return affine::size_exprs(size).map_err(|err| error(op, err));
    }
    let tensor = RankedTensorType::try_from(ty).expect("a buffer is a tensor");
    let extents = extents(tensor).into_iter();
    Ok(extents
        .map(|extent| Expr::constant(extent.cast_signed()))
        .collect())
}

/// Returns whether a kernel has effects other than its buffers: it checks, or overwrites its arguments.
fn has_effects(op: Op<'_>) -> bool {
    let string = |name: &str| ir::attribute(op, name).and_then(attr::string);
    let class = string("class_name").unwrap_or_default();
    let overload = string("overload").unwrap_or_default();
    let name = overload.split('.').nth(1).unwrap_or_default();
    class.starts_with("Assert") || class == "FallbackKernel" && name.ends_with('_')
}

/// Returns a text that an operation may have.
pub(super) fn string(op: Op<'_>, name: &str) -> Option<Text> {
    let text = ir::attribute(op, name).and_then(attr::string);
    text.map(Text::from)
}

/// Returns a text that an operation has.
pub(super) fn text(op: Op<'_>, name: &str) -> Text {
    string(op, name).expect("checked by the dialect")
}

pub(super) fn result<'p>(op: Op<'p>, number: usize) -> Val<'p> {
    ir::result(op, number).expect("checked by the dialect")
}

/// Calls a function with the loads of a block, loads in masked blocks included.
pub(super) fn for_each_load<'p>(block: Blk<'p>, visit: &mut impl FnMut(Op<'p>)) {
    for op in ir::operations(block) {
        match ir::name(op) {
            inductor::LOAD => visit(op),
            inductor::MASKED => {
                for_each_load(ir::body(op).expect("it has a block"), visit);
            }
            _ => {}
        }
    }
}
