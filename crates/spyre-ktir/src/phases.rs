//! Launches: parts of a program between which all cores wait for each other.
//!
//! In KTIR no core waits for another one. A value in device memory that one core writes and another one reads therefore
//! needs a new launch between the two: a function of its own, on the same arguments. The rule is exact: each access has
//! the core that touches each stick, over all iterations of the loops around it, and two accesses may be in one launch
//! if no stick is written by one core and touched by another.
//!
//! Programs repeat themselves: layers have the same operations on buffers of the same shapes. So the cores of sticks
//! are computed once for each structure, and compared once for each pair of them, and the time is linear in the number
//! of operations.

use std::collections::BTreeMap;
use std::rc::Rc;

use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_dialects::attr::Place;
use spyre_layout::STICK_BYTES;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;

use crate::area::{self, Axis};
use crate::division::{Digit, Division};
use crate::error;
use crate::step::{Tensor, Trips};

/// No core touches the stick.
const NONE: u32 = u32::MAX;
/// Several cores touch the stick.
const MANY: u32 = u32::MAX - 1;

/// The cores that touch the sticks of a buffer, from its first one on: a core, [`NONE`] or [`MANY`].
#[derive(Debug)]
pub(crate) struct Owners {
    cores: Vec<u32>,
}

impl Owners {
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

    /// Returns whether different cores touch a stick, of this buffer and of one that begins `distance` sticks after it.
    fn is_shared(&self, other: &Self, distance: i64) -> bool {
        let skip = |sticks: i64| usize::try_from(sticks.max(0)).unwrap_or(usize::MAX);
        let of_self = self.cores.iter().skip(skip(distance));
        let of_other = other.cores.iter().skip(skip(-distance));
        let mut pairs = of_self.zip(of_other);
        pairs.any(|(&a, &b)| a != NONE && b != NONE && (a != b || a == MANY))
    }
}

/// The memory that accesses have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Space {
    Argument(u32),
    Pool,
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
    pub owners: Option<Rc<Owners>>,
}

impl Access<'_> {
    /// Returns the memory, and the first stick of the buffer in it.
    fn position(&self) -> Option<(Space, u64)> {
        match self.place {
            Place::Arg(number) => Some((Space::Argument(number), 0)),
            Place::Pool(offset) => Some((Space::Pool, offset.get() / STICK_BYTES.get())),
            Place::Lx(_) | Place::Window => None,
        }
    }
}

/// What the cores that touch sticks follow from. Operations of one structure have the same cores.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Structure {
    axes: Vec<Axis>,
    /// The sticks of the buffer.
    sticks: usize,
    /// The first element of the window.
    start: u64,
    /// The bytes of an element.
    element: u64,
    /// The elements by which loops move the window, and their iterations.
    moves: Vec<(u64, u64)>,
    cores: u32,
    /// The digits that are 0 in the cores that access.
    summed: Vec<Digit>,
}

/// The cores that touch sticks, each structure once.
#[derive(Debug, Default)]
pub(crate) struct Structures {
    owners: FxHashMap<Structure, Rc<Owners>>,
}

impl Structures {
    /// Returns the cores that touch the sticks of a tensor of an operation, inside of loops of so many iterations.
    pub(crate) fn owners(
        &mut self,
        tensor: &Tensor<'_>,
        division: &Division,
        is_write: bool,
        trips: &[Trips],
    ) -> Option<Rc<Owners>> {
        let operand = &tensor.operand;
        let bytes = operand.buffer.device.bytes().get();
        let element = operand.view.format().bytes_per_element().get();
        let moves = operand
            .advance
            .iter()
            .copied()
            .zip(trips.iter().map(|trips| trips.most));
        let structure = Structure {
            axes: area::axes(&operand.view, &tensor.parts).ok()?,
            sticks: usize::try_from(bytes.div_ceil(STICK_BYTES.get())).ok()?,
            start: operand.view.offset().get() / element,
            element,
            moves: moves.filter(|(step, _)| *step > 0).collect(),
            cores: division.cores,
            summed: if is_write {
                division.summed.clone()
            } else {
                Vec::new()
            },
        };
        let owners = self.owners.entry(structure);
        let owners = owners.or_insert_with_key(|structure| Rc::new(structure.owners()));
        Some(Rc::clone(owners))
    }
}

impl Structure {
    fn owners(&self) -> Owners {
        let mut owners = Owners {
            cores: vec![NONE; self.sticks],
        };
        for core in 0..self.cores {
            if self.summed.iter().all(|digit| digit.of(core) == 0) {
                self.iterations(&self.moves, self.start, core, &mut owners);
            }
        }
        owners
    }

    /// Visits the windows of a core in all iterations of loops.
    fn iterations(&self, moves: &[(u64, u64)], base: u64, core: u32, owners: &mut Owners) {
        let Some((&(step, count), inner)) = moves.split_first() else {
            let mut touch = |stick| owners.touch(stick, core);
            return visit(&self.axes, core, base, self.element, &mut touch);
        };
        for trip in 0..count {
            self.iterations(inner, base + trip * step, core, owners);
        }
    }
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
    if cores == 1 {
        return Ok(launches);
    }
    let tops = accesses.last().map_or(0, |access| access.top + 1);
    let free = free_places(live, tops);
    let mut launch = Launch::default();
    let mut pairs = Pairs::default();
    for (number, access) in accesses.iter().enumerate() {
        launch.add(access);
        let Some(other) = launch.exchange(access, &mut pairs) else {
            continue;
        };
        if other.top == access.top {
            let message = "cores exchange a value through device memory inside of a loop, and no core of KTIR waits for another; \
                           plan without the loop, or on one core";
            return Err(error(access.op, message).note(
                other.op.location(),
                "the other operation on the memory is here",
            ));
        }
        let start = free[access.top].filter(|at| *at > other.top);
        let start = start.unwrap_or(access.top);
        launches.push(start);
        launch = Launch::default();
        let first = accesses.partition_point(|other| other.top < start);
        accesses[first..=number]
            .iter()
            .for_each(|access| launch.add(access));
    }
    Ok(launches)
}

