//! Names, extents and divisions of pools and convolutions, and rejected input (specification, section 4.11).

mod common;

use common::windows::*;
use common::*;
use spyre_sdsc::codegen::Descriptor;
use spyre_sdsc::sdsc::Sdsc;
use spyre_sdsc::windows::PadType;
use spyre_sdsc::{Allocation, BundleOptions, Expr, OpSpec};

fn names(descriptor: &Descriptor) -> Vec<&str> {
    descriptor.dims.iter().map(|d| d.dim.as_str()).collect()
}

#[test]
fn roles_of_extent_1_are_dropped() {
    assert_eq!(names(&plan_op(&pool(1))), ["i", "j", "out", "ki", "kj"]);
    assert_eq!(
        names(&plan_op(&conv(1, 1))),
        ["mb", "out", "i", "j", "in", "ki", "kj"]
    );
    assert_eq!(
        names(&plan_op(&depthwise(1))),
        ["out", "i", "j", "ki", "kj"]
    );
    // A batch of 3 is not.
    let mut batch = pool(1);
    batch.node_output_ranges[0] = Expr::int(3);
    let message = plan_error(&batch);
    assert!(
        message.contains("iteration_space has 5 dimensions, and node_output_ranges with the kernel have [mb, i, j, out, ki, kj]"),
        "{message}"
    );
}

