//! Builds the steps of a search in tiles: the choice between the best element of the earlier tiles and the best element
//! of a tile.

use std::rc::Rc;

use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, ValueLike};
use spyre_analysis::tensor::TensorType;
use spyre_mlir_rt::ir::{self, Offset, Val, Window};
use spyre_ods::{OpParts, spyre};

use crate::coarse_tile::construct::parts::BuildSite;
use crate::coarse_tile::construct::with_attributes_of;
use crate::coarse_tile::plan::result;
use crate::coarse_tile::plan::search::{Comparison, Search};

/// The choice between two elements: the best one of the earlier tiles, or the one of the tile.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ElementChoice<'p> {
    /// Two truth values; the element of the earlier tiles is kept if either is true.
    Keep([Val<'p>; 2]),
    /// 0 for the element of the earlier tiles, and 1 for the element of the tile.
    Which(Val<'p>),
}

impl<'p> BuildSite<'_, 'p> {
    /// Returns the type of the elements of a tensor that has elements or their positions.
    pub(crate) fn elements(&self, like: &TensorType<'p>) -> Rc<TensorType<'p>> {
        let ty = Search::elements(self.types, self.op, like);
        ty.expect("the elements of a search have a type, which was checked")
    }

    /// Returns the type of a tile.
    pub(crate) fn tensor_type(&self, value: Val<'p>) -> Rc<TensorType<'p>> {
        let ty = self.types.get(value.r#type());
        ty.expect("tiles of tensors are tensors")
    }

    /// Builds a search for one element along the dimension.
    pub(crate) fn search(
        &self,
        search: Search,
        name: &'static str,
        operand: Val<'p>,
        ty: Type<'p>,
    ) -> Val<'p> {
        let integer = IntegerType::new(self.context, 64).into();
        let dim = i64::try_from(search.dim).expect("a rank fits into 64 bits");
        let parts = OpParts::named(name, &[operand]);
        let parts = with_attributes_of(parts, self.op.op(), &["split"])
            .with("dim", IntegerAttribute::new(integer, dim))
            .with("k", IntegerAttribute::new(integer, 1));
        result(self.build(parts, ty))
    }

    /// Builds the choice between the elements so far and the elements of a tile, and the chosen elements. Without
    /// positions to choose, the choice may be `None`.
    pub(crate) fn choose(
        &self,
        search: Search,
        best: Val<'p>,
        part: Val<'p>,
        has_positions: bool,
    ) -> (Option<ElementChoice<'p>>, Val<'p>) {
        let ty = self.tensor_type(best);
        let decisions = || {
            let ty = search.decisions(self.context, self.types, &ty);
            ty.expect("the choice of a search has a type, which was checked")
        };
        match search.comparison {
            Comparison::Stack => {
                let both = self.stack(search, best, part, &ty);
                let choice = has_positions.then(|| {
                    let which = self.search(search, spyre::TOPKINDEX, both, decisions());
                    ElementChoice::Which(which)
                });
                (choice, self.search(search, spyre::TOPKVALUE, both, ty.ty))
            }
            Comparison::Truth => {
                let truth = decisions();
                let pair = |name, a, b| self.elementwise(name, &[a, b], truth);
                let not_better = pair(spyre::GREATEREQUAL, best, part);
                let is_nan = pair(spyre::NOTEQUAL, best, best);
                let choice = ElementChoice::Keep([not_better, is_nan]);
                (Some(choice), self.pick(choice, best, part))
            }
        }
    }

    /// Builds the selection of `best` where the element of the earlier tiles is chosen, and of `part` where the element
    /// of the tile is chosen.
    pub(crate) fn pick(&self, choice: ElementChoice<'p>, best: Val<'p>, part: Val<'p>) -> Val<'p> {
        let ty = best.r#type();
        match choice {
            ElementChoice::Keep(keep) => keep.into_iter().fold(part, |other, condition| {
                self.elementwise(spyre::WHERE3, &[condition, best, other], ty)
            }),
            // No operation selects by integers, so the selection is computed with arithmetic.
            ElementChoice::Which(which) => {
                let distance = self.elementwise(spyre::SUB, &[part, best], ty);
                let moved = self.elementwise(spyre::MUL, &[distance, which], ty);
                self.elementwise(spyre::ADD, &[best, moved], ty)
            }
        }
    }

    /// Builds positions that are moved by a number of elements: by `spyre.sub` to the start of the next tile, by `spyre.add` from
    /// the end of the dimension to its start.
    pub(crate) fn shift(&self, name: &'static str, positions: Val<'p>, by: u64) -> Val<'p> {
        let ty = self.tensor_type(positions);
        #[expect(clippy::cast_precision_loss, reason = "positions fit 32 bits")]
        let by = self.fill(&ty, by as f64);
        self.elementwise(name, &[positions, by], ty.ty)
    }

    /// Builds a tensor of two elements along the searched dimension.
    fn stack(&self, search: Search, best: Val<'p>, part: Val<'p>, ty: &TensorType<'p>) -> Val<'p> {
        let location = self.op.op().location();
        let mut shape = ty.shape().to_vec();
        let sizes = shape.iter().map(|extent| extent.cast_signed());
        let mut window = Window {
            offsets: vec![Offset::Static(0); shape.len()],
            sizes: sizes.collect(),
        };
        shape[search.dim] = 2;
        let both = self.types.tile(ty, &shape);
        let both = both.expect("a layout of one element has room for two");
        let empty = result(self.build(spyre::empty(&[]), both));
        let first = ir::build_insert_slice(self.at, location, best, empty, &window);
        window.offsets[search.dim] = Offset::Static(1);
        ir::build_insert_slice(self.at, location, part, first, &window)
    }
}
