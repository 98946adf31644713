//! Every shape of a graph with up to six operations of up to two operands each, against brute force.

use std::num::NonZeroUsize;

use spyre_plan::restickify::{NoChoice, greedy, optimize};

use crate::model::{Exhaustive, Model, Rule, mix};

const WIDE: NonZeroUsize = NonZeroUsize::new(1 << 20).unwrap();

/// The counts of the interesting cases: a family without them would show little.
#[derive(Debug, Default)]
struct Seen {
    graphs: usize,
    infeasible: usize,
    blocked: usize,
    greedy_ends_early: usize,
    greedy_pays_more: usize,
    narrow_pays_more: usize,
}

impl Seen {
    /// Compares the results for one graph with the results of an exhaustive search.
    fn check(&mut self, model: &Model) {
        self.graphs += 1;
        let graph = model.graph();
        let expected = Exhaustive::new(model);
        let greedy = greedy(&graph);
        let widest = optimize(&graph, WIDE);
        let narrow = optimize(&graph, NonZeroUsize::MIN);
        let Some(least) = expected.least else {
            let NoChoice::Infeasible(end) = widest.unwrap_err() else {
                panic!("undecided: {model:?}");
            };
            let at = (end.node.index(), end.operand);
            assert_eq!(at, expected.dead_end(), "{model:?}");
            assert_eq!(narrow.unwrap_err(), NoChoice::Infeasible(end));
            assert!(greedy.unwrap_err().node <= end.node);
            self.infeasible += 1;
            self.blocked += usize::from(end.operand.is_some());
            return;
        };
        let (widest, narrow) = (widest.unwrap(), narrow.unwrap());
        assert_eq!(widest.cost.get(), least, "{model:?}");
        assert!(widest.is_optimal());
        for choice in [Some(&widest), Some(&narrow), greedy.as_ref().ok()]
            .into_iter()
            .flatten()
        {
            assert_eq!(
                graph.cost(&choice.candidates),
                Some(choice.cost),
                "{model:?}"
            );
            assert!(choice.lower_bound.get() <= least, "{choice:?} {model:?}");
            assert!(choice.cost.get() >= least);
        }
        self.narrow_pays_more += usize::from(narrow.cost > widest.cost);
        match greedy {
            Ok(greedy) => {
                assert!(narrow.cost <= greedy.cost);
                self.greedy_pays_more += usize::from(greedy.cost > widest.cost);
            }
            Err(_) => self.greedy_ends_early += 1,
        }
    }
}

/// Calls `with` for the producers of each operand of each node, for all graphs of `nodes` nodes.
fn shapes(nodes: usize, with: &mut impl FnMut(&[Vec<usize>])) {
    fn extend(nodes: usize, shape: &mut Vec<Vec<usize>>, with: &mut impl FnMut(&[Vec<usize>])) {
        let before = shape.len();
        if before == nodes {
            return with(shape);
        }
        let none = std::iter::once(vec![]);
        let one = (0..before).map(|a| vec![a]);
        let two = (0..before).flat_map(|a| (a..before).map(move |b| vec![a, b]));
        for operands in none.chain(one).chain(two) {
            shape.push(operands);
            extend(nodes, shape, with);
            shape.pop();
        }
    }
    extend(nodes, &mut Vec::new(), with);
}

/// The rule of an operand: one of the first `kinds` kinds.
fn rule(kind: u64, bits: u64) -> Rule {
    match kind {
        0 | 1 => Rule::Same,
        2 => Rule::Stick((bits % 3) as u32),
        3 => Rule::Any,
        4 => Rule::SameToZero,
        5 => Rule::SameOnly,
        _ => Rule::Random(bits),
    }
}

/// A graph of the given shape, with candidates, sizes and rules that follow from the seed.
fn labelled(shape: &[Vec<usize>], seed: u64, kinds: u64) -> Model {
    let mut state = seed;
    let mut next = || {
        state = mix(state);
        state
    };
    let mut model = Model::default();
    for operands in shape {
        let count = 1 + next() as usize % 3;
        let sizes: Vec<u64> = match next() % 3 {
            0 => vec![6; count],
            1 => (0..count).map(|_| next() % 12).collect(),
            _ => vec![1 + next() % 5; count],
        };
        let operands: Vec<(usize, Rule)> = operands
            .iter()
            .map(|&producer| (producer, rule(next() % kinds, next())))
            .collect();
        model.add(&sizes, &operands);
    }
    model
}

#[test]
fn shapes_are_counted_as_expected() {
    // A node after n others has 1 + n + n (n + 1) / 2 ways to read them.
    for (nodes, expected) in [(1, 1), (2, 3), (3, 18), (4, 180), (5, 2700)] {
        let mut count = 0;
        shapes(nodes, &mut |_| count += 1);
        assert_eq!(count, expected);
    }
}

#[test]
fn every_shape_of_six_nodes_is_optimal() {
    let mut seen = Seen::default();
    shapes(6, &mut |shape| {
        seen.check(&labelled(shape, seen.graphs as u64, 7));
    });
    assert_eq!(seen.graphs, 56_700);
    assert!(seen.infeasible > 1_000, "{seen:?}");
    assert!(seen.blocked > 1_000, "{seen:?}");
    assert!(seen.greedy_ends_early > 1_000, "{seen:?}");
    assert!(seen.greedy_pays_more > 1_000, "{seen:?}");
    assert!(seen.narrow_pays_more > 10, "{seen:?}");
}

#[test]
fn every_small_shape_is_optimal_with_many_labels() {
    let mut seen = Seen::default();
    for nodes in 1..=5 {
        let labels = if nodes == 5 { 5 } else { 60 };
        shapes(nodes, &mut |shape| {
            for _ in 0..labels {
                // Without impossible needs, choices differ in cost alone.
                let kinds = if seen.graphs % 2 == 0 { 4 } else { 7 };
                seen.check(&labelled(shape, !(seen.graphs as u64), kinds));
            }
        });
    }
    assert_eq!(seen.graphs, 202 * 60 + 2_700 * 5);
    assert!(seen.greedy_pays_more > 1_000, "{seen:?}");
}
