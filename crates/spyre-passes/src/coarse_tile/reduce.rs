//! Reductions in parts: the value that they start from, the combination of the parts, and the last step.
//!
//! Identities and combinations are those of the middle-end specification, section 3.6.

use melior::Context;
use melior::ir::attribute::{
    DenseElementsAttribute, DenseI64ArrayAttribute, FloatAttribute, IntegerAttribute,
};
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{Attribute, Identifier, Location, Type, TypeLike, ValueLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Op, Val};
use spyre_ops::{OpClass, Ranked};

use super::error;
use super::groups::{Level, Member};
use super::plan::internal;
use super::search::{Search, Site, element_of};
use crate::tensor::TensorType;

/// A reduction over dimensions that levels cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reduction {
    /// The outermost level that cuts a dimension that is reduced: the result is complete behind its loop.
    pub outer: usize,
    how: How,
}

/// The way in which a reduction is put together from parts.
#[derive(Debug, Clone, Copy, PartialEq)]
enum How {
    /// An accumulator starts from an identity, and an operation combines it with each part.
    Fold {
        /// The value that the accumulator starts from.
        identity: f64,
        /// The operation that combines it with a part.
        combine: &'static str,
        /// For a mean, the number of elements by which the sum of the parts is divided: the parts are sums. `None` for others.
        divide_by: Option<f64>,
    },
    /// A search compares each part with the best element so far.
    Search(Search),
}

