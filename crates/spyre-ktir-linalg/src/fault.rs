//! Accesses outside of memory: the comparison at run time, and the message.
//!
//! Where a comparison fails, the function calls `@spyre_ktdp_fault` with a tensor of numbers. The function has the list
//! of the places in the text in [`SITES`], so numbers are enough. The caller of the compiled function gives the call
//! its code, and ends the run.

use std::fmt;

use melior::Context;
use melior::ir::attribute::{FlatSymbolRefAttribute, StringAttribute, TypeAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, IntegerType, RankedTensorType};
use melior::ir::{Block, Region, RegionLike, Type};
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::place;
use spyre_mlir_rt::ir::{self, Op, OpBuilder, Val};
use spyre_ods::{Arithmetic, Relation, arith, func, scf, tensor};

use crate::number::Number;
use crate::range::Ranges;

/// The name of the function that is called with the numbers of a fault, a `tensor<16xi64>`.
pub const FAULT: &str = "spyre_ktdp_fault";

/// The attribute of that function with the place in the text of each operation that may be at fault.
pub const SITES: &str = "ktdp.sites";

/// The numbers of a fault: site, core, claim, dimension or argument, value, least and greatest allowed value, the number
/// of loops, and the counter of each.
const NUMBERS: usize = 16;

/// The loops with counters in a fault, outermost first.
const COUNTERS: usize = 8;

/// A claim about an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    /// A coordinate of a load is inside of the view.
    Load,
    /// A coordinate of a store is inside of the view.
    Store,
    /// A coordinate of a read of indices is inside of the view of indices.
    Indices,
    /// An index that was read is inside of the view.
    Index,
    /// An element is inside of the argument.
    Element,
    /// The base address in bytes is that of an element.
    Aligned,
}

impl Claim {
    const ALL: [Self; 6] = [
        Self::Load,
        Self::Store,
        Self::Indices,
        Self::Index,
        Self::Element,
        Self::Aligned,
    ];
}

/// An access outside of memory, with the core and the iteration. Displayed as a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    site: String,
    core: i64,
    claim: Claim,
    dim: i64,
    value: i64,
    allowed: (i64, i64),
    iteration: Vec<i64>,
}

impl Fault {
    /// Reads the numbers of a call, in native byte order; `None` for other ones. `sites` is the list of [`SITES`].
    #[must_use]
    pub fn read(bytes: &[u8], sites: &[String]) -> Option<Self> {
        let (words, _) = bytes.as_chunks::<8>();
        let numbers: Vec<i64> = words.iter().map(|word| i64::from_ne_bytes(*word)).collect();
        let [
            site,
            core,
            claim,
            dim,
            value,
            least,
            greatest,
            loops,
            counters @ ..,
        ] = &numbers[..]
        else {
            return None;
        };
        let loops = usize::try_from(*loops).ok()?;
        Some(Self {
            site: sites.get(usize::try_from(*site).ok()?)?.clone(),
            core: *core,
            claim: *Claim::ALL.get(usize::try_from(*claim).ok()?)?,
            dim: *dim,
            value: *value,
            allowed: (*least, *greatest),
            iteration: counters.get(..loops)?.to_vec(),
        })
    }

    /// Returns the sites of a module that the pass has converted.
    #[must_use]
    pub fn sites(module: Op<'_>) -> Vec<String> {
        let functions = ir::body(module).into_iter().flat_map(ir::operations);
        let mut lists = functions.filter_map(|op| ir::attribute(op, SITES));
        let sites = lists.next().map(attr::elements).unwrap_or_default();
        sites.into_iter().filter_map(attr::string).collect()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dim, value, .. } = self;
        let (least, greatest) = self.allowed;
        write!(formatter, "{}: core {}", self.site, self.core)?;
        if !self.iteration.is_empty() {
            let counters: Vec<_> = self.iteration.iter().map(i64::to_string).collect();
            write!(formatter, " at ({})", counters.join(", "))?;
        }
        let what = match self.claim {
            Claim::Load => format!("loads coordinate {value} of dimension {dim} of a view"),
            Claim::Store => format!("stores coordinate {value} of dimension {dim} of a view"),
            Claim::Indices => {
                format!("reads coordinate {value} of dimension {dim} of a view of indices")
            }
            Claim::Index => format!("reads index {value} for dimension {dim} of a view"),
            Claim::Element => format!("accesses element {value} of argument {dim}"),
            Claim::Aligned => {
                return write!(
                    formatter,
                    " has the base address {value} in argument {dim}, which is no element"
                );
            }
        };
        write!(formatter, " {what}, which has {least} to {greatest}")
    }
}

/// A comparison of values with the least and the greatest that are allowed.
pub(crate) struct Bounds<'p> {
    /// The claim.
    pub claim: Claim,
    /// The dimension of the view, or the argument.
    pub dim: usize,
    /// The least and the greatest value.
    pub values: (Number<'p>, Number<'p>),
    /// The least and the greatest allowed value.
    pub allowed: (Number<'p>, Number<'p>),
}

