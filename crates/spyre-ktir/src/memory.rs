//! Loads and stores of the parts of tensors in device memory.

use spyre_conversion::to_sdscbundle::window::Operand;
use spyre_dialects::attr::Place;
use spyre_layout::Arrangement;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{Offset, Op, Val};

use crate::area::{self, Axis};
use crate::division::Part;
use crate::emit::{Emitter, Tile, compact, tensor_type};
use crate::extents::Extents;
use crate::ktdp::{self, MemoryView, Size};
use crate::step::{Tensor, Trips};
use crate::{BaseUnit, dynamic, error};

/// The arguments of a function, and the loops around an operation.
pub(crate) struct Frame<'a, 'p> {
    /// The base address of each argument.
    pub arguments: &'a [Val<'p>],
    /// The base address of the pool for each element type.
    pub pools: &'a [(melior::ir::Type<'p>, Val<'p>)],
    /// The iterations of the enclosing loops, outermost first.
    pub iterations: &'a [Val<'p>],
    /// The iterations of each of them.
    pub trips: &'a [Trips],
    /// The unit of addresses.
    pub unit: BaseUnit,
    /// The dynamic dimensions of the program.
    pub extents: &'a Extents,
    /// The extent of each of them.
    pub sizes: &'a [Val<'p>],
}

/// The part of an operand that a memory view has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    /// All of it.
    Whole,
    /// The part of the core.
    Part,
}

/// Returns the address of an input or a result.
pub(crate) fn argument<'p>(frame: &Frame<'_, 'p>, operand: &Operand<'p>) -> Val<'p> {
    match operand.place {
        Place::Arg(number) => frame.arguments[number as usize],
        Place::Pool(_) | Place::Lx(_) | Place::Window => {
            unreachable!("only arguments have dynamic extents")
        }
    }
}

/// Builds the address of the first element of an operand, or of the part that starts at products of values with
/// distances.
fn base<'p>(
    emit: &mut Emitter<'p>,
    frame: &Frame<'_, 'p>,
    operand: &Operand<'p>,
    starts: &[(Val<'p>, u64)],
) -> Val<'p> {
    let bytes = operand.view.format().bytes_per_element().get();
    let (argument, start) = match operand.place {
        Place::Arg(number) => (frame.arguments[number as usize], 0),
        Place::Pool(offset) => {
            let mut pools = frame.pools.iter();
            let pool = pools.find(|(element, _)| *element == operand.buffer.element);
            let (_, pool) = pool.expect("a pool for each element type of a value in it");
            (*pool, offset.get())
        }
        Place::Lx(_) | Place::Window => unreachable!("values in scratchpads have no address"),
    };
    let start = start + operand.view.offset().get();
    let (start, scale) = match frame.unit {
        BaseUnit::Element => (start / bytes, 1),
        BaseUnit::Byte => (start, bytes),
    };
    let mut terms = vec![(argument, 1)];
    let moves = frame.iterations.iter().zip(&operand.advance);
    terms.extend(moves.map(|(iteration, advance)| (*iteration, advance * scale)));
    terms.extend(
        starts
            .iter()
            .map(|(start, stride)| (*start, stride * scale)),
    );
    emit.sum(&terms, start)
}

