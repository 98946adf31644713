//! OpSpecs as operations and back: the work of each core, and the places of its parts (contract,
//! K62 and K69 to K73).

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use melior::utility::register_all_dialects;
use proptest::prelude::*;
use spyre_cpp as _;
use spyre_dialects::op_spec::{NamedOpSpec, read};
use spyre_sdsc::model::{CORE_ID, Ownership};
use spyre_sdsc::{Allocation, DeviceFormat, Expr, Object, OpSpec, Symbol, TensorArg};

/// More cores than the expressions of the tests distinguish.
const CORES: i64 = 70;

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

/// Returns the text of a verified module that has the operation of an OpSpec.
fn module_text(context: &Context, spec: &OpSpec) -> Result<String, String> {
    let location = Location::unknown(context);
    let module = Module::new(location);
    let named = NamedOpSpec {
        name: "sdsc_0".to_owned(),
        spec,
        loops: Vec::new(),
        is_in_order: false,
    };
    let operation = named
        .build(context, location)
        .map_err(|err| err.to_string())?;
    module.body().append_operation(operation);
    assert!(module.as_operation().verify(), "{}", module.as_operation());
    Ok(module.as_operation().to_string())
}

/// Returns the OpSpec of the one operation in the text of a module.
fn spec_of(context: &Context, text: &str) -> OpSpec {
    let module = Module::parse(context, text).unwrap_or_else(|| panic!("does not parse: {text}"));
    let operation = module.body().first_operation().expect("an operation");
    read(operation, &[]).unwrap_or_else(|err| panic!("{err}: {text}"))
}

/// Returns the values of an expression for the first cores.
fn values(slice: &Expr) -> Vec<i64> {
    let of_core = |core| slice.eval(|symbol| (symbol.as_str() == CORE_ID).then_some(core));
    let values = (0..CORES).map(of_core).collect::<Result<_, _>>();
    values.unwrap_or_else(|err| panic!("{slice}: {err}"))
}

/// Returns the dimensions in order, with the values for the first cores.
fn all_values(slices: &Object<Expr, Symbol>) -> Vec<(Symbol, Vec<i64>)> {
    let entries = slices.iter();
    entries
        .map(|(dim, slice)| (dim.clone(), values(slice)))
        .collect()
}

/// Returns the parts of a tensor along `dims`, with the values for the first cores. Other
/// dimensions are whole.
fn parts(ownership: &Ownership, dims: &[&str]) -> Vec<(u64, Vec<i64>)> {
    let along = |dim: &&str| {
        let slice = ownership.core_id_to_work_slice.get(*dim);
        let slices = ownership.work_slices.get(*dim).copied();
        (slices.unwrap_or(1), values(slice.unwrap_or(&Expr::int(0))))
    };
    dims.iter().map(along).collect()
}

/// An expression of the number of a core in one of the forms that front ends write, and in some that they do not.
fn slice() -> impl Strategy<Value = Expr> {
    (0_usize..7, 1_u32..9, 1_u32..9).prop_map(|(form, by, modulus)| {
        let both = by * modulus;
        parse(&match form {
            0 => format!("Mod(core_id, {modulus})"),
            1 => format!("Mod(floor(core_id/{by}), {modulus})"),
            2 => format!("Mod(floor(Mod(floor(core_id/{by}), {modulus})), {modulus})"),
            3 => format!("floor(Mod(core_id, {both})/{by})"),
            4 => format!("{modulus} - 1 - Mod(core_id, {modulus})"),
            5 => format!("{by}*floor(core_id/{modulus}) + Mod(core_id, {by}) - core_id"),
            _ => "0".to_owned(),
        })
    })
}

/// The slices of up to two dimensions, in either order.
fn slices() -> impl Strategy<Value = Object<Expr, Symbol>> {
    let dims = proptest::sample::subsequence(vec!["c0", "c1"], 0..3).prop_shuffle();
    dims.prop_flat_map(|dims| {
        let slices = proptest::collection::vec(slice(), dims.len());
        slices.prop_map(move |slices| {
            let entries = dims.iter().zip(slices);
            entries
                .map(|(dim, slice)| (Symbol::from(*dim), slice))
                .collect()
        })
    })
}

fn ownership() -> impl Strategy<Value = Ownership> {
    let counts = proptest::collection::vec(1_u64..9, 2);
    let among = proptest::option::of(1_u32..65);
    (slices(), counts, among).prop_map(|(slices, counts, num_cores)| Ownership {
        work_slices: slices.keys().cloned().zip(counts).collect(),
        core_id_to_work_slice: slices,
        num_cores,
    })
}

fn tensor() -> impl Strategy<Value = TensorArg> {
    let places = [
        Allocation::argument(1),
        Allocation::pool(256),
        Allocation::lx(128),
    ];
    let place = proptest::sample::select(places.to_vec());
    let owners = proptest::option::of(ownership());
    (place, owners, any::<[bool; 2]>()).prop_map(|(place, ownership, [separate, kernel_local])| {
        let coordinates = ["floor(c1/64)", "c0", "Mod(c1, 64)"].map(parse);
        let format = DeviceFormat::Sen169Fp16;
        TensorArg {
            ownership,
            separate_parts: separate && !place.is_lx(),
            kernel_local,
            ..TensorArg::new(format, vec![4, 64, 64], coordinates.into(), place)
        }
    })
}

