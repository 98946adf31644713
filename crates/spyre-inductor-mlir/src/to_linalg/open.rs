//! Dimensions of a converted graph with dynamic sizes.
//!
//! A graph is converted twice, with two substitute numbers for each open size: one below its range and one above. Both
//! functions must be equal except for extents of tensors. An extent that differs is the open size; any other difference
//! is a number that the program computed from the size, and is refused at its origin. Then these extents become
//! dynamic, dimensions get names, and loops along them get tiles of the granularity, so that one bundle serves every
//! size.
//!
//! A reshape that merges open sizes in order to split them in another order has an intermediate tensor of rank 1 with
//! an extent that is not an open size. It becomes a `tensor.reshape`, which has the sizes as operands and no such
//! intermediate.

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::attribute::{DenseI64ArrayAttribute, IntegerAttribute, StringAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::{DimSize, IntegerType, RankedTensorType};
use melior::ir::{Attribute, Identifier, ShapedTypeLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::dynamic::extents::tensor_dim;
use spyre_analysis::dynamic::slices::{self, DYNAMIC, Slice, SliceSize};
use spyre_analysis::names::{FurtherNames, placeholder, set_dim_sizes};
use spyre_construct::build::element_of;
use spyre_construct::reshape;
use spyre_dialects::attr;
use spyre_dialects::dynamic::dynamic_extent_attribute;
use spyre_dialects::hint::{TileHint, Tiles, tile_hint_attribute};
use spyre_dialects::names::{DIMS, TILE};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpKind, Val};
use spyre_plan::DynamicExtent;

use super::computed::{Multiple, Numbers, multiple, whole_number};
use super::sizes::{Size, Symbol};
use super::{SIZES, error, extents, result};

/// An open size.
struct Open<'a> {
    name: &'a str,
    extent: DynamicExtent,
    /// The two numbers that substitute it.
    stand_ins: [i64; 2],
}

/// Makes the extents of a function that are open sizes dynamic. `other` is the function with the other substitutes.
///
/// # Errors
/// The functions differ in something else than extents.
pub(super) fn open<'p>(
    context: &'p Context,
    [function, other]: [Op<'p>; 2],
    symbols: &[Symbol],
    stand_ins: &[Vec<i64>; 2],
) -> Result<(), Diagnostic<'p>> {
    let opened = symbols.iter().enumerate().filter_map(|(at, symbol)| {
        let Size::Open(extent) = symbol.size else {
            return None;
        };
        Some(Open {
            name: &symbol.name,
            extent,
            stand_ins: [0, 1].map(|which| stand_ins[which][at]),
        })
    });
    let mut opening = Opening {
        context,
        sizes: opened.collect(),
        dims: FxHashMap::default(),
        values: Vec::new(),
        cuts: FxHashMap::default(),
        lines: FxHashMap::default(),
        numbers: Vec::new(),
    };
    let [body, others] =
        [function, other].map(|op| ir::body(op).expect("the function has a block"));
    opening.compare_block(body, others)?;
    opening.change(function, body)
}

struct Opening<'a, 'p> {
    context: &'p Context,
    sizes: Vec<Open<'a>>,
    /// The open size that each dimension of a value is, by the keys of values. Values without open sizes are absent.
    dims: FxHashMap<ir::ValueKey, Vec<Option<usize>>>,
    /// These values, in order.
    values: Vec<Val<'p>>,
    /// The open size that each size of a slice is, by the keys of operations; slices with none are left out.
    cuts: FxHashMap<ir::OpKey, Vec<Option<usize>>>,
    /// The reshapes to one line of elements that other reshapes split again, by their keys.
    lines: FxHashMap<ir::OpKey, Op<'p>>,
    /// The constants that are multiples of open sizes, in order.
    numbers: Vec<(Op<'p>, Multiple)>,
}

impl<'p> Opening<'_, 'p> {
    fn compare_block(&mut self, block: Blk<'p>, other: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        let mut others = ir::operations(other);
        for number in 0..block.argument_count() {
            let at = block.first_operation().expect("a block has an end");
            self.compare_value(at, argument(block, number), argument(other, number))?;
        }
        for op in ir::operations(block) {
            match others.next() {
                Some(other) => self.compare(op, other)?,
                None => return Err(self.computed(op)),
            }
        }
        Ok(())
    }

