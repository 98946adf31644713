//! Dynamic extents: dimensions whose extents a launch chooses.
//!
//! A planned program has room for the largest extent of a dynamic dimension, `#spyre.dynamic`, and loops over its tiles
//! up to the extent, `spyre.dim_size`. The kernel has an argument of type `index` for each such dimension, after the
//! addresses of results. An input or a result with the dimension has as many elements as the launch states, and not the
//! room: its strides are products of extents. The pool keeps the room.
//!
//! The extent is a multiple of the granularity and at most the maximum, as a bundle has it, so that tiles are whole. The
//! attribute `extents` of the kernel states both: `[[2, 16, 512]]` for argument 2, a multiple of 16, at most 512. The
//! attribute `extent_names` has the names of the dimensions, by which a run for the program finds the extents.

use melior::ir::ValueLike;
use spyre_analysis::dynamic::tiled::check_tiled;
use spyre_analysis::dynamic::{DynamicDims, SymbolId};
use spyre_dialects::attr::{self, Place};
use spyre_dialects::hint::{self, DimName};
use spyre_dialects::names::DIMS;
use spyre_layout::DeviceTensor;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, Val};

use crate::area::{self, Axis};
use crate::division::Part;
use crate::step::{Entry, Trips};
use crate::{PASS, error};

/// A dynamic dimension in the kernel.
#[derive(Debug, Clone)]
pub(crate) struct Extent {
    /// The dimension.
    pub symbol: SymbolId,
    /// The name of the dimension.
    pub name: String,
    /// The number that divides the extent.
    pub granularity: u64,
    /// The largest extent.
    pub max: u64,
}

/// The dynamic dimensions of a program.
#[derive(Debug)]
pub(crate) struct Extents {
    dims: DynamicDims,
    /// The extents that a launch chooses, in the order of the arguments of the kernel.
    pub all: Vec<Extent>,
    /// The dynamic dimension that each dimension of an input or result is.
    arguments: Vec<Vec<Option<SymbolId>>>,
}

