//! The errors of the code that `--uop-decompose` writes for functions of floats, on a sample of `f32` and on all floats
//! of 16 bits, as compiled code. `cargo xtask accuracy --all` counts through all floats.

#[path = "../examples/uop_accuracy/measure.rs"]
mod measure;

use measure::{CHUNK, Compiled, Errors};
use spyre_uop::dtype::DType;
use spyre_uop::element;

/// An odd number, so that all fractions are in the sample.
const STRIDE: u64 = 32_771;

/// Chunks of pairs for a power.
const PAIRS: u64 = 16;

#[test]
fn compiled_decompositions_are_within_the_table() {
    spyre_all::register_all_passes();
    let context = spyre_all::context();
    context.load_all_available_dialects();
    let rows = measure::rows();
    for rows in rows.chunk_by(|a, b| (a.op, a.dtype) == (b.op, b.dtype)) {
        let first = &rows[0];
        let compiled = Compiled::new(&context, first).expect("the operation is compiled");
        let stride = if first.dtype == DType::F32 { STRIDE } else { 1 };
        let chunks = match first.op {
            "pow" => PAIRS,
            _ => measure::inputs_of(first.dtype, stride).div_ceil(CHUNK as u64),
        };
        let mut errors = vec![Errors::default(); rows.len()];
        for chunk in 0..chunks {
            let measured = compiled.measure(rows, chunk, stride, &mut errors);
            measured.expect("the function runs");
        }
        for (row, errors) in rows.iter().zip(errors) {
            let (op, dtype, domain) = (row.op, row.dtype, row.domain);
            assert!(
                errors.count > 100,
                "{op} {dtype} {domain}: {}",
                errors.count
            );
            assert!(
                errors.worst <= row.limit,
                "{op} {dtype} {domain}: {} ulp at {:e}",
                errors.worst,
                element::float(dtype, errors.at)
            );
            // It was measured: no function here is exact everywhere.
            assert!(errors.sum > 0.0, "{op} {dtype} {domain}");
        }
    }
}
