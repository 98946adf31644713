//! From a module that holds a bundle to the bundle's files.
//!
//! The loops of `@sdsc_bundle` and the `spyre.op_spec` symbols say what the bundle is; the files are compiled from
//! them. What the function says beyond that, the addresses, must then be what was compiled: [`crate::check`]
//! compares it, and [`crate::extent`] that the loops stay inside the tensors; so a function that was changed by hand or by a pass is never silently replaced.

use std::collections::{HashMap, HashSet};

use melior::Context;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_dialects::op_spec::OpSpec;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};
use spyre_passes::target::target_of;
use spyre_passes::to_sdscbundle::model::{self, Tree};
use spyre_passes::walk::device_ops;
use spyre_sdsc::Bundle;
use spyre_sdsc::validate::Warning;

use crate::{check, extent};

/// Name of the operation that runs a file.
pub const EXECUTE: &str = "sdscbundle.sdsc_execute";
/// Name of the operation that allocates the pool.
pub const ALLOCATE: &str = "sdscbundle.device_mem_allocate";
/// Name of the operation that reads a parameter.
pub const EXTRACT: &str = "sdscbundle.input_arg_extract";

/// The name of an operation.
pub fn name(op: Op<'_>) -> String {
    op.name()
        .as_string_ref()
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// The bundle of a module.
pub fn bundle<'p>(
    context: &'p Context,
    module: Op<'p>,
    function: Op<'p>,
) -> Result<Bundle, Diagnostic<'p>> {
    check_alone(module, function)?;
    let mut reader = Reader {
        specs: HashMap::new(),
        executes: Vec::new(),
        counts: Vec::new(),
    };
    for op in crate::op_specs(module) {
        let spec = OpSpec::read(op).ok_or_else(|| {
            Diagnostic::error(
                op.location(),
                "coordinates must be digits of iteration dimensions",
            )
        })?;
        reader.specs.insert(spec.name.clone(), (op, spec));
    }
    let body = ir::function_body(function).ok_or_else(|| {
        Diagnostic::error(function.location(), "bundle function must have one block")
    })?;
    let tree = reader.block(body)?;
    reader.check_used(module)?;
    let nodes = model::nodes(&tree);
    let bundle = model::compile(&nodes, &target_of(module)?.target).map_err(|why| {
        let at = why
            .op()
            .and_then(|op| reader.executes.get(op.index))
            .map_or(function, |op| *op);
        Diagnostic::error(at.location(), why.to_string())
    })?;
    let unknown: HashSet<&str> = bundle
        .warnings()
        .iter()
        .map(|Warning::UnknownOp { op }| op.as_str())
        .collect();
    let specs =
        (0..reader.executes.len()).filter_map(|number| reader.specs.get(&file_stem(number)));
    for (at, spec) in specs {
        if unknown.contains(spec.op_func.as_str()) {
            let message = format!(
                "'{}' is not an OpFunc that the backend is known to have",
                spec.op_func
            );
            Diagnostic::warning(at.location(), message).emit();
        }
    }
    check::function(context, function, body, bundle.function())?;
    Ok(bundle)
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

struct Reader<'p> {
    specs: HashMap<String, (Op<'p>, OpSpec)>,
    /// In order of the text, which is the order of the files.
    executes: Vec<Op<'p>>,
    /// Trip counts of the loops around the current operation, outermost first.
    counts: Vec<u64>,
}

impl<'p> Reader<'p> {
    fn block(&mut self, block: Blk<'p>) -> Result<Vec<Tree>, Diagnostic<'p>> {
        let mut tree = Vec::new();
        for op in ir::operations(block) {
            match ir::kind(op) {
                OpKind::For => {
                    let count = trip_count(op)?;
                    let body = ir::body(op)
                        .ok_or_else(|| Diagnostic::error(op.location(), "loop has no body"))?;
                    self.counts.push(count);
                    let inner = self.block(body)?;
                    self.counts.pop();
                    // The format has no loop without operations.
                    if !inner.is_empty() {
                        tree.push(Tree::Loop(count, inner));
                    }
                }
                OpKind::Yield
                | OpKind::Return
                | OpKind::ConstantIndex
                | OpKind::AddIndex
                | OpKind::AffineApply => {}
                _ => match name(op).as_str() {
                    EXECUTE => tree.push(Tree::Op(self.execute(op)?)),
                    ALLOCATE | EXTRACT => {}
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

    /// Every OpSpec is run: one that is not would be left out.
    fn check_used(&self, module: Op<'p>) -> Result<(), Diagnostic<'p>> {
        // Executes have been found to run sdsc_0, sdsc_1 ... in order.
        let run: HashSet<String> = (0..self.executes.len()).map(file_stem).collect();
        for op in crate::op_specs(module) {
            let spec = op
                .attribute("sym_name")
                .ok()
                .and_then(attr::string)
                .unwrap_or_default();
            if !run.contains(&spec) {
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
        let file = op
            .attribute("sdsc_filename")
            .ok()
            .and_then(attr::string)
            .unwrap_or_default();
        let stem = file.strip_suffix(".json").unwrap_or(&file);
        let Some((at, spec)) = self.specs.get(stem) else {
            return Err(Diagnostic::error(
                op.location(),
                format!(
                    "runs '{file}', but the module has no spyre.op_spec @{stem} to write it from"
                ),
            ));
        };
        let expected = file_stem(self.executes.len());
        if stem != expected {
            let message = format!(
                "runs '{file}', but is operation {} of the bundle, whose file is {expected}.json",
                self.executes.len()
            );
            return Err(
                Diagnostic::error(op.location(), message).note(at.location(), "the OpSpec is here")
            );
        }
        extent::check(spec, &self.counts).map_err(|why| {
            Diagnostic::error(op.location(), why).note(at.location(), "the OpSpec is here")
        })?;
        self.executes.push(op);
        Ok(spec.clone())
    }
}

/// The name of the file of an operation, without `.json`.
fn file_stem(number: usize) -> String {
    format!("sdsc_{number}")
}

/// The trip count of a loop from 0 by 1 to a constant.
fn trip_count<'p>(op: Op<'p>) -> Result<u64, Diagnostic<'p>> {
    let bound = |operand: usize| {
        let made = ir::defining_op(op.operand(operand).ok()?)?;
        (ir::kind(made) == OpKind::ConstantIndex).then(|| ir::constant_index(made))
    };
    match (bound(0), bound(1), bound(2)) {
        (Some(0), Some(count), Some(1)) if count > 0 => Ok(count.unsigned_abs()),
        (lower, upper, step) => {
            let show = |bound: Option<i64>| bound.map_or("?".to_owned(), |bound| bound.to_string());
            let message = format!(
                "loop of a bundle must count from 0 by 1 to a positive constant, got {} to {} by {}",
                show(lower),
                show(upper),
                show(step)
            );
            Err(Diagnostic::error(op.location(), message))
        }
    }
}
