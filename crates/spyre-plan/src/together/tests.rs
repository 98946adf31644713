//! Choices that are known, and an enumeration of everything.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use self::addresses::fits;
use super::*;

#[path = "../../tests/addresses/mod.rs"]
mod addresses;

/// A buffer in a scratchpad: a value, and its slices.
type Buffer = addresses::Buffer<(usize, Slices)>;

fn held(map: u32, bytes: u64) -> Option<Held> {
    Some(Held {
        slices: Slices { map, cores: 32 },
        bytes: Bytes(bytes),
    })
}

/// Returns the cost of moving something of which each byte takes a picosecond.
fn traffic(bytes: u64) -> Traffic {
    Traffic {
        time: Picoseconds(bytes),
        bytes: Bytes(bytes),
    }
}

/// Returns the cost of copying something of which each byte takes a picosecond.
fn copied(bytes: u64) -> CopyCost {
    CopyCost {
        compute: Picoseconds(0),
        memory: traffic(bytes),
    }
}

fn read(map: u32, time: u64) -> Read {
    Read {
        held: held(map, 1),
        memory: traffic(time),
        copy: None,
        is_free_after: false,
    }
}

const MADE: Value = Value {
    origin: Origin::Made,
    until: 0,
};

const MEMORY: Value = Value {
    origin: Origin::Memory,
    until: 0,
};

/// Returns an operation of one operand; a division per element of `times`, with slices of its number. Its operand takes `reads` to
/// read and its result `write` to write.
fn operation(operand: usize, result: usize, times: &[u64], reads: u64, write: u64) -> Operation {
    let choices = (0..).zip(times).map(|(map, time)| Choice {
        time: Picoseconds(*time),
        result: held(map, 1),
        reads: vec![read(map, reads)],
    });
    Operation {
        choices: choices.collect(),
        operands: vec![ValueId(operand)],
        result: ValueId(result),
        write: traffic(write),
        is_written_out: false,
    }
}

/// Returns a program with room for `lx` values of one byte.
fn program(lx: u64, values: Vec<Value>, operations: Vec<Operation>) -> Program {
    Program {
        lx: Bytes(lx),
        most_bytes: None,
        weights: Weights::default(),
        values,
        operations,
    }
}

#[test]
fn neighbours_agree_where_that_is_faster() {
    // The second operation is faster by 5 with other slices, and by 25 in the second program.
    for (fast, choices, time) in [(45, vec![0, 0], 100), (25, vec![0, 1], 95)] {
        let operations = vec![
            operation(0, 1, &[50, 70], 0, 10),
            operation(1, 2, &[50, fast], 10, 10),
        ];
        let program = program(9, vec![MEMORY, MADE, MADE], operations);
        let chosen = choose(&program, 64).expect("bytes are not limited");
        assert_eq!((chosen.choices, chosen.time), (choices, Picoseconds(time)));
    }
}

#[test]
fn what_one_reader_does_not_find_is_in_memory_for_all() {
    let values = vec![MEMORY, MADE, MADE, MADE];
    let mut readers = [operation(1, 2, &[0], 7, 0), operation(1, 3, &[0], 5, 0)];
    let with = |readers: &[Operation]| {
        let operations = [&[operation(0, 1, &[0], 0, 10)], readers].concat();
        fastest(&program(9, values.clone(), operations), 64)
    };
    assert_eq!(with(&readers), Picoseconds(0));
    // The second reader reads other slices: one write, and two reads.
    readers[1].choices[0].reads[0].held = held(1, 1);
    assert_eq!(with(&readers), Picoseconds(22));
}

#[test]
fn what_has_no_room_is_in_memory() {
    // Two values live at once, and a third is computed from them: written over one of them, or next to both.
    let join = |is_free_after| Operation {
        choices: vec![Choice {
            time: Picoseconds(0),
            result: held(0, 1),
            reads: vec![
                Read {
                    is_free_after,
                    ..read(0, 7)
                },
                read(0, 5),
            ],
        }],
        operands: vec![ValueId(1), ValueId(2)],
        result: ValueId(3),
        write: traffic(10),
        is_written_out: false,
    };
    let time = |lx, is_free_after| {
        let operations = vec![
            operation(0, 1, &[0], 0, 10),
            operation(0, 2, &[0], 0, 10),
            join(is_free_after),
            operation(3, 4, &[0], 9, 0),
        ];
        let values = vec![MEMORY, MADE, MADE, MADE, MADE];
        fastest(&program(lx, values, operations), 64)
    };
    assert_eq!(time(3, false), Picoseconds(0));
    assert_eq!(time(2, true), Picoseconds(0));
    // The second value is the cheapest to write and read.
    assert_eq!(time(2, false), Picoseconds(15));
    assert_eq!(time(1, true), Picoseconds(15));
    assert_eq!(time(0, true), Picoseconds(17 + 15 + 19));
}

