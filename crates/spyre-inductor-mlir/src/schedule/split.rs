//! `--inductor-split-reductions`: cuts long reductions into parts, and unrolls short ones.
//!
//! `spyre_inductor::schedule::split` decides the number of parts; `parts` builds them, `welford` the parts of a mean
//! and a variance, and `existing` finds parts that exist already. `two_steps` computes means and variances of few
//! elements in two steps.

mod existing;
pub(super) mod parts;
mod two_steps;
mod welford;

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type, TypeLike, ValueLike};
use parts::{Cut, end_of, first, last, stored};
use spyre_index_expr::{Expr, Overflow};
use spyre_inductor::schedule::nest::Nest;
use spyre_inductor::schedule::program::Program;
use spyre_inductor::schedule::split::{self, Machine};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};
use spyre_ods::inductor;
use two_steps::{Variance, two_steps};
use welford::Siblings;

use super::super::program::{self, text};
use super::error;
use super::unroll::{Few, unroll};

/// `--inductor-split-reductions`
pub static INDUCTOR_SPLIT_REDUCTIONS: RustPass = RustPass {
    argument: "inductor-split-reductions",
    summary: "Cut long reductions into parts, so that there is work for all processors, and unroll short ones",
    description: include_str!("split.md"),
    anchor: inductor::GRAPH,
    options: &[
        PassOption {
            name: "processors",
            description: "the number of processors of a GPU; 0 cuts no reduction, and has a CPU's rules for short reductions",
            kind: OptionKind::Int(0),
        },
        PassOption {
            name: "threads",
            description: "the threads of one processor",
            kind: OptionKind::Int(2048),
        },
        PassOption {
            name: "unroll",
            description: "reductions of fewer elements are unrolled; 0 unrolls none",
            kind: OptionKind::Int(8),
        },
    ],
    statistics: &[
        PassStatistic {
            name: "split",
            description: "Reductions that were cut",
        },
        PassStatistic {
            name: "two-steps",
            description: "Results of means and variances that are computed in two steps",
        },
        PassStatistic {
            name: "unrolled",
            description: "Reductions that are computed element by element",
        },
    ],
    dialects: || vec![melior::dialect::DialectHandle::arith()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let graph = run.operation();
    program::check_unfused(graph)?;
    let rules = Rules {
        context: run.context(),
        machine: Machine {
            processors: run.int("processors"),
            threads: run.int("threads"),
        },
        unroll: run.int("unroll"),
        program: Program {
            symbols: program::symbols(graph),
            ..Program::default()
        },
        remarks: Remarks::about(run.context(), graph, "inductor-split-reductions"),
    };
    let reductions = || -> Vec<Op<'p>> {
        let nests = super::nests_of(graph);
        nests
            .filter(|op| ir::name(*op) == inductor::REDUCTION)
            .collect()
    };
    let in_two_steps = rules.variances(&reductions())?;
    two_steps(run.context(), &in_two_steps)?;
    run.count("two-steps", in_two_steps.len());
    let ops = reductions();
    let mut siblings = Siblings::default();
    for op in ops {
        // Parts may be long enough to be cut again.
        let mut next = vec![op];
        while let Some(op) = next.pop() {
            match rules.change(op, &mut siblings)? {
                Change::Nothing => {}
                Change::Unrolled => run.count("unrolled", 1),
                Change::Cut(parts) => {
                    run.count("split", 1);
                    next.extend(parts);
                }
            }
        }
    }
    Ok(())
}

/// The outcome for a reduction.
enum Change<'p> {
    Nothing,
    Unrolled,
    /// The reduction was split into parts. The list has the new operations.
    Cut(Vec<Op<'p>>),
}

/// How reductions are changed.
struct Rules<'p> {
    context: &'p Context,
    machine: Machine,
    /// Reductions of fewer elements are unrolled.
    unroll: i64,
    /// The symbolic sizes.
    program: Program,
    remarks: Remarks,
}

/// The numbers of elements that a reduction reduces to one, and of its results.
type Counts = (i64, i64);

/// The extents of a reduction, which are numbers.
struct Extents {
    nest: Nest,
    /// The extents of its results.
    ranges: Vec<Expr>,
    /// The extents of its reduced loops, without loops of one iteration.
    reduced: Vec<i64>,
    counts: Counts,
}

/// Returns the extents of a reduction. `None` if some are symbols, which have no numbers of parts, or if its loops are
/// merged, which are decided about already.
fn extents<'p>(op: Op<'p>) -> Result<Option<Extents>, Diagnostic<'p>> {
    let nest = program::nest(op)?.0;
    let ranges = program::sizes(op, "ranges")?;
    let numbers =
        |list: &[Expr]| -> Option<Vec<i64>> { list.iter().map(Expr::as_constant).collect() };
    let pair = numbers(&ranges).zip(numbers(&nest.loops[nest.parallel..]));
    let Some((outer, reduced)) = pair.filter(|_| op.attribute("loops").is_err()) else {
        return Ok(None);
    };
    let product = |extents: &[i64]| {
        let mut extents = extents.iter();
        extents.try_fold(1_i64, |all, extent| all.checked_mul(*extent))
    };
    let counts = product(&reduced).zip(product(&outer));
    let counts = counts.ok_or_else(|| error(op, Overflow))?;
    Ok(Some(Extents {
        nest,
        ranges,
        reduced,
        counts,
    }))
}

