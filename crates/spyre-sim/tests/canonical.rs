//! The program that the documentation shows, on 32 cores: values, traffic, and order.

mod common;

use common::{Files, Placed, Setup, add_mul, add_mul_of, add_mul_values};
use proptest::prelude::*;
use spyre_layout::Bytes;
use spyre_plan::{Picoseconds, Target};
use spyre_sim::{Machine, OperandTraffic};

#[test]
fn values_and_traffic() {
    let (inputs, expected) = add_mul_values(1024, 4096);
    let mut setup = Setup::new(&inputs, Placed::f16(&[1024, 4096]));
    assert_eq!(setup.run_clean(&Files::from_nodes(&add_mul())), expected);
    let stats = setup.machine.stats();
    // Four tensors of 8 MiB: a, b, c are read once and z is written once. y is in no sum.
    let tensor = 1024 * 4096 * 2;
    assert_eq!(
        (stats.hbm_read, stats.hbm_written),
        (Bytes(3 * tensor), Bytes(tensor))
    );
    // y moves in scratchpads only, once each way.
    assert_eq!(
        (stats.lx_read, stats.lx_written),
        (Bytes(tensor), Bytes(tensor))
    );
    // A core holds 16 of 512 rows by 1024 columns.
    assert_eq!(stats.lx_peak.len(), 32);
    assert!(
        stats
            .lx_peak
            .values()
            .all(|peak| *peak == Bytes(16 * 1024 * 2))
    );
    // Two operations in 2 by 4 iterations; the outer loop counts as well.
    assert_eq!((stats.ops, stats.iterations), (16, 2 + 8));
    // a, b, c and z are operands in device memory; no core shares a slice of them with another.
    let told: Vec<_> = stats
        .operands
        .iter()
        .map(|(id, moved)| (id.function.as_str(), id.position, *moved))
        .collect();
    let whole = OperandTraffic {
        all: Bytes(tensor),
        distinct: Bytes(tensor),
        fan_out: 1,
    };
    let operands = [("add", 0), ("add", 1), ("mul", 1), ("mul", 2)];
    let expected: Vec<_> = operands.map(|(name, at)| (name, at, whole)).to_vec();
    assert_eq!(told, expected);
    // In each of 16 executions a core computes 16 x 1024 elements, 96000 in a microsecond; 8 executions move each tensor's
    // eighth at 204800 bytes in a microsecond. 20 ns for each execution and each of 10 iterations.
    let compute = 16 * 170_667;
    let memory = 4 * 8 * 5_120_000;
    assert_eq!(
        stats.modelled_time,
        Picoseconds(compute + memory + 16 * 20_000 + 10 * 20_000)
    );
}

#[test]
fn any_number_of_cores_gives_the_same() {
    let (inputs, expected) = add_mul_values(64, 256);
    for cores in [1, 2, 8, 32] {
        let mut setup = Setup::new(&inputs, Placed::f16(&[64, 256]));
        let files = Files::from_nodes(&add_mul_of(64, 256, 2, 2, cores));
        assert_eq!(setup.run_clean(&files), expected, "{cores} cores");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Tiles and cores change the places of elements, and never their values.
    #[test]
    fn any_tiles_give_the_same(
        (row_tiles, column_tiles) in (1..4_u64, 1..4_u64),
        cores in 1..5_u64,
        (rows, sticks) in (1..4_u64, 1..3_u64),
    ) {
        let (rows, columns) = (rows * cores * row_tiles, sticks * 64 * column_tiles);
        let (inputs, expected) = add_mul_values(rows, columns);
        let mut setup = Setup::new(&inputs, Placed::f16(&[rows, columns]));
        let files = Files::from_nodes(&add_mul_of(rows, columns, row_tiles, column_tiles, cores));
        prop_assert_eq!(setup.run_clean(&files), expected);
        let stats = setup.machine.stats();
        // Every element of a, b and c is read once, every element of z written once.
        prop_assert_eq!(stats.hbm_read, Bytes(3 * rows * columns * 2));
        prop_assert_eq!(stats.hbm_written, Bytes(rows * columns * 2));
    }
}

#[test]
fn events_are_in_order() {
    let (inputs, _) = add_mul_values(64, 256);
    let machine = Machine::new(Target::CARD).with_trace();
    let mut setup = Setup::on(machine, &inputs, Placed::f16(&[64, 256]));
    setup.run_clean(&Files::from_nodes(&add_mul_of(64, 256, 2, 2, 4)));
    let trace = setup.machine.trace().unwrap();
    assert_eq!(trace.events().len(), 2 * 2 * 2 * 4);
    let last = trace.events().last().unwrap();
    assert_eq!(
        (last.function.as_str(), last.core, last.clock),
        ("mul", 3, 7)
    );
    assert_eq!(last.iteration, [1, 1]);
    // 8 of 32 rows of 128 columns: y from the scratchpad, c and z in device memory.
    let slice = Bytes(8 * 128 * 2);
    assert_eq!(
        (
            last.lx_read,
            last.hbm_read,
            last.hbm_written,
            last.lx_written
        ),
        (slice, slice, slice, Bytes(0))
    );

    let mut written = Vec::new();
    trace.write_chrome(&mut written).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&written).unwrap();
    let rows = json.as_array().unwrap();
    let named = |name: &str| -> Vec<&serde_json::Value> {
        rows.iter().filter(|row| row["name"] == name).collect()
    };
    assert_eq!((named("add").len(), named("mul").len()), (16, 16));
    // add reads a and b, mul reads c and writes z; y is in no transfer.
    assert_eq!((named("from HBM").len(), named("to HBM").len()), (32, 16));
    let last = named("mul")[15];
    assert_eq!(
        (&last["ph"], &last["ts"], &last["dur"], &last["tid"]),
        (&"X".into(), &28.into(), &4.into(), &3.into())
    );
    assert_eq!(last["args"]["lx_read"], 2048);
    assert_eq!(named("to HBM")[15]["args"]["bytes"], 2048);
    // Two iterations outside, four inside.
    assert_eq!(trace.iterations().len(), 6);
    let outer = trace.iterations().last().unwrap();
    assert_eq!(
        (outer.iteration.as_slice(), outer.start, outer.end),
        (&[1][..], 4, 8)
    );
    assert_eq!(
        rows.iter()
            .filter(|row| row["pid"] == 1 && row["ph"] == "X")
            .count(),
        6
    );
}

#[test]
fn a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let files = Files::from_nodes(&add_mul_of(64, 256, 2, 2, 4));
    for (name, text) in &files.0 {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    assert_eq!(
        spyre_sim::Bundle::read(directory.path()).unwrap(),
        files.read().unwrap()
    );
    std::fs::remove_file(directory.path().join("sdsc_1.json")).unwrap();
    let error = spyre_sim::Bundle::read(directory.path())
        .unwrap_err()
        .to_string();
    assert!(error.contains("sdsc_1.json"), "{error}");
}
