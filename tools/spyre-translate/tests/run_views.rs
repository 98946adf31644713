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

#[test]
fn shared_change_of_layout() {
    let text = "!a = tensor<64x128xf16>
        !t = tensor<128x64xf16>
        func.func @program(%a: !a, %x: !t, %y: !t) -> (!t, !t) {
          %t = spyre.permute %a [1, 0] : !a to !t
          %p = spyre.add %t, %x : !t
          %q = spyre.sub %y, %t : !t
          return %p, %q : !t, !t
        }";
    Program::new(text, |x, result, p| {
        let t = x(0, &[p[1], p[0]]);
        match result {
            0 => t + x(1, p),
            _ => x(2, p) - t,
        }
    })
    .check();
}

#[test]
fn slices_of_columns() {
    let text = "!a = tensor<64x256xf16>
        !s = tensor<64x128xf16>
        func.func @program(%a: !a, %x: !s) -> !s {
          %w = tensor.extract_slice %a[0, 64] [64, 128] [1, 1] : !a to !s
          %y = spyre.sub %w, %x : !s
          return %y : !s
        }";
    Program::new(text, |x, _, p| x(0, &[p[0], p[1] + 64]) - x(1, p)).check();
}

#[test]
fn slices_of_rows() {
    let text = "!a = tensor<40x128xf16>
        !s = tensor<4x128xf16>
        func.func @program(%a: !a, %x: !s) -> !s {
          %w = tensor.extract_slice %a[3, 0] [4, 128] [1, 1] : !a to !s
          %y = spyre.sub %w, %x : !s
          return %y : !s
        }";
    Program::new(text, |x, _, p| x(0, &[p[0] + 3, p[1]]) - x(1, p)).check();
}

#[test]
fn slice_of_transpose() {
    let text = "!a = tensor<192x128xf16>
        !t = tensor<128x192xf16>
        !s = tensor<100x128xf16>
        func.func @program(%a: !a, %x: !s) -> !s {
          %t = spyre.permute %a [1, 0] : !a to !t
          %w = tensor.extract_slice %t[5, 64] [100, 128] [1, 1] : !t to !s
          %y = spyre.sub %w, %x : !s
          return %y : !s
        }";
    Program::new(text, |x, _, p| x(0, &[p[1] + 64, p[0] + 5]) - x(1, p)).check();
}

#[test]
fn transpose_of_slice() {
    let text = "!a = tensor<192x256xf16>
        !s = tensor<64x128xf16>
        !t = tensor<128x64xf16>
        func.func @program(%a: !a, %x: !t) -> !t {
          %w = tensor.extract_slice %a[7, 64] [64, 128] [1, 1] : !a to !s
          %t = spyre.permute %w [1, 0] : !s to !t
          %y = spyre.sub %t, %x : !t
          return %y : !t
        }";
    Program::new(text, |x, _, p| x(0, &[p[1] + 7, p[0] + 64]) - x(1, p)).check();
}

#[test]
fn expanded_and_collapsed_rows() {
    let text = "!a = tensor<24x128xf16>
        !e = tensor<4x6x128xf16>
        func.func @program(%a: !a, %x: !e) -> !a {
          %t = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 6, 128] : !a into !e
          %y = spyre.sub %t, %x : !e
          %z = tensor.collapse_shape %y [[0, 1], [2]] : !e into !a
          return %z : !a
        }";
    Program::new(text, |x, _, p| x(0, p) - x(1, &[p[0] / 6, p[0] % 6, p[1]])).check();
}

#[test]
fn expanded_columns() {
    let text = "!a = tensor<24x256xf16>
        !e = tensor<24x2x128xf16>
        func.func @program(%a: !a, %x: !e) -> !e {
          %t = tensor.expand_shape %a [[0], [1, 2]] output_shape [24, 2, 128] : !a into !e
          %y = spyre.sub %t, %x : !e
          return %y : !e
        }";
    Program::new(text, |x, _, p| x(0, &[p[0], p[1] * 128 + p[2]]) - x(1, p)).check();
}

