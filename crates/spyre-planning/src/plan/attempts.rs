//! The plans that are tried for a function, and the cost of each.

use melior::Context;
use melior::ir::Module;
use rustc_hash::FxHashMap;
use spyre_analysis::names::{Followed, Follower};
use spyre_analysis::target::target_of;
use spyre_analysis::walk::device_ops;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op};
use spyre_mlir_rt::pass::RustPass;
use spyre_mlir_rt::remark::Remarks;
use spyre_plan::{Picoseconds, Target};

use super::candidates::{
    Candidate, Decided, Divisions, Tiles, candidates, parts_and_rest, tilings, whole_tilings,
};
use super::dims::{ArgumentDims, Reassociation};
use super::op_tiles::OpTiles;
use super::pieces::{PieceId, Pieces};
use super::tiled::{AllTiled, Tiled, carry_out, copied, only};
use super::tilings::Search;
use crate::measure::{self, Modelled};
use crate::scratchpad::SCRATCHPAD_PLANNING;
use crate::verify_plan::VERIFY_PLAN;
use crate::work_division::WORK_DIVISION;

/// The passes that carry out the rest of a plan after its tiles are loops.
pub(super) static CARRY_OUT: [&RustPass; 3] = [&WORK_DIVISION, &SCRATCHPAD_PLANNING, &VERIFY_PLAN];

/// The plans of one function that were tried.
pub(super) type Tried = Vec<(Candidate, Modelled)>;

/// The operations of all plans that are tried for a function, so that the time to plan does not grow faster than the function; and the
/// fewest plans that are tried.
const TRIED_OPERATIONS: usize = 12_000;
const LEAST_TRIED: usize = 4;

/// The operations of all tilings of which a search chooses, and the fewest tilings.
const SEARCHED_OPERATIONS: usize = 4_000;
const LEAST_SEARCHED: usize = 4;

/// The number of plans from which on plans within a limit of bytes are tried as well.
const MOST_WITHOUT_LIMITS: usize = 9;

/// The number of plans that are tried again with relayouts: the best one, and the fastest ones.
const MOST_WITH_RELAYOUTS: usize = 4;

/// The fewest plans of each piece of a function that are worth trying.
const LEAST_OF_PIECES: usize = 8;

/// A function that is planned.
pub(super) struct Planned<'p> {
    function: Op<'p>,
    body: Blk<'p>,
    /// The device operations.
    operations: usize,
    target: Target,
    pub(super) dims: ArgumentDims<'p>,
    /// The bytes that no plan avoids; `None` if they are not known.
    pub(super) compulsory: Option<u128>,
}

