//! Parts of a mean and a variance.
//!
//! A part of `welford_reduce` has three results: the mean, the sum of squared deviations, and the number of elements;
//! `welford_combine` reduces these. Each is a buffer with a separate operation, so the parts are built once for all of
//! them. Where the last part is short, an element is a mean with the weight 1, and a missing element has the weight 0
//! (PyTorch: `WelfordReduction.create_multilayer`).

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute, StringAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use spyre_ods::Arithmetic;

use super::super::super::copy::arguments;
use super::super::super::program::{self, text};
use super::parts::{Cut, Mask, builder, end_of, last, mask, masked, part, store, stored};

/// The operations of a nest and their parts: two nests with the same are the same but for the result that they have.
pub(super) type Body<'p> = Vec<(&'p str, Vec<Part<'p>>)>;

/// A part of an operation of a body.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Part<'p> {
    /// A loop, by its number.
    Loop(usize),
    /// A result of the body, by the number of its operation.
    Made(usize),
    /// A value of outside, by its key.
    Outside(ir::ValueKey),
    /// An attribute with its name.
    Attribute(String, Attribute<'p>),
    /// The type of a result.
    Type(Type<'p>),
}

/// The parts of reductions that were cut, by the body of the reduction.
#[derive(Default)]
pub(super) struct Siblings<'p> {
    parts: FxHashMap<Body<'p>, Vec<Op<'p>>>,
}

impl<'p> Siblings<'p> {
    /// Cuts a reduction with three results. Returns the reduction of its parts, unless that was built before.
    pub(super) fn cut(
        &mut self,
        context: &'p Context,
        cut: &Cut<'p>,
        ty: Type<'p>,
    ) -> Result<Vec<Op<'p>>, Diagnostic<'p>> {
        let body = body(cut.op);
        let entry = self.parts.get(&body).cloned();
        let is_new = entry.is_none();
        let parts = match entry {
            Some(parts) => parts,
            None => parts(context, cut, ty)?,
        };
        self.parts.insert(body, parts.clone());
        let nest = last(context, cut, (&parts, ty))?;
        set_kind(context, nest);
        Ok(if is_new { parts } else { Vec::new() })
    }
}

fn set_kind<'p>(context: &'p Context, op: Op<'p>) {
    let kind = StringAttribute::new(context, "welford_combine");
    ir::set_attribute(op, "kind", kind.into());
}

/// Builds the parts: a reduction for each of the three results.
fn parts<'p>(
    context: &'p Context,
    cut: &Cut<'p>,
    ty: Type<'p>,
) -> Result<Vec<Op<'p>>, Diagnostic<'p>> {
    let first = part(context, cut, ty)?;
    if !cut.is_even() {
        let mask = mask(context, cut, first)?;
        match &*text(cut.op, "kind") {
            "welford_combine" => short_of_parts(context, first, &mask, ty),
            _ => short_of_elements(context, first, &mask, ty)?,
        }
        set_kind(context, first);
    }
    let i64 = IntegerType::new(context, 64).into();
    let mut all = vec![first];
    for output in 0..3 {
        let op = match output {
            0 => first,
            _ => ir::build_clone(At::Before(cut.op), first),
        };
        ir::set_attribute(op, "output", IntegerAttribute::new(i64, output).into());
        if output > 0 {
            for name in ["op", "buffer"] {
                let output_name = format!("{}_{output}", text(op, name));
                ir::set_attribute(op, name, StringAttribute::new(context, &output_name).into());
            }
            all.push(op);
        }
    }
    Ok(all)
}

/// Adapts a reduction of elements to a short last part: an element is a mean with the weight 1, and a missing element
/// has the weight 0.
fn short_of_elements<'p>(
    context: &'p Context,
    nest: Op<'p>,
    mask: &Mask<'p>,
    ty: Type<'p>,
) -> Result<(), Diagnostic<'p>> {
    let float = |value: f64| -> Attribute<'p> { FloatAttribute::new(context, ty, value).into() };
    let end = end_of(nest);
    let value = ir::operand(end, 0).expect("it stores a value");
    let value = masked(context, nest, &mask.inner, (mask.value, value, float(0.0)));
    let build = builder(context, nest);
    let (zero, one) = (build.float(0.0, ty), build.float(1.0, ty));
    let weight = build.select(mask.value, one, zero);
    let body = ir::body(nest).expect("a nest has a block");
    let at = program::stored_at(nest)?;
    let values = [value, zero, weight];
    store(
        context,
        At::Before(end),
        (nest, &values),
        (&at, &arguments(body)),
    )?;
    ir::erase(end);
    Ok(())
}

