//! Builds device operations and views in front of an operation.
//!
//! Operands are *narrow*: a tensor may have extent 1 where the loops have more, and repeats there. [`Build::widen`] makes it
//! whole where an operation needs that.

use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, DenseElementsAttribute, DenseI64ArrayAttribute, FloatAttribute,
    IntegerAttribute, TypeAttribute,
};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, FunctionType, IntegerType, RankedTensorType};
use melior::ir::{Attribute, ShapedTypeLike, Type, Value, ValueLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, At, Offset, Op, Val, Window};

use crate::insert::insert;

/// Returns the extents of a tensor, in elements.
///
/// # Errors
/// The value is no ranked tensor, or an extent is dynamic.
pub(crate) fn shape_of(value: Val<'_>) -> Result<Vec<i64>, String> {
    let ty = value.r#type();
    let tensor = RankedTensorType::try_from(ty).map_err(|_| format!("{ty} is no ranked tensor"))?;
    let dims = 0..tensor.rank();
    dims.map(|dim| match tensor.dim_size(dim) {
        Ok(DimSize::Static(extent)) => {
            i64::try_from(extent).map_err(|_| format!("{ty} is too large"))
        }
        _ => Err(format!(
            "{ty} has a dynamic extent in dimension {dim}; 'spyre.dim_sizes' of the function bounds one that has a name"
        )),
    })
    .collect()
}

/// Returns the element type of a tensor, or the type of a scalar.
pub(crate) fn element_of<'p>(value: Val<'p>) -> Type<'p> {
    element_type(value.r#type())
}

/// Returns the type of a tensor's elements, or the type itself.
pub(crate) fn element_type(ty: Type<'_>) -> Type<'_> {
    // Melior's error holds the text of the type.
    if !ir::is_ranked_tensor(ty) {
        return ty;
    }
    RankedTensorType::try_from(ty).map_or(ty, |tensor| tensor.element())
}

/// Returns a type with other elements: of a tensor, the tensor of the same extents, and `element` for any other type.
pub(crate) fn with_element<'p>(ty: Type<'p>, element: Type<'p>) -> Type<'p> {
    if !ir::is_ranked_tensor(ty) {
        return element;
    }
    let tensor = RankedTensorType::try_from(ty).expect("the type is a ranked tensor");
    let extents = (0..tensor.rank()).map(|dim| {
        let extent = tensor.dim_size(dim);
        match extent.expect("the dimension is below the rank") {
            DimSize::Static(extent) => extent,
            // MLIR has one number for all dynamic extents.
            DimSize::Dynamic => RankedTensorType::dynamic_stride_or_offset().cast_unsigned(),
        }
    });
    let extents: Vec<u64> = extents.collect();
    RankedTensorType::new(&extents, element, tensor.encoding()).into()
}

/// Returns the types of a function's results.
pub(crate) fn result_types<'p>(function: Op<'p>) -> Vec<Type<'p>> {
    let ty = ir::attribute(function, "function_type");
    let ty = ty.and_then(|ty| TypeAttribute::try_from(ty).ok());
    let ty = ty.and_then(|ty| FunctionType::try_from(ty.value()).ok());
    let count = ty.map_or(0, |ty| ty.result_count());
    (0..count)
        .filter_map(|number| ty?.result(number).ok())
        .collect()
}

/// Returns the one value that a constant holds everywhere.
pub(crate) fn splat<'p>(op: Op<'p>) -> Option<Attribute<'p>> {
    let is_constant = matches!(ir::name(op), "spyre.fill" | "arith.constant");
    let value = is_constant.then(|| ir::attribute(op, "value")).flatten()?;
    spyre_dialects::attr::splat(value)
}

/// Returns the shape to which tensors of equal rank broadcast.
pub(crate) fn broadcast(shapes: &[Vec<i64>]) -> Vec<i64> {
    let rank = shapes.first().map_or(0, Vec::len);
    let dims = 0..rank;
    dims.map(|dim| {
        let extents = shapes.iter().map(|shape| shape[dim]);
        extents.max().expect("there is a shape")
    })
    .collect()
}

