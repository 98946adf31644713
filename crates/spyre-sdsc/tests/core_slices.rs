//! Slices of cores that a specification states (contract, K39 and K69).

mod common;

use common::*;
use serde_json::json;
use spyre_sdsc::codegen::{PlanOptions, state_core_slices};
use spyre_sdsc::source::{json as neutral, python};
use spyre_sdsc::{Allocation, Expr, Node, OpSpec};

/// `neg` of 64 rows over 8 and 256 columns over 4 slices.
fn neg() -> OpSpec {
    OpSpec::pointwise("neg")
        .with_dim("c0", Expr::int(64), 8)
        .with_dim("c1", Expr::int(256), 4)
        .with_input(matrix(64, 256, Allocation::argument(0)))
        .with_output(matrix(64, 256, Allocation::argument(1)))
}

#[test]
fn stated_slices_are_those_of_the_file() -> Result<(), serde_json::Error> {
    let op = neg()
        .with_core_slice("c1", parse("Mod(core_id, 4)"))
        .with_core_slice("c0", parse("Mod(floor(core_id/4), 8)"));
    let bundle = compile(&[op.clone().into()]);
    let root = &serde_json::to_value(bundle.sdsc_files()[0].sdsc())?["0_neg"];
    // In the order of the mapping, not in that of the iteration space.
    let slices = &root["coreIdToWkSlice_"];
    for (core, text) in [
        ("0", r#"{"out":0,"mb":0}"#),
        ("1", r#"{"out":1,"mb":0}"#),
        ("4", r#"{"out":0,"mb":1}"#),
        ("31", r#"{"out":3,"mb":7}"#),
    ] {
        assert_eq!(
            slices[core],
            serde_json::from_str::<serde_json::Value>(text)?
        );
    }
    let file = serde_json::to_string(&bundle.sdsc_files()[0].sdsc())?;
    assert!(file.contains(r#""1":{"out":1,"mb":0}"#), "{file}");
    assert_eq!(root["numWkSlicesPerDim_"], json!({"mb": 8, "out": 4}));
    // A slice of 64 columns is 64 rows of a stick of 128 bytes, one of 8 rows is 8 sticks.
    let offsets = core_offsets(&plan_op(&op), 0);
    assert_eq!(offsets[..5], [0, 8192, 16384, 24576, 1024]);
    assert_eq!(offsets[31], 3 * 8192 + 7 * 1024);
    Ok(())
}

#[test]
fn the_order_of_the_division_can_be_stated() {
    let stated = neg()
        .with_core_slice("c0", parse("Mod(core_id, 8)"))
        .with_core_slice("c1", parse("Mod(floor(core_id/8), 4)"));
    let files = |op: OpSpec| compile(&[op.into()]).sdsc_files()[0].sdsc();
    assert_eq!(files(stated), files(neg()));
}

#[test]
fn the_slices_of_a_division_can_be_stated() -> Result<(), spyre_sdsc::Error> {
    // K is divided, and so the fastest digit; the last dimension of the second one is undivided.
    let product = OpSpec::reduction("batchmatmul")
        .with_dim("c0", Expr::int(64), 8)
        .with_dim("c1", Expr::int(128), 2)
        .with_dim("c2", Expr::int(256), 2)
        .with_input(tensor(
            0,
            &[4, 64, 64],
            &["floor(c2/64)", "c0", "Mod(c2, 64)"],
        ))
        .with_input(tensor(
            1,
            &[2, 256, 64],
            &["floor(c1/64)", "c2", "Mod(c1, 64)"],
        ))
        .with_output(tensor(
            2,
            &[2, 64, 64],
            &["floor(c1/64)", "c0", "Mod(c1, 64)"],
        ));
    let mut rows = neg();
    rows.iteration_space[1].slices = 1;
    let mut whole = neg();
    whole.iteration_space[0].slices = 1;
    whole.iteration_space[1].slices = 1;
    let mut nodes: Vec<Node> = vec![product.into(), rows.into(), whole.into()];
    let before = compile(&nodes);
    state_core_slices(&mut nodes, &PlanOptions::default())?;
    let after = compile(&nodes);
    let files = |bundle: &spyre_sdsc::Bundle| -> Vec<_> {
        bundle.sdsc_files().iter().map(|file| file.sdsc()).collect()
    };
    assert_eq!(files(&before), files(&after));

    let stated = nodes.iter().map(|node| match node {
        Node::Op(op) => {
            let slices = op
                .core_id_to_work_slice
                .as_ref()
                .expect("every operation has them");
            let texts = slices
                .iter()
                .map(|(symbol, slice)| format!("{symbol}: {slice}"));
            texts.collect::<Vec<_>>().join(", ")
        }
        _ => unreachable!("the tree has operations only"),
    });
    assert_eq!(
        stated.collect::<Vec<_>>(),
        [
            "c2: Mod(core_id, 2), c0: Mod(floor(core_id/2), 8), c1: Mod(floor(core_id/16), 2)",
            "c0: Mod(core_id, 8), c1: 0",
            "",
        ]
    );
    Ok(())
}

#[test]
fn a_dimension_without_an_entry_is_undivided() {
    let mut op = neg();
    op.iteration_space[0].slices = 1;
    op = op.with_core_slice("c1", parse("3 - core_id"));
    // It comes last in the file.
    assert_eq!(plan_op(&op).core_mapping.order(), [1, 0]);
    assert_eq!(core_offsets(&plan_op(&op), 0), [24576, 16384, 8192, 0]);
    op.iteration_space[1].slices = 1;
    op.core_id_to_work_slice = Some([].into_iter().collect());
    assert_eq!(core_offsets(&plan_op(&op), 0), [0]);
}

#[test]
fn what_contradicts_the_division_is_refused() {
    let column = "Mod(floor(core_id/8), 4)";
    for (entries, part) in [
        (
            &[("c0", "Mod(core_id, 8)")][..],
            "core_id_to_work_slice has no slice of a core along c1, which is divided into 4; add one, or divide it into 1",
        ),
        (
            &[],
            "has no slice of a core along c0, which is divided into 8",
        ),
        (
            &[("c0", "Mod(core_id, 8)"), ("c1", column), ("c9", "0")],
            "names c9, which is no iteration symbol",
        ),
        (
            &[("c0", "Mod(core_id, 16)"), ("c1", column)],
            "gives core 8 slice 8 of 8 along mb",
        ),
        (
            &[("c0", "Mod(core_id, 8) - 1"), ("c1", column)],
            "gives core 0 slice -1 of 8 along mb",
        ),
        (
            &[("c0", "Mod(core_id, 4)"), ("c1", column)],
            "gives core 4 the slices [0, 0] of another core; the 32 cores must have one part each",
        ),
        (&[("c0", "core"), ("c1", column)], "core has no value"),
    ] {
        let mut op = neg();
        op.core_id_to_work_slice = Some([].into_iter().collect());
        for (symbol, slice) in entries {
            op = op.with_core_slice(*symbol, parse(slice));
        }
        let message = plan_error(&op);
        assert!(message.starts_with("op 'neg' (number 0): "), "{message}");
        assert!(message.contains(part), "{part} in {message}");
    }
}

#[test]
fn a_gather_is_on_one_core() {
    let mut indices = tensor(0, &[2, 32], &["floor(c0/32)", "Mod(c0, 32)"]);
    indices.format = spyre_sdsc::DeviceFormat::IeeeInt32;
    indices.name = Some("rows".into());
    let table = ["floor(c1/64)", "IndirectAccess(rows)", "Mod(c1, 64)"];
    let gather = |slices| {
        OpSpec::pointwise("identity")
            .with_dim("c0", Expr::int(64), slices)
            .with_dim("c1", Expr::int(128), 1)
            .with_input(indices.clone())
            .with_input(tensor(1, &[2, 1000, 64], &table))
            .with_output(matrix(64, 128, Allocation::argument(2)))
            .with_core_slice("c0", parse("core_id"))
    };
    compile(&[gather(1).into()]);
    assert!(
        plan_error(&gather(2))
            .contains("the c0 of a gather is divided into 2 slices, but a gather runs on one core")
    );
}

/// Checks that a tree comes back from both forms, and returns the Python source.
fn round_trip(nodes: &[Node]) -> String {
    let text = neutral::write(nodes, &Default::default());
    let read = neutral::read(&text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read.nodes, nodes, "{text}");
    let text = python::write("kernel", nodes);
    let read = python::read(&text, None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read.nodes, nodes, "{text}");
    text
}

#[test]
fn both_forms_say_it() {
    let op = neg()
        .with_core_slice("c1", parse("Mod(core_id, 4)"))
        .with_core_slice("c0", parse("Mod(floor(core_id/4), 8)"));
    let text = round_trip(&[op.into()]);
    let line = "core_id_to_work_slice={sympify('c1'): sympify('Mod(core_id, 4)'), sympify('c0'): \
                sympify('Mod(floor(core_id/4), 8)')},";
    assert!(text.contains(line), "{text}");
    // An empty mapping is written; an absent one is not.
    let mut op = neg();
    op.core_id_to_work_slice = Some([].into_iter().collect());
    assert!(round_trip(&[op.into()]).contains("core_id_to_work_slice={},"));
    assert!(!round_trip(&[neg().into()]).contains("core_id_to_work_slice"));
    let start = text.find("core_id_to_work_slice={").unwrap_or(0);
    let end = start + text[start..].find("},").unwrap_or(0) + 1;
    let none = format!(
        "{}core_id_to_work_slice=None{}",
        &text[..start],
        &text[end..]
    );
    let read = python::read(&none, None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read.nodes, [neg().into()]);
}

#[test]
fn provenance_is_written_as_the_front_end_does() {
    let mut op = neg();
    op.debug_handle = serde_json::from_str(
        r#"{"id":7,"source":{"file":"m.py","start_line":3,"start_col":0,"end_line":null,"end_col":null},"aten_op":null,
            "ir_chain":["neg"],"fused_from":[],
            "transform_history":[{"kind":"clone","pass_name":"p","reason":null}]}"#,
    )
    .ok();
    let line = "debug_handle=DebugHandle(id=7, source=SourceLoc(file='m.py', start_line=3, start_col=0, end_line=None, \
                end_col=None), aten_op=None, ir_chain=('neg',), fused_from=(), transform_history=(\
                ProvenanceTransform(kind='clone', pass_name='p', reason=None),)),";
    let text = round_trip(&[op.into()]);
    assert!(text.contains(line), "{text}");
}
