//! The plans that are tried for a function.

use std::rc::Rc;

use melior::Context;
use melior::ir::operation::OperationLike;
use spyre_analysis::walk::device_ops;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::function_plan::{DivisionGoals, FunctionPlan};
use spyre_dialects::names::{PLAN, SCOPES};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op};
use spyre_mlir_rt::remark::Remarks;
use spyre_plan::auto_tile::traffic;

use super::dims::{ArgumentDims, NamedDim};
use super::op_tiles::{self, OpTiles};
use crate::choose_tiles::{self, Search};

pub(super) use spyre_dialects::hint::Tiles as Amount;

/// A plan that is to be tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) tiles: Tiles,
    pub(super) cache_arguments: bool,
    pub(super) divisions: Divisions,
    /// Whether values may move from scratchpad to scratchpad.
    pub(super) relayouts: bool,
}

/// How the work of a plan is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Divisions {
    /// Operation by operation.
    Each,
    /// For all operations together, by the modelled time, with this factor on the time of moving bytes.
    Together(u64),
    /// For all operations together, by the modelled time, with at most this number of bytes moved.
    Within(u64),
}

impl Divisions {
    /// Returns divisions that move at most this number of bytes; `None` for a number beyond 63 bits, which is no limit.
    pub(super) fn within(bytes: u128) -> Option<Self> {
        let bytes = i64::try_from(bytes).ok()?;
        Some(Self::Within(bytes.unsigned_abs()))
    }

    /// Returns the objective of divisions that are chosen together; `None` if each is chosen by itself.
    pub(super) fn goals(self) -> Option<DivisionGoals> {
        let (memory_weight, most_bytes) = match self {
            Self::Each => return None,
            Self::Together(weight) => (weight, None),
            Self::Within(bytes) => (1, Some(bytes)),
        };
        Some(DivisionGoals {
            memory_weight,
            most_bytes,
        })
    }

    /// The divisions that are tried: each by itself, bytes saved first, between the two, and the fastest.
    pub(super) const ALL: [Self; 4] = [
        Self::Each,
        Self::Together(8),
        Self::Together(2),
        Self::Together(1),
    ];
}

/// The tiles of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tiles {
    None,
    /// The tiles of hints, and no others.
    Hinted,
    /// Chosen with data that several cores read at once counted once.
    Broadcast,
    /// Chosen with the reads of every core counted.
    EveryCore,
    /// As `Broadcast`, with runs of operations that may cover several layers.
    LongRuns,
    /// Tiles of the dimension of a name, in every operation that has it: in operations that reduce it as well, unlike
    /// the groups of `--spyre-choose-tiles`.
    Along {
        name: String,
        amount: Amount,
    },
    /// The tiles that each piece has in its separate plan.
    Pieces(Rc<[OpTiles]>),
    /// For each operation the tiles of one of the other variants, chosen together with divisions and the contents of
    /// the scratchpads.
    Searched(Rc<[OpTiles]>),
}

/// The numbers of tiles along a dimension of all operations, as far as the extent has divisors near to them.
const ALONG: [u64; 10] = [4, 16, 64, 2, 8, 32, 3, 5, 10, 20];

/// The decisions of the author of a function about its plan, except for splits of operations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decided {
    /// The tiles of all operations.
    pub(super) all_tiles: bool,
    /// The tiles of some operations.
    pub(super) some_tiles: bool,
}

impl Decided {
    pub(super) fn of<'p>(function: Op<'p>, body: Blk<'p>) -> Self {
        let is_hinted = |op: DeviceOp<'p>| op.hints_attribute().is_some();
        Self {
            all_tiles: function.has_attribute(SCOPES),
            some_tiles: device_ops(body).into_iter().any(is_hinted),
        }
    }
}

