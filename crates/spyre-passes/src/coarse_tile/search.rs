//! Searches in parts: the loops carry the first element so far, and its position.
//!
//! A level may cut the dimension in which an operation searches for one element. The loops then carry the element, and for its
//! position an integer that counts from the start of the next tile: a tile that has a better element puts its position there, and
//! every tile subtracts its own extent. So no tile has to know where it starts, and behind the last one the extent of the whole
//! dimension is added. The loops start from -inf at the first position, which is also the right result for a tensor of nothing
//! but -inf.
//!
//! A tile is better by the rule of `topkvalue`: NaN before every number, and of equal elements the first.

use melior::Context;
use melior::ir::attribute::{DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, Identifier, ShapedTypeLike, Type, TypeLike, ValueLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::{DeviceFormat, Layout};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Offset, Val, Window};
use spyre_ops::Ranked;

use super::groups::Member;
use super::plan::internal;
use super::reduce::{fill, insert};
use crate::tensor::{TensorType, TensorTypes, with_room};

/// A search for one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Search {
    /// The result of the search: the element or its position.
    pub told: Ranked,
    form: Form,
    /// The dimension of the operand that is searched. `extent` is its extent in elements.
    dim: usize,
    extent: u64,
}

/// The way to decide which of two elements comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// By comparisons, whose truth values select elements and positions.
    Compare,
    /// By a search among the two. Truth values of 16-bit floats have other sticks than positions, and cannot select them.
    Stack,
}

