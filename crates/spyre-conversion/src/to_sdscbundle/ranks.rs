//! Gives the tensors of an operation the device dimensions that the format needs to pair them up.

use spyre_dialects::device_op::DeviceOp;
use spyre_ops::OpClass;
use spyre_sdsc::{Expr, IterationDim, Symbol, TensorArg};

use super::coordinates::symbol;

/// Gives the tensors of an operation the same number of device dimensions, and device dimensions along which a tensor
/// stays a separate iteration dimension.
pub(super) fn align(op: DeviceOp<'_>, args: &mut [TensorArg], space: &mut Vec<IterationDim>) {
    let is_cast = op.facts().class == OpClass::Cast;
    if op.facts().class == OpClass::Matmul {
        let batches = op.iteration_space().len().checked_sub(3);
        let batches = batches.expect("a product has rows, columns and K (S7)");
        let having = |dim: &IterationDim| {
            let is = |number: usize| dim.symbol.as_str() == symbol(number);
            match (is(batches), is(batches + 1), is(batches + 2)) {
                (true, ..) => [true, false, true],
                (_, true, _) => [false, true, true],
                (.., true) => [true, true, false],
                _ => [true, true, true],
            }
        };
        share_units(args, space, having);
    }
    let own_dims = stay_along_own_dims(args, space);
    let least = match (own_dims, is_cast) {
        // With such dimensions, the reduced dimensions of a tensor have device dimensions after the others as well.
        (1.., _) => space.len() + 1,
        // The format pads a dimension that follows another one.
        (0, true) => 3,
        (0, false) => 0,
    };
    align_ranks(args, least);
    // In a product, the tensors that have a dimension determine its role: one that all have is not counted (contract,
    // K23).
    if is_cast || op.searched_dim().is_some() || op.facts().class == OpClass::Matmul {
        share_own_dims(args, own_dims);
    } else if op.gathered_dim().is_some()
        && let [_, of_one_layout @ ..] = args
    {
        share_own_dims(of_one_layout, own_dims);
    }
}

/// Adds dimensions of one element to the tensors of a product where a dimension has no role: only one tensor has it, or
/// two tensors that make it a second dimension of columns (contract, K23). A reshape can remove the device dimension of
/// such a dimension from some tensors. `having` returns the tensors that must have a dimension.
fn share_units(
    args: &mut [TensorArg],
    space: &[IterationDim],
    having: impl Fn(&IterationDim) -> [bool; 3],
) {
    let has = |arg: &TensorArg, symbol: &Symbol| {
        let mut coordinates = arg.device_coordinates.iter();
        coordinates.any(|coordinate| coordinate.symbols().contains(&symbol))
    };
    for dim in space.iter().filter(|dim| dim.extent == Expr::int(1)) {
        let presence: Vec<bool> = args.iter().map(|arg| has(arg, &dim.symbol)).collect();
        let wanted = having(dim);
        let is_alone = presence.iter().filter(|has| **has).count() == 1;
        let is_second_column = presence == [false, true, true] && wanted == [true; 3];
        if !is_alone && !is_second_column {
            continue;
        }
        for ((arg, has), wants) in args.iter_mut().zip(presence).zip(wanted) {
            if wants && !has {
                arg.device_size.insert(0, 1);
                let coordinate = Expr::symbol(dim.symbol.clone());
                arg.device_coordinates.insert(0, coordinate);
            }
        }
    }
}

/// Gives every device dimension along which a tensor stays at one position an iteration dimension of extent 1. The
/// format gives the start of a tensor along dimensions of the iteration space only, and derives strides from them.
/// Returns the number of added dimensions.
fn stay_along_own_dims(args: &mut [TensorArg], space: &mut Vec<IterationDim>) -> usize {
    let (before, mut added) = (space.len(), 0);
    for arg in args {
        let mut count = 0;
        let outer = arg.device_size.len() - 1;
        let outer = arg
            .device_coordinates
            .iter_mut()
            .zip(&arg.device_size)
            .take(outer);
        for (coordinate, size) in outer {
            let stays = coordinate.symbols().is_empty() && !coordinate.has_indirect_access();
            if !stays || *size == 1 {
                continue;
            }
            if count == added {
                let dim = IterationDim {
                    symbol: own_symbol(added),
                    extent: Expr::int(1),
                    slices: 1,
                };
                space.insert(0, dim);
                added += 1;
            }
            *coordinate = Expr::symbol(own_symbol(count)) + coordinate.clone();
            count += 1;
        }
    }
    assert_eq!(space.len(), before + added, "every symbol has a dimension");
    added
}

/// Gives each tensor the added dimensions of extent 1 that another tensor of the operation has: it takes one of its
/// own dimensions of extent 1 for each.
///
/// The format needs it for three operations. A cast of one stick would get a further dimension, the table and the result of
/// a gather have equal dimensions, and a search gets a dimension where the result has only those of the operand.
fn share_own_dims(args: &mut [TensorArg], count: usize) {
    let unit = Expr::int(0);
    for arg in args {
        for number in 0..count {
            let expr = Expr::symbol(own_symbol(number));
            let has = |coordinate: &Expr| {
                coordinate
                    .symbols()
                    .iter()
                    .any(|symbol| expr.as_symbol() == Some(*symbol))
            };
            if arg.device_coordinates.iter().any(has) {
                continue;
            }
            let places = arg.device_coordinates.iter_mut().zip(&arg.device_size);
            let mut free = places.filter(|(coordinate, size)| **size == 1 && **coordinate == unit);
            if let Some((coordinate, _)) = free.next() {
                *coordinate = expr;
            }
        }
    }
}

/// Returns the symbol of an iteration dimension that was added.
fn own_symbol(number: usize) -> Symbol {
    Symbol::from(format!("s{number}"))
}

/// Gives all tensors the same number of device dimensions, `least` or more, because the format pairs them up.
/// Dimensions of extent 1 without movement come first: they change no address, and the format reads strides off the
/// others.
fn align_ranks(args: &mut [TensorArg], least: usize) {
    let unit = Expr::int(0);
    let rank = args
        .iter()
        .map(|arg| arg.device_size.len())
        .max()
        .unwrap_or(0)
        .max(least);
    for arg in args {
        // The stick is the last dimension for any extent.
        let (stick, outer) = arg.device_size.split_last().expect("a tensor has a stick");
        let (in_stick, coordinates) = arg
            .device_coordinates
            .split_last()
            .expect("a coordinate for each size");
        let moving = outer
            .iter()
            .zip(coordinates)
            .filter(|(size, coordinate)| **size != 1 || **coordinate != unit);
        let (mut sizes, mut moved): (Vec<u64>, Vec<Expr>) = moving
            .map(|(size, coordinate)| (*size, coordinate.clone()))
            .unzip();
        let units = rank - 1 - sizes.len();
        sizes.splice(0..0, std::iter::repeat_n(1, units));
        moved.splice(0..0, std::iter::repeat_n(unit.clone(), units));
        sizes.push(*stick);
        moved.push(in_stick.clone());
        let ranks = (sizes.len(), moved.len());
        assert_eq!(ranks, (rank, rank), "all tensors have one rank");
        arg.device_size = sizes;
        arg.device_coordinates = moved;
    }
}
