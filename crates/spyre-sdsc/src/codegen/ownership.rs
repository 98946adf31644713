//! Which core owns which part of a scratchpad tensor (SDSC bundle specification, sections 3.2, 4.9 and 6; contract, K66 to
//! K74).
//!
//! A copy from scratchpad to scratchpad with differently divided operands moves data between cores: it becomes a
//! `shuffle`. Each operand then has separate owners, among a separate number of cores, and the file lists them with the
//! operand. A source may be the result of only some cores, namely the cores that finished a divided sum; the file then
//! schedules only these. Newer front ends mark such a copy as certified; the marker is believed only where the copy is
//! one.

use rustc_hash::FxHashMap;

use super::context::Context;
use super::cores::slices_of_cores;
use super::descriptor::{CoreOwnership, PlannedTensor, Scale};
use super::dims::{DimNames, Space};
use super::mapping::CoreSlices;
use crate::error::Error;
use crate::model::{CORE_ID, Ownership};
use crate::ordered::Json;

/// The operation that may divide its operands differently.
const COPY: &str = "identity";

/// The entry of `op_info` by which a front end states that it has proved a copy to be a shuffle (contract, K74).
const CERTIFIED: &str = "lx_relayout_certified";

/// Returns the number of cores of an operation with a division into `product` parts: that many, or the number of cores
/// among which the tensors of a shuffle are distributed, if that is larger (contract, K71).
pub(super) fn cores_of(context: &Context<'_>, product: u64) -> u64 {
    let owners = context
        .op
        .args
        .iter()
        .filter_map(|arg| arg.ownership.as_ref());
    let counts = owners.filter_map(|ownership| ownership.num_cores.map(u64::from));
    counts.fold(product, u64::max)
}