impl<'p> Planned<'p> {
    pub(super) fn of(
        context: &'p Context,
        function: Op<'p>,
        body: Blk<'p>,
        dims: ArgumentDims<'p>,
    ) -> Result<Self, Diagnostic<'p>> {
        Ok(Self {
            function,
            body,
            operations: device_ops(body).len(),
            target: target_of(function)?.target,
            dims,
            compulsory: measure::compulsory(context, body),
        })
    }

    /// Tries plans until no other plan can be better. Returns the tried plans, and the number of planned pieces. If the program as
    /// it is cannot be planned, no other plan is tried.
    pub(super) fn try_all(&self, context: &'p Context) -> (Tried, usize) {
        let of_time = TRIED_OPERATIONS / self.operations;
        let most = of_time.max(LEAST_TRIED);
        let mut tried = self.try_given(context, most);
        let decided = Decided::of(self.function, self.body);
        let mut pieces = 0;
        if !(tried.is_empty() || decided.all_tiles || decided.some_tiles) {
            pieces = self.try_pieces(context, &mut tried);
            self.try_tiles(context, most, &mut tried);
        }
        if of_time > MOST_WITHOUT_LIMITS {
            self.try_within(context, &mut tried);
        }
        (tried, pieces)
    }

    /// Tries the best plan and the fastest ones again, with values that move from scratchpad to scratchpad, and returns
    /// the fastest one that is faster than the best plan and moves no more bytes; `None` without such a plan. The best
    /// plan has no relayouts.
    pub(super) fn try_relayouts(
        &self,
        context: &'p Context,
        best: &Candidate,
        tried: &mut Tried,
    ) -> Option<Candidate> {
        if !self.are_bytes_to_save(tried) {
            return None; // No value goes through device memory without need.
        }
        let (_, of_best) = tried.iter().find(|(candidate, _)| candidate == best)?;
        let (of_best, mut plans) = (*of_best, tried.clone());
        plans.sort_by_key(|(candidate, modelled)| (candidate != best, modelled.time));
        plans.truncate(MOST_WITH_RELAYOUTS);
        let (mut tiled, from) = (AllTiled::default(), tried.len());
        for (candidate, _) in plans {
            let candidate = Candidate {
                relayouts: true,
                ..candidate
            };
            self.try_one(context, candidate, &mut tiled, tried);
        }
        let better = tried[from..].iter().filter(|(_, modelled)| {
            modelled.time < of_best.time && modelled.distinct <= of_best.distinct
        });
        let fastest = better.min_by_key(|(_, modelled)| modelled.time);
        fastest.map(|(candidate, _)| candidate.clone())
    }

    /// Tries plans with the tiles that are given.
    fn try_given(&self, context: &'p Context, most: usize) -> Tried {
        let (mut tried, mut tiled) = (Tried::new(), AllTiled::default());
        let decided = Decided::of(self.function, self.body);
        for candidate in candidates(decided).take(most) {
            self.try_one(context, candidate, &mut tiled, &mut tried);
            if tried.is_empty() {
                break; // The program as it is cannot be planned.
            }
        }
        tried
    }

    /// Tries plans with chosen tiles until no other plan can be better.
    fn try_tiles(&self, context: &'p Context, most: usize, tried: &mut Tried) {
        if self.are_bytes_to_save(tried) && self.is_more_to_save(tried) {
            match measure::loops(self.body) {
                0 => self.try_searched(context, tried),
                // A search walks over a line of operations.
                _ => self.try_whole(context, most, tried),
            }
        }
        // Parts that the cores divide save compute time.
        let mut tiled = AllTiled::default();
        let uneven = parts_and_rest(&self.dims.named, self.target.cores);
        for candidate in uneven.take(most) {
            if self.could_be_faster(tried) {
                self.try_one(context, candidate, &mut tiled, tried);
            }
        }
    }

    /// Tries tilings of the whole function.
    fn try_whole(&self, context: &'p Context, most: usize, tried: &mut Tried) {
        let mut tiled = AllTiled::default();
        let plans = whole_tilings(&self.dims.named).flat_map(|tiles| {
            let ways = [Divisions::Each, Divisions::Together(8)];
            ways.map(|divisions| tiles.clone().divided(divisions))
        });
        for candidate in plans.take(most) {
            self.try_one(context, candidate, &mut tiled, tried);
        }
    }

    /// Chooses the tiles of each operation, of tilings of the whole function, and tries them.
    fn try_searched(&self, context: &'p Context, tried: &mut Tried) {
        let most = (SEARCHED_OPERATIONS / self.operations).max(LEAST_SEARCHED);
        let mut tiled = AllTiled::default();
        for tiles in tilings(&self.dims.named).take(most) {
            tiled.with(context, self.function, &tiles, &self.dims);
        }
        let module = self.named_copy();
        let copy = only(&module);
        let mut followed = Followed::of_function(copy);
        let Ok(()) = followed.follow(ir::function_body(copy).expect("the function has a body"));
        let (target, names) = (&self.target, &followed.names);
        let search = Search::new(context, tiled.all(), self.operations, target, names);
        let Some(mut search) = search else {
            return; // There are no choices.
        };
        let mut all_tiled = AllTiled::default();
        for divisions in self.within().into_iter().chain(Divisions::ALL) {
            let Some(goals) = divisions.goals() else {
                continue; // Each is chosen by itself.
            };
            let Some(tiles) = search.choose(goals).map(Tiles::Searched) else {
                continue; // No way moves so few bytes.
            };
            for divisions in [Divisions::Each, divisions] {
                let candidate = tiles.clone().divided(divisions);
                self.try_one(context, candidate, &mut all_tiled, tried);
            }
        }
    }

    /// Returns the divisions that are fastest with at most a tenth more than the compulsory bytes.
    fn within(&self) -> Option<Divisions> {
        Divisions::within(self.compulsory? * 11 / 10)
    }

    /// Returns a copy of the function with the names assigned to its arguments.
    fn named_copy(&self) -> Module<'p> {
        let module = copied(self.function);
        self.dims.declare(only(&module));
        module
    }

    /// Tries a plan, if its tiles can be and it was not tried before.
    fn try_one(
        &self,
        context: &'p Context,
        candidate: Candidate,
        tiled: &mut AllTiled<'p>,
        tried: &mut Tried,
    ) {
        if tried.iter().any(|(other, _)| *other == candidate) {
            return;
        }
        let tiled = tiled.with(context, self.function, &candidate.tiles, &self.dims);
        if let Some(modelled) = tiled.and_then(|tiled| candidate.try_on(context, tiled)) {
            tried.push((candidate, modelled));
        }
    }

    /// Plans the pieces of the function one by one, equal pieces once, and tries the whole function with their tiles.
    /// Returns how many pieces were planned.
    fn try_pieces(&self, context: &'p Context, tried: &mut Tried) -> usize {
        if !self.is_more_to_save(tried) {
            return 0;
        }
        let module = self.named_copy();
        let copy = only(&module);
        let body = ir::function_body(copy).expect("the function has a body");
        let Some(pieces) = Pieces::of(copy, body) else {
            return 0;
        };
        let operations = pieces.different().map(|id| pieces.operations(id));
        let most = TRIED_OPERATIONS / operations.sum::<usize>().max(1);
        if most < LEAST_OF_PIECES {
            return 0;
        }
        let mut tiles: FxHashMap<PieceId, Vec<OpTiles>> = FxHashMap::default();
        let mut ways: Vec<(bool, Divisions)> = Vec::new();
        for id in pieces.different() {
            let module = pieces.build(context, id);
            let piece = only(&module);
            let planned = plan_piece(context, piece, most, self.dims.reassociation);
            let Some((best, of_ops)) = planned else {
                continue; // It cannot be planned by itself, and has no tiles.
            };
            let divisions = match best.divisions {
                // A piece's bytes are no limit for the whole.
                Divisions::Within(_) => self.within().unwrap_or(Divisions::Together(1)),
                other => other,
            };
            let way = (best.cache_arguments, divisions);
            if !ways.contains(&way) {
                ways.push(way);
            }
            tiles.insert(id, of_ops);
        }
        let count = tiles.len();
        if tiles.values().all(Vec::is_empty) {
            return count; // None of them has tiles.
        }
        let tiles = Tiles::Pieces(pieces.together(&tiles));
        let mut tiled = AllTiled::default();
        for (cache_arguments, divisions) in ways {
            let candidate = Candidate {
                tiles: tiles.clone(),
                cache_arguments,
                divisions,
                relayouts: false,
            };
            self.try_one(context, candidate, &mut tiled, tried);
        }
        count
    }

    /// Tries the fastest divisions within the limit of bytes, with the tiles of the best plan and with the tiles of the
    /// program as it is. No weight of bytes leads to such a plan where it is neither nearly the fastest nor nearly of
    /// the fewest bytes.
    fn try_within(&self, context: &'p Context, tried: &mut Tried) {
        if !self.is_more_to_save(tried) {
            return;
        }
        let best = best(tried, self.compulsory).expect("a plan was tried");
        let few = most_bytes(&admitted(tried), self.compulsory);
        let Some(within) = few.and_then(|few| Divisions::within(few / 10)) else {
            return;
        };
        let first = tried[0].0.tiles.clone();
        let mut all = vec![best.tiles];
        if all[0] != first {
            all.push(first);
        }
        let mut tiled = AllTiled::default();
        for tiles in all {
            let candidate = tiles.divided(within);
            self.try_one(context, candidate, &mut tiled, tried);
        }
    }

    /// Returns whether a plan could take over half a percent less time than all that were tried.
    fn could_be_faster(&self, tried: &Tried) -> bool {
        let least = self
            .compulsory
            .and_then(|bytes| self.least_time(bytes, tried));
        let fastest = tried.iter().map(|(_, modelled)| modelled.time).min();
        let both = fastest.zip(least);
        both.is_none_or(|(fastest, least)| fastest.0 / 201 > least.0 / 200)
    }

    /// Returns whether no plan moves as few bytes as it must, up to a thousandth. Tiles save bytes, and cost time otherwise.
    fn are_bytes_to_save(&self, tried: &Tried) -> bool {
        self.compulsory.is_some_and(|compulsory| {
            let mut plans = tried.iter();
            plans.all(|(_, modelled)| modelled.distinct * 1000 > compulsory * 1001)
        })
    }

    /// Returns whether a plan could be clearly better than all that were tried.
    fn is_more_to_save(&self, tried: &Tried) -> bool {
        let Some(compulsory) = self.compulsory else {
            return false;
        };
        let Some(least) = self.least_time(compulsory, tried) else {
            return false; // No plan was tried: the function cannot be planned.
        };
        let is_least = |modelled: &Modelled| {
            modelled.distinct * 100 <= compulsory * 101 && modelled.time.0 / 101 <= least.0 / 100
        };
        !tried.iter().any(|(_, modelled)| is_least(modelled))
    }

    /// Returns the time in which all cores execute the arithmetic of the program as it is, and in which the compulsory
    /// bytes move.
    fn least_time(&self, compulsory: u128, tried: &Tried) -> Option<Picoseconds> {
        let (_, as_it_is) = tried.first()?;
        let mut least = Picoseconds(as_it_is.compute.0 / u64::from(self.target.cores.max(1)));
        least += measure::memory_time(compulsory, &self.target.rates);
        Some(least)
    }
}

