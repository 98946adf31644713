//! `--spyre-name-loops`: turns hints that number a loop into hints that name a dimension.
//!
//! One walk over the function, in the order of the text. It keeps a name for each dimension of each value, from
//! `spyre.dims` or new. A structured operation's loop has the name of the first dimension that it indexes. Users of a
//! dimension propagate its name to their results.

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::Attribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::dynamic::extents::{Extent, Extents, ShapeError};
use spyre_analysis::names::untracked;
use spyre_construct::access::{self, Coordinate};
use spyre_construct::build::{fixed, shape_of};
use spyre_dialects::attr;
use spyre_dialects::hint::{self, DimName, DivideHint, TileHint};
use spyre_dialects::names::{DIMS, DIVIDE, TILE};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, Source, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{func, linalg, tensor};

const NAME: &str = "spyre-name-loops";

/// `--spyre-name-loops`
pub static NAME_LOOPS: RustPass = RustPass {
    argument: NAME,
    summary: "Name the dimensions of loops that hints number",
    description: r#"
A hint on a structured operation, an entry of `spyre.tile` or `spyre.divide`, speaks of a dimension by its
name, or of a loop by its number: `"d0"` is the first loop, as the indexing maps call it.
The conversion to device operations changes the loops, so this pass turns numbers into
names. A loop has the name of the first operand's dimension that moves with it, as
`spyre.dims` declares it. One without a name gets `dim0`, `dim1`, ..., counted in the
order of the text, which `spyre.dims` then declares where the dimension comes from.

```mlir
// before
func.func @f(%x: tensor<96x512xf16>, %w: tensor<512x256xf16>, %o: tensor<96x256xf16>) -> tensor<96x256xf16> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, ...], ...}
    ins(%x, %w : ...) outs(%o : ...) attrs = {spyre.tile = [#spyre.tile_hint<0 : "d0" in 3>]} { ... }
// after
func.func @f(%x: tensor<96x512xf16> {spyre.dims = ["dim0", "_untracked_512"]}, ...) -> tensor<96x256xf16> {
  %0 = linalg.generic {...} ins(%x, %w : ...) outs(%o : ...)
    attrs = {spyre.dims = ["dim0", "_untracked_256"], spyre.tile = [#spyre.tile_hint<0 : "dim0" in 3>]} { ... }
```

A name that `spyre.dims` declares in the function is a name, even `"d0"`.

Refused: the number of a loop that the operation does not have, and a new name for a
dimension of a tensor with a dynamic extent that no name bounds.
"#,
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "named",
        description: "Loops that got a new name",
    }],
    dialects: || vec![spyre_dialects::spyre_dialect(), DialectHandle::linalg()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    if !ir::blocks(function).any(has_numbers) {
        run.preserve_analyses();
        return Ok(());
    }
    let extents = match ir::function_body(function) {
        Some(body) => Some(Extents::of_function(function, body)?),
        None => None,
    };
    let mut namer = Namer::of(run.context(), function, extents);
    for block in ir::blocks(function) {
        namer.block(block)?;
    }
    run.count("named", namer.fresh);
    namer.declare()?;
    Ok(())
}

/// Returns whether an operation in a block has hints that may number a loop.
fn has_numbers(block: Blk<'_>) -> bool {
    ir::operations(block).any(|op| {
        let (hints, divisions) = (hints_of(op), divisions_of(op));
        let dims = hints.iter().map(|hint| &hint.dim);
        let mut dims = dims.chain(divisions.iter().map(|hint| &hint.dim));
        let numbers = dims.any(|dim| loop_number(dim).is_some());
        numbers || (!is_structured(op) && ir::blocks(op).any(has_numbers))
    })
}

fn is_structured(op: Op<'_>) -> bool {
    ir::name(op).starts_with("linalg.")
}

/// Reads the `spyre.tile` of an operation, with verified entries; empty without one.
fn hints_of(op: Op<'_>) -> Vec<TileHint> {
    let Ok(attribute) = op.attribute(TILE) else {
        return Vec::new();
    };
    let entries = attr::elements(attribute).into_iter();
    let hints: Option<Vec<_>> = entries.map(hint::tile_hint).collect();
    hints.expect("the verifier has seen that every entry is a hint")
}

