//! The functions of bodies: their names in PyTorch, and the operations of `arith` and `math` that compute them.

use melior::ir::{Type, TypeLike};
use rustc_hash::FxHashMap;
use smol_str::format_smolstr;
use spyre_inductor::schema::Text;
use spyre_mlir_rt::ir;
use spyre_ods::{CmpFPredicate, CmpIPredicate, arith, math};

/// The class of a number in a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Float,
    Integer,
    /// An unsigned integer, with the type of a signed one in a register.
    Unsigned,
    Truth,
}

/// Returns the class of a number's type.
pub(crate) fn class(ty: Type<'_>) -> Class {
    match ty.is_integer() {
        true if ir::bits(ty) == Some(1) => Class::Truth,
        true => Class::Integer,
        false => Class::Float,
    }
}

/// A function that an upstream operation computes.
pub(super) struct Function {
    /// The name in PyTorch.
    pub(super) name: &'static str,
    /// The class of its operands.
    pub(super) class: Class,
    /// The operation.
    pub(super) op: &'static str,
    /// The predicate of a comparison.
    pub(super) predicate: Option<i64>,
}

const fn float(name: &'static str, op: &'static str) -> Function {
    row(name, Class::Float, op, None)
}

const fn integer(name: &'static str, op: &'static str) -> Function {
    row(name, Class::Integer, op, None)
}

const fn unsigned(name: &'static str, op: &'static str) -> Function {
    row(name, Class::Unsigned, op, None)
}

const fn float_comparison(name: &'static str, predicate: CmpFPredicate) -> Function {
    row(name, Class::Float, arith::CMPF, Some(predicate as i64))
}

const fn integer_comparison(
    name: &'static str,
    class: Class,
    predicate: CmpIPredicate,
) -> Function {
    row(name, class, arith::CMPI, Some(predicate as i64))
}

const fn truth(name: &'static str, op: &'static str) -> Function {
    row(name, Class::Truth, op, None)
}

const fn row(
    name: &'static str,
    class: Class,
    op: &'static str,
    predicate: Option<i64>,
) -> Function {
    Function {
        name,
        class,
        op,
        predicate,
    }
}

/// The functions, each with one operation for a class of operands.
pub(super) const FUNCTIONS: &[Function] = &[
    float("add", arith::ADDF),
    integer("add", arith::ADDI),
    float("sub", arith::SUBF),
    integer("sub", arith::SUBI),
    float("mul", arith::MULF),
    integer("mul", arith::MULI),
    float("truediv", arith::DIVF),
    float("neg", arith::NEGF),
    float("abs", math::ABSF),
    integer("abs", math::ABSI),
    float("exp", math::EXP),
    float("exp2", math::EXP2),
    float("expm1", math::EXPM1),
    float("log", math::LOG),
    float("log1p", math::LOG1P),
    float("log2", math::LOG2),
    float("log10", math::LOG10),
    float("sqrt", math::SQRT),
    float("rsqrt", math::RSQRT),
    float("sin", math::SIN),
    float("cos", math::COS),
    float("tan", math::TAN),
    float("asin", math::ASIN),
    float("acos", math::ACOS),
    float("atan", math::ATAN),
    float("atan2", math::ATAN2),
    float("sinh", math::SINH),
    float("cosh", math::COSH),
    float("tanh", math::TANH),
    float("asinh", math::ASINH),
    float("acosh", math::ACOSH),
    float("atanh", math::ATANH),
    float("erf", math::ERF),
    float("erfc", math::ERFC),
    float("floor", math::FLOOR),
    float("ceil", math::CEIL),
    float("trunc", math::TRUNC),
    float("round", math::ROUNDEVEN),
    float("pow", math::POWF),
    float("copysign", math::COPYSIGN),
    float("fma", math::FMA),
    float("fmod", arith::REMF),
    float("maximum", arith::MAXIMUMF),
    integer("maximum", arith::MAXSI),
    float("minimum", arith::MINIMUMF),
    integer("minimum", arith::MINSI),
    unsigned("maximum", arith::MAXUI),
    unsigned("minimum", arith::MINUI),
    integer("bitwise_and", arith::ANDI),
    integer("bitwise_or", arith::ORI),
    integer("bitwise_xor", arith::XORI),
    truth("and_", arith::ANDI),
    truth("or_", arith::ORI),
    float_comparison("eq", CmpFPredicate::Oeq),
    float_comparison("gt", CmpFPredicate::Ogt),
    float_comparison("ge", CmpFPredicate::Oge),
    float_comparison("lt", CmpFPredicate::Olt),
    float_comparison("le", CmpFPredicate::Ole),
    float_comparison("ne", CmpFPredicate::Une),
    integer_comparison("eq", Class::Integer, CmpIPredicate::Eq),
    integer_comparison("ne", Class::Integer, CmpIPredicate::Ne),
    integer_comparison("lt", Class::Integer, CmpIPredicate::Slt),
    integer_comparison("le", Class::Integer, CmpIPredicate::Sle),
    integer_comparison("gt", Class::Integer, CmpIPredicate::Sgt),
    integer_comparison("ge", Class::Integer, CmpIPredicate::Sge),
    integer_comparison("lt", Class::Unsigned, CmpIPredicate::Ult),
    integer_comparison("le", Class::Unsigned, CmpIPredicate::Ule),
    integer_comparison("gt", Class::Unsigned, CmpIPredicate::Ugt),
    integer_comparison("ge", Class::Unsigned, CmpIPredicate::Uge),
];

