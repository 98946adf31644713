//! Hints for the chosen groups: names for the dimensions that loops cut, and scopes.

use melior::Context;
use melior::ir::Attribute;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use spyre_analysis::names::{DimName, Factor, Name, Names, set_dim_sizes};
use spyre_dialects::attr;
use spyre_dialects::hint::{self, TileHint, Tiles};
use spyre_dialects::names::{DIM_SIZES, DIMS};
use spyre_mlir_rt::ir::{self, Op};

use super::program::{Found, Program};
use crate::assign_hints::FIRST_SCOPE;

/// The prefix of the new names of dimensions that have no usable name.
const PREFIX: &str = "auto";

/// A group of operations that is chosen for tiling.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// The operations by position, and for each loop the iteration dimension that it cuts, `None` where it cuts none.
    pub members: Vec<(usize, Vec<Option<usize>>)>,
    /// The number of tiles of each loop, outermost first.
    pub counts: Vec<u64>,
}

/// One attribute that is to be written on an operation.
struct Change<'p> {
    op: Op<'p>,
    name: &'static str,
    value: Attribute<'p>,
}

/// The hints of chosen groups, which are written in the end.
pub(super) struct Writer<'w, 'p> {
    context: &'p Context,
    program: &'w Program<'p>,
    names: &'w mut Names<'p>,
    next_scope: i64,
    next_name: usize,
    hints: Vec<(usize, Attribute<'p>)>,
    changes: Vec<Change<'p>>,
    /// New names with their extents in elements.
    sizes: Vec<(String, u64)>,
}

impl<'w, 'p> Writer<'w, 'p> {
    pub(super) fn new(
        context: &'p Context,
        program: &'w Program<'p>,
        names: &'w mut Names<'p>,
    ) -> Self {
        let after = program.last_scope.map_or(0, |last| last.saturating_add(1));
        Self {
            context,
            program,
            names,
            next_scope: after.max(FIRST_SCOPE),
            next_name: 0,
            hints: Vec::new(),
            changes: Vec::new(),
            sizes: Vec::new(),
        }
    }

    /// Adds a group. Returns its hints, as the user would write them.
    pub(super) fn add(&mut self, group: &Group) -> Vec<TileHint> {
        let mut hints: Vec<TileHint> = Vec::with_capacity(group.counts.len());
        // New names, each with the loop that it is for.
        let mut fresh: Vec<(usize, Name)> = Vec::new();
        for (level, count) in group.counts.iter().enumerate() {
            let name = self.shared_name(group, level).unwrap_or_else(|| {
                let name = self.fresh_name(group, level);
                fresh.push((level, name));
                name
            });
            hints.push(TileHint {
                scope: self.next_scope,
                dim: self.names.text(name).to_owned(),
                tiles: Tiles::Count(*count),
            });
            self.next_scope = self.next_scope.saturating_add(1);
        }
        let attributes: Vec<_> = hints
            .iter()
            .map(|hint| hint::tile_hint_attribute(self.context, hint))
            .collect();
        let attribute: Attribute<'p> = attr::array(self.context, &attributes);
        for (step, dims) in &group.members {
            self.hints.push((*step, attribute));
            if let Some(entry) = self.program.ops.get(*step).filter(|_| !fresh.is_empty()) {
                self.rename(entry, dims, &fresh);
            }
        }
        hints
    }

    /// Returns a name for the dimension that a loop cuts. In every operation of the group that has the dimension, the name means
    /// that dimension, and no other dimension has it. `None` if there is no such name.
    fn shared_name(&self, group: &Group, level: usize) -> Option<Name> {
        let dim_of = |dims: &[Option<usize>]| dims.get(level).copied().flatten();
        let (first, dim) = group
            .members
            .iter()
            .find_map(|(step, dims)| Some((*step, dim_of(dims)?)))?;
        let candidates = self.program.ops.get(first)?.names.get(dim)?;
        let candidates = candidates
            .iter()
            .filter_map(|factors| match factors.as_slice() {
                [
                    Factor {
                        name: Some(name), ..
                    },
                ] => Some(*name),
                _ => None,
            });
        let means = |entry: &Found<'p>, name: Name, wanted: Option<usize>| {
            let of_name = |dim: &DimName| {
                dim.iter()
                    .any(|way| way.iter().any(|factor| factor.name == Some(name)))
            };
            let alone = |dim: &DimName| {
                dim.iter()
                    .any(|way| matches!(way.as_slice(), [factor] if factor.name == Some(name)))
            };
            entry.names.iter().enumerate().all(|(dim, names)| {
                if wanted == Some(dim) {
                    alone(names)
                } else {
                    !of_name(names)
                }
            })
        };
        candidates.into_iter().find(|name| {
            group.members.iter().all(|(step, dims)| {
                let entry = self.program.ops.get(*step);
                entry.is_some_and(|entry| means(entry, *name, dim_of(dims)))
            })
        })
    }

    /// Returns a name that is not in use yet.
    fn fresh_name(&mut self, group: &Group, level: usize) -> Name {
        let text = self.names.unused(PREFIX, &mut self.next_name);
        let extent = group.members.iter().find_map(|(step, dims)| {
            let dim = dims.get(level).copied().flatten()?;
            let extent = *self.program.ops.get(*step)?.indexing.space.get(dim)?;
            u64::try_from(extent).ok()
        });
        let name = self.names.intern(&text);
        self.sizes.push((text, extent.unwrap_or(1)));
        name
    }

    /// Adds the new names to the names of the dimensions of an operation's result.
    fn rename(&mut self, entry: &Found<'p>, dims: &[Option<usize>], fresh: &[(usize, Name)]) {
        let mut names: Vec<DimName> = Vec::new();
        let mut extents = Vec::new();
        for dim in entry.indexing.result() {
            let mut ways = dim
                .and_then(|dim| entry.names.get(dim))
                .cloned()
                .unwrap_or_default();
            let extent = dim.and_then(|dim| entry.indexing.space.get(dim));
            let extent = extent
                .and_then(|extent| u64::try_from(*extent).ok())
                .unwrap_or(1);
            for (level, name) in fresh {
                if dim.is_some() && dims.get(*level) == Some(dim) {
                    ways.push(vec![Factor {
                        name: Some(*name),
                        extent,
                    }]);
                }
            }
            names.push(ways);
            extents.push(extent);
        }
        self.changes.push(Change {
            op: entry.op.op(),
            name: DIMS,
            value: self.names.attribute(self.context, &names, &extents),
        });
    }

    /// Writes the hints, and declares the new names if the function declares names.
    pub(super) fn write(self, function: Op<'p>) {
        for (step, attribute) in self.hints {
            if let Some(entry) = self.program.ops.get(step) {
                entry.op.set_hints(attribute);
            }
        }
        for change in self.changes {
            ir::set_discardable_attribute(change.op, change.name, change.value);
        }
        let Some(declared) = function
            .attribute(DIM_SIZES)
            .ok()
            .filter(|_| !self.sizes.is_empty())
        else {
            return;
        };
        let mut entries = attr::entries(declared);
        let ty = IntegerType::new(self.context, 64);
        for (name, extent) in self.sizes {
            let extent =
                IntegerAttribute::new(ty.into(), i64::try_from(extent).unwrap_or(i64::MAX));
            entries.push((name, extent.into()));
        }
        set_dim_sizes(self.context, function, &entries);
    }
}
