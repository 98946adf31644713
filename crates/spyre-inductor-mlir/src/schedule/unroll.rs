//! Reductions of few elements, element by element.

use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Block, Identifier, Region, RegionLike, Type, TypeLike, ValueLike};
use spyre_construct::build::element_type;
use spyre_index_expr::{Expr, Var};
use spyre_inductor::schedule::split::Short;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use spyre_ods::{Arithmetic, CmpFPredicate, CmpIPredicate, OpBuilder, OpParts, arith, inductor};

use super::super::copy::{Copy, arguments};
use super::super::number;
use super::super::program::{self, result, text};
use super::split::parts::store;

/// A reduction of few elements, which is unrolled.
pub(super) struct Few<'p> {
    pub(super) op: Op<'p>,
    /// The number of loops that are not reduced, and the extents of the reduced ones.
    pub(super) parallel: usize,
    pub(super) reduced: Vec<i64>,
    pub(super) short: Short,
    /// The type of the reduced elements, and the identity of the reduction.
    pub(super) ty: Type<'p>,
    pub(super) identity: Option<Attribute<'p>>,
}

/// Returns whether there is an operation that combines two values of a kind of reduction.
fn combines(kind: &str, ty: Type<'_>) -> bool {
    is_search(kind) || function(kind, ty).is_some()
}

fn is_search(kind: &str) -> bool {
    matches!(kind, "argmax" | "argmin")
}

/// Returns the operation that combines two values.
fn function(kind: &str, ty: Type<'_>) -> Option<&'static str> {
    let is_truth = ir::bits(ty) == Some(1);
    Some(match (kind, ty.is_integer()) {
        ("sum" | "max" | "any", true) if is_truth => arith::ORI,
        ("prod" | "min", true) if is_truth => arith::ANDI,
        ("sum", true) => arith::ADDI,
        ("sum", false) => arith::ADDF,
        ("prod", true) => arith::MULI,
        ("prod", false) => arith::MULF,
        ("max", true) => arith::MAXSI,
        ("max", false) => arith::MAXIMUMF,
        ("min", true) => arith::MINSI,
        ("min", false) => arith::MINIMUMF,
        ("xor_sum", true) => arith::XORI,
        _ => return None,
    })
}

/// Replaces a reduction of few elements by an elementwise operation with one term per reduced element. Returns `false`,
/// and changes nothing, for a kind of reduction that cannot be unrolled.
///
/// # Errors
/// An index of a term does not fit into 64 bits.
pub(super) fn unroll<'p>(context: &'p Context, few: &Few<'p>) -> Result<bool, Diagnostic<'p>> {
    let op = few.op;
    let kind = text(op, "kind");
    let body = ir::body(op).expect("a nest has a block");
    let end = body.terminator().expect("a nest ends with a store");
    // The positions of a search may be numbers that its body computes.
    if is_search(&kind) && program::accessed_from(end) != 1 {
        return Ok(false);
    }
    let can = match few.short {
        Short::Constant => {
            let starts = matches!(&*kind, "sum" | "prod" | "any" | "xor_sum");
            starts && few.identity.is_some() && is_stored(few)
        }
        Short::Element | Short::Unrolled => {
            combines(&kind, few.ty) && (is_search(&kind) || is_stored(few))
        }
    };
    if !can {
        return Ok(false);
    }
    let nest = pointwise(context, op, few.parallel);
    let body = ir::body(nest).expect("a nest has a block");
    let build = Build {
        builder: OpBuilder {
            context,
            at: At::End(body),
            location: nest.location(),
        },
        body,
    };
    let value = match few.short {
        Short::Constant => {
            let identity = few.identity.expect("it was looked at");
            build.constant(few.ty, identity)
        }
        Short::Element if is_search(&kind) => build.integer(0),
        Short::Element | Short::Unrolled => folded(&build, few, &kind)?,
    };
    let at = program::stored_at(op)?;
    store(
        context,
        At::End(body),
        (op, &[value]),
        (&at, &arguments(body)),
    )?;
    number::unique(nest)?;
    ir::replace_all_uses(result(op, 0), result(nest, 0));
    ir::erase(op);
    Ok(true)
}

/// Returns whether the buffer has the reduced value, and not its position or another type.
fn is_stored(few: &Few<'_>) -> bool {
    let element = element_type(result(few.op, 0).r#type());
    match element.is_integer() {
        true => few.ty.is_integer() && ir::bits(few.ty) == ir::bits(element),
        false => !few.ty.is_integer(),
    }
}

/// Combines the elements from the first to the last, row by row.
fn folded<'p>(build: &Build<'p>, few: &Few<'p>, kind: &str) -> Result<Val<'p>, Diagnostic<'p>> {
    let count: i64 = few.reduced.iter().product();
    let mut all: Option<(Val<'p>, Option<Val<'p>>)> = None;
    for number in 0..count {
        let value = element(build, few, number)?;
        let position = is_search(kind).then(|| build.integer(number));
        all = Some(match all {
            None => (value, position),
            Some((before, at)) => match (at, position) {
                (Some(at), Some(position)) => {
                    build.search(kind == "argmax", (before, at), (value, position))
                }
                _ => {
                    let function = function(kind, few.ty).expect("it was looked at");
                    let both = [before, value];
                    (
                        build.builder.op(OpParts::named(function, &both), few.ty),
                        None,
                    )
                }
            },
        });
    }
    let (value, position) = all.expect("there is an element");
    Ok(position.unwrap_or(value))
}

/// Copies the computation of one element.
fn element<'p>(build: &Build<'p>, few: &Few<'p>, number: i64) -> Result<Val<'p>, Diagnostic<'p>> {
    let mut at: Vec<Expr> = (0..few.parallel)
        .map(|number| Expr::var(Var::Loop(u32::try_from(number).expect("loops are few"))))
        .collect();
    let mut weight: i64 = few.reduced.iter().product();
    for extent in &few.reduced {
        weight /= extent;
        at.push(Expr::constant(number / weight % extent));
    }
    let mut copy = Copy::new(build.builder.context, arguments(build.body), at);
    let source = ir::body(few.op).expect("a nest has a block");
    copy.block(source, build.builder.at)?;
    let end = ir::operations(source).last().expect("IN9: a nest stores");
    Ok(copy.value(ir::operand(end, 0).expect("a reduction stores a value")))
}

