//! A specification tree to a bundle: one function and one file per operation.
//!
//! [`compile_bundle`] plans every operation, gives its addresses symbols (SDSC bundle specification, section 2.4),
//! and builds the [`Function`], an AST that prints itself as `bundle.mlir` and that an MLIR builder can walk. The
//! form follows the published contract (addresses are symbols, loops are kept and may have runtime bounds), unless
//! [`BundleOptions`] select another revision.

mod arguments;
mod ast;
mod bound;
mod cache;
mod conserved;
mod declare;
mod emit;
mod file;
mod link;
mod names;
mod naming;
mod params;
mod segments;
mod stated;
mod stated_function;
mod symbols;
mod text;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use spyre_plan::Target;

pub use crate::addresses::{AddressMode, SegmentError};
pub use arguments::ArgumentTensor;
pub use ast::{AffineMap, Function, InputArgType, Param, ParamBinding, Stmt, ValueId};
pub use file::SdscFile;
pub use link::{CompiledNode, CompiledOp, link};
pub use params::LaunchParam;
pub use segments::Segments;
pub use stated::complete_bundle;
pub use stated_function::{StatedFunction, StatedParam, StatedSize};
pub use symbols::{OpSymbols, SymbolBase, SymbolId, SymbolKind};

use crate::codegen::{self, Descriptor, EnclosingLoops, PlanOptions};
use crate::error::{Error, OpRef};
use crate::model::{Allocation, Node, OpSpec};
use crate::revision::Revision;
use crate::rule::Finding;
use crate::unroll::unroll;
use crate::validate::contract::{self, Planned};
use crate::validate::{Warning, validate};
use crate::{ArgIndex, Bytes};

/// The largest pool that a bundle can allocate: one segment of the card less its reserved part.
pub const MAX_POOL_SIZE: Bytes = Target::CARD.pool_bytes();

/// The name of the file that holds the function.
pub const MLIR_FILE: &str = "bundle.mlir";

/// Who allocates the memory of pool tensors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PoolSource {
    /// The bundle, with `sdscbundle.device_mem_allocate`.
    #[default]
    Bundle,
    /// The caller, who passes its address as the first parameter.
    Caller,
}

/// Options of [`compile_bundle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundleOptions {
    /// Size of the pool, if there are pool tensors and the bundle allocates it.
    pub pool_size: Bytes,
    /// Who allocates the pool.
    pub pool: PoolSource,
    /// The form of addresses. Numbers need files of the first revision, see [`PlanOptions::revision`].
    pub addresses: AddressMode,
    /// Planning of single operations.
    pub plan: PlanOptions,
    /// Share one file between operations that differ in symbol identifiers only
    /// (SDSC bundle specification, section 2.10).
    pub share_files: bool,
}

impl Default for BundleOptions {
    fn default() -> Self {
        Self {
            pool_size: Bytes::ZERO,
            pool: PoolSource::default(),
            addresses: AddressMode::default(),
            plan: PlanOptions::default(),
            share_files: false,
        }
    }
}

impl BundleOptions {
    /// Returns the default options of a revision, with addresses as symbols.
    pub fn of_revision(revision: Revision) -> Self {
        Self {
            plan: PlanOptions::of_revision(revision),
            share_files: revision.shares_files(),
            ..Self::default()
        }
    }

    /// The options of the first revision: addresses as numbers, loops unrolled.
    pub fn first_revision() -> Self {
        Self {
            addresses: AddressMode::Concrete,
            ..Self::of_revision(Revision::R1)
        }
    }

    /// The form of the files.
    const fn revision(&self) -> Revision {
        self.plan.revision
    }
}

/// A compiled bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    function: Function,
    files: Vec<SdscFile>,
    warnings: Vec<Warning>,
    findings: Vec<Finding>,
    arguments: BTreeMap<ArgIndex, ArgumentTensor>,
    pool_size: Bytes,
}

/// Compiles a specification tree. Time and memory are linear in the number of operations.
///
/// # Errors
/// The first node that breaks a rule, or that cannot be expressed. See [`Error`].
pub fn compile_bundle(nodes: &[Node], options: &BundleOptions) -> Result<Bundle, Error> {
    let revision = options.revision();
    let concrete = options.addresses == AddressMode::Concrete;
    if concrete && !revision.has_concrete_addresses() {
        return Err(Error::AddressMode {
            addresses: options.addresses,
            revision,
        });
    }
    let warnings = validate(nodes)?;
    let plan = if concrete {
        let nodes = unroll(nodes, &options.plan)?;
        let segments = Segments::new(has_pool(&nodes));
        tree::plan(&nodes, options, Some(segments))?
    } else {
        tree::plan(nodes, options, None)?
    };
    let function = emit::emit(&plan, options)?;
    let bundle = Bundle {
        function,
        files: plan.files,
        warnings,
        findings: plan.findings,
        arguments: arguments::arguments(nodes)?,
        pool_size: options.pool_size,
    };
    conserved::check(nodes, &bundle)?;
    Ok(bundle)
}

/// The function of a tree with the meaning of some symbols replaced: `replace` is called with the position of the
/// operation's file and the position of the symbol.
pub(crate) fn relink(
    nodes: &[Node],
    options: &BundleOptions,
    replace: impl Fn(usize, usize, &SymbolKind) -> Option<SymbolKind>,
) -> Result<Function, Error> {
    let mut plan = tree::plan(nodes, options, None)?;
    for op in &mut plan.ops {
        let file = op.file;
        Arc::make_mut(&mut op.symbols).replace(|position, kind| replace(file, position, kind));
    }
    emit::emit(&plan, options)
}

