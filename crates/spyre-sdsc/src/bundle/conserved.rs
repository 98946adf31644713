//! Checks that a bundle has all operations, loops and symbols of its tree, each once.
//!
//! The tree is counted, and so is the function, by walks that are independent of the emission. Every operation is one
//! execute, and every loop one `scf.for` around the same executes. Every symbol that a file declares is bound by one
//! operand of each of its executes, and every core has an address. Every file is executed, every value is used after
//! its definition, and every address that is computed is used. A difference is a mistake of this crate, so that the
//! error blames no input and has the counts.

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::ast::{AffineMap, Function, Stmt, ValueId};
use super::file::SdscFile;
use super::link::CompiledNode;
use super::symbols::SymbolId;
use super::{AddressMode, Bundle};
use crate::error::Error;
use crate::model::{LoopSpec, Node};
use crate::sdsc::{FoldIndex, StartAddress};

/// Checks a bundle against the tree from which it was made, in linear time.
///
/// # Errors
/// [`Error::Internal`], for the first count that differs.
pub(super) fn check(nodes: &[Node], bundle: &Bundle) -> Result<(), Error> {
    let expected = match bundle.function.addresses {
        AddressMode::Symbolic => Blocks::from_nodes(nodes, kind),
        AddressMode::Concrete => Blocks(vec![unrolled(nodes)]),
    };
    let walk = compare(&expected, bundle);
    walk.and_then(|walk| walk.compare_uses()).map_err(internal)
}

/// Checks a bundle with a stated function against its tree, as [`check`]. Such a function may have values without uses.
///
/// # Errors
/// The errors of [`check`].
pub(super) fn check_stated(nodes: &[Node], bundle: &Bundle) -> Result<(), Error> {
    let walk = compare(&Blocks::from_nodes(nodes, kind), bundle);
    walk.map(drop).map_err(internal)
}

/// Compares a bundle with the blocks of its tree.
fn compare<'b>(expected: &Blocks, bundle: &'b Bundle) -> Result<Walk<'b>, String> {
    let function = &bundle.function;
    expected.compare(&Blocks::from_nodes(&function.body, stmt_kind))?;
    let walk = Walk::from_function(function)?;
    compare_files(&bundle.files, &walk.executes, function.addresses)?;
    Ok(walk)
}

const fn internal(problem: String) -> Error {
    Error::Internal { problem }
}

/// Checks a function against the compiled operations that it links, as [`check`] does for a bundle. The files of these
/// operations are given, with their symbols, so only the blocks and the values of the function are compared.
///
/// # Errors
/// The errors of [`check`].
pub(super) fn check_linked(nodes: &[CompiledNode], function: &Function) -> Result<(), Error> {
    let blocks = Blocks::from_nodes(nodes, linked_kind)
        .compare(&Blocks::from_nodes(&function.body, stmt_kind));
    let walk = blocks.and_then(|()| Walk::from_function(function));
    walk.map(drop).map_err(internal)
}

/// The operations of the tree outside loops, and then of every loop without its nested loops, in the order in which
/// loops begin.
#[derive(Debug, PartialEq, Eq)]
struct Blocks(Vec<u64>);

/// The kinds of nodes and statements.
enum NodeKind<'t, N> {
    Operation,
    Loop(&'t [N]),
    Other,
}

fn kind(node: &Node) -> NodeKind<'_, Node> {
    match node {
        Node::Op(_) => NodeKind::Operation,
        Node::Loop(spec) => NodeKind::Loop(&spec.body),
        Node::Unimplemented { .. } => NodeKind::Other,
    }
}

fn linked_kind(node: &CompiledNode) -> NodeKind<'_, CompiledNode> {
    match node {
        CompiledNode::Op(_) => NodeKind::Operation,
        CompiledNode::Loop { body, .. } => NodeKind::Loop(body),
    }
}

fn stmt_kind(stmt: &Stmt) -> NodeKind<'_, Stmt> {
    match stmt {
        Stmt::Execute { .. } => NodeKind::Operation,
        Stmt::For { body, .. } => NodeKind::Loop(body),
        _ => NodeKind::Other,
    }
}

impl Blocks {
    /// Counts a tree, or the statements of a function.
    fn from_nodes<N>(nodes: &[N], kind: fn(&N) -> NodeKind<'_, N>) -> Self {
        let mut blocks = Self(vec![0]);
        blocks.count(nodes, kind, 0);
        blocks
    }

    fn count<N>(&mut self, nodes: &[N], kind: fn(&N) -> NodeKind<'_, N>, block: usize) {
        for node in nodes {
            match kind(node) {
                NodeKind::Operation => self.0[block] += 1,
                NodeKind::Loop(body) => {
                    self.0.push(0);
                    self.count(body, kind, self.0.len() - 1);
                }
                NodeKind::Other => {}
            }
        }
    }

