//! `--import-opspec`, `--opspec-to-bundle`, `--export-opspec`, `--bundle-to-opspec` and the same with `-py`: trees of
//! OpSpecs, as modules, as bundles and back.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use spyre_bundle::export::{python_source, tree};
use spyre_bundle::import::{self, ImportError, TreeOptions, TreeText};
use spyre_bundle_files::{Bundles, Directory};
use spyre_exec::bundle::op_specs;
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::messages;
use spyre_sdsc::source::{Source, SourceOptions, json};
use spyre_sdsc::{Bytes, Node};

use crate::bundle::BundleOptions;
use crate::io::{Done, Failure, Io, succeeded};

/// Options of the translations of trees.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Trees of OpSpecs")]
pub(crate) struct OpSpecOptions {
    /// Print the module of a tree of OpSpecs in neutral JSON: a list of nodes, or an object that has it under `specs`.
    #[arg(long, group = "translation")]
    import_opspec: bool,

    /// Print the module of a kernel in the Python source that the front end writes.
    #[arg(long, group = "translation")]
    import_opspec_py: bool,

    /// Write the bundle of such a tree directly, without passes: the files of --import-opspec and --spyre-to-bundle.
    #[arg(long, group = "translation")]
    opspec_to_bundle: bool,

    /// The same for a kernel in Python source.
    #[arg(long, group = "translation")]
    opspec_py_to_bundle: bool,

    /// With neutral JSON, unroll a tree of the first revision as that revision did, with addresses in the host tensor
    /// instead of its layout. Only for comparison with its data.
    #[arg(long, value_name = "REVISION")]
    revision: Option<TreeRevision>,

    /// With Python source, the kernel to read, if the file has several.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,

    /// With a tree, the size of the pool, if the tree does not state it. Up to the end of the last tensor in the pool
    /// by default.
    #[arg(long, value_name = "BYTES")]
    pool_size: Option<u64>,

    /// With a tree, let operations share a file if theirs would differ in symbols only.
    #[arg(long)]
    share_files: bool,

    /// Print the tree of OpSpecs of the module's bundle in neutral JSON.
    #[arg(long, group = "translation")]
    export_opspec: bool,

    /// Print the tree of OpSpecs of the module's bundle in the Python source that the front end writes.
    #[arg(long, group = "translation")]
    export_opspec_py: bool,

    /// Print a tree of OpSpecs in neutral JSON that gives the files of the bundle in this directory. It is compiled,
    /// and refused unless its operations, loops and addresses are those of the files.
    #[arg(
        long,
        group = "translation",
        value_name = "DIR",
        conflicts_with = "input"
    )]
    bundle_to_opspec: Option<PathBuf>,

    /// The same in the Python source that the front end writes.
    #[arg(
        long,
        group = "translation",
        value_name = "DIR",
        conflicts_with = "input"
    )]
    bundle_to_opspec_py: Option<PathBuf>,
}

/// A revision of the reference with a different form of trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TreeRevision {
    /// The first.
    R1,
}

impl OpSpecOptions {
    /// Translates a tree if the options request it. Returns whether it succeeds.
    pub(crate) fn run(&self, io: Io<'_>, bundle: &BundleOptions) -> Option<bool> {
        if self.import_opspec || self.import_opspec_py {
            return Some(io.import(|context, name, file| {
                let source = self.read(name, file)?;
                import::module(context, name, &source, self.options())
            }));
        }
        if self.opspec_to_bundle || self.opspec_py_to_bundle {
            return Some(io.with_file(|name, file| {
                let (source, addresses) = (self.read(name, file)?, bundle.addresses());
                let compiled =
                    import::bundle(io.context, name, &source, self.options(), addresses)?;
                bundle.write_files(&compiled, io.directory()?)
            }));
        }
        let directory = self.bundle_to_opspec.as_ref();
        if let Some(directory) = directory.or(self.bundle_to_opspec_py.as_ref()) {
            return Some(succeeded(self.read_back(io, directory)));
        }
        let exports = self.export_opspec || self.export_opspec_py;
        exports.then(|| io.with_module(|module| self.export(io, module)))
    }

    /// Reads a tree and warns of the parts that it leaves out.
    fn read(&self, name: &str, file: &[u8]) -> Result<Source, ImportError> {
        let is_python = self.import_opspec_py || self.opspec_py_to_bundle;
        let form = match (is_python, self.revision) {
            (true, _) => TreeText::Python(self.kernel.as_deref()),
            (false, Some(TreeRevision::R1)) => TreeText::JsonOfFirstRevision,
            (false, None) => TreeText::Json,
        };
        let source = import::read(name, file, form)?;
        for left in &source.left_out {
            messages::print(&import::left_out(name, left));
        }
        Ok(source)
    }

    fn options(&self) -> TreeOptions {
        TreeOptions {
            pool_size: self.pool_size.map(Bytes),
            share_files: self.share_files,
        }
    }

    fn export(&self, io: Io<'_>, module: Op<'_>) -> Done {
        let (nodes, stated) = tree(io.context, module)?;
        write(io, &nodes, &stated, self.export_opspec)
    }

    /// Prints a tree of the files of the bundle in a directory.
    fn read_back(&self, io: Io<'_>, directory: &Path) -> Done {
        Bundles::check_is_one(directory).map_err(Failure::error)?;
        let (nodes, stated) = op_specs(&Directory(directory))
            .map_err(|err| Failure::Message(err.located(directory)))?;
        write(io, &nodes, &stated, self.bundle_to_opspec.is_some())
    }
}

/// Writes a tree, in neutral JSON or in Python source.
fn write(io: Io<'_>, nodes: &[Node], stated: &SourceOptions, is_json: bool) -> Done {
    io.write(match is_json {
        true => json::write(nodes, stated),
        false => python_source(nodes, stated).map_err(Failure::error)?,
    })
}
