//! Arithmetic on floats, integers and indices, by the types of the operands.
//!
//! The operations that exist once per class of numbers (`arith.addf`, `arith.addi`) have one method, as in MLIR's
//! `ArithBuilder`. Tensors are computed element by element. Operations that exist once (`arith.andi`) need no method:
//! `build.same(arith::andi(a, b))`.

use melior::ir::attribute::{DenseElementsAttribute, FloatAttribute, IntegerAttribute};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, ShapedTypeLike, Type, TypeLike, ValueLike};
use spyre_mlir_rt::ir::{self, OpBuilder, Val};

use crate::arith;

/// The predicates of `arith.cmpi`, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of MLIR")]
pub enum CmpIPredicate {
    Eq = 0,
    Ne = 1,
    Slt = 2,
    Sle = 3,
    Sgt = 4,
    Sge = 5,
    Ult = 6,
    Ule = 7,
    Ugt = 8,
    Uge = 9,
}

/// The predicates of `arith.cmpf`, by their numbers: `O` is false for NaN, and `U` is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of MLIR")]
pub enum CmpFPredicate {
    AlwaysFalse = 0,
    Oeq = 1,
    Ogt = 2,
    Oge = 3,
    Olt = 4,
    Ole = 5,
    One = 6,
    Ord = 7,
    Ueq = 8,
    Ugt = 9,
    Uge = 10,
    Ult = 11,
    Ule = 12,
    Une = 13,
    Uno = 14,
    AlwaysTrue = 15,
}

/// A relation of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the relations")]
pub enum Relation {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Relation {
    /// Returns the predicate for floats: all but `NotEqual` are false for NaN.
    #[must_use]
    pub const fn of_floats(self) -> CmpFPredicate {
        match self {
            Self::Equal => CmpFPredicate::Oeq,
            Self::NotEqual => CmpFPredicate::Une,
            Self::Less => CmpFPredicate::Olt,
            Self::LessEqual => CmpFPredicate::Ole,
            Self::Greater => CmpFPredicate::Ogt,
            Self::GreaterEqual => CmpFPredicate::Oge,
        }
    }

    /// Returns the predicate for integers with a sign.
    #[must_use]
    pub const fn of_signed(self) -> CmpIPredicate {
        match self {
            Self::Equal => CmpIPredicate::Eq,
            Self::NotEqual => CmpIPredicate::Ne,
            Self::Less => CmpIPredicate::Slt,
            Self::LessEqual => CmpIPredicate::Sle,
            Self::Greater => CmpIPredicate::Sgt,
            Self::GreaterEqual => CmpIPredicate::Sge,
        }
    }

    /// Returns the predicate for integers without a sign.
    #[must_use]
    pub const fn of_unsigned(self) -> CmpIPredicate {
        match self {
            Self::Equal => CmpIPredicate::Eq,
            Self::NotEqual => CmpIPredicate::Ne,
            Self::Less => CmpIPredicate::Ult,
            Self::LessEqual => CmpIPredicate::Ule,
            Self::Greater => CmpIPredicate::Ugt,
            Self::GreaterEqual => CmpIPredicate::Uge,
        }
    }
}

/// Arithmetic at the place of a builder. Integers have a sign where it matters.
///
/// # Panics
/// Every method panics like [`OpBuilder::insert`].
pub trait Arithmetic<'p> {
    /// Returns the builder of operations.
    fn builder(&self) -> OpBuilder<'p>;

    /// Builds `a + b`.
    fn add(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        by_class(self.builder(), arith::addf, arith::addi, a, b)
    }

    /// Builds `a - b`.
    fn sub(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        by_class(self.builder(), arith::subf, arith::subi, a, b)
    }

    /// Builds `a * b`.
    fn mul(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        by_class(self.builder(), arith::mulf, arith::muli, a, b)
    }

    /// Builds the smaller number, or NaN if one of them is.
    fn min(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        by_class(self.builder(), arith::minimumf, arith::minsi, a, b)
    }

    /// Builds the larger number, or NaN if one of them is.
    fn max(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        by_class(self.builder(), arith::maximumf, arith::maxsi, a, b)
    }

    /// Builds whether a relation holds.
    fn compare(&self, relation: Relation, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        match is_float(a.r#type()) {
            true => self.cmpf(relation.of_floats(), a, b),
            false => self.cmpi(relation.of_signed(), a, b),
        }
    }

