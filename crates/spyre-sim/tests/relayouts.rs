//! Relayouts: copies between scratchpads, after which a tensor is divided over cores in another way.

mod common;

use common::{F16, Files, Placed, Setup, dsc, expr, integers, matrix, space, tensor};
use serde_json::json;
use spyre_sdsc::model::Ownership;
use spyre_sdsc::{Allocation, Expr, OpSpec};
use spyre_sim::{FaultKind, Report};

const ROWS: u64 = 8;
const COLUMNS: u64 = 256;

/// Slices of dimensions, and the slice of each core.
fn owned(slices: &[(&str, u64)], of_core: &[(&str, &str)]) -> Option<Ownership> {
    Some(Ownership {
        num_cores: None,
        work_slices: slices.iter().map(|(s, n)| ((*s).into(), *n)).collect(),
        core_id_to_work_slice: of_core
            .iter()
            .map(|(s, e)| ((*s).into(), expr(e)))
            .collect(),
    })
}

fn by_rows() -> Option<Ownership> {
    owned(&[("c0", 4)], &[("c0", "core_id")])
}

fn by_columns() -> Option<Ownership> {
    owned(&[("c1", 4)], &[("c1", "core_id")])
}

/// A copy on 4 cores that divide a dimension.
fn copy(divided: usize) -> OpSpec {
    let slices = |dim| if dim == divided { 4 } else { 1 };
    OpSpec::pointwise("identity")
        .with_dim("c0", Expr::int(ROWS as i64), slices(0))
        .with_dim("c1", Expr::int(COLUMNS as i64), slices(1))
}

fn lx(address: u64, owners: Option<Ownership>) -> spyre_sdsc::TensorArg {
    let mut tensor = matrix(ROWS, COLUMNS, Allocation::lx(address));
    tensor.ownership = owners;
    tensor
}

/// Loads rows into the scratchpads of 4 cores, copies them so that each core has columns, and stores these.
fn exchange() -> Files {
    let argument = |index| matrix(ROWS, COLUMNS, Allocation::argument(index));
    let load = copy(0).with_input(argument(0)).with_output(lx(0, None));
    let relayout = copy(0)
        .with_input(lx(0, by_rows()))
        .with_output(lx(65536, by_columns()));
    let store = copy(1).with_input(lx(65536, None)).with_output(argument(1));
    Files::from_nodes(&[load.into(), relayout.into(), store.into()])
}

fn run(files: &Files) -> (Vec<f32>, Vec<f32>, Report) {
    let values = integers((ROWS * COLUMNS) as usize, 5);
    let inputs = [(Placed::f16(&[ROWS, COLUMNS]), values.clone())];
    let mut setup = Setup::new(&inputs, Placed::f16(&[ROWS, COLUMNS]));
    let actual = setup.run(&files.read().unwrap_or_else(|error| panic!("{error}")));
    (values, actual, setup.machine.report().clone())
}

#[test]
fn rows_become_columns() {
    let files = exchange();
    assert!(files.0["sdsc_1.json"].contains("\"shuffle\""));
    let (values, actual, report) = run(&files);
    assert_eq!(report.to_string(), "");
    assert_eq!(actual, values);
    // Without the copy, a core has none of the other columns.
    let (_, _, report) = run(&files.edit("bundle.mlir", "sdsc_1.json", "sdsc_0.json"));
    assert!(!report.is_clean());
}

/// The product of 8 by 64 and 64 by 64 elements, with the right operand on 4 cores in parts, and then on each of them
/// as a whole.
#[test]
fn every_core_gets_all_parts() {
    let operand = |place, owners| {
        let coordinates = ["floor(c1/64)", "c2", "Mod(c1, 64)"];
        let mut operand = tensor(F16, &[1, 64, 64], &coordinates, place);
        operand.ownership = owners;
        operand
    };
    let on = |rows: u64| {
        OpSpec::pointwise("identity")
            .with_dim("c2", Expr::int(64), rows)
            .with_dim("c1", Expr::int(64), 1)
    };
    let load = on(4)
        .with_input(operand(Allocation::argument(1), None))
        .with_output(operand(Allocation::lx(0), None));
    let parts = owned(&[("c2", 4)], &[("c2", "core_id")]);
    let gather = on(4)
        .with_input(operand(Allocation::lx(0), parts))
        .with_output(operand(
            Allocation::lx(65536),
            owned(&[("c1", 4)], &[("c1", "core_id")]),
        ));
    let product = OpSpec::reduction("batchmatmul")
        .with_dim("c0", Expr::int(ROWS as i64), 4)
        .with_dim("c1", Expr::int(64), 1)
        .with_dim("c2", Expr::int(64), 1)
        .with_input(tensor(
            F16,
            &[1, ROWS, 64],
            &["floor(c2/64)", "c0", "Mod(c2, 64)"],
            Allocation::argument(0),
        ))
        .with_input(operand(Allocation::lx(65536), None))
        .with_output(matrix(ROWS, 64, Allocation::argument(2)));
    let files = Files::from_nodes(&[load.into(), gather.into(), product.into()]);
    // All four have the only slice.
    let files = files.change("sdsc_1.json", |sdsc| {
        let coordinates = &mut dsc(sdsc)["scheduleTree_"][1]["coordinates_"];
        for dim in coordinates["coordInfo"]
            .as_object_mut()
            .unwrap()
            .values_mut()
        {
            dim["folds"]["dim_prop_attr"][0]["factor_"] = 1.into();
        }
        for core in coordinates["coreIdToWkSlice_"]
            .as_object_mut()
            .unwrap()
            .values_mut()
        {
            *core = json!({"mb": 0, "out": 0});
        }
    });
    let small = |count: usize, seed| {
        integers(count, seed)
            .iter()
            .map(|x| x % 3.0)
            .collect::<Vec<f32>>()
    };
    let (a, b) = (small(8 * 64, 1), small(64 * 64, 2));
    let inputs = [
        (Placed::f16(&[ROWS, 64]), a.clone()),
        (Placed::f16(&[64, 64]), b.clone()),
    ];
    let actual = Setup::new(&inputs, Placed::f16(&[ROWS, 64])).run_clean(&files);
    for (at, actual) in actual.iter().enumerate() {
        let (row, column) = (at / 64, at % 64);
        let sum: f32 = (0..64).map(|k| a[row * 64 + k] * b[k * 64 + column]).sum();
        assert_eq!(*actual, sum);
    }
}