    /// Compares the blocks of a tree with the blocks of the function.
    fn compare(&self, function: &Self) -> Result<(), String> {
        let count = |blocks: &Self| (blocks.0.iter().sum::<u64>(), blocks.0.len() - 1);
        let ((operations, loops), (executes, fors)) = (count(self), count(function));
        if (operations, loops) != (executes, fors) {
            return Err(format!(
                "the tree has {operations} operations in {loops} loops, and the function {executes} executes in {fors} \
                 loops"
            ));
        }
        let pairs = self.0.iter().zip(&function.0);
        match pairs
            .enumerate()
            .find(|(_, (in_tree, in_function))| in_tree != in_function)
        {
            Some((block, (in_tree, in_function))) => Err(format!(
                "loop {block} of {loops} (0 is the code outside of loops) has {in_tree} operations in the tree, but {in_function} executes in \
                 the function"
            )),
            None => Ok(()),
        }
    }
}

/// The number of operations after unrolling.
fn unrolled(nodes: &[Node]) -> u64 {
    let count = |spec: &LoopSpec| {
        let count = spec.count.eval(|_| None).ok().map(u64::try_from);
        let count = count.and_then(Result::ok);
        count.expect("a loop that was unrolled has a fixed count")
    };
    let operations = nodes.iter().map(|node| match node {
        Node::Op(_) => 1,
        // The product is below the limit of unrolling.
        Node::Loop(spec) => count(spec) * unrolled(&spec.body),
        Node::Unimplemented { .. } => 0,
    });
    operations.sum()
}

/// An execute of the function.
struct Executed<'f> {
    filename: &'f str,
    /// In ascending order.
    symbol_ids: Vec<SymbolId>,
}

/// A walk over a function, in the order of its text.
struct Walk<'f> {
    function: &'f Function,
    /// Which blocks have begun and not ended, so that their values can be used.
    is_open: Vec<bool>,
    /// The block in which each value is defined.
    defined_in: Vec<usize>,
    /// Which values are used.
    is_used: Vec<bool>,
    /// The values that are computed from others.
    computed: Vec<ValueId>,
    /// Which maps are used.
    is_applied: Vec<bool>,
    executes: Vec<Executed<'f>>,
}

impl<'f> Walk<'f> {
    fn from_function(function: &'f Function) -> Result<Self, String> {
        let mut walk = Self {
            function,
            is_open: vec![true],
            defined_in: Vec::with_capacity(function.value_count()),
            is_used: vec![false; function.value_count()],
            computed: Vec::new(),
            is_applied: vec![false; function.maps.len()],
            executes: Vec::new(),
        };
        for param in &function.params {
            walk.define(param.value, 0)?;
        }
        walk.block(&function.body, 0)?;
        let (defined, named) = (walk.defined_in.len(), function.value_count());
        if defined != named {
            return Err(format!(
                "{named} values have names, and {defined} are defined"
            ));
        }
        Ok(walk)
    }

    fn define(&mut self, value: ValueId, block: usize) -> Result<(), String> {
        let (number, next) = (value.index(), self.defined_in.len());
        if number != next || number >= self.is_used.len() {
            return Err(format!(
                "value {number} of {} is defined where value {next} is expected",
                self.is_used.len()
            ));
        }
        self.defined_in.push(block);
        Ok(())
    }

    fn take(&mut self, values: &[ValueId]) -> Result<(), String> {
        for value in values.iter().map(|value| value.index()) {
            let block = self.defined_in.get(value);
            if !block.is_some_and(|block| self.is_open[*block]) {
                let defined = self.defined_in.len();
                return Err(format!(
                    "value {value} is used before its definition, after {defined} values"
                ));
            }
            self.is_used[value] = true;
        }
        Ok(())
    }

    fn block(&mut self, body: &'f [Stmt], block: usize) -> Result<(), String> {
        for stmt in body {
            match stmt {
                Stmt::Constant { result, .. } => self.define(*result, block)?,
                Stmt::InputArgExtract { result, param, .. } => {
                    self.take(&[*param])?;
                    self.define(*result, block)?;
                }
                Stmt::DeviceMemAllocate { result, .. } => self.compute(*result, block)?,
                Stmt::AddI { result, lhs, rhs } => {
                    self.take(&[*lhs, *rhs])?;
                    self.compute(*result, block)?;
                }
                Stmt::Apply {
                    result,
                    map,
                    ivs,
                    base,
                } => {
                    let Some(AffineMap { strides }) = self.function.maps.get(*map) else {
                        let maps = self.is_applied.len();
                        return Err(format!(
                            "map {map} is applied, but there are only {maps} maps"
                        ));
                    };
                    if strides.len() != ivs.len() {
                        return Err(format!(
                            "map {map} has {} strides, and is applied to {} values",
                            strides.len(),
                            ivs.len()
                        ));
                    }
                    self.is_applied[*map] = true;
                    self.take(ivs)?;
                    self.take(&[*base])?;
                    self.compute(*result, block)?;
                }
                Stmt::Execute {
                    operands,
                    filename,
                    symbol_ids,
                } => {
                    if operands.len() != symbol_ids.len() {
                        return Err(format!(
                            "an execute of {filename} has {} operands for {} symbols",
                            operands.len(),
                            symbol_ids.len()
                        ));
                    }
                    self.take(operands)?;
                    let mut symbol_ids = symbol_ids.to_vec();
                    symbol_ids.sort_unstable();
                    self.executes.push(Executed {
                        filename,
                        symbol_ids,
                    });
                }
                Stmt::For {
                    iv,
                    lower,
                    upper,
                    step,
                    body,
                } => {
                    self.take(&[*lower, *upper, *step])?;
                    let inner = self.is_open.len();
                    self.is_open.push(true);
                    self.define(*iv, inner)?;
                    self.block(body, inner)?;
                    self.is_open[inner] = false;
                }
            }
        }
        Ok(())
    }

