//! Turns trees of `sdscbundle.op_spec` and loops into the model of `spyre-sdsc`.

use spyre_dialects::attr::Place;
use spyre_dialects::op_spec::{CORE, Extent, Level, OpSpec, Ownership, TensorArg};
use spyre_plan::Target;
use spyre_sdsc::bundle::PoolSource;
use spyre_sdsc::codegen::{PlanOptions, dimension_names};
use spyre_sdsc::model::{DimBounds, DimSource, Direction, OpInfo};
use spyre_sdsc::source::pool_size;
use spyre_sdsc::{
    self as sdsc, Allocation, Bundle, BundleOptions, Bytes, Expr, IterationDim, LoopSpec, Node,
    Symbol,
};
use spyre_slips::Put;

/// A program of OpSpecs and loops.
#[derive(Debug, Clone)]
pub enum Tree {
    /// An operation.
    Op(Box<OpSpec>),
    /// A loop.
    Loop(Trips, Vec<Tree>),
}

/// The number of iterations of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trips {
    /// A fixed number.
    Fixed(u64),
    /// One iteration for every step of a runtime size.
    Runtime {
        /// The runtime size.
        size: LoopSize,
        /// The number of elements per iteration.
        step: u64,
    },
}

impl Trips {
    /// Returns the largest number of iterations.
    #[must_use]
    pub fn max(&self) -> u64 {
        match self {
            Self::Fixed(count) => *count,
            Self::Runtime { size, step } => size.bounds.max.checked_div(*step).unwrap_or(0),
        }
    }
}

/// A runtime size that bounds loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopSize {
    /// The name of the size.
    pub name: String,
    /// The bounds that are known of it.
    pub bounds: DimBounds,
    /// The dimension of an argument in which the launcher finds it.
    pub source: DimSource,
}

/// The properties of a bundle that its tree does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The side that allocates the pool.
    pub pool: PoolSource,
    /// The size of the pool in bytes; `None` for up to the end of the last tensor in it.
    pub pool_size: Option<Bytes>,
    /// Whether operations whose files would differ in symbols only share one.
    pub share_files: bool,
    /// Whether a split reduction of a matrix multiplication comes first when cores are numbered.
    pub k_fast: bool,
}

impl Default for Form {
    fn default() -> Self {
        Self {
            pool: PoolSource::Bundle,
            pool_size: None,
            share_files: false,
            k_fast: true,
        }
    }
}

/// Returns the runtime sizes that bound the loops of a program, in the order of the loops.
#[must_use]
pub fn loop_sizes(tree: &[Tree]) -> Vec<LoopSize> {
    fn collect(tree: &[Tree], found: &mut Vec<LoopSize>) {
        for node in tree {
            let Tree::Loop(trips, body) = node else {
                continue;
            };
            if let Trips::Runtime { size, .. } = trips
                && !found.iter().any(|known| known.name == size.name)
            {
                found.put(size.clone());
            }
            collect(body, found);
        }
    }
    let mut found = Vec::new();
    collect(tree, &mut found);
    found
}

/// Returns the specification tree of a program. `sizes` are the runtime sizes that its parameters hold, in their order.
#[must_use]
pub fn nodes(tree: &[Tree], sizes: &[LoopSize]) -> Vec<Node> {
    let mut nodes = build(tree, &mut Vec::new());
    // Parameters are in the order in which loops name their sizes, and a loop may name more than it needs.
    let first = nodes.iter_mut().find_map(|node| match node {
        Node::Loop(spec) => Some(spec),
        Node::Op(_) | Node::Unimplemented { .. } => None,
    });
    if let Some(spec) = first {
        spec.count_symbol_bounds = sizes
            .iter()
            .map(|size| (Symbol::from(size.name.as_str()), size.bounds))
            .collect();
        spec.count_symbol_sources = sizes
            .iter()
            .map(|size| (Symbol::from(size.name.as_str()), size.source))
            .collect();
    }
    nodes
}

