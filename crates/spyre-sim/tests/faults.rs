//! Faults that are put into correct bundles, and the reports about them.

mod common;

use common::{Files, Placed, Setup, add_mul_of, add_mul_values, dsc, matrix, space};
use spyre_sdsc::bundle::BundleOptions;
use spyre_sdsc::{Allocation, Node, OpSpec};
use spyre_sim::{FaultKind, Report};

const ROWS: u64 = 64;
const COLUMNS: u64 = 256;

/// [`add_mul_of`] on 64 by 256 elements, in 2 by 2 tiles of 32 by 128, on 4 cores.
///
/// A tile of rows is 32 * 64 * 2 bytes further; a tile of columns 2 sticks of 64 rows. A core has 8 rows.
fn files() -> Files {
    let files = Files::from_nodes(&add_mul_of(ROWS, COLUMNS, 2, 2, 4));
    assert!(files.text().contains("(s0 + 4096*d0 + 16384*d1)"));
    files
}

/// The report of running files on the inputs of [`files`].
fn report(files: &Files) -> Report {
    let (inputs, expected) = add_mul_values(ROWS, COLUMNS);
    let mut setup = Setup::new(&inputs, Placed::f16(&[ROWS, COLUMNS]));
    let result = setup.run(&files.read().unwrap());
    let report = setup.machine.report().clone();
    // A fault shows in the result, or it is not one.
    assert_eq!(report.is_clean(), result == expected, "{report}");
    report
}

/// Asserts that the report has a fault of a kind with all of these texts.
#[track_caller]
fn assert_fault(report: &Report, kind: FaultKind, parts: &[&str]) {
    let texts = report
        .faults()
        .iter()
        .filter(|fault| fault.kind == kind)
        .map(ToString::to_string);
    let texts: Vec<String> = texts.collect();
    let is_reported = texts
        .iter()
        .any(|text| parts.iter().all(|part| text.contains(part)));
    assert!(is_reported, "no {kind:?} with {parts:?} in\n{report}");
}

#[test]
fn nothing_is_wrong_without_a_fault() {
    assert_eq!(report(&files()).to_string(), "");
}

#[test]
fn a_wrong_stride_in_a_map() {
    // Columns advance by one stick instead of two: windows overlap, and the last quarter is not written.
    let report = report(&files().edit("bundle.mlir", "16384*d1", "8192*d1"));
    assert_fault(
        &report,
        FaultKind::Overwritten,
        &[
            "mul (sdsc_1.json",
            "iteration [0, 1]",
            "starts 8192 bytes = 64 sticks from there",
            "argument 3",
        ],
    );
    assert_fault(
        &report,
        FaultKind::Incomplete,
        &["argument 3", "4096 of 16384", "[all, 192 to 255]"],
    );
}

#[test]
fn a_stride_of_as_many_rows_as_cores() {
    // Rows advance by half of a window: half of the cores write where others have written before.
    let report = report(&files().edit("bundle.mlir", "4096*d0", "2048*d0"));
    assert_fault(
        &report,
        FaultKind::Overwritten,
        &["mul (sdsc_1.json", "core 2 of mul", "in the same place"],
    );
}

#[test]
fn a_stride_that_leaves_the_tensor() {
    let report = report(&files().edit("bundle.mlir", "16384*d1", "32768*d1"));
    assert_fault(
        &report,
        FaultKind::OutOfRange,
        &[
            "add (sdsc_0.json",
            "iteration [0, 1]",
            "core 0",
            "Tensor0 (input 0)",
            "after the 32768 bytes of argument 0",
        ],
    );
}

#[test]
fn a_loop_that_ends_too_early() {
    let report = report(&files().edit(
        "bundle.mlir",
        "%loop_bound_0 = arith.constant 2",
        "%loop_bound_0 = arith.constant 1",
    ));
    assert_eq!(report.faults().len(), 1, "{report}");
    assert_fault(
        &report,
        FaultKind::Incomplete,
        &["8192 of 16384 elements", "all inside [32 to 63, all]"],
    );
}

#[test]
fn a_loop_that_ends_too_late() {
    // Elements outside are not written, so the result happens to be right.
    let report = report_only(&files().edit(
        "bundle.mlir",
        "%loop_bound_1 = arith.constant 2",
        "%loop_bound_1 = arith.constant 3",
    ));
    assert_fault(
        &report,
        FaultKind::OutOfRange,
        &["iteration [0, 2]", "argument 0"],
    );
}