impl<'p> Rules<'p> {
    /// Returns the means and variances that are computed in two steps.
    fn variances(&self, reductions: &[Op<'p>]) -> Result<Vec<Variance<'p>>, Diagnostic<'p>> {
        let mut all = Vec::new();
        for op in reductions
            .iter()
            .filter(|op| &*text(**op, "kind") == "welford_reduce")
        {
            let Some(extents) = extents(*op)? else {
                continue; // Not known to be few elements.
            };
            let (elements, results) = extents.counts;
            if split::is_two_steps(elements, results, self.machine.processors <= 0) {
                self.remarks
                    .emit(|| remark(RemarkKind::Passed, "InTwoSteps", *op, extents.counts));
                all.push(Variance {
                    op: *op,
                    parallel: extents.nest.parallel,
                    elements,
                });
            }
        }
        Ok(all)
    }

    fn change(
        &self,
        op: Op<'p>,
        siblings: &mut Siblings<'p>,
    ) -> Result<Change<'p>, Diagnostic<'p>> {
        let Some(Extents {
            nest,
            ranges,
            reduced,
            counts,
        }) = extents(op)?
        else {
            return Ok(Change::Nothing);
        };
        let values = stored(end_of(op));
        let ty = values.first().expect("a reduction stores a value").r#type();
        if self.unrolled(op, (nest.parallel, &reduced), counts, ty)? {
            return Ok(Change::Unrolled);
        }
        let kind = text(op, "kind");
        let identity = identity(self.context, &kind, ty);
        let is_welford = matches!(&*kind, "welford_reduce" | "welford_combine") && !ty.is_integer();
        if identity.is_none() && !is_welford {
            return Ok(Change::Nothing);
        }
        let Some((parts, block)) = self.parts(op, &nest, counts)? else {
            return Ok(Change::Nothing);
        };
        let cut = Cut {
            op,
            nest,
            ranges,
            reduced,
            parts,
            block,
        };
        self.remarks.emit(|| {
            remark(RemarkKind::Passed, "Split", op, counts)
                .arg("Parts", parts)
                .arg("Each", block)
        });
        match identity.filter(|_| !is_welford) {
            Some(identity) => {
                let first = first(self.context, &cut, (ty, identity))?;
                last(self.context, &cut, (&[first], ty))?;
                Ok(Change::Cut(vec![first]))
            }
            None => siblings.cut(self.context, &cut, ty).map(Change::Cut),
        }
    }

    /// Unrolls a reduction if it is short. Returns whether it was.
    fn unrolled(
        &self,
        op: Op<'p>,
        (parallel, reduced): (usize, &[i64]),
        (elements, results): Counts,
        ty: Type<'p>,
    ) -> Result<bool, Diagnostic<'p>> {
        let is_cpu = self.machine.processors <= 0;
        let Some(short) = split::short(elements, results, self.unroll, is_cpu) else {
            return Ok(false);
        };
        let few = Few {
            op,
            parallel,
            reduced: reduced.to_vec(),
            short,
            ty,
            identity: identity(self.context, &text(op, "kind"), ty),
        };
        let said = remark(RemarkKind::Passed, "Unrolled", op, (elements, results));
        let is_unrolled = unroll(self.context, &few)?;
        if is_unrolled {
            self.remarks.emit(|| said);
        }
        Ok(is_unrolled)
    }

    /// Returns the number of parts of a reduction, and of the elements of one; `None` if it is not cut.
    fn parts(
        &self,
        op: Op<'p>,
        nest: &Nest,
        (elements, results): Counts,
    ) -> Result<Option<(i64, i64)>, Diagnostic<'p>> {
        if self.machine.processors <= 0 || self.machine.threads <= 0 {
            return Ok(None);
        }
        let is_inner = match results {
            1 => Some(true),
            // The loads of a part have quotients of its loops.
            _ => nest
                .simple(&self.program)
                .and_then(|nest| split::is_inner(&self.program, &nest))
                .map_err(|err| error(op, err))?,
        };
        let parts =
            is_inner.map(|is_inner| split::parts(self.machine, elements, results, is_inner));
        let Some(parts) = parts.filter(|parts| *parts > 1) else {
            return Ok(None);
        };
        if results == 1
            && let Some((parts, block)) = existing::parts(op)?
            && parts.checked_mul(block) == Some(elements)
            && parts > 1
        {
            return Ok(Some((parts, block)));
        }
        Ok(Some((parts, (elements + parts - 1) / parts)))
    }
}

/// Returns a remark about a reduction, with its counts.
fn remark<'p>(
    kind: RemarkKind,
    name: &'static str,
    op: Op<'p>,
    (elements, results): Counts,
) -> Remark<'p> {
    Remark::new(kind, op.location(), name)
        .arg("Operation", text(op, "op"))
        .arg("Elements", elements)
        .arg("Results", results)
}

/// Returns the identity of a reduction; `None` for one that is not cut.
fn identity<'p>(context: &'p Context, kind: &str, ty: Type<'p>) -> Option<Attribute<'p>> {
    let bits = ir::bits(ty)?;
    let integer = |value: i64| Some(IntegerAttribute::new(ty, value).into());
    let float = |value: f64| Some(FloatAttribute::new(context, ty, value).into());
    let least = || i64::MIN >> (64 - bits.min(64));
    match (kind, ty.is_integer()) {
        ("sum" | "xor_sum" | "any", true) => integer(0),
        ("prod", true) => integer(1),
        ("max", true) if bits > 1 => integer(least()),
        ("min", true) if bits > 1 => integer(!least()),
        ("sum", false) => float(0.0),
        ("prod", false) => float(1.0),
        ("max", false) => float(f64::NEG_INFINITY),
        ("min", false) => float(f64::INFINITY),
        _ => None,
    }
}
