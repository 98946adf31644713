//! Trees on both ways to files, at once and by a module, with the current front end's fields about cores (contract, K62
//! and K69 to K74).

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::utility::register_all_dialects;
use proptest::prelude::*;
use spyre_bundle::import::{self, TreeOptions, TreeText};
use spyre_bundle::{Addresses, compile, export};
use spyre_conversion::to_sdscbundle::Form;
use spyre_cpp as _;
use spyre_plan::Target;
use spyre_sdsc::model::Ownership;
use spyre_sdsc::source::{json, python};
use spyre_sdsc::{
    Allocation, Bundle, DeviceFormat, Expr, Json, Node, OpSpec, TensorArg, compile_bundle,
};

fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    spyre_dialects::register_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

fn parse(text: &str) -> Expr {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// Returns 64 rows of 256 columns.
fn matrix(place: Allocation) -> TensorArg {
    let coordinates = ["floor(c1/64)", "c0", "Mod(c1, 64)"].map(parse);
    TensorArg::new(
        DeviceFormat::Sen169Fp16,
        vec![4, 64, 64],
        coordinates.into(),
        place,
    )
}

/// Returns the expression of the digit of a core's number that has the weight `by` and `modulus` values, in one of the forms that front
/// ends write.
fn digit(by: u64, modulus: u64, form: bool) -> Expr {
    parse(&match form {
        false => format!("Mod(floor(core_id/{by}), {modulus})"),
        true => format!("Mod(floor(Mod(floor(core_id/{by}), {modulus})), {modulus})"),
    })
}

/// Returns the slices of rows and columns by digits, rows first or columns first.
fn digits(rows: u64, columns: u64, rows_first: bool, form: bool) -> [(&'static str, Expr); 2] {
    match rows_first {
        true => [
            ("c0", digit(1, rows, form)),
            ("c1", digit(rows, columns, form)),
        ],
        false => [
            ("c1", digit(1, columns, form)),
            ("c0", digit(columns, rows, form)),
        ],
    }
}

/// An operation on arguments. Where rows are whole, a core's part of an argument can be a separate tensor.
fn pointwise() -> impl Strategy<Value = OpSpec> {
    let slices = (0_u32..3, 0_u32..3, any::<[bool; 3]>());
    (slices, any::<[bool; 2]>(), 0_u32..3).prop_map(
        |((rows, columns, [states, rows_first, form]), [separate, kernel_local], arg)| {
            let (rows, columns) = (1 << rows, 1 << columns);
            let mut source = matrix(Allocation::argument(arg));
            source.separate_parts = separate && rows == 1;
            let mut result = matrix(Allocation::argument(arg + 1));
            result.kernel_local = kernel_local;
            let mut op = OpSpec::pointwise("neg")
                .with_dim("c0", Expr::int(64), rows)
                .with_dim("c1", Expr::int(256), columns)
                .with_input(source)
                .with_output(result);
            if states {
                for (dim, slice) in digits(rows, columns, rows_first, form) {
                    op = op.with_core_slice(dim, slice);
                }
            }
            op
        },
    )
}

/// A copy between scratchpads that a front end has certified, over `rows` slices of rows.
fn certified_copy(rows: u64, source: Option<Ownership>, destination: Option<Ownership>) -> OpSpec {
    let place = |address, ownership| TensorArg {
        ownership,
        ..matrix(Allocation::lx(address))
    };
    let mut op = OpSpec::pointwise("identity")
        .with_dim("c0", Expr::int(64), rows)
        .with_dim("c1", Expr::int(256), 1)
        .with_input(place(0, source))
        .with_output(place(65536, destination))
        .with_core_slice("c0", parse(&format!("Mod(core_id, {rows})")));
    let other = &mut op.op_info.other;
    other.insert("lx_relayout_certified".into(), Json::Bool(true));
    op
}

/// A re-layout: from parts of rows and columns to parts of rows, each on `shared` cores.
fn relayout() -> impl Strategy<Value = OpSpec> {
    let parts = (0_u32..3, 0_u32..3);
    (parts, any::<[bool; 4]>()).prop_map(|((rows, columns), [rows_first, form, shared, among])| {
        let (rows, columns) = (1 << rows, 1 << columns);
        let cores: u64 = rows * columns;
        let source = Ownership {
            work_slices: [("c1".into(), columns), ("c0".into(), rows)]
                .into_iter()
                .collect(),
            core_id_to_work_slice: digits(rows, columns, rows_first, form)
                .map(|(dim, slice)| (dim.into(), slice))
                .into_iter()
                .collect(),
            num_cores: (among || shared).then_some(cores as u32),
        };
        let parts = if shared && cores > 1 {
            cores / 2
        } else {
            cores
        };
        let destination = Ownership {
            work_slices: [("c0".into(), parts)].into_iter().collect(),
            core_id_to_work_slice: [("c0".into(), digit(1, parts, form))].into_iter().collect(),
            num_cores: Some(cores as u32),
        };
        certified_copy(parts, Some(source), Some(destination))
    })
}

/// A relayout of a value that the last of every `modulus` cores has.
fn relayout_of_last_cores() -> impl Strategy<Value = OpSpec> {
    (1_u32..3, 1_u32..3).prop_map(|(parts, modulus)| {
        let (parts, modulus) = (1 << parts, 1_u32 << modulus);
        let cores = parts * modulus;
        let source = Ownership {
            work_slices: [("c0".into(), u64::from(parts))].into_iter().collect(),
            core_id_to_work_slice: [("c0".into(), parse(&format!("floor(core_id/{modulus})")))]
                .into_iter()
                .collect(),
            num_cores: None,
        };
        let mut op = certified_copy(cores.into(), Some(source), None);
        op.completed_producer_cores = (1..=parts).map(|part| part * modulus - 1).collect();
        op
    })
}

fn tree() -> impl Strategy<Value = Vec<Node>> {
    let op = prop_oneof![pointwise(), relayout(), relayout_of_last_cores()];
    proptest::collection::vec(op.prop_map(Node::from), 1..4)
}

/// Returns the files of a bundle.
fn files(bundle: &Bundle) -> Vec<(String, String)> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("files are text");
    let files = bundle.files();
    files
        .map(|(name, bytes)| (name, text(bytes.expect("in memory"))))
        .collect()
}

/// Returns the files of a tree without MLIR.
fn files_of(nodes: &[Node]) -> Vec<(String, String)> {
    let options = Form::default().options(nodes, &Target::CARD);
    let bundle = compile_bundle(nodes, &options);
    files(&bundle.unwrap_or_else(|err| panic!("{err}")))
}

/// Returns the files of a tree compiled directly, the files by a module, and the files of the tree that the module is
/// exported to.
fn all_files(name: &str, text: &str, form: TreeText<'_>) -> [Vec<(String, String)>; 3] {
    let context = context();
    let source = import::read(name, text.as_bytes(), form).unwrap_or_else(|err| panic!("{err}"));
    let options = TreeOptions::default();
    let at_once = import::bundle(&context, name, &source, options, Addresses::Symbolic);
    let at_once = at_once.unwrap_or_else(|err| panic!("{err}: {text}"));
    let module = import::module(&context, name, &source, options);
    let module = module
        .unwrap_or_else(|err| panic!("{err}: {text}"))
        .as_operation()
        .to_string();
    let module = Module::parse(&context, &module).expect("what is printed can be read");
    let root = module.as_operation();
    let by_module = compile(&context, root, Addresses::Symbolic);
    let by_module = by_module.unwrap_or_else(|err| panic!("{}", err.emit()));
    let (nodes, _) = export::tree(&context, root).unwrap_or_else(|err| panic!("{}", err.emit()));
    [files(&at_once), files(&by_module), files_of(&nodes)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn both_ways_and_the_way_back_have_the_files_of_the_tree(nodes in tree()) {
        let expected = files_of(&nodes);
        let text = json::write(&nodes, &Default::default());
        for files in all_files("tree.json", &text, TreeText::Json) {
            prop_assert_eq!(&files, &expected, "{}", text);
        }
        let text = python::write("kernel", &nodes);
        for files in all_files("kernel.py", &text, TreeText::Python(None)) {
            prop_assert_eq!(&files, &expected, "{}", text);
        }
    }
}

#[test]
fn files_depend_on_slices_and_certificates() {
    let nodes: Vec<Node> = vec![
        certified_copy(4, None, None).into(),
        OpSpec::pointwise("neg")
            .with_dim("c0", Expr::int(64), 2)
            .with_dim("c1", Expr::int(256), 4)
            .with_input(matrix(Allocation::argument(0)))
            .with_output(matrix(Allocation::argument(1)))
            .with_core_slice("c1", parse("Mod(core_id, 4)"))
            .with_core_slice("c0", parse("floor(core_id/4)"))
            .into(),
    ];
    // The order of a mapping is in the file, so the comparison of files sees when it is lost.
    let files = files_of(&nodes);
    let neg = &files[2].1.replace([' ', '\n'], "");
    assert!(neg.contains(r#""5":{"out":1,"mb":1}"#), "{neg}");
    assert!(files[1].1.contains("0_shuffle"), "{}", files[1].1);
}

#[test]
fn the_caret_of_a_json_error_is_below_its_character() {
    let key = "\u{e9}".repeat(3);
    let long = "\u{e9}".repeat(500);
    for (text, column) in [
        (format!("{{\"{key}\": }}"), 9),
        (format!("{{\"{long}\": }}"), 506),
        (format!("{{\"{key}\": ?, \"{long}\": 1}}"), 9),
    ] {
        let err = import::read("tree.json", text.as_bytes(), TreeText::Json);
        let err = err.expect_err(&text);
        let message = err.to_string();
        let place = format!("tree.json:1:{column}: error: ");
        assert!(message.starts_with(&place), "{message}");
        let excerpt = err.excerpt().expect("an excerpt");
        let (line, caret) = excerpt.split_once('\n').expect("a line and a caret");
        assert!(line.chars().count() <= 120, "{message}");
        let character = line.chars().nth(caret.chars().count() - 1);
        assert_eq!(character, text.chars().nth(column - 1), "{message}");
    }
}
