//! Unrolling, and addresses as numbers (specification, sections 5, 7.1 and 7.2).

mod common;

use common::run::{Execution, run};
use common::*;
use proptest::prelude::*;
use spyre_sdsc::bundle::{ParamBinding, PoolSource};
use spyre_sdsc::codegen::PlanOptions;
use spyre_sdsc::revision::Revision;
use spyre_sdsc::{
    AddressMode, Allocation, Bundle, BundleOptions, Bytes, Expr, LoopSpec, MAX_UNROLLED, Node,
    OpSpec, unroll,
};

const SEGMENT: u64 = 16 << 30;

/// Every kernel argument at the start of its segment, after that of the pool.
fn at_segments(binding: &ParamBinding) -> u64 {
    match binding {
        ParamBinding::Pool => 0,
        ParamBinding::Kernel(arg) => (u64::from(arg.get()) + 1) * SEGMENT,
        other => panic!("{other:?}"),
    }
}

fn starts(executed: Vec<Execution>) -> Vec<Vec<Vec<u64>>> {
    executed
        .into_iter()
        .map(|execution| execution.starts)
        .collect()
}

/// Tiles of `[rows, columns]` in `row_tiles` by `column_tiles` iterations: `add` of an argument and the pool into the
/// scratchpad, then `mul` into another argument, then an operation in the outer loop only.
fn tiles(rows: u64, sticks: u64, row_tiles: u64, column_tiles: u64, slices: u64) -> Vec<Node> {
    let (all_rows, all_sticks) = (rows * row_tiles, sticks * column_tiles);
    let step = format!("{}*r + {}*c", rows * 64, sticks * all_rows * 64);
    let outer_step = format!("{}*r", rows * 64);
    let whole = |place| matrix(all_rows, all_sticks * 64, place);
    let moving = |place, step: &str| whole(place).advancing(parse(step));
    let tile = || matrix(rows, sticks * 64, Allocation::lx(0));
    let op = |name: &str, columns: u64| {
        OpSpec::pointwise(name)
            .with_dim("c0", Expr::int(rows as i64), slices)
            .with_dim("c1", Expr::int(columns as i64), 1)
    };
    let add = op("add", sticks * 64)
        .with_input(moving(Allocation::argument(0), &step))
        .with_input(moving(Allocation::pool(512), &step))
        .with_output(tile())
        .with_tiled_level(["c".into()])
        .with_tiled_level(["r".into()]);
    let mul = op("mul", sticks * 64)
        .with_input(tile())
        .with_input(moving(Allocation::argument(1), &step))
        .with_output(moving(Allocation::argument(2), &step))
        .with_tiled_level(["c".into()])
        .with_tiled_level(["r".into()]);
    let neg = op("neg", all_sticks * 64)
        .with_input(moving(Allocation::argument(2), &outer_step))
        .with_output(moving(Allocation::argument(3), &outer_step))
        .with_tiled_level(["r".into()]);
    let inner = LoopSpec::new(column_tiles as i64, vec![add.into(), mul.into()]);
    let outer = LoopSpec::new(row_tiles as i64, vec![inner.into(), neg.into()]);
    vec![outer.into()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Loops kept, unrolled with symbols, and unrolled with numbers: every core finds every tensor at the same place.
    #[test]
    fn all_forms_visit_the_same_addresses(
        rows in 1_u64..3, sticks in 1_u64..4, row_tiles in 1_u64..4, column_tiles in 1_u64..4, slices in 1_u64..4,
    ) {
        let nodes = tiles(rows * slices, sticks, row_tiles, column_tiles, slices);
        let fail = |error: spyre_sdsc::Error| TestCaseError::fail(error.to_string());
        let symbolic = BundleOptions { pool: PoolSource::Caller, ..BundleOptions::default() };
        let kept = compile_bundle(&nodes, &symbolic).map_err(fail)?;
        let kept = starts(run(&kept, at_segments));
        prop_assert_eq!(kept.len() as u64, row_tiles * (2 * column_tiles + 1));

        let flat = unroll(&nodes, &PlanOptions::default()).map_err(fail)?;
        prop_assert!(flat.iter().all(|node| matches!(node, Node::Op(_))));
        let unrolled = compile_bundle(&flat, &symbolic).map_err(fail)?;
        prop_assert_eq!(&starts(run(&unrolled, at_segments)), &kept);

        let numbers = compile_bundle(&nodes, &BundleOptions::first_revision()).map_err(fail)?;
        prop_assert!(numbers.function().params.is_empty());
        prop_assert_eq!(&starts(run(&numbers, at_segments)), &kept);
    }
}

#[test]
fn numbers_of_a_tile() {
    // 2 by 4 tiles of 512 rows and 16 sticks, on one core.
    let nodes = tiles(512, 16, 2, 4, 1);
    let bundle = compile_bundle(&nodes, &BundleOptions::first_revision())
        .unwrap_or_else(|error| panic!("{error}"));
    let executed = run(&bundle, at_segments);
    // The second row of tiles begins after 4 * 2 + 1 operations; its tile 3 is 3 * 16 sticks of 1024 rows on.
    let starts = &executed[9 + 6].starts;
    let distance = (3 * 16 * 1024 * 64 + 512 * 64) * 2;
    assert_eq!(
        starts,
        &[vec![SEGMENT + distance], vec![512 + distance], vec![0]]
    );
    let text = bundle.mlir_text();
    assert!(!text.contains("affine") && !text.contains("symbol_ids") && !text.contains("scf.for"));
    assert!(text.contains("\t\tsdscbundle.sdsc_execute () {sdsc_filename=\"sdsc_15.json\"}\n"));
}

fn concrete_error(nodes: &[Node]) -> String {
    compile_error(nodes, &BundleOptions::first_revision())
}

#[test]
fn what_cannot_be_unrolled() {
    let body = || vec![tiled_exp(64, "4096*t").into()];
    let runtime = LoopSpec::over_runtime_size("s0", 64, bounds(512, 64), source(1), body());
    assert_eq!(
        concrete_error(&[runtime.into()]),
        "loop count `floor(s0/64)` is not a fixed number, so the loop cannot be unrolled"
    );
    let long = |count| Node::from(LoopSpec::new(count, body()));
    let limit = format!("the loops unroll to more than {MAX_UNROLLED} operations");
    assert_eq!(concrete_error(&[long(i64::MAX)]), limit);
    assert_eq!(concrete_error(&[long(1 << 20), long(1)]), limit);
    // No node to copy, however often.
    let nothing = LoopSpec::new(i64::MAX, vec![Node::Unimplemented { op: "x".into() }]);
    let empty = LoopSpec::new(
        i64::MAX,
        vec![LoopSpec::new(0, vec![add(64, 128, 1).into()]).into()],
    );
    let options = PlanOptions::default();
    assert_eq!(unroll(&[empty.into()], &options), Ok(vec![]));
    assert!(unroll(&[nothing.into()], &options).is_err_and(|e| e.to_string() == limit));
    // A step that leaves 63 bits in the second iteration.
    let mut far = tiled_exp(64, "4096*t");
    far.args[0].allocation = Allocation::Hbm {
        arg: spyre_sdsc::ArgIndex::new(0),
        offset: Bytes(u64::MAX - 4096),
    };
    let message = concrete_error(&[LoopSpec::new(2, vec![far.into()]).into()]);
    assert!(message.contains("does not fit 63 bits"), "{message}");
}

#[test]
fn what_has_no_number() {
    let mut op = add(64, 128, 1);
    op.args[2].allocation = Allocation::argument(7);
    assert_eq!(
        concrete_error(&[op.clone().into()]),
        "op 'add' (number 0): operand 2 is in segment 7, and there are 7: each kernel argument takes one, constants among \
         them, and so does the pool; symbolic addresses need none"
    );
    // The pool takes a separate segment.
    op.args[2].allocation = Allocation::argument(6);
    let numbered = |op: OpSpec| compile_bundle(&[op.into()], &BundleOptions::first_revision());
    assert!(numbered(op.clone()).is_ok());
    op.args[0].allocation = Allocation::pool(0);
    assert!(concrete_error(&[op.into()]).contains("is in segment 7, and there are 7"));

    // 64 rows on 2 cores: the second starts 4096 bytes on.
    let mut op = add(64, 128, 2);
    let at = |offset| Allocation::Hbm {
        arg: spyre_sdsc::ArgIndex::new(0),
        offset: Bytes(offset),
    };
    op.args[0].allocation = at(SEGMENT - 64 * 128 * 2);
    assert!(numbered(op.clone()).is_ok());
    // The second core's part starts in the segment and ends a stick after it.
    op.args[0].allocation = at(SEGMENT - 64 * 128 * 2 + 128);
    let message = concrete_error(&[op.clone().into()]);
    assert!(
        message.contains("operand 0 reaches byte 17179869311 of a segment of"),
        "{message}"
    );
    op.args[0].allocation = at(SEGMENT - 4096);
    let message = concrete_error(&[op.into()]);
    assert!(
        message.contains("operand 0 reaches byte 17179869184 of a segment of"),
        "{message}"
    );

    let runtime = |slices| {
        let mut op = add(64, 128, slices).with_runtime_size("s0", bounds(64, 2));
        op.iteration_space[0].extent = Expr::symbol("s0");
        op
    };
    let message = concrete_error(&[runtime(2).into()]);
    assert!(
        message.contains("split over cores along a runtime size"),
        "{message}"
    );
    assert_eq!(
        concrete_error(&[runtime(1).into()]),
        "op 'add' (number 0): not supported: runtime size s0 of mb in a file with addresses as numbers, which has no \
         symbols"
    );
}

#[test]
fn later_revisions_have_no_numbers() {
    let options = BundleOptions {
        addresses: AddressMode::Concrete,
        ..BundleOptions::default()
    };
    assert_eq!(options.plan.revision, Revision::V1);
    assert_eq!(
        compile_error(&[add(64, 128, 1).into()], &options),
        "files of revision 1.0.0 do not have Concrete addresses"
    );
}

/// The one file of a bundle, as JSON.
fn file(bundle: &Bundle) -> serde_json::Value {
    let sdsc = bundle.sdsc_files()[0].sdsc();
    let json = serde_json::to_value(sdsc).unwrap_or_else(|error| panic!("{error}"));
    json.as_object()
        .and_then(|root| root.values().next())
        .cloned()
        .unwrap_or_default()
}

#[test]
fn files_of_the_first_revision() {
    let compile = |op: OpSpec, options: &BundleOptions| {
        let bundle =
            compile_bundle(&[op.into()], options).unwrap_or_else(|error| panic!("{error}"));
        file(&bundle)
    };
    let both = |op: OpSpec| {
        (
            compile(op.clone(), &BundleOptions::first_revision()),
            compile(op, &BundleOptions::default()),
        )
    };
    // Padding of `exp`: 40 of 64 columns. The first revision did not mask it.
    let unaligned = |place| matrix(64, 40, place);
    let exp = OpSpec::pointwise("exp")
        .with_dim("c0", Expr::int(64), 2)
        .with_dim("c1", Expr::int(40), 1)
        .with_input(unaligned(Allocation::argument(0)))
        .with_output(unaligned(Allocation::argument(1)));
    let (first, published) = both(exp);
    assert!(first.get("debug_handle_").is_none() && published["debug_handle_"].is_null());
    let (first, published) = (&first["dscs_"][0]["exp"], &published["dscs_"][0]["exp"]);
    assert_eq!(first["coordinateMasking_"], serde_json::json!({}));
    assert_eq!(
        published["coordinateMasking_"],
        serde_json::json!({"out": [[40, 24]]})
    );
    let stage = |dsc: &serde_json::Value| dsc["dataStageParam_"]["0"]["ss_"].clone();
    assert!(stage(first).get("symbolicDimInfo_").is_none());
    assert!(stage(published).get("symbolicDimInfo_").is_some());
    let node = |dsc: &serde_json::Value| dsc["scheduleTree_"][1].clone();
    assert!(node(first).get("isStartAddrSymbolic_").is_none());
    // The second core has the last 32 rows of 64 elements of 2 bytes, of argument 1 in segment 1.
    assert_eq!(
        node(first)["startAddressCoreCorelet_"]["data_"],
        serde_json::json!({"[0, 0, 0]": "17179869184", "[1, 0, 0]": "17179873280"})
    );
    assert_eq!(
        node(published)["startAddressCoreCorelet_"]["data_"]["[1, 0, 0]"],
        "-4"
    );
}

#[test]
fn cores_of_a_contraction_in_the_first_revision() {
    // A matrix times a vector has two dimensions, of which the contracted one is split.
    let op = OpSpec::reduction("batchmatmul")
        .with_dim("c0", Expr::int(128), 2)
        .with_dim("c1", Expr::int(256), 2)
        .with_input(tensor(
            0,
            &[1, 4, 64],
            &["0", "floor(c1/64)", "Mod(c1, 64)"],
        ))
        .with_input(tensor(
            1,
            &[2, 256, 64],
            &["floor(c0/64)", "c1", "Mod(c0, 64)"],
        ))
        .with_output(tensor(
            2,
            &[1, 2, 64],
            &["0", "floor(c0/64)", "Mod(c0, 64)"],
        ));
    let order = |revision| {
        let options = PlanOptions {
            revision,
            ..PlanOptions::default()
        };
        let loops = spyre_sdsc::codegen::EnclosingLoops::Known(0);
        let planned = spyre_sdsc::codegen::plan(&op, 0, loops, &options);
        let planned = planned.unwrap_or_else(|error| panic!("{error}"));
        planned.core_mapping.order().to_vec()
    };
    assert_eq!(order(Revision::R3), [1, 0]);
    assert_eq!(order(Revision::R1), [0, 1]);
}

/// The plan or the message of the error of one operation, by the rules of a revision.
fn planned(op: &OpSpec, revision: Revision) -> Result<spyre_sdsc::codegen::Descriptor, String> {
    let options = PlanOptions {
        revision,
        ..PlanOptions::default()
    };
    let loops = spyre_sdsc::codegen::EnclosingLoops::Known(0);
    spyre_sdsc::codegen::plan(op, 0, loops, &options).map_err(|error| error.to_string())
}

#[test]
fn other_rules_of_the_first_revision() -> Result<(), String> {
    // A top-k over the stick, with an output without a separate dimension.
    let topk = OpSpec::reduction("topkvalue")
        .with_dim("c0", Expr::int(64), 1)
        .with_dim("c1", Expr::int(256), 1)
        .with_input(matrix(64, 256, Allocation::argument(0)))
        .with_output(matrix(64, 256, Allocation::argument(1)));
    assert_eq!(planned(&topk, Revision::R3)?.dims.len(), 3);
    assert_eq!(planned(&topk, Revision::R1)?.dims.len(), 2);

    // A column of one device dimension less.
    let mut short = add(64, 128, 1);
    short.args[1] = tensor(1, &[2, 64], &["floor(c1/64)", "Mod(c1, 64)"]);
    assert!(planned(&short, Revision::R3).is_ok());
    assert_eq!(
        planned(&short, Revision::R1).map(|_| ()),
        Err("op 'add' (number 0): not supported: operand 1 has 2 device dimensions, too few for mb at place 1".into())
    );

    // Rows go to places that an index gives, in an order of dimensions other than the layout's.
    let mut indices = tensor(0, &[2, 32], &["floor(c0/32)", "Mod(c0, 32)"]);
    indices.format = spyre_sdsc::DeviceFormat::IeeeInt32;
    indices.name = Some("rows".into());
    let scatter = OpSpec::pointwise("identity")
        .with_dim("c0", Expr::int(64), 1)
        .with_dim("c1", Expr::int(8), 1)
        .with_dim("c2", Expr::int(64), 1)
        .with_input(indices)
        .with_input(tensor(
            1,
            &[1, 64, 8, 64],
            &["floor(c2/64)", "c0", "c1", "Mod(c2, 64)"],
        ))
        .with_output(tensor(
            2,
            &[1, 8, 1000, 64],
            &["floor(c2/64)", "c1", "IndirectAccess(rows)", "Mod(c2, 64)"],
        ));
    let sizes = |options: &BundleOptions| {
        let bundle =
            compile_bundle(&[scatter.clone().into()], options).map_err(|e| e.to_string())?;
        let node = file(&bundle)["dscs_"][0]["identity"]["scheduleTree_"][2].clone();
        Ok::<_, String>((
            node["layoutDimOrder_"].clone(),
            node["maxDimSizes_"].clone(),
        ))
    };
    let order = serde_json::json!(["mb", "x", "out"]);
    let third = sizes(&BundleOptions::default())?;
    assert_eq!(third, (order.clone(), serde_json::json!([1, -1, -1])));
    let first = sizes(&BundleOptions::first_revision())?;
    assert_eq!(first, (order, serde_json::json!([-1, 1, -1])));
    Ok(())
}
