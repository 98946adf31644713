//! The walk over the operations with states.

use std::collections::hash_map::Entry;
use std::ops::{AddAssign, SubAssign};

use rustc_hash::FxHashMap;
use spyre_layout::Bytes;

use super::{
    Chosen, Copied, CopyCost, Held, Nest, Operation, Origin, Program, Slices, Traffic, ValueId,
};
use crate::time::Picoseconds;

/// The cost of a path so far, or of traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Cost {
    pub(super) picoseconds: u64,
    pub(super) bytes: u64,
}

impl Cost {
    /// Returns the cost of traffic with a factor on its time.
    fn moved(traffic: Traffic, weight: u64) -> Self {
        Self {
            picoseconds: traffic.time.times(weight).0,
            bytes: traffic.bytes.get(),
        }
    }
}

impl From<Picoseconds> for Cost {
    fn from(time: Picoseconds) -> Self {
        Self {
            picoseconds: time.0,
            bytes: 0,
        }
    }
}

// Sizes and counts come from the program. Sums saturate at 2^64 - 1, which no memory has.
impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.picoseconds = self.picoseconds.saturating_add(other.picoseconds);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

impl SubAssign for Cost {
    fn sub_assign(&mut self, other: Self) {
        self.picoseconds = self.picoseconds.saturating_sub(other.picoseconds);
        self.bytes = self.bytes.saturating_sub(other.bytes);
    }
}

/// A value that is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Alive {
    value: usize,
    /// The parts that the scratchpads hold; `None` if it is in device memory.
    held: Option<Held>,
    /// The cost that the reads and writes that have been free would have had.
    spared: Cost,
    /// The cost of the copy into the scratchpads.
    paid: Cost,
}

/// The loops around the last operation of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Open {
    /// The tiling, by number.
    pub(super) tiling: usize,
    pub(super) nest: Option<Nest>,
}

/// The slices of a copy that has not been read yet.
const UNREAD: Slices = Slices {
    map: u32::MAX,
    cores: 0,
};

/// Where a way is.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) cost: Cost,
    pub(super) open: Open,
    alive: Vec<Alive>,
    /// The last step of the path.
    pub(super) step: StepId,
}

impl State {
    /// The beginning of all ways.
    pub(super) const START: Self = Self {
        cost: Cost {
            picoseconds: 0,
            bytes: 0,
        },
        open: Open {
            tiling: 0,
            nest: None,
        },
        alive: Vec::new(),
        step: None,
    };
}

/// The number of a step; `None` at the beginning.
pub(super) type StepId = Option<usize>;

/// The steps of all paths: the previous step of each, and the choice.
#[derive(Default)]
pub(super) struct Steps(Vec<(StepId, usize)>);

impl Steps {
    pub(super) fn add(&mut self, before: StepId, choice: usize) -> StepId {
        self.0.push((before, choice));
        Some(self.0.len() - 1)
    }

    /// Returns the choices on the path to a step, in order.
    pub(super) fn choices(&self, last: StepId) -> Vec<usize> {
        let mut choices = Vec::new();
        let mut next = last;
        while let Some(step) = next {
            let (before, choice) = self.0[step];
            choices.push(choice);
            next = before;
        }
        choices.reverse();
        choices
    }
}

/// The number of values that are considered for device memory at a time, where the scratchpads are full and the beam is
/// limited; and the number of evicted values for which several are considered. After these the cheapest value is
/// evicted, since each order would be another path.
const MOST_SPILLS: usize = 4;
const OPEN_SPILLS: usize = 2;

/// Returns the divisions that make the program fastest, found with a beam of `beam` states; `None` if the search finds
/// none within the limit of bytes. Among equal results it is the first one, so that it does not depend on the machine.
/// With `usize::MAX` states the result is optimal.
///
/// # Panics
/// An operation has no division, or another number of reads than of operands.
#[must_use]
pub fn choose(program: &Program, beam: usize) -> Option<Chosen> {
    let walk = Walk::new(program, beam == usize::MAX);
    let mut steps = Steps::default();
    let mut states = vec![State::START];
    for number in 0..program.operations.len() {
        let mut next = Front::new(program.most_bytes);
        for state in &states {
            walk.step(number, state, &mut next, |choice| {
                steps.add(state.step, choice)
            });
        }
        states = next.best(beam);
    }
    let best = states.first()?;
    Some(Chosen {
        choices: steps.choices(best.step),
        time: Picoseconds(best.cost.picoseconds),
        bytes: Bytes(best.cost.bytes),
    })
}

