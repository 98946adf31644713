//! Builds windows of tensors from the iterations of the loops that are open.
//!
//! The offset of a window along a dimension is the sum of the distances by which the levels have moved it. Each body builds an
//! offset and a window once and uses them again. A window of a constant is another constant, of the window's type.

use melior::Context;
use melior::ir::attribute::DenseElementsAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{AffineExpr, AffineMap, Location, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::kinds::is_fill;
use spyre_dialects::attr;
use spyre_dialects::device_op::EmptyOp;
use spyre_mlir_rt::ir::{self, At, Blk, Offset, Op, Val, Window};
use spyre_ods::{OpBuilder, spyre};

use crate::coarse_tile::ids::{IdVec, LevelId, RegionId};
use crate::coarse_tile::plan::region::{Movement, Regions, TileWindow};
use crate::coarse_tile::plan::result;
use crate::coarse_tile::plan::trips::Trips;

/// The iteration of a level.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Iteration<'p> {
    /// Any iteration, by the number of the tile.
    Number(Val<'p>),
    /// Any iteration, by the start of the tile in elements.
    Start(Val<'p>),
    /// A certain iteration, by its number.
    At(u64),
}

/// A block in which operations are built, under certain iterations.
struct OpenBody<'p> {
    at: At<'p>,
    offsets: FxHashMap<Movement, Offset<'p>>,
    /// The windows, by the value, its region and the depth of the part that they are cut out of.
    windows: FxHashMap<(ir::ValueKey, RegionId, usize), Val<'p>>,
}

/// The open loops, with the offsets and windows that were built in them.
pub(crate) struct OpenLoops<'g, 'p> {
    context: &'p Context,
    regions: &'g Regions,
    trips: &'g Trips,
    location: Location<'p>,
    /// The open iteration of each level; `None` for a level that is not open.
    iterations: IdVec<LevelId, Option<Iteration<'p>>>,
    /// The body around all loops.
    root: OpenBody<'p>,
    /// The bodies of the open loops, from the outermost in.
    bodies: Vec<OpenBody<'p>>,
    /// The producers of the constants for which tiles were built, one for each tile.
    pub(crate) constants: Vec<Op<'p>>,
}

impl<'g, 'p> OpenLoops<'g, 'p> {
    /// Returns the state in which none of the loops of `levels` is open, and operations are built at `at`.
    pub(crate) fn new(
        context: &'p Context,
        regions: &'g Regions,
        trips: &'g Trips,
        levels: impl Iterator<Item = LevelId>,
        at: At<'p>,
        location: Location<'p>,
    ) -> Self {
        Self {
            context,
            regions,
            trips,
            location,
            iterations: levels.map(|_| None).collect(),
            root: OpenBody::new(at),
            bodies: Vec::new(),
            constants: Vec::new(),
        }
    }

    /// Returns the position at which operations are built.
    pub(crate) fn at(&self) -> At<'p> {
        self.bodies.last().unwrap_or(&self.root).at
    }

    fn body(&mut self) -> &mut OpenBody<'p> {
        self.bodies.last_mut().unwrap_or(&mut self.root)
    }

    /// Opens an iteration of a level, in a separate block or, for `None`, in the one that is open.
    pub(crate) fn enter(
        &mut self,
        block: Option<Blk<'p>>,
        level: LevelId,
        iteration: Iteration<'p>,
    ) {
        let at = block.map_or(self.at(), At::End);
        self.bodies.push(OpenBody::new(at));
        self.iterations[level] = Some(iteration);
    }

    /// Closes the iteration of a level.
    pub(crate) fn leave(&mut self, level: LevelId) {
        self.bodies.pop();
        self.iterations[level] = None;
    }

    /// Returns a window of a tensor, built once for each tensor and window; the tensor itself if the window is all of
    /// it. A window of a constant is another constant.
    pub(crate) fn read(&mut self, value: Val<'p>, window: &TileWindow, tile: Type<'p>) -> Val<'p> {
        if window.is_whole(self.regions, self.trips) {
            return value;
        }
        let key = (ir::value_key(value), window.region, window.depths.start);
        if let Some(built) = self.body().windows.get(&key) {
            return *built;
        }
        let built = match ir::defining_op(value).filter(|op| is_constant(*op)) {
            Some(maker) => {
                self.constants.push(maker);
                build_constant(self.context, self.at(), maker, tile)
            }
            None => self.read_again(value, window, tile),
        };
        self.body().windows.insert(key, built);
        built
    }

    /// Builds a new window of a tensor at each call, because the tensor is written before the window is read again. Returns the
    /// tensor itself if the window is all of it.
    pub(crate) fn read_again(
        &mut self,
        value: Val<'p>,
        window: &TileWindow,
        tile: Type<'p>,
    ) -> Val<'p> {
        if window.is_whole(self.regions, self.trips) {
            return value;
        }
        let window = self.window(window);
        ir::build_extract_slice(self.at(), self.location, tile, value, &window)
    }

    /// Inserts a window into a tensor. Returns the window itself if it is all of the tensor and no loop carries the tensor.
    pub(crate) fn insert(
        &mut self,
        tile: Val<'p>,
        into: Val<'p>,
        window: &TileWindow,
        location: Location<'p>,
    ) -> Val<'p> {
        let is_carried = self.iterations.pairs().any(|(level, iteration)| {
            let is_loop = matches!(iteration, Some(Iteration::Number(_) | Iteration::Start(_)));
            is_loop && window.is_cut_by(level)
        });
        if window.is_whole(self.regions, self.trips) && !is_carried {
            return tile;
        }
        let window = self.window(window);
        ir::build_insert_slice(self.at(), location, tile, into, &window)
    }

    fn window(&mut self, window: &TileWindow) -> Window<'p> {
        let (regions, trips) = (self.regions, self.trips);
        let axes = regions.get(window.region).iter();
        let (offsets, sizes) = axes
            .map(|axis| {
                let moved = axis.movement.iter();
                let moved = moved.filter(|(level, _)| window.is_cut_by(*level));
                let extent = axis.extent(trips, window.variant, window.depths.end);
                (self.offset(moved.copied().collect()), extent.cast_signed())
            })
            .unzip();
        Window { offsets, sizes }
    }

    /// Returns the offset of a window along one dimension, in elements: the sum of the distances by which the levels move it.
    fn offset(&mut self, movement: Movement) -> Offset<'p> {
        if let Some(offset) = self.body().offsets.get(&movement) {
            return *offset;
        }
        let moved = movement.iter().map(|(level, step)| {
            let iteration = self.iterations[*level];
            (iteration.expect("the levels of a window are open"), *step)
        });
        let moved: Vec<(Iteration<'p>, u64)> = moved.collect();
        // The start of a tile is the offset of the window.
        if let [(Iteration::Start(variable), _)] = moved.as_slice() {
            return Offset::Value(*variable);
        }
        let mut start = 0_i64;
        let mut sum: Option<AffineExpr<'p>> = None;
        let mut operands = Vec::with_capacity(moved.len());
        let mut variables = 0;
        for (iteration, step) in moved {
            let step = step.cast_signed();
            let variable = AffineExpr::dim(self.context, operands.len());
            let (term, operand) = match iteration {
                // Windows are inside their tensors, so the start is in range.
                Iteration::At(at) => {
                    start += step * at.cast_signed();
                    continue;
                }
                Iteration::Number(number) => {
                    (variable * AffineExpr::constant(self.context, step), number)
                }
                Iteration::Start(start) => (variable, start),
            };
            sum = Some(sum.map_or(term, |sum| sum + term));
            variables += 1;
            operands.push(operand);
        }
        let offset = match sum {
            None => Offset::Static(start),
            Some(mut sum) => {
                if start != 0 {
                    sum = sum + AffineExpr::constant(self.context, start);
                }
                assert_eq!(variables, operands.len(), "every variable has an operand");
                let map = AffineMap::new(self.context, variables, 0, &[sum]);
                Offset::Value(ir::build_affine_apply(
                    self.at(),
                    self.location,
                    map,
                    &operands,
                ))
            }
        };
        self.body().offsets.insert(movement, offset);
        offset
    }
}

