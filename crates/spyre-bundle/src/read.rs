//! From a module that holds a bundle to the bundle's files.
//!
//! The IR is authoritative. The `sdscbundle.op_spec` symbols define the files, and `@sdsc_bundle` is printed as it is,
//! so that passes may change it. [`crate::function`] reads the function, [`complete_bundle`] checks that it binds the
//! operands that the operations need, and [`crate::extent`] that its loops stay inside the tensors.

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::target::target_of;
use spyre_analysis::walk::device_ops;
use spyre_conversion::to_sdscbundle::{Form, splits_k};
use spyre_dialects::bundle::{ALLOCATE, EXECUTE, EXTRACT, USES};
use spyre_dialects::op_spec::{self, ReadError, SIZE};
use spyre_dialects::{attr, input_arg};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Source};
use spyre_sdsc::bundle::{PoolSource, complete_bundle};
use spyre_sdsc::codegen::{PlanOptions, state_core_slices};
use spyre_sdsc::model::{DimBounds, DimSource};
use spyre_sdsc::source::{SourceOptions, pool_size};
use spyre_sdsc::validate::Warning;
use spyre_sdsc::{
    Bundle, BundleOptions, Bytes, LoopSpec, Node, OpSpec, Revision, Symbol, compile_bundle,
};

use crate::function::stated;
use crate::{Addresses, extent};

/// The bundle of a module. [`Addresses::Concrete`] is the first revision of the format, which has no addresses in its function;
/// the function is checked nevertheless.
///
/// # Errors
/// The module's bundle contradicts itself, or has no form in files.
pub fn bundle<'p>(
    module: Op<'p>,
    function: Op<'p>,
    addresses: Addresses,
) -> Result<Bundle, Diagnostic<'p>> {
    let (nodes, form, bundle) = read(module, function)?;
    if addresses == Addresses::Symbolic {
        return Ok(bundle);
    }
    compile_bundle(&nodes, &first_revision(&form, &nodes))
        .map_err(|err| Diagnostic::error(function.location(), err.to_string()))
}

/// Returns the options of a bundle with addresses as numbers in the files.
pub(crate) fn first_revision(form: &Form, nodes: &[Node]) -> BundleOptions {
    let first = BundleOptions::first_revision();
    BundleOptions {
        pool_size: form.pool_size.unwrap_or_else(|| pool_size(nodes)),
        pool: form.pool,
        plan: PlanOptions {
            // The card reads numbers alike, wherever addresses are.
            numbers: Some(Revision::V1),
            ..first.plan
        },
        ..first
    }
}

/// The tree of a module's bundle, and the options for the bundle's files. Every specification of the tree states the
/// slices of each core, as the current front end expects (contract, K69).
///
/// # Errors
/// The errors of [`bundle`].
pub fn source<'p>(
    module: Op<'p>,
    function: Op<'p>,
) -> Result<(Vec<Node>, SourceOptions), Diagnostic<'p>> {
    let (mut nodes, form, _) = read(module, function)?;
    let options = form.options(&nodes, &target_of(module)?.target);
    state_core_slices(&mut nodes, &options.plan)
        .map_err(|err| Diagnostic::error(function.location(), err.to_string()))?;
    let options = SourceOptions {
        // A pool that ends where its last tensor does needs no words.
        pool_size: form.pool_size.filter(|size| *size != pool_size(&nodes)),
        caller_allocates_pool: form.pool == PoolSource::Caller,
        share_files: form.share_files,
        cores_in_order: !form.k_fast,
    };
    Ok((nodes, options))
}

/// The tree of a module's bundle, the options of the function, and the bundle, which the function agrees with.
fn read<'p>(module: Op<'p>, function: Op<'p>) -> Result<(Vec<Node>, Form, Bundle), Diagnostic<'p>> {
    check_alone(module, function)?;
    let body = ir::function_body(function).ok_or_else(|| {
        Diagnostic::error(function.location(), "bundle function must have one block")
    })?;
    let mut reader = Reader {
        specs: FxHashMap::default(),
        function,
        entry: body,
        executes: Vec::new(),
        counts: Vec::new(),
        pool: None,
    };
    for op in crate::op_specs(module) {
        reader.specs.insert(symbol(op), op);
    }
    let mut nodes = reader.block(body)?;
    reader.check_used(module)?;
    name_sizes(&mut nodes, &reader.sizes()?);
    let form = reader.form(&nodes)?;
    let stated = stated(function, body)?;
    let options = form.options(&nodes, &target_of(module)?.target);
    let bundle = complete_bundle(&nodes, stated, &options).map_err(|err| {
        let at = err
            .op()
            .and_then(|op| reader.executes.get(op.index))
            .map_or(function, |execute| execute.op);
        Diagnostic::error(at.location(), err.to_string())
    })?;
    // An OpSpec may run several times.
    let mut seen = FxHashSet::default();
    let specs = reader.executes.iter();
    let specs = specs.filter(|execute| seen.insert(&execute.spec));
    warn_of_unknown(&bundle, specs.map(|execute| (execute.at, &execute.op_func)));
    Ok((nodes, form, bundle))
}

