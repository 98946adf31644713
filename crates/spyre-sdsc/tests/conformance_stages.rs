//! The stages of the conformance runner, on cases built here: the compared parts, and their equality.

mod common;

use std::error::Error;
use std::fs;

use common::*;
use serde_json::{Value, json};
use spyre_sdsc::bundle::{SymbolBase, compile_op};
use spyre_sdsc::codegen::{EnclosingLoops, PlanOptions};
use spyre_sdsc::conformance::{Outcome, run_case};
use spyre_sdsc::{Allocation, Expr, Node, OpSpec};

/// Runs a case with the given expected files.
fn outcome(case: &Value, files: &[(&str, String)]) -> Result<Outcome, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let expected = folder.path().join("expected");
    fs::create_dir(&expected)?;
    for (name, contents) in files {
        fs::write(expected.join(name), contents)?;
    }
    let mut case = case.clone();
    case["schema"] = json!("spyre-bundle-case/1");
    case["expected_files"] = files.iter().map(|(name, _)| *name).collect();
    if case["outcome"].is_null() {
        case["outcome"] = json!({"status": "ok"});
    }
    fs::write(folder.path().join("case.json"), case.to_string())?;
    Ok(run_case(folder.path())?)
}

fn difference(outcome: Outcome) -> String {
    match outcome {
        Outcome::Mismatch { difference } => difference,
        other => panic!("{other:?}"),
    }
}

/// A compiled operation of two cores; the start of the second core derives from symbol `base`.
fn compiled(base: i64) -> Value {
    let kind = |kind: &str, base: i64, offset: i64, arg: i64| {
        json!({"kind": kind, "base_sym_idx": base, "offset": offset, "arg_index": arg, "granularity": 0,
               "max_value": 0, "pytorch_sym": "", "core_idx": -1, "split_count": 0})
    };
    json!({
        "kind": "compiled",
        "sdsc_json": {"0_exp": {"dscs_": [{"exp": {"scheduleTree_": [
            {"component_": "hbm", "startAddressCoreCorelet_": {"data_": {"[0, 0, 0]": "-2", "[1, 0, 0]": "-3"}}},
            {"component_": "lx", "startAddressCoreCorelet_": {"data_": {"[0, 0, 0]": "64", "[1, 0, 0]": "64"}}},
        ]}}]}},
        "symbol_values": [4, 260, 772], "appended_symbols": [4, 260, 772],
        // Outermost loop first, as the printer gets them.
        "affine_strides": [[[{"symbol": "b", "stride": 4096}], [{"symbol": "a", "stride": 128}]], []],
        "symbol_kinds": [kind("kernel", -1, 0, 4), kind("kernel_slice", -1, 256, 4), kind("kernel_derived", base, 512, 4)],
    })
}

