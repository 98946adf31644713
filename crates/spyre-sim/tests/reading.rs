//! What is read from the files, in both printed forms, and what is refused with which words.

mod common;

use common::{Files, add_mul_of, dsc, matrix, space};
use spyre_sdsc::{Allocation, OpSpec};
use spyre_sim::read::{StatementKind, parse};

fn files() -> Files {
    let op = space(OpSpec::pointwise("neg"), 8, 128, 2)
        .with_input(matrix(8, 128, Allocation::argument(0)))
        .with_output(matrix(8, 128, Allocation::argument(1)));
    Files::of(&[op.into()])
}

/// The statements without places, which differ between forms.
fn shape(statements: &[spyre_sim::read::Statement]) -> String {
    let one = |statement: &spyre_sim::read::Statement| match &statement.kind {
        StatementKind::For { body, .. } => format!("for [{}]", shape(body)),
        other => format!("{other:?}"),
    };
    statements.iter().map(one).collect::<Vec<_>>().join("; ")
}

#[test]
fn what_mlir_prints_of_the_same() {
    let written = r#"#map_0 = affine_map<(d0, d1)[s0] -> (s0 + 65536*d0 + 2097152*d1)>
module {
	func.func @sdsc_bundle(%a: !sdscbundle.input_arg<index>, %n: !sdscbundle.input_arg<index, granularity=64, max_value=512>) {
		%pool = sdscbundle.device_mem_allocate 524288 bytes : index
		%0 = sdscbundle.input_arg_extract value from %a : !sdscbundle.input_arg<index> -> index
		%c0 = arith.constant 0 : index
		%c1 = arith.constant 1 : index
		%c2 = arith.constant 2 : index
		%b = arith.addi %0, %c2 : index
		scf.for %i_0 = %c0 to %c2 step %c1 {
			scf.for %i_1 = %c0 to %c2 step %c1 {
				%addr_0 = affine.apply #map_0(%i_0, %i_1)[%b]
				sdscbundle.sdsc_execute (%addr_0, %pool) {sdsc_filename="sdsc_0.json", "symbol_ids"=[-1, -2]}
			}
		}
		return
	}
}
"#;
    let printed = r#"
// -----
module attributes {spyre.target = {cores = 2}} {
  func.func public @sdsc_bundle(%arg0: !sdscbundle.input_arg<index>, %arg1: !sdscbundle.input_arg<index,
      max_value = 512, granularity = 64>) attributes {note = "kept"} {
    %pool = sdscbundle.device_mem_allocate 0x80000 bytes {note = "kept"} : index
    %value = sdscbundle.input_arg_extract value from %arg0 {note = "kept"} : !sdscbundle.input_arg<index> -> index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %0 = arith.addi %value, %c2 overflow<nsw> : index
    scf.for %arg2 = %c0 to %c2 step %c1 {
      scf.for %arg3 = %c0 to %c2 step %c1 {
        %1 = affine.apply affine_map<(d0, d1)[s0] -> (d0 * 65536 + s0 + (d1 * 2) * 1048576)>(%arg2, %arg3)[%0]
        sdscbundle.sdsc_execute (%1, %pool) {symbol_ids = [-1, -2], sdsc_filename = "sdsc_0.json"}
      } {note = "kept"}
      scf.yield
    }
    func.return
  }
}
"#;
    let (written, printed) = (parse(written).unwrap(), parse(printed).unwrap());
    assert_eq!(shape(&written.body), shape(&printed.body));
    assert_eq!(written.params, printed.params);
    let StatementKind::For { body, .. } = &written.body.last().unwrap().kind else {
        panic!()
    };
    let StatementKind::For { body, .. } = &body[0].kind else {
        panic!()
    };
    let StatementKind::Apply { map, .. } = &body[0].kind else {
        panic!()
    };
    // Dimensions, then the symbol.
    assert_eq!(
        (map.constant, map.factors.as_slice()),
        (0, &[65536, 2_097_152, 1][..])
    );
    assert_eq!(map.eval(&[1, 3, 100]), Some(65536 + 3 * 2_097_152 + 100));
}