/// Checks that the pool that a bundle allocates is as large as its operations need.
pub(crate) fn check_pool(allocated: Option<Bytes>, needed: Bytes) -> Result<(), String> {
    match allocated.filter(|size| *size < needed) {
        None => Ok(()),
        Some(size) => Err(format!(
            "bundle function has a pool of {} bytes, but its OpSpecs need {}",
            size.get(),
            needed.get()
        )),
    }
}

/// Warns of each OpSpec with an OpFunc that the backend is not known to have. The OpSpecs of the bundle come with their
/// OpFuncs.
pub(crate) fn warn_of_unknown<'s, 'p>(
    bundle: &Bundle,
    specs: impl Iterator<Item = (Op<'p>, &'s String)>,
) {
    let warnings = bundle.warnings().iter();
    let unknown: FxHashMap<&str, &Warning> =
        warnings.map(|warning| (warning.op(), warning)).collect();
    for (spec, op_func) in specs {
        if let Some(warning) = unknown.get(op_func.as_str()) {
            Diagnostic::warning(spec.location(), warning.to_string()).emit();
        }
    }
}

fn refused<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), message.to_string())
}

/// A module with a bundle has no other program, which would be left out.
fn check_alone<'p>(module: Op<'p>, bundle: Op<'p>) -> Result<(), Diagnostic<'p>> {
    let functions = ir::body(module)
        .into_iter()
        .flat_map(ir::operations)
        .filter(|op| *op != bundle);
    for other in functions {
        let Some(body) = ir::function_body(other) else {
            continue;
        };
        if let Some(device) = device_ops(body).first() {
            let message = "is not part of the bundle that the module already holds";
            return Err(Diagnostic::error(device.op().location(), message)
                .note(bundle.location(), "the bundle is here"));
        }
    }
    Ok(())
}

/// Returns the name of an OpSpec.
fn symbol(op: Op<'_>) -> String {
    let symbol = ir::attribute(op, "sym_name").and_then(attr::string);
    symbol.expect("the verifier wants a name")
}

/// A runtime size that bounds loops.
#[derive(Clone)]
struct LoopSize {
    name: Symbol,
    bounds: DimBounds,
    /// The dimension of an argument in which the launcher finds it.
    source: DimSource,
}

/// Names the sizes of a bundle's parameters in their order. Parameters are in the order in which loops name their sizes, and a loop may
/// name more than it needs.
fn name_sizes(nodes: &mut [Node], sizes: &[LoopSize]) {
    let first = nodes.iter_mut().find_map(|node| match node {
        Node::Loop(spec) => Some(spec),
        Node::Op(_) | Node::Unimplemented { .. } => None,
    });
    if let Some(spec) = first {
        let sizes = || sizes.iter().cloned();
        spec.count_symbol_bounds = sizes().map(|size| (size.name, size.bounds)).collect();
        spec.count_symbol_sources = sizes().map(|size| (size.name, size.source)).collect();
    }
}

/// An execute and its operation.
struct Execute<'p> {
    op: Op<'p>,
    /// The OpSpec.
    at: Op<'p>,
    /// Name of its OpSpec.
    spec: String,
    /// The OpFunc.
    op_func: String,
    /// Whether the cores are numbered in order; `None` if the order has no effect on the operation.
    is_in_order: Option<bool>,
    /// Name of its file, without `.json`.
    stem: String,
}

struct Reader<'p> {
    specs: FxHashMap<String, Op<'p>>,
    function: Op<'p>,
    /// The function's block.
    entry: Blk<'p>,
    /// In order of the text, which is the order of the files.
    executes: Vec<Execute<'p>>,
    /// Largest trip counts of the loops around the current operation, outermost first.
    counts: Vec<u64>,
    /// Bytes that the function allocates.
    pool: Option<u64>,
}