/// Compiles one operation by itself: file number `number`, with identifiers from `base` on.
///
/// # Errors
/// Operations that [`codegen::plan`] refuses.
pub fn compile_op(
    op: &OpSpec,
    number: usize,
    base: SymbolBase,
    loops: EnclosingLoops,
    options: &PlanOptions,
) -> Result<SdscFile, Error> {
    let descriptor = codegen::plan(op, number, loops, options)?;
    check_contract(op, number, &descriptor, &[], options)?;
    Ok(SdscFile::with_symbols(
        descriptor,
        number,
        base,
        options.revision,
    ))
}

/// Returns the waived rules of the contract that a planned operation breaks. `trips` are the trip counts of the loops
/// around it, outermost first.
///
/// # Errors
/// The first rule that is broken and not waived.
fn check_contract(
    op: &OpSpec,
    index: usize,
    descriptor: &Descriptor,
    trips: &[u64],
    options: &PlanOptions,
) -> Result<Vec<Finding>, Error> {
    if !options.revision.obeys_contract() {
        return Ok(Vec::new());
    }
    let at = OpRef {
        name: op.op.clone(),
        index,
    };
    let mut waived = Vec::new();
    let planned = Planned {
        op,
        descriptor,
        trips,
    };
    for finding in contract::findings(planned, &at) {
        if !options.waived.contains(finding.rule) {
            return Err(Box::new(finding).into());
        }
        waived.push(finding);
    }
    Ok(waived)
}

/// True if any operation of a tree has a tensor in the pool.
fn has_pool(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Op(op) => op
            .args
            .iter()
            .any(|arg| matches!(arg.allocation, Allocation::HbmPool { .. })),
        Node::Loop(spec) => has_pool(&spec.body),
        Node::Unimplemented { .. } => false,
    })
}

impl Bundle {
    /// The function, for building MLIR.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The files of the operations, by number.
    pub fn sdsc_files(&self) -> &[SdscFile] {
        &self.files
    }

    /// Returns the warnings.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns the rules of the contract that operations break although [`PlanOptions::waived`] names them.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the parameters that the launcher passes, in order: one entry per parameter of the function. If addresses
    /// are numbers, the function has no parameters; the launcher then binds segments, the pool first and then every
    /// kernel argument in order (SDSC bundle specification, section 2.8).
    pub fn launch_params(&self) -> Vec<LaunchParam> {
        self.bindings()
            .iter()
            .map(LaunchParam::from_binding)
            .collect()
    }

    fn bindings(&self) -> Vec<ParamBinding> {
        if self.function.addresses == AddressMode::Symbolic {
            let params = self.function.params.iter();
            return params.map(|param| param.binding.clone()).collect();
        }
        let tensors = self.files.iter().flat_map(|file| &file.descriptor.tensors);
        let bound: BTreeSet<Option<ArgIndex>> = tensors
            .filter(|tensor| !tensor.allocation.is_lx())
            .map(|tensor| tensor.allocation.arg_index())
            .collect();
        // The pool, which is no argument, sorts first.
        let binding = |arg: Option<ArgIndex>| arg.map_or(ParamBinding::Pool, ParamBinding::Kernel);
        bound.into_iter().map(binding).collect()
    }

    /// Writes [`launch_params`](Self::launch_params) as JSON: a list of objects with the fields
    /// of [`LaunchParam`], and the memory that each needs: `tensor`, an [`ArgumentTensor`], for a kernel argument, and
    /// `bytes` for the pool. It is not among the [`files`](Self::files), which the backend reads.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn write_launch_params(&self, writer: impl Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct Described<'a> {
            #[serde(flatten)]
            param: LaunchParam,
            #[serde(skip_serializing_if = "Option::is_none")]
            bytes: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            tensor: Option<&'a ArgumentTensor>,
        }
        let described = |binding: &ParamBinding| Described {
            param: LaunchParam::from_binding(binding),
            bytes: (*binding == ParamBinding::Pool).then_some(self.pool_size.get()),
            tensor: match binding {
                ParamBinding::Kernel(arg) => {
                    let tensor = self.arguments.get(arg);
                    Some(tensor.expect("a kernel argument that is bound is that of an operand"))
                }
                _ => None,
            },
        };
        let params: Vec<_> = self.bindings().iter().map(described).collect();
        serde_json::to_writer_pretty(writer, &params).map_err(io::Error::from)
    }

    /// The contents of `bundle.mlir`.
    pub fn mlir_text(&self) -> String {
        self.function.to_string()
    }

    /// Every file as name and contents, `bundle.mlir` first. Contents are built one at a time.
    ///
    /// # Errors
    /// An item fails if its contents cannot be serialised.
    pub fn files(&self) -> impl Iterator<Item = (String, io::Result<Vec<u8>>)> {
        let mlir =
            std::iter::once_with(|| (MLIR_FILE.to_owned(), Ok(self.mlir_text().into_bytes())));
        mlir.chain(self.files.iter().map(|file| {
            let mut contents = Vec::new();
            let written = file.write_to(&mut contents);
            (file.name(), written.map(|()| contents))
        }))
    }

    /// Writes every file into an existing directory. The files of the operations are written first, so that a
    /// directory with a `bundle.mlir` is complete.
    ///
    /// # Errors
    /// The errors of the file system.
    pub fn write_to_dir(&self, directory: &Path) -> io::Result<()> {
        for file in &self.files {
            let mut writer = BufWriter::new(File::create(directory.join(file.name()))?);
            file.write_to(&mut writer)?;
            writer.flush()?;
        }
        let mut writer = BufWriter::new(File::create(directory.join(MLIR_FILE))?);
        write!(writer, "{}", self.function)?;
        writer.flush()
    }
}