impl Extents {
    /// Reads the dynamic dimensions that the arguments of a function have.
    ///
    /// # Errors
    /// An operation works on all elements that there may be.
    pub(crate) fn of_function<'p>(function: Op<'p>, body: Blk<'p>) -> Result<Self, Diagnostic<'p>> {
        let dims = DynamicDims::of_function(function, body)?;
        check_tiled(function, body, &dims, PASS)?;
        let mut arguments = Vec::new();
        for (number, argument) in ir::arguments(body).enumerate() {
            let shape = spyre_analysis::dynamic::shape(argument.r#type()).unwrap_or_default();
            let names = ir::argument_attribute(function, number, DIMS).map(attr::elements);
            let names = names.unwrap_or_default();
            let symbols = (0..shape.len()).map(|dim| {
                let names = hint::dim_names(*names.get(dim)?).unwrap_or_default();
                let symbol = names.iter().find_map(|name| match name {
                    DimName::Whole(name) => dims.named(name),
                    DimName::Merged(_) => None,
                });
                // One possible extent is a number.
                symbol.filter(|symbol| !dims.symbol(*symbol).extent.is_single())
            });
            arguments.push(symbols.collect());
        }
        let mut extents = Self {
            dims,
            all: Vec::new(),
            arguments,
        };
        for position in 0..extents.dims.symbols().len() {
            let symbol = SymbolId::new(u32::try_from(position).expect("dimensions are few"));
            let has = |of: &Vec<Option<SymbolId>>| of.contains(&Some(symbol));
            if extents.arguments.iter().any(has) {
                let dim = extents.dims.symbol(symbol);
                let (name, extent) = (dim.name.clone(), dim.extent);
                extents.all.push(Extent {
                    symbol,
                    name,
                    granularity: extent.granularity(),
                    max: extent.max(),
                });
            }
        }
        Ok(extents)
    }

    /// Returns the iterations of a loop up to a dynamic extent; `None` for another bound.
    ///
    /// # Errors
    /// Tiles that do not divide the granularity, and an extent that no argument has.
    pub(crate) fn trips<'p>(
        &self,
        op: Op<'p>,
        bound: Val<'p>,
        step: u64,
    ) -> Result<Option<Trips>, Diagnostic<'p>> {
        let Some(symbol) = self.dims.of_index(bound) else {
            return Ok(None);
        };
        let dim = self.dims.symbol(symbol);
        let (name, max, granularity) = (&dim.name, dim.extent.max(), dim.extent.granularity());
        if !granularity.is_multiple_of(step) {
            let message = format!(
                "loop visits \"{name}\" in steps of {step}, but its extent is any multiple of {granularity} up to {max}"
            );
            return Err(error(op, message));
        }
        let is_chosen = self.all.iter().any(|extent| extent.symbol == symbol);
        if !is_chosen && !dim.extent.is_single() {
            let message = format!(
                "loop runs up to the extent of \"{name}\", but 'spyre.dims' of no argument has that name, so that no launch \
                 knows it"
            );
            return Err(error(op, message));
        }
        Ok(Some(Trips {
            most: max / step,
            step,
            symbol: is_chosen.then_some(symbol),
        }))
    }

    /// Returns the number of a dynamic dimension among the extents of the kernel, and its granularity.
    pub(crate) fn of(&self, symbol: SymbolId) -> (usize, u64) {
        let number = self.all.iter().position(|extent| extent.symbol == symbol);
        let number = number.expect("each dynamic dimension of an argument has an extent");
        (number, self.all[number].granularity)
    }

    /// Adds the results. Loops over a dynamic dimension store them in tiles along the dimension.
    ///
    /// # Errors
    /// Tiles that go along no dimension with room for the extent.
    pub(crate) fn add_results<'p>(
        &mut self,
        entries: &[Entry<'p>],
        results: usize,
    ) -> Result<(), Diagnostic<'p>> {
        let inputs = self.arguments.len();
        self.arguments.resize(inputs + results, Vec::new());
        for entry in entries {
            let tensor = entry
                .step
                .tensors
                .last()
                .expect("an operation has a result");
            let operand = &tensor.operand;
            let Place::Arg(number) = operand.place else {
                continue;
            };
            let number = number as usize;
            if number < inputs {
                continue;
            }
            let shape = operand.buffer.shape();
            let symbols = &mut self.arguments[number];
            symbols.resize(shape.len(), None);
            for (trips, &advance) in entry.trips.iter().zip(&operand.advance) {
                let Some(symbol) = trips.symbol.filter(|_| advance != 0) else {
                    continue;
                };
                let dim = dim_along(&operand.buffer.device, advance);
                let dim = dim.filter(|dim| shape[*dim] == self.dims.symbol(symbol).extent.max());
                let Some(dim) = dim else {
                    let name = &self.dims.symbol(symbol).name;
                    let message = format!(
                        "tiles of \"{name}\" of result {} go along no dimension with room for it",
                        number - inputs
                    );
                    return Err(error(entry.op, message));
                };
                symbols[dim] = Some(symbol);
            }
        }
        Ok(())
    }

    /// Returns the dynamic dimensions of a buffer; `None` if it has none.
    pub(crate) fn of_place(&self, place: Place) -> Option<&[Option<SymbolId>]> {
        let Place::Arg(number) = place else {
            return None;
        };
        let symbols = self.arguments.get(number as usize)?;
        symbols.iter().any(Option::is_some).then_some(symbols)
    }
}

/// Returns the dimension of a tensor along which a distance of device elements goes.
fn dim_along(device: &DeviceTensor, distance: u64) -> Option<usize> {
    let axes = whole(device).ok()?;
    let digits = digits(&axes, distance)?;
    let moved = axes.iter().zip(digits).filter(|(_, digit)| *digit != 0);
    let dims: Vec<_> = moved.map(|(axis, _)| axis.dim).collect();
    match dims[..] {
        [dim] => dim,
        _ => None,
    }
}

/// Returns the device dimensions of a whole tensor.
///
/// # Errors
/// Elements in another order than the usual one.
pub(crate) fn whole(device: &DeviceTensor) -> Result<Vec<Axis>, String> {
    let parts: Vec<Part> = device
        .shape()
        .iter()
        .map(|extent| Part::whole(*extent))
        .collect();
    area::axes(&device.view(), &parts)
}

/// Returns the position along each device dimension of an element of a tensor; `None` if no position has it.
pub(crate) fn digits(axes: &[Axis], element: u64) -> Option<Vec<u64>> {
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(axes[at].stride));
    let mut digits = vec![0; axes.len()];
    let mut rest = element;
    for at in order {
        digits[at] = rest / axes[at].stride;
        rest %= axes[at].stride;
        if digits[at] >= axes[at].extent {
            return None;
        }
    }
    (rest == 0).then_some(digits)
}