impl<'p> Reader<'p> {
    fn block(&mut self, block: Blk<'p>) -> Result<Vec<Node>, Diagnostic<'p>> {
        let mut tree = Vec::new();
        for op in ir::operations(block) {
            match ir::kind(op) {
                OpKind::For => {
                    let mut spec = self.trips(op)?;
                    let count = spec.most_iterations().map_err(|err| refused(op, err))?;
                    let body = ir::body(op)
                        .ok_or_else(|| Diagnostic::error(op.location(), "loop has no body"))?;
                    self.counts.push(count);
                    spec.body = self.block(body)?;
                    self.counts.pop();
                    // The format has no loop without operations.
                    if !spec.body.is_empty() {
                        tree.push(Node::from(spec));
                    }
                }
                OpKind::Yield
                | OpKind::Return
                | OpKind::ConstantIndex
                | OpKind::AddIndex
                | OpKind::AffineApply => {}
                _ => match ir::name(op) {
                    EXECUTE => tree.push(Node::from(self.execute(op)?)),
                    ALLOCATE => {
                        if self.pool.is_some() {
                            return Err(Diagnostic::error(
                                op.location(),
                                "allocates memory again: all that a bundle allocates is one pool",
                            ));
                        }
                        self.pool = Some(crate::allocated(op));
                    }
                    EXTRACT => {}
                    other => {
                        return Err(Diagnostic::error(
                            op.location(),
                            format!("{other} has no form in a bundle"),
                        ));
                    }
                },
            }
        }
        Ok(tree)
    }

    /// Checks that every OpSpec is executed, since an unused one would be missing in the files.
    fn check_used(&self, module: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let run: FxHashSet<&str> = self.executes.iter().map(|e| e.spec.as_str()).collect();
        for op in crate::op_specs(module) {
            let spec = symbol(op);
            if !run.contains(spec.as_str()) {
                return Err(Diagnostic::error(
                    op.location(),
                    format!("the bundle does not run OpSpec @{spec}"),
                ));
            }
        }
        Ok(())
    }

    /// The OpSpec of an execute. Files are numbered in the order of the text.
    fn execute(&mut self, op: Op<'p>) -> Result<OpSpec, Diagnostic<'p>> {
        let file = crate::file(op);
        let stem = file.strip_suffix(".json");
        let stem = stem.expect("the verifier wants a JSON file").to_owned();
        let named = ir::attribute(op, USES);
        let is_named = named.is_some();
        let name = match named.map(attr::flat_symbol) {
            None => stem.clone(),
            Some(Some(name)) => name,
            Some(None) => {
                let message = format!("'{USES}' must be the name of an OpSpec");
                return Err(Diagnostic::error(op.location(), message));
            }
        };
        let Some(at) = self.specs.get(&name).copied() else {
            return Err(Diagnostic::error(
                op.location(),
                format!(
                    "runs '{file}', but the module has no sdscbundle.op_spec @{name} to write it from"
                ),
            ));
        };
        // Where operations share files, the number of the file is known after compilation only.
        let expected = format!("sdsc_{}", self.executes.len());
        let shares = is_named || self.executes.iter().any(|e| e.stem != e.spec);
        if stem != expected && !shares {
            let message = format!(
                "runs '{file}', but is operation {} of the bundle, whose file is {expected}.json",
                self.executes.len()
            );
            return Err(
                Diagnostic::error(op.location(), message).note(at.location(), "the OpSpec is here")
            );
        }
        let here = |reason: String| {
            Diagnostic::error(op.location(), reason).note(at.location(), "the OpSpec is here")
        };
        let spec = op_spec::read(at, &self.counts).map_err(|err| match err {
            ReadError::NotHeld => refused(at, err),
            ReadError::OtherLoops { .. } | ReadError::Advance(_) => here(err.to_string()),
        })?;
        extent::check(&spec, &self.counts).map_err(here)?;
        let is_in_order = op_spec::is_in_order(at);
        self.executes.push(Execute {
            op,
            at,
            spec: name,
            op_func: spec.op.clone(),
            is_in_order: (is_in_order || splits_k(&spec)).then_some(is_in_order),
            stem,
        });
        Ok(spec)
    }

    /// Returns the runtime size that a parameter is, if it bounds loops.
    fn size(&self, parameter: usize) -> Option<LoopSize> {
        let size =
            ir::argument_attribute(self.function, parameter, SIZE).and_then(op_spec::size)?;
        let argument = self.entry.argument(parameter);
        let argument = argument.expect("the function has the parameter");
        let bounds = input_arg::bounds(argument.r#type())?;
        let positive =
            |bound: i64| u64::try_from(bound).expect("the verifier wants positive bounds");
        Some(LoopSize {
            name: size.symbol,
            bounds: DimBounds {
                max: positive(bounds.max_value),
                granularity: positive(bounds.granularity),
            },
            source: size.source?,
        })
    }

    /// The parameters that bound loops.
    fn sizes(&self) -> Result<Vec<LoopSize>, Diagnostic<'p>> {
        let sizes = (0..self.entry.argument_count()).filter_map(|parameter| self.size(parameter));
        let sizes: Vec<LoopSize> = sizes.collect();
        let mut seen = FxHashSet::default();
        match sizes.iter().find(|size| !seen.insert(&size.name)) {
            Some(size) => Err(Diagnostic::error(
                self.function.location(),
                format!(
                    "two parameters are the runtime size '{}' of loops",
                    size.name
                ),
            )),
            None => Ok(sizes),
        }
    }

    /// A loop without its body: from 0 by 1 to a constant, or by a constant to a runtime size.
    fn trips(&self, op: Op<'p>) -> Result<LoopSpec, Diagnostic<'p>> {
        let bound = |operand: usize| ir::constant_operand(op, operand);
        let size = || {
            let producer = ir::defining_op(op.operand(1).ok()?)
                .filter(|producer| ir::name(*producer) == EXTRACT)?;
            match ir::source(producer.operand(0).ok()?) {
                Source::Argument(block, parameter) if block == self.entry => self.size(parameter),
                _ => None,
            }
        };
        match (bound(0), bound(1), bound(2)) {
            (Some(0), Some(count), Some(1)) if count > 0 => {
                return Ok(LoopSpec::new(count, Vec::new()));
            }
            (Some(0), None, Some(step)) if step > 0 => {
                if let Some(LoopSize {
                    name,
                    bounds,
                    source,
                }) = size()
                {
                    let body = Vec::new();
                    return Ok(LoopSpec::over_runtime_size(
                        name, step, bounds, source, body,
                    ));
                }
            }
            _ => {}
        }
        let show = |bound: Option<i64>| bound.map_or("?".to_owned(), |bound| bound.to_string());
        let message = format!(
            "loop of a bundle must count from 0 by 1 to a positive constant, got {} to {} by {}; a runtime bound is a \
             parameter that has bounds and, in '{SIZE}', its source",
            show(bound(0)),
            show(bound(1)),
            show(bound(2))
        );
        Err(Diagnostic::error(op.location(), message))
    }

    /// Reads the options of the bundle.
    fn form(&self, nodes: &[Node]) -> Result<Form, Diagnostic<'p>> {
        let needed = pool_size(nodes);
        check_pool(self.pool.map(Bytes), needed)
            .map_err(|reason| Diagnostic::error(self.function.location(), reason))?;
        let mut files = FxHashSet::default();
        let share_files = !self.executes.iter().all(|e| files.insert(&e.stem));
        Ok(Form {
            pool: if self.pool.is_none() && needed.get() > 0 {
                PoolSource::Caller
            } else {
                PoolSource::Bundle
            },
            pool_size: self.pool.map(Bytes),
            share_files,
            k_fast: self.k_fast()?,
        })
    }

    /// Whether the split reduced dimension is the fastest digit of core numbers. All operations with such a dimension
    /// have to agree.
    fn k_fast(&self) -> Result<bool, Diagnostic<'p>> {
        let mut first: Option<(bool, Op<'p>)> = None;
        for execute in &self.executes {
            let Some(is_in_order) = execute.is_in_order else {
                continue;
            };
            let (first_is_in_order, at) = first.get_or_insert((is_in_order, execute.at));
            if *first_is_in_order != is_in_order {
                let message = "'in_order' must be the same for all operations of a bundle";
                return Err(Diagnostic::error(execute.at.location(), message)
                    .note(at.location(), "another OpSpec is here"));
            }
        }
        Ok(first.is_none_or(|(is_in_order, _)| !is_in_order))
    }
}