impl Reduction {
    /// Returns the way to reduce in parts; `None` for an operation that no level cuts along a dimension that it reduces.
    ///
    /// # Errors
    /// Parts of the operation cannot be combined.
    pub fn of<'p>(
        levels: &[Level],
        member: &Member<'p>,
        dims: &[Option<usize>],
        result: &TensorType<'p>,
    ) -> Result<Option<Self>, Diagnostic<'p>> {
        let space = &member.indexing.space;
        let parallel = member.indexing.parallel_dims();
        let is_reduced = |dim: &Option<usize>| dim.is_some_and(|dim| dim >= parallel);
        if let Some(op) = member.op.device().filter(|op| op.searched_dim().is_some())
            && let [operand, found] = member.indexing.tensors.as_slice()
        {
            // The dimension of the result that the operand lacks.
            let is_found = |dim: &Option<usize>| found.contains(dim) && !operand.contains(dim);
            let cut = dims.iter().position(|dim| dim.is_some() && is_found(dim));
            if let Some(level) = cut.and_then(|at| levels.get(at)) {
                let message = format!(
                    "{} is the elements that this operation finds, and they are found together; tile another dimension",
                    level.label
                );
                return Err(error(op.op(), message));
            }
        }
        let Some(outer) = dims.iter().position(is_reduced) else {
            return Ok(None);
        };
        let op = member.op.device().expect("only device operations reduce");
        let is_dynamic = (parallel..space.len()).any(|dim| member.indexing.symbol(dim).is_some());
        let search = Search::of(member, result);
        if is_dynamic && search.is_some_and(|search| search.told == Ranked::Position) {
            let message = "positions in tiles are counted from the end of the dimension, which is chosen at run time; the \
                           element itself can be searched in tiles";
            return Err(error(op.op(), message));
        }
        let facts = op.facts();
        let (identity, combine) = match facts.combiner {
            Some(combiner) => (combiner.identity(), combiner.operations().0),
            None if search.is_some() => (f64::NEG_INFINITY, ""),
            None => {
                let other = facts.name;
                let label = levels
                    .get(outer)
                    .map_or("a dimension", |level| &level.label);
                let help = match facts.class {
                    OpClass::TopK => {
                        " of several elements; search for one (k 1), or tile another dimension"
                    }
                    _ => "; tile another dimension",
                };
                return Err(error(
                    op.op(),
                    format!(
                        "{label} is reduced by this operation, and no operation combines the parts of a {other}{help}"
                    ),
                ));
            }
        };
        let element = match &search {
            Some(_) => element_of(op)?,
            None => result.element,
        };
        let has_infinity = element.is_f16() || element.is_bf16() || element.is_f32();
        if identity.is_infinite() && !has_infinity {
            return Err(error(
                op.op(),
                format!(
                    "the parts of a reduction start from {identity}, which {element} does not have"
                ),
            ));
        }
        if let Some(search) = search {
            let how = How::Search(search);
            return Ok(Some(Self { outer, how }));
        }
        let divide_by = if facts.is_average {
            if is_dynamic {
                let message = "a mean over a dimension that is chosen at run time divides by a number that no bundle has; \
                               a sum can be tiled";
                return Err(error(op.op(), message));
            }
            let count: f64 = space[parallel..]
                .iter()
                .map(|extent| *extent as f64)
                .product();
            if !is_exact(count, element) {
                return Err(error(
                    op.op(),
                    format!(
                        "a mean in parts is a sum divided by the number of elements, {count}, which {element} cannot hold \
                         exactly; tile another dimension"
                    ),
                ));
            }
            Some(count)
        } else {
            None
        };
        let how = How::Fold {
            identity,
            combine,
            divide_by,
        };
        Ok(Some(Self { outer, how }))
    }

    /// Returns the search; `None` for another reduction.
    pub fn search(&self) -> Option<Search> {
        match self.how {
            How::Search(search) => Some(search),
            How::Fold { .. } => None,
        }
    }

    /// Builds the tensor that an accumulator starts from.
    pub fn start<'p>(
        &self,
        context: &'p Context,
        at: At<'p>,
        op: DeviceOp<'p>,
        ty: &TensorType<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        match self.how {
            How::Fold { identity, .. } => fill(context, at, op.op().location(), ty, identity),
            How::Search(search) => search.start(context, at, op, ty),
        }
    }

    /// Builds the combination of an accumulator with a part, whose reduction may have been divided over cores.
    pub fn combine<'p>(
        &self,
        context: &'p Context,
        at: At<'p>,
        op: DeviceOp<'p>,
        accumulator: Val<'p>,
        part: Val<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        match self.how {
            How::Fold { combine, .. } => binary(context, combine, at, op, accumulator, part),
            How::Search(_) => Err(internal(op.op(), &"a search has no single operation")),
        }
    }

    /// Returns whether another operation computes the parts than the whole, so that they need [`Reduction::part`].
    pub fn has_own_parts(&self) -> bool {
        let How::Fold { divide_by, .. } = self.how else {
            return false;
        };
        divide_by.is_some()
    }

    /// Builds the operation that computes a part like `op`, which must be a reduction that [has its own
    /// parts](Self::has_own_parts), with the operand and the result type of a tile.
    pub fn part<'p>(
        &self,
        context: &'p Context,
        at: At<'p>,
        op: DeviceOp<'p>,
        operand: Val<'p>,
        ty: Type<'p>,
    ) -> Result<DeviceOp<'p>, Diagnostic<'p>> {
        let op = op.op();
        let mut attributes = Vec::new();
        for name in ["dims", "keepdim", "split"] {
            if let Ok(value) = op.attribute(name) {
                attributes.push((Identifier::new(context, name), value));
            }
        }
        let part = OperationBuilder::new("spyre.sum", op.location())
            .add_operands(&[operand])
            .add_attributes(&attributes)
            .add_results(&[ty])
            .build()
            .map_err(|why| internal(op, &why))?;
        let part = insert(at, part, op)?;
        DeviceOp::cast(part).ok_or_else(|| internal(part, &"part is not a device operation"))
    }

    /// Builds the last step, after all parts are combined: the division of a mean, or the position of a search. Other reductions
    /// have none, and the accumulator is returned.
    pub fn finish<'p>(
        &self,
        site: Site<'_, 'p>,
        accumulator: Val<'p>,
        ty: &TensorType<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let Site {
            context, at, op, ..
        } = site;
        match self.how {
            How::Fold {
                divide_by: Some(count),
                ..
            } => {
                let count = fill(context, at, op.op().location(), ty, count)?;
                binary(context, "spyre.realdiv", at, op, accumulator, count)
            }
            How::Search(search) if search.told == Ranked::Position => {
                search.finish(site, accumulator)
            }
            _ => Ok(accumulator),
        }
    }
}

