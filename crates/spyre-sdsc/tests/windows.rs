//! Names, extents and divisions of pools and convolutions, and what is refused (specification, section 4.11).

mod common;

use common::windows::*;
use common::*;
use proptest::prelude::*;
use spyre_sdsc::codegen::{Descriptor, WindowPlan};
use spyre_sdsc::sdsc::Sdsc;
use spyre_sdsc::validate::validate;
use spyre_sdsc::windows::PadType;
use spyre_sdsc::{Allocation, BundleOptions, Expr, Json, OpSpec};

fn names(descriptor: &Descriptor) -> Vec<&str> {
    descriptor.dims.iter().map(|d| d.dim.as_str()).collect()
}

fn windows(descriptor: &Descriptor) -> &WindowPlan {
    let windows = descriptor.windows.as_ref();
    windows.unwrap_or_else(|| panic!("{descriptor:?} has no windows"))
}

fn text(value: &str) -> Json {
    Json::String(value.into())
}

/// A depthwise convolution of one image [height, width] with 64 channels.
fn depthwise_of([height, width]: [u64; 2], [k, s, pad]: [u64; 3]) -> OpSpec {
    let outputs = |size: u64| ((size + 2 * pad - k) / s + 1) as i64;
    let (out_h, out_w) = (outputs(height), outputs(width));
    let mut op = over(
        "depthwiseconv2dnative",
        &[
            (64, 1),
            (out_h, 1),
            (out_w, 1),
            (k as i64, 1),
            (k as i64, 1),
        ],
    );
    let image = ["c1", "c2", "floor(c0/64)", "Mod(c0, 64)"];
    let weight = ["c3", "c4", "floor(c0/64)", "Mod(c0, 64)"];
    op = with_tensors(
        op,
        vec![
            tensor(0, &[height, width, 1, 64], &image),
            tensor(1, &[k, k, 1, 64], &weight),
            tensor(2, &[out_h as u64, out_w as u64, 1, 64], &image),
        ],
    );
    let pad_type = if pad > 0 {
        PadType::NoZeroPad
    } else {
        PadType::FullSpan
    };
    let (total_h, total_w) = (height + 2 * pad, width + 2 * pad);
    with_params(
        with_ranges(op, [1, 64, out_h, out_w]),
        &format!(
            r#"{{"stride_i": {s}, "stride_j": {s}, "pad_i": {pad}, "pad_j": {pad}, "total_size_i": {total_h},
                "total_size_j": {total_w}, "kernel_h": {k}, "kernel_w": {k}, "pad_type": "{}"}}"#,
            pad_type.as_str()
        ),
    )
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

    // The same window along a height of one: nothing but the kernel says which dimension it is of.
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

/// A window of one element is not iterated over, and the weight has its dimension all the same.
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

/// An image of one element: its height and width may stand behind the window.
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
    // Or be left out.
    op.iteration_space.truncate(3);
    for position in [0, 2] {
        op.args[position].device_coordinates[0] = Expr::int(0);
        op.args[position].device_coordinates[1] = Expr::int(0);
    }
    let descriptor = plan_op(&op);
    assert_eq!(names(&descriptor), ["out", "ki", "kj"]);
    // The windows of the whole operation are there all the same, and those of a core have no dimension.
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
    // One row less has no room for them.
    op.args[0].device_size[0] = 7;
    let message = plan_error(&op);
    assert!(
        message.contains("args[0].device_size has 7 elements along i, of which 8 are used"),
        "{message}"
    );
}

/// Channels that are no whole stick are padded, and the padding is not masked: it stays in its own lanes.
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

