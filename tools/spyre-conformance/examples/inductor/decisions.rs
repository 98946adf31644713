//! Compares the decisions about a graph with the decisions of PyTorch.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use smol_str::format_smolstr;
use spyre_index_expr::{Expr, Var};
use spyre_inductor::schedule::Policy;
use spyre_inductor::schedule::deps::Dep;
use spyre_inductor::schedule::fuse::{Fused, Refusal, Score, fuse};
use spyre_inductor::schedule::graph::Graph;
use spyre_inductor::schedule::nest::Nest;
use spyre_inductor::schedule::program::{BufferId, NodeId, NodeKind, Program};
use spyre_inductor::schema::Text;
use spyre_inductor::{names, schema};

/// Names of loops in PyTorch: in bodies, and in dependences.
const BODY: char = 'p';
const DEPENDENCE: char = 'c';

/// Compares the decisions about a program with the decisions of a file. Returns the differences.
pub(crate) fn compare(program: &Program, symbols: &[Text], file: &Value) -> Vec<String> {
    let policy = match file["backend"]["cpu"].as_str() {
        Some("CppScheduling") => Policy::Cpp,
        _ => Policy::Simd,
    };
    let write = Write { program, symbols };
    let mut differences = Vec::new();
    let mut graph = match Graph::new(program) {
        Ok(graph) => graph,
        Err(err) => return vec![err.to_string()],
    };
    write.nodes(&graph, file, &mut differences);
    match fuse(&mut graph, policy) {
        Ok(fused) => write.fused(&graph, &fused, file, &mut differences),
        Err(err) => differences.push(err.to_string()),
    }
    differences
}

struct Write<'a> {
    program: &'a Program,
    symbols: &'a [Text],
}

fn differ(what: &str, actual: &Value, expected: &Value, differences: &mut Vec<String>) {
    if actual != expected {
        differences.push(format!("{what} is {actual}, and was {expected}"));
    }
}

/// Returns a list with its elements in order.
fn sorted(list: &Value) -> Value {
    let mut texts: Vec<String> = list
        .as_array()
        .into_iter()
        .flatten()
        .map(Value::to_string)
        .collect();
    texts.sort();
    texts.into()
}

