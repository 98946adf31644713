//! Operations of the graph, built at the location of their names.

use melior::ir::attribute::{IntegerAttribute, StringAttribute, TypeAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Block, Location, Region, RegionLike, Type};
use smallvec::SmallVec;
use spyre_dialects::attr;
use spyre_inductor::schema::Text;
use spyre_mlir_rt::ir::{self, At, Op, OpParts, Val};

use super::Import;

/// The operands of an operation.
pub(super) type Operands<'p> = SmallVec<[Val<'p>; 8]>;

/// The types of the results of an operation.
pub(super) type Results<'p> = SmallVec<[Type<'p>; 2]>;

/// Returns a region of one block.
pub(super) fn region<'p>(arguments: &[(Type<'p>, Location<'p>)]) -> Region<'p> {
    let region = Region::new();
    region.append_block(Block::new(arguments));
    region
}

impl<'p> Import<'p> {
    /// Builds an operation at the end of the graph. Operations built in its body get the location of that name as well.
    pub(super) fn insert(
        &mut self,
        name: &str,
        parts: OpParts<'p>,
        results: &[Type<'p>],
    ) -> Op<'p> {
        self.here = Location::name(self.context, name, self.file);
        self.insert_at(At::End(self.block), parts, results)
    }

    /// Builds an operation at a place.
    pub(super) fn insert_at(&self, at: At<'p>, parts: OpParts<'p>, results: &[Type<'p>]) -> Op<'p> {
        parts.insert(at, results, self.here, self.context)
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
