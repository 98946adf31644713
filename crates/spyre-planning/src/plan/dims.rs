//! The dimensions that the operations of a function share, and names for them.
//!
//! Tiles along a dimension of a whole function are requested by a name of an argument's dimension. Programs of front
//! ends often have no names, so arguments get some: one for all dimensions that device operations read together. Names
//! are propagated through views.

use std::collections::BTreeMap;
use std::convert::Infallible;

use melior::Context;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::indexing::Indexing;
use spyre_analysis::names::{self, DimName, Followed, Follower, Name, Visit};
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::units;
use spyre_analysis::view::{self, View};
use spyre_analysis::walk::tensors;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::{self, TileHint, Tiles};
use spyre_dialects::names::{DIM_SIZES, DIMS};
use spyre_mlir_rt::ir::{self, Blk, Op, Val};
use spyre_ops::Combiner;
use spyre_plan::DisjointSets;

use crate::assign_hints::FIRST_SCOPE;

/// A dimension of a function by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedDim {
    /// The name, which an argument's dimension has.
    pub(super) name: String,
    /// The extent in elements.
    pub(super) extent: u64,
    /// The smallest part that can be cut off in all operations, in elements.
    pub(super) unit: u64,
    /// The points of the iteration spaces of all operations that have it.
    pub(super) points: u128,
    /// Whether an operation reduces it.
    pub(super) is_reduced: bool,
}

/// The named dimensions of a function's arguments.
pub(super) struct ArgumentDims<'p> {
    /// The dimensions with the most points first.
    pub(super) named: Vec<NamedDim>,
    /// The names for arguments that declare none, by the number of the argument.
    dim_names: Vec<(usize, Attribute<'p>)>,
    /// The operations with rounded partial results that tiles may cut along a dimension that they reduce.
    pub(super) reassociation: Reassociation,
}

/// The operations that tiles of a plan may cut along a dimension that they reduce, which changes their numbers: the card adds up in 32
/// bits, and parts are rounded to the element type of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reassociation {
    /// None.
    Never,
    /// Products of matrices and convolutions.
    Products,
    /// Sums, means and products of elements as well.
    Allow,
}

impl Reassociation {
    /// Returns the value that a text names.
    pub(super) fn named(text: &str) -> Option<Self> {
        match text {
            "never" => Some(Self::Never),
            "products" => Some(Self::Products),
            "allow" => Some(Self::Allow),
            _ => None,
        }
    }

    /// Returns whether tiles may cut an operation along `dim`, one of its `dims` iteration dimensions.
    fn admits(self, op: DeviceOp<'_>, dims: usize, dim: usize) -> bool {
        let is_exact = |combiner: Combiner| combiner.is_exact();
        let is_reduced = dim + op.reduction_dims() >= dims;
        if !is_reduced || op.facts().combiner.is_none_or(is_exact) {
            return true;
        }
        match self {
            Self::Never => false,
            Self::Products => op.op().operand_count() > 1,
            Self::Allow => true,
        }
    }
}

impl<'p> ArgumentDims<'p> {
    /// Finds the dimensions of a function's arguments, and names for the dimensions that have none.
    ///
    /// # Errors
    /// The reason why passes cannot handle a tensor of an operation, such as a dynamic extent.
    pub(super) fn of(
        context: &'p Context,
        function: Op<'p>,
        body: Blk<'p>,
        reassociation: Reassociation,
    ) -> Result<Self, String> {
        let mut classes = Classes::new(context, function);
        classes.follow(body)?;
        let facts = classes.facts();
        let mut named: BTreeMap<String, NamedDim> = BTreeMap::new();
        let mut name_of: FxHashMap<usize, String> = FxHashMap::default();
        let arguments: Vec<Argument<'p>> = arguments(function, body);
        // A declared name is the name of the class for the arguments without declared names.
        for argument in &arguments {
            for (dim, extent) in argument.shape.iter().enumerate() {
                let Some(Some(name)) = argument.declared.get(dim) else {
                    continue; // It has no declared name.
                };
                let class = classes.find(argument.value, dim);
                if let Some(class) = class {
                    name_of.entry(class).or_insert_with(|| name.clone());
                }
                let fact = class.and_then(|class| facts.get(&class)).copied();
                add(&mut named, name, *extent, fact.unwrap_or_default());
            }
        }
        let mut dim_names = Vec::new();
        let may_name = !function.has_attribute(DIM_SIZES);
        for argument in arguments
            .iter()
            .filter(|argument| argument.declared.is_empty())
        {
            let mut names = Vec::with_capacity(argument.shape.len());
            for (dim, extent) in argument.shape.iter().enumerate() {
                let class = classes
                    .find(argument.value, dim)
                    .filter(|_| may_name && *extent > 1);
                // Two dimensions of an operation cannot have the same name.
                let fact = class.and_then(|class| Some((class, *facts.get(&class)?)));
                let fact = fact.filter(|(_, fact)| !fact.is_twice);
                names.push(match fact {
                    None => names::untracked(*extent),
                    Some((class, fact)) => {
                        let name = name_of.entry(class).or_insert_with(|| classes.fresh_name());
                        add(&mut named, name, *extent, fact);
                        name.clone()
                    }
                });
            }
            if names.iter().any(|name| !names::is_placeholder(name)) {
                let texts = names
                    .iter()
                    .map(|name| StringAttribute::new(context, name).into());
                let names = attr::array(context, &texts.collect::<Vec<_>>());
                dim_names.push((argument.number, names));
            }
        }
        let mut named: Vec<NamedDim> = named.into_values().collect();
        named.sort_by_key(|dim| std::cmp::Reverse(dim.points));
        Ok(Self {
            named,
            dim_names,
            reassociation,
        })
    }

