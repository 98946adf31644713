//! `--import-opspec`, `--export-opspec` and the same with `-py`: trees of OpSpecs, as modules and back.

use clap::{Args, ValueEnum};
use melior::Context;
use melior::ir::Module;
use spyre_bundle::export::{python_source, tree};
use spyre_bundle::import::{self, ImportError, TreeOptions, TreeText};
use spyre_mlir_rt::ir::Op;
use spyre_sdsc::Bytes;
use spyre_sdsc::source::json;

use crate::io::{Done, Failure, Io};

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

    /// With --import-opspec, unroll a tree of the first revision as that revision did, with the addresses of the host
    /// tensor instead of those of its layout. Only for comparison with its data.
    #[arg(long, value_name = "REVISION", requires = "import_opspec", conflicts_with_all = ["spyre_to_bundle"])]
    revision: Option<TreeRevision>,

    /// With --import-opspec-py, the kernel to import, if the file has several.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["import_opspec", "spyre_to_bundle"])]
    kernel: Option<String>,

    /// With an importer, the size of the pool, if the tree does not say it. Up to the end of the last tensor in the pool by
    /// default.
    #[arg(long, value_name = "BYTES", conflicts_with = "spyre_to_bundle")]
    pool_size: Option<u64>,

    /// With an importer, let operations share a file if theirs would differ in symbols only.
    #[arg(long, conflicts_with = "spyre_to_bundle")]
    share_files: bool,

    /// Print the tree of OpSpecs of the module's bundle in neutral JSON.
    #[arg(long, group = "translation")]
    export_opspec: bool,

    /// Print the tree of OpSpecs of the module's bundle in the Python source that the front end writes.
    #[arg(long, group = "translation")]
    export_opspec_py: bool,
}

/// A revision of the reference whose trees differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TreeRevision {
    /// The first.
    R1,
}

impl OpSpecOptions {
    /// Translates a tree if that is asked for. Returns whether it succeeds.
    pub(crate) fn run(&self, io: Io<'_>) -> Option<bool> {
        if self.import_opspec || self.import_opspec_py {
            return Some(io.import(|context, name, file| self.import(context, name, file)));
        }
        let exports = self.export_opspec || self.export_opspec_py;
        exports.then(|| io.with_module(|module| self.export(io, module)))
    }

    fn import<'c>(
        &self,
        context: &'c Context,
        name: &str,
        file: &[u8],
    ) -> Result<Module<'c>, ImportError> {
        let form = match (self.import_opspec_py, self.revision) {
            (true, _) => TreeText::Python(self.kernel.as_deref()),
            (false, Some(TreeRevision::R1)) => TreeText::JsonOfFirstRevision,
            (false, None) => TreeText::Json,
        };
        let source = import::read(name, file, form)?;
        for left in &source.left_out {
            eprintln!("{}", import::left_out(name, left));
        }
        let options = TreeOptions {
            pool_size: self.pool_size.map(Bytes),
            share_files: self.share_files,
        };
        import::module(context, name, &source, options)
    }

    fn export(&self, io: Io<'_>, module: Op<'_>) -> Done {
        let (nodes, stated) = tree(io.context, module)?;
        io.write(match self.export_opspec {
            true => json::write(&nodes, &stated),
            false => python_source(&nodes, &stated).map_err(Failure::error)?,
        })
    }
}
