//! The tensors of the kernels of `examples/ktir` and `examples/plans` fit into the scratchpad of a core.

use std::fs;

use melior::ir::Module;
use spyre_mlir_rt::ir;

use crate::kernels::{Planned, root};

/// The bytes of a scratchpad.
const SCRATCHPAD: u64 = 2 << 20;

/// The larger programs.
const PLANS: &str = "examples/plans";

/// Returns the largest peak of the kernels of each program in a folder that the conversion takes, in bytes.
fn peaks(folder: &str, cores: u32) -> Vec<(String, u64)> {
    let context = spyre_exec::context();
    let files = fs::read_dir(format!("{}/{folder}", root())).expect("a folder");
    let mut peaks = Vec::new();
    for file in files {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|it| it != "mlir") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a program");
        let options = format!("target={{cores={cores}}}");
        let Ok(kernel) = Planned::convert(&context, &text, &options) else {
            continue; // the conversion refuses it
        };
        let module = Module::parse(&context, &kernel).expect("the kernel parses");
        let functions = ir::operations(module.body());
        let peak = functions.map(spyre_analysis::scratchpad::peak).max();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        peaks.push((name.into_owned(), peak.unwrap_or(0)));
    }
    peaks.sort();
    peaks
}

fn check(folder: &str, cores: u32, least: usize) {
    let peaks = peaks(folder, cores);
    assert!(peaks.len() >= least, "{} kernels of {folder}", peaks.len());
    let above = peaks.iter().filter(|it| it.1 > SCRATCHPAD);
    let above: Vec<_> = above.collect();
    assert!(above.is_empty(), "{folder} on {cores} cores: {above:?}");
    assert!(peaks.iter().all(|it| it.1 > 0), "{peaks:?}");
}

#[test]
fn tensors_of_kernels_fit_into_a_scratchpad() {
    for cores in [1, 4, 32] {
        check("examples/ktir", cores, 9);
    }
}

#[test]
fn tensors_of_larger_kernels_fit_into_a_scratchpad() {
    for cores in [1, 4, 32] {
        check(PLANS, cores, 15);
    }
}

/// Returns the peak of the tensors of a function of these operations.
fn peak_of(operations: &str) -> u64 {
    let context = spyre_exec::context();
    let text = format!("func.func @kernel() {{\n{operations}\nreturn\n}}");
    let module = Module::parse(&context, &text).expect("the operations parse");
    let function = ir::operations(module.body()).next();
    spyre_analysis::scratchpad::peak(function.expect("a function"))
}

#[test]
fn an_insertion_is_in_place_where_nothing_uses_the_tensor_later() {
    let first = "%x = arith.constant dense<1.0> : tensor<1024xf16>";
    let slice = "%s = tensor.extract_slice %x[0] [64] [1] : tensor<1024xf16> to tensor<64xf16>";
    let negated = "%n = arith.negf %s : tensor<64xf16>";
    let inserted =
        "%y = tensor.insert_slice %n into %x[0] [64] [1] : tensor<64xf16> into tensor<1024xf16>";
    let end = "%e = arith.negf %y : tensor<1024xf16>";
    let before = format!("{first}\n{slice}\n{negated}\n{inserted}");
    assert_eq!(peak_of(&format!("{before}\n{end}")), 2048 + 128);
    // `%x`, and a slice of it, are used later.
    let of_x = "%z = arith.addf %y, %x : tensor<1024xf16>";
    assert_eq!(peak_of(&format!("{before}\n{of_x}")), 2 * 2048 + 128);
    let of_slice = "%z = arith.negf %s : tensor<64xf16>";
    assert_eq!(
        peak_of(&format!("{before}\n{of_slice}\n{end}")),
        2 * 2048 + 128
    );
}

#[test]
fn a_loop_carries_a_tensor_in_place_where_nothing_uses_it_later() {
    let first = "%c0 = arith.constant 0 : index\n%c4 = arith.constant 4 : index\n%c1 = arith.constant 1 : index\n\
                 %x = arith.constant dense<1.0> : tensor<1024xf16>\n%u = arith.negf %x : tensor<1024xf16>";
    let end = "%e = arith.addf %u, %y : tensor<1024xf16>";
    let body = |read: &str| {
        format!(
            "%y = scf.for %i = %c0 to %c4 step %c1 iter_args(%z = %x) -> (tensor<1024xf16>) {{\n\
             %s = tensor.extract_slice {read}[%i] [64] [1] : tensor<1024xf16> to tensor<64xf16>\n\
             %n = tensor.insert_slice %s into %z[%i] [64] [1] : tensor<64xf16> into tensor<1024xf16>\n\
             scf.yield %n : tensor<1024xf16>\n}}"
        )
    };
    // A slice of the tensor itself is not written into it: the insertion reads it.
    let peaks = ["%u", "%x"].map(|read| peak_of(&format!("{first}\n{}\n{end}", body(read))));
    assert_eq!(peaks, [2 * 2048, 3 * 2048]);
}

#[test]
fn a_result_by_element_is_in_the_place_of_an_operand_that_dies() {
    let first =
        "%x = arith.constant dense<1.0> : tensor<1024xf16>\n%y = arith.negf %x : tensor<1024xf16>";
    let use_of_y = "%e = arith.negf %y : tensor<1024xf16>";
    assert_eq!(peak_of(&format!("{first}\n{use_of_y}")), 2048);
    // `%x` is used later.
    let later = "%e = arith.addf %y, %x : tensor<1024xf16>";
    assert_eq!(peak_of(&format!("{first}\n{later}")), 4096);
    // The result is larger.
    let wide = "%e = arith.extf %y : tensor<1024xf16> to tensor<1024xf32>";
    assert_eq!(peak_of(&format!("{first}\n{wide}")), 6144);
}

#[test]
fn an_operand_that_is_read_at_other_positions_is_no_place() {
    let generic = |map: &str| {
        format!(
            "%x = arith.constant dense<1.0> : tensor<32x32xf32>\n%i = tensor.empty() : tensor<32x32xf32>\n\
             %y = linalg.generic {{indexing_maps = [{map}, affine_map<(d0, d1) -> (d0, d1)>], \
             iterator_types = [\"parallel\", \"parallel\"]}} ins(%x : tensor<32x32xf32>) outs(%i : tensor<32x32xf32>) {{\n\
             ^bb0(%a: f32, %o: f32):\n linalg.yield %a : f32\n}} -> tensor<32x32xf32>"
        )
    };
    assert_eq!(peak_of(&generic("affine_map<(d0, d1) -> (d0, d1)>")), 4096);
    assert_eq!(peak_of(&generic("affine_map<(d0, d1) -> (d1, d0)>")), 8192);
}

#[test]
fn a_sum_that_a_loop_carries_is_there_once() {
    let product = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c4 = arith.constant 4 : index\n\
        %f = arith.constant 0.0 : f32\n%z = tensor.splat %f : tensor<32x32xf32>\n\
        %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %z) -> (tensor<32x32xf32>) {\n\
        %a = arith.constant dense<1.0> : tensor<32x8xf32>\n%b = arith.constant dense<1.0> : tensor<8x32xf32>\n\
        %n = linalg.matmul ins(%a, %b : tensor<32x8xf32>, tensor<8x32xf32>) outs(%acc : tensor<32x32xf32>) -> tensor<32x32xf32>\n\
        scf.yield %n : tensor<32x32xf32>\n}";
    assert_eq!(peak_of(product), 4096 + 2 * 1024);
}
