//! Programs that are equal by form.

use super::build::Build;
use crate::expr::Expr;
use crate::program::{Def, Extent, Param, Program};
use crate::rewrite::form::equal_programs;

/// Returns a program of a product, `exp` of its tiles of rows, and an addition; `copies` are moved tensors.
fn program(name: &str, first: i64, copies: bool) -> Program {
    let mut build = Build::default();
    let (a, b) = (build.arg(&[64, 64]), build.arg(&[64, 64]));
    let mut product = build.product(a, b);
    if copies {
        product = build.copy(product);
    }
    let tiled = build.in_tiles([64, 64], 16, |build, offset| {
        let offset = offset.plus(&first.into());
        let rows = build.slice(product, &[offset, 0.into()], &[16, 64]);
        build.pointwise(name, &[rows])
    });
    let sum = build.pointwise("add", &[tiled, a]);
    build.give(&[sum]).program
}

#[test]
fn moves_change_no_definition() {
    let (before, after) = (program("exp", 0, false), program("exp", 0, true));
    let report = equal_programs(&before, &after).expect("they are equal");
    assert!(report.is_proved());
    assert_eq!(report.operations, 3);
}

#[test]
fn another_operation_window_or_extent_is_another_program() {
    let before = program("exp", 0, false);
    for damaged in [program("log", 0, true), program("exp", 1, true)] {
        assert!(equal_programs(&before, &damaged).is_none());
    }
    let mut longer = program("exp", 0, true);
    longer.loops[0].upper = Extent::Fixed(48);
    assert!(equal_programs(&before, &longer).is_none());
    let mut swapped = program("exp", 0, true);
    let last = swapped.statements.len() - 1;
    swapped.statements[last].operands.swap(0, 1);
    assert!(equal_programs(&before, &swapped).is_none());
    let mut earlier = program("exp", 0, true);
    earlier.loops[0].carried[0].yielded = earlier.loops[0].carried[0].argument;
    assert!(equal_programs(&before, &earlier).is_none());
}

#[test]
fn operations_that_are_not_modelled_have_no_equal() {
    let mut build = Build::default();
    let a = build.arg(&[64, 64]);
    let mut program = {
        let exp = build.pointwise("exp", &[a]);
        build.give(&[exp]).program
    };
    assert!(equal_programs(&program, &program).is_some());
    program.values[a.index()].def = Def::Opaque("call".to_owned());
    assert!(equal_programs(&program, &program).is_none());
}

#[test]
fn a_coarser_extent_is_a_multiple_of_its_parameter() {
    let mut build = Build::default();
    let rows = build.param(64, 2048);
    let a = build.arg_of(vec![rows, Extent::Fixed(64)]);
    let end = build.program.extent(rows).plus(&(-64).into());
    let last = build.slice(a, &[end, Expr::zero()], &[64, 64]);
    let program = build.give(&[last]).program;
    let params = |granularity, maximum| {
        vec![Param {
            name: "n".to_owned(),
            granularity,
            maximum,
        }]
    };
    let narrowed = program
        .narrowed(&params(128, 1024))
        .expect("it is narrower");
    let Def::Slice { offsets, .. } = &narrowed.value(last).def else {
        panic!("a window");
    };
    assert_eq!(offsets[0].to_string(), "k0 * 128 + -64");
    assert_eq!(narrowed.params, params(128, 1024));
    for (granularity, maximum) in [(64, 2048), (96, 1024), (32, 2048), (64, 4096)] {
        assert!(program.narrowed(&params(granularity, maximum)).is_none());
    }
}
