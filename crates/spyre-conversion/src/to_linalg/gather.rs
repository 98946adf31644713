//! Lowers the choice of a table's elements by indices.
//!
//! An index that the table has no element for must not reach other memory: the element at 0 is read in its place, and NaN is the
//! result.

use melior::ir::attribute::FloatAttribute;
use melior::ir::r#type::{DimSize, IntegerType, RankedTensorType};
use melior::ir::{ShapedTypeLike, Type, ValueLike};
use spyre_mlir_rt::ir::Val;
use spyre_ods::{Arithmetic, arith, tensor};
use spyre_ops::Comparison;

use super::scalar::{Body, Scalar};
use super::structured::{Lowering, unexpected};

/// Lowers a gather to a `linalg.generic` over the result, which reads the indices in order and the table at the positions that
/// they give.
pub(super) fn lower<'p>(lowering: &Lowering<'p>) -> Result<Val<'p>, String> {
    let [indices, table] = *lowering.operands.as_slice() else {
        return Err(unexpected(&lowering.operands));
    };
    let dim = lowering.device.gathered_dim();
    let dim = dim.ok_or("an operation that has no indices")?;
    let ty = RankedTensorType::try_from(table.r#type()).map_err(|err| err.to_string())?;
    let extent = match ty.dim_size(dim).map_err(|err| err.to_string())? {
        DimSize::Static(extent) => i64::try_from(extent).map_err(|err| err.to_string())?,
        DimSize::Dynamic => {
            return Err(format!(
                "dimension {dim} of the table has a dynamic extent; --spyre-specialize-dynamic-dims chooses one"
            ));
        }
    };
    let gather = Gather {
        lowering,
        table,
        dim,
        extent,
    };
    let rank = lowering.result.rank();
    let maps = [
        lowering.device.tensor_dims(0),
        (0..rank).map(Some).collect(),
    ];
    let into = lowering.builder.empty(lowering.result.into());
    lowering.builder.generic(
        lowering.device.op(),
        rank,
        0,
        &maps,
        &[indices],
        into,
        |body, operands, _| match operands {
            [index] => gather.element(body, *index),
            _ => Err(unexpected(operands)),
        },
    )
}

struct Gather<'l, 'p> {
    lowering: &'l Lowering<'p>,
    table: Val<'p>,
    /// The dimension of the table that the indices choose from.
    dim: usize,
    /// The extent of that dimension, in elements.
    extent: i64,
}

impl<'p> Gather<'_, 'p> {
    /// Builds the element that an index chooses; NaN for an index that the table has no element for.
    fn element(&self, body: &Body<'p>, index: Val<'p>) -> Scalar<'p> {
        let context = self.lowering.builder.context;
        let element = self.lowering.element;
        let none = FloatAttribute::new(context, element, f64::NAN);
        let none = body.emit(arith::constant(none.into()), element);
        if self.extent == 0 {
            return Ok(none);
        }
        // The extent may have more bits than an index.
        let i64: Type<'p> = IntegerType::new(context, 64).into();
        let index = body.emit(arith::extsi(index), i64);
        let first = body.integer(0, i64);
        let is_below = body.compare(Comparison::Less, index, body.integer(self.extent, i64));
        let is_above = body.compare(Comparison::GreaterEqual, index, first);
        let is_inside = body.same(arith::andi(is_above, is_below));
        let index = body.select(is_inside, index, first);
        let index = body.emit(arith::index_cast(index), Type::index(context));
        let mut indices = Vec::new();
        for (position, dim) in self.lowering.device.tensor_dims(1).into_iter().enumerate() {
            indices.push(match dim {
                Some(dim) => body.position(dim),
                None if position == self.dim => index,
                None => return Err("a table that is broadcast".to_owned()),
            });
        }
        let entry = body.emit(tensor::extract(self.table, &indices), element);
        Ok(body.select(is_inside, entry, none))
    }
}
