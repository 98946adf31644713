//! `--uop-apply-opts`: the optimisations of tinyspec on structured operations.
//!
//! `spyre_uop::opt` decides legality and the resulting loops; here the loops of an operation are read, and the
//! decisions are written on it. `pad` adds positions to its loops.

mod pad;

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, ValueLike};
use spyre_analysis::walk;
use spyre_construct::access::{self, Coordinate};
use spyre_construct::build::{element_of, shape_of};
use spyre_dialects::hint::{
    DivideHint, TileHint, Tiles, divide_hint_attribute, tile_hint, tile_hint_attribute,
};
use spyre_dialects::names::{DIVIDE, TILE};
use spyre_dialects::{attr, uop_attr};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, Source, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{arith, func, linalg, math};
use spyre_uop::ids::Id;
use spyre_uop::op::{AxisType, Combine};
use spyre_uop::opt::card::{self, Card};
use spyre_uop::opt::{Kernel, LoopId, Reduction, Term};

const NAME: &str = "uop-apply-opts";

/// The attribute with the optimisations of an operation.
pub(crate) const OPTS: &str = "uop.opts";

/// The attribute with the axes of an operation that has been optimised.
const AXES: &str = "uop.axes";

/// `--uop-apply-opts`
pub static UOP_APPLY_OPTS: RustPass = RustPass {
    argument: NAME,
    summary: "Apply optimisations of tinyspec to the loops of structured operations",
    description: include_str!("apply_opts.md"),
    anchor: func::FUNC,
    options: &[],
    statistics: &[
        PassStatistic {
            name: "optimised",
            description: "Operations with loops that were cut or padded",
        },
        PassStatistic {
            name: "padded",
            description: "Loops that got more positions",
        },
    ],
    dialects: || {
        vec![
            spyre_dialects::spyre_dialect(),
            spyre_dialects::uop_dialect(),
            DialectHandle::arith(),
            DialectHandle::linalg(),
            DialectHandle::tensor(),
        ]
    },
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let opts = |op: Op<'p>| Some((op, ir::attribute(op, OPTS)?));
    let blocks = ir::blocks(run.operation());
    let ops: Vec<_> = blocks.flat_map(|block| walk::find(block, opts)).collect();
    if ops.is_empty() {
        run.preserve_analyses();
    }
    let mut all = true;
    for (op, opts) in ops {
        // Report the errors of all operations.
        if let Err(err) = apply(run, op, opts) {
            err.emit();
            all = false;
        }
    }
    if all { Ok(()) } else { Err(Failed) }
}

fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("{NAME}: {message}"))
}

/// Applies the optimisations of an operation.
fn apply<'p>(run: &'p PassRun<'p>, op: Op<'p>, opts: Attribute<'p>) -> Result<(), Diagnostic<'p>> {
    let name = ir::name(op);
    if name.starts_with("uop.") {
        return Err(error(
            op,
            "optimisations are of loops; run --convert-uop-to-linalg first",
        ));
    }
    if name != linalg::GENERIC {
        let message =
            format!("'{name}' is no linalg.generic; run --spyre-generalize-named-ops first");
        return Err(error(op, message));
    }
    let nest = Nest::read(op).map_err(|err| error(op, err))?;
    let opts = attr::elements(opts).into_iter().map(uop_attr::opt);
    let opts: Option<Vec<_>> = opts.collect();
    let opts = opts.expect("the verifier has seen that every entry is one");
    let mut kernel = Kernel::new(&nest.loops, nest.reduction());
    let plan = card::plan(&mut kernel, &opts, nest.card())
        .map_err(|refused| error(op, refused.to_string()))?;
    let op = pad::pad(run.context(), &nest, &plan.paddings).map_err(|err| error(op, err))?;
    run.count("optimised", 1);
    run.count("padded", plan.paddings.len());
    ir::remove_discardable_attribute(op, OPTS);
    write(run.context(), op, &kernel, &plan);
    Ok(())
}

