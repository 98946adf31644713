//! Indices that choose rows of a table: its place, the chosen rows, and faults of indices and files.

mod common;

use common::{Files, Placed, Setup, dsc, expr, f16_bytes, f16_values, integers, matrix, tensor};
use spyre_layout::{Bytes, DeviceFormat};
use spyre_plan::Target;
use spyre_sdsc::bundle::BundleOptions;
use spyre_sdsc::{Allocation, Expr, LoopSpec, Node, OpSpec, TensorArg};
use spyre_sim::{FaultKind, Machine};

const ROWS: u64 = 40;
const COLUMNS: u64 = 256;
const CHOSEN: u64 = 64;

/// 64 indices.
fn indices(place: Allocation) -> TensorArg {
    let coordinates = ["floor(c0/32)", "Mod(c0, 32)"];
    let mut indices = tensor(DeviceFormat::IeeeInt32, &[2, 32], &coordinates, place);
    indices.name = Some("rows".into());
    indices
}

/// The table that they choose from.
fn table(place: Allocation) -> TensorArg {
    let coordinates = ["floor(c1/64)", "IndirectAccess(rows)", "Mod(c1, 64)"];
    tensor(
        DeviceFormat::Sen169Fp16,
        &[COLUMNS / 64, ROWS, 64],
        &coordinates,
        place,
    )
}

fn gather(columns: i64, table: TensorArg, result: TensorArg) -> OpSpec {
    OpSpec::pointwise("identity")
        .with_dim("c0", Expr::int(CHOSEN as i64), 1)
        .with_dim("c1", Expr::int(columns), 1)
        .with_input(indices(Allocation::argument(0)))
        .with_input(table)
        .with_output(result)
}

/// Rows from the table in an argument.
fn from_argument() -> Vec<Node> {
    let result = matrix(CHOSEN, COLUMNS, Allocation::argument(2));
    vec![gather(COLUMNS as i64, table(Allocation::argument(1)), result).into()]
}

/// Row `7 * at`, and around.
fn chosen() -> Vec<i32> {
    (0..CHOSEN as i32).map(|at| at * 7 % ROWS as i32).collect()
}

fn words(indices: &[i32]) -> Vec<u8> {
    indices
        .iter()
        .flat_map(|index| index.to_le_bytes())
        .collect()
}

fn values() -> Vec<f32> {
    integers((ROWS * COLUMNS) as usize, 1)
}

fn expected(indices: &[i32]) -> Vec<f32> {
    let (values, width) = (values(), COLUMNS as usize);
    let row = |index: &i32| values[*index as usize * width..][..width].to_vec();
    indices.iter().flat_map(row).collect()
}

/// A card with indices, the table, and a result after them.
fn card(indices: Option<&[i32]>) -> Setup {
    let mut machine = Machine::new(Target::CARD);
    match indices {
        Some(indices) => machine.add_bytes(&words(indices)),
        None => machine.add_output(Bytes(4 * CHOSEN)),
    };
    let placed = Placed::f16(&[ROWS, COLUMNS]);
    let bytes = f16_bytes(&values());
    machine
        .add_input(&placed.host, &placed.device, &bytes)
        .unwrap();
    Setup::on(machine, &[], Placed::f16(&[CHOSEN, COLUMNS]))
}

fn with_pool(nodes: &[Node]) -> Files {
    let options = BundleOptions {
        pool_size: Bytes(1 << 16),
        ..BundleOptions::default()
    };
    Files::with(nodes, &options)
}

#[test]
fn rows_of_an_argument() {
    let actual = card(Some(&chosen())).run_clean(&Files::from_nodes(&from_argument()));
    assert_eq!(actual, expected(&chosen()));
}

/// Half of the sticks of each row at a time: the windows start where no row does.
#[test]
fn windows_of_the_table_in_a_loop() {
    let half = |rows: u64, arg: TensorArg| arg.advancing(expr(&format!("{}*half", 2 * rows * 64)));
    let op = gather(
        COLUMNS as i64 / 2,
        half(ROWS, table(Allocation::argument(1))),
        half(CHOSEN, matrix(CHOSEN, COLUMNS, Allocation::argument(2))),
    )
    .with_tiled_level(["half".into()])
    .with_trip_count("half", 2);
    let files = Files::from_nodes(&[LoopSpec::new(2, vec![op.into()]).into()]);
    let mut setup = card(Some(&chosen()));
    assert_eq!(setup.run_clean(&files), expected(&chosen()));
    // No row more than once in a turn, and the indices in each.
    let moved = ROWS * COLUMNS * 2 + 2 * CHOSEN * 4;
    assert_eq!(setup.machine.stats().hbm_read, Bytes(moved));
}