/// Builds the access tile of a core's part of an operand. Returns the tile, and the device dimensions.
pub(crate) fn tile<'p>(
    emit: &mut Emitter<'p>,
    frame: &Frame<'_, 'p>,
    op: Op<'p>,
    tensor: &Tensor<'p>,
) -> Result<(Val<'p>, Vec<Axis>), Diagnostic<'p>> {
    let Tensor { operand, parts } = tensor;
    if let Some(symbols) = frame.extents.of_place(operand.place) {
        return dynamic::tile(emit, frame, op, tensor, symbols);
    }
    let axes = area::axes(&operand.view, parts).map_err(|reason| error(op, reason))?;
    let view = view(emit, frame, op, operand, &axes, Window::Whole)?;
    let indices: Vec<_> = axes.iter().map(|axis| first(emit, axis)).collect();
    let counts: Vec<u64> = axes.iter().map(|axis| axis.count).collect();
    Ok((
        ktdp::access_tile(emit.at_end(), view, &indices, &counts),
        axes,
    ))
}

/// Checks that an operand has the elements of its type in device memory.
///
/// # Errors
/// Elements of another width.
pub(crate) fn check_elements<'p>(op: Op<'p>, operand: &Operand<'p>) -> Result<(), Diagnostic<'p>> {
    let arrangement = operand.view.layout().arrangement();
    if arrangement == Arrangement::Exx2 && matches!(operand.place, Place::Arg(_)) {
        let message =
            "a pair of moments is an argument, and its places in a stick are those of the card";
        return Err(error(op, message));
    }
    let element = operand.buffer.element;
    let bytes = operand.view.format().bytes_per_element().get();
    let bits = spyre_mlir_rt::ir::bits(element);
    if bits.map(u64::from) != Some(bytes * 8) {
        let format = operand.view.format().name();
        return Err(error(
            op,
            format!(
                "a tensor of {element} is {format} in device memory, and a memory view has elements of one type"
            ),
        ));
    }
    Ok(())
}

/// Builds the memory view of an operand.
pub(crate) fn view<'p>(
    emit: &mut Emitter<'p>,
    frame: &Frame<'_, 'p>,
    op: Op<'p>,
    operand: &Operand<'p>,
    axes: &[Axis],
    window: Window,
) -> Result<Val<'p>, Diagnostic<'p>> {
    if frame.extents.of_place(operand.place).is_some() {
        let message = "a gather of a tensor with dynamic extents has no form in KTIR yet";
        return Err(error(op, message));
    }
    check_elements(op, operand)?;
    let element = operand.buffer.element;
    let mut starts = Vec::new();
    let mut sizes = Vec::with_capacity(axes.len());
    for axis in axes {
        match window {
            Window::Whole => sizes.push(Size::Static(axis.extent)),
            Window::Part => {
                sizes.push(Size::Static(axis.count));
                if axis.start.moves() {
                    starts.push((first(emit, axis), axis.stride));
                }
            }
        }
    }
    let base = base(emit, frame, operand, &starts);
    let strides = axes.iter().map(|axis| Size::Static(axis.stride));
    let strides: Vec<_> = strides.collect();
    let view = MemoryView {
        sizes: &sizes,
        strides: &strides,
    };
    Ok(ktdp::memory_view(emit.at_end(), base, &view, element))
}

/// Builds the first position of a core's part, or of a piece of it, along a device dimension.
pub(crate) fn first<'p>(emit: &mut Emitter<'p>, axis: &Axis) -> Val<'p> {
    let start = axis.start;
    let mut terms = Vec::new();
    let mut last = 0;
    if let Some(digit) = start.digit.filter(|_| start.moves_with_cores()) {
        terms.push((emit.digit(digit), start.factor));
        last += u64::from(digit.count - 1) * start.factor;
    }
    if let Some((pieces, step)) = start.pieces.filter(|_| start.moves_with_pieces()) {
        terms.push((emit.piece(pieces.level), step));
        last += (pieces.count - 1) * step;
    }
    if terms.is_empty() {
        return emit.index(0);
    }
    let is_whole = terms
        .iter()
        .all(|term| term.1.is_multiple_of(start.divisor));
    let mut divisor = start.divisor;
    if is_whole {
        terms.iter_mut().for_each(|term| term.1 /= divisor);
        divisor = 1;
    }
    let mut value = emit.sum(&terms, 0);
    if divisor != 1 {
        let divisor = emit.index(divisor.cast_signed());
        value = emit.build().same(spyre_ods::arith::divui(value, divisor));
    }
    let last = last / start.divisor;
    if let Some(modulus) = start.modulus.filter(|modulus| last >= *modulus) {
        let modulus = emit.index(modulus.cast_signed());
        value = emit.build().same(spyre_ods::arith::remui(value, modulus));
    }
    value
}