/// The choice of the first of two elements: the element so far, or that of the tile.
#[derive(Debug, Clone, Copy)]
pub enum Choice<'p> {
    /// Two truth values. Each of them keeps the element so far.
    Keep([Val<'p>; 2]),
    /// 0 for the element so far, and 1 for that of the tile.
    Which(Val<'p>),
}

/// The position at which operations are built, and the operation that they stand for.
#[derive(Clone, Copy)]
pub struct Site<'s, 'p> {
    pub context: &'p Context,
    pub types: &'s TensorTypes<'p>,
    pub at: At<'p>,
    pub op: DeviceOp<'p>,
}

impl Search {
    /// Returns the search that an operation on floats is: `topkvalue` or `topkindex` with k 1. `None` for other operations.
    pub fn of<'p>(member: &Member<'p>, result: &TensorType<'p>) -> Option<Self> {
        let op = member.op.device()?;
        let told = op.facts().search()?;
        let rank = result.shape().len();
        let dim = member.indexing.tensors.first()?;
        let dim = dim.iter().position(|dim| *dim == Some(rank))?;
        if result.shape().get(dim) != Some(&1) {
            return None;
        }
        let element = element_of(op).ok()?;
        let stick = result.device.layout().stick_dim();
        let has_sticks = stick.is_some_and(|dim| result.shape().get(dim) != Some(&1));
        Some(Self {
            told,
            form: if has_sticks && !element.is_f32() {
                Form::Stack
            } else {
                Form::Compare
            },
            dim,
            extent: u64::try_from(*member.indexing.space.get(rank)?).ok()?,
        })
    }

    /// Returns the dimension of the operand that is searched.
    pub fn among(self) -> usize {
        self.dim
    }

    /// Builds the tensor that the loops start from: 0 for positions, -inf for elements.
    pub fn start<'p>(
        self,
        context: &'p Context,
        at: At<'p>,
        op: DeviceOp<'p>,
        ty: &TensorType<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let value = if ty.element.is_integer() {
            0.0
        } else {
            f64::NEG_INFINITY
        };
        fill(context, at, op.op().location(), ty, value)
    }

    /// Returns the type of the elements whose positions a tensor holds.
    pub fn elements<'p>(
        self,
        site: Site<'_, 'p>,
        positions: &TensorType<'p>,
    ) -> Result<Type<'p>, Diagnostic<'p>> {
        let element = element_of(site.op)?;
        let ty = with_element(site, positions, element, None);
        ty.map_err(|why| internal(site.op.op(), &why))
    }

    /// Builds the search for the elements of a tile, where the operation searches for their positions.
    pub fn elements_of<'p>(
        self,
        site: Site<'_, 'p>,
        tile: Val<'p>,
        ty: Type<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        self.search(site, "spyre.topkvalue", tile, ty)
    }

    /// Builds the choice between the elements so far and those of a tile, and the chosen elements. Without positions to choose,
    /// the choice may be `None`.
    pub fn choose<'p>(
        self,
        site: Site<'_, 'p>,
        so_far: Val<'p>,
        part: Val<'p>,
        has_positions: bool,
    ) -> Result<(Option<Choice<'p>>, Val<'p>), Diagnostic<'p>> {
        let fail = |why: String| internal(site.op.op(), &why);
        let ty = site.types.get(so_far.r#type()).map_err(fail)?;
        if self.form == Form::Stack {
            let both = self.stack(site, so_far, part, &ty)?;
            let choice = if has_positions {
                let integer = IntegerType::new(site.context, 32).into();
                let positions = with_element(site, &ty, integer, None).map_err(fail)?;
                let which = self.search(site, "spyre.topkindex", both, positions)?;
                Some(Choice::Which(which))
            } else {
                None
            };
            let chosen = self.search(site, "spyre.topkvalue", both, ty.ty)?;
            return Ok((choice, chosen));
        }
        // A truth value is stored in the format of the elements that were compared.
        let format = ty.device.format();
        let truth = IntegerType::new(site.context, 1).into();
        let truth = with_element(site, &ty, truth, Some(format)).map_err(fail)?;
        let not_better = site.elementwise("spyre.greaterequal", &[so_far, part], truth)?;
        let is_nan = site.elementwise("spyre.notequal", &[so_far, so_far], truth)?;
        let choice = Choice::Keep([not_better, is_nan]);
        let chosen = choice.pick(site, so_far, part)?;
        Ok((Some(choice), chosen))
    }

    /// Builds positions that count from the start of the next tile, `tile` elements further on.
    pub fn advance<'p>(
        self,
        site: Site<'_, 'p>,
        positions: Val<'p>,
        tile: u64,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        self.shift(site, "spyre.sub", positions, tile)
    }

    /// Builds positions that count from the start of the dimension. `positions` count from its end.
    pub fn finish<'p>(
        self,
        site: Site<'_, 'p>,
        positions: Val<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        self.shift(site, "spyre.add", positions, self.extent)
    }

    /// Returns the extent of the searched dimension, in elements, in a tile of the operand.
    pub fn tile(self, extents: &[u64]) -> u64 {
        extents[self.dim]
    }

    fn shift<'p>(
        self,
        site: Site<'_, 'p>,
        name: &str,
        positions: Val<'p>,
        by: u64,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let ty = site.types.get(positions.r#type());
        let ty = ty.map_err(|why| internal(site.op.op(), &why))?;
        #[expect(clippy::cast_precision_loss, reason = "positions fit 32 bits")]
        let by = fill(
            site.context,
            site.at,
            site.op.op().location(),
            &ty,
            by as f64,
        )?;
        site.elementwise(name, &[positions, by], ty.ty)
    }

    /// Builds a tensor of two elements along the searched dimension.
    fn stack<'p>(
        self,
        site: Site<'_, 'p>,
        so_far: Val<'p>,
        part: Val<'p>,
        ty: &TensorType<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let op = site.op.op();
        let mut shape = ty.shape().to_vec();
        let mut window = Window {
            offsets: vec![Offset::Static(0); shape.len()],
            sizes: shape.iter().map(|extent| extent.cast_signed()).collect(),
        };
        if let Some(extent) = shape.get_mut(self.dim) {
            *extent = 2;
        }
        let both = site
            .types
            .tile(ty, &shape)
            .map_err(|why| internal(op, &why))?;
        let empty = site.build("spyre.empty", &[], both, &[])?;
        let first = ir::build_insert_slice(site.at, op.location(), so_far, empty, &window);
        if let Some(offset) = window.offsets.get_mut(self.dim) {
            *offset = Offset::Static(1);
        }
        Ok(ir::build_insert_slice(
            site.at,
            op.location(),
            part,
            first,
            &window,
        ))
    }

    /// Builds a search for one element along the dimension.
    fn search<'p>(
        self,
        site: Site<'_, 'p>,
        name: &str,
        operand: Val<'p>,
        ty: Type<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let i64 = IntegerType::new(site.context, 64).into();
        let dim = i64::try_from(self.dim).map_err(|why| internal(site.op.op(), &why))?;
        let mut attributes = vec![
            ("dim", IntegerAttribute::new(i64, dim).into()),
            ("k", IntegerAttribute::new(i64, 1).into()),
        ];
        if let Ok(split) = site.op.op().attribute("split") {
            attributes.push(("split", split));
        }
        site.build(name, &[operand], ty, &attributes)
    }
}

