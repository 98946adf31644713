//! Which core owns which part of a scratchpad tensor (SDSC bundle specification, sections 3.2, 4.9 and 6).
//!
//! A copy from scratchpad to scratchpad whose operands are divided differently moves data between cores: it becomes
//! a `shuffle`.

use rustc_hash::FxHashSet;

use super::context::Context;
use super::cores::slices_of_cores;
use super::descriptor::{CoreOwnership, PlannedTensor, Scale};
use super::dims::{DimNames, Space};
use super::mapping::CoreSlices;
use crate::error::Error;
use crate::model::{CORE_ID, Ownership};

/// The operation that may divide its operands differently.
const COPY: &str = "identity";

/// Gives every tensor of a shuffle its owners; returns whether this is one (SDSC bundle specification, section 4.9).
pub(super) fn plan_ownership(
    context: &Context<'_>,
    names: &DimNames,
    space: &Space,
    mapping: &CoreSlices,
    tensors: &mut [PlannedTensor],
) -> Result<bool, Error> {
    let args = &context.op.args;
    let Some(position) = args.iter().position(|arg| arg.ownership.is_some()) else {
        return Ok(false);
    };
    let is_copy = context.op.op == COPY && tensors.len() == 2;
    if !is_copy || tensors.iter().any(|tensor| !tensor.allocation.is_lx()) {
        return Err(context.inconsistent(format!(
            "args[{position}].work_division is only for {COPY} from scratchpad to scratchpad"
        )));
    }
    let divided = divided_by(space, mapping);
    let mut owners = Vec::with_capacity(tensors.len());
    for (operand, (arg, tensor)) in args.iter().zip(tensors.iter()).enumerate() {
        owners.push(match &arg.ownership {
            None => divided.clone(),
            Some(ownership) => {
                let owner = Owner {
                    context,
                    names,
                    space,
                    cores: mapping.cores(),
                    operand,
                    tensor,
                };
                owner.read(ownership)?
            }
        });
    }
    if owners.windows(2).all(|pair| pair.first() == pair.last()) {
        if owners.first() == Some(&divided) {
            return Ok(false);
        }
        return Err(context.inconsistent(
            "both operands have one work_division, which is not that of the operation",
        ));
    }
    for (tensor, owner) in tensors.iter_mut().zip(owners) {
        tensor.ownership = Some(owner);
    }
    Ok(true)
}

/// The owners that the division of the operation itself makes.
fn divided_by(space: &Space, mapping: &CoreSlices) -> CoreOwnership {
    CoreOwnership {
        slices: space.dims.iter().map(|dim| (dim.dim, dim.slices)).collect(),
        of_cores: slices_of_cores(mapping)
            .map(|slices| slices.into_iter().map(u64::from).collect())
            .collect(),
    }
}

struct Owner<'a> {
    context: &'a Context<'a>,
    names: &'a DimNames,
    space: &'a Space,
    cores: u32,
    operand: usize,
    tensor: &'a PlannedTensor,
}

impl Owner<'_> {
    fn fail(&self, problem: &str) -> Error {
        let operand = self.operand;
        self.context
            .inconsistent(format!("args[{operand}].work_division {problem}"))
    }

    /// The owners that a `work_division` says (SDSC bundle specification, sections 3.2 and 6).
    fn read(&self, ownership: &Ownership) -> Result<CoreOwnership, Error> {
        let stray = ownership
            .work_slices
            .keys()
            .chain(ownership.core_id_to_work_slice.keys())
            .find(|symbol| self.names.of(symbol.as_str()).is_none());
        if let Some(symbol) = stray {
            return Err(self.fail(&format!("names {symbol}, which is no iteration symbol")));
        }
        // By dimension: its slices, and the expression of a core's slice.
        let mut slices = Vec::with_capacity(self.space.dims.len());
        let mut places = Vec::with_capacity(self.space.dims.len());
        for planned in &self.space.dims {
            let own = |symbol: &&crate::Symbol| self.names.of(symbol.as_str()) == Some(planned.dim);
            let symbol = ownership.work_slices.keys().find(own);
            let count = symbol.and_then(|symbol| ownership.work_slices.get(symbol.as_str()));
            // A dimension that is not listed is not divided.
            let count = count.copied().unwrap_or(1);
            if count == 0 || !planned.extent.is_multiple_of(count) {
                return Err(self.fail(&format!(
                    "divides {} elements along {} into {count} slices",
                    planned.extent, planned.dim
                )));
            }
            let has = |d: &super::TensorDim| d.scale == Scale::Full;
            if count > 1 && !self.tensor.dim(planned.dim).is_some_and(has) {
                return Err(self.fail(&format!(
                    "divides the operand along {}, which it does not have",
                    planned.dim
                )));
            }
            let place = symbol.and_then(|s| ownership.core_id_to_work_slice.get(s.as_str()));
            slices.push((planned.dim, count));
            places.push(place);
        }
        let product = self
            .context
            .product(slices.iter().map(|(_, count)| *count), "a work division")?;
        if product != u64::from(self.cores) {
            return Err(self.fail(&format!(
                "makes {product} parts, and the operation runs on {} cores",
                self.cores
            )));
        }
        let mut of_cores = Vec::new();
        let mut taken = FxHashSet::default();
        for core in 0..self.cores {
            let mut own = Vec::with_capacity(slices.len());
            for ((dim, count), place) in slices.iter().zip(&places) {
                let slice = match place {
                    None if *count == 1 => 0,
                    None => return Err(self.fail(&format!("has no slice of a core along {dim}"))),
                    Some(place) => place
                        .eval(|symbol| (symbol.as_str() == CORE_ID).then_some(core.into()))
                        .map_err(|error| self.context.expr(error))?,
                };
                let inside = u64::try_from(slice).ok().filter(|slice| slice < count);
                own.push(inside.ok_or_else(|| {
                    self.fail(&format!(
                        "gives core {core} slice {slice} of {count} along {dim}"
                    ))
                })?);
            }
            if !taken.insert(own.clone()) {
                return Err(self.fail(&format!("gives core {core} the part of another core")));
            }
            of_cores.push(own);
        }
        Ok(CoreOwnership { slices, of_cores })
    }
}
