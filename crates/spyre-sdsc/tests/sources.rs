//! Trees as front ends hand them over: neutral JSON and Python source.

use proptest::prelude::*;
use spyre_sdsc::model::{DimBounds, DimSource, Direction, Ownership};
use spyre_sdsc::source::{Position, SourceOptions, json, python};
use spyre_sdsc::{
    Allocation, Arrangement, Bytes, DeviceFormat, Expr, Json, LoopSpec, Node, OpSpec, Symbol,
    TensorArg,
};

fn parse(text: &str) -> Expr {
    text.parse().expect("an expression")
}

fn allocation() -> impl Strategy<Value = Allocation> {
    // The number of an argument plus its offset is below the size of a segment.
    let bytes = 0..(1_u64 << 34) - 4;
    (0u32..4, bytes, 0..3).prop_map(|(arg, bytes, kind)| match kind {
        0 => Allocation::Hbm {
            arg: spyre_sdsc::ArgIndex::new(arg),
            offset: Bytes(bytes),
        },
        1 => Allocation::lx(bytes),
        _ => Allocation::pool(bytes),
    })
}

fn ownership() -> impl Strategy<Value = Ownership> {
    proptest::option::of(1_u32..33).prop_map(owned_among)
}

fn owned_among(num_cores: Option<u32>) -> Ownership {
    Ownership {
        work_slices: [(Symbol::from("c1"), 4), (Symbol::from("c0"), 2)]
            .into_iter()
            .collect(),
        core_id_to_work_slice: [
            (Symbol::from("c1"), parse("Mod(core_id, 4)")),
            (Symbol::from("c0"), parse("floor(core_id/4)")),
        ]
        .into_iter()
        .collect(),
        num_cores,
    }
}

fn tensor() -> impl Strategy<Value = TensorArg> {
    let coordinates = [
        "c0",
        "floor(c1/64)",
        "Mod(c1, 64)",
        "c0 + 3",
        "0",
        "IndirectAccess(rows)",
    ];
    let coordinate = proptest::sample::select(coordinates.to_vec());
    let dims = proptest::collection::vec((1u64..2000, coordinate), 1..4);
    let formats = [
        DeviceFormat::Sen169Fp16,
        DeviceFormat::IeeeFp32,
        DeviceFormat::Bfloat16,
    ];
    let arrangements = [
        Arrangement::Standard,
        Arrangement::Qfp8Wt,
        Arrangement::Exx2,
    ];
    (
        dims,
        allocation(),
        proptest::sample::select(formats.to_vec()),
        proptest::sample::select(arrangements.to_vec()),
        proptest::option::of(Just("64*t0 + floor(128*t1/2)")),
        proptest::option::of("[a-z']{0,6}"),
        proptest::option::of(ownership()),
        any::<[bool; 2]>(),
    )
        .prop_map(
            |(
                dims,
                place,
                format,
                arrangement,
                advance,
                name,
                ownership,
                [kernel_local, separate_parts],
            )| {
                let (sizes, coordinates): (Vec<u64>, Vec<&str>) = dims.into_iter().unzip();
                let coordinates = coordinates.into_iter().map(parse).collect();
                TensorArg {
                    advance: advance.map(parse),
                    arrangement,
                    name,
                    ownership,
                    kernel_local,
                    separate_parts,
                    ..TensorArg::new(format, sizes, coordinates, place)
                }
            },
        )
}

fn handle() -> impl Strategy<Value = Option<Json>> {
    let texts = [
        r#"{"id":18446744073709551615,"source":{"file":"a\n\"b\".py","line":-3},"of":["x",null,true,1.5]}"#,
        r#"{"é":[],"a":{}}"#,
        r#"{"id":7,"source":{"file":"m.py","start_line":3,"start_col":0},"aten_op":null,"ir_chain":["add"],
            "fused_from":[{"id":"8","ir_chain":[]}],
            "transform_history":[{"kind":"clone","pass_name":"p","reason":null}]}"#,
    ];
    let text = proptest::sample::select(texts.to_vec());
    proptest::option::of(text.prop_map(|text| serde_json::from_str(text).expect("JSON")))
}