/// Compiles a specification tree for a target: the function of the bundle and its files.
///
/// # Errors
/// The format cannot express the program.
pub fn compile(nodes: &[Node], target: &Target, form: &Form) -> Result<Bundle, sdsc::Error> {
    sdsc::compile_bundle(nodes, &options(nodes, target, form))
}

/// Returns the options with which [`compile`] compiles.
#[must_use]
pub fn options(nodes: &[Node], target: &Target, form: &Form) -> BundleOptions {
    BundleOptions {
        pool: form.pool,
        pool_size: form.pool_size.unwrap_or_else(|| pool_size(nodes)),
        share_files: form.share_files,
        plan: PlanOptions {
            max_cores: target.cores,
            k_fast: form.k_fast,
            ..PlanOptions::default()
        },
        ..BundleOptions::default()
    }
}

fn build(tree: &[Tree], counts: &mut Vec<u64>) -> Vec<Node> {
    tree.iter()
        .map(|node| match node {
            Tree::Op(spec) => Node::from(op(spec, counts)),
            Tree::Loop(trips, body) => {
                counts.put(trips.max());
                let body = build(body, counts);
                counts.pop();
                Node::from(match trips {
                    Trips::Fixed(count) => LoopSpec::new(number(*count), body),
                    Trips::Runtime { size, step } => {
                        let name = Symbol::from(size.name.as_str());
                        let count = match step {
                            1 => Expr::from(name.clone()),
                            step => Expr::from(name.clone()).floor_div(number(*step)),
                        };
                        LoopSpec {
                            count,
                            body,
                            count_symbol_bounds: [(name.clone(), size.bounds)]
                                .into_iter()
                                .collect(),
                            count_symbol_sources: [(name, size.source)].into_iter().collect(),
                        }
                    }
                })
            }
        })
        .collect()
}

/// Returns one operation inside loops of these trip counts, outermost first.
fn op(spec: &OpSpec, counts: &[u64]) -> sdsc::OpSpec {
    let mut built = sdsc::OpSpec::new(spec.op_func.as_str(), spec.is_reduction);
    for dim in &spec.space {
        let extent = match &dim.extent {
            Extent::Fixed(extent) => integer(*extent),
            Extent::Runtime { size, bounds } => {
                built = built.with_runtime_size(size.as_str(), *bounds);
                Expr::symbol(size.as_str())
            }
        };
        built.iteration_space.put(IterationDim {
            symbol: Symbol::from(dim.symbol.as_str()),
            extent,
            slices: u64::from(dim.slices),
        });
    }
    built.op_info = OpInfo {
        constants: spec.constants.iter().cloned().collect(),
        other: spec.info.clone(),
    };
    built.node_output_ranges = spec.output_ranges.iter().copied().map(Expr::int).collect();
    built.debug_handle = spec.debug_handle.clone();
    let levels = levels(spec, counts, &built);
    check_levels(spec, counts, &levels);
    for arg in &spec.args {
        built.args.put(tensor(spec, arg, &levels));
    }
    // Innermost loop first, and one entry for each.
    for number in (0..counts.len()).rev() {
        let of_loop = levels.iter().filter(|level| level.number == number);
        built = built.with_tiled_level(of_loop.clone().map(|level| level.symbol.clone()));
        for level in of_loop {
            built = built.with_trip_count(level.symbol.clone(), level.trips);
        }
    }
    built
}

/// Checks that an OpSpec is for the loops around it, and that every level that moves a tensor has a name. What is read from IR was
/// checked before.
fn check_levels(spec: &OpSpec, counts: &[u64], levels: &[NamedLevel]) {
    assert!(
        spec.loops.is_empty() || spec.loops == counts,
        "{} is for loops of {:?}, and is in loops of {counts:?}",
        spec.name,
        spec.loops
    );
    for arg in &spec.args {
        let moving = arg
            .advance
            .iter()
            .enumerate()
            .filter(|(_, step)| **step != 0);
        for (entry, _) in moving {
            assert!(
                levels.iter().any(|level| level.entry == entry),
                "{} moves along entry {entry} of its advances, which has no level",
                spec.name
            );
        }
    }
}

