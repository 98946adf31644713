//! Files that contradict themselves, and products that take padding for elements: neither may pass for a result.

mod common;

use common::{F16, Files, Placed, Setup, dsc, integers, matrix, space, tensor};
use spyre_layout::{DimOrder, Dl16, HostType};
use spyre_sdsc::{Allocation, Expr, OpSpec};
use spyre_sim::{FaultKind, Report};

/// Why files cannot be run.
#[track_caller]
fn refused(files: &Files) -> String {
    match files.read() {
        Ok(bundle) => panic!("read: {bundle:?}"),
        Err(err) => err.to_string(),
    }
}

/// `max` of the rows of 8 by 100 elements: 128 in memory, of which 28 are masked.
fn maximum() -> Files {
    let op = space(OpSpec::reduction("max"), 8, 100, 1)
        .with_input(matrix(8, 100, Allocation::argument(0)))
        .with_output(tensor(
            F16,
            &[1, 8, 64],
            &["0", "c0", "0"],
            Allocation::argument(1),
        ));
    Files::from_nodes(&[op.into()])
}

#[test]
fn inputs_in_another_order() {
    let op = space(OpSpec::pointwise("sub"), 8, 64, 1)
        .with_input(matrix(8, 64, Allocation::argument(0)))
        .with_input(matrix(8, 64, Allocation::argument(1)))
        .with_output(matrix(8, 64, Allocation::argument(2)));
    let files = Files::from_nodes(&[op.into()]);
    assert!(files.read().is_ok());
    let reversed = files.change("sdsc_0.json", |sdsc| {
        let inputs = &mut dsc(sdsc)["computeOp_"][0]["inputLabeledDs"];
        inputs.as_array_mut().unwrap().reverse();
    });
    let reason = refused(&reversed);
    assert!(
        reason.contains("computeOp_/0/inputLabeledDs") && reason.contains("[1, 0]"),
        "{reason}"
    );
}

#[test]
fn dimensions_of_a_layout_in_another_order() {
    let reversed = maximum().change("sdsc_0.json", |sdsc| {
        let order = &mut dsc(sdsc)["primaryDsInfo_"]["OUTPUT"]["layoutDimOrder_"];
        order.as_array_mut().unwrap().reverse();
    });
    let reason = refused(&reversed);
    assert!(
        reason.contains("primaryDsInfo_/OUTPUT/layoutDimOrder_")
            && reason.contains("is out, mb, but Tensor0, the first with this layout, has mb, out"),
        "{reason}"
    );
}

#[test]
fn numbers_for_masked_elements_of_a_maximum() {
    let masked = |code: u16| {
        maximum().change("sdsc_0.json", |sdsc| {
            let constant = &mut dsc(sdsc)["constantInfo_"]["0"];
            assert_eq!(constant["name_"], "samv-maskvalue");
            constant["data_"]["data_"]["[0, 0, 0]"][0] = code.into();
        })
    };
    // The numbers next to -65504, and the smallest one of the device.
    for code in [
        Dl16::from_f32(-65472.0).to_bits(),
        Dl16::from_f32(-65536.0).to_bits(),
        0xFFFE,
    ] {
        assert!(masked(code).read().is_ok(), "{code:#06x}");
    }
    // A zero is larger than negative numbers, and the code of all ones is NaN, not an infinity.
    for (code, value) in [(0, "0"), (0xFFFF, "NaN"), (0x7FFF, "NaN")] {
        let reason = refused(&masked(code));
        let wanted = format!(
            "{value} is the value of masked elements of 'max' and changes its results; -65504 does not"
        );
        assert!(reason.contains(&wanted), "{reason}");
    }
}

