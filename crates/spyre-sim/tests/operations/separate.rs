//! Tensors of which each core has a separate part in device memory (contract, K62).

use spyre_sdsc::{Allocation, OpSpec};
use spyre_sim::{FaultKind, Report};

use crate::common::{Files, Placed, Setup, dsc, integers, matrix, space};

/// The negation of 4 by 128 elements on 2 cores, into an argument and from there into another one. In between, the second core
/// starts `second` bytes after the first one.
fn negation_twice(is_separate: bool, second: u64) -> Files {
    let argument = |index| matrix(4, 128, Allocation::argument(index));
    let op = |from, to| {
        space(OpSpec::pointwise("neg"), 4, 128, 2)
            .with_input(argument(from))
            .with_output(argument(to))
    };
    let place = |sdsc: &mut serde_json::Value, node: usize| {
        dsc(sdsc)["scheduleTree_"][node]["nonUnifiedAllocInHBM_"] = is_separate.into();
    };
    Files::from_nodes(&[op(0, 1).into(), op(1, 2).into()])
        .change("sdsc_0.json", |sdsc| place(sdsc, 1))
        .change("sdsc_1.json", |sdsc| place(sdsc, 0))
        .edit(
            "bundle.mlir",
            "%arg_1_core_offset_256 = arith.constant 256",
            &format!("%arg_1_core_offset_256 = arith.constant {second}"),
        )
}

fn run(files: &Files) -> (Vec<f32>, Vec<f32>, Report) {
    let values = integers(4 * 128, 1);
    let between = integers(4 * 128, 2);
    let inputs = [
        (Placed::f16(&[4, 128]), values.clone()),
        (Placed::f16(&[4, 128]), between),
    ];
    let mut setup = Setup::new(&inputs, Placed::f16(&[4, 128]));
    let actual = setup.run(&files.read().unwrap_or_else(|error| panic!("{error}")));
    (values, actual, setup.machine.report().clone())
}

#[test]
fn parts_that_begin_anywhere() {
    // One tensor has the two sticks of a row 4 sticks apart, and the second core's rows after the rows of the first.
    let (values, actual, report) = run(&negation_twice(false, 256));
    assert_eq!(report.to_string(), "");
    assert_eq!(actual, values);
    // A part is 4 sticks, one after the other; the second part may begin anywhere after it.
    let (values, actual, report) = run(&negation_twice(true, 512));
    assert_eq!(report.to_string(), "");
    assert_eq!(actual, values);
    // In one tensor, that is not where the second core's slice begins, and separate parts must not overlap.
    let (_, _, report) = run(&negation_twice(false, 512));
    assert!(report.has(FaultKind::CoreStart), "{report}");
    let (_, _, report) = run(&negation_twice(true, 256));
    assert!(report.has(FaultKind::TwoWriters), "{report}");
}
