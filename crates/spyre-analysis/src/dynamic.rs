//! Dimensions with dynamic extents.
//!
//! A function declares a dimension to be `#spyre.dynamic` in `spyre.dim_sizes`. A dimension of an argument with the
//! same name is that dimension. From there every dynamic extent in the function is traced to its dimension.
//!
//! * [`extents`] has the extents of values while operations are converted: numbers, and dynamic dimensions.
//! * [`calls`] names the dimensions of the operands and results of calls.
//! * [`slices`] has slices of tensors with dynamic dimensions, and [`reshape`] the extents of `tensor.reshape`.
//! * [`resize`] gives values static extents: the largest, for `--spyre-bound-dynamic-dims`, or given numbers, for
//!   `--spyre-specialize-dynamic-dims`.
//! * [`tiled`] checks that no operation works on the whole allocation.

pub mod calls;
pub mod extents;
pub mod reshape;
pub mod resize;
pub mod slices;
pub mod tiled;

use std::rc::Rc;

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{Attribute, ShapedTypeLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_dialects::dynamic::dynamic_extent;
use spyre_dialects::hint::{self, DimName};
use spyre_dialects::names::{DIM_SIZES, DIMS};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};
use spyre_ods::{func, tensor};
use spyre_ops::Decomposed;
use spyre_plan::DynamicExtent;

use self::slices::Slice;
use crate::dim_sizes::FurtherNames;
use crate::view::{self, View};
use crate::walk;

/// The number of a dynamic dimension of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(u32);

impl SymbolId {
    /// Returns the number of the dimension at a position among those of a function.
    #[must_use]
    pub fn new(position: u32) -> Self {
        Self(position)
    }

    /// Returns the position among the dimensions of the function.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A dynamic dimension of a function.
#[derive(Debug, Clone)]
pub struct Symbol {
    /// The name of the dimension.
    pub name: String,
    /// The extents that it may have, in elements.
    pub extent: DynamicExtent,
    /// The first argument that has the dimension; `None` if no argument has it.
    pub source: Option<Source>,
}

/// The first argument that has a dynamic dimension.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// The position of the argument.
    pub argument: usize,
    /// The dimension of the argument.
    pub dim: usize,
}

/// The dynamic dimension that each dimension of a value is; `None` for a static extent.
pub type Symbols = Rc<[Option<SymbolId>]>;

/// The dynamic dimensions of a function and of its values.
#[derive(Debug, Default)]
pub struct DynamicDims {
    symbols: Vec<Symbol>,
    /// Aliases of dynamic dimensions.
    further: FxHashMap<String, SymbolId>,
    values: FxHashMap<ir::ValueKey, Symbols>,
}

impl DynamicDims {
    /// Finds the dynamic dimensions of a function. If no argument has a declared dynamic dimension, the function has none:
    /// other dynamic extents are not handled here.
    ///
    /// # Errors
    /// The function has declared dimensions, and a dynamic extent belongs to none of them, or to two.
    pub fn of_function<'p>(function: Op<'p>, body: Blk<'p>) -> Result<Self, Diagnostic<'p>> {
        let mut dims = Self::default();
        dims.symbols
            .extend(declared(function).map(|(name, extent)| Symbol {
                name,
                extent,
                source: None,
            }));
        for (name, of) in FurtherNames::of_function(function).all() {
            if let Some(symbol) = dims.named(of) {
                dims.further.insert(name.clone(), symbol);
            }
        }
        for index in 0..body.argument_count() {
            let argument = body.argument(index).map_err(|err| error(function, err))?;
            dims.argument(function, index, argument.into());
        }
        if !dims.values.is_empty() {
            dims.block(body)?;
        }
        Ok(dims)
    }

