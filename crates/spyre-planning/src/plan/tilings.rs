//! Tiles chosen operation by operation, together with divisions and the contents of the scratchpads.
//!
//! Copies of a function that were tiled as a whole are read as the tilings of `spyre_plan::together`. Its search takes each operation
//! in one of them, so loops may begin and end where none of the copies does so.

use std::rc::Rc;

use melior::Context;
use rustc_hash::FxHashMap;
use spyre_analysis::names::Names;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::{ancestor_in, device_ops};
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::function_plan::DivisionGoals;
use spyre_mlir_rt::ir::{self, Op, OpKind};
use spyre_plan::Target;
use spyre_plan::together::{Nest, Part, Tiling, choose_tilings};

use super::op_tiles::{Fresh, OpTiles};
use super::tiled::{Tiled, number_of};
use crate::measure;
use crate::work_division::modelled;

/// The number of states of each tiling that are kept after each operation.
const BEAM: usize = 8;

/// The tilings of a function of which one is chosen for each operation.
pub(super) struct Search<'a, 'p> {
    copies: Vec<&'a Tiled<'p>>,
    tilings: Vec<Tiling>,
    names: &'a Names<'p>,
}

impl<'a, 'p> Search<'a, 'p> {
    /// Reads the tilings of `all`: copies of one function with `operations` device operations, the first copy without
    /// tiles and each other one tiled throughout. `names` are the names of the function's dimensions. Returns `None` if
    /// fewer than two copies can be divided among cores, so that there is nothing to choose.
    pub(super) fn new(
        context: &'p Context,
        all: impl Iterator<Item = &'a Tiled<'p>>,
        operations: usize,
        target: &Target,
        names: &'a Names<'p>,
    ) -> Option<Self> {
        let (mut copies, mut tilings) = (Vec::new(), Vec::new());
        for tiled in all {
            match read(context, tiled.function(), operations, target) {
                Some(tiling) => {
                    copies.push(tiled);
                    tilings.push(tiling);
                }
                // The search starts from the program as it is.
                None if copies.is_empty() => return None,
                None => {} // Its operations cannot be divided.
            }
        }
        (copies.len() > 1).then_some(Self {
            copies,
            tilings,
            names,
        })
    }

    /// Chooses tiles; `None` if no choice is within the limit of bytes.
    pub(super) fn choose(&mut self, goals: DivisionGoals) -> Option<Rc<[OpTiles]>> {
        for tiling in &mut self.tilings {
            modelled::set_goals(&mut tiling.program, goals);
        }
        let chosen = choose_tilings(&self.tilings, BEAM)?.tilings;
        let mut all = Vec::new();
        let mut fresh = Fresh::new(self.names);
        let nest = |at: usize| (chosen[at], self.tilings[chosen[at]].parts[at].nest);
        let mut from = 0;
        for at in 1..=chosen.len() {
            if at < chosen.len() && nest(at) == nest(from) {
                continue;
            }
            // Each run has separate loops.
            let of_ops = &self.copies[chosen[from]].of_ops;
            let first = of_ops.partition_point(|tiles| tiles.number < from);
            let end = of_ops.partition_point(|tiles| tiles.number < at);
            let run = &of_ops[first..end];
            let mut renamed = fresh.piece(Vec::new(), Vec::new(), run);
            all.extend(run.iter().map(|tiles| renamed.op(tiles, tiles.number)));
            from = at;
        }
        Some(all.into())
    }
}

/// Reads a tiled copy of a function of `operations` operations; `None` if it cannot be planned.
fn read<'p>(
    context: &'p Context,
    function: Op<'p>,
    operations: usize,
    target: &Target,
) -> Option<Tiling> {
    let types = TensorTypes::new(context);
    let body = ir::function_body(function)?;
    let mut ops = Vec::new();
    for op in device_ops(body) {
        ops.push((number_of(context, op.op())?, op));
    }
    ops.sort_by_key(|(number, _)| *number);
    let nothing = Part {
        operations: 0..0,
        nest: None,
    };
    let mut parts = vec![nothing; operations];
    let mut nests: FxHashMap<ir::OpKey, Nest> = FxHashMap::default();
    for (number, op) in &ops {
        let outermost = ancestor_in(op.op(), body).expect("it is in the function");
        if ir::kind(outermost) == OpKind::For {
            let iterations = measure::iterations(outermost);
            let next = Nest {
                number: nests.len(),
                time: target.rates.per_iteration.times(iterations),
            };
            let nest = *nests.entry(ir::op_key(outermost)).or_insert(next);
            parts[*number].nest.get_or_insert(nest);
        }
    }
    let ops: Vec<DeviceOp<'p>> = ops.into_iter().map(|(_, op)| op).collect();
    let (program, ops) = modelled::read(&types, body, &ops, target, true).ok()?;
    for (position, op) in ops.into_iter().enumerate() {
        let part = &mut parts[number_of(context, op.op())?].operations;
        let is_first = part.end == 0;
        *part = if is_first { position } else { part.start }..position + 1;
    }
    Some(Tiling { program, parts })
}
