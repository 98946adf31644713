//! The facts of a module's plan.
//!
//! A module that is not planned yet is planned first, in place. `spyre-plan-view` shows the facts.

mod levels;

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{ShapedTypeLike, Type};
use spyre_analysis::names::shape;
use spyre_analysis::walk::device_ops;
use spyre_dialects::attr;
use spyre_layout_view::{Request, Subject, draw, explain};
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::run_pipeline;
use spyre_plan_view::{Level, Plan, TensorLayout};
use spyre_planning::plan::report::facts as plan_facts;

use crate::NoBundle;

/// The pipeline that plans a program without a bundle.
const PIPELINE: &str = "builtin.module(spyre-pipeline{bundle=false})";

/// The pipeline that plans a program without a bundle, with all values in device memory.
const PIPELINE_WITHOUT_LX: &str = "builtin.module(spyre-pipeline{bundle=false lx=false})";

/// The most layouts of tensors that a page has.
const LAYOUTS: usize = 64;

/// Returns the operations of a module as graphs, for the page of its plan: a level before the ones that [`facts`] adds.
#[must_use]
pub fn level(name: &str, module: Op<'_>) -> Level {
    levels::level(name, module, false)
}

/// Plans a module in place with `--spyre-pipeline=bundle=false`, if no device operation has a place.
///
/// # Errors
/// A pass failed.
pub fn ensure<'p>(context: &'p Context, module: Op<'p>) -> Result<(), NoBundle<'p>> {
    ensure_by(context, module, PIPELINE)
}

/// Plans a module as [`ensure`] does, with all values in device memory.
///
/// # Errors
/// A pass failed.
pub fn ensure_without_lx<'p>(context: &'p Context, module: Op<'p>) -> Result<(), NoBundle<'p>> {
    ensure_by(context, module, PIPELINE_WITHOUT_LX)
}

fn ensure_by<'p>(context: &'p Context, module: Op<'p>, pipeline: &str) -> Result<(), NoBundle<'p>> {
    if is_planned(module) {
        return Ok(());
    }
    run_pipeline(context, module, pipeline).map_err(NoBundle::PipelineFailed)
}

/// Returns the facts of the planned functions of a module. If no device operation has a place, `--spyre-pipeline=bundle=false`
/// plans the module in place first.
///
/// # Errors
/// A pass failed, a device operation has no place or a dynamic extent, or no function has device operations.
pub fn facts<'p>(context: &'p Context, module: Op<'p>) -> Result<Plan, NoBundle<'p>> {
    let mut levels = Vec::new();
    if !is_planned(module) {
        levels.push(level("device operations", module));
        run_pipeline(context, module, PIPELINE).map_err(NoBundle::PipelineFailed)?;
    }
    let mut plan = plan_facts(context, module)?;
    levels.push(levels::level("planned", module, true));
    plan.levels = levels;
    plan.layouts = layouts(module);
    Ok(plan)
}

/// Returns the layouts of the tensors of a module's device operations, by their types, at most [`LAYOUTS`].
fn layouts(module: Op<'_>) -> Vec<TensorLayout> {
    let functions = ir::body(module).into_iter().flat_map(ir::operations);
    let mut types: BTreeMap<String, Type<'_>> = BTreeMap::new();
    for op in functions.filter_map(ir::function_body).flat_map(device_ops) {
        let tensors = op.tensor_types();
        types.extend(tensors.iter().map(|ty| (ty.to_string(), ty)));
    }
    let layouts = types.into_iter().filter_map(|(name, ty)| layout(name, ty));
    layouts.take(LAYOUTS).collect()
}

/// Returns the layout of a tensor; `None` for a tensor without one, and for one with a dynamic extent.
fn layout(name: String, ty: Type<'_>) -> Option<TensorLayout> {
    let (subject, attribute) = subject(ty)?;
    Some(TensorLayout {
        ty: name,
        words: explain(&subject, &attribute).ok()?,
        picture: draw(&subject, &attribute).ok(),
    })
}

/// Returns the explanation of a tensor's layout, in lines; `None` for a tensor without one, and for one with a
/// dynamic extent.
#[must_use]
pub fn layout_words(ty: Type<'_>) -> Option<String> {
    let (subject, attribute) = subject(ty)?;
    explain(&subject, &attribute).ok()
}

/// Returns a tensor with its layout, and the layout in MLIR's syntax; `None` for a tensor without one, and for one
/// with a dynamic extent.
fn subject(ty: Type<'_>) -> Option<(Subject, String)> {
    let tensor = RankedTensorType::try_from(ty).ok()?;
    let attribute = tensor.encoding()?;
    let request = Request {
        layout: Some(attr::layout(attribute)?),
        ..Request::default()
    };
    let element = tensor.element().to_string().parse().ok()?;
    let subject = Subject::new(&shape(ty)?, element, &request).ok()?;
    Some((subject, attribute.to_string()))
}

/// Returns whether any device operation of a module has a place.
#[must_use]
pub fn is_planned(module: Op<'_>) -> bool {
    let functions = ir::body(module).into_iter().flat_map(ir::operations);
    let mut bodies = functions.filter_map(ir::function_body);
    bodies.any(|body| device_ops(body).iter().any(|op| op.place().is_some()))
}