/// Adapts a reduction of partial results to a short last part: a missing element has the weight 0.
fn short_of_parts<'p>(context: &'p Context, nest: Op<'p>, mask: &Mask<'p>, ty: Type<'p>) {
    let end = end_of(nest);
    for (number, value) in stored(end).into_iter().enumerate() {
        // A masked block has one value, so each gets a copy of the operations that compute it.
        let (inner, value) = copy_of(value, &mask.inner);
        let zero: Attribute<'p> = FloatAttribute::new(context, ty, 0.0).into();
        let value = masked(context, nest, &inner, (mask.value, value, zero));
        ir::set_operand(end, number, value);
    }
    for op in mask.inner.iter().rev() {
        ir::erase(*op);
    }
}

/// Copies the operations that a value depends on, out of some operations in order. Returns the copies and the value.
fn copy_of<'p>(value: Val<'p>, ops: &[Op<'p>]) -> (Vec<Op<'p>>, Val<'p>) {
    let mut needed = FxHashSet::default();
    needed.insert(ir::value_key(value));
    let mut chosen = Vec::new();
    for op in ops.iter().rev() {
        if ir::results(*op).any(|result| needed.contains(&ir::value_key(result))) {
            for_each_operand(*op, &mut |_, _, operand| {
                needed.insert(ir::value_key(operand));
            });
            chosen.push(*op);
        }
    }
    let mut values: FxHashMap<ir::ValueKey, Val<'p>> = FxHashMap::default();
    let mut copies = Vec::with_capacity(chosen.len());
    for op in chosen.into_iter().rev() {
        let copy = ir::build_clone(At::Before(op), op);
        for_each_operand(copy, &mut |owner, number, operand| {
            if let Some(replacement) = values.get(&ir::value_key(operand)) {
                ir::set_operand(owner, number, *replacement);
            }
        });
        for (old, new) in ir::results(op).zip(ir::results(copy)) {
            values.insert(ir::value_key(old), new);
        }
        copies.push(copy);
    }
    let value = values.get(&ir::value_key(value)).copied().unwrap_or(value);
    (copies, value)
}

/// Calls a function with each operand of an operation and of the operations in it, with its owner and number.
fn for_each_operand<'p>(op: Op<'p>, visit: &mut dyn FnMut(Op<'p>, usize, Val<'p>)) {
    let operands: Vec<Val<'p>> = op.operands().collect();
    for (number, operand) in operands.into_iter().enumerate() {
        visit(op, number, operand);
    }
    for inner in ir::blocks(op).flat_map(ir::operations) {
        for_each_operand(inner, visit);
    }
}

/// Returns the computation of a nest, with the values of its body as numbers.
pub(super) fn body<'p>(op: Op<'p>) -> Body<'p> {
    let mut values: FxHashMap<ir::ValueKey, usize> = FxHashMap::default();
    let sizes = ["ranges", "reduction_ranges", "kind"].into_iter();
    let sizes = sizes.filter_map(|name| {
        let size = ir::attribute(op, name)?;
        Some(Part::Attribute(name.to_owned(), size))
    });
    let mut all = vec![("", sizes.collect())];
    let block = ir::body(op).expect("a nest has a block");
    compute(block, &mut values, &mut all);
    all
}

fn compute<'p>(block: Blk<'p>, values: &mut FxHashMap<ir::ValueKey, usize>, all: &mut Body<'p>) {
    for op in ir::operations(block) {
        let operands = op.operands().map(|value| match ir::source(value) {
            // A masked block has no arguments.
            ir::Source::Argument(_, number) => Part::Loop(number),
            ir::Source::Result(..) => {
                let source = ir::value_key(value);
                let position = values.get(&source).copied();
                position.map_or(Part::Outside(source), Part::Made)
            }
        });
        let mut key: Vec<Part<'p>> = operands.collect();
        let attributes = op.attributes();
        key.extend(attributes.map(|(name, value)| {
            let name = name.as_string_ref().as_str().expect("names are UTF-8");
            Part::Attribute(name.to_owned(), value)
        }));
        for value in ir::results(op) {
            key.push(Part::Type(value.r#type()));
            values.insert(ir::value_key(value), all.len());
        }
        all.push((ir::name(op), key));
        if let Some(inner) = ir::body(op) {
            compute(inner, values, all);
        }
    }
}
