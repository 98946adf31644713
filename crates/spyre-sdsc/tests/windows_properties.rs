//! Properties of pools and convolutions (specification, section 4.11).

mod common;

use common::windows::*;
use common::*;
use proptest::prelude::*;
use spyre_sdsc::{Allocation, Expr};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Windows cover the extents of the file, in every operation, and the file names each spatial dimension once.
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
        let slice_elements = rows as u64 * k;
        let expected: Vec<u64> = (0..cores).map(|core| core * slice_elements * 6 * 64 * 2).collect();
        prop_assert_eq!(core_offsets(&descriptor, 0), expected);
        let span = windows(&descriptor).input[0];
        prop_assert_eq!((span.step, span.size), (slice_elements, slice_elements));
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
        let _ = common::compile_bundle(&[op.clone().into()], &Default::default());
        let options = Default::default();
        let _ = spyre_sdsc::codegen::plan(&op, 0, spyre_sdsc::codegen::EnclosingLoops::Unknown, &options);
    }
}

fn any_size() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..9_u64, 1 => Just(64), 1 => Just(1 << 31), 1 => Just(u64::MAX), 1 => any::<u64>()]
}
