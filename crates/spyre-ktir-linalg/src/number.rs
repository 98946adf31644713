//! Indices that are constants or values, and arithmetic that folds constants.

use spyre_mlir_rt::ir::{self, OpBuilder, Val};
use spyre_ods::{Arithmetic, arith};

/// An index.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Number<'p> {
    /// A constant.
    Constant(i64),
    /// A value of type `index`.
    Value(Val<'p>),
}

impl<'p> Number<'p> {
    /// Returns the number of a value: its constant, if it is one.
    pub(crate) fn of(value: Val<'p>) -> Self {
        let constant = ir::defining_op(value).filter(|op| ir::name(*op) == arith::CONSTANT);
        constant.map_or(Self::Value(value), |op| {
            Self::Constant(ir::constant_index(op))
        })
    }

    /// Builds the value.
    pub(crate) fn value(self, build: OpBuilder<'p>) -> Val<'p> {
        match self {
            Self::Constant(number) => build.index(number),
            Self::Value(value) => value,
        }
    }

    /// Builds the sum.
    pub(crate) fn plus(self, build: OpBuilder<'p>, other: Self) -> Self {
        match (self, other) {
            (Self::Constant(0), number) | (number, Self::Constant(0)) => number,
            (Self::Constant(a), Self::Constant(b)) => match a.checked_add(b) {
                Some(sum) => Self::Constant(sum),
                None => Self::Value(build.add(build.index(a), build.index(b))),
            },
            _ => Self::Value(build.add(self.value(build), other.value(build))),
        }
    }

    /// Builds the product.
    pub(crate) fn times(self, build: OpBuilder<'p>, other: Self) -> Self {
        match (self, other) {
            (Self::Constant(0), _) | (_, Self::Constant(0)) => Self::Constant(0),
            (Self::Constant(1), number) | (number, Self::Constant(1)) => number,
            (Self::Constant(a), Self::Constant(b)) => match a.checked_mul(b) {
                Some(product) => Self::Constant(product),
                None => Self::Value(build.mul(build.index(a), build.index(b))),
            },
            _ => Self::Value(build.mul(self.value(build), other.value(build))),
        }
    }
}
