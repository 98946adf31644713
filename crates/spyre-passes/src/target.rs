//! The machine that an operation is compiled for.

use melior::ir::operation::OperationLike;
use spyre_dialects::attr::{self, TargetDescription};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;
use spyre_plan::Target;

/// The attribute of a module that overrides the default target.
pub const TARGET: &str = "spyre.target";

/// The target of the nearest enclosing module that states one, else the production card.
///
/// # Errors
/// The stated target is not possible.
pub fn target_of<'p>(op: Op<'p>) -> Result<TargetDescription<'p>, Diagnostic<'p>> {
    let mut current = Some(op);
    while let Some(op) = current {
        if let Ok(attribute) = op.attribute(TARGET)
            && let Some(description) = attr::target(attribute)
        {
            description
                .target
                .validate()
                .map_err(|why| Diagnostic::error(op.location(), why.to_string()))?;
            return Ok(description);
        }
        current = op.parent_operation();
    }
    Ok(TargetDescription {
        target: Target::default(),
        element_types: None,
    })
}
