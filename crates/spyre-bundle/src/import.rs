//! Modules of trees of OpSpecs.
//!
//! [`read`] reads a tree, and [`module`] makes the module that holds its bundle: one `sdscbundle.op_spec` per operation, and the
//! function. The module is read back, and rejected unless it compiles to the same files as the tree. [`bundle`]
//! compiles a tree directly, without passes and without the function.

use std::str::{self, Utf8Error};

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use spyre_analysis::target::target_of;
use spyre_conversion::to_sdscbundle::{Form, Tree, build, op_specs};
use spyre_dialects::op_spec;
use spyre_files::excerpt;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{At, Op};
use spyre_sdsc::bundle::PoolSource;
use spyre_sdsc::source::{LeftOut, OpPlace, Position, Source, json, pool_size, python};
use spyre_sdsc::{Bundle, Bytes, Node, compile_bundle};
use thiserror::Error;

use crate::read::{check_pool, first_revision, warn_of_unknown};
use crate::{Addresses, extent};

/// The text of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeText<'k> {
    /// Neutral JSON: a list of nodes, or an object that has it under `specs`.
    Json,
    /// A JSON tree of the first revision, unrolled as in that revision: addresses are positions in the host tensor, not
    /// in its layout.
    JsonOfFirstRevision,
    /// The Python source that the front end writes, and the kernel in it if there are several.
    Python(Option<&'k str>),
}

/// The options of a bundle for trees that do not state them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TreeOptions {
    /// The size of the pool. The default, if the tree has none either, is the end of the last tensor in the pool.
    pub pool_size: Option<Bytes>,
    /// Whether operations share a file if theirs would differ in symbols only.
    pub share_files: bool,
}

/// The reason why a tree has no module.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file is no text.
    #[error("error: {name}: {reason}")]
    NotText {
        /// The file.
        name: String,
        /// The reason.
        reason: Utf8Error,
    },
    /// The text is no tree.
    #[error("{}: error: {problem}", at(name, *position))]
    Wrong {
        /// The file.
        name: String,
        /// The place in the text, where it is about one.
        position: Option<Position>,
        /// The reason.
        problem: String,
        /// The line of the place, and a line with a caret below its column.
        excerpt: Option<String>,
    },
    /// A tree has no bundle or no form in a module, or the verifiers reject a module; diagnostics have been emitted.
    #[error("the module is refused")]
    Refused,
}

impl ImportError {
    /// Returns the line of the place and a line with a caret below its column, for people to read after the message.
    #[must_use]
    pub fn excerpt(&self) -> Option<&str> {
        match self {
            Self::Wrong { excerpt, .. } => excerpt.as_deref(),
            Self::NotText { .. } | Self::Refused => None,
        }
    }

    fn not_text(name: &str, err: Utf8Error) -> Self {
        let name = name.to_owned();
        Self::NotText { name, reason: err }
    }

    fn wrong(name: &str, text: &str, position: Option<Position>, problem: String) -> Self {
        // The first place represents the whole file.
        let place = position.filter(|place| (place.line, place.column) != (1, 1));
        Self::Wrong {
            name: name.to_owned(),
            position,
            problem,
            excerpt: place.and_then(|place| excerpt(text, place.line, place.column)),
        }
    }
}

/// Reads a tree from a file that messages call `name`.
///
/// # Errors
/// [`ImportError::NotText`] and [`ImportError::Wrong`]
pub fn read(name: &str, file: &[u8], form: TreeText<'_>) -> Result<Source, ImportError> {
    let text = str::from_utf8(file).map_err(|err| ImportError::not_text(name, err))?;
    let read = match form {
        TreeText::Json => json::read,
        TreeText::JsonOfFirstRevision => json::read_as_first_revision,
        TreeText::Python(kernel) => {
            return python::read(text, kernel)
                .map_err(|err| ImportError::wrong(name, text, Some(err.position), err.problem));
        }
    };
    read(text).map_err(|err| ImportError::wrong(name, text, err.position(), err.to_string()))
}

