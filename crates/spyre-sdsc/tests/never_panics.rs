//! For any input, the result is a bundle or an error.

mod common;

use common::{compile_bundle, parse};
use proptest::prelude::*;
use spyre_sdsc::bundle::{CompiledNode, CompiledOp, OpSymbols, SymbolKind, link};
use spyre_sdsc::codegen::{Dim, LevelStep, SizeStep};
use spyre_sdsc::model::{DimBounds, DimSource, Ownership};
use spyre_sdsc::revision::{Order, R1Allocation, R1Arg, R1Loop, R1Node, R1Op, lower, lower_loops};
use spyre_sdsc::{
    Allocation, ArgIndex, Arrangement, BundleOptions, Bytes, DeviceFormat, Error, Expr,
    IterationDim, LoopSpec, Node, OpSpec, Symbol, TensorArg,
};

fn size() -> impl Strategy<Value = u64> {
    prop_oneof![
        0_u64..4,
        Just(64),
        Just(100),
        Just(1 << 40),
        Just(u64::MAX),
        Just(i64::MAX as u64)
    ]
}

fn expr() -> impl Strategy<Value = Expr> {
    let texts = [
        "0",
        "c0",
        "c1",
        "floor(c1/64)",
        "Mod(c1, 64)",
        "Mod(c0, 0)",
        "c0 + c1",
        "c0 + 3",
        "floor(c1/64) - 2",
        "9223372036854775807",
        "c0 + 9223372036854775807",
        "IndirectAccess(b)",
        "zz",
        "indirect0",
        "64*t",
        "floor(64*t/3)",
        "9223372036854775807*t",
        "-t",
        "t*t",
        "out",
        "s0",
        "floor(s0/64)",
        "floor(s0/0)",
        "1/0",
        "core_id",
        "Mod(core_id, 2)",
        "floor(core_id/2)",
    ];
    proptest::sample::select(texts.to_vec()).prop_map(|text| text.parse().unwrap_or(Expr::int(1)))
}

fn allocation() -> impl Strategy<Value = Allocation> {
    (0_u32..3, size(), 0..3).prop_map(|(arg, bytes, kind)| match kind {
        0 => Allocation::Hbm {
            arg: ArgIndex::new(arg),
            offset: Bytes(bytes),
        },
        1 => Allocation::lx(bytes),
        _ => Allocation::pool(bytes),
    })
}

fn tensor() -> impl Strategy<Value = TensorArg> {
    let formats = [
        DeviceFormat::Sen169Fp16,
        DeviceFormat::IeeeFp32,
        DeviceFormat::Sen143Fp8,
        DeviceFormat::IeeeInt32,
    ];
    let dims = proptest::collection::vec((size(), expr()), 0..4);
    let advance = proptest::option::of(expr());
    let name = proptest::option::of(Just(String::from("b")));
    (
        proptest::sample::select(formats.to_vec()),
        dims,
        allocation(),
        advance,
        name,
    )
        .prop_map(|(format, dims, place, advance, name)| {
            let (sizes, coordinates) = dims.into_iter().unzip();
            let tensor = TensorArg::new(format, sizes, coordinates, place);
            TensorArg {
                advance,
                name,
                ..tensor
            }
        })
}