#[test]
fn the_first_revision_has_no_windows() {
    let options = BundleOptions::first_revision();
    let message = compile_error(&[pool(1).into()], &options);
    assert!(
        message.contains("windows in files of revision R1"),
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

type Make = fn() -> OpSpec;
type Break = fn(&mut OpSpec);

#[test]
fn validation_names_the_operation_the_field_and_the_rule() {
    let cases: &[(Make, Break, &str)] = &[
        (
            || conv(1, 1),
            |op| op.op_info.other = Default::default(),
            "op='conv2d': op_info.conv_params must hold the parameters of the windows",
        ),
        (
            || conv(1, 1),
            |op| drop(op.op_info.other.insert("conv_params".into(), text("3x3"))),
            "op='conv2d': op_info.conv_params must be an object",
        ),
        (
            || conv(1, 1),
            |op| set_param(op, "kernel_w", number(0)),
            "op='conv2d': op_info.conv_params.kernel_w must be an integer of at least 1, got 0",
        ),
        (
            || conv(1, 1),
            |op| set_param(op, "stride_h", text("2")),
            "op='conv2d': op_info.conv_params.stride_h must be an integer of at least 1, got no number",
        ),
        (
            || conv(1, 1),
            |op| set_param(op, "dil_h", number(1 << 40)),
            "op_info.conv_params.dil_h must be an integer of at least 1, got 1099511627776",
        ),
        (
            || conv(1, 1),
            |op| drop(op.args.remove(1)),
            "args must hold 2 inputs and 1 output, got 1 and 1",
        ),
        (
            || conv(1, 1),
            |op| op.args.swap(1, 2),
            "args must end with the output",
        ),
        (
            || pool(1),
            |op| op.is_reduction = false,
            "op='avgpoolfwd': is_reduction must be true for pools and convolutions",
        ),
        (
            || pool(1),
            |op| {
                op.op_info.constants.insert("stride_w".into(), 1.5);
            },
            "op_info.constants.stride_w must be an integer of at least 1, got 1.5",
        ),
        (
            || pool(1),
            |op| drop(op.node_output_ranges.pop()),
            "node_output_ranges must be the 4 extents [N, C, H, W] of the output, got 3",
        ),
        (
            || pool(1),
            |op| op.node_output_ranges[2] = Expr::int(0),
            "node_output_ranges must be positive, got 0",
        ),
        (
            || depthwise(1),
            |op| set_param(op, "total_size_i", number(2)),
            "op_info.conv_params.total_size_i must hold a window of 3 elements",
        ),
        (
            || depthwise(1),
            |op| set_param(op, "pad_type", text("padded_nozeropad")),
            "op_info.conv_params.pad_type must be `padded_fullspan_wunneeded` without padding, got `padded_nozeropad`",
        ),
        (
            || depthwise(1),
            |op| set_param(op, "pad_i", number(1)),
            "op_info.conv_params.pad_type must be `padded_nozeropad` with padding, got `padded_fullspan_wunneeded`",
        ),
    ];
    for (make, break_it, expected) in cases {
        let mut op = make();
        assert!(validate(&[op.clone().into()]).is_ok());
        break_it(&mut op);
        let message =
            validate(&[op.into()]).map_or_else(|error| error.to_string(), |_| "valid".into());
        assert!(
            message.contains(expected),
            "expected `{expected}` in `{message}`"
        );
    }
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let cases: &[(Make, Break, &str)] = &[
        (
            || pool(1),
            |op| op.iteration_space[3].slices = 2,
            "window dimension ki is divided into 2 slices: a core needs whole windows",
        ),
        (
            || pool(1),
            |op| {
                op.op_info.constants.insert("pad_h".into(), 1.0);
            },
            "padding of 1 x 0: the SDSC bundle specification leaves this open",
        ),
        (
            || pool(1),
            |op| op.args[0].device_size[1] = 7,
            "args[0].device_size of 7 along j: the SDSC bundle specification leaves this open",
        ),
        (
            || pool(1),
            |op| op.args[0].device_size[1] = 5,
            "args[0].device_size has 5 elements along j, of which 6 are used",
        ),
        (
            || pool(1),
            |op| {
                op.op_info.constants.insert("kernel_w".into(), 1.0);
            },
            "a kernel of 2 x 1: the backend's function needs 2 dimensions with a window",
        ),
        (
            || pool(1),
            |op| op.args[0].device_coordinates[0] = parse("c0 + c3"),
            "args[0].device_coordinates `c0 + c3` moves by 1 per step of i, which must be 2",
        ),
        (
            || pool(1),
            |op| {
                op.args[0].device_coordinates[0] = parse("2*c0 + c4");
                op.args[0].device_coordinates[1] = parse("2*c1 + c3");
            },
            "args[0].device_coordinates `2*c0 + c4` is no place of an element or a window",
        ),
        (
            || pool(1),
            |op| op.args[0].device_coordinates[0] = parse("2*c0 + c3 + 1"),
            "reach over 4 elements along i from 1, of 4",
        ),
        (
            || pool(1),
            |op| op.args[0].device_coordinates[0] = parse("2*c0 + c3 - 1"),
            "start at -1 along i",
        ),
        (
            || pool(1),
            |op| op.args[0].device_coordinates[3] = parse("Mod(c2, 64) + 1"),
            "args[0].device_coordinates `Mod(c2, 64) + 1` starts inside a stick",
        ),
        (
            || pool(1),
            |op| op.args[0].device_coordinates[2] = parse("floor(c2/64) + 1"),
            "reach over 64 elements along out from 64, of 64",
        ),
        (
            || pool(1),
            |op| op.args[1].device_coordinates[0] = Expr::int(0),
            "args[1].device_coordinates must use dimension i",
        ),
        (
            || pool(1),
            |op| op.args[1].device_coordinates[0] = parse("c3"),
            "args[1].device_coordinates must not use dimension ki",
        ),
        (
            || pool(1),
            |op| op.op = "maxpoolfwd".into(),
            "op 'maxpoolfwd' (number 0): op: the SDSC bundle specification leaves this open",
        ),
        (
            || conv(1, 1),
            |op| op.op = "conv2dfp8".into(),
            "op 'conv2dfp8' (number 0): op: the SDSC bundle specification leaves this open",
        ),
        (
            || conv(1, 2),
            |op| {
                set_param(op, "stride_h", number(2));
                op.args[0] = tensor(
                    0,
                    &[9, 4, 1, 2, 64],
                    &["2*c2 + c5", "c3 + c6", "floor(c4/64)", "c0", "Mod(c4, 64)"],
                );
            },
            "i divided into 2 slices: the backend cannot address the parts of windows that are 2 elements apart",
        ),
        (
            || conv(1, 1),
            |op| op.iteration_space[4].extent = Expr::int(40),
            "40 input channels, which are not whole sticks of 64",
        ),
        (
            || conv(1, 1),
            |op| set_param(op, "kernel_h", number(2)),
            "dimension ki has extent 3, and the kernel has 2 elements along it",
        ),
        (
            || conv(1, 1),
            |op| op.args[1].device_coordinates[4] = parse("Mod(c4, 64)"),
            "args[1].device_coordinates must have the stick c1 of the output",
        ),
        (
            || conv(1, 1),
            |op| op.args[0].device_coordinates[0] = parse("c2"),
            "iteration_space[c5] is no dimension of a convolution: the input does not move along a height or width by it",
        ),
        (
            || depthwise(1),
            |op| set_param(op, "total_size_i", number(7)),
            "dimension i has extent 4, and 7 elements have room for 5 windows",
        ),
        (
            || depthwise(1),
            |op| op.iteration_space[3].extent = Expr::int(2),
            "iteration_space does not have the extents of node_output_ranges and of the kernel",
        ),
    ];
    for (make, break_it, expected) in cases {
        let mut op = make();
        plan_op(&op);
        break_it(&mut op);
        let message = plan_error(&op);
        assert!(
            message.contains(expected),
            "expected `{expected}` in `{message}`"
        );
    }
}

/// Which parts of one core a padded depthwise convolution would have is not known.
#[test]
fn padded_heights_are_not_divided() {
    let mut op = depthwise_of([8, 8], [3, 1, 1]);
    plan_op(&op);
    op.iteration_space[1].slices = 2;
    let message = plan_error(&op);
    assert!(
        message.contains("division of i with padding of 1: the SDSC"),
        "{message}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Windows reach over all that the file says, in every operation, and the file names each spatial dimension once.
    #[test]
    fn sizes_are_consistent(size in [3..12_u64, 3..12_u64], k in 2..4_u64, s in 1..4_u64, pad in 0..2_u64) {
        let descriptor = plan_op(&depthwise_of(size, [k, s, pad]));
        let plan = windows(&descriptor);
        for (entry, valid) in plan.whole.iter().zip(size) {
            let outputs = descriptor.dim(entry.dim).map_or(1, |d| d.extent);
            let [all, front, back] = entry.unneeded.unwrap_or_default();
            prop_assert_eq!(entry.total, valid + 2 * pad);
            prop_assert_eq!((outputs - 1) * s + k + all, entry.total);
            prop_assert_eq!((entry.pad_front + front, entry.pad_back + back), (pad, pad));
        }
        prop_assert_eq!(&plan.whole, &plan.per_core);
    }

    /// Parts of neighbouring cores of a convolution overlap, and the last one ends where the input does.
    #[test]
    fn convolutions_cover_their_input(rows in 1..5_i64, cores in 1..5_u64, dilation in 1..4_u64) {
        let height = rows as u64 * cores;
        if height == 1 {
            return Ok(());
        }
        let mut op = conv(1, cores);
        op.iteration_space[2].extent = Expr::int(height as i64);
        op.node_output_ranges[2] = Expr::int(height as i64);
        set_param(&mut op, "dil_h", number(dilation));
        op.args[0].device_size[0] = height + 2 * dilation;
        op.args[0].device_coordinates[0] = parse(&format!("c2 + {dilation}*c5"));
        op.args[2].device_size[0] = height;
        let descriptor = plan_op(&op);
        let plan = windows(&descriptor);
        let span = plan.input[0];
        prop_assert_eq!((cores - 1) * span.step + span.size, plan.whole[0].total);
        prop_assert_eq!(plan.whole[0].total, height + 2 * dilation);
        // A row of the input is 4 columns of two images of 64 channels of 2 bytes.
        let expected: Vec<u64> = (0..cores).map(|core| core * span.step * 4 * 2 * 64 * 2).collect();
        prop_assert_eq!(core_offsets(&descriptor, 0), expected);
    }

    /// Parts of cores are whole rows, in order, and together all of the input.
    #[test]
    fn pools_divide_their_input(rows in 1..5_i64, cores in 1..5_u64, k in 2..4_u64) {
        let mut op = pool(1);
        let height = rows as u64 * cores;
        op.iteration_space[0].extent = Expr::int(height as i64);
        op.iteration_space[0].slices = cores;
        op.iteration_space[3].extent = Expr::int(k as i64);
        op.node_output_ranges[2] = Expr::int(height as i64);
        op.op_info.constants.insert("kernel_h".into(), k as f64);
        op.op_info.constants.insert("stride_h".into(), k as f64);
        op.args[0].device_size[0] = k * height;
        op.args[0].device_coordinates[0] = parse(&format!("{k}*c0 + c3"));
        op.args[1].device_size[0] = height;
        if height == 1 {
            return Ok(());
        }
        let descriptor = plan_op(&op);
        let own = rows as u64 * k;
        let expected: Vec<u64> = (0..cores).map(|core| core * own * 6 * 64 * 2).collect();
        prop_assert_eq!(core_offsets(&descriptor, 0), expected);
        let span = windows(&descriptor).input[0];
        prop_assert_eq!((span.step, span.size), (own, own));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    /// No parameters, ranges, extents or coordinates make planning panic.
    #[test]
    fn nothing_panics(
        which in 0..3_usize,
        edits in proptest::collection::vec((0..8_u8, 0..12_usize, any_size(), 0..6_usize), 0..4),
    ) {
        let mut op = [pool(2), conv(1, 2), depthwise(2)][which].clone();
        for (kind, place, value, choice) in edits {
            let small = Expr::int(i64::try_from(value).unwrap_or(-1));
            match kind {
                0 => {
                    let keys = [
                        "kernel_h", "kernel_w", "stride_h", "stride_w", "stride_i", "stride_j", "pad_h", "pad_i",
                        "dil_h", "dilation_j", "total_size_i", "total_size_j",
                    ];
                    let key = keys[place % keys.len()];
                    op.op_info.constants.insert(key.into(), value as f64);
                    if which > 0 {
                        set_param(&mut op, key, number(value));
                    }
                }
                1 => op.node_output_ranges[place % 4] = small,
                2 => {
                    let count = op.iteration_space.len();
                    op.iteration_space[place % count].extent = small;
                }
                3 => {
                    let count = op.iteration_space.len();
                    op.iteration_space[place % count].slices = value;
                }
                4 => {
                    let count = op.args.len();
                    let arg = &mut op.args[choice % count];
                    let rank = arg.device_size.len();
                    arg.device_size[place % rank] = value;
                }
                5 => {
                    let texts = ["c0", "2*c0 + c3", "0", "floor(c1/64)", "c1 + c2 + c3", "c5 - 1"];
                    let count = op.args.len();
                    let arg = &mut op.args[place % count];
                    let rank = arg.device_coordinates.len();
                    arg.device_coordinates[(value % rank as u64) as usize] = parse(texts[choice]);
                }
                6 => drop(op.iteration_space.pop()),
                _ => op.args[place % 2].allocation = Allocation::lx(value),
            }
        }
        let _ = spyre_sdsc::compile_bundle(&[op.clone().into()], &Default::default());
        let options = Default::default();
        let _ = spyre_sdsc::codegen::plan(&op, 0, spyre_sdsc::codegen::EnclosingLoops::Unknown, &options);
    }
}

fn any_size() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..9_u64, 1 => Just(64), 1 => Just(1 << 31), 1 => Just(u64::MAX), 1 => any::<u64>()]
}
