//! The tables name operations that MLIR has, and operations of their constructors verify.

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::attribute::{DenseElementsAttribute, DenseI64ArrayAttribute, FloatAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{
    Attribute, Block, BlockLike, Location, Module, Region, RegionLike, Type, ValueLike,
};
use melior::utility::register_all_dialects;
use spyre_cpp as _;
use spyre_mlir_rt::ir::{self, At, Val};
use spyre_ods::{
    Arithmetic, CmpIPredicate, OPERATIONS, OpBuilder, Relation, arith, bufferization, cf,
    definition, scf, spyre, tensor,
};

fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    for (_, handle) in spyre_dialects::DIALECTS {
        handle().insert_dialect(&registry);
    }
    let context = Context::new_with_registry(&registry, false);
    context.load_all_available_dialects();
    context
}

fn tensor_type<'p>(context: &'p Context, shape: &[u64]) -> Type<'p> {
    RankedTensorType::new(shape, Type::float16(context), None).into()
}

fn i64s<'p>(context: &'p Context, values: &[i64]) -> Attribute<'p> {
    DenseI64ArrayAttribute::new(context, values).into()
}

/// Calls `build` with a builder at the end of a module, which must verify, and returns the text of the module.
fn in_module<'p>(
    context: &'p Context,
    module: &'p Module<'p>,
    build: impl FnOnce(OpBuilder<'p>),
) -> String {
    let location = Location::unknown(context);
    build(OpBuilder::at_end(context, module.body(), location));
    assert!(module.as_operation().verify(), "{}", module.as_operation());
    module.as_operation().to_string()
}

fn empty<'p>(build: OpBuilder<'p>, shape: &[u64]) -> Val<'p> {
    build.op(tensor::empty(&[]), tensor_type(build.context, shape))
}

#[test]
fn each_name_is_a_registered_operation() {
    let context = context();
    let all: Vec<_> = OPERATIONS.iter().copied().flatten().collect();
    assert!(all.len() > 400, "{} operations", all.len());
    let unknown = all.iter().map(|definition| definition.name);
    let unknown = unknown.filter(|name| !context.is_registered_operation(name));
    assert_eq!(unknown.collect::<Vec<_>>(), [""; 0]);
    let addi = definition(arith::ADDI);
    assert_eq!(addi.map(|definition| definition.name), Some("arith.addi"));
    assert!(definition("arith.nothing").is_none());
}

#[test]
fn arithmetic_follows_the_types() {
    let context = context();
    let module = Module::new(Location::unknown(&context));
    let text = in_module(&context, &module, |build| {
        let (one, two) = (build.index(1), build.index(2));
        let is_below = build.compare(Relation::Less, one, two);
        build.select(is_below, build.add(one, two), build.max(one, two));
        build.cmpi(CmpIPredicate::Ult, one, two);
        let f32 = Type::float32(&context);
        let half = build.float(0.5, f32);
        build.mul(half, half);
        let tensor = RankedTensorType::new(&[4], f32, None).into();
        let halves = build.float(0.5, tensor);
        build.compare(Relation::NotEqual, halves, build.sub(halves, halves));
        build.integer(7, IntegerType::new(&context, 32).into());
    });
    for line in [
        "arith.cmpi slt, %c1, %c2 : index",
        "arith.addi %c1, %c2 : index",
        "arith.maxsi %c1, %c2 : index",
        "arith.cmpi ult, %c1, %c2 : index",
        "arith.mulf %cst, %cst : f32",
        "arith.cmpf une, %cst_0, ",
        "arith.constant 7 : i32",
    ] {
        assert!(text.contains(line), "no '{line}' in\n{text}");
    }
}

