//! Sums of products as matrix products.
//!
//! A loop is a dimension of the batch if both operands and the result move along it, of M or N if one operand and the
//! result do, and of K if both operands do and the result does not. Several loops of one kind are merged into one
//! dimension, except loops of the batch, which stay, and loops of dynamic extent, which become loops of the batch.

use melior::ir::ValueLike;
use spyre_analysis::dynamic::extents::Extent;
use spyre_construct::access::LoopId;
use spyre_construct::build::{Build, element_of};
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{arith, spyre};

use super::nest::{Access, Nest};
use super::term::Term;
use super::truth;
use super::view::{self, View};

/// The columns of a stick of 16 bits.
const COLUMNS: i64 = 64;

/// Builds the sum of products of two operands; `None` for other terms, and where no loop is a reduced one of both
/// operands.
///
/// # Errors
/// The reason why an operand is no view of its tensor.
pub(super) fn product<'p>(
    build: Build<'p>,
    nest: &Nest<'p>,
    term: &Term<'p>,
) -> Result<Option<Val<'p>>, String> {
    let Some([lhs, rhs]) = factors(nest, term.value) else {
        return Ok(None);
    };
    let loops = || (0..nest.extents.len()).map(LoopId);
    let is_parallel = |id: &LoopId| id.0 < nest.parallel;
    let both = |id: &LoopId| lhs.reads(*id) && rhs.reads(*id);
    let batch: Vec<_> = loops().filter(|id| is_parallel(id) && both(id)).collect();
    let mut rows: Vec<_> = loops()
        .filter(|id| is_parallel(id) && !both(id) && lhs.reads(*id))
        .collect();
    let mut columns: Vec<_> = loops()
        .filter(|id| is_parallel(id) && !both(id) && rhs.reads(*id))
        .collect();
    let summed: Vec<_> = loops().filter(|id| !is_parallel(id) && both(id)).collect();
    let covered = batch.len() + rows.len() + columns.len() + summed.len();
    if summed.is_empty() || covered != nest.extents.len() || rows.len() + columns.len() == 0 {
        return Ok(None);
    }
    if ![lhs, rhs]
        .iter()
        .all(|side| ir::is_ranked_tensor(side.value.r#type()))
    {
        return Ok(None);
    }
    let (mut a, mut b) = (
        view::dims(&build, nest, lhs)?,
        view::dims(&build, nest, rhs)?,
    );
    let element = element_of(a.value);
    if element != element_of(b.value) || truth::width(element).is_none() {
        return Ok(None);
    }
    // A product with one column uses its left operand, which has many rows, as the right one: then the stick is full.
    if columns.is_empty() {
        std::mem::swap(&mut a, &mut b);
        std::mem::swap(&mut rows, &mut columns);
    }
    // A dynamic dimension is not merged with others: it becomes a batch dimension along which the other operand
    // repeats.
    let lift = |ids: &mut Vec<LoopId>| -> Vec<LoopId> {
        let is_open = |id: &mut LoopId| nest.extent(*id).number().is_none();
        match ids.len() {
            0 | 1 => Vec::new(),
            _ => ids.extract_if(.., is_open).collect(),
        }
    };
    let lifted = [lift(&mut rows), lift(&mut columns)].concat();
    let batch = [batch, lifted.clone()].concat();
    let extents = |ids: &[LoopId]| ids.iter().map(|id| nest.extent(*id)).collect::<Vec<_>>();
    let count = |ids: &[LoopId]| {
        let product = Extent::product(extents(ids));
        product.ok_or_else(|| {
            let extents = extents(ids);
            let dynamic = extents.iter().find(|extent| extent.number().is_none());
            build.because(
                *dynamic.unwrap_or(&extents[0]),
                "a product merges {} with others",
            )
        })
    };
    let arrange = |view: View<'p>, first: &[LoopId], second: &[LoopId]| -> Result<_, String> {
        let place = |id: &LoopId| view.loops.iter().position(|other| other == id);
        let is_own = |id: &&LoopId| !lifted.contains(*id) || place(id).is_some();
        let batch_loops: Vec<LoopId> = batch.iter().filter(is_own).copied().collect();
        let order = [&batch_loops[..], first, second].concat();
        let repeated = |id: &LoopId| match is_own(&id) {
            true => nest.extent(*id),
            false => Extent::ONE,
        };
        let mut shape: Vec<Extent> = batch.iter().map(repeated).collect();
        shape.extend([count(first)?, count(second)?]);
        let needed = order.iter().filter(|id| !nest.extent(**id).is_one());
        let places: Option<Vec<usize>> = needed.map(place).collect();
        if let Some(places) = places {
            return Ok(build.reshape(build.permute(view.value, &places), &shape)?);
        }
        // The operand repeats along a loop.
        let kept: Vec<LoopId> = order
            .iter()
            .copied()
            .filter(|id| place(id).is_some())
            .collect();
        let places: Vec<usize> = kept.iter().filter_map(place).collect();
        let narrow = order.iter().map(|id| {
            if kept.contains(id) {
                nest.extent(*id)
            } else {
                Extent::ONE
            }
        });
        let value = build.permute(view.value, &places);
        let value = build.reshape(value, &narrow.collect::<Vec<_>>())?;
        Ok(build.reshape(build.widen(value, &extents(&order)), &shape)?)
    };
    [a.value, b.value] = for_sums(build, term, [a.value, b.value], count(&columns)?);
    let a = arrange(a, &rows, &summed)?;
    let b = arrange(b, &summed, &columns)?;
    let mut shape = extents(&batch);
    shape.extend([count(&rows)?, count(&columns)?]);
    let ty = build.tensor(&shape, term.element);
    let sum = build.emit(spyre::batchmatmul(a, b), ty);
    let product_loops: Vec<LoopId> = [&batch[..], &rows, &columns].concat();
    let sum = build.reshape(sum, &extents(&product_loops))?;
    let order: Vec<usize> = (0..nest.parallel)
        .map(|id| {
            let at = product_loops.iter().position(|other| other.0 == id);
            at.expect("every parallel loop is in the product")
        })
        .collect();
    Ok(Some(build.permute(sum, &order)))
}

