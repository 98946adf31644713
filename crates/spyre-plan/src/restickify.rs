//! Choosing a layout for every value, so that the fewest elements have to be restickified.
//!
//! An operation often could give its result in one of several layouts, and can read an operand only
//! in some of them. Where the two do not fit, the operand is *restickified*: copied to another
//! layout, which costs the device elements of the source (middle-end specification, section 2.5). A
//! [`Graph`] has the possible layouts and the copies that they need; [`optimize`] chooses one per value,
//! and [`greedy()`] does so without looking ahead.
//!
//! ```
//! use spyre_layout::Elements;
//! use spyre_plan::restickify::{DEFAULT_WIDTH, Graph, Need, Needs, Operand, TargetId, greedy, optimize};
//!
//! // a.t() + b.t() + x: the stick of a.t() and b.t() is on dimension 0, that of x on dimension 1.
//! // A sum can have it on either, and reads both operands in its own layout.
//! let size = Elements(4096);
//! let mut graph = Graph::new();
//! let mut argument = || graph.add(vec![size], vec![]);
//! let (a, b, x) = (argument()?, argument()?, argument()?);
//! let reads = |producer, stick: u32| Operand {
//!     producer,
//!     needs: Needs::from_fn(2, 1, |to, _| match to as u32 {
//!         to if to == stick => Need::Met,
//!         to => Need::Copy(TargetId(to)),
//!     }),
//! };
//! let ab = graph.add(vec![size; 2], vec![reads(a, 0), reads(b, 0)])?;
//! let same = Needs::from_fn(2, 2, |to, from| match to == from {
//!     true => Need::Met,
//!     false => Need::Copy(TargetId(to as u32)),
//! });
//! let sum = Operand { producer: ab, needs: same };
//! let sum = graph.add(vec![size; 2], vec![sum, reads(x, 1)])?;
//!
//! let choice = optimize(&graph, DEFAULT_WIDTH)?;
//! assert_eq!(choice.candidates, [0, 0, 0, 0, 0]);
//! assert_eq!(choice.cost, size);
//! assert!(choice.is_optimal());
//! let copies = graph.restickifies(&choice.candidates).unwrap_or_default();
//! assert_eq!((copies.len(), copies[0].producer, copies[0].consumer), (1, x, sum));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The search
//!
//! 1. A value that only one reader depends on is decided by that reader, and folded into it. Chains
//!    and trees disappear.
//! 2. The rest falls into independent parts, for example before and after a matrix product, which has
//!    fixed sticks. They are searched one by one.
//! 3. The nodes of a part are visited in order, with a set of states: the choices so far. States that
//!    no later node can distinguish are merged, and the cheaper one stays.
//! 4. States that cannot become better than the best choice so far, at first the greedy one, are left
//!    out, by a lower bound on the remaining cost.
//! 5. The remaining states are cut to a width, and the states with the lowest bounds stay. The search
//!    starts narrow and is repeated wider, until the states that were cut off are known to be no better,
//!    or the requested width is reached.
//!
//! States are cut only where many values with readers to come depend on each other, for example where
//! one value has hundreds of users and their results all meet in one operation.

mod bound;
mod feasible;
mod fold;
mod graph;
mod greedy;
mod plan;
mod search;
mod state;

use std::num::NonZeroUsize;

use spyre_layout::Elements;

use bound::Bounds;
use graph::NEVER;
pub use graph::{Graph, GraphError, MAX_COST, Need, Needs, NodeId, Operand, Restickify, TargetId};
use plan::Plan;
use search::{Ending, Limits, Search};

/// States that [`optimize`] keeps after each node, if there is no reason for another number. Most
/// graphs take far fewer. The reference compiler keeps 200 (middle-end specification, section 2.5).
pub const DEFAULT_WIDTH: NonZeroUsize = NonZeroUsize::new(256).expect("256 is not 0");

/// States that the first, narrow search keeps after each node.
const FIRST_WIDTH: usize = 4;

/// The factor by which the width of a search grows after a search that was too narrow.
const WIDENING: usize = 8;

/// Why a choice has a cost.
const IS_CHOICE: &str = "a search finds candidates that go together";

/// A candidate for every node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The candidate of each node.
    pub candidates: Vec<usize>,
    /// Device elements that are copied: [`Graph::cost`].
    pub cost: Elements,
    /// No choice costs less than this.
    pub lower_bound: Elements,
    /// The work that it took to find it.
    pub statistics: Statistics,
}