#[test]
fn permuted_three_dimensions() {
    let text = "!a = tensor<4x64x128xf16>
        !t = tensor<4x128x64xf16>
        func.func @program(%a: !a, %x: !t) -> !t {
          %t = spyre.permute %a [0, 2, 1] : !a to !t
          %y = spyre.sub %t, %x : !t
          return %y : !t
        }";
    Program::new(text, |x, _, p| x(0, &[p[0], p[2], p[1]]) - x(1, p)).check();
    let text = "!a = tensor<4x64x128xf16>
        !t = tensor<128x4x64xf16>
        func.func @program(%a: !a, %x: !t) -> !t {
          %t = spyre.permute %a [2, 0, 1] : !a to !t
          %y = spyre.sub %t, %x : !t
          return %y : !t
        }";
    Program::new(text, |x, _, p| x(0, &[p[1], p[2], p[0]]) - x(1, p)).check();
    let text = "!a = tensor<4x64x128xf16>
        !t = tensor<64x4x128xf16>
        func.func @program(%a: !a, %x: !t) -> !t {
          %t = spyre.permute %a [1, 0, 2] : !a to !t
          %y = spyre.sub %t, %x : !t
          return %y : !t
        }";
    Program::new(text, |x, _, p| x(0, &[p[1], p[0], p[2]]) - x(1, p)).check();
}

#[test]
fn permuted_four_dimensions() {
    let text = "!a = tensor<2x4x3x64xf16>
        !t = tensor<3x2x64x4xf16>
        func.func @program(%a: !a, %x: !a) -> !t {
          %y = spyre.sub %a, %x : !a
          %t = spyre.permute %y [2, 0, 3, 1] : !a to !t
          %z = spyre.abs %t : !t
          return %z : !t
        }";
    Program::new(text, |x, _, p| {
        let q = [p[1], p[3], p[0], p[2]];
        (x(0, &q) - x(1, &q)).abs()
    })
    .check();
}

#[test]
fn one_dimension() {
    let text = "!a = tensor<200xf16>
        !s = tensor<128xf16>
        func.func @program(%a: !a, %b: !a) -> (!a, !s) {
          %y = spyre.sub %a, %b : !a
          %w = tensor.extract_slice %y[64] [128] [1] : !a to !s
          %z = spyre.abs %w : !s
          return %y, %z : !a, !s
        }";
    Program::new(text, |x, result, p| match result {
        0 => x(0, p) - x(1, p),
        _ => {
            let q = [p[0] + 64];
            (x(0, &q) - x(1, &q)).abs()
        }
    })
    .check();
}

#[test]
fn transposes_in_a_nest() {
    let text = r#"!a = tensor<128x256xf16>
        !t = tensor<256x128xf16>
        func.func @program(%a: !a {spyre.dims = ["A", "B"]}, %x: !t {spyre.dims = ["B", "A"]}) -> !t {
          %t = spyre.permute %a [1, 0] : !a to !t
          %y = spyre.add %t, %x tile [0: "A" in 2, 1: "B" in 4] : !t
          %z = spyre.mul %y, %x tile [0: "A" in 2, 1: "B" in 4] : !t
          return %z : !t
        }"#;
    Program::new(text, |x, _, p| (x(0, &[p[1], p[0]]) + x(1, p)) * x(1, p)).check();
}

#[test]
fn change_of_layout_in_a_loop() {
    let text = r#"#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
        #cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
        !r = tensor<256x128xf16, #rows>
        !c = tensor<256x128xf16, #cols>
        func.func @program(%a: !r {spyre.dims = ["A", "B"]}, %b: !c {spyre.dims = ["A", "B"]}) -> !c {
          %x = spyre.add %a, %a tile [0: "A" in 2] : !r
          %y = spyre.restickify %x tile [0: "A" in 2] : (!r) -> !c
          %z = spyre.mul %y, %b tile [0: "A" in 2] : !c
          return %z : !c
        }"#;
    Program::new(text, |x, _, p| 2.0 * x(0, p) * x(1, p)).check();
}

