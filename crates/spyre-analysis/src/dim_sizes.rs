//! The names that a function declares with their extents, and further names of a dimension:
//! `spyre.dim_sizes = {S = #spyre.dynamic<...>, S_1 = "S"}`.
//!
//! A name identifies the dimension of an operation that a loop cuts. An operation with two dimensions of one dynamic
//! extent, such as the products of all rows with all rows, needs two names for it; the extent is one.

use melior::Context;
use melior::ir::Attribute;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_dialects::names::DIM_SIZES;
use spyre_mlir_rt::ir::{self, Op};

/// Declares names with their extents on a function, in place of its declared ones.
pub fn set_dim_sizes<'p>(
    context: &'p Context,
    function: Op<'p>,
    sizes: &[(String, Attribute<'p>)],
) {
    let sizes: Vec<_> = sizes
        .iter()
        .map(|(name, size)| (name.as_str(), *size))
        .collect();
    ir::set_discardable_attribute(function, DIM_SIZES, attr::dictionary(context, &sizes));
}

/// The names that a function declares, with their further names.
pub struct FurtherNames {
    /// All names that are declared.
    declared: Vec<String>,
    /// Each further name, with the name that has the extent.
    further: Vec<(String, String)>,
    /// The number of further names that the function declares itself.
    declared_count: usize,
}

impl FurtherNames {
    /// Reads the names that a function declares.
    #[must_use]
    pub fn of_function(function: Op<'_>) -> Self {
        let sizes = function.attribute(DIM_SIZES).map(attr::entries);
        // A function need not declare any.
        let sizes = sizes.unwrap_or_default();
        let further = sizes.iter().filter_map(|(name, size)| {
            let of = attr::string(*size)?;
            Some((name.clone(), of))
        });
        let further: Vec<(String, String)> = further.collect();
        Self {
            declared: sizes.iter().map(|(name, _)| name.clone()).collect(),
            declared_count: further.len(),
            further,
        }
    }

    /// Returns the name that has the extent of a name: the name itself, unless it is a further one.
    #[must_use]
    pub fn first<'n>(&'n self, name: &'n str) -> &'n str {
        let entry = self.further.iter().find(|(further, _)| further == name);
        entry.map_or(name, |(_, of)| of)
    }

    /// Returns whether the function declares a name.
    pub fn is_declared(&self, name: &str) -> bool {
        self.declared.iter().any(|entry| entry == name)
    }

    /// Returns all further names, each with the name that has the extent.
    #[must_use]
    pub fn all(&self) -> &[(String, String)] {
        &self.further
    }

    /// Returns a name of the same extent as `name` that is not in `taken`: `name`, a further name of it, or a new one.
    pub fn apart(&mut self, name: &str, taken: &[String]) -> String {
        let entries = self.further.iter().filter(|(_, of)| of == name);
        let mut all = std::iter::once(name).chain(entries.map(|(further, _)| further.as_str()));
        if let Some(free) = all.find(|candidate| !taken.iter().any(|taken| taken == candidate)) {
            return free.to_owned();
        }
        let mut numbers = 1..;
        let fresh = numbers.find_map(|number: u32| {
            let name = format!("{name}_{number}");
            (!self.declared.contains(&name)).then_some(name)
        });
        let fresh = fresh.expect("fewer than 2^32 names are declared");
        self.declared.push(fresh.clone());
        self.further.push((fresh.clone(), name.to_owned()));
        fresh
    }

    /// Names the dimensions of a tensor apart: where a name repeats, its later dimensions have further names.
    pub fn distinct(&mut self, names: &mut [Option<String>]) {
        let mut taken = Vec::with_capacity(names.len());
        for name in names.iter_mut().flatten() {
            *name = self.apart(name, &taken);
            taken.push(name.clone());
        }
    }

    /// Declares the further names that are new on a function.
    pub fn declare<'p>(&self, context: &'p Context, function: Op<'p>) {
        if self.further.len() == self.declared_count {
            return;
        }
        let sizes = function.attribute(DIM_SIZES).map(attr::entries);
        let mut sizes = sizes.expect("what has a further name is declared");
        for (name, of) in &self.further[self.declared_count..] {
            sizes.push((name.clone(), StringAttribute::new(context, of).into()));
        }
        set_dim_sizes(context, function, &sizes);
    }
}
