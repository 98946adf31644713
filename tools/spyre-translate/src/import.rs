//! `--import-opspec`, `--import-opspec-py`: trees of OpSpecs that another front end has made, as modules.

use clap::{Args, ValueEnum};
use melior::ir::operation::OperationLike;
use spyre_bundle::import::{self, ImportError, TreeOptions, TreeText};
use spyre_mlir_rt::diagnostic::print_places;
use spyre_sdsc::Bytes;

use crate::io::{Done, Failure, Io, succeeded};

/// Options of the importers.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Trees of OpSpecs")]
pub(crate) struct ImportOptions {
    /// Print the module of a tree of OpSpecs in neutral JSON: a list of nodes, or an object that has it under `specs`.
    #[arg(long, group = "translation")]
    import_opspec: bool,

    /// Print the module of a kernel in the Python source that the front end writes.
    #[arg(long, group = "translation")]
    import_opspec_py: bool,

    /// With --import-opspec, unroll a tree of the first revision as that revision did, with the addresses of the host
    /// tensor instead of those of its layout. Only for comparison with its data.
    #[arg(
        long,
        value_name = "REVISION",
        requires = "import_opspec",
        conflicts_with = "spyre_to_bundle"
    )]
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
}

/// A revision of the reference whose trees differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TreeRevision {
    /// The first.
    R1,
}

impl ImportOptions {
    /// Prints the module of a tree if that is asked for. Returns whether it succeeds.
    pub(crate) fn run(&self, io: Io<'_>) -> Option<bool> {
        let is_given = self.import_opspec || self.import_opspec_py;
        is_given.then(|| succeeded(self.import(io)))
    }

    fn import(&self, io: Io<'_>) -> Done {
        io.context.load_all_available_dialects();
        print_places(io.context);
        let form = match (self.import_opspec_py, self.revision) {
            (true, _) => TreeText::Python(self.kernel.as_deref()),
            (false, Some(TreeRevision::R1)) => TreeText::JsonOfFirstRevision,
            (false, None) => TreeText::Json,
        };
        let source = import::read(io.name(), &io.read()?, form).map_err(refused)?;
        for left in &source.left_out {
            eprintln!("{}", import::left_out(io.name(), left));
        }
        let options = TreeOptions {
            pool_size: self.pool_size.map(Bytes),
            share_files: self.share_files,
        };
        let module = import::module(io.context, io.name(), &source, options).map_err(refused)?;
        io.write_module(module.as_operation())
    }
}

fn refused(why: ImportError) -> Failure {
    match why {
        ImportError::Refused => Failure::Printed,
        why => Failure::Message(why.to_string()),
    }
}
