//! Whether there is a choice at all.

use super::{
    DeadEnd, NoChoice, Statistics,
    bound::{Bounds, NEVER},
    graph::Graph,
    plan::{Part, Plan},
    search::{Ending, Limits, Outcome, Search},
};

/// States kept by the search that looks ahead, which finds a choice if that is not hard.
const WIDTH_AHEAD: usize = 1 << 10;

/// States kept by the search that proves that there is none.
const WIDTH: usize = 1 << 16;

/// Any choice. Copies are free here, so few values have candidates that differ, and most graphs take
/// one state per node.
pub(super) fn feasible(graph: &Graph, statistics: &mut Statistics) -> Result<Vec<usize>, NoChoice> {
    let graph = graph.relaxed();
    let plan = Plan::new(&graph);
    let ahead = Bounds::new(&graph, &plan);
    let none = Bounds::none(&graph);
    let mut candidates = vec![0; graph.len()];
    let mut dead_end: Option<DeadEnd> = None;
    let mut undecided = false;
    for part in &plan.parts {
        let mut run = |bounds: &Bounds, part: &Part, width| {
            let limits = Limits {
                width,
                below: NEVER,
            };
            let Outcome { ending, .. } =
                Search::run(&graph, &plan, bounds, part, limits, statistics);
            ending
        };
        let mut ending = run(&ahead, part, WIDTH_AHEAD);
        if !matches!(ending, Ending::Found { .. }) {
            // Without looking ahead, states end at the node that is to be reported.
            ending = run(&none, part, WIDTH);
        }
        match ending {
            Ending::Found { choices, .. } => {
                for (id, candidate) in choices {
                    if let Some(chosen) = candidates.get_mut(id.index()) {
                        *chosen = candidate;
                    }
                }
            }
            Ending::NothingBelow => undecided = true,
            Ending::DeadEnd(end) => {
                let first = dead_end.filter(|first| first.node < end.node);
                dead_end = Some(first.unwrap_or(end));
            }
        }
    }
    match dead_end {
        Some(end) => Err(NoChoice::Infeasible(end)),
        None if undecided => Err(NoChoice::Undecided { states: WIDTH }),
        None => Ok(candidates),
    }
}