/// Builds an elementwise operation before a reduction, with the attributes of the reduction and without a body.
pub(super) fn pointwise<'p>(context: &'p Context, op: Op<'p>, loops: usize) -> Op<'p> {
    let gone = ["kind", "reduction_ranges", "source", "hint", "output"];
    let attributes: Vec<(Identifier<'p>, Attribute<'p>)> = op
        .attributes()
        .filter(|(name, _)| {
            let name = name.as_string_ref();
            !gone.contains(&name.as_str().unwrap_or_default())
        })
        .collect();
    let index = (Type::index(context), op.location());
    let region = Region::new();
    region.append_block(Block::new(&vec![index; loops]));
    let built = OperationBuilder::new(inductor::POINTWISE, op.location())
        .add_results(&[result(op, 0).r#type()])
        .add_attributes(&attributes)
        .add_regions([region])
        .build()
        .expect("every part of the operation is given");
    ir::insert(At::Before(op), built).expect("the reduction is in a block")
}

/// Builds operations at the end of a body.
struct Build<'p> {
    builder: OpBuilder<'p>,
    body: Blk<'p>,
}

impl<'p> Build<'p> {
    fn constant(&self, ty: Type<'p>, value: Attribute<'p>) -> Val<'p> {
        self.builder.op(arith::constant(value), ty)
    }

    fn integer(&self, value: i64) -> Val<'p> {
        let ty = IntegerType::new(self.builder.context, 64).into();
        self.constant(ty, IntegerAttribute::new(ty, value).into())
    }

    /// Returns the larger or smaller of two elements with its position: the first one where they are equal, and NaN before all numbers.
    fn search(
        &self,
        is_max: bool,
        (before, at): (Val<'p>, Val<'p>),
        (value, position): (Val<'p>, Val<'p>),
    ) -> (Val<'p>, Option<Val<'p>>) {
        let build = &self.builder;
        let stays = if before.r#type().is_integer() {
            let predicate = match is_max {
                true => CmpIPredicate::Sge,
                false => CmpIPredicate::Sle,
            };
            build.cmpi(predicate, before, value)
        } else {
            let predicate = match is_max {
                true => CmpFPredicate::Oge,
                false => CmpFPredicate::Ole,
            };
            let is_first = build.cmpf(predicate, before, value);
            let is_nan = build.cmpf(CmpFPredicate::Une, before, before);
            build.same(arith::ori(is_first, is_nan))
        };
        let value = build.select(stays, before, value);
        (value, Some(build.select(stays, at, position)))
    }
}