#[test]
fn symbols_of_two_cores_swapped() {
    let report = report(&files().edit(
        "bundle.mlir",
        "\"symbol_ids\"=[-1, -2,",
        "\"symbol_ids\"=[-2, -1,",
    ));
    assert_fault(
        &report,
        FaultKind::CoreStart,
        &[
            "add",
            "core 0",
            "Tensor0 (input 0)",
            "starts 1024 bytes = 8 sticks after where its slice (mb 0 of 4) begins",
            "(8 times)",
        ],
    );
    // Two cores in four iterations are one entry.
    assert_eq!(report.faults().len(), 1, "{report}");
}

#[test]
fn symbols_of_two_tensors_swapped() {
    let text = files().text().to_owned();
    let at = text.find("sdsc_1.json").unwrap();
    let ids = &text[at..text[at..].find(']').unwrap() + at];
    // c has -9 to -12, z -13 to -16.
    assert!(ids.contains("-9, -10, -11, -12, -13"), "{ids}");
    let swapped = ids.replace("-12, -13", "-13, -12");
    let report = report(&files().edit("bundle.mlir", ids, &swapped));
    assert_fault(
        &report,
        FaultKind::CoreStart,
        &[
            "mul",
            "core 3",
            "Tensor1 (input 1)",
            "starts in argument 3, and its slice is in argument 2",
        ],
    );
    assert_fault(
        &report,
        FaultKind::NeverWritten,
        &["mul", "core 3", "Tensor1 (input 1)", "argument 3"],
    );
    // The second core writes over the argument that is read.
    assert_fault(&report, FaultKind::Incomplete, &["argument 3"]);
}

#[test]
fn a_window_that_is_off_by_a_stick() {
    let report = report(&files().edit("bundle.mlir", "4096*d0", "4224*d0"));
    assert_fault(
        &report,
        FaultKind::OutOfRange,
        &[
            "iteration [1, 1]",
            "core 3",
            "ends 128 bytes = 1 stick after the 32768 bytes of argument 0",
        ],
    );
    assert_fault(&report, FaultKind::Incomplete, &["argument 3"]);
}

#[test]
fn a_window_that_is_off_by_half_a_stick() {
    let report = report(&files().edit("bundle.mlir", "4096*d0", "4032*d0"));
    assert_fault(
        &report,
        FaultKind::Unaligned,
        &["iteration [1, 0]", "starts 64 bytes into a stick"],
    );
}

#[test]
fn the_wrong_offset_of_a_core() {
    let text = "%arg_3_core_offset_3072 = arith.constant 3072";
    let report = report(&files().edit(
        "bundle.mlir",
        text,
        "%arg_3_core_offset_3072 = arith.constant 2944",
    ));
    assert_fault(
        &report,
        FaultKind::CoreStart,
        &[
            "mul",
            "core 3",
            "Tensor2 (output)",
            "starts 128 bytes = 1 stick before where its slice (mb 3 of 4) begins",
        ],
    );
    assert_fault(
        &report,
        FaultKind::TwoWriters,
        &["core 3", "core 2 writes the same bytes", "argument 3"],
    );
    // The last row of core 3, in each of the tiles, is written by no core.
    assert_fault(
        &report,
        FaultKind::Incomplete,
        &["512 of 16384", "[31 to 63, all]"],
    );
}

#[test]
fn two_cores_on_one_slice() {
    let files = files().change("sdsc_1.json", |sdsc| {
        sdsc["coreIdToWkSlice_"]["2"]["mb"] = 1.into();
    });
    assert_fault(
        &report_only(&files),
        FaultKind::Slices,
        &["cores 1 and 2 both work on slice"],
    );
}

/// The report where the values may happen to be right.
fn report_only(files: &Files) -> Report {
    let (inputs, _) = add_mul_values(ROWS, COLUMNS);
    let mut setup = Setup::new(&inputs, Placed::f16(&[ROWS, COLUMNS]));
    setup.run(&files.read().unwrap());
    setup.machine.report().clone()
}

/// `y = a + b; w = a - b; z = y * w`, with `y` at LX 0 and `w` at an address.
fn three(second: u64) -> Files {
    let argument = |index| matrix(32, 128, Allocation::argument(index));
    let lx = |address| matrix(32, 128, Allocation::lx(address));
    let op = |name: &str| space(OpSpec::pointwise(name), 32, 128, 4);
    let nodes: Vec<Node> = vec![
        op("add")
            .with_input(argument(0))
            .with_input(argument(1))
            .with_output(lx(0))
            .into(),
        op("sub")
            .with_input(argument(0))
            .with_input(argument(1))
            .with_output(lx(second))
            .into(),
        op("mul")
            .with_input(lx(0))
            .with_input(lx(second))
            .with_output(argument(2))
            .into(),
    ];
    Files::from_nodes(&nodes)
}

fn run_three(second: u64) -> Report {
    run_three_with(second, |_, value| value)
}

