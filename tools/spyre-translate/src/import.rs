//! `--import-opspec`, `--import-opspec-py`: trees of OpSpecs that another front end has made, as modules.
//!
//! The module holds the bundle: one `sdscbundle.op_spec` per operation, and the function. It is read back, and printed only if
//! it compiles to the same files as the tree.

use std::path::Path;

use clap::{Args, ValueEnum};
use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use spyre_bundle::Addresses;
use spyre_mlir_rt::diagnostic::{Diagnostic, print_places, shortened};
use spyre_mlir_rt::ir::At;
use spyre_passes::target_of;
use spyre_passes::to_sdscbundle::{Form, Tree, build};
use spyre_sdsc::bundle::PoolSource;
use spyre_sdsc::source::{LeftOut, OpPlace, Position, Source, json, python};
use spyre_sdsc::{Bundle, Bytes, compile_bundle};

use crate::module::{self, ModuleOptions, write};

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
    /// Returns whether a tree is to be imported.
    pub(crate) const fn is_given(&self) -> bool {
        self.import_opspec || self.import_opspec_py
    }
}

/// Imports a tree and prints its module. Returns `false` if it cannot; the reason has been printed.
pub(crate) fn run(
    context: &Context,
    input: &str,
    options: &ImportOptions,
    form: ModuleOptions,
    output: Option<&Path>,
) -> bool {
    print_places(context);
    let file = Input {
        name: module::name(input).to_owned(),
    };
    let imported = file
        .source(input, options)
        .inspect(|source| {
            for left in &source.left_out {
                eprintln!("{}", file.left_out(left));
            }
        })
        .and_then(|source| file.module(context, &source, options, form))
        .and_then(|module| write(&module, output).map_err(Some));
    match imported {
        Ok(()) => true,
        Err(message) => {
            if let Some(message) = message {
                eprintln!("{}", shortened(&message));
            }
            false
        }
    }
}

/// A message, or none if it has been printed already.
type Message = Option<String>;

struct Input {
    name: String,
}

impl Input {
    fn source(&self, input: &str, options: &ImportOptions) -> Result<Source, Message> {
        let text = String::from_utf8(module::read(input)?)
            .map_err(|why| format!("error: {}: {why}", self.name))?;
        if options.import_opspec_py {
            return python::read(&text, options.kernel.as_deref())
                .map_err(|why| Some(self.message(Some(why.position), &why.problem)));
        }
        let read = match options.revision {
            Some(TreeRevision::R1) => json::read_as_first_revision,
            None => json::read,
        };
        read(&text).map_err(|why| Some(self.message(why.position(), &why.to_string())))
    }

    /// Returns the warning that an operation becomes no file.
    fn left_out(&self, left: &LeftOut) -> String {
        let name = &self.name;
        let OpPlace { path, position } = &left.place;
        let at = match position {
            Some(Position { line, column }) => format!("{name}:{line}:{column}: warning"),
            None => format!("{name}: warning: {path}"),
        };
        let op = left.op.escape_default();
        format!(
            "{at}: '{op}' is an UnimplementedOp and left out: the bundle does without it, and what reads its result \
             finds what is in memory"
        )
    }

    fn message(&self, position: Option<Position>, problem: &str) -> String {
        let name = &self.name;
        match position {
            Some(Position { line, column }) => format!("{name}:{line}:{column}: error: {problem}"),
            None => format!("{name}: error: {problem}"),
        }
    }

    fn location<'p>(&self, context: &'p Context, place: Option<&OpPlace>) -> Location<'p> {
        let at =
            |position: Position| Location::new(context, &self.name, position.line, position.column);
        let start = Position { line: 1, column: 1 };
        match place {
            None => at(start),
            Some(OpPlace {
                position: Some(position),
                ..
            }) => at(*position),
            Some(OpPlace { path, .. }) => Location::name(context, path, at(start)),
        }
    }

    /// Returns the module as it is written.
    fn module(
        &self,
        context: &Context,
        source: &Source,
        options: &ImportOptions,
        written: ModuleOptions,
    ) -> Result<Vec<u8>, Message> {
        let stated = &source.options;
        let form = Form {
            pool: if stated.caller_allocates_pool {
                PoolSource::Caller
            } else {
                PoolSource::Bundle
            },
            pool_size: stated.pool_size.or(options.pool_size.map(Bytes)),
            share_files: stated.share_files || options.share_files,
            k_fast: !stated.cores_in_order,
        };
        let module = Module::new(self.location(context, None));
        match self.fill(context, &module, source, &form) {
            Ok(true) => Ok(written.bytes(module.as_operation())),
            Ok(false) => Err(None),
            Err(diagnostic) => {
                diagnostic.emit();
                Err(None)
            }
        }
    }

    /// Builds the bundle in an empty module. Returns `false` if the module is refused, which its verifiers have explained.
    fn fill<'p>(
        &self,
        context: &'p Context,
        module: &'p Module<'p>,
        source: &Source,
        form: &Form,
    ) -> Result<bool, Diagnostic<'p>> {
        let root = module.as_operation();
        let here = root.location();
        let locations: Vec<Location<'p>> = source
            .places
            .iter()
            .map(|place| self.location(context, Some(place)))
            .collect();
        let target = target_of(root)?.target;
        let options = form.options(&source.nodes, &target);
        let bundle = compile_bundle(&source.nodes, &options).map_err(|why| {
            let at = why.op().and_then(|op| locations.get(op.index)).copied();
            Diagnostic::error(at.unwrap_or(here), why.to_string())
        })?;
        let tree = Tree {
            nodes: &source.nodes,
            locations: &locations,
            form,
        };
        build(context, At::End(module.body()), here, tree, &bundle)?;
        if !root.verify() {
            return Ok(false);
        }
        let Some(function) = spyre_bundle::bundle_function(root) else {
            return Err(Diagnostic::error(here, "the tree has no function"));
        };
        let again = spyre_bundle::bundle(root, function, Addresses::Symbolic)?;
        match difference(&bundle, &again) {
            None => Ok(true),
            Some(file) => {
                let message = format!(
                    "the affine form of the tree's expressions makes another {file} than the expressions themselves"
                );
                Err(Diagnostic::error(here, message))
            }
        }
    }
}

/// Returns the first file that is different in two bundles; `None` if they are the same.
fn difference(one: &Bundle, other: &Bundle) -> Option<String> {
    if one == other {
        return None;
    }
    if one.sdsc_files().len() != other.sdsc_files().len() {
        return Some("set of files".to_owned());
    }
    let pairs = one.files().zip(other.files());
    pairs
        .into_iter()
        .find_map(|((name, here), (_, there))| match (here, there) {
            (Ok(here), Ok(there)) if here == there => None,
            _ => Some(name),
        })
}