    /// Declares the names that were given to arguments, on the function or on a copy of it in the same context.
    pub(super) fn declare(&self, function: Op<'_>) {
        for (number, names) in &self.dim_names {
            ir::set_argument_attribute(function, *number, DIMS, *names);
        }
    }

    /// Gives the operations of a function hints for tiles along the dimension of a name. An operation that has the name
    /// twice, as a product of queries and keys of the same tokens, gets none, and neither does one with partial results
    /// that would be rounded, unless that is admitted. Returns the number of operations that got hints.
    pub(super) fn hint(
        &self,
        context: &'p Context,
        function: Op<'p>,
        body: Blk<'p>,
        name: &str,
        tiles: Tiles,
    ) -> usize {
        self.declare(function);
        let hint = TileHint {
            scope: FIRST_SCOPE,
            dim: name.to_owned(),
            tiles,
        };
        let attribute = hint::tile_hint_attribute(context, &hint);
        let mut followed = Followed::of_function(function);
        let mut hinter = Hinter {
            name: followed.names.intern(name),
            followed,
            hints: attr::array(context, &[attribute]),
            reassociation: self.reassociation,
            count: 0,
        };
        let Ok(()) = hinter.follow(body);
        hinter.count
    }
}

/// Gives operations hints while it follows names.
struct Hinter<'p> {
    name: Name,
    followed: Followed<'p>,
    hints: Attribute<'p>,
    reassociation: Reassociation,
    count: usize,
}

impl<'p> Follower<'p> for Hinter<'p> {
    type Error = Infallible;

    fn followed(&mut self) -> &mut Followed<'p> {
        &mut self.followed
    }

    fn visit(&mut self, visit: Visit<'p>) -> Result<(), Infallible> {
        let Visit::Device(op, _, dims) = visit else {
            return Ok(());
        };
        let is_named = |dim: &&DimName| {
            let mut ways = dim.iter().flatten();
            ways.any(|factor| factor.name == Some(self.name))
        };
        let mut places = dims.iter().enumerate().filter(|(_, dim)| is_named(dim));
        let place = places.next().map(|(place, _)| place);
        let may_cut = |place| self.reassociation.admits(op, dims.len(), place);
        if places.next().is_none() && place.is_none_or(may_cut) {
            op.set_hints(self.hints);
            self.count += 1;
        }
        Ok(())
    }
}

/// Adds an argument's dimension to the dimensions of its name. The extents of one name are equal; otherwise later
/// passes report it.
fn add(named: &mut BTreeMap<String, NamedDim>, name: &str, extent: u64, fact: Fact) {
    let entry = named.entry(name.to_owned()).or_insert_with(|| NamedDim {
        name: name.to_owned(),
        extent,
        unit: 1,
        points: 0,
        is_reduced: false,
    });
    entry.is_reduced |= fact.is_reduced;
    entry.extent = entry.extent.max(extent);
    entry.unit = entry.unit.max(fact.unit);
    entry.points = entry.points.max(fact.points);
}

/// An argument that is a tensor of static extents.
struct Argument<'p> {
    number: usize,
    value: Val<'p>,
    shape: Vec<u64>,
    /// The declared name of each dimension, `None` for a placeholder and for several names in one; empty if it declares none.
    declared: Vec<Option<String>>,
}

fn arguments<'p>(function: Op<'p>, body: Blk<'p>) -> Vec<Argument<'p>> {
    let name = |name| attr::string(name).filter(|name| !names::is_placeholder(name));
    let argument = |(number, value): (usize, Val<'p>)| {
        let shape = names::shape(value.r#type())?;
        let declared = ir::argument_attribute(function, number, DIMS);
        let declared = declared.map(attr::elements).unwrap_or_default();
        Some(Argument {
            number,
            value,
            shape,
            declared: declared.into_iter().map(name).collect(),
        })
    };
    ir::arguments(body)
        .enumerate()
        .filter_map(argument)
        .collect()
}

/// The facts about the dimensions of one class.
#[derive(Debug, Clone, Copy, Default)]
struct Fact {
    unit: u64,
    points: u128,
    /// Whether an operation reduces one.
    is_reduced: bool,
    /// Whether an operation has two dimensions of the class.
    is_twice: bool,
}

/// A dimension of an operation.
struct Dim {
    /// The element of its class.
    element: usize,
    /// The smallest part that can be cut off, in elements.
    unit: u64,
    is_reduced: bool,
}

/// The dimensions of values. Dimensions that device operations read together are in one class.
struct Classes<'p> {
    types: TensorTypes<'p>,
    followed: Followed<'p>,
    next_name: usize,
    sets: DisjointSets,
    /// The element of each dimension of a value, by the value's key.
    elements: FxHashMap<(ir::ValueKey, usize), usize>,
    /// For each operation, its points and its dimensions.
    uses: Vec<(u128, Vec<Dim>)>,
}

