//! Gathers from a table by indices: `tensor.extract` in a body.

use melior::ir::attribute::{DenseElementsAttribute, IntegerAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, BlockLike, Type};
use spyre_analysis::dynamic::extents::Extent;
use spyre_construct::access::{Coordinate, LoopId};
use spyre_construct::build::{Build, element_of, is_truth, ones};
use spyre_mlir_rt::affine::LinearForm as _;
use spyre_mlir_rt::ir::{self, Op, Source, Val};
use spyre_ods::{arith, spyre, tensor};

use super::nest::{Access, Nest};
use super::scalars::{Element, Elements};
use super::{index, truth, view};

/// How a dimension of a table is read.
enum Read<'p> {
    /// By its position.
    Position(Coordinate),
    /// By indices: a tensor of integers with a dimension for each loop.
    Indices(Val<'p>),
}

/// Dimensions of a table that are gathered.
struct Choice<'p> {
    /// The dimensions, in order, and how each is read.
    dims: Vec<(usize, Read<'p>)>,
    /// The loops of the indices, in order.
    along: Vec<LoopId>,
}

/// A dimension of a gathered table.
#[derive(Clone)]
struct Place {
    /// The dimension of the table; `None` for a dimension of the indices.
    dim: Option<usize>,
    /// Whether it is gathered.
    is_chosen: bool,
    /// Where it is read.
    at: Coordinate,
}

/// Builds the elements that a `tensor.extract` reads at all iterations.
///
/// # Errors
/// The table or the indices are of a type that the device does not gather.
pub(super) fn element<'p>(
    elements: &mut Elements<'_, 'p>,
    nest: &Nest<'p>,
    op: Op<'p>,
) -> Result<Val<'p>, String> {
    let build = elements.build;
    let table: Val<'p> = op.operand(0).map_err(|err| err.to_string())?;
    let mut reads = Vec::new();
    for value in op.operands().skip(1) {
        reads.push(match elements.get(value)? {
            Element::Index(id) => Read::Position(Coordinate::index(id)),
            Element::Constant(at) => {
                let at =
                    spyre_dialects::attr::integer(at).ok_or("a coordinate that is no integer")?;
                Read::Position(Coordinate::constant(at))
            }
            Element::Tensor(indices) => Read::Indices(indices),
        });
    }
    let access = choose_all(build, nest, table, reads)?;
    match view::read(&build, nest, &access)? {
        Element::Tensor(view) => Ok(view),
        _ => Err("a table that is no tensor".into()),
    }
}

/// Returns the elements that an operand reads as a view of a tensor: the operand's tensor, or a gather from it.
/// A dimension that is read backwards or by several loops is not a view, and neither are two with a common loop.
///
/// # Errors
/// Its tensor is of a type that the device does not gather.
pub(super) fn as_view<'p>(
    build: Build<'p>,
    nest: &Nest<'p>,
    access: &Access<'p>,
) -> Result<Access<'p>, String> {
    let mut moved: Vec<LoopId> = Vec::new();
    let mut is_view = true;
    for at in &access.coordinates {
        is_view &= match *at.terms {
            [] => true,
            [(id, factor)] => {
                let is_new = !moved.contains(&id);
                moved.push(id);
                is_new && factor > 0
            }
            _ => false,
        };
    }
    if is_view {
        return Ok(access.clone());
    }
    let reads = access.coordinates.iter().cloned().map(Read::Position);
    choose_all(build, nest, access.value, reads.collect())
}

/// Builds the gather from a table, and returns the view of its result that is read.
///
/// Dimensions with indices along different loops are gathered one after the other. Dimensions with a common loop
/// are merged, and so are their indices.
fn choose_all<'p>(
    build: Build<'p>,
    nest: &Nest<'p>,
    table: Val<'p>,
    reads: Vec<Read<'p>>,
) -> Result<Access<'p>, String> {
    let mut places = Vec::new();
    let mut choices: Vec<Choice<'p>> = Vec::new();
    for (dim, read) in reads.into_iter().enumerate() {
        let (is_chosen, at) = match read {
            Read::Position(at) => (false, at),
            Read::Indices(indices) => {
                choose(&mut choices, build, nest, dim, Read::Indices(indices))?;
                (true, Coordinate::constant(0))
            }
        };
        let dim = Some(dim);
        places.push(Place { dim, is_chosen, at });
    }
    // Positions that are not views become indices as well, and so do positions that share a loop with indices: the
    // gather selects a row for each index.
    while let Some(dim) = (0..places.len()).find(|dim| !is_view(&places, &choices, *dim)) {
        let at = std::mem::replace(&mut places[dim].at, Coordinate::constant(0));
        choose(&mut choices, build, nest, dim, Read::Position(at))?;
        places[dim].is_chosen = true;
    }
    let mut table = table;
    if !choices.is_empty() {
        let element = element_of(table);
        table = floats(build, fixed(build, table, &mut places)?)?;
        for choice in &choices {
            table = gather(build, nest, table, choice, &mut places)?;
        }
        table = as_before(build, table, element);
    }
    Ok(Access {
        value: table,
        coordinates: places.into_iter().map(|place| place.at).collect(),
        element: table,
    })
}

