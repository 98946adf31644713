//! Names and extents of iteration dimensions (SDSC bundle specification, sections 4.1 and 4.2).

use std::borrow::Cow;
use std::fmt;

use spyre_ops::OpClass;

use super::context::Context;
use super::descriptor::{PlannedDim, Role, RuntimeDim};
use super::operand::Operand;
use crate::error::Error;
use crate::expr::Symbol;
use crate::model::IterationDim;
use crate::name::ShortName;

/// A dimension name of the backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are the documentation
pub enum Dim {
    Mb,
    X,
    Y,
    I,
    J,
    Ki,
    Kj,
    Out,
    In,
    /// A name of a descriptor that was planned elsewhere, which planning never gives.
    Other(ShortName),
}

/// The leading names of operations other than matrix products, and the names of added dimensions.
const LEADING: [Dim; 7] = [Dim::Mb, Dim::X, Dim::Y, Dim::I, Dim::J, Dim::Ki, Dim::Kj];
/// The names of the dimensions of a matrix product. A product with fewer dimensions has the last of them.
const MATMUL: [Dim; 7] = [Dim::Ki, Dim::Kj, Dim::Y, Dim::X, Dim::Mb, Dim::Out, Dim::In];

impl Dim {
    /// The names that planning gives.
    const PLANNED: [Self; 9] = [
        Self::Mb,
        Self::X,
        Self::Y,
        Self::I,
        Self::J,
        Self::Ki,
        Self::Kj,
        Self::Out,
        Self::In,
    ];

    /// The dimension of this name, if the name is short enough.
    pub fn named(name: &str) -> Option<Self> {
        let entry = Self::PLANNED.into_iter().find(|dim| dim.as_str() == name);
        entry.or_else(|| ShortName::new(name).map(Self::Other))
    }

    /// The name in layouts and the key of sizes; or the name that planning does not give.
    const fn spelling(&self) -> Result<(&'static str, &'static str), &ShortName> {
        Ok(match self {
            Self::Mb => ("mb", "mb_"),
            Self::X => ("x", "x_"),
            Self::Y => ("y", "y_"),
            Self::I => ("i", "i_"),
            Self::J => ("j", "j_"),
            Self::Ki => ("ki", "ki_"),
            Self::Kj => ("kj", "kj_"),
            Self::Out => ("out", "out_"),
            Self::In => ("in", "in_"),
            Self::Other(name) => return Err(name),
        })
    }

    /// The name in layouts, such as `mb`.
    pub fn as_str(&self) -> &str {
        match self.spelling() {
            Ok((name, _)) => name,
            Err(other) => other.as_str(),
        }
    }

    /// The name in layouts, for keeping; copied only if planning does not give it.
    pub fn name(self) -> Cow<'static, str> {
        match self.spelling() {
            Ok((name, _)) => name.into(),
            Err(other) => other.to_string().into(),
        }
    }

    /// The key of sizes, such as `mb_` (SDSC bundle specification, section 5).
    pub fn size_key(self) -> Cow<'static, str> {
        match self.spelling() {
            Ok((_, key)) => key.into(),
            Err(other) => format!("{other}_").into(),
        }
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The names of the iteration symbols, in order of the space.
pub(super) struct DimNames(Vec<(Symbol, Dim)>);

impl DimNames {
    /// These names, in order of the space.
    pub(super) const fn new(names: Vec<(Symbol, Dim)>) -> Self {
        Self(names)
    }

    /// The symbol of a dimension.
    pub(super) fn symbol_of(&self, dim: Dim) -> Option<&Symbol> {
        self.0.iter().find(|(_, d)| *d == dim).map(|(s, _)| s)
    }

    pub(super) fn dim(&self, symbol: &str) -> Option<Dim> {
        self.0
            .iter()
            .find(|(s, _)| s.as_str() == symbol)
            .map(|(_, dim)| *dim)
    }

    /// The names, in order of the space.
    pub(super) fn in_order(&self) -> impl Iterator<Item = Dim> {
        self.0.iter().map(|(_, dim)| *dim)
    }
}

