//! Turns operations into OpSpecs.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, ValueLike};
use spyre_dialects::attr::{self, Place};
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_dialects::dynamic::dim_size;
use spyre_dialects::op_spec::{Extent, IterDim, OpSpec, TensorArg};
use spyre_layout::{Arrangement, Bytes, Coord, OperandCoord, View};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};
use spyre_ops::OpClass;
use spyre_sdsc::model::{DimBounds, DimSource};
use spyre_sdsc::{ArgIndex, Expr};
use spyre_slips::Put;

use super::convolutions;
use super::formats::Assumed;
use super::gathers;
use super::model::{LoopSize, Tree, Trips};
use super::overlaps;
use super::spans;
use super::sticks;
use super::window::{Loop, Operand, Resolver};
use crate::dynamic::tiled::check_tiled;
use crate::dynamic::{DynamicDims, Source, Symbol, SymbolId};
use crate::layouts::{Rows, is_fill, is_restickify};
use crate::target::target_of;
use crate::tensor::TensorTypes;
use crate::view;
use crate::walk::tensors;

/// A described function.
pub(super) struct Program<'p> {
    /// The function's body as loops and OpSpecs.
    pub tree: Vec<Tree>,
    /// The location of each operation, in file order.
    pub locations: Vec<Location<'p>>,
}

/// Describes a planned function.
pub(super) fn describe<'p>(
    types: &TensorTypes<'p>,
    kernel: Op<'p>,
    body: Blk<'p>,
) -> Result<Program<'p>, Diagnostic<'p>> {
    let target = target_of(kernel)?;
    let dims = DynamicDims::of_function(kernel, body)?;
    check_tiled(kernel, body, &dims)?;
    let mut describer = Describer {
        types,
        dims,
        formats: target.element_types,
        assumed: Assumed::new(target.assumed_formats),
        span_limit: target.target.span_limit_bytes,
        loops: Vec::new(),
        locations: Vec::new(),
    };
    let tree = describer.block(body)?;
    overlaps::check(types, body)?;
    Ok(Program {
        tree,
        locations: describer.locations,
    })
}

struct Describer<'r, 'p> {
    types: &'r TensorTypes<'p>,
    dims: DynamicDims<'p>,
    formats: Option<Vec<melior::ir::Type<'p>>>,
    assumed: Assumed,
    span_limit: Bytes,
    loops: Vec<Loop<'p>>,
    locations: Vec<Location<'p>>,
}

pub(super) fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(
        op.location(),
        format!("convert-spyre-to-sdscbundle: {message}"),
    )
}

