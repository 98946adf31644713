//! Convolutions: the windows of an image, and files with impossible windows.

mod common;

use common::{F16, Files, Placed, Setup, dsc, integers, tensor};
use spyre_layout::{Coord, HostTensor, HostType, Layout};
use spyre_sdsc::{Allocation, Expr, Json, OpSpec};

/// 2 x 3 windows of an image of 5 x 4 with 64 channels, 1 and 1 apart, to 64 filters. `slices` divide the height.
fn convolution(slices: u64) -> Files {
    let dims = [
        (2, 1),
        (4, slices),
        (2, 1),
        (64, 1),
        (64, 1),
        (2, 1),
        (3, 1),
    ];
    let mut op = OpSpec::reduction("conv2d");
    for (dim, (extent, slices)) in dims.into_iter().enumerate() {
        op = op.with_dim(format!("c{dim}"), Expr::int(extent), slices);
    }
    let image = ["c1 + c5", "c2 + c6", "floor(c4/64)", "c0", "Mod(c4, 64)"];
    let weight = ["c6", "c4", "floor(c3/64)", "c5", "Mod(c3, 64)"];
    let output = ["c1", "c2", "floor(c3/64)", "c0", "Mod(c3, 64)"];
    let argument = Allocation::argument;
    op = op
        .with_input(tensor(F16, &[5, 4, 1, 2, 64], &image, argument(0)))
        .with_input(tensor(F16, &[3, 64, 1, 2, 64], &weight, argument(1)))
        .with_output(tensor(F16, &[4, 2, 1, 2, 64], &output, argument(2)));
    op.node_output_ranges = [2, 64, 4, 2].map(Expr::int).to_vec();
    let params = r#"{"kernel_h": 2, "kernel_w": 3}"#;
    let params: Json = serde_json::from_str(params).unwrap();
    op.op_info.other.insert("conv_params".into(), params);
    Files::from_nodes(&[op.into()])
}

/// Integers from -2 to 2: sums of as many products as there are here are exact in `f16`.
fn small(count: usize, seed: usize) -> Vec<f32> {
    integers(count, seed).into_iter().map(|x| x % 3.0).collect()
}

#[test]
fn windows_overlap_on_every_number_of_cores() {
    for slices in [1, 2, 4] {
        let (image, weight) = (Placed::f16(&[2, 5, 4, 64]), Placed::f16(&[2, 3, 64, 64]));
        let (x, w) = (small(image.elements(), 1), small(weight.elements(), 2));
        let inputs = [(image, x.clone()), (weight, w.clone())];
        let mut setup = Setup::new(&inputs, Placed::f16(&[2, 4, 2, 64]));
        let actual = setup.run(&convolution(slices).read().unwrap());
        let report = setup.machine.report();
        assert!(report.faults().is_empty(), "{report}");
        for (at, actual) in actual.iter().enumerate() {
            let [n, y, x_at, f] = [at / 512, at / 128 % 4, at / 64 % 2, at % 64];
            let mut sum = 0.0;
            for (i, j, c) in
                (0..2).flat_map(|i| (0..3).flat_map(move |j| (0..64).map(move |c| (i, j, c))))
            {
                let of_image = ((n * 5 + y + i) * 4 + x_at + j) * 64 + c;
                sum += x[of_image] * w[((i * 3 + j) * 64 + c) * 64 + f];
            }
            assert_eq!(*actual, sum, "{slices} slices, element {at}");
        }
    }
}

/// 2 x 2 windows of an image of 4 x 6 with 64 channels, 2 apart. `slices` divide the height.
fn pool(function: &str, slices: u64) -> Files {
    let dims = [(2, slices), (3, 1), (64, 1), (2, 1), (2, 1)];
    let mut op = OpSpec::reduction(function);
    for (dim, (extent, slices)) in dims.into_iter().enumerate() {
        op = op.with_dim(format!("c{dim}"), Expr::int(extent), slices);
    }
    let input = ["2*c0 + c3", "2*c1 + c4", "floor(c2/64)", "Mod(c2, 64)"];
    let output = ["c0", "c1", "floor(c2/64)", "Mod(c2, 64)"];
    let argument = Allocation::argument;
    op = op
        .with_input(tensor(F16, &[4, 6, 1, 64], &input, argument(0)))
        .with_output(tensor(F16, &[2, 3, 1, 64], &output, argument(1)));
    op.node_output_ranges = [1, 64, 2, 3].map(Expr::int).to_vec();
    for (name, value) in [
        ("kernel_h", 2.0),
        ("kernel_w", 2.0),
        ("stride_h", 2.0),
        ("stride_w", 2.0),
        ("pad_h", 0.0),
        ("pad_w", 0.0),
        ("scaling_factor", 0.25),
    ] {
        op = op.with_constant(name, value);
    }
    Files::from_nodes(&[op.into()])
}