#[test]
fn rows_of_sticks_and_default_layouts() {
    let text = "#rows = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
        !a = tensor<64x200xf16, #rows>
        !t = tensor<200x64xf16>
        !x = tensor<64x200xf16>
        func.func @program(%a: !a, %x: !x, %y: !t) -> !x {
          %s = spyre.sub %a, %x : (!a, !x) -> !x
          %t = spyre.permute %y [1, 0] : !t to !x
          %z = spyre.mul %s, %t : !x
          return %z : !x
        }";
    Program::new(text, |x, _, p| (x(0, p) - x(1, p)) * x(2, &[p[1], p[0]])).check();
}

#[test]
fn explicit_padding() {
    let text =
        "#padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [4, 96, 64]>
        !a = tensor<40x100xf16, #padded>
        !x = tensor<40x100xf16>
        func.func @program(%a: !a, %x: !x) -> !x {
          %s = spyre.sub %a, %x : (!a, !x) -> !x
          return %s : !x
        }";
    Program::new(text, |x, _, p| x(0, p) - x(1, p)).check();
    let text =
        "#padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [4, 96, 64]>
        !a = tensor<64x128xf16, #padded>
        !x = tensor<128x64xf16>
        func.func @program(%a: !a, %x: !x) -> !x {
          %t = spyre.permute %a [1, 0] : !a to !x
          %s = spyre.sub %t, %x : !x
          return %s : !x
        }";
    Program::new(text, |x, _, p| x(0, &[p[1], p[0]]) - x(1, p)).check();
}

#[test]
fn returned_views() {
    let text = "!a = tensor<64x128xf16>
        !t = tensor<128x64xf16>
        func.func @program(%a: !a, %x: !a) -> (!t, !a) {
          %y = spyre.sub %a, %x : !a
          %t = spyre.permute %y [1, 0] : !a to !t
          return %t, %x : !t, !a
        }";
    Program::new(text, |x, result, p| match result {
        0 => {
            let q = [p[1], p[0]];
            x(0, &q) - x(1, &q)
        }
        _ => x(1, p),
    })
    .check();
}

#[test]
fn view_used_twice() {
    let text = "!a = tensor<64x128xf16>
        !t = tensor<128x64xf16>
        func.func @program(%a: !a, %x: !a, %w: !t) -> (!t, !a) {
          %y = spyre.sub %a, %x : !a
          %t = spyre.permute %y [1, 0] : !a to !t
          %p = spyre.mul %t, %t : !t
          %q = spyre.add %p, %w : !t
          %u = spyre.permute %t [1, 0] : !t to !a
          %r = spyre.maximum %u, %y : !a
          return %q, %r : !t, !a
        }";
    Program::new(text, |x, result, p| match result {
        0 => {
            let q = [p[1], p[0]];
            let y = x(0, &q) - x(1, &q);
            y * y + x(2, p)
        }
        _ => x(0, p) - x(1, p),
    })
    .check();
}

#[test]
fn other_element_types() {
    for element in ["f32", "i32", "bf16"] {
        let text = format!(
            "!a = tensor<96x64x{element}>
            !t = tensor<64x96x{element}>
            !s = tensor<64x32x{element}>
            func.func @program(%a: !a, %x: !t, %b: !s) -> !s {{
              %t = spyre.permute %a [1, 0] : !a to !t
              %y = spyre.sub %t, %x : !t
              %w = tensor.extract_slice %y[0, 64] [64, 32] [1, 1] : !t to !s
              %z = spyre.maximum %w, %b : !s
              return %z : !s
            }}"
        );
        Program::new(&text, |x, _, p| {
            let (i, j) = (p[0], p[1] + 64);
            (x(0, &[j, i]) - x(1, &[i, j])).max(x(2, p))
        })
        .check();
    }
}

