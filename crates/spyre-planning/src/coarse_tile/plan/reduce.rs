//! Decides the combination of partial results of a reduction over dimensions that levels cut.
//!
//! An accumulator starts from an identity, and an operation combines it with the part of each tile; both are from the
//! middle-end specification, section 3.6. A search compares each part with the best element so far.
//!
//! A mean is the sum of scaled means where the tiles have equally many elements, and both this number and that of the
//! tiles are powers of two: each part is divided by the number of tiles before it is added, which is exact, and no sum
//! is larger than the largest element. Other means are sums of parts that are divided once, after the loops, by the
//! number of elements, which the element type must hold exactly. Such a sum may be infinite in `f16` where the mean is
//! not.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{ShapedTypeLike, Type, TypeLike, ValueLike};
use spyre_analysis::tensor::TensorType;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_ops::{OpClass, OpFunc, Ranked};

use crate::coarse_tile::error;
use crate::coarse_tile::find::{Level, LevelDims, Member};
use crate::coarse_tile::ids::{Id, IdVec, IterDim, LevelId};
use crate::coarse_tile::plan::search::{Search, SearchedTensors};

/// A reduction over dimensions that levels cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reduction {
    /// The outermost level that cuts a dimension that is reduced: the result is complete after its loop.
    pub(crate) outer: LevelId,
    /// The way in which the parts are combined.
    pub(crate) combination: Combination,
}

/// The way in which partial results of a reduction are combined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Combination {
    /// An accumulator is folded over the parts.
    Fold {
        /// The value and the operation.
        fold: Fold,
        /// For a mean, the way in which its parts are divided. `None` for others.
        average: Option<Average>,
    },
    /// Each part is compared with the best element so far.
    Search(Search),
}

/// The way in which the parts of a mean are divided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Average {
    /// The parts are sums, and their sum is divided by the number of elements.
    OfSums(f64),
    /// The parts are means, each times one over the number of tiles.
    OfMeans(f64),
}

impl Average {
    /// Returns the way to average `count` elements, in tiles of `of_tile` elements if all tiles have equally many;
    /// `None` if the type of the result does not have the number of elements.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    fn of(count: u64, of_tile: Option<u64>, range: FloatRange) -> Option<Self> {
        let tiles = of_tile.filter(|tile| tile.is_power_of_two() && count.is_multiple_of(*tile));
        let tiles = tiles.map(|tile| count / tile);
        match tiles {
            Some(tiles) if tiles.is_power_of_two() && tiles <= MOST_TILES => {
                Some(Self::OfMeans(1.0 / tiles as f64))
            }
            _ => Some(Self::OfSums(count as f64)).filter(|_| range.holds(count as f64)),
        }
    }
}

/// The most tiles by which `f16` divides without a subnormal number.
const MOST_TILES: u64 = 1 << 14;

/// The value that an accumulator starts from, and the operation that combines it with a part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fold {
    /// The value.
    pub(crate) identity: f64,
    /// The name of the operation.
    pub(crate) combine: &'static str,
    /// Whether the result does not depend on the order of the parts.
    pub(crate) is_exact: bool,
}

impl Fold {
    /// Returns the way to combine parts of an operation; `None` if no operation does.
    fn of(facts: &OpFunc) -> Option<Self> {
        facts.combiner.map(|combiner| Self {
            identity: combiner.identity(),
            combine: combiner.operations().0,
            is_exact: combiner.is_exact(),
        })
    }
}

/// The range of a float type.
#[derive(Debug, Clone, Copy)]
struct FloatRange {
    /// The number of binary digits, in device memory too, where `f16` has 10.
    digits: u32,
    most: f64,
}

impl FloatRange {
    /// Returns the range of a float type of at least 16 bits; `None` for other types.
    fn of(element: Type<'_>) -> Option<Self> {
        let (digits, most) = if element.is_f16() {
            (10, 65504.0)
        } else if element.is_bf16() {
            (8, f64::from(f32::MAX))
        } else if element.is_f32() {
            (24, f64::from(f32::MAX))
        } else {
            return None;
        };
        Some(Self { digits, most })
    }

    /// Returns whether the type holds a positive integer exactly.
    fn holds(self, value: f64) -> bool {
        let mut odd = value;
        while odd >= 2.0 && odd % 2.0 == 0.0 {
            odd /= 2.0;
        }
        value <= self.most && odd < f64::from(1_u32 << self.digits)
    }
}

/// Returns the outermost level that cuts some dimension.
fn cut(dims: &LevelDims, is_cut: &dyn Fn(usize) -> bool) -> Option<LevelId> {
    let mut cuts = dims.cuts();
    cuts.find(|(_, dim)| is_cut(dim.index()))
        .map(|(level, _)| level)
}