/// Plans a piece of a function with at most `most` plans, with tiles that change rounding or without. Returns the plan,
/// and the tiles of the piece's operations; `None` if it cannot be planned by itself.
fn plan_piece<'p>(
    context: &'p Context,
    function: Op<'p>,
    most: usize,
    reassociation: Reassociation,
) -> Option<(Candidate, Vec<OpTiles>)> {
    let body = ir::function_body(function)?;
    let dims = ArgumentDims::of(context, function, body, reassociation).ok()?;
    let planned = Planned::of(context, function, body, dims).ok()?;
    let mut tried = planned.try_given(context, most);
    if !tried.is_empty() {
        planned.try_tiles(context, most, &mut tried);
    }
    let best = best(&tried, planned.compulsory)?;
    let remarks = Remarks::none();
    let written = best
        .tiles
        .write(context, function, body, &planned.dims, &remarks);
    written.ok()?;
    Some((best, OpTiles::of_function(body)))
}

impl Candidate {
    /// Carries the plan out on a copy of a function in which its tiles are loops. Returns its modelled time; `None` if
    /// it cannot be carried out.
    fn try_on<'t>(&self, context: &'t Context, tiled: &'t Tiled<'_>) -> Option<Modelled> {
        let module = copied(tiled.function());
        let copy = only(&module);
        self.write_plan(context, copy);
        carry_out(copy, &CARRY_OUT)?;
        let rates = target_of(copy).ok()?.target.rates;
        measure::of(context, ir::function_body(copy)?, rates)
    }
}

