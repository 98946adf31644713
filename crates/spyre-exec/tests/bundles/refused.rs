//! Checks that an operand without addresses is refused, at its place in the program.

use super::program::Program;

/// Checks that a tensor without an address by one stride in each dimension is refused.
#[test]
fn refusals() {
    let refused = |text: &str, message: &str| {
        Program::new(text, |_, _, _| 0.0).check_refused(message);
    };
    // A given layout in which one dimension is two in memory that do not follow each other.
    refused(
        "#c = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0 mod 4, d0 floordiv 4, d1 mod 64)>
        !c = tensor<8x128xf16, #c>
        func.func @program(%a: !c, %x: !c) -> !c {
          %y = spyre.add %a, %x : !c
          return %y : !c
        }",
        "runs along 2 device dimensions",
    );
    // A given layout with half-full sticks.
    refused(
        "#h = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32), size = [8, 64, 64]>
        !h = tensor<64x256xf16, #h>
        func.func @program(%a: !h, %x: !h) -> !h {
          %y = spyre.add %a, %x : !h
          return %y : !h
        }",
        "an OpSpec needs full sticks",
    );
}
