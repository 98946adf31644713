//! Tests of reading `bundle.mlir` in both printed forms, and of the messages for rejected input.

use proptest::prelude::*;
use spyre_bundle_files::{Function, Statement, StatementKind, TextError, check_limits, parse};

/// Reads a function that can run.
fn read(text: &str) -> Result<Function, TextError> {
    parse(text)?.into_function()
}

/// Returns the statements without places, which differ between forms.
fn shape(statements: &[Statement]) -> String {
    let one = |statement: &Statement| match &statement.kind {
        StatementKind::For { body, .. } => format!("for [{}]", shape(body)),
        other => format!("{other:?}"),
    };
    statements.iter().map(one).collect::<Vec<_>>().join("; ")
}

#[test]
fn what_mlir_prints_of_the_same() {
    let written = r#"#map_0 = affine_map<(d0, d1)[s0] -> (s0 + 65536*d0 + 2097152*d1)>
module {
	func.func @sdsc_bundle(%a: !sdscbundle.input_arg<index>, %n: !sdscbundle.input_arg<index, granularity=64, max_value=512>) {
		%pool = sdscbundle.device_mem_allocate 524288 bytes : index
		%0 = sdscbundle.input_arg_extract value from %a : !sdscbundle.input_arg<index> -> index
		%c0 = arith.constant 0 : index
		%c1 = arith.constant 1 : index
		%c2 = arith.constant 2 : index
		%b = arith.addi %0, %c2 : index
		scf.for %i_0 = %c0 to %c2 step %c1 {
			scf.for %i_1 = %c0 to %c2 step %c1 {
				%addr_0 = affine.apply #map_0(%i_0, %i_1)[%b]
				sdscbundle.sdsc_execute (%addr_0, %pool) {sdsc_filename="sdsc_0.json", "symbol_ids"=[-1, -2]}
			}
		}
		return
	}
}
"#;
    let printed = r#"
// -----
module attributes {spyre.target = {cores = 2}} {
  func.func public @sdsc_bundle(%arg0: !sdscbundle.input_arg<index>, %arg1: !sdscbundle.input_arg<index,
      max_value = 512, granularity = 64>) attributes {note = "kept"} {
    %pool = sdscbundle.device_mem_allocate 0x80000 bytes {note = "kept"} : index
    %value = sdscbundle.input_arg_extract value from %arg0 {note = "kept"} : !sdscbundle.input_arg<index> -> index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %0 = arith.addi %value, %c2 overflow<nsw> : index
    scf.for %arg2 = %c0 to %c2 step %c1 {
      scf.for %arg3 = %c0 to %c2 step %c1 {
        %1 = affine.apply affine_map<(d0, d1)[s0] -> (d0 * 65536 + s0 + (d1 * 2) * 1048576)>(%arg2, %arg3)[%0]
        sdscbundle.sdsc_execute (%1, %pool) {symbol_ids = [-1, -2], sdsc_filename = "sdsc_0.json"}
      } {note = "kept"}
      scf.yield
    }
    func.return
  }
}
"#;
    let (written, printed) = (read(written).unwrap(), read(printed).unwrap());
    assert_eq!(shape(&written.body), shape(&printed.body));
    assert_eq!(written.params, printed.params);
    let StatementKind::For { body, .. } = &written.body.last().unwrap().kind else {
        panic!()
    };
    let StatementKind::For { body, .. } = &body[0].kind else {
        panic!()
    };
    let StatementKind::Apply { map, .. } = &body[0].kind else {
        panic!()
    };
    let map = map.form.as_ref().unwrap();
    // Dimensions, then the symbol.
    assert_eq!(
        (map.constant, map.factors.as_slice()),
        (0, &[65536, 2_097_152, 1][..])
    );
    assert_eq!(map.eval(&[1, 3, 100]), Some(65536 + 3 * 2_097_152 + 100));
}

#[track_caller]
fn assert_refused(text: &str, message: &str) {
    let error = read(text).unwrap_err().to_string();
    assert_eq!(error, message, "{text}");
}

/// Returns the text of a bundle with a parameter and a body.
fn body(body: &str) -> String {
    format!(
        "module {{\nfunc.func @sdsc_bundle(%p: !sdscbundle.input_arg<index>) {{\n{body}\nreturn }} }}"
    )
}

#[test]
fn texts_that_are_no_bundles() {
    assert_refused("", "1:1: expected 'func.func', found the end of the file");
    assert_refused(
        "module { func.func @other() { return } }",
        "1:20: expected '@sdsc_bundle', found '@other'",
    );
    assert_refused(
        "module { func.func (%p: index) { return } }",
        "1:20: expected '@sdsc_bundle', found '('",
    );
    assert_refused(
        &body("").replace("return }", "return }\nfunc.func private @other()"),
        "5:1: a bundle has the function @sdsc_bundle and nothing else",
    );
}

