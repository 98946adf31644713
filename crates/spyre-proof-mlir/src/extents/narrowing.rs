//! Dynamic extents that passes have narrowed: to coarser multiples, to a lower maximum, or to one number.
//!
//! Two programs are compared for the extents that the later one takes. The report names them, since the proof is about
//! no other extents of the program before.

use spyre_dialects::attr;
use spyre_dialects::names::DIM_SIZES;
use spyre_mlir_rt::ir::{self, Op};
use spyre_proof::expr::{Expr, Var};
use spyre_proof::program::{Def, Extent, Param, ParamId, Program};

/// The extents for which two programs are compared.
#[derive(Debug)]
pub(crate) struct Narrowing {
    /// The dynamic extents of the program before, with the values that both take.
    pub(crate) params: Vec<Param>,
    /// For each of them, whether the later program has a number for it.
    is_number: Vec<bool>,
    /// The ranges that differ, of both programs.
    pub(crate) ranges: Vec<String>,
}

/// Returns the extents for which a function is compared with the one before; `None` if both have the same, or if the
/// later function does not declare one.
///
/// # Errors
/// The later function takes an extent that the one before does not: its range, and that of the one before.
pub(crate) fn narrowing(
    after: Op<'_>,
    of_before: &[Param],
    of_after: &[Param],
) -> Result<Option<Narrowing>, String> {
    let declared = ir::attribute(after, DIM_SIZES).into_iter();
    let numbers: Vec<(String, i64)> = declared
        .flat_map(attr::entries)
        .filter_map(|(name, value)| Some((name, attr::integer(value)?)))
        .collect();
    let mut narrowing = Narrowing {
        params: Vec::new(),
        is_number: Vec::new(),
        ranges: Vec::new(),
    };
    for param in of_before {
        let dynamic = of_after.iter().find(|other| other.name == param.name);
        let number = numbers.iter().find(|(name, _)| *name == param.name);
        let (other, is_number) = match (dynamic, number) {
            (Some(other), _) => (other.clone(), false),
            (None, Some((name, number))) => (
                Param {
                    name: name.clone(),
                    granularity: *number,
                    maximum: *number,
                },
                true,
            ),
            (None, None) => return Ok(None),
        };
        let range = format!(
            "'{}' is {}, and {} before",
            param.name,
            values(&other),
            values(param)
        );
        let is_taken = other.granularity > 0
            && other.granularity % param.granularity == 0
            && other.maximum <= param.maximum;
        if !is_taken {
            return Err(range);
        }
        if is_number || other != *param {
            narrowing.ranges.push(range);
        }
        narrowing.params.push(other);
        narrowing.is_number.push(is_number);
    }
    Ok((!narrowing.ranges.is_empty()).then_some(narrowing))
}

/// Returns the values of a dynamic extent as text.
fn values(param: &Param) -> String {
    let Param {
        granularity,
        maximum,
        ..
    } = param;
    match granularity == maximum {
        true => maximum.to_string(),
        false => format!("a multiple of {granularity} up to {maximum}"),
    }
}

impl Narrowing {
    /// Puts numbers in the place of the extents that have one. The program has been read with the parameters.
    pub(crate) fn apply(&self, program: &mut Program) {
        let mut ids: Vec<Option<ParamId>> = Vec::new();
        let mut params = Vec::new();
        for (param, is_number) in self.params.iter().zip(&self.is_number) {
            ids.push((!is_number).then(|| ParamId::new(params.len())));
            if !is_number {
                params.push(param.clone());
            }
        }
        // An extent of one value is its granularity, once.
        let of = |var: Var| match var {
            Var::Param(id) => {
                Some(ids[id.index()].map_or_else(|| Expr::from(1), |id| Expr::from(Var::Param(id))))
            }
            _ => None,
        };
        let extent = |extent: &mut Extent| {
            if let Extent::Dynamic(id) = *extent {
                let number = Extent::Fixed(self.params[id.index()].maximum);
                *extent = ids[id.index()].map_or(number, Extent::Dynamic);
            }
        };
        let exprs = |exprs: &mut Vec<Expr>| {
            for expr in exprs {
                *expr = expr.substituted(&of);
            }
        };
        for value in &mut program.values {
            value.shape.iter_mut().for_each(extent);
            match &mut value.def {
                Def::Slice { offsets, .. } | Def::Insert { offsets, .. } => exprs(offsets),
                Def::View { index, .. } => exprs(index),
                _ => {}
            }
        }
        for of in &mut program.loops {
            extent(&mut of.upper);
        }
        for statement in &mut program.statements {
            statement.space.iter_mut().for_each(extent);
            for access in statement.operands.iter_mut().chain(&mut statement.results) {
                exprs(&mut access.index);
            }
        }
        program.params = params;
    }
}
