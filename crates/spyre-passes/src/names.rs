//! Names of dimensions: declared on function arguments, carried through the operations of the function.

use std::rc::Rc;

use melior::ir::ShapedTypeLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};

use crate::indexing::Indexing;
use crate::view::View;
use crate::walk::FIRST_INIT;

/// The attribute that names the dimensions of a function argument.
pub const DIMS: &str = "spyre.dims";

/// A name, interned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name(u32);

/// The names of each dimension of a value. A dimension has several names when operands with different
/// names meet in one operation.
pub type DimNames = Rc<[Vec<Name>]>;

/// The names of the dimensions of values, by position.
#[derive(Default)]
pub struct Names {
    interned: FxHashMap<String, Name>,
    values: FxHashMap<usize, DimNames>,
}

impl Names {
    /// Reads the names that a function declares on its arguments.
    #[must_use]
    pub fn of_function(function: Op<'_>) -> Self {
        let mut names = Self::default();
        let Some(body) = ir::function_body(function) else {
            return names;
        };
        for index in 0..body.argument_count() {
            let Some(declared) = ir::argument_attribute(function, index, DIMS) else {
                continue;
            };
            let Ok(argument) = body.argument(index) else {
                continue;
            };
            let dims = attr::elements(declared)
                .into_iter()
                .map(|name| {
                    attr::string(name)
                        .map(|name| vec![names.intern(&name)])
                        .unwrap_or_default()
                })
                .collect();
            names.values.insert(ir::value_key(argument.into()), dims);
        }
        names
    }

    /// The interned form of a name.
    pub fn intern(&mut self, name: &str) -> Name {
        if let Some(known) = self.interned.get(name) {
            return *known;
        }
        let fresh = Name(u32::try_from(self.interned.len()).unwrap_or(u32::MAX));
        self.interned.insert(name.to_owned(), fresh);
        fresh
    }

    /// The names of a value's dimensions, if it has any.
    #[must_use]
    pub fn of_value(&self, value: Val<'_>) -> Option<&DimNames> {
        self.values.get(&ir::value_key(value))
    }

