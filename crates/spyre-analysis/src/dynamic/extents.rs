//! Extents of tensors: numbers, and dynamic dimensions of a function.
//!
//! A comparison of extents is a proof: two are equal if they are the same number or the same dynamic dimension. No
//! other extents compare as equal, and a dynamic extent has no number. A product of extents is an extent if all but
//! one of them are numbers with the product 1. [`Extents`] has the extents of the values of a function while its
//! operations are converted.

use spyre_mlir_rt::rules::Refusal;
use std::cell::RefCell;

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::DimSize;
use melior::ir::{Type, ValueLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpKind, Val};
use spyre_ods::{OpBuilder, tensor};
use spyre_plan::DynamicExtent;

use super::slices::DYNAMIC;
use super::{DynamicDims, Source, SymbolId, error, is_dynamic, shape};
use crate::indexing::Indexing;
use crate::walk;

/// The extent of a dimension, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// A number.
    Static(i64),
    /// The extent of a dynamic dimension.
    Dynamic(SymbolId),
}

impl Extent {
    /// The extent of a dimension with one element.
    pub const ONE: Self = Self::Static(1);

    /// Returns the number; `None` for a dynamic extent.
    pub fn number(self) -> Option<i64> {
        match self {
            Self::Static(number) => Some(number),
            Self::Dynamic(_) => None,
        }
    }

    /// Returns the number, as types and attributes have it: [`DYNAMIC`] for a dynamic extent.
    pub fn encoded(self) -> i64 {
        self.number().unwrap_or(DYNAMIC)
    }

    /// Returns whether the extent is 1. A dynamic one is not known to be.
    pub fn is_one(self) -> bool {
        self == Self::ONE
    }

    /// Returns the product of two extents; `None` if it is no number and no dynamic extent, or is too large.
    pub fn times(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Static(a), Self::Static(b)) => a.checked_mul(b).map(Self::Static),
            (Self::ONE, other) => Some(other),
            (this, Self::ONE) => Some(this),
            _ => None,
        }
    }

    /// Returns the product of extents; `None` if it is no number and no dynamic extent, or is too large.
    pub fn product(extents: impl IntoIterator<Item = Self>) -> Option<Self> {
        extents.into_iter().try_fold(Self::ONE, Self::times)
    }

    /// Returns the numbers of a shape; `None` if an extent is dynamic.
    pub fn numbers(shape: &[Self]) -> Option<Vec<i64>> {
        shape.iter().map(|extent| extent.number()).collect()
    }
}

impl From<i64> for Extent {
    fn from(number: i64) -> Self {
        Self::Static(number)
    }
}

/// The reason why a value has no extents. Types are texts, as MLIR prints them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The value is no ranked tensor.
    #[error("{ty} is no ranked tensor")]
    NotRanked {
        /// Its type.
        ty: String,
    },
    /// An extent does not fit into 63 bits.
    #[error("{ty} is too large")]
    TooLarge {
        /// The type of the tensor.
        ty: String,
    },
    /// A dynamic extent is none of the function's dynamic dimensions.
    #[error(
        "{ty} has a dynamic extent in dimension {dim}; name it in 'spyre.dims' and bound it in 'spyre.dim_sizes' of the function"
    )]
    DynamicExtent {
        /// The type of the tensor.
        ty: String,
        /// The dimension.
        dim: usize,
    },
}

/// The text, for the reasons of a pass, which are of many kinds and end in its diagnostics.
impl From<ShapeError> for String {
    fn from(error: ShapeError) -> Self {
        error.to_string()
    }
}

impl From<ShapeError> for Refusal<'_> {
    fn from(error: ShapeError) -> Self {
        error.to_string().into()
    }
}

/// Returns the extents of a tensor type. `symbols` has the dynamic dimension that a dimension is.
///
/// # Errors
/// The type is no ranked tensor, or has a dynamic extent for which `symbols` has no dimension.
pub fn shape_of_type(
    ty: Type<'_>,
    symbols: impl Fn(usize) -> Option<SymbolId>,
) -> Result<Vec<Extent>, ShapeError> {
    let text = || ty.to_string();
    let extents = shape(ty).ok_or_else(|| ShapeError::NotRanked { ty: text() })?;
    let extents =
        extents
            .into_iter()
            .enumerate()
            .map(|(dim, extent)| match (extent, symbols(dim)) {
                (DimSize::Static(extent), _) => i64::try_from(extent)
                    .map(Extent::Static)
                    .map_err(|_| ShapeError::TooLarge { ty: text() }),
                (DimSize::Dynamic, Some(symbol)) => Ok(Extent::Dynamic(symbol)),
                (DimSize::Dynamic, None) => Err(ShapeError::DynamicExtent { ty: text(), dim }),
            });
    extents.collect()
}

