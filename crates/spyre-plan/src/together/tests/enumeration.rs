//! The least time of a program, from an enumeration of everything.

use super::addresses::{self, fits};
use super::*;

/// A buffer in a scratchpad: a value, and its slices.
type Buffer = addresses::Buffer<(usize, Slices)>;

/// The cost of a way: picoseconds and bytes.
type Cost = (u64, u64);

/// Returns a function that adds the cost of traffic with a factor on its time.
fn plus(weight: u64) -> impl Fn(Cost, Traffic) -> Cost {
    move |cost, traffic| {
        (
            cost.0 + traffic.time.0 * weight,
            cost.1 + traffic.bytes.get(),
        )
    }
}

/// Returns the least time of all divisions, values in the scratchpad, copies, and addresses that move no more bytes than they may;
/// `u64::MAX` if all move more.
pub(super) fn enumerated(program: &Program) -> u64 {
    let mut best = u64::MAX;
    let counts: Vec<usize> = program
        .operations
        .iter()
        .map(|op| op.choices.len())
        .collect();
    each(&counts, &mut |choices| {
        let chosen: Vec<&Choice> = program
            .operations
            .iter()
            .zip(choices)
            .map(|(op, choice)| &op.choices[*choice])
            .collect();
        let compute: u64 = chosen.iter().map(|choice| choice.time.0).sum();
        if compute < best {
            let mut places = Places {
                program,
                chosen: &chosen,
                buffers: Vec::new(),
                best,
            };
            places.values(0, (compute, 0));
            best = places.best;
        }
    });
    best
}

/// Calls `visit` with every list of numbers in which each number is below its count in `counts`.
pub(super) fn each(counts: &[usize], visit: &mut impl FnMut(&[usize])) {
    let mut numbers = vec![0; counts.len()];
    loop {
        visit(&numbers);
        let Some(at) = (0..counts.len()).find(|at| numbers[*at] + 1 < counts[*at]) else {
            return;
        };
        numbers[at] += 1;
        numbers[..at].fill(0);
    }
}

/// Returns whether a read gets its slices from a buffer.
fn finds(held: Held, read: &Read) -> bool {
    read.held.is_some_and(|read| read.slices == held.slices)
}

/// A search for the places of values, with the choices for operations.
struct Places<'p> {
    program: &'p Program,
    chosen: &'p [&'p Choice],
    /// The buffers in the scratchpad so far.
    buffers: Vec<Buffer>,
    /// The least time so far.
    best: u64,
}

