//! Steps that move elements, and steps that depend on no input.

use super::{Draw, EXTENTS, MOST_ELEMENTS, Value, inside, map, ty};

/// Draws a pad, a concatenation, a slice, an insertion, a reshape or a transposition.
pub(super) fn movement(draw: &mut Draw) -> bool {
    let value = draw.float();
    if value.shape.is_empty() {
        return false;
    }
    match draw.numbers.below(6) {
        0 => pad(draw, &value),
        1 => concat(draw, &value),
        2 => slice(draw, &value),
        3 => insert(draw, &value),
        4 => reshape(draw, &value),
        _ => transpose(draw, &value),
    }
}

fn list(numbers: &[u64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    format!("[{}]", numbers.join(", "))
}

fn pad(draw: &mut Draw, value: &Value) -> bool {
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for _ in &value.shape {
        let few = |draw: &mut Draw| {
            if draw.numbers.one_in(2) {
                draw.numbers.below(3)
            } else {
                0
            }
        };
        low.push(few(draw));
        high.push(few(draw));
    }
    let shape: Vec<u64> = (0..low.len())
        .map(|dim| low[dim] + value.shape[dim] + high[dim])
        .collect();
    if shape.iter().product::<u64>() > MOST_ELEMENTS {
        return false;
    }
    let number = draw.numbers.pick(&["1.0", "0.0", "-0.0", "-2.0"]);
    let number = draw.number(number, value.element);
    let indices: Vec<String> = (0..low.len())
        .map(|dim| format!("%i{dim}: index"))
        .collect();
    let text = format!(
        "tensor.pad {} low{} high{} {{\n    ^bb0({}):\n      tensor.yield {number} : {}\n    }} : {} to {}",
        value.name,
        list(&low),
        list(&high),
        indices.join(", "),
        value.element.name(),
        value.ty(),
        ty(&shape, value.element)
    );
    draw.make(&shape, value.element, value.bound.max(2), &text);
    true
}

fn concat(draw: &mut Draw, value: &Value) -> bool {
    let dim = draw.numbers.index(value.shape.len());
    let mut other = value.shape.clone();
    if !draw.numbers.one_in(4) {
        other[dim] = draw.numbers.pick(&EXTENTS);
    }
    let mut shape = value.shape.clone();
    shape[dim] += other[dim];
    if shape.iter().product::<u64>() > MOST_ELEMENTS {
        return false;
    }
    let other = match draw.numbers.one_in(3) {
        true => inside::table_value(draw, &other, value.element),
        false if other == value.shape && draw.numbers.one_in(2) => value.clone(),
        false => draw.argument(&other, value.element),
    };
    let text = format!(
        "tensor.concat dim({dim}) {}, {} : ({}, {}) -> {}",
        value.name,
        other.name,
        value.ty(),
        other.ty(),
        ty(&shape, value.element)
    );
    draw.make(&shape, value.element, value.bound.max(other.bound), &text);
    true
}

fn slice(draw: &mut Draw, value: &Value) -> bool {
    let (mut offsets, mut sizes, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for extent in &value.shape {
        let step = if draw.numbers.one_in(4) {
            draw.numbers.between(2, 3)
        } else {
            1
        };
        let size = draw.numbers.between(1, extent.div_ceil(step));
        let last = (size - 1) * step;
        offsets.push(draw.numbers.below(extent - last));
        sizes.push(size);
        steps.push(step);
    }
    let text = format!(
        "tensor.extract_slice {}{} {} {} : {} to {}",
        value.name,
        list(&offsets),
        list(&sizes),
        list(&steps),
        value.ty(),
        ty(&sizes, value.element)
    );
    draw.make(&sizes, value.element, value.bound, &text);
    true
}

fn insert(draw: &mut Draw, value: &Value) -> bool {
    let (mut offsets, mut sizes, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for extent in &value.shape {
        let step = match draw.numbers.one_in(4) {
            true => draw.numbers.pick(&[2, 3]),
            false => 1,
        };
        let size = draw.numbers.between(1, extent.div_ceil(step));
        offsets.push(draw.numbers.below(extent - (size - 1) * step));
        sizes.push(size);
        steps.push(step);
    }
    let tile = match draw.numbers.below(4) {
        0 => part(draw, value, &sizes),
        1 => inside::table_value(draw, &sizes, value.element),
        _ => draw.argument(&sizes, value.element),
    };
    let text = format!(
        "tensor.insert_slice {} into {}{} {} {} : {} into {}",
        tile.name,
        value.name,
        list(&offsets),
        list(&sizes),
        list(&steps),
        tile.ty(),
        value.ty()
    );
    draw.make(
        &value.shape,
        value.element,
        value.bound.max(tile.bound),
        &text,
    );
    true
}

/// Adds a part of a tensor, anywhere in it.
fn part(draw: &mut Draw, value: &Value, sizes: &[u64]) -> Value {
    let offsets = value.shape.iter().zip(sizes);
    let offsets: Vec<u64> = offsets
        .map(|(extent, size)| draw.numbers.below(extent - size + 1))
        .collect();
    let text = format!(
        "tensor.extract_slice {}{} {} {} : {} to {}",
        value.name,
        list(&offsets),
        list(sizes),
        list(&vec![1; sizes.len()]),
        value.ty(),
        ty(sizes, value.element)
    );
    Value {
        name: draw.hidden(&text),
        shape: sizes.to_vec(),
        ..value.clone()
    }
}

/// Merges two neighbouring dimensions, or takes one apart.
fn reshape(draw: &mut Draw, value: &Value) -> bool {
    let rank = value.shape.len();
    if rank > 1 && draw.numbers.one_in(2) {
        let at = draw.numbers.index(rank - 1);
        let mut shape = value.shape.clone();
        let merged = shape.remove(at + 1);
        shape[at] *= merged;
        if draw.numbers.one_in(4) {
            return reshape_to(draw, value, &shape);
        }
        let groups = groups(rank - 1, at);
        let text = format!(
            "tensor.collapse_shape {} {groups} : {} into {}",
            value.name,
            value.ty(),
            ty(&shape, value.element)
        );
        draw.make(&shape, value.element, value.bound, &text);
        return true;
    }
    let at = draw.numbers.index(rank);
    let extent = value.shape[at];
    let factors: Vec<u64> = (1..=extent)
        .filter(|factor| extent.is_multiple_of(*factor))
        .collect();
    let factor = draw.numbers.pick(&factors);
    let mut shape = value.shape.clone();
    shape.splice(at..=at, [factor, extent / factor]);
    if draw.numbers.one_in(4) {
        return reshape_to(draw, value, &shape);
    }
    let groups = groups(rank, at);
    let text = format!(
        "tensor.expand_shape {} {groups} output_shape {} : {} into {}",
        value.name,
        list(&shape),
        value.ty(),
        ty(&shape, value.element)
    );
    draw.make(&shape, value.element, value.bound, &text);
    true
}

/// Reshapes a tensor to a shape that another tensor holds, so that only the next operation has
/// static extents.
fn reshape_to(draw: &mut Draw, value: &Value, shape: &[u64]) -> bool {
    let (rank, element) = (shape.len(), value.element.name());
    let source = value.ty();
    let (open, result) = (vec!["?"; rank].join("x"), ty(shape, value.element));
    let extents = draw.hidden(&format!(
        "arith.constant dense<{}> : tensor<{rank}xi64>",
        list(shape)
    ));
    let read = draw.hidden(&format!(
        "tensor.reshape {}({extents}) : ({source}, tensor<{rank}xi64>) -> tensor<{open}x{element}>",
        value.name
    ));
    let empty = draw.empty(shape, value.element);
    let all: Vec<String> = (0..rank).map(|id| format!("d{id}")).collect();
    let all = map(rank, &all);
    let text = format!(
        "linalg.generic {{indexing_maps = [{all}, {all}], iterator_types = [{}]}} ins({read} : tensor<{open}x{element}>) outs({empty} : {result}) {{\n    ^bb0(%in: {element}, %out: {element}):\n      %n = arith.negf %in : {element}\n      linalg.yield %n : {element}\n    }} -> {result}",
        super::iterators(&vec![false; rank]),
    );
    draw.make(shape, value.element, value.bound, &text);
    true
}

/// Returns the text of `count` groups of dimensions, of which one has two.
fn groups(count: usize, pair: usize) -> String {
    let groups = (0..count).map(|at| match at.cmp(&pair) {
        std::cmp::Ordering::Less => format!("[{at}]"),
        std::cmp::Ordering::Equal => format!("[{at}, {}]", at + 1),
        std::cmp::Ordering::Greater => format!("[{}]", at + 1),
    });
    format!("[{}]", groups.collect::<Vec<_>>().join(", "))
}

fn transpose(draw: &mut Draw, value: &Value) -> bool {
    let mut order: Vec<usize> = (0..value.shape.len()).collect();
    draw.numbers.shuffle(&mut order);
    let shape: Vec<u64> = order.iter().map(|dim| value.shape[*dim]).collect();
    let empty = draw.empty(&shape, value.element);
    let order: Vec<u64> = order.into_iter().map(|dim| dim as u64).collect();
    let text = format!(
        "linalg.transpose ins({} : {}) outs({empty} : {}) permutation = {}",
        value.name,
        value.ty(),
        ty(&shape, value.element),
        list(&order)
    );
    draw.make(&shape, value.element, value.bound, &text);
    true
}

/// Draws a mask by positions and selects by it.
pub(super) fn constant(draw: &mut Draw) -> bool {
    let value = draw.float();
    if value.shape.len() < 2 {
        return false;
    }
    let rank = value.shape.len();
    let (rows, columns) = (value.shape[rank - 2], value.shape[rank - 1]);
    let element = value.element.name();
    let predicate = draw.numbers.pick(&["sge", "slt", "eq", "ne"]);
    if draw.numbers.one_in(2) {
        fused_mask(draw, &value, predicate);
        return true;
    }
    let mask = draw.hidden(&format!("tensor.empty() : tensor<{rows}x{columns}xi1>"));
    let both = map(2, &["d0".to_owned(), "d1".to_owned()]);
    let mask = draw.hidden(&format!(
        "linalg.generic {{indexing_maps = [{both}], iterator_types = [\"parallel\", \"parallel\"]}} outs({mask} : tensor<{rows}x{columns}xi1>) {{\n    ^bb0(%out: i1):\n      %i = linalg.index 0 : index\n      %j = linalg.index 1 : index\n      %c = arith.cmpi {predicate}, %i, %j : index\n      linalg.yield %c : i1\n    }} -> tensor<{rows}x{columns}xi1>"
    ));
    let number = draw.number("-1.0", value.element);
    let empty = draw.empty(&value.shape, value.element);
    let all: Vec<String> = (0..rank).map(|id| format!("d{id}")).collect();
    let text = format!(
        "linalg.generic {{indexing_maps = [{}, {}, {}], iterator_types = [{}]}} ins({mask}, {} : tensor<{rows}x{columns}xi1>, {}) outs({empty} : {}) {{\n    ^bb0(%m: i1, %in: {element}, %out: {element}):\n      %s = arith.select %m, %in, {number} : {element}\n      linalg.yield %s : {element}\n    }} -> {}",
        map(rank, &all[rank - 2..]),
        map(rank, &all),
        map(rank, &all),
        super::iterators(&vec![false; rank]),
        value.name,
        value.ty(),
        value.ty(),
        value.ty(),
    );
    draw.make(&value.shape, value.element, value.bound.max(1), &text);
    true
}

/// Adds a selection with a comparison of positions in its body.
fn fused_mask(draw: &mut Draw, value: &Value, predicate: &str) {
    let rank = value.shape.len();
    let element = value.element.name();
    let number = draw.number("-1.0", value.element);
    let empty = draw.empty(&value.shape, value.element);
    let all: Vec<String> = (0..rank).map(|id| format!("d{id}")).collect();
    let all = map(rank, &all);
    let (row, column) = (rank - 2, rank - 1);
    let text = format!(
        "linalg.generic {{indexing_maps = [{all}, {all}], iterator_types = [{}]}} ins({} : {ty}) outs({empty} : {ty}) {{\n    ^bb0(%in: {element}, %out: {element}):\n      %i = linalg.index {row} : index\n      %j = linalg.index {column} : index\n      %c = arith.cmpi {predicate}, %i, %j : index\n      %s = arith.select %c, %in, {number} : {element}\n      linalg.yield %s : {element}\n    }} -> {ty}",
        super::iterators(&vec![false; rank]),
        value.name,
        ty = value.ty(),
    );
    draw.make(&value.shape, value.element, value.bound.max(1), &text);
}