/// The product of 16 by `k` and `k` by 64 elements, with the argument of these device extents, from stick `first` on,
/// as the left operand.
fn product(k: u64, device_size: &[u64], first: u64) -> Files {
    let sticks = format!("floor(c2/64) + {first}");
    let op = OpSpec::reduction("batchmatmul")
        .with_dim("c0", Expr::int(16), 1)
        .with_dim("c1", Expr::int(64), 1)
        .with_dim("c2", Expr::int(k as i64), 1)
        .with_input(tensor(
            F16,
            device_size,
            &[sticks.as_str(), "c0", "Mod(c2, 64)"],
            Allocation::argument(0),
        ))
        .with_input(tensor(
            F16,
            &[1, k.next_multiple_of(64), 64],
            &["floor(c1/64)", "c2", "Mod(c1, 64)"],
            Allocation::argument(1),
        ))
        .with_output(matrix(16, 64, Allocation::argument(2)));
    Files::from_nodes(&[op.into()])
}

fn run_product(files: &Files, k: u64, left: Placed) -> Report {
    let values = integers(left.elements(), 1);
    let right = Placed::f16(&[k.next_multiple_of(64), 64]);
    let weights = integers(right.elements(), 2);
    let inputs = [(left, values), (right, weights)];
    let mut setup = Setup::new(&inputs, Placed::f16(&[16, 64]));
    let _ = setup.run(&files.read().unwrap());
    setup.machine.report().clone()
}

#[test]
fn a_product_over_sticks_that_are_not_full() {
    // Heads of 32 elements, each in half a stick, taken for elements in a row: the first sticks are read as if they were
    // full.
    for heads in [4, 2] {
        let order = DimOrder::from_indices(&[1, 0, 2]).unwrap();
        let left = Placed::ordered(HostType::F16, &[heads, 16, 32], &order);
        assert_eq!(left.device.device_size(), [heads, 1, 16, 64]);
        let k = heads * 32;
        let report = run_product(&product(k, &[heads, 16, 64], 0), k, left);
        let text = report.to_string();
        let about_left = report.faults().iter().any(|fault| {
            fault.kind == FaultKind::Unmasked
                && fault
                    .tensor
                    .as_deref()
                    .is_some_and(|name| name.contains("Tensor0"))
        });
        assert!(about_left, "{text}");
        assert!(
            text.contains("padding along 'in' is multiplied") && text.contains("in=32"),
            "{text}"
        );
    }
}

/// Runs the product of 16 rows of elements and 64 columns; the rows of the right operand after the end of K are zeros
/// up to whole sticks. Returns the results and the report.
fn run_ragged(files: &Files, left: Placed) -> (Vec<f32>, Report) {
    // Their exponentials are in range.
    let values = integers(left.elements(), 1)
        .iter()
        .map(|x| x / 8.0)
        .collect();
    let columns = left.host.shape()[1];
    let sticks = columns.next_multiple_of(64);
    let mut weights = integers(columns as usize * 64, 2);
    weights.resize(sticks as usize * 64, 0.0);
    let inputs = [(left, values), (Placed::f16(&[sticks, 64]), weights)];
    let mut setup = Setup::new(&inputs, Placed::f16(&[16, 64]));
    let actual = setup.run(&files.read().unwrap());
    (actual, setup.machine.report().clone())
}

#[test]
fn padding_behind_the_end_of_a_product() {
    // Full sticks, and a window of them, have none.
    for (k, columns) in [(128, 128), (64, 100)] {
        let left = Placed::f16(&[16, columns]);
        let report = run_product(&product(k, &[2, 16, 64], 0), k, left);
        assert_eq!(report.to_string(), "", "{k} of {columns}");
    }
    // A last stick that is not full, and a window that begins with it.
    for (k, first) in [(100, 0), (36, 1)] {
        let left = Placed::f16(&[16, 100]);
        let report = run_product(&product(k, &[2, 16, 64], first), k, left);
        let faults: Vec<_> = report.faults().iter().map(|fault| fault.kind).collect();
        assert_eq!(faults, [FaultKind::Unmasked], "{report}");
        assert_eq!(report.faults()[0].count, 16, "once for each row");
    }
    // Zeros of the right operand do not cancel undefined elements, and all results show it.
    let (actual, report) = run_ragged(&product(100, &[2, 16, 64], 0), Placed::f16(&[16, 100]));
    assert!(report.has(FaultKind::Unmasked));
    assert!(actual.iter().all(|number| number.is_nan()));
}

