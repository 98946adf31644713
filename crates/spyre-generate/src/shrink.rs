//! Smaller programs of one that fails.

use crate::program::{NodeKind, Program};

/// Returns smaller programs, the smallest first: results, hints, splits and operations are left out, and operations become inputs.
#[must_use]
pub fn smaller(program: &Program) -> Vec<Program> {
    let mut programs = Vec::new();
    if program.results.len() > 1 {
        for result in &program.results {
            programs.push(Program {
                results: vec![*result],
                ..program.clone()
            });
        }
    }
    for (at, node) in program.nodes.iter().enumerate().rev() {
        // No argument is a pair of moments.
        let stays = matches!(node.kind, NodeKind::Input(_) | NodeKind::Moments);
        if !stays && !program.results.contains(&at) {
            programs.push(cut(program, at));
        }
        // A result may be any of its operands instead.
        if program.results == [at] {
            for operand in &node.operands {
                if !matches!(
                    program.nodes[*operand].kind,
                    NodeKind::Input(_) | NodeKind::Fill(_) | NodeKind::Moments
                ) {
                    programs.push(Program {
                        results: vec![*operand],
                        ..program.clone()
                    });
                }
            }
        }
    }
    programs.extend(with_fewer_choices(program));
    for program in &mut programs {
        *program = without_dead(program);
    }
    programs.retain(|smaller| smaller != program);
    programs
}

/// Returns the program without some hints, splits, sticks, cores, or its size of the scratchpad.
fn with_fewer_choices(program: &Program) -> Vec<Program> {
    let mut programs = Vec::new();
    let scopes = program.nodes.iter().flat_map(|node| &node.hints);
    let mut scopes: Vec<usize> = scopes.map(|hint| hint.scope).collect();
    scopes.sort_unstable();
    scopes.dedup();
    for scope in scopes {
        let mut without = program.clone();
        for node in &mut without.nodes {
            node.hints.retain(|hint| hint.scope != scope);
        }
        programs.push(without);
    }
    for at in 0..program.nodes.len() {
        if !program.nodes[at].hints.is_empty() {
            let mut without = program.clone();
            without.nodes[at].hints.clear();
            programs.push(without);
        }
        if !program.nodes[at].split.is_empty() {
            let mut without = program.clone();
            without.nodes[at].split.clear();
            programs.push(without);
        }
        if program.nodes[at].stick.is_some() {
            let mut without = program.clone();
            without.nodes[at].stick = None;
            programs.push(without);
        }
    }
    if program.lx_bytes.is_some() {
        programs.push(Program {
            lx_bytes: None,
            ..program.clone()
        });
    }
    if program.cores > 1 {
        programs.push(Program {
            cores: 1,
            ..program.clone()
        });
    }
    programs
}

/// Returns the program with an input in the place of an operation.
fn cut(program: &Program, at: usize) -> Program {
    let mut cut = program.clone();
    let node = &mut cut.nodes[at];
    node.kind = NodeKind::Input(None);
    node.operands.clear();
    node.hints.clear();
    node.split.clear();
    node.view = None;
    node.stick = None;
    node.is_named = true;
    node.bound = node.bound.map(|bound| bound.min(3));
    cut
}

/// Returns the program without the nodes that no result needs.
fn without_dead(program: &Program) -> Program {
    let mut needed = vec![false; program.nodes.len()];
    for result in &program.results {
        needed[*result] = true;
    }
    for at in (0..program.nodes.len()).rev() {
        if needed[at] {
            for operand in &program.nodes[at].operands {
                needed[*operand] = true;
            }
        }
    }
    let mut moved = Vec::new();
    let mut next = 0;
    for needed in &needed {
        moved.push(next);
        next += usize::from(*needed);
    }
    let nodes = program
        .nodes
        .iter()
        .zip(&needed)
        .filter(|(_, needed)| **needed);
    let nodes = nodes.map(|(node, _)| {
        let mut node = node.clone();
        for operand in &mut node.operands {
            *operand = moved[*operand];
        }
        node
    });
    Program {
        nodes: nodes.collect(),
        results: program.results.iter().map(|at| moved[*at]).collect(),
        ..program.clone()
    }
}