    /// Builds a comparison of integers or indices.
    fn cmpi(&self, predicate: CmpIPredicate, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        let build = self.builder();
        let predicate = i64_attribute(build, predicate as i64);
        build.op(arith::cmpi(a, b, predicate), truth_type(build, a))
    }

    /// Builds a comparison of floats.
    fn cmpf(&self, predicate: CmpFPredicate, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        let build = self.builder();
        let predicate = i64_attribute(build, predicate as i64);
        build.op(arith::cmpf(a, b, predicate), truth_type(build, a))
    }

    /// Builds `condition ? a : b`.
    fn select(&self, condition: Val<'p>, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        let build = self.builder();
        build.op(arith::select(condition, a, b), a.r#type())
    }

    /// Builds a constant from its attribute.
    fn constant(&self, value: Attribute<'p>, ty: Type<'p>) -> Val<'p> {
        self.builder().op(arith::constant(value), ty)
    }

    /// Builds a constant of an integer type, of `index`, or of a tensor of these with the same value everywhere.
    fn integer(&self, value: i64, ty: Type<'p>) -> Val<'p> {
        let attribute = IntegerAttribute::new(element(ty), value);
        self.constant(repeated(attribute.into(), ty), ty)
    }

    /// Builds a float, rounded to its type; of a tensor of floats, the same for all elements.
    fn float(&self, value: f64, ty: Type<'p>) -> Val<'p> {
        let context = self.builder().context;
        let attribute = FloatAttribute::new(context, element(ty), value);
        self.constant(repeated(attribute.into(), ty), ty)
    }

    /// Builds an index.
    fn index(&self, value: i64) -> Val<'p> {
        self.integer(value, Type::index(self.builder().context))
    }
}

impl<'p> Arithmetic<'p> for OpBuilder<'p> {
    fn builder(&self) -> OpBuilder<'p> {
        *self
    }
}

/// A constructor of the parts of an operation on two operands.
type Binary = for<'p> fn(Val<'p>, Val<'p>) -> ir::OpParts<'p>;

fn by_class<'p>(
    build: OpBuilder<'p>,
    of_floats: Binary,
    of_integers: Binary,
    a: Val<'p>,
    b: Val<'p>,
) -> Val<'p> {
    let parts = match is_float(a.r#type()) {
        true => of_floats,
        false => of_integers,
    };
    build.same(parts(a, b))
}

/// Returns the type of the elements of a tensor, or the type itself.
fn element(ty: Type<'_>) -> Type<'_> {
    // Melior's error holds the text of the type.
    match ir::is_ranked_tensor(ty) {
        true => RankedTensorType::try_from(ty).map_or(ty, |tensor| tensor.element()),
        false => ty,
    }
}

fn is_float(ty: Type<'_>) -> bool {
    let element = element(ty);
    !element.is_integer() && !element.is_index()
}

/// Returns the value of a constant with the same number for all elements.
fn repeated<'p>(value: Attribute<'p>, ty: Type<'p>) -> Attribute<'p> {
    match ir::is_ranked_tensor(ty) {
        true => DenseElementsAttribute::new(ty, &[value])
            .expect("the number is of the element type")
            .into(),
        false => value,
    }
}

fn i64_attribute(build: OpBuilder<'_>, value: i64) -> Attribute<'_> {
    IntegerAttribute::new(IntegerType::new(build.context, 64).into(), value).into()
}

/// Returns the type of comparisons: one bit, or a tensor of them.
fn truth_type<'p>(build: OpBuilder<'p>, operand: Val<'p>) -> Type<'p> {
    let truth: Type<'p> = IntegerType::new(build.context, 1).into();
    let ty = operand.r#type();
    if !ir::is_ranked_tensor(ty) {
        return truth;
    }
    let tensor = RankedTensorType::try_from(ty).expect("the type is a ranked tensor");
    let extents = (0..tensor.rank()).map(|dim| {
        use melior::ir::r#type::DimSize;
        match tensor
            .dim_size(dim)
            .expect("the dimension is below the rank")
        {
            DimSize::Static(extent) => extent,
            // MLIR has one number for all dynamic extents.
            DimSize::Dynamic => RankedTensorType::dynamic_stride_or_offset().cast_unsigned(),
        }
    });
    let extents: Vec<u64> = extents.collect();
    RankedTensorType::new(&extents, truth, tensor.encoding()).into()
}