fn op() -> impl Strategy<Value = Node> {
    (
        proptest::collection::vec((tensor(), any::<bool>()), 1..4),
        any::<bool>(),
        1u64..5000,
        1u64..33,
        proptest::collection::vec(-1e6f64..1e6, 0..3),
        handle(),
        0usize..3,
        (
            proptest::option::of(proptest::sample::select(vec![0_usize, 1, 2])),
            proptest::collection::vec(0_u32..32, 0..3),
        ),
    )
        .prop_map(
            |(
                tensors,
                reduction,
                extent,
                slices,
                constants,
                handle,
                levels,
                (mapped, completed),
            )| {
                let mut op = OpSpec::new("add", reduction)
                    .with_dim("c0", Expr::int(extent as i64), slices)
                    .with_dim("c1", Expr::symbol("s0"), 1)
                    .with_runtime_size(
                        "s0",
                        DimBounds {
                            max: 512,
                            granularity: 64,
                        },
                    );
                for (tensor, output) in tensors {
                    op = if output {
                        op.with_output(tensor)
                    } else {
                        op.with_input(tensor)
                    };
                }
                for (number, value) in constants.into_iter().enumerate() {
                    op = op.with_constant(format!("z{}", 9 - number), value);
                }
                for level in 0..levels {
                    op = op
                        .with_tiled_level([Symbol::from(format!("t{level}"))])
                        .with_trip_count(format!("t{level}"), 4);
                }
                op.debug_handle = handle;
                op.completed_producer_cores = completed;
                op.core_id_to_work_slice = mapped.map(|count| {
                    let entries = [
                        ("c1", "Mod(floor(core_id/4), 8)"),
                        ("c0", "Mod(core_id, 4)"),
                    ];
                    let entries = entries.into_iter().take(count);
                    entries
                        .map(|(symbol, slice)| (symbol.into(), parse(slice)))
                        .collect()
                });
                op.node_output_ranges = vec![Expr::int(1), Expr::int(extent as i64)];
                op.into()
            },
        )
}

fn tree() -> impl Strategy<Value = Vec<Node>> {
    let leaf = prop_oneof![
        6 => op(),
        1 => Just(Node::Unimplemented { op: "sort".into() }),
    ];
    let node = leaf.prop_recursive(3, 8, 3, |inner| {
        let body = proptest::collection::vec(inner, 1..3);
        (body, proptest::option::of(1u32..100), 1i64..9).prop_map(|(body, step, count)| {
            Node::from(match step {
                None => LoopSpec::new(count, body),
                Some(step) => {
                    let bounds = DimBounds {
                        max: 512,
                        granularity: 64,
                    };
                    let source = DimSource::from((spyre_sdsc::ArgIndex::new(1), 2));
                    LoopSpec::over_runtime_size("s1", step.into(), bounds, source, body)
                }
            })
        })
    });
    proptest::collection::vec(node, 0..4)
}

/// How the front end writes trees, in a file with other statements.
mod print {
    use super::*;

    pub(crate) fn file(name: &str, nodes: &[Node]) -> String {
        format!(
            "import torch  # async_compile.sdsc('no', [])\n\nx = {{'a': [1, 2, 3][0:2], **y}}\n{name} = \
             async_compile.sdsc('{name}',\n    [{}]\n)\n\ndef call(args):\n    {name}.run(x if x else lambda: y)\n",
            all(nodes, node)
        )
    }

    fn all<T>(values: &[T], print: impl Fn(&T) -> String) -> String {
        values.iter().map(print).collect::<Vec<_>>().join(", ")
    }

    fn sympify(expr: &Expr) -> String {
        format!("sympify('{expr}')")
    }

    fn symbol(symbol: &Symbol) -> String {
        format!("sympify('{symbol}')")
    }

    fn text(text: &str) -> String {
        // A JSON string is a Python string, but for characters beyond the basic plane, which tests do not use.
        serde_json::to_string(text).expect("a string")
    }

    fn json(value: &Json) -> String {
        match value {
            Json::Null => "None".into(),
            Json::Bool(true) => "True".into(),
            Json::Bool(false) => "False".into(),
            Json::Number(number) => number.to_string(),
            Json::String(value) => text(value),
            Json::Array(values) => match values.len() {
                1 => format!("({},)", all(values, json)),
                _ => format!("({})", all(values, json)),
            },
            Json::Object(entries)
                if entries.keys().all(|key| key.is_ascii()) && !entries.is_empty() =>
            {
                let fields: Vec<String> = entries
                    .iter()
                    .map(|(key, value)| format!("{key}={}", json(value)))
                    .collect();
                format!("Handle({})", fields.join(", "))
            }
            Json::Object(entries) => {
                let fields: Vec<String> = entries
                    .iter()
                    .map(|(key, value)| format!("{}: {}", text(key), json(value)))
                    .collect();
                format!("{{{}}}", fields.join(", "))
            }
        }
    }