/// The same, with elements of the second input replaced, by position.
fn run_three_with(second: u64, change: impl Fn(usize, f32) -> f32) -> Report {
    let count = 32 * 128;
    let mut inputs: Vec<_> = (0..2)
        .map(|seed| (Placed::f16(&[32, 128]), common::integers(count, seed)))
        .collect();
    for (at, value) in inputs[1].1.iter_mut().enumerate() {
        *value = change(at, *value);
    }
    let mut setup = Setup::new(&inputs, Placed::f16(&[32, 128]));
    setup.run(&three(second).read().unwrap());
    setup.machine.report().clone()
}

#[test]
fn values_that_overlap_in_scratchpads() {
    // A core's slice is 8 rows of 128 elements: 2048 bytes.
    assert_eq!(run_three(2048).to_string(), "");
    let report = run_three(1024);
    assert_fault(
        &report,
        FaultKind::Overlap,
        &[
            "mul (sdsc_2.json",
            "core 0",
            "Tensor0 (input 0)",
            "byte 1024",
            "1024 bytes = 8 sticks that add (sdsc_0.json",
            "were overwritten by sub (sdsc_1.json",
        ],
    );
    let report = run_three(0);
    assert_fault(
        &report,
        FaultKind::Lost,
        &[
            "sub (sdsc_1.json",
            "overwrites all that add (sdsc_0.json",
            "LX of core 3",
        ],
    );
}

#[test]
fn a_value_is_lost_if_any_of_it_changes() {
    // b = 0: the sum and the difference are the same, and the one in the place of the other is no loss.
    assert_eq!(run_three_with(0, |_, _| 0.0).to_string(), "");
    // In the first four rows alone.
    let report = run_three_with(0, |at, value| if at < 4 * 128 { 0.0 } else { value });
    assert_fault(
        &report,
        FaultKind::Lost,
        &["overwrites all that add (sdsc_0.json"],
    );
}

#[test]
fn a_part_that_is_written_again_is_no_fault() {
    // A buffer in the pool is filled, 20 of its rows are written again, and all is read: core 2 reads rows 16 to 23.
    let buffer = || matrix(32, 128, Allocation::pool(0));
    let argument = |index| matrix(32, 128, Allocation::argument(index));
    let neg = space(OpSpec::pointwise("neg"), 32, 128, 1);
    let abs = space(OpSpec::pointwise("abs"), 20, 128, 1);
    let copy = space(OpSpec::pointwise("identity"), 32, 128, 4);
    let nodes: Vec<Node> = vec![
        neg.with_input(argument(0)).with_output(buffer()).into(),
        abs.with_input(argument(0)).with_output(buffer()).into(),
        copy.with_input(buffer()).with_output(argument(1)).into(),
    ];
    let options = BundleOptions {
        pool_size: spyre_layout::Bytes(8192),
        ..BundleOptions::default()
    };
    let values = common::integers(32 * 128, 1);
    let inputs = [(Placed::f16(&[32, 128]), values.clone())];
    let mut setup = Setup::new(&inputs, Placed::f16(&[32, 128]));
    let actual = setup.run_clean(&Files::with(&nodes, &options));
    let (first, second) = values.split_at(20 * 128);
    let first = first.iter().map(|x| x.abs());
    let expected: Vec<f32> = first.chain(second.iter().map(|x| -x)).collect();
    assert_eq!(actual, expected);
}

#[test]
fn a_scratchpad_that_is_too_small() {
    let end = 2 << 20;
    assert_eq!(run_three(end - 2048).to_string(), "");
    assert_fault(
        &run_three(end - 1024),
        FaultKind::OutOfRange,
        &["sub", "ends 1024 bytes = 8 sticks after", "LX of core 0"],
    );
}

#[test]
fn a_result_that_is_not_written() {
    let files = files();
    let line = files
        .text()
        .lines()
        .find(|line| line.contains("sdsc_1.json"))
        .unwrap()
        .to_owned();
    let report = report(&files.clone().edit("bundle.mlir", &line, ""));
    assert_fault(
        &report,
        FaultKind::Incomplete,
        &["argument 3", "16384 of 16384 elements", "[all, all]"],
    );
}

#[test]
fn a_missing_operation() {
    // The line that runs add is gone: y is never written.
    let files = files();
    let line = files
        .text()
        .lines()
        .find(|line| line.contains("sdsc_0.json"))
        .unwrap()
        .to_owned();
    let report = report(&files.clone().edit("bundle.mlir", &line, ""));
    assert_fault(
        &report,
        FaultKind::NeverWritten,
        &[
            "mul",
            "iteration [0, 0]",
            "core 0",
            "Tensor0 (input 0)",
            "LX of core 0",
            "byte 0",
            "element [mb=0, out=0]",
        ],
    );
}