#[test]
fn functions_of_compiled_operations() -> Result<(), Box<dyn Error>> {
    let case = |base| {
        let inner = json!({"kind": "loop", "count": "3", "body": [compiled(base)]});
        json!({"revision": "r2", "stage": "emit", "specs": [{"kind": "loop", "count": "2", "body": [inner]}]})
    };
    let text = |declared: &str, second: &str| {
        format!(
            "#map_0 = affine_map<(d0, d1)[s0] -> (s0 + 4096*d0 + 128*d1)>\nmodule {{\n\
             \tfunc.func @sdsc_bundle(%arg_4_base_addr: !sdscbundle.input_arg<index>) {{\n\
             \t\t%arg_4 = sdscbundle.input_arg_extract value from %arg_4_base_addr : \
             !sdscbundle.input_arg<index> -> index\n\
             \t\t%c0 = arith.constant 0 : index\n\t\t%c1 = arith.constant 1 : index\n\
             \t\t%loop_bound_0 = arith.constant 2 : index\n\t\t%loop_bound_1 = arith.constant 3 : index\n\
             \t\t%arg_4_slice_offset_256 = arith.constant 256 : index\n\
             \t\t%arg_4_slice_256 = arith.addi %arg_4, %arg_4_slice_offset_256 : index\n{declared}\
             \t\tscf.for %i_0 = %c0 to %loop_bound_0 step %c1 {{\n\
             \t\t\tscf.for %i_1 = %c0 to %loop_bound_1 step %c1 {{\n\
             \t\t\t\t%addr_0 = affine.apply #map_0(%i_0, %i_1)[%arg_4_slice_256]\n\
             \t\t\t\t%addr_1 = affine.apply #map_0(%i_0, %i_1)[{second}]\n\
             \t\t\t\tsdscbundle.sdsc_execute (%addr_0, %addr_1) {{sdsc_filename=\"sdsc_0.json\", \
             \"symbol_ids\"=[-2, -3]}}\n\t\t\t}}\n\t\t}}\n\t\treturn\n\t}}\n}}\n"
        )
    };
    let derived = text(
        "\t\t%arg_4_slice_256_core_offset_512 = arith.constant 512 : index\n\
         \t\t%arg_4_slice_256_core_512 = arith.addi %arg_4_slice_256, %arg_4_slice_256_core_offset_512 : index\n",
        "%arg_4_slice_256_core_512",
    );
    let file = |text: String| [("bundle.mlir", text)];
    assert_eq!(outcome(&case(1), &file(derived.clone()))?, Outcome::Matched);
    let wrong = difference(outcome(
        &case(1),
        &file(derived.replacen("4096*d0", "4097*d0", 1)),
    )?);
    assert!(
        wrong.starts_with("bundle.mlir, line 1: expected"),
        "{wrong}"
    );
    // The values may be only in the list of appended symbols, or be keys.
    for (path, values) in [
        ("/symbol_values", json!([])),
        ("/appended_symbols", json!([])),
        (
            "/symbol_values",
            json!([["kernel", 4], ["kernel_slice", 4, 256], 772]),
        ),
    ] {
        let mut changed = case(1);
        let op = changed
            .pointer_mut("/specs/0/body/0/body/0")
            .ok_or("no operation")?;
        *op.pointer_mut(path).ok_or(path)? = values;
        assert_eq!(
            outcome(&changed, &file(derived.clone()))?,
            Outcome::Matched,
            "{path}"
        );
    }
    let mut changed = case(1);
    let appended = "/specs/0/body/0/body/0/appended_symbols/1";
    *changed.pointer_mut(appended).ok_or(appended)? = json!(261);
    assert_eq!(
        difference(outcome(&changed, &file(derived.clone()))?),
        "the values of the symbols are [4, 260, 772], and [4, 261, 772] are appended"
    );
    // A base that is no symbol makes the start a number.
    let number = text("\t\t%sym_3 = arith.constant 772 : index\n", "%sym_3");
    assert_eq!(outcome(&case(9), &file(number))?, Outcome::Matched);
    // More levels than loops.
    let flat = json!({"revision": "r2", "stage": "emit", "specs": [compiled(1)]});
    assert_eq!(
        difference(outcome(&flat, &file(derived))?),
        "2 levels in 0 loops"
    );
    Ok(())
}

/// `neg` of 64 rows over two cores, from a window into an argument.
fn neg() -> OpSpec {
    let mut input = matrix(64, 64, Allocation::argument(3));
    input.device_size[1] = 80;
    input.device_coordinates[1] = parse("c0 + 16");
    OpSpec::pointwise("neg")
        .with_dim("c0", Expr::int(64), 2)
        .with_dim("c1", Expr::int(64), 1)
        .with_input(input.advancing(parse("64*t")))
        .with_output(matrix(64, 64, Allocation::lx(128)))
        .with_tiled_level(["t".into()])
}

