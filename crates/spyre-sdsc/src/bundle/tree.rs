//! The first pass over the tree: plan operations, number files and symbols, read loop bounds.

use std::sync::Arc;

use super::cache::FileCache;
use super::file::{FileAddresses, SdscFile};
use super::segments::Segments;
use super::symbols::{Collector, OpSymbols, SymbolBase};
use super::{BundleOptions, check_contract};
use crate::codegen::{self, Descriptor, EnclosingLoops, LevelStep, RuntimeDim};
use crate::error::{Error, LoopError, OpRef};
use crate::expr::Symbol;
use crate::model::{DimBounds, DimSource, LoopBound, LoopSpec, Node, OpSpec};
use crate::ordered::Object;
use crate::rule::Finding;

/// The planned bundle.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) nodes: Vec<PlannedNode>,
    pub(super) ops: Vec<PlannedOp>,
    pub(super) loops: Vec<LoopBound>,
    pub(super) loop_sizes: Object<LoopSize, Symbol>,
    pub(super) files: Vec<SdscFile>,
    /// The broken rules of the contract that are waived.
    pub(super) findings: Vec<Finding>,
}

/// A node, by position in the lists of the plan.
pub(super) enum PlannedNode {
    Op(usize),
    Loop {
        number: usize,
        body: Vec<PlannedNode>,
    },
}

/// An operation: the facts that the function needs.
pub(super) struct PlannedOp {
    pub(super) symbols: Arc<OpSymbols>,
    pub(super) runtime_dims: Vec<RuntimeDim>,
    /// How each tensor moves.
    pub(super) steps: Vec<Vec<LevelStep>>,
    /// The start of its identifiers.
    pub(super) base: SymbolBase,
    /// The start of the identifiers in its file, which belong to the first operation with this file.
    pub(super) file_base: SymbolBase,
    /// Position of the operation's file.
    pub(super) file: usize,
    pub(super) at: OpRef,
}

/// A runtime size that bounds loops.
pub(super) struct LoopSize {
    pub(super) bounds: DimBounds,
    pub(super) source: Option<DimSource>,
}

/// Plans a tree for files with the given form of addresses.
pub(super) fn plan(
    nodes: &[Node],
    options: &BundleOptions,
    numbers: Option<Segments>,
) -> Result<Plan, Error> {
    let mut planner = Planner {
        plan: Plan::default(),
        options,
        numbers,
        cache: FileCache::default(),
        collector: Collector::default(),
        base: SymbolBase::default(),
        trips: Vec::new(),
    };
    planner.plan.nodes = planner.nodes(nodes, 0)?;
    planner.plan.check_sources()?;
    Ok(planner.plan)
}

struct Planner<'a> {
    plan: Plan,
    options: &'a BundleOptions,
    /// Set if files hold addresses as numbers.
    numbers: Option<Segments>,
    cache: FileCache,
    collector: Collector,
    base: SymbolBase,
    /// The largest numbers of trips of the loops around the current operation, outermost first.
    trips: Vec<u64>,
}

impl Planner<'_> {
    /// Nodes in the order in which files are numbered: depth first, without markers (SDSC bundle specification, section
    /// 1).
    fn nodes(&mut self, nodes: &[Node], depth: usize) -> Result<Vec<PlannedNode>, Error> {
        let mut planned = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Node::Op(op) => {
                    let op = self.op(op, depth)?;
                    planned.push(op);
                }
                Node::Loop(spec) => {
                    let entered = self.enter_loop(spec, depth)?;
                    planned.push(entered);
                }
                Node::Unimplemented { .. } => {}
            }
        }
        Ok(planned)
    }

    /// Plans an operation, numbers its file and hands out its identifiers (SDSC bundle specification, sections 2.4 and
    /// 2.10).
    fn op(&mut self, op: &OpSpec, depth: usize) -> Result<PlannedNode, Error> {
        let index = self.plan.ops.len();
        let at = OpRef {
            name: op.op.clone(),
            index,
        };
        let enclosing = EnclosingLoops::Known(depth);
        let descriptor = codegen::plan(op, index, enclosing, &self.options.plan)?;
        let waived = check_contract(op, index, &descriptor, &self.trips, &self.options.plan)?;
        self.plan.findings.extend(waived);
        let addresses = self.addresses(&descriptor, &at)?;
        // Addresses that are numbers have no symbols.
        let symbols = addresses.symbols().cloned().unwrap_or_default();
        let too_many = || Error::Overflow {
            op: at.clone(),
            what: "the number of symbols".into(),
        };
        let next_base = self
            .base
            .after(symbols.kinds().len())
            .ok_or_else(too_many)?;
        let next_file = self.plan.files.len();
        let candidate = SdscFile {
            number: next_file,
            revision: self.options.revision(),
            descriptor,
            addresses,
        };
        let file = if self.options.share_files {
            self.cache.find_or_add(op, &candidate)
        } else {
            next_file
        };
        let mut planned = PlannedOp {
            runtime_dims: distinct_runtime_dims(&candidate.descriptor),
            steps: candidate
                .descriptor
                .tensors
                .iter()
                .map(|tensor| tensor.steps.clone())
                .collect(),
            symbols,
            base: self.base,
            file_base: self.base,
            file,
            at,
        };
        if file == next_file {
            self.plan.files.push(candidate);
        } else {
            planned.file_base = self.plan.files[file].symbol_base();
        }
        // Identifiers advance even when a file is shared.
        self.base = next_base;
        self.plan.ops.push(planned);
        Ok(PlannedNode::Op(index))
    }

    /// The addresses in the file of an operation: symbols, or numbers.
    fn addresses(&mut self, descriptor: &Descriptor, at: &OpRef) -> Result<FileAddresses, Error> {
        Ok(match self.numbers {
            None => FileAddresses::Symbols {
                symbols: Arc::new(self.collector.collect(descriptor)),
                base: self.base,
            },
            Some(segments) => {
                segments
                    .check(descriptor)
                    .map_err(|source| Error::Segment {
                        op: at.clone(),
                        source,
                    })?;
                if let Some((dim, runtime)) = descriptor.runtime_dims().next() {
                    return Err(Error::Unsupported {
                        op: at.clone(),
                        reason: format!(
                            "runtime size {} of {dim} in a file with addresses as numbers, which has no symbols",
                            runtime.symbol
                        ),
                    });
                }
                FileAddresses::Numbers(segments)
            }
        })
    }

    fn enter_loop(&mut self, spec: &LoopSpec, depth: usize) -> Result<PlannedNode, Error> {
        let number = self.plan.open_loop(spec)?;
        self.trips.push(spec.most_iterations()?);
        let body = self.nodes(&spec.body, depth + 1)?;
        self.trips.pop();
        Ok(PlannedNode::Loop { number, body })
    }
}