/// Builds operations in front of another.
#[derive(Clone, Copy)]
pub(crate) struct Build<'p> {
    pub context: &'p Context,
    /// The operation in front of which others are built, with its location.
    pub before: Op<'p>,
    /// The tiling hints of every device operation that is built.
    pub hints: Option<Attribute<'p>>,
    /// The dimensions that every device operation that is built divides over cores, by name.
    pub divisions: Option<Attribute<'p>>,
}

impl<'p> Build<'p> {
    /// Returns what builds operations in front of another, without hints.
    pub(crate) fn new(context: &'p Context, before: Op<'p>) -> Self {
        Self {
            context,
            before,
            hints: None,
            divisions: None,
        }
    }

    /// Builds an operation with one result.
    pub(crate) fn op(
        &self,
        name: &str,
        operands: &[Val<'p>],
        ty: Type<'p>,
        attributes: &[(&str, Attribute<'p>)],
    ) -> Val<'p> {
        let (at, location) = (At::Before(self.before), self.before.location());
        let parts = (name, operands, &[ty][..], attributes);
        let op = insert(at, location, parts, self.context);
        if let Some(device) = DeviceOp::cast(op) {
            if let Some(hints) = self.hints {
                device.set_hints(hints);
            }
            if let Some(divisions) = self.divisions {
                device.set_divisions(divisions);
            }
        }
        let result = op.result(0).expect("it has one result");
        Value::from(result)
    }

    /// Returns the tensor type of a shape.
    pub(crate) fn tensor(&self, shape: &[i64], element: Type<'p>) -> Type<'p> {
        let extents = shape.iter().map(|extent| extent.cast_unsigned());
        RankedTensorType::new(&extents.collect::<Vec<_>>(), element, None).into()
    }

    /// Builds an operation on tensors of equal rank, element by element.
    pub(crate) fn pointwise(&self, name: &str, operands: &[Val<'p>], element: Type<'p>) -> Val<'p> {
        self.pointwise_with(name, operands, element, &[])
    }

    /// Builds the same with attributes.
    pub(crate) fn pointwise_with(
        &self,
        name: &str,
        operands: &[Val<'p>],
        element: Type<'p>,
        attributes: &[(&str, Attribute<'p>)],
    ) -> Val<'p> {
        let shapes = operands.iter();
        let shapes: Vec<_> = shapes.map(|operand| self.shape(*operand)).collect();
        let ty = self.tensor(&broadcast(&shapes), element);
        self.op(name, operands, ty, attributes)
    }

    /// Returns the extents of a tensor that this builder has seen, so that they are static.
    pub(crate) fn shape(&self, value: Val<'p>) -> Vec<i64> {
        shape_of(value).expect("only tensors of static shape are converted")
    }

    /// Builds a tensor with one value everywhere.
    pub(crate) fn fill(&self, value: Attribute<'p>, shape: &[i64], element: Type<'p>) -> Val<'p> {
        let ty = self.tensor(shape, element);
        let value = DenseElementsAttribute::new(ty, &[value]).expect("a value of the element type");
        self.op("spyre.fill", &[], ty, &[("value", value.into())])
    }

    /// Returns a number as an attribute of a float or integer type.
    pub(crate) fn number(&self, value: f64, ty: Type<'p>) -> Attribute<'p> {
        if IntegerType::try_from(ty).is_ok() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "callers ask for small integers"
            )]
            let value = value as i64;
            // The only digit of a truth value is its sign.
            IntegerAttribute::new(ty, value).into()
        } else {
            FloatAttribute::new(self.context, ty, value).into()
        }
    }

    /// Builds a tensor of one element and `rank` dimensions.
    pub(crate) fn scalar(&self, value: f64, rank: usize, element: Type<'p>) -> Val<'p> {
        self.fill(self.number(value, element), &vec![1; rank], element)
    }

    /// Builds a tensor of undefined contents.
    pub(crate) fn empty(&self, shape: &[i64], element: Type<'p>) -> Val<'p> {
        self.op("spyre.empty", &[], self.tensor(shape, element), &[])
    }

    /// Returns the tensor without its repetitions, of the same rank.
    pub(crate) fn narrow(&self, value: Val<'p>) -> Val<'p> {
        let Some(op) = ir::defining_op(value) else {
            return value;
        };
        let rank = self.shape(value).len();
        match ir::name(op) {
            "spyre.copy" => {
                let operand: Val<'p> = op.operand(0).expect("a copy has an operand");
                if shape_of(operand).is_ok_and(|shape| shape.len() == rank) {
                    operand
                } else {
                    value
                }
            }
            "spyre.fill" => {
                let held = ir::attribute(op, "value");
                let held = held.and_then(spyre_dialects::attr::splat);
                held.map_or(value, |held| {
                    self.fill(held, &vec![1; rank], element_of(value))
                })
            }
            _ => value,
        }
    }

    /// Returns the tensor with the extents of `shape`, which has its rank.
    pub(crate) fn widen(&self, value: Val<'p>, shape: &[i64]) -> Val<'p> {
        if self.shape(value) == shape {
            return value;
        }
        let element = element_of(value);
        if let Some(op) = ir::defining_op(value)
            && ir::name(op) == "spyre.fill"
            && let Some(held) = op
                .attribute("value")
                .ok()
                .and_then(spyre_dialects::attr::splat)
        {
            return self.fill(held, shape, element);
        }
        self.op("spyre.copy", &[value], self.tensor(shape, element), &[])
    }

    /// Returns the tensor with its dimensions in another order: dimension `i` is dimension `order[i]` of the operand.
    pub(crate) fn permute(&self, value: Val<'p>, order: &[usize]) -> Val<'p> {
        if order.iter().enumerate().all(|(at, from)| at == *from) {
            return value;
        }
        let shape = self.shape(value);
        let permuted: Vec<_> = order.iter().map(|from| shape[*from]).collect();
        let numbers: Vec<_> = order.iter().map(|from| *from as i64).collect();
        let numbers = DenseI64ArrayAttribute::new(self.context, &numbers).into();
        let ty = self.tensor(&permuted, element_of(value));
        self.op("spyre.permute", &[value], ty, &[("permutation", numbers)])
    }

    /// Returns the same elements in the same order, in another shape.
    pub(crate) fn reshape(&self, value: Val<'p>, shape: &[i64]) -> Val<'p> {
        let from = self.shape(value);
        if from == shape {
            return value;
        }
        if let Some(groups) = groups(&from, shape) {
            return self.collapse(value, &groups, shape);
        }
        if let Some(groups) = groups(shape, &from) {
            return self.expand(value, &groups, shape);
        }
        let common = common(&from, shape);
        let [merged, split] = [&from[..], shape].map(|fine| {
            let groups = groups(fine, &common);
            groups.expect("both shapes are collapsed to the common one")
        });
        self.expand(self.collapse(value, &merged, &common), &split, shape)
    }

    fn collapse(&self, value: Val<'p>, groups: &[Vec<usize>], shape: &[i64]) -> Val<'p> {
        let ty = self.tensor(shape, element_of(value));
        let groups = self.reassociation(groups);
        self.op(
            "tensor.collapse_shape",
            &[value],
            ty,
            &[("reassociation", groups)],
        )
    }

    fn expand(&self, value: Val<'p>, groups: &[Vec<usize>], shape: &[i64]) -> Val<'p> {
        let ty = self.tensor(shape, element_of(value));
        let extents = DenseI64ArrayAttribute::new(self.context, shape).into();
        let groups = self.reassociation(groups);
        self.op(
            "tensor.expand_shape",
            &[value],
            ty,
            &[("reassociation", groups), ("static_output_shape", extents)],
        )
    }

    fn reassociation(&self, groups: &[Vec<usize>]) -> Attribute<'p> {
        let i64 = IntegerType::new(self.context, 64).into();
        let groups = groups.iter().map(|group| {
            let dims = group.iter();
            let dims: Vec<Attribute<'p>> = dims
                .map(|dim| IntegerAttribute::new(i64, *dim as i64).into())
                .collect();
            ArrayAttribute::new(self.context, &dims).into()
        });
        ArrayAttribute::new(self.context, &groups.collect::<Vec<_>>()).into()
    }

    /// Returns a window of a tensor. With a step, every so many elements along that dimension.
    ///
    /// # Errors
    /// A step is negative.
    pub(crate) fn window(
        &self,
        value: Val<'p>,
        offsets: &[i64],
        sizes: &[i64],
        steps: &[i64],
    ) -> Result<Val<'p>, String> {
        let mut value = value;
        for (dim, step) in steps.iter().enumerate() {
            if *step < 0 {
                return Err(format!("dimension {dim} is read backwards"));
            }
            if *step > 1 && sizes[dim] > 1 {
                value = self.every(value, dim, offsets[dim], sizes[dim], *step);
            }
        }
        let is_stepped = |dim: usize| steps[dim] > 1 && sizes[dim] > 1;
        let dims = 0..sizes.len();
        let offsets: Vec<i64> = dims
            .map(|dim| if is_stepped(dim) { 0 } else { offsets[dim] })
            .collect();
        Ok(self.slice(value, &offsets, sizes))
    }

    /// Returns `size` elements along a dimension, from `offset` on in steps of `step`: the dimension in two, of which the second
    /// has the extent of the step, at the first position there.
    fn every(&self, value: Val<'p>, dim: usize, offset: i64, size: i64, step: i64) -> Val<'p> {
        let shape = self.shape(value);
        let span = size * step;
        let mut value = value;
        if offset + span > shape[dim] {
            // The elements behind the last one are missing. They are not read, but they have to be there.
            let mut room = shape.clone();
            room[dim] = offset + span;
            value = self.pad(value, &vec![0; shape.len()], &room, 0.0);
        }
        let mut offsets = vec![0; shape.len()];
        let mut sizes = shape.clone();
        (offsets[dim], sizes[dim]) = (offset, span);
        value = self.slice(value, &offsets, &sizes);
        let mut parts = shape.clone();
        parts.splice(dim..=dim, [size, step]);
        value = self.reshape(value, &parts);
        let mut sizes = parts.clone();
        sizes[dim + 1] = 1;
        value = self.slice(value, &vec![0; parts.len()], &sizes);
        let mut whole = shape;
        whole[dim] = size;
        self.reshape(value, &whole)
    }

    /// Returns a window without steps.
    pub(crate) fn slice(&self, value: Val<'p>, offsets: &[i64], sizes: &[i64]) -> Val<'p> {
        if self.shape(value) == sizes {
            return value;
        }
        let window = Window {
            offsets: offsets.iter().copied().map(Offset::Static).collect(),
            sizes: sizes.to_vec(),
        };
        self.slice_at(value, &window)
    }

    /// Returns a window of a tensor, which may be at values.
    pub(crate) fn slice_at(&self, value: Val<'p>, window: &Window<'p>) -> Val<'p> {
        let ty = self.tensor(&window.sizes, element_of(value));
        let (at, location) = (At::Before(self.before), self.before.location());
        ir::build_extract_slice(at, location, ty, value, window)
    }

    /// Returns `into` with the elements of `tile` from `offsets` on.
    pub(crate) fn insert(&self, tile: Val<'p>, into: Val<'p>, offsets: &[i64]) -> Val<'p> {
        let window = Window {
            offsets: offsets.iter().copied().map(Offset::Static).collect(),
            sizes: self.shape(tile),
        };
        self.insert_at(tile, into, &window)
    }

    /// Returns `into` with the elements of `tile` in a window, which may be at values.
    pub(crate) fn insert_at(&self, tile: Val<'p>, into: Val<'p>, window: &Window<'p>) -> Val<'p> {
        let (at, location) = (At::Before(self.before), self.before.location());
        ir::build_insert_slice(at, location, tile, into, window)
    }

    /// Returns a tensor of `shape` that holds `value` from `low` on, and `filler` around it. The parts around it are filled one
    /// by one, so that no element is written twice.
    pub(crate) fn pad(&self, value: Val<'p>, low: &[i64], shape: &[i64], filler: f64) -> Val<'p> {
        let filler = self.number(filler, element_of(value));
        self.pad_with(value, low, shape, filler)
    }

    /// Does so with a value that an attribute holds.
    pub(crate) fn pad_with(
        &self,
        value: Val<'p>,
        low: &[i64],
        shape: &[i64],
        filler: Attribute<'p>,
    ) -> Val<'p> {
        let element = element_of(value);
        let mut value = value;
        for dim in 0..shape.len() {
            let inner = self.shape(value);
            let (before, extent) = (low[dim], inner[dim]);
            let behind = shape[dim] - before - extent;
            if before == 0 && behind == 0 {
                continue;
            }
            let mut whole = inner.clone();
            whole[dim] = shape[dim];
            let mut parts = Vec::new();
            for (offset, size) in [(0, before), (before + extent, behind)] {
                if size > 0 {
                    let mut part = inner.clone();
                    part[dim] = size;
                    parts.push((offset, self.fill(filler, &part, element)));
                }
            }
            parts.push((before, value));
            let mut into = self.empty(&whole, element);
            for (offset, part) in parts {
                let mut offsets = vec![0; whole.len()];
                offsets[dim] = offset;
                into = self.insert(part, into, &offsets);
            }
            value = into;
        }
        value
    }

    /// Reduces dimensions of a tensor; they are gone from the result. Of a permuted tensor, the result is permuted, which is
    /// smaller.
    pub(crate) fn reduce(&self, name: &str, value: Val<'p>, dims: &[usize]) -> Val<'p> {
        if let Some((source, order)) = permuted(value) {
            let mut from: Vec<usize> = dims.iter().map(|dim| order[*dim]).collect();
            from.sort_unstable();
            let kept: Vec<usize> = (0..order.len()).filter(|dim| !from.contains(dim)).collect();
            let wanted = order
                .iter()
                .enumerate()
                .filter(|(dim, _)| !dims.contains(dim));
            let places: Vec<usize> = wanted
                .map(|(_, from)| {
                    let place = kept.iter().position(|kept| kept == from);
                    place.expect("a dimension that is not reduced is kept")
                })
                .collect();
            let reduced = self.reduce(name, source, &from);
            return self.permute(reduced, &places);
        }
        let shape = self.shape(value).into_iter().enumerate();
        let kept: Vec<_> = shape
            .filter(|(dim, _)| !dims.contains(dim))
            .map(|(_, extent)| extent)
            .collect();
        let numbers: Vec<_> = dims.iter().map(|dim| *dim as i64).collect();
        let numbers = DenseI64ArrayAttribute::new(self.context, &numbers).into();
        let ty = self.tensor(&kept, element_of(value));
        self.op(name, &[value], ty, &[("dims", numbers)])
    }
}

/// Returns the operand of a permutation, and its dimension for each of the result.
fn permuted<'p>(value: Val<'p>) -> Option<(Val<'p>, Vec<usize>)> {
    let op = ir::defining_op(value).filter(|op| ir::name(*op) == "spyre.permute")?;
    let order = spyre_dialects::attr::dense_integers(ir::attribute(op, "permutation"))?;
    let order = order.into_iter().map(|dim| usize::try_from(dim).ok());
    Some((ir::operand(op, 0)?, order.collect::<Option<_>>()?))
}

/// Returns the longest shape that both shapes, of as many elements, are collapsed to: what neither merges stays apart.
fn common(from: &[i64], to: &[i64]) -> Vec<i64> {
    if from.contains(&0) {
        return vec![0];
    }
    let mut shape = Vec::new();
    let (mut from, mut to) = (from.iter(), to.iter());
    while let (Some(first), Some(second)) = (from.next(), to.next()) {
        let (mut a, mut b) = (*first, *second);
        while a != b {
            let (shorter, rest) = match a < b {
                true => (&mut a, &mut from),
                false => (&mut b, &mut to),
            };
            *shorter *= rest.next().expect("both have as many elements");
        }
        shape.push(a);
    }
    shape
}

/// Returns the dimensions of `fine` that each dimension of `coarse` merges; `None` if `coarse` is not `fine` merged.
fn groups(fine: &[i64], coarse: &[i64]) -> Option<Vec<Vec<usize>>> {
    if coarse.is_empty() {
        return fine.iter().all(|extent| *extent == 1).then(Vec::new);
    }
    let mut groups = Vec::new();
    let mut next = 0;
    for (at, extent) in coarse.iter().enumerate() {
        let mut group = vec![next];
        let mut product = *fine.get(next)?;
        next += 1;
        while product < *extent {
            product = product.checked_mul(*fine.get(next)?)?;
            group.push(next);
            next += 1;
        }
        if product != *extent {
            return None;
        }
        // Dimensions of extent 1 go with those in front, unless the next dimension is one of them.
        let left = coarse.len() - at - 1;
        while next < fine.len() && fine[next] == 1 && fine.len() - next > left {
            if coarse.get(at + 1) == Some(&1) && remaining_match(&fine[next..], &coarse[at + 1..]) {
                break;
            }
            group.push(next);
            next += 1;
        }
        groups.push(group);
    }
    (next == fine.len()).then_some(groups)
}

fn remaining_match(fine: &[i64], coarse: &[i64]) -> bool {
    groups(fine, coarse).is_some()
}

#[cfg(test)]
mod tests {
    use super::{common, groups};

    #[test]
    fn what_neither_shape_merges_stays_apart() {
        assert_eq!(common(&[5, 7, 4, 8], &[5, 7, 1, 32]), [5, 7, 32]);
        assert_eq!(common(&[4, 6, 5], &[6, 4, 5]), [24, 5]);
        assert_eq!(common(&[32, 1], &[1, 4, 8]), [32]);
        assert_eq!(common(&[0, 3], &[3, 0]), [0]);
        // Both shapes are collapsed to it, with extents of 1 anywhere.
        let shapes: [&[i64]; 7] = [
            &[1, 6, 4],
            &[6, 1, 4, 1],
            &[1, 1, 24],
            &[24, 1],
            &[2, 3, 1, 4],
            &[4, 1, 6],
            &[12, 2, 1],
        ];
        for from in shapes {
            for to in shapes {
                let common = common(from, to);
                assert!(groups(from, &common).is_some(), "{from:?} to {common:?}");
                assert!(groups(to, &common).is_some(), "{to:?} to {common:?}");
            }
        }
    }

    #[test]
    fn dimensions_are_merged_in_order() {
        assert_eq!(
            groups(&[4, 8, 3], &[32, 3]),
            Some(vec![vec![0, 1], vec![2]])
        );
        assert_eq!(
            groups(&[4, 8, 3], &[4, 24]),
            Some(vec![vec![0], vec![1, 2]])
        );
        assert_eq!(groups(&[4, 8], &[8, 4]), None);
    }

    #[test]
    fn dimensions_of_extent_one_go_with_a_neighbour() {
        assert_eq!(groups(&[4, 1], &[4]), Some(vec![vec![0, 1]]));
        assert_eq!(groups(&[1, 4], &[4]), Some(vec![vec![0, 1]]));
        assert_eq!(
            groups(&[4, 1, 1, 5], &[4, 1, 5]),
            Some(vec![vec![0], vec![1, 2], vec![3]])
        );
        assert_eq!(groups(&[1, 1], &[1]), Some(vec![vec![0, 1]]));
        assert_eq!(groups(&[1], &[]), Some(vec![]));
        assert_eq!(
            groups(&[1, 4, 1], &[1, 4, 1]),
            Some(vec![vec![0], vec![1], vec![2]])
        );
    }
}