fn op() -> impl Strategy<Value = OpSpec> {
    let names = [
        "add",
        "exp",
        "sum",
        "max",
        "batchmatmul",
        "ReStickifyOpHBM",
        "identity",
        "dl16tofp32",
        "topkvalue",
        "layernormscale",
        "qfp8ch",
        "avgpoolfwd",
        "conv2d",
        "depthwiseconv2dnative",
        "maxpoolfwd",
        "unheard",
    ];
    let extent = prop_oneof![
        3 => size().prop_map(|s| Expr::int(i64::try_from(s).unwrap_or(-1))),
        1 => expr(),
    ];
    let dims = proptest::collection::vec((extent, prop_oneof![0_u64..5, size()]), 0..4);
    let tensors = proptest::collection::vec(tensor(), 0..4);
    let levels = proptest::collection::vec(proptest::sample::select(vec!["t", "c0", "zz"]), 0..3);
    (
        proptest::sample::select(names.to_vec()),
        any::<bool>(),
        dims,
        tensors,
        levels,
        size(),
    )
        .prop_map(|(name, reduction, dims, tensors, levels, bound)| {
            let mut op = OpSpec::new(name, reduction);
            for (i, (extent, slices)) in dims.into_iter().enumerate() {
                op = op.with_dim(format!("c{i}"), extent, slices);
            }
            let last = tensors.len().saturating_sub(1);
            for (i, tensor) in tensors.into_iter().enumerate() {
                op = if i == last {
                    op.with_output(tensor)
                } else {
                    op.with_input(tensor)
                };
            }
            for level in levels {
                op = op.with_tiled_level([Symbol::from(level)]);
            }
            op.with_trip_count("t", bound)
                .with_constant("c", bound as f64)
                .with_runtime_size(
                    "s0",
                    DimBounds {
                        max: bound,
                        granularity: bound,
                    },
                )
        })
}

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        op().prop_map(Node::from),
        Just(Node::Unimplemented { op: "x".into() })
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        (expr(), proptest::collection::vec(inner, 0..3), size()).prop_map(|(count, body, bound)| {
            let source = DimSource {
                arg: ArgIndex::new(0),
                dim: 0,
            };
            let bounds = DimBounds {
                max: bound,
                granularity: bound,
            };
            let mut spec = LoopSpec::over_runtime_size("s0", 1, bounds, source, body);
            spec.count = count;
            spec.into()
        })
    })
}

/// A change of an operation: its kind, an operand, a dimension, a number and an expression.
type Edit = (u8, usize, usize, u64, Expr);

/// An operation that is right except for a few mutations: reaches the stages that random input does not.
fn nearly_right() -> impl Strategy<Value = Node> {
    let edits = proptest::collection::vec((0..16_u8, 0..3_usize, 0..3_usize, size(), expr()), 0..3);
    edits.prop_map(|edits| {
        let mut op = addition();
        for edit in edits {
            let is_relayout = edit.0 == 11;
            op = edited(op, edit);
            // A relayout has fewer operands than other changes need.
            if is_relayout {
                break;
            }
        }
        LoopSpec::new(2, vec![op.into()]).into()
    })
}

fn addition() -> OpSpec {
    let coordinates = || -> Vec<Expr> {
        ["floor(c1/64)", "c0", "Mod(c1, 64)"]
            .iter()
            .map(|t| t.parse().unwrap_or(Expr::int(0)))
            .collect()
    };
    let tensor = |i| {
        TensorArg::new(
            DeviceFormat::Sen169Fp16,
            vec![4, 64, 64],
            coordinates(),
            Allocation::argument(i),
        )
    };
    OpSpec::pointwise("add")
        .with_dim("c0", Expr::int(64), 4)
        .with_dim("c1", Expr::int(256), 1)
        .with_input(tensor(0))
        .with_input(tensor(1))
        .with_output(tensor(2))
        .with_tiled_level([Symbol::from("t")])
}