/// Returns the recorded form of [`neg`] as file 2, with identifiers after 5.
fn recorded() -> Result<(String, Value), Box<dyn Error>> {
    let options = PlanOptions::default();
    let base = SymbolBase::new(5);
    let file = compile_op(&neg(), 2, base, EnclosingLoops::Unknown, &options)?;
    let mut contents = Vec::new();
    file.write_to(&mut contents)?;
    let kind = |kind: &str, base: i64, offset: i64| {
        json!({"kind": kind, "base_sym_idx": base, "offset": offset, "arg_index": 3, "granularity": 0,
               "max_value": 0, "pytorch_sym": "", "core_idx": -1, "split_count": 0})
    };
    // 16 rows of 128 bytes, then 32 rows per core.
    let result = json!({
        "symbol_values": [["kernel", 3], ["kernel_slice", 3, 2048], 3 + 2048 + 4096],
        "symbols_after": [7, 3, 3 + 2048, 3 + 2048 + 4096],
        "affine_strides": [[[{"symbol": "t", "stride": 128}]], [[]]],
        "symbol_kinds": [kind("kernel", -1, 0), kind("kernel_slice", -1, 2048), kind("kernel_derived", 2, 4096)],
    });
    Ok((String::from_utf8(contents)?, result))
}

#[test]
fn single_operations() -> Result<(), Box<dyn Error>> {
    let (contents, result) = recorded()?;
    assert!(contents.contains("\"2_neg\"") && contents.contains("\"[1, 0, 0]\": \"-8\""));
    let options = json!({"idx": 2, "symbol_id_offset": 5, "symbols_before": [7]});
    let node = Node::from(neg());
    let compile =
        json!({"revision": "r2", "stage": "compile_op", "options": options, "specs": [node]});
    let files = |result: &Value| {
        [
            ("sdsc_2.json", contents.clone()),
            ("result.json", result.to_string()),
        ]
    };
    assert_eq!(outcome(&compile, &files(&result))?, Outcome::Matched);
    for (path, wrong) in [
        ("/symbol_values/2", json!(6146)),
        ("/symbols_after/0", json!(8)),
        ("/affine_strides/0/0/0/stride", json!(64)),
        ("/symbol_kinds/2/base_sym_idx", json!(1)),
    ] {
        let mut changed = result.clone();
        *changed.pointer_mut(path).ok_or(path)? = wrong;
        let text = difference(outcome(&compile, &files(&changed))?);
        assert!(text.starts_with("result.json: expected"), "{text}");
    }
    let mut other = compile.clone();
    other["options"]["symbol_id_offset"] = json!(4);
    assert!(difference(outcome(&other, &files(&result))?).starts_with("sdsc_2.json, line"));
    Ok(())
}

/// Returns the recorded operation with every number of its plan written down.
fn planned_negation() -> Value {
    let arg = |place: Value, start: u64, index: i64, gap: Value, offset: u64| {
        json!({
            "layout": "OUTPUT", "dim_order": ["mb", "out"], "data_format": "SEN169_FP16",
            "scales": {"mb": 1, "out": 1}, "strides": {"mb": 4096, "out": 5120}, "offsets": {"mb": offset, "out": 0},
            "max_dim_sizes": {"mb": -1, "out": -1}, "allocation": place, "start_address": start, "backGap": gap,
            "arg_index": index, "is_index_tensor": false, "related_value_tensor_idx": -1,
        })
    };
    let mut input = arg(json!({"hbm": 3}), 3, 3, json!({"mb": 16}), 1024);
    input["device_tile_advance_expr"] = json!("64*t");
    json!({
        "opfunc": "neg", "execution_unit": "sfp", "data_format": "SEN169_FP16", "num_inputs": 1,
        "iteration_space": {"mb": 64, "out": 64}, "num_cores": 2, "work_slices": {"mb": 2, "out": 1},
        "core_id_to_work_slice": {"mb": "Mod(core_id, 2)", "out": "0"}, "padding": {},
        "layouts": {"OUTPUT": {"dim_order": ["mb", "out"], "stick_dim_order": ["out"], "stick_size": [64]}},
        "args": [input, arg(json!({"lx": 128}), 128, -1, json!({}), 0)],
        "constants": {}, "coordinate_masking": {}, "symbolic_dims": {},
    })
}

