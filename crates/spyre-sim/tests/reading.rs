//! Tests of reading the files of operations, and of the messages for rejected input.

mod common;

use common::{Files, add_mul_of, dsc, matrix, space};
use spyre_sdsc::{Allocation, OpSpec};

fn files() -> Files {
    let op = space(OpSpec::pointwise("neg"), 8, 128, 2)
        .with_input(matrix(8, 128, Allocation::argument(0)))
        .with_output(matrix(8, 128, Allocation::argument(1)));
    Files::from_nodes(&[op.into()])
}

#[track_caller]
fn assert_bad(files: &Files, message: &str) {
    let error = files.read().unwrap_err().to_string();
    assert!(error.contains(message), "{error}\nand not\n{message}");
}

/// A change of the JSON of an operation.
type Change = fn(&mut serde_json::Value);

#[track_caller]
fn assert_bad_changes(cases: &[(Change, &str)]) {
    for (change, message) in cases {
        assert_bad(&files().change("sdsc_0.json", change), message);
    }
}

#[test]
fn slices_of_cores_that_contradict_the_division() {
    assert_bad_changes(&[
        (
            |sdsc| sdsc["numWkSlicesPerDim_"]["mb"] = 3.into(),
            "numWkSlicesPerDim_/mb: 8 elements are not 3 equal slices",
        ),
        (
            |sdsc| sdsc["coreIdToWkSlice_"]["1"]["mb"] = 2.into(),
            "coreIdToWkSlice_/1/mb: slice 2 of 2",
        ),
        (
            |sdsc| dsc(sdsc)["coreIdsUsed_"] = serde_json::json!([0, 2]),
            "coreIdToWkSlice_/2: the core has no slices",
        ),
        (
            |sdsc| dsc(sdsc)["coreIdsUsed_"] = serde_json::json!([1, 1]),
            "coreIdsUsed_: core 1 occurs twice",
        ),
        (
            |sdsc| sdsc["coreIdToWkSlice_"]["1"] = serde_json::json!({}),
            "coreIdToWkSlice_/1: no slice of 'mb', which has 2",
        ),
    ]);
}

#[test]
fn dimensions_that_contradict_each_other() {
    assert_bad_changes(&[
        (
            |sdsc| dsc(sdsc)["N_"]["mb_"] = 0.into(),
            "N_/mb_: not a positive number",
        ),
        (
            |sdsc| {
                let again = sdsc["dscs_"][0].clone();
                sdsc["dscs_"].as_array_mut().unwrap().push(again);
            },
            "dscs_: there must be exactly one operation",
        ),
        (
            |sdsc| dsc(sdsc)["dimToSymbolMapping_"] = serde_json::json!({"x": [-1]}),
            "dimToSymbolMapping_/x: 'x' is not a dimension of N_",
        ),
        (
            |sdsc| dsc(sdsc)["dimToSymbolMapping_"] = serde_json::json!({"mb": [-1, -2]}),
            "dimToSymbolMapping_/mb: there are 2 symbols, expected one",
        ),
        (
            |sdsc| dsc(sdsc)["N_"]["x"] = 1.into(),
            "N_/x: the key of a dimension ends with '_'",
        ),
    ]);
}

#[test]
fn tensors_that_contradict_their_layouts_and_places() {
    assert_bad_changes(&[
        (
            |sdsc| dsc(sdsc)["labeledDs_"][0]["wordLength"] = 4.into(),
            "labeledDs_/0/wordLength: expected 2, the bytes of an element, got 4",
        ),
        (
            |sdsc| dsc(sdsc)["labeledDs_"][1]["dataFormat_"] = "FP7".into(),
            "labeledDs_/1/dataFormat_: ",
        ),
        (
            |sdsc| dsc(sdsc)["labeledDs_"][0]["dsType_"] = "OTHER".into(),
            "labeledDs_/0/dsType_: no layout 'OTHER'",
        ),
        (
            |sdsc| dsc(sdsc)["labeledDs_"][0]["scale_"] = serde_json::json!([1]),
            "labeledDs_/0/scale_: there are 1 scales, but 2 dimensions",
        ),
        (
            |sdsc| dsc(sdsc)["primaryDsInfo_"]["OUTPUT"]["stickSize_"] = serde_json::json!([32]),
            "primaryDsInfo_/OUTPUT/stickSize_: sticks of 32 elements; SEN169_FP16 has 64",
        ),
        (
            |sdsc| dsc(sdsc)["scheduleTree_"][1]["layoutDimOrder_"][0] = "x".into(),
            "scheduleTree_/1/layoutDimOrder_: 'x' is not a dimension of N_",
        ),
        (
            |sdsc| dsc(sdsc)["scheduleTree_"][0]["component_"] = "ddr".into(),
            "scheduleTree_/0/component_: 'ddr' is not a memory",
        ),
        (
            |sdsc| dsc(sdsc)["computeOp_"][0]["outputLabeledDs"] = serde_json::json!([]),
            "computeOp_/0/outputLabeledDs: there are 0 outputs, expected one",
        ),
        (
            |sdsc| {
                let nodes = dsc(sdsc)["scheduleTree_"].as_array_mut().unwrap();
                nodes.push(nodes[0].clone());
            },
            "has not exactly one description and one place",
        ),
    ]);
}

