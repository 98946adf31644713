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
        Err(why) => why.to_string(),
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
    Files::of(&[op.into()])
}

#[test]
fn inputs_in_another_order() {
    let op = space(OpSpec::pointwise("sub"), 8, 64, 1)
        .with_input(matrix(8, 64, Allocation::argument(0)))
        .with_input(matrix(8, 64, Allocation::argument(1)))
        .with_output(matrix(8, 64, Allocation::argument(2)));
    let files = Files::of(&[op.into()]);
    assert!(files.read().is_ok());
    let reversed = files.change("sdsc_0.json", |sdsc| {
        let inputs = &mut dsc(sdsc)["computeOp_"][0]["inputLabeledDs"];
        inputs.as_array_mut().unwrap().reverse();
    });
    let why = refused(&reversed);
    assert!(
        why.contains("computeOp_/0/inputLabeledDs") && why.contains("[1, 0]"),
        "{why}"
    );
}

#[test]
fn dimensions_of_a_layout_in_another_order() {
    let reversed = maximum().change("sdsc_0.json", |sdsc| {
        let order = &mut dsc(sdsc)["primaryDsInfo_"]["OUTPUT"]["layoutDimOrder_"];
        order.as_array_mut().unwrap().reverse();
    });
    let why = refused(&reversed);
    assert!(
        why.contains("primaryDsInfo_/OUTPUT/layoutDimOrder_")
            && why.contains("is out, mb, but Tensor0, the first with this layout, has mb, out"),
        "{why}"
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
        let why = refused(&masked(code));
        let wanted = format!(
            "{value} stands for masked elements of 'max', whose results it changes; -65504 does not"
        );
        assert!(why.contains(&wanted), "{why}");
    }
}

/// The product of 16 by `k` and `k` by 64 elements, whose left operand is the argument with these device extents, from
/// stick `first`.
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
    Files::of(&[op.into()])
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
            text.contains("padding is multiplied") && text.contains("in=32"),
            "{text}"
        );
    }
}

#[test]
fn padding_behind_the_end_of_a_product() {
    // Full sticks; a last stick that is not; a window of one; a window that begins with the last stick.
    for (k, columns, first) in [(128, 128, 0), (100, 100, 0), (64, 100, 0), (36, 100, 1)] {
        let left = Placed::f16(&[16, columns]);
        let report = run_product(&product(k, &[2, 16, 64], first), k, left);
        assert_eq!(
            report.to_string(),
            "",
            "{k} of {columns} from stick {first}"
        );
    }
}