#[test]
fn an_argument_is_copied_where_its_reads_take_longer() {
    let time = |copy: u64, maps: [u32; 2], lx| {
        let operation = |result, map: u32, time| {
            let mut operation = operation(0, result, &[0], 0, 0);
            operation.choices[0].result = None;
            operation.choices[0].reads[0] = Read {
                copy: Some(copied(copy)),
                ..read(map, time)
            };
            operation
        };
        let operations = vec![operation(1, maps[0], 7), operation(2, maps[1], 5)];
        let values = vec![MEMORY, MADE, MADE];
        fastest(&program(lx, values, operations), 64)
    };
    assert_eq!(time(8, [0, 0], 1), Picoseconds(8));
    assert_eq!(time(13, [0, 0], 1), Picoseconds(12));
    assert_eq!(time(8, [0, 1], 1), Picoseconds(12));
    assert_eq!(time(8, [0, 0], 0), Picoseconds(12));
}

#[test]
fn a_loop_updates_a_copy_where_its_operations_have_the_same_slices() {
    // A loop of four iterations starts from a copy of an argument. The second operation makes the next value.
    let time = |maps: [u32; 2], copy, lx| {
        let mut operations = vec![operation(0, 1, &[0], 7, 10), operation(1, 0, &[0], 0, 40)];
        operations[0].choices[0].reads[0] = Read {
            copy,
            ..read(maps[0], 7)
        };
        operations[0].choices[0].result = held(maps[1], 1);
        operations[1].choices[0].reads[0].held = held(maps[1], 1);
        operations[1].choices[0].result = held(maps[1], 1);
        let copied = Value {
            origin: Origin::Copied(Copied {
                copy: CopyCost::default(),
                write: traffic(5),
                is_written_out: false,
                from: None,
                bytes: Bytes(1),
            }),
            until: 1,
        };
        fastest(&program(lx, vec![copied, MADE], operations), 64)
    };
    let copy = Some(copied(3));
    assert_eq!(time([0, 0], copy, 2), Picoseconds(0));
    // The start is written, each iteration reads it, and each writes the next value.
    assert_eq!(time([0, 1], copy, 2), Picoseconds(5 + 7 + 40));
    assert_eq!(time([0, 0], None, 2), Picoseconds(5 + 7 + 40));
    // There is room for one: the value between the operations is the cheaper one.
    assert_eq!(time([0, 0], copy, 1), Picoseconds(10));
}

/// Returns the time of the fastest way.
fn fastest(program: &Program, beam: usize) -> Picoseconds {
    choose(program, beam).expect("bytes are not limited").time
}

/// Draws programs of a few operations, each of which reads one or two earlier values.
fn programs(most: usize) -> impl Strategy<Value = Program> {
    let moved = || (0..30_u64, 0..10_u64);
    let read = (0..4_u32, moved(), (0..40_u64, 0..10_u64), any::<bool>());
    let choice = (
        0..40_u64,
        0..3_u32,
        0..4_u32,
        prop::collection::vec(read, 2),
    );
    let operation = (
        prop::collection::vec(choice, 1..4),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        (1..5_u64, any::<bool>()),
    );
    let traffic = |(time, bytes)| Traffic {
        time: Picoseconds(time),
        bytes: Bytes(bytes),
    };
    let drawn = (
        prop::collection::vec(operation, 1..=most),
        0..12_u64,
        [1..5_u64, 1..5_u64],
        (
            [moved(), moved()],
            any::<bool>(),
            any::<prop::sample::Index>(),
            (1..4_u64, 1..4_u64),
        ),
    );
    drawn.prop_map(
        move |(
            drawn,
            lx,
            arguments,
            ([write, copied], is_written_out, from, (results, memory)),
        )| {
            let mut program = program(lx, vec![MEMORY, MEMORY], Vec::new());
            program.weights = Weights { results, memory };
            let mut bytes = arguments.to_vec();
            for (choices, first, second, (drawn_bytes, is_written_out)) in drawn {
                let value_count = program.values.len();
                let operands = [first, second].map(|operand| operand.index(value_count));
                let choices = choices.into_iter().map(|(time, map, is_none, reads)| {
                    let reads = reads.into_iter().zip(operands);
                    let reads = reads.map(|((map, memory, copy, is_free_after), operand)| Read {
                        held: held(map, bytes[operand]).filter(|_| map < 3),
                        memory: traffic(memory),
                        copy: (operand < 2 && map < 3 && copy.0 < 30).then_some(CopyCost {
                            compute: Picoseconds(copy.1),
                            memory: traffic(copy),
                        }),
                        is_free_after,
                    });
                    Choice {
                        time: Picoseconds(time),
                        result: held(map, drawn_bytes).filter(|_| is_none != 0),
                        reads: reads.collect(),
                    }
                });
                program.operations.push(Operation {
                    choices: choices.collect(),
                    operands: operands.map(ValueId).to_vec(),
                    result: ValueId(value_count),
                    write: traffic(write),
                    is_written_out,
                });
                bytes.push(drawn_bytes);
                program.values.push(MADE);
            }
            let mut readers = program.operations.iter();
            let first = readers.position(|op| op.operands.contains(&ValueId(1)));
            program.values[1].origin = Origin::Copied(Copied {
                copy: CopyCost {
                    compute: Picoseconds(copied.1),
                    memory: traffic(write),
                },
                write: traffic(copied),
                is_written_out,
                from: first.map(|first| from.index(first + 1)),
                bytes: Bytes(bytes[1]),
            });
            program
        },
    )
}

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
fn enumerated(program: &Program) -> u64 {
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
            values(
                program,
                &chosen,
                0,
                (compute, 0),
                &mut Vec::new(),
                &mut best,
            );
        }
    });
    best
}

