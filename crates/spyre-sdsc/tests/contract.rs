//! Rules of the published contract: each is broken by one operation, alone.

mod common;

use common::{compile_bundle, matrix, tensor};
use serde_json::json;
use spyre_sdsc::validate::contract::{Rule, RuleSet};
use spyre_sdsc::validate::{Status, Unlisted};
use spyre_sdsc::{
    Allocation, BundleOptions, DeviceFormat, Error, Expr, LoopSpec, Node, OpSpec, Revision,
};

/// Checks that a tree breaks one rule and no other, that the message has `part`, and that the rule can be waived and is
/// not in the revision before.
#[track_caller]
fn breaks(nodes: &[Node], rule: Rule, part: &str) {
    let mut options = BundleOptions::default();
    match compile_bundle(nodes, &options) {
        Err(Error::Contract(finding)) => {
            let message = finding.to_string();
            assert_eq!(finding.rule, rule, "{message}");
            assert!(message.contains(part), "{message}");
        }
        other => panic!("{:?}", other.map(|bundle| bundle.mlir_text())),
    }
    options.plan.waived = RuleSet::NONE.with(rule);
    let bundle = compile_bundle(nodes, &options).unwrap_or_else(|error| panic!("{error}"));
    assert!(bundle.findings().iter().all(|finding| finding.rule == rule));
    assert!(!bundle.findings().is_empty());

    let before = BundleOptions::of_revision(Revision::R3);
    let bundle = compile_bundle(nodes, &before).unwrap_or_else(|error| panic!("{error}"));
    assert!(bundle.findings().is_empty());
}

/// A reduction of 64 rows of `columns` elements over the stick.
fn reduction(op: &str, columns: i64, format: DeviceFormat) -> OpSpec {
    let per_stick = format.elements_per_stick().get() as i64;
    let mut input = tensor(
        0,
        &[
            (columns as u64).div_ceil(per_stick as u64),
            64,
            per_stick as u64,
        ],
        &["0", "c0", "0"],
    );
    input.device_coordinates[0] = Expr::symbol("c1").floor_div(per_stick);
    input.device_coordinates[2] = Expr::symbol("c1").modulo(per_stick);
    input.format = format;
    let mut output = tensor(1, &[1, 64, per_stick as u64], &["0", "c0", "0"]);
    output.format = format;
    OpSpec::reduction(op)
        .with_dim("c0", Expr::int(64), 4)
        .with_dim("c1", Expr::int(columns), 1)
        .with_input(input)
        .with_output(output)
}

const DL16: DeviceFormat = DeviceFormat::Sen169Fp16;
const FP32: DeviceFormat = DeviceFormat::IeeeFp32;

#[test]
fn a_product_over_padding_has_no_mask_value() {
    breaks(
        &[reduction("prod", 100, DL16).into()],
        Rule::MaskValue,
        "op 'prod' (number 0): 28 of 128 elements along out are padding, and there is no number that masked elements of \
         `prod` read as",
    );
    common::compile(&[reduction("prod", 128, DL16).into()]);
}

#[test]
fn wide_elements_are_not_masked() {
    breaks(
        &[reduction("sum", 40, FP32).into()],
        Rule::MaskWidth,
        "the last 24 of 64 elements along out are padding, and elements of 32 bits (IEEE_FP32) cannot be masked",
    );
    common::compile(&[reduction("sum", 64, FP32).into()]);
    common::compile(&[reduction("sum", 40, DL16).into()]);
}

#[test]
fn masks_of_other_operations_are_none() {
    // Only the exponential of a padded element is masked, and only in rows of one stick.
    for (op, columns, masks) in [
        ("exp", 40, 1),
        ("exp", 100, 0),
        ("tanh", 40, 0),
        ("neg", 40, 0),
    ] {
        let op = OpSpec::pointwise(op)
            .with_dim("c0", Expr::int(64), 4)
            .with_dim("c1", Expr::int(columns), 1)
            .with_input(matrix(64, columns as u64, Allocation::argument(0)))
            .with_output(matrix(64, columns as u64, Allocation::argument(1)));
        let planned = common::plan_op(&op);
        assert_eq!(planned.masks.len(), masks, "{} of {columns}", op.op);
    }
}