impl Places<'_> {
    /// Decides about the values from one on: whether it is in the scratchpad, or when it is copied there.
    fn values(&mut self, from: usize, cost: Cost) {
        let program = self.program;
        let (time, bytes) = cost;
        if time >= self.best || program.most_bytes.is_some_and(|most| bytes > most.get()) {
            return;
        }
        let Some(value) = program.values.get(from) else {
            if fits(&self.buffers, program.lx.get()) {
                self.best = time;
            }
            return;
        };
        let reads = self.reads(from);
        match value.origin {
            Origin::Copied(copied) => self.copied(from, cost, copied, &reads),
            Origin::Made => self.computed(from, cost, &reads),
            Origin::Memory => self.in_memory(from, cost, &reads),
        }
    }

    /// Returns each read of a value: the operation, and its operand.
    fn reads(&self, value: usize) -> Vec<(usize, Read)> {
        let mut reads = Vec::new();
        for (number, op) in self.program.operations.iter().enumerate() {
            for (operand, read) in op.operands.iter().zip(&self.chosen[number].reads) {
                if operand.0 == value {
                    reads.push((number, *read));
                }
            }
        }
        reads
    }

    /// Decides about the values after one that has a buffer.
    fn values_with(&mut self, buffer: Buffer, from: usize, cost: Cost) {
        self.buffers.push(buffer);
        self.values(from + 1, cost);
        self.buffers.pop();
    }

    fn copied(&mut self, from: usize, cost: Cost, copied: Copied, reads: &[(usize, Read)]) {
        let Some((first, read)) = reads.first().copied() else {
            return self.values(from + 1, cost);
        };
        let result_cost = plus(self.program.weights.results);
        let moves = plus(self.program.weights.memory);
        let memory = reads.iter().map(|(_, read)| read.memory);
        let cost = moves((cost.0 + copied.copy.compute.0, cost.1), copied.copy.memory);
        let written = result_cost(cost, copied.write);
        let moved = memory.fold(written, &result_cost);
        self.values(from + 1, moved);
        if let Some(held) = read.held.filter(|_| read.copy.is_some())
            && reads.iter().all(|(_, read)| finds(held, read))
        {
            let last = reads.last().map_or(first, |(number, _)| *number);
            let buffer = Buffer {
                bytes: held.bytes.get(),
                live: copied.from.unwrap_or(first)..last + 1,
                value: (from, held.slices),
                over: Vec::new(),
            };
            let cost = if copied.is_written_out { written } else { cost };
            self.values_with(buffer, from, cost);
        }
    }

    fn computed(&mut self, from: usize, cost: Cost, reads: &[(usize, Read)]) {
        let operations = &self.program.operations;
        let result_cost = plus(self.program.weights.results);
        let maker = operations.iter().position(|op| op.result.0 == from);
        let maker = maker.expect("an operation makes it");
        let write = operations[maker].write;
        let memory = reads.iter().map(|(_, read)| read.memory);
        let moved = memory.fold(result_cost(cost, write), &result_cost);
        self.values(from + 1, moved);
        let Some(held) = self.chosen[maker].result else {
            return;
        };
        if reads.iter().all(|(_, read)| finds(held, read)) {
            let last = reads.iter().map(|(number, _)| *number).max();
            let operands = operations[maker].operands.iter();
            let operands = operands.zip(&self.chosen[maker].reads);
            let over = operands.filter_map(|(operand, read)| {
                Some(((operand.0, read.held?.slices), read.is_free_after))
            });
            let buffer = Buffer {
                bytes: held.bytes.get(),
                live: maker..last.unwrap_or(maker) + 1,
                value: (from, held.slices),
                over: over.collect(),
            };
            let cost = if operations[maker].is_written_out {
                result_cost(cost, write)
            } else {
                cost
            };
            self.values_with(buffer, from, cost);
        }
    }

    /// At each read the value is copied, found in an earlier copy, or read from memory.
    fn in_memory(&mut self, from: usize, cost: Cost, reads: &[(usize, Read)]) {
        let moves = plus(self.program.weights.memory);
        each(&vec![3; reads.len()], &mut |ways| {
            let mut cost = cost;
            let mut results_held: Vec<(Held, Buffer)> = Vec::new();
            for ((number, read), way) in reads.iter().zip(ways) {
                if *way == 1 {
                    let (Some(copy), Some(held)) = (read.copy, read.held) else {
                        return;
                    };
                    cost = moves((cost.0 + copy.compute.0, cost.1), copy.memory);
                    let buffer = Buffer {
                        bytes: held.bytes.get(),
                        live: *number..number + 1,
                        value: (from, held.slices),
                        over: Vec::new(),
                    };
                    results_held.push((held, buffer));
                } else if *way == 2 {
                    let mut copies = results_held.iter_mut().rev();
                    let Some((_, buffer)) = copies.find(|(held, _)| finds(*held, read)) else {
                        return;
                    };
                    buffer.live.end = number + 1;
                } else {
                    cost = moves(cost, read.memory);
                }
            }
            let before = self.buffers.len();
            let buffers = results_held.into_iter().map(|(_, buffer)| buffer);
            self.buffers.extend(buffers);
            self.values(from + 1, cost);
            self.buffers.truncate(before);
        });
    }
}