fn op_spec() -> impl Strategy<Value = OpSpec> {
    let completed = proptest::sample::subsequence((0..8).collect::<Vec<u32>>(), 0..4);
    let completed = completed.prop_shuffle();
    let mapping = proptest::option::of(slices());
    (tensor(), tensor(), mapping, completed).prop_map(
        |(source, destination, mapping, completed)| {
            // A dimension without slices of cores is not divided (SO13).
            let divided = |dim: &str| {
                mapping
                    .as_ref()
                    .is_none_or(|groups| groups.get(dim).is_some())
            };
            let mut spec = OpSpec::pointwise("identity")
                .with_dim("c0", Expr::int(64), if divided("c0") { 8 } else { 1 })
                .with_dim("c1", Expr::int(256), if divided("c1") { 4 } else { 1 })
                .with_input(source)
                .with_output(destination);
            spec.core_id_to_work_slice = mapping;
            spec.completed_producer_cores = completed;
            spec
        },
    )
}

proptest! {
    #[test]
    fn what_cores_do_comes_back(spec in op_spec()) {
        let context = context();
        let text = module_text(&context, &spec).unwrap_or_else(|message| panic!("{message}"));
        let back = spec_of(&context, &text);
        // The text is that of the affine form; values and order do not change.
        let slices = [&spec, &back].map(|spec| spec.core_id_to_work_slice.as_ref().map(all_values));
        prop_assert_eq!(&slices[0], &slices[1], "{}", text);
        prop_assert_eq!(&back.completed_producer_cores, &spec.completed_producer_cores);
        for (arg, original) in back.args.iter().zip(&spec.args) {
            prop_assert_eq!(
                (arg.separate_parts, arg.kernel_local),
                (original.separate_parts, original.kernel_local)
            );
            let owners = [arg, original].map(|arg| arg.ownership.as_ref());
            prop_assert_eq!(
                owners[0].map(|owners| (owners.num_cores, parts(owners, &["c0", "c1"]))),
                owners[1].map(|owners| (owners.num_cores, parts(owners, &["c0", "c1"])))
            );
        }
        // The printed form of the result reads back as an equal OpSpec.
        prop_assert_eq!(module_text(&context, &back), Ok(text.clone()));
        prop_assert_eq!(spec_of(&context, &text), back);
    }
}

#[test]
fn what_attributes_cannot_hold_is_refused() {
    let context = context();
    let tensor = || {
        TensorArg::new(
            DeviceFormat::Sen169Fp16,
            vec![1, 64],
            vec![parse("0"), parse("c0")],
            Allocation::lx(0),
        )
    };
    let neg = || {
        OpSpec::pointwise("neg")
            .with_dim("c0", Expr::int(64), 1)
            .with_output(tensor())
    };
    for (slice, part) in [
        (
            "core_id*core_id",
            "core_id_to_work_slice `core_id*core_id` is not affine with whole values",
        ),
        (
            "core_id/2",
            "core_id_to_work_slice `core_id/2` is not affine",
        ),
        (
            "Mod(c0, 4)",
            "core_id_to_work_slice `Mod(c0, 4)` uses c0, which is not the core",
        ),
    ] {
        let spec = neg().with_core_slice("c0", parse(slice));
        assert_eq!(
            module_text(&context, &spec).map_err(|reason| reason.contains(part)),
            Err(true),
            "{slice}"
        );
        let mut owned = neg();
        owned.args[0].ownership = Some(Ownership {
            work_slices: [("c0".into(), 4)].into_iter().collect(),
            core_id_to_work_slice: [("c0".into(), parse(slice))].into_iter().collect(),
            num_cores: None,
        });
        let message = module_text(&context, &owned).expect_err(slice);
        assert!(
            message.starts_with(&format!("tensor #0: work_division.{part}")),
            "{message}"
        );
    }
    let mut spec = neg();
    spec.args[0].ownership = Some(Ownership {
        work_slices: Object::new(),
        core_id_to_work_slice: Object::new(),
        num_cores: Some(0),
    });
    assert_eq!(
        module_text(&context, &spec).expect_err("no cores"),
        "tensor #0: work_division distributes a tensor among no cores; leave num_cores out for the cores of the operation"
    );
    let mut spec = neg();
    spec.args.push(tensor());
    spec.args[1].device_coordinates[1] = parse("c0/3");
    assert_eq!(
        module_text(&context, &spec).expect_err("thirds"),
        "tensor #1: device coordinate `c0/3` is not affine with whole values"
    );
    let mut spec = neg();
    spec.iteration_space[0].slices = 1 << 63;
    assert_eq!(
        module_text(&context, &spec).expect_err("2^63 slices"),
        "number of slices of c0, 9223372036854775808, is not below 2^63"
    );
}
