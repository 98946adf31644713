//! Tests of the results of operations: broadcasts, reductions, matrix products, element types, ranks.

use super::program::{Inputs, Program};

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
    let softmax = |x: Inputs<'_>, _: usize, p: &[u64]| {
        let row = |j| x(0, &[p[0], j]);
        let most = (0..200).map(row).fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = (0..200).map(|j| (row(j) - most).exp()).sum();
        (row(p[1]) - most).exp() / sum
    };
    Program {
        // No quotient is subnormal in 16 bits.
        spread: 5,
        ..Program::new(text, softmax)
    }
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
fn other_element_types() {
    for element in ["f16", "bf16"] {
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

/// The card computes in `f32` as well, but brings no other dimension of it onto the stick (contract, K4).
#[test]
fn single_precision() {
    let text = "!t = tensor<64x96xf32>
        !s = tensor<64x32xf32>
        func.func @program(%a: !t, %x: !t, %b: !s) -> !s {
          %y = spyre.sub %a, %x : !t
          %w = tensor.extract_slice %y[0, 64] [64, 32] [1, 1] : !t to !s
          %z = spyre.maximum %w, %b : !s
          return %z : !s
        }";
    Program::new(text, |x, _, p| {
        let at = &[p[0], p[1] + 64];
        (x(0, at) - x(1, at)).max(x(2, p))
    })
    .check();
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
        let k64 = |x: Inputs<'_>, _: usize, p: &[u64]| {
            let product =
                |k: u64| -> f32 { (0..k).map(|k| x(0, &[p[0], k]) * x(1, &[k, p[1]])).sum() };
            product(64) + x(2, p)
        };
        let k128 = |x: Inputs<'_>, _: usize, p: &[u64]| {
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

#[test]
fn columns_of_sparse_sticks() {
    let text = "!x = tensor<40x128xf16>
        !c = tensor<40x1xf16>
        func.func @program(%x: !x) -> !x {
          %s = spyre.sum %x dims [1] keepdim : (!x) -> !c
          %n = spyre.neg %s : !c
          %m = spyre.max %x dims [1] keepdim : (!x) -> !c
          %d = spyre.mul %n, %m : !c
          %y = spyre.sub %x, %d : (!x, !c) -> !x
          return %y : !x
        }";
    Program {
        spread: 13,
        ..Program::new(text, |x, _, p| {
            let row = || (0..128).map(|j| x(0, &[p[0], j]));
            x(0, p) + row().sum::<f32>() * row().fold(f32::NEG_INFINITY, f32::max)
        })
    }
    .check();
}

/// K is ragged: the left operand is masked, and the right one has all rows of the last stick.
#[test]
fn product_of_ragged_k() {
    let text = "!a = tensor<64x100xf16>
        !b = tensor<128x192xf16>
        !c = tensor<64x192xf16>
        func.func @program(%a: !a, %b: !b) -> !c {
          %p = spyre.batchmatmul %a, %b : (!a, !b) -> !c
          return %p : !c
        }";
    Program {
        spread: 13,
        ..Program::new(text, |x, _, p| {
            (0..100).map(|k| x(0, &[p[0], k]) * x(1, &[k, p[1]])).sum()
        })
    }
    .check();
}

#[test]
fn products_in_a_batch() {
    let text = "!a = tensor<3x8x64xf16>
        !b = tensor<3x64x128xf16>
        !c = tensor<3x8x128xf16>
        func.func @program(%a: !a, %b: !b) -> !c {
          %p = spyre.batchmatmul %a, %b : (!a, !b) -> !c
          return %p : !c
        }";
    Program {
        spread: 13,
        ..Program::new(text, |x, _, p| {
            let at = |k| x(0, &[p[0], p[1], k]) * x(1, &[p[0], k, p[2]]);
            (0..64).map(at).sum()
        })
    }
    .check();
}

#[test]
fn reductions_of_three_dimensions() {
    let text = "!x = tensor<6x40x100xf16>
        !t = tensor<40x6x100xf16>
        !m = tensor<6x100xf16>
        !s = tensor<40x6x1xf16>
        !b = tensor<1x6x100xf16>
        func.func @program(%x: !x, %y: !t) -> (!m, !s, !b) {
          %m = spyre.sum %x dims [1] : (!x) -> !m
          %t = spyre.permute %x [1, 0, 2] : !x to !t
          %d = spyre.sub %t, %y : !t
          %s = spyre.max %d dims [2] keepdim : (!t) -> !s
          %b = spyre.min %d dims [0] keepdim : (!t) -> !b
          return %m, %s, %b : !m, !s, !b
        }";
    Program::new(text, |x, result, p| {
        let d = |i, j, k| x(0, &[j, i, k]) - x(1, &[i, j, k]);
        match result {
            0 => (0..40).map(|i| x(0, &[p[0], i, p[1]])).sum(),
            1 => (0..100)
                .map(|k| d(p[0], p[1], k))
                .fold(f32::NEG_INFINITY, f32::max),
            _ => (0..40)
                .map(|i| d(i, p[1], p[2]))
                .fold(f32::INFINITY, f32::min),
        }
    })
    .check();
}

/// Few results and much to add up: cores may share the sum.
#[test]
fn long_reductions() {
    let text = "!x = tensor<512x64xf16>
        !r = tensor<64xf16>
        !c = tensor<2x2048xf16>
        !s = tensor<2x1xf16>
        func.func @program(%x: !x, %c: !c) -> (!r, !s) {
          %r = spyre.sum %x dims [0] : (!x) -> !r
          %s = spyre.sum %c dims [1] keepdim : (!c) -> !s
          return %r, %s : !r, !s
        }";
    Program {
        spread: 13,
        ..Program::new(text, |x, result, p| match result {
            0 => (0..512).map(|i| x(0, &[i, p[0]])).sum(),
            _ => (0..2048).map(|j| x(1, &[p[0], j])).sum(),
        })
    }
    .check();
}

#[test]
fn products_of_views() {
    let text = "!a = tensor<4x64x128xf16>
        !at = tensor<4x128x64xf16>
        !b = tensor<256x32xf16>
        !e = tensor<4x64x32xf16>
        !c = tensor<4x128x32xf16>
        func.func @program(%a: !a, %b: !b) -> !c {
          %at = spyre.permute %a [0, 2, 1] : !a to !at
          %e = tensor.expand_shape %b [[0, 1], [2]] output_shape [4, 64, 32] : !b into !e
          %p = spyre.batchmatmul %at, %e : (!at, !e) -> !c
          return %p : !c
        }";
    Program {
        spread: 13,
        ..Program::new(text, |x, _, p| {
            let at = |k| x(0, &[p[0], k, p[1]]) * x(1, &[p[0] * 64 + k, p[2]]);
            (0..64).map(at).sum()
        })
    }
    .check();
}

/// Tiles of K, each a whole number of sticks, and tiles of the result.
#[test]
fn product_in_tiles() {
    let text = r#"!a = tensor<16x128xf16>
        !b = tensor<128x256xf16>
        !c = tensor<16x256xf16>
        func.func @program(%a: !a {spyre.dims = ["M", "K"]}, %b: !b {spyre.dims = ["K", "N"]}) -> !c {
          %p = spyre.batchmatmul %a, %b tile [0: "M" in 2, 1: "N" in 2] : (!a, !b) -> !c
          %y = spyre.neg %p tile [0: "M" in 2, 1: "N" in 2] : !c
          return %y : !c
        }"#;
    Program {
        spread: 13,
        ..Program::new(text, |x, _, p| {
            let product = (0..128).map(|k| x(0, &[p[0], k]) * x(1, &[k, p[1]]));
            -product.sum::<f32>()
        })
    }
    .check();
}
