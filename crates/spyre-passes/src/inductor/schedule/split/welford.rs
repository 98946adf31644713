//! Parts of a mean and a variance.
//!
//! A part of `welford_reduce` has three results: the mean, the sum of squared deviations, and the number of elements; `welford_combine`
//! reduces those. Each is a buffer with an operation of its own, so the parts are made once for all of them. Where the last part is
//! short, an element is a mean with the weight 1, and what is not there has the weight 0 (PyTorch: `WelfordReduction.create_multilayer`).

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute, StringAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, AttributeLike, Type};
use rustc_hash::FxHashMap;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op};

use super::super::super::copy::arguments;
use super::super::super::program::{self, text};
use super::parts::{Cut, build, end_of, last, mask, masked, part, store};

/// What a nest computes from what: two with the same are the same but for the result that they have.
type Body = Vec<(String, Vec<usize>)>;

/// The parts of reductions that were cut, by what is reduced.
#[derive(Default)]
pub(super) struct Siblings<'p> {
    known: FxHashMap<Body, Vec<Op<'p>>>,
}

impl<'p> Siblings<'p> {
    /// Cuts a reduction with three results. Returns its parts, if they were not there.
    pub(super) fn cut(
        &mut self,
        context: &'p Context,
        cut: &Cut<'p>,
        ty: Type<'p>,
    ) -> Result<Vec<Op<'p>>, Diagnostic<'p>> {
        let body = body(cut.op);
        let known = self.known.get(&body).cloned();
        let is_new = known.is_none();
        let parts = match known {
            Some(parts) => parts,
            None => parts(context, cut, ty)?,
        };
        self.known.insert(body, parts.clone());
        let made = last(context, cut, (&parts, ty))?;
        set_kind(context, made);
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
    let made = part(context, cut, ty)?;
    if !cut.is_even() {
        let mask = mask(context, cut, made)?;
        let float =
            |value: f64| -> Attribute<'p> { FloatAttribute::new(context, ty, value).into() };
        let end = end_of(made);
        let value = ir::operand(end, 0).expect("it stores a value");
        let constant = |value| {
            let attributes = [("value", float(value))];
            build(context, made, "arith.constant", &[], (ty, &attributes))
        };
        let value = masked(context, made, &mask, (value, float(0.0)));
        let (zero, one) = (constant(0.0), constant(1.0));
        let weight = [mask.value, one, zero];
        let weight = build(context, made, "arith.select", &weight, (ty, &[]));
        let body = ir::body(made).expect("a nest has a block");
        let at = program::stored_at(made)?;
        let values = [value, zero, weight];
        store(
            context,
            At::Before(end),
            (made, &values),
            (&at, &arguments(body)),
        )?;
        ir::erase(end);
        set_kind(context, made);
    }
    let i64 = IntegerType::new(context, 64).into();
    let mut all = vec![made];
    for output in 0..3 {
        let op = match output {
            0 => made,
            _ => ir::build_copy(At::Before(cut.op), made),
        };
        ir::set_attribute(op, "output", IntegerAttribute::new(i64, output).into());
        if output > 0 {
            for name in ["op", "buffer"] {
                let own = format!("{}_{output}", text(op, name));
                ir::set_attribute(op, name, StringAttribute::new(context, &own).into());
            }
            all.push(op);
        }
    }
    Ok(all)
}

/// Returns what a nest computes from what, with values of its body as numbers.
fn body(op: Op<'_>) -> Body {
    let mut values: FxHashMap<usize, usize> = FxHashMap::default();
    let mut all = Vec::new();
    let sizes = ["ranges", "reduction_ranges", "kind"];
    let sizes = sizes.map(|name| {
        op.attribute(name)
            .map_or(0, |own| own.to_raw().ptr as usize)
    });
    all.push((String::new(), sizes.to_vec()));
    let block = ir::body(op).expect("a nest has a block");
    compute(block, &mut values, &mut all);
    all
}

fn compute<'p>(block: Blk<'p>, values: &mut FxHashMap<usize, usize>, all: &mut Body) {
    for op in ir::operations(block) {
        let mut key: Vec<usize> = op
            .operands()
            .map(|value| match ir::source(value) {
                ir::Source::Argument(_, number) => number,
                ir::Source::Result(..) => {
                    let own = ir::value_key(value);
                    values.get(&own).copied().unwrap_or(own)
                }
            })
            .collect();
        let attributes = op.attributes();
        key.extend(attributes.map(|(_, value)| value.to_raw().ptr as usize));
        for value in ir::results(op) {
            values.insert(ir::value_key(value), all.len());
        }
        all.push((ir::name(op), key));
        if let Some(inner) = ir::body(op) {
            compute(inner, values, all);
        }
    }
}