/// Checks that no level cuts the dimension of the elements that a search finds.
fn check_searched<'p>(
    op: DeviceOp<'p>,
    member: &Member<'p>,
    dims: &LevelDims,
    levels: &IdVec<LevelId, Level>,
) -> Result<(), Diagnostic<'p>> {
    let [operand, result_dims] = member.indexing.tensors.as_slice() else {
        return Ok(());
    };
    if op.searched_dim().is_none() {
        return Ok(());
    }
    // The dimension of the result that the operand lacks.
    let is_found = |dim| result_dims.contains(&Some(dim)) && !operand.contains(&Some(dim));
    match cut(dims, &is_found) {
        Some(level) => Err(error(
            op.op(),
            format!(
                "{} has the elements that this operation finds, which it finds together; tile another dimension",
                levels[level].label
            ),
        )),
        None => Ok(()),
    }
}

/// Returns the error of a reduction whose parts no operation combines. `label` is the dimension of the level.
fn no_combination<'p>(op: DeviceOp<'p>, label: &str) -> Diagnostic<'p> {
    let facts = op.facts();
    let help = match facts.class {
        OpClass::TopK => " of several elements; search for one (k 1), or tile another dimension",
        _ => "; tile another dimension",
    };
    let message = format!(
        "{label} is reduced by this operation, and no operation combines the parts of a {}{help}",
        facts.name
    );
    error(op.op(), message)
}

/// Returns the way to average the parts of a mean.
fn average<'p>(
    op: DeviceOp<'p>,
    member: &Member<'p>,
    element: Type<'p>,
    of_tile: Option<u64>,
) -> Result<Average, Diagnostic<'p>> {
    let indexing = &member.indexing;
    let mut dims = indexing.parallel_dims()..indexing.space.len();
    let reduced = &indexing.space[dims.clone()];
    if dims.any(|dim| indexing.symbol(dim).is_some()) {
        return Err(error(
            op.op(),
            "a mean over a dynamic dimension divides by a number that no bundle has; a sum can be \
             tiled"
                .to_owned(),
        ));
    }
    let reduced = reduced
        .iter()
        .map(|extent| u64::try_from(*extent).expect("it is static"));
    let count = reduced.product();
    let average = FloatRange::of(element).and_then(|range| Average::of(count, of_tile, range));
    average.ok_or_else(|| {
        let message = format!(
            "a mean in parts is a sum divided by the number of elements, {count}, which {element} cannot hold \
             exactly; tile another dimension"
        );
        error(op.op(), message)
    })
}

impl Reduction {
    /// Returns the way to reduce in parts; `None` for an operation that no level cuts along a dimension that it
    /// reduces. `of_tile` is the number of elements that a tile reduces to one, if all tiles have equally many.
    ///
    /// # Errors
    /// Parts of the operation cannot be combined, or a level cuts a dimension that it normalises.
    pub(crate) fn of<'p>(
        levels: &IdVec<LevelId, Level>,
        member: &Member<'p>,
        dims: &LevelDims,
        result: &TensorType<'p>,
        of_tile: Option<u64>,
    ) -> Result<Option<Self>, Diagnostic<'p>> {
        let indexing = &member.indexing;
        // Hints leave such an operation outside of the loop; a group that the user has listed names its dimension.
        if let Some(op) = member.op.device()
            && let Some(normalised) = op.normalised_dim()
            && let Some(level) = cut(dims, &|dim| dim == normalised)
        {
            let message = format!(
                "{} is normalised by this operation, which takes rows as a whole; tile another dimension",
                levels[level].label
            );
            return Err(error(op.op(), message));
        }
        if indexing.reduction_dims == 0 {
            return Ok(None);
        }
        let op = member.op.device().expect("only device operations reduce");
        check_searched(op, member, dims, levels)?;
        let parallel = indexing.parallel_dims();
        let Some(outer) = cut(dims, &|dim| dim >= parallel) else {
            return Ok(None);
        };
        let is_dynamic = (parallel..indexing.space.len()).any(|dim| indexing.symbol(dim).is_some());
        let search = search_of(member, op, result);
        if is_dynamic && search.is_some_and(|search| search.result == Ranked::Position) {
            return Err(error(
                op.op(),
                "positions in tiles are counted from the end of the dimension, which is dynamic; the element \
                 itself can be searched in tiles"
                    .to_owned(),
            ));
        }
        let fold = Fold::of(op.facts());
        let (identity, element) = match (search, fold) {
            (Some(_), _) => (f64::NEG_INFINITY, element_of(op)),
            (None, Some(fold)) => (fold.identity, result.element),
            (None, None) => return Err(no_combination(op, &levels[outer].label)),
        };
        let range = FloatRange::of(element);
        if identity.is_infinite() && range.is_none() {
            let message = format!(
                "the parts of a reduction start from {identity}, which {element} does not have"
            );
            return Err(error(op.op(), message));
        }
        let combination = match (search, fold) {
            (Some(search), _) => Combination::Search(search),
            (None, fold) => {
                let fold = fold.expect("other functions were refused");
                let average = match op.facts().is_average {
                    true => Some(average(op, member, element, of_tile)?),
                    false => None,
                };
                Combination::Fold { fold, average }
            }
        };
        Ok(Some(Self { outer, combination }))
    }

    /// Returns the search; `None` for another reduction.
    pub(crate) fn search(&self) -> Option<Search> {
        match self.combination {
            Combination::Search(search) => Some(search),
            Combination::Fold { .. } => None,
        }
    }

    /// Returns the largest mean for which the parts, sums in `f16`, are finite; `None` for combinations that cannot
    /// overflow so.
    pub(crate) fn largest_mean(&self, element: Type<'_>) -> Option<f64> {
        match self.combination {
            Combination::Fold {
                average: Some(Average::OfSums(count)),
                ..
            } if element.is_f16() => Some(65504.0 / count),
            _ => None,
        }
    }

    /// Returns whether the result depends on the tiles: the parts are rounded to the element type, where the card adds up in 32 bits.
    pub(crate) fn rounds_parts(&self) -> bool {
        match self.combination {
            Combination::Fold { fold, .. } => !fold.is_exact,
            Combination::Search(_) => false,
        }
    }

    /// Returns whether another operation computes the parts than the whole.
    pub(crate) fn has_own_parts(&self) -> bool {
        let Combination::Fold { average, .. } = self.combination else {
            return false;
        };
        matches!(average, Some(Average::OfSums(_)))
    }
}

