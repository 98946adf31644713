//! Builds operations of `linalg` on tensors of parts.

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, DenseI64ArrayAttribute};
use melior::ir::{Attribute, Block, Region, RegionLike, Type, ValueLike};
use spyre_mlir_rt::ir::{self, Offset, OpBuilder, OpParts, Val};
use spyre_ods::{Arithmetic, linalg};

use crate::emit::{Emitter, element, shape};

/// A tensor of a `linalg.generic`, and the loop along each of its dimensions.
#[derive(Debug, Clone)]
pub(crate) struct Mapped<'p> {
    /// The tensor.
    pub value: Val<'p>,
    /// The loops.
    pub loops: Vec<usize>,
}

/// Builds a `linalg.generic` of so many loops, which `build` gives the elements of the result for.
pub(crate) fn generic<'p>(
    emit: &Emitter<'p>,
    loops: usize,
    inputs: &[Mapped<'p>],
    init: &Mapped<'p>,
    build: impl FnOnce(OpBuilder<'p>, &[Val<'p>]) -> Val<'p>,
) -> Val<'p> {
    let dims = (0..loops).map(|dim| format!("d{dim}")).collect::<Vec<_>>();
    let dims = dims.join(", ");
    let tensors = inputs.iter().chain([init]);
    let maps = tensors.clone().map(|tensor| {
        let results = tensor.loops.iter().map(|dim| format!("d{dim}"));
        let results = results.collect::<Vec<_>>().join(", ");
        emit.attribute(&format!("affine_map<({dims}) -> ({results})>"))
    });
    let maps = ArrayAttribute::new(emit.context, &maps.collect::<Vec<_>>());
    let parallel = emit.attribute("#linalg.iterator_type<parallel>");
    let kinds = ArrayAttribute::new(emit.context, &vec![parallel; loops]);
    let elements: Vec<_> = tensors.map(|tensor| element(tensor.value)).collect();
    let values: Vec<_> = inputs.iter().map(|input| input.value).collect();
    let parts = linalg::generic(&values, &[init.value], maps.into(), kinds.into());
    let parts = parts.region(region(emit.build(), &elements));
    let result = emit.build().op(parts, init.value.r#type());
    finish(emit.build(), result, |body, arguments| {
        build(body, &arguments[..inputs.len()])
    });
    result
}

/// Returns a region of one block with arguments of these types.
pub(crate) fn region<'p>(build: OpBuilder<'p>, elements: &[Type<'p>]) -> Region<'p> {
    let arguments: Vec<_> = elements.iter().map(|ty| (*ty, build.location)).collect();
    let region = Region::new();
    region.append_block(Block::new(&arguments));
    region
}

/// Builds the body of the operation that has a result: `element` builds the element of it.
pub(crate) fn finish<'p>(
    build: OpBuilder<'p>,
    result: Val<'p>,
    element: impl FnOnce(OpBuilder<'p>, &[Val<'p>]) -> Val<'p>,
) {
    let block = ir::defining_op(result).and_then(ir::body);
    let block = block.expect("the operation was built with a body");
    let body = OpBuilder::at_end(build.context, block, build.location);
    let arguments: Vec<_> = ir::arguments(block).collect();
    let value = element(body, &arguments);
    body.insert(linalg::yield_(&[value]), &[]);
}

impl<'p> Emitter<'p> {
    /// Builds a permutation: dimension `i` of the result is dimension `permutation[i]`.
    pub(crate) fn transpose(&self, value: Val<'p>, permutation: &[usize]) -> Val<'p> {
        if permutation.iter().copied().eq(0..permutation.len()) {
            return value;
        }
        let from = shape(value);
        let to: Vec<u64> = permutation.iter().map(|&dim| from[dim]).collect();
        let init = self.empty(&to, element(value));
        transpose(self, value, init, permutation)
    }
}

/// Builds a `linalg.transpose` into `init`.
pub(crate) fn transpose<'p>(
    emit: &Emitter<'p>,
    value: Val<'p>,
    init: Val<'p>,
    permutation: &[usize],
) -> Val<'p> {
    let dims = dims_attribute(emit.context, permutation);
    let of = element(value);
    let parts = linalg::transpose(value, init, dims).region(region(emit.build(), &[of, of]));
    let result = emit.build().op(parts, init.r#type());
    finish(emit.build(), result, |_, arguments| arguments[0]);
    result
}

/// Builds a `linalg.reduce` over dimensions by an operation of two elements, into `init`.
pub(crate) fn reduce<'p>(
    emit: &Emitter<'p>,
    value: Val<'p>,
    init: Val<'p>,
    dims: &[usize],
    combine: &'static str,
) -> Val<'p> {
    let dims = dims_attribute(emit.context, dims);
    let of = element(value);
    let parts = linalg::reduce(&[value], &[init], dims).region(region(emit.build(), &[of, of]));
    let result = emit.build().op(parts, init.r#type());
    // The accumulator is the first operand, as in the short form that MLIR prints.
    finish(emit.build(), result, |body, arguments| {
        body.same(OpParts::named(combine, &[arguments[1], arguments[0]]))
    });
    result
}

/// Builds the products of matrices `[M, K]` and `[K, N]`, or `[B, M, K]` and `[B, K, N]`, of floats of 32 bits, added to
/// `init`.
pub(crate) fn matmul<'p>(
    emit: &Emitter<'p>,
    left: Val<'p>,
    right: Val<'p>,
    init: Val<'p>,
) -> Val<'p> {
    let of = element(left);
    let parts = match shape(left).len() {
        2 => linalg::matmul(&[left, right], &[init]),
        _ => linalg::batch_matmul(&[left, right], &[init]),
    };
    let parts = parts.region(region(emit.build(), &[of; 3]));
    let result = emit.build().op(parts, init.r#type());
    finish(emit.build(), result, |body, arguments| {
        body.add(arguments[2], body.mul(arguments[0], arguments[1]))
    });
    result
}

/// Returns a list of dimensions as an attribute.
pub(crate) fn dims_attribute<'p>(context: &'p Context, dims: &[usize]) -> Attribute<'p> {
    let dims = dims.iter();
    let dims = dims.map(|dim| i64::try_from(*dim).expect("ranks are small"));
    DenseI64ArrayAttribute::new(context, &dims.collect::<Vec<_>>()).into()
}

/// Builds the first or the second elements of pairs.
pub(crate) fn half<'p>(emit: &Emitter<'p>, pairs: Val<'p>, number: i64) -> Val<'p> {
    let mut sizes = shape(pairs);
    let last = sizes.len() - 1;
    sizes[last] = 1;
    let mut offsets = vec![Offset::Static(0); sizes.len()];
    offsets[last] = Offset::Static(number);
    let half = emit.slice(pairs, offsets, &sizes);
    match last {
        0 => half,
        _ => emit.reshape(half, &sizes[..last]),
    }
}
