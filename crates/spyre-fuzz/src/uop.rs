//! Random graphs of UOps: interpreted, canonicalized, decomposed, and as linalg on the CPU.
//!
//! The expected values of a graph are computed by `spyre_uop::interpret`, which does not depend on MLIR. The functions
//! of the graph are imported, and all further forms have to compute the same: the exported graph, the graph after
//! `--uop-canonicalize` and after `--uop-decompose`, and the result of `--convert-uop-to-linalg`, compiled for the CPU.
//! Text and bytecode of the module have to be read back without a change.
//!
//! Results are equal bit for bit, with these exceptions:
//! * Canonicalized and in linalg, all NaNs are equal: `arith` does not define the bits of a NaN result, and a product
//!   with 1 folds.
//! * There, values that depend on the bits of a NaN, or on the sign of a maximum of zeros of both signs, are not
//!   compared.
//! * Decomposed and in linalg, [approximated](Case::near) results may differ by a few units of the last place: see
//!   [`tolerance`].

mod values;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{Attribute, Location, Module, ShapedTypeLike, ValueLike};
use rustc_hash::FxHashSet;
use spyre_exec::{Array, Optimization, Options, Program};
use spyre_generate::numbers::Numbers;
use spyre_generate::uop;
use spyre_mlir_rt::source::run_pipeline;
use spyre_mlir_rt::{bytecode, ir};
use spyre_uop::graph::Graph;
use spyre_uop::ids::{Id, NodeId};
use spyre_uop::interpret::{self, Inputs, Limits};
use spyre_uop::op::{AddressSpace, Op};
use spyre_uop::schema::{self, Arg, Compare, File, Node, Slot};
use spyre_uop::table::{Class, Row};
use spyre_uop::tensor::Tensor;
use spyre_uop::{file, record};
use spyre_uop_mlir::{export, import};
use values::{Allowed, different};

use crate::kind::normalized;
use crate::messages::Messages;

pub use values::tolerance;

/// The outcome of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All ways give the same.
    Same,
    /// A difference: the form, and the values.
    Failed(String),
}

/// A graph with its inputs and its results.
#[derive(Debug, Clone)]
pub struct Case {
    /// The nodes and the inputs. The last node is a `Tuple` of the results, and the `result` of the file.
    pub file: File,
    /// Whether each result is approximated.
    pub near: Vec<bool>,
}

impl Case {
    /// Returns the graph of a number, in the sequence of a seed. Results are the nodes without uses, and some of the
    /// others.
    ///
    /// # Panics
    /// The generator draws an invalid graph.
    #[must_use]
    pub fn new(seed: u64, number: u64) -> Self {
        let drawn = uop::graph(seed, number);
        let file = schema::read(drawn.text.as_bytes()).expect("the generator draws graphs");
        let read: FxHashSet<u64> = file
            .nodes
            .iter()
            .flat_map(|node| node.src.clone())
            .collect();
        let mut numbers = Numbers::new(!seed, number);
        let results: Vec<u64> = (0..)
            .zip(&drawn.nodes)
            .filter(|(id, node)| node.is_result && (!read.contains(id) || numbers.one_in(4)))
            .map(|(id, _)| id)
            .collect();
        let near = results.iter().map(|id| drawn.nodes[*id as usize].is_near);
        let near = near.collect();
        Self::from_file(&file, &results, near)
    }

    /// Returns a program with its recorded outputs as results.
    #[must_use]
    pub fn recorded(mut file: File) -> Self {
        let outputs = file.outputs.take();
        let outputs = outputs.expect("a recorded program has outputs");
        let results: Vec<u64> = outputs.iter().map(|output| output.node).collect();
        let near = outputs
            .iter()
            .map(|output| output.compare != (Compare::Exact {}));
        let near = near.collect();
        Self::from_file(&file, &results, near)
    }

    /// Returns a program that has been exported, with its result as results. Floats may be rounded otherwise.
    ///
    /// # Panics
    /// The program has no result.
    #[must_use]
    pub fn exported(file: &File) -> Self {
        let (graph, results) = graph(file).expect("the program is one with a result");
        let near = results.iter();
        let near = near.map(|id| graph.tensor(*id).dtype.is_float()).collect();
        let results: Vec<u64> = results.iter().map(|id| id.position() as u64).collect();
        Self::from_file(file, &results, near)
    }

