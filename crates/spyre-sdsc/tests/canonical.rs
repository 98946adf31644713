//! The program that the documentation shows: `y = a + b; z = y * c` on [1024, 4096] fp16, tiled 2 by 4, 32 cores.

mod common;

use std::fmt::Write;

use common::{compile, matrix, parse};
use spyre_sdsc::bundle::Stmt;
use spyre_sdsc::{Allocation, Expr, LoopSpec, Node, OpSpec, Symbol};

/// Tiles are 512 by 1024. In device size [64, 1024, 64] a tile of rows is 512 * 64 elements further, a tile of
/// columns 16 sticks of 1024 * 64 elements.
fn advance() -> Expr {
    parse("32768*rows + 1048576*columns")
}

fn tile_op(op: &str) -> OpSpec {
    OpSpec::pointwise(op)
        .with_dim("c0", Expr::int(512), 32)
        .with_dim("c1", Expr::int(1024), 1)
        .with_tiled_level([Symbol::from("columns")])
        .with_tiled_level([Symbol::from("rows")])
        .with_trip_count("rows", 2)
        .with_trip_count("columns", 4)
}

fn program() -> Vec<Node> {
    let argument = |index| matrix(1024, 4096, Allocation::argument(index)).advancing(advance());
    let y = || matrix(512, 1024, Allocation::lx(0));
    let add = tile_op("add")
        .with_input(argument(0))
        .with_input(argument(1))
        .with_output(y());
    let mul = tile_op("mul")
        .with_input(y())
        .with_input(argument(2))
        .with_output(argument(3));
    let inner = LoopSpec::new(4, vec![add.into(), mul.into()]);
    vec![LoopSpec::new(2, vec![inner.into()]).into()]
}

/// The text, put together from the specification's forms. A core works on 512/32 = 16 rows, which are
/// 16 * 64 elements of 2 bytes apart.
fn expected_text() -> String {
    const CORE_BYTES: u64 = 16 * 64 * 2;
    let mut text = String::from(
        "#map_0 = affine_map<(d0, d1)[s0] -> (s0 + 65536*d0 + 2097152*d1)>\nmodule {\n",
    );
    let ty = "!sdscbundle.input_arg<index>";
    let params: Vec<String> = (0..4)
        .map(|arg| format!("%arg_{arg}_base_addr: {ty}"))
        .collect();
    writeln!(text, "\tfunc.func @sdsc_bundle({}) {{", params.join(", ")).unwrap();
    for arg in 0..4 {
        writeln!(text, "\t\t%arg_{arg} = sdscbundle.input_arg_extract value from %arg_{arg}_base_addr : {ty} -> index")
            .unwrap();
    }
    for (name, value) in [
        ("c0", 0),
        ("c1", 1),
        ("loop_bound_0", 2),
        ("loop_bound_1", 4),
    ] {
        writeln!(text, "\t\t%{name} = arith.constant {value} : index").unwrap();
    }
    for arg in 0..4 {
        for core in 1..32 {
            let offset = core * CORE_BYTES;
            writeln!(
                text,
                "\t\t%arg_{arg}_core_offset_{offset} = arith.constant {offset} : index"
            )
            .unwrap();
            writeln!(
                text,
                "\t\t%arg_{arg}_core_{offset} = arith.addi %arg_{arg}, %arg_{arg}_core_offset_{offset} : index"
            )
            .unwrap();
        }
    }
    text.push_str("\t\tscf.for %i_0 = %c0 to %loop_bound_0 step %c1 {\n");
    text.push_str("\t\t\tscf.for %i_1 = %c0 to %loop_bound_1 step %c1 {\n");
    for (file, args) in [[0, 1], [2, 3]].iter().enumerate() {
        for (position, arg) in args.iter().enumerate() {
            for core in 0..32 {
                let number = (file * 2 + position) * 32 + core as usize;
                let base = match core * CORE_BYTES {
                    0 => format!("arg_{arg}"),
                    offset => format!("arg_{arg}_core_{offset}"),
                };
                writeln!(
                    text,
                    "\t\t\t\t%addr_{number} = affine.apply #map_0(%i_0, %i_1)[%{base}]"
                )
                .unwrap();
            }
        }
        let numbers = file * 64..(file + 1) * 64;
        let operands: Vec<String> = numbers.clone().map(|n| format!("%addr_{n}")).collect();
        let ids: Vec<String> = numbers.map(|n| format!("-{}", n + 1)).collect();
        writeln!(
            text,
            "\t\t\t\tsdscbundle.sdsc_execute ({}) {{sdsc_filename=\"sdsc_{file}.json\", \"symbol_ids\"=[{}]}}",
            operands.join(", "),
            ids.join(", ")
        )
        .unwrap();
    }
    text.push_str("\t\t\t}\n\t\t}\n\t\treturn\n\t}\n}\n");
    text
}

