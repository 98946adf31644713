//! Checks how much of each stick of a tensor holds elements, as far as the files show.
//!
//! A file has extents of whole sticks. It does not state how much of the last stick is padding, except where it masks
//! the rest. The elements that one execution masks look like padding for all other executions, until one writes there.
//! An execution that takes such a stick for a full one then reads padding in place of numbers of the program. For
//! example, heads of 32 elements, each in half a stick, are not a row of whole sticks.
//!
//! An execution that masks may see a window, after which the tensor continues. So the mask does not apply to an
//! execution that visits more sticks, and the finding is a warning: the files do not prove that the masked elements are
//! padding.

use rustc_hash::FxHashMap;

use spyre_layout::STICK_BYTES;

use super::Findings;
use super::address::{Address, Base};
use super::function::Execute;
use super::rules::PART_FILLED;
use super::sdsc::{Memory, Sdsc, Tensor};

/// Largest number of sticks of a tensor that are visited. This rule must not cost more than reading the files.
const MOST_STICKS: u64 = 1 << 12;

/// The sticks after a base that are known to be filled in part. The key is the distance of the stick from the base, in bytes.
type Parts = FxHashMap<i64, Part>;

/// A stick that an execution masks in part.
#[derive(Debug, Clone)]
struct Part {
    /// The number of elements in the stick that are not masked.
    elements: u64,
    /// The file that masks the rest.
    file: String,
    /// The number of sticks that the execution visits.
    visited: usize,
}

/// The sticks that are known to be filled in part, for each base.
#[derive(Debug, Default)]
pub(crate) struct Fill {
    parts: FxHashMap<Base, Parts>,
}

/// A stick of a tensor.
struct Stick {
    /// Bytes from the base.
    at: i64,
    /// Whether the stick is the last one along its dimension.
    is_last: bool,
}

impl Fill {
    /// Compares the sticks that an execution reads with the sticks that executions before it have masked.
    pub(crate) fn execute(&mut self, execute: &Execute, sdsc: &Sdsc, findings: &mut Findings) {
        for tensor in sdsc.tensors.iter().filter(|tensor| !tensor.is_output) {
            self.read(execute, sdsc, tensor, findings);
        }
        for tensor in sdsc.tensors.iter().filter(|tensor| tensor.is_output) {
            self.write(execute, sdsc, tensor);
        }
    }

    fn read(&mut self, execute: &Execute, sdsc: &Sdsc, tensor: &Tensor, findings: &mut Findings) {
        let Some(address) = start(execute, sdsc, tensor) else {
            return;
        };
        let masked = filled(sdsc, tensor);
        if masked.is_none() && !self.parts.contains_key(&address.base) {
            return;
        }
        let (Some(sticks), Some((_, per_stick))) = (sticks(address, tensor), tensor.stick) else {
            return;
        };
        let parts_at_base = self.parts.entry(address.base).or_default();
        let visited = sticks.len();
        let mut wrong = None;
        for stick in sticks {
            match masked {
                Some(elements) if stick.is_last => {
                    let file = execute.file.clone();
                    let part = Part {
                        elements,
                        file,
                        visited,
                    };
                    parts_at_base.insert(stick.at, part);
                }
                _ if stick.is_last || wrong.is_some() => {}
                _ => {
                    let part = parts_at_base.get(&stick.at);
                    let part = part.filter(|part| visited <= part.visited);
                    wrong = part.cloned().map(|part| (stick.at, part));
                }
            }
        }
        if let Some((at, Part { elements, file, .. })) = wrong {
            let message = format!(
                "tensor {} of '{}' has full sticks before its last one, but the stick {at} bytes from its base has \
                 {elements} of {per_stick} elements: '{file}' masks the rest",
                tensor.number, execute.file
            );
            findings.at(PART_FILLED, execute.place, message);
        }
    }

    fn write(&mut self, execute: &Execute, sdsc: &Sdsc, tensor: &Tensor) {
        let Some(address) = start(execute, sdsc, tensor) else {
            // It is written at an unknown place, unless it is in a scratchpad.
            if tensor.memory == Memory::Symbolic {
                self.parts.clear();
            }
            return;
        };
        let Some(parts_at_base) = self.parts.get_mut(&address.base) else {
            return;
        };
        match sticks(address, tensor) {
            Some(sticks) => {
                for stick in sticks {
                    parts_at_base.remove(&stick.at);
                }
            }
            None => parts_at_base.clear(),
        }
    }
}

/// Returns the number of elements in the last stick along the stick dimension of a tensor, if the execution masks the rest;
/// otherwise `None`.
fn filled(sdsc: &Sdsc, tensor: &Tensor) -> Option<u64> {
    let (dim, per_stick) = tensor.stick?;
    let (_, first) = sdsc.masks.iter().find(|(masked, _)| *masked == dim)?;
    let axis = tensor
        .shape
        .as_ref()?
        .axes
        .iter()
        .find(|axis| axis.dim == dim)?;
    let before = axis.extent.checked_sub(1)?.checked_mul(per_stick)?;
    first.checked_sub(before).filter(|filled| *filled > 0)
}

/// Returns the address of a tensor's part on the core that has the first slices; `None` if the tensor has no address with a base.
fn start<'e>(execute: &'e Execute, sdsc: &Sdsc, tensor: &Tensor) -> Option<&'e Address> {
    if tensor.memory != Memory::Symbolic {
        return None;
    }
    let first = sdsc
        .slices
        .iter()
        .position(|slices| slices.iter().all(|slice| *slice == 0))?;
    let symbol = tensor.starts.get(first)?;
    let (_, address) = execute.bindings.iter().find(|(id, _)| id == symbol)?;
    address
        .as_ref()
        .filter(|address| address.base != Base::None)
}

/// Returns the sticks, on all cores, that an execution reads or writes of a tensor at an address. `None` if loops move the
/// tensor, if its place is not known, or if the sticks are too many.
fn sticks(address: &Address, tensor: &Tensor) -> Option<Vec<Stick>> {
    if !address.steps.is_empty() {
        return None;
    }
    let (along, _) = tensor.stick?;
    let axes = &tensor.shape.as_ref()?.axes;
    // If the extent in memory is unknown, the places are unknown too.
    if axes.iter().any(|axis| axis.padding > 0) {
        return None;
    }
    let count = axes
        .iter()
        .try_fold(1u64, |count, axis| count.checked_mul(axis.extent))?;
    if count > MOST_STICKS {
        return None;
    }
    let unit = STICK_BYTES.get().cast_signed();
    let mut sticks = vec![Stick {
        at: address.constant,
        is_last: true,
    }];
    let mut step = unit;
    for axis in axes {
        let extent = i64::try_from(axis.extent).ok()?;
        let mut next = Vec::with_capacity(sticks.len());
        for index in 0..extent {
            let moved = step.checked_mul(index)?;
            for stick in &sticks {
                next.push(Stick {
                    at: stick.at.checked_add(moved)?,
                    is_last: stick.is_last && (axis.dim != along || index + 1 == extent),
                });
            }
        }
        sticks = next;
        step = step.checked_mul(i64::try_from(axis.stored).ok()?)?;
    }
    Some(sticks)
}
