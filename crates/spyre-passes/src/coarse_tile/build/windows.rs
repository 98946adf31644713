//! Builds windows of tensors from the iterations of the loops that are open.

use std::ops::Range;

use melior::Context;
use melior::ir::{AffineExpr, AffineMap, Location, Type};
use rustc_hash::FxHashMap;
use spyre_mlir_rt::ir::{self, At, Blk, Offset, Op, Val, Window};

use crate::coarse_tile::build::constant;
use crate::coarse_tile::plan::region::{Axis, Movement, Region, RegionId};
use crate::coarse_tile::plan::trips::{Trips, Variant};

/// The iteration of a level.
#[derive(Debug, Clone, Copy)]
pub enum Iter<'p> {
    /// Any iteration, by the number of the tile.
    Number(Val<'p>),
    /// Any iteration, by the start of the tile in elements.
    Start(Val<'p>),
    /// A certain iteration, by its number.
    At(u64),
}

/// A window that levels cut out of the part of a tensor that the levels around them leave.
#[derive(Debug)]
pub struct Slicing<'g> {
    region: &'g Region,
    id: RegionId,
    trips: &'g Trips,
    variant: Variant,
    /// The levels that cut the window out.
    levels: Range<usize>,
}

impl<'g> Slicing<'g> {
    /// Returns the window that `levels` cut out of the part of a region that the levels before them leave.
    pub fn new(
        region: &'g Region,
        id: RegionId,
        trips: &'g Trips,
        variant: Variant,
        levels: Range<usize>,
    ) -> Self {
        Self {
            region,
            id,
            trips,
            variant,
            levels,
        }
    }

    /// Returns whether the window is that whole part: no level moves it, or the levels that move it have one tile in this copy of
    /// the body. A tile of a dynamic dimension is never known to be the whole.
    fn is_whole(&self) -> bool {
        let extent = |axis: &Axis, depth| axis.extent(self.trips, self.variant, depth);
        let Range { start, end } = self.levels;
        let mut axes = self.region.iter();
        axes.all(|axis| {
            let mut moved = axis.movement.iter();
            !moved.any(|(level, _)| self.levels.contains(level))
                || (extent(axis, start) == extent(axis, end)
                    && axis.dynamic_inside(start).is_none())
        })
    }
}

/// A block in which operations are built, under certain iterations.
struct Scope<'p> {
    at: At<'p>,
    offsets: FxHashMap<Movement, Offset<'p>>,
    slices: FxHashMap<(usize, RegionId, usize), Val<'p>>,
}

/// The open loops, with the offsets and windows that were built in them.
pub struct Scopes<'p> {
    context: &'p Context,
    location: Location<'p>,
    /// The open iteration of each level; `None` for a level that is not open.
    iterations: Vec<Option<Iter<'p>>>,
    open: Vec<Scope<'p>>,
    /// The operations that make the constants of which tiles were built.
    pub constants: Vec<Op<'p>>,
}

impl<'p> Scopes<'p> {
    /// Returns the state in which no loop is open, and operations are built at `at`.
    pub fn new(context: &'p Context, at: At<'p>, location: Location<'p>) -> Self {
        Self {
            context,
            location,
            iterations: Vec::new(),
            open: vec![Scope::new(at)],
            constants: Vec::new(),
        }
    }

