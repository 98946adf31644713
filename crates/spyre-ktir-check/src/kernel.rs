//! A kernel as data: views, and loads and stores with the coordinates that they access.
//!
//! Coordinates of a tile are the first position plus a point of its set, [`Var::Point`]. Addresses are in bytes: the
//! address that an argument has, plus an offset. Anything that is not modelled is kept as the reason why, so that each
//! claim about it is answered with this reason.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::MemRefType;
use melior::ir::{ShapedTypeLike, TypeLike, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::ktdp_attr::{MemorySpace, runtime_arg_bounds};
use spyre_ktir_kernel::{PROGRAM, extents};
use spyre_mlir_rt::ir::{self, Blk, Op, Source, Val, ValueKey, value_key};
use spyre_ods::{ktdp, scf};
use spyre_proof::claim::Reason;
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{LoopId, ParamId};
use spyre_proof::sets::Constraint;

use crate::base::{address, bits_in_memory, collect_bases};
use crate::index::{Conditions, Indices, Piece, Pieces, always, both};
use crate::tiles::Tile;
use crate::{Options, Unit};

/// The largest value of an extent that is an argument without a bound. Tensors of device memory are smaller.
const LARGEST_EXTENT: i64 = 1 << 31;

/// The memory that a view is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Buffer {
    /// What an argument has the address of.
    Argument(usize),
    /// Device memory, at addresses that the kernel has as numbers.
    Memory,
    /// The scratchpad of a core; `None` for that of the core that runs the operation.
    Local(Option<u32>),
}

/// What is known about a view.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub buffer: Buffer,
    /// The address of the first element, in bytes from the start of the buffer.
    pub offset: Pieces,
    pub sizes: Vec<Expr>,
    /// In elements.
    pub strides: Vec<Expr>,
    /// The bytes of an element.
    pub bytes: i64,
}

impl Layout {
    /// Returns the offset, if it is the same for all cores and iterations.
    pub(crate) fn fixed_offset(&self) -> Option<&Expr> {
        let [piece] = &self.offset[..] else {
            return None;
        };
        let moves = |var: &Var| matches!(var, Var::Core | Var::Counter(_));
        let is_fixed = piece.when.is_empty() && !piece.value.vars().iter().any(moves);
        is_fixed.then_some(&piece.value)
    }

    /// Returns the distance of the last element from the first one, in bytes.
    ///
    /// # Errors
    /// A product of extents.
    pub(crate) fn span(&self) -> Result<Expr, Reason> {
        let mut last = Expr::zero();
        for (size, stride) in self.sizes.iter().zip(&self.strides) {
            let most = size.plus(&(-1).into());
            let product = match (most.as_constant(), stride.as_constant()) {
                (Some(most), _) => stride.times(most),
                (None, Some(stride)) => most.times(stride),
                (None, None) => return Err(Reason::Dynamic("with a dynamic stride".to_owned())),
            };
            last = last.plus(&product);
        }
        Ok(last.times(self.bytes))
    }

    /// Returns the address of the element at coordinates, from the first element of the view on, in bytes.
    ///
    /// # Errors
    /// A dynamic stride, and a coordinate that is not known.
    pub(crate) fn distance(&self, coords: &[Option<Expr>]) -> Result<Expr, Reason> {
        let mut sum = Expr::zero();
        for (coord, stride) in coords.iter().zip(&self.strides) {
            let Some(coord) = coord else {
                return Err(Reason::Arrangement("indices in memory".to_owned()));
            };
            let product = match (coord.as_constant(), stride.as_constant()) {
                (_, Some(stride)) => coord.times(self.bytes_of(stride)?),
                (Some(coord), None) => stride.times(self.bytes_of(coord)?),
                (None, None) => return Err(Reason::Dynamic("as a stride".to_owned())),
            };
            sum = sum.plus(&product);
        }
        Ok(sum)
    }

    /// Returns the bytes of so many elements.
    fn bytes_of(&self, elements: i64) -> Result<i64, Reason> {
        elements.checked_mul(self.bytes).ok_or(Reason::TooLarge)
    }
}