/// The factors of the fold `label` of every operand along `dim`, by the rules of a revision.
fn factors(op: &OpSpec, revision: Revision, dim: &str, label: &str) -> Vec<u64> {
    let options = BundleOptions::of_revision(revision);
    let bundle = compile_bundle(&[op.clone().into()], &options);
    let bundle = bundle.unwrap_or_else(|error| panic!("{error}"));
    let sdsc = bundle.sdsc_files()[0].sdsc();
    let dscs = sdsc.root.iter().flat_map(|(_, body)| &body.dscs);
    let nodes = dscs.flat_map(|dsc| dsc.iter().flat_map(|(_, dsc)| &dsc.schedule_tree));
    let folds = nodes.filter_map(|node| node.coordinates.coord_info.get(dim));
    let attrs = folds.flat_map(|info| &info.folds.dim_prop_attr);
    attrs
        .filter(|attr| attr.label == label)
        .map(|attr| attr.factor)
        .collect()
}

#[test]
fn a_stick_that_is_begun_is_counted() {
    // One row of 128 elements is added to each row: along the stick of the column, one element of 64.
    let op = OpSpec::pointwise("add")
        .with_dim("c0", Expr::int(64), 1)
        .with_dim("c1", Expr::int(128), 1)
        .with_input(matrix(64, 128, Allocation::argument(0)))
        .with_input(tensor(1, &[1, 64, 64], &["0", "c0", "0"]))
        .with_output(matrix(64, 128, Allocation::argument(2)));
    assert_eq!(factors(&op, Revision::V1, "out", "elem_arr_1"), [2, 1, 2]);
    assert_eq!(factors(&op, Revision::R3, "out", "elem_arr_1"), [2, 1, 2]);
    // 20 indices begin a stick of 32.
    let gather = gather(20, Allocation::argument(1));
    assert_eq!(factors(&gather, Revision::V1, "mb", "elem_arr_1"), [1]);
    assert_eq!(factors(&gather, Revision::R3, "mb", "elem_arr_1"), [0]);
}

/// A gather of `count` of 1000 rows of 128 elements.
fn gather(count: i64, table: Allocation) -> OpSpec {
    let mut indices = tensor(
        0,
        &[(count as u64).div_ceil(32), 32],
        &["floor(c0/32)", "Mod(c0, 32)"],
    );
    indices.format = DeviceFormat::IeeeInt32;
    indices.name = Some("rows".into());
    let coordinates = ["floor(c1/64)", "IndirectAccess(rows)", "Mod(c1, 64)"];
    let mut value = tensor(1, &[2, 1000, 64], &coordinates);
    value.allocation = table;
    OpSpec::pointwise("identity")
        .with_dim("c0", Expr::int(count), 1)
        .with_dim("c1", Expr::int(128), 1)
        .with_input(indices)
        .with_input(value)
        .with_output(matrix(count as u64, 128, Allocation::argument(2)))
}

#[test]
fn an_operation_over_nothing_is_refused() {
    let empty = OpSpec::pointwise("neg")
        .with_dim("c0", Expr::int(0), 1)
        .with_dim("c1", Expr::int(128), 1)
        .with_input(matrix(64, 128, Allocation::argument(0)))
        .with_output(matrix(64, 128, Allocation::argument(1)));
    breaks(
        &[empty.into()],
        Rule::FoldFactor,
        "op 'neg' (number 0): runs over 0 elements along mb",
    );
}

/// The one file of an operation, as JSON under its name.
fn file(op: OpSpec, revision: Revision) -> serde_json::Value {
    let bundle = compile_bundle(&[op.into()], &BundleOptions::of_revision(revision));
    let bundle = bundle.unwrap_or_else(|error| panic!("{error}"));
    let json = serde_json::to_value(bundle.sdsc_files()[0].sdsc());
    let json = json.unwrap_or_else(|error| panic!("{error}"));
    let root = json.as_object().and_then(|root| root.values().next());
    root.cloned().unwrap_or_else(|| panic!("no root: {json}"))
}

