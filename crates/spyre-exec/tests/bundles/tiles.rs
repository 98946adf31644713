//! Tiles in loops, on the cores, with values in the scratchpad and in the pool.

use super::program::Program;

/// Types of 64 rows and 256 columns in the layouts that can be tiled.
const TENSORS: &[&str] = &[
    "tensor<64x256xf16>",
    "tensor<64x256xf16, #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>>",
    "tensor<64x256xf32>",
    "tensor<64x256xf32, #spyre.layout<(d0, d1) -> (d0, d1 floordiv 32, d1 mod 32)>>",
];

/// `(a + b) * c`, in two levels of tiles.
pub(crate) fn add_mul(tensor: &str) -> String {
    format!(
        r#"!t = {tensor}
        func.func @program(%a: !t {{spyre.dims = ["A", "B"]}}, %b: !t, %c: !t) -> !t {{
          %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 2] : !t
          %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 2] : !t
          return %z : !t
        }}"#
    )
}

#[test]
fn add_mul_in_all_layouts() {
    for tensor in TENSORS {
        let text = add_mul(tensor);
        Program::new(&text, |x, _, p| (x(0, p) + x(1, p)) * x(2, p)).check();
    }
}

#[test]
fn broadcast_operands() {
    let rows = ", #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>";
    for layout in ["", rows] {
        let text = format!(
            r#"!t = tensor<64x256xf16{layout}>
            !row = tensor<1x256xf16{layout}>
            !sparse = tensor<64x1xf16, #spyre.layout<(d0, d1) -> (0, d0, 0)>>
            !column = tensor<64x1xf16{layout}>
            !one = tensor<1x1xf16{layout}>
            func.func @program(%a: !t {{spyre.dims = ["A", "B"]}}, %b: !row, %c: !sparse, %d: !column, %e: !one) -> !t {{
              %w = spyre.mul %a, %b tile [0: "A" in 2, 1: "B" in 4] : (!t, !row) -> !t
              %x = spyre.add %w, %c tile [0: "A" in 2, 1: "B" in 4] : (!t, !sparse) -> !t
              %y = spyre.maximum %x, %d tile [0: "A" in 2, 1: "B" in 4] : (!t, !column) -> !t
              %z = spyre.sub %y, %e : (!t, !one) -> !t
              return %z : !t
            }}"#
        );
        Program::new(&text, |x, _, p| {
            (x(0, p) * x(1, p) + x(2, p)).max(x(3, p)) - x(4, p)
        })
        .check();
    }
}

#[test]
fn value_inside_and_outside_of_its_loop() {
    let text = r#"!t = tensor<64x256xf16>
        func.func @program(%a: !t {spyre.dims = ["A", "B"]}, %b: !t) -> (!t, !t) {
          %y = spyre.add %a, %b tile [0: "A" in 4] : !t
          %z = spyre.neg %y tile [0: "A" in 4] : !t
          %w = spyre.minimum %z, %y : !t
          return %y, %w : !t, !t
        }"#;
    Program::new(text, |x, result, p| {
        let y = x(0, p) + x(1, p);
        if result == 0 { y } else { y.min(-y) }
    })
    .check();
}

#[test]
fn pool_between_two_loops() {
    let text = r#"!t = tensor<64x256xf16>
        func.func @program(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
          %y = spyre.abs %a tile [0: "A" in 4] : !t
          %z = spyre.sub %y, %a tile [1: "B" in 2] : !t
          return %z : !t
        }"#;
    Program::new(text, |x, _, p| x(0, p).abs() - x(0, p)).check();
}

#[test]
fn one_dimension_at_two_levels() {
    let text = r#"!t = tensor<64x256xf16>
        func.func @program(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
          %y = spyre.relufwd %a tile [0: "A" in 2, 1: "B" in 2, 2: "A" in 4] : !t
          %z = spyre.mul %y, %a tile [0: "A" in 2, 1: "B" in 2, 2: "A" in 4] : !t
          return %z : !t
        }"#;
    Program::new(text, |x, _, p| x(0, p).max(0.0) * x(0, p)).check();
}

#[test]
fn tiles_of_one_row() {
    for tensor in &TENSORS[..2] {
        let row = tensor.replacen("64x", "1x", 1);
        let text = format!(
            r#"!t = {tensor}
            !row = {row}
            func.func @program(%a: !t {{spyre.dims = ["A", "B"]}}, %b: !row) -> !t {{
              %y = spyre.maximum %a, %b tile [0: "A" in 64] : (!t, !row) -> !t
              %z = spyre.sub %y, %a tile [0: "A" in 64] : !t
              return %z : !t
            }}"#
        );
        Program::new(&text, |x, _, p| x(0, p).max(x(1, p)) - x(0, p)).check();
    }
}

