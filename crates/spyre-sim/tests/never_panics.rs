//! Damaged bundles are errors or faults, and end.

mod common;

use common::{F16, Files, Placed, Setup, add_mul_of, loop_over_rows, matrix, space, tensor};
use proptest::prelude::*;
use spyre_layout::DeviceFormat;
use spyre_plan::Target;
use spyre_sdsc::bundle::BundleOptions;
use spyre_sdsc::model::DimBounds;
use spyre_sdsc::validate::contract::RuleSet;
use spyre_sdsc::{Allocation, Expr, Node, OpSpec};
use spyre_sim::{Limits, Machine};

/// How many programs there are.
const PROGRAMS: usize = 10;

/// A program of each kind.
fn files(program: usize) -> Files {
    let nodes: Vec<Node> = match program {
        // Tiles.
        0 => add_mul_of(16, 256, 2, 2, 2),
        1 => masked_sum(),
        2 => divided_product(),
        3 => rows_of_a_table(),
        4 => ragged_change_of_layout(),
        5 => to_32_bits_and_back(),
        // A loop of a size that is known when it runs.
        6 => vec![loop_over_rows(64)],
        7 => runtime_extent(),
        8 => first_elements(),
        _ => in_place(),
    };
    Files::from_nodes(&nodes)
}

/// A reduction with masked padding.
fn masked_sum() -> Vec<Node> {
    let op = space(OpSpec::reduction("sum"), 8, 100, 2)
        .with_input(matrix(8, 100, Allocation::argument(0)))
        .with_output(tensor(
            F16,
            &[1, 8, 64],
            &["0", "c0", "0"],
            Allocation::argument(1),
        ));
    vec![op.into()]
}

/// A product that is divided along each dimension, of sticks that are not full.
fn divided_product() -> Vec<Node> {
    let sides = [
        ("floor(c2/64)", "c0", "Mod(c2, 64)"),
        ("floor(c1/64)", "c2", "Mod(c1, 64)"),
        ("floor(c1/64)", "c0", "Mod(c1, 64)"),
    ];
    let sizes = [[2, 4, 64], [2, 128, 64], [2, 4, 64]];
    let mut tensors = (0..)
        .zip(sides.into_iter().zip(sizes))
        .map(|(at, ((a, b, c), size))| tensor(F16, &size, &[a, b, c], Allocation::argument(at)));
    let mut next = || tensors.next().unwrap();
    let op = OpSpec::reduction("batchmatmul")
        .with_dim("c0", Expr::int(4), 2)
        .with_dim("c1", Expr::int(128), 2)
        .with_dim("c2", Expr::int(128), 2)
        .with_input(next())
        .with_input(next())
        .with_output(next());
    vec![op.into()]
}

/// Rows of a table.
fn rows_of_a_table() -> Vec<Node> {
    let place = ["floor(c0/32)", "Mod(c0, 32)"];
    let mut indices = tensor(
        DeviceFormat::IeeeInt32,
        &[1, 32],
        &place,
        Allocation::argument(0),
    );
    indices.name = Some("rows".into());
    let row = ["floor(c1/64)", "IndirectAccess(rows)", "Mod(c1, 64)"];
    let op = OpSpec::pointwise("identity")
        .with_dim("c0", Expr::int(32), 1)
        .with_dim("c1", Expr::int(128), 1)
        .with_input(indices)
        .with_input(tensor(F16, &[2, 64, 64], &row, Allocation::argument(1)))
        .with_output(matrix(32, 128, Allocation::argument(2)));
    vec![op.into()]
}

/// A change of layout of ragged extents.
fn ragged_change_of_layout() -> Vec<Node> {
    let turned = ["floor(c0/64)", "c1", "Mod(c0, 64)"];
    let op = OpSpec::pointwise("ReStickifyOpHBM")
        .with_dim("c0", Expr::int(33), 1)
        .with_dim("c1", Expr::int(70), 1)
        .with_input(matrix(33, 70, Allocation::argument(0)))
        .with_output(tensor(F16, &[1, 70, 64], &turned, Allocation::argument(1)));
    vec![op.into()]
}

/// To 32 bits and back.
fn to_32_bits_and_back() -> Vec<Node> {
    let wide = |place| {
        let coordinates = ["floor(c1/32)", "c0", "Mod(c1, 32)"];
        tensor(DeviceFormat::IeeeFp32, &[4, 8, 32], &coordinates, place)
    };
    let apart = space(OpSpec::pointwise("dl16tofp32"), 8, 128, 2)
        .with_input(matrix(8, 128, Allocation::argument(0)))
        .with_output(wide(Allocation::argument(1)));
    let together = space(OpSpec::pointwise("fp32todl16"), 8, 128, 2)
        .with_input(wide(Allocation::argument(1)))
        .with_output(matrix(8, 128, Allocation::argument(2)));
    vec![apart.into(), together.into()]
}

/// An extent that is known when it runs.
fn runtime_extent() -> Vec<Node> {
    let bounds = DimBounds {
        max: 512,
        granularity: 64,
    };
    let op = OpSpec::pointwise("neg")
        .with_dim("c0", Expr::symbol("s"), 1)
        .with_dim("c1", Expr::int(64), 1)
        .with_runtime_size("s", bounds)
        .with_input(matrix(512, 64, Allocation::argument(0)))
        .with_output(matrix(512, 64, Allocation::argument(1)));
    vec![op.into()]
}

