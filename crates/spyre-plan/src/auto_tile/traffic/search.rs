//! The search over groups.

use std::ops::Range;

use super::super::Block;
use super::Machine;
use super::cost::{Costs, Delta};
use super::group::{Classes, Group};
use super::untiled::Untiled;

/// One operation of a chosen group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The step.
    pub step: usize,
    /// The iteration dimension that each loop cuts; `None` where it has no such dimension.
    pub dims: Vec<Option<usize>>,
}

/// A group of operations, and its tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The operations; the steps between them stay before the loops.
    pub members: Vec<Member>,
    /// The number of tiles of each loop, outermost first.
    pub counts: Vec<u64>,
    /// Bytes through device memory, less the bytes without these tiles. Negative, unless the tiles are for
    /// spans.
    pub moved: i128,
    /// Executions of operations, less the executions without these tiles.
    pub runs: i128,
    /// The number of operations that reach further than the span limit without tiles.
    pub brought_within: usize,
    /// Combinations of numbers of tiles that there are for these operations.
    pub combinations: usize,
}

/// The groups to be tiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The groups, in order.
    pub groups: Vec<Chosen>,
    /// Bytes through device memory without tiles.
    pub untiled: i128,
    /// Bytes through device memory with these groups.
    pub tiled: i128,
    /// Runs of steps that could be groups.
    pub looked_at: usize,
    /// The number of combinations of tile counts for which a bound was computed, over all groups.
    pub combinations: usize,
    /// Combinations with a computed cost.
    pub worked_out: usize,
}

/// The quality of the chosen groups; smaller is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    /// Steps brought within the span limit, negative.
    within: i128,
    /// Bytes more than untiled, overhead included.
    cost: i128,
    groups: usize,
}

/// The best known path to the start of an atom.
#[derive(Clone, Debug)]
struct Way {
    score: Score,
    /// The group that ends there, and the atom that it starts at.
    last: Option<(usize, Chosen)>,
}

/// Chooses groups of least cost, as the [module](super) describes. Deterministic.
#[must_use]
pub fn choose(block: &Block, machine: &Machine) -> Choice {
    let untiled = Untiled::new(block, machine);
    let atoms = atoms(&untiled);
    let mut choice = Choice {
        untiled: (0..block.steps.len()).map(|at| untiled.moved(at)).sum(),
        ..Choice::default()
    };
    let mut best: Vec<Option<Way>> = vec![None; atoms.len() + 1];
    best[0] = Some(Way {
        score: Score::default(),
        last: None,
    });
    let mut live: Vec<usize> = Vec::new();
    let mut count = 0;
    for (first, atom) in atoms.iter().enumerate() {
        let way = best[first].as_ref();
        let score = way.expect("no group at all is a way to every atom").score;
        improve(&mut best[first + 1], score, None);
        let start = atom.start;
        live.extend(
            (count..start)
                .map(|at| block.steps[at].result)
                .filter(|value| untiled.resident[*value].is_some()),
        );
        live.retain(|value| untiled.last_read(*value).is_some_and(|last| last >= start));
        count = start;
        let mut classes = Classes::new(&untiled, start);
        let mut over = 0_usize;
        for (last, atom) in atoms
            .iter()
            .enumerate()
            .skip(first)
            .take(machine.most_atoms)
        {
            let fits = |at: usize| block.steps[at].is_free && block.steps[at].not_before <= start;
            if !atom.clone().all(fits) {
                break;
            }
            for at in atom.clone() {
                classes.push();
                over += usize::from(untiled.overflows(at, machine));
            }
            // No dimension of the steps that were added can be cut, but a dimension of a later step may.
            let Some(group) = classes.group() else {
                continue;
            };
            let Some((chosen, delta)) = tiles(&untiled, machine, &group, &live, over, &mut choice)
            else {
                continue;
            };
            let gain = Score {
                within: score.within - over as i128,
                cost: score.cost + delta.cost(machine),
                groups: score.groups + 1,
            };
            improve(&mut best[last + 1], gain, Some((first, chosen)));
        }
    }
    let mut at = atoms.len();
    while at > 0 {
        match best[at].take().and_then(|way| way.last) {
            Some((first, chosen)) => {
                choice.groups.push(chosen);
                at = first;
            }
            _ => at -= 1,
        }
    }
    choice.groups.reverse();
    choice.tiled = choice.untiled + choice.groups.iter().map(|group| group.moved).sum::<i128>();
    choice
}