/// Reads the `spyre.divide` of an operation, with verified entries; empty without one.
fn divisions_of(op: Op<'_>) -> Vec<DivideHint> {
    let Ok(attribute) = op.attribute(DIVIDE) else {
        return Vec::new();
    };
    let entries = attr::elements(attribute).into_iter();
    let hints: Option<Vec<_>> = entries.map(hint::divide_hint).collect();
    hints.expect("the verifier has seen that every entry is a hint")
}

/// Returns the number of the loop that a hint names by its number; `None` for a name.
fn loop_number(dim: &str) -> Option<usize> {
    let digits = dim.strip_prefix('d')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// The name of each dimension of a value.
type Dims = Vec<Option<String>>;

/// The names of the dimensions of all values: declared names, and names that the pass adds.
struct Namer<'p> {
    context: &'p Context,
    function: Op<'p>,
    /// By the key of the value.
    names: FxHashMap<ir::ValueKey, Dims>,
    /// Every name that the function declares.
    all_names: FxHashSet<String>,
    /// The values of which a dimension got a name, in the order of the text.
    changed: Vec<Val<'p>>,
    fresh: usize,
    /// `None` for a function of several blocks.
    extents: Option<Extents>,
}

impl<'p> Namer<'p> {
    /// Reads the names that a function declares.
    fn of(context: &'p Context, function: Op<'p>, extents: Option<Extents>) -> Self {
        let mut namer = Self {
            context,
            function,
            names: FxHashMap::default(),
            all_names: FxHashSet::default(),
            changed: Vec::new(),
            fresh: 0,
            extents,
        };
        if let Some(body) = ir::blocks(function).next() {
            for number in 0..body.argument_count() {
                if let Some(dims) = ir::argument_attribute(function, number, DIMS)
                    && let Ok(argument) = body.argument(number)
                {
                    namer.read(argument.into(), dims);
                }
            }
        }
        for block in ir::blocks(function) {
            namer.read_block(block);
        }
        namer
    }

    fn read_block(&mut self, block: Blk<'p>) {
        for op in ir::operations(block) {
            if let (Ok(dims), Some(result)) = (op.attribute(DIMS), ir::result(op, 0)) {
                self.read(result, dims);
            }
            for inner in ir::blocks(op) {
                self.read_block(inner);
            }
        }
    }

    fn read(&mut self, value: Val<'p>, dims: Attribute<'p>) {
        let entries = attr::elements(dims).into_iter();
        let mut names = Vec::new();
        for entry in entries {
            let entry = hint::dim_names(entry).expect("the verifier has seen the names");
            let mut whole = entry.iter().filter_map(|name| match name {
                DimName::Whole(name) => Some(name.clone()),
                DimName::Merged(_) => None,
            });
            names.push(whole.next());
            self.all_names
                .extend(entry.into_iter().flat_map(|name| match name {
                    DimName::Whole(name) => vec![name],
                    DimName::Merged(names) => names.into_iter().map(|(name, _)| name).collect(),
                }));
        }
        self.names.insert(ir::value_key(value), names);
    }

