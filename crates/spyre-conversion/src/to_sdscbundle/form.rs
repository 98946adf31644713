//! The form of a bundle: its attributes in addition to the tree of its OpSpecs and loops, and the names of OpSpecs
//! in modules.

use spyre_dialects::op_spec::NamedOpSpec;
use spyre_ops::OpClass;
use spyre_plan::Target;
use spyre_sdsc::bundle::PoolSource;
use spyre_sdsc::codegen::PlanOptions;
use spyre_sdsc::source::pool_size;
use spyre_sdsc::{BundleOptions, Bytes, LoopError, Node, OpSpec};
use thiserror::Error;

/// The properties of a bundle that its tree does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The side that allocates the pool.
    pub pool: PoolSource,
    /// The size of the pool in bytes; `None` for up to the end of the last tensor in it.
    pub pool_size: Option<Bytes>,
    /// Whether operations with files that differ in symbols only share one.
    pub share_files: bool,
    /// Whether a split reduction of a matrix multiplication comes first when cores are numbered.
    pub k_fast: bool,
}

impl Default for Form {
    fn default() -> Self {
        Self {
            pool: PoolSource::Bundle,
            pool_size: None,
            share_files: false,
            k_fast: true,
        }
    }
}

impl Form {
    /// Returns the options with which a tree compiles to a bundle of this form for a target.
    #[must_use]
    pub fn options(&self, nodes: &[Node], target: &Target) -> BundleOptions {
        BundleOptions {
            pool: self.pool,
            pool_size: self.pool_size.unwrap_or_else(|| pool_size(nodes)),
            share_files: self.share_files,
            plan: PlanOptions {
                max_cores: target.cores,
                k_fast: self.k_fast,
                ..PlanOptions::default()
            },
            ..BundleOptions::default()
        }
    }
}

/// The reason why a tree has no form in a module.
#[derive(Debug, Error)]
pub(super) enum TreeError {
    /// The count of a loop has no form.
    #[error(transparent)]
    Loop(#[from] LoopError),
    /// A loop has no operations.
    #[error("LoopSpec(count={count}) runs only operations that the front end could not express")]
    EmptyLoop {
        /// The count of the loop.
        count: String,
    },
}

/// Returns the OpSpecs of a tree in file order, under distinct names: `sdsc_0` and so on.
///
/// # Errors
/// A loop without operations, or with a count of another form.
pub(super) fn named<'s>(nodes: &'s [Node], form: &Form) -> Result<Vec<NamedOpSpec<'s>>, TreeError> {
    let mut specs = Vec::new();
    collect(nodes, form, &mut Vec::new(), &mut specs)?;
    Ok(specs)
}

fn collect<'s>(
    nodes: &'s [Node],
    form: &Form,
    loops: &mut Vec<u64>,
    specs: &mut Vec<NamedOpSpec<'s>>,
) -> Result<(), TreeError> {
    for node in nodes {
        match node {
            Node::Op(spec) => specs.push(NamedOpSpec {
                name: format!("sdsc_{}", specs.len()),
                spec,
                loops: loops.clone(),
                is_in_order: !form.k_fast && splits_k(spec),
            }),
            Node::Loop(spec) => {
                let before = specs.len();
                loops.push(spec.most_iterations()?);
                collect(&spec.body, form, loops, specs)?;
                loops.pop();
                if specs.len() == before {
                    return Err(TreeError::EmptyLoop {
                        count: spec.count.to_string(),
                    });
                }
            }
            // The front end has warned that the operation is not implemented.
            Node::Unimplemented { .. } => {}
        }
    }
    Ok(())
}

/// Returns whether an operation depends on the place of the reduction in the numbering of cores.
#[must_use]
pub fn splits_k(spec: &OpSpec) -> bool {
    OpClass::of_spec(&spec.op, spec.is_reduction) == OpClass::Matmul
        && spec
            .iteration_space
            .last()
            .is_some_and(|dim| dim.slices > 1)
}
