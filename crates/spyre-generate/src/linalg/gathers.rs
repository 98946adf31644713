//! Gathers of elements, with constant indices along one or several dimensions, or indices that a body computes from
//! positions. Gathers and scatters of slices.

use super::{Draw, MOST_ELEMENTS, Value, iterators, map, ty};

/// How a dimension of a table is read.
enum Read {
    /// In the order of the table, by a loop.
    Whole(usize),
    /// At one position.
    One(u64),
    /// At positions that the program holds, one for each index of these loops.
    Held(Vec<usize>),
    /// The position of a loop, divided by a number and rounded down, as in upsampling.
    Stretched(usize, u64),
}

/// Draws a gather of elements of a table along at least one dimension.
pub(super) fn gather(draw: &mut Draw) -> bool {
    let table = draw.float();
    if table.shape.is_empty() {
        return false;
    }
    let (loops, reads) = reads(draw, &table.shape);
    if loops.iter().product::<u64>() > MOST_ELEMENTS {
        return false;
    }
    // The result has the loops in another order.
    let mut order: Vec<usize> = (0..loops.len()).collect();
    draw.numbers.shuffle(&mut order);
    let shape: Vec<u64> = order.iter().map(|id| loops[*id]).collect();
    let place = |id: usize| order.iter().position(|other| *other == id);
    let place = |id: usize| place(id).expect("every loop has a place");

    let empty = draw.empty(&shape, table.element);
    let element = table.element.name();
    let mut maps = Vec::new();
    let (mut inputs, mut types, mut arguments) = (Vec::new(), Vec::new(), Vec::new());
    let mut body = String::new();
    let mut coordinates = Vec::new();
    for (dim, read) in reads.iter().enumerate() {
        let extent = table.shape[dim];
        match read {
            Read::Whole(id) => {
                body += &format!("      %p{dim} = linalg.index {} : index\n", place(*id));
            }
            Read::One(at) => {
                body += &format!("      %p{dim} = arith.constant {at} : index\n");
            }
            Read::Held(along) => {
                let extents: Vec<u64> = along.iter().map(|id| loops[*id]).collect();
                inputs.push(indices(draw, &extents, extent));
                types.push(ty(&extents, super::Element::I32));
                arguments.push(format!("%in{dim}: i32"));
                let dims: Vec<String> = along.iter().map(|id| format!("d{}", place(*id))).collect();
                maps.push(map(loops.len(), &dims));
                body += &format!("      %p{dim} = arith.index_cast %in{dim} : i32 to index\n");
            }
            Read::Stretched(id, factor) => {
                body += &nearest(dim, place(*id), *factor);
            }
        }
        coordinates.push(format!("%p{dim}"));
    }
    let all: Vec<String> = (0..loops.len()).map(|id| format!("d{id}")).collect();
    maps.push(map(loops.len(), &all));
    arguments.push(format!("%out: {element}"));
    let ins = if inputs.is_empty() {
        String::new()
    } else {
        format!(" ins({} : {})", inputs.join(", "), types.join(", "))
    };
    let text = format!(
        "linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}}{ins} outs({empty} : {ty}) {{\n    ^bb0({}):\n{body}      \
         %e = tensor.extract {}[{}] : {}\n      linalg.yield %e : {element}\n    }} -> {ty}",
        maps.join(", "),
        iterators(&vec![false; loops.len()]),
        arguments.join(", "),
        table.name,
        coordinates.join(", "),
        table.ty(),
        ty = ty(&shape, table.element),
    );
    draw.make(&shape, table.element, table.bound, &text);
    true
}

