//! Programs with views and without layouts compute what they say, in the files that are written for them.
//!
//! Each program runs on several numbers of cores. Arguments without a layout have the default one, which the host's
//! side of these tests computes by itself.

mod support;

use support::program::Program;

/// `a.t() + x`.
#[test]
fn transposed_operand() {
    for (n, m) in [(128, 128), (128, 256), (64, 192)] {
        let text = format!(
            "!a = tensor<{n}x{m}xf16>
            !t = tensor<{m}x{n}xf16>
            func.func @program(%a: !a, %x: !t) -> !t {{
              %t = spyre.permute %a [1, 0] : !a to !t
              %y = spyre.add %t, %x : !t
              return %y : !t
            }}"
        );
        Program::new(&text, |x, _, p| x(0, &[p[1], p[0]]) + x(1, p)).check();
    }
}

/// Ragged extents: a change of layout runs over whole sticks of both layouts.
#[test]
fn transposed_ragged_operand() {
    for (n, m) in [(200, 100), (33, 200), (100, 128), (128, 33)] {
        let text = format!(
            "!a = tensor<{n}x{m}xf16>
            !t = tensor<{m}x{n}xf16>
            func.func @program(%a: !a, %x: !t) -> !t {{
              %t = spyre.permute %a [1, 0] : !a to !t
              %y = spyre.add %t, %x : !t
              return %y : !t
            }}"
        );
        Program::new(&text, |x, _, p| x(0, &[p[1], p[0]]) + x(1, p)).check();
    }
}

#[test]
fn sum_of_transposes() {
    let text = "!t = tensor<128x128xf16>
        func.func @program(%a: !t, %b: !t, %x: !t) -> !t {
          %ta = spyre.permute %a [1, 0] : !t to !t
          %tb = spyre.permute %b [1, 0] : !t to !t
          %s = spyre.add %ta, %tb : !t
          %y = spyre.add %s, %x : !t
          return %y : !t
        }";
    Program::new(text, |x, _, p| {
        let t = [p[1], p[0]];
        x(0, &t) + x(1, &t) + x(2, p)
    })
    .check();
}

#[test]
fn softmax() {
    let text = "!t = tensor<64x200xf16>
        !c = tensor<64x1xf16>
        func.func @program(%x: !t) -> !t {
          %m = spyre.max %x dims [1] keepdim : (!t) -> !c
          %d = spyre.sub %x, %m : (!t, !c) -> !t
          %e = spyre.exp %d : !t
          %s = spyre.sum %e dims [1] keepdim : (!t) -> !c
          %p = spyre.realdiv %e, %s : (!t, !c) -> !t
          return %p : !t
        }";
    let softmax = |x: support::program::Inputs<'_>, _: usize, p: &[u64]| {
        let row = |j| x(0, &[p[0], j]);
        let most = (0..200).map(row).fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = (0..200).map(|j| (row(j) - most).exp()).sum();
        (row(p[1]) - most).exp() / sum
    };
    Program {
        spread: 13,
        ..Program::new(text, softmax)
    }
    .check();
}
