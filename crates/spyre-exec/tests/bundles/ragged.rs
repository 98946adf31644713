//! Shorter last tiles.

use super::program::Program;

/// Inputs are small integers, so that sums of them are exact in any order.
const SPREAD: u64 = 5;

#[test]
fn rows_and_columns() {
    for levels in [
        r#"[0: "A" in 3]"#,
        r#"[0: "B" in 2]"#,
        r#"[0: "A" in 3, 1: "B" in 3]"#,
        r#"[0: "A" in 4, 1: "A" in 2]"#,
    ] {
        for layout in [
            "",
            ", #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>",
        ] {
            let text = format!(
                r#"!t = tensor<13x200xf16{layout}>
                !r = tensor<1x200xf16{layout}>
                func.func @program(%a: !t {{spyre.dims = ["A", "B"]}}, %b: !t, %c: !r) -> (!t, !t) {{
                  %y = spyre.sub %a, %b tile {levels} : !t
                  %z = spyre.maximum %y, %c tile {levels} : (!t, !r) -> !t
                  %w = spyre.neg %y : !t
                  return %z, %w : !t, !t
                }}"#
            );
            Program::new(&text, |x, result, p| {
                let y = x(0, p) - x(1, p);
                if result == 0 { y.max(x(2, p)) } else { -y }
            })
            .check();
        }
    }
}

#[test]
fn reductions() {
    let text = r#"!t = tensor<13x200xf16>
        !c = tensor<13x1xf16>
        func.func @program(%a: !t {spyre.dims = ["A", "B"]}) -> (!c, !t) {
          %s = spyre.sum %a dims [1] keepdim tile [0: "A" in 3, 1: "B" in 3] : (!t) -> !c
          %d = spyre.sub %a, %s tile [0: "A" in 3, 1: "B" in 3] : (!t, !c) -> !t
          return %s, %d : !c, !t
        }"#;
    Program {
        spread: SPREAD,
        ..Program::new(text, |x, result, p| {
            let sum: f32 = (0..200).map(|j| x(0, &[p[0], j])).sum();
            if result == 0 { sum } else { x(0, p) - sum }
        })
    }
    .check();
}

#[test]
fn products_of_matrices() {
    let text = r#"!x = tensor<13x200xf16>
        !y = tensor<200x100xf16>
        !z = tensor<13x100xf16>
        func.func @program(%x: !x {spyre.dims = ["M", "K"]}, %y: !y {spyre.dims = ["K", "N"]}) -> !z {
          %p = spyre.batchmatmul %x, %y tile [0: "M" in 3, 1: "N" in 2, 2: "K" in 3] : (!x, !y) -> !z
          return %p : !z
        }"#;
    Program {
        spread: SPREAD,
        ..Program::new(text, |x, _, p| {
            (0..200).map(|k| x(0, &[p[0], k]) * x(1, &[k, p[1]])).sum()
        })
    }
    .check();
}
