//! Turns the model of `spyre-sdsc`, for trees that another front end has made, into `sdscbundle.op_spec`.
//!
//! Names that only tell levels apart are not kept, because the position of a loop tells them apart. Everything else is kept or
//! refused.

use spyre_dialects::attr::Place;
use spyre_dialects::op_spec::{CORE, Extent, IterDim, Level, OpSpec, Ownership, TensorArg};
use spyre_ops::OpClass;
use spyre_sdsc::codegen::dimension_names;
use spyre_sdsc::expr::{ExprError, ExprKind};
use spyre_sdsc::model::{Direction, LoopBound};
use spyre_sdsc::{self as sdsc, Allocation, Bytes, Expr, LoopError, Node, Symbol};
use thiserror::Error;

use super::model::Form;

/// The reason why a tree has no form in a module.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The count of a loop has no form.
    #[error(transparent)]
    Loop(#[from] LoopError),
    /// A loop has no operations.
    #[error("LoopSpec(count={count}) runs only operations that the front end could not express")]
    EmptyLoop {
        /// The count of the loop.
        count: String,
    },
    /// A part of an operation has no form.
    #[error("op '{op}': {problem}")]
    Op {
        /// The operation's name.
        op: String,
        /// The problem, for a message.
        problem: String,
    },
}

/// Returns the OpSpecs of a tree in file order, under names of their own: `sdsc_0` and so on.
///
/// # Errors
/// The tree has a part that `sdscbundle.op_spec` cannot express.
pub fn op_specs(nodes: &[Node], form: &Form) -> Result<Vec<OpSpec>, ImportError> {
    let mut specs = Vec::new();
    collect(nodes, form, &mut Vec::new(), &mut specs)?;
    Ok(specs)
}

fn collect(
    nodes: &[Node],
    form: &Form,
    counts: &mut Vec<u64>,
    specs: &mut Vec<OpSpec>,
) -> Result<(), ImportError> {
    for node in nodes {
        match node {
            Node::Op(op) => {
                let name = format!("sdsc_{}", specs.len());
                let reader = Reader { op, counts };
                let spec = reader
                    .op_spec(name, form)
                    .map_err(|problem| ImportError::Op {
                        op: op.op.clone(),
                        problem,
                    })?;
                specs.push(spec);
            }
            Node::Loop(spec) => {
                counts.push(match spec.bound()? {
                    LoopBound::Static(count) => u64::try_from(count).unwrap_or(0),
                    LoopBound::Runtime { symbol, step } => spec
                        .count_symbol_bounds
                        .get(symbol.as_str())
                        .and_then(|bounds| bounds.max.checked_div(step))
                        .unwrap_or(0),
                });
                let before = specs.len();
                collect(&spec.body, form, counts, specs)?;
                counts.pop();
                if specs.len() == before {
                    return Err(ImportError::EmptyLoop {
                        count: spec.count.to_string(),
                    });
                }
            }
            Node::Unimplemented { .. } => {}
        }
    }
    Ok(())
}

/// A level symbol of an operation, with the advance of each operand along it.
struct Tiled {
    level: Level,
    steps: Vec<i64>,
}

impl Tiled {
    fn moves(&self) -> bool {
        self.steps.iter().any(|step| *step != 0)
    }
}

struct Reader<'a> {
    op: &'a sdsc::OpSpec,
    /// The trip counts of the loops around the operation, outermost first.
    counts: &'a [u64],
}