/// Returns the plans that are not slower than the program as it is.
fn admitted(tried: &Tried) -> Vec<&(Candidate, Modelled)> {
    let as_it_is = tried.first().map(|(_, modelled)| modelled.time);
    let tried = tried.iter();
    tried
        .filter(|(_, modelled)| Some(modelled.time) <= as_it_is)
        .collect()
}

/// Returns ten times the most bytes that a plan may move. The limit is a tenth more than the compulsory bytes. If every plan moves
/// more than this, it is a tenth more than the fewest bytes of a plan, but at most the bytes of the program as it is. Returns
/// `None` if there are no plans.
fn most_bytes(admitted: &[&(Candidate, Modelled)], compulsory: Option<u128>) -> Option<u128> {
    let (_, as_it_is) = admitted.first()?;
    let distinct = admitted.iter().map(|(_, modelled)| modelled.distinct);
    let fewest = distinct.min()?;
    Some(match compulsory {
        Some(compulsory) if fewest * 10 <= compulsory * 11 => compulsory * 11,
        _ => (fewest * 11).min(as_it_is.distinct * 10),
    })
}

/// Returns the fastest plan that moves few bytes; of equally fast ones the one with the fewest decisions, and of these
/// the first.
///
/// No plan is slower than the program as it is. The candidates are the plans that move at most a tenth more than the
/// compulsory bytes. Where none does, they are the plans that move at most a tenth more than the fewest bytes, but no
/// more than the program as it is, and the plans that save a larger part of the time of the fastest of these than they
/// add to its bytes.
pub(super) fn best(tried: &Tried, compulsory: Option<u128>) -> Option<Candidate> {
    let admitted = admitted(tried);
    let fastest = |admits: &dyn Fn(&Modelled) -> bool| {
        let few = admitted.iter().filter(|(_, modelled)| admits(modelled));
        few.min_by_key(|(candidate, modelled)| {
            let decided = (
                candidate.divisions != Divisions::Each,
                candidate.cache_arguments,
            );
            (modelled.time, decided)
        })
    };
    let most = most_bytes(&admitted, compulsory)?;
    let few = fastest(&|modelled| modelled.distinct * 10 <= most);
    let few = match compulsory {
        Some(compulsory) if most == compulsory * 11 => few,
        _ => {
            let (_, few) = few?;
            let product = |modelled: &Modelled| u128::from(modelled.time.0) * modelled.distinct;
            fastest(&|modelled| product(modelled) <= product(few))
        }
    };
    few.map(|(candidate, _)| candidate.clone())
}