/// A level with the symbols that the file format has for it.
struct NamedLevel {
    number: usize,
    /// The position in the advances.
    entry: usize,
    /// The symbol of the level.
    symbol: Symbol,
    /// The symbol of the level in advances.
    in_advances: Symbol,
    trips: u64,
}

/// Returns the levels that move a tensor or are tiles of a dimension.
fn levels(spec: &OpSpec, counts: &[u64], built: &sdsc::OpSpec) -> Vec<NamedLevel> {
    let by_loop: Vec<Level>;
    let all = match &spec.levels {
        Some(levels) => levels,
        None => {
            by_loop = (0..counts.len())
                .map(|number| Level {
                    number,
                    dim: None,
                    trips: None,
                })
                .collect();
            &by_loop
        }
    };
    // Advances name dimensions by their role in the operation.
    let names = dimension_names(built).unwrap_or_default();
    let mut named: Vec<NamedLevel> = Vec::new();
    for (entry, level) in all.iter().enumerate() {
        let moves = spec
            .args
            .iter()
            .any(|arg| arg.advance.get(entry).is_some_and(|step| *step != 0));
        if !moves && level.dim.is_none() {
            continue;
        }
        let dim = level.dim.as_deref().and_then(|dim| {
            let position = spec.space.iter().position(|known| known.symbol == dim)?;
            Some((dim, names.get(position)?))
        });
        let (symbol, in_advances) = match dim {
            Some((dim, name)) => (Symbol::from(dim), Symbol::from(name.as_str())),
            None => {
                let minted = Symbol::from(format!("_tile_adv_{}_lvl{entry}", spec.name));
                (minted.clone(), minted)
            }
        };
        named.put(NamedLevel {
            number: level.number,
            entry,
            symbol,
            in_advances,
            trips: level
                .trips
                .or_else(|| counts.get(level.number).copied())
                .unwrap_or(1),
        });
    }
    named
}

fn tensor(spec: &OpSpec, arg: &TensorArg, levels: &[NamedLevel]) -> sdsc::TensorArg {
    let inside = |bytes: Bytes| Bytes(bytes.get().saturating_add(arg.offset.get()));
    let allocation = match arg.place {
        Place::Arg(index) => Allocation::Hbm {
            arg: sdsc::ArgIndex::new(index),
            offset: arg.offset,
        },
        Place::Pool(offset) => Allocation::HbmPool {
            offset: inside(offset),
        },
        Place::Lx(address) => Allocation::Lx {
            address: inside(address),
        },
        // The verifier of `#sdscbundle.tensor_arg` refuses it.
        Place::Window => Allocation::lx(0),
    };
    let terms = levels.iter().filter_map(|level| {
        let step = *arg.advance.get(level.entry)?;
        (step != 0).then(|| Expr::int(step) * Expr::from(level.in_advances.clone()))
    });
    sdsc::TensorArg {
        direction: if arg.is_output {
            Direction::Output
        } else {
            Direction::Input
        },
        name: arg.name.clone(),
        advance: terms.reduce(|sum, term| sum + term),
        arrangement: arg.arrangement,
        ownership: arg.ownership.as_ref().map(|owners| ownership(spec, owners)),
        ..sdsc::TensorArg::new(
            arg.format,
            arg.device_size.clone(),
            arg.coordinates.clone(),
            allocation,
        )
    }
}

fn ownership(spec: &OpSpec, owners: &Ownership) -> sdsc::model::Ownership {
    let symbols = || {
        spec.space
            .iter()
            .map(|dim| Symbol::from(dim.symbol.as_str()))
    };
    debug_assert!(
        owners
            .slice_of_core
            .iter()
            .all(|slice| slice.symbols().iter().all(|s| s.as_str() == CORE))
    );
    sdsc::model::Ownership {
        work_slices: symbols().zip(owners.slices.iter().copied()).collect(),
        core_id_to_work_slice: symbols()
            .zip(owners.slice_of_core.iter().cloned())
            .collect(),
    }
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn integer(value: u64) -> Expr {
    Expr::int(number(value))
}