#[test]
fn broadcasts() {
    let text = "!x = tensor<8x40x100xf16>
        !r = tensor<100xf16>
        !c = tensor<8x40x1xf16>
        !m = tensor<8x1x100xf16>
        func.func @program(%x: !x, %r: !r, %c: !c, %m: !m) -> !x {
          %a = spyre.mul %x, %r : (!x, !r) -> !x
          %b = spyre.add %a, %m : (!x, !m) -> !x
          %d = spyre.sub %b, %c : (!x, !c) -> !x
          return %d : !x
        }";
    Program::new(text, |x, _, p| {
        x(0, p) * x(1, &[p[2]]) + x(3, &[p[0], 0, p[2]]) - x(2, &[p[0], p[1], 0])
    })
    .check();
}

#[test]
fn reductions() {
    let text = "!x = tensor<40x200xf16>
        !c = tensor<40x1xf16>
        !r = tensor<200xf16>
        func.func @program(%x: !x) -> (!c, !c, !r, !r) {
          %a = spyre.sum %x dims [1] keepdim : (!x) -> !c
          %b = spyre.min %x dims [1] keepdim : (!x) -> !c
          %c = spyre.sum %x dims [0] : (!x) -> !r
          %d = spyre.max %x dims [0] : (!x) -> !r
          return %a, %b, %c, %d : !c, !c, !r, !r
        }";
    Program::new(text, |x, result, p| {
        let columns = || (0..200).map(|j| x(0, &[p[0], j]));
        let rows = || (0..40).map(|i| x(0, &[i, p[0]]));
        match result {
            0 => columns().sum(),
            1 => columns().fold(f32::INFINITY, f32::min),
            2 => rows().sum(),
            _ => rows().fold(f32::NEG_INFINITY, f32::max),
        }
    })
    .check();
}

#[test]
fn reduction_of_a_transpose() {
    let text = "!a = tensor<40x200xf16>
        !t = tensor<200x40xf16>
        !c = tensor<200x1xf16>
        func.func @program(%a: !a, %x: !t) -> !t {
          %t = spyre.permute %a [1, 0] : !a to !t
          %s = spyre.sum %t dims [1] keepdim : (!t) -> !c
          %y = spyre.sub %x, %s : (!t, !c) -> !t
          return %y : !t
        }";
    Program::new(text, |x, _, p| {
        x(1, p) - (0..40).map(|i| x(0, &[i, p[0]])).sum::<f32>()
    })
    .check();
}

#[test]
fn matrix_products() {
    for (m, k, n) in [(64, 128, 192), (33, 64, 100)] {
        let text = format!(
            "!a = tensor<{m}x{k}xf16>
            !b = tensor<{k}x{n}xf16>
            !c = tensor<{m}x{n}xf16>
            func.func @program(%a: !a, %b: !b, %x: !c) -> !c {{
              %p = spyre.batchmatmul %a, %b : (!a, !b) -> !c
              %y = spyre.add %p, %x : !c
              return %y : !c
            }}"
        );
        let k64 = |x: support::program::Inputs<'_>, _: usize, p: &[u64]| {
            let product =
                |k: u64| -> f32 { (0..k).map(|k| x(0, &[p[0], k]) * x(1, &[k, p[1]])).sum() };
            product(64) + x(2, p)
        };
        let k128 = |x: support::program::Inputs<'_>, _: usize, p: &[u64]| {
            let product =
                |k: u64| -> f32 { (0..k).map(|k| x(0, &[p[0], k]) * x(1, &[k, p[1]])).sum() };
            product(128) + x(2, p)
        };
        Program {
            spread: 13,
            ..Program::new(&text, if k == 64 { k64 } else { k128 })
        }
        .check();
    }
}

#[test]
fn product_with_a_transpose() {
    let text = "!a = tensor<64x128xf16>
        !b = tensor<192x128xf16>
        !t = tensor<128x192xf16>
        !c = tensor<64x192xf16>
        func.func @program(%a: !a, %b: !b) -> !c {
          %t = spyre.permute %b [1, 0] : !b to !t
          %p = spyre.batchmatmul %a, %t : (!a, !t) -> !c
          return %p : !c
        }";
    Program {
        spread: 13,
        ..Program::new(text, |x, _, p| {
            (0..128).map(|k| x(0, &[p[0], k]) * x(1, &[p[1], k])).sum()
        })
    }
    .check();
}