/// The program that the search walks over.
pub(super) struct Walk<'a> {
    program: &'a Program,
    /// The number of the last operation during which each value is alive.
    last_uses: Vec<usize>,
    /// For each value that an operation writes, the number of the last operation that reads or writes it.
    last_reads: Vec<Option<usize>>,
    /// The copies that take room from an operation on.
    begin: FxHashMap<usize, Vec<(usize, Copied)>>,
    /// Whether all ways are followed.
    all: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn new(program: &'a Program, all: bool) -> Self {
        let mut last_uses: Vec<usize> = program.values.iter().map(|value| value.until).collect();
        let mut last_reads = vec![0; program.values.len()];
        let mut is_made = vec![false; program.values.len()];
        for (number, operation) in program.operations.iter().enumerate() {
            for value in operation.operands.iter().chain([&operation.result]) {
                last_uses[value.0] = last_uses[value.0].max(number);
                last_reads[value.0] = number;
            }
            let result = operation.result.0;
            is_made[result] |= program.values[result].origin != Origin::Memory;
        }
        let mut begin: FxHashMap<usize, Vec<(usize, Copied)>> = FxHashMap::default();
        for (number, value) in program.values.iter().enumerate() {
            if let Origin::Copied(copied) = value.origin
                && let Some(from) = copied.from
            {
                begin.entry(from).or_default().push((number, copied));
            }
        }
        let last_reads = last_reads.into_iter().zip(is_made);
        Self {
            program,
            last_uses,
            last_reads: last_reads
                .map(|(last, is_made)| is_made.then_some(last))
                .collect(),
            begin,
            all,
        }
    }

    /// Adds the successors of a state under the choices of an operation. `step` builds the step of a choice.
    pub(super) fn step(
        &self,
        number: usize,
        before: &State,
        next: &mut Front,
        mut step: impl FnMut(usize) -> StepId,
    ) {
        let operation = &self.program.operations[number];
        assert!(!operation.choices.is_empty(), "operation has no division");
        for choice in 0..operation.choices.len() {
            let at = At {
                before,
                program: self.program,
                last_uses: &self.last_uses,
                number,
                begin: self.begin.get(&number).map_or(&[], Vec::as_slice),
                operation,
                choice,
                all: self.all,
            };
            let mut reached = Vec::new();
            at.after(&mut reached);
            for mut reached in reached {
                let last_uses = &self.last_uses;
                reached
                    .alive
                    .retain(|alive| last_uses[alive.value] > number);
                let map = |alive: &Alive| alive.held.map(|held| held.slices.map);
                reached
                    .alive
                    .sort_unstable_by_key(|alive| (alive.value, map(alive)));
                next.add(reached, || step(choice));
            }
        }
    }

    /// Empties the scratchpads after `operation_count` operations. Results that are read later count as written to
    /// device memory from the start.
    pub(super) fn leave(&self, state: &mut State, operation_count: usize) {
        for alive in std::mem::take(&mut state.alive) {
            if self.last_reads[alive.value].is_some_and(|last| last >= operation_count) {
                state.cost += alive.spared;
            }
        }
    }
}

/// The parts of a state that later operations can distinguish.
type StateKey = (Open, Vec<Alive>);

/// The states after an operation. No state dominates another one.
pub(super) struct Front {
    /// The most bytes that may have moved; `None` where bytes do not count.
    most_bytes: Option<u64>,
    /// `None` for a state that is dominated.
    states: Vec<Option<State>>,
    /// The indices of states that later operations cannot distinguish.
    indices: FxHashMap<StateKey, Vec<usize>>,
}

impl Front {
    pub(super) fn new(most_bytes: Option<Bytes>) -> Self {
        Self {
            most_bytes: most_bytes.map(Bytes::get),
            states: Vec::new(),
            indices: FxHashMap::default(),
        }
    }

