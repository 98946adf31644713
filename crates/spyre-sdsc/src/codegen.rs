//! One operation specification to a planned [`Descriptor`] (SDSC bundle specification, section 4).
//!
//! The steps, one module each: name the dimensions ([`dims`](Dim)), read each operand's dimension order and stick,
//! give strides and gaps, choose layout labels, pad and mask, divide the work over cores, and find how far each
//! operand moves per loop iteration. A form that the generator cannot express (such as several index tensors) is
//! [`Error::Unsupported`], and a form that the specification leaves open (weights packed in pairs with a stick that is
//! not their last dimension, padding of pools) is [`Error::Unspecified`], never a guess.

mod context;
mod cores;
mod descriptor;
mod dims;
mod indirect;
mod labels;
mod mapping;
mod operand;
mod ownership;
mod padding;
mod stated;
mod steps;
mod strides;
mod windowed;

pub(crate) use cores::slices_of_cores;
pub(crate) use descriptor::fits;
pub use descriptor::{
    Constant, CoreOffset, CoreOwnership, Descriptor, ExecutionUnit, FP8_BLOCK, FP8_PAIR, Layout,
    LayoutLabel, LevelStep, Mask, Packing, PlannedDim, PlannedTensor, Role, RuntimeDim, Scale,
    SizeStep, StickDim, TensorDim,
};
pub use dims::Dim;
pub use mapping::CoreSlices;
pub use stated::state_core_slices;
pub use steps::{StepError, level_steps};
pub use windowed::{InputSpan, PaddedDim, WindowPlan};

use spyre_layout::DeviceFormat;
use spyre_ops::{OpClass, OpFunc};
use spyre_plan::Target;

use crate::encode_constant;
use crate::error::Error;
use crate::model::OpSpec;
use crate::ordered::Json;
use crate::revision::Revision;
use crate::rule::RuleSet;
use context::Context;

/// Options that change a planned operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// Let neighbouring cores share a matrix multiplication's reduction dimension, if it is split.
    pub k_fast: bool,
    /// The most cores an operation may use.
    pub max_cores: u32,
    /// The revision whose rules apply where revisions differ.
    pub revision: Revision,
    /// The revision of the masks and constants, if not `revision`: those of the contract are numbers on the card (K1,
    /// K7), in files of any revision.
    pub numbers: Option<Revision>,
    /// Waived rules of the contract: their findings are no errors, and are listed in the bundle.
    pub waived: RuleSet,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            k_fast: true,
            max_cores: Target::CARD.cores,
            revision: Revision::default(),
            numbers: None,
            waived: RuleSet::NONE,
        }
    }
}

impl PlanOptions {
    /// Returns the default options of a revision.
    pub fn of_revision(revision: Revision) -> Self {
        Self {
            revision,
            ..Self::default()
        }
    }
}

/// The function of an identity between scratchpads with differently divided operands.
const SHUFFLE: &str = "shuffle";

/// The entry of `op_info` by which branches of the front end request a batch of 1 in a product (contract, K75).
const UNIT_BATCH: &str = "shared_weight_unit_bmm";

/// The mask constant that [`Descriptor::constants`] may hold.
pub const MASK_CONSTANT: &str = "samv-maskvalue";

/// The loops around an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnclosingLoops {
    /// The number of the loops, with which the levels of the operation must agree.
    Known(usize),
    /// The loops are unknown, since the operation is planned alone: its levels are not checked, and a tensor with a
    /// symbol of no level does not advance.
    Unknown,
}

/// The names of an operation's iteration dimensions in files and in advances, in order of the space
/// (SDSC bundle specification, section 4.1).
///
/// # Errors
/// Spaces with more dimensions than there are names.
pub fn dimension_names(op: &OpSpec) -> Result<Vec<Dim>, Error> {
    let class = OpClass::of_spec(&op.op, op.is_reduction);
    let context = Context::new(op, 0, &PlanOptions::default());
    dims::name_dims(&context, class).map(|names| names.in_order().collect())
}