/// Returns the operations of the nearest position for an iteration of a stretched dimension, in floats, as front ends
/// compute it.
fn nearest(dim: usize, place: usize, factor: u64) -> String {
    let scale = 1.0 / factor as f64;
    format!(
        "      %i{dim} = linalg.index {place} : index\n      %n{dim} = arith.index_cast %i{dim} : index to i64\n      \
         %f{dim} = arith.sitofp %n{dim} : i64 to f32\n      %h{dim} = arith.constant 5.000000e-01 : f32\n      \
         %m{dim} = arith.addf %f{dim}, %h{dim} : f32\n      %s{dim} = arith.constant {scale:?} : f32\n      \
         %t{dim} = arith.mulf %m{dim}, %s{dim} : f32\n      %g{dim} = math.floor %t{dim} : f32\n      \
         %c{dim} = arith.fptosi %g{dim} : f32 to i64\n      %p{dim} = arith.index_cast %c{dim} : i64 to index\n"
    )
}

/// Draws the loops of a gather, and how each dimension of a table is read.
fn reads(draw: &mut Draw, shape: &[u64]) -> (Vec<u64>, Vec<Read>) {
    let rank = shape.len();
    let always = draw.numbers.index(rank);
    let mut loops: Vec<u64> = Vec::new();
    let mut reads = Vec::new();
    for (dim, extent) in shape.iter().enumerate() {
        let chosen = dim == always || draw.numbers.one_in(4);
        reads.push(if chosen && draw.numbers.one_in(4) {
            let factor = draw.numbers.pick(&[2, 3]);
            loops.push(extent * factor);
            Read::Stretched(loops.len() - 1, factor)
        } else if chosen {
            Read::Held(held(draw, &mut loops))
        } else if draw.numbers.one_in(5) {
            Read::One(draw.numbers.below(*extent))
        } else {
            loops.push(*extent);
            Read::Whole(loops.len() - 1)
        });
    }
    (loops, reads)
}

/// Draws the loops that indices differ along: new ones, or some that there are.
fn held(draw: &mut Draw, loops: &mut Vec<u64>) -> Vec<usize> {
    let mut along = Vec::new();
    for _ in 0..draw.numbers.between(1, 2) {
        let id = if loops.is_empty() || draw.numbers.one_in(2) {
            loops.push(draw.numbers.pick(&[1, 3, 16, 40]));
            loops.len() - 1
        } else {
            draw.numbers.index(loops.len())
        };
        if !along.contains(&id) {
            along.push(id);
        }
    }
    along
}

/// Adds a constant of positions below an extent.
fn indices(draw: &mut Draw, shape: &[u64], extent: u64) -> String {
    let values = nested(draw, shape, extent);
    let ty = ty(shape, super::Element::I32);
    draw.hidden(&format!("arith.constant dense<{values}> : {ty}"))
}

fn nested(draw: &mut Draw, shape: &[u64], extent: u64) -> String {
    let Some((first, rest)) = shape.split_first() else {
        return draw.numbers.below(extent).to_string();
    };
    let parts: Vec<String> = (0..*first).map(|_| nested(draw, rest, extent)).collect();
    format!("[{}]", parts.join(", "))
}

/// Slices of a tensor that indices of a program select.
struct Slices {
    /// The text of the indices, and their type.
    indices: String,
    ty: String,
    /// The text of the dimensions that they index.
    dims: String,
    /// The extents of the gathered tensor: the numbers of slices, and the extents of a slice.
    shape: Vec<u64>,
}

