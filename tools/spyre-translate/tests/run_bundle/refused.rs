//! What has no addresses is refused, where it is in the program.

use super::program::Program;

/// What has no address by one stride in each dimension is refused.
#[test]
fn refusals() {
    let refused = |text: &str, message: &str| {
        Program::new(text, |_, _, _| 0.0).check_refused(message);
    };
    // One dimension becomes two in memory that do not follow each other.
    refused(
        "!a = tensor<8x128xf16>
        !e = tensor<4x2x128xf16>
        !p = tensor<2x4x128xf16>
        func.func @program(%a: !a, %x: !a) -> !a {
          %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 2, 128] : !a into !e
          %p = spyre.permute %e [1, 0, 2] : !e to !p
          %c = tensor.collapse_shape %p [[0, 1], [2]] : !p into !a
          %y = spyre.add %c, %x : !a
          return %y : !a
        }",
        "is in 2 device dimensions",
    );
    refused(
        "!a = tensor<16x128xf16>
        !w = tensor<8x128xf16>
        !e = tensor<4x2x128xf16>
        func.func @program(%a: !a, %x: !e) -> !e {
          %w = tensor.extract_slice %a[4, 0] [8, 128] [1, 1] : !a to !w
          %e = tensor.expand_shape %w [[0, 1], [2]] output_shape [4, 2, 128] : !w into !e
          %y = spyre.add %e, %x : !e
          return %y : !e
        }",
        "reshapes a window of a tensor",
    );
    refused(
        "!a = tensor<16x256xf16>
        !w = tensor<16x128xf16>
        func.func @program(%a: !a, %x: !w) -> !w {
          %w = tensor.extract_slice %a[0, 32] [16, 128] [1, 1] : !a to !w
          %y = spyre.add %w, %x : !w
          return %y : !w
        }",
        "a window starts and ends with whole sticks",
    );
}
