//! From `spyre.op_spec` to the model of `spyre-sdsc`.

use spyre_dialects::attr::{ArgCoord, Place, TensorArg};
use spyre_layout::Coord;
use spyre_plan::Target;
use spyre_sdsc::codegen::PlanOptions;
use spyre_sdsc::{
    self as sdsc, Allocation, Bundle, BundleOptions, Bytes, Expr, LoopSpec, Node, Symbol,
};

use spyre_dialects::op_spec::OpSpec;

pub use super::describe::Tree;

/// The specification tree of a program.
#[must_use]
pub fn nodes(tree: &[Tree]) -> Vec<Node> {
    build(tree, &mut Vec::new())
}

/// Compiles a specification tree for a target: the function of the bundle and its files.
///
/// # Errors
/// What the format cannot express.
pub fn compile(nodes: &[Node], target: &Target) -> Result<Bundle, sdsc::Error> {
    let plan = PlanOptions {
        max_cores: target.cores,
        ..PlanOptions::default()
    };
    let options = BundleOptions {
        pool_size: pool_size(nodes),
        plan,
        ..BundleOptions::default()
    };
    sdsc::compile_bundle(nodes, &options)
}

fn build(tree: &[Tree], counts: &mut Vec<u64>) -> Vec<Node> {
    tree.iter()
        .map(|node| match node {
            Tree::Op(spec) => Node::from(op(spec, counts)),
            Tree::Loop(count, body) => {
                counts.push(*count);
                let body = build(body, counts);
                counts.pop();
                Node::from(LoopSpec::new(
                    i64::try_from(*count).unwrap_or(i64::MAX),
                    body,
                ))
            }
        })
        .collect()
}

/// One operation inside loops of these trip counts, outermost first.
fn op(spec: &OpSpec, counts: &[u64]) -> sdsc::OpSpec {
    let mut built = sdsc::OpSpec::new(spec.op_func.as_str(), spec.is_reduction);
    for dim in &spec.space {
        built = built.with_dim(
            dim.symbol.as_str(),
            integer(dim.extent),
            u64::from(dim.slices),
        );
    }
    // One symbol for each enclosing loop that moves a tensor of this operation.
    let level_symbol = |level: usize| format!("_tile_adv_{}_lvl{level}", spec.name);
    let moves = |level: usize| {
        spec.args
            .iter()
            .any(|arg| arg.advance.get(level).is_some_and(|step| *step != 0))
    };
    for arg in &spec.args {
        let tensor = tensor(spec, arg, &level_symbol);
        built = if arg.is_output {
            built.with_output(tensor)
        } else {
            built.with_input(tensor)
        };
    }
    for (name, value) in &spec.constants {
        built = built.with_constant(name.as_str(), *value);
    }
    for (level, count) in counts.iter().enumerate().rev() {
        let symbols: Vec<Symbol> = moves(level)
            .then(|| Symbol::from(level_symbol(level).as_str()))
            .into_iter()
            .collect();
        built = built.with_tiled_level(symbols);
        if moves(level) {
            built = built.with_trip_count(level_symbol(level).as_str(), *count);
        }
    }
    built
}

fn tensor(
    spec: &OpSpec,
    arg: &TensorArg,
    level_symbol: &impl Fn(usize) -> String,
) -> sdsc::TensorArg {
    let coordinates = arg
        .coordinates
        .iter()
        .map(|coordinate| expression(spec, *coordinate))
        .collect();
    let allocation = match arg.place {
        Place::Arg(index) => Allocation::Hbm {
            arg: sdsc::ArgIndex::new(index),
            offset: arg.offset,
        },
        Place::Pool(offset) => Allocation::pool(offset.get() + arg.offset.get()),
        Place::Lx(address) => Allocation::lx(address.get() + arg.offset.get()),
        // The verifier of `#spyre.tensor_arg` refuses it.
        Place::Window => Allocation::lx(0),
    };
    let mut tensor =
        sdsc::TensorArg::new(arg.format, arg.device_size.clone(), coordinates, allocation);
    let mut advance: Option<Expr> = None;
    for (level, step) in arg.advance.iter().enumerate() {
        if *step != 0 {
            let term = Expr::int(*step) * Expr::symbol(level_symbol(level).as_str());
            advance = Some(advance.map_or(term.clone(), |sum| sum + term));
        }
    }
    if let Some(advance) = advance {
        tensor = tensor.advancing(advance);
    }
    tensor
}

fn expression(spec: &OpSpec, coordinate: ArgCoord) -> Expr {
    let digit = match coordinate.coord {
        Coord::Zero => Expr::int(0),
        Coord::Digit {
            dim,
            divisor,
            modulus,
        } => {
            let symbol = spec.space.get(dim).map_or("", |dim| dim.symbol.as_str());
            let mut digit = Expr::symbol(symbol);
            if divisor != 1 {
                digit = digit.floor_div(number(divisor));
            }
            match modulus {
                Some(modulus) => digit.modulo(number(modulus)),
                None => digit,
            }
        }
    };
    if coordinate.offset == 0 {
        digit
    } else {
        digit + integer(coordinate.offset)
    }
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn integer(value: u64) -> Expr {
    Expr::int(number(value))
}

/// Bytes of the pool: up to the end of the last tensor in it.
fn pool_size(nodes: &[Node]) -> Bytes {
    let mut end = 0;
    for node in nodes {
        end = end.max(match node {
            Node::Op(op) => op.args.iter().map(pool_end).max().unwrap_or(0),
            Node::Loop(inner) => pool_size(&inner.body).get(),
            Node::Unimplemented { .. } => 0,
        });
    }
    Bytes(end)
}

fn pool_end(arg: &sdsc::TensorArg) -> u64 {
    let Allocation::HbmPool { offset } = arg.allocation else {
        return 0;
    };
    // The last device dimension is one stick.
    let sticks = arg
        .device_size
        .split_last()
        .map_or(1, |(_, rest)| rest.iter().product::<u64>());
    offset.get() + sticks * spyre_layout::STICK_BYTES.get()
}