// Names are followed to find the ones that operations declare: they are in use.
impl<'p> Follower<'p> for Classes<'p> {
    type Error = String;

    fn followed(&mut self) -> &mut Followed<'p> {
        &mut self.followed
    }

    fn visit(&mut self, visit: Visit<'p>) -> Result<(), String> {
        match visit {
            Visit::Device(op, indexing, _) => self.add(op, &indexing),
            Visit::Other(op) => {
                self.unite_view(op);
                Ok(())
            }
            Visit::Into(_) | Visit::OutOf(_) => Ok(()),
        }
    }
}

impl<'p> Classes<'p> {
    fn new(context: &'p Context, function: Op<'p>) -> Self {
        Self {
            types: TensorTypes::new(context),
            followed: Followed::of_function(function),
            next_name: 0,
            sets: DisjointSets::default(),
            elements: FxHashMap::default(),
            uses: Vec::new(),
        }
    }

    /// Unites the dimensions of a view's source and result that are the same elements: the dimensions that a
    /// permutation moves, and the ones that a reshape keeps when it adds or removes dimensions of one element, as front
    /// ends do around products of batches.
    fn unite_view(&mut self, op: Op<'p>) {
        if !view::is_view(op) {
            return;
        }
        let view = View::of(op).expect("the verifier has checked the attributes of a view");
        let (Some(source), Some(result)) = (ir::operand(op, 0), ir::result(op, 0)) else {
            return;
        };
        let shapes = [source, result].map(|value| names::shape(value.r#type()));
        let [Some(source_shape), Some(result_shape)] = shapes else {
            return;
        };
        for (from, to) in view.kept_dims(&source_shape, &result_shape) {
            let ends = [(source, from), (result, to)].map(|(value, dim)| {
                let sets = &mut self.sets;
                let key = (ir::value_key(value), dim);
                *self.elements.entry(key).or_insert_with(|| sets.push())
            });
            self.sets.unite(ends[0], ends[1]);
        }
    }

    /// Adds an operation, and unites the dimensions of its tensors that it iterates over together.
    ///
    /// # Errors
    /// The reason why passes cannot handle a tensor.
    fn add(&mut self, op: DeviceOp<'p>, indexing: &Indexing<'p>) -> Result<(), String> {
        let units = units::units_of(&self.types, indexing)?;
        let mut of_dims: Vec<Option<usize>> = vec![None; indexing.space.len()];
        for (value, dims) in tensors(op).into_iter().zip(&indexing.tensors) {
            for (host, dim) in dims.iter().enumerate() {
                let Some(dim) = dim else { continue };
                let key = (ir::value_key(value), host);
                let sets = &mut self.sets;
                let element = *self.elements.entry(key).or_insert_with(|| sets.push());
                match of_dims[*dim] {
                    Some(first) => sets.unite(first, element),
                    None => of_dims[*dim] = Some(element),
                }
            }
        }
        let extents = indexing.space.iter();
        let extents = extents.map(|extent| u128::from(extent.unsigned_abs()));
        // Points are for the order of names alone.
        let points = extents.fold(1, u128::saturating_mul);
        let kept: Vec<usize> = indexing.result().iter().flatten().copied().collect();
        let dims = of_dims.into_iter().zip(units).enumerate();
        let dims = dims.filter_map(|(dim, (element, unit))| {
            Some(Dim {
                element: element?,
                unit,
                is_reduced: !kept.contains(&dim),
            })
        });
        self.uses.push((points, dims.collect()));
        Ok(())
    }

    /// Returns the facts about each class, by its first element.
    fn facts(&self) -> FxHashMap<usize, Fact> {
        let mut facts: FxHashMap<usize, Fact> = FxHashMap::default();
        for (points, dims) in &self.uses {
            let mut seen = FxHashSet::default();
            for dim in dims {
                let class = self.sets.first(dim.element);
                let fact = facts.entry(class).or_default();
                fact.unit = fact.unit.max(dim.unit);
                fact.is_reduced |= dim.is_reduced;
                match seen.insert(class) {
                    true => fact.points = fact.points.saturating_add(*points),
                    false => fact.is_twice = true,
                }
            }
        }
        facts
    }

    /// Returns the class of a value's dimension; `None` if no device operation moves along it.
    fn find(&self, value: Val<'p>, dim: usize) -> Option<usize> {
        let element = self.elements.get(&(ir::value_key(value), dim))?;
        Some(self.sets.first(*element))
    }

    /// Returns a name that the function does not have yet.
    fn fresh_name(&mut self) -> String {
        self.followed.names.unused("dim", &mut self.next_name)
    }
}
