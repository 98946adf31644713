//! Calls of functions with dynamic dimensions.
//!
//! The arguments of such a function name the dimensions, as in every function. A call has the names of its results'
//! dimensions: `res_attrs = [{spyre.dims = ["S", "D"]}]`, an entry for each result.

use melior::Context;
use melior::ir::Attribute;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_dialects::names::DIMS;
use spyre_mlir_rt::ir::{self, Op, Val};

use super::extents::{Extent, Extents};
use crate::dim_sizes::FurtherNames;
use crate::names::placeholder;

/// The attribute of a call with the attributes of its results.
const RESULTS: &str = "res_attrs";

/// Names the dimensions of the operands and results of a call of a function outlined from `function`, where they are
/// dynamic dimensions of `function`. A dimension that a tensor has twice gets an alias in both functions.
pub fn name<'p>(
    context: &'p Context,
    function: Op<'p>,
    callee: Op<'p>,
    call: Op<'p>,
    extents: &Extents,
) {
    let mut further = FurtherNames::of_function(function);
    let mut names = |value: Val<'p>| {
        let shape = extents.shape(value).unwrap_or_default();
        let open = shape.iter().map(|extent| match *extent {
            Extent::Static(_) => None,
            Extent::Dynamic(symbol) => Some(extents.name(symbol)),
        });
        let mut open: Vec<Option<String>> = open.collect();
        further.distinct(&mut open);
        let is_open = open.iter().any(Option::is_some);
        let names = open.into_iter().zip(shape).map(|(open, extent)| {
            let name = open.unwrap_or_else(|| placeholder(extent.encoded()));
            StringAttribute::new(context, &name).into()
        });
        is_open.then(|| attr::array(context, &names.collect::<Vec<Attribute<'p>>>()))
    };
    for (number, operand) in call.operands().enumerate() {
        if ir::argument_attribute(callee, number, DIMS).is_none()
            && let Some(names) = names(operand)
        {
            ir::set_argument_attribute(callee, number, DIMS, names);
        }
    }
    let named: Vec<Option<Attribute<'p>>> = ir::results(call).map(names).collect();
    if named.iter().any(Option::is_some) {
        let results = named.into_iter().map(|names| {
            let names = names.map(|names| (DIMS, names));
            attr::dictionary(context, names.as_slice())
        });
        let results: Vec<Attribute<'p>> = results.collect();
        ir::set_attribute(call, RESULTS, attr::array(context, &results));
    }
    further.declare(context, function);
    further.declare(context, callee);
}

/// Returns the names of the dimensions of a result of a call, outermost first; none, where the call has none.
pub(super) fn names_of_result(call: Op<'_>, number: usize) -> Vec<Option<String>> {
    let results = call.attribute(RESULTS).map(attr::elements);
    let result = results.unwrap_or_default().get(number).copied();
    let entries = result.map(attr::entries).unwrap_or_default().into_iter();
    let names = entries.filter(|(name, _)| name == DIMS);
    let names = names.flat_map(|(_, names)| attr::elements(names));
    names.map(attr::string).collect()
}
