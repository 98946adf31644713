//! The IR that the builders make, checked as text.

use filecheck::{CheckerBuilder, NO_VARIABLES};
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{
    AffineExpr, AffineMap, Attribute, Block, BlockLike, Identifier, Location, Module, Region,
    RegionLike, Type,
};
use spyre_mlir_rt::ir::{self, At, Blk, Offset, OpKind, Parts, Source, Val, Window};
use spyre_mlir_rt::tool::register_upstream_dialects;
use {spyre_cpp as _, spyre_dialects as _};

const FUNCTION: &str =
    "func.func @f(%a: tensor<8x128xf16>, %t: tensor<4x64xf16>, %i: index) -> tensor<8x128xf16> {
  return %a : tensor<8x128xf16>
}";

fn context() -> Context {
    let registry = DialectRegistry::new();
    register_upstream_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    for dialect in ["affine", "arith", "func", "scf", "tensor"] {
        context.get_or_load_dialect(dialect);
    }
    context
}

fn parse<'c>(context: &'c Context, source: &str) -> Module<'c> {
    Module::parse(context, source).expect("the source parses")
}

/// The body of the first function of a module.
fn body<'p>(module: &'p Module<'p>) -> Blk<'p> {
    ir::function_body(module.body().first_operation().expect("a function")).expect("a body")
}

fn argument<'p>(body: Blk<'p>, index: usize) -> Val<'p> {
    body.argument(index).expect("an argument").into()
}

/// Verifies the module and compares its text with `filecheck` directives.
fn check(module: &Module<'_>, directives: &str) {
    assert!(module.as_operation().verify());
    let text = module.as_operation().to_string();
    let checker = CheckerBuilder::new()
        .text(directives)
        .expect("directives")
        .finish();
    assert!(!checker.is_empty());
    let (matches, explanation) = checker.explain(&text, NO_VARIABLES).expect("a check");
    assert!(matches, "{explanation}");
}

fn scaled(context: &Context, factor: i64) -> AffineMap<'_> {
    let product = AffineExpr::dim(context, 0) * AffineExpr::constant(context, factor);
    AffineMap::new(context, 1, 1, &[product + AffineExpr::symbol(context, 0)])
}

#[test]
fn operations_of_their_parts() {
    let context = context();
    let location = Location::unknown(&context);
    let module = parse(&context, FUNCTION);
    {
        let body = body(&module);
        let end = body.terminator().expect("a terminator");
        let region = Region::new();
        region.append_block(Block::new(&[]));
        let truth = IntegerType::new(&context, 1).into();
        let value = IntegerAttribute::new(truth, 1).into();
        let constant = Parts {
            name: "arith.constant",
            operands: &[],
            results: &[truth],
            attributes: &[(Identifier::new(&context, "value"), value)],
            regions: Vec::new(),
        };
        let constant = ir::build(At::Before(end), location, constant);
        let mark = Identifier::new(&context, "test.mark");
        let branch = Parts {
            name: "scf.if",
            operands: &[ir::result(constant, 0).expect("a constant has a result")],
            results: &[],
            attributes: &[(mark, Attribute::unit(&context))],
            regions: vec![region, Region::new()],
        };
        let built = ir::build(At::Before(end), location, branch);
        let inner = ir::body(built).expect("the region has a block");
        ir::build_yield(inner, location, &[]);
    }
    check(
        &module,
        "
        check: $(true=%\\w+) = arith.constant true
        nextln: scf.if $true {
        nextln: } {test.mark}
        nextln: return
        ",
    );
}