/// The extents of the values of a function, including values that are built.
pub struct Extents {
    /// Builders enter the values that they build. A builder is copied, so several have the table at a time.
    dims: RefCell<DynamicDims>,
}

impl Extents {
    /// Finds the dynamic dimensions of a function.
    ///
    /// # Errors
    /// See [`DynamicDims::of_function`]; or a value has a dynamic dimension that no argument has, so that its size
    /// has no source.
    pub fn of_function<'p>(function: Op<'p>, body: Blk<'p>) -> Result<Self, Diagnostic<'p>> {
        let dims = DynamicDims::of_function(function, body)?;
        let without_source = dims.values.values().flat_map(|symbols| symbols.iter());
        let mut without_source = without_source
            .flatten()
            .map(|symbol| dims.symbol(*symbol))
            .filter(|symbol| symbol.source.is_none());
        if let Some(symbol) = without_source.next() {
            let message = format!(
                "a value has the dynamic dimension \"{}\", but no argument of the function has it, from which its extent is read",
                symbol.name
            );
            return Err(error(function, message));
        }
        Ok(Self {
            dims: RefCell::new(dims),
        })
    }

    /// Returns whether no value of the function has a dynamic dimension.
    pub fn is_empty(&self) -> bool {
        self.dims.borrow().is_empty()
    }

    /// Returns the extents of a tensor.
    ///
    /// # Errors
    /// The value is no ranked tensor, or an extent is none of the function's dynamic dimensions.
    pub fn shape(&self, value: Val<'_>) -> Result<Vec<Extent>, ShapeError> {
        let dims = self.dims.borrow();
        let symbols = dims.of(value);
        shape_of_type(value.r#type(), |dim| symbols.get(dim).copied().flatten())
    }

    /// Enters the results of an operation that was built.
    ///
    /// # Panics
    /// A result has a dynamic extent that does not follow from the operands: builders see to it that extents agree.
    pub fn enter(&self, op: Op<'_>) {
        let mut dims = self.dims.borrow_mut();
        for (number, result) in ir::results(op).enumerate() {
            let entered = match is_dynamic(result.r#type()) {
                true => dims.result(op, number),
                false => {
                    dims.record(result, Vec::new());
                    Ok(())
                }
            };
            entered.unwrap_or_else(|err| panic!("'{}' was built: {}", ir::name(op), err.message()));
        }
    }

    /// Enters the dynamic dimensions of `other` for a value that replaces it.
    pub fn enter_as(&self, value: Val<'_>, other: Val<'_>) {
        let mut dims = self.dims.borrow_mut();
        let symbols = dims.of(other).to_vec();
        dims.record(value, symbols);
    }

    /// Returns the dynamic dimension with a name, if the function declares one.
    pub fn named(&self, name: &str) -> Option<SymbolId> {
        self.dims.borrow().named(name)
    }

    /// Returns the dynamic dimension that each dimension of a value is; empty for a value of static shape.
    pub fn symbols<'p>(&self, value: Val<'p>) -> Vec<Option<SymbolId>> {
        self.dims.borrow().of(value).to_vec()
    }

    /// Returns the name of a dynamic dimension.
    pub fn name(&self, symbol: SymbolId) -> String {
        self.dims.borrow().symbol(symbol).name.clone()
    }

    /// Returns the extents that a dynamic dimension may have.
    pub fn range(&self, symbol: SymbolId) -> DynamicExtent {
        self.dims.borrow().symbol(symbol).extent
    }

    /// Returns the dynamic dimension that has an index value as its extent, if any.
    pub fn of_index(&self, value: Val<'_>) -> Option<SymbolId> {
        self.dims.borrow().of_index(value)
    }

    /// Returns the largest number that an extent may be.
    pub fn largest(&self, extent: Extent) -> i64 {
        match extent {
            Extent::Static(number) => number,
            Extent::Dynamic(symbol) => in_elements(self.range(symbol).max()),
        }
    }

    /// Returns the smallest number that an extent may be.
    pub fn smallest(&self, extent: Extent) -> i64 {
        match extent {
            Extent::Static(number) => number,
            Extent::Dynamic(symbol) => in_elements(self.range(symbol).granularity()),
        }
    }

    /// Returns how many elements a tensor has where all extents are the largest; 0 for a value that is not a
    /// tensor, or has unknown extents.
    pub fn most_elements(&self, value: Val<'_>) -> i64 {
        let shape = self
            .shape(value)
            .unwrap_or_else(|_| vec![Extent::Static(0)]);
        let extents = shape.into_iter().map(|extent| self.largest(extent));
        extents.fold(1, i64::saturating_mul)
    }