    /// Returns whether no value has a dynamic dimension.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the dynamic dimensions that the function declares.
    #[must_use]
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Returns a dynamic dimension.
    #[must_use]
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }

    /// Returns the dynamic dimension with a name, declared or an alias; `None` if the function declares none.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<SymbolId> {
        let Some(at) = self.symbols.iter().position(|symbol| symbol.name == name) else {
            return self.further.get(name).copied();
        };
        let at = u32::try_from(at).expect("fewer than 2^32 dimensions are declared");
        Some(SymbolId(at))
    }

    /// Returns the dynamic dimension that each dimension of a value is, `None` for a static extent; empty for a value of static
    /// shape.
    #[must_use]
    pub fn of<'p>(&self, value: Val<'p>) -> &[Option<SymbolId>] {
        self.values
            .get(&ir::value_key(value))
            .map_or(&[], |symbols| &**symbols)
    }

    /// Returns whether an operand or result has a dynamic dimension.
    #[must_use]
    pub fn has_any<'p>(&self, op: Op<'p>) -> bool {
        op.operands()
            .chain(op.results().map(Val::from))
            .any(|value| !self.of(value).is_empty())
    }

    /// Returns the largest extent of a dynamic dimension: the extent of a tensor with room for it.
    fn room(&self, id: SymbolId) -> DimSize {
        DimSize::Static(self.symbol(id).extent.max())
    }

    /// Returns the type of a value with its largest extents, for which device memory has room.
    #[must_use]
    pub fn largest<'p>(&self, value: Val<'p>) -> Type<'p> {
        self.sized(value, |symbol| self.symbol(symbol).extent.max())
    }

    /// Returns the type of a value with the extents that `size` gives for its dynamic dimensions, in elements.
    #[must_use]
    pub fn sized<'p>(&self, value: Val<'p>, size: impl Fn(SymbolId) -> u64) -> Type<'p> {
        resized(value.r#type(), self.of(value), |symbol| {
            DimSize::Static(size(symbol))
        })
    }

    /// Returns the dynamic dimension that has an index value as its extent, if any.
    #[must_use]
    pub fn of_index<'p>(&self, value: Val<'p>) -> Option<SymbolId> {
        let op = ir::defining_op(value)?;
        match ir::kind(op) {
            OpKind::TensorDim => {
                let dim = usize::try_from(ir::constant_operand(op, 1)?).ok()?;
                self.of(ir::operand(op, 0)?).get(dim).copied().flatten()
            }
            _ => self.named(&spyre_dialects::dynamic::dim_size(op)?),
        }
    }

    /// Returns the dynamic dimension that one of a dimension's names is of.
    fn of_names(&self, names: Attribute<'_>) -> Option<SymbolId> {
        let names = hint::dim_names(names).unwrap_or_default();
        names.iter().find_map(|name| match name {
            DimName::Whole(name) => self.named(name),
            DimName::Merged(_) => None,
        })
    }

    fn argument<'p>(&mut self, function: Op<'p>, index: usize, argument: Val<'p>) {
        let Some(shape) = shape(argument.r#type()) else {
            return;
        };
        let names = ir::argument_attribute(function, index, DIMS).map(attr::elements);
        let names = names.unwrap_or_default();
        let mut symbols = vec![None; shape.len()];
        for (dim, extent) in shape.iter().enumerate() {
            let symbol = names.get(dim).and_then(|names| self.of_names(*names));
            if let Some(SymbolId(symbol)) = symbol {
                self.symbols[symbol as usize].source.get_or_insert(Source {
                    argument: index,
                    dim,
                });
            }
            if *extent == DimSize::Dynamic {
                symbols[dim] = symbol;
            }
        }
        self.record(argument, symbols);
    }

    /// Enters the dynamic dimensions of a value, which may have none.
    fn record(&mut self, value: Val<'_>, symbols: Vec<Option<SymbolId>>) {
        let key = ir::value_key(value);
        match symbols.iter().any(Option::is_some) {
            true => self.values.insert(key, symbols.into()),
            // The key may be that of a value that was erased.
            false => self.values.remove(&key),
        };
    }

    fn block<'p>(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        for op in ir::operations(block) {
            if ir::kind(op) == OpKind::For
                && let Some(body) = ir::body(op)
            {
                for carried in walk::carried(op) {
                    let symbols = self.of(carried.init).to_vec();
                    self.record(carried.inside, symbols.clone());
                    self.record(carried.result, symbols);
                }
                self.block(body)?;
                continue;
            }
            let has_dynamic_result = op
                .results()
                .any(|result| is_dynamic(Val::from(result).r#type()));
            if has_dynamic_result || (DeviceOp::cast(op).is_some() && self.has_any(op)) {
                self.op(op)?;
            }
        }
        Ok(())
    }

    fn op<'p>(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        (0..op.result_count()).try_for_each(|number| self.result(op, number))
    }

    fn result<'p>(&mut self, op: Op<'p>, number: usize) -> Result<(), Diagnostic<'p>> {
        let result: Val<'p> = op.result(number).map_err(|err| error(op, err))?.into();
        // A result that is no tensor has no dimensions.
        let shape = shape(result.r#type()).unwrap_or_default();
        let mut symbols = self.derive(op, number)?;
        symbols.resize(shape.len(), None);
        for (dim, (extent, symbol)) in shape.iter().zip(&mut symbols).enumerate() {
            match (extent, *symbol) {
                (DimSize::Dynamic, None) => {
                    let message = format!(
                        "dimension {dim} of the result has a dynamic extent, but 'spyre.dims' gives it no name that \
                         '{DIM_SIZES}' of the function declares #spyre.dynamic"
                    );
                    return Err(error(op, message));
                }
                (DimSize::Static(extent), Some(dynamic)) => {
                    let message = format!(
                        "dimension {dim} of the result has extent {extent}, but it is \"{}\", which is dynamic",
                        self.symbol(dynamic).name
                    );
                    return Err(error(op, message));
                }
                _ => {}
            }
        }
        self.record(result, symbols);
        Ok(())
    }

    /// Returns the dynamic dimensions of a result of an operation.
    fn derive<'p>(
        &self,
        op: Op<'p>,
        number: usize,
    ) -> Result<Vec<Option<SymbolId>>, Diagnostic<'p>> {
        if let Some(device) = DeviceOp::cast(op) {
            return self.device_op(device);
        }
        let operand = |index: usize| op.operand(index).map_err(|err| error(op, err));
        if EmptyOp::cast(op).is_some() || ir::name(op) == tensor::EMPTY {
            let result: Val<'p> = op.result(0).map_err(|err| error(op, err))?.into();
            let mut sizes = op.operands().map(|size| self.of_index(size));
            let shape = shape(result.r#type()).expect("what is empty is a ranked tensor");
            let symbols = shape.iter().map(|extent| match extent {
                DimSize::Dynamic => sizes.next().expect("each dynamic extent has a size (S17)"),
                DimSize::Static(_) => None,
            });
            return Ok(symbols.collect());
        }
        match ir::kind(op) {
            OpKind::InsertSlice => Ok(self.of(operand(1)?).to_vec()),
            OpKind::ExtractSlice => self.extract_slice(op),
            _ if ir::name(op) == func::CALL => {
                let names = calls::names_of_result(op, number).into_iter();
                Ok(names.map(|name| self.named(&name?)).collect())
            }
            _ if ir::name(op) == tensor::RESHAPE => Ok(self.reshaped(op)),
            _ if ir::name(op) == tensor::PAD => self.padded(op),
            _ if ir::name(op) == tensor::CONCAT => self.concatenated(op),
            // A result has the shape of the operation's output operand.
            _ if is_structured(op) => {
                let output = op.operand_count() - op.result_count() + number;
                Ok(self.of(operand(output)?).to_vec())
            }
            _ if ir::name(op) == tensor::CAST => Ok(self.of(operand(0)?).to_vec()),
            // An operation that `--spyre-decompose` takes apart works element by element.
            _ if is_decomposed(op) => self.broadcast(op),
            _ if view::is_view(op) => {
                let view = View::of(op).map_err(|err| error(op, err))?;
                self.view(op, &view, self.of(operand(0)?))
            }
            _ => Err(error(
                op,
                format!(
                    "{} has a result with a dynamic extent, which is not supported",
                    ir::name(op)
                ),
            )),
        }
    }

    /// Returns the dynamic dimensions of a reshape to extents of which each is a number, or that of a dynamic dimension.
    fn reshaped<'p>(&self, op: Op<'p>) -> Vec<Option<SymbolId>> {
        let extents = reshape::extents(op).into_iter().flatten();
        extents.map(|extent| self.of_index(extent)).collect()
    }

    /// Returns the dynamic dimensions of a slice. None is dropped.
    fn extract_slice<'p>(&self, op: Op<'p>) -> Result<Vec<Option<SymbolId>>, Diagnostic<'p>> {
        let symbols = self.slice(Slice::cast(op).expect("the kind is one of a slice"))?;
        let result: Val<'p> = op.result(0).map_err(|err| error(op, err))?.into();
        match shape(result.r#type()).is_some_and(|shape| shape.len() == symbols.len()) {
            true => Ok(symbols),
            false => Err(error(
                op,
                "this slice drops dimensions, and others are dynamic",
            )),
        }
    }

    /// Returns the dynamic dimensions of a padded tensor, which has others around it.
    fn padded<'p>(&self, op: Op<'p>) -> Result<Vec<Option<SymbolId>>, Diagnostic<'p>> {
        let from = self.of(op.operand(0).map_err(|err| error(op, err))?);
        let widths = ["static_low", "static_high"].map(|name| {
            let widths = attr::dense_signed_integers(ir::attribute(op, name));
            widths.expect("checked by MLIR")
        });
        let mut dynamic = from.iter().enumerate();
        let padded = dynamic.find_map(|(dim, symbol)| {
            let is_padded = widths.iter().any(|widths| widths.get(dim) != Some(&0));
            symbol.filter(|_| is_padded)
        });
        match padded {
            None => Ok(from.to_vec()),
            Some(symbol) => {
                let name = &self.symbol(symbol).name;
                let message = format!("this pads \"{name}\", whose extent is dynamic");
                Err(error(op, message))
            }
        }
    }

    /// Returns the dynamic dimensions of the result of an elementwise operation, where operands repeat along dimensions
    /// of extent 1.
    fn broadcast<'p>(&self, op: Op<'p>) -> Result<Vec<Option<SymbolId>>, Diagnostic<'p>> {
        let result: Val<'p> = op.result(0).map_err(|err| error(op, err))?.into();
        let shape = shape(result.r#type()).expect("element by element it makes tensors");
        let rank = shape.len();
        let mut entries: Vec<Option<(SymbolId, Val<'p>)>> = vec![None; rank];
        for value in op.operands() {
            let symbols = self.of(value);
            let first = rank - symbols.len();
            for (dim, symbol) in symbols.iter().enumerate() {
                let Some(symbol) = *symbol else { continue };
                self.agree(op, first + dim, &mut entries[first + dim], (symbol, value))?;
            }
        }
        Ok(entries
            .into_iter()
            .map(|entry| entry.map(|(symbol, _)| symbol))
            .collect())
    }

    /// Records in `entry` that one of an operation's tensors has the dynamic extent `symbol` along iteration dimension
    /// `dim`.
    ///
    /// # Errors
    /// Another tensor of the operation has a different dynamic extent along this dimension.
    fn agree<'p>(
        &self,
        op: Op<'p>,
        dim: usize,
        entry: &mut Option<(SymbolId, Val<'p>)>,
        (symbol, value): (SymbolId, Val<'p>),
    ) -> Result<(), Diagnostic<'p>> {
        match *entry {
            Some((other, first)) if other != symbol => Err(self
                .apart(op, dim, [other, symbol])
                .note(first.location(), self.origin(other))
                .note(value.location(), self.origin(symbol))),
            _ => {
                *entry = Some((symbol, value));
                Ok(())
            }
        }
    }

    /// Returns the error of a dimension of an operation that is two dynamic dimensions.
    fn apart<'p>(&self, op: Op<'p>, dim: usize, both: [SymbolId; 2]) -> Diagnostic<'p> {
        let [a, b] = both.map(|id| &self.symbol(id).name);
        let message =
            format!("dimension {dim} is both \"{a}\" and \"{b}\", whose extents are independent");
        error(op, message)
    }

    /// Returns the text of a note at a value that has a dynamic dimension.
    fn origin(&self, id: SymbolId) -> String {
        format!("\"{}\" comes from here", self.symbol(id).name)
    }

    /// Returns the dynamic dimensions of a concatenation along another dimension.
    fn concatenated<'p>(&self, op: Op<'p>) -> Result<Vec<Option<SymbolId>>, Diagnostic<'p>> {
        let along = ir::attribute(op, "dim").and_then(attr::integer);
        let along = along.and_then(|along| usize::try_from(along).ok());
        let along = along.expect("checked by MLIR");
        let mut entries: Vec<Option<(SymbolId, Val<'p>)>> = Vec::new();
        for part in op.operands() {
            let symbols = self.of(part);
            entries.resize(entries.len().max(symbols.len()), None);
            for (dim, (symbol, entry)) in symbols.iter().zip(&mut entries).enumerate() {
                let Some(symbol) = *symbol else { continue };
                let name = &self.symbol(symbol).name;
                if dim == along {
                    let message = format!(
                        "this concatenates tensors along \"{name}\", whose extent is dynamic"
                    );
                    return Err(error(op, message).note(part.location(), "it comes from here"));
                }
                self.agree(op, dim, entry, (symbol, part))?;
            }
        }
        let symbols = entries.into_iter();
        Ok(symbols
            .map(|entry| entry.map(|(symbol, _)| symbol))
            .collect())
    }

    /// Returns the dynamic dimensions of a view's result. A reshape may neither split one nor merge it with others.
    fn view<'p>(
        &self,
        op: Op<'p>,
        view: &View,
        from: &[Option<SymbolId>],
    ) -> Result<Vec<Option<SymbolId>>, Diagnostic<'p>> {
        let symbol = |dim: usize| from.get(dim).copied().flatten();
        let reshaped = |symbol: SymbolId| {
            let name = &self.symbol(symbol).name;
            let message = format!(
                "this reshape splits \"{name}\" or merges it with others, but its extent is dynamic"
            );
            error(op, message)
        };
        match view {
            View::Permute(permutation) => Ok(permutation.iter().map(|dim| symbol(*dim)).collect()),
            View::Expand(groups) => {
                let result: Val<'p> = op.result(0).map_err(|err| error(op, err))?.into();
                let shape = shape(result.r#type()).expect("a view is of ranked tensors");
                let mut symbols = vec![None; shape.len()];
                for (dim, group) in groups.iter().enumerate() {
                    let Some(id) = symbol(dim) else { continue };
                    let to = only_long(group, &shape).ok_or_else(|| reshaped(id))?;
                    symbols[to] = Some(id);
                }
                Ok(symbols)
            }
            View::Collapse(groups) => {
                let source = op.operand(0).map_err(|err| error(op, err))?;
                let shape = shape(source.r#type()).expect("a view is of ranked tensors");
                let merged = groups.iter().map(|group| {
                    let Some(id) = group.iter().find_map(|from| symbol(*from)) else {
                        return Ok(None);
                    };
                    only_long(group, &shape).ok_or_else(|| reshaped(id))?;
                    Ok(Some(id))
                });
                merged.collect()
            }
        }
    }

    fn device_op<'p>(&self, op: DeviceOp<'p>) -> Result<Vec<Option<SymbolId>>, Diagnostic<'p>> {
        let mut space: Vec<Option<SymbolId>> = vec![None; op.iteration_space().len()];
        let mut fixed: Vec<Option<(u64, usize)>> = vec![None; space.len()];
        for (index, value) in op.op().operands().enumerate() {
            let symbols = self.of(value);
            let shape = shape(value.r#type()).expect("operands are ranked tensors (S2)");
            for (dim, at) in op.tensor_dims(index).iter().enumerate() {
                let Some(at) = *at else { continue };
                if let DimSize::Static(extent) = shape[dim]
                    && extent != 1
                {
                    fixed[at] = Some((extent, index));
                }
                let Some(symbol) = symbols.get(dim).copied().flatten() else {
                    continue;
                };
                match space[at] {
                    Some(other) if other != symbol => {
                        return Err(self
                            .apart(op.op(), at, [other, symbol])
                            .note(value.location(), self.origin(symbol)));
                    }
                    _ => space[at] = Some(symbol),
                }
            }
        }
        for (at, (symbol, fixed)) in space.iter().zip(&fixed).enumerate() {
            if let (Some(symbol), Some((extent, operand))) = (*symbol, *fixed) {
                let message = format!(
                    "dimension {at} is \"{}\", which is dynamic, but has extent {extent} in operand #{operand}",
                    self.symbol(symbol).name
                );
                return Err(error(op.op(), message));
            }
        }
        // A dimension along which the operand repeats follows from no operand: the operation names it.
        let names = ir::attribute(op.op(), DIMS).map(attr::elements);
        let names = names.unwrap_or_default();
        let named = |dim: usize| self.of_names(*names.get(dim)?);
        let result = op.tensor_dims(op.op().operand_count());
        let value = op.op().result(0).map_err(|err| error(op.op(), err))?;
        let extents = shape(Val::from(value).r#type()).expect("results are ranked tensors (S2)");
        let pick = |(dim, at): (usize, &Option<usize>)| {
            let at = (*at)?;
            let is_repeated = extents.get(dim) == Some(&DimSize::Dynamic) && fixed[at].is_none();
            space[at].or_else(|| is_repeated.then(|| named(dim)).flatten())
        };
        Ok(result.iter().enumerate().map(pick).collect())
    }
}