/// Returns the plans that are tried before tiles are searched for: first the program as it is, then the ones that have
/// saved most in the suite of graphs, then the rest. Where the author has decided about the tiles of some operations,
/// the others have the tiles of `--spyre-choose-tiles`.
pub(super) fn candidates(decided: Decided) -> impl Iterator<Item = Candidate> {
    let tiles = match (decided.all_tiles, decided.some_tiles) {
        (true, _) => vec![Tiles::Hinted],
        (false, true) => [[Tiles::Hinted].as_slice(), &CHOSEN].concat(),
        (false, false) => vec![Tiles::None],
    };
    let [each, few_bytes, between, fastest] = Divisions::ALL;
    let ways = [
        (few_bytes, true),
        (each, true),
        (fastest, true),
        (between, true),
        (few_bytes, false),
        (between, false),
        (fastest, false),
        (each, false),
    ];
    let as_it_is = Candidate {
        tiles: tiles[0].clone(),
        cache_arguments: false,
        divisions: each,
        relayouts: false,
    };
    let all = ways
        .into_iter()
        .flat_map(move |(divisions, cache_arguments)| {
            let with = |tiles: &Tiles| Candidate {
                tiles: tiles.clone(),
                cache_arguments,
                divisions,
                relayouts: false,
            };
            tiles.iter().map(with).collect::<Vec<_>>()
        });
    let first = as_it_is.clone();
    [as_it_is]
        .into_iter()
        .chain(all.filter(move |candidate| *candidate != first))
}

/// The tiles that `--spyre-choose-tiles` finds.
const CHOSEN: [Tiles; 3] = [Tiles::Broadcast, Tiles::LongRuns, Tiles::EveryCore];

/// Returns the tilings of a whole function from which a search chooses for each operation: none, numbers of tiles along
/// each of the dimensions, and the tiles of `--spyre-choose-tiles`, which take longest to compute.
pub(super) fn tilings(dims: &[NamedDim]) -> impl Iterator<Item = Tiles> {
    [Tiles::None].into_iter().chain(along(dims)).chain(CHOSEN)
}

/// Returns the same for a function without a search, the tilings of groups of operations first.
pub(super) fn whole_tilings(dims: &[NamedDim]) -> impl Iterator<Item = Tiles> {
    CHOSEN.into_iter().chain(along(dims))
}

/// Returns tilings of all operations along one dimension.
fn along(dims: &[NamedDim]) -> impl Iterator<Item = Tiles> {
    let mut by_name: Vec<&NamedDim> = dims.iter().collect();
    // A dimension that no operation reduces comes first: its operations can run tile by tile.
    by_name.sort_by_key(|dim| (dim.is_reduced, &dim.name));
    by_name.into_iter().flat_map(|dim| {
        let counts = counts(dim.extent / dim.unit).into_iter();
        counts.map(|count| Tiles::Along {
            name: dim.name.clone(),
            amount: Amount::Count(count),
        })
    })
}

impl std::fmt::Display for Candidate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.tiles {
            Tiles::None => f.write_str("no tiles")?,
            Tiles::Hinted => f.write_str("the tiles of the hints")?,
            Tiles::Broadcast => f.write_str("tiles with broadcasts counted once")?,
            Tiles::EveryCore => f.write_str("tiles with every core's reads counted")?,
            Tiles::Pieces(_) => f.write_str("tiles of pieces that were planned one by one")?,
            Tiles::Searched(tiles) => {
                f.write_str("tiles ")?;
                op_tiles::write_all(tiles, f)?;
            }
            Tiles::LongRuns => f.write_str("tiles of long runs with broadcasts counted once")?,
            Tiles::Along { name, amount } => match amount {
                Amount::Count(tiles) => write!(f, "{tiles} tiles along {name} everywhere")?,
                Amount::Size(size) => {
                    write!(f, "{name} everywhere in parts of {size} and a rest")?;
                }
            },
        }
        f.write_str(if self.cache_arguments {
            ", copies of arguments"
        } else {
            ", no copies of arguments"
        })?;
        match self.divisions {
            Divisions::Each => {}
            Divisions::Together(1) => f.write_str(", divisions chosen together")?,
            Divisions::Together(times) => write!(
                f,
                ", divisions chosen together with bytes counted {times} times"
            )?,
            Divisions::Within(bytes) => {
                write!(f, ", divisions chosen together within {bytes} bytes")?;
            }
        }
        f.write_str(if self.relayouts { ", relayouts" } else { "" })
    }
}

impl Tiles {
    /// Returns the plan with these tiles and some divisions, with copies of arguments.
    pub(super) const fn divided(self, divisions: Divisions) -> Candidate {
        Candidate {
            tiles: self,
            cache_arguments: true,
            divisions,
            relayouts: false,
        }
    }

    /// Returns whether these are the tiles of the program as it is.
    pub(super) fn are_given(&self) -> bool {
        matches!(self, Self::None | Self::Hinted)
    }

