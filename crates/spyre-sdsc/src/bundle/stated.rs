//! Completes a function that a pass or a user has written or changed to a bundle.
//!
//! The function is printed as it is. The files belong to the operations, planned as for
//! [`compile_bundle`](super::compile_bundle), but without its second half, the emission. The check is that each execute
//! passes its file the operands that the operation needs: the symbols of the file, and for each symbol its address or
//! size. How the function computes an address is up to it: constants may be merged, and sums and maps moved out of
//! loops. Names have no meaning, so [`naming`](super::naming) builds the names of the format.

use super::ast::{Function, Param, ParamBinding};
use super::emit::{self, Binding};
use super::naming;
use super::stated_function::{StatedFunction, StatedParam, StatedSize};
use super::{Bundle, BundleOptions, arguments, bound, conserved, tree};
use crate::error::Error;
use crate::model::Node;
use crate::validate::validate;

/// Completes `function`, which executes the operations of `nodes` in the order of the tree, to a bundle. Time and memory are
/// linear in the size of both.
///
/// # Errors
/// The errors of [`compile_bundle`](super::compile_bundle), and [`Error::Contradiction`] for a parameter, a pool, a symbol or an address
/// that is not that of the operations.
pub fn complete_bundle(
    nodes: &[Node],
    function: StatedFunction,
    options: &BundleOptions,
) -> Result<Bundle, Error> {
    let warnings = validate(nodes)?;
    let plan = tree::plan(nodes, options, None)?;
    let pool = emit::pool(&plan, options)?;
    let bindings = emit::bindings(&plan, pool)?;
    check_params(&function.params, &bindings)?;
    bound::check(&plan, &function, &bindings)?;
    let names = naming::names(&plan, &function, &bindings);
    let params = function.params.iter().zip(bindings);
    let params = params.map(|(param, Binding { binding, .. })| Param {
        value: param.value,
        ty: param.ty,
        binding,
    });
    let bundle = Bundle {
        function: Function {
            addresses: options.addresses,
            params: params.collect(),
            maps: function.maps,
            body: function.body,
            names,
        },
        files: plan.files,
        warnings,
        findings: plan.findings,
        arguments: arguments::arguments(nodes)?,
        pool_size: options.pool_size,
    };
    conserved::check_stated(nodes, &bundle)?;
    Ok(bundle)
}

/// Checks that the parameters are the ones that the operations need.
fn check_params(stated: &[StatedParam], needed: &[Binding]) -> Result<(), Error> {
    if stated.len() != needed.len() {
        return Err(Error::contradiction(format!(
            "bundle function has {} parameters, but its OpSpecs need {}",
            stated.len(),
            needed.len()
        )));
    }
    for (number, (stated, Binding { binding, .. })) in stated.iter().zip(needed).enumerate() {
        let ty = binding.ty();
        if stated.ty != ty {
            return Err(Error::contradiction(format!(
                "parameter {number} of the bundle has type {}, but its OpSpecs need {ty}",
                stated.ty
            )));
        }
        let size = binding.size();
        if stated.size != size {
            return Err(Error::contradiction(format!(
                "parameter {number} of the bundle is {}, but its OpSpecs need {}",
                Size(stated.size.as_ref()),
                Size(size.as_ref())
            )));
        }
    }
    Ok(())
}

impl ParamBinding {
    /// Returns the runtime size of the parameter; `None` for the pool and for kernel arguments.
    #[must_use]
    pub fn size(&self) -> Option<StatedSize> {
        let (symbol, source) = match self {
            Self::Pool | Self::Kernel(_) => return None,
            Self::Dimension { symbol, .. } => (symbol, None),
            Self::LoopDimension { symbol, source, .. } => (symbol, Some(*source)),
        };
        let symbol = symbol.clone();
        Some(StatedSize { symbol, source })
    }
}

/// The words of a message for a runtime size or for none.
struct Size<'a>(Option<&'a StatedSize>);

impl std::fmt::Display for Size<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(StatedSize { symbol, source }) = self.0 else {
            return f.write_str("no runtime size");
        };
        match source {
            None => write!(f, "the runtime size '{symbol}' of operations"),
            Some(source) => write!(
                f,
                "the runtime size '{symbol}' of loops, dimension {} of kernel argument {}",
                source.dim, source.arg
            ),
        }
    }
}
