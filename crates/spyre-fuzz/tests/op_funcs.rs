//! Every operation of the table of OpFuncs has all its parts, and no part has an operation without a row.
//!
//! The verifier, the simulated card, the reference and the generator have separate tables of operations. A row with a
//! meaning has a kernel on the card, and if the dialect has the operation also a meaning in the reference and a place
//! in the generator.

use std::collections::BTreeSet;

use melior::Context;
use spyre_dialects::device_op::device_ops;
use spyre_fuzz::VOCABULARY;
use spyre_generate::NodeKind;
use spyre_generate::draw::{Size, program};
use spyre_ops::{
    DECOMPOSED, Decomposed, Draw, Formula, Meaning, OP_FUNCS, OpFunc, StickRule, UNEXPLAINED,
    Unexplained,
};
use spyre_sim::{Kernel, functions, kernel};

/// The number of programs in which every operation is drawn.
const PROGRAMS: u64 = 4000;

/// Returns a context with the operations of all dialects.
fn context() -> Context {
    let context = spyre_exec::context();
    context.load_all_available_dialects();
    context
}

/// Returns the operations of random programs.
fn drawn() -> BTreeSet<&'static str> {
    let programs = (0..PROGRAMS).map(|number| program(&VOCABULARY, Size::default(), 1, number));
    let nodes = programs.flat_map(|program| program.nodes);
    nodes
        .filter_map(|node| match node.kind {
            NodeKind::Pointwise(name, _)
            | NodeKind::Reduce(name, ..)
            | NodeKind::TopK(name, ..) => Some(name),
            NodeKind::Moments => Some("exx2"),
            NodeKind::Matmul(name) => Some(name),
            NodeKind::Windows(windows) => Some(windows.mnemonic),
            NodeKind::Gather(_) => Some("gather"),
            _ => None,
        })
        .collect()
}

/// Returns the upstream operations that the lowering of a row builds of its meaning.
fn upstream(row: &OpFunc) -> Vec<&'static str> {
    fn of_formula(formula: &Formula) -> Vec<&'static str> {
        match formula {
            Formula::Apply(name, parts) => {
                let parts = parts.iter().flat_map(of_formula);
                parts.chain([*name]).collect()
            }
            Formula::Where(_, parts) => parts.iter().flat_map(of_formula).collect(),
            Formula::Operand(_) | Formula::Number(_) | Formula::Parameter(_) => Vec::new(),
        }
    }
    match &row.meaning {
        Some(Meaning::Float(formula)) => of_formula(formula),
        Some(Meaning::OfMagnitude(formula)) => [of_formula(formula), vec!["math.absf"]].concat(),
        Some(Meaning::Number(formula, integers)) => [of_formula(formula), vec![*integers]].concat(),
        _ => Vec::new(),
    }
}

/// OpFuncs that imported trees bring, and the card runs: no operation of the dialect has their meaning.
const ON_THE_CARD_ALONE: [&str; 1] = ["shuffle"];

#[test]
fn every_row_has_all_parts() {
    let context = context();
    let dialect = device_ops(&context);
    let drawn = drawn();
    let mut wrong = Vec::new();
    for row in OP_FUNCS {
        let name = row.mnemonic.unwrap_or(row.name);
        let has_meaning = row.meaning.is_some();
        let is_whole = has_meaning && row.mnemonic.is_some();
        let reference = spyre_reference::operations().any(|operation| operation == name);
        let is_drawn = is_whole && row.stick != StickRule::Restickify;
        let parts = [
            (
                "operation of the dialect with this OpFunc",
                row.mnemonic.is_some(),
                dialect
                    .iter()
                    .any(|(mnemonic, op)| mnemonic == name && op == row.name),
            ),
            (
                "name in the verifier",
                true,
                spyre_verify::op_funcs().any(|op_func| op_func == row.name),
            ),
            (
                "kernel on the card",
                has_meaning || ON_THE_CARD_ALONE.contains(&row.name),
                kernel(row.name).is_some(),
            ),
            ("meaning in the reference", is_whole, reference),
            ("way to be drawn", is_drawn, row.draw != Draw::Never),
            ("place in the generator", is_drawn, drawn.contains(name)),
        ];
        for (part, wanted, actual) in parts {
            match (wanted, actual) {
                (true, false) => wrong.push(format!("{name} has no {part}")),
                (false, true) => wrong.push(format!("{name} has a {part}, but no row for it")),
                _ => {}
            }
        }
        for op in upstream(row) {
            if !context.is_registered_operation(op) {
                wrong.push(format!("{name} has no lowering: there is no {op}"));
            }
        }
        if let (Some(Kernel::Reduce(kernel)), Some(combiner)) = (kernel(row.name), row.combiner)
            && (f64::from(kernel.start), kernel.average) != (combiner.identity(), row.is_average)
        {
            wrong.push(format!("{name} starts from {} on the card", kernel.start));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_operation_without_an_op_func_has_all_parts() {
    let context = context();
    for row in DECOMPOSED {
        let name = row.mnemonic;
        assert!(
            context.is_registered_operation(&format!("spyre.{name}")),
            "{name}"
        );
        assert!(
            context.is_registered_operation(row.upstream),
            "{}",
            row.upstream
        );
        assert!(
            spyre_reference::operations().any(|operation| operation == name),
            "{name} has no meaning in the reference"
        );
    }
}

#[test]
fn every_operation_that_is_known_has_a_row() {
    let context = context();
    let mut unknown = Vec::new();
    for (mnemonic, op_func) in device_ops(&context) {
        if OpFunc::of_mnemonic(&mnemonic).is_none_or(|row| row.name != op_func) {
            unknown.push(format!("the dialect has {mnemonic}, the OpFunc {op_func}"));
        }
    }
    for name in spyre_verify::op_funcs() {
        if OpFunc::of(name).is_none() && Unexplained::by_name(name).is_none() {
            unknown.push(format!("the verifier knows {name}"));
        }
    }
    for name in functions().filter(|name| OpFunc::of(name).is_none()) {
        unknown.push(format!("the card has a kernel for {name}"));
    }
    // The card has a separate table, with the same reasons.
    for row in UNEXPLAINED {
        assert_eq!(
            spyre_sim::missing(row.name),
            Some(row.missing),
            "{}",
            row.name
        );
    }
    let meanings = spyre_reference::operations();
    let is_row =
        |name: &str| OpFunc::of_mnemonic(name).is_some() || Decomposed::of_mnemonic(name).is_some();
    for name in meanings.filter(|name| !is_row(name)) {
        unknown.push(format!("the reference has a meaning for {name}"));
    }
    for name in drawn().into_iter().filter(|name| !is_row(name)) {
        unknown.push(format!("the generator draws {name}"));
    }
    assert!(unknown.is_empty(), "{}: no row", unknown.join("\n"));
}
