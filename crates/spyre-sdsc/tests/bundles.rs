//! Symbols, pools, runtime sizes and shared files of whole bundles (specification, sections 2.3 to 2.10).

mod common;

use common::*;
use spyre_sdsc::bundle::{CompiledNode, CompiledOp, OpSymbols, PoolSource, Stmt, SymbolKind, link};
use spyre_sdsc::codegen::LevelStep;
use spyre_sdsc::model::DimBounds;
use spyre_sdsc::{
    Allocation, ArgIndex, BundleOptions, Bytes, Expr, LoopSpec, Node, OpSpec, Symbol,
};

#[test]
fn a_flat_op_needs_no_loops_and_no_maps() {
    let text = compile(&[exp(
        matrix(64, 256, Allocation::argument(1)),
        matrix(64, 256, Allocation::argument(0)),
        64,
    )
    .into()])
    .mlir_text();
    // Parameters by argument, operands by use.
    let ty = "!sdscbundle.input_arg<index>";
    assert_eq!(
        text,
        format!(
            "module {{\n\tfunc.func @sdsc_bundle(%arg_0_base_addr: {ty}, %arg_1_base_addr: {ty}) {{\n\
             \t\t%arg_0 = sdscbundle.input_arg_extract value from %arg_0_base_addr : {ty} -> index\n\
             \t\t%arg_1 = sdscbundle.input_arg_extract value from %arg_1_base_addr : {ty} -> index\n\
             \t\tsdscbundle.sdsc_execute (%arg_1, %arg_0) {{sdsc_filename=\"sdsc_0.json\", \
             \"symbol_ids\"=[-1, -2]}}\n\t\treturn\n\t}}\n}}\n"
        )
    );
}

#[test]
fn scratchpad_ops_bind_nothing() {
    let text = compile(&[exp(
        matrix(64, 256, Allocation::lx(0)),
        matrix(64, 256, Allocation::lx(32768)),
        64,
    )
    .into()])
    .mlir_text();
    assert!(text.starts_with("module {\n\tfunc.func @sdsc_bundle() {\n"));
    assert_eq!(
        executes(&text),
        ["sdscbundle.sdsc_execute () {sdsc_filename=\"sdsc_0.json\", \"symbol_ids\"=[]}"]
    );
}

#[test]
fn in_place_output_shares_the_symbol() {
    let here = || matrix(64, 256, Allocation::argument(0));
    let text = compile(&[exp(here(), here(), 64).into()]).mlir_text();
    assert_eq!(
        executes(&text),
        ["sdscbundle.sdsc_execute (%arg_0) {sdsc_filename=\"sdsc_0.json\", \"symbol_ids\"=[-1]}"]
    );
}

#[test]
fn one_buffer_read_still_and_moving_gets_two_symbols() {
    // x[0..64] stays while x[64*t..] moves: one address cannot serve both.
    let still = matrix(512, 256, Allocation::argument(0));
    let moving = still.clone().advancing(parse("4096*t"));
    let op = OpSpec::pointwise("add")
        .with_dim("c0", Expr::int(64), 1)
        .with_dim("c1", Expr::int(256), 1)
        .with_input(still)
        .with_input(moving)
        .with_output(matrix(64, 256, Allocation::lx(0)))
        .with_tiled_level([Symbol::from("t")]);
    let text = compile(&[LoopSpec::new(8, vec![op.into()]).into()]).mlir_text();
    assert_eq!(
        executes(&text),
        [
            "sdscbundle.sdsc_execute (%arg_0, %addr_0) {sdsc_filename=\"sdsc_0.json\", \"symbol_ids\"=[-1, -2]}"
        ]
    );
}

#[test]
fn slices_are_declared_once_and_used_by_cores() {
    let slice = || {
        let place = Allocation::Hbm {
            arg: ArgIndex::new(3),
            offset: Bytes(65536),
        };
        matrix(64, 256, place)
    };
    let mut op = exp(slice(), matrix(64, 256, Allocation::lx(0)), 64);
    op.iteration_space[0].slices = 2;
    let text = compile(&[op.clone().into(), op.into()]).mlir_text();
    let declared: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| line.contains("arith."))
        .collect();
    assert_eq!(
        declared,
        [
            "%arg_3_slice_offset_65536 = arith.constant 65536 : index",
            "%arg_3_slice_65536 = arith.addi %arg_3, %arg_3_slice_offset_65536 : index",
            "%arg_3_slice_65536_core_offset_4096 = arith.constant 4096 : index",
            "%arg_3_slice_65536_core_4096 = arith.addi %arg_3_slice_65536, %arg_3_slice_65536_core_offset_4096 : index",
        ]
    );
    // Three symbols per operation: the argument itself, which the file does not mention, the slice, the core.
    let (first, second) = ("\"symbol_ids\"=[-2, -3]", "\"symbol_ids\"=[-5, -6]");
    let lines = executes(&text);
    assert!(
        lines[0].contains(first) && lines[1].contains(second),
        "{lines:?}"
    );
}