/// A product with K divided over four cores, and a copy of its sums from one of them, or from all, to one core.
fn split_product(source: serde_json::Value) -> Files {
    let product = OpSpec::reduction("batchmatmul")
        .with_dim("c0", Expr::int(ROWS as i64), 1)
        .with_dim("c1", Expr::int(64), 1)
        .with_dim("c2", Expr::int(256), 4)
        .with_input(tensor(
            F16,
            &[4, ROWS, 64],
            &["floor(c2/64)", "c0", "Mod(c2, 64)"],
            Allocation::argument(0),
        ))
        .with_input(tensor(
            F16,
            &[1, 256, 64],
            &["floor(c1/64)", "c2", "Mod(c1, 64)"],
            Allocation::argument(1),
        ))
        .with_output(matrix(ROWS, 64, Allocation::lx(0)));
    let sums = |address, owners| {
        let mut tensor = matrix(ROWS, 64, Allocation::lx(address));
        tensor.ownership = owners;
        tensor
    };
    let divided = |cores| space(OpSpec::pointwise("identity"), ROWS as i64, 64, cores);
    let relayout = divided(4)
        .with_input(sums(0, owned(&[("c1", 4)], &[("c1", "core_id")])))
        .with_output(sums(65536, by_rows()));
    let store = divided(4).with_input(sums(65536, None)).with_output(matrix(
        ROWS,
        64,
        Allocation::argument(2),
    ));
    Files::from_nodes(&[product.into(), relayout.into(), store.into()]).change(
        "sdsc_1.json",
        |sdsc| {
            let coordinates = &mut dsc(sdsc)["scheduleTree_"][0]["coordinates_"];
            coordinates["coreIdToWkSlice_"] = source;
            for dim in coordinates["coordInfo"]
                .as_object_mut()
                .unwrap()
                .values_mut()
            {
                dim["folds"]["dim_prop_attr"][0]["factor_"] = 1.into();
            }
        },
    )
}

fn run_split(files: &Files) -> (Vec<f32>, Report) {
    let inputs = [
        (Placed::f16(&[ROWS, 256]), vec![1.0; 8 * 256]),
        (Placed::f16(&[256, 64]), vec![2.0; 256 * 64]),
    ];
    let mut setup = Setup::new(&inputs, Placed::f16(&[ROWS, 64]));
    let actual = setup.run(&files.read().unwrap_or_else(|error| panic!("{error}")));
    (actual, setup.machine.report().clone())
}

#[test]
fn only_the_last_core_of_a_group_has_the_sums() {
    let (actual, report) = run_split(&split_product(json!({"3": {"mb": 0, "out": 0}})));
    assert_eq!(report.to_string(), "");
    assert_eq!(actual, vec![512.0; 8 * 64]);
    // The other cores have no sums.
    let (_, report) = run_split(&split_product(json!({"0": {"mb": 0, "out": 0}})));
    let fault = &report.faults()[0];
    assert_eq!(
        (fault.kind, fault.core),
        (FaultKind::NeverWritten, Some(0)),
        "{report}"
    );
    assert!(
        fault
            .message
            .contains("this core has not written what is copied from it"),
        "{report}"
    );
}

#[test]
fn owners_that_cannot_be() {
    let with = |cores: serde_json::Value| {
        exchange().change("sdsc_1.json", |sdsc| {
            dsc(sdsc)["scheduleTree_"][0]["coordinates_"]["coreIdToWkSlice_"] = cores;
        })
    };
    let slice = |mb: u64| json!({"mb": mb, "out": 0});
    // Two cores have one slice, and no core has another one.
    let twice = with(json!({"0": slice(0), "1": slice(0), "2": slice(2), "3": slice(3)}));
    let (_, _, report) = run(&twice);
    assert!(report.has(FaultKind::Slices), "{report}");
    let text = report.to_string();
    assert!(
        text.contains("cores 0 and 1 both have slice [0, 0]"),
        "{text}"
    );
    assert!(text.contains("3 of the 4 slices have owners"), "{text}");
    // A slice that does not exist.
    let files = with(json!({"0": slice(4)}));
    let message = files.read().unwrap_err().to_string();
    assert!(message.contains("no slice of the 4 of 'mb'"), "{message}");
    // Both tensors have one place.
    let alias = exchange().change("sdsc_1.json", |sdsc| {
        let nodes = &mut dsc(sdsc)["scheduleTree_"];
        nodes[1]["startAddressCoreCorelet_"] = nodes[0]["startAddressCoreCorelet_"].clone();
    });
    let (_, _, report) = run(&alias);
    assert!(report.has(FaultKind::Race), "{report}");
    // One of the tensors is in device memory.
    let hbm = exchange().change("sdsc_1.json", |sdsc| {
        dsc(sdsc)["scheduleTree_"][0]["component_"] = "hbm".into();
    });
    let message = hbm.read().unwrap_err().to_string();
    assert!(
        message.contains("a relayout is between scratchpads"),
        "{message}"
    );
}
