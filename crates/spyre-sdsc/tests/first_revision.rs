//! Trees of the first revision (specification, sections 3.5 and 7.1).

mod common;

use common::compile_bundle;

use std::error::Error;
use std::fs;

use serde_json::{Value, json};
use spyre_sdsc::BundleOptions;
use spyre_sdsc::conformance::{Outcome, run_case};
use spyre_sdsc::revision::{Order, R1Allocation, R1Node, lower, lower_loops, unroll};

const SEGMENT: u64 = 16 << 30;

/// An operand in kernel argument `index` with `rows` rows of `sticks` sticks. The host tensor is row-major.
fn operand(index: u64, rows: u64, sticks: u64, coordinates: [&str; 3]) -> Value {
    json!({
        "is_input": index != 2, "arg_index": index, "device_dtype": "SEN169_FP16",
        "device_size": [sticks, rows, 64], "device_coordinates": coordinates,
        "allocation": {"hbm": index * SEGMENT},
        "stride_map": [64, sticks * 64, 1], "per_tile_fixed": false,
    })
}

const MATRIX: [&str; 3] = ["floor(c1/64)", "c0", "Mod(c1, 64)"];

/// `add` of tiles of 512 by 256 elements; the buffers have 1024 rows of 1024 elements.
fn add(tiled: &[&str]) -> Value {
    json!({
        "kind": "op", "op": "add", "is_reduction": false, "tiled_symbols": tiled,
        "iteration_space": [
            {"symbol": "c0", "range": "512", "work_division": 1},
            {"symbol": "c1", "range": "256", "work_division": 1},
        ],
        "op_info": {},
        "args": [operand(0, 1024, 16, MATRIX), operand(1, 1024, 16, MATRIX), operand(2, 1024, 16, MATRIX)],
    })
}

fn looped(count: u32, tiled: &[&str], body: Vec<Value>) -> Value {
    json!({"kind": "loop", "count": count.to_string(), "tiled_symbols": tiled, "body": body})
}

fn tree(nodes: &Value) -> Vec<R1Node> {
    serde_json::from_value(nodes.clone()).unwrap_or_else(|error| panic!("{error}"))
}

