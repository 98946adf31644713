//! Programs of functions, read from text.

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationLike;
use spyre_mlir_rt::{ir, source, tool};
use spyre_ods::func;
use spyre_proof::program::{Access, Def, Extent, LoopId, ParamId, Place, Program, ValueId};

use crate::reader::program;

/// Calls `check` with the program of the only function of a module.
fn read(text: &str, check: impl FnOnce(Program)) {
    let outcome = outcome(text);
    check(outcome.unwrap_or_else(|message| panic!("{message}")));
}

/// Returns the program of the only function of a module, or the reason that it has none.
fn outcome(text: &str) -> Result<Program, String> {
    let registry = DialectRegistry::new();
    tool::register_upstream_dialects(&registry);
    spyre_dialects::register_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    let (outcome, printed) = source::with_source_text(&context, "test.mlir", text, |module| {
        let body = ir::body(module).expect("a module has a body");
        let function = ir::operations(body).find(|op| ir::name(*op) == func::FUNC);
        let function = function.expect("the module has a function");
        let program = program(function);
        if let Ok((program, sites)) = &program {
            for statement in &program.statements {
                let op = sites.op(statement.site);
                assert!(ir::name(op).ends_with(&statement.key.name), "{op}");
            }
        }
        program
            .map(|(program, _)| program)
            .map_err(|unmodelled| format!("{}: {}", unmodelled.op.location(), unmodelled.message))
    });
    outcome.unwrap_or_else(|| panic!("{printed}"))
}

fn index(access: &Access) -> Vec<String> {
    access.index.iter().map(ToString::to_string).collect()
}

fn fixed(extents: &[i64]) -> Vec<Extent> {
    extents.iter().copied().map(Extent::Fixed).collect()
}

/// Returns the first value with such a definition.
fn find<'a, T>(program: &'a Program, of: impl Fn(&'a Def) -> Option<T>) -> T {
    let mut values = program.values.iter();
    values
        .find_map(|value| of(&value.def))
        .expect("a value of this kind")
}

const TILED: &str = "
#layout = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!x = tensor<256x128xf16, #layout>
!t = tensor<64x128xf16, #layout>
func.func @f(%a: !x {spyre.place = #spyre.place<arg 0>}, %k: tensor<1x128xf16> {spyre.constant = dense<1.0> : tensor<1x128xf16>}) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %empty = spyre.empty place arg 1 : !x
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %empty) -> (!x) {
    %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
    %w = tensor.extract_slice %a[%at, 0] [64, 128] [1, 1] : !x to !t
    %e = spyre.add %w, %k split [4, 2] place lx 256 : (!t, tensor<1x128xf16>) -> !t
    %n = spyre.exp %e split [4, 2] place window : !t
    %next = tensor.insert_slice %n into %acc[%at, 0] [64, 128] [1, 1] : !t into !x
    scf.yield %next : !x
  }
  return %r : !x
}";

#[test]
fn a_loop_over_windows_has_their_offsets() {
    read(TILED, |program| {
        let id = LoopId::new(0);
        assert_eq!(program.trips(id), Some(4));
        let (source, offsets, dims) = find(&program, |def| match def {
            Def::Slice {
                source,
                offsets,
                dims,
            } => Some((source, offsets, dims)),
            _ => None,
        });
        assert_eq!(*source, ValueId::new(0));
        assert_eq!(offsets[0].to_string(), "t0 * 64");
        assert_eq!(offsets[1].as_constant(), Some(0));
        assert_eq!(*dims, [Some(0), Some(1)]);
        let into = find(&program, |def| match def {
            Def::Insert { into, .. } => Some(*into),
            _ => None,
        });
        let carried = program.of_loop(id).carried[0];
        assert_eq!(into, carried.argument);
        assert!(matches!(program.value(carried.init).def, Def::Empty));
        assert_eq!(program.results, [carried.result]);
        assert_eq!(program.of_loop(id).body.len(), 2);
    });
}

#[test]
fn a_planned_operation_has_its_cores_and_places() {
    read(TILED, |program| {
        let [add, exp] = &program.statements[..] else {
            panic!("two operations");
        };
        assert_eq!(add.space, fixed(&[64, 128]));
        assert_eq!(add.split, Some(vec![4, 2]));
        assert_eq!(add.digits, [0, 1]);
        assert_eq!(add.loops, [LoopId::new(0)]);
        assert_eq!(index(&add.operands[1]), ["0", "x1"]);
        let of = |access: &Access| program.value(access.value);
        assert_eq!(of(&add.results[0]).place, Some(Place::Scratchpad(256)));
        assert_eq!(of(&exp.results[0]).place, Some(Place::Window));
        assert_eq!(of(&add.results[0]).width, 2);
        assert!(of(&add.results[0]).layout.is_some());
        assert_eq!(program.values[0].place, Some(Place::Argument(0)));
        let Def::Constant(name) = &program.values[1].def else {
            panic!("the second argument is constant");
        };
        assert_eq!(name, "0x3c00");
    });
}