/// Writes tiles, cores and axes on an operation.
fn write<'p>(context: &'p Context, op: Op<'p>, kernel: &Kernel, plan: &card::Plan) {
    let hints = op.attribute(TILE).map(attr::elements).unwrap_or_default();
    let first = hints.iter().filter_map(|hint| tile_hint(*hint));
    let first = first.map(|hint| hint.scope + 1).max().unwrap_or(0);
    let tiles = (first..).zip(&plan.tiles).map(|(scope, (of, count))| {
        let hint = TileHint {
            scope,
            dim: of.to_string(),
            tiles: Tiles::Count(*count),
        };
        tile_hint_attribute(context, &hint)
    });
    let tiles: Vec<_> = hints.into_iter().chain(tiles).collect();
    let divisions = plan.divisions.iter().map(|(of, cores)| {
        let hint = DivideHint {
            dim: of.to_string(),
            cores: *cores,
        };
        divide_hint_attribute(context, &hint)
    });
    let axes = kernel.axes().iter().map(|(_, axis)| {
        let (kind, of) = (axis.kind as usize, axis.loop_id.position());
        uop_attr::axis(context, axis.extent, kind, of, axis.step)
    });
    let lists = [
        (TILE, tiles),
        (DIVIDE, divisions.collect()),
        (AXES, axes.collect()),
    ];
    for (name, list) in lists {
        if !list.is_empty() {
            ir::set_discardable_attribute(op, name, attr::array(context, &list));
        }
    }
}

/// The loops of a structured operation.
struct Nest<'p> {
    op: Op<'p>,
    body: Blk<'p>,
    /// The number of tensors that are only read; the others are results.
    inputs: usize,
    /// The coordinates of each tensor.
    accesses: Vec<(Val<'p>, Vec<Coordinate>)>,
    loops: Vec<(u64, AxisType)>,
}

impl<'p> Nest<'p> {
    /// Reads the loops.
    ///
    /// # Errors
    /// An extent is not known, or no tensor has a loop as a dimension.
    fn read(op: Op<'p>) -> Result<Self, String> {
        let maps = op.attribute("indexing_maps").map(attr::elements);
        let maps = maps.expect("a structured operation has maps");
        let mut accesses = Vec::new();
        for (value, map) in op.operands().zip(maps) {
            let message = || "a tensor does not move linearly along the loops".to_owned();
            accesses.push((value, access::read(map).ok_or_else(message)?));
        }
        let iterators = op.attribute("iterator_types").map(attr::elements);
        let iterators = iterators.expect("a structured operation has loops");
        let mut loops = Vec::new();
        for (number, iterator) in iterators.into_iter().enumerate() {
            let extent = extent(&accesses, number)?;
            let extent =
                extent.ok_or_else(|| format!("no tensor has loop d{number} as a dimension"))?;
            let is_reduced = iterator.to_string().contains("reduction");
            let kind = if is_reduced {
                AxisType::Reduce
            } else {
                AxisType::Loop
            };
            loops.push((extent, kind));
        }
        Ok(Self {
            op,
            body: ir::body(op).expect("a structured operation has a body"),
            inputs: accesses.len() - op.result_count(),
            accesses,
            loops,
        })
    }

    /// Returns the stick of the card along the dimensions of the first result.
    fn card(&self) -> Card {
        let (result, coordinates) = &self.accesses[self.inputs];
        let format = attr::device_format(element_of(*result));
        let last = coordinates.last().and_then(Coordinate::as_index);
        Card {
            stick: format.map(|format| format.elements_per_stick().get()),
            last: last.map(|id| LoopId::of(id.0)),
        }
    }

    /// Returns how the operation reduces; none if it does not.
    fn reduction(&self) -> Option<Reduction> {
        let mut kinds = self.loops.iter().map(|(_, kind)| *kind);
        if !kinds.any(|kind| kind == AxisType::Reduce) {
            return None;
        }
        let other = Reduction {
            combine: None,
            term: Term::Other,
        };
        let reduction = self.term().and_then(|(combiner, term)| {
            let combine = match ir::name(combiner) {
                arith::ADDF | arith::ADDI => Combine::Add,
                arith::MAXIMUMF | arith::MAXNUMF | arith::MAXSI | arith::MAXUI => Combine::Max,
                arith::MULF | arith::MULI => Combine::Mul,
                _ => return None,
            };
            let term = match self.input(term) {
                Some(number) if self.is_added_to(number) => Term::Element,
                _ if self.keeps_zero(term) => Term::KeepsZero,
                _ => Term::Other,
            };
            Some(Reduction {
                combine: Some(combine),
                term,
            })
        });
        Some(reduction.unwrap_or(other))
    }

