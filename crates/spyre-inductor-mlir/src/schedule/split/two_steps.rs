//! A mean and a variance in two steps: the sum, then the squares of the deviations from the mean.
//!
//! PyTorch does so where few elements are reduced to several results (`use_two_step_variance`); one pass over all of
//! them is `welford_reduce`. A mean, a sum of squared deviations and a number of elements are buffers with separate
//! operations, so the sum is built once for all of them.

use melior::Context;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_construct::build::element_type;
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Op, Val};
use spyre_ods::{Arithmetic, OpBuilder, OpParts, arith, inductor};

use super::super::super::copy::arguments;
use super::super::super::import::{extents, own_layout};
use super::super::super::program::{self, result, text};
use super::super::unroll::pointwise;
use super::parts::{end_of, indices, store};
use super::welford::{Body, body};

/// A `welford_reduce` that is computed in two steps.
#[derive(Clone, Copy)]
pub(super) struct Variance<'p> {
    pub(super) op: Op<'p>,
    /// The loops that are not reduced.
    pub(super) parallel: usize,
    /// The number of elements that are reduced to one.
    pub(super) elements: i64,
}

/// Which of the three results of `welford_reduce` a buffer has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Output {
    Mean,
    Squares,
    Count,
}

impl Variance<'_> {
    fn output(&self) -> Output {
        let output = ir::attribute(self.op, "output").and_then(attr::integer);
        match output {
            Some(0) => Output::Mean,
            Some(1) => Output::Squares,
            Some(2) => Output::Count,
            output => unreachable!("checked by the dialect: {output:?}"),
        }
    }
}

/// Computes means and variances in two steps.
///
/// # Errors
/// An index is too large.
pub(super) fn two_steps<'p>(
    context: &'p Context,
    all: &[Variance<'p>],
) -> Result<(), Diagnostic<'p>> {
    let mut groups: Vec<Vec<Variance<'p>>> = Vec::new();
    let mut positions: FxHashMap<Body<'p>, usize> = FxHashMap::default();
    for variance in all {
        let group = *positions.entry(body(variance.op)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(*variance);
    }
    groups.iter().try_for_each(|group| of_group(context, group))
}