impl Reader<'_> {
    fn op_spec(&self, name: String, form: &Form) -> Result<OpSpec, String> {
        let op = self.op;
        let space = self.space()?;
        let mut args = op
            .args
            .iter()
            .map(|arg| self.tensor(arg))
            .collect::<Result<Vec<_>, _>>()?;
        let levels = self.advances(&mut args)?;
        Ok(OpSpec {
            name,
            op_func: op.op.clone(),
            is_reduction: op.is_reduction,
            in_order: !form.k_fast && splits_k(op),
            space,
            loops: self.counts.to_vec(),
            levels,
            args,
            constants: op
                .op_info
                .constants
                .iter()
                .map(|(name, value)| (name.clone(), *value))
                .collect(),
            info: op.op_info.other.clone(),
            output_ranges: op
                .node_output_ranges
                .iter()
                .map(|range| integer(range, "node_output_ranges"))
                .collect::<Result<_, _>>()?,
            debug_handle: op.debug_handle.clone(),
        })
    }

    fn space(&self) -> Result<Vec<IterDim>, String> {
        let dims = self.op.iteration_space.iter().map(|dim| {
            let extent =
                match dim.extent.as_symbol() {
                    Some(size) => {
                        let bounds = self.op.symbolic_dim_bounds.get(size.as_str());
                        Extent::Runtime {
                            size: size.to_string(),
                            bounds: *bounds.ok_or_else(|| {
                                format!("extent {size} of {} has no bounds", dim.symbol)
                            })?,
                        }
                    }
                    None => {
                        let extent = integer(&dim.extent, "extent")?;
                        Extent::Fixed(u64::try_from(extent).map_err(|_| {
                            format!("extent {extent} of {} is negative", dim.symbol)
                        })?)
                    }
                };
            Ok(IterDim {
                symbol: dim.symbol.to_string(),
                extent,
                slices: u32::try_from(dim.slices)
                    .map_err(|_| format!("{} slices of {} are too many", dim.slices, dim.symbol))?,
            })
        });
        dims.collect()
    }

    fn tensor(&self, arg: &sdsc::TensorArg) -> Result<TensorArg, String> {
        let (place, offset) = match arg.allocation {
            Allocation::Hbm { arg, offset } => (Place::Arg(arg.get()), offset),
            Allocation::Lx { address } => (Place::Lx(address), Bytes(0)),
            Allocation::HbmPool { offset } => (Place::Pool(offset), Bytes(0)),
        };
        Ok(TensorArg {
            is_output: arg.direction == Direction::Output,
            place,
            format: arg.format,
            device_size: arg.device_size.clone(),
            coordinates: arg.device_coordinates.clone(),
            advance: Vec::new(),
            offset,
            arrangement: arg.arrangement,
            name: arg.name.clone(),
            ownership: match &arg.ownership {
                Some(owners) => Some(self.ownership(owners)?),
                None => None,
            },
        })
    }

    fn ownership(&self, owners: &sdsc::model::Ownership) -> Result<Ownership, String> {
        let known = |symbol: &&Symbol| {
            self.op
                .iteration_space
                .iter()
                .any(|dim| dim.symbol == **symbol)
        };
        let named = owners
            .work_slices
            .keys()
            .chain(owners.core_id_to_work_slice.keys());
        if let Some(symbol) = named.into_iter().find(|symbol| !known(symbol)) {
            return Err(format!(
                "work_division names {symbol}, which is no iteration symbol"
            ));
        }
        let slice = |dim: &sdsc::IterationDim| {
            let slice = owners.core_id_to_work_slice.get(dim.symbol.as_str());
            let slice = slice.cloned().unwrap_or(Expr::int(0));
            match slice.symbols().as_slice() {
                [] => Ok(slice),
                [core] => Ok(renamed(&slice, core)),
                _ => Err(format!(
                    "work_division computes the slice of a core as `{slice}`, from more than the core"
                )),
            }
        };
        let space = &self.op.iteration_space;
        Ok(Ownership {
            slices: space
                .iter()
                .map(|dim| {
                    let slices = owners.work_slices.get(dim.symbol.as_str());
                    slices.copied().unwrap_or(1)
                })
                .collect(),
            slice_of_core: space.iter().map(slice).collect::<Result<_, _>>()?,
        })
    }

    /// Fills in the advances. Returns the levels; `None` if they are simply the loops.
    fn advances(&self, args: &mut [TensorArg]) -> Result<Option<Vec<Level>>, String> {
        let tiled = self.tiled()?;
        let plain = self.by_loop(&tiled);
        let entries: Vec<&[i64]> = match &plain {
            Some(by_loop) => by_loop.iter().map(Vec::as_slice).collect(),
            None => tiled.iter().map(|tiled| tiled.steps.as_slice()).collect(),
        };
        for (operand, arg) in args.iter_mut().enumerate() {
            let advance = entries
                .iter()
                .map(|steps| steps.get(operand).copied().unwrap_or(0)); // A tensor that no entry names stays.
            if advance.clone().any(|step| step != 0) {
                arg.advance = advance.collect();
            }
        }
        Ok(match plain {
            Some(_) => None,
            None => Some(tiled.into_iter().map(|tiled| tiled.level).collect()),
        })
    }

    /// Returns the level symbols that move a tensor or are dimensions, outermost loop first.
    fn tiled(&self) -> Result<Vec<Tiled>, String> {
        let op = self.op;
        let names = dimension_names(op).map_err(|why| why.to_string())?;
        let mut tiled = Vec::new();
        // If the numbers of levels and loops differ, nothing moves, or the generator has refused it.
        if op.tiled_levels.len() != self.counts.len() {
            return Ok(tiled);
        }
        for (number, symbols) in op.tiled_levels.iter().rev().enumerate() {
            for symbol in symbols {
                let position = op
                    .iteration_space
                    .iter()
                    .position(|dim| dim.symbol == *symbol);
                let in_advances = match position.and_then(|position| names.get(position)) {
                    Some(name) => Symbol::from(name.as_str()),
                    None => symbol.clone(),
                };
                let trips = op.tiled_symbol_trip_counts.get(symbol.as_str()).copied();
                let level = Level {
                    number,
                    dim: position.map(|_| symbol.to_string()),
                    trips: trips.filter(|trips| self.counts.get(number) != Some(trips)),
                };
                let steps = op.args.iter().map(|arg| step(arg, &in_advances));
                let steps = steps.collect::<Result<Vec<_>, _>>()?;
                let tiles = Tiled { level, steps };
                if tiles.moves() || tiles.level.dim.is_some() {
                    tiled.push(tiles);
                }
            }
        }
        Ok(tiled)
    }

    /// Returns the steps along each loop, in elements; `None` if a loop has more than one level, or a level that is more than the
    /// loop.
    fn by_loop(&self, tiled: &[Tiled]) -> Option<Vec<Vec<i64>>> {
        let mut by_loop = vec![Vec::new(); self.counts.len()];
        for Tiled { level, steps } in tiled {
            let slot: &mut Vec<i64> = by_loop.get_mut(level.number)?;
            if level.dim.is_some() || level.trips.is_some() || !slot.is_empty() {
                return None;
            }
            slot.clone_from(steps);
        }
        Some(by_loop)
    }
}

