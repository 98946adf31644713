//! Names that the user declares and expects, and the attributes in which found names are written.

use std::rc::Rc;

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Location, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::dynamic::dynamic_extent;
use spyre_dialects::hint::{self, DimName as Written};
use spyre_dialects::names::{
    DIM_SIZES, DIMS, EXPECTED_DIMS, EXPECTED_REDUCTION_DIMS, REDUCTION_DIMS,
};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_plan::DynamicExtent;

use super::factors::{self, DimName, Factor, Factors, Name};
use super::problems::Problem;
use super::{DimNames, FurtherNames, Names, UNTRACKED, extent_of, shape, untracked};

/// The extent that a function declares for a name.
#[derive(Debug, Clone, Copy)]
pub(super) enum Size {
    /// The number of elements.
    Static(u64),
    /// The range of a dynamic extent.
    Dynamic(DynamicExtent),
}

impl Size {
    /// Returns the extent, in elements, of a tensor that has room for the dimension.
    fn room(self) -> u64 {
        match self {
            Self::Static(extent) => extent,
            Self::Dynamic(extent) => extent.max(),
        }
    }
}

impl<'p> Names<'p> {
    /// Reads the declarations of a function: extents of names, and the names of its arguments.
    pub(super) fn declare(&mut self, function: Op<'p>) {
        if let Ok(sizes) = function.attribute(DIM_SIZES) {
            let sizes = attr::entries(sizes).into_iter().filter_map(|(name, size)| {
                let size = match dynamic_extent(size) {
                    Some(extent) => Size::Dynamic(extent),
                    // An entry that is no number is a further name.
                    None => {
                        let extent = u64::try_from(attr::integer(size)?);
                        Size::Static(extent.expect("declared extents are positive (SD11)"))
                    }
                };
                Some((self.intern(&name), size))
            });
            let mut sizes: FxHashMap<Name, Size> = sizes.collect();
            for (name, of) in FurtherNames::of_function(function).all() {
                let (name, of) = (self.intern(name), self.intern(of));
                let size = *sizes.get(&of).expect("checked by the verifier");
                sizes.insert(name, size);
                self.further.insert(name, of);
            }
            self.sizes = Some(sizes);
        }
        let Some(body) = ir::function_body(function) else {
            return;
        };
        for index in 0..body.argument_count() {
            let Some(declared) = ir::argument_attribute(function, index, DIMS) else {
                continue;
            };
            let argument = body.argument(index);
            let argument: Val<'p> = argument.expect("the number is below the count").into();
            self.declare_value(argument, declared, argument.location());
        }
    }

    /// Returns the names that an operation declares for its result; `None` if it declares none.
    pub(super) fn declared_of(&mut self, op: Op<'p>) -> Option<DimNames> {
        let declared = ir::attribute(op, DIMS)?;
        Some(self.read(declared, &shape_of_result(op)))
    }

    /// Returns the names that an operation declares for the dimensions that it reduces, of the extents `reduced`; empty if it declares
    /// none.
    pub(super) fn declared_reduced(&mut self, op: Op<'p>, reduced: &[i64]) -> Vec<DimName> {
        let Ok(declared) = op.attribute(REDUCTION_DIMS) else {
            return Vec::new();
        };
        let extents: Vec<u64> = reduced.iter().copied().map(extent_of).collect();
        let names = self.read(declared, &extents);
        self.check_sizes(&names, op.location());
        names.to_vec()
    }

    /// Gives the result of an operation the names that are declared for it, if there are any.
    pub(super) fn declare_result(&mut self, op: Op<'p>) {
        if let (Ok(declared), Ok(result)) = (op.attribute(DIMS), op.result(0)) {
            self.declare_value(result.into(), declared, op.location());
        }
    }

