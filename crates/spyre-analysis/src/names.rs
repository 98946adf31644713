//! Names of dimensions: declared on function arguments, carried through the operations of the function
//! (middle-end specification, sections 3.1 and 3.2).
//!
//! * `factors` is the arithmetic of merged dimensions.
//! * `declared` reads and checks the names that the user wrote, and writes the computed ones.
//! * `position` finds the dimension of an operation that has a name.
//! * `views` takes names through permutations, reshapes and slices.
//! * `walk` is the one walk over a function that follows names, for all analyses that need them.
//! * `problems` holds errors and warnings until the pass that needs the names reports them.

mod declared;
mod factors;
mod position;
mod problems;
mod views;
mod walk;

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{ShapedTypeLike, Type, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::names::{DIMS, EXPECTED_DIMS, EXPECTED_REDUCTION_DIMS, REDUCTION_DIMS};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, OpKind, Val};

use crate::indexing::Indexing;
use crate::view;
use crate::walk::carried;

pub use crate::dim_sizes::{FurtherNames, set_dim_sizes};
pub use factors::{DYNAMIC, DimName, Factor, Factors, Name};
pub use position::{Ambiguous, position};
pub use problems::Wanted;
pub use walk::{Followed, Follower, Visit};

/// The attributes of operations above, which do not hold for a tile of the operation.
pub const OPERATION_ATTRIBUTES: [&str; 4] =
    [DIMS, REDUCTION_DIMS, EXPECTED_DIMS, EXPECTED_REDUCTION_DIMS];

/// The names of the dimensions of a value, by position.
pub type DimNames = Rc<[DimName]>;

/// The names of the dimensions of the values of a function.
#[derive(Default)]
pub struct Names<'p> {
    texts: Vec<String>,
    interned: FxHashMap<String, Name>,
    /// The extents that the function declares for names; `None` if it declares no extents.
    sizes: Option<FxHashMap<Name, declared::Size>>,
    values: FxHashMap<ir::ValueKey, DimNames>,
    problems: Vec<problems::Problem<'p>>,
    /// The names that a value would have if no reshape had split them, by value key.
    lost: FxHashMap<ir::ValueKey, Rc<[Name]>>,
    /// The extents of placeholders that have been warned about.
    warned: FxHashSet<u64>,
    /// For each further name of a dimension, the name that has its extent.
    further: FxHashMap<Name, Name>,
}

impl<'p> Names<'p> {
    /// Reads the names that a function declares on its arguments.
    #[must_use]
    pub fn of_function(function: Op<'p>) -> Self {
        let mut names = Self::default();
        names.declare(function);
        names
    }

    /// Returns whether the function names any dimension.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Returns the interned form of a name.
    pub fn intern(&mut self, name: &str) -> Name {
        if let Some(entry) = self.interned.get(name) {
            return *entry;
        }
        let fresh = Name(u32::try_from(self.texts.len()).expect("fewer than 2^32 names"));
        self.texts.push(name.to_owned());
        self.interned.insert(name.to_owned(), fresh);
        fresh
    }

    /// Returns whether a name has been used or looked up.
    #[must_use]
    pub fn is_known(&self, name: &str) -> bool {
        self.interned.contains_key(name)
    }

    /// Returns an unused name: a prefix and the next number that gives one.
    #[must_use]
    pub fn unused(&self, prefix: &str, next: &mut usize) -> String {
        loop {
            let text = format!("{prefix}{next}");
            *next += 1;
            if !self.is_known(&text) {
                return text;
            }
        }
    }

