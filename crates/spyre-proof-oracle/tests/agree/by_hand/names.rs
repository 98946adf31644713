//! Values that the program before computes twice, and operations that are wrong in part.

use spyre_layout::{Coord, Layout};
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{Place, Program, ValueId};
use spyre_proof_oracle::build::{Builder, element, key, point, points};
use spyre_proof_oracle::judge::Answer;

use super::super::tally::Tally;
use super::{
    BUDGET, CLAIMS, Context, answer, counter, expect, pointwise, prove_rewrite, reduced, row,
    window,
};

/// The products of a matrix and its transposed one in two windows of columns, and a search in each column.
fn products(has_loop: bool) -> Program {
    let mut builder = Builder::new(64);
    let matrix = builder.argument(&[3, 3]);
    let transposed = builder.view(matrix, vec![element(1), element(0)], &[3, 3]);
    let mut all = builder.empty(&[3]);
    for (first, columns) in [(0, 2), (2, 1)] {
        let (in_loop, mut at) = (has_loop && first == 0, Expr::from(first));
        let mut into = all;
        if in_loop {
            let (id, carried) = builder.open_loop((0, 1, 1), &[all]);
            (into, at) = (carried[0], counter(id));
        }
        let at = [0.into(), at];
        let factors = [matrix, transposed].map(|of| window(&mut builder, of, &at, &[3, columns]));
        let products = pointwise(&mut builder, "mul", &factors);
        let operands = vec![(products, vec![point(1), point(0)])];
        let search = builder.statement(key("exx2", 1), &[columns, 3], 1, operands);
        all = builder.insert(search, into, vec![at[1].clone()]);
        if in_loop {
            all = builder.close_loop(&[all])[0];
        }
    }
    builder.finish(vec![all])
}

#[test]
fn products_with_exchanged_factors_have_one_name() {
    let programs = [products(false), products(true)];
    for (before, after) in [(0, 1), (1, 0), (1, 1)] {
        expect(
            Answer::Proved,
            "products",
            &programs[before],
            &programs[after],
        );
    }
}

/// Products of a matrix and its transposed one, or differences, of which the lower left corner is the upper right one.
fn symmetric(name: &str, is_mirrored: bool) -> Program {
    let mut builder = Builder::new(64);
    let matrix = builder.argument(&[4, 4]);
    let mirror = || vec![element(1), element(0)];
    let transposed = builder.view(matrix, mirror(), &[4, 4]);
    let mut result = pointwise(&mut builder, name, &[matrix, transposed]);
    if is_mirrored {
        let corner = window(&mut builder, result, &[0.into(), 2.into()], &[2, 2]);
        let corner = builder.view(corner, mirror(), &[2, 2]);
        result = builder.insert(corner, result, vec![2.into(), 0.into()]);
    }
    let result = pointwise(&mut builder, "exp", &[result]);
    builder.finish(vec![result])
}

#[test]
fn products_are_symmetric_and_differences_are_not() {
    for (name, expected) in [("mul", Answer::Proved), ("sub", Answer::Refuted)] {
        let programs = [symmetric(name, false), symmetric(name, true)];
        expect(expected, name, &programs[0], &programs[1]);
        expect(expected, name, &programs[1], &programs[0]);
    }
}

/// Two loops that multiply rows, the second one with the first element of each, and a function of the second result,
/// which may be taken from the first.
fn twins(trips: i64, first_row: i64, is_taken: bool) -> Program {
    let mut builder = Builder::new(64);
    let rows = builder.argument(&[trips + 1, 2]);
    let start = builder.argument(&[2]);
    let mut results = Vec::new();
    for (extent, first) in [(2, 0), (1, first_row)] {
        let init = window(&mut builder, start, &[0.into()], &[extent]);
        let (id, carried) = builder.open_loop((0, trips, 1), &[init]);
        let row = row(&mut builder, rows, counter(id).plus(&first.into()));
        let row = window(&mut builder, row, &[0.into()], &[extent]);
        let product = pointwise(&mut builder, "mul", &[carried[0], row]);
        results.push(builder.close_loop(&[product])[0]);
    }
    let taken = window(&mut builder, results[0], &[0.into()], &[1]);
    let from = if is_taken { taken } else { results[1] };
    let function = pointwise(&mut builder, "exp", &[from]);
    builder.finish(vec![results[0], function])
}

#[test]
fn equal_recurrences_have_one_name() {
    for trips in [1, 3, 40] {
        for (first_row, expected) in [(0, Answer::Proved), (1, Answer::Refuted)] {
            let programs = [
                twins(trips, first_row, false),
                twins(trips, first_row, true),
            ];
            let title = format!("{trips} iterations from row {first_row}");
            expect(expected, &title, &programs[0], &programs[1]);
            expect(expected, &title, &programs[1], &programs[0]);
        }
    }
}

/// Sums of columns in a loop, where the second one adds to the first; the second one is returned or not.
fn columns(trips: i64, is_wrong: bool, is_returned: bool) -> Program {
    let mut builder = Builder::new(64);
    let rows = builder.argument(&[trips, 2]);
    let zero = builder.constant("0x0000", &[2]);
    let (id, carried) = builder.open_loop((0, trips, 1), &[zero]);
    let row = row(&mut builder, rows, counter(id));
    let index = if is_wrong { 0.into() } else { point(0) };
    let operands = vec![(carried[0], vec![index]), (row, points(1))];
    let sum = builder.statement(key("add", 2), &[2], 0, operands);
    let sums = builder.close_loop(&[sum])[0];
    let result = match is_returned {
        true => sums,
        false => window(&mut builder, sums, &[0.into()], &[1]),
    };
    builder.finish(vec![result])
}