/// Names position i of the iteration space (SDSC bundle specification, section 4.1).
pub(super) fn name_dims(context: &Context<'_>, class: OpClass) -> Result<DimNames, Error> {
    let space = &context.op.iteration_space;
    let count = space.len();
    let too_many = || context.unsupported(format!("an iteration space of {count} dimensions"));
    let names: Vec<Dim> = if class == OpClass::Matmul {
        let skip = MATMUL.len().checked_sub(count).ok_or_else(too_many)?;
        MATMUL.iter().skip(skip).copied().collect()
    } else {
        let leading = count
            .checked_sub(1)
            .and_then(|n| LEADING.get(..n))
            .ok_or_else(too_many)?;
        leading.iter().copied().chain([Dim::Out]).collect()
    };
    Ok(DimNames(
        space
            .iter()
            .map(|dim| dim.symbol.clone())
            .zip(names)
            .collect(),
    ))
}

/// The iteration space under its names, with the dimensions that planning adds.
pub(super) struct Space {
    pub(super) dims: Vec<PlannedDim>,
    /// Dimensions of the reference operand, innermost first, without added ones.
    pub(super) op_dims: Vec<Dim>,
    /// Stick of the reference operand.
    pub(super) op_stick: Option<Dim>,
    /// The dimension added to operations without a stick.
    pub(super) synthetic_stick: Option<Dim>,
    /// The leading dimension added to casts of one stick dimension.
    pub(super) added_leading: Option<Dim>,
}

impl Space {
    pub(super) fn get(&self, dim: Dim) -> Option<&PlannedDim> {
        self.dims.iter().find(|planned| planned.dim == dim)
    }

    /// Returns a dimension that an operand has. These are named after iteration symbols.
    pub(super) fn planned_dim(&self, dim: Dim) -> &PlannedDim {
        self.get(dim)
            .expect("an operand has dimensions that are iterated over")
    }

    /// Adds a dimension that is not divided at a position, and returns its name.
    fn add(
        &mut self,
        context: &Context<'_>,
        position: usize,
        name: Option<Dim>,
        extent: u64,
    ) -> Result<Dim, Error> {
        let count = context.op.iteration_space.len();
        let name = name
            .filter(|name| self.get(*name).is_none())
            .ok_or_else(|| {
                context.unsupported(format!("a dimension added to {count} dimensions"))
            })?;
        self.dims.insert(
            position,
            PlannedDim {
                dim: name,
                extent,
                slices: 1,
                runtime: None,
            },
        );
        Ok(name)
    }

    /// Like [`planned_dim`](Self::planned_dim), for change.
    pub(super) fn of_mut(&mut self, dim: Dim) -> &mut PlannedDim {
        let mut dims = self.dims.iter_mut();
        dims.find(|planned| planned.dim == dim)
            .expect("an operand has dimensions that are iterated over")
    }
}

/// The dimensions of the operation under their names.
fn named_dims(
    context: &Context<'_>,
    names: &DimNames,
    operands: &[Operand],
) -> Result<Vec<PlannedDim>, Error> {
    let indirect = operands.iter().any(|operand| operand.role != Role::Plain);
    let mut dims = Vec::new();
    for dim in &context.op.iteration_space {
        let name = names
            .dim(dim.symbol.as_str())
            .ok_or_else(|| context.inconsistent("unnamed dimension"))?;
        let (extent, runtime) = extent_of(context, dim)?;
        // A stated mapping is of all cores, so it cannot be cut down to one.
        if indirect && dim.slices > 1 && context.op.core_id_to_work_slice.is_some() {
            return Err(context.unsupported(format!(
                "the {} of a gather is divided into {} slices, but a gather runs on one core; divide it into 1",
                dim.symbol, dim.slices
            )));
        }
        dims.push(PlannedDim {
            dim: name,
            extent,
            // Gathers run on one core.
            slices: if indirect { 1 } else { dim.slices },
            runtime,
        });
    }
    Ok(dims)
}