/// The first elements.
fn first_elements() -> Vec<Node> {
    let op = OpSpec::reduction("topkvalue")
        .with_dim("c0", Expr::int(64), 1)
        .with_dim("c2", Expr::int(4), 2)
        .with_dim("c1", Expr::int(16), 1)
        .with_input(tensor(
            F16,
            &[16, 1, 64],
            &["c1", "0", "Mod(c0, 64)"],
            Allocation::argument(0),
        ))
        .with_output(tensor(
            F16,
            &[4, 1, 64],
            &["c2", "0", "Mod(c0, 64)"],
            Allocation::argument(1),
        ));
    vec![op.into()]
}

/// In place, and read again.
fn in_place() -> Vec<Node> {
    let op = |name, from, to| {
        space(OpSpec::pointwise(name), 32, 128, 2)
            .with_input(matrix(32, 128, Allocation::argument(from)))
            .with_output(matrix(32, 128, Allocation::argument(to)))
            .into()
    };
    vec![op("neg", 0, 0), op("abs", 0, 1), op("neg", 0, 1)]
}

/// Reads and runs.
fn run(files: &Files) -> Result<(), String> {
    let bundle = files.read().map_err(|err| err.to_string())?;
    let limits = Limits { steps: 200_000 };
    let mut machine = Machine::new(Target::CARD).with_limits(limits).with_trace();
    // Small integers, which choose rows as well.
    let bytes: Vec<u8> = (0..16384).flat_map(|at| [at as u8 % 50, 0, 0, 0]).collect();
    for param in &bundle.function().params {
        if param.bounds.is_size() {
            machine.add_size(128);
        } else {
            machine.add_bytes(&bytes);
        }
    }
    let result = machine.run(&bundle).map_err(|err| err.to_string());
    let _ = machine.report().to_string();
    result
}

/// Returns a strategy for texts that replace a part of a text.
fn pieces() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        (-3..200_i64).prop_map(|number| number.to_string()),
        "[-{}\\[\\]()<>#%\",:a-z0-9 ]{0,4}",
        Just("9223372036854775807".to_owned()),
        Just("\"mb\"".to_owned()),
        Just(String::new()),
        Just("é".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    /// Numbers and other pieces of a file replaced by something else.
    #[test]
    fn edited_files(
        program in 0..PROGRAMS,
        file in 0..4_usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), pieces(), 0..4_usize), 1..3),
    ) {
        let mut files = files(program);
        let mut names: Vec<String> = files.0.keys().cloned().collect();
        names.sort();
        let name = names[file % names.len()].clone();
        let text = files.0.get_mut(&name).unwrap();
        for (at, piece, length) in edits {
            // At a number, where damage is hard to see, or anywhere.
            let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let Some(start) = starts.get(at.index(starts.len().max(1))).copied() else { continue };
            let number = text[start..].find(|sign: char| sign.is_ascii_digit()).map(|to| start + to);
            let start = if length == 0 { start } else { number.unwrap_or(start) };
            let rest = text[start..].char_indices();
            let digits = text[start..].find(|sign: char| !sign.is_ascii_digit()).unwrap_or(0);
            let end = start + digits.max(rest.map(|(at, _)| at).nth(1).unwrap_or(0));
            text.replace_range(start..end, &piece);
        }
        // The outcome does not matter, but that it ends.
        let _ = run(&files);
    }
}

#[test]
fn whole_programs_run() {
    for program in 0..PROGRAMS {
        assert_eq!(run(&files(program)), Ok(()), "{program}");
    }
}

#[test]
fn what_does_not_end() {
    let endless = files(0).edit(
        "bundle.mlir",
        "%loop_bound_0 = arith.constant 2",
        "%loop_bound_0 = arith.constant 9223372036854775807",
    );
    let (inputs, _) = common::add_mul_values(16, 256);
    let machine = Machine::new(Target::CARD).with_limits(Limits { steps: 100_000 });
    let mut setup = Setup::on(machine, &inputs, Placed::f16(&[16, 256]));
    let error = setup
        .machine
        .run(&endless.read().unwrap())
        .unwrap_err()
        .to_string();
    assert!(error.contains("more than 100000 steps"), "{error}");
    let stuck = files(0).edit(
        "bundle.mlir",
        "%c1 = arith.constant 1",
        "%c1 = arith.constant 0",
    );
    let error = setup
        .machine
        .run(&stuck.read().unwrap())
        .unwrap_err()
        .to_string();
    assert!(error.contains("the step of the loop is 0"), "{error}");
}

#[test]
fn extents_that_no_memory_has() {
    // A space of 2^60 rows that no tensor moves along is bounded by the limit, others by their memories.
    let op = OpSpec::pointwise("neg")
        .with_dim("c0", Expr::int(1 << 40), 1)
        .with_dim("c1", Expr::int(64), 1)
        .with_input(matrix(1 << 40, 64, Allocation::argument(0)))
        .with_output(matrix(1 << 40, 64, Allocation::argument(1)));
    // The contract does not let it be written.
    let mut options = BundleOptions::default();
    options.plan.waived = RuleSet::all();
    let _ = run(&Files::with(&[op.into()], &options));
}