impl<'p> Describer<'_, 'p> {
    fn block(&mut self, block: Blk<'p>) -> Result<Vec<Tree>, Diagnostic<'p>> {
        let mut tree = Vec::new();
        for op in ir::operations(block) {
            if let Some(device) = DeviceOp::cast(op) {
                let spec = self.op(device)?;
                self.assumed.check(op, &spec)?;
                self.locations.put(op.location());
                tree.put(Tree::Op(Box::new(spec)));
                continue;
            }
            match ir::kind(op) {
                OpKind::For => {
                    let (trips, step) = self.trips(op)?;
                    if trips.max() == 0 {
                        // Nothing in the loop runs, so its operations are not numbered.
                        continue;
                    }
                    let inner = ir::body(op).ok_or_else(|| error(op, "loop has no body"))?;
                    self.loops.put(Loop {
                        op,
                        count: trips.max(),
                        step,
                    });
                    let body = self.block(inner)?;
                    self.loops.pop();
                    // The format has no loop without operations.
                    if !body.is_empty() {
                        tree.put(Tree::Loop(trips, body));
                    }
                }
                OpKind::Yield => self.check_yield(op, block)?,
                OpKind::ExtractSlice
                | OpKind::InsertSlice
                | OpKind::ExpandShape
                | OpKind::CollapseShape => {}
                OpKind::AffineApply | OpKind::ConstantIndex | OpKind::AddIndex => {}
                OpKind::Return => self.check_return(op, block.argument_count())?,
                OpKind::Other
                    if EmptyOp::cast(op).is_some()
                        || view::is_view(op)
                        || dim_size(op).is_some() => {}
                OpKind::Other | OpKind::TensorDim => {
                    let name = op.name();
                    let name = name.as_string_ref();
                    let help = if is_fill(op) {
                        "; --spyre-constants-to-arguments makes it an argument, before planning"
                    } else {
                        ""
                    };
                    return Err(error(
                        op,
                        format!(
                            "{} has no form in a bundle{help}",
                            name.as_str().unwrap_or("operation")
                        ),
                    ));
                }
            }
        }
        Ok(tree)
    }

    /// Returns how often a loop runs and its step. The loop has to count from 0 to a constant, or to an extent that is chosen at
    /// run time, in constant steps.
    fn trips(&self, op: Op<'p>) -> Result<(Trips, u64), Diagnostic<'p>> {
        let constant = |operand: usize| ir::constant_operand(op, operand);
        let upper = op.operand(1).map_err(|why| error(op, why))?;
        let dynamic = self.dims.of_index(upper);
        match (constant(0), constant(1), constant(2)) {
            (Some(0), Some(upper), Some(step @ 1..)) => {
                let (upper, step) = (upper.max(0).cast_unsigned(), step.cast_unsigned());
                Ok((Trips::Fixed(upper.div_ceil(step)), step))
            }
            (Some(0), None, Some(step @ 1..)) if let Some(symbol) = dynamic => {
                let step = step.cast_unsigned();
                Ok((self.runtime_trips(op, symbol, step)?, step))
            }
            (lower, upper, step) => {
                let show =
                    |bound: Option<i64>| bound.map_or("?".to_owned(), |bound| bound.to_string());
                Err(error(
                    op,
                    format!(
                        "loop must count from 0 to a constant or to a spyre.dim_size in constant steps, got {} to {} by {}",
                        show(lower),
                        show(upper),
                        show(step)
                    ),
                ))
            }
        }
    }

    fn runtime_trips(
        &self,
        op: Op<'p>,
        symbol: SymbolId,
        step: u64,
    ) -> Result<Trips, Diagnostic<'p>> {
        let Symbol {
            name,
            extent,
            source,
        } = self.dims.symbol(symbol);
        let (max, granularity) = (extent.max(), extent.granularity());
        if !granularity.is_multiple_of(step) {
            let message = format!(
                "loop visits \"{name}\" in steps of {step}, but its extent is any multiple of {granularity} up to {max}"
            );
            return Err(error(op, message));
        }
        let Some(Source { argument, dim, .. }) = *source else {
            let message = format!(
                "loop runs up to the extent of \"{name}\", but 'spyre.dims' of no argument has that name, so the launcher \
                 does not know it"
            );
            return Err(error(op, message));
        };
        let number = |number: usize| u32::try_from(number).map_err(|why| error(op, why));
        let size = LoopSize {
            name: name.clone(),
            bounds: DimBounds { max, granularity },
            source: DimSource {
                arg: ArgIndex::new(number(argument)?),
                dim: number(dim)?,
            },
        };
        Ok(Trips::Runtime { size, step })
    }

    /// Checks that the tensors that a loop yields are where the tensors are that it carries.
    fn check_yield(&self, op: Op<'p>, body: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        let resolver = Resolver {
            types: self.types,
            loops: &self.loops,
        };
        for (index, yielded) in op.operands().enumerate() {
            let carried: Val<'p> = body
                .argument(index + 1)
                .map_err(|why| error(op, why))?
                .into();
            let (from, to) = (
                resolver.resolve(op, yielded)?,
                resolver.resolve(op, carried)?,
            );
            if from.place != to.place
                || from.view.offset() != to.view.offset()
                || from.advance != to.advance
            {
                let message = format!(
                    "loop-carried tensor {index} is in {}, but another tensor in {} is yielded; \
                     --spyre-scratchpad-planning gives them one place",
                    to.place, from.place
                );
                return Err(error(op, message).note(yielded.location(), "the value is made here"));
            }
        }
        Ok(())
    }

    /// Checks that the results of the function are in the kernel arguments after its inputs.
    fn check_return(&self, op: Op<'p>, inputs: usize) -> Result<(), Diagnostic<'p>> {
        let resolver = Resolver {
            types: self.types,
            loops: &self.loops,
        };
        for (index, value) in op.operands().enumerate() {
            let found = resolver.resolve(op, value)?;
            let number = u32::try_from(inputs + index).map_err(|why| error(op, why))?;
            if found.place != Place::Arg(number) || found.buffer.ty != value.r#type() {
                let message = format!(
                    "result {index} must be the whole of arg {number}, but is in {}; --spyre-scratchpad-planning \
                     places it",
                    found.place
                );
                return Err(error(op, message).note(value.location(), "the value is made here"));
            }
        }
        Ok(())
    }

    fn op(&self, op: DeviceOp<'p>) -> Result<OpSpec, Diagnostic<'p>> {
        let fail = |message: String| error(op.op(), message);
        let extents = op.iteration_space();
        let split = op.split().unwrap_or_else(|| vec![1; extents.len()]);
        let resolver = Resolver {
            types: self.types,
            loops: &self.loops,
        };
        let mut resolved = Vec::with_capacity(op.op().operand_count() + 1);
        for (tensor, value) in tensors(op).into_iter().enumerate() {
            let operand = resolver.resolve(op.op(), value)?;
            if let Some(formats) = &self.formats
                && !formats.contains(&operand.buffer.element)
            {
                return Err(fail(format!(
                    "the target does not support element type {}",
                    operand.buffer.element
                )));
            }
            resolved.put((op.tensor_dims(tensor), operand));
        }
        spans::check(op, &split, &resolved, self.span_limit)?;
        let squeezes = squeezes(op) || is_copy_of_column(op, &resolved);
        if squeezes {
            let mut kept = gathers::kept(op, &resolved);
            let pair = sticks::one_of_a_pair(op, &resolved).map_err(fail)?;
            kept.extend(pair);
            squeeze(&mut resolved, &kept);
            if let Some(pair) = pair {
                sticks::repeat_single_elements(pair, &mut resolved).map_err(fail)?;
            }
        }
        gathers::check(op, &resolved).map_err(fail)?;
        let is_cast = op.facts().class == OpClass::Cast;
        if is_cast {
            // A reshape leaves no device dimension for some dimensions of one element.
            let result = resolved.last().expect("an operation has a result");
            let kept = |dim: usize| extents.get(dim) != Some(&1) || runs_along(result, dim);
            let kept: Vec<usize> = (0..extents.len()).filter(|dim| kept(*dim)).collect();
            squeeze(&mut resolved, &kept);
        }
        let is_squeezed = |dim: usize, extent: i64| {
            extent == 1
                && (squeezes || is_cast)
                && !resolved.iter().any(|(dims, _)| dims.contains(&Some(dim)))
        };
        let mut space = Vec::with_capacity(extents.len());
        for (dim, (extent, slices)) in extents.iter().zip(&split).enumerate() {
            if is_squeezed(dim, *extent) {
                continue;
            }
            let extent = u64::try_from(*extent)
                .map_err(|_| fail(format!("dimension {dim} has a dynamic extent")))?;
            if !extent.is_multiple_of(u64::from(*slices)) {
                return Err(fail(format!(
                    "{slices} cores do not divide dimension {dim} of extent {extent}"
                )));
            }
            space.put(IterDim {
                symbol: symbol(dim),
                extent: Extent::Fixed(extent),
                slices: *slices,
            });
        }
        if space.is_empty() {
            // A scalar is one iteration.
            space.put(IterDim {
                symbol: symbol(0),
                extent: Extent::Fixed(1),
                slices: 1,
            });
        }
        let last = resolved.len() - 1;
        let mut args = Vec::with_capacity(resolved.len());
        for (tensor, (dims, operand)) in resolved.iter().enumerate() {
            let mut positions: Vec<_> = dims.iter().map(|dim| dim.map(position)).collect();
            if tensor == 0 {
                convolutions::walk(op, &mut positions);
            }
            args.put(self.tensor(op, tensor == last, (dims, &positions), operand)?);
        }
        sticks::check(op, &resolved).map_err(fail)?;
        if let Some((dim, padded)) = sticks::whole_sticks_of_all(op, &resolved)
            && let Some(own) = space.iter_mut().find(|own| own.symbol == symbol(dim))
        {
            own.extent = Extent::Fixed(padded);
        }
        check_whole_sticks(op, &space, &resolved).map_err(fail)?;
        gathers::link(op, &resolved, &mut args);
        let own_dims = stay_along_own_dims(&mut args, &mut space);
        let least = match (own_dims, is_cast) {
            // With own dimensions, the reduced dimensions of a tensor have device dimensions behind its own as well.
            (1.., _) => space.len() + 1,
            // The format pads a dimension that has another one in front.
            (0, true) => 3,
            (0, false) => 0,
        };
        align_ranks(&mut args, least);
        if is_cast || op.searched_dim().is_some() {
            share_own_dims(&mut args, own_dims);
        } else if op.gathered_dim().is_some()
            && let [_, of_one_layout @ ..] = args.as_mut_slice()
        {
            share_own_dims(of_one_layout, own_dims);
        }
        let (info, output_ranges) = convolutions::windows(op, &resolved);
        let constants = attr::entries(op.constants())
            .into_iter()
            .filter_map(|(name, value)| Some((name, attr::number(value)?)))
            .collect();
        Ok(OpSpec {
            name: format!("sdsc_{}", self.locations.len()),
            op_func: op.op_func().to_owned(),
            is_reduction: op.reduction_dims() > 0,
            space,
            in_order: false,
            loops: self.loops.iter().map(|around| around.count).collect(),
            levels: None,
            args,
            constants,
            info,
            output_ranges,
            debug_handle: None,
        })
    }

    fn tensor(
        &self,
        op: DeviceOp<'p>,
        is_output: bool,
        (dims, positions): (&[Option<usize>], &[Option<Expr>]),
        operand: &Operand<'p>,
    ) -> Result<TensorArg, Diagnostic<'p>> {
        let fail = |message: String| error(op.op(), message);
        let view = &operand.view;
        if is_output {
            view.check_result().map_err(|why| fail(why.to_string()))?;
        }
        let (device_size, mut coordinates) = coordinates(view, positions).map_err(fail)?;
        if op.facts().class == OpClass::Matmul {
            walk_single_column(view, dims, &mut coordinates).map_err(fail)?;
        }
        let advance = operand.advance.iter().map(|moved| i64::try_from(*moved));
        let mut advance: Vec<i64> = advance
            .collect::<Result<_, _>>()
            .map_err(|_| fail("window moves out of range".to_owned()))?;
        if advance.iter().all(|step| *step == 0) {
            advance.clear();
        }
        if matches!(operand.place, Place::Lx(_)) && !advance.is_empty() {
            return Err(fail(
                "a value in lx cannot be visited in windows".to_owned(),
            ));
        }
        Ok(TensorArg {
            is_output,
            place: operand.place,
            format: view.format(),
            device_size,
            coordinates,
            advance,
            offset: Bytes(0),
            arrangement: Arrangement::Standard,
            name: None,
            ownership: None,
        })
    }
}