/// Sets the owners of every tensor of a shuffle. Returns whether the operation is a shuffle (SDSC bundle specification,
/// section 4.9).
pub(super) fn plan_ownership(
    context: &Context<'_>,
    names: &DimNames,
    space: &Space,
    mapping: &CoreSlices,
    tensors: &mut [PlannedTensor],
) -> Result<bool, Error> {
    let args = &context.op.args;
    let certified = is_certified(context)?;
    let stated = args.iter().position(|arg| arg.ownership.is_some());
    let between_scratchpads = context.op.op == COPY
        && tensors.len() == 2
        && tensors.iter().all(|tensor| tensor.allocation.is_lx());
    if !between_scratchpads {
        let field = match stated {
            Some(position) => format!("args[{position}].work_division"),
            None if certified => format!("op_info.{CERTIFIED}"),
            None => return no_shuffle(context),
        };
        return Err(context.inconsistent(format!(
            "{field} is only for {COPY} from scratchpad to scratchpad"
        )));
    }
    if stated.is_none() && !certified {
        return no_shuffle(context);
    }
    let divided = divided_by(space, mapping);
    let mut owners = Vec::with_capacity(tensors.len());
    for (operand, (arg, tensor)) in args.iter().zip(tensors.iter()).enumerate() {
        let completed = &context.op.completed_producer_cores;
        owners.push(match &arg.ownership {
            None if operand == 0 && !completed.is_empty() => {
                return Err(context.inconsistent(
                    "completed_producer_cores needs args[0].work_division, which gives the slices of these cores",
                ));
            }
            None => divided.clone(),
            Some(ownership) => {
                let owner = Owner {
                    context,
                    names,
                    space,
                    cores: mapping.cores(),
                    completed: if operand == 0 { completed } else { &[] },
                    operand,
                    tensor,
                };
                owner.read(ownership)?
            }
        });
    }
    if !certified && owners.windows(2).all(|pair| pair.first() == pair.last()) {
        if owners.first() == Some(&divided) {
            return no_shuffle(context);
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

/// Returns whether the front end marks the operation as a shuffle.
fn is_certified(context: &Context<'_>) -> Result<bool, Error> {
    match context.op.op_info.other.get(CERTIFIED) {
        None | Some(Json::Null) => Ok(false),
        Some(Json::Bool(certified)) => Ok(*certified),
        Some(other) => Err(context.inconsistent(format!(
            "op_info.{CERTIFIED} must be a truth value, got {}",
            serde_json::to_string(other).expect("JSON has a text")
        ))),
    }
}

/// Checks that an operation other than a shuffle has no field that only a shuffle has (contract, K68).
fn no_shuffle(context: &Context<'_>) -> Result<bool, Error> {
    if context.op.completed_producer_cores.is_empty() {
        return Ok(false);
    }
    Err(context.inconsistent(format!(
        "completed_producer_cores is only for {COPY} from scratchpad to scratchpad whose operands have different owners"
    )))
}

/// The owners that follow from the division of the operation.
fn divided_by(space: &Space, mapping: &CoreSlices) -> CoreOwnership {
    let of_cores = slices_of_cores(mapping);
    CoreOwnership {
        slices: space.dims.iter().map(|dim| (dim.dim, dim.slices)).collect(),
        of_cores: (0..)
            .zip(of_cores)
            .map(|(core, slices)| (core, slices.into_iter().map(u64::from).collect()))
            .collect(),
    }
}

struct Owner<'a> {
    context: &'a Context<'a>,
    names: &'a DimNames,
    space: &'a Space,
    /// The cores of the operation.
    cores: u32,
    /// The cores that have the tensor, if only some do.
    completed: &'a [u32],
    operand: usize,
    tensor: &'a PlannedTensor,
}

/// The slices of one dimension: their number, and the expression of a core's slice.
type DimSlices<'a> = (super::Dim, u64, Option<&'a crate::Expr>);

impl Owner<'_> {
    fn fail(&self, problem: &str) -> Error {
        let operand = self.operand;
        self.context
            .inconsistent(format!("args[{operand}].work_division {problem}"))
    }

    /// The owners that a `work_division` defines (SDSC bundle specification, sections 3.2 and 6).
    fn read(&self, ownership: &Ownership) -> Result<CoreOwnership, Error> {
        let slices = self.slices(ownership)?;
        let cores = self.owners(ownership, &slices)?;
        let mut of_cores = Vec::with_capacity(cores.len());
        for core in cores.iter().copied() {
            of_cores.push((core, self.part(&slices, core)?));
        }
        self.check_parts(&slices, &of_cores)?;
        Ok(CoreOwnership {
            slices: slices
                .iter()
                .map(|(dim, count, _)| (*dim, *count))
                .collect(),
            of_cores,
        })
    }

    /// Returns the slices of every dimension, in the order of the iteration space.
    fn slices<'o>(&self, ownership: &'o Ownership) -> Result<Vec<DimSlices<'o>>, Error> {
        let stray = ownership
            .work_slices
            .keys()
            .chain(ownership.core_id_to_work_slice.keys())
            .find(|symbol| self.names.dim(symbol.as_str()).is_none());
        if let Some(symbol) = stray {
            return Err(self.fail(&format!("names {symbol}, which is no iteration symbol")));
        }
        let mut slices = Vec::with_capacity(self.space.dims.len());
        for planned in &self.space.dims {
            let is_planned =
                |symbol: &&crate::Symbol| self.names.dim(symbol.as_str()) == Some(planned.dim);
            let symbol = ownership.work_slices.keys().find(is_planned);
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
            slices.push((planned.dim, count, place));
        }
        Ok(slices)
    }

    /// Returns the cores that own a part of the tensor (contract, K68 and K71): the cores of `completed_producer_cores`
    /// if there are any, or else the first `num_cores` cores, by default all cores of the operation.
    fn owners(&self, ownership: &Ownership, slices: &[DimSlices<'_>]) -> Result<Vec<u32>, Error> {
        let parts = self
            .context
            .product(slices.iter().map(|(_, count, _)| *count), "a work division")?;
        let cores = ownership.num_cores.unwrap_or(self.cores);
        if cores == 0 || !self.cores.is_multiple_of(cores) {
            return Err(self.fail(&format!(
                "is among {cores} cores, which do not divide the {} cores of the operation",
                self.cores
            )));
        }
        if !self.completed.is_empty() {
            let late = self.completed.iter().find(|core| **core >= cores);
            if let Some(core) = late {
                return Err(self.context.inconsistent(format!(
                    "completed_producer_cores names core {core}, and the tensor is among {cores} cores"
                )));
            }
            if parts != self.completed.len() as u64 {
                return Err(self.fail(&format!(
                    "divides the tensor into {parts} parts, but completed_producer_cores names {} cores",
                    self.completed.len()
                )));
            }
            return Ok(self.completed.to_vec());
        }
        // Where the number of cores is stated, several may have the same part.
        let fits = match ownership.num_cores {
            None => parts == u64::from(cores),
            Some(_) => u64::from(cores).is_multiple_of(parts),
        };
        if !fits {
            let runs = match ownership.num_cores {
                None => "the operation runs on",
                Some(_) => "is among",
            };
            return Err(self.fail(&format!(
                "divides the tensor into {parts} parts, but {runs} {cores} cores"
            )));
        }
        Ok((0..cores).collect())
    }

    /// Returns the part that a core owns: a slice of each dimension.
    fn part(&self, slices: &[DimSlices<'_>], core: u32) -> Result<Vec<u64>, Error> {
        let mut core_slices = Vec::with_capacity(slices.len());
        for (dim, count, place) in slices {
            let slice = match place {
                None if *count == 1 => 0,
                None => return Err(self.fail(&format!("has no slice of a core along {dim}"))),
                Some(place) => place
                    .eval(|symbol| (symbol.as_str() == CORE_ID).then_some(core.into()))
                    .map_err(|error| self.context.expr(error))?,
            };
            let inside = u64::try_from(slice).ok().filter(|slice| slice < count);
            core_slices.push(inside.ok_or_else(|| {
                self.fail(&format!(
                    "gives core {core} slice {slice} of {count} along {dim}"
                ))
            })?);
        }
        Ok(core_slices)
    }

    /// Checks that the parts of a source are disjoint, and that every part of a destination has equally many owners
    /// (contract, K66). With as many owners as parts, none is missing then.
    fn check_parts(
        &self,
        slices: &[DimSlices<'_>],
        of_cores: &[(u32, Vec<u64>)],
    ) -> Result<(), Error> {
        let mut owners: FxHashMap<&[u64], usize> = FxHashMap::default();
        let parts: u64 = slices.iter().map(|(_, count, _)| *count).product();
        let each = if self.operand == 0 {
            1
        } else {
            of_cores.len() / usize::try_from(parts).expect("there are as many cores as parts")
        };
        for (core, part) in of_cores {
            let count = owners.entry(part).or_default();
            *count += 1;
            if *count > each {
                let shared = match each {
                    1 => "the part of another core".to_owned(),
                    _ => format!("a part that {each} cores have, which is the share of each part"),
                };
                return Err(self.fail(&format!("gives core {core} {shared}")));
            }
        }
        Ok(())
    }
}