/// Returns whether a dimension is read by a separate loop, forwards, or at one position.
fn is_view(places: &[Place], choices: &[Choice<'_>], dim: usize) -> bool {
    let [(id, factor)] = *places[dim].at.terms else {
        return places[dim].at.terms.is_empty();
    };
    let mut others = places[..dim].iter();
    let is_shared = choices.iter().any(|choice| choice.along.contains(&id))
        || others.any(|place| place.at.terms.iter().any(|(other, _)| *other == id));
    factor > 0 && !is_shared
}

/// Builds a coordinate as a constant of a type, with a dimension for each loop that moves it.
///
/// # Errors
/// A position does not fit into the type.
fn positions<'p>(
    build: Build<'p>,
    nest: &Nest<'p>,
    coordinate: &Coordinate,
    ty: Type<'p>,
) -> Result<Val<'p>, String> {
    let mut shape = Vec::new();
    let mut values = vec![coordinate.offset];
    let mut sizes = Vec::new();
    // Terms are sorted by their loops, so the last dimension moves fastest.
    for (id, factor) in &coordinate.terms {
        // The positions are built for the largest extent. A dynamic dimension has the first ones.
        let extent = match (nest.extent(*id), build.extents) {
            (Extent::Static(extent), _) => extent,
            (extent, Some(extents)) => extents.largest(extent),
            (Extent::Dynamic(_), None) => unreachable!("a dynamic extent is one of the function"),
        };
        sizes.push(nest.extent(*id));
        shape.push(extent);
        values = values
            .iter()
            .flat_map(|start| (0..extent).map(move |index| start + factor * index))
            .collect();
    }
    let is_narrow = IntegerType::try_from(ty).is_ok_and(|ty| ty.width() == 32);
    let mut positions = values.iter();
    if is_narrow && let Some(position) = positions.find(|value| i32::try_from(**value).is_err()) {
        return Err(format!("position {position} does not fit into 32 bits"));
    }
    let values: Vec<Attribute<'p>> = values
        .into_iter()
        .map(|value| IntegerAttribute::new(ty, value).into())
        .collect();
    let tensor = build.tensor(&shape, ty);
    let value = DenseElementsAttribute::new(tensor, &values).map_err(|err| err.to_string())?;
    let all = build.emit(arith::constant(value.into()), tensor);
    Ok(build.slice(all, &vec![0; sizes.len()], &sizes)?)
}

/// Builds a coordinate as a constant of a type, with a dimension for each loop.
///
/// # Errors
/// A position does not fit into the type.
pub(super) fn positions_of_all<'p>(
    build: Build<'p>,
    nest: &Nest<'p>,
    coordinate: &Coordinate,
    ty: Type<'p>,
) -> Result<Val<'p>, String> {
    let mut shape = ones(nest.extents.len());
    for (id, _) in &coordinate.terms {
        shape[id.0] = nest.extent(*id);
    }
    Ok(build.reshape(positions(build, nest, coordinate, ty)?, &shape)?)
}

/// Returns a table as one of floats, of which the device gathers: integers of 32 bits by their bits, and truth values as 0 and 1.
///
/// # Errors
/// The table has other integers.
fn floats<'p>(build: Build<'p>, table: Val<'p>) -> Result<Val<'p>, String> {
    let element = element_of(table);
    if truth::width(element).is_some() {
        return Ok(table);
    }
    if is_truth(element) {
        // The numbers of a constant may be a tensor of one element, but a gather needs the whole table.
        let numbers = truth::numbers(&build, table, 16);
        return Ok(build.widen(numbers, &build.shape(table)));
    }
    match index::width(element) {
        Some(32) => {}
        // An argument fits into 32 bits. A computed value may not, and its high bits would be lost on the host
        // as well.
        Some(64) if is_given(table) => {}
        Some(64) => {
            return Err(
                "the device chooses from tables of 32 bits, and this one has i64 that are computed; compute them as i32".into(),
            );
        }
        _ => {
            return Err(format!(
                "the device chooses from tables of floats and of integers of 32 bits, and this one has {element}"
            ));
        }
    }
    let f32 = Type::float32(build.context);
    Ok(build.pointwise(spyre::BITCAST, &[table], f32))
}

