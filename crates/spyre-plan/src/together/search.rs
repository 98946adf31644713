//! The walk over the operations with states.

use rustc_hash::FxHashMap;

use super::{Chosen, Held, Operation, Origin, Program, Read, ValueId};
use crate::time::Picoseconds;

/// A value that is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Alive {
    value: usize,
    /// What the scratchpads hold; `None` if it is in device memory.
    held: Option<Held>,
    /// What the reads and writes that have been free would have cost.
    spared: u64,
    /// What the copy into the scratchpads has cost.
    paid: u64,
}

#[derive(Clone, Debug)]
struct State {
    cost: u64,
    alive: Vec<Alive>,
    /// The last step of the way here.
    step: usize,
}

/// A step of a way: the one before it, and the choice.
type Step = (usize, usize);

/// The beginning of all ways.
const START: usize = usize::MAX;

/// How many values are considered for device memory at a time, where there is no room and the beam has a width; and for how many of those
/// that have to leave. Of the rest the cheapest leave, since each order of them would be another way.
const MOST_SPILLS: usize = 4;
const OPEN_SPILLS: usize = 2;

/// Returns the divisions that make the program fastest, as far as a search with so many states knows. The first ones of equals, so
/// that the result does not depend on the machine. With `usize::MAX` states nothing is faster.
///
/// # Panics
/// An operation has no division, or another number of reads than of operands.
#[must_use]
pub fn choose(program: &Program, beam: usize) -> Chosen {
    let last_uses = last_uses(program);
    let mut steps: Vec<Step> = Vec::new();
    let mut states = vec![State {
        cost: 0,
        alive: Vec::new(),
        step: START,
    }];
    for (number, operation) in program.operations.iter().enumerate() {
        assert!(!operation.choices.is_empty(), "operation has no division");
        let mut next: Vec<State> = Vec::new();
        let mut known: FxHashMap<Vec<Alive>, usize> = FxHashMap::default();
        for state in &states {
            for choice in 0..operation.choices.len() {
                let at = At {
                    before: state,
                    program,
                    last_uses: &last_uses,
                    number,
                    operation,
                    choice,
                    all: beam == usize::MAX,
                };
                let mut reached = Vec::new();
                at.after(&mut reached);
                for mut reached in reached {
                    reached
                        .alive
                        .retain(|alive| last_uses[alive.value] > number);
                    let map = |alive: &Alive| alive.held.map(|held| held.slices.map);
                    reached
                        .alive
                        .sort_unstable_by_key(|alive| (alive.value, map(alive)));
                    match known.get(&reached.alive) {
                        Some(same) if next[*same].cost <= reached.cost => continue,
                        _ => {}
                    }
                    steps.push((state.step, choice));
                    reached.step = steps.len() - 1;
                    match known.get(&reached.alive) {
                        Some(same) => next[*same] = reached,
                        None => {
                            known.insert(reached.alive.clone(), next.len());
                            next.push(reached);
                        }
                    }
                }
            }
        }
        next.sort_by_key(|state| (state.cost, state.step));
        next.truncate(beam.max(1));
        states = next;
    }
    let mut choices = Vec::with_capacity(program.operations.len());
    let (time, mut at) = (states[0].cost, states[0].step);
    while at != START {
        let (before, choice) = steps[at];
        choices.push(choice);
        at = before;
    }
    choices.reverse();
    Chosen {
        choices,
        time: Picoseconds(time),
    }
}

/// Returns the number of the last operation during which each value is alive.
fn last_uses(program: &Program) -> Vec<usize> {
    let mut last: Vec<usize> = program.values.iter().map(|value| value.until).collect();
    for (number, operation) in program.operations.iter().enumerate() {
        for value in operation.operands.iter().chain([&operation.result]) {
            last[value.0] = last[value.0].max(number);
        }
    }
    last
}

/// An operation under one of its divisions, behind a state.
struct At<'a> {
    /// The state in front of it.
    before: &'a State,
    program: &'a Program,
    last_uses: &'a [usize],
    number: usize,
    operation: &'a Operation,
    choice: usize,
    /// Whether all ways are followed.
    all: bool,
}