#[test]
fn pools() {
    let chain = || -> Vec<Node> {
        vec![
            exp(
                matrix(64, 256, Allocation::argument(0)),
                matrix(64, 256, Allocation::pool(128)),
                64,
            )
            .into(),
            exp(
                matrix(64, 256, Allocation::pool(128)),
                matrix(64, 256, Allocation::argument(1)),
                64,
            )
            .into(),
        ]
    };
    let sized = |bytes| BundleOptions {
        pool_size: Bytes(bytes),
        ..BundleOptions::default()
    };
    let bundle = compile_bundle(&chain(), &sized(65536)).unwrap_or_else(|error| panic!("{error}"));
    let text = bundle.mlir_text();
    assert!(text.contains("\t\t%pool = sdscbundle.device_mem_allocate 65536 bytes : index\n"));
    assert_eq!(
        text.matches("%pool_addr_128 = arith.addi %pool, %pool_offset_128 : index")
            .count(),
        1
    );
    assert_eq!(
        executes(&text)[1],
        "sdscbundle.sdsc_execute (%pool_addr_128, %arg_1) {sdsc_filename=\"sdsc_1.json\", \"symbol_ids\"=[-3, -4]}"
    );
    for size in [0, 15_032_385_537] {
        let message = compile_error(&chain(), &sized(size));
        assert_eq!(
            message,
            format!(
                "pool size {size} is out of range (0, 15032385536] for a bundle with pool tensors"
            )
        );
    }
    let from_caller = BundleOptions {
        pool: PoolSource::Caller,
        ..BundleOptions::default()
    };
    let bundle = compile_bundle(&chain(), &from_caller).unwrap_or_else(|error| panic!("{error}"));
    let kinds: Vec<String> = bundle
        .launch_params()
        .into_iter()
        .map(|param| param.kind)
        .collect();
    assert_eq!(kinds, ["pool", "kernel", "kernel"]);
    assert!(
        bundle
            .mlir_text()
            .contains("@sdsc_bundle(%pool_base_addr: ")
    );
}

#[test]
fn runtime_sizes_are_one_parameter_by_name() {
    let op = || {
        let mut op = exp(
            matrix(512, 256, Allocation::argument(0)),
            matrix(512, 256, Allocation::argument(1)),
            0,
        )
        .with_runtime_size(
            "s7",
            DimBounds {
                max: 512,
                granularity: 32,
            },
        );
        op.iteration_space[0].extent = Expr::symbol("s7");
        op
    };
    let bundle = compile(&[op().into(), op().into()]);
    let text = bundle.mlir_text();
    assert!(
        text.contains(
            "%sym_0_1_base: !sdscbundle.input_arg<index, granularity=32, max_value=512>) {"
        )
    );
    assert!(executes(&text)[1].starts_with("sdscbundle.sdsc_execute (%sym_0_1, %arg_0, %arg_1) "));
    let json = serde_json::to_value(bundle.sdsc_files()[1].sdsc()).unwrap_or_default();
    assert_eq!(
        json["1_exp"]["inputSymbolsAndTags_"],
        serde_json::json!({"-4": "s7"})
    );
    assert_eq!(
        json["1_exp"]["dscs_"][0]["exp"]["dimToSymbolMapping_"],
        serde_json::json!({"mb": ["-4"]})
    );
}

#[test]
fn equal_ops_may_share_a_file() {
    let op = |index: u64| {
        Node::from(exp(
            matrix(
                64,
                256,
                Allocation::Hbm {
                    arg: ArgIndex::new(0),
                    offset: Bytes(index * 32768),
                },
            ),
            matrix(64, 256, Allocation::argument(1)),
            64,
        ))
    };
    let nodes = [
        op(1),
        Node::Unimplemented {
            op: "cumsum".into(),
        },
        op(2),
        op(0),
    ];
    let sharing = BundleOptions {
        share_files: true,
        ..BundleOptions::default()
    };
    let bundle = compile_bundle(&nodes, &sharing).unwrap_or_else(|error| panic!("{error}"));
    let text = bundle.mlir_text();
    let lines = executes(&text);
    // The second keeps file and identifiers of the first; the third has one symbol less, so a separate file.
    assert_eq!(
        lines,
        [
            "sdscbundle.sdsc_execute (%arg_0_slice_32768, %arg_1) {sdsc_filename=\"sdsc_0.json\", \"symbol_ids\"=[-2, -3]}",
            "sdscbundle.sdsc_execute (%arg_0_slice_65536, %arg_1) {sdsc_filename=\"sdsc_0.json\", \"symbol_ids\"=[-2, -3]}",
            "sdscbundle.sdsc_execute (%arg_0, %arg_1) {sdsc_filename=\"sdsc_1.json\", \"symbol_ids\"=[-7, -8]}",
        ]
    );
    assert_eq!(compile(&nodes).sdsc_files().len(), 3);
}

