//! Warns of OpFuncs in formats that no document and no recorded bundle shows.
//!
//! A module gets one warning for an OpFunc and its formats, because a program has many operations of a kind.

use rustc_hash::FxHashSet;

use melior::ir::operation::OperationLike;
use spyre_layout::DeviceFormat;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;
use spyre_ops::{Evidence, evidence, signature};
use spyre_sdsc::OpSpec;

use super::error;

/// The OpFuncs and formats that have been warned of.
pub(super) struct Assumed {
    /// Whether such formats are allowed.
    are_allowed: bool,
    warned: FxHashSet<(String, Vec<DeviceFormat>)>,
}

impl Assumed {
    /// Returns the state in which nothing has been warned of.
    pub(super) fn new(are_allowed: bool) -> Self {
        Self {
            are_allowed,
            warned: FxHashSet::default(),
        }
    }

    /// Refuses an operation in assumed formats, or warns of the first of its kind.
    pub(super) fn check<'p>(&mut self, op: Op<'p>, spec: &OpSpec) -> Result<(), Diagnostic<'p>> {
        let formats = signature(spec.args.iter().map(|arg| arg.format));
        if evidence(&spec.op, &formats) == Evidence::Recorded {
            return Ok(());
        }
        let name = &spec.op;
        let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
        let names = names.join(" and ");
        let nothing =
            format!("no document and no recorded bundle shows OpFunc '{name}' in {names}");
        if !self.are_allowed {
            return Err(error(
                op,
                format!(
                    "{nothing}, and the target has assumed_formats = false; compute in f16, or allow assumed formats"
                ),
            ));
        }
        if self.warned.insert((name.clone(), formats)) {
            let message = format!(
                "convert-spyre-to-sdscbundle: {nothing}; the backend may lack it \
                 (assumed_formats = false of #spyre.target makes this an error)"
            );
            Diagnostic::warning(op.location(), message).emit();
        }
        Ok(())
    }
}
