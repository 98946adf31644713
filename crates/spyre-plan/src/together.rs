//! The divisions of all operations of a program, chosen together.
//!
//! A value stays in the scratchpads where the cores that read it find their slices on their own core. If one reader does not, the value
//! goes through device memory for all of them. So a division that is good for one operation can be bad for its neighbours: a product
//! that is cut along rows and columns broadcasts its weights to few cores, and its rows have to go through device memory. [`choose`]
//! walks over the operations with states: the slices of the values that are alive, and which of them are in device memory. Of states that
//! are equal in all that later operations can tell the cheapest stays, and of the others as many as the beam is wide.
//!
//! Times are those of [`cost`](crate::cost). What has no room in the scratchpad is not known here.

use rustc_hash::FxHashMap;

use crate::time::Picoseconds;

/// The slices of a tensor that the cores have: an equal number for equal slices, and how many cores have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slices {
    /// The map from a core to its slice.
    pub map: u32,
    /// The cores that have a slice: the first so many.
    pub cores: u32,
}

impl Slices {
    /// Returns whether cores that need the slices `read` have them here.
    fn have(self, read: Self) -> bool {
        self.map == read.map && read.cores <= self.cores
    }
}

/// The number of a value of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueId(pub usize);

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An operation makes it. In device memory it costs so much to write.
    Made(Picoseconds),
    /// It is in device memory. If it may be `cached`, those who read the same slices after the first find it in the scratchpad.
    Memory {
        /// Whether it is copied into the scratchpad.
        cached: bool,
    },
}

/// An operand of an operation under a division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// The slices that the cores read; `None` if they cannot be in the scratchpad.
    pub slices: Option<Slices>,
    /// The time to read it from device memory, all executions together.
    pub time: Picoseconds,
}

/// A division of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The time to compute, all executions together.
    pub time: Picoseconds,
    /// The slices of the result that the cores make; `None` if it cannot stay in the scratchpad.
    pub result: Option<Slices>,
    /// What it reads of each operand.
    pub reads: Vec<Read>,
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its divisions, at least one.
    pub choices: Vec<Choice>,
    /// The values that its operands are.
    pub operands: Vec<ValueId>,
    /// The value that it makes, or that it writes over, as the next value of a loop does.
    pub result: ValueId,
}

/// A program, its operations in the order of execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Where the values come from.
    pub values: Vec<Origin>,
    /// The operations.
    pub operations: Vec<Operation>,
}

/// A value that is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Alive {
    value: usize,
    /// The slices that are in the scratchpads; `None` if it is in device memory.
    slices: Option<Slices>,
    /// What the reads and writes that have been free would have cost.
    spared: u64,
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

/// Returns the number of the division of each operation that makes the program fastest, as far as a search with so many states knows.
/// The first one of equals, so that the result does not depend on the machine.
///
/// # Panics
/// An operation has no division, or another number of reads than of operands.
#[must_use]
pub fn choose(program: &Program, beam: usize) -> Vec<usize> {
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
            for (choice, division) in operation.choices.iter().enumerate() {
                let mut reached = state.after(program, operation, division);
                reached
                    .alive
                    .retain(|alive| last_uses[alive.value] > number);
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
        next.sort_by_key(|state| (state.cost, state.step));
        next.truncate(beam.max(1));
        states = next;
    }
    let mut choices = Vec::with_capacity(program.operations.len());
    let mut at = states[0].step;
    while at != START {
        let (before, choice) = steps[at];
        choices.push(choice);
        at = before;
    }
    choices.reverse();
    choices
}

/// Returns the time of a program under some divisions.
///
/// # Panics
/// There are not as many choices as operations.
#[must_use]
pub fn time(program: &Program, choices: &[usize]) -> Picoseconds {
    assert_eq!(choices.len(), program.operations.len());
    let mut state = State {
        cost: 0,
        alive: Vec::new(),
        step: START,
    };
    for (operation, choice) in program.operations.iter().zip(choices) {
        state = state.after(program, operation, &operation.choices[*choice]);
    }
    Picoseconds(state.cost)
}