/// Where the first operand of every operation starts, and its device size.
fn first_operands(nodes: &[R1Node]) -> Vec<(u64, Vec<u64>)> {
    let counts_of = |node: &R1Node| match node {
        R1Node::Op(op) => match op.args[0].allocation {
            R1Allocation::Hbm(start) => (start, op.args[0].device_size.clone()),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    nodes.iter().map(counts_of).collect()
}

#[test]
fn the_two_orders() -> Result<(), Box<dyn Error>> {
    let inner = looped(4, &["c1"], vec![add(&["c0", "c1"])]);
    let nodes = tree(&json!([looped(2, &["c0"], vec![inner])]));
    // In the buffer, 4 sticks of 1024 rows to the right, and 512 rows of one stick down.
    let device = first_operands(&unroll(&nodes, Order::Device)?);
    let starts: Vec<u64> = device.iter().map(|(start, _)| *start).collect();
    let (right, down) = (4 * 1024 * 64 * 2, 512 * 64 * 2);
    assert_eq!(
        starts,
        [
            0,
            right,
            2 * right,
            3 * right,
            down,
            down + right,
            down + 2 * right,
            down + 3 * right
        ]
    );
    assert!(device.iter().all(|(_, size)| *size == [16, 1024, 64]));
    // In the host tensor, 256 elements to the right, and 512 rows of 1024 down; sizes of a tile.
    let host = first_operands(&unroll(&nodes, Order::Host)?);
    let starts: Vec<u64> = host.iter().map(|(start, _)| *start).collect();
    let (right, down) = (256 * 2, 512 * 1024 * 2);
    assert_eq!(
        starts,
        [
            0,
            right,
            2 * right,
            3 * right,
            down,
            down + right,
            down + 2 * right,
            down + 3 * right
        ]
    );
    // The columns run along the stick, so only the rows have the size of a tile.
    assert!(host.iter().all(|(_, size)| *size == [16, 512, 64]));

    // The device order is that of kept loops.
    let kept = compile_bundle(&lower_loops(&nodes)?, &BundleOptions::default())?;
    let flat = compile_bundle(&lower(&nodes, Order::Device)?, &BundleOptions::default())?;
    let at_segment = |binding: &spyre_sdsc::bundle::ParamBinding| match binding {
        spyre_sdsc::bundle::ParamBinding::Kernel(arg) => u64::from(arg.get()) * SEGMENT,
        other => panic!("{other:?}"),
    };
    let starts = |bundle| -> Vec<_> {
        let executed = common::run::run(bundle, at_segment).into_iter();
        executed.map(|execution| execution.starts).collect()
    };
    assert_eq!(starts(&kept), starts(&flat));
    Ok(())
}

#[test]
fn what_moves() -> Result<(), Box<dyn Error>> {
    // Scratch memory that every tile uses again stays; other scratch memory moved in the first revision.
    let mut op = add(&["c0"]);
    op["args"][0]["per_tile_fixed"] = json!(true);
    op["args"][1]["allocation"] = json!({"lx": 128});
    // Without tiled symbols, a loop has the symbols of its first operation.
    let nodes = tree(&json!([looped(2, &[], vec![op.clone()])]));
    let moved = unroll(&nodes, Order::Host)?;
    let R1Node::Op(second) = &moved[1] else {
        panic!("{moved:?}")
    };
    let step = 512 * 1024 * 2;
    assert!(second.tiled_symbols.is_empty());
    assert_eq!(second.args[0].allocation, R1Allocation::Hbm(0));
    assert_eq!(second.args[0].device_size, [16, 1024, 64]);
    assert_eq!(second.args[1].allocation, R1Allocation::Lx(128 + step));
    assert_eq!(
        second.args[2].allocation,
        R1Allocation::Hbm(2 * SEGMENT + step)
    );
    // Operations outside loops are unchanged; loops that never run disappear.
    let outside = tree(&json!([op, looped(0, &[], vec![op.clone()])]));
    assert_eq!(unroll(&outside, Order::Host)?, outside[..1]);
    Ok(())
}

#[test]
fn what_cannot_move() {
    let error = |edit: fn(&mut Value), order| {
        let mut spec = looped(2, &["c0"], vec![add(&["c0"])]);
        edit(&mut spec);
        match unroll(&tree(&json!([spec])), order) {
            Ok(nodes) => panic!("{nodes:?}"),
            Err(error) => error.to_string(),
        }
    };
    let no_strides: fn(&mut Value) = |spec| spec["body"][0]["args"][1]["stride_map"] = Value::Null;
    assert_eq!(
        error(no_strides, Order::Host),
        "op 'add', operand 1 moves with c0 and has no stride_map for device dimension 1"
    );
    assert_eq!(
        error(|spec| spec["count"] = json!("s0"), Order::Host),
        "loop count `s0` is not a fixed number, so the loop cannot be unrolled"
    );
    let count: fn(&mut Value) = |spec| spec["count"] = json!("9000000000000000000");
    assert!(error(count, Order::Device).contains("the loops unroll to more than"));
    // Tiles of half a stick.
    let half: fn(&mut Value) = |spec| {
        spec["tiled_symbols"] = json!(["c1"]);
        spec["body"][0]["iteration_space"][1]["range"] = json!("32");
    };
    assert_eq!(
        error(half, Order::Device),
        "op 'add', operand 0: tiles of 32 along c1 do not start equal numbers of whole sticks apart"
    );
    // Argument 1 is not in segment 0.
    let mut op = add(&[]);
    op["args"][1]["allocation"] = json!({"hbm": 4096});
    let nodes = tree(&json!([op]));
    let message = lower(&nodes, Order::Host).map_err(|error| error.to_string());
    assert_eq!(
        message,
        Err(
            "op 'add', operand 1: hbm 0x1000 is no address of argument 1, which is at 0x400000000 to 0x7ffffffff; \
             write {\"hbm\": 1} for its start, or {\"hbm\": 17179873280} for its byte 4096"
                .into()
        )
    );
    // An address of another argument.
    op["args"][1]["allocation"] = json!({"hbm": 2 * SEGMENT});
    let message = lower(&tree(&json!([op])), Order::Host).map_err(|error| error.to_string());
    assert_eq!(
        message,
        Err(
            "op 'add', operand 1: hbm 0x800000000 is no address of argument 1, which is at 0x400000000 to \
             0x7ffffffff; write {\"hbm\": 1} for its start"
                .into()
        )
    );
    // A tensor of no argument.
    op["args"][1]["arg_index"] = json!(-1);
    let message = lower(&tree(&json!([op])), Order::Host).map_err(|error| error.to_string());
    assert_eq!(
        message,
        Err(
            "op 'add', operand 1: arg_index=-1 is no kernel argument, and hbm 0x800000000 is an address of argument 2; \
             write arg_index=2"
                .into()
        )
    );
}

/// Returns the outcome of comparing a recorded bundle with kept loops and the function `function`. Its files have
/// the form of the first revision.
fn kept_loops(nodes: &Value, function: &str) -> Result<Outcome, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let expected = folder.path().join("expected");
    fs::create_dir(&expected)?;
    let mut options = BundleOptions::first_revision();
    options.addresses = spyre_sdsc::AddressMode::Symbolic;
    let bundle = compile_bundle(&lower_loops(&tree(nodes))?, &options)?;
    bundle.write_to_dir(&expected)?;
    fs::write(expected.join("bundle.mlir"), function)?;
    let names: Vec<String> = bundle.files().map(|(name, _)| name).collect();
    let case = json!({
        "schema": "spyre-bundle-case/1", "revision": "r1", "stage": "bundle", "specs": nodes,
        "options": {"unroll_loops": false, "symbolic_args": true},
        "outcome": {"status": "ok"}, "expected_files": names,
    });
    fs::write(folder.path().join("case.json"), case.to_string())?;
    Ok(run_case(folder.path())?)
}

const DIFFERS_IN_STRIDES: &str = "bundle.mlir differs only in the strides of kept loops";

fn reason(outcome: Outcome) -> String {
    match outcome {
        Outcome::Excluded { reason } => reason,
        other => panic!("{other:?}"),
    }
}

/// The strides of the first revision's kept loops are too large by the extent of a tile. Each case has the whole
/// text that its formula gives.
#[test]
fn kept_loops_differ_in_their_strides() -> Result<(), Box<dyn Error>> {
    let heading = "\tfunc.func @sdsc_bundle(%arg_0_base_addr: !sdscbundle.input_arg<index>, %arg_1_base_addr: \
                   !sdscbundle.input_arg<index>, %arg_2_base_addr: !sdscbundle.input_arg<index>) {\n\
                   \t\t%arg_0 = sdscbundle.input_arg_extract value from %arg_0_base_addr : \
                   !sdscbundle.input_arg<index> -> index\n\
                   \t\t%arg_1 = sdscbundle.input_arg_extract value from %arg_1_base_addr : \
                   !sdscbundle.input_arg<index> -> index\n\
                   \t\t%arg_2 = sdscbundle.input_arg_extract value from %arg_2_base_addr : \
                   !sdscbundle.input_arg<index> -> index\n\
                   \t\t%c0 = arith.constant 0 : index\n\t\t%c1 = arith.constant 1 : index\n";
    let execute = "sdscbundle.sdsc_execute (%addr_0, %addr_1, %addr_2) \
                   {sdsc_filename=\"sdsc_0.json\", \"symbol_ids\"=[-1, -2, -3]}\n";

    // Rows: a tile is 512 * 64 * 2 = 65536 bytes on; 512 times that was printed.
    let rows = json!([looped(2, &["c0"], vec![add(&["c0"])])]);
    let text = |stride: u64, count: u32| {
        format!(
            "#map_0 = affine_map<(d0)[s0] -> (s0 + {stride}*d0)>\nmodule {{\n{heading}\
             \t\t%loop_bound_0 = arith.constant {count} : index\n\
             \t\tscf.for %i_0 = %c0 to %loop_bound_0 step %c1 {{\n\
             \t\t\t%addr_0 = affine.apply #map_0(%i_0)[%arg_0]\n\
             \t\t\t%addr_1 = affine.apply #map_0(%i_0)[%arg_1]\n\
             \t\t\t%addr_2 = affine.apply #map_0(%i_0)[%arg_2]\n\
             \t\t\t{execute}\t\t}}\n\t\treturn\n\t}}\n}}\n"
        )
    };
    assert_eq!(kept_loops(&rows, &text(65536, 2))?, Outcome::Matched);
    let wrong = reason(kept_loops(&rows, &text(33_554_432, 2))?);
    assert!(wrong.contains(DIFFERS_IN_STRIDES), "{wrong}");

    // Columns: a tile is 4 sticks of 1024 rows on, 524288 bytes; 256 times that was printed.
    let columns = json!([looped(4, &["c1"], vec![add(&["c1"])])]);
    assert_eq!(kept_loops(&columns, &text(524_288, 4))?, Outcome::Matched);
    let wrong = reason(kept_loops(&columns, &text(134_217_728, 4))?);
    assert!(wrong.contains(DIFFERS_IN_STRIDES), "{wrong}");

    // Rows and columns, and an operand without rows, which the rows moved nevertheless.
    let mut op = add(&["c0", "c1"]);
    op["args"][1] = operand(1, 16, 1, ["0", "floor(c1/64)", "Mod(c1, 64)"]);
    let inner = looped(4, &["c1"], vec![op]);
    let nested = json!([looped(2, &["c0"], vec![inner])]);
    let text = |maps: &str, of_row: &str| {
        format!(
            "{maps}module {{\n{heading}\
             \t\t%loop_bound_0 = arith.constant 2 : index\n\t\t%loop_bound_1 = arith.constant 4 : index\n\
             \t\tscf.for %i_0 = %c0 to %loop_bound_0 step %c1 {{\n\
             \t\t\tscf.for %i_1 = %c0 to %loop_bound_1 step %c1 {{\n\
             \t\t\t\t%addr_0 = affine.apply #map_0(%i_0, %i_1)[%arg_0]\n\
             \t\t\t\t%addr_1 = affine.apply #map_1({of_row})[%arg_1]\n\
             \t\t\t\t%addr_2 = affine.apply #map_0(%i_0, %i_1)[%arg_2]\n\
             \t\t\t\t{execute}\t\t\t}}\n\t\t}}\n\t\treturn\n\t}}\n}}\n"
        )
    };
    let right = "#map_0 = affine_map<(d0, d1)[s0] -> (s0 + 65536*d0 + 524288*d1)>\n\
                 #map_1 = affine_map<(d0)[s0] -> (s0 + 512*d0)>\n";
    assert_eq!(kept_loops(&nested, &text(right, "%i_1"))?, Outcome::Matched);
    let large = "#map_0 = affine_map<(d0, d1)[s0] -> (s0 + 33554432*d0 + 134217728*d1)>\n\
                 #map_1 = affine_map<(d0, d1)[s0] -> (s0 + 524288*d0 + 131072*d1)>\n";
    let wrong = reason(kept_loops(&nested, &text(large, "%i_0, %i_1"))?);
    assert!(wrong.contains(DIFFERS_IN_STRIDES), "{wrong}");
    Ok(())
}

#[test]
fn other_differences_of_kept_loops_are_named() -> Result<(), Box<dyn Error>> {
    let rows = json!([looped(2, &["c0"], vec![add(&["c0"])])]);
    let mut options = BundleOptions::first_revision();
    options.addresses = spyre_sdsc::AddressMode::Symbolic;
    let text = compile_bundle(&lower_loops(&tree(&rows))?, &options)?.mlir_text();
    for (from, to, part) in [
        ("65536*d0", "65537*d0", "moves by 65537 with %i_0"),
        (
            "(%i_0)[%arg_1]",
            "(%i_0)[%arg_0]",
            "`%addr_1 = [%arg_0]` against `%addr_1 = [%arg_1]`",
        ),
        (
            "constant 2 :",
            "constant 3 :",
            "`%loop_bound_0 = arith.constant 3 : index` against",
        ),
        ("\t\treturn\n", "\t\treturn\n\t\treturn\n", "lines against"),
        ("(%i_0)[%arg_1]", "(%i_9)[%arg_1]", "moves with %i_0"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let reason = reason(kept_loops(&rows, &changed)?);
        assert!(
            reason.contains("bundle.mlir differs: ") && reason.contains(part),
            "{part} in {reason}"
        );
    }
    Ok(())
}

/// The advance of every operand of the operation inside two loops, as text.
fn advances(nodes: &Value) -> Result<Vec<Option<String>>, String> {
    let lowered = lower_loops(&tree(nodes)).map_err(|error| error.to_string())?;
    let mut node = &lowered[0];
    while let spyre_sdsc::Node::Loop(spec) = node {
        node = &spec.body[0];
    }
    let spyre_sdsc::Node::Op(op) = node else {
        panic!("{node:?}")
    };
    let advance = |arg: &spyre_sdsc::TensorArg| arg.advance.as_ref().map(ToString::to_string);
    Ok(op.args.iter().map(advance).collect())
}

#[test]
fn symbols_of_an_operation_are_spread_over_its_loops() {
    let nested = |outer: &[&str], inner: &[&str], innermost: &[&str]| {
        json!([looped(
            2,
            outer,
            vec![looped(4, inner, vec![add(innermost)])]
        )])
    };
    let both = advances(&nested(&["c0"], &["c1"], &["c0", "c1"]));
    // 512 rows of a stick down, and 4 sticks of 1024 rows to the right.
    let expected = "32768*_tile_level0 + 262144*_tile_level1".to_owned();
    assert_eq!(both, Ok(vec![Some(expected); 3]));
    // Stated at the operation alone, or by one of the loops.
    for (outer, inner) in [(&[][..], &[][..]), (&[], &["c1"]), (&["c0"], &[])] {
        assert_eq!(
            advances(&nested(outer, inner, &["c0", "c1"])),
            both,
            "{outer:?} {inner:?}"
        );
    }
    // One loop of two moves along the rows, and neither states it.
    assert_eq!(
        advances(&nested(&[], &[], &["c0"])),
        Err(
            "op 'add': tiled_symbols has c0 for 2 loops without tiled_symbols; give each LoopSpec its \
             tiled_symbols, or the operation one symbol for each loop, outermost first"
                .into()
        )
    );
    // Both loops divide the columns: the outer one moves over all tiles of the inner one.
    let columns = json!([looped(2, &["c1"], vec![looped(2, &["c1"], vec![add(&[])])])]);
    let expected = "524288*_tile_level0 + 262144*_tile_level1".to_owned();
    assert_eq!(advances(&columns), Ok(vec![Some(expected); 3]));
}

#[test]
fn scratch_memory_is_used_again_by_every_tile_of_kept_loops() {
    let mut op = add(&["c0"]);
    op["args"][1]["allocation"] = json!({"lx": 128});
    let kept = advances(&json!([looped(2, &[], vec![op])]));
    let moved = Some("32768*_tile_level0".to_owned());
    assert_eq!(kept, Ok(vec![moved.clone(), None, moved]));
}

#[test]
fn sizes_of_a_tile_in_device_memory_are_refused() {
    let mut op = add(&["c0", "c1"]);
    op["args"][2]["device_size"] = json!([4, 512, 64]);
    let nested = json!([looped(2, &[], vec![looped(4, &[], vec![op])])]);
    assert_eq!(
        advances(&nested),
        Err(
            "op 'add', operand 2 is in device memory, and the loops visit 16 elements of its device dimension 0, but \
             device_size [4, 512, 64] has 4 there, the size of one tile; write the device_size of the whole tensor, \
             [16, 1024, 64], since the distances between tiles are those in the whole"
                .into()
        )
    );
}

#[test]
fn counts_without_a_value_are_not_about_unrolling() {
    let mut spec = looped(2, &["c0"], vec![add(&["c0"])]);
    spec["count"] = json!("s0");
    let message = advances(&json!([spec])).expect_err("no bounds");
    assert!(
        message.starts_with("loop count `s0` is not a fixed number: a tree of the first revision")
            && !message.contains("unroll"),
        "{message}"
    );
}