#[track_caller]
fn assert_refused(text: &str, message: &str) {
    let error = parse(text).unwrap_err().to_string();
    assert_eq!(error, message, "{text}");
}

#[test]
fn texts_that_are_no_bundles() {
    let body = |body: &str| {
        format!(
            "module {{\nfunc.func @sdsc_bundle(%p: !sdscbundle.input_arg<index>) {{\n{body}\nreturn }} }}"
        )
    };
    assert_refused("", "1:1: expected 'func.func', found the end of the file");
    assert_refused(
        "module { func.func @other() { return } }",
        "1:20: expected '@sdsc_bundle', found '@other'",
    );
    assert_refused(
        &body("%a = arith.addi %b, %b : index"),
        "3:17: %b is used and not defined before",
    );
    assert_refused(
        &body("%a = arith.addi %p, %p : index"),
        "3:17: %p is a parameter, which only input_arg_extract reads",
    );
    assert_refused(
        &body("%a = arith.divsi %a, %a : index"),
        "3:6: 'arith.divsi' is not an operation of a bundle",
    );
    assert_refused(
        &body("%a = arith.constant 1 : i32"),
        "3:25: expected 'index', found 'i32'",
    );
    assert_refused(
        &body("%p = arith.constant 1 : index"),
        "3:1: %p is defined twice",
    );
    assert_refused(
        &body("sdscbundle.sdsc_execute () {sdsc_filename=\"f\", symbol_ids=[-1]}"),
        "3:1: 1 symbols for 0 operands",
    );
    assert_refused(
        &body("sdscbundle.sdsc_execute () {}"),
        "3:1: an execution names its file",
    );
    assert_refused(
        &body("sdscbundle.sdsc_execute () {sdsc_filename=\"f\", sdsc_filename=\"g\"}"),
        "3:65: attribute 'sdsc_filename' is there twice",
    );
    assert_refused(
        &body(
            "%c = arith.constant 1 : index\nsdscbundle.sdsc_execute (%c, %c) {sdsc_filename=\"f\", symbol_ids=[-1, -1]}",
        ),
        "4:1: symbol -1 is bound twice",
    );
    let apply = |map: &str| {
        body(&format!(
            "%c = arith.constant 1 : index\n%a = affine.apply affine_map<{map}>(%c)[%c]"
        ))
    };
    assert_refused(
        &apply("(d0)[s0] -> (d0 * s0)"),
        "4:46: the product of two operands is not affine",
    );
    assert_refused(
        &apply("(d0)[s0] -> (d0 floordiv 2)"),
        "4:46: addresses of bundles have no floordiv",
    );
    assert_refused(
        &apply("(d0)[s0] -> (9223372036854775807 * d0 + 2 * d0)").replace("2 * d0)", "d0)"),
        "4:68: a number of the map does not fit 64 bits",
    );
    assert_refused(
        &apply("(d0, d1) -> (d0)"),
        "4:19: the map has 2 dimensions and 0 symbols; 1 and 1 are given",
    );
    assert_refused(
        &body(
            "%a = sdscbundle.input_arg_extract granularity from %p : !sdscbundle.input_arg<index> -> index",
        ),
        "3:57: the type does not have the field",
    );
    let deep: String = (0..70)
        .map(|at| format!("scf.for %i{at} = %c to %c step %c {{\n"))
        .collect();
    assert_refused(
        &body(&format!("%c = arith.constant 1 : index\n{deep}")),
        "69:1: more than 64 loops in each other",
    );
    // A value of a loop is gone after it.
    let after = "%c = arith.constant 1 : index\nscf.for %i = %c to %c step %c {\n%a = arith.addi %c, %c : index\n}\n%b = arith.addi %a, %c : index";
    assert_refused(&body(after), "7:17: %a is used and not defined before");
}

#[track_caller]
fn assert_bad(files: &Files, message: &str) {
    let error = files.read().unwrap_err().to_string();
    assert!(error.contains(message), "{error}\nand not\n{message}");
}

