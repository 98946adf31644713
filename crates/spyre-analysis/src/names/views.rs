//! Takes names through permutations, reshapes and slices.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::names::DIMS;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};

use super::factors::{self, DimName, NotSplit};
use super::problems::Problem;
use super::{DimNames, Names, shape};
use crate::view::View;

impl<'p> Names<'p> {
    /// Gives a permutation or a reshape the names of its source.
    pub(super) fn through_view(&mut self, op: Op<'p>) {
        let (source, result) = ends(op);
        let Some(source_names) = self.of_value(source).cloned() else {
            return; // It has no names.
        };
        let view = View::of(op).expect("the verifier has checked the attributes of a view");
        let (source_shape, result_shape) = (shape_of(source), shape_of(result));
        let names: Vec<DimName> = match view {
            View::Permute(permutation) => permutation
                .into_iter()
                .map(|from| source_names[from].clone())
                .collect(),
            View::Expand(groups) => {
                let mut names = vec![Vec::new(); result_shape.len()];
                for (from, (group, dim_names)) in groups.iter().zip(source_names.iter()).enumerate()
                {
                    self.expand(op, from, dim_names, group, &result_shape, &mut names);
                }
                names
            }
            View::Collapse(groups) => groups
                .iter()
                .map(|group| {
                    let dims: Vec<_> = group
                        .iter()
                        .map(|from| (&source_names[*from], source_shape[*from]))
                        .collect();
                    factors::merge(&dims)
                })
                .collect(),
        };
        self.values.insert(ir::value_key(result), names.into());
    }

    /// Splits the names of the source's dimension `from` over the dimensions `group` of the result.
    fn expand(
        &mut self,
        op: Op<'p>,
        from: usize,
        dim_names: &DimName,
        group: &[usize],
        shape: &[u64],
        names: &mut [DimName],
    ) {
        let extents: Vec<u64> = group.iter().map(|to| shape[*to]).collect();
        let mut long = group
            .iter()
            .zip(&extents)
            .filter(|(_, extent)| **extent != 1)
            .map(|(to, _)| *to);
        // If at most one dimension of the group has an extent other than 1, no name is split.
        let only = match (long.next(), long.next()) {
            (Some(only), None) => Some(only),
            (None, _) if group.len() == 1 => group.first().copied(),
            (None, _) => return,
            _ => None,
        };
        if let Some(to) = only {
            names[to].clone_from(dim_names);
            return;
        }
        let mut failed = None;
        let mut split = false;
        for factors in dim_names {
            match factors::split(factors, &extents) {
                Ok(parts) => {
                    split = true;
                    for (to, part) in group.iter().zip(parts) {
                        let to = &mut names[*to];
                        if part.iter().any(|factor| factor.name.is_some()) && !to.contains(&part) {
                            to.push(part);
                        }
                    }
                }
                Err(reason) => {
                    failed.get_or_insert(reason);
                }
            }
        }
        if let Some(reason) = failed
            && !split
        {
            let problem = self.not_split(op, from, dim_names, &extents, reason);
            self.problems.push(problem);
            if let NotSplit::Splits(name) = reason {
                let (_, result) = ends(op);
                let lost = self.lost.entry(ir::value_key(result)).or_default();
                *lost = lost.iter().copied().chain([name]).collect();
            }
        }
    }

    fn not_split(
        &self,
        op: Op<'p>,
        from: usize,
        dim_names: &DimName,
        extents: &[u64],
        reason: NotSplit,
    ) -> Problem<'p> {
        let extents = extents
            .iter()
            .map(|extent| match *extent {
                factors::DYNAMIC => "?".to_owned(),
                extent => extent.to_string(),
            })
            .collect::<Vec<_>>()
            .join(" x ");
        let here = op.location();
        match reason {
            NotSplit::Splits(name) => {
                let text = self.text(name).to_owned();
                let message = format!(
                    "this reshape splits dimension \"{text}\" into several; call it the #spyre.merged of its parts where \
                     it is declared, or name the parts here with '{DIMS}'"
                );
                let (source, _) = ends(op);
                Problem::lost(name, Diagnostic::error(here, message)).note(
                    source.location(),
                    format!("dimension {from} of this value becomes {extents}"),
                )
            }
            NotSplit::NoPrefix(extent) => {
                let what = match extent {
                    factors::DYNAMIC => "a dynamic extent".to_owned(),
                    extent => extent.to_string(),
                };
                let message = format!(
                    "dimension {from} of the source, {}, is reshaped to {extents}, and no prefix of its names has \
                     extents that multiply to {what}; the result has no names there",
                    self.describe(dim_names)
                );
                Problem::warning(Diagnostic::warning(here, message))
            }
        }
    }

    /// Gives the result of a slice the names of its source.
    pub(super) fn through_extract(&mut self, op: Op<'p>) {
        let (source, result) = ends(op);
        let Some(source_names) = self.of_value(source).cloned() else {
            return; // It has no names.
        };
        let (source_shape, result_shape) = (shape_of(source), shape_of(result));
        let names: Option<DimNames> = if result_shape.len() == source_shape.len() {
            Some(super::fit(&source_names, &result_shape))
        } else {
            // Some extents of 1 are dropped: a dimension stays where its size is that of the next one of the result.
            ir::window(op).map(|window| {
                let mut rest = result_shape.iter().copied().peekable();
                let kept = window.sizes.iter().zip(source_names.iter());
                kept.filter_map(|(size, names)| {
                    let extent = rest.next_if(|next| super::extent_of(*size) == *next)?;
                    Some(factors::resize(names, extent))
                })
                .collect()
            })
        };
        if let Some(names) = names.filter(|names| names.len() == result_shape.len()) {
            self.values.insert(ir::value_key(result), names);
        }
    }

    /// Gives the result of an insertion the names of the tensor that is inserted into, or else of the tile: a fresh destination
    /// has no names.
    pub(super) fn through_insert(&mut self, op: Op<'p>) {
        let (tile, result) = ends(op);
        let into = ir::operand(op, 1).expect("a slice is inserted into a tensor");
        self.take_first(result, [into, tile]);
    }

    /// Returns a dimension's names as the user would write them.
    pub(super) fn describe(&self, dim: &DimName) -> String {
        let describe = |factors: &factors::Factors| {
            let text = |factor: &factors::Factor| match factor.name {
                Some(name) => format!("\"{}\"", self.text(name)),
                None => format!("\"{}\"", super::untracked(factor.extent)),
            };
            match factors.as_slice() {
                [factor] => text(factor),
                factors => {
                    let factors: Vec<_> = factors
                        .iter()
                        .map(|factor| format!("{} of {}", text(factor), factor.extent))
                        .collect();
                    format!("#spyre.merged<{}>", factors.join(", "))
                }
            }
        };
        match dim.as_slice() {
            [] => "no name".to_owned(),
            [factors] => describe(factors),
            ways => {
                let ways: Vec<_> = ways.iter().map(describe).collect();
                format!("[{}]", ways.join(", "))
            }
        }
    }
}

/// Returns the first operand and the result of a view or a slice, which has both.
fn ends<'p>(op: Op<'p>) -> (Val<'p>, Val<'p>) {
    let ends = ir::operand(op, 0).zip(ir::result(op, 0));
    ends.expect("a view and a slice have an operand and a result")
}

/// Returns the extents of a value that is a tensor.
fn shape_of(value: Val<'_>) -> Vec<u64> {
    shape(value.r#type()).expect("views and slices are of ranked tensors")
}
