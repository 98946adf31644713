//! Views, and implicit changes of layout.

use super::program::Program;

/// `a.t() + x`.
#[test]
fn transposed_operand() {
    for (n, m) in [(128, 128), (64, 192)] {
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
    let text = "!a = tensor<2x64x128xf16>
        !t = tensor<2x128x64xf16>
        func.func @program(%a: !a, %x: !t) -> !t {
          %t = spyre.permute %a [0, 2, 1] : !a to !t
          %y = spyre.sub %t, %x : !t
          return %y : !t
        }";
    Program::new(text, |x, _, p| x(0, &[p[0], p[2], p[1]]) - x(1, p)).check();
    let text = "!a = tensor<2x64x128xf16>
        !t = tensor<128x2x64xf16>
        func.func @program(%a: !a, %x: !t) -> !t {
          %t = spyre.permute %a [2, 0, 1] : !a to !t
          %y = spyre.sub %t, %x : !t
          return %y : !t
        }";
    Program::new(text, |x, _, p| x(0, &[p[1], p[2], p[0]]) - x(1, p)).check();
    let text = "!a = tensor<2x64x128xf16>
        !t = tensor<64x2x128xf16>
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
fn change_of_layout_of_a_tile() {
    let text = r#"!a = tensor<200x128xf16>
        !t = tensor<128x200xf16>
        func.func @program(%a: !a {spyre.dims = ["A", "B"]}, %x: !t {spyre.dims = ["B", "A"]}) -> !t {
          %t = spyre.permute %a [1, 0] : !a to !t
          %y = spyre.add %t, %x tile [0: "B" in 2] : !t
          %z = spyre.mul %y, %x tile [0: "B" in 2] : !t
          return %z : !t
        }"#;
    Program::new(text, |x, _, p| (x(0, &[p[1], p[0]]) + x(1, p)) * x(1, p)).check();
}

#[test]
fn reshaped_operand_in_a_nest() {
    let text = r#"!a = tensor<24x256xf16>
        !e = tensor<4x6x256xf16>
        func.func @program(%a: !a, %x: !e {spyre.dims = ["A", "B", "C"]}) -> !a {
          %t = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 6, 256] : !a into !e
          %y = spyre.sub %t, %x tile [0: "A" in 2, 1: "B" in 3, 2: "C" in 2] : !e
          %u = spyre.mul %y, %t tile [0: "A" in 2, 1: "B" in 3, 2: "C" in 2] : !e
          %z = tensor.collapse_shape %u [[0, 1], [2]] : !e into !a
          return %z : !a
        }"#;
    Program::new(text, |x, _, p| {
        let a = x(0, p);
        (a - x(1, &[p[0] / 6, p[0] % 6, p[1]])) * a
    })
    .check();
}

#[test]
fn views_in_loops() {
    // A view of a tile, and a tile of a view.
    let text = "#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
        #cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
        !a = tensor<48x256xf16, #rows>
        !w = tensor<12x128xf16, #rows>
        !wt = tensor<128x12xf16, #cols>
        !t = tensor<256x48xf16, #cols>
        func.func @program(%a: !a, %x: !t) -> !t {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %c4 = arith.constant 4 : index
          %init = spyre.empty : !t
          %z = scf.for %i = %c0 to %c4 step %c1 iter_args(%outer = %init) -> (!t) {
            %row = affine.apply affine_map<(d0) -> (d0 * 12)>(%i)
            %inside = scf.for %j = %c0 to %c2 step %c1 iter_args(%full = %outer) -> (!t) {
              %column = affine.apply affine_map<(d0) -> (d0 * 128)>(%j)
              %w = tensor.extract_slice %a[%row, %column] [12, 128] [1, 1] : !a to !w
              %wt = spyre.permute %w [1, 0] : !w to !wt
              %xt = tensor.extract_slice %x[%column, %row] [128, 12] [1, 1] : !t to !wt
              %y = spyre.sub %wt, %xt : !wt
              %next = tensor.insert_slice %y into %full[%column, %row] [128, 12] [1, 1] : !wt into !t
              scf.yield %next : !t
            }
            scf.yield %inside : !t
          }
          return %z : !t
        }";
    Program::new(text, |x, _, p| x(0, &[p[1], p[0]]) - x(1, p)).check();
}

#[test]
fn copies() {
    let text = "!a = tensor<64x128xf16>
        !t = tensor<128x64xf16>
        func.func @program(%a: !a) -> (!a, !t) {
          %y = spyre.copy %a : (!a) -> !a
          %t = spyre.permute %y [1, 0] : !a to !t
          %z = spyre.copy %t : (!t) -> !t
          return %y, %z : !a, !t
        }";
    Program::new(text, |x, result, p| match result {
        0 => x(0, p),
        _ => x(0, &[p[1], p[0]]),
    })
    .check();
}

/// A window without ragged sticks, of which a copy has ragged ones.
#[test]
fn change_of_layout_of_a_copied_window() {
    let text = "!a = tensor<100x128xf16>
        !w = tensor<40x128xf16>
        !t = tensor<128x40xf16>
        func.func @program(%a: !a, %x: !t) -> !t {
          %w = tensor.extract_slice %a[10, 0] [40, 128] [1, 1] : !a to !w
          %c = spyre.copy %w : (!w) -> !w
          %t = spyre.permute %c [1, 0] : !w to !t
          %y = spyre.add %t, %x : !t
          return %y : !t
        }";
    Program::new(text, |x, _, p| x(0, &[p[1] + 10, p[0]]) + x(1, p)).check();
}

/// A change of layout of 40 rows covers 64, and a gap of 8 rows after 64 would be read as rows of the tensor. Planning
/// copies both windows first.
#[test]
fn change_of_layout_of_a_window() {
    for (whole, rows) in [(100, 40), (72, 64)] {
        let text = format!(
            "!a = tensor<{whole}x128xf16>
            !w = tensor<{rows}x128xf16>
            !t = tensor<128x{rows}xf16>
            func.func @program(%a: !a, %x: !t) -> !t {{
              %w = tensor.extract_slice %a[8, 0] [{rows}, 128] [1, 1] : !a to !w
              %t = spyre.permute %w [1, 0] : !w to !t
              %y = spyre.add %t, %x : !t
              return %y : !t
            }}"
        );
        Program::new(&text, |x, _, p| x(0, &[p[1] + 8, p[0]]) + x(1, p)).check();
    }
}

/// Values that stay in the scratchpad have one slice on each core, for any dimensions of their readers.
#[test]
fn views_of_intermediate_values() {
    let text = "!a = tensor<24x128xf16>
        !e = tensor<4x6x128xf16>
        !s = tensor<4x128xf16>
        !t = tensor<128x24xf16>
        func.func @program(%a: !a, %x: !a) -> (!e, !s, !t) {
          %y = spyre.sub %a, %x : !a
          %e = tensor.expand_shape %y [[0, 1], [2]] output_shape [4, 6, 128] : !a into !e
          %p = spyre.neg %e : !e
          %w = tensor.extract_slice %y[5, 0] [4, 128] [1, 1] : !a to !s
          %q = spyre.abs %w : !s
          %t = spyre.permute %y [1, 0] : !a to !t
          %r = spyre.relufwd %t : !t
          return %p, %q, %r : !e, !s, !t
        }";
    Program::new(text, |x, result, p| {
        let y = |i, j| x(0, &[i, j]) - x(1, &[i, j]);
        match result {
            0 => -y(p[0] * 6 + p[1], p[2]),
            1 => y(p[0] + 5, p[1]).abs(),
            _ => y(p[1], p[0]).max(0.0),
        }
    })
    .check();
}

#[test]
fn permuted_ragged_dimensions() {
    for element in ["f16", "bf16"] {
        let text = format!(
            "!a = tensor<3x33x100x{element}>
            !s = tensor<3x100x33x{element}>
            !r = tensor<100x33x3x{element}>
            func.func @program(%a: !a, %x: !s, %y: !r) -> (!s, !r) {{
              %s = spyre.permute %a [0, 2, 1] : !a to !s
              %p = spyre.sub %s, %x : !s
              %r = spyre.permute %a [2, 1, 0] : !a to !r
              %q = spyre.sub %r, %y : !r
              return %p, %q : !s, !r
            }}"
        );
        Program::new(&text, |x, result, p| match result {
            0 => x(0, &[p[0], p[2], p[1]]) - x(1, p),
            _ => x(0, &[p[2], p[1], p[0]]) - x(2, p),
        })
        .check();
    }
}

#[test]
fn views_of_tiles_in_the_scratchpad() {
    let text = r#"!a = tensor<64x256xf16>
        !t = tensor<256x64xf16>
        func.func @program(%a: !a {spyre.dims = ["A", "B"]}, %x: !a {spyre.dims = ["A", "B"]},
                           %w: !t {spyre.dims = ["B", "A"]}) -> !t {
          %y = spyre.sub %a, %x tile [0: "B" in 2] : !a
          %z = spyre.abs %y tile [0: "B" in 2] : !a
          %t = spyre.permute %z [1, 0] : !a to !t
          %u = spyre.mul %t, %w tile [1: "B" in 4] : !t
          %v = spyre.neg %u tile [1: "B" in 4] : !t
          return %v : !t
        }"#;
    Program::new(text, |x, _, p| {
        let q = [p[1], p[0]];
        -((x(0, &q) - x(1, &q)).abs() * x(2, p))
    })
    .check();
}

#[test]
fn one_dimension_of_two_that_are_no_neighbours() {
    let text = "!a = tensor<8x128xf16>
        !e = tensor<4x2x128xf16>
        !p = tensor<2x4x128xf16>
        func.func @program(%a: !a, %x: !a) -> !a {
          %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 2, 128] : !a into !e
          %p = spyre.permute %e [1, 0, 2] : !e to !p
          %c = tensor.collapse_shape %p [[0, 1], [2]] : !p into !a
          %y = spyre.add %c, %x : !a
          return %y : !a
        }";
    Program::new(text, |x, _, p| {
        x(0, &[p[0] % 4 * 2 + p[0] / 4, p[1]]) + x(1, p)
    })
    .check();
}

#[test]
fn a_reshaped_window() {
    let text = "!a = tensor<16x128xf16>
        !w = tensor<8x128xf16>
        !e = tensor<4x2x128xf16>
        func.func @program(%a: !a, %x: !e) -> !e {
          %w = tensor.extract_slice %a[4, 0] [8, 128] [1, 1] : !a to !w
          %e = tensor.expand_shape %w [[0, 1], [2]] output_shape [4, 2, 128] : !w into !e
          %y = spyre.add %e, %x : !e
          return %y : !e
        }";
    Program::new(text, |x, _, p| x(0, &[4 + 2 * p[0] + p[1], p[2]]) + x(1, p)).check();
}

#[test]
fn a_window_that_starts_inside_a_stick() {
    let text = "!a = tensor<16x256xf16>
        !w = tensor<16x128xf16>
        func.func @program(%a: !a, %x: !w) -> !w {
          %w = tensor.extract_slice %a[0, 32] [16, 128] [1, 1] : !a to !w
          %y = spyre.add %w, %x : !w
          return %y : !w
        }";
    Program::new(text, |x, _, p| x(0, &[p[0], p[1] + 32]) + x(1, p)).check();
}
