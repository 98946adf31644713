//! Tensors that loops carry, written by hand.

use super::program::{Inputs, Program};

#[test]
fn accumulators_in_place() {
    let text = r#"!t = tensor<16x128xf16>
        !x = tensor<64x128xf16>
        func.func @program(%x: !x, %start: !t) -> (!t, !t) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %start, %most = %start) -> (!t, !t) {
            %at = affine.apply affine_map<(d0) -> (d0 * 16)>(%i)
            %w = tensor.extract_slice %x[%at, 0] [16, 128] [1, 1] : !x to !t
            %s = spyre.add %sum, %w : !t
            %m = spyre.maximum %most, %w : !t
            scf.yield %s, %m : !t, !t
          }
          return %r#0, %r#1 : !t, !t
        }"#;
    Program::new(text, |x, result, p| {
        let tiles = (0..4).map(|i| x(0, &[16 * i + p[0], p[1]]));
        if result == 0 {
            x(1, p) + tiles.sum::<f32>()
        } else {
            tiles.fold(x(1, p), f32::max)
        }
    })
    .check();
}

/// The maximum so far is needed before and after it changes, and the sum follows it.
#[test]
fn running_maximum_with_a_correction() {
    let text = r#"!t = tensor<16x128xf16>
        !x = tensor<64x128xf16>
        func.func @program(%x: !x, %start: !t, %zero: !t) -> (!t, !t, !x) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %full = spyre.empty : !x
          %r:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%most = %start, %sum = %zero, %all = %full) -> (!t, !t, !x) {
            %at = affine.apply affine_map<(d0) -> (d0 * 16)>(%i)
            %w = tensor.extract_slice %x[%at, 0] [16, 128] [1, 1] : !x to !t
            %m = spyre.maximum %most, %w : !t
            %d = spyre.sub %m, %most : !t
            %c = spyre.sub %sum, %d : !t
            %e = spyre.sub %w, %m : !t
            %s = spyre.add %c, %e : !t
            %n = tensor.insert_slice %d into %all[%at, 0] [16, 128] [1, 1] : !t into !x
            scf.yield %m, %s, %n : !t, !t, !x
          }
          return %r#0, %r#1, %r#2 : !t, !t, !x
        }"#;
    let expected = |x: Inputs<'_>, result: usize, p: &[u64]| {
        let (mut most, mut sum) = (x(1, &[p[0] % 16, p[1]]), x(2, &[p[0] % 16, p[1]]));
        for i in 0..4 {
            let w = x(0, &[16 * i + p[0] % 16, p[1]]);
            let next = most.max(w);
            let step = next - most;
            sum = sum - step + (w - next);
            most = next;
            if result == 2 && i == p[0] / 16 {
                return step;
            }
        }
        if result == 0 { most } else { sum }
    };
    Program {
        spread: 61,
        ..Program::new(text, expected)
    }
    .check();
}

/// Nested loops over windows of one tensor, with an argument as its initial value that is read
/// again after them.
#[test]
fn windows_of_an_argument() {
    let text = r#"!t = tensor<16x128xf16>
        !x = tensor<64x128xf16>
        func.func @program(%x: !x, %start: !x) -> (!x, !x) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c3 = arith.constant 3 : index
          %c4 = arith.constant 4 : index
          %r = scf.for %k = %c0 to %c3 step %c1 iter_args(%outer = %start) -> !x {
            %q = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %outer) -> !x {
              %at = affine.apply affine_map<(d0) -> (d0 * 16)>(%i)
              %v = tensor.extract_slice %x[%at, 0] [16, 128] [1, 1] : !x to !t
              %w = tensor.extract_slice %acc[%at, 0] [16, 128] [1, 1] : !x to !t
              %s = spyre.add %w, %v : !t
              %n = tensor.insert_slice %s into %acc[%at, 0] [16, 128] [1, 1] : !t into !x
              scf.yield %n : !x
            }
            scf.yield %q : !x
          }
          %d = spyre.sub %r, %start : !x
          return %r, %d : !x, !x
        }"#;
    Program {
        spread: 201,
        ..Program::new(text, |x, result, p| {
            let added = 3.0 * x(0, p);
            if result == 0 { x(1, p) + added } else { added }
        })
    }
    .check();
}

/// Hints in the body of a loop that carries the whole tensor, which is also reduced there.
#[test]
fn groups_in_a_loop_that_carries() {
    let text = r#"!x = tensor<16x256xf16>
        !c = tensor<1x256xf16>
        func.func @program(%x: !x {spyre.dims = ["A", "B"]}, %y: !x) -> (!x, !c) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c3 = arith.constant 3 : index
          %zero = spyre.fill dense<0.0> : !c
          %r:2 = scf.for %k = %c0 to %c3 step %c1 iter_args(%acc = %x, %most = %zero) -> (!x, !c) {
            %n = spyre.neg %acc tile [0: "A" in 2, 1: "B" in 3] : !x
            %m = spyre.max %n dims [0] keepdim tile [0: "A" in 2, 1: "B" in 3] : (!x) -> !c
            %s = spyre.maximum %n, %y tile [0: "A" in 2, 1: "B" in 3] : !x
            %o = spyre.maximum %most, %m : !c
            scf.yield %s, %o : !x, !c
          }
          return %r#0, %r#1 : !x, !c
        }"#;
    Program::new(text, |x, result, p| {
        let column = |i: u64| {
            let at = [i, p[1]];
            let (mut acc, mut most) = (x(0, &at), 0.0_f32);
            for _ in 0..3 {
                most = most.max(-acc);
                acc = (-acc).max(x(1, &at));
            }
            (acc, most)
        };
        if result == 0 {
            column(p[0]).0
        } else {
            (0..16).map(|i| column(i).1).fold(0.0, f32::max)
        }
    })
    .check();
}
