//! Names for dimensions of one extent: an operation that has one name for several of its dimensions gets further ones,
//! so that a hint identifies the dimension that it cuts.

use std::collections::BTreeSet;
use std::convert::Infallible;

use melior::Context;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_analysis::dynamic::{DynamicDims, SymbolId};
use spyre_analysis::indexing::Indexing;
use spyre_analysis::names::{
    DimName, DimNames, Factor, Factors, Followed, Follower, FurtherNames, Names, Visit, extent_of,
    shape,
};
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::names::{DIM_SIZES, DIMS, REDUCTION_DIMS};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op};

/// The dynamic dimensions, and the operations that iterate over them.
#[derive(Default)]
pub(super) struct Named<'p> {
    pub(super) dims: DynamicDims,
    /// The operations that iterate over such dimensions. The dimensions are outermost first: reduced dimensions are
    /// inside of the others, since an accumulator has a fixed extent.
    pub(super) dynamic_ops: Vec<(DeviceOp<'p>, Vec<Along>)>,
    /// Whether an operation has got a name.
    pub(super) is_changed: bool,
}

/// Gives distinct names to the dimensions of operations, in a function that declares names: an operation that has one
/// name for several of its dimensions gets further ones, where the dimensions are dynamic or hints request cuts or
/// divisions along them. `asked` finds the requested names of each operation, by its key.
///
/// # Errors
/// A dynamic extent is not declared.
pub(super) fn name_apart<'p>(
    context: &'p Context,
    function: Op<'p>,
    body: Blk<'p>,
    asked: impl FnOnce() -> FxHashMap<ir::OpKey, Vec<String>>,
) -> Result<Named<'p>, Diagnostic<'p>> {
    if !function.has_attribute(DIM_SIZES) {
        return Ok(Named::default());
    }
    let dims = DynamicDims::of_function(function, body)?;
    let mut apart = Apart {
        context,
        dims: &dims,
        followed: Followed::of_function(function),
        further: FurtherNames::of_function(function),
        asked: asked(),
        dynamic_ops: Vec::new(),
        is_changed: false,
    };
    let Ok(()) = apart.follow(body);
    apart.further.declare(context, function);
    let Apart {
        dynamic_ops,
        is_changed,
        ..
    } = apart;
    Ok(Named {
        dims,
        dynamic_ops,
        is_changed,
    })
}

/// A dimension of operations with a dynamic extent.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OpenDim {
    /// The extent.
    pub(super) symbol: SymbolId,
    /// Whether these operations call it by a further name of the extent.
    pub(super) is_further: bool,
    /// The name by which these operations call it.
    pub(super) name: String,
}

/// A dynamic dimension that an operation iterates over.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Along {
    /// Whether the operation reduces it.
    pub(super) is_reduced: bool,
    /// The dimension.
    pub(super) dim: OpenDim,
}

/// Finds the dynamic dimensions that operations iterate over, and gives distinct names to their dimensions.
struct Apart<'d, 'p> {
    context: &'p Context,
    dims: &'d DynamicDims,
    followed: Followed<'p>,
    further: FurtherNames,
    /// The requested names of each operation, by its key.
    asked: FxHashMap<ir::OpKey, Vec<String>>,
    dynamic_ops: Vec<(DeviceOp<'p>, Vec<Along>)>,
    is_changed: bool,
}

impl<'p> Follower<'p> for Apart<'_, 'p> {
    type Error = Infallible;

    fn followed(&mut self) -> &mut Followed<'p> {
        &mut self.followed
    }

