//! Draws programs of a few operations.

use proptest::prelude::*;

use super::*;

/// Drawn time and bytes of traffic.
type DrawnTraffic = (u64, u64);

/// A drawn read: its division of slices, its traffic from memory, the traffic of its copy, and whether it is free after.
type DrawnRead = (u32, DrawnTraffic, DrawnTraffic, bool);

/// A drawn choice: its time, its division of slices, 0 for a result that is not held, and its reads.
type DrawnChoice = (u64, u32, u32, Vec<DrawnRead>);

fn drawn_traffic((time, bytes): DrawnTraffic) -> Traffic {
    Traffic {
        time: Picoseconds(time),
        bytes: Bytes(bytes),
    }
}

/// Returns a choice of an operation with a result of `result_bytes`. `operands` are the positions of its operands among
/// values of these bytes.
fn choice(drawn: DrawnChoice, operands: [usize; 2], bytes: &[u64], result_bytes: u64) -> Choice {
    let (time, map, is_none, reads) = drawn;
    let reads = reads.into_iter().zip(operands);
    let reads = reads.map(|((map, memory, copy, is_free_after), operand)| Read {
        held: held(map, bytes[operand]).filter(|_| map < 3),
        memory: drawn_traffic(memory),
        copy: (operand < 2 && map < 3 && copy.0 < 30).then_some(CopyCost {
            compute: Picoseconds(copy.1),
            memory: drawn_traffic(copy),
        }),
        is_free_after,
    });
    Choice {
        time: Picoseconds(time),
        result: held(map, result_bytes).filter(|_| is_none != 0),
        reads: reads.collect(),
    }
}

/// Draws programs of a few operations, each of which reads one or two earlier values.
pub(super) fn programs(most: usize) -> impl Strategy<Value = Program> {
    let moved = || (0..30_u64, 0..10_u64);
    let read = (0..4_u32, moved(), (0..40_u64, 0..10_u64), any::<bool>());
    let drawn_choice = (
        0..40_u64,
        0..3_u32,
        0..4_u32,
        prop::collection::vec(read, 2),
    );
    let operation = (
        prop::collection::vec(drawn_choice, 1..4),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        (1..5_u64, any::<bool>()),
    );
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
                let choices = choices
                    .into_iter()
                    .map(|drawn| choice(drawn, operands, &bytes, drawn_bytes));
                program.operations.push(Operation {
                    choices: choices.collect(),
                    operands: operands.map(ValueId).to_vec(),
                    result: ValueId(value_count),
                    write: drawn_traffic(write),
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
                    memory: drawn_traffic(write),
                },
                write: drawn_traffic(copied),
                is_written_out,
                from: first.map(|first| from.index(first + 1)),
                bytes: Bytes(bytes[1]),
            });
            program
        },
    )
}
