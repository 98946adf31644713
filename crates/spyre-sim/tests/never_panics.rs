//! Damaged bundles are errors or faults, and end.

mod common;

use common::{Files, Placed, Setup, add_mul_of, integers, matrix, space, tensor};
use proptest::prelude::*;
use spyre_plan::Target;
use spyre_sdsc::{Allocation, Expr, OpSpec};
use spyre_sim::{Limits, Machine};

/// A tiled program, and a reduction whose padding is masked.
fn files(reduction: bool) -> Files {
    if reduction {
        let op = space(OpSpec::reduction("sum"), 8, 100, 2)
            .with_input(matrix(8, 100, Allocation::argument(0)))
            .with_output(tensor(
                common::F16,
                &[1, 8, 64],
                &["0", "c0", "0"],
                Allocation::argument(1),
            ));
        return Files::of(&[op.into()]);
    }
    Files::of(&add_mul_of(16, 256, 2, 2, 2))
}

/// Reads and runs. What happens does not matter, but that it ends.
fn run(files: &Files) {
    let Ok(bundle) = files.read() else { return };
    let limits = Limits { steps: 200_000 };
    let mut machine = Machine::new(Target::CARD).with_limits(limits).with_trace();
    for argument in 0..bundle.function().params.len() {
        let placed = Placed::f16(&[16, 256]);
        let bytes = common::f16_bytes(&integers(16 * 256, argument));
        machine
            .add_input(&placed.host, &placed.device, &bytes)
            .unwrap();
    }
    let _ = machine.run(&bundle);
    let _ = machine.report().to_string();
}

/// What replaces a part of a text.
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
        reduction in any::<bool>(),
        file in 0..3_usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), pieces(), 0..4_usize), 1..3),
    ) {
        let mut files = files(reduction);
        let mut names: Vec<String> = files.0.keys().cloned().collect();
        names.sort();
        let name = names[file % names.len()].clone();
        let text = files.0.get_mut(&name).unwrap();
        for (at, piece, length) in edits {
            // At a number, which is where damage is not seen at once, or anywhere.
            let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let Some(start) = starts.get(at.index(starts.len().max(1))).copied() else { continue };
            let number = text[start..].find(|sign: char| sign.is_ascii_digit()).map(|to| start + to);
            let start = if length == 0 { start } else { number.unwrap_or(start) };
            let rest = text[start..].char_indices();
            let digits = text[start..].find(|sign: char| !sign.is_ascii_digit()).unwrap_or(0);
            let end = start + digits.max(rest.map(|(at, _)| at).nth(1).unwrap_or(0));
            text.replace_range(start..end, &piece);
        }
        run(&files);
    }
}

#[test]
fn what_does_not_end() {
    let endless = files(false).edit(
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
    let stuck = files(false).edit(
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
    run(&Files::of(&[op.into()]));
}