    /// Returns how many iterations a device operation has where all extents are the largest.
    pub fn most_iterations(&self, op: DeviceOp<'_>) -> i64 {
        let space = Indexing::dynamic(op, &self.dims.borrow()).space;
        // A program that is split has a name with bounds for each dynamic extent.
        let extents = space.into_iter().filter(|extent| *extent != DYNAMIC);
        extents.fold(1, i64::saturating_mul)
    }

    /// Returns where an argument or a result among some values has a dynamic dimension; `None` if none has it.
    pub fn place_in<'p>(&self, values: &[Val<'p>], symbol: SymbolId) -> Option<(usize, usize)> {
        let dims = self.dims.borrow();
        let mut values = values.iter().enumerate();
        values.find_map(|(number, value)| {
            let dim = dims
                .of(*value)
                .iter()
                .position(|candidate| *candidate == Some(symbol))?;
            Some((number, dim))
        })
    }

    /// Returns the first argument that has a dynamic dimension, and where.
    pub fn source<'p>(&self, body: Blk<'p>, symbol: SymbolId) -> (Val<'p>, usize) {
        let source = self.dims.borrow().symbol(symbol).source;
        let Source { argument, dim } = source.expect("an argument has it, as was checked");
        let argument = body.argument(argument);
        let argument = argument.expect("the argument is one of the function");
        (argument.into(), dim)
    }

    /// Builds the extent of a dynamic dimension as an index value before an operation, from an argument of its
    /// function.
    pub fn build<'p>(&self, context: &'p Context, before: Op<'p>, symbol: SymbolId) -> Val<'p> {
        let body = function_body_around(before);
        let (argument, dim) = self.source(body, symbol);
        tensor_dim(context, At::Before(before), argument, dim)
    }

    /// Moves every `tensor.dim` of a dynamic dimension to the argument that builders read, so that no extent
    /// depends on a converted value.
    pub fn read_from_arguments<'p>(&self, context: &'p Context, body: Blk<'p>) {
        let dim_of = |op: Op<'p>| (ir::kind(op) == OpKind::TensorDim).then_some(op);
        for op in walk::find(body, dim_of) {
            let extent = ir::result(op, 0).expect("tensor.dim has a result");
            let Some(symbol) = self.of_index(extent) else {
                continue; // It is the extent of a tensor without dynamic dimensions of the function.
            };
            let (argument, dim) = self.source(body, symbol);
            let is_read_there = ir::operand(op, 0) == Some(argument)
                && ir::constant_operand(op, 1) == i64::try_from(dim).ok();
            if !is_read_there {
                let read = tensor_dim(context, At::Before(op), argument, dim);
                ir::replace_all_uses(extent, read);
                ir::erase(op);
            }
        }
    }
}

/// Returns the block of the function around an operation.
fn function_body_around(op: Op<'_>) -> Blk<'_> {
    let mut around = op.parent_operation();
    while let Some(parent) = around {
        if let Some(body) = ir::function_body(parent) {
            return body;
        }
        around = parent.parent_operation();
    }
    panic!("'{}' is in no function", ir::name(op))
}

/// Builds the extent of a dimension of a tensor as an index value.
pub fn tensor_dim<'p>(context: &'p Context, at: At<'p>, of: Val<'p>, dim: usize) -> Val<'p> {
    let location = of.location();
    let dim = i64::try_from(dim).expect("ranks are small");
    let dim = ir::build_index_constant(at, location, dim);
    let build = OpBuilder {
        context,
        at,
        location,
    };
    build.op(tensor::dim(of, dim), Type::index(context))
}

fn in_elements(extent: u64) -> i64 {
    i64::try_from(extent).expect("extents fit into 64 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_an_extent_if_one_factor_is_dynamic_and_the_others_are_one() {
        let (s, t) = (
            Extent::Dynamic(SymbolId::new(0)),
            Extent::Dynamic(SymbolId::new(1)),
        );
        let product = |extents: &[Extent]| Extent::product(extents.iter().copied());
        assert_eq!(product(&[]), Some(Extent::ONE));
        assert_eq!(product(&[Extent::ONE, s, Extent::ONE]), Some(s));
        assert_eq!(
            product(&[Extent::Static(4), Extent::Static(6)]),
            Some(Extent::Static(24))
        );
        for unknown in [
            [s, t],
            [s, s],
            [s, Extent::Static(2)],
            [Extent::Static(0), s],
        ] {
            assert_eq!(product(&unknown), None, "{unknown:?}");
        }
        assert_eq!(
            product(&[Extent::Static(i64::MAX), Extent::Static(2)]),
            None
        );
    }

    #[test]
    fn a_dynamic_extent_is_equal_to_itself_alone() {
        let s = Extent::Dynamic(SymbolId::new(0));
        assert_eq!(s, s);
        assert_ne!(s, Extent::Dynamic(SymbolId::new(1)));
        // A dynamic extent is not equal to a number either, even to its granularity or maximum.
        assert_ne!(s, Extent::Static(64));
    }
}