/// Draws slices of a tensor, distinct ones or not; `None` if they have too many positions.
fn slices(draw: &mut Draw, whole: &[u64], distinct: bool) -> Option<Slices> {
    let rank = whole.len();
    let always = draw.numbers.index(rank);
    let dims: Vec<usize> = (0..rank)
        .filter(|dim| *dim == always || draw.numbers.one_in(4))
        .collect();
    let positions: u64 = dims.iter().map(|dim| whole[*dim]).product();
    // The indices have one or two dimensions.
    let mut counts = vec![draw.numbers.between(1, positions.min(24))];
    if draw.numbers.one_in(3) {
        let most = (positions / counts[0]).min(3);
        counts.push(draw.numbers.between(1, most));
    }
    let count: u64 = counts.iter().product();
    if positions * count > MOST_ELEMENTS {
        return None;
    }
    let mut free: Vec<u64> = (0..positions).collect();
    draw.numbers.shuffle(&mut free);
    let mut rows: Vec<String> = free[..usize::try_from(count).expect("a small number")]
        .iter()
        .map(|position| coordinates(whole, &dims, *position))
        .collect();
    if !distinct && draw.numbers.one_in(2) {
        rows = vec![rows[0].clone(); rows.len()];
    }
    let index = draw.numbers.pick(&["i32", "i64", "index"]);
    let mut shape = counts.clone();
    shape.push(dims.len() as u64);
    let ty = ty(&shape, super::Element::I32).replace("i32", index);
    let indices = draw.hidden(&format!(
        "arith.constant dense<{}> : {ty}",
        grouped(&rows, &counts)
    ));
    // The indexed dimensions are dropped from a slice, or have extent 1.
    let keeps = draw.numbers.one_in(2);
    let mut shape = counts;
    for (dim, extent) in whole.iter().enumerate() {
        match (dims.contains(&dim), keeps) {
            (false, _) => shape.push(*extent),
            (true, true) => shape.push(1),
            (true, false) => {}
        }
    }
    let dims: Vec<String> = dims.iter().map(usize::to_string).collect();
    Some(Slices {
        indices,
        ty,
        dims: dims.join(", "),
        shape,
    })
}

/// Returns a tensor of floats that there is, or a new input of integers.
fn floats_or_integers(draw: &mut Draw) -> Value {
    if draw.numbers.one_in(3) {
        let shape = draw.shape();
        draw.argument(&shape, super::Element::I32)
    } else {
        draw.float()
    }
}

/// Draws a gather of slices of a tensor.
pub(super) fn gather_slices(draw: &mut Draw) -> bool {
    let table = floats_or_integers(draw);
    if table.shape.is_empty() {
        return false;
    }
    let Some(slices) = slices(draw, &table.shape, false) else {
        return false;
    };
    if slices.shape.iter().product::<u64>() > MOST_ELEMENTS {
        return false;
    }
    let text = format!(
        "tensor.gather {}[{}] gather_dims([{}]) : ({}, {}) -> {}",
        table.name,
        slices.indices,
        slices.dims,
        table.ty(),
        slices.ty,
        ty(&slices.shape, table.element)
    );
    draw.make(&slices.shape, table.element, table.bound, &text);
    true
}

/// Draws a scatter: slices of a new tensor take the place of others, at distinct positions that the program holds.
pub(super) fn scatter(draw: &mut Draw) -> bool {
    let dest = floats_or_integers(draw);
    if dest.shape.is_empty() {
        return false;
    }
    let Some(slices) = slices(draw, &dest.shape, true) else {
        return false;
    };
    let source = draw.argument(&slices.shape, dest.element);
    let text = format!(
        "tensor.scatter {} into {}[{}] scatter_dims([{}]) unique : ({}, {}, {}) -> {}",
        source.name,
        dest.name,
        slices.indices,
        slices.dims,
        source.ty(),
        dest.ty(),
        slices.ty,
        dest.ty()
    );
    let bound = dest.bound.max(source.bound);
    draw.make(&dest.shape, dest.element, bound, &text);
    true
}

/// Returns the text of the coordinates of a position: the last of the dimensions moves fastest.
fn coordinates(shape: &[u64], dims: &[usize], position: u64) -> String {
    let mut rest = position;
    let mut coordinates: Vec<String> = Vec::new();
    for dim in dims.iter().rev() {
        coordinates.push((rest % shape[*dim]).to_string());
        rest /= shape[*dim];
    }
    coordinates.reverse();
    format!("[{}]", coordinates.join(", "))
}

/// Returns the text of some rows in a shape.
fn grouped(rows: &[String], shape: &[u64]) -> String {
    let Some((first, rest)) = shape.split_first() else {
        return rows[0].clone();
    };
    let size = rows.len() / usize::try_from(*first).expect("a small number");
    let parts: Vec<String> = rows.chunks(size).map(|rows| grouped(rows, rest)).collect();
    format!("[{}]", parts.join(", "))
}