/// Returns the number of the last operation that reads or writes each value.
fn last_uses(program: &Program) -> Vec<usize> {
    let mut last = vec![0; program.values.len()];
    for (number, operation) in program.operations.iter().enumerate() {
        for value in operation.operands.iter().chain([&operation.result]) {
            last[value.0] = number;
        }
    }
    last
}

impl State {
    /// Returns the state after an operation.
    fn after(&self, program: &Program, operation: &Operation, choice: &Choice) -> Self {
        assert_eq!(operation.operands.len(), choice.reads.len());
        let mut state = self.clone();
        state.cost += choice.time.0;
        for (value, read) in operation.operands.iter().zip(&choice.reads) {
            state.read(program.values[value.0], *value, *read);
        }
        let Origin::Made(write) = program.values[operation.result.0] else {
            return state; // It is written where it is, whatever the division.
        };
        match state.find(operation.result) {
            None => {
                let is_kept = choice.result.is_some();
                state.alive.push(Alive {
                    value: operation.result.0,
                    slices: choice.result,
                    spared: if is_kept { write.0 } else { 0 },
                });
                if !is_kept {
                    state.cost += write.0;
                }
            }
            Some(at) => {
                let written = Read {
                    slices: choice.result,
                    time: write,
                };
                state.share(at, written);
            }
        }
        state
    }

    fn find(&self, value: ValueId) -> Option<usize> {
        self.alive.iter().position(|alive| alive.value == value.0)
    }

    fn read(&mut self, origin: Origin, value: ValueId, read: Read) {
        match (origin, self.find(value)) {
            (Origin::Made(_), Some(at)) => self.share(at, read),
            (Origin::Memory { cached: true }, Some(at)) => {
                let there = self.alive[at].slices.zip(read.slices);
                if !there.is_some_and(|(there, read)| there.have(read)) {
                    self.cost += read.time.0;
                }
            }
            (Origin::Memory { cached: true }, None) if read.slices.is_some() => {
                self.cost += read.time.0;
                self.alive.push(Alive {
                    value: value.0,
                    slices: read.slices,
                    spared: 0,
                });
            }
            (Origin::Memory { .. } | Origin::Made(_), _) => self.cost += read.time.0,
        }
    }

