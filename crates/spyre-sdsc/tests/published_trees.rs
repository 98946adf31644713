//! Kernels as the front end of today writes them, with every field of the published form, to the lines of their files
//! (contract, K69 to K77). They are in `examples/opspec`.

mod common;

use std::path::Path;

use common::compile;
use serde_json::{Value, json};
use spyre_sdsc::source::{json as neutral, python};
use spyre_sdsc::{Bundle, Node};

/// Reads a kernel, checks that it comes back from both forms, and compiles it.
fn kernel(name: &str) -> Bundle {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/opspec");
    let text =
        std::fs::read_to_string(folder.join(name)).unwrap_or_else(|err| panic!("{name}: {err}"));
    let read = python::read(&text, None).unwrap_or_else(|err| panic!("{name}: {err}"));
    assert!(read.left_out.is_empty());
    let nodes: Vec<Node> = read.nodes;
    let written = python::write("kernel", &nodes);
    let again = python::read(&written, None).unwrap_or_else(|err| panic!("{err}\n{written}"));
    assert_eq!(again.nodes, nodes);
    let again = neutral::read(&neutral::write(&nodes, &read.options));
    assert_eq!(again.unwrap_or_else(|err| panic!("{err}")).nodes, nodes);
    compile(&nodes)
}

/// The contents of a file under the name of its operation, and the description of the computation.
fn file(bundle: &Bundle, number: usize) -> (Value, Value) {
    let json = serde_json::to_value(bundle.sdsc_files()[number].sdsc());
    let json = json.unwrap_or_else(|err| panic!("{err}"));
    let root = json
        .as_object()
        .and_then(|root| root.values().next())
        .cloned();
    let root = root.unwrap_or_else(|| panic!("no root in {json}"));
    let dsc = root["dscs_"][0]
        .as_object()
        .and_then(|dscs| dscs.values().next());
    let dsc = dsc
        .cloned()
        .unwrap_or_else(|| panic!("no description in {root}"));
    (root, dsc)
}

/// The function of a file, and the places of its tensors.
fn call(dsc: &Value) -> (&str, Vec<&str>) {
    let name = dsc["computeOp_"][0]["opFuncName"].as_str().unwrap_or("");
    let nodes = dsc["scheduleTree_"].as_array().into_iter().flatten();
    let places = nodes.filter_map(|node| node["component_"].as_str());
    (name, places.collect())
}

#[test]
fn layer_norm() {
    let bundle = kernel("layer_norm.py");
    let (exx2, exx2_dsc) = file(&bundle, 1);
    assert_eq!(call(&exx2_dsc), ("exx2", vec!["lx", "lx"]));
    // The scale is 1/512 = 2^-9: exponent 22 of bias 31.
    let constants = &exx2_dsc["constantInfo_"];
    assert_eq!(constants["0"]["name_"], "exx2scale");
    assert_eq!(
        constants["0"]["data_"]["data_"],
        json!({"[0, 0, 0]": [22 << 9]})
    );
    assert_eq!(constants["1"]["name_"], "useZeroMean");
    // The pair has one element of the dimension that is reduced.
    assert_eq!(exx2_dsc["labeledDs_"][1]["scale_"], json!([1, -2]));
    assert_eq!(exx2_dsc["coordinateMasking_"], json!({}));
    assert_eq!(exx2["debug_handle_"]["source"]["start_line"], 7);
    let (scale, scale_dsc) = file(&bundle, 2);
    assert_eq!(call(&scale_dsc), ("layernormscale", vec!["lx", "lx"]));
    assert_eq!(
        scale["debug_handle_"]["transform_history"],
        json!([{"kind": "rewrite", "pass_name": "split_multi_ops", "reason": "one result per operation"}])
    );
    let (norm, norm_dsc) = file(&bundle, 3);
    assert_eq!(
        call(&norm_dsc),
        ("layernormnorm", vec!["lx", "lx", "lx", "hbm", "hbm", "hbm"])
    );
    assert_eq!(norm["coreIdToWkSlice_"]["31"], json!({"mb": 31, "out": 0}));
    assert_eq!(norm["numCoresUsed_"], 32);
}

#[test]
fn a_product_a_re_layout_and_a_sum() {
    let bundle = kernel("relayout.py");
    let (product, product_dsc) = file(&bundle, 0);
    assert_eq!(
        call(&product_dsc),
        ("batchmatmul", vec!["hbm", "hbm", "lx"])
    );
    assert_eq!(
        product["coreIdToWkSlice_"]["9"],
        json!({"mb": 1, "out": 1, "in": 0})
    );
    let (shuffle, shuffle_dsc) = file(&bundle, 1);
    assert_eq!(call(&shuffle_dsc), ("shuffle", vec!["lx", "lx"]));
    assert_eq!(shuffle["numWkSlicesPerDim_"], json!({"mb": 32, "out": 1}));
    assert_eq!(shuffle["debug_handle_"]["source"], Value::Null);
    let node = |i: usize| &shuffle_dsc["scheduleTree_"][i];
    for (i, address, slices) in [
        (0, "0", json!({"mb": 1, "out": 1})),
        (1, "32768", json!({"mb": 9, "out": 0})),
    ] {
        assert_eq!(node(i)["coordinates_"]["coreIdToWkSlice_"]["9"], slices);
        let start = &node(i)["startAddressCoreCorelet_"]["data_"]["[9, 0, 0]"];
        assert_eq!(start, address);
    }
    let (sum, sum_dsc) = file(&bundle, 2);
    assert_eq!(call(&sum_dsc), ("add", vec!["lx", "hbm", "hbm"]));
    assert_eq!(sum["coreIdToWkSlice_"]["9"], json!({"mb": 9, "out": 0}));
    // 16 rows of a core are 2048 bytes into each stick column of the result; the bias is read by all.
    let text = bundle.mlir_text();
    assert!(
        text.contains("%arg_3_core_offset_2048 = arith.constant 2048 : index"),
        "{text}"
    );
    assert!(!text.contains("%arg_2_core"), "{text}");
}

#[test]
fn a_loop_over_tiles() {
    let bundle = kernel("tiles.py");
    let text = bundle.mlir_text();
    for line in [
        "#map_0 = affine_map<(d0)[s0] -> (s0 + 8192*d0)>",
        "\t\t%loop_bound_0 = arith.constant 8 : index",
        "\t\t%arg_0_core_offset_256 = arith.constant 256 : index",
        "\t\tscf.for %i_0 = %c0 to %loop_bound_0 step %c1 {",
        "\t\t\t%addr_1 = affine.apply #map_0(%i_0)[%arg_0_core_256]",
    ] {
        assert!(text.lines().any(|other| other == line), "{line}\n{text}");
    }
    let (root, dsc) = file(&bundle, 0);
    assert_eq!(call(&dsc), ("exp", vec!["hbm", "hbm"]));
    let node = &dsc["scheduleTree_"][1];
    assert_eq!(node["isStartAddrSymbolic_"], 1);
    assert_eq!(
        node["startAddressCoreCorelet_"]["data_"]["[31, 0, 0]"],
        "-64"
    );
    assert_eq!(dsc["N_"], json!({"name_": "n", "mb_": 64, "out_": 256}));
    assert_eq!(root["debug_handle_"]["aten_op"], "aten.exp.default");
}