impl Plan {
    /// Numbers a loop and records the runtime sizes that it needs (SDSC bundle specification, sections 2.7 and 6).
    pub(super) fn open_loop(&mut self, spec: &LoopSpec) -> Result<usize, Error> {
        let bound = spec.bound()?;
        if let LoopBound::Runtime { symbol, step } = &bound {
            let Some(bounds) = spec.count_symbol_bounds.get(symbol.as_str()) else {
                return Err(LoopError::NoBounds {
                    count: spec.count.to_string(),
                    symbol: symbol.clone(),
                }
                .into());
            };
            if !bounds.granularity.is_multiple_of(*step) {
                let (symbol, granularity) = (symbol.clone(), bounds.granularity);
                return Err(LoopError::Granularity {
                    symbol,
                    granularity,
                    step: *step,
                }
                .into());
            }
        }
        self.merge_sizes(spec)?;
        let number = self.loops.len();
        self.loops.push(bound);
        Ok(number)
    }

    /// Takes over the runtime sizes of a loop, which loops must agree about (SDSC bundle specification, sections 2.3
    /// and 6).
    fn merge_sizes(&mut self, spec: &LoopSpec) -> Result<(), Error> {
        for (symbol, bounds) in spec.count_symbol_bounds.iter() {
            let source = spec.count_symbol_sources.get(symbol.as_str()).copied();
            let merged = match self.loop_sizes.get(symbol.as_str()) {
                None => source,
                Some(previous) => {
                    if previous.bounds != *bounds {
                        let (first, second) = (previous.bounds, *bounds);
                        return Err(LoopError::ConflictingBounds {
                            symbol: symbol.clone(),
                            first,
                            second,
                        }
                        .into());
                    }
                    if let (Some(first), Some(second)) = (previous.source, source)
                        && first != second
                    {
                        return Err(LoopError::ConflictingSources {
                            symbol: symbol.clone(),
                            first,
                            second,
                        }
                        .into());
                    }
                    previous.source.or(source)
                }
            };
            let size = LoopSize {
                bounds: *bounds,
                source: merged,
            };
            self.loop_sizes.insert(symbol.clone(), size);
        }
        Ok(())
    }

    /// Every runtime size of a loop needs a source when the bundle is launched (SDSC bundle specification, section
    /// 2.8).
    pub(super) fn check_sources(&self) -> Result<(), Error> {
        match self
            .loop_sizes
            .iter()
            .find(|(_, size)| size.source.is_none())
        {
            Some((symbol, _)) => Err(LoopError::NoSource {
                symbol: symbol.clone(),
            }
            .into()),
            None => Ok(()),
        }
    }
}

/// Each runtime size of an operation once, in the order of its dimensions (SDSC bundle specification, section 2.4, item
/// 1).
fn distinct_runtime_dims(descriptor: &Descriptor) -> Vec<RuntimeDim> {
    let mut distinct: Vec<RuntimeDim> = Vec::new();
    for (_, runtime) in descriptor.runtime_dims() {
        if distinct
            .iter()
            .all(|distinct_dim| distinct_dim.symbol != runtime.symbol)
        {
            distinct.push(runtime.clone());
        }
    }
    distinct
}