    fn declare_value(&mut self, value: Val<'p>, declared: Attribute<'p>, here: Location<'p>) {
        let shape = shape(value.r#type()).expect("what has names is a ranked tensor (SD2, SD9)");
        let names = self.read(declared, &shape);
        self.check_sizes(&names, here);
        // A placeholder is no declaration.
        let names = match self.of_value(value) {
            Some(old_names) => {
                let pairs = names.iter().zip(old_names.iter());
                let choose = |(names, old): (&DimName, &DimName)| match names.is_empty() {
                    true => old.clone(),
                    false => names.clone(),
                };
                pairs.map(choose).collect()
            }
            None => names,
        };
        self.values.insert(ir::value_key(value), names);
    }

    /// Checks names against the extents that the function declares.
    fn check_sizes(&mut self, names: &DimNames, here: Location<'p>) {
        let Some(sizes) = &self.sizes else { return };
        let factors = names.iter().flatten().flatten();
        let problems: Vec<_> = factors
            .filter_map(|factor| {
                let name = factor.name?;
                let message = match sizes.get(&name) {
                    // A dimension of extent 1 is a broadcast of the named dimension.
                    Some(_) if factor.extent == factors::DYNAMIC || factor.extent == 1 => {
                        return None;
                    }
                    Some(size) if factor.extent == size.room() => return None,
                    Some(Size::Static(size)) => format!(
                        "dimension \"{}\" is declared with extent {size}, but has extent {} here",
                        self.text(name),
                        factor.extent
                    ),
                    Some(Size::Dynamic(size)) => format!(
                        "dimension \"{}\" is declared dynamic with at most {} elements, but has extent {} here",
                        self.text(name),
                        size.max(),
                        factor.extent
                    ),
                    None => format!(
                        "\"{}\" is no name that '{DIM_SIZES}' of the function declares{}",
                        self.text(name),
                        self.declared_names()
                    ),
                };
                Some(Problem::error(Diagnostic::error(here, message)))
            })
            .collect();
        self.problems.extend(problems);
    }

    /// Returns the declared names, for a message.
    fn declared_names(&self) -> String {
        let sizes = self.sizes.iter().flatten();
        let mut names: Vec<_> = sizes
            .map(|(name, size)| {
                let upto = match size {
                    Size::Static(_) => "",
                    Size::Dynamic(_) => "up to ",
                };
                format!("\"{}\" of {upto}{}", self.text(*name), size.room())
            })
            .collect();
        names.sort();
        format!(" (it declares {})", names.join(", "))
    }

    /// Checks that a name in a hint is declared, where the function declares names.
    pub fn check_hint(&mut self, name: factors::Name, here: Location<'p>) {
        if self
            .sizes
            .as_ref()
            .is_some_and(|sizes| !sizes.contains_key(&name))
        {
            let message = format!(
                "hint asks for \"{}\", which is no name that '{DIM_SIZES}' of the function declares{}",
                self.text(name),
                self.declared_names()
            );
            self.problems
                .push(Problem::error(Diagnostic::error(here, message)));
        }
    }

    fn read(&mut self, declared: Attribute<'p>, shape: &[u64]) -> DimNames {
        let entries = attr::elements(declared).into_iter().zip(shape);
        entries
            .map(|(entry, extent)| {
                let ways = hint::dim_names(entry).expect("an entry has a name (SD2, SD9)");
                let ways = ways.iter().map(|way| self.factors(way, *extent));
                ways.filter(|factors| factors.iter().any(|factor| factor.name.is_some()))
                    .collect()
            })
            .collect()
    }

    fn factors(&mut self, written: &Written, extent: u64) -> Factors {
        let mut factor = |text: &str, extent: u64| Factor {
            name: (!text.starts_with(UNTRACKED)).then(|| self.intern(text)),
            extent,
        };
        match written {
            Written::Whole(name) => vec![factor(name, extent)],
            Written::Merged(names) => names
                .iter()
                .map(|(name, extent)| factor(name, *extent))
                .collect(),
        }
    }

    /// Checks the names that an operation expects for its dimensions and for its reduced dimensions.
    pub(super) fn check_expected(&mut self, op: Op<'p>, reduced: &[DimName]) {
        if let (Ok(expected), Ok(result)) = (op.attribute(EXPECTED_DIMS), op.result(0)) {
            let extents = shape_of_result(op);
            let names = self.of_value(result.into()).cloned();
            self.check_list(
                "dimensions of the result",
                expected,
                names.as_deref().unwrap_or_default(),
                &extents,
                op.location(),
                None,
            );
        }
        if let Ok(expected) = op.attribute(EXPECTED_REDUCTION_DIMS) {
            // No result shows the extent of a reduced dimension; a single name fits any extent.
            let extents = vec![factors::DYNAMIC; reduced.len()];
            self.check_list(
                "reduced dimensions",
                expected,
                reduced,
                &extents,
                op.location(),
                None,
            );
        }
    }

    /// Checks the names that the function declares for its results.
    pub(super) fn check_return(&mut self, op: Op<'p>) {
        let function = op.parent_operation().expect("a return is in a function");
        let Ok(results) = function.attribute("res_attrs") else {
            return;
        };
        let results = attr::elements(results);
        for (index, (result, value)) in results.into_iter().zip(op.operands()).enumerate() {
            let attributes = attr::entries(result);
            let Some((_, expected)) = attributes.iter().find(|(name, _)| name == DIMS) else {
                continue;
            };
            let names = self.of_value(value).cloned();
            let extents = shape(value.r#type());
            let extents = extents.expect("what has names is a ranked tensor (SD2)");
            self.check_list(
                &format!("dimensions of result {index}"),
                *expected,
                names.as_deref().unwrap_or_default(),
                &extents,
                op.location(),
                Some(value.location()),
            );
        }
    }

    /// Checks that each dimension has the expected names, perhaps among others.
    fn check_list(
        &mut self,
        what: &str,
        expected: Attribute<'p>,
        actual: &[DimName],
        extents: &[u64],
        here: Location<'p>,
        source: Option<Location<'p>>,
    ) {
        let wanted = self.read(expected, extents);
        let none = Vec::new();
        // A value without names has none in any dimension.
        let actual_dim = |dim: usize| actual.get(dim).unwrap_or(&none);
        let fits = |(dim, wanted): (usize, &DimName)| {
            let dim_names = actual_dim(dim);
            if wanted.is_empty() {
                return dim_names.is_empty();
            }
            wanted.iter().all(|wanted| {
                dim_names.iter().any(|candidate| match wanted.as_slice() {
                    // The extent of a single name is that of the dimension.
                    [single] => {
                        matches!(candidate.as_slice(), [only] if self.are_same(only.name, single.name))
                    }
                    wanted => wanted == candidate.as_slice(),
                })
            })
        };
        if wanted.iter().enumerate().all(fits) {
            return;
        }
        let list = |dims: Vec<String>| format!("[{}]", dims.join(", "));
        let describe = |dim: &DimName, index: usize| match (dim.is_empty(), extents.get(index)) {
            (true, Some(extent)) => format!("\"{}\"", untracked(*extent)),
            _ => self.describe(dim),
        };
        let message = format!(
            "{what} are expected to be {}, but are {}",
            list(
                wanted
                    .iter()
                    .enumerate()
                    .map(|(dim, names)| describe(names, dim))
                    .collect()
            ),
            list(
                (0..wanted.len())
                    .map(|dim| describe(actual_dim(dim), dim))
                    .collect()
            )
        );
        let mut diagnostic = Diagnostic::error(here, message);
        if let Some(source) = source {
            diagnostic = diagnostic.note(source, "the value comes from here");
        }
        self.problems.push(Problem::error(diagnostic));
    }

    /// Returns whether two names belong to one dimension.
    fn are_same(&self, a: Option<Name>, b: Option<Name>) -> bool {
        let first = |name: Option<Name>| {
            let name = name?;
            Some(self.further.get(&name).copied().unwrap_or(name))
        };
        first(a) == first(b)
    }

    /// Returns the names of a value as an attribute, with placeholders where there is no name.
    pub fn attribute(
        &self,
        context: &'p Context,
        names: &[DimName],
        extents: &[u64],
    ) -> Attribute<'p> {
        let none = Rc::new(Vec::new());
        let entries: Vec<_> = extents
            .iter()
            .enumerate()
            .filter_map(|(dim, extent)| {
                let ways = names.get(dim).unwrap_or(&none);
                let ways: Vec<Written> = ways.iter().map(|factors| self.written(factors)).collect();
                hint::dim_names_attribute(context, &ways).or_else(|| {
                    hint::dim_names_attribute(context, &[Written::Whole(untracked(*extent))])
                })
            })
            .collect();
        attr::array(context, &entries)
    }

    fn written(&self, factors: &Factors) -> Written {
        let text = |factor: &Factor| match factor.name {
            Some(name) => self.text(name).to_owned(),
            None => untracked(factor.extent),
        };
        match factors.as_slice() {
            [factor] => Written::Whole(text(factor)),
            factors => Written::Merged(
                factors
                    .iter()
                    .map(|factor| (text(factor), factor.extent))
                    .collect(),
            ),
        }
    }
}

/// Returns the extents of the only result of an operation that has an attribute with names for it.
fn shape_of_result(op: Op<'_>) -> Vec<u64> {
    let shape = ir::result(op, 0).and_then(|result| shape(result.r#type()));
    shape.expect("an operation that names dimensions has a result, a ranked tensor (SD9)")
}