    /// Adds a state, unless an equally good one exists. `step` records the step to the new state.
    pub(super) fn add(&mut self, mut state: State, step: impl FnOnce() -> StepId) {
        let Self {
            most_bytes,
            states,
            indices,
        } = self;
        if most_bytes.is_some_and(|most| state.cost.bytes > most) {
            return;
        }
        let is_as_good = |left: Cost, other: Cost| {
            left.picoseconds <= other.picoseconds
                && (most_bytes.is_none() || left.bytes <= other.bytes)
        };
        let next = states.len();
        match indices.entry((state.open, state.alive.clone())) {
            Entry::Vacant(first) => {
                first.insert(vec![next]);
            }
            Entry::Occupied(mut same) => {
                let same = same.get_mut();
                let cost = |at: &usize| states[*at].as_ref().map(|state| state.cost);
                let mut costs = same.iter().filter_map(cost);
                if costs.any(|cost| is_as_good(cost, state.cost)) {
                    return;
                }
                same.retain(|at| {
                    let is_worse = states[*at]
                        .as_ref()
                        .is_none_or(|present| is_as_good(state.cost, present.cost));
                    if is_worse {
                        states[*at] = None;
                    }
                    !is_worse
                });
                same.push(next);
            }
        }
        state.step = step();
        states.push(Some(state));
    }

    /// Returns the `beam` fastest states, the fastest first. Where bytes have a limit, a quarter of this number of
    /// other states follows, the ones with the fewest bytes first.
    pub(super) fn best(self, beam: usize) -> Vec<State> {
        let mut states: Vec<State> = self.states.into_iter().flatten().collect();
        states.sort_by_cached_key(|state| (state.promise(), state.step));
        let beam = beam.max(1);
        if states.len() > beam {
            let mut others = states.split_off(beam);
            if self.most_bytes.is_some() {
                others.sort_by_key(|state| (state.cost.bytes, state.step));
                others.truncate(beam.div_ceil(4));
                states.extend(others);
            }
        }
        states
    }
}

/// An operation under one of its divisions, applied to a state.
struct At<'a> {
    /// The state before it.
    before: &'a State,
    program: &'a Program,
    last_uses: &'a [usize],
    number: usize,
    /// The copies that take room from here on.
    begin: &'a [(usize, Copied)],
    operation: &'a Operation,
    choice: usize,
    /// Whether all ways are followed.
    all: bool,
}