#[test]
fn operations_that_are_refused() {
    assert_refused(
        &body("%a = arith.addi %b, %b : index"),
        "3:17: %b is used and not defined before",
    );
    assert_refused(
        &body("%a = arith.addi %p, %p : index"),
        "3:17: %p is a parameter, which only input_arg_extract reads",
    );
    assert_refused(
        &body("%a = arith.divsi %a, %a : index"),
        "3:6: 'arith.divsi' is not an operation of a bundle",
    );
    assert_refused(
        &body("%a = arith.constant 1 : i32"),
        "3:25: expected 'index', found 'i32'",
    );
    assert_refused(
        &body("%p = arith.constant 1 : index"),
        "3:1: %p is defined twice",
    );
    assert_refused(
        &body(
            "%a = sdscbundle.input_arg_extract granularity from %p : !sdscbundle.input_arg<index> -> index",
        ),
        "3:57: the type does not have the field",
    );
}

#[test]
fn executions_that_are_refused() {
    assert_refused(
        &body("sdscbundle.sdsc_execute () {sdsc_filename=\"f\", symbol_ids=[-1]}"),
        "3:1: there are 1 symbols, but 0 operands",
    );
    assert_refused(
        &body("sdscbundle.sdsc_execute () {}"),
        "3:1: an execution must have the attribute 'sdsc_filename'",
    );
    assert_refused(
        &body("sdscbundle.sdsc_execute () {sdsc_filename=\"f\", sdsc_filename=\"g\"}"),
        "3:65: attribute 'sdsc_filename' occurs twice",
    );
    assert_refused(
        &body(
            "%c = arith.constant 1 : index\nsdscbundle.sdsc_execute (%c, %c) {sdsc_filename=\"f\", symbol_ids=[-1, -1]}",
        ),
        "4:1: symbol -1 is bound twice",
    );
}

#[test]
fn maps_that_are_refused() {
    let apply = |map: &str| {
        body(&format!(
            "%c = arith.constant 1 : index\n%a = affine.apply affine_map<{map}>(%c)[%c]"
        ))
    };
    assert_refused(
        &apply("(d0)[s0] -> (d0 * s0)"),
        "4:46: the product of two operands is not affine",
    );
    assert_refused(
        &apply("(d0)[s0] -> (d0 floordiv 2)"),
        "4:46: addresses of bundles have no floordiv",
    );
    assert_refused(
        &apply("(d0)[s0] -> (9223372036854775807 * d0 + 2 * d0)").replace("2 * d0)", "d0)"),
        "4:68: a number of the map does not fit 64 bits",
    );
    assert_refused(
        &apply("(d0, d1) -> (d0)"),
        "4:19: the map has 2 dimensions and 0 symbols; 1 and 1 are given",
    );
}

#[test]
fn loops_that_are_refused() {
    let deep: String = (0..70)
        .map(|at| format!("scf.for %i{at} = %c to %c step %c {{\n"))
        .collect();
    assert_refused(
        &body(&format!("%c = arith.constant 1 : index\n{deep}")),
        "69:1: loops are nested more than 64 deep",
    );
    // A value of a loop is gone after it.
    let after = "%c = arith.constant 1 : index\nscf.for %i = %c to %c step %c {\n%a = arith.addi %c, %c : index\n}\n%b = arith.addi %a, %c : index";
    assert_refused(&body(after), "7:17: %a is used and not defined before");
}

#[test]
fn what_is_beside_the_function() {
    let text = "#used = affine_map<(d0) -> (d0)>\n#unused = affine_map<(d0) -> (d0 mod 2)>\nmodule {\n\
        func.func private @other(%a: f32) -> index\n\
        func.func @sdsc_bundle(%n: index) {\n%a = affine.apply #used(%n)\nreturn }\n\
        %c = arith.constant 1 : index\nfunc.func @more() { return } }";
    let module = parse(text).unwrap();
    assert_eq!(module.place.to_string(), "3:1");
    let maps = module.maps.iter();
    let maps: Vec<_> = maps
        .map(|map| (map.name.as_str(), map.uses, map.map.form.is_ok()))
        .collect();
    assert_eq!(maps, [("used", 1, true), ("unused", 0, false)]);
    let others = module.others.iter().map(|other| other.place.to_string());
    assert_eq!(others.collect::<Vec<_>>(), ["4:1", "8:1", "9:1"]);
    let function = module.function.unwrap();
    assert!(function.params[0].is_index);
    let statement = &function.body[0];
    assert_eq!(
        (function.place.line, statement.place.to_string().as_str()),
        (5, "6:6")
    );
}

proptest! {
    /// Pieces of a text in any order are read or refused.
    #[test]
    fn any_text_ends(words in prop::collection::vec(
        prop_oneof![
            Just("module {"), Just("func.func @sdsc_bundle("), Just("%a: index"), Just(") {"), Just("}"), Just("return }"),
            Just("%b = arith.constant 1 : index"), Just("scf.for %i = %a to %a step %a {"), Just("#m = affine_map<(d0) -> ("),
            Just("d0"), Just("-"), Just("*"), Just(")>"), Just("affine.apply #m(%a)"), Just("\""), Just("é"), Just("99999999999999999999"),
            Just("sdscbundle.sdsc_execute () {sdsc_filename=\"f\"}"),
        ], 0..60)
    ) {
        let text = words.join(" ");
        let _ = check_limits(&text);
        let _ = read(&text);
    }
}