/// Returns the warning that an operation of the file `name` becomes no file of the bundle.
#[must_use]
pub fn left_out(name: &str, left: &LeftOut) -> String {
    let OpPlace { path, position } = &left.place;
    let at = match position {
        Some(_) => format!("{}: warning", at(name, *position)),
        None => format!("{name}: warning: {path}"),
    };
    let op = left.op.escape_default();
    format!(
        "{at}: '{op}' is an UnimplementedOp, so the bundle does not have it: readers of its result get the \
         previous contents of memory"
    )
}

/// Builds the module of a tree that was read from the file `name`. The dialects of the context have been loaded. Errors
/// are emitted, at their places in the file.
///
/// # Errors
/// [`ImportError::Refused`]
pub fn module<'c>(
    context: &'c Context,
    name: &str,
    source: &Source,
    options: TreeOptions,
) -> Result<Module<'c>, ImportError> {
    let (module, ()) = in_module(context, name, source, options, fill)?;
    Ok(module)
}

/// Compiles the bundle of a tree that was read from the file `name`, as [`module`] and [`crate::bundle`] do. The OpSpecs are built
/// as operations and verified. The function, which has an address for each core and tensor, is not built. The dialects of the
/// context have been loaded. Errors are emitted, at their places in the file.
///
/// # Errors
/// [`ImportError::Refused`]
pub fn bundle(
    context: &Context,
    name: &str,
    source: &Source,
    options: TreeOptions,
    addresses: Addresses,
) -> Result<Bundle, ImportError> {
    let (_, bundle) = in_module(context, name, source, options, |context, module, tree| {
        compile(context, module, tree, addresses)
    })?;
    Ok(bundle)
}

/// Calls `work` to fill an empty module from a tree. Returns the module and the result of `work`; `None` if the
/// verifiers reject the module, which they have explained.
fn in_module<'c, T>(
    context: &'c Context,
    name: &str,
    source: &Source,
    options: TreeOptions,
    work: impl for<'p> FnOnce(
        &'p Context,
        &'p Module<'c>,
        Tree<'_, 'p>,
    ) -> Result<Option<T>, Diagnostic<'p>>,
) -> Result<(Module<'c>, T), ImportError> {
    let form = form(source, options);
    let places = source.places.iter();
    let locations: Vec<Location<'c>> = places
        .map(|place| location(context, name, Some(place)))
        .collect();
    let module = Module::new(location(context, name, None));
    let tree = Tree {
        nodes: &source.nodes,
        locations: &locations,
        form: &form,
    };
    let done = work(context, &module, tree).map_err(Diagnostic::emit);
    let done = done.ok().flatten().ok_or(ImportError::Refused)?;
    Ok((module, done))
}

/// Compiles the bundle of a tree by way of the OpSpecs in an empty module. Returns `None` if the verifiers reject them.
fn compile<'p>(
    context: &'p Context,
    module: &'p Module<'_>,
    tree: Tree<'_, 'p>,
    addresses: Addresses,
) -> Result<Option<Bundle>, Diagnostic<'p>> {
    let root = module.as_operation();
    let here = root.location();
    let bundle = compiled(root, tree)?;
    op_specs(context, At::End(module.body()), here, tree)?;
    if !root.verify() {
        return Ok(None);
    }
    let mut nodes = tree.nodes.to_vec();
    let specs: Vec<Op<'p>> = crate::op_specs(root).collect();
    let mut reader = Reader {
        specs: specs.iter(),
        counts: Vec::new(),
        op_funcs: Vec::new(),
    };
    reader.nodes(&mut nodes)?;
    if tree.form.pool == PoolSource::Bundle {
        check_pool(tree.form.pool_size, pool_size(&nodes))
            .map_err(|reason| Diagnostic::error(here, reason))?;
    }
    let read = Tree {
        nodes: &nodes,
        ..tree
    };
    let again = compiled(root, read)?;
    same(&bundle, &again, here)?;
    warn_of_unknown(&bundle, specs.iter().copied().zip(&reader.op_funcs));
    match addresses {
        Addresses::Symbolic => Ok(Some(again)),
        Addresses::Concrete => compile_bundle(&nodes, &first_revision(tree.form, &nodes))
            .map(Some)
            .map_err(|err| refused(&err, tree.locations, here)),
    }
}

