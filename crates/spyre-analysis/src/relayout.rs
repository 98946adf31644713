//! Relayouts: copies that move slices of a tensor from the scratchpads of some cores to the scratchpads of others
//! (constraint S43).

use melior::Context;
use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::{Bytes, STICK_BYTES};
use spyre_mlir_rt::ir;
use spyre_plan::relayout::{Digit, Owners, moves};

use crate::division;
use crate::kinds::is_copy;

/// The names of the attributes of each side: dimensions, and numbers of slices.
const FROM: [&str; 2] = ["from_dims", "from_slices"];
const TO: [&str; 2] = ["to_dims", "to_slices"];

/// The dimension of cores that have the same slices.
const NONE: i64 = -1;

/// The owners on both sides of a relayout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relayout {
    /// The slices of the operand that the cores have.
    pub from: Owners,
    /// The slices of the result that they get.
    pub to: Owners,
}

impl Relayout {
    /// Returns the owners of a relayout; `None` for another operation.
    pub fn of(op: DeviceOp<'_>) -> Option<Self> {
        if !is_copy(op) {
            return None;
        }
        let side = |[dims, slices]: [&str; 2]| {
            let numbers =
                |name: &str| attr::dense_signed_integers(Some(ir::attribute(op.op(), name)?));
            let digits = numbers(dims)?.into_iter().zip(numbers(slices)?);
            let digits = digits.map(|(dim, slices)| Digit {
                dim: usize::try_from(dim).ok(),
                slices: u32::try_from(slices).expect("S43: below 2^31"),
            });
            let owners = Owners::new(digits.collect());
            Some(owners.expect("S43: each dimension once, and cores that can be counted"))
        };
        Some(Self {
            from: side(FROM)?,
            to: side(TO)?,
        })
    }

    /// Returns the sticks that the busiest core gets or sends, of a tensor of `bytes` bytes; `None` if there is no
    /// relayout between these owners.
    pub fn busiest_sticks(&self, bytes: Bytes) -> Option<u64> {
        let moved = moves(&self.from, &self.to).ok()?;
        let digits = self.to.digits().iter();
        let slices = digits.filter(|digit| digit.dim.is_some());
        let slices = slices.map(|digit| u64::from(digit.slices));
        let of_core = bytes.get().div_ceil(slices.product());
        Some(moved.busiest(of_core.div_ceil(STICK_BYTES.get())))
    }

    /// Turns a copy into this relayout. The copy iterates over all dimensions of its tensors.
    pub fn write<'p>(&self, context: &'p Context, copy: DeviceOp<'p>) {
        for ([dims, slices], owners) in [(FROM, &self.from), (TO, &self.to)] {
            let dim = |digit: &Digit| {
                digit.dim.map_or(NONE, |dim| {
                    i64::try_from(dim).expect("a tensor has few dimensions")
                })
            };
            let of_dims: Vec<i64> = owners.digits().iter().map(dim).collect();
            let counts = owners.digits().iter();
            let counts: Vec<i64> = counts.map(|digit| digit.slices.into()).collect();
            for (name, numbers) in [(dims, of_dims), (slices, counts)] {
                let numbers = DenseI64ArrayAttribute::new(context, &numbers);
                ir::set_attribute(copy.op(), name, numbers.into());
            }
        }
        copy.set_split(&self.to.slices(copy.iteration_space().len()));
    }
}

/// Returns the slices of its result that the cores of an operation leave in their scratchpads; `None` where they are parts of sums, or
/// cannot be counted.
pub fn written(op: DeviceOp<'_>) -> Option<Owners> {
    let owners = match Relayout::of(op) {
        Some(relayout) => return Some(relayout.to),
        None => {
            let dims = op.tensor_dims(op.op().operand_count());
            let split = op.split_or_one_core();
            Owners::of(division::slices(op, &split, &dims))?
        }
    };
    (!owners.share()).then_some(owners)
}

/// Returns the slices that the cores of an operation read of a tensor of which some iteration dimensions move along the dimensions.
pub fn read(op: DeviceOp<'_>, dims: &[Option<usize>]) -> Option<Owners> {
    match Relayout::of(op) {
        Some(relayout) => Some(relayout.from),
        None => {
            let split = op.split_or_one_core();
            Owners::of(division::slices(op, &split, dims))
        }
    }
}