#[test]
fn loops_with_windows() {
    let context = context();
    let location = Location::unknown(&context);
    let module = parse(&context, FUNCTION);
    {
        let body = body(&module);
        let end = body.terminator().expect("a terminator");
        let at = At::Before(end);
        let (full, base) = (argument(body, 0), argument(body, 2));
        let [zero, two, one] = [0, 2, 1].map(|value| ir::build_index_constant(at, location, value));
        let outer = ir::build_for(at, location, zero, two, one, &[full]);
        let row = ir::build_affine_apply(
            At::End(outer.body),
            location,
            scaled(&context, 4),
            &[outer.induction_variable(), base],
        );
        let window = Window {
            offsets: vec![Offset::Value(row), Offset::Static(64)],
            sizes: vec![4, 64],
        };
        let tile = Type::parse(&context, "tensor<4x64xf16>").expect("a type");
        let part = ir::build_extract_slice(At::End(outer.body), location, tile, full, &window);
        let next = ir::build_insert_slice(
            At::End(outer.body),
            location,
            part,
            outer.carried(0),
            &window,
        );
        ir::build_yield(outer.body, location, &[next]);
        ir::set_operand(end, 0, outer.result(0));

        let read = ir::defining_op(part).and_then(ir::window);
        assert_eq!(read, Some(window.clone()));
        assert_eq!(ir::defining_op(next).and_then(ir::window), Some(window));
        assert_eq!(
            ir::defining_op(row).and_then(ir::affine_map),
            Some(scaled(&context, 4))
        );
    }
    check(
        &module,
        "
        regex: VALUE=%\\w+
        check: affine_map<(d0)[s0] -> (d0 * 4 + s0)>
        check: func.func @f($(full=%\\w+): tensor<8x128xf16>, $VALUE: tensor<4x64xf16>, $(base=%\\w+): index)
        check: $(zero=%\\w+) = arith.constant 0 : index
        nextln: $(two=%\\w+) = arith.constant 2 : index
        nextln: $(one=%\\w+) = arith.constant 1 : index
        nextln: $(out=%\\w+) = scf.for $(i=%\\w+) = $zero to $two step $one iter_args($(acc=%\\w+) = $full) -> (tensor<8x128xf16>) {
        nextln: $(row=%\\w+) = affine.apply #map($i)[$base]
        nextln: $(tile=%\\w+) = tensor.extract_slice $full[$row, 64] [4, 64] [1, 1] : tensor<8x128xf16> to tensor<4x64xf16>
        nextln: $(next=%\\w+) = tensor.insert_slice $tile into $acc[$row, 64] [4, 64] [1, 1] : tensor<4x64xf16> into tensor<8x128xf16>
        nextln: scf.yield $next : tensor<8x128xf16>
        nextln: }
        nextln: return $out : tensor<8x128xf16>
        ",
    );
}

#[test]
fn a_loop_that_carries_nothing() {
    let context = context();
    let location = Location::unknown(&context);
    let module = parse(&context, FUNCTION);
    {
        let body = body(&module);
        let at = At::Before(body.terminator().expect("a terminator"));
        let one = ir::build_index_constant(at, location, 1);
        let counted = ir::build_for(at, location, one, one, one, &[]);
        ir::build_yield(counted.body, location, &[]);
        assert_eq!(counted.body.argument_count(), 1);
        assert_eq!(ir::kind(counted.op), OpKind::For);
    }
    // An empty yield is not printed.
    check(
        &module,
        "
        regex: VALUE=%\\w+
        check: $(one=%\\w+) = arith.constant 1 : index
        nextln: scf.for $VALUE = $one to $one step $one {
        nextln: }
        nextln: return
        ",
    );
}

#[test]
fn operations_are_moved_replaced_and_erased() {
    let context = context();
    let module = parse(
        &context,
        "func.func @f(%i: index) -> index {
           %0 = arith.constant 3 : index
           %1 = arith.addi %0, %i : index
           %2 = arith.constant 5 : index
           return %1 : index
         }",
    );
    {
        let body = body(&module);
        let all: Vec<_> = ir::operations(body).collect();
        let kinds: Vec<_> = all.iter().map(|op| ir::kind(*op)).collect();
        assert_eq!(
            kinds,
            [
                OpKind::ConstantIndex,
                OpKind::AddIndex,
                OpKind::ConstantIndex,
                OpKind::Return
            ]
        );
        assert_eq!(ir::constant_index(all[0]), 3);
        assert!(ir::is_pure(all[1]));

        let value = |index: usize| -> Val<'_> { all[index].result(0).expect("a result").into() };
        assert!(matches!(ir::source(value(1)), Source::Result(op, 0) if op == all[1]));
        assert!(
            matches!(ir::source(argument(body, 0)), Source::Argument(block, 0) if block == body)
        );
        let [user] = ir::uses(value(0))[..] else {
            panic!("one use")
        };
        assert_eq!((user.owner, user.operand), (all[1], 0));

        ir::replace_all_uses(value(1), value(2));
        ir::erase(all[1]);
        ir::erase(all[0]);
        ir::move_to_end(all[3], body);
    }
    check(
        &module,
        "
        check: func.func @f
        nextln: $(five=%\\w+) = arith.constant 5 : index
        nextln: return $five : index
        nextln: }
        ",
    );
}

#[test]
fn windows_that_are_no_windows() {
    let context = context();
    let module = parse(
        &context,
        "func.func @f(%a: tensor<8x128xf16>, %n: index) -> tensor<4x64xf16> {
           %strided = tensor.extract_slice %a[0, 0] [4, 64] [2, 1] : tensor<8x128xf16> to tensor<4x64xf16>
           %dynamic = tensor.extract_slice %a[0, 0] [%n, 64] [1, 1] : tensor<8x128xf16> to tensor<?x64xf16>
           return %strided : tensor<4x64xf16>
         }",
    );
    let windows: Vec<_> = ir::operations(body(&module)).map(ir::window).collect();
    assert_eq!(windows, [None, None, None]);
}