    /// Returns the operation that combines the accumulator with a term, and the term; none if there are several
    /// results.
    fn term(&self) -> Option<(Op<'p>, Val<'p>)> {
        let end = ir::operations(self.body).last()?;
        let combiner = ir::defining_op(ir::operand(end, 0)?)?;
        let accumulator = self.inputs;
        let is_accumulator = |value: Val<'p>| self.argument(value) == Some(accumulator);
        let [a, b] = [ir::operand(combiner, 0)?, ir::operand(combiner, 1)?];
        let term = match (is_accumulator(a), is_accumulator(b)) {
            (true, false) => b,
            (false, true) => a,
            _ => return None,
        };
        (self.op.result_count() == 1).then_some((combiner, term))
    }

    /// Returns the tensor that an argument of the body is an element of.
    fn argument(&self, value: Val<'p>) -> Option<usize> {
        match ir::source(value) {
            Source::Argument(block, number) if block == self.body => Some(number),
            _ => None,
        }
    }

    /// Returns the read-only tensor that a value is an element of.
    fn input(&self, value: Val<'p>) -> Option<usize> {
        self.argument(value).filter(|number| *number < self.inputs)
    }

    /// Returns whether a tensor moves along every reduction, so that each added position reads an element of the
    /// tensor's padding.
    fn is_added_to(&self, number: usize) -> bool {
        let coordinates = &self.accesses[number].1;
        let reduced = self.loops.iter().enumerate();
        let mut reduced = reduced.filter(|(_, (_, kind))| *kind == AxisType::Reduce);
        reduced.all(|(of, _)| {
            let mut coordinates = coordinates.iter().filter_map(Coordinate::as_index);
            coordinates.any(|id| id.0 == of)
        })
    }

    /// Returns whether a value of the body is 0 where the elements of tensors are 0.
    fn keeps_zero(&self, value: Val<'p>) -> bool {
        if let Some(number) = self.input(value) {
            return self.is_added_to(number);
        }
        let Some(op) = ir::defining_op(value) else {
            return false;
        };
        match ir::name(op) {
            // An infinite factor times 0 is no number.
            arith::ADDF
            | arith::ADDI
            | arith::SUBF
            | arith::SUBI
            | arith::MULF
            | arith::MAXIMUMF
            | arith::MAXNUMF
            | arith::MAXSI
            | arith::MAXUI
            | arith::MINIMUMF
            | arith::MINNUMF
            | arith::MINSI
            | arith::MINUI
            | arith::NEGF
            | arith::EXTF
            | arith::TRUNCF
            | arith::EXTSI
            | arith::EXTUI
            | arith::TRUNCI
            | arith::SITOFP
            | arith::UITOFP
            | math::SQRT
            | math::SIN
            | math::ABSF
            | math::TRUNC => op.operands().all(|operand| self.keeps_zero(operand)),
            arith::MULI => op.operands().any(|operand| self.keeps_zero(operand)),
            _ => false,
        }
    }
}

/// Returns the extent of a loop; none if no tensor has it as a dimension.
fn extent(accesses: &[(Val<'_>, Vec<Coordinate>)], number: usize) -> Result<Option<u64>, String> {
    for (value, coordinates) in accesses {
        let mut dims = coordinates.iter();
        let dim = dims.position(|at| at.as_index().is_some_and(|id| id.0 == number));
        if let Some(dim) = dim {
            let shape = shape_of(*value)?;
            return Ok(Some(shape[dim].cast_unsigned()));
        }
    }
    Ok(None)
}

/// Returns the type of a value as text.
fn type_of(value: Val<'_>) -> String {
    value.r#type().to_string()
}
