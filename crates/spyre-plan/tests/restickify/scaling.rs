//! Large graphs: work grows with the number of nodes, and long chains are optimal.

use std::num::NonZeroUsize;

use spyre_plan::restickify::{Choice, DEFAULT_WIDTH, Need, greedy, optimize};

use crate::model::{Model, Rule, mix};

const NODES: usize = 10_000;
const SIZE: u64 = 4096;

fn solve(model: &Model) -> Choice {
    let graph = model.graph();
    let choice = optimize(&graph, DEFAULT_WIDTH).unwrap();
    assert_eq!(graph.cost(&choice.candidates), Some(choice.cost));
    choice
}

/// An argument with the stick of a random dimension, and how to read it.
fn argument(model: &mut Model, seed: usize) -> (usize, Rule) {
    let stick = (mix(seed as u64) % 3) as u32;
    (
        model.add(&[SIZE + u64::from(stick)], &[]),
        Rule::From(stick),
    )
}

/// Each operation reads the one before, and an argument.
fn chain(length: usize) -> Model {
    let mut model = Model::default();
    let mut last = model.add(&[SIZE; 3], &[]);
    for index in 0..length {
        let argument = argument(&mut model, index);
        let candidates = 2 + index % 2;
        last = model.add(&[SIZE; 3][..candidates], &[(last, Rule::Same), argument]);
    }
    model
}

/// The least cost of a chain: of each candidate of the last node, from the costs of the node
/// before.
fn least_cost_of_chain(model: &Model) -> u64 {
    let mut least = vec![0; 3];
    for (sizes, edges) in &model.nodes {
        let [(_, from_last), (argument, from_argument)] = &edges[..] else {
            continue;
        };
        let cost = |need: Need, size: u64| match need {
            Need::Met => 0,
            Need::Copy(_) => size,
            Need::Impossible => panic!("every need of a chain can be met"),
        };
        let next = (0..sizes.len()).map(|to| {
            let before = least.iter().enumerate();
            let before = before.map(|(from, paid)| paid + cost(from_last[to][from], SIZE));
            let argument = cost(from_argument[to][0], model.nodes[*argument].0[0]);
            before.min().unwrap() + argument
        });
        least = next.collect();
    }
    least.into_iter().min().unwrap()
}

#[test]
fn long_chains_are_optimal_without_a_search() {
    let model = chain(NODES);
    let choice = solve(&model);
    assert_eq!(choice.cost.get(), least_cost_of_chain(&model));
    assert!(choice.is_optimal());
    assert!(choice.cost < greedy(&model.graph()).unwrap().cost);
    // Each value has one reader, and is chosen with it.
    assert_eq!(choice.statistics.widest, 1);
}

#[test]
fn long_chains_of_operations_with_two_readers_are_optimal_in_linear_work() {
    let expanded = [NODES / 2, NODES].map(|length| {
        let mut model = Model::default();
        let mut last = [model.add(&[SIZE; 3], &[]), model.add(&[SIZE; 2], &[])];
        for index in 0..length {
            let argument = argument(&mut model, index);
            let operands = [(last[0], Rule::Same), (last[1], Rule::Same), argument];
            let node = model.add(&[SIZE; 3][..2 + index % 2], &operands);
            last = [last[1], node];
        }
        let choice = solve(&model);
        assert!(choice.is_optimal());
        assert!(choice.cost < greedy(&model.graph()).unwrap().cost);
        // The candidates of two values, and which of their copies there are.
        assert!(choice.statistics.widest <= 32, "{:?}", choice.statistics);
        let expanded = choice.statistics.expanded;
        assert!((length..=32 * length).contains(&expanded), "{expanded}");
        expanded
    });
    assert!(expanded[1] <= expanded[0] * 21 / 10, "{expanded:?}");
}

/// One value is read by many operations, and their results by one more, if `joined`.
fn fan(readers: usize, joined: bool) -> Model {
    let mut model = Model::default();
    let value = model.add(&[SIZE; 3], &[]);
    let results: Vec<_> = (0..readers)
        .map(|index| {
            let argument = argument(&mut model, index);
            (
                model.add(&[SIZE; 3], &[(value, Rule::Same), argument]),
                Rule::Same,
            )
        })
        .collect();
    if joined {
        model.add(&[SIZE; 3], &results);
    }
    model
}

#[test]
fn a_value_with_many_readers_takes_linear_work() {
    let expanded = [NODES, 2 * NODES].map(|readers| {
        let choice = solve(&fan(readers, false));
        assert!(choice.is_optimal());
        choice.statistics.expanded
    });
    assert!(expanded[1] <= expanded[0] * 21 / 10, "{expanded:?}");
}

#[test]
fn a_node_with_many_operands_takes_linear_work() {
    // The results are alive at the same time, so no width is enough to keep all choices.
    let width = NonZeroUsize::new(8).unwrap();
    let expanded = [NODES / 4, NODES / 2].map(|readers| {
        let graph = fan(readers, true).graph();
        let choice = optimize(&graph, width).unwrap();
        assert_eq!(graph.cost(&choice.candidates), Some(choice.cost));
        assert!(choice.cost <= greedy(&graph).unwrap().cost);
        assert_eq!(choice.statistics.widest, width.get());
        assert!(!choice.is_optimal());
        choice.statistics.expanded
    });
    assert!(expanded[1] <= expanded[0] * 21 / 10, "{expanded:?}");
}

#[test]
fn trees_are_optimal_in_any_order() {
    // A binary tree, level by level: a thousand values are alive at the same time.
    let mut model = Model::default();
    let mut level: Vec<_> = (0..1024)
        .map(|index| {
            let arguments = [
                argument(&mut model, 2 * index),
                argument(&mut model, 2 * index + 1),
            ];
            model.add(&[SIZE; 3], &arguments)
        })
        .collect();
    while let [_, _, ..] = level[..] {
        let pairs = level.chunks(2).map(|pair| {
            let operands: Vec<_> = pair.iter().map(|&value| (value, Rule::Same)).collect();
            model.add(&[SIZE; 3], &operands)
        });
        level = pairs.collect();
    }
    let graph = model.graph();
    let choice = solve(&model);
    assert!(choice.cost < greedy(&graph).unwrap().cost);
    assert!(choice.is_optimal());
    assert!(
        choice.statistics.expanded <= 8 * graph.len(),
        "{:?}",
        choice.statistics
    );
}

#[test]
fn parts_that_do_not_meet_are_searched_one_by_one() {
    // 500 chains, step by step: together they have more than 3 to the 500 states at each step.
    let mut model = Model::default();
    let mut add = |operands: &[_]| model.add(&[SIZE; 3], operands);
    let mut last: Vec<_> = (0..500).map(|_| [add(&[]), add(&[])]).collect();
    for step in 0..10 {
        for (index, last) in last.iter_mut().enumerate() {
            let argument = argument(&mut model, step * 500 + index);
            let operands = [(last[0], Rule::Same), (last[1], Rule::Same), argument];
            *last = [last[1], model.add(&[SIZE; 3], &operands)];
        }
    }
    let choice = solve(&model);
    assert!(choice.is_optimal());
    assert!(choice.statistics.widest <= 64, "{:?}", choice.statistics);
}