    /// Returns the error of an operation that is another one for another size.
    fn computed(&self, op: Op<'p>) -> Diagnostic<'p> {
        let mut names = self.sizes.iter().map(|size| format!("'{}'", size.name));
        let first = names.next().expect("a size is open");
        let all = names.fold(first.clone(), |all, name| format!("{all} or {name}"));
        let plain = first.trim_matches('\'');
        error(
            op,
            format!(
                "what this becomes ('{}') computes with {all}, which is chosen at run time; {SIZES}={plain}=N chooses it now",
                ir::name(op)
            ),
        )
    }

    fn compare(&mut self, op: Op<'p>, other: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let is_same = ir::name(op) == ir::name(other)
            && op.operand_count() == other.operand_count()
            && op.result_count() == other.result_count()
            && ir::blocks(op).count() == ir::blocks(other).count();
        if !is_same {
            return Err(self.computed(op));
        }
        if self.is_line(op, other) {
            self.lines.insert(ir::op_key(op), op);
        } else {
            for (value, other) in ir::results(op).zip(ir::results(other)) {
                self.compare_value(op, value, other)?;
            }
        }
        for (name, value) in op.attributes() {
            let name = name.as_string_ref().as_str().expect("names are text");
            // The extents of the result, and names that are built from them.
            let is_extent = matches!(name, "static_output_shape" | DIMS | slices::SIZES);
            let is_same = other.attribute(name).is_ok_and(|other| value == other);
            if is_extent || is_same {
                continue;
            }
            match self.multiple(op, other) {
                Some(multiple) => self.numbers.push((op, multiple)),
                None => return Err(self.computed(op)),
            }
        }
        match [op, other].map(Slice::cast) {
            [Some(slice), Some(other)] => self.compare_slice(op, slice, other)?,
            _ if ir::name(op) == "tensor.pad" => self.compare_pad(op)?,
            _ => {}
        }
        for (block, other) in ir::blocks(op).zip(ir::blocks(other)) {
            self.compare_block(block, other)?;
        }
        Ok(())
    }

    /// Returns the multiple of open sizes that a constant is; `None` if it is something else, and for other operations.
    fn multiple(&self, op: Op<'p>, other: Op<'p>) -> Option<Multiple> {
        if ir::name(op) != "arith.constant" {
            return None;
        }
        let both = [whole_number(op)?, whole_number(other)?];
        let stand_ins: Vec<[i64; 2]> = self.sizes.iter().map(|size| size.stand_ins).collect();
        multiple(both, &stand_ins)
    }

    /// Returns whether an operation merges all of a tensor to one line of elements, which is no open size, and others split that.
    fn is_line(&self, op: Op<'p>, other: Op<'p>) -> bool {
        if ir::kind(op) != OpKind::CollapseShape {
            return false;
        }
        let both = [op, other].map(|op| extents(result(op)));
        let [[extent], [other]] = both.each_ref().map(Vec::as_slice) else {
            return false;
        };
        let is_open = self.open_of([*extent, *other]).is_some();
        let readers = ir::uses(result(op));
        extent != other
            && !is_open
            && !readers.is_empty()
            && readers
                .iter()
                .all(|user| ir::kind(user.owner) == OpKind::ExpandShape)
    }

    /// Returns the open size of a dimension from its extents for both substitutes.
    fn open_of(&self, both: [i64; 2]) -> Option<usize> {
        self.sizes.iter().position(|open| open.stand_ins == both)
    }

    /// Checks the cut of a slice: along an open size it is all of it, or a part that the smallest size has.
    fn compare_slice(
        &mut self,
        op: Op<'p>,
        slice: Slice<'p>,
        other: Slice<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let (sizes, others) = (slice.sizes(), other.sizes());
        let (offsets, strides) = (slice.offsets(), slice.strides());
        let whole = self.of(slice.whole()).unwrap_or_default();
        let mut cut = Vec::new();
        for (dim, size) in sizes.iter().enumerate() {
            let both = [*size, others[dim]];
            let open = self.open_of(both);
            let of = whole.get(dim).copied().flatten();
            let is_right = match (open, of) {
                (None, None) => both[0] == both[1],
                (Some(open), Some(of)) => open == of && offsets[dim] == 0 && strides[dim] == 1,
                (None, Some(of)) => {
                    let end = [offsets[dim], *size, strides[dim]];
                    let is_known = end.iter().all(|number| *number != DYNAMIC);
                    let least = i64::try_from(self.sizes[of].extent.granularity());
                    let least = least.expect("sizes are numbers of PyTorch");
                    is_known && both[0] == both[1] && end[0] + (end[1] - 1) * end[2] < least
                }
                (Some(_), None) => false,
            };
            if !is_right {
                return Err(self.computed(op));
            }
            cut.push(open);
        }
        if cut.iter().any(Option::is_some) {
            self.cuts.insert(ir::op_key(op), cut);
        }
        Ok(())
    }

    /// Checks a padding: an open size is not padded.
    fn compare_pad(&self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let Some(dims) = self.of(result(op)) else {
            return Ok(());
        };
        let both = [numbers(op, "static_low"), numbers(op, "static_high")];
        let mut open = dims.iter().enumerate().filter(|(_, open)| open.is_some());
        match open.any(|(dim, _)| both.iter().any(|widths| widths[dim] != 0)) {
            true => Err(self.computed(op)),
            false => Ok(()),
        }
    }

    /// Finds the dimensions of a value with open extents.
    fn compare_value(
        &mut self,
        op: Op<'p>,
        value: Val<'p>,
        other: Val<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let (own_type, other_type) = (value.r#type(), other.r#type());
        if own_type == other_type {
            return Ok(());
        }
        let is_tensor = [own_type, other_type].into_iter().all(ir::is_ranked_tensor);
        if !is_tensor || element_of(value) != element_of(other) {
            return Err(self.computed(op));
        }
        let (extents, others) = (extents(value), extents(other));
        if extents.len() != others.len() {
            return Err(self.computed(op));
        }
        let mut dims = Vec::new();
        for (dim, both) in extents.into_iter().zip(others).enumerate() {
            let both: [i64; 2] = both.into();
            if both[0] == both[1] {
                dims.push(None);
                continue;
            }
            let Some(size) = self.open_of(both) else {
                let message = format!(
                    "dimension {dim} of what this becomes ('{}') is no open size but computed from one; {SIZES}={}=N chooses it now",
                    ir::name(op),
                    self.sizes[0].name
                );
                return Err(error(reader(op), message));
            };
            dims.push(Some(size));
        }
        self.dims.insert(ir::value_key(value), dims);
        self.values.push(value);
        Ok(())
    }

    /// Returns the open sizes of a value's dimensions, if it has any.
    fn of(&self, value: Val<'p>) -> Option<&[Option<usize>]> {
        self.dims.get(&ir::value_key(value)).map(Vec::as_slice)
    }

    /// Makes open extents dynamic, and names and tiles them.
    fn change(&self, function: Op<'p>, body: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        let nests: Vec<Op<'p>> = ir::operations(body)
            .filter(|op| ir::name(*op) == "linalg.generic")
            .collect();
        // Where an operation has a size twice, names tell the loops apart: `--spyre-assign-dim-hints` gives both, and the tiles.
        if !nests.iter().any(|op| self.repeats(*op)) {
            let scopes = self.scopes(&nests);
            nests.iter().for_each(|op| self.tile(*op, &scopes));
        }
        let extents = self.extents(function, body)?;
        for value in &self.values {
            value.set_type(self.dynamic(*value));
        }
        self.rebuild_block(body, &extents);
        self.lines.values().for_each(|line| ir::erase(*line));
        let last = extents.last().copied().and_then(ir::defining_op);
        let mut numbers = Numbers {
            context: self.context,
            sizes: &extents,
            last: last.expect("a size is open"),
        };
        for (constant, multiple) in &self.numbers {
            numbers.replace(*constant, multiple);
        }
        let sizes = self.sizes.iter();
        let mut entries: Vec<(String, Attribute<'p>)> = sizes
            .map(|size| {
                let extent = dynamic_extent_attribute(self.context, size.extent);
                (size.name.to_owned(), extent)
            })
            .collect();
        entries.extend(self.hinted(body));
        set_dim_sizes(self.context, function, &entries);
        self.name_arguments(function, body);
        Ok(())
    }

    /// Names the dimensions of arguments that have open sizes. Where one has a size twice, the later dimension has a further name.
    fn name_arguments(&self, function: Op<'p>, body: Blk<'p>) {
        let text = |name: &str| StringAttribute::new(self.context, name).into();
        let mut further = FurtherNames::of_function(function);
        for number in 0..body.argument_count() {
            let argument = argument(body, number);
            let Some(dims) = self.of(argument) else {
                continue;
            };
            let open = dims.iter();
            let open = open.map(|size| size.map(|size| self.sizes[size].name.to_owned()));
            let mut open: Vec<Option<String>> = open.collect();
            further.distinct(&mut open);
            let names = open.into_iter().enumerate().map(|(dim, open)| {
                let fixed = || fixed_extent(argument, dim).expect("what is not open is fixed");
                text(&open.unwrap_or_else(|| placeholder(fixed())))
            });
            let names: Vec<Attribute<'p>> = names.collect();
            ir::set_argument_attribute(function, number, DIMS, attr::array(self.context, &names));
        }
        further.declare(self.context, function);
    }

    /// Returns the dimensions that hints of the program name, with their extents: a function that declares one declares all.
    fn hinted(&self, body: Blk<'p>) -> BTreeMap<String, Attribute<'p>> {
        let mut hinted = BTreeMap::new();
        for op in ir::operations(body) {
            let names = op.attribute(DIMS).map(attr::elements).unwrap_or_default();
            for (number, name) in names.into_iter().enumerate() {
                let name = attr::string(name).expect("a dimension has one name here");
                let extent = fixed_extent(result(op), number);
                if let Some(extent) = extent.filter(|extent| name != placeholder(*extent)) {
                    let i64 = IntegerType::new(self.context, 64).into();
                    hinted.insert(name, IntegerAttribute::new(i64, extent).into());
                }
            }
        }
        hinted
    }

    /// Returns the type of a value with dynamic extents.
    fn dynamic(&self, value: Val<'p>) -> Type<'p> {
        let tensor = RankedTensorType::try_from(value.r#type()).expect("open values are tensors");
        let dims = self.of(value).expect("the value has an open extent");
        let extents = extents(value).into_iter().zip(dims);
        let extents: Vec<u64> = extents
            .map(|(extent, open)| open.map_or(extent, |_| DYNAMIC).cast_unsigned())
            .collect();
        RankedTensorType::new(&extents, tensor.element(), tensor.encoding()).into()
    }

    /// Builds each open size as an index at the start of the function, from the first argument that has it.
    fn extents(&self, function: Op<'p>, body: Blk<'p>) -> Result<Vec<Val<'p>>, Diagnostic<'p>> {
        let first = body.first_operation().expect("a function has an end");
        let at = At::Before(first);
        let sizes = self.sizes.iter().enumerate();
        sizes
            .map(|(number, size)| {
                let mut places = (0..body.argument_count()).filter_map(|at| {
                    let argument = argument(body, at);
                    let mut dims = self.of(argument)?.iter();
                    Some((argument, dims.position(|open| *open == Some(number))?))
                });
                let Some((argument, dim)) = places.next() else {
                    let name = size.name;
                    let message = format!(
                        "no tensor that the graph is given has '{name}' for an extent, so it cannot be chosen at run time; \
                         {SIZES}={name}=N chooses it now"
                    );
                    return Err(error(function, message));
                };
                Ok(tensor_dim(self.context, at, argument, dim))
            })
            .collect()
    }

    fn rebuild_block(&self, block: Blk<'p>, sizes: &[Val<'p>]) {
        let mut next = block.first_operation();
        while let Some(op) = next {
            next = op.next_in_block();
            for block in ir::blocks(op) {
                self.rebuild_block(block, sizes);
            }
            self.rebuild(op, sizes);
        }
    }

    /// Rebuilds an operation with a result or a slice of open extents, with these extents as operands.
    fn rebuild(&self, op: Op<'p>, sizes: &[Val<'p>]) {
        let name = ir::name(op);
        let named = |name, value| (Identifier::new(self.context, name), value);
        let built = if let Some(cut) = self.cuts.get(&ir::op_key(op)) {
            let slice = Slice::cast(op).expect("only slices have cuts");
            let pairs = slice.all_sizes().into_iter().zip(cut);
            let slice_sizes: Vec<SliceSize<'p>> = pairs
                .map(|(extent, open)| open.map_or(extent, |size| SliceSize::Chosen(sizes[size])))
                .collect();
            let built = slice.resized(self.context, &slice_sizes);
            built.expect("every part of the operation is given")
        } else {
            let is_reshape = ir::kind(op) == OpKind::ExpandShape;
            if name != "tensor.empty" && !is_reshape {
                return;
            }
            let Some(dims) = self.of(result(op)) else {
                return;
            };
            let source = ir::operand(op, 0);
            let line = source.and_then(ir::defining_op);
            if let Some(line) = line.and_then(|line| self.lines.get(&ir::op_key(line))) {
                let source = ir::operand(*line, 0).expect("a reshape is one of a tensor");
                let shape = numbers(op, "static_output_shape").into_iter().zip(dims);
                let shape: Vec<SliceSize<'p>> = shape
                    .map(|(extent, open)| match open {
                        Some(size) => SliceSize::Chosen(sizes[*size]),
                        None => SliceSize::Fixed(extent),
                    })
                    .collect();
                let tensor = reshape::build(self.context, op, source, &shape);
                ir::replace_all_uses(result(op), tensor);
                ir::erase(op);
                return;
            }
            let mut attributes = Vec::new();
            if is_reshape {
                let groups = op.attribute("reassociation").expect("a reshape has groups");
                let shape = numbers(op, "static_output_shape").into_iter().zip(dims);
                let shape: Vec<i64> = shape
                    .map(|(extent, open)| open.map_or(extent, |_| DYNAMIC))
                    .collect();
                let shape = DenseI64ArrayAttribute::new(self.context, &shape).into();
                attributes.push(named("reassociation", groups));
                attributes.push(named("static_output_shape", shape));
            }
            let open = dims.iter().flatten().map(|size| sizes[*size]);
            let operands: Vec<Val<'p>> = op.operands().chain(open).collect();
            OperationBuilder::new(name, op.location())
                .add_operands(&operands)
                .add_attributes(&attributes)
                .add_results(&[result(op).r#type()])
                .build()
                .expect("every part of the operation is given")
        };
        let value = result(op);
        let built = ir::insert(At::Before(op), built).expect("the operation is in a block");
        ir::replace_all_uses(value, result(built));
        ir::erase(op);
    }

    /// Returns the scope of the tiles along each open size. Tiles along a reduced size are inside of tiles along the
    /// parallel sizes of the same operation, as far as all operations agree: then the accumulator of a reduction is
    /// tiled.
    fn scopes(&self, nests: &[Op<'p>]) -> Vec<i64> {
        // Pairs of a size that is kept and one that is reduced.
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for op in nests {
            let iterators = op.attribute("iterator_types").map(attr::elements);
            let iterators = iterators.expect("a structured operation has iterators");
            let is_reduced = |at: usize| iterators[at].to_string().contains("reduction");
            let (reduced, kept): (Vec<_>, Vec<_>) = self
                .loops(*op)
                .into_iter()
                .partition(|(_, at)| is_reduced(*at));
            for (reduced, _) in reduced {
                pairs.extend(kept.iter().map(|(kept, _)| (*kept, reduced)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut depths = vec![0; self.sizes.len()];
        // The number of sizes bounds the rounds: more are needed only by a cycle, where operations reduce each other's
        // sizes.
        for _ in 0..depths.len() {
            for (kept, reduced) in &pairs {
                depths[*reduced] = depths[*reduced].max(depths[*kept] + 1);
            }
        }
        let mut order: Vec<usize> = (0..depths.len()).collect();
        order.sort_by_key(|size| depths[*size]);
        let mut scopes = vec![0; order.len()];
        for (scope, size) in (0..).zip(order) {
            scopes[size] = scope;
        }
        scopes
    }

    /// Returns whether a structured operation has several loops along one open size.
    fn repeats(&self, op: Op<'p>) -> bool {
        let mut loops = self.loops(op);
        loops.sort_unstable();
        loops.dedup();
        loops.windows(2).any(|pair| pair[0].0 == pair[1].0)
    }

    /// Returns the loops of a structured operation that are along open sizes: the size, and the loop.
    fn loops(&self, op: Op<'p>) -> Vec<(usize, usize)> {
        let maps = op.attribute("indexing_maps").map(attr::elements);
        let maps = maps.expect("a structured operation has maps").into_iter();
        let mut pairs = Vec::new();
        for (value, map) in op.operands().zip(maps) {
            let Some(dims) = self.of(value) else { continue };
            let map = ir::affine_map_value(map).expect("it is a map");
            for (dim, size) in dims.iter().enumerate() {
                let at = map.result(dim).expect("a dimension has a result");
                pairs.extend(
                    size.filter(|_| at.is_dim())
                        .map(|size| (size, at.dim_position())),
                );
            }
        }
        pairs
    }

    /// Gives a structured operation a tile for each loop along an open size, outside of its other tiles, and names the
    /// dimensions of its result.
    fn tile(&self, op: Op<'p>, scopes: &[i64]) {
        let mut along: Vec<usize> = self.loops(op).into_iter().map(|(size, _)| size).collect();
        along.sort_unstable_by_key(|size| scopes[*size]);
        along.dedup();
        if along.is_empty() {
            return;
        }
        let hint = |number: usize| {
            let size = &self.sizes[number];
            let hint = TileHint {
                scope: scopes[number],
                dim: size.name.to_owned(),
                tiles: Tiles::Size(size.extent.granularity()),
            };
            tile_hint_attribute(self.context, &hint)
        };
        let mut hints: Vec<Attribute<'p>> = along.into_iter().map(hint).collect();
        hints.extend(op.attribute(TILE).map(attr::elements).unwrap_or_default());
        ir::set_discardable_attribute(op, TILE, attr::array(self.context, &hints));
        let value = result(op);
        // A search has two results, and no attribute has the names of both: they follow from the names of its operands.
        if op.result_count() == 1
            && let Some(dims) = self.of(value)
        {
            let names = op.attribute(DIMS).map(attr::elements).unwrap_or_default();
            ir::set_discardable_attribute(op, DIMS, self.names(value, dims, &names));
        }
    }

    /// Returns names of a value's dimensions: the names of open sizes, and the declared names, if any, of the other
    /// dimensions.
    fn names(
        &self,
        value: Val<'p>,
        dims: &[Option<usize>],
        old_names: &[Attribute<'p>],
    ) -> Attribute<'p> {
        let text = |name: &str| StringAttribute::new(self.context, name).into();
        let all = dims.iter().zip(extents(value)).enumerate();
        let names: Vec<Attribute<'p>> = all
            .map(|(dim, (open, extent))| match (open, old_names.get(dim)) {
                (Some(size), _) => text(self.sizes[*size].name),
                (None, Some(name)) => *name,
                (None, None) => text(&placeholder(extent)),
            })
            .collect();
        attr::array(self.context, &names)
    }
}

/// Returns the user of a reshape, or the operation that defines its operand; any other operation itself. A reshape is
/// not an operation of the program.
fn reader(op: Op<'_>) -> Op<'_> {
    let is_reshape =
        |op: Op<'_>| matches!(ir::kind(op), OpKind::CollapseShape | OpKind::ExpandShape);
    let mut at = op;
    while is_reshape(at) {
        let read = ir::uses(result(at)).first().map(|user| user.owner);
        match read.filter(|read| ir::name(*read) != "func.return") {
            Some(read) => at = read,
            None => return ir::operand(op, 0).and_then(ir::defining_op).unwrap_or(op),
        }
    }
    at
}

/// Returns the numbers of an attribute of an operation that has it.
fn numbers(op: Op<'_>, name: &str) -> Vec<i64> {
    let numbers = attr::dense_signed_integers(ir::attribute(op, name));
    numbers.expect("the operation has these numbers")
}

/// Returns the extent of a dimension of a tensor, if it is a number.
fn fixed_extent(value: Val<'_>, dim: usize) -> Option<i64> {
    let tensor = RankedTensorType::try_from(value.r#type()).expect("names are of tensors");
    match tensor.dim_size(dim).ok()? {
        DimSize::Static(extent) => Some(extent.cast_signed()),
        DimSize::Dynamic => None,
    }
}

fn argument<'p>(block: Blk<'p>, number: usize) -> Val<'p> {
    let argument = block.argument(number);
    argument.expect("the number is below the count").into()
}
