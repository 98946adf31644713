//! Properties that hold for every operation.

mod common;

use rustc_hash::FxHashSet;

use common::{add, compile, matrix, plan_op};
use proptest::prelude::*;
use spyre_sdsc::sdsc::Sdsc;
use spyre_sdsc::{Allocation, Expr, Node, OpSpec};

/// A three-dimensional operation on [4, 8 * a, 64 * b] with a random division over cores.
fn divided_ops() -> impl Strategy<Value = (OpSpec, [u64; 3])> {
    (0_u32..3, 0_u32..3, 0_u32..2, 1_u64..4, 1_u64..4).prop_map(|(p, q, r, a, b)| {
        let slices = [1 << p, 1 << q, 1 << r];
        let extents = [4, 8 * a, 128 * b];
        let coordinates = ["c1", "floor(c2/64)", "c0", "Mod(c2, 64)"]
            .map(|text| text.parse::<Expr>().unwrap_or(Expr::int(0)));
        let argument = |index| {
            spyre_sdsc::TensorArg::new(
                spyre_sdsc::DeviceFormat::Sen169Fp16,
                vec![extents[1], extents[2] / 64, extents[0], 64],
                coordinates.to_vec(),
                Allocation::argument(index),
            )
        };
        let mut op = OpSpec::pointwise("mul");
        for (i, (extent, slices)) in extents.iter().zip(slices).enumerate() {
            op = op.with_dim(format!("c{i}"), Expr::int(*extent as i64), slices);
        }
        (
            op.with_input(argument(0))
                .with_input(argument(1))
                .with_output(argument(2)),
            extents,
        )
    })
}

proptest! {
    /// The parts of all cores are disjoint and together the whole buffer, element by element.
    #[test]
    fn cores_cover_the_buffer_exactly_once((op, extents) in divided_ops()) {
        let d = plan_op(&op);
        let sizes: Vec<u64> = d.dims.iter().map(|dim| dim.extent / dim.slices).collect();
        // Device size [e1, e2/64, e0, 64].
        let place = |i: u64, j: u64, k: u64| ((j * (extents[2] / 64) + k / 64) * extents[0] + i) * 64 + k % 64;
        let mut seen = FxHashSet::default();
        for core in 0..d.core_mapping.cores() {
            let slices = d.core_mapping.slices_of(core).expect("the core works");
            let start = d.core_offset(&d.tensors[2], &slices).bytes.get() / 2;
            let slices: Vec<u64> = slices.into_iter().map(u64::from).collect();
            prop_assert_eq!(start, place(slices[0] * sizes[0], slices[1] * sizes[1], slices[2] * sizes[2]));
            for i in 0..sizes[0] {
                for j in 0..sizes[1] {
                    for k in 0..sizes[2] {
                        prop_assert!(seen.insert(start + place(i, j, k)), "core {} repeats an element", core);
                    }
                }
            }
        }
        prop_assert_eq!(seen.len() as u64, extents.iter().product::<u64>());
    }

    /// Identifiers are handed out consecutively over the bundle, and files mention the ones that are bound.
    #[test]
    fn symbol_identifiers_are_consecutive(slices in proptest::collection::vec(0_u32..5, 1..5)) {
        let nodes: Vec<Node> = slices.iter().map(|s| add(64, 128, 1 << s).into()).collect();
        let bundle = compile(&nodes);
        let mut next = -1;
        for (file, s) in bundle.sdsc_files().iter().zip(&slices) {
            let count = file.symbols().expect("symbols").kinds().len();
            prop_assert_eq!(count as u64, 3 << s);
            for position in 0..count {
                prop_assert_eq!(file.symbol_base().id(position).get(), next);
                next -= 1;
            }
            let text = serde_json::to_string(&file.sdsc()).map_err(|e| TestCaseError::fail(e.to_string()))?;
            for position in 0..count {
                let id = format!("\"{}\"", file.symbol_base().id(position));
                prop_assert!(text.contains(&id));
            }
        }
    }

    /// Checks that files that are written can be read back, whatever the operation.
    #[test]
    fn files_read_back((op, _) in divided_ops(), mask in any::<bool>(), runtime in any::<bool>()) {
        let mut nodes: Vec<Node> = vec![op.into()];
        if mask {
            let unaligned = matrix(64, 100, Allocation::lx(0));
            let exp = OpSpec::pointwise("exp").with_dim("c0", Expr::int(64), 1).with_dim("c1", Expr::int(100), 1);
            nodes.push(exp.with_input(unaligned.clone()).with_output(unaligned).into());
        }
        if runtime {
            let mut op = add(64, 128, 1)
                .with_runtime_size("s0", spyre_sdsc::model::DimBounds { max: 64, granularity: 16 });
            op.iteration_space[0].extent = Expr::symbol("s0");
            nodes.push(op.into());
        }
        let read: Vec<Node> = serde_json::to_string(&nodes)
            .and_then(|text| serde_json::from_str(&text))
            .map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(&read, &nodes);
        for file in compile(&nodes).sdsc_files() {
            let sdsc = file.sdsc();
            let text = serde_json::to_string(&sdsc).map_err(|e| TestCaseError::fail(e.to_string()))?;
            let back: Sdsc = serde_json::from_str(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(back, sdsc);
        }
    }
}
