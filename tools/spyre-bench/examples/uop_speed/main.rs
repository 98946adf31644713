//! Measures how long a tensor program of tinyspec takes from its JSON to linalg: `cargo xtask bench` runs it, in
//! release mode.
//!
//! Times are of this process and of one thread, without its start: reading JSON, the module, and the conversion. Times
//! of tinygrad are of its way to the text of kernels, in milliseconds of CPU (commit 4fb8ce18, CPython 3.11, two
//! cores).

mod graphs;

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;
use spyre_uop::schema::{self, File};
use spyre_uop_mlir::import;

/// The runs of each graph; the fastest counts.
const RUNS: usize = 20;

/// The milliseconds that a small program may take.
const LIMIT: f64 = 1.0;

/// The largest ratio of the time per node of a program to the time per node of a program with a tenth of the nodes.
const GROWTH: f64 = 1.5;

/// A graph, and the milliseconds that tinygrad takes.
struct Case {
    name: &'static str,
    graph: File,
    tinygrad: Option<f64>,
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
    let case = |name, graph, tinygrad| Case {
        name,
        graph,
        tinygrad,
    };
    let cases = [
        case("(a + b) * c", graphs::sum_and_product(), Some(9.5)),
        case("softmax", graphs::softmax(), Some(61.7)),
        case("layer norm", graphs::layer_norm(), Some(30.0)),
        case("matmul", graphs::matmul(), Some(47.8)),
        case("attention", graphs::attention(), Some(258.7)),
        case("chain of 1,000", graphs::chain(1_000), None),
        case("chain of 10,000", graphs::chain(10_000), None),
        case("chain of 100,000", graphs::chain(100_000), None),
    ];
    println!(
        "{:<18} {:>7} {:>9} {:>10} {:>11} {:>9} {:>10}",
        "program", "nodes", "read ms", "import ms", "convert ms", "all ms", "tinygrad"
    );
    // The graphs with names that contain the argument; all without one.
    let chosen = std::env::args().nth(1).unwrap_or_default();
    let mut is_within = true;
    let mut before: Option<f64> = None;
    for case in cases.into_iter().filter(|case| case.name.contains(&chosen)) {
        let json = serde_json::to_vec(&case.graph)?;
        let runs = if case.graph.nodes.len() > 1_000 {
            3
        } else {
            RUNS
        };
        let mut best: Option<Times> = None;
        for _ in 0..runs {
            let times = measure(&json)?;
            if best.as_ref().is_none_or(|best| times.all() < best.all()) {
                best = Some(times);
            }
        }
        let best = best.expect("there is a run");
        let all = milliseconds(best.all());
        let nodes = case.graph.nodes.len();
        let (verdict, holds) = match case.tinygrad {
            Some(_) => within(all, LIMIT, ""),
            None => {
                let each = all / nodes as f64;
                let last = before.replace(each);
                last.map_or((String::new(), true), |last| {
                    within(each / last, GROWTH, " times as long for each node")
                })
            }
        };
        is_within &= holds;
        println!(
            "{:<18} {nodes:>7} {:>9.3} {:>10.3} {:>11.3} {all:>9.3} {:>10}  {verdict}",
            case.name,
            milliseconds(best.read),
            milliseconds(best.import),
            milliseconds(best.convert),
            case.tinygrad.map_or(String::new(), |time| time.to_string()),
        );
    }
    Ok(is_within)
}

/// Returns a text about a number and its limit, and whether it is within the limit.
fn within(number: f64, limit: f64, unit: &str) -> (String, bool) {
    let holds = number <= limit;
    let text = if holds { "at most" } else { "MORE THAN" };
    (format!("{text} {limit}{unit}"), holds)
}

/// How long the parts of the way take.
struct Times {
    read: Duration,
    import: Duration,
    convert: Duration,
}

impl Times {
    fn all(&self) -> Duration {
        self.read + self.import + self.convert
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn measure(json: &[u8]) -> Result<Times, Box<dyn Error>> {
    let context = spyre_all::context();
    context.load_all_available_dialects();
    context.enable_multi_threading(false);
    let passes = PassManager::new(&context);
    passes.enable_verifier(false);
    let pipeline = "builtin.module(convert-uop-to-linalg)";
    parse_pass_pipeline(passes.as_operation_pass_manager(), pipeline)?;

    let start = Instant::now();
    let file = schema::read(json)?;
    let read = start.elapsed();

    let start = Instant::now();
    let location = Location::unknown(&context);
    let mut module = Module::new(location);
    import::import(&context, module.body(), location, &file)?;
    let import = start.elapsed();

    let start = Instant::now();
    passes.run(&mut module)?;
    let convert = start.elapsed();
    if !module.as_operation().verify() {
        return Err("the converted module does not verify".into());
    }
    Ok(Times {
        read,
        import,
        convert,
    })
}