impl<'p> OpenBody<'p> {
    fn new(at: At<'p>) -> Self {
        Self {
            at,
            offsets: FxHashMap::default(),
            windows: FxHashMap::default(),
        }
    }
}

/// Returns whether an operation defines a tensor with the same value everywhere or without contents, so that tiles of
/// it are built directly.
fn is_constant(op: Op<'_>) -> bool {
    is_fill(op) || EmptyOp::cast(op).is_some()
}

/// Builds a tile of the result of `maker`.
fn build_constant<'p>(context: &'p Context, at: At<'p>, maker: Op<'p>, tile: Type<'p>) -> Val<'p> {
    let parts = if is_fill(maker) {
        let value = ir::attribute(maker, "value").and_then(attr::splat);
        let value = value.expect("the value of a fill is a splat");
        let value = DenseElementsAttribute::new(tile, &[value]);
        let value = value.expect("the value of a tensor is that of its tiles");
        spyre::fill(value.into())
    } else {
        spyre::empty(&[])
    };
    let build = OpBuilder {
        context,
        at,
        location: maker.location(),
    };
    build.op(parts, tile)
}

/// Removes the operations without uses.
pub(crate) fn erase_unused(makers: Vec<Op<'_>>) {
    let mut erased = FxHashSet::default();
    for maker in makers {
        let key = ir::op_key(maker);
        if !erased.contains(&key) && ir::uses(result(maker)).is_empty() {
            erased.insert(key);
            ir::erase(maker);
        }
    }
}
