//! Products of 8-bit floats, with packed operands (specification, sections 4.5 and 5).

mod common;

use common::*;
use spyre_sdsc::{DeviceFormat, Expr, OpSpec};

/// `batchmatmulfp8` of [64, 256] by [256, 128].
fn fp8_matmul(k_slices: u64) -> OpSpec {
    let fp8 = |index, size: &[u64], coordinates: &[&str]| {
        let mut tensor = tensor(index, size, coordinates);
        tensor.format = DeviceFormat::Sen143Fp8;
        tensor
    };
    OpSpec::reduction("batchmatmulfp8")
        .with_dim("c0", Expr::int(64), 1)
        .with_dim("c1", Expr::int(128), 1)
        .with_dim("c2", Expr::int(256), k_slices)
        .with_input(fp8(
            0,
            &[2, 64, 128],
            &["floor(c2/128)", "c0", "Mod(c2, 128)"],
        ))
        .with_input(fp8(
            1,
            &[1, 256, 128],
            &["floor(c1/128)", "c2", "Mod(c1, 128)"],
        ))
        .with_output(tensor(
            2,
            &[2, 64, 64],
            &["floor(c1/64)", "c0", "Mod(c1, 64)"],
        ))
}

#[test]
fn rows_of_fp8_matrices_are_packed() -> Result<(), serde_json::Error> {
    let bundle = compile(&[fp8_matmul(1).into()]);
    let json = serde_json::to_value(bundle.sdsc_files()[0].sdsc())?;
    let dsc = &json["0_batchmatmulfp8"]["dscs_"][0]["batchmatmulfp8"];
    let coordinate = |tensor: usize, dim: &str| {
        let info = &dsc["scheduleTree_"][tensor]["coordinates_"]["coordInfo"][dim];
        let list = |key: &str, path: &str| -> Vec<u64> {
            let items = info["folds"][key].as_array().cloned().unwrap_or_default();
            items
                .iter()
                .filter_map(|item| item.pointer(path)?.as_u64())
                .collect()
        };
        let alphas = list("dim_prop_func", "/Affine/alpha_");
        (
            info["elemArr"].as_u64(),
            alphas,
            list("dim_prop_attr", "/factor_"),
        )
    };
    assert_eq!(
        coordinate(0, "in"),
        (
            Some(4),
            vec![256, 0, 0, 128, 8, 64, 1],
            vec![1, 1, 1, 2, 8, 2, 8]
        )
    );
    // Other dimensions and other operands are as ever.
    assert_eq!(
        coordinate(0, "mb"),
        (Some(1), vec![64, 0, 0, 1], vec![1, 1, 1, 64])
    );
    assert_eq!(
        coordinate(1, "out"),
        (Some(2), vec![128, 0, 0, 128, 1], vec![1, 1, 1, 1, 128])
    );
    assert_eq!(dsc["computeOp_"][0]["exUnit"], "pt");
    // 64 elements per core are half a block.
    let message = plan_error(&fp8_matmul(4));
    assert!(
        message.contains("operand 0: 64 elements per core along in are not whole blocks of 128"),
        "{message}"
    );
    Ok(())
}

/// `fp8_matmul` with weights in pairs.
fn fp8_matmul_in_pairs(k_slices: u64) -> OpSpec {
    let mut op = fp8_matmul(k_slices);
    op.args[1].arrangement = spyre_sdsc::Arrangement::Qfp8Wt;
    op
}

#[test]
fn fp8_weights_have_two_dimensions_along_the_stick() -> Result<(), serde_json::Error> {
    let bundle = compile(&[fp8_matmul_in_pairs(2).into()]);
    let json = serde_json::to_value(bundle.sdsc_files()[0].sdsc())?;
    let dsc = &json["0_batchmatmulfp8"]["dscs_"][0]["batchmatmulfp8"];
    let kernel = &dsc["primaryDsInfo_"]["KERNEL"];
    assert_eq!(kernel["stickDimOrder_"], serde_json::json!(["in", "out"]));
    assert_eq!(kernel["stickSize_"], serde_json::json!([2, 64]));
    let folds = |dim: &str| {
        let info = &dsc["scheduleTree_"][1]["coordinates_"]["coordInfo"][dim];
        (info["elemArr"].as_u64(), info["folds"].to_string())
    };
    // 256 rows of K, 128 on each of two cores: one whole stick of the format.
    let (arrays, rows) = folds("in");
    assert_eq!(arrays, Some(2));
    assert!(
        rows.contains(r#"{"factor_":1,"label_":"elem_arr_1"}"#),
        "{rows}"
    );
    assert!(
        rows.contains(r#"{"factor_":128,"label_":"elem_arr_0"}"#),
        "{rows}"
    );
    // 128 columns: 16, 8 and 1, 64 times, twice and once (section 5).
    let (arrays, columns) = folds("out");
    assert_eq!(arrays, Some(3));
    for part in [
        r#"{"Affine":{"alpha_":16,"beta_":0}},{"Affine":{"alpha_":8,"beta_":0}},{"Affine":{"alpha_":1,"beta_":0}}"#,
        r#"{"factor_":64,"label_":"elem_arr_2"},{"factor_":2,"label_":"elem_arr_1"},{"factor_":1,"label_":"elem_arr_0"}"#,
    ] {
        assert!(columns.contains(part), "{columns}");
    }
    Ok(())
}

#[test]
fn what_the_format_leaves_open_is_named() {
    // The stick of weights in pairs is that of the last two dimensions: here it is the one before.
    let mut packed = fp8_matmul_in_pairs(1);
    packed.args[1].device_size = vec![256, 1, 128];
    packed.args[1].device_coordinates = ["c2", "floor(c1/128)", "Mod(c1, 128)"]
        .into_iter()
        .map(parse)
        .collect();
    let message = plan_error(&packed);
    assert!(
        message.starts_with(
            "op 'batchmatmulfp8' (number 0): args[1].element_arrangement QFP8WT: the SDSC"
        ),
        "{message}"
    );
}