/// Returns the operands of a sum of products with `columns` along the stick of the result.
///
/// A product of 16 bits that adds up in 32 runs over whole sticks of 64 columns, and its result has sticks of 32. Where columns are
/// left over, the operands are cast, which is as exact.
pub(super) fn for_sums<'p>(
    build: Build<'p>,
    term: &Term<'p>,
    operands: [Val<'p>; 2],
    columns: Extent,
) -> [Val<'p>; 2] {
    let is_wider = truth::width(element_of(operands[0])) != truth::width(term.element);
    let is_whole = columns
        .number()
        .is_some_and(|columns| columns % COLUMNS == 0);
    if !is_wider || is_whole {
        return operands;
    }
    operands.map(|operand| build.pointwise(spyre::DL16TOFP32, &[operand], term.element))
}

/// Returns the factors of a value that is a product, without the conversions of each to the accumulation type.
pub(super) fn factors<'a, 'p>(nest: &'a Nest<'p>, value: Val<'p>) -> Option<[&'a Access<'p>; 2]> {
    let op = defined(value, arith::MULF)?;
    let side = |number: usize| {
        let value: Val<'p> = ir::operand(op, number)?;
        let value = match defined(value, arith::EXTF) {
            Some(wider) => ir::operand(wider, 0)?,
            None => value,
        };
        nest.inputs.iter().find(|input| input.element == value)
    };
    Some([side(0)?, side(1)?])
}

fn defined<'p>(value: Val<'p>, name: &str) -> Option<Op<'p>> {
    ir::defining_op(value).filter(|op| ir::name(*op) == name)
}