#[test]
fn products_have_the_sum_as_the_fastest_digit() {
    let text = "
func.func @f(%a: tensor<4x64x128xf16>, %b: tensor<1x128x256xf16>) -> tensor<4x64x256xf16> {
  %c = spyre.batchmatmul %a, %b split [1, 2, 4, 2] : (tensor<4x64x128xf16>, tensor<1x128x256xf16>) -> tensor<4x64x256xf16>
  return %c : tensor<4x64x256xf16>
}";
    read(text, |program| {
        let product = &program.statements[0];
        assert_eq!(product.digits, [3, 0, 1, 2]);
        assert_eq!(product.reduced, 1);
        assert_eq!(product.space, fixed(&[4, 64, 256, 128]));
        assert_eq!(index(&product.operands[0]), ["x0", "x1", "x3"]);
        assert_eq!(index(&product.operands[1]), ["0", "x3", "x2"]);
        assert_eq!(index(&product.results[0]), ["x0", "x1", "x2"]);
        assert_eq!(product.key.elements, ["f16", "f16", "f16"]);
    });
}

#[test]
fn views_have_index_maps() {
    let text = "
func.func @f(%a: tensor<6x4x10xf16>) -> tensor<10x2x3x4xf16> {
  %p = spyre.permute %a [2, 0, 1] : tensor<6x4x10xf16> to tensor<10x6x4xf16>
  %c = tensor.collapse_shape %p [[0], [1, 2]] : tensor<10x6x4xf16> into tensor<10x24xf16>
  %e = tensor.expand_shape %c [[0], [1, 2, 3]] output_shape [10, 2, 3, 4] : tensor<10x24xf16> into tensor<10x2x3x4xf16>
  return %e : tensor<10x2x3x4xf16>
}";
    read(text, |program| {
        let views = program.values.iter().filter_map(|value| match &value.def {
            Def::View { index, .. } => Some(index),
            _ => None,
        });
        let views: Vec<Vec<String>> = views
            .map(|index| index.iter().map(ToString::to_string).collect())
            .collect();
        assert_eq!(views[0], ["e1", "e2", "e0"]);
        assert_eq!(views[1], ["e0", "((e1) floordiv 4)", "((e1) mod 4)"]);
        assert_eq!(views[2], ["e0", "e1 * 12 + e2 * 4 + e3"]);
    });
}

