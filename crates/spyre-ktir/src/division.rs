//! The parts of tensors that a core works on.
//!
//! All cores run the same program. The number of a core is written in mixed radix over the `split` of an operation, and
//! each digit chooses the part of one iteration dimension (middle-end specification, section 4.5). A dimension that is
//! reduced is not divided here: no operation of the portable flavour combines partial results of cores, so each core of
//! a group computes the whole sum, and the first core of the group stores it.

use spyre_analysis::division::k_fast;
use spyre_conversion::to_sdscbundle::window::Operand;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Elements;
use spyre_ops::Pairs;
use spyre_plan::CoreMapping;

/// Returns whether a tensor of an operation, operands first, then the result, has pairs.
pub(crate) fn is_pair(device: DeviceOp<'_>, tensor: usize) -> bool {
    match device.facts().pairs {
        Some(Pairs::Reads(operand)) => tensor == operand,
        Some(Pairs::Makes) => tensor == 1,
        None => false,
    }
}

/// A digit of the number of a core: `(core / divisor) mod count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Digit {
    /// The cores that share a value of the digit and of all digits above.
    pub divisor: u32,
    /// The values that the digit takes, at least 2.
    pub count: u32,
}

impl Digit {
    /// Returns the digit of a core.
    pub(crate) fn of(self, core: u32) -> u32 {
        core / self.divisor % self.count
    }
}

/// The part of a dimension that a core works on, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// The digit that chooses the part: it starts at `digit` times the elements of the part. `None` for the part at 0, for
    /// all cores.
    pub digit: Option<Digit>,
    /// The number of elements: those of a piece, where a loop visits the part in pieces.
    pub size: u64,
    /// The loop over pieces of the part, if any.
    pub pieces: Option<Pieces>,
}

/// A loop over pieces of the part of a core, of equal sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Pieces {
    /// The number of the loop among the loops over pieces around an operation, outermost first.
    pub level: usize,
    /// The number of pieces.
    pub count: u64,
}

impl Part {
    /// Returns the part from 0 on that all cores have.
    pub(crate) fn whole(size: u64) -> Self {
        Self {
            digit: None,
            size,
            pieces: None,
        }
    }

    /// Returns the elements of the part, with all of its pieces.
    pub(crate) fn elements(self) -> u64 {
        self.size * self.pieces.map_or(1, |pieces| pieces.count)
    }

    /// Returns the first element of the part of a core.
    pub(crate) fn start(self, core: u32) -> u64 {
        self.digit
            .map_or(0, |digit| u64::from(digit.of(core)) * self.elements())
    }
}

/// The division of an operation over cores.
#[derive(Debug, Clone)]
pub(crate) struct Division {
    /// The cores with work: the product of the split.
    pub cores: u32,
    /// The part of each iteration dimension.
    pub parts: Vec<Part>,
    /// The digits of divided dimensions that the operation reduces.
    pub summed: Vec<Digit>,
}

impl Division {
    /// Returns the division of an operation on these tensors, operands first, then the result.
    ///
    /// # Errors
    /// Parts of different sizes, which one program for all cores cannot have.
    pub(crate) fn of(op: DeviceOp<'_>, tensors: &[Operand<'_>]) -> Result<Self, String> {
        let split = op.split_or_one_core();
        let mapping =
            CoreMapping::new(&split, k_fast(op, &split)).map_err(|err| err.to_string())?;
        let space = op.iteration_space();
        let mut digits = vec![None; space.len()];
        let mut divisor = 1;
        for &dim in mapping.order() {
            let count = split[dim];
            if count > 1 {
                digits[dim] = Some(Digit { divisor, count });
            }
            divisor *= count;
        }
        let parallel = space.len() - op.reduction_dims();
        let mut parts = Vec::with_capacity(space.len());
        let mut summed = Vec::new();
        for (dim, extent) in space.iter().enumerate() {
            let extent = u64::try_from(*extent).map_err(|_| {
                format!("dimension {dim} of the iteration space has a dynamic extent")
            })?;
            parts.push(match digits[dim] {
                Some(digit) if dim >= parallel => {
                    summed.push(digit);
                    Part::whole(extent)
                }
                Some(digit) => Part {
                    digit: Some(digit),
                    size: size_of_parts(op, tensors, dim, extent, digit.count)?,
                    pieces: None,
                },
                None => Part::whole(extent),
            });
        }
        Ok(Self {
            cores: mapping.cores(),
            parts,
            summed,
        })
    }

    /// Returns the part of each dimension of a tensor of an operation, of a shape.
    pub(crate) fn of_tensor(&self, op: DeviceOp<'_>, tensor: usize, shape: &[u64]) -> Vec<Part> {
        let dims = op.tensor_dims(tensor).into_iter();
        let pair = is_pair(op, tensor).then(|| shape.len() - 1);
        let parts = dims.zip(shape).enumerate().map(|(at, (dim, &extent))| {
            if pair == Some(at) {
                return Part::whole(extent);
            }
            let part = dim.map_or(Part::whole(extent), |dim| self.parts[dim]);
            match (part.digit, part.pieces) {
                (None, None) => {
                    // Rows of zeros may follow the K of the right operand of a product.
                    Part::whole(part.size.min(extent))
                }
                _ => part,
            }
        });
        parts.collect()
    }
}

/// Returns the elements of a dimension that each of `count` cores has: whole sticks, where the dimension is on a stick.
fn size_of_parts(
    op: DeviceOp<'_>,
    tensors: &[Operand<'_>],
    dim: usize,
    extent: u64,
    count: u32,
) -> Result<u64, String> {
    let mut stick = Elements(1);
    let mut all_on_sticks = true;
    for (number, tensor) in tensors.iter().enumerate() {
        for (position, along) in op.tensor_dims(number).into_iter().enumerate() {
            if along != Some(dim) {
                continue;
            }
            if tensor.view.layout().stick_dim() == Some(position) {
                stick = stick.max(tensor.view.format().elements_per_stick());
            } else {
                all_on_sticks = false;
            }
        }
    }
    let padded = extent.next_multiple_of(stick.get());
    let count = u64::from(count);
    let is_ragged = padded != extent && !all_on_sticks;
    if !padded.is_multiple_of(count) || !(padded / count).is_multiple_of(stick.get()) || is_ragged {
        return Err(format!(
            "dimension {dim} of {extent} elements in sticks of {stick} does not have {count} equal parts, and all cores run one \
             program; --spyre-work-division with a split that divides it",
            stick = stick.get()
        ));
    }
    Ok(padded / count)
}
