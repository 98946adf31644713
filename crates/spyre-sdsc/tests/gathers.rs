//! Gathers: an index tensor chooses rows of another (specification, sections 4.2 to 4.5).

mod common;

use common::*;
use spyre_sdsc::codegen::Dim;
use spyre_sdsc::{Allocation, DeviceFormat, Expr, OpSpec};

/// 64 of 1000 rows, chosen by a vector of 32-bit indices.
fn gather() -> OpSpec {
    let mut indices = tensor(0, &[2, 32], &["floor(c0/32)", "Mod(c0, 32)"]);
    indices.format = DeviceFormat::IeeeInt32;
    indices.name = Some("rows".into());
    let table = tensor(
        1,
        &[4, 1000, 64],
        &["floor(c1/64)", "IndirectAccess(rows)", "Mod(c1, 64)"],
    );
    OpSpec::pointwise("identity")
        .with_dim("c0", Expr::int(64), 1)
        .with_dim("c1", Expr::int(256), 2)
        .with_input(indices)
        .with_input(table)
        .with_output(matrix(64, 256, Allocation::argument(2)))
}

#[test]
fn gathers() -> Result<(), serde_json::Error> {
    let d = plan_op(&gather());
    // On one core; the table runs over the dimensions of its indices, without a gap.
    assert_eq!(space_of(&d), [(Dim::Mb, 64, 1), (Dim::Out, 256, 1)]);
    let table = &d.tensors[1].dims;
    assert_eq!(dims_of(&d, 1), ["mb", "out"]);
    assert_eq!((table[0].gathered, table[0].back_gap.get()), (true, 0));
    let labels: Vec<_> = d.tensors.iter().map(|t| t.label.as_str()).collect();
    assert_eq!(labels, ["KERNEL_IDX", "OUTPUT", "OUTPUT"]);
    assert_eq!(d.tensors[0].format, DeviceFormat::SenUint32);
    assert_eq!(d.data_format, DeviceFormat::Sen169Fp16);

    let bundle = compile(&[gather().into()]);
    let json = serde_json::to_value(bundle.sdsc_files()[0].sdsc())?;
    let dsc = &json["0_identity"]["dscs_"][0]["identity"];
    let node = |i: usize| &dsc["scheduleTree_"][i];
    assert_eq!(
        node(0)["relatedIndirectAccessAlloc_"],
        "allocate-Tensor1_hbm"
    );
    assert_eq!(
        node(1)["relatedIndirectAccessAlloc_"],
        "allocate-Tensor0_hbm"
    );
    assert_eq!(node(1)["maxDimSizes_"], serde_json::json!([1, -1]));
    let call = &dsc["computeOp_"][0];
    assert_eq!(call["inputLabeledDs"], serde_json::json!(["Tensor1-idx1"]));
    assert_eq!(
        call["indirectAccessIndexLabeledDs"],
        serde_json::json!(["Tensor0-idx0"])
    );
    Ok(())
}

