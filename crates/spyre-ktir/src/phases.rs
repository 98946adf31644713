//! Launches: parts of a program between which all cores wait for each other.
//!
//! In KTIR no core waits for another one. A value in device memory that one core writes and another one reads therefore
//! needs a new launch between the two: a function of its own, on the same arguments. The rule is exact: each access has
//! the core that touches each stick, over all iterations of the loops around it, and two accesses may be in one launch
//! if no stick is written by one core and touched by another.

use melior::ir::operation::OperationLike;
use spyre_dialects::attr::Place;
use spyre_layout::STICK_BYTES;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;

use crate::area::{self, Axis};
use crate::division::Division;
use crate::error;
use crate::plan::Tensor;

/// No core touches the stick.
const NONE: u32 = u32::MAX;
/// Several cores touch the stick.
const MANY: u32 = u32::MAX - 1;

/// The cores that touch the sticks of a buffer.
#[derive(Debug)]
pub(crate) struct Owners {
    /// The first stick of the buffer.
    first: u64,
    /// The core that touches each stick, [`NONE`] or [`MANY`].
    cores: Vec<u32>,
}

impl Owners {
    fn of(&self, stick: u64) -> u32 {
        let place = stick.checked_sub(self.first);
        let place = place.and_then(|place| usize::try_from(place).ok());
        let core = place.and_then(|place| self.cores.get(place));
        core.copied().unwrap_or(NONE)
    }

    fn touch(&mut self, stick: u64, core: u32) {
        let place = usize::try_from(stick).expect("a buffer has fewer sticks than addresses");
        if let Some(owner) = self.cores.get_mut(place) {
            *owner = match *owner {
                NONE => core,
                other if other == core => core,
                _ => MANY,
            };
        }
    }

    /// Returns whether different cores touch a stick.
    fn is_shared(&self, other: &Self) -> bool {
        let sticks = self.first..self.first + self.cores.len() as u64;
        sticks.into_iter().any(|stick| {
            let (a, b) = (self.of(stick), other.of(stick));
            a != NONE && b != NONE && (a != b || a == MANY)
        })
    }
}

/// An access to a tensor in device memory.
#[derive(Debug)]
pub(crate) struct Access<'p> {
    /// The operation.
    pub op: Op<'p>,
    /// The number of the operation at the top of the function that it is in, or is.
    pub top: usize,
    /// Whether it writes.
    pub is_write: bool,
    /// The buffer.
    pub place: Place,
    /// The cores that touch its sticks; `None` for a part that is no area, which is refused later.
    pub owners: Option<Owners>,
}

/// Returns the cores that touch the sticks of a tensor of an operation, inside of loops of so many iterations.
pub(crate) fn owners(
    tensor: &Tensor<'_>,
    division: &Division,
    is_write: bool,
    trips: &[u64],
) -> Option<Owners> {
    let operand = &tensor.operand;
    let axes = area::axes(&operand.view, &tensor.parts).ok()?;
    let bytes = operand.buffer.device.bytes().get();
    let element = operand.view.format().bytes_per_element().get();
    let first = match operand.place {
        Place::Pool(offset) => offset.get() / STICK_BYTES.get(),
        _ => 0,
    };
    let count = usize::try_from(bytes.div_ceil(STICK_BYTES.get())).ok()?;
    let mut owners = Owners {
        first,
        cores: vec![NONE; count],
    };
    let start = operand.view.offset().get() / element;
    let bases = bases(start, &operand.advance, trips);
    for core in 0..division.cores {
        if is_write && !division.stores(core) {
            continue;
        }
        for &base in &bases {
            visit(&axes, core, base, element, &mut |stick| {
                owners.touch(stick, core)
            });
        }
    }
    Some(owners)
}

/// Returns the first elements of the window, in each iteration of the loops.
fn bases(start: u64, advance: &[u64], trips: &[u64]) -> Vec<u64> {
    let mut bases = vec![start];
    for (&step, &count) in advance.iter().zip(trips) {
        if step > 0 {
            let moved = bases
                .iter()
                .flat_map(|base| (0..count).map(move |trip| base + trip * step));
            bases = moved.collect();
        }
    }
    bases
}

/// Visits the sticks of a core's area.
fn visit(axes: &[Axis], core: u32, base: u64, element: u64, touch: &mut impl FnMut(u64)) {
    let Some((axis, rest)) = axes.split_first() else {
        touch(base * element / STICK_BYTES.get());
        return;
    };
    let start = axis.start.of(core);
    // Neighbours in one stick are one visit.
    let is_inside = rest.is_empty() && axis.stride * axis.count * element <= STICK_BYTES.get();
    let count = if is_inside { 1 } else { axis.count };
    for position in start..start + count {
        visit(rest, core, base + position * axis.stride, element, touch);
    }
}

/// The operations at the top of a function between which a value is in scratchpads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Live {
    /// The number of the operation that computes it.
    pub first: usize,
    /// The number of the last one that reads it.
    pub last: usize,
}

/// Returns the numbers of the operations at the top of the function where a new launch begins. A launch begins where no
/// value is in scratchpads, if there is such a place between the two operations that exchange a value.
///
/// # Errors
/// Two operations in one loop exchange values between cores.
pub(crate) fn launches<'p>(
    accesses: &[Access<'p>],
    live: &[Live],
    cores: u32,
) -> Result<Vec<usize>, Diagnostic<'p>> {
    let mut launches = Vec::new();
    let mut first = 0;
    if cores == 1 {
        return Ok(launches);
    }
    for (number, access) in accesses.iter().enumerate() {
        let earlier = accesses[first..=number].iter();
        let exchanges: Vec<_> = earlier.filter(|other| is_exchange(other, access)).collect();
        let Some(last) = exchanges.iter().map(|other| other.top).max() else {
            continue;
        };
        if let Some(other) = exchanges.iter().find(|other| other.top == access.top) {
            let message = "cores exchange a value through device memory inside of a loop, and no core of KTIR waits for another; \
                           plan without the loop, or on one core";
            return Err(error(access.op, message).note(
                other.op.location(),
                "the other operation on the memory is here",
            ));
        }
        let crosses = |at: usize| {
            live.iter()
                .any(|value| value.first < at && at <= value.last)
        };
        let mut places = (last + 1..=access.top).rev();
        let start = places.find(|at| !crosses(*at)).unwrap_or(access.top);
        launches.push(start);
        let begins = accesses.iter().position(|other| other.top >= start);
        first = begins.expect("the access itself is after the start");
    }
    Ok(launches)
}

/// Returns whether one of two accesses writes a stick that the other one touches on another core.
fn is_exchange(a: &Access<'_>, b: &Access<'_>) -> bool {
    if !a.is_write && !b.is_write {
        return false;
    }
    let is_same_space = match (a.place, b.place) {
        (Place::Arg(a), Place::Arg(b)) => a == b,
        (Place::Pool(_), Place::Pool(_)) => true,
        _ => false,
    };
    match (&a.owners, &b.owners) {
        // Compared with itself, an access is an exchange where several cores write.
        (Some(a), Some(b)) if is_same_space => a.is_shared(b),
        _ => false,
    }
}