    /// Returns the part of a file that some of its nodes need, with these as results.
    fn from_file(file: &File, results: &[u64], near: Vec<bool>) -> Self {
        let mut needed: FxHashSet<u64> = results.iter().copied().collect();
        for node in file.nodes.iter().rev() {
            if needed.contains(&node.id) {
                needed.extend(&node.src);
            }
        }
        let mut file = file.clone();
        file.nodes.retain(|node| needed.contains(&node.id));
        let slots: FxHashSet<u32> = file.nodes.iter().filter_map(slot).collect();
        if let Some(inputs) = &mut file.inputs {
            inputs.retain(|input| slots.contains(&input.slot));
        }
        let last = file.nodes.iter().map(|node| node.id).max();
        let id = last.expect("a result is a node") + 1;
        let tuple = Node::new(id, "Tuple", "void", None, results.to_vec(), Arg::default());
        file.nodes.push(tuple);
        file.result = Some(id);
        Self { file, near }
    }

    /// Returns the nodes that are results.
    fn results(&self) -> &[u64] {
        let tuple = self.file.nodes.last();
        &tuple
            .expect("the last node is the tuple of the results")
            .src
    }
}

/// Returns the number of the buffer that a node of a file is.
fn slot(node: &Node) -> Option<u32> {
    match (node.op == "Buffer", &node.arg.slot) {
        (true, Some(Slot::Number(slot))) => Some(*slot),
        _ => None,
    }
}

/// Returns the number of the argument that an operation is.
fn argument(op: &Op) -> Option<u32> {
    match op {
        Op::Buffer {
            slot,
            space: AddressSpace::Global,
            ..
        } => Some(*slot),
        _ => None,
    }
}

/// A context in which graphs are run.
pub struct Runner {
    context: Context,
    messages: Messages,
    /// The number of drawn optimisations that were legal.
    optimised: Cell<u64>,
}

impl Default for Runner {
    fn default() -> Self {
        Self::new()
    }
}

/// A graph, its inputs and its values.
struct Expected {
    graph: Graph,
    inputs: Inputs,
    /// The contents of the buffers that are arguments, in the order of their numbers.
    arguments: Vec<Tensor>,
    results: Vec<NodeId>,
    /// The values of the results.
    values: Vec<Tensor>,
}

type Checked<T> = Result<T, Outcome>;

fn failed(way: &str, message: impl std::fmt::Display) -> Outcome {
    Outcome::Failed(format!("{way}: {message}"))
}

impl Runner {
    /// Returns a runner.
    #[must_use]
    pub fn new() -> Self {
        let context = spyre_exec::context();
        context.load_all_available_dialects();
        let messages = Messages::new(&context);
        Self {
            context,
            messages,
            optimised: Cell::new(0),
        }
    }

    /// Returns how many graphs were run with optimisations, which were legal.
    #[must_use]
    pub fn optimised(&self) -> u64 {
        self.optimised.get()
    }

