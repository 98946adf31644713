//! Measures how long a graph of PyTorch Inductor takes from its JSON to its kernels: `cargo xtask bench` runs it, in
//! release mode.
//!
//! Times are of this process and of one thread: reading JSON, the graph in memory, layouts, loops, dependences, order
//! and fusions. PyTorch's are for its scheduler alone, `Scheduler.__init__`, on a machine of two cores (torch 2.12,
//! CPython 3.11).

mod graphs;

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use melior::ir::{Location, Module};
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;
use spyre_inductor::schedule::Policy;
use spyre_inductor::schedule::fuse::fuse;
use spyre_inductor::schedule::graph::Graph;
use spyre_inductor::schema;
use spyre_inductor_mlir::{import, program};
use spyre_mlir_rt::ir::{self, At};

/// The runs of each graph; the fastest counts.
const RUNS: usize = 20;

/// A graph, the milliseconds that it may take, and the milliseconds that PyTorch takes.
struct Case {
    name: &'static str,
    /// Makes the graph: only one that is measured is made.
    graph: fn() -> schema::Graph,
    limit: Option<f64>,
    torch: Option<f64>,
}

fn main() -> ExitCode {
    spyre_all::register_passes();
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(err) => {
            eprintln!("error: {err}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, Box<dyn Error>> {
    let case = |name, graph: fn() -> schema::Graph, limit, torch| Case {
        name,
        graph,
        limit,
        torch,
    };
    let cases = [
        case(
            "transformer of 24 layers",
            || graphs::transformer(24),
            Some(10.0),
            Some(2519.0),
        ),
        case(
            "chain of 1,000",
            || graphs::chain(1_000),
            Some(10.0),
            Some(3714.0),
        ),
        case(
            "100 siblings",
            || graphs::siblings(100),
            Some(5.0),
            Some(3000.0),
        ),
        case("chain of 10,000", || graphs::chain(10_000), None, None),
        case("chain of 100,000", || graphs::chain(100_000), None, None),
    ];
    println!(
        "{:<26} {:>7} {:>8} {:>9} {:>9} {:>9} {:>8}",
        "graph", "nodes", "kernels", "import ms", "rules ms", "all ms", "PyTorch"
    );
    let mut is_within = true;
    // The graphs with names that contain the argument; all without one.
    let chosen = std::env::args().nth(1).unwrap_or_default();
    for case in cases.into_iter().filter(|case| case.name.contains(&chosen)) {
        let graph = (case.graph)();
        let json = serde_json::to_vec(&graph)?;
        let mut best: Option<Times> = None;
        for _ in 0..if case.limit.is_some() { RUNS } else { 1 } {
            let times = measure(&json)?;
            if best.as_ref().is_none_or(|best| times.all() < best.all()) {
                best = Some(times);
            }
        }
        let best = best.expect("there is a run");
        let all = milliseconds(best.all());
        let verdict = match case.limit {
            None => String::new(),
            Some(limit) if all <= limit => format!("at most {limit}"),
            Some(limit) => {
                is_within = false;
                format!("MORE THAN {limit}")
            }
        };
        println!(
            "{:<26} {:>7} {:>8} {:>9.2} {:>9.2} {all:>9.2} {:>8}  {verdict}",
            case.name,
            graph.ops.len(),
            best.kernels,
            milliseconds(best.import),
            milliseconds(best.rules),
            case.torch.map_or(String::new(), |torch| torch.to_string()),
        );
    }
    Ok(is_within)
}

/// How long the parts of the way take, and how many kernels there are.
struct Times {
    import: Duration,
    rules: Duration,
    kernels: usize,
}

impl Times {
    fn all(&self) -> Duration {
        self.import + self.rules
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn measure(json: &[u8]) -> Result<Times, Box<dyn Error>> {
    let context = spyre_all::context();
    context.load_all_available_dialects();
    context.enable_multi_threading(false);
    let start = Instant::now();
    let location = Location::unknown(&context);
    let mut module = Module::new(location);
    import::read(&context, At::End(module.body()), location, json)?;
    let import = start.elapsed();

    let start = Instant::now();
    let passes = PassManager::new(&context);
    passes.enable_verifier(false);
    let pipeline = "builtin.module(inductor.graph(inductor-decide-layout))";
    parse_pass_pipeline(passes.as_operation_pass_manager(), pipeline)?;
    passes.run(&mut module)?;
    let op = ir::operations(module.body()).next();
    let op = op.ok_or("the module is empty")?;
    let read_program = program::read(op).map_err(|err| err.message().to_owned())?;
    let mut scheduled = Graph::new(&read_program.program)?;
    let fused = fuse(&mut scheduled, Policy::Cpp)?;
    Ok(Times {
        import,
        rules: start.elapsed(),
        kernels: fused.kernels.len(),
    })
}