/// Returns whether a float type holds a positive integer exactly, also in device memory, where `f16` has 10 binary digits.
fn is_exact(value: f64, element: Type<'_>) -> bool {
    let (digits, most) = if element.is_f16() {
        (10, 65504.0)
    } else if element.is_bf16() {
        (8, f64::from(f32::MAX))
    } else if element.is_f32() {
        (24, f64::from(f32::MAX))
    } else {
        return false;
    };
    let mut odd = value;
    while odd >= 2.0 && odd % 2.0 == 0.0 {
        odd /= 2.0;
    }
    value <= most && odd < f64::from(1_u32 << digits)
}

/// Builds a tensor of one number. For an integer element type, the number must be whole.
pub fn fill<'p>(
    context: &'p Context,
    at: At<'p>,
    location: Location<'p>,
    ty: &TensorType<'p>,
    value: f64,
) -> Result<Val<'p>, Diagnostic<'p>> {
    let fail = |why: melior::Error| {
        Diagnostic::error(
            location,
            format!("coarse-tile: {} cannot be filled: {why}", ty.ty),
        )
    };
    #[expect(clippy::cast_possible_truncation, reason = "a whole number")]
    let value: Attribute<'p> = if ty.element.is_integer() {
        IntegerAttribute::new(ty.element, value as i64).into()
    } else {
        FloatAttribute::new(context, ty.element, value).into()
    };
    let values = DenseElementsAttribute::new(ty.ty, &[value]).map_err(fail)?;
    let fill = OperationBuilder::new("spyre.fill", location)
        .add_attributes(&[(Identifier::new(context, "value"), values.into())])
        .add_results(&[ty.ty])
        .build()
        .map_err(fail)?;
    let fill = ir::insert(at, fill).ok_or_else(|| {
        Diagnostic::error(location, "coarse-tile: operation is in no block".to_owned())
    })?;
    Ok(fill.result(0).map_err(fail)?.into())
}

/// Builds an operation on two tensors of the type of the first, divided over the cores like the result of `op`.
fn binary<'p>(
    context: &'p Context,
    name: &str,
    at: At<'p>,
    op: DeviceOp<'p>,
    lhs: Val<'p>,
    rhs: Val<'p>,
) -> Result<Val<'p>, Diagnostic<'p>> {
    let mut attributes = Vec::new();
    if let Some(split) = op.split() {
        // The dimensions of the result come first.
        let rank = op.tensor_dims(op.op().operand_count()).len();
        let split: Vec<i64> = split
            .iter()
            .take(rank)
            .map(|cores| i64::from(*cores))
            .collect();
        attributes.push((
            Identifier::new(context, "split"),
            DenseI64ArrayAttribute::new(context, &split).into(),
        ));
    }
    let built = OperationBuilder::new(name, op.op().location())
        .add_operands(&[lhs, rhs])
        .add_attributes(&attributes)
        .add_results(&[lhs.r#type()])
        .build()
        .map_err(|why| internal(op.op(), &why))?;
    let built = insert(at, built, op.op())?;
    Ok(built.result(0).map_err(|why| internal(built, &why))?.into())
}

/// Inserts a new operation at a position. An error is reported at `op`.
pub fn insert<'p>(
    at: At<'p>,
    built: melior::ir::Operation<'p>,
    op: Op<'p>,
) -> Result<Op<'p>, Diagnostic<'p>> {
    ir::insert(at, built).ok_or_else(|| internal(op, &"operation is in no block"))
}