    /// Returns the text of a name.
    #[must_use]
    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }

    /// Returns the names of a value's dimensions; `None` if they are not known.
    #[must_use]
    pub fn of_value(&self, value: Val<'p>) -> Option<&DimNames> {
        self.values.get(&ir::value_key(value))
    }

    /// Gives the result of an operation that is neither a device operation nor a loop its names.
    pub fn through(&mut self, op: Op<'p>) {
        self.pass_on_lost(op);
        match ir::kind(op) {
            OpKind::ExtractSlice => self.through_extract(op),
            OpKind::InsertSlice => self.through_insert(op),
            OpKind::Return => self.check_return(op),
            _ if view::is_view(op) => self.through_view(op),
            _ => {}
        }
        if ir::has_discardable_attributes(op) {
            self.declare_result(op);
            self.check_expected(op, &[]);
        }
    }

    /// Gives a device operation's result the names of its operands, and returns the names of its
    /// iteration dimensions.
    pub fn through_device_op(&mut self, op: DeviceOp<'p>, indexing: &Indexing<'p>) -> DimNames {
        let mut space = self.iteration_names(op, indexing);
        let raw = op.op();
        self.pass_on_lost(raw);
        let annotated = ir::has_discardable_attributes(raw);
        if annotated {
            self.declare_space(raw, indexing, &mut space);
        }
        if let Some(result) = ir::result(raw, 0) {
            let names = if indexing.is_elementwise {
                Rc::clone(&space)
            } else {
                let dims = indexing.result().iter();
                dims.map(|dim| dim.map_or_else(Vec::new, |dim| space[dim].clone()))
                    .collect()
            };
            self.values.insert(ir::value_key(result), names);
        }
        if annotated {
            // A dimension that the operation does not iterate over has only the declared name.
            self.declare_result(raw);
            self.check_expected(raw, &space[indexing.parallel_dims()..]);
        }
        space
    }

    /// Sets the names of iteration dimensions that an operation declares. Placeholders declare no name.
    fn declare_space(&mut self, op: Op<'p>, indexing: &Indexing<'p>, space: &mut DimNames) {
        let result = self.declared_of(op).unwrap_or_default();
        let reduced = self.declared_reduced(op, &indexing.space[indexing.parallel_dims()..]);
        let result = result.iter().zip(indexing.result().iter().copied());
        let reduced = reduced.iter().zip((indexing.parallel_dims()..).map(Some));
        let mut named = None;
        for (declared, dim) in result.chain(reduced) {
            if let Some(dim) = dim.filter(|_| !declared.is_empty()) {
                named.get_or_insert_with(|| space.to_vec())[dim].clone_from(declared);
            }
        }
        if let Some(mut named) = named {
            factors::tell_apart(&mut named, &indexing.space);
            *space = named.into();
        }
    }

    /// Returns whether an operation lacks a name because a reshape before it has split it.
    #[must_use]
    pub fn is_lost(&self, op: Op<'p>, name: Name) -> bool {
        !self.lost.is_empty() && self.lost_before(op).contains(&name)
    }

    fn lost_before(&self, op: Op<'p>) -> Vec<Name> {
        let lost = op
            .operands()
            .filter_map(|value| self.lost.get(&ir::value_key(value)));
        let mut lost: Vec<Name> = lost.flat_map(|names| names.iter().copied()).collect();
        lost.sort_unstable();
        lost.dedup();
        lost
    }

    /// Marks the names that are lost before an operation as lost after it.
    fn pass_on_lost(&mut self, op: Op<'p>) {
        // In nearly all programs no name is lost.
        if self.lost.is_empty() {
            return;
        }
        let lost: Rc<[Name]> = self.lost_before(op).into();
        if !lost.is_empty() {
            for result in op.results() {
                self.lost
                    .insert(ir::value_key(result.into()), Rc::clone(&lost));
            }
        }
    }

    /// Gives the carried values of a loop the names of the values that it starts from.
    pub fn enter_loop(&mut self, op: Op<'p>) {
        for carried in carried(op) {
            self.take_first(carried.inside, [carried.init]);
        }
    }

    /// Gives the results of a loop the names of the values that it starts from, or else of the values that it yields.
    pub(crate) fn out_of_loop(&mut self, op: Op<'p>) {
        self.pass_on_lost(op);
        for carried in carried(op) {
            self.take_first(carried.result, [carried.init, carried.yielded]);
        }
    }

    /// Gives `value` the names of the first of `sources` that has any for as many dimensions.
    fn take_first(&mut self, value: Val<'p>, sources: impl IntoIterator<Item = Val<'p>>) {
        let Some(shape) = shape(value.r#type()) else {
            return;
        };
        let names = sources
            .into_iter()
            .filter_map(|source| self.of_value(source))
            .find(|names| {
                names.len() == shape.len() && names.iter().any(|names| !names.is_empty())
            });
        if let Some(names) = names {
            let names = fit(names, &shape);
            self.values.insert(ir::value_key(value), names);
        }
    }

    fn iteration_names(&mut self, op: DeviceOp<'p>, indexing: &Indexing<'p>) -> DimNames {
        let rank = indexing.space.len();
        if indexing.is_elementwise
            && let Some(shared) = self.shared_names(op, rank)
        {
            return shared;
        }
        let mut space: Vec<DimName> = vec![Vec::new(); rank];
        for (operand, dims) in op.op().operands().zip(&indexing.tensors) {
            let Some(names) = self.of_value(operand) else {
                continue;
            };
            for (names, dim) in names.iter().zip(dims) {
                let Some(dim) = *dim else {
                    continue; // No dimension of the operation moves along it.
                };
                let merged = space.get_mut(dim);
                let merged = merged.expect("tensors move along dimensions of the iteration space");
                let extent = indexing.static_extent(dim).unwrap_or(factors::DYNAMIC);
                // A right operand with more rows than K is padded.
                factors::unify(merged, &factors::resize(names, extent));
            }
        }
        factors::tell_apart(&mut space, &indexing.space);
        self.warn_unnamed(op, indexing, &space);
        space.into()
    }

    /// Returns the list of names that all operands with names share. Nearly always there is one; `None` if there is none.
    fn shared_names(&self, op: DeviceOp<'p>, rank: usize) -> Option<DimNames> {
        let mut shared: Option<&DimNames> = None;
        for operand in op.op().operands() {
            let Some(names) = self.of_value(operand) else {
                continue;
            };
            match shared {
                Some(shared) if Rc::ptr_eq(names, shared) || names == shared => {}
                None if names.len() == rank && names.iter().all(|names| !names.is_empty()) => {
                    shared = Some(names);
                }
                _ => return None,
            }
        }
        shared.map(Rc::clone)
    }

    /// Remembers a warning for a dimension that has a placeholder where others have names.
    fn warn_unnamed(&mut self, op: DeviceOp<'p>, indexing: &Indexing<'p>, space: &[DimName]) {
        if space.iter().all(Vec::is_empty) {
            return;
        }
        for (dim, names) in space.iter().enumerate() {
            let extent = indexing.static_extent(dim).unwrap_or(factors::DYNAMIC);
            if !names.is_empty() || extent == 1 || !self.warned.insert(extent) {
                continue;
            }
            self.problems
                .push(problems::Problem::warning(Diagnostic::warning(
                    op.op().location(),
                    format!(
                        "dimension {dim} of this operation has no name; it is tracked as \"{}\"",
                        untracked(extent)
                    ),
                )));
        }
    }
}

