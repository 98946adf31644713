//! From a module that holds a bundle to the bundle's files.
//!
//! The loops of `@sdsc_bundle` and the `spyre.op_spec` symbols say what the bundle is; the files are compiled from
//! them. What the function says beyond that, the addresses, must then be what was compiled: [`crate::check`]
//! compares it, so a function that was changed by hand or by a pass is never silently replaced.

use std::collections::HashMap;

use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_dialects::op_spec::{OP_SPEC, OpSpec};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};
use spyre_passes::to_sdscbundle::model::{self, Tree};
use spyre_sdsc::Bundle;

use crate::check;

/// Name of the operation that runs a file.
pub const EXECUTE: &str = "sdscbundle.sdsc_execute";

/// The name of an operation.
pub fn name(op: Op<'_>) -> String {
    op.name().as_string_ref().as_str().unwrap_or_default().to_owned()
}

/// The bundle of a module.
pub fn bundle<'p>(module: Op<'p>, function: Op<'p>) -> Result<Bundle, Diagnostic<'p>> {
    let mut reader = Reader { specs: HashMap::new(), executes: Vec::new() };
    if let Some(body) = ir::body(module) {
        for op in ir::operations(body).filter(|op| name(*op) == OP_SPEC) {
            let spec = OpSpec::read(op)
                .ok_or_else(|| Diagnostic::error(op.location(), "coordinates must be digits of iteration dimensions"))?;
            reader.specs.insert(spec.name.clone(), (op, spec));
        }
    }
    let body = ir::function_body(function)
        .ok_or_else(|| Diagnostic::error(function.location(), "bundle function must have one block"))?;
    let tree = reader.block(body)?;
    let nodes = model::nodes(&tree);
    let bundle = model::compile(&nodes).map_err(|why| {
        let at = why.op().and_then(|op| reader.executes.get(op.index)).map_or(function, |op| *op);
        Diagnostic::error(at.location(), why.to_string())
    })?;
    check::function(function, body, bundle.function())?;
    Ok(bundle)
}

struct Reader<'p> {
    specs: HashMap<String, (Op<'p>, OpSpec)>,
    /// In order of the text, which is the order of the files.
    executes: Vec<Op<'p>>,
}

impl<'p> Reader<'p> {
    fn block(&mut self, block: Blk<'p>) -> Result<Vec<Tree>, Diagnostic<'p>> {
        let mut tree = Vec::new();
        for op in ir::operations(block) {
            if ir::kind(op) == OpKind::For {
                let count = trip_count(op)?;
                let body = ir::body(op).ok_or_else(|| Diagnostic::error(op.location(), "loop has no body"))?;
                let inner = self.block(body)?;
                if !inner.is_empty() {
                    tree.push(Tree::Loop(count, inner));
                }
            } else if name(op) == EXECUTE {
                tree.push(Tree::Op(self.execute(op)?));
            }
        }
        Ok(tree)
    }

    /// The OpSpec of an execute. Files are numbered in the order of the text.
    fn execute(&mut self, op: Op<'p>) -> Result<OpSpec, Diagnostic<'p>> {
        let file = op.attribute("sdsc_filename").ok().and_then(attr::string).unwrap_or_default();
        let stem = file.strip_suffix(".json").unwrap_or(&file);
        let Some((at, spec)) = self.specs.get(stem) else {
            return Err(Diagnostic::error(
                op.location(),
                format!("runs '{file}', but the module has no spyre.op_spec @{stem} to write it from"),
            ));
        };
        let expected = format!("sdsc_{}", self.executes.len());
        if stem != expected {
            let message = format!("runs '{file}', but is operation {} of the bundle, whose file is {expected}.json", self.executes.len());
            return Err(Diagnostic::error(op.location(), message).note(at.location(), "the OpSpec is here"));
        }
        self.executes.push(op);
        Ok(spec.clone())
    }
}

/// The trip count of a loop from 0 by 1 to a constant.
fn trip_count<'p>(op: Op<'p>) -> Result<u64, Diagnostic<'p>> {
    let bound = |operand: usize| {
        let made = ir::defining_op(op.operand(operand).ok()?)?;
        (ir::kind(made) == OpKind::ConstantIndex).then(|| ir::constant_index(made))
    };
    match (bound(0), bound(1), bound(2)) {
        (Some(0), Some(count), Some(1)) if count > 0 => Ok(count.unsigned_abs()),
        _ => Err(Diagnostic::error(op.location(), "loop of a bundle must count from 0 by 1 to a positive constant")),
    }
}