/// Returns for each operation at the top of a function the last place up to it before which no value is in scratchpads.
fn free_places(live: &[Live], tops: usize) -> Vec<Option<usize>> {
    let mut begins = vec![0_usize; tops + 1];
    let mut ends = vec![0_usize; tops + 1];
    for value in live.iter().filter(|value| value.first < value.last) {
        if value.first < tops {
            begins[value.first + 1] += 1;
            ends[value.last.min(tops)] += 1;
        }
    }
    let mut last = None;
    let mut count = 0;
    let places = (0..tops).map(|at| {
        count += begins[at];
        if count == 0 {
            last = Some(at);
        }
        count -= ends[at];
        last
    });
    places.collect()
}

/// The accesses of a launch, those with the same cores at the same place once.
#[derive(Default)]
struct Launch<'p> {
    spaces: FxHashMap<Space, Sticks<'p>>,
}

/// The accesses to a memory.
#[derive(Default)]
struct Sticks<'p> {
    /// The accesses by the first stick of their buffers.
    by_first: BTreeMap<u64, Vec<Entry<'p>>>,
    /// The sticks of the longest buffer.
    longest: u64,
}

struct Entry<'p> {
    owners: Rc<Owners>,
    is_write: bool,
    /// The last operation of these accesses.
    op: Op<'p>,
    /// Its number at the top of the function.
    top: usize,
}

impl<'p> Launch<'p> {
    fn add(&mut self, access: &Access<'p>) {
        let (Some((space, first)), Some(owners)) = (access.position(), &access.owners) else {
            return;
        };
        let sticks = self.spaces.entry(space).or_default();
        sticks.longest = sticks.longest.max(owners.cores.len() as u64);
        let entries = sticks.by_first.entry(first).or_default();
        let same = entries
            .iter_mut()
            .find(|it| it.is_write == access.is_write && Rc::ptr_eq(&it.owners, owners));
        match same {
            Some(entry) => (entry.op, entry.top) = (access.op, access.top),
            None => entries.push(Entry {
                owners: Rc::clone(owners),
                is_write: access.is_write,
                op: access.op,
                top: access.top,
            }),
        }
    }

    /// Returns the last access that exchanges values between cores with an access, if any. An access exchanges with
    /// itself where several cores write.
    fn exchange(&self, access: &Access<'p>, pairs: &mut Pairs) -> Option<&Entry<'p>> {
        let (space, first) = access.position()?;
        let owners = access.owners.as_ref()?;
        let sticks = self.spaces.get(&space)?;
        let low = first.saturating_sub(sticks.longest);
        let high = first + owners.cores.len() as u64;
        let near = sticks.by_first.range(low..high);
        let near = near.flat_map(|(at, entries)| entries.iter().map(move |entry| (*at, entry)));
        let exchanges = near.filter(|(at, entry)| {
            let distance = first.cast_signed() - at.cast_signed();
            (entry.is_write || access.is_write) && pairs.is_shared(&entry.owners, owners, distance)
        });
        exchanges
            .map(|(_, entry)| entry)
            .max_by_key(|entry| entry.top)
    }
}

/// The answers about pairs of buffers, each pair once.
#[derive(Default)]
struct Pairs {
    shared: FxHashMap<(*const Owners, *const Owners, i64), bool>,
}

impl Pairs {
    /// Returns whether different cores touch a stick of two buffers, of which the second begins `distance` sticks later.
    fn is_shared(&mut self, a: &Rc<Owners>, b: &Rc<Owners>, distance: i64) -> bool {
        // The accesses of the program keep their owners, so that no address is reused.
        let key = (Rc::as_ptr(a), Rc::as_ptr(b), distance);
        *self
            .shared
            .entry(key)
            .or_insert_with(|| a.is_shared(b, distance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_at_a_distance_share_the_sticks_of_both() {
        let of = |cores: &[u32]| Owners {
            cores: cores.to_vec(),
        };
        let (a, b) = (of(&[0, 0, 1, 1]), of(&[1, 1, 0, NONE]));
        assert!(a.is_shared(&b, 0));
        assert!(!a.is_shared(&b, 2));
        assert!(a.is_shared(&b, 1));
        assert!(!b.is_shared(&a, 3));
        assert!(!a.is_shared(&of(&[0, 0, 1, 1]), 0));
        assert!(of(&[MANY]).is_shared(&of(&[MANY]), 0));
    }

    #[test]
    fn launches_begin_where_no_value_is_in_scratchpads() {
        let live = [Live { first: 1, last: 3 }, Live { first: 4, last: 6 }];
        let places = free_places(&live, 8);
        assert_eq!(
            places,
            [
                Some(0),
                Some(1),
                Some(1),
                Some(1),
                Some(4),
                Some(4),
                Some(4),
                Some(7)
            ]
        );
    }
}
