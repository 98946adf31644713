//! Loops over dynamic extents, which the generator does not draw, and means, which the oracle has no law for.

use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{Extent, Param, ParamId, Program};
use spyre_proof_oracle::build::Builder;
use spyre_proof_oracle::judge::Answer;

use super::{
    BUDGET, CLAIMS, Context, answer, compare, counter, pointwise, prove_rewrite, reduced, row,
    whole, window,
};

/// The extent that is dynamic.
const DYNAMIC: i64 = 8;
/// The number that divides it.
const GRANULARITY: i64 = 2;

/// Returns the dynamic extent as an expression.
fn extent() -> Expr {
    Expr::from(Var::Param(ParamId::new(0))).times(GRANULARITY)
}

/// Returns a program of which the extents `DYNAMIC` are the largest one of a dynamic extent.
fn dynamic(mut program: Program) -> Program {
    program.params.push(Param {
        name: "S".to_owned(),
        granularity: GRANULARITY,
        maximum: DYNAMIC,
    });
    let shapes = program.values.iter_mut().map(|value| &mut value.shape);
    let spaces = program.statements.iter_mut().map(|of| &mut of.space);
    let extents = shapes.chain(spaces).flatten();
    let ends = program.loops.iter_mut().map(|of| &mut of.upper);
    for extent in extents.chain(ends) {
        if *extent == Extent::Fixed(DYNAMIC) {
            *extent = Extent::Dynamic(ParamId::new(0));
        }
    }
    program
}

/// Expects that a rewrite is proved if it is right for each extent, and else refuted.
fn expect(is_right: bool, title: &str, before: Program, after: Program) {
    let (before, after) = (dynamic(before), dynamic(after));
    let report = prove_rewrite(&Context::new(BUDGET), &before, &after);
    let mut extents = 1..=DYNAMIC / GRANULARITY;
    let is_equal = extents.all(|extent| compare(&before, &after, &[extent]).is_equal());
    assert_eq!(is_equal, is_right, "{title}");
    let expected = match is_right {
        true => Answer::Proved,
        false => Answer::Refuted,
    };
    assert_eq!(answer(&report, &CLAIMS), expected, "{title}: {report:?}");
}

/// A loop from `lower` on, in steps, that applies an operation to windows: where it reads, and where it inserts.
fn windows(
    (lower, step, size): (i64, i64, i64),
    read: impl Fn(Expr) -> Expr,
    insert: impl Fn(Expr) -> Expr,
) -> Program {
    let mut builder = Builder::new(64);
    let argument = builder.argument(&[DYNAMIC]);
    let empty = builder.empty(&[DYNAMIC]);
    let (id, carried) = builder.open_loop((lower, DYNAMIC, step), &[empty]);
    let first = counter(id).times(step).plus(&lower.into());
    let tile = window(&mut builder, argument, &[read(first.clone())], &[size]);
    let tile = pointwise(&mut builder, "exp", &[tile]);
    let next = builder.insert(tile, carried[0], vec![insert(first)]);
    let result = builder.close_loop(&[next])[0];
    builder.finish(vec![result])
}

#[test]
fn windows_of_a_dynamic_extent_cover_it() {
    let before = || {
        let mut builder = Builder::new(64);
        let argument = builder.argument(&[DYNAMIC]);
        let result = pointwise(&mut builder, "exp", &[argument]);
        builder.finish(vec![result])
    };
    let same = |first: Expr| first;
    let back = |first: Expr| extent().minus(&2.into()).minus(&first);
    let of_largest = |first: Expr| Expr::from(DYNAMIC - 2).minus(&first);
    for (is_right, title, after) in [
        (true, "tiles", windows((0, 2, 2), same, same)),
        (true, "elements", windows((0, 1, 1), same, same)),
        (true, "backwards", windows((0, 2, 2), back, back)),
        (false, "reads backwards", windows((0, 2, 2), back, same)),
        (false, "holes", windows((0, 4, 2), same, same)),
        (false, "too late", windows((2, 2, 2), same, same)),
        (false, "largest", windows((0, 2, 2), of_largest, of_largest)),
    ] {
        expect(is_right, title, before(), after);
    }
}

/// A reduction of `[2, DYNAMIC]` in tiles.
fn tiles(
    (name, combiner, init): (&str, &str, &str),
    (lower, step, size): (i64, i64, i64),
    read: impl Fn(Expr) -> Expr,
) -> Program {
    let mut builder = Builder::new(64);
    let argument = builder.argument(&[2, DYNAMIC]);
    let init = builder.constant(init, &[2]);
    let (id, carried) = builder.open_loop((lower, DYNAMIC, step), &[init]);
    let first = read(counter(id).times(step).plus(&lower.into()));
    let tile = window(&mut builder, argument, &[0.into(), first], &[2, size]);
    let part = reduced(&mut builder, name, tile);
    let sum = pointwise(&mut builder, combiner, &[carried[0], part]);
    let sum = builder.close_loop(&[sum])[0];
    builder.finish(vec![sum])
}

