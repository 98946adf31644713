//! The function of a bundle as a pass or a user has written it.

use super::ast::{AffineMap, InputArgType, Stmt, ValueId};
use crate::expr::Symbol;
use crate::model::DimSource;

/// The function of a bundle, without names.
#[derive(Clone, Debug, Default)]
pub struct StatedFunction {
    /// The maps that statements apply, each once.
    pub maps: Vec<AffineMap>,
    /// The parameters.
    pub params: Vec<StatedParam>,
    /// The statements, without the final `return`.
    pub body: Vec<Stmt>,
    /// The number of values. They are numbered as [`ValueId`] defines.
    pub values: usize,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct StatedParam {
    /// The value of the parameter.
    pub value: ValueId,
    /// The type of the parameter.
    pub ty: InputArgType,
    /// The runtime size that the parameter is, if it is one.
    pub size: Option<StatedSize>,
}

/// The name of a runtime size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedSize {
    /// The name.
    pub symbol: Symbol,
    /// The dimension of a kernel argument that it is, if it bounds loops.
    pub source: Option<DimSource>,
}
