//! The kernel arguments of bundles, without a run.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use spyre_layout::{Bytes, DeviceFormat};
use spyre_sdsc::{Allocation, Expr, LoopSpec, OpSpec};
use spyre_sim::{ArgumentUse, Bundle, UseError};

use crate::common::{F16, Files, expr, loop_over_rows, matrix, space, tensor};

fn uses(bundle: &Bundle) -> BTreeMap<u32, ArgumentUse> {
    let uses = bundle.argument_uses(&FxHashMap::default());
    uses.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_loop_reaches_all_of_its_tiles() {
    // 256 rows in 4 tiles; the argument starts two sticks after its base.
    let place = |arg, offset| match Allocation::argument(arg) {
        Allocation::Hbm { arg, .. } => Allocation::Hbm {
            arg,
            offset: Bytes(offset),
        },
        other => other,
    };
    let whole = |place| matrix(256, 128, place).advancing(expr("4096*t"));
    let op = space(OpSpec::pointwise("exp"), 64, 128, 8)
        .with_input(whole(place(0, 256)))
        .with_output(whole(place(1, 0)))
        .with_tiled_level(["t".into()])
        .with_trip_count("t", 4);
    let bundle = Files::from_nodes(&[LoopSpec::new(4, vec![op.into()]).into()]).read();
    let uses = uses(&bundle.unwrap());
    let sizes: Vec<_> = uses.values().map(|used| used.bytes).collect();
    assert_eq!(sizes, [Some(Bytes(256 + 65536)), Some(Bytes(65536))]);
    assert!(uses[&0].is_read && !uses[&0].is_written && !uses[&0].is_indices);
    assert!(uses[&1].is_written && !uses[&1].is_read);
    assert_eq!(uses[&0].format, F16);
}

#[test]
fn sizes_are_those_of_the_call() {
    let bundle = Files::from_nodes(&[loop_over_rows(128)]).read().unwrap();
    let bytes = |size: i64| {
        let sizes = [(2, size)].into_iter().collect();
        bundle.argument_uses(&sizes).unwrap()[&0].bytes
    };
    // Two sticks of 512 rows: the second one starts after all rows of the first.
    assert_eq!(bytes(512), Some(Bytes(2 * 512 * 128)));
    assert_eq!(bytes(64), Some(Bytes(512 * 128 + 64 * 128)));
    let error = bundle.argument_uses(&FxHashMap::default()).unwrap_err();
    assert!(matches!(error, UseError::Size { param: 2, .. }), "{error}");
}

#[test]
fn the_table_of_a_gather_has_no_known_size() {
    let mut indices = tensor(
        DeviceFormat::IeeeInt32,
        &[2, 32],
        &["floor(c0/32)", "Mod(c0, 32)"],
        Allocation::argument(0),
    );
    indices.name = Some("rows".into());
    let coordinates = ["floor(c1/64)", "IndirectAccess(rows)", "Mod(c1, 64)"];
    let table = tensor(F16, &[2, 40, 64], &coordinates, Allocation::argument(1));
    let op = OpSpec::pointwise("identity")
        .with_dim("c0", Expr::int(64), 1)
        .with_dim("c1", Expr::int(128), 1)
        .with_input(indices)
        .with_input(table)
        .with_output(matrix(64, 128, Allocation::argument(2)));
    let uses = uses(&Files::from_nodes(&[op.into()]).read().unwrap());
    assert!(uses[&0].is_indices);
    assert_eq!(uses[&0].bytes, Some(Bytes(256)));
    assert_eq!(uses[&1].bytes, None);
}