impl At<'_> {
    /// Adds the states behind the operation.
    fn after(&self, reached: &mut Vec<State>) {
        let choice = &self.operation.choices[self.choice];
        assert_eq!(self.operation.operands.len(), choice.reads.len());
        let mut state = self.before.clone();
        state.cost += choice.time.0;
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
                Some(at) => state.share(at, read),
                // Nobody has made it: it is in device memory.
                None => state.cost += read.time.0,
            },
            Origin::Copied(write) => match state.find(*value) {
                Some(at) => state.share(at, read),
                None => {
                    let held = read.held.filter(|_| read.copy.is_some());
                    let moved = write.0 + read.time.0;
                    state.add(*value, held, moved);
                }
            },
            Origin::Memory => {
                let mut copies = state.alive.iter();
                let copy = copies.position(|alive| alive.value == value.0 && holds(alive, read));
                if let Some(copy) = copy {
                    // Nothing of this operation has been found in it.
                    let is_as_before = self.before.alive.contains(&state.alive[copy]);
                    if self.all && is_as_before {
                        // The copy has ended before.
                        let mut ended = state.clone();
                        ended.alive.remove(copy);
                        ended.cost += read.time.0;
                        self.read(from + 1, ended, reached);
                    }
                    state.alive[copy].spared += read.time.0;
                    return self.read(from + 1, state, reached);
                }
                if let (Some(copy), Some(held)) = (read.copy, read.held) {
                    let mut copied = state.clone();
                    copied.cost += copy.0;
                    copied.alive.push(Alive {
                        value: value.0,
                        held: Some(held),
                        spared: read.time.0,
                        paid: copy.0,
                    });
                    self.read(from + 1, copied, reached);
                }
                state.cost += read.time.0;
            }
        }
        self.read(from + 1, state, reached);
    }

    /// Returns whether the operation finds an operand in what is alive.
    fn finds(&self, alive: &Alive) -> bool {
        let choice = &self.operation.choices[self.choice];
        let mut reads = self.operation.operands.iter().zip(&choice.reads);
        reads.any(|(value, read)| value.0 == alive.value && holds(alive, *read))
    }

    /// Writes the result. Returns whether it has not been there before.
    fn write(&self, state: &mut State) -> bool {
        let result = self.operation.result;
        if self.program.values[result.0].origin == Origin::Memory {
            return false; // It is written where it is, whatever the division.
        }
        let held = self.operation.choices[self.choice].result;
        match state.find(result) {
            None => {
                state.add(result, held, self.operation.write.0);
                true
            }
            Some(at) => {
                let written = Read {
                    held,
                    time: self.operation.write,
                    copy: None,
                    is_free_after: false,
                };
                state.share(at, written);
                false
            }
        }
    }

    /// Adds the state, if what the scratchpads hold has room; else those with some of it in device memory, behind so many values that
    /// have left for it.
    fn make_room(&self, state: State, (is_new, left): (bool, usize), reached: &mut Vec<State>) {
        let all: u64 = state.alive.iter().map(bytes).sum();
        let lx = self.program.lx.get();
        if all <= lx {
            return reached.push(state);
        }
        let result = state.find(self.operation.result).filter(|_| is_new);
        let made = result.map_or(0, |at| bytes(&state.alive[at]));
        if made > 0 && all - made <= lx {
            for at in 0..state.alive.len() {
                let alive = state.alive[at];
                if !self.is_under(&alive, made) {
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
                alive.spared.saturating_sub(alive.paid) / bytes(&alive).max(1)
            });
            candidates.truncate(if left < OPEN_SPILLS { MOST_SPILLS } else { 1 });
        }
        for at in candidates {
            let alive = state.alive[at];
            let next = (is_new, left + 1);
            let may_end = self.is_copy(&alive) && !self.finds(&alive);
            if may_end {
                // A copy ends before this operation.
                let mut ended = state.clone();
                ended.alive.remove(at);
                self.make_room(ended, next, reached);
            }
            // What it has saved so far is worth more than the copy has cost, so it ends where not all ways are followed.
            let ends = may_end && alive.spared >= alive.paid;
            if self.all || left < OPEN_SPILLS || !ends {
                let mut spilled = state.clone();
                // It has been in device memory all the time, and was not copied.
                spilled.cost = spilled.cost + alive.spared - alive.paid;
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
                state.alive[at].spared = 0;
            }
            Origin::Memory => {
                state.alive.remove(at);
            }
        }
    }

    /// Returns whether the result may be written over a value that the operation reads: it is not larger, and what is read of
    /// the value later is not in the scratchpads.
    fn is_under(&self, alive: &Alive, made: u64) -> bool {
        let choice = &self.operation.choices[self.choice];
        let reads = self.operation.operands.iter().zip(&choice.reads);
        let mut reads = reads
            .filter(|(value, read)| value.0 == alive.value && holds(alive, **read))
            .map(|(_, read)| read.is_free_after)
            .peekable();
        alive.value != self.operation.result.0
            && bytes(alive) >= made
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

/// Returns whether cores find what they read in what the scratchpads hold of a value.
fn holds(alive: &Alive, read: Read) -> bool {
    let both = alive.held.zip(read.held);
    both.is_some_and(|(there, read)| there.slices.have(read.slices))
}

impl State {
    fn find(&self, value: ValueId) -> Option<usize> {
        self.alive.iter().position(|alive| alive.value == value.0)
    }

    /// Adds a value. In device memory it costs some time to move it.
    fn add(&mut self, value: ValueId, held: Option<Held>, moved: u64) {
        if held.is_none() {
            self.cost += moved;
        }
        self.alive.push(Alive {
            value: value.0,
            held,
            spared: if held.is_some() { moved } else { 0 },
            paid: 0,
        });
    }

    /// Reads or writes a value that an operation has made. If it cannot be in the scratchpad for that, it has been in device memory
    /// all the time.
    fn share(&mut self, at: usize, read: Read) {
        let there = self.alive[at].held;
        if there
            .zip(read.held)
            .is_some_and(|(there, read)| there.slices.have(read.slices))
        {
            self.alive[at].spared += read.time.0;
            return;
        }
        if there.is_some() {
            self.cost += self.alive[at].spared;
            self.alive[at].held = None;
            self.alive[at].spared = 0;
        }
        self.cost += read.time.0;
    }
}