#[test]
fn tiles_of_a_dynamic_extent_are_added_up_once() {
    let same = |first: Expr| first;
    let back = |first: Expr| extent().minus(&2.into()).minus(&first);
    for of in [("sum", "add", "0x0000"), ("max", "maximum", "0xfc00")] {
        let before = || whole(of.0, &[2, DYNAMIC]);
        expect(true, "tiles", before(), tiles(of, (0, 2, 2), same));
        expect(true, "backwards", before(), tiles(of, (0, 2, 2), back));
        expect(false, "too late", before(), tiles(of, (2, 2, 2), same));
        expect(false, "too small", before(), tiles(of, (0, 2, 1), same));
        let first = |_| Expr::zero();
        expect(false, "the first", before(), tiles(of, (0, 2, 2), first));
    }
    let wrong = ("sum", "add", "0x3c00");
    let before = whole("sum", &[2, DYNAMIC]);
    expect(false, "from one", before, tiles(wrong, (0, 2, 2), same));
}

/// A recurrence over the rows of `[DYNAMIC, 2]` in several loops.
fn recurrence(bounds: &[(i64, i64)], restarts: bool) -> Program {
    let mut builder = Builder::new(64);
    let rows = builder.argument(&[DYNAMIC, 2]);
    let start = builder.argument(&[2]);
    let mut carried = start;
    for (lower, upper) in bounds {
        let init = if restarts { start } else { carried };
        let (id, inner) = builder.open_loop((*lower, *upper, 1), &[init]);
        let row = row(&mut builder, rows, counter(id).plus(&(*lower).into()));
        let next = pointwise(&mut builder, "sub", &[inner[0], row]);
        carried = builder.close_loop(&[next])[0];
    }
    builder.finish(vec![carried])
}

#[test]
fn recurrences_over_a_dynamic_extent_have_all_iterations() {
    let before = || recurrence(&[(0, DYNAMIC)], false);
    expect(true, "one", before(), recurrence(&[(0, DYNAMIC)], false));
    for (bounds, restarts) in [
        (&[(0, 2), (2, DYNAMIC)][..], true),
        (&[(1, DYNAMIC)], false),
        (&[(0, 2)], false),
    ] {
        let after = || recurrence(bounds, restarts);
        expect(false, &format!("{bounds:?}"), before(), after());
        expect(false, &format!("from {bounds:?}"), after(), before());
    }
}

/// A reduction of `[2, 8]` in parts that are added up, and the result multiplied or divided.
fn mean(name: &str, parts: &[i64], scale: Option<(&str, &str)>) -> Program {
    let mut builder = Builder::new(64);
    let argument = builder.argument(&[2, 8]);
    let (mut sum, mut first) = (None, 0);
    for extent in parts {
        let part = window(
            &mut builder,
            argument,
            &[0.into(), first.into()],
            &[2, *extent],
        );
        let part = reduced(&mut builder, name, part);
        sum = Some(match sum {
            Some(sum) => pointwise(&mut builder, "add", &[sum, part]),
            None => part,
        });
        first += extent;
    }
    let mut result = sum.expect("there is a part");
    if let Some((name, number)) = scale {
        let number = builder.constant(number, &[2]);
        result = pointwise(&mut builder, name, &[result, number]);
    }
    builder.finish(vec![result])
}

#[test]
fn means_of_parts_are_divided_by_their_number() {
    let before = whole("mean", &[2, 8]);
    let answer = |after: Program| {
        let report = prove_rewrite(&Context::new(BUDGET), &before, &after);
        answer(&report, &CLAIMS)
    };
    for (name, parts, scale) in [
        ("mean", &[4, 4][..], ("mul", "0x3800")),
        ("mean", &[4, 4], ("realdiv", "0x4000")),
        ("sum", &[2, 6], ("mul", "0x3000")),
        ("sum", &[2, 6], ("realdiv", "0x4800")),
    ] {
        let after = mean(name, parts, Some(scale));
        assert_eq!(answer(after), Answer::Proved, "{name} {parts:?} {scale:?}");
    }
    for (name, parts, scale) in [
        ("mean", &[4, 4][..], None),
        ("mean", &[2, 6], Some(("mul", "0x3800"))),
        ("mean", &[4, 4], Some(("mul", "0x3400"))),
        ("mean", &[4], Some(("mul", "0x3800"))),
        ("sum", &[2, 5], Some(("realdiv", "0x4800"))),
        ("sum", &[4], Some(("realdiv", "0x4400"))),
    ] {
        let after = mean(name, parts, scale);
        assert_ne!(answer(after), Answer::Proved, "{name} {parts:?} {scale:?}");
    }
}

#[test]
fn the_scale_of_a_row_of_zeros_is_no_zero() {
    let zeros = |name: Option<&str>| {
        let mut builder = Builder::new(64);
        let rows = builder.constant("0x0000", &[2, 4]);
        let result = match name {
            Some(name) => reduced(&mut builder, name, rows),
            None => builder.constant("0x0000", &[2]),
        };
        builder.finish(vec![result])
    };
    let answer = |name| {
        let report = prove_rewrite(&Context::new(BUDGET), &zeros(Some(name)), &zeros(None));
        answer(&report, &CLAIMS)
    };
    assert_eq!(answer("absmax"), Answer::Proved);
    assert_ne!(answer("quantscalepertokenfp8"), Answer::Proved);
}