/// Reads the OpSpecs of a tree from the operations of a module, and checks that loops stay inside of their tensors.
struct Reader<'s, 'p> {
    /// The operations, in the order of the tree.
    specs: std::slice::Iter<'s, Op<'p>>,
    /// Largest trip counts of the loops around the current operation, outermost first.
    counts: Vec<u64>,
    /// The OpFuncs of the operations that have been read.
    op_funcs: Vec<String>,
}

impl<'p> Reader<'_, 'p> {
    fn nodes(&mut self, nodes: &mut [Node]) -> Result<(), Diagnostic<'p>> {
        for node in nodes {
            match node {
                Node::Op(spec) => {
                    let op = *self.specs.next().expect("every OpSpec is in the module");
                    let here = |reason: String| Diagnostic::error(op.location(), reason);
                    **spec =
                        op_spec::read(op, &self.counts).map_err(|err| here(err.to_string()))?;
                    extent::check(spec, &self.counts).map_err(here)?;
                    self.op_funcs.push(spec.op.clone());
                }
                Node::Loop(spec) => {
                    let count = spec.most_iterations();
                    self.counts.push(count.expect("a bundle is compiled of it"));
                    self.nodes(&mut spec.body)?;
                    self.counts.pop();
                }
                Node::Unimplemented { .. } => {}
            }
        }
        Ok(())
    }
}

/// Returns the options for the bundle of a tree: the stated ones, completed by the given ones.
fn form(source: &Source, options: TreeOptions) -> Form {
    let stated = &source.options;
    Form {
        pool: if stated.caller_allocates_pool {
            PoolSource::Caller
        } else {
            PoolSource::Bundle
        },
        // The size of a pool that the caller allocates is no part of a bundle.
        pool_size: (stated.pool_size.or(options.pool_size))
            .filter(|_| !stated.caller_allocates_pool),
        share_files: stated.share_files || options.share_files,
        k_fast: !stated.cores_in_order,
    }
}

/// Compiles the bundle of a tree for the card of `module`.
fn compiled<'p>(module: Op<'p>, tree: Tree<'_, 'p>) -> Result<Bundle, Diagnostic<'p>> {
    let target = target_of(module)?.target;
    compile_bundle(tree.nodes, &tree.form.options(tree.nodes, &target))
        .map_err(|err| refused(&err, tree.locations, module.location()))
}

/// Returns the error of a tree, at the operation that it is about or `here`.
fn refused<'p>(
    err: &spyre_sdsc::Error,
    locations: &[Location<'p>],
    here: Location<'p>,
) -> Diagnostic<'p> {
    let at = err.op().and_then(|op| locations.get(op.index)).copied();
    Diagnostic::error(at.unwrap_or(here), err.to_string())
}

/// Builds the bundle in an empty module. Returns `None` if the verifiers reject it.
fn fill<'p>(
    context: &'p Context,
    module: &'p Module<'_>,
    tree: Tree<'_, 'p>,
) -> Result<Option<()>, Diagnostic<'p>> {
    let root = module.as_operation();
    let here = root.location();
    let bundle = compiled(root, tree)?;
    build(context, At::End(module.body()), here, tree, &bundle)?;
    if !root.verify() {
        return Ok(None);
    }
    let Some(function) = crate::bundle_function(root) else {
        return Err(Diagnostic::error(here, "the tree has no function"));
    };
    let again = crate::bundle(root, function, Addresses::Symbolic)?;
    same(&bundle, &again, here)?;
    Ok(Some(()))
}

/// Checks that a tree and its module compile to the same files.
fn same<'p>(tree: &Bundle, module: &Bundle, here: Location<'p>) -> Result<(), Diagnostic<'p>> {
    match difference(tree, module) {
        None => Ok(()),
        Some(file) => {
            let message = format!(
                "the affine form of the tree's expressions gives another {file} than the expressions themselves"
            );
            Err(Diagnostic::error(here, message))
        }
    }
}

/// Returns a place as compilers write it: `file:line:column`, or the file alone.
fn at(name: &str, position: Option<Position>) -> String {
    match position {
        Some(Position { line, column }) => format!("{name}:{line}:{column}"),
        None => name.to_owned(),
    }
}

/// Returns the location of an operation, or that of the file.
fn location<'c>(context: &'c Context, name: &str, place: Option<&OpPlace>) -> Location<'c> {
    let at = |Position { line, column }| Location::new(context, name, line, column);
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