impl At<'_> {
    /// Adds the states after the operation.
    fn after(&self, reached: &mut Vec<State>) {
        let choice = &self.operation.choices[self.choice];
        assert_eq!(self.operation.operands.len(), choice.reads.len());
        let mut state = self.before.clone();
        state.cost += choice.time.into();
        for (value, copied) in self.begin {
            self.begin(&mut state, *value, *copied);
        }
        self.read(0, state, reached);
    }

    /// Reads the operands from one on, then writes the result.
    fn read(&self, from: usize, mut state: State, reached: &mut Vec<State>) {
        let choice = &self.operation.choices[self.choice];
        let Some(value) = self.operation.operands.get(from) else {
            let is_new = self.write(&mut state);
            return self.make_room(state, (is_new, 0), reached);
        };
        let read = choice.reads[from];
        match self.program.values[value.0].origin {
            Origin::Made => match state.find(*value) {
                Some(at) => state.share(at, read.held, self.result_cost(read.memory)),
                // The state has no slices of the value in scratchpads, so it is in device memory.
                None => state.cost += self.result_cost(read.memory),
            },
            Origin::Copied(copied) => {
                let at = state.find(*value);
                let at = at.unwrap_or_else(|| self.begin(&mut state, value.0, copied));
                let alive = &mut state.alive[at];
                let is_first = alive.held.is_some_and(|held| held.slices == UNREAD);
                if let Some(held) = read.held.filter(|_| is_first && read.copy.is_some()) {
                    alive.held = Some(held);
                }
                state.share(at, read.held, self.result_cost(read.memory));
            }
            Origin::Memory => {
                let memory = Cost::moved(read.memory, self.program.weights.memory);
                let mut copies = state.alive.iter();
                let copy =
                    copies.position(|alive| alive.value == value.0 && holds(alive, read.held));
                if let Some(copy) = copy {
                    // Whether no earlier operand of this operation has read the copy.
                    let is_as_before = self.before.alive.contains(&state.alive[copy]);
                    if self.all && is_as_before {
                        // The copy has ended before.
                        let mut ended = state.clone();
                        ended.alive.remove(copy);
                        ended.cost += memory;
                        self.read(from + 1, ended, reached);
                    }
                    state.alive[copy].spared += memory;
                    return self.read(from + 1, state, reached);
                }
                if let (Some(copy), Some(held)) = (read.copy, read.held) {
                    let mut copied = state.clone();
                    let paid = self.copied(copy);
                    copied.cost += paid;
                    copied.alive.push(Alive {
                        value: value.0,
                        held: Some(held),
                        spared: memory,
                        paid,
                    });
                    self.read(from + 1, copied, reached);
                }
                state.cost += memory;
            }
        }
        self.read(from + 1, state, reached);
    }

    /// Adds a value that is copied, in slices that its first reader chooses. Returns where it is.
    fn begin(&self, state: &mut State, value: usize, copied: Copied) -> usize {
        state.cost += self.copied(copied.copy);
        let mut spared = self.result_cost(copied.write);
        if copied.is_written_out {
            state.cost += std::mem::take(&mut spared);
        }
        state.alive.push(Alive {
            value,
            held: Some(Held {
                slices: UNREAD,
                bytes: copied.bytes,
            }),
            spared,
            paid: Cost::default(),
        });
        state.alive.len() - 1
    }

    fn copied(&self, copy: CopyCost) -> Cost {
        let mut cost = Cost::moved(copy.memory, self.program.weights.memory);
        cost += copy.compute.into();
        cost
    }

    /// Returns the cost of the traffic of a result, or of a copy that the program has.
    fn result_cost(&self, traffic: Traffic) -> Cost {
        Cost::moved(traffic, self.program.weights.results)
    }

    /// Returns whether the operation finds an operand in a live value.
    fn finds(&self, alive: &Alive) -> bool {
        let choice = &self.operation.choices[self.choice];
        let mut reads = self.operation.operands.iter().zip(&choice.reads);
        reads.any(|(value, read)| value.0 == alive.value && holds(alive, read.held))
    }

    /// Writes the result. Returns whether it is new.
    fn write(&self, state: &mut State) -> bool {
        let result = self.operation.result;
        if self.program.values[result.0].origin == Origin::Memory {
            return false; // It is written in device memory, under any division.
        }
        let held = self.operation.choices[self.choice].result;
        let written = self.result_cost(self.operation.write);
        match state.find(result) {
            None => {
                let mut spared = written;
                if held.is_some() && self.operation.is_written_out {
                    state.cost += std::mem::take(&mut spared);
                }
                state.add(result, held, spared);
                true
            }
            Some(at) => {
                state.share(at, held, written);
                false
            }
        }
    }

    /// Adds the state if its values fit into the scratchpads, and otherwise states with some of the values in device
    /// memory. `left` is the number of values that were evicted.
    fn make_room(&self, state: State, (is_new, left): (bool, usize), reached: &mut Vec<State>) {
        let all: u64 = state.alive.iter().map(bytes).sum();
        let lx = self.program.lx.get();
        if all <= lx {
            return reached.push(state);
        }
        let result = state.find(self.operation.result).filter(|_| is_new);
        let result_bytes = result.map_or(0, |at| bytes(&state.alive[at]));
        if result_bytes > 0 && all - result_bytes <= lx {
            for at in 0..state.alive.len() {
                let alive = state.alive[at];
                if !self.is_under(&alive, result_bytes) {
                    continue;
                }
                if self.ends(&alive) {
                    return reached.push(state);
                }
                // A copy ends here, and later reads are from memory.
                let mut over = state.clone();
                over.alive.remove(at);
                reached.push(over);
            }
        }
        let mut candidates: Vec<usize> = (0..state.alive.len())
            .filter(|at| state.alive[*at].held.is_some())
            .collect();
        if !self.all {
            // The cheapest bytes first.
            candidates.sort_by_key(|at| {
                let alive = state.alive[*at];
                let saved = alive.spared.picoseconds;
                saved.saturating_sub(alive.paid.picoseconds) / bytes(&alive).max(1)
            });
            candidates.truncate(if left < OPEN_SPILLS { MOST_SPILLS } else { 1 });
        }
        for at in candidates {
            let alive = state.alive[at];
            let next = (is_new, left + 1);
            let may_end = self.is_copy(&alive) && !self.finds(&alive);
            // A copy that has saved at least its own cost ends here where the search is not exhaustive.
            let ends = may_end && alive.spared.picoseconds >= alive.paid.picoseconds;
            let both = self.all || left < OPEN_SPILLS;
            if may_end && (both || ends) {
                // A copy ends before this operation.
                let mut ended = state.clone();
                ended.alive.remove(at);
                self.make_room(ended, next, reached);
            }
            if both || !ends {
                let mut spilled = state.clone();
                // The value has been in device memory since its definition, and was not copied.
                spilled.cost += alive.spared;
                spilled.cost -= alive.paid;
                self.give_up(&mut spilled, at);
                self.make_room(spilled, next, reached);
            }
        }
    }

    /// Takes a value out of the scratchpads.
    fn give_up(&self, state: &mut State, at: usize) {
        match self.program.values[state.alive[at].value].origin {
            Origin::Made | Origin::Copied(_) => {
                state.alive[at].held = None;
                state.alive[at].spared = Cost::default();
            }
            Origin::Memory => {
                state.alive.remove(at);
            }
        }
    }

    /// Returns whether the result may be written over a value that the operation reads: it is not larger, and later
    /// reads of the value are not from the scratchpads.
    fn is_under(&self, alive: &Alive, result_bytes: u64) -> bool {
        let choice = &self.operation.choices[self.choice];
        let reads = self.operation.operands.iter().zip(&choice.reads);
        let mut reads = reads
            .filter(|(value, read)| value.0 == alive.value && holds(alive, read.held))
            .map(|(_, read)| read.is_free_after)
            .peekable();
        alive.value != self.operation.result.0
            && bytes(alive) >= result_bytes
            && (self.ends(alive) || self.is_copy(alive))
            && reads.peek().is_some()
            && reads.all(|is_free_after| is_free_after)
    }

    fn ends(&self, alive: &Alive) -> bool {
        self.last_uses[alive.value] == self.number
    }

    fn is_copy(&self, alive: &Alive) -> bool {
        self.program.values[alive.value].origin == Origin::Memory
    }
}

