//! `sdscbundle.op_spec` as a Rust value.
//!
//! [`OpSpec`] has the contents of the operation's attributes, over the expressions of `spyre-sdsc`. The attributes are typed:
//! expressions are affine maps, and JSON that front ends attach is in `#sdscbundle.record`s.

mod affine;
mod attr;
mod json;

use melior::Context;
use melior::ir::attribute::{DenseI64ArrayAttribute, FloatAttribute, StringAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{Attribute, Identifier, Location, Operation, OperationRef, Type};
use spyre_sdsc::{Json, Object};
use thiserror::Error;

pub use affine::AffineError;
pub use attr::{
    AttributeError, CORE, Extent, IterDim, Level, Ownership, SIZE, TensorArg, size, size_attribute,
};

use crate::attr as attributes;

/// Name of the operation.
pub const OP_SPEC: &str = "sdscbundle.op_spec";

/// The complete description of one device operation in a bundle (SDSC bundle specification, section 3.1).
#[derive(Debug, Clone, PartialEq)]
pub struct OpSpec {
    /// Symbol, and stem of the file unless operations share it: `sdsc_0`.
    pub name: String,
    /// The OpFunc.
    pub op_func: String,
    /// Whether the operation reduces.
    pub is_reduction: bool,
    /// The iteration space: result dimensions, then reduction dimensions.
    pub space: Vec<IterDim>,
    /// Whether cores are numbered with the first dimension fastest even where a split reduction would be.
    pub in_order: bool,
    /// Trip counts of the enclosing loops, outermost first; empty outside loops, and when not stated. Of a loop over
    /// a runtime size, the largest.
    pub loops: Vec<u64>,
    /// The levels, if they are not the loops.
    pub levels: Option<Vec<Level>>,
    /// The tensors, inputs first.
    pub args: Vec<TensorArg>,
    /// Named constants.
    pub constants: Vec<(String, f64)>,
    /// Other extras of the front end.
    pub info: Object<Json>,
    /// Extents of the result in NCHW order, for pools and convolutions.
    pub output_ranges: Vec<i64>,
    /// Provenance.
    pub debug_handle: Option<Json>,
}

/// The reason why an OpSpec is no operation.
#[derive(Debug, Error)]
pub enum BuildError {
    /// An attribute cannot be made.
    #[error(transparent)]
    Attribute(#[from] AttributeError),
    /// MLIR could not build the operation.
    #[error(transparent)]
    Operation(#[from] melior::Error),
}

impl OpSpec {
    /// Reads a `sdscbundle.op_spec`. `None` for any other operation, and for one with a number or a text that the file
    /// format cannot have.
    #[must_use]
    pub fn read(op: OperationRef<'_, '_>) -> Option<Self> {
        if op.name().as_string_ref().as_str().ok()? != OP_SPEC {
            return None;
        }
        let text = |name: &str| attributes::string(op.attribute(name).ok()?);
        let list = |name: &str| {
            op.attribute(name)
                .map(attributes::elements)
                .unwrap_or_default()
        };
        let record = |name: &str| match op.attribute(name) {
            Ok(attribute) => json::record(attribute),
            Err(_) => Some(Vec::new()),
        };
        let space: Vec<IterDim> = list("space")
            .into_iter()
            .map(attr::iter_dim)
            .collect::<Option<_>>()?;
        let symbols = symbols(&space);
        let levels = list("levels").into_iter().map(attr::level);
        Some(Self {
            name: text("sym_name")?,
            op_func: text("op_func")?,
            is_reduction: op.has_attribute("is_reduction"),
            in_order: op.has_attribute("in_order"),
            loops: attributes::dense_integers(op.attribute("loops").ok())?,
            levels: if op.has_attribute("levels") {
                Some(levels.collect::<Option<_>>()?)
            } else {
                None
            },
            args: list("args")
                .into_iter()
                .map(|arg| attr::tensor_arg(arg, &symbols))
                .collect::<Option<_>>()?,
            constants: record("constants")?
                .into_iter()
                .map(|(name, value)| Some((name, attributes::number(value)?)))
                .collect::<Option<_>>()?,
            info: record("info")?
                .into_iter()
                .map(|(name, value)| Some((name, json::json(value)?)))
                .collect::<Option<_>>()?,
            output_ranges: attributes::dense_signed_integers(op.attribute("output_ranges").ok())?,
            debug_handle: match op.attribute("debug_handle") {
                Ok(attribute) => Some(json::json(attribute)?),
                Err(_) => None,
            },
            space,
        })
    }

    /// Builds a `sdscbundle.op_spec`. It is not verified.
    ///
    /// # Errors
    /// A part that attributes cannot express: expressions that are not affine, and numbers beyond 63 bits.
    pub fn build<'c>(
        &self,
        context: &'c Context,
        location: Location<'c>,
    ) -> Result<Operation<'c>, BuildError> {
        let name = |text| Identifier::new(context, text);
        let text = |text: &str| Attribute::from(StringAttribute::new(context, text));
        let dense = |values: &[i64]| Attribute::from(DenseI64ArrayAttribute::new(context, values));
        let symbols = symbols(&self.space);
        let space = self
            .space
            .iter()
            .map(|dim| attr::iter_dim_attribute(context, dim))
            .collect::<Result<Vec<_>, _>>()?;
        let args = self
            .args
            .iter()
            .map(|arg| attr::tensor_arg_attribute(context, arg, &symbols))
            .collect::<Result<Vec<_>, _>>()?;
        let mut built = vec![
            (name("sym_name"), text(&self.name)),
            (name("op_func"), text(&self.op_func)),
            (name("space"), attributes::array(context, &space)),
            (name("args"), attributes::array(context, &args)),
        ];
        let mut add = |key: &'static str, attribute| built.push((name(key), attribute));
        if self.is_reduction {
            add("is_reduction", Attribute::unit(context));
        }
        if self.in_order {
            add("in_order", Attribute::unit(context));
        }
        if !self.loops.is_empty() {
            let loops: Vec<i64> = self.loops.iter().map(|count| count.cast_signed()).collect();
            add("loops", dense(&loops));
        }
        if let Some(levels) = &self.levels {
            let levels = levels
                .iter()
                .map(|level| attr::level_attribute(context, level))
                .collect::<Result<Vec<_>, _>>()?;
            add("levels", attributes::array(context, &levels));
        }
        if !self.constants.is_empty() {
            add("constants", self.constants_attribute(context)?);
        }
        if !self.info.is_empty() {
            add(
                "info",
                json_attribute(context, &Json::Object(self.info.clone()), "op_info")?,
            );
        }
        if !self.output_ranges.is_empty() {
            add("output_ranges", dense(&self.output_ranges));
        }
        if let Some(handle) = &self.debug_handle {
            add(
                "debug_handle",
                json_attribute(context, handle, "debug_handle")?,
            );
        }
        Ok(OperationBuilder::new(OP_SPEC, location)
            .add_attributes(&built)
            .build()?)
    }

    fn constants_attribute<'c>(
        &self,
        context: &'c Context,
    ) -> Result<Attribute<'c>, AttributeError> {
        let constants: Vec<(&str, Attribute<'c>)> = self
            .constants
            .iter()
            .map(|(name, value)| {
                let value = FloatAttribute::new(context, Type::float64(context), *value);
                (name.as_str(), value.into())
            })
            .collect();
        json::record_attribute(context, &constants)
            .ok_or(AttributeError::NotJson { what: "constants" })
    }
}

fn json_attribute<'c>(
    context: &'c Context,
    value: &Json,
    what: &'static str,
) -> Result<Attribute<'c>, AttributeError> {
    json::json_attribute(context, value).ok_or(AttributeError::NotJson { what })
}

fn symbols(space: &[IterDim]) -> Vec<String> {
    space.iter().map(|dim| dim.symbol.clone()).collect()
}
