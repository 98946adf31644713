//! Layer normalisations: the chain of `exx2`, `layernormscale` and `layernormnorm`.

use spyre_sdsc::{Allocation, Expr, OpSpec, TensorArg};
use spyre_sim::{FaultKind, Machine, Report};

use crate::common::{F16, Files, Placed, Setup, integers, matrix, space, tensor};

const ROWS: u64 = 4;

/// A tensor with one element per stick.
fn sparse(place: Allocation) -> TensorArg {
    tensor(F16, &[1, ROWS, 64], &["0", "c0", "0"], place)
}

/// The chain on `columns` elements in a row, of which the pairs and the scales are in scratchpads. `first` is the first of its
/// operations that runs on the input.
fn chain(columns: u64, first: OpSpec) -> Files {
    let rows = |op: OpSpec| op.with_dim("c0", Expr::int(ROWS as i64), 2);
    let moments = first.with_output(sparse(Allocation::lx(0)));
    let scale = rows(OpSpec::pointwise("layernormscale"))
        .with_constant("eps", 0.5)
        .with_input(sparse(Allocation::lx(0)))
        .with_output(tensor(
            F16,
            &[1, ROWS, 64],
            &["0", "c0", "0"],
            Allocation::lx(4096),
        ));
    let parameter = |index| {
        let coordinates = ["floor(c1/64)", "Mod(c1, 64)"];
        let place = Allocation::argument(index);
        tensor(F16, &[columns.div_ceil(64), 64], &coordinates, place)
    };
    let norm = space(
        OpSpec::pointwise("layernormnorm"),
        ROWS as i64,
        columns as i64,
        2,
    )
    .with_input(matrix(ROWS, columns, Allocation::argument(0)))
    .with_input(sparse(Allocation::lx(0)))
    .with_input(sparse(Allocation::lx(4096)))
    .with_input(parameter(1))
    .with_input(parameter(2))
    .with_output(matrix(ROWS, columns, Allocation::argument(3)));
    Files::from_nodes(&[moments.into(), scale.into(), norm.into()])
}

fn exx2(columns: u64) -> OpSpec {
    space(OpSpec::reduction("exx2"), ROWS as i64, columns as i64, 2)
        .with_constant("exx2scale", 1.0 / columns as f64)
        .with_input(matrix(ROWS, columns, Allocation::argument(0)))
}

fn run(files: &Files, columns: u64) -> (Vec<f32>, Vec<f32>, Report) {
    let values: Vec<f32> = integers((ROWS * columns) as usize, 3);
    let inputs = [
        (Placed::f16(&[ROWS, columns]), values.clone()),
        (Placed::f16(&[columns]), vec![2.0; columns as usize]),
        (Placed::f16(&[columns]), vec![-1.0; columns as usize]),
    ];
    let mut setup = Setup::new(&inputs, Placed::f16(&[ROWS, columns]));
    let actual = setup.run(&files.read().unwrap());
    (values, actual, setup.machine.report().clone())
}

#[test]
fn a_layer_normalisation() {
    // The padding of 100 columns is masked with zeros.
    for columns in [128, 100] {
        let (values, actual, report) = run(&chain(columns, exx2(columns)), columns);
        assert_eq!(report.to_string(), "");
        let rows = values.chunks(columns as usize);
        for (row, actual) in rows.zip(actual.chunks(columns as usize)) {
            let mean = |function: fn(f32) -> f32| {
                row.iter().map(|x| function(*x)).sum::<f32>() / columns as f32
            };
            let (first, second) = (mean(|x| x), mean(|x| x * x));
            let scale = 1.0 / (second - first * first + 0.5).sqrt();
            for (x, actual) in row.iter().zip(actual) {
                let expected = (x - first) * scale * 2.0 - 1.0;
                // The pair and the scale are rounded to 16 bits.
                assert!(
                    (actual - expected).abs() < 0.01,
                    "{actual} and not {expected}"
                );
            }
        }
    }
}

#[test]
fn a_plain_mean_is_no_pair() {
    let mean = space(OpSpec::reduction("mean"), ROWS as i64, 128, 2)
        .with_constant("scaling_factor", 1.0 / 128.0)
        .with_input(matrix(ROWS, 128, Allocation::argument(0)));
    let (_, _, report) = run(&chain(128, mean), 128);
    let fault = &report.faults()[0];
    assert_eq!(fault.kind, FaultKind::NeverWritten, "{report}");
    assert!(fault.message.contains("no pair of moments"), "{report}");
}

#[test]
fn forms_of_exx2_without_a_meaning() {
    let error = |files: &Files| {
        let mut machine = Machine::new(spyre_plan::Target::CARD);
        for _ in 0..2 {
            machine.add_bytes(&[0; 1 << 14]);
        }
        let error = machine.run(&files.read().unwrap()).unwrap_err();
        error.to_string()
    };
    let files =
        |op: OpSpec| Files::from_nodes(&[op.with_output(sparse(Allocation::argument(1))).into()]);
    let reason = error(&files(exx2(128).with_constant("useZeroMean", 1.0)));
    assert!(
        reason.contains("'exx2' with 'useZeroMean' = 1 has no published meaning"),
        "{reason}"
    );
    let without = space(OpSpec::reduction("exx2"), ROWS as i64, 128, 2).with_input(matrix(
        ROWS,
        128,
        Allocation::argument(0),
    ));
    let reason = error(&files(without));
    assert!(
        reason.contains("'exx2' lacks its constant 'exx2scale'"),
        "{reason}"
    );
    // Off the stick.
    let across = OpSpec::reduction("exx2")
        .with_dim("c1", Expr::int(128), 1)
        .with_dim("c0", Expr::int(ROWS as i64), 1)
        .with_constant("exx2scale", 0.25)
        .with_input(matrix(ROWS, 128, Allocation::argument(0)))
        .with_output(tensor(
            F16,
            &[1, 2, 64],
            &["0", "floor(c1/64)", "Mod(c1, 64)"],
            Allocation::argument(1),
        ));
    let across = Files::from_nodes(&[across.into()]).change("sdsc_0.json", |sdsc| {
        let dsc_json = crate::common::dsc(sdsc);
        dsc_json["computeOp_"][0]["opFuncName"] = "exx2".into();
    });
    let reason = error(&across);
    assert!(
        reason.contains("'exx2' reduces the stick, and only that"),
        "{reason}"
    );
}