/// Converts gathered elements to the element type of the table.
fn as_before<'p>(build: Build<'p>, chosen: Val<'p>, element: Type<'p>) -> Val<'p> {
    if element_of(chosen) == element {
        chosen
    } else if is_truth(element) {
        truth::of_numbers(&build, chosen)
    } else {
        build.pointwise(spyre::BITCAST, &[chosen], element)
    }
}

/// Returns whether a tensor of `i64` is an argument of the function, a constant of numbers that 32 bits hold, or a view of one.
fn is_given(value: Val<'_>) -> bool {
    match ir::source(value) {
        Source::Argument(block, _) => block
            .parent_operation()
            .is_some_and(|op| ir::function_body(op).is_some()),
        Source::Result(op, _) => {
            let is_view = matches!(
                ir::name(op),
                spyre::PERMUTE
                    | tensor::EXPAND_SHAPE
                    | tensor::COLLAPSE_SHAPE
                    | tensor::EXTRACT_SLICE
            );
            let constant = ir::name(op) == arith::CONSTANT && {
                let bytes = ir::attribute(op, "value");
                let bytes = bytes.and_then(spyre_dialects::attr::dense_bytes);
                bytes.is_some_and(|bytes| {
                    let (numbers, _) = bytes.as_chunks::<8>();
                    numbers
                        .iter()
                        .all(|number| i32::try_from(i64::from_ne_bytes(*number)).is_ok())
                })
            };
            constant || (is_view && ir::operand(op, 0).is_some_and(is_given))
        }
    }
}

/// Returns the part of a table that is read where positions are constants.
///
/// # Errors
/// A dynamic dimension may be too short for a position.
fn fixed<'p>(build: Build<'p>, table: Val<'p>, places: &mut [Place]) -> Result<Val<'p>, String> {
    let mut sizes = build.shape(table);
    let mut offsets = vec![0; sizes.len()];
    for (dim, place) in places.iter_mut().enumerate() {
        if let Some(at) = place.at.as_constant()
            && !place.is_chosen
        {
            (offsets[dim], sizes[dim]) = (at, Extent::ONE);
            place.at = Coordinate::constant(0);
        }
    }
    Ok(build.slice(table, &offsets, &sizes)?)
}

/// Adds a dimension to the gathered dimensions.
fn choose<'p>(
    choices: &mut Vec<Choice<'p>>,
    build: Build<'p>,
    nest: &Nest<'p>,
    dim: usize,
    read: Read<'p>,
) -> Result<(), String> {
    let i32: Type<'p> = IntegerType::new(build.context, 32).into();
    let read = match read {
        // Indices have 32 bits in device memory.
        Read::Indices(indices)
            if element_of(indices) == IntegerType::new(build.context, 64).into() =>
        {
            Read::Indices(build.pointwise(spyre::BITCAST, &[indices], i32))
        }
        read => read,
    };
    let along = match &read {
        Read::Position(at) => at.terms.iter().map(|(id, _)| *id).collect(),
        Read::Indices(indices) => {
            let element = element_of(*indices);
            if element != i32 {
                return Err(format!(
                    "indices of type {element} choose from a table; the device has those of i32"
                ));
            }
            let shape = build.shape(*indices);
            let loops = (0..nest.extents.len()).map(LoopId);
            loops.filter(|id| !shape[id.0].is_one()).collect()
        }
    };
    let mut merged = Choice {
        dims: vec![(dim, read)],
        along,
    };
    let together =
        |choice: &mut Choice<'p>| choice.along.iter().any(|id| merged.along.contains(id));
    let joined: Vec<Choice<'p>> = choices.extract_if(.., together).collect();
    for choice in joined {
        merged.dims.extend(choice.dims);
        merged.along.extend(choice.along);
    }
    merged.dims.sort_by_key(|(dim, _)| *dim);
    merged.along.sort_unstable();
    merged.along.dedup();
    choices.push(merged);
    Ok(())
}