/// Computes the reductions of the same elements.
fn of_group<'p>(context: &'p Context, group: &[Variance<'p>]) -> Result<(), Diagnostic<'p>> {
    let of = |output: Output| -> Vec<&Variance<'p>> {
        let all = group.iter();
        all.filter(|variance| variance.output() == output).collect()
    };
    let (means, squares) = (of(Output::Mean), of(Output::Squares));
    let mut replacements = Vec::with_capacity(group.len());
    for variance in of(Output::Count) {
        replacements.push((variance.op, count(context, variance)?));
    }
    if !(means.is_empty() && squares.is_empty()) {
        let sum = sum(context, group[0]);
        // A mean that is a buffer is computed before it is read.
        let mut average = Average::OfSum(sum);
        for mean in means {
            let buffer = quotient(context, group[0].op, (mean, sum))?;
            // A buffer of fewer bits has rounded it.
            let element = element_type(result(buffer, 0).r#type());
            if element == value_type(mean.op) {
                average = Average::Buffer(buffer);
            }
            replacements.push((mean.op, buffer));
        }
        for squares in squares {
            squared(context, squares, &average)?;
        }
    }
    for (op, replacement) in replacements {
        ir::replace_all_uses(result(op, 0), result(replacement, 0));
        ir::erase(op);
    }
    Ok(())
}

/// Where the mean is.
enum Average<'p> {
    /// It is the quotient of a sum.
    OfSum(Op<'p>),
    Buffer(Op<'p>),
}

/// Builds the sum before the first operation that uses it.
fn sum<'p>(context: &'p Context, first: Variance<'p>) -> Op<'p> {
    let copy = ir::build_clone(At::Before(first.op), first.op);
    for name in ["op", "buffer"] {
        let sum_name = format!("{}_sum", text(first.op, name));
        ir::set_attribute(copy, name, StringAttribute::new(context, &sum_name).into());
    }
    become_sum(context, copy);
    // Sums of 16-bit values keep the type in which they are computed.
    let value = result(copy, 0);
    let layout = own_layout(value.r#type()).expect("it is a buffer");
    let tensor = RankedTensorType::try_from(value.r#type()).expect("a buffer is a tensor");
    let layout = layout.attribute(context).expect("it was a layout before");
    let ty = RankedTensorType::new(&extents(tensor), value_type(copy), Some(layout));
    value.set_type(ty.into());
    copy
}

fn become_sum<'p>(context: &'p Context, op: Op<'p>) {
    ir::set_attribute(op, "kind", StringAttribute::new(context, "sum").into());
    ir::remove_attribute(op, "output");
}

/// Builds the mean before an operation, as a buffer.
fn quotient<'p>(
    context: &'p Context,
    place: Op<'p>,
    (mean, sum): (&Variance<'p>, Op<'p>),
) -> Result<Op<'p>, Diagnostic<'p>> {
    let nest = pointwise(context, mean.op, mean.parallel);
    ir::move_to(nest, At::Before(place));
    let body = ir::body(nest).expect("a nest has a block");
    let build = Build {
        builder: OpBuilder {
            context,
            at: At::End(body),
            location: nest.location(),
        },
        ty: value_type(mean.op),
    };
    let sum = build.load(mean.op, sum, &arguments(body))?;
    let value = build.divided(sum, mean.elements);
    finish(context, nest, mean.op, value)?;
    Ok(nest)
}

/// Builds the number of elements before an operation, as a buffer.
fn count<'p>(context: &'p Context, count: &Variance<'p>) -> Result<Op<'p>, Diagnostic<'p>> {
    let nest = pointwise(context, count.op, count.parallel);
    let build = Build {
        builder: OpBuilder {
            context,
            at: At::End(ir::body(nest).expect("a nest has a block")),
            location: nest.location(),
        },
        ty: value_type(count.op),
    };
    let value = build.number(count.elements);
    finish(context, nest, count.op, value)?;
    Ok(nest)
}

/// Builds the sum of squares for a sum of squared deviations.
fn squared<'p>(
    context: &'p Context,
    squares: &Variance<'p>,
    average: &Average<'p>,
) -> Result<(), Diagnostic<'p>> {
    let op = squares.op;
    let end = end_of(op);
    let value = ir::operand(end, 0).expect("a nest stores a value");
    let build = Build {
        builder: OpBuilder {
            context,
            at: At::Before(end),
            location: op.location(),
        },
        ty: value.r#type(),
    };
    let loops = arguments(ir::body(op).expect("a nest has a block"));
    let mean = match average {
        Average::Buffer(mean) => build.load(op, *mean, &loops)?,
        Average::OfSum(sum) => build.divided(build.load(op, *sum, &loops)?, squares.elements),
    };
    let difference = build.op(arith::subf(value, mean));
    let square = build.op(arith::mulf(difference, difference));
    ir::set_operand(end, 0, square);
    become_sum(context, op);
    Ok(())
}

/// Ends the body of an elementwise operation with a store at the place where a reduction stores.
fn finish<'p>(
    context: &'p Context,
    nest: Op<'p>,
    reduction: Op<'p>,
    value: Val<'p>,
) -> Result<(), Diagnostic<'p>> {
    let body = ir::body(nest).expect("a nest has a block");
    let at = program::stored_at(reduction)?;
    store(
        context,
        At::End(body),
        (nest, &[value]),
        (&at, &arguments(body)),
    )
}

/// Returns the type of the reduced elements.
fn value_type(op: Op<'_>) -> Type<'_> {
    let value = ir::operand(end_of(op), 0);
    value.expect("a nest stores a value").r#type()
}

/// Builds operations of one type at a place.
struct Build<'p> {
    builder: OpBuilder<'p>,
    ty: Type<'p>,
}

impl<'p> Build<'p> {
    fn op(&self, parts: OpParts<'p>) -> Val<'p> {
        self.builder.op(parts, self.ty)
    }

    /// Reads the result of an operation at the place where a reduction stores.
    fn load(
        &self,
        reduction: Op<'p>,
        source: Op<'p>,
        loops: &[Val<'p>],
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let at = program::stored_at(reduction)?;
        let map = indices(self.builder.context, reduction, (&at, loops.len()))?;
        Ok(self.op(inductor::load(result(source, 0), loops, map)))
    }

    fn divided(&self, value: Val<'p>, count: i64) -> Val<'p> {
        let count = self.number(count);
        self.op(arith::divf(value, count))
    }

    fn number(&self, value: i64) -> Val<'p> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "there are at most 1,024 elements"
        )]
        self.builder.float(value as f64, self.ty)
    }
}
