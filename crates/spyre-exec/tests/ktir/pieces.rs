//! Operations whose parts do not fit into the scratchpad of a core are converted in loops over pieces.
//!
//! With a small scratchpad, the kernels of the examples have such loops, fit, and have the results of their plans.

use melior::ir::Module;
use spyre_exec::random::Distribution;
use spyre_exec::{Tolerance, compare};
use spyre_mlir_rt::ir;

use crate::kernels::{Planned, root};

/// Programs of `examples/ktir`, the bytes of a scratchpad, the cores, and the largest relative error of their results: the
/// order of the sums of products differs from that of the plan.
const PROGRAMS: [(&str, u64, u32, f64); 9] = [
    ("add_mul", 32 << 10, 4, 0.0),
    ("attention", 64 << 10, 4, 2e-3),
    ("gather", 16 << 10, 1, 0.0),
    ("gelu_mlp", 128 << 10, 4, 3e-3),
    ("layer_norm", 64 << 10, 4, 1e-3),
    ("matmul_k", 64 << 10, 4, 1e-3),
    ("moments", 32 << 10, 1, 1e-3),
    ("softmax", 64 << 10, 1, 1e-3),
    ("swiglu_mlp", 128 << 10, 1, 6e-3),
];

/// Returns the most bytes that the tensors of a kernel take.
fn peak(module: &Module<'_>) -> u64 {
    let functions = ir::operations(module.body());
    let peaks = functions.map(spyre_analysis::scratchpad::peak);
    peaks.max().unwrap_or(0)
}

/// Runs a kernel, and compares its results with those of the plan. Returns the number of loops.
fn check(text: &str, options: &str, limit: u64, relative: f64, values: Distribution) -> usize {
    let context = spyre_exec::context();
    let planned = Planned::of_text(&context, text, options, values);
    let planned = planned.expect("the conversion takes it");
    let module = Module::parse(&context, &planned.text).expect("the kernel parses");
    let report = spyre_ktir_check::check(
        module.as_operation(),
        &planned.text,
        &spyre_ktir_check::Options::default(),
    );
    assert!(report.is_right(), "{options}: {:?}", report.findings.len());
    assert_eq!(report.undecided, 0, "{options}: all claims are decided");
    assert!(peak(&module) <= limit, "{options}: {} bytes", peak(&module));
    let results = planned.run(&context, &module).expect("it compiles");
    let [forward, reverse] = results.expect("it runs");
    let tolerance = Tolerance { ulps: 0, relative };
    for (expected, actual) in planned.expected.iter().zip(&forward) {
        let comparison = compare(expected, actual, tolerance).expect("the same types");
        assert!(comparison.agrees(), "{options}: {comparison}");
    }
    assert_eq!(forward, reverse, "{options}: orders of cores");
    planned.text.matches("scf.for").count()
}

#[test]
fn examples_in_pieces_have_the_results_of_their_plans() {
    for (name, limit, cores, relative) in PROGRAMS {
        let text = std::fs::read_to_string(format!("{}/examples/ktir/{name}.mlir", root()));
        let text = text.expect("the example can be read");
        let integers = text.contains("--integers=200").then_some(200);
        let values = integers.map_or(Distribution::Plain, Distribution::Integers);
        let options = format!(
            "coarse-tile=false lx=false target={{cores={cores},lx_bytes={limit},lx_reserved_bytes=0}}"
        );
        // Without tiles, each loop is one over pieces.
        let loops = check(&text, &options, limit, relative, values);
        assert!(loops > 0, "{name}: {loops} loops");
    }
}

#[test]
fn a_result_in_the_place_of_an_operand_has_the_results_of_its_plan() {
    let text =
        "func.func @f(%a: tensor<256x256xf16>, %b: tensor<256x256xf16>) -> tensor<256x256xf16> {
        %x = spyre.exp %a : tensor<256x256xf16>
        %y = spyre.sub %x, %b : tensor<256x256xf16>
        %z = spyre.mul %y, %y : tensor<256x256xf16>
        %w = spyre.sub %b, %z : tensor<256x256xf16>
        return %w : tensor<256x256xf16>
    }";
    // There is room for one value of 128 KiB, and the plan has `%x`, `%y` and `%z` in the same place.
    let options = "target={cores=1,lx_bytes=196608,lx_reserved_bytes=0}";
    let loops = check(text, options, 196_608, 0.0, Distribution::Plain);
    assert!(loops >= 3, "{loops} loops");
}
