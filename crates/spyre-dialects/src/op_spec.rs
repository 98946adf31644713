//! `sdscbundle.op_spec` and the OpSpec of `spyre-sdsc`, which has the same contents.
//!
//! [`read`] converts an operation to an OpSpec, and [`NamedOpSpec::build`] an OpSpec to an operation. The attributes
//! are typed: expressions are affine maps, and JSON that front ends attach is in `#sdscbundle.record`s. The text of an
//! expression, the order of a `work_division` and names that only tell levels apart are not kept, because files do not
//! depend on them ([`Advances`] tells levels apart by the positions of loops); everything else is kept or refused.

mod advances;
mod affine;
mod attr;
mod core_slices;
mod error;
mod json;
mod ownership;

use melior::Context;
use melior::ir::attribute::{DenseI64ArrayAttribute, FloatAttribute, StringAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{Attribute, Identifier, Location, Operation, OperationRef, Type};
use spyre_sdsc::model::{IterationDim, OpInfo};
use spyre_sdsc::{Expr, Json, Object, OpSpec, Symbol};
use thiserror::Error;

pub use advances::{AdvanceError, Advances, Level};
pub use affine::AffineError;
pub use attr::{SIZE, allocation, size, size_attribute};
pub use error::AttributeError;

use crate::attr as attributes;

/// Name of the operation.
pub const OP_SPEC: &str = "sdscbundle.op_spec";

/// The reason why an operation has no OpSpec in the loops around its execution.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// A number or a text that the file format cannot have.
    #[error("has a number or a text that no file of a bundle can hold")]
    NotHeld,
    /// Enclosing loops other than the operation states.
    #[error("runs in loops of {around:?} iterations, but its OpSpec is for loops of {stated:?}")]
    OtherLoops {
        /// The iterations of the loops around the execution, outermost first.
        around: Vec<u64>,
        /// The trip counts that the operation states.
        stated: Vec<u64>,
    },
    /// Advances that do not fit the loops.
    #[error(transparent)]
    Advance(#[from] AdvanceError),
}

/// Returns whether an operation numbers its cores with the first dimension fastest even where a split reduction would be.
#[must_use]
pub fn is_in_order(op: OperationRef<'_, '_>) -> bool {
    op.has_attribute("in_order")
}

/// Reads a `sdscbundle.op_spec` that is executed in loops with the trip counts `loops`, outermost first. A loop over a
/// runtime size has its largest trip count.
///
/// # Errors
/// The operation cannot be in a file, or not in these loops.
pub fn read(op: OperationRef<'_, '_>, loops: &[u64]) -> Result<OpSpec, ReadError> {
    let (mut spec, name, advances) = parts(op).ok_or(ReadError::NotHeld)?;
    let stated = attributes::dense_integers(op.attribute("loops").ok());
    let stated = stated.ok_or(ReadError::NotHeld)?;
    if !stated.is_empty() && stated != loops {
        return Err(ReadError::OtherLoops {
            around: loops.to_vec(),
            stated,
        });
    }
    advances.set(&mut spec, &name, loops)?;
    Ok(spec)
}

/// Returns the OpSpec of an operation without its levels, its name, and how its tensors advance. `None` for a number or a text that
/// the file format cannot have.
fn parts(op: OperationRef<'_, '_>) -> Option<(OpSpec, String, Advances)> {
    let text = |name: &str| attributes::string(op.attribute(name).ok()?);
    let list = |name: &str| {
        let list = op.attribute(name).map(attributes::elements);
        list.expect("the verifier wants the list")
    };
    let record = |name: &str| match op.attribute(name) {
        Ok(attribute) => json::record(attribute),
        Err(_) => Some(Vec::new()),
    };
    let mut spec = OpSpec::new(text("op_func")?, op.has_attribute("is_reduction"));
    for dim in list("space") {
        let (dim, size) = attr::iter_dim(dim)?;
        if let Some((size, bounds)) = size {
            spec = spec.with_runtime_size(size, bounds);
        }
        spec.iteration_space.push(dim);
    }
    let symbols = symbols(&spec.iteration_space);
    let mut steps = Vec::new();
    for arg in list("args") {
        let (arg, of_arg) = attr::tensor_arg(arg, &symbols)?;
        spec.args.push(arg);
        steps.push(of_arg);
    }
    let constants = record("constants")?.into_iter();
    let info = record("info")?.into_iter();
    spec.op_info = OpInfo {
        constants: constants
            .map(|(name, value)| Some((name, attributes::number(value)?)))
            .collect::<Option<_>>()?,
        other: info
            .map(|(name, value)| Some((name, json::json(value)?)))
            .collect::<Option<_>>()?,
    };
    if let Ok(slices) = op.attribute("core_slices") {
        spec.core_id_to_work_slice = Some(core_slices::core_slices(slices)?);
    }
    let completed = attributes::dense_integers(op.attribute("completed_cores").ok())?;
    let completed = completed.into_iter().map(|core| u32::try_from(core).ok());
    spec.completed_producer_cores = completed.collect::<Option<_>>()?;
    let ranges = attributes::dense_signed_integers(op.attribute("output_ranges").ok())?;
    spec.node_output_ranges = ranges.into_iter().map(Expr::int).collect();
    if let Ok(handle) = op.attribute("debug_handle") {
        spec.debug_handle = Some(json::json(handle)?);
    }
    let levels = if op.has_attribute("levels") {
        let levels = list("levels").into_iter().map(attr::level);
        Some(levels.collect::<Option<_>>()?)
    } else {
        None
    };
    Some((spec, text("sym_name")?, Advances { levels, steps }))
}

/// The reason why an OpSpec is no operation.
#[derive(Debug, Error)]
pub enum BuildError {
    /// An attribute cannot be built.
    #[error(transparent)]
    Attribute(#[from] AttributeError),
    /// A tensor does not advance by whole elements along the loops.
    #[error(transparent)]
    Advance(#[from] AdvanceError),
    /// MLIR could not build the operation.
    #[error(transparent)]
    Operation(#[from] melior::Error),
}

/// An OpSpec of a module, inside loops.
#[derive(Debug, Clone)]
pub struct NamedOpSpec<'s> {
    /// Symbol, and stem of the file unless operations share it: `sdsc_0`.
    pub name: String,
    /// The OpSpec.
    pub spec: &'s OpSpec,
    /// The numbers of iterations of the loops around the execution, outermost first; for a loop over a runtime size, the
    /// largest number.
    pub loops: Vec<u64>,
    /// Whether cores are numbered with the first dimension fastest even where a split reduction would be.
    pub is_in_order: bool,
}

impl NamedOpSpec<'_> {
    /// Builds a `sdscbundle.op_spec`. It is not verified.
    ///
    /// # Errors
    /// A part that attributes cannot express: expressions that are not affine, advances by parts of elements, and numbers beyond 63
    /// bits.
    pub fn build<'c>(
        &self,
        context: &'c Context,
        location: Location<'c>,
    ) -> Result<Operation<'c>, BuildError> {
        let Self { name, spec, .. } = self;
        let text = |text: &str| Attribute::from(StringAttribute::new(context, text));
        let dense = |values: &[i64]| Attribute::from(DenseI64ArrayAttribute::new(context, values));
        let symbols = symbols(&spec.iteration_space);
        let advances = Advances::from_spec(spec, &self.loops)?;
        let space = spec.iteration_space.iter();
        let space = space.map(|dim| attr::iter_dim_attribute(context, dim, spec));
        let args = spec.args.iter().zip(&advances.steps).enumerate();
        let args = args.map(|(tensor, (arg, steps))| {
            let space = &spec.iteration_space;
            let arg = attr::tensor_arg_attribute(context, arg, steps, space, &symbols);
            arg.map_err(|source| AttributeError::OfTensor {
                tensor,
                source: Box::new(source),
            })
        });
        let mut built = vec![
            ("sym_name", text(name)),
            ("op_func", text(&spec.op)),
            ("space", array(context, space)?),
            ("args", array(context, args)?),
        ];
        if spec.is_reduction {
            built.push(("is_reduction", Attribute::unit(context)));
        }
        if self.is_in_order {
            built.push(("in_order", Attribute::unit(context)));
        }
        built.extend(cores(context, spec)?);
        if !self.loops.is_empty() {
            built.push((
                "loops",
                dense(&error::all_signed(&self.loops, "trip count")?),
            ));
        }
        if let Some(levels) = &advances.levels {
            let levels = levels.iter();
            let levels = levels.map(|level| attr::level_attribute(context, level));
            built.push(("levels", array(context, levels)?));
        }
        let OpInfo { constants, other } = &spec.op_info;
        if !constants.is_empty() {
            built.push(("constants", constants_attribute(context, constants)?));
        }
        if !other.is_empty() {
            let info = Json::Object(other.clone());
            built.push(("info", json_attribute(context, &info, "op_info")?));
        }
        if !spec.node_output_ranges.is_empty() {
            let ranges = spec.node_output_ranges.iter();
            let ranges = ranges.map(|range| attr::integer(range, "node_output_ranges"));
            let ranges = ranges.collect::<Result<Vec<_>, _>>()?;
            built.push(("output_ranges", dense(&ranges)));
        }
        if let Some(handle) = &spec.debug_handle {
            let handle = json_attribute(context, handle, "debug_handle")?;
            built.push(("debug_handle", handle));
        }
        let built: Vec<_> = built
            .into_iter()
            .map(|(name, attribute)| (Identifier::new(context, name), attribute))
            .collect();
        Ok(OperationBuilder::new(OP_SPEC, location)
            .add_attributes(&built)
            .build()?)
    }
}