/// Returns by how many elements an operand moves along a level. Expressions that the generator would refuse are refused.
fn step(arg: &sdsc::TensorArg, level: &Symbol) -> Result<i64, String> {
    let Some(advance) = &arg.advance else {
        return Ok(0);
    };
    let coefficient = advance
        .coefficient_of(level.as_str())
        .map_err(|why: ExprError| why.to_string())?;
    coefficient.to_integer().ok_or_else(|| {
        format!("`{advance}` advances by {coefficient} elements along {level}, which is not a whole number")
    })
}

/// Returns whether it matters for an operation if the reduction comes first when cores are numbered.
fn splits_k(op: &sdsc::OpSpec) -> bool {
    OpClass::of_spec(&op.op, op.is_reduction) == OpClass::Matmul
        && op.iteration_space.last().is_some_and(|dim| dim.slices > 1)
}

fn integer(expr: &Expr, what: &str) -> Result<i64, String> {
    expr.eval(|_| None).map_err(|why| format!("{what} {why}"))
}

/// Returns the expression with its one symbol renamed to [`CORE`].
fn renamed(expr: &Expr, from: &Symbol) -> Expr {
    let renamed = |expr: &Expr| renamed(expr, from);
    match expr.kind() {
        ExprKind::Symbol(symbol) if symbol == from => Expr::symbol(CORE),
        ExprKind::Int(_) | ExprKind::Symbol(_) | ExprKind::IndirectAccess(_) => expr.clone(),
        ExprKind::Sum(terms) => {
            let sum = terms.iter().map(renamed).reduce(|sum, term| sum + term);
            sum.unwrap_or(Expr::int(0))
        }
        ExprKind::Product(factors) => {
            let product = factors
                .iter()
                .map(renamed)
                .reduce(|product, factor| product * factor);
            product.unwrap_or(Expr::int(1))
        }
        ExprKind::Quotient(numerator, divisor) => renamed(numerator).divided_by(renamed(divisor)),
        ExprKind::Floor(operand) => renamed(operand).floor(),
        ExprKind::Mod(operand, modulus) => renamed(operand).modulo(renamed(modulus)),
    }
}