#[test]
fn pools_on_every_number_of_cores() {
    type Of = fn(&[f32]) -> f32;
    let functions: [(&str, Of); 2] = [
        ("avgpoolfwd", |x| x.iter().sum::<f32>() / 4.0),
        ("maxpoolfwd", |x| x.iter().copied().fold(f32::MIN, f32::max)),
    ];
    for ((function, reference), slices) in functions
        .into_iter()
        .flat_map(|entry| [(entry, 1), (entry, 2)])
    {
        let files = pool("avgpoolfwd", slices).change("sdsc_0.json", |sdsc| {
            dsc(sdsc)["computeOp_"][0]["opFuncName"] = function.into();
        });
        let image = placed(&[4, 6, 64]);
        let x = integers(image.elements(), 3);
        let inputs = [(image, x.clone())];
        let actual = Setup::new(&inputs, placed(&[2, 3, 64])).run_clean(&files);
        for (at, actual) in actual.iter().enumerate() {
            let [i, j, c] = [at / (3 * 64), at / 64 % 3, at % 64];
            let window = [(0, 0), (0, 1), (1, 0), (1, 1)];
            let window = window.map(|(y, z)| x[((2 * i + y) * 6 + 2 * j + z) * 64 + c]);
            assert_eq!(
                *actual,
                reference(&window),
                "{function}, {slices} slices, element {at}"
            );
        }
    }
}

/// A tensor in the order of its dimensions, with sticks along the last one.
fn placed(shape: &[u64]) -> Placed {
    let mut coords: Vec<Coord> = (0..shape.len() - 1).map(Coord::dim).collect();
    let last = shape.len() - 1;
    coords.push(Coord::floor_div(last, 64));
    coords.push(Coord::modulo(last, 64));
    let layout = Layout::new(shape.len(), coords).unwrap();
    Placed {
        host: HostTensor::contiguous(HostType::F16, shape.to_vec()).unwrap(),
        device: layout.place(shape, F16).unwrap(),
    }
}

/// 3 x 3 windows of an image of 6 x 5 with 64 channels, 1 and 2 apart, channel by channel. `slices` divide the height.
fn depthwise(slices: u64) -> Files {
    let dims = [(64, 1), (4, slices), (2, 1), (3, 1), (3, 1)];
    let mut op = OpSpec::reduction("depthwiseconv2dnative");
    for (dim, (extent, slices)) in dims.into_iter().enumerate() {
        op = op.with_dim(format!("c{dim}"), Expr::int(extent), slices);
    }
    let image = ["c1", "c2", "floor(c0/64)", "Mod(c0, 64)"];
    let weight = ["c3", "c4", "floor(c0/64)", "Mod(c0, 64)"];
    let argument = Allocation::argument;
    op = op
        .with_input(tensor(F16, &[6, 5, 1, 64], &image, argument(0)))
        .with_input(tensor(F16, &[3, 3, 1, 64], &weight, argument(1)))
        .with_output(tensor(F16, &[4, 2, 1, 64], &image, argument(2)));
    op.node_output_ranges = [1, 64, 4, 2].map(Expr::int).to_vec();
    let params = r#"{"stride_i": 1, "stride_j": 2, "pad_i": 0, "pad_j": 0, "dilation_i": 1, "dilation_j": 1,
        "total_size_i": 6, "total_size_j": 5, "kernel_h": 3, "kernel_w": 3, "pad_type": "padded_fullspan_wunneeded"}"#;
    let params: Json = serde_json::from_str(params).unwrap();
    op.op_info.other.insert("conv_params".into(), params);
    Files::from_nodes(&[op.into()])
}

#[test]
fn windows_channel_by_channel() {
    for slices in [1, 2] {
        let (image, weight) = (placed(&[6, 5, 64]), placed(&[3, 3, 64]));
        let (x, w) = (small(image.elements(), 1), small(weight.elements(), 2));
        let inputs = [(image, x.clone()), (weight, w.clone())];
        let actual = Setup::new(&inputs, placed(&[4, 2, 64])).run_clean(&depthwise(slices));
        for (at, actual) in actual.iter().enumerate() {
            let [i, j, c] = [at / 128, at / 64 % 2, at % 64];
            let pairs = (0..3).flat_map(|y| (0..3).map(move |z| (y, z)));
            let sum: f32 = pairs
                .map(|(y, z)| x[((i + y) * 5 + 2 * j + z) * 64 + c] * w[(y * 3 + z) * 64 + c])
                .sum();
            assert_eq!(*actual, sum, "{slices} slices, element {at}");
        }
    }
}

#[test]
fn windows_that_cannot_be_are_refused() {
    assert!(convolution(1).read().is_ok());
    let cases = [
        (
            "padFront_",
            1,
            "a padding of 1 and 0 elements is not simulated",
        ),
        ("stride_", 0, "stride 0 and dilation 1 must be positive"),
        (
            "totalSize_",
            6,
            "4 windows of 2 elements do not span the 6 elements of the input",
        ),
    ];
    for (key, value, expected) in cases {
        let changed = convolution(1).change("sdsc_0.json", |sdsc| {
            dsc(sdsc)["N_"]["paddingSizes_"]["i"][key] = value.into();
        });
        let message = changed.read().expect_err("refused").to_string();
        assert!(message.contains(expected), "{message}");
    }
    let along_itself = convolution(1).change("sdsc_0.json", |sdsc| {
        dsc(sdsc)["N_"]["paddingSizes_"]["i"]["windowDim_"] = "i".into();
    });
    let message = along_itself.read().expect_err("refused").to_string();
    assert!(
        message.contains("'i' is no dimension of whole windows"),
        "{message}"
    );
}