#[test]
fn more_dimensions_than_the_buffer_starts_with() {
    let context = context();
    let module = parse(
        &context,
        "func.func @f(%a: tensor<1x1x1x1x1x1x1x1x1x4xf16>, %i: index) {
           %0 = tensor.extract_slice %a[0, 0, 0, 0, 0, 0, 0, 0, 0, %i] [1, 1, 1, 1, 1, 1, 1, 1, 1, 2] \
                [1, 1, 1, 1, 1, 1, 1, 1, 1, 1] : tensor<1x1x1x1x1x1x1x1x1x4xf16> to tensor<1x1x1x1x1x1x1x1x1x2xf16>
           return
         }",
    );
    let body = body(&module);
    let window = body
        .first_operation()
        .and_then(ir::window)
        .expect("a window");
    assert_eq!(window.sizes, [1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
    assert_eq!(
        window.offsets.last(),
        Some(&Offset::Value(argument(body, 1)))
    );
}

#[test]
fn argument_attributes() {
    use melior::ir::Attribute;
    use melior::ir::attribute::StringAttribute;

    let context = context();
    let module = parse(&context, FUNCTION);
    {
        let function = module.body().first_operation().expect("a function");
        let mark: Attribute<'_> = StringAttribute::new(&context, "first").into();
        ir::set_argument_attribute(function, 0, "test.mark", mark);
        ir::set_argument_attribute(function, 9, "test.mark", mark);
        assert_eq!(ir::argument_attribute(function, 0, "test.mark"), Some(mark));
        assert_eq!(ir::argument_attribute(function, 1, "test.mark"), None);
        assert_eq!(ir::argument_attribute(function, 9, "test.mark"), None);
        let end = body(&module).terminator().expect("a terminator");
        assert_eq!(ir::argument_attribute(end, 0, "test.mark"), None);
    }
    check(&module, "
        regex: VALUE=%\\w+
        check: func.func @f($VALUE: tensor<8x128xf16> {test.mark = \"first\"}, $VALUE: tensor<4x64xf16>,
        ");
}

/// Runs `act` on a loop without carried values, and on the function's first argument.
fn with_loop(act: impl for<'p> FnOnce(ir::ForOp<'p>, Val<'p>, Location<'p>)) {
    let context = context();
    let location = Location::unknown(&context);
    let module = parse(&context, FUNCTION);
    let body = body(&module);
    let at = At::Before(body.terminator().expect("a terminator"));
    let one = ir::build_index_constant(at, location, 1);
    let counted = ir::build_for(at, location, one, one, one, &[]);
    ir::build_yield(counted.body, location, &[]);
    act(counted, argument(body, 0), location);
}

#[test]
#[should_panic(expected = "loop has no result 0")]
fn a_result_that_is_not_there() {
    with_loop(|counted, _, _| {
        let _ = counted.result(0);
    });
}

#[test]
#[should_panic(expected = "body of the loop has no argument 1")]
fn a_carried_value_that_is_not_there() {
    with_loop(|counted, _, _| {
        let _ = counted.carried(0);
    });
}

#[test]
#[should_panic(expected = "a window has one offset and one size per dimension")]
fn a_window_with_too_few_offsets() {
    with_loop(|counted, tensor, location| {
        let window = Window {
            offsets: vec![Offset::Static(0)],
            sizes: vec![4, 64],
        };
        ir::build_insert_slice(At::Before(counted.op), location, tensor, tensor, &window);
    });
}

#[test]
#[should_panic(expected = "a window of a tensor is a ranked tensor")]
fn a_window_that_is_no_tensor() {
    with_loop(|counted, tensor, location| {
        let window = Window {
            offsets: vec![Offset::Static(0)],
            sizes: vec![4],
        };
        let index = ir::build_index_constant(At::Before(counted.op), location, 0);
        use melior::ir::ValueLike;
        ir::build_extract_slice(
            At::Before(counted.op),
            location,
            index.r#type(),
            tensor,
            &window,
        );
    });
}

#[test]
#[should_panic(expected = "erased operation still has uses")]
fn erasing_what_is_used() {
    let context = context();
    let module = parse(
        &context,
        "func.func @f() -> index {\n %0 = arith.constant 1 : index\n return %0 : index\n}",
    );
    ir::erase(body(&module).first_operation().expect("an operation"));
}