#[test]
fn a_dynamic_extent_is_collapsed_with_dimensions_of_one_element() {
    let text = r#"
func.func @f(%a: tensor<1x?x64xf16> {spyre.dims = ["N", "S", "D"]}) -> tensor<?x64xf16>
    attributes {spyre.dim_sizes = {D = 64, N = 1, S = #spyre.dynamic<granularity = 64, max = 192>}} {
  %c = tensor.collapse_shape %a [[0, 1], [2]] : tensor<1x?x64xf16> into tensor<?x64xf16>
  return %c : tensor<?x64xf16>
}"#;
    read(text, |program| {
        let index = find(&program, |def| match def {
            Def::View { index, .. } => Some(index),
            _ => None,
        });
        let index: Vec<String> = index.iter().map(ToString::to_string).collect();
        assert_eq!(index, ["0", "e0", "e1"]);
    });
}

#[test]
fn keys_have_values_and_no_plans() {
    let text = "
func.func @f(%a: tensor<64x128xf16>) -> tensor<64x1xf16> {
  %0 = spyre.clip %a min -1.0 max 2.0 split [2, 1] : tensor<64x128xf16>
  %1 = spyre.clip %a min -1.0 max 2.0 : tensor<64x128xf16>
  %2 = spyre.clip %a min -1.0 max 3.0 : tensor<64x128xf16>
  %3 = spyre.mean %0 dims [1] keepdim : (tensor<64x128xf16>) -> tensor<64x1xf16>
  return %3 : tensor<64x1xf16>
}";
    read(text, |program| {
        let keys: Vec<_> = program
            .statements
            .iter()
            .map(|statement| &statement.key)
            .collect();
        assert_eq!(keys[0], keys[1]);
        assert_ne!(keys[1], keys[2]);
        // The law of means has the number of elements from the iteration space.
        assert!(keys[3].attributes.is_empty());
        assert_eq!(index(&program.statements[3].operands[0]), ["x0", "x2"]);
        assert_eq!(index(&program.statements[3].results[0]), ["x0", "x1"]);
    });
}

#[test]
fn moments_are_two_elements() {
    let text = "
!x = tensor<128x256xf16>
!row = tensor<1x256xf16>
func.func @f(%x: !x, %w: !row, %b: !row) -> !x {
  %e = spyre.exx2 %x : (!x) -> tensor<128x2xf16>
  %s = spyre.layernormscale %e eps 1.0e-5 : (tensor<128x2xf16>) -> tensor<128x1xf16>
  %y = spyre.layernormnorm %x, %e, %s, %w, %b : (!x, tensor<128x2xf16>, tensor<128x1xf16>, !row, !row) -> !x
  return %y : !x
}";
    read(text, |program| {
        let [moments, scale, norm] = &program.statements[..] else {
            panic!("three operations");
        };
        assert_eq!(moments.space, fixed(&[128, 2, 256]));
        assert_eq!(index(&moments.operands[0]), ["x0", "x2"]);
        assert_eq!(index(&moments.results[0]), ["x0", "x1"]);
        let reads: Vec<_> = scale.operands.iter().map(index).collect();
        assert_eq!(reads, [["x0", "0"], ["x0", "1"]]);
        assert_eq!(norm.operands.len(), 6);
        assert_eq!(index(&norm.operands[2]), ["x0", "1"]);
        assert_eq!(index(&norm.operands[3]), ["x0", "0"]);
    });
}

#[test]
fn windows_of_images_and_gathers_have_sums_and_coordinates() {
    let text = "
func.func @f(%x: tensor<2x9x9x64xf16>, %w: tensor<3x3x64x128xf16>, %i: tensor<5xi32>, %t: tensor<100x64xf16>) -> (tensor<2x5x4x128xf16>, tensor<5x64xf16>) {
  %y = spyre.conv2d %x, %w strides [1, 2] dilations [2, 1] : (tensor<2x9x9x64xf16>, tensor<3x3x64x128xf16>) -> tensor<2x5x4x128xf16>
  %g = spyre.gather %i, %t dim 0 : (tensor<5xi32>, tensor<100x64xf16>) -> tensor<5x64xf16>
  return %y, %g : tensor<2x5x4x128xf16>, tensor<5x64xf16>
}";
    read(text, |program| {
        let image = index(&program.statements[0].operands[0]);
        assert_eq!(image, ["x0", "x1 + x5 * 2", "x2 * 2 + x6", "x4"]);
        assert!(program.statements[0].key.attributes.is_empty());
        assert_eq!(index(&program.statements[1].operands[0]), ["x0"]);
        assert_eq!(index(&program.statements[1].operands[1]), ["g0", "x1"]);
    });
}

const DYNAMIC: &str = r#"
!x = tensor<512x256xf16>
!t = tensor<64x256xf16>
func.func @f(%a: !x {spyre.dims = ["S", "D"]}) -> !x
    attributes {spyre.dim_sizes = {D = 256, S = #spyre.dynamic<granularity = 64, max = 512>}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %s = spyre.dim_size "S"
  %init = spyre.empty : !x
  %z = scf.for %i = %c0 to %s step %c64 iter_args(%acc = %init) -> (!x) {
    %ta = tensor.extract_slice %a[%i, 0] [64, 256] [1, 1] : !x to !t
    %tz = spyre.add %ta, %ta : !t
    %next = tensor.insert_slice %tz into %acc[%i, 0] [64, 256] [1, 1] : !t into !x
    scf.yield %next : !x
  }
  return %z : !x
}"#;

#[test]
fn a_loop_to_a_dynamic_extent_fills_a_dynamic_extent() {
    read(DYNAMIC, |program| {
        let s = Extent::Dynamic(ParamId::new(0));
        assert_eq!(program.of_loop(LoopId::new(0)).upper, s);
        assert_eq!(program.trips(LoopId::new(0)), None);
        assert_eq!(program.largest_trips(LoopId::new(0)), 8);
        let expected = [s, Extent::Fixed(256)];
        assert_eq!(program.values[0].shape, expected);
        assert_eq!(program.value(program.results[0]).shape, expected);
        let offset = find(&program, |def| match def {
            Def::Insert { offsets, .. } => Some(offsets[0].to_string()),
            _ => None,
        });
        assert_eq!(offset, "t0 * 64");
    });
    let nested = DYNAMIC.replace(
        "%ta = tensor.extract_slice",
        "%in = scf.for %j = %c0 to %c64 step %c64 iter_args(%inner = %acc) -> (!x) {\n    %ta = tensor.extract_slice",
    );
    let nested = nested.replace("into %acc[", "into %inner[").replace(
        "scf.yield %next : !x",
        "scf.yield %next : !x\n    }\n    scf.yield %in : !x",
    );
    read(&nested, |program| {
        assert_eq!(program.loops.len(), 2);
        let expected = [Extent::Dynamic(ParamId::new(0)), Extent::Fixed(256)];
        for carried in program.loops.iter().flat_map(|of| &of.carried) {
            assert_eq!(program.value(carried.argument).shape, expected);
            assert_eq!(program.value(carried.result).shape, expected);
        }
    });
    let viewed = DYNAMIC
        .replace("-> !x\n    attributes", "-> tensor<256x512xf16>\n    attributes")
        .replace(
            "return %z : !x",
            "%p = spyre.permute %z [1, 0] : !x to tensor<256x512xf16>\n  return %p : tensor<256x512xf16>",
        );
    read(&viewed, |program| {
        let expected = [Extent::Fixed(256), Extent::Dynamic(ParamId::new(0))];
        assert_eq!(program.value(program.results[0]).shape, expected);
    });
    let unbounded = DYNAMIC
        .replace("512x256xf16", "?x256xf16")
        .replace("spyre.empty :", "spyre.empty(%s) :");
    read(&unbounded, |program| {
        let s = Extent::Dynamic(ParamId::new(0));
        assert_eq!(program.value(program.results[0]).shape[0], s);
    });
}

#[test]
fn what_is_not_affine_is_opaque() {
    let text = TILED.replace(
        "%at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)",
        "%at = arith.muli %i, %i : index",
    );
    read(&text, |program| {
        let name = find(&program, |def| match def {
            Def::Opaque(name) => Some(name),
            _ => None,
        });
        assert!(
            name.starts_with("tensor.extract_slice at an offset"),
            "{name}"
        );
    });
    let text = TILED.replace(
        "%n = spyre.exp %e split [4, 2] place window :",
        "%n = spyre.sin %e :",
    );
    read(&text, |program| {
        let name = find(&program, |def| match def {
            Def::Opaque(name) => Some(name),
            _ => None,
        });
        assert_eq!(name, "spyre.sin");
    });
}

#[test]
fn an_unknown_order_of_execution_has_no_program() {
    let text = TILED.replace(
        "(%a: !x {spyre.place = #spyre.place<arg 0>}",
        "(%count: index, %a: !x {spyre.place = #spyre.place<arg 0>}",
    );
    let text = text.replace("%c0 to %c4", "%c0 to %count");
    let message = outcome(&text).expect_err("the loop has no known count");
    assert!(
        message.ends_with("the upper bound of the loop is not known before the program runs"),
        "{message}"
    );
    let text = "
func.func @f(%c: i1, %a: tensor<64xf16>) -> tensor<64xf16> {
  %r = scf.if %c -> (tensor<64xf16>) {
    %0 = spyre.exp %a : tensor<64xf16>
    scf.yield %0 : tensor<64xf16>
  } else {
    scf.yield %a : tensor<64xf16>
  }
  return %r : tensor<64xf16>
}";
    let message = outcome(text).expect_err("the branch is not known");
    assert!(
        message.contains("'spyre.exp' is executed in a region of 'scf.if'"),
        "{message}"
    );
}

#[test]
fn constants_are_named_by_their_bits() {
    let text = "
func.func @f() -> (tensor<2xf16>, tensor<2xf16>, tensor<2xbf16>, tensor<2xi32>, tensor<2xf16>) {
  %0 = spyre.fill dense<0.0> : tensor<2xf16>
  %1 = spyre.fill dense<-0.0> : tensor<2xf16>
  %2 = spyre.fill dense<1.0> : tensor<2xbf16>
  %3 = spyre.fill dense<-1> : tensor<2xi32>
  %4 = arith.constant dense<[1.0, 2.0]> : tensor<2xf16>
  return %0, %1, %2, %3, %4 : tensor<2xf16>, tensor<2xf16>, tensor<2xbf16>, tensor<2xi32>, tensor<2xf16>
}";
    read(text, |program| {
        let names = program.values.iter().map(|value| match &value.def {
            Def::Constant(name) => name.as_str(),
            other => panic!("{other:?}"),
        });
        let names: Vec<&str> = names.collect();
        assert_eq!(names[..4], ["0x0000", "0x8000", "0x3f80", "0xffffffff"]);
        assert!(names[4].starts_with("<2> 4 bytes "), "{}", names[4]);
    });
}

#[test]
fn no_code_of_the_passes_is_used() {
    let manifest = include_str!("../Cargo.toml");
    for name in [
        "analysis",
        "construct",
        "conversion",
        "layouts",
        "linalg",
        "plan",
        "planning",
        "sdsc",
    ] {
        let dependency = format!("spyre-{name}.workspace");
        assert!(!manifest.contains(&dependency), "{dependency}");
    }
}