#[test]
fn constants_and_masks_that_contradict_each_other() {
    assert_bad_changes(&[
        (
            |sdsc| dsc(sdsc)["coordinateMasking_"] = serde_json::json!({"out": [[1, 2]]}),
            "maskingConstId_: no constant -1 for the mask",
        ),
        (
            |sdsc| {
                dsc(sdsc)["constantInfo_"] = serde_json::json!({"0": {
                    "dataFormat_": "SEN169_FP16", "name_": "x", "data_": {"data_": {"[0, 0, 0]": [1, 2]}},
                }});
            },
            "constantInfo_/0/data_: there must be exactly one value",
        ),
        (
            |sdsc| {
                let constant = serde_json::json!({
                    "dataFormat_": "SEN169_FP16", "name_": "x", "data_": {"data_": {"[0, 0, 0]": [1]}},
                });
                dsc(sdsc)["constantInfo_"] = serde_json::json!({"0": constant, "1": constant});
            },
            "constantInfo_: two constants have the name 'x'",
        ),
        (
            |sdsc| dsc(sdsc)["coordinateMasking_"] = serde_json::json!({"out": [[120, 9]]}),
            "coordinateMasking_/out: the mask covers 9 elements from 120, but the extent is 128",
        ),
        (
            |sdsc| {
                dsc(sdsc)["coordinateMasking_"] = serde_json::json!({"out": [[120, 8], [100, 21]]});
            },
            "coordinateMasking_/out: 100..121 and 120..128 are over each other",
        ),
    ]);
}

#[test]
fn texts_that_are_no_files_of_operations() {
    assert_bad(
        &files().edit(
            "sdsc_0.json",
            "\"numWkSlicesPerDim_\": {",
            "\"numWkSlicesPerDim_\": {\"mb\": 2, ",
        ),
        "sdsc_0.json: 'mb' occurs twice at line",
    );
    assert_bad(
        &files().edit("sdsc_0.json", "\"N_\"", "\"M_\""),
        "sdsc_0.json: missing field `N_` at line",
    );
    assert_bad(
        &files().edit("sdsc_0.json", "\"ldsIdx_\": 0", "\"ldsIdx_\": -1"),
        "sdsc_0.json: invalid value: integer `-1`",
    );
    assert_bad(
        &files().edit("bundle.mlir", "sdsc_0.json", "../sdsc_0.json"),
        "'../sdsc_0.json' is not the name of a file",
    );
    assert_bad(
        &files().edit("bundle.mlir", "sdsc_0.json", "sdsc_9.json"),
        "sdsc_9.json: ",
    );
}

#[test]
fn what_an_operation_says() {
    let bundle = Files::from_nodes(&add_mul_of(64, 256, 2, 2, 4))
        .read()
        .unwrap();
    let op = bundle.operation("sdsc_0.json").unwrap();
    assert_eq!(op.function, "add");
    let dims: Vec<_> = op
        .dims
        .iter()
        .map(|dim| (dim.name.as_str(), dim.extent, dim.slices))
        .collect();
    assert_eq!(dims, [("mb", 32, 4), ("out", 128, 1)]);
    assert_eq!(op.cores[3].slices, [3, 0]);
    // a is a window of 32 of 64 rows and 128 of 256 columns.
    let gaps: Vec<_> = op.inputs[0]
        .order
        .iter()
        .map(|tensor_dim| (tensor_dim.dim, tensor_dim.gaps[0], tensor_dim.missing))
        .collect();
    assert_eq!(gaps, [(0, 32, 0), (1, 128, 0)]);
    assert_eq!((op.inputs[0].stick, op.inputs[0].per_stick), (1, 64));
    assert_eq!(op.output.memory, spyre_sim::read::MemoryKind::Lx);
}