impl<'p> Choice<'p> {
    /// Builds the selection of `so_far` where the element so far is chosen, and of `part` where that of the tile is.
    pub fn pick(
        self,
        site: Site<'_, 'p>,
        so_far: Val<'p>,
        part: Val<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let ty = so_far.r#type();
        match self {
            Self::Keep(keep) => keep.into_iter().try_fold(part, |other, condition| {
                site.elementwise("spyre.where3", &[condition, so_far, other], ty)
            }),
            // No operation selects by integers, so the choice is computed.
            Self::Which(which) => {
                let distance = site.elementwise("spyre.sub", &[part, so_far], ty)?;
                let moved = site.elementwise("spyre.mul", &[distance, which], ty)?;
                site.elementwise("spyre.add", &[so_far, moved], ty)
            }
        }
    }
}

impl<'p> Site<'_, 'p> {
    fn build(
        &self,
        name: &str,
        operands: &[Val<'p>],
        ty: Type<'p>,
        attributes: &[(&str, Attribute<'p>)],
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let op = self.op.op();
        let attributes = attributes
            .iter()
            .map(|(name, value)| (Identifier::new(self.context, name), *value));
        let built = OperationBuilder::new(name, op.location())
            .add_operands(operands)
            .add_attributes(&attributes.collect::<Vec<_>>())
            .add_results(&[ty])
            .build()
            .map_err(|why| internal(op, &why))?;
        let built = insert(self.at, built, op)?;
        Ok(built.result(0).map_err(|why| internal(built, &why))?.into())
    }

    /// Builds an operation on tensors like the result, divided over the cores like the result.
    fn elementwise(
        &self,
        name: &str,
        operands: &[Val<'p>],
        ty: Type<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let split = self.op.split().map(|split| {
            let rank = self.op.tensor_dims(self.op.op().operand_count()).len();
            let split = split.iter().take(rank).map(|cores| i64::from(*cores));
            let split: Vec<i64> = split.collect();
            DenseI64ArrayAttribute::new(self.context, &split).into()
        });
        let attributes: Vec<_> = split.map(|split| ("split", split)).into_iter().collect();
        self.build(name, operands, ty, &attributes)
    }
}

/// Returns the type of the elements that are searched.
pub fn element_of(op: DeviceOp<'_>) -> Result<Type<'_>, Diagnostic<'_>> {
    let operand = op.op().operand(0).map_err(|why| internal(op.op(), &why))?;
    let ty = RankedTensorType::try_from(operand.r#type());
    Ok(ty.map_err(|why| internal(op.op(), &why))?.element())
}

/// Returns a tensor type with other elements. Its layout is the same, with sticks of as many elements as their format has.
/// `stored` is the format in device memory; `None` for the default of the type.
fn with_element<'p>(
    site: Site<'_, 'p>,
    like: &TensorType<'p>,
    element: Type<'p>,
    stored: Option<DeviceFormat>,
) -> Result<Type<'p>, String> {
    let plain: Type<'p> = RankedTensorType::new(like.shape(), element, None).into();
    if !like.has_layout {
        return Ok(plain);
    }
    let own = site.types.get(plain)?.device.format();
    let format = stored.unwrap_or(own);
    let per_stick = format.elements_per_stick();
    let layout = like.device.layout();
    let layout = if layout.stick_dim().is_some() {
        layout
            .with_elements_per_stick(per_stick)
            .map_err(|why| why.to_string())?
    } else {
        Layout::new(layout.rank(), layout.coords().to_vec()).map_err(|why| why.to_string())?
    };
    let layout = if format == own {
        layout
    } else {
        layout.with_format(format)
    };
    let ty = site.types.with_layout(like.shape(), element, &layout)?;
    // Positions need room for the whole sticks of the elements that are searched.
    let most = like.device.format().elements_per_stick();
    let most = most.max(ty.device.format().elements_per_stick());
    match with_room(&ty.device, most)? {
        Some(layout) => Ok(site.types.with_layout(like.shape(), element, &layout)?.ty),
        None => Ok(ty.ty),
    }
}