#[test]
fn planned_operations() -> Result<(), Box<dyn Error>> {
    let (contents, result) = recorded()?;
    let planned = planned_negation();
    let case = |planned: Value| {
        json!({"revision": "r2", "stage": "sdsc", "sdsc_spec": planned, "options":
               {"idx": 2, "symbol_id_offset": 5, "symbols_before": [7], "tiled_symbols": [["t"]]}})
    };
    let files = [
        ("sdsc_2.json", contents),
        ("result.json", result.to_string()),
    ];
    assert_eq!(outcome(&case(planned.clone()), &files)?, Outcome::Matched);
    for (path, wrong, part) in [
        ("/iteration_space/mb", json!(128), "sdsc_2.json, line"),
        ("/args/0/offsets/mb", json!(0), "sdsc_2.json, line"),
        ("/args/0/scales/mb", json!(3), "scale Some(3) of mb"),
        (
            "/args/1/allocation",
            json!({"rom": 0}),
            "allocation Some(\"rom\")",
        ),
        (
            "/core_id_to_work_slice/mb",
            json!("1 - Mod(core_id, 2)"),
            "are no mixed-radix number",
        ),
        ("/args/0/layout", json!("NONE"), "no layout NONE"),
        (
            "/args/0/start_address",
            json!(u64::MAX),
            "an address does not fit 63 bits",
        ),
        (
            "/coordinate_masking",
            json!({"mb": [[1, 2]]}),
            "elements are masked, but the constant samv-maskvalue is missing",
        ),
        (
            "/iteration_space",
            json!({"d0": 64, "out": 256}),
            "mb is not iterated over",
        ),
    ] {
        let mut changed = planned.clone();
        *changed.pointer_mut(path).ok_or(path)? = wrong;
        let text = difference(outcome(&case(changed), &files)?);
        assert!(text.contains(part), "{part} in {text}");
    }
    // Names are free in planned operations.
    let renamed = |text: &str| {
        text.replace("\"mb\"", "\"d0\"")
            .replace("\"mb_\"", "\"d0_\"")
            .replace("\"OUTPUT\"", "\"A\"")
    };
    let other: Value = serde_json::from_str(&renamed(&planned.to_string()))?;
    let other_files = files.clone().map(|(name, text)| (name, renamed(&text)));
    assert_eq!(outcome(&case(other), &other_files)?, Outcome::Matched);
    let mut runtime = planned;
    runtime["symbolic_dims"] = json!({"mb": "s0"});
    assert!(matches!(
        outcome(&case(runtime), &files)?,
        Outcome::Excluded { .. }
    ));
    Ok(())
}

#[test]
fn known_defects_are_matched_and_named() -> Result<(), Box<dyn Error>> {
    // The mask constant comes after the constants of the operation.
    let mean = OpSpec::reduction("mean")
        .with_dim("c0", Expr::int(64), 1)
        .with_dim("c1", Expr::int(100), 1)
        .with_constant("scaling_factor", 0.01)
        .with_input(matrix(64, 100, Allocation::argument(0)))
        .with_output(tensor(1, &[1, 64, 64], &["0", "c0", "0"]));
    let bundle = compile_r3(&[mean.clone().into()]);
    let mut contents = Vec::new();
    bundle.sdsc_files()[0].write_to(&mut contents)?;
    let contents = String::from_utf8(contents)?;
    let case = |op: OpSpec| json!({"revision": "r2", "stage": "bundle", "specs": [Node::from(op)]});
    let files = |from: &str, to: &str| {
        let changed = contents.replacen(from, to, 1);
        assert_ne!(changed, contents);
        [
            ("bundle.mlir", bundle.mlir_text()),
            ("sdsc_0.json", changed),
        ]
    };
    let ours = "\"maskingConstId_\": 1";
    match outcome(&case(mean.clone()), &files(ours, "\"maskingConstId_\": 0"))? {
        Outcome::MatchedExcept { exception } => assert!(exception.starts_with("maskingConstId_")),
        other => panic!("{other:?}"),
    }
    let wrong = outcome(&case(mean.clone()), &files(ours, "\"maskingConstId_\": 2"))?;
    assert!(difference(wrong).contains("expected `\"maskingConstId_\": 2,`"));

    // The second core of 512 rows of 128 bytes starts in the middle, wherever the middle is when it runs.
    let mut exp = exp(
        matrix(512, 256, Allocation::argument(0)),
        matrix(512, 256, Allocation::argument(1)),
        0,
    )
    .with_runtime_size("s0", bounds(512, 32));
    exp.iteration_space[0].extent = Expr::symbol("s0");
    exp.iteration_space[0].slices = 2;
    let bundle = compile_r3(&[exp.clone().into()]);
    let mut contents = Vec::new();
    bundle.sdsc_files()[0].write_to(&mut contents)?;
    let lines = bundle.mlir_text();
    let start = |number: u64| {
        let mut text = lines.replacen("#map_0 = affine_map<(d0)[s0] -> (s0 + 64*d0)>\n", "", 1);
        for (arg, id, value) in [(0, 3, number), (1, 5, number + 1)] {
            let name = format!("%arg_{arg}_sym_0_1_times_64");
            text = text
                .replacen(
                    &format!("{name} = affine.apply #map_0(%sym_0_1)[%arg_{arg}]"),
                    &format!("%sym_{id} = arith.constant {value} : index"),
                    1,
                )
                .replacen(&name, &format!("%sym_{id}"), 1);
        }
        text
    };
    let files = |number| -> Result<_, Box<dyn Error>> {
        let json = String::from_utf8(contents.clone())?;
        Ok([("bundle.mlir", start(number)), ("sdsc_0.json", json)])
    };
    match outcome(&case(exp.clone()), &files(32768)?)? {
        Outcome::MatchedExcept { exception } => assert!(exception.starts_with("starts of cores")),
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        outcome(&case(exp), &files(32640)?)?,
        Outcome::Mismatch { .. }
    ));
    Ok(())
}