    fn tensor(arg: &TensorArg) -> String {
        let (index, allocation) = match arg.allocation {
            Allocation::Hbm { arg, offset } => {
                let index = u64::from(arg.get());
                (index as i64, format!("{{'hbm': {}}}", index + offset.get()))
            }
            Allocation::Lx { address } => (-1, format!("{{'lx': {}}}", address.get())),
            Allocation::HbmPool { offset } => (-1, format!("{{'hbm_pool': {}}}", offset.get())),
        };
        let mut fields = format!(
            "is_input={}, arg_index={index}, device_dtype=DataFormats.{},\n device_size={:?},\n \
             device_coordinates=[{}], # a comment\n allocation={allocation}",
            if arg.direction == Direction::Input {
                "True"
            } else {
                "False"
            },
            arg.format,
            arg.device_size,
            all(&arg.device_coordinates, sympify)
        );
        if let Some(name) = &arg.name {
            fields.push_str(&format!(", name={}", text(name)));
        }
        if let Some(advance) = &arg.advance {
            fields.push_str(&format!(", device_tile_advance_expr={}", sympify(advance)));
        }
        fields.push_str(&format!(
            ", element_arrangement=ElementArrangement.{}",
            arg.arrangement
        ));
        if let Some(owners) = &arg.ownership {
            let slices: Vec<String> = owners
                .work_slices
                .iter()
                .map(|(s, n)| format!("{}: {n}", symbol(s)))
                .collect();
            let cores: Vec<String> = owners
                .core_id_to_work_slice
                .iter()
                .map(|(s, e)| format!("{}: {}", symbol(s), sympify(e)))
                .collect();
            fields.push_str(&format!(
                ", work_division=TensorWorkDivision(work_slices={{{}}}, core_id_to_work_slice={{{}}}, num_cores={})",
                slices.join(", "),
                cores.join(", "),
                owners.num_cores.map_or("None".to_owned(), |cores| cores.to_string())
            ));
        }
        if arg.kernel_local {
            fields.push_str(", kernel_local=True");
        }
        if arg.separate_parts {
            fields.push_str(", non_unified_alloc_in_hbm=True");
        }
        format!("TensorArg(\n {fields},)")
    }