/// The order in which the device dimensions of an area are those of the tensor.
struct Order {
    /// The device dimensions of more than one position, by the dimension of the tensor, the highest digit first.
    permutation: Vec<usize>,
    /// The positions of each device dimension of more than one.
    counts: Vec<u64>,
    /// The elements that the area holds of each dimension of more than one element.
    held: Vec<u64>,
}

impl Order {
    fn of(axes: &[Axis], parts: &[Part]) -> Self {
        let long: Vec<&Axis> = axes.iter().filter(|axis| axis.count > 1).collect();
        let mut permutation: Vec<usize> = (0..long.len()).collect();
        permutation.sort_by_key(|&place| (long[place].dim, std::cmp::Reverse(long[place].divisor)));
        let dims = (0..parts.len()).filter(|dim| parts[*dim].size > 1);
        let held: Vec<u64> = dims.map(|dim| area::held(axes, dim)).collect();
        Self {
            permutation,
            counts: long.iter().map(|axis| axis.count).collect(),
            held: if held.is_empty() { vec![1] } else { held },
        }
    }

    fn sorted_counts(&self) -> Vec<u64> {
        let counts = self.permutation.iter().map(|&place| self.counts[place]);
        counts.collect()
    }
}

/// Builds the load of a core's part of an operand.
pub(crate) fn load<'p>(
    emit: &mut Emitter<'p>,
    frame: &Frame<'_, 'p>,
    op: Op<'p>,
    tensor: &Tensor<'p>,
    cores: u32,
) -> Result<Tile<'p>, Diagnostic<'p>> {
    let (tile, axes) = tile(emit, frame, op, tensor)?;
    let counts: Vec<u64> = axes.iter().map(|axis| axis.count).collect();
    let element = tensor.operand.buffer.element;
    let loaded = ktdp::load(emit.build(), tile, tensor_type(&counts, element));
    Ok(Tile {
        value: from_device(emit, loaded, &axes, &tensor.parts),
        parts: tensor.parts.clone(),
        cores,
    })
}

/// Builds the tensor of a part from its area.
pub(crate) fn from_device<'p>(
    emit: &Emitter<'p>,
    area: Val<'p>,
    axes: &[Axis],
    parts: &[Part],
) -> Val<'p> {
    let order = Order::of(axes, parts);
    let mut value = area;
    if !order.counts.is_empty() {
        value = emit.reshape(value, &order.counts);
        value = emit.transpose(value, &order.permutation);
    }
    value = emit.reshape(value, &order.held);
    let sizes = compact(parts);
    emit.slice(value, vec![Offset::Static(0); sizes.len()], &sizes)
}

/// Builds the area of a part from its tensor. The rest of the last stick is undefined.
fn to_device<'p>(emit: &Emitter<'p>, value: Val<'p>, axes: &[Axis], parts: &[Part]) -> Val<'p> {
    let order = Order::of(axes, parts);
    let mut value = value;
    let sizes = compact(parts);
    if sizes != order.held {
        let rest = emit.empty(&order.held, crate::emit::element(value));
        value = emit.insert(value, rest, vec![Offset::Static(0); sizes.len()], &sizes);
    }
    if !order.counts.is_empty() {
        value = emit.reshape(value, &order.sorted_counts());
        let mut inverse = vec![0; order.permutation.len()];
        for (to, &from) in order.permutation.iter().enumerate() {
            inverse[from] = to;
        }
        value = emit.transpose(value, &inverse);
    }
    let counts: Vec<u64> = axes.iter().map(|axis| axis.count).collect();
    emit.reshape(value, &counts)
}

/// Builds the store of a core's part of a result.
pub(crate) fn store<'p>(
    emit: &mut Emitter<'p>,
    frame: &Frame<'_, 'p>,
    op: Op<'p>,
    tensor: &Tensor<'p>,
    value: Val<'p>,
) -> Result<(), Diagnostic<'p>> {
    let (tile, axes) = tile(emit, frame, op, tensor)?;
    let value = to_device(emit, value, &axes, &tensor.parts);
    ktdp::store(emit.build(), value, tile);
    Ok(())
}