/// Plans one operation inside `loops`; `index` is its position in file order, for messages.
///
/// # Errors
/// Operations that the generator does not support, contradictory sizes, and arithmetic overflow.
pub fn plan(
    op: &OpSpec,
    index: usize,
    loops: EnclosingLoops,
    options: &PlanOptions,
) -> Result<Descriptor, Error> {
    let context = Context::new(op, index, options);
    let class = OpClass::of_spec(&op.op, op.is_reduction);
    refuse_unsupported(&context)?;
    if matches!(class, OpClass::Pool | OpClass::Conv) {
        return windowed::plan(&context, class, loops, options);
    }

    let names = dims::name_dims(&context, class)?;
    let roles = indirect::roles(&context)?;
    let mut operands = operand::read_operands(&context, &names, &roles)?;
    let mut space = dims::iteration_space(&context, class, &names, &mut operands)?;
    operand::complete(&context, class, &space, &mut operands)?;
    let mut tensors = strides::plan_tensors(&context, &space, &operands)?;
    let layouts = labels::assign(&context, class, &operands, &mut tensors)?;
    let padded = padding::pad(&context, class, &mut space, &layouts, &mut tensors)?;
    let core_mapping = cores::divide(&context, class, &names, &space, &tensors, options)?;
    let is_shuffle =
        ownership::plan_ownership(&context, &names, &space, &core_mapping, &mut tensors)?;
    steps::plan_steps(&context, &names, &space, loops, &mut tensors)?;

    let computed_format = tensors
        .iter()
        .find(|tensor| !tensor.is_index())
        .map(|tensor| tensor.format)
        .ok_or_else(|| context.inconsistent("every operand holds indices"))?;
    let data_format = context.revision.computed_format(&op.op, computed_format);
    let masks = padding::masks(&context, &padded, &layouts, &tensors);
    let constants = constants(&context, data_format, !masks.is_empty())?;
    Ok(Descriptor {
        opfunc: match is_shuffle {
            true => SHUFFLE.into(),
            false => function_name(op, class, &tensors),
        },
        unit: if class == OpClass::Matmul {
            ExecutionUnit::Pt
        } else {
            ExecutionUnit::Sfp
        },
        data_format,
        dims: space.dims,
        core_mapping,
        scheduled: op.completed_producer_cores.clone(),
        masks,
        layouts,
        constants,
        input_count: input_count(op, class, tensors.len()),
        tensors,
        debug_handle: context.provenance()?,
        windows: None,
    })
}

/// Returns the constants of an operation, with the value of masked elements if it has masks.
fn constants(
    context: &Context<'_>,
    data_format: DeviceFormat,
    has_masks: bool,
) -> Result<Vec<Constant>, Error> {
    let op = context.op;
    let mut constants: Vec<Constant> = op
        .op_info
        .constants
        .iter()
        .map(|(name, value)| Constant {
            name: context.revision.constant_name(&op.op, name).into(),
            code: context.numbers.code(*value, data_format),
        })
        .collect();
    if has_masks {
        if op.op_info.constants.get(MASK_CONSTANT).is_some() {
            return Err(context.inconsistent(format!(
                "op_info.constants has {MASK_CONSTANT}, which the padding gives another value"
            )));
        }
        let value = context.numbers.mask_value(&op.op);
        // A maximum of rows of the least number of `f16` needs the number beyond it.
        constants.push(Constant {
            name: MASK_CONSTANT.into(),
            code: encode_constant(value, data_format),
        });
    }
    Ok(constants)
}

/// Returns how many of the tensors are inputs.
fn input_count(op: &OpSpec, class: OpClass, tensors: usize) -> usize {
    match class {
        OpClass::TopK => 1,
        _ if OpFunc::of(&op.op).is_some_and(|row| row.is_whole) => tensors - 1,
        // A reduction also reads its accumulator, which is the output.
        _ if op.is_reduction && class != OpClass::Matmul => tensors,
        _ => tensors - 1,
    }
}

/// Returns the name of the backend's function, which differs for reductions that keep the stick.
fn function_name(op: &OpSpec, class: OpClass, tensors: &[PlannedTensor]) -> String {
    let reduces_stick = tensors
        .last()
        .is_some_and(|output| output.dims.iter().any(|d| d.scale == Scale::StickReduced));
    let is_plain = !op.is_reduction || matches!(class, OpClass::Matmul | OpClass::TopK);
    match is_plain || reduces_stick {
        true => op.op.clone(),
        false => format!("{}nonstick", op.op),
    }
}

/// Rejects forms that the specification names without defining them, and operations without operands.
fn refuse_unsupported(context: &Context<'_>) -> Result<(), Error> {
    let op = context.op;
    if op.op == SHUFFLE {
        return Err(context.inconsistent(format!(
            "{SHUFFLE} is only generated from an identity with a different args[].work_division for its operands"
        )));
    }
    let unit_batch = op.op_info.other.get(UNIT_BATCH);
    if unit_batch.is_some_and(|value| !matches!(value, Json::Null | Json::Bool(false))) {
        return Err(context.unsupported(format!(
            "op_info.{UNIT_BATCH}: a product that keeps a batch of 1 and shares its weights; no released front end writes \
             it, and its order of dimensions is not published; leave the batch dimension out"
        )));
    }
    if op.args.is_empty() || op.iteration_space.is_empty() {
        return Err(
            context.unsupported("an operation without operands or without an iteration space")
        );
    }
    Ok(())
}
