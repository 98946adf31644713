//! Builds the operations of `linalg` of a stage. Results are written into `tensor.empty`, also those of reductions: the
//! scheduler gives a reduction its neutral number.

use melior::ir::attribute::ArrayAttribute;
use melior::ir::{Attribute, ValueLike};
use spyre_mlir_rt::ir::{OpBuilder, OpParts, Val};
use spyre_ods::linalg;

use crate::emit::element;
use crate::structured::{self, dims_attribute};

use super::nest::{LoopKind, Nest};

/// The body of an operation of `linalg`: the element of the result, from the elements of the operands and the one of
/// the result.
pub(crate) type Body<'a, 'p> = &'a dyn Fn(OpBuilder<'p>, &[Val<'p>]) -> Val<'p>;

fn attribute<'p>(build: OpBuilder<'p>, text: &str) -> Attribute<'p> {
    Attribute::parse(build.context, text).unwrap_or_else(|| panic!("'{text}' is an attribute"))
}

/// Builds the operation `name` on tensors of one shape.
pub(crate) fn named<'p>(
    build: OpBuilder<'p>,
    name: &'static str,
    operands: &[Val<'p>],
    init: Val<'p>,
    body: Body<'_, 'p>,
) -> Val<'p> {
    let parts = match name {
        linalg::ADD => linalg::add(operands, &[init]),
        linalg::SUB => linalg::sub(operands, &[init]),
        linalg::MUL => linalg::mul(operands, &[init]),
        other => unreachable!("'{other}' is no operation of the flavour"),
    };
    finish(build, parts, operands, init, body)
}

/// Builds `linalg.reduce` along dimensions.
pub(crate) fn reduce<'p>(
    build: OpBuilder<'p>,
    operand: Val<'p>,
    init: Val<'p>,
    dims: &[usize],
    body: Body<'_, 'p>,
) -> Val<'p> {
    let dims = dims_attribute(build.context, dims);
    let parts = linalg::reduce(&[operand], &[init], dims);
    finish(build, parts, &[operand], init, body)
}

/// Builds `linalg.generic`.
pub(crate) fn generic<'p>(
    build: OpBuilder<'p>,
    nest: &Nest,
    operands: &[Val<'p>],
    init: Val<'p>,
    body: Body<'_, 'p>,
) -> Val<'p> {
    let dims = (0..nest.iterators.len()).map(|dim| format!("d{dim}"));
    let dims = dims.collect::<Vec<_>>().join(", ");
    let maps = nest.maps.iter().map(|map| {
        let results = map.iter().map(|dim| match dim {
            Some(dim) => format!("d{dim}"),
            None => "0".to_owned(),
        });
        let results = results.collect::<Vec<_>>().join(", ");
        attribute(build, &format!("affine_map<({dims}) -> ({results})>"))
    });
    let maps = ArrayAttribute::new(build.context, &maps.collect::<Vec<_>>());
    let kinds = nest.iterators.iter().map(|iterator| {
        let kind = match iterator {
            LoopKind::Parallel => "parallel",
            LoopKind::Reduction => "reduction",
        };
        attribute(build, &format!("#linalg.iterator_type<{kind}>"))
    });
    let kinds = ArrayAttribute::new(build.context, &kinds.collect::<Vec<_>>());
    let parts = linalg::generic(operands, &[init], maps.into(), kinds.into());
    finish(build, parts, operands, init, body)
}

/// Builds an operation with a region of the elements of its tensors.
fn finish<'p>(
    build: OpBuilder<'p>,
    parts: OpParts<'p>,
    operands: &[Val<'p>],
    init: Val<'p>,
    body: Body<'_, 'p>,
) -> Val<'p> {
    let tensors = operands.iter().chain([&init]);
    let elements: Vec<_> = tensors.map(|value| element(*value)).collect();
    let parts = parts.region(structured::region(build, &elements));
    let result = build.op(parts, init.r#type());
    structured::finish(build, result, body);
    result
}