/// The extent of a table in the pool is the extent of the value written there.
#[test]
fn rows_of_a_value_in_the_pool() {
    let copy = OpSpec::pointwise("neg")
        .with_dim("c0", Expr::int(ROWS as i64), 8)
        .with_dim("c1", Expr::int(COLUMNS as i64), 1)
        .with_input(matrix(ROWS, COLUMNS, Allocation::argument(1)))
        .with_output(matrix(ROWS, COLUMNS, Allocation::pool(4096)));
    let result = matrix(CHOSEN, COLUMNS, Allocation::argument(2));
    let op = gather(COLUMNS as i64, table(Allocation::pool(4096)), result);
    let files = with_pool(&[copy.into(), op.into()]);
    let negative: Vec<f32> = expected(&chosen()).iter().map(|value| -value).collect();
    assert_eq!(card(Some(&chosen())).run_clean(&files), negative);
}

/// The table was never written.
#[test]
fn rows_of_nothing() {
    let result = matrix(CHOSEN, COLUMNS, Allocation::argument(1));
    let op = gather(COLUMNS as i64, table(Allocation::pool(0)), result);
    let mut machine = Machine::new(Target::CARD);
    machine.add_bytes(&words(&chosen()));
    let mut setup = Setup::on(machine, &[], Placed::f16(&[CHOSEN, COLUMNS]));
    setup.run(&with_pool(&[op.into()]).read().unwrap());
    let report = setup.machine.report().to_string();
    let text = "core 0, Tensor1 (input 1), the pool, byte 0: no operation has written the table that indices select from";
    assert!(report.contains(text), "{report}");
}

/// Indices in two dimensions, 2 by 32, of which the table has both.
#[test]
fn indices_of_two_dimensions() {
    let mut indices = tensor(
        DeviceFormat::IeeeInt32,
        &[1, 2, 32],
        &["floor(c1/32)", "c0", "Mod(c1, 32)"],
        Allocation::argument(0),
    );
    indices.name = Some("rows".into());
    let coordinates = ["floor(c2/64)", "IndirectAccess(rows)", "Mod(c2, 64)"];
    let size = [COLUMNS / 64, ROWS, 64];
    let table = tensor(
        DeviceFormat::Sen169Fp16,
        &size,
        &coordinates,
        Allocation::argument(1),
    );
    // Sentences are outermost.
    let coordinates = ["c0", "floor(c2/64)", "c1", "Mod(c2, 64)"];
    let result = tensor(
        DeviceFormat::Sen169Fp16,
        &[2, COLUMNS / 64, 32, 64],
        &coordinates,
        Allocation::argument(2),
    );
    let op = OpSpec::pointwise("identity")
        .with_dim("c0", Expr::int(2), 1)
        .with_dim("c1", Expr::int(32), 1)
        .with_dim("c2", Expr::int(COLUMNS as i64), 1)
        .with_input(indices)
        .with_input(table)
        .with_output(result);
    let files = Files::from_nodes(&[op.into()]);
    let mut setup = card(Some(&chosen()));
    setup.machine.run(&files.read().unwrap()).unwrap();
    assert!(
        setup.machine.report().is_clean(),
        "{}",
        setup.machine.report()
    );
    let (bytes, _) = setup.machine.bytes(setup.output).unwrap();
    let actual = f16_values(&bytes);
    let expected = expected(&chosen());
    for (at, value) in expected.iter().enumerate() {
        let (row, column) = (at / COLUMNS as usize, at % COLUMNS as usize);
        let device = ((row / 32 * 4 + column / 64) * 32 + row % 32) * 64 + column % 64;
        assert_eq!(actual[device], *value, "row {row}, column {column}");
    }
}

#[test]
fn indices_without_a_row() {
    let mut wrong = chosen();
    (wrong[3], wrong[40]) = (ROWS as i32, -1);
    let mut setup = card(Some(&wrong));
    setup.run(&Files::from_nodes(&from_argument()).read().unwrap());
    let report = setup.machine.report();
    let fault = &report.faults()[0];
    assert_eq!((fault.kind, fault.count), (FaultKind::Index, 2));
    let text = fault.to_string();
    let parts = [
        "identity (sdsc_0.json, bundle.mlir:",
        "core 0, Tensor0 (input 0), argument 0, byte 12, element [mb=3, out=0]: ",
        "index 40 is outside of Tensor1 (input 1), which has an extent of 40 there",
    ];
    assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    // Rows with a wrong index are not written.
    assert!(report.has(FaultKind::Incomplete));
    let mut last = chosen();
    last[0] = ROWS as i32 - 1;
    let actual = card(Some(&last)).run_clean(&Files::from_nodes(&from_argument()));
    assert_eq!(actual, expected(&last));
}