#[test]
fn provenance_has_every_field() {
    let written =
        json!({"id": 27, "source": {"file": "model.py", "start_line": 4}, "ir_chain": ["add"]});
    let mut op = common::add(64, 128, 1);
    op.debug_handle = serde_json::from_value(written.clone()).ok();
    assert_eq!(file(op.clone(), Revision::R3)["debug_handle_"], written);
    assert_eq!(
        file(op.clone(), Revision::V1)["debug_handle_"],
        json!({
            "id": "27",
            "source": {"file": "model.py", "start_line": 4, "start_col": 0, "end_line": null, "end_col": null},
            "aten_op": null, "ir_chain": ["add"], "fused_from": [], "transform_history": []
        })
    );
    op.debug_handle = serde_json::from_value(json!({"id": 27, "line": 4})).ok();
    assert!(
        common::compile_error(&[op.into()], &BundleOptions::default())
            .starts_with("op 'add' (number 0): debug_handle: unknown field `line`")
    );
}

#[test]
fn the_constant_of_exx2_has_the_name_of_the_contract() {
    for given in ["exx2scale", "exx2Scale"] {
        let op = reduction("exx2", 128, DL16)
            .with_constant(given, 0.0078125)
            .with_constant("useZeroMean", 0.0);
        for (revision, name) in [(Revision::V1, "exx2scale"), (Revision::R3, "exx2Scale")] {
            let root = file(op.clone(), revision);
            let constants = &root["dscs_"][0]["exx2"]["constantInfo_"];
            assert_eq!(constants["0"]["name_"], name, "{given}");
            assert_eq!(constants["1"]["name_"], "useZeroMean");
        }
    }
}

#[test]
fn a_masked_dimension_is_not_divided() {
    let mut op = reduction("sum", 120, DL16);
    op.iteration_space[1].slices = 2;
    breaks(
        &[op.into()],
        Rule::MaskDivision,
        "the last 8 of 128 elements along out are masked, and cores divide it into 2 slices",
    );
}

/// A product of `[2, 3, 4]` batches, or of fewer, of 64 by 64 matrices.
fn product(batches: &[u64]) -> OpSpec {
    let names: Vec<String> = (0..batches.len()).map(|i| format!("b{i}")).collect();
    let operand = |index, row: &str, column: &str| {
        let (outer, inner) = (format!("floor({column}/64)"), format!("Mod({column}, 64)"));
        let dim_names = [outer.as_str(), row, inner.as_str()];
        let coordinates: Vec<&str> = names.iter().map(String::as_str).chain(dim_names).collect();
        let size: Vec<u64> = batches.iter().copied().chain([1, 64, 64]).collect();
        tensor(index, &size, &coordinates)
    };
    let mut op = OpSpec::reduction("batchmatmul");
    for (name, extent) in names.iter().zip(batches) {
        op = op.with_dim(name.as_str(), Expr::int(*extent as i64), 1);
    }
    op.with_dim("m", Expr::int(64), 1)
        .with_dim("n", Expr::int(64), 1)
        .with_dim("k", Expr::int(64), 1)
        .with_input(operand(0, "m", "k"))
        .with_input(operand(1, "k", "n"))
        .with_output(operand(2, "m", "n"))
}

#[test]
fn a_product_has_few_dimensions_of_each_role() {
    common::compile(&[product(&[]).into()]);
    common::compile(&[product(&[2, 3]).into()]);
    breaks(
        &[product(&[2, 3, 4]).into()],
        Rule::ProductRoles,
        "the product has 3 dimensions (kj, y, x) that all tensors have, at most 2 are possible",
    );
    // The first batch is that of the left operand only.
    let mut op = product(&[1]);
    op.args[1].device_coordinates[0] = Expr::int(0);
    op.args[2].device_coordinates[0] = Expr::int(0);
    breaks(
        &[op.into()],
        Rule::ProductRoles,
        "only one tensor of the product has x",
    );
    // Two dimensions of the second operand.
    let mut op = product(&[2]);
    op.args[0].device_coordinates[0] = Expr::int(0);
    op.args[0].device_size[0] = 1;
    breaks(
        &[op.into()],
        Rule::ProductRoles,
        "the product has 2 dimensions (x, out) that only the second input and the output have, exactly 1 is possible",
    );
}