#[test]
fn untiled_and_returned() {
    let text = "!t = tensor<64x256xf16>
        func.func @program(%a: !t, %b: !t) -> (!t, !t) {
          %y = spyre.add %a, %b : !t
          return %y, %a : !t, !t
        }";
    Program::new(text, |x, result, p| {
        x(0, p) + if result == 0 { x(1, p) } else { 0.0 }
    })
    .check();
}

#[test]
fn static_slices() {
    for tensor in &TENSORS[..3] {
        let small = tensor.replacen("64x256", "32x128", 1);
        let text = format!(
            "!t = {tensor}
            !s = {small}
            func.func @program(%a: !t, %b: !s) -> !s {{
              %w = tensor.extract_slice %a[3, 64] [32, 128] [1, 1] : !t to !s
              %y = spyre.add %w, %b : !s
              return %y : !s
            }}"
        );
        Program::new(&text, |x, _, p| x(0, &[p[0] + 3, p[1] + 64]) + x(1, p)).check();
    }
}

#[test]
fn padded_sticks_and_mixed_layouts() {
    for columns in [100, 256] {
        let text = format!(
            r#"#rows = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
            !t = tensor<64x{columns}xf16>
            !r = tensor<64x{columns}xf16, #rows>
            func.func @program(%a: !t {{spyre.dims = ["A", "B"]}}, %b: !r) -> !r {{
              %y = spyre.sub %a, %b tile [0: "A" in 2] : (!t, !r) -> !t
              %z = spyre.minimum %y, %b tile [0: "A" in 2] : (!t, !r) -> !r
              return %z : !r
            }}"#
        );
        Program::new(&text, |x, _, p| (x(0, p) - x(1, p)).min(x(1, p))).check();
    }
}

#[test]
fn operations_in_front_of_the_loops_and_of_the_inner_loop() {
    let text = r#"!t = tensor<16x256xf16>
        !c = tensor<16x1xf16>
        !r = tensor<1x256xf16>
        !s = tensor<1x1xf16>
        func.func @program(%x: !t {spyre.dims = ["A", "B"]}, %s: !s, %c: !c {spyre.dims = ["A", "B"]},
                           %r: !r {spyre.dims = ["A", "B"]}) -> (!t, !c, !r, !s) {
          %0 = spyre.neg %s tile [0: "A" in 4, 1: "B" in 4] : !s
          %1 = spyre.abs %r tile [0: "A" in 4, 1: "B" in 4] : !r
          %2 = spyre.maximum %x, %1 tile [0: "A" in 4, 1: "B" in 4] : (!t, !r) -> !t
          %3 = spyre.neg %c tile [0: "A" in 4, 1: "B" in 4] : !c
          %4 = spyre.minimum %2, %3 tile [0: "A" in 4, 1: "B" in 4] : (!t, !c) -> !t
          %5 = spyre.sub %4, %0 tile [0: "A" in 4, 1: "B" in 4] : (!t, !s) -> !t
          return %5, %3, %1, %0 : !t, !c, !r, !s
        }"#;
    Program::new(text, |x, result, p| {
        let (s, c, r) = (-x(1, p), -x(2, p), x(3, p).abs());
        match result {
            0 => x(0, p).max(r).min(c) - s,
            1 => c,
            2 => r,
            _ => s,
        }
    })
    .check();
}

#[test]
fn operands_of_other_ranks() {
    let text = r#"!t = tensor<3x8x128xf16>
        func.func @program(%x: !t {spyre.dims = ["A", "B", "C"]}, %v: tensor<128xf16>, %w: tensor<8x1xf16>) -> !t {
          %0 = spyre.add %x, %v tile [0: "C" in 2, 1: "B" in 2, 2: "A" in 3] : (!t, tensor<128xf16>) -> !t
          %1 = spyre.sub %0, %w tile [0: "C" in 2, 1: "B" in 2, 2: "A" in 3] : (!t, tensor<8x1xf16>) -> !t
          return %1 : !t
        }"#;
    Program::new(text, |x, _, p| x(0, p) + x(1, &p[2..]) - x(2, &[p[1], 0])).check();
}

#[test]
fn dimensions_of_one_element() {
    let text = r#"!t = tensor<1x5x1x128xf16>
        !r = tensor<1x1x1x128xf16>
        func.func @program(%x: !t {spyre.dims = ["A", "B", "C", "D"]}, %y: !r) -> !t {
          %0 = spyre.add %x, %y tile [0: "B" in 5] : (!t, !r) -> !t
          %1 = spyre.maximum %0, %x tile [0: "B" in 5] : !t
          return %1 : !t
        }"#;
    Program::new(text, |x, _, p| {
        (x(0, p) + x(1, &[0, 0, 0, p[3]])).max(x(0, p))
    })
    .check();
}