/// Returns the bytes of a scratchpad that a value takes.
fn bytes(alive: &Alive) -> u64 {
    alive.held.map_or(0, |held| held.bytes.get())
}

/// Returns whether the cores find their slices in the part of a value that the scratchpads hold.
fn holds(alive: &Alive, wanted: Option<Held>) -> bool {
    let both = alive.held.zip(wanted);
    both.is_some_and(|(there, wanted)| there.slices.have(wanted.slices))
}

impl State {
    /// Returns the time by which unfinished paths are compared: without the cost of copies that later reads may save. A
    /// copy pays off at its second reader, and would be dropped before it otherwise.
    fn promise(&self) -> u64 {
        let mut cost = self.cost;
        for Alive { paid, spared, .. } in &self.alive {
            cost -= *paid;
            cost += (*paid).min(*spared);
        }
        cost.picoseconds
    }

    fn find(&self, value: ValueId) -> Option<usize> {
        self.alive.iter().position(|alive| alive.value == value.0)
    }

    /// Adds a value. In device memory it costs some time to move it.
    fn add(&mut self, value: ValueId, held: Option<Held>, moved: Cost) {
        if held.is_none() {
            self.cost += moved;
        }
        self.alive.push(Alive {
            value: value.0,
            held,
            spared: if held.is_some() {
                moved
            } else {
                Cost::default()
            },
            paid: Cost::default(),
        });
    }

    /// Reads or writes the result of an operation, in the given slices. If the scratchpads cannot hold it in these
    /// slices, it has been in device memory all the time, where each access costs `moved`.
    fn share(&mut self, at: usize, held: Option<Held>, moved: Cost) {
        let alive = &mut self.alive[at];
        if holds(alive, held) {
            alive.spared += moved;
            return;
        }
        if alive.held.take().is_some() {
            self.cost += std::mem::take(&mut alive.spared);
        }
        self.cost += moved;
    }
}