impl Choice {
    /// Returns whether no choice costs less.
    #[must_use]
    pub fn is_optimal(&self) -> bool {
        self.lower_bound == self.cost
    }
}

/// The work of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// States that were extended by the candidates of a node.
    pub expanded: usize,
    /// The most states kept after a node.
    pub widest: usize,
}

/// A node that cannot be added to the choices made for the nodes before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no candidate of node {node} is compatible with the candidates that were chosen for earlier nodes"
)]
pub struct DeadEnd {
    /// The node.
    pub node: NodeId,
    /// The first of its operands that alone rules out all candidates, if there is one.
    pub operand: Option<usize>,
}

/// [`optimize`] has no choice to offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoChoice {
    /// There is no choice: every choice for the nodes before this one ends at it, and it is the first
    /// such node.
    #[error("no candidate of node {} is compatible with any choice for earlier nodes", .0.node)]
    Infeasible(DeadEnd),
    /// The search found no choice, although one may exist: too many values that rule out candidates of
    /// each other are in use at the same time.
    #[error("no choice of candidates found among {states} states; there may be one")]
    Undecided {
        /// The most states that were kept after a node.
        states: usize,
    },
}

/// Chooses the candidates node by node: for each node the candidate that needs the cheapest copies, given the
/// candidates of the nodes before it, and the one with the lowest number among equals.
///
/// There is no lookahead and no backtracking, so it can end at a node without a compatible candidate, although the
/// graph has a choice.
///
/// # Errors
/// The node at which it ends.
pub fn greedy(graph: &Graph) -> Result<Choice, DeadEnd> {
    let candidates = greedy::greedy(graph)?;
    let plan = Plan::folded(graph);
    let bounds = Bounds::new(graph, &plan);
    let parts = plan.parts.iter().map(|part| bounds.total(&part.nodes));
    Ok(Choice {
        cost: graph.cost(&candidates).expect(IS_CHOICE),
        candidates,
        // No more than the cost.
        lower_bound: Elements(parts.sum()),
        statistics: Statistics::default(),
    })
}

/// Chooses candidates that make the cheapest copies necessary, keeping at most `width` states after
/// each node. The result is never worse than that of [`greedy()`], and the same for the same graph.
///
/// If the width was large enough, which is the rule, the choice [is optimal](Choice::is_optimal).
/// If not, [`Choice::lower_bound`] bounds the distance to it. Takes time and memory linear in the size
/// of the graph for a given width, but for logarithms. Only if the greedy choice ends early, a search
/// for any choice comes first, with a separate width: at most 65536 states, and in most graphs one.
///
/// # Errors
/// There is no choice, or none was found.
pub fn optimize(graph: &Graph, width: NonZeroUsize) -> Result<Choice, NoChoice> {
    let mut statistics = Statistics::default();
    let mut candidates = match greedy::greedy(graph) {
        Ok(candidates) => candidates,
        Err(_) => feasible::feasible(graph, &mut statistics)?,
    };
    let mut paid = vec![0u64; graph.len()];
    for copy in graph.restickifies(&candidates).expect(IS_CHOICE) {
        paid[copy.consumer.index()] += copy.cost.get();
    }
    let plan = Plan::folded(graph);
    let bounds = Bounds::new(graph, &plan);
    let (mut cost, mut lower_bound) = (0u64, 0u64);
    for part in &plan.parts {
        let mut least = part.nodes.iter().map(|id| paid[id.index()]).sum();
        let mut bound = 0;
        let mut narrow = FIRST_WIDTH.min(width.get());
        loop {
            let limits = Limits {
                width: narrow,
                below: least,
            };
            let outcome = Search::run(graph, &plan, &bounds, part, limits, &mut statistics);
            if let Ending::Found { choices, cost } = outcome.ending {
                least = cost;
                adopt(&mut candidates, choices);
            }
            // If no state was dropped, the result is optimal.
            bound = outcome.dropped.unwrap_or(NEVER).max(bound);
            if bound >= least || narrow == width.get() {
                break;
            }
            narrow = narrow.saturating_mul(WIDENING).min(width.get());
        }
        cost += least;
        lower_bound += bound.min(least);
    }
    Ok(Choice {
        candidates,
        cost: Elements(cost),
        lower_bound: Elements(lower_bound),
        statistics,
    })
}

/// Makes the choices for some of the nodes.
fn adopt(candidates: &mut [usize], choices: Vec<(NodeId, usize)>) {
    for (id, candidate) in choices {
        candidates[id.index()] = candidate;
    }
}
