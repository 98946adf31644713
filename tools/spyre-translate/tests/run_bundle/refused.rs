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
    // A change of layout of 40 rows runs over 64. A gap of 8 rows behind 64 would be read as 8 rows that are missing.
    for (whole, rows) in [(100, 40), (72, 64)] {
        let text = format!(
            "#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
            #cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
            !a = tensor<{whole}x128xf16, #rows>
            !w = tensor<{rows}x128xf16, #rows>
            !c = tensor<{rows}x128xf16, #cols>
            func.func @program(%a: !a) -> !c {{
              %w = tensor.extract_slice %a[0, 0] [{rows}, 128] [1, 1] : !a to !w
              %c = spyre.restickify %w : (!w) -> !c
              return %c : !c
            }}"
        );
        let message = format!("tensor #0 is {rows} of {whole} elements there");
        refused(&text, &message);
    }
}
