//! Builds the copy of a value in another layout.
//!
//! Two layouts with the same dimension on the stick need a `spyre.copy`, two with different ones a `spyre.restickify`. No single
//! operation copies between sticks that elements share and sticks of one element each: `spyre.restickify` exchanges the dimension
//! on the stick with another one, and one side has no dimension there. So the value is repeated along a new dimension, which is
//! exchanged with the one on the stick, and its first position is taken.

use melior::Context;
use melior::ir::attribute::{DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::r#type::{DimSize, IntegerType, RankedTensorType};
use melior::ir::{Attribute, Location, ShapedTypeLike, Type, ValueLike};
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::view::View;
use spyre_dialects::attr;
use spyre_layout::Arrangement;
use spyre_mlir_rt::ir::{self, At, Offset, Op, Val, Window};
use spyre_ods::{OpBuilder, OpParts, spyre, tensor};

use super::analysis::Candidate;
use super::restick::{self, BESIDE, Relayout};

/// The place where copies are built.
pub(super) struct Site<'t, 'p> {
    /// The context in which attributes are built.
    pub context: &'p Context,
    /// The tensor types.
    pub types: &'t TensorTypes<'p>,
    /// The location of the copies: that of their reader.
    pub location: Location<'p>,
    /// The operation before which they are built.
    pub before: Op<'p>,
    /// The tiling hints of a copy by one operation; `None` without hints.
    pub hints: Option<Attribute<'p>>,
}

impl<'p> Site<'_, 'p> {
    /// Copies a value to a layout.
    ///
    /// # Errors
    /// No operations lead to that layout. The analysis has ruled this out.
    pub(super) fn copy(&self, value: Val<'p>, target: &Candidate<'p>) -> Result<Val<'p>, String> {
        let have = self.types.get(value.r#type())?;
        match Relayout::between(&have, target)? {
            Relayout::Copy => Ok(self.unary(spyre::COPY, value, target, self.hints)),
            Relayout::Restickify => Ok(self.unary(spyre::RESTICKIFY, value, target, self.hints)),
            Relayout::Spread => self.through_another(value, &have, None, target),
            Relayout::Gather => {
                let stick = target.device.layout().stick_dim();
                self.through_another(value, &have, stick, target)
            }
        }
    }

    /// Copies a value by exchanging the dimension on its stick with a new one. `stick` is the dimension that comes onto the
    /// stick; `None` for one element in each stick.
    fn through_another(
        &self,
        value: Val<'p>,
        have: &Candidate<'p>,
        stick: Option<usize>,
        target: &Candidate<'p>,
    ) -> Result<Val<'p>, String> {
        let rank = have.shape().len();
        let with_last = |extent: u64| [have.shape(), &[extent]].concat();
        // Every dimension stays as it is, but the last one is split in two, of which the second is new.
        let mut groups: Vec<Vec<usize>> = (0..rank).map(|dim| vec![dim]).collect();
        if let Some(last) = groups.last_mut() {
            last.push(rank);
        }
        let column = self.reshape(View::Expand(groups.clone()), value, &with_last(1))?;

        let copy_stick = match stick {
            // If elements are gathered from sticks of one element, the new dimension is on the stick first.
            Some(_) => None,
            None => have.device.layout().stick_dim(),
        };
        let repeated = self.beside(have, copy_stick)?;
        let repeated = self.unary(spyre::COPY, column, &repeated, None);
        let exchanged = match stick {
            Some(dim) => self.beside(have, Some(dim))?,
            None => self.beside(have, None)?,
        };
        let exchanged = self.unary(spyre::RESTICKIFY, repeated, &exchanged, None);

        let sizes = with_last(1).into_iter().map(i64::try_from);
        let window = Window {
            offsets: vec![Offset::Static(0); rank + 1],
            sizes: sizes
                .collect::<Result<_, _>>()
                .map_err(|err| err.to_string())?,
        };
        let of = self.types.get(exchanged.r#type())?;
        let tile = self.types.tile(&of, &with_last(1))?;
        let first = ir::build_extract_slice(self.at(), self.location, tile, exchanged, &window);
        let first = self.reshape(View::Collapse(groups), first, have.shape())?;
        if first.r#type() == target.ty {
            return Ok(first);
        }
        Ok(self.unary(spyre::COPY, first, target, None))
    }

    /// Returns the type of a value with one more dimension, of [`BESIDE`] positions. `stick` is the dimension on the stick;
    /// `None` for the new one.
    fn beside(&self, have: &Candidate<'p>, stick: Option<usize>) -> Result<Candidate<'p>, String> {
        let layout = restick::beside(&have.device, stick)?;
        let shape = [have.shape(), &[BESIDE]].concat();
        let format = have.device.format();
        let layout = restick::in_format(layout, have.element, format, Arrangement::Standard)?;
        Ok(self.types.with_layout(&shape, have.element, &layout)?)
    }

    fn reshape(&self, view: View, value: Val<'p>, shape: &[u64]) -> Result<Val<'p>, String> {
        let source = self.types.get(value.r#type())?;
        let layout = view.layout(&source.device, shape);
        let layout = layout.map_err(|err| err.to_string())?;
        let ty = self.types.with_layout(shape, source.element, &layout)?;
        build_reshape(self.context, self.at(), self.location, &view, value, ty.ty)
    }

    fn at(&self) -> At<'p> {
        At::Before(self.before)
    }

    fn unary(
        &self,
        name: &'static str,
        value: Val<'p>,
        result: &Candidate<'p>,
        hints: Option<Attribute<'p>>,
    ) -> Val<'p> {
        let parts = OpParts::named(name, &[value]).with_optional("tile", hints);
        let build = OpBuilder {
            context: self.context,
            at: self.at(),
            location: self.location,
        };
        build.op(parts, result.ty)
    }
}