/// Two operations on four cores: every core but the first has a different number, also where only columns differ.
#[test]
fn recorded_starts_along_runtime_sizes() -> Result<(), Box<dyn Error>> {
    let op = || {
        let buffer = |index| matrix(512, 128, Allocation::argument(index));
        Node::from(
            OpSpec::pointwise("exp")
                .with_dim("c0", Expr::symbol("s0"), 2)
                .with_dim("c1", Expr::int(128), 2)
                .with_runtime_size("s0", bounds(512, 32))
                .with_input(buffer(0))
                .with_output(buffer(1)),
        )
    };
    let nodes = [op(), op()];
    let bundle = compile_r3(&nodes);
    let mut declared = String::new();
    for base in [0, 9] {
        for (arg, first) in [(0, 3), (1, 7)] {
            // Half of 512 rows of 128 bytes, and one stick of all rows.
            for (core, start) in [32768, 65536, 98304].iter().enumerate() {
                let id = base + first + core;
                declared += &format!("\t\t%sym_{id} = arith.constant {} : index\n", start + arg);
            }
        }
    }
    let execute = |file: u32, base: u32| {
        let id = |i: u32| base + i;
        let ids: Vec<String> = (1..10).map(|i| format!("-{}", id(i))).collect();
        format!(
            "\t\tsdscbundle.sdsc_execute (%sym_0_1, %arg_0, %sym_{}, %sym_{}, %sym_{}, %arg_1, %sym_{}, %sym_{}, \
             %sym_{}) {{sdsc_filename=\"sdsc_{file}.json\", \"symbol_ids\"=[{}]}}\n",
            id(3),
            id(4),
            id(5),
            id(7),
            id(8),
            id(9),
            ids.join(", ")
        )
    };
    let arg = |index: u32| format!("%arg_{index}_base_addr: !sdscbundle.input_arg<index>");
    let size = "!sdscbundle.input_arg<index, granularity=32, max_value=512>";
    let extract = |name: &str, param: &str, ty: &str| {
        format!("\t\t%{name} = sdscbundle.input_arg_extract value from %{param} : {ty} -> index\n")
    };
    let pointer = "!sdscbundle.input_arg<index>";
    let text = format!(
        "module {{\n\tfunc.func @sdsc_bundle({}, {}, %sym_0_1_base: {size}) {{\n{}{}{}{declared}{}{}\t\treturn\n\t}}\n}}\n",
        arg(0),
        arg(1),
        extract("arg_0", "arg_0_base_addr", pointer),
        extract("arg_1", "arg_1_base_addr", pointer),
        extract("sym_0_1", "sym_0_1_base", size),
        execute(0, 0),
        execute(1, 9),
    );
    let mut files = vec![("bundle.mlir", text)];
    for (name, file) in ["sdsc_0.json", "sdsc_1.json"]
        .into_iter()
        .zip(bundle.sdsc_files())
    {
        let mut contents = Vec::new();
        file.write_to(&mut contents)?;
        files.push((name, String::from_utf8(contents)?));
    }
    let case = json!({"revision": "r2", "stage": "bundle", "specs": nodes});
    match outcome(&case, &files)? {
        Outcome::MatchedExcept { .. } => {}
        other => panic!("{other:?}"),
    }
    files[0].1 = files[0].1.replacen("65536", "65664", 1);
    assert!(matches!(outcome(&case, &files)?, Outcome::Mismatch { .. }));
    Ok(())
}

