//! Choices that are known, and an enumeration of everything.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use self::draw::programs;
use self::enumeration::{each, enumerated};
use super::*;

#[path = "../../tests/addresses/mod.rs"]
mod addresses;
mod draw;
mod enumeration;

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

/// Returns the cost of a copy of `bytes` bytes that takes one picosecond for each byte.
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
    // The initial value is written, and each iteration reads the current value and writes the next one.
    assert_eq!(time([0, 1], copy, 2), Picoseconds(5 + 7 + 40));
    assert_eq!(time([0, 0], None, 2), Picoseconds(5 + 7 + 40));
    // There is room for one: the value between the operations is the cheaper one.
    assert_eq!(time([0, 0], copy, 1), Picoseconds(10));
}

/// Returns the time of the fastest way.
fn fastest(program: &Program, beam: usize) -> Picoseconds {
    choose(program, beam).expect("bytes are not limited").time
}

/// Runs a check on `cases` programs of at most `operations` operations, each with a number of twelfths.
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

/// Runs a check on `cases` draws of a strategy.
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

/// Compares the search with the enumeration on `cases` programs.
fn compare(operations: usize, cases: u32) {
    each_program(operations, cases, |program, _| {
        let best = Picoseconds(enumerated(&program));
        prop_assert_eq!(fastest(&program, usize::MAX), best);
        prop_assert!(fastest(&program, 1) >= best);
        Ok(())
    });
}

/// Compares the search with the enumeration on `cases` programs, which may move fewer bytes than their fastest plan
/// does.
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
    // In tiles, an operation takes 10 less and its loop costs 15. So a loop pays off for two operations, and for one
    // operation with a value that is in the scratchpad only inside the loop.
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
