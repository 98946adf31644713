//! Loops over dimensions that are reduced: accumulators in the scratchpad and in the pool.

use super::program::{Inputs, Program};

/// Inputs are small integers, so that sums of them are exact in any order.
fn check(text: &str, expected: impl Fn(Inputs<'_>, usize, &[u64]) -> f32) {
    Program {
        spread: 5,
        ..Program::new(text, expected)
    }
    .check();
}

#[test]
fn every_kind() {
    let text = r#"!x = tensor<16x128xf16>
        !r = tensor<128xf16>
        func.func @program(%x: !x {spyre.dims = ["A", "B"]}) -> (!r, !r, !r, !r) {
          %0 = spyre.sum %x dims [0] tile [0: "A" in 4] : (!x) -> !r
          %1 = spyre.max %x dims [0] tile [0: "A" in 4] : (!x) -> !r
          %2 = spyre.min %x dims [0] tile [0: "A" in 4] : (!x) -> !r
          %3 = spyre.mean %x dims [0] tile [0: "A" in 4] : (!x) -> !r
          return %0, %1, %2, %3 : !r, !r, !r, !r
        }"#;
    check(text, |x, result, p| {
        let rows = || (0..16).map(|i| x(0, &[i, p[0]]));
        match result {
            0 => rows().sum(),
            1 => rows().fold(f32::NEG_INFINITY, f32::max),
            2 => rows().fold(f32::INFINITY, f32::min),
            _ => rows().sum::<f32>() / 16.0,
        }
    });
}

/// Output levels outside, inside and around the levels of the reduction.
#[test]
fn all_orders_of_levels() {
    for levels in [
        r#"[0: "A" in 4, 1: "B" in 2]"#,
        r#"[0: "B" in 2, 1: "A" in 4]"#,
        r#"[0: "A" in 2, 1: "B" in 4, 2: "A" in 4]"#,
        r#"[0: "B" in 2, 1: "A" in 4, 2: "B" in 2]"#,
        r#"[0: "B" in 4]"#,
    ] {
        let text = format!(
            r#"!x = tensor<16x256xf16>
            !c = tensor<16x1xf16>
            func.func @program(%x: !x {{spyre.dims = ["A", "B"]}}) -> !c {{
              %0 = spyre.sum %x dims [1] keepdim tile {levels} : (!x) -> !c
              return %0 : !c
            }}"#
        );
        check(&text, |x, _, p| (0..256).map(|j| x(0, &[p[0], j])).sum());
    }
}

#[test]
fn normalized_in_one_scope() {
    let text = r#"!x = tensor<16x256xf16>
        !c = tensor<16x1xf16>
        func.func @program(%x: !x {spyre.dims = ["A", "B"]}) -> (!x, !c) {
          %m = spyre.max %x dims [1] keepdim tile [0: "A" in 2, 1: "B" in 2] : (!x) -> !c
          %d = spyre.sub %x, %m tile [0: "A" in 2, 1: "B" in 2] : (!x, !c) -> !x
          %s = spyre.sum %d dims [1] keepdim tile [0: "A" in 2, 1: "B" in 2] : (!x) -> !c
          %q = spyre.sub %d, %s tile [0: "A" in 2, 1: "B" in 2] : (!x, !c) -> !x
          return %q, %s : !x, !c
        }"#;
    check(text, |x, result, p| {
        let row = || (0..256).map(|j| x(0, &[p[0], j]));
        let most = row().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = row().map(|x| x - most).sum();
        if result == 0 {
            x(0, p) - most - sum
        } else {
            sum
        }
    });
}

#[test]
fn products_of_matrices() {
    for levels in [
        r#"[0: "M" in 2, 1: "N" in 2, 2: "K" in 4]"#,
        r#"[0: "K" in 2, 1: "M" in 2]"#,
        r#"[0: "K" in 4]"#,
        r#"[0: "N" in 2, 1: "K" in 2, 2: "M" in 2, 3: "K" in 2]"#,
    ] {
        let text = format!(
            r#"!x = tensor<16x256xf16>
            !y = tensor<256x128xf16>
            !z = tensor<16x128xf16>
            func.func @program(%x: !x {{spyre.dims = ["M", "K"]}}, %y: !y {{spyre.dims = ["K", "N"]}},
                               %b: tensor<128xf16> {{spyre.dims = ["N"]}}) -> !z {{
              %p = spyre.batchmatmul %x, %y tile {levels} : (!x, !y) -> !z
              %q = spyre.add %p, %b tile {levels} : (!z, tensor<128xf16>) -> !z
              %r = spyre.relufwd %q tile {levels} : !z
              return %r : !z
            }}"#
        );
        check(&text, |x, _, p| {
            let product: f32 = (0..256).map(|k| x(0, &[p[0], k]) * x(1, &[k, p[1]])).sum();
            (product + x(2, &p[1..])).max(0.0)
        });
    }
}

#[test]
fn other_results_and_element_types() {
    for element in ["f16", "f32"] {
        for levels in [
            r#"[0: "A" in 2, 1: "B" in 3]"#,
            r#"[0: "B" in 2, 1: "A" in 2]"#,
        ] {
            let text = format!(
                r#"!x = tensor<128x256x{element}>
                !r = tensor<128x{element}>
                func.func @program(%x: !x {{spyre.dims = ["A", "B"]}}) -> (!r, !r) {{
                  %0 = spyre.sum %x dims [1] tile {levels} : (!x) -> !r
                  %1 = spyre.neg %0 tile {levels} : !r
                  %2 = spyre.max %x dims [1] tile {levels} : (!x) -> !r
                  return %1, %2 : !r, !r
                }}"#
            );
            check(&text, |x, result, p| {
                let row = || (0..256).map(|j| x(0, &[p[0], j]));
                if result == 0 {
                    -row().sum::<f32>()
                } else {
                    row().fold(f32::NEG_INFINITY, f32::max)
                }
            });
        }
    }
}

#[test]
fn several_reduced_dimensions() {
    let text = r#"!x = tensor<6x16x128xf16>
        !k = tensor<1x16x1xf16>
        func.func @program(%x: !x {spyre.dims = ["P", "Q", "R"]}) -> (!k, !k) {
          %0 = spyre.max %x dims [0, 2] keepdim tile [0: "P" in 4, 1: "R" in 2, 2: "Q" in 2] : (!x) -> !k
          %1 = spyre.min %x dims [0, 2] keepdim tile [3: "Q" in 4, 4: "P" in 3] : (!x) -> !k
          return %0, %1 : !k, !k
        }"#;
    check(text, |x, result, p| {
        let all = || (0..6).flat_map(|i| (0..128).map(move |k| (i, k)));
        let all = || all().map(|(i, k)| x(0, &[i, p[1], k]));
        if result == 0 {
            all().fold(f32::NEG_INFINITY, f32::max)
        } else {
            all().fold(f32::INFINITY, f32::min)
        }
    });
}

#[test]
fn batches_of_products() {
    let text = r#"!x = tensor<4x8x128xf16>
        !y = tensor<128x64xf16>
        !z = tensor<4x8x64xf16>
        func.func @program(%x: !x {spyre.dims = ["B", "M", "K"]}, %y: !y {spyre.dims = ["K", "N"]}) -> !z {
          %p = spyre.batchmatmul %x, %y tile [0: "K" in 2, 1: "B" in 3] : (!x, !y) -> !z
          %q = spyre.neg %p tile [0: "K" in 2, 1: "B" in 3] : !z
          return %q : !z
        }"#;
    check(text, |x, _, p| {
        -(0..128)
            .map(|k| x(0, &[p[0], p[1], k]) * x(1, &[k, p[2]]))
            .sum::<f32>()
    });
}