#[test]
fn the_whole_function() {
    assert_eq!(compile(&program()).mlir_text(), expected_text());
}

#[test]
fn the_ast_says_the_same() {
    let bundle = compile(&program());
    let function = bundle.function();
    let strides: Vec<u64> = function.maps[0]
        .strides
        .iter()
        .map(|stride| stride.get())
        .collect();
    assert_eq!((function.maps.len(), strides), (1, vec![65536, 2_097_152]));
    let [.., Stmt::For { iv, body, .. }] = function.body.as_slice() else {
        panic!("no loop at the end")
    };
    assert_eq!(function.name(*iv), "i_0");
    let [Stmt::For { body, .. }] = body.as_slice() else {
        panic!("no inner loop")
    };
    let executes = body
        .iter()
        .filter(|stmt| matches!(stmt, Stmt::Execute { .. }))
        .count();
    assert_eq!((body.len(), executes), (4 * 32 + 2, 2));
}

#[test]
fn the_files() -> Result<(), serde_json::Error> {
    let bundle = compile(&program());
    let names: Vec<String> = bundle.files().map(|(name, _)| name).collect();
    assert_eq!(names, ["bundle.mlir", "sdsc_0.json", "sdsc_1.json"]);
    let add = serde_json::to_value(bundle.sdsc_files()[0].sdsc())?;
    let dsc = &add["0_add"]["dscs_"][0]["add"];
    assert_eq!(
        dsc["N_"],
        serde_json::json!({"name_": "n", "mb_": 512, "out_": 1024})
    );
    let stage = &dsc["dataStageParam_"]["0"]["ss_"];
    assert_eq!((&stage["mb_"], &stage["out_"]), (&16.into(), &1024.into()));
    // a is a window of 512 rows of 1024 and of 1024 columns of 4096; y is a separate buffer in the scratchpad.
    let a = &dsc["scheduleTree_"][0];
    assert_eq!(
        a["backGapCore_"],
        serde_json::json!({"mb": {"-1": "512"}, "out": {"-1": "3072"}})
    );
    assert_eq!(a["startAddressCoreCorelet_"]["data_"]["[31, 0, 0]"], "-32");
    let y = &dsc["scheduleTree_"][2];
    assert_eq!(
        (
            &y["component_"],
            y.get("backGapCore_"),
            y.get("isStartAddrSymbolic_")
        ),
        (&"lx".into(), None, None)
    );
    assert_eq!(y["startAddressCoreCorelet_"]["data_"]["[31, 0, 0]"], "0");
    assert_eq!(dsc["constantInfo_"], "{}");
    Ok(())
}

#[test]
fn the_directory() -> std::io::Result<()> {
    let directory = tempfile::tempdir()?;
    let bundle = compile(&program());
    bundle.write_to_dir(directory.path())?;
    for (name, contents) in bundle.files() {
        assert_eq!(
            std::fs::read(directory.path().join(&name))?,
            contents?,
            "{name}"
        );
    }
    assert_eq!(std::fs::read_dir(directory.path())?.count(), 3);
    Ok(())
}
