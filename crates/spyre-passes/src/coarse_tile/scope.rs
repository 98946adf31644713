//! Windows in terms of the loops that are open where something is built.

use std::ops::Range;

use melior::Context;
use melior::ir::{AffineExpr, AffineMap, Location, Type};
use rustc_hash::FxHashMap;
use spyre_mlir_rt::ir::{self, At, Blk, Offset, Op, Val, Window};

use super::constant;
use super::region::{Axis, Movement, Region, RegionId};
use super::trips::{Trips, Variant};

/// The iteration of a level.
#[derive(Debug, Clone, Copy)]
pub enum Iter<'p> {
    /// Any, by the number of the tile.
    Number(Val<'p>),
    /// Any, by where the tile starts, in elements.
    Start(Val<'p>),
    /// A certain one.
    At(u64),
}

/// A window of what some levels have already cut out of a tensor.
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
    /// The window that `levels` cut out of what the levels before them leave of a region.
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

    /// Whether it is all there is: no level moves it, or those that do have one tile in this copy of the body. Of a dynamic
    /// dimension a tile is never known to be all.
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

/// A block that operations are built in, under certain iterations.
struct Scope<'p> {
    at: At<'p>,
    offsets: FxHashMap<Movement, Offset<'p>>,
    slices: FxHashMap<(usize, RegionId, usize), Val<'p>>,
}

/// The open loops and what was built in them.
pub struct Scopes<'p> {
    context: &'p Context,
    location: Location<'p>,
    /// By level.
    iterations: Vec<Option<Iter<'p>>>,
    open: Vec<Scope<'p>>,
    /// What makes the constants of which tiles were built.
    pub constants: Vec<Op<'p>>,
}

impl<'p> Scopes<'p> {
    /// Nothing is open yet.
    pub fn new(context: &'p Context, at: At<'p>, location: Location<'p>) -> Self {
        Self {
            context,
            location,
            iterations: Vec::new(),
            open: vec![Scope::new(at)],
            constants: Vec::new(),
        }
    }

    /// Where to build.
    pub fn at(&self) -> At<'p> {
        self.innermost().at
    }

    /// Opens an iteration of a level, in a block of its own or in the one that is open.
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

    /// A window of a tensor, made once for each tensor and window; the tensor itself if that is all. Of a constant it is another
    /// constant.
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

    /// A window of a tensor that is written before the window is read again.
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

    /// Inserts a window into a tensor, unless it is all of it and no loop carries the tensor.
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

    /// The offset of a window along one dimension: the sum of what each level moves it by.
    fn offset(&mut self, movement: Movement) -> Offset<'p> {
        if movement.is_empty() {
            return Offset::Static(0);
        }
        if let Some(known) = self.innermost().offsets.get(&movement) {
            return *known;
        }
        // The start of a tile is a window's offset as it is.
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