/// A 1 x 3 window has no `ki`: the height is walked one by one and has no entry.
#[test]
fn windows_in_one_dimension() {
    let dims = [(128, 1), (4, 4), (2, 1), (64, 1), (3, 1)];
    let tensors = vec![
        tensor(
            0,
            &[4, 5, 1, 64],
            &["c1", "2*c2 + c4", "floor(c3/64)", "Mod(c3, 64)"],
        ),
        tensor(
            1,
            &[3, 2, 64, 64],
            &["c4", "floor(c0/64)", "c3", "Mod(c0, 64)"],
        ),
        tensor(
            2,
            &[4, 2, 2, 64],
            &["c1", "c2", "floor(c0/64)", "Mod(c0, 64)"],
        ),
    ];
    let op = with_ranges(with_tensors(over("conv2d", &dims), tensors), [1, 128, 4, 2]);
    let op = with_params(op, r#"{"kernel_h": 1, "kernel_w": 3, "stride_w": 2}"#);
    let descriptor = plan_op(&op);
    assert_eq!(names(&descriptor), ["out", "i", "j", "in", "kj"]);
    let plan = windows(&descriptor);
    assert_eq!(plan.whole.len(), 1);
    let entry = plan.whole[0];
    // (2 - 1) * 2 + 3.
    assert_eq!(
        (entry.dim.as_str(), entry.window.as_str(), entry.total),
        ("j", "kj", 5)
    );
    // Four cores have a row each: 5 columns of 64 elements.
    assert_eq!(core_offsets(&descriptor, 0), [0, 640, 1280, 1920]);

    // The same window along a height of one: only the kernel shows its dimension.
    let dims = [(128, 1), (2, 1), (64, 1), (3, 1)];
    let tensors = vec![
        tensor(
            0,
            &[3, 2, 1, 64],
            &["c3", "c1", "floor(c2/64)", "Mod(c2, 64)"],
        ),
        tensor(
            1,
            &[3, 2, 64, 64],
            &["c3", "floor(c0/64)", "c2", "Mod(c0, 64)"],
        ),
        tensor(
            2,
            &[1, 2, 2, 64],
            &["0", "c1", "floor(c0/64)", "Mod(c0, 64)"],
        ),
    ];
    let op = with_ranges(with_tensors(over("conv2d", &dims), tensors), [1, 128, 1, 2]);
    let op = with_params(op, r#"{"kernel_h": 3, "kernel_w": 1}"#);
    assert_eq!(names(&plan_op(&op)), ["out", "j", "in", "ki"]);
}

/// A window of one element is not iterated over, but the weight has its dimension.
#[test]
fn depthwise_windows_of_one_element() {
    let mut op = depthwise_of([3, 4], [1, 1, 0]);
    op.iteration_space.truncate(3);
    op.args[1].device_coordinates[0] = Expr::int(0);
    op.args[1].device_coordinates[1] = Expr::int(0);
    let descriptor = plan_op(&op);
    assert_eq!(names(&descriptor), ["out", "i", "j", "ki", "kj"]);
    assert_eq!(dims_of(&descriptor, 1), ["kj", "ki", "out"]);
}

/// An image of one element: its height and width may stand after the window.
#[test]
fn depthwise_images_of_one_element() {
    let mut op = depthwise_of([3, 3], [3, 1, 0]);
    op.iteration_space.sort_by_key(|d| match d.symbol.as_str() {
        "c0" => 0,
        "c3" => 1,
        "c4" => 2,
        "c1" => 3,
        _ => 4,
    });
    assert_eq!(names(&plan_op(&op)), ["out", "ki", "kj", "i", "j"]);
    // The dimensions of windows may also be left out.
    op.iteration_space.truncate(3);
    for position in [0, 2] {
        op.args[position].device_coordinates[0] = Expr::int(0);
        op.args[position].device_coordinates[1] = Expr::int(0);
    }
    let descriptor = plan_op(&op);
    assert_eq!(names(&descriptor), ["out", "ki", "kj"]);
    // The windows of the whole operation are listed, but the windows of a core have no dimension.
    let plan = windows(&descriptor);
    assert_eq!((plan.whole.len(), plan.per_core.len()), (2, 0));
}

/// Padding of 1 around [8, 8], windows of 3, 3 apart: 10 elements, of which the last is not needed and is padding.
#[test]
fn depthwise_padding() {
    let descriptor = plan_op(&depthwise_of([8, 8], [3, 3, 1]));
    let plan = windows(&descriptor);
    assert_eq!(plan.pad_type, PadType::NoZeroPad);
    for entry in &plan.whole {
        assert_eq!((entry.pad_front, entry.pad_back, entry.total), (1, 0, 10));
        assert_eq!(entry.unneeded, Some([1, 0, 1]));
    }
    assert_eq!(plan.whole, plan.per_core);
    let file = compile(&[depthwise_of([8, 8], [3, 3, 1]).into()]);
    let mut bytes = Vec::new();
    file.sdsc_files()[0]
        .write_to(&mut bytes)
        .unwrap_or_else(|e| panic!("{e}"));
    let written = String::from_utf8_lossy(&bytes);
    assert!(written.contains(r#""padding": "padded_nozeropad""#));
    assert!(!written.contains("padded_fullspan_wunneeded"));
}

/// With windows that skip every other element, 3 of them reach over 5.
#[test]
fn dilated_windows() {
    let mut op = conv(1, 1);
    set_param(&mut op, "dil_h", number(2));
    op.args[0] = tensor(
        0,
        &[8, 4, 1, 2, 64],
        &["c2 + 2*c5", "c3 + c6", "floor(c4/64)", "c0", "Mod(c4, 64)"],
    );
    let descriptor = plan_op(&op);
    let entry = windows(&descriptor).whole[0];
    // (4 - 1) * 1 + 2 * (3 - 1) + 1.
    assert_eq!((entry.total, entry.dilation), (8, 2));
    // One row less has no room for the windows.
    op.args[0].device_size[0] = 7;
    let message = plan_error(&op);
    assert!(
        message.contains("args[0].device_size has 7 elements along i, of which 8 are used"),
        "{message}"
    );
}

/// Channels that are no whole stick are padded, and the padding is not masked: it stays in its lanes.
#[test]
fn partial_sticks_of_channels() {
    let mut op = pool(1);
    op.iteration_space[2].extent = Expr::int(40);
    op.node_output_ranges[1] = Expr::int(40);
    let descriptor = plan_op(&op);
    assert_eq!(descriptor.dims[2].extent, 64);
    assert!(descriptor.masks.is_empty());
}

#[test]
fn files_are_read_back() {
    for op in [pool(2), conv(2, 1), depthwise(2)] {
        let bundle = compile(&[op.into()]);
        let mut sdsc = bundle.sdsc_files()[0].sdsc();
        let mut bytes = Vec::new();
        bundle.sdsc_files()[0]
            .write_to(&mut bytes)
            .unwrap_or_else(|e| panic!("{e}"));
        let read: Sdsc = serde_json::from_slice(&bytes).unwrap_or_else(|e| panic!("{e}"));
        // The reader does not care where `padding_` stands.
        for dsc in sdsc.root.values_mut().flat_map(|body| &mut body.dscs) {
            for node in dsc.values_mut().flat_map(|dsc| &mut dsc.schedule_tree) {
                if let Some(padding) = node.leading_padding.take() {
                    node.padding = Some(padding);
                }
            }
        }
        assert_eq!(read, sdsc);
    }
}

#[test]
fn specifications_are_read_from_the_neutral_form() {
    for op in [pool(2), conv(2, 1), depthwise(2)] {
        let text = serde_json::to_string(&op).unwrap_or_else(|e| panic!("{e}"));
        let read: OpSpec = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(read, op);
        assert_eq!(plan_op(&read), plan_op(&op));
    }
}

/// The number of images may be a runtime size; the height may not.
#[test]
fn runtime_batches() {
    let mut op = conv(2, 1).with_runtime_size("s0", bounds(2, 2));
    op.iteration_space[0].extent = Expr::symbol("s0");
    op.node_output_ranges[0] = Expr::symbol("s0");
    let descriptor = plan_op(&op);
    assert_eq!(names(&descriptor)[0], "mb");
    assert_eq!(
        (descriptor.dims[0].extent, descriptor.dims[0].slices),
        (2, 2)
    );
    // A core's images start half the batch further, of 64 channels of 2 bytes each.
    let offset = descriptor.core_offset(&descriptor.tensors[0], &[1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(offset.per_size[0].bytes.get(), 64);
    op.iteration_space[2].extent = Expr::symbol("s0");
    let message = plan_error(&op);
    assert!(
        message.contains("dimension i of windows with runtime size s0"),
        "{message}"
    );
}

#[test]
fn the_first_revision_has_no_windows() {
    let options = BundleOptions::first_revision();
    let message = compile_error(&[pool(1).into()], &options);
    assert!(
        message.contains("windows in files of revision r1"),
        "{message}"
    );
}

#[test]
fn scratchpad_operands_say_less_of_their_memory() {
    let memory = |mut op: OpSpec| -> Vec<String> {
        for (i, arg) in op.args.iter_mut().enumerate() {
            arg.allocation = Allocation::lx(i as u64 * 65536);
        }
        let bundle = compile(&[op.into()]);
        let sdsc = bundle.sdsc_files()[0].sdsc();
        let dscs = sdsc.root.iter().flat_map(|(_, body)| &body.dscs);
        dscs.flat_map(|dsc| dsc.iter().flat_map(|(_, dsc)| &dsc.labeled_ds))
            .map(|operand| serde_json::to_string(&operand.mem_org).unwrap_or_default())
            .collect()
    };
    let plain = r#"{"lx":{"isPresent":1}}"#;
    assert_eq!(memory(pool(1)), [plain, plain]);
    assert_eq!(
        memory(depthwise(1)),
        [r#"{"lx":{"isPresent":1,"isPadded":1}}"#, plain, plain]
    );
}

#[test]
fn windows_are_moved_by_loops() {
    let mut op = pool(1).with_tiled_level(["t".into()]);
    // A tile of 2 rows of the output is 4 rows of the input.
    op.args[0] = op.args[0].clone().advancing(parse("1536*t"));
    op.args[0].device_size[0] = 4;
    let text = compile(&[spyre_sdsc::LoopSpec::new(8, vec![op.into()]).into()]).mlir_text();
    assert!(
        text.contains("affine_map<(d0)[s0] -> (s0 + 3072*d0)>"),
        "{text}"
    );
}