/// The `count` largest of 64 rows of 128 columns along the stick, over some slices of the results and of the searched
/// dimension.
fn search(op: &str, count: i64, slices: [u64; 2]) -> OpSpec {
    OpSpec::reduction(op)
        .with_dim("c0", Expr::int(count), slices[0])
        .with_dim("c1", Expr::int(128), 1)
        .with_dim("c2", Expr::int(64), slices[1])
        .with_input(tensor(
            0,
            &[2, 64, 64],
            &["floor(c1/64)", "c2", "Mod(c1, 64)"],
        ))
        .with_output(tensor(
            1,
            &[2, count as u64, 64],
            &["floor(c1/64)", "c0", "Mod(c1, 64)"],
        ))
}

#[test]
fn a_search_is_off_the_stick_and_small() {
    for op in ["topkvalue", "topkindex"] {
        common::compile(&[search(op, 4, [1, 1]).into()]);
        common::compile(&[search(op, 12, [3, 1]).into()]);
    }
    let rows = OpSpec::reduction("topkvalue")
        .with_dim("c0", Expr::int(64), 1)
        .with_dim("c1", Expr::int(128), 1)
        .with_input(matrix(64, 128, Allocation::argument(0)))
        .with_output(tensor(1, &[1, 64, 64], &["0", "c0", "0"]));
    // The result has one element of a stick as well, so two rules are broken.
    let mut options = BundleOptions::default();
    options.plan.waived = RuleSet::NONE.with(Rule::WholeSticks);
    let message = common::compile_error(&[rows.clone().into()], &options);
    assert!(
        message.contains("searches out, which is along the stick of its input"),
        "{message}"
    );
    options.plan.waived = RuleSet::all();
    let bundle = compile_bundle(&[rows.into()], &options);
    let findings = bundle.map(|bundle| bundle.findings().iter().map(|f| f.rule).collect());
    assert_eq!(findings, Ok(vec![Rule::SearchStick, Rule::WholeSticks]));
    let mut index = search("topkindex", 4, [1, 1]);
    index.args[1].format = DeviceFormat::IeeeInt32;
    index.args[1].device_size = vec![4, 4, 32];
    index.args[1].device_coordinates[0] = Expr::symbol("c1").floor_div(32);
    index.args[1].device_coordinates[2] = Expr::symbol("c1").modulo(32);
    breaks(
        &[index.into()],
        Rule::SearchFormat,
        "reads SEN169_FP16 and leaves IEEE_INT32",
    );
    breaks(
        &[search("topkvalue", 130, [2, 1]).into()],
        Rule::SearchSize,
        "finds 130 elements, at most 128 are possible",
    );
    breaks(
        &[search("topkvalue", 12, [1, 1]).into()],
        Rule::SearchSize,
        "a core finds 12 of 12 elements along mb, at most 4 are possible; divide it into 3 slices",
    );
    breaks(
        &[search("topkvalue", 4, [1, 2]).into()],
        Rule::WholeDimension,
        "cores divide out, which is searched, into 2 slices",
    );
}

#[test]
fn a_core_has_whole_sticks_of_the_narrowest_elements() {
    // One element per stick: the wider format has 32 in a stick, and so has the operation.
    let mut output = tensor(1, &[64, 32], &["c0", "0"]);
    output.format = FP32;
    let cast = OpSpec::pointwise("dl16tofp32")
        .with_dim("c0", Expr::int(64), 1)
        .with_input(tensor(0, &[64, 64], &["c0", "0"]))
        .with_output(output);
    breaks(
        &[cast.into()],
        Rule::WholeSticks,
        "a core has 32 elements along x, which are not whole sticks of 64 as operand 0 has them",
    );
}

#[test]
fn a_core_addresses_a_limited_span() {
    let rows = |count: u64, slices| {
        OpSpec::pointwise("neg")
            .with_dim("c0", Expr::int(count as i64), slices)
            .with_dim("c1", Expr::int(64), 1)
            .with_input(matrix(count, 64, Allocation::argument(0)))
            .with_output(matrix(count, 64, Allocation::argument(1)))
    };
    // 268431360 bytes are 2097120 sticks.
    common::compile(&[rows(2_097_120, 1).into()]);
    common::compile(&[rows(4_194_240, 2).into()]);
    breaks(
        &[rows(2_097_121, 1).into()],
        Rule::Span,
        "a core spans 268431488 bytes of operand 0, at most 268431360 are possible",
    );
    // Rows of a table may be anywhere.
    let mut wide = gather(32, Allocation::argument(1));
    wide.args[1].device_size[1] = 2_097_121;
    breaks(
        &[wide.into()],
        Rule::Span,
        "bytes of operand 1, at most 268431360",
    );
}

