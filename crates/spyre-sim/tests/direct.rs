//! Programs against a direct evaluation of their trees, element by element: any order of dimensions in memory, any split
//! over cores, operands that are broadcast, windows of larger tensors.

mod common;
#[allow(dead_code)] // the first revision is for recorded bundles
#[path = "../examples/golden/direct.rs"]
mod direct;

use common::{F16, Files, add_mul_of, expr};
use direct::{Addresses, Direct, Home};
use proptest::prelude::*;
use spyre_plan::Target;
use spyre_sdsc::bundle::{BundleOptions, compile_bundle};
use spyre_sdsc::{Allocation, Expr, Node, OpSpec, TensorArg};
use spyre_sim::Machine;

/// Runs the files of a tree on the inputs of its evaluation, and compares all that is written. `None` if the generator
/// refuses the tree, or the number of elements.
fn compare(nodes: &[Node]) -> Option<usize> {
    compile_bundle(nodes, &BundleOptions::default()).ok()?;
    let bundle = Files::from_nodes(nodes).read().unwrap();
    let mut direct = Direct::default();
    let tree = serde_json::to_value(nodes).unwrap();
    direct.run(&tree, Addresses::Offsets).unwrap();
    let mut machine = Machine::new(Target::CARD);
    let mut bound = Vec::new();
    for (home, buffer) in &direct.buffers {
        if let Home::Argument(_) = home {
            let code =
                |code: &Option<u32>| code.unwrap_or(0).to_le_bytes()[..buffer.bytes].to_vec();
            let bytes: Vec<u8> = buffer.initial.iter().flat_map(code).collect();
            let written: Vec<bool> = buffer
                .initial
                .iter()
                .flat_map(|code| vec![code.is_some(); buffer.bytes])
                .collect();
            bound.push((machine.add_written(&bytes, &written), buffer));
        }
    }
    machine.run(&bundle).unwrap();
    assert!(machine.report().is_clean(), "{}\n{tree}", machine.report());
    let mut compared = 0;
    for (argument, buffer) in bound {
        let (bytes, written) = machine.bytes(argument).unwrap();
        for (at, code) in buffer.last.iter().enumerate() {
            let here = at * buffer.bytes..(at + 1) * buffer.bytes;
            match code {
                Some(code) => {
                    assert!(
                        written[here.clone()].iter().all(|byte| *byte),
                        "element {at}\n{tree}"
                    );
                    assert_eq!(
                        bytes[here],
                        code.to_le_bytes()[..buffer.bytes],
                        "element {at}\n{tree}"
                    );
                    compared += 1;
                }
                // An element that the tree does not write is unchanged: unwritten, or an input. Or it is the padding of
                // a stick.
                None => {
                    let padding = buffer.last[at - at % 64].is_some();
                    let input = buffer.initial[at].is_some();
                    let there = written[here.start];
                    assert!(there == input || padding, "element {at}\n{tree}");
                }
            }
        }
    }
    Some(compared)
}

#[test]
fn the_canonical_program() {
    assert_eq!(compare(&add_mul_of(16, 256, 2, 2, 4)), Some(16 * 256));
}

/// A tensor over some of the dimensions `c0`, `c1`, ..., the last one on the stick. Dimensions that it does not have are
/// outermost, with one element. `order` is where the others come, `windows` how much larger they are in memory.
fn tensor(
    extents: &[u64],
    has: &[bool],
    order: &[usize],
    windows: &[u64],
    place: Allocation,
) -> TensorArg {
    let stick = extents.len() - 1;
    let (mut size, mut coordinates) = (Vec::new(), Vec::new());
    for _ in order.iter().filter(|dim| !has[**dim]) {
        size.push(1);
        coordinates.push(Expr::int(0));
    }
    for dim in order.iter().copied().filter(|dim| has[*dim]) {
        let sticks = extents[dim].div_ceil(64);
        let (extent, coordinate) = match dim == stick {
            true => (sticks, format!("floor(c{dim}/64)")),
            false => (extents[dim], format!("c{dim}")),
        };
        size.push(extent + windows[dim]);
        coordinates.push(expr(&coordinate));
    }
    size.push(64);
    coordinates.push(if has[stick] {
        expr(&format!("Mod(c{stick}, 64)"))
    } else {
        Expr::int(0)
    });
    TensorArg::new(F16, size, coordinates, place)
}

