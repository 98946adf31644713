//! The kernels of `examples/ktir` have the results of their plans, in both orders of cores.

use melior::ir::Module;
use spyre_exec::{Tolerance, compare};

use crate::kernels::Planned;

/// The forms of a plan, each with a number of cores: without tiles, with the tiles of hints, and as decided.
const FORMS: [(&str, u32); 3] = [("coarse-tile=false", 32), ("plan=false", 4), ("", 1)];

/// Programs, and the largest relative error of their results. The order of sums differs from that of the plan, so
/// products of 16 bits may be rounded to a neighbour, which later operations see.
const PROGRAMS: [(&str, f64); 10] = [
    ("add_mul", 0.0),
    ("attention", 0.0),
    ("gather", 0.0),
    ("gelu_mlp", 1.4e-3),
    ("layer_norm", 0.0),
    ("matmul_k", 0.0),
    ("rms_norm", 0.0),
    ("select", 0.0),
    ("softmax", 0.0),
    ("swiglu_mlp", 3.9e-3),
];

#[test]
fn examples_have_the_results_of_their_plans() {
    let context = spyre_exec::context();
    let mut ran = 0;
    for (name, relative) in PROGRAMS {
        for (form, cores) in FORMS {
            let options = format!("{form} target={{cores={cores}}}");
            let Ok(planned) = Planned::example(&context, name, &options) else {
                continue; // the conversion refuses it
            };
            let module = Module::parse(&context, &planned.text).expect("the kernel parses");
            let results = planned.run(&context, &module).expect("it compiles");
            let [forward, reverse] = results.expect("it runs");
            let tolerance = Tolerance { ulps: 0, relative };
            for (expected, actual) in planned.expected.iter().zip(&forward) {
                let comparison = compare(expected, actual, tolerance).expect("the same types");
                assert!(comparison.agrees(), "{name} {options}: {comparison}");
            }
            assert_eq!(forward, reverse, "{name} {options}: orders of cores");
            ran += 1;
        }
    }
    // 10 programs in 3 forms, of which the conversion may refuse few.
    assert!(ran >= 27, "{ran} kernels ran");
}