    fn block(&mut self, block: Blk<'p>) -> Result<(), Failed> {
        for op in ir::operations(block) {
            match ir::name(op) {
                linalg::GENERIC => self.structured(op)?,
                tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE => self.through_reshape(op),
                _ => {
                    for inner in ir::blocks(op) {
                        self.block(inner)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Names the loops of a structured operation for its hints, and the dimensions of its results after its loops.
    fn structured(&mut self, op: Op<'p>) -> Result<(), Failed> {
        let Some(accesses) = accesses(op) else {
            return Ok(());
        };
        let results = op.result_count();
        let inputs = accesses.len() - results;
        let mut loops = self.loops(&accesses[..inputs], loop_count(op));
        let mut is_new = vec![false; loops.len()];
        let (mut tiles, mut divisions) = (Vec::new(), Vec::new());
        for hint in hints_of(op) {
            let dim = self.hinted(op, &hint.dim, "tiles", &mut loops, &mut is_new)?;
            tiles.push(hint::tile_hint_attribute(
                self.context,
                &TileHint { dim, ..hint },
            ));
        }
        for hint in divisions_of(op) {
            let dim = self.hinted(op, &hint.dim, "cores", &mut loops, &mut is_new)?;
            divisions.push(hint::divide_hint_attribute(
                self.context,
                &DivideHint { dim, ..hint },
            ));
        }
        for (name, entries) in [(TILE, tiles), (DIVIDE, divisions)] {
            if !entries.is_empty() {
                ir::set_discardable_attribute(op, name, attr::array(self.context, &entries));
            }
        }
        for (value, coordinates) in &accesses[..inputs] {
            self.name_where(*value, coordinates, &loops, &is_new);
        }
        for (number, (_, coordinates)) in accesses[inputs..].iter().enumerate() {
            let Some(result) = ir::result(op, number) else {
                continue;
            };
            let names = coordinates
                .iter()
                .map(|at| loops.get(at.as_index()?.0)?.clone());
            let names: Dims = names.collect();
            self.names.entry(ir::value_key(result)).or_insert(names);
            if coordinates
                .iter()
                .any(|at| at.as_index().is_some_and(|id| is_new[id.0]))
            {
                self.changed.push(result);
            }
        }
        Ok(())
    }

    /// Returns the name of the dimension of a hint. The hint may have the number of a loop in place of a name.
    fn hinted(
        &mut self,
        op: Op<'p>,
        dim: &str,
        what: &str,
        loops: &mut Dims,
        is_new: &mut [bool],
    ) -> Result<String, Diagnostic<'p>> {
        let number = loop_number(dim).filter(|_| !self.all_names.contains(dim));
        let Some(number) = number else {
            return Ok(dim.to_owned());
        };
        let Some(current) = loops.get(number).cloned() else {
            return Err(Diagnostic::error(
                op.location(),
                format!(
                    "{NAME}: a hint asks for {what} of loop d{number}, but the operation has {} loops",
                    loops.len()
                ),
            ));
        };
        let others = loops.iter().enumerate();
        let is_shared = others
            .filter(|(other, _)| *other != number)
            .any(|(_, other)| other.is_some() && *other == current);
        let name = match current.filter(|_| !is_shared) {
            Some(name) => name,
            None => {
                is_new[number] = true;
                self.fresh_name()
            }
        };
        loops[number] = Some(name.clone());
        Ok(name)
    }

    /// Returns the name of each loop: the name of the first dimension that it alone indexes.
    fn loops(&self, inputs: &[Moved<'p>], count: usize) -> Dims {
        let mut loops = vec![None; count];
        for (value, coordinates) in inputs {
            let Some(names) = self.names.get(&ir::value_key(*value)) else {
                continue;
            };
            for (at, name) in coordinates.iter().zip(names) {
                if let Some(id) = at.as_index()
                    && loops[id.0].is_none()
                {
                    loops[id.0].clone_from(name);
                }
            }
        }
        loops
    }

    /// Names the dimensions of a value after the loops that index them, unless they have names.
    fn name_where(
        &mut self,
        value: Val<'p>,
        coordinates: &[Coordinate],
        loops: &Dims,
        is_new: &[bool],
    ) {
        let names = self
            .names
            .entry(ir::value_key(value))
            .or_insert_with(|| vec![None; coordinates.len()]);
        let mut has_changed = false;
        for (name, at) in names.iter_mut().zip(coordinates) {
            if let Some(id) = at.as_index()
                && is_new[id.0]
                && name.is_none()
            {
                name.clone_from(&loops[id.0]);
                has_changed = true;
            }
        }
        if has_changed {
            self.changed.push(value);
        }
    }

    /// Passes on the names of the dimensions that a reshape does not change.
    fn through_reshape(&mut self, op: Op<'p>) {
        let (Some(source), Some(result)) = (ir::operand(op, 0), ir::result(op, 0)) else {
            return;
        };
        let Some(names) = self.names.get(&ir::value_key(source)) else {
            return;
        };
        let groups = op.attribute("reassociation").map(attr::elements);
        let (Ok(groups), Ok(from), Ok(to)) = (groups, self.shape_of(source), self.shape_of(result))
        else {
            return;
        };
        let is_expanded = ir::name(op) == tensor::EXPAND_SHAPE;
        let mut passed: Dims = vec![None; to.len()];
        for (one, group) in groups.into_iter().enumerate() {
            for many in attr::elements(group) {
                let many = attr::integer(many).and_then(|many| usize::try_from(many).ok());
                let many = many.expect("the verifier has seen the dimensions of a reshape");
                let (before, after) = if is_expanded {
                    (one, many)
                } else {
                    (many, one)
                };
                if from[before] == to[after] && !from[before].is_one() {
                    passed[after].clone_from(&names[before]);
                }
            }
        }
        self.names.entry(ir::value_key(result)).or_insert(passed);
    }

    /// Returns the extents of a tensor.
    fn shape_of(&self, value: Val<'p>) -> Result<Vec<Extent>, ShapeError> {
        match &self.extents {
            Some(extents) => extents.shape(value),
            None => Ok(fixed(&shape_of(value)?)),
        }
    }

    fn fresh_name(&mut self) -> String {
        loop {
            let name = format!("dim{}", self.fresh);
            self.fresh += 1;
            if self.all_names.insert(name.clone()) {
                return name;
            }
        }
    }

    /// Writes the names that were made where the dimensions come from.
    ///
    /// # Errors
    /// Such a value has an open extent.
    fn declare(&mut self) -> Result<(), Diagnostic<'p>> {
        for value in std::mem::take(&mut self.changed) {
            let names = self.names.get(&ir::value_key(value)).cloned();
            let names = names.expect("what changed has names");
            let shape = self.shape_of(value).map_err(|err| {
                let defining = ir::defining_op(value).unwrap_or(self.function);
                Diagnostic::error(
                    defining.location(),
                    format!(
                        "{NAME}: a hint numbers a loop along which this value moves, so its dimensions need names, but {err}; \
                         name the dimensions of the hint in '{DIMS}'"
                    ),
                )
            })?;
            match ir::source(value) {
                Source::Result(op, _) if op.result_count() == 1 => {
                    let old = ir::attribute(op, DIMS);
                    let dims = self.attribute(old, &shape, &names, false);
                    ir::set_discardable_attribute(op, DIMS, dims);
                }
                Source::Argument(block, number)
                    if ir::blocks(self.function).next() == Some(block) =>
                {
                    let old = ir::argument_attribute(self.function, number, DIMS);
                    let dims = self.attribute(old, &shape, &names, true);
                    ir::set_argument_attribute(self.function, number, DIMS, dims);
                }
                // One of several results, or a loop-carried value: no attribute names its dimensions.
                Source::Result(..) | Source::Argument(..) => {}
            }
        }
        Ok(())
    }

    /// Returns the attribute `spyre.dims` with the names of `old` and `names`. A dimension without a name gets a
    /// placeholder. With `is_distinct`, which holds for arguments, no name occurs in two dimensions.
    fn attribute(
        &mut self,
        old: Option<Attribute<'p>>,
        shape: &[Extent],
        names: &Dims,
        is_distinct: bool,
    ) -> Attribute<'p> {
        let old = old.map(attr::elements).unwrap_or_default();
        let mut seen = FxHashSet::default();
        let mut entries = Vec::new();
        for (dim, (name, extent)) in names.iter().zip(shape).enumerate() {
            let mut entry = old.get(dim).and_then(|value| hint::dim_names(*value));
            let all = entry.get_or_insert_default();
            if let Some(name) = name {
                let name = DimName::Whole(name.clone());
                if !all.contains(&name) {
                    all.push(name);
                }
            }
            if all.is_empty() {
                let placeholder = match (*extent, &self.extents) {
                    (Extent::Dynamic(symbol), Some(extents)) => extents.name(symbol),
                    (extent, _) => untracked(extent.encoded().cast_unsigned()),
                };
                let is_again = is_distinct && !seen.insert(placeholder.clone());
                all.push(DimName::Whole(match is_again {
                    true => self.fresh_name(),
                    false => placeholder,
                }));
            }
            let entry = hint::dim_names_attribute(self.context, all);
            entries.push(entry.expect("every dimension has a name now"));
        }
        attr::array(self.context, &entries)
    }
}

/// A tensor of a structured operation, with its coordinates as sums of the loops that its indexing map uses.
type Moved<'p> = (Val<'p>, Vec<Coordinate>);

/// Returns the tensors that a structured operation reads and writes, with their coordinates; `None` where a
/// coordinate is not linear.
fn accesses<'p>(op: Op<'p>) -> Option<Vec<Moved<'p>>> {
    let maps = attr::elements(ir::attribute(op, "indexing_maps")?);
    let maps = maps.into_iter().map(access::read);
    op.operands()
        .zip(maps)
        .map(|(value, map)| Some((value, map?)))
        .collect()
}

fn loop_count(op: Op<'_>) -> usize {
    let iterators = op.attribute("iterator_types").map(attr::elements);
    iterators.map_or(0, |iterators| iterators.len())
}
