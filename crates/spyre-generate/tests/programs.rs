//! Programs match the documentation of the crate.

// The crate cannot depend on the table, but its tests draw from it.
#[path = "../../spyre-fuzz/src/vocabulary.rs"]
#[expect(
    unreachable_pub,
    reason = "the file is of a library, where others see it"
)]
mod vocabulary;

use std::collections::BTreeMap;

use spyre_generate::draw::{Size, program};
use spyre_generate::graph::{Family, graph};
use spyre_generate::view::{Head, View};
use spyre_generate::{Element, Node, NodeKind, Program, shrink};
use vocabulary::VOCABULARY;

const PROGRAMS: u64 = 4000;

fn programs() -> impl Iterator<Item = Program> {
    (0..PROGRAMS).map(|number| program(&VOCABULARY, Size::default(), 1, number))
}

/// Checks that operands precede their users, and that shapes agree with the operations.
fn check(program: &Program) {
    for (at, node) in program.nodes.iter().enumerate() {
        assert!(
            node.operands.iter().all(|operand| *operand < at),
            "{program}"
        );
        assert_eq!(node.dims.len(), node.tensor.shape.len());
        // The two moments of a pair have no name.
        let named = node.dims.len() - usize::from(node.kind == NodeKind::Moments);
        for (dim, extent) in node.dims.iter().zip(&node.tensor.shape).take(named) {
            let product: u64 = dim.iter().map(|part| part.extent).product();
            assert_eq!(product, *extent, "names of {node:?}\n{program}");
        }
        let operand_tensor = |operand: usize| &program.nodes[node.operands[operand]].tensor;
        match &node.kind {
            NodeKind::Expand(_) | NodeKind::Collapse(_) => {
                assert_eq!(operand_tensor(0).count(), node.tensor.count(), "{program}");
            }
            NodeKind::Extract(offsets, sizes) => {
                inside(&operand_tensor(0).shape, offsets, sizes, node)
            }
            NodeKind::Insert(offsets, sizes) => {
                inside(&operand_tensor(1).shape, offsets, sizes, node);
                assert_eq!(operand_tensor(1), &node.tensor);
            }
            NodeKind::Join { dim, order, .. } => {
                let parts = (0..order.len()).map(|part| operand_tensor(part).shape[*dim]);
                assert_eq!(parts.sum::<u64>(), node.tensor.shape[*dim], "{program}");
            }
            _ => {}
        }
    }
    assert!(!program.results.is_empty(), "{program}");
}

fn inside(shape: &[u64], offsets: &[u64], sizes: &[u64], node: &Node) {
    for ((extent, offset), size) in shape.iter().zip(offsets).zip(sizes) {
        assert!(*size > 0 && offset + size <= *extent, "{node:?}");
    }
}

#[test]
fn programs_are_well_formed() {
    for program in programs() {
        check(&program);
    }
}

#[test]
fn graphs_are_well_formed() {
    for family in [Family::Views, Family::Permutes] {
        for number in 0..100 {
            let graph = graph(&VOCABULARY, family, 3, number);
            check(&graph);
            assert!((10..=110).contains(&graph.operations()));
        }
    }
}

#[test]
fn a_seed_and_a_number_are_a_program() {
    let text = |number| program(&VOCABULARY, Size::default(), 5, number).to_string();
    assert_eq!(text(17), text(17));
    assert_ne!(text(17), text(18));
}

#[test]
fn every_view_of_every_head_is_drawn_alike() {
    let mut counts: BTreeMap<(View, Head), u64> = BTreeMap::new();
    for program in programs() {
        for (_, view, head) in program.views() {
            *counts.entry((view, head)).or_default() += 1;
        }
    }
    let cells = (View::ALL.len() * Head::ALL.len()) as u64;
    let mean = counts.values().sum::<u64>() / cells;
    for view in View::ALL {
        for head in Head::ALL {
            let count = counts.get(&(view, head)).copied().unwrap_or_default();
            assert!(
                count * 2 > mean && count < mean * 2,
                "{count} of {view} {head}, {mean} on average"
            );
        }
    }
}

#[test]
fn half_of_the_programs_have_hints() {
    let hinted = programs().filter(Program::has_hints).count() as u64;
    assert!(
        (PROGRAMS * 45 / 100..=PROGRAMS / 2).contains(&hinted),
        "{hinted}"
    );
}

#[test]
fn all_element_types_and_operations_are_drawn() {
    let mut elements = BTreeMap::new();
    let mut kinds = BTreeMap::new();
    for node in programs().flat_map(|program| program.nodes) {
        *elements.entry(node.tensor.element).or_insert(0) += 1;
        let name = match node.kind {
            NodeKind::Pointwise(name, _)
            | NodeKind::Reduce(name, ..)
            | NodeKind::TopK(name, ..) => name,
            NodeKind::Moments => "exx2",
            NodeKind::Matmul(name) => name,
            NodeKind::Windows(windows) => windows.mnemonic,
            NodeKind::Gather(_) => "gather",
            NodeKind::Loop(..) => "loop",
            NodeKind::Exchange(..) => "exchange",
            NodeKind::Join { forks: false, .. } => "join",
            NodeKind::Join { forks: true, .. } => "fork",
            NodeKind::Fill(_) => "fill",
            _ => continue,
        };
        *kinds.entry(name).or_insert(0) += 1;
    }
    for element in [Element::F16, Element::Bf16, Element::F32, Element::I32] {
        assert!(elements[&element] > 500, "{elements:?}");
    }
    assert!(
        kinds.len() >= 40 && kinds.values().all(|count| *count > 5),
        "{kinds:?}"
    );
}

#[test]
fn smaller_programs_are_programs() {
    for program in programs().take(300) {
        for smaller in shrink::smaller(&program) {
            check(&smaller);
            assert!(smaller.nodes.len() <= program.nodes.len());
        }
    }
}
