//! Damage to bundles that are right, of each kind that the checks find.

use std::sync::Arc;

use super::super::file::FileAddresses;
use super::super::symbols::{OpSymbols, SymbolBase};
use super::super::{BundleOptions, compile_bundle};
use super::*;
use crate::{Allocation, Bytes, DeviceFormat, Expr, OpSpec, Symbol, TensorArg};

/// `exp` of tiles of 64 rows, on 4 cores, in a loop with level symbol `t`.
fn exp(output: Allocation) -> Node {
    let tensor = |place| {
        let coordinates = ["floor(c1/64)", "c0", "Mod(c1, 64)"].map(|text| text.parse());
        let coordinates = coordinates
            .map(|expr| expr.expect("an expression"))
            .to_vec();
        let tensor = TensorArg::new(
            DeviceFormat::Sen169Fp16,
            vec![4, 512, 64],
            coordinates,
            place,
        );
        tensor.advancing("4096*t".parse().expect("an expression"))
    };
    let op = OpSpec::pointwise("exp")
        .with_dim("c0", Expr::int(64), 4)
        .with_dim("c1", Expr::int(256), 1)
        .with_input(tensor(Allocation::argument(0)))
        .with_output(tensor(output));
    op.with_tiled_level([Symbol::from("t")]).into()
}

/// Two loops, with two operations and one.
fn tree() -> Vec<Node> {
    let first = vec![exp(Allocation::pool(128)), exp(Allocation::argument(1))];
    let second = vec![
        exp(Allocation::argument(2)),
        Node::Unimplemented { op: "x".into() },
    ];
    vec![
        LoopSpec::new(3, first).into(),
        LoopSpec::new(2, second).into(),
    ]
}

fn compile(options: BundleOptions) -> Bundle {
    let options = BundleOptions {
        pool_size: Bytes(1 << 20),
        ..options
    };
    compile_bundle(&tree(), &options).expect("the tree is right")
}

/// Checks that the bundle is right, damages it, and checks the error.
fn expect(options: BundleOptions, damage: impl FnOnce(&mut Bundle), expected: &str) {
    let mut bundle = compile(options);
    assert_eq!(check(&tree(), &bundle), Ok(()));
    damage(&mut bundle);
    let result = check(&tree(), &bundle).map_err(|error| error.to_string());
    let expected = format!("this is a bug of ours: {expected}");
    assert_eq!(result, Err(expected));
}

fn kept(damage: impl FnOnce(&mut Bundle), expected: &str) {
    expect(BundleOptions::default(), damage, expected);
}

/// The statements of the loop with this number.
fn body(bundle: &mut Bundle, number: usize) -> &mut Vec<Stmt> {
    let stmts = bundle.function.body.iter_mut();
    let mut loops = stmts.filter_map(|stmt| match stmt {
        Stmt::For { body, .. } => Some(body),
        _ => None,
    });
    loops.nth(number).expect("there is a loop")
}

/// The place of the first execute among statements.
fn first(body: &[Stmt]) -> usize {
    let mut stmts = body.iter();
    let place = stmts.position(|stmt| matches!(stmt, Stmt::Execute { .. }));
    place.expect("there is an execute")
}

/// The first address that a loop computes, and its base.
fn address(bundle: &mut Bundle, number: usize) -> (ValueId, ValueId) {
    match body(bundle, number)[0] {
        Stmt::Apply { result, base, .. } => (result, base),
        _ => unreachable!("addresses come first"),
    }
}

/// Changes the operands and the symbols of the first execute of a loop.
fn rebind(
    bundle: &mut Bundle,
    number: usize,
    change: impl FnOnce(&mut Vec<ValueId>, &mut Vec<SymbolId>),
) {
    let body = body(bundle, number);
    let place = first(body);
    let Stmt::Execute {
        operands,
        symbol_ids,
        ..
    } = &mut body[place]
    else {
        unreachable!("it is an execute");
    };
    let (mut values, mut ids) = (operands.to_vec(), symbol_ids.to_vec());
    change(&mut values, &mut ids);
    (*operands, *symbol_ids) = (values.into(), ids.into());
}

#[test]
fn every_operation_is_one_execute() {
    kept(
        |bundle| {
            let body = body(bundle, 0);
            body.remove(first(body));
        },
        "the tree has 3 operations in 2 loops, and the function 2 executes in 2 loops",
    );
    kept(
        |bundle| {
            let body = body(bundle, 1);
            body.push(body[first(body)].clone());
        },
        "the tree has 3 operations in 2 loops, and the function 4 executes in 2 loops",
    );
    kept(
        |bundle| {
            let first_body = body(bundle, 0);
            let moved = first_body.remove(first(first_body));
            body(bundle, 1).push(moved);
        },
        "loop 1 of 2 (0 is the code outside of loops) has 2 operations in the tree, but 1 executes in the \
         function",
    );
    expect(
        BundleOptions::first_revision(),
        |bundle| drop(bundle.function.body.pop()),
        "the tree has 8 operations in 0 loops, and the function 7 executes in 0 loops",
    );
}

#[test]
fn every_loop_is_one_loop() {
    kept(
        |bundle| {
            let inside = std::mem::take(body(bundle, 1));
            bundle.function.body.pop();
            bundle.function.body.extend(inside);
        },
        "the tree has 3 operations in 2 loops, and the function 3 executes in 1 loops",
    );
}