#[test]
fn cores_divide_one_reduced_dimension() {
    let op = OpSpec::reduction("sum")
        .with_dim("c0", Expr::int(64), 1)
        .with_dim("c1", Expr::int(4), 2)
        .with_dim("c2", Expr::int(4), 2)
        .with_input(tensor(
            0,
            &[1, 4, 4, 64],
            &["floor(c0/64)", "c1", "c2", "Mod(c0, 64)"],
        ))
        .with_output(tensor(
            1,
            &[1, 1, 1, 64],
            &["floor(c0/64)", "0", "0", "Mod(c0, 64)"],
        ));
    breaks(
        &[op.into()],
        Rule::OneReduction,
        "cores divide several reduced dimensions, x into 2 slices and out into 2 slices, of which only one can be",
    );
}

#[test]
fn a_loop_has_trips_of_16_bits() {
    let looped = |trips| {
        let op = common::add(64, 128, 1).with_tiled_level([]);
        Node::from(LoopSpec::new(trips, vec![op.into()]))
    };
    common::compile(&[looped(65_535)]);
    breaks(
        &[looped(65_536)],
        Rule::LoopTrips,
        "op 'add' (number 0): loop 0 around it has 65536 trips, at most 65535 are possible",
    );
}

#[test]
fn indirect_accesses_are_in_device_memory_and_by_whole_sticks() {
    common::compile(&[gather(64, Allocation::argument(1)).into()]);
    breaks(
        &[gather(64, Allocation::lx(0)).into()],
        Rule::IndirectPlace,
        "operand 1 of an indirect access is in LX",
    );
    breaks(
        &[gather(40, Allocation::argument(1)).into()],
        Rule::IndexSticks,
        "a core has 40 indices along mb, the stick of operand 0, which are neither whole sticks of 32 nor less than one; \
         give it 64 indices",
    );
    let mut tile = gather(16, Allocation::argument(1)).with_tiled_level(["t".into()]);
    tile.args[0].advance = Some(Expr::int(16) * Expr::symbol("t"));
    breaks(
        &[LoopSpec::new(2, vec![tile.into()]).into()],
        Rule::IndexSteps,
        "the indices of operand 0 advance by 64 bytes per trip of loop 0",
    );
}

#[test]
fn a_part_that_is_a_tensor_of_its_own_is_contiguous() {
    // Two stick columns of 64 rows: divided by columns, a part is one of them.
    let divided = |rows, columns| {
        let mut op = OpSpec::pointwise("neg")
            .with_dim("c0", Expr::int(64), rows)
            .with_dim("c1", Expr::int(128), columns)
            .with_input(matrix(64, 128, Allocation::argument(0)))
            .with_output(matrix(64, 128, Allocation::argument(1)));
        op.args[0].separate_parts = true;
        op
    };
    let root = file(divided(1, 2), Revision::V1);
    let node = |i: usize| &root["dscs_"][0]["neg"]["scheduleTree_"][i];
    assert_eq!(node(0)["nonUnifiedAllocInHBM_"], true);
    assert!(node(1).get("nonUnifiedAllocInHBM_").is_none());
    breaks(
        &[divided(2, 1).into()],
        Rule::SeparateParts,
        "a core's part of operand 0 is 8192 bytes that span 12288",
    );
    let mut scratchpad = divided(1, 2);
    scratchpad.args[0].allocation = Allocation::lx(0);
    breaks(
        &[scratchpad.into()],
        Rule::SeparateParts,
        "operand 0 is in LX",
    );
}

#[test]
fn a_file_says_separate_parts_by_truth_or_by_number() -> Result<(), serde_json::Error> {
    let bundle = common::compile(&[common::add(64, 128, 1).into()]);
    let mut json = serde_json::to_value(bundle.sdsc_files()[0].sdsc())?;
    for (value, expected) in [
        (json!(1), Some(true)),
        (json!(false), Some(false)),
        (json!(2), None),
    ] {
        json["0_add"]["dscs_"][0]["add"]["scheduleTree_"][0]["nonUnifiedAllocInHBM_"] = value;
        let read = serde_json::from_value::<spyre_sdsc::sdsc::Sdsc>(json.clone());
        let read = read.ok().map(|sdsc| {
            let bodies = sdsc.root.iter().flat_map(|(_, body)| &body.dscs);
            let mut nodes =
                bodies.flat_map(|dsc| dsc.iter().flat_map(|(_, dsc)| &dsc.schedule_tree));
            nodes
                .next()
                .is_some_and(|node| node.non_unified_alloc_in_hbm)
        });
        assert_eq!(read, expected);
    }
    Ok(())
}