    /// Gives a device operation's result the names of its operands, and returns the names of its
    /// iteration dimensions.
    pub fn propagate<'p>(&mut self, op: DeviceOp<'p>, indexing: &Indexing<'p>) -> DimNames {
        let space = self.iteration_names(op, indexing);
        if let Ok(result) = op.op().result(0) {
            let names = if indexing.is_elementwise {
                Rc::clone(&space)
            } else {
                let dims = indexing.result().iter();
                dims.map(|dim| {
                    dim.and_then(|dim| space.get(dim))
                        .cloned()
                        .unwrap_or_default()
                })
                .collect()
            };
            self.values.insert(ir::value_key(result.into()), names);
        }
        space
    }

    /// Gives the result of a slice the names of what it is cut from or inserted into.
    pub fn through_slice(&mut self, op: Op<'_>) {
        let Ok(result) = op.result(0) else { return };
        let sources = match ir::kind(op) {
            OpKind::ExtractSlice => [0].as_slice(),
            // A fresh destination has no names; then those of the tile hold.
            OpKind::InsertSlice => &[1, 0],
            _ => &[],
        };
        self.take_first(
            result.into(),
            sources
                .iter()
                .filter_map(|operand| op.operand(*operand).ok()),
        );
    }

    /// Gives a permutation or a reshape the names of its source. A reshaped dimension keeps its names when all
    /// others that it is split into or merged with have extent 1.
    pub fn through_view(&mut self, op: Op<'_>) {
        let (Ok(result), Ok(source), Ok(view)) = (op.result(0), op.operand(0), View::of(op)) else {
            return;
        };
        let (Some(result_shape), Some(source_shape)) =
            (shape(result.r#type()), shape(source.r#type()))
        else {
            return;
        };
        let Some(known) = self.of_value(source).cloned() else {
            return;
        };
        let mut names = vec![Vec::new(); result_shape.len()];
        // The result takes at dimension `to` what the source has at `from`.
        let mut take = |from: usize, to: usize| {
            if let (Some(from), Some(to)) = (known.get(from), names.get_mut(to)) {
                to.clone_from(from);
            }
        };
        match view {
            View::Permute(permutation) => {
                let dims = permutation.into_iter().enumerate();
                dims.for_each(|(to, from)| take(from, to));
            }
            View::Expand(groups) => {
                for (from, group) in groups.iter().enumerate() {
                    if let Some(to) = only_dim(group, &result_shape) {
                        take(from, to);
                    }
                }
            }
            View::Collapse(groups) => {
                for (to, group) in groups.iter().enumerate() {
                    if let Some(from) = only_dim(group, &source_shape) {
                        take(from, to);
                    }
                }
            }
        }
        self.values
            .insert(ir::value_key(result.into()), names.into());
    }

    /// Gives the carried values of a loop the names of what it starts from.
    pub fn into_loop<'p>(&mut self, op: Op<'p>, body: Blk<'p>) {
        for carried in 0..op.result_count() {
            let (Ok(argument), Ok(init)) =
                (body.argument(1 + carried), op.operand(FIRST_INIT + carried))
            else {
                continue;
            };
            self.take_first(argument.into(), [init]);
        }
    }

    /// Gives the results of a loop the names of what it starts from, or else of what it yields.
    pub fn out_of_loop<'p>(&mut self, op: Op<'p>, body: Blk<'p>) {
        for carried in 0..op.result_count() {
            let Ok(result) = op.result(carried) else {
                continue;
            };
            let init = op.operand(FIRST_INIT + carried).ok();
            let yielded = body
                .terminator()
                .and_then(|terminator| terminator.operand(carried).ok());
            self.take_first(result.into(), init.into_iter().chain(yielded));
        }
    }

    /// Gives `value` the names of the first of `sources` that has any for as many dimensions.
    fn take_first<'p>(&mut self, value: Val<'p>, sources: impl IntoIterator<Item = Val<'p>>) {
        let Ok(ty) = RankedTensorType::try_from(value.r#type()) else {
            return;
        };
        let names = sources
            .into_iter()
            .filter_map(|source| self.of_value(source))
            .find(|names| names.len() == ty.rank())
            .cloned();
        if let Some(names) = names {
            self.values.insert(ir::value_key(value), names);
        }
    }

    fn iteration_names<'p>(&self, op: DeviceOp<'p>, indexing: &Indexing<'p>) -> DimNames {
        let rank = indexing.space.len();
        // Nearly always all operands share one list.
        if indexing.is_elementwise
            && let Ok(first) = op.op().operand(0)
            && let Some(first) = self.of_value(first)
            && first.len() == rank
            && op.op().operands().skip(1).all(|other| {
                self.of_value(other)
                    .is_some_and(|names| Rc::ptr_eq(names, first) || names == first)
            })
        {
            return Rc::clone(first);
        }
        let mut space: Vec<Vec<Name>> = vec![Vec::new(); rank];
        for (operand, dims) in op.op().operands().zip(&indexing.tensors) {
            let Some(names) = self.of_value(operand) else {
                continue;
            };
            for (names, dim) in names.iter().zip(dims) {
                let Some(merged) = dim.and_then(|dim| space.get_mut(dim)) else {
                    continue;
                };
                for name in names {
                    if !merged.contains(name) {
                        merged.push(*name);
                    }
                }
            }
        }
        space.into()
    }
}

/// The extents of a tensor.
fn shape(ty: Type<'_>) -> Option<Vec<DimSize>> {
    let ty = RankedTensorType::try_from(ty).ok()?;
    (0..ty.rank()).map(|dim| ty.dim_size(dim).ok()).collect()
}

/// The dimension of a group that is not of extent 1, if there is one, or the only one.
fn only_dim(group: &[usize], shape: &[DimSize]) -> Option<usize> {
    if let [dim] = group {
        return Some(*dim);
    }
    let mut long = group
        .iter()
        .filter(|dim| !matches!(shape.get(**dim), Some(DimSize::Static(1))));
    match (long.next(), long.next()) {
        (Some(dim), None) => Some(*dim),
        _ => None,
    }
}
