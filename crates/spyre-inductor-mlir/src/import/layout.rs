//! Layouts of buffers, and expressions of symbols.

use std::rc::Rc;

use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{AffineMap, Attribute, ShapedTypeLike, Type};
use spyre_construct::affine;
use spyre_dialects::inductor_attr::{Layout, LayoutKind};
use spyre_index_expr::{Expr, Var};
use spyre_inductor::{names, schema};
use spyre_mlir_rt::ir;

use super::super::table::LAYOUTS;
use super::super::types;
use super::path::Path;
use super::{Import, Result, error};

impl<'p> Import<'p> {
    /// Returns the type of a buffer.
    pub(super) fn buffer_type(
        &mut self,
        path: &Path<'_>,
        layout: &schema::Layout,
    ) -> Result<Type<'p>> {
        if let Some(ty) = self.memos.types.get(layout) {
            return Ok(ty);
        }
        let kind = LAYOUTS.iter().find(|(kind, _)| *kind == layout.kind);
        let Some((_, kind)) = kind else {
            return error(
                path.field("kind"),
                format!("{:?} is no tensor", layout.kind),
            );
        };
        let (Some(dtype), Some(size), Some(stride)) = (&layout.dtype, &layout.size, &layout.stride)
        else {
            return error(
                path,
                "the layout of a tensor must have dtype, size and stride",
            );
        };
        let element = self.element(&path.field("dtype"), dtype)?;
        if size.len() != stride.len() {
            let message = format!(
                "there are {} strides, but {} dimensions",
                stride.len(),
                size.len()
            );
            return error(path.field("stride"), message);
        }
        if let Some(device) = &layout.device {
            match &self.device {
                Some(other) if other != device => {
                    let message = format!("'{device}', and other buffers are on '{other}'");
                    return error(path.field("device"), message);
                }
                _ => self.device = Some(device.clone()),
            }
        }
        let attribute = self.layout(path, *kind, layout)?;
        let dims = self.exprs(&path.field("size"), size)?;
        let shape: Vec<u64> = dims
            .iter()
            .map(|extent| match extent.as_constant() {
                Some(extent) => u64::try_from(extent)
                    .or_else(|_| error(path.field("size"), "an extent is negative")),
                None => Ok(RankedTensorType::dynamic_stride_or_offset().cast_unsigned()),
            })
            .collect::<Result<_, _>>()?;
        let ty = RankedTensorType::new(&shape, element, Some(attribute)).into();
        self.memos.types.insert(layout.clone(), ty);
        Ok(ty)
    }

    /// Returns the type of a buffer by its number.
    pub(super) fn lowered_type(&mut self, number: usize) -> Result<Type<'p>> {
        let head = Rc::clone(&self.head);
        let buffers = Path::Root.field("buffers");
        let buffer = buffers.item(number);
        self.buffer_type(&buffer.field("lowered"), &head.buffers[number].lowered)
    }

    fn layout(
        &self,
        path: &Path<'_>,
        kind: LayoutKind,
        layout: &schema::Layout,
    ) -> Result<Attribute<'p>> {
        let one = |expr: &Option<schema::Expr>, field: &str| {
            let expr = expr.as_ref().unwrap_or(&schema::Expr::Number(0));
            self.size_map(&path.field(field), std::slice::from_ref(expr))
        };
        let list = |exprs: &Option<Vec<schema::Expr>>, field: &str| {
            self.size_map(&path.field(field), exprs.as_deref().unwrap_or_default())
        };
        let size = list(&layout.size, "size")?;
        let attribute = Layout {
            kind,
            stride: list(&layout.stride, "stride")?,
            size: (size.symbol_count() > 0).then_some(size),
            offset: one(&layout.offset, "offset")?,
            base_offset: one(&layout.base_offset, "base_offset")?,
        };
        let attribute = attribute.attribute(self.context);
        attribute.map_or_else(|| error(path, "this layout breaks rule IN1 or IN2"), Ok)
    }

    /// Returns the element type of a name.
    pub(super) fn element(&self, path: &Path<'_>, name: &str) -> Result<Type<'p>> {
        let element = types::element(self.context, name);
        element.map_or_else(|| error(path, types::unknown(name)), Ok)
    }

    /// Returns the map of some expressions of symbols as an attribute.
    pub(super) fn sizes(&self, path: &Path<'_>, exprs: &[schema::Expr]) -> Result<Attribute<'p>> {
        Ok(ir::affine_map_attribute(self.size_map(path, exprs)?))
    }

    /// Returns the map of some expressions of symbols.
    pub(super) fn size_map(
        &self,
        path: &Path<'_>,
        exprs: &[schema::Expr],
    ) -> Result<AffineMap<'p>> {
        self.memos.sizes.try_of(exprs, || {
            let exprs = self.exprs(path, exprs)?;
            affine::sizes(self.context, &exprs).or_else(|err| error(path, err))
        })
    }

    fn exprs(&self, path: &Path<'_>, exprs: &[schema::Expr]) -> Result<Vec<Expr>> {
        exprs
            .iter()
            .map(|expr| {
                names::read(expr, &|name| self.symbol(name)).or_else(|err| error(path, err))
            })
            .collect()
    }

    /// Returns the symbol of a name.
    pub(super) fn symbol(&self, name: &str) -> Option<Var> {
        let mut symbols = self.head.symbols.iter();
        let number = symbols.position(|symbol| symbol.name == name)?;
        Some(Var::Symbol(u32::try_from(number).ok()?))
    }
}

/// Returns the extents of a tensor as types are built with them: one that is symbolic is MLIR's mark of a dynamic extent.
pub(in super::super) fn extents(tensor: RankedTensorType<'_>) -> Vec<u64> {
    let dynamic = RankedTensorType::dynamic_stride_or_offset().cast_unsigned();
    (0..tensor.rank())
        .map(|dim| match tensor.dim_size(dim) {
            Ok(DimSize::Static(extent)) => extent,
            _ => dynamic,
        })
        .collect()
}

/// Returns the layout of a buffer.
pub(in super::super) fn own_layout<'p>(ty: Type<'p>) -> Option<Layout<'p>> {
    let tensor = RankedTensorType::try_from(ty).ok()?;
    Layout::read(tensor.encoding()?)
}

/// Returns whether a buffer has some extents.
pub(super) fn has_extents<'p>(ty: Type<'p>, layout: Layout<'p>, size: AffineMap<'p>) -> bool {
    if layout.size.is_some() {
        return layout.size == Some(size);
    }
    let Ok(tensor) = RankedTensorType::try_from(ty) else {
        return false;
    };
    let extents = extents(tensor);
    extents.len() == size.result_count()
        && extents.iter().enumerate().all(|(dim, extent)| {
            let other = size.result(dim).expect("the number is below the count");
            other.is_constant() && u64::try_from(other.constant_value()) == Ok(*extent)
        })
}