    /// Writes the hints of the tiles on a function. Returns whether there are any.
    pub(super) fn write<'p>(
        &self,
        context: &'p Context,
        function: Op<'p>,
        body: Blk<'p>,
        dims: &ArgumentDims<'p>,
        remarks: &Remarks,
    ) -> Result<bool, Diagnostic<'p>> {
        match self {
            Self::None | Self::Hinted => return Ok(true),
            Self::Along { name, amount } => {
                return Ok(dims.hint(context, function, body, name, *amount) > 0);
            }
            Self::Pieces(tiles) | Self::Searched(tiles) => {
                dims.declare(function);
                OpTiles::write(context, body, tiles);
                return Ok(!tiles.is_empty());
            }
            Self::Broadcast | Self::EveryCore | Self::LongRuns => {}
        }
        let goals = choose_tiles::Goals {
            span: false,
            traffic: true,
        };
        let search = Search {
            broadcasts: *self != Self::EveryCore,
            most_atoms: match self {
                Self::LongRuns => traffic::LONG_RUN,
                _ => traffic::MAX_ATOMS,
            },
        };
        let chosen = choose_tiles::choose(context, function, body, goals, search, remarks)?;
        Ok(chosen.groups > 0)
    }
}

impl Candidate {
    /// Returns the decisions of the plan that are no tiles.
    pub(super) fn plan(&self) -> FunctionPlan {
        FunctionPlan {
            cache_arguments: self.cache_arguments,
            relayouts: self.relayouts,
            divisions: self.divisions.goals(),
        }
    }

    /// Writes these decisions, if there are any, on a function that has the tiles.
    pub(super) fn write_plan<'p>(&self, context: &'p Context, function: Op<'p>) {
        let plan = self.plan();
        if plan != FunctionPlan::default() {
            ir::set_discardable_attribute(function, PLAN, plan.attribute(context));
        }
    }
}

/// The most dimensions that are tried in parts and a rest: the ones with the most points.
const UNEVEN_DIMS: usize = 4;

/// Returns plans for dimensions that the cores do not divide: parts in which all cores have equally many sticks or positions, and a
/// rest. There is a plan with one such part, with four and with sixteen, so that a part of every value may fit into the
/// scratchpads.
pub(super) fn parts_and_rest(dims: &[NamedDim], cores: u32) -> impl Iterator<Item = Candidate> {
    let cores = u64::from(cores);
    let is_uneven = move |dim: &&NamedDim| {
        let units = dim.extent.div_ceil(dim.unit);
        units > cores && !units.is_multiple_of(cores)
    };
    let uneven = dims.iter().filter(is_uneven).take(UNEVEN_DIMS);
    uneven.flat_map(move |dim| {
        let of_core = dim.extent / dim.unit / cores;
        let mut sizes: Vec<u64> = [1, 4, 16].map(|parts| of_core / parts).to_vec();
        sizes.dedup();
        let sizes = sizes.into_iter().filter(|of_core| *of_core > 0);
        let amounts = sizes.map(move |of_core| Amount::Size(of_core * cores * dim.unit));
        amounts.flat_map(|amount| with_tiles(dim, amount))
    })
}

/// Returns the plans with tiles of a dimension in all operations.
fn with_tiles(dim: &NamedDim, amount: Amount) -> [Candidate; Divisions::ALL.len()] {
    let tiles = Tiles::Along {
        name: dim.name.clone(),
        amount,
    };
    Divisions::ALL.map(|divisions| tiles.clone().divided(divisions))
}

/// Returns the divisors of a number of sticks or positions that are nearest to [`ALONG`], in its order, each once.
fn counts(units: u64) -> Vec<u64> {
    let divisors: Vec<u64> = (2..=units.min(1 << 12))
        .filter(|tiles| units.is_multiple_of(*tiles))
        .collect();
    let nearest = ALONG.map(|wanted| {
        let distance = |tiles: &&u64| {
            let (tiles, wanted) = (u128::from(**tiles), u128::from(wanted));
            // The larger over the smaller, in thousandths.
            1000 * tiles.max(wanted) / tiles.min(wanted)
        };
        divisors.iter().min_by_key(distance).copied()
    });
    let mut counts = Vec::new();
    for count in nearest.into_iter().flatten() {
        if !counts.contains(&count) {
            counts.push(count);
        }
    }
    counts
}