#[test]
fn every_symbol_is_bound_once() {
    kept(
        |bundle| rebind(bundle, 0, |values, _| values.truncate(7)),
        "an execute of sdsc_0.json has 7 operands for 8 symbols",
    );
    kept(
        |bundle| {
            rebind(bundle, 0, |values, ids| {
                values.truncate(7);
                ids.truncate(7);
            });
        },
        "sdsc_0.json has 8 symbols, and an execute binds 7: -8 occurs 1 times, and is bound 0 times",
    );
    kept(
        |bundle| rebind(bundle, 0, |_, ids| ids[1] = ids[0]),
        "sdsc_0.json has 8 symbols, and an execute binds 8: -2 occurs 1 times, and is bound 0 times",
    );
    kept(
        |bundle| rebind(bundle, 0, |_, ids| ids[0] = SymbolBase::new(900).id(0)),
        "sdsc_0.json has 8 symbols, and an execute binds 8: -1 occurs 1 times, and is bound 0 times",
    );
    kept(
        |bundle| {
            rebind(bundle, 0, |values, ids| {
                values.push(values[0]);
                ids.push(ids[0]);
            });
        },
        "sdsc_0.json has 8 symbols, and an execute binds 9: -1 occurs 1 times, and is bound 2 times",
    );
}

#[test]
fn every_core_has_an_address() {
    let lose = |bundle: &mut Bundle, change: fn(&mut Vec<Vec<usize>>)| {
        let file = &mut bundle.files[1];
        let symbols = file.symbols().expect("addresses are symbols");
        let positions = (0..2).map(|tensor| symbols.addresses(tensor).to_vec());
        let mut positions = positions.collect();
        change(&mut positions);
        file.addresses = FileAddresses::Symbols {
            symbols: Arc::new(OpSymbols::new(symbols.kinds().to_vec(), vec![], positions)),
            base: file.symbol_base(),
        };
    };
    kept(
        |bundle| lose(bundle, |positions| positions[1].truncate(3)),
        "sdsc_1.json: operand 1 has 3 addresses for 4 cores",
    );
    kept(
        |bundle| lose(bundle, |positions| positions[0].clear()),
        "sdsc_1.json: operand 0 has 0 addresses for 4 cores",
    );
    let with_symbols = |bundle: &mut Bundle, symbols: fn(&SdscFile) -> OpSymbols| {
        let symbols = Arc::new(symbols(&bundle.files[3]));
        let base = SymbolBase::default();
        bundle.files[3].addresses = FileAddresses::Symbols { symbols, base };
    };
    expect(
        BundleOptions::first_revision(),
        |bundle| with_symbols(bundle, |_| OpSymbols::default()),
        "sdsc_3.json: operand 0 has 0 addresses for 4 cores",
    );
    expect(
        BundleOptions::first_revision(),
        |bundle| with_symbols(bundle, |file| OpSymbols::from_descriptor(&file.descriptor)),
        "sdsc_3.json: 4 of 4 addresses of operand 0 are symbols, which must be 0",
    );
}

#[test]
fn files_are_those_that_are_executed() {
    kept(
        |bundle| drop(bundle.files.pop()),
        "sdsc_2.json is executed, but is not among the 2 files",
    );
    kept(
        |bundle| {
            let mut file = bundle.files[0].clone();
            file.number = 3;
            bundle.files.push(file);
        },
        "there are 4 files, but only 3 are executed",
    );
    kept(
        |bundle| bundle.files.swap(0, 1),
        "the file sdsc_1.json has the number 1, expected 0",
    );
    kept(
        |bundle| {
            let body = body(bundle, 1);
            let place = first(body);
            let Stmt::Execute { filename, .. } = &mut body[place] else {
                unreachable!("it is an execute");
            };
            *filename = "sdsc_0.json".into();
        },
        "sdsc_0.json has 8 symbols, and an execute binds 8: -8 occurs 1 times, and is bound 0 times",
    );
}

#[test]
fn addresses_are_used_where_they_are_computed() {
    kept(
        |bundle| drop(body(bundle, 0).remove(0)),
        "value 39 of 63 is defined where value 38 is expected",
    );
    // The base of the address is bound instead of the address that moves with the loops.
    kept(
        |bundle| {
            let (_, base) = address(bundle, 0);
            rebind(bundle, 0, |values, _| values[0] = base);
        },
        "38 addresses are computed, and 37 are used",
    );
    // An address of another loop.
    kept(
        |bundle| {
            let (result, _) = address(bundle, 0);
            rebind(bundle, 1, |values, _| values[0] = result);
        },
        "value 38 is used before its definition, after 63 values",
    );
    kept(
        |bundle| bundle.function.names.push(None, "x"),
        "64 values have names, and 63 are defined",
    );
}

#[test]
fn maps_are_applied_to_as_many_values_as_they_have() {
    kept(
        |bundle| {
            let Stmt::Apply { ivs, .. } = &mut body(bundle, 0)[0] else {
                unreachable!("addresses come first");
            };
            *ivs = [ivs[0], ivs[0]].into();
        },
        "map 0 has 1 strides, and is applied to 2 values",
    );
    kept(
        |bundle| drop(bundle.function.maps.pop()),
        "map 0 is applied, but there are only 0 maps",
    );
    kept(
        |bundle| {
            let strides = vec![Bytes(128)];
            bundle.function.maps.push(AffineMap { strides });
        },
        "there are 2 maps, but only 1 are applied",
    );
}