#[test]
fn every_use_follows_its_definition() {
    fn walk(block: &[Stmt], defined: &mut Vec<bool>) {
        let define = |defined: &mut Vec<bool>, value: spyre_sdsc::bundle::ValueId| {
            assert_eq!(
                value.index(),
                defined.len(),
                "numbers are dense and in order"
            );
            defined.push(true);
        };
        for stmt in block {
            match stmt {
                Stmt::DeviceMemAllocate { result, .. } | Stmt::Constant { result, .. } => {
                    define(defined, *result)
                }
                Stmt::InputArgExtract { result, param, .. } => {
                    assert!(defined[param.index()]);
                    define(defined, *result);
                }
                Stmt::AddI { result, lhs, rhs } => {
                    assert!(defined[lhs.index()] && defined[rhs.index()]);
                    define(defined, *result);
                }
                Stmt::Apply {
                    result, ivs, base, ..
                } => {
                    assert!(ivs.iter().chain([base]).all(|value| defined[value.index()]));
                    define(defined, *result);
                }
                Stmt::Execute {
                    operands,
                    symbol_ids,
                    ..
                } => {
                    assert!(operands.iter().all(|value| defined[value.index()]));
                    assert_eq!(operands.len(), symbol_ids.len());
                }
                Stmt::For {
                    iv,
                    lower,
                    upper,
                    step,
                    body,
                } => {
                    assert!(
                        [lower, upper, step]
                            .iter()
                            .all(|value| defined[value.index()])
                    );
                    define(defined, *iv);
                    walk(body, defined);
                }
            }
        }
    }
    let mut op = tiled_exp(64, "4096*t");
    op.iteration_space[0].slices = 4;
    let runtime = LoopSpec::over_runtime_size(
        "s0",
        64,
        bounds(512, 64),
        source(1),
        vec![op.clone().into()],
    );
    let bundle = compile(&[LoopSpec::new(8, vec![op.into()]).into(), runtime.into()]);
    let function = bundle.function();
    let mut defined: Vec<bool> = function.params.iter().map(|_| true).collect();
    walk(&function.body, &mut defined);
    assert_eq!(defined.len(), function.value_count());
}

#[test]
fn what_the_launcher_passes_as_json() -> Result<(), Box<dyn std::error::Error>> {
    let op = exp(
        matrix(64, 256, Allocation::argument(4)),
        matrix(64, 256, Allocation::pool(128)),
        64,
    );
    let write = |options: &BundleOptions| -> Result<serde_json::Value, Box<dyn std::error::Error>> {
        let mut json = Vec::new();
        compile_bundle(&[op.clone().into()], options)?.write_launch_params(&mut json)?;
        Ok(serde_json::from_slice(&json)?)
    };
    let kernel = serde_json::json!({
        "kind": "kernel", "base_sym_idx": -1, "offset": 0, "arg_index": 4, "granularity": 0, "max_value": 0,
        "pytorch_sym": "", "core_idx": -1, "split_count": 0, "dim_index": -1,
        "tensor": {"bytes": 32768, "format": "SEN169_FP16", "device_size": [4, 64, 64], "is_written": false},
    });
    let mut pool = kernel.clone();
    pool["kind"] = "pool".into();
    pool["arg_index"] = (-1).into();
    pool.as_object_mut().unwrap().remove("tensor");
    pool["bytes"] = 65536.into();
    let sized = BundleOptions {
        pool_size: Bytes(65536),
        ..BundleOptions::default()
    };
    assert_eq!(write(&sized)?, serde_json::json!([kernel]));
    let from_caller = BundleOptions {
        pool: PoolSource::Caller,
        ..sized
    };
    assert_eq!(write(&from_caller)?, serde_json::json!([pool, kernel]));
    // Addresses as numbers: the launcher binds the same segments without parameters.
    let numbers = BundleOptions {
        pool_size: Bytes(65536),
        ..BundleOptions::first_revision()
    };
    assert_eq!(write(&numbers)?, serde_json::json!([pool, kernel]));
    Ok(())
}

#[test]
fn compiled_operations_have_the_symbols_that_they_use() {
    let op = |positions: &[usize], moves: bool| {
        let step = LevelStep {
            level: 0,
            bytes: Bytes(128),
        };
        let kinds = vec![SymbolKind::Kernel(ArgIndex::new(0))];
        let op = CompiledOp {
            name: "neg".into(),
            symbols: OpSymbols::new(kinds, vec![], vec![positions.to_vec()]),
            runtime_dims: vec![],
            steps: vec![if moves { vec![step] } else { vec![] }],
        };
        let body = vec![CompiledNode::Op(op)];
        let heading = LoopSpec::new(2, vec![]);
        link(
            &[CompiledNode::Loop { heading, body }],
            &BundleOptions::default(),
        )
    };
    assert!(op(&[0, 0], true).is_ok());
    let message = |positions: &[usize]| op(positions, true).map_err(|error| error.to_string());
    let wrong = "op 'neg' (number 0): symbol 1 is used, but there are only 1 symbols";
    assert_eq!(message(&[0, 1]), Err(wrong.to_owned()));
    let wrong = "op 'neg' (number 0): operand 0 moves, but has no symbols";
    assert_eq!(message(&[]), Err(wrong.to_owned()));
    assert!(op(&[], false).is_ok());
}