    /// Defines a value that is computed only for its uses.
    fn compute(&mut self, value: ValueId, block: usize) -> Result<(), String> {
        self.computed.push(value);
        self.define(value, block)
    }

    /// Checks that every computed value is used, and every map applied.
    fn compare_uses(&self) -> Result<(), String> {
        let used = self
            .computed
            .iter()
            .filter(|value| self.is_used[value.index()]);
        let (computed, used) = (self.computed.len(), used.count());
        if computed != used {
            return Err(format!(
                "{computed} addresses are computed, and {used} are used"
            ));
        }
        let applied = self.is_applied.iter().filter(|is_applied| **is_applied);
        let (maps, applied) = (self.is_applied.len(), applied.count());
        if maps != applied {
            return Err(format!(
                "there are {maps} maps, but only {applied} are applied"
            ));
        }
        Ok(())
    }
}

/// Checks that exactly the executed files exist, and that each execute binds the symbols of its file.
fn compare_files(
    files: &[SdscFile],
    executes: &[Executed<'_>],
    addresses: AddressMode,
) -> Result<(), String> {
    let mut declared = FxHashMap::with_capacity_and_hasher(files.len(), FxBuildHasher);
    for (number, file) in files.iter().enumerate() {
        let name = file.name();
        if file.number != number {
            return Err(format!(
                "the file {name} has the number {}, expected {number}",
                file.number
            ));
        }
        let ids = declared_by(file, addresses).map_err(|problem| format!("{name}: {problem}"))?;
        declared.insert(name, (ids, false));
    }
    for Executed {
        filename,
        symbol_ids,
    } in executes
    {
        let Some((ids, is_executed)) = declared.get_mut(*filename) else {
            return Err(format!(
                "{filename} is executed, but is not among the {} files",
                files.len()
            ));
        };
        if ids != symbol_ids {
            let times =
                |all: &[SymbolId], id: &SymbolId| all.iter().filter(|other| *other == id).count();
            let mut all = ids.iter().chain(symbol_ids);
            let wrong = all.find(|id| times(ids, id) != times(symbol_ids, id));
            let wrong = wrong.expect("lists that differ have an entry in which they do");
            return Err(format!(
                "{filename} has {} symbols, and an execute binds {}: {wrong} occurs {} times, and is bound {} times",
                ids.len(),
                symbol_ids.len(),
                times(ids, wrong),
                times(symbol_ids, wrong)
            ));
        }
        *is_executed = true;
    }
    let executed = declared.values().filter(|(_, is_executed)| *is_executed);
    let executed = executed.count();
    if executed != files.len() {
        return Err(format!(
            "there are {} files, but only {executed} are executed",
            files.len()
        ));
    }
    Ok(())
}

/// Returns the symbols that the contents of a file name, each once and in ascending order.
fn declared_by(file: &SdscFile, addresses: AddressMode) -> Result<Vec<SymbolId>, String> {
    let (mut ids, operands) = file.declared();
    let cores = file.descriptor.core_mapping.cores();
    for (operand, starts) in operands.iter().enumerate() {
        if !starts.keys().copied().eq((0..cores).map(FoldIndex::core)) {
            return Err(format!(
                "operand {operand} has {} addresses for {cores} cores",
                starts.len()
            ));
        }
        let symbols = starts.iter().filter_map(|(_, start)| match start {
            StartAddress::Symbol(id) => Some(*id),
            StartAddress::Number(_) => None,
        });
        let before = ids.len();
        ids.extend(symbols);
        let is_number = file.descriptor.tensors[operand].allocation.is_lx()
            || addresses == AddressMode::Concrete;
        let (actual, expected) = (ids.len() - before, if is_number { 0 } else { starts.len() });
        if actual != expected {
            return Err(format!(
                "{actual} of {cores} addresses of operand {operand} are symbols, which must be {expected}"
            ));
        }
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

#[cfg(test)]
mod tests;