/// Returns the names of a value of `shape`, without names that do not fit the extents.
fn fit(names: &DimNames, shape: &[u64]) -> DimNames {
    let fits = |(names, extent): (&DimName, &u64)| {
        names.iter().all(|factors| match factors.as_slice() {
            [factor] => factor.extent == *extent,
            factors => factors.iter().map(|factor| factor.extent).product::<u64>() == *extent,
        })
    };
    if names.iter().zip(shape).all(fits) {
        return Rc::clone(names);
    }
    let resized = names.iter().zip(shape);
    resized
        .map(|(names, extent)| factors::resize(names, *extent))
        .collect()
}

/// Returns the extents of a tensor in elements, [`DYNAMIC`] where one is not known; `None` for any other type.
pub fn shape(ty: Type<'_>) -> Option<Vec<u64>> {
    let ty = RankedTensorType::try_from(ty).ok()?;
    (0..ty.rank())
        .map(|dim| {
            Some(match ty.dim_size(dim).ok()? {
                DimSize::Static(extent) => extent,
                DimSize::Dynamic => factors::DYNAMIC,
            })
        })
        .collect()
}

/// Returns the extent of an iteration dimension in elements; [`DYNAMIC`] for a negative one, which is dynamic.
pub fn extent_of(extent: i64) -> u64 {
    u64::try_from(extent).unwrap_or(factors::DYNAMIC)
}

/// Returns the placeholder of a dimension without a name.
pub fn untracked(extent: u64) -> String {
    if extent == factors::DYNAMIC {
        format!("{UNTRACKED}dynamic")
    } else {
        format!("{UNTRACKED}{extent}")
    }
}

/// Returns whether a name is the placeholder of a dimension without one.
pub fn is_placeholder(name: &str) -> bool {
    name.starts_with(UNTRACKED)
}

/// Returns the placeholder of a dimension without a name, of an extent.
pub fn placeholder(extent: i64) -> String {
    format!("{UNTRACKED}{extent}")
}

/// The prefix of placeholders.
const UNTRACKED: &str = "_untracked_";