/// A `ktdp.construct_memory_view`.
#[derive(Clone)]
pub(crate) struct View<'p> {
    pub op: ktdp::ConstructMemoryView<'p>,
    pub layout: Result<Layout, Reason>,
    /// The conditions under which it is constructed.
    pub when: Result<Vec<Conditions>, Reason>,
}

/// The kinds of accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Load,
    Store,
    /// The read of indices for an indirect tile.
    Indices,
}

/// A load, a store, or a read of indices.
#[derive(Debug, Clone)]
pub(crate) struct Access<'p> {
    pub op: Op<'p>,
    pub kind: Kind,
    /// The number of the view among the views of the kernel; `None` for a tile of something else.
    pub view: Option<usize>,
    /// The operation that constructs the tile.
    pub tile: Op<'p>,
    /// The loops around the operation, outermost first.
    pub loops: Vec<LoopId>,
    /// The cores and iterations that access, and the coordinates.
    pub cases: Result<Vec<Case>, Reason>,
    /// The number of the stage: loads after a store begin a new one.
    pub stage: usize,
}

/// The coordinates of an access, for some cores and iterations.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// The conditions on cores and iterations.
    pub when: Conditions,
    /// The coordinates, over points; `None` for one that is read from memory.
    pub coords: Vec<Option<Expr>>,
    /// The conditions on the points.
    pub set: Conditions,
}

/// A kernel.
pub(crate) struct Kernel<'p> {
    pub function: Op<'p>,
    pub cores: i64,
    pub indices: Indices,
    pub views: Vec<View<'p>>,
    pub accesses: Vec<Access<'p>>,
    /// The tiles, by the operations that construct them.
    pub tiles: Vec<(Op<'p>, Result<Tile, Reason>)>,
    /// The numbers of the arguments that are addresses of views.
    pub bases: Vec<usize>,
    /// The extents that are arguments: the number of the argument, and the number that divides its values.
    pub params: Vec<(usize, i64)>,
    /// The loops, by their numbers.
    pub loops: Vec<Op<'p>>,
    view_of: FxHashMap<ValueKey, usize>,
    stage: usize,
    stored: bool,
}

/// The place of an operation in loops and branches.
#[derive(Clone)]
struct Place {
    loops: Vec<LoopId>,
    when: Result<Vec<Conditions>, Reason>,
}

impl<'p> Kernel<'p> {
    /// Reads a function with a body.
    pub(crate) fn read(function: Op<'p>, body: Blk<'p>, grid: Vec<i64>, options: &Options) -> Self {
        let cores = grid.iter().product();
        let mut indices = Indices::new(grid);
        indices.ranges.set(Var::Core, 0, cores - 1);
        let mut kernel = Self {
            function,
            cores,
            indices,
            views: Vec::new(),
            accesses: Vec::new(),
            tiles: Vec::new(),
            bases: Vec::new(),
            params: Vec::new(),
            loops: Vec::new(),
            view_of: FxHashMap::default(),
            stage: 0,
            stored: false,
        };
        kernel.arguments(function, body);
        // The ranges of cores and extents are conditions of every question to the solver.
        let place = Place {
            loops: Vec::new(),
            when: Ok(vec![Vec::new()]),
        };
        kernel.walk(body, &place, options);
        kernel
    }