    /// Returns the position at which operations are built.
    pub fn at(&self) -> At<'p> {
        self.innermost().at
    }

    /// Opens an iteration of a level, in a block of its own or, for `None`, in the one that is open.
    pub fn enter(&mut self, block: Option<Blk<'p>>, level: usize, iteration: Iter<'p>) {
        let at = block.map_or(self.at(), At::End);
        self.open.push(Scope::new(at));
        if self.iterations.len() <= level {
            self.iterations.resize(level + 1, None);
        }
        self.iterations[level] = Some(iteration);
    }

    /// Closes the iteration of a level.
    pub fn leave(&mut self, level: usize) {
        self.open.pop();
        self.iterations[level] = None;
    }

    /// Returns a window of a tensor, made once for each tensor and window; the tensor itself if the window is all of it. A window
    /// of a constant is another constant.
    ///
    /// # Errors
    /// The IR breaks a rule that the verifier of its dialect checks.
    pub fn slice(
        &mut self,
        value: Val<'p>,
        slicing: &Slicing<'_>,
        tile: Type<'p>,
    ) -> Result<Val<'p>, String> {
        if slicing.is_whole() {
            return Ok(value);
        }
        let key = (ir::value_key(value), slicing.id, slicing.levels.start);
        if let Some(known) = self.innermost().slices.get(&key) {
            return Ok(*known);
        }
        let slice = match constant::maker(value) {
            Some(maker) => {
                self.constants.push(maker);
                constant::build(self.context, self.at(), maker, tile)?
            }
            None => self.fresh_slice(value, slicing, tile),
        };
        self.innermost_mut().slices.insert(key, slice);
        Ok(slice)
    }

    /// Builds a new window of a tensor at each call, because the tensor is written before the window is read again. Returns the
    /// tensor itself if the window is all of it.
    pub fn fresh_slice(
        &mut self,
        value: Val<'p>,
        slicing: &Slicing<'_>,
        tile: Type<'p>,
    ) -> Val<'p> {
        if slicing.is_whole() {
            return value;
        }
        let window = self.window(slicing);
        ir::build_extract_slice(self.at(), self.location, tile, value, &window)
    }

    /// Inserts a window into a tensor. Returns the window itself if it is all of the tensor and no loop carries the tensor.
    pub fn insert(
        &mut self,
        tile: Val<'p>,
        into: Val<'p>,
        slicing: &Slicing<'_>,
        location: Location<'p>,
    ) -> Val<'p> {
        let mut open = self.iterations.iter().enumerate();
        let is_carried = open.any(|(level, iteration)| {
            slicing.levels.contains(&level)
                && matches!(iteration, Some(Iter::Number(_) | Iter::Start(_)))
        });
        if slicing.is_whole() && !is_carried {
            return tile;
        }
        let window = self.window(slicing);
        ir::build_insert_slice(self.at(), location, tile, into, &window)
    }

    fn window(&mut self, slicing: &Slicing<'_>) -> Window<'p> {
        let mut window = Window {
            offsets: Vec::with_capacity(slicing.region.len()),
            sizes: Vec::with_capacity(slicing.region.len()),
        };
        for axis in slicing.region {
            let moved = axis.movement.iter();
            let moved = moved.filter(|(level, _)| slicing.levels.contains(level));
            window.offsets.push(self.offset(moved.copied().collect()));
            let extent = axis.extent(slicing.trips, slicing.variant, slicing.levels.end);
            window.sizes.push(extent.cast_signed());
        }
        window
    }

    /// Returns the offset of a window along one dimension, in elements: the sum of the distances by which the levels move it.
    fn offset(&mut self, movement: Movement) -> Offset<'p> {
        if movement.is_empty() {
            return Offset::Static(0);
        }
        if let Some(known) = self.innermost().offsets.get(&movement) {
            return *known;
        }
        // The start of a tile is the offset of the window.
        if let [(level, _)] = movement.as_slice()
            && let Some(Iter::Start(variable)) = self.iterations.get(*level).copied().flatten()
        {
            return Offset::Value(variable);
        }
        let mut start = 0_i64;
        let mut sum: Option<AffineExpr<'p>> = None;
        let mut operands = Vec::with_capacity(movement.len());
        for (level, step) in &movement {
            let step = step.cast_signed();
            let iteration = self.iterations.get(*level).copied().flatten();
            match iteration {
                // Windows are inside their tensors, so the start is in range.
                Some(Iter::At(at)) => start += step * at.cast_signed(),
                Some(Iter::Number(variable) | Iter::Start(variable)) => {
                    let mut term = AffineExpr::dim(self.context, operands.len());
                    if let Some(Iter::Number(_)) = iteration {
                        term = term * AffineExpr::constant(self.context, step);
                    }
                    sum = Some(sum.map_or(term, |sum| sum + term));
                    operands.push(variable);
                }
                None => {}
            }
        }
        let offset = match sum {
            None => Offset::Static(start),
            Some(mut sum) => {
                if start != 0 {
                    sum = sum + AffineExpr::constant(self.context, start);
                }
                let map = AffineMap::new(self.context, operands.len(), 0, &[sum]);
                Offset::Value(ir::build_affine_apply(
                    self.at(),
                    self.location,
                    map,
                    &operands,
                ))
            }
        };
        self.innermost_mut().offsets.insert(movement, offset);
        offset
    }

    fn innermost(&self) -> &Scope<'p> {
        &self.open[self.open.len() - 1]
    }

    fn innermost_mut(&mut self) -> &mut Scope<'p> {
        let last = self.open.len() - 1;
        &mut self.open[last]
    }
}

impl<'p> Scope<'p> {
    fn new(at: At<'p>) -> Self {
        Self {
            at,
            offsets: FxHashMap::default(),
            slices: FxHashMap::default(),
        }
    }
}