/// 4 by 32 of 1000 rows: the table has both dimensions of the indices where it has its rows, and the stick comes after.
#[test]
fn indices_of_two_dimensions() -> Result<(), serde_json::Error> {
    let mut indices = tensor(0, &[1, 4, 32], &["floor(c1/32)", "c0", "Mod(c1, 32)"]);
    indices.format = DeviceFormat::IeeeInt32;
    indices.name = Some("rows".into());
    let table = tensor(
        1,
        &[4, 1000, 64],
        &["floor(c2/64)", "IndirectAccess(rows)", "Mod(c2, 64)"],
    );
    let result = tensor(
        2,
        &[4, 4, 32, 64],
        &["c0", "floor(c2/64)", "c1", "Mod(c2, 64)"],
    );
    let op = OpSpec::pointwise("identity")
        .with_dim("c0", Expr::int(4), 1)
        .with_dim("c1", Expr::int(32), 1)
        .with_dim("c2", Expr::int(256), 1)
        .with_input(indices)
        .with_input(table)
        .with_output(result);
    let d = plan_op(&op);
    assert_eq!(dims_of(&d, 1), ["mb", "x", "out"]);
    assert_eq!(dims_of(&d, 2), ["x", "out", "mb"]);
    let table = &d.tensors[1].dims;
    let gathered: Vec<bool> = table.iter().map(|d| d.gathered).collect();
    assert_eq!(gathered, [true, true, false]);
    let strides: Vec<u64> = table.iter().map(|d| d.stride.get()).collect();
    assert_eq!(strides, [64_000, 64_000, 256_000]);
    let bundle = compile(&[op.into()]);
    let json = serde_json::to_value(bundle.sdsc_files()[0].sdsc())?;
    let node = &json["0_identity"]["dscs_"][0]["identity"]["scheduleTree_"][1];
    assert_eq!(node["maxDimSizes_"], serde_json::json!([1, 1, -1]));
    assert_eq!(node["backGapCore_"], serde_json::Value::Null);
    Ok(())
}

/// 64 rows to places among 1000, given by a vector of 32-bit indices.
#[test]
fn scatters() -> Result<(), serde_json::Error> {
    let mut op = gather();
    op.args[1].device_size[1] = 64;
    op.args[1].device_coordinates[1] = parse("c0");
    op.args[2].device_size[1] = 1000;
    op.args[2].device_coordinates[1] = parse("IndirectAccess(rows)");
    let d = plan_op(&op);
    assert_eq!(space_of(&d), [(Dim::Mb, 64, 1), (Dim::Out, 256, 1)]);
    let labels: Vec<_> = d.tensors.iter().map(|t| t.label.as_str()).collect();
    assert_eq!(labels, ["KERNEL_IDX", "OUTPUT", "OUTPUT"]);
    let gathered = |tensor: usize| -> Vec<bool> {
        d.tensors[tensor].dims.iter().map(|d| d.gathered).collect()
    };
    assert_eq!(
        (gathered(1), gathered(2)),
        (vec![false, false], vec![true, false])
    );

    let bundle = compile(&[op.into()]);
    let json = serde_json::to_value(bundle.sdsc_files()[0].sdsc())?;
    let dsc = &json["0_identity"]["dscs_"][0]["identity"];
    let kind = |i: usize| &dsc["scheduleTree_"][i]["indirectAllocType_"];
    assert_eq!(
        [kind(0), kind(1), kind(2)],
        ["index_tensor", "no_indirection", "value_tensor"]
    );
    assert_eq!(
        dsc["scheduleTree_"][2]["relatedIndirectAccessAlloc_"],
        "allocate-Tensor0_hbm"
    );
    Ok(())
}

#[test]
fn gathers_that_are_refused() {
    type Break = fn(&mut OpSpec);
    let cases: &[(Break, &str)] = &[
        (
            |op| op.args[0].name = None,
            "operand 1 is indexed by rows, which names no operand",
        ),
        (
            |op| op.args.swap(0, 1),
            "index operand 1 must come before value operand 0",
        ),
        (
            |op| op.args[0].allocation = Allocation::lx(0),
            "index operand 0 that is not read from device memory",
        ),
        (
            |op| op.args[1].device_coordinates[1] = parse("IndirectAccess(rows) + 1"),
            "operand 1 computes `IndirectAccess(rows) + 1` from an indirect access",
        ),
        (
            |op| op.args[0].device_coordinates = vec![parse("0"), parse("0")],
            "args[0].device_coordinates of a single index: the SDSC bundle specification leaves this open",
        ),
        (
            |op| op.args[2].device_coordinates[1] = parse("IndirectAccess(rows)"),
            "more than one operand with indirect access",
        ),
    ];
    for (break_it, expected) in cases {
        let mut op = gather();
        break_it(&mut op);
        let message = plan_error(&op);
        assert!(
            message.contains(expected),
            "expected `{expected}` in `{message}`"
        );
    }
}
