//! Operations, types and attributes of `ktdp`, built in Rust: they verify, and print as a reader of text has them.

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::attribute::{DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{MemRefType, RankedTensorType};
use melior::ir::{
    Attribute, Block, BlockLike, Location, Module, Region, RegionLike, Type, ValueLike,
};
use melior::utility::register_all_dialects;
use spyre_cpp as _;
use spyre_dialects::ktdp_attr::{
    MemorySpace, RuntimeArgField, RuntimeBounds, access_tile_shape, access_tile_type,
    runtime_arg_bounds, runtime_arg_type,
};
use spyre_mlir_rt::ir;
use spyre_ods::{Arithmetic, OpBuilder, ktdp};

/// The number of a dynamic extent in the attributes of MLIR.
const DYNAMIC: i64 = i64::MIN;

fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    spyre_dialects::register_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    context.load_all_available_dialects();
    context
}

fn attribute<'c>(context: &'c Context, text: &str) -> Attribute<'c> {
    Attribute::parse(context, text).unwrap_or_else(|| panic!("does not parse: {text}"))
}

#[test]
fn a_copy_of_gathered_rows_is_built() {
    let context = context();
    let location = Location::unknown(&context);
    let module = Module::new(location);
    let build = OpBuilder::at_end(&context, module.body(), location);
    let index = Type::index(&context);
    let f16 = Type::float16(&context);
    let i64s = |values: &[i64]| DenseI64ArrayAttribute::new(&context, values).into();
    let rows = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>";
    let rows = attribute(&context, rows);
    let identity = attribute(&context, "affine_map<(d0, d1) -> (d0, d1)>");
    let global = MemorySpace::Global.attribute(&context);

    let (base, count) = (build.index(0), build.index(256));
    let parts = ktdp::construct_memory_view(
        base,
        &[],
        &[],
        i64s(&[32, 64]),
        i64s(&[64, 1]),
        global,
        rows,
    );
    let view = build.op(parts, MemRefType::new(f16, &[32, 64], None, None).into());
    let numbers = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>";
    let parts = ktdp::construct_memory_view(
        base,
        &[count],
        &[],
        i64s(&[DYNAMIC]),
        i64s(&[1]),
        MemorySpace::CtLocal(Some(7)).attribute(&context),
        attribute(&context, numbers),
    );
    let unknown = Type::parse(&context, "memref<?xi32>").expect("a type of MLIR");
    let indices = build.op(parts, unknown);

    // X[I[m], k] in the order of the variables (m, k).
    let kinds = attribute(&context, "[true, false]");
    let maps = "[affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>]";
    let maps = attribute(&context, maps);
    let region = Region::new();
    region.append_block(Block::new(&[(index, location), (index, location)]));
    let parts = ktdp::construct_indirect_access_tile(
        view,
        &[indices],
        &[],
        &[],
        kinds,
        maps,
        rows,
        identity,
    );
    let tile = access_tile_type(&context, &[32, 64]);
    let from = build.op(parts.region(region), tile);
    let zero = build.index(0);
    let to = ktdp::construct_access_tile(view, &[zero, zero], &[], identity, rows, identity);
    let to = build.op(to, tile);
    let tensor = RankedTensorType::new(&[32, 64], f16, None).into();
    let value = build.op(ktdp::load(from), tensor);
    build.insert(ktdp::store(value, to), &[]);

    assert!(module.as_operation().verify(), "{}", module.as_operation());
    let text = module.as_operation().to_string();
    for part in [
        "sizes: [32, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>}",
        "memory_space = #ktdp.memory_space<ct_local, ct_id = 7>} : memref<?xi32>",
        "intermediate_variables(%arg0, %arg1) %0[ind(%1[%arg0]), (%arg1)] {",
        ": memref<32x64xf16>, memref<?xi32> -> !ktdp.access_tile<32x64xindex>",
        "ktdp.store %4, %3 : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>",
    ] {
        assert!(text.contains(part), "no '{part}' in\n{text}");
    }
    let again = Module::parse(&context, &text).expect("the text parses");
    assert_eq!(again.as_operation().to_string(), text);
}

#[test]
fn a_runtime_argument_is_extracted() {
    let context = context();
    let location = Location::unknown(&context);
    let index = Type::index(&context);
    let bounds = RuntimeBounds {
        granularity: Some(16),
        upperbound: Some(512),
    };
    let argument = runtime_arg_type(index, bounds).expect("positive bounds");
    let block = Block::new(&[(argument, location)]);
    let value = block.argument(0).expect("it has one").into();
    let region = Region::new();
    let block = region.append_block(block);
    let build = OpBuilder::at_end(&context, block, location);
    for field in [
        RuntimeArgField::Value,
        RuntimeArgField::Granularity,
        RuntimeArgField::Upperbound,
    ] {
        let parts = ktdp::runtime_arg_extract(value, field.attribute(&context));
        let result = build.op(parts, index);
        let op = ir::defining_op(result).expect("it is built");
        assert!(op.verify(), "{op}");
        let view = ktdp::RuntimeArgExtract::cast(op).expect("it is built as such");
        assert_eq!(view.input().r#type(), argument);
    }
}

#[test]
fn types_and_attributes_are_read_back() {
    let context = context();
    for space in [
        MemorySpace::Global,
        MemorySpace::CtLocal(None),
        MemorySpace::CtLocal(Some(0)),
        MemorySpace::CtLocal(Some(31)),
    ] {
        assert_eq!(MemorySpace::of(space.attribute(&context)), Some(space));
    }
    let older = attribute(&context, "#ktdp.spyre_memory_space<LX, core = 31>");
    assert_eq!(older, MemorySpace::CtLocal(Some(31)).attribute(&context));
    let number = IntegerAttribute::new(Type::index(&context), 3).into();
    assert_eq!(MemorySpace::of(number), None);

    for shape in [&[][..], &[0, 42], &[2, 64, 64]] {
        let read = access_tile_shape(access_tile_type(&context, shape));
        let shape = shape.iter().copied().map(Some).collect();
        assert_eq!(read, Some(shape));
    }
    let ragged = Type::parse(&context, "!ktdp.access_tile<?x64xindex>").expect("a type");
    assert_eq!(access_tile_shape(ragged), Some(vec![None, Some(64)]));
    assert_eq!(access_tile_shape(Type::index(&context)), None);

    let index = Type::index(&context);
    for (granularity, upperbound) in [(None, None), (Some(64), None), (Some(64), Some(512))] {
        let bounds = RuntimeBounds {
            granularity,
            upperbound,
        };
        let ty = runtime_arg_type(index, bounds).expect("positive bounds");
        assert_eq!(runtime_arg_bounds(ty), Some(bounds));
    }
    assert_eq!(runtime_arg_bounds(index), None);
    let zero = RuntimeBounds {
        granularity: Some(0),
        upperbound: None,
    };
    assert_eq!(runtime_arg_type(index, zero), None);
}