#[test]
fn refusals_that_are_expected_need_no_files() -> Result<(), Box<dyn Error>> {
    let refused = |stage: &str, specs: Value| {
        json!({
            "revision": "r2", "stage": stage, "specs": specs,
            "outcome": {"status": "error", "error_type": "ValueError", "message": "anything"},
        })
    };
    // Two levels outside of loops: no function can be printed.
    assert_eq!(
        outcome(&refused("emit", json!([compiled(1)])), &[])?,
        Outcome::Matched
    );
    // A stage that should refuse and does not, with no files to compare.
    let fine = json!({"kind": "loop", "count": "2", "body": [
        {"kind": "loop", "count": "3", "body": [compiled(1)]}]});
    for (stage, specs) in [
        ("emit", json!([fine])),
        ("compile_op", json!([Node::from(neg())])),
    ] {
        assert_eq!(
            difference(outcome(&refused(stage, specs), &[])?),
            "expected an error: anything",
            "{stage}"
        );
    }
    // Both refuse: here because more dimensions than there are names is something this generator lacks.
    let mut many = OpSpec::pointwise("neg");
    for dim in 0..9 {
        many = many.with_dim(format!("c{dim}"), Expr::int(64), 1);
    }
    let argument = |index| tensor(index, &[1, 64], &["floor(c8/64)", "Mod(c8, 64)"]);
    let many = many.with_input(argument(0)).with_output(argument(1));
    match outcome(&refused("bundle", json!([Node::from(many)])), &[])? {
        Outcome::MatchedExcept { exception } => {
            assert!(
                exception.starts_with("the reason to refuse it: op 'neg'"),
                "{exception}"
            );
        }
        other => panic!("{other:?}"),
    }
    Ok(())
}

#[test]
fn errors_by_kind() -> Result<(), Box<dyn Error>> {
    let case = |error_type: &str, message: &str, pool_size: u64, op: OpSpec| {
        json!({
            "revision": "r2", "stage": "bundle", "options": {"pool_size": pool_size}, "specs": [Node::from(op)],
            "outcome": {"status": "error", "error_type": error_type, "message": message},
        })
    };
    let mut pooled = add(64, 128, 1);
    pooled.args[0].allocation = Allocation::pool(0);
    let baked = "requires config.bundle_symbolic_args=True";
    for (error_type, message, pool_size, op, matches) in [
        ("AssertionError", "pool", 0, pooled.clone(), true),
        ("ValueError", "pool", 0, pooled.clone(), false),
        ("AssertionError", "pool", 4096, pooled, false),
        ("AssertionError", baked, 0, add(64, 128, 1), true),
        (
            "AssertionError",
            "something else",
            0,
            add(64, 128, 1),
            false,
        ),
        (
            "NotImplementedError",
            "levels",
            0,
            tiled_exp(64, "4096*t"),
            false,
        ),
        ("AssertionError", "levels", 0, tiled_exp(64, "4096*t"), true),
    ] {
        let actual = outcome(&case(error_type, message, pool_size, op), &[])?;
        assert_eq!(
            actual == Outcome::Matched,
            matches,
            "{error_type} {message}: {actual:?}"
        );
    }
    Ok(())
}
