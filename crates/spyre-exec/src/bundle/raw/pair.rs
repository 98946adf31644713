//! The arguments of a call of two bundles: the same memory, and for each bundle the runtime sizes that it has.
//!
//! A bundle for one size and a bundle with a runtime size compute the same program, so a runtime size of only one of
//! them is no mistake. A name that neither has is one.

use std::collections::BTreeSet;

use spyre_sim::{Bundle, Rounding};

use super::{
    RawArguments, RawDifference, RawError, RawResult, argument_numbers, call_arguments, size_names,
    with_contents,
};
use crate::sizes::Sizes;

/// The arguments of a call of two bundles.
#[derive(Debug, Clone, Default)]
pub struct RawPair {
    /// The contents and the sizes of the arguments of both, without runtime sizes.
    pub arguments: RawArguments,
    /// The runtime sizes of the first bundle, and of the second one.
    pub sizes: [Sizes; 2],
}

/// Returns the arguments of a call of two bundles. An argument without a size has the larger one of the two; contents
/// that either bundle reads come from the seed, as [`with_contents`] draws them.
///
/// # Errors
/// [`RawError::Arguments`] and [`RawError::SizeOfNeither`]; [`RawError::OfPair`] with an error of [`with_contents`].
pub fn for_both(
    bundles: [&Bundle; 2],
    mut given: RawArguments,
    rounding: Rounding,
) -> Result<RawPair, RawError> {
    let [first, second] = bundles.map(argument_numbers);
    // Without parameters, the error of one bundle says more: its addresses are numbers.
    let have_params = bundles.iter().all(|it| !it.function().params.is_empty());
    if have_params && first != second {
        return Err(RawError::Arguments {
            first: first.into_iter().collect(),
            second: second.into_iter().collect(),
        });
    }
    let sizes = sizes_of_each(bundles, &std::mem::take(&mut given.sizes))?;
    let calls = || bundles.into_iter().zip(&sizes).zip(["first", "second"]);
    let of_pair = |bundle: &'static str| {
        move |reason: RawError| RawError::OfPair {
            bundle,
            reason: Box::new(reason),
        }
    };
    let numbers_with_size: BTreeSet<u32> = given.bytes.keys().copied().collect();
    let mut larger = given.bytes.clone();
    for ((bundle, sizes), position) in calls() {
        given.sizes.clone_from(sizes);
        let arguments = call_arguments(bundle, &given).map_err(of_pair(position))?;
        for (number, argument) in arguments {
            if !given.contents.contains_key(&number) && !numbers_with_size.contains(&number) {
                let bytes = larger.entry(number).or_insert(argument.bytes);
                *bytes = argument.bytes.max(*bytes);
            }
        }
    }
    given.bytes = larger;
    for ((bundle, sizes), position) in calls() {
        given.sizes.clone_from(sizes);
        given = with_contents(bundle, given, rounding).map_err(of_pair(position))?;
    }
    given.sizes.clear();
    Ok(RawPair {
        arguments: given,
        sizes,
    })
}

/// Returns the differences of the arguments that both bundles wrote, by number, in the order of the numbers.
///
/// # Errors
/// [`RawError::Written`]: the bundles write other arguments.
pub fn differences(
    first: &[RawResult],
    second: &[RawResult],
) -> Result<Vec<(u32, RawDifference)>, RawError> {
    let numbers = [first, second]
        .map(|results| -> Vec<u32> { results.iter().map(|result| result.number).collect() });
    let [first_numbers, second_numbers] = numbers;
    if first_numbers != second_numbers {
        return Err(RawError::Written {
            first: first_numbers,
            second: second_numbers,
        });
    }
    let pairs = first.iter().zip(second);
    let differences = pairs.map(|(one, other)| (one.number, RawDifference::between(one, other)));
    Ok(differences.collect())
}

/// Returns the runtime sizes that each bundle has. A value that a bundle lacks is an error of its call.
fn sizes_of_each(bundles: [&Bundle; 2], given: &Sizes) -> Result<[Sizes; 2], RawError> {
    let names = bundles.map(size_names);
    let is_of_neither = |name: &&String| names.iter().all(|names| !names.contains(*name));
    if let Some(name) = given.keys().find(is_of_neither) {
        let [first, second] = names.clone().map(|names| names.into_iter().collect());
        return Err(RawError::SizeOfNeither {
            name: name.clone(),
            first,
            second,
        });
    }
    Ok(names.map(|names| {
        let sizes = given.iter().filter(|(name, _)| names.contains(*name));
        sizes.map(|(name, size)| (name.clone(), *size)).collect()
    }))
}
