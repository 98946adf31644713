//! Remarks about dependences and fusions.

use melior::ir::operation::OperationLike;
use smol_str::format_smolstr;
use spyre_dialects::attr;
use spyre_dialects::inductor_attr::Sym;
use spyre_index_expr::tree;
use spyre_index_expr::{Expr, Var};
use spyre_inductor::schedule::deps::Dep;
use spyre_inductor::schedule::fuse::{Fused, Score};
use spyre_inductor::schedule::graph::Graph;
use spyre_inductor::schedule::program::{NodeId, Program};
use spyre_inductor::schema::Text;
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};

use super::GraphProgram;

/// Emits a remark for every operation with its reads, writes and users.
pub(super) fn dependences<'p>(
    remarks: &Remarks,
    op: Op<'p>,
    read: &GraphProgram<'p>,
    graph: &Graph<'_>,
) {
    if !remarks.is_enabled() {
        return;
    }
    let symbols = op.attribute("symbols").map(attr::elements);
    let symbols = symbols.unwrap_or_default().into_iter();
    let symbols: Vec<Text> = symbols
        .filter_map(Sym::read)
        .map(|symbol| symbol.name.into())
        .collect();
    let program = &read.program;
    for id in &graph.sorted {
        let (node, op) = (graph.node(*id), read.ops[id.0 as usize]);
        let list = |deps: &[Dep]| {
            let texts: Vec<String> = deps
                .iter()
                .map(|dep| text(program, &symbols, dep))
                .collect();
            texts.join(", ")
        };
        let users = program[*id]
            .makes
            .iter()
            .flat_map(|buffer| graph.users_of(*buffer));
        let users: Vec<String> = users
            .map(|user| {
                let name = user
                    .node
                    .map_or("OUTPUT", |node| program[node].name.as_str());
                let how = match (user.in_place, user.is_weak) {
                    (true, _) => " in place",
                    (_, true) => " weak",
                    _ => "",
                };
                format!("{name}{how}")
            })
            .collect();
        remarks.emit(|| {
            Remark::new(RemarkKind::Analysis, op.location(), "Dependences")
                .arg("Operation", &program[*id].name)
                .arg("Reads", list(&node.reads))
                .arg("Writes", list(&node.writes))
                .arg("Users", users.join(", "))
                .arg(
                    "Distance",
                    format!("{} to {}", node.distance.0, node.distance.1),
                )
        });
    }
}

/// Returns a dependence as PyTorch prints it.
fn text(program: &Program, symbols: &[Text], dep: &Dep) -> String {
    let expr = |expr: &Expr| {
        tree::text(expr, &|var| match var {
            Var::Loop(number) => format_smolstr!("c{number}"),
            Var::Indirect(number) => format_smolstr!("tmp{number}"),
            Var::Symbol(number) => symbols[number as usize].clone(),
        })
    };
    let name = &program[dep.buffer()].name;
    match dep {
        Dep::Memory(_, elements) => {
            let loops = elements.loops.iter().enumerate();
            let loops: Vec<String> = loops
                .map(|(number, size)| format!("c{number}: {}", expr(size)))
                .collect();
            let mode = elements.mode.as_ref().map(|mode| format!(", {mode}"));
            let (index, mode) = (expr(&elements.index), mode.unwrap_or_default());
            format!(
                "MemoryDep('{name}', {index}, {{{}}}{mode})",
                loops.join(", ")
            )
        }
        Dep::Star(_, mode) => match mode {
            None => format!("StarDep('{name}')"),
            Some(mode) => format!("StarDep('{name}', {mode})"),
        },
        Dep::Weak { overwriting, .. } => {
            let other = &program[*overwriting].name;
            format!("WeakDep('{name}', before '{other}')")
        }
    }
}

/// Emits a remark for every candidate pair of a fusion with its score and the rule that decided.
pub(super) fn rounds(remarks: &Remarks, read: &GraphProgram<'_>, fused: &Fused) {
    if !remarks.is_enabled() {
        return;
    }
    let program = &read.program;
    let name = |nodes: &[NodeId]| {
        let names: Vec<&str> = nodes.iter().map(|id| program[*id].name.as_str()).collect();
        names.join("_")
    };
    let place = |nodes: &[NodeId]| read.ops[nodes[0].0 as usize].location();
    for (number, round) in fused.rounds.iter().enumerate() {
        for (a, b) in &round.fused {
            let mut scores = round.candidates.iter();
            // A kernel may have grown since it was a candidate.
            let has = |all: &[NodeId], some: &[NodeId]| some.iter().all(|id| all.contains(id));
            let score = scores.find(|(one, two, _)| has(a, one) && has(b, two));
            remarks.emit(|| {
                let remark = Remark::new(RemarkKind::Passed, place(a), "Fused")
                    .arg("First", name(a))
                    .arg("Second", name(b))
                    .arg("Round", number);
                match score {
                    Some((_, _, score)) => remark.arg("Score", text_of(score)),
                    None => remark,
                }
            });
        }
        for (a, b, reason) in &round.refused {
            remarks.emit(|| {
                Remark::new(RemarkKind::Missed, place(a), "NotFused")
                    .arg("First", name(a))
                    .arg("Second", name(b))
                    .arg("Round", number)
                    .reason(reason)
            });
        }
    }
}

/// Returns a score: its class, whether both reduce or none, the bytes that both access, and how far apart they are.
fn text_of(score: &Score) -> String {
    let alike = if score.is_alike { "alike" } else { "unlike" };
    format!(
        "{}, {alike}, {} bytes, {} apart",
        score.template, score.bytes, -score.proximity
    )
}
