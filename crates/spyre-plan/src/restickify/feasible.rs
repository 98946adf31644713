//! Finds out whether there is a choice at all.

use super::{
    DeadEnd, NoChoice, Statistics, adopt,
    bound::Bounds,
    graph::{Graph, NEVER},
    plan::{Part, Plan},
    search::{Ending, Limits, Outcome, Search},
};

/// States kept after each node.
#[derive(Clone, Copy, Debug)]
struct Widths {
    /// By the search that looks ahead, which finds a choice if that is not hard.
    ahead: usize,
    /// By the search that proves that there is no choice.
    proof: usize,
}

/// Finds any choice. Copies are free here, so few values have candidates that differ, and most graphs take
/// one state per node.
pub(super) fn feasible(graph: &Graph, statistics: &mut Statistics) -> Result<Vec<usize>, NoChoice> {
    let widths = Widths {
        ahead: 1 << 10,
        proof: 1 << 16,
    };
    feasible_within(graph, widths, statistics)
}

fn feasible_within(
    graph: &Graph,
    widths: Widths,
    statistics: &mut Statistics,
) -> Result<Vec<usize>, NoChoice> {
    let graph = graph.relaxed();
    // Nodes are not folded, because each may be the node to report. Without copies, values that could be folded rarely
    // have several classes.
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
        let mut ending = run(&ahead, part, widths.ahead);
        if !matches!(ending, Ending::Found { .. }) {
            // Without a lookahead, the search has no states left at the node to report.
            ending = run(&none, part, widths.proof);
        }
        match ending {
            Ending::Found { choices, .. } => adopt(&mut candidates, choices),
            Ending::NothingBelow => undecided = true,
            Ending::DeadEnd(end) => {
                let first = dead_end.filter(|first| first.node < end.node);
                dead_end = Some(first.unwrap_or(end));
            }
        }
    }
    match dead_end {
        Some(end) => Err(NoChoice::Infeasible(end)),
        None if undecided => Err(NoChoice::Undecided {
            states: widths.proof,
        }),
        None => Ok(candidates),
    }
}

#[cfg(test)]
mod tests {
    use spyre_layout::Elements;

    use super::*;
    use crate::restickify::{Need, Needs, Operand};

    /// Values of which each two have to be in different layouts. Candidate `k` of the nodes that
    /// compare them means that the first value is in layout `k`.
    fn all_different(values: usize, layouts: usize) -> Graph {
        let mut graph = Graph::new();
        let mut add = |operands| graph.add(vec![Elements(1); layouts], operands).unwrap();
        let ids: Vec<_> = (0..values).map(|_| add(vec![])).collect();
        for (index, &first) in ids.iter().enumerate() {
            for &second in &ids[index + 1..] {
                let needs = |equal| {
                    Needs::from_fn(layouts, layouts, |to, from| match (to == from) == equal {
                        true => Need::Met,
                        false => Need::Impossible,
                    })
                };
                add(vec![
                    Operand {
                        producer: first,
                        needs: needs(true),
                    },
                    Operand {
                        producer: second,
                        needs: needs(false),
                    },
                ]);
            }
        }
        graph
    }

    #[test]
    fn a_proof_needs_all_states() {
        let run = |values, ahead, proof| {
            let widths = Widths { ahead, proof };
            feasible_within(
                &all_different(values, 3),
                widths,
                &mut Statistics::default(),
            )
        };
        assert!(run(3, 27, 27).is_ok());
        // Four values in three layouts: 81 states for the values, before they are compared.
        let Err(NoChoice::Infeasible(end)) = run(4, 1, 81) else {
            panic!("there are only 81 states");
        };
        // The last of the six comparisons makes the graph infeasible.
        assert_eq!(end.node.index(), 4 + 5);
        assert_eq!(run(4, 80, 80), Err(NoChoice::Undecided { states: 80 }));
    }
}