#[test]
fn windows_of_windows_and_of_permutations() {
    let text = r#"!a = tensor<128x256xf16>
        !t = tensor<256x128xf16>
        !w = tensor<128x128xf16>
        func.func @program(%a: !a {spyre.dims = ["A", "B"]}, %b: !t) -> !w {
          %t = spyre.permute %a [1, 0] : !a to !t
          %v = tensor.extract_slice %t[64, 0] [128, 128] [1, 1] : !t to !w
          %w = tensor.extract_slice %b[128, 0] [128, 128] [1, 1] : !t to !w
          %0 = spyre.sub %v, %w tile [0: "B" in 2, 1: "A" in 2] : !w
          %1 = spyre.maximum %0, %v tile [0: "B" in 2, 1: "A" in 2] : !w
          return %1 : !w
        }"#;
    Program::new(text, |x, _, p| {
        let v = x(0, &[p[1], p[0] + 64]);
        (v - x(1, &[p[0] + 128, p[1]])).max(v)
    })
    .check();
}

#[test]
fn other_groups_read_in_other_tiles() {
    let text = r#"!t = tensor<16x256xf16>
        func.func @program(%x: !t {spyre.dims = ["A", "B"]}, %y: !t) -> (!t, !t) {
          %a = spyre.add %x, %y tile [0: "A" in 4] : !t
          %b = spyre.sub %a, %y tile [0: "A" in 4] : !t
          %d = spyre.maximum %b, %x tile [0: "A" in 4] : !t
          %g = spyre.minimum %b, %a tile [1: "B" in 4] : !t
          %h = spyre.sub %g, %d tile [2: "B" in 2, 3: "A" in 3] : !t
          return %d, %h : !t, !t
        }"#;
    Program::new(text, |x, result, p| {
        let a = x(0, p) + x(1, p);
        let b = a - x(1, p);
        let d = b.max(x(0, p));
        if result == 0 { d } else { b.min(a) - d }
    })
    .check();
}

/// Checks that users of a group's values, and operations that the group does not depend on, are placed after its loops.
/// Operations that split a scope are between two loop nests.
#[test]
fn operations_between_those_of_a_group() {
    let text = r#"!t = tensor<64x256xf16>
        func.func @program(%a: !t {spyre.dims = ["A", "B"]}, %b: !t) -> (!t, !t, !t) {
          %y = spyre.neg %a tile [0: "A" in 2, 1: "B" by 128] : !t
          %u = spyre.abs %y : !t
          %v = spyre.add %u, %b : !t
          %x = spyre.relufwd %b tile [0: "A" in 2, 1: "B" by 128] : !t
          %z = spyre.add %y, %x tile [0: "A" in 2, 1: "B" by 128] : !t
          %w = spyre.sub %z, %v tile [0: "A" in 2, 1: "B" by 128] : !t
          return %z, %v, %w : !t, !t, !t
        }"#;
    Program::new(text, |x, result, p| {
        let z = -x(0, p) + x(1, p).max(0.0);
        let v = x(0, p).abs() + x(1, p);
        match result {
            0 => z,
            1 => v,
            _ => z - v,
        }
    })
    .check();
}

/// Scopes around operations, in tiles by size.
#[test]
fn scopes_around_a_function() {
    let text = r#"!t = tensor<64x256xf16>
        func.func @program(%a: !t {spyre.dims = ["A", "B"]}, %b: !t) -> !t attributes {
            spyre.dim_sizes = {A = 64, B = 256},
            spyre.tile_scopes = [#spyre.tile_scope<"A" by 32>, #spyre.tile_scope<"B" in 2, ops 1 to 2>]} {
          %x = spyre.add %a, %b : !t
          %y = spyre.sub %x, %b : !t
          %z = spyre.abs %y : !t
          return %z : !t
        }"#;
    Program::new(text, |x, _, p| (x(0, p) + x(1, p) - x(1, p)).abs()).check();
}

/// Merged names, tiled as one dimension.
#[test]
fn merged_dimension() {
    let text = r#"!t = tensor<64x256xf16>
        func.func @program(%a: !t {spyre.dims = [#spyre.merged<"H" of 16, "D" of 4>, "B"]}, %b: !t) -> !t {
          %x = spyre.add %a, %b tile [0: "H" in 4] : !t
          %y = spyre.abs %x tile [0: "H" in 4] : !t
          %z = spyre.neg %y tile [1: "D" in 2] : !t
          return %z : !t
        }"#;
    Program::new(text, |x, _, p| -(x(0, p) + x(1, p)).abs()).check();
}