/// `op` of 16 by `columns` elements into a scratchpad, and its product with the second argument.
fn product_of(op: &str, columns: u64) -> Files {
    let between = || Allocation::lx(0);
    let op = space(OpSpec::pointwise(op), 16, columns as i64, 1)
        .with_input(matrix(16, columns, Allocation::argument(0)))
        .with_output(matrix(16, columns, between()));
    let sticks = columns.div_ceil(64);
    let product = OpSpec::reduction("batchmatmul")
        .with_dim("c0", Expr::int(16), 1)
        .with_dim("c1", Expr::int(64), 1)
        .with_dim("c2", Expr::int(columns as i64), 1)
        .with_input(tensor(
            F16,
            &[sticks, 16, 64],
            &["floor(c2/64)", "c0", "Mod(c2, 64)"],
            between(),
        ))
        .with_input(tensor(
            F16,
            &[1, sticks * 64, 64],
            &["floor(c1/64)", "c2", "Mod(c1, 64)"],
            Allocation::argument(1),
        ))
        .with_output(matrix(16, 64, Allocation::argument(2)));
    Files::from_nodes(&[op.into(), product.into()])
}

#[test]
fn what_an_operation_has_written_behind_the_end_is_multiplied() {
    // Results computed from undefined elements are undefined, also those of an exponential of several sticks, which is
    // not masked (contract, K14).
    for (op, columns) in [("neg", 100), ("neg", 40), ("exp", 100)] {
        let files = product_of(op, columns);
        assert!(!files.0["sdsc_0.json"].contains("samv-maskvalue"));
        let (_, report) = run_ragged(&files, Placed::f16(&[16, columns]));
        assert!(
            report.has(FaultKind::Unmasked),
            "{op} of {columns}: {report}"
        );
    }
    // A masked exponential is a number there, and the zeros of the right operand cancel it.
    let files = product_of("exp", 40);
    assert!(files.0["sdsc_0.json"].contains("samv-maskvalue"));
    let (actual, report) = run_ragged(&files, Placed::f16(&[16, 40]));
    assert_eq!(report.to_string(), "");
    assert!(actual.iter().all(|number| !number.is_nan()));
}

#[test]
fn an_undefined_element_that_is_not_chosen() {
    // 16 by 100 elements, chosen where 128 conditions hold: the tail of one operand is undefined, and that of the other is not.
    let choose = |first: usize| {
        let operand = |index, columns| matrix(16, columns, Allocation::argument(index));
        let mut inputs = [operand(1, 100), operand(2, 128)];
        inputs.rotate_left(first);
        let [then, other] = inputs;
        let op = space(OpSpec::pointwise("where3"), 16, 100, 1)
            .with_input(operand(0, 128))
            .with_input(then)
            .with_input(other)
            .with_output(operand(3, 128));
        let mut conditions = vec![1.0; 16 * 128];
        for row in conditions.chunks_mut(128) {
            row[100..].fill(0.0);
        }
        let inputs = [
            (Placed::f16(&[16, 128]), conditions),
            (Placed::f16(&[16, 100]), vec![2.0; 1600]),
            (Placed::f16(&[16, 128]), vec![3.0; 16 * 128]),
        ];
        let mut setup = Setup::new(&inputs, Placed::f16(&[16, 128]));
        let actual = setup.run(&Files::from_nodes(&[op.into()]).read().unwrap());
        (actual, setup.machine.report().clone())
    };
    let (actual, report) = choose(0);
    assert_eq!(report.to_string(), "");
    assert!(
        actual
            .chunks(128)
            .all(|row| row[..100] == [2.0; 100] && row[100..] == [3.0; 28])
    );
    // The other way round, unwritten elements are chosen.
    let (actual, report) = choose(1);
    assert!(report.has(FaultKind::Incomplete), "{report}");
    assert!(actual[100..128].iter().all(|number| number.is_nan()));
}
