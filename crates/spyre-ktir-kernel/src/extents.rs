//! The arguments of a kernel that are dynamic extents.

use melior::ir::{Attribute, TypeLike as _, ValueLike as _};
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op};
use spyre_plan::DynamicExtent;
use thiserror::Error;

use crate::{EXTENT_NAMES, EXTENTS};

/// An argument that is a dynamic extent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// The number of the argument.
    pub argument: usize,
    /// The extents that a launch may choose.
    pub bounds: DynamicExtent,
    /// The name of the dimension in the program, if the kernel states names.
    pub name: Option<String>,
}

/// The reason why attributes state no extents.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ExtentsError {
    /// The attribute is no list.
    #[error("`{EXTENTS}` is a list of [argument, granularity, maximum], got {0}")]
    List(String),
    /// An entry is no list of three integers.
    #[error(
        "entry {place} of `{EXTENTS}` is [argument, granularity, maximum], three integers, got {text}"
    )]
    Entry {
        /// The place in the list.
        place: usize,
        /// The entry.
        text: String,
    },
    /// An entry about no argument that may be an extent.
    #[error(
        "entry {place} of `{EXTENTS}` is about argument {argument}, which is no argument of type index"
    )]
    Argument {
        /// The place in the list.
        place: usize,
        /// The number of the argument.
        argument: i64,
    },
    /// Two entries about one argument.
    #[error(
        "entry {place} of `{EXTENTS}` is about argument {argument}, and an entry before it as well"
    )]
    Twice {
        /// The place in the list.
        place: usize,
        /// The number of the argument.
        argument: i64,
    },
    /// Bounds that no extent has.
    #[error(
        "argument {argument} is a multiple of {granularity} up to {maximum} in `{EXTENTS}`; both are positive, and the \
         granularity divides the maximum"
    )]
    Bounds {
        /// The number of the argument.
        argument: i64,
        /// The number that divides the extent.
        granularity: i64,
        /// The largest extent.
        maximum: i64,
    },
    /// Names that are no names of the extents.
    #[error(
        "`{EXTENT_NAMES}` is a list of {count} different strings, the names of `{EXTENTS}`, got {text}"
    )]
    Names {
        /// The number of extents.
        count: usize,
        /// The attribute.
        text: String,
    },
}

/// Returns the dynamic extents of a kernel.
///
/// # Errors
/// Attributes that state no extents.
pub fn extents(function: Op<'_>) -> Result<Vec<Extent>, ExtentsError> {
    let mut extents: Vec<Extent> = Vec::new();
    if let Some(attribute) = ir::attribute(function, EXTENTS) {
        let entries = attr::elements(attribute);
        if entries.is_empty() && attribute.to_string() != "[]" {
            return Err(ExtentsError::List(attribute.to_string()));
        }
        for (place, entry) in entries.into_iter().enumerate() {
            let extent = extent(function, place, entry)?;
            if extents.iter().any(|it| it.argument == extent.argument) {
                let argument = extent.argument as i64;
                return Err(ExtentsError::Twice { place, argument });
            }
            extents.push(extent);
        }
    }
    if let Some(attribute) = ir::attribute(function, EXTENT_NAMES) {
        let names = names(attribute).filter(|names| names.len() == extents.len());
        let names = names.ok_or_else(|| ExtentsError::Names {
            count: extents.len(),
            text: attribute.to_string(),
        })?;
        for (extent, name) in extents.iter_mut().zip(names) {
            extent.name = Some(name);
        }
    }
    Ok(extents)
}

/// Reads an entry of the list.
fn extent(function: Op<'_>, place: usize, entry: Attribute<'_>) -> Result<Extent, ExtentsError> {
    let numbers = attr::elements(entry).into_iter().map(attr::integer);
    let numbers: Option<Vec<i64>> = numbers.collect();
    let Some(&[argument, granularity, maximum]) = numbers.as_deref() else {
        let text = entry.to_string();
        return Err(ExtentsError::Entry { place, text });
    };
    let number = usize::try_from(argument).ok().filter(|number| {
        let body = ir::function_body(function);
        let value = body.and_then(|body| ir::arguments(body).nth(*number));
        value.is_some_and(|value| value.r#type().is_index())
    });
    let number = number.ok_or(ExtentsError::Argument { place, argument })?;
    let bounds = [granularity, maximum].map(u64::try_from);
    let bounds = match bounds {
        [Ok(granularity), Ok(maximum)] => DynamicExtent::new(granularity, maximum),
        _ => None,
    };
    let bounds = bounds.ok_or(ExtentsError::Bounds {
        argument,
        granularity,
        maximum,
    });
    Ok(Extent {
        argument: number,
        bounds: bounds?,
        name: None,
    })
}

/// Reads a list of different strings; `None` for any other attribute.
fn names(attribute: Attribute<'_>) -> Option<Vec<String>> {
    let names = attr::elements(attribute).into_iter().map(attr::string);
    let names: Vec<String> = names.collect::<Option<_>>()?;
    if names.is_empty() && attribute.to_string() != "[]" {
        return None; // no list
    }
    let is_twice = |(at, name): (usize, &String)| names[..at].contains(name);
    (!names.iter().enumerate().any(is_twice)).then_some(names)
}