/// Calls back with every list of numbers below some counts.
fn each(counts: &[usize], visit: &mut impl FnMut(&[usize])) {
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

/// Decides about the values from one on: whether it is in the scratchpad, or when it is copied there.
fn values(
    program: &Program,
    chosen: &[&Choice],
    from: usize,
    cost: Cost,
    buffers: &mut Vec<Buffer>,
    best: &mut u64,
) {
    let (time, bytes) = cost;
    if time >= *best || program.most_bytes.is_some_and(|most| bytes > most.get()) {
        return;
    }
    let Some(value) = program.values.get(from) else {
        if fits(buffers, program.lx.get()) {
            *best = time;
        }
        return;
    };
    // Each read of the value: the operation, and its operand.
    let mut reads: Vec<(usize, Read)> = Vec::new();
    for (number, op) in program.operations.iter().enumerate() {
        for (operand, read) in op.operands.iter().zip(&chosen[number].reads) {
            if operand.0 == from {
                reads.push((number, *read));
            }
        }
    }
    let result_cost = plus(program.weights.results);
    let moves = plus(program.weights.memory);
    let finds = |held: Held, read: &Read| read.held.is_some_and(|read| read.slices == held.slices);
    match value.origin {
        Origin::Copied(copied) => {
            let Some((first, read)) = reads.first().copied() else {
                return values(program, chosen, from + 1, cost, buffers, best);
            };
            let memory = reads.iter().map(|(_, read)| read.memory);
            let cost = moves((cost.0 + copied.copy.compute.0, cost.1), copied.copy.memory);
            let written = result_cost(cost, copied.write);
            let moved = memory.fold(written, &result_cost);
            values(program, chosen, from + 1, moved, buffers, best);
            if let Some(held) = read.held.filter(|_| read.copy.is_some())
                && reads.iter().all(|(_, read)| finds(held, read))
            {
                let last = reads.last().map_or(first, |(number, _)| *number);
                buffers.push(Buffer {
                    bytes: held.bytes.get(),
                    live: copied.from.unwrap_or(first)..last + 1,
                    value: (from, held.slices),
                    over: Vec::new(),
                });
                let cost = if copied.is_written_out { written } else { cost };
                values(program, chosen, from + 1, cost, buffers, best);
                buffers.pop();
            }
        }
        Origin::Made => {
            let maker = program.operations.iter().position(|op| op.result.0 == from);
            let maker = maker.expect("an operation makes it");
            let write = program.operations[maker].write;
            let memory = reads.iter().map(|(_, read)| read.memory);
            let moved = memory.fold(result_cost(cost, write), &result_cost);
            values(program, chosen, from + 1, moved, buffers, best);
            let Some(held) = chosen[maker].result else {
                return;
            };
            if reads.iter().all(|(_, read)| finds(held, read)) {
                let last = reads
                    .iter()
                    .map(|(number, _)| *number)
                    .max()
                    .unwrap_or(maker);
                let operands = program.operations[maker].operands.iter();
                let operands = operands.zip(&chosen[maker].reads);
                let over = operands.filter_map(|(operand, read)| {
                    Some(((operand.0, read.held?.slices), read.is_free_after))
                });
                buffers.push(Buffer {
                    bytes: held.bytes.get(),
                    live: maker..last + 1,
                    value: (from, held.slices),
                    over: over.collect(),
                });
                let is_written_out = program.operations[maker].is_written_out;
                let cost = if is_written_out {
                    result_cost(cost, write)
                } else {
                    cost
                };
                values(program, chosen, from + 1, cost, buffers, best);
                buffers.pop();
            }
        }
        Origin::Memory => {
            // At each read it is copied, found in an earlier copy, or read from memory.
            each(&vec![3; reads.len()], &mut |ways| {
                let mut cost = cost;
                let mut results_held: Vec<(Held, Buffer)> = Vec::new();
                for ((number, read), way) in reads.iter().zip(ways) {
                    if *way == 1 {
                        let (Some(copy), Some(held)) = (read.copy, read.held) else {
                            return;
                        };
                        cost = moves((cost.0 + copy.compute.0, cost.1), copy.memory);
                        results_held.push((
                            held,
                            Buffer {
                                bytes: held.bytes.get(),
                                live: *number..number + 1,
                                value: (from, held.slices),
                                over: Vec::new(),
                            },
                        ));
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
                let before = buffers.len();
                buffers.extend(results_held.into_iter().map(|(_, buffer)| buffer));
                values(program, chosen, from + 1, cost, buffers, best);
                buffers.truncate(before);
            });
        }
    }
}

/// Runs a check on so many programs of at most so many operations, each with a number of twelfths.
fn each_program(
    operations: usize,
    cases: u32,
    check: impl Fn(Program, u64) -> Result<(), TestCaseError>,
) {
    let drawn = (programs(operations), 0..12_u64);
    each_drawn(&drawn, cases, |(program, twelfths)| {
        check(program, twelfths)
    });
}

/// Runs a check on so many of the draws of a strategy.
fn each_drawn<S: Strategy>(
    drawn: &S,
    cases: u32,
    check: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, rng);
    let result = runner.run(drawn, check);
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Compares the search with the enumeration on so many programs.
fn compare(operations: usize, cases: u32) {
    each_program(operations, cases, |program, _| {
        let best = Picoseconds(enumerated(&program));
        prop_assert_eq!(fastest(&program, usize::MAX), best);
        prop_assert!(fastest(&program, 1) >= best);
        Ok(())
    });
}

/// Compares the search with the enumeration on so many programs that may move fewer bytes than their fastest way.
fn compare_within(operations: usize, cases: u32) {
    each_program(operations, cases, |mut program, twelfths| {
        let chosen = choose(&program, usize::MAX).expect("bytes are not limited");
        program.most_bytes = Some(Bytes(chosen.bytes.get() * twelfths / 12));
        let best = enumerated(&program);
        let limited = choose(&program, usize::MAX);
        prop_assert_eq!(limited.as_ref().map_or(u64::MAX, |it| it.time.0), best);
        prop_assert!(limited.is_none_or(|it| Some(it.bytes) <= program.most_bytes));
        prop_assert!(choose(&program, 1).is_none_or(|it| it.time.0 >= best));
        Ok(())
    });
}

/// Draws some tilings of a program: the first without loops, and others with one of two nests, or none, around each operation.
///
/// They need not be tilings of one program: the comparison does not depend on that.
fn tilings(count: usize, most: usize) -> impl Strategy<Value = Vec<Tiling>> {
    let nest = prop::option::weighted(0.8, 0..2_usize);
    let drawn = (
        prop::collection::vec((programs(most), prop::collection::vec(nest, most)), count),
        prop::collection::vec([0..30_u64, 0..30_u64], count),
    );
    drawn.prop_map(|(drawn, times)| {
        let parts = drawn.iter().map(|(program, _)| program.operations.len());
        let parts = parts.min().expect("there is a tiling");
        let tilings = drawn.into_iter().zip(times).enumerate();
        let tilings = tilings.map(|(number, ((mut program, nests), times))| {
            program.operations.truncate(parts);
            // The search keeps an existing copy until its last reader in the tiling, wherever the run ends.
            program.values[1] = MEMORY;
            // A value that another run has made is an argument of this one here.
            program.weights.memory = program.weights.results;
            let part = |(at, nest): (usize, Option<usize>)| Part {
                operations: at..at + 1,
                nest: nest.filter(|_| number > 0).map(|number| Nest {
                    number,
                    time: Picoseconds(times[number]),
                }),
            };
            let nests = nests.into_iter().take(parts).enumerate();
            Tiling {
                program,
                parts: nests.map(part).collect(),
            }
        });
        tilings.collect()
    })
}

/// Returns the operations of a program that are a run in one tiling, as a separate program: its operands from outside
/// and its results with uses outside are in device memory.
fn run(program: &Program, run: Range<usize>) -> Program {
    let mut part_program = program.clone();
    part_program.operations = program.operations[run.clone()].to_vec();
    let is_result = |value: ValueId| {
        let inside = part_program.operations.iter();
        let inside = inside.filter(|op| op.result == value).count();
        inside > 0
    };
    let is_foreign: Vec<bool> = (0..program.values.len())
        .map(|value| program.values[value].origin == Origin::Made && !is_result(ValueId(value)))
        .collect();
    for (value, is_foreign) in is_foreign.iter().enumerate() {
        if *is_foreign {
            part_program.values[value].origin = Origin::Memory;
        }
    }
    let later = &program.operations[run.end..];
    for op in &mut part_program.operations {
        let is_read_later = later
            .iter()
            .any(|other| other.operands.contains(&op.result));
        for choice in &mut op.choices {
            choice.result = choice.result.filter(|_| !is_read_later);
            for (operand, read) in op.operands.iter().zip(&mut choice.reads) {
                read.copy = read.copy.filter(|_| !is_foreign[operand.0]);
            }
        }
    }
    part_program
}

/// Returns the least time of all tilings of the operations, each run in one tiling by itself.
fn enumerated_tilings(tilings: &[Tiling]) -> u64 {
    let parts = tilings[0].parts.len();
    let mut best = u64::MAX;
    each(&vec![tilings.len(); parts], &mut |chosen| {
        let nest = |at: usize| tilings[chosen[at]].parts[at].nest;
        if (0..parts).any(|at| chosen[at] > 0 && nest(at).is_none()) {
            return;
        }
        let mut time = 0;
        let mut from = 0;
        for at in 0..parts {
            let is_open = at > 0 && chosen[at - 1] == chosen[at];
            if let Some(begins) = nest(at).filter(|_| !is_open || nest(at - 1) != nest(at)) {
                time += begins.time.0;
            }
            if at + 1 == parts || chosen[at + 1] != chosen[at] {
                time += enumerated(&run(&tilings[chosen[at]].program, from..at + 1));
                from = at + 1;
            }
        }
        best = best.min(time);
    });
    best
}

#[test]
fn loops_end_where_that_is_faster() {
    // In tiles an operation takes 10 less, and its loop 15; so two of them are worth a loop, and a value between them that is
    // in the scratchpad there alone.
    let program_of = |time, held_between: bool| {
        let mut operations: Vec<Operation> = (0..4)
            .map(|number| operation(number, number + 1, &[time], 20, 20))
            .collect();
        for operation in &mut operations {
            let between = operation.choices[0].result;
            operation.choices[0].result = between.filter(|_| held_between);
        }
        program(9, vec![MEMORY, MADE, MADE, MADE, MADE], operations)
    };
    let tiling = |program, nests: [Option<usize>; 4]| Tiling {
        program,
        parts: (0..4)
            .zip(nests)
            .map(|(at, nest)| Part {
                operations: at..at + 1,
                nest: nest.map(|number| Nest {
                    number,
                    time: Picoseconds(15),
                }),
            })
            .collect(),
    };
    let as_it_is = tiling(program_of(50, false), [None; 4]);
    let tiled = tiling(program_of(40, true), [None, Some(0), Some(0), None]);
    let chosen = choose_tilings(&[as_it_is, tiled], 16).expect("bytes are not limited");
    assert_eq!(chosen.tilings, [0, 1, 1, 0]);
    // The first reads its operand and writes, the loop reads and writes once more, and so does the last, and its result
    // is written too.
    let moved = 4 * 40 - 40;
    assert_eq!(chosen.time, Picoseconds(2 * 50 + 2 * 40 + 15 + moved));
}

#[test]
fn no_tilings_are_faster() {
    each_drawn(&tilings(3, 3), 1500, |tilings| {
        let best = enumerated_tilings(&tilings);
        let cost_of = |beam| {
            let chosen = choose_tilings(&tilings, beam).expect("bytes are not limited");
            chosen.time.0
        };
        prop_assert_eq!(cost_of(usize::MAX), best);
        prop_assert!(cost_of(1) >= best);
        Ok(())
    });
}

#[test]
fn nothing_is_faster() {
    compare(4, 5000);
}

#[test]
fn nothing_is_faster_for_six_operations() {
    compare(6, 200);
}

// Where few ways move so few bytes the enumeration takes long, so there are fewer programs.
#[test]
fn nothing_is_faster_within_a_limit() {
    compare_within(4, 2500);
    compare_within(6, 100);
}