    fn visit(&mut self, visit: Visit<'p>) -> Result<(), Infallible> {
        let Visit::Device(op, indexing, names) = visit else {
            return Ok(());
        };
        let symbols = Indexing::dynamic(op, self.dims);
        let asked = self.asked.remove(&ir::op_key(op.op()));
        let asked = asked.unwrap_or_default();
        let extents: Vec<Option<String>> = (0..symbols.space.len())
            .map(|dim| match symbols.symbol(dim) {
                Some(symbol) => Some(self.dims.symbol(symbol).name.clone()),
                None => self.extent_asked(&asked, &names[dim]),
            })
            .collect();
        let mut taken: Vec<String> = Vec::new();
        let mut along = BTreeSet::new();
        let mut declared = None;
        for (dim, extent) in extents.iter().enumerate() {
            let Some(extent) = extent else { continue };
            let name = self.name_apart(&names[dim], extent, (&asked, &taken));
            taken.push(name.clone());
            if self.is_unclear(&names, dim, (&name, extent)) {
                let name = Some(self.followed.names.intern(&name));
                let extent = extent_of(indexing.space[dim]);
                let declared = declared.get_or_insert_with(|| vec![DimName::new(); names.len()]);
                declared[dim] = vec![vec![Factor { name, extent }]];
            }
            if let Some(symbol) = symbols.symbol(dim) {
                along.insert(Along {
                    is_reduced: !indexing.result().contains(&Some(dim)),
                    dim: OpenDim {
                        symbol,
                        is_further: name != *extent,
                        name,
                    },
                });
            }
        }
        if let Some(declared) = declared {
            self.is_changed = true;
            declare(self.context, op, &indexing, &declared, &self.followed.names);
            self.followed.names.through_device_op(op, &indexing);
        }
        if !along.is_empty() {
            self.dynamic_ops.push((op, along.into_iter().collect()));
        }
        Ok(())
    }
}

impl Apart<'_, '_> {
    /// Returns the declared name of a dimension's extent, if the operation has a request for it.
    fn extent_asked(&self, asked: &[String], names: &DimName) -> Option<String> {
        let name = names.iter().find_map(|factors| self.single(factors))?;
        let name = self.further.first(name);
        let is_asked = asked.iter().any(|asked| self.further.first(asked) == name);
        (is_asked && self.further.is_declared(name)).then(|| name.to_owned())
    }

    /// Returns the name of a dimension that is not merged from others.
    fn single(&self, factors: &Factors) -> Option<&str> {
        match **factors {
            [factor] => factor.name.map(|name| self.followed.names.text(name)),
            _ => None,
        }
    }

    /// Returns a name for an extent that is not in `taken`, preferably a requested name of the dimension.
    fn name_apart(
        &mut self,
        names: &DimName,
        extent: &str,
        (asked, taken): (&[String], &[String]),
    ) -> String {
        let candidates = names.iter().filter_map(|factors| self.single(factors));
        let candidates = candidates.filter(|name| {
            self.further.first(name) == extent && !taken.iter().any(|taken| taken == name)
        });
        let candidates: Vec<&str> = candidates.collect();
        let is_asked = |name: &&&str| asked.iter().any(|asked| asked == **name);
        match candidates.iter().find(is_asked).or(candidates.first()) {
            Some(name) => (*name).to_owned(),
            None => self.further.apart(extent, taken),
        }
    }

    /// Returns whether a dimension does not have the name `name` yet, has another name of the same extent, or one that
    /// another dimension of the operation has.
    fn is_unclear(&self, names: &DimNames, dim: usize, (name, extent): (&str, &str)) -> bool {
        let others = names.iter().enumerate().filter(|(other, _)| *other != dim);
        let mut others = others.flat_map(|(_, names)| names);
        let singles = names[dim].iter().filter_map(|factors| self.single(factors));
        let mut singles = singles.filter(|single| self.further.first(single) == extent);
        singles.next() != Some(name)
            || singles.next().is_some()
            || others.any(|other| names[dim].contains(other))
    }
}

/// Declares names of an operation's dimensions on it; dimensions without a name in `space` keep their names.
fn declare<'p>(
    context: &'p Context,
    op: DeviceOp<'p>,
    indexing: &Indexing<'p>,
    space: &[DimName],
    names: &Names<'p>,
) {
    let op = op.op();
    let (kept, reduced) = space.split_at(indexing.parallel_dims());
    if kept.iter().any(|names| !names.is_empty()) {
        let result = ir::result(op, 0).expect("a device operation has a result");
        let dim_names = indexing.result().iter();
        let dim_names: Vec<DimName> = dim_names
            .map(|dim| dim.map_or_else(DimName::new, |dim| kept[dim].clone()))
            .collect();
        let shape = shape(result.r#type()).expect("a device operation makes a tensor");
        ir::set_discardable_attribute(op, DIMS, names.attribute(context, &dim_names, &shape));
    }
    if reduced.iter().any(|names| !names.is_empty()) {
        let extents = indexing.space[kept.len()..].iter();
        let extents: Vec<u64> = extents.copied().map(extent_of).collect();
        let reduced = names.attribute(context, reduced, &extents);
        ir::set_discardable_attribute(op, REDUCTION_DIMS, reduced);
    }
}