    fn bounds(entries: impl Iterator<Item = (String, (u64, u64))>) -> String {
        entries
            .map(|(name, (a, b))| format!("'{name}': ({a}, {b})"))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn node(node: &Node) -> String {
        match node {
            Node::Unimplemented { op } => format!("UnimplementedOp(op='{op}')"),
            Node::Loop(spec) => {
                format!(
                    "LoopSpec(\n count={},\n body=[\n{}],\n count_symbol_bounds={{{}}}, count_symbol_sources={{{}}})",
                    sympify(&spec.count),
                    all(&spec.body, self::node),
                    bounds(
                        spec.count_symbol_bounds
                            .iter()
                            .map(|(s, b)| (s.to_string(), (b.max, b.granularity)))
                    ),
                    bounds(spec.count_symbol_sources.iter().map(|(s, at)| (
                        s.to_string(),
                        (u64::from(at.arg.get()), u64::from(at.dim))
                    )))
                )
            }
            Node::Op(op) => self::op(op),
        }
    }

    fn op(op: &OpSpec) -> String {
        let space: Vec<String> = op
            .iteration_space
            .iter()
            .map(|dim| {
                format!(
                    "{}: ({}, {})",
                    symbol(&dim.symbol),
                    sympify(&dim.extent),
                    dim.slices
                )
            })
            .collect();
        let constants: Vec<String> = op
            .op_info
            .constants
            .iter()
            .map(|(name, value)| format!("'{name}': {value:?}"))
            .collect();
        let levels = all(&op.tiled_levels, |level| {
            format!("[{}]", all(level, symbol))
        });
        let trips: Vec<String> = op
            .tiled_symbol_trip_counts
            .iter()
            .map(|(s, trips)| format!("{}: {trips}", symbol(s)))
            .collect();
        format!(
            "OpSpec(op='{}', is_reduction={},\n iteration_space={{{}}},\n op_info={{'constants': {{{}}}}},\n \
                     tiled_symbols=[{levels}], tiled_symbol_trip_counts={{{}}}, symbolic_dim_bounds={{{}}},\n \
                     core_id_to_work_slice={}, completed_producer_cores=({}),\n \
                     node_output_ranges=[{}], debug_handle={},\n args=[{}])",
            op.op,
            if op.is_reduction { "True" } else { "False" },
            space.join(", "),
            constants.join(", "),
            trips.join(", "),
            bounds(
                op.symbolic_dim_bounds
                    .iter()
                    .map(|(s, b)| (s.to_string(), (b.max, b.granularity)))
            ),
            op.core_id_to_work_slice
                .as_ref()
                .map_or("None".into(), |mapping| {
                    let entries = mapping.iter();
                    let entries = entries.map(|(s, e)| format!("{}: {}, ", symbol(s), sympify(e)));
                    format!("{{{}}}", entries.collect::<String>())
                }),
            all(&op.completed_producer_cores, |core| format!("{core},")).replace(",,", ","),
            all(&op.node_output_ranges, sympify),
            op.debug_handle.as_ref().map_or("None".into(), json),
            all(&op.args, tensor)
        )
    }
}

fn op_count(nodes: &[Node]) -> usize {
    nodes
        .iter()
        .map(|node| match node {
            Node::Op(_) => 1,
            Node::Loop(spec) => op_count(&spec.body),
            Node::Unimplemented { .. } => 0,
        })
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn python_reads_as_what_was_written(nodes in tree()) {
        let text = print::file("kernel_0", &nodes);
        let source = python::read(&text, None).map_err(|err| TestCaseError::fail(format!("{:?} {err}\n{text}", err.position)))?;
        prop_assert_eq!(&source.nodes, &nodes);
        prop_assert_eq!(source.places.len(), op_count(&nodes));
        // Each operation is where its text is.
        let lines: Vec<&str> = text.lines().collect();
        for place in &source.places {
            let Position { line, column } = place.position.expect("a position");
            let rest: String = lines[line - 1].chars().skip(column - 1).collect();
            prop_assert!(rest.starts_with("OpSpec("), "{} {rest}", place.path);
        }
    }

    #[test]
    fn json_reads_as_what_was_written(nodes in tree(), pool in proptest::option::of(1u64..1 << 30)) {
        let list = serde_json::to_string_pretty(&nodes).expect("JSON");
        let source = json::read(&list).map_err(|err| TestCaseError::fail(err.to_string()))?;
        prop_assert_eq!(&source.nodes, &nodes);
        let pool_size = pool.map_or("null".to_owned(), |pool| pool.to_string());
        let whole = format!(r#"{{"revision":"r3","options":{{"pool_size":{pool_size}}},"specs":{list}}}"#);
        let source = json::read(&whole).map_err(|err| TestCaseError::fail(err.to_string()))?;
        prop_assert_eq!(&source.nodes, &nodes);
        prop_assert_eq!(source.options.pool_size, pool.map(Bytes));
        prop_assert!(source.options.share_files);
    }

    #[test]
    fn what_is_written_reads_as_the_tree(nodes in tree(), pool in proptest::option::of(1u64..1 << 30), flags in any::<[bool; 3]>()) {
        let text = python::write("k", &nodes);
        let source = python::read(&text, Some("k")).map_err(|err| TestCaseError::fail(format!("{:?} {err}\n{text}", err.position)))?;
        prop_assert_eq!(&source.nodes, &nodes);
        let options = SourceOptions {
            pool_size: pool.map(Bytes),
            caller_allocates_pool: flags[0],
            share_files: flags[1],
            cores_in_order: flags[2],
        };
        let source = json::read(&json::write(&nodes, &options)).map_err(|err| TestCaseError::fail(err.to_string()))?;
        prop_assert_eq!(source.nodes, nodes);
        prop_assert_eq!(source.options, options);
    }

    #[test]
    fn damaged_python_is_an_error_or_a_tree(nodes in tree(), at in any::<prop::sample::Index>(), with in "[ -~\n]{0,3}", cut in 0usize..6) {
        let text = print::file("kernel_0", &nodes);
        let mut chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len());
        let end = (at + cut).min(chars.len());
        chars.splice(at..end, with.chars());
        let damaged: String = chars.into_iter().collect();
        if let Err(err) = python::read(&damaged, None) {
            prop_assert!(err.position.line <= damaged.lines().count() + 1, "{err}");
            prop_assert!(!err.problem.is_empty());
        }
    }

    #[test]
    fn any_text_is_answered(text in "\\PC{0,40}") {
        let _ = python::read(&text, None);
        let _ = python::read(&format!("x.sdsc('k', {text})"), None);
        let _ = json::read(&text);
    }
}

const KERNEL: &str = "k = a.sdsc('k', [OpSpec(op='exp', is_reduction=False,
  iteration_space={sympify('c0'): (sympify('64'), 1)}, op_info={},
  args=[
    TensorArg(is_input=True, arg_index=0, device_dtype=DataFormats.SEN169_FP16, device_size=[1, 64],
      device_coordinates=[sympify('0'), sympify('c0')], allocation={'hbm': 0}),
    TensorArg(is_input=False, arg_index=1, device_dtype=DataFormats.SEN169_FP16, device_size=[1, 64],
      device_coordinates=[sympify('0'), sympify('c0')], allocation={'hbm': 1})])])