#[test]
fn files_that_contradict_themselves() {
    type Change = fn(&mut serde_json::Value);
    let changed = |change: Change| files().change("sdsc_0.json", change);
    let cases: [(Change, &str); 24] = [
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
            "coreIdsUsed_: core 1 is there twice",
        ),
        (
            |sdsc| dsc(sdsc)["labeledDs_"][0]["wordLength"] = 4.into(),
            "labeledDs_/0/wordLength: 4 bytes for elements of 2",
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
            "labeledDs_/0/scale_: 1 scales for 2 dimensions",
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
            |sdsc| dsc(sdsc)["coordinateMasking_"] = serde_json::json!({"out": [[1, 2]]}),
            "maskingConstId_: no constant -1 for the mask",
        ),
        (
            |sdsc| dsc(sdsc)["computeOp_"][0]["outputLabeledDs"] = serde_json::json!([]),
            "computeOp_/0/outputLabeledDs: 0 outputs instead of one",
        ),
        (
            |sdsc| dsc(sdsc)["N_"]["mb_"] = 0.into(),
            "N_/mb_: not a positive number",
        ),
        (
            |sdsc| {
                let again = sdsc["dscs_"][0].clone();
                sdsc["dscs_"].as_array_mut().unwrap().push(again);
            },
            "dscs_: there is not exactly one operation",
        ),
        (
            |sdsc| {
                let nodes = dsc(sdsc)["scheduleTree_"].as_array_mut().unwrap();
                nodes.push(nodes[0].clone());
            },
            "has not exactly one description and one place",
        ),
        (
            |sdsc| dsc(sdsc)["dimToSymbolMapping_"] = serde_json::json!({"x": [-1]}),
            "dimToSymbolMapping_/x: 'x' is not a dimension of N_",
        ),
        (
            |sdsc| dsc(sdsc)["dimToSymbolMapping_"] = serde_json::json!({"mb": [-1, -2]}),
            "dimToSymbolMapping_/mb: 2 symbols instead of one",
        ),
        (
            |sdsc| sdsc["coreIdToWkSlice_"]["1"] = serde_json::json!({}),
            "coreIdToWkSlice_/1: no slice of 'mb', which has 2",
        ),
        (
            |sdsc| {
                dsc(sdsc)["constantInfo_"] = serde_json::json!({"0": {
                    "dataFormat_": "SEN169_FP16", "name_": "x", "data_": {"data_": {"[0, 0, 0]": [1, 2]}},
                }});
            },
            "constantInfo_/0/data_: there is not exactly one value",
        ),
        (
            |sdsc| {
                let constant = serde_json::json!({
                    "dataFormat_": "SEN169_FP16", "name_": "x", "data_": {"data_": {"[0, 0, 0]": [1]}},
                });
                dsc(sdsc)["constantInfo_"] = serde_json::json!({"0": constant, "1": constant});
            },
            "constantInfo_: two constants are 'x'",
        ),
        (
            |sdsc| dsc(sdsc)["N_"]["x"] = 1.into(),
            "N_/x: the key of a dimension ends with '_'",
        ),
        (
            |sdsc| dsc(sdsc)["coordinateMasking_"] = serde_json::json!({"out": [[120, 9]]}),
            "coordinateMasking_/out: 9 elements from 120, of 128",
        ),
        (
            |sdsc| {
                dsc(sdsc)["coordinateMasking_"] = serde_json::json!({"out": [[120, 8], [100, 21]]});
            },
            "coordinateMasking_/out: 100..121 and 120..128 are over each other",
        ),
    ];
    for (change, message) in cases {
        assert_bad(&changed(change), message);
    }
    assert_bad(
        &files().edit(
            "sdsc_0.json",
            "\"numWkSlicesPerDim_\": {",
            "\"numWkSlicesPerDim_\": {\"mb\": 2, ",
        ),
        "sdsc_0.json: 'mb' is there twice at line",
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
    let bundle = Files::of(&add_mul_of(64, 256, 2, 2, 4)).read().unwrap();
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
        .map(|own| (own.dim, own.gaps[0], own.missing))
        .collect();
    assert_eq!(gaps, [(0, 32, 0), (1, 128, 0)]);
    assert_eq!((op.inputs[0].stick, op.inputs[0].per_stick), (1, 64));
    assert_eq!(op.output.memory, spyre_sim::read::MemoryKind::Lx);
}