/// Returns the operation with a change.
fn edited(mut op: OpSpec, (kind, tensor, dim, number, expr): Edit) -> OpSpec {
    let arg = &mut op.args[tensor];
    match kind {
        0 => arg.device_size[dim] = number,
        1 => arg.device_coordinates[dim] = expr,
        2 => arg.advance = Some(expr),
        3 => arg.allocation = Allocation::pool(number),
        4 => arg.allocation = Allocation::lx(number),
        5 => op.iteration_space[dim % 2].extent = Expr::int(number as i64),
        6 => op.iteration_space[dim % 2].extent = expr,
        7 => op.iteration_space[dim % 2].slices = number,
        8 => {
            arg.allocation = Allocation::Hbm {
                arg: ArgIndex::new(u32::MAX),
                offset: Bytes(number),
            }
        }
        9 => {
            op.args[0].name = Some("b".into());
            op.args[1].device_coordinates[dim] = Expr::indirect_access("b");
        }
        10 => {
            op.iteration_space[dim % 2].extent = Expr::symbol("s0");
            op = op.with_runtime_size(
                "s0",
                DimBounds {
                    max: [64, 256, number][dim],
                    granularity: [32, 256, number][tensor],
                },
            );
        }
        11 => relayout(&mut op, [tensor, dim], number, expr),
        12 => op.args[0].arrangement = Arrangement::Qfp8Wt,
        13 => {
            op = op.with_core_slice(["c0", "c1", "zz"][dim], expr);
            op = op.with_core_slice("c1", parse("Mod(core_id, 2)"));
        }
        14 => {
            arg.separate_parts = true;
            let json = serde_json::from_str(r#"{"id": 1, "source": {"file": "m"}}"#);
            op.debug_handle = json.ok().filter(|_| dim == 0);
        }
        _ => op.op = ["ReStickifyOpHBM", "identity", "dl16tofp32"][dim].into(),
    }
    op
}

/// Makes an operation a copy between scratchpads, the first of which is divided otherwise.
fn relayout(op: &mut OpSpec, [tensor, dim]: [usize; 2], number: u64, expr: Expr) {
    op.op = "identity".into();
    op.args.truncate(2);
    for arg in &mut op.args {
        arg.allocation = Allocation::lx(number);
    }
    op.args[0].ownership = Some(Ownership {
        work_slices: [(
            Symbol::from(["c0", "c1", "zz"][dim]),
            [2, 4, number][tensor],
        )]
        .into_iter()
        .collect(),
        core_id_to_work_slice: [(Symbol::from(["c0", "c1", "zz"][dim]), expr)]
            .into_iter()
            .collect(),
        num_cores: [None, Some(number as u32), Some(4)][dim],
    });
    if number > 64 {
        op.completed_producer_cores = vec![1, number as u32, 3];
    }
}

/// A tree of the first revision, right except for a few values.
fn first_revision() -> impl Strategy<Value = R1Node> {
    let edits = proptest::collection::vec((0..9_u8, 0..2_usize, 0..3_usize, size(), expr()), 0..3);
    (edits, 0..3_i64).prop_map(|(edits, count)| {
        let arg = |index: i64| R1Arg {
            is_input: index == 0,
            arg_index: index,
            device_dtype: DeviceFormat::Sen169Fp16,
            device_size: vec![4, 64, 64],
            device_coordinates: ["floor(c1/64)", "c0", "Mod(c1, 64)"]
                .map(|text| text.parse().unwrap_or(Expr::int(0)))
                .to_vec(),
            allocation: R1Allocation::Hbm((index as u64) << 34),
            name: None,
            stride_map: Some(vec![64, 256, 1]),
            per_tile_fixed: false,
        };
        let dim = |symbol: &str, extent| IterationDim {
            symbol: symbol.into(),
            extent: Expr::int(extent),
            slices: 1,
        };
        let mut op = R1Op {
            op: "exp".into(),
            is_reduction: false,
            iteration_space: vec![dim("c0", 32), dim("c1", 256)],
            op_info: Default::default(),
            tiled_symbols: vec!["c0".into(), "c1".into()],
            args: vec![arg(0), arg(1)],
        };
        let mut count = Expr::int(count);
        for (kind, operand, dim, number, expr) in edits {
            let arg = &mut op.args[operand];
            match kind {
                0 => arg.device_size[dim] = number,
                1 => arg.device_coordinates[dim] = expr,
                2 => arg.allocation = R1Allocation::Hbm(number),
                3 => {
                    arg.allocation = [R1Allocation::Lx(number), R1Allocation::Pool(number)][operand]
                }
                4 => arg.stride_map = Some(vec![number as i64; dim]),
                5 => op.iteration_space[operand].extent = Expr::int(number as i64),
                6 => op.iteration_space[operand].extent = expr,
                7 => count = expr,
                _ => arg.arg_index = -1,
            }
        }
        R1Node::Loop(R1Loop {
            count,
            body: vec![R1Node::Op(op)],
            tiled_symbols: Vec::new(),
        })
    })
}

fn symbol_kind() -> impl Strategy<Value = SymbolKind> {
    let arg = ArgIndex::new(1);
    (0..7_u8, size()).prop_map(move |(kind, number)| {
        let offset = Bytes(number);
        match kind {
            0 => SymbolKind::Dimension("s0".into()),
            1 => SymbolKind::Kernel(arg),
            2 => SymbolKind::KernelSlice { arg, offset },
            3 => SymbolKind::Core {
                arg,
                slice: Some(offset),
                offset,
            },
            4 => SymbolKind::Pool { offset },
            5 => SymbolKind::Sized {
                start: Box::new(SymbolKind::Kernel(arg)),
                per_size: Box::new([SizeStep {
                    size: "s0".into(),
                    bytes: offset,
                }]),
            },
            _ => SymbolKind::Literal(offset),
        }
    })
}

/// Returns whether an error has a message, and does not blame the generator.
fn blames_the_input(error: &Error) -> bool {
    !error.to_string().is_empty() && !matches!(error, Error::Internal { .. })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn random_trees(
        nodes in proptest::collection::vec(prop_oneof![node(), nearly_right()], 1..3),
        pool in size(),
        share_files in any::<bool>(),
        numbers in any::<bool>(),
    ) {
        let options = if numbers { BundleOptions::first_revision() } else { BundleOptions::default() };
        let options = BundleOptions { pool_size: Bytes(pool), share_files, ..options };
        match compile_bundle(&nodes, &options) {
            Ok(bundle) => {
                for (_, contents) in bundle.files() {
                    prop_assert!(contents.is_ok());
                }
            }
            Err(error) => prop_assert!(blames_the_input(&error), "{error}"),
        }
    }

    #[test]
    fn random_trees_of_the_first_revision(
        nodes in proptest::collection::vec(first_revision(), 1..3),
        host in any::<bool>(),
    ) {
        let order = if host { Order::Host } else { Order::Device };
        let trees = [lower(&nodes, order), lower_loops(&nodes)];
        for tree in trees {
            match tree {
                Ok(nodes) => {
                    let compiled = compile_bundle(&nodes, &BundleOptions::first_revision());
                    prop_assert!(compiled.map_or_else(|e| blames_the_input(&e), |_| true));
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }

    /// Unrelated symbols, positions and levels.
    #[test]
    fn random_compiled_operations(
        kinds in proptest::collection::vec(symbol_kind(), 0..8),
        size in proptest::option::of(0_usize..6),
        addresses in proptest::collection::vec(proptest::collection::vec(0_usize..6, 0..3), 0..3),
        levels in proptest::collection::vec((0_usize..3, size()), 0..3),
        count in expr(),
    ) {
        let steps = levels.iter().map(|(level, bytes)| LevelStep { level: *level, bytes: Bytes(*bytes) });
        let op = CompiledOp {
            name: "x".into(),
            symbols: OpSymbols::new(kinds, size.map(|p| (Dim::Mb, p)).into_iter().collect(), addresses),
            runtime_dims: Vec::new(),
            steps: vec![steps.collect()],
        };
        let mut heading = LoopSpec::new(1, Vec::new());
        heading.count = count;
        let nodes = [CompiledNode::Loop { heading, body: vec![CompiledNode::Op(op)] }];
        let options = BundleOptions { pool_size: Bytes(128), ..BundleOptions::default() };
        match link(&nodes, &options) {
            Ok(function) => prop_assert!(function.to_string().contains("sdsc_0.json")),
            Err(error) => prop_assert!(blames_the_input(&error), "{error}"),
        }
    }
}