impl Write<'_> {
    fn expr(&self, expr: &Expr, loops: char) -> schema::Expr {
        names::write(expr, &|var| match var {
            Var::Loop(number) => format_smolstr!("{loops}{number}"),
            Var::Indirect(number) if loops == DEPENDENCE => format_smolstr!("tmp{number}"),
            Var::Indirect(number) => format_smolstr!("indirect{number}"),
            Var::Symbol(number) => self.symbols[number as usize].clone(),
        })
    }

    fn buffer(&self, id: BufferId) -> &str {
        &self.program[id].name
    }

    fn name(&self, id: NodeId) -> &str {
        &self.program[id].name
    }

    fn kernel(&self, nodes: &[NodeId]) -> String {
        let names: Vec<&str> = nodes.iter().map(|id| self.name(*id)).collect();
        names.join("_")
    }

    fn dep(&self, dep: &Dep) -> Value {
        match dep {
            Dep::Star(buffer, mode) => {
                let mut star = json!({"t": "star", "name": self.buffer(*buffer)});
                if let Some(mode) = mode {
                    star["mode"] = mode.clone().into();
                }
                star
            }
            Dep::Weak {
                buffer,
                overwriting,
                is_fake,
            } => json!({
                "t": "weak", "name": self.buffer(*buffer),
                "mutating": self.buffer(*overwriting), "fake": is_fake,
            }),
            Dep::Memory(buffer, elements) => {
                let loops = elements.loops.iter().enumerate();
                let vars: Vec<Value> = loops
                    .map(|(number, size)| {
                        json!([format!("c{number}"), self.expr(size, DEPENDENCE)])
                    })
                    .collect();
                let mut actual = json!({
                    "t": "mem", "name": self.buffer(*buffer),
                    "index": self.expr(&elements.index, DEPENDENCE), "vars": vars,
                });
                if let Some(mode) = &elements.mode {
                    actual["mode"] = mode.clone().into();
                }
                actual
            }
        }
    }

    fn deps<'d>(&self, deps: impl Iterator<Item = &'d Dep>) -> Value {
        sorted(&deps.map(|dep| self.dep(dep)).collect())
    }

    fn sizes(&self, nest: &Nest) -> Value {
        let sizes = |list: &[Expr]| -> Value {
            let exprs = list.iter().map(|size| self.expr(size, BODY));
            json!(exprs.collect::<Vec<_>>())
        };
        let (parallel, reduced) = nest.loops.split_at(nest.parallel);
        json!([sizes(parallel), sizes(reduced)])
    }

    /// Compares nodes before they are fused.
    fn nodes(&self, graph: &Graph<'_>, file: &Value, differences: &mut Vec<String>) {
        let expected: &[Value] = file["pre"].as_array().map_or(&[], Vec::as_slice);
        let order: Vec<&str> = graph.order.iter().map(|id| self.name(*id)).collect();
        let names: Vec<&Value> = expected.iter().map(|node| &node["name"]).collect();
        differ("the order", &json!(order), &json!(names), differences);
        let removed: Vec<&str> = graph.removed.iter().map(|id| self.name(*id)).collect();
        differ(
            "what is removed",
            &sorted(&json!(removed)),
            &sorted(&file["removed_ops"]),
            differences,
        );
        for (id, expected) in graph.order.iter().zip(expected) {
            let (node, name) = (graph.node(*id), self.name(*id));
            let mut check = |what: &str, actual: Value, expected: &Value| {
                differ(&format!("{what} of {name}"), &actual, expected, differences);
            };
            if let Some(loops) = &node.loops {
                check("the loops", self.sizes(&loops.nest), &expected["sizes"]);
                let indices: BTreeSet<String> = loops
                    .nest
                    .formulas()
                    .map(|expr| json!(self.expr(expr, BODY)).to_string())
                    .collect();
                let recorded = expected["body"]["index"].as_object();
                let recorded: BTreeSet<String> = recorded
                    .into_iter()
                    .flat_map(|recorded| recorded.values())
                    .map(|index| index["e"].to_string())
                    .collect();
                let extra: Vec<&String> = indices.difference(&recorded).collect();
                check("an index", json!(extra), &json!([]));
            }
            check(
                "what is read",
                self.deps(node.reads.iter()),
                &sorted(&expected["reads"]),
            );
            check(
                "what is written",
                self.deps(node.writes.iter()),
                &sorted(&expected["writes"]),
            );
            check(
                "what is needed",
                self.deps(graph.unmet(*id)),
                &sorted(&expected["unmet"]),
            );
            let (near, far) = node.distance;
            check("the distance", json!([near, far]), &expected["distance"]);
            let ancestors: Vec<&str> = graph
                .order
                .iter()
                .filter(|other| graph.reaches(&[**other], &[*id]))
                .map(|other| self.name(*other))
                .collect();
            check(
                "what is before",
                sorted(&json!(ancestors)),
                &sorted(&expected["ancestors"]),
            );
            let outputs = self.outputs(graph, *id);
            let recorded = expected["outputs"].as_array().into_iter().flatten();
            let recorded: Vec<Value> = recorded
                .map(|output| json!([output["name"], sorted(&output["users"])]))
                .collect();
            check("who uses the outputs", json!(outputs), &json!(recorded));
        }
    }

    /// Returns the buffers that a node makes, each with its users.
    fn outputs(&self, graph: &Graph<'_>, id: NodeId) -> Vec<Value> {
        self.program[id]
            .makes
            .iter()
            .map(|buffer| {
                let users = graph.users_of(*buffer).iter().map(|user| {
                    json!({
                        "node": user.node.map_or("OUTPUT", |node| self.name(node)),
                        "can_inplace": user.in_place, "weak": user.is_weak,
                    })
                });
                json!([self.buffer(*buffer), sorted(&users.collect())])
            })
            .collect()
    }

    fn score(score: &Score) -> Value {
        json!([
            score.template,
            i64::from(score.is_alike),
            score.bytes,
            0,
            score.proximity
        ])
    }

    /// Compares the kernels, and the rounds of fusion that led to them.
    fn fused(&self, graph: &Graph<'_>, fused: &Fused, file: &Value, differences: &mut Vec<String>) {
        let rounds: &[Value] = file["fusion"].as_array().map_or(&[], Vec::as_slice);
        differ(
            "the number of rounds",
            &json!(fused.rounds.len()),
            &json!(rounds.len()),
            differences,
        );
        for (number, (round, expected)) in fused.rounds.iter().zip(rounds).enumerate() {
            let mut check = |what: &str, actual: Value, expected: &Value| {
                differ(
                    &format!("{what} of round {number}"),
                    &actual,
                    expected,
                    differences,
                );
            };
            let candidates: Vec<Value> = round
                .candidates
                .iter()
                .map(|(a, b, score)| json!([self.kernel(a), self.kernel(b), Self::score(score)]))
                .collect();
            check("the candidates", json!(candidates), &expected["candidates"]);
            let pairs: Vec<Value> = round
                .fused
                .iter()
                .map(|(a, b)| json!([self.kernel(a), self.kernel(b)]))
                .collect();
            check("the pairs", json!(pairs), &expected["fused"]);
            let mut refused: Vec<Value> = round
                .refused
                .iter()
                // PyTorch does not record these.
                .filter(|(_, _, err)| *err != Refusal::Loops)
                .map(|(a, b, err)| json!([self.kernel(a), self.kernel(b), err.to_string()]))
                .collect();
            let mut recorded = expected["refused"].as_array().cloned().unwrap_or_default();
            for list in [&mut refused, &mut recorded] {
                list.sort_by_key(Value::to_string);
                list.dedup();
            }
            check("the refusals", json!(refused), &json!(recorded));
        }
        self.kernels(graph, fused, file, differences);
    }

    /// Compares kernels after they are fused.
    fn kernels(
        &self,
        graph: &Graph<'_>,
        fused: &Fused,
        file: &Value,
        differences: &mut Vec<String>,
    ) {
        let expected: &[Value] = file["post"].as_array().map_or(&[], Vec::as_slice);
        let actual: Vec<String> = fused
            .kernels
            .iter()
            .map(|kernel| self.kernel(&kernel.nodes))
            .collect();
        let recorded: Vec<&Value> = expected.iter().map(|kernel| &kernel["name"]).collect();
        differ("the kernels", &json!(actual), &json!(recorded), differences);
        for (kernel, expected) in fused.kernels.iter().zip(expected) {
            let name = self.kernel(&kernel.nodes);
            let mut check = |what: &str, actual: Value, expected: &Value| {
                differ(&format!("{what} of {name}"), &actual, expected, differences);
            };
            check(
                "what is read",
                self.deps(kernel.reads.iter()),
                &sorted(&expected["reads"]),
            );
            check(
                "what is written",
                self.deps(kernel.writes.iter()),
                &sorted(&expected["writes"]),
            );
            check(
                "what is needed",
                self.deps(kernel.unmet.iter()),
                &sorted(&expected["unmet"]),
            );
            let outer = kernel.outer.as_ref();
            let depth = outer.map_or(Value::Null, |outer| outer.depth.into());
            check(
                "the shared loops",
                depth,
                &expected["outer_loop_fusion_depth"],
            );
            if let Some(outer) = outer {
                let parts = outer.parts.iter().map(|part| {
                    let names = part.iter().map(|id| self.name(*id));
                    json!(names.collect::<Vec<_>>())
                });
                check("the parts", parts.collect(), &expected["outer"]);
            }
            let sizes = kernel.nodes.iter().filter_map(|id| {
                let loops = graph.node(*id).loops.as_ref()?;
                Some((self.name(*id).to_owned(), self.sizes(&loops.nest)))
            });
            let sizes: serde_json::Map<String, Value> = sizes.collect();
            if matches!(self.program[kernel.nodes[0]].kind, NodeKind::Loops { .. }) {
                check("the loops", json!(sizes), &expected["sizes"]);
            }
        }
    }
}