#[derive(Clone, Debug)]
struct Operand {
    order: Vec<usize>,
    has: Vec<bool>,
    windows: Vec<u64>,
}

fn operand(rank: usize) -> impl Strategy<Value = Operand> {
    let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
    let has = prop::collection::vec(prop::bool::weighted(0.8), rank);
    let windows = prop::collection::vec(prop_oneof![3 => Just(0), 1 => 1..3_u64], rank);
    (order, has, windows).prop_map(|(order, has, windows)| Operand {
        order,
        has,
        windows,
    })
}

/// Extents with slices that divide them, the last on the stick, and three operands.
fn program() -> impl Strategy<Value = (Vec<(u64, u64)>, [Operand; 3])> {
    (1..5_usize).prop_flat_map(|rank| {
        let outer = prop::collection::vec((1..4_u64, 1..4_u64), rank - 1);
        let stick = prop_oneof![
            (1..4_u64, 1..3_u64).prop_map(|(sticks, slices)| (sticks * slices * 64, slices)),
            (1..200_u64).prop_map(|extent| (extent, 1))
        ];
        let dims = (outer, stick).prop_map(|(outer, stick)| {
            let outer = outer
                .into_iter()
                .map(|(part, slices)| (part * slices, slices));
            outer.chain([stick]).collect::<Vec<_>>()
        });
        (dims, [operand(rank), operand(rank), operand(rank)])
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_global_rejects: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn elementwise((dims, [a, b, z]) in program()) {
        let extents: Vec<u64> = dims.iter().map(|(extent, _)| *extent).collect();
        let cores: u64 = dims.iter().map(|(_, slices)| slices).product();
        prop_assume!(cores <= 32);
        let mut op = OpSpec::pointwise("sub");
        for (at, (extent, slices)) in dims.iter().enumerate() {
            op = op.with_dim(format!("c{at}").as_str(), Expr::int(*extent as i64), *slices);
        }
        let place = Allocation::argument;
        let all = vec![true; dims.len()];
        let op = op
            .with_input(tensor(&extents, &a.has, &a.order, &a.windows, place(0)))
            .with_input(tensor(&extents, &b.has, &b.order, &b.windows, place(1)))
            .with_output(tensor(&extents, &all, &z.order, &z.windows, place(2)));
        let compared = compare(&[op.into()]);
        prop_assume!(compared.is_some());
        prop_assert_eq!(compared, Some(extents.iter().product::<u64>() as usize));
    }

    #[test]
    fn reductions((dims, [a, z, _]) in program()) {
        let extents: Vec<u64> = dims.iter().map(|(extent, _)| *extent).collect();
        let cores: u64 = dims.iter().map(|(_, slices)| slices).product();
        prop_assume!(cores <= 32 && z.has.contains(&false));
        let mut op = OpSpec::reduction("max");
        // Dimensions of the output come first.
        for kept in [true, false] {
            for (at, (extent, slices)) in dims.iter().enumerate().filter(|(at, _)| z.has[*at] == kept) {
                op = op.with_dim(format!("c{at}").as_str(), Expr::int(*extent as i64), *slices);
            }
        }
        let all = vec![true; dims.len()];
        let none = vec![0; dims.len()];
        let op = op
            .with_input(tensor(&extents, &all, &a.order, &a.windows, Allocation::argument(0)))
            .with_output(tensor(&extents, &z.has, &z.order, &none, Allocation::argument(1)));
        let compared = compare(&[op.into()]);
        prop_assume!(compared.is_some());
        let kept = extents.iter().zip(&z.has).filter(|(_, has)| **has);
        prop_assert_eq!(compared, Some(kept.map(|(extent, _)| *extent as usize).product()));
    }
}