    /// Runs a graph in all ways.
    #[must_use]
    pub fn run(&self, case: &Case) -> Outcome {
        self.messages.take_first();
        let run = || self.ways(case).err().unwrap_or(Outcome::Same);
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Outcome::Failed(format!("panic: {}", text.unwrap_or("without a text")))
        })
    }

    /// Returns the smallest part of a graph that fails as the whole does: the graph of a result, or of an operand.
    #[must_use]
    pub fn minimal(&self, case: &Case) -> Case {
        let way = |outcome: &Outcome| match outcome {
            Outcome::Failed(reason) => Some(normalized(reason)),
            _ => None,
        };
        let whole = way(&self.run(case));
        let ids = case.file.nodes.iter().filter(|node| node.shape.is_some());
        for id in ids.map(|node| node.id) {
            let near = case.results().iter().position(|result| *result == id);
            // A node that is no result of the case may be in a loop; then this part fails in another way.
            let near = near.is_some_and(|result| case.near[result]);
            let part = Case::from_file(&case.file, &[id], vec![near]);
            if whole.is_some() && way(&self.run(&part)) == whole {
                return part;
            }
        }
        case.clone()
    }

    fn ways(&self, case: &Case) -> Checked<()> {
        let expected = expected(case)?;
        let module = self.import(&case.file)?;
        self.read_back(&module)?;
        let exported = self.export("export", &module)?;
        let again = self.import(&exported)?;
        if again.as_operation().to_string() != module.as_operation().to_string() {
            return Err(failed("export", "another module is imported"));
        }
        let unknown = values::unknown(&expected.graph, &expected.inputs)
            .map_err(|err| failed("interpret", err))?;
        let results = expected.results.iter();
        let nans = |id| match unknown.contains(id) {
            true => Allowed::Anything,
            false => Allowed::Nans,
        };
        let nans: Vec<Allowed> = results.map(nans).collect();
        let near = |near: &bool| {
            if *near {
                Allowed::Near
            } else {
                Allowed::Nothing
            }
        };
        let near: Vec<Allowed> = case.near.iter().map(near).collect();
        self.simpler(&again, &expected, "uop-canonicalize", &nans)?;
        self.simpler(&module, &expected, "uop-decompose", &near)?;
        self.on_cpu(case, &expected)?;
        self.with_opts(case, &expected)
    }

    fn import(&self, file: &File) -> Checked<Module<'_>> {
        let location = Location::unknown(&self.context);
        let module = Module::new(location);
        import::import(&self.context, module.body(), location, file)
            .map_err(|err| failed("import", err))?;
        match module.as_operation().verify() {
            true => Ok(module),
            false => Err(failed("import", self.messages.take_first())),
        }
    }

    /// Reads the text and the bytecode of a module, and compares the modules.
    fn read_back(&self, module: &Module<'_>) -> Checked<()> {
        let text = module.as_operation().to_string();
        let parsed = Module::parse(&self.context, &text)
            .ok_or_else(|| failed("text", self.messages.take_first()))?;
        if parsed.as_operation().to_string() != text {
            return Err(failed("text", "it changes when it is read back"));
        }
        let bytes = bytecode::write(module.as_operation());
        let read = bytecode::read(&self.context, &bytes)
            .ok_or_else(|| failed("bytecode", self.messages.take_first()))?;
        if read.as_operation().to_string() != text {
            return Err(failed("bytecode", "it changes when it is read back"));
        }
        Ok(())
    }

    fn export(&self, way: &str, module: &Module<'_>) -> Checked<File> {
        export::export(module.as_operation()).map_err(|err| failed(way, err.message()))
    }

    /// Runs a pass, and interprets its result.
    fn simpler(
        &self,
        module: &Module<'_>,
        expected: &Expected,
        pass: &str,
        allowed: &[Allowed],
    ) -> Checked<()> {
        let pipeline = format!("builtin.module({pass})");
        run_pipeline(&self.context, module.as_operation(), &pipeline)
            .map_err(|_| failed(pass, self.messages.take_first()))?;
        let file = self.export(pass, module)?;
        let (graph, results) = graph(&file).map_err(|reason| failed(pass, reason))?;
        let values = interpret::run(&graph, &expected.inputs, &results, Limits::default());
        let values = values.map_err(|err| failed(pass, err))?;
        let elements: Vec<&[u64]> = values.iter().map(Tensor::elements).collect();
        different(&expected.values, &elements, allowed)
            .map_or(Ok(()), |reason| Err(failed(pass, reason)))
    }

    /// Converts a graph to linalg, compiles and runs it.
    fn on_cpu(&self, case: &Case, expected: &Expected) -> Checked<()> {
        let module = self.import(&case.file)?;
        let converted = run_pipeline(
            &self.context,
            module.as_operation(),
            "builtin.module(convert-uop-to-linalg{literal=true})",
        );
        if converted.is_err() {
            let message = self.messages.take_first();
            let message = match message.is_empty() {
                true => "the conversion fails without a word".into(),
                false => message,
            };
            return Err(failed("linalg", message));
        }
        self.compiled(&module, case, expected)
    }

    /// Adds optimisations to an operation, converts the graph, and runs the optimised result. Illegal optimisations are
    /// refused with a message.
    fn with_opts(&self, case: &Case, expected: &Expected) -> Checked<()> {
        let module = self.import(&case.file)?;
        let mut numbers = Numbers::new(0, case.file.nodes.len() as u64);
        let body = ir::body(module.as_operation()).expect("a module has a block");
        let functions = ir::operations(body).filter_map(ir::function_body);
        let computing: Vec<_> = functions
            .flat_map(ir::operations)
            .filter_map(|op| Some((op, loops(op)?)))
            .collect();
        if computing.is_empty() {
            return Ok(()); // No operation has loops.
        }
        let (chosen, extents) = &computing[numbers.index(computing.len())];
        let opts = optimisations(&mut numbers, extents);
        let parsed = Attribute::parse(&self.context, &opts).expect("the dialect has them");
        ir::set_discardable_attribute(*chosen, "uop.opts", parsed);
        let pipeline = "builtin.module(convert-uop-to-linalg{recompute=true literal=true},func.func(uop-apply-opts))";
        if run_pipeline(&self.context, module.as_operation(), pipeline).is_err() {
            return match self.messages.take_first().is_empty() {
                true => Err(failed("opts", "they are refused without a word")),
                false => Ok(()),
            };
        }
        self.optimised.set(self.optimised.get() + 1);
        self.compiled(&module, case, expected)
            .map_err(|outcome| match outcome {
                Outcome::Failed(reason) => failed(&format!("opts {opts}"), reason),
                Outcome::Same => unreachable!("it is no error"),
            })
    }

    /// Compiles a converted graph and runs it.
    fn compiled(&self, module: &Module<'_>, case: &Case, expected: &Expected) -> Checked<()> {
        let selected = Program::select(&self.context, module.as_operation(), Some("main"))
            .map_err(|err| failed("linalg", err))?;
        let inputs: Vec<Array> = expected.arguments.iter().map(values::array).collect();
        let options = Options {
            optimization: Some(Optimization::None),
            ..Options::default()
        };
        let executable = selected
            .compile(&self.context, options)
            .map_err(|err| failed("linalg", format!("{err} {}", self.messages.take_first())))?;
        let results = executable
            .run(&inputs)
            .map_err(|err| failed("linalg", err))?;
        let types = expected.values.iter().map(|value| value.ty().dtype);
        let elements: Vec<Vec<u64>> = results
            .iter()
            .zip(types)
            .map(|(array, dtype)| values::elements(array, dtype))
            .collect();
        let elements: Vec<&[u64]> = elements.iter().map(Vec::as_slice).collect();
        let unknown = values::unknown(&expected.graph, &expected.inputs)
            .map_err(|err| failed("interpret", err))?;
        let results = expected.results.iter().zip(&case.near);
        let allowed: Vec<Allowed> = results
            .map(|(id, near)| match near {
                _ if unknown.contains(id) => Allowed::Anything,
                true => Allowed::Near,
                false => Allowed::Nans,
            })
            .collect();
        different(&expected.values, &elements, &allowed)
            .map_or(Ok(()), |reason| Err(failed("linalg", reason)))
    }
}