fn array<'c>(
    context: &'c Context,
    attributes: impl Iterator<Item = Result<Attribute<'c>, AttributeError>>,
) -> Result<Attribute<'c>, AttributeError> {
    let attributes = attributes.collect::<Result<Vec<_>, _>>()?;
    Ok(attributes::array(context, &attributes))
}

/// Returns the attributes with the work of each core of an OpSpec, where it does not follow from the division of the
/// dimensions.
fn cores<'c>(
    context: &'c Context,
    spec: &OpSpec,
) -> Result<Vec<(&'static str, Attribute<'c>)>, AttributeError> {
    let mut built = Vec::new();
    if let Some(slices) = &spec.core_id_to_work_slice {
        let slices = core_slices::core_slices_attribute(context, slices)?;
        built.push(("core_slices", slices));
    }
    if !spec.completed_producer_cores.is_empty() {
        let cores = spec.completed_producer_cores.iter();
        let cores: Vec<i64> = cores.map(|core| i64::from(*core)).collect();
        let cores = DenseI64ArrayAttribute::new(context, &cores);
        built.push(("completed_cores", cores.into()));
    }
    Ok(built)
}

fn constants_attribute<'c>(
    context: &'c Context,
    constants: &Object<f64>,
) -> Result<Attribute<'c>, AttributeError> {
    let constants: Vec<(&str, Attribute<'c>)> = constants
        .iter()
        .map(|(name, value)| {
            let value = FloatAttribute::new(context, Type::float64(context), *value);
            (name.as_str(), value.into())
        })
        .collect();
    json::record_attribute(context, &constants).ok_or(AttributeError::NotJson { what: "constants" })
}

fn json_attribute<'c>(
    context: &'c Context,
    value: &Json,
    what: &'static str,
) -> Result<Attribute<'c>, AttributeError> {
    json::json_attribute(context, value).ok_or(AttributeError::NotJson { what })
}

fn symbols(space: &[IterationDim]) -> Vec<Symbol> {
    space.iter().map(|dim| dim.symbol.clone()).collect()
}