";

/// A replacement in [`KERNEL`], the line and the column of its error, and a part of the message.
type KernelError = (&'static str, &'static str, usize, usize, &'static str);

#[track_caller]
fn assert_kernel_errors(cases: &[KernelError]) {
    let kernel = python::read(KERNEL, Some("k")).expect("a kernel");
    assert_eq!(kernel.nodes.len(), 1);
    let mut wrong = Vec::new();
    for (from, to, line, column, part) in cases {
        let text = KERNEL.replacen(from, to, 1);
        assert_ne!(text, KERNEL, "{from}");
        let err = python::read(&text, None).expect_err(to);
        let actual = (err.position.line, err.position.column);
        if actual != (*line, *column) || !err.problem.contains(part) {
            wrong.push(format!("{to}: {actual:?} {err}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn python_errors_name_the_place_and_the_field() {
    assert_kernel_errors(&[
        (
            "op_info",
            "op_infos",
            2,
            65,
            "specs[0]: unknown field `op_infos`; the fields are kind, op,",
        ),
        (
            "arg_index=1",
            "index=1",
            6,
            37,
            "specs[0].args[1]: unknown field `index`",
        ),
        (
            "OpSpec(",
            "Spec(",
            1,
            18,
            "expected OpSpec(...), LoopSpec(...) or UnimplementedOp(...), got a call of `Spec`",
        ),
        (
            "{'hbm': 0}",
            "{'hbm': 0, 'lx': 0}",
            5,
            68,
            "specs[0].args[0].allocation: must be one of hbm, lx and hbm_pool with its bytes, got {hbm, lx}",
        ),
        ("op='exp', ", "", 1, 18, "missing field `op`"),
        (
            "args=[",
            "args=3, x=[",
            3,
            8,
            "expected a list of TensorArg, got 3",
        ),
        (
            "(sympify('64'), 1)",
            "64",
            2,
            35,
            "expected (extent, slices), got 64",
        ),
    ]);
}

#[test]
fn python_errors_name_the_address_and_the_argument() {
    assert_kernel_errors(&[
        (
            "{'hbm': 1}",
            "{'hbm': 0}",
            7,
            68,
            r#"hbm must be arg_index plus an offset, got 0 < 1; write {"hbm": 1} for the start of argument 1"#,
        ),
        (
            "{'hbm': 1}",
            "{'hbm': 0x400000000}",
            7,
            68,
            r#"got 0x400000000; as an address, argument 1 is at 0x400000000 to 0x7ffffffff; write {"hbm": 1} for its start"#,
        ),
        (
            "{'hbm': 1}",
            "{'lx': base}",
            7,
            75,
            "expected the place in `lx`, a number of bytes, got `base`",
        ),
        (
            "arg_index=1, device_dtype=DataFormats.SEN169_FP16, device_size=[1, 64],\n      \
             device_coordinates=[sympify('0'), sympify('c0')], allocation={'hbm': 1}",
            "device_dtype=DataFormats.SEN169_FP16, device_size=[1, 64],\n      \
             device_coordinates=[sympify('0'), sympify('c0')], allocation={'hbm': <base>}",
            7,
            76,
            "the placeholder `<base>` is the start of a kernel argument, of which the tensor has no number; write arg_index=N",
        ),
    ]);
}

#[test]
fn python_errors_name_the_place_and_the_value() {
    assert_kernel_errors(&[
        (
            "DataFormats.SEN169_FP16",
            "float16",
            4,
            56,
            "a member of `DataFormats`, got `float16`",
        ),
        ("SEN169_FP16", "FP16", 4, 56, "unknown device format `FP16`"),
        (
            "sympify('64')",
            "sympify('64', 1)",
            2,
            36,
            "expected a symbolic expression",
        ),
        (
            "sympify('c0')]",
            "sympify('c0 +')]",
            5,
            26,
            "unexpected end",
        ),
        (
            "is_reduction=False",
            "is_reduction=0",
            1,
            48,
            "expected a boolean",
        ),
        ("[1, 64]", "[1, -64]", 4, 93, "invalid value"),
        (
            "[1, 64]",
            "[1, 99999999999999999999]",
            4,
            97,
            "an integer beyond 64 bits",
        ),
    ]);
}

#[test]
fn kernels_are_chosen_by_name() {
    let two = format!("{KERNEL}{}", KERNEL.replace("'k'", "'l'"));
    assert_eq!(python::kernels(&two).expect("kernels"), ["k", "l"]);
    assert!(python::read(&two, Some("l")).is_ok());
    for (text, name, part) in [
        (
            two.as_str(),
            None,
            "several kernels, of which one must be named: k, l",
        ),
        (two.as_str(), Some("m"), "no kernel `m`; it has k, l"),
        ("x = 1\n", None, "the file has no kernel"),
        (&format!("{KERNEL}{KERNEL}"), Some("k"), "2 kernels `k`"),
    ] {
        let err = python::read(text, name).expect_err(part);
        assert!(err.problem.contains(part), "{err}");
    }
}

#[test]
fn names_in_place_of_addresses_are_kernel_arguments() {
    let source = |text: &str| python::read(text, None).expect(text).nodes;
    let expected = source(KERNEL);
    for name in ["<base_addr_z>", "base_addr_z", "arg1.base"] {
        let text = KERNEL.replace("{'hbm': 1}", &format!("{{'hbm': {name}}}"));
        assert_eq!(source(&text), expected, "{name}");
    }
    // In the first revision, the number of the argument too.
    let first = KERNEL.replace("{'hbm': 0}", "{'hbm': 0}, stride_map=[64, 1]");
    let place = |place: &str| first.replace("{'hbm': 1}", &format!("{{'hbm': {place}}}"));
    let expected = source(&place("0x400000000"));
    for number in ["1", "<base_addr_z>"] {
        assert_eq!(source(&place(number)), expected, "{number}");
    }
    let err = python::read(&place("256"), None).expect_err("an address of argument 0");
    let problem = "hbm 0x100 is no address of argument 1, which is at 0x400000000 to 0x7ffffffff; write {\"hbm\": 1} \
                   for its start, or {\"hbm\": 17179869440} for its byte 256";
    assert!(err.problem.contains(problem), "{err}");
}

#[test]
fn the_first_revision_is_recognised() {
    // Addresses are numbers: argument 1 is in the second segment of 16 GiB.
    let tiled = KERNEL
        .replace(
            "{'hbm': 1}",
            "{'hbm': 0x400000100}, stride_map=[64, 1], per_tile_fixed=False",
        )
        .replace("{'hbm': 0}", "{'hbm': 0}, stride_map=[64, 1]");
    let source = python::read(&tiled, None).expect("a kernel");
    let [Node::Op(op)] = source.nodes.as_slice() else {
        panic!("not an op: {:?}", source.nodes)
    };
    let expected = Allocation::Hbm {
        arg: spyre_sdsc::ArgIndex::new(1),
        offset: Bytes(0x100),
    };
    assert_eq!(op.args[1].allocation, expected);
    // Fields of two revisions contradict each other.
    let mixed = tiled.replace(
        "op_info={}",
        "op_info={}, symbolic_dim_bounds={'s0': (8, 4)}",
    );
    let err = python::read(&mixed, None).expect_err("mixed");
    assert!(
        err.problem
            .contains("is a field of the first revision, but"),
        "{err}"
    );
}

#[test]
fn json_errors_name_the_place_and_the_field() {
    let op = r#"{"kind":"op","op":"exp","is_reduction":false,"iteration_space":[{"symbol":"c0","range":64,"work_division":1}],
        "args":[{"is_input":false,"arg_index":0,"device_dtype":"SEN169_FP16","device_size":[1,64],
                 "device_coordinates":["0","c0"],"allocation":{"hbm":0}}]}"#;
    let list = format!("[{op}]");
    assert_eq!(json::read(&list).expect("a tree").nodes.len(), 1);
    for (from, to, part) in [
        (
            "\"kind\":\"op\"",
            "\"kind\":\"pool\"",
            "specs[0]: kind must be `op`, `loop` or `unimplemented`, got `pool`",
        ),
        ("\"kind\":\"op\",", "", "specs[0]: missing field `kind`"),
        (
            "\"is_reduction\":false",
            "\"is_reduction\":1",
            "specs[0].is_reduction: invalid type: integer `1`, expected a boolean",
        ),
        (
            "\"symbol\"",
            "\"symbl\"",
            "specs[0].iteration_space[0]: unknown field `symbl`",
        ),
        ("\"range\":64", "\"range\":\"64 +\"", "unexpected end"),
        ("\"range\":64", "\"range\":\"(((\"", "unexpected end"),
        (
            "\"is_input\":false",
            "\"is_input\":false,\"is_input\":true",
            "specs[0].args[0]: field `is_input` is given twice",
        ),
        (
            "\"hbm\":0",
            "\"hbm\":0,\"hbm\":128",
            "specs[0].args[0].allocation: field `hbm` is given twice",
        ),
        (
            "[1,64]",
            "[1,-64]",
            "specs[0].args[0].device_size: invalid value",
        ),
        ("\"hbm\":0", "\"dram\":0", "unknown variant `dram`"),
        (
            "\"args\":[",
            "\"args\":[3,",
            "specs[0].args[0]: must be an object, got a number",
        ),
        ("[{\"kind\"", "[[{\"kind\"", "EOF while parsing a list"),
    ] {
        let text = list.replacen(from, to, 1);
        assert_ne!(text, list, "{from}");
        let message = json::read(&text).expect_err(to).to_string();
        assert!(message.contains(part), "{to}: {message}, not {part}");
    }
}

#[test]
fn places_of_json_errors_count_characters() {
    let long = format!("{{\"{}\": }}", "\u{e9}".repeat(500));
    for (text, line, column) in [
        ("{\"\u{e9}\u{e9}\u{e9}\": }", 1, 9),
        ("{\"eee\": }", 1, 9),
        (&long, 1, 506),
        // The wrong character has two bytes, and its line comes after others.
        ("{\"\u{e9}\": 1,\n\"\u{e9}\": \u{e9}}", 2, 6),
        ("{\"\u{e9}\u{e9}\": [1", 1, 9),
        ("{\n", 2, 1),
        ("", 1, 1),
    ] {
        let err = json::read(text).expect_err(text);
        assert_eq!(
            err.position(),
            Some(Position { line, column }),
            "{text}: {err}"
        );
        let place = format!(" at line {line} column {column}");
        assert!(err.to_string().ends_with(&place), "{text}: {err}");
        assert_eq!(err.to_string().matches(" at line ").count(), 1, "{err}");
    }
}

#[test]
fn json_errors_name_what_the_document_lacks() {
    for (text, part) in [
        ("", "EOF while parsing"),
        ("3", "must be a list of nodes"),
        ("{}", "missing field `specs`"),
        (
            "{\"specs\":[],\"specs\":[]}",
            "the document: field `specs` is given twice",
        ),
        (
            "[{\"kind\":\"loop\",\"count\":2}]",
            "specs[0]: missing field `body`",
        ),
        (
            "[{\"kind\":\"loop\",\"body\":[]}]",
            "specs[0]: missing field `count`",
        ),
        (
            "[{\"kind\":\"loop\",\"count\":\"foo(2)\",\"body\":[]}]",
            "specs[0].count: expression `foo(2)`",
        ),
        (
            "[{\"kind\":\"unimplemented\"}]",
            "specs[0]: missing field `op`",
        ),
        (&"[".repeat(100_000), "recursion limit exceeded"),
    ] {
        let message = json::read(text).expect_err(text).to_string();
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn floor_division_of_python_is_a_floor() {
    for (text, same) in [
        ("(s0//64)", "floor(s0/64)"),
        ("2*s0//3 + 1", "floor(2*s0/3) + 1"),
        ("s0//2//3", "floor(floor(s0/2)/3)"),
    ] {
        assert_eq!(parse(text), parse(same), "{text}");
    }
    // A space between them is no floor division.
    assert!("s0/ /2".parse::<Expr>().is_err());
}
