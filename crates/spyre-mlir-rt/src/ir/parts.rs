//! The parts of operations, and the builder that inserts operations of such parts.
//!
//! The constructors of `spyre-ods` take all operands and attributes that an operation must have, and return its parts.
//! Optional attributes and regions are added to the parts. The types of the results, the place and the location come
//! last, from the builder: a pass chooses them once for many operations, as with `ImplicitLocOpBuilder` in C++.

use std::borrow::Cow;

use melior::Context;
use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::{Operation, OperationBuilder, OperationLike};
use melior::ir::{Attribute, Identifier, Location, Region, Type, ValueLike};
use smallvec::SmallVec;

use super::build::{At, Parts, build, insert};
use super::definition::{OPERAND_SIZES, OpDefinition};
use super::read::result;
use super::{Blk, Op, Val};

/// The parts of an operation, without the types of its results.
#[derive(Debug)]
#[must_use = "parts are no operation before they are inserted"]
pub struct OpParts<'p> {
    /// The name of a registered operation.
    pub name: Cow<'static, str>,
    /// The operands.
    pub operands: SmallVec<[Val<'p>; 4]>,
    /// The attributes, by name.
    pub attributes: SmallVec<[(&'static str, Attribute<'p>); 2]>,
    /// The regions.
    pub regions: Vec<Region<'p>>,
    /// The blocks after the operation, of a terminator.
    pub successors: Vec<Blk<'p>>,
    /// The definition, by which names of attributes are checked.
    definition: Option<&'static OpDefinition>,
    /// The number of operands of each slot, if the operation stores them.
    sizes: SmallVec<[i32; 4]>,
}

impl<'p> OpParts<'p> {
    /// Returns the parts of an operation without operands.
    #[inline]
    pub fn new(definition: &'static OpDefinition) -> Self {
        Self {
            definition: Some(definition),
            ..Self::named(definition.name, &[])
        }
    }

