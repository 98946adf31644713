//! Plain graphs, which tests can look into, and all their choices.

use spyre_layout::Elements;
use spyre_plan::restickify::{Graph, Need, Needs, NodeId, Operand, TargetId};

/// An operand: its producer, and its needs as `[consumer candidate][producer candidate]`.
pub(crate) type Edge = (usize, Vec<Vec<Need>>);

#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    /// Sizes of the candidates, and operands.
    pub nodes: Vec<(Vec<u64>, Vec<Edge>)>,
}

impl Model {
    /// Adds a node with its operands, given as producer and rule.
    pub(crate) fn add(&mut self, sizes: &[u64], operands: &[(usize, Rule)]) -> usize {
        let edges = operands.iter().map(|&(producer, rule)| {
            let sources = self.nodes[producer].0.len();
            (producer, rule.table(sizes.len(), sources))
        });
        let edges = edges.collect();
        self.nodes.push((sizes.to_vec(), edges));
        self.nodes.len() - 1
    }

    pub(crate) fn graph(&self) -> Graph {
        let mut graph = Graph::new();
        let mut ids: Vec<NodeId> = Vec::new();
        for (sizes, edges) in &self.nodes {
            let operands = edges.iter().map(|(producer, table)| {
                let sources = self.nodes[*producer].0.len();
                Operand {
                    producer: ids[*producer],
                    needs: Needs::from_fn(sizes.len(), sources, |to, from| table[to][from]),
                }
            });
            let operands = operands.collect();
            let candidates = sizes.iter().map(|&size| Elements(size)).collect();
            ids.push(graph.add(candidates, operands).unwrap());
        }
        graph
    }
}

/// The need of an operand if candidate `k` has the stick on dimension `k`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// The stick of the result: pointwise operations.
    Same,
    /// Any stick: broadcasts.
    Any,
    /// This stick, whatever the result has: reductions and matrix products.
    Stick(u32),
    /// The stick of the result, where the producer has this one.
    From(u32),
    /// The stick of the result, after the two dimensions are swapped.
    Transposed,
    /// A copy, always the same.
    Always,
    /// The stick of the result, and only stick 0 can be made by a copy.
    SameToZero,
    /// The stick of the result, and there are no copies.
    SameOnly,
    /// Bits of this number decide.
    Random(u64),
}

impl Rule {
    fn table(self, consumers: usize, producers: usize) -> Vec<Vec<Need>> {
        let row = |to| (0..producers).map(|from| self.need(to, from)).collect();
        (0..consumers).map(row).collect()
    }

    fn need(self, to: usize, from: usize) -> Need {
        let (to, from) = (to as u32, from as u32);
        let copy_unless = |met, target| match met {
            true => Need::Met,
            false => Need::Copy(TargetId(target)),
        };
        match self {
            Self::Same => copy_unless(to == from, to),
            Self::Any => Need::Met,
            Self::Stick(stick) => copy_unless(from == stick, stick),
            Self::From(stick) => copy_unless(to == stick, to),
            Self::Transposed => copy_unless(to == 1 - from, 1 - to),
            Self::Always => Need::Copy(TargetId(0)),
            Self::SameToZero if to == from || to == 0 => copy_unless(to == from, to),
            Self::SameOnly if to == from => Need::Met,
            Self::SameToZero | Self::SameOnly => Need::Impossible,
            Self::Random(bits) => match mix(bits ^ u64::from(to * 8 + from)) % 8 {
                0 | 1 => Need::Met,
                2 => Need::Impossible,
                other => Need::Copy(TargetId((other % 3) as u32)),
            },
        }
    }
}

/// All bits of the result depend on all bits of the number (SplitMix64).
pub(crate) fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The result of trying every choice.
#[derive(Debug)]
pub(crate) struct Exhaustive {
    /// The least cost, if there is a choice.
    pub least: Option<u64>,
    /// Nodes that have a choice for themselves and all before.
    reached: usize,
    /// For the node after these: the operands that rule out all its candidates, whatever is chosen
    /// before.
    blocked: Vec<bool>,
}

impl Exhaustive {
    /// Tries every choice for a graph of at most eight nodes and eight targets.
    pub(crate) fn new(model: &Model) -> Self {
        assert!(model.nodes.len() <= 8);
        let mut result = Self {
            least: None,
            reached: 0,
            blocked: Vec::new(),
        };
        result.visit(model, &mut Vec::new(), 0, 0);
        result
    }

    /// The node at which there is no choice, and the operand to blame.
    pub(crate) fn dead_end(&self) -> (usize, Option<usize>) {
        (
            self.reached,
            self.blocked.iter().position(|&blocked| blocked),
        )
    }

    /// `copies` has one bit per value and target.
    fn visit(&mut self, model: &Model, chosen: &mut Vec<usize>, copies: u64, paid: u64) {
        let index = chosen.len();
        let Some((sizes, edges)) = model.nodes.get(index) else {
            self.least = Some(self.least.map_or(paid, |least| least.min(paid)));
            self.reached = index;
            return;
        };
        if index > self.reached || self.blocked.is_empty() {
            self.reached = index;
            self.blocked = vec![true; edges.len()];
        }
        if index == self.reached {
            for (blocked, (producer, table)) in self.blocked.iter_mut().zip(edges) {
                let source = chosen[*producer];
                *blocked &= table.iter().all(|row| row[source] == Need::Impossible);
            }
        }
        'candidates: for candidate in 0..sizes.len() {
            let (mut copies, mut paid) = (copies, paid);
            for (producer, table) in edges {
                let source = chosen[*producer];
                match table[candidate][source] {
                    Need::Met => {}
                    Need::Impossible => continue 'candidates,
                    Need::Copy(TargetId(target)) => {
                        assert!(target < 8);
                        let bit = 1 << (producer * 8 + target as usize);
                        if copies & bit == 0 {
                            copies |= bit;
                            paid += model.nodes[*producer].0[source];
                        }
                    }
                }
            }
            chosen.push(candidate);
            self.visit(model, chosen, copies, paid);
            chosen.pop();
        }
    }
}
