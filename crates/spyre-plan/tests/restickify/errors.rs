//! Graphs that are refused, and graphs without a choice.

use spyre_layout::Elements;
use spyre_plan::restickify::{
    DEFAULT_WIDTH, DeadEnd, Graph, GraphError, MAX_COST, Need, Needs, NoChoice, NodeId, Operand,
    TargetId, greedy, optimize,
};

use crate::model::{Model, Rule};

fn reads(producer: NodeId, consumers: usize, producers: usize, need: Need) -> Operand {
    Operand {
        producer,
        needs: Needs::from_fn(consumers, producers, |_, _| need),
    }
}

#[test]
fn nodes_that_do_not_fit_leave_the_graph_alone() {
    let mut graph = Graph::new();
    let a = graph.add(vec![Elements(1); 2], vec![]).unwrap();
    let error = graph.add(vec![], vec![]).unwrap_err();
    assert_eq!(error.to_string(), "node 1 has no candidate layouts");

    let mut longer = graph.clone();
    let later = longer.add(vec![Elements(1)], vec![]).unwrap();
    let operands = vec![reads(a, 1, 2, Need::Met), reads(later, 1, 1, Need::Met)];
    let error = graph.add(vec![Elements(1)], operands).unwrap_err();
    let message = "operand 1 of node 1 is node 1, which is not an earlier one";
    assert_eq!(error.to_string(), message);

    let error = graph
        .add(vec![Elements(1)], vec![reads(a, 1, 3, Need::Met)])
        .unwrap_err();
    let message = "operand 0 of node 1 has needs for 1 x 3 candidates, but the node has 1 and its \
                   producer 2";
    assert_eq!(error.to_string(), message);
    assert_eq!(graph.len(), 1);
}

#[test]
fn costs_are_limited_and_never_overflow() {
    let copy = Need::Copy(TargetId(0));
    let mut graph = Graph::new();
    // Sizes of values that are never copied do not matter.
    let huge = graph.add(vec![Elements(u64::MAX)], vec![]).unwrap();
    graph
        .add(vec![Elements(u64::MAX)], vec![reads(huge, 1, 1, Need::Met)])
        .unwrap();
    let half = Elements(MAX_COST.get() / 2);
    let a = graph.add(vec![half], vec![]).unwrap();
    let b = graph.add(vec![half], vec![]).unwrap();
    graph
        .add(vec![half], vec![reads(a, 1, 1, copy), reads(b, 1, 1, copy)])
        .unwrap();
    let choice = optimize(&graph, DEFAULT_WIDTH).unwrap();
    assert_eq!((choice.cost, choice.is_optimal()), (MAX_COST, true));

    let one = graph.add(vec![Elements(1)], vec![]).unwrap();
    for (producer, node) in [(one, 6), (huge, 6)] {
        let error = graph
            .add(vec![half], vec![reads(producer, 1, 1, copy)])
            .unwrap_err();
        assert_eq!(error, GraphError::TooExpensive { node });
    }
}

#[test]
fn an_empty_graph_has_an_empty_choice() {
    let choice = optimize(&Graph::new(), DEFAULT_WIDTH).unwrap();
    assert_eq!((choice.candidates.len(), choice.cost), (0, Elements::ZERO));
    assert!(choice.is_optimal());
}

#[test]
fn a_choice_is_found_where_greedy_ends_early() {
    // Candidate 0 of b is as cheap as 1, but no operation can read it.
    let mut model = Model::default();
    let a = model.add(&[8], &[]);
    let b = model.add(&[8, 8], &[(a, Rule::Any)]);
    let c = model.add(&[8], &[(a, Rule::Any), (b, Rule::Any)]);
    model.nodes[c].1[1].1[0][0] = Need::Impossible;
    let graph = model.graph();
    let end = greedy(&graph).unwrap_err();
    assert_eq!((end.node.index(), end.operand), (2, Some(1)));
    assert_eq!(
        optimize(&graph, DEFAULT_WIDTH).unwrap().candidates,
        [0, 1, 0]
    );
}

#[test]
fn the_first_node_without_a_candidate_is_named() {
    // Both operands of c can be met, but not together: no operand is to blame. d fails as well.
    let mut model = Model::default();
    let a = model.add(&[8, 8], &[]);
    let b = model.add(&[8, 8], &[(a, Rule::SameOnly)]);
    let c = model.add(&[8], &[(a, Rule::Any), (b, Rule::Any)]);
    model.nodes[c].1[0].1[0][0] = Need::Impossible;
    model.nodes[c].1[1].1[0][1] = Need::Impossible;
    let d = model.add(&[8], &[(b, Rule::Any)]);
    model.nodes[d].1[0].1[0] = vec![Need::Impossible; 2];
    let error = optimize(&model.graph(), DEFAULT_WIDTH).unwrap_err();
    let NoChoice::Infeasible(DeadEnd {
        node,
        operand: None,
    }) = error
    else {
        panic!("{error:?}");
    };
    assert_eq!(node.index(), c);
    let message = "no candidate of node 2 is compatible with any choice for earlier nodes";
    assert_eq!(error.to_string(), message);
}