/// Returns the dimensions that a function declares to be `#spyre.dynamic`, with the extents that they may have.
pub fn declared(function: Op<'_>) -> impl Iterator<Item = (String, DynamicExtent)> {
    let entries = function.attribute(DIM_SIZES).map(attr::entries);
    // A function need not declare any.
    let entries = entries.unwrap_or_default().into_iter();
    entries.filter_map(|(name, value)| Some((name, dynamic_extent(value)?)))
}

/// Returns whether an operation of the dialect has no OpFunc.
fn is_decomposed(op: Op<'_>) -> bool {
    let name = ir::name(op);
    let mnemonic = name.strip_prefix("spyre.");
    mnemonic.is_some_and(|mnemonic| Decomposed::of_mnemonic(mnemonic).is_some())
}

/// Returns whether an operation belongs to linalg.
fn is_structured(op: Op<'_>) -> bool {
    ir::name(op).starts_with("linalg.")
}

/// Returns the reason why a gather from a dimension of dynamic extent has no form in a bundle: no loop cuts the
/// dimension into tiles, and it has no static extent to check indices against. `None` for other operations.
pub fn dynamic_table(op: DeviceOp<'_>) -> Option<String> {
    let dim = op.gathered_dim()?;
    let table = ir::operand(op.op(), 1).expect("a gather has a table");
    let extents = shape(table.r#type()).expect("a table is a ranked tensor (S25)");
    (extents[dim] == DimSize::Dynamic).then(|| {
        format!(
            "operand #1 has dimension {dim}, which the indices choose from, and its extent is dynamic; only a fixed \
             one has a form in a bundle"
        )
    })
}

/// Returns a tensor type with other extents for its dynamic dimensions.
pub fn resized<'p>(
    ty: Type<'p>,
    symbols: &[Option<SymbolId>],
    size: impl Fn(SymbolId) -> DimSize,
) -> Type<'p> {
    let (Some(mut shape), Ok(tensor)) = (shape(ty), RankedTensorType::try_from(ty)) else {
        return ty;
    };
    for (extent, symbol) in shape.iter_mut().zip(symbols) {
        if let Some(symbol) = *symbol {
            *extent = size(symbol);
        }
    }
    let shape: Vec<u64> = shape
        .into_iter()
        .map(|extent| match extent {
            DimSize::Static(extent) => extent,
            // MLIR has one number for all dynamic extents.
            DimSize::Dynamic => RankedTensorType::dynamic_stride_or_offset().cast_unsigned(),
        })
        .collect();
    RankedTensorType::new(&shape, tensor.element(), tensor.encoding()).into()
}

/// Returns the only dimension of a group that does not have extent 1; `None` if there is none or more than one.
fn only_long(group: &[usize], shape: &[DimSize]) -> Option<usize> {
    let long = |dim: &&usize| shape.get(**dim) != Some(&DimSize::Static(1));
    let mut long = group.iter().filter(long);
    match (long.next(), long.next()) {
        (Some(only), None) => Some(*only),
        _ => None,
    }
}

/// Returns the extents of a ranked tensor; `None` for any other type.
pub fn shape(ty: Type<'_>) -> Option<Vec<DimSize>> {
    let ty = RankedTensorType::try_from(ty).ok()?;
    (0..ty.rank()).map(|dim| ty.dim_size(dim).ok()).collect()
}

/// Returns whether a type is a tensor with a dynamic extent.
pub fn is_dynamic(ty: Type<'_>) -> bool {
    shape(ty).is_some_and(|shape| shape.contains(&DimSize::Dynamic))
}

/// Returns the error of an operation.
pub fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), message.to_string())
}