/// Builds the gather, with the loops of the indices as dimensions in place of the gathered ones.
fn gather<'p>(
    build: Build<'p>,
    nest: &Nest<'p>,
    table: Val<'p>,
    choice: &Choice<'p>,
    places: &mut Vec<Place>,
) -> Result<Val<'p>, String> {
    let is_chosen = |place: &Place| {
        let mut chosen = choice.dims.iter().map(|(dim, _)| *dim);
        chosen.any(|dim| place.dim == Some(dim))
    };
    let shape = build.shape(table);
    let chosen: Vec<usize> = (0..shape.len())
        .filter(|at| is_chosen(&places[*at]))
        .collect();
    let first = chosen[0];
    // The dimensions next to each other, and then one.
    let mut order: Vec<usize> = (0..first).collect();
    order.extend(&chosen);
    order.extend((first..shape.len()).filter(|at| !chosen.contains(at)));
    let mut merged: Vec<Extent> = order.iter().map(|at| shape[*at]).collect();
    let from: Vec<Extent> = chosen.iter().map(|at| shape[*at]).collect();
    let count = Extent::product(from.iter().copied());
    let dynamic = from.iter().find(|extent| extent.number().is_none());
    let count = count.ok_or_else(|| match dynamic {
        Some(dynamic) => build.because(
            *dynamic,
            "indices choose along several dimensions, one of which is {}",
        ),
        None => too_large(build, choice, &from),
    })?;
    merged.splice(first..first + chosen.len(), [count]);
    let table = build.reshape(build.permute(table, &order), &merged)?;
    *places = order.iter().map(|at| places[*at].clone()).collect();

    let indices = merged_indices(build, nest, choice, &from)?;
    let mut extents: Vec<Extent> = choice.along.iter().map(|id| nest.extent(*id)).collect();
    let mut along: Vec<Coordinate> = choice
        .along
        .iter()
        .copied()
        .map(Coordinate::index)
        .collect();
    if along.is_empty() {
        extents.push(Extent::ONE);
        along.push(Coordinate::constant(0));
    }
    let indices = build.reshape(indices, &extents)?;
    merged.splice(first..=first, extents);
    let number = IntegerAttribute::new(IntegerType::new(build.context, 64).into(), first as i64);
    let along = along.into_iter().map(|at| Place {
        dim: None,
        is_chosen: false,
        at,
    });
    places.splice(first..first + chosen.len(), along);
    let gather = spyre::gather(indices, table, number.into());
    Ok(build.emit(gather, build.tensor(&merged, element_of(table))))
}

/// Returns the refusal of a choice along dimensions of some extents that have more positions than an index of 32 bits.
fn too_large(build: Build<'_>, choice: &Choice<'_>, extents: &[Extent]) -> String {
    let dims: Vec<String> = choice.dims.iter().map(|(dim, _)| dim.to_string()).collect();
    let sizes = extents.iter().map(|extent| largest(build, *extent));
    let sizes: Vec<String> = sizes.map(|size| size.to_string()).collect();
    let (plural, together) = match dims.len() {
        1 => ("", ""),
        _ => ("s", "together "),
    };
    format!(
        "indices choose from dimension{plural} {} of {} elements, {together}more than {}",
        dims.join(" and "),
        sizes.join(" and "),
        i32::MAX
    )
}

/// Returns an extent, or the largest number that a dynamic one may be.
fn largest(build: Build<'_>, extent: Extent) -> i64 {
    let extents = build.extents;
    extents.map_or(extent.encoded(), |extents| extents.largest(extent))
}

/// Builds indices into dimensions that were merged into one, from the indices into each of them. `extents` are theirs,
/// and the last dimension is the fastest.
fn merged_indices<'p>(
    build: Build<'p>,
    nest: &Nest<'p>,
    choice: &Choice<'p>,
    extents: &[Extent],
) -> Result<Val<'p>, String> {
    let i32: Type<'p> = IntegerType::new(build.context, 32).into();
    let too_large = || too_large(build, choice, extents);
    let mut position = Coordinate::constant(0);
    let mut sum: Option<Val<'p>> = None;
    let mut stride = 1_i64;
    for ((_, read), extent) in choice.dims.iter().zip(extents).rev() {
        match read {
            Read::Position(at) => {
                let moved = at.scale(stride).and_then(|at| position.add(&at));
                position = moved.ok_or_else(too_large)?;
            }
            Read::Indices(indices) => {
                let mut term = *indices;
                if stride != 1 {
                    let stride = IntegerAttribute::new(i32, stride).into();
                    let stride = build.fill(stride, &ones(nest.extents.len()), i32);
                    term = build.pointwise(spyre::MUL, &[term, stride], i32);
                }
                sum = Some(sum.map_or(term, |sum| build.pointwise(spyre::ADD, &[sum, term], i32)));
            }
        }
        // A dynamic extent is the only one that is not 1.
        let extent = largest(build, *extent);
        stride = stride.checked_mul(extent).ok_or_else(too_large)?;
    }
    if i32::try_from(stride).is_err() {
        return Err(too_large());
    }
    match sum {
        Some(sum) if position == Coordinate::constant(0) => Ok(sum),
        Some(sum) => {
            let position = positions_of_all(build, nest, &position, i32)?;
            Ok(build.pointwise(spyre::ADD, &[sum, position], i32))
        }
        None => positions(build, nest, &position, i32),
    }
}
