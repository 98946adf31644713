//! The parts of an operation that is being built.

use melior::ir::attribute::{IntegerAttribute, StringAttribute, TypeAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Block, Identifier, Location, Region, RegionLike, Type};
use smallvec::SmallVec;
use spyre_dialects::attr;
use spyre_inductor::schema::Text;
use spyre_mlir_rt::ir::{self, At, Op, Val};

use super::Import;

/// The operands of an operation.
pub(super) type Operands<'p> = SmallVec<[Val<'p>; 8]>;

/// The parts of an operation.
pub(super) struct Parts<'p> {
    pub(super) name: &'static str,
    pub(super) operands: Operands<'p>,
    pub(super) results: SmallVec<[Type<'p>; 2]>,
    pub(super) attributes: SmallVec<[(&'static str, Attribute<'p>); 8]>,
    regions: Vec<Region<'p>>,
}

impl<'p> Parts<'p> {
    /// Returns the parts of an operation without operands, results, attributes and regions.
    pub(super) fn new(name: &'static str) -> Self {
        Self {
            name,
            operands: Operands::new(),
            results: SmallVec::new(),
            attributes: SmallVec::new(),
            regions: Vec::new(),
        }
    }

    /// Adds operands.
    pub(super) fn operands(mut self, operands: &[Val<'p>]) -> Self {
        self.operands.extend_from_slice(operands);
        self
    }

    /// Adds a result.
    pub(super) fn result(mut self, ty: Type<'p>) -> Self {
        self.results.push(ty);
        self
    }

    /// Adds an attribute.
    pub(super) fn with(mut self, name: &'static str, value: Attribute<'p>) -> Self {
        self.attributes.push((name, value));
        self
    }

    /// Adds a region with one block.
    pub(super) fn block(mut self, arguments: &[(Type<'p>, Location<'p>)]) -> Self {
        let region = Region::new();
        region.append_block(Block::new(arguments));
        self.regions.push(region);
        self
    }

    /// Builds the operation. `identifier` returns the name of an attribute.
    pub(super) fn build(
        self,
        at: At<'p>,
        location: Location<'p>,
        identifier: impl Fn(&'static str) -> Identifier<'p>,
    ) -> Op<'p> {
        let attributes = self.attributes.into_iter();
        let attributes: SmallVec<[_; 8]> = attributes
            .map(|(name, value)| (identifier(name), value))
            .collect();
        let parts = ir::Parts {
            name: self.name,
            operands: &self.operands,
            results: &self.results,
            attributes: &attributes,
            regions: self.regions,
        };
        ir::build(at, location, parts)
    }
}

impl<'p> Import<'p> {
    /// Builds an operation at the end of the graph. Operations built in its body get the location of that name as well.
    pub(super) fn insert(&mut self, name: &str, parts: Parts<'p>) -> Op<'p> {
        self.here = Location::name(self.context, name, self.file);
        self.insert_at(At::End(self.block), parts)
    }

    /// Builds an operation at a place.
    pub(super) fn insert_at(&self, at: At<'p>, parts: Parts<'p>) -> Op<'p> {
        let names = &self.memos.names;
        parts.build(at, self.here, |name| {
            names.of(&name, || Identifier::new(self.context, name))
        })
    }

    pub(super) fn string(&self, text: &str) -> Attribute<'p> {
        StringAttribute::new(self.context, text).into()
    }

    pub(super) fn strings(&self, texts: &[Text]) -> Attribute<'p> {
        let texts: Vec<Attribute<'p>> = texts.iter().map(|text| self.string(text)).collect();
        attr::array(self.context, &texts)
    }

    pub(super) fn integer(&self, value: i64) -> Attribute<'p> {
        IntegerAttribute::new(IntegerType::new(self.context, 64).into(), value).into()
    }

    /// Returns the type of a truth value.
    pub(super) fn truth(&self) -> Type<'p> {
        IntegerType::new(self.context, 1).into()
    }
}

/// Returns a type as an attribute.
pub(super) fn type_attribute(ty: Type<'_>) -> Attribute<'_> {
    TypeAttribute::new(ty).into()
}

/// Returns a result of an operation that has it.
pub(super) fn result<'p>(op: Op<'p>, number: usize) -> Val<'p> {
    ir::result(op, number).expect("the operation was built with it")
}