#[test]
fn indices_that_nobody_has_written() {
    let mut setup = card(None);
    setup.run(&Files::from_nodes(&from_argument()).read().unwrap());
    let fault = &setup.machine.report().faults()[0];
    assert_eq!(fault.kind, FaultKind::NeverWritten);
    let text = fault.to_string();
    assert!(
        text.contains("Tensor0 (input 0), argument 0, byte 0"),
        "{text}"
    );
}

/// A table that is no whole number of rows.
#[test]
fn tables_of_another_size() {
    let mut machine = Machine::new(Target::CARD);
    machine.add_bytes(&words(&chosen()));
    machine.add_bytes(&[0; 128 * 41]);
    let mut setup = Setup::on(machine, &[], Placed::f16(&[CHOSEN, COLUMNS]));
    setup.run(&Files::from_nodes(&from_argument()).read().unwrap());
    let report = setup.machine.report().to_string();
    let text = "the table that indices select from has 5248 bytes there, which is no multiple of the 512 bytes of a row";
    assert!(report.contains(text), "{report}");
}

#[test]
fn files_that_do_not_link_tensors() {
    type Change = fn(&mut serde_json::Value);
    let cases: [(Change, &str); 10] = [
        (
            |sdsc| {
                dsc(sdsc)["computeOp_"][0]["indirectAccessIndexLabeledDs"] = serde_json::json!([])
            },
            "scheduleTree_/0/indirectAllocType_: index_tensor, but computeOp_ names no indices",
        ),
        (
            |sdsc| dsc(sdsc)["scheduleTree_"][0]["indirectAllocType_"] = "no_indirection".into(),
            "scheduleTree_: there must be exactly one index_tensor",
        ),
        (
            |sdsc| dsc(sdsc)["scheduleTree_"][2]["indirectAllocType_"] = "value_tensor".into(),
            "scheduleTree_: there must be exactly one value_tensor",
        ),
        (
            |sdsc| dsc(sdsc)["scheduleTree_"][2]["indirectAllocType_"] = "both".into(),
            "scheduleTree_/2/indirectAllocType_: 'both' is no kind of access",
        ),
        (
            |sdsc| dsc(sdsc)["scheduleTree_"][1]["relatedIndirectAccessAlloc_"] = "other".into(),
            "scheduleTree_/1/relatedIndirectAccessAlloc_: 'other' is not the other end of the access, 'allocate-Tensor0_hbm'",
        ),
        (
            |sdsc| dsc(sdsc)["computeOp_"][0]["opFuncName"] = "neg".into(),
            "computeOp_/0: indirect access is simulated in an identity on 1 core only, not in neg on 1 cores",
        ),
        (
            |sdsc| dsc(sdsc)["labeledDs_"][0]["dataFormat_"] = "IEEE_FP32".into(),
            "labeledDs_/0/dataFormat_: indices of IEEE_FP32",
        ),
        (
            |sdsc| dsc(sdsc)["scheduleTree_"][1]["layoutDimOrder_"] = serde_json::json!(["out"]),
            "scheduleTree_/1/layoutDimOrder_: the dimensions of the indices are not there side by side",
        ),
        (
            |sdsc| {
                dsc(sdsc)["scheduleTree_"][1]["backGapCore_"] =
                    serde_json::json!({"mb": {"-1": "8"}})
            },
            "scheduleTree_/1/backGapCore_: a gathered dimension must have no gap",
        ),
        (
            |sdsc| {
                let compute = &mut dsc(sdsc)["computeOp_"][0];
                let output = compute["outputLabeledDs"][0].clone();
                compute["outputLabeledDs"][0] = compute["inputLabeledDs"][0].clone();
                compute["inputLabeledDs"]
                    .as_array_mut()
                    .unwrap()
                    .push(output);
            },
            "computeOp_/0/outputLabeledDs: indirect access in place is not simulated",
        ),
    ];
    for (change, message) in cases {
        let files = Files::from_nodes(&from_argument()).change("sdsc_0.json", change);
        let error = files.read().unwrap_err().to_string();
        assert!(error.contains(message), "{error}\nand not\n{message}");
    }
}

/// Rows to places that indices give.
#[test]
fn scatters_are_refused() {
    let rows = matrix(CHOSEN, COLUMNS, Allocation::argument(1));
    let files =
        Files::from_nodes(&[gather(COLUMNS as i64, rows, table(Allocation::argument(2))).into()]);
    let error = files.read().unwrap_err().to_string();
    let text = "scheduleTree_/2/indirectAllocType_: scatters are not simulated";
    assert!(error.contains(text), "{error}");
}