/// Builds the space and adds dimensions (a), (b) and (c) of section 4.2; (c) also extends the output operand.
pub(super) fn iteration_space(
    context: &Context<'_>,
    class: OpClass,
    names: &DimNames,
    operands: &mut [Operand],
) -> Result<Space, Error> {
    let dims = named_dims(context, names, operands)?;
    let reference = if context.op.is_reduction {
        operands.first()
    } else {
        operands.last()
    };
    let reference = reference.ok_or_else(|| context.inconsistent("no operands"))?;
    let mut space = Space {
        op_dims: reference.dims.clone(),
        op_stick: reference.stick,
        dims,
        synthetic_stick: None,
        added_leading: None,
    };
    let count = space.dims.len();
    let stick_only = space.op_stick.is_some() && space.op_dims.iter().copied().eq(space.op_stick);
    if stick_only && (class == OpClass::Cast || context.op.op == "qfp8ch") {
        space.added_leading = Some(space.add(context, 0, Some(Dim::Mb), 1)?);
    }
    if space.op_stick.is_none() {
        // Among formats of different widths, the widest decides, since its sticks have the fewest elements. Sticks of
        // indices have a separate rule (contract, K44).
        let keeps_indices_apart = context.revision.keeps_sticks_of_indices_apart();
        let data = operands
            .iter()
            .filter(|operand| !(keeps_indices_apart && matches!(operand.role, Role::Index { .. })));
        let sticks = data.map(|operand| operand.per_stick.get());
        let extent = sticks.min().expect("an operation has operands");
        let position = space.dims.len();
        let name = space.add(context, position, LEADING.get(count).copied(), extent)?;
        space.synthetic_stick = Some(name);
    }
    if class == OpClass::TopK
        && context.revision.extends_topk()
        && let [input, .., output] = operands
        && output.dims.iter().all(|dim| input.dims.contains(dim))
    {
        let position = space.dims.len();
        let name = space.add(context, position, LEADING.get(position).copied(), 1)?;
        output.dims.push(name);
        // A tensor with one element per stick has the added dimension, of extent 1, on its stick.
        if space.synthetic_stick.is_none() {
            output.stick = output.stick.or(Some(name));
        }
    }
    if class == OpClass::Matmul {
        round_up_k(context, operands, &mut space)?;
    }
    Ok(space)
}

/// The extent of a dimension; runtime sizes count with their maximum (SDSC bundle specification, section 4.1).
pub(super) fn extent_of(
    context: &Context<'_>,
    dim: &IterationDim,
) -> Result<(u64, Option<RuntimeDim>), Error> {
    if let Some(symbol) = dim.extent.as_symbol() {
        let bounds = *context
            .op
            .symbolic_dim_bounds
            .get(symbol.as_str())
            .ok_or_else(|| {
                context.inconsistent(format!(
                    "extent {symbol} of {} is a runtime size without bounds",
                    dim.symbol
                ))
            })?;
        return Ok((
            bounds.max,
            Some(RuntimeDim {
                symbol: symbol.clone(),
                bounds,
            }),
        ));
    }
    if !dim.extent.symbols().is_empty() {
        return Err(context.unsupported(format!("extent `{}` of {}", dim.extent, dim.symbol)));
    }
    let extent = dim
        .extent
        .eval(|_| None)
        .map_err(|error| context.expr(error))?;
    let extent = u64::try_from(extent).map_err(|_| {
        context.inconsistent(format!("extent {extent} of {} is negative", dim.symbol))
    })?;
    Ok((extent, None))
}

/// Rounds the contracted dimension of a matrix multiplication up to whole sticks of the second operand (SDSC bundle
/// specification, section 4.2).
fn round_up_k(context: &Context<'_>, operands: &[Operand], space: &mut Space) -> Result<(), Error> {
    let [left, kernel, .., output] = operands else {
        return Err(context.inconsistent(format!(
            "{} operands for a matrix multiplication",
            operands.len()
        )));
    };
    let contracted = || {
        let dims = kernel.dims.iter();
        dims.filter(|dim| kernel.stick != Some(**dim) && !output.dims.contains(dim))
    };
    // Windows may have dimensions of one element that only they run along, and both operands may be windows.
    let on_stick = contracted().find(|dim| left.stick == Some(**dim));
    let both = || contracted().find(|dim| left.dims.contains(dim));
    if let Some(dim) = on_stick.or_else(both).or_else(|| contracted().next()) {
        let k = space.of_mut(*dim);
        k.extent = context.round_up(
            k.extent,
            kernel.per_stick.get(),
            format_args!("operand 1: a padded extent along {dim}, which is contracted,"),
        )?;
    }
    Ok(())
}