    /// Reads or writes a value that an operation has made. If it cannot be in the scratchpad for that, it has been in device memory
    /// all the time.
    fn share(&mut self, at: usize, read: Read) {
        let there = self.alive[at].slices;
        if there
            .zip(read.slices)
            .is_some_and(|(there, read)| there.have(read))
        {
            self.alive[at].spared += read.time.0;
            return;
        }
        if there.is_some() {
            self.cost += self.alive[at].spared;
            self.alive[at].slices = None;
            self.alive[at].spared = 0;
        }
        self.cost += read.time.0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn slices(map: u32) -> Option<Slices> {
        Some(Slices { map, cores: 32 })
    }

    fn read(map: u32, time: u64) -> Read {
        Read {
            slices: slices(map),
            time: Picoseconds(time),
        }
    }

    /// An operation of one operand; a division per element of `times`, with slices of its number.
    fn operation(operand: usize, result: usize, times: &[u64], reads: u64) -> Operation {
        let choices = (0..).zip(times).map(|(map, time)| Choice {
            time: Picoseconds(*time),
            result: slices(map),
            reads: vec![read(map, reads)],
        });
        Operation {
            choices: choices.collect(),
            operands: vec![ValueId(operand)],
            result: ValueId(result),
        }
    }

    #[test]
    fn neighbours_agree_where_that_is_faster() {
        let made = Origin::Made(Picoseconds(10));
        let values = vec![Origin::Memory { cached: false }, made, made];
        // The second operation is faster by 5 with other slices, and by 25 in the second program.
        for (fast, expected, time_expected) in [(45, [0, 0], 100), (25, [0, 1], 95)] {
            let program = Program {
                values: values.clone(),
                operations: vec![
                    operation(0, 1, &[50, 70], 0),
                    operation(1, 2, &[50, fast], 10),
                ],
            };
            assert_eq!(choose(&program, 64), expected);
            assert_eq!(time(&program, &expected), Picoseconds(time_expected));
        }
    }

    #[test]
    fn what_one_reader_does_not_find_is_in_memory_for_all() {
        let values = vec![
            Origin::Memory { cached: false },
            Origin::Made(Picoseconds(10)),
            Origin::Made(Picoseconds(0)),
            Origin::Made(Picoseconds(0)),
        ];
        let program = Program {
            values,
            operations: vec![
                operation(0, 1, &[0, 0], 0),
                operation(1, 2, &[0, 0], 7),
                operation(1, 3, &[0, 0], 5),
            ],
        };
        assert_eq!(time(&program, &[0, 0, 0]), Picoseconds(0));
        assert_eq!(time(&program, &[0, 0, 1]), Picoseconds(22));
        assert_eq!(time(&program, &[0, 1, 0]), Picoseconds(22));
    }

    #[test]
    fn a_cached_argument_is_read_once_by_those_of_the_same_slices() {
        let values = |cached| vec![Origin::Memory { cached }, Origin::Made(Picoseconds(0))];
        let operations = vec![operation(0, 1, &[0, 0], 7), operation(0, 1, &[0, 0], 5)];
        let program = |cached| Program {
            values: values(cached),
            operations: operations.clone(),
        };
        assert_eq!(time(&program(true), &[0, 0]), Picoseconds(7));
        assert_eq!(time(&program(true), &[0, 1]), Picoseconds(12));
        assert_eq!(time(&program(false), &[0, 0]), Picoseconds(12));
    }

    /// Draws programs of a few operations, each of which reads one or two earlier values.
    fn programs() -> impl Strategy<Value = Program> {
        let choice = (
            0..40_u64,
            0..3_u32,
            0..4_u32,
            prop::collection::vec((0..4_u32, 0..30_u64), 2),
        );
        let choice = choice.prop_map(|(time, map, is_none, reads)| Choice {
            time: Picoseconds(time),
            result: if is_none == 0 { None } else { slices(map) },
            reads: reads
                .into_iter()
                .map(|(map, time)| Read {
                    slices: if map == 3 { None } else { slices(map) },
                    time: Picoseconds(time),
                })
                .collect(),
        });
        let operation = (
            prop::collection::vec(choice, 1..4),
            any::<prop::sample::Index>(),
            any::<prop::sample::Index>(),
        );
        (
            prop::collection::vec(operation, 1..6),
            any::<bool>(),
            0..30_u64,
        )
            .prop_map(|(drawn, cached, write)| {
                let mut program = Program {
                    values: vec![Origin::Memory { cached }],
                    operations: Vec::new(),
                };
                for (choices, first, second) in drawn {
                    let known = program.values.len();
                    program.operations.push(Operation {
                        choices,
                        operands: vec![ValueId(first.index(known)), ValueId(second.index(known))],
                        result: ValueId(known),
                    });
                    program.values.push(Origin::Made(Picoseconds(write)));
                }
                program
            })
    }

    /// Returns the least time of all combinations.
    fn enumerated(program: &Program) -> Picoseconds {
        let mut best = Picoseconds(u64::MAX);
        let mut choices = vec![0; program.operations.len()];
        loop {
            best = best.min(time(program, &choices));
            let mut at = 0;
            loop {
                let Some(choice) = choices.get_mut(at) else {
                    return best;
                };
                *choice += 1;
                if *choice < program.operations[at].choices.len() {
                    break;
                }
                *choice = 0;
                at += 1;
            }
        }
    }

    proptest! {
        #[test]
        fn nothing_is_faster(program in programs()) {
            let chosen = choose(&program, usize::MAX);
            prop_assert_eq!(time(&program, &chosen), enumerated(&program));
            let narrow = choose(&program, 1);
            prop_assert!(time(&program, &narrow) >= enumerated(&program));
        }
    }
}