    /// Sets the values of arguments: addresses if views begin there, and extents otherwise. The attribute `extents` has
    /// the numbers of extents with their granularities and maxima.
    fn arguments(&mut self, function: Op<'p>, body: Blk<'p>) {
        // Attributes that state no extents are findings of KC28.
        let stated = extents(function).unwrap_or_default();
        let is_launch = ir::attribute(function, PROGRAM).is_some();
        let mut bases = Vec::new();
        collect_bases(body, body, &mut bases);
        bases.sort_unstable();
        bases.dedup();
        for (number, argument) in ir::arguments(body).enumerate() {
            let extent = stated.iter().find(|extent| extent.argument == number);
            if let Some(extent) = extent {
                let (granularity, maximum) = (extent.bounds.granularity(), extent.bounds.max());
                let var = self.param(number, granularity.cast_signed(), maximum.cast_signed());
                self.indices.set(argument, Ok(always(var)));
            } else if bases.contains(&number) || is_launch {
                let address =
                    Var::Gathered(u32::try_from(number).expect("fewer than 2^32 arguments"));
                self.indices.set(argument, Ok(always(address.into())));
            } else if argument.r#type().is_index() {
                let var = self.param(number, 1, LARGEST_EXTENT);
                self.indices.set(argument, Ok(always(var)));
            }
        }
        self.bases = bases;
    }

    /// Returns the value of a new extent: a multiple of `granularity`, at most `maximum`.
    fn param(&mut self, argument: usize, granularity: i64, maximum: i64) -> Expr {
        let var = Var::Param(ParamId::new(self.params.len()));
        self.params.push((argument, granularity));
        self.indices.ranges.set(var, 1, maximum / granularity);
        Expr::from(var).times(granularity)
    }

    fn walk(&mut self, block: Blk<'p>, place: &Place, options: &Options) {
        for op in ir::operations(block) {
            if let Some(view) = ktdp::ConstructMemoryView::cast(op) {
                let layout = self.layout(view, options);
                self.view_of
                    .insert(value_key(view.view()), self.views.len());
                self.views.push(View {
                    op: view,
                    layout,
                    when: place.when.clone(),
                });
            } else if let Some(extract) = ktdp::RuntimeArgExtract::cast(op) {
                self.runtime_argument(extract);
            } else if let Some(load) = ktdp::Load::cast(op) {
                self.access(op, Kind::Load, load.access_tile(), place);
            } else if let Some(store) = ktdp::Store::cast(op) {
                self.access(op, Kind::Store, store.access_tile(), place);
            } else if let Some(tile) = Tile::read(op, &mut self.indices) {
                self.tiles.push((op, tile));
            } else if let Some(for_) = scf::For::cast(op) {
                self.walk_loop(for_, place, options);
            } else if let Some(branch) = scf::If::cast(op) {
                self.walk_branch(branch, place, options);
            } else if op.region_count() > 0 {
                // Regions of structured operations have no accesses; those of other control flow are not modelled.
                let reason = Reason::Operation(ir::name(op).to_owned());
                let place = Place {
                    loops: place.loops.clone(),
                    when: Err(reason),
                };
                for block in ir::blocks(op) {
                    self.walk(block, &place, options);
                }
            }
        }
    }

    fn walk_loop(&mut self, for_: scf::For<'p>, place: &Place, options: &Options) {
        let body = ir::body(for_.op()).expect("a loop has a body");
        let id = LoopId::new(self.loops.len());
        self.loops.push(for_.op());
        let counter = Expr::from(Var::Counter(id));
        let bounds = self.bounds(for_);
        let induction = bounds.clone().map(|(bounds, step)| {
            let first = bounds.into_iter().map(|piece| Piece {
                when: piece.when,
                value: piece.value[0].plus(&counter.times(step)),
            });
            first.collect()
        });
        if let Ok((bounds, step)) = &bounds {
            self.set_trips(id, bounds, *step);
        }
        let inside = bounds.and_then(|(bounds, step)| {
            let alternatives = bounds.into_iter().map(|Piece { when, value }| {
                let (lower, upper) = (&value[0], &value[1]);
                let last = upper.minus(lower).minus(&counter.times(step));
                let inside = [
                    Constraint::NonNegative(counter.clone()),
                    Constraint::NonNegative(last.plus(&(-1).into())),
                ];
                [&when[..], &inside].concat()
            });
            let alternatives: Vec<_> = alternatives.collect();
            both(place.when.as_ref().map_err(Clone::clone)?, &alternatives)
        });
        let argument = ir::arguments(body).next().expect("a loop has a counter");
        self.indices.set(argument, induction);
        let place = Place {
            loops: [&place.loops[..], &[id]].concat(),
            when: inside,
        };
        self.walk(body, &place, options);
    }

    /// Returns the bounds of a loop, first and end, and its step.
    fn bounds(&mut self, for_: scf::For<'p>) -> Result<(Pieces<Vec<Expr>>, i64), Reason> {
        let step = self.indices.of(for_.step())?;
        let step = match &step[..] {
            [piece] => piece.value.as_constant().filter(|step| *step > 0),
            _ => None,
        };
        let step = step.ok_or(Reason::Offset)?;
        let bounds = [for_.lower_bound(), for_.upper_bound()];
        Ok((self.indices.all(bounds.into_iter())?, step))
    }

    /// Sets the range of the counter of a loop, where the bounds have ranges.
    fn set_trips(&mut self, id: LoopId, bounds: &Pieces<Vec<Expr>>, step: i64) {
        let ranges = &self.indices.ranges;
        let trips = bounds.iter().map(|piece| {
            let length = piece.value[1].minus(&piece.value[0]);
            let (_, most) = length.simplified(ranges).range(ranges)?;
            Some(most.max(0).div_euclid(step) + i64::from(most.max(0) % step != 0))
        });
        let trips: Option<Vec<i64>> = trips.collect();
        if let Some(most) = trips.and_then(|trips| trips.into_iter().max()) {
            let ranges = &mut self.indices.ranges;
            ranges.set(Var::Counter(id), 0, (most - 1).max(0));
        }
    }

    fn walk_branch(&mut self, branch: scf::If<'p>, place: &Place, options: &Options) {
        for (number, is_true) in [(0, true), (1, false)] {
            let region = branch.op().region(number).ok();
            let Some(block) = region.and_then(|it| melior::ir::RegionLike::first_block(&it)) else {
                continue; // no `else`
            };
            let condition = self.indices.condition(branch.condition(), is_true);
            let when = match (&place.when, condition) {
                (Ok(outer), Ok(inner)) => both(outer, &inner),
                (Err(reason), _) => Err(reason.clone()),
                (_, Err(reason)) => Err(reason),
            };
            let place = Place {
                loops: place.loops.clone(),
                when,
            };
            self.walk(block, &place, options);
        }
    }

    /// Sets the value of a runtime argument; its bounds are constants.
    fn runtime_argument(&mut self, extract: ktdp::RuntimeArgExtract<'p>) {
        let bounds = runtime_arg_bounds(extract.input().r#type()).unwrap_or_default();
        let granularity = bounds.granularity.unwrap_or(1);
        let field = extract.kind().to_string();
        let value = match (&field[..], ir::source(extract.input())) {
            (text, _) if text.contains("granularity") => granularity.into(),
            (text, _) if text.contains("upperbound") => {
                bounds.upperbound.unwrap_or(LARGEST_EXTENT).into()
            }
            (_, Source::Argument(_, number)) => {
                let place = self.params.iter().position(|(at, _)| *at == number);
                match place {
                    Some(at) => Expr::from(Var::Param(ParamId::new(at))).times(granularity),
                    None => {
                        let most = bounds.upperbound.unwrap_or(LARGEST_EXTENT);
                        self.param(number, granularity, most)
                    }
                }
            }
            (_, Source::Result(..)) => return, // evaluated as an operation that is not modelled
        };
        self.indices.set(extract.result(), Ok(always(value)));
    }

    fn access(&mut self, op: Op<'p>, kind: Kind, tile: Val<'p>, place: &Place) {
        match kind {
            Kind::Store => self.stored = true,
            _ if self.stored => {
                self.stage += 1;
                self.stored = false;
            }
            _ => {}
        }
        let Some(tile_op) = ir::defining_op(tile) else {
            self.push(
                op,
                kind,
                (None, op),
                place,
                Err(Reason::Arrangement("a tile of a block argument".to_owned())),
            );
            return;
        };
        let pair = self.tiles.iter().find(|(it, _)| *it == tile_op);
        let tile = match pair {
            Some((_, tile)) => tile.clone(),
            None => Err(Reason::Operation(ir::name(tile_op).to_owned())),
        };
        let view = ir::operand(tile_op, 0).and_then(|base| self.view_of(base));
        let indirect = tile
            .as_ref()
            .map_or_else(|_| Vec::new(), |tile| tile.indirect.clone());
        for (number, cases) in indirect.into_iter().enumerate() {
            let view = ir::operand(tile_op, 1 + number).and_then(|base| self.view_of(base));
            let cases = Ok(cases);
            self.push(op, Kind::Indices, (view, tile_op), place, cases);
        }
        self.push(
            op,
            kind,
            (view, tile_op),
            place,
            tile.map(|tile| tile.cases),
        );
    }

    fn push(
        &mut self,
        op: Op<'p>,
        kind: Kind,
        (view, tile): (Option<usize>, Op<'p>),
        place: &Place,
        cases: Result<Vec<Case>, Reason>,
    ) {
        let all = |cases: Vec<Case>, when: &[Conditions]| {
            let pairs = when
                .iter()
                .flat_map(|when| cases.iter().map(move |case| (when, case)));
            let all = pairs.map(|(when, case)| Case {
                when: [&when[..], &case.when].concat(),
                ..case.clone()
            });
            all.collect()
        };
        let cases = match (cases, &place.when) {
            (Ok(cases), Ok(when)) => Ok(all(cases, when)),
            (Err(reason), _) => Err(reason),
            (_, Err(reason)) => Err(reason.clone()),
        };
        self.accesses.push(Access {
            op,
            kind,
            view,
            tile,
            loops: place.loops.clone(),
            cases,
            stage: self.stage,
        });
    }

    /// Returns the number of the view that is a value.
    pub(crate) fn view_of(&self, value: Val<'p>) -> Option<usize> {
        self.view_of.get(&value_key(value)).copied()
    }

    fn layout(
        &mut self,
        view: ktdp::ConstructMemoryView<'p>,
        options: &Options,
    ) -> Result<Layout, Reason> {
        let ty = MemRefType::try_from(view.view().r#type())
            .map_err(|_| Reason::Arrangement("a view without a rank".to_owned()))?;
        let bits = bits_in_memory(ty.element()).filter(|bits| bits % 8 == 0);
        let Some(bits) = bits else {
            return Err(Reason::Arrangement(format!(
                "elements of type {}",
                ty.element()
            )));
        };
        let bytes = i64::from(bits / 8);
        let sizes = self.numbers(view.static_sizes(), view.sizes())?;
        let strides = self.numbers(view.static_strides(), view.strides())?;
        let scale = match options.unit {
            Unit::Element => bytes,
            Unit::Byte => 1,
        };
        let space = MemorySpace::of(view.memory_space());
        let mut buffer = match space {
            Some(MemorySpace::CtLocal(core)) => Buffer::Local(core),
            _ => Buffer::Memory,
        };
        let mut offset = Vec::new();
        for piece in self.indices.of(view.base())? {
            let (argument, value) = address(&piece.value)?;
            match (buffer, argument) {
                (Buffer::Memory, Some(argument)) => buffer = Buffer::Argument(argument),
                (Buffer::Argument(before), Some(argument)) if before == argument => {}
                (Buffer::Local(_) | Buffer::Memory, None) => {}
                (Buffer::Local(_), Some(_)) => {
                    let reason = "a scratchpad at an address that is an argument";
                    return Err(Reason::Arrangement(reason.to_owned()));
                }
                _ => {
                    let reason = "an address of several arguments";
                    return Err(Reason::Arrangement(reason.to_owned()));
                }
            }
            let is_extent = |var: &Var| matches!(var, Var::Param(_));
            if argument.is_none() && value.vars().iter().any(is_extent) {
                let reason = "an address that is no sum of an argument and an offset";
                return Err(Reason::Arrangement(reason.to_owned()));
            }
            offset.push(Piece {
                when: piece.when,
                value: value.times(scale),
            });
        }
        Ok(Layout {
            buffer,
            offset,
            sizes,
            strides,
            bytes,
        })
    }

    /// Returns sizes or strides, of which those that are no numbers are operands.
    fn numbers(
        &mut self,
        fixed: melior::ir::Attribute<'p>,
        dynamic: impl Iterator<Item = Val<'p>>,
    ) -> Result<Vec<Expr>, Reason> {
        let fixed = attr::dense_signed_integers(Some(fixed)).expect("KT8: numbers");
        let mut dynamic = dynamic;
        let numbers = fixed.into_iter().map(|number| {
            if number != i64::MIN {
                return Ok(number.into());
            }
            let value = dynamic
                .next()
                .expect("KT9: an operand for each dynamic number");
            match &self.indices.of(value)?[..] {
                [piece] => Ok(piece.value.clone()),
                _ => Err(Reason::Dynamic("with several cases".to_owned())),
            }
        });
        numbers.collect()
    }
}
