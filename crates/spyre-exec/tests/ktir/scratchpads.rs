//! The tensors of a kernel fit into the scratchpad of a core.

use std::fs;

use melior::ir::Module;
use spyre_mlir_rt::ir;

use crate::kernels::{Planned, root};

/// The bytes of a scratchpad.
const SCRATCHPAD: u64 = 2 << 20;

#[test]
fn tensors_of_kernels_fit_into_a_scratchpad() {
    let context = spyre_exec::context();
    let mut converted = 0;
    let mut largest = (0, String::new());
    for folder in ["examples/ktir", "examples/plans"] {
        let files = fs::read_dir(format!("{}/{folder}", root())).expect("a folder");
        for file in files {
            let path = file.expect("a file").path();
            if path.extension().is_none_or(|it| it != "mlir") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a program");
            let Ok(kernel) = Planned::convert(&context, &text, "") else {
                continue; // the conversion refuses it
            };
            converted += 1;
            let module = Module::parse(&context, &kernel).expect("the kernel parses");
            for function in ir::operations(module.body()) {
                let peak = spyre_ktir_check::scratchpad_peak(function);
                assert!(peak <= SCRATCHPAD, "{}: {peak} bytes", path.display());
                if peak > largest.0 {
                    largest = (peak, path.display().to_string());
                }
            }
        }
    }
    println!("{converted} programs; the largest peak is {largest:?}");
    assert!(converted >= 12, "{converted} programs have kernels");
    assert!(largest.0 > 4096, "the largest is {largest:?}");
}