#[test]
fn a_column_that_no_result_depends_on_is_no_fault() {
    for (is_returned, expected) in [(false, Answer::Proved), (true, Answer::Refuted)] {
        let programs = [false, true].map(|is_wrong| columns(3, is_wrong, is_returned));
        expect(expected, "columns", &programs[0], &programs[1]);
    }
    // A loop of more iterations is followed by the hypothesis that all it carries is equal, and that does not hold.
    let [before, after] = [false, true].map(|is_wrong| columns(40, is_wrong, false));
    let report = prove_rewrite(&Context::new(BUDGET), &before, &after);
    assert_eq!(answer(&report, &CLAIMS), Answer::Unknown, "{report:?}");
}

/// Sums of rows in two parts; of the second part, one row may be lacking.
fn parts(is_lacking: bool) -> Program {
    let mut builder = Builder::new(64);
    let argument = builder.argument(&[2, 4]);
    let double = pointwise(&mut builder, "add", &[argument, argument]);
    let halves = [0, 2].map(|at| window(&mut builder, argument, &[0.into(), at.into()], &[2, 2]));
    let mut halves = halves.map(|half| reduced(&mut builder, "sum", half));
    if is_lacking {
        let empty = builder.empty(&[2]);
        let first = window(&mut builder, halves[1], &[0.into()], &[1]);
        halves[1] = builder.insert(first, empty, vec![0.into()]);
    }
    let sum = pointwise(&mut builder, "add", &halves);
    builder.finish(vec![double, sum])
}

#[test]
fn a_sum_that_is_whole_is_no_witness_of_one_that_is_not() {
    let mut builder = Builder::new(64);
    let argument = builder.argument(&[2, 4]);
    let double = pointwise(&mut builder, "add", &[argument, argument]);
    let sum = reduced(&mut builder, "sum", argument);
    let before = builder.finish(vec![double, sum]);
    expect(Answer::Proved, "parts", &before, &parts(false));
    expect(Answer::Refuted, "parts", &before, &parts(true));
}

/// Adds a gather of rows of a table.
fn gather(builder: &mut Builder, table: ValueId, rows: ValueId) -> ValueId {
    let space = [builder.shape(rows)[0], builder.shape(table)[1]];
    let operands = vec![
        (table, vec![Var::Gathered(0).into(), point(1)]),
        (rows, vec![point(0)]),
    ];
    builder.statement(key("gather", 2), &space, 0, operands)
}

/// What is done to a gather of a gather.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gathers {
    Whole,
    Tiles,
    Exchanged,
    ReversedTable,
    FewerRows,
    ReversedColumns,
}

fn gathers(kind: Gathers) -> Program {
    let mut builder = Builder::new(64);
    let mut table = builder.argument(&[4, 2]);
    let mut rows = [0, 1].map(|_| builder.argument(&[4]));
    let reversed = |extent: i64, dim: usize| Expr::from(extent - 1).minus(&element(dim));
    match kind {
        Gathers::Exchanged => rows.swap(0, 1),
        Gathers::ReversedTable => {
            table = builder.view(table, vec![reversed(4, 0), element(1)], &[4, 2]);
        }
        _ => {}
    }
    let mut first = gather(&mut builder, table, rows[0]);
    if kind == Gathers::FewerRows {
        first = window(&mut builder, first, &[0.into(), 0.into()], &[3, 2]);
    }
    let columns = || vec![element(0), reversed(2, 1)];
    if kind == Gathers::ReversedColumns {
        first = builder.view(first, columns(), &[4, 2]);
    }
    let mut result = if kind == Gathers::Tiles {
        let empty = builder.empty(&[4, 2]);
        let (id, carried) = builder.open_loop((0, 4, 2), &[empty]);
        let at = counter(id).times(2);
        let tile = window(&mut builder, rows[1], std::slice::from_ref(&at), &[2]);
        let tile = gather(&mut builder, first, tile);
        let next = builder.insert(tile, carried[0], vec![at, 0.into()]);
        builder.close_loop(&[next])[0]
    } else {
        gather(&mut builder, first, rows[1])
    };
    if kind == Gathers::ReversedColumns {
        result = builder.view(result, columns(), &[4, 2]);
    }
    builder.finish(vec![result])
}

#[test]
fn a_gather_of_a_gather_has_the_rows_of_both() {
    let before = gathers(Gathers::Whole);
    for (kind, expected) in [
        (Gathers::Tiles, Answer::Proved),
        (Gathers::ReversedColumns, Answer::Proved),
        (Gathers::Exchanged, Answer::Refuted),
        (Gathers::ReversedTable, Answer::Refuted),
        (Gathers::FewerRows, Answer::Refuted),
    ] {
        expect(expected, &format!("{kind:?}"), &before, &gathers(kind));
    }
}

#[test]
fn the_end_of_an_unaligned_buffer_is_written_as_well() {
    let mut builder = Builder::new(64);
    let argument = builder.argument(&[1]);
    let value = pointwise(&mut builder, "exp", &[argument]);
    let copy = builder.copy(value);
    let result = pointwise(&mut builder, "relu", &[value]);
    let mut program = builder.finish(vec![result, copy]);
    let coords = vec![Coord::dim(0), Coord::Zero];
    let sticks = Layout::new(1, coords).expect("a stick for each element");
    for value in &mut program.values {
        value.layout = Some(sticks.clone());
    }
    for (value, place) in [
        (argument, Place::Argument(0)),
        (value, Place::Scratchpad(128)),
        (copy, Place::Scratchpad(64)),
        (result, Place::Argument(1)),
    ] {
        program.values[value.index()].place = Some(place);
    }
    let mut tally = Tally::default();
    tally.places(&Context::new(BUDGET), "unaligned", &program);
    assert!(tally.disagreements.is_empty(), "{:?}", tally.disagreements);
}