#[test]
fn functions_outside_of_the_table_are_known_by_name() {
    // 64 rows of 128 numbers of 32 bits.
    let wide = |index: u32, format| {
        let mut tensor = tensor(index, &[4, 64, 32], &["floor(c1/32)", "c0", "Mod(c1, 32)"]);
        tensor.format = format;
        tensor
    };
    let over = |op: &str| {
        OpSpec::pointwise(op)
            .with_dim("c0", Expr::int(64), 4)
            .with_dim("c1", Expr::int(128), 1)
    };
    let cast = over("int32tofp32")
        .with_input(wide(0, DeviceFormat::IeeeInt32))
        .with_output(wide(1, FP32));
    let bundle = common::compile(&[cast.clone().into()]);
    assert!(bundle.warnings().is_empty());
    let root = file(cast, Revision::V1);
    let dsc = &root["dscs_"][0]["int32tofp32"];
    // The integers stay integers, and the function computes in floats.
    assert_eq!(dsc["labeledDs_"][0]["dataFormat_"], "IEEE_INT32");
    assert_eq!(
        dsc["computeOp_"][0]["attributes_"]["dataFormat_"],
        "IEEE_FP32"
    );

    let keep = over("keepbyindex").with_input(matrix(64, 128, Allocation::argument(0)));
    let two = keep
        .clone()
        .with_input(matrix(64, 128, Allocation::argument(1)));
    let two = two.with_output(matrix(64, 128, Allocation::argument(2)));
    let root = file(two, Revision::V1);
    let call = &root["dscs_"][0]["keepbyindex"]["computeOp_"][0];
    assert_eq!(
        call["inputLabeledDs"],
        json!(["Tensor0-idx0", "Tensor1-idx1"])
    );
    breaks(
        &[keep
            .with_output(matrix(64, 128, Allocation::argument(2)))
            .into()],
        Rule::Inputs,
        "op 'keepbyindex' (number 0): reads 1 tensors, and `keepbyindex` reads 2",
    );
    assert_eq!(
        Unlisted::by_name("prodnonstick").map(|row| row.status),
        Some(Status::Doubtful)
    );
    assert_eq!(Unlisted::by_name("frobnicate"), None);
}

#[test]
fn elementwise_tensors_have_the_same_stick() {
    // A condition of 16 bits and values of 32: 64 and 32 elements of a stick.
    let mut op = OpSpec::pointwise("where3")
        .with_dim("c0", Expr::int(64), 1)
        .with_dim("c1", Expr::int(128), 1)
        .with_input(matrix(64, 128, Allocation::argument(0)));
    for index in 1..4 {
        let mut value = tensor(index, &[4, 64, 32], &["floor(c1/32)", "c0", "Mod(c1, 32)"]);
        value.format = FP32;
        op = if index < 3 {
            op.with_input(value)
        } else {
            op.with_output(value)
        };
    }
    breaks(
        &[op.into()],
        Rule::ElementwiseStick,
        "has tensors with 64 of out along the stick and tensors with 32 of out, which must be alike",
    );
}

#[test]
fn a_restickify_changes_the_stick() {
    let copy = |output| {
        OpSpec::pointwise("ReStickifyOpHBM")
            .with_dim("c0", Expr::int(64), 1)
            .with_dim("c1", Expr::int(128), 1)
            .with_input(matrix(64, 128, Allocation::argument(0)))
            .with_output(output)
    };
    let turned = tensor(1, &[1, 128, 64], &["floor(c0/64)", "c1", "Mod(c0, 64)"]);
    common::compile(&[copy(turned).into()]);
    breaks(
        &[copy(matrix(64, 128, Allocation::argument(1))).into()],
        Rule::RestickifySticks,
        "has out along the stick of its input and of its output",
    );
}
