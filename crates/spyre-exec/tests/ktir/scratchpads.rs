//! The tensors of the kernels of `examples/ktir` fit into the scratchpad of a core.
//!
//! Those of larger programs need not: a kernel loads the part of an operand that a core reads as one tensor, while the
//! card streams it from device memory. The peaks of `examples/plans` are printed.

use std::fs;

use melior::ir::Module;
use spyre_mlir_rt::ir;

use crate::kernels::{Planned, root};

/// The bytes of a scratchpad.
const SCRATCHPAD: u64 = 2 << 20;

/// Returns the largest peak of the kernels of each program in a folder that the conversion takes, in bytes.
fn peaks(folder: &str) -> Vec<(String, u64)> {
    let context = spyre_exec::context();
    let files = fs::read_dir(format!("{}/{folder}", root())).expect("a folder");
    let mut peaks = Vec::new();
    for file in files {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|it| it != "mlir") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a program");
        let Ok(kernel) = Planned::convert(&context, &text, "") else {
            continue; // the conversion refuses it
        };
        let module = Module::parse(&context, &kernel).expect("the kernel parses");
        let functions = ir::operations(module.body());
        let peak = functions.map(spyre_ktir_check::scratchpad_peak).max();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        peaks.push((name.into_owned(), peak.unwrap_or(0)));
    }
    peaks
}

#[test]
fn tensors_of_kernels_fit_into_a_scratchpad() {
    let peaks = peaks("examples/ktir");
    assert!(peaks.len() >= 9, "{peaks:?}");
    for (name, peak) in peaks {
        assert!(peak > 0 && peak <= SCRATCHPAD, "{name}: {peak} bytes");
    }
}

#[test]
#[ignore = "prints the peaks of larger programs"]
fn peaks_of_plans() {
    for (name, peak) in peaks("examples/plans") {
        println!("{name}: {peak} bytes");
    }
}