/// The places of accesses, and the cores and iterations that they are in.
pub(crate) struct Faults<'p> {
    /// The type of the numbers of a call.
    record: Type<'p>,
    /// The places.
    pub sites: Vec<String>,
    /// The number of the core.
    pub core: Option<Val<'p>>,
    /// The counters of the enclosing loops, outermost first.
    pub counters: Vec<Val<'p>>,
}

impl<'p> Faults<'p> {
    /// Returns an empty list.
    pub(crate) fn new(context: &'p Context) -> Self {
        let i64 = IntegerType::new(context, 64).into();
        Self {
            record: RankedTensorType::new(&[NUMBERS as u64], i64, None).into(),
            sites: Vec::new(),
            core: None,
            counters: Vec::new(),
        }
    }

    /// Declares the function in a module that calls it.
    pub(crate) fn declare(&self, context: &'p Context, module: Op<'p>) {
        if self.sites.is_empty() {
            return;
        }
        let ty = FunctionType::new(context, &[self.record], &[]);
        let parts = func::func(
            StringAttribute::new(context, FAULT).into(),
            TypeAttribute::new(ty.into()).into(),
        );
        let parts = parts.with("sym_visibility", StringAttribute::new(context, "private"));
        let body = ir::body(module).expect("a module has a body");
        let build = OpBuilder::at_end(context, body, module.location());
        let declared = build.insert(parts.region(Region::new()), &[]);
        let sites = self.sites.iter();
        let sites: Vec<_> = sites
            .map(|site| StringAttribute::new(context, site).into())
            .collect();
        ir::set_discardable_attribute(declared, SITES, attr::array(context, &sites));
    }

    /// Builds a comparison, and the call where it fails, unless ranges prove that it does not.
    pub(crate) fn check(
        &mut self,
        build: OpBuilder<'p>,
        op: Op<'p>,
        ranges: &Ranges,
        bounds: &Bounds<'p>,
    ) {
        let (least, greatest) = bounds.allowed;
        let above = |a: Number<'p>, b: Number<'p>| {
            let (a, b) = (ranges.number(a)?, ranges.number(b)?);
            Some(a.0 >= b.1)
        };
        let is_above = above(bounds.values.0, least) == Some(true);
        let is_below = above(greatest, bounds.values.1) == Some(true);
        let too_small = (!is_above).then(|| {
            build.compare(
                Relation::Less,
                bounds.values.0.value(build),
                least.value(build),
            )
        });
        let too_large = (!is_below).then(|| {
            build.compare(
                Relation::Greater,
                bounds.values.1.value(build),
                greatest.value(build),
            )
        });
        let (outside, value) = match (too_small, too_large) {
            (None, None) => return,
            (Some(small), None) => (small, bounds.values.0.value(build)),
            (None, Some(large)) => (large, bounds.values.1.value(build)),
            (Some(small), Some(large)) => {
                let (first, last) = (bounds.values.0.value(build), bounds.values.1.value(build));
                (
                    build.same(arith::ori(small, large)),
                    build.select(small, first, last),
                )
            }
        };
        let numbers = (bounds.claim, bounds.dim, value, (least, greatest));
        self.call(build, op, outside, numbers);
    }

    /// Builds the call where a condition holds.
    pub(crate) fn call(
        &mut self,
        build: OpBuilder<'p>,
        op: Op<'p>,
        outside: Val<'p>,
        (claim, dim, value, (least, greatest)): (Claim, usize, Val<'p>, (Number<'p>, Number<'p>)),
    ) {
        let site = self.site(op);
        let then = Region::new();
        then.append_block(Block::new(&[]));
        let parts = scf::if_(outside).region(then).region(Region::new());
        let branch = build.insert(parts, &[]);
        let block = ir::blocks(branch)
            .next()
            .expect("it was built with a block");
        let inside = OpBuilder::at_end(build.context, block, build.location);
        let i64: Type<'p> = IntegerType::new(build.context, 64).into();
        let number = |value: i64| inside.integer(value, i64);
        let cast = |value: Val<'p>| inside.op(arith::index_cast(value), i64);
        let counters = &self.counters[..self.counters.len().min(COUNTERS)];
        let core = self.core.expect("the kernel has a core");
        let claim = Claim::ALL.iter().position(|it| *it == claim);
        let mut numbers = vec![
            number(position(site)),
            cast(core),
            number(position(claim.expect("all claims are listed"))),
            number(position(dim)),
            cast(value),
            cast(least.value(inside)),
            cast(greatest.value(inside)),
            number(position(counters.len())),
        ];
        numbers.extend(counters.iter().map(|counter| cast(*counter)));
        numbers.resize_with(NUMBERS, || number(0));
        let record = inside.op(tensor::from_elements(&numbers), self.record);
        let callee = FlatSymbolRefAttribute::new(build.context, FAULT);
        inside.insert(func::call(&[record], callee.into()), &[]);
        inside.insert(scf::yield_(&[]), &[]);
    }

    fn site(&mut self, op: Op<'p>) -> usize {
        let site = place(op.location());
        let number = self.sites.iter().position(|it| *it == site);
        number.unwrap_or_else(|| {
            self.sites.push(site);
            self.sites.len() - 1
        })
    }
}

fn position(number: usize) -> i64 {
    i64::try_from(number).expect("a position is below 2^63")
}
