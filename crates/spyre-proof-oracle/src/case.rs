//! Programs by number: the program before, a rewrite of it, a planned rewrite, and mutants.

use spyre_proof::program::Program;

use crate::graph::Graph;
use crate::memory::Limits;
use crate::mutate::{Mutation, mutated};
use crate::plan::plan;
use crate::random::Random;
use crate::tile::rewrite;

/// Memories that every small program fits.
pub const LIMITS: Limits = Limits {
    scratchpad: 1 << 20,
    pool: 1 << 24,
};

/// A program and its rewrites, which are right.
#[derive(Clone, Debug)]
pub struct Case {
    /// The program of whole operations.
    pub before: Program,
    /// The same, in tiles.
    pub after: Program,
    /// The same, in tiles, with places; `None` where the planner found none.
    pub planned: Option<Program>,
    random: Random,
}

impl Case {
    /// Draws the case of a number in the sequence of a seed. It does not depend on the other cases.
    #[must_use]
    pub fn draw(seed: u64, number: u64) -> Self {
        let mut random = Random::new(seed, number);
        // Half of the programs are so small that a fault is easy to read.
        let most = if random.once_in(2) { 2 } else { 6 };
        let graph = Graph::draw(&mut random, most);
        let after = rewrite(&graph, &mut random, false);
        let tiled = rewrite(&graph, &mut random, true);
        Self {
            before: graph.program(),
            after,
            planned: plan(&tiled, &mut random, LIMITS),
            random,
        }
    }

    /// Returns mutants of the rewrite without places: `count` that exist, of kinds that change values.
    #[must_use]
    pub fn mutants(&mut self, count: usize) -> Vec<(Mutation, Program)> {
        draw(&self.after, &Mutation::OF_VALUES, count, &mut self.random)
    }

    /// Returns mutants of the planned rewrite, mostly of places.
    #[must_use]
    pub fn planned_mutants(&mut self, count: usize) -> Vec<(Mutation, Program)> {
        let Some(planned) = &self.planned else {
            return Vec::new();
        };
        let mut kinds = [Mutation::OF_PLACES, Mutation::OF_PLACES].concat();
        kinds.extend(Mutation::OF_VALUES);
        draw(planned, &kinds, count, &mut self.random)
    }
}

fn draw(
    program: &Program,
    kinds: &[Mutation],
    count: usize,
    random: &mut Random,
) -> Vec<(Mutation, Program)> {
    let mut mutants = Vec::new();
    for _ in 0..count * 8 {
        if mutants.len() == count {
            break;
        }
        let kind = random.pick(kinds);
        if let Some(mutant) = mutated(program, kind, random) {
            mutants.push((kind, mutant));
        }
    }
    mutants
}