#[test]
fn groups_of_operands_have_sizes() {
    let context = context();
    let module = Module::new(Location::unknown(&context));
    in_module(&context, &module, |build| {
        let whole = empty(build, &[8, 8]);
        let offset = build.index(2);
        let parts = tensor::extract_slice(
            whole,
            &[offset],
            &[],
            &[],
            i64s(&context, &[i64::MIN, 0]),
            i64s(&context, &[4, 8]),
            i64s(&context, &[1, 1]),
        );
        let op = build.insert(parts, &[tensor_type(&context, &[4, 8])]);
        let slice = tensor::ExtractSlice::cast(op).expect("it is built as such");
        assert_eq!(slice.source(), whole);
        assert_eq!(slice.offsets().collect::<Vec<_>>(), [offset]);
        assert_eq!(slice.sizes().len(), 0);
        assert_eq!(slice.strides().len(), 0);
        assert_eq!(slice.static_sizes(), i64s(&context, &[4, 8]));
        assert_eq!(slice.result().r#type(), tensor_type(&context, &[4, 8]));
        assert!(tensor::InsertSlice::cast(op).is_none());

        let parts = bufferization::alloc_tensor(&[], Some(whole), None);
        let op = build.insert(parts, &[tensor_type(&context, &[8, 8])]);
        let alloc = bufferization::AllocTensor::cast(op).expect("it is built as such");
        assert_eq!(alloc.copy(), Some(whole));
        assert_eq!(alloc.size_hint(), None);
        assert_eq!(alloc.memory_space(), None);
    });
}

#[test]
fn regions_are_added_to_the_parts() {
    let context = context();
    let module = Module::new(Location::unknown(&context));
    let text = in_module(&context, &module, |build| {
        let (ty, index) = (tensor_type(&context, &[8]), Type::index(&context));
        let init = empty(build, &[8]);
        let (zero, one, eight) = (build.index(0), build.index(1), build.index(8));
        let block = Block::new(&[(index, build.location), (ty, build.location)]);
        let region = Region::new();
        let body = region.append_block(block);
        let carried: Val<'_> = body.argument(1).expect("it has two").into();
        OpBuilder::at_end(&context, body, build.location).insert(scf::yield_(&[carried]), &[]);
        let op = build.insert(scf::for_(zero, eight, one, &[init]).region(region), &[ty]);
        let view = scf::For::cast(op).expect("it is built as such");
        assert_eq!(view.upper_bound(), eight);
        assert_eq!(view.init_args().collect::<Vec<_>>(), [init]);
        assert_eq!(view.results().len(), 1);
        let body = view.region().first_block().expect("it has a body");
        let end = body.terminator().expect("it ends in a yield");
        assert_eq!(ir::name(end), scf::YIELD);
    });
    let line = "scf.for %arg0 = %c0 to %c8 step %c1";
    assert!(text.contains(line), "{text}");
}

#[test]
fn a_block_follows_a_terminator() {
    let context = context();
    let module = Module::new(Location::unknown(&context));
    in_module(&context, &module, |build| {
        let location = build.location;
        let region = Region::new();
        let first = region.append_block(Block::new(&[]));
        let second = region.append_block(Block::new(&[]));
        let at_end = |block| OpBuilder::at_end(&context, block, location);
        at_end(first).insert(cf::br(&[]).successor(second), &[]);
        at_end(second).insert(scf::yield_(&[]), &[]);
        build.insert(scf::execute_region().region(region), &[]);
    });
}

#[test]
fn operations_of_spyre_have_names_for_their_parts() {
    let context = context();
    let module = Module::new(Location::unknown(&context));
    in_module(&context, &module, |build| {
        let ty = tensor_type(&context, &[4, 64]);
        let one = FloatAttribute::new(&context, Type::float16(&context), 1.0);
        let one = DenseElementsAttribute::new(ty, &[one.into()]).expect("it is of the type");
        let ones = build.op(spyre::fill(one.into()), ty);
        let fill = ir::defining_op(ones).and_then(spyre::Fill::cast);
        assert_eq!(fill.expect("it is built as such").value(), one.into());
        let sum = build.same(spyre::add(ones, ones));
        let op = ir::defining_op(sum).expect("it is built");
        let add = spyre::Add::cast(op).expect("it is built as such");
        assert_eq!((add.lhs(), add.rhs(), add.result()), (ones, ones, sum));
        assert_eq!(add.tile(), None);
        let before = OpBuilder::before(&context, op);
        assert!(matches!(before.at, At::Before(_)));
        before.same(spyre::abs(ones));
    });
}

// Release builds do not check the names.
#[test]
#[cfg(debug_assertions)]
#[should_panic = "'spyre.abs' has no attribute 'tiles'"]
fn a_wrong_name_of_an_attribute_is_found() {
    let context = context();
    let module = Module::new(Location::unknown(&context));
    in_module(&context, &module, |build| {
        let x = empty(build, &[4, 64]);
        let unit = Attribute::unit(&context);
        let parts = spyre::abs(x).with("spyre.note", unit);
        build.same(parts.with("tiles", unit));
    });
}