/// Builds a `tensor.expand_shape` or a `tensor.collapse_shape`.
///
/// # Errors
/// The view is a permutation, or its result no tensor.
pub(super) fn build_reshape<'p>(
    context: &'p Context,
    at: At<'p>,
    location: Location<'p>,
    view: &View,
    value: Val<'p>,
    ty: Type<'p>,
) -> Result<Val<'p>, String> {
    let groups = match view {
        View::Expand(groups) | View::Collapse(groups) => groups,
        View::Permute(_) => return Err("a permutation is no reshape".to_owned()),
    };
    let index = |dim: &usize| -> Result<Attribute<'p>, String> {
        let dim = i64::try_from(*dim).map_err(|err| err.to_string())?;
        Ok(IntegerAttribute::new(IntegerType::new(context, 64).into(), dim).into())
    };
    let group = |dims: &Vec<usize>| -> Result<Attribute<'p>, String> {
        let dims = dims.iter().map(index).collect::<Result<Vec<_>, _>>()?;
        Ok(attr::array(context, &dims))
    };
    let groups = groups.iter().map(group).collect::<Result<Vec<_>, _>>()?;
    let reassociation = attr::array(context, &groups);
    let mut reshape = tensor::collapse_shape(value, reassociation);
    if matches!(view, View::Expand(_)) {
        let ty = RankedTensorType::try_from(ty).map_err(|err| err.to_string())?;
        let mut shape = Vec::with_capacity(ty.rank());
        for dim in 0..ty.rank() {
            match ty.dim_size(dim).map_err(|err| err.to_string())? {
                DimSize::Static(extent) => {
                    shape.push(i64::try_from(extent).map_err(|err| err.to_string())?);
                }
                DimSize::Dynamic => return Err(format!("{ty} has a dynamic extent")),
            }
        }
        let shape = DenseI64ArrayAttribute::new(context, &shape);
        reshape = tensor::expand_shape(value, &[], reassociation, shape.into());
    }
    let build = OpBuilder {
        context,
        at,
        location,
    };
    Ok(build.op(reshape, ty))
}