/// Returns the search that an operation on floats is: `topkvalue` or `topkindex` with k 1. `None` for other operations.
fn search_of<'p>(member: &Member<'p>, op: DeviceOp<'p>, result: &TensorType<'p>) -> Option<Search> {
    let ranked = op.facts().search()?;
    let extent = member.indexing.space[result.shape().len()];
    let tensors = SearchedTensors {
        operand: &member.indexing.tensors[0],
        result: result.shape(),
        stick: result.device.layout().stick_dim(),
        extent: u64::try_from(extent).expect("extents that are not fixed have their maximum"),
        // Positions as floats are of the type of the elements. A search for elements may have positions as integers
        // next to them.
        selects: element_of(op).is_f32()
            || ranked == Ranked::Position && !result.element.is_integer(),
    };
    Search::of(ranked, &tensors)
}

/// Returns the type of the elements that are reduced.
pub(crate) fn element_of(op: DeviceOp<'_>) -> Type<'_> {
    let operand = op.op().operand(0).expect("a reduction has an operand");
    let ty = RankedTensorType::try_from(operand.r#type());
    ty.expect("device operations are on ranked tensors")
        .element()
}

/// Returns the iteration dimensions of a tensor as ids.
pub(crate) fn iter_dims(dims: &[Option<usize>]) -> impl Iterator<Item = Option<IterDim>> + '_ {
    dims.iter().map(|dim| dim.map(IterDim::new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_divides_by_a_number_that_its_type_holds() {
        let half = FloatRange {
            digits: 10,
            most: 65504.0,
        };
        assert!(half.holds(1023.0) && half.holds(1024.0) && half.holds(49152.0));
        assert!(!half.holds(1025.0) && !half.holds(65536.0));
    }

    #[test]
    fn means_of_equal_tiles_are_put_together_from_means() {
        let half = FloatRange {
            digits: 10,
            most: 65504.0,
        };
        let average = |count, of_tile| Average::of(count, of_tile, half);
        assert_eq!(average(8192, Some(2048)), Some(Average::OfMeans(0.25)));
        assert_eq!(average(96, Some(32)), Some(Average::OfSums(96.0)));
        assert_eq!(average(96, None), Some(Average::OfSums(96.0)));
        assert_eq!(average(1 << 17, Some(1 << 16)), Some(Average::OfMeans(0.5)));
        assert_eq!(average(1 << 17, None), None);
        assert_eq!(average(1 << 16, Some(1)), None);
    }

    #[test]
    fn parts_start_from_what_changes_nothing() {
        let identity =
            |function| Fold::of(OpFunc::of(function).expect("a row")).map(|fold| fold.identity);
        assert_eq!(identity("prod"), Some(1.0));
        assert_eq!(identity("min"), Some(f64::INFINITY));
        assert_eq!(identity("absmax"), Some(0.0));
        assert_eq!(identity("exx2"), None);
    }
}
