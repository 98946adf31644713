//! Properties of random graphs.

use std::num::NonZeroUsize;

use proptest::prelude::*;
use spyre_layout::Elements;
use spyre_plan::restickify::{DEFAULT_WIDTH, NoChoice, greedy, optimize};

use crate::model::{Exhaustive, Model, Rule};

/// Kinds of needs that can always be met.
fn feasible() -> impl Strategy<Value = Rule> {
    prop_oneof![
        3 => Just(Rule::Same),
        1 => (0u32..3).prop_map(Rule::Stick),
        1 => (0u32..3).prop_map(Rule::From),
        1 => Just(Rule::Any),
    ]
}

fn any_rule() -> impl Strategy<Value = Rule> {
    prop_oneof![
        4 => feasible(),
        1 => Just(Rule::SameToZero),
        1 => any::<u64>().prop_map(Rule::Random),
    ]
}

/// Up to `nodes` nodes that read up to three of the `window` nodes before them.
fn model(
    nodes: usize,
    window: usize,
    rule: impl Strategy<Value = Rule>,
) -> impl Strategy<Value = Model> {
    let operands = prop::collection::vec((0..window, rule), 0..=3);
    let node = (prop::collection::vec(0u64..20, 1..=3), operands);
    prop::collection::vec(node, 1..=nodes).prop_map(|nodes| {
        let mut model = Model::default();
        for (index, (sizes, operands)) in nodes.into_iter().enumerate() {
            let back = operands
                .iter()
                .map(|&(back, rule)| (index.checked_sub(back + 1), rule));
            let operands: Vec<_> = back
                .filter_map(|(node, rule)| Some((node?, rule)))
                .collect();
            model.add(&sizes, &operands);
        }
        model
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn small_graphs_are_optimal(model in model(8, 8, any_rule())) {
        let expected = Exhaustive::new(&model);
        match optimize(&model.graph(), DEFAULT_WIDTH) {
            Ok(choice) => {
                prop_assert_eq!(Some(choice.cost.get()), expected.least);
                prop_assert!(choice.is_optimal());
            }
            Err(NoChoice::Infeasible(end)) => {
                prop_assert_eq!(expected.least, None);
                prop_assert_eq!((end.node.index(), end.operand), expected.dead_end());
            }
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    #[test]
    fn a_choice_is_what_it_says_at_any_width(
        model in model(60, 12, feasible()), width in 1usize..20,
    ) {
        let graph = model.graph();
        let width = NonZeroUsize::new(width).unwrap();
        let greedy = greedy(&graph).unwrap();
        let narrow = optimize(&graph, width).unwrap();
        let wide = optimize(&graph, DEFAULT_WIDTH).unwrap();
        for choice in [&greedy, &narrow, &wide] {
            prop_assert_eq!(graph.cost(&choice.candidates), Some(choice.cost));
            prop_assert!(choice.cost <= greedy.cost);
            // No bound is above the cost of any choice.
            prop_assert!(choice.lower_bound <= narrow.cost.min(wide.cost));
        }
        prop_assert!(narrow.statistics.widest <= width.get());
        prop_assert_eq!(optimize(&model.graph(), width), Ok(narrow));
    }

    #[test]
    fn a_choice_is_found_where_greedy_ends(model in model(30, 6, any_rule())) {
        let graph = model.graph();
        let choice = optimize(&graph, NonZeroUsize::MIN);
        match greedy(&graph) {
            Ok(greedy) => prop_assert!(choice.unwrap().cost <= greedy.cost),
            Err(end) => match choice {
                Ok(choice) => {
                    prop_assert_eq!(graph.cost(&choice.candidates), Some(choice.cost));
                }
                Err(NoChoice::Infeasible(first)) => prop_assert!(first.node >= end.node),
                Err(error) => prop_assert!(false, "{}", error),
            },
        }
    }

    #[test]
    fn nothing_is_a_choice_that_is_not_one(
        model in model(10, 10, feasible()), node in 0usize..10, beyond in 0usize..3,
    ) {
        let graph = model.graph();
        let mut candidates = greedy(&graph).unwrap().candidates;
        let node = node % candidates.len();
        candidates[node] = model.nodes[node].0.len() + beyond;
        prop_assert_eq!(graph.cost(&candidates), None);
        candidates.pop();
        prop_assert_eq!(graph.cost(&candidates), None::<Elements>);
    }
}