/// Keeps the better one; the first of equals.
fn improve(best: &mut Option<Way>, score: Score, last: Option<(usize, Chosen)>) {
    if best.as_ref().is_none_or(|best| score < best.score) {
        *best = Some(Way { score, last });
    }
}

/// Returns the ranges of steps that belong to a group as a whole: elementwise steps that read each other's
/// results.
pub(super) fn atoms(untiled: &Untiled<'_>) -> Vec<Range<usize>> {
    let mut atoms: Vec<Range<usize>> = Vec::new();
    for (at, step) in untiled.block.steps.iter().enumerate() {
        let shape = untiled.shape(at);
        let follows = |atom: &Range<usize>| {
            let is_made = |value: &usize| {
                untiled.maker[*value].is_some_and(|maker| {
                    let result_tensor = untiled.shape(maker).tensors.last();
                    let same = result_tensor
                        .zip(shape.tensors.last())
                        .is_some_and(|(a, b)| a.extents == b.extents);
                    atom.contains(&maker) && same
                })
            };
            let is_free = untiled.step(atom.start).is_free && step.is_free;
            let is_elementwise =
                untiled.shape(atom.start).is_elementwise() && shape.is_elementwise();
            is_free
                && is_elementwise
                && step.not_before <= atom.start
                && step.operands.iter().any(is_made)
        };
        match atoms.last_mut() {
            Some(atom) if follows(atom) => atom.end = at + 1,
            _ => atoms.push(at..at + 1),
        }
    }
    atoms
}

/// Returns the best tiles of a group, if they are better than none, or required.
fn tiles(
    untiled: &Untiled<'_>,
    machine: &Machine,
    group: &Group,
    live: &[usize],
    over: usize,
    choice: &mut Choice,
) -> Option<(Chosen, Delta)> {
    choice.looked_at += 1;
    let is_needed = over > 0;
    let costs = Costs::new(untiled, machine, group, live);
    if !is_needed && !costs.is_worth_a_look() {
        return None;
    }
    let combinations = group.combinations();
    choice.combinations += combinations.len();
    let mut order: Vec<(i128, usize)> = combinations
        .iter()
        .enumerate()
        .map(|(at, counts)| (costs.lower_bound(counts), at))
        .collect();
    order.sort_unstable();
    // The untiled group has cost 0.
    let mut best = (if is_needed { i128::MAX } else { 0 }, usize::MAX);
    let mut least = None;
    for (bound, at) in order {
        if bound > best.0 || (bound == best.0 && least.is_none()) {
            break;
        }
        choice.worked_out += 1;
        let Some(delta) = costs.total(&combinations[at], best.0) else {
            continue;
        };
        let cost = delta.cost(machine);
        if cost < best.0 || (cost == best.0 && least.is_some() && at < best.1) {
            best = (cost, at);
            least = Some(delta);
        }
    }
    let delta = least?;
    let counts = &combinations[best.1];
    let levels: Vec<usize> = (0..counts.len())
        .filter(|class| counts[*class] > 1)
        .collect();
    let members = group.steps.clone().filter_map(|step| {
        let kind = &group.kinds[group.kind_of(step)];
        let dim = |class: &usize| kind.dims.iter().position(|dim| *dim == Some(*class));
        kind.is_cut(counts).then(|| Member {
            step,
            dims: levels.iter().map(dim).collect(),
        })
    });
    let chosen = Chosen {
        members: members.collect(),
        counts: levels.iter().map(|class| counts[*class]).collect(),
        moved: delta.moved,
        runs: delta.runs,
        brought_within: over,
        combinations: combinations.len(),
    };
    Some((chosen, delta))
}