/// Returns the extents of the loops of an operation, if it has any: a reduction has the extents of its operand.
fn loops(op: ir::Op<'_>) -> Option<Vec<u64>> {
    let typed_value = match Row::of_operation(ir::name(op))?.class {
        Class::Reduction => ir::operand(op, 0),
        Class::Elementwise(_) | Class::Comparison => ir::result(op, 0),
        _ => None,
    };
    let ty = RankedTensorType::try_from(typed_value?.r#type()).ok()?;
    let extents = (0..ty.rank()).filter_map(|dim| match ty.dim_size(dim) {
        Ok(DimSize::Static(extent)) => Some(extent),
        _ => None,
    });
    let extents: Vec<u64> = extents.collect();
    (!extents.is_empty() && !extents.contains(&0)).then_some(extents)
}

/// Draws optimisations of loops of some extents.
fn optimisations(numbers: &mut Numbers, extents: &[u64]) -> String {
    let count = 1 + u64::from(numbers.one_in(3));
    let all: Vec<String> = (0..count)
        .map(|_| {
            let axis = numbers.index(extents.len());
            let extent = extents[axis];
            match numbers.below(4) {
                0 => {
                    let multiple = numbers.pick(&[2, 4, 64]);
                    format!(
                        "#uop.padto<{axis} to {}>",
                        extent.next_multiple_of(multiple)
                    )
                }
                1 => format!("#uop.swap<{axis} with {}>", numbers.below(4)),
                _ => {
                    let divisors = (2..=extent).filter(|by| extent.is_multiple_of(*by));
                    let mut by: Vec<u64> = divisors.collect();
                    by.extend([2, 64]);
                    let kinds = [
                        "loop top",
                        "loop top",
                        "reduce top",
                        "thread top",
                        "global top",
                        "upcast inner",
                    ];
                    let (by, kind) = (numbers.pick(&by), numbers.pick(&kinds));
                    format!("#uop.split<{axis} by {by} to {kind}>")
                }
            }
        })
        .collect();
    format!("[{}]", all.join(", "))
}

/// Returns the graph of a file, and its results.
fn graph(file: &File) -> Result<(Graph, Vec<NodeId>), String> {
    let imported = file::import(&file.nodes).map_err(|err| err.to_string())?;
    let result = file.result.and_then(|id| imported.node(id));
    let result = result.ok_or("there is no result")?;
    let node = imported.graph.node(result);
    let results = match node.op {
        Op::Tuple => node.sources.to_vec(),
        _ => vec![result],
    };
    Ok((imported.graph, results))
}

fn expected(case: &Case) -> Checked<Expected> {
    let wrong = |reason: String| failed("interpret", reason);
    let inputs = record::record(&case.file).map_err(|err| wrong(err.to_string()))?;
    let inputs = inputs.inputs;
    let (graph, results) = graph(&case.file).map_err(wrong)?;
    let mut buffers: Vec<(u32, NodeId)> = graph
        .nodes()
        .iter()
        .filter_map(|(id, node)| Some((argument(&node.op)?, id)))
        .collect();
    buffers.sort_by_key(|(slot, id)| (*slot, id.position()));
    buffers.dedup_by_key(|(slot, _)| *slot);
    let run = |ids: &[NodeId]| {
        interpret::run(&graph, &inputs, ids, Limits::default())
            .map_err(|err| wrong(err.to_string()))
    };
    let values = run(&results)?;
    let ids: Vec<NodeId> = buffers.into_iter().map(|(_, id)| id).collect();
    let arguments = run(&ids)?;
    Ok(Expected {
        graph,
        inputs,
        arguments,
        results,
        values,
    })
}