/// The function that selects one of two numbers by a truth value, and its operation.
pub(super) const SELECT: &str = "where";
pub(super) const SELECT_OP: &str = arith::SELECT;

/// The predicate of a comparison.
pub(super) const PREDICATE: &str = "predicate";

/// The function that has the bits of a number of another type. Its operation has the types `source` and `dtype`.
pub(super) const BITCAST: &str = "to_dtype_bitcast";

/// The function with two results, a mantissa and an exponent. The operation with the result of an integer has the latter.
pub(super) const FREXP: &str = "frexp";

/// Functions without an upstream operation that return a truth value.
const TRUTHS: &[&str] = &[
    "isnan",
    "isinf",
    "signbit",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
];

/// Functions of a seed and the number of an element that return an `f32`.
const RANDOM: &[&str] = &["rand", "randn"];

/// Returns whether a function of integers returns a random number of `f32`.
pub(super) fn is_random(name: &str) -> bool {
    RANDOM.contains(&name)
}

/// Returns whether the result of a function without an upstream operation is a truth value.
pub(super) fn is_truth(name: &str) -> bool {
    TRUTHS.contains(&name)
}

/// Returns the type in which PyTorch computes a function of numbers of some types, of which there is one: that of a float before
/// that of an integer, and of the widest of these.
pub(super) fn promoted<'p>(types: &[Type<'p>]) -> Type<'p> {
    let rank = |ty: &Type<'p>| (class(*ty) == Class::Float, ir::bits(*ty));
    let mut types = types.iter().copied();
    let first = types.next().expect("a function has an operand");
    types.fold(first, |best, ty| match rank(&ty) > rank(&best) {
        true => ty,
        false => best,
    })
}

/// Returns the operation of a function; `None` if no upstream operation computes it.
pub(super) fn of_name(name: &str, class: Class) -> Option<&'static Function> {
    let find = |class: Class| {
        let mut functions = FUNCTIONS.iter();
        functions.find(|row| row.name == name && row.class == class)
    };
    find(class).or_else(|| match (class, name) {
        // An unsigned number equals its absolute value.
        (Class::Unsigned, "abs") => None,
        // The bits are the same as of a signed integer.
        (Class::Unsigned, _) => find(Class::Integer),
        _ => None,
    })
}

/// Returns the function that an operation computes. The class is that of the type of its operands.
pub(super) fn of_op(op: &str, class: Class, predicate: Option<i64>) -> Option<&'static Function> {
    let mut functions = FUNCTIONS.iter();
    let has_class = |row: &Function| match row.class {
        Class::Unsigned => class == Class::Integer,
        other => other == class,
    };
    functions.find(|row| row.op == op && has_class(row) && row.predicate == predicate)
}

/// Names that Python has, so that PyTorch numbers its first value of that name.
const BUILTINS: &[&str] = &[
    "abs", "all", "any", "bool", "complex", "divmod", "float", "hash", "id", "int", "max", "min",
    "pow", "range", "reversed", "round", "slice", "sorted", "sum", "type",
];

/// Names values as PyTorch does: by their functions, with numbers after the first.
#[derive(Default)]
pub(super) struct Names {
    counts: FxHashMap<Text, usize>,
}

impl Names {
    /// Returns the name of the next value of a function.
    pub(super) fn next(&mut self, base: &str) -> Text {
        let start = usize::from(BUILTINS.contains(&base));
        let count = self.counts.entry(base.into()).or_insert(start);
        *count += 1;
        match *count {
            1 => base.into(),
            count => format_smolstr!("{base}_{}", count - 1),
        }
    }
}
