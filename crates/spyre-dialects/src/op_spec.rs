//! `spyre.op_spec` as a Rust value.

use melior::Context;
use melior::ir::attribute::{DenseI64ArrayAttribute, FloatAttribute, StringAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{Attribute, Identifier, Location, Operation, OperationRef, Type};

use crate::attr::{self, IterDim, TensorArg};

/// Name of the operation.
pub const OP_SPEC: &str = "spyre.op_spec";

/// The complete description of one device operation in a bundle (SDSC bundle specification, section 3.1).
#[derive(Debug, Clone, PartialEq)]
pub struct OpSpec {
    /// Symbol, and stem of the file: `sdsc_0`.
    pub name: String,
    /// The OpFunc.
    pub op_func: String,
    /// Whether it reduces.
    pub is_reduction: bool,
    /// The iteration space: result dimensions, then reduction dimensions.
    pub space: Vec<IterDim>,
    /// Trip counts of the enclosing loops, outermost first; empty outside loops, and when not stated.
    pub loops: Vec<u64>,
    /// The tensors, inputs first.
    pub args: Vec<TensorArg>,
    /// Named constants.
    pub constants: Vec<(String, f64)>,
}

impl OpSpec {
    /// Reads a `spyre.op_spec`. `None` for any other operation, and for one whose coordinates are not
    /// digits of iteration dimensions.
    #[must_use]
    pub fn read(op: OperationRef<'_, '_>) -> Option<Self> {
        if op.name().as_string_ref().as_str().ok()? != OP_SPEC {
            return None;
        }
        let text = |name: &str| attr::string(op.attribute(name).ok()?);
        let list = |name: &str| op.attribute(name).map(attr::elements).unwrap_or_default();
        let constants = op
            .attribute("constants")
            .map(attr::entries)
            .unwrap_or_default();
        Some(Self {
            name: text("sym_name")?,
            op_func: text("op_func")?,
            is_reduction: op.has_attribute("is_reduction"),
            space: list("space")
                .into_iter()
                .map(attr::iter_dim)
                .collect::<Option<_>>()?,
            loops: attr::dense_integers(op.attribute("loops").ok())?,
            args: list("args")
                .into_iter()
                .map(attr::tensor_arg)
                .collect::<Option<_>>()?,
            constants: constants
                .into_iter()
                .map(|(name, value)| Some((name, attr::number(value)?)))
                .collect::<Option<_>>()?,
        })
    }

    /// Builds a `spyre.op_spec`.
    ///
    /// # Errors
    /// MLIR could not build the operation.
    pub fn build<'c>(
        &self,
        context: &'c Context,
        location: Location<'c>,
    ) -> Result<Operation<'c>, melior::Error> {
        let name = |text| Identifier::new(context, text);
        let text = |text: &str| Attribute::from(StringAttribute::new(context, text));
        let space: Vec<Attribute<'c>> = self
            .space
            .iter()
            .map(|dim| attr::iter_dim_attribute(context, dim))
            .collect();
        let args: Vec<Attribute<'c>> = self
            .args
            .iter()
            .map(|arg| attr::tensor_arg_attribute(context, arg, self.space.len()))
            .collect();
        let mut attributes = vec![
            (name("sym_name"), text(&self.name)),
            (name("op_func"), text(&self.op_func)),
            (name("space"), attr::array(context, &space)),
            (name("args"), attr::array(context, &args)),
        ];
        if !self.loops.is_empty() {
            let loops: Vec<i64> = self.loops.iter().map(|count| count.cast_signed()).collect();
            attributes.push((
                name("loops"),
                DenseI64ArrayAttribute::new(context, &loops).into(),
            ));
        }
        if self.is_reduction {
            attributes.push((name("is_reduction"), Attribute::unit(context)));
        }
        if !self.constants.is_empty() {
            let constants: Vec<(&str, Attribute<'c>)> = self
                .constants
                .iter()
                .map(|(name, value)| {
                    (
                        name.as_str(),
                        FloatAttribute::new(context, Type::float64(context), *value).into(),
                    )
                })
                .collect();
            attributes.push((name("constants"), attr::dictionary(context, &constants)));
        }
        OperationBuilder::new(OP_SPEC, location)
            .add_attributes(&attributes)
            .build()
    }
}