/// Returns whether an operation has no coordinates for dimensions of one element (middle-end specification, sections 1.1 and
/// 2.4). It then leaves the dimensions for which no tensor has coordinates out of its space. Such a dimension on a stick does not
/// count as one on a stick: the tensors of an operation may have different ones there, and a reduction to one has one element in
/// each stick.
fn squeezes(op: DeviceOp<'_>) -> bool {
    if op.gathered_dim().is_some() {
        return true;
    }
    matches!(
        op.facts().class,
        OpClass::Pointwise | OpClass::Reduction | OpClass::TopK | OpClass::Conv
    )
}

/// Returns whether a copy has different dimensions of one element on the sticks of its two sides. It then counts as having none
/// there.
fn is_copy_of_column(op: DeviceOp<'_>, tensors: &[(Vec<Option<usize>>, Operand<'_>)]) -> bool {
    let stick = |(dims, operand): &(Vec<Option<usize>>, Operand<'_>)| {
        let host = operand.view.layout().stick_dim()?;
        dims.get(host).copied().flatten()
    };
    op.facts().is_copy() && tensors.first().map(stick) != tensors.last().map(stick)
}

/// Returns whether a tensor has a device dimension for an iteration dimension.
fn runs_along((dims, operand): &(Vec<Option<usize>>, Operand<'_>), dim: usize) -> bool {
    let own = dims.iter().enumerate().filter(|own| *own.1 == Some(dim));
    own.into_iter()
        .any(|(host, _)| operand.view.layout().device_dims_of(host).next().is_some())
}

/// Drops the coordinates for dimensions of one element, except for those that are `kept`.
fn squeeze(tensors: &mut [(Vec<Option<usize>>, Operand<'_>)], kept: &[usize]) {
    for (dims, operand) in tensors {
        for (dim, extent) in dims.iter_mut().zip(operand.view.shape()) {
            *dim = dim.filter(|dim| *extent != 1 || kept.contains(dim));
        }
    }
}

/// Checks that tensors have room for whole sticks. Operations whose tensors have different dimensions on their sticks run over
/// whole sticks of each, so the other tensors need room for that (SDSC bundle specification, sections 4.2 and 4.6).
fn check_whole_sticks(
    op: DeviceOp<'_>,
    space: &[IterDim],
    tensors: &[(Vec<Option<usize>>, Operand<'_>)],
) -> Result<(), String> {
    let is_restickify = is_restickify(op);
    if !is_restickify && op.facts().class != OpClass::Matmul {
        return Ok(());
    }
    for (dims, operand) in tensors {
        let stick = operand.view.layout().stick_dim();
        let Some(dim) = stick.and_then(|stick| dims.get(stick).copied().flatten()) else {
            continue;
        };
        let per_stick = operand.view.format().elements_per_stick().get();
        let extent = space.get(dim).map_or(1, |own| own.extent.max());
        let padded = extent
            .checked_next_multiple_of(per_stick)
            .ok_or("extent is out of range")?;
        for (index, (dims, operand)) in tensors.iter().enumerate() {
            let own = dims.iter().position(|own| *own == Some(dim));
            let Some(own) = own.filter(|own| operand.view.layout().stick_dim() != Some(*own))
            else {
                continue;
            };
            let held = operand.held(own);
            let is_window = operand.is_window.get(own).copied().unwrap_or(false);
            let whole = if is_window { held } else { operand.extent(own) };
            // A single column is walked along from one element in each stick to the next.
            let is_column =
                operand.view.layout().stick_dim().is_none() && own + 1 == dims.len() && extent == 1;
            if !is_restickify && is_column {
                continue;
            }
            let rows = Rows {
                extent,
                whole,
                held,
                per_stick,
            };
            if is_restickify && !rows.have_descriptor() {
                return Err(format!(
                    "runs over {padded} elements of iteration dimension {dim}, whole sticks of {per_stick}, but tensor \
                     #{index} is {extent} of {held} elements there, and no descriptor says where its rows are; copy \
                     it to a tensor of extent {extent} first"
                ));
            }
            if !is_restickify && whole < padded {
                return Err(format!(
                    "runs over {padded} elements of iteration dimension {dim}, whole sticks of {per_stick}, but tensor \
                     #{index} has {whole} there; --spyre-pad-matmul adds zeros"
                ));
            }
        }
    }
    Ok(())
}

/// Returns the device size of an operand and its coordinates in terms of the iteration space, from its positions along each
/// dimension.
fn coordinates(view: &View, positions: &[Option<Expr>]) -> Result<(Vec<u64>, Vec<Expr>), String> {
    let found = view.operand_coords().map_err(|why| why.to_string())?;
    let mut sizes = Vec::with_capacity(found.len() + 1);
    let mut coordinates = Vec::with_capacity(found.len() + 1);
    for OperandCoord { coord, start, size } in found {
        sizes.put(size);
        coordinates.put(coordinate(coord, start, positions)?);
    }
    // The format finds the dimension on the stick where its sticks are counted, so one stick is counted too.
    if let Some(stick) = view.layout().stick_dim()
        && let Some(position) = positions.get(stick).cloned().flatten()
        && view.layout().device_dims_of(stick).count() == 1
    {
        let place = sizes.len().saturating_sub(2);
        let per_stick = view.format().elements_per_stick().get();
        sizes.insert(place, 1);
        coordinates.insert(place, digit(position, per_stick, None)?);
    }
    Ok((sizes, coordinates))
}

/// Sets the coordinate in the stick of a matrix product's operand with a single column. A product walks along the sticks of its
/// operands. Such an operand has one element in each stick, and the walk is along its column.
fn walk_single_column(
    view: &View,
    dims: &[Option<usize>],
    coordinates: &mut [Expr],
) -> Result<(), String> {
    if view.layout().stick_dim().is_some() || view.shape().last() != Some(&1) {
        return Ok(());
    }
    let per_stick = view.format().elements_per_stick().get();
    if let Some(column) = dims.last().copied().flatten()
        && let Some(in_stick) = coordinates.last_mut()
    {
        *in_stick = digit(position(column), 1, Some(per_stick))?;
    }
    Ok(())
}

/// Returns a device coordinate in terms of the iteration space: the digit of a position, from a start.
fn coordinate(coord: Coord, start: u64, positions: &[Option<Expr>]) -> Result<Expr, String> {
    let digit = match coord {
        Coord::Zero => None,
        Coord::Digit {
            dim,
            divisor,
            modulus,
        } => {
            let position = positions.get(dim).cloned().flatten();
            let digit = position.map(|position| digit(position, divisor, modulus));
            digit.transpose()?
        }
    };
    let start = number(start)?;
    Ok(match digit {
        None => Expr::int(start),
        Some(digit) if start == 0 => digit,
        Some(digit) => digit + Expr::int(start),
    })
}

/// Returns a digit of a position.
fn digit(position: Expr, divisor: u64, modulus: Option<u64>) -> Result<Expr, String> {
    let mut digit = position;
    if divisor != 1 {
        digit = digit.floor_div(number(divisor)?);
    }
    Ok(match modulus {
        Some(modulus) => digit.modulo(number(modulus)?),
        None => digit,
    })
}

/// Returns the position along an iteration dimension.
pub(super) fn position(dim: usize) -> Expr {
    Expr::symbol(symbol(dim))
}

/// Returns the symbol of an iteration dimension.
fn symbol(dim: usize) -> String {
    format!("c{dim}")
}

fn number(value: u64) -> Result<i64, String> {
    i64::try_from(value).map_err(|_| format!("layout digit {value} is out of range"))
}

/// Gives every device dimension along which a tensor stays at one position an iteration dimension of extent 1. The format gives
/// the start of a tensor along dimensions of the iteration space only, and reads strides off those. Returns how many it has
/// added.
fn stay_along_own_dims(args: &mut [TensorArg], space: &mut Vec<IterDim>) -> usize {
    let mut added = 0;
    for arg in args {
        let mut own = 0;
        let outer = arg.device_size.len() - 1;
        let outer = arg.coordinates.iter_mut().zip(&arg.device_size).take(outer);
        for (coordinate, size) in outer {
            let stays = coordinate.symbols().is_empty() && !coordinate.has_indirect_access();
            if !stays || *size == 1 {
                continue;
            }
            if own == added {
                let dim = IterDim {
                    symbol: own_symbol(added),
                    extent: Extent::Fixed(1),
                    slices: 1,
                };
                space.insert(0, dim);
                added += 1;
            }
            *coordinate = Expr::symbol(own_symbol(own)) + coordinate.clone();
            own += 1;
        }
    }
    added
}

/// Makes all tensors run along the dimensions of extent 1 that some have. To a cast of a stick alone, the format would add one
/// more dimension. The table and the result of a gather have the same dimensions. To a search, the format adds a dimension if the
/// result has no others than the operand.
fn share_own_dims(args: &mut [TensorArg], count: usize) {
    let unit = Expr::int(0);
    for arg in args {
        for own in 0..count {
            let own = Expr::symbol(own_symbol(own));
            let has = |coordinate: &Expr| {
                coordinate
                    .symbols()
                    .iter()
                    .any(|symbol| own.as_symbol() == Some(*symbol))
            };
            if arg.coordinates.iter().any(has) {
                continue;
            }
            let places = arg.coordinates.iter_mut().zip(&arg.device_size);
            let mut free = places.filter(|(coordinate, size)| **size == 1 && **coordinate == unit);
            if let Some((coordinate, _)) = free.next() {
                *coordinate = own;
            }
        }
    }
}

/// Returns the symbol of an iteration dimension that was added.
fn own_symbol(number: usize) -> String {
    format!("s{number}")
}

/// Gives all tensors the same number of device dimensions, `least` or more, because the format pairs them up. Dimensions of
/// extent 1 that nothing moves along come first: they change no address, and the format reads strides off the others.
fn align_ranks(args: &mut [TensorArg], least: usize) {
    let unit = Expr::int(0);
    let rank = args
        .iter()
        .map(|arg| arg.device_size.len())
        .max()
        .unwrap_or(0)
        .max(least);
    for arg in args {
        // The stick stays last whatever its extent.
        let (stick, outer) = arg.device_size.split_last().expect("a tensor has a stick");
        let (in_stick, coordinates) = arg
            .coordinates
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
        sizes.put(*stick);
        moved.put(in_stick.clone());
        arg.device_size = sizes;
        arg.coordinates = moved;
    }
}
