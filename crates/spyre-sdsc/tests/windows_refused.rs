//! Pools and convolutions that break a rule, or with an unknown form (specification, section 4.11).

mod common;

use common::windows::*;
use common::*;
use spyre_sdsc::validate::validate;
use spyre_sdsc::{Expr, Json, OpSpec};

fn text(value: &str) -> Json {
    Json::String(value.into())
}

type Make = fn() -> OpSpec;
type Break = fn(&mut OpSpec);

/// Checks that a valid operation is refused by the validation after each change.
#[track_caller]
fn assert_invalid(cases: &[(Make, Break, &str)]) {
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

/// Checks that an operation that can be planned is refused by the planner after each change.
#[track_caller]
fn assert_unplannable(cases: &[(Make, Break, &str)]) {
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

#[test]
fn invalid_pools_are_refused_with_field_and_rule() {
    assert_invalid(&[
        (
            || pool(1),
            |op| {
                let constants = op.op_info.constants.iter();
                let rest = constants.filter(|(name, _)| *name != "scaling_factor");
                op.op_info.constants = rest.map(|(name, value)| (name.clone(), *value)).collect();
            },
            "op='avgpoolfwd': op_info.constants.scaling_factor must be what the sum of a window is multiplied by",
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
    ]);
}

#[test]
fn invalid_convolutions_are_refused_with_field_and_rule() {
    assert_invalid(&[
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
    ]);
}

#[test]
fn pools_with_wrong_extents_cannot_be_planned() {
    assert_unplannable(&[
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
    ]);
}

#[test]
fn pools_with_wrong_coordinates_cannot_be_planned() {
    assert_unplannable(&[
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
            |op| op.op = "avgpoolnmapfwd".into(),
            "op 'avgpoolnmapfwd' (number 0): op: the SDSC bundle specification leaves this open",
        ),
    ]);
}

#[test]
fn convolutions_with_wrong_windows_cannot_be_planned() {
    assert_unplannable(&[
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
    ]);
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