#[test]
fn a_symbol_that_nothing_binds() {
    let files = files();
    let line = files
        .text()
        .lines()
        .find(|line| line.contains("sdsc_0.json"))
        .unwrap()
        .to_owned();
    let less = line.replace(", -8]", "]").replace(", %addr_7)", ")");
    let report = report(&files.clone().edit("bundle.mlir", &line, &less));
    assert_fault(
        &report,
        FaultKind::Unbound,
        &[
            "add",
            "core 3",
            "Tensor1 (input 1)",
            "symbol -8 has no value",
        ],
    );
}

#[test]
fn padding_that_is_not_masked() {
    // 100 columns are 128 in memory; the mask covers the last 28.
    let op = space(OpSpec::reduction("sum"), 8, 100, 1)
        .with_input(matrix(8, 100, Allocation::argument(0)))
        .with_output(common::tensor(
            common::F16,
            &[1, 8, 64],
            &["0", "c0", "0"],
            Allocation::argument(1),
        ));
    let files = Files::from_nodes(&[op.into()]);
    let run = |files: &Files| {
        let inputs = [(Placed::f16(&[8, 100]), common::integers(800, 1))];
        let order = spyre_layout::DimOrder::sparse(1);
        let mut setup = Setup::new(
            &inputs,
            Placed::ordered(spyre_layout::HostType::F16, &[8], &order),
        );
        setup.run(&files.read().unwrap());
        setup.machine.report().clone()
    };
    assert_eq!(run(&files).to_string(), "");
    let unmasked = files.change("sdsc_0.json", |sdsc| {
        dsc(sdsc)["coordinateMasking_"] = serde_json::json!({});
    });
    assert_fault(
        &run(&unmasked),
        FaultKind::Unmasked,
        &["sum", "element [mb=0, out=100]", "coordinateMasking_"],
    );
}

#[test]
fn arguments_without_addresses() {
    let op = space(OpSpec::pointwise("neg"), 8, 64, 1)
        .with_input(matrix(8, 64, Allocation::argument(0)))
        .with_output(matrix(8, 64, Allocation::argument(1)));
    let mut machine = spyre_sim::Machine::new(spyre_plan::Target::CARD);
    machine.add_output(spyre_layout::Bytes(u64::MAX));
    machine.add_output(spyre_layout::Bytes(1024));
    machine
        .run(&Files::from_nodes(&[op.into()]).read().unwrap())
        .unwrap();
    assert_fault(
        machine.report(),
        FaultKind::Unaligned,
        &["Tensor0 (input 0)", "starts 127 bytes into a stick"],
    );
}

#[test]
fn a_gap_that_is_wrong() {
    let files = files().change("sdsc_1.json", |sdsc| {
        let node = &mut dsc(sdsc)["scheduleTree_"][2];
        assert_eq!(node["backGapCore_"]["mb"]["-1"], "32");
        node["backGapCore_"]["mb"]["-1"] = "16".into();
    });
    assert_fault(&report(&files), FaultKind::Incomplete, &["argument 3"]);
}

#[test]
fn a_core_reads_what_another_writes() {
    // In place, with the rows of the output in another order: core 1 writes elements that core 0 reads.
    let op = space(OpSpec::pointwise("neg"), 32, 128, 2)
        .with_input(matrix(32, 128, Allocation::argument(0)))
        .with_output(matrix(32, 128, Allocation::argument(0)));
    let files = Files::from_nodes(&[op.into()]);
    let run = |files: &Files| {
        let inputs = [(Placed::f16(&[32, 128]), common::integers(32 * 128, 1))];
        let mut setup = Setup::new(&inputs, Placed::f16(&[1]));
        // One parameter: the output is the input.
        let _ = setup.output;
        let mut machine = spyre_sim::Machine::new(spyre_plan::Target::CARD);
        let (placed, values) = &inputs[0];
        machine
            .add_input(&placed.host, &placed.device, &common::f16_bytes(values))
            .unwrap();
        machine.run(&files.read().unwrap()).unwrap();
        setup.machine = machine;
        setup.machine.report().clone()
    };
    assert_eq!(run(&files).to_string(), "");
    let swapped = files.change("sdsc_0.json", |sdsc| {
        let starts = &mut dsc(sdsc)["scheduleTree_"][1]["startAddressCoreCorelet_"]["data_"];
        (starts["[0, 0, 0]"], starts["[1, 0, 0]"]) =
            (starts["[1, 0, 0]"].clone(), starts["[0, 0, 0]"].clone());
    });
    let report = run(&swapped);
    assert_fault(
        &report,
        FaultKind::Race,
        &["neg", "core 0", "core 1 read the same bytes"],
    );
    assert_fault(
        &report,
        FaultKind::CoreStart,
        &["core 1", "Tensor1 (output)"],
    );
}