    /// Returns the parts of an operation whose name is data, such as the entry of a table. Neither the number of
    /// operands nor the names of attributes are checked before the verifier of MLIR.
    pub fn named(name: impl Into<Cow<'static, str>>, operands: &[Val<'p>]) -> Self {
        Self {
            name: name.into(),
            operands: SmallVec::from_slice(operands),
            attributes: SmallVec::new(),
            regions: Vec::new(),
            successors: Vec::new(),
            definition: None,
            sizes: SmallVec::new(),
        }
    }

    /// Adds the operand of the next slot.
    #[inline]
    pub fn operand(self, value: Val<'p>) -> Self {
        self.operand_group(&[value])
    }

    /// Adds the operand of the next slot, which is optional.
    #[inline]
    pub fn optional_operand(self, value: Option<Val<'p>>) -> Self {
        self.operand_group(value.as_slice())
    }

    /// Adds the operands of the next slot, which is variadic.
    ///
    /// # Panics
    /// If they are more than `i32::MAX`.
    pub fn operand_group(mut self, values: &[Val<'p>]) -> Self {
        self.operands.extend_from_slice(values);
        if self.definition.is_some_and(|it| it.operands.is_sized) {
            let size = i32::try_from(values.len());
            self.sizes.push(size.expect("operands are few"));
        }
        self
    }

    /// Adds an attribute. A debug build panics for a name without a dialect that is no attribute of the operation.
    pub fn with(mut self, name: &'static str, attribute: impl Into<Attribute<'p>>) -> Self {
        let mut definitions = self.definition.into_iter();
        debug_assert!(
            name.contains('.') || definitions.all(|it| it.has_attribute(name)),
            "'{}' has no attribute '{name}'",
            self.name
        );
        self.attributes.push((name, attribute.into()));
        self
    }

    /// Adds an attribute if there is one.
    pub fn with_optional(self, name: &'static str, attribute: Option<Attribute<'p>>) -> Self {
        match attribute {
            Some(attribute) => self.with(name, attribute),
            None => self,
        }
    }

    /// Adds a region.
    pub fn region(mut self, region: Region<'p>) -> Self {
        self.regions.push(region);
        self
    }

    /// Adds a block after the operation, which is a terminator.
    pub fn successor(mut self, block: Blk<'p>) -> Self {
        self.successors.push(block);
        self
    }

    /// Returns the operation, in no block.
    ///
    /// # Panics
    /// If MLIR creates none: the context neither has the dialect nor allows unregistered operations.
    #[must_use]
    pub fn build(
        self,
        results: &[Type<'p>],
        location: Location<'p>,
        context: &'p Context,
    ) -> Operation<'p> {
        let attributes = self.named_attributes(context);
        let successors: Vec<_> = self.successors.iter().map(|block| &**block).collect();
        OperationBuilder::new(&self.name, location)
            .add_operands(&self.operands)
            .add_results(results)
            .add_attributes(&attributes)
            .add_successors(&successors)
            .add_regions_vec(self.regions)
            .build()
            .expect("the operation is registered, and has all of its parts")
    }

    /// Inserts the operation at a place.
    ///
    /// # Panics
    /// If the place is in no block, or MLIR creates no operation, as for [`OpParts::build`].
    pub fn insert(
        self,
        at: At<'p>,
        results: &[Type<'p>],
        location: Location<'p>,
        context: &'p Context,
    ) -> Op<'p> {
        // The shorter way into MLIR builds no dictionary of attributes, and has no successors.
        if !self.successors.is_empty() {
            let built = self.build(results, location, context);
            return insert(at, built).expect("the place is in a block");
        }
        let attributes = self.named_attributes(context);
        let parts = Parts {
            name: &self.name,
            operands: &self.operands,
            results,
            attributes: &attributes,
            regions: self.regions,
        };
        build(at, location, parts)
    }

    fn named_attributes(
        &self,
        context: &'p Context,
    ) -> SmallVec<[(Identifier<'p>, Attribute<'p>); 4]> {
        let attributes = self.attributes.iter().copied();
        let sizes = (!self.sizes.is_empty()).then(|| {
            let sizes = DenseI32ArrayAttribute::new(context, &self.sizes);
            (OPERAND_SIZES, sizes.into())
        });
        attributes
            .chain(sizes)
            .map(|(name, attribute)| (Identifier::new(context, name), attribute))
            .collect()
    }
}

/// Builds operations at a place, all with one location.
#[derive(Clone, Copy)]
pub struct OpBuilder<'p> {
    /// The context of the pass.
    pub context: &'p Context,
    /// Where operations are inserted. It is in a block.
    pub at: At<'p>,
    /// The location of new operations.
    pub location: Location<'p>,
}

impl<'p> OpBuilder<'p> {
    /// Returns the builder before an operation, with its location.
    #[must_use]
    pub fn before(context: &'p Context, op: Op<'p>) -> Self {
        Self {
            context,
            at: At::Before(op),
            location: op.location(),
        }
    }

    /// Returns the builder at the end of a block.
    #[must_use]
    pub fn at_end(context: &'p Context, block: Blk<'p>, location: Location<'p>) -> Self {
        Self {
            context,
            at: At::End(block),
            location,
        }
    }

    /// Inserts an operation.
    ///
    /// # Panics
    /// If the place is in no block, or MLIR creates no operation, as for [`OpParts::build`].
    pub fn insert(&self, parts: OpParts<'p>, results: &[Type<'p>]) -> Op<'p> {
        parts.insert(self.at, results, self.location, self.context)
    }

    /// Inserts an operation with one result, and returns the result.
    ///
    /// # Panics
    /// Like [`OpBuilder::insert`].
    pub fn op(&self, parts: OpParts<'p>, ty: Type<'p>) -> Val<'p> {
        let op = self.insert(parts, &[ty]);
        result(op, 0).expect("it is built with a result")
    }

    /// Inserts an operation with one result of the type of its first operand, and returns the result.
    ///
    /// # Panics
    /// If the operation has no operand, and as for [`OpBuilder::insert`].
    pub fn same(&self, parts: OpParts<'p>) -> Val<'p> {
        let first = parts.operands.first();
        let ty = first.expect("the operation has an operand").r#type();
        self.op(parts, ty)
    }
}
